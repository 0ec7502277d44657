//! The table: opening a version of it, changing it, asking it.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use futures::TryStreamExt as _;
use lancedb::expr::DfExpr;
use lancedb::query::{ExecutableQuery as _, QueryBase as _, Select};
use lancedb::table::{CompactionOptions, Duration, OptimizeAction};
use lancedb::{Connection, DistanceType, Table};
use regreader_index::IndexError;
use regreader_model::RegId;

use crate::{condition, failed, rows};

const NAME: &str = "documents";
/// With more files than this, they are joined; with more versions, old ones are dropped.
const FEW: usize = 16;
/// How much longer than the version that counted last before this one others are kept.
const KEPT_HOURS: i64 = 1;

/// The table in a folder: one version of it, or the newest.
pub(crate) async fn open(folder: &Path, version: Option<u64>) -> Result<Table, IndexError> {
    let table = connect(folder).await?.open_table(NAME);
    let table = match version {
        Some(version) => table.version(version),
        None => table,
    };
    table.execute().await.map_err(failed)
}

/// The table for writing, as it was in a version; made anew when there is none. Changes that never counted are undone.
pub(crate) async fn at(
    folder: &Path,
    version: Option<u64>,
    schema: Arc<Schema>,
) -> Result<Table, IndexError> {
    let Some(version) = version else {
        let connection = connect(folder).await?;
        let left = connection.table_names().execute().await.map_err(failed)?;
        if left.iter().any(|name| name == NAME) {
            connection.drop_table(NAME, &[]).await.map_err(failed)?;
        }
        return connection.create_empty_table(NAME, schema).execute().await.map_err(failed);
    };
    let table = open(folder, None).await?;
    if table.version().await.map_err(failed)? != version {
        table.checkout(version).await.map_err(failed)?;
        table.restore().await.map_err(failed)?;
    }
    Ok(table)
}

async fn connect(folder: &Path) -> Result<Connection, IndexError> {
    let at = folder.to_str().ok_or_else(|| failed(format!("路径不是 UTF-8: {}", folder.display())))?;
    lancedb::connect(at).execute().await.map_err(failed)
}

/// Removes regulations; gives their vectors.
pub(crate) async fn take_out(table: &Table, regulations: &[RegId]) -> Result<Vec<Vec<f32>>, IndexError> {
    let mut vectors = Vec::new();
    if regulations.is_empty() {
        return Ok(vectors);
    }
    let theirs = condition::regulations(regulations);
    for batch in rows_that(table, theirs.clone(), &[rows::VECTOR]).await? {
        vectors.extend(rows::vectors(&batch)?);
    }
    table.delete(&theirs).await.map_err(failed)?;
    Ok(vectors)
}

/// Adds rows.
pub(crate) async fn put_in(table: &Table, rows: Vec<RecordBatch>) -> Result<(), IndexError> {
    if !rows.is_empty() {
        table.add(rows).execute().await.map_err(failed)?;
    }
    Ok(())
}

/// Joins files when there are many.
pub(crate) async fn join(table: &Table) -> Result<(), IndexError> {
    let Some(native) = table.as_native() else { return Ok(()) };
    if native.count_fragments().await.map_err(failed)? > FEW {
        let joining = OptimizeAction::Compact { options: CompactionOptions::default(), remap_options: None };
        table.optimize(joining).await.map_err(failed)?;
    }
    Ok(())
}

/// Drops versions that nobody looks at any more. Readers of other processes may still look at the one that counted
/// before, so that one stays.
pub(crate) async fn drop_old(table: &Table, before: Option<u64>) -> Result<(), IndexError> {
    let versions = table.list_versions().await.map_err(failed)?;
    let counted = versions.iter().find(|version| Some(version.version) == before);
    let (Some(counted), Some(newest)) = (counted.filter(|_| versions.len() > FEW), versions.last()) else {
        return Ok(());
    };
    let age = newest.timestamp - counted.timestamp + Duration::hours(KEPT_HOURS);
    let dropping = OptimizeAction::Prune {
        older_than: Some(age),
        delete_unverified: None,
        error_if_tagged_old_versions: None,
    };
    table.optimize(dropping).await.map_err(failed)?;
    Ok(())
}

/// All rows that pass a condition.
pub(crate) async fn rows_that(
    table: &Table,
    condition: DfExpr,
    columns: &[&str],
) -> Result<Vec<RecordBatch>, IndexError> {
    let asked = table.query().only_if_expr(condition).select(Select::columns(columns));
    asked.execute().await.map_err(failed)?.try_collect().await.map_err(failed)
}

/// The nearest `count` rows among those that pass a condition.
pub(crate) async fn nearest(
    table: &Table,
    vector: &[f32],
    condition: Option<DfExpr>,
    count: usize,
) -> Result<Vec<RecordBatch>, IndexError> {
    let mut asked = table
        .query()
        .nearest_to(vector)
        .map_err(failed)?
        .column(rows::VECTOR)
        .distance_type(DistanceType::Dot)
        .bypass_vector_index()
        .limit(count)
        .select(Select::columns(&rows::SCORED));
    if let Some(condition) = condition {
        asked = asked.only_if_expr(condition);
    }
    asked.execute().await.map_err(failed)?.try_collect().await.map_err(failed)
}
