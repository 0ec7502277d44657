//! Windows: neighbouring blocks of a page, about as long as a paragraph that answers a question, each half over the
//! one before. Long blocks are cut into pieces first, at the end of a line or a sentence.

use std::ops::Range;

/// Size of a window: so many Chinese characters, or the Latin ones that say as much.
const WINDOW: f32 = 280.0;
/// What a Latin character counts beside a Chinese one: 800 of them fill a window.
const LATIN: f32 = 0.35;
/// First byte of the characters from U+3000 on, and of none before.
const WIDE: u8 = 0xE3;

/// What a text counts towards the size of a window.
pub(super) fn size(text: &str) -> f32 {
    // The bytes after the first begin with the bits 10.
    let wide = text.bytes().map(|byte| u32::from(byte >= WIDE)).sum::<u32>();
    let all = text.bytes().map(|byte| u32::from(byte & 0xC0 != 0x80)).sum::<u32>();
    wide as f32 + LATIN * (all - wide) as f32
}

/// The pieces of a text with their sizes, none of them much longer than half a window.
pub(super) fn pieces(text: &str) -> Vec<(Range<usize>, f32)> {
    let whole = size(text);
    if whole <= WINDOW / 2.0 {
        return vec![(0..text.len(), whole)];
    }
    let mut pieces = Vec::new();
    let (mut start, mut filled) = (0, 0.0);
    // Where the text may be cut, and how much stands before that place.
    let mut cut: Option<(usize, f32)> = None;
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(&first) = bytes.get(end) {
        let at = end;
        end += match first {
            0..0x80 => 1,
            0x80..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        filled += if first >= WIDE { 1.0 } else { LATIN };
        let ends_sentence = match first {
            b'\n' => true,
            b'.' | b';' | b'?' | b'!' => {
                text.get(end..).and_then(|rest| rest.chars().next()).is_some_and(char::is_whitespace)
            }
            0xE3 | 0xEF => matches!(text.get(at..end), Some("。" | "；")),
            _ => false,
        };
        if ends_sentence {
            cut = Some((end, filled));
        }
        if filled < WINDOW / 2.0 {
            continue;
        }
        // Without a place to cut, a sentence may fill a whole window, but no more.
        let (place, before) = match cut {
            Some(cut) => cut,
            None if filled >= WINDOW => (end, filled),
            None => continue,
        };
        pieces.push((start..place, before));
        start = place;
        filled -= before;
        cut = None;
    }
    if start < text.len() {
        pieces.push((start..text.len(), filled));
    }
    pieces
}

/// Windows over pieces of these sizes, as ranges of them.
pub(super) fn windows(sizes: &[f32]) -> Vec<Range<usize>> {
    let mut windows = Vec::new();
    let mut start = 0;
    while start < sizes.len() {
        let (mut end, mut filled) = (start, 0.0);
        while let Some(size) = sizes.get(end)
            && (end == start || filled + size <= WINDOW)
        {
            filled += size;
            end += 1;
        }
        windows.push(start..end);
        if end >= sizes.len() {
            break;
        }
        let (mut next, mut passed) = (start, 0.0);
        while next + 1 < end && passed < filled / 2.0 {
            passed += sizes.get(next).copied().unwrap_or(0.0);
            next += 1;
        }
        start = next.max(start + 1);
    }
    windows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_blocks_are_joined_and_windows_overlap() {
        assert_eq!(windows(&[100.0; 6]), [0..2, 1..3, 2..4, 3..5, 4..6]);
        assert_eq!(windows(&[20.0, 30.0, 200.0]).first(), Some(&(0..3)), "all fits");
        assert_eq!(windows(&[400.0, 400.0]), [0..1, 1..2], "a long piece stands alone");
        assert!(windows(&[]).is_empty());
    }

    #[test]
    fn a_long_block_is_cut_at_sentence_ends() {
        let text = "母线失压后应立即汇报调度。".repeat(40);
        let pieces = pieces(&text);
        assert!(pieces.len() > 2, "{pieces:?}");
        assert!(pieces.iter().all(|(range, _)| text[range.clone()].ends_with('。')), "{pieces:?}");
    }

    proptest! {
        #[test]
        fn pieces_are_the_text_and_windows_miss_no_piece(text in "[母线。a-c .\n]{0,900}") {
            let pieces = pieces(&text);
            let joined: String = pieces.iter().map(|(range, _)| &text[range.clone()]).collect();
            prop_assert_eq!(&joined, &text);
            let sizes: Vec<f32> = pieces.iter().map(|(_, size)| *size).collect();
            let windows = windows(&sizes);
            for at in 0..sizes.len() {
                prop_assert!(windows.iter().any(|window| window.contains(&at)), "{at} of {windows:?}");
            }
            prop_assert!(windows.windows(2).all(|pair| pair[0].start < pair[1].start && pair[0].end <= pair[1].end));
        }
    }
}
