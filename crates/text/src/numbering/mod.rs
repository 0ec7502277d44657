//! The one grammar of section numbers: what `第十三条`, `２．１．４`, `（一）`, `附录 A` and `R1` are, how each is
//! written canonically, and what may follow what. Used by the contents tree, by scopes and by references alike.
//!
//! It knows a number by its form alone. Whether a numbered line is a heading or an item of a list shows only in what
//! stands around it; that is assembly's to say.

mod canonical;
mod english;
mod line;
mod order;

use std::fmt;

use regreader_model::ClauseNumber;

pub(crate) use english::{HeadWord, english_head, english_number_after};
pub(crate) use line::decimal;
pub use line::{NumberedLine, is_article, parse_line};

/// A section number of any style. `Display` and [`Numbering::canonical`] write it in its canonical form, which
/// [`Numbering::parse_canonical`] reads back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numbering {
    /// 第二篇, 第2部分, 第二编: `第2篇`.
    Part(u32),
    /// 第六章: `第6章`.
    Chapter(u32),
    /// 第二节: `第2节`.
    Section(u32),
    /// 第十三条: `第13条`.
    Article(u32),
    /// 第一百二十条之一: `第120条之1`.
    ArticleInserted(u32, u32),
    /// 2.1.4: `2.1.4`.
    Decimal(Vec<u32>),
    /// 一、: `一、`.
    Enumerated(u32),
    /// （一）: `（一）`.
    Paren(u32),
    /// （1） or 1）: `（1）`.
    ParenDigit(u32),
    /// ①: `①`.
    Circled(u32),
    /// a) or (a): `a)`.
    Item(char),
    /// (ii): `(ii)`.
    ParenRoman(u32),
    /// 附录A, Appendix A, Annex A: `附录A`.
    Appendix(char),
    /// 附录一, Appendix 1: `附录1`.
    AppendixNumbered(u32),
    /// 附件1, Attachment 1: `附件1`.
    Attachment(u32),
    /// A.1.2, within an appendix: `A.1.2`.
    AppendixDecimal(char, Vec<u32>),
    /// R1, Requirement R1: `R1`.
    Requirement(u32),
    /// R1.2: `R1.2`.
    RequirementPart(u32, Vec<u32>),
    /// M1, the measure of a requirement: `M1`.
    Measure(u32),
    /// Section 4.2, Article IV, Part 1.2, Item 7A: `Section 4.2`, `Article 4`, `Part 1.2`, `Item 7A`.
    English {
        /// The word before the number.
        word: EnglishWord,
        /// The number; Roman numerals are read as numbers.
        number: Vec<u32>,
        /// A letter directly behind the number (Item 7A).
        letter: Option<char>,
    },
    /// II.: `II`.
    Roman(u32),
    /// B.: `B.`.
    Letter(char),
}

/// The English words that number sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EnglishWord {
    /// `Part 1.2`, `Part II`.
    Part,
    /// `Title 4`.
    Title,
    /// `Chapter 3`.
    Chapter,
    /// `Article IV`, `Article 4`.
    Article,
    /// `Section 4.2`.
    Section,
    /// `Schedule 1`.
    Schedule,
    /// `Item 7A`, with an optional letter.
    Item,
    /// `Clause 5`.
    Clause,
}

impl EnglishWord {
    /// Every word, in the order of the enum.
    pub const ALL: [Self; 8] = [
        Self::Part,
        Self::Title,
        Self::Chapter,
        Self::Article,
        Self::Section,
        Self::Schedule,
        Self::Item,
        Self::Clause,
    ];

    /// The word as we write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Part => "Part",
            Self::Title => "Title",
            Self::Chapter => "Chapter",
            Self::Article => "Article",
            Self::Section => "Section",
            Self::Schedule => "Schedule",
            Self::Item => "Item",
            Self::Clause => "Clause",
        }
    }
}

impl Numbering {
    /// The canonical number: the same for every way of printing it.
    ///
    /// ```
    /// use regreader_text::Numbering;
    /// assert_eq!(Numbering::Article(13).canonical().as_str(), "第13条");
    /// assert_eq!(Numbering::Decimal(vec![2, 1, 4]).canonical().as_str(), "2.1.4");
    /// ```
    pub fn canonical(&self) -> ClauseNumber {
        ClauseNumber::new(self.to_string())
    }

    /// Reads a canonical number back; none for anything else.
    ///
    /// ```
    /// use regreader_text::Numbering;
    /// assert_eq!(Numbering::parse_canonical("第6章"), Some(Numbering::Chapter(6)));
    /// assert_eq!(Numbering::parse_canonical("第六章"), None);
    /// ```
    pub fn parse_canonical(text: &str) -> Option<Self> {
        canonical::parse(text)
    }

    /// How deep a number of this style usually stands, from 1: `2.1.4` at 3, 第六章 at 1, 第十三条 at 3, 附录A at 1.
    pub fn depth(&self) -> u32 {
        order::depth(self)
    }

    /// The number one level up, where the number itself says it: 2.1 of 2.1.4, 附录A of A.1.
    pub fn parent(&self) -> Option<Self> {
        order::parent(self)
    }

    /// Whether the number may stand directly after `previous`: its first child, its next sibling, or the next sibling
    /// of one of its ancestors. Between styles, a style's first number may stand anywhere, and articles run on through
    /// chapters and sections.
    ///
    /// ```
    /// use regreader_text::Numbering::Decimal;
    /// let previous = Decimal(vec![2, 1, 4]);
    /// for next in [vec![2, 1, 4, 1], vec![2, 1, 5], vec![2, 2], vec![3]] {
    ///     assert!(Decimal(next).is_successor(&previous));
    /// }
    /// assert!(!Decimal(vec![2, 5]).is_successor(&previous));
    /// ```
    pub fn is_successor(&self, previous: &Self) -> bool {
        order::is_successor(self, previous)
    }

    /// Every number of the same family that may stand directly after this one, deepest first.
    pub fn successors(&self) -> Vec<Self> {
        order::successors(self)
    }

    /// How many siblings were left out between `previous` and this number: 0 for a successor, 1 for 2.1.5 after 2.1.3.
    /// None when this number does not come after `previous` at all.
    pub fn gap_from(&self, previous: &Self) -> Option<u32> {
        order::gap_from(self, previous)
    }

    /// The other reading of a number whose form alone does not settle it: `I.` is the Roman one or the letter I,
    /// `(i)` the same in small.
    pub fn alternative(&self) -> Option<Self> {
        order::alternative(self)
    }
}

impl fmt::Display for Numbering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        canonical::write(self, f)
    }
}
