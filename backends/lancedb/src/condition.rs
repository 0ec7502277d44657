//! Filters as LanceDB understands them: expressions, never text, so nothing that stands in a document can change what
//! is asked.

use lancedb::datafusion::functions_nested::expr_fn::{array_has_any, make_array};
use lancedb::expr::{DfExpr, col, is_in, lit};
use regreader_backend_common::place;
use regreader_index::{DocumentKey, Filter};
use regreader_model::RegId;

use crate::rows::{self, mark};

/// What a filter comes to; none when everything passes.
pub(crate) fn of(filter: &Filter) -> Option<DfExpr> {
    let regulations = filter.regulations.as_ref().map(regulations);
    let scope = filter.scope.as_ref().map(|scope| {
        let places = scope.iter().map(|(reg_id, node)| lit(place(reg_id, node))).collect();
        array_has_any(col(rows::PLACES), make_array(places))
    });
    let types = (!filter.block_types.is_empty())
        .then(|| is_in(col(rows::TYPE), filter.block_types.iter().map(|kind| lit(kind.name())).collect()));
    let section = filter.section_number.as_ref().map(|number| col(rows::SECTION).eq(lit(number.as_str())));
    [regulations, scope, types, section].into_iter().flatten().reduce(DfExpr::and)
}

/// Rows of these regulations.
pub(crate) fn regulations<'a>(ids: impl IntoIterator<Item = &'a RegId>) -> DfExpr {
    is_in(col(rows::REGULATION), ids.into_iter().map(|id| lit(id.as_str())).collect())
}

/// Rows with the marks of these documents. Two documents may have the same mark, so their keys decide.
pub(crate) fn marks(keys: &[DocumentKey]) -> DfExpr {
    is_in(col(rows::MARK), keys.iter().map(|key| lit(mark(key))).collect())
}
