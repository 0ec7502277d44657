//! The WordPiece tokenizer of the BERT family, read from `tokenizer.json`.
//!
//! Of the many tokenizers that such a file can describe, this is the one that the embedding models for Chinese and English
//! of a usable size have (bge, gte, text2vec, MiniLM). Reading it takes two hundred lines, while the library that reads all
//! of them was among the dearest dependencies to build. A file that describes another tokenizer is refused with its name.
//!
//! Text passes through three steps: it is cleaned (control characters out, Han characters set apart, lower case without
//! accents where the file says so), cut at white space and punctuation into words, and each word is cut from the left into
//! the longest pieces that the vocabulary has. Special tokens stand only where the file's template puts them: `[SEP]` in a
//! document is text.

use std::collections::HashMap;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Words longer than this become the unknown token, unless the file gives another bound; BERT's own value.
const LONGEST_WORD: usize = 100;

pub(crate) struct WordPiece {
    vocabulary: HashMap<String, u32>,
    unknown: u32,
    continuation: String,
    longest_word: usize,
    cleaning: Option<Cleaning>,
    before: Vec<u32>,
    after: Vec<u32>,
}

/// The settings of `BertNormalizer`, under the names of the file.
#[allow(clippy::struct_excessive_bools, reason = "four independent switches of a file format")]
struct Cleaning {
    clean: bool,
    separate_han: bool,
    strip_accents: bool,
    lowercase: bool,
}

impl WordPiece {
    /// Reads `tokenizer.json`.
    pub(crate) fn read(json: &[u8]) -> Result<Self, String> {
        let file: Value = serde_json::from_slice(json).map_err(|error| format!("tokenizer.json: {error}"))?;
        require(&file, "model", &["WordPiece"])?;
        require(&file, "pre_tokenizer", &["BertPreTokenizer"])?;
        let model = &file["model"];
        let vocabulary: HashMap<String, u32> = serde_json::from_value(model["vocab"].clone())
            .map_err(|error| format!("tokenizer.json: vocabulary: {error}"))?;
        let unknown_token = model["unk_token"].as_str().unwrap_or("[UNK]");
        let unknown = *vocabulary
            .get(unknown_token)
            .ok_or_else(|| format!("tokenizer.json: {unknown_token} is not in the vocabulary"))?;
        let cleaning = match &file["normalizer"] {
            Value::Null => None,
            normalizer => {
                require(&file, "normalizer", &["BertNormalizer"])?;
                let set = |key: &str, default: bool| normalizer[key].as_bool().unwrap_or(default);
                let lowercase = set("lowercase", true);
                Some(Cleaning {
                    clean: set("clean_text", true),
                    separate_han: set("handle_chinese_chars", true),
                    strip_accents: set("strip_accents", lowercase),
                    lowercase,
                })
            }
        };
        let (before, after) = template(&file["post_processor"])?;
        let longest_word = model["max_input_chars_per_word"].as_u64().and_then(|n| usize::try_from(n).ok());
        Ok(Self {
            vocabulary,
            unknown,
            continuation: model["continuing_subword_prefix"].as_str().unwrap_or("##").to_owned(),
            longest_word: longest_word.unwrap_or(LONGEST_WORD),
            cleaning,
            before,
            after,
        })
    }

    /// The ids of a text with its special tokens, at most `longest` of them: the end of the text is cut.
    pub(crate) fn ids(&self, text: &str, longest: usize) -> Vec<u32> {
        let room = longest.saturating_sub(self.before.len() + self.after.len());
        let cleaned = self.cleaning.as_ref().map_or_else(|| text.to_owned(), |cleaning| cleaning.apply(text));
        let mut ids = self.before.clone();
        let end = ids.len() + room;
        for word in words(&cleaned) {
            if ids.len() >= end {
                break;
            }
            self.cut(word, &mut ids);
        }
        ids.truncate(end);
        ids.extend(&self.after);
        ids
    }

    /// Greedy longest match from the left. A word with a part that the vocabulary lacks is unknown as a whole.
    fn cut(&self, word: &str, ids: &mut Vec<u32>) {
        if word.chars().count() > self.longest_word {
            ids.push(self.unknown);
            return;
        }
        let start_of_word = ids.len();
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            let prefix = if rest.len() == word.len() { "" } else { &self.continuation };
            let ends = rest.char_indices().rev().map(|(at, c)| at + c.len_utf8());
            let found = ends.into_iter().find_map(|end| {
                let (head, _) = rest.split_at(end);
                piece.clear();
                piece.push_str(prefix);
                piece.push_str(head);
                self.vocabulary.get(&piece).map(|&id| (id, end))
            });
            let Some((id, end)) = found else {
                ids.truncate(start_of_word);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = rest.split_at(end).1;
        }
    }
}

impl Cleaning {
    fn apply(&self, text: &str) -> String {
        let mut cleaned = String::with_capacity(text.len() + text.len() / 2);
        for c in text.chars() {
            if self.clean && is_control(c) {
                continue;
            }
            if self.clean && c.is_whitespace() {
                cleaned.push(' ');
            } else if self.separate_han && is_han(c) {
                cleaned.extend([' ', c, ' ']);
            } else {
                cleaned.push(c);
            }
        }
        if self.strip_accents {
            cleaned = cleaned.nfd().filter(|&c| !is_combining_mark(c)).collect();
        }
        if self.lowercase { cleaned.to_lowercase() } else { cleaned }
    }
}

/// Runs without white space, with every punctuation mark a word of its own.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = if is_punctuation(first) {
                first.len_utf8()
            } else {
                rest.find(is_punctuation).unwrap_or(rest.len())
            };
            let (word, after) = rest.split_at(end);
            rest = after;
            Some(word)
        })
    })
}

/// The special tokens before and after a single text.
fn template(processor: &Value) -> Result<(Vec<u32>, Vec<u32>), String> {
    let unreadable = || "tokenizer.json: the template of special tokens cannot be read".to_owned();
    let id = |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(unreadable);
    match processor["type"].as_str() {
        None => Ok((Vec::new(), Vec::new())),
        Some("BertProcessing") => Ok((vec![id(&processor["cls"][1])?], vec![id(&processor["sep"][1])?])),
        Some("TemplateProcessing") => {
            let (mut before, mut after, mut text_seen) = (Vec::new(), Vec::new(), false);
            for step in processor["single"].as_array().ok_or_else(unreadable)? {
                if step.get("Sequence").is_some() {
                    text_seen = true;
                } else if let Some(name) = step["SpecialToken"]["id"].as_str() {
                    let ids = processor["special_tokens"][name]["ids"].as_array().ok_or_else(unreadable)?;
                    let side = if text_seen { &mut after } else { &mut before };
                    for value in ids {
                        side.push(id(value)?);
                    }
                }
            }
            Ok((before, after))
        }
        Some(other) => Err(format!("tokenizer.json: post-processor {other} is not supported")),
    }
}

fn require(file: &Value, part: &str, supported: &[&str]) -> Result<(), String> {
    let name = file[part]["type"].as_str().unwrap_or("none");
    if supported.contains(&name) {
        return Ok(());
    }
    Err(format!(
        "tokenizer.json: {part} {name} is not supported, only {} of the BERT family",
        supported.join(", ")
    ))
}

/// Control and format characters, which carry no text: Unicode's category C as far as documents have it.
fn is_control(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        '\u{fffd}' | '\u{ad}' | '\u{feff}' => true,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
}

/// The blocks that BERT sets apart; kana and hangul are not among them.
fn is_han(c: char) -> bool {
    matches!(c,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

/// ASCII's symbols, and Unicode's category P for Latin and East Asian text.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c,
            '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}'
            | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}' | '\u{2045}'..='\u{2051}' | '\u{2053}'..='\u{205e}'
            | '\u{207d}' | '\u{207e}' | '\u{208d}' | '\u{208e}' | '\u{2308}'..='\u{230b}'
            | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{3030}' | '\u{303d}'
            | '\u{30a0}' | '\u{30fb}' | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe52}' | '\u{fe54}'..='\u{fe61}'
            | '\u{fe63}' | '\u{fe68}' | '\u{fe6a}' | '\u{fe6b}' | '\u{ff01}'..='\u{ff03}' | '\u{ff05}'..='\u{ff0a}'
            | '\u{ff0c}'..='\u{ff0f}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{ff20}' | '\u{ff3b}'..='\u{ff3d}'
            | '\u{ff3f}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff5f}'..='\u{ff65}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tokenizer() -> WordPiece {
        let tokens =
            ["[UNK]", "[CLS]", "[SEP]", "母", "线", "电", "220", "##kv", "un", "##aff", "##able", "，", "a"];
        let vocabulary: HashMap<&str, usize> =
            tokens.iter().enumerate().map(|(id, &token)| (token, id)).collect();
        let file = json!({
            "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "post_processor": { "type": "TemplateProcessing",
                "single": [{ "SpecialToken": { "id": "[CLS]", "type_id": 0 } }, { "Sequence": { "id": "A", "type_id": 0 } },
                           { "SpecialToken": { "id": "[SEP]", "type_id": 0 } }],
                "special_tokens": { "[CLS]": { "ids": [1] }, "[SEP]": { "ids": [2] } } },
            "model": { "type": "WordPiece", "vocab": vocabulary, "unk_token": "[UNK]", "continuing_subword_prefix": "##" }
        });
        WordPiece::read(file.to_string().as_bytes()).unwrap()
    }

    /// The expected ids were taken from the `tokenizers` library with the same file.
    #[test]
    fn cuts_as_the_reference_library_does() {
        let cases: [(&str, &[u32]); 7] = [
            ("220kV母线，Á", &[1, 6, 7, 3, 4, 11, 12, 2]),
            ("unaffable", &[1, 8, 9, 10, 2]),
            ("unaffables a", &[1, 0, 12, 2]),
            ("a\u{200b}a\u{0}\ta", &[1, 0, 12, 2]),
            ("", &[1, 2]),
            ("电[SEP]电", &[1, 5, 0, 0, 0, 5, 2]),
            ("母电线", &[1, 3, 5, 4, 2]),
        ];
        for (text, expected) in cases {
            assert_eq!(tokenizer().ids(text, 512), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_text_keeps_its_special_tokens() {
        assert_eq!(tokenizer().ids(&"电".repeat(100), 5), [1, 5, 5, 5, 2]);
        assert_eq!(tokenizer().ids(&"a".repeat(101), 5), [1, 0, 2], "a word too long to cut is unknown");
    }

    #[test]
    fn another_tokenizer_is_refused_by_name() {
        let unigram = json!({ "model": { "type": "Unigram" }, "pre_tokenizer": { "type": "Metaspace" } });
        let error = WordPiece::read(unigram.to_string().as_bytes()).err().unwrap();
        assert!(error.contains("model Unigram is not supported"), "{error}");
    }
}
