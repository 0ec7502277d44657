//! Public items that nobody outside their crate uses: `pub` says that somebody does.
//!
//! What a crate offers is what `lib.rs` lists with `pub use` and what stands in its `pub mod`s. A name counts as used when a
//! file outside the crate's `src` has it as a word, when an example in the docs imports it, or when it is a type of
//! something that is used: then callers hold it without naming it. Words of the same spelling elsewhere can hide an item that nobody uses; they cannot accuse one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::root;

/// A line for each public item without a user in another crate.
pub fn unused(files: &[String]) -> Vec<String> {
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    for file in files {
        // A file that git still lists may be gone.
        if let Ok(text) = fs::read_to_string(root().join(file)) {
            texts.insert(file, text);
        }
    }
    let mut problems = Vec::new();
    let libraries = texts.keys().filter(|file| file.starts_with("crates/") && file.ends_with("/src/lib.rs"));
    for library in libraries {
        let src = library.trim_end_matches("lib.rs");
        let (own, other): (Vec<_>, Vec<_>) = texts.iter().partition(|(file, _)| file.starts_with(src));
        let mut used: BTreeSet<&str> = other.iter().flat_map(|(_, text)| words(text)).collect();
        let is_import = |line: &&str| line.trim_start().trim_start_matches(['/', '!']).starts_with(" use ");
        used.extend(own.iter().flat_map(|(_, text)| text.lines().filter(is_import)).flat_map(words));
        for name in offered(src, &texts).into_iter().filter(|name| !used.contains(name)) {
            let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
            if !(is_type && own.iter().any(|(_, text)| is_held(name, text))) {
                problems.push(format!("{src}: `{name}` is public and no other crate uses it"));
            }
        }
    }
    problems
}

/// Names that a crate offers.
fn offered<'t>(src: &str, texts: &'t BTreeMap<&str, String>) -> BTreeSet<&'t str> {
    let lib = texts.get(format!("{src}lib.rs").as_str()).map_or("", String::as_str);
    let mut names = BTreeSet::new();
    for statement in lib.split(';').filter_map(|part| part.split("\npub use ").nth(1)) {
        let list = statement.split_once('{').map_or(statement, |(_, list)| list.trim_end_matches('}'));
        let last = |path: &'t str| words(path).last();
        names.extend(list.split(',').filter_map(last).filter(|name| *name != "self"));
    }
    for module in lib.lines().filter_map(|line| line.strip_prefix("pub mod ")) {
        let module = module.trim_end_matches(';');
        let file = [format!("{src}{module}.rs"), format!("{src}{module}/mod.rs")];
        let text = file.iter().find_map(|file| texts.get(file.as_str())).map_or("", String::as_str);
        names.extend(text.lines().filter_map(defined));
    }
    names
}

/// The name that a line makes public.
fn defined(line: &str) -> Option<&str> {
    let mut rest = line.strip_prefix("pub ")?;
    for word in ["const fn ", "async fn ", "fn ", "struct ", "enum ", "trait ", "const ", "static ", "type "]
    {
        if let Some(name) = rest.strip_prefix(word) {
            rest = name;
            return words(rest).next();
        }
    }
    None
}

/// Whether something public has this type: a field, a variant, an argument, a result, an entry of a list.
fn is_held(name: &str, text: &str) -> bool {
    let variant = format!("({name}),");
    let holds = |line: &&str| {
        let line = line.trim_start();
        let is_own = defined(line) == Some(name) || line.starts_with("pub use");
        let is_public = line.starts_with("pub ") || line.starts_with(") ->") || line.starts_with("type ");
        (is_public || line.contains("::of::<") || line.ends_with(&variant)) && !is_own
    };
    text.lines().filter(holds).any(|line| words(line).any(|word| word == name))
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_and_held_is_known() {
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        texts.insert(
            "crates/a/src/lib.rs",
            "mod x;\npub mod y;\n\npub use x::{One, two};\npub use x::Three as Four;\n".to_owned(),
        );
        texts.insert(
            "crates/a/src/y.rs",
            "pub fn five() {}\nfn six() {}\npub const SEVEN: u8 = 7;\n".to_owned(),
        );
        let names: Vec<&str> = offered("crates/a/src/", &texts).into_iter().collect();
        assert_eq!(names, ["Four", "One", "SEVEN", "five", "two"]);
        assert!(is_held("One", "pub struct One;\npub fn first() -> One {}"));
        assert!(!is_held("One", "pub struct One;\nfn first() -> One {}"));
    }
}
