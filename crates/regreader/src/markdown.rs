//! Markdown for a person: its tables drawn, everything else as it is. Text may come in pieces; what was printed is never
//! printed again or taken back, so nothing flickers.

use std::io;

use regreader_tools::Sheet;

use crate::grid;
use crate::output::Output;

/// Draws Markdown as it comes.
pub struct Drawer<'a> {
    output: &'a Output,
    rest: String,
    table: Vec<Vec<String>>,
}

impl<'a> Drawer<'a> {
    /// A drawer with nothing drawn yet.
    pub fn new(output: &'a Output) -> Self {
        Self { output, rest: String::new(), table: Vec::new() }
    }

    /// Draws the whole lines of what has come so far.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.rest.push_str(text);
        while let Some(end) = self.rest.find('\n') {
            let line: String = self.rest.drain(..=end).collect();
            self.line(line.trim_end())?;
        }
        Ok(())
    }

    /// Everything has come.
    pub fn finish(&mut self) -> io::Result<()> {
        if !self.rest.is_empty() {
            self.text("\n")?;
        }
        self.end_table()
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        if let Some(cells) = grid::markdown_row(line) {
            // A table is drawn when it is complete, because only then its columns are known.
            if !cells.is_empty() {
                // Marks would count as width and be cut in two by a line break.
                self.table.push(cells.iter().map(|cell| cell.replace("**", "")).collect());
            }
            return Ok(());
        }
        self.end_table()?;
        let shown = if line.starts_with('【') { self.output.bold(line) } else { self.output.marked(line) };
        Sheet::line(self.output, &shown)
    }

    fn end_table(&mut self) -> io::Result<()> {
        let table = std::mem::take(&mut self.table);
        let Some((header, rows)) = table.split_first() else { return Ok(()) };
        for line in grid::draw(header, rows, self.output.width().saturating_sub(INDENT.len())) {
            Sheet::line(self.output, &format!("{INDENT}{line}"))?;
        }
        Ok(())
    }
}

/// Before each line of a table.
const INDENT: &str = "   ";

/// Draws a whole text. Where nobody looks at it, a program or a file, it stays Markdown.
pub fn print(output: &Output, text: &str) -> io::Result<()> {
    if !output.is_terminal() {
        return Sheet::line(output, text);
    }
    let mut drawer = Drawer::new(output);
    drawer.text(text)?;
    drawer.finish()
}
