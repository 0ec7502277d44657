//! A range of pages as one Markdown text, with tables over several pages printed whole.
//!
//! A table that runs over pages of the range stands complete on the first of them; the later pages say where it
//! stands and keep everything else they hold, notes included. Nothing is printed twice and nothing is left out.

use regreader_model::{PageDocument, TableRegistry};

use crate::markdown::table_markdown;

/// Pages joined for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPages {
    /// The text, each page under a line `<!-- 第 85 页 -->`.
    pub markdown: String,
    /// Whether a table was printed whole that stands on several pages.
    pub has_merged_tables: bool,
}

/// Joins pages, in the order given. A table with a part outside the range is printed whole too, so that a reader of
/// one page sees the header and all rows; the text then says from which pages it comes.
pub fn render_pages<'a>(
    pages: impl IntoIterator<Item = &'a PageDocument>,
    tables: &TableRegistry,
) -> RenderedPages {
    let mut out = RenderedPages { markdown: String::new(), has_merged_tables: false };
    let mut printed = Vec::new();
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
            let merged = block
                .table_meta
                .as_ref()
                .and_then(|meta| tables.get(meta.table_id.as_str()))
                .filter(|table| table.is_cross_page());
            out.markdown.push_str("\n\n");
            let Some(table) = merged else {
                out.markdown.push_str(&block.content_markdown);
                continue;
            };
            out.has_merged_tables = true;
            let name = table.caption.clone().unwrap_or_else(|| table.table_id.to_string());
            let at = printed.iter().find(|(id, _)| *id == &table.table_id).map(|(_, at)| *at);
            if let Some(first) = at {
                out.markdown.push_str(&format!("（{name}：本页各行已并入第 {first} 页所列全表）"));
                continue;
            }
            printed.push((&table.table_id, page.page_num));
            out.markdown.push_str(&table_markdown(table));
            if let Some((first, last)) = table.page_range() {
                out.markdown.push_str(&format!("\n\n（全表见第 {first}–{last} 页，已合并）"));
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
