//! `list_regulations`, `get_toc`, `get_chapter_structure`, `get_page_chapter_info`, `get_tool_guide`,
//! `search_context`: finding one's way.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{ChapterNode, DocumentStructure, DomainError, NodeId, RegId};
use regreader_search::superseding;
use regreader_store::ListEntry;

use crate::cursor::Cursor;
use crate::places::section;
use crate::requests as rq;
use crate::results as rs;
use crate::spec::{Category, TOOLS, WORKFLOWS};
use crate::toolbox::page_of;
use crate::{ToolError, Toolbox};

/// Most chapter nodes in one part: about 3,000 tokens, so that a model that asks for the structure of a long regulation
/// does not spend its context on it.
const NODES: usize = 48;

impl Toolbox {
    /// Every regulation of the library. One that cannot be read says why.
    pub fn list_regulations(&self, request: &rq::ListRegulations) -> Result<rs::RegulationList, ToolError> {
        let entries = self.library.list()?;
        let editions = self.editions_on(request.as_of.as_deref())?;
        let truncated = entries.len() > self.options.max_items;
        // Two files in a folder seldom say that one takes the place of the other; their titles do. A list needs no more than the
        // library, so no index is opened for it.
        let superseding = match self.engine_if_open() {
            Some(engine) => engine.superseding().unwrap_or_default(),
            None => superseding(entries.iter().filter_map(|entry| match entry {
                ListEntry::Regulation(info) => Some(info),
                ListEntry::Broken { .. } => None,
            })),
        };
        let entries = entries.into_iter().take(self.options.max_items);
        let regulations = entries.map(|entry| {
            let mut entry = list_entry(entry, &superseding);
            let reg_id = entry.reg_id.parse().ok().filter(|_| entry.problem.is_none());
            entry.edition_notice =
                reg_id.as_ref().and_then(|id| editions.info(id)).and_then(|info| editions.warning(info));
            entry.status = reg_id.map(|id| editions.status(&id));
            entry
        });
        let regulations = regulations.collect();
        let as_of = editions.day.to_string();
        Ok(rs::RegulationList { regulations, as_of, truncated })
    }

    /// The contents of a regulation down to a depth. Children that are not shown are counted.
    pub fn get_toc(&self, request: &rq::GetToc) -> Result<rs::Toc, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let structure = reader.structure()?;
        let roots: Vec<&NodeId> = match &request.expand_section {
            Some(name) => vec![&section(&structure, name)?.node_id],
            None => structure.root_node_ids.iter().collect(),
        };
        let depth = request.max_depth.clamp(1, 10);
        let contents = Contents::new(&structure, &roots, depth);
        let items: Vec<rs::TocEntry> = contents.top.iter().map(|node| contents.entry(node)).collect();
        let truncated = items.len() < roots.len() || is_cut(&items, depth);
        let next = truncated.then(|| "目录较长：用 expand_section 展开某一章节".to_owned());
        let info = reader.info();
        Ok(rs::Toc {
            reg_id: reader.reg_id().to_string(),
            title: info.title.clone(),
            total_pages: info.total_pages,
            items,
            truncated,
            next,
            edition_notice: self.edition_notice(reader.info(), request.as_of.as_deref())?,
        })
    }

    /// Every node of the chapter tree, with its blocks when they are asked for, a part at a time.
    pub fn get_chapter_structure(
        &self,
        request: &rq::GetChapterStructure,
    ) -> Result<rs::ChapterStructure, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let structure = reader.structure()?;
        let start = Cursor::read(request.cursor.as_deref(), reader.content_hash())?;
        let total = structure.all_nodes.len();
        let most = self.options.max_items.min(NODES);
        let nodes: Vec<rs::NodeView> = structure
            .iter()
            .skip(start)
            .take(most)
            .map(|node| {
                let view = node_view(node);
                if request.include_blocks {
                    view
                } else {
                    rs::NodeView { content_block_ids: Vec::new(), ..view }
                }
            })
            .collect();
        let end = start + nodes.len();
        let next = (end < total).then(|| Cursor::write(end, reader.content_hash()));
        Ok(rs::ChapterStructure {
            reg_id: reader.reg_id().to_string(),
            nodes,
            total: total as u32,
            truncated: next.is_some(),
            next,
            edition_notice: self.edition_notice(reader.info(), request.as_of.as_deref())?,
        })
    }

    /// The chapters of one page.
    pub fn get_page_chapter_info(
        &self,
        request: &rq::PageChapterInfo,
    ) -> Result<rs::PageChapters, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let page = reader.page(page_of(&reader, request.page_num)?)?;
        let structure = reader.structure()?;
        let active = page.active_chapters.iter().filter_map(|id| structure.node(id.as_str()));
        Ok(rs::PageChapters {
            reg_id: reader.reg_id().to_string(),
            page_num: request.page_num,
            page_label: page.page_label.clone(),
            active_chapters: active.map(node_view).collect(),
            continues_from_prev: page.continues_from_prev,
            continues_to_next: page.continues_to_next,
            edition_notice: self.edition_notice(reader.info(), request.as_of.as_deref())?,
        })
    }

    /// Which tool when.
    pub fn get_tool_guide(&self, request: &rq::GetToolGuide) -> Result<rs::ToolGuide, ToolError> {
        let category = match &request.category {
            None => None,
            Some(name) => {
                Some(Category::ALL.into_iter().find(|category| category.name() == name).ok_or_else(|| {
                    let names: Vec<&str> = Category::ALL.iter().map(|category| category.name()).collect();
                    DomainError::InvalidArgument {
                        name: "category",
                        reason: format!("可选 {}", names.join("、")),
                    }
                })?)
            }
        };
        let tools = TOOLS.iter().filter(|tool| category.is_none_or(|category| tool.category == category));
        let workflows = WORKFLOWS.iter().filter(|_| request.include_workflows);
        Ok(rs::ToolGuide {
            tools: tools
                .map(|tool| rs::ToolEntry {
                    name: tool.name.to_owned(),
                    title: tool.title.to_owned(),
                    category: tool.category.name().to_owned(),
                    phase: tool.phase.name().to_owned(),
                    description: tool.description.to_owned(),
                })
                .collect(),
            workflows: workflows
                .map(|workflow| rs::WorkflowEntry {
                    name: workflow.name.to_owned(),
                    when: workflow.when.to_owned(),
                    steps: workflow.steps.iter().map(|step| (*step).to_owned()).collect(),
                })
                .collect(),
        })
    }
}

/// Tokens that the entries of a table of contents may take: with what stands around them, 4,000 are not passed.
const MAX_TOC_TOKENS: usize = 3_800;
/// Tokens of an entry's keys, marks and page numbers.
const ENTRY_TOKENS: usize = 39;

fn list_entry(entry: ListEntry, superseding: &BTreeMap<RegId, RegId>) -> rs::RegulationEntry {
    match entry {
        ListEntry::Regulation(info) => rs::RegulationEntry {
            supersedes: info
                .supersedes
                .as_ref()
                .or_else(|| superseding.get(&info.reg_id))
                .map(ToString::to_string),
            reg_id: info.reg_id.to_string(),
            title: info.title,
            source_file: info.source_file,
            total_pages: info.total_pages,
            indexed_at: info.indexed_at,
            description: info.description,
            keywords: info.keywords,
            scope: info.scope,
            aliases: info.aliases,
            edition: info.edition,
            effective_from: info.effective_from,
            events: info.events,
            status: None,
            edition_notice: None,
            pages_approximate: info.pages_approximate,
            problem: None,
        },
        ListEntry::Broken { reg_id, problem } => rs::RegulationEntry {
            reg_id: reg_id.to_string(),
            title: String::new(),
            source_file: String::new(),
            total_pages: 0,
            indexed_at: String::new(),
            description: None,
            keywords: Vec::new(),
            scope: None,
            aliases: Vec::new(),
            edition: None,
            effective_from: None,
            supersedes: None,
            events: Vec::new(),
            status: None,
            edition_notice: None,
            pages_approximate: false,
            problem: Some(problem.to_string()),
        },
    }
}

/// The chapters to show. Levels are opened from the top; where a level does not fit whole, the chapters that take least
/// room are opened, and nothing below. The top level itself is cut only where it alone is too long.
struct Contents<'a> {
    top: Vec<&'a ChapterNode>,
    opened: BTreeMap<&'a NodeId, Vec<&'a ChapterNode>>,
}

impl<'a> Contents<'a> {
    fn new(structure: &'a DocumentStructure, roots: &[&'a NodeId], depth: u32) -> Self {
        let mut left = MAX_TOC_TOKENS;
        // A torn file may hold a ring: every chapter is taken once.
        let mut seen: BTreeSet<&NodeId> = BTreeSet::new();
        let mut top = Vec::new();
        for node in roots.iter().filter_map(|id| structure.all_nodes.get(*id)) {
            let Some(rest) = left.checked_sub(tokens(node)) else { break };
            left = rest;
            seen.insert(&node.node_id);
            top.push(node);
        }
        let mut opened = BTreeMap::new();
        let mut level = top.clone();
        for _ in 1..depth {
            let mut closed: Vec<(usize, &ChapterNode, Vec<&ChapterNode>)> = Vec::new();
            for node in level.drain(..) {
                let below = node.children_ids.iter().filter_map(|id| structure.all_nodes.get(id));
                let below: Vec<&ChapterNode> = below.filter(|child| seen.insert(&child.node_id)).collect();
                if !below.is_empty() {
                    closed.push((below.iter().map(|child| tokens(child)).sum(), node, below));
                }
            }
            // Equal ones stay in their order.
            closed.sort_by_key(|(cost, ..)| *cost);
            let mut is_whole = true;
            for (cost, node, below) in closed {
                let Some(rest) = left.checked_sub(cost) else {
                    is_whole = false;
                    break;
                };
                left = rest;
                level.extend(&below);
                opened.insert(&node.node_id, below);
            }
            if !is_whole {
                break;
            }
        }
        Self { top, opened }
    }

    fn entry(&self, node: &ChapterNode) -> rs::TocEntry {
        let below = self.opened.get(&node.node_id);
        let (start, end) = node.page_range();
        rs::TocEntry {
            title: node.title.clone(),
            section_number: node.section_number.to_string(),
            level: node.level,
            page_range: [start.get(), end.get()],
            page_start: start.get(),
            page_end: end.get(),
            children: below.into_iter().flatten().map(|child| self.entry(child)).collect(),
            children_count: if below.is_some() { 0 } else { node.children_ids.len() as u32 },
        }
    }
}

/// About how many tokens an entry takes: a wide character is one, of others three make one.
fn tokens(node: &ChapterNode) -> usize {
    let chars = || node.title.chars().chain(node.section_number.as_str().chars());
    let wide = chars().filter(|c| *c >= '\u{2e80}').count();
    ENTRY_TOKENS + wide + (chars().count() - wide).div_ceil(3)
}

/// Whether chapters above the depth that was asked for are left closed.
fn is_cut(items: &[rs::TocEntry], depth: u32) -> bool {
    depth > 1 && items.iter().any(|item| item.children_count > 0 || is_cut(&item.children, depth - 1))
}

fn node_view(node: &ChapterNode) -> rs::NodeView {
    let (start, end) = node.page_range();
    rs::NodeView {
        node_id: node.node_id.to_string(),
        parent_id: node.parent_id.as_ref().map(ToString::to_string),
        section_number: node.section_number.to_string(),
        title: node.title.clone(),
        level: node.level,
        page_range: [start.get(), end.get()],
        content_block_ids: node.content_block_ids.iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use regreader_model::{ClauseNumber, PageNumber, RegId};

    use super::*;

    /// A regulation of so many chapters, sections in each and clauses in each of those.
    fn regulation(chapters: usize, sections: usize, clauses: usize) -> DocumentStructure {
        let mut structure = DocumentStructure::empty("long_2024".parse::<RegId>().unwrap());
        for chapter in 1..=chapters {
            let top = add(&mut structure, None, &format!("{chapter}"), "直流系统运行管理");
            for section in 1..=sections {
                let number = format!("{chapter}.{section}");
                let middle = add(&mut structure, Some(&top), &number, "安控装置投退的操作规定");
                for clause in 1..=clauses {
                    add(&mut structure, Some(&middle), &format!("{number}.{clause}"), "值班调度员应立即汇报");
                }
            }
        }
        structure
    }

    fn add(structure: &mut DocumentStructure, parent: Option<&NodeId>, number: &str, title: &str) -> NodeId {
        let id = NodeId::new(format!("n{number}"));
        let node = ChapterNode {
            node_id: id.clone(),
            section_number: ClauseNumber::new(number),
            title: title.to_owned(),
            level: number.split('.').count() as u32,
            page_num: PageNumber::FIRST,
            page_end: None,
            parent_id: parent.cloned(),
            children_ids: Vec::new(),
            content_block_ids: Vec::new(),
        };
        structure.all_nodes.insert(id.clone(), node);
        match parent.and_then(|parent| structure.all_nodes.get_mut(parent)) {
            Some(parent) => parent.children_ids.push(id.clone()),
            None => structure.root_node_ids.push(id.clone()),
        }
        id
    }

    fn contents(structure: &DocumentStructure, depth: u32) -> Vec<rs::TocEntry> {
        let roots: Vec<&NodeId> = structure.root_node_ids.iter().collect();
        let contents = Contents::new(structure, &roots, depth);
        contents.top.iter().map(|node| contents.entry(node)).collect()
    }

    /// Tokens by the rule of thumb that one wide character is one and four others are one.
    fn measured(items: &[rs::TocEntry]) -> usize {
        let text = serde_json::to_string(items).unwrap();
        let wide = text.chars().filter(|c| *c >= '\u{2e80}').count();
        wide + (text.chars().count() - wide) / 4
    }

    #[test]
    fn a_short_regulation_is_shown_whole() {
        let items = contents(&regulation(3, 3, 5), 3);
        assert_eq!(items[0].children[2].children.len(), 5);
        assert!(!is_cut(&items, 3));
        assert!(!serde_json::to_string(&items).unwrap().contains("children_count"), "nothing is left out");
        let items = contents(&regulation(3, 3, 5), 2);
        assert_eq!(items[0].children[2].children_count, 5, "what the depth leaves out is counted");
        assert!(!is_cut(&items, 2));
    }

    #[test]
    fn a_long_one_keeps_to_its_size_and_to_whole_levels_first() {
        for (chapters, sections, clauses) in [(10, 8, 5), (12, 6, 9), (30, 4, 4), (3, 60, 10), (400, 2, 2)] {
            let structure = regulation(chapters, sections, clauses);
            let items = contents(&structure, 3);
            assert!(is_cut(&items, 3));
            assert!(measured(&items) <= 4_000, "{chapters}: {}", measured(&items));
        }
        let items = contents(&regulation(10, 8, 5), 3);
        assert_eq!(items.len(), 10);
        assert!(items.iter().filter(|item| item.children.len() == 8).count() >= 7, "most chapters are open");
        assert!(items.iter().all(|item| item.children.len() + item.children_count as usize == 8));
        assert!(items.iter().flat_map(|item| &item.children).all(|section| section.children.is_empty()));
    }

    #[test]
    fn a_ring_in_a_torn_file_ends() {
        let mut structure = regulation(2, 2, 2);
        let (top, leaf) = (NodeId::new("n1"), NodeId::new("n1.1.1"));
        structure.all_nodes.get_mut(&leaf).unwrap().children_ids = vec![top, NodeId::new("n2")];
        assert_eq!(contents(&structure, 10).len(), 2);
    }
}
