//! Bundles: regulations as one file, to be carried into a network that has no other way in.
//!
//! A bundle is a `.tar.gz` that any tool can look into. Its first entry, `bundle.json`, names every regulation and
//! every file that follows, with size and blake3; the entries follow in exactly that order. So an import knows before
//! it writes anything how much there is to come, and takes an entry only if it is the one that is due: no path comes
//! from an entry, no link, no repetition, nothing without end, and nothing unannounced gets in. All of it is staged
//! and checked like a regulation of our own before the first regulation is put in force; each is then replaced as a
//! whole. The same regulations give the same bytes, and both sides report the blake3 of the file for comparing by eye.
//!
//! A hash in the bundle proves that it arrived as it left, not who made it.

use std::io::{self, Read, Write};

mod catalog;
mod export;
mod import;

pub use catalog::{BundleFile, BundledRegulation, Catalog};
pub use export::{ExportReport, Selection, export, export_to_file};
pub use import::{Conflict, ImportOptions, ImportReport, Limits, import, inspect};
use regreader_messages::{Word, errors};

/// Why a bundle was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// Not a bundle at all.
    #[error("{}", errors::not_a_bundle(.0))]
    NotABundle(String),
    /// A bundle of a later version.
    #[error("{}", errors::bundle_version(.0))]
    Version(u32),
    /// The list of contents makes no sense.
    #[error("{}", errors::bad_catalog(.0))]
    Catalog(String),
    /// An entry that is not the one the list announces.
    #[error("{}", errors::unexpected_entry(format_args!("{expected:?}"), format_args!("{found:?}")))]
    Unexpected {
        /// The path that is due.
        expected: String,
        /// What came instead.
        found: String,
    },
    /// A file that did not arrive as it left.
    #[error("{}", errors::hash_differs(path))]
    HashMismatch {
        /// Path of the file within the bundle.
        path: String,
    },
    /// The bundle ends too early.
    #[error("{}", errors::bundle_cut(.0))]
    Truncated(String),
    /// More than we are willing to take.
    #[error("{}", errors::bundle_limit(what, limit))]
    Limit {
        /// Of what.
        what: Word,
        /// The most that is taken.
        limit: u64,
    },
    /// The files are as announced, but not a regulation.
    #[error("{}", errors::bad_content(reg_id, reason))]
    Invalid {
        /// Which regulation.
        reg_id: String,
        /// What is wrong.
        reason: String,
    },
    /// The library has the regulation already, and the caller wanted to be told.
    #[error("{}", errors::exists(.0))]
    Exists(String),
}

/// Counts and hashes what passes through.
struct Counted<T> {
    inner: T,
    bytes: u64,
    hasher: blake3::Hasher,
}

impl<T> Counted<T> {
    fn new(inner: T) -> Self {
        Self { inner, bytes: 0, hasher: blake3::Hasher::new() }
    }

    fn hash(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    fn saw(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl<T: Read> Read for Counted<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.saw(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

impl<T: Write> Write for Counted<T> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.saw(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
