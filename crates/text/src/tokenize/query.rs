//! What a query asks for: its tokens without the words that only ask.

use std::sync::OnceLock;

use super::{TokenKind, Tokenizer, latin};
use crate::fold::fold;

/// A token of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryToken {
    /// Its folded text, as the index has it.
    pub text: String,
    /// What it is.
    pub kind: TokenKind,
    /// How much it should count beside the others; 1 for an ordinary bigram or word.
    pub weight: f32,
    /// Its place in the query, as in [`super::Token::position`].
    pub position: u32,
}

impl QueryToken {
    /// Numbers, codes and names with a number: another one is another matter, however alike it looks.
    pub fn is_exact(&self) -> bool {
        match self.kind {
            TokenKind::Number
            | TokenKind::Section
            | TokenKind::Quantity
            | TokenKind::Compound
            | TokenKind::Label
            | TokenKind::Device => true,
            TokenKind::Latin => self.text.contains(|c: char| c.is_ascii_digit()),
            _ => false,
        }
    }
}

/// A query, read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryTokens {
    /// Every token once, in order.
    pub tokens: Vec<QueryToken>,
    /// Runs of two and more tokens that stand side by side in the query: a hit that has them so is a better one.
    pub phrases: Vec<Vec<String>>,
}

impl QueryTokens {
    /// Whether nothing is left to search for.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The tokens that cover the text once: bigrams, words, numbers.
    pub fn basic(&self) -> impl Iterator<Item = &QueryToken> {
        self.tokens.iter().filter(|token| !token.kind.is_extra())
    }

    /// The tokens that come beside them: terms, labels, devices.
    pub fn extra(&self) -> impl Iterator<Item = &QueryToken> {
        self.tokens.iter().filter(|token| token.kind.is_extra())
    }
}

/// A query is a sentence; of a pasted document the beginning is enough.
const LONGEST_QUERY: usize = 4096;

pub(super) fn read(tokenizer: &Tokenizer, text: &str) -> QueryTokens {
    let cut = (0..=LONGEST_QUERY.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let folded = fold(text.get(..cut).unwrap_or(""));
    let asked = without_question_words(&folded);
    let found = collect(tokenizer, &asked, true);
    if !found.is_empty() {
        return found;
    }
    // 什么 alone, or "what is it": then these words are the query.
    collect(tokenizer, &folded, false)
}

fn collect(tokenizer: &Tokenizer, text: &str, drop_fillers: bool) -> QueryTokens {
    let mut out = QueryTokens::default();
    let mut seen = std::collections::BTreeSet::new();
    let mut run: Vec<String> = Vec::new();
    let mut run_end = 0;
    let mut last_position = None;
    for token in tokenizer.index_tokens(text) {
        let is_filler = || {
            // As it was written too: the base form of `does` is not on the list.
            let written = text.get(token.start..token.end).unwrap_or("");
            latin::is_stop_word(&token.text) || latin::is_stop_word(written)
        };
        let filler = drop_fillers && token.kind == TokenKind::Latin && is_filler();
        let basic = !token.kind.is_extra() && last_position != Some(token.position);
        if basic {
            last_position = Some(token.position);
            // Side by side: nothing but a space between them, or one inside the other's last character.
            let gap = text.get(run_end..token.start).unwrap_or("");
            if filler || !gap.trim().is_empty() || gap.len() > 1 {
                flush(&mut run, &mut out.phrases);
            }
            if !filler {
                run.push(token.text.clone());
            }
            run_end = token.end;
        }
        if !filler && seen.insert(token.text.clone()) {
            let weight = weight(token.kind, &token.text);
            out.tokens.push(QueryToken {
                text: token.text,
                kind: token.kind,
                weight,
                position: token.position,
            });
        }
    }
    flush(&mut run, &mut out.phrases);
    out
}

fn flush(run: &mut Vec<String>, phrases: &mut Vec<Vec<String>>) {
    let run = std::mem::take(run);
    if run.len() > 1 {
        phrases.push(run);
    }
}

/// A name with its number says more than a bigram; a bare number, a lone character or an everyday word says less.
fn weight(kind: TokenKind, text: &str) -> f32 {
    match kind {
        TokenKind::Latin => latin::telling(text),
        TokenKind::Label | TokenKind::Device => 2.0,
        TokenKind::Section | TokenKind::Compound => 1.5,
        TokenKind::Bigram | TokenKind::Quantity | TokenKind::Term => 1.0,
        TokenKind::Number => 0.7,
        TokenKind::Char | TokenKind::Word => 0.5,
    }
}

/// Words that only ask, longer before shorter where one begins the other.
fn question_words() -> &'static [&'static str] {
    static WORDS: OnceLock<Vec<&'static str>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let lines = include_str!("../question_words_zh.txt").lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_whitespace).collect()
    })
}

/// A folded text with a mark where a Chinese word only asks.
///
/// ```
/// use regreader_text::tokenize::without_question_words;
/// assert_eq!(without_question_words("母线失压怎么处理"), "母线失压?处理");
/// ```
pub fn without_question_words(folded: &str) -> String {
    let mut out = String::with_capacity(folded.len());
    let mut rest = folded;
    'text: while let Some(c) = rest.chars().next() {
        for word in question_words() {
            if let Some(after) = rest.strip_prefix(*word) {
                // Not a space: folding would close it up again.
                out.push('?');
                rest = after;
                continue 'text;
            }
        }
        out.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or("");
    }
    out
}
