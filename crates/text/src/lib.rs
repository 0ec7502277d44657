//! How the text of regulations is read: folding, the one grammar of numbers, labels, captions and references, units,
//! and the tokens of search.
//!
//! Everything here is a pure function of its input: no IO, no clock, no tree, no library. [`numbering`] says what a
//! line's number *is*, never whether it is a heading: that needs its neighbours and belongs to assembly. [`mod@reference`]
//! says what a passage *names*, never where that lies.
//!
//! Nothing panics, whatever the input, and every function takes time about linear in its length.
//!
//! The unit of thought is the folded character: full width becomes half, upper case lower, and space goes where no
//! Chinese typesetter would put it, so that what a
//! reader takes for the same text is the same text. On folded text stand small grammars, each of which reads one kind of
//! thing off the front of a string or finds every one in it. They are written by hand instead of as regular expressions
//! because most of what looks like a number in a regulation is none (`0.5 秒后动作`, `500 千伏母线`), and a grammar can
//! say so where it stands. [`Tokenizer`] cuts the same folded text into the tokens that questions and pages share.
//!
//! ```
//! use regreader_text::{Numbering, find_quantities, find_references, fold, parse_line};
//!
//! let line = "２．１．４ 限额为 200 万千瓦，按表6-2执行。";
//! let numbered = parse_line(line).expect("a clause number");
//! assert_eq!(numbered.numbering, Numbering::Decimal(vec![2, 1, 4]));
//! assert_eq!(find_quantities(line)[0].1.to_string(), "200万千瓦");
//! assert_eq!(find_references(line)[0].target.number, "6-2");
//! assert_eq!(fold("５００ｋＶ　母线"), "500kv母线");
//! ```

pub mod annotation;
pub mod caption;
mod code;
pub mod date;
mod excerpt;
pub mod fold;
pub mod number;
pub mod numbering;
pub mod reference;
mod saying;
mod scan;
pub mod script;
pub mod tokenize;
pub mod units;
mod words;

pub use annotation::{AnnotationLabel, canonical_label, parse_definition};
pub use caption::{Caption, CaptionKind, canonical_table_number, parse_caption};
pub use code::{StandardCode, find_codes};
pub use excerpt::beginning;
pub use fold::{fold, fold_name, fold_tight, fold_with_map, nfkc, repair_gbk_latin};
pub use numbering::{EnglishWord, NumberedLine, Numbering, is_article, parse_line};
pub use reference::{Mention, find_references, parse_reference, parse_reference_path};
pub use saying::{FormalTerms, Saying};
pub use tokenize::{
    QueryToken, QueryTokens, TermCounter, Token, TokenKind, Tokenizer, TokenizerOptions, base_form,
    is_stop_word, word_share,
};
pub use units::{Dimension, Quantity, Unit, find_quantities};
pub use words::{is_small_word, words_of};
