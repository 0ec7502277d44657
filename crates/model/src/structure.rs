//! The chapter tree.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{BlockId, ClauseNumber, NodeId, PageNumber, RegId};

/// All chapters of a regulation, by node id, with the order of the tree in `root_node_ids` and `children_ids`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentStructure {
    /// The regulation.
    pub reg_id: RegId,
    /// Every node by id.
    #[serde(default)]
    pub all_nodes: BTreeMap<NodeId, ChapterNode>,
    /// Top nodes in document order.
    #[serde(default)]
    pub root_node_ids: Vec<NodeId>,
}

/// One chapter, section, clause, article or appendix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChapterNode {
    /// Unique within the regulation.
    pub node_id: NodeId,
    /// Canonical number; empty for a heading without one (前言).
    pub section_number: ClauseNumber,
    /// Title; for a clause whose text runs on behind the number, the first words of that text.
    pub title: String,
    /// Depth in the tree, from 1.
    pub level: u32,
    /// Page on which it begins.
    pub page_num: PageNumber,
    /// Last page on which it or a descendant has content. Absent only in files of the earlier system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_end: Option<PageNumber>,
    /// Parent node; none at the top.
    pub parent_id: Option<NodeId>,
    /// Children in document order.
    #[serde(default)]
    pub children_ids: Vec<NodeId>,
    /// Blocks that belong to this node itself, not to a child, in document order.
    #[serde(default)]
    pub content_block_ids: Vec<BlockId>,
}

impl ChapterNode {
    /// First and last page.
    pub fn page_range(&self) -> (PageNumber, PageNumber) {
        (self.page_num, self.page_end.unwrap_or(self.page_num))
    }

    /// Number and title as a reader names the node: `2.1.4 故障处理`.
    pub fn heading(&self) -> String {
        match (self.section_number.as_str(), self.title.as_str()) {
            ("", title) => title.to_owned(),
            (number, "") => number.to_owned(),
            (number, title) => format!("{number} {title}"),
        }
    }
}

impl DocumentStructure {
    /// A regulation without chapters.
    pub fn empty(reg_id: RegId) -> Self {
        Self { reg_id, all_nodes: BTreeMap::new(), root_node_ids: Vec::new() }
    }

    /// A node by id.
    pub fn node(&self, id: &str) -> Option<&ChapterNode> {
        self.all_nodes.get(id)
    }

    /// Headings from the top down to this node; empty for an unknown node.
    pub fn chapter_path(&self, id: &NodeId) -> Vec<String> {
        let mut path: Vec<String> = self.ancestors(id).map(ChapterNode::heading).collect();
        path.reverse();
        path
    }

    /// The node and its ancestors, going up. Ends also on a tree with a cycle in it (files can be torn).
    pub fn ancestors(&self, id: &NodeId) -> impl Iterator<Item = &ChapterNode> {
        std::iter::successors(self.node(id.as_str()), |node| self.node(node.parent_id.as_ref()?.as_str()))
            .take(self.all_nodes.len())
    }

    /// Nodes with this canonical number, in document order (an appendix may count anew).
    pub fn nodes_by_number<'a>(&'a self, number: &'a str) -> impl Iterator<Item = &'a ChapterNode> {
        self.iter().filter(move |node| node.section_number.as_str() == number)
    }

    /// Every node in document order, parents before children.
    pub fn iter(&self) -> impl Iterator<Item = &ChapterNode> {
        let mut stack: Vec<&NodeId> = self.root_node_ids.iter().rev().collect();
        std::iter::from_fn(move || {
            let node = self.all_nodes.get(stack.pop()?)?;
            stack.extend(node.children_ids.iter().rev());
            Some(node)
        })
        .take(self.all_nodes.len())
    }

    /// The tree of contents with page ranges.
    pub fn toc(&self) -> TocTree {
        let items = self.root_node_ids.iter().filter_map(|id| self.toc_item(id, 0)).collect();
        TocTree { reg_id: self.reg_id.clone(), items }
    }

    fn toc_item(&self, id: &NodeId, depth: usize) -> Option<TocItem> {
        // A real tree is a handful of levels deep; a cyclic file must not overflow the stack.
        if depth > 64 {
            return None;
        }
        let node = self.all_nodes.get(id)?;
        let (start, end) = node.page_range();
        let children: Vec<TocItem> =
            node.children_ids.iter().filter_map(|child| self.toc_item(child, depth + 1)).collect();
        Some(TocItem {
            section_number: node.section_number.clone(),
            title: node.title.clone(),
            level: node.level,
            page_range: [start, end],
            page_start: start,
            page_end: end,
            children_count: children.len() as u32,
            children,
        })
    }
}

/// A table of contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TocTree {
    /// The regulation.
    pub reg_id: RegId,
    /// Top chapters.
    pub items: Vec<TocItem>,
}

/// One line of a table of contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TocItem {
    /// Title without number.
    pub title: String,
    /// Canonical number; empty for a heading without one.
    pub section_number: ClauseNumber,
    /// Depth, from 1.
    pub level: u32,
    /// First and last page.
    pub page_range: [PageNumber; 2],
    /// First page.
    pub page_start: PageNumber,
    /// Last page.
    pub page_end: PageNumber,
    /// Chapters below, as far as they are shown.
    #[serde(default)]
    pub children: Vec<TocItem>,
    /// How many chapters stand directly below, shown or not.
    #[serde(default)]
    pub children_count: u32,
}
