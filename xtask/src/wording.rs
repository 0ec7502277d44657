//! Checks on words in the source: doc comments of one word say nothing, and lists of words belong into data files with a line
//! on where they come from. What was there before these checks is counted by crate, and the counts may only fall.

use std::collections::BTreeMap;

/// A constant with at least this many texts is a list of words.
const LIST: usize = 8;

/// Doc comments of one word that are left, by crate.
const DOCS_LEFT: [(&str, usize); 17] = [
    ("access", 1),
    ("assemble", 1),
    ("changes", 2),
    ("context", 1),
    ("embed", 2),
    ("llm", 16),
    ("mcp", 7),
    ("model", 25),
    ("ocr", 2),
    ("parse", 15),
    ("proof", 1),
    ("regreader", 33),
    ("scripted-model", 4),
    ("store", 16),
    ("text", 10),
    ("web", 9),
    ("xtask", 1),
];

/// Lists of words in code that are left, by crate.
const LISTS_LEFT: [(&str, usize); 7] = [
    ("agent", 3),
    ("assemble", 3),
    ("context", 3),
    ("parse", 2),
    ("regreader", 2),
    ("store", 1),
    ("text", 10),
];

/// Counts over the source files that were seen.
#[derive(Default)]
pub struct Wording {
    docs: BTreeMap<String, usize>,
    lists: BTreeMap<String, usize>,
    last: BTreeMap<String, String>,
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
        for (line, kind) in
            one_word_docs(code).map(|line| (line, true)).chain(lists(code).map(|line| (line, false)))
        {
            let counts = if kind { &mut self.docs } else { &mut self.lists };
            *counts.entry(name.to_owned()).or_default() += 1;
            self.last.insert(format!("{name} {kind}"), format!("{path}:{line}"));
        }
    }

    /// A line for each crate that has more than it had.
    pub fn problems(&self) -> Vec<String> {
        let kinds = [
            (&self.docs, &DOCS_LEFT[..], true, "doc comments of one word; say what it is or why"),
            (
                &self.lists,
                &LISTS_LEFT[..],
                false,
                "lists of words in code; put them into a data file with its origin",
            ),
        ];
        let mut problems = Vec::new();
        for (counts, left, kind, what) in kinds {
            for (name, count) in counts {
                let left = left.iter().find(|(known, _)| known == name).map_or(0, |(_, left)| *left);
                if *count > left {
                    let last = self.last.get(&format!("{name} {kind}")).map_or("", String::as_str);
                    problems.push(format!("crate `{name}` has {count} (allowed {left}) {what}, as {last}"));
                }
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
    }
}
