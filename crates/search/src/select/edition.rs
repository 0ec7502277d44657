//! Editions of one regulation: the one in force is meant, unless the question names another.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{RegId, RegulationInfo};
use regreader_question::{Question, squeeze, without_edition, years_in};
use regreader_text::fold;
use regreader_text::script::is_cjk;

/// The editions of a library.
pub(crate) struct Editions {
    /// Editions of one series, newest first; only series with several.
    series: Vec<Vec<Edition>>,
}

struct Edition {
    reg_id: RegId,
    years: BTreeSet<String>,
    names: Vec<String>,
    /// Newer than the next one of its series, and not only listed before it.
    is_newer: bool,
}

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
            let mut editions: Vec<Edition> = members.iter().map(|info| Edition::new(info)).collect();
            for (edition, pair) in editions.iter_mut().zip(members.windows(2)) {
                edition.is_newer = matches!(pair, [a, b] if newness(a, &infos) > newness(b, &infos));
            }
            series.push(editions);
        }
        Self { series }
    }

    /// The newest edition of the same series, if that is another one.
    pub(crate) fn superseded_by(&self, reg_id: &RegId) -> Option<&RegId> {
        let editions =
            self.series.iter().find(|editions| editions.iter().any(|edition| edition.reg_id == *reg_id))?;
        editions.first().map(|newest| &newest.reg_id).filter(|newest| *newest != reg_id)
    }

    /// Each edition that has taken the place of another, and which.
    pub(crate) fn superseding(&self) -> BTreeMap<RegId, RegId> {
        let pairs = self.series.iter().flat_map(|editions| editions.windows(2));
        let newer = pairs.filter_map(|pair| match pair {
            [newer, older] if newer.is_newer => Some((newer.reg_id.clone(), older.reg_id.clone())),
            _ => None,
        });
        newer.collect()
    }

    /// Which editions a question does not mean, and the one it does. `best` is how well a regulation answers: an older
    /// edition that alone has the answer, `alone` times as well, is not set aside.
    pub(super) fn set_aside(
        &self,
        question: &Question,
        alone: f64,
        best: impl Fn(&RegId) -> f64,
    ) -> BTreeMap<RegId, RegId> {
        let mut aside = BTreeMap::new();
        if self.compares(question) {
            return aside;
        }
        for editions in &self.series {
            let named: Vec<&Edition> =
                editions.iter().filter(|edition| edition.is_named(question, editions)).collect();
            let Some(meant) = named.first().copied().or_else(|| editions.first()) else { continue };
            for edition in editions {
                let wanted = if named.is_empty() {
                    edition.reg_id == meant.reg_id || best(&edition.reg_id) > alone * best(&meant.reg_id)
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

    /// Whether a question is about what changed from one edition to another.
    pub(super) fn compares(&self, question: &Question) -> bool {
        question.compares_editions(|| !self.named(question).is_empty())
    }

    /// The editions that the question names among several of their series.
    pub(super) fn named(&self, question: &Question) -> BTreeSet<RegId> {
        let editions =
            self.series.iter().flat_map(|editions| editions.iter().map(move |one| (one, editions)));
        let named = editions.filter(|(edition, editions)| edition.is_named(question, editions));
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
        let names = info.aliases.iter().chain([&info.title]).map(|name| fold(name)).collect();
        Self { reg_id: info.reg_id.clone(), years: years_of(info), names, is_newer: false }
    }

    /// By a name or a year that no other edition has.
    fn is_named(&self, question: &Question, editions: &[Edition]) -> bool {
        let others: Vec<&Edition> = editions.iter().filter(|edition| edition.reg_id != self.reg_id).collect();
        let by_year = question
            .years
            .iter()
            .any(|year| self.years.contains(year) && !others.iter().any(|other| other.years.contains(year)));
        let own = |name: &&String| years_in(name).iter().any(|year| self.years.contains(year));
        let by_name = self.names.iter().filter(own).any(|name| question.folded().contains(name.as_str()));
        by_year || by_name || question.folded().contains(&fold(self.reg_id.as_str()))
    }
}

/// What the editions of one regulation share: the series, or the end of the chain of what replaces what, or the title but for
/// its year and edition.
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
    let by_title = || Some(format!("\u{2}{}", common_title(&oldest.title)?));
    oldest.series.clone().or_else(by_title).unwrap_or_else(|| format!("\u{1}{}", oldest.reg_id))
}

/// A shorter title is anybody's.
const SHORTEST_COMMON: usize = 6;

/// `2024年某电网调度规定（第二版）` and `2023年某电网调度规定（第一版）` are editions of one regulation: the title without what tells
/// them apart. None for one that names neither year nor edition, and for titles that are not Chinese: reports of two years are
/// two reports.
fn common_title(title: &str) -> Option<String> {
    let folded = fold(title);
    let kept = without_edition(&folded);
    let common = squeeze(&kept);
    let is_telling = common.chars().count() >= SHORTEST_COMMON && common.chars().any(is_cjk);
    (is_telling && kept != folded).then_some(common)
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
    let named = format!("{} {} {}", info.edition.as_deref().unwrap_or_default(), info.reg_id, info.title);
    let year = years_in(&named).pop_last();
    let date = info.effective_from.clone().or_else(|| year.clone()).unwrap_or_default();
    (date, replaced, year.unwrap_or_default())
}

/// The years by which an edition is known.
fn years_of(info: &RegulationInfo) -> BTreeSet<String> {
    let mut years = years_in(info.edition.as_deref().unwrap_or_default());
    years.extend(years_in(info.reg_id.as_str()));
    years.extend(years_in(&info.title));
    years.extend(info.effective_from.as_deref().map(years_in).unwrap_or_default());
    years
}

/// The same, with those that its names say.
pub(super) fn years_named(info: &RegulationInfo) -> BTreeSet<String> {
    let mut years = years_of(info);
    years.extend(info.aliases.iter().flat_map(|alias| years_in(alias)));
    years
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

    fn read(query: &str) -> Question {
        Question::read(query, regreader_question::Lexicon::built_in())
    }

    fn aside(query: &str, old: f64, new: f64) -> Vec<String> {
        let infos = [
            info("angui_2023", "2023（第一版）", None),
            info("angui_2024", "2024（第二版）", Some("angui_2023")),
        ];
        let editions = Editions::new(infos.iter());
        let best = |id: &RegId| if id.as_str() == "angui_2023" { old } else { new };
        editions.set_aside(&read(query), 1.6, best).into_keys().map(|id| id.as_str().to_owned()).collect()
    }

    #[test]
    fn the_newest_is_meant_unless_another_is_named() {
        assert_eq!(aside("母线失压", 1.0, 1.0), ["angui_2023"]);
        assert_eq!(aside("2023版母线失压", 1.0, 1.0), ["angui_2024"]);
        assert_eq!(aside("2024版母线失压", 1.0, 0.9), ["angui_2023"]);
        assert_eq!(aside("2023和2024", 1.0, 1.0), [""; 0]);
        assert_eq!(aside("wengui_2023的限额", 1.0, 1.0), ["angui_2023"], "another regulation's year");
        assert_eq!(aside("angui_2023的限额", 1.0, 1.0), ["angui_2024"]);
        assert_eq!(aside("2024版改了哪些限额", 1.0, 1.0), [""; 0]);
        assert_eq!(aside("新旧规定各是多少", 1.0, 1.0), [""; 0]);
        assert_eq!(aside("方案甲和方案乙有什么区别", 1.0, 1.0), ["angui_2023"], "no word of editions");
    }

    /// Nobody says of two files in a folder that one replaces the other; their titles do.
    #[test]
    fn titles_that_differ_by_year_and_edition_are_editions_of_one() {
        let titled = |id: &str, title: &str| RegulationInfo { title: title.to_owned(), ..info(id, "", None) };
        let infos = [
            titled("a", "2023年某电网安全自动装置管理规定（第一版）"),
            titled("b", "2024年某电网安全自动装置管理规定（第二版）"),
            titled("c", "某电网稳定运行规定"),
            titled("d", "某电网稳定运行规定（2024年版）"),
            titled("e", "GB 38755-2019 电力系统安全稳定导则"),
            titled("f", "GB 38755—2025 电力系统安全稳定导则"),
            titled("g", "ACME 2018 annual report"),
            titled("h", "ACME 2019 annual report"),
        ];
        let editions = Editions::new(infos.iter());
        let newer = |id: &str| editions.superseded_by(&id.parse().unwrap()).map(RegId::as_str);
        assert_eq!((newer("a"), newer("b")), (Some("b"), None));
        let superseding = editions.superseding();
        let older = |id: &str| superseding.get(&id.parse::<RegId>().unwrap()).map(RegId::as_str);
        assert_eq!((older("a"), older("b"), older("c"), older("f")), (None, Some("a"), None, Some("e")));
        let twice = [titled("a", "2024年某电网装置规定"), titled("a_2", "2024年某电网装置规定")];
        assert_eq!(Editions::new(twice.iter()).superseding().len(), 0, "one document read twice");
        assert_eq!(newer("e"), Some("f"));
        assert_eq!((newer("g"), newer("h")), (None, None), "two reports");
        assert_eq!(
            (newer("c"), newer("d")),
            (None, None),
            "one names no edition: nobody can say which is newer"
        );
        assert_eq!(common_title("第三版规定"), None);
    }

    #[test]
    fn what_only_the_older_edition_has_is_still_found() {
        assert_eq!(aside("已废止的条款", 1.0, 0.2), [""; 0]);
    }

    #[test]
    fn a_chain_that_leads_in_a_circle_ends() {
        let infos = [info("a", "", Some("b")), info("b", "", Some("a"))];
        let editions = Editions::new(infos.iter());
        let _ = editions.set_aside(&read("x"), 1.6, |_| 0.0);
    }
}
