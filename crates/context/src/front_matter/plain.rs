//! Front matter of the usual shape, read line by line: `key: value` with plain or simply quoted text, `[a, b]`, and
//! lists of `- item` lines. Declines anything whose meaning in YAML is not plain to see; it never guesses and never
//! reports a problem.

use super::{FrontMatter, Value, field, is_field, push_item};
use crate::words::is_ideographic;

/// The fields, or nothing when the block needs a YAML reader.
pub(super) fn parse(block: &str) -> Option<FrontMatter> {
    let mut front = FrontMatter::default();
    let mut seen = [const { String::new() }; 5];
    let mut lines =
        block.lines().map(|line| line.trim_end_matches(' ')).filter(|line| !is_blank(line)).peekable();
    while let Some(line) = lines.next() {
        let (key, value) = line.split_once(':')?;
        let text = value.trim_start_matches(' ');
        if !is_key(key) || (!value.is_empty() && text.len() == value.len()) {
            return None;
        }
        let value = if text.is_empty() {
            let mut items = Vec::new();
            let mut depth = None;
            while let Some((indent, item)) = lines.peek().and_then(|line| cut_item(line)) {
                if *depth.get_or_insert(indent) != indent {
                    return None;
                }
                push_item(&mut items, scalar(item, Place::Line)?);
                lines.next();
            }
            if depth.is_some() { Value::List(items) } else { Value::Null }
        } else if let Some(inner) = text.strip_prefix('[') {
            Value::List(flow_list(inner.strip_suffix(']')?)?)
        } else {
            scalar(text, Place::Line)?
        };
        let key = key.to_ascii_lowercase();
        if is_field(&key) {
            // A field that is there twice is a problem, and problems are the other reader's.
            let free = seen.iter_mut().find(|one| one.is_empty() || **one == key)?;
            if !free.is_empty() {
                return None;
            }
            field(&mut front, &key, value);
            *free = key;
        }
    }
    Some(front)
}

/// Where a scalar stands: in a `[list]` more characters have a meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Line,
    List,
}

fn is_blank(line: &str) -> bool {
    line.is_empty() || (line.starts_with('#') && !line.contains(char::is_control))
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The indent and text of a `- item` line.
fn cut_item(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(' ');
    Some((line.len() - rest.len(), rest.strip_prefix("- ")?.trim_start_matches(' ')))
}

fn flow_list(inner: &str) -> Option<Vec<String>> {
    let mut items = Vec::new();
    if !inner.trim_matches(' ').is_empty() {
        for item in inner.split(',') {
            push_item(&mut items, scalar(item.trim_matches(' '), Place::List)?);
        }
    }
    Some(items)
}

fn scalar(text: &str, place: Place) -> Option<Value> {
    let mut chars = text.chars();
    match (chars.next()?, chars.next_back()) {
        (quote @ ('"' | '\''), Some(last)) if last == quote => {
            let inner = chars.as_str();
            let simple = |c: char| c != quote && c != '\\' && (is_ordinary(c) || c.is_ascii_punctuation());
            inner.chars().all(simple).then(|| Value::quoted(inner))
        }
        (first, _) if first.is_alphanumeric() => {
            let simple =
                |c: char| is_ordinary(c) || matches!(c, '_' | '-' | '.' | '/' | '+' | '(' | ')' | '@');
            let within_line = |c: char| place == Place::Line && c == ',';
            text.chars().all(|c| simple(c) || within_line(c)).then(|| Value::plain(text))
        }
        _ => None,
    }
}

/// Characters without a meaning in YAML, wherever they stand.
fn is_ordinary(c: char) -> bool {
    c == ' '
        || is_ideographic(c)
        || c.is_alphanumeric()
        || matches!(c, '，' | '。' | '、' | '；' | '：' | '（' | '）' | '《' | '》' | '“' | '”' | '·')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::yaml;
    use super::parse;

    #[test]
    fn usual_blocks_are_read_here() {
        for usual in [
            "",
            "# nothing\n\n",
            "title: \"用户认证与授权设计\"\ntags: [authentication, security, JWT]\nupdated: 2025-12-23\n",
            "title: 用户认证\r\ntags:\r\n  - a b\r\n  - 'c, d'\r\ntype: module_design\r\n",
            "tags:\n- a\n- \"b: c #d\"\nother: x\nempty:\nepic: EPIC-01\ntitle: null\n",
        ] {
            assert_eq!(parse(usual), yaml::parse(usual).ok(), "{usual:?}");
            assert!(parse(usual).is_some(), "{usual:?}");
        }
    }

    #[test]
    fn what_needs_yaml_is_declined() {
        for other in [
            "title: a # b\n",
            "title: a: b\n",
            "title: >\n  a\n",
            "title: a\n  b\n",
            "tags: [a, [b]]\n",
            "tags: [a, b\n",
            "tags:\n  - a\n - b\n",
            "tags: *a\n",
            "title: \"a\\n\"\n",
            "title: 'it''s'\n",
            "title: x\ntitle: y\n",
            "- a\n",
            "? a\n",
            "tags: [a,]\n",
            "title:x\n",
            "...\n",
        ] {
            assert_eq!(parse(other), None, "{other:?}");
        }
    }

    fn pieces() -> impl Strategy<Value = Vec<&'static str>> {
        let lines = prop_oneof![
            Just("title: "),
            Just("tags: "),
            Just("tags:\n"),
            Just("Title: "),
            Just("x-y: "),
            Just("\n"),
            Just("\r\n"),
            Just("\n- "),
            Just("\n  - "),
            Just("- "),
            Just("# c\n"),
            Just("---"),
            Just("updated: 2025-12-23\n"),
        ];
        let texts = prop_oneof![
            Just("["),
            Just("]"),
            Just(", "),
            Just(","),
            Just("a"),
            Just("b c"),
            Just("电网，"),
            Just("\""),
            Just("'"),
            Just("null"),
            Just(" "),
            Just(":"),
            Just("#"),
            Just("\\"),
            Just("\t"),
            Just("1.5"),
            Just("@"),
            Just("%"),
            Just("-"),
            Just("."),
            Just("("),
            Just("\u{85}"),
            Just("\u{a0}"),
            Just("\u{2028}"),
            Just("{"),
            Just("?"),
        ];
        proptest::collection::vec(prop_oneof![lines, texts], 0..14)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn both_readers_give_the_same_answer(pieces in pieces()) {
            let block = pieces.concat();
            if let Some(front) = parse(&block) {
                prop_assert_eq!(yaml::parse(&block), Ok(front), "{:?}", block);
            }
        }
    }
}
