//! `list_changes`: everything that changed from one edition to another.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use regreader_changes::describe::summary;
use regreader_changes::{ChangeKind, ChangeRecord, Changes, DiffOptions, EditionText, Place, diff};
use regreader_messages::{Word, tools};
use regreader_model::{DocumentStructure, PageDocument, PageNumber, TableRegistry};
use regreader_store::RegulationReader;
use regreader_text::fold;
use regreader_text::script::language_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cursor::Cursor;
use crate::editions::EditionView;
use crate::places::section;
use crate::tool::{Category, Phase, Tool};
use crate::{Sheet, ToolError, Toolbox};

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

/// Arguments of `list_changes`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListChanges {
    /// 旧版的规程标识
    pub old: String,
    /// 新版的规程标识
    pub new: String,
    /// 只要这些类别；不填则除 format（仅格式不同，只计数）外全部列出
    #[serde(default)]
    pub kinds: Vec<ChangeKind>,
    /// 只要这一章节之内的改动：新版或旧版的编号或标题
    pub chapter: Option<String>,
    /// 只要涉及这些设备、线路、断面、厂站或术语的改动（关注清单）
    #[serde(default)]
    pub entities: Vec<String>,
    /// 最多返回几条
    #[serde(default = "crate::tool::number::<100>")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: u32,
    /// 从上次返回的 next 继续
    pub cursor: Option<String>,
}

/// Result of `list_changes`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChangeList {
    /// Older edition.
    pub old: EditionView,
    /// Newer edition.
    pub new: EditionView,
    /// Changes of this part of the list, limits first.
    pub changes: Vec<ChangeRecord>,
    /// How many changes there are of each kind, of those that were asked for; `format` counts spellings only.
    pub counts: BTreeMap<String, usize>,
    /// Changes that were asked for, in all.
    pub total: u32,
    /// There is more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl ListChanges {
    /// All changes between two editions, as many at once as the tool gives.
    pub fn between(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self {
            old: old.into(),
            new: new.into(),
            kinds: Vec::new(),
            chapter: None,
            entities: Vec::new(),
            limit: MAX_RECORDS,
            cursor: None,
        }
    }
}

impl Tool for ListChanges {
    const NAME: &'static str = "list_changes";
    const COMMAND: &'static str = "changes";
    const TITLE: &'static str = "版本改动";
    const DESCRIPTION: &'static str = "列出同一规程两个版本之间的全部改动，数值在前：条款、表格、行、单元格、注释的增删改，编号变动、移动、拆分、合并；数值给出旧值、新值、单位和差值。可按类别、章节、设备筛选。";
    const CATEGORY: Category = Category::Discover;
    const PHASE: Phase = Phase::Discovery;
    type Response = ChangeList;

    /// The changes that were asked for, a part at a time.
    fn run(&self, toolbox: &Toolbox) -> Result<ChangeList, ToolError> {
        let (old, new) = (toolbox.reader(&self.old)?, toolbox.reader(&self.new)?);
        let stamp = format!("{:.4}{:.4}", old.content_hash(), new.content_hash());
        let start = Cursor::read(self.cursor.as_deref(), &stamp)?;
        let wanted = toolbox.changes_wanted(self)?;
        let editions = toolbox.editions_on(None)?;
        let limit = self.limit.clamp(1, MAX_RECORDS) as usize;
        let total = wanted.changes.len();
        let mut left = toolbox.options.max_chars;
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
        Ok(ChangeList {
            old: editions.view(old.info()),
            new: editions.view(new.info()),
            changes,
            counts: wanted.counts,
            total: total as u32,
            truncated: next.is_some(),
            next,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        let language = language_of(&response.new.title);
        sheet.line(&sheet.bold(&format!("{} → {}", response.old.name, response.new.name)))?;
        for kind in ChangeKind::ALL {
            let records: Vec<&ChangeRecord> =
                response.changes.iter().filter(|record| record.kind == kind).collect();
            if !records.is_empty() {
                sheet.line(&sheet.bold(&format!("{} ({})", kind.label(language), records.len())))?;
            }
            records.iter().try_for_each(|record| sheet.line(&format!("  {}", summary(record, language))))?;
        }
        let format = response.counts.get(ChangeKind::Format.name()).copied().unwrap_or(0);
        if format > 0 && !response.changes.iter().any(|record| record.kind == ChangeKind::Format) {
            sheet.note(&sheet.dim(&tools::format_only(language, format)));
        }
        if response.changes.is_empty() {
            sheet.note(language.say(tools::NO_CHANGES));
        }
        sheet.next(response.next.as_deref());
        Ok(())
    }
}

impl Toolbox {
    /// All changes that a request asks for, whatever their number. The count of format differences is always given.
    pub fn changes_wanted(&self, request: &ListChanges) -> Result<Changes, ToolError> {
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
            let step = |doing: Word, done| self.tell(|| doing.into(), done, STEPS);
            step(tools::READ_OLD, 0);
            let before = WholeEdition::read(Arc::clone(old))?;
            step(tools::READ_NEW, 1);
            let after = WholeEdition::read(Arc::clone(new))?;
            step(tools::ALIGN, 2);
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
