//! The readable form of results, for a terminal. Plain text; colours and streams are the caller's. Paths and messages
//! hold what strangers wrote, so control characters are shown and not sent to the terminal.

use std::borrow::Cow;
use std::io::{self, Write};

use regreader_messages::{context, interface};

use crate::lint::LintReport;
use crate::model::{Decision, Scope, SearchReport, SearchResult};

/// The message, then one numbered path a line.
pub fn write_result(out: &mut dyn Write, result: &SearchResult) -> io::Result<()> {
    writeln!(out, "{}", result.message)?;
    for (at, path) in result.contexts.iter().enumerate() {
        writeln!(out, "{:>3}. {}", at + 1, printable(path))?;
    }
    Ok(())
}

/// Every candidate with its points, the rule and keyword that gave them, and what became of it.
pub fn write_explanation(out: &mut dyn Write, report: &SearchReport) -> io::Result<()> {
    writeln!(out, "{}", context::candidates(report.candidates.len(), report.examined))?;
    for one in &report.candidates {
        let mark = match one.decision {
            Decision::Kept => '+',
            Decision::Dropped => '-',
        };
        writeln!(out, "{mark} {:>2}  {}", one.score, printable(&one.path))?;
        let keyword = one.keyword.as_deref().map_or_else(String::new, |keyword| format!(" {keyword:?}"));
        let scope = match one.scope {
            Scope::Global => "Global",
            Scope::CurrentEpic => interface().say(context::CURRENT_EPIC),
            Scope::OtherEpic => interface().say(context::OTHER_EPIC),
        };
        let updated = one.updated.as_deref().map_or_else(String::new, |updated| format!(" · {updated}"));
        writeln!(out, "      {}{keyword} · {scope}{updated} · {}", one.rule.name(), one.reason)?;
    }
    Ok(())
}

/// One problem a line as `path:line: [code] message`, then the count.
pub fn write_lint(out: &mut dyn Write, report: &LintReport) -> io::Result<()> {
    for one in &report.problems {
        let line = one.line.map_or_else(String::new, |line| format!(":{line}"));
        let (path, message) = (printable(&one.path), printable(&one.message));
        writeln!(out, "{path}{line}: [{}] {message}", one.code.name())?;
    }
    writeln!(out, "{}", context::checked(report.documents, report.total))
}

/// The text with control characters escaped (`\u{1b}`).
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_control() { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown.into()
}
