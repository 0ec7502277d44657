//! Captions and the tables they belong to.
//!
//! A caption stands directly above its table, or below it; between the two at most a line that gives the unit. Where a
//! caption stands between two tables that both could take it, the habit of the rest of the document decides. A caption
//! alone at the foot of a page belongs to the table that opens the next page. Must not decide which tables are one.

use regreader_model::TextRole;
use regreader_text::caption::{Caption, CaptionKind, parse_caption};

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
    /// Lines that are the caption or stand between it and the table (a unit line stays content of the table's block).
    pub pieces: Vec<usize>,
}

/// The caption of each table piece, by position in the stream.
pub(crate) fn bind(pieces: &[Piece], metrics: &Metrics, cleaner: Cleaner) -> Vec<Option<Bound>> {
    let tables: Vec<usize> =
        (0..pieces.len()).filter(|at| matches!(pieces[*at].item, Item::Table(_))).collect();
    let above: Vec<Option<Bound>> =
        tables.iter().map(|at| look_above(pieces, *at, metrics, cleaner)).collect();
    let below: Vec<Option<Bound>> = tables.iter().map(|at| look_below(pieces, *at)).collect();
    let prefers_below = prefers_below(pieces, &tables, &above, &below);

    let mut bound: Vec<Option<Bound>> = vec![None; pieces.len()];
    let mut taken: Vec<bool> = vec![false; pieces.len()];
    for (nth, at) in tables.iter().enumerate() {
        let declared = match &pieces[*at].item {
            Item::Table(grid) => {
                grid.caption.as_deref().map(|text| declared_caption(text, above[nth].as_ref()))
            }
            _ => None,
        };
        let free = |bound: &Option<Bound>| {
            bound.clone().filter(|bound| bound.pieces.iter().all(|piece| !taken[*piece]))
        };
        let (first, second) = if prefers_below { (&below, &above) } else { (&above, &below) };
        // A caption that says 续 stands over its segment, whatever the habit.
        let continuation = above[nth].as_ref().is_some_and(|bound| bound.continued);
        // A caption followed by a table is that table's, unless captions stand below here.
        let contested = pieces.get(at + 2).is_some_and(|next| matches!(next.item, Item::Table(_)));
        let choice = declared.or_else(|| {
            if continuation {
                return free(&above[nth]);
            }
            let second = if prefers_below || !contested { free(&second[nth]) } else { None };
            free(&first[nth]).or(second)
        });
        if let Some(choice) = choice {
            choice.pieces.iter().for_each(|piece| taken[*piece] = true);
            bound[*at] = Some(choice);
        }
    }
    bound
}

/// Reads a line as a table caption.
pub(crate) fn read(line: &Line) -> Option<Caption> {
    parse_caption(&line.text).filter(|caption| caption.kind == CaptionKind::Table)
}

fn to_bound(caption: Caption, text: String, pieces: Vec<usize>) -> Bound {
    let number = Some(caption.number).filter(|number| !number.is_empty());
    Bound { text, number, continued: caption.continued, below: false, pieces }
}

/// The format names the caption; the printed line above with the same words is not content of its own.
fn declared_caption(text: &str, above: Option<&Bound>) -> Bound {
    let pieces = above.filter(|bound| bound.text == text).map(|bound| bound.pieces.clone());
    let caption = parse_caption(text).filter(|caption| caption.kind == CaptionKind::Table);
    match caption {
        Some(caption) => to_bound(caption, text.to_owned(), pieces.unwrap_or_default()),
        None => Bound {
            text: text.to_owned(),
            number: None,
            continued: false,
            below: false,
            pieces: pieces.unwrap_or_default(),
        },
    }
}

fn look_above(pieces: &[Piece], table: usize, metrics: &Metrics, cleaner: Cleaner) -> Option<Bound> {
    let page = pieces.get(table)?.page;
    let mut at = table;
    let mut tail: Vec<usize> = Vec::new();
    // Lines of the caption's own wrap and one unit line may stand between.
    while tail.len() <= 2 {
        at = at.checked_sub(1)?;
        let piece = pieces.get(at)?;
        let Item::Line(line) = &piece.item else { return None };
        let next_page = piece.page != page;
        if next_page && (!tail.is_empty() || piece.page + 1 != page) {
            return None;
        }
        if let Some(caption) = read(line) {
            let mut text = line.text.clone();
            for wrapped in tail.iter().rev() {
                let more = pieces.get(*wrapped).and_then(|piece| piece.item.line());
                if let Some(more) = more.filter(|more| !is_unit_line(&more.text)) {
                    cleaner.join(&mut text, &more.text);
                }
            }
            // On the page before, the caption stays where it is printed.
            let mut own: Vec<usize> = if next_page { Vec::new() } else { vec![at] };
            own.extend(tail.iter().rev().filter(|at| !is_unit_piece(pieces, **at)));
            return Some(to_bound(caption, text, own));
        }
        if line.role == TextRole::Caption && tail.is_empty() && !next_page && !is_figure(&line.text) {
            return Some(Bound {
                text: line.text.clone(),
                number: None,
                continued: false,
                below: false,
                pieces: vec![at],
            });
        }
        let may_wrap = metrics.is_centered(page, line) && tail.is_empty() && !ends_sentence(&line.text);
        if next_page || !(is_unit_line(&line.text) || may_wrap) {
            return None;
        }
        tail.push(at);
    }
    None
}

fn look_below(pieces: &[Piece], table: usize) -> Option<Bound> {
    let page = pieces.get(table)?.page;
    let piece = pieces.get(table + 1).filter(|piece| piece.page == page)?;
    let line = piece.item.line()?;
    let caption = read(line).filter(|caption| !caption.continued)?;
    Some(Bound { below: true, ..to_bound(caption, line.text.clone(), vec![table + 1]) })
}

/// Whether tables with only one possible caption have it below more often than above.
fn prefers_below(
    pieces: &[Piece],
    tables: &[usize],
    above: &[Option<Bound>],
    below: &[Option<Bound>],
) -> bool {
    let mut over = 0_usize;
    let mut under = 0_usize;
    for (nth, at) in tables.iter().enumerate() {
        let before_is_table =
            above[nth].as_ref().and_then(|bound| bound.pieces.first()).is_some_and(|first| {
                first
                    .checked_sub(1)
                    .and_then(|i| pieces.get(i))
                    .is_some_and(|p| matches!(p.item, Item::Table(_)))
            });
        let after_is_table = below[nth].is_some()
            && pieces.get(at + 2).is_some_and(|piece| matches!(piece.item, Item::Table(_)));
        over += usize::from(above[nth].is_some() && !before_is_table);
        under += usize::from(below[nth].is_some() && above[nth].is_none() && !after_is_table);
    }
    under > over
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
