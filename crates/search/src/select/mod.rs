//! Choosing regulations for a question, and saying why.
//!
//! A regulation speaks for itself by its names, its subject words, its scope and title, the titles of its chapters, and
//! by what the index really holds. None of these decides alone: a question seldom uses the words that stand in the
//! metadata, and a word that is found may be found everywhere.

mod catalog;
mod edition;
mod missing_edition;
mod names;

use std::collections::{BTreeMap, BTreeSet};

use regreader_index::ChoiceWeights;
use regreader_messages::tools;
use regreader_model::{RegId, RegulationInfo};
use regreader_question::Question;
use regreader_text::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::catalog::Entry;
pub(crate) use self::catalog::RegulationCatalog;
pub(crate) use self::edition::Editions;
use self::names::Mention;

/// Which regulations a search went to, and why.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// The regulations, best first.
    pub chosen: Vec<ChosenRegulation>,
    /// Nothing spoke for any of them, so all were searched.
    pub fell_back: bool,
    /// The question names them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_name: bool,
    /// Editions left aside because a newer one is in force and the question does not name them. A caller gets what they say
    /// apart, with a warning, and needs no list of them.
    #[serde(skip)]
    pub superseded: Vec<SupersededRegulation>,
}

/// One chosen regulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChosenRegulation {
    /// Regulation that is searched.
    pub reg_id: RegId,
    /// How much speaks for it; comparable within one selection.
    pub score: f64,
    /// What speaks for it, for a person.
    pub reasons: Vec<String>,
}

/// An edition that was left aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupersededRegulation {
    /// Edition that is not searched.
    pub reg_id: RegId,
    /// The edition in force.
    pub superseded_by: RegId,
}

/// What the index holds for the question in one regulation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evidence {
    /// Best score, as a share of the best of all regulations.
    pub(crate) best: f64,
    /// Text of the best hits with their titles, folded: what of the question it answers.
    pub(crate) text: String,
    /// Chapter titles of its hits, best first.
    pub(crate) chapters: Vec<String>,
    /// Page of its best hit.
    pub(crate) page: Option<u32>,
    /// Text of the best hit alone, folded, with the titles that it quotes.
    pub(crate) first: String,
}

/// Above this many candidates, selection gives up and searches everything.
const MOST: usize = 6;

/// Chooses among the regulations of a library. `weights` are the words of the question with their weights.
pub(crate) fn select(
    question: &Question,
    weights: &[(String, f32)],
    known: &RegulationCatalog,
    evidence: &BTreeMap<RegId, Evidence>,
    choice: &ChoiceWeights,
) -> Selection {
    let words = QuestionWords::new(question.folded(), weights, choice);
    let editions = &known.editions;
    let best = |reg_id: &RegId| evidence.get(reg_id).map_or(0.0, |found| found.best);
    let set_aside = editions.set_aside(question, choice.older_edition, best);
    let superseded: Vec<SupersededRegulation> = set_aside
        .iter()
        .map(|(old, new)| SupersededRegulation { reg_id: old.clone(), superseded_by: new.clone() })
        .collect();
    let named = editions.named(question);
    let asked =
        known.names.asked(question.folded(), known.entries.iter().map(|entry| &entry.info), &set_aside);
    let said = words.said(known);
    let (none, silent) = (Evidence::default(), Said::default());
    let current = || known.entries.iter().filter(|entry| !set_aside.contains_key(&entry.info.reg_id));
    // Most regulations of a large library have nothing to do with the question.
    let somehow = evidence.keys().chain(&named).chain(asked.near());
    let mut concerned: BTreeSet<u32> = somehow.filter_map(|id| known.place(id)).collect();
    concerned.extend(said.keys());
    let mut scored: Vec<Scored<'_>> = Vec::new();
    for at in concerned {
        let Some(entry) = known.entries.get(at as usize) else { continue };
        let id = &entry.info.reg_id;
        if set_aside.contains_key(id) {
            continue;
        }
        let (said, found) = (said.get(&at), evidence.get(id));
        let name = asked.mentioned(&entry.info);
        let edition_named = named.contains(id);
        if said.is_some() || found.is_some() || edition_named || name.score > 0.0 {
            let (said, found) = (said.unwrap_or(&silent), found.unwrap_or(&none));
            scored.push(words.score(entry, said, found, &name, edition_named));
        }
    }
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.info.reg_id.cmp(&b.info.reg_id)));
    if editions.compares(question) {
        name_all_editions(&mut scored, editions);
    }
    follow_references(&mut scored, evidence, known, choice.referred);
    let chosen = words.choose(&scored, known.entries.len().saturating_sub(set_aside.len()));
    let fell_back = chosen.is_empty();
    let by_name = chosen.iter().any(|one| one.named);
    let rounded = |score: f64| (score * 1000.0).round() / 1000.0;
    let chosen = if fell_back {
        let score =
            |id: &RegId| scored.iter().find(|one| one.info.reg_id == *id).map_or(0.0, |one| one.score);
        let all = current().map(|entry| ChosenRegulation {
            reg_id: entry.info.reg_id.clone(),
            score: rounded(score(&entry.info.reg_id)),
            reasons: vec![tools::ALL_SEARCHED.into()],
        });
        let mut all: Vec<ChosenRegulation> = all.collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.reg_id.cmp(&b.reg_id)));
        all
    } else {
        let one = |one: &Scored<'_>| ChosenRegulation {
            reg_id: one.info.reg_id.clone(),
            score: rounded(one.score),
            reasons: one.reasons.clone(),
        };
        chosen.into_iter().map(one).collect()
    };
    Selection { chosen, fell_back, by_name, superseded }
}

/// How much of what a text says about the question is left without the titles of other regulations that it quotes, 0 to
/// 1. `words` are those of the question.
pub(crate) fn own_share(words: &[(String, f32)], whole: &str, own: &str) -> f64 {
    let weight = |text: &str| -> f64 {
        words
            .iter()
            .filter(|(word, _)| text.contains(word.as_str()))
            .map(|(_, weight)| f64::from(*weight))
            .sum()
    };
    let all = weight(whole);
    if all > 0.0 { weight(own) / all } else { 1.0 }
}

/// A question about what changed means every edition of what it names.
fn name_all_editions(scored: &mut [Scored<'_>], editions: &Editions) {
    let named: Vec<RegId> =
        scored.iter().filter(|one| one.named).map(|one| one.info.reg_id.clone()).collect();
    for one in scored.iter_mut().filter(|one| !one.named) {
        if named.iter().any(|id| editions.are_one(id, &one.info.reg_id)) {
            one.named = true;
            one.reasons.push(tools::REASON_EDITIONS.into());
        }
    }
}

/// `稳规1.3.4提到…按哪里处理`: where the regulation that is named sends the reader on, that one is meant too. Where none is named, the
/// best hit may send the reader on: `限额执行《稳定规定》第3章`.
fn follow_references(
    scored: &mut [Scored<'_>],
    evidence: &BTreeMap<RegId, Evidence>,
    known: &RegulationCatalog,
    least: f64,
) {
    let by_name = scored.iter().any(|one| one.named);
    let leading = scored.iter().filter(|one| if by_name { one.named } else { one.holds_best });
    let leading = leading.map(|one| &one.info.reg_id).filter_map(|id| Some((id, evidence.get(id)?)));
    let referred: BTreeSet<&RegId> =
        leading.flat_map(|(id, found)| known.named_in(id, &found.first)).collect();
    for one in scored.iter_mut().filter(|one| !one.named && referred.contains(&one.info.reg_id)) {
        if evidence.get(&one.info.reg_id).is_some_and(|found| found.best >= least) {
            one.named = by_name;
            one.referred = true;
            one.reasons.push(tools::REASON_CITED.into());
        }
    }
}

/// Which words of a question a regulation says about itself.
#[derive(Debug, Default)]
struct Said {
    about: BTreeSet<usize>,
    keywords: BTreeSet<usize>,
}

/// The words of a question with their weights.
struct QuestionWords<'a> {
    folded: &'a str,
    words: &'a [(String, f32)],
    total: f64,
    choice: &'a ChoiceWeights,
}

/// A regulation with what speaks for it.
struct Scored<'a> {
    info: &'a RegulationInfo,
    score: f64,
    /// Named outright: by alias, title or id.
    named: bool,
    /// Which words of the question it answers.
    answers: BTreeSet<usize>,
    holds_best: bool,
    /// What is named, or the best hit, sends the reader there.
    referred: bool,
    reasons: Vec<String>,
}

impl<'a> QuestionWords<'a> {
    fn new(folded: &'a str, words: &'a [(String, f32)], choice: &'a ChoiceWeights) -> Self {
        let total = words.iter().map(|(_, weight)| f64::from(*weight)).sum::<f64>().max(f64::MIN_POSITIVE);
        Self { folded, words, total, choice }
    }

    /// Which of its words each regulation says about itself.
    fn said(&self, known: &RegulationCatalog) -> BTreeMap<u32, Said> {
        let mut said: BTreeMap<u32, Said> = BTreeMap::new();
        for (place, (word, _)) in self.words.iter().enumerate() {
            for at in known.saying(word) {
                let Some(entry) = known.entries.get(at as usize) else { continue };
                let about = entry.about.contains(word.as_str());
                let keywords = entry.keywords.iter().any(|keyword| keyword.contains(word.as_str()));
                if about || keywords {
                    let said = said.entry(at).or_default();
                    said.about.extend(about.then_some(place));
                    said.keywords.extend(keywords.then_some(place));
                }
            }
        }
        said
    }

    fn score<'i>(
        &self,
        entry: &'i Entry,
        said: &Said,
        evidence: &Evidence,
        name: &Mention,
        edition_named: bool,
    ) -> Scored<'i> {
        let (info, choice) = (&entry.info, self.choice);
        let mut reasons = Vec::new();
        if let Some(name) = &name.outright {
            reasons.push(tools::by_name(name));
        } else if name.score > 0.3 {
            reasons.push(tools::by_near_name(info.short_name()));
        }
        if edition_named && let Some(edition) = &info.edition {
            reasons.push(tools::by_edition(edition));
        }
        let (keyword_score, keywords) = self.by_keywords(entry, &said.keywords);
        if !keywords.is_empty() {
            reasons.push(tools::by_keywords(keywords.join(", ")));
        }
        let about_score = self.share(&said.about);
        if about_score > 0.3 {
            reasons.push(tools::REASON_SCOPE.into());
        }
        let titles = fold(&evidence.chapters.join("\n"));
        let chapter_score = self.share(&self.words_in(&titles));
        let chapter = evidence.chapters.iter().find(|title| self.share(&self.words_in(&fold(title))) >= 0.3);
        if let Some(title) = chapter {
            reasons.push(tools::by_chapter(title));
        }
        let holds_best = evidence.best >= 1.0;
        if let Some(page) = evidence.page.filter(|_| evidence.best > 0.5) {
            reasons.push(if holds_best { tools::best_on_page(page) } else { tools::found_on_page(page) });
        }
        let mut answers = self.words_in(&evidence.text);
        answers.extend(&said.keywords);
        let score = evidence.best
            + choice.name * name.score
            + choice.keywords * keyword_score
            + choice.about * about_score
            + choice.chapter * chapter_score
            + if edition_named { choice.edition } else { 0.0 };
        let named = name.outright.is_some() || edition_named;
        Scored { info, score, named, answers, holds_best, referred: false, reasons }
    }

    /// How much of the question the subject words cover: whole words fully, words that stand inside one by half.
    fn by_keywords(&self, entry: &Entry, said: &BTreeSet<usize>) -> (f64, Vec<String>) {
        if said.is_empty() {
            return (0.0, Vec::new());
        }
        let mut fully = BTreeSet::new();
        let mut whole = Vec::new();
        for (keyword, folded) in entry.info.keywords.iter().zip(&entry.keywords) {
            if !folded.is_empty() && self.folded.contains(folded) {
                let inside = |at: &&usize| {
                    self.words.get(**at).is_some_and(|(word, _)| folded.contains(word.as_str()))
                };
                fully.extend(said.iter().filter(inside).copied());
                whole.push(keyword.clone());
            }
        }
        let half = self.share(&said.difference(&fully).copied().collect());
        (self.share(&fully) + 0.5 * half, whole)
    }

    fn words_in(&self, folded: &str) -> BTreeSet<usize> {
        let there = |(at, (word, _)): (usize, &(String, f32))| folded.contains(word.as_str()).then_some(at);
        self.words.iter().enumerate().filter_map(there).collect()
    }

    fn share(&self, words: &BTreeSet<usize>) -> f64 {
        let weight = |at: &usize| self.words.get(*at).map_or(0.0, |(_, weight)| f64::from(*weight));
        words.iter().map(weight).sum::<f64>() / self.total
    }

    /// Those that were named; else the best one, those near to it, and those that answer what it leaves open.
    /// `total` is how many there are to choose from.
    fn choose<'s, 'i>(&self, scored: &'s [Scored<'i>], total: usize) -> Vec<&'s Scored<'i>> {
        let named: Vec<&Scored<'_>> = scored.iter().filter(|one| one.named).collect();
        if !named.is_empty() {
            return named;
        }
        let Some(best) = scored.first().filter(|best| best.score > 0.05) else { return Vec::new() };
        // The best hit is always somewhere; a regulation that holds next to none of the question's words has not been
        // spoken for by it.
        if scored.iter().all(|one| !one.referred && self.share(&one.answers) < self.choice.gain) {
            return Vec::new();
        }
        let mut chosen = vec![best];
        let mut answered = best.answers.clone();
        for one in scored.iter().skip(1) {
            let gained = one.answers.difference(&answered).copied().collect();
            let near = one.score >= self.choice.near * best.score;
            let adds =
                one.score >= self.choice.gain_near * best.score && self.share(&gained) >= self.choice.gain;
            if near || adds || one.holds_best || one.referred {
                answered.extend(one.answers.iter().copied());
                chosen.push(one);
            }
        }
        // When nearly everything is chosen nothing is: then all are searched.
        if chosen.len() > MOST && chosen.len() * 2 > total {
            return Vec::new();
        }
        let holder = chosen.iter().position(|one| one.holds_best);
        if chosen.len() > MOST {
            let kept = holder.filter(|at| *at >= MOST).and_then(|at| chosen.get(at).copied());
            chosen.truncate(MOST);
            chosen.extend(kept);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(id: &str, title: &str, keywords: &[&str], aliases: &[&str]) -> RegulationInfo {
        let json = format!(
            r#"{{"reg_id":"{id}","title":"{title}","source_file":"a.pdf","total_pages":9,"indexed_at":""}}"#
        );
        let mut info: RegulationInfo = serde_json::from_str(&json).unwrap();
        info.keywords = keywords.iter().map(|word| (*word).to_owned()).collect();
        info.aliases = aliases.iter().map(|word| (*word).to_owned()).collect();
        info
    }

    fn read(query: &str) -> Question {
        Question::read(query, regreader_question::Lexicon::built_in())
    }

    fn evidence(best: f64, text: &str) -> Evidence {
        Evidence { best, text: fold(text), page: Some(3), ..Evidence::default() }
    }

    fn words(list: &[&str]) -> Vec<(String, f32)> {
        list.iter().map(|word| ((*word).to_owned(), 1.0)).collect()
    }

    fn chosen(selection: &Selection) -> Vec<&str> {
        selection.chosen.iter().map(|one| one.reg_id.as_str()).collect()
    }

    fn library() -> Vec<RegulationInfo> {
        vec![
            info(
                "angui_2024",
                "安全自动装置规定",
                &["安控装置", "母线失压", "压板投退"],
                &["安规2024", "安规"],
            ),
            info("wengui_2024", "特高压稳定规定", &["稳定限额", "特高压"], &["稳规2024", "稳规"]),
        ]
    }

    fn ask(query: &str, tokens: &[&str], angui: (f64, &str), wengui: (f64, &str)) -> Selection {
        let infos = library();
        let found = BTreeMap::from([
            (infos[0].reg_id.clone(), evidence(angui.0, angui.1)),
            (infos[1].reg_id.clone(), evidence(wengui.0, wengui.1)),
        ]);
        select(
            &read(query),
            &words(tokens),
            &RegulationCatalog::new(infos.iter()),
            &found,
            &ChoiceWeights::default(),
        )
    }

    #[test]
    fn a_subject_word_and_the_best_hit_choose_one() {
        let selection = ask("母线失压", &["母线", "线失", "失压"], (1.0, "母线失压"), (0.5, "母线"));
        assert_eq!(chosen(&selection), ["angui_2024"]);
        assert!(
            selection.chosen[0].reasons.iter().any(|reason| reason.contains("母线失压")),
            "{selection:?}"
        );
        assert!(!selection.fell_back);
    }

    #[test]
    fn a_best_hit_without_the_questions_words_chooses_nothing() {
        let tokens = ["量子", "子计", "计算", "算机", "巧克", "克力", "配方"];
        let selection = ask("量子计算机的巧克力配方", &tokens, (1.0, "整定值由国调统一计算"), (0.4, ""));
        assert!(selection.fell_back && selection.chosen.len() == 2, "{selection:?}");
    }

    #[test]
    fn each_regulation_that_answers_a_part_is_chosen() {
        let tokens = ["天中", "中直", "直流", "稳定", "限额", "安控", "措施"];
        let selection = ask(
            "天中直流的稳定限额和安控措施",
            &tokens,
            (0.7, "天中直流安控措施"),
            (1.0, "天中直流稳定限额"),
        );
        assert_eq!(chosen(&selection), ["wengui_2024", "angui_2024"]);
    }

    #[test]
    fn a_name_decides() {
        let selection =
            ask("稳规里母线失压怎么说", &["母线", "线失", "失压"], (1.0, "母线失压"), (0.4, "母线"));
        assert_eq!(chosen(&selection), ["wengui_2024"]);
        assert!(selection.chosen[0].reasons[0].contains("稳规"));
    }

    #[test]
    fn the_holder_of_the_best_hit_is_never_left_out() {
        let selection = ask("压板投退", &["压板", "板投", "投退"], (0.2, "压板"), (1.0, "压板投退"));
        assert!(chosen(&selection).contains(&"wengui_2024"), "{selection:?}");
    }

    /// 《稳规》 quoted in another regulation tells where the answer is; it is none.
    #[test]
    fn a_quoted_title_speaks_for_its_owner() {
        let infos = library();
        let known = RegulationCatalog::new(infos.iter());
        let text = fold("稳定限额执行《特高压稳定规定》第3章和《安全自动装置规定》，另见《无名办法》。");
        let own = known.without_titles_of_others(&infos[0].reg_id, &text).unwrap();
        assert!(!own.contains("特高压") && own.contains("安全自动装置") && own.contains("无名办法"), "{own}");
        let share = own_share(&words(&["特高", "高压", "稳定", "限额"]), &text, &own);
        assert!((share - 0.5).abs() < 1e-9, "{share}");
        assert_eq!(known.without_titles_of_others(&infos[1].reg_id, "《特高压稳定规定》《"), None);
        let cut = known
            .without_titles_of_others(&infos[0].reg_id, "限额执行《特高压稳定\n限额执行《特高压稳定规定》。");
        assert!(!cut.unwrap().contains("特高压"), "a heading may be cut off inside a title");
    }

    /// 稳规 is named, and its clause says: see 安规.
    #[test]
    fn where_a_named_one_sends_the_reader_is_meant_too() {
        let infos = library();
        let mut wengui = evidence(1.0, "母线失压引起的越限");
        wengui.first = fold("母线失压引起的越限，按安规2024第六章处理。");
        let mut found = BTreeMap::from([
            (infos[0].reg_id.clone(), evidence(0.9, "母线失压")),
            (infos[1].reg_id.clone(), wengui),
        ]);
        let ask = |found: &BTreeMap<RegId, Evidence>| {
            select(
                &read("稳规里母线失压按哪里处理"),
                &words(&["母线", "失压"]),
                &RegulationCatalog::new(infos.iter()),
                found,
                &ChoiceWeights::default(),
            )
        };
        assert_eq!(chosen(&ask(&found)), ["wengui_2024", "angui_2024"]);
        found.insert(infos[0].reg_id.clone(), evidence(0.1, "母线"));
        assert_eq!(chosen(&ask(&found)), ["wengui_2024"], "but only where something is to be found");
    }

    /// Nobody is named, but the best hit says: execute the limits of 稳规.
    #[test]
    fn where_the_best_hit_sends_the_reader_is_looked_at_too() {
        let infos = library();
        let mut angui = evidence(1.0, "天中直流闭锁措施");
        angui.first = fold("天中直流闭锁后的功率执行《特高压稳定规定》第3章");
        let mut found = BTreeMap::from([
            (infos[0].reg_id.clone(), angui),
            (infos[1].reg_id.clone(), evidence(0.65, "天中直流")),
        ]);
        let tokens = words(&["天中", "直流", "闭锁", "措施"]);
        let known = RegulationCatalog::new(infos.iter());
        let ask = |found: &BTreeMap<RegId, Evidence>| {
            select(&read("天中直流闭锁的措施"), &tokens, &known, found, &ChoiceWeights::default())
        };
        assert_eq!(chosen(&ask(&found)), ["angui_2024", "wengui_2024"]);
        assert!(!ask(&found).by_name);
        found.get_mut(&infos[0].reg_id).unwrap().first = fold("天中直流闭锁后");
        assert_eq!(chosen(&ask(&found)), ["angui_2024"]);
    }

    /// The table of one edition has a name of its own; what changed is a question to both.
    #[test]
    fn a_comparison_means_every_edition_of_what_is_named() {
        let mut infos = [
            info("angui_2023", "安全自动装置规定", &[], &["安规2023"]),
            info("angui_2024", "安全自动装置规定", &[], &["安规2024", "安规"]),
        ];
        for (info, year) in infos.iter_mut().zip(["2023", "2024"]) {
            (info.series, info.edition) = (Some("angui".to_owned()), Some(year.to_owned()));
        }
        let found: BTreeMap<RegId, Evidence> =
            infos.iter().map(|info| (info.reg_id.clone(), evidence(1.0, "切火电"))).collect();
        let ask = |query: &str| {
            select(
                &read(query),
                &words(&["切火", "火电"]),
                &RegulationCatalog::new(infos.iter()),
                &found,
                &ChoiceWeights::default(),
            )
        };
        assert_eq!(chosen(&ask("切火电量，新旧版安规各是多少")).len(), 2);
        assert_eq!(chosen(&ask("切火电量，安规里是多少")), ["angui_2024"]);
    }

    #[test]
    fn nothing_known_falls_back_to_all() {
        let selection = ask("xyzzy", &["xyzzy"], (0.0, ""), (0.0, ""));
        assert_eq!(chosen(&selection).len(), 2);
        assert!(selection.fell_back);
    }
}
