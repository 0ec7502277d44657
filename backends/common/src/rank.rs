//! Exact cosines, and the best of what was found.

use std::collections::BTreeSet;

use regreader_index::{DocumentKey, Filter};
use regreader_model::{NodeId, RegId};

/// The cosine of two vectors: their dot product, since vectors come normalised.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() as f32
}

/// How many to ask a backend for when `limit` of so many documents are wanted: some more, since it may give equals in
/// any order.
pub fn ask_for(limit: usize, documents: usize) -> usize {
    limit.saturating_mul(2).max(64).min(documents)
}

/// The best `limit`, best first; equals in the order of their keys.
pub fn best(mut found: Vec<(DocumentKey, f32)>, limit: usize) -> Vec<(DocumentKey, f32)> {
    found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(limit);
    found
}

/// A node of one regulation's chapter tree, as one word. No regulation id has a slash.
pub fn place(reg_id: &RegId, node: &NodeId) -> String {
    format!("{reg_id}/{node}")
}

/// Whether a filter lets nothing through, whatever there is.
pub fn is_closed(filter: &Filter) -> bool {
    filter.regulations.as_ref().is_some_and(BTreeSet::is_empty)
        || filter.scope.as_ref().is_some_and(BTreeSet::is_empty)
}
