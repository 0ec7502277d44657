//! What may stand around a quotation: the names of the regulation, its clause, table and page, and words such as 规定.
//! Every name is one that the passage really has; a name of anything else is part of the statement and must be proven.

use crate::classes::classes;
use crate::lex::{Lexed, Token};
use crate::page::{Context, Passages, tokens};

/// The phrases that may frame a passage.
#[derive(Debug, Clone)]
pub struct Frame {
    phrases: Vec<Vec<Token>>,
    /// Names that are nothing but digits: they count only in brackets, where they cannot be taken for an amount.
    bare_numbers: Vec<Vec<Token>>,
}

impl Frame {
    /// The names of a passage.
    pub fn of(page: &Passages, place: &Context) -> Self {
        let mut texts: Vec<String> = page.names.clone();
        let number = page.page_num;
        texts.extend([
            format!("P{number}"),
            format!("P {number}"),
            format!("第{number}页"),
            format!("page {number}"),
            format!("第 {number} 页，"),
        ]);
        texts.extend(place.titles.iter().cloned());
        texts.extend(place.titles.iter().filter_map(|title| {
            regreader_text::parse_line(title)
                .filter(|line| !line.rest.is_empty())
                .map(|line| line.rest.to_owned())
        }));
        for clause in &place.clauses {
            // Chapter 6 is not article 6, and a bare 6 is any number.
            if clause.chars().all(|c| c.is_ascii_digit()) {
                texts.push(format!("第{clause}章"));
                continue;
            }
            texts.extend([
                clause.clone(),
                format!("第{clause}条"),
                format!("{clause}条"),
                format!("第{clause}款"),
                format!("第{clause}节"),
            ]);
        }
        if let Some(table) = &place.table_number {
            texts.extend([format!("表{table}"), format!("Table {table}"), format!("表 {table}")]);
        }
        texts.extend(place.caption.clone());
        texts.extend(place.note.clone());
        texts.extend(place.printed_note.clone());
        let mut phrases = Vec::new();
        let mut bare_numbers = Vec::new();
        for text in texts {
            let phrase = tokens(&text);
            let bare = phrase.iter().all(Token::is_number);
            if bare { bare_numbers.push(phrase) } else { phrases.push(phrase) }
        }
        phrases.retain(|phrase| !phrase.is_empty());
        bare_numbers.retain(|phrase| !phrase.is_empty());
        Self { phrases, bare_numbers }
    }

    /// Whether a token belongs to one of the names.
    pub fn has(&self, token: &Token) -> bool {
        self.phrases.iter().chain(&self.bare_numbers).any(|phrase| phrase.contains(token))
    }

    /// The longest phrase at the beginning of these tokens.
    pub fn longest(&self, tokens: &[&Token], bracketed: bool) -> usize {
        let fits = |phrase: &[Token]| {
            phrase.len() <= tokens.len() && phrase.iter().zip(tokens).all(|(a, b)| a == *b)
        };
        let bare = self.bare_numbers.iter().filter(|_| bracketed);
        self.phrases.iter().chain(bare).filter(|phrase| fits(phrase)).map(Vec::len).max().unwrap_or(0)
    }

    /// Whether these tokens of a statement are nothing but names and words that frame.
    pub fn covers(&self, statement: &Lexed, from: usize, to: usize) -> bool {
        let Some(range) = statement.tokens.get(from..to) else { return false };
        let all: Vec<&Token> = range.iter().map(|one| &one.token).collect();
        let mut at = 0;
        while at < all.len() {
            let len = self.longest(&all[at..], range[at].bracketed).max(classes().frame(&all[at..]));
            if len == 0 {
                return false;
            }
            at += len;
        }
        true
    }
}
