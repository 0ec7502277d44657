//! Markdown: headings, lists, pipe tables, code, front matter, and HTML where it is mixed in.
//!
//! Marks are taken off: the text of `**第一条** 为了…` is `第一条 为了…`, since a quotation is of words, not of asterisks.

mod inline;
mod table;

use regreader_model::{RawElement, RawPicture, RawText, SourceFormat, TextRole};

use crate::flow::{self, Flow};
use crate::{Limits, ParseError, ParseOptions, Parsed, html, page_marks, plain};

/// Parses a Markdown file.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let mut flow = Flow::default();
    let text = plain::read_text(bytes, SourceFormat::Markdown, options, &mut flow)?;
    let (title, body) = front_matter(&text);
    let lines: Vec<&str> = body.lines().collect();
    let mut reader = Reader {
        flow: &mut flow,
        limits: &options.limits,
        paragraph: Vec::new(),
        one_title: one_title(&lines),
        unclosed: Vec::new(),
    };
    for page in page_marks::pages(&lines) {
        reader.flow.page_break();
        reader.flow.label(page.label);
        let mut at = 0;
        while at < page.lines.len() {
            at = reader.block(&page.lines, at);
        }
        reader.end_paragraph();
    }
    Ok(flow.finish(SourceFormat::Markdown, title, options))
}

/// Title from the front matter, and what stands below it.
fn front_matter(text: &str) -> (Option<String>, &str) {
    let Some(rest) = text.strip_prefix("---\n") else { return (None, text) };
    let Some((matter, body)) = rest.split_once("\n---\n").or_else(|| rest.split_once("\n...\n")) else {
        return (None, text);
    };
    // A thematic break at the top of a text is not front matter.
    if !matter.lines().all(|line| line.contains(':') || line.starts_with([' ', '-', '#']) || line.is_empty())
    {
        return (None, text);
    }
    let title = matter
        .lines()
        .find_map(|line| line.strip_prefix("title:"))
        .map(|title| title.trim().trim_matches(['"', '\'']).to_owned());
    (title.filter(|title| !title.is_empty()), body)
}

/// Whether there is exactly one heading of the first level: then it is the title.
fn one_title(lines: &[&str]) -> bool {
    let mut fenced = false;
    let mut count = 0;
    for line in lines {
        fenced ^= fence(line).is_some();
        count += usize::from(!fenced && line.starts_with("# "));
    }
    count == 1
}

struct Reader<'a> {
    flow: &'a mut Flow,
    limits: &'a Limits,
    /// Lines of the paragraph that is open, with the role it has.
    paragraph: Vec<String>,
    one_title: bool,
    /// HTML elements already found to stay open to the end, which are not searched for again.
    unclosed: Vec<String>,
}

impl Reader<'_> {
    /// Reads the block at a line; gives the line after it.
    fn block(&mut self, lines: &[&str], at: usize) -> usize {
        let line = lines[at];
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.end_paragraph();
            return at + 1;
        }
        if line.contains('\u{C}') {
            self.end_paragraph();
            self.flow.page_break();
        }
        if let Some(mark) = fence(line) {
            return self.code(lines, at, mark);
        }
        if let Some((level, text)) = heading(trimmed) {
            self.end_paragraph();
            self.heading(level, text);
            return at + 1;
        }
        if trimmed.starts_with("<!--") {
            return self.comment(lines, at);
        }
        if is_html_block(trimmed) {
            return self.html(lines, at);
        }
        if let Some(end) = table::end(lines, at) {
            self.end_paragraph();
            let table = table::read(&lines[at..end], self.limits, self.flow);
            self.flow.push(RawElement::Table(table));
            return end;
        }
        if !self.paragraph.is_empty() && is_underline(trimmed) {
            let level = if trimmed.starts_with('=') { 1 } else { 2 };
            let text = std::mem::take(&mut self.paragraph).join(" ");
            self.heading(level, &text);
            return at + 1;
        }
        if is_rule(trimmed) {
            self.end_paragraph();
            return at + 1;
        }
        if let Some(rest) = trimmed.strip_prefix("[^")
            && let Some((label, text)) = rest.split_once("]:")
        {
            self.end_paragraph();
            let text = inline::plain(text.trim(), self.flow);
            self.flow.text(format!("[{label}] {text}"), TextRole::Footnote);
            return at + 1;
        }
        if let Some(item) = list_item(trimmed) {
            self.end_paragraph();
            return self.list_item(lines, at, &item);
        }
        let text = trimmed.trim_start_matches('>').trim_start();
        // Writers of regulations put one clause a line without blank lines between.
        let anew = plain::starts_anew(text)
            || self.paragraph.last().is_some_and(|last| last.ends_with(['。', '；', '：']));
        if anew {
            self.end_paragraph();
        }
        let hard_break = line.ends_with("  ") || line.ends_with('\\');
        self.paragraph.push(text.trim_end_matches('\\').to_owned() + if hard_break { "\n" } else { "" });
        at + 1
    }

    fn end_paragraph(&mut self) {
        let lines = std::mem::take(&mut self.paragraph);
        if lines.is_empty() {
            return;
        }
        let joined = plain::join_lines(lines.iter().map(String::as_str));
        let joined = joined.trim();
        if let Some(alt) = inline::lone_picture(joined) {
            let description = (!alt.is_empty()).then(|| alt.to_owned());
            self.flow.push(RawElement::Picture(RawPicture { bbox: None, description }));
            return;
        }
        let bold = inline::is_bold(joined);
        let text = inline::plain(joined, self.flow);
        if !text.trim().is_empty() {
            self.flow.push(RawElement::Text(RawText { bold, ..flow::paragraph(text, TextRole::Body) }));
        }
    }

    fn heading(&mut self, level: u32, text: &str) {
        let role = if level == 1 && self.one_title { TextRole::Title } else { TextRole::Heading { level } };
        let text = inline::plain(text, self.flow);
        self.flow.text(text, role);
    }

    fn code(&mut self, lines: &[&str], at: usize, mark: &str) -> usize {
        self.end_paragraph();
        let end = lines[at + 1..].iter().position(|line| {
            let line = line.trim();
            line.starts_with(mark) && line.chars().all(|c| mark.contains(c))
        });
        let end = end.map_or(lines.len(), |offset| at + 1 + offset);
        self.flow.text(lines[at + 1..end].join("\n"), TextRole::Code);
        end + 1
    }

    fn comment(&mut self, lines: &[&str], at: usize) -> usize {
        self.end_paragraph();
        let end = lines[at..].iter().position(|line| line.contains("-->"));
        let end = end.map_or(lines.len(), |offset| at + offset + 1);
        let text = lines[at..end].join("\n");
        let inner = text.trim().trim_start_matches("<!--");
        let (comment, after) = inner.split_once("-->").unwrap_or((inner, ""));
        if html::is_page_marker(comment) {
            self.flow.page_break();
        }
        if !after.trim().is_empty() {
            self.paragraph.push(after.trim().to_owned());
        }
        end
    }

    fn html(&mut self, lines: &[&str], at: usize) -> usize {
        self.end_paragraph();
        let first = lines[at].trim().to_ascii_lowercase();
        let tag: String =
            first.trim_start_matches('<').chars().take_while(char::is_ascii_alphanumeric).collect();
        let close = format!("</{tag}");
        let count = |line: &str, mark: &str| line.to_ascii_lowercase().matches(mark).count();
        let open = format!("<{tag}");
        let mut depth = 0usize;
        let mut end = at;
        // To the matching end tag; a block that never closes ends at a blank line.
        let mut closed = None;
        while end < lines.len() && !self.unclosed.contains(&tag) {
            depth += count(lines[end], &open);
            depth = depth.saturating_sub(count(lines[end], &close));
            end += 1;
            if depth == 0 {
                closed = Some(end);
                break;
            }
        }
        if closed.is_none() && !self.unclosed.contains(&tag) {
            self.unclosed.push(tag);
        }
        let end = closed.unwrap_or_else(|| {
            lines[at..]
                .iter()
                .position(|line| line.trim().is_empty())
                .map_or(lines.len(), |offset| at + offset)
        });
        html::fragment(&lines[at..end].join("\n"), self.limits, self.flow);
        end.max(at + 1)
    }

    fn list_item(&mut self, lines: &[&str], at: usize, item: &Item<'_>) -> usize {
        let mut text = vec![item.text];
        let mut end = at + 1;
        // Lines that go on with the item: indented, or plainly the rest of its sentence.
        while end < lines.len() {
            let line = lines[end];
            let trimmed = line.trim();
            let starts_other = trimmed.is_empty()
                || list_item(trimmed).is_some()
                || heading(trimmed).is_some()
                || fence(line).is_some()
                || trimmed.starts_with('<')
                || trimmed.starts_with('|')
                || plain::starts_anew(trimmed);
            if starts_other {
                break;
            }
            text.push(trimmed);
            end += 1;
        }
        let joined = plain::join_lines(text.into_iter());
        let body = inline::plain(&joined, self.flow);
        if !body.trim().is_empty() {
            self.flow.text(format!("{}{body}", item.mark), TextRole::ListItem);
        }
        end
    }
}

struct Item<'a> {
    mark: String,
    text: &'a str,
}

fn list_item(line: &str) -> Option<Item<'_>> {
    if let Some(text) = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)) {
        let text = text.trim_start();
        for (mark, sign) in [("[ ] ", "☐ "), ("[x] ", "☑ "), ("[X] ", "☑ ")] {
            if let Some(text) = text.strip_prefix(mark) {
                return Some(Item { mark: sign.to_owned(), text });
            }
        }
        return Some(Item { mark: String::new(), text });
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=9).contains(&digits)
        && let Some(text) = line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "))
    {
        return Some(Item { mark: line[..digits + 2].to_owned(), text: text.trim_start() });
    }
    None
}

fn heading(line: &str) -> Option<(u32, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with([' ', '\t'])) {
        return None;
    }
    let text = text.trim();
    // Closing marks, which must stand apart from the text.
    let bare = text.trim_end_matches('#');
    let text = if bare.is_empty() || bare.ends_with(' ') { bare.trim_end() } else { text };
    Some((level as u32, text))
}

fn fence(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))
}

fn is_underline(line: &str) -> bool {
    line.len() >= 3 && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}

fn is_rule(line: &str) -> bool {
    let marks: Vec<char> = line.chars().filter(|c| !c.is_whitespace()).collect();
    marks.len() >= 3 && matches!(marks[0], '-' | '*' | '_') && marks.iter().all(|c| *c == marks[0])
}

fn is_html_block(line: &str) -> bool {
    let lower: String = line.chars().take(16).collect::<String>().to_ascii_lowercase();
    [
        "<table",
        "<div",
        "<p>",
        "<p ",
        "<ul",
        "<ol",
        "<dl",
        "<figure",
        "<section",
        "<details",
        "<img",
        "<h1",
        "<h2",
        "<h3",
        "<center",
        "<html",
        "<body",
        "<blockquote",
        "<pre",
    ]
    .iter()
    .any(|tag| lower.starts_with(tag))
}
