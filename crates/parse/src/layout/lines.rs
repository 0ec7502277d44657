//! Words into rows (everything on one baseline, across the page) and rows into segments (pieces without a wide gap).

use regreader_model::Rect;

use super::words::{SOFT_HYPHEN, Word, needs_space};
use super::{ASCENT, DESCENT, is_cjk};
use crate::scripts;

/// Words on one baseline, left to right.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub words: Vec<Word>,
    pub base: f32,
    /// Size of most of its characters.
    pub size: f32,
}

/// A piece of a row between two wide gaps.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub words: Vec<Word>,
    pub rect: Rect,
    pub base: f32,
    pub size: f32,
    /// Which row of the page it belongs to.
    pub row: usize,
}

/// Groups words into rows from top to bottom. Raised and lowered small type joins the row it touches.
pub(crate) fn rows_of(words: Vec<Word>) -> Vec<Row> {
    let mut words = words;
    words.sort_by(|a, b| {
        a.base.total_cmp(&b.base).then(a.rect.x0.total_cmp(&b.rect.x0)).then(a.seq.cmp(&b.seq))
    });
    let mut rows: Vec<Row> = Vec::new();
    let mut weight = 0.0_f32;
    for word in words {
        if let Some(row) = rows.last_mut()
            && (word.base - row.base).abs() <= 0.3 * word.size.min(row.size)
        {
            let count = word.count as f32;
            row.base = (row.base * weight + word.base * count) / (weight + count);
            row.size = row.size.max(word.size);
            weight += count;
            row.words.push(word);
        } else {
            weight = word.count as f32;
            rows.push(Row { base: word.base, size: word.size, words: vec![word] });
        }
    }
    attach_small_type(&mut rows);
    for row in &mut rows {
        row.words.sort_by(|a, b| a.rect.x0.total_cmp(&b.rect.x0).then(a.seq.cmp(&b.seq)));
        drop_double_prints(&mut row.words);
        place_small_type(row);
        merge_touching(&mut row.words);
        drop_inner_hyphens(&mut row.words);
        row.size = usual_size(&row.words);
    }
    rows.retain(|row| !row.words.is_empty());
    rows
}

/// Exponents, indices and note marks sit on a baseline of their own: give each to the neighbour it touches.
fn attach_small_type(rows: &mut Vec<Row>) {
    for row in rows.iter_mut() {
        row.words.sort_by(|a, b| a.rect.x0.total_cmp(&b.rect.x0));
    }
    for index in 0..rows.len() {
        let mut kept = Vec::new();
        let words = match rows.get_mut(index) {
            Some(row) => std::mem::take(&mut row.words),
            None => continue,
        };
        for word in words {
            let neighbours = [index.checked_sub(2), index.checked_sub(1), Some(index + 1), Some(index + 2)];
            let target = neighbours
                .into_iter()
                .flatten()
                .find(|other| rows.get(*other).is_some_and(|row| touches_as_small_type(&word, row)));
            match target.and_then(|other| rows.get_mut(other)) {
                Some(row) => {
                    let word = placed(word, row);
                    row.words.push(word);
                }
                None => kept.push(word),
            }
        }
        if let Some(row) = rows.get_mut(index) {
            row.words = kept;
        }
    }
    rows.retain(|row| !row.words.is_empty());
}

/// The same for small type whose baseline is so near that it came into the row with the others: the 2 of CO₂.
fn place_small_type(row: &mut Row) {
    row.size = usual_size(&row.words);
    let is_small = |word: &Word, size: f32| size >= 1.15 * word.size;
    if !row.words.iter().any(|word| is_small(word, row.size)) {
        return;
    }
    let large: Vec<&Word> = row.words.iter().filter(|word| !is_small(word, row.size)).collect();
    let weight: f32 = large.iter().map(|word| word.count as f32).sum();
    let base = large.iter().map(|word| word.base * word.count as f32).sum::<f32>() / weight.max(1.0);
    let whole = Row { base, size: row.size, words: row.words.clone() };
    for word in row.words.iter_mut().filter(|word| is_small(word, whole.size)) {
        *word = placed(word.clone(), &whole);
    }
}

/// Small type behind a word, in the raised or lowered form of its characters; so is the raised mark of a footnote before
/// the first word of its line, which would otherwise look like the number of a chapter.
fn placed(mut word: Word, row: &Row) -> Word {
    let follows = row.words.iter().any(|other| {
        other.size >= 1.15 * word.size
            && (word.rect.x0 - other.rect.x1).abs() <= 0.35 * other.size
            && !other.last().is_whitespace()
    });
    let leads = row.words.iter().any(|other| {
        other.size >= 1.15 * word.size && (0.0..=0.8 * other.size).contains(&(other.rect.x0 - word.rect.x1))
    });
    let shift = row.base - word.base;
    if (follows || leads) && shift > 0.12 * row.size {
        word.text = scripts::raised(&word.text);
    } else if follows && shift < -0.06 * row.size {
        word.text = scripts::lowered(&word.text);
    }
    word
}

fn touches_as_small_type(word: &Word, row: &Row) -> bool {
    let shift = row.base - word.base;
    if !(-0.35 * row.size..=0.75 * row.size).contains(&shift) {
        return false;
    }
    // Words lie sorted by their left edge, save a few small ones attached before: look at the neighbourhood only.
    let from = row.words.partition_point(|other| other.rect.x0 < word.rect.x0).saturating_sub(8);
    let reach = word.rect.x1 + row.size;
    let near = row.words.iter().skip(from).take(24).take_while(|other| other.rect.x0 <= reach);
    near.into_iter().any(|other| {
        other.size >= 1.15 * word.size
            && word.rect.x0 - other.rect.x1 <= 0.35 * other.size
            && other.rect.x0 - word.rect.x1 <= 0.35 * other.size
            && shift.abs() <= 0.75 * other.size
    })
}

/// Type printed twice with a small shift to look bold arrives twice.
fn drop_double_prints(words: &mut Vec<Word>) {
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    for word in words.drain(..) {
        let twin = kept.iter_mut().rev().take(3).find(|b| {
            b.text == word.text
                && (b.rect.x0 - word.rect.x0).abs() <= 0.2 * b.size
                && (b.base - word.base).abs() <= 0.2 * b.size
        });
        match twin {
            Some(twin) => twin.bold = twin.count,
            None => kept.push(word),
        }
    }
    *words = kept;
}

/// Words cut only because the producer drew them in pieces.
fn merge_touching(words: &mut Vec<Word>) {
    let mut merged: Vec<Word> = Vec::with_capacity(words.len());
    for word in words.drain(..) {
        if let Some(last) = merged.last_mut()
            && (last.base - word.base).abs() <= 0.12 * last.size.max(word.size)
            && last.size <= word.size * 1.2
            && word.size <= last.size * 1.2
            && !needs_space(last, &word)
            && (!word.space_before || (is_cjk(last.last()) && is_cjk(word.first())))
            && word.rect.x0 - last.rect.x1 <= 0.5 * last.size
        {
            last.text.push_str(&word.text);
            last.rect = last.rect.union(&word.rect);
            last.bold += word.bold;
            last.count += word.count;
            last.seq = last.seq.min(word.seq);
        } else {
            merged.push(word);
        }
    }
    *words = merged;
}

/// A soft hyphen shows at the end of a line only.
fn drop_inner_hyphens(words: &mut Vec<Word>) {
    let last = words.len().saturating_sub(1);
    for (index, word) in words.iter_mut().enumerate() {
        if word.text.contains(SOFT_HYPHEN) {
            let ends = index == last && word.text.ends_with(SOFT_HYPHEN) && word.text.len() > 2;
            word.text.retain(|c| c != SOFT_HYPHEN);
            if ends {
                word.text.push(SOFT_HYPHEN);
            }
        }
    }
    words.retain(|word| !word.text.is_empty());
}

/// Size of most characters.
pub(crate) fn usual_size(words: &[Word]) -> f32 {
    // Sizes on one row are few; count characters of each.
    let mut sizes: Vec<(f32, u32)> = Vec::new();
    for word in words {
        match sizes.iter_mut().find(|(size, _)| (*size - word.size).abs() < 0.25) {
            Some((_, count)) => *count += word.count,
            None => sizes.push((word.size, word.count)),
        }
    }
    let best = sizes.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a });
    best.map_or(0.0, |(size, _)| size)
}

/// Gap, in ems, that ends a segment.
const SEGMENT_GAP: f32 = 1.3;

/// Where a narrow gutter parts two columns of prose: at least ten rows have a gap there and a dozen characters on either
/// side of it, and hardly a row runs across. Wide gutters need no such proof, and columns of a table have less text.
pub(crate) fn narrow_gutter(rows: &[Row]) -> Option<f32> {
    gutter(rows, 10, 5)
}

/// Whether rows that were read from side to side look like two columns all the same: several have a gap at one place and
/// prose on either side of it, and at least as many as run across. What they say may be mixed up.
pub(crate) fn may_be_columns(rows: &[Row]) -> bool {
    gutter(rows, 6, 1).is_some()
}

/// A place where at least `least` rows have a gap with prose on both sides; at most one in `across` of their number runs
/// across it.
fn gutter(rows: &[Row], least: usize, across: usize) -> Option<f32> {
    const CHARACTERS: u32 = 12;
    const CANDIDATES: usize = 200;
    let is_gap = |a: &Word, b: &Word, size: f32| b.rect.x0 - a.rect.x1 >= (0.75 * size).max(7.0);
    let mut middles: Vec<f32> = Vec::new();
    for row in rows {
        for pair in row.words.windows(2) {
            if is_gap(&pair[0], &pair[1], row.size) {
                middles.push(f32::midpoint(pair[0].rect.x1, pair[1].rect.x0));
            }
        }
    }
    if middles.len() < least {
        return None;
    }
    middles.sort_by(f32::total_cmp);
    middles.dedup_by(|a, b| (*a - *b).abs() < 2.0);
    let mut best: Option<(usize, f32)> = None;
    for x in middles.into_iter().take(CANDIDATES) {
        let (mut parted, mut crossed) = (0_usize, 0_usize);
        for row in rows {
            let at = row.words.partition_point(|word| word.rect.x0 < x);
            let (left, right) = row.words.split_at(at);
            let (Some(before), Some(after)) = (left.last(), right.first()) else {
                crossed += usize::from(left.last().is_some_and(|word| word.rect.x1 > x));
                continue;
            };
            let count = |words: &[Word]| words.iter().map(|word| word.count).sum::<u32>();
            if before.rect.x1 > x || !is_gap(before, after, row.size) {
                crossed += 1;
            } else if count(left) >= CHARACTERS && count(right) >= CHARACTERS {
                parted += 1;
            }
        }
        if parted >= least && crossed * across <= parted && best.is_none_or(|(most, _)| parted > most) {
            best = Some((parted, x));
        }
    }
    best.map(|(_, x)| x)
}

/// Cuts a row at its wide gaps, and at the gutter where it has a gap there.
pub(crate) fn segments_of(row: Row, index: usize, gutter: Option<f32>) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let base = row.base;
    let size = row.size;
    for word in row.words {
        let at_gutter = gutter.is_some_and(|x| {
            word.rect.x0 > x && segments.last().is_some_and(|last: &Segment| last.rect.x1 <= x)
        });
        if let Some(last) = segments.last_mut()
            && !at_gutter
            && word.rect.x0 - last.rect.x1 <= SEGMENT_GAP * size.max(word.size.min(size * 1.5))
        {
            last.rect = last.rect.union(&word.rect);
            last.words.push(word);
        } else {
            segments.push(Segment { rect: word.rect, base, size, row: index, words: vec![word] });
        }
    }
    for segment in &mut segments {
        segment.size = usual_size(&segment.words);
        // Boxes of lines of one size are equally tall, whatever small type hangs on them.
        segment.rect.y0 = segment.rect.y0.min(base - ASCENT * segment.size);
        segment.rect.y1 = segment.rect.y1.max(base + DESCENT * segment.size);
    }
    segments
}
