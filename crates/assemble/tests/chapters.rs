//! Which lines are chapters: stories of headings, clauses, lists, gaps, contents pages and laws.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::support::{Doc, doc_page, dropped, node, numbers, outline, page, page_text};
use regreader_model::{BlockType, TextRole};

const LONG: &str = "安控装置按双重化配置，两套装置的电源、通道、出口回路应相互独立，正常方式下两套装置均应投动作状态，并定期核对压板位置。";

#[test]
fn clauses_that_run_on_are_nodes_and_list_items_are_not() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("1. 总则")
                .heading("1.1. 基本要求")
                .clause(&format!("1.1.1 {LONG}"))
                .clause("1.1.2 装置异常时，现场运行值班人员应按以下顺序处理：")
                .item("1.立即汇报国调值班调度员，说明装置名称；")
                .item("2.汇报国调后将装置由动作改投信号；")
                .item("3.检查另一套装置运行正常；")
                .item("4.通知检修单位处理。")
                .clause("1.1.3 两套装置同时退出前，应先将断面功率控制到限额以内。")
                .heading("2. 安控系统")
                .heading("2.1. 一般规定")
        })
        .page(|p| p.clause(&format!("2.1.1 {LONG}")))
        .assemble();
    assert_eq!(numbers(&reg), ["1", "1.1", "1.1.1", "1.1.2", "1.1.3", "2", "2.1", "2.1.1"]);
    assert_eq!(node(&reg, "1.1.2").content_block_ids.len(), 5);
    assert_eq!(node(&reg, "1.1.1").title, "安控装置按双重化配置");
    assert_eq!(node(&reg, "2").page_range(), (page(1), page(2)));
    assert_eq!(node(&reg, "1").page_range(), (page(1), page(1)));
    let kinds: Vec<BlockType> =
        doc_page(&reg, 1).content_blocks.iter().map(|block| block.block_type).collect();
    assert_eq!(
        kinds[..5],
        [
            BlockType::Heading,
            BlockType::Heading,
            BlockType::SectionContent,
            BlockType::SectionContent,
            BlockType::List
        ]
    );
    assert!(page_text(&reg, 1).starts_with("# 1. 总则\n\n## 1.1. 基本要求\n\n1.1.1 安控装置"));
    assert!(reg.quality.numbering_gaps.is_empty());
}

#[test]
fn quantities_dates_and_device_names_at_the_beginning_of_a_line_are_text() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("1.总则")
                .heading("1.1.线路")
                .para("0.5 秒后动作的第二轮切机，应以第一轮命令发出时刻为起点计时。")
                .para("2.5 万千瓦以下的小机组不参与切机排序。")
                .para("2024.1.1 起执行的定值单应注明版本。")
                .para("500 千伏及以上厂站之间应采用双通道。")
                .heading("1.2.装置")
                .para("三取二：同一命令须由两套及以上判别元件同时满足。")
                .para("长治站长南Ⅰ线稳态过电压控制装置 1 投入。")
                .heading("2.限额")
        })
        .assemble();
    assert_eq!(numbers(&reg), ["1", "1.1", "1.2", "2"]);
}

#[test]
fn a_reference_broken_over_two_lines_is_no_clause() {
    let text = "2.1.1 装置拒动时人工补切，保存动作报告，并与调度核对切除机组台数后汇报，具体要求按照本规定的\
                2.1.3 条执行，恢复前应经国调许可。";
    let reg = Doc::new()
        .page(|p| {
            p.heading("1 总则")
                .heading("2 处理")
                .heading("2.1 一般")
                .clause(text)
                .clause("2.1.2 误动时立即退出。")
                .clause("2.1.3 查明原因。")
        })
        .assemble();
    assert_eq!(numbers(&reg), ["1", "2", "2.1", "2.1.1", "2.1.2", "2.1.3"]);
    assert!(page_text(&reg, 1).contains("按照本规定的2.1.3 条执行"));
}

#[test]
fn a_gap_is_reported_and_loses_nothing() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("1 总则")
                .heading("1.1 结构")
                .clause("1.1.1 主站由两套装置组成。")
                .clause("1.1.2 子站由一套装置组成。")
                .clause("1.1.6 通道为双路由。")
                .heading("1.2 功能")
                .heading("1.4 管理")
                .heading("2 附则")
        })
        .assemble();
    assert_eq!(numbers(&reg), ["1", "1.1", "1.1.1", "1.1.2", "1.1.6", "1.2", "1.4", "2"]);
    let gaps: Vec<(&str, &str)> =
        reg.quality.numbering_gaps.iter().map(|gap| (gap.found.as_str(), gap.expected.as_str())).collect();
    assert_eq!(gaps, [("1.1.6", "1.1.3"), ("1.4", "1.3")]);
}

#[test]
fn contents_pages_are_evidence_and_not_content() {
    let reg = Doc::new()
        .page(|p| p.large("稳定规定"))
        .page(|p| {
            p.centered("目  录")
                .line("前言 ………………………………………… i")
                .line("1 总则 ………………………………………… 1")
                .line("1.1 范围 ………………………………………… 1")
                .line("1.2 名词 ………………………………………… 1")
                .line("2 限额 ………………………………………… 2")
                .line("3 无功 ………………………………………… 9")
        })
        .page(|p| {
            p.centered("前 言")
                .para("本规定由国调提出。")
                .heading("1 总则")
                .heading("1.1 范围")
                .para("下列情况适用：")
                .line("2 台机组及以上电厂；")
                .heading("1.2 名词")
                .heading("2 限额")
        })
        .assemble();
    assert_eq!(outline(&reg), ["前言", "1 总则", "  1.1 范围", "  1.2 名词", "2 限额"]);
    assert_eq!(page_text(&reg, 2), "");
    assert_eq!(dropped(&reg, "contents").len(), 7);
    let remarks: Vec<String> = reg.quality.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(remarks, ["P2: 目次列有“3 无功”，正文未找到该标题"]);
}

#[test]
fn a_law_has_chapters_and_articles_and_its_items_are_a_list() {
    let reg = Doc::new()
        .page(|p| {
            p.large("电力条例")
                .centered("第一章 总则")
                .para("第一条 为了保障电力事业，制定本条例。")
                .para("第二条 下列活动适用本条例：")
                .para("（一）发电；")
                .para("（二）供电。")
                .centered("第二章 电网")
                .centered("第一节 建设")
                .para("第三条 电网建设应当符合规划。")
                .centered("第二节 运行")
                .para("第四条 违反第三条规定的，责令改正。")
        })
        .page(|p| p.centered("附录A 名词").para("第一条 本附录所称电网。").para("第二条 本附录所称电厂。"))
        .assemble();
    let expected = [
        "第1章 总则",
        "  第1条 为了保障电力事业",
        "  第2条 下列活动适用本条例",
        "第2章 电网",
        "  第1节 建设",
        "    第3条 电网建设应当符合规划",
        "  第2节 运行",
        "    第4条 违反第三条规定的",
        "附录A 名词",
        "  第1条 本附录所称电网",
        "  第2条 本附录所称电厂",
    ];
    assert_eq!(outline(&reg), expected);
    assert!(reg.quality.numbering_gaps.is_empty());
}

#[test]
fn enumerated_items_are_nodes_where_nothing_else_is_numbered() {
    let reg = Doc::new()
        .page(|p| {
            p.large("管理通知")
                .heading("一、总体要求")
                .para("（一）坚持安全第一。各单位应当落实责任。")
                .para("（二）坚持统一调度。各单位应当服从指挥。")
                .heading("二、工作措施")
                .para("（一）加强巡视。")
        })
        .assemble();
    let expected = [
        "一、 总体要求",
        "  （一） 坚持安全第一",
        "  （二） 坚持统一调度",
        "二、 工作措施",
        "  （一） 加强巡视",
    ];
    assert_eq!(outline(&reg), expected);
}

#[test]
fn terms_whose_number_stands_alone_take_the_next_line_as_title() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("1 范围")
                .heading("2 术语和定义")
                .line("2.1")
                .item("电力系统稳定性 power system stability")
                .item("电力系统受到扰动后保持稳定运行的能力。")
                .line("2.2")
                .item("短路比 short circuit ratio")
                .item("短路容量与额定容量之比。")
                .line("2.3")
        })
        .page(|p| {
            p.item("枢纽变电站 pivotal substation").item("330kV 及以上电压等级的变电站。").heading("3 要求")
        })
        .assemble();
    let expected = [
        "1 范围",
        "2 术语和定义",
        "  2.1 电力系统稳定性 power system stability",
        "  2.2 短路比 short circuit ratio",
        "  2.3 枢纽变电站 pivotal substation",
        "3 要求",
    ];
    assert_eq!(outline(&reg), expected);
    assert_eq!(node(&reg, "2.3").page_range(), (page(1), page(2)));
}

#[test]
fn english_requirements_count_anew_under_each_letter() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("A. Introduction")
                .line("1. Title: Cyber Security")
                .line("2. Purpose: To minimize the risk against compromise.")
                .line("2.1. Functional Entities")
                .line("2.1.1. Balancing Authority")
                .heading("B. Requirements and Measures")
                .line("R1. Each Responsible Entity shall implement one process.")
                .line("M1. Evidence must include the process.")
                .line("R2. Each Responsible Entity shall review it.")
                .line("M2. Evidence must include the review.")
                .heading("C. Compliance")
                .line("1. Compliance Monitoring Process")
                .line("1.1. Evidence Retention")
        })
        .assemble();
    let found = numbers(&reg);
    assert_eq!(found, ["A.", "1", "2", "2.1", "2.1.1", "B.", "R1", "M1", "R2", "M2", "C.", "1", "1.1"]);
    assert!(reg.quality.numbering_gaps.is_empty());
}

#[test]
fn declared_headings_make_the_tree_of_a_word_file() {
    let heading = |level| TextRole::Heading { level };
    let reg = Doc::new()
        .page(|p| {
            p.declared(TextRole::Title, "运行规定")
                .declared(heading(1), "1 总则")
                .declared(TextRole::Body, "本规定适用于直调装置。")
                .declared(heading(2), "1.1 范围")
                .declared(TextRole::ListItem, "1. 发电厂")
                .declared(TextRole::ListItem, "2. 变电站")
                .declared(heading(2), "说明")
                .declared(TextRole::Body, "说明文字。")
                .declared(heading(1), "2 限额")
                .declared(heading(2), "2.1 线路")
        })
        .assemble();
    assert_eq!(outline(&reg), ["1 总则", "  1.1 范围", "  说明", "2 限额", "  2.1 线路"]);
    assert_eq!(reg.info.title, "运行规定");
}

#[test]
fn measures_stand_beside_their_requirement_and_parts_below_it() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("A. Introduction")
                .line("1. Title: Remedial Action and Voltage Coordination")
                .line("2. Number: REL-901-2")
                .line("3. Purpose: To keep the interconnection stable after credible faults.")
                .heading("B. Requirements and Measures")
                .line("R1. Each Scheme Owner shall keep a description. [Violation Risk Factor: Lower]")
                .line("1.1. The description shall name the initiating events.")
                .line("1.2. The description shall state the transfer limit.")
                .line("M1. Evidence may include dated descriptions.")
                .line("R2. Each Transmission Operator shall use Part 1.2 of Requirement R1.")
                .line("M2. Evidence may include logs.")
                .heading("C. Compliance")
                .line("1. Monitoring: The council monitors compliance by audit.")
                .line("2. Levels: Levels are given in Table 3.")
                .heading("D. Associated Documents")
        })
        .assemble();
    let expected: Vec<(u32, &str)> = vec![
        (1, "A."),
        (2, "1"),
        (2, "2"),
        (2, "3"),
        (1, "B."),
        (2, "R1"),
        (3, "1.1"),
        (3, "1.2"),
        (2, "M1"),
        (2, "R2"),
        (2, "M2"),
        (1, "C."),
        (2, "1"),
        (2, "2"),
        (1, "D."),
    ];
    let found: Vec<(u32, &str)> =
        reg.structure.iter().map(|node| (node.level, node.section_number.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn terms_with_full_width_numbers_on_lines_of_their_own_are_clauses() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("２ 术语和定义")
                .line("２．１")
                .line("巡视")
                .para("对装置外观、指示和运行环境的检查。")
                .line("２．２")
                .small_mark()
                .line("Ｎ－１ 巡视")
                .para("任一人员缺席时仍能完成的巡视。")
                .line("２．２．１")
                .line("夜间巡视")
                .para("在２２时以后进行的巡视。")
                .heading("３ 基本要求")
                .heading("３．１ 人员")
        })
        .page(|p| p.clause("３．１．１ 每次巡视应有两名经过培训的人员参加，其中一人为负责人，巡视结束后由负责人填写记录。"))
        .assemble();
    assert_eq!(numbers(&reg), ["2", "2.1", "2.2", "2.2.1", "3", "3.1", "3.1.1"]);
    assert_eq!(node(&reg, "2.2").title, "N-1 巡视");
    assert_eq!(node(&reg, "3.1.1").page_num, page(2));
}

#[test]
fn bookmarked_list_items_and_footnotes_are_no_chapters() {
    let mut raw = Doc::new()
        .page(|p| {
            p.heading("1 General")
                .clause("1.1 The committee shall have these functions.")
                .item("a) Ensure a consultative process is followed")
                .item("b) Review proposals to amend the code")
                .item("b.1) Proposals of members")
                .line("Once approved, the committee will publish the proposal.")
                .footnote("1 The assistance of others is kindly acknowledged")
        })
        .page(|p| p.heading("2 Audits").clause("2.1 Audits are yearly."))
        .raw();
    for title in [
        "1 General",
        "a) Ensure a consultative process is followed",
        "b) Review proposals to amend the code",
        "b.1) Proposals of members",
        "Once approved, the committee will publish the proposal.",
    ] {
        raw.outline.push(regreader_model::OutlineEntry {
            title: title.to_owned(),
            level: 1,
            page_num: regreader_model::PageNumber::new(1),
        });
    }
    let options = regreader_assemble::AssembleOptions::new("test_reg".parse().unwrap(), "code.pdf");
    let reg = regreader_assemble::assemble(raw, Vec::new(), &options);
    assert_eq!(numbers(&reg), ["1", "1.1", "2", "2.1"]);
}

/// Lines of English from the margin to the right edge, so that the page shows where it is.
const FULL: &str = "The entity shall keep the records of every exercise, and review the plan with them.";

#[test]
fn a_clause_whose_line_breaks_early_is_one_clause_and_no_heading() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("3 Controls")
                .line("3.1 The entity shall implement controls that:")
                .line(&FULL[..76])
                .line(&FULL[..76])
                .at(120.0, 240.0, "3.1.1 Permit only necessary inbound and outbound access")
                .at(150.0, 260.0, "as determined by the entity;")
                .at(120.0, 290.0, "3.1.2 Protect each System or Scheme of the network where the")
                .at(150.0, 310.0, "Scheme is subject to this standard; and")
                .at(120.0, 700.0, "3.1.3 Authenticate each user prior to permitting access to a")
        })
        .page(|p| p.at(150.0, 90.0, "network that contains such systems.").at(72.0, 120.0, "3.2 Records"))
        .assemble();
    assert_eq!(numbers(&reg), ["3", "3.1", "3.1.1", "3.1.2", "3.1.3", "3.2"]);
    let texts = |kind: BlockType| -> Vec<&str> {
        let blocks = reg.pages.iter().flat_map(|page| &page.content_blocks);
        blocks
            .filter(|block| block.block_type == kind)
            .map(|block| block.content_markdown.trim_start_matches(['#', ' ']))
            .collect()
    };
    assert_eq!(texts(BlockType::Heading), ["3 Controls", "3.2 Records"]);
    let clauses = texts(BlockType::SectionContent);
    assert!(
        clauses.contains(
            &"3.1.1 Permit only necessary inbound and outbound access as determined by the entity;"
        )
    );
    assert!(clauses.contains(
        &"3.1.2 Protect each System or Scheme of the network where the Scheme is subject to this standard; and"
    ));
    assert!(clauses.contains(&"3.1.3 Authenticate each user prior to permitting access to a"), "{clauses:?}");
    assert_eq!(node(&reg, "3.1.3").page_end, Some(regreader_model::PageNumber::from_index(1)));
}

#[test]
fn a_bookmark_on_a_sentence_makes_it_no_heading() {
    let clauses = [
        "1.1 Functional Entities:",
        "1.2 The members of the committee shall be identified as follows:",
        "1.3 Information protection of the systems that the plan names; and",
        "1.4 Reporting duties",
    ];
    let mut raw = Doc::new()
        .page(|p| clauses.iter().fold(p.heading("1 General"), |page, clause| page.line(clause)))
        .raw();
    for title in clauses {
        raw.outline.push(regreader_model::OutlineEntry {
            title: title.to_owned(),
            level: 2,
            page_num: regreader_model::PageNumber::new(1),
        });
    }
    let options = regreader_assemble::AssembleOptions::new("test_reg".parse().unwrap(), "code.pdf");
    let reg = regreader_assemble::assemble(raw, Vec::new(), &options);
    let kinds: Vec<BlockType> = reg.pages[0].content_blocks.iter().map(|block| block.block_type).collect();
    let (heading, clause) = (BlockType::Heading, BlockType::SectionContent);
    assert_eq!(kinds, [heading, heading, clause, clause, heading]);
    assert_eq!(node(&reg, "1.3").title, "Information protection of the systems that the plan names");
}

#[test]
fn a_number_on_a_line_of_its_own_takes_no_list_item_as_title() {
    let reg = Doc::new()
        .page(|p| {
            p.line("Part 1.1")
                .line("• Methods that protect the data")
                .line("Part 1.2")
                .line("• Other methods")
        })
        .assemble();
    let titles: Vec<&str> = reg.structure.iter().map(|node| node.title.as_str()).collect();
    assert!(titles.iter().all(|title| !title.contains('•')), "{titles:?}");
}

#[test]
fn a_reference_at_the_end_of_a_clause_begins_no_appendix() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("20 Information")
                .at(
                    72.0,
                    140.0,
                    "20.1 Confidential information shall not be passed on. A form is included in",
                )
                .at(110.0, 160.0, "Appendix 1")
                .at(
                    72.0,
                    190.0,
                    "20.2 The parties shall control access as this part says, and as stated in the",
                )
                .at(110.0, 210.0, "Appendix 2 and in the rules.")
                .at(72.0, 240.0, "20.3 Records")
        })
        .assemble();
    assert_eq!(numbers(&reg), ["20", "20.1", "20.2", "20.3"]);
}
