//! `cargo xtask bench changes`: a thousand seeded edits of the sample texts, judged; and what a large comparison costs.
//!
//! Arguments: number of edits (1000), first seed (0); a folder with `cip-003-8.pdf` and `cip-003-9.pdf` to judge the labelled
//! clause pairs too. Prints recall, precision and F1 per class, and each miss.

#![allow(clippy::unwrap_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use regreader_changes::{DiffOptions, EditionText, diff};
use regreader_model::{PageDocument, PageNumber, Regulation};
use support::judge::{Tally, expected, found};
use support::markup::{Block, blocks, html};
use support::mutate::{Draft, Edit, Random};
use support::{read, samples};

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let wanted = arguments.next().unwrap_or(1000);
    let first = arguments.next().unwrap_or(0);
    let sample = |name: &str| -> Vec<Block> {
        blocks(&std::fs::read_to_string(samples().join("src").join(name)).unwrap())
    };
    let pair = [sample("angui_2024.txt"), sample("wengui_2024.txt")];
    let read_base = |blocks: &Vec<Block>| read(html(blocks).as_bytes(), "a.html", "a");
    let bases = [read_base(&pair[0]), read_base(&pair[1])];
    let mut tally = Tally::default();
    let (mut edits, mut seed, mut inserted, mut clean) = (0, first, 0, 0);
    while edits < wanted {
        let mut random = Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let which = random.below(2);
        let mut draft = Draft::new(&pair[which], &pair[1 - which]);
        let count = 1 + random.below(4);
        for _ in 0..count {
            let edit = Edit::ALL[random.below(Edit::ALL.len())];
            edits += u64::from(draft.edit(edit, &mut random));
        }
        let new = read(html(&draft.blocks).as_bytes(), "b.html", "b");
        let changes = diff(&EditionText::of(&bases[which]), &EditionText::of(&new), &DiffOptions::default());
        let (wanted, got) = (expected(&pair[which], &draft.blocks, &draft.truths), found(&changes));
        if let [support::mutate::Truth::Inserted { .. }] = draft.truths.as_slice() {
            inserted += 1;
            clean += u64::from(wanted == got);
        }
        tally.add(seed, &wanted, &got);
        seed += 1;
    }
    for line in tally.shown.iter().take(200) {
        println!("{line}");
    }
    println!("{edits} edits in {} documents, seeds {first}..{seed}", seed - first);
    for (class, [hits, missing, extra]) in &tally.classes {
        println!(
            "{class:<11} {hits:>5} found {missing:>3} missing {extra:>3} extra   recall {:.4} precision {:.4} F1 {:.4}",
            tally.recall(class),
            tally.precision(class),
            tally.f1(class)
        );
    }
    println!(
        "documents with one inserted clause: {inserted}, told as 1 added and the rest renumbered: {clean}"
    );
    speed();
    match std::env::args().skip(1).find(|argument| std::path::Path::new(argument).is_dir()) {
        Some(folder) => labelled(std::path::Path::new(&folder)),
        None => println!("skipped: labelled pairs, no folder of documents was given"),
    }
}

/// Clause pairs of two real editions, labelled by hand. A clause that no record names is taken for the one of its number.
fn labelled(folder: &std::path::Path) {
    let document =
        |name: &str| read(&std::fs::read(folder.join(name)).unwrap(), name, &name.replace(".pdf", ""));
    let (old, new) = (document("cip-003-8.pdf"), document("cip-003-9.pdf"));
    let start = Instant::now();
    let changes = diff(&EditionText::of(&old), &EditionText::of(&new), &DiffOptions::default());
    println!("cip-003-8 → cip-003-9: {:?} in {:.2} s", changes.counts, start.elapsed().as_secs_f64());
    let labels = std::path::Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("tests/labels/cip-003-8-9.csv");
    let text = std::fs::read_to_string(labels).unwrap();
    let is = |place: &Option<regreader_changes::Place>, clause: &str, page: u32| {
        let label = place.as_ref().and_then(|place| place.clause.as_deref()).unwrap_or_default();
        let table = place.as_ref().is_some_and(|place| place.table.is_some());
        !table
            && label.rsplit('/').next() == Some(clause)
            && place.as_ref().is_some_and(|place| place.page.abs_diff(page) <= 1)
    };
    let (mut right, mut wrong, mut missing, mut all) = (0, 0, 0, 0);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split(',').collect();
        let (old_page, new_page) = (cells[1].parse().unwrap(), cells[3].parse().unwrap());
        all += 1;
        let found = if cells[0] == "-" {
            let added = changes
                .changes
                .iter()
                .any(|record| record.old.is_none() && is(&record.new, cells[2], new_page));
            Some(added)
        } else {
            let record = changes.changes.iter().find(|record| is(&record.old, cells[0], old_page));
            match record {
                Some(record) if record.new.is_none() => None,
                Some(record) => Some(is(&record.new, cells[2], new_page)),
                None => Some(cells[0] == cells[2]),
            }
        };
        match found {
            Some(true) => right += 1,
            Some(false) => wrong += 1,
            None => missing += 1,
        }
        if found != Some(true) {
            println!("label {line}: {found:?}");
        }
    }
    let f1 = 2.0 * f64::from(right) / f64::from(2 * right + 2 * wrong + missing);
    println!("labelled pairs: {all}, right {right}, wrong {wrong}, missing {missing}, F1 {f1:.4}");
}

/// Ten copies of the two samples behind each other, as one regulation of more than 300 pages, against the same with edits.
fn speed() {
    let pdf = |name: &str| read(&std::fs::read(samples().join("pdf").join(name)).unwrap(), name, "a");
    let (old, new) = (pdf("angui_2023.pdf"), pdf("angui_2024.pdf"));
    let (old, new) = (repeated(&old, 11), repeated(&new, 11));
    let start = Instant::now();
    let changes = diff(&EditionText::of(&old), &EditionText::of(&new), &DiffOptions::default());
    println!(
        "two editions of {} and {} pages: {} changes in {:.2} s",
        old.pages.len(),
        new.pages.len(),
        changes.changes.len(),
        start.elapsed().as_secs_f64()
    );
}

/// The same regulation several times as chapters of one, each copy with words of its own so that no two clauses are equal.
fn repeated(regulation: &Regulation, times: usize) -> Regulation {
    let mut whole = regulation.clone();
    whole.pages.clear();
    whole.structure.all_nodes.clear();
    whole.structure.root_node_ids.clear();
    let mut tables = Vec::new();
    for copy in 0..times {
        let name = |id: &str| format!("c{copy}-{id}");
        for page in &regulation.pages {
            let mut page: PageDocument = page.clone();
            page.page_num = PageNumber::from_index(whole.pages.len());
            for block in &mut page.content_blocks {
                block.block_id = regreader_model::BlockId::new(name(block.block_id.as_str()));
                block.chapter_node_id =
                    block.chapter_node_id.as_ref().map(|id| regreader_model::NodeId::new(name(id.as_str())));
                if block.table_meta.is_none() {
                    block.content_markdown.push_str(&format!("（第{copy}分册）"));
                }
            }
            whole.pages.push(page);
        }
        for node in regulation.structure.iter() {
            let mut node = node.clone();
            let renamed = |id: &regreader_model::NodeId| regreader_model::NodeId::new(name(id.as_str()));
            node.parent_id = node.parent_id.as_ref().map(renamed);
            node.children_ids = node.children_ids.iter().map(renamed).collect();
            node.node_id = regreader_model::NodeId::new(name(node.node_id.as_str()));
            node.content_block_ids = node
                .content_block_ids
                .iter()
                .map(|block| regreader_model::BlockId::new(name(block.as_str())))
                .collect();
            if node.parent_id.is_none() {
                whole.structure.root_node_ids.push(node.node_id.clone());
            }
            whole.structure.all_nodes.insert(node.node_id.clone(), node);
        }
        for table in regulation.tables.tables.values() {
            let mut table = table.clone();
            table.table_id = regreader_model::TableId::new(name(table.table_id.as_str()));
            table.caption = table.caption.map(|caption| format!("{caption}（第{copy}分册）"));
            table.chapter_node_id =
                table.chapter_node_id.as_ref().map(|id| regreader_model::NodeId::new(name(id.as_str())));
            tables.push(table);
        }
    }
    whole.tables = regreader_model::TableRegistry::new(whole.info.reg_id.clone(), tables);
    whole.info.total_pages = whole.pages.len() as u32;
    whole
}
