//! The words around a match, marked. Text is cut at sentence ends where that fits, a table row is never cut.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use regreader_text::Tokenizer;

/// About how many characters a snippet has.
pub(crate) const USUAL_CHARS: usize = 160;

/// What to mark: the words of a query with their weights.
pub(crate) struct Marker<'a> {
    tokenizer: &'a Tokenizer,
    /// Each word with its weight and its place among them.
    words: HashMap<&'a str, (f32, usize)>,
}

/// A word of the query found in the text.
struct Find {
    range: Range<usize>,
    weight: f32,
    word: usize,
}

/// Longer texts are looked at to here: a block that goes on for pages is rare, and time must stay bounded.
const MAX_BYTES: usize = 24_000;

impl<'a> Marker<'a> {
    /// Marks these words. Those that weigh next to nothing beside the others are left alone.
    pub(crate) fn new(tokenizer: &'a Tokenizer, weights: &'a [(String, f32)]) -> Self {
        let heaviest = weights.iter().map(|(_, weight)| *weight).fold(0.0, f32::max);
        let weights: BTreeMap<&str, f32> = weights
            .iter()
            .filter(|(_, weight)| *weight >= heaviest * 0.2)
            .map(|(word, weight)| (word.as_str(), *weight))
            .collect();
        let words = weights.into_iter().zip(0..).map(|((word, weight), place)| (word, (weight, place)));
        Self { tokenizer, words: words.collect() }
    }

    /// The best part of a text, with the words marked by `**`.
    pub(crate) fn snippet(&self, text: &str) -> String {
        let text = beginning(text, MAX_BYTES);
        let finds = self.finds(text);
        if text.lines().any(is_row) { rows(text, &finds) } else { passage(text, &finds) }
    }

    fn finds(&self, text: &str) -> Vec<Find> {
        let mut finds = Vec::new();
        self.tokenizer.visit(text, |token| {
            if let Some((weight, word)) = self.words.get(token.text) {
                finds.push(Find { range: token.start..token.end, weight: *weight, word: *word });
            }
        });
        finds.sort_by_key(|find| (find.range.start, find.range.end));
        finds
    }
}

/// The stretch of running text in which the most weight of different words stands.
fn passage(text: &str, finds: &[Find]) -> String {
    let start = best_start(text, finds);
    let start = sentence_start(text, start);
    let end = passage_end(text, start);
    let mut out = String::new();
    if !text.get(..start).unwrap_or_default().trim().is_empty() {
        out.push('…');
    }
    out.push_str(marked(text, start..end, finds).trim());
    if !text.get(end..).unwrap_or_default().trim().is_empty() {
        out.push('…');
    }
    out
}

/// Where the heaviest window of finds begins; the first one of the heaviest.
fn best_start(text: &str, finds: &[Find]) -> usize {
    let mut best = (0.0, 0);
    let places = char_places(text, finds);
    // Weights of the words of a window, each at its place.
    let mut seen = vec![0.0_f32; finds.iter().map(|find| find.word + 1).max().unwrap_or(0)];
    for (first, find) in finds.iter().enumerate() {
        seen.fill(0.0);
        let start = places.get(first).map_or(0, |place| place.start);
        for (other, place) in finds.iter().zip(&places).skip(first) {
            if place.end.saturating_sub(start) > USUAL_CHARS * 3 / 4 {
                break;
            }
            if let Some(weight) = seen.get_mut(other.word) {
                *weight = other.weight;
            }
        }
        let weight: f32 = seen.iter().sum();
        if weight > best.0 + f32::EPSILON {
            best = (weight, find.range.start);
        }
        // Enough for any text that is worth looking at more closely.
        if first > 400 {
            break;
        }
    }
    best.1
}

/// Where the finds stand, in characters. They come in the order in which they begin.
fn char_places(text: &str, finds: &[Find]) -> Vec<Range<usize>> {
    let chars = |range: Range<usize>| text.get(range).map_or(0, |part| part.chars().count());
    let (mut at, mut start) = (0, 0);
    let place = |find: &Find| {
        start += chars(at..find.range.start);
        at = find.range.start;
        start..start + chars(find.range.clone())
    };
    finds.iter().map(place).collect()
}

/// Back to the beginning of the sentence, if that is near; else a few characters back.
fn sentence_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let mut back = before.char_indices().rev().take(USUAL_CHARS / 2);
    if let Some((place, c)) = back.find(|(_, c)| is_sentence_end(*c)) {
        return place + c.len_utf8();
    }
    let count = before.chars().count();
    if count <= USUAL_CHARS / 2 {
        return 0;
    }
    before.char_indices().rev().nth(USUAL_CHARS / 8).map_or(0, |(place, _)| place)
}

fn passage_end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let mut end = rest.len();
    let mut last_sentence = None;
    for (count, (place, c)) in rest.char_indices().enumerate() {
        if count >= USUAL_CHARS {
            end = place;
            break;
        }
        if is_sentence_end(c) && count > USUAL_CHARS / 2 {
            last_sentence = Some(place + c.len_utf8());
        }
    }
    if end == rest.len() { text.len() } else { start + last_sentence.unwrap_or(end) }
}

/// The heaviest row of a table and its neighbours, whole; with the header in front where that fits.
fn rows(text: &str, finds: &[Find]) -> String {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        at += line.len();
        let content = text.get(range.clone()).unwrap_or_default();
        if !content.trim().is_empty() && !is_rule(content) {
            let weight = weight_within(finds, &range);
            lines.push((range, weight, is_row(content)));
        }
    }
    let Some(best) = lines
        .iter()
        .enumerate()
        .max_by(|(a_at, a), (b_at, b)| a.1.total_cmp(&b.1).then(b_at.cmp(a_at)))
        .map(|(at, _)| at)
    else {
        return String::new();
    };
    let length = |at: usize| {
        lines.get(at).and_then(|(range, _, _)| text.get(range.clone())).map_or(0, |line| line.chars().count())
    };
    let mut shown = vec![best];
    let mut used = length(best);
    let header = lines.iter().position(|(_, _, row)| *row);
    let mut wanted: Vec<usize> = header.into_iter().collect();
    // Rows with matches of their own first, then whatever follows.
    wanted.extend((0..lines.len()).filter(|at| lines.get(*at).is_some_and(|line| line.1 > 0.0)));
    wanted.extend(best + 1..lines.len());
    for at in wanted {
        if !shown.contains(&at) && used + length(at) <= USUAL_CHARS {
            used += length(at);
            shown.push(at);
        }
    }
    shown.sort_unstable();
    let line =
        |at: &usize| lines.get(*at).map(|(range, _, _)| marked(text, range.clone(), finds).trim().to_owned());
    shown.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn weight_within(finds: &[Find], range: &Range<usize>) -> f32 {
    let mut seen = BTreeMap::new();
    for find in finds.iter().filter(|find| find.range.start >= range.start && find.range.end <= range.end) {
        seen.insert(find.word, find.weight);
    }
    seen.values().sum()
}

/// A part of the text with its finds marked, in one line, without marks of its own.
fn marked(text: &str, part: Range<usize>, finds: &[Find]) -> String {
    let mut inside: Vec<Range<usize>> = Vec::new();
    for find in finds.iter().filter(|find| find.range.start >= part.start && find.range.end <= part.end) {
        match inside.last_mut() {
            // Overlapping and touching finds are one mark.
            Some(last) if find.range.start <= last.end => last.end = last.end.max(find.range.end),
            _ => inside.push(find.range.clone()),
        }
    }
    let mut out = String::new();
    let mut at = part.start;
    for range in &inside {
        push_plain(&mut out, text.get(at..range.start).unwrap_or_default());
        out.push_str("**");
        push_plain(&mut out, text.get(range.clone()).unwrap_or_default());
        out.push_str("**");
        at = range.end;
    }
    push_plain(&mut out, text.get(at..part.end).unwrap_or_default());
    out
}

/// White space as single spaces; no Markdown of headings or emphasis.
fn push_plain(out: &mut String, text: &str) {
    let text = text.replace("**", "");
    for c in text.chars() {
        let heading = c == '#' && out.trim_start_matches(['#', '…']).is_empty();
        if c.is_whitespace() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !heading {
            out.push(c);
        }
    }
}

fn is_sentence_end(c: char) -> bool {
    matches!(c, '。' | '；' | '！' | '？' | '\n' | ';' | '!' | '?')
}

fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// `|---|:-:|`
fn is_rule(line: &str) -> bool {
    is_row(line) && line.chars().all(|c| matches!(c, '|' | '-' | ':') || c.is_whitespace())
}

/// At most so many bytes, on a character boundary.
fn beginning(text: &str, bytes: usize) -> &str {
    let cut = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..cut).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(text: &str, words: &[(&str, f32)]) -> String {
        let tokenizer = Tokenizer::new();
        let weights: Vec<(String, f32)> =
            words.iter().map(|(word, weight)| ((*word).to_owned(), *weight)).collect();
        Marker::new(&tokenizer, &weights).snippet(text)
    }

    #[test]
    fn neighbouring_bigrams_are_one_mark() {
        let marked = snippet("发生母线失压时立即汇报。", &[("母线", 2.0), ("线失", 3.0), ("失压", 3.0)]);
        assert_eq!(marked, "发生**母线失压**时立即汇报。");
    }

    #[test]
    fn what_is_written_otherwise_is_marked_as_it_stands() {
        assert_eq!(snippet("长治站长南Ⅰ线跳闸", &[("长南1线", 5.0)]), "长治站**长南Ⅰ线**跳闸");
        assert_eq!(snippet("１１０ 千伏母线", &[("110kv", 5.0)]), "**１１０ 千伏**母线");
    }

    #[test]
    fn a_long_text_is_cut_around_the_match_at_sentence_ends() {
        let filler = "其他各项规定按原规程执行。".repeat(40);
        let text = format!("{filler}黑启动电源应保持热备用。{filler}");
        let cut = snippet(&text, &[("黑启", 4.0), ("启动", 2.0)]);
        assert!(cut.starts_with("…**黑启动**电源应保持热备用。"), "{cut}");
        assert!(cut.ends_with("。…") && cut.chars().count() <= USUAL_CHARS + 8, "{cut}");
    }

    #[test]
    fn table_rows_stay_whole_and_bring_their_header() {
        let mut text = String::from("| 开机台数 | 风电出力（万千瓦） | 限额 |\n|---|---|---|\n");
        for count in 1..40 {
            text.push_str(&format!("| {count} | {} | {} |\n", count * 50, 100 + count));
        }
        let cut = snippet(&text, &[("1550", 3.0)]);
        assert!(cut.starts_with("| 开机台数 | 风电出力（万千瓦） | 限额 |\n"), "{cut}");
        assert!(cut.contains("| 31 | **1550** | 131 |"), "{cut}");
        assert!(cut.lines().all(|line| line.starts_with('|') && line.ends_with('|')), "{cut}");
        assert!(!cut.contains("---"));
    }

    #[test]
    fn nothing_to_mark_gives_the_beginning() {
        assert_eq!(snippet("## 6.2 母线失压\n\n应立即汇报。", &[("无关", 1.0)]), "6.2 母线失压 应立即汇报。");
        assert_eq!(snippet("", &[("无关", 1.0)]), "");
        let long = snippet(&"字".repeat(5_000), &[]);
        assert_eq!(long.chars().count(), USUAL_CHARS + 1);
    }

    #[test]
    fn marks_of_the_text_are_not_taken_for_ours() {
        assert_eq!(snippet("**重要**：母线", &[("母线", 1.0)]), "重要：**母线**");
    }
}
