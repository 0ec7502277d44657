//! An HTML page that prints on A4.

use regreader_messages::tools;

use super::{Heading, Mark, Run, counts, escape, sides};
use crate::describe::{place_label, quantity_text};
use crate::record::{ChangeKind, ChangeRecord, Changes};

/// The page is one file without scripts and without anything fetched.
const STYLE: &str = "body{font-family:'Noto Serif CJK SC','Source Han Serif SC',SimSun,serif;margin:2em;color:#111}\
h1{font-size:1.3em}h2{font-size:1.05em;margin-top:1.6em}table{border-collapse:collapse;width:100%;table-layout:fixed}\
th,td{border:1px solid #666;padding:.35em .5em;vertical-align:top;text-align:left;overflow-wrap:anywhere;white-space:pre-wrap}\
th.where{width:22%}del{text-decoration:line-through}ins{text-decoration:underline}\
.page{color:#555;font-size:.85em}thead{display:table-header-group}tr{break-inside:avoid}\
@page{size:A4;margin:18mm}@media print{body{margin:0}}";

/// The changes as one HTML page.
pub fn html(changes: &Changes, heading: &Heading) -> String {
    let language = heading.language;
    let title = escape(&heading.title());
    let code = language.tag();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"{code}\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<p>{}</p>\n",
        escape(&counts(changes, language))
    );
    for kind in ChangeKind::ALL {
        let records: Vec<&ChangeRecord> =
            changes.changes.iter().filter(|record| record.kind == kind).collect();
        if records.is_empty() {
            continue;
        }
        out.push_str(&format!(
            "<h2>{} ({})</h2>\n<table><thead><tr><th class=\"where\">{}</th><th>{}</th><th>{}</th></tr></thead><tbody>\n",
            kind.label(language),
            records.len(),
            language.say(tools::COLUMN_PLACE),
            escape(&heading.old),
            escape(&heading.new)
        ));
        for record in records {
            row(&mut out, record, heading);
        }
        out.push_str("</tbody></table>\n");
    }
    out.push_str("</body></html>\n");
    out
}

fn row(out: &mut String, record: &ChangeRecord, heading: &Heading) {
    let language = heading.language;
    let mut places: Vec<String> = Vec::new();
    for place in [&record.old, &record.new].into_iter().flatten().chain(&record.others) {
        let label = place_label(place, language);
        if !places.contains(&label) {
            places.push(label);
        }
    }
    let quantities: Vec<String> = record.quantities().map(|one| quantity_text(one, language)).collect();
    let possibly = record
        .possibly
        .as_ref()
        .map(|place| tools::possibly(language, place_label(place, language), place.page));
    let mut first = escape(&places.join(" → "));
    for line in quantities.into_iter().chain(possibly) {
        first.push_str(&format!("\n<b>{}</b>", escape(&line)));
    }
    let (old, new) = sides(record);
    let page = |place: &Option<crate::record::Place>| {
        place
            .as_ref()
            .map_or_else(String::new, |place| format!("\n<span class=\"page\">P{}</span>", place.page))
    };
    out.push_str(&format!(
        "<tr><td>{first}</td><td>{}{}</td><td>{}{}</td></tr>\n",
        runs(&old),
        page(&record.old),
        runs(&new),
        page(&record.new)
    ));
}

fn runs(runs: &[Run]) -> String {
    let run = |(mark, text): &Run| match mark {
        Mark::Plain => escape(text),
        Mark::Struck => format!("<del>{}</del>", escape(text)),
        Mark::Underlined => format!("<ins>{}</ins>", escape(text)),
    };
    runs.iter().map(run).collect()
}
