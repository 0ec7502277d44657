//! Editions of one regulation: the one in force is meant, unless the question names another.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{RegId, RegulationInfo};
use regreader_text::fold;

/// The editions of a library.
pub(crate) struct Editions {
    /// Editions of one series, newest first; only series with several.
    series: Vec<Vec<Edition>>,
}

struct Edition {
    reg_id: RegId,
    years: BTreeSet<String>,
    names: Vec<String>,
}

/// A question with one of these is about several editions …
const EDITIONS: &[&str] =
    &["修订", "新旧", "旧版", "老版", "上一版", "前一版", "各版", "两版", "历版", "沿革", "previousedition"];
/// … and so is one with one of these that speaks of editions or their years at all: 方案甲 and 方案乙 differ too.
const COMPARING: &[&str] = &[
    "改了",
    "改动",
    "变化",
    "怎么变",
    "差异",
    "区别",
    "不同",
    "对比",
    "比较",
    "changed",
    "difference",
    "compare",
];

impl Editions {
    pub(crate) fn new<'a>(infos: impl Iterator<Item = &'a RegulationInfo>) -> Self {
        let infos: BTreeMap<&RegId, &RegulationInfo> = infos.map(|info| (&info.reg_id, info)).collect();
        let mut groups: BTreeMap<String, Vec<&RegulationInfo>> = BTreeMap::new();
        for info in infos.values() {
            groups.entry(series_of(info, &infos)).or_default().push(info);
        }
        let mut series: Vec<Vec<Edition>> = Vec::new();
        for mut members in groups.into_values().filter(|members| members.len() > 1) {
            members.sort_by(|a, b| {
                newness(b, &infos).cmp(&newness(a, &infos)).then_with(|| b.reg_id.cmp(&a.reg_id))
            });
            series.push(members.into_iter().map(Edition::new).collect());
        }
        Self { series }
    }

    /// The newest edition of the same series, if that is another one.
    pub(crate) fn superseded_by(&self, reg_id: &RegId) -> Option<&RegId> {
        let editions =
            self.series.iter().find(|editions| editions.iter().any(|edition| edition.reg_id == *reg_id))?;
        editions.first().map(|newest| &newest.reg_id).filter(|newest| *newest != reg_id)
    }

    /// Which editions a question does not mean, and the one it does. `best` is how well a regulation answers: an older
    /// edition that alone has the answer is not set aside.
    pub(super) fn set_aside(&self, query: &str, best: impl Fn(&RegId) -> f64) -> BTreeMap<RegId, RegId> {
        /// How much better an older edition must answer to be taken beside the one in force.
        const ALONE: f64 = 1.6;
        let query = fold(query);
        let mut aside = BTreeMap::new();
        if self.compares(&query) {
            return aside;
        }
        for editions in &self.series {
            let named: Vec<&Edition> =
                editions.iter().filter(|edition| edition.is_named(&query, editions)).collect();
            let Some(meant) = named.first().copied().or_else(|| editions.first()) else { continue };
            for edition in editions {
                let wanted = if named.is_empty() {
                    edition.reg_id == meant.reg_id || best(&edition.reg_id) > ALONE * best(&meant.reg_id)
                } else {
                    named.iter().any(|one| one.reg_id == edition.reg_id)
                };
                if !wanted {
                    aside.insert(edition.reg_id.clone(), meant.reg_id.clone());
                }
            }
        }
        aside
    }

    /// Whether a question, folded, is about what changed from one edition to another.
    pub(super) fn compares(&self, query: &str) -> bool {
        let has = |words: &[&str]| words.iter().any(|word| query.contains(word));
        let of_editions = || {
            let all =
                || self.series.iter().flat_map(|editions| editions.iter().map(move |one| (one, editions)));
            query.contains('版')
                || query.contains("edition")
                || all().any(|(one, editions)| one.is_named(query, editions))
        };
        has(EDITIONS) || (has(COMPARING) && of_editions())
    }

    /// The editions that the question names among several of their series.
    pub(super) fn named(&self, query: &str) -> BTreeSet<RegId> {
        let query = fold(query);
        let editions =
            self.series.iter().flat_map(|editions| editions.iter().map(move |one| (one, editions)));
        let named = editions.filter(|(edition, editions)| edition.is_named(&query, editions));
        named.map(|(edition, _)| edition.reg_id.clone()).collect()
    }

    /// Whether two are the same regulation or editions of one.
    pub(super) fn are_one(&self, one: &RegId, other: &RegId) -> bool {
        let holds =
            |editions: &Vec<Edition>, id: &RegId| editions.iter().any(|edition| edition.reg_id == *id);
        one == other || self.series.iter().any(|editions| holds(editions, one) && holds(editions, other))
    }
}

impl Edition {
    fn new(info: &RegulationInfo) -> Self {
        let mut years = years_in(info.edition.as_deref().unwrap_or_default());
        years.extend(years_in(info.reg_id.as_str()));
        years.extend(years_in(&info.title));
        years.extend(info.effective_from.as_deref().map(years_in).unwrap_or_default());
        let names = info.aliases.iter().chain([&info.title]).map(|name| fold(name)).collect();
        Self { reg_id: info.reg_id.clone(), years, names }
    }

    /// By a name or a year that no other edition has.
    fn is_named(&self, query: &str, editions: &[Edition]) -> bool {
        let others: Vec<&Edition> = editions.iter().filter(|edition| edition.reg_id != self.reg_id).collect();
        let by_year = years_in(query)
            .iter()
            .any(|year| self.years.contains(year) && !others.iter().any(|other| other.years.contains(year)));
        let own = |name: &&String| years_in(name).iter().any(|year| self.years.contains(year));
        let by_name = self.names.iter().filter(own).any(|name| query.contains(name.as_str()));
        by_year || by_name || query.contains(&fold(self.reg_id.as_str()))
    }
}

/// What the editions of one regulation share: the series, or the end of the chain of what replaces what.
fn series_of(info: &RegulationInfo, infos: &BTreeMap<&RegId, &RegulationInfo>) -> String {
    if let Some(series) = &info.series {
        return series.clone();
    }
    let mut oldest = info;
    // Bounded: the chain of a torn library may lead in circles.
    for _ in 0..infos.len() {
        match oldest.supersedes.as_ref().and_then(|id| infos.get(id)) {
            Some(older) => oldest = older,
            None => break,
        }
    }
    oldest.series.clone().unwrap_or_else(|| format!("\u{1}{}", oldest.reg_id))
}

/// What makes one edition newer than another: that it replaces it, its date, its year.
fn newness(info: &RegulationInfo, infos: &BTreeMap<&RegId, &RegulationInfo>) -> (String, usize, String) {
    let mut replaced = 0;
    let mut at = info;
    for _ in 0..infos.len() {
        match at.supersedes.as_ref().and_then(|id| infos.get(id)) {
            Some(older) => at = older,
            None => break,
        }
        replaced += 1;
    }
    let year =
        years_in(&format!("{} {}", info.edition.as_deref().unwrap_or_default(), info.reg_id)).pop_last();
    let date = info.effective_from.clone().or_else(|| year.clone()).unwrap_or_default();
    (date, replaced, year.unwrap_or_default())
}

/// Four digits that begin with 19 or 20 and stand by themselves.
fn years_in(text: &str) -> BTreeSet<String> {
    let digits = fold(text);
    digits
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| run.len() == 4 && (run.starts_with("19") || run.starts_with("20")))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: &str, edition: &str, supersedes: Option<&str>) -> RegulationInfo {
        let json =
            format!(r#"{{"reg_id":"{id}","title":"规定","source_file":"","total_pages":1,"indexed_at":""}}"#);
        let mut info: RegulationInfo = serde_json::from_str(&json).unwrap();
        info.edition = Some(edition.to_owned());
        info.supersedes = supersedes.map(|id| id.parse().unwrap());
        info
    }

    fn aside(query: &str, old: f64, new: f64) -> Vec<String> {
        let infos = [
            info("angui_2023", "2023（第一版）", None),
            info("angui_2024", "2024（第二版）", Some("angui_2023")),
        ];
        let editions = Editions::new(infos.iter());
        let best = |id: &RegId| if id.as_str() == "angui_2023" { old } else { new };
        editions.set_aside(query, best).into_keys().map(|id| id.as_str().to_owned()).collect()
    }

    #[test]
    fn the_newest_is_meant_unless_another_is_named() {
        assert_eq!(aside("母线失压", 1.0, 1.0), ["angui_2023"]);
        assert_eq!(aside("2023版母线失压", 1.0, 1.0), ["angui_2024"]);
        assert_eq!(aside("2024版母线失压", 1.0, 0.9), ["angui_2023"]);
        assert_eq!(aside("2023和2024", 1.0, 1.0), [""; 0]);
        assert_eq!(aside("2024版改了哪些限额", 1.0, 1.0), [""; 0]);
        assert_eq!(aside("新旧规定各是多少", 1.0, 1.0), [""; 0]);
        assert_eq!(aside("方案甲和方案乙有什么区别", 1.0, 1.0), ["angui_2023"], "no word of editions");
    }

    #[test]
    fn what_only_the_older_edition_has_is_still_found() {
        assert_eq!(aside("已废止的条款", 1.0, 0.2), [""; 0]);
    }

    #[test]
    fn a_chain_that_leads_in_a_circle_ends() {
        let infos = [info("a", "", Some("b")), info("b", "", Some("a"))];
        let editions = Editions::new(infos.iter());
        let _ = editions.set_aside("x", |_| 0.0);
    }
}
