//! Word lists in text files: sections of words, each with a line on where they come from. The code knows forms, the files know
//! words.

use std::sync::LazyLock;

/// The lists of this crate.
pub(crate) const WORDS: &str = include_str!("words.txt");

/// The words of a section: lines below `[section]`, words between bars, lines that begin with `#` left out.
///
/// ```
/// const FILE: &str = "[colours]\n# Origin: the flag.\nred | light blue\n[others]\ngreen\n";
/// assert_eq!(regreader_text::words_of(FILE, "colours"), ["red", "light blue"]);
/// ```
pub fn words_of(file: &'static str, section: &str) -> Vec<&'static str> {
    let is_head =
        |line: &str| line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) == Some(section);
    let lines = file.lines().skip_while(|line| !is_head(line)).skip(1);
    let own = lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.starts_with('#'));
    own.flat_map(|line| line.split('|')).map(str::trim).filter(|word| !word.is_empty()).collect()
}

/// Whether an English word stays in lower case within a title: `of`, `and`, `the`.
pub fn is_small_word(word: &str) -> bool {
    static SMALL: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "small words"));
    SMALL.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_says_where_its_words_come_from() {
        let sections: Vec<&str> = WORDS.split("\n[").skip(1).collect();
        assert!(sections.len() >= 9);
        for section in sections {
            let name = section.split(']').next().unwrap_or_default();
            assert!(section.contains("\n# Origin: "), "{name}");
            assert!(words_of(WORDS, name).len() >= 8, "{name}");
        }
    }
}
