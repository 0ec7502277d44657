//! The zip container of an office file: parts by name, relations between them, and bounds on what unpacking may cost.
//!
//! Nothing is ever written to disk, so names with `..` or roots can do no harm; they are only keys.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use regreader_messages::{errors, findings};
use regreader_model::{Diagnostic, DiagnosticCode, Severity, SourceFormat};
use zip::ZipArchive;
use zip::result::ZipError;

use super::xml::{self, Damage, Element};
use crate::{Limits, ParseError};

/// First bytes of an OLE2 container: old office files, and encrypted new ones.
pub(crate) const OLE2_MAGIC: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

const MAX_ENTRIES: usize = 65_536;
/// Unpacking is suspicious when it gains more than this, once it is large. XML of real files gains 5 to 100.
const MAX_RATIO: u64 = 400;
const RATIO_FLOOR: u64 = 16 << 20;

/// An open package.
pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Position in the archive by normalised name.
    names: BTreeMap<String, usize>,
    format: SourceFormat,
    limits: &'a Limits,
    unpacked: u64,
    /// Remarks on damaged parts, for the caller to take.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Package<'a> {
    /// Opens the container. Damage to a part shows only when it is read.
    pub fn open(bytes: &'a [u8], format: SourceFormat, limits: &'a Limits) -> Result<Self, ParseError> {
        if bytes.starts_with(&OLE2_MAGIC) {
            return Err(ole2_error(bytes, format));
        }
        let mut archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| ParseError::Malformed { format, reason: findings::not_a_zip(error) })?;
        if archive.len() > MAX_ENTRIES {
            return Err(ParseError::LimitExceeded { what: errors::LIMIT_ENTRIES, limit: MAX_ENTRIES as u64 });
        }
        let mut names = BTreeMap::new();
        for index in 0..archive.len() {
            if let Ok(entry) = archive.by_index_raw(index) {
                // Of two parts with one name the first stands, as in office programs.
                names.entry(key(entry.name())).or_insert(index);
            }
        }
        Ok(Self { archive, names, format, limits, unpacked: 0, diagnostics: Vec::new() })
    }

    /// Whether there is such a part.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(&key(name))
    }

    /// The bytes of a part; none if it is absent. A part that breaks off is given as far as it could be read, with
    /// a diagnostic.
    pub fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ParseError> {
        let Some(&index) = self.names.get(&key(name)) else { return Ok(None) };
        let room = self.limits.max_total_bytes.saturating_sub(self.unpacked);
        let allowed = self.limits.max_part_bytes.min(room);
        let mut bytes = Vec::new();
        let (outcome, ratio_limit) = match self.archive.by_index(index) {
            Ok(mut entry) => {
                let packed = entry.compressed_size().max(1);
                let ratio_limit = packed.saturating_mul(MAX_RATIO).max(RATIO_FLOOR);
                let mut reader = (&mut entry).take(allowed.min(ratio_limit) + 1);
                (reader.read_to_end(&mut bytes).map(|_| ()).map_err(|error| error.to_string()), ratio_limit)
            }
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                return Err(ParseError::Encrypted);
            }
            Err(error) => (Err(error.to_string()), RATIO_FLOOR),
        };
        let size = bytes.len() as u64;
        if size > allowed {
            return Err(if allowed < self.limits.max_part_bytes {
                ParseError::LimitExceeded { what: errors::LIMIT_UNPACKED, limit: self.limits.max_total_bytes }
            } else {
                ParseError::LimitExceeded { what: errors::LIMIT_PART, limit: self.limits.max_part_bytes }
            });
        }
        if size > ratio_limit {
            return Err(ParseError::LimitExceeded { what: errors::LIMIT_RATIO, limit: MAX_RATIO });
        }
        self.unpacked += size;
        if let Err(error) = outcome {
            self.remark(name, &error);
            if bytes.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(bytes))
    }

    /// A small part as a tree; damage becomes a diagnostic.
    pub fn tree(&mut self, name: &str) -> Result<Option<Element>, ParseError> {
        let Some(bytes) = self.read(name)? else { return Ok(None) };
        let (root, damage) = xml::tree(&bytes, self.limits);
        self.report(name, &damage);
        Ok(root)
    }

    /// Turns damage found while reading a part into diagnostics.
    pub fn report(&mut self, name: &str, damage: &Damage) {
        if let Some(error) = &damage.error {
            self.remark(name, error);
        }
        if damage.cut {
            self.diagnostics.push(Diagnostic::on_document(
                Severity::Warning,
                DiagnosticCode::LimitReached,
                findings::part_too_deep(name),
            ));
        }
    }

    fn remark(&mut self, name: &str, error: &str) {
        self.diagnostics.push(Diagnostic::on_document(
            Severity::Error,
            DiagnosticCode::Malformed,
            findings::part_damaged(name, error),
        ));
    }

    /// The main part: what the package's own relations say, or the usual name.
    pub fn main_part(&mut self, usual: &str) -> Result<String, ParseError> {
        let declared = self
            .relations("")?
            .by_kind("officeDocument")
            .map(str::to_owned)
            .filter(|target| self.has(target));
        match declared {
            Some(target) => Ok(target),
            None if self.has(usual) => Ok(usual.to_owned()),
            None => {
                Err(ParseError::Malformed { format: self.format, reason: findings::main_part_missing(usual) })
            }
        }
    }

    /// Relations of a part; of the package itself for an empty name.
    pub fn relations(&mut self, part: &str) -> Result<Relations, ParseError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = if folder.is_empty() {
            format!("_rels/{file}.rels")
        } else {
            format!("{folder}/_rels/{file}.rels")
        };
        let mut relations = Relations::default();
        let Some(root) = self.tree(&name)? else { return Ok(relations) };
        for relation in root.children() {
            let (Some(id), Some(kind), Some(target)) =
                (relation.attr("Id"), relation.attr("Type"), relation.attr("Target"))
            else {
                continue;
            };
            let external = relation.attr("TargetMode") == Some("External");
            let kind = kind.rsplit('/').next().unwrap_or(kind).to_owned();
            let target = if external { target.to_owned() } else { resolve(folder, target) };
            relations.list.push((id.to_owned(), kind, target, external));
        }
        Ok(relations)
    }

    /// Pages as the writing program last counted them.
    pub fn page_count(&mut self) -> Result<Option<usize>, ParseError> {
        let Some(root) = self.tree("docProps/app.xml")? else { return Ok(None) };
        Ok(root.child("Pages").and_then(|pages| pages.text().trim().parse().ok()))
    }

    /// Title from the file's own metadata.
    pub fn title(&mut self) -> Result<Option<String>, ParseError> {
        let Some(root) = self.tree("docProps/core.xml")? else { return Ok(None) };
        let title = root.child("title").map(|title| title.text().trim().to_owned());
        Ok(title.filter(|title| !title.is_empty()))
    }
}

/// Relations from one part to others.
#[derive(Debug, Default, Clone)]
pub(crate) struct Relations {
    /// Id, last word of the type, target, external.
    list: Vec<(String, String, String, bool)>,
}

impl Relations {
    /// The part that an id leads to.
    pub fn part(&self, id: &str) -> Option<&str> {
        self.list.iter().find(|r| r.0 == id && !r.3).map(|r| r.2.as_str())
    }

    /// The outside address that an id leads to.
    pub fn address(&self, id: &str) -> Option<&str> {
        self.list.iter().find(|r| r.0 == id && r.3).map(|r| r.2.as_str())
    }

    /// The first part of a kind (`styles`, `numbering`, `slideLayout` …).
    pub fn by_kind(&self, kind: &str) -> Option<&str> {
        self.list.iter().find(|r| r.1 == kind && !r.3).map(|r| r.2.as_str())
    }
}

fn key(name: &str) -> String {
    resolve("", name).to_lowercase()
}

/// A target relative to a folder; `..` never leaves the root.
fn resolve(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let mut steps: Vec<&str> = if target.starts_with('/') {
        Vec::new()
    } else {
        folder.split('/').filter(|s| !s.is_empty()).collect()
    };
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// Why an OLE2 file is not read: it is locked, or it is of the old binary kind.
fn ole2_error(bytes: &[u8], format: SourceFormat) -> ParseError {
    if ole2_has_stream(bytes, "EncryptedPackage") {
        return ParseError::Encrypted;
    }
    ParseError::Malformed { format, reason: errors::OLD_OFFICE.into() }
}

/// Whether the directory of an OLE2 file names such a stream. Names stand there in UTF-16.
pub(crate) fn ole2_has_stream(bytes: &[u8], name: &str) -> bool {
    let wanted: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_never_leave_the_root() {
        assert_eq!(resolve("word", "media/a.png"), "word/media/a.png");
        assert_eq!(resolve("word", "/xl/x.xml"), "xl/x.xml");
        assert_eq!(resolve("ppt/slides", "../slideLayouts/l.xml"), "ppt/slideLayouts/l.xml");
        assert_eq!(resolve("word", "../../../etc/passwd"), "etc/passwd");
        assert_eq!(resolve("word", "..\\..\\a.xml"), "a.xml");
    }
}
