//! Tokens of search, the same for every index. Bigrams carry Chinese; terms, devices, labels, quantities and words come
//! as extra tokens beside them, never instead: with 母线失压 as a word alone, a query for 失压 would miss.
//!
//! All tokens are folded text. The tokenizer knows no index and no score; the weights of query tokens are a default.

mod counter;
mod dictionary;
mod latin;
mod query;
mod segment;
mod share;
mod stream;
mod terms;
mod words;

use std::sync::{Arc, OnceLock};

use jieba_rs::Jieba;

use crate::fold::fold_glyphs;
pub use counter::TermCounter;
pub use latin::{base as base_form, is_stop_word};
pub use query::{QueryToken, QueryTokens, without_question_words};
pub use share::word_share;
use terms::Terms;
pub use words::word_starts;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenKind {
    /// Two neighbouring Chinese characters.
    Bigram,
    /// A Chinese character that stands alone.
    Char,
    /// A Latin word, or letters and digits in one (`gb38755`).
    Latin,
    /// A number.
    Number,
    /// A dotted section number: `2.1.4`, `a.1.2`.
    Section,
    /// A number with its unit in base units: `500kv`, `2000mw` (also for 200 万千瓦).
    Quantity,
    /// Several parts as a whole: `6-2`, `n-1`, `cip-006-6`.
    Compound,
    /// A label with its number: `表6-2`, `注1`, `第13条`.
    Label,
    /// A device with its number: `长南1线`, `1号主变`.
    Device,
    /// A term of the dictionary, three characters or more.
    Term,
    /// A word of jieba's, three characters or more.
    Word,
}

impl TokenKind {
    /// Whether tokens of this kind only come beside others that cover the same text.
    pub fn is_extra(self) -> bool {
        matches!(self, Self::Compound | Self::Label | Self::Device | Self::Term | Self::Word)
    }
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its folded text.
    pub text: String,
    /// Its place, for phrases: neighbours differ by one. An extra token has the place of one it covers.
    pub position: u32,
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte in the text that was tokenised.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

/// A token that is only looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenRef<'a> {
    /// Its folded text.
    pub text: &'a str,
    /// As in [`Token::position`].
    pub position: u32,
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte in the text that was tokenised.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

/// What a tokenizer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenizerOptions {
    /// Add jieba's words of three characters and more. Its dictionary takes long to load, once per process, and only
    /// when this is set.
    pub words: bool,
    /// Reduce English words to what their forms have in common.
    pub stem: bool,
}

impl Default for TokenizerOptions {
    fn default() -> Self {
        Self { words: false, stem: true }
    }
}

/// Makes tokens. Cheap to clone; safe to share between threads.
///
/// ```
/// use regreader_text::Tokenizer;
/// let texts = |text: &str| -> Vec<String> {
///     Tokenizer::new().index_tokens(text).into_iter().map(|token| token.text).collect()
/// };
/// assert_eq!(texts("母线失压"), ["母线", "母线失压", "线失", "失压"]);
/// assert!(texts("长治站长南Ⅰ线").contains(&"长南1线".to_owned()));
/// assert!(texts("200 万千瓦").contains(&"2000mw".to_owned()));
/// ```
#[derive(Clone)]
pub struct Tokenizer {
    options: TokenizerOptions,
    terms: Arc<Terms>,
    /// The user's own terms, for jieba; the built-in ones are in the shared dictionary.
    user_terms: Arc<[String]>,
    jieba: Arc<OnceLock<Jieba>>,
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizer")
            .field("options", &self.options)
            .field("user_terms", &self.user_terms.len())
            .finish_non_exhaustive()
    }
}

impl Tokenizer {
    /// A tokenizer with the built-in list of grid terms.
    pub fn new() -> Self {
        Self {
            options: TokenizerOptions::default(),
            terms: terms::built_in(),
            user_terms: Arc::from([]),
            jieba: Arc::new(OnceLock::new()),
        }
    }

    /// A tokenizer with the built-in terms and further ones: names of devices and corridors, words of a region. Lines
    /// of a terms file may be given as they are; what follows `#` is a comment.
    ///
    /// ```
    /// use regreader_text::{TokenKind, Tokenizer};
    /// let tokens = Tokenizer::with_terms(["祁韶直流"]).index_tokens("祁韶直流闭锁");
    /// assert!(tokens.iter().any(|t| t.kind == TokenKind::Term && t.text == "祁韶直流"));
    /// ```
    pub fn with_terms<S: AsRef<str>>(terms: impl IntoIterator<Item = S>) -> Self {
        let user_terms: Vec<String> =
            terms.into_iter().filter_map(|line| terms::clean(line.as_ref())).collect();
        if user_terms.is_empty() {
            return Self::new();
        }
        let terms = Terms::new(terms::built_in_list().chain(user_terms.iter().cloned()));
        Self { terms: Arc::new(terms), user_terms: user_terms.into(), ..Self::new() }
    }

    /// The same tokenizer with other options.
    #[must_use]
    pub fn options(mut self, options: TokenizerOptions) -> Self {
        self.options = options;
        self
    }

    /// The tokens of a text to be indexed, in order of position.
    pub fn index_tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(text.len() / 3);
        self.visit(text, |token| {
            tokens.push(Token {
                text: token.text.to_owned(),
                position: token.position,
                kind: token.kind,
                start: token.start,
                end: token.end,
            });
        });
        tokens
    }

    /// Looks at the tokens of a text one by one, in order of position, without keeping them.
    pub fn visit(&self, text: &str, mut look: impl FnMut(TokenRef<'_>)) {
        let glyphs = fold_glyphs(text);
        let words = self.options.words.then(|| self.jieba());
        stream::stream(
            &stream::Source { glyphs: &glyphs, terms: &self.terms, words, options: self.options },
            &mut look,
        );
    }

    /// The tokens of a query, each once, with words that only ask (怎么, 多少, what) left out where something else
    /// is left.
    ///
    /// ```
    /// use regreader_text::Tokenizer;
    /// let query = Tokenizer::new().query_tokens("110kV 母线失压怎么处理？");
    /// let texts: Vec<_> = query.tokens.iter().map(|token| token.text.as_str()).collect();
    /// assert_eq!(texts, ["110kv", "110", "母线", "母线失压", "线失", "失压", "处理"]);
    /// ```
    pub fn query_tokens(&self, text: &str) -> QueryTokens {
        query::read(self, text)
    }

    /// Words only, as jieba cuts them for search with the grid terms in its dictionary: the tokens of a word index.
    /// Single characters that carry no meaning of their own are kept; punctuation is not.
    pub fn words(&self, text: &str) -> Vec<String> {
        words::cut(self.jieba(), text)
    }

    fn jieba(&self) -> &Jieba {
        if self.user_terms.is_empty() {
            return words::jieba();
        }
        self.jieba.get_or_init(|| words::with_terms(&self.user_terms))
    }
}
