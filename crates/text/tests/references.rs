//! What passages of regulations name, form by form.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use regreader_model::ReferenceKind::{
    self, Annotation, Appendix, Article, Chapter, Figure, Plan, Regulation, Section, Table,
};
use regreader_text::{find_references, parse_reference};

/// Kind, number and regulation of every mention.
fn found(text: &str) -> Vec<(ReferenceKind, String, Option<String>)> {
    find_references(text).into_iter().map(|m| (m.target.kind, m.target.number, m.target.regulation)).collect()
}

#[track_caller]
fn assert_found(text: &str, expected: &[(ReferenceKind, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(kind, n)| (*kind, (*n).to_owned(), None)).collect();
    assert_eq!(found(text), expected, "{text}");
}

#[track_caller]
fn assert_in(text: &str, expected: &[(ReferenceKind, &str, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|(kind, n, name)| (*kind, (*n).to_owned(), Some((*name).to_owned()))).collect();
    assert_eq!(found(text), expected, "{text}");
}

#[test]
fn every_form_of_the_acceptance_list_is_read() {
    assert_found("见第六章", &[(Chapter, "6")]);
    assert_found("见表 2-1", &[(Table, "2-1")]);
    assert_found("见表2-1", &[(Table, "2-1")]);
    assert_found("见表２－１", &[(Table, "2-1")]);
    assert_found("见 2.1.4 条", &[(Section, "2.1.4")]);
    assert_found("见2.1.4条", &[(Section, "2.1.4")]);
    assert_found("见注 1", &[(Annotation, "注1")]);
    assert_found("见附录 A", &[(Appendix, "A")]);
    assert_found("第十三条", &[(Article, "13")]);
    assert_in("《调度管理规程》第五条", &[(Article, "5", "调度管理规程")]);
    for text in ["注1", "注 1", "注①", "注一", "（注1）", "见注1", "(见注１)"] {
        assert_found(text, &[(Annotation, "注1")]);
    }
    assert_found("见注十一", &[(Annotation, "注11")]);
    assert_found("执行方案A", &[(Plan, "方案A")]);
    assert_found("执行方案甲", &[(Plan, "方案A")]);
}

#[test]
fn a_mention_covers_the_words_that_name_the_place() {
    let text = "母线失压时，详见表 6-2 和第2.1.4条。";
    let words: Vec<&str> = find_references(text).iter().map(|m| &text[m.range.clone()]).collect();
    assert_eq!(words, ["详见表 6-2", "第2.1.4条"]);
    let text = "依照《电网调度规程》（试行）第十条第二款执行";
    let words: Vec<&str> = find_references(text).iter().map(|m| &text[m.range.clone()]).collect();
    assert_eq!(words, ["《电网调度规程》（试行）第十条第二款"]);
}

#[test]
fn lists_and_ranges_give_each_member() {
    assert_found("见表6-2、表6-3", &[(Table, "6-2"), (Table, "6-3")]);
    assert_found("见表6-2、6-3和6-5", &[(Table, "6-2"), (Table, "6-3"), (Table, "6-5")]);
    assert_found("表 6-2～表 6-4", &[(Table, "6-2"), (Table, "6-3"), (Table, "6-4")]);
    assert_found("第2.1.4、2.1.5条", &[(Section, "2.1.4"), (Section, "2.1.5")]);
    assert_found("2.1.4～2.1.6条", &[(Section, "2.1.4"), (Section, "2.1.5"), (Section, "2.1.6")]);
    assert_found("见 4.5-4.7 小节", &[(Section, "4.5"), (Section, "4.6"), (Section, "4.7")]);
    assert_found("第十三条至第十五条", &[(Article, "13"), (Article, "14"), (Article, "15")]);
    assert_found("第十三、十五条", &[(Article, "13"), (Article, "15")]);
    assert_found("第六、七章", &[(Chapter, "6"), (Chapter, "7")]);
    assert_found("见注1、注3", &[(Annotation, "注1"), (Annotation, "注3")]);
    assert_found("见注1～3", &[(Annotation, "注1"), (Annotation, "注2"), (Annotation, "注3")]);
    assert_found("方案A、B", &[(Plan, "方案A"), (Plan, "方案B")]);
    assert_found("附录A和附录C", &[(Appendix, "A"), (Appendix, "C")]);
    // A slip of the pen does not become hundreds of places.
    assert_found("2.1.4～2.1.400条", &[(Section, "2.1.4"), (Section, "2.1.400")]);
}

#[test]
fn articles_of_laws_are_named_with_their_paragraphs() {
    assert_found("违反本条例第四十八条第二款第（一）至第（八）项规定的", &[(Article, "48")]);
    assert_found("本规定第十五条第一项、第二项、第三项规定", &[(Article, "15")]);
    assert_found(
        "第二十七条第二款、第三十四条、第三十五条",
        &[(Article, "27"), (Article, "34"), (Article, "35")],
    );
    assert_found("第十七条第一、二、三项的规定", &[(Article, "17")]);
    assert_found("第一百二十条之一", &[(Article, "120之1")]);
    // Places in the clause at hand are not resolved by number.
    assert_found("前款规定的措施", &[]);
    assert_found("第二款规定的措施", &[]);
}

#[test]
fn another_law_keeps_its_name_with_or_without_brackets() {
    assert_in(
        "应当根据《邮电法》第五十二条、第五十三条规定",
        &[(Article, "52", "邮电法"), (Article, "53", "邮电法")],
    );
    assert_in("依照刑法第一百零三条第二款处罚", &[(Article, "103", "刑法")]);
    assert_in("违反土地管理法第六十五条的", &[(Article, "65", "土地管理法")]);
    assert_in("依照电力供应与使用条例第三条", &[(Article, "3", "电力供应与使用条例")]);
    assert_in("裁决有民事诉讼法第五条", &[(Article, "5", "民事诉讼法")]);
    assert_in("企业国有资产法第五条", &[(Article, "5", "企业国有资产法")]);
    assert_in("合同法和劳动法第三条", &[(Article, "3", "劳动法")]);
    assert_in("依照《安全规程》中的表6-2", &[(Table, "6-2", "安全规程")]);
    assert_in("《安全规程》（以下简称安规）附录A", &[(Appendix, "A", "安全规程")]);
    assert_found("违反本办法第八条", &[(Article, "8")]);
    assert_found("该方法第三条", &[(Article, "3")]);
    assert_eq!(
        found("《电力法》第五条和本法第六条"),
        [(Article, "5".to_owned(), Some("电力法".to_owned())), (Article, "6".to_owned(), None)]
    );
}

#[test]
fn a_regulation_as_a_whole_is_a_reference_too() {
    assert_in("按《电力系统安全稳定导则》执行", &[(Regulation, "", "电力系统安全稳定导则")]);
    assert_in("符合 GB/T 38755—2019 的规定", &[(Regulation, "", "GB/T 38755-2019")]);
    assert_in("JT/T 808-2019 表 19", &[(Table, "19", "JT/T 808-2019")]);
    assert_in("T/GDRTA 002—2020", &[(Regulation, "", "T/GDRTA 002-2020")]);
    assert_in("ＤＬ７５５—２００１", &[(Regulation, "", "DL 755-2001")]);
    assert_in("CIP-003-8 Requirement R2", &[(Section, "R2", "CIP-003-8")]);
    assert_found("内存 4 GB 以上", &[]);
}

#[test]
fn numbers_that_are_amounts_or_names_are_not_references() {
    let mut wrong = Vec::new();
    for text in [
        "0.5 秒后动作",
        "按 1.5 倍整定",
        "2.5 万千瓦",
        "电压为 110.5 kV",
        "2024.1.1 起执行",
        "三取二",
        "代表一个方向",
        "电表 3 只",
        "仪表2台",
        "关注一下",
        "备注1",
        "注册",
        "注意",
        "注入 20 毫升",
        "方案一致",
        "附件一并报送",
        "第一条件",
        "第二节点",
        "共 13 条线路",
        "第一次",
        "见表 5-。",
        "锦屏站安控装置1（2）",
        "500 千伏母线",
        "长治站长南Ⅰ线稳态过电压控制装置 1",
        "版本 2.1.4",
        "框图 3 所示",
        "IP 为 10.1.2.3",
    ] {
        let found = found(text);
        if !found.is_empty() {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn sections_need_a_word_that_makes_them_places() {
    assert_found("详见 8.12", &[(Section, "8.12")]);
    assert_found("按 2.1.4 执行", &[(Section, "2.1.4")]);
    assert_found("应符合 3.2 的规定", &[(Section, "3.2")]);
    assert_found("注：3.5.1～3.5.3 所述电源", &[(Section, "3.5.1"), (Section, "3.5.2"), (Section, "3.5.3")]);
    assert_found("见 A.1.2", &[(Section, "A.1.2")]);
    assert_found("见附录A.1", &[(Section, "A.1")]);
    assert_found("第 4.3 节", &[(Section, "4.3")]);
    assert_found("见第二节", &[(Section, "第2节")]);
    assert_found("第2部分", &[(Chapter, "第2篇")]);
    assert_found("如图 3 所示，另见图A.1", &[(Figure, "3"), (Figure, "A.1")]);
    assert_found("附表1", &[(Table, "附1")]);
}

#[test]
fn the_label_of_a_note_is_not_a_reference_to_itself() {
    assert_found("注1：见表6-2。\n注2：同注1。", &[(Table, "6-2"), (Annotation, "注1")]);
    assert_found("方案甲：切除 2 台机组", &[]);
    assert_found("开机 3 台（见注1）", &[(Annotation, "注1")]);
}

#[test]
fn english_places_are_read() {
    assert_found("see Section 4.2", &[(Section, "4.2")]);
    assert_found("as required by Requirement R1, Part 1.2.", &[(Section, "R1"), (Section, "1.2")]);
    assert_found("Requirements R1 and R2", &[(Section, "R1"), (Section, "R2")]);
    assert_found("Parts 4.1 through 4.3", &[(Section, "4.1"), (Section, "4.2"), (Section, "4.3")]);
    assert_found("in Table 3 and Appendix A", &[(Table, "3"), (Appendix, "A")]);
    assert_found("Attachment 1, Section 2", &[(Appendix, "附件1"), (Section, "2")]);
    assert_found("Article IV", &[(Article, "4")]);
    assert_found("Item 7A", &[(Section, "Item 7A")]);
    assert_found("Figure 8.11", &[(Figure, "8.11")]);
    assert_found("see Note 12", &[(Annotation, "注12")]);
    assert_found("Sections 12-14, 17", &[(Section, "12"), (Section, "13"), (Section, "14"), (Section, "17")]);
    for text in ["in part 2 of", "the table shows", "sections of the grid", "partial 3", "Sectional 4"] {
        assert_found(text, &[]);
    }
}

#[test]
fn a_users_words_are_read_more_freely() {
    let mut wrong = Vec::new();
    for (text, kind, number, regulation) in [
        ("见表 6-2", Table, "6-2", None),
        ("表6-2", Table, "6-2", None),
        ("6-2", Table, "6-2", None),
        ("第六章", Chapter, "6", None),
        ("六章", Chapter, "6", None),
        ("2.1.4", Section, "2.1.4", None),
        ("２．１．４", Section, "2.1.4", None),
        ("2.1.4.", Section, "2.1.4", None),
        ("2.1.4 故障处理", Section, "2.1.4", None),
        ("13条", Article, "13", None),
        ("注①", Annotation, "注1", None),
        ("方案乙", Plan, "方案B", None),
        ("R1", Section, "R1", None),
        ("附录A", Appendix, "A", None),
        ("Section 4.2", Section, "4.2", None),
        ("《调度规程》第五条", Article, "5", Some("调度规程")),
        ("《调度规程》", Regulation, "", Some("调度规程")),
        ("稳规 2.1.4", Section, "2.1.4", Some("稳规")),
        ("稳规2024 第三章", Chapter, "3", Some("稳规2024")),
        ("angui_2024 表6-2", Table, "6-2", Some("angui_2024")),
    ] {
        let target = parse_reference(text);
        let found = target.as_ref().map(|t| (t.kind, t.number.as_str(), t.regulation.as_deref()));
        if found != Some((kind, number, regulation)) {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for text in ["", "母线失压", "怎么处理", "？", "见", "第", "0.5 秒"] {
        assert_eq!(parse_reference(text), None, "{text}");
    }
}
