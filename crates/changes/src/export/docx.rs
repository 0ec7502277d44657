//! The 修订对照表 for Word: one table of three columns, landscape, its header repeated on every page.

use regreader_messages::tools;

use super::{ExportError, Heading, Mark, Run, archive, counts, escape, sides};
use crate::describe::{place_label, quantity_text};
use crate::record::{ChangeRecord, Changes, Place};

const CONTENT_TYPES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
<Default Extension=\"xml\" ContentType=\"application/xml\"/>\
<Override PartName=\"/word/document.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/>\
<Override PartName=\"/word/styles.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml\"/>\
</Types>";
const RELATIONS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
<Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"word/document.xml\"/>\
</Relationships>";
const DOCUMENT_RELATIONS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
<Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles\" Target=\"styles.xml\"/>\
</Relationships>";
const STYLES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<w:styles xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:docDefaults><w:rPrDefault><w:rPr>\
<w:rFonts w:ascii=\"Times New Roman\" w:hAnsi=\"Times New Roman\" w:eastAsia=\"SimSun\"/><w:sz w:val=\"20\"/>\
</w:rPr></w:rPrDefault></w:docDefaults>\
<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/></w:style></w:styles>";
/// Widths of the three columns of a landscape A4 page, in twentieths of a point.
const WIDTHS: [u32; 3] = [3000, 5700, 5700];

/// The changes as a Word document.
pub fn docx(changes: &Changes, heading: &Heading) -> Result<Vec<u8>, ExportError> {
    let language = heading.language;
    let mut body = paragraph(&[(Mark::Plain, heading.title())], "<w:b/><w:sz w:val=\"30\"/>");
    body.push_str(&paragraph(&[(Mark::Plain, counts(changes, language))], ""));
    body.push_str(
        "<w:tbl><w:tblPr><w:tblW w:w=\"14400\" w:type=\"dxa\"/><w:tblLayout w:type=\"fixed\"/><w:tblBorders>",
    );
    for side in ["top", "left", "bottom", "right", "insideH", "insideV"] {
        body.push_str(&format!("<w:{side} w:val=\"single\" w:sz=\"4\" w:space=\"0\" w:color=\"auto\"/>"));
    }
    body.push_str("</w:tblBorders></w:tblPr><w:tblGrid>");
    for width in WIDTHS {
        body.push_str(&format!("<w:gridCol w:w=\"{width}\"/>"));
    }
    body.push_str("</w:tblGrid>");
    let head = [language.say(tools::COLUMN_CLAUSE).to_owned(), heading.old.clone(), heading.new.clone()];
    let head = head.map(|text| paragraph(&[(Mark::Plain, text)], "<w:b/>"));
    body.push_str(&row(&head, "<w:trPr><w:tblHeader/></w:trPr>"));
    for record in &changes.changes {
        body.push_str(&change(record, heading));
    }
    body.push_str("</w:tbl>");
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}\
         <w:sectPr><w:pgSz w:w=\"16838\" w:h=\"11906\" w:orient=\"landscape\"/>\
         <w:pgMar w:top=\"1134\" w:right=\"1134\" w:bottom=\"1134\" w:left=\"1134\" w:header=\"567\" w:footer=\"567\" w:gutter=\"0\"/>\
         </w:sectPr></w:body></w:document>"
    );
    archive(&[
        ("[Content_Types].xml", CONTENT_TYPES.to_owned()),
        ("_rels/.rels", RELATIONS.to_owned()),
        ("word/_rels/document.xml.rels", DOCUMENT_RELATIONS.to_owned()),
        ("word/styles.xml", STYLES.to_owned()),
        ("word/document.xml", document),
    ])
}

fn change(record: &ChangeRecord, heading: &Heading) -> String {
    let language = heading.language;
    let mut labels: Vec<String> = Vec::new();
    for place in [&record.old, &record.new].into_iter().flatten().chain(&record.others) {
        let label = place_label(place, language);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let plain = |text: String| paragraph(&[(Mark::Plain, text)], "");
    let mut first = plain(labels.join(" → "));
    first.push_str(&plain(record.kind.label(language).to_owned()));
    record.quantities().for_each(|quantity| {
        first.push_str(&paragraph(&[(Mark::Plain, quantity_text(quantity, language))], "<w:b/>"));
    });
    if let Some(place) = &record.possibly {
        first.push_str(&plain(tools::possibly(language, place_label(place, language), place.page)));
    }
    let (old, new) = sides(record);
    row(&[first, side(&old, record.old.as_ref()), side(&new, record.new.as_ref())], "")
}

fn side(runs: &[Run], place: Option<&Place>) -> String {
    let mut cell = paragraphs(runs);
    if let Some(place) = place {
        cell.push_str(&paragraph(&[(Mark::Plain, format!("P{}", place.page))], "<w:sz w:val=\"16\"/>"));
    }
    if cell.is_empty() { paragraph(&[], "") } else { cell }
}

fn row(cells: &[String; 3], properties: &str) -> String {
    let mut out = format!("<w:tr>{properties}");
    for (cell, width) in cells.iter().zip(WIDTHS) {
        out.push_str(&format!("<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/></w:tcPr>{cell}</w:tc>"));
    }
    out.push_str("</w:tr>");
    out
}

/// A paragraph for each line.
fn paragraphs(runs: &[Run]) -> String {
    let mut lines: Vec<Vec<Run>> = vec![Vec::new()];
    for (mark, text) in runs {
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                lines.push(Vec::new());
            }
            if let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) {
                line.push((*mark, part.to_owned()));
            }
        }
    }
    lines.retain(|line| !line.is_empty());
    lines.iter().map(|line| paragraph(line, "")).collect()
}

fn paragraph(runs: &[Run], properties: &str) -> String {
    let mut out = String::from("<w:p>");
    for (mark, text) in runs {
        let mark = match mark {
            Mark::Plain => "",
            Mark::Struck => "<w:strike/>",
            Mark::Underlined => "<w:u w:val=\"single\"/>",
        };
        // The order of run properties is fixed by the schema: bold, strike, size, underline.
        let properties = match (properties, mark) {
            ("", mark) => mark.to_owned(),
            (properties, _) => properties.to_owned(),
        };
        out.push_str(&format!(
            "<w:r><w:rPr>{properties}</w:rPr><w:t xml:space=\"preserve\">{}</w:t></w:r>",
            escape(text)
        ));
    }
    out.push_str("</w:p>");
    out
}
