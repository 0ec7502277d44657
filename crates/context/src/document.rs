//! One document as far as the search reads it: the front matter and the first 500 characters, whatever the size of
//! the file. Everything odd becomes a note; a document that cannot be read is one without fields or content.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::front_matter::{Block, FrontMatter, cut_block, parse_front_matter};

/// The content that counts, in characters.
const LEAD_CHARS: usize = 500;
/// Enough bytes for that many characters, whatever they are.
const LEAD_BYTES: usize = LEAD_CHARS * 4;
/// A front matter block longer than this is not one.
const MAX_FRONT_BYTES: usize = 64 * 1024;
const FIRST_READ: usize = 4 * 1024;

/// What the search knows of a document.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub front: FrontMatter,
    /// The first 500 characters after the front matter.
    pub lead: String,
    pub notes: Vec<Note>,
}

/// Something odd about a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// The file cannot be opened or read.
    Unreadable(String),
    /// The part read is not UTF-8; it was read as far as it makes sense.
    NotUtf8,
    /// There is no front matter block.
    NoFrontMatter,
    /// The block is broken and none of its fields count.
    BrokenFrontMatter { line: usize, message: String },
}

/// Reads the head of a file. `buffer` is the caller's, so that many documents share one.
pub(crate) fn read_document(path: &Path, buffer: &mut Vec<u8>) -> Document {
    match read_head(path, buffer) {
        Ok(whole) => parse_head(buffer, whole),
        Err(error) => Document { notes: vec![Note::Unreadable(error.to_string())], ..Document::default() },
    }
}

/// Whether the buffer holds the file to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

/// Reads until the front matter is closed and the lead is complete, or a limit is met.
fn read_head(path: &Path, buffer: &mut Vec<u8>) -> std::io::Result<Whole> {
    buffer.clear();
    let mut file = File::open(path)?;
    let mut wanted = FIRST_READ;
    loop {
        if fill(&mut file, buffer, wanted)? == Whole::Yes {
            return Ok(Whole::Yes);
        }
        wanted = match cut_block(buffer) {
            Block::Open { .. } if wanted < MAX_FRONT_BYTES => MAX_FRONT_BYTES,
            Block::Closed { after, .. } if after.len() < LEAD_BYTES => wanted + LEAD_BYTES,
            _ => return Ok(Whole::No),
        };
    }
}

/// Reads on until the buffer holds `wanted` bytes. By hand, because `read_to_end` feels for the end of the file even
/// when the buffer is full: one call in three, over thousands of files.
fn fill(file: &mut File, buffer: &mut Vec<u8>, wanted: usize) -> std::io::Result<Whole> {
    let mut have = buffer.len();
    buffer.resize(wanted, 0);
    while let Some(room) = buffer.get_mut(have..).filter(|room| !room.is_empty()) {
        match file.read(room) {
            Ok(0) => {
                buffer.truncate(have);
                return Ok(Whole::Yes);
            }
            Ok(got) => have += got,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Whole::No)
}

fn parse_head(head: &[u8], whole: Whole) -> Document {
    let mut document = Document::default();
    let after = match cut_block(head) {
        Block::None => {
            document.notes.push(Note::NoFrontMatter);
            head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)
        }
        Block::Closed { yaml, after } => {
            let (text, sound) = decode(yaml, Whole::Yes);
            if !sound {
                document.notes.push(Note::NotUtf8);
            }
            match parse_front_matter(&text) {
                Ok(front) => document.front = front,
                Err(problem) => document
                    .notes
                    .push(Note::BrokenFrontMatter { line: problem.line, message: problem.message }),
            }
            after
        }
        Block::Open { after } => {
            let message = match whole {
                Whole::Yes => "the front matter is never closed".to_owned(),
                Whole::No => format!("the front matter is not closed within {MAX_FRONT_BYTES} bytes"),
            };
            document.notes.push(Note::BrokenFrontMatter { line: 1, message });
            after
        }
    };
    let cut_off = if after.len() > LEAD_BYTES { Whole::No } else { whole };
    let (text, sound) = decode(after.get(..LEAD_BYTES).unwrap_or(after), cut_off);
    if !sound && !document.notes.contains(&Note::NotUtf8) {
        document.notes.push(Note::NotUtf8);
    }
    document.lead = match text.char_indices().nth(LEAD_CHARS) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text.into_owned(),
    };
    document
}

/// The text, and whether it was sound. Where bytes were cut off, half a character at the end is no fault.
fn decode(bytes: &[u8], whole: Whole) -> (std::borrow::Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.into(), true),
        Err(error) => {
            let sound = whole == Whole::No && error.error_len().is_none();
            let bytes = if sound { bytes.get(..error.valid_up_to()).unwrap_or_default() } else { bytes };
            (String::from_utf8_lossy(bytes), sound)
        }
    }
}
