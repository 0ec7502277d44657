//! Tables over pages: rows are conserved, headers told from data, captions bound, and what the earlier system got wrong.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::support;

use crate::support::{Doc, doc_page, dropped, page, page_text, row_pages, rows, tables};
use regreader_assemble::{assemble, render_pages, table_markdown};
use regreader_messages::Language;
use regreader_model::{BlockType, TextOrigin};

#[test]
fn an_unrepeated_header_does_not_cost_the_first_row() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("1 限额").bottom().centered("表1-1 限额表").table(&["台数|限额", "1|100", "2|200"])
        })
        .page(|p| p.table(&["3|300", "4|400"]).para("限额以上表为准。"))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!(rows(table), ["1|100", "2|200", "3|300", "4|400"]);
    assert_eq!(row_pages(table), [1, 1, 2, 2]);
    assert_eq!(
        (table.header_rows, table.caption.as_deref(), table.number.as_deref()),
        (1, Some("表1-1 限额表"), Some("1-1"))
    );
    assert_eq!(reg.quality.stitched_tables.len(), 1);
    let joined = &reg.quality.stitched_tables[0];
    assert!(!joined.header_repeated && joined.said(Language::Chinese).contains("列位一致"), "{joined:?}");
    assert!(joined.said(Language::English).contains("the header is not repeated"), "{joined:?}");
    assert!(doc_page(&reg, 1).continues_to_next && doc_page(&reg, 2).continues_from_prev);
}

#[test]
fn a_table_over_three_pages_keeps_every_row_and_drops_the_repeated_header_once_a_page() {
    let reg = Doc::new()
        .page(|p| p.bottom().centered("表6-2 处置表").table(&["等级|措施", "甲|一", "乙|二"]))
        .page(|p| p.centered("表6-2（续）").table(&["等级|措施", "丙|三", "丁|四"]))
        .page(|p| p.centered("续表").table(&["等级|措施", "戊|五"]).line("注1：只充电一次。"))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table, got {}", tables(&reg).len()) };
    assert_eq!(rows(table), ["甲|一", "乙|二", "丙|三", "丁|四", "戊|五"]);
    assert_eq!(row_pages(table), [1, 1, 2, 2, 3]);
    let captions: Vec<Option<&str>> =
        table.segments.iter().map(|segment| segment.caption.as_deref()).collect();
    assert_eq!(captions, [Some("表6-2 处置表"), Some("表6-2（续）"), Some("续表")]);
    assert!(table.segments[1].header_repeated && table.segments[2].header_repeated);
    assert_eq!(table.notes, ["注1"]);
    // Each page shows its own rows under the header.
    assert!(
        page_text(&reg, 2).contains("**表6-2 处置表（续）**\n\n| 等级 | 措施 |\n| --- | --- |\n| 丙 | 三 |")
    );
    assert!(!page_text(&reg, 2).contains('甲'));
}

#[test]
fn a_continuation_under_a_misprinted_number_is_known_by_its_title_and_header() {
    let misprint = |title: &'static str| {
        Doc::new()
            .page(|p| p.bottom().centered("表5-36 负载包格式").table(&["字节|字段", "0|帧头"]))
            .page(move |p| p.centered(title).table(&["字节|字段", "20|时间戳"]))
            .assemble()
    };
    let reg = misprint("表4-36 负载包格式（续）");
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!((table.number.as_deref(), rows(table).len()), (Some("5-36"), 2));
    assert!(reg.quality.stitched_tables[0].reason.contains("表号与前页不一致"));
    // Another title, or no 续: another table.
    assert_eq!(tables(&misprint("表4-36 信令格式（续）")).len(), 2);
    assert_eq!(tables(&misprint("表4-36 负载包格式")).len(), 2);
}

#[test]
fn captioned_tables_with_the_same_columns_stay_apart() {
    let reg = Doc::new()
        .page(|p| p.bottom().centered("表3-5 Ⅰ母停运").table(&["台数|限额", "2|265"]))
        .page(|p| p.centered("表3-6 Ⅱ母停运").table(&["台数|限额", "2|245"]))
        .assemble();
    assert_eq!(
        tables(&reg).iter().map(|t| t.number.as_deref()).collect::<Vec<_>>(),
        [Some("3-5"), Some("3-6")]
    );
    assert!(reg.quality.stitched_tables.is_empty());
}

#[test]
fn text_between_separates_and_so_do_notes() {
    let reg = Doc::new()
        .page(|p| p.bottom().table(&["台数|限额", "2|265"]))
        .page(|p| {
            p.para("另一方式的限额如下。").table(&["台数|限额", "3|300"]).bottom().line("注：不含调相机。")
        })
        .page(|p| p.table(&["台数|限额", "4|400"]))
        .assemble();
    assert_eq!(tables(&reg).len(), 3);
}

#[test]
fn other_columns_are_another_table() {
    let reg = Doc::new()
        .page(|p| p.bottom().table(&["台数|限额", "2|265"]))
        .page(|p| p.table(&["断面|方向|限额", "豫鄂|北送|520"]))
        .assemble();
    assert_eq!(tables(&reg).len(), 2);
    assert!(reg.quality.diagnostics.iter().any(|d| d.message.contains("列不一致")));
}

#[test]
fn a_table_that_ends_high_on_its_page_does_not_swallow_the_next() {
    let reg = Doc::new()
        .page(|p| p.table(&["台数|限额", "2|265"]))
        .page(|p| p.table(&["电压|上限", "500|550"]).bottom().line("正文到页底。").line("再一行。"))
        .assemble();
    assert_eq!(tables(&reg).len(), 2);
}

#[test]
fn a_table_of_units_and_limits_is_not_a_contents_table() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("5 锦苏直流").centered("表5-1 锦屏电源组开机台数与限额").table(&[
                "序号|开机台数|限额",
                "1.1|锦屏一级电厂开机1台|60",
                "1.2|锦屏一级电厂开机2台|120",
                "2.1|锦屏二级电厂开机2台|115",
                "4|三厂合计开机14台及以上|720",
            ])
        })
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!(table.row_count, 4);
    assert_eq!(table.col_headers, ["序号", "开机台数", "限额"]);
    assert!(dropped(&reg, "contents").is_empty());
    assert_eq!(support::numbers(&reg), ["5"]);
}

#[test]
fn headers_of_two_levels_name_their_columns() {
    let reg = Doc::new()
        .page(|p| {
            p.centered("表 2-2　切机量表").table(&[
                "故障类型|闭锁前功率|切机量（万千瓦）|<",
                "^|^|官地|锦屏",
                "双极闭锁|200～400|120|80",
                "^|400～600|180|160",
                "功率速降|大于150|按速降量的0.8倍|<",
            ])
        })
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!(table.header_rows, 2);
    let expected = ["故障类型", "闭锁前功率", "切机量（万千瓦） / 官地", "切机量（万千瓦） / 锦屏"];
    assert_eq!(table.col_headers, expected);
    assert_eq!(rows(table)[1], "双极闭锁|400～600|180|160");
    // Spanned cells are shown in every place they cover.
    let markdown = table_markdown(table);
    assert!(markdown.contains("| 双极闭锁 | 400～600 | 180 | 160 |"));
    assert!(markdown.contains("| 功率速降 | 大于150 | 按速降量的0.8倍 | 按速降量的0.8倍 |"));
}

#[test]
fn a_scale_of_one_unit_is_a_header() {
    let header_rows = |lines: &[&str]| {
        let reg = Doc::new().page(|p| p.centered("表1-1 限额表").table(lines)).assemble();
        let [table] = tables(&reg)[..] else { panic!("one table") };
        table.header_rows
    };
    assert_eq!(header_rows(&["线路|25℃及以下|30℃|35℃", "甲线|1200|1150|1100", "乙线|900|860|820"]), 1);
    assert_eq!(header_rows(&["线路|型号|25℃及以下|30℃|35℃|40℃", "甲线|LGJ-400|1690|1605|1485|1370"]), 1);
    assert_eq!(header_rows(&["主变|容量|1.1倍|1.2倍|1.3倍", "甲变|1000|120分钟|60分钟|30分钟"]), 1);
    assert_eq!(header_rows(&["监视点|高峰（8:00–22:00）|低谷（22:00–8:00）", "甲变|515|510"]), 1);
    assert_eq!(header_rows(&["部位|30℃|40℃|50℃", "绕组|65℃|70℃|75℃", "油面|55℃|60℃|65℃"]), 0);
}

#[test]
fn a_span_cut_by_the_page_is_one_cell_again() {
    let reg = Doc::new()
        .page(|p| {
            p.bottom().centered("表C-1 配置").table(&[
                "厂站|设备",
                "长治站|电容器",
                "^|电抗器",
                "南阳站|电容器",
            ])
        })
        .page(|p| p.centered("续表C-1").table(&["厂站|设备", "|电抗器", "荆门站|电容器", "^|调相机"]))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    let expected = [
        "长治站|电容器",
        "长治站|电抗器",
        "南阳站|电容器",
        "南阳站|电抗器",
        "荆门站|电容器",
        "荆门站|调相机",
    ];
    assert_eq!(rows(table), expected);
    assert_eq!(row_pages(table), [1, 1, 1, 2, 2, 2]);
}

#[test]
fn a_span_behind_the_leading_columns_is_one_cell_again_too() {
    // As in the standards: a group of rows with its step, its command and, last, its direction.
    let reg = Doc::new()
        .page(|p| {
            p.bottom().centered("表A.9 更新指令").table(&[
                "步骤|用户数据|方向",
                "1|包数|下行",
                "^|包序号|^",
                "2|序号|上行",
                "^|结果|^",
            ])
        })
        .page(|p| p.table(&["|0：正确|"]))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!(rows(table)[2..], ["2|序号|上行", "2|结果|上行", "2|0：正确|上行"]);

    // A remark that stands beside many rows, none of which is a group.
    let reg = Doc::new()
        .page(|p| {
            p.bottom().centered("表5-13 内容").table(&[
                "字节|字段|要求",
                "0|名称|长度：0～255",
                "1|型号|^",
                "2|版本|^",
            ])
        })
        .page(|p| p.table(&["3|编号|", "4|代码|^", "5|校验|另见表1"]))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!(
        rows(table)[2..],
        ["2|版本|长度：0～255", "3|编号|长度：0～255", "4|代码|长度：0～255", "5|校验|另见表1"]
    );
}

#[test]
fn a_row_cut_by_the_page_is_one_row() {
    let reg = Doc::new()
        .page(|p| {
            p.bottom()
                .centered("Table R2 – Training")
                .table(&["Part|Requirements", "2.1|Training content on:"])
        })
        .page(|p| {
            p.centered("Table R2 – Training").table(&[
                "Part|Requirements",
                "|with Removable Media.",
                "2.2|Require completion",
            ])
        })
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!(rows(table), ["2.1|Training content on: with Removable Media.", "2.2|Require completion"]);
    assert_eq!(reg.quality.stitched_tables[0].reason, "同一表号在下页重复");
}

#[test]
fn a_header_alone_at_the_foot_of_a_page_is_the_header() {
    let reg = Doc::new()
        .page(|p| p.bottom().centered("表7 信息时限").table(&["信息类别|时限"]))
        .page(|p| p.table(&["快报|1 小时", "报告|24 小时"]))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!((table.header_rows, table.row_count), (1, 2));
    assert_eq!(table.col_headers, ["信息类别", "时限"]);
}

#[test]
fn captions_stand_above_or_below_or_on_the_page_before() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("1 表")
                .table(&["线路|允许值", "长南Ⅰ线|4800"])
                .centered("表A-1 允许值")
                .para("下文另有规定。")
                .centered("表A-2 短时值")
                .line("单位：安")
                .table(&["线路|短时值", "长南Ⅰ线|5280"])
                .bottom()
                .para("下表跨页。")
                .centered("表A-3 温度修正")
        })
        .page(|p| p.table(&["温度|系数", "40|0.96"]))
        .assemble();
    let found: Vec<_> = tables(&reg).iter().map(|table| table.caption.clone().unwrap_or_default()).collect();
    assert_eq!(found, ["表A-1 允许值", "表A-2 短时值", "表A-3 温度修正"]);
    assert!(page_text(&reg, 1).contains("表A-3 温度修正"), "the caption stays where it is printed");
    let captions =
        doc_page(&reg, 1).content_blocks.iter().filter(|block| block.block_type == BlockType::Caption);
    assert_eq!(captions.count(), 1);
}

#[test]
fn a_caption_between_two_tables_belongs_to_the_lower_one() {
    let reg = Doc::new()
        .page(|p| p.bottom().centered("表17 控制").table(&["起始字节|字段", "0|命令字"]))
        .page(|p| p.table(&["1|参数"]).centered("表18 命令字").table(&["命令字|说明", "1|升级"]))
        .assemble();
    let found: Vec<_> = tables(&reg)
        .iter()
        .map(|table| (table.number.clone().unwrap_or_default(), table.row_count))
        .collect();
    assert_eq!(found, [("17".to_owned(), 2), ("18".to_owned(), 1)]);
}

#[test]
fn a_range_of_pages_prints_each_row_under_its_page_and_the_whole_table_once() {
    let reg = Doc::new()
        .page(|p| p.para("前文。").bottom().centered("表1 限额").table(&["台数|限额", "1|100"]))
        .page(|p| p.table(&["2|200"]).line("注1：不含调相机。").para("后文。"))
        .assemble();
    let whole = render_pages(&reg.pages, &reg.tables);
    let first = whole.markdown.find("<!-- 第 2 页").expect("page two is marked");
    let (page_1, page_2) = whole.markdown.split_at(first);
    assert!(page_1.contains("| 1 | 100 |") && !page_1.contains("| 2 | 200 |"), "{page_1}");
    assert!(page_2.contains("| 2 | 200 |") && !page_2.contains("| 1 | 100 |"), "{page_2}");
    assert!(page_2.contains("注1：不含调相机。") && page_2.contains("后文。"));
    assert_eq!(whole.joined.len(), 1);
    let joined = &whole.joined[0].markdown;
    assert!(
        joined.starts_with("<!-- 合并表格：第 1–2 页 -->") && joined.contains("| 1 | 100 |\n| 2 | 200 |")
    );
    assert!(whole.text(10_000).ends_with(joined.as_str()));
    assert!(whole.text(10).contains("get_table_by_id"), "what does not fit is named");
    // A reader of the second page alone sees the table too, apart from the page.
    let second = render_pages(&reg.pages[1..], &reg.tables);
    assert!(!second.markdown.contains("| 1 | 100 |") && second.text(10_000).contains("| 1 | 100 |"));
}

#[test]
fn blank_pages_are_pages_and_break_nothing() {
    let reg = Doc::new()
        .page(|p| p.heading("1 限额").bottom().centered("表1 限额").table(&["台数|限额", "1|100"]))
        .page(|p| p)
        .page(|p| p.heading("2 附则").para("见表1。"))
        .assemble();
    assert_eq!(reg.pages.len(), 3);
    assert_eq!(doc_page(&reg, 2).origin, TextOrigin::Blank);
    assert_eq!(doc_page(&reg, 3).page_num, page(3));
    assert_eq!(reg.quality.pages_by_origin["blank"], [page(2)]);
    assert_eq!(reg.tables.on_page(page(1)).count(), 1);
    assert_eq!(reg.tables.on_page(page(2)).count(), 0);
    assert_eq!(support::node(&reg, "2").page_num, page(3));
}

#[test]
fn the_same_document_twice_is_the_same_regulation() {
    let make = || {
        Doc::new()
            .page(|p| {
                p.heading("1 限额").bottom().centered("表1 限额").table(&["台数|限额", "1|100", "2|200"])
            })
            .page(|p| p.table(&["台数|限额", "3|300"]).line("注1：按表1执行。"))
            .raw()
    };
    let options = regreader_assemble::AssembleOptions::new("a".parse().expect("an id"), "a.pdf");
    let (one, two) = (assemble(make(), vec![], &options), assemble(make(), vec![], &options));
    assert_eq!(one, two);
    assert_eq!(tables(&one)[0].row_count, 3);
    let ids: Vec<&str> = one.tables.segment_to_table.keys().map(regreader_model::TableId::as_str).collect();
    assert_eq!(ids, ["t0001", "t0001-2"]);
    let blocks: Vec<&str> = one.pages[1].content_blocks.iter().map(|block| block.block_id.as_str()).collect();
    assert_eq!(blocks, ["p0002-b000", "p0002-b001"]);
}

#[test]
fn pages_of_fewer_columns_are_brought_to_the_columns_of_the_table() {
    // On the second page every row spans the last two columns, so that the grid there has two columns only.
    let (mut narrow, _) = support::ruled(&["3|合计 300", "4|合计 400"], 90.0);
    let edges = [72.0, 72.0 + 152.0, 528.0];
    for cell in &mut narrow.cells {
        let rect = cell.bbox.as_mut().expect("a box");
        (rect.x0, rect.x1) = (edges[cell.col as usize], edges[cell.col as usize + 1]);
    }
    let mut raw = Doc::new()
        .page(|p| p.bottom().centered("表1 限额").table(&["台数|北送|南送", "1|100|90", "2|200|180"]))
        .page(|p| p)
        .raw();
    raw.pages[1].elements.push(regreader_model::RawElement::Table(narrow));
    let options = regreader_assemble::AssembleOptions::new("a".parse().expect("an id"), "a.pdf");
    let reg = assemble(raw, vec![], &options);
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!(rows(table), ["1|100|90", "2|200|180", "3|合计 300|合计 300", "4|合计 400|合计 400"]);
}

#[test]
fn a_caption_below_the_last_part_names_the_whole_table() {
    let reg = Doc::new()
        .page(|p| p.heading("1 表").bottom().table(&["线路|允许值", "长南Ⅰ线|4800"]))
        .page(|p| p.table(&["南荆Ⅰ线|4800"]).centered("表A-1 允许值").para("后文。"))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    assert_eq!((table.number.as_deref(), table.row_count), (Some("A-1"), 2));
}

#[test]
fn a_footnote_under_the_first_part_does_not_part_a_table_that_prints_its_caption_again() {
    let story = |between: fn(support::Page) -> support::Page| {
        let first = |p: support::Page| {
            let p =
                p.line("Each entity shall report as the table says, and keep the evidence for three years.");
            between(
                p.centered("Table R4 – Reporting")
                    .table(&["Part|Requirements", "4.1|Report within one hour."]),
            )
        };
        Doc::new()
            .page(first)
            .page(|p| {
                p.centered("Table R4 – Reporting").table(&[
                    "Part|Requirements",
                    "4.2|Report the rest within a day.",
                    "4.3|Keep records.",
                ])
            })
            .assemble()
    };
    let joined = story(|p| p.footnote("1 The centre is the successor of an earlier one."));
    assert_eq!(tables(&joined).len(), 1);
    assert_eq!(row_pages(tables(&joined)[0]), [1, 2, 2]);
    let parted = story(|p| p.line("Entities that own no such system are exempt from what follows below."));
    assert_eq!(tables(&parted).len(), 2, "text of the body parts them");
}

#[test]
fn a_title_row_above_the_header_begins_another_table_of_the_same_form() {
    let part = |title: &str, key: &str| {
        vec![
            format!("{title}|<|<"),
            "Parameter|Reference|Details".to_owned(),
            format!("{key}|Section 7.6|Applies to all stations."),
            "^|^|Tests are made every year.".to_owned(),
        ]
    };
    let rows_of = |list: &[String]| list.iter().map(String::as_str).map(str::to_owned).collect::<Vec<_>>();
    let (first, second) = (part("Protection System", "Protection"), part("Islanding", "Islanding test"));
    let write = |p: support::Page, list: &[String]| {
        let lines = rows_of(list);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        p.bottom().table(&lines)
    };
    let reg = Doc::new()
        .page(|p| write(p, &first))
        .page(|p| write(p, &second))
        .page(|p| write(p, &second))
        .assemble();
    let found: Vec<(u32, Vec<u32>)> =
        tables(&reg).iter().map(|table| (table.header_rows, row_pages(table))).collect();
    assert_eq!(found, [(2, vec![1, 1]), (2, vec![2, 2, 3, 3])], "the same title again goes on");
}

#[test]
fn a_list_that_counts_on_over_the_page_is_one_row_also_under_a_group() {
    let list = |p: support::Page, rows: &[(&str, &str)]| {
        let lines: Vec<String> = rows.iter().map(|(key, text)| format!("{key}|{text}")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        p.table(&lines)
    };
    let reg = |next: &'static str| {
        let mut raw = Doc::new()
            .page(|p| {
                list(
                    p.bottom(),
                    &[
                        ("Parameter", "Details"),
                        ("Protection", "Applies to all stations."),
                        ("^", "1. Establish the functions.\n2. Derive the settings."),
                    ],
                )
            })
            .page(|p| list(p, &[("", next), ("^", "Accepted when all functions operate.")]))
            .raw();
        raw.pages.truncate(2);
        let options = regreader_assemble::AssembleOptions::new("a".parse().expect("an id"), "a.pdf");
        assemble(raw, vec![], &options)
    };
    let one = reg("3. Confirm the stability.");
    let [table] = tables(&one)[..] else { panic!("one table") };
    assert_eq!(table.row_count, 3);
    assert_eq!(
        rows(table)[1],
        "Protection|1. Establish the functions.\n2. Derive the settings.\n3. Confirm the stability."
    );
    assert_eq!(rows(table)[2], "Protection|Accepted when all functions operate.");
    let other = reg("Purpose of the test.");
    assert_eq!(tables(&other)[0].row_count, 4, "a row of its own");
}

#[test]
fn the_mark_of_a_note_stands_apart_from_the_value_it_is_set_at() {
    let reg = Doc::new()
        .page(|p| {
            p.centered("表1 限额").table(&[
                "台数|限额",
                "1|100⁽¹⁾",
                "2|200¹",
                "3|10⁻³",
                "4|10⁶",
                "5|25mm²",
                "6|—⁽²⁾",
            ])
        })
        .assemble();
    let values: Vec<String> =
        rows(tables(&reg)[0]).iter().map(|row| row.split('|').nth(1).unwrap_or("").to_owned()).collect();
    assert_eq!(values, ["100 ⁽¹⁾", "200 ¹", "10⁻³", "10⁶", "25mm²", "— ⁽²⁾"]);
}

#[test]
fn sentences_are_no_header_and_end_one() {
    let reg = Doc::new()
        .page(|p| {
            p.centered("Table 1: Voltage limits")
                .table(&[
                    "Nominal continuous operating voltage on any bus for which the equipment is designed|Vn",
                    "Maximum continuous voltage on any bus for which the equipment is designed|Vm",
                    "Minimum voltage on the point of common coupling during motor starting|0.85 Vn",
                ])
                .centered("Table 2: Packet")
                .table(&[
                    "Definition|<|Description",
                    "Start mark|<|The first and second octet of the packet, with the fixed values 64 and 64 in it.",
                    "Control unit|Serial number|The third and fourth octet of the packet, counted on with each new packet.",
                    "^|Version|The fifth and sixth octet of the packet, the major and the minor version.",
                ])
        })
        .assemble();
    let found: Vec<(u32, u32)> =
        tables(&reg).iter().map(|table| (table.header_rows, table.row_count)).collect();
    assert_eq!(found, [(0, 3), (1, 3)]);
}

#[test]
fn a_repeated_header_with_a_lost_letter_is_still_the_header() {
    let reg = |again: &'static str| {
        Doc::new()
            .page(|p| p.bottom().centered("表5 部件类型").table(&["类型值|说明", "1|探测器", "2|控制器"]))
            .page(|p| p.centered("表5（续）").table(&[again, "3|水泵", "4|风机"]))
            .assemble()
    };
    assert_eq!(tables(&reg("类型值|说"))[0].row_count, 4);
    assert_eq!(tables(&reg("类型|说"))[0].row_count, 5, "two heads that differ may be data");
}

#[test]
fn a_row_that_lacks_the_label_of_all_others_goes_on_from_the_page_before() {
    let reg = Doc::new()
        .page(|p| {
            p.bottom().table(&[
                "Parameter|Reference|Details",
                "Unit tests|7.6|APPLICABILITY All units.",
                "^|^|PURPOSE To confirm the settings.",
                "^|^|PROCEDURE 1 Run the unit. 2 Record the data.",
            ])
        })
        .page(|p| p.table(&["||3 Open the breaker.", "^|^|ACCEPTANCE CRITERIA The unit stays on."]))
        .assemble();
    let [table] = tables(&reg)[..] else { panic!("one table") };
    let details: Vec<&str> =
        table.cells.iter().filter(|cell| cell.col == 2 && cell.row > 0).map(|c| c.content.as_str()).collect();
    assert_eq!(
        details,
        [
            "APPLICABILITY All units.",
            "PURPOSE To confirm the settings.",
            "PROCEDURE 1 Run the unit. 2 Record the data.\n3 Open the breaker.",
            "ACCEPTANCE CRITERIA The unit stays on.",
        ]
    );
    assert_eq!(row_pages(table), [1, 1, 1, 2]);
    let unit = table.cells.iter().find(|cell| cell.content == "Unit tests").unwrap();
    assert_eq!(unit.row_span, 4, "the group goes on");
}

#[test]
fn the_blank_end_of_a_cut_row_is_no_row_but_a_blank_row_of_a_form_is() {
    let grouped = |later: &'static [&'static str]| {
        let reg = Doc::new()
            .page(|p| p.bottom().table(&["Name|Details", "Tests|Purpose.", "^|Procedure."]))
            .page(move |p| p.table(later))
            .assemble();
        tables(&reg).iter().map(|table| table.row_count).collect::<Vec<_>>()
    };
    assert_eq!(grouped(&["|", "^|Criteria."]), [3]);
    assert_eq!(grouped(&["|", "Other|Criteria."]), [4]);
}

#[test]
fn phrases_on_lines_of_their_own_stay_apart_in_a_cell() {
    let cells = |text: &'static str| {
        let reg = Doc::new().page(|p| p.table(&["参数|说明", &format!("1|{text}")])).assemble();
        rows(tables(&reg)[0])[0].clone()
    };
    assert_eq!(
        cells("取值范围1-10，默认值3\n0xFF 表示不修改参数"),
        "1|取值范围1-10，默认值3\n0xFF 表示不修改参数"
    );
    assert_eq!(cells("按位设置：0表示无\nbit0：摄像机异常"), "1|按位设置：0表示无\nbit0：摄像机异常");
    assert_eq!(cells("开机\n台数"), "1|开机台数");
    assert_eq!(cells("单次主动拍照、\n定时拍照的时间"), "1|单次主动拍照、定时拍照的时间");
}
