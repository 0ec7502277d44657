//! Search: hits by regulation, each with the marked place, and the page of the chosen hit beside the list.

use maud::{Markup, html};
use regreader_messages::{Language, web as w};
use regreader_model::{BlockType, PageNumber};
use regreader_tools::Status;

use super::layout::{Screen, frame, status_chip};
use crate::address::Address;
use crate::app::Ctx;
use crate::backend::RegulationCard;
use crate::blocks;
use crate::marks::Target;

/// What is searched for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    pub words: String,
    /// A regulation's id, `all`, or nothing to have them chosen.
    pub regulation: String,
    pub chapter: String,
    pub kind: String,
    /// `YYYY-MM-DD`
    pub as_of: String,
    /// Which hit is shown beside the list, from 0.
    pub selected: usize,
}

impl Query {
    /// The address of this search with another hit chosen.
    pub fn address(&self, selected: usize) -> Address {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Address::new("/search")
            .with("q", &self.words)
            .with_some("reg", some(&self.regulation))
            .with_some("chapter", some(&self.chapter))
            .with_some("kind", some(&self.kind))
            .with_some("as_of", some(&self.as_of))
            .with("sel", selected.to_string())
    }
}

/// One hit, with everything its line shows.
pub struct HitView {
    pub reg_id: String,
    pub page: PageNumber,
    /// What is marked there.
    pub target: Target,
    pub title: String,
    pub status: Status,
    pub chapter_path: Vec<String>,
    pub snippet: String,
    pub kind: String,
    pub section_number: Option<String>,
    /// The page, marked.
    pub address: Address,
    /// The same as a piece of a page.
    pub sheet: Address,
    /// Small picture of the place.
    pub cutting: Markup,
}

/// What was found.
#[derive(Default)]
pub struct Results {
    pub hits: Vec<HitView>,
    /// Editions that are not in force: what to say first, and their hits, numbered after the others.
    pub superseded: Vec<(String, Vec<HitView>)>,
    /// Why these regulations were chosen: id and reasons.
    pub chosen: Vec<(String, String)>,
    pub notices: Vec<String>,
    /// The page of the chosen hit.
    pub beside: Option<Markup>,
}

/// The screen.
pub fn page(ctx: &Ctx, query: &Query, cards: &[RegulationCard], results: Option<&Results>) -> Markup {
    let l = ctx.lang;
    let title = if query.words.is_empty() { l.say(w::SEARCH).to_owned() } else { query.words.clone() };
    let screen = Screen {
        title: &title,
        section: "/search",
        class: "search",
        scripts: &["search.js"],
        query: &query.words,
        ..Screen::default()
    };
    frame(
        ctx,
        &screen,
        &html! {
            h1.visually-hidden { (l.say(w::SEARCH)) }
            (form(l, query, cards))
            @if let Some(results) = results {
                div.split {
                    section.hits aria-label=(l.say(w::RESULTS)) { (hits(l, query, results)) }
                    section.beside #beside aria-label=(l.say(w::PREVIEW)) tabindex="0" {
                        @if let Some(beside) = &results.beside { (beside) }
                    }
                }
            }
        },
    )
}

fn form(l: Language, query: &Query, cards: &[RegulationCard]) -> Markup {
    let option = |value: &str, name: &str, chosen: &str| {
        html! { option value=(value) selected[value == chosen] { (name) } }
    };
    html! {
        form.filters action="/search" method="get" {
            label.wide { span { (l.say(w::QUERY)) } input type="search" name="q" value=(query.words) required maxlength="500"; }
            label { span { (l.say(w::REGULATION)) }
                select name="reg" {
                    (option("", l.say(w::AUTOMATIC), &query.regulation))
                    (option("all", l.say(w::ALL_REGULATIONS), &query.regulation))
                    @for card in cards { (option(card.info.reg_id.as_str(), card.info.short_name(), &query.regulation)) }
                }
            }
            label { span { (l.say(w::CHAPTER)) } input type="text" name="chapter" value=(query.chapter) maxlength="100"; }
            label { span { (l.say(w::KIND)) }
                select name="kind" {
                    (option("", l.say(w::ANY), &query.kind))
                    @for kind in BlockType::ALL { (option(kind.name(), blocks::kind_name(l, kind.name()), &query.kind)) }
                }
            }
            label { span { (l.say(w::AS_OF)) } input type="date" name="as_of" value=(query.as_of); }
            button.primary type="submit" { (l.say(w::SEARCH)) }
        }
    }
}

fn hits(l: Language, query: &Query, results: &Results) -> Markup {
    let in_force: Vec<(usize, &HitView)> = results.hits.iter().enumerate().collect();
    let mut first = results.hits.len();
    let old = results.superseded.iter().map(|(warning, hits)| {
        let numbered: Vec<(usize, &HitView)> = (first..).zip(hits).collect();
        first += hits.len();
        (warning, numbered)
    });
    let old: Vec<_> = old.collect();
    let total = first;
    html! {
        p.count role="status" {
            @if total == 0 { (l.say(w::NO_RESULTS)) } @else { (l.fill(w::RESULTS_N, &[&total])) }
        }
        @for notice in &results.notices { p.remark.warning { (notice) } }
        (groups(l, query, &in_force))
        @if !old.is_empty() {
            section.old-hits {
                h2.warning { (l.say(w::SUPERSEDED_HITS)) }
                @for (warning, hits) in &old { p.remark.warning { (warning) } (groups(l, query, hits)) }
            }
        }
        @if !results.chosen.is_empty() {
            details.chosen { summary { (l.say(w::CHOSEN_BECAUSE)) }
                dl { @for (reg_id, reasons) in &results.chosen { dt { (reg_id) } dd { (reasons) } } }
            }
        }
    }
}

/// Hits under the name of their regulation, in the order in which regulations first appear.
fn groups(l: Language, query: &Query, hits: &[(usize, &HitView)]) -> Markup {
    let mut order: Vec<&str> = Vec::new();
    for (_, hit) in hits {
        if !order.contains(&hit.reg_id.as_str()) {
            order.push(&hit.reg_id);
        }
    }
    html! {
        @for reg_id in order {
            @let group: Vec<_> = hits.iter().filter(|(_, hit)| hit.reg_id == reg_id).collect();
            section.group {
                @if let Some((_, first)) = group.first() { h2 { (first.title) " " (status_chip(l, first.status)) } }
                ol { @for (index, hit) in group { (self::hit(l, query, *index, hit)) } }
            }
        }
    }
}

fn hit(l: Language, query: &Query, index: usize, hit: &HitView) -> Markup {
    let is_selected = index == query.selected;
    html! {
        li.hit.selected[is_selected] data-index=(index) data-sheet=(hit.sheet) {
            p.where {
                a.open href=(hit.address) { "P" (hit.page) @if let Some(number) = &hit.section_number { " · " (number) } }
                span.path { (hit.chapter_path.join(" › ")) }
                span.chip { (blocks::kind_name(l, &hit.kind)) }
            }
            p.snippet { (blocks::snippet(&hit.snippet)) }
            a.cut href=(query.address(index)) aria-label=(l.say(w::PREVIEW)) data-select { (hit.cutting) }
        }
    }
}
