//! Tokens of search.

use crate::fold::fold_glyphs;
use crate::script::is_cjk;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The folded text of the token.
    pub text: String,
    /// Its place among the tokens, for phrases. Extra tokens share the place of the first basic token they cover.
    pub position: u32,
    /// What it is.
    pub kind: TokenKind,
    /// First byte in the original text.
    pub start: usize,
    /// Byte behind the last in the original text.
    pub end: usize,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenKind {
    /// Two neighbouring Chinese characters.
    Bigram,
    /// A Chinese character that stands alone.
    Char,
    /// A Latin word.
    Latin,
    /// A number.
    Number,
    /// A number or word of several parts as a whole: 6-2, n-1, cip-006-6. Extra.
    Compound,
    /// A dotted section number: 2.1.4.
    Section,
    /// A label with its number: 表6-2, 注1, 第13条. Extra.
    Label,
    /// A device with its number: 长南1线. Extra.
    Device,
    /// A quantity in its base unit: 2000mw. Extra.
    Quantity,
    /// A term of the dictionary. Extra.
    Term,
    /// A word of jieba's. Extra.
    Word,
}

/// What a tokenizer does beyond its usual work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenizerOptions {
    /// Add jieba's words. Its dictionary takes a while to load, once.
    pub words: bool,
}

/// Makes tokens.
#[derive(Debug, Clone, Default)]
pub struct Tokenizer {
    options: TokenizerOptions,
}

/// A token of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryToken {
    /// The token.
    pub text: String,
    /// What it is.
    pub kind: TokenKind,
    /// How much it should count against the others; 1 is usual.
    pub weight: f32,
    /// Its place, as in [`Token::position`].
    pub position: u32,
}

/// A query, read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryTokens {
    /// Tokens in order, none twice.
    pub tokens: Vec<QueryToken>,
    /// Runs of basic tokens that stand together in the query and should stand together in a hit.
    pub phrases: Vec<Vec<String>>,
}

impl Tokenizer {
    /// With the built-in terms.
    pub fn new() -> Self {
        Self::default()
    }

    /// With further terms of the user's.
    pub fn with_terms<S: AsRef<str>>(terms: impl IntoIterator<Item = S>) -> Self {
        let _ = terms.into_iter().count();
        Self::default()
    }

    /// With these options.
    #[must_use]
    pub fn options(mut self, options: TokenizerOptions) -> Self {
        self.options = options;
        self
    }

    /// The tokens to index.
    pub fn index_tokens(&self, text: &str) -> Vec<Token> {
        let glyphs = fold_glyphs(text);
        let mut out = Vec::new();
        for pair in glyphs.windows(2) {
            if let [a, b] = pair
                && is_cjk(a.c)
                && is_cjk(b.c)
            {
                out.push(Token {
                    text: [a.c, b.c].iter().collect(),
                    position: out.len() as u32,
                    kind: TokenKind::Bigram,
                    start: a.at,
                    end: b.at + b.c.len_utf8(),
                });
            }
        }
        out
    }

    /// The tokens of a query.
    pub fn query_tokens(&self, text: &str) -> QueryTokens {
        let tokens = self
            .index_tokens(text)
            .into_iter()
            .map(|t| QueryToken { text: t.text, kind: t.kind, weight: 1.0, position: t.position })
            .collect();
        QueryTokens { tokens, phrases: Vec::new() }
    }

    /// Words only.
    pub fn words(&self, text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }
}
