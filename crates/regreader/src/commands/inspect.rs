//! `inspect`: the quality report, for an engineer to sign off.

use std::collections::BTreeMap;
use std::process::ExitCode;

use regreader_messages::{Word, cli, interface};
use regreader_model::{PageNumber, QualityReport, RegId};
use serde_json::json;

use super::Session;
use crate::cli::InspectArgs;

/// Runs `inspect`.
pub fn run(session: &Session, args: &InspectArgs) -> anyhow::Result<ExitCode> {
    let reg_id: RegId = session.reg_id(&args.reg_id)?;
    let reader = session.library()?.reader(&reg_id)?;
    let info = reader.info();
    let quality = reader.quality()?;
    let tables = reader.tables()?;
    let structure = reader.structure()?;
    let references = reader.references()?;
    if session.output.json {
        session.output.json(&json!({
            "info": info,
            "chapters": structure.all_nodes.len(),
            "tables": tables.tables.len(),
            "references": references.references.len(),
            "quality": &*quality,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let out = &session.output;
    out.line(out.bold(&format!("{} {}", info.reg_id, info.title)))?;
    let estimated = if info.pages_approximate { interface().say(cli::PAGES_APPROXIMATE) } else { "" };
    out.line(cli::inspected(
        format!("{}{estimated}", cli::pages(info.total_pages)),
        structure.all_nodes.len(),
        tables.tables.len(),
        tables.tables.values().filter(|table| table.is_cross_page()).count(),
        references.references.len(),
        quality.unresolved_references.len(),
    ))?;
    for line in describe(&quality) {
        out.line(line)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(quality: &QualityReport) -> Vec<String> {
    let mut lines = Vec::new();
    let mut section = |title: Word, items: Vec<String>| {
        if !items.is_empty() {
            lines.push(String::new());
            lines.push(format!("{title} ({})", items.len()));
            lines.extend(items.into_iter().map(|item| format!("  {item}")));
        }
    };
    let origins = quality
        .pages_by_origin
        .iter()
        .map(|(origin, pages)| format!("{origin}: {} ({})", cli::pages(pages.len()), page_list(pages)));
    section(cli::TEXT_ORIGINS, origins.collect());
    section(
        cli::LOW_CONFIDENCE,
        quality.low_confidence_pages.iter().map(|page| format!("P{page}")).collect(),
    );
    let stitched = quality.stitched_tables.iter().map(|stitch| {
        let header = if stitch.header_repeated { cli::HEADER_REPEATED } else { cli::HEADER_ONCE };
        let reason = stitch.said(interface());
        format!("{} P{}→P{} {header}: {reason}", stitch.table_id, stitch.from_page, stitch.to_page)
    });
    section(cli::STITCHED, stitched.collect());
    let gaps = quality.numbering_gaps.iter();
    section(cli::NUMBERING_GAPS, gaps.map(|gap| cli::gap(gap.page_num, &gap.found, &gap.expected)).collect());
    let unresolved = quality.unresolved_references.iter().map(|reference| {
        let near = if reference.candidates.is_empty() {
            String::new()
        } else {
            cli::near(reference.candidates.join("、"))
        };
        format!("P{} {}{near}", reference.page_num, reference.text)
    });
    section(cli::UNRESOLVED, unresolved.collect());
    // Running heads repeat on every page: one line per text is enough.
    let mut dropped: BTreeMap<(&str, &str), Vec<PageNumber>> = BTreeMap::new();
    for text in &quality.dropped_text {
        dropped.entry((&text.reason, &text.text)).or_default().push(text.page_num);
    }
    let dropped = dropped
        .into_iter()
        .filter(|((reason, _), _)| *reason != "contents")
        .map(|((reason, text), pages)| format!("[{reason}] {} ({})", shorten(text), page_list(&pages)));
    section(cli::NOT_BODY, dropped.collect());
    section(cli::OTHER, quality.diagnostics.iter().map(ToString::to_string).collect());
    lines
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 { text.to_owned() } else { text.chars().take(60).chain(['…']).collect() }
}

/// `P1–3, P7`
fn page_list(pages: &[PageNumber]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for page in pages.iter().map(|page| page.get()) {
        match parts.last_mut() {
            Some((_, end)) if *end + 1 == page => *end = page,
            Some((_, end)) if *end == page => {}
            _ => parts.push((page, page)),
        }
    }
    let text = |(start, end): (u32, u32)| {
        if start == end { format!("P{start}") } else { format!("P{start}–{end}") }
    };
    parts.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_pages_are_shortened() {
        let pages: Vec<PageNumber> = [1, 2, 3, 7, 9, 10].into_iter().filter_map(PageNumber::new).collect();
        assert_eq!(page_list(&pages), "P1–3, P7, P9–10");
    }
}
