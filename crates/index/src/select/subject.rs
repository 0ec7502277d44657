//! Whose report a question means, and of when. `BESTBUY_2024Q2_10Q` is Best Buy's, of the second quarter of 2024: a
//! question that says "Best Buy" means one of Best Buy's, and "Q2 of FY2024" tells which.
//!
//! Only ids that are a name followed by a year speak here. What a question asks of such a document stands in a hundred
//! others in nearly the same words, so that the name, where there is one, decides before anything that was found.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{RegId, RegulationInfo};

use super::period::{Asked, Period};

/// The reports of a library, by whom they are about.
#[derive(Debug, Default)]
pub(super) struct Subjects {
    /// By the letters of the name.
    families: BTreeMap<String, Family>,
}

#[derive(Debug, Default)]
struct Family {
    /// First letters of a name of several words.
    initials: String,
    members: Vec<(RegId, Period)>,
}

/// Members whose period fits this much less than the best one's are taken too.
const NEAR: f64 = 0.75;
/// A name shortened to its beginning must have so many letters, and so many when it is not all capitals.
const SHORTEST_BEGINNING: usize = 3;
const SHORTEST_WORD: usize = 4;
/// Words that are joined to one name at most.
const MOST_WORDS: usize = 5;

impl Subjects {
    pub(super) fn new(infos: &[&RegulationInfo]) -> Self {
        let mut families: BTreeMap<String, Family> = BTreeMap::new();
        for info in infos {
            if let Some((words, period)) = read(info.reg_id.as_str()) {
                let family = families.entry(words.concat()).or_default();
                if words.len() > 1 {
                    family.initials = words.iter().filter_map(|word| word.chars().next()).collect();
                }
                family.members.push((info.reg_id.clone(), period));
            }
        }
        Self { families }
    }

    /// The reports that a question means; none when it names nobody.
    pub(super) fn meant(&self, question: &str) -> BTreeSet<RegId> {
        let mut meant = BTreeSet::new();
        if self.families.is_empty() {
            return meant;
        }
        let words: Vec<Word<'_>> = words(question);
        let mut asked = None;
        for family in self.named(&words) {
            let asked = asked.get_or_insert_with(|| Asked::new(question));
            let scored: Vec<(f64, &RegId)> =
                family.members.iter().map(|(id, period)| (asked.fit(period), id)).collect();
            let best = scored.iter().map(|(fit, _)| *fit).fold(f64::NEG_INFINITY, f64::max);
            let near = scored.into_iter().filter(|(fit, _)| *fit >= best - NEAR);
            meant.extend(near.map(|(_, id)| id.clone()));
        }
        meant
    }

    fn named(&self, words: &[Word<'_>]) -> Vec<&Family> {
        let mut named: BTreeMap<&str, &Family> = BTreeMap::new();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| word.is_proper()) {
            let mut joined = String::new();
            let mut whole = false;
            for next in words.iter().skip(at).take(MOST_WORDS) {
                joined.push_str(&next.letters);
                if let Some((name, family)) = self.families.get_key_value(&joined) {
                    named.insert(name, family);
                    whole = true;
                }
            }
            if !whole && let Some((name, family)) = self.shortened(word) {
                named.insert(name, family);
            }
        }
        named.into_values().collect()
    }

    /// `MGM` for MGM Resorts, `JnJ` and `J&J` for Johnson & Johnson; only where it can mean nobody else.
    fn shortened(&self, word: &Word<'_>) -> Option<(&str, &Family)> {
        let initials = word.initials();
        let shortest = if word.all_capitals { SHORTEST_BEGINNING } else { SHORTEST_WORD };
        let begins = |name: &str| word.letters.len() >= shortest && name.starts_with(&word.letters);
        let mut fitting = self.families.iter().filter(|(name, family)| {
            begins(name) || (!family.initials.is_empty() && initials.as_ref() == Some(&family.initials))
        });
        let (name, family) = fitting.next()?;
        fitting.next().is_none().then_some((name.as_str(), family))
    }
}

/// The words of the name that an id begins with, in small letters, and the period behind them; none when there is no year.
fn read(id: &str) -> Option<(Vec<String>, Period)> {
    let parts: Vec<String> = id
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_lowercase)
        .collect();
    let period_at = parts.iter().position(|part| Period::begins_with(part))?;
    let (name, rest) = parts.split_at(period_at);
    (!name.is_empty()).then(|| (name.to_vec(), Period::read(rest)))
}

/// A word of a question.
struct Word<'a> {
    text: &'a str,
    /// Small letters and digits only.
    letters: String,
    first: bool,
    all_capitals: bool,
}

impl Word<'_> {
    /// A name is written with a capital; at the beginning of a question every word is.
    fn is_proper(&self) -> bool {
        let begins = self.text.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit());
        begins && (!self.first || self.all_capitals || self.letters.len() >= SHORTEST_WORD)
    }

    /// The letters of `JnJ` or `J&J`, small; none for a word that is no such thing.
    fn initials(&self) -> Option<String> {
        let capitals: String = self.text.chars().filter(|c| c.is_uppercase()).collect();
        let joins = self.text.chars().all(|c| c.is_uppercase() || c == 'n' || c == '&');
        (joins && capitals.chars().count() >= 2).then(|| capitals.to_lowercase())
    }
}

fn words(question: &str) -> Vec<Word<'_>> {
    let parts = question.split(|c: char| !(c.is_alphanumeric() || c == '&')).filter(|part| *part != "&");
    let mut words = Vec::new();
    for text in parts.filter(|part| !part.is_empty()) {
        let letters: String =
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        // What is left of `Amazon's`.
        if text == "s" || letters.is_empty() {
            continue;
        }
        let all_capitals = text.chars().all(|c| !c.is_lowercase()) && text.chars().any(char::is_uppercase);
        words.push(Word { text, letters, first: words.is_empty(), all_capitals });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subjects(ids: &[&str]) -> Subjects {
        let infos: Vec<RegulationInfo> = ids
            .iter()
            .map(|id| {
                let json = serde_json::json!({
                    "reg_id": id, "title": "Annual report", "source_file": "", "total_pages": 1, "indexed_at": ""
                });
                serde_json::from_value(json).unwrap()
            })
            .collect();
        Subjects::new(&infos.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_name_and_a_period_mean_one_report() {
        let library = subjects(&[
            "BESTBUY_2023_10K",
            "BESTBUY_2024Q2_10Q",
            "JOHNSON_JOHNSON_2022_10K",
            "JOHNSON_JOHNSON_2023_8K_dated-2023-08-30",
            "MGMRESORTS_2022Q4_EARNINGS",
            "NETFLIX_2015_10K",
            "PEPSICO_2022_10K",
            "PEPSICO_2023_8K_dated-2023-05-05",
            "PEPSICO_2023_8K_dated-2023-05-30",
            "angui_2024",
        ]);
        let meant = |question: &str| {
            let ids = library.meant(question);
            ids.iter().map(RegId::as_str).collect::<Vec<_>>().join(" ")
        };
        for (question, report) in [
            ("How did Best Buy do in FY2023?", "BESTBUY_2023_10K"),
            ("Which Best Buy category did best during Q2 of FY2024?", "BESTBUY_2024Q2_10Q"),
            ("Are Best Buy's margins consistent?", "BESTBUY_2023_10K"),
            ("What drove JnJ's margin in FY2022?", "JOHNSON_JOHNSON_2022_10K"),
            ("What drove the margin of Johnson & Johnson in 2022?", "JOHNSON_JOHNSON_2022_10K"),
            ("What did J&J gain, as of August 30, 2023?", "JOHNSON_JOHNSON_2023_8K_dated-2023-08-30"),
            ("Which region was worst for MGM during FY2022?", "MGMRESORTS_2022Q4_EARNINGS"),
            ("What did Pepsico borrow on May 26, 2023?", "PEPSICO_2023_8K_dated-2023-05-30"),
            ("At the Pepsico AGM held on May 3, 2023, who was elected?", "PEPSICO_2023_8K_dated-2023-05-05"),
            ("What was the net income in 2015?", ""),
            ("What is the Net income in 2015?", ""),
            ("安规2024 怎么说", ""),
        ] {
            assert_eq!(meant(question), report, "{question}");
        }
        assert_eq!(
            meant("Compare Netflix 2015 and Best Buy 2023"),
            "BESTBUY_2023_10K NETFLIX_2015_10K",
            "whoever is named is meant"
        );
    }

    #[test]
    fn a_beginning_that_two_names_share_names_nobody() {
        let library = subjects(&["AMERICANEXPRESS_2022_10K", "AMERICANWATERWORKS_2022_10K"]);
        assert!(library.meant("What did American buyers pay in 2022?").is_empty());
        assert_eq!(library.meant("What did American Express earn in 2022?").len(), 1);
    }
}
