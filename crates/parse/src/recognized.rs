//! Recognised lines of a picture into a page: places in points, cells where rules were drawn, confidence.

use regreader_model::{Diagnostic, DiagnosticCode, PageNumber, RawElement, Rect, Severity, TextOrigin};

use crate::compose::{PageParts, compose};
use crate::layout::{DESCENT, Turn, Word, is_cjk};
use crate::recognize::{Picture, RecognizedLine};
use crate::tables::{Axis, Rule};

/// Below this mean confidence a page is named in the quality report.
const LOW_CONFIDENCE: f32 = 0.85;

/// Elements and origin of a page whose text was recognised. `size` is the page's size in points.
pub(crate) fn page(
    lines: &[RecognizedLine],
    picture: &Picture,
    size: [f32; 2],
    rules: Vec<Rule>,
    remarks: &mut Vec<Diagnostic>,
    page_num: PageNumber,
) -> (TextOrigin, Vec<RawElement>) {
    let scale = [size[0] / picture.width.max(1) as f32, size[1] / picture.height.max(1) as f32];
    let mut words = Vec::with_capacity(lines.len());
    for line in lines {
        let rect = Rect {
            x0: line.bbox.x0 * scale[0],
            y0: line.bbox.y0 * scale[1],
            x1: line.bbox.x1 * scale[0],
            y1: line.bbox.y1 * scale[1],
        };
        let text = line.text.trim();
        if text.is_empty() || !(rect.x0.is_finite() && rect.y1.is_finite()) {
            continue;
        }
        for (text, rect) in split_at_rules(text, rect, &rules) {
            words.push(word(text, rect, line.confidence, words.len()));
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
            format!("文字识别置信度偏低: {confidence:.2} (low recognition confidence)"),
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
    (TextOrigin::Ocr { confidence }, compose(parts))
}

fn word(text: String, rect: Rect, confidence: f32, seq: usize) -> Word {
    let size = rect.height();
    let count = text.chars().count() as u32;
    Word {
        text,
        rect,
        base: rect.y1 - DESCENT * size,
        size,
        bold: 0,
        count,
        seq: seq as u32,
        space_before: true,
        confidence: Some(confidence),
    }
}

/// A recogniser may read straight across a column rule: cut its line there, by the width of its characters.
fn split_at_rules(text: &str, rect: Rect, rules: &[Rule]) -> Vec<(String, Rect)> {
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
        return vec![(text.to_owned(), rect)];
    }
    let width_of = |c: char| if is_cjk(c) { 2.0 } else { 1.0 };
    let total: f32 = text.chars().map(width_of).sum();
    let mut pieces: Vec<(String, Rect)> = Vec::new();
    let mut current = String::new();
    let (mut start, mut at) = (rect.x0, rect.x0);
    let mut pending = cuts.into_iter().peekable();
    for c in text.chars() {
        let step = width_of(c) / total * rect.width();
        while let Some(&cut) = pending.peek()
            && at + step / 2.0 > cut
        {
            pieces.push((std::mem::take(&mut current), Rect { x0: start, x1: cut, ..rect }));
            start = cut;
            pending.next();
        }
        current.push(c);
        at += step;
    }
    pieces.push((current, Rect { x0: start, ..rect }));
    pieces
        .into_iter()
        .map(|(text, rect)| (text.trim().to_owned(), rect))
        .filter(|(text, _)| !text.is_empty())
        .collect()
}
