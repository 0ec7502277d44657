//! Italic Latin that a font mapped to rare hanzi: 犌犅 is GB. The table is GBK's user row A0, where the font's makers
//! put their letters.

use super::is_plain_width;

/// GBK A0C1–A0DA as Unicode has them: A to Z.
const UPPER: &str = "犃犅犆犇犈犉犌犎犐犑犓犔犕犖犗犘犙犚犛犜犝犞犠犡犢犣";
/// GBK A0E1–A0FA: a to z.
const LOWER: &str = "犪犫犮犱犲犳犵犺犻犼犽犾犿狀狅狆狇狉狊狋狌狏狑狓狔狕";
/// Letters that are also characters of ordinary (traditional) text, and so no evidence when alone.
const ORDINARY: &str = "狀犢犧狎";

/// Puts the Latin letters back that a font mapped to rare hanzi (犌犅 is GB), and the dash it mapped to U+E011. None
/// when there is nothing to repair.
///
/// ```
/// use regreader_text::repair_gbk_latin;
/// assert_eq!(repair_gbk_latin("犌犅３８７５５—２０１９").as_deref(), Some("GB３８７５５—２０１９"));
/// assert_eq!(repair_gbk_latin("电力系统"), None);
/// ```
pub fn repair_gbk_latin(text: &str) -> Option<String> {
    if !text.chars().any(|c| c == DASH || letter(c).is_some()) {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut changed = false;
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| chars.get(i)).copied();
        let after = chars.get(i + 1).copied();
        match letter(c) {
            Some(latin) if !ORDINARY.contains(c) || stands_in_latin(before, after) => {
                out.push(latin);
                changed = true;
            }
            _ if c == DASH => {
                out.push('—');
                changed = true;
            }
            _ => out.push(c),
        }
    }
    changed.then_some(out)
}

const DASH: char = '\u{E011}';

fn letter(c: char) -> Option<char> {
    // All of them lie in one short stretch; the rest of the text is settled by two comparisons.
    if !('犃'..='狕').contains(&c) {
        return None;
    }
    let place = |table: &str| table.chars().position(|entry| entry == c);
    let (index, first) = place(UPPER).map(|i| (i, b'A')).or_else(|| place(LOWER).map(|i| (i, b'a')))?;
    Some(char::from(first + index as u8))
}

/// A doubtful letter is one when a neighbour is a sure one, or Latin already.
fn stands_in_latin(before: Option<char>, after: Option<char>) -> bool {
    [before, after]
        .into_iter()
        .flatten()
        .any(|c| is_plain_width(c) || (letter(c).is_some() && !ORDINARY.contains(c)))
}
