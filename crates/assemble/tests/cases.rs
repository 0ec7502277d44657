//! Case files: pages in, blocks, tables, notes and references out. A page is written as it is printed, one line of the case
//! for each printed thing:
//!
//! | line | printed as |
//! |---|---|
//! | `# 2.1 标题` | a heading in bold |
//! | `> 表2-1 限额表` | a line in the middle |
//! | `\| 台数 \| 限额 \|` | a row of a ruled table; rows on following lines are one table |
//! | `head: …`, `foot: …` | a running head, a running foot |
//! | `---` | the next page |
//! | anything else | a paragraph at the margin |

use std::fmt::Write as _;
use std::path::Path;

use regreader_model::{Regulation, Resolution};

use crate::case_files::{self, Case};
use crate::support::{Doc, Page, rows};

#[test]
fn case_files_say_what_pages_become() {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/cases");
    case_files::compare(&folder, |case| shown(&read(case)));
}

fn read(case: &Case<'_>) -> Regulation {
    let pages = case.given.split(|line| *line == "---");
    pages.fold(Doc::new(), |doc, lines| doc.page(|page| printed(page, lines))).assemble()
}

fn printed(mut page: Page, lines: &[&str]) -> Page {
    let mut table = Vec::new();
    for line in lines.iter().chain(&[""]) {
        if let Some(row) = line.strip_prefix('|') {
            table.push(row.trim_end().trim_end_matches('|'));
            continue;
        }
        if !table.is_empty() {
            page = page.table(&std::mem::take(&mut table));
        }
        page = match line.split_once(' ') {
            _ if line.is_empty() => page,
            Some(("#", text)) => page.heading(text),
            Some((">", text)) => page.centered(text),
            Some(("head:", text)) => page.head(text),
            Some(("foot:", text)) => page.foot(text),
            _ => page.clause(line),
        };
    }
    page
}

fn shown(regulation: &Regulation) -> String {
    let mut out = String::new();
    let mut say = |line: String| writeln!(out, "- {}", line.replace('\n', " ⏎ ")).unwrap();
    for node in regulation.structure.iter() {
        let end = node.page_end.unwrap_or(node.page_num);
        say(format!("chapter {} {} P{}–P{end}", node.section_number, node.title, node.page_num));
    }
    for page in &regulation.pages {
        for block in &page.content_blocks {
            say(format!("P{} {}: {}", page.page_num, block.block_type.name(), block.content_markdown));
        }
    }
    for table in regulation.tables.tables.values() {
        let pages: Vec<String> = table.segments.iter().map(|part| format!("P{}", part.page_num)).collect();
        let caption = table.caption.as_deref().unwrap_or("no caption");
        say(format!("table {caption} {}: {}", pages.join(" "), table.col_headers.join("|")));
        for row in rows(table) {
            say(format!("row {row}"));
        }
    }
    for note in regulation.pages.iter().flat_map(|page| &page.annotations) {
        say(format!("note {} of {:?}: {}", note.annotation_id, note.scope, note.content));
    }
    for reference in &regulation.references.references {
        let leads = match &reference.resolution {
            Resolution::Resolved { location } => format!("P{}", location.page_num),
            Resolution::External => "another regulation".to_owned(),
            Resolution::Unresolved { .. } => "nowhere".to_owned(),
        };
        say(format!("reference {} P{}: {leads}", reference.text, reference.page_num));
    }
    for text in &regulation.quality.dropped_text {
        say(format!("dropped P{} {}: {}", text.page_num, text.reason, text.text));
    }
    out
}
