//! The words that a reading needs, as data. A lexicon is made of lines `section; words; meaning` in text files; each file
//! has a line that says where its words come from. A site adds files of the same form, which come before the built-in
//! ones where the first line that fits counts.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use regreader_text::{Tokenizer, fold};

/// The files of this crate. `lexicon/optional` is not among them: its files are for sites that want them.
const BUILT_IN: [&str; 5] = [
    include_str!("../lexicon/asking.txt"),
    include_str!("../lexicon/editions.txt"),
    include_str!("../lexicon/grid.txt"),
    include_str!("../lexicon/grammar_en.txt"),
    include_str!("../lexicon/values.txt"),
];

/// The section that only sites fill: what people there say for what documents print. The built-in sayings are a thesaurus.
pub(crate) const SAID: &str = "said";

/// The words that questions are read with. Cheap to clone.
///
/// ```
/// use regreader_question::{Lexicon, Question};
///
/// let site = "# Origin: the control room's own list.\nspelled_out; agc; automatic generation control";
/// let lexicon = Lexicon::built_in().extended([site])?;
/// assert!(Question::read("How fast is AGC?", &lexicon).search_text().contains("automatic generation"));
/// # Ok::<(), regreader_question::LexiconError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Lexicon {
    sections: Arc<BTreeMap<String, Vec<Entry>>>,
    tokenizer: Tokenizer,
}

/// One line: words, folded, and what they mean.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) words: Vec<String>,
    pub(crate) meaning: String,
}

/// A line of a lexicon file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LexiconError {
    /// The line has no words.
    #[error("line {line}: expected `section; words; meaning`")]
    Form {
        /// Line of the file, from 1.
        line: usize,
    },
    /// No reading uses such words.
    #[error("line {line}: unknown section {section:?}; known: {known}")]
    Section {
        /// Line of the file, from 1.
        line: usize,
        /// The section that the line names.
        section: String,
        /// The sections that there are.
        known: String,
    },
}

impl Default for Lexicon {
    fn default() -> Self {
        Self::built_in().clone()
    }
}

impl Lexicon {
    /// The words that come with this crate.
    pub fn built_in() -> &'static Self {
        static READ: OnceLock<Lexicon> = OnceLock::new();
        READ.get_or_init(|| {
            let mut sections: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
            for (_, section, entry) in BUILT_IN.iter().flat_map(|text| lines(text)) {
                if let Some(entry) = entry {
                    sections.entry(section).or_default().push(entry);
                }
            }
            Self { sections: Arc::new(sections), tokenizer: Tokenizer::new() }
        })
    }

    /// The same with the lines of further files before its own.
    pub fn extended<'a>(&self, files: impl IntoIterator<Item = &'a str>) -> Result<Self, LexiconError> {
        let mut sections = BTreeMap::clone(&self.sections);
        for text in files {
            let mut added: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
            for (line, section, entry) in lines(text) {
                let Some(entry) = entry else { return Err(LexiconError::Form { line }) };
                if section != SAID && !sections.contains_key(&section) {
                    let known = sections.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                    return Err(LexiconError::Section { line, section, known });
                }
                added.entry(section).or_default().push(entry);
            }
            for (section, mut entries) in added {
                let known = sections.entry(section).or_default();
                entries.append(known);
                *known = entries;
            }
        }
        Ok(Self { sections: Arc::new(sections), tokenizer: self.tokenizer.clone() })
    }

    /// The same with the lines of a terms file for the tokenizer.
    #[must_use]
    pub fn with_terms<S: AsRef<str>>(self, terms: impl IntoIterator<Item = S>) -> Self {
        Self { tokenizer: Tokenizer::with_terms(terms), ..self }
    }

    pub(crate) fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    pub(crate) fn entries(&self, section: &str) -> &[Entry] {
        self.sections.get(section).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn words(&self, section: &str) -> impl Iterator<Item = &str> {
        self.entries(section).iter().flat_map(|entry| &entry.words).map(String::as_str)
    }

    /// Whether a word of this section stands in a text.
    pub(crate) fn says(&self, section: &str, said: &Said) -> bool {
        self.words(section).any(|word| said.has(word))
    }

    /// The meaning of the first line of this section of which a word stands in a text; of `价+多少` both must.
    pub(crate) fn meaning(&self, section: &str, said: &Said) -> Option<&str> {
        let stands = |words: &String| words.split('+').all(|word| said.has(word));
        let fits = |entry: &&Entry| entry.words.iter().any(stands);
        self.entries(section).iter().find(fits).map(|entry| entry.meaning.as_str())
    }
}

/// The lines of a file with their numbers and sections; no entry where a line has no words.
fn lines(text: &str) -> impl Iterator<Item = (usize, String, Option<Entry>)> {
    let told = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    told.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(at, line)| {
        let mut fields = line.splitn(3, ';').map(str::trim);
        let section = fields.next().unwrap_or_default().to_owned();
        let words: Vec<String> = fields.next().map(|words| self::words(words).collect()).unwrap_or_default();
        let meaning = fields.next().unwrap_or_default().to_owned();
        (at, section, (!words.is_empty()).then_some(Entry { words, meaning }))
    })
}

/// Words of a list, folded.
pub(crate) fn words(list: &str) -> impl Iterator<Item = String> {
    list.split([',', '，']).map(|word| fold(word.trim())).filter(|word| !word.is_empty())
}

/// A text in which words are looked for: Chinese ones anywhere, Latin ones as whole words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) folded: String,
    /// Latin words and numbers, a blank between them and at both ends.
    pub(crate) latin: String,
}

impl Said {
    pub(crate) fn new(text: &str) -> Self {
        let folded = fold(text);
        let latin = latin_words(&folded);
        Self { folded, latin }
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        if word.is_ascii() && word.contains(|c: char| c.is_ascii_alphanumeric()) {
            self.latin.contains(&latin_words(word))
        } else {
            self.folded.contains(word)
        }
    }
}

fn latin_words(folded: &str) -> String {
    let mut latin = String::from(" ");
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '&' || c == '%';
    for word in folded.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()) {
        latin.push_str(word);
        latin.push(' ');
    }
    latin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_line_has_words_and_every_file_an_origin() {
        let optional = include_str!("../lexicon/optional/finance.txt");
        for text in BUILT_IN.iter().chain([&optional]) {
            assert!(text.contains("# Origin: "), "{}", text.lines().next().unwrap_or_default());
            for (line, section, entry) in lines(text) {
                assert!(entry.is_some() && !section.is_empty(), "line {line} of {text}");
            }
        }
        assert!(Lexicon::built_in().extended([optional]).is_ok(), "the optional file can be added");
    }

    #[test]
    fn a_sites_line_comes_first_and_a_wrong_one_is_refused_with_its_number() {
        let lexicon = Lexicon::built_in().extended(["kind; 多少; list"]).unwrap();
        assert_eq!(lexicon.meaning("kind", &Said::new("限额是多少")), Some("list"));
        let form = Lexicon::built_in().extended(["# Origin: x\nkind"]);
        assert_eq!(form.map(|_| ()), Err(LexiconError::Form { line: 2 }));
        let section = Lexicon::built_in().extended(["kin; 多少; list"]).map(|_| ());
        assert!(matches!(section, Err(LexiconError::Section { line: 1, .. })), "{section:?}");
    }

    #[test]
    fn latin_words_are_found_whole_and_chinese_ones_anywhere() {
        let said = Said::new("Which EPSILON of 500kV母线BES, PP&E?");
        assert!(said.has("bes") && said.has("母线") && said.has("pp&e") && said.has("?"));
        assert!(!said.has("eps") && !said.has("which of"));
    }
}
