//! `find_mentions` and `trace_impact`: every place of the library that concerns a device, line, section, station or term.

use std::collections::BTreeMap;
use std::sync::Arc;

use regreader_changes::EntityCatalog;
use regreader_changes::mention::{Impact, RegulationTexts, trace};
use regreader_model::{
    Citation, CitationTarget, DomainError, Location, PageNumber, Reference, RegId, RegulationInfo,
    Resolution, TableId,
};
use regreader_text::fold;

use crate::changes::WholeEdition;
use crate::cursor::Cursor;
use crate::editions::EditionsOn;
use crate::requests as rq;
use crate::results as rs;
use crate::{ToolError, Toolbox};

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

impl Toolbox {
    /// Every place that names a thing.
    pub fn find_mentions(&self, request: &rq::FindMentions) -> Result<rs::ImpactList, ToolError> {
        self.trace_impact(&rq::TraceImpact {
            entity: request.entity.clone(),
            depth: 0,
            reg_ids: request.reg_ids.clone(),
            as_of: request.as_of.clone(),
            limit: request.limit,
            cursor: request.cursor.clone(),
        })
    }

    /// Every place that concerns a thing, in so many steps.
    pub fn trace_impact(&self, request: &rq::TraceImpact) -> Result<rs::ImpactList, ToolError> {
        let name = request.entity.trim();
        let invalid =
            |reason: &str| DomainError::InvalidArgument { name: "entity", reason: reason.to_owned() };
        if fold(name).trim().is_empty() || name.chars().count() > MAX_NAME {
            return Err(invalid("须为 1 至 100 个字的名称").into());
        }
        let editions = self.editions_on(request.as_of.as_deref())?;
        let chosen = chosen(&editions, &request.reg_ids)?;
        // What the library holds and the engine cannot open is not searched; the list says so.
        let listed_ids = self.library.ids()?;
        let known = |id: &RegId| editions.info(id).is_some();
        let mut unreadable: Vec<String> = if request.reg_ids.is_empty() {
            listed_ids.iter().filter(|id| !known(id)).map(ToString::to_string).collect()
        } else {
            Vec::new()
        };
        let mut texts: Vec<Arc<RegulationTexts>> = Vec::new();
        for (at, info) in chosen.iter().enumerate() {
            self.tell(|| format!("查阅 {}", info.reg_id), at, chosen.len());
            match self.folded(info) {
                Ok(folded) => texts.push(folded),
                // One regulation that cannot be read must not hide what stands in the others.
                Err(_) => unreadable.push(info.reg_id.to_string()),
            }
        }
        let spellings = self.spellings(std::slice::from_ref(&request.entity));
        let depth = request.depth.min(MAX_DEPTH);
        let references = if depth > 0 { self.leading(&chosen)? } else { BTreeMap::new() };
        let borrowed: Vec<&RegulationTexts> = texts.iter().map(AsRef::as_ref).collect();
        let found = trace(&borrowed, &references, &spellings, depth);
        let entity = self.equipment().get(name).map_or_else(|| name.to_owned(), |known| known.name.clone());
        let mut list = listed(&editions, &chosen, found, request)?;
        list.entity = entity;
        list.spellings = spellings;
        let pages = texts.iter().filter(|text| !text.unreadable().is_empty());
        list.unreadable_pages =
            pages.map(|text| (text.reg_id().to_owned(), text.unreadable().to_vec())).collect();
        list.complete = unreadable.is_empty();
        list.unreadable_regulations = unreadable;
        Ok(list)
    }

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
        let found = self
            .resolve_reference(&rq::ResolveReference {
                reg_id: from.to_string(),
                reference_text: reference.text.clone(),
                page_hint: Some(reference.page_num.get()),
                as_of: None,
            })
            .ok()?;
        let location = found.location?;
        let reg_id: RegId = location.reg_id.parse().ok()?;
        let page_num = PageNumber::new(location.page_num?)?;
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
    request: &rq::TraceImpact,
) -> Result<rs::ImpactList, ToolError> {
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
        Some(rs::ImpactRegulation {
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
    let mentions: Vec<rs::ImpactView> =
        found.into_iter().skip(start).take(limit).map(|impact| view(editions, impact)).collect();
    let end = start + mentions.len();
    let next = (end < total).then(|| Cursor::write(end, &stamp));
    Ok(rs::ImpactList {
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

fn view(editions: &EditionsOn, impact: Impact) -> rs::ImpactView {
    let place = &impact.mention.place;
    let target = match (&place.table, &place.clause) {
        (Some(table), _) => Some(CitationTarget::Table(table.clone())),
        (None, Some(clause)) => Some(CitationTarget::Clause(clause.clone())),
        (None, None) => None,
    };
    let info = place.reg_id.parse::<RegId>().ok().and_then(|id| editions.info(&id));
    let page = PageNumber::new(place.page).unwrap_or(PageNumber::FIRST);
    let citation = info.map_or_else(String::new, |info| Citation::of(info, Some(page), target).to_string());
    rs::ImpactView { impact, citation }
}
