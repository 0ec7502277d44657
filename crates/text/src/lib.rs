//! How the text of regulations is read: folding, the one grammar of numbers, labels, captions and references, units,
//! and the tokens of search.
//!
//! Everything here is a pure function of its input: no IO, no clock, no tree, no library. [`numbering`] says what a
//! line's number *is*, never whether it is a heading: that needs its neighbours and belongs to assembly. [`mod@reference`]
//! says what a passage *names*, never where that lies.
//!
//! Nothing panics, whatever the input, and every function takes time about linear in its length.

pub mod annotation;
pub mod caption;
mod code;
pub mod date;
mod excerpt;
pub mod fold;
pub mod number;
pub mod numbering;
pub mod reference;
mod scan;
pub mod script;
pub mod tokenize;
pub mod units;

pub use annotation::{AnnotationLabel, canonical_label, parse_definition};
pub use caption::{Caption, CaptionKind, canonical_table_number, parse_caption};
pub use code::{StandardCode, find_codes};
pub use excerpt::beginning;
pub use fold::{fold, fold_with_map, nfkc, repair_gbk_latin};
pub use numbering::{EnglishWord, NumberedLine, Numbering, parse_line};
pub use reference::{Mention, find_references, parse_reference, parse_reference_path};
pub use tokenize::{
    QueryToken, QueryTokens, TermCounter, Token, TokenKind, Tokenizer, TokenizerOptions, word_share,
};
pub use units::{Dimension, Quantity, Unit, find_quantities};
