//! The changes between two editions as a document that the reader offers.

use regreader_changes::export::{Heading, docx, html, xlsx};
use regreader_changes::{ChangeRecord, Changes};
use regreader_tools::{EditionView, ListChanges, Tool, Toolbox};
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
    let kinds = serde_json::from_value(json!(asked.kind.iter().collect::<Vec<_>>()));
    let mut request = ListChanges {
        kinds: kinds.map_err(|error| Failure::new(FailureKind::Invalid, error.to_string()))?,
        chapter: chapter.map(str::to_owned),
        entities: entities.to_vec(),
        ..ListChanges::between(&asked.old, &asked.new)
    };
    loop {
        let list = request.run(toolbox).map_err(|error| super::failure(&error))?;
        for record in list.changes {
            if !records.contains(&record) {
                records.push(record);
            }
        }
        request.cursor = list.next;
        if request.cursor.is_none() || records.len() > MAX_RECORDS {
            return Ok((list.old, list.new));
        }
    }
}
