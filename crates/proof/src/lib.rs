//! Proof of a statement by one passage of the page that it cites.
//!
//! A statement is *proven* when one passage carries it: a run of whole sentences, a list item, a note, or a row of a
//! table. It is not enough that its numbers and words occur somewhere on the page. The proof is strict by construction:
//!
//! 1. [`lex()`] reads page and statement with the same lexer. Numbers become values (`２,０００`, 两千 and `2000` are one),
//!    with their units in a base unit; function words such as 不得 and 禁止 become classes; characters that nobody sees make
//!    a statement unproven.
//! 2. [`Passages::cut`] cuts the page into sentences of clauses and tables of rows, each with the names that it goes by:
//!    regulation, clause, table, note, page.
//! 3. [`prove`] looks for the passage. **Every** token of the statement has to be read off it, in order. What the passage
//!    says beyond the statement may be left out only where that narrows nothing, so a condition or an exception cannot be
//!    dropped. In a table the value must stand in the column whose header the statement names and in the only row that
//!    its other cells describe.
//!
//! Whatever is in doubt is [`Level::Unproven`], with the nearest passage and what is missing in it.
//!
//! The crate does no IO and knows no library; `tools` hands it stored pages.
//!
//! ```
//! use regreader_model::{PageDocument, TableRegistry};
//! use regreader_proof::{Level, Passages, Source, prove};
//!
//! let page: PageDocument = serde_json::from_str(r#"{
//!     "reg_id": "angui_2024", "page_num": 24,
//!     "content_blocks": [{
//!         "block_id": "b1", "block_type": "section_content", "section_number": "6.2.2",
//!         "content_markdown": "6.2.2 母差保护动作的，未查明原因前不得对失压母线试送。"
//!     }]
//! }"#).unwrap();
//! let tables = TableRegistry::empty(page.reg_id.clone());
//! let source = Source { names: &["安规2024"], page: &page, previous: None, next: None, tables: &tables };
//! let passages = Passages::cut(&source);
//!
//! let level = |statement: &str| prove(statement, Some("6.2.2"), &passages).level;
//! assert_eq!(level("母差保护动作的，未查明原因前不得对失压母线试送"), Level::Verbatim);
//! assert_eq!(level("安规2024第6.2.2条规定：母差保护动作的，未查明原因前禁止对失压母线试送。"), Level::SamePassage);
//! assert_eq!(level("母差保护动作的，可以对失压母线试送"), Level::Unproven);
//! assert_eq!(level("不得对失压母线试送"), Level::Unproven, "the condition is missing");
//! ```

mod calculation;
mod cited;
mod classes;
mod flow;
mod frame;
mod lex;
mod page;
mod proof;
mod sentence;
mod table;
mod target;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot set itself up should fail")]
mod tests;

pub use calculation::{Calculation, Operand, calculation};
pub use classes::Class;
pub use lex::{Break, Lexed, Lexeme, Token, is_unseen, lex};
pub use page::{Passages, Source};
pub use proof::{Level, PassagePlace, Proof, prove};
