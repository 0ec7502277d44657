//! What is known about the regulations of a library, folded and looked up once, so that a question over a thousand
//! regulations need not read a thousand titles.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regreader_model::{RegId, RegulationInfo};
use regreader_question::squeeze;
use regreader_text::{TermCounter, fold};

use super::edition::Editions;
use super::names::Names;

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
}

/// One regulation.
pub(super) struct Entry {
    pub(super) info: RegulationInfo,
    /// Title, scope and description.
    pub(super) about: String,
    /// Every name it goes by, letters and digits parted: `gb38755` is also 38755.
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
            let named =
                info.aliases.iter().map(String::as_str).chain([info.title.as_str(), info.reg_id.as_str()]);
            let named = parted(&named.collect::<Vec<_>>().join("\n"));
            entries.push(Entry { info: (*info).clone(), about, named, keywords });
        }
        let names = Names::new(&infos);
        let editions = Editions::new(infos.into_iter());
        Self { entries, places, names, editions, pairs, titles }
    }

    /// How well the names of each regulation (title, aliases, number) fit the words of a question: BM25 without lengths,
    /// as a share of the best one's. Regulations that have none of the words are left out.
    pub(crate) fn fits(&self, words: &[(String, f32)]) -> BTreeMap<RegId, f64> {
        let counter = TermCounter::new(words.iter().map(|(word, _)| word));
        let mut having = vec![0_u32; words.len()];
        let mut found: Vec<(&RegId, Vec<u32>)> = Vec::new();
        let mut counts = vec![0_u32; words.len()];
        for entry in &self.entries {
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
        let named = self.titles.iter().filter(|(title, _)| text.contains(title.as_str()));
        named.map(|(_, id)| id).filter(|id| !self.editions.are_one(id, reg_id)).collect()
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
