//! Keywords out of a Story or a sentence: technical terms, no general words, three to six. Pure text.
//!
//! Terms of the lexicon count, in English or Chinese, and so do words that look technical wherever they come from:
//! acronyms (`MCP`), inner capitals (`GraphQL`), digits (`OAuth2`), code spans. What the title or the tags name comes
//! first, then what is named often, then what is named early. When fewer than three terms are found, the related
//! terms of those found fill up (login → authentication), then the things of the business, from the last one back
//! (a Chinese sentence puts what it is about at the end), then whatever words of the title are not general.

use std::collections::BTreeMap;

use crate::front_matter::{Block, FrontMatter, cut_block, parse_front_matter};
use crate::lexicon::{ENTRIES, Entry, GENERAL_EN, GENERAL_ZH, Tier};
use crate::words::{fold, is_ideographic, words};

const LEAST: usize = 3;
const MOST: usize = 6;
const MAX_BYTES: usize = 64 * 1024;
/// How often a term may count; a word said ten times is not twice as important as one said five times.
const MAX_COUNT: usize = 5;
/// What being named in the title or the tags is worth, in mentions.
const TITLE_WORTH: usize = 10;

/// What a Story file tells a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Story {
    /// Three to six technical terms, or fewer when the text has no more.
    pub keywords: Vec<String>,
    /// The epic it belongs to, when it says so (`epic: EPIC-01`, or the first `EPIC-01` in the text).
    pub epic: Option<String>,
}

/// The technical terms of a text, at most six.
///
/// ```
/// assert_eq!(regreader_context::extract_keywords("实现用户登录 API"), ["login", "API", "authentication"]);
/// ```
pub fn extract_keywords(text: &str) -> Vec<String> {
    read_story(text).keywords
}

/// Reads a Story: front matter if it has some, then Markdown or plain text.
pub fn read_story(text: &str) -> Story {
    let text = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
    let (front, body) = match cut_block(text.as_bytes()) {
        Block::Closed { yaml, after } => {
            let front = parse_front_matter(&String::from_utf8_lossy(yaml)).unwrap_or_default();
            (front, String::from_utf8_lossy(after))
        }
        Block::None | Block::Open { .. } => (FrontMatter::default(), text.into()),
    };
    let title = title_of(&front, &body);
    let mut found = Found::default();
    found.read(&format!("{title}\n{}", front.tags.join("\n")), TITLE_WORTH);
    found.read(&without_code_blocks(&body), 1);
    Story { keywords: found.choose(&title), epic: front.epic.or_else(|| first_epic(text)) }
}

/// Front matter title, or the first line that has one, without heading marks.
fn title_of(front: &FrontMatter, body: &str) -> String {
    let first = || body.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    front.title.clone().or_else(|| first().map(str::to_owned)).unwrap_or_default()
}

fn without_code_blocks(body: &str) -> String {
    let mut inside = false;
    let mut text = String::with_capacity(body.len());
    for line in body.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// The first `EPIC-` with digits after it.
fn first_epic(text: &str) -> Option<String> {
    text.match_indices("EPIC-").find_map(|(at, mark)| {
        let rest = text.get(at + mark.len()..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| format!("{mark}{}", rest.get(..digits).unwrap_or_default()))
    })
}

/// The terms met so far.
#[derive(Default)]
struct Found {
    /// By folded keyword.
    terms: BTreeMap<String, Met>,
    read: usize,
}

struct Met {
    keyword: String,
    tier: Tier,
    related: Option<&'static str>,
    count: usize,
    worth: usize,
    first: usize,
}

impl Found {
    fn read(&mut self, text: &str, worth: usize) {
        let folded = fold(text);
        let mut at = 0;
        while let Some(rest) = folded.get(at..).filter(|rest| !rest.is_empty()) {
            let step = match longest(rest, folded.get(..at).unwrap_or_default()) {
                Some((entry, length)) => {
                    self.meet(entry.keyword, entry.tier, entry.related, worth, at);
                    length
                }
                None => rest.chars().next().map_or(1, char::len_utf8),
            };
            at += step;
        }
        self.read_unknown(text, worth);
        self.read += folded.len();
    }

    /// Words the lexicon does not know but that look technical.
    fn read_unknown(&mut self, text: &str, worth: usize) {
        let mut at = 0;
        for chunk in text.split_inclusive(|c: char| c.is_whitespace() || is_ideographic(c)) {
            let token = chunk.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '`'));
            let code = token.len() > 2 && token.starts_with('`') && token.ends_with('`');
            let token = token.trim_matches('`').trim_end_matches("()");
            if (code && is_identifier(token) || looks_technical(token)) && !is_known(token) {
                self.meet(token, Tier::Term, None, worth, at);
            }
            at += chunk.len();
        }
    }

    fn meet(&mut self, keyword: &str, tier: Tier, related: Option<&'static str>, worth: usize, at: usize) {
        let first = self.read + at;
        let met = self.terms.entry(fold(keyword)).or_insert_with(|| Met {
            keyword: keyword.to_owned(),
            tier,
            related,
            count: 0,
            worth: 0,
            first,
        });
        met.count += 1;
        met.worth = met.worth.max(worth);
        met.first = met.first.min(first);
    }

    fn choose(self, title: &str) -> Vec<String> {
        let (mut terms, mut things): (Vec<Met>, Vec<Met>) =
            self.terms.into_values().partition(|met| met.tier == Tier::Term);
        let rank = |met: &Met| std::cmp::Reverse(met.count.min(MAX_COUNT) + met.worth);
        terms.sort_by_key(|met| (rank(met), met.first));
        things.sort_by_key(|met| (rank(met), std::cmp::Reverse(met.first)));
        let mut chosen: Vec<String> = terms.iter().take(MOST).map(|met| met.keyword.clone()).collect();
        let related = terms.iter().filter_map(|met| met.related).map(str::to_owned);
        let things = things.iter().map(|met| met.keyword.clone());
        for filler in related.chain(things).chain(other_words(title)) {
            if chosen.len() >= LEAST {
                break;
            }
            if !chosen.iter().any(|one| fold(one) == fold(&filler)) {
                chosen.push(filler);
            }
        }
        chosen
    }
}

/// The longest spelling of any term at the start of `rest`; English ones must be whole words.
fn longest(rest: &str, before: &str) -> Option<(&'static Entry, usize)> {
    let joins = |c: Option<char>| c.is_some_and(|c| (c.is_alphanumeric() && !is_ideographic(c)) || c == '_');
    let fits = |spelling: &str| {
        let Some(after) = strip_fold(rest, spelling) else { return false };
        if spelling.chars().any(is_ideographic) {
            return true;
        }
        !joins(before.chars().next_back()) && !joins(after.chars().next()) && !after.starts_with(['+', '#'])
    };
    let spellings = |entry: &'static Entry| entry.spellings.iter().copied().chain([entry.keyword]);
    ENTRIES
        .iter()
        .flat_map(|entry| spellings(entry).filter(|one| fits(one)).map(move |one| (entry, one.len())))
        .max_by_key(|&(_, length)| length)
}

/// What follows `spelling` at the start of folded text; the lexicon's capitals do not count.
fn strip_fold<'t>(text: &'t str, spelling: &str) -> Option<&'t str> {
    let start = text.get(..spelling.len())?;
    if start.eq_ignore_ascii_case(spelling) { text.get(spelling.len()..) } else { None }
}

fn is_known(token: &str) -> bool {
    let folded = fold(token);
    ENTRIES.iter().any(|entry| fold(entry.keyword) == folded || entry.spellings.contains(&folded.as_str()))
}

/// Acronyms, inner capitals, letters with digits. Not ids such as STORY-03, and not words of the Story form.
fn looks_technical(token: &str) -> bool {
    let letters = token.chars().filter(char::is_ascii_alphabetic).count();
    if !(2..=32).contains(&token.len())
        || letters == 0
        || !token.chars().all(|c| c.is_ascii_alphanumeric() || c == '+')
    {
        return false;
    }
    let upper = token.chars().filter(char::is_ascii_uppercase).count();
    let inner = token.chars().skip(1).any(|c| c.is_ascii_uppercase());
    let digits = token.len() > letters;
    let starts_with_letter = token.starts_with(|c: char| c.is_ascii_alphabetic());
    starts_with_letter
        && !is_general(token)
        && ((inner && upper < letters) || (upper == letters && letters >= 2) || digits)
}

fn is_identifier(token: &str) -> bool {
    (3..=48).contains(&token.len())
        && token.starts_with(|c: char| c.is_ascii_alphabetic())
        && token.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !is_general(token)
}

fn is_general(token: &str) -> bool {
    GENERAL_EN.contains(&token.to_ascii_lowercase().as_str())
}

/// Words of the title that are neither known nor general: whole English words, and the Chinese that is left between
/// general words.
fn other_words(title: &str) -> Vec<String> {
    let folded = fold(title);
    let mut others = Vec::new();
    for word in words(&folded) {
        if word.chars().any(is_ideographic) {
            others.extend(between_general(word));
        } else if word.len() >= 4
            && !is_general(word)
            && !word.bytes().all(|b| b.is_ascii_digit())
            && !is_known(word)
        {
            others.push(word.to_owned());
        }
    }
    others
}

fn between_general(run: &str) -> Vec<String> {
    let mut pieces: Vec<String> = vec![String::new()];
    let mut rest = run;
    while let Some(c) = rest.chars().next() {
        let known = longest(rest, "").map(|(_, length)| length);
        let general = GENERAL_ZH.iter().filter(|word| rest.starts_with(**word)).map(|word| word.len()).max();
        if known.or(general).is_some() {
            pieces.push(String::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
        rest = rest.get(known.or(general).unwrap_or(c.len_utf8())..).unwrap_or_default();
    }
    pieces.into_iter().filter(|piece| (2..=8).contains(&piece.chars().count())).collect()
}
