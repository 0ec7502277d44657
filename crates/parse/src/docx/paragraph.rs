//! A paragraph while it is read: its characters, where pages break in it, and what hangs on it.

use std::collections::BTreeMap;

use regreader_model::{RawText, TextRole, TextUnit};

use super::body::Item;
use super::estimate::Shape;
use super::styles::RunStyle;
use crate::flow;

/// Content of one paragraph.
#[derive(Debug, Default)]
pub(crate) struct Paragraph {
    /// The characters.
    pub text: String,
    /// Byte offsets where the file demands a new page.
    pub hard_breaks: Vec<usize>,
    /// Byte offsets where Word last saw a new page begin.
    pub soft_breaks: Vec<usize>,
    /// Pictures, text boxes, charts and notes that hang on it.
    pub after: Vec<Item>,
    /// Formulas, when nothing but formulas stands in it.
    pub formulas: Vec<String>,
    /// A caption numbers itself with a `SEQ` field.
    pub has_sequence: bool,
    bold: usize,
    visible: usize,
    sizes: BTreeMap<u32, usize>,
}

impl Paragraph {
    /// Adds characters of one look.
    pub fn push(&mut self, text: &str, look: &RunStyle) {
        let count = text.chars().filter(|c| !c.is_whitespace()).count();
        self.visible += count;
        if look.bold == Some(true) {
            self.bold += count;
        }
        if let Some(size) = look.half_points {
            *self.sizes.entry(size).or_default() += count;
        }
        self.text.push_str(text);
    }

    /// Adds a formula standing in the line.
    pub fn formula(&mut self, latex: String) {
        if latex.is_empty() {
            return;
        }
        self.text.push('$');
        self.text.push_str(&latex);
        self.text.push('$');
        self.formulas.push(latex);
    }

    /// Whether formulas are all there is.
    pub fn is_formula(&self) -> bool {
        let formulas: usize = self.formulas.iter().map(|latex| latex.len() + 2).sum();
        !self.formulas.is_empty() && self.text.trim().len() <= formulas
    }

    /// Whether there are characters.
    pub fn has_text(&self) -> bool {
        !self.text.trim().is_empty()
    }

    /// The paragraph as elements: one, or several where the file demands a new page inside it.
    pub fn into_items(mut self, number: &str, role: TextRole, shape: Shape) -> Vec<Item> {
        let mut items = Vec::new();
        let after = std::mem::take(&mut self.after);
        if self.is_formula() {
            let breaks = !self.hard_breaks.is_empty();
            items.extend(
                self.formulas
                    .iter()
                    .map(|latex| Item::text(flow::paragraph(format!("$${latex}$$"), TextRole::Code))),
            );
            items.extend(after);
            if breaks {
                items.push(Item::HardBreak);
            }
            return items;
        }
        let size = self.sizes.iter().max_by_key(|(_, count)| **count).map(|(size, _)| *size as f32 / 2.0);
        let bold = self.bold * 2 > self.visible;
        let mut start = 0;
        let mut prefix = number;
        let ends: Vec<usize> = self.hard_breaks.iter().copied().chain([self.text.len()]).collect();
        for (index, end) in ends.into_iter().enumerate() {
            if index > 0 {
                items.push(Item::HardBreak);
            }
            let piece = self.text.get(start..end).unwrap_or("");
            let trimmed = if role == TextRole::Code { piece.trim_matches('\n') } else { piece.trim() };
            let lead = piece.find(trimmed).unwrap_or(0);
            let soft: Vec<usize> = self
                .soft_breaks
                .iter()
                .filter(|at| (start..=end).contains(at))
                .map(|at| {
                    let at = at.saturating_sub(start + lead).min(trimmed.len());
                    if at == 0 { 0 } else { at + prefix.len() }
                })
                .collect();
            if trimmed.trim().is_empty() {
                if !soft.is_empty() {
                    items.push(Item::SoftBreak);
                }
            } else {
                let text = RawText {
                    text: format!("{prefix}{trimmed}"),
                    unit: TextUnit::Paragraph,
                    role,
                    bbox: None,
                    size,
                    bold,
                    confidence: None,
                };
                items.push(Item::Text { text, soft, shape });
                prefix = "";
            }
            start = end;
        }
        // What hangs on the paragraph follows its text, but stays before a break that ends it.
        let at = if matches!(items.last(), Some(Item::HardBreak)) { items.len() - 1 } else { items.len() };
        items.splice(at..at, after);
        items
    }
}
