//! What is known about the regulations of a library, folded and looked up once, so that a question over a thousand
//! regulations need not read a thousand titles.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regreader_model::{RegId, RegulationInfo};
use regreader_question::squeeze;
use regreader_text::{TermCounter, fold};

use super::edition::Editions;
use super::names::{self, Names};

/// The regulations of a library, ready for questions.
pub(crate) struct RegulationCatalog {
    pub(super) entries: Vec<Entry>,
    /// Where each stands among the entries.
    places: BTreeMap<RegId, u32>,
    pub(super) names: Names,
    pub(super) editions: Editions,
    /// Where two characters stand side by side in what a regulation says about itself.
    pairs: HashMap<[char; 2], Vec<u32>>,
    /// Titles and aliases, letters and digits only, and whose they are.
    titles: BTreeMap<String, RegId>,
    /// The same titles by their first two characters.
    titles_by_start: HashMap<[char; 2], Vec<String>>,
    /// Which regulations may have a word in one of their names, by what the word begins with.
    named_by_start: HashMap<WordStart, Vec<u32>>,
}

/// What a word is looked up by: two Chinese characters, or one character of anything else.
type WordStart = (char, Option<char>);

/// One regulation.
pub(super) struct Entry {
    pub(super) info: RegulationInfo,
    /// Title, scope and description.
    pub(super) about: String,
    /// Every name it goes by and who issues it, letters and digits parted: `gb38755` is also 38755.
    pub(super) named: String,
    /// Its subject words.
    pub(super) keywords: Vec<String>,
}

/// A title shorter than this between 《 and 》 may be anybody's.
const SHORTEST_TITLE: usize = 4;

impl RegulationCatalog {
    pub(crate) fn new<'a>(infos: impl Iterator<Item = &'a RegulationInfo>) -> Self {
        let infos: Vec<&RegulationInfo> = infos.collect();
        let mut titles = BTreeMap::new();
        let mut pairs: HashMap<[char; 2], Vec<u32>> = HashMap::new();
        let mut entries = Vec::with_capacity(infos.len());
        let mut places = BTreeMap::new();
        let mut named_by_start: HashMap<WordStart, Vec<u32>> = HashMap::new();
        for (at, info) in infos.iter().enumerate() {
            let said = [Some(info.title.as_str()), info.scope.as_deref(), info.description.as_deref()];
            let about = fold(&said.map(Option::unwrap_or_default).join("\n"));
            let keywords: Vec<String> = info.keywords.iter().map(|keyword| fold(keyword)).collect();
            let mut here: BTreeSet<[char; 2]> = BTreeSet::new();
            for text in keywords.iter().chain([&about]) {
                here.extend(text.chars().zip(text.chars().skip(1)).map(|(a, b)| [a, b]));
            }
            for pair in here {
                pairs.entry(pair).or_default().push(at as u32);
            }
            for name in info.aliases.iter().chain([&info.title]).map(|name| title(name)) {
                if name.chars().count() >= SHORTEST_TITLE {
                    titles.insert(name, info.reg_id.clone());
                }
            }
            places.insert(info.reg_id.clone(), at as u32);
            let known_by = [Some(info.title.as_str()), Some(info.reg_id.as_str()), info.issuer.as_deref()];
            let named = info.aliases.iter().map(String::as_str).chain(known_by.into_iter().flatten());
            let named = parted(&named.collect::<Vec<_>>().join("\n"));
            for start in word_starts(&named) {
                named_by_start.entry(start).or_default().push(at as u32);
            }
            entries.push(Entry { info: (*info).clone(), about, named, keywords });
        }
        let names = Names::new(&infos);
        let editions = Editions::new(infos.into_iter());
        let mut titles_by_start: HashMap<[char; 2], Vec<String>> = HashMap::new();
        for title in titles.keys() {
            if let Some(start) = names::start(title) {
                titles_by_start.entry(start).or_default().push(title.clone());
            }
        }
        Self { entries, places, names, editions, pairs, titles, titles_by_start, named_by_start }
    }

    /// How well the names of each regulation (title, aliases, number) fit the words of a question: BM25 without lengths,
    /// as a share of the best one's. Regulations that have none of the words are left out.
    pub(crate) fn fits(&self, words: &[(String, f32)]) -> BTreeMap<RegId, f64> {
        let counter = TermCounter::new(words.iter().map(|(word, _)| word));
        let mut having = vec![0_u32; words.len()];
        let mut found: Vec<(&RegId, Vec<u32>)> = Vec::new();
        let mut counts = vec![0_u32; words.len()];
        for entry in self.perhaps_named_by(words) {
            counts.fill(0);
            counter.count(&entry.named, &mut counts);
            if counts.iter().any(|count| *count > 0) {
                for (having, count) in having.iter_mut().zip(&counts) {
                    *having += u32::from(*count > 0);
                }
                found.push((&entry.info.reg_id, counts.clone()));
            }
        }
        let total = self.entries.len() as f64;
        let rarity = |having: &u32| {
            let having = f64::from((*having).max(1));
            (1.0 + (total - having + 0.5) / (having + 0.5)).ln().max(0.0)
        };
        let rarities: Vec<f64> = having.iter().map(rarity).collect();
        let score = |counts: &[u32]| -> f64 {
            counts.iter().zip(&rarities).filter(|(count, _)| **count > 0).map(|(_, rarity)| rarity).sum()
        };
        let scores: Vec<(&RegId, f64)> =
            found.iter().map(|(reg_id, counts)| (*reg_id, score(counts))).collect();
        let best = scores.iter().map(|(_, score)| *score).fold(f64::MIN_POSITIVE, f64::max);
        scores.into_iter().map(|(reg_id, score)| (reg_id.clone(), score / best)).collect()
    }

    /// The entries that may have one of these words in their names, in order. Of a thousand regulations a question mostly
    /// concerns some dozen.
    fn perhaps_named_by(&self, words: &[(String, f32)]) -> impl Iterator<Item = &Entry> {
        let mut perhaps: Vec<u32> = words
            .iter()
            .filter_map(|(word, _)| self.named_by_start.get(&word_start(word)?))
            .flatten()
            .copied()
            .collect();
        perhaps.sort_unstable();
        perhaps.dedup();
        perhaps.into_iter().filter_map(|at| self.entries.get(at as usize))
    }

    /// Where a regulation stands among the entries.
    pub(super) fn place(&self, reg_id: &RegId) -> Option<u32> {
        self.places.get(reg_id).copied()
    }

    /// The editions of the library.
    pub(crate) fn editions(&self) -> &Editions {
        &self.editions
    }

    /// Entries that may say a word about themselves. Words of one letter are looked for in all.
    pub(super) fn saying(&self, word: &str) -> Vec<u32> {
        let mut letters = word.chars();
        match (letters.next(), letters.next()) {
            (Some(a), Some(b)) => self.pairs.get(&[a, b]).cloned().unwrap_or_default(),
            (Some(_), None) => (0..self.entries.len() as u32).collect(),
            _ => Vec::new(),
        }
    }

    /// A text of a regulation without the titles of other regulations of the library that it quotes: `按《稳定规定》执行`
    /// is no answer to a question about stability, but tells where there is one. None when it quotes none. The text is
    /// folded line by line: a title that a heading cuts off ends with its line.
    pub(crate) fn without_titles_of_others(&self, reg_id: &RegId, text: &str) -> Option<String> {
        let mut rest = text;
        let mut own = String::new();
        let mut found = false;
        while let Some((before, opened)) = rest.split_once('《') {
            own.push_str(before);
            let end = opened.find(['》', '《', '\n']).unwrap_or(opened.len());
            let (quoted, after) = opened.split_at(end);
            if self.is_title_of_another(reg_id, quoted, after.starts_with('》')) {
                found = true;
            } else {
                own.push_str(quoted);
            }
            own.push('\n');
            rest = after;
        }
        own.push_str(rest);
        found.then_some(own)
    }

    /// Other regulations that a text, folded, names by title or alias.
    pub(super) fn named_in(&self, reg_id: &RegId, text: &str) -> BTreeSet<&RegId> {
        let text = squeeze(text);
        let rests = text.char_indices().filter_map(|(at, _)| text.get(at..));
        let begun = rests.filter_map(|rest| Some((rest, self.titles_by_start.get(&names::start(rest)?)?)));
        let named = begun
            .flat_map(|(rest, titles)| titles.iter().filter(move |title| rest.starts_with(title.as_str())));
        named
            .filter_map(|title| self.titles.get(title))
            .filter(|id| !self.editions.are_one(id, reg_id))
            .collect()
    }

    fn is_title_of_another(&self, reg_id: &RegId, quoted: &str, whole: bool) -> bool {
        let quoted = title(quoted);
        let another = |(known, id): (&String, &RegId)| {
            let same = if whole { *known == quoted } else { known.starts_with(&quoted) };
            same && !self.editions.are_one(id, reg_id)
        };
        quoted.chars().count() >= SHORTEST_TITLE
            && self.titles.range(quoted.clone()..).next().is_some_and(another)
    }
}

/// What a word begins with, as [`TermCounter`] tells words apart: a Chinese one is a pair, of others the first letter must be
/// the same, and what follows may change with the form.
fn word_start(word: &str) -> Option<WordStart> {
    let mut chars = word.chars();
    let first = chars.next()?;
    Some((first, chars.next().filter(|_| !first.is_ascii())))
}

/// What every word of a folded text may begin with. White space does not part Chinese characters.
fn word_starts(folded: &str) -> BTreeSet<WordStart> {
    let chars = || folded.chars().filter(|c| !c.is_whitespace());
    let pairs = chars().zip(chars().skip(1)).map(|(first, second)| (first, Some(second)));
    pairs.chain(chars().map(|c| (c, None))).collect()
}

/// A text with a space wherever letters and digits meet.
fn parted(text: &str) -> String {
    let mut parted = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for c in fold(text).chars() {
        if (before.is_ascii_digit() && c.is_ascii_alphabetic())
            || (before.is_ascii_alphabetic() && c.is_ascii_digit())
            || c == '_'
        {
            parted.push(' ');
        }
        before = c;
        parted.push(c);
    }
    parted
}

/// A title as it is compared: without what stands in brackets behind it.
fn title(name: &str) -> String {
    let folded = fold(name);
    let main = folded.split(['(', '（']).next().filter(|main| !main.trim().is_empty()).unwrap_or(&folded);
    squeeze(main)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: &str, title: &str) -> RegulationInfo {
        let json = format!(
            r#"{{"reg_id":"{id}","title":"{title}","source_file":"","total_pages":1,"indexed_at":""}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    /// Looking words up by their beginnings finds what counting in every name finds.
    #[test]
    fn no_regulation_with_a_word_in_its_name_is_passed_over() {
        let infos = [
            info("GB38755", "电力系统安全 稳定导则"),
            info("cip-003-8", "Security Policies"),
            info("law1", "道路交通安全法"),
            info("X7", "章"),
        ];
        let known = RegulationCatalog::new(infos.iter());
        let words = ["安全", "全稳", "polic", "38755", "8", "章", "交通", "x", "无关"];
        for word in words {
            let counter = TermCounter::new([word]);
            let counted = |entry: &&Entry| {
                let mut counts = [0];
                counter.count(&entry.named, &mut counts);
                counts != [0]
            };
            let all: BTreeSet<&RegId> =
                known.entries.iter().filter(counted).map(|entry| &entry.info.reg_id).collect();
            let found = known.fits(&[(word.to_owned(), 1.0)]);
            assert_eq!(found.keys().collect::<BTreeSet<_>>(), all, "{word}");
        }
        assert_eq!(known.fits(&[("安全".to_owned(), 1.0)]).len(), 2);
    }

    #[test]
    fn titles_are_found_wherever_they_stand_in_a_text() {
        let infos = [info("a", "道路交通安全法"), info("b", "交通安全"), info("c", "电力法则")];
        let known = RegulationCatalog::new(infos.iter());
        let ids = |text: &str| -> Vec<&str> {
            known.named_in(&infos[2].reg_id, text).into_iter().map(RegId::as_str).collect()
        };
        assert_eq!(ids("依照《道路交通安全法》和电力法则处理"), ["a", "b"], "its own title is no other");
        assert!(ids("道路").is_empty());
    }
}
