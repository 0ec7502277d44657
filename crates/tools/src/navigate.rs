//! `list_regulations`, `get_toc`, `get_chapter_structure`, `get_page_chapter_info`, `get_tool_guide`,
//! `search_context`: finding one's way.

use regreader_model::{ChapterNode, DocumentStructure, DomainError, NodeId};
use regreader_store::ListEntry;

use crate::cursor::Cursor;
use crate::places::section;
use crate::requests as rq;
use crate::results as rs;
use crate::spec::{Category, TOOLS, WORKFLOWS};
use crate::toolbox::page_of;
use crate::{ToolError, Toolbox};

impl Toolbox {
    /// Every regulation of the library. One that cannot be read says why.
    pub fn list_regulations(&self, _: &rq::ListRegulations) -> Result<rs::RegulationList, ToolError> {
        let entries = self.library.list()?;
        let truncated = entries.len() > self.options.max_items;
        let regulations = entries.into_iter().take(self.options.max_items).map(entry).collect();
        Ok(rs::RegulationList { regulations, truncated })
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
        // Deep trees of long regulations overrun the cap: show fewer levels rather than fewer chapters.
        let fitting = (1..=depth).rev().find(|depth| count(&structure, &roots, *depth) <= MAX_TOC_ENTRIES);
        let shown = fitting.unwrap_or(1);
        let mut left = MAX_TOC_ENTRIES;
        let items: Vec<rs::TocEntry> =
            roots.iter().filter_map(|id| toc_entry(&structure, id, shown, &mut left)).collect();
        let truncated = shown < depth || left == 0;
        let next = truncated.then(|| "目录较长：用 expand_section 展开某一章节".to_owned());
        let info = reader.info();
        Ok(rs::Toc {
            reg_id: request.reg_id.clone(),
            title: info.title.clone(),
            total_pages: info.total_pages,
            items,
            truncated,
            next,
        })
    }

    /// Every node of the chapter tree with its blocks, a part at a time.
    pub fn get_chapter_structure(
        &self,
        request: &rq::GetChapterStructure,
    ) -> Result<rs::ChapterStructure, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let structure = reader.structure()?;
        let start = Cursor::read(request.cursor.as_deref(), reader.content_hash())?;
        let total = structure.all_nodes.len();
        let nodes: Vec<rs::NodeView> =
            structure.iter().skip(start).take(self.options.max_items).map(node_view).collect();
        let end = start + nodes.len();
        let next = (end < total).then(|| Cursor::write(end, reader.content_hash()));
        Ok(rs::ChapterStructure {
            reg_id: request.reg_id.clone(),
            nodes,
            total: total as u32,
            truncated: next.is_some(),
            next,
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
            reg_id: request.reg_id.clone(),
            page_num: request.page_num,
            page_label: page.page_label.clone(),
            active_chapters: active.map(node_view).collect(),
            continues_from_prev: page.continues_from_prev,
            continues_to_next: page.continues_to_next,
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

/// About 4,000 tokens of contents.
const MAX_TOC_ENTRIES: usize = 120;

fn entry(entry: ListEntry) -> rs::RegulationEntry {
    match entry {
        ListEntry::Regulation(info) => rs::RegulationEntry {
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
            supersedes: info.supersedes.map(|reg_id| reg_id.to_string()),
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
            pages_approximate: false,
            problem: Some(problem.to_string()),
        },
    }
}

fn count(structure: &DocumentStructure, ids: &[&NodeId], depth: u32) -> usize {
    if depth == 0 {
        return 0;
    }
    ids.iter()
        .filter_map(|id| structure.all_nodes.get(*id))
        .map(|node| 1 + count(structure, &node.children_ids.iter().collect::<Vec<_>>(), depth - 1))
        .sum()
}

fn toc_entry(
    structure: &DocumentStructure,
    id: &NodeId,
    depth: u32,
    left: &mut usize,
) -> Option<rs::TocEntry> {
    let node = structure.all_nodes.get(id)?;
    *left = left.checked_sub(1)?;
    let children = if depth > 1 {
        node.children_ids.iter().filter_map(|child| toc_entry(structure, child, depth - 1, left)).collect()
    } else {
        Vec::new()
    };
    let (start, end) = node.page_range();
    Some(rs::TocEntry {
        title: node.title.clone(),
        section_number: node.section_number.to_string(),
        level: node.level,
        page_range: [start.get(), end.get()],
        page_start: start.get(),
        page_end: end.get(),
        children,
        children_count: node.children_ids.len() as u32,
    })
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
