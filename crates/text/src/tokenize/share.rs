//! How much of a text is made of words: a measure for text that a machine read.

use super::words;
use crate::script::is_cjk;

/// Share of the letters of a text that stand in words, 0 to 1. None where there are too few letters to tell.
///
/// Chinese characters count where jieba's dictionary has a word of two and more of them. Latin letters count in words that
/// can be spoken: a vowel, no digit or capital in the middle. Signs that no text uses count against it.
/// Two readings of one page can be compared by it; it says nothing about how true either is.
///
/// ```
/// use regreader_text::word_share;
/// let clean = word_share("电力系统应当满足安全稳定运行的要求，调度机构应当定期核算。");
/// let damaged = word_share("电九糸统应当满是安全稳走运行旳要求，周度机沟应当走期核笄。");
/// assert!(clean > damaged);
/// assert_eq!(word_share("12 34"), None);
/// ```
pub fn word_share(text: &str) -> Option<f32> {
    /// Fewer letters are a page number and a stamp.
    const LEAST: usize = 20;
    let mut whole = 0_usize;
    let mut good = 0_usize;
    let mut run = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        run.push(c);
        let kind = kind_of(c);
        if chars.peek().is_some_and(|next| kind_of(*next) == kind) {
            continue;
        }
        let length = run.chars().count();
        match kind {
            Kind::Hanzi => {
                whole += length;
                good += words::known_characters(&run);
            }
            Kind::Latin => {
                let letters = run.chars().filter(|c| c.is_alphabetic()).count();
                whole += letters;
                good += if is_spoken(&run) { letters } else { 0 };
            }
            Kind::Odd => whole += length,
            Kind::Other => {}
        }
        run.clear();
    }
    (whole >= LEAST).then(|| good as f32 / whole as f32)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hanzi,
    /// Letters and digits, which make one word where they touch.
    Latin,
    /// White space and usual punctuation.
    Other,
    Odd,
}

fn kind_of(c: char) -> Kind {
    if c.is_alphabetic() || c.is_ascii_digit() {
        return if is_cjk(c) { Kind::Hanzi } else { Kind::Latin };
    }
    let is_usual = c.is_whitespace()
        || c.is_numeric()
        || c.is_ascii_punctuation()
        || matches!(c, '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}')
        || "§°±×÷≤≥≠≈·€£¥℃Ω√∑∞→■●○□★Δ".contains(c);
    if is_usual { Kind::Other } else { Kind::Odd }
}

/// Letters that could be a word, a unit or an abbreviation, with digits before or behind them (500kV, R1) but not inside.
fn is_spoken(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_digit());
    if word.contains(|c: char| c.is_ascii_digit()) {
        return word.chars().all(|c| c.is_ascii_digit() || c.is_uppercase());
    }
    let length = word.chars().count();
    let upper = word.chars().filter(|c| c.is_uppercase()).count();
    let capital = word.chars().next().is_some_and(char::is_uppercase);
    if length == 1 {
        return matches!(word, "a" | "A" | "I");
    }
    if upper == length {
        return length <= 6 || word.chars().any(is_vowel);
    }
    // kV, MWh: units have a capital inside; longer words do not.
    if upper > usize::from(capital) {
        return length <= 4;
    }
    let mut consonants = 0;
    let longest = word.chars().fold(0, |longest: usize, c| {
        consonants = if is_vowel(c) { 0 } else { consonants + 1 };
        longest.max(consonants)
    });
    word.chars().any(is_vowel) && longest <= 5
}

fn is_vowel(c: char) -> bool {
    !c.is_ascii() || matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_readings_have_fewer_words() {
        let pairs = [
            (
                "The transmission licensee shall keep a record of all tests of the protection system.",
                "Th3 trnsm1ss1on l1c3ns33 sh4ll kccp n rcc0rd ol nll tcsts 0f tlic pr0tcct1on systcm.",
            ),
            (
                "城市消防远程监控系统的报警传输网络通信协议应符合本部分的规定。",
                "坡市消昉远枉监拄系统旳报瞥传翰网洛通倍协仪应符台本郜分旳规走。",
            ),
        ];
        for (clean, damaged) in pairs {
            let (clean, damaged) = (word_share(clean).unwrap(), word_share(damaged).unwrap());
            assert!(clean > damaged + 0.1, "{clean} against {damaged}");
        }
    }

    #[test]
    fn units_and_abbreviations_are_words() {
        assert!(word_share("RTU at 500 kV and 20 MWh with GPS clock and SCADA link in use").unwrap() > 0.9);
    }
}
