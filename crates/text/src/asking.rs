//! What a question asks. People put a whole scene before what they want to know, whose words outnumber those of the
//! question and of any clause; and they ask for two things at once.

use crate::fold;

/// Questions no longer than this are taken whole: in Chinese characters, of which each says as much as about three Latin
/// ones.
const SHORT: f32 = 90.0;
const LATIN: f32 = 0.35;
/// What is left must have at least this many characters to be a question.
const LEAST: usize = 6;
/// Marks behind which the question stands.
const MARKS: &[&str] = &["【问题】", "[问题]", "问题：", "问题:", "问：", "Question:", "question:"];
/// Words by which a sentence asks.
const ASKING: &[&str] = &[
    "?", "请", "如何", "怎么", "怎样", "是否", "多少", "哪些", "哪个", "什么", "what", "which", "how",
    "when", "who", "whether", "please",
];

/// The part of a long question that asks, with everything behind it; a short question whole.
///
/// ```
/// use regreader_text::asking_part;
///
/// assert_eq!(asking_part("【场景】某站一段母线停运。【问题】限额是多少？"), "限额是多少？");
/// assert_eq!(asking_part("限额是多少？"), "限额是多少？");
/// ```
#[must_use]
pub fn asking_part(question: &str) -> &str {
    let marked = MARKS.iter().filter_map(|mark| question.rfind(mark).map(|at| at + mark.len())).max();
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
    for sentence in question.split_inclusive(['。', '！', '？', '；', '?', '!', ';', '\n']) {
        let folded = fold(sentence);
        let rest = question.get(at..).unwrap_or_default().trim();
        if ASKING.iter().any(|word| folded.contains(word)) && rest.chars().count() >= LEAST {
            return rest;
        }
        at += sentence.len();
    }
    question
}

/// The two questions in `X的A和B`.
///
/// ```
/// use regreader_text::aspects;
///
/// let both = aspects("某直流的稳定限额和安控措施？").unwrap();
/// assert_eq!(both, ["某直流的稳定限额", "某直流的安控措施"]);
/// ```
#[must_use]
pub fn aspects(question: &str) -> Option<[String; 2]> {
    let text = question.trim().trim_end_matches(['？', '?', '。', '！']);
    let (head, tail) = text.split_once('的')?;
    let (first, second) = tail.split_once(['和', '与', '及'])?;
    let fits = |part: &str, most: usize| (2..=most).contains(&part.chars().count());
    let plain = !text.contains(['，', ',', '；', '。']) && !second.contains(['和', '与', '的']);
    let whole = fits(head, 16) && fits(first, 10) && fits(second, 10) && plain;
    whole.then(|| [format!("{head}的{first}"), format!("{head}的{second}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "某区域电网通过一回 500 千伏联络线与相邻电网互联，线路长 300 千米，两侧各有一组电抗器，\
                         正常方式下输送功率 800 兆瓦，某日一侧电网发生一台机组跳闸的单一故障，联络线功率上升到 1200 兆瓦。";

    #[test]
    fn a_scene_is_told_from_the_question() {
        let question = format!("{SCENE}按 3.2.5 条，请判断联络线能否稳定运行？说明原则。");
        assert_eq!(asking_part(&question), "按 3.2.5 条，请判断联络线能否稳定运行？说明原则。");
    }

    /// Sixteen English words are no scene: what stands before the question is part of it.
    #[test]
    fn two_english_sentences_are_one_question() {
        let question = "An operator moved to a different department and no longer needs his account. \
                        By when must the old access be pulled?";
        assert_eq!(asking_part(question), question);
    }

    #[test]
    fn a_text_that_asks_nothing_stays_whole() {
        assert_eq!(asking_part(SCENE), SCENE);
        assert_eq!(asking_part(""), "");
        assert_eq!(asking_part("【问题】？"), "【问题】？");
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
}
