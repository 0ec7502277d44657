//! Which edition is in force on a day.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use regreader_changes::status::{EditionStatus, Status, Statuses};
use regreader_index::RegulationsSeen;
use regreader_model::{CivilDate, DomainError, RegId, RegulationInfo, rfc3339};
use regreader_text::script::is_cjk;

use crate::results as rs;
use crate::{ToolError, Toolbox};

/// The regulations of a library with their status on one day.
pub(crate) struct EditionsOn {
    pub day: CivilDate,
    pub regulations: RegulationsSeen,
    statuses: Arc<Statuses>,
}

impl Toolbox {
    /// The editions of the library on the day a caller gave, today without one.
    pub(crate) fn editions_on(&self, as_of: Option<&str>) -> Result<EditionsOn, ToolError> {
        let day = day(as_of)?;
        let regulations = self.engine.regulations_seen()?;
        let statuses = self.kept.statuses(&regulations);
        Ok(EditionsOn { day, regulations, statuses })
    }
}

impl EditionsOn {
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
        self.regulations.get(reg_id)
    }

    /// An edition with its status.
    pub(crate) fn view(&self, info: &RegulationInfo) -> rs::EditionView {
        rs::EditionView {
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
        let chinese = info.title.chars().any(is_cjk);
        Some(match (status.status, chinese) {
            (Status::NotYetInForce, true) => {
                let from = status.effective.unwrap_or_default();
                format!("{name} 在 {day} 尚未生效（{from} 起实施）")
            }
            (Status::NotYetInForce, false) => {
                format!(
                    "{name} is not yet in force on {day} (in force from {})",
                    status.effective.unwrap_or_default()
                )
            }
            (_, true) => {
                let by = status.replaced_by.map_or_else(String::new, |by| format!("，由 {by} 代替"));
                format!("{name} 在 {day} 已不是现行版本{by}")
            }
            (_, false) => {
                let by = status.replaced_by.map_or_else(String::new, |by| format!("; replaced by {by}"));
                format!("{name} is no longer in force on {day}{by}")
            }
        })
    }
}

/// A day that a caller wrote, or today.
fn day(as_of: Option<&str>) -> Result<CivilDate, DomainError> {
    match as_of {
        Some(text) => text.trim().parse().map_err(|error: regreader_model::InvalidDate| {
            DomainError::InvalidArgument { name: "as_of", reason: error.to_string() }
        }),
        None => {
            let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
            let today = CivilDate::of_moment(&rfc3339(seconds));
            today.ok_or_else(|| DomainError::InvalidArgument {
                name: "as_of", reason: "时钟无效".to_owned()
            })
        }
    }
}
