//! What a question asks for, as far as that can be told without a language model.

use std::collections::HashSet;

use regreader_model::{ReferenceKind, ReferenceTarget};
use regreader_text::{asking_part, find_references, fold};

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
    "请判断",
    "请计算",
    "请说明",
    "说明理由",
    "是否合理",
    "满足",
];

/// Particles: they part what stands left and right of them, and are hardly ever inside a word.
const PARTICLES: &[char] = &['吗', '呢', '吧', '的', '了', '是', '和', '与', '或'];

/// Characters that mostly say nothing and yet stand inside words (天中直流, 新能源): with them a pair counts where it is found,
/// and is not missed where it is not.
const WEAK: &[char] = &[
    '么', '有', '要', '在', '对', '为', '被', '把', '将', '时', '里', '中', '上', '下', '各', '都', '还',
    '也', '能', '会', '到', '从', '向', '由', '及', '等', '其', '这', '那', '哪', '几', '应', '该', '若',
    '来', '请', '需', '并', '以', '可',
];

/// The same in English.
const EMPTY_ENGLISH: &[&str] = &[
    "a",
    "an",
    "the",
    "is",
    "are",
    "was",
    "be",
    "been",
    "do",
    "does",
    "did",
    "has",
    "have",
    "had",
    "must",
    "shall",
    "should",
    "can",
    "could",
    "may",
    "will",
    "would",
    "how",
    "what",
    "which",
    "who",
    "whom",
    "when",
    "where",
    "why",
    "many",
    "much",
    "often",
    "long",
    "soon",
    "fast",
    "of",
    "in",
    "on",
    "at",
    "to",
    "for",
    "from",
    "by",
    "with",
    "after",
    "before",
    "under",
    "over",
    "between",
    "during",
    "and",
    "or",
    "if",
    "that",
    "this",
    "these",
    "those",
    "it",
    "its",
    "there",
    "any",
    "each",
    "all",
    "according",
    "say",
    "says",
    "mean",
    "means",
    "need",
    "needed",
    "required",
    "give",
    "tell",
    "me",
    "about",
    "not",
    "no",
    "than",
    "as",
    "into",
    "per",
    "within",
    "until",
    "hear",
];

/// Greetings: they may stand before a question.
const GREETINGS: &[&str] = &[
    "你好",
    "您好",
    "谢谢",
    "多谢",
    "再见",
    "早上好",
    "上午好",
    "下午好",
    "晚上好",
    "good morning",
    "good evening",
    "hello",
    "thank you",
    "thanks",
];
/// What no regulation is about, in words that regulations do not use: 天气 alone is in many.
const SMALL_TALK: &[&str] = &[
    "今天天气",
    "明天天气",
    "天气怎么样",
    "天气如何",
    "天气预报",
    "笑话",
    "你是谁",
    "谁开发",
    "看电影",
    "唱歌",
    "唱首歌",
    "写诗",
    "写首诗",
    "一首诗",
    "小说",
    "聊天",
    "星座",
    "joke",
    "weather today",
    "weather like",
    "who are you",
    "for lunch",
];

/// A question taken apart.
#[derive(Debug)]
pub struct Question {
    /// The part that asks, without the names of regulations.
    pub words: String,
    /// The part that asks, in the person's words: a scene told before it says where, not what.
    pub text: String,
    /// All that was said, folded.
    pub folded: String,
    /// Places it names.
    mentions: Vec<ReferenceTarget>,
    /// What it is about, longest first within their order.
    pub subjects: Vec<String>,
    /// What the subjects are made of, all together and by sentences.
    parts: Vec<Part>,
    sentences: Vec<Vec<Part>>,
    /// Names with digits in them (`35kv`, `长南2线`): an answer about another one is no answer.
    pub exact: Vec<String>,
    /// Names of things (`天中直流`, `天山站`): when the library knows no such thing, it says nothing about it.
    pub things: Vec<String>,
}

impl Question {
    /// Takes a question apart. The names of regulations say where to look, not what for.
    pub fn read(text: &str, regulations: &[String]) -> Self {
        let folded = fold(text);
        let text = asking_part(text);
        let mentions = find_references(text).into_iter().map(|mention| mention.target).collect();
        let asked = without_names(&fold(text), regulations);
        let subjects = subjects(&asked);
        let sentences: Vec<&str> = asked.split(['。', '?', '？', '；', ';', '!']).collect();
        Self {
            text: text.to_owned(),
            words: asked.clone(),
            things: things(&subjects),
            parts: parts(&subjects),
            sentences: sentences.into_iter().map(|sentence| parts(&self::subjects(sentence))).collect(),
            exact: exact_names(&asked),
            subjects,
            folded,
            mentions,
        }
    }

    /// Small talk: it names no place, and speaks of what no regulation is about or says nothing but a greeting.
    pub fn is_chitchat(&self) -> bool {
        if !self.mentions.is_empty() {
            return false;
        }
        let mut rest = self.folded.clone();
        for greeting in GREETINGS {
            rest = rest.replace(greeting, " ");
        }
        let greets_only = rest != self.folded && subjects(&rest).is_empty();
        greets_only || SMALL_TALK.iter().any(|topic| rest.contains(topic))
    }

    /// The first place of these kinds that it names.
    pub fn mention(&self, kinds: &[ReferenceKind]) -> Option<&ReferenceTarget> {
        self.mentions(kinds).next()
    }

    /// The places of these kinds that it names.
    pub fn mentions(&self, kinds: &[ReferenceKind]) -> impl Iterator<Item = &ReferenceTarget> {
        self.mentions.iter().filter(|target| kinds.contains(&target.kind))
    }

    /// How much of what is asked stands in a text, 0 to 1: the share of its parts that do, or of those of one of its
    /// sentences; and 0 when an exact name is missing.
    pub fn coverage(&self, text: &str) -> f64 {
        let text = Text::new(text);
        if !self.names_hold(&text) {
            return 0.0;
        }
        let sentences = self.sentences.iter().filter(|parts| parts.len() >= SENTENCE_PARTS);
        sentences.chain([&self.parts]).map(|parts| text.share_of(parts)).fold(0.0, f64::max)
    }

    fn names_hold(&self, text: &Text) -> bool {
        self.exact.iter().all(|name| text.joined.contains(name.as_str()) || text.has_in_column(name))
    }
}

/// What subjects are made of: pairs of characters, and whole words where there are words.
fn parts(subjects: &[String]) -> Vec<Part> {
    let mut parts = Vec::new();
    for subject in subjects {
        if subject.is_ascii() {
            parts.push(Part::Word(stem(subject).to_owned()));
            continue;
        }
        let chars: Vec<char> = subject.chars().collect();
        if let [only] = chars.as_slice() {
            parts.push(Part::Word(only.to_string()));
        }
        parts.extend(chars.windows(2).map(|pair| Part::Pair(pair[0], pair[1])));
    }
    parts
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Pair(char, char),
    Word(String),
}

impl Part {
    fn is_weak(&self) -> bool {
        match self {
            Self::Pair(first, second) => WEAK.contains(first) || WEAK.contains(second),
            Self::Word(word) => word.chars().all(|c| WEAK.contains(&c)),
        }
    }
}

/// A text to look for parts in.
struct Text {
    joined: String,
    pairs: HashSet<(char, char)>,
}

impl Text {
    fn new(text: &str) -> Self {
        let joined: String = fold(text).chars().filter(|c| !c.is_whitespace()).collect();
        let pairs = joined.chars().zip(joined.chars().skip(1)).collect();
        Self { joined, pairs }
    }

    /// Whether a cell has a voltage whose unit stands in the column's header.
    fn has_in_column(&self, name: &str) -> bool {
        name.strip_suffix("kv")
            .is_some_and(|volts| self.joined.contains(&format!("|{volts}|")) && self.joined.contains("kv"))
    }

    /// The share of these parts that it holds; weak ones that it does not hold are not missed.
    fn share_of(&self, parts: &[Part]) -> f64 {
        let held = parts.iter().filter(|part| self.holds(part)).count();
        let missed = parts.iter().filter(|part| !part.is_weak() && !self.holds(part)).count();
        if held == 0 { 0.0 } else { held as f64 / (held + missed) as f64 }
    }

    fn holds(&self, part: &Part) -> bool {
        match part {
            Part::Pair(first, second) => self.pairs.contains(&(*first, *second)),
            Part::Word(word) => self.joined.contains(word.as_str()),
        }
    }
}

/// An English word without its ending, so that `limits` finds `limit`.
fn stem(word: &str) -> &str {
    ["ing", "ies", "es", "ed", "s"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= 4))
        .unwrap_or(word)
}

/// The question without names of regulations and numbers of standards (`gb 38755-2019`), longest names first.
fn without_names(folded: &str, regulations: &[String]) -> String {
    let mut names: Vec<String> = regulations.iter().map(|name| fold(name)).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut text = folded.to_owned();
    for name in names.iter().filter(|name| name.chars().count() >= 2) {
        text = text.replace(name.as_str(), " ");
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = STANDARDS.iter().filter_map(|mark| rest.find(mark)).min() {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        let letters = from.find(|c: char| !c.is_ascii_alphabetic() && c != '/').unwrap_or(from.len());
        let number = from[letters..]
            .find(|c: char| !c.is_ascii_digit() && !matches!(c, ' ' | '-' | '.' | '—'))
            .unwrap_or(from.len() - letters);
        let end = letters + number;
        let has_number = from[letters..end].contains(|c: char| c.is_ascii_digit());
        let after_word = before.ends_with(|c: char| c.is_ascii_alphanumeric());
        kept.push_str(if has_number && !after_word { " " } else { &from[..end] });
        rest = &from[end..];
        if end == 0 {
            break;
        }
    }
    kept.push_str(rest);
    kept
}

/// A sentence with fewer parts than this says too little to be found by itself.
const SENTENCE_PARTS: usize = 4;

/// How numbers of standards begin.
const STANDARDS: &[&str] = &["gb", "dl/t", "jt/t", "q/gdw", "nb/t", "iec", "ieee"];

/// What a thing of the grid is called by, and what may stand before that without being its name.
const THING_ENDINGS: &[&str] = &["直流", "站", "断面"];
const NO_NAMES: &[char] = &[
    '全', '本', '该', '各', '某', '两', '对', '厂', '一', '个', '的', '回', '高', '压', '端', '变', '流',
    '电', '极', '在', '到', '和', '与', '特', '输', '柔', '个', '侧', '近', '同', '多', '单', '双',
];

/// Names of things: two characters before their ending.
fn things(subjects: &[String]) -> Vec<String> {
    let chars: Vec<char> = subjects.join(" ").chars().collect();
    let is_name = |c: &char| c.is_alphanumeric() && !c.is_ascii() && !NO_NAMES.contains(c);
    let mut found = Vec::new();
    for at in 2..chars.len() {
        let rest: String = chars[at..].iter().take(2).collect();
        let Some(ending) = THING_ENDINGS.iter().find(|ending| rest.starts_with(**ending)) else { continue };
        if chars[at - 2..at].iter().all(is_name) {
            let name: String = chars[at - 2..at].iter().collect();
            found.push(format!("{name}{ending}"));
        }
    }
    found
}

/// The folded question without its empty words, in pieces.
fn subjects(folded: &str) -> Vec<String> {
    pieces(folded, |c| PARTICLES.contains(&c))
}

fn pieces(folded: &str, parts: impl Fn(char) -> bool) -> Vec<String> {
    let mut text = folded.to_owned();
    for word in EMPTY_WORDS {
        // A blank keeps what stood left and right apart.
        text = text.replace(word, " ");
    }
    text.split(|c: char| parts(c) || !c.is_alphanumeric() && c != '.' && c != '-')
        .map(|piece| piece.trim_matches(['.', '-']).to_owned())
        .filter(|piece| !piece.is_empty() && !EMPTY_ENGLISH.contains(&piece.as_str()))
        .filter(|piece| !piece.chars().all(|c| WEAK.contains(&c)))
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
        let question = Question::read("110kV 母线失压怎么处理？", &[]);
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
            let question = Question::read(text, &[]);
            assert_eq!(question.exact, ["长南2线"], "{text}");
            assert!(question.coverage("长南Ⅰ线北送限额 500 万千瓦") < 0.1);
        }
    }

    #[test]
    fn small_talk_is_told_from_questions() {
        assert!(Question::read("你好，今天天气怎么样？", &[]).is_chitchat());
        assert!(Question::read("给我讲个笑话吧", &[]).is_chitchat());
        assert!(!Question::read("你好，表6-2 的注1是什么？", &[]).is_chitchat());
        assert!(Question::read("谢谢！", &[]).is_chitchat());
        for question in ["母线失压怎么处理", "你好，母线失压怎么处理？", "恶劣天气时巡视有什么要求？"]
        {
            assert!(!Question::read(question, &[]).is_chitchat(), "{question}");
        }
    }

    #[test]
    fn the_name_of_a_regulation_is_no_subject() {
        let question = Question::read("根据GB 38755-2019，枢纽变电站的电压等级下限是多少？", &[]);
        assert_eq!(question.subjects, ["枢纽变电站", "电压等级下限"]);
        let names = ["安规2024".to_owned(), "安规".to_owned()];
        assert_eq!(Question::read("安规2024的压板分类", &names).subjects, ["压板分类"]);
    }

    #[test]
    fn things_are_known_by_their_names() {
        assert_eq!(Question::read("复奉直流的稳定限额是多少？", &[]).things, ["复奉直流"]);
        assert_eq!(Question::read("天山站和锦屏站的装置", &[]).things, ["天山站", "锦屏站"]);
        for text in ["特高压直流闭锁后全站停电", "变电站110千伏母线", "两回直流"] {
            assert!(Question::read(text, &[]).things.is_empty(), "{text}");
        }
    }

    #[test]
    fn english_is_taken_by_words() {
        let question = Question::read("How often is a full functional test of a scheme needed?", &[]);
        assert_eq!(question.subjects, ["full", "functional", "test", "scheme"]);
        assert!(question.coverage("Each scheme shall have a full functional test every 6 years.") > 0.99);
    }
}
