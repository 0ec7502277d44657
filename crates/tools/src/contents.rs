//! `get_toc`, `get_chapter_structure`, `get_page_chapter_info`: finding one's way in a regulation.

use std::collections::{HashMap, HashSet};
use std::io;

use regreader_messages::tools;
use regreader_model::{ChapterNode, DocumentStructure, NodeId, PageNumber};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cursor::Cursor;
use crate::places::section;
use crate::sheet::range;
use crate::tool::{Argument, Category, DAY, Gist, Phase, REGULATION, Tool, argument};
use crate::toolbox::page_of;
use crate::{Sheet, ToolError, Toolbox};

/// Most chapter nodes in one part: about 3,000 tokens, so that a model that asks for the structure of a long regulation
/// does not spend its context on it.
const NODES: usize = 48;

/// Arguments of `get_toc`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetToc {
    /// 规程标识，如 angui_2024
    pub reg_id: String,
    /// 目录层数
    #[serde(default = "crate::tool::number::<3>")]
    #[schemars(range(min = 1, max = 10))]
    pub max_depth: u32,
    /// 只展开这一章节（编号或标题）之下的目录
    pub expand_section: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `get_toc`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Toc {
    /// Regulation whose contents it is.
    pub reg_id: String,
    /// Title of the regulation.
    pub title: String,
    /// Number of pages.
    pub total_pages: u32,
    /// Chapters, in reading order.
    pub items: Vec<TocEntry>,
    /// Something was left out.
    pub truncated: bool,
    /// How to get the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// One chapter of the contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TocEntry {
    /// Title of the chapter.
    pub title: String,
    /// Number of the chapter.
    pub section_number: String,
    /// Depth, from 1.
    pub level: u32,
    /// First and last page.
    pub page_range: [PageNumber; 2],
    /// First page.
    pub page_start: PageNumber,
    /// Last page.
    pub page_end: PageNumber,
    /// Chapters below, as far as shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<TocEntry>,
    /// How many chapters stand directly below, where they are not shown.
    #[serde(default, skip_serializing_if = "crate::tool::is_zero")]
    pub children_count: u32,
}

/// Arguments of `get_chapter_structure`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetChapterStructure {
    /// 规程标识
    pub reg_id: String,
    /// 同时列出每个章节的内容块标识
    #[serde(default)]
    pub include_blocks: bool,
    /// 从上次返回的 next 继续
    pub cursor: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `get_chapter_structure`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChapterStructure {
    /// Regulation whose tree it is.
    pub reg_id: String,
    /// Nodes in document order, parents before children.
    pub nodes: Vec<NodeView>,
    /// Nodes in all.
    pub total: u32,
    /// There are more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// One chapter node.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NodeView {
    /// Id of the chapter in the tree.
    pub node_id: String,
    /// Parent node.
    pub parent_id: Option<String>,
    /// Number of the chapter.
    pub section_number: String,
    /// Title of the chapter.
    pub title: String,
    /// Depth, from 1.
    pub level: u32,
    /// First and last page.
    pub page_range: [PageNumber; 2],
    /// Blocks of its own; `get_chapter_structure` lists them only when asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content_block_ids: Vec<String>,
}

/// Arguments of `get_page_chapter_info`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageChapterInfo {
    /// 规程标识
    pub reg_id: String,
    /// 物理页码
    pub page_num: u32,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `get_page_chapter_info`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PageChapters {
    /// Regulation that the page belongs to.
    pub reg_id: String,
    /// Page that was asked about.
    pub page_num: PageNumber,
    /// Number printed on the page.
    pub page_label: Option<String>,
    /// Chapters with content on it, in order.
    pub active_chapters: Vec<NodeView>,
    /// Goes on from the page before.
    pub continues_from_prev: bool,
    /// Goes on to the next page.
    pub continues_to_next: bool,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

impl GetToc {
    /// The contents of a regulation down to a depth.
    pub fn new(reg_id: impl Into<String>, max_depth: u32) -> Self {
        Self { reg_id: reg_id.into(), max_depth, expand_section: None, as_of: None }
    }
}

impl Tool for GetToc {
    const NAME: &'static str = "get_toc";
    const COMMAND: &'static str = "toc";
    const TITLE: &'static str = "目录";
    const DESCRIPTION: &'static str = "取规程的章节目录树及页码范围。先看目录，锁定章节，再检索。max_depth 默认 3；expand_section 展开某一章节。";
    const CATEGORY: Category = Category::Read;
    const PHASE: Phase = Phase::Base;
    const HELP: &'static str = "Show the contents of a regulation (目录)";
    const ARGUMENTS: &'static [Argument] = &[
        argument("reg_id", "REG_ID", "Regulation: its id, an alias or its title"),
        argument("reg_id", "-r --reg-id REG_ID", "The same, as other commands take it"),
        argument("max_depth", "-l --level LEVEL", "How deep [default: 3]"),
        argument(
            "expand_section",
            "--expand [CHAPTER]",
            "Only below this chapter, down to its last clause; the whole contents when no chapter is named",
        ),
        DAY,
    ];
    type Response = Toc;

    /// The contents of a regulation down to a depth. Children that are not shown are counted.
    fn run(&self, toolbox: &Toolbox) -> Result<Toc, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        let structure = reader.structure()?;
        let roots: Vec<&NodeId> = match &self.expand_section {
            Some(name) => vec![&section(&structure, name)?.node_id],
            None => structure.root_node_ids.iter().collect(),
        };
        let depth = self.max_depth.clamp(1, 10);
        let contents = Contents::new(&structure, &roots, depth);
        let items: Vec<TocEntry> = contents.top.iter().map(|node| contents.entry(node)).collect();
        let truncated = items.len() < roots.len() || is_cut(&items, depth);
        let next = truncated.then(|| tools::CONTENTS_LONG.to_string());
        let info = reader.info();
        Ok(Toc {
            reg_id: reader.reg_id().to_string(),
            title: info.title.clone(),
            total_pages: info.total_pages,
            items,
            truncated,
            next,
            edition_notice: toolbox.edition_notice(reader.info(), self.as_of.as_deref())?,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        sheet.line(&sheet.bold(&tools::toc_title(&response.title, response.total_pages)))?;
        show_entries(&response.items, 0, sheet)?;
        sheet.next(response.next.as_deref());
        Ok(())
    }

    fn gist(response: &Self::Response) -> Gist {
        Gist { summary: response.title.clone(), ..Gist::default() }
    }
}

impl Tool for GetChapterStructure {
    const NAME: &'static str = "get_chapter_structure";
    const COMMAND: &'static str = "chapter-structure";
    const TITLE: &'static str = "章节结构";
    const DESCRIPTION: &'static str = "取完整章节树，含每个节点的内容块标识；内容多时按游标分页。";
    const CATEGORY: Category = Category::Navigate;
    const PHASE: Phase = Phase::Navigation;
    const HELP: &'static str = "Show the whole chapter tree with block ids";
    const ARGUMENTS: &'static [Argument] = &[
        argument("reg_id", "REG_ID", "Regulation: its id, an alias or its title"),
        argument("include_blocks", "--include-blocks", "Also list the blocks of each chapter"),
        argument("cursor", "--cursor CURSOR", "Go on from here"),
        DAY,
    ];
    type Response = ChapterStructure;

    /// Every node of the chapter tree, with its blocks when they are asked for, a part at a time.
    fn run(&self, toolbox: &Toolbox) -> Result<ChapterStructure, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        let structure = reader.structure()?;
        let start = Cursor::read(self.cursor.as_deref(), reader.content_hash())?;
        let total = structure.all_nodes.len();
        let most = toolbox.options.max_items.min(NODES);
        let nodes: Vec<NodeView> = structure
            .iter()
            .skip(start)
            .take(most)
            .map(|node| {
                let view = node_view(node);
                if self.include_blocks { view } else { NodeView { content_block_ids: Vec::new(), ..view } }
            })
            .collect();
        let end = start + nodes.len();
        let next = (end < total).then(|| Cursor::write(end, reader.content_hash()));
        Ok(ChapterStructure {
            reg_id: reader.reg_id().to_string(),
            nodes,
            total: total as u32,
            truncated: next.is_some(),
            next,
            edition_notice: toolbox.edition_notice(reader.info(), self.as_of.as_deref())?,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        for node in &response.nodes {
            let indent = "  ".repeat(node.level.saturating_sub(1) as usize);
            let pages = [&[format!("P{}", range(node.page_range))], &node.content_block_ids[..]].concat();
            let pages = sheet.dim(&pages.join(" "));
            sheet.line(&format!("{indent}{} {}  {pages}", node.section_number, node.title))?;
        }
        sheet.next(response.next.as_deref());
        Ok(())
    }
}

impl Tool for PageChapterInfo {
    const NAME: &'static str = "get_page_chapter_info";
    const COMMAND: &'static str = "page-info";
    const TITLE: &'static str = "页面章节";
    const DESCRIPTION: &'static str = "查某页上有哪些章节。";
    const CATEGORY: Category = Category::Navigate;
    const PHASE: Phase = Phase::Navigation;
    const HELP: &'static str = "Show which chapters stand on a page";
    const ARGUMENTS: &'static [Argument] =
        &[REGULATION, argument("page_num", "PAGE", "Physical page number, from 1"), DAY];
    type Response = PageChapters;

    /// The chapters of one page.
    fn run(&self, toolbox: &Toolbox) -> Result<PageChapters, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        let page = reader.page(page_of(&reader, self.page_num)?)?;
        let structure = reader.structure()?;
        let active = page.active_chapters.iter().filter_map(|id| structure.node(id.as_str()));
        Ok(PageChapters {
            reg_id: reader.reg_id().to_string(),
            page_num: page.page_num,
            page_label: page.page_label.clone(),
            active_chapters: active.map(node_view).collect(),
            continues_from_prev: page.continues_from_prev,
            continues_to_next: page.continues_to_next,
            edition_notice: toolbox.edition_notice(reader.info(), self.as_of.as_deref())?,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        response.active_chapters.iter().try_for_each(|node| {
            let pages = range(node.page_range);
            sheet.line(&format!("{} {} (P{pages})", node.section_number, node.title))
        })
    }
}

/// Tokens that the entries of a table of contents may take: with what stands around them, 4,000 are not passed.
const MAX_TOC_TOKENS: usize = 3_800;
/// Tokens of an entry's keys, marks and page numbers.
const ENTRY_TOKENS: usize = 39;

/// The chapters to show. Levels are opened from the top; where a level does not fit whole, the chapters that take least
/// room are opened, and nothing below. The top level itself is cut only where it alone is too long.
struct Contents<'a> {
    top: Vec<&'a ChapterNode>,
    opened: HashMap<&'a NodeId, Vec<&'a ChapterNode>>,
}

impl<'a> Contents<'a> {
    fn new(structure: &'a DocumentStructure, roots: &[&'a NodeId], depth: u32) -> Self {
        let mut left = MAX_TOC_TOKENS;
        // A torn file may hold a ring: every chapter is taken once.
        let mut seen: HashSet<&NodeId> = HashSet::new();
        let mut top = Vec::new();
        for node in roots.iter().filter_map(|id| structure.all_nodes.get(*id)) {
            let Some(rest) = left.checked_sub(tokens(node)) else { break };
            left = rest;
            seen.insert(&node.node_id);
            top.push(node);
        }
        let mut opened = HashMap::new();
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

    fn entry(&self, node: &ChapterNode) -> TocEntry {
        let below = self.opened.get(&node.node_id);
        let (start, end) = node.page_range();
        TocEntry {
            title: node.title.clone(),
            section_number: node.section_number.to_string(),
            level: node.level,
            page_range: [start, end],
            page_start: start,
            page_end: end,
            children: below.into_iter().flatten().map(|child| self.entry(child)).collect(),
            children_count: if below.is_some() { 0 } else { node.children_ids.len() as u32 },
        }
    }
}

/// About how many tokens an entry takes: a wide character is one, of others three make one.
fn tokens(node: &ChapterNode) -> usize {
    let (mut wide, mut narrow) = (0, 0);
    for text in [node.title.as_str(), node.section_number.as_str()] {
        for c in text.chars() {
            if c >= '\u{2e80}' { wide += 1 } else { narrow += 1 }
        }
    }
    ENTRY_TOKENS + wide + usize::div_ceil(narrow, 3)
}

/// Whether chapters above the depth that was asked for are left closed.
fn is_cut(items: &[TocEntry], depth: u32) -> bool {
    depth > 1 && items.iter().any(|item| item.children_count > 0 || is_cut(&item.children, depth - 1))
}

fn node_view(node: &ChapterNode) -> NodeView {
    let (start, end) = node.page_range();
    NodeView {
        node_id: node.node_id.to_string(),
        parent_id: node.parent_id.as_ref().map(ToString::to_string),
        section_number: node.section_number.to_string(),
        title: node.title.clone(),
        level: node.level,
        page_range: [start, end],
        content_block_ids: node.content_block_ids.iter().map(ToString::to_string).collect(),
    }
}

/// Chapters with those below them; how many are not shown.
fn show_entries(items: &[TocEntry], depth: usize, sheet: &dyn Sheet) -> io::Result<()> {
    for item in items {
        let hidden = item.children_count > 0 && item.children.is_empty();
        let more = if hidden { format!(" (+{})", item.children_count) } else { String::new() };
        let pages = sheet.dim(&format!("P{}{more}", range(item.page_range)));
        let indent = "  ".repeat(depth);
        sheet.line(&format!("{indent}{} {}  {pages}", item.section_number, item.title))?;
        show_entries(&item.children, depth + 1, sheet)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use regreader_model::{ClauseNumber, RegId};

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

    fn contents(structure: &DocumentStructure, depth: u32) -> Vec<TocEntry> {
        let roots: Vec<&NodeId> = structure.root_node_ids.iter().collect();
        let contents = Contents::new(structure, &roots, depth);
        contents.top.iter().map(|node| contents.entry(node)).collect()
    }

    /// Tokens by the rule of thumb that one wide character is one and four others are one.
    fn measured(items: &[TocEntry]) -> usize {
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
