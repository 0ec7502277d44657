//! The markup of `samples/src/*.txt` as blocks, and blocks as HTML. Only what edits need: references are printed as text.

use std::fmt::Write as _;

/// One block with an identity that edits keep.
#[derive(Debug, Clone)]
pub struct Block {
    pub uid: usize,
    pub kind: Kind,
    /// Depth of a heading or clause, from 1.
    pub level: usize,
    /// Decimal number of a heading or clause; empty for other blocks and other numbers.
    pub number: Vec<u32>,
    /// Text without a decimal number.
    pub text: String,
    pub table: Option<Table>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Heading,
    Clause,
    Paragraph,
    Table,
    Note,
}

#[derive(Debug, Clone)]
pub struct Table {
    pub key: String,
    pub header_rows: usize,
    /// Rows of cells, header first; `^` and `<` continue the cell above and to the left.
    pub rows: Vec<Vec<String>>,
}

/// Reads the markup of a body.
pub fn blocks(source: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let body = source.split_once("@body\n").unwrap().1;
    let mut lines = body.lines();
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let mut block = Block {
            uid: blocks.len(),
            kind: Kind::Paragraph,
            level: 0,
            number: Vec::new(),
            text: String::new(),
            table: None,
        };
        if let Some(table) = line.strip_prefix("@table ") {
            let mut parts = table.split('|').map(str::trim);
            let key = parts.next().unwrap().to_owned();
            block.text = printed(parts.next().unwrap_or_default());
            let options = parts.next().unwrap_or_default();
            let header = options.split_whitespace().find_map(|option| option.strip_prefix("header="));
            let rows = lines
                .by_ref()
                .take_while(|line| !line.starts_with("@end"))
                .filter(|line| line.starts_with('|'));
            let rows = rows.map(cells).collect();
            block.kind = Kind::Table;
            block.table =
                Some(Table { key, header_rows: header.map_or(1, |count| count.parse().unwrap()), rows });
        } else if let Some(note) = line.strip_prefix("@note ") {
            block.kind = Kind::Note;
            block.text = printed(note.split_once(' ').unwrap().1);
        } else if line.starts_with('@') {
            continue;
        } else if line.starts_with('#') {
            let marks = line.bytes().take_while(|b| *b == b'#').count();
            let rest = &line[marks..];
            block.kind = if rest.starts_with('>') { Kind::Clause } else { Kind::Heading };
            block.level = marks;
            (block.number, block.text) = numbered(&printed(rest.trim_start_matches('>').trim()));
        } else {
            block.text = printed(line.trim_start_matches("* "));
        }
        blocks.push(block);
    }
    blocks
}

fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split('|').map(|cell| printed(cell.trim())).collect()
}

/// `{见表 2-1→table:2-1}` as it is printed.
fn printed(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let close = rest[open..].find('}').map_or(rest.len(), |at| open + at);
        out.push_str(&rest[..open]);
        out.push_str(rest[open + 1..close].split('→').next().unwrap_or_default());
        rest = rest.get(close + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn numbered(text: &str) -> (Vec<u32>, String) {
    let head = text.split(' ').next().unwrap_or_default();
    let number: Option<Vec<u32>> =
        head.trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect();
    match number {
        Some(number) => (number, text[head.len()..].trim().to_owned()),
        None => (Vec::new(), text.to_owned()),
    }
}

/// A number as it is printed.
pub fn label(number: &[u32]) -> String {
    number.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")
}

/// The blocks as an HTML document.
pub fn html(blocks: &[Block]) -> String {
    let mut out = String::from("<!doctype html><html><head><meta charset=\"utf-8\"></head><body>\n");
    for block in blocks {
        let text = escape(&block.text);
        let number = label(&block.number);
        match block.kind {
            Kind::Heading if number.is_empty() => {
                writeln!(out, "<h{0}>{text}</h{0}>", block.level.min(6)).unwrap();
            }
            Kind::Heading => writeln!(out, "<h{0}>{number}. {text}</h{0}>", block.level.min(6)).unwrap(),
            Kind::Clause if number.is_empty() => writeln!(out, "<p>{text}</p>").unwrap(),
            Kind::Clause => writeln!(out, "<p>{number} {text}</p>").unwrap(),
            Kind::Paragraph | Kind::Note => writeln!(out, "<p>{text}</p>").unwrap(),
            Kind::Table => table(&mut out, &text, block.table.as_ref().unwrap()),
        }
    }
    out.push_str("</body></html>\n");
    out
}

fn table(out: &mut String, caption: &str, table: &Table) {
    writeln!(out, "<p>{caption}</p><table>").unwrap();
    for (at, row) in table.rows.iter().enumerate() {
        out.push_str("<tr>");
        for (col, cell) in row.iter().enumerate() {
            if cell == "^" || cell == "<" {
                continue;
            }
            let wide = 1 + row[col + 1..].iter().take_while(|cell| *cell == "<").count();
            let tall = 1 + table.rows[at + 1..]
                .iter()
                .take_while(|row| row.get(col).is_some_and(|cell| cell == "^"))
                .count();
            let tag = if at < table.header_rows { "th" } else { "td" };
            write!(out, "<{tag} colspan=\"{wide}\" rowspan=\"{tall}\">{}</{tag}>", escape(cell)).unwrap();
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
