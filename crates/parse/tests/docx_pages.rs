//! Pages of a Word file: estimated from what the file says, or exact from the PDF made of it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::office_writer::{docx, p, tables};
use regreader_model::{
    PageNumber, RawDocument, RawElement, RawPage, RawText, Rect, SourceFormat, TextOrigin, TextRole, TextUnit,
};
use regreader_parse::docx::{align_pages, parse_flow};
use regreader_parse::{ParseOptions, Parsed, parse};

const SEEN: &str = "<w:lastRenderedPageBreak/>";

fn app(pages: u32) -> String {
    format!("<Properties><Pages>{pages}</Pages></Properties>")
}

fn read(body: &str, pages: Option<u32>) -> Parsed {
    let app = app(pages.unwrap_or(0));
    let further = [("extended-properties", "/docProps/app.xml", app.as_str())];
    let bytes = docx(body, if pages.is_some() { &further } else { &[] });
    match parse(&bytes, "x.docx", &ParseOptions::default()) {
        Ok(parsed) => parsed,
        Err(error) => panic!("{error}"),
    }
}

fn page_texts(document: &RawDocument) -> Vec<Vec<String>> {
    document
        .pages
        .iter()
        .map(|page| {
            let text = |element: &RawElement| match element {
                RawElement::Text(text) => Some(text.text.clone()),
                RawElement::Table(table) => Some(format!("{}行", table.row_count)),
                RawElement::Picture(_) => None,
            };
            page.elements.iter().filter_map(text).collect()
        })
        .collect()
}

#[test]
fn breaks_that_word_saw_are_taken_when_the_page_count_agrees() {
    let cell = |text: &str, seen: &str| format!("<w:tc><w:p><w:r>{seen}<w:t>{text}</w:t></w:r></w:p></w:tc>");
    // Every cell of the row carries its own mark for one page border.
    let body = format!(
        "{}<w:p><w:r><w:t>跨页的</w:t>{SEEN}<w:t>段落。</w:t></w:r></w:p>\
         <w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
        p("首页"),
        cell("甲", ""),
        cell("乙", ""),
        cell("丙", SEEN),
        cell("丁", SEEN)
    );
    let parsed = read(&body, Some(3));
    assert_eq!(page_texts(&parsed.document), [vec!["首页", "跨页的"], vec!["段落。", "1行"], vec!["1行"]]);
    assert_eq!(
        tables(&parsed.document)[1].header_rows,
        Some(0),
        "the rest of a table has no header of its own"
    );
}

#[test]
fn marks_that_contradict_the_page_count_are_not_believed() {
    let marked = format!("<w:p><w:r>{SEEN}<w:t>一句。</w:t></w:r></w:p>").repeat(15);
    assert_eq!(read(&marked, Some(2)).document.pages.len(), 2);
}

#[test]
fn a_long_flow_without_marks_fills_the_recorded_number_of_pages() {
    let body = p(&"安全稳定控制装置运行管理规定。".repeat(20)).repeat(200);
    let parsed = read(&body, Some(40));
    assert!((38..=42).contains(&parsed.document.pages.len()), "{}", parsed.document.pages.len());
    // A count of 1 is what templates leave behind; the flow is laid out by itself then.
    assert!(read(&body, Some(1)).document.pages.len() > 20);
}

#[test]
fn a_page_that_two_breaks_leave_empty_is_a_page() {
    let hard = r#"<w:p><w:r><w:br w:type="page"/></w:r></w:p>"#;
    let body = [p("封面"), hard.to_owned(), hard.to_owned(), p("正文")].concat();
    for pages in [None, Some(3)] {
        let parsed = read(&body, pages);
        assert_eq!(page_texts(&parsed.document), [vec!["封面"], vec![], vec!["正文"]]);
        assert_eq!(parsed.document.pages[1].origin, TextOrigin::Blank);
    }
    let first = read(&[hard.to_owned(), p("正文")].concat(), None);
    assert_eq!(page_texts(&first.document), [vec![], vec!["正文"]], "a break before everything");
    // What must begin a page and already does needs no other page.
    let starts = "<w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t>正文</w:t></w:r></w:p>";
    let parsed = read(&[p("封面"), hard.to_owned(), starts.to_owned()].concat(), None);
    assert_eq!(page_texts(&parsed.document), [vec!["封面"], vec!["正文"]]);
}

/// The PDF side: each page a list of lines.
fn pdf(pages: &[&[&str]]) -> RawDocument {
    let line = |index: usize, text: &str| {
        let y = 60.0 + 20.0 * index as f32;
        RawElement::Text(RawText {
            text: text.to_owned(),
            unit: TextUnit::Line,
            role: TextRole::Body,
            bbox: Some(Rect::new(70.0, y, 500.0, y + 12.0)),
            size: Some(10.5),
            bold: false,
            confidence: None,
        })
    };
    RawDocument {
        format: SourceFormat::Pdf,
        title: None,
        pages: pages
            .iter()
            .enumerate()
            .map(|(index, lines)| RawPage {
                page_num: PageNumber::from_index(index),
                declared_label: None,
                size: Some([595.0, 842.0]),
                origin: TextOrigin::TextLayer,
                elements: lines.iter().enumerate().map(|(at, text)| line(at, text)).collect(),
                links: Vec::new(),
            })
            .collect(),
        outline: Vec::new(),
        pages_approximate: false,
    }
}

fn table_of(rows: usize) -> String {
    let row = |cells: [String; 2], properties: &str| {
        format!("<w:tr>{properties}<w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>", p(&cells[0]), p(&cells[1]))
    };
    let header = row(["断面名称".to_owned(), "限额（万千瓦）".to_owned()], "<w:trPr><w:tblHeader/></w:trPr>");
    let body: String = (1..=rows).map(|n| row([format!("第{n}断面"), format!("{}", n * 100)], "")).collect();
    format!("<w:tbl>{header}{body}</w:tbl>")
}

#[test]
fn a_header_that_is_not_printed_again_is_not_invented_and_no_row_is_lost() {
    let flow = match parse_flow(&docx(&table_of(3), &[]), &ParseOptions::default()) {
        Ok(parsed) => parsed.document,
        Err(error) => panic!("{error}"),
    };
    let pdf =
        pdf(&[&["断面名称", "限额（万千瓦）", "第1断面", "100"], &["第2断面", "200", "第3断面", "300"]]);
    let aligned = align_pages(flow, &pdf);
    let parts = tables(&aligned);
    assert_eq!((parts[0].row_count, parts[1].row_count), (2, 2));
    assert_eq!(parts[1].header_rows, Some(0));
}

#[test]
fn a_header_that_is_printed_again_stands_in_the_table_and_nowhere_else() {
    let flow = match parse_flow(&docx(&table_of(4), &[]), &ParseOptions::default()) {
        Ok(parsed) => parsed.document,
        Err(error) => panic!("{error}"),
    };
    let pdf = pdf(&[
        &["调度规程", "断面名称", "限额（万千瓦）", "第1断面", "100", "第2断面", "200"],
        &["调度规程", "断面名称", "限额（万千瓦）", "第3断面", "300", "第4断面", "400"],
    ]);
    let aligned = align_pages(flow, &pdf);
    let parts = tables(&aligned);
    assert_eq!((parts[0].row_count, parts[1].row_count), (3, 3));
    assert_eq!((parts[1].header_rows, parts[1].cells[0].content.as_str()), (Some(1), "断面名称"));
    assert_eq!(page_texts(&aligned), [["调度规程", "3行"], ["调度规程", "3行"]], "only the head is text");
}

#[test]
fn approximate_pages_do_not_stand_in_the_way_of_exact_ones() {
    let body = [p("开头"), table_of(120), p("结尾")].concat();
    let paged = read(&body, Some(4)).document;
    assert!(tables(&paged).len() > 1, "the estimate has split the table");
    let flow = match parse_flow(&docx(&body, &[]), &ParseOptions::default()) {
        Ok(parsed) => parsed.document,
        Err(error) => panic!("{error}"),
    };
    let rows: Vec<String> = (1..=120).flat_map(|n| [format!("第{n}断面"), format!("{}", n * 100)]).collect();
    let mut first = vec!["开头", "断面名称", "限额（万千瓦）"];
    first.extend(rows[..120].iter().map(String::as_str));
    let mut second: Vec<&str> = rows[120..].iter().map(String::as_str).collect();
    second.push("结尾");
    let pdf = pdf(&[&first, &second]);
    let expected = align_pages(flow, &pdf);
    assert_eq!(tables(&expected).iter().map(|t| t.row_count).collect::<Vec<_>>(), [61, 60]);
    assert_eq!(align_pages(paged, &pdf).pages, expected.pages);
}

#[test]
fn the_pdf_of_another_document_changes_nothing() {
    let paged = read(&[p("第一条 为了加强管理。"), p("第二条 适用本办法。")].concat(), None).document;
    let other = pdf(&[&["Annual report of the company for the year"], &["Balance sheet and notes"]]);
    assert_eq!(align_pages(paged.clone(), &other), paged);
    assert_eq!(align_pages(paged.clone(), &pdf(&[])), paged);
}
