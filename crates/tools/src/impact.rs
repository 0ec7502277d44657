//! `find_mentions` and `trace_impact`: every place of the library that concerns a device, line, section, station or term.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use regreader_changes::EntityCatalog;
use regreader_changes::describe::place_label;
use regreader_changes::mention::{Impact, Reason, RegulationTexts, trace};
use regreader_changes::status::EditionStatus;
use regreader_messages::{Word, errors, tools};
use regreader_model::{
    Citation, CitationTarget, DomainError, Location, PageNumber, Reference, RegId, RegulationInfo,
    Resolution, TableId,
};
use regreader_text::fold;
use regreader_text::script::language_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changes::WholeEdition;
use crate::cursor::Cursor;
use crate::editions::EditionsOn;
use crate::references::ResolveReference;
use crate::tool::{Category, Phase, Tool};
use crate::{Sheet, ToolError, Toolbox};

/// Most places in one result.
const MAX_PLACES: u32 = 200;
/// Most steps of a trace.
const MAX_DEPTH: u32 = 4;
/// Longer names are refused: nothing in a regulation is called so.
const MAX_NAME: usize = 100;
/// File in the library's folder with the equipment list: name, kind and aliases on each line.
pub const EQUIPMENT_FILE: &str = "equipment.csv";
/// A longer equipment list is not read.
const MAX_EQUIPMENT_BYTES: u64 = 16 << 20;

/// Arguments of `find_mentions`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindMentions {
    /// 设备、线路、断面、厂站或术语的名称；台账中的别名一并查找
    pub entity: String,
    /// 只查这些规程；不填则查全部
    #[serde(default)]
    pub reg_ids: Vec<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
    /// 最多返回几条
    #[serde(default = "crate::tool::number::<100>")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: u32,
    /// 从上次返回的 next 继续
    pub cursor: Option<String>,
}

/// Arguments of `trace_impact`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceImpact {
    /// 设备、线路、断面、厂站或术语的名称；台账中的别名一并查找
    pub entity: String,
    /// 追踪几层：0 只列指名之处，1 加上所在表的注释、所在列和引用它们的条款
    #[serde(default = "crate::tool::number::<1>")]
    #[schemars(range(max = 4))]
    pub depth: u32,
    /// 只查这些规程；不填则查全部
    #[serde(default)]
    pub reg_ids: Vec<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
    /// 最多返回几条
    #[serde(default = "crate::tool::number::<100>")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: u32,
    /// 从上次返回的 next 继续
    pub cursor: Option<String>,
}

/// Result of `find_mentions` and `trace_impact`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ImpactList {
    /// The thing asked about, as the list of things has it.
    pub entity: String,
    /// Spellings that were looked for, folded.
    pub spellings: Vec<String>,
    /// Day for which editions count as in force.
    pub as_of: String,
    /// Places in this part of the list, by regulation and page, editions in force first.
    pub mentions: Vec<ImpactView>,
    /// Regulations with such places.
    pub regulations: Vec<ImpactRegulation>,
    /// All places.
    pub total: u32,
    /// Every readable page was searched.
    pub complete: bool,
    /// Pages that could not be read, by regulation: nothing is known about them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable_pages: BTreeMap<String, Vec<u32>>,
    /// Regulations that could not be opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable_regulations: Vec<String>,
    /// There is more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A place that concerns the thing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ImpactView {
    /// Place, reason and way.
    #[serde(flatten)]
    pub impact: Impact,
    /// The citation as an answer prints it.
    pub citation: String,
}

/// A regulation with places that concern the thing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ImpactRegulation {
    /// Id of the regulation.
    pub reg_id: String,
    /// Title of the regulation.
    pub title: String,
    /// Places in it.
    pub count: u32,
    /// Status on the day asked about.
    pub status: EditionStatus,
}

impl Tool for FindMentions {
    const NAME: &'static str = "find_mentions";
    const COMMAND: &'static str = "impact";
    const TITLE: &'static str = "指名之处";
    const DESCRIPTION: &'static str = "列出全库中指名某设备、线路、断面、厂站或术语的每一处（条款、表格行、单元格、表头、注释），含页码与理由；结果完整并给出总数和无法读取的页。";
    const CATEGORY: Category = Category::Discover;
    const PHASE: Phase = Phase::Discovery;
    type Response = ImpactList;

    /// Every place that names a thing.
    fn run(&self, toolbox: &Toolbox) -> Result<ImpactList, ToolError> {
        TraceImpact {
            entity: self.entity.clone(),
            depth: 0,
            reg_ids: self.reg_ids.clone(),
            as_of: self.as_of.clone(),
            limit: self.limit,
            cursor: self.cursor.clone(),
        }
        .run(toolbox)
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        TraceImpact::render(response, sheet)
    }

    fn found_nothing(response: &Self::Response) -> bool {
        TraceImpact::found_nothing(response)
    }
}

impl Tool for TraceImpact {
    const NAME: &'static str = "trace_impact";
    const COMMAND: &'static str = "impact";
    const TITLE: &'static str = "影响追踪";
    const DESCRIPTION: &'static str =
        "从指名某设备之处出发，追踪所在表的注释、所在列的各行，以及引用这些位置的条款，给出层次与经由。";
    const CATEGORY: Category = Category::Discover;
    const PHASE: Phase = Phase::Discovery;
    type Response = ImpactList;

    /// Every place that concerns a thing, in so many steps.
    fn run(&self, toolbox: &Toolbox) -> Result<ImpactList, ToolError> {
        let name = self.entity.trim();
        let invalid = |reason: Word| DomainError::InvalidArgument { name: "entity", reason: reason.into() };
        if fold(name).trim().is_empty() || name.chars().count() > MAX_NAME {
            return Err(invalid(errors::NAME_LENGTH).into());
        }
        let editions = toolbox.editions_on(self.as_of.as_deref())?;
        let chosen = chosen(&editions, &self.reg_ids)?;
        // What the library holds and the engine cannot open is not searched; the list says so.
        let listed_ids = toolbox.library.ids()?;
        let known = |id: &RegId| editions.info(id).is_some();
        let mut unreadable: Vec<String> = if self.reg_ids.is_empty() {
            listed_ids.iter().filter(|id| !known(id)).map(ToString::to_string).collect()
        } else {
            Vec::new()
        };
        let mut texts: Vec<Arc<RegulationTexts>> = Vec::new();
        for (at, info) in chosen.iter().enumerate() {
            toolbox.tell(|| tools::reading(&info.reg_id), at, chosen.len());
            match toolbox.folded(info) {
                Ok(folded) => texts.push(folded),
                // One regulation that cannot be read must not hide what stands in the others.
                Err(_) => unreadable.push(info.reg_id.to_string()),
            }
        }
        let spellings = toolbox.spellings(std::slice::from_ref(&self.entity));
        let depth = self.depth.min(MAX_DEPTH);
        let references = if depth > 0 { toolbox.leading(&chosen)? } else { BTreeMap::new() };
        let borrowed: Vec<&RegulationTexts> = texts.iter().map(AsRef::as_ref).collect();
        let found = trace(&borrowed, &references, &spellings, depth);
        let entity =
            toolbox.equipment().get(name).map_or_else(|| name.to_owned(), |known| known.name.clone());
        let mut list = listed(&editions, &chosen, found, self)?;
        list.entity = entity;
        list.spellings = spellings;
        let pages = texts.iter().filter(|text| !text.unreadable().is_empty());
        list.unreadable_pages =
            pages.map(|text| (text.reg_id().to_owned(), text.unreadable().to_vec())).collect();
        list.complete = unreadable.is_empty();
        list.unreadable_regulations = unreadable;
        Ok(list)
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        let language = language_of(&response.entity);
        for regulation in &response.regulations {
            let (status, count) = (regulation.status.status, regulation.count);
            let status = language.say(status.label());
            let title = format!("{} {} ({status}) {count}", regulation.reg_id, regulation.title);
            sheet.line(&sheet.bold(&title))?;
            let own = |view: &&ImpactView| view.impact.mention.place.reg_id == regulation.reg_id;
            for view in response.mentions.iter().filter(own) {
                let mention = &view.impact.mention;
                let via = view.impact.via.as_deref().map_or_else(String::new, |via| format!(" ← {via}"));
                let place = place_label(&mention.place, language);
                let (reason, text) = (language.say(reason(mention.reason)), mention.text.replace('\n', " "));
                sheet.line(&format!("  P{} {place} [{reason}{via}] {text}", mention.place.page))?;
            }
        }
        let (total, day) = (response.total, &response.as_of);
        let counted = if response.complete { tools::all_places } else { tools::some_places };
        sheet.line(&counted(language, total, day))?;
        for (reg_id, pages) in &response.unreadable_pages {
            let pages: Vec<String> = pages.iter().map(ToString::to_string).collect();
            let text = language.say(tools::PAGES_UNREADABLE);
            sheet.warning(&format!("{reg_id} {text}: {}", pages.join(", ")));
        }
        for reg_id in &response.unreadable_regulations {
            let text = language.say(tools::NOT_OPENED);
            sheet.warning(&format!("{text} {reg_id}"));
        }
        Ok(())
    }

    fn found_nothing(response: &Self::Response) -> bool {
        response.total == 0
    }
}

impl Toolbox {
    /// The folded spellings of some things: those of the equipment list, else the name itself.
    pub(crate) fn spellings(&self, names: &[String]) -> Vec<String> {
        let equipment = if names.is_empty() { EntityCatalog::default() } else { self.equipment() };
        let mut spellings: Vec<String> = Vec::new();
        for name in names {
            let own = || vec![fold(name).trim().to_owned()];
            let keys = equipment.get(name).map_or_else(own, |entity| entity.keys.clone());
            for key in keys.into_iter().filter(|key| !key.is_empty()) {
                if !spellings.contains(&key) {
                    spellings.push(key);
                }
            }
        }
        spellings
    }

    /// The imported equipment list; empty where there is none. One that cannot be read counts as none: names are then found
    /// by their own spelling only, and `regreader equipment check` says what is wrong.
    pub(crate) fn equipment(&self) -> EntityCatalog {
        let mut catalog = EntityCatalog::default();
        let path = self.library.root().join(EQUIPMENT_FILE);
        let small =
            std::fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_EQUIPMENT_BYTES);
        if small && let Ok(text) = std::fs::read_to_string(&path) {
            let _ = catalog.import_csv(&text);
        }
        catalog
    }

    fn folded(&self, info: &RegulationInfo) -> Result<Arc<RegulationTexts>, ToolError> {
        let hash = info.content_hash.as_deref().unwrap_or_default();
        self.kept.texts(&info.reg_id, hash, || {
            let edition = WholeEdition::read(self.open(&info.reg_id)?)?;
            Ok(RegulationTexts::new(&edition.text()))
        })
    }

    /// The references of the regulations with the place each leads to, also in another regulation of the library.
    fn leading(
        &self,
        chosen: &[&RegulationInfo],
    ) -> Result<BTreeMap<String, Vec<(Reference, Location)>>, ToolError> {
        let mut leading = BTreeMap::new();
        for info in chosen {
            let Ok(reader) = self.open(&info.reg_id) else { continue };
            let mut list = Vec::new();
            for reference in &reader.references()?.references {
                let location = match &reference.resolution {
                    Resolution::Resolved { location } => Some(location.clone()),
                    Resolution::External => self.external(&info.reg_id, reference),
                    Resolution::Unresolved { .. } => None,
                };
                list.extend(location.map(|location| (reference.clone(), location)));
            }
            leading.insert(info.reg_id.to_string(), list);
        }
        Ok(leading)
    }

    /// Where a reference to another regulation leads; none when that one is not in the library or has no such place.
    fn external(&self, from: &RegId, reference: &Reference) -> Option<Location> {
        let found = ResolveReference {
            reg_id: from.to_string(),
            reference_text: reference.text.clone(),
            page_hint: Some(reference.page_num.get()),
            as_of: None,
        }
        .run(self)
        .ok()?;
        let location = found.location?;
        let reg_id: RegId = location.reg_id.parse().ok()?;
        let page_num = location.page_num?;
        let block = location.block_id.clone();
        let node = block.as_deref().and_then(|block| {
            let page = self.open(&reg_id).ok()?.page(page_num).ok()?;
            page.content_blocks.into_iter().find(|one| one.block_id.as_str() == block)?.chapter_node_id
        });
        Some(Location {
            reg_id,
            page_num,
            node_id: node,
            table_id: location.table_id.map(TableId::new),
            annotation_id: None,
            block_id: None,
        })
    }
}

/// The regulations that are searched, those in force first.
fn chosen<'e>(editions: &'e EditionsOn, reg_ids: &[String]) -> Result<Vec<&'e RegulationInfo>, ToolError> {
    let mut chosen: Vec<&RegulationInfo> = if reg_ids.is_empty() {
        editions.infos()
    } else {
        let of = |name: &String| -> Result<&RegulationInfo, ToolError> {
            let reg_id: RegId = name.parse().map_err(DomainError::from)?;
            let missing = DomainError::RegulationNotFound { reg_id: reg_id.clone() };
            editions.info(&reg_id).ok_or_else(|| missing.into())
        };
        reg_ids.iter().map(of).collect::<Result<_, _>>()?
    };
    chosen.sort_by_key(|info| (!editions.may_apply(&info.reg_id), info.reg_id.clone()));
    chosen.dedup_by_key(|info| info.reg_id.clone());
    Ok(chosen)
}

/// A part of the list, with the counts of all of it.
fn listed(
    editions: &EditionsOn,
    chosen: &[&RegulationInfo],
    found: Vec<Impact>,
    request: &TraceImpact,
) -> Result<ImpactList, ToolError> {
    let rank: BTreeMap<&str, usize> =
        chosen.iter().enumerate().map(|(at, info)| (info.reg_id.as_str(), at)).collect();
    let mut found = found;
    found.sort_by_key(|impact| {
        let place = &impact.mention.place;
        (impact.depth, rank.get(place.reg_id.as_str()).copied(), place.page, place.row)
    });
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for impact in &found {
        *counts.entry(impact.mention.place.reg_id.as_str()).or_insert(0) += 1;
    }
    let regulations = chosen.iter().filter_map(|info| {
        Some(ImpactRegulation {
            count: *counts.get(info.reg_id.as_str())?,
            reg_id: info.reg_id.to_string(),
            title: info.title.clone(),
            status: editions.status(&info.reg_id),
        })
    });
    let regulations = regulations.collect();
    let total = found.len();
    let stamp = format!("{total:08x}");
    let start = Cursor::read(request.cursor.as_deref(), &stamp)?;
    let limit = request.limit.clamp(1, MAX_PLACES) as usize;
    let mentions: Vec<ImpactView> =
        found.into_iter().skip(start).take(limit).map(|impact| view(editions, impact)).collect();
    let end = start + mentions.len();
    let next = (end < total).then(|| Cursor::write(end, &stamp));
    Ok(ImpactList {
        entity: String::new(),
        spellings: Vec::new(),
        as_of: editions.day.to_string(),
        mentions,
        regulations,
        total: total as u32,
        complete: false,
        unreadable_pages: BTreeMap::new(),
        unreadable_regulations: Vec::new(),
        truncated: next.is_some(),
        next,
    })
}

fn view(editions: &EditionsOn, impact: Impact) -> ImpactView {
    let place = &impact.mention.place;
    let target = match (&place.table, &place.clause) {
        (Some(table), _) => Some(CitationTarget::Table(table.clone())),
        (None, Some(clause)) => Some(CitationTarget::Clause(clause.clone())),
        (None, None) => None,
    };
    let info = place.reg_id.parse::<RegId>().ok().and_then(|id| editions.info(&id));
    let page = PageNumber::new(place.page).unwrap_or(PageNumber::FIRST);
    let citation = info.map_or_else(String::new, |info| Citation::of(info, Some(page), target).to_string());
    ImpactView { impact, citation }
}

fn reason(reason: Reason) -> Word {
    match reason {
        Reason::Named => tools::REASON_NAMED,
        Reason::Heading => tools::REASON_HEADING,
        Reason::Caption => tools::REASON_CAPTION,
        Reason::RowKey => tools::REASON_ROW,
        Reason::ColumnHeader => tools::REASON_COLUMN,
        Reason::Cell => tools::REASON_CELL,
        Reason::Note => tools::REASON_NOTE,
        Reason::NoteOfTable => tools::REASON_NOTE_OF_TABLE,
        Reason::RefersTo => tools::REASON_REFERS,
    }
}
