//! The part of a question that asks. People put a whole scene before what they want to know, whose words outnumber those
//! of the question and of any clause; and they ask for two things at once.

use regreader_text::script::is_cjk;
use regreader_text::{fold, fold_with_map};

use crate::lexicon::{Lexicon, Said};

/// Questions no longer than this are taken whole: in Chinese characters, of which each says as much as about three Latin
/// ones. A clause of a regulation is about as long.
const SHORT: f32 = 90.0;
const LATIN: f32 = 0.35;
/// What is left must have at least this many characters to be a question.
const LEAST: usize = 6;

/// The part of a long question that asks, with everything behind it; a short question whole.
pub(crate) fn asking_part<'t>(question: &'t str, lexicon: &Lexicon) -> &'t str {
    let (folded, origins) = fold_with_map(question);
    let behind = |mark: &str| folded.rfind(mark).and_then(|at| origins.get(at + mark.len()).copied());
    let marked = lexicon.words("mark").filter_map(behind).max();
    if let Some(part) = marked.and_then(|at| question.get(at..)).map(str::trim)
        && part.chars().count() >= LEAST
    {
        return part;
    }
    let length: f32 = question.chars().map(|c| if c >= '\u{3000}' { 1.0 } else { LATIN }).sum();
    if length <= SHORT {
        return question;
    }
    let mut at = 0;
    for sentence in sentences(question) {
        let rest = question.get(at..).unwrap_or_default().trim();
        if lexicon.says("asks", &Said::new(sentence)) && rest.chars().count() >= LEAST {
            return rest;
        }
        at += sentence.len();
    }
    question
}

/// A text that is too long to be searched for, by the sentences in it that ask; a text that asks nothing, by its beginning.
/// The last ones count when there are too many: people tell the scene first.
pub(crate) fn shortened(text: &str, most: usize, lexicon: &Lexicon) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut left = most;
    let sentences: Vec<&str> = sentences(text).map(str::trim).filter(|one| !one.is_empty()).collect();
    for (at, sentence) in sentences.iter().enumerate().rev() {
        if !lexicon.says("asks", &Said::new(sentence)) {
            continue;
        }
        // 应如何处理？ speaks of what the sentence before it names.
        let says_little = subjects(&fold(sentence), lexicon).concat().chars().count() < LEAST;
        let before = if says_little { at.checked_sub(1).and_then(|at| sentences.get(at)) } else { None };
        for part in std::iter::once(sentence).chain(before) {
            let length = part.chars().count();
            if length <= left && !kept.contains(part) {
                left -= length;
                kept.push(part);
            }
        }
    }
    if kept.is_empty() {
        return text.trim().chars().take(most).collect();
    }
    kept.reverse();
    kept.join(if text.contains(is_cjk) { "" } else { " " })
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['。', '！', '？', '；', '?', '!', ';', '\n'])
}

/// The two questions in `X的A和B`.
pub(crate) fn aspects(question: &str) -> Option<[String; 2]> {
    let text = question.trim().trim_end_matches(['？', '?', '。', '！']);
    let (head, tail) = text.split_once('的')?;
    let (first, second) = tail.split_once(['和', '与', '及'])?;
    let fits = |part: &str, most: usize| (2..=most).contains(&part.chars().count());
    let plain = !text.contains(['，', ',', '；', '。']) && !second.contains(['和', '与', '的']);
    let whole = fits(head, 16) && fits(first, 10) && fits(second, 10) && plain;
    whole.then(|| [format!("{head}的{first}"), format!("{head}的{second}")])
}

/// What a folded text is about: its pieces without the words that only ask and without particles.
pub(crate) fn subjects(folded: &str, lexicon: &Lexicon) -> Vec<String> {
    let asked = regreader_text::tokenize::without_question_words(folded);
    let is_particle = |c: char| lexicon.words("particle").any(|word| word.chars().eq([c]));
    asked
        .split(|c: char| is_particle(c) || !c.is_alphanumeric() && c != '.' && c != '-')
        .map(|piece| piece.trim_matches(['.', '-']))
        .filter(|piece| !piece.is_empty() && !regreader_text::tokenize::is_stop_word(piece))
        .map(str::to_owned)
        .collect()
}

/// Small talk speaks of what no regulation is about, or says nothing but a greeting.
pub(crate) fn is_small_talk(said: &Said, lexicon: &Lexicon) -> bool {
    let mut rest = said.folded.clone();
    for greeting in lexicon.words("greeting").filter(|word| said.has(word)) {
        rest = rest.replace(greeting, " ");
    }
    let greets_only = rest != said.folded && subjects(&fold(&rest), lexicon).is_empty();
    greets_only || lexicon.says("small_talk", said)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "某区域电网通过一回 500 千伏联络线与相邻电网互联，线路长 300 千米，两侧各有一组电抗器，\
                         正常方式下输送功率 800 兆瓦，某日一侧电网发生一台机组跳闸的单一故障，联络线功率上升到 1200 兆瓦。";

    fn part(question: &str) -> &str {
        asking_part(question, Lexicon::built_in())
    }

    #[test]
    fn a_scene_is_told_from_the_question() {
        let question = format!("{SCENE}按 3.2.5 条，请判断联络线能否稳定运行？说明原则。");
        assert_eq!(part(&question), "按 3.2.5 条，请判断联络线能否稳定运行？说明原则。");
        assert_eq!(part("【场景】某站一段母线停运。【问题】限额是多少？"), "限额是多少？");
        assert_eq!(part("Scene: a busbar is out. Question: what is the limit?"), "what is the limit?");
    }

    /// Sixteen English words are no scene: what stands before the question is part of it.
    #[test]
    fn two_english_sentences_are_one_question() {
        let question = "An operator moved to a different department and no longer needs his account. \
                        By when must the old access be pulled?";
        assert_eq!(part(question), question);
    }

    #[test]
    fn a_text_that_asks_nothing_stays_whole() {
        assert_eq!(part(SCENE), SCENE);
        assert_eq!(part(""), "");
        assert_eq!(part("【问题】？"), "【问题】？");
    }

    #[test]
    fn a_text_too_long_to_search_for_is_its_questions() {
        let short = |text: &str| shortened(text, 60, Lexicon::built_in());
        let log = "值班员巡视，设备正常。".repeat(50);
        let question = "110kV 母线失压怎么处理？";
        for text in [
            format!("{question}{log}"),
            format!("{log}{question}"),
            format!("{log}{question}{log}{question}"),
        ] {
            assert_eq!(short(&text), question);
        }
        assert_eq!(short(&format!("{log}1号主变跳闸。应如何处理？")), "1号主变跳闸。应如何处理？");
        assert_eq!(short(&log).chars().count(), 60);
        let many = (0..50).map(|n| format!("第{n}轮切多少负荷？")).collect::<Vec<_>>().concat();
        assert!(short(&many).ends_with("第49轮切多少负荷？") && short(&many).chars().count() <= 60);
    }

    #[test]
    fn two_things_asked_at_once_are_two_questions() {
        let both = aspects("天中直流的稳定限额和安控措施？").unwrap();
        assert_eq!(both, ["天中直流的稳定限额", "天中直流的安控措施"]);
        for whole in ["母线失压怎么处理？", "甲站的装置1退出后，限额和措施？", "主站和子站的通道"]
        {
            assert!(aspects(whole).is_none(), "{whole}");
        }
    }

    #[test]
    fn small_talk_is_told_from_questions() {
        let talks = |text: &str| is_small_talk(&Said::new(text), Lexicon::built_in());
        for text in ["你好，今天天气怎么样？", "给我讲个笑话吧", "谢谢！", "Hello, who are you?", "thank you"]
        {
            assert!(talks(text), "{text}");
        }
        for text in [
            "母线失压怎么处理",
            "你好，母线失压怎么处理？",
            "恶劣天气时巡视有什么要求？",
            "Hi, what is a BES?",
        ] {
            assert!(!talks(text), "{text}");
        }
    }
}
