//! The chapter engine: the one place that says which lines begin chapters, sections, clauses and articles.
//!
//! Every line that begins with a number is a candidate. Candidates are weighed ([`evidence`]), sorted into tracks of
//! one way of numbering each ([`track`]), and on each track the legal sequence worth most is taken ([`chain`]).
//! Headings without a number are found by what the format, the contents pages or the outline say of them
//! ([`unnumbered`]). [`tree`] nests what was found.
//!
//! What counts as structure, when several ways of numbering are in use:
//! - 第X篇/章/节/条, 附录, decimal numbers of two or more levels, R1, Section/Article/Item with a number: always.
//! - `1.` `2.` `3.` alone, without a level below: when they look like headings (role, contents, outline, type), when
//!   they run on over several chapters (numbered paragraphs), or when nothing else is numbered. Otherwise they are
//!   list items.
//! - 一、 and （一）: when the document has neither decimal clauses nor articles. Under those they are list items.
//! - （1）, 1), ①, a): never; they are list items.
//!
//! Must not build text blocks or tables.

pub(crate) mod chain;
pub(crate) mod evidence;
pub(crate) mod track;
pub(crate) mod tree;
mod unnumbered;

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::TextRole;
use regreader_text::numbering::{Numbering, parse_line};

use crate::flow::{Item, Line};
use chain::{Candidate, best_chain, expected};
use evidence::{Evidence, Witness};
use track::Track;

/// A line that begins a node of the tree.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    /// Position of the line in the stream.
    pub piece: usize,
    /// Its number; none for a heading without one.
    pub number: Option<Number>,
    /// Heading level declared by the format or the outline.
    pub declared: Option<u32>,
    /// Evidence that only headings earn.
    pub heading: f32,
}

/// A number with its place on its track.
#[derive(Debug, Clone)]
pub(crate) struct Number {
    pub numbering: Numbering,
    pub track: Track,
    pub path: Vec<u32>,
    /// Levels within the track, from 1.
    pub depth: usize,
}

/// A number that does not follow from the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    pub piece: usize,
    pub found: String,
    pub expected: String,
}

/// What the engine found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chapters {
    /// In document order.
    pub marks: Vec<Mark>,
    pub gaps: Vec<Gap>,
}

/// Finds every heading and clause. `taken` marks lines that are something else (captions).
pub(crate) fn find(witness: &Witness<'_>, taken: &[bool]) -> Chapters {
    let mut by_track: BTreeMap<Track, Vec<Weighed>> = BTreeMap::new();
    for (piece, line) in candidate_lines(witness, taken) {
        let Some(found) = parse_line(&line.text) else { continue };
        let readings = [Some(found.numbering.clone()), found.numbering.alternative()];
        for (nth, numbering) in readings.into_iter().enumerate() {
            let Some(numbering) = numbering else { continue };
            let Some((track, path)) = track::place(&numbering) else { continue };
            let mut evidence = witness.weigh(piece, line, &found, track, &path);
            // The second reading of an ambiguous letter has to be better than the first to be taken.
            evidence.score -= if nth == 0 { 0.0 } else { 0.1 };
            let list_like = found.rest.ends_with(['；', ';']);
            let left = line.bbox.map(|rect| rect.x0);
            let named = evidence::is_named_in_latin(found.rest);
            by_track.entry(track).or_default().push(Weighed {
                piece,
                numbering,
                path,
                evidence,
                list_like,
                named,
                left,
            });
        }
    }
    if let Some(romans) = by_track.get_mut(&Track::Roman) {
        keep_true_romans(romans);
    }
    if let Some(decimals) = by_track.get_mut(&Track::Decimal) {
        weigh_neighbours(decimals);
    }

    let mut chapters = Chapters::default();
    for track in Track::in_order() {
        let Some(mut weighed) = by_track.remove(&track) else { continue };
        // A line read in two ways belongs to the track that took it first.
        weighed.retain(|one| chapters.marks.binary_search_by_key(&one.piece, |mark| mark.piece).is_err());
        let chosen = follow(track, weighed, &chapters);
        add(&mut chapters, track, chosen, witness);
    }
    unnumbered::add(&mut chapters.marks, witness, taken);
    chapters.gaps.sort_by_key(|gap| gap.piece);
    chapters
}

struct Weighed {
    piece: usize,
    numbering: Numbering,
    path: Vec<u32>,
    evidence: Evidence,
    list_like: bool,
    /// `Purpose: To minimize…`: says itself what it is about, as items of a list seldom do.
    named: bool,
    left: Option<f32>,
}

fn candidate_lines<'a>(
    witness: &'a Witness<'_>,
    taken: &'a [bool],
) -> impl Iterator<Item = (usize, &'a Line)> {
    witness.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let Item::Line(line) = &piece.item else { return None };
        let other =
            matches!(line.role, TextRole::Caption | TextRole::Footnote | TextRole::Code | TextRole::Title);
        (!other && !taken.get(at).copied().unwrap_or(false)).then_some((at, line))
    })
}

/// `C.` is the letter unless 99 or 101 are there in Roman numbers too; so with every letter that is also a number.
fn keep_true_romans(romans: &mut Vec<Weighed>) {
    let values: BTreeSet<u32> = romans.iter().filter_map(|one| one.path.first().copied()).collect();
    romans.retain(|one| {
        let value = one.path.first().copied().unwrap_or(0);
        one.numbering.alternative().is_none()
            || values.contains(&(value + 1))
            || value.checked_sub(1).is_some_and(|before| values.contains(&before))
    });
}

/// Single numbers that follow each other line by line are items of a list more often than chapters.
fn weigh_neighbours(weighed: &mut [Weighed]) {
    let near = |a: &Weighed, b: &Weighed| {
        a.path.len() == 1
            && b.path.len() == 1
            && a.path[0].checked_add(1) == Some(b.path[0])
            && b.piece - a.piece <= 3
            && !(a.named && b.named)
            && a.evidence.heading < 0.5
            && b.evidence.heading < 0.5
    };
    let close: Vec<bool> = weighed.windows(2).map(|pair| near(&pair[0], &pair[1])).collect();
    for (at, is_close) in close.into_iter().enumerate() {
        if is_close {
            weighed[at].evidence.score -= 0.4;
            weighed[at + 1].evidence.score -= 0.8;
        }
    }
}

/// The chosen candidates of one track.
fn follow(track: Track, weighed: Vec<Weighed>, chapters: &Chapters) -> Vec<Weighed> {
    let boundaries: Vec<usize> = chapters
        .marks
        .iter()
        .filter(|mark| mark.number.as_ref().is_some_and(|number| holds(number, track)))
        .map(|mark| mark.piece)
        .collect();
    let segment = |piece: usize| boundaries.partition_point(|boundary| *boundary < piece) as u32;
    let candidates: Vec<Candidate> = weighed
        .iter()
        .map(|one| Candidate {
            path: one.path.clone(),
            score: one.evidence.score,
            segment: segment(one.piece),
            left: one.left,
        })
        .collect();
    let chain = best_chain(&candidates);
    let mut keep = vec![false; weighed.len()];
    for run in runs(&chain, &candidates) {
        let members: Vec<&Weighed> = run.iter().filter_map(|at| weighed.get(*at)).collect();
        let segments: Vec<u32> = run.iter().filter_map(|at| candidates.get(*at)).map(|c| c.segment).collect();
        if is_structure(track, &members, &segments, chain.len(), chapters) {
            for at in run {
                keep[at] = true;
            }
        }
    }
    weighed.into_iter().zip(keep).filter_map(|(one, keep)| keep.then_some(one)).collect()
}

/// Whether a heading of `number` may let `track` count anew.
fn holds(number: &Number, track: Track) -> bool {
    match track {
        Track::Decimal => true,
        _ => match (number.track.rank(), track.rank()) {
            (Some(above), Some(below)) => above < below && number.depth == 1,
            _ => number.depth == 1,
        },
    }
}

/// Splits a chain where it counts anew.
fn runs(chain: &[usize], candidates: &[Candidate]) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for &at in chain {
        let goes_on = runs.last().and_then(|run| run.last()).is_some_and(|last| {
            candidates.get(*last).zip(candidates.get(at)).is_some_and(|(a, b)| a.path < b.path)
        });
        match runs.last_mut() {
            Some(run) if goes_on => run.push(at),
            _ => runs.push(vec![at]),
        }
    }
    runs
}

/// Whether a run of numbers is structure rather than a list.
fn is_structure(
    track: Track,
    run: &[&Weighed],
    segments: &[u32],
    in_chain: usize,
    chapters: &Chapters,
) -> bool {
    let headings = run.iter().filter(|one| one.evidence.heading >= 0.75).count();
    let mostly_headings = headings * 2 >= run.len();
    match track {
        Track::Decimal => {
            let deep = run.iter().any(|one| one.path.len() > 1);
            let others = chapters.marks.iter().any(|mark| mark.number.is_some());
            let mut distinct = segments.to_vec();
            distinct.dedup();
            let runs_on = run.len() >= 8 && distinct.len() >= 2;
            let listed = run.iter().filter(|one| one.list_like).count() * 2 >= run.len();
            let opens = || run.first().is_some_and(|first| stands_under_title(first.piece, chapters));
            deep || mostly_headings && headings > 0
                || runs_on
                || (run.len() >= 2 && !listed && (!others || opens()))
        }
        Track::Enumerated | Track::Paren => {
            let clauses = chapters.marks.iter().filter_map(|mark| mark.number.as_ref()).any(|number| {
                number.track == Track::Article || (number.track == Track::Decimal && number.depth > 1)
            });
            in_chain >= 2 && (!clauses || headings * 10 >= run.len() * 8)
        }
        Track::Letter | Track::Roman => run.len() >= 2 && mostly_headings,
        Track::Chapter | Track::Section | Track::Part | Track::Article | Track::English(_) => {
            run.len() >= 2 || run.iter().any(|one| one.path == [1] || one.evidence.heading >= 0.75)
        }
        Track::Annex | Track::Attachment | Track::Requirement | Track::Measure => true,
    }
}

/// The line before is the title of a chapter, not a clause that ends in a colon and opens a list.
fn stands_under_title(piece: usize, chapters: &Chapters) -> bool {
    let Some(before) = piece.checked_sub(1) else { return false };
    let Ok(at) = chapters.marks.binary_search_by_key(&before, |mark| mark.piece) else { return false };
    let mark = &chapters.marks[at];
    let holds = mark.number.as_ref().is_some_and(|number| number.track.rank().is_some_and(|rank| rank < 16));
    holds && mark.heading >= 0.75
}

fn add(chapters: &mut Chapters, track: Track, chosen: Vec<Weighed>, witness: &Witness<'_>) {
    let mut previous: Option<Vec<u32>> = None;
    for one in chosen {
        if let Some(gap) = expected(previous.as_deref(), &one.path) {
            let expected = write_like(&one.numbering, &gap);
            if let Some(expected) = expected {
                chapters.gaps.push(Gap { piece: one.piece, found: one.numbering.to_string(), expected });
            }
        }
        previous = Some(one.path.clone());
        let depth = track::depth(&one.numbering, &one.path);
        let declared = declared_level(witness, one.piece);
        let number = Number { numbering: one.numbering, track, path: one.path, depth };
        chapters.marks.push(Mark {
            piece: one.piece,
            number: Some(number),
            declared,
            heading: one.evidence.heading,
        });
    }
    chapters.marks.sort_by_key(|mark| mark.piece);
}

/// A path written the way of another number of its track.
fn write_like(like: &Numbering, path: &[u32]) -> Option<String> {
    let first = path.first().copied()?;
    let letter = || char::from_u32('A' as u32 + first.checked_sub(1)?).filter(char::is_ascii_uppercase);
    let numbering = match like {
        Numbering::Decimal(_) => Numbering::Decimal(path.to_vec()),
        Numbering::Part(_) => Numbering::Part(first),
        Numbering::Chapter(_) => Numbering::Chapter(first),
        Numbering::Section(_) => Numbering::Section(first),
        Numbering::Article(_) | Numbering::ArticleInserted(..) => Numbering::Article(first),
        Numbering::Enumerated(_) => Numbering::Enumerated(first),
        Numbering::Paren(_) => Numbering::Paren(first),
        Numbering::Roman(_) => Numbering::Roman(first),
        Numbering::Letter(_) => Numbering::Letter(letter()?),
        Numbering::Appendix(_) | Numbering::AppendixDecimal(..) if path.len() == 1 => {
            Numbering::Appendix(letter()?)
        }
        Numbering::Appendix(_) | Numbering::AppendixDecimal(..) => {
            Numbering::AppendixDecimal(letter()?, path.get(1..)?.to_vec())
        }
        Numbering::AppendixNumbered(_) => Numbering::AppendixNumbered(first),
        Numbering::Attachment(_) => Numbering::Attachment(first),
        Numbering::Requirement(_) | Numbering::RequirementPart(..) => Numbering::Requirement(first),
        Numbering::Measure(_) => Numbering::Measure(first),
        Numbering::English { word, .. } => {
            Numbering::English { word: *word, number: path.to_vec(), letter: None }
        }
        _ => return None,
    };
    Some(numbering.to_string())
}

fn declared_level(witness: &Witness<'_>, at: usize) -> Option<u32> {
    let piece = witness.pieces.get(at)?;
    let line = piece.item.line()?;
    match line.role {
        TextRole::Heading { level } => Some(level),
        _ => witness.outline.level_of(&crate::contents::title_key(&line.text), piece.page),
    }
}
