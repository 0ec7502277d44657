//! Running heads, page labels, paragraphs over page borders, and the quality report.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::support;

use crate::support::{Doc, doc_page, dropped, node, page, page_text, tables};
use regreader_model::{BlockType, DiagnosticCode, TextOrigin, TextRole};

const TEXT: &str = "安控装置按双重化配置，两套装置的电源、通道、出口回路应相互独立。";

#[test]
fn running_heads_and_page_numbers_go_and_the_label_stays() {
    let mut doc = Doc::new().page(|p| p.large("运行规定"));
    for label in ["i", "ii"] {
        doc = doc.page(|p| p.head("运行规定（2024 版）").para("前言文字。").foot(label));
    }
    for number in 1..=6 {
        let label = format!("— {number} —");
        doc = doc.page(|p| {
            p.head("运行规定（2024 版）")
                .heading(&format!("{number} 第{number}部分内容"))
                .para(TEXT)
                .foot(&label)
        });
    }
    let reg = doc.assemble();
    let labels: Vec<Option<&str>> = reg.pages.iter().map(|page| page.page_label.as_deref()).collect();
    let expected = [
        None,
        Some("i"),
        Some("ii"),
        Some("— 1 —"),
        Some("— 2 —"),
        Some("— 3 —"),
        Some("— 4 —"),
        Some("— 5 —"),
        Some("— 6 —"),
    ];
    assert_eq!(labels, expected);
    assert_eq!(dropped(&reg, "running_head").len(), 8);
    assert_eq!(dropped(&reg, "page_number").len(), 8);
    assert!(reg.pages.iter().skip(1).all(|page| !page.content_markdown.contains("2024 版")));
    assert_eq!(reg.info.title, "运行规定");
}

#[test]
fn continued_captions_at_the_top_of_many_pages_are_no_running_head() {
    let mut doc = Doc::new();
    for number in 1..=6 {
        let caption = if number == 1 { "表1 压板清单" } else { "表1（续）" };
        let row = format!("{number}|压板{number}");
        doc = doc.page(|p| {
            let body: Vec<&str> =
                std::iter::once("序号|名称").chain(std::iter::repeat_n(row.as_str(), 35)).collect();
            p.centered(caption).table(&body)
        });
    }
    let reg = doc.assemble();
    assert!(dropped(&reg, "running_head").is_empty());
    assert_eq!(tables(&reg).len(), 1);
    assert_eq!(tables(&reg)[0].row_count, 6 * 35);
}

#[test]
fn a_watermark_goes_and_its_words_are_on_record() {
    let mut doc = Doc::new();
    for number in 1..=4 {
        doc = doc.page(|mut p| {
            p = p.heading(&format!("{number} 内容{number}"));
            p.at(250.0, 420.0, "内部资料").para(&format!("本页{number}所述为第{number}部分。"))
        });
    }
    let reg = doc.assemble();
    assert_eq!(dropped(&reg, "watermark"), ["内部资料"; 4]);
    assert!(!page_text(&reg, 2).contains("内部资料"));
}

#[test]
fn a_paragraph_over_the_page_border_stays_one_block_a_page() {
    let reg = Doc::new()
        .page(|p| p.heading("1 总则").bottom().clause(&support::two_full_lines("1.1 ", "并由现场运行值")))
        .page(|p| p.clause("班人员核对另一套装置运行正常。").clause("1.2 其他要求。"))
        .assemble();
    assert!(doc_page(&reg, 1).continues_to_next && doc_page(&reg, 2).continues_from_prev);
    assert_eq!(node(&reg, "1.1").page_range(), (page(1), page(2)));
    assert_eq!(node(&reg, "1.1").content_block_ids.len(), 2);
    let tail = &doc_page(&reg, 2).content_blocks[0];
    assert_eq!(
        (tail.block_type, tail.content_markdown.as_str()),
        (BlockType::SectionContent, "班人员核对另一套装置运行正常。")
    );
    assert_eq!(doc_page(&reg, 2).chapter_path, ["1 总则", node(&reg, "1.1").heading().as_str()]);
    assert_eq!(doc_page(&reg, 2).active_chapters.len(), 2);
}

#[test]
fn lines_become_paragraphs_by_indent_and_line_end() {
    let reg = Doc::new()
        .page(|p| {
            p.heading("1 总则")
                .para(&format!("{TEXT}{TEXT}"))
                .para(TEXT)
                .para("短段落。")
                .item("a) 第一项；")
                .item("b) 第二项。")
        })
        .assemble();
    let texts: Vec<&str> =
        doc_page(&reg, 1).content_blocks.iter().map(|b| b.content_markdown.as_str()).collect();
    let joined = format!("{TEXT}{TEXT}");
    assert_eq!(texts, ["# 1 总则", joined.as_str(), TEXT, "短段落。", "a) 第一项；", "b) 第二项。"]);
}

#[test]
fn pages_that_cannot_be_read_are_said_so() {
    let mut raw = Doc::new().page(|p| p.heading("1 总则")).page(|p| p).page(|p| p.heading("2 附则")).raw();
    raw.pages[1].origin = TextOrigin::NeedsOcr;
    raw.pages[2].origin = TextOrigin::Ocr { confidence: 0.6 };
    let options = regreader_assemble::AssembleOptions::new("a".parse().expect("an id"), "a.pdf");
    let reg = regreader_assemble::assemble(raw, vec![], &options);
    assert!(page_text(&reg, 2).contains("需要 OCR"));
    assert_eq!(reg.quality.pages_by_origin["needs_ocr"], [page(2)]);
    assert_eq!(reg.quality.low_confidence_pages, [page(3)]);
    assert!(
        reg.quality
            .diagnostics
            .iter()
            .any(|d| d.code == DiagnosticCode::NeedsOcr && d.page_num == Some(page(2)))
    );
}

#[test]
fn declared_heads_and_feet_of_a_word_file_are_dropped() {
    let reg = Doc::new()
        .page(|p| {
            p.declared(TextRole::PageHeader, "运行规定")
                .declared(TextRole::Heading { level: 1 }, "1 总则")
                .declared(TextRole::Body, "正文。")
                .declared(TextRole::PageFooter, "第 1 页 共 3 页")
        })
        .assemble();
    assert_eq!(doc_page(&reg, 1).page_label.as_deref(), Some("第 1 页 共 3 页"));
    assert_eq!(page_text(&reg, 1), "# 1 总则\n\n正文。");
}

#[test]
fn a_paragraph_knows_where_each_of_its_lines_stands() {
    let reg = Doc::new().page(|p| p.heading("1 总则").para(&TEXT.repeat(3))).assemble();
    let block =
        doc_page(&reg, 1).content_blocks.iter().find(|block| block.block_type == BlockType::Text).unwrap();
    assert!(block.lines.len() > 1, "{block:?}");
    let letters = block.content_markdown.chars().filter(|c| c.is_alphanumeric()).count();
    assert_eq!(block.lines.last().unwrap().end as usize, letters, "the last line ends where the text ends");
    assert!(
        block.lines.windows(2).all(|pair| pair[0].end < pair[1].end && pair[0].bbox.y0 < pair[1].bbox.y0)
    );
    let whole = block.lines.iter().map(|line| line.bbox).reduce(|a, b| a.union(&b)).unwrap();
    let block_box = block.bbox.unwrap();
    assert!((whole.x0 - block_box.x0).abs() < 0.01 && (whole.y1 - block_box.y1).abs() < 0.01);
}

#[test]
fn a_line_without_a_place_leaves_the_block_to_be_marked_whole() {
    let line =
        |text: &'static str, y: f32| (text, Some(regreader_model::Rect::new(90.0, y, 500.0, y + 12.0)));
    let lines =
        regreader_model::LineBox::from_lines([line("2.1 事故处理，", 100.0), line("10 kV 母线", 120.0)]);
    assert_eq!(lines.iter().map(|line| line.end).collect::<Vec<_>>(), [6, 12]);
    assert!(regreader_model::LineBox::from_lines([line("有", 100.0), ("没有", None)]).is_empty());
}

#[test]
fn a_page_number_at_the_end_of_a_running_head_is_the_label() {
    let doc = (2..=6).fold(Doc::new(), |doc, number| {
        doc.page(|p| p.head(&format!("Docket No. EL26-69-000 - {number} -")).para(TEXT))
    });
    let reg = doc.assemble();
    let labels: Vec<&str> = reg.pages.iter().filter_map(|page| page.page_label.as_deref()).collect();
    assert_eq!(labels, ["- 2 -", "- 3 -", "- 4 -", "- 5 -", "- 6 -"]);
    let plain = (2..=6).fold(Doc::new(), |doc, number| {
        doc.page(|p| p.head("Docket No. EL26-69-000-").para(TEXT).line(&format!("Item {number}")))
    });
    assert!(plain.assemble().pages.iter().all(|page| page.page_label.is_none()));
}
