//! Title, number, edition, dates and replacement, as covers, fields, running heads and closing clauses print them.

use crate::support::{Doc, Page};
use regreader_assemble::{AssembleOptions, assemble};
use regreader_model::{EventKind, RegulationInfo, TextRole};

fn info(doc: Doc, file: &str) -> RegulationInfo {
    assemble(doc.raw(), Vec::new(), &AssembleOptions::new("test_reg".parse().unwrap(), file)).info
}

fn events(info: &RegulationInfo) -> Vec<(EventKind, String, String)> {
    let one = |event: &regreader_model::EditionEvent| {
        let date = event.date.map(|date| date.to_string()).unwrap_or_default();
        (event.kind, date, event.subject.clone().unwrap_or_default())
    };
    info.events.iter().map(one).collect()
}

#[test]
fn a_title_field_wins_over_the_first_heading_and_the_code_is_the_number() {
    let mut doc = Doc::new().page(|p| {
        p.head("ABC-004-8 — Plant Safety – Outage Planning")
            .heading("A. Introduction")
            .line("1. Title: Plant Safety — Outage Planning")
            .line("2. Number: ABC\u{2010}004\u{2010}8")
            .line("5. Effective Date: See Implementation Plan.")
    });
    for _ in 0..4 {
        doc = doc.page(|p| {
            p.head("ABC-004-8 — Plant Safety – Outage Planning").line("R1. Each owner shall plan.")
        });
    }
    let info = info(doc, "abc-004-8.pdf");
    assert_eq!(info.title, "Plant Safety — Outage Planning");
    assert_eq!(info.number.as_deref(), Some("ABC-004-8"));
    assert_eq!((info.edition.as_deref(), info.series.as_deref()), (Some("8"), Some("ABC-004")));
    assert_eq!(info.aliases, ["ABC-004-8", "ABC-004"]);
    assert!(info.events.is_empty(), "a pointer to another document is no date");
}

#[test]
fn a_cover_gives_its_title_over_two_lines_its_own_number_and_its_dates() {
    let cover = |p: Page| {
        p.line("ICS 29.020")
            .centered("中 华 人 民 共 和 国 国 家 标 准")
            .line("GB 98765—2019")
            .line("代替 DL 4321—2001")
            .large("示例系统")
            .large("（安全要求）")
            .line("2019-12-31 发布 2020-07-01 实施")
    };
    let mut doc = Doc::new().page(cover);
    for n in 1..6 {
        doc = doc
            .page(|p| p.head("GB 98765—2019").heading(&format!("{n} 范围")).para("本标准规定了基本要求。"));
    }
    let info = info(doc, "scan0001.pdf");
    assert_eq!(info.title, "示例系统（安全要求）");
    assert_eq!(info.number.as_deref(), Some("GB 98765-2019"));
    assert_eq!(info.edition.as_deref(), Some("2019"));
    assert_eq!(info.effective_from.as_deref(), Some("2020-07-01"));
    assert_eq!(
        events(&info),
        [
            (EventKind::Replaced, String::new(), "DL 4321-2001".to_owned()),
            (EventKind::Published, "2019-12-31".to_owned(), String::new()),
            (EventKind::Effective, "2020-07-01".to_owned(), String::new()),
        ]
    );
}

#[test]
fn a_numbered_heading_is_no_title_where_a_running_head_names_the_document() {
    let page = |p: Page| p.head("XYZ Engineering Recommendation K77").foot("Issue 3 2024");
    let mut doc =
        Doc::new().page(|p| page(p).large("4. Terms and definitions").line("The following terms apply."));
    for _ in 0..5 {
        doc = doc.page(|p| page(p).line("Active power is the real part of the power."));
    }
    let info = info(doc, "K77_slice.pdf");
    assert_eq!(info.title, "XYZ Engineering Recommendation K77");
    assert_eq!((info.number.as_deref(), info.edition.as_deref()), (Some("K77"), Some("Issue 3 2024")));
}

#[test]
fn an_order_is_called_by_its_heading_not_by_the_body_that_issues_it() {
    let info = info(
        Doc::new().page(|p| {
            p.centered("195 XERC ¶ 61,212")
                .centered("UNITED STATES OF EXAMPLE")
                .centered("ENERGY COMMISSION")
                .line("Before Commissioners: A. Smith, Chairman.")
                .centered("ORDER INSTITUTING PROCEEDING")
                .centered("UNDER SECTION 206 OF THE ACT")
                .centered("(Issued June 18, 2026)")
                .line("This order begins a proceeding under section two of the act and says why.")
        }),
        "e-8.pdf",
    );
    assert_eq!(info.title, "Order Instituting Proceeding Under Section 206 of the Act");
    assert_eq!(info.number.as_deref(), Some("195 XERC ¶ 61,212"));
    assert_eq!(events(&info), [(EventKind::Published, "2026-06-18".to_owned(), String::new())]);
}

#[test]
fn a_law_takes_its_dates_from_the_lines_below_its_name_and_from_its_last_article() {
    let info = info(
        Doc::new().page(|p| {
            p.declared(TextRole::Heading { level: 1 }, "中华人民共和国示例法")
                .declared(TextRole::Body, "1995年12月28日 第八届全国人民代表大会常务委员会第十七次会议通过")
                .declared(TextRole::Body, "第一条 为了示例，制定本法。")
                .declared(TextRole::Body, "第二条 本法自1996年4月1日起施行。《旧示例条例》同时废止。")
        }),
        "示例法(2018-12-29).md",
    );
    assert_eq!(info.title, "中华人民共和国示例法");
    assert_eq!(info.aliases, ["示例法"]);
    assert_eq!(
        events(&info),
        [
            (EventKind::Adopted, "1995-12-28".to_owned(), String::new()),
            (EventKind::Effective, "1996-04-01".to_owned(), String::new()),
            (EventKind::Abolished, "1996-04-01".to_owned(), "旧示例条例".to_owned()),
        ]
    );
}

#[test]
fn garbage_gives_way_to_the_file_name() {
    let doc = || Doc::new().page(|p| p.large("! \"#$%&'()*+,-./").large("%&'( !\"").line("\"#!\"$ ##!$"));
    assert_eq!(info(doc(), "GMT_0036-2014_门禁系统密码应用技术指南.pdf").title, "门禁系统密码应用技术指南");
    let number = info(doc(), "GMT_0036-2014_门禁系统密码应用技术指南.pdf").number;
    assert_eq!(number.as_deref(), Some("GM/T 0036-2014"));
    assert_eq!(info(doc(), "plain name.pdf").title, "plain name");
}

#[test]
fn a_part_of_a_code_that_nothing_else_names_is_called_by_the_name_of_the_part() {
    let part = |title: Option<&str>| {
        let mut doc = Doc::new().page(|p| {
            p.large("Part 3")
                .large("Fire Protection, Occupant Safety and")
                .large("Accessibility")
                .line("3.1. General")
        });
        doc = doc.page(|p| p.line("The scope of this part is as described in the first division."));
        let mut raw = doc.raw();
        raw.title = title.map(str::to_owned);
        assemble(raw, Vec::new(), &AssembleOptions::new("test_reg".parse().unwrap(), "code3.docx")).info.title
    };
    assert_eq!(part(None), "Fire Protection, Occupant Safety and Accessibility");
    assert_eq!(part(Some("National Building Code")), "National Building Code");
}

#[test]
fn the_dates_of_a_version_history_are_not_the_effective_date() {
    let mut doc = Doc::new().page(|p| {
        p.heading("A. Introduction")
            .line("1. Title: Plant Safety")
            .line("2. Number: ABC-004-8")
            .line("5. Effective Date: See Implementation Plan for ABC-004-8.")
    });
    doc = doc.page(|p| {
        p.heading("Version History").table(&[
            "Version|Date|Action",
            "1|January 16, 2006|Effective Date",
            "2|05/06/10|Approved by the board. Effective Date: April 1, 2010",
            "8|November 2, 2023|Adopted by the board",
        ])
    });
    let info = info(doc, "abc-004-8.pdf");
    assert_eq!(info.effective_from, None);
    assert!(info.events.iter().all(|event| event.kind != EventKind::Effective), "{:?}", info.events);
}

#[test]
fn the_one_heading_above_all_others_is_the_title_whatever_its_level() {
    let heading = |level| TextRole::Heading { level };
    let body = TextRole::Body;
    let titled = Doc::new().page(|p| {
        p.declared(heading(2), "继电保护反事故措施汇编")
            .declared(heading(3), "1 总则")
            .declared(body, "保护装置应按双重化配置。")
            .declared(heading(3), "2 二次回路")
            .declared(body, "二次回路应有一点接地。")
    });
    assert_eq!(info(titled, "relay.md").title, "继电保护反事故措施汇编");
    let chapters = Doc::new().page(|p| {
        p.declared(heading(2), "1 保护装置的配置要求")
            .declared(body, "保护装置应按双重化配置。")
            .declared(heading(2), "2 二次回路的接地要求")
            .declared(body, "二次回路应有一点接地。")
    });
    assert_eq!(info(chapters, "relay.md").title, "relay", "the first chapter is not the document");
}
