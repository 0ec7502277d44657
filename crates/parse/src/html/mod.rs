//! HTML: headings, paragraphs, lists, tables and pictures, without scripts, styles and what is not shown.
//!
//! Menus are kept as contents lines and page furniture as running heads, so that nothing is lost silently and nothing
//! of it is taken for content.

mod table;
mod tokens;
mod tree;

use regreader_messages::findings;
use regreader_model::{
    Diagnostic, DiagnosticCode, RawElement, RawPicture, RawTable, RawText, Severity, SourceFormat, TextRole,
};

use crate::docx::counting;
use crate::flow::{self, Flow};
use crate::{Limits, ParseError, ParseOptions, Parsed};
use crate::{plain, scripts};
use tree::{Kind, Node, Tree};

/// Tables in tables are given as tables of their own down to this depth.
const MAX_NESTED: usize = 4;

/// Parses an HTML file.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let mut flow = Flow::default();
    let text = match declared_encoding(bytes) {
        Some(text) => text,
        None => plain::read_text(bytes, SourceFormat::Html, options, &mut flow)?,
    };
    let title = fragment(&text, &options.limits, &mut flow);
    Ok(flow.finish(SourceFormat::Html, title, options))
}

/// Reads a piece of HTML into a flow; gives the title, if it has one.
pub(crate) fn fragment(text: &str, limits: &Limits, flow: &mut Flow) -> Option<String> {
    let tree = Tree::parse(text, limits.max_depth);
    let one_title = tree.nodes().iter().filter(|node| node.name() == "h1").count() == 1;
    let mut walker = Walker {
        tree: &tree,
        flow,
        limits,
        line: String::new(),
        bold: (0, 0),
        contexts: Vec::new(),
        one_title,
        cut: tree.cut,
        pictures: Vec::new(),
        inner_tables: Vec::new(),
    };
    walker.children(tree.root(), TextRole::Body, 0);
    walker.flush(TextRole::Body);
    if walker.cut {
        flow.diagnostics.push(Diagnostic::on_document(
            Severity::Warning,
            DiagnosticCode::LimitReached,
            findings::HTML_CUT,
        ));
    }
    let title = tree.nodes().iter().find(|node| node.name() == "title")?;
    let title: String = tree.children(title).filter_map(text_of).collect();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}

/// The text in the encoding that the page itself names, unless a mark or valid UTF-8 says otherwise.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    if encoding_rs::Encoding::for_bom(bytes).is_some() || std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let head = String::from_utf8_lossy(bytes.get(..bytes.len().min(2048))?).to_ascii_lowercase();
    let (_, after) = head.split_once("charset=")?;
    let label: String = after
        .trim_start_matches(['"', '\'', ' '])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .collect();
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes())?;
    let (text, errors) = encoding.decode_without_bom_handling(bytes);
    (!errors).then(|| text.replace("\r\n", "\n"))
}

/// The walk over the tree.
pub(crate) struct Walker<'a> {
    tree: &'a Tree,
    flow: &'a mut Flow,
    limits: &'a Limits,
    /// Inline text gathered so far.
    line: String,
    /// Bold characters and all characters of the line.
    bold: (usize, usize),
    contexts: Vec<Context>,
    one_title: bool,
    cut: bool,
    /// Pictures met in the line; they follow it.
    pictures: Vec<RawPicture>,
    /// Tables from deeper inside the cell that is read, whose words its own nested tables already have.
    inner_tables: Vec<RawTable>,
}

#[derive(Clone, Copy, PartialEq)]
enum Context {
    Preformatted,
    Bold,
    Cell,
}

impl<'a> Walker<'a> {
    fn children(&mut self, node: &'a Node, role: TextRole, depth: usize) {
        for child in self.tree.children(node) {
            self.node(child, role, depth);
        }
    }

    fn node(&mut self, node: &'a Node, role: TextRole, depth: usize) {
        match &node.kind {
            Kind::Text(text) => self.text(text),
            Kind::Comment(comment) => {
                if is_page_marker(comment) && !self.has(Context::Cell) {
                    self.flush(role);
                    self.flow.page_break();
                }
            }
            Kind::Element { name, .. } => {
                if !is_hidden(node) {
                    self.element(node, name, role, depth);
                }
            }
        }
    }

    fn element(&mut self, node: &'a Node, name: &str, role: TextRole, depth: usize) {
        match name {
            "script" | "style" | "template" | "noscript" | "title" | "svg" | "iframe" | "object" | "head"
            | "math" | "select" | "datalist" | "audio" | "video" | "canvas" => {
                if name == "math" {
                    self.inline(node, role, depth);
                }
            }
            "br" => self.line.push('\n'),
            "sup" | "sub" => self.script(node, name, role, depth),
            "img" => self.picture(node),
            "b" | "strong" => {
                self.contexts.push(Context::Bold);
                self.inline(node, role, depth);
                self.contexts.pop();
            }
            "a" => {
                if let Some(uri) = node.attr("href").filter(|uri| uri.starts_with("http")) {
                    self.flow.link(uri);
                }
                self.children(node, role, depth);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = u32::from(name.as_bytes()[1] - b'0');
                let heading =
                    if level == 1 && self.one_title { TextRole::Title } else { TextRole::Heading { level } };
                self.block(node, if role == TextRole::Body { heading } else { role }, role, depth);
            }
            "p" | "div" | "section" | "article" | "main" | "blockquote" | "center" | "address" | "form"
            | "fieldset" | "details" | "summary" | "dl" | "dt" | "dd" | "figure" | "aside" | "legend"
            | "body" | "html" | "button" | "label" | "td" | "th" | "tr" | "tbody" | "thead" | "tfoot"
            | "caption" => {
                self.block(node, role, role, depth);
            }
            "nav" => self.block(node, TextRole::ContentsLine, role, depth),
            "header" | "footer" if role == TextRole::Body && is_page_furniture(self.tree, node) => {
                let furniture = if name == "header" { TextRole::PageHeader } else { TextRole::PageFooter };
                self.block(node, furniture, role, depth);
            }
            "header" | "footer" => self.block(node, role, role, depth),
            "figcaption" => self.block(node, TextRole::Caption, role, depth),
            "pre" | "listing" | "xmp" => {
                self.flush(role);
                self.contexts.push(Context::Preformatted);
                self.inline(node, role, depth);
                self.contexts.pop();
                self.flush(TextRole::Code);
            }
            "ul" | "menu" => self.list(node, role, depth, None),
            "ol" => {
                let start = node.attr("start").and_then(|v| v.trim().parse().ok()).unwrap_or(1);
                self.list(node, role, depth, Some((start, node.attr("type").unwrap_or("1"))));
            }
            "li" => self.item(node, role, depth, ""),
            "table" => self.table(node, role, depth),
            "hr" => self.flush(role),
            _ => self.inline(node, role, depth),
        }
    }

    /// Raised or lowered characters behind something on the same line.
    fn script(&mut self, node: &'a Node, name: &str, role: TextRole, depth: usize) {
        let from = self.line.len();
        let attached = self.line.chars().next_back().is_some_and(|c| !c.is_whitespace());
        self.inline(node, role, depth);
        if attached && let Some(text) = self.line.get(from..).map(str::to_owned) {
            let placed = if name == "sup" { scripts::raised(&text) } else { scripts::lowered(&text) };
            self.line.truncate(from);
            self.line.push_str(&placed);
        }
    }

    fn inline(&mut self, node: &'a Node, role: TextRole, depth: usize) {
        self.children(node, role, depth);
    }

    /// A block of its own role inside one of another.
    fn block(&mut self, node: &'a Node, role: TextRole, around: TextRole, depth: usize) {
        self.flush(around);
        self.children(node, role, depth);
        self.flush(role);
    }

    fn list(&mut self, node: &'a Node, role: TextRole, depth: usize, ordered: Option<(u32, &str)>) {
        self.flush(role);
        let mut count = ordered.map_or(0, |(start, _)| start);
        for child in self.tree.children(node) {
            if child.name() != "li" {
                self.node(child, role, depth);
                continue;
            }
            if let Some(value) = child.attr("value").and_then(|v| v.trim().parse().ok()) {
                count = value;
            }
            let mark = match ordered {
                Some((_, kind)) => format!("{}. ", marker(count, kind)),
                None => String::new(),
            };
            count = count.saturating_add(1);
            self.item(child, role, depth, &mark);
        }
        self.flush(role);
    }

    fn item(&mut self, node: &'a Node, role: TextRole, depth: usize, mark: &str) {
        let own = if role == TextRole::Body { TextRole::ListItem } else { role };
        self.flush(role);
        if !is_hidden(node) {
            self.line.push_str(mark);
            self.children(node, own, depth);
            if self.line.trim() == mark.trim() && !mark.is_empty() {
                self.line.clear();
            }
        }
        self.flush(own);
    }

    fn table(&mut self, node: &'a Node, role: TextRole, depth: usize) {
        self.flush(role);
        let rows = table::rows(self.tree, node);
        let cells: usize = rows.iter().map(|(row, _)| table::cells(self.tree, row).count()).sum();
        let layout = matches!(node.attr("role"), Some("presentation" | "none"));
        if cells <= 1 || layout {
            // A frame around text, or columns of a page.
            self.children(node, role, depth);
            self.flush(role);
            return;
        }
        let mut caption = None;
        for child in self.tree.children(node) {
            match child.name() {
                "caption" => caption = Some(self.cell(child, usize::MAX).0).filter(|text| !text.is_empty()),
                "tr" | "thead" | "tbody" | "tfoot" | "colgroup" | "col" => {}
                // Text that strayed between the rows stands before the table, as browsers show it.
                _ => self.node(child, role, depth),
            }
        }
        self.flush(role);
        if let Some((mut table, inner)) = table::read(self, node, depth) {
            table.caption = caption;
            self.flow.push(RawElement::Table(table));
            if self.has(Context::Cell) {
                self.inner_tables.extend(inner);
            } else {
                for table in inner {
                    self.flow.push(RawElement::Table(table));
                }
            }
        }
        for picture in std::mem::take(&mut self.pictures) {
            self.flow.push(RawElement::Picture(picture));
        }
    }

    /// The text of a cell and the tables nested in it.
    fn cell(&mut self, node: &'a Node, depth: usize) -> (String, Vec<RawTable>) {
        let mut aside = Flow::default();
        let line = std::mem::take(&mut self.line);
        let outer = std::mem::replace(&mut self.contexts, vec![Context::Cell]);
        let bold = std::mem::take(&mut self.bold);
        let pictures = std::mem::take(&mut self.pictures);
        let inner_tables = std::mem::take(&mut self.inner_tables);
        // The walker borrows its flow for as long as itself, so the contents are exchanged, not the reference.
        std::mem::swap(self.flow, &mut aside);
        self.children(node, TextRole::Body, depth.saturating_add(1));
        self.flush(TextRole::Body);
        std::mem::swap(self.flow, &mut aside);
        self.line = line;
        self.bold = bold;
        self.contexts = outer;
        self.pictures = pictures;

        let mut lines = Vec::new();
        let mut nested = Vec::new();
        for element in aside.into_elements() {
            match element {
                RawElement::Text(text) => lines.push(text.text),
                RawElement::Table(table) => {
                    lines.extend(flow::flatten(&table));
                    if depth < MAX_NESTED {
                        nested.push(table);
                    }
                }
                RawElement::Picture(picture) => self.pictures.push(picture),
            }
        }
        nested.extend(std::mem::replace(&mut self.inner_tables, inner_tables));
        (lines.join("\n"), nested)
    }

    fn picture(&mut self, node: &Node) {
        let description = node.attr("alt").map(str::trim).filter(|alt| !alt.is_empty()).map(str::to_owned);
        self.pictures.push(RawPicture { bbox: None, description });
    }

    fn has(&self, context: Context) -> bool {
        self.contexts.contains(&context)
    }

    fn text(&mut self, text: &str) {
        if self.has(Context::Preformatted) {
            self.line.push_str(text);
            return;
        }
        for character in text.chars() {
            if character.is_whitespace() && character != '\u{3000}' {
                if !self.line.is_empty() && !self.line.ends_with([' ', '\n']) {
                    self.line.push(' ');
                }
            } else {
                self.line.push(character);
                self.bold.1 += 1;
                self.bold.0 += usize::from(self.has(Context::Bold));
            }
        }
    }

    fn flush(&mut self, role: TextRole) {
        let line = std::mem::take(&mut self.line);
        let (bold, all) = std::mem::take(&mut self.bold);
        let text = if role == TextRole::Code {
            line.trim_matches('\n').trim_end().to_owned()
        } else {
            line.split('\n').map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
        };
        if !text.is_empty() {
            let text = RawText { bold: bold * 2 > all, ..flow::paragraph(text, role) };
            self.flow.push(RawElement::Text(text));
        }
        if !self.has(Context::Cell) || role == TextRole::Body {
            for picture in std::mem::take(&mut self.pictures) {
                self.flow.push(RawElement::Picture(picture));
            }
        }
    }
}

fn text_of(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Text(text) => Some(text),
        _ => None,
    }
}

fn marker(count: u32, kind: &str) -> String {
    let format = match kind {
        "a" => "lowerLetter",
        "A" => "upperLetter",
        "i" => "lowerRoman",
        "I" => "upperRoman",
        _ => "decimal",
    };
    counting::format(count, format)
}

fn is_hidden(node: &Node) -> bool {
    if node.attr("hidden").is_some() {
        return true;
    }
    node.attr("style").is_some_and(|style| {
        let style: String =
            style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
        style.contains("display:none") || style.contains("visibility:hidden")
    })
}

/// A header or footer of the page, not of an article: it holds no heading.
fn is_page_furniture(tree: &Tree, node: &Node) -> bool {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if matches!(node.name(), "h1" | "h2" | "h3") {
            return false;
        }
        stack.extend(tree.children(node));
    }
    true
}

/// Comments by which converters mark page borders: `<!-- page break -->`, `<!-- page 3 -->`, `<!-- 第3页 -->`.
pub(crate) fn is_page_marker(comment: &str) -> bool {
    let folded: String =
        comment.to_lowercase().chars().filter(|c| !c.is_whitespace() && !"-_:=".contains(*c)).collect();
    let numbered = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    folded == "pagebreak"
        || folded == "newpage"
        || folded.strip_prefix("page").is_some_and(numbered)
        || folded.strip_prefix('第').and_then(|rest| rest.strip_suffix('页')).is_some_and(numbered)
}
