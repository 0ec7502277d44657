//! Seeded edits of the sample texts, each of whose effects is known, through the real reading pipeline.

use crate::support::judge::{Tally, expected, found};
use crate::support::markup::{Block, blocks, html};
use crate::support::mutate::{Draft, Edit, Random};
use crate::support::{read, samples};
use regreader_changes::{DiffOptions, EditionText, diff};

/// Documents in this test; `cargo xtask bench changes` runs a thousand edits.
const DOCUMENTS: u64 = 24;

fn sample(name: &str) -> Vec<Block> {
    blocks(&std::fs::read_to_string(samples().join("src").join(name)).unwrap())
}

#[test]
fn every_edit_is_found_once_and_nothing_else() {
    let (base, others) = (sample("angui_2024.txt"), sample("wengui_2024.txt"));
    let old = read(html(&base).as_bytes(), "a.html", "a");
    let mut tally = Tally::default();
    for seed in 0..DOCUMENTS {
        let mut random = Random(seed);
        let mut draft = Draft::new(&base, &others);
        draft.edit(Edit::ALL[seed as usize % Edit::ALL.len()], &mut random);
        draft.edit(Edit::ALL[random.below(Edit::ALL.len())], &mut random);
        let new = read(html(&draft.blocks).as_bytes(), "b.html", "b");
        let changes = diff(&EditionText::of(&old), &EditionText::of(&new), &DiffOptions::default());
        tally.add(seed, &expected(&base, &draft.blocks, &draft.truths), &found(&changes));
    }
    assert!(tally.shown.is_empty(), "{}", tally.shown.join("\n"));
}

#[test]
fn an_inserted_clause_is_one_addition_and_renumbering() {
    let (base, others) = (sample("angui_2024.txt"), sample("wengui_2024.txt"));
    let old = read(html(&base).as_bytes(), "a.html", "a");
    let mut draft = Draft::new(&base, &others);
    assert!(draft.edit(Edit::Inserted, &mut Random(7)));
    let new = read(html(&draft.blocks).as_bytes(), "b.html", "b");
    let changes = diff(&EditionText::of(&old), &EditionText::of(&new), &DiffOptions::default());
    let kinds: Vec<&str> = changes.counts.keys().map(String::as_str).collect();
    assert!(kinds.iter().all(|kind| ["added", "renumbered"].contains(kind)), "{:?}", changes.counts);
    assert_eq!(changes.counts["added"], 1);
}

#[test]
fn the_laws_hold_over_edits() {
    let (base, others) = (sample("wengui_2024.txt"), sample("angui_2024.txt"));
    let old = read(html(&base).as_bytes(), "a.html", "a");
    let mut draft = Draft::new(&base, &others);
    let mut random = Random(11);
    for edit in Edit::ALL {
        draft.edit(edit, &mut random);
    }
    let new = read(html(&draft.blocks).as_bytes(), "b.html", "b");
    let (a, b) = (EditionText::of(&old), EditionText::of(&new));
    assert!(diff(&a, &a, &DiffOptions::default()).changes.is_empty());
    let there = diff(&a, &b, &DiffOptions::default());
    let back = diff(&b, &a, &DiffOptions::default());
    let mut turned: Vec<_> = back
        .changes
        .iter()
        .map(|record| (record.kind.mirrored(), record.new.clone(), record.old.clone(), record.others.clone()))
        .collect();
    let mut straight: Vec<_> = there
        .changes
        .iter()
        .map(|record| (record.kind, record.old.clone(), record.new.clone(), record.others.clone()))
        .collect();
    let key = |record: &(_, _, _, Vec<_>)| format!("{record:?}");
    turned.sort_by_key(key);
    straight.sort_by_key(key);
    assert_eq!(straight, turned);
}

#[test]
fn references_that_follow_a_renumbering_are_no_change_of_the_text() {
    let clauses = |inserted: &str, first: u32, second: u32| {
        format!(
            "<h1>甲规</h1><h2>2 运行</h2><h3>2.1 限额</h3>\
             <p>2.1.1 甲线限额为 300 万千瓦，并按第2.1.{first}条执行。</p>{inserted}\
             <p>2.1.{first} 乙线检修期间，应退出安控装置的全部策略。</p>\
             <p>2.1.{second} 丙线跳闸后，应立即汇报国调值班调度员。</p>"
        )
    };
    let old = read(clauses("", 2, 3).as_bytes(), "a.html", "a");
    let inserted = "<p>2.1.2 丁线投运前，应完成全部保护装置的传动试验。</p>";
    let new = read(clauses(inserted, 3, 4).as_bytes(), "b.html", "b");
    let changes = diff(&EditionText::of(&old), &EditionText::of(&new), &DiffOptions::default());
    assert!(
        !changes.counts.contains_key("text") && !changes.counts.contains_key("limit"),
        "{:?}",
        changes.counts
    );
    assert_eq!(changes.counts["added"], 1, "{:?}", changes.counts);
    // The same words with a reference that leads to another clause are another rule.
    let elsewhere = clauses("", 2, 3).replace("并按第2.1.2条执行", "并按第2.1.3条执行");
    let elsewhere = read(elsewhere.as_bytes(), "c.html", "c");
    let changes = diff(&EditionText::of(&old), &EditionText::of(&elsewhere), &DiffOptions::default());
    assert_eq!(changes.counts.get("text"), Some(&1), "{:?}", changes.counts);
}

#[test]
fn references_in_notes_and_cells_that_follow_a_renumbering_are_no_change_of_the_text() {
    let document = |inserted: &str, [first, second]: [u32; 2], cited: u32, note: u32| {
        let inserted_note = if note > 1 { "<p>注1：本表数值不含裕度。</p>" } else { "" };
        format!(
            "<h1>甲规</h1><h2>2 运行</h2><h3>2.1 限额</h3>\
             <p>2.1.1 甲线限额见表2-1。</p>{inserted}\
             <p>2.1.{first} 乙线检修期间，应退出安控装置的全部策略。</p>\
             <p>2.1.{second} 丙线跳闸后，应立即汇报国调值班调度员。</p>\
             <p>表2-1 甲线限额</p>\
             <table><tr><th>方式</th><th>限额（万千瓦）</th><th>要求</th></tr>\
             <tr><td>正常方式</td><td>300</td><td>按第2.1.{cited}条执行，见注{note}</td></tr>\
             <tr><td>检修方式</td><td>200</td><td>无</td></tr></table>\
             {inserted_note}<p>注{note}：丙线停运时按第2.1.{second}条汇报后方可调整限额。</p>"
        )
    };
    let read = |text: String, id: &str| read(text.as_bytes(), &format!("{id}.html"), id);
    let old = read(document("", [2, 3], 2, 1), "a");
    let inserted = "<p>2.1.2 丁线投运前，应完成全部保护装置的传动试验。</p>";
    let counts = |new: &regreader_model::Regulation| {
        diff(&EditionText::of(&old), &EditionText::of(new), &DiffOptions::default()).counts
    };
    let followed = counts(&read(document(inserted, [3, 4], 3, 1), "b"));
    assert_eq!(
        (followed.get("text"), followed.get("limit"), followed.get("note")),
        (None, None, None),
        "{followed:?}"
    );
    assert_eq!((followed.get("added"), followed.get("format")), (Some(&1), Some(&2)), "{followed:?}");
    // A note before it renumbers the note, and the cell that names it follows.
    let noted = counts(&read(document("", [2, 3], 2, 2), "c"));
    assert_eq!(
        (noted.get("text"), noted.get("note"), noted.get("renumbered")),
        (None, Some(&1), Some(&1)),
        "{noted:?}"
    );
    // The same cell with a reference that leads elsewhere is another rule.
    let elsewhere = counts(&read(document("", [2, 3], 3, 1), "d"));
    assert_eq!(elsewhere.get("text"), Some(&1), "{elsewhere:?}");
}
