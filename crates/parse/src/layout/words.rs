//! Glyphs in the order they were drawn become words: runs that touch, on one baseline, in one size.

use regreader_model::Rect;

use super::{ASCENT, DESCENT, Glyph, Turn, is_cjk, is_wide};

/// Characters that stand together. In scripts without spaces a word is simply an unbroken run.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    /// Its characters.
    pub text: String,
    /// Its box, in the frame where its line runs left to right.
    pub rect: Rect,
    /// Its baseline.
    pub base: f32,
    /// Font size.
    pub size: f32,
    /// How many characters are bold.
    pub bold: u32,
    /// How many characters there are.
    pub count: u32,
    /// Place in drawing order.
    pub seq: u32,
    /// A space was drawn before it.
    pub space_before: bool,
    /// Recogniser's confidence.
    pub confidence: Option<f32>,
}

impl Word {
    pub fn first(&self) -> char {
        self.text.chars().next().unwrap_or(' ')
    }

    pub fn last(&self) -> char {
        self.text.chars().next_back().unwrap_or(' ')
    }
}

/// Gap, in ems, from which two characters belong to different words.
fn word_gap(a: char, b: char) -> f32 {
    match (is_cjk(a), is_cjk(b)) {
        (true, true) => 0.5,
        // Full-width Latin is measured by its ink, which leaves room on both sides.
        (false, false) if is_wide(a) || is_wide(b) => 0.24,
        (false, false) => 0.17,
        _ if (is_wide(a) && !is_cjk(a)) || (is_wide(b) && !is_cjk(b)) => 0.45,
        _ => 0.35,
    }
}

/// The words of the glyphs with this turn, in drawing order.
pub(crate) fn words_of(glyphs: &[Glyph], turn: Turn, size: [f32; 2]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    let mut space = false;
    for (seq, glyph) in glyphs.iter().enumerate().filter(|(_, glyph)| glyph.turn == turn) {
        let (x0, base) = turn.to_frame(glyph.x, glyph.y, size);
        let x1 = x0 + glyph.advance;
        if glyph.ch.is_whitespace() || is_invisible(glyph.ch) {
            // A zero-width mark neither shows nor separates.
            if glyph.ch.is_whitespace() {
                open = false;
                space = true;
            }
            continue;
        }
        let continues = open
            && words.last().is_some_and(|word| {
                let em = word.size.max(glyph.size);
                let gap = x0 - word.rect.x1;
                (base - word.base).abs() <= 0.12 * em
                    && glyph.size <= word.size * 1.2
                    && word.size <= glyph.size * 1.2
                    && gap <= word_gap(word.last(), glyph.ch) * em
                    && gap >= -0.7 * em
            });
        let rect = Rect { x0, y0: base - ASCENT * glyph.size, x1, y1: base + DESCENT * glyph.size };
        if continues && let Some(word) = words.last_mut() {
            word.text.push(glyph.ch);
            word.rect = word.rect.union(&rect);
            word.bold += u32::from(glyph.bold);
            word.count += 1;
        } else {
            // A space drawn at the end of a line says nothing about the next line.
            let same_line = words.last().is_some_and(|word| (base - word.base).abs() <= 0.5 * glyph.size);
            words.push(Word {
                text: glyph.ch.into(),
                rect,
                base,
                size: glyph.size,
                bold: u32::from(glyph.bold),
                count: 1,
                seq: seq as u32,
                space_before: space && same_line,
                confidence: None,
            });
        }
        open = true;
        space = false;
    }
    words
}

/// A hyphen that is only there because the line ends. Kept at the end of a row for whoever joins lines.
pub(crate) const SOFT_HYPHEN: char = '\u{AD}';

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}')
}

/// The text of words that stand on one line, left to right.
pub(crate) fn join_words<'w>(words: impl IntoIterator<Item = &'w Word>) -> String {
    let mut text = String::new();
    let mut previous: Option<&Word> = None;
    for word in words {
        if let Some(before) = previous
            && needs_space(before, word)
        {
            text.push(' ');
        }
        text.push_str(&word.text);
        previous = Some(word);
    }
    text
}

/// Whether a space shows between two neighbours of a line.
pub(crate) fn needs_space(before: &Word, after: &Word) -> bool {
    let gap = after.rect.x0 - before.rect.x1;
    let em = before.size.max(after.size);
    let (a, b) = (before.last(), after.first());
    match (is_cjk(a), is_cjk(b)) {
        // Titles are often spread out (前  言): only a gap too wide for that separates.
        (true, true) => gap > 1.2 * em,
        (false, false) => after.space_before || gap > word_gap(a, b) * em,
        _ => (after.space_before && gap > 0.05 * em) || gap > word_gap(a, b) * em,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters of 10 points, each with where its box begins and ends.
    fn line(characters: &[(char, f32, f32)]) -> String {
        let glyphs: Vec<Glyph> = characters
            .iter()
            .map(|(ch, x0, x1)| Glyph {
                ch: *ch,
                x: *x0,
                y: 100.0,
                advance: x1 - x0,
                size: 10.0,
                turn: Turn::Level,
                bold: false,
            })
            .collect();
        join_words(&words_of(&glyphs, Turn::Level, [600.0, 800.0]))
    }

    #[test]
    fn a_full_width_number_is_one_word_and_stands_apart_from_its_title() {
        // Set as the standards of one typesetting system are: dots close behind their digits, 9 points from digit to
        // digit, a narrow space before the title.
        let number =
            [('４', 2.5, 7.5), ('．', 8.0, 10.5), ('１', 11.2, 16.2), ('．', 16.9, 19.4), ('１', 20.0, 25.0)];
        assert_eq!(line(&number), "４．１．１");
        let mut titled = number.to_vec();
        titled.extend([('巡', 33.0, 43.0), ('视', 43.0, 53.0)]);
        assert_eq!(line(&titled), "４．１．１ 巡视");
        assert_eq!(
            line(&[('１', 2.5, 7.5), ('１', 7.6, 12.6), ('ｋ', 16.0, 20.0), ('Ｖ', 20.2, 27.0)]),
            "１１ ｋＶ"
        );
    }
}
