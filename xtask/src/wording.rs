//! Checks on words in the source: doc comments of one word say nothing, and lists of words belong into data files with a line
//! on where they come from. The first are forbidden; the second are counted by crate, and the counts may only fall.

use std::collections::BTreeMap;

/// A constant with at least this many texts is a list of words.
const LIST: usize = 8;

/// Lists of words in code that are left, by crate: exceptions of a clause (agent), kinds of files that the guide fixes
/// (context), functions of a formula (parse), font files and extensions (regreader), symbols of units (text).
const LISTS_LEFT: [(&str, usize); 5] =
    [("agent", 1), ("context", 1), ("parse", 1), ("regreader", 2), ("text", 1)];

/// What was found in the source files that were seen.
#[derive(Default)]
pub struct Wording {
    /// Places of doc comments of one word, as `path:line`.
    docs: Vec<String>,
    /// Lists of words in each crate: how many, and the place of the last one.
    lists: BTreeMap<String, (usize, String)>,
}

impl Wording {
    /// Counts what stands in a file below some `src`.
    pub fn count(&mut self, path: &str, text: &str) {
        let mut parts = path.split('/');
        let name = match (parts.next(), parts.next()) {
            (Some("crates" | "backends"), Some(name)) => name,
            (Some(name), _) => name,
            _ => return,
        };
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        self.docs.extend(one_word_docs(code).map(|line| format!("{path}:{line}")));
        for line in lists(code) {
            let (count, last) = self.lists.entry(name.to_owned()).or_default();
            *count += 1;
            *last = format!("{path}:{line}");
        }
    }

    /// A line for each doc comment of one word, and for each crate that has more lists than it had.
    pub fn problems(&self) -> Vec<String> {
        let docs = self.docs.iter();
        let mut problems: Vec<String> =
            docs.map(|place| format!("{place}: a doc comment of one word; say what it is or why")).collect();
        for (name, (count, last)) in &self.lists {
            let left = LISTS_LEFT.iter().find(|(known, _)| known == name).map_or(0, |(_, left)| *left);
            if *count > left {
                problems.push(format!(
                    "crate `{name}` has {count} (allowed {left}) lists of words in code, the last at {last}; put \
                     them into a data file with its origin"
                ));
            }
        }
        problems
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
    let mut found = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let begins = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        let is_list = (begins.starts_with("const ") || begins.starts_with("static "))
            && (line.contains("[&str") || line.contains("&[(&[&str]"));
        let body: String = code.lines().skip(at).take_while(|line| !line.ends_with("];")).collect();
        let own: String = if line.ends_with("];") { line.to_owned() } else { body };
        let words = own.split('"').skip(1).step_by(2).filter(|word| word.chars().all(char::is_alphabetic));
        if is_list && words.count() >= LIST {
            found.push(at + 1);
        }
    }
    found.into_iter()
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
        wording.count("crates/question/src/lib.rs", list);
        assert_eq!(wording.problems().len(), 1);
        wording.count("crates/question/src/which.rs", code);
        assert!(wording.problems()[0].starts_with("crates/question/src/which.rs:1: "));
    }
}
