//! Which script a text is written in. Owns the one definition of "a Chinese character" that the rest of the crate
//! uses; knows nothing of words or meaning.

use regreader_messages::Language;

/// Whether the character is a Han ideograph, kana or hangul syllable: written without spaces, searched by bigrams.
///
/// ```
/// use regreader_text::script::is_cjk;
/// assert!(is_cjk('线') && is_cjk('〇'));
/// assert!(!is_cjk('，') && !is_cjk('Ⅰ') && !is_cjk('A'));
/// ```
pub fn is_cjk(c: char) -> bool {
    let code = c as u32;
    // Nearly every call in a Chinese document ends here.
    if (0x4E00..=0x9FFF).contains(&code) {
        return true;
    }
    if code < 0x3005 {
        return false;
    }
    matches!(code,
        0x3005 | 0x3007 | 0x3041..=0x3096 | 0x309D..=0x309F | 0x30A1..=0x30FA | 0x30FC..=0x30FF
        | 0x3105..=0x312F | 0x3400..=0x4DBF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

/// Whether the character is punctuation that only Chinese and Japanese text uses.
pub fn is_cjk_punctuation(c: char) -> bool {
    matches!(c as u32, 0x3001..=0x3004 | 0x3008..=0x301F | 0x30FB | 0xFF01..=0xFF0F | 0xFF1A..=0xFF20
        | 0xFF3B..=0xFF40 | 0xFF5B..=0xFF65)
}

/// The language that a text is written in, as far as the interface knows languages.
pub fn language_of(text: &str) -> Language {
    if text.contains(is_cjk) { Language::Chinese } else { Language::English }
}

/// Share of the characters that are CJK, white space not counted; 0 for an empty text.
///
/// ```
/// assert_eq!(regreader_text::script::cjk_share("母线 AB"), 0.5);
/// ```
pub fn cjk_share(text: &str) -> f32 {
    share(text, is_cjk)
}

fn share(text: &str, counts: impl Fn(char) -> bool) -> f32 {
    let (mut hits, mut all) = (0_u64, 0_u64);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        all += 1;
        hits += u64::from(counts(c));
    }
    if all == 0 { 0.0 } else { hits as f32 / all as f32 }
}
