//! Asking back: a question that fits two chapters of one regulation equally well and names neither.
//!
//! Regulations treat one asset after another under the same titles (天中直流 / 线路N-1方式, 青豫直流 / 线路N-1方式). When the best
//! passages stand under such titles, answering from one of them would give the limit of an asset that nobody asked for.

use std::collections::BTreeSet;

use regreader_messages::answers;
use regreader_text::fold;
use regreader_text::script::is_cjk;

use super::gather::Candidate;
use super::passage::Focus;
use crate::answer::answer_language;

/// Candidates whose score is at least this share of the best one's fit equally well. Below it, none of the given questions
/// would be asked back; between candidates of two assets the score differs by the length of the passage alone.
const EQUAL: f64 = 0.95;
/// Candidates that are compared with the best one.
const COMPARED: usize = 6;

/// What to ask back, in the language of the question; none when the question decides.
pub fn ask_back(question: &str, candidates: &[Candidate], focus: &Focus<'_>) -> Option<String> {
    let best = candidates.first()?;
    let said = fold(best.passage.most_said(focus));
    let mut names: Vec<String> = Vec::new();
    for other in candidates.iter().skip(1).take(COMPARED) {
        let same_regulation = other.passage.reg_id == best.passage.reg_id;
        if !same_regulation || best.is_looked_up() || other.score < best.score * EQUAL {
            continue;
        }
        // Chapters that say the same need not be told apart.
        if fold(other.passage.most_said(focus)) == said {
            continue;
        }
        let Some((own, its)) = parted(&best.passage.path, &other.passage.path) else { continue };
        if names_one(question, own, its) {
            return None;
        }
        for name in [own, its].map(bare) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if names.is_empty() {
        return None;
    }
    let language = answer_language(question);
    Some(answers::which(language, names.join(language.say(answers::LISTED))))
}

/// The titles at which two paths part, when the same title stands under both.
fn parted<'a>(one: &'a [String], other: &'a [String]) -> Option<(&'a str, &'a str)> {
    let at = one.iter().zip(other).position(|(a, b)| bare(a) != bare(b))?;
    let below: BTreeSet<String> = one[at + 1..].iter().map(|title| bare(title)).collect();
    let shared = other[at + 1..].iter().any(|title| below.contains(&bare(title)));
    shared.then(|| (one[at].as_str(), other[at].as_str()))
}

/// Whether a question has a pair of characters, or a word, that one of two titles has and the other has not.
fn names_one(question: &str, one: &str, other: &str) -> bool {
    let (one, other, asked) = (parts(&bare(one)), parts(&bare(other)), parts(&fold(question)));
    one.symmetric_difference(&other).any(|part| asked.contains(part))
}

/// Pairs of Chinese characters and Latin words.
fn parts(folded: &str) -> BTreeSet<String> {
    let chars: Vec<char> = folded.chars().filter(|c| !c.is_whitespace()).collect();
    let pairs = chars.windows(2).filter(|pair| pair.iter().all(|c| is_cjk(*c)));
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 1);
    pairs.map(|pair| pair.iter().collect()).chain(words.map(str::to_owned)).collect()
}

/// A title without its number, folded.
fn bare(title: &str) -> String {
    let folded = fold(title);
    folded.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | '、')).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::meaning::Meaning;
    use super::super::passage::Passage;
    use super::super::terms::Terms;
    use super::super::verdict::Weights;
    use super::*;

    fn candidate(path: &[&str], text: &str, score: f64) -> Candidate {
        let mut passage = Passage::quoted(text, &regreader_model::Citation::default());
        passage.path = path.iter().map(|title| (*title).to_owned()).collect();
        Candidate { passage, features: BTreeMap::new(), score, conditions: 0, continues: false }
    }

    fn asked_back(question: &str, candidates: &[Candidate]) -> Option<String> {
        let (terms, meaning, weights) =
            (Terms::read(question), Meaning::of(question, &[]), Weights::fitted());
        ask_back(question, candidates, &Focus { terms: &terms, meaning: &meaning, value: None, weights })
    }

    #[test]
    fn chapters_that_say_the_same_need_not_be_told_apart() {
        let mut two = two_assets(8.9);
        let path = std::mem::take(&mut two[1].passage.path);
        two[1].passage = two[0].passage.clone();
        two[1].passage.path = path;
        assert_eq!(asked_back("线路N-1时直流最多送多少？", &two), None);
    }

    fn two_assets(second: f64) -> [Candidate; 2] {
        [
            candidate(&["3 天中直流", "3.2 线路N-1方式"], "功率不超过 350 万千瓦。", 9.0),
            candidate(&["4 青豫直流", "4.3 线路N-1方式"], "功率不超过 450 万千瓦。", second),
        ]
    }

    #[test]
    fn two_assets_that_fit_equally_are_asked_for() {
        let asked = asked_back("线路N-1时直流最多送多少？", &two_assets(8.9));
        assert_eq!(asked.as_deref(), Some("问题未说明指的是哪一个：天中直流、青豫直流"));
        let asked = asked_back("What is the limit with a line out?", &two_assets(8.9));
        assert_eq!(asked.as_deref(), Some("the question does not say which is meant: 天中直流, 青豫直流"));
    }

    #[test]
    fn a_question_that_names_one_or_fits_one_better_is_answered() {
        assert_eq!(asked_back("天中直流线路N-1时最多送多少？", &two_assets(8.9)), None);
        assert_eq!(asked_back("青豫线路N-1时最多送多少？", &two_assets(8.9)), None);
        assert_eq!(asked_back("线路N-1时直流最多送多少？", &two_assets(7.0)), None);
    }

    #[test]
    fn chapters_on_different_matters_are_no_alternatives() {
        let two = [
            candidate(&["5 检验", "5.2 周期"], "每年检验一次。", 9.0),
            candidate(&["6 故障处理", "6.1 原则"], "先限制再恢复。", 9.0),
        ];
        assert_eq!(asked_back("多久检验一次？", &two), None);
    }
}
