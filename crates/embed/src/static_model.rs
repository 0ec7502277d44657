//! The built-in model: a table of rows, summed and normalised. No neural runtime, no download.
//!
//! Owns the file format and the arithmetic. Sums are whole numbers and the one division is IEEE, so that a text has
//! the same bytes on every machine and with every compiler. Where the table comes from is told in `model/MODEL_CARD.md`.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::similar_words::KnownRows;
use crate::tokens::Tokens;
use crate::vocabulary::Vocabulary;
use crate::{EmbedError, Embedder};

/// The table that ships.
static BUILTIN: &[u8] = include_bytes!("../model/static.bin");

const MAGIC: &[u8; 8] = b"RGEMBED\0";
const VERSION: u32 = 2;
const DIMENSIONS: usize = 256;
/// A byte holds two dimensions: `i` in its low half and `i + PACKED` in its high half.
const PACKED: usize = DIMENSIONS / 2;
const HEADER: usize = 64;
/// Most rows a table may say it has: sixteen times the built-in one.
const MAX_ROWS: usize = 1 << 20;
/// Rows that are summed in 32 bits before the sum moves on to 64: 69,922 × 15 × 4,095 is the first that would not fit.
const BLOCK: usize = 65_000;

/// A static embedding model.
///
/// ```
/// use regreader_embed::{Embedder as _, StaticModel};
///
/// let model = StaticModel::builtin()?;
/// let question = model.embed_query("母线失压后怎么处理？")?;
/// let passages = model.embed_documents(&["220kV 母线电压消失时，应立即拉开该母线上的全部断路器。", "电费按月结算。"])?;
/// let near = |passage: &[f32]| question.iter().zip(passage).map(|(a, b)| a * b).sum::<f32>();
/// assert!(near(&passages[0]) > near(&passages[1]));
/// # Ok::<(), regreader_embed::EmbedError>(())
/// ```
pub struct StaticModel {
    name: String,
    hash: String,
    file: Cow<'static, [u8]>,
    vocabulary: Vocabulary,
    rows: usize,
    /// Where in the file the weights of questions, the weights of documents, and the rows begin.
    query: usize,
    document: usize,
    table: usize,
    /// Working memory of [`crate::SimilarWords`] between two questions.
    known_rows: Mutex<Option<KnownRows>>,
}

impl StaticModel {
    /// The model inside the binary. It is laid out once; later calls share it.
    pub fn builtin() -> Result<Arc<Self>, EmbedError> {
        static MODEL: OnceLock<Result<Arc<StaticModel>, String>> = OnceLock::new();
        MODEL
            .get_or_init(|| StaticModel::read(Cow::Borrowed(BUILTIN)).map(Arc::new))
            .clone()
            .map_err(|reason| EmbedError::BadModel { model: "built-in".to_owned(), reason })
    }

    /// A model from the bytes of a file in the format of the built-in one.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, EmbedError> {
        Self::read(Cow::Owned(bytes))
            .map_err(|reason| EmbedError::BadModel { model: "static".to_owned(), reason })
    }

    /// BLAKE3 of the table, as in the model card.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rows a text is made of, in order. For proving that training and inference cut text alike.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        Tokens::default().rows(&self.vocabulary, text).to_vec()
    }

    /// The rows of a text, with working memory that is kept between texts.
    pub(crate) fn rows_of<'t>(&self, tokens: &'t mut Tokens, text: &str) -> &'t [u32] {
        tokens.rows(&self.vocabulary, text)
    }

    /// Working memory that an earlier question has left.
    pub(crate) fn take_known_rows(&self) -> Option<KnownRows> {
        self.known_rows.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps working memory for the next question.
    pub(crate) fn keep_known_rows(&self, rows: KnownRows) {
        *self.known_rows.lock().unwrap_or_else(PoisonError::into_inner) = Some(rows);
    }

    /// Weight of a row in questions.
    pub(crate) fn query_weight(&self, row: u32) -> f32 {
        let (weights, _) = self.file.get(self.query..self.document).unwrap_or_default().as_chunks();
        weights.get(row as usize).map_or(0.0, |weight| f32::from(u16::from_le_bytes(*weight)))
    }

    /// The numbers of a row.
    #[expect(clippy::inline_always, reason = "as for `Levels::product`")]
    #[inline(always)]
    pub(crate) fn levels(&self, row: u32) -> Option<Levels> {
        let (table, _) = self.file.get(self.table..).unwrap_or_default().as_chunks::<PACKED>();
        table.get(row as usize).map(Levels::of)
    }

    fn read(file: Cow<'static, [u8]>) -> Result<Self, String> {
        let number = |at: usize| {
            let bytes = file.get(at..at + 4).and_then(|b| b.try_into().ok());
            bytes.map(u32::from_le_bytes).ok_or("shorter than its header")
        };
        if file.get(..8) != Some(MAGIC) {
            return Err("not an embedding table".to_owned());
        }
        let version = number(8)?;
        if version != VERSION {
            return Err(format!("format version {version}; this program reads version {VERSION}"));
        }
        let (dimensions, rows, names) = (number(12)? as usize, number(16)? as usize, number(20)? as usize);
        if dimensions != DIMENSIONS {
            return Err(format!("{dimensions} dimensions; this program has {DIMENSIONS}"));
        }
        let query = HEADER + names;
        let (document, table) = (query + 2 * rows, query + 4 * rows);
        if rows == 0 || rows > MAX_ROWS || file.len() != table + rows * PACKED {
            return Err(format!("{} bytes do not hold {rows} rows", file.len()));
        }
        let body = file.get(HEADER..).unwrap_or_default();
        let hash = file.get(32..HEADER).and_then(|hash| blake3::Hash::from_slice(hash).ok());
        let hash = hash.ok_or("shorter than its header")?;
        // What stands inside the program is as sound as the program.
        if matches!(file, Cow::Owned(_)) && blake3::hash(body) != hash {
            return Err("damaged: the hash does not match".to_owned());
        }
        let listed = split_names(body.get(..names).unwrap_or_default())?;
        if listed.len() != rows {
            return Err(format!("{} names for {rows} rows", listed.len()));
        }
        let vocabulary = Vocabulary::new(&listed)?;
        let hash = hash.to_hex().to_string();
        let name = format!("regreader-static-v{version}-{}", hash.get(..12).unwrap_or_default());
        let known_rows = Mutex::default();
        Ok(Self { name, hash, file, vocabulary, rows, query, document, table, known_rows })
    }

    fn embed(&self, tokens: &mut Tokens, text: &str, weights: usize) -> Vec<f32> {
        let rows = tokens.rows(&self.vocabulary, text);
        let (weights, _) = self.file.get(weights..).unwrap_or_default().as_chunks();
        let (table, _) = self.file.get(self.table..).unwrap_or_default().as_chunks::<PACKED>();
        let mut total = [0_i64; DIMENSIONS];
        let mut weight_of_all = 0_i64;
        for block in rows.chunks(BLOCK) {
            let mut sum = [0_u32; DIMENSIONS];
            for &row in block {
                let row = row as usize;
                if let (Some(values), Some(&weight)) = (table.get(row), weights.get(row)) {
                    let weight = u16::from_le_bytes(weight);
                    add(&mut sum, values, weight);
                    weight_of_all += i64::from(weight);
                }
            }
            for (total, sum) in total.iter_mut().zip(sum) {
                *total += i64::from(sum);
            }
        }
        // What was summed are the nibbles 0 to 15; they stand for -15, -13 … 15.
        normalise(&total.map(|sum| 2 * sum - 15 * weight_of_all))
    }
}

/// The numbers of a row, for many products with other rows.
pub(crate) struct Levels([i16; DIMENSIONS]);

impl Levels {
    #[expect(clippy::inline_always, reason = "as for `product`")]
    #[inline(always)]
    fn of(row: &[u8; PACKED]) -> Self {
        let mut levels = [0; DIMENSIONS];
        let (low, high) = levels.split_at_mut(PACKED);
        for ((low, high), &both) in low.iter_mut().zip(high).zip(row) {
            *low = i16::from(both & 15) * 2 - 15;
            *high = i16::from(both >> 4) * 2 - 15;
        }
        Self(levels)
    }

    /// Product of two rows. A plain sum of 32 bits: processors multiply and add pairs of 16 bits at once, and the compiler sees it.
    /// With a sum for each lane it may gather the numbers one by one, which made a whole search twice as slow.
    #[expect(
        clippy::inline_always,
        reason = "must become part of each set of instructions that a caller is compiled for"
    )]
    #[inline(always)]
    pub(crate) fn product(&self, other: &Self) -> f32 {
        let mut sum = 0_i32;
        for at in 0..DIMENSIONS {
            sum += i32::from(self.0[at]) * i32::from(other.0[at]);
        }
        sum as f32
    }

    /// Length of the row's vector.
    #[expect(clippy::inline_always, reason = "as for `product`")]
    #[inline(always)]
    pub(crate) fn length(&self) -> f32 {
        self.product(self).sqrt()
    }
}

impl Embedder for StaticModel {
    fn model(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        DIMENSIONS
    }

    fn spread(&self) -> f32 {
        1.0
    }

    /// A text in which no row is found (empty, only punctuation) has the zero vector: near to nothing.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.embed(&mut Tokens::default(), text, self.query))
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut tokens = Tokens::default();
        Ok(texts.iter().map(|text| self.embed(&mut tokens, text, self.document)).collect())
    }
}

/// Adds `weight` times the nibbles of a row. A weight has twelve bits: 15 × 4,095 fits 16 bits, which is what lets the compiler use
/// the widest vectors.
fn add(sum: &mut [u32; DIMENSIONS], row: &[u8; PACKED], weight: u16) {
    let (low, high) = sum.split_at_mut(PACKED);
    for ((low, high), &both) in low.iter_mut().zip(high).zip(row) {
        // A table we write has no heavier weight; another one would wrap rather than fail.
        *low += u32::from(weight.wrapping_mul(u16::from(both & 15)));
        *high += u32::from(weight.wrapping_mul(u16::from(both >> 4)));
    }
}

fn normalise(total: &[i64; DIMENSIONS]) -> Vec<f32> {
    let square: u128 = total.iter().map(|&v| u128::from(v.unsigned_abs()).pow(2)).sum();
    if square == 0 {
        return vec![0.0; DIMENSIONS];
    }
    let length = (square as f64).sqrt();
    total.iter().map(|&v| (v as f64 / length) as f32).collect()
}

fn split_names(mut bytes: &[u8]) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    while let Some((&length, rest)) = bytes.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(length)).ok_or("a name is cut short")?;
        names.push(std::str::from_utf8(name).map_err(|_| "a name is not UTF-8")?);
        bytes = rest;
    }
    Ok(names)
}
