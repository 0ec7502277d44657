//! Which edition is in force on a day.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use regreader_changes::status::{EditionStatus, Status, Statuses};
use regreader_messages::{answers, errors};
use regreader_model::{CivilDate, DomainError, RegId, RegulationInfo};
use regreader_search::{RegulationsSeen, SearchEngine, superseding};
use regreader_store::{ListEntry, now};
use regreader_text::script::language_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ToolError, Toolbox};

/// The regulations of a library with their status on one day.
pub(crate) struct EditionsOn {
    pub day: CivilDate,
    regulations: Regulations,
    statuses: Arc<Statuses>,
    /// Knows which editions can be searched; none when nothing was searched yet.
    engine: Option<Arc<SearchEngine>>,
    /// Newer editions with older ones, by their titles and by what is recorded of them.
    pairs: OnceLock<Vec<(RegId, RegId)>>,
}

/// Where the regulations are known from: an engine that is open anyway, else the library itself. A list or an impact query
/// needs no index, so it does not open one.
enum Regulations {
    Seen(RegulationsSeen),
    Listed(BTreeMap<RegId, RegulationInfo>),
}

/// An edition that took part.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct EditionView {
    /// Id of the regulation.
    pub reg_id: String,
    /// Title of the edition.
    pub title: String,
    /// Name used in citations.
    pub name: String,
    /// Status on the day asked about.
    pub status: EditionStatus,
}

impl Toolbox {
    /// The editions of the library on the day a caller gave, today without one.
    pub(crate) fn editions_on(&self, as_of: Option<&str>) -> Result<EditionsOn, ToolError> {
        let day = day(as_of)?;
        let engine = self.engine_if_open();
        if let Some(seen) = engine.as_ref().and_then(|engine| engine.regulations_seen().ok()) {
            let statuses = self.kept.statuses(&seen);
            return Ok(EditionsOn {
                day,
                regulations: Regulations::Seen(seen),
                statuses,
                engine,
                pairs: OnceLock::new(),
            });
        }
        let infos: BTreeMap<RegId, RegulationInfo> = self
            .library
            .list()?
            .into_iter()
            .filter_map(|entry| match entry {
                ListEntry::Regulation(info) => Some((info.reg_id.clone(), info)),
                ListEntry::Broken { .. } => None,
            })
            .collect();
        let statuses = Arc::new(Statuses::new(infos.values(), &superseding(infos.values())));
        Ok(EditionsOn {
            day,
            regulations: Regulations::Listed(infos),
            statuses,
            engine: None,
            pairs: OnceLock::new(),
        })
    }
}

impl Toolbox {
    /// What a reading tool says first about an edition that is not in force on the day. Without a day it is said only
    /// where the statuses are known anyway, because reading a page must not read the whole library.
    pub(crate) fn edition_notice(
        &self,
        info: &RegulationInfo,
        as_of: Option<&str>,
    ) -> Result<Option<String>, ToolError> {
        if as_of.is_none() && self.engine_if_open().is_none() {
            return Ok(None);
        }
        Ok(self.editions_on(as_of)?.warning(info))
    }
}

impl EditionsOn {
    /// Of editions that one name fits, the one that is in force, and of several such the newest: an undated reference goes
    /// to the edition in force. Where none is in force, the newest.
    pub(crate) fn in_force<'a>(
        &self,
        candidates: impl IntoIterator<Item = &'a RegulationInfo>,
    ) -> Option<&'a RegulationInfo> {
        candidates
            .into_iter()
            .max_by_key(|info| (self.may_apply(&info.reg_id), &info.effective_from, &info.reg_id))
    }

    /// Status of one edition on that day.
    pub(crate) fn status(&self, reg_id: &RegId) -> EditionStatus {
        self.statuses.at(reg_id, self.day)
    }

    /// Whether an answer may be taken from an edition on that day.
    pub(crate) fn may_apply(&self, reg_id: &RegId) -> bool {
        self.status(reg_id).status.may_apply()
    }

    /// What is known about a regulation.
    pub(crate) fn info(&self, reg_id: &RegId) -> Option<&RegulationInfo> {
        match &self.regulations {
            Regulations::Seen(seen) => seen.get(reg_id),
            Regulations::Listed(infos) => infos.get(reg_id),
        }
    }

    /// What is known about every regulation.
    pub(crate) fn infos(&self) -> Vec<&RegulationInfo> {
        match &self.regulations {
            Regulations::Seen(seen) => seen.iter().collect(),
            Regulations::Listed(infos) => infos.values().collect(),
        }
    }

    /// Newer editions with the older ones whose place they took.
    pub(crate) fn superseding(&self) -> BTreeMap<RegId, RegId> {
        match &self.regulations {
            Regulations::Seen(seen) => seen.superseding(),
            Regulations::Listed(infos) => superseding(infos.values()),
        }
    }

    /// An edition with its status.
    pub(crate) fn view(&self, info: &RegulationInfo) -> EditionView {
        EditionView {
            reg_id: info.reg_id.to_string(),
            title: info.title.clone(),
            name: info.short_name().to_owned(),
            status: self.status(&info.reg_id),
        }
    }

    /// What to say before anything is read from an edition that is not in force; none for one that may apply.
    pub(crate) fn warning(&self, info: &RegulationInfo) -> Option<String> {
        let status = self.status(&info.reg_id);
        if status.status.may_apply() {
            return None;
        }
        let (name, day) = (info.short_name(), self.day);
        let language = language_of(&info.title);
        if status.status == Status::NotYetInForce {
            return Some(answers::not_yet_in_force(
                language,
                name,
                day,
                status.effective.unwrap_or_default(),
            ));
        }
        let successor = status.replaced_by.as_deref();
        let by = successor.map(|by| answers::replaced_by(language, by)).unwrap_or_default();
        let warning = answers::no_longer_in_force(language, name, day) + &by;
        let is_here = |by: &str| by.parse::<RegId>().is_ok_and(|by| self.info(&by).is_some());
        Some(match successor {
            Some(by) if !is_here(by) => answers::successor_missing(language, warning),
            Some(_) if self.is_nearest_readable(&info.reg_id) => answers::successor_unread(language, warning),
            _ => warning,
        })
    }

    /// Whether an edition that is not in force is the nearest to it that can be searched: no edition of the same
    /// regulation that may apply has a text here, so this one must not be hidden for them. Of several such editions it is the
    /// one that came into force last, and where none did, the one that will come first.
    pub(crate) fn is_nearest_readable(&self, reg_id: &RegId) -> bool {
        let Some(engine) = &self.engine else { return false };
        let series = self.series(reg_id);
        let readable: Vec<&RegId> = series.iter().filter(|id| engine.has_text(id)).collect();
        if readable.iter().any(|id| self.may_apply(id)) {
            return false;
        }
        let day = self.day.to_string();
        let nearest = readable.into_iter().max_by_key(|id| {
            let effective = self.status(id).effective;
            let upcoming = effective.clone().filter(|from| *from > day);
            (upcoming.is_none(), upcoming.map(Reverse), effective, (*id).clone())
        });
        nearest == Some(reg_id)
    }

    /// The editions of the library that stand for the same regulation as one of them, that one too.
    fn series(&self, reg_id: &RegId) -> BTreeSet<RegId> {
        let pairs = self.pairs.get_or_init(|| self.newer_and_older());
        let mut series = BTreeSet::from([reg_id.clone()]);
        let mut reached = vec![reg_id.clone()];
        while let Some(edition) = reached.pop() {
            let beside = pairs.iter().filter_map(|(newer, older)| match () {
                () if *newer == edition => Some(older),
                () if *older == edition => Some(newer),
                () => None,
            });
            for id in beside {
                if series.insert(id.clone()) {
                    reached.push(id.clone());
                }
            }
        }
        series
    }

    fn newer_and_older(&self) -> Vec<(RegId, RegId)> {
        let replaced = self.infos().into_iter().filter_map(|info| {
            let by: RegId = self.status(&info.reg_id).replaced_by?.parse().ok()?;
            self.info(&by).is_some().then(|| (by, info.reg_id.clone()))
        });
        self.superseding().into_iter().chain(replaced).collect()
    }
}

/// A day that a caller wrote, or today.
fn day(as_of: Option<&str>) -> Result<CivilDate, DomainError> {
    match as_of {
        Some(text) => text.trim().parse().map_err(|error: regreader_model::InvalidDate| {
            DomainError::InvalidArgument { name: "as_of", reason: error.to_string() }
        }),
        None => {
            let today = CivilDate::of_moment(&now());
            today.ok_or_else(|| DomainError::InvalidArgument {
                name: "as_of",
                reason: errors::BAD_CLOCK.into(),
            })
        }
    }
}
