//! Whether a question names a regulation: by title, alias or id, whole or by the parts that tell it from the others.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::RegulationInfo;
use regreader_text::fold;
use regreader_text::script::is_cjk;

/// The names of a library and how telling their parts are.
pub(super) struct Names {
    /// How many regulations have a part in their id or aliases.
    counts: BTreeMap<String, usize>,
    total: usize,
}

/// How a question names a regulation.
#[derive(Debug, Default)]
pub(super) struct Mention {
    /// The name that stands in the question as a whole.
    pub(super) outright: Option<String>,
    /// 1 for that; less for parts of a name.
    pub(super) score: f64,
}

/// A name shorter than this stands in too many words by chance.
const SHORTEST_CHINESE: usize = 2;
const SHORTEST_LATIN: usize = 4;

impl Names {
    pub(super) fn new(infos: &[&RegulationInfo]) -> Self {
        let mut counts = BTreeMap::new();
        for info in infos {
            for part in parts(info) {
                *counts.entry(part).or_default() += 1;
            }
        }
        Self { counts, total: infos.len() }
    }

    /// Whether, and how, the folded question names this regulation.
    pub(super) fn mentioned(&self, info: &RegulationInfo, question: &str) -> Mention {
        let squeezed = squeeze(question);
        let whole = |name: &&str| {
            let name = squeeze(&fold(name));
            let length = name.chars().count();
            let long_enough =
                if name.chars().any(is_cjk) { length >= SHORTEST_CHINESE } else { length >= SHORTEST_LATIN };
            long_enough && squeezed.contains(&name)
        };
        let names =
            info.aliases.iter().map(String::as_str).chain([info.title.as_str(), info.reg_id.as_str()]);
        if let Some(name) = names.into_iter().find(whole) {
            return Mention { outright: Some(name.to_owned()), score: 1.0 };
        }
        self.by_parts(info, question, &squeezed)
    }

    /// `ACME_2018_10K` is meant by "the FY2018 figures of Acme": its telling parts stand in the question.
    fn by_parts(&self, info: &RegulationInfo, question: &str, squeezed: &str) -> Mention {
        let words: BTreeSet<&str> =
            question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let (mut found, mut all) = (0.0, 0.0);
        let mut name_found = false;
        for part in parts(info) {
            // A part that every regulation has tells nothing.
            let telling = (self.total as f64 / self.counts.get(&part).copied().unwrap_or(1) as f64).ln();
            let number = part.chars().all(|c| c.is_ascii_digit());
            let there = words.contains(part.as_str())
                || (part.len() >= SHORTEST_LATIN && squeezed.contains(part.as_str()));
            all += telling;
            if there {
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

/// Letters and digits only: `Best Buy` is `BESTBUY`.
fn squeeze(folded: &str) -> String {
    folded.chars().filter(|c| c.is_alphanumeric()).collect()
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
        let question = fold("What was Acme's FY2018 revenue?");
        let scores: Vec<f64> = infos.iter().map(|info| names.mentioned(info, &question).score).collect();
        assert!(scores[0] > scores[1] && scores[1] > scores[2], "{scores:?}");
        assert!(names.mentioned(infos[0], &question).outright.is_some());
        let shop = fold("How did Best Buy do in 2018?");
        assert!(names.mentioned(infos[2], &shop).outright.is_some());
    }

    #[test]
    fn a_short_name_inside_a_word_is_no_name() {
        let infos = [info("mgm"), info("other")];
        let infos: Vec<&RegulationInfo> = infos.iter().collect();
        let names = Names::new(&infos);
        assert!(names.mentioned(infos[0], "judgmgment day").outright.is_none());
        assert!(names.mentioned(infos[0], "what did mgm earn").outright.is_some());
    }
}
