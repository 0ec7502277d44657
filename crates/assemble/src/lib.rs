//! Positioned pages to a regulation: chapters, tables, notes, references, and a report on how well it went.
//!
//! [`assemble`] is one pure function from a [`RawDocument`] to a [`Regulation`]. The stages, in order, each in its own
//! module:
//!
//! 1. `clean`, `flow`: characters as a reader should see them; pages of lines, grids and pictures.
//! 2. `furniture`: running heads, page numbers and watermarks go, the printed page label stays. `identity`: title,
//!    number, edition and dates, from the first pages, the running heads and the closing clause.
//! 3. `contents`: contents pages go, and stay as evidence for the chapters.
//! 4. `table`: captions, header rows, and which grids on following pages are one table. Rows are conserved.
//! 5. `chapter`: the one chapter engine. The legal sequence of numbers with the best evidence, over the whole document.
//! 6. `paragraph`, `structure`: lines to paragraphs, marks to the chapter tree with page ranges.
//! 7. `notes`, `references`: bound to their table, clause or page; resolved to places that exist.
//! 8. `pages`, `markdown`, `quality`: blocks, Markdown, and the report.
//!
//! The crate knows what lines mean. It must not know file formats (that is parsing), disks, clocks or the library:
//! references to other regulations are named here and resolved where the library is.
//!
//! The same input gives the same output, ids included: blocks are `p0085-b003`, tables `t0001` (later segments
//! `t0001-2`), chapter nodes `n0001`, each counted in document order. Nothing here panics on hostile input; time is
//! about linear in the size of the document.
//!
//! ```
//! use regreader_assemble::{AssembleOptions, assemble};
//! use regreader_parse::{ParseOptions, parse};
//!
//! let file = "# 运行规定\n\n## 1 总则\n\n限额见表1-1。\n\n表1-1 限额表\n\n| 台数 | 限额 |\n|---|---|\n| 1 | 185 |\n";
//! let parsed = parse(file.as_bytes(), "规程.md", &ParseOptions::default()).unwrap();
//! let options = AssembleOptions::new("guicheng_2024".parse().unwrap(), "规程.md");
//! let regulation = assemble(parsed.document, parsed.diagnostics, &options);
//!
//! assert_eq!(regulation.info.title, "运行规定");
//! let chapter = regulation.structure.iter().next().unwrap();
//! assert_eq!((chapter.section_number.as_str(), chapter.title.as_str()), ("1", "总则"));
//! let table = regulation.tables.tables.values().next().unwrap();
//! assert_eq!(table.caption.as_deref(), Some("表1-1 限额表"));
//! assert_eq!(regulation.references.references.len(), 1, "and it leads to that table");
//! ```

mod chapter;
mod clean;
mod contents;
mod flow;
mod furniture;
mod identity;
mod label;
mod markdown;
mod metrics;
mod notes;
mod pages;
mod paragraph;
mod quality;
mod references;
mod render;
mod structure;
mod table;

use regreader_model::{Diagnostic, RawDocument, ReferenceGraph, RegId, Regulation, TableMeta, TableRegistry};

use chapter::evidence::{Outline, Witness};
use clean::Cleaner;
use metrics::Metrics;

pub use markdown::{segment_markdown, table_markdown};
pub use render::{JoinedTable, RenderedPages, render_pages};

/// Word lists of this crate.
const WORDS: &str = include_str!("words.txt");

/// What the caller knows about the document.
#[derive(Debug, Clone)]
pub struct AssembleOptions {
    /// Name of the regulation in the library.
    pub reg_id: RegId,
    /// Name of the file it came from.
    pub source_file: String,
    /// Title to use instead of the one found on the cover.
    pub title: Option<String>,
    /// blake3 of the source file, hex, where the caller has it.
    pub source_hash: Option<String>,
}

impl AssembleOptions {
    /// Options with nothing but the two names.
    pub fn new(reg_id: RegId, source_file: impl Into<String>) -> Self {
        Self { reg_id, source_file: source_file.into(), title: None, source_hash: None }
    }
}

/// Makes a regulation from a parsed document. `diagnostics` are the parser's remarks; they go into the quality report.
///
/// `info.indexed_at` is left empty and the hashes none: when and where it is stored is not known here.
pub fn assemble(mut raw: RawDocument, diagnostics: Vec<Diagnostic>, options: &AssembleOptions) -> Regulation {
    flow::demote_titles(&mut raw);
    let cleaner = Cleaner::of(&raw);
    let cover = identity::cover(&raw, cleaner);
    let outline = Outline::new(&raw.outline);

    let (mut sheets, damaged) = flow::sheets(raw, cleaner);
    let mut dropped = furniture::strip(&mut sheets);
    let (contents, contents_lines) = contents::strip(&mut sheets);
    dropped.extend(contents_lines);
    let identity = identity::decide(&cover, &dropped, options);
    let metrics = Metrics::of(&sheets);
    let mut pieces = flow::stream(&mut sheets);

    let plan = table::plan(&mut pieces, &metrics, cleaner);
    let witness = Witness { pieces: &pieces, metrics: &metrics, contents: &contents, outline: &outline };
    let chapters = chapter::find(&witness, &plan.is_caption);
    let paras = paragraph::build(&pieces, &chapters.marks, &plan, &metrics, cleaner);
    let mut tree = structure::build(&chapters.marks, &paras, &identity.title);
    let ids = pages::block_ids(&paras);
    for (owner, id) in tree.owner.clone().into_iter().zip(&ids) {
        if let Some(mark) = owner {
            tree.give(mark, id.clone());
        }
    }
    let notes = notes::find(&paras, &ids, &tree, &plan, cleaner);
    let info = identity::info(identity, &paras, options);
    let heads = dropped.iter().filter(|text| text.reason == "running_head").map(|text| text.text.as_str());
    let cover_lines = paras.iter().take_while(|para| para.page == 0).map(|para| para.text.as_str());
    let own_codes = references::foreign::own_codes(heads.chain(cover_lines).chain([info.title.as_str()]));
    let references = references::resolve_all(&references::Places {
        reg_id: &options.reg_id,
        title: &info.title,
        own_codes: &own_codes,
        marks: &chapters.marks,
        tree: &tree,
        plan: &plan,
        notes: &notes,
        paras: &paras,
        ids: &ids,
        cleaner,
    });

    let metas: Vec<Vec<TableMeta>> = plan.tables.iter().map(|joined| joined.metas.clone()).collect();
    let mut page_list = pages::build(
        sheets,
        &pages::Material {
            reg_id: &options.reg_id,
            paras: &paras,
            ids: &ids,
            tree: &tree,
            metas: &metas,
            in_note: &notes.in_note,
        },
    );
    for note in &notes.found {
        if let Some(page) = page_list.get_mut(note.page) {
            page.annotations.push(note.annotation.clone());
        }
    }
    let quality = quality::report(quality::Findings {
        reg_id: &options.reg_id,
        pages: &page_list,
        pieces: &pieces,
        gaps: &chapters.gaps,
        marks: &chapters.marks,
        contents: &contents,
        tree: &tree,
        plan: &plan,
        references: &references,
        dropped,
        damaged,
        diagnostics,
    });
    let tables = registry(&options.reg_id, plan, &tree, &notes, &paras);
    Regulation {
        info,
        pages: page_list,
        structure: tree.into_structure(options.reg_id.clone()),
        tables,
        references: ReferenceGraph { reg_id: options.reg_id.clone(), references },
        quality,
    }
}

/// Logical tables with their chapters and notes.
fn registry(
    reg_id: &RegId,
    plan: table::Plan,
    tree: &structure::Tree,
    notes: &notes::Notes,
    paras: &[paragraph::Para],
) -> TableRegistry {
    let mut tables: Vec<_> = plan.tables.into_iter().map(|joined| joined.table).collect();
    for (at, para) in paras.iter().enumerate() {
        let paragraph::ParaKind::Table { table, segment: 0 } = para.kind else { continue };
        let Some(slot) = tables.get_mut(table) else { continue };
        let Some(mark) = tree.owner.get(at).copied().flatten() else { continue };
        let Some(node) = tree.nodes.get(mark) else { continue };
        slot.chapter_node_id = Some(node.node_id.clone());
        slot.chapter_path = tree.path(mark);
        slot.section_number = Some(node.section_number.clone()).filter(|number| !number.as_str().is_empty());
    }
    for note in &notes.found {
        let Some(slot) = note.table.and_then(|table| tables.get_mut(table)) else { continue };
        if !slot.notes.contains(&note.annotation.annotation_id) {
            slot.notes.push(note.annotation.annotation_id.clone());
        }
    }
    TableRegistry::new(reg_id.clone(), tables)
}
