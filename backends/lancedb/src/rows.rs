//! Documents as rows: what the table holds, writing and reading it.

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeListBuilder, Float32Builder, Int64Builder, ListBuilder, StringBuilder, UInt32Builder,
};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, UInt32Type};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use regreader_backend_common::{cosine, place};
use regreader_index::{DocumentKey, IndexDocument, IndexError, Replacement};
use regreader_model::{BlockId, PageNumber};

use crate::failed;

/// A number made of the key, by which documents are looked up.
pub(crate) const MARK: &str = "mark";
/// Its regulation.
pub(crate) const REGULATION: &str = "reg_id";
const PAGE: &str = "page";
const BLOCK: &str = "block";
/// Kind of block.
pub(crate) const TYPE: &str = "type";
/// Number of its clause.
pub(crate) const SECTION: &str = "section";
/// The places of the chapter tree that it stands below.
pub(crate) const PLACES: &str = "places";
/// Its vector.
pub(crate) const VECTOR: &str = "vector";

/// What is read to score a document.
pub(crate) const SCORED: [&str; 4] = [REGULATION, PAGE, BLOCK, VECTOR];

/// The columns.
pub(crate) fn schema(dimension: usize) -> Arc<Schema> {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let places = DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)));
    let values = Arc::new(Field::new_list_field(DataType::Float32, true));
    Arc::new(Schema::new(vec![
        Field::new(MARK, DataType::Int64, false),
        text(REGULATION, false),
        Field::new(PAGE, DataType::UInt32, false),
        text(BLOCK, false),
        text(TYPE, false),
        text(SECTION, true),
        Field::new(PLACES, places, false),
        Field::new(VECTOR, DataType::FixedSizeList(values, dimension as i32), false),
    ]))
}

/// The mark of a document.
pub(crate) fn mark(key: &DocumentKey) -> i64 {
    // No regulation id and no number has a slash: different keys are different texts.
    let hash = blake3::hash(format!("{}/{}/{}", key.reg_id, key.page_num, key.block_id).as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |first| i64::from_le_bytes(*first))
}

/// The rows of some regulations, those without documents left out.
pub(crate) fn batches(
    batch: &[Replacement<'_>],
    vectors: &[Vec<Vec<f32>>],
    dimension: usize,
) -> Result<Vec<RecordBatch>, IndexError> {
    let with_documents = batch.iter().zip(vectors).filter(|(one, _)| !one.documents.is_empty());
    with_documents.map(|(one, vectors)| rows(one.documents, vectors, dimension)).collect()
}

fn rows(
    documents: &[IndexDocument],
    vectors: &[Vec<f32>],
    dimension: usize,
) -> Result<RecordBatch, IndexError> {
    let (mut marks, mut pages) = (Int64Builder::new(), UInt32Builder::new());
    let (mut regulations, mut blocks) = (StringBuilder::new(), StringBuilder::new());
    let (mut types, mut sections) = (StringBuilder::new(), StringBuilder::new());
    let mut places = ListBuilder::new(StringBuilder::new());
    let mut values = FixedSizeListBuilder::new(Float32Builder::new(), dimension as i32);
    for (document, vector) in documents.iter().zip(vectors) {
        let key = &document.key;
        marks.append_value(mark(key));
        regulations.append_value(&key.reg_id);
        pages.append_value(key.page_num.get());
        blocks.append_value(&key.block_id);
        types.append_value(document.block_type.name());
        sections.append_option(document.section_number.as_ref());
        for node in &document.ancestry {
            places.values().append_value(place(&key.reg_id, node));
        }
        places.append(true);
        values.values().append_slice(vector);
        values.append(true);
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(marks.finish()),
        Arc::new(regulations.finish()),
        Arc::new(pages.finish()),
        Arc::new(blocks.finish()),
        Arc::new(types.finish()),
        Arc::new(sections.finish()),
        Arc::new(places.finish()),
        Arc::new(values.finish()),
    ];
    RecordBatch::try_new(schema(dimension), columns).map_err(failed)
}

/// The documents of rows that have [`SCORED`], with the cosine of each.
pub(crate) fn scored(rows: &[RecordBatch], vector: &[f32]) -> Result<Vec<(DocumentKey, f32)>, IndexError> {
    let mut found = Vec::new();
    for batch in rows {
        let missing = || failed("缺少列");
        let regulations = column(batch, REGULATION)?.as_string_opt::<i32>().ok_or_else(missing)?;
        let pages = column(batch, PAGE)?.as_primitive_opt::<UInt32Type>().ok_or_else(missing)?;
        let blocks = column(batch, BLOCK)?.as_string_opt::<i32>().ok_or_else(missing)?;
        let vectors = vectors(batch)?;
        for (at, mine) in vectors.iter().enumerate() {
            let reg_id = regulations.value(at).parse().map_err(failed)?;
            let page_num = PageNumber::new(pages.value(at)).ok_or_else(|| failed("页码为 0"))?;
            let key = DocumentKey { reg_id, page_num, block_id: BlockId::new(blocks.value(at)) };
            found.push((key, cosine(vector, mine)));
        }
    }
    Ok(found)
}

/// The vectors of rows.
pub(crate) fn vectors(batch: &RecordBatch) -> Result<Vec<Vec<f32>>, IndexError> {
    let lists = column(batch, VECTOR)?.as_fixed_size_list_opt().ok_or_else(|| failed("缺少列"))?;
    let vector =
        |at: usize| lists.value(at).as_primitive_opt::<Float32Type>().map(|one| one.values().to_vec());
    let all: Option<Vec<Vec<f32>>> = (0..lists.len()).map(vector).collect();
    all.ok_or_else(|| failed("缺少列"))
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, IndexError> {
    batch.column_by_name(name).ok_or_else(|| failed(format!("缺少列 {name}")))
}
