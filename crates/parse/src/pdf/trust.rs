//! Whether the text of a page says what the page shows.

use regreader_messages::{Word, findings};

use super::engine::PageContent;
use crate::layout::is_wide;

/// What to do with a page's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Take it.
    Readable,
    /// The page shows something that its text does not say; why.
    Unreadable(Word),
    /// A picture of a page with some text to it, which is better than nothing: a stamp, a page number.
    Scanned(Word),
    /// A picture of a page over the text that another recogniser read in it. Usable, unchecked.
    Layer(Word),
    /// Nothing is on the page.
    Blank,
}

/// Judges the text of a page.
pub(super) fn judge(content: &PageContent, size: [f32; 2]) -> Verdict {
    let shown = content.glyphs.iter().filter(|glyph| !glyph.ch.is_whitespace());
    let mut total = 0_usize;
    let (mut cjk, mut latin1) = (0_usize, 0_usize);
    for glyph in shown {
        total += 1;
        cjk += usize::from(is_wide(glyph.ch));
        latin1 += usize::from(('\u{80}'..='\u{24F}').contains(&glyph.ch));
    }
    if total == 0 {
        return if content.pictures.is_empty() && content.paths == 0 {
            Verdict::Blank
        } else {
            Verdict::Unreadable(findings::NO_TEXT)
        };
    }
    if content.unmapped * 5 > total && content.unmapped > 10 {
        return Verdict::Unreadable(findings::NO_UNICODE);
    }
    // Founder's book fonts map Chinese to Latin letters with accents and declare nothing.
    if content.undeclared * 2 > total && cjk * 50 < total && latin1 * 5 > total && total > 20 {
        return Verdict::Unreadable(findings::NO_ENCODING);
    }
    let page_area = size[0] * size[1];
    let covered = content.pictures.iter().map(|p| p.width() * p.height()).fold(0.0, f32::max);
    if covered >= 0.7 * page_area {
        if total < 40 {
            return Verdict::Scanned(findings::SCANNED);
        }
        // A page that draws lines of its own is no scan: the picture over it is a watermark or a stamp.
        let covered = if content.rules.is_empty() { content.under_picture } else { 0 };
        if content.invisible.max(covered) * 2 > total {
            return Verdict::Layer(findings::HIDDEN_LAYER);
        }
    }
    Verdict::Readable
}
