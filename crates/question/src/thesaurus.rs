//! What people say for what documents print.
//!
//! "His badge must be dead by when?" stands in a standard as "revoke the individual's ability for unescorted physical
//! access". The thesaurus (`lexicon/everyday/*.tsv`) has such pairs; here the sayings of a question are found, and with each
//! the formal terms that it may stand for. Which of them is meant is decided by the passages that have one.

use std::collections::HashMap;
use std::io::Read as _;
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

/// The thesaurus of one language.
#[derive(Default)]
struct Thesaurus {
    /// Terms as documents print them.
    terms: Vec<String>,
    /// Sayings as they are written, to their terms.
    written: HashMap<String, Vec<usize>>,
    /// English sayings in base forms, to their terms.
    base: HashMap<String, Vec<usize>>,
}

impl Thesaurus {
    fn english() -> &'static Self {
        static READ: OnceLock<Thesaurus> = OnceLock::new();
        READ.get_or_init(|| {
            let mut thesaurus = Self::unpack(include_bytes!(concat!(env!("OUT_DIR"), "/everyday_en.zlib")));
            for (said, terms) in std::mem::take(&mut thesaurus.written) {
                let words: Vec<&str> = latin_words(&said).map(|(_, word)| word).collect();
                thesaurus.base.entry(base_key(&words)).or_default().extend(&terms);
                thesaurus.written.entry(words.join(" ")).or_default().extend(terms);
            }
            thesaurus.base.values_mut().for_each(|terms| terms.sort_unstable());
            thesaurus.written.values_mut().for_each(|terms| terms.sort_unstable());
            thesaurus
        })
    }

    fn chinese() -> &'static Self {
        static READ: OnceLock<Thesaurus> = OnceLock::new();
        READ.get_or_init(|| Self::unpack(include_bytes!(concat!(env!("OUT_DIR"), "/everyday_zh.zlib"))))
    }

    fn unpack(packed: &[u8]) -> Self {
        let mut text = String::new();
        let read = ZlibDecoder::new(packed).read_to_string(&mut text);
        // Part of the program, and read to its end by a test.
        debug_assert!(read.is_ok(), "the thesaurus is damaged");
        let mut thesaurus = Self::default();
        for (term, sayings) in text.lines().filter_map(|line| line.split_once('\t')) {
            for said in sayings.split('|') {
                thesaurus.written.entry(fold(said)).or_default().push(thesaurus.terms.len());
            }
            thesaurus.terms.push(fold(term));
        }
        thesaurus
    }

    fn terms(&self, at: &[usize]) -> Vec<String> {
        let mut terms: Vec<String> = at.iter().filter_map(|at| self.terms.get(*at).cloned()).collect();
        terms.dedup();
        terms
    }
}

fn english(folded: &str, thesaurus: &Thesaurus) -> Vec<Saying> {
    let words: Vec<(usize, &str)> = latin_words(folded).collect();
    let mut found = Vec::new();
    for (at, (start, _)) in words.iter().enumerate() {
        for count in (1..=LONGEST[0].min(words.len() - at)).rev() {
            let said = &words[at..at + count];
            let plain: Vec<&str> = said.iter().map(|(_, word)| *word).collect();
            if let [only] = plain.as_slice()
                && is_stop_word(only)
            {
                continue;
            }
            // As it is written first: `fired` is another thing than `fire`, though both have one base.
            let terms = thesaurus.written.get(&plain.join(" "));
            let Some(terms) = terms.or_else(|| thesaurus.base.get(&base_key(&plain))) else { continue };
            let end = said.last().map_or(*start, |(start, word)| start + word.len());
            let said = folded[*start..end].to_owned();
            found.push(Saying { said, formal: thesaurus.terms(terms) });
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
            if let Some(terms) = thesaurus.written.get(said) {
                found.push(Saying { said: said.to_owned(), formal: thesaurus.terms(terms) });
            }
        }
    }
    found
}

/// The words of a text with their places, without articles and possessives: `pull his badge` says what `pull badge` says.
fn latin_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '/' | '&');
    let words = text.split(move |c: char| !is_word(c)).filter(|word| !word.is_empty());
    words
        .filter(|word| !Lexicon::built_in().words("determiner").any(|determiner| determiner == *word))
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Words in their base forms, irregular verbs too.
fn base_key(words: &[&str]) -> String {
    let irregular = irregular_verbs();
    let mut key = String::new();
    for word in words {
        if !key.is_empty() {
            key.push(' ');
        }
        let word = word.to_lowercase();
        key.push_str(base_form(irregular.get(word.as_str()).map_or(word.as_str(), |base| *base)));
    }
    key
}

fn irregular_verbs() -> &'static HashMap<&'static str, &'static str> {
    static READ: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    READ.get_or_init(|| {
        let entries = Lexicon::built_in().entries("irregular").iter();
        entries
            .flat_map(|entry| entry.words.iter().map(|form| (form.as_str(), entry.meaning.as_str())))
            .collect()
    })
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
        assert_eq!(base_key(&["stole", "laptops"]), base_key(&["steal", "laptop"]));
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
                assert!(sayings.split('|').all(|said| !said.trim().is_empty()), "{line}");
            }
            assert_eq!(read.terms.len(), terms.len());
            assert!(read.written.values().flatten().all(|at| *at < terms.len()));
        }
    }
}
