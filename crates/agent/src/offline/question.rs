//! What a question asks for, as far as that can be told without a language model.

use std::collections::HashSet;

use regreader_model::{ReferenceKind, ReferenceTarget};
use regreader_text::{find_references, fold};

/// Words that ask, and words that every question and every clause has: they say nothing about the subject.
const EMPTY_WORDS: &[&str] = &[
    "是什么意思",
    "什么时候",
    "什么情况",
    "什么条件",
    "怎么规定",
    "怎么处理",
    "怎么办",
    "怎么样",
    "怎么操作",
    "怎么说",
    "怎么",
    "如何",
    "怎样",
    "为什么",
    "什么",
    "多少",
    "多长时间",
    "多久",
    "多大",
    "几天",
    "几类",
    "几台",
    "哪些",
    "哪个",
    "哪里",
    "哪一",
    "能不能",
    "可不可以",
    "可以",
    "是否",
    "是不是",
    "有没有",
    "请问",
    "的内容",
    "内容",
    "规定",
    "要求",
    "应该",
    "应当",
    "需要",
    "时候",
    "以后",
    "之后",
    "之内",
    "以内",
    "之前",
    "分别",
    "具体",
    "相关",
    "有关",
    "关于",
    "根据",
    "按照",
    "其中",
    "那么",
    "讲什么",
    "是多少",
    "我们",
    "现场",
    "一下",
    "告诉我",
    "最多",
    "最少",
    "还能",
    "就是",
    "他们",
    "注意",
    "影响",
    "吗",
    "呢",
    "吧",
    "么",
    "的",
    "了",
    "是",
    "有",
    "要",
    "和",
    "与",
    "或",
    "在",
    "对",
    "为",
    "被",
    "把",
    "将",
    "时",
    "里",
    "中",
    "上",
    "下",
    "各",
    "都",
    "还",
    "也",
    "能",
    "会",
    "到",
    "从",
    "向",
    "由",
    "及",
    "等",
    "其",
    "这",
    "那",
    "哪",
    "几",
];

/// Talk that is no question about regulations.
const CHAT_WORDS: &[&str] = &[
    "你好",
    "您好",
    "谢谢",
    "再见",
    "天气",
    "笑话",
    "你是谁",
    "谁开发",
    "电影",
    "唱歌",
    "诗",
    "小说",
    "聊天",
    "星座",
    "早上好",
    "晚上好",
    "hello",
    "thank",
    "joke",
    "weather",
];

/// A question taken apart.
#[derive(Debug)]
pub struct Question {
    /// As asked.
    pub text: String,
    /// Folded.
    pub folded: String,
    /// Places it names.
    pub mentions: Vec<ReferenceTarget>,
    /// What it is about, longest first within their order.
    pub subjects: Vec<String>,
    /// Names with digits in them (`35kv`, `长南2线`): an answer about another one is no answer.
    pub exact: Vec<String>,
}

impl Question {
    /// Takes a question apart.
    pub fn read(text: &str) -> Self {
        let folded = fold(text);
        let mentions = find_references(text).into_iter().map(|mention| mention.target).collect();
        Self {
            text: text.to_owned(),
            subjects: subjects(&folded),
            exact: exact_names(&folded),
            folded,
            mentions,
        }
    }

    /// Small talk: it has words of small talk and names no place.
    pub fn is_chitchat(&self) -> bool {
        self.mentions.is_empty() && CHAT_WORDS.iter().any(|word| self.folded.contains(word))
    }

    /// The first place of these kinds that it names.
    pub fn mention(&self, kinds: &[ReferenceKind]) -> Option<&ReferenceTarget> {
        self.mentions.iter().find(|target| kinds.contains(&target.kind))
    }

    /// How much of what is asked stands in a text, 0 to 1: the share of the subjects' character pairs, counting only
    /// subjects, and 0 when an exact name is missing.
    pub fn coverage(&self, text: &str) -> f64 {
        let folded: String = fold(text).chars().filter(|c| !c.is_whitespace()).collect();
        if self.exact.iter().any(|name| !folded.contains(name.as_str())) {
            return 0.0;
        }
        let pairs: HashSet<(char, char)> = folded.chars().zip(folded.chars().skip(1)).collect();
        let (mut found, mut all) = (0usize, 0usize);
        for subject in &self.subjects {
            let chars: Vec<char> = subject.chars().collect();
            if chars.len() == 1 {
                all += 1;
                found += usize::from(folded.contains(chars[0]));
            }
            for pair in chars.windows(2) {
                all += 1;
                found += usize::from(pairs.contains(&(pair[0], pair[1])));
            }
        }
        if all == 0 { 0.0 } else { found as f64 / all as f64 }
    }
}

/// The folded question without its empty words, in pieces.
fn subjects(folded: &str) -> Vec<String> {
    let mut text = folded.to_owned();
    for word in EMPTY_WORDS {
        // A blank keeps what stood left and right apart.
        text = text.replace(word, " ");
    }
    text.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '-')
        .map(|piece| piece.trim_matches(['.', '-']).to_owned())
        .filter(|piece| !piece.is_empty())
        .collect()
}

/// Voltage levels and numbered lines.
fn exact_names(folded: &str) -> Vec<String> {
    let text: Vec<char> = folded.chars().filter(|c| !c.is_whitespace()).collect();
    let mut names = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = (at..text.len()).find(|i| !text[*i].is_ascii_digit()).unwrap_or(text.len());
        let digits: String = text[at..end].iter().collect();
        let after: String = text[end..].iter().take(2).collect();
        let before_is_name = at >= 2 && text[at - 2..at].iter().all(|c| !c.is_ascii() && c.is_alphanumeric());
        if after == "kv" {
            names.push(format!("{digits}kv"));
        } else if before_is_name && (after.starts_with('线') || after.starts_with("母")) && digits.len() == 1
        {
            let name: String = text[at - 2..=end].iter().collect();
            names.push(name);
        }
        at = end;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_what_is_left_without_the_asking() {
        let question = Question::read("110kV 母线失压怎么处理？");
        assert_eq!(question.subjects, ["110kv母线失压"]);
        assert_eq!(question.exact, ["110kv"]);
        assert!(question.coverage("１１０千伏母线失压时，应立即汇报国调") > 0.9);
        assert!(
            question.coverage("500千伏母线失压时，应立即汇报国调") < 0.1,
            "another voltage is another matter"
        );
    }

    #[test]
    fn line_names_are_exact_however_they_are_written() {
        for text in ["长南Ⅱ线的北送限额是多少？", "长南2线的北送限额是多少？"] {
            let question = Question::read(text);
            assert_eq!(question.exact, ["长南2线"], "{text}");
            assert!(question.coverage("长南Ⅰ线北送限额 500 万千瓦") < 0.1);
        }
    }

    #[test]
    fn small_talk_is_told_from_questions() {
        assert!(Question::read("你好，今天天气怎么样？").is_chitchat());
        assert!(Question::read("给我讲个笑话吧").is_chitchat());
        assert!(!Question::read("你好，表6-2 的注1是什么？").is_chitchat());
        assert!(!Question::read("母线失压怎么处理").is_chitchat());
    }
}
