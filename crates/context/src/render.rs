//! The readable form of results, for a terminal. Plain text; colours and streams are the caller's.

use std::io::{self, Write};

use crate::lint::LintReport;
use crate::model::{Decision, Scope, SearchReport, SearchResult};

/// The message, then one numbered path a line.
pub fn write_result(out: &mut dyn Write, result: &SearchResult) -> io::Result<()> {
    writeln!(out, "{}", result.message)?;
    for (at, path) in result.contexts.iter().enumerate() {
        writeln!(out, "{:>3}. {path}", at + 1)?;
    }
    Ok(())
}

/// Every candidate with its points, the rule and keyword that gave them, and what became of it.
pub fn write_explanation(out: &mut dyn Write, report: &SearchReport) -> io::Result<()> {
    writeln!(out, "候选 {} 个（共检查 {} 个文档）", report.candidates.len(), report.examined)?;
    for one in &report.candidates {
        let mark = match one.decision {
            Decision::Kept => '+',
            Decision::Dropped => '-',
        };
        writeln!(out, "{mark} {:>2}  {}", one.score, one.path)?;
        let keyword = one.keyword.as_deref().map_or_else(String::new, |keyword| format!(" {keyword:?}"));
        let scope = match one.scope {
            Scope::Global => "Global",
            Scope::CurrentEpic => "当前 Epic",
            Scope::OtherEpic => "其他 Epic",
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
        writeln!(out, "{}{line}: [{}] {}", one.path, one.code.name(), one.message)?;
    }
    writeln!(out, "检查 {} 个文档，发现 {} 个问题", report.documents, report.total)
}
