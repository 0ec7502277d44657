//! From what a caller calls a chapter or table to the node or table itself. What cannot be found is an error with the
//! nearest that exist; nothing is guessed.

use regreader_messages::tools;
use regreader_model::{
    ChapterNode, Citation, DocumentStructure, DomainError, LogicalTable, PageNumber, TableRegistry,
};
use regreader_search::{find_chapters, near_chapters};
use regreader_text::reference::clause_candidates;
use regreader_text::script::language_of;
use regreader_text::{canonical_table_number, fold, parse_reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many near names an error offers.
const NEAR: usize = 5;

/// The chapter that a number (`2.1.4`, `第六章`, `附录A`), title (`故障处理`), heading (`2.1.4 故障处理`) or path
/// (`运行管理 > 故障处理`) names. Of several, the first in the document.
pub fn section<'a>(structure: &'a DocumentStructure, name: &str) -> Result<&'a ChapterNode, DomainError> {
    let named =
        structure.node(name).or_else(|| structure.node(find_chapters(structure, name).first()?.as_str()));
    let referred = || {
        let target = parse_reference(name).filter(|target| target.regulation.is_none())?;
        clause_candidates(&target)
            .iter()
            .find_map(|number| structure.iter().find(|node| node.section_number == *number))
    };
    named.or_else(referred).ok_or_else(|| DomainError::ChapterNotFound {
        reg_id: structure.reg_id.clone(),
        section_number: name.chars().take(80).collect(),
        candidates: near_sections(structure, name),
    })
}

/// Chapters a caller may have meant.
pub fn near_sections(structure: &DocumentStructure, name: &str) -> Vec<String> {
    near_chapters(structure, name, NEAR)
}

/// The table that an id (`t0012`, also of a segment) or number (`表6-2`, `6-2`) names.
pub fn table<'a>(tables: &'a TableRegistry, name: &str) -> Result<&'a LogicalTable, DomainError> {
    let name = name.trim();
    let number = canonical_table_number(name).unwrap_or_else(|| fold(name));
    let found = tables
        .get(name)
        .or_else(|| {
            tables
                .tables
                .values()
                .find(|table| table.number.as_deref().is_some_and(|n| fold(n) == fold(&number)))
        })
        .or_else(|| {
            let folded = fold(name);
            tables.tables.values().find(|table| table.caption.as_deref().is_some_and(|c| fold(c) == folded))
        });
    found.ok_or_else(|| DomainError::TableNotFound {
        reg_id: tables.reg_id.clone(),
        table_id: name.chars().take(80).collect(),
        candidates: near_tables(tables, &number),
    })
}

/// What a table is called: its number with the word of its own language, `表6-2` or `Table R1`.
pub fn table_label(table: &LogicalTable) -> Option<String> {
    let number = table.number.as_ref()?;
    let language = language_of(table.caption.as_deref().unwrap_or(number));
    Some(tools::table_label(language, number))
}

/// Tables a caller may have meant, as `表6-2`.
pub fn near_tables(tables: &TableRegistry, number: &str) -> Vec<String> {
    let mut scored: Vec<(usize, &LogicalTable)> = tables
        .tables
        .values()
        .filter(|table| table.number.is_some())
        .map(|table| (common_prefix(table.number.as_deref().unwrap_or_default(), number), table))
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().take(NEAR).filter_map(|(_, table)| table_label(table)).collect()
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count()
}

/// A place that can be cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Regulation that the place belongs to.
    pub reg_id: String,
    /// Page, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_num: Option<PageNumber>,
    /// Block that the place is, or stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// Logical table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_id: Option<String>,
    /// The citation as an answer prints it.
    pub citation: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Citation,
}
