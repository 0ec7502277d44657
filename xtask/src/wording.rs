//! Checks on words in the source: doc comments of one word say nothing, and lists of words belong into data files with a line
//! on where they come from. Neither may stand in the code.

/// A constant with at least this many texts is a list of words.
const LIST: usize = 8;

/// What a comment above a list says that is none of words but of names that a format fixes: extensions, commands, features.
const NOT_WORDS: &str = "Not vocabulary: ";

/// What was found in the source files that were seen.
#[derive(Default)]
pub struct Wording {
    /// Places of doc comments of one word, as `path:line`.
    docs: Vec<String>,
    /// Places of lists of words.
    lists: Vec<String>,
}

impl Wording {
    /// Counts what stands in a file below some `src`.
    pub fn count(&mut self, path: &str, text: &str) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        self.docs.extend(one_word_docs(code).map(|line| format!("{path}:{line}")));
        self.lists.extend(lists(code).map(|line| format!("{path}:{line}")));
    }

    /// A line for each doc comment of one word and for each list.
    pub fn problems(&self) -> Vec<String> {
        let docs =
            self.docs.iter().map(|at| format!("{at}: a doc comment of one word; say what it is or why"));
        let lists = self.lists.iter().map(|at| {
            format!("{at}: a list of words in code; put it into a data file with its origin (or begin its comment with `{NOT_WORDS}`)")
        });
        docs.chain(lists).collect()
    }
}

/// Lines of doc comments that are one English word.
fn one_word_docs(code: &str) -> impl Iterator<Item = usize> {
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let alone = |at: usize| {
        let doc =
            |at: Option<usize>| at.and_then(|at| lines.get(at)).is_some_and(|line| line.starts_with("///"));
        !doc(at.checked_sub(1)) && !doc(Some(at + 1))
    };
    let is_word = |line: &str| {
        let word = line.strip_prefix("/// ").unwrap_or_default();
        !word.is_empty() && word.is_ascii() && !word.contains([' ', '`'])
    };
    let found: Vec<usize> =
        (0..lines.len()).filter(|at| is_word(lines[*at]) && alone(*at)).map(|at| at + 1).collect();
    found.into_iter()
}

/// Lines on which a constant begins that is a list of words.
fn lists(code: &str) -> impl Iterator<Item = usize> {
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let is_list = |at: usize| {
        let begins = lines[at].trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        let is_constant = begins.starts_with("const ") || begins.starts_with("static ");
        let is_explained = at > 0 && lines[at - 1].trim_start_matches(['/', ' ']).starts_with(NOT_WORDS);
        let end = lines[at..].iter().position(|line| line.ends_with("];")).map_or(at, |length| at + length);
        let own = lines[at..=end].concat();
        let words = own.split('"').skip(1).step_by(2).filter(|word| word.chars().all(char::is_alphabetic));
        is_constant && begins.contains("[&str") && !is_explained && words.count() >= LIST
    };
    (0..lines.len()).filter(|at| is_list(*at)).map(|at| at + 1).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_says_nothing_and_a_list_belongs_into_a_file() {
        let code = "/// Which.\nid: u8,\n/// Which regulation.\nid: u8,\n/// Which\n/// one.\nid: u8,\n";
        assert_eq!(one_word_docs(code).collect::<Vec<_>>(), [1]);
        let list =
            "const WORDS: &[&str] = &[\n \"a\", \"b\", \"c\", \"d\",\n \"e\", \"f\", \"g\", \"h\",\n];\n";
        assert_eq!(lists(list).collect::<Vec<_>>(), [1]);
        assert_eq!(lists("const WORDS: [&str; 2] = [\"a\", \"b\"];\n").count(), 0);
        let mut wording = Wording::default();
        wording.count("crates/question/src/lib.rs", &format!("// {NOT_WORDS}the alphabet.\n{list}"));
        assert_eq!(wording.problems(), [""; 0]);
        wording.count("crates/question/src/lib.rs", list);
        assert!(wording.problems()[0].starts_with("crates/question/src/lib.rs:1: "));
        wording.count("crates/question/src/which.rs", code);
        assert!(wording.problems()[0].starts_with("crates/question/src/which.rs:1: "));
    }
}
