//! Table structure against the ICDAR-2013 truth: `cargo run --release --example icdar_eval -- DIR [-v]`.
//!
//! Adjacency relations as in the competition: every cell with text and its nearest neighbour with text to the right and
//! below, compared by text without white space. Each true table is paired with the predicted table of its page that
//! shares most relations, one to one; relations of predicted tables that pair with nothing count against precision.

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use regreader_model::{RawElement, TableCell};
use regreader_parse::{ParseOptions, parse};
use unicode_normalization::UnicodeNormalization as _;

/// (text, neighbour's text, below rather than to the right) to how often.
type Relations = HashMap<(String, String, bool), usize>;

struct Truth {
    page: u32,
    cells: Vec<TableCell>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().ok_or("usage: icdar_eval DIR [-v]")?);
    let verbose = args.any(|arg| arg == "-v");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "pdf"));
    files.sort();
    let (mut all, mut documents) = (Score::default(), Vec::new());
    for file in &files {
        let score = evaluate(file, verbose)?;
        println!(
            "{:12} precision {:.3} recall {:.3} f1 {:.3}   ({} of {} true, {} predicted)",
            file.file_stem().unwrap_or_default().to_string_lossy(),
            score.precision(),
            score.recall(),
            score.f1(),
            score.shared,
            score.truth,
            score.predicted
        );
        all.add(&score);
        documents.push(score);
    }
    let count = documents.len().max(1) as f64;
    let mean = |f: fn(&Score) -> f64| documents.iter().map(f).sum::<f64>() / count;
    let (precision, recall) = (mean(Score::precision), mean(Score::recall));
    println!(
        "per document: precision {precision:.4} recall {recall:.4} f1 of the means {:.4} mean f1 {:.4}",
        2.0 * precision * recall / (precision + recall).max(1e-9),
        mean(Score::f1)
    );
    println!("all relations: precision {:.4} recall {:.4} f1 {:.4}", all.precision(), all.recall(), all.f1());
    Ok(())
}

fn evaluate(file: &Path, verbose: bool) -> Result<Score, Box<dyn Error>> {
    let truth = read_truth(
        &file.with_file_name(format!("{}-str.xml", file.file_stem().unwrap_or_default().to_string_lossy())),
    )?;
    let parsed = parse(&std::fs::read(file)?, &file.to_string_lossy(), &ParseOptions::default())?;
    let mut score = Score::default();
    let last = parsed.document.pages.len() as u32;
    for number in 1..=last {
        let Some(page) = parsed.document.pages.get(number as usize - 1) else { continue };
        let predicted: Vec<Relations> = page
            .elements
            .iter()
            .filter_map(|element| match element {
                RawElement::Table(table) => Some(relations(&table.cells)),
                _ => None,
            })
            .collect();
        let wanted: Vec<Relations> =
            truth.iter().filter(|table| table.page == number).map(|table| relations(&table.cells)).collect();
        score.predicted += predicted.iter().map(size).sum::<usize>();
        score.truth += wanted.iter().map(size).sum::<usize>();
        let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
        for (w, want) in wanted.iter().enumerate() {
            for (p, have) in predicted.iter().enumerate() {
                pairs.push((shared(want, have), w, p));
            }
        }
        pairs.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let (mut used_w, mut used_p) = (vec![false; wanted.len()], vec![false; predicted.len()]);
        for (common, w, p) in pairs {
            if common > 0 && !used_w[w] && !used_p[p] {
                (used_w[w], used_p[p]) = (true, true);
                score.shared += common;
                if verbose && (common < size(&wanted[w]) || common < size(&predicted[p])) {
                    println!(
                        "  page {number}: {common} of {} true, {} predicted",
                        size(&wanted[w]),
                        size(&predicted[p])
                    );
                    print_difference("missing", &wanted[w], &predicted[p]);
                    print_difference("extra", &predicted[p], &wanted[w]);
                }
            }
        }
        if verbose {
            for (w, want) in wanted.iter().enumerate().filter(|(w, _)| !used_w[*w]) {
                println!("  page {number}: true table {w} not found ({} relations)", size(want));
            }
            for (p, have) in predicted.iter().enumerate().filter(|(p, _)| !used_p[*p]) {
                println!("  page {number}: predicted table {p} is none ({} relations)", size(have));
            }
        }
    }
    Ok(score)
}

fn print_difference(label: &str, a: &Relations, b: &Relations) {
    let mut left: Vec<_> = a
        .iter()
        .filter(|(relation, count)| b.get(*relation).is_none_or(|other| other < count))
        .map(|((from, to, below), _)| format!("{from} {} {to}", if *below { "v" } else { ">" }))
        .collect();
    left.sort();
    for relation in left.iter().take(12) {
        println!("      {label}: {relation}");
    }
}

#[derive(Default)]
struct Score {
    shared: usize,
    truth: usize,
    predicted: usize,
}

impl Score {
    fn add(&mut self, other: &Self) {
        self.shared += other.shared;
        self.truth += other.truth;
        self.predicted += other.predicted;
    }

    fn precision(&self) -> f64 {
        if self.predicted == 0 { 0.0 } else { self.shared as f64 / self.predicted as f64 }
    }

    fn recall(&self) -> f64 {
        if self.truth == 0 { 1.0 } else { self.shared as f64 / self.truth as f64 }
    }

    fn f1(&self) -> f64 {
        let (p, r) = (self.precision(), self.recall());
        if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) }
    }
}

fn size(relations: &Relations) -> usize {
    relations.values().sum()
}

fn shared(a: &Relations, b: &Relations) -> usize {
    a.iter().map(|(relation, count)| b.get(relation).map_or(0, |other| *count.min(other))).sum()
}

/// Adjacency relations of a grid, blank cells skipped.
fn relations(cells: &[TableCell]) -> Relations {
    let texts: Vec<String> = cells.iter().map(|cell| normal(&cell.content)).collect();
    let mut grid: HashMap<(u32, u32), usize> = HashMap::new();
    let (mut rows, mut cols) = (0, 0);
    for (index, cell) in cells.iter().enumerate() {
        if texts[index].is_empty() {
            continue;
        }
        for row in cell.row..cell.row + cell.row_span.min(1000) {
            for col in cell.col..cell.col + cell.col_span.min(1000) {
                grid.insert((row, col), index);
                rows = rows.max(row + 1);
                cols = cols.max(col + 1);
            }
        }
    }
    let mut pairs: Vec<(usize, usize, bool)> = Vec::new();
    for (&(row, col), &index) in &grid {
        let right = (col + 1..cols).find_map(|c| grid.get(&(row, c)).filter(|other| **other != index));
        let below = (row + 1..rows).find_map(|r| grid.get(&(r, col)).filter(|other| **other != index));
        pairs.extend(right.map(|other| (index, *other, false)));
        pairs.extend(below.map(|other| (index, *other, true)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut relations = Relations::new();
    for (from, to, below) in pairs {
        *relations.entry((texts[from].clone(), texts[to].clone(), below)).or_default() += 1;
    }
    relations
}

fn normal(text: &str) -> String {
    // The truth prints exponents and note marks on the line.
    text.nfkc().filter(|c| !c.is_whitespace()).collect()
}

fn read_truth(path: &Path) -> Result<Vec<Truth>, Box<dyn Error>> {
    let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
    let mut reader = Reader::from_str(&text);
    let mut tables: Vec<Truth> = Vec::new();
    let mut inside = false;
    loop {
        match reader.read_event()? {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                b"region" => {
                    let page = number(&tag, "page")?.unwrap_or(1).max(1) as u32;
                    tables.push(Truth { page, cells: Vec::new() });
                }
                b"cell" => {
                    // Some of the truth counts from -1.
                    let place =
                        |name| Ok::<_, Box<dyn Error>>(number(&tag, name)?.map(|n| (n + 1).max(0) as u32));
                    let (row, col) = (place("start-row")?.unwrap_or(0), place("start-col")?.unwrap_or(0));
                    let end_row = place("end-row")?.unwrap_or(row);
                    let end_col = place("end-col")?.unwrap_or(col);
                    let cell = TableCell {
                        row,
                        col,
                        row_span: end_row.saturating_sub(row) + 1,
                        col_span: end_col.saturating_sub(col) + 1,
                        content: String::new(),
                        is_header: false,
                        bbox: None,
                    };
                    if let Some(table) = tables.last_mut() {
                        table.cells.push(cell);
                    }
                }
                b"content" => inside = true,
                _ => {}
            },
            Event::End(tag) if tag.name().as_ref() == b"content" => inside = false,
            Event::Text(piece) if inside => {
                let piece = piece.xml10_content()?.into_owned();
                if let Some(cell) = tables.last_mut().and_then(|table| table.cells.last_mut()) {
                    cell.content.push_str(&piece);
                }
            }
            Event::GeneralRef(reference) if inside => {
                let name = reference.decode()?.into_owned();
                let resolved = match reference.resolve_char_ref()? {
                    Some(c) => c.to_string(),
                    None => {
                        quick_xml::escape::resolve_predefined_entity(&name).unwrap_or_default().to_owned()
                    }
                };
                if let Some(cell) = tables.last_mut().and_then(|table| table.cells.last_mut()) {
                    cell.content.push_str(&resolved);
                }
            }
            _ => {}
        }
    }
    Ok(tables)
}

fn number(tag: &BytesStart<'_>, name: &str) -> Result<Option<i64>, Box<dyn Error>> {
    let Some(attribute) = tag.try_get_attribute(name)? else { return Ok(None) };
    Ok(String::from_utf8_lossy(&attribute.value).trim().parse().ok())
}
