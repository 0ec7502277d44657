//! `list_changes`: everything that changed from one edition to another.

use std::collections::BTreeSet;
use std::sync::Arc;

use regreader_changes::{ChangeKind, ChangeRecord, Changes, DiffOptions, EditionText, Place, diff};
use regreader_model::{DocumentStructure, PageDocument, PageNumber, TableRegistry};
use regreader_store::RegulationReader;
use regreader_text::fold;

use crate::cursor::Cursor;
use crate::places::section;
use crate::requests as rq;
use crate::results as rs;
use crate::{ToolError, Toolbox};

/// Steps of a comparison, as they are told.
const STEPS: usize = 3;
/// Most records in one result.
const MAX_RECORDS: u32 = 200;

/// An edition read whole.
pub(crate) struct WholeEdition {
    pub reader: Arc<RegulationReader>,
    pub pages: Vec<PageDocument>,
    pub structure: Arc<DocumentStructure>,
    pub tables: Arc<TableRegistry>,
}

impl WholeEdition {
    /// Reads every page.
    pub(crate) fn read(reader: Arc<RegulationReader>) -> Result<Self, ToolError> {
        let pages = reader.all_pages().collect::<Result<Vec<_>, _>>()?;
        let (structure, tables) = (reader.structure()?, reader.tables()?);
        Ok(Self { reader, pages, structure, tables })
    }

    /// What is compared.
    pub(crate) fn text(&self) -> EditionText<'_> {
        EditionText {
            info: self.reader.info(),
            pages: &self.pages,
            structure: &self.structure,
            tables: &self.tables,
        }
    }
}

impl Toolbox {
    /// The changes that were asked for, a part at a time.
    pub fn list_changes(&self, request: &rq::ListChanges) -> Result<rs::ChangeList, ToolError> {
        let (old, new) = (self.reader(&request.old)?, self.reader(&request.new)?);
        let stamp = format!("{:.4}{:.4}", old.content_hash(), new.content_hash());
        let start = Cursor::read(request.cursor.as_deref(), &stamp)?;
        let wanted = self.changes_wanted(request)?;
        let editions = self.editions_on(None)?;
        let limit = request.limit.clamp(1, MAX_RECORDS) as usize;
        let total = wanted.changes.len();
        let mut left = self.options.max_chars;
        let mut changes: Vec<ChangeRecord> = Vec::new();
        for record in wanted.changes.into_iter().skip(start).take(limit) {
            let size = text_size(&record);
            // A single change may be longer than the cap; it is then the only one of its part.
            if size > left && !changes.is_empty() {
                break;
            }
            left = left.saturating_sub(size);
            changes.push(record);
        }
        let end = start + changes.len();
        let next = (end < total).then(|| Cursor::write(end, &stamp));
        Ok(rs::ChangeList {
            old: editions.view(old.info()),
            new: editions.view(new.info()),
            changes,
            counts: wanted.counts,
            total: total as u32,
            truncated: next.is_some(),
            next,
        })
    }

    /// All changes that a request asks for, whatever their number. The count of format differences is always given.
    pub fn changes_wanted(&self, request: &rq::ListChanges) -> Result<Changes, ToolError> {
        let (old, new) = (self.reader(&request.old)?, self.reader(&request.new)?);
        let all = self.all_changes(&old, &new)?;
        let chapter = request.chapter.as_deref().map(|name| clauses_of(name, &old, &new)).transpose()?;
        let entities: Vec<String> = self.spellings(&request.entities);
        let format = all.counts.get(ChangeKind::Format.name()).copied();
        let is_wanted = |record: &&ChangeRecord| {
            let kind = if request.kinds.is_empty() {
                record.kind != ChangeKind::Format
            } else {
                request.kinds.contains(&record.kind)
            };
            kind && chapter.as_ref().is_none_or(|chapter| stands_in(record, chapter))
                && (entities.is_empty() || concerns(record, &entities))
        };
        let mut wanted = Changes::new(all.changes.iter().filter(is_wanted).cloned().collect());
        if let Some(format) = format {
            wanted.counts.insert(ChangeKind::Format.name().to_owned(), format);
        }
        Ok(wanted)
    }

    /// All changes between two editions, computed once for their content.
    fn all_changes(
        &self,
        old: &Arc<RegulationReader>,
        new: &Arc<RegulationReader>,
    ) -> Result<Arc<Changes>, ToolError> {
        let key = format!("{}@{} {}@{}", old.reg_id(), old.content_hash(), new.reg_id(), new.content_hash());
        self.kept.changes(&key, || {
            let step = |doing: &str, done| self.tell(|| doing.to_owned(), done, STEPS);
            step("读取旧版", 0);
            let before = WholeEdition::read(Arc::clone(old))?;
            step("读取新版", 1);
            let after = WholeEdition::read(Arc::clone(new))?;
            step("对齐并比较", 2);
            Ok(diff(&before.text(), &after.text(), &DiffOptions::default()))
        })
    }
}

fn text_size(record: &ChangeRecord) -> usize {
    let texts = [&record.old_text, &record.new_text, &record.words];
    texts.into_iter().flatten().map(|text| text.chars().count()).sum::<usize>() + 400
}

/// The numbers of a chapter and everything below it, in either edition.
fn clauses_of(
    name: &str,
    old: &RegulationReader,
    new: &RegulationReader,
) -> Result<[ChapterPages; 2], ToolError> {
    let of = |reader: &RegulationReader| -> Result<ChapterPages, ToolError> {
        let structure = reader.structure()?;
        let node = section(&structure, name)?;
        let below = structure.iter().filter(|other| {
            structure.ancestors(&other.node_id).any(|ancestor| ancestor.node_id == node.node_id)
        });
        let (first, last) = node.page_range();
        let numbers =
            below.map(|node| fold(node.section_number.as_str())).filter(|number| !number.is_empty());
        Ok(ChapterPages { numbers: numbers.collect(), first, last })
    };
    // A chapter that only one edition has is still a chapter.
    match (of(old), of(new)) {
        (Ok(a), Ok(b)) => Ok([a, b]),
        (Ok(a), Err(_)) => Ok([a, ChapterPages::none()]),
        (Err(_), Ok(b)) => Ok([ChapterPages::none(), b]),
        (Err(_), Err(error)) => Err(error),
    }
}

/// Where a chapter stands.
struct ChapterPages {
    numbers: BTreeSet<String>,
    first: PageNumber,
    last: PageNumber,
}

impl ChapterPages {
    fn none() -> Self {
        Self { numbers: BTreeSet::new(), first: PageNumber::FIRST, last: PageNumber::FIRST }
    }

    fn holds(&self, place: &Place) -> bool {
        let clause = place.clause.as_deref().map(|clause| fold(clause.rsplit('/').next().unwrap_or(clause)));
        let on_pages = (self.first.get()..=self.last.get()).contains(&place.page);
        match clause {
            Some(clause) => on_pages && self.numbers.contains(&clause),
            None => on_pages && !self.numbers.is_empty(),
        }
    }
}

fn stands_in(record: &ChangeRecord, [old, new]: &[ChapterPages; 2]) -> bool {
    record.old.as_ref().is_some_and(|place| old.holds(place))
        || record.new.as_ref().is_some_and(|place| new.holds(place))
        || record.others.iter().any(|place| old.holds(place) || new.holds(place))
}

/// Whether a record names one of some spellings, folded.
fn concerns(record: &ChangeRecord, spellings: &[String]) -> bool {
    let mut texts: Vec<&str> = Vec::new();
    texts.extend([&record.old_text, &record.new_text].into_iter().flatten().map(String::as_str));
    for place in [&record.old, &record.new].into_iter().flatten().chain(&record.others) {
        texts.extend(place.title.as_deref());
        texts.extend(place.column.as_deref());
        texts.extend(place.row_label.iter().map(String::as_str));
    }
    let folded: Vec<String> =
        texts.into_iter().chain(record.entities.iter().map(String::as_str)).map(fold).collect();
    folded.iter().any(|text| spellings.iter().any(|spelling| text.contains(spelling.as_str())))
}
