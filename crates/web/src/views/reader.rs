//! The reader: contents, the drawn page with its marks, and the page's text beside it.

use maud::{Markup, html};
use regreader_messages::{Language, web as w};
use regreader_model::{
    ChapterNode, Citation, CitationTarget, ContentBlock, DocumentStructure, PageDocument, PageNumber,
    Reference,
};
use regreader_tools::Status;

use super::layout::{Screen, frame, status_chip};
use super::sheet::Sheet;
use crate::address::{Address, encode};
use crate::app::Ctx;
use crate::backend::RegulationParts;
use crate::blocks::{self, Place};
use crate::marks::Marks;
use crate::view_options::ViewOptions;

/// What the reader shows.
pub struct Reader<'a> {
    pub parts: &'a RegulationParts,
    pub page: &'a PageDocument,
    /// The page beside it, where two are shown.
    pub second: Option<&'a PageDocument>,
    /// Marks of the first and the second page, where something is to be marked.
    pub marks: Option<[Marks; 2]>,
    /// The block that is marked, for the text.
    pub marked_block: Option<String>,
    /// The row that is marked, as the text names it.
    pub marked_row: Option<String>,
    /// Further pages that the evidence stands on, as addresses that mark it there.
    pub also_on: Vec<(PageNumber, Address)>,
    /// Other editions of the series: name, whether in force, and the same place there.
    pub editions: Vec<(String, Status, Address)>,
    /// Somebody comes from another edition whose place this one does not have.
    pub is_lost: bool,
    pub options: ViewOptions,
}

/// The reader as a screen.
pub fn page(ctx: &Ctx, view: &Reader<'_>) -> Markup {
    let l = ctx.lang;
    let info = &view.parts.info;
    let number = view.page.page_num;
    let title = format!("{} P{number}", info.short_name());
    let reg_id = info.reg_id.as_str();
    let screen = Screen {
        title: &title,
        section: "/",
        class: "reader",
        scripts: &["reader.js"],
        searches: Some(reg_id),
        query: "",
    };
    let sheet = |page, marks| Sheet {
        lang: l,
        reg_id,
        page,
        marks,
        drawable: view.parts.drawable,
        options: view.options,
    };
    frame(
        ctx,
        &screen,
        &html! {
            div.print-head { (info.title) " · " @if let Some(edition) = &info.edition { (edition) " · " } (status_chip(l, view.parts.status)) " · " (l.fill(w::PAGE_N, &[&number])) " · " (l.say(w::PRINTED_FROM)) }
            div.reader-head {
                div.reader-title {
                    h1 { a href=(Address::page(reg_id, PageNumber::FIRST)) { (info.title) } }
                    (status_chip(l, view.parts.status))
                    @if let Some(edition) = &info.edition { span.chip { (edition) } }
                    @if info.pages_approximate { span.chip.warn { (l.say(w::APPROXIMATE)) } }
                    a href=(format!("/r/{}/t", encode(reg_id))) { (l.say(w::TABLES)) }
                    a href=(Address::quality(reg_id)) { (l.say(w::QUALITY)) }
                    @if ctx.may_edit() { a href=(Address::edit(reg_id)) { (l.say(w::EDIT)) } }
                    @if !view.editions.is_empty() {
                        nav.editions aria-label=(l.say(w::OTHER_EDITIONS)) {
                            span { (l.say(w::OTHER_EDITIONS)) ":" }
                            @for (name, status, address) in &view.editions {
                                a href=(address) title=(l.fill(w::SAME_PLACE_IN, &[name])) { (name) } (status_chip(l, *status))
                            }
                        }
                    }
                }
                @if view.is_lost { p.remark.warning { (l.say(w::NO_SAME_PLACE)) } }
                (toolbar(l, view))
            }
            div class=(if view.parts.drawable { "panes" } else { "panes undrawn" }) {
                aside.contents aria-label=(l.say(w::CONTENTS)) {
                    details open {
                        summary { (l.say(w::CONTENTS)) }
                        nav aria-label=(l.say(w::CONTENTS)) { (contents(view)) }
                    }
                }
                @if view.parts.drawable { section.picture-pane aria-label=(l.say(w::PAGE_PICTURE)) tabindex="0" {
                    div class=(if view.second.is_some() { "sheets two" } else { "sheets" }) {
                        (sheet(view.page, view.marks.as_ref().map(|marks| &marks[0])).show())
                        @if let Some(second) = view.second { (sheet(second, view.marks.as_ref().map(|marks| &marks[1])).show()) }
                    }
                    (also_on(l, view))
                } }
                section.text-pane aria-label=(l.say(w::PAGE_TEXT)) {
                    @if !view.parts.drawable { (sheet(view.page, view.marks.as_ref().map(|marks| &marks[0])).show()) (also_on(l, view)) }
                    (text(l, view, view.page))
                    @if let Some(second) = view.second { (text(l, view, second)) }
                }
            }
        },
    )
}

/// Further pages of the evidence.
fn also_on(l: Language, view: &Reader<'_>) -> Markup {
    html! { @if !view.also_on.is_empty() {
        p.also { @for (page, address) in &view.also_on { a href=(view.options.keep(address.clone())) { "→ " (l.fill(w::PAGE_N, &[page])) } " " } }
    } }
}

fn toolbar(l: Language, view: &Reader<'_>) -> Markup {
    let reg_id = view.parts.info.reg_id.as_str();
    let (number, total) = (view.page.page_num, view.parts.info.total_pages);
    let step = if view.second.is_some() { 2 } else { 1 };
    let at = |page: PageNumber, options: ViewOptions| options.keep(Address::page(reg_id, page));
    let turn = |wanted: Option<u32>| wanted.filter(|page| *page <= total).and_then(PageNumber::new);
    let previous = turn(number.get().checked_sub(step).or((number.get() > 1).then_some(1)));
    let next = turn(number.get().checked_add(step));
    let options = view.options;
    html! {
        div.toolbar role="toolbar" aria-label=(l.say(w::PAGE_PICTURE)) {
            nav.strip aria-label=(l.say(w::GO_TO_PAGE)) {
                @match previous {
                    Some(page) => a.turn rel="prev" href=(at(page, options)) title=(l.say(w::PREVIOUS_PAGE)) aria-label=(l.say(w::PREVIOUS_PAGE)) { "←" },
                    None => span.turn aria-hidden="true" { "←" },
                }
                @for (page, gap) in strip(number.get(), total) {
                    @if gap { span.gap aria-hidden="true" { "…" } }
                    a href=(at(page, options)) aria-current=[(page == number).then_some("page")] aria-label=(l.fill(w::PAGE_N, &[&page])) { (page) }
                }
                @match next {
                    Some(page) => a.turn rel="next" href=(at(page, options)) title=(l.say(w::NEXT_PAGE)) aria-label=(l.say(w::NEXT_PAGE)) { "→" },
                    None => span.turn aria-hidden="true" { "→" },
                }
            }
            form.jump action=(format!("/r/{}/p", encode(reg_id))) method="get" {
                input type="text" inputmode="numeric" name="page" size="4" aria-label=(l.say(w::GO_TO_PAGE)) placeholder=(l.say(w::PAGE));
                button type="submit" { (l.say(w::GO)) }
            }
            @if view.parts.drawable {
                span.group {
                    a.tool href=(at(number, options.zoomed(false))) title=(l.say(w::ZOOM_OUT)) aria-label=(l.say(w::ZOOM_OUT)) { "−" }
                    a.tool href=(at(number, ViewOptions { zoom: 100, ..options })) title=(l.say(w::FIT)) { (options.zoom) "%" }
                    a.tool href=(at(number, options.zoomed(true))) title=(l.say(w::ZOOM_IN)) aria-label=(l.say(w::ZOOM_IN)) { "+" }
                    a.tool.rare href=(at(number, options.turned())) { (l.say(w::ROTATE)) }
                    a.tool.rare href=(at(number, options.paired())) { (l.say(if options.two { w::ONE_PAGE } else { w::TWO_PAGES })) }
                }
            }
            button.tool type="button" data-copy=(citation(view, None)) hidden { (l.say(w::COPY_CITATION)) }
            button.tool.rare type="button" data-print hidden { (l.say(w::PRINT)) }
        }
    }
}

/// The pages of the strip: first, last, and those around the current one. The flag says that some were left out before.
fn strip(current: u32, total: u32) -> Vec<(PageNumber, bool)> {
    let near = current.saturating_sub(3)..=current.saturating_add(3);
    let mut shown = Vec::new();
    let mut before = 0;
    for page in (1..=total.max(1)).filter(|page| *page == 1 || *page == total || near.contains(page)) {
        shown.extend(PageNumber::new(page).map(|number| (number, page > before + 1)));
        before = page;
    }
    shown
}

/// The contents: two levels of everything, and all levels along the chapter that is being read.
fn contents(view: &Reader<'_>) -> Markup {
    let structure = &view.parts.structure;
    let tree = Tree {
        structure,
        reg_id: view.parts.info.reg_id.as_str(),
        page: view.page.page_num,
        current: current_chapter(view),
        options: view.options,
    };
    html! { ol.toc { @for id in &structure.root_node_ids { (tree.node(id.as_str(), 1)) } } }
}

/// The chapter that is being read: that of the marked block, else the one in which the page begins. Several chapters
/// stand on most pages; only one is where the reader is.
fn current_chapter(view: &Reader<'_>) -> Option<String> {
    let nodes = &view.parts.structure.all_nodes;
    let holds = |id: &str| {
        let holders =
            nodes.values().filter(|node| node.content_block_ids.iter().any(|own| own.as_str() == id));
        holders.max_by_key(|node| node.level).map(|node| node.node_id.as_str().to_owned())
    };
    let on_page = view.page.content_blocks.iter().map(|block| block.block_id.as_str());
    view.marked_block.as_deref().into_iter().chain(on_page).find_map(holds)
}

struct Tree<'a> {
    structure: &'a DocumentStructure,
    reg_id: &'a str,
    page: PageNumber,
    current: Option<String>,
    options: ViewOptions,
}

impl Tree<'_> {
    fn node(&self, id: &str, depth: usize) -> Markup {
        // Files can be torn; a cycle must not overflow the stack.
        let Some(node) = self.structure.node(id).filter(|_| depth < 12) else { return html! {} };
        let (start, end) = node.page_range();
        let is_here = start <= self.page && self.page <= end;
        let opens = !node.children_ids.is_empty() && (depth < 2 || is_here);
        let is_current = self.current.as_deref() == Some(id);
        html! {
            li class=[is_here.then_some("here")] {
                a href=(self.address(node)) aria-current=[is_current.then_some("location")] {
                    span.toc-title { (node.heading()) } span.toc-page { (start) }
                }
                @if opens { ol { @for child in &node.children_ids { (self.node(child.as_str(), depth + 1)) } } }
            }
        }
    }

    fn address(&self, node: &ChapterNode) -> Address {
        let block = node.content_block_ids.first().map(AsRef::<str>::as_ref);
        self.options.keep(Address::page(self.reg_id, node.page_num).with_some("b", block))
    }
}

fn text(l: Language, view: &Reader<'_>, page: &PageDocument) -> Markup {
    let reg_id = view.parts.info.reg_id.as_str();
    let on_page: Vec<&Reference> =
        view.parts.references.references.iter().filter(|r| r.page_num == page.page_num).collect();
    html! {
        article.page-text data-page=(page.page_num) {
            h2.page-name {
                (l.fill(w::PAGE_N, &[&page.page_num]))
                @if let Some(label) = page.page_label.as_ref().filter(|label| **label != page.page_num.to_string()) { span.label { " · " (l.fill(w::PRINTED_LABEL, &[label])) } }
            }
            @if page.continues_from_prev { p.goes-on { "↑ " (l.say(w::CONTINUES_FROM)) } }
            @for block in &page.content_blocks {
                (self::block(l, view, reg_id, block, &on_page, page))
            }
            @if page.continues_to_next { p.goes-on { "↓ " (l.say(w::CONTINUES_TO)) } }
            @if !page.annotations.is_empty() {
                section.notes { h3 { (l.say(w::NOTES)) }
                    dl { @for note in &page.annotations {
                        dt id=(format!("note-{}", note.annotation_id)) { (note.printed_label.as_deref().unwrap_or(&note.annotation_id)) }
                        dd { (note.content) }
                    } }
                }
            }
        }
    }
}

fn block(
    l: Language,
    view: &Reader<'_>,
    reg_id: &str,
    block: &ContentBlock,
    on_page: &[&Reference],
    page: &PageDocument,
) -> Markup {
    let references: Vec<&Reference> =
        on_page.iter().copied().filter(|reference| reference.block_id == block.block_id).collect();
    let table = block.table_meta.as_ref().and_then(|meta| view.parts.tables.get(meta.table_id.as_str()));
    let id = block.block_id.as_str();
    let is_marked = view.marked_block.as_deref() == Some(id);
    let link = Address::page(reg_id, page.page_num).with("b", id);
    html! {
        div.block.is-marked[is_marked] id=(format!("b-{id}")) data-block=(id) tabindex="-1" data-row=[is_marked.then_some(view.marked_row.as_deref()).flatten()] {
            (blocks::content(block, Place { lang: l, reg_id, references: &references, table, marked_row: view.marked_row.as_deref() }))
            div.block-tools {
                a.permalink href=(link) title=(l.say(w::PERMALINK)) aria-label=(format!("{} {id}", l.say(w::PERMALINK))) { "¶" }
                button type="button" data-copy=(citation(view, Some((block, page)))) hidden { (l.say(w::COPY_CITATION)) }
            }
        }
    }
}

/// The citation of a block, or of the page.
fn citation(view: &Reader<'_>, place: Option<(&ContentBlock, &PageDocument)>) -> String {
    let info = &view.parts.info;
    let target = place.and_then(|(block, _)| {
        let table = block.table_meta.as_ref().and_then(|meta| view.parts.tables.get(meta.table_id.as_str()));
        let table = table.and_then(|table| table.number.clone()).map(CitationTarget::Table);
        table.or_else(|| block.section_number.as_ref().map(|n| CitationTarget::Clause(n.as_str().to_owned())))
    });
    let page = place.map_or(view.page.page_num, |(_, page)| page.page_num);
    Citation::of(info, Some(page), target).to_string()
}

/// What a reference or note leads to, to be shown beside the text.
pub struct Peek<'a> {
    pub title: &'a str,
    /// Markdown of the target: text, or a pipe table.
    pub preview: &'a str,
    pub citation: &'a str,
    pub address: Address,
}

/// A peek, as a piece of a page or as a page of its own.
pub fn peek(ctx: &Ctx, peek: &Peek<'_>) -> Markup {
    html! {
        h2 { (peek.title) }
        (preview(peek.preview))
        @if !peek.citation.is_empty() { p.cite { (peek.citation) } }
        p { a.button href=(peek.address) { (ctx.lang.say(w::OPEN_PAGE)) } }
    }
}

/// Markdown of our own making: paragraphs and pipe tables.
pub fn preview(markdown: &str) -> Markup {
    html! {
        @for part in markdown.split("\n\n").filter(|part| !part.trim().is_empty()) {
            @if part.trim_start().starts_with('|') { (pipe_table(part)) } @else { p { (blocks::lines(part.trim(), |line| html! { (blocks::plain_text(line)) })) } }
        }
    }
}

/// A pipe table as a table. Rows of other lengths stay as they are.
pub fn pipe_table(markdown: &str) -> Markup {
    let rows: Vec<Vec<&str>> = markdown
        .lines()
        .map(|line| {
            line.trim().trim_start_matches('|').trim_end_matches('|').split('|').map(str::trim).collect()
        })
        .collect();
    let is_rule = |row: &[&str]| {
        row.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':')))
    };
    let head = rows.get(1).filter(|row| is_rule(row)).and_then(|_| rows.first());
    let body = rows.iter().skip(if head.is_some() { 2 } else { 0 });
    let cell = |text: &str| html! { @for (nth, line) in text.split("<br>").enumerate() { @if nth > 0 { br; } (line) } };
    html! {
        div.scroll tabindex="0" { table.grid {
            @if let Some(head) = head { thead { tr { @for text in head { th scope="col" { (cell(text)) } } } } }
            tbody { @for row in body { tr { @for text in row { td { (cell(text)) } } } } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strip_shows_both_ends_and_the_neighbours() {
        let pages = |current, total| -> Vec<u32> {
            strip(current, total).iter().map(|(page, _)| page.get()).collect()
        };
        assert_eq!(pages(50, 100), [1, 47, 48, 49, 50, 51, 52, 53, 100]);
        assert_eq!(pages(1, 3), [1, 2, 3]);
        assert_eq!(strip(50, 100).iter().filter(|(_, gap)| *gap).count(), 2);
    }

    #[test]
    fn pipe_tables_become_tables_and_stay_text_inside() {
        let html = pipe_table("| a | b |\n| --- | --- |\n| <i> | 1<br>2 |").into_string();
        assert!(html.contains("<th scope=\"col\">a</th>") && html.contains("<td>&lt;i&gt;</td>"), "{html}");
        assert!(html.contains("1<br>2"));
        assert!(preview("# 标题\n\n正文").into_string().contains("<p>标题</p><p>正文</p>"));
    }
}
