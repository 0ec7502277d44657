//! HTML into tags and text, in one pass over the characters, never failing.
//!
//! A tree builder that follows the whole HTML standard can be made to work for hours by a small hostile file (formatting
//! elements reopened in every paragraph, scopes searched through thousands of levels). Here every character is looked
//! at once, and [`super::tree`] bounds the rest.

use std::ops::ControlFlow;

use quick_xml::escape::resolve_html5_entity;

/// Attributes kept of one tag; real tags have fewer.
const MAX_ATTRIBUTES: usize = 48;

/// A piece of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `<name …>`, the name in lower case.
    Start {
        /// Tag name in lower case, for example `td`.
        name: String,
        /// Attributes, names in lower case, values decoded.
        attributes: Vec<(String, String)>,
    },
    /// `</name>`
    End(String),
    /// Characters, entities not yet decoded.
    Text(&'a str),
    /// `<!-- … -->`
    Comment(&'a str),
}

/// Gives every token of the text to `emit`, until it breaks off.
pub(crate) fn tokenize<'a>(text: &'a str, mut emit: impl FnMut(Token<'a>) -> ControlFlow<()>) {
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        if !before.is_empty() && emit(Token::Text(before)).is_break() {
            return;
        }
        let (token, after) = markup(tag);
        rest = after;
        let Some(token) = token else { continue };
        let raw = match &token {
            Token::Start { name, .. } if is_raw(name) => Some(name.clone()),
            _ => None,
        };
        if emit(token).is_break() {
            return;
        }
        if let Some(name) = raw {
            let end = find_end_tag(rest, &name);
            let (content, after) = rest.split_at(end);
            if !content.is_empty() && emit(Token::Text(content)).is_break() {
                return;
            }
            rest = after;
        }
    }
    if !rest.is_empty() {
        let _ = emit(Token::Text(rest));
    }
}

/// Elements whose content is not markup.
fn is_raw(name: &str) -> bool {
    matches!(name, "script" | "style" | "textarea" | "title" | "xmp" | "iframe" | "noembed" | "noframes")
}

fn find_end_tag(text: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let start = from + at;
        let tail = &text.as_bytes()[start + 2..];
        if tail.len() >= name.len() && tail[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return start;
        }
        from = start + 2;
    }
    text.len()
}

/// One piece of markup at the start of `text`, which begins with `<`.
fn markup(text: &str) -> (Option<Token<'_>>, &str) {
    let body = &text[1..];
    if let Some(comment) = body.strip_prefix("!--") {
        let (content, after) = split_at_marker(comment, "-->");
        return (Some(Token::Comment(content)), after);
    }
    if body.starts_with(['!', '?']) {
        return (None, split_at_marker(body, ">").1);
    }
    if let Some(end) = body.strip_prefix('/') {
        let (name, after) = split_at_marker(end, ">");
        let name = name.split([' ', '\t', '\n', '/']).next().unwrap_or("").to_ascii_lowercase();
        return (Some(Token::End(name)), after);
    }
    if !body.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return (Some(Token::Text(&text[..1])), body);
    }
    let name_end =
        body.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(body.len());
    let name = body[..name_end].to_ascii_lowercase();
    let (attributes, after) = attributes(&body[name_end..]);
    (Some(Token::Start { name, attributes }), after)
}

fn split_at_marker<'a>(text: &'a str, marker: &str) -> (&'a str, &'a str) {
    match text.find(marker) {
        Some(at) => (&text[..at], &text[at + marker.len()..]),
        None => (text, ""),
    }
}

fn attributes(text: &str) -> (Vec<(String, String)>, &str) {
    let mut list = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(after) = rest.strip_prefix('>') {
            return (list, after);
        }
        if rest.is_empty() {
            return (list, rest);
        }
        // The first character belongs to the name whatever it is, so that every turn moves on.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let name_end = rest[first..]
            .find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/'))
            .map_or(rest.len(), |at| at + first);
        let name = rest[..name_end].to_ascii_lowercase();
        rest = rest[name_end..].trim_start_matches(|c: char| c.is_ascii_whitespace());
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start_matches(|c: char| c.is_ascii_whitespace());
            (value, rest) = match after.chars().next() {
                Some(quote @ ('"' | '\'')) => split_at_marker(&after[1..], quote.encode_utf8(&mut [0; 4])),
                _ => {
                    let end =
                        after.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(after.len());
                    after.split_at(end)
                }
            };
        }
        if list.len() < MAX_ATTRIBUTES {
            list.push((name, decode_entities(value)));
        }
    }
}

/// Text with its entities replaced.
pub(crate) fn decode_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        match entity(tail) {
            Some((replacement, length)) => {
                out.push_str(&replacement);
                rest = &tail[length..];
            }
            None => {
                out.push('&');
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The replacement for an entity and how much of the text behind `&` it takes.
fn entity(tail: &str) -> Option<(String, usize)> {
    if let Some(number) = tail.strip_prefix('#') {
        let (digits, radix, lead) = match number.strip_prefix(['x', 'X']) {
            Some(hex) => (hex, 16, 2),
            None => (number, 10, 1),
        };
        let length = digits.bytes().take(8).take_while(|b| char::from(*b).is_digit(radix)).count();
        let code = u32::from_str_radix(digits.get(..length)?, radix).ok()?;
        let closed = usize::from(digits[length..].starts_with(';'));
        return Some((character(code).to_string(), lead + length + closed));
    }
    let length = tail.bytes().take(40).take_while(u8::is_ascii_alphanumeric).count();
    let name = &tail[..length];
    if tail[length..].starts_with(';') {
        return Some((resolve_html5_entity(name)?.to_owned(), length + 1));
    }
    // The few that old pages write without the semicolon.
    ["nbsp", "amp", "lt", "gt", "quot", "copy", "reg"]
        .into_iter()
        .find(|known| name == *known)
        .and_then(|known| Some((resolve_html5_entity(known)?.to_owned(), known.len())))
}

/// Codes 128 to 159 mean Windows-1252 on the web.
fn character(code: u32) -> char {
    if let Ok(byte @ 0x80..=0x9F) = u8::try_from(code) {
        let decoded = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next();
        return decoded.unwrap_or('\u{FFFD}');
    }
    char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{FFFD}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        tokenize(text, |token| {
            out.push(match token {
                Token::Start { name, attributes } => format!("<{name} {attributes:?}"),
                Token::End(name) => format!("/{name}"),
                Token::Text(text) => decode_entities(text),
                Token::Comment(text) => format!("!{text}"),
            });
            ControlFlow::Continue(())
        });
        out
    }

    #[test]
    fn tags_text_comments_and_raw_content() {
        assert_eq!(
            tokens(
                "<P class=a title='x &gt; y'>a &lt; b &nbsp;&#19968;</p><!-- c --><script>if (a<b) {}</script>"
            ),
            [
                r#"<p [("class", "a"), ("title", "x > y")]"#,
                "a < b \u{A0}一",
                "/p",
                "! c ",
                "<script []",
                "if (a<b) {}",
                "/script"
            ]
        );
    }

    #[test]
    fn unfinished_markup_ends_quietly() {
        for text in [
            "<",
            "<a",
            "<a b",
            "<a b=",
            "<a b='",
            "<!--",
            "</",
            "<a b=c",
            "&",
            "&#",
            "&#x;",
            "<a =\"\" \u{4e00}",
        ] {
            tokens(text);
        }
    }
}
