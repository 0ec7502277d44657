//! Text cut into sentences, sentences into clauses: what may be left out of a quotation and what may not.

use regreader_text::{parse_definition, parse_line};

use crate::lex::{Break, Lexed, Lexeme, Token, lex};

/// A part of a sentence between commas or in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// It holds a word that narrows what the sentence says, so it cannot be left out.
    pub restricts: bool,
    /// It stands in brackets.
    pub bracketed: bool,
}

/// What a sentence is marked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// It has no mark.
    #[default]
    None,
    /// A number: `1)`, `6.2.1`, `（2）`.
    Number,
    /// Anything else: `a)`, `注1`, `第六条`.
    Letter,
}

impl Mark {
    fn of(printed: &str) -> Self {
        match printed.chars().find(|c| c.is_alphanumeric()) {
            None => Self::None,
            Some(c) if c.is_numeric() => Self::Number,
            Some(_) => Self::Letter,
        }
    }
}

/// A sentence, a list item, a title or a row.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "four facts that do not depend on each other")]
pub struct Sentence {
    /// The number or label before it (`6.2.1`, `（2）`, `注1`), which a quotation may leave out.
    pub marker: Vec<Token>,
    /// What kind of marker that is: items of one list have one kind.
    pub mark: Mark,
    /// Its clauses.
    pub clauses: Vec<Clause>,
    /// The sentence that introduces it: the one before its colon, or the header of its table.
    pub lead: Option<usize>,
    /// Without the introduction it says more than the page does.
    pub needs_lead: bool,
    /// It ends with a colon.
    pub introduces: bool,
    /// It is a row of a table.
    pub is_row: bool,
    /// It stands on the next page and only goes on with a passage of this one.
    pub overleaf: bool,
    /// Which of the page's places it stands in.
    pub place: usize,
    /// The words.
    pub text: String,
}

impl Sentence {
    /// Whether some part of it narrows the rest.
    pub fn restricts(&self) -> bool {
        self.clauses.iter().any(|clause| clause.restricts)
    }

    /// Every token, the marker first.
    pub fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.marker.iter().chain(self.clauses.iter().flat_map(|clause| &clause.tokens))
    }
}

/// Cuts one line into sentences. The leads of those behind a colon are positions in the result.
pub fn sentences(line: &str) -> Vec<Sentence> {
    let line = line.trim().trim_start_matches(['#', '>', '*', ' ']).trim_end_matches(['*', ' ']);
    let rest = match (parse_definition(line), item_rest(line), parse_line(line)) {
        (Some(label), ..) => label.rest,
        (None, Some(rest), _) => rest,
        (None, None, Some(numbered)) => numbered.rest,
        (None, None, None) => line,
    };
    // The rest is the end of the line; what stands before it is the marker.
    let split = line.len().saturating_sub(rest.len());
    let (printed, rest) =
        if line.is_char_boundary(split) && !rest.is_empty() { line.split_at(split) } else { ("", line) };
    let lexed = lex(rest);
    let mut found: Vec<Sentence> = Vec::new();
    let mut from = 0;
    let ends = (1..=lexed.tokens.len())
        .filter(|at| lexed.tokens.get(*at).is_none_or(|next| next.before >= Break::Colon));
    for to in ends {
        let mut sentence = sentence(&lexed, from, to);
        sentence.introduces = lexed.tokens.get(to).is_some_and(|next| next.before == Break::Colon);
        if found.is_empty() {
            sentence.marker.splice(0..0, lex(printed).tokens.into_iter().map(|one| one.token));
            sentence.mark = Mark::of(printed);
        } else if let Some(last) = found.last().filter(|last| last.introduces) {
            sentence.needs_lead = sentence.marker.is_empty() && last.restricts();
            sentence.lead = Some(found.len() - 1);
        } else {
            // 当…时：甲；乙 introduces both.
            let lead = found.last().and_then(|last| last.lead);
            sentence.lead = lead;
            sentence.needs_lead = sentence.marker.is_empty()
                && found.last().is_some_and(|last| last.needs_lead)
                && !ended(&lexed, from);
        }
        found.push(sentence);
        from = to;
    }
    let last_colon = rest.trim_end().ends_with([':', '：']);
    if let Some(last) = found.last_mut() {
        last.introduces |= last_colon;
    }
    found
}

/// What stands behind the mark of a list item that ends in a bracket: `c)`, `a.2)`, `(iv)`.
fn item_rest(line: &str) -> Option<&str> {
    const LONGEST_MARK: usize = 6;
    let end = line.find([')', '）'])?;
    let mark = line[..end].trim_start_matches(['(', '（']);
    let is_mark = !mark.is_empty()
        && mark.len() <= LONGEST_MARK
        && mark.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
        && (mark.contains(|c: char| c.is_ascii_digit())
            || mark.len() == 1
            || mark.chars().all(|c| matches!(c, 'i' | 'v' | 'x')));
    let rest = line[end..].trim_start_matches([')', '）']);
    (is_mark && rest.starts_with(char::is_whitespace) && !rest.trim().is_empty()).then_some(rest.trim_start())
}

/// Whether a full stop, not a semicolon, stands before a token.
fn ended(lexed: &Lexed, at: usize) -> bool {
    let before = lexed.tokens.get(at).map_or(0, |one| one.at.0);
    let text = lexed.text.get(..before).unwrap_or_default();
    !text.trim_end().ends_with(['；', ';'])
}

fn sentence(lexed: &Lexed, from: usize, to: usize) -> Sentence {
    let tokens = &lexed.tokens[from..to];
    let mut clauses = clauses(tokens);
    let mut marker = Vec::new();
    // （2） inside of a line: an item of a list that runs on.
    if clauses.len() > 1 && clauses[0].bracketed && clauses[0].tokens.len() == 1 {
        let short = match &clauses[0].tokens[0] {
            Token::Word(word) => word.chars().count() <= 2,
            token => token.is_number(),
        };
        if short {
            marker = clauses.remove(0).tokens;
        }
    }
    Sentence { marker, clauses, text: lexed.words(from, to).to_owned(), ..Sentence::default() }
}

/// Cuts tokens at commas and brackets.
pub fn clauses(tokens: &[Lexeme]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    for (at, one) in tokens.iter().enumerate() {
        if at == 0 || one.before >= Break::Clause {
            clauses.push(Clause { tokens: Vec::new(), restricts: false, bracketed: one.bracketed });
        }
        if let Some(clause) = clauses.last_mut() {
            clause.tokens.push(one.token.clone());
            clause.restricts |= one.restricts;
        }
    }
    clauses
}
