//! The changes as a workbook: limits, wording, what came and went, renumbering; one sheet each.

use super::{ExportError, Heading, Mark, Run, archive, escape, sides};
use regreader_messages::{Language, Word, tools};

use crate::describe::place_label;
use crate::record::{ChangeKind, ChangeRecord, Changes};

const RELATIONS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
<Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/>\
</Relationships>";
/// Style 0 plain and wrapped, style 1 bold for headers.
const STYLES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">\
<fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font><font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>\
<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills>\
<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
<cellXfs count=\"2\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyAlignment=\"1\"><alignment vertical=\"top\" wrapText=\"1\"/></xf>\
<xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\"/></cellXfs></styleSheet>";
/// Longest text of a cell that spreadsheet programs take.
const MAX_CELL: usize = 32_000;

/// The sheets with their names and the kinds they hold.
const SHEETS: [(Word, &[ChangeKind]); 4] = [
    (tools::SHEET_LIMITS, &[ChangeKind::Limit]),
    (tools::SHEET_WORDING, &[ChangeKind::Text, ChangeKind::Note, ChangeKind::Split, ChangeKind::Merged]),
    (tools::SHEET_ADDED, &[ChangeKind::Added, ChangeKind::Deleted]),
    (tools::SHEET_MOVED, &[ChangeKind::Renumbered, ChangeKind::Moved]),
];

/// The columns of a sheet with their widths.
const COLUMNS: [(Word, u32); 12] = [
    (tools::COLUMN_KIND, 10),
    (tools::COLUMN_OLD_PLACE, 24),
    (tools::COLUMN_OLD_PAGE, 7),
    (tools::COLUMN_NEW_PLACE, 24),
    (tools::COLUMN_NEW_PAGE, 7),
    (tools::COLUMN_OLD_TEXT, 50),
    (tools::COLUMN_NEW_TEXT, 50),
    (tools::COLUMN_OLD_VALUE, 12),
    (tools::COLUMN_NEW_VALUE, 12),
    (tools::COLUMN_UNIT, 10),
    (tools::COLUMN_DIFFERENCE, 12),
    (tools::COLUMN_CONCERNS, 24),
];

/// The changes as a workbook.
pub fn xlsx(changes: &Changes, heading: &Heading) -> Result<Vec<u8>, ExportError> {
    let language = heading.language;
    let mut types = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>\
         <Override PartName=\"/xl/styles.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml\"/>",
    );
    let mut sheets = String::new();
    let mut relations = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">",
    );
    let mut files: Vec<(String, String)> = Vec::new();
    for (at, (name, kinds)) in SHEETS.into_iter().enumerate() {
        let (number, name) = (at + 1, language.say(name));
        types.push_str(&format!(
            "<Override PartName=\"/xl/worksheets/sheet{number}.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>"
        ));
        sheets.push_str(&format!(
            "<sheet name=\"{}\" sheetId=\"{number}\" r:id=\"rId{number}\"/>",
            escape(name)
        ));
        relations.push_str(&format!(
            "<Relationship Id=\"rId{number}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet{number}.xml\"/>"
        ));
        let records = changes.changes.iter().filter(|record| kinds.contains(&record.kind));
        files.push((format!("xl/worksheets/sheet{number}.xml"), sheet(records, heading)));
    }
    types.push_str("</Types>");
    relations.push_str(
        "<Relationship Id=\"rId9\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles\" Target=\"styles.xml\"/></Relationships>",
    );
    let workbook = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets>{sheets}</sheets></workbook>"
    );
    files.extend([
        ("[Content_Types].xml".to_owned(), types),
        ("_rels/.rels".to_owned(), RELATIONS.to_owned()),
        ("xl/workbook.xml".to_owned(), workbook),
        ("xl/_rels/workbook.xml.rels".to_owned(), relations),
        ("xl/styles.xml".to_owned(), STYLES.to_owned()),
    ]);
    let files: Vec<(&str, String)> =
        files.iter().map(|(name, content)| (name.as_str(), content.clone())).collect();
    archive(&files)
}

fn sheet<'r>(records: impl Iterator<Item = &'r ChangeRecord>, heading: &Heading) -> String {
    let language = heading.language;
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews><cols>",
    );
    for (at, (_, width)) in COLUMNS.iter().enumerate() {
        out.push_str(&format!("<col min=\"{0}\" max=\"{0}\" width=\"{width}\" customWidth=\"1\"/>", at + 1));
    }
    out.push_str("</cols><sheetData>");
    let header: Vec<String> = COLUMNS
        .into_iter()
        .enumerate()
        .map(|(at, (title, _))| text_cell(at, 1, &[(Mark::Plain, language.say(title).to_owned())], 1))
        .collect();
    out.push_str(&format!("<row r=\"1\">{}</row>", header.concat()));
    let mut line = 2;
    for record in records {
        // A line for each number that changed, and one in any case.
        let quantities: Vec<_> = record.quantities().map(Some).collect();
        let quantities = if quantities.is_empty() { vec![None] } else { quantities };
        for quantity in quantities {
            out.push_str(&row(record, quantity, line, language));
            line += 1;
        }
    }
    out.push_str("</sheetData></worksheet>");
    out
}

fn row(
    record: &ChangeRecord,
    quantity: Option<&crate::record::QuantityChange>,
    line: usize,
    language: Language,
) -> String {
    let plain = |text: String| vec![(Mark::Plain, text)];
    let place = |place: &Option<crate::record::Place>| {
        plain(place.as_ref().map_or_else(String::new, |place| place_label(place, language)))
    };
    let page = |place: &Option<crate::record::Place>| place.as_ref().map(|place| place.page.to_string());
    let (old, new) = sides(record);
    let mut cells = vec![
        text_cell(0, line, &plain(record.kind.label(language).to_owned()), 0),
        text_cell(1, line, &place(&record.old), 0),
        number_cell(2, line, page(&record.old).as_deref()),
        text_cell(3, line, &place(&record.new), 0),
        number_cell(4, line, page(&record.new).as_deref()),
        text_cell(5, line, &old, 0),
        text_cell(6, line, &new, 0),
    ];
    if let Some(quantity) = quantity {
        cells.push(number_cell(7, line, Some(&quantity.old)));
        cells.push(number_cell(8, line, Some(&quantity.new)));
        cells.push(text_cell(9, line, &plain(quantity.unit.clone()), 0));
        cells.push(number_cell(10, line, quantity.difference.as_deref()));
    }
    cells.push(text_cell(11, line, &plain(record.entities.join(language.choose("、", ", "))), 0));
    format!("<row r=\"{line}\">{}</row>", cells.concat())
}

fn name(column: usize, line: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(column).unwrap_or(0));
    format!("{letter}{line}")
}

/// Text is always stored as text, so a cell that begins with `=` is no formula.
fn text_cell(column: usize, line: usize, runs: &[Run], style: usize) -> String {
    if runs.iter().all(|(_, text)| text.is_empty()) {
        return String::new();
    }
    let mut left = MAX_CELL;
    let mut content = String::new();
    for (mark, text) in runs {
        let text: String = text.chars().take(left).collect();
        left -= text.chars().count();
        let properties = match mark {
            Mark::Plain => "",
            Mark::Struck => "<rPr><strike/></rPr>",
            Mark::Underlined => "<rPr><u/></rPr>",
        };
        content.push_str(&format!("<r>{properties}<t xml:space=\"preserve\">{}</t></r>", escape(&text)));
    }
    format!("<c r=\"{}\" s=\"{style}\" t=\"inlineStr\"><is>{content}</is></c>", name(column, line))
}

/// A number as a number, so that the workbook can count with it.
fn number_cell(column: usize, line: usize, value: Option<&str>) -> String {
    let Some(value) = value else { return String::new() };
    let plain: String = value.chars().filter(|c| *c != ',' && *c != '+').collect();
    match plain.parse::<f64>() {
        Ok(_) => format!("<c r=\"{}\" s=\"0\"><v>{plain}</v></c>", name(column, line)),
        Err(_) => text_cell(column, line, &[(Mark::Plain, value.to_owned())], 0),
    }
}
