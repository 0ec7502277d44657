//! Laws that hold for any input: rows are conserved however a table is cut, the tree is a tree, nothing panics.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{Doc, row_pages, rows, tables};
use proptest::prelude::*;
use regreader_assemble::{AssembleOptions, assemble, render_pages};
use regreader_model::{
    BlockId, NodeId, RawDocument, RawElement, RawTable, Rect, Regulation, TableCell, TableKind,
};

/// How a table is cut into pages, and what is printed at the head of each.
#[derive(Debug, Clone)]
struct Cut {
    rows: Vec<Vec<String>>,
    /// Rows on each page but the last.
    cuts: Vec<usize>,
    repeat_header: bool,
    continued_caption: bool,
}

fn cuts() -> impl Strategy<Value = Cut> {
    let row = prop::collection::vec("[甲乙丙丁投入退出]{1,4}|[0-9]{1,3}", 3);
    (prop::collection::vec(row, 2..40), prop::collection::vec(1_usize..8, 0..5), any::<bool>(), any::<bool>())
        .prop_map(|(rows, cuts, repeat_header, continued_caption)| Cut {
            rows,
            cuts,
            repeat_header,
            continued_caption,
        })
}

const HEADER: &str = "开机总台数|策略|直流限额";

fn print(cut: &Cut) -> (Doc, Vec<u32>) {
    let mut left = cut.rows.as_slice();
    let mut doc = Doc::new();
    let mut pages = Vec::new();
    let mut counts: Vec<usize> = cut.cuts.clone();
    counts.push(usize::MAX);
    for (index, count) in counts.into_iter().enumerate() {
        if left.is_empty() {
            break;
        }
        let (here, rest) = left.split_at(count.min(left.len()));
        left = rest;
        pages.extend(std::iter::repeat_n(index as u32 + 1, here.len()));
        let header =
            (index == 0 || cut.repeat_header).then(|| HEADER.split('|').map(str::to_owned).collect());
        let printed: Vec<Vec<String>> = header.into_iter().chain(here.iter().cloned()).collect();
        // A table that goes on reaches the foot of its page.
        let goes_on = !left.is_empty();
        doc = doc.page(|p| {
            let p = if goes_on { p.bottom() } else { p };
            match index {
                0 => p.centered("表3-1 限额表").grid(&printed),
                _ if cut.continued_caption => p.centered("表3-1（续）").grid(&printed),
                _ => p.grid(&printed),
            }
        });
    }
    (doc, pages)
}

proptest! {
    #[test]
    fn stitching_conserves_rows(cut in cuts()) {
        let (doc, pages) = print(&cut);
        let reg = doc.assemble();
        let expected: Vec<String> = cut.rows.iter().map(|row| row.join("|")).collect();
        let found: Vec<String> = tables(&reg).into_iter().flat_map(rows).collect();
        prop_assert_eq!(found, expected);
        let found: Vec<u32> = tables(&reg).into_iter().flat_map(row_pages).collect();
        prop_assert_eq!(found, pages);
        check_consistency(&reg)?;
        // Printed as a range, every row is there once, under the header of its part.
        let whole = render_pages(&reg.pages, &reg.tables).markdown;
        let printed = whole.lines().filter(|line| line.starts_with("| ") && !line.contains("---")).count();
        let segments: usize = tables(&reg).into_iter().map(|table| table.segments.len()).sum();
        prop_assert_eq!(printed, cut.rows.len() + segments);
    }

    #[test]
    fn any_lines_make_a_consistent_tree(pages in prop::collection::vec(prop::collection::vec(line(), 0..25), 1..6)) {
        let mut doc = Doc::new();
        for lines in &pages {
            doc = doc.page(|mut p| {
                for (kind, text) in lines {
                    p = match kind {
                        0 => p.heading(text),
                        1 => p.item(text),
                        2 => p.para(text),
                        3 => p.centered(text),
                        4 => p.table(&[text.as_str(), "1|2"]),
                        _ => p.line(text),
                    };
                }
                p
            });
        }
        let raw = doc.raw();
        let reg = run(raw.clone());
        check_consistency(&reg)?;
        prop_assert_eq!(reg, run(raw));
    }

    #[test]
    fn hostile_grids_do_no_harm(cells in prop::collection::vec(hostile_cell(), 0..30), rows in any::<u32>(), cols in any::<u32>()) {
        let table = RawTable {
            kind: TableKind::Ruled,
            row_count: rows,
            col_count: cols,
            cells: cells.clone(),
            bbox: Some(Rect { x0: f32::NAN, y0: 0.0, x1: f32::INFINITY, y1: -1.0 }),
            header_rows: Some(cols),
            caption: None,
            confidence: None,
        };
        let mut raw = Doc::new().page(|p| p.heading("1 总则")).page(|p| p).raw();
        raw.pages[1].elements = vec![RawElement::Table(table.clone()), RawElement::Table(table)];
        let reg = run(raw);
        check_consistency(&reg)?;
        let _ = render_pages(&reg.pages, &reg.tables);
    }
}

fn run(raw: RawDocument) -> Regulation {
    assemble(raw, Vec::new(), &AssembleOptions::new("p".parse().expect("an id"), "p.pdf"))
}

fn line() -> impl Strategy<Value = (u8, String)> {
    let text = prop_oneof![
        (prop::collection::vec(1_u32..6, 1..5), "[ .]?", "[总则范围电网]{0,6}").prop_map(
            |(path, dot, words)| {
                let path: Vec<String> = path.iter().map(ToString::to_string).collect();
                format!("{}{dot}{words}", path.join("."))
            }
        ),
        "第[一二三四五六]{1,2}[章节条] ?[总则附则]{0,4}",
        "（[一二三四]）[措施]{1,3}",
        "[一二三四]、[要求]{1,3}",
        "附录[A-D] ?[名词]{0,2}",
        "[A-D]\\.[1-3] [a-z]{1,5}",
        "注[1-3①②]?：[甲乙丙]{1,8}",
        "表[1-3]-[1-3]( |（续）)[限额]{0,3}",
        "续表",
        "见(表|第)[1-3](-[1-3])?[章条]?，见注[1-3]。",
        "[ivx]{1,3}",
        "目录",
        "[总则限额]{1,4} ?[.…]{3,9} ?[0-9]{1,2}",
        "\\PC{0,40}",
    ];
    (0_u8..8, text)
}

fn hostile_cell() -> impl Strategy<Value = TableCell> {
    let small = prop_oneof![0_u32..6, any::<u32>()];
    (small.clone(), small.clone(), small.clone(), small, "\\PC{0,12}").prop_map(
        |(row, col, row_span, col_span, content)| TableCell {
            row,
            col,
            row_span,
            col_span,
            content,
            is_header: false,
            bbox: None,
        },
    )
}

/// The laws of a regulation: ids unique and found, parents and ranges nested, each block in one node at most and in
/// none only before the first heading, every table row with a page, every place of a grid covered once.
fn check_consistency(reg: &Regulation) -> Result<(), TestCaseError> {
    let mut owner: BTreeMap<&BlockId, &NodeId> = BTreeMap::new();
    for node in reg.structure.all_nodes.values() {
        let (start, end) = node.page_range();
        prop_assert!(start <= end);
        if let Some(parent) = &node.parent_id {
            let parent = reg.structure.node(parent.as_str()).expect("the parent is there");
            prop_assert!(parent.children_ids.contains(&node.node_id));
            let (first, last) = parent.page_range();
            prop_assert!(first <= start && end <= last, "{} in {}", node.heading(), parent.heading());
            prop_assert_eq!(parent.level + 1, node.level);
        } else {
            prop_assert!(reg.structure.root_node_ids.contains(&node.node_id));
            prop_assert_eq!(node.level, 1);
        }
        for block in &node.content_block_ids {
            prop_assert!(owner.insert(block, &node.node_id).is_none(), "{block} in two nodes");
        }
    }
    prop_assert_eq!(reg.structure.iter().count(), reg.structure.all_nodes.len());
    let mut seen_node = false;
    let mut ids = Vec::new();
    for (index, page) in reg.pages.iter().enumerate() {
        prop_assert_eq!(page.page_num.index(), index);
        for block in &page.content_blocks {
            ids.push(&block.block_id);
            prop_assert_eq!(owner.get(&block.block_id).copied(), block.chapter_node_id.as_ref());
            seen_node |= block.chapter_node_id.is_some();
            prop_assert!(!seen_node || block.chapter_node_id.is_some());
            if let Some(node) = &block.chapter_node_id {
                prop_assert!(page.active_chapters.contains(node));
                let (first, last) =
                    reg.structure.node(node.as_str()).expect("the node is there").page_range();
                prop_assert!(first <= page.page_num && page.page_num <= last);
            }
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    prop_assert_eq!(ids.len(), count);
    for table in reg.tables.tables.values() {
        prop_assert_eq!(table.row_pages.len() as u32, table.header_rows + table.row_count);
        prop_assert_eq!(
            table.segments.iter().map(|s| s.row_count).sum::<u32>(),
            table.header_rows + table.row_count
        );
        prop_assert!(table.row_pages.is_sorted());
        if table.row_pages.len() < 100 && table.col_count < 100 {
            let mut covered = BTreeSet::new();
            for cell in &table.cells {
                for row in cell.row..cell.row + cell.row_span {
                    for col in cell.col..cell.col + cell.col_span {
                        prop_assert!(covered.insert((row, col)), "two cells at {row},{col}");
                    }
                }
                prop_assert!(cell.row + cell.row_span <= table.row_pages.len() as u32);
                prop_assert!(cell.col + cell.col_span <= table.col_count);
            }
        }
    }
    Ok(())
}
