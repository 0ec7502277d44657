//! Lines to paragraphs.
//!
//! A declared paragraph is one. Printed lines are joined as long as the line before runs to the margin and the next
//! one neither is indented anew nor begins something (a chapter, an item, a note, a caption). Over a page border a
//! paragraph stays one per page, and the later part knows that it goes on. Owns that rule and the kinds of paragraph;
//! must not know tables' insides or what notes are bound to.

use regreader_model::{LineBox, Rect, TextRole, TextUnit};
use regreader_text::annotation::parse_definition;
use regreader_text::caption::parse_caption;
use regreader_text::numbering::parse_line;

use crate::chapter::Mark;
use crate::clean::{Cleaner, begins_item, ends_sentence, sentence_goes_on};
use crate::flow::{Item, Line, Piece};
use crate::metrics::Metrics;
use crate::table::Plan;

/// A paragraph, heading, table segment or picture on one page.
#[derive(Debug, Clone)]
pub(crate) struct Para {
    /// Index of the page.
    pub page: usize,
    /// First piece of the stream in it.
    pub piece: usize,
    pub kind: ParaKind,
    pub text: String,
    pub bbox: Option<Rect>,
    /// Its printed lines, where every one has a box.
    pub lines: Vec<LineBox>,
    /// Lowest confidence of its lines.
    pub confidence: Option<f32>,
    /// It goes on from the paragraph before it, on the page before.
    pub from_previous: bool,
    /// Its number stands alone on the first line, and the rest is a title.
    pub number_alone: bool,
}

/// What a paragraph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParaKind {
    /// Begins the node of this mark.
    Mark(usize),
    Text,
    List,
    /// Begins with 注 or 方案 and a colon.
    Note,
    /// A caption without its table.
    Caption,
    Code,
    /// A segment of a table.
    Table {
        table: usize,
        segment: usize,
    },
    Picture,
}

/// Makes the paragraphs of the document.
pub(crate) fn build(
    pieces: &[Piece],
    marks: &[Mark],
    plan: &Plan,
    metrics: &Metrics,
    cleaner: Cleaner,
) -> Vec<Para> {
    let builder = Builder { pieces, plan, metrics, cleaner };
    let mut paras: Vec<Para> = Vec::new();
    let mut marks = marks.iter().enumerate().peekable();
    let mut at = 0;
    while at < pieces.len() {
        if plan.is_caption.get(at).copied().unwrap_or(false) {
            at += 1;
            continue;
        }
        while marks.peek().is_some_and(|(_, mark)| mark.piece < at) {
            marks.next();
        }
        let mark = marks.peek().filter(|(_, mark)| mark.piece == at).map(|(index, _)| *index);
        let next_mark = match mark {
            Some(_) => marks.clone().nth(1).map(|(_, mark)| mark.piece),
            None => marks.peek().map(|(_, mark)| mark.piece),
        };
        let (para, next) = builder.take(at, mark, next_mark.unwrap_or(usize::MAX));
        if let Some(mut para) = para {
            para.from_previous = paras.last().is_some_and(|before| builder.goes_on(before, &para));
            paras.push(para);
        }
        at = next;
    }
    paras
}

struct Builder<'a> {
    pieces: &'a [Piece],
    plan: &'a Plan,
    metrics: &'a Metrics,
    cleaner: Cleaner,
}

impl Builder<'_> {
    /// The paragraph that begins at a piece, and where the next one begins.
    fn take(&self, at: usize, mark: Option<usize>, next_mark: usize) -> (Option<Para>, usize) {
        let Some(piece) = self.pieces.get(at) else { return (None, at + 1) };
        let para = |kind, text, bbox, confidence| Para {
            page: piece.page,
            piece: at,
            kind,
            text,
            bbox,
            lines: Vec::new(),
            confidence,
            from_previous: false,
            number_alone: false,
        };
        match &piece.item {
            Item::Table(grid) => {
                let place = self.plan.segment_of.get(at).copied().flatten();
                let made = place.map(|(table, segment)| {
                    para(ParaKind::Table { table, segment }, String::new(), grid.bbox, grid.confidence)
                });
                (made, at + 1)
            }
            Item::Picture(picture) => {
                let text = picture.description.clone().unwrap_or_default();
                (Some(para(ParaKind::Picture, self.cleaner.line(&text), picture.bbox, None)), at + 1)
            }
            Item::Line(first) => {
                let mut lines: Vec<&Line> = vec![first];
                let mut end = at + 1;
                let number_only =
                    mark.is_some() && parse_line(&first.text).is_some_and(|l| l.rest.is_empty());
                while end < next_mark && !self.plan.is_caption.get(end).copied().unwrap_or(false) {
                    let Some(next) = self.pieces.get(end).filter(|next| next.page == piece.page) else {
                        break;
                    };
                    let Item::Line(line) = &next.item else { break };
                    // 附 录 A, then （规范性附录）, then the title proper.
                    let open_title = lines.last().is_some_and(|last| {
                        lines.len() == 1
                            || (last.text.starts_with(['（', '(']) && last.text.ends_with(['）', ')']))
                    });
                    let named =
                        number_only && open_title && self.names_the_number(lines[lines.len() - 1], line);
                    // The definition below a term is not part of its title.
                    let defines = number_only && line.text.ends_with(['。', '；', '：']);
                    if !named && (defines || !self.joins(piece.page, &lines, line, mark.is_some())) {
                        break;
                    }
                    lines.push(line);
                    end += 1;
                }
                let mut text = String::new();
                for (nth, line) in lines.iter().enumerate() {
                    if number_only && nth > 0 && nth < 3 {
                        text.push(' ');
                        text.push_str(&line.text);
                    } else {
                        self.cleaner.join(&mut text, &line.text);
                    }
                }
                text.truncate(text.trim_end_matches('\u{AD}').len());
                let bbox = lines.iter().filter_map(|line| line.bbox).reduce(|a, b| a.union(&b));
                let confidence = lines.iter().filter_map(|line| line.confidence).reduce(f32::min);
                let kind = mark.map_or_else(|| kind_of(first, &text), ParaKind::Mark);
                let mut made = para(kind, text, bbox, confidence);
                made.number_alone = number_only;
                // A declared paragraph has the box of the whole: as one line it would say no more than the block.
                if first.unit == TextUnit::Line {
                    made.lines =
                        LineBox::from_lines(lines.iter().map(|line| (line.text.as_str(), line.bbox)));
                }
                (Some(made), end)
            }
        }
    }

    /// A number alone on its line (`2.1`, 附 录 A) takes the short line below it as its title.
    fn names_the_number(&self, number: &Line, line: &Line) -> bool {
        let near = match (number.bbox, line.bbox) {
            (Some(a), Some(b)) => b.y0 - a.y0 < self.metrics.leading * 2.6,
            _ => true,
        };
        near && number.unit == line.unit
            && line.role == TextRole::Body
            && line.text.chars().count() <= 80
            && !line.text.ends_with(['。', '；', '：', ';', ':'])
            && parse_line(&line.text).is_none()
            && parse_definition(&line.text).is_none()
            && !begins_item(&line.text)
    }

    /// Whether the next printed line belongs to the paragraph of these lines.
    fn joins(&self, page: usize, lines: &[&Line], next: &Line, is_mark: bool) -> bool {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return false };
        if next.is_paragraph() || last.is_paragraph() || next.role != last.role {
            return false;
        }
        let same_size = last.size.zip(next.size).is_none_or(|(a, b)| (a / b) > 0.87 && (a / b) < 1.15);
        if !same_size || (is_mark && first.bold != next.bold && !self.runs_on(page, last, next)) {
            return false;
        }
        let begins = begins_something(next);
        if begins && (ends_sentence(&last.text) || parse_definition(&next.text).is_some()) {
            return false;
        }
        let (Some(a), Some(b)) = (last.bbox, next.bbox) else {
            // Plain text: a line goes on only if it clearly stops in the middle.
            return !begins && !ends_sentence(&last.text) && last.text.chars().count() >= 30;
        };
        let size = last.size.unwrap_or(self.metrics.body_size);
        let step = b.y0 - a.y0;
        let same_line = step.abs() < size * 0.5;
        if !same_line && (step < 0.0 && ends_sentence(&last.text) || step > self.step_limit(lines)) {
            return false;
        }
        if self.metrics.is_centered(page, last) && self.metrics.is_centered(page, next) && lines.len() == 1 {
            // Two centred lines are one title only where the first is long.
            return is_mark && a.width() > size * 12.0;
        }
        if !self.metrics.is_full(page, last, next).unwrap_or(true) && !self.sentence_goes_on(page, last, next)
        {
            return false;
        }
        let head = first.bbox.map_or(a.x0, |rect| rect.x0);
        let indent = b.x0 - if lines.len() > 1 { a.x0 } else { head };
        if lines.len() > 1 {
            return indent < size * 0.8 && !(begins && indent > -size * 0.3 && ends_sentence(&last.text));
        }
        let hanging = begins_something(first) || is_mark;
        let first_indented = self.metrics.indent(page, first).is_some_and(|indent| indent > 0.8);
        if indent > size * 0.8 {
            return hanging || self.sentence_goes_on(page, last, next);
        }
        if indent.abs() <= size * 0.8 && first_indented && !hanging {
            // Both are indented: a new paragraph, unless the sentence stops in the middle.
            return !ends_sentence(&last.text);
        }
        !(begins && indent.abs() <= size * 0.8 && hanging)
    }

    /// Whether a sentence that begins in bold goes on in other type: its line runs to the margin in the middle of the
    /// sentence, and the next one begins small or hangs under it. A heading ends before its text begins.
    fn runs_on(&self, page: usize, last: &Line, next: &Line) -> bool {
        let small = next.text.chars().next().is_some_and(char::is_lowercase);
        let latin = !last.text.chars().any(regreader_text::script::is_cjk);
        let size = last.size.unwrap_or(self.metrics.body_size);
        let hangs = last.bbox.zip(next.bbox).is_some_and(|(a, b)| b.x0 - a.x0 > 0.8 * size);
        !ends_sentence(&last.text)
            && (small || latin && hangs)
            && (self.metrics.is_full(page, last, next).unwrap_or(false)
                || self.sentence_goes_on(page, last, next))
    }

    /// Whether the words say that the sentence goes on, in a line that is long enough to have been broken.
    fn sentence_goes_on(&self, page: usize, last: &Line, next: &Line) -> bool {
        self.metrics.reaches_far(page, last) && sentence_goes_on(&last.text, &next.text)
    }

    /// The widest line distance within this paragraph.
    fn step_limit(&self, lines: &[&Line]) -> f32 {
        let own = match lines {
            [.., a, b] => a.bbox.zip(b.bbox).map(|(a, b)| b.y0 - a.y0).filter(|step| *step > 1.0),
            _ => None,
        };
        own.map_or(self.metrics.leading * 1.45, |step| step * 1.3)
    }

    /// Whether a paragraph at the head of a page goes on from the one at the foot of the page before.
    fn goes_on(&self, before: &Para, para: &Para) -> bool {
        if para.page <= before.page {
            return false;
        }
        if let (ParaKind::Table { table, .. }, ParaKind::Table { table: later, .. }) =
            (before.kind, para.kind)
        {
            return table == later;
        }
        let text_before =
            matches!(before.kind, ParaKind::Text | ParaKind::List | ParaKind::Note | ParaKind::Mark(_));
        if para.kind != ParaKind::Text || !text_before || para.page != before.page + 1 {
            return false;
        }
        let Some(Item::Line(next)) = self.pieces.get(para.piece).map(|piece| &piece.item) else {
            return false;
        };
        let last =
            self.pieces.get(..para.piece).and_then(|list| list.iter().rev().find_map(|p| p.item.line()));
        let Some(last) = last else { return false };
        if next.is_paragraph() || last.is_paragraph() || begins_something(next) {
            return next.is_paragraph()
                && last.is_paragraph()
                && !ends_sentence(&before.text)
                && before.text.chars().count() > 20
                && !before.is_short_mark();
        }
        let same_size = last.size.zip(next.size).is_none_or(|(a, b)| (a / b) > 0.9 && (a / b) < 1.1);
        let full = self.metrics.is_full(before.page, last, next).unwrap_or(false)
            || self.sentence_goes_on(before.page, last, next);
        let unfinished = !ends_sentence(&before.text);
        let at_margin = self.metrics.indent(para.page, next).is_some_and(|indent| indent < 0.5);
        same_size
            && full
            && (unfinished || (at_margin && !before.is_short_mark() && self.indents_paragraphs(before)))
    }

    /// Whether paragraphs here begin with an indent, so that a line at the margin is never the first of one.
    fn indents_paragraphs(&self, before: &Para) -> bool {
        let Some(Item::Line(first)) = self.pieces.get(before.piece).map(|piece| &piece.item) else {
            return false;
        };
        self.metrics.indent(before.page, first).is_some_and(|indent| indent > 1.2 && indent < 4.0)
    }
}

impl Para {
    fn is_short_mark(&self) -> bool {
        matches!(self.kind, ParaKind::Mark(_)) && self.text.chars().count() < 24
    }
}

/// The line begins something of its own: an item, a note, a plan, a caption, a numbered clause.
fn begins_something(line: &Line) -> bool {
    begins_item(&line.text) || parse_definition(&line.text).is_some() || parse_caption(&line.text).is_some()
}

fn kind_of(first: &Line, text: &str) -> ParaKind {
    match first.role {
        TextRole::Code => return ParaKind::Code,
        TextRole::Caption => return ParaKind::Caption,
        TextRole::Footnote => return ParaKind::Text,
        _ => {}
    }
    if parse_definition(text).is_some() {
        ParaKind::Note
    } else if parse_caption(text).is_some() {
        ParaKind::Caption
    } else if first.role == TextRole::ListItem || begins_item(text) {
        ParaKind::List
    } else {
        ParaKind::Text
    }
}
