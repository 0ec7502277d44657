//! Labels of notes and plans, and captions.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use regreader_model::AnnotationKind;
use regreader_text::{CaptionKind, canonical_label, canonical_table_number, parse_caption, parse_definition};

#[test]
fn a_note_is_known_by_its_label_however_it_is_printed() {
    let mut wrong = Vec::new();
    for (line, label, rest) in [
        ("注1：开机台数不含调相机。", "注1", "开机台数不含调相机。"),
        ("注 1：N-1 原则用于静态分析", "注1", "N-1 原则用于静态分析"),
        ("注１：全压。", "注1", "全压。"),
        ("注①：全压。", "注1", "全压。"),
        ("注① 全压。", "注1", "全压。"),
        ("注一：全压。", "注1", "全压。"),
        ("（注一）全压。", "注1", "全压。"),
        ("（注2）全压。", "注2", "全压。"),
        ("注（3）全压", "注3", "全压"),
        ("注十一：全压", "注11", "全压"),
        ("注 1 全压方式下", "注1", "全压方式下"),
        ("注1、全压", "注1", "全压"),
        ("注:1. 全压", "注1", "全压"),
        ("注：① 全压", "注1", "全压"),
        ("注：全压。", "注", "全压。"),
        ("注 ：电力系统稳定可分为三类", "注", "电力系统稳定可分为三类"),
        ("注：3.5.1~3.5.4 所述电源", "注", "3.5.1~3.5.4 所述电源"),
        ("注：2 台机组运行", "注", "2 台机组运行"),
        ("备注：全压", "注", "全压"),
        ("Note 1: Full voltage only.", "注1", "Full voltage only."),
        ("NOTE—Full voltage", "注", "Full voltage"),
    ] {
        let found = parse_definition(line).map(|found| (found.canonical, found.rest, found.kind));
        if found != Some((label.to_owned(), rest, AnnotationKind::Note)) {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    for (line, label) in [
        ("方案甲：切机", "方案A"),
        ("方案B: 切机", "方案B"),
        ("方案一：切机", "方案1"),
        ("方案 C 切除机组", "方案C"),
    ] {
        let found = parse_definition(line).unwrap_or_else(|| panic!("{line}"));
        assert_eq!((found.canonical.as_str(), found.kind), (label, AnnotationKind::Plan), "{line}");
    }
    for line in [
        "",
        "注册 register",
        "注意：",
        "注入功率",
        "注销",
        "注1中的限额",
        "注1的规定",
        "见注1",
        "注1、注2所列",
        "注1",
        "方案",
        "方案：",
        "方案一致",
        "方案比较：",
        "备用：",
        "终端注册",
        "notebook 1: x",
        "注 0.5 毫升",
    ] {
        if let Some(found) = parse_definition(line) {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn labels_of_a_users_words_are_one_form() {
    for text in [
        "注1",
        "注 1",
        "注１",
        "注①",
        "注一",
        "（注1）",
        "(注 1)",
        "[注1]",
        "见注1",
        "見注1",
        "（见注①）",
        "注1：",
        "注(1)",
        "note 1",
    ] {
        assert_eq!(canonical_label(text).as_deref(), Some("注1"), "{text}");
    }
    for (text, label) in [
        ("注十一", "注11"),
        ("注⑪", "注11"),
        ("注", "注"),
        ("方案甲", "方案A"),
        ("方案a", "方案A"),
        ("方案 丁", "方案D"),
        ("方案Ⅱ", "方案2"),
        ("方案二", "方案2"),
    ] {
        assert_eq!(canonical_label(text).as_deref(), Some(label), "{text}");
    }
    for text in ["", "1", "①", "注意", "注册", "方案", "表1", "注1的内容"] {
        assert_eq!(canonical_label(text), None, "{text}");
    }
}

#[test]
fn captions_are_read_in_all_their_prints() {
    use CaptionKind::{Figure, Table};
    for (line, kind, number, title, continued) in [
        ("表6-2 母线故障处置", Table, "6-2", "母线故障处置", false),
        ("表 6-2 母线故障处置", Table, "6-2", "母线故障处置", false),
        ("表6－2　母线故障处置", Table, "6-2", "母线故障处置", false),
        ("表6—2母线故障处置", Table, "6-2", "母线故障处置", false),
        ("表６．２ 母线", Table, "6.2", "母线", false),
        ("表14(续)", Table, "14", "", true),
        ("表6－2（续）", Table, "6-2", "", true),
        ("表 5-33 终端升级进度上报(续)", Table, "5-33", "终端升级进度上报", true),
        ("表14（续） 线路限额", Table, "14", "线路限额", true),
        ("表6-2（续1）", Table, "6-2", "", true),
        ("表6-2 续", Table, "6-2", "", true),
        ("续表6-2", Table, "6-2", "", true),
        ("续表 6-2 母线故障处置", Table, "6-2", "母线故障处置", true),
        ("续表", Table, "", "", true),
        ("（续表）", Table, "", "", true),
        ("表B.1 消息对照表", Table, "B.1", "消息对照表", false),
        ("表 A.13 驾驶员身份信息表", Table, "A.13", "驾驶员身份信息表", false),
        ("表一 名称", Table, "1", "名称", false),
        ("附表1 限额汇总", Table, "附1", "限额汇总", false),
        ("表6-2", Table, "6-2", "", false),
        ("表3 中性点接地方式", Table, "3", "中性点接地方式", false),
        ("Table 3", Table, "3", "", false),
        ("Table 3 (continued)", Table, "3", "", true),
        ("Table 3. Limits of the Corridor", Table, "3", "Limits of the Corridor", false),
        ("TABLE 3 – LIMITS (CONT'D)", Table, "3", "LIMITS", true),
        ("CIP-004-8 Table R6 – Access Management", Table, "R6", "Access Management", false),
        ("图1       消息结构图", Figure, "1", "消息结构图", false),
        ("图 A.1 接线", Figure, "A.1", "接线", false),
        ("Figure 8.11 - Typical earthing", Figure, "8.11", "Typical earthing", false),
    ] {
        let caption = parse_caption(line).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(
            (caption.kind, caption.number.as_str(), caption.title.as_str(), caption.continued),
            (kind, number, title, continued),
            "{line}"
        );
    }
}

#[test]
fn sentences_about_tables_are_not_captions() {
    for line in [
        "",
        "表6-2中的限额按全压给出",
        "表1给出了各断面的限额",
        "见表6-2",
        "表6-2、表6-3",
        "表 A.1 的内容说明如下：",
        "表6-2规定的限额。",
        "表6-2所列限额",
        "表6-2和表6-3",
        "表3～表5",
        "表示",
        "表",
        "表面放电",
        "图",
        "图纸",
        "Table 3 shows the limits",
        "Table 3, which",
        "Table of Contents",
        "Tables 3 and 4",
        "表 5-。",
        "表3 为各断面限额；全压方式下不变。",
        "代表 3 人",
        "续",
    ] {
        assert!(parse_caption(line).is_none(), "{line}");
    }
}

#[test]
fn the_number_of_a_table_has_one_form() {
    for text in [
        "表6-2",
        "表 6-2",
        "表６－２",
        "表6—2",
        "6-2",
        "见表 6-2",
        "表6-2 母线故障处置",
        "Table 6-2",
        "表6-2（续）",
    ] {
        assert_eq!(canonical_table_number(text).as_deref(), Some("6-2"), "{text}");
    }
    for text in ["", "图3", "母线", "表", "续表"] {
        assert_eq!(canonical_table_number(text), None, "{text}");
    }
}
