//! Passages of pages and tables: what belongs to one, and what is kept of a long one.

use serde_json::json;

use super::*;

fn page(blocks: &[(&str, &str, &str)]) -> PageDocument {
    let blocks: Vec<_> = blocks
        .iter()
        .enumerate()
        .map(|(at, (kind, node, text))| {
            json!({ "block_id": format!("p0004-b{at:03}"), "block_type": kind, "chapter_node_id": node,
                    "chapter_path": ["4 要求"], "content_markdown": text })
        })
        .collect();
    let page = json!({ "reg_id": "a_1", "page_num": 4, "content_blocks": blocks });
    serde_json::from_value(page).unwrap_or_else(|error| panic!("{error}"))
}

/// The parts of a focus.
struct Asked(Terms, Meaning);

impl Asked {
    fn of(question: &str) -> Self {
        Self(Terms::read(question), Meaning::of(question, &[]))
    }

    fn focus<'a>(&'a self, value: Option<&'a AskedValue>) -> Focus<'a> {
        Focus { terms: &self.0, meaning: &self.1, value, weights: Weights::fitted() }
    }
}

fn cited(page: u32, target: Option<CitationTarget>) -> Citation {
    let page_num = PageNumber::new(page);
    Citation { reg_id: "a_1".parse().ok(), name: "甲".to_owned(), page_num, target, ..Citation::default() }
}

fn around(page: &PageDocument, at: usize, question: &str) -> Passage {
    let id = format!("p0004-b{at:03}");
    Passage::around(page, &cited(4, None), Some(&id), &Terms::read(question))
        .unwrap_or_else(|| panic!("none"))
}

#[test]
fn an_examination_item_that_is_marked_false_is_never_quoted() {
    let page = page(&[
        ("text", "n", "28、隔离挡板应开启。（×）"),
        ("text", "n", "29、隔离挡板应可靠封闭。（√）"),
        ("text", "n", "30、应立即请示领导。( ×）"),
    ]);
    let text = around(&page, 1, "隔离挡板").text();
    assert!(text.contains("应可靠封闭") && !text.contains("应开启") && !text.contains("请示"), "{text}");
    assert!(!is_marked_false("截面为 3×（2×5）mm"));
}

#[test]
fn who_asks_in_the_words_of_a_lead_in_is_given_its_list() {
    let passage = Passage::quoted(
        "调度机构应当按规定开展培训，培训情况应当记录在案并定期检查。\n值班人员应当熟悉设备的运行方式和负荷情况。\n\
         恢复送电前应当核对下列资料：\n1. 安装介质；\n2. 定值单；\n3. 竣工图纸。",
        &cited(4, None),
    );
    let asked = Asked::of("恢复送电前应当核对哪些资料？");
    let chances = passage.chances(&asked.focus(None));
    let (lead, items) = (chances[chances.len() - 4], &chances[chances.len() - 3..]);
    assert!(lead.abs() < 1e-9 && items.iter().all(|item| *item > chances[0]), "{chances:?}");
    assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let quoted = passage.shortened(40, &asked.focus(None));
    assert!(
        quoted.contains("下列资料") && quoted.contains("竣工图纸") && !quoted.contains("培训"),
        "{quoted}"
    );
}

#[test]
fn what_stands_before_the_first_chapter_is_front_matter() {
    let mut page = page(&[("text", "n", "2014年7月1日 施行"), ("text", "n", "第一条 为了保护电网设施。")]);
    assert!(!around(&page, 0, "施行").is_front, "it stands in a chapter");
    page.content_blocks[0].chapter_path.clear();
    assert!(around(&page, 0, "施行").is_front && !around(&page, 1, "电网").is_front);
}

#[test]
fn a_list_overleaf_follows_its_lead_in() {
    let first = page(&[("text", "n", "母线失压时，按以下步骤处理：")]);
    let mut next = page(&[("list", "n", "1.立即汇报；"), ("list", "n", "2.拉开开关。")]);
    let asked = Asked::of("母线失压");
    let passage = around(&first, 0, "母线失压");
    let list = passage.continued(&next, &cited(5, None), &asked.0).map(|one| one.text());
    assert_eq!(list.as_deref(), Some("1.立即汇报；\n2.拉开开关。"));
    next.content_blocks[0].chapter_path = vec!["5 附则".to_owned()];
    assert!(passage.continued(&next, &cited(5, None), &asked.0).is_none(), "another chapter");
    assert!(around(&next, 1, "开关").continued(&next, &cited(5, None), &asked.0).is_none(), "no lead-in");
}

#[test]
fn a_list_item_without_a_number_comes_with_its_lead_in_and_no_other_clause() {
    let page = page(&[
        ("heading", "n1", "## 4.1 启动"),
        ("text", "n1", "启动前应满足下列要求："),
        ("list", "n1", "a) 电压正常；"),
        ("list", "n1", "b) 频率正常。"),
        ("text", "n2", "4.2 停机应汇报。"),
    ]);
    let passage = around(&page, 3, "频率");
    assert_eq!(passage.text(), "启动前应满足下列要求：\na) 电压正常；\nb) 频率正常。");
    assert_eq!(passage.citation.to_string(), "[来源: 甲 P4]");
}

#[test]
fn a_heading_stands_for_what_is_under_it() {
    let page = page(&[("heading", "n1", "## 4.1 启动"), ("text", "n2", "4.1.1 启动前应汇报。")]);
    assert_eq!(around(&page, 0, "启动").text(), "4.1.1 启动前应汇报。");
}

#[test]
fn what_does_not_fit_is_left_out_but_not_the_exception() {
    let long = "值班员应巡视设备。".repeat(20);
    let text = format!("{long}线路跳闸后应强送一次。但电缆线路不得强送。{long}");
    let page = page(&[("text", "n1", &text)]);
    let passage = around(&page, 0, "线路跳闸后强送几次");
    let asked = Asked::of("线路跳闸后强送几次");
    let short = passage.shortened(40, &asked.focus(None));
    assert!(short.contains("应强送一次。但电缆线路不得强送。"), "{short}");
    assert!(size(&short) <= 44, "{short}");
}

#[test]
fn a_lead_in_stands_before_its_own_items_only_and_no_sentence_is_cut() {
    let long = "The entity shall keep records of every change for three years. ".repeat(8);
    let page = page(&[
        ("text", "n1", "Examples of situations that lack access controls include:"),
        ("list", "n1", "- An asset with dial-up access that nobody guards."),
        ("text", "n1", &long),
        ("text", "n1", "An actual incident counts as an exercise of the response plan."),
    ]);
    let passage = around(&page, 3, "incident exercise");
    let asked = Asked::of("Does an actual incident count as an exercise?");
    let short = passage.shortened(60, &asked.focus(None));
    assert!(short.contains("counts as an exercise") && !short.contains("lack access"), "{short}");
    let sentence =
        format!("The entity shall notify {}within one hour.", "the operator of the area, and ".repeat(12));
    let page = page_of(&sentence);
    let asked = Asked::of("notify");
    let quoted = around(&page, 0, "notify").shortened(100, &asked.focus(None));
    assert_eq!(quoted, sentence);
}

fn page_of(text: &str) -> PageDocument {
    page(&[("text", "n1", text)])
}

#[test]
fn rows_of_a_quoted_table_are_kept_whole_under_their_header() {
    let row = |n: u32| format!("| {n} | Replace the inverter. It must comply. | no |");
    let rows: Vec<String> = (1..30).map(row).collect();
    let text = format!(
        "| Nr | Case | Full |\n|---|---|---|\n{}\n| 30 | Replace the turbine. It may stay. | yes |",
        rows.join("\n")
    );
    let asked = Asked::of("turbine");
    let focus = asked.focus(None);
    let quoted = Passage::quoted(&text, &Citation::default()).shortened(60, &focus);
    assert!(quoted.starts_with("| Nr | Case | Full |"), "{quoted}");
    assert!(quoted.contains("| 30 | Replace the turbine. It may stay. | yes |"), "{quoted}");
    assert!(quoted.lines().all(|line| line == "…" || line.ends_with('|')), "{quoted}");
}

#[test]
fn of_a_long_text_the_sentence_with_the_value_is_kept() {
    let long = "人员应按附录填写。".repeat(10);
    let text = format!("调试确认单应经审核。{long}确认应在调试后28日内作出。{long}");
    let page = page(&[("text", "n1", &text)]);
    let asked =
        regreader_question::Question::read("调试确认单多久交？", regreader_question::Lexicon::built_in());
    let parts = Asked::of(&asked.text);
    let passage = around(&page, 0, &asked.text);
    let short = |value: Option<&AskedValue>| passage.shortened(14, &parts.focus(value));
    assert!(asked.value.is_some());
    assert!(short(asked.value.as_ref()).contains("28日内"), "{}", short(asked.value.as_ref()));
    assert!(!short(None).contains("28日内"), "{}", short(None));
}

#[test]
fn what_a_lead_in_announces_comes_before_what_stands_above_it() {
    let text = "双方应判断连接。\n平台判断断开的方法：\n——终端主动断开；\n终端判断断开的方法：\n——平台主动断开；\n——链路断开。";
    let page = page(&[("text", "n1", text)]);
    let asked = Asked::of("终端判断断开的方法");
    let short = around(&page, 0, "终端判断").shortened(30, &asked.focus(None));
    assert!(short.ends_with("终端判断断开的方法：\n——平台主动断开；\n——链路断开。"), "{short}");
}

#[test]
fn of_a_long_row_the_cell_that_answers_is_read_on() {
    let table = TableText {
        reg_id: "a_1",
        table_id: "t1",
        caption: "",
        path: Vec::new(),
        context: String::new(),
        headers: &["Part", "Applicable Systems", "Requirements", "Measures"],
        cited: cited(14, None),
    };
    let systems = "High impact systems: 1. EACMS; 2. PACS; and 3. PCA at every control center";
    let requirement = "Enforce the following password parameters: 5.5.1. Password length of eight characters; and 5.5.2. Complexity.";
    let row = Passage::row(&table, 5, 14, &["5.5", systems, requirement, "Screenshots of the settings"]);
    let asked = Asked::of("How short may a password be?");
    let short = row.shortened(72, &asked.focus(None));
    assert_eq!(short, format!("Part: 5.5\n…\nRequirements: {requirement}"));
}

#[test]
fn a_row_says_its_columns_and_a_merged_note_once() {
    let table = TableText {
        reg_id: "a_1",
        table_id: "t1",
        caption: "表3-3 限额表",
        path: Vec::new(),
        context: "3 限额".to_owned(),
        headers: &["台数", "方式", "限额"],
        cited: cited(11, Some(CitationTarget::Table("3-3".to_owned()))),
    };
    let row = Passage::row(&table, 2, 12, &["3", "全压", "全压"]);
    assert_eq!(row.text(), "台数: 3\n方式: 全压\n限额: 全压");
    assert_eq!(row.citation.to_string(), "[来源: 甲 P12 表3-3]");
    let spanning = Passage::row(&table, 3, 12, &["注：检修时减半", "注：检修时减半", "注：检修时减半"]);
    assert_eq!(spanning.text(), "注：检修时减半");
}

#[test]
fn sentences_end_where_people_end_them() {
    assert_eq!(split_sentences("应汇报。不得强送；"), ["应汇报。", "不得强送；"]);
    assert_eq!(split_sentences("应接地。（√）不得强送。"), ["应接地。（√）不得强送。"]);
    assert_eq!(
        split_sentences("The operator shall report. The line stays open, e.g. No. 5 of it."),
        ["The operator shall report.", " The line stays open, e.g. No. 5 of it."]
    );
    let systems = "High impact systems and their associated: 1. EACMS; and 2. PACS Medium impact systems. Each entity shall act.";
    assert_eq!(split_sentences(systems).len(), 3, "{:?}", split_sentences(systems));
    assert_eq!(split_sentences("The report is due in 2019. The line is open.").len(), 2);
    let notes = "The study was filed.¹²³ It shows a loss “at the bus.”⁴⁵ Costs grow by 2 m² per unit.";
    assert_eq!(
        split_sentences(notes),
        ["The study was filed.¹²³", " It shows a loss “at the bus.”⁴⁵", " Costs grow by 2 m² per unit."]
    );
}

#[test]
fn a_lead_in_may_have_a_remark_behind_it() {
    assert!(leads("The evaluation shall consider the following: [Time Horizon: Planning]"));
    assert!(leads("应满足下列要求：") && !leads("The report is due [see 3: below]") && !leads("none]"));
}

#[test]
fn a_clause_is_cited_only_for_what_stands_in_it() {
    let mut page = page(&[("text", "n", "应立即汇报。"), ("text", "n", "并做好记录。")]);
    let number = |number: &str| serde_json::from_value(json!(number)).ok();
    page.content_blocks[0].section_number = number("4.1");
    page.content_blocks[1].section_number = number("4.1.2");
    let target = |page: &PageDocument| around(page, 0, "汇报").citation.to_string();
    assert_eq!(target(&page), "[来源: 甲 P4 4.1]", "a part of a clause stands in it");
    page.content_blocks[1].section_number = number("4.10");
    assert_eq!(target(&page), "[来源: 甲 P4]");
    page.content_blocks[1].section_number = None;
    assert_eq!(target(&page), "[来源: 甲 P4]");
}

/// A sentence that is longer than the room is quoted whole: cut, it says something else than its page.
#[test]
fn a_long_sentence_is_not_cut_to_a_small_room() {
    let long =
        format!("The operator shall {} and a built-in closet is not required.", "act at once, ".repeat(40));
    let page = page(&[("text", "n", "The line stays open."), ("text", "n", &long)]);
    let asked = Asked::of("Is a built-in closet required?");
    let quoted = around(&page, 1, "built-in closet").shortened(80, &asked.focus(None));
    assert!(quoted.ends_with("closet is not required."), "{quoted}");
}
