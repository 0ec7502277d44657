//! Walks the body of a document and turns it into a flow of items.

use std::collections::BTreeMap;

use regreader_model::{Diagnostic, Link, RawPicture, RawTable, RawText, TextRole};

use super::estimate::{RowSize, Shape};
use super::field::{self, Field};
use super::numbering::{Number, Numbering};
use super::paragraph::Paragraph;
use super::section::{self, Section};
use super::styles::{self, Position, RunStyle, Style, Styles};
use super::{counting, drawing, table};
use crate::Limits;
use crate::flow;
use crate::ooxml::{Element, Ns, Package, Relations, math, symbol};
use crate::scripts;

/// One thing in the flow.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// A paragraph, and the byte offsets where Word last saw a page begin in it.
    Text {
        /// The paragraph.
        text: RawText,
        /// Offsets, ascending.
        soft: Vec<usize>,
        /// How it is set.
        shape: Shape,
    },
    /// An empty paragraph, with the height it takes in points; it can make a page that has nothing else on it.
    Blank {
        /// Font size of its mark.
        size: Option<f32>,
        /// How it is set.
        shape: Shape,
    },
    /// A table, and the rows at which Word last saw a page begin.
    Table {
        /// The table.
        table: RawTable,
        /// Rows, ascending.
        soft: Vec<u32>,
        /// What each row takes.
        rows: Vec<RowSize>,
    },
    /// A table that stands in a cell of the table before it, where its words already are.
    Inner(RawTable),
    /// A picture, and its height in points where it is known.
    Picture {
        /// The picture.
        picture: RawPicture,
        /// Height in points; none where the file does not say.
        height: Option<f32>,
    },
    /// A footnote; it belongs at the foot of its page.
    Note(RawText),
    /// The file demands a new page here.
    HardBreak,
    /// What follows must begin a page; if it does already, nothing is to be done.
    PageStart,
    /// Word last saw a new page here.
    SoftBreak,
    /// End of a section.
    Section(Section),
}

impl Item {
    /// A paragraph without page breaks.
    pub fn text(text: RawText) -> Self {
        Self::Text { text, soft: Vec::new(), shape: Shape::default() }
    }
}

/// The state of the walk.
pub(crate) struct Body<'p, 'a> {
    pub(super) package: &'p mut Package<'a>,
    pub(super) relations: Relations,
    styles: Styles,
    numbering: Numbering,
    footnotes: BTreeMap<String, Element>,
    endnotes: BTreeMap<String, Element>,
    pub(super) limits: &'a Limits,
    pub(super) items: Vec<Item>,
    pub(super) diagnostics: Vec<Diagnostic>,
    links: Vec<(usize, Link)>,
    fields: Vec<Field>,
    /// Depth of content controls that hold a table of contents.
    contents_controls: usize,
    /// Text of a paragraph whose mark was deleted, or a drop cap: it belongs to the next paragraph.
    carry: Option<Paragraph>,
    footnote_count: u32,
    endnote_count: u32,
    endnote_items: Vec<Item>,
    /// Inside a footnote, where further references are not followed.
    in_note: bool,
    /// Depth of tables.
    pub(super) table_depth: usize,
    /// Items of the flow around the one that is read aside.
    outer_items: usize,
}

impl<'p, 'a> Body<'p, 'a> {
    /// A walk about to begin.
    pub fn new(
        package: &'p mut Package<'a>,
        relations: Relations,
        styles: Styles,
        numbering: Numbering,
        footnotes: BTreeMap<String, Element>,
        endnotes: BTreeMap<String, Element>,
        limits: &'a Limits,
    ) -> Self {
        Self {
            package,
            relations,
            styles,
            numbering,
            footnotes,
            endnotes,
            limits,
            items: Vec::new(),
            diagnostics: Vec::new(),
            links: Vec::new(),
            fields: Vec::new(),
            contents_controls: 0,
            carry: None,
            footnote_count: 0,
            endnote_count: 0,
            endnote_items: Vec::new(),
            in_note: false,
            table_depth: 0,
            outer_items: 0,
        }
    }

    /// What was found: items, links with the item they stand before, remarks.
    pub fn finish(mut self) -> (Vec<Item>, Vec<(usize, Link)>, Vec<Diagnostic>) {
        if let Some(carry) = self.carry.take() {
            self.items.extend(carry.into_items("", TextRole::Body, Shape::default()));
        }
        self.items.append(&mut self.endnote_items);
        (self.items, self.links, self.diagnostics)
    }

    /// Reads one block: a paragraph, a table, or something that holds such.
    pub fn block(&mut self, element: &Element) {
        match (element.ns, &*element.name) {
            (Ns::Word, "p") => self.paragraph(element),
            (Ns::Word, "tbl") => table::read(self, element),
            (Ns::Word, "sdt") => {
                let contents = element
                    .at(&["sdtPr", "docPartObj", "docPartGallery"])
                    .and_then(Element::val)
                    .is_some_and(|gallery| gallery.contains("Table of Contents"));
                self.contents_controls += usize::from(contents);
                if let Some(content) = element.child("sdtContent") {
                    self.blocks(content);
                }
                self.contents_controls -= usize::from(contents);
            }
            (Ns::Word, "sectPr") => self.items.push(Item::Section(section::read(element))),
            (Ns::Word, "del" | "moveFrom") => {}
            (Ns::Word, "ins" | "moveTo" | "customXml" | "smartTag") => self.blocks(element),
            (Ns::Compat, "AlternateContent") => {
                if let Some(choice) = element.child("Choice").or_else(|| element.child("Fallback")) {
                    self.blocks(choice);
                }
            }
            (Ns::Math, "oMathPara" | "oMath") => {
                let mut paragraph = Paragraph::default();
                self.inline(element, &mut paragraph, &RunStyle::default());
                self.items.extend(paragraph.into_items("", TextRole::Body, Shape::default()));
            }
            _ => {}
        }
    }

    /// Reads the blocks inside an element.
    pub fn blocks(&mut self, parent: &Element) {
        for child in parent.children() {
            self.block(child);
        }
    }

    /// Reads blocks aside: what they give comes back instead of going into the flow.
    pub fn aside(&mut self, parent: &Element) -> Vec<Item> {
        let kept = std::mem::take(&mut self.items);
        let carry = self.carry.take();
        self.outer_items += kept.len();
        self.blocks(parent);
        self.outer_items -= kept.len();
        if let Some(open) = std::mem::replace(&mut self.carry, carry) {
            self.items.extend(open.into_items("", TextRole::Body, Shape::default()));
        }
        std::mem::replace(&mut self.items, kept)
    }

    fn paragraph(&mut self, element: &Element) {
        let properties = element.child("pPr");
        let style_id = properties.and_then(|p| p.child_val("pStyle"));
        let style = self.styles.paragraph(style_id);
        let starts_page =
            properties.and_then(|p| p.switch("pageBreakBefore")).unwrap_or(style.page_break_before);
        if starts_page && self.table_depth == 0 {
            self.items.push(Item::PageStart);
        }
        let was_contents = self.in_contents();
        let mut paragraph = self.carry.take().unwrap_or_default();
        for child in element.children() {
            self.inline(child, &mut paragraph, &style.run);
        }
        // An instruction does not run on over paragraphs; one that does is damage and must not swallow the text.
        self.fields.retain(|field| field.in_result);

        let mark_deleted = properties.and_then(|p| p.child("rPr")).is_some_and(|r| r.child("del").is_some());
        let drop_cap = properties
            .and_then(|p| p.child("framePr"))
            .is_some_and(|frame| frame.attr("dropCap").is_some_and(|kind| kind != "none"));
        let section_end = properties.and_then(|p| p.child("sectPr")).map(section::read);
        if (mark_deleted || drop_cap) && section_end.is_none() {
            self.carry = Some(paragraph);
            return;
        }

        // A paragraph that holds nothing but a section break is not counted.
        let number = (section_end.is_none() || paragraph.has_text())
            .then(|| self.number(properties, style_id, &style))
            .flatten();
        let contents = was_contents || self.in_contents();
        let role = self.role(properties, &style, number.as_ref(), contents, &paragraph);
        let number = number.map(|number| number.text).filter(|_| paragraph.has_text()).unwrap_or_default();
        let shape = Shape::read(properties).over(&style.shape);
        let items = paragraph.into_items(&number, role, shape);
        if items.is_empty() && self.table_depth == 0 && !self.in_note {
            let size = style.run.half_points.map(|size| size as f32 / 2.0);
            self.items.push(Item::Blank { size, shape });
        }
        self.items.extend(items);
        if let Some(section) = section_end {
            self.items.push(Item::Section(section));
        }
    }

    fn role(
        &mut self,
        properties: Option<&Element>,
        style: &Style,
        number: Option<&Number>,
        contents: bool,
        paragraph: &Paragraph,
    ) -> TextRole {
        let direct = properties.and_then(|p| p.child("outlineLvl")).is_some();
        let declared = if direct && !matches!(style.role, Some(TextRole::Title | TextRole::Caption)) {
            styles::outline_role(properties)
        } else {
            style.role
        };
        if contents {
            if matches!(declared, Some(TextRole::Heading { .. })) && self.contents_controls == 0 {
                // A contents field that was never closed must not swallow the document.
                self.fields.retain(|field| field.kind() != "TOC");
            } else {
                return TextRole::ContentsLine;
            }
        }
        match (declared, number) {
            (Some(role), _) => role,
            (None, _) if paragraph.has_sequence => TextRole::Caption,
            (None, Some(number)) if !number.is_clause => TextRole::ListItem,
            (None, _) => TextRole::Body,
        }
    }

    fn number(
        &mut self,
        properties: Option<&Element>,
        style_id: Option<&str>,
        style: &Style,
    ) -> Option<Number> {
        let direct = properties.and_then(|p| p.child("numPr"));
        let direct_id = direct.and_then(|n| n.child_val("numId"));
        let num_id = match direct_id {
            Some("0") => return None,
            Some(id) => id,
            None => style.num_id.as_deref()?,
        };
        let level = direct
            .and_then(|n| n.child_val("ilvl"))
            .and_then(|v| v.parse().ok())
            .or_else(|| {
                direct_id.is_none().then(|| self.numbering.level_of_style(num_id, style_id?)).flatten()
            })
            .or(style.level)
            .unwrap_or(0);
        self.numbering.next(num_id, level, &self.styles)
    }

    fn in_contents(&self) -> bool {
        self.contents_controls > 0 || self.fields.iter().any(|f| f.in_result && f.kind() == "TOC")
    }

    fn visible(&self) -> bool {
        self.fields.iter().all(|field| field.in_result)
    }

    fn inline(&mut self, element: &Element, out: &mut Paragraph, base: &RunStyle) {
        match (element.ns, &*element.name) {
            (Ns::Word, "r") => self.run(element, out, base),
            (Ns::Word, "pPr" | "rPr" | "sdtPr" | "del" | "moveFrom" | "rt") => {}
            (Ns::Word, "hyperlink") => {
                if let Some(uri) = element.relation("id").and_then(|id| self.relations.address(id)) {
                    let link = Link { bbox: None, page_num: None, uri: Some(uri.to_owned()) };
                    if self.links.len() < 100_000 {
                        self.links.push((self.outer_items + self.items.len(), link));
                    }
                }
                self.inlines(element, out, base);
            }
            (Ns::Word, "fldSimple") => {
                let kind = field::kind_of(element.attr("instr").unwrap_or(""));
                out.has_sequence |= kind == "SEQ";
                self.inlines(element, out, base);
            }
            (Ns::Compat, "AlternateContent") => self.alternate(element, out, base),
            (Ns::Math, "oMath") => {
                if self.visible() {
                    out.formula(math::latex(element));
                }
            }
            _ => self.inlines(element, out, base),
        }
    }

    fn inlines(&mut self, parent: &Element, out: &mut Paragraph, base: &RunStyle) {
        for child in parent.children() {
            self.inline(child, out, base);
        }
    }

    /// Of alternatives the first that gives anything is taken: the fallback repeats the same content in older words.
    fn alternate(&mut self, element: &Element, out: &mut Paragraph, base: &RunStyle) {
        let before = (out.text.len(), out.after.len());
        for option in element.children().filter(|child| matches!(&*child.name, "Choice" | "Fallback")) {
            for child in option.children() {
                if matches!(&*child.name, "drawing" | "pict" | "object") {
                    drawing::read(self, child, out);
                } else {
                    self.inline(child, out, base);
                }
            }
            if (out.text.len(), out.after.len()) != before {
                break;
            }
        }
    }

    fn run(&mut self, element: &Element, out: &mut Paragraph, base: &RunStyle) {
        let properties = element.child("rPr");
        let character_style =
            properties.and_then(|p| p.child_val("rStyle")).and_then(|id| self.styles.character(id));
        let mut look = RunStyle::read(properties);
        if let Some(style) = character_style {
            look = look.over(style);
        }
        look = look.over(base);
        let hidden = look.hidden == Some(true);
        for child in element.children() {
            let shown = self.visible() && !hidden;
            match (child.ns, &*child.name) {
                (Ns::Word, "t") if shown => {
                    let text = symbol::replace_private(&child.text(), look.font.as_deref());
                    // A mark at the beginning of a line is the label of a note, not an exponent of something.
                    let attached = out.text.chars().next_back().is_some_and(|c| !c.is_whitespace());
                    match look.position {
                        Some(Position::Raised) if attached => out.push(&scripts::raised(&text), &look),
                        Some(Position::Lowered) if attached => out.push(&scripts::lowered(&text), &look),
                        _ => out.push(&text, &look),
                    }
                }
                (Ns::Word, "tab" | "ptab") if shown => out.text.push('\t'),
                (Ns::Word, "br") if child.attr("type") == Some("page") => {
                    out.hard_breaks.push(out.text.len());
                }
                (Ns::Word, "br" | "cr") if shown => out.text.push('\n'),
                (Ns::Word, "noBreakHyphen") if shown => out.push("-", &look),
                (Ns::Word, "sym") if shown => {
                    let code = child.attr("char").and_then(|c| u32::from_str_radix(c, 16).ok());
                    let font = child.attr("font").unwrap_or("");
                    if let Some(code) = code {
                        let known = symbol::unicode(font, code).or_else(|| char::from_u32(code));
                        let shown = known.filter(|c| !('\u{E000}'..='\u{F8FF}').contains(c)).unwrap_or('□');
                        out.push(shown.encode_utf8(&mut [0; 4]), &look);
                    }
                }
                (Ns::Word, "lastRenderedPageBreak") => out.soft_breaks.push(out.text.len()),
                (Ns::Word, "fldChar") => self.field(child, out, &look),
                (Ns::Word, "instrText") => {
                    if let Some(field) = self.fields.last_mut().filter(|f| !f.in_result) {
                        let room = 1000usize.saturating_sub(field.instruction.len());
                        field.instruction.extend(child.text().chars().take(room));
                    }
                }
                (Ns::Word, "footnoteReference") if shown => self.footnote(child, out, &look),
                (Ns::Word, "endnoteReference") if shown => self.endnote(child, out, &look),
                (Ns::Word, "drawing" | "pict" | "object") if !hidden => drawing::read(self, child, out),
                (Ns::Word, "ruby") => {
                    if let Some(base_text) = child.child("rubyBase") {
                        self.inlines(base_text, out, base);
                    }
                }
                (Ns::Compat, "AlternateContent") => self.alternate(child, out, base),
                _ => {}
            }
        }
    }

    fn field(&mut self, character: &Element, out: &mut Paragraph, look: &RunStyle) {
        match character.attr("fldCharType") {
            Some("begin") if self.fields.len() < self.limits.max_depth => {
                self.fields.push(Field::begin(character));
            }
            Some("separate") => {
                if let Some(field) = self.fields.last_mut() {
                    field.in_result = true;
                    out.has_sequence |= field.kind() == "SEQ";
                }
            }
            Some("end") => {
                let Some(field) = self.fields.pop() else { return };
                if !field.in_result && self.visible() {
                    out.push(&field.without_result(), look);
                }
            }
            _ => {}
        }
    }

    fn footnote(&mut self, reference: &Element, out: &mut Paragraph, look: &RunStyle) {
        if self.in_note {
            return;
        }
        // Taken, not copied: a note belongs to one reference.
        let Some(note) = reference.attr("id").and_then(|id| self.footnotes.remove(id)) else { return };
        self.footnote_count += 1;
        let mark = format!("[{}]", self.footnote_count);
        if let Some(text) = self.note(&note, &mark, reference, out, look) {
            out.after.push(Item::Note(text));
        }
    }

    fn endnote(&mut self, reference: &Element, out: &mut Paragraph, look: &RunStyle) {
        if self.in_note {
            return;
        }
        let Some(note) = reference.attr("id").and_then(|id| self.endnotes.remove(id)) else { return };
        self.endnote_count += 1;
        let mark = format!("[{}]", counting::format(self.endnote_count, "lowerRoman"));
        if let Some(text) = self.note(&note, &mark, reference, out, look) {
            self.endnote_items.push(Item::text(text));
        }
    }

    /// Puts the mark into the text and gives the note's own text behind the same mark. A note with a mark of its
    /// author's choice has that in the text already.
    fn note(
        &mut self,
        note: &Element,
        mark: &str,
        reference: &Element,
        out: &mut Paragraph,
        look: &RunStyle,
    ) -> Option<RawText> {
        let own_mark = matches!(reference.attr("customMarkFollows"), Some("1" | "true" | "on"));
        if !own_mark {
            out.push(mark, look);
        }
        self.in_note = true;
        let items = self.aside(note);
        self.in_note = false;
        let text = table::plain_text(&items);
        if text.is_empty() {
            return None;
        }
        let text = if own_mark { text } else { format!("{mark} {text}") };
        Some(flow::paragraph(text, TextRole::Footnote))
    }
}
