//! A range of pages as Markdown, with tables over several pages joined apart.
//!
//! Every row stands under the page that it is printed on, so that whoever cites a page cites what is there. A table that
//! runs over pages is also joined once, behind the pages, under a line that says from which pages it comes.

use regreader_model::{PageDocument, TableId, TableRegistry};

use crate::markdown::table_markdown;

/// Pages for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPages {
    /// The pages, each under a line `<!-- 第 85 页 -->`, with what is printed on it and nothing else.
    pub markdown: String,
    /// The tables of these pages that run over several, each joined.
    pub joined: Vec<JoinedTable>,
}

/// A table over several pages, in one piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedTable {
    /// Which table.
    pub table_id: TableId,
    /// The table under a line `<!-- 合并表格：第 8–10 页 -->`.
    pub markdown: String,
}

impl RenderedPages {
    /// Pages and joined tables as one text of at most so many characters. The pages are always whole; a joined table that
    /// does not fit is named instead, so that it can be asked for.
    pub fn text(&self, max_chars: usize) -> String {
        let mut text = self.markdown.clone();
        let mut chars = text.chars().count();
        for table in &self.joined {
            let length = table.markdown.chars().count() + 2;
            text.push_str("\n\n");
            if chars + length <= max_chars {
                chars += length;
                text.push_str(&table.markdown);
            } else {
                text.push_str(&format!(
                    "（表 {} 跨页且较长：用 get_table_by_id 读取合并后的全表）",
                    table.table_id
                ));
            }
        }
        text
    }
}

/// Renders pages, in the order given.
pub fn render_pages<'a>(
    pages: impl IntoIterator<Item = &'a PageDocument>,
    tables: &TableRegistry,
) -> RenderedPages {
    let mut out = RenderedPages { markdown: String::new(), joined: Vec::new() };
    for page in pages {
        if !out.markdown.is_empty() {
            out.markdown.push_str("\n\n");
        }
        out.markdown.push_str(&page_line(page));
        if page.content_blocks.is_empty() && !page.content_markdown.is_empty() {
            out.markdown.push_str("\n\n");
            out.markdown.push_str(&page.content_markdown);
        }
        for block in &page.content_blocks {
            out.markdown.push_str("\n\n");
            out.markdown.push_str(&block.content_markdown);
            let meta = block.table_meta.as_ref();
            let table = meta.and_then(|meta| tables.get(meta.table_id.as_str()));
            let Some(table) = table.filter(|table| table.is_cross_page()) else { continue };
            if out.joined.iter().all(|known| known.table_id != table.table_id) {
                let pages = table.page_range().map(|(first, last)| format!("：第 {first}–{last} 页"));
                let line = format!("<!-- 合并表格{} -->", pages.unwrap_or_default());
                let markdown = format!("{line}\n\n{}", table_markdown(table));
                out.joined.push(JoinedTable { table_id: table.table_id.clone(), markdown });
            }
        }
    }
    out
}

fn page_line(page: &PageDocument) -> String {
    match &page.page_label {
        Some(label) => format!("<!-- 第 {} 页（印刷页码 {}） -->", page.page_num, label.replace("--", "—")),
        None => format!("<!-- 第 {} 页 -->", page.page_num),
    }
}
