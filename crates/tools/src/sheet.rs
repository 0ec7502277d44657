//! Results for a person. A tool says what is shown; whoever gives the sheet knows how wide a line is, what bold looks like
//! and where remarks go that are no part of the result.

use std::io;

use regreader_messages::{interface, tools};
use regreader_model::PageNumber;

/// Where a result is shown.
pub trait Sheet {
    /// One line of the result.
    fn line(&self, text: &str) -> io::Result<()>;
    /// Something that is not the result.
    fn note(&self, text: &str);
    /// What a person can do next.
    fn hint(&self, text: &str);
    /// How the rest is had, in the words that tools have for programs.
    fn next(&self, text: Option<&str>);
    /// What to know before relying on the result.
    fn warning(&self, text: &str);
    /// The text as a heading.
    fn bold(&self, text: &str) -> String;
    /// The text as something of less weight.
    fn dim(&self, text: &str) -> String;
    /// A piece of a page with marked words, tables drawn.
    fn snippet(&self, text: &str) -> io::Result<()>;
    /// Whole pages of Markdown.
    fn markdown(&self, text: &str) -> io::Result<()>;
    /// A table with a header, so far from the margin.
    fn table(&self, margin: usize, header: &[String], rows: &[Vec<String>]) -> io::Result<()>;
    /// Cells under each other, as lines.
    fn columns(&self, rows: &[Vec<String>]) -> Vec<String>;
}

/// First and last page, as a range or as one number.
pub(crate) fn range([first, last]: [PageNumber; 2]) -> String {
    if first == last { first.to_string() } else { format!("{first}–{last}") }
}

/// Rows of a table with their pages, under a header.
pub(crate) fn paged_rows<'a>(
    sheet: &dyn Sheet,
    margin: usize,
    headers: &[String],
    rows: impl Iterator<Item = (PageNumber, &'a Vec<String>)>,
) -> io::Result<()> {
    let header: Vec<String> =
        std::iter::once(tools::PAGE.to_string()).chain(headers.iter().cloned()).collect();
    let row = |(page, cells): (PageNumber, &Vec<String>)| {
        std::iter::once(format!("P{page}")).chain(cells.iter().cloned()).collect()
    };
    sheet.table(margin, &header, &rows.map(row).collect::<Vec<_>>())
}

/// The caption of a table, or words for one that has none.
pub(crate) fn caption_or_none(caption: Option<&str>) -> &str {
    caption.unwrap_or(interface().say(tools::UNTITLED))
}
