//! Whether a question names a regulation: by title, alias or id, whole or by the parts that tell it from the others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regreader_model::{RegId, RegulationInfo};
use regreader_question::{named_in, squeeze};
use regreader_text::fold;

/// The names of a library and how telling their parts are.
pub(super) struct Names {
    /// How many regulations have a part in their id or aliases.
    counts: BTreeMap<String, usize>,
    /// The names and the parts of each, by id.
    of_each: BTreeMap<RegId, NamesOf>,
    /// Names and parts by their first two characters, each with the regulations that have it.
    by_start: HashMap<[char; 2], BTreeMap<String, Vec<RegId>>>,
    total: usize,
}

struct NamesOf {
    /// As written, and letters and digits only; long enough ones.
    whole: Vec<(String, String)>,
    parts: BTreeSet<String>,
}

/// How a question names a regulation.
#[derive(Debug, Default)]
pub(super) struct Mention {
    /// The name that stands in the question as a whole.
    pub(super) outright: Option<String>,
    /// 1 for that; less for parts of a name.
    pub(super) score: f64,
}

/// A part shorter than this counts only as a word of its own.
const SHORTEST_PART: usize = 4;

impl Names {
    pub(super) fn new(infos: &[&RegulationInfo]) -> Self {
        let mut counts = BTreeMap::new();
        let mut of_each = BTreeMap::new();
        let mut by_start: HashMap<[char; 2], BTreeMap<String, Vec<RegId>>> = HashMap::new();
        for info in infos {
            let parts = parts(info);
            for part in &parts {
                *counts.entry(part.clone()).or_default() += 1;
            }
            let names =
                info.aliases.iter().map(String::as_str).chain([info.title.as_str(), info.reg_id.as_str()]);
            let whole = names.map(|name| (name.to_owned(), squeeze(&fold(name))));
            let names = NamesOf { whole: whole.collect(), parts };
            for name in names.whole.iter().map(|(_, name)| name).chain(&names.parts) {
                if let Some(start) = start(name) {
                    let same = by_start.entry(start).or_default().entry(name.clone()).or_default();
                    same.push(info.reg_id.clone());
                }
            }
            of_each.insert(info.reg_id.clone(), names);
        }
        Self { counts, of_each, by_start, total: infos.len() }
    }

    /// The regulations of which a name or a part of one stands in a question. The others are not named by it.
    fn standing_in(&self, squeezed: &str) -> BTreeSet<&RegId> {
        let mut found = BTreeSet::new();
        for (at, _) in squeezed.char_indices() {
            let rest = &squeezed[at..];
            let names = start(rest).and_then(|start| self.by_start.get(&start));
            for (_, ids) in names.into_iter().flatten().filter(|(name, _)| rest.starts_with(name.as_str())) {
                found.extend(ids);
            }
        }
        found
    }

    /// A question to these names; regulations that are set aside do not count.
    pub(super) fn asked<'a>(
        &'a self,
        question: &str,
        infos: impl Iterator<Item = &'a RegulationInfo>,
        set_aside: &BTreeMap<RegId, RegId>,
    ) -> Asked<'a> {
        let mut fewer: BTreeMap<&str, usize> = BTreeMap::new();
        if !set_aside.is_empty() {
            for info in infos.filter(|info| set_aside.contains_key(&info.reg_id)) {
                for part in self.of_each.get(&info.reg_id).iter().flat_map(|names| &names.parts) {
                    *fewer.entry(part).or_default() += 1;
                }
            }
        }
        let words = question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let squeezed = squeeze(question);
        let near = self.standing_in(&squeezed);
        let names = near.iter().filter_map(|id| Some((*id, self.of_each.get(*id)?)));
        let names = names.flat_map(|(id, names)| {
            names.whole.iter().map(move |(name, squeezed)| ((id, name.as_str()), squeezed.as_str()))
        });
        let mut outright = BTreeMap::new();
        for (id, name) in named_in(question, names) {
            outright.entry(id).or_insert(name);
        }
        Asked {
            names: self,
            words: words.map(str::to_owned).collect(),
            near,
            outright,
            squeezed,
            fewer,
            total: self.total.saturating_sub(set_aside.len()),
        }
    }
}

/// A question put to the names of a library.
pub(super) struct Asked<'a> {
    names: &'a Names,
    words: BTreeSet<String>,
    /// Regulations of which something stands in it.
    near: BTreeSet<&'a RegId>,
    squeezed: String,
    /// Regulations that it names, with the name.
    outright: BTreeMap<&'a RegId, &'a str>,
    /// How many of a part's regulations are set aside.
    fewer: BTreeMap<&'a str, usize>,
    total: usize,
}

impl<'a> Asked<'a> {
    /// Regulations that the question may name.
    pub(super) fn near(&self) -> impl Iterator<Item = &'a RegId> {
        self.near.iter().copied()
    }

    /// Whether, and how, the question names this regulation.
    pub(super) fn mentioned(&self, info: &RegulationInfo) -> Mention {
        if !self.near.contains(&info.reg_id) {
            return Mention::default();
        }
        let Some(names) = self.names.of_each.get(&info.reg_id) else { return Mention::default() };
        if let Some(name) = self.outright.get(&info.reg_id) {
            return Mention { outright: Some((*name).to_owned()), score: 1.0 };
        }
        self.by_parts(info, &names.parts)
    }

    /// `ACME_2018_10K` is meant by "the FY2018 figures of Acme": its telling parts stand in the question.
    fn by_parts(&self, info: &RegulationInfo, parts: &BTreeSet<String>) -> Mention {
        let is_there = |part: &&String| {
            self.words.contains(*part)
                || (part.len() >= SHORTEST_PART && self.squeezed.contains(part.as_str()))
        };
        let there: BTreeSet<&String> = parts.iter().filter(is_there).collect();
        if there.is_empty() {
            return Mention::default();
        }
        let (mut found, mut all) = (0.0, 0.0);
        let mut name_found = false;
        for part in parts {
            let having = self.names.counts.get(part).copied().unwrap_or(1);
            let having = having.saturating_sub(self.fewer.get(part.as_str()).copied().unwrap_or(0)).max(1);
            // A part that every regulation has tells nothing.
            let telling = (self.total as f64 / having as f64).ln();
            let number = part.chars().all(|c| c.is_ascii_digit());
            all += telling;
            if there.contains(part) {
                found += telling;
                name_found |= !number && telling > 0.0;
            }
        }
        if !name_found || all <= 0.0 {
            return Mention::default();
        }
        let score = found / all;
        // The years and forms of one company's reports differ; all that is left of the name must be there.
        let outright = (score >= 0.99).then(|| info.short_name().to_owned());
        Mention { outright, score: if score >= 0.99 { 1.0 } else { 0.6 * score } }
    }
}

/// The Latin and numeric parts of a regulation's id and aliases, folded.
fn parts(info: &RegulationInfo) -> BTreeSet<String> {
    let names = info.aliases.iter().map(String::as_str).chain([info.reg_id.as_str()]);
    let mut parts = BTreeSet::new();
    for name in names {
        for part in fold(name).split(|c: char| !c.is_ascii_alphanumeric()) {
            if part.len() >= 2 {
                parts.insert(part.to_owned());
            }
        }
    }
    parts
}

/// What a name is looked up by.
pub(super) fn start(name: &str) -> Option<[char; 2]> {
    let mut chars = name.chars();
    Some([chars.next()?, chars.next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: &str) -> RegulationInfo {
        let json = format!(
            r#"{{"reg_id":"{id}","title":"Annual report","source_file":"","total_pages":1,"indexed_at":""}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn a_company_and_a_year_name_one_report() {
        let infos = [info("ACME_2018_10K"), info("ACME_2019_10K"), info("BESTBUY_2018_10K")];
        let infos: Vec<&RegulationInfo> = infos.iter().collect();
        let names = Names::new(&infos);
        let ask = |question: &str| names.asked(&fold(question), infos.iter().copied(), &BTreeMap::new());
        let acme = ask("What was Acme's FY2018 revenue?");
        let scores: Vec<f64> = infos.iter().map(|info| acme.mentioned(info).score).collect();
        assert!(scores[0] > scores[1] && scores[1] > scores[2], "{scores:?}");
        assert!(acme.mentioned(infos[0]).outright.is_some());
        assert!(ask("How did Best Buy do in 2018?").mentioned(infos[2]).outright.is_some());
    }

    #[test]
    fn the_longest_name_is_the_one_that_is_named() {
        let mut infos = [info("cip-003-8"), info("cip-003-9"), info("cip-004-7")];
        for info in &mut infos {
            let (series, _) = info.reg_id.as_str().rsplit_once('-').unwrap();
            info.aliases = vec![info.reg_id.to_string(), series.to_owned()];
        }
        let infos: Vec<&RegulationInfo> = infos.iter().collect();
        let names = Names::new(&infos);
        let ask = |question: &str| {
            let asked = names.asked(question, infos.iter().copied(), &BTreeMap::new());
            infos.iter().map(|info| asked.mentioned(info).outright.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(ask("what does cip-003-8 say"), [true, false, false]);
        assert_eq!(ask("what does cip-003 say"), [true, true, false], "the series");
        assert_eq!(ask("cip-003-8 and cip-003-9"), [true, true, false]);
        assert_eq!(ask("cip-003-8 in the series cip-003"), [true, true, false]);
    }

    #[test]
    fn a_short_name_inside_a_word_is_no_name() {
        let infos = [info("mgm"), info("other")];
        let infos: Vec<&RegulationInfo> = infos.iter().collect();
        let names = Names::new(&infos);
        let ask = |question: &str| names.asked(question, infos.iter().copied(), &BTreeMap::new());
        assert!(ask("judgmgment day").mentioned(infos[0]).outright.is_none());
        assert!(ask("what did mgm earn").mentioned(infos[0]).outright.is_some());
    }
}
