//! The quality report: what was dropped, joined, missing or doubtful, with pages, for an engineer to sign off.
//!
//! Collects what the stages found. Owns the thresholds and wording of the report and nothing else.

use std::collections::BTreeMap;

use regreader_messages::findings;
use regreader_model::{
    Diagnostic, DiagnosticCode, DroppedText, NumberingGap, PageDocument, PageNumber, QualityReport,
    Reference, RegId, Resolution, Severity, TextOrigin, UnresolvedReference,
};

use crate::chapter::{Gap, Mark};
use crate::contents::Contents;
use crate::flow::Piece;
use crate::structure::Tree;
use crate::table::Plan;

/// Below this mean confidence a recognised page should be looked at.
const LOW_CONFIDENCE: f32 = 0.85;
/// Headings missing from the tree that are named one by one.
const MOST_NAMED: usize = 50;

/// What the stages hand over.
pub(crate) struct Findings<'a> {
    pub reg_id: &'a RegId,
    pub pages: &'a [PageDocument],
    pub pieces: &'a [Piece],
    pub gaps: &'a [Gap],
    pub marks: &'a [Mark],
    pub contents: &'a Contents,
    pub tree: &'a Tree,
    pub plan: &'a Plan,
    pub references: &'a [Reference],
    pub dropped: Vec<DroppedText>,
    pub damaged: Vec<PageNumber>,
    /// What the parser said.
    pub diagnostics: Vec<Diagnostic>,
}

/// Writes the report.
pub(crate) fn report(findings: Findings<'_>) -> QualityReport {
    let mut report = QualityReport::empty(findings.reg_id.clone());
    report.pages_by_origin = pages_by_origin(findings.pages);
    report.low_confidence_pages = findings
        .pages
        .iter()
        .filter(|page| matches!(page.origin, TextOrigin::Ocr { confidence } if confidence < LOW_CONFIDENCE))
        .map(|page| page.page_num)
        .collect();
    report.stitched_tables = findings.plan.stitches.clone();
    let page_of =
        |piece: usize| PageNumber::from_index(findings.pieces.get(piece).map_or(0, |piece| piece.page));
    report.numbering_gaps = findings
        .gaps
        .iter()
        .map(|gap| NumberingGap {
            page_num: page_of(gap.piece),
            found: gap.found.clone(),
            expected: gap.expected.clone(),
        })
        .collect();
    report.unresolved_references = findings
        .references
        .iter()
        .filter_map(|reference| match &reference.resolution {
            Resolution::Unresolved { candidates } => Some(UnresolvedReference {
                page_num: reference.page_num,
                text: reference.text.clone(),
                candidates: candidates.clone(),
            }),
            _ => None,
        })
        .collect();
    let mut diagnostics = findings.diagnostics;
    diagnostics.extend(missing_pages(findings.pages, &diagnostics));
    diagnostics.extend(findings.damaged.into_iter().map(|page| {
        Diagnostic::on_page(Severity::Warning, DiagnosticCode::TableDamaged, page, findings::GRID_OPEN)
    }));
    diagnostics.extend(findings.plan.diagnostics.iter().cloned());
    diagnostics.extend(contents_mismatch(findings.contents, findings.tree, findings.marks));
    report.dropped_text = findings.dropped;
    report.dropped_text.sort_by_key(|dropped| dropped.page_num);
    report.diagnostics = diagnostics;
    report
}

fn pages_by_origin(pages: &[PageDocument]) -> BTreeMap<String, Vec<PageNumber>> {
    let mut map: BTreeMap<String, Vec<PageNumber>> = BTreeMap::new();
    for page in pages {
        let name = match page.origin {
            TextOrigin::TextLayer => "text_layer",
            TextOrigin::Ocr { .. } => "ocr",
            TextOrigin::OcrLayer => "ocr_layer",
            TextOrigin::NeedsOcr => "needs_ocr",
            TextOrigin::Blank => "blank",
        };
        map.entry(name.to_owned()).or_default().push(page.page_num);
    }
    map
}

/// A page that needs a recogniser is said so even if the parser forgot.
fn missing_pages(pages: &[PageDocument], said: &[Diagnostic]) -> Vec<Diagnostic> {
    let known = |page: PageNumber| {
        said.iter().any(|one| one.page_num == Some(page) && one.code == DiagnosticCode::NeedsOcr)
    };
    pages
        .iter()
        .filter(|page| page.origin == TextOrigin::NeedsOcr && !known(page.page_num))
        .map(|page| {
            Diagnostic::on_page(Severity::Error, DiagnosticCode::NeedsOcr, page.page_num, findings::NEEDS_OCR)
        })
        .collect()
}

/// Entries of the printed contents for which no heading was found, and headings whose words differ.
fn contents_mismatch(contents: &Contents, tree: &Tree, marks: &[Mark]) -> Vec<Diagnostic> {
    let mut by_number: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        by_number.entry(node.section_number.as_str()).or_insert(at);
    }
    let unnumbered: Vec<String> = tree
        .nodes
        .iter()
        .zip(marks)
        .filter(|(_, mark)| mark.number.is_none())
        .map(|(node, _)| crate::contents::title_key(&node.title))
        .collect();
    let mut out = Vec::new();
    for entry in &contents.entries {
        let page = PageNumber::from_index(entry.on_page);
        let message = match &entry.number {
            Some(number) => match by_number.get(number.as_str()).and_then(|at| tree.nodes.get(*at)) {
                None => Some(findings::no_such_heading(format_args!("{number} {}", entry.title))),
                Some(node) => {
                    let own = crate::contents::title_key(&node.title);
                    let alike = own.starts_with(&entry.key) || entry.key.starts_with(&own);
                    (!alike)
                        .then(|| findings::heading_differs(number, &entry.title, node.page_num, &node.title))
                }
            },
            None if entry.key.is_empty() || unnumbered.contains(&entry.key) => None,
            None => Some(findings::no_such_heading(&entry.title)),
        };
        out.extend(message.map(|message| {
            Diagnostic::on_page(Severity::Warning, DiagnosticCode::ContentsMismatch, page, message)
        }));
        if out.len() == MOST_NAMED {
            out.push(Diagnostic::on_document(
                Severity::Warning,
                DiagnosticCode::ContentsMismatch,
                findings::more_mismatches(MOST_NAMED),
            ));
            break;
        }
    }
    out
}
