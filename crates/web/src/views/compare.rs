//! What changed between two editions: limits first, each change with both pages.

use maud::{Markup, html};
use regreader_messages::{Language, Word, web as w};
use regreader_model::PageNumber;

use super::layout::{Screen, frame};
use crate::address::Address;
use crate::app::Ctx;
use crate::backend::RegulationCard;

/// A comparison, as asked for.
#[derive(Debug, Clone, Default)]
pub struct CompareQuery {
    pub old: String,
    pub new: String,
    pub kind: String,
    pub chapter: String,
    pub entity: String,
    /// Names and chapters that somebody watches, one a line.
    pub watch: String,
    pub cursor: String,
}

impl CompareQuery {
    /// The address of this comparison, with another kind or another part of the list.
    pub fn address(&self, kind: &str, cursor: &str) -> Address {
        self.at("/compare", kind, cursor)
    }

    /// The same changes as a document.
    fn document(&self, file: &str) -> Address {
        self.at(&format!("/compare/{file}"), &self.kind, "")
    }

    fn at(&self, path: &str, kind: &str, cursor: &str) -> Address {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Address::new(path)
            .with("old", &self.old)
            .with("new", &self.new)
            .with_some("kind", some(kind))
            .with_some("chapter", some(&self.chapter))
            .with_some("entity", some(&self.entity))
            .with_some("watch", some(&self.watch))
            .with_some("cursor", some(cursor))
    }
}

/// One side of a change: words for the place, and where it opens.
pub struct Side {
    pub words: String,
    pub page: PageNumber,
    pub address: Address,
    /// The marked place as a piece of a page.
    pub excerpt: Address,
}

/// One change.
pub struct ChangeView {
    pub kind: String,
    pub old: Option<Side>,
    pub new: Option<Side>,
    /// Marked with `[-…-]` and `{+…+}`; else the texts stand for themselves.
    pub words: Option<String>,
    pub old_text: Option<String>,
    pub new_text: Option<String>,
    /// Old value, new value, unit, difference.
    pub quantities: Vec<[String; 4]>,
    /// A place that may be the other side, where nothing could be paired.
    pub possibly: Option<Side>,
}

/// The changes of one part of the list.
#[derive(Default)]
pub struct ChangesView {
    pub changes: Vec<ChangeView>,
    pub counts: Vec<(String, u64)>,
    pub total: u64,
    pub next: Option<String>,
    pub beside: Option<Markup>,
}

/// The name of a kind of change.
pub fn kind_name(l: Language, kind: &str) -> &str {
    let word: Word = match kind {
        "limit" => w::CHANGE_LIMIT,
        "text" => w::CHANGE_TEXT,
        "added" => w::CHANGE_ADDED,
        "deleted" => w::CHANGE_DELETED,
        "renumbered" => w::CHANGE_RENUMBERED,
        "moved" => w::CHANGE_MOVED,
        "split" => w::CHANGE_SPLIT,
        "merged" => w::CHANGE_MERGED,
        "note" => w::CHANGE_NOTE,
        "format" => w::CHANGE_FORMAT,
        _ => return kind,
    };
    l.say(word)
}

/// The screen.
pub fn page(ctx: &Ctx, query: &CompareQuery, cards: &[RegulationCard], view: Option<&ChangesView>) -> Markup {
    let l = ctx.lang;
    let screen = Screen {
        title: l.say(w::COMPARE),
        section: "/compare",
        class: "compare",
        scripts: &["search.js", "compare.js"],
        ..Screen::default()
    };
    frame(
        ctx,
        &screen,
        &html! {
            h1 { (l.say(w::COMPARE)) }
            form.filters action="/compare" method="get" {
                (edition(l, w::FROM, "old", &query.old, cards))
                (edition(l, w::TO, "new", &query.new, cards))
                label { span { (l.say(w::CHAPTER)) } input type="text" name="chapter" value=(query.chapter) maxlength="100"; }
                label { span { (l.say(w::ENTITY)) } input type="text" name="entity" value=(query.entity) maxlength="200"; }
                button.primary type="submit" { (l.say(w::SHOW_CHANGES)) }
                details.watch open[!query.watch.is_empty()] {
                    summary { (l.say(w::WATCH)) }
                    p.hint #watch-hint { (l.say(w::WATCH_HINT)) }
                    textarea #watch name="watch" rows="3" maxlength="4000" aria-label=(l.say(w::WATCH)) aria-describedby="watch-hint" { (query.watch) }
                }
            }
            @if let Some(view) = view {
                div.split {
                    section.hits aria-label=(l.fill(w::CHANGES_N, &[&view.total])) { (list(l, query, view)) }
                    section.beside #beside aria-label=(l.say(w::PREVIEW)) tabindex="0" { @if let Some(beside) = &view.beside { (beside) } }
                }
            }
        },
    )
}

fn edition(l: Language, word: Word, name: &str, chosen: &str, cards: &[RegulationCard]) -> Markup {
    html! {
        label { span { (l.say(word)) }
            select name=(name) required {
                option value="" { "—" }
                @for card in cards {
                    @let id = card.info.reg_id.as_str();
                    option value=(id) selected[id == chosen] { (card.info.short_name()) @if let Some(edition) = &card.info.edition { " · " (edition) } }
                }
            }
        }
    }
}

fn list(l: Language, query: &CompareQuery, view: &ChangesView) -> Markup {
    html! {
        p.count role="status" { @if view.total == 0 { (l.say(w::NO_CHANGES)) } @else { (l.fill(w::CHANGES_N, &[&view.total])) } }
        nav.chips aria-label=(l.say(w::KIND)) {
            a.chip href=(query.address("", "")) aria-current=[query.kind.is_empty().then_some("true")] { (l.say(w::ANY)) }
            @for (kind, count) in &view.counts {
                a.chip href=(query.address(kind, "")) aria-current=[(query.kind == *kind).then_some("true")] { (kind_name(l, kind)) " " (count) }
            }
        }
        @if view.total > 0 {
            p.documents { (l.say(w::EXPORT)) ":"
                @for (file, word) in [("changes.docx", w::CHANGES_DOCX), ("changes.xlsx", w::CHANGES_XLSX), ("changes.html", w::CHANGES_HTML)] {
                    " " a href=(query.document(file)) { (l.say(word)) }
                }
            }
        }
        ol { @for change in &view.changes { (self::change(l, change)) } }
        @if let Some(next) = &view.next { p { a.button href=(query.address(&query.kind, next)) { (l.say(w::MORE)) } } }
    }
}

fn change(l: Language, change: &ChangeView) -> Markup {
    let sheet = |side: &Option<Side>| side.as_ref().map(|side| side.excerpt.clone());
    let (first, second) = match (&change.old, &change.new) {
        (Some(_), Some(_)) => (sheet(&change.old), sheet(&change.new)),
        _ => (sheet(&change.new).or_else(|| sheet(&change.old)), None),
    };
    html! {
        li.hit.change data-sheet=[first] data-sheet-second=[second] {
            p.where {
                span.chip { (kind_name(l, &change.kind)) }
                @match (&change.old, &change.new) {
                    // The same words twice say nothing: the place once, then both pages.
                    (Some(old), Some(new)) if old.words == new.words => {
                        span { (new.words) }
                        a href=(old.address) { (l.say(w::FROM)) " P" (old.page) }
                        span aria-hidden="true" { "→" }
                        a.open href=(new.address) { (l.say(w::TO)) " P" (new.page) }
                    },
                    (old, new) => {
                        @if let Some(old) = old { a.open[new.is_none()] href=(old.address) { (old.words) " P" (old.page) } }
                        @if old.is_some() && new.is_some() { span aria-hidden="true" { "→" } }
                        @if let Some(new) = new { a.open href=(new.address) { (new.words) " P" (new.page) } }
                    }
                }
                button.plain type="button" data-select hidden { (l.say(w::PREVIEW)) }
            }
            @for [old, new, unit, difference] in &change.quantities {
                p.quantity { del { (old) } " → " ins { (new) } " " (unit) @if !difference.is_empty() { " (" (signed(difference)) ")" } }
            }
            @match &change.words {
                Some(words) => p { (marked_words(words)) },
                None => {
                    @if let Some(old) = &change.old_text { p { del { (old) } } }
                    @if let Some(new) = &change.new_text { p { ins { (new) } } }
                }
            }
            @if let Some(side) = &change.possibly { p.remark { (l.say(w::POSSIBLY)) " " a href=(side.address) { (side.words) " P" (side.page) } } }
        }
    }
}

/// A difference with its sign: `−25`, `+5`.
fn signed(difference: &str) -> String {
    match difference.strip_prefix('-') {
        Some(size) => format!("−{size}"),
        None if difference.starts_with('+') => difference.to_owned(),
        None => format!("+{difference}"),
    }
}

/// Words with what is gone struck out and what is new underlined: `[-old-]{+new+}`.
fn marked_words(words: &str) -> Markup {
    let mut parts: Vec<(&str, &str)> = Vec::new();
    let mut rest = words;
    while let Some(at) = rest.find(['[', '{']) {
        let (before, from) = rest.split_at(at);
        let (open, close, kind) =
            if from.starts_with("[-") { ("[-", "-]", "del") } else { ("{+", "+}", "ins") };
        let inside = from.strip_prefix(open).and_then(|from| from.find(close).map(|end| from.split_at(end)));
        match inside {
            Some((inside, after)) => {
                parts.push((before, ""));
                parts.push((inside, kind));
                rest = after.get(close.len()..).unwrap_or_default();
            }
            // A bracket of the text itself.
            None => {
                let next = at + rest[at..].chars().next().map_or(1, char::len_utf8);
                parts.push((&rest[..next], ""));
                rest = &rest[next..];
            }
        }
    }
    parts.push((rest, ""));
    html! {
        @for (text, kind) in parts {
            @match kind { "del" => del { (text) }, "ins" => ins { (text) }, _ => (text) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_words_are_struck_and_underlined_and_stay_text() {
        let html = marked_words("限额 [-545-]{+520+} 万千瓦 [注] {x} <b>").into_string();
        assert_eq!(html, "限额 <del>545</del><ins>520</ins> 万千瓦 [注] {x} &lt;b&gt;");
        assert_eq!((signed("-25"), signed("5"), signed("+5")), ("−25".into(), "+5".into(), "+5".into()));
    }
}
