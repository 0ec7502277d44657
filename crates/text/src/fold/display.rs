//! Normal forms that can be shown: full-width letters and digits become plain, everything a reader would miss stays.

use unicode_normalization::UnicodeNormalization;

use crate::scan::half;

/// Puts a text into a form for display and storage: full-width letters, digits and signs become plain, ligatures and
/// compatibility ideographs become what they stand for. Case stays, and so do ①, Ⅰ, m², … and Chinese punctuation.
///
/// ```
/// use regreader_text::nfkc;
/// assert_eq!(nfkc("３．２．３ ５００ｋＶ（含Ⅰ母），见注①。"), "3.2.3 500kV（含Ⅰ母），见注①。");
/// assert_eq!(nfkc("ﬁrst ⾼压"), "first 高压");
/// ```
pub fn nfkc(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (head, tail) = rest.split_at(c.len_utf8());
        if is_compatibility(c) {
            out.extend(head.nfkc());
        } else {
            out.push(plain(c));
        }
        rest = tail;
    }
    // Marks that stand behind their letter join it; this form never undoes what was kept above.
    if out.is_ascii() { out } else { out.nfc().collect() }
}

fn plain(c: char) -> char {
    match c {
        // These are the punctuation of Chinese text, not wide forms of Latin signs.
        '！' | '（' | '）' | '，' | '：' | '；' | '？' | '～' => c,
        '\u{FF01}'..='\u{FF5E}' => half(c),
        '\u{3000}' | '\u{A0}' => ' ',
        _ => c,
    }
}

/// Characters that stand for others and lose nothing when replaced: ligatures, radicals, compatibility ideographs,
/// squared units, half-width kana, presentation forms.
fn is_compatibility(c: char) -> bool {
    matches!(c as u32,
        0x2E80..=0x2FD5 | 0x3371..=0x33DF | 0xF900..=0xFAFF | 0xFB00..=0xFB4F | 0xFE30..=0xFE4F | 0xFF65..=0xFFDC
        | 0x2F800..=0x2FA1F)
}
