//! `read_page_range`, `read_chapter_content`, `get_block_with_context`: reading what was found.

use regreader_assemble::render_pages;
use regreader_model::{
    BlockId, Citation, CitationTarget, ContentBlock, DocumentStructure, DomainError, NodeId, PageDocument,
    PageNumber,
};
use regreader_store::RegulationReader;
use regreader_text::beginning;

use crate::cursor::Cursor;
use crate::places::section;
use crate::requests as rq;
use crate::results as rs;
use crate::toolbox::page_of;
use crate::{ToolError, Toolbox};

/// Most pages in one call, both ends counted.
const MAX_PAGES: u32 = 10;

impl Toolbox {
    /// Pages as one Markdown text, each row under its page; tables over several pages are joined once more behind them.
    pub fn read_page_range(&self, request: &rq::ReadPageRange) -> Result<rs::PageRange, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        check_range(&reader, request)?;
        let start = page_of(&reader, request.start_page)?;
        let end = page_of(&reader, request.end_page)?;
        let tables = reader.tables()?;
        let mut pages = reader.pages(start..=end)?;
        let mut rendered = render_pages(&pages, &tables);
        // Whole pages only: a page cut in the middle of a table would be a wrong page.
        while rendered.markdown.chars().count() > self.options.max_chars && pages.len() > 1 {
            pages.pop();
            rendered = render_pages(&pages, &tables);
        }
        let last = pages.last().map_or(start, |page| page.page_num);
        let truncated = last < end;
        let next = truncated.then(|| format!("从第 {} 页继续读取", last.next()));
        let info = reader.info();
        let cited = Citation::of(info, Some(start), None).up_to(last);
        Ok(rs::PageRange {
            content_markdown: rendered.text(self.options.max_chars),
            source: cited.to_string(),
            cited: rs::Cited(cited),
            start_page: start.get(),
            end_page: last.get(),
            page_count: pages.len() as u32,
            has_merged_tables: !rendered.joined.is_empty(),
            continues_to_next: pages.last().is_some_and(|page| page.continues_to_next),
            truncated,
            next,
            pages: request
                .include_pages
                .then(|| pages.iter().filter_map(|page| serde_json::to_value(page).ok()).collect()),
            edition_notice: self.edition_notice(info, request.as_of.as_deref())?,
        })
    }

    /// The text of a chapter over its pages, a part at a time.
    pub fn read_chapter_content(&self, request: &rq::ReadChapter) -> Result<rs::ChapterContent, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let structure = reader.structure()?;
        let node = section(&structure, &request.section_number)?;
        let (first, last) = node.page_range();
        let wanted = chapter_blocks(&structure, &node.node_id, request.include_children);
        let blocks = blocks_in_order(&reader.pages(first..=last)?, &wanted);
        let start = Cursor::read(request.cursor.as_deref(), reader.content_hash())?;
        let mut content = String::new();
        let mut end = start;
        for (page, block) in blocks.iter().skip(start) {
            let grown = content.chars().count() + block.content_markdown.chars().count();
            if end > start && grown > self.options.max_chars / 2 {
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
        Ok(rs::ChapterContent {
            reg_id: reader.reg_id().to_string(),
            section_number: node.section_number.to_string(),
            title: node.title.clone(),
            chapter_path: structure.chapter_path(&node.node_id),
            page_range: [first.get(), last.get()],
            content_markdown: content,
            source: cited.to_string(),
            cited: rs::Cited(cited),
            truncated: next.is_some(),
            next,
            edition_notice: self.edition_notice(reader.info(), request.as_of.as_deref())?,
        })
    }

    /// A block between its neighbours, over page borders.
    pub fn get_block_with_context(&self, request: &rq::GetBlock) -> Result<rs::BlockContext, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let page_num = page_of_block(&request.block_id).filter(|page| page.get() <= reader.total_pages());
        let missing = || DomainError::BlockNotFound {
            reg_id: reader.reg_id().clone(),
            block_id: request.block_id.chars().take(80).collect(),
        };
        let page_num = match page_num {
            Some(page) => page,
            // Files of the earlier system name their blocks differently: look for it.
            None => self.find_block_page(&reader, &request.block_id)?.ok_or_else(missing)?,
        };
        let context = request.context_blocks.min(10) as usize;
        let mut blocks: Vec<rs::BlockView> = page_blocks(&reader.page(page_num)?);
        let mut index =
            blocks.iter().position(|block| block.block_id == request.block_id).ok_or_else(missing)?;
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
        let shown: Vec<rs::BlockView> =
            blocks.into_iter().skip(from).take(index - from + 1 + context).collect();
        let each = self.options.max_chars / shown.len().max(1);
        let truncated = shown.iter().any(|block| block.content_markdown.chars().count() > each);
        let shown = shown.into_iter().map(|block| rs::BlockView {
            content_markdown: beginning(&block.content_markdown, each),
            ..block
        });
        let edition_notice = self.edition_notice(reader.info(), request.as_of.as_deref())?;
        Ok(rs::BlockContext {
            blocks: shown.collect(),
            index: (index - from) as u32,
            truncated,
            edition_notice,
        })
    }

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

fn check_range(reader: &RegulationReader, request: &rq::ReadPageRange) -> Result<(), DomainError> {
    let (start, end) = (request.start_page, request.end_page);
    let total = reader.total_pages();
    if start == 0 || end < start {
        return Err(DomainError::InvalidPageRange {
            reason: format!("起始页 {start}、结束页 {end}：页码从 1 起，结束页不小于起始页"),
            next: Some([start.clamp(1, total), start.max(1).saturating_add(MAX_PAGES - 1).min(total)]),
        });
    }
    if end - start >= MAX_PAGES {
        return Err(DomainError::InvalidPageRange {
            reason: format!("单次最多读取 {MAX_PAGES} 页，请求了 {} 页", end - start + 1),
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

fn page_blocks(page: &PageDocument) -> Vec<rs::BlockView> {
    let view = |block: &ContentBlock| rs::BlockView {
        reg_id: page.reg_id.to_string(),
        page_num: page.page_num.get(),
        block_id: block.block_id.to_string(),
        block_type: block.block_type.name().to_owned(),
        chapter_path: block.chapter_path.clone(),
        content_markdown: block.content_markdown.clone(),
    };
    page.content_blocks.iter().map(view).collect()
}
