//! The embedded vector index: one memory-mapped file per regulation, every vector looked at.
//!
//! Three forms of each vector stand in the file. One bit per dimension, for a first look when there are very many;
//! one byte per dimension, for the look at all others; and the vector itself, by which the best are scored exactly.
//! Filters are applied before anything is ranked, so a narrow search is exact too.

mod scan;
mod top;

use std::collections::BTreeMap;
use std::path::Path;

use fearless_simd::Level;
use regreader_messages::errors;
use regreader_model::RegId;

use self::top::Top;
use super::{VectorIndex, check_batch, check_vector};
use crate::storage::fileset::{FileSet, Part};
use crate::storage::pack::{Pack, PackWriter};
use crate::storage::roster::{self, Gate, Roster};
use crate::{DocumentKey, Filter, IndexError, Replacement, Scored};

const VECTORS: usize = roster::SECTIONS;
const CODES: usize = VECTORS + 1;
const SCALES: usize = VECTORS + 2;
const BITS: usize = VECTORS + 3;
const SUM: usize = VECTORS + 4;

/// With more documents than this, bits come before bytes.
const MANY: usize = 40_000;
/// How many of the nearest by bits are looked at by bytes: at least this many, and this many for each wanted one.
const BITS_KEEP: usize = 2_000;
const BITS_KEEP_EACH: usize = 10;
/// How many of the nearest by bytes are scored exactly, for each wanted one and at least.
const BYTES_KEEP_EACH: usize = 2;
const BYTES_KEEP: usize = 64;

/// Vectors in memory-mapped files.
pub struct FlatIndex {
    files: FileSet<Vectors>,
    model: String,
    dimension: usize,
}

impl FlatIndex {
    /// Opens the index in a folder. One that holds vectors of another model or dimension is an error.
    pub fn open(folder: &Path, model: &str, dimension: usize) -> Result<Self, IndexError> {
        let about = BTreeMap::from([
            ("kind".to_owned(), "flat".to_owned()),
            ("model".to_owned(), model.to_owned()),
            ("dimension".to_owned(), dimension.to_string()),
        ]);
        if let Some(there) = FileSet::<Vectors>::about(folder)?
            && there != about
        {
            let get = |name: &str| there.get(name).cloned().unwrap_or_default();
            return Err(IndexError::ModelMismatch {
                built_with: get("model"),
                built_dimension: get("dimension").parse().unwrap_or(0),
                model: model.to_owned(),
                dimension,
            });
        }
        Ok(Self { files: FileSet::open(folder, about)?, model: model.to_owned(), dimension })
    }
}

impl VectorIndex for FlatIndex {
    fn name(&self) -> &'static str {
        "flat"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn built_from(&self) -> Result<BTreeMap<RegId, String>, IndexError> {
        Ok(self.files.built_from())
    }

    fn replace(&self, batch: &[Replacement<'_>], vectors: &[Vec<Vec<f32>>]) -> Result<(), IndexError> {
        check_batch(batch, vectors, self.dimension)?;
        let names: Vec<_> = batch.iter().map(|one| (one.reg_id, one.content_hash)).collect();
        self.files.replace(&names, |index, writer| {
            let documents = batch.get(index).map(|one| one.documents).unwrap_or_default();
            roster::write(writer, documents)?;
            write(writer, vectors.get(index).map(Vec::as_slice).unwrap_or_default(), self.dimension)
        })
    }

    fn delete_regulation(&self, reg_id: &RegId) -> Result<(), IndexError> {
        self.files.delete(reg_id)
    }

    fn reload(&self) -> Result<(), IndexError> {
        self.files.reload()
    }

    fn verify(&self) -> Result<(), IndexError> {
        self.files.verify()
    }

    fn search(&self, vector: &[f32], filter: &Filter, limit: usize) -> Result<Scored, IndexError> {
        check_vector(vector, self.dimension)?;
        let snapshot = self.files.snapshot();
        let mut open = Vec::new();
        for part in snapshot.parts(filter.regulations.as_ref()) {
            let part = part?;
            open.push((part.as_ref(), part.roster.gate(filter)));
        }
        let query = scan::Query::new(vector);
        let cosine = |(part, ordinal): (usize, usize)| {
            let (vectors, _) = open.get(part)?;
            Some((scan::dot(query.level(), vector, vectors.vector(ordinal)), part, ordinal))
        };
        let mut found: Vec<(f32, usize, usize)> =
            candidates(&open, &query, limit).into_iter().filter_map(cosine).collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        found.truncate(limit);
        let keyed = |(cosine, part, ordinal): (f32, usize, usize)| {
            open.get(part).and_then(|(vectors, _)| Some((vectors.roster.key(ordinal)?, cosine)))
        };
        Ok(found.into_iter().filter_map(keyed).collect())
    }

    fn score(&self, vector: &[f32], keys: &[DocumentKey]) -> Result<Scored, IndexError> {
        check_vector(vector, self.dimension)?;
        let snapshot = self.files.snapshot();
        let level = Level::new();
        let mut scored = Vec::with_capacity(keys.len());
        for key in keys {
            if let Some(part) = snapshot.part(&key.reg_id)?
                && let Some(ordinal) = part.roster.find(key.page_num, key.block_id.as_str())
            {
                scored.push((key.clone(), scan::dot(level, vector, part.vector(ordinal))));
            }
        }
        Ok(scored)
    }

    fn pooled(
        &self,
        vector: &[f32],
        keys: &[DocumentKey],
        groups: &[Vec<(usize, f32)>],
    ) -> Result<(Vec<f32>, Vec<f32>), IndexError> {
        check_vector(vector, self.dimension)?;
        let snapshot = self.files.snapshot();
        let mut rows: Vec<&[f32]> = Vec::with_capacity(keys.len());
        // Groups are neighbouring documents, so a key mostly follows the one before.
        let mut last: Option<(&RegId, &Vectors, Option<usize>)> = None;
        for key in keys {
            let (part, before) = match last {
                Some((reg_id, part, before)) if *reg_id == key.reg_id => (Some(part), before),
                _ => (snapshot.part(&key.reg_id)?.map(AsRef::as_ref), None),
            };
            let found =
                part.and_then(|part| part.roster.find_behind(before, key.page_num, key.block_id.as_str()));
            rows.push(part.zip(found).map(|(part, at)| part.vector(at)).unwrap_or_default());
            last = part.map(|part| (&key.reg_id, part, found));
        }
        let level = Level::new();
        let cosines: Vec<f32> =
            rows.iter().map(|row| if row.is_empty() { 0.0 } else { scan::dot(level, vector, row) }).collect();
        let mut sum = vec![0.0_f32; self.dimension];
        let pooled = groups.iter().map(|group| {
            sum.fill(0.0);
            let mut dot = 0.0;
            for (at, weight) in group {
                scan::add(level, &mut sum, *weight, rows.get(*at).copied().unwrap_or_default());
                dot += weight * cosines.get(*at).copied().unwrap_or(0.0);
            }
            dot / scan::dot(level, &sum, &sum).sqrt().max(f32::MIN_POSITIVE)
        });
        let pooled = pooled.collect();
        Ok((cosines, pooled))
    }

    fn mean(&self, vector: &[f32]) -> Result<f32, IndexError> {
        check_vector(vector, self.dimension)?;
        let snapshot = self.files.snapshot();
        let (mut sum, mut count) = (0.0, 0);
        let level = Level::new();
        for part in snapshot.parts(None) {
            let part = part?;
            sum += f64::from(scan::dot(level, vector, part.roster.pack().section(SUM)));
            count += part.roster.len();
        }
        Ok(if count == 0 { 0.0 } else { (sum / count as f64) as f32 })
    }
}

/// The vectors of one regulation.
struct Vectors {
    roster: Roster,
    dimension: usize,
}

impl Part for Vectors {
    const KIND: u32 = 0x0201;

    fn open(pack: Pack, reg_id: &RegId) -> Result<Self, IndexError> {
        let roster = Roster::open(pack, reg_id)?;
        let (pack, len) = (roster.pack(), roster.len());
        let dimension = pack.section::<f32>(SUM).len();
        let fits = pack.section::<f32>(VECTORS).len() == len * dimension
            && pack.section::<i8>(CODES).len() == len * dimension
            && pack.section::<f32>(SCALES).len() == len
            && pack.section::<u64>(BITS).len() == len * scan::words(dimension);
        if fits { Ok(Self { roster, dimension }) } else { Err(roster.pack().corrupt(errors::INCOMPLETE)) }
    }
}

impl Vectors {
    fn vector(&self, ordinal: usize) -> &[f32] {
        let start = ordinal * self.dimension;
        let vectors = self.roster.pack().section::<f32>(VECTORS);
        vectors.get(start..start + self.dimension).unwrap_or_default()
    }

    fn codes(&self) -> (&[i8], &[f32]) {
        (self.roster.pack().section(CODES), self.roster.pack().section(SCALES))
    }

    fn bits(&self) -> &[u64] {
        self.roster.pack().section(BITS)
    }
}

/// Part and ordinal of the documents that may be among the nearest `limit`: those that are nearest by their bytes.
fn candidates(open: &[(&Vectors, Gate)], query: &scan::Query, limit: usize) -> Vec<(usize, usize)> {
    let total: usize =
        open.iter().filter(|(_, gate)| !matches!(gate, Gate::Closed)).map(|(p, _)| p.roster.len()).sum();
    let keep = (limit.saturating_mul(BYTES_KEEP_EACH)).max(BYTES_KEEP);
    let mut best = Top::new(keep);
    if total > MANY {
        let near = limit.saturating_mul(BITS_KEEP_EACH).max(BITS_KEEP);
        for (part, ordinal) in nearest_by_bits(open, query, near) {
            if let Some((vectors, _)) = open.get(part) {
                let (codes, scales) = vectors.codes();
                best.push(scan::by_bytes_one(query, codes, scales, ordinal), (part, ordinal));
            }
        }
    } else {
        let mut scores = Vec::new();
        for (index, (part, gate)) in open.iter().enumerate() {
            if matches!(gate, Gate::Closed) {
                continue;
            }
            let (codes, scales) = part.codes();
            scan::by_bytes(query, codes, scales, &mut scores);
            for (ordinal, score) in scores.iter().enumerate() {
                if best.wants(*score) && part.roster.passes(gate, ordinal) {
                    best.push(*score, (index, ordinal));
                }
            }
        }
    }
    best.into_items()
}

/// The `keep` documents whose signs differ in the fewest dimensions, and those as near as the last of them.
fn nearest_by_bits(open: &[(&Vectors, Gate)], query: &scan::Query, keep: usize) -> Vec<(usize, usize)> {
    let mut counts = vec![0_usize; query.dimension() + 2];
    // All distances one behind the other, and where each part's end: a library may have thousands of parts.
    let mut all: Vec<u16> = Vec::with_capacity(open.iter().map(|(part, _)| part.roster.len()).sum());
    let mut ends = Vec::with_capacity(open.len());
    for (part, gate) in open {
        let start = all.len();
        if !matches!(gate, Gate::Closed) {
            scan::by_bits(query, part.bits(), &mut all);
        }
        if let Gate::Some(_) = gate {
            for (ordinal, distance) in all.iter_mut().skip(start).enumerate() {
                if !part.roster.passes(gate, ordinal) {
                    *distance = u16::MAX;
                }
            }
        }
        ends.push(all.len());
    }
    for distance in &all {
        if let Some(count) = counts.get_mut(usize::from(*distance)) {
            *count += 1;
        }
    }
    let mut seen = 0;
    let limit = counts.iter().position(|count| {
        seen += count;
        seen >= keep
    });
    let limit = limit.unwrap_or(counts.len()) as u16;
    let mut found = Vec::with_capacity(seen);
    let mut start = 0;
    for (part, end) in ends.into_iter().enumerate() {
        let distances = all.get(start..end).unwrap_or_default();
        let near = distances.iter().enumerate().filter(|(_, distance)| **distance <= limit);
        found.extend(near.map(|(ordinal, _)| (part, ordinal)));
        start = end;
    }
    found
}

fn write(writer: &mut PackWriter, vectors: &[Vec<f32>], dimension: usize) -> Result<(), IndexError> {
    writer.section(vectors.iter().map(Vec::as_slice))?;
    let mut scales = Vec::with_capacity(vectors.len());
    let mut codes = Vec::with_capacity(vectors.len() * dimension);
    let mut bits = Vec::with_capacity(vectors.len() * scan::words(dimension));
    let mut sum = vec![0.0_f64; dimension];
    for vector in vectors {
        scales.push(scan::quantise(vector, &mut codes));
        scan::signs(vector, &mut bits);
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += f64::from(*value);
        }
    }
    let sum: Vec<f32> = sum.into_iter().map(|value| value as f32).collect();
    writer.section([codes.as_slice()])?;
    writer.section([scales.as_slice()])?;
    writer.section([bits.as_slice()])?;
    writer.section([sum.as_slice()])
}
