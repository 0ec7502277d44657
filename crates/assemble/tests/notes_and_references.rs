//! Notes bound to what they speak of, and references that lead to places that exist.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::support;

use crate::support::{Doc, doc_page, node, page, tables};
use regreader_model::{AnnotationKind, AnnotationScope, BlockType, ReferenceKind, Regulation, Resolution};

fn note<'a>(reg: &'a Regulation, label: &str) -> Vec<&'a regreader_model::Annotation> {
    reg.pages.iter().flat_map(|page| &page.annotations).filter(|note| note.annotation_id == label).collect()
}

/// Words and outcome of each reference: page and what it leads to, or the candidates.
fn outcomes(reg: &Regulation) -> Vec<String> {
    reg.references
        .references
        .iter()
        .map(|reference| match &reference.resolution {
            Resolution::Resolved { location } => {
                let what = location
                    .annotation_id
                    .clone()
                    .map(|id| {
                        format!("{id}@{}", location.table_id.as_ref().map_or("", |table| table.as_str()))
                    })
                    .or_else(|| location.table_id.as_ref().map(ToString::to_string))
                    .or_else(|| location.node_id.as_ref().map(ToString::to_string))
                    .unwrap_or_default();
                format!("{} → P{} {what}", reference.text, location.page_num)
            }
            Resolution::External => {
                format!("{} → {}", reference.text, reference.target.regulation.clone().unwrap_or_default())
            }
            Resolution::Unresolved { candidates } => {
                format!("{} ? {}", reference.text, candidates.join("、"))
            }
        })
        .collect()
}

#[test]
fn the_same_note_under_two_tables_belongs_to_each() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("6 故障处理")
                .centered("表6-1 分级")
                .table(&["等级|时限", "Ⅰ级|立即（见注1）"])
                .line("注1：Ⅰ级异常应同时启动事故预案。")
                .centered("表6-2 处置")
                .table(&["电压|要求", "110 千伏|可充电一次（见注 1）", "220 千伏|冷倒后充电（见注②）"])
                .line("注1：充电前应投入充电保护。")
                .line("注②：冷倒指先拉后合。")
                .para("上述要求见表6-2及注1。")
        })
        .assemble();
    let notes = note(&reg, "注1");
    assert_eq!(notes.len(), 2);
    let scope = |at: usize| match &notes[at].scope {
        AnnotationScope::Table { table_id } => table_id.as_str(),
        other => panic!("{other:?}"),
    };
    assert_eq!((scope(0), scope(1)), ("t0001", "t0002"));
    assert_eq!(notes[1].content, "充电前应投入充电保护。");
    assert_eq!(tables(&reg)[1].notes, ["注1", "注2"]);
    assert_eq!(
        outcomes(&reg)[..3],
        ["见注1 → P1 注1@t0001", "见注 1 → P1 注1@t0002", "见注② → P1 注2@t0002"]
    );
    let cell = &reg.references.references[1];
    assert_eq!((cell.row, cell.col), (Some(1), Some(1)));
    assert_eq!(outcomes(&reg)[3], "见表6-2 → P1 t0002");
    // 注1 in running text could be either: not resolved on a guess.
    assert!(outcomes(&reg)[4].starts_with("注1 ? 注1（表6-1）"), "{:?}", outcomes(&reg));
}

#[test]
fn notes_on_the_next_page_still_belong_to_the_table_above() {
    let reg = Doc::new()
        .page(|p| p.heading("1 表").bottom().centered("表1 限额").table(&["台数|限额", "1|100"]))
        .page(|p| {
            p.line("注1：不含调相机。")
                .line("注2：降压时按 0.8 倍。")
                .para("正文继续。")
                .line("注：本条适用于全压。")
        })
        .assemble();
    assert_eq!(tables(&reg)[0].notes, ["注1", "注2"]);
    assert_eq!(doc_page(&reg, 2).annotations.len(), 3);
    let last = &doc_page(&reg, 2).annotations[2];
    assert_eq!(last.scope, AnnotationScope::Section { node_id: node(&reg, "1").node_id.clone() });
}

#[test]
fn a_note_takes_in_its_lines_its_items_and_its_list() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("2 术语")
                .item("注1：通过两个特性表征：")
                .put_item("a）能承受住扰动引起的暂态过程；")
                .put_item("b）约束条件得到满足。")
                .item("注2：另见安全分析。")
                .heading("3 表")
                .centered("表3 限额")
                .table(&["台数|限额", "1|100"])
                .line("注：1. 不含调相机。")
                .line("2. 降压时按 0.8 倍。")
                .heading("4 附则")
        })
        .assemble();
    assert_eq!(
        note(&reg, "注1")[0].content,
        "通过两个特性表征：\na）能承受住扰动引起的暂态过程；\nb）约束条件得到满足。"
    );
    assert_eq!(note(&reg, "注1")[1].content, "不含调相机。");
    assert_eq!(note(&reg, "注2")[1].content, "降压时按 0.8 倍。");
    assert_eq!(tables(&reg)[0].notes, ["注1", "注2"]);
    assert_eq!(support::numbers(&reg), ["2", "3", "4"]);
    let kinds =
        doc_page(&reg, 1).content_blocks.iter().filter(|block| block.block_type == BlockType::Note).count();
    assert_eq!(kinds, 6);
}

#[test]
fn a_note_printed_as_the_last_row_is_a_note_and_stays_a_row() {
    let reg = Doc::new()
        .page(|p| p.centered("表1 限额").table(&["台数|限额", "1|100（见注1）", "注1：不含调相机。|<"]))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!(table.row_count, 2);
    assert_eq!(table.notes, ["注1"]);
    assert_eq!(outcomes(&reg), ["见注1 → P1 注1@t0001"]);
    assert!(doc_page(&reg, 1).content_markdown.contains("| 注1：不含调相机。 | |"));
}

#[test]
fn plans_are_defined_once_and_meant_elsewhere() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("3 方式")
                .clause("3.1 方式识别采用两种方案：")
                .item("方案甲：装置自动识别，压板作后备；")
                .item("方案乙：由压板人工指定。")
                .clause("3.2 直调装置一律采用方案甲。")
                .clause("3.3 方案丙为电压优先，特高压站采用方案丙。")
        })
        .assemble();
    let plan = note(&reg, "方案A")[0];
    assert_eq!((plan.kind, plan.content.as_str()), (AnnotationKind::Plan, "装置自动识别，压板作后备；"));
    assert_eq!(outcomes(&reg), ["方案甲 → P1 方案A@"]);
}

#[test]
fn references_of_every_form_lead_to_their_place() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("1 总则")
                .clause("1.1 见第六章，见表 2-1，见 1.2 条，见附录 A，按第1.2条执行。")
                .clause("1.2 执行《调度规程》第五条及《稳定导则》。")
                .clause("1.3 限额见 6.9.3 条，设备见表9-9，见附录 D。")
                .heading("2 装置")
                .centered("表2-1 配置")
                .table(&["厂站|装置", "锦屏|主站"])
        })
        .page(|p| {
            p.heading("6 处理").clause("6.1 一般原则。").clause("6.2 母线失压。").centered("附录A 命名")
        })
        .assemble();
    let id = |number: &str| node(&reg, number).node_id.to_string();
    let found = outcomes(&reg);
    assert_eq!(found[0], format!("见第六章 → P2 {}", id("6")));
    assert_eq!(found[1], "见表 2-1 → P1 t0001");
    assert_eq!(found[2], format!("见 1.2 条 → P1 {}", id("1.2")));
    assert_eq!(found[3], format!("见附录 A → P2 {}", id("附录A")));
    assert!(found[4].ends_with(&format!("→ P1 {}", id("1.2"))));
    assert_eq!(found[5..7], ["《调度规程》第五条 → 调度规程", "《稳定导则》 → 稳定导则"]);
    assert!(found[7].starts_with("见 6.9.3 条 ? 6 处理、6.2 母线失压"), "{}", found[7]);
    assert_eq!(found[8], "见表9-9 ? 表2-1");
    assert_eq!(found[9], "见附录 D ? 附录A 命名");
    let lost: Vec<&str> = reg.quality.unresolved_references.iter().map(|lost| lost.text.as_str()).collect();
    assert_eq!(lost, ["见 6.9.3 条", "见表9-9", "见附录 D"]);
    assert_eq!(reg.references.references[0].target.kind, ReferenceKind::Chapter);
}

#[test]
fn articles_counted_anew_are_meant_in_their_own_appendix() {
    let reg = Doc::new()
        .page(|p| {
            p.centered("附录A 值班办法")
                .para("第一条 制定本办法。")
                .para("第二条 按第一条执行。")
                .centered("附录B 考核办法")
                .para("第一条 考核电压。")
                .para("第二条 低于第一条目标值的，应当报告。")
        })
        .assemble();
    let places: Vec<&regreader_model::ChapterNode> = reg.structure.nodes_by_number("第1条").collect();
    let found = outcomes(&reg);
    assert!(found[0].ends_with(places[0].node_id.as_str()), "{found:?}");
    assert!(found[1].ends_with(places[1].node_id.as_str()), "{found:?}");
}

#[test]
fn a_short_name_given_to_another_regulation_is_not_taken_for_our_own_chapter() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("1 总则")
                .clause("1.1 执行《直调安全自动装置管理规定》（以下简称安规2024）。")
                .clause("1.2 母线失压按安规2024第二章处理，限额见第二章。")
                .heading("2 限额")
                .clause("2.1 一般规定。")
        })
        .assemble();
    let found = outcomes(&reg);
    assert_eq!(found[1], "安规2024第二章 → 直调安全自动装置管理规定");
    assert!(found[2].starts_with("见第二章 → P1"), "{found:?}");
}

#[test]
fn a_reference_broken_by_the_page_is_found_where_it_begins() {
    let reg = Doc::new()
        .page(|p| p.heading("1 总则").bottom().clause(&support::two_full_lines("1.1 ", "要求见表")))
        .page(|p| p.line("2-1 的规定。").centered("表2-1 配置").table(&["厂站|装置", "锦屏|主站"]))
        .assemble();
    let first = &reg.references.references[0];
    assert_eq!((first.text.as_str(), first.page_num), ("见表 2-1", page(1)));
    assert!(doc_page(&reg, 1).continues_to_next && doc_page(&reg, 2).continues_from_prev);
    assert!(matches!(&first.resolution, Resolution::Resolved { location } if location.page_num == page(2)));
}

/// Time grows with the document and not with notes times tables: ten times as many take about ten times as long, so this
/// ends at once where it took minutes.
#[test]
fn twenty_thousand_tables_with_a_note_each_are_bound_in_one_pass() {
    const PAIRS: usize = 20_000;
    let mut doc = Doc::new();
    for page in 0..PAIRS / 20 {
        doc = doc.page(|mut p| {
            for at in 0..20 {
                let number = page * 20 + at;
                p = p
                    .centered(&format!("表{number} 限额"))
                    .table(&["台数|限额", "1|100"])
                    .line("注：不含调相机。");
            }
            p
        });
    }
    let reg = doc.assemble();
    let bound =
        reg.pages.iter().flat_map(|page| &page.annotations).filter(|note| !note.related_blocks.is_empty());
    assert!(bound.count() > PAIRS / 2);
}

#[test]
fn notes_in_a_narrow_measure_keep_all_their_lines() {
    let reg = Doc::new()
        .page(|p| {
            p.centered("Table 9.3 Emissions")
                .table(&["Level|Limit", "EL-1|1050", "EL-2|440"])
                .line("Notes to Table 9.3.:")
                .line("(1) Back-up equipment listed in")
                .line("Sentence 9.36.5.4.(1). is permitted to be excluded, provided it is")
                .line("not required.")
                .line("(2)Compliance is shown by meeting both.")
        })
        .assemble();
    let notes: Vec<(&str, &str)> = reg.pages[0]
        .annotations
        .iter()
        .map(|note| (note.annotation_id.as_str(), note.content.as_str()))
        .collect();
    assert_eq!(
        notes,
        [
            (
                "注1",
                "Back-up equipment listed in Sentence 9.36.5.4.(1). is permitted to be excluded, provided it is not required."
            ),
            ("注2", "Compliance is shown by meeting both."),
        ]
    );
    let scopes = reg.pages[0].annotations.iter();
    assert!(
        scopes.into_iter().all(|note| matches!(note.scope, regreader_model::AnnotationScope::Table { .. }))
    );
}

#[test]
fn notes_below_a_table_are_bound_by_the_marks_that_its_cells_carry() {
    let reg = Doc::new()
        .page(|p| {
            p.centered("Table 10.1 Settings")
                .table(&["Function|LV Protection(1)|Delay", "U/V|184 V†|2.5 s*", "O/V|262 V|1.0 s"])
                .line("(1) Settings follow the voltage that the protection measures, for example:")
                .line("From a source of low voltage the first column applies.")
                .line("† A value of 230 V is used in all cases.")
                .line("* May have to be reduced where lines are reclosed.")
                .line("(2) Another item of the clause, not of the table.")
        })
        .assemble();
    let notes: Vec<(&str, &str)> = reg.pages[0]
        .annotations
        .iter()
        .map(|note| (note.annotation_id.as_str(), note.content.as_str()))
        .collect();
    assert_eq!(
        notes,
        [
            (
                "注1",
                "Settings follow the voltage that the protection measures, for example: From a source of low voltage the first column applies."
            ),
            ("注†", "A value of 230 V is used in all cases."),
            ("注*", "May have to be reduced where lines are reclosed."),
        ]
    );
    assert_eq!(tables(&reg)[0].notes, ["注1", "注†", "注*"]);
}

#[test]
fn a_part_of_the_document_is_found_by_its_name() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("PART 1: GENERAL CONDITIONS").line("1.1 Data are listed in Part 2: Network Code.")
        })
        .page(|p| p.heading("PART 2: NETWORK CODE").line("2.1 The network is planned."))
        .assemble();
    let [reference] = &reg.references.references[..] else { panic!("one reference") };
    let Resolution::Resolved { location } = &reference.resolution else { panic!("{reference:?}") };
    assert_eq!((reference.text.as_str(), location.page_num.get()), ("Part 2", 2));
}

#[test]
fn guidance_on_a_requirement_is_not_the_requirement() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("A. Requirements")
                .line("R1. Each owner shall plan outages.")
                .line("R2. Each owner shall keep records.")
        })
        .page(|p| {
            p.heading("B. Guidelines")
                .heading("Requirement R1")
                .para("The plan that Requirement R1 calls for is made yearly.")
                .heading("Requirement R2")
                .para("Records are kept for three years.")
        })
        .assemble();
    let twice = reg.structure.iter().filter(|node| node.section_number.as_str() == "R1").count();
    assert_eq!(twice, 2, "both have their place in the tree");
    let pages: Vec<Option<u32>> = reg
        .references
        .references
        .iter()
        .filter(|reference| reference.text.ends_with("R1"))
        .map(|reference| match &reference.resolution {
            Resolution::Resolved { location } => Some(location.page_num.get()),
            _ => None,
        })
        .collect();
    assert!(!pages.is_empty() && pages.iter().all(|page| *page == Some(1)), "{pages:?}");
}
