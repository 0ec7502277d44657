//! What people say for what documents print.
//!
//! "His badge must be dead by when?" stands in a standard as "revoke the individual's ability for unescorted physical
//! access". The thesaurus (`lexicon/everyday/*.tsv`) has such pairs; here the sayings of a question are found, and with each
//! the formal terms that it may stand for. Which of them is meant is decided by the passages that have one.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Read as _;
use std::ops::Range;
use std::sync::OnceLock;

use flate2::read::ZlibDecoder;
use regreader_text::script::is_cjk;
use regreader_text::{Saying, base_form, fold, is_stop_word};

use crate::lexicon::{Lexicon, SAID};

/// Words of the longest English saying, and characters of the longest Chinese one, that are looked for.
const LONGEST: [usize; 2] = [4, 8];

/// The sayings of a question, in its order, longer ones first; those of the site's lexicon among them.
pub(crate) fn sayings_in(question: &str, lexicon: &Lexicon) -> Vec<Saying> {
    let folded = fold(question);
    let mut found = if folded.contains(is_cjk) {
        chinese(&folded, Thesaurus::chinese())
    } else {
        english(&folded, Thesaurus::english())
    };
    for entry in lexicon.entries(SAID) {
        let formal: Vec<String> = entry.meaning.split('|').map(|term| fold(term.trim())).collect();
        let said = entry.words.iter().filter(|word| folded.contains(word.as_str()));
        found.extend(said.map(|said| Saying { said: said.clone(), formal: formal.clone() }));
    }
    // What the question says itself needs no other word for it.
    for saying in &mut found {
        saying.formal.retain(|term| !folded.contains(term.as_str()));
    }
    found.retain(|saying| !saying.formal.is_empty());
    found
}

/// The thesaurus of one language: its text, and where in it a saying stands. A saying is known by a hash of its words, so that
/// reading forty thousand of them allocates nothing for each.
#[derive(Default)]
struct Thesaurus {
    text: String,
    /// Lines of the text.
    lines: Vec<Range<usize>>,
    /// Sayings as they are written, and their lines; in order.
    written: Vec<(u64, u32)>,
    /// English sayings in base forms, and their lines; in order.
    base: Vec<(u64, u32)>,
}

impl Thesaurus {
    fn english() -> &'static Self {
        static READ: OnceLock<Thesaurus> = OnceLock::new();
        READ.get_or_init(|| {
            let english = Sayings::new();
            let add = |thesaurus: &mut Self, said: &str, line: u32| {
                thesaurus.written.push((english.written(said), line));
                thesaurus.base.push((english.base(said), line));
            };
            Self::unpack(include_bytes!(concat!(env!("OUT_DIR"), "/everyday_en.zlib")), add)
        })
    }

    fn chinese() -> &'static Self {
        static READ: OnceLock<Thesaurus> = OnceLock::new();
        READ.get_or_init(|| {
            let add = |thesaurus: &mut Self, said: &str, line: u32| {
                thesaurus.written.push((hash([said]), line));
            };
            Self::unpack(include_bytes!(concat!(env!("OUT_DIR"), "/everyday_zh.zlib")), add)
        })
    }

    fn unpack(packed: &[u8], add: impl Fn(&mut Self, &str, u32)) -> Self {
        let mut text = String::new();
        let read = ZlibDecoder::new(packed).read_to_string(&mut text);
        // Part of the program, and read to its end by a test.
        debug_assert!(read.is_ok(), "the thesaurus is damaged");
        let mut thesaurus = Self::default();
        let mut from = 0;
        for line in text.split_inclusive('\n') {
            let at = thesaurus.lines.len() as u32;
            thesaurus.lines.push(from..from + line.len());
            from += line.len();
            let sayings = line.trim_end().split_once('\t').map(|(_, sayings)| sayings).unwrap_or_default();
            sayings.split('|').for_each(|said| add(&mut thesaurus, said, at));
        }
        thesaurus.text = text;
        thesaurus.written.sort_unstable();
        thesaurus.base.sort_unstable();
        thesaurus
    }

    /// The terms of the lines under a key.
    fn terms(&self, keys: &[(u64, u32)], key: u64) -> Vec<String> {
        let start = keys.partition_point(|(other, _)| *other < key);
        let found = keys[start..].iter().take_while(|(other, _)| *other == key);
        let line = |at: &u32| self.lines.get(*at as usize).and_then(|line| self.text.get(line.clone()));
        let terms = found.filter_map(|(_, at)| line(at)?.split('\t').next());
        let mut terms: Vec<String> = terms.map(fold).collect();
        terms.dedup();
        terms
    }
}

/// What English sayings are compared by.
struct Sayings {
    determiners: Vec<&'static str>,
    irregular: HashMap<&'static str, &'static str>,
}

impl Sayings {
    fn new() -> Self {
        let lexicon = Lexicon::built_in();
        let forms = lexicon
            .entries("irregular")
            .iter()
            .flat_map(|entry| entry.words.iter().map(|form| (form.as_str(), entry.meaning.as_str())));
        Self { determiners: lexicon.words("determiner").collect(), irregular: forms.collect() }
    }

    /// The words of a text with their places, without articles and possessives: `pull his badge` says what `pull badge` says.
    fn words<'t>(&self, text: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '/' | '&');
        let words = text.split(move |c: char| !is_word(c)).filter(|word| !word.is_empty());
        words
            .filter(|word| !self.determiners.contains(word))
            .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
    }

    fn written(&self, said: &str) -> u64 {
        hash(self.words(said).map(|(_, word)| word))
    }

    /// Of words in their base forms, irregular verbs too.
    fn base(&self, said: &str) -> u64 {
        hash(self.words(said).map(|(_, word)| base_form(self.irregular.get(word).unwrap_or(&word))))
    }
}

/// A hash of words. It lives as long as the process.
fn hash<'t>(words: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in words {
        word.hash(&mut hasher);
    }
    hasher.finish()
}

fn english(folded: &str, thesaurus: &Thesaurus) -> Vec<Saying> {
    let sayings = Sayings::new();
    let words: Vec<(usize, &str)> = sayings.words(folded).collect();
    let mut found = Vec::new();
    for (at, (start, _)) in words.iter().enumerate() {
        for count in (1..=LONGEST[0].min(words.len() - at)).rev() {
            let last = words[at + count - 1];
            let Some(said) = folded.get(*start..last.0 + last.1.len()) else { continue };
            if count == 1 && is_stop_word(said) {
                continue;
            }
            // As it is written first: `fired` is another thing than `fire`, though both have one base.
            let mut formal = thesaurus.terms(&thesaurus.written, sayings.written(said));
            if formal.is_empty() {
                formal = thesaurus.terms(&thesaurus.base, sayings.base(said));
            }
            if !formal.is_empty() {
                found.push(Saying { said: said.to_owned(), formal });
            }
        }
    }
    found
}

fn chinese(folded: &str, thesaurus: &Thesaurus) -> Vec<Saying> {
    let places: Vec<usize> = folded.char_indices().map(|(at, _)| at).chain([folded.len()]).collect();
    let mut found = Vec::new();
    for (at, start) in places.iter().enumerate() {
        for end in places[at + 1..].iter().take(LONGEST[1]).rev() {
            let said = &folded[*start..*end];
            let formal = thesaurus.terms(&thesaurus.written, hash([said]));
            if !formal.is_empty() {
                found.push(Saying { said: said.to_owned(), formal });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formal(question: &str, said: &str) -> Vec<String> {
        let sayings = sayings_in(question, Lexicon::built_in());
        sayings.into_iter().find(|saying| saying.said == said).map_or(Vec::new(), |saying| saying.formal)
    }

    #[test]
    fn a_saying_leads_to_what_documents_print_in_every_form_of_its_words() {
        assert!(formal("We fired a technician", "fired").contains(&"termination action".to_owned()));
        assert!(!formal("A fire in the cabinet", "fire").contains(&"termination action".to_owned()));
        assert!(formal("whose badges are dead", "badges").contains(&"physical access".to_owned()));
        let sayings = Sayings::new();
        assert_eq!(sayings.base("stole his laptops"), sayings.base("steal laptop"));
        assert_ne!(sayings.base("stole his laptops"), sayings.base("steal"));
        assert!(formal("hand in her notice", "hand in her notice").contains(&"resignation".to_owned()));
        assert!(formal("线路跳了怎么办", "跳了").contains(&"跳闸".to_owned()));
    }

    #[test]
    fn what_the_question_says_itself_needs_no_other_word() {
        assert!(!formal("线路跳了，跳闸后怎么办", "跳了").contains(&"跳闸".to_owned()));
        assert!(sayings_in("", Lexicon::built_in()).is_empty());
    }

    #[test]
    fn a_site_adds_sayings_of_its_own() {
        let site = "# Origin: the control room.\nsaid; 小黄本; 调度日志|运行记录";
        let lexicon = Lexicon::built_in().extended([site]).unwrap();
        let sayings = sayings_in("小黄本要记什么", &lexicon);
        let own = sayings.iter().find(|saying| saying.said == "小黄本").unwrap();
        assert_eq!(own.formal, ["调度日志", "运行记录"]);
    }

    #[test]
    fn every_line_of_the_thesaurus_is_read_and_every_file_says_where_it_comes_from() {
        let sources =
            [include_str!("../lexicon/everyday/en.tsv"), include_str!("../lexicon/everyday/zh.tsv")];
        for (source, read) in sources.into_iter().zip([Thesaurus::english(), Thesaurus::chinese()]) {
            assert!(source.contains("\n# Origin: "));
            let lines: Vec<&str> = source.lines().filter(|line| !line.starts_with('#')).collect();
            assert!(lines.is_sorted(), "the file is in order");
            let mut terms = std::collections::HashSet::new();
            for line in &lines {
                let (term, sayings) = line.split_once('\t').unwrap();
                assert!(!term.is_empty() && terms.insert(term), "{line}");
                // They are compared with folded questions.
                assert!(
                    sayings.split('|').all(|said| !said.trim().is_empty() && fold(said) == said),
                    "{line}"
                );
            }
            assert_eq!(read.lines.len(), terms.len());
            assert_eq!(
                read.written.len(),
                lines.iter().map(|line| line.matches('|').count() + 1).sum::<usize>()
            );
        }
    }
}
