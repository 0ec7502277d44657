//! Aligned sections, read through a memory map: what the file-based indexes are made of. A file holds one pack or several,
//! one behind the other.
//!
//! A pack begins with a header of fixed size: what kind of file it is, how long it must be, where its sections lie,
//! and a check over all that. Numbers stand in the machine's own byte order; a file carried to a machine of another
//! order does not pass the header check and is built anew.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bytemuck::AnyBitPattern;
use regreader_messages::{Word, errors};
use tantivy::HasLen as _;
use tantivy::directory::{Directory, MmapDirectory, OwnedBytes};

use crate::IndexError;

const MAGIC: u64 = 0x5252_5041_434B_0001;
const HEADER: usize = 1024;
const MAX_SECTIONS: usize = 48;
/// Every section begins at a multiple of this: a cache line, and enough for any number.
const ALIGNMENT: u64 = 64;

/// Writes packs, each section by section.
pub(crate) struct PackWriter {
    file: BufWriter<File>,
    path: PathBuf,
    kind: u32,
    /// Where in the file the pack begins.
    base: u64,
    /// Where in the pack the next byte goes.
    at: u64,
    sections: Vec<[u64; 2]>,
}

impl PackWriter {
    /// Begins a new file of packs of one kind.
    pub(crate) fn create(path: &Path, kind: u32) -> Result<Self, IndexError> {
        let file = File::create(path).map_err(|source| IndexError::io(path, source))?;
        let file = BufWriter::with_capacity(1 << 18, file);
        Ok(Self { file, path: path.to_owned(), kind, base: 0, at: 0, sections: Vec::new() })
    }

    /// Begins a pack.
    pub(crate) fn begin(&mut self) -> Result<(), IndexError> {
        self.align()?;
        self.sections.clear();
        self.at = HEADER as u64;
        self.write(&[0; HEADER])
    }

    /// Ends a pack: writes its header. Gives where it begins and its length.
    pub(crate) fn end(&mut self) -> Result<(u64, u64), IndexError> {
        let header = header(self.kind, self.at, &self.sections);
        let mut fill = || -> io::Result<()> {
            self.file.seek(SeekFrom::Start(self.base))?;
            self.file.write_all(&header)?;
            self.file.seek(SeekFrom::Start(self.base + self.at))?;
            Ok(())
        };
        fill().map_err(|source| IndexError::io(&self.path, source))?;
        Ok((self.base, self.at))
    }

    /// Writes a whole pack that stands in another file. Gives where it begins and its length.
    pub(crate) fn copy(&mut self, pack: &[u8]) -> Result<(u64, u64), IndexError> {
        self.align()?;
        self.at = pack.len() as u64;
        self.write(pack)?;
        Ok((self.base, self.at))
    }

    /// Syncs. Gives the length of the file.
    pub(crate) fn finish(mut self) -> Result<u64, IndexError> {
        let mut end = || -> io::Result<()> {
            self.file.flush()?;
            self.file.get_ref().sync_all()
        };
        end().map_err(|source| IndexError::io(&self.path, source))?;
        Ok(self.base + self.at)
    }

    /// Moves on behind the last pack, to where one may begin.
    fn align(&mut self) -> Result<(), IndexError> {
        let end = self.base + self.at;
        self.base = end.next_multiple_of(ALIGNMENT);
        self.at = 0;
        let padding = [0_u8; ALIGNMENT as usize];
        self.write(padding.get(..(self.base - end) as usize).unwrap_or_default())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.file.write_all(bytes).map_err(|source| IndexError::io(&self.path, source))
    }

    /// Writes the next section from slices of numbers, one behind the other.
    pub(crate) fn section<'a, T: bytemuck::NoUninit>(
        &mut self,
        slices: impl IntoIterator<Item = &'a [T]>,
    ) -> Result<(), IndexError> {
        let start = self.at.next_multiple_of(ALIGNMENT);
        let padding = [0_u8; ALIGNMENT as usize];
        let mut written = 0;
        let write = || -> io::Result<()> {
            self.file.write_all(padding.get(..(start - self.at) as usize).unwrap_or_default())?;
            for slice in slices {
                let bytes: &[u8] = bytemuck::cast_slice(slice);
                self.file.write_all(bytes)?;
                written += bytes.len() as u64;
            }
            Ok(())
        };
        write().map_err(|source| IndexError::io(&self.path, source))?;
        self.sections.push([start, written]);
        self.at = start + written;
        Ok(())
    }
}

fn header(kind: u32, length: u64, sections: &[[u64; 2]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER);
    bytes.extend(MAGIC.to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend((sections.len() as u32).to_ne_bytes());
    bytes.extend(length.to_ne_bytes());
    for number in sections.iter().take(MAX_SECTIONS).flatten() {
        bytes.extend(number.to_ne_bytes());
    }
    bytes.resize(HEADER - 32, 0);
    let check = blake3::hash(&bytes);
    bytes.extend(check.as_bytes());
    bytes
}

/// A pack, mapped.
#[derive(Clone)]
pub(crate) struct Pack {
    bytes: OwnedBytes,
    sections: Vec<(usize, usize)>,
    path: PathBuf,
}

impl Pack {
    /// The bytes of a pack in a file of a folder.
    pub(crate) fn bytes(
        folder: &MmapDirectory,
        name: &Path,
        (offset, size): (u64, u64),
    ) -> Result<OwnedBytes, IndexError> {
        let corrupt = |reason: String| IndexError::Corrupt { path: name.to_owned(), reason };
        let file = folder.open_read(name).map_err(|error| corrupt(error.to_string()))?;
        let (start, end) = (offset as usize, offset.saturating_add(size) as usize);
        if end > file.len() || start > end {
            return Err(corrupt(errors::INCOMPLETE.into()));
        }
        file.slice(start..end).read_bytes().map_err(|source| IndexError::io(name, source))
    }

    /// Maps a pack in a file of a folder and checks its header.
    pub(crate) fn open(
        folder: &MmapDirectory,
        name: &Path,
        place: (u64, u64),
        kind: u32,
    ) -> Result<Self, IndexError> {
        let corrupt = |reason: Word| IndexError::Corrupt { path: name.to_owned(), reason: reason.into() };
        let bytes = Self::bytes(folder, name, place)?;
        let start = bytes.as_slice().get(..HEADER).ok_or_else(|| corrupt(errors::INCOMPLETE))?;
        let (head, check) = start.split_at(HEADER - 32);
        if blake3::hash(head).as_bytes() != check {
            return Err(corrupt(errors::CHECKSUM));
        }
        let number = |at: usize| -> u64 {
            head.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_ne_bytes)
        };
        let small = |at: usize| -> u32 {
            head.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_ne_bytes)
        };
        if number(0) != MAGIC || small(8) != kind {
            return Err(corrupt(errors::OTHER_VERSION));
        }
        if number(16) != bytes.len() as u64 {
            return Err(corrupt(errors::INCOMPLETE));
        }
        let count = (small(12) as usize).min(MAX_SECTIONS);
        let sections: Vec<(usize, usize)> =
            (0..count).map(|i| (number(24 + i * 16) as usize, number(32 + i * 16) as usize)).collect();
        let within = |&(start, length): &(usize, usize)| {
            start.checked_add(length).is_some_and(|end| end <= bytes.len())
        };
        if !sections.iter().all(within) {
            return Err(corrupt(errors::INCOMPLETE));
        }
        Ok(Self { bytes, sections, path: name.to_owned() })
    }

    /// A section as numbers; empty when there is no such section or its length does not fit the number.
    pub(crate) fn section<T: AnyBitPattern>(&self, index: usize) -> &[T] {
        let Some(&(start, length)) = self.sections.get(index) else { return &[] };
        let bytes = self.bytes.as_slice().get(start..start + length).unwrap_or_default();
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
    }

    /// blake3 of the whole pack, hex.
    pub(crate) fn hash(&self) -> String {
        blake3::hash(self.bytes.as_slice()).to_hex().to_string()
    }

    /// The error to give when the sections do not fit together.
    pub(crate) fn corrupt(&self, reason: impl Into<String>) -> IndexError {
        IndexError::Corrupt { path: self.path.clone(), reason: reason.into() }
    }
}

/// Texts one behind the other with their ends: two sections.
#[derive(Default)]
pub(crate) struct TextsWriter {
    ends: Vec<u64>,
    text: String,
}

impl TextsWriter {
    /// Adds a text.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u64);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Writes both sections.
    pub(crate) fn write(&self, writer: &mut PackWriter) -> Result<(), IndexError> {
        writer.section([self.ends.as_slice()])?;
        writer.section([self.text.as_bytes()])
    }
}

/// Texts of two sections, read.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'a> {
    ends: &'a [u64],
    text: &'a [u8],
}

impl<'a> Texts<'a> {
    /// Those at sections `index` and `index + 1`.
    pub(crate) fn of(pack: &'a Pack, index: usize) -> Self {
        Self { ends: pack.section(index), text: pack.section(index + 1) }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether every one of them is empty.
    pub(crate) fn are_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// One of them; empty when there is none or the file is damaged there.
    pub(crate) fn get(&self, index: usize) -> &'a str {
        simdutf8::basic::from_utf8(self.bytes(index)).unwrap_or_default()
    }

    /// The bytes of one of them, to be compared with those of a text.
    pub(crate) fn bytes(&self, index: usize) -> &'a [u8] {
        let end = self.ends.get(index).copied().unwrap_or(0) as usize;
        let start =
            index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0) as usize;
        self.text.get(start..end).unwrap_or_default()
    }

    /// All of them.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(move |index| self.get(index))
    }
}
