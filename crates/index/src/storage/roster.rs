//! The documents of one regulation as a file holds them: keys, and what filters ask about. Every file-based index
//! begins with these sections, so that it can name what it finds and apply a filter exactly.

use std::collections::BTreeMap;
use std::ops::Range;

use regreader_messages::errors;
use regreader_model::{BlockId, BlockType, ClauseNumber, NodeId, PageNumber, RegId};

use crate::storage::pack::{Pack, PackWriter, Texts, TextsWriter};
use crate::{DocumentKey, Filter, IndexDocument, IndexError};

/// Sections that a roster takes; what else a file holds begins behind them.
pub(crate) const SECTIONS: usize = 11;

const IDS: usize = 0;
const PAGES: usize = 2;
const TYPES: usize = 3;
const CLAUSES: usize = 4;
const CLAUSE_NAMES: usize = 5;
const PLACES: usize = 7;
const PLACE_NAMES: usize = 8;
const BY_HASH: usize = 10;

/// Separates the nodes of a place. Node ids are ours and hold no control characters.
const BETWEEN: char = '\n';

/// Writes the sections of a roster.
pub(crate) fn write(writer: &mut PackWriter, documents: &[IndexDocument]) -> Result<(), IndexError> {
    let mut ids = TextsWriter::default();
    let (mut clauses, mut places) = (Names::default(), Names::default());
    let mut by_hash = Vec::with_capacity(documents.len());
    for (ordinal, document) in documents.iter().enumerate() {
        ids.push(document.key.block_id.as_str());
        clauses.push(document.section_number.as_ref().map_or("", ClauseNumber::as_str));
        let place: Vec<&str> = document.ancestry.iter().map(NodeId::as_str).collect();
        places.push(&place.join(&BETWEEN.to_string()));
        by_hash.push([key_hash(document.key.page_num, document.key.block_id.as_str()), ordinal as u64]);
    }
    by_hash.sort_unstable();
    let pages: Vec<u32> = documents.iter().map(|document| document.key.page_num.get()).collect();
    let types: Vec<u8> = documents.iter().map(|document| type_code(document.block_type)).collect();
    ids.write(writer)?;
    writer.section([pages.as_slice()])?;
    writer.section([types.as_slice()])?;
    writer.section([clauses.of_each.as_slice()])?;
    clauses.names.write(writer)?;
    writer.section([places.of_each.as_slice()])?;
    places.names.write(writer)?;
    writer.section([by_hash.as_flattened()])
}

/// The documents of one regulation.
pub(crate) struct Roster {
    pack: Pack,
    reg_id: RegId,
    len: usize,
}

impl Roster {
    /// Reads the roster of a pack and checks that its sections belong together.
    pub(crate) fn open(pack: Pack, reg_id: &RegId) -> Result<Self, IndexError> {
        let len = Texts::of(&pack, IDS).len();
        let fits = pack.section::<u32>(PAGES).len() == len
            && pack.section::<u8>(TYPES).len() == len
            && pack.section::<u32>(CLAUSES).len() == len
            && pack.section::<u32>(PLACES).len() == len
            && pack.section::<u64>(BY_HASH).len() == 2 * len;
        if !fits {
            return Err(pack.corrupt(errors::INCOMPLETE));
        }
        Ok(Self { pack, reg_id: reg_id.clone(), len })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn pack(&self) -> &Pack {
        &self.pack
    }

    /// The key of a document; none past the end.
    pub(crate) fn key(&self, ordinal: usize) -> Option<DocumentKey> {
        Some(DocumentKey {
            reg_id: self.reg_id.clone(),
            page_num: self.page(ordinal)?,
            block_id: BlockId::new(Texts::of(&self.pack, IDS).get(ordinal)),
        })
    }

    pub(crate) fn block_type(&self, ordinal: usize) -> Option<BlockType> {
        let code = self.pack.section::<u8>(TYPES).get(ordinal)?;
        BlockType::ALL.get(usize::from(*code)).copied()
    }

    pub(crate) fn clause(&self, ordinal: usize) -> Option<ClauseNumber> {
        let name = *self.pack.section::<u32>(CLAUSES).get(ordinal)?;
        let name = Texts::of(&self.pack, CLAUSE_NAMES).get(name as usize);
        (!name.is_empty()).then(|| ClauseNumber::new(name))
    }

    pub(crate) fn ancestry(&self, ordinal: usize) -> Vec<NodeId> {
        let place = self.pack.section::<u32>(PLACES).get(ordinal).copied().unwrap_or(u32::MAX);
        nodes(Texts::of(&self.pack, PLACE_NAMES).get(place as usize)).map(NodeId::new).collect()
    }

    /// Where a document stands.
    pub(crate) fn find(&self, page: PageNumber, block_id: &str) -> Option<usize> {
        self.find_on_page(page, block_id).or_else(|| self.find_by_hash(page, block_id))
    }

    /// Where a document stands that probably follows another one.
    pub(crate) fn find_behind(
        &self,
        before: Option<usize>,
        page: PageNumber,
        block_id: &str,
    ) -> Option<usize> {
        let is_there = |ordinal: &usize| {
            self.page(*ordinal) == Some(page)
                && Texts::of(&self.pack, IDS).bytes(*ordinal) == block_id.as_bytes()
        };
        before.map(|before| before + 1).filter(is_there).or_else(|| self.find(page, block_id))
    }

    /// Where a document stands, if documents stand in the order of their pages and there are few on its page. Comparing some
    /// ids takes a fraction of the time that the hash of a key does.
    fn find_on_page(&self, page: PageNumber, block_id: &str) -> Option<usize> {
        /// Most pages have fewer blocks; comparing many more ids would take as long as the hash.
        const FEW: usize = 24;
        let pages = self.pack.section::<u32>(PAGES);
        let first = pages.partition_point(|other| *other < page.get());
        let ids = Texts::of(&self.pack, IDS);
        let here = pages.get(first..)?.iter().take(FEW).take_while(|other| **other == page.get()).count();
        (first..first + here).find(|&ordinal| ids.bytes(ordinal) == block_id.as_bytes())
    }

    fn find_by_hash(&self, page: PageNumber, block_id: &str) -> Option<usize> {
        let entries: &[[u64; 2]] = self.pack.section(BY_HASH);
        let hash = key_hash(page, block_id);
        let first = entries.partition_point(|entry| entry[0] < hash);
        let ids = Texts::of(&self.pack, IDS);
        entries
            .get(first..)?
            .iter()
            .take_while(|entry| entry[0] == hash)
            .map(|entry| entry[1] as usize)
            .find(|&ordinal| self.page(ordinal) == Some(page) && ids.get(ordinal) == block_id)
    }

    /// Where a block stands, whatever its page.
    pub(crate) fn ordinal_of(&self, block_id: &str) -> Option<usize> {
        Texts::of(&self.pack, IDS).iter().position(|id| id == block_id)
    }

    /// The run of documents around this one that stand on its page. A very long page is cut into runs.
    pub(crate) fn same_page(&self, ordinal: usize) -> Range<usize> {
        /// Formats without pages may have thousands of blocks on one.
        const LONGEST: usize = 128;
        let run = run_around(self.pack.section::<u32>(PAGES), ordinal);
        let start = run.start + ordinal.saturating_sub(run.start) / LONGEST * LONGEST;
        start..run.end.min(start + LONGEST)
    }

    /// The run of documents around this one that stand at the same place of the chapter tree.
    pub(crate) fn same_place(&self, ordinal: usize) -> Range<usize> {
        run_around(self.pack.section::<u32>(PLACES), ordinal)
    }

    /// What a filter means for this regulation.
    pub(crate) fn gate(&self, filter: &Filter) -> Gate {
        if filter.regulations.as_ref().is_some_and(|allowed| !allowed.contains(&self.reg_id)) {
            return Gate::Closed;
        }
        if filter.block_types.is_empty() && filter.section_number.is_none() && filter.scope.is_none() {
            return Gate::Open;
        }
        let mut types = [filter.block_types.is_empty(); 256];
        for block_type in &filter.block_types {
            types[usize::from(type_code(*block_type))] = true;
        }
        let clause = filter.section_number.as_ref().map(|number| {
            let names = Texts::of(&self.pack, CLAUSE_NAMES);
            names.iter().position(|name| name == number.as_str()).map_or(u32::MAX, |at| at as u32)
        });
        let places = filter.scope.as_ref().map(|scope| {
            let mine: Vec<&str> = scope
                .iter()
                .filter(|(reg_id, _)| *reg_id == self.reg_id)
                .map(|(_, node)| node.as_str())
                .collect();
            let names = Texts::of(&self.pack, PLACE_NAMES);
            names.iter().map(|place| nodes(place).any(|node| mine.contains(&node))).collect()
        });
        Gate::Some(Box::new(Narrow { types, clause, places }))
    }

    /// Whether a document passes a gate of this roster.
    pub(crate) fn passes(&self, gate: &Gate, ordinal: usize) -> bool {
        match gate {
            Gate::Closed => false,
            Gate::Open => true,
            Gate::Some(narrow) => {
                let type_code = self.pack.section::<u8>(TYPES).get(ordinal).copied().unwrap_or(u8::MAX);
                let number = |section| self.pack.section::<u32>(section).get(ordinal).copied();
                narrow.types[usize::from(type_code)]
                    && narrow.clause.is_none_or(|clause| number(CLAUSES) == Some(clause))
                    && narrow.places.as_ref().is_none_or(|places| {
                        number(PLACES)
                            .and_then(|place| places.get(place as usize))
                            .is_some_and(|allowed| *allowed)
                    })
            }
        }
    }

    fn page(&self, ordinal: usize) -> Option<PageNumber> {
        PageNumber::new(*self.pack.section::<u32>(PAGES).get(ordinal)?)
    }
}

/// A filter as one regulation sees it.
pub(crate) enum Gate {
    /// Nothing passes.
    Closed,
    /// Everything passes.
    Open,
    /// Some documents pass.
    Some(Box<Narrow>),
}

/// What passes, by the numbers that a roster gives kinds, clauses and places.
pub(crate) struct Narrow {
    types: [bool; 256],
    clause: Option<u32>,
    places: Option<Vec<bool>>,
}

/// Distinct names and which one each document has.
#[derive(Default)]
#[expect(clippy::struct_field_names, reason = "the names, apart from their numbers")]
struct Names {
    names: TextsWriter,
    numbers: BTreeMap<String, u32>,
    of_each: Vec<u32>,
}

impl Names {
    fn push(&mut self, name: &str) {
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                let number = self.names.len() as u32;
                self.names.push(name);
                self.numbers.insert(name.to_owned(), number);
                number
            }
        };
        self.of_each.push(number);
    }
}

/// The run of equal numbers around a place.
fn run_around(numbers: &[u32], at: usize) -> Range<usize> {
    let Some(number) = numbers.get(at) else { return at..at };
    let same = |other: &&u32| *other == number;
    let before = numbers.get(..at).unwrap_or_default().iter().rev().take_while(same).count();
    let behind = numbers.get(at..).unwrap_or_default().iter().take_while(same).count();
    at - before..at + behind
}

fn nodes(place: &str) -> impl Iterator<Item = &str> {
    place.split(BETWEEN).filter(|node| !node.is_empty())
}

fn type_code(block_type: BlockType) -> u8 {
    BlockType::ALL.iter().position(|known| *known == block_type).unwrap_or(usize::from(u8::MAX)) as u8
}

/// 64 bits of a hash over page and block: what a document is looked up by, before its id is compared.
fn key_hash(page: PageNumber, block_id: &str) -> u64 {
    let hash = blake3::hash(&[&page.get().to_le_bytes(), block_id.as_bytes()].concat());
    hash.as_bytes().first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;
    use tantivy::directory::MmapDirectory;

    use super::*;

    fn roster(folder: &Path, pages: &[u32]) -> Roster {
        let document = |(at, page): (usize, &u32)| IndexDocument {
            key: DocumentKey {
                reg_id: "reg".parse().unwrap(),
                page_num: PageNumber::new(*page).unwrap(),
                block_id: BlockId::new(format!("b{at}")),
            },
            block_type: BlockType::SectionContent,
            chapter_path: Vec::new(),
            ancestry: Vec::new(),
            section_number: None,
            table_id: None,
            text: String::new(),
        };
        let documents: Vec<IndexDocument> = pages.iter().enumerate().map(document).collect();
        let mut writer = PackWriter::create(&folder.join("pack"), 1).unwrap();
        writer.begin().unwrap();
        write(&mut writer, &documents).unwrap();
        let place = writer.end().unwrap();
        writer.finish().unwrap();
        let directory = MmapDirectory::open(folder).unwrap();
        let pack = Pack::open(&directory, Path::new("pack"), place, 1).unwrap();
        Roster::open(pack, &"reg".parse().unwrap()).unwrap()
    }

    proptest! {
        /// By its page, by its hash or behind another one: every document is found, and no other, in whatever order pages are.
        #[test]
        fn every_document_is_found(pages in proptest::collection::vec(1_u32..6, 0..80), sorted: bool) {
            let mut pages = pages;
            if sorted {
                pages.sort_unstable();
            }
            let folder = tempfile::tempdir().unwrap();
            let roster = roster(folder.path(), &pages);
            for (at, page) in pages.iter().enumerate() {
                let (page, other) = (PageNumber::new(*page).unwrap(), PageNumber::new(page + 1).unwrap());
                let id = format!("b{at}");
                prop_assert_eq!(roster.find(page, &id), Some(at));
                for before in [None, at.checked_sub(1), Some(at), Some(pages.len())] {
                    prop_assert_eq!(roster.find_behind(before, page, &id), Some(at));
                }
                prop_assert_eq!(roster.find_behind(at.checked_sub(1), other, &id), None);
            }
        }
    }
}
