//! Data on stdout, everything else on stderr; colour and progress only on a terminal.

use std::io::{self, IsTerminal, Write};

use regreader_tools::Sheet;
use serde::Serialize;

use crate::commands::for_people;
use crate::{grid, markdown};

/// Where a command writes its result.
pub struct Output {
    /// Machine form was asked for.
    pub json: bool,
    quiet: bool,
    colour: bool,
}

impl Output {
    /// Output for this process. `NO_COLOR` and a redirected stdout turn colour off.
    pub fn new(json: bool) -> Self {
        let colour = !json && io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self { json, quiet: false, colour }
    }

    /// The same without notes and hints.
    #[must_use]
    pub fn quiet(self, quiet: bool) -> Self {
        Self { quiet, ..self }
    }

    /// Tells something on stderr that is not the result. `--quiet` leaves it out.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            eprintln!("{}", text.as_ref());
        }
    }

    /// Tells what to do next, likewise.
    pub fn hint(&self, text: impl AsRef<str>) {
        self.note(format!("hint: {}", text.as_ref()));
    }

    #[expect(clippy::unused_self, reason = "whoever prints does so through the output")]
    /// Whether a person is looking.
    pub fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    #[expect(clippy::unused_self, reason = "whoever prints does so through the output")]
    /// Columns that a line has room for: `COLUMNS`, the terminal's own width, or a usual width where there is no terminal.
    pub fn width(&self) -> usize {
        const USUAL: usize = 100;
        const LEAST: usize = 20;
        let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let own = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        said.or_else(own).unwrap_or(USUAL).max(LEAST)
    }

    #[expect(clippy::unused_self, reason = "whoever prints does so through the output")]
    /// Prints a value as JSON, indented for people on a terminal, on one line for programs.
    pub fn json(&self, value: &impl Serialize) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        if io::stdout().is_terminal() {
            serde_json::to_writer_pretty(&mut out, value)?;
        } else {
            serde_json::to_writer(&mut out, value)?;
        }
        writeln!(out)?;
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "whoever prints does so through the output")]
    /// Prints one line of text.
    pub fn line(&self, text: impl AsRef<str>) -> anyhow::Result<()> {
        writeln!(io::stdout().lock(), "{}", text.as_ref())?;
        Ok(())
    }

    /// The text in bold, on a terminal.
    pub fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    /// The text dimmed, on a terminal.
    pub fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Turns `**marked**` words into terminal emphasis; keeps the marks where there is no colour.
    pub fn marked(&self, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let mut shown = String::with_capacity(text.len());
        for (i, part) in text.split("**").enumerate() {
            if i % 2 == 1 {
                shown.push_str(&self.paint("1;33", part));
            } else {
                shown.push_str(part);
            }
        }
        shown
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Before each line of a snippet.
const SNIPPET_MARGIN: usize = 6;

impl Sheet for Output {
    fn line(&self, text: &str) -> io::Result<()> {
        writeln!(io::stdout().lock(), "{text}")
    }

    fn note(&self, text: &str) {
        self.note(text);
    }

    fn hint(&self, text: &str) {
        self.hint(text);
    }

    fn next(&self, text: Option<&str>) {
        if let Some(text) = text {
            self.hint(for_people(text));
        }
    }

    fn warning(&self, text: &str) {
        eprintln!("warning: {text}");
    }

    fn bold(&self, text: &str) -> String {
        self.bold(text)
    }

    fn dim(&self, text: &str) -> String {
        self.dim(text)
    }

    /// Words first, then the rows that fit best under their header.
    fn snippet(&self, text: &str) -> io::Result<()> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for line in text.lines() {
            match grid::markdown_row(line) {
                // Marks would count as width and be cut in two by a line break.
                Some(cells) => rows.push(cells.iter().map(|cell| cell.replace("**", "")).collect()),
                None => {
                    Sheet::line(self, &format!("{:SNIPPET_MARGIN$}{}", "", self.marked(line)))?;
                }
            }
        }
        let Some((header, rows)) = rows.split_first() else { return Ok(()) };
        self.table(SNIPPET_MARGIN, header, rows)
    }

    fn markdown(&self, text: &str) -> io::Result<()> {
        markdown::print(self, text)
    }

    fn table(&self, margin: usize, header: &[String], rows: &[Vec<String>]) -> io::Result<()> {
        let lines = grid::draw(header, rows, self.width().saturating_sub(margin));
        lines.iter().try_for_each(|line| Sheet::line(self, &format!("{:margin$}{line}", "")))
    }

    fn columns(&self, rows: &[Vec<String>]) -> Vec<String> {
        grid::columns(rows)
    }
}

/// Asks a yes/no question on the terminal. Without one the answer is no: nothing is destroyed by a script that
/// forgot `--force`.
pub fn confirm(question: &str) -> io::Result<bool> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    eprint!("{question} [y/N] ");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes" | "是"))
}
