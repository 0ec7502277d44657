//! The changes between two editions as a document that the reader offers.

use regreader_changes::export::{Heading, docx, html, xlsx};
use regreader_changes::{ChangeRecord, Changes};
use regreader_tools::Toolbox;
use regreader_tools::results::{ChangeList, EditionView};
use regreader_web::{ChangesAsked, DocumentFormat, Failure, FailureKind};
use serde_json::json;

/// Records that a document may hold.
const MAX_RECORDS: usize = 20_000;

/// The document. What the names ask for and what each watched chapter asks for is in it once.
pub fn document(toolbox: &Toolbox, asked: &ChangesAsked, format: DocumentFormat) -> Result<Vec<u8>, Failure> {
    let mut records: Vec<ChangeRecord> = Vec::new();
    let mut editions = None;
    if asked.chapters.is_empty() || !asked.entities.is_empty() {
        editions = Some(gather(toolbox, asked, asked.chapter.as_deref(), &asked.entities, &mut records)?);
    }
    for chapter in &asked.chapters {
        editions = Some(gather(toolbox, asked, Some(chapter), &[], &mut records)?);
    }
    let Some((old, new)) = editions else {
        return Err(Failure::new(FailureKind::Invalid, "old, new"));
    };
    let (heading, changes) = (Heading::new(&old.name, &new.name), Changes::new(records));
    let broken = |error: String| Failure::new(FailureKind::Broken, error);
    match format {
        DocumentFormat::Html => Ok(html(&changes, &heading).into_bytes()),
        DocumentFormat::Xlsx => xlsx(&changes, &heading).map_err(|error| broken(error.to_string())),
        DocumentFormat::Docx => docx(&changes, &heading).map_err(|error| broken(error.to_string())),
    }
}

/// Calls the tool until nothing is left, and adds what is not there yet.
fn gather(
    toolbox: &Toolbox,
    asked: &ChangesAsked,
    chapter: Option<&str>,
    entities: &[String],
    records: &mut Vec<ChangeRecord>,
) -> Result<(EditionView, EditionView), Failure> {
    let mut cursor: Option<String> = None;
    loop {
        let arguments = json!({
            "old": asked.old,
            "new": asked.new,
            "kinds": asked.kind.iter().collect::<Vec<_>>(),
            "chapter": chapter,
            "entities": entities,
            "limit": 200,
            "cursor": cursor,
        });
        let found = toolbox.call("list_changes", arguments).map_err(|error| super::failure(&error))?;
        let list: ChangeList = serde_json::from_value(found)
            .map_err(|error| Failure::new(FailureKind::Broken, error.to_string()))?;
        for record in list.changes {
            if !records.contains(&record) {
                records.push(record);
            }
        }
        cursor = list.next;
        if cursor.is_none() || records.len() > MAX_RECORDS {
            return Ok((list.old, list.new));
        }
    }
}
