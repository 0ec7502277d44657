//! What passes and what does not, on pages written for it.

use proptest::prelude::*;
use regreader_model::{LogicalTable, PageDocument, TableRegistry};
use serde_json::{Value, json};

use crate::{Level, Passages, Source, prove};

/// A page of these blocks: type, clause, text; and a table per `tables`: number, caption, header row and data rows.
fn page(blocks: &[(&str, &str, &str)], tables: &[(&str, &str, &[&[&str]])]) -> Passages {
    let mut all: Vec<Value> = Vec::new();
    for (index, (kind, clause, text)) in blocks.iter().enumerate() {
        let clause = (!clause.is_empty()).then_some(*clause);
        all.push(json!({
            "block_id": format!("b{index}"), "block_type": kind, "section_number": clause, "content_markdown": text,
        }));
    }
    let mut registry: Vec<LogicalTable> = Vec::new();
    for (index, (number, caption, rows)) in tables.iter().enumerate() {
        let id = format!("t{index}");
        let cells: Vec<Value> = rows
            .iter()
            .enumerate()
            .flat_map(|(row, cells)| {
                cells
                    .iter()
                    .enumerate()
                    .map(move |(col, text)| json!({ "row": row, "col": col, "content": text }))
            })
            .collect();
        let table: LogicalTable = serde_json::from_value(json!({
            "table_id": id, "caption": caption, "number": number, "header_rows": 1, "col_headers": rows[0],
            "row_count": rows.len() - 1, "col_count": rows[0].len(), "cells": cells,
            "row_pages": vec![24; rows.len()],
            "segments": [{ "segment_id": id, "page_num": 24, "first_row": 0, "row_count": rows.len() }],
        }))
        .unwrap();
        registry.push(table);
        all.push(json!({
            "block_id": format!("tb{index}"), "block_type": "table", "content_markdown": "", "section_number": "6.2.4",
            "table_meta": { "table_id": id },
        }));
    }
    let page: PageDocument =
        serde_json::from_value(json!({ "reg_id": "angui_2024", "page_num": 24, "content_blocks": all }))
            .unwrap();
    let tables = TableRegistry::new(page.reg_id.clone(), registry);
    Passages::cut(&Source {
        names: &["安规2024", "angui_2024", "9999"],
        page: &page,
        previous: None,
        next: None,
        tables: &tables,
    })
}

fn busbar() -> Passages {
    page(
        &[
            (
                "section_content",
                "6.2.1",
                "6.2.1 110kV母线失压：变电站 110 千伏母线失压时，现场值班人员应先判明是否因电压互感器断线造成；确认失压后，按以下步骤处理：",
            ),
            ("list", "6.2.1", "1.立即汇报国调和所属调度，说明失压母线、跳闸开关和保护动作情况；"),
            ("list", "6.2.1", "2.拉开失压母线上的全部开关，防止反送电或非同期合闸；"),
            ("section_content", "6.2.2", "6.2.2 母差保护动作的，未查明原因前不得对失压母线试送。"),
            (
                "section_content",
                "6.2.3",
                "6.2.3 除事故处理外，单次过切量不应超过 60 万千瓦，并在 5 分钟内汇报。备用 2 套，编号 345。",
            ),
        ],
        &[
            (
                "6-2",
                "表6-2 母线故障处置",
                &[
                    &["故障类型", "处置时限", "汇报时限", "限额（万千瓦）"],
                    &["220 千伏双母线全停", "60 分钟", "5 分钟", "120"],
                    &["220 千伏单母线失压", "15 分钟", "3 分钟", "200"],
                    &["110 千伏母线失压", "30 分钟", "10 分钟", "80"],
                ],
            ),
            (
                "6-3",
                "表6-3 直流限额",
                &[
                    &[
                        "最小开机台数",
                        "风电出力（万千瓦）",
                        "策略投入 / 直流限额（万千瓦）",
                        "策略退出 / 直流限额（万千瓦）",
                    ],
                    &["3", "100", "360", "320"],
                    &["3", "200", "340", "300"],
                    &["4", "200", "380", "340"],
                ],
            ),
        ],
    )
}

fn level(statement: &str) -> Level {
    prove(statement, None, &busbar()).level
}

#[test]
fn sentences_items_and_light_rewordings_are_proven() {
    for statement in [
        "母差保护动作的，未查明原因前不得对失压母线试送。",
        "6.2.2 母差保护动作的，未查明原因前不得对失压母线试送",
        "2.拉开失压母线上的全部开关，防止反送电或非同期合闸",
        "立即汇报国调和所属调度，说明失压母线、跳闸开关和保护动作情况",
        "确认失压后，按以下步骤处理：拉开失压母线上的全部开关，防止反送电或非同期合闸",
    ] {
        assert_eq!(level(statement), Level::Verbatim, "{statement}");
    }
    for statement in [
        "根据安规2024第6.2.2条规定，母差保护动作的，未查明原因之前禁止对失压母线试送",
        "除事故处理外，单次过切量不得大于６０万千瓦，并在五分钟内汇报",
        "除事故处理外，单次过切量不应超过600MW，且在5min内汇报。",
    ] {
        assert_eq!(level(statement), Level::SamePassage, "{statement}");
    }
}

#[test]
fn a_forbidden_excess_is_a_required_bound_and_units_that_are_not_known_are_still_units() {
    let page = page(
        &[
            ("text", "4.6", "4.6.2 基本风压应根据基本风速值计算，且其取值不得低于0.30kN/m²。"),
            ("text", "4.7", "4.7 母线变比差不宜大于4倍，切除时间不宜大于2s。"),
            ("text", "4.8", "4.8 当短路电流大于额定值时，切除故障的时间不应大于 2s。"),
            ("text", "4.9", "The relay current shall not exceed 5 A."),
        ],
        &[],
    );
    let at = |statement: &str| prove(statement, None, &page).level;
    for statement in [
        "基本风压应根据基本风速值计算，且其取值应不低于 0.3 kN/m²",
        "母线变比差宜不大于4倍，切除时间不宜大于2s",
        "切除故障的时间不应大于 2s，当短路电流大于额定值时",
        "The relay current must be no more than 5 A",
    ] {
        assert_ne!(at(statement), Level::Unproven, "{statement}");
    }
    for statement in [
        "基本风压应根据基本风速值计算，且其取值应不高于 0.3 kN/m²",
        "基本风压应根据基本风速值计算，且其取值应不低于 0.3 kN/m",
        "母线变比差应不大于4倍，切除时间不宜大于2s",
        "切除故障的时间不应大于 2s",
        "The relay current shall exceed 5 A",
    ] {
        assert_eq!(at(statement), Level::Unproven, "{statement}");
    }
}

#[test]
fn a_part_in_the_middle_cannot_be_left_out_from_under_what_follows_it() {
    let page = page(&[("text", "5.1", "5.1 甲线应取 1.0，乙线应取 2.0，且均应校核。")], &[]);
    let at = |statement: &str| prove(statement, None, &page).level;
    assert_ne!(at("甲线应取 1.0"), Level::Unproven);
    assert_ne!(at("甲线应取 1.0，乙线应取 2.0"), Level::Unproven);
    assert_eq!(at("甲线应取 1.0，且均应校核"), Level::Unproven);
}

#[test]
fn conditions_exceptions_and_polarity_cannot_be_lost() {
    for statement in [
        "母差保护动作的，可以对失压母线试送",
        "不得对失压母线试送",
        "未查明原因前不得对失压母线试送",
        "对失压母线试送",
        "单次过切量不应超过 60 万千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应低于 60 万千瓦，并在 5 分钟内汇报",
        "现场值班人员应先判明是否因电压互感器断线造成",
        "除事故处理外，母差保护动作的，未查明原因前不得对失压母线试送",
        "母差保护动作的，单次过切量不应超过 60 万千瓦",
        "“除事故处理外，单次过切量不应超过 60 万千瓦，未查明原因前不得对失压母线试送”",
    ] {
        assert_eq!(level(statement), Level::Unproven, "{statement}");
    }
}

#[test]
fn a_row_is_proven_by_its_own_row_and_column_in_any_order_of_words() {
    for statement in [
        "220 千伏双母线全停的处置时限为 60 分钟",
        "表6-2中，故障类型为220kV双母线全停时，处置时限为60分钟",
        "处置时限（220 千伏双母线全停）：60 分钟",
        "60分钟是220千伏双母线全停的处置时限",
        "220 千伏双母线全停的处置时限为 60 分钟、汇报时限为 5 分钟",
        "220 千伏双母线全停的限额为 120 万千瓦",
        "最小开机台数为 3 台、风电出力为 200 万千瓦、策略投入时，直流限额为 340 万千瓦",
        "最小开机台数 3，风电出力 200 万千瓦时，策略退出直流限额 300 万千瓦",
        "最小开机台数=3，风电出力（万千瓦）=200，策略退出 / 直流限额（万千瓦）=300",
        "表6-2 母线故障处置\n| 故障类型 | 处置时限 | 汇报时限 | 限额（万千瓦） |\n|---|---|---|---|\n| 220 千伏单母线失压 | 15 分钟 | 3 分钟 | 200 |",
    ] {
        assert_ne!(level(statement), Level::Unproven, "{statement}");
    }
}

#[test]
fn a_table_under_its_caption_is_quoted_with_the_slashes_of_its_header() {
    let quoted = |row: &str| {
        format!(
            "表6-3 直流限额\n| 最小开机台数 | 风电出力（万千瓦） | 策略投入 / 直流限额（万千瓦） | 策略退出 / 直流限额（万千瓦） |\n\
             |---|---|---|---|\n{row}"
        )
    };
    assert_ne!(level(&quoted("| 3 | 200 | 340 | 300 |")), Level::Unproven);
    assert_ne!(level(&quoted("| 3 | 100 | 360 | 320 |\n| 4 | 200 | 380 | 340 |")), Level::Unproven);
    for lie in ["| 3 | 200 | 300 | 340 |", "| 4 | 200 | 340 | 300 |", "| 3 | 200 | 340 | 340 |"] {
        assert_eq!(level(&quoted(lie)), Level::Unproven, "{lie}");
    }
    let turned = quoted("| 3 | 200 | 340 | 300 |").replace("策略投入 /", "策略退出 /");
    assert_eq!(level(&turned), Level::Unproven);
    let other = quoted("| 3 | 200 | 340 | 300 |").replace("表6-3 直流限额", "表6-2 母线故障处置");
    assert_eq!(level(&other), Level::Unproven);
}

#[test]
fn some_columns_of_a_table_are_quoted_row_by_row() {
    let quoted = |rows: &str| format!("| 故障类型 | 汇报时限 |\n|---|---|\n{rows}");
    let (one, two) = ("| 220 千伏单母线失压 | 3 分钟 |", "| 220 千伏双母线全停 | 5 分钟 |");
    assert_eq!(level(&quoted(&format!("{one}\n{two}"))), Level::SamePassage);
    let lies = [
        format!("{one}\n| 220 千伏双母线全停 | 3 分钟 |"),
        format!("{one}\n| 220 千伏双母线全停 | 60 分钟 |"),
        format!("{one}\n{two}\n| 500 千伏双母线全停 | 5 分钟 |"),
        format!("{one}\n| 5 分钟 | 220 千伏双母线全停 |"),
        format!("{one}\n{two}\n另需立即停机。"),
    ];
    for lie in lies {
        assert_eq!(level(&quoted(&lie)), Level::Unproven, "{lie}");
    }
}

#[test]
fn a_gap_that_is_said_may_leave_sentences_out_but_puts_nothing_under_another_lead() {
    let page = page(
        &[
            ("section_content", "6.1", "6.1 线路跳闸后，应按下列步骤处理："),
            ("list", "6.1", "1.立即汇报国调；"),
            ("list", "6.1", "2.检查保护动作情况；"),
            ("list", "6.1", "3.经许可后强送一次。"),
            ("text", "6.1", "强送不成功的，不得再次强送。"),
            ("text", "6.1", "下列情况不得强送："),
            ("list", "6.1", "1.电缆线路；"),
            ("list", "6.1", "2.有带电作业的线路。"),
            ("section_content", "6.2", "6.2 母线失压后，应立即汇报。"),
        ],
        &[],
    );
    let at = |statement: &str| prove(statement, None, &page).level;
    let same = Level::SamePassage;
    assert_eq!(at("线路跳闸后，应按下列步骤处理：\n1.立即汇报国调；\n…\n3.经许可后强送一次。"), same);
    assert_eq!(at("1.立即汇报国调；\n…\n强送不成功的，不得再次强送。"), same);
    assert_eq!(at("下列情况不得强送：\n…\n2.有带电作业的线路。"), same);
    for lie in [
        "下列情况不得强送：\n…\n1.立即汇报国调；",
        "线路跳闸后，应按下列步骤处理：\n…\n2.有带电作业的线路。",
        "线路跳闸后，应按下列步骤处理：\n…\n强送不成功的，不得再次强送。",
        "线路跳闸后，应按下列步骤处理：\n1.立即汇报国调；\n…\n2.有带电作业的线路。",
        "3.经许可后强送一次。\n…\n母线失压后，应立即汇报。",
        "强送不成功的，\n…\n不得强送：1.电缆线路",
        "1.立即汇报国调； … 强送不成功的，不得再次强送。",
        "经许可后强送一次。\n…\n立即汇报国调。",
    ] {
        assert_eq!(at(lie), Level::Unproven, "{lie}");
    }
}

#[test]
fn items_complete_a_line_that_ends_without_a_mark() {
    let page = page(
        &[
            ("heading", "3.2", "3.2 Detectors"),
            ("list", "3.2", "1) If an alarm system is installed, detectors shall be installed in"),
            ("list", "3.2", "a) each corridor, and"),
            ("list", "3.2", "b) machine rooms."),
            ("list", "3.2", "2) Alarms shall not be installed in"),
            ("list", "3.2", "a) sleeping rooms."),
            ("text", "3.2", "a.2) Main 1 and Main 2 systems shall be segregated."),
        ],
        &[],
    );
    let at = |statement: &str| prove(statement, None, &page).level;
    for truth in [
        "1) If an alarm system is installed, detectors shall be installed in\n…\nb) machine rooms.",
        "If an alarm system is installed, detectors shall be installed in b) machine rooms",
        "Alarms shall not be installed in a) sleeping rooms",
        "Main 1 and Main 2 systems shall be segregated",
    ] {
        assert_ne!(at(truth), Level::Unproven, "{truth}");
    }
    for lie in [
        "If an alarm system is installed, detectors shall be installed in a) sleeping rooms",
        "Alarms shall not be installed in\n…\nb) machine rooms.",
        "Alarms shall not be installed in b) machine rooms",
        "Main 1 systems shall be segregated",
    ] {
        assert_eq!(at(lie), Level::Unproven, "{lie}");
    }
}

#[test]
fn a_note_may_be_called_by_its_printed_label() {
    let page = page(&[("list", "3.2", "方案甲：装置自动识别方式，压板作后备；")], &[]);
    let at = |statement: &str| prove(statement, Some("方案A"), &page).level;
    assert_ne!(at("方案甲 → 装置自动识别方式，压板作后备"), Level::Unproven);
    assert_ne!(at("方案A：装置自动识别方式，压板作后备"), Level::Unproven);
    assert_eq!(at("方案乙 → 装置自动识别方式，压板作后备"), Level::Unproven);
}

#[test]
fn a_range_that_tells_rows_apart_needs_no_header_before_a_value_with_one() {
    let rows: &[&[&str]] = &[
        &["故障类型", "闭锁前功率（万千瓦）", "官地", "锦屏一级"],
        &["双极闭锁", "200～400", "120", "0"],
        &["双极闭锁", "400～600", "180", "60"],
        &["单极闭锁", "400～600", "60", "0"],
    ];
    let page = page(&[], &[("2-2", "表2-2 切机量表", rows)]);
    let level = |statement: &str| prove(statement, None, &page).level;
    assert_ne!(level("双极闭锁 400～600：官地 180"), Level::Unproven);
    for lie in [
        "双极闭锁 400～600：官地 120",
        "双极闭锁 200～400：官地 180",
        "单极闭锁 400～600：官地 180",
        "双极闭锁 400～600：锦屏一级 180",
        "双极闭锁 180：锦屏一级 0",
        "官地 400～600：双极闭锁 180",
    ] {
        assert_eq!(level(lie), Level::Unproven, "{lie}");
    }
}

#[test]
fn a_value_of_another_row_column_table_or_unit_is_not_proven() {
    for statement in [
        "220 千伏双母线全停的处置时限为 15 分钟",
        "220 千伏双母线全停的处置时限为 5 分钟",
        "220 千伏双母线全停的汇报时限为 60 分钟",
        "220 千伏双母线全停的处置时限为 5 分钟、汇报时限为 60 分钟",
        "220 千伏双母线全停的处置时限为 60 小时",
        "220 千伏双母线全停的限额为 120 千瓦",
        "220 千伏双母线全停的处置时限不超过 60 分钟",
        "表6-3中，220 千伏双母线全停的处置时限为 60 分钟",
        "处置时限为 60 分钟",
        "最小开机台数为 3 台、策略投入时，直流限额为 340 万千瓦",
        "最小开机台数为 3 台、风电出力为 200 万千瓦时，直流限额为 340 万千瓦",
        "最小开机台数为 3 台、风电出力为 200 万千瓦、策略投入时，直流限额为 300 万千瓦",
        "最小开机台数为 4 台、风电出力为 200 万千瓦、策略投入时，直流限额为 340 万千瓦",
    ] {
        assert_eq!(level(statement), Level::Unproven, "{statement}");
    }
}

#[test]
fn the_table_and_clause_that_are_cited_must_hold_the_passage() {
    let page = busbar();
    let at = |statement: &str, target: &str| prove(statement, Some(target), &page).level;
    assert_ne!(at("220 千伏双母线全停的处置时限为 60 分钟", "表6-2"), Level::Unproven);
    assert_eq!(at("220 千伏双母线全停的处置时限为 60 分钟", "表6-3"), Level::Unproven);
    assert_eq!(at("母差保护动作的，未查明原因前不得对失压母线试送", "6.2.2"), Level::Verbatim);
    assert_eq!(
        at("母差保护动作的，未查明原因前不得对失压母线试送", "6.2"),
        Level::Verbatim,
        "the chapter above holds it"
    );
    assert_eq!(at("母差保护动作的，未查明原因前不得对失压母线试送", "6.2.3"), Level::Unproven);
    assert_eq!(at("母差保护动作的，未查明原因前不得对失压母线试送", "表6-2"), Level::Unproven);
}

#[test]
fn a_section_may_be_cited_by_its_letter_or_roman_number() {
    let page = page(
        &[
            ("text", "E.", "The operator shall report within 2 hours."),
            ("text", "IV", "The owner shall keep records for 3 years."),
        ],
        &[],
    );
    let at = |statement: &str, target: &str| prove(statement, Some(target), &page).level;
    assert_eq!(at("The operator shall report within 2 hours.", "E."), Level::Verbatim);
    assert_eq!(at("The owner shall keep records for 3 years.", "IV"), Level::Verbatim);
    assert_eq!(at("The owner shall keep records for 3 years.", "E."), Level::Unproven);
    assert_eq!(at("The operator shall report within 2 hours.", "I"), Level::Unproven);
}

#[test]
fn a_clause_that_goes_on_overleaf_is_quoted_whole_from_the_page_where_it_begins() {
    let page = |number: u32, blocks: Value| -> PageDocument {
        let page = json!({ "reg_id": "a_1", "page_num": number, "continues_to_next": number == 1,
                           "continues_from_prev": number == 2, "content_blocks": blocks });
        serde_json::from_value(page).unwrap()
    };
    let block = |id: &str, kind: &str, clause: &str, text: &str| json!({ "block_id": id, "block_type": kind, "section_number": clause, "content_markdown": text });
    let first = page(
        1,
        json!([
            block("b1", "section_content", "6.2", "6.2 母线失压后，应按以下步骤处理："),
            block("b2", "list", "6.2", "1.立即汇报；")
        ]),
    );
    let second = page(
        2,
        json!([
            block("b3", "list", "6.2", "2.拉开全部开关。"),
            block("b4", "section_content", "6.3", "6.3 应在 5 分钟内汇报。")
        ]),
    );
    let tables = TableRegistry::empty(first.reg_id.clone());
    let cut = |page: &PageDocument, next: Option<&PageDocument>| {
        Passages::cut(&Source { names: &["甲"], page, previous: None, next, tables: &tables })
    };
    let on_first = cut(&first, Some(&second));
    let level = |statement: &str| prove(statement, None, &on_first).level;
    assert_eq!(level("母线失压后，应按以下步骤处理：\n1.立即汇报；\n2.拉开全部开关。"), Level::Verbatim);
    assert_eq!(level("2.拉开全部开关。"), Level::Unproven, "it begins on the next page");
    assert_eq!(level("6.3 应在 5 分钟内汇报。"), Level::Unproven);
    assert_eq!(prove("2.拉开全部开关。", None, &cut(&second, None)).level, Level::Verbatim);
}

#[test]
fn a_cell_that_the_caption_names_too_is_said_behind_its_header() {
    let rows: &[&[&str]] = &[
        &["起始字节", "字段", "数据长度"],
        &["0", "总包数", "WORD"],
        &["4", "多媒体数据", "BYTE[n]"],
        &["8", "校验码", "BYTE"],
    ];
    let page = page(&[], &[("5-59", "表5-59 多媒体数据上传消息体", rows)]);
    let at = |statement: &str| prove(statement, None, &page).level;
    assert_ne!(at("起始字节: 4\n字段: 多媒体数据\n数据长度: BYTE[n]"), Level::Unproven);
    assert_eq!(at("起始字节: 8\n字段: 多媒体数据\n数据长度: BYTE"), Level::Unproven);
    assert_eq!(at("起始字节: 0\n字段: 多媒体数据"), Level::Unproven);
}

#[test]
fn a_column_may_be_called_by_an_amount_and_a_cell_may_be_a_dash() {
    let rows: &[&[&str]] = &[
        &["线路", "25℃及以下", "30℃", "35℃"],
        &["甲线", "1690", "1605", "1485"],
        &["乙线", "900", "860", "—"],
        &["丙线", "900", "820", "—"],
    ];
    let page = page(&[], &[("3-5", "表3-5 线路长期允许电流（单位：A）", rows)]);
    let at = |statement: &str| prove(statement, None, &page).level;
    assert_ne!(at("线路: 甲线\n25℃及以下: 1690\n30℃: 1605\n35℃: 1485"), Level::Unproven);
    assert_ne!(at("甲线，30℃: 1605"), Level::Unproven);
    assert_eq!(at("甲线，35℃: 1605"), Level::Unproven);
    assert_eq!(at("甲线，40℃: 1485"), Level::Unproven);
    assert_ne!(at("线路: 乙线\n30℃: 860\n35℃: —"), Level::Unproven);
    assert_eq!(at("线路: 乙线\n35℃: 860"), Level::Unproven);
    assert_eq!(at("线路: 甲线\n35℃: —"), Level::Unproven);
    assert_eq!(at("线路: 乙线\n35℃: —\n30℃: 820"), Level::Unproven);
}

#[test]
fn a_column_may_be_called_by_a_mark_of_a_scale() {
    let rows: &[&[&str]] = &[
        &["投入组数", "5", "4", "3", "2"],
        &["允许负载率", "1.0", "0.95", "0.80", "0.60"],
        &["允许时间", "10", "8", "5", "3"],
    ];
    let page = page(&[], &[("5-3", "表5-3 冷却器投入组数与允许负载率", rows)]);
    let at = |statement: &str| prove(statement, None, &page).level;
    assert_ne!(at("允许负载率\n投入组数 3: 0.80"), Level::Unproven);
    assert_eq!(at("允许负载率\n投入组数 4: 0.80"), Level::Unproven);
    assert_eq!(at("允许时间\n投入组数 3: 0.80"), Level::Unproven);
    assert_eq!(at("允许负载率 0.80"), Level::Unproven);
    assert_eq!(at("投入组数 2: 0.80"), Level::Unproven);
}

#[test]
fn a_cell_that_is_text_may_be_called_by_its_column_only() {
    let rows: &[&[&str]] = &[
        &["Part", "Severity / Lower VSL", "Severity / Severe VSL"],
        &[
            "R5",
            "The entity completed the plan more than 120 calendar days after the verification of Part 2.",
            "The entity completed the plan more than 150 calendar days after the verification of Part 2.",
        ],
        &[
            "R6",
            "The entity did not keep the records of the plan for the whole period of three years.",
            "The entity did not keep any records of the plan at all in the period.",
        ],
    ];
    let page = page(&[], &[("2", "Table 2", rows)]);
    let at = |statement: &str| prove(statement, None, &page).level;
    let said = "The entity completed the plan more than 150 calendar days after the verification of Part 2.";
    assert_ne!(at(&format!("Severity / Severe VSL: {said}")), Level::Unproven);
    assert_ne!(at(&format!("R5, Severe VSL: {said}")), Level::Unproven);
    assert_eq!(at(&format!("R6: {said}")), Level::Unproven);
    assert_eq!(at(&format!("Severity / Lower VSL: {said}")), Level::Unproven);
}

#[test]
fn numbers_cannot_be_smuggled_past_the_check() {
    for statement in [
        "除事故处理外，单次过切量不应超过九十万千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应超过 𝟗𝟎 万千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应超过 60 亿千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应超过 -60 万千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应超过 6\u{200B}0 万千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应超过 60\u{AD} 万千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应超过 \u{202E}06 万千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应超过 60² 万千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应超过“6”0 万千瓦，并在 50 分钟内汇报",
        "备用 2,345 套",
        "12) 除事故处理外，单次过切量不应超过 60 万千瓦，并在 5 分钟内汇报",
        "除事故处理外，单次过切量不应超过 60 万千瓦，并在 5 分钟内汇报 [来源: 安规2024 P24 限额 90 万千瓦",
        "除事故处理外，单次过切量不应超过 9999",
        "限额为 9999 万千瓦",
        "安规2023规定：除事故处理外，单次过切量不应超过 60 万千瓦，并在 5 分钟内汇报",
    ] {
        assert_eq!(level(statement), Level::Unproven, "{statement}");
    }
    assert_ne!(
        level("除事故处理外，单次过切量不应超过 60 万千瓦，并在 5 分钟内汇报 [来源: 安规2024 P24 6.2.3]"),
        Level::Unproven
    );
}

#[test]
fn what_is_missing_is_said_with_the_nearest_passage() {
    let proof = prove("母差保护动作的，未查明原因前可以对失压母线试送", None, &busbar());
    assert_eq!(proof.level, Level::Unproven);
    assert_eq!(proof.missing, ["可以"]);
    assert!(proof.place.unwrap().text.contains("不得对失压母线试送"));
    let proof = prove("单次过切量不应超过 60 万千瓦，并在 5 分钟内汇报", None, &busbar());
    assert_eq!(proof.left_out, ["除事故处理外"], "as the page prints it");
}

#[test]
fn english_sentences_and_rows() {
    let page = page(
        &[(
            "section_content",
            "R1",
            "R1. Each Transmission Operator shall notify its Reliability Coordinator within 30 minutes, unless the line is out of service. Each Balancing Authority shall keep at least 5 MW in reserve.",
        )],
        &[(
            "3.4-B",
            "Table 3.4-B Limits",
            &[
                &["Group", "Summer limit (MW)", "Winter limit (MW)"],
                &["Group C", "200", "250"],
                &["Group D", "300", "350"],
            ],
        )],
    );
    let at = |statement: &str| prove(statement, None, &page).level;
    for statement in [
        "Each Transmission Operator shall notify its Reliability Coordinator within 30 minutes, unless the line is out of service.",
        "Requirement R1 states that each Transmission Operator must notify its Reliability Coordinator within 30 min, unless the line is out of service",
        "Each Balancing Authority must keep no less than 5 MW in reserve",
        "In Table 3.4-B, the summer limit for Group D is 300 MW.",
        "Group D: Winter limit 350",
    ] {
        assert_ne!(at(statement), Level::Unproven, "{statement}");
    }
    for statement in [
        "Each Transmission Operator shall notify its Reliability Coordinator within 30 minutes.",
        "Each Transmission Operator may notify its Reliability Coordinator within 30 minutes, unless the line is out of service.",
        "Each Balancing Authority shall notify its Reliability Coordinator within 30 minutes, unless the line is out of service.",
        "Each Balancing Authority shall keep at most 5 MW in reserve",
        "In Table 3.4-B, the summer limit for Group D is 350 MW.",
        "In Table 3.4-A, the summer limit for Group D is 300 MW.",
        "Group D: limit 300",
    ] {
        assert_eq!(at(statement), Level::Unproven, "{statement}");
    }
}

#[test]
fn the_number_of_a_footnote_is_no_word_of_the_sentence() {
    let page = page(
        &[(
            "section_content",
            "29",
            "29. The parties may review the study.¹⁰³ The operator is not a party to the agreement.¹⁰⁴ Upon approval, unless it is withdrawn, the area may reach 200 m².¹⁰⁵",
        )],
        &[],
    );
    let at = |statement: &str| prove(statement, None, &page).level;
    assert_eq!(at("The operator is not a party to the agreement.¹⁰⁴"), Level::Verbatim);
    assert_eq!(at("The operator is not a party to the agreement."), Level::Verbatim);
    assert_eq!(
        at("The parties may review the study.¹⁰³ The operator is not a party to the agreement.¹⁰⁴"),
        Level::Verbatim
    );
    assert_eq!(at("The operator is a party to the agreement.¹⁰⁴"), Level::Unproven);
    assert_eq!(at("Upon approval, the area may reach 200 m²."), Level::Unproven, "the exception is left out");
    assert_eq!(at("Upon approval, unless it is withdrawn, the area may reach 200 m³."), Level::Unproven);
}

proptest! {
    #[test]
    fn any_text_is_read_without_harm(text in "\\PC{0,80}") {
        let page = busbar();
        let _ = prove(&text, Some(&text), &page);
        let _ = prove(&format!("表6-2{text}"), None, &page);
    }
}

#[test]
fn a_clause_number_before_an_article_is_no_current() {
    let text = "4.4 A busbar voltage above 250 kV shall be brought down within 5 minutes.";
    let page = page(
        &[("section_content", "4.4", text), ("section_content", "4.5", "The relay carries 4.4 A at most.")],
        &[],
    );
    assert_eq!(prove(text, None, &page).level, Level::Verbatim);
    let lie = "4.4 A busbar voltage above 250 kV shall be brought down within 6 minutes.";
    assert_eq!(prove(lie, None, &page).level, Level::Unproven);
}
