//! Tracks: the ways of numbering that can run through a document, each a sequence of its own.
//!
//! 第X章 and 第X条 and 2.1.4 count independently of each other, so each is followed on its own track and only the tree
//! joins them. Owns the mapping from the number grammar to tracks and paths, and how tracks nest.

use regreader_text::numbering::{EnglishWord, Numbering};

/// A way of numbering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Track {
    /// 附录A with A.1, A.1.2 below it.
    Annex,
    /// 附录一, 附件1.
    Attachment,
    /// Parts of a work (第X篇).
    Part,
    /// Part, Title, Chapter, Article, Section, Item … with a number.
    English(EnglishWord),
    Chapter,
    Roman,
    Section,
    Letter,
    /// R1 with R1.1 below it.
    Requirement,
    /// M1, M2: the measures of requirements.
    Measure,
    /// 1, 1.1, 1.1.1.
    Decimal,
    Article,
    /// 一、
    Enumerated,
    /// （一）
    Paren,
}

impl Track {
    /// Every track in the order in which they are followed: a track may count anew where an earlier one has a heading.
    pub fn in_order() -> Vec<Self> {
        let mut tracks = vec![Self::Annex, Self::Attachment, Self::Part];
        tracks.extend(EnglishWord::ALL.into_iter().map(Self::English));
        tracks.extend([
            Self::Chapter,
            Self::Roman,
            Self::Section,
            Self::Letter,
            Self::Requirement,
            Self::Measure,
            Self::Decimal,
            Self::Article,
            Self::Enumerated,
            Self::Paren,
        ]);
        tracks
    }

    /// Where the track stands among those with a fixed order; the smaller holds the greater. Decimal numbers have no
    /// place of their own: they stand under whatever is open when they begin.
    pub fn rank(self) -> Option<u32> {
        Some(match self {
            Self::Annex | Self::Attachment => 0,
            Self::Part => 10,
            Self::English(word) => match word {
                EnglishWord::Title => 10,
                EnglishWord::Part => 11,
                EnglishWord::Chapter | EnglishWord::Item | EnglishWord::Schedule => 12,
                EnglishWord::Article => 13,
                EnglishWord::Section => 14,
                EnglishWord::Clause => 16,
            },
            Self::Chapter => 12,
            Self::Roman => 13,
            Self::Section => 14,
            Self::Letter => 15,
            Self::Article => 16,
            Self::Requirement | Self::Measure => 17,
            Self::Enumerated => 18,
            Self::Paren => 19,
            Self::Decimal => return None,
        })
    }

    /// What a number on this track is worth before any other evidence: how seldom its form is something else.
    pub fn base_score(self, depth: usize) -> f32 {
        match self {
            Self::Decimal => match depth {
                0 | 1 => 0.6,
                2 => 1.1,
                _ => 2.2,
            },
            Self::Part | Self::Chapter | Self::Article => 2.0,
            Self::Annex | Self::Section | Self::Requirement => 1.5,
            Self::Attachment | Self::Enumerated | Self::English(_) | Self::Measure => 1.0,
            Self::Paren => 0.6,
            Self::Roman | Self::Letter => 0.0,
        }
    }
}

/// Numbers deeper than this are no section numbers (and would make hostile files slow).
const DEEPEST: usize = 10;

/// Track and path of a number; none for markers that only lists use.
pub(crate) fn place(numbering: &Numbering) -> Option<(Track, Vec<u32>)> {
    use Numbering as N;
    let letter = |c: char| c.to_ascii_uppercase() as u32 - 'A' as u32 + 1;
    let with = |first: u32, rest: &[u32]| {
        let mut path = Vec::with_capacity(rest.len() + 1);
        path.push(first);
        path.extend_from_slice(rest);
        path
    };
    let (track, path) = match numbering {
        N::Part(n) => (Track::Part, vec![*n]),
        N::Chapter(n) => (Track::Chapter, vec![*n]),
        N::Section(n) => (Track::Section, vec![*n]),
        N::Article(n) => (Track::Article, vec![*n]),
        N::ArticleInserted(n, inserted) => (Track::Article, vec![*n, *inserted]),
        N::Decimal(parts) => (Track::Decimal, parts.clone()),
        N::Enumerated(n) => (Track::Enumerated, vec![*n]),
        N::Paren(n) => (Track::Paren, vec![*n]),
        N::Appendix(c) if c.is_ascii_alphabetic() => (Track::Annex, vec![letter(*c)]),
        N::AppendixDecimal(c, parts) if c.is_ascii_alphabetic() => (Track::Annex, with(letter(*c), parts)),
        N::AppendixNumbered(n) | N::Attachment(n) => (Track::Attachment, vec![*n]),
        N::Requirement(n) => (Track::Requirement, vec![*n]),
        N::RequirementPart(n, parts) => (Track::Requirement, with(*n, parts)),
        N::Measure(n) => (Track::Measure, vec![*n]),
        N::English { word, number, letter: None } => (Track::English(*word), number.clone()),
        N::English { word, number, letter: Some(c) } if c.is_ascii_alphabetic() => {
            let mut path = number.clone();
            path.push(letter(*c));
            (Track::English(*word), path)
        }
        N::Roman(n) => (Track::Roman, vec![*n]),
        N::Letter(c) if c.is_ascii_alphabetic() => (Track::Letter, vec![letter(*c)]),
        _ => return None,
    };
    (!path.is_empty() && path.len() <= DEEPEST).then_some((track, path))
}

/// Depth within the track: how many levels of nodes the track itself makes above this number.
pub(crate) fn depth(numbering: &Numbering, path: &[u32]) -> usize {
    match numbering {
        // 第120条之一 and Item 7A stand beside 第120条 and Item 7.
        Numbering::ArticleInserted(..) | Numbering::English { letter: Some(_), .. } => path.len() - 1,
        _ => path.len(),
    }
}
