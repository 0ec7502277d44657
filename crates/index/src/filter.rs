//! What a search is restricted to. Every backend applies it exactly, before it counts its best hits.

use std::collections::BTreeSet;

use regreader_model::{BlockType, ClauseNumber, NodeId, RegId};

use crate::IndexDocument;

/// A restriction; the default lets everything through.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only these regulations; none means all.
    pub regulations: Option<BTreeSet<RegId>>,
    /// Only blocks below these places of the chapter tree.
    pub scope: Option<BTreeSet<(RegId, NodeId)>>,
    /// Only these kinds of block; empty means all.
    pub block_types: BTreeSet<BlockType>,
    /// Only blocks of exactly this clause.
    pub section_number: Option<ClauseNumber>,
}

impl Filter {
    /// Whether a document passes.
    pub fn accepts(&self, document: &IndexDocument) -> bool {
        let reg_id = &document.key.reg_id;
        self.regulations.as_ref().is_none_or(|allowed| allowed.contains(reg_id))
            && (self.block_types.is_empty() || self.block_types.contains(&document.block_type))
            && self
                .section_number
                .as_ref()
                .is_none_or(|number| document.section_number.as_ref() == Some(number))
            && self.scope.as_ref().is_none_or(|scope| {
                document.ancestry.iter().any(|node| scope.contains(&(reg_id.clone(), node.clone())))
            })
    }
}
