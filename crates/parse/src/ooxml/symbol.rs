//! Characters of symbol fonts as Unicode.
//!
//! Word stores a tick or a Greek letter set in a symbol font as a private code (`w:sym`, or U+F0xx in the text).

/// The Unicode character that a code of a symbol font shows; none where the font or the code is not known.
pub(crate) fn unicode(font: &str, code: u32) -> Option<char> {
    // Codes come bare (0x61) or moved into the private area (0xF061).
    let code = if (0xF000..=0xF0FF).contains(&code) { code - 0xF000 } else { code };
    let byte = u8::try_from(code).ok()?;
    let font = font.to_ascii_lowercase();
    match font.as_str() {
        "symbol" => symbol(byte),
        "wingdings" => wingdings(byte),
        "wingdings 2" => wingdings_2(byte),
        "wingdings 3" => wingdings_3(byte),
        _ => None,
    }
}

/// Replaces private codes in a run of text set in a font. A private bullet of an unknown font becomes `•`.
pub(crate) fn replace_private(text: &str, font: Option<&str>) -> String {
    text.chars()
        .map(|character| {
            let code = character as u32;
            if !(0xF000..=0xF0FF).contains(&code) {
                return character;
            }
            unicode(font.unwrap_or("symbol"), code).or_else(|| unicode("symbol", code)).unwrap_or('•')
        })
        .collect()
}

fn symbol(byte: u8) -> Option<char> {
    const LOW: &str = " !∀#∃%&∋()∗+,−./0123456789:;<=>?\
        ≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\
        ‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
    const HIGH: &str = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉\
        ∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\u{F8FF}〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭";
    match byte {
        0x20..=0x7E => LOW.chars().nth(usize::from(byte) - 0x20),
        0xA0..=0xFE => HIGH.chars().nth(usize::from(byte) - 0xA0),
        _ => None,
    }
}

fn wingdings(byte: u8) -> Option<char> {
    Some(match byte {
        0x28 => '☎',
        0x46 => '☞',
        0x4A => '☺',
        0x6C => '●',
        0x6D => '❍',
        0x6E => '■',
        0x6F => '□',
        0x70 => '❐',
        0x71 => '❑',
        0x72 => '❒',
        0x73 => '⬧',
        0x74 => '⧫',
        0x75 => '◆',
        0x76 => '❖',
        0x77 => '⬥',
        0x80 => '⓪',
        0x81..=0x8A => char::from_u32('①' as u32 + u32::from(byte - 0x81))?,
        0x8B => '⓿',
        0x8C..=0x95 => char::from_u32('❶' as u32 + u32::from(byte - 0x8C))?,
        0x9E => '·',
        0x9F => '•',
        0xA1 => '○',
        0xA7 => '▪',
        0xA8 => '□',
        0xAB => '★',
        0xD8 => '➢',
        0xDC => '➲',
        0xDF => '←',
        0xE0 => '→',
        0xE1 => '↑',
        0xE2 => '↓',
        0xE8 => '➔',
        0xEF => '⇦',
        0xF0 => '⇨',
        0xFB => '✗',
        0xFC => '✓',
        0xFD => '☒',
        0xFE => '☑',
        _ => return None,
    })
}

fn wingdings_2(byte: u8) -> Option<char> {
    Some(match byte {
        0x4F => '✗',
        0x50 => '✓',
        0x51 | 0x53 | 0x54 => '☒',
        0x52 => '☑',
        0x97 => '●',
        0xA1 => '■',
        0x2A | 0x30 | 0xA3 => '□',
        _ => return None,
    })
}

fn wingdings_3(byte: u8) -> Option<char> {
    Some(match byte {
        0x7D => '▶',
        0x70 => '▲',
        0x71 => '▼',
        0x74 => '◀',
        0x75 => '▶',
        0x22 => '↑',
        0x23 => '↓',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_bare_or_private() {
        assert_eq!(unicode("Symbol", 0x61), Some('α'));
        assert_eq!(unicode("Symbol", 0xF0B3), Some('≥'));
        assert_eq!(unicode("Symbol", 0xFE), Some('⎭'));
        assert_eq!(unicode("Wingdings", 0xF0FE), Some('☑'));
        assert_eq!(unicode("Wingdings 2", 0x52), Some('☑'));
        assert_eq!(unicode("宋体", 0x61), None);
        assert_eq!(replace_private("\u{F0B7}甲", None), "•甲");
    }
}
