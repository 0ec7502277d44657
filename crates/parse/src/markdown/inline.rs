//! Marks inside a line: emphasis, code, links, pictures, escapes and entities.

use crate::flow::Flow;

/// The words of a line without its marks. Links outside are noted in the flow.
pub(crate) fn plain(text: &str, flow: &mut Flow) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '`', '*', '_', '~', '[', '!', '<', '&']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        rest = mark(tail, &mut out, flow);
    }
    out.push_str(rest);
    out
}

/// Whether the whole line is bold.
pub(crate) fn is_bold(text: &str) -> bool {
    ["**", "__"].iter().any(|mark| {
        text.len() > 4
            && text
                .strip_prefix(mark)
                .and_then(|t| t.strip_suffix(mark))
                .is_some_and(|inner| !inner.contains(mark))
    })
}

/// The alternative text of a picture that is all there is.
pub(crate) fn lone_picture(text: &str) -> Option<&str> {
    let (alt, target) = text.strip_prefix("![")?.split_once("](")?;
    let inside = target.strip_suffix(')')?;
    (!alt.contains(']') && !inside.contains(')')).then_some(alt.trim())
}

/// Handles the mark at the start of `tail`; gives what is left.
fn mark<'a>(tail: &'a str, out: &mut String, flow: &mut Flow) -> &'a str {
    let mut characters = tail.chars();
    let first = characters.next().unwrap_or(' ');
    let after = characters.as_str();
    match first {
        '\\' => match after.chars().next() {
            Some(next) if next.is_ascii_punctuation() => {
                out.push(next);
                &after[next.len_utf8()..]
            }
            _ => literal(first, after, out),
        },
        '`' => code(tail, out),
        '*' | '_' | '~' => emphasis(tail, first, out),
        '!' if after.starts_with('[') => match link(after) {
            Some((alt, _, rest)) => {
                out.push_str(alt);
                rest
            }
            None => literal(first, after, out),
        },
        '[' => match link(tail) {
            Some((text, target, rest)) => {
                if target.starts_with("http") {
                    flow.link(target);
                }
                // Marks inside the words of a link are as good as outside, but links do not nest.
                out.push_str(&text.replace("**", "").replace('`', ""));
                rest
            }
            None => literal(first, after, out),
        },
        '<' => tag(after, out, flow).unwrap_or_else(|| literal(first, after, out)),
        '&' => {
            let end = window(after, 32).find(';');
            let decoded = end.and_then(|end| {
                quick_xml::escape::unescape_with(&tail[..end + 2], |name| {
                    quick_xml::escape::resolve_html5_entity(name)
                })
                .ok()
                .map(|text| (text.into_owned(), &after[end + 1..]))
            });
            match decoded {
                Some((text, rest)) => {
                    out.push_str(&text);
                    rest
                }
                None => literal(first, after, out),
            }
        }
        _ => literal(first, after, out),
    }
}

/// The start of a text. A partner is looked for only so far: marks without partners must not make the whole quadratic.
fn window(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn literal<'a>(character: char, after: &'a str, out: &mut String) -> &'a str {
    out.push(character);
    after
}

fn code<'a>(tail: &'a str, out: &mut String) -> &'a str {
    let ticks = tail.bytes().take_while(|b| *b == b'`').count();
    let (mark, after) = tail.split_at(ticks);
    match window(after, 65_536).find(mark) {
        Some(end) => {
            out.push_str(after[..end].trim_matches(' '));
            &after[end + ticks..]
        }
        None => {
            out.push_str(mark);
            after
        }
    }
}

/// Drops a run of emphasis marks that has a partner; `3*5*2` and `a_b_c` keep theirs.
fn emphasis<'a>(tail: &'a str, mark: char, out: &mut String) -> &'a str {
    let length = tail.bytes().take_while(|b| *b == mark as u8).count();
    let (run, after) = tail.split_at(length);
    let before = out.chars().next_back();
    let next = after.chars().next();
    let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let inside_word = word(before) && word(next);
    let possible = match mark {
        '~' => length == 2,
        '_' => length <= 3 && !inside_word,
        _ => length <= 3 && !(inside_word && length == 1),
    };
    let opens = !space(next) && window(after, 4096).contains(run);
    let closes = !space(before);
    if possible && (opens || closes) && !(space(before) && space(next)) {
        after
    } else {
        out.push_str(run);
        after
    }
}

/// `[text](target)` or `[text][label]` at the start: text, target, rest.
fn link(tail: &str) -> Option<(&str, &str, &str)> {
    let inner = tail.strip_prefix('[')?;
    let close = window(inner, 2048).find(']')?;
    let (text, after) = (&inner[..close], &inner[close + 1..]);
    if let Some(target) = after.strip_prefix('(') {
        let mut depth = 1usize;
        let end = target.char_indices().take(2048).find_map(|(at, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        })?;
        let address = target[..end].split_whitespace().next().unwrap_or("");
        return Some((text, address, &target[end + 1..]));
    }
    let label = after.strip_prefix('[')?;
    let end = window(label, 256).find(']')?;
    Some((text, "", &label[end + 1..]))
}

/// An HTML tag or an address in angle brackets; none where `<` is just a sign.
fn tag<'a>(after: &'a str, out: &mut String, flow: &mut Flow) -> Option<&'a str> {
    let end = window(after, 2048).find('>')?;
    let (inner, rest) = (&after[..end], &after[end + 1..]);
    if inner.starts_with("http://") || inner.starts_with("https://") {
        flow.link(inner);
        out.push_str(inner);
        return Some(rest);
    }
    let name: String =
        inner.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
    match name.to_ascii_lowercase().as_str() {
        "br" => out.push('\n'),
        "b" | "strong" | "i" | "em" | "u" | "s" | "del" | "ins" | "sub" | "sup" | "span" | "font" | "a"
        | "code" | "mark" | "small" | "kbd" | "img" | "p" => {}
        _ if inner.starts_with("!--") => {}
        _ => return None,
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_words_stay() {
        let mut flow = Flow::default();
        for (marked, words) in [
            ("**第一条** 为了加强*管理*，", "第一条 为了加强管理，"),
            ("3*5*2 与 a_b_c", "3*5*2 与 a_b_c"),
            ("见[《条例》](http://x.cn/a_(1))第二条", "见《条例》第二条"),
            ("`a*b` ~~旧~~ \\*星", "a*b 旧 *星"),
            ("H<sub>2</sub>O<br>水 &lt;5", "H2O\n水 <5"),
            ("a < b > c", "a < b > c"),
            ("关于修改<中华人民共和国可再生能源法>的决定", "关于修改<中华人民共和国可再生能源法>的决定"),
        ] {
            assert_eq!(plain(marked, &mut flow), words);
        }
    }
}
