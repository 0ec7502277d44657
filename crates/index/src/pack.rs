//! A file of aligned sections, read through a memory map: what the file-based indexes are made of.
//!
//! A pack begins with a header of fixed size: what kind of file it is, how long it must be, where its sections lie,
//! and a check over all that. Numbers stand in the machine's own byte order; a file carried to a machine of another
//! order does not pass the header check and is built anew.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bytemuck::AnyBitPattern;
use tantivy::directory::{Directory, MmapDirectory, OwnedBytes};

use crate::IndexError;

const MAGIC: u64 = 0x5252_5041_434B_0001;
const HEADER: usize = 1024;
const MAX_SECTIONS: usize = 48;
/// Every section begins at a multiple of this: a cache line, and enough for any number.
const ALIGNMENT: u64 = 64;

/// Writes a pack section by section.
pub(crate) struct PackWriter {
    file: BufWriter<File>,
    path: PathBuf,
    kind: u32,
    at: u64,
    sections: Vec<[u64; 2]>,
}

impl PackWriter {
    /// Begins a new file.
    pub(crate) fn create(path: &Path, kind: u32) -> Result<Self, IndexError> {
        let begin = || -> io::Result<BufWriter<File>> {
            let mut file = BufWriter::with_capacity(1 << 18, File::create(path)?);
            file.write_all(&[0; HEADER])?;
            Ok(file)
        };
        let file = begin().map_err(|source| IndexError::io(path, source))?;
        Ok(Self { file, path: path.to_owned(), kind, at: HEADER as u64, sections: Vec::new() })
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

    /// Writes the header and syncs. Gives the length of the file.
    pub(crate) fn finish(mut self) -> Result<u64, IndexError> {
        let header = header(self.kind, self.at, &self.sections);
        let mut end = || -> io::Result<()> {
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(&header)?;
            self.file.flush()?;
            self.file.get_ref().sync_all()
        };
        end().map_err(|source| IndexError::io(&self.path, source))?;
        Ok(self.at)
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
    /// Maps a file of a folder and checks its header.
    pub(crate) fn open(folder: &MmapDirectory, name: &Path, kind: u32) -> Result<Self, IndexError> {
        let corrupt = |reason: &str| IndexError::Corrupt { path: name.to_owned(), reason: reason.to_owned() };
        let bytes = folder
            .open_read(name)
            .map_err(|error| corrupt(&error.to_string()))?
            .read_bytes()
            .map_err(|source| IndexError::io(name, source))?;
        let start = bytes.as_slice().get(..HEADER).ok_or_else(|| corrupt("文件不完整"))?;
        let (head, check) = start.split_at(HEADER - 32);
        if blake3::hash(head).as_bytes() != check {
            return Err(corrupt("文件头校验不符"));
        }
        let number = |at: usize| -> u64 {
            head.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_ne_bytes)
        };
        let small = |at: usize| -> u32 {
            head.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_ne_bytes)
        };
        if number(0) != MAGIC || small(8) != kind {
            return Err(corrupt("不是这种索引文件，或版本不同"));
        }
        if number(16) != bytes.len() as u64 {
            return Err(corrupt("文件长度不符"));
        }
        let count = (small(12) as usize).min(MAX_SECTIONS);
        let sections: Vec<(usize, usize)> =
            (0..count).map(|i| (number(24 + i * 16) as usize, number(32 + i * 16) as usize)).collect();
        let within = |&(start, length): &(usize, usize)| {
            start.checked_add(length).is_some_and(|end| end <= bytes.len())
        };
        if !sections.iter().all(within) {
            return Err(corrupt("分段越界"));
        }
        Ok(Self { bytes, sections, path: name.to_owned() })
    }

    /// A section as numbers; empty when there is no such section or its length does not fit the number.
    pub(crate) fn section<T: AnyBitPattern>(&self, index: usize) -> &[T] {
        let Some(&(start, length)) = self.sections.get(index) else { return &[] };
        let bytes = self.bytes.as_slice().get(start..start + length).unwrap_or_default();
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
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

    /// One of them; empty when there is none or the file is damaged there.
    pub(crate) fn get(&self, index: usize) -> &'a str {
        let end = self.ends.get(index).copied().unwrap_or(0) as usize;
        let start =
            index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0) as usize;
        std::str::from_utf8(self.text.get(start..end).unwrap_or_default()).unwrap_or_default()
    }

    /// All of them.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(move |index| self.get(index))
    }
}
