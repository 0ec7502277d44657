//! The words keyword extraction knows: technical terms with their Chinese names, and the words too general to be
//! keywords. The words themselves stand in `terms.txt` and `general_words.txt`.

use std::sync::LazyLock;

/// What sort of word a term is. The guide wants the first four; a thing's bare name only fills up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    /// Technical terms, modules, components and patterns (技术术语、功能模块、架构组件、设计模式).
    Term,
    /// A thing of the business (用户, 订单).
    Thing,
}

/// A known term.
pub(crate) struct Entry {
    pub keyword: &'static str,
    pub tier: Tier,
    /// Other spellings, Chinese or English, in lower case; the keyword itself is one without being listed.
    pub spellings: Vec<&'static str>,
    /// A neighbour that is worth searching too when the text names few terms.
    pub related: Option<&'static str>,
}

pub(crate) static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut tier = Tier::Term;
    let mut entries = Vec::new();
    for line in include_str!("terms.txt").lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with('[') {
            tier = if line.starts_with("[things") { Tier::Thing } else { Tier::Term };
            continue;
        }
        let mut spellings = line.split(" | ");
        let head = spellings.next().unwrap_or_default();
        let (keyword, related) = match head.split_once(" > ") {
            Some((keyword, related)) => (keyword, Some(related)),
            None => (head, None),
        };
        entries.push(Entry { keyword, tier, spellings: spellings.collect(), related });
    }
    entries
});

/// Words that say nothing about the subject: of the guide (实现, 开发), of how Stories are written, and of grammar.
pub(crate) static GENERAL_ZH: LazyLock<Vec<&str>> = LazyLock::new(|| general("zh"));

pub(crate) static GENERAL_EN: LazyLock<Vec<&str>> = LazyLock::new(|| general("en"));

/// The words of a language in the list of general words.
fn general(language: &str) -> Vec<&'static str> {
    let lines = include_str!("general_words.txt").lines().filter_map(|line| line.strip_prefix(language));
    lines.flat_map(str::split_whitespace).collect()
}
