//! `read_page_range`, `read_chapter_content`, `get_block_with_context`: reading what was found.

use std::io;

use regreader_assemble::render_pages;
use regreader_messages::{errors, tools};
use regreader_model::{
    BlockId, Citation, CitationTarget, ContentBlock, DocumentStructure, DomainError, NodeId, PageDocument,
    PageNumber,
};
use regreader_store::RegulationReader;
use regreader_text::beginning;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cursor::Cursor;
use crate::places::section;
use crate::tool::{Argument, Category, DAY, Gist, Phase, REGULATION, Tool, argument};
use crate::toolbox::page_of;
use crate::{Sheet, ToolError, Toolbox};

/// Most pages in one call, both ends counted.
const MAX_PAGES: u32 = 10;

/// Arguments of `read_page_range`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadPageRange {
    /// 规程标识
    pub reg_id: String,
    /// 起始页（物理页码，从 1 起）
    pub start_page: u32,
    /// 结束页（含），最多连续 10 页
    pub end_page: u32,
    /// 同时返回每页的结构化内容
    #[serde(default)]
    pub include_pages: bool,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `read_page_range`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PageRange {
    /// The pages, cross-page tables stitched in place.
    pub content_markdown: String,
    /// What to cite.
    pub source: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Citation,
    /// First page.
    pub start_page: PageNumber,
    /// Last page that is in the result.
    pub end_page: PageNumber,
    /// Pages in the result.
    pub page_count: u32,
    /// A table of these pages runs over a page border.
    pub has_merged_tables: bool,
    /// The last table or paragraph goes on after the range.
    pub continues_to_next: bool,
    /// A cap cut the range short.
    pub truncated: bool,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Whole page objects, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<serde_json::Value>>")]
    pub pages: Option<Vec<PageDocument>>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Arguments of `read_chapter_content`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadChapter {
    /// 规程标识
    pub reg_id: String,
    /// 章节编号或标题：2.1.4、第六章、附录A
    pub section_number: String,
    /// 含下级章节
    #[serde(default = "crate::tool::yes")]
    pub include_children: bool,
    /// 从上次返回的 next 继续
    pub cursor: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `read_chapter_content`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ChapterContent {
    /// Regulation that the chapter belongs to.
    pub reg_id: String,
    /// Number of the chapter.
    pub section_number: String,
    /// Title of the chapter.
    pub title: String,
    /// Titles down to it.
    pub chapter_path: Vec<String>,
    /// First and last page of the chapter.
    pub page_range: [PageNumber; 2],
    /// Text of this part.
    pub content_markdown: String,
    /// What to cite.
    pub source: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Citation,
    /// There is more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Arguments of `get_block_with_context`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetBlock {
    /// 规程标识
    pub reg_id: String,
    /// 内容块标识
    pub block_id: String,
    /// 前后各取几块
    #[serde(default = "crate::tool::number::<2>")]
    #[schemars(range(max = 10))]
    pub context_blocks: u32,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `get_block_with_context`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BlockContext {
    /// Blocks before, the block, blocks after.
    pub blocks: Vec<BlockView>,
    /// Position of the block among them.
    pub index: u32,
    /// A cap cut something off.
    pub truncated: bool,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// One block.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BlockView {
    /// Regulation that the block belongs to.
    pub reg_id: String,
    /// Page that the block stands on.
    pub page_num: PageNumber,
    /// Id of the block.
    pub block_id: String,
    /// Kind of block.
    pub block_type: String,
    /// Titles down to its chapter.
    pub chapter_path: Vec<String>,
    /// Its text as Markdown.
    pub content_markdown: String,
}

impl ReadPageRange {
    /// Pages of a regulation, both ends counted.
    pub fn pages(reg_id: impl Into<String>, start_page: u32, end_page: u32) -> Self {
        Self { reg_id: reg_id.into(), start_page, end_page, include_pages: false, as_of: None }
    }
}

impl Tool for ReadPageRange {
    const NAME: &'static str = "read_page_range";
    const COMMAND: &'static str = "read-pages";
    const TITLE: &'static str = "读取页面";
    const DESCRIPTION: &'static str =
        "读取连续页面的完整 Markdown（最多 10 页），跨页表格自动拼接，注释随页保留。";
    const CATEGORY: Category = Category::Read;
    const PHASE: Phase = Phase::Base;
    const HELP: &'static str = "Read pages, cross-page tables stitched (读取页面)";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATION,
        argument("start_page", "-s --start START!", "First page"),
        argument("end_page", "-e --end END", "Last page; the first one when not given"),
        DAY,
    ];
    type Response = PageRange;

    /// Pages as one Markdown text, each row under its page; tables over several pages are joined once more behind them.
    fn run(&self, toolbox: &Toolbox) -> Result<PageRange, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        check_range(&reader, self)?;
        let start = page_of(&reader, self.start_page)?;
        let end = page_of(&reader, self.end_page)?;
        let tables = reader.tables()?;
        let mut pages = reader.pages(start..=end)?;
        let mut rendered = render_pages(&pages, &tables);
        // Whole pages only: a page cut in the middle of a table would be a wrong page.
        while rendered.markdown.chars().count() > toolbox.options.max_chars && pages.len() > 1 {
            pages.pop();
            rendered = render_pages(&pages, &tables);
        }
        let last = pages.last().map_or(start, |page| page.page_num);
        let truncated = last < end;
        let next = truncated.then(|| tools::read_on(last.next()));
        let info = reader.info();
        let cited = Citation::of(info, Some(start), None).up_to(last);
        Ok(PageRange {
            content_markdown: rendered.text(toolbox.options.max_chars),
            source: cited.to_string(),
            cited,
            start_page: start,
            end_page: last,
            page_count: pages.len() as u32,
            has_merged_tables: !rendered.joined.is_empty(),
            continues_to_next: pages.last().is_some_and(|page| page.continues_to_next),
            truncated,
            next,
            pages: self.include_pages.then_some(pages),
            edition_notice: toolbox.edition_notice(info, self.as_of.as_deref())?,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        sheet.line(&sheet.dim(&response.source))?;
        sheet.markdown(&response.content_markdown)?;
        sheet.next(response.next.as_deref());
        Ok(())
    }

    fn gist(response: &Self::Response) -> Gist {
        Gist::place(&response.source, &response.content_markdown)
    }
}

impl ReadChapter {
    /// A chapter by number or title, with those below it.
    pub fn new(reg_id: impl Into<String>, section_number: impl Into<String>) -> Self {
        let (reg_id, section_number) = (reg_id.into(), section_number.into());
        Self { reg_id, section_number, include_children: true, cursor: None, as_of: None }
    }
}

impl Tool for ReadChapter {
    const NAME: &'static str = "read_chapter_content";
    const COMMAND: &'static str = "read-chapter";
    const TITLE: &'static str = "读取章节";
    const DESCRIPTION: &'static str = "读取一个章节（默认含下级）跨页的全文，内容多时按游标分页。";
    const CATEGORY: Category = Category::Read;
    const PHASE: Phase = Phase::Navigation;
    const HELP: &'static str = "Read a chapter over its pages (读取章节)";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATION,
        argument("section_number", "SECTION", "Number, title or path"),
        argument("include_children", "--own-only", "Without the chapters below"),
        argument("cursor", "--cursor CURSOR", "Go on from here"),
        DAY,
    ];
    type Response = ChapterContent;

    /// The text of a chapter over its pages, a part at a time.
    fn run(&self, toolbox: &Toolbox) -> Result<ChapterContent, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        let structure = reader.structure()?;
        let node = section(&structure, &self.section_number)?;
        let (first, last) = node.page_range();
        let wanted = chapter_blocks(&structure, &node.node_id, self.include_children);
        let blocks = blocks_in_order(&reader.pages(first..=last)?, &wanted);
        let start = Cursor::read(self.cursor.as_deref(), reader.content_hash())?;
        let mut content = String::new();
        let mut end = start;
        for (page, block) in blocks.iter().skip(start) {
            let grown = content.chars().count() + block.content_markdown.chars().count();
            if end > start && grown > toolbox.options.max_chars / 2 {
                break;
            }
            if !content.is_empty() {
                content.push_str("\n\n");
            }
            let is_first_of_page =
                end == start || blocks.get(end - 1).is_some_and(|(before, _)| before != page);
            if is_first_of_page {
                content.push_str(&format!("<!-- 第 {page} 页 -->\n\n"));
            }
            content.push_str(&block.content_markdown);
            end += 1;
        }
        let next = (end < blocks.len()).then(|| Cursor::write(end, reader.content_hash()));
        let cited = Citation::of(reader.info(), Some(first), clause_target(node.section_number.as_str()));
        Ok(ChapterContent {
            reg_id: reader.reg_id().to_string(),
            section_number: node.section_number.to_string(),
            title: node.title.clone(),
            chapter_path: structure.chapter_path(&node.node_id),
            page_range: [first, last],
            content_markdown: content,
            source: cited.to_string(),
            cited,
            truncated: next.is_some(),
            next,
            edition_notice: toolbox.edition_notice(reader.info(), self.as_of.as_deref())?,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        sheet.line(&sheet.dim(&response.source))?;
        sheet.markdown(&response.content_markdown)?;
        sheet.next(response.next.as_deref());
        Ok(())
    }

    fn gist(response: &Self::Response) -> Gist {
        Gist::place(&response.source, &response.content_markdown)
    }
}

impl Tool for GetBlock {
    const NAME: &'static str = "get_block_with_context";
    const COMMAND: &'static str = "get-block-context";
    const TITLE: &'static str = "内容块及上下文";
    const DESCRIPTION: &'static str = "取一个内容块及其前后若干块（可跨页）。";
    const CATEGORY: Category = Category::Read;
    const PHASE: Phase = Phase::Context;
    const HELP: &'static str = "Show a block between its neighbours";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATION,
        argument("block_id", "BLOCK_ID", "Id of the block, as search results name it"),
        argument("context_blocks", "-c --context CONTEXT", "Blocks before and after [default: 2]"),
        DAY,
    ];
    type Response = BlockContext;

    /// A block between its neighbours, over page borders.
    fn run(&self, toolbox: &Toolbox) -> Result<BlockContext, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        let page_num = page_of_block(&self.block_id).filter(|page| page.get() <= reader.total_pages());
        let missing = || DomainError::BlockNotFound {
            reg_id: reader.reg_id().clone(),
            block_id: self.block_id.chars().take(80).collect(),
        };
        let page_num = match page_num {
            Some(page) => page,
            // Files of the earlier system name their blocks differently: look for it.
            None => toolbox.find_block_page(&reader, &self.block_id)?.ok_or_else(missing)?,
        };
        let context = self.context_blocks.min(10) as usize;
        let mut blocks: Vec<BlockView> = page_blocks(&reader.page(page_num)?);
        let mut index =
            blocks.iter().position(|block| block.block_id == self.block_id).ok_or_else(missing)?;
        let mut before = page_num.get();
        while index < context && before > 1 {
            before -= 1;
            let Some(number) = PageNumber::new(before) else { break };
            let mut earlier = page_blocks(&reader.page(number)?);
            index += earlier.len();
            earlier.append(&mut blocks);
            blocks = earlier;
        }
        let mut after = page_num;
        while blocks.len() - index - 1 < context && after.get() < reader.total_pages() {
            after = after.next();
            blocks.extend(page_blocks(&reader.page(after)?));
        }
        let from = index.saturating_sub(context);
        let shown: Vec<BlockView> = blocks.into_iter().skip(from).take(index - from + 1 + context).collect();
        let each = toolbox.options.max_chars / shown.len().max(1);
        let truncated = shown.iter().any(|block| block.content_markdown.chars().count() > each);
        let shown = shown
            .into_iter()
            .map(|block| BlockView { content_markdown: beginning(&block.content_markdown, each), ..block });
        let edition_notice = toolbox.edition_notice(reader.info(), self.as_of.as_deref())?;
        Ok(BlockContext { blocks: shown.collect(), index: (index - from) as u32, truncated, edition_notice })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        for (number, block) in response.blocks.iter().enumerate() {
            let line = format!("P{} {} [{}]", block.page_num, block.block_id, block.block_type);
            let here = response.index as usize == number;
            sheet.line(&if here { sheet.bold(&format!("▶ {line}")) } else { sheet.dim(&line) })?;
            sheet.line(&block.content_markdown)?;
        }
        Ok(())
    }
}

impl Toolbox {
    fn find_block_page(
        &self,
        reader: &RegulationReader,
        block_id: &str,
    ) -> Result<Option<PageNumber>, ToolError> {
        let total = reader.total_pages() as usize;
        for (done, page) in reader.all_pages().enumerate() {
            self.tell_page(reader.reg_id(), done, total);
            let page = page?;
            if page.content_blocks.iter().any(|block| block.block_id.as_str() == block_id) {
                return Ok(Some(page.page_num));
            }
        }
        Ok(None)
    }
}

fn check_range(reader: &RegulationReader, request: &ReadPageRange) -> Result<(), DomainError> {
    let (start, end) = (request.start_page, request.end_page);
    let total = reader.total_pages();
    if start == 0 || end < start {
        return Err(DomainError::InvalidPageRange {
            reason: errors::page_range(start, end),
            next: Some([start.clamp(1, total), start.max(1).saturating_add(MAX_PAGES - 1).min(total)]),
        });
    }
    if end - start >= MAX_PAGES {
        return Err(DomainError::InvalidPageRange {
            reason: errors::range_too_long(MAX_PAGES, end - start + 1),
            next: Some([start.min(total), start.saturating_add(MAX_PAGES - 1).min(total)]),
        });
    }
    Ok(())
}

/// The blocks of a chapter, its own and, if wanted, those of everything below it.
pub(crate) fn chapter_blocks<'a>(
    structure: &'a DocumentStructure,
    id: &NodeId,
    with_children: bool,
) -> std::collections::HashSet<&'a BlockId> {
    let mut blocks = std::collections::HashSet::new();
    let mut queue = vec![id];
    // A torn file may hold a cycle: no node is visited more often than there are nodes.
    let mut budget = structure.all_nodes.len() + 1;
    while let Some(node) = queue.pop().and_then(|id| structure.all_nodes.get(id)) {
        blocks.extend(&node.content_block_ids);
        if with_children && budget > 0 {
            budget -= 1;
            queue.extend(&node.children_ids);
        }
    }
    blocks
}

/// These blocks with their pages, in reading order.
pub(crate) fn blocks_in_order(
    pages: &[PageDocument],
    wanted: &std::collections::HashSet<&BlockId>,
) -> Vec<(PageNumber, ContentBlock)> {
    pages
        .iter()
        .flat_map(|page| page.content_blocks.iter().map(|block| (page.page_num, block)))
        .filter(|(_, block)| wanted.contains(&block.block_id))
        .map(|(page, block)| (page, block.clone()))
        .collect()
}

pub(crate) fn clause_target(number: &str) -> Option<CitationTarget> {
    (!number.is_empty()).then(|| CitationTarget::Clause(number.to_owned()))
}

/// Our own block ids carry their page: `p0085-b003`.
fn page_of_block(block_id: &str) -> Option<PageNumber> {
    PageNumber::new(block_id.strip_prefix('p')?.split('-').next()?.parse().ok()?)
}

fn page_blocks(page: &PageDocument) -> Vec<BlockView> {
    let view = |block: &ContentBlock| BlockView {
        reg_id: page.reg_id.to_string(),
        page_num: page.page_num,
        block_id: block.block_id.to_string(),
        block_type: block.block_type.name().to_owned(),
        chapter_path: block.chapter_path.clone(),
        content_markdown: block.content_markdown.clone(),
    };
    page.content_blocks.iter().map(view).collect()
}
