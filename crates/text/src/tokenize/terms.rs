//! The dictionary of grid terms: the built-in list and a trie to find them with.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use crate::fold::{Glyph, fold};

/// Terms of the built-in list; lines, with comments behind `#`.
const BUILT_IN: &str = include_str!("../terms.txt");

static SHARED: LazyLock<Arc<Terms>> = LazyLock::new(|| Arc::new(Terms::new(built_in_list())));

/// The built-in terms, built once.
pub(super) fn built_in() -> Arc<Terms> {
    Arc::clone(&SHARED)
}

/// The built-in list, folded.
pub(super) fn built_in_list() -> impl Iterator<Item = String> {
    BUILT_IN.lines().filter_map(clean)
}

/// A line of a terms file as a term: folded, without comment; none for an empty line or one that is no term.
pub(super) fn clean(line: &str) -> Option<String> {
    let term = fold(line.split('#').next().unwrap_or(""));
    // A "term" of a whole sentence would only waste memory.
    (2..=LONGEST).contains(&term.chars().count()).then_some(term)
}

/// No term is longer.
pub(super) const LONGEST: usize = 32;

/// A trie over characters. The first step is taken at every character of every text, so it is a table.
pub(super) struct Terms {
    /// Node for a term's first character, for the common ideographs; 0 for none.
    han: Vec<u32>,
    /// The same for every other first character.
    other: BTreeMap<char, u32>,
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    /// Next character and the index of its node, sorted by character for binary search.
    children: Vec<(char, u32)>,
    ends_term: bool,
}

const FIRST_HAN: u32 = 0x4E00;
const LAST_HAN: u32 = 0x9FFF;

impl Terms {
    pub fn new(terms: impl IntoIterator<Item = String>) -> Self {
        let mut trie = Self {
            han: vec![0; (LAST_HAN - FIRST_HAN + 1) as usize],
            other: BTreeMap::new(),
            nodes: vec![Node::default()],
        };
        for term in terms {
            trie.insert(&term);
        }
        trie
    }

    fn insert(&mut self, term: &str) {
        let mut chars = term.chars();
        let Some(first) = chars.next() else { return };
        let mut node = self.first(first);
        if node == 0 {
            node = self.grow();
            match self.han.get_mut(han_index(first)) {
                Some(slot) => *slot = node,
                None => {
                    self.other.insert(first, node);
                }
            }
        }
        for c in chars {
            let found =
                self.nodes.get(node as usize).map(|n| n.children.binary_search_by_key(&c, |(c, _)| *c));
            node = match found {
                Some(Ok(i)) => {
                    self.nodes.get(node as usize).and_then(|n| n.children.get(i)).map_or(0, |(_, n)| *n)
                }
                Some(Err(i)) => {
                    let child = self.grow();
                    if let Some(parent) = self.nodes.get_mut(node as usize) {
                        parent.children.insert(i, (c, child));
                    }
                    child
                }
                None => return,
            };
        }
        if let Some(last) = self.nodes.get_mut(node as usize) {
            last.ends_term = true;
        }
    }

    fn grow(&mut self) -> u32 {
        self.nodes.push(Node::default());
        (self.nodes.len() - 1) as u32
    }

    fn first(&self, c: char) -> u32 {
        match self.han.get(han_index(c)) {
            Some(node) => *node,
            None => self.other.get(&c).copied().unwrap_or(0),
        }
    }

    /// Lengths, in characters, of the terms that begin at the first glyph, shortest first.
    pub fn at<'t>(&'t self, glyphs: &'t [Glyph]) -> impl Iterator<Item = usize> + 't {
        let mut node = glyphs.first().map_or(0, |glyph| self.first(glyph.c));
        let mut len = 1;
        std::iter::from_fn(move || {
            while node != 0 {
                let current = self.nodes.get(node as usize)?;
                let here = len;
                node = glyphs
                    .get(len)
                    .and_then(|glyph| {
                        let i = current.children.binary_search_by_key(&glyph.c, |(c, _)| *c).ok()?;
                        current.children.get(i)
                    })
                    .map_or(0, |(_, child)| *child);
                len += 1;
                if current.ends_term {
                    return Some(here);
                }
            }
            None
        })
    }
}

fn han_index(c: char) -> usize {
    (c as u32).wrapping_sub(FIRST_HAN) as usize
}
