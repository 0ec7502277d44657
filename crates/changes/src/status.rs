//! Whether an edition is in force on a day, from what is recorded about it and about the others of the library.
//!
//! Nothing here is stored: a status is computed for the day that is asked about, and where the events do not decide it the
//! answer is [`Status::Unknown`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regreader_messages::{Word, tools};
use regreader_model::{CivilDate, EventEvidence, EventKind, RegId, RegulationInfo};
use regreader_text::fold_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Status of an edition on a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// 尚未生效
    NotYetInForce,
    /// 现行
    InForce,
    /// 部分被代替
    PartlyReplaced,
    /// 废止或被代替
    Ended,
    /// 未知
    #[default]
    Unknown,
}

impl Status {
    /// As a reader names it.
    pub fn label(self) -> Word {
        match self {
            Self::NotYetInForce => tools::NOT_YET_IN_FORCE,
            Self::InForce => tools::IN_FORCE,
            Self::PartlyReplaced => tools::PARTLY_REPLACED,
            Self::Ended => tools::ENDED,
            Self::Unknown => tools::UNKNOWN,
        }
    }

    /// Whether an answer may be taken from it without a warning. What is not known to be out of force is.
    pub fn may_apply(self) -> bool {
        !matches!(self, Self::NotYetInForce | Self::Ended)
    }
}

/// The status of one edition with the dates that decide it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditionStatus {
    /// 所问日期的状态
    pub status: Status,
    /// 实施日期
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective: Option<String>,
    /// 废止或被代替的日期
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// 代替它的规程：库中标识，或文件上的名称
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

/// The editions of a library, ready to be asked about any day.
#[derive(Debug, Default)]
pub struct Statuses {
    timelines: BTreeMap<RegId, Timeline>,
}

#[derive(Debug, Default, Clone)]
struct Timeline {
    effective: Option<CivilDate>,
    ends: Vec<End>,
    partly: Vec<End>,
}

#[derive(Debug, Clone)]
struct End {
    date: Option<CivilDate>,
    /// Where the date is not known: the day on which the library learned of it. It ended then or before.
    known: Option<CivilDate>,
    by: Option<String>,
}

impl Statuses {
    /// Reads the events of every regulation. `superseding` are pairs of newer and older editions that are known otherwise,
    /// such as by their titles.
    pub fn new<'a>(
        infos: impl Iterator<Item = &'a RegulationInfo>,
        superseding: &BTreeMap<RegId, RegId>,
    ) -> Self {
        let infos: Vec<&RegulationInfo> = infos.collect();
        let mut timelines: BTreeMap<RegId, Timeline> = infos
            .iter()
            .map(|info| (info.reg_id.clone(), Timeline { effective: effective(info), ..Timeline::default() }))
            .collect();
        let names = Names::new(&infos);
        for info in &infos {
            read_events(info, &names, &mut timelines);
            let mut older: Vec<&RegId> =
                info.supersedes.iter().chain(superseding.get(&info.reg_id)).collect();
            older.dedup();
            for id in older {
                let end = End {
                    date: effective(info),
                    known: CivilDate::of_moment(&info.indexed_at),
                    by: Some(info.reg_id.to_string()),
                };
                if let Some(timeline) = timelines.get_mut(id) {
                    timeline.ends.push(end);
                }
            }
        }
        Self { timelines }
    }

    /// The status of an edition on a day.
    pub fn at(&self, reg_id: &RegId, day: CivilDate) -> EditionStatus {
        let Some(timeline) = self.timelines.get(reg_id) else { return EditionStatus::default() };
        let passed = |end: &&End| end.date.or(end.known).is_some_and(|date| date <= day);
        // The earliest end counts; one whose date is known says more than one without.
        let end = timeline.ends.iter().filter(passed).min_by_key(|end| (end.date.is_none(), end.date));
        let partly = timeline.partly.iter().find(passed);
        // An end without a date may lie before the day or behind it.
        let undecided =
            timeline.ends.iter().any(|end| end.date.is_none() && end.known.is_none_or(|known| known > day));
        let begun = timeline.effective.map(|date| date <= day);
        let status = match (end, begun) {
            (Some(_), _) => Status::Ended,
            (None, Some(false)) => Status::NotYetInForce,
            (None, Some(true)) if undecided => Status::Unknown,
            (None, Some(true)) if partly.is_some() => Status::PartlyReplaced,
            (None, Some(true)) => Status::InForce,
            (None, None) => Status::Unknown,
        };
        let shown = end.or(partly).or_else(|| timeline.ends.first());
        EditionStatus {
            status,
            effective: timeline.effective.map(|date| date.to_string()),
            ended: shown.and_then(|end| end.date).map(|date| date.to_string()),
            replaced_by: shown.and_then(|end| end.by.clone()),
        }
    }

    /// The edition in force on a day among those that stand for one another, in the order given.
    pub fn in_force<'r>(
        &self,
        editions: impl Iterator<Item = &'r RegId>,
        day: CivilDate,
    ) -> Option<&'r RegId> {
        let ranked = editions.filter_map(|id| match self.at(id, day).status {
            Status::InForce => Some((0, id)),
            Status::PartlyReplaced => Some((1, id)),
            _ => None,
        });
        ranked.min_by_key(|(rank, _)| *rank).map(|(_, id)| id)
    }
}

/// The day from which the whole edition is in force. A person overrules what was given at ingest, and that the pages.
fn effective(info: &RegulationInfo) -> Option<CivilDate> {
    let whole = |event: &&regreader_model::EditionEvent| {
        event.kind == EventKind::Effective && event.scope.is_none() && event.subject.is_none()
    };
    let by_person = info
        .events
        .iter()
        .rev()
        .filter(whole)
        .find(|event| matches!(event.evidence, EventEvidence::Person { .. }));
    let given = || info.effective_from.as_deref().and_then(|date| date.parse().ok());
    let by_page = || info.events.iter().filter(whole).find_map(|event| event.date);
    by_person.and_then(|event| event.date).or_else(given).or_else(by_page)
}

fn read_events(info: &RegulationInfo, names: &Names<'_>, timelines: &mut BTreeMap<RegId, Timeline>) {
    for event in &info.events {
        let ends = matches!(event.kind, EventKind::Replaced | EventKind::Abolished);
        let partly = event.kind == EventKind::PartlyReplaced || (ends && event.scope.is_some());
        if !ends && !partly {
            continue;
        }
        let known =
            CivilDate::of_moment(&event.recorded_at).or_else(|| CivilDate::of_moment(&info.indexed_at));
        let concerned: Vec<RegId> = match &event.subject {
            None => vec![info.reg_id.clone()],
            Some(subject) => {
                names.called(subject).into_iter().filter(|id| **id != info.reg_id).cloned().collect()
            }
        };
        // The newer standard takes the place of the older on the day it comes into force.
        let date = event.date.or_else(|| event.subject.as_ref().and_then(|_| effective(info)));
        let by = event.by.clone().or_else(|| event.subject.as_ref().map(|_| info.reg_id.to_string()));
        for id in concerned {
            if let Some(timeline) = timelines.get_mut(&id) {
                let list = if partly { &mut timeline.partly } else { &mut timeline.ends };
                list.push(End { date, known, by: by.clone() });
            }
        }
    }
}

/// The names of the documents of a library, ready to be looked up.
struct Names<'a> {
    whole: HashMap<String, Vec<&'a RegId>>,
    /// Standard numbers with their year that stand anywhere in a name.
    codes: HashMap<String, Vec<&'a RegId>>,
}

impl<'a> Names<'a> {
    fn new(infos: &[&'a RegulationInfo]) -> Self {
        let mut names = Self { whole: HashMap::new(), codes: HashMap::new() };
        for info in infos {
            let texts = info.aliases.iter().chain([&info.title, &info.source_file]).map(String::as_str);
            for name in texts.chain([info.reg_id.as_str()]) {
                let name = fold_name(name);
                for code in dated_codes(&name) {
                    names.codes.entry(code.to_owned()).or_default().push(&info.reg_id);
                }
                names.whole.entry(name).or_default().push(&info.reg_id);
            }
        }
        names
    }

    /// The documents that a text names: by their whole name, or by a standard number with its year.
    fn called(&self, subject: &str) -> BTreeSet<&'a RegId> {
        let subject = fold_name(subject);
        let by_code = dated_codes(&subject).into_iter().filter_map(|code| self.codes.get(code)).flatten();
        self.whole.get(&subject).into_iter().flatten().chain(by_code).copied().collect()
    }
}

/// The standard numbers with a year in a folded name: `gb38755-2010` in `gb38755-2010.pdf`.
fn dated_codes(name: &str) -> Vec<&str> {
    let runs = name.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '.' | '-'));
    let cut = |run: &'_ str| -> Option<usize> {
        run.match_indices('-').map(|(at, _)| at + 5).find(|end| {
            run.get(..*end).is_some_and(has_year) && !run[*end..].starts_with(|c: char| c.is_ascii_digit())
        })
    };
    runs.filter_map(|run| Some(&run[..cut(run)?])).collect()
}

/// Whether a standard number ends in a year: `gb/t1234-2010`.
fn has_year(code: &str) -> bool {
    let Some((head, year)) = code.rsplit_once('-') else { return false };
    year.len() == 4
        && (year.starts_with("19") || year.starts_with("20"))
        && year.bytes().all(|b| b.is_ascii_digit())
        && head.chars().any(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use regreader_model::EditionEvent;

    use super::*;

    fn info(id: &str, title: &str, effective: Option<&str>) -> RegulationInfo {
        let json = format!(
            r#"{{"reg_id":"{id}","title":"{title}","source_file":"{id}.pdf","total_pages":1,"indexed_at":"2025-05-05T00:00:00Z"}}"#
        );
        let mut info: RegulationInfo = serde_json::from_str(&json).unwrap();
        info.effective_from = effective.map(str::to_owned);
        info
    }

    fn event(kind: EventKind, date: Option<&str>, subject: Option<&str>) -> EditionEvent {
        EditionEvent {
            kind,
            date: date.map(|date| date.parse().unwrap()),
            subject: subject.map(str::to_owned),
            by: None,
            scope: None,
            evidence: EventEvidence::Page {
                page_num: regreader_model::PageNumber::FIRST,
                text: String::new(),
            },
            recorded_at: String::new(),
        }
    }

    fn status(infos: &[RegulationInfo], id: &str, day: &str) -> Status {
        Statuses::new(infos.iter(), &BTreeMap::new()).at(&id.parse().unwrap(), day.parse().unwrap()).status
    }

    #[test]
    fn a_new_edition_ends_the_old_one_on_the_day_it_comes_into_force() {
        let mut new = info("angui_2024", "安规（第二版）", Some("2024-01-01"));
        new.supersedes = Some("angui_2023".parse().unwrap());
        let infos = [info("angui_2023", "安规（第一版）", Some("2023-01-01")), new];
        assert_eq!(status(&infos, "angui_2023", "2022-06-01"), Status::NotYetInForce);
        assert_eq!(status(&infos, "angui_2023", "2023-12-31"), Status::InForce);
        assert_eq!(status(&infos, "angui_2023", "2024-01-01"), Status::Ended);
        assert_eq!(status(&infos, "angui_2024", "2023-12-31"), Status::NotYetInForce);
        assert_eq!(status(&infos, "angui_2024", "2024-01-01"), Status::InForce);
    }

    #[test]
    fn a_foreword_that_names_the_old_standard_ends_it() {
        let mut new = info("gb38755_2019", "电力系统安全稳定导则", None);
        new.events = vec![
            event(EventKind::Effective, Some("2020-07-01"), None),
            event(EventKind::Replaced, None, Some("GB 38755—2010")),
        ];
        let old = info("daoze", "电力系统安全稳定导则 GB 38755-2010", None);
        let other = info("qita", "GB 138755-2010 其他", None);
        let infos = [new, old, other];
        assert_eq!(status(&infos, "gb38755_2019", "2020-06-30"), Status::NotYetInForce);
        assert_eq!(status(&infos, "daoze", "2020-07-01"), Status::Ended);
        assert_eq!(status(&infos, "daoze", "2020-06-30"), Status::Unknown, "no date of its own is known");
        assert_eq!(status(&infos, "qita", "2021-01-01"), Status::Unknown);
    }

    #[test]
    fn what_a_person_said_counts_and_what_nobody_said_is_unknown() {
        let mut one = info("a", "甲", Some("2020-01-01"));
        let said = EditionEvent {
            evidence: EventEvidence::Person { note: String::new() },
            ..event(EventKind::Abolished, Some("2021-01-01"), None)
        };
        one.events = vec![said];
        let mut partly = info("c", "丙", Some("2020-01-01"));
        partly.events = vec![EditionEvent {
            scope: Some("第3章".into()),
            ..event(EventKind::Replaced, Some("2022-01-01"), None)
        }];
        let infos = [one, info("b", "乙", None), partly];
        assert_eq!(status(&infos, "a", "2020-06-01"), Status::InForce);
        assert_eq!(status(&infos, "a", "2021-06-01"), Status::Ended);
        assert_eq!(status(&infos, "b", "2021-06-01"), Status::Unknown);
        assert_eq!(status(&infos, "c", "2021-06-01"), Status::InForce);
        assert_eq!(status(&infos, "c", "2022-06-01"), Status::PartlyReplaced);
    }
}
