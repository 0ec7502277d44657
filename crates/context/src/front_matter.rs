//! Front matter: the YAML block between `---` lines at the top of a document. Turns text into the few fields the
//! search uses, or into a problem; reads no files.
//!
//! Nearly every block is a handful of `key: value` lines, and a search reads thousands: [`plain`] reads those at a
//! fraction of the cost, or declines. Whatever it declines goes to [`yaml`], which reads all of YAML. A property test
//! holds the two to the same answer.

mod plain;
mod yaml;

use std::fmt;

const MAX_TAGS: usize = 256;
const MAX_TAG_CHARS: usize = 200;
const MAX_TEXT_CHARS: usize = 1_000;

/// The fields the search reads; any other field of the block is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrontMatter {
    /// Field `title`.
    pub title: Option<String>,
    /// `tags`, a list or one line with commas.
    pub tags: Vec<String>,
    /// `updated`, as written.
    pub updated: Option<String>,
    /// `type`, as written.
    pub kind: Option<String>,
    /// `epic`, which a Story file has.
    pub epic: Option<String>,
}

/// What is wrong with a front matter block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterProblem {
    /// The line of the file it was seen on, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for FrontMatterProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for FrontMatterProblem {}

/// The text of a front matter block (without its fences) as fields.
///
/// ```
/// let front = regreader_context::parse_front_matter("title: \"用户认证\"\ntags: [authentication, JWT]\n")?;
/// assert_eq!(front.tags, ["authentication", "JWT"]);
/// # Ok::<(), regreader_context::FrontMatterProblem>(())
/// ```
pub fn parse_front_matter(block: &str) -> Result<FrontMatter, FrontMatterProblem> {
    plain::parse(block).map_or_else(|| yaml::parse(block), Ok)
}

/// A front matter block found at the top of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block<'t> {
    /// The text does not begin with a fence.
    None,
    /// The block, and what follows its closing fence.
    Closed { yaml: &'t [u8], after: &'t [u8] },
    /// There is an opening fence and no closing one; what follows the opening fence.
    Open { after: &'t [u8] },
}

/// Cuts the block off the top. Works on bytes because a fence is ASCII in every encoding met here.
pub(crate) fn cut_block(text: &[u8]) -> Block<'_> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let (first, after) = cut_line(text);
    if !is_fence(first, b"---") {
        return Block::None;
    }
    let mut rest = after;
    while !rest.is_empty() {
        let (line, next) = cut_line(rest);
        if is_fence(line, b"---") || is_fence(line, b"...") {
            let length = after.len().saturating_sub(rest.len());
            return Block::Closed { yaml: after.get(..length).unwrap_or_default(), after: next };
        }
        rest = next;
    }
    Block::Open { after }
}

fn cut_line(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|&byte| byte == b'\n') {
        Some(end) => text.split_at_checked(end + 1).unwrap_or((text, &[])),
        None => (text, &[]),
    }
}

fn is_fence(line: &[u8], fence: &[u8]) -> bool {
    line.strip_prefix(fence).is_some_and(|rest| rest.iter().all(u8::is_ascii_whitespace))
}

#[derive(Debug, Clone)]
enum Value {
    Null,
    Text(String),
    List(Vec<String>),
    /// A nested mapping; no field of ours is one.
    Other,
}

impl Value {
    /// An unquoted scalar: a few spellings mean nothing.
    fn plain(text: &str) -> Self {
        if is_null(text) { Self::Null } else { Self::quoted(text) }
    }

    /// A quoted or block scalar: always text.
    fn quoted(text: &str) -> Self {
        Self::Text(cut(text, MAX_TEXT_CHARS))
    }

    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text).filter(|text| !text.trim().is_empty()),
            Self::List(list) => list.into_iter().next(),
            Self::Null | Self::Other => None,
        }
    }

    fn list(self) -> Vec<String> {
        match self {
            Self::List(list) => list,
            Self::Text(line) => {
                let tags = line.split([',', '，', '、']).map(str::trim).filter(|tag| !tag.is_empty());
                tags.take(MAX_TAGS).map(|tag| cut(tag, MAX_TAG_CHARS)).collect()
            }
            Self::Null | Self::Other => Vec::new(),
        }
    }
}

/// Adds one item to a list of texts, within the limits.
fn push_item(list: &mut Vec<String>, item: Value) {
    if let Some(text) = item.text()
        && list.len() < MAX_TAGS
    {
        list.push(cut(text.trim(), MAX_TAG_CHARS));
    }
}

/// Puts a value into its field. The names are ours whatever their case.
fn field(front: &mut FrontMatter, key: &str, value: Value) {
    match key {
        "title" => front.title = value.text(),
        "tags" => front.tags = value.list(),
        "updated" => front.updated = value.text(),
        "type" => front.kind = value.text(),
        "epic" => front.epic = value.text(),
        _ => {}
    }
}

fn is_field(key: &str) -> bool {
    matches!(key, "title" | "tags" | "updated" | "type" | "epic")
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn cut(text: &str, chars: usize) -> String {
    if text.len() <= chars {
        return text.to_owned();
    }
    text.char_indices().nth(chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text).to_owned()
}
