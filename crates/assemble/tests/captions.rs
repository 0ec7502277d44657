//! Which caption belongs to which table, whose notes are whose, and rows that the page border cuts.

use crate::support::{Doc, Page, row_pages, rows, tables};
use regreader_model::{AnnotationScope, DiagnosticCode, Regulation, TextRole};

fn numbers(reg: &Regulation) -> Vec<Option<&str>> {
    tables(reg).into_iter().map(|table| table.number.as_deref()).collect()
}

fn caption(p: Page, number: &str, title: &str) -> Page {
    p.declared(TextRole::Body, number)
        .declared(TextRole::Body, title)
        .declared(TextRole::Body, "Forming Part of Article 3.4.2.1.")
}

#[test]
fn captions_of_three_paragraphs_belong_to_the_table_below_them_with_their_suffix() {
    let reg = Doc::new()
        .page(|p| {
            let p = caption(p, "Table 3.4.1.1.", "Widths").table(&["Use|Width, m", "A|1.1"]);
            let p = caption(p, "Table 3.4.2.1.-A", "Not Sprinklered").table(&["Use|Area, m2", "A|150"]);
            let p = caption(p, "Table 3.4.2.1.-B", "Sprinklered").table(&["Use|Area, m2", "A|200"]);
            caption(p, "Table  A-3.2.6.6.(1)-A", "Vents").table(&["Area|Size", "100|0.1"])
        })
        .assemble();
    assert_eq!(
        numbers(&reg),
        [Some("3.4.1.1"), Some("3.4.2.1-A"), Some("3.4.2.1-B"), Some("A-3.2.6.6(1)-A")]
    );
    let second = tables(&reg)[2];
    assert_eq!(
        second.caption.as_deref(),
        Some("Table 3.4.2.1.-B Sprinklered Forming Part of Article 3.4.2.1.")
    );
    assert_eq!(rows(second), ["A|200"]);
}

#[test]
fn the_habit_of_the_document_decides_and_nothing_is_bound_against_it() {
    let above = |p: Page, n: u32| {
        p.centered(&format!("表{n} 限额")).table(&["台数|限额", "1|100"]).para("以上为限额。")
    };
    let reg = Doc::new()
        .page(|p| {
            let p = (1..5).fold(p, above);
            // The table of 表6 could not be read: its caption is not given to the table before it.
            p.table(&["甲|乙", "1|2"]).centered("表6 另一限额").para("表中数值见附件。")
        })
        .assemble();
    assert_eq!(numbers(&reg), [Some("1"), Some("2"), Some("3"), Some("4"), None]);
    assert!(reg.quality.diagnostics.iter().any(|d| d.code == DiagnosticCode::CaptionUnbound));

    let below = |p: Page, n: u32| {
        p.table(&["台数|限额", "1|100"]).centered(&format!("表{n} 限额")).para("以上为限额。")
    };
    let reg = Doc::new()
        .page(|p| {
            (1..5).fold(p, below).table(&["甲|乙", "1|2"]).centered("表5 末表").table(&["丙|丁", "3|4"])
        })
        .assemble();
    assert_eq!(numbers(&reg), [Some("1"), Some("2"), Some("3"), Some("4"), Some("5"), None]);
}

#[test]
fn a_caption_at_the_border_of_its_section_is_bound_against_the_habit() {
    let above = |p: Page, n: u32| {
        p.centered(&format!("表{n} 限额")).table(&["台数|限额", "1|100"]).para("以上为限额。")
    };
    let annex = |after: &'static str| {
        Doc::new()
            .page(|p| (1..5).fold(p.heading("1 限额"), above))
            .page(|p| p.heading("附录A 允许值").heading("A.1 长期值").para("各线路的允许值如下。"))
            .page(move |p| {
                let p = p.table(&["线路|允许值", "甲线|4800"]).centered("表A-1 允许值");
                p.line(after).para("每高于基准五摄氏度，允许值降低。")
            })
            .assemble()
    };
    // The next section begins: 表A-1 has no other table.
    let reg = annex("A.2 温度修正");
    assert_eq!(numbers(&reg), [Some("1"), Some("2"), Some("3"), Some("4"), Some("A-1")]);
    assert_eq!(tables(&reg)[4].caption.as_deref(), Some("表A-1 允许值"));
    // Rows of a table that was not seen, numbered or not, begin no section.
    for row in ["7 乙线", "3.5 乙线", "乙线 3150"] {
        assert_eq!(numbers(&annex(row))[4], None, "{row}");
    }

    let below = |p: Page, n: u32| {
        p.table(&["台数|限额", "1|100"]).centered(&format!("表{n} 限额")).para("以上为限额。")
    };
    let reg = Doc::new()
        .page(|p| (1..5).fold(p.heading("1 限额"), below))
        .page(|p| {
            p.heading("2 温度").centered("表5 修正").table(&["温度|系数", "40|0.96"]).para("以上为修正。")
        })
        .assemble();
    assert_eq!(numbers(&reg), [Some("1"), Some("2"), Some("3"), Some("4"), Some("5")]);
}

#[test]
fn a_space_behind_the_letter_of_an_annex_is_no_end_of_the_number() {
    let reg = Doc::new().page(|p| p.centered("表 A. 1.1 楼面荷载").table(&["类别|荷载", "1|2.0"])).assemble();
    assert_eq!(numbers(&reg), [Some("A.1.1")]);
}

#[test]
fn notes_under_their_heading_belong_to_the_table_that_is_named() {
    let reg = Doc::new()
        .page(|p| {
            let p = caption(p, "Table 3.1.", "First").table(&["Use|Rating(1)", "A|1 h(2)"]);
            p.declared(TextRole::Body, "Notes to Table 3.1.:")
                .declared(TextRole::Body, "(1) See Article 3.3.")
                .declared(TextRole::Body, "(2) Except garages.")
                .declared(TextRole::Body, "The text goes on.")
                .declared(TextRole::Body, "(1) An item of a list.")
        })
        .assemble();
    let notes: Vec<(&str, &str)> = reg.pages[0]
        .annotations
        .iter()
        .filter(|note| matches!(note.scope, AnnotationScope::Table { .. }))
        .map(|note| (note.annotation_id.as_str(), note.content.as_str()))
        .collect();
    assert_eq!(notes, [("注1", "See Article 3.3."), ("注2", "Except garages.")]);
    assert_eq!(tables(&reg)[0].notes, ["注1", "注2"]);
}

#[test]
fn a_note_row_with_several_notes_is_several_notes_of_its_table() {
    let reg = Doc::new()
        .page(|p| {
            p.centered("表3-1 限额").table(&[
                "台数|限额|备注",
                "1|100|见注3",
                "注1：全压运行。注2：降压乘0.8；注3：不含调相机。|<|<",
            ])
        })
        .page(|p| p.para("另一章。").line("注3：另一章的注。"))
        .assemble();
    assert_eq!(tables(&reg)[0].notes, ["注1", "注2", "注3"]);
    let note = reg.pages[0].annotations.iter().find(|note| note.annotation_id == "注3").unwrap();
    assert_eq!(note.content, "不含调相机。");
}

#[test]
fn a_row_cut_by_the_page_is_one_row() {
    let reg = Doc::new()
        .page(|p| {
            p.bottom().centered("Table R2 – Patching").table(&[
                "Part|Requirements|Measures",
                "2.1|A process for tracking patches.|Evidence may include lists.",
                "2.2|At least once every 35 calendar days, evaluate the patches for|Evidence may include an evaluation.",
            ])
        })
        .page(|p| {
            p.table(&[
                "Part|Requirements|Measures",
                "|applicability that have been released.|Or a log.",
                "2.3|For applicable patches, act.|Evidence may include a plan.",
            ])
        })
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!(table.row_count, 3);
    assert_eq!(
        rows(table)[1],
        "2.2|At least once every 35 calendar days, evaluate the patches for applicability that have been \
         released.|Evidence may include an evaluation.\nOr a log."
    );
    assert_eq!(row_pages(table), [1, 1, 2]);
}

#[test]
fn a_row_of_numbers_ends_the_header_and_a_tall_first_cell_does_not_prolong_it() {
    let reg = Doc::new()
        .page(|p| {
            p.centered("表1 限额")
                .table(&["断面|限额", "甲断面|100", "^|200", "乙断面|300"])
                .centered("表2 两级")
                .table(&["电压|限额|<", "^|夏季|冬季", "220|100|120", "500|200|240"])
        })
        .assemble();
    let heads: Vec<u32> = tables(&reg).into_iter().map(|table| table.header_rows).collect();
    assert_eq!(heads, [1, 2]);
    let heads = |table: &[&str]| {
        let reg = Doc::new().page(|p| p.centered("表1 限额").table(table)).assemble();
        tables(&reg)[0].header_rows
    };
    // A divided head over two columns of labels, with values beside them: the second row is data.
    assert_eq!(heads(&["类别|<|标准值|系数", "单向板|小型客车|4.0|0.7", "^|消防车|35.0|0.7"]), 1);
    // Two titles over the same columns, then their numbers.
    assert_eq!(
        heads(&["面|开口面积|<|<", "最大面积|限距|<|<", "^|0|1.2|1.5", "10|0|16|24", "15|0|16|20"]),
        3
    );
    // A band beside a tall first cell heads the columns above it.
    assert_eq!(
        heads(&[
            "宽度|一侧|两侧",
            "^|扶手要求|<",
            "窄的走道|连续扶手|一侧扶手",
            "宽的走道|中线扶手|中线扶手"
        ]),
        2
    );
}

#[test]
fn lines_in_a_hole_of_the_grid_are_the_cell_that_is_missing() {
    let mut raw = Doc::new()
        .page(|p| {
            p.centered("表1 程序").table(&["项目|要求", "整定|目的", "^|步骤"]).at(320.0, 150.0, "第一步").at(
                320.0,
                154.0,
                "第二步",
            )
        })
        .raw();
    for element in &mut raw.pages[0].elements {
        if let regreader_model::RawElement::Table(table) = element {
            table.cells.retain(|cell| cell.content != "步骤");
            let top = table.bbox.unwrap().y0;
            assert!(top + 36.0 < 150.0 && 166.0 < top + 54.0 + 14.0, "the lines stand in the third row");
            table.bbox =
                table.bbox.map(|rect| regreader_model::Rect::new(rect.x0, rect.y0, rect.x1, rect.y1 + 14.0));
        }
    }
    let options = regreader_assemble::AssembleOptions::new("test_reg".parse().unwrap(), "规程.pdf");
    let reg = regreader_assemble::assemble(raw, Vec::new(), &options);
    assert_eq!(rows(tables(&reg)[0]), ["整定|目的", "整定|第一步第二步"]);
}

#[test]
fn a_header_of_two_rows_at_the_foot_of_a_page_is_the_header() {
    let reg = Doc::new()
        .page(|p| p.bottom().centered("表1 面积").table(&["层数|面积|<", "^|临一街|临两街"]))
        .page(|p| p.table(&["1|不限|不限", "2|7200|不限", "3|4800|6000"]))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!((table.header_rows, table.row_count), (2, 3));
}

#[test]
fn a_caption_cut_by_the_page_is_still_the_tables_own() {
    let reg = Doc::new()
        .page(|p| {
            p.declared(TextRole::Body, "Text before the table.").declared(TextRole::Body, "Table 3.2.2.80.")
        })
        .page(|p| {
            p.declared(TextRole::Body, "Maximum Building Area")
                .declared(TextRole::Body, "Forming Part of Sentence 3.2.2.80.(1)")
                .table(&["Storeys|Area", "1|9 000"])
        })
        .assemble();
    assert_eq!(numbers(&reg), [Some("3.2.2.80")]);
}

#[test]
fn a_sentence_about_a_table_is_no_caption() {
    let reg = Doc::new()
        .page(|p| {
            p.line("17. Table 1.3.1.2. is amended by striking out the row")
                .line("Table 9.37.1.3. is amended by substituting the following")
                .table(&["Level|Value", "1|6"])
        })
        .assemble();
    assert_eq!(numbers(&reg), [None]);
}
