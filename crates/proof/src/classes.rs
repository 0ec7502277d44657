//! The closed classes of function words (`words.txt`): which wordings are equal, which words say nothing, which narrow a
//! sentence, and which only frame a quotation or join the cells of a row.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use crate::lex::{Break, Lexeme, Token, lex_raw};

const WORDS: &str = include_str!("words.txt");

/// A class of function words whose members are equal to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class(u8);

impl Class {
    /// Its name in `words.txt`.
    pub fn name(self) -> &'static str {
        classes().names.get(usize::from(self.0)).copied().unwrap_or_default()
    }

    /// Whether it says what must, may or should be done.
    pub fn is_modal(self) -> bool {
        matches!(self.name(), "must" | "must_not" | "may" | "should" | "should_not" | "need_not")
    }

    /// Whether it compares an amount.
    pub fn is_comparator(self) -> bool {
        matches!(self.name(), "le" | "ge" | "gt" | "lt")
    }
}

/// All classes, read once.
pub struct Classes {
    names: Vec<&'static str>,
    /// Phrases by their first token, the longest first, with their class; none: the phrase is dropped.
    phrases: Phrases<Option<Class>>,
    /// Words that narrow, and words that only look like them.
    restrict: Phrases<Narrowing>,
    frame: Phrases<()>,
    relation: Phrases<()>,
}

/// Where a word narrows what a sentence says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Narrowing {
    /// Wherever it stands.
    Anywhere,
    /// Only where it begins a clause.
    AtBeginning,
    /// Nowhere: 时间 is no condition, though 时 is one.
    Nowhere,
}

/// The classes of `words.txt`.
pub fn classes() -> &'static Classes {
    static CLASSES: OnceLock<Classes> = OnceLock::new();
    CLASSES.get_or_init(Classes::read)
}

impl Classes {
    fn read() -> Self {
        let mut all = Self {
            names: Vec::new(),
            phrases: Phrases::default(),
            restrict: Phrases::default(),
            frame: Phrases::default(),
            relation: Phrases::default(),
        };
        let lines =
            || WORDS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
        let members = |line: &'static str| {
            line.split(" | ").map(|member| -> Vec<Token> {
                lex_raw(member).tokens.into_iter().map(|one| one.token).collect()
            })
        };
        for (name, line) in lines() {
            match name {
                "restrict" => {
                    let where_it_narrows = line.split(" | ").map(|member| match member.chars().next() {
                        Some('^') => Narrowing::AtBeginning,
                        Some('!') => Narrowing::Nowhere,
                        _ => Narrowing::Anywhere,
                    });
                    let phrases = members(line).map(|phrase| {
                        phrase.into_iter().filter(|token| *token != Token::Char('^')).collect()
                    });
                    all.restrict.extend(phrases.zip(where_it_narrows));
                }
                "frame" | "relation" => {}
                "free" => all.phrases.extend(members(line).map(|phrase| (phrase, None))),
                _ => {
                    let class = Class(u8::try_from(all.names.len()).unwrap_or(u8::MAX));
                    all.names.push(name);
                    all.phrases.extend(members(line).map(|phrase| (phrase, Some(class))));
                }
            }
        }
        // These are looked for in texts whose function words are in their classes already.
        for (name, line) in lines().filter(|(name, _)| matches!(*name, "frame" | "relation")) {
            for member in line.split(" | ") {
                let phrase: Vec<Token> =
                    all.rewrite(&lex_raw(member).tokens).into_iter().map(|one| one.token).collect();
                if name == "frame" {
                    all.frame.extend([(phrase, ())]);
                } else {
                    all.relation.extend([(phrase, ())]);
                }
            }
        }
        all
    }

    /// Puts function words into their classes and drops the free ones. Marks before a dropped word go to the next one.
    pub fn rewrite(&self, raw: &[Lexeme]) -> Vec<Lexeme> {
        let tokens: Vec<&Token> = raw.iter().map(|one| &one.token).collect();
        let restricting = self.restricting(raw, &tokens);
        let mut out: Vec<Lexeme> = Vec::with_capacity(raw.len());
        let mut carried = Break::None;
        let mut at = 0;
        while at < raw.len() {
            // A phrase does not run over a mark.
            let room = 1 + raw[at + 1..].iter().take_while(|one| one.before == Break::None).count();
            let found = self.phrases.longest(&tokens[at..at + room]);
            let before = carried.max(raw[at].before);
            // The a of 3.4-a is part of a code.
            let glued = |found: &(usize, Option<Class>)| {
                let starts = raw[at].at.0;
                let ends = raw[at + found.0 - 1].at.1;
                let code = |one: &Lexeme| one.token == Token::Char('-') || one.token.is_number();
                let before = at > 0 && raw[at - 1].at.1 == starts && code(&raw[at - 1]);
                let behind = raw.get(at + found.0).is_some_and(|next| next.at.0 == ends && code(next));
                (before || behind) && matches!(tokens[at], Token::Word(_))
            };
            let (len, class) = match found.filter(|found| !glued(found)) {
                Some((len, class)) => (len, Some(class)),
                None => (1, None),
            };
            let restricts = (at..at + len).any(|at| restricting.contains(&at));
            let end = raw[at + len - 1].at.1;
            match class {
                Some(None) => {
                    carried = before;
                    // …的，: whoever or whatever does so. It narrows what follows.
                    let last = raw.get(at + len).is_none_or(|next| next.before >= Break::Clause);
                    if last
                        && before == Break::None
                        && *tokens[at] == Token::Char('的')
                        && let Some(previous) = out.last_mut()
                    {
                        previous.restricts = true;
                    }
                }
                Some(Some(class)) => {
                    carried = Break::None;
                    let start = raw[at].at.0;
                    out.push(Lexeme {
                        token: Token::Class(class),
                        before,
                        restricts,
                        at: (start, end),
                        ..raw[at].clone()
                    });
                }
                None => {
                    carried = Break::None;
                    out.push(Lexeme { before, restricts, ..raw[at].clone() });
                }
            }
            at += len;
        }
        self.turn_comparisons(&mut out);
        out
    }

    /// Positions of tokens that belong to a word that narrows.
    fn restricting(&self, raw: &[Lexeme], tokens: &[&Token]) -> HashSet<usize> {
        let mut found: HashSet<usize> = HashSet::new();
        let mut at = 0;
        while at < tokens.len() {
            let begins = at == 0 || raw[at].before >= Break::Clause;
            match self.restrict.longest(&tokens[at..]) {
                Some((len, Narrowing::Nowhere)) => {
                    at += len;
                    continue;
                }
                Some((len, narrowing)) if begins || narrowing == Narrowing::Anywhere => {
                    found.extend(at..at + len);
                }
                _ => {}
            }
            at += 1;
        }
        found
    }

    /// 不应大于 and 应不大于 are one requirement: a forbidden excess is a required bound. Only the two tokens side by side
    /// are turned, so a prohibition of anything else stays one.
    fn turn_comparisons(&self, tokens: &mut [Lexeme]) {
        let class = |name: &str| {
            let at = self.names.iter().position(|known| *known == name)?;
            u8::try_from(at).ok().map(Class)
        };
        for at in 1..tokens.len() {
            if tokens[at].before != Break::None {
                continue;
            }
            let (Token::Class(modal), Token::Class(comparator)) = (&tokens[at - 1].token, &tokens[at].token)
            else {
                continue;
            };
            let name = |class: &Class| self.names.get(usize::from(class.0)).copied().unwrap_or_default();
            let turned = match (name(modal), name(comparator)) {
                ("must_not", "gt") => ("must", "le"),
                ("must_not", "lt") => ("must", "ge"),
                ("should_not", "gt") => ("should", "le"),
                ("should_not", "lt") => ("should", "ge"),
                _ => continue,
            };
            if let (Some(modal), Some(comparator)) = (class(turned.0), class(turned.1)) {
                tokens[at - 1].token = Token::Class(modal);
                tokens[at].token = Token::Class(comparator);
            }
        }
    }

    /// Whether a token belongs to a word that may join the cells of a row.
    pub fn is_relation(&self, token: &Token) -> bool {
        matches!(token, Token::Class(class) if matches!(class.name(), "per" | "and" | "if" | "time"))
            || self.relation.has(token)
    }

    /// The length of the word that may stand around a quotation, at the beginning of these tokens.
    pub fn frame(&self, tokens: &[&Token]) -> usize {
        match tokens.first() {
            Some(Token::Class(class)) if matches!(class.name(), "per" | "and") => 1,
            _ => self.frame.longest(tokens).map_or(0, |(len, ())| len),
        }
    }

    /// The length of the word that may join the cells of a row, at the beginning of these tokens.
    pub fn relation(&self, tokens: &[&Token]) -> usize {
        match tokens.first() {
            Some(Token::Class(class)) if matches!(class.name(), "per" | "and" | "if" | "time") => 1,
            _ => self.relation.longest(tokens).map_or(0, |(len, ())| len),
        }
    }
}

/// Phrases found by their first token.
struct Phrases<T> {
    by_first: HashMap<Token, Vec<(Vec<Token>, T)>>,
    /// Every token of every phrase.
    tokens: HashSet<Token>,
}

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self { by_first: HashMap::new(), tokens: HashSet::new() }
    }
}

impl<T: Copy> Phrases<T> {
    fn extend(&mut self, phrases: impl IntoIterator<Item = (Vec<Token>, T)>) {
        for (phrase, value) in phrases {
            let Some(first) = phrase.first().cloned() else { continue };
            self.tokens.extend(phrase.iter().cloned());
            let list = self.by_first.entry(first).or_default();
            list.push((phrase, value));
            list.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
        }
    }

    fn has(&self, token: &Token) -> bool {
        self.tokens.contains(token)
    }

    fn longest(&self, tokens: &[&Token]) -> Option<(usize, T)> {
        let list = self.by_first.get(*tokens.first()?)?;
        let fits = |phrase: &[Token]| {
            phrase.len() <= tokens.len() && phrase.iter().zip(tokens).all(|(a, b)| a == *b)
        };
        list.iter().find(|(phrase, _)| fits(phrase)).map(|(phrase, value)| (phrase.len(), *value))
    }
}
