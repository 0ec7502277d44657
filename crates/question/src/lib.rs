//! One reading of a question: what is asked for, of which regulation and edition, at which place, under which conditions.
//!
//! [`Question::read`] looks at the words of a question and nothing else: no library, no index, no IO. Search, row look-up
//! and the offline agent take the [`Question`] instead of reading the text again, so that they agree on what was asked,
//! and `smart_search` shows it to the caller. Whether a name fits a regulation of the library, and which edition is in
//! force, is decided by those who hold the library.
//!
//! A follow-up (那220千伏的呢？) is first made into the question that it means, by [`completed`].
//!
//! Words come from a [`Lexicon`]: text files with an origin line each, which a site can extend. The code knows forms
//! (a number before a unit, a year beside a name), the files know words.
//!
//! ```
//! use regreader_messages::Language;
//! use regreader_question::{AskedKind, Lexicon, Question};
//!
//! let question = Question::read("稳规2024：天中直流线路N-1、开机 3 台时的限额是多少？", Lexicon::built_in());
//! assert_eq!((question.language, question.kind), (Language::Chinese, AskedKind::Value));
//! assert!(question.years.contains("2024"));
//! let conditions: Vec<_> = question.conditions.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect();
//! assert_eq!(conditions, [("方式", "线路N-1"), ("开机台数", "3")]);
//! assert_eq!(question.assets(), ["天中直流"]);
//! ```

mod asking;
mod condition;
mod edition;
mod follow_up;
mod lexicon;
mod named;
mod spoken;
mod table;
mod thesaurus;
mod value;

use std::collections::BTreeSet;

use regreader_messages::Language;
use regreader_model::{CivilDate, ReferenceKind, ReferenceTarget};
use regreader_text::script::{is_cjk, language_of};
use regreader_text::{Quantity, Saying, find_quantities, find_references, fold};
use serde::{Deserialize, Serialize};

pub use condition::Condition;
pub use edition::{is_year, without_edition, years_in};
pub use follow_up::completed;
pub use lexicon::{Lexicon, LexiconError};
pub use named::{NamedRegulation, named_in, squeeze};
pub use spoken::with_measures;
pub use table::{Interval, SaidLabel, Shape, TableReading};
pub use value::AskedValue;

use lexicon::Said;

/// Words that the grammar of tables knows; those that a site may add to are in the lexicon.
const WORDS: &str = include_str!("words.txt");

/// A question, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The question as it was put.
    pub text: String,
    /// Language of the question, in which it should be answered.
    pub language: Language,
    /// The part that asks, in the person's words: a scene told before it says where, not what.
    pub asking: String,
    /// What kind of thing is asked for.
    pub kind: AskedKind,
    /// The value that is asked for, when the kind is a value.
    pub value: Option<AskedValue>,
    /// Regulations that it names by title or number.
    pub regulations: Vec<NamedRegulation>,
    /// Years that it says, which may name an edition.
    pub years: BTreeSet<String>,
    /// Days that it says.
    pub dates: Vec<CivilDate>,
    /// Clauses, chapters, tables, notes and figures that it names.
    pub places: Vec<ReferenceTarget>,
    /// Conditions that it states.
    pub conditions: Vec<Condition>,
    /// Numbers with units that it states.
    pub quantities: Vec<Quantity>,
    /// What it is looked for by, with weights; 1 for an ordinary word. English words without what inflection adds.
    pub terms: Vec<Term>,
    /// Everyday words in it, and what documents print for them.
    pub sayings: Vec<Saying>,
    /// What it asks about the change from one edition to another, if it does.
    pub change: Option<Change>,
    said: Said,
    /// The asking part, folded, without particles and the words that only ask.
    subjects: Vec<String>,
    exact: Vec<String>,
    assets: Vec<String>,
    search_text: String,
    small_talk: bool,
    asks_for_rules: bool,
    editions: EditionWords,
}

/// Longest text that is searched for as it stands, in characters: several pages.
pub const LONGEST: usize = 20_000;

/// The questions in a text that is longer than [`LONGEST`]; none for one that is not. Somebody who hands over a whole log
/// with a question in it wants that question answered.
pub fn shortened(text: &str, lexicon: &Lexicon) -> Option<String> {
    text.chars().nth(LONGEST).is_some().then(|| asking::shortened(text, LONGEST, lexicon))
}

/// What kind of thing a question asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedKind {
    /// A number, a duration, a date.
    Value,
    /// What is to be done.
    Procedure,
    /// What a word means.
    Definition,
    /// Several things of one kind.
    List,
    /// Whether something is so.
    YesNo,
    /// How two things differ.
    Comparison,
    /// Where something stands.
    Place,
    /// What something is: the question does not say which of the others.
    #[default]
    Other,
}

/// Which changes between editions are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// What is new.
    Added,
    /// What is gone.
    Removed,
    /// Any change.
    Any,
}

/// Whether a question speaks of editions at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditionWords {
    None,
    One,
    Several,
}

impl EditionWords {
    fn read(said: &Said, lexicon: &Lexicon) -> Self {
        if lexicon.says("editions", said) {
            Self::Several
        } else if lexicon.says("edition", said) {
            Self::One
        } else {
            Self::None
        }
    }
}

/// A word that a question is looked for by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The word as the index has it.
    pub text: String,
    /// How much it counts beside the others.
    pub weight: f32,
    /// A number, a code or a name with a number: another one is another matter.
    pub exact: bool,
}

impl Question {
    /// Reads a question.
    pub fn read(text: &str, lexicon: &Lexicon) -> Self {
        let text = text.trim();
        let asking = asking::asking_part(text, lexicon);
        let (said, asked) = (Said::new(text), Said::new(asking));
        let places: Vec<ReferenceTarget> =
            find_references(asking).into_iter().map(|mention| mention.target).collect();
        let words = named::without_names(asking, &[]);
        let subjects = asking::subjects(&words, lexicon);
        let value = AskedValue::read(&said, lexicon);
        let kind = kind(&asked, value.is_some(), lexicon);
        let unspaced: String = text.chars().filter(|c| !c.is_whitespace() || text.is_ascii()).collect();
        let is_rule = lexicon.says("rule", &asked) && kind != AskedKind::Definition;
        Self {
            language: language_of(text),
            kind,
            value,
            regulations: named::regulations(text),
            years: edition::years_said(&said.folded),
            dates: regreader_text::date::find_dates(&unspaced).into_iter().map(|(_, _, date)| date).collect(),
            conditions: condition::conditions(&said, lexicon),
            quantities: find_quantities(&with_measures(text))
                .into_iter()
                .map(|(_, quantity)| quantity)
                .collect(),
            terms: terms(asking, lexicon),
            sayings: thesaurus::sayings_in(asking, lexicon),
            change: change(&said, lexicon),
            exact: named::exact_names(&words),
            assets: named::assets(&subjects, lexicon),
            search_text: spelled_out(asking, &asked, lexicon),
            small_talk: places.is_empty() && asking::is_small_talk(&said, lexicon),
            asks_for_rules: is_rule,
            editions: EditionWords::read(&said, lexicon),
            text: text.to_owned(),
            asking: asking.to_owned(),
            places,
            subjects,
            said,
        }
    }

    /// The whole question, folded.
    pub fn folded(&self) -> &str {
        &self.said.folded
    }

    /// The asking part with what its short forms stand for behind it.
    pub fn search_text(&self) -> &str {
        &self.search_text
    }

    /// The two questions in one that asks for two things at once.
    pub fn aspects(&self) -> Option<[String; 2]> {
        asking::aspects(&self.asking)
    }

    /// The places of these kinds that it names.
    pub fn places_of(&self, kinds: &[ReferenceKind]) -> impl Iterator<Item = &ReferenceTarget> {
        self.places.iter().filter(|target| kinds.contains(&target.kind))
    }

    /// The asking part, folded, without the names of regulations: those say where to look, not what for.
    pub fn words_without(&self, names: &[String]) -> String {
        named::without_names(&self.asking, names)
    }

    /// What it asks about, folded, without the names of regulations and without the part of a name that stands for one: who
    /// begins with 消防远程监控那边 means 城市消防远程监控系统, and a passage that repeats those words says nothing more.
    pub fn matter_without(&self, names: &[String]) -> String {
        named::matter_without(&self.text, names)
    }

    /// Names of assets in the question: when the library knows no such thing, it says nothing about it.
    pub fn assets(&self) -> &[String] {
        &self.assets
    }

    /// Whether what reads like the name of an asset is cut out of everyday words. Loads the dictionary of words, so it is asked
    /// only of a name that nothing else knows.
    pub fn is_cut_from_words(&self, asset: &str) -> bool {
        named::is_cut_from_words(asset, &self.text)
    }

    /// Whether it has names with a number (`35kv`, `长南2线`).
    pub fn has_exact_names(&self) -> bool {
        !self.exact.is_empty()
    }

    /// Whether a text speaks of every name with a number in the question (`35kv`, `长南2线`).
    pub fn exact_names_stand_in(&self, text: &str) -> bool {
        named::all_stand_in(&self.exact, text)
    }

    /// Codes and abbreviations in capitals, folded: `MISO`, `EL-5`. None of a question that is written in capitals throughout.
    pub fn abbreviations(&self) -> Vec<String> {
        named::abbreviations(&self.text)
    }

    /// Whether it names no place and speaks of what no regulation is about, or only greets.
    pub fn is_small_talk(&self) -> bool {
        self.small_talk
    }

    /// Whether it asks what is laid down, and not what a word means.
    pub fn asks_for_rules(&self) -> bool {
        self.asks_for_rules
    }

    /// Whether it is answered from several editions alike: it says so, or it asks how one differs from another and names
    /// one. What is new or gone is first of all a question to one edition. `names_one` tells whether it names one that the
    /// library has.
    pub fn compares_editions(&self, names_one: impl FnOnce() -> bool) -> bool {
        let differs = self.change == Some(Change::Any);
        match self.editions {
            EditionWords::Several => true,
            EditionWords::One => differs,
            EditionWords::None => differs && names_one(),
        }
    }

    /// Whether it names editions: two years, a year with a word for edition, or several editions in words.
    pub fn names_editions(&self) -> bool {
        match self.editions {
            EditionWords::Several => true,
            EditionWords::One => !self.years.is_empty(),
            EditionWords::None => self.years.len() >= 2,
        }
    }

    /// What changed, in pieces: the subjects without years and the words of comparing.
    pub fn compared_subjects(&self, names: &[String], lexicon: &Lexicon) -> Vec<String> {
        let mut text = self.words_without(names);
        let sections = ["editions", "change", "added", "removed", "compared"];
        let mut words: Vec<&str> = sections.into_iter().flat_map(|section| lexicon.words(section)).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let years = years_in(&text);
        for word in years.iter().map(String::as_str).chain(words) {
            text = text.replace(word, " ");
        }
        let pieces = asking::subjects(&fold(&text), lexicon).into_iter();
        pieces.filter(|piece| piece.chars().count() >= 2).collect()
    }
}

/// What kind of thing is asked for.
fn kind(asked: &Said, asks_value: bool, lexicon: &Lexicon) -> AskedKind {
    let begins = |word: &str| asked.latin.trim_start().starts_with(word) && !asked.folded.contains(is_cjk);
    let begins = lexicon
        .entries("begins")
        .iter()
        .find(|entry| entry.words.iter().any(|word| begins(&format!("{word} "))));
    let name = lexicon.meaning("kind", asked);
    let name = begins.filter(|_| name != Some("comparison")).map(|entry| entry.meaning.as_str()).or(name);
    match name {
        Some("comparison") => AskedKind::Comparison,
        Some("definition") => AskedKind::Definition,
        _ if asks_value => AskedKind::Value,
        Some("place") => AskedKind::Place,
        Some("procedure") => AskedKind::Procedure,
        Some("list") => AskedKind::List,
        Some("yes_no") => AskedKind::YesNo,
        _ => AskedKind::Other,
    }
}

fn change(said: &Said, lexicon: &Lexicon) -> Option<Change> {
    let kinds = [("added", Change::Added), ("removed", Change::Removed), ("change", Change::Any)];
    let asked = kinds.into_iter().find(|(section, _)| lexicon.says(section, said)).map(|(_, kind)| kind);
    asked.or_else(|| lexicon.says("editions", said).then_some(Change::Any))
}

fn spelled_out(asking: &str, asked: &Said, lexicon: &Lexicon) -> String {
    let mut text = asking.to_owned();
    for entry in lexicon.entries("spelled_out") {
        if entry.words.iter().any(|word| asked.has(word)) {
            text.push(' ');
            text.push_str(&entry.meaning);
        }
    }
    text
}

fn terms(asking: &str, lexicon: &Lexicon) -> Vec<Term> {
    let tokens = lexicon.tokenizer().query_tokens(asking).tokens;
    let term = |token: regreader_text::QueryToken| {
        let exact = token.is_exact();
        Term { text: token.text, weight: token.weight, exact }
    };
    tokens.into_iter().map(term).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Question {
        Question::read(text, Lexicon::built_in())
    }

    #[test]
    fn the_kind_of_thing_asked_for_is_read() {
        for (text, kind) in [
            ("限额是多少？", AskedKind::Value),
            ("How long may it stay open?", AskedKind::Value),
            ("110kV 母线失压怎么处理？", AskedKind::Procedure),
            ("联络线的定义是什么？", AskedKind::Definition),
            ("有哪些压板？", AskedKind::List),
            ("能否带电作业？", AskedKind::YesNo),
            ("Is a second operator required?", AskedKind::YesNo),
            ("2024版和2023版有什么区别？", AskedKind::Comparison),
            ("压板分类在哪一页？", AskedKind::Place),
            ("母线失压", AskedKind::Other),
        ] {
            assert_eq!(read(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn abbreviations_are_words_in_capitals() {
        let of = |text: &str| Question::read(text, Lexicon::built_in()).abbreviations();
        assert_eq!(of("What does MISO charge for an EL-5 house?"), ["miso", "el-5"]);
        assert_eq!(of("T/JSATL 12里DSM的编号"), ["jsatl", "dsm"]);
        assert!(of("WHAT DOES MISO CHARGE?").is_empty(), "capitals throughout name nothing");
    }

    #[test]
    fn places_names_and_days_are_read() {
        let question =
            read("根据《调度规程》和 gb 38755-2019 第2.5条、表6-2 注3，自 2020年7月1日 起怎么算？");
        let names: Vec<&str> = question.regulations.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["GB 38755", "调度规程"]);
        assert_eq!(question.regulations[0].edition.as_deref(), Some("2019"));
        assert!(question.years.contains("2019") && question.years.contains("2020"));
        assert_eq!(question.dates.iter().map(ToString::to_string).collect::<Vec<_>>(), ["2020-07-01"]);
        assert_eq!(question.places_of(&[ReferenceKind::Table]).count(), 1);
        assert_eq!(read("effective 1 July 2020?").dates.len(), 1);
        assert!(read("wengui_2024的限额").years.is_empty(), "the year of an id is the id's");
    }

    #[test]
    fn names_with_numbers_are_exact_however_they_are_written() {
        let question = read("110kV 母线失压怎么处理？");
        assert!(question.exact_names_stand_in("１１０千伏母线失压时，应立即汇报国调"));
        assert!(!question.exact_names_stand_in("500千伏母线失压时"), "another voltage is another matter");
        let in_tables = read("What is the weight of a 330 kV line?");
        assert!(in_tables.exact_names_stand_in("Vn [kV]: 330\nVm [kV]: 362"), "the unit is in the header");
        assert!(in_tables.exact_names_stand_in("Voltage: 300 kV to 499 kV\nWeight: 1300"));
        assert!(!in_tables.exact_names_stand_in("Voltage: 100 kV to 199 kV\nWeight: 330"));
        let bounds = "for lines above 11,000 volts and up to and including 33,000 volts";
        for (question, text, stands) in [
            ("An 11 kV line beside a wall?", "lines up to and including 11,000 volts", true),
            ("A 22 kV line over a roof?", bounds, true),
            ("A 66 kV line over a roof?", bounds, false),
            ("66千伏的站允许差多少？", "电压等级: 66 千伏及以下", true),
            ("35千伏的站允许差多少？", "110千伏及以上的线路", false),
            ("500千伏的站允许差多少？", "330 kV～750 kV", true),
        ] {
            assert_eq!(read(question).exact_names_stand_in(text), stands, "{question} {text}");
        }
        for text in ["长南Ⅱ线的北送限额是多少？", "长南2线的北送限额是多少？"] {
            assert!(!read(text).exact_names_stand_in("长南Ⅰ线北送限额 500 万千瓦"), "{text}");
        }
        let busbar = read("哈南2母停运的限额");
        assert!(busbar.exact_names_stand_in("哈南站Ⅱ母停运") && busbar.exact_names_stand_in("哈南换流站2母"));
        assert!(!busbar.exact_names_stand_in("哈南站Ⅰ母和天山站Ⅱ母"));
        assert!(busbar.exact_names_stand_in("表7-1 哈南站母线限额\n母线: Ⅱ母"));
    }

    #[test]
    fn assets_are_known_by_their_names() {
        assert_eq!(read("复奉直流的稳定限额是多少？").assets(), ["复奉直流"]);
        assert_eq!(read("天山站和锦屏站的装置").assets(), ["天山站", "锦屏站"]);
        for text in ["特高压直流闭锁后全站停电", "变电站110千伏母线", "两回直流"] {
            assert!(read(text).assets().is_empty(), "{text}");
        }
        let within = |text: &str| {
            let question = read(text);
            question.assets().iter().all(|asset| question.is_cut_from_words(asset))
        };
        for text in ["抽气的时候人站哪一边", "给保护选直流空开", "也叫枢纽站吗"] {
            assert!(within(text), "{text}");
        }
        for text in ["复奉直流的稳定限额是多少？", "天山站和锦屏站的装置"] {
            assert!(!within(text), "{text}");
        }
    }

    #[test]
    fn the_name_of_a_regulation_is_no_subject() {
        let question = read("根据GB 38755-2019，枢纽变电站的电压等级下限是多少？");
        assert!(!question.words_without(&[]).contains("38755"));
        let names = ["安规2024".to_owned(), "安规".to_owned()];
        assert_eq!(read("安规2024的压板分类").words_without(&names).trim(), "的压板分类");
    }

    #[test]
    fn a_part_of_a_title_stands_for_the_regulation() {
        let names = ["城市消防远程监控系统".to_owned(), "安规2024".to_owned()];
        let matter = |text: &str| read(text).matter_without(&names).trim().to_owned();
        assert_eq!(matter("消防远程监控那边，多长时间算超时？"), fold("那边，多长时间算超时？"));
        assert_eq!(matter("安规2024里压板怎么分类"), "里压板怎么分类");
        assert_eq!(matter("消防监控多长时间算超时"), "消防监控多长时间算超时", "no four characters in a row");
        assert_eq!(matter("消防远程监控系统"), "消防远程监控系统", "nothing else is asked");
    }

    #[test]
    fn a_question_about_a_change_is_told_from_one_about_a_difference() {
        let compares = |text: &str| read(text).compares_editions(|| false);
        assert!(compares("2024版改了哪些限额") && compares("新旧规定各是多少"));
        assert!(!compares("方案甲和方案乙有什么区别"), "no word of editions");
        let added = read("2024版新增了哪一轮");
        assert_eq!(added.change, Some(Change::Added));
        assert!(added.names_editions() && !added.compares_editions(|| true), "one edition says what is new");
        let removed = read("2023版有而2024版取消的条款是哪一条");
        assert_eq!(removed.compared_subjects(&[], Lexicon::built_in()), [""; 0], "every chapter is compared");
        let subjects = read("2024版比2023版的母线失压改了什么").compared_subjects(&[], Lexicon::built_in());
        assert_eq!(subjects, ["母线失压"]);
    }

    #[test]
    fn rules_are_asked_for_unless_it_is_the_word() {
        assert!(read("对联络线的运行方式有何规定？").asks_for_rules());
        assert!(!read("规定中联络线的定义是什么？").asks_for_rules());
    }

    #[test]
    fn short_forms_are_spelled_out_behind_the_question() {
        let question = read("Where does the ESP begin?");
        assert!(question.search_text().starts_with("Where does the ESP begin?"));
        assert!(question.search_text().ends_with("electronic security perimeter"));
        assert_eq!(read("母线失压怎么处理").search_text(), "母线失压怎么处理");
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,200}") {
            let question = read(&text);
            prop_assert!(text.contains(&question.asking));
        }
    }
}
