//! Captions and the tables they belong to.
//!
//! A caption stands directly above its table, or below it; between the two at most the rest of the caption and a line
//! that gives the unit. Which of the two is decided once for the whole document, by the captions that leave no choice. A
//! caption alone at the foot of a page belongs to the table that opens the next page. A wrong number is worse than none:
//! where the binding is not certain the table stays without a number. Must not decide which tables are one.

use regreader_model::TextRole;
use regreader_text::caption::{Caption, CaptionKind, parse_caption};
use regreader_text::numbering::{Numbering, parse_line};

use crate::clean::{Cleaner, ends_sentence};
use crate::flow::{Item, Line, Piece};
use crate::metrics::Metrics;

/// The caption of one table.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    /// As printed.
    pub text: String,
    /// Canonical number; none for `续表` and for unnumbered captions.
    pub number: Option<String>,
    /// It says that the table goes on from before.
    pub continued: bool,
    /// It stands below the grid, and so says nothing about where the table begins.
    pub below: bool,
    /// Lines that are printed with the table and not as text of their own.
    pub pieces: Vec<usize>,
    /// All lines of the caption, those on the page before included, the number first.
    pub lines: Vec<usize>,
}

/// Captions and what they were bound to.
pub(crate) struct Binding {
    /// The caption of each table piece, by position in the stream.
    pub bound: Vec<Option<Bound>>,
    /// Numbered caption lines that no table could be found for, by position.
    pub unbound: Vec<usize>,
}

/// Binds every caption once. Whether captions stand above or below their tables is a habit of the whole document: those
/// that could only go one way vote, and the majority decides for the others. Against a clear habit a caption is bound only
/// where a section begins on its usual side, so that no table can have been lost there; elsewhere the table on the wrong
/// side belongs to another number.
pub(crate) fn bind(pieces: &[Piece], metrics: &Metrics, cleaner: Cleaner) -> Binding {
    let tables: Vec<usize> =
        (0..pieces.len()).filter(|at| matches!(pieces[*at].item, Item::Table(_))).collect();
    let above: Vec<Option<Bound>> =
        tables.iter().map(|at| look_above(pieces, *at, metrics, cleaner)).collect();
    let below: Vec<Option<Bound>> =
        tables.iter().map(|at| look_below(pieces, *at, metrics, cleaner)).collect();
    let habit = Habit::of(pieces, &above, &below);

    let mut bound: Vec<Option<Bound>> = vec![None; pieces.len()];
    let mut taken: Vec<bool> = vec![false; pieces.len()];
    let take = |taken: &mut Vec<bool>, choice: &Bound| {
        choice.lines.iter().for_each(|piece| taken[*piece] = true);
    };
    // What the format declares, and what says 续, is certain.
    for (nth, at) in tables.iter().enumerate() {
        let declared = match &pieces[*at].item {
            Item::Table(grid) => {
                grid.caption.as_deref().map(|text| declared_caption(text, above[nth].as_ref()))
            }
            _ => None,
        };
        let continuation = above[nth].clone().filter(|bound| bound.continued);
        if let Some(choice) = declared.or(continuation) {
            take(&mut taken, &choice);
            bound[*at] = Some(choice);
        }
    }
    let (usual, other) = if habit.is_above() { (&above, &below) } else { (&below, &above) };
    for (side, is_usual) in [(usual, true), (other, false)] {
        for (nth, at) in tables.iter().enumerate() {
            let Some(choice) = side[nth].as_ref().filter(|_| bound[*at].is_none()) else { continue };
            let free = choice.lines.iter().all(|piece| !taken[*piece]);
            // Against the habit a caption is taken only where the table on its usual side has another one.
            let fits = is_usual
                || !has_other_table(pieces, choice, *at)
                    && (!habit.is_clear() || is_at_section_border(pieces, choice));
            if free && fits {
                take(&mut taken, choice);
                bound[*at] = Some(choice.clone());
            }
        }
    }
    let numbered = |at: &usize| {
        let line = pieces[*at].item.line();
        line.and_then(read).is_some_and(|caption| !caption.number.is_empty())
    };
    let unbound = (0..pieces.len()).filter(|at| !taken[*at]).filter(numbered).collect();
    Binding { bound, unbound }
}

/// Where this document puts its captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    Above,
    Below,
    /// Too few to be sure, or mixed: the other side may be taken where nothing speaks against it.
    MostlyAbove,
    MostlyBelow,
}

impl Habit {
    fn is_above(self) -> bool {
        matches!(self, Self::Above | Self::MostlyAbove)
    }

    fn is_clear(self) -> bool {
        matches!(self, Self::Above | Self::Below)
    }

    /// Captions that have a table on one side only vote for that side.
    fn of(pieces: &[Piece], above: &[Option<Bound>], below: &[Option<Bound>]) -> Self {
        let mut sides: std::collections::BTreeMap<usize, (bool, bool)> = std::collections::BTreeMap::new();
        for bound in above.iter().flatten() {
            if let Some(first) = bound.lines.first() {
                sides.entry(*first).or_default().0 = true;
            }
        }
        for bound in below.iter().flatten() {
            if let Some(first) = bound.lines.first() {
                sides.entry(*first).or_default().1 = true;
            }
        }
        let over = sides.values().filter(|side| **side == (true, false)).count();
        let under = sides
            .iter()
            .filter(|(at, side)| **side == (false, true) && !follows_text_closely(pieces, **at))
            .count();
        // Three out of four, and at least three: fewer are no habit.
        match (over, under) {
            (over, under) if over >= 3 && over >= 3 * under => Self::Above,
            (over, under) if under >= 3 && under >= 3 * over => Self::Below,
            (over, under) if under > over => Self::MostlyBelow,
            _ => Self::MostlyAbove,
        }
    }
}

/// A caption line whose next piece is a picture heads that picture, not the table before it.
fn follows_text_closely(pieces: &[Piece], at: usize) -> bool {
    pieces.get(at + 1).is_some_and(|piece| matches!(piece.item, Item::Picture(_)))
}

/// Whether the caption stands directly at a table other than this one.
fn has_other_table(pieces: &[Piece], caption: &Bound, table: usize) -> bool {
    let first = caption.lines.iter().min().copied().unwrap_or(table);
    let last = caption.lines.iter().max().copied().unwrap_or(table);
    let is_table = |at: Option<usize>| {
        at.filter(|at| *at != table)
            .and_then(|at| pieces.get(at))
            .is_some_and(|piece| matches!(piece.item, Item::Table(_)))
    };
    is_table(first.checked_sub(1)) || is_table(Some(last + 1))
}

/// Whether a section begins directly behind a caption that stands below its table, or directly before one that stands
/// above it. A caption does not head a table of the next section, nor end one of the section before, so that the table
/// on this side is the only one it can belong to.
fn is_at_section_border(pieces: &[Piece], caption: &Bound) -> bool {
    let border = if caption.below {
        caption.lines.iter().max().map(|last| last + 1)
    } else {
        caption.lines.iter().min().and_then(|first| first.checked_sub(1))
    };
    border.is_some_and(|at| opens_section(pieces, at))
}

/// Whether this line begins a section: declared a heading, or with the number that is due after the last one. A number
/// alone is not enough, rows of a table that was not seen begin with numbers too.
fn opens_section(pieces: &[Piece], at: usize) -> bool {
    let Some(line) = pieces.get(at).and_then(|piece| piece.item.line()) else { return false };
    if matches!(line.role, TextRole::Heading { .. }) {
        return true;
    }
    let Some(number) = section_number(line) else { return false };
    let last = pieces.iter().take(at).rev().find_map(|piece| section_number(piece.item.line()?));
    last.is_some_and(|last| last.successors().contains(&number))
}

/// The number of a chapter or clause; items of lists are numbered within one.
fn section_number(line: &Line) -> Option<Numbering> {
    let numbered = parse_line(&line.text).filter(|numbered| !numbered.rest.is_empty())?;
    let item = matches!(
        numbered.numbering,
        Numbering::Paren(_)
            | Numbering::ParenDigit(_)
            | Numbering::Circled(_)
            | Numbering::Item(_)
            | Numbering::ParenRoman(_)
    );
    (!item).then_some(numbered.numbering)
}

/// Reads a line as a table caption.
pub(crate) fn read(line: &Line) -> Option<Caption> {
    parse_caption(&line.text).filter(|caption| caption.kind == CaptionKind::Table)
}

fn to_bound(caption: Caption, text: String, pieces: Vec<usize>) -> Bound {
    let number = Some(caption.number).filter(|number| !number.is_empty());
    Bound { text, number, continued: caption.continued, below: false, lines: pieces.clone(), pieces }
}

/// The format names the caption; the printed line above with the same words is not content of its own.
fn declared_caption(text: &str, above: Option<&Bound>) -> Bound {
    let pieces =
        above.filter(|bound| bound.text == text).map(|bound| bound.pieces.clone()).unwrap_or_default();
    let caption = parse_caption(text).filter(|caption| caption.kind == CaptionKind::Table);
    match caption {
        Some(caption) => to_bound(caption, text.to_owned(), pieces),
        None => Bound {
            text: text.to_owned(),
            number: None,
            continued: false,
            below: false,
            lines: pieces.clone(),
            pieces,
        },
    }
}

/// Lines of one caption at most: the number, the title over several lines, what it forms part of.
const LONGEST: usize = 5;

fn look_above(pieces: &[Piece], table: usize, metrics: &Metrics, cleaner: Cleaner) -> Option<Bound> {
    let page = pieces.get(table)?.page;
    let mut at = table;
    let mut tail: Vec<usize> = Vec::new();
    while tail.len() < LONGEST {
        at = at.checked_sub(1)?;
        let piece = pieces.get(at)?;
        let Item::Line(line) = &piece.item else { return None };
        let next_page = piece.page != page;
        if next_page && piece.page + 1 != page {
            return None;
        }
        if let Some(caption) = read(line) {
            return above_with_tail(pieces, page, at, &tail, caption, cleaner, metrics);
        }
        let declared = line.role == TextRole::Caption && tail.is_empty() && !next_page;
        if declared && !is_figure(&line.text) && !is_caption_before(pieces, at) {
            return Some(Bound {
                text: line.text.clone(),
                number: None,
                continued: false,
                below: false,
                pieces: vec![at],
                lines: vec![at],
            });
        }
        if !(is_unit_line(&line.text) || can_be_title(line)) {
            return None;
        }
        tail.push(at);
    }
    None
}

/// Whether a caption with a number stands over this line, so that this one is its second.
fn is_caption_before(pieces: &[Piece], at: usize) -> bool {
    let mut before = (0..at).rev().take(LONGEST).map_while(|at| pieces.get(at)?.item.line());
    before.find_map(|line| {
        let found = read(line).is_some();
        (found || line.role != TextRole::Caption).then_some(found)
    }) == Some(true)
}

/// The caption at `at` with the lines between it and the table, where those can be the rest of it.
fn above_with_tail(
    pieces: &[Piece],
    page: usize,
    at: usize,
    tail: &[usize],
    caption: Caption,
    cleaner: Cleaner,
    metrics: &Metrics,
) -> Option<Bound> {
    let line = pieces.get(at)?.item.line()?;
    let mut text = line.text.clone();
    let wrapped: Vec<usize> = tail.iter().rev().copied().filter(|at| !is_unit_piece(pieces, *at)).collect();
    if wrapped.len() > 1 && !caption.title.is_empty() && !declared_run(pieces, at, &wrapped) {
        return None;
    }
    for more in &wrapped {
        let more = pieces.get(*more)?.item.line()?;
        // A number alone is followed by its title; a title only by what is set in the middle like itself.
        let belongs = caption.title.is_empty()
            || metrics.is_centered(page, more)
            || more.role == TextRole::Caption && line.role == TextRole::Caption;
        if !belongs {
            return None;
        }
        if more.is_paragraph() {
            text.push(' ');
            text.push_str(&more.text);
        } else {
            cleaner.join(&mut text, &more.text);
        }
    }
    let mut lines = vec![at];
    lines.extend(&wrapped);
    // On the page before, the caption stays where it is printed.
    let here = |at: &usize| pieces.get(*at).is_some_and(|piece| piece.page == page);
    let own: Vec<usize> = lines.iter().copied().filter(here).collect();
    Some(Bound { lines, ..to_bound(caption, text, own) })
}

/// Whether the format itself calls all these lines a caption.
fn declared_run(pieces: &[Piece], at: usize, more: &[usize]) -> bool {
    let is_caption = |at: &usize| {
        pieces.get(*at).and_then(|piece| piece.item.line()).is_some_and(|line| line.role == TextRole::Caption)
    };
    is_caption(&at) && more.iter().all(is_caption)
}

/// A line that can be part of a caption behind its number: short, no sentence, no number of its own.
fn can_be_title(line: &Line) -> bool {
    let short = line.text.chars().count() <= 200;
    let heading = matches!(line.role, TextRole::Heading { .. } | TextRole::Title | TextRole::ListItem);
    short && !heading && !ends_as_sentence(&line.text) && parse_line(&line.text).is_none()
}

/// A dot behind a number (`Forming Part of Article 3.2.3.1.`) ends no sentence.
fn ends_as_sentence(text: &str) -> bool {
    let numbered =
        text.strip_suffix('.').is_some_and(|head| head.ends_with(|c: char| c.is_ascii_digit() || c == ')'));
    ends_sentence(text) && !numbered
}

fn look_below(pieces: &[Piece], table: usize, metrics: &Metrics, cleaner: Cleaner) -> Option<Bound> {
    let page = pieces.get(table)?.page;
    let piece = pieces.get(table + 1).filter(|piece| piece.page == page)?;
    let line = piece.item.line()?;
    let caption = read(line).filter(|caption| !caption.continued)?;
    let mut text = line.text.clone();
    let mut lines = vec![table + 1];
    // The rest of a wrapped caption is set in the middle as well.
    if let Some(more) =
        pieces.get(table + 2).filter(|piece| piece.page == page).and_then(|piece| piece.item.line())
        && metrics.is_centered(page, line)
        && metrics.is_centered(page, more)
        && can_be_title(more)
        && read(more).is_none()
    {
        cleaner.join(&mut text, &more.text);
        lines.push(table + 2);
    }
    Some(Bound { below: true, ..to_bound(caption, text, lines) })
}

fn is_unit_piece(pieces: &[Piece], at: usize) -> bool {
    pieces.get(at).and_then(|piece| piece.item.line()).is_some_and(|line| is_unit_line(&line.text))
}

/// 单位：万千瓦
pub(crate) fn is_unit_line(text: &str) -> bool {
    let bare = text.trim_start_matches(['(', '（']);
    text.chars().count() <= 24
        && (bare.starts_with("单位")
            || bare.starts_with("Unit:")
            || bare.starts_with("(in ")
            || bare.starts_with("in millions"))
}

fn is_figure(text: &str) -> bool {
    parse_caption(text).is_some_and(|caption| caption.kind == CaptionKind::Figure)
}
