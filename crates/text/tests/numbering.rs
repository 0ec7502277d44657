//! Section numbers at the beginning of lines: what is one, what only looks like one, and what may follow what.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use regreader_text::Numbering::{
    self, Appendix, AppendixDecimal, AppendixNumbered, Article, ArticleInserted, Attachment, Chapter,
    Circled, Decimal, Enumerated, Item, Letter, Measure, Paren, ParenDigit, ParenRoman, Part, Requirement,
    RequirementPart, Roman, Section,
};
use regreader_text::{EnglishWord, parse_line};

fn english(word: EnglishWord, number: &[u32], letter: Option<char>) -> Numbering {
    Numbering::English { word, number: number.to_vec(), letter }
}

#[test]
fn every_style_is_read_with_its_title() {
    let decimal = |parts: &[u32]| Decimal(parts.to_vec());
    let mut wrong = Vec::new();
    for (line, numbering, rest) in [
        ("第六章 事故处理", Chapter(6), "事故处理"),
        ("第 六 章　事故处理", Chapter(6), "事故处理"),
        ("第2节 母线", Section(2), "母线"),
        ("第十三条　违反本规定的", Article(13), "违反本规定的"),
        ("第一条为了规范调度", Article(1), "为了规范调度"),
        ("第一百二十条之一 组织", ArticleInserted(120, 1), "组织"),
        ("第二部分：通信", Part(2), "：通信"),
        ("第一编 总则", Part(1), "总则"),
        ("1. 总则", decimal(&[1]), "总则"),
        ("1.总则", decimal(&[1]), "总则"),
        ("1、总则", decimal(&[1]), "总则"),
        ("1 范围", decimal(&[1]), "范围"),
        ("１ 范围", decimal(&[1]), "范围"),
        ("2.1.线路", decimal(&[2, 1]), "线路"),
        ("2.2.1.500千伏长南线", decimal(&[2, 2, 1]), "500千伏长南线"),
        ("2.2.1. 500 千伏长南线", decimal(&[2, 2, 1]), "500 千伏长南线"),
        ("2.2.1 500 千伏长南线", decimal(&[2, 2, 1]), "500 千伏长南线"),
        ("3.1000千伏断面", decimal(&[3]), "1000千伏断面"),
        ("3.500kV断面", decimal(&[3]), "500kV断面"),
        ("1.2024年度方式", decimal(&[1]), "2024年度方式"),
        ("2.2.1.三峡左岸电厂", decimal(&[2, 2, 1]), "三峡左岸电厂"),
        ("2.1.2.1. 系统结构", decimal(&[2, 1, 2, 1]), "系统结构"),
        ("2.1.2.1.1 锦苏直流送端安控系统", decimal(&[2, 1, 2, 1, 1]), "锦苏直流送端安控系统"),
        ("2.1.4.1.6 动作后", decimal(&[2, 1, 4, 1, 6]), "动作后"),
        ("３．２．３ 电网结构", decimal(&[3, 2, 3]), "电网结构"),
        ("２．１", decimal(&[2, 1]), ""),
        ("5.9 次同步振荡或超同步振荡的计算分析", decimal(&[5, 9]), "次同步振荡或超同步振荡的计算分析"),
        ("3.1 分析方法", decimal(&[3, 1]), "分析方法"),
        ("4.2 年度计划", decimal(&[4, 2]), "年度计划"),
        ("2.3 天中直流", decimal(&[2, 3]), "天中直流"),
        ("2.4 台区管理", decimal(&[2, 4]), "台区管理"),
        ("2.汇报国调", decimal(&[2]), "汇报国调"),
        ("0.1 概述", decimal(&[0, 1]), "概述"),
        ("（一）监督检查", Paren(1), "监督检查"),
        ("(十一)其他", Paren(11), "其他"),
        ("（1）检查压板", ParenDigit(1), "检查压板"),
        ("3）汇报", ParenDigit(3), "汇报"),
        ("一、总则", Enumerated(1), "总则"),
        ("十二、附则", Enumerated(12), "附则"),
        ("①检查", Circled(1), "检查"),
        ("a) 电压", Item('a'), "电压"),
        ("ｂ） 频率", Item('b'), "频率"),
        ("(a) Voltage", Item('a'), "Voltage"),
        ("(ii) Frequency", ParenRoman(2), "Frequency"),
        ("附录A（规范性附录）", Appendix('A'), "（规范性附录）"),
        ("附录 Ａ 电力系统稳定性分类", Appendix('A'), "电力系统稳定性分类"),
        ("附 录 B", Appendix('B'), ""),
        ("附录一 名词", AppendixNumbered(1), "名词"),
        ("附件1：名单", Attachment(1), "名单"),
        ("A.1 设备", AppendixDecimal('A', vec![1]), "设备"),
        ("A.2.1         帧格式定义", AppendixDecimal('A', vec![2, 1]), "帧格式定义"),
        ("R1. Each Responsible Entity shall", Requirement(1), "Each Responsible Entity shall"),
        ("R1.2 Review", RequirementPart(1, vec![2]), "Review"),
        ("M1. Evidence", Measure(1), "Evidence"),
        ("Requirement R2", Requirement(2), ""),
        ("Section 4. Applicability", english(EnglishWord::Section, &[4], None), "Applicability"),
        ("ARTICLE IV", english(EnglishWord::Article, &[4], None), ""),
        ("Part 1.2 Systems", english(EnglishWord::Part, &[1, 2], None), "Systems"),
        (
            "Item 7A. Quantitative Disclosures",
            english(EnglishWord::Item, &[7], Some('A')),
            "Quantitative Disclosures",
        ),
        ("Appendix B – Forms", Appendix('B'), "– Forms"),
        ("Attachment 1", Attachment(1), ""),
        ("II. Existing Processes", Roman(2), "Existing Processes"),
        ("B. Requirements and Measures", Letter('B'), "Requirements and Measures"),
        ("C. Compliance", Letter('C'), "Compliance"),
        ("4.1.2.1.1 is part of a program", decimal(&[4, 1, 2, 1, 1]), "is part of a program"),
        ("4.1 Functional Entities", decimal(&[4, 1]), "Functional Entities"),
        ("9.2 A trip of one line", decimal(&[9, 2]), "A trip of one line"),
        ("第4.2.1条 线路跳闸后", decimal(&[4, 2, 1]), "线路跳闸后"),
        ("第 4.2 节　联络线", decimal(&[4, 2]), "联络线"),
    ] {
        let found = parse_line(line).map(|found| (found.numbering, found.rest));
        if found != Some((numbering.clone(), rest)) {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn quantities_dates_names_and_broken_references_are_not_numbers() {
    let mut wrong = Vec::new();
    for line in [
        "",
        "   ",
        "0.5 秒后动作",
        "2.5 万千瓦",
        "2.5万千瓦及以上",
        "2024.1.1 起执行",
        "2024年1月1日",
        "500 千伏母线",
        "500千伏长南线",
        "110kV母线失压",
        "１１０ｋＶ 母线",
        "20 kW",
        "2.5 A or more",
        "32 A fuse",
        "第4.2.1条的规定",
        "第4.2.1条、第4.2.2条",
        "3 台机组运行",
        "1号主变",
        "1 号主变停运",
        "三取二",
        "3取2逻辑",
        "1.5倍",
        "35%",
        "0.8～1.2",
        "3-5 台",
        "10:30 汇报",
        "0:成功",
        "1/2",
        "2 回线路停运",
        "12月31日",
        "5次",
        "30分钟内",
        "100 MW 及以上",
        "2 x 3 MW",
        "1 of the standards",
        "4.2.1 above",
        "16 and 17",
        "2.1.4 条的规定",
        "2.1.4、2.1.5",
        "3.2.1～3.2.4",
        "第十三条规定的",
        "第十三条、第十四条",
        "第三条第二款",
        "第一条件",
        "第二节点电价",
        "第一次",
        "第三类",
        "附录A中的规定",
        "附录A给出了",
        "一、二类负荷",
        "Ⅱ母停运",
        "长治站长南Ⅰ线稳态过电压控制装置 1",
        "锦屏站安控装置1（2）",
        "Section 4.2 of this standard",
        "Part 1.2.1 through Part 1.3",
        "R1, Part 1.2",
        "Requirement R1;",
        "U.S.C. 824",
        "a word",
        "A line",
        "Table 3",
        "192.168.1.1",
        "2024",
        "1234 条",
        "2.05 系数",
        "1. …………… 3",
        "（2026）年",
        "N-1方式",
        "注1：",
        "802.11b",
        "61,153 at P 3",
    ] {
        if let Some(found) = parse_line(line) {
            wrong.push(format!("{line}: {}", found.numbering));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_printed_form_and_its_marks_are_kept() {
    let line = parse_line(" 2.1. 系统结构 ").unwrap();
    assert_eq!((line.printed, line.rest, line.trailing_dot, line.spaced), ("2.1", "系统结构", true, true));
    let line = parse_line("2.1.线路").unwrap();
    assert_eq!((line.trailing_dot, line.spaced), (true, false));
    let line = parse_line("第 十 三 条 电网").unwrap();
    assert_eq!((line.printed, line.spaced), ("第 十 三 条", true));
}

#[test]
fn canonical_numbers_read_back() {
    for text in [
        "第6章",
        "第2节",
        "第13条",
        "第120条之1",
        "第2篇",
        "2",
        "2.1.4",
        "一、",
        "（十一）",
        "（1）",
        "①",
        "a)",
        "(iv)",
        "附录A",
        "附录1",
        "附件1",
        "A.1",
        "A.1.2",
        "R1",
        "R1.2",
        "M3",
        "Section 4.2",
        "Article 4",
        "Item 7A",
        "II",
        "B.",
    ] {
        let numbering = Numbering::parse_canonical(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(numbering.canonical().as_str(), text);
    }
    for text in [
        "",
        "第六章",
        "第06章",
        "2.",
        "2..1",
        ".1",
        "2.01",
        "附录",
        "附录AB",
        "R",
        "Section",
        "Section 4,",
        "（）",
        "第",
        "甲",
    ] {
        assert_eq!(Numbering::parse_canonical(text), None, "{text}");
    }
}

#[test]
fn a_number_follows_its_sibling_its_parent_or_the_sibling_of_an_ancestor() {
    let mut wrong = Vec::new();
    let n = |text: &str| Numbering::parse_canonical(text).unwrap_or_else(|| panic!("{text}"));
    for (previous, next) in [
        ("2.1.4", "2.1.5"),
        ("2.1.4", "2.1.4.1"),
        ("2.1.4", "2.2"),
        ("2.1.4", "3"),
        ("1", "1.1"),
        ("第6章", "第7章"),
        ("第6章", "6.1"),
        ("第6章", "第1节"),
        ("第2章", "第8条"),
        ("第7条", "第2章"),
        ("第7条", "第8条"),
        ("第120条", "第120条之1"),
        ("第120条之1", "第121条"),
        ("6.4", "附录A"),
        ("附录A", "A.1"),
        ("A.2.1", "A.3"),
        ("A.2.1", "附录B"),
        ("R1", "1.1"),
        ("1.3", "R2"),
        ("R1", "R2"),
        ("（一）", "（二）"),
        ("2.1", "（一）"),
        ("Item 7", "Item 7A"),
        ("Item 7A", "Item 8"),
        ("Item 7", "Item 8"),
        ("Section 4", "4.1"),
        ("II", "III"),
        ("B.", "C."),
        ("6.4", "第7章"),
    ] {
        if !n(next).is_successor(&n(previous)) || n(next).gap_from(&n(previous)) != Some(0) {
            wrong.push(format!("{next} after {previous} is refused"));
        }
    }
    for (previous, next) in [
        ("2.1.4", "2.1.6"),
        ("2.1.4", "2.1.4"),
        ("2.1.4", "2.1.3"),
        ("2.1", "2.1.2"),
        ("2.1.4", "2.5"),
        ("2.1.4", "5"),
        ("2.1", "2.1.1.1"),
        ("第6章", "第8章"),
        ("附录A", "附录C"),
        ("（一）", "（三）"),
        ("2.1", "（三）"),
        ("R1", "2.1"),
    ] {
        if n(next).is_successor(&n(previous)) {
            wrong.push(format!("{next} after {previous} is allowed"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(n("2.1.6").gap_from(&n("2.1.4")), Some(1));
    assert_eq!(n("2.1.2.5").gap_from(&n("2.1.2.3.7")), Some(1));
    assert_eq!(n("2.1.3").gap_from(&n("2.1")), Some(2));
    assert_eq!(n("2.1.3").gap_from(&n("2.1.4")), None);
    assert_eq!(n("A.1").parent(), Some(n("附录A")));
    assert_eq!(n("2.1.4").parent(), Some(n("2.1")));
    assert_eq!(n("2.1.4").depth(), 3);
    assert_eq!(n("I").alternative(), Some(Letter('I')));
}

#[test]
fn a_word_that_begins_with_a_numeral_is_no_list_of_numbers() {
    let line = parse_line("36、一个工作负责人不应同时执行两张工作票。").unwrap();
    assert_eq!((line.numbering.to_string().as_str(), line.rest.starts_with("一个")), ("36", true));
    assert_eq!(parse_line("1、二、三号主变"), None);
}
