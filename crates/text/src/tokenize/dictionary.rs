//! jieba's dictionary as the program carries it: words that begin alike share what they begin with.
//!
//! The file is made by `training/words/dictionary.py`, which tells its form and where the words come from. The dictionary that comes
//! with jieba-rs is the same, twice the size, and brings two libraries for compression that nothing else needs.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

static PACKED: &[u8] = include_bytes!("dictionary.zlib");

/// Calls `each` with every word and how often it was counted, in the order of their bytes.
pub(super) fn for_each(each: impl FnMut(&str, usize)) {
    let mut columns = Vec::new();
    let unpacked = ZlibDecoder::new(PACKED).read_to_end(&mut columns).ok();
    let read = unpacked.and_then(|_| walk(&columns, each));
    // Part of the program, and read to its end by a test.
    debug_assert!(read.is_some(), "the dictionary is damaged");
}

/// Letters whose place takes one byte.
const SHORT: u8 = 192;

/// None when the columns end too soon.
fn walk(columns: &[u8], mut each: impl FnMut(&str, usize)) -> Option<()> {
    let (count, rest) = columns.split_first_chunk::<4>()?;
    let count = u32::from_le_bytes(*count) as usize;
    let (kinds, rest) = rest.split_first_chunk::<2>()?;
    let kinds = usize::from(u16::from_le_bytes(*kinds));
    let (high, rest) = rest.split_at_checked(kinds)?;
    let (low, rest) = rest.split_at_checked(kinds)?;
    let units = high.iter().zip(low).map(|(high, low)| u32::from(u16::from_be_bytes([*high, *low])));
    let alphabet: Vec<char> = units.map(char::from_u32).collect::<Option<_>>()?;
    let (shared, rest) = rest.split_at_checked(count)?;
    let (added, rest) = rest.split_at_checked(count)?;
    let letters: usize = added.iter().map(|length| usize::from(*length)).sum();
    // How long the column of the letters is, only its letters tell.
    let mut ends = rest.iter();
    for _ in 0..letters {
        letter(&mut ends, &alphabet)?;
    }
    let (mut letters, mut numbers) = (rest.iter(), ends);
    let mut word = String::new();
    for (shared, added) in shared.iter().zip(added) {
        let kept = word.char_indices().nth(usize::from(*shared)).map_or(word.len(), |(at, _)| at);
        word.truncate(kept);
        for _ in 0..*added {
            word.push(letter(&mut letters, &alphabet)?);
        }
        each(&word, number(&mut numbers)?);
    }
    Some(())
}

/// The next letter by its place in the alphabet.
fn letter<'a>(bytes: &mut impl Iterator<Item = &'a u8>, alphabet: &[char]) -> Option<char> {
    let first = *bytes.next()?;
    let place = match first.checked_sub(SHORT) {
        None => usize::from(first),
        Some(high) => usize::from(SHORT) + usize::from(u16::from_be_bytes([high, *bytes.next()?])),
    };
    alphabet.get(place).copied()
}

/// Seven bits a byte, lowest first; the high bit says that more follow.
fn number<'a>(bytes: &mut impl Iterator<Item = &'a u8>) -> Option<usize> {
    let mut value = 0;
    for shift in (0..usize::BITS).step_by(7) {
        let byte = bytes.next()?;
        value |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::{for_each, walk};

    #[test]
    fn every_word_of_the_dictionary_is_there_with_its_count() {
        let mut words = Vec::new();
        for_each(|word, count| words.push((word.to_owned(), count)));
        assert_eq!(words.len(), 349_045);
        assert_eq!(words.iter().map(|(_, count)| count).sum::<usize>(), 60_101_964);
        assert!(words.is_sorted_by(|one, next| one.0 < next.0));
        for (word, count) in [("1号店", 3), ("母线", 22), ("的", 318_825)] {
            assert!(words.contains(&(word.to_owned(), count)), "{word} {count}");
        }
    }

    #[test]
    fn columns_that_end_too_soon_are_noticed() {
        let alphabet = [3, 0, 0, 0, 0, b'a', b'b', b'c'];
        let whole = [&[2, 0, 0, 0][..], &alphabet, &[0, 1, 2, 1, 0, 1, 2, 1, 0x81, 1]].concat();
        let mut words = Vec::new();
        assert!(walk(&whole, |word, count| words.push((word.to_owned(), count))).is_some());
        assert_eq!(words, [("ab".to_owned(), 1), ("ac".to_owned(), 129)]);
        for end in 0..whole.len() {
            assert!(walk(&whole[..end], |_, _| {}).is_none(), "{end}");
        }
    }
}
