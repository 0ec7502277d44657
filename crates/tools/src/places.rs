//! From what a caller calls a chapter or table to the node or table itself. What cannot be found is an error with the
//! nearest that exist; nothing is guessed.

use regreader_model::{ChapterNode, DocumentStructure, DomainError, LogicalTable, TableRegistry};
use regreader_text::reference::clause_candidates;
use regreader_text::{canonical_table_number, fold, parse_reference};

/// How many near names an error offers.
const NEAR: usize = 5;

/// The chapter that a number (`2.1.4`, `第六章`, `附录A`), title (`故障处理`), heading (`2.1.4 故障处理`) or path
/// (`运行管理 / 故障处理`) names. Of several, the first in the document.
pub fn section<'a>(structure: &'a DocumentStructure, name: &str) -> Result<&'a ChapterNode, DomainError> {
    find_section(structure, name).ok_or_else(|| DomainError::ChapterNotFound {
        reg_id: structure.reg_id.clone(),
        section_number: name.chars().take(80).collect(),
        candidates: near_sections(structure, name),
    })
}

fn find_section<'a>(structure: &'a DocumentStructure, name: &str) -> Option<&'a ChapterNode> {
    let name = name.trim();
    if let Some(node) = structure.node(name).or_else(|| structure.nodes_by_number(name).next()) {
        return Some(node);
    }
    if let Some(node) = parse_reference(name)
        .filter(|target| target.regulation.is_none())
        .and_then(|target| by_candidates(structure, &target))
    {
        return Some(node);
    }
    let parts: Vec<String> = name.split(['/', '>', '›']).map(fold).filter(|part| !part.is_empty()).collect();
    let (last, above) = parts.split_last()?;
    structure.iter().find(|node| is_called(node, last) && stands_below(structure, node, above))
}

fn by_candidates<'a>(
    structure: &'a DocumentStructure,
    target: &regreader_model::ReferenceTarget,
) -> Option<&'a ChapterNode> {
    clause_candidates(target).iter().find_map(|number| structure.iter().find(|node| node.section_number == *number))
}

fn is_called(node: &ChapterNode, folded: &str) -> bool {
    fold(&node.title) == *folded || fold(&node.heading()) == *folded || fold(node.section_number.as_str()) == *folded
}

/// Whether the names of a path are those of ancestors, in order, gaps allowed.
fn stands_below(structure: &DocumentStructure, node: &ChapterNode, above: &[String]) -> bool {
    let mut wanted = above.iter().rev().peekable();
    for ancestor in structure.ancestors(&node.node_id).skip(1) {
        if wanted.peek().is_some_and(|name| is_called(ancestor, name)) {
            wanted.next();
        }
    }
    wanted.peek().is_none()
}

/// Chapters a caller may have meant: same beginning of the number, or the words within the title.
pub fn near_sections(structure: &DocumentStructure, name: &str) -> Vec<String> {
    let folded = fold(name);
    let digits: String = folded.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
    let parent = digits.rsplit_once('.').map_or("", |(parent, _)| parent);
    let mut scored: Vec<(usize, usize, String)> = structure
        .iter()
        .enumerate()
        .filter_map(|(order, node)| {
            let number = fold(node.section_number.as_str());
            let by_number = common_prefix(&number, &digits);
            let sibling = !parent.is_empty() && number.rsplit_once('.').is_some_and(|(above, _)| above == parent);
            let by_title = !folded.is_empty() && fold(&node.title).contains(&folded);
            let score = by_number + if sibling { 10 } else { 0 } + if by_title { 20 } else { 0 };
            (score > 0).then(|| (score, order, node.heading()))
        })
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().take(NEAR).map(|(.., heading)| heading).collect()
}

/// The table that an id (`t0012`, also of a segment) or number (`表6-2`, `6-2`) names.
pub fn table<'a>(tables: &'a TableRegistry, name: &str) -> Result<&'a LogicalTable, DomainError> {
    let name = name.trim();
    let number = canonical_table_number(name).unwrap_or_else(|| fold(name));
    let found = tables
        .get(name)
        .or_else(|| tables.tables.values().find(|table| table.number.as_deref().is_some_and(|n| fold(n) == fold(&number))))
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

/// Tables a caller may have meant, as `表6-2`.
pub fn near_tables(tables: &TableRegistry, number: &str) -> Vec<String> {
    let mut scored: Vec<(usize, &LogicalTable)> = tables
        .tables
        .values()
        .filter(|table| table.number.is_some())
        .map(|table| (common_prefix(table.number.as_deref().unwrap_or_default(), number), table))
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().take(NEAR).filter_map(|(_, table)| Some(format!("表{}", table.number.as_ref()?))).collect()
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count()
}
