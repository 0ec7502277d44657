//! The documents themselves, as hits show them: text, place and kind by key. A cache like the indexes, so that a
//! search need not open page files.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use regreader_messages::errors;
use regreader_model::{BlockType, RegId, TableId};

use crate::storage::fileset::{FileSet, Part, Snapshot};
use crate::storage::pack::{Pack, Texts, TextsWriter};
use crate::storage::roster::{self, Gate, Roster};
use crate::{DocumentKey, Filter, IndexDocument, IndexError, Replacement};

const TEXTS: usize = roster::SECTIONS;
const PATHS: usize = TEXTS + 2;
const PATH_OF_EACH: usize = PATHS + 2;
const TABLES: usize = PATH_OF_EACH + 1;
const FINGERPRINTS: usize = TABLES + 2;

/// Between the titles of a chapter path. Titles are one line each.
const BETWEEN: char = '\n';

/// Documents by key, over all regulations.
pub(crate) struct Catalog {
    files: FileSet<Shelf>,
}

impl Catalog {
    /// Opens the catalog of a folder.
    pub(crate) fn open(folder: &Path) -> Result<Self, IndexError> {
        let about = BTreeMap::from([("kind".to_owned(), "catalog".to_owned())]);
        Ok(Self { files: FileSet::open(folder, about)? })
    }

    pub(crate) fn reload(&self) -> Result<(), IndexError> {
        self.files.reload()
    }

    pub(crate) fn built_from(&self) -> BTreeMap<RegId, String> {
        self.files.built_from()
    }

    pub(crate) fn delete(&self, reg_id: &RegId) -> Result<(), IndexError> {
        self.files.delete(reg_id)
    }

    /// Replaces everything of some regulations.
    pub(crate) fn replace(&self, batch: &[Replacement<'_>]) -> Result<(), IndexError> {
        let names: Vec<_> = batch.iter().map(|one| (one.reg_id, one.content_hash)).collect();
        self.files.replace(&names, |index, writer| {
            let documents = batch.get(index).map(|one| one.documents).unwrap_or_default();
            roster::write(writer, documents)?;
            let (mut texts, mut paths, mut tables) =
                (TextsWriter::default(), TextsWriter::default(), TextsWriter::default());
            let mut path_of_each: Vec<u32> = Vec::with_capacity(documents.len());
            let mut last = None;
            for document in documents {
                texts.push(&document.text);
                tables.push(document.table_id.as_ref().map_or("", TableId::as_str));
                // Neighbours mostly share their chapter.
                if last != Some(&document.chapter_path) {
                    let titles: Vec<String> =
                        document.chapter_path.iter().map(|title| title.replace(BETWEEN, " ")).collect();
                    paths.push(&titles.join(&BETWEEN.to_string()));
                    last = Some(&document.chapter_path);
                }
                path_of_each.push(paths.len() as u32 - 1);
            }
            let fingerprints: Vec<u64> =
                documents.iter().map(|document| fingerprint(&document.text)).collect();
            texts.write(writer)?;
            paths.write(writer)?;
            writer.section([path_of_each.as_slice()])?;
            tables.write(writer)?;
            writer.section([fingerprints.as_slice()])
        })
    }

    /// Hashes every file.
    pub(crate) fn verify(&self) -> Result<(), IndexError> {
        self.files.verify()
    }

    /// The documents as they stand now.
    pub(crate) fn view(&self) -> CatalogView {
        CatalogView { snapshot: self.files.snapshot() }
    }
}

/// The catalog at one moment.
pub struct CatalogView {
    snapshot: Arc<Snapshot<Shelf>>,
}

impl CatalogView {
    /// The content hash that the catalog holds a regulation of.
    pub fn content_hash(&self, reg_id: &RegId) -> Option<&str> {
        self.snapshot.content_hash(reg_id)
    }

    /// Whether a regulation has anything but pictures. One that cannot be opened counts as having it.
    pub fn has_text(&self, reg_id: &RegId) -> bool {
        let is_text = |shelf: &Shelf, at: usize| shelf.block_type(at) != Some(BlockType::Picture);
        self.snapshot.part(reg_id).map_or(true, |shelf| {
            shelf.is_some_and(|shelf| (0..shelf.roster.len()).any(|at| is_text(shelf, at)))
        })
    }

    /// A document; none when the catalog does not have it.
    pub fn get(&self, key: &DocumentKey) -> Result<Option<IndexDocument>, IndexError> {
        Ok(self.find(key)?.and_then(|(shelf, ordinal)| shelf.document(ordinal)))
    }

    /// What is equal for documents of the same text, white space and marks aside; none for texts without letters.
    pub fn fingerprint(&self, key: &DocumentKey) -> Result<Option<u64>, IndexError> {
        let found = self.find(key)?;
        Ok(found
            .and_then(|(shelf, ordinal)| {
                shelf.roster.pack().section::<u64>(FINGERPRINTS).get(ordinal).copied()
            })
            .filter(|fingerprint| *fingerprint != 0))
    }

    /// The logical table that a document is part of, and the text of the part.
    pub fn table(&self, key: &DocumentKey) -> Result<Option<(TableId, &str)>, IndexError> {
        // Many regulations have no tables at all.
        if self.shelf(&key.reg_id)?.is_none_or(|shelf| Texts::of(shelf.roster.pack(), TABLES).are_empty()) {
            return Ok(None);
        }
        let found = self.find(key)?;
        Ok(found.and_then(|(shelf, ordinal)| {
            let table = Texts::of(shelf.roster.pack(), TABLES).get(ordinal);
            (!table.is_empty()).then(|| (TableId::new(table), shelf.text(ordinal)))
        }))
    }

    /// A block of a regulation, on whichever page.
    pub fn block(&self, reg_id: &RegId, block_id: &str) -> Result<Option<IndexDocument>, IndexError> {
        let Some(shelf) = self.snapshot.part(reg_id)? else { return Ok(None) };
        Ok(shelf.roster.ordinal_of(block_id).and_then(|ordinal| shelf.document(ordinal)))
    }

    /// The documents of a regulation.
    pub(crate) fn shelf(&self, reg_id: &RegId) -> Result<Option<&Shelf>, IndexError> {
        Ok(self.snapshot.part(reg_id)?.map(std::convert::AsRef::as_ref))
    }

    /// Where a document stands.
    pub(crate) fn find(&self, key: &DocumentKey) -> Result<Option<(&Shelf, usize)>, IndexError> {
        let Some(shelf) = self.snapshot.part(&key.reg_id)? else { return Ok(None) };
        Ok(shelf.roster.find(key.page_num, key.block_id.as_str()).map(|ordinal| (shelf.as_ref(), ordinal)))
    }
}

/// The documents of one regulation.
pub(crate) struct Shelf {
    roster: Roster,
}

impl Part for Shelf {
    const KIND: u32 = 0x0101;
    const HASHED_AT_OPEN: bool = true;

    fn open(pack: Pack, reg_id: &RegId) -> Result<Self, IndexError> {
        let roster = Roster::open(pack, reg_id)?;
        let pack = roster.pack();
        let fits = Texts::of(pack, TEXTS).len() == roster.len()
            && Texts::of(pack, TABLES).len() == roster.len()
            && pack.section::<u32>(PATH_OF_EACH).len() == roster.len()
            && pack.section::<u64>(FINGERPRINTS).len() == roster.len();
        if fits { Ok(Self { roster }) } else { Err(roster.pack().corrupt(errors::INCOMPLETE)) }
    }
}

impl Shelf {
    /// Text of a document; empty past the end.
    pub(crate) fn text(&self, ordinal: usize) -> &str {
        Texts::of(self.roster.pack(), TEXTS).get(ordinal)
    }

    /// The titles above a document, one a line, and a number that is the same for documents that share them.
    pub(crate) fn path(&self, ordinal: usize) -> (u32, &str) {
        let pack = self.roster.pack();
        let path = pack.section::<u32>(PATH_OF_EACH).get(ordinal).copied().unwrap_or(u32::MAX);
        (path, Texts::of(pack, PATHS).get(path as usize))
    }

    /// The documents on the same page.
    pub(crate) fn page_blocks(&self, ordinal: usize) -> Range<usize> {
        self.roster.same_page(ordinal)
    }

    /// The documents of the same clause, as far as they follow each other.
    pub(crate) fn clause_blocks(&self, ordinal: usize) -> Range<usize> {
        self.roster.same_place(ordinal)
    }

    pub(crate) fn key(&self, ordinal: usize) -> Option<DocumentKey> {
        self.roster.key(ordinal)
    }

    pub(crate) fn block_type(&self, ordinal: usize) -> Option<BlockType> {
        self.roster.block_type(ordinal)
    }

    pub(crate) fn gate(&self, filter: &Filter) -> Gate {
        self.roster.gate(filter)
    }

    pub(crate) fn passes(&self, gate: &Gate, ordinal: usize) -> bool {
        self.roster.passes(gate, ordinal)
    }

    fn document(&self, ordinal: usize) -> Option<IndexDocument> {
        let pack = self.roster.pack();
        let path = *pack.section::<u32>(PATH_OF_EACH).get(ordinal)? as usize;
        let table = Texts::of(pack, TABLES).get(ordinal);
        Some(IndexDocument {
            key: self.roster.key(ordinal)?,
            block_type: self.roster.block_type(ordinal)?,
            chapter_path: titles(Texts::of(pack, PATHS).get(path)),
            ancestry: self.roster.ancestry(ordinal),
            section_number: self.roster.clause(ordinal),
            table_id: (!table.is_empty()).then(|| TableId::new(table)),
            text: Texts::of(pack, TEXTS).get(ordinal).to_owned(),
        })
    }
}

fn titles(path: &str) -> Vec<String> {
    if path.is_empty() { Vec::new() } else { path.split(BETWEEN).map(str::to_owned).collect() }
}

/// 64 bits over letters and digits; 0 when there are none.
fn fingerprint(text: &str) -> u64 {
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    if plain.is_empty() {
        return 0;
    }
    let mut first = [0; 8];
    blake3::Hasher::new().update(plain.as_bytes()).finalize_xof().fill(&mut first);
    u64::from_le_bytes(first).max(1)
}
