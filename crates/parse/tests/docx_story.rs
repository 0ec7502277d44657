//! Reading a Word file: what its styles, lists, notes and revisions mean must come out as a reader sees it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::office_writer;

use crate::office_writer::{cells, docx, docx_raw, p, tables, texts};
use regreader_model::{DiagnosticCode, RawElement, SourceFormat, TextRole};
use regreader_parse::{ParseError, ParseOptions, Parsed, parse};

const STYLES: &str = r#"<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
  <w:style w:type="paragraph" w:styleId="1"><w:name w:val="标题 1"/><w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr>
    <w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style>
  <w:style w:type="paragraph" w:styleId="my"><w:name w:val="自定义"/><w:basedOn w:val="1"/></w:style>
  <w:style w:type="paragraph" w:styleId="loop"><w:name w:val="圈"/><w:basedOn w:val="loop2"/></w:style>
  <w:style w:type="paragraph" w:styleId="loop2"><w:name w:val="圈2"/><w:basedOn w:val="loop"/></w:style>
  <w:style w:type="paragraph" w:styleId="cap"><w:name w:val="caption"/></w:style>
  <w:style w:type="paragraph" w:styleId="t1"><w:name w:val="toc 1"/></w:style>
</w:styles>"#;

const NUMBERING: &str = r#"<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
  <w:abstractNum w:abstractNumId="0">
    <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCounting"/><w:pStyle w:val="1"/><w:lvlText w:val="第%1章"/></w:lvl>
    <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:isLgl/><w:lvlText w:val="%1.%2"/></w:lvl>
  </w:abstractNum>
  <w:abstractNum w:abstractNumId="1">
    <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1)"/></w:lvl>
    <w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val=""/></w:lvl>
  </w:abstractNum>
  <w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num>
  <w:num w:numId="8"><w:abstractNumId w:val="1"/></w:num>
</w:numbering>"#;

fn read(bytes: &[u8]) -> Parsed {
    match parse(bytes, "x.docx", &ParseOptions::default()) {
        Ok(parsed) => parsed,
        Err(error) => panic!("{error}"),
    }
}

fn styled(style: &str, text: &str) -> String {
    format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn listed(list: u32, level: u32, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr></w:pPr>\
         <w:r><w:t>{text}</w:t></w:r></w:p>"
    )
}

#[test]
fn automatic_numbers_are_part_of_the_text_and_styles_give_roles() {
    let body = [
        styled("1", "总则"),
        listed(7, 1, "本规定适用于直调装置。"),
        listed(8, 0, "汇报国调；"),
        listed(8, 1, "现场核对；"),
        listed(8, 0, "退出压板。"),
        styled("my", "安控系统"),
        listed(7, 1, "系统由主站和子站组成。"),
        styled("loop", "循环的样式不会死循环"),
    ]
    .concat();
    let further = [("styles", "styles.xml", STYLES), ("numbering", "numbering.xml", NUMBERING)];
    let parsed = read(&docx(&body, &further));
    assert_eq!(
        texts(&parsed.document),
        [
            ("第一章 总则", TextRole::Heading { level: 1 }),
            ("1.1 本规定适用于直调装置。", TextRole::Body),
            ("a) 汇报国调；", TextRole::ListItem),
            ("现场核对；", TextRole::ListItem),
            ("b) 退出压板。", TextRole::ListItem),
            ("第二章 安控系统", TextRole::Heading { level: 1 }),
            ("2.1 系统由主站和子站组成。", TextRole::Body),
            ("循环的样式不会死循环", TextRole::Body),
        ]
    );
    let heading = office_writer::raw_texts(&parsed.document)[0];
    assert!(heading.bold);
    assert_eq!(heading.size, Some(16.0));
}

#[test]
fn a_section_break_alone_in_a_list_paragraph_takes_no_number() {
    let empty =
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"7\"/></w:numPr><w:sectPr/></w:pPr></w:p>";
    let body = [empty.to_owned(), listed(7, 0, "填空题")].concat();
    let parsed = read(&docx(&body, &[("numbering", "numbering.xml", NUMBERING)]));
    assert_eq!(texts(&parsed.document)[0].0, "第一章 填空题");
}

#[test]
fn deletions_are_gone_insertions_stay_and_a_deleted_mark_joins_paragraphs() {
    let body = "<w:p><w:r><w:t>限额</w:t></w:r><w:del><w:r><w:delText>300</w:delText></w:r></w:del>\
        <w:ins><w:r><w:t>280</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>旧</w:t></w:r></w:moveFrom></w:p>\
        <w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>前半句，</w:t></w:r></w:p>\
        <w:p><w:r><w:t>后半句。</w:t></w:r></w:p>";
    assert_eq!(
        texts(&read(&docx(body, &[])).document),
        [("限额280", TextRole::Body), ("前半句，后半句。", TextRole::Body)]
    );
}

#[test]
fn tables_keep_their_spans_headers_and_what_hangs_in_their_cells() {
    let cell =
        |properties: &str, text: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", p(text));
    let body = format!(
        "<w:tbl><w:tblGrid><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/></w:tblGrid>\
         <w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}</w:tr>\
         <w:tr>{}{}{}</w:tr>\
         <w:sdt><w:sdtContent><w:tr>{}{}{}</w:tr></w:sdtContent></w:sdt>\
         <w:tr><w:trPr><w:del/></w:trPr>{}</w:tr></w:tbl>",
        cell("<w:gridSpan w:val=\"2\"/>", "断面"),
        cell("", "限额"),
        cell("<w:vMerge w:val=\"restart\"/>", "长南线"),
        cell("", "全接线"),
        cell("", "500"),
        cell("<w:vMerge/>", ""),
        cell("", "检修"),
        cell("", "300"),
        cell("", "已删除的行"),
    );
    let parsed = read(&docx(&body, &[]));
    let tables = tables(&parsed.document);
    assert_eq!(tables.len(), 1);
    assert_eq!((tables[0].row_count, tables[0].col_count, tables[0].header_rows), (3, 3, Some(1)));
    assert_eq!(
        cells(tables[0]),
        [
            (0, 0, 1, 2, "断面"),
            (0, 2, 1, 1, "限额"),
            (1, 0, 2, 1, "长南线"),
            (1, 1, 1, 1, "全接线"),
            (1, 2, 1, 1, "500"),
            (2, 1, 1, 1, "检修"),
            (2, 2, 1, 1, "300"),
        ]
    );
}

#[test]
fn grid_columns_that_no_cell_begins_at_are_no_columns() {
    let row = |a: &str, b: &str| {
        format!(
            "<w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>{}</w:tc>\
             <w:tc><w:tcPr><w:gridSpan w:val=\"3\"/></w:tcPr>{}</w:tc></w:tr>",
            p(a),
            p(b)
        )
    };
    let body = format!("<w:tbl>{}{}</w:tbl>", row("甲", "乙"), row("丙", "丁"));
    let parsed = read(&docx(&body, &[]));
    assert_eq!((tables(&parsed.document)[0].row_count, tables(&parsed.document)[0].col_count), (2, 2));
}

#[test]
fn a_nested_table_is_text_of_its_cell_and_a_table_of_its_own_and_a_lone_cell_is_a_frame() {
    let inner = format!(
        "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>",
        p("甲"),
        p("乙"),
        p("丙"),
        p("丁")
    );
    let body = format!(
        "<w:tbl><w:tr><w:tc>{}{inner}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl><w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>",
        p("内含"),
        p("旁"),
        p("框内文字")
    );
    let parsed = read(&docx(&body, &[]));
    let tables = tables(&parsed.document);
    assert_eq!(tables.len(), 2);
    assert_eq!(tables[0].cells[0].content, "内含\n甲 乙\n丙 丁");
    assert_eq!((tables[1].row_count, tables[1].col_count), (2, 2));
    assert_eq!(texts(&parsed.document), [("框内文字", TextRole::Body)]);
}

#[test]
fn contents_fields_captions_symbols_notes_and_text_boxes() {
    let body = format!(
        "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>TOC \\o</w:instrText></w:r>\
           <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>1 总则</w:t><w:tab/><w:t>3</w:t></w:r></w:p>\
         <w:p><w:r><w:t>2 安控</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>\
         <w:p><w:r><w:t xml:space=\"preserve\">表 </w:t></w:r><w:fldSimple w:instr=\" SEQ 表 \"><w:r><w:t>1</w:t></w:r></w:fldSimple>\
           <w:r><w:t xml:space=\"preserve\"> 限额</w:t></w:r></w:p>\
         <w:p><w:r><w:sym w:font=\"Wingdings\" w:char=\"F0FE\"/><w:t>已核对</w:t><w:noBreakHyphen/><w:t>甲</w:t><w:softHyphen/></w:r>\
           <w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> eq \\o\\ac(○,2) </w:instrText></w:r>\
           <w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>隐藏</w:t></w:r></w:p>\
         <w:p><w:r><w:t>正文</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r>\
           <w:r><w:pict><v:shape xmlns:v=\"urn:schemas-microsoft-com:vml\"><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>\
         <w:p><w:hyperlink r:id=\"hyperlink\"><w:r><w:t>链接文字</w:t></w:r></w:hyperlink></w:p>",
        p("文本框")
    );
    let notes = format!(
        "<w:footnotes {}><w:footnote w:id=\"0\" w:type=\"separator\"><w:p/></w:footnote>\
         <w:footnote w:id=\"2\">{}</w:footnote></w:footnotes>",
        office_writer::W,
        p("脚注内容")
    );
    let further = [("footnotes", "footnotes.xml", notes.as_str()), ("hyperlink", "https://example.com/", "")];
    let parsed = read(&docx(&body, &further));
    assert_eq!(
        texts(&parsed.document),
        [
            ("1 总则\t3", TextRole::ContentsLine),
            ("2 安控", TextRole::ContentsLine),
            ("表 1 限额", TextRole::Caption),
            ("☑已核对-甲②", TextRole::Body),
            ("正文[1]", TextRole::Body),
            ("文本框", TextRole::Body),
            ("链接文字", TextRole::Body),
            ("[1] 脚注内容", TextRole::Footnote),
        ]
    );
    assert_eq!(parsed.document.pages[0].links[0].uri.as_deref(), Some("https://example.com/"));
}

#[test]
fn pictures_carry_their_alternative_text_and_formulas_are_latex() {
    let body = "<w:p><w:r><w:drawing><wp:inline xmlns:wp=\"wp\"><wp:docPr descr=\"接线图\"/><pic:pic xmlns:pic=\"pic\"/></wp:inline></w:drawing></w:r></w:p>\
        <w:p><w:r><w:t xml:space=\"preserve\">按 </w:t></w:r><m:oMath xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\">\
        <m:f><m:num><m:r><m:t>P</m:t></m:r></m:num><m:den><m:r><m:t>U</m:t></m:r></m:den></m:f></m:oMath><w:r><w:t xml:space=\"preserve\"> 计算</w:t></w:r></w:p>";
    let parsed = read(&docx(body, &[]));
    let picture = parsed.document.pages[0].elements.iter().find_map(|element| match element {
        RawElement::Picture(picture) => picture.description.clone(),
        _ => None,
    });
    assert_eq!(picture.as_deref(), Some("接线图"));
    assert_eq!(texts(&parsed.document), [("按 $\\frac{P}{U}$ 计算", TextRole::Body)]);
}

#[test]
fn other_prefixes_for_the_same_vocabulary_make_no_difference() {
    let document = "<ns0:document xmlns:ns0=\"http://purl.oclc.org/ooxml/wordprocessingml/main\">\
        <ns0:body><ns0:p><ns0:r><ns0:t>严格格式</ns0:t></ns0:r></ns0:p></ns0:body></ns0:document>";
    assert_eq!(texts(&read(&docx_raw(document, &[])).document), [("严格格式", TextRole::Body)]);
}

#[test]
fn a_document_that_breaks_off_keeps_what_was_read_and_says_so() {
    let document = format!("<w:document {}><w:body>{}<w:p><w:r><w:t>后半", office_writer::W, p("前半"));
    let parsed = read(&docx_raw(&document, &[]));
    assert_eq!(texts(&parsed.document).len(), 2);
    assert!(parsed.diagnostics.iter().any(|d| d.code == DiagnosticCode::Malformed));
}

#[test]
fn an_empty_document_is_an_error() {
    assert!(matches!(parse(&docx("", &[]), "x.docx", &ParseOptions::default()), Err(ParseError::NoPages)));
    let missing = office_writer::zip(&[("word/other.xml", "<a/>")]);
    let error = parse(&missing, "x.docx", &ParseOptions::default());
    assert!(matches!(error, Err(ParseError::Malformed { format: SourceFormat::Docx, .. })), "{error:?}");
}
