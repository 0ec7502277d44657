//! Raised and lowered characters as Unicode has them: m², 10⁻³, CO₂, 100⁽¹⁾. Set on the line they would make other
//! numbers of them (10-3, 1001), which no later stage could undo.

/// Characters that a format or a page sets raised, in their raised forms. Unchanged when one of them has none.
pub(crate) fn raised(text: &str) -> String {
    mapped(text, |c| {
        Some(match c {
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '0' | '4'..='9' => char::from_u32(0x2070 + c.to_digit(10)?)?,
            '+' => '⁺',
            '-' | '−' | '–' => '⁻',
            '(' => '⁽',
            ')' => '⁾',
            _ => return None,
        })
    })
}

/// Characters that are set lowered, in their lowered forms. Unchanged when one of them has none.
pub(crate) fn lowered(text: &str) -> String {
    mapped(text, |c| {
        Some(match c {
            '0'..='9' => char::from_u32(0x2080 + c.to_digit(10)?)?,
            '+' => '₊',
            '-' | '−' => '₋',
            '(' => '₍',
            ')' => '₎',
            _ => return None,
        })
    })
}

/// Longest text that is an exponent, an index or a note mark.
const LONGEST: usize = 6;

fn mapped(text: &str, form: impl Fn(char) -> Option<char>) -> String {
    let digits = text.chars().any(|c| c.is_ascii_digit());
    if !digits || text.chars().count() > LONGEST {
        return text.to_owned();
    }
    text.chars().map(form).collect::<Option<String>>().unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_indices_and_note_marks_keep_their_place() {
        assert_eq!(format!("10{}", raised("-3")), "10⁻³");
        assert_eq!(format!("m{}", raised("2")), "m²");
        assert_eq!(format!("CO{}", lowered("2")), "CO₂");
        assert_eq!(format!("100{}", raised("(1)")), "100⁽¹⁾");
        for text in ["th", "1a", "-", "2019-2020"] {
            assert_eq!(raised(text), text);
        }
    }
}
