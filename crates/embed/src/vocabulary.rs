//! Names of rows, laid out for quick looking up. Knows nothing of vectors or of how text is cut.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Which name is which row.
pub(crate) struct Vocabulary {
    /// Whole words, beginnings of words, numbers, and pairs of words.
    words: Map<Box<str>>,
    /// Continuations of words (written `##` in the file).
    tails: Map<Box<str>>,
    /// Runs of Han characters and every prefix of them, as packed codes; a prefix that is no row has [`NO_ROW`].
    han: Map<u64>,
    /// Code of each Han character that occurs in a name, for packing; 0 is none.
    codes: Vec<u16>,
    /// The same for the few outside the basic plane.
    rare_codes: HashMap<char, u16>,
    symbols: HashMap<char, u32>,
    longest_piece: usize,
}

type Map<K> = HashMap<K, u32, BuildHasherDefault<Mix>>;

const NO_ROW: u32 = u32::MAX;
/// Bits of a character's code in a packed run; four of them fit a word.
const CODE_BITS: u32 = 16;

impl Vocabulary {
    /// Names in row order. The error says what is wrong with them.
    pub(crate) fn new(names: &[&str]) -> Result<Self, String> {
        let mut vocabulary = Self {
            words: Map::with_capacity_and_hasher(names.len(), BuildHasherDefault::default()),
            tails: Map::default(),
            han: Map::with_capacity_and_hasher(names.len(), BuildHasherDefault::default()),
            codes: vec![0; 0x1_0000],
            rare_codes: HashMap::new(),
            symbols: HashMap::new(),
            longest_piece: 1,
        };
        let mut next_code = 1_u16;
        for (row, &name) in names.iter().enumerate() {
            let row = u32::try_from(row).map_err(|_| "too many rows".to_owned())?;
            let first = name.chars().next().ok_or("a row has no name")?;
            let known = if let Some(tail) = name.strip_prefix("##") {
                vocabulary.longest_piece = vocabulary.longest_piece.max(tail.chars().count());
                vocabulary.tails.insert(tail.into(), row)
            } else if is_han(first) {
                vocabulary.add_han(name, row, &mut next_code)?
            } else if name.chars().nth(1).is_none() && !first.is_alphanumeric() {
                vocabulary.symbols.insert(first, row)
            } else {
                vocabulary.longest_piece = vocabulary.longest_piece.max(name.chars().count());
                vocabulary.words.insert(name.into(), row)
            };
            if known.is_some_and(|row| row != NO_ROW) {
                return Err(format!("two rows are named {name}"));
            }
        }
        Ok(vocabulary)
    }

    /// The row of a word, the beginning of one, a number or a pair of words.
    pub(crate) fn word(&self, name: &str) -> Option<u32> {
        self.words.get(name).copied()
    }

    /// The row of a continuation.
    pub(crate) fn tail(&self, name: &str) -> Option<u32> {
        self.tails.get(name).copied()
    }

    /// The row of a character that is neither letter, digit nor Han.
    pub(crate) fn symbol(&self, c: char) -> Option<u32> {
        self.symbols.get(&c).copied()
    }

    /// Characters of the longest name a piece can have: no longer one need be tried.
    pub(crate) fn longest_piece(&self) -> usize {
        self.longest_piece
    }

    /// An empty Han run, to be grown character by character.
    pub(crate) fn han(&self) -> HanPrefix<'_> {
        HanPrefix { vocabulary: self, packed: 0, row: NO_ROW }
    }

    fn add_han(&mut self, name: &str, row: u32, next_code: &mut u16) -> Result<Option<u32>, String> {
        let mut packed = 0_u64;
        let length = name.chars().count();
        if length > 4 {
            return Err(format!("{name} is longer than four characters"));
        }
        for (at, c) in name.chars().enumerate() {
            let code = match self.code(c) {
                0 => {
                    let code = *next_code;
                    *next_code = next_code.checked_add(1).ok_or("too many characters")?;
                    match self.codes.get_mut(c as usize) {
                        Some(slot) => *slot = code,
                        None => drop(self.rare_codes.insert(c, code)),
                    }
                    code
                }
                code => code,
            };
            packed = packed << CODE_BITS | u64::from(code);
            if at + 1 < length {
                self.han.entry(packed).or_insert(NO_ROW);
            }
        }
        Ok(self.han.insert(packed, row))
    }

    fn code(&self, c: char) -> u16 {
        match self.codes.get(c as usize) {
            Some(&code) => code,
            None => self.rare_codes.get(&c).copied().unwrap_or(0),
        }
    }
}

/// A run of Han characters that begins at least one row.
pub(crate) struct HanPrefix<'a> {
    vocabulary: &'a Vocabulary,
    packed: u64,
    row: u32,
}

impl HanPrefix<'_> {
    /// Adds a character; false when no row begins so.
    pub(crate) fn push(&mut self, c: char) -> bool {
        let code = self.vocabulary.code(c);
        if code == 0 {
            return false;
        }
        self.packed = self.packed << CODE_BITS | u64::from(code);
        match self.vocabulary.han.get(&self.packed) {
            Some(&row) => {
                self.row = row;
                true
            }
            None => false,
        }
    }

    /// The row of exactly this run, if it has one.
    pub(crate) fn row(&self) -> Option<u32> {
        (self.row != NO_ROW).then_some(self.row)
    }
}

fn is_han(c: char) -> bool {
    matches!(u32::from(c), 0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x3007 | 0x2_0000..=0x3_134F)
}

/// A multiplying hash. The keys are the model's own names, so no stranger chooses what collides.
#[derive(Default)]
struct Mix(u64);

impl Mix {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(part) {
                *to = *from;
            }
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.add(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    fn finish(&self) -> u64 {
        // The table takes its position from the low bits and its tags from the high ones; the product is best in the middle.
        self.0 ^ self.0 >> 32
    }
}
