//! Nests the marks: each under the node it belongs to.
//!
//! A stack of open nodes is kept. Tracks with a fixed order (篇 章 节 条; Part Article Section; Roman, letter) close
//! whatever stands at their rank or below. Decimal numbers go under their own prefix; where the prefix is not there,
//! under whatever was open when the decimals began. Appendices and known headings (前言) stand at the top. Headings
//! without number but with a declared level close what is declared at that level or below. Knows marks only.

use crate::chapter::{Mark, Number};

/// Parent (index into the marks) and level of each mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub parent: Option<usize>,
    /// From 1.
    pub level: u32,
}

/// A real tree is a handful of levels deep; hostile numbering must not make it deeper than readers can stand.
const DEEPEST: usize = 32;

/// Places every mark.
pub(crate) fn nest(marks: &[Mark]) -> Vec<Place> {
    let mut open: Vec<usize> = Vec::new();
    let mut places: Vec<Place> = Vec::with_capacity(marks.len());
    for (index, mark) in marks.iter().enumerate() {
        match &mark.number {
            Some(number) => close_for_number(&mut open, marks, mark, number),
            None => close_for_heading(&mut open, marks, mark),
        }
        open.truncate(DEEPEST);
        places.push(Place { parent: open.last().copied(), level: open.len() as u32 + 1 });
        open.push(index);
    }
    places
}

fn close_for_number(open: &mut Vec<usize>, marks: &[Mark], mark: &Mark, number: &Number) {
    let Some(rank) = number.track.rank() else {
        close_for_decimal(open, marks, mark, number);
        return;
    };
    if rank == 0 && number.depth == 1 {
        open.clear();
        return;
    }
    // Its own track first: A.1.2 under A.1, 第五条 beside 第四条.
    let own = open.iter().position(|at| is_open_track(marks, *at, number));
    if let Some(first) = own {
        let keep = first + shared_levels(&open[first..], marks, number);
        open.truncate(keep);
        return;
    }
    // Whatever stands at its rank or below ends here, with all inside it: M1 ends R1 and the parts of R1.
    let equal =
        open.iter().position(|at| open_rank(marks, *at).is_some_and(|above| above >= rank && rank > 0));
    open.truncate(equal.unwrap_or(open.len()));
    while let Some(&top) = open.last() {
        let closes = match marks.get(top).map(|top| (&top.number, top)) {
            // Articles and requirements may stand under decimal clauses; chapters never do.
            Some((Some(above), _)) => above.track.rank().is_none() && rank < 16,
            Some((None, above)) => gives_way(above, mark),
            None => true,
        };
        if !closes {
            break;
        }
        open.pop();
    }
}

fn close_for_decimal(open: &mut Vec<usize>, marks: &[Mark], mark: &Mark, number: &Number) {
    // The innermost open run of decimals: an appendix may have one of its own inside it.
    let own = open.iter().rposition(|at| is_open_track(marks, *at, number)).map(|last| {
        let mut first = last;
        while first > 0 && open.get(first - 1).is_some_and(|at| is_open_track(marks, *at, number)) {
            first -= 1;
        }
        first
    });
    if let Some(first) = own {
        let keep = first + shared_levels(&open[first..], marks, number);
        open.truncate(keep);
        return;
    }
    while let Some(&top) = open.last() {
        let closes = marks.get(top).is_none_or(|above| above.number.is_none() && gives_way(above, mark));
        if !closes {
            break;
        }
        open.pop();
    }
}

fn open_rank(marks: &[Mark], at: usize) -> Option<u32> {
    marks.get(at)?.number.as_ref()?.track.rank()
}

fn is_open_track(marks: &[Mark], at: usize, number: &Number) -> bool {
    marks.get(at).and_then(|mark| mark.number.as_ref()).is_some_and(|other| other.track == number.track)
}

/// How many of these open nodes are ancestors of the number on its own track.
fn shared_levels(open: &[usize], marks: &[Mark], number: &Number) -> usize {
    open.iter()
        .take_while(|at| {
            marks.get(**at).and_then(|mark| mark.number.as_ref()).is_some_and(|other| {
                other.track == number.track
                    && other.depth < number.depth
                    && number.path.starts_with(other.path.get(..other.depth).unwrap_or_default())
            })
        })
        .count()
}

/// Whether an open heading without number ends where this mark begins.
fn gives_way(heading: &Mark, mark: &Mark) -> bool {
    match (heading.declared, mark.declared) {
        (Some(above), Some(own)) => own <= above,
        // A declared heading holds the numbered text below it; 前言 does not hold chapter 1.
        (Some(_), None) => {
            mark.number.as_ref().is_some_and(|number| number.track.rank().is_some_and(|r| r < 16))
        }
        (None, _) => true,
    }
}

fn close_for_heading(open: &mut Vec<usize>, marks: &[Mark], mark: &Mark) {
    let Some(level) = mark.declared else {
        open.clear();
        return;
    };
    while let Some(&top) = open.last() {
        let holds = marks.get(top).and_then(|above| above.declared).is_some_and(|above| above < level);
        if holds {
            break;
        }
        open.pop();
    }
}
