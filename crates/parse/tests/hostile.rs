//! Damaged and hostile files of every format but PDF (which has `pdf_hostile.rs`): an error that says something, or a
//! document within the limits. Never a panic, never a hang.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::office_writer;

use std::io::Cursor;
use std::path::PathBuf;

use crate::office_writer::{Dice, damage, docx, docx_raw, p, pptx, survives, unzip, xlsx, zip, zip_bytes};
use regreader_parse::{Limits, ParseError, ParseOptions, parse};

/// Damaged copies of each format.
const COPIES: usize = 500;

fn word_file() -> Vec<u8> {
    let row = |a: &str, b: &str| format!("<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>", p(a), p(b));
    let table = format!("<w:tbl>{}{}</w:tbl>", row("断面", "限额"), row("甲乙", "120"));
    let heading = "<w:p><w:pPr><w:pStyle w:val=\"Heading1\"/><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>\
                   <w:r><w:t>总则</w:t></w:r></w:p>";
    let styles = format!(
        "<w:styles {}><w:style w:type=\"paragraph\" w:styleId=\"Heading1\"><w:name w:val=\"heading 1\"/></w:style></w:styles>",
        office_writer::W
    );
    let numbering = format!(
        "<w:numbering {}><w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"decimal\"/>\
         <w:lvlText w:val=\"%1.\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>",
        office_writer::W
    );
    let further =
        [("styles", "styles.xml", styles.as_str()), ("numbering", "numbering.xml", numbering.as_str())];
    docx(&[heading, &p("第一条 为了加强管理。"), &table].concat(), &further)
}

fn workbook() -> Vec<u8> {
    let sheet = "<sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\"><v>45000.5</v></c></row>\
                 <row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>乙</t></is></c><c r=\"B2\"><v>3</v></c></row></sheetData>\
                 <mergeCells><mergeCell ref=\"A3:B4\"/></mergeCells>";
    xlsx(&[("表一", "visible", sheet)], "<cellXfs><xf numFmtId=\"14\"/></cellXfs>", "<si><t>甲</t></si>")
}

fn slides() -> Vec<u8> {
    let shape = "<p:sp><p:txBody><a:p><a:r><a:t>安控装置</a:t></a:r></a:p></p:txBody></p:sp>";
    pptx(&[(shape, "讲稿"), (shape, "")])
}

const HTML: &str = "<html><head><title>规程</title></head><body><h1>1 总则</h1><p>正文<b>加粗</b></p><ul><li>甲<li>乙</ul>\
    <table><tr><th colspan=2>表头</th></tr><tr><td rowspan=2>甲</td><td>1</td></tr><tr><td>2</td></tr></table></body></html>";

const MARKDOWN: &str = "# 规程\n\n## 1 总则\n\n正文 **加粗** [链接](http://x) `码`\n\n- 甲\n  - 乙\n\n| 断面 | 限额 |\n|---|---|\n| 甲 | 120 |\n\n\
    > 引用\n\n```\n代码\n```\n";

const DOCLING: &str = r##"{"schema_name":"DoclingDocument","version":"1.0.0","name":"规程","body":{"self_ref":"#/body","children":[
    {"$ref":"#/texts/0"},{"$ref":"#/tables/0"},{"$ref":"#/groups/0"}]},"groups":[{"self_ref":"#/groups/0","children":[{"$ref":"#/texts/1"}]}],
    "texts":[{"self_ref":"#/texts/0","label":"section_header","level":1,"text":"1 总则","prov":[{"page_no":1,"bbox":{"l":1,"t":9,"r":5,"b":2,
    "coord_origin":"BOTTOMLEFT"}}]},{"self_ref":"#/texts/1","label":"text","text":"正文","prov":[{"page_no":2}]}],
    "tables":[{"self_ref":"#/tables/0","label":"table","prov":[{"page_no":1}],"data":{"num_rows":1,"num_cols":2,"table_cells":[
    {"text":"甲","start_row_offset_idx":0,"end_row_offset_idx":1,"start_col_offset_idx":0,"end_col_offset_idx":1},
    {"text":"乙","start_row_offset_idx":0,"end_row_offset_idx":1,"start_col_offset_idx":1,"end_col_offset_idx":2}]}}],
    "pages":{"1":{"page_no":1,"size":{"width":595,"height":842}},"2":{"page_no":2,"size":{"width":595,"height":842}}}}"##;

fn picture(format: image::ImageFormat) -> Vec<u8> {
    let picture = image::RgbImage::from_fn(24, 16, |x, y| image::Rgb([x as u8 * 9, y as u8 * 11, 128]));
    let mut out = Cursor::new(Vec::new());
    image::DynamicImage::ImageRgb8(picture).write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// Damages the file itself.
fn damaged(specimen: &[u8], name: &str, seed: u64) {
    assert!(parse(specimen, name, &ParseOptions::default()).is_ok(), "{name}: the specimen itself is sound");
    let mut dice = Dice(seed);
    for _ in 0..COPIES {
        survives(&damage(specimen, &mut dice), name);
    }
}

/// Damages a part inside its zip, so that the damage gets past the checksum.
fn damaged_inside(specimen: &[u8], name: &str, seed: u64) {
    damaged(specimen, name, seed);
    let parts = unzip(specimen);
    let mut dice = Dice(seed ^ 0x5DEE_CE66);
    for _ in 0..COPIES {
        let mut parts = parts.clone();
        let at = dice.roll(parts.len());
        parts[at].1 = damage(&parts[at].1, &mut dice);
        survives(&zip_bytes(&parts), name);
    }
}

#[test]
fn damaged_word_files() {
    damaged_inside(&word_file(), "x.docx", 11);
}

#[test]
fn damaged_workbooks() {
    damaged_inside(&workbook(), "x.xlsx", 12);
}

#[test]
fn damaged_slides() {
    damaged_inside(&slides(), "x.pptx", 13);
}

#[test]
fn damaged_text_formats() {
    damaged(HTML.as_bytes(), "x.html", 14);
    damaged(MARKDOWN.as_bytes(), "x.md", 15);
    damaged("第一章 总则\n第一条 为了加强管理。\n".as_bytes(), "x.txt", 16);
    damaged(DOCLING.as_bytes(), "x.json", 17);
}

#[test]
fn damaged_pictures() {
    damaged(&picture(image::ImageFormat::Png), "x.png", 18);
    damaged(&picture(image::ImageFormat::Jpeg), "x.jpg", 19);
    damaged(&picture(image::ImageFormat::Tiff), "x.tiff", 20);
}

#[test]
fn nesting_without_end_is_survived() {
    let deep = 20_000;
    survives(("<div>".repeat(deep) + "内容").as_bytes(), "x.html");
    survives(("<table><tr><td>".repeat(2_000) + "内容").as_bytes(), "x.html");
    survives(("<ul><li>".repeat(deep) + "内容").as_bytes(), "x.html");
    survives((">".repeat(deep) + " 内容").as_bytes(), "x.md");
    survives(("- ".repeat(deep) + "内容").as_bytes(), "x.md");
    survives(("[".repeat(deep) + &"*".repeat(deep) + &"`".repeat(deep)).as_bytes(), "x.md");
    survives((String::from("{\"schema_name\":") + &"[".repeat(deep)).as_bytes(), "x.json");
    let nested = "<w:tbl><w:tr><w:tc>".repeat(3_000) + &p("内容") + &"</w:tc></w:tr></w:tbl>".repeat(3_000);
    survives(&docx(&nested, &[]), "x.docx");
    survives(&docx_raw(&"<w:p>".repeat(deep), &[]), "x.docx");
    let group = "<p:grpSp>".repeat(5_000) + "<p:sp/>" + &"</p:grpSp>".repeat(5_000);
    survives(&pptx(&[(&group, "")]), "x.pptx");
}

#[test]
fn tables_that_claim_to_be_endless_stay_within_the_limits() {
    survives(b"<table><tr><td colspan=1000000000 rowspan=1000000000>x</td></tr></table>", "x.html");
    survives(
        ("<table>".to_owned() + &"<tr><td colspan=1000 rowspan=65534>x".repeat(300)).as_bytes(),
        "x.html",
    );
    let cell = "<w:tc><w:tcPr><w:gridSpan w:val=\"2000000000\"/></w:tcPr><w:p/></w:tc>";
    survives(&docx(&format!("<w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl>"), &[]), "x.docx");
    let far = "<sheetData><row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row><row r=\"1\"><c r=\"A1\"><v>1</v></c></row></sheetData>\
               <mergeCells><mergeCell ref=\"A1:XFD1048576\"/></mergeCells>";
    survives(&xlsx(&[("一", "visible", far)], "", ""), "x.xlsx");
    let grid =
        DOCLING.replace("\"num_rows\":1,\"num_cols\":2", "\"num_rows\":4000000000,\"num_cols\":4000000000");
    survives(grid.as_bytes(), "x.json");
    survives(format!("|{}\n|{}\n", "a|".repeat(50_000), "-|".repeat(50_000)).as_bytes(), "x.md");
}

#[test]
fn references_in_a_ring_end() {
    let ring = DOCLING.replace("{\"$ref\":\"#/texts/1\"}", "{\"$ref\":\"#/groups/0\"},{\"$ref\":\"#/body\"}");
    survives(ring.as_bytes(), "x.json");
    let styles = format!(
        "<w:styles {}><w:style w:type=\"paragraph\" w:styleId=\"a\"><w:basedOn w:val=\"b\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"b\"><w:basedOn w:val=\"a\"/></w:style></w:styles>",
        office_writer::W
    );
    let body = "<w:p><w:pPr><w:pStyle w:val=\"a\"/></w:pPr><w:r><w:t>正文</w:t></w:r></w:p>";
    survives(&docx(body, &[("styles", "styles.xml", &styles)]), "x.docx");
    let entity = "<!DOCTYPE d [<!ENTITY a \"&b;&b;\"><!ENTITY b \"&a;&a;\">]><w:document><w:body>&a;</w:body></w:document>";
    survives(&docx_raw(entity, &[]), "x.docx");
}

#[test]
fn parts_that_unpack_past_the_limit_are_refused_by_name() {
    let limits = Limits { max_part_bytes: 1 << 20, max_total_bytes: 4 << 20, ..Limits::default() };
    let options = ParseOptions { limits, ..ParseOptions::default() };
    let bomb = docx(&format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", " ".repeat(8 << 20)), &[]);
    assert!(bomb.len() < 64 << 10, "it is small on disk: {}", bomb.len());
    let error = parse(&bomb, "x.docx", &options).unwrap_err();
    assert!(matches!(error, ParseError::LimitExceeded { .. }), "{error:?}");
}

/// A file of some kilobytes whose cells all name one long shared string: what counts is what they expand to.
#[test]
fn shared_strings_are_counted_where_they_are_shown() {
    let row = format!("<row>{}</row>", "<c t=\"s\"><v>0</v></c>".repeat(50));
    let sheet = format!("<sheetData>{}</sheetData>", row.repeat(200));
    let strings = format!("<si><t>{}</t></si>", "限".repeat(10_000));
    let bomb = xlsx(&[("一", "visible", &sheet), ("二", "visible", &sheet)], "", &strings);
    assert!(bomb.len() < 64 << 10, "it is small on disk: {}", bomb.len());
    let parsed = parse(&bomb, "x.xlsx", &ParseOptions::default()).unwrap();
    let bytes: usize = office_writer::tables(&parsed.document)
        .into_iter()
        .flat_map(|table| &table.cells)
        .map(|cell| cell.content.len())
        .sum();
    assert!(bytes <= Limits::default().max_text_bytes, "{bytes}");
    assert!(
        parsed.diagnostics.iter().any(|said| said.message.contains("上限") && said.page_num.is_none()),
        "what was cut is said: {:?}",
        parsed.diagnostics
    );
}

/// Not a check: writes what the fuzz targets begin with into the folder that `REGREADER_FUZZ_SEEDS` names. `cargo xtask fuzz`
/// runs it first.
#[test]
#[ignore = "writes the seeds of the fuzz targets; `cargo xtask fuzz` runs it"]
fn seeds_for_the_fuzz_targets() {
    let folder = PathBuf::from(std::env::var_os("REGREADER_FUZZ_SEEDS").expect("where to write them"));
    let unpacked = |bytes: &[u8]| -> Vec<u8> {
        let part =
            |(name, content): (String, Vec<u8>)| [format!("\n--- {name}\n").as_bytes(), &content].concat();
        unzip(bytes).into_iter().flat_map(part).collect()
    };
    let text = "第一章 总则\n第一条 为了加强管理。\n";
    for (target, name, bytes) in [
        ("docx", "parts", unpacked(&word_file())),
        ("docx", "file", word_file()),
        ("pptx", "parts", unpacked(&slides())),
        ("pptx", "file", slides()),
        ("xlsx", "parts", unpacked(&workbook())),
        ("xlsx", "file", workbook()),
        ("html", "file", HTML.into()),
        ("markdown", "file", MARKDOWN.into()),
        ("plain", "file", text.into()),
        ("docling", "file", DOCLING.into()),
        ("image", "png", picture(image::ImageFormat::Png)),
        ("image", "jpeg", picture(image::ImageFormat::Jpeg)),
        ("image", "tiff", picture(image::ImageFormat::Tiff)),
        ("any", "html", HTML.into()),
        ("any", "markdown", MARKDOWN.into()),
        ("any", "plain", text.into()),
        ("any", "docling", DOCLING.into()),
        ("any", "docx", word_file()),
    ] {
        std::fs::create_dir_all(folder.join(target)).unwrap();
        std::fs::write(folder.join(target).join(format!("seed-{name}")), bytes).unwrap();
    }
}

#[test]
fn what_cannot_be_read_says_why() {
    // Word encrypts by wrapping the file in the old compound format.
    let locked = [&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1][..], &[0; 2_000]].concat();
    for (bytes, name) in [
        (&locked[..], "locked.docx"),
        (b"PK\x03\x04 cut off", "cut.docx"),
        (&zip(&[("readme.txt", "no office file")])[..], "other.zip"),
        (b"\x89PNG\r\n\x1a\n", "cut.png"),
        (b"", "empty.docx"),
    ] {
        let error = parse(bytes, name, &ParseOptions::default()).unwrap_err();
        assert!(error.to_string().chars().count() > 4, "{name}: {error}");
    }
}
