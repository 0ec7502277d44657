//! Everything that concerns a device, a line, a section or a term, over all regulations.

use maud::{Markup, html};
use regreader_messages::{Language, web as w};
use regreader_tools::Reason;

use super::layout::{Screen, frame};
use crate::address::Address;
use crate::app::Ctx;

/// What is asked about.
#[derive(Debug, Clone, Default)]
pub struct ImpactQuery {
    pub entity: String,
    pub depth: u32,
    pub as_of: String,
    pub cursor: String,
}

impl ImpactQuery {
    /// The address of another part of the list.
    pub fn address(&self, cursor: &str) -> Address {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Address::new("/impact")
            .with("q", &self.entity)
            .with("depth", self.depth.to_string())
            .with_some("as_of", some(&self.as_of))
            .with_some("cursor", some(cursor))
    }
}

/// One place that concerns it.
pub struct MentionView {
    pub reg_id: String,
    pub text: String,
    pub citation: String,
    pub reason: Reason,
    pub via: Option<String>,
    pub depth: u64,
    pub address: Address,
    pub sheet: Address,
}

/// The places of one part of the list.
#[derive(Default)]
pub struct ImpactView {
    pub mentions: Vec<MentionView>,
    /// Regulation: id, title, places.
    pub regulations: Vec<(String, String, u64)>,
    pub total: u64,
    pub complete: bool,
    /// Pages that could not be read: regulation and pages.
    pub unreadable: Vec<(String, String)>,
    pub next: Option<String>,
    pub beside: Option<Markup>,
}

/// The screen.
pub fn page(ctx: &Ctx, query: &ImpactQuery, view: Option<&ImpactView>) -> Markup {
    let l = ctx.lang;
    let screen = Screen {
        title: l.say(w::IMPACT),
        section: "/impact",
        class: "impact",
        scripts: &["search.js"],
        ..Screen::default()
    };
    frame(
        ctx,
        &screen,
        &html! {
            h1 { (l.say(w::IMPACT)) }
            form.filters action="/impact" method="get" {
                label.wide { span { (l.say(w::ENTITY)) } input type="search" name="q" value=(query.entity) required maxlength="200" placeholder=(l.say(w::ENTITY_HINT)); }
                label { span { (l.say(w::DEPTH)) } select name="depth" { @for depth in 0..=4_u32 { option value=(depth) selected[depth == query.depth] { (depth) } } } }
                label { span { (l.say(w::AS_OF)) } input type="date" name="as_of" value=(query.as_of); }
                button.primary type="submit" { (l.say(w::SEARCH)) }
            }
            @if let Some(view) = view {
                div.split {
                    section.hits aria-label=(l.fill(w::MENTIONS_N, &[&view.total])) { (list(l, query, view)) }
                    section.beside #beside aria-label=(l.say(w::PREVIEW)) tabindex="0" { @if let Some(beside) = &view.beside { (beside) } }
                }
            }
        },
    )
}

fn list(l: Language, query: &ImpactQuery, view: &ImpactView) -> Markup {
    html! {
        p.count role="status" {
            @if view.total == 0 { (l.say(w::NO_MENTIONS)) } @else { (l.fill(w::MENTIONS_N, &[&view.total])) }
            " · "
            @if view.complete && view.unreadable.is_empty() { span.good-news { "✓ " (l.say(w::COMPLETE)) } } @else { span.warning { (l.say(w::INCOMPLETE)) } }
        }
        @if !view.unreadable.is_empty() {
            ul.remark { @for (reg_id, pages) in &view.unreadable { li { (reg_id) " P" (pages) } } }
        }
        @for (reg_id, title, count) in &view.regulations {
            @let own: Vec<&MentionView> = view.mentions.iter().filter(|mention| mention.reg_id == *reg_id).collect();
            @if !own.is_empty() {
                section.group { h2 { (title) " " span.chip { (count) } }
                    ol { @for mention in own { (self::mention(l, mention)) } }
                }
            }
        }
        @if let Some(next) = &view.next { p { a.button href=(query.address(next)) { (l.say(w::MORE)) } } }
    }
}

fn mention(l: Language, mention: &MentionView) -> Markup {
    html! {
        li.hit data-sheet=(mention.sheet) {
            p.where {
                a.open href=(mention.address) data-select { (mention.citation) }
                span.chip { (reason(l, mention.reason)) }
                @if mention.depth > 0 { span.chip { "+" (mention.depth) } }
                @if let Some(via) = &mention.via { span.path { (via) } }
            }
            p.snippet { (mention.text) }
        }
    }
}

/// Why a place is listed.
fn reason(l: Language, reason: Reason) -> &'static str {
    l.say(match reason {
        Reason::Named => w::REASON_NAMED,
        Reason::Heading => w::REASON_HEADING,
        Reason::Caption => w::REASON_CAPTION,
        Reason::RowKey => w::REASON_ROW,
        Reason::ColumnHeader => w::REASON_COLUMN,
        Reason::Cell => w::REASON_CELL,
        Reason::Note => w::REASON_NOTE,
        Reason::NoteOfTable => w::REASON_NOTE_OF_TABLE,
        Reason::RefersTo => w::REASON_REFERS,
    })
}
