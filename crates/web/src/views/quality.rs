//! The quality report: what to look at before an ingest is signed off, each finding with its page beside it.

use maud::{Markup, html};
use regreader_messages::{Language, Word, web as w};
use regreader_model::{PageNumber, QualityReport, Severity};

use super::layout::{Screen, frame, status_chip};
use crate::address::Address;
use crate::app::Ctx;
use crate::backend::{RegulationParts, Review, ReviewVerdict};

/// One thing to look at.
pub struct Finding {
    /// Names it in reviews: its kind and its words, so that it is the same after reading the file again.
    pub id: String,
    pub page: Option<PageNumber>,
    pub text: String,
}

/// Findings of one kind.
pub struct Group {
    pub title: Word,
    pub findings: Vec<Finding>,
    /// A person should look at each.
    pub is_serious: bool,
}

/// Findings shown of each kind.
const MAX_SHOWN: usize = 200;

/// The report as groups, what matters most first.
pub fn groups(l: Language, report: &QualityReport) -> Vec<Group> {
    // The key is in the document's words, never in ours: a review must count in both languages.
    let finding = |kind: &str, page: Option<PageNumber>, key: &str, text: String| {
        let at = page.map_or(0, PageNumber::get);
        Finding { id: format!("{kind}:{at}:{}", key.chars().take(80).collect::<String>()), page, text }
    };
    let page_name = |page: &PageNumber| l.fill(w::PAGE_N, &[page]);
    let needs_ocr = report.pages_by_origin.get("needs_ocr").into_iter().flatten();
    let all = [
        Group {
            title: w::FINDING_OCR,
            findings: needs_ocr.map(|page| finding("ocr", Some(*page), "", page_name(page))).collect(),
            is_serious: true,
        },
        Group {
            title: w::FINDING_DIAGNOSTIC,
            findings: report
                .diagnostics
                .iter()
                .filter(|remark| remark.severity > Severity::Info)
                .map(|remark| {
                    finding("diagnostic", remark.page_num, &remark.message, remark.said(l).to_owned())
                })
                .collect(),
            is_serious: true,
        },
        Group {
            title: w::FINDING_LOW,
            findings: report
                .low_confidence_pages
                .iter()
                .map(|page| finding("low", Some(*page), "", page_name(page)))
                .collect(),
            is_serious: true,
        },
        Group {
            title: w::FINDING_GAP,
            findings: report
                .numbering_gaps
                .iter()
                .map(|gap| {
                    finding(
                        "gap",
                        Some(gap.page_num),
                        &gap.found,
                        l.fill(w::GAP, &[&gap.found, &gap.expected]),
                    )
                })
                .collect(),
            is_serious: true,
        },
        Group {
            title: w::FINDING_REFERENCE,
            findings: report
                .unresolved_references
                .iter()
                .map(|reference| {
                    let near = reference.candidates.join("、");
                    let near =
                        if near.is_empty() { near } else { format!(" — {}: {near}", l.say(w::CANDIDATES)) };
                    finding(
                        "reference",
                        Some(reference.page_num),
                        &reference.text,
                        format!("{}{near}", reference.text),
                    )
                })
                .collect(),
            is_serious: true,
        },
        Group {
            title: w::FINDING_STITCH,
            findings: report
                .stitched_tables
                .iter()
                .map(|stitch| {
                    let words = l.fill(w::STITCHED, &[&stitch.table_id, &stitch.from_page, &stitch.to_page]);
                    finding(
                        "stitch",
                        Some(stitch.to_page),
                        stitch.table_id.as_str(),
                        format!("{words} — {}", stitch.said(l)),
                    )
                })
                .collect(),
            is_serious: false,
        },
        Group {
            title: w::FINDING_DROPPED,
            findings: report
                .dropped_text
                .iter()
                .map(|dropped| {
                    finding("dropped", Some(dropped.page_num), &dropped.text, dropped.text.clone())
                })
                .collect(),
            is_serious: false,
        },
    ];
    all.into_iter().filter(|group| !group.findings.is_empty()).collect()
}

/// The screen.
pub fn page(ctx: &Ctx, parts: &RegulationParts, reviews: &[Review], beside: Option<&Markup>) -> Markup {
    let l = ctx.lang;
    let reg_id = parts.info.reg_id.as_str();
    let title = format!("{} · {}", l.say(w::QUALITY), parts.info.short_name());
    let screen = Screen {
        title: &title,
        section: "/",
        class: "quality",
        scripts: &["search.js"],
        searches: Some(reg_id),
        query: "",
    };
    let groups = groups(l, &parts.quality);
    frame(
        ctx,
        &screen,
        &html! {
            p.crumbs { a href=(Address::page(reg_id, PageNumber::FIRST)) { (parts.info.title) } " " (status_chip(l, parts.status)) }
            h1 { (l.say(w::QUALITY)) }
            div.split {
                section.hits aria-label=(l.say(w::QUALITY)) {
                    @if groups.iter().all(|group| !group.is_serious) { p.good-news { "✓ " (l.say(w::REPORT_CLEAN)) } }
                    @for group in &groups { (self::group(ctx, reg_id, group, reviews)) }
                    (sign_off(ctx, reg_id, reviews))
                }
                section.beside #beside aria-label=(l.say(w::PREVIEW)) tabindex="0" { @if let Some(beside) = beside { (beside) } }
            }
        },
    )
}

fn group(ctx: &Ctx, reg_id: &str, group: &Group, reviews: &[Review]) -> Markup {
    let l = ctx.lang;
    html! {
        details.findings open[group.is_serious] {
            summary { (l.say(group.title)) " " span.chip { (group.findings.len()) } }
            ul { @for finding in group.findings.iter().take(MAX_SHOWN) { (self::finding(ctx, reg_id, finding, reviews)) } }
            @if group.findings.len() > MAX_SHOWN { p { (l.fill(w::MORE_N, &[&(group.findings.len() - MAX_SHOWN)])) } }
        }
    }
}

fn finding(ctx: &Ctx, reg_id: &str, finding: &Finding, reviews: &[Review]) -> Markup {
    let l = ctx.lang;
    let said: Vec<&Review> =
        reviews.iter().filter(|review| review.finding.as_deref() == Some(finding.id.as_str())).collect();
    let sheet = finding.page.map(|page| format!("{}/sheet", Address::page(reg_id, page)));
    let is_accepted = said.iter().any(|review| review.verdict == ReviewVerdict::Accepted);
    html! {
        li.hit.finding.accepted[is_accepted] data-sheet=[sheet] {
            p.where {
                @if let Some(page) = finding.page { a.open href=(Address::page(reg_id, page)) data-select { "P" (page) } " " }
                (finding.text)
                @if is_accepted { " " span.chip.good { (l.say(w::ACCEPTED)) } }
            }
            @for review in &said { @if !review.comment.is_empty() { p.comment { (review.name) ": " (review.comment) } } }
            @if ctx.may_edit() {
                details.say { summary { (l.say(w::ACCEPT)) " / " (l.say(w::COMMENT)) }
                    form.stacked action=(Address::quality(reg_id)) method="post" {
                        input type="hidden" name="finding" value=(finding.id);
                        label { (l.say(w::NAME)) input name="name" required maxlength="60"; }
                        label { (l.say(w::COMMENT)) input name="comment" maxlength="400"; }
                        button name="verdict" value="accepted" { (l.say(w::ACCEPT)) } " "
                        button name="verdict" value="commented" { (l.say(w::SEND)) }
                    }
                }
            }
        }
    }
}

fn sign_off(ctx: &Ctx, reg_id: &str, reviews: &[Review]) -> Markup {
    let l = ctx.lang;
    let whole = reviews.iter().filter(|review| review.finding.is_none());
    html! {
        section.sign-off {
            h2 { (l.say(w::SIGN_OFF)) }
            ul { @for review in whole {
                li { @if review.verdict == ReviewVerdict::SignedOff { "✓ " (l.say(w::SIGNED_OFF)) " · " } (review.name) " · " time { (review.time) } " " (review.comment) }
            } }
            @if ctx.may_edit() {
                form.stacked action=(Address::quality(reg_id)) method="post" {
                    p.hint { (l.say(w::SIGN_OFF_HINT)) }
                    label { (l.say(w::NAME)) input name="name" required maxlength="60" autocomplete="name"; }
                    label { (l.say(w::COMMENT)) input name="comment" maxlength="400"; }
                    button.primary name="verdict" value="signed_off" { (l.say(w::SIGN_OFF)) }
                }
            } @else { p.hint { (l.say(w::EDITOR_ONLY)) } }
        }
    }
}
