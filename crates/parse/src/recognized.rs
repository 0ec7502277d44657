//! Recognised lines of a picture into a page: places in points, cells where rules were drawn, confidence.

use regreader_messages::findings;
use regreader_model::{Diagnostic, DiagnosticCode, PageNumber, RawElement, Rect, Severity, TextOrigin};

use crate::compose::{PageParts, compose};
use crate::layout::{DESCENT, Turn, Word, is_cjk};
use crate::recognize::{Picture, RecognizedLine};
use crate::ruling;
use crate::tables::{Axis, Rule};

/// Below this mean confidence a page is named in the quality report.
const LOW_CONFIDENCE: f32 = 0.85;

/// Where the rules of a page are.
pub(crate) enum Rules {
    /// Drawn as paths.
    Drawn(Vec<Rule>),
    /// Pixels of its picture.
    InPicture,
}

/// Elements and origin of a page whose text was recognised. `size` is the page's size in points.
pub(crate) fn page(
    lines: &[RecognizedLine],
    picture: &Picture,
    size: [f32; 2],
    rules: Rules,
    remarks: &mut Vec<Diagnostic>,
    page_num: PageNumber,
) -> (TextOrigin, Vec<RawElement>) {
    let (mut rules, slope) = match rules {
        Rules::Drawn(rules) => (rules, 0.0),
        Rules::InPicture => {
            let found = ruling::find(picture, size);
            (found.rules, found.slope)
        }
    };
    let placed: Vec<Placed<'_>> =
        lines.iter().filter_map(|line| Placed::on_page(line, picture, size, slope)).collect();
    rules.retain(|rule| !placed.iter().any(|line| line.has_stroke(rule)));
    let usual = usual_height(&placed);
    let mut words = Vec::with_capacity(lines.len());
    for line in &placed {
        let size = letter_size(line.rect.height(), usual);
        for (text, rect) in line.split_at(&rules) {
            words.push(word(text, rect, size, line.confidence, words.len()));
        }
    }
    let chars: usize = lines.iter().map(|line| line.text.chars().count()).sum();
    let confidence = if chars == 0 {
        0.0
    } else {
        let weighted: f32 = lines.iter().map(|line| line.confidence * line.text.chars().count() as f32).sum();
        weighted / chars as f32
    };
    if chars > 0 && confidence < LOW_CONFIDENCE {
        remarks.push(Diagnostic::on_page(
            Severity::Warning,
            DiagnosticCode::LowConfidence,
            page_num,
            findings::low_confidence(confidence),
        ));
    }
    let parts = PageParts {
        size,
        words: vec![(Turn::Level, words)],
        rules,
        fills: Vec::new(),
        pictures: Vec::new(),
        drawn_order: false,
    };
    (TextOrigin::Ocr { confidence }, compose(parts).with_remark(page_num, remarks))
}

/// Height of the lines that most of the text stands in.
fn usual_height(lines: &[Placed<'_>]) -> f32 {
    let mut heights: Vec<(f32, usize)> =
        lines.iter().map(|line| (line.rect.height(), line.text.chars().count())).collect();
    heights.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: usize = heights.iter().map(|(_, count)| count).sum();
    let mut seen = 0;
    let middle = heights.iter().find(|(_, count)| {
        seen += count;
        seen * 2 >= total
    });
    middle.map_or(0.0, |(height, _)| *height)
}

/// Boxes of recognised lines are a little larger or smaller by chance: a line close to the usual height has the
/// usual size.
fn letter_size(height: f32, usual: f32) -> f32 {
    const CHANCE: f32 = 0.25;
    if (height - usual).abs() <= CHANCE * usual { usual } else { height }
}

fn word(text: String, rect: Rect, size: f32, confidence: f32, seq: usize) -> Word {
    let count = text.chars().count() as u32;
    Word {
        text,
        rect,
        base: rect.y1 - DESCENT * rect.height(),
        size,
        bold: 0,
        count,
        seq: seq as u32,
        space_before: true,
        confidence: Some(confidence),
    }
}

/// A recognised line on its page, in points, put straight.
struct Placed<'a> {
    text: &'a str,
    rect: Rect,
    confidence: f32,
    /// Middle of each character; estimated where the recogniser did not say.
    centers: Vec<f32>,
}

impl<'a> Placed<'a> {
    fn on_page(line: &'a RecognizedLine, picture: &Picture, size: [f32; 2], slope: f32) -> Option<Self> {
        let scale = [size[0] / picture.width.max(1) as f32, size[1] / picture.height.max(1) as f32];
        let bbox = &line.bbox;
        let text = line.text.trim();
        let finite = [bbox.x0, bbox.y0, bbox.x1, bbox.y1].iter().all(|edge| edge.is_finite());
        if text.is_empty() || !finite {
            return None;
        }
        let middle = [bbox.center_x() * scale[0], bbox.center_y() * scale[1]];
        let straight = ruling::straightened(middle, slope, [size[0] / 2.0, size[1] / 2.0]);
        let half = [bbox.width() * scale[0] / 2.0, bbox.height() * scale[1] / 2.0];
        let rect = Rect {
            x0: straight[0] - half[0],
            y0: straight[1] - half[1],
            x1: straight[0] + half[0],
            y1: straight[1] + half[1],
        };
        // Spaces cut off at the start take their places with them.
        let skipped = line.text.chars().count() - line.text.trim_start().chars().count();
        let shift = straight[0] - middle[0];
        let told: Vec<f32> =
            line.centers.iter().skip(skipped).map(|center| center * scale[0] + shift).collect();
        let count = text.chars().count();
        let centers = if told.len() >= count { told } else { estimated(text, rect) };
        Some(Self { text, rect, confidence: line.confidence, centers })
    }

    /// Whether a "rule" is a stroke of this line: 一, a dash, the side of a box-like letter.
    fn has_stroke(&self, rule: &Rule) -> bool {
        let Rect { x0, y0, x1, y1 } = self.rect;
        let (margin, (low, high), (first, last)) = match rule.axis {
            // The box of a line is a little larger than its letters: its edges may lie on the rules around it.
            Axis::Level => (0.2 * self.rect.height(), (y0, y1), (x0, x1)),
            Axis::Upright => (0.1 * self.rect.height(), (x0, x1), (y0, y1)),
        };
        rule.position > low + margin
            && rule.position < high - margin
            && rule.start >= first - margin
            && rule.end <= last + margin
    }

    /// A recogniser may read straight across a column rule: the line is cut there, between its characters.
    fn split_at(&self, rules: &[Rule]) -> Vec<(String, Rect)> {
        let rect = self.rect;
        let margin = 0.5 * rect.height();
        let mut cuts: Vec<f32> = rules
            .iter()
            .filter(|rule| {
                rule.axis == Axis::Upright
                    && rule.position > rect.x0 + margin
                    && rule.position < rect.x1 - margin
                    && rule.start <= rect.center_y()
                    && rule.end >= rect.center_y()
                    && rule.length() >= rect.height()
            })
            .map(|rule| rule.position)
            .collect();
        cuts.sort_by(f32::total_cmp);
        cuts.dedup_by(|a, b| (*a - *b).abs() < margin);
        if cuts.is_empty() {
            return vec![(self.text.to_owned(), rect)];
        }
        let mut pieces: Vec<(String, Rect)> = Vec::new();
        let mut current = String::new();
        let mut start = rect.x0;
        let mut pending = cuts.into_iter().peekable();
        for (c, center) in self.text.chars().zip(&self.centers) {
            while let Some(cut) = pending.next_if(|cut| center > cut) {
                pieces.push((std::mem::take(&mut current), Rect { x0: start, x1: cut, ..rect }));
                start = cut;
            }
            current.push(c);
        }
        pieces.push((current, Rect { x0: start, ..rect }));
        pieces
            .into_iter()
            // The rule itself is often read as a letter of its own.
            .map(|(text, rect)| (text.trim_matches([' ', '|', '丨']).to_owned(), rect))
            .filter(|(text, _)| !text.is_empty())
            .collect()
    }
}

/// Middles of the characters of a line, by the usual width of each.
fn estimated(text: &str, rect: Rect) -> Vec<f32> {
    let width_of = |c: char| if is_cjk(c) { 2.0 } else { 1.0 };
    let total: f32 = text.chars().map(width_of).sum();
    let mut at = rect.x0;
    text.chars()
        .map(|c| {
            let step = width_of(c) / total * rect.width();
            at += step;
            at - step / 2.0
        })
        .collect()
}
