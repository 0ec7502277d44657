//! What editors may change about a regulation: its names, subject words, edition, and the events of its life.

use maud::{Markup, html};
use regreader_messages::{Language, Word, web as w};
use regreader_model::{EditionEvent, EventEvidence, EventKind, PageNumber};

use super::layout::{Screen, frame, status_chip};
use crate::address::Address;
use crate::app::Ctx;
use crate::backend::{RegulationCard, RegulationParts};

/// The screen. `cards` are the editions that this one may replace.
pub fn page(ctx: &Ctx, parts: &RegulationParts, cards: &[RegulationCard], is_saved: bool) -> Markup {
    let l = ctx.lang;
    let info = &parts.info;
    let reg_id = info.reg_id.as_str();
    let title = format!("{} · {}", l.say(w::EDIT), info.short_name());
    let screen = Screen { title: &title, section: "/", searches: Some(reg_id), ..Screen::default() };
    let text = |name: &str, word: Word, value: &str, length: u32| {
        html! { label { span { (l.say(word)) } input type="text" name=(name) value=(value) maxlength=(length); } }
    };
    let area = |name: &str, word: Word, value: &str, rows: u32| {
        html! { label { span { (l.say(word)) } textarea name=(name) rows=(rows) maxlength="4000" { (value) } } }
    };
    let optional = |value: &Option<String>| value.clone().unwrap_or_default();
    let replaced = info.supersedes.as_ref().map(|id| id.as_str().to_owned()).unwrap_or_default();
    frame(
        ctx,
        &screen,
        &html! {
            p.crumbs { a href=(Address::page(reg_id, PageNumber::FIRST)) { (info.title) } " " (status_chip(l, parts.status)) }
            h1 { (l.say(w::EDIT)) }
            @if is_saved { p.good-news role="status" { "✓ " (l.say(w::EDIT_SAVED)) } }
            div.split {
                form.stacked.wide action=(Address::edit(reg_id)) method="post" {
                    (text("title", w::EDIT_TITLE, &info.title, 300))
                    (area("aliases", w::EDIT_ALIASES, &info.aliases.join("\n"), 3))
                    (text("edition", w::EDIT_EDITION, &optional(&info.edition), 100))
                    (text("series", w::EDIT_SERIES, &optional(&info.series), 100))
                    label { span { (l.say(w::EDIT_SUPERSEDES)) }
                        select name="supersedes" {
                            option value="" { "—" }
                            @for card in cards.iter().filter(|card| card.info.reg_id != info.reg_id) {
                                @let id = card.info.reg_id.as_str();
                                option value=(id) selected[id == replaced] { (card.info.short_name()) }
                            }
                            @if !replaced.is_empty() && cards.iter().all(|card| card.info.reg_id.as_str() != replaced) {
                                option value=(replaced) selected { (replaced) }
                            }
                        }
                    }
                    (area("description", w::EDIT_DESCRIPTION, &optional(&info.description), 3))
                    (area("scope", w::EDIT_SCOPE, &optional(&info.scope), 3))
                    (area("keywords", w::EDIT_KEYWORDS, &info.keywords.join("\n"), 4))
                    button.primary type="submit" { (l.say(w::SAVE)) }
                }
                (events(l, reg_id, &info.events))
            }
        },
    )
}

fn events(l: Language, reg_id: &str, events: &[EditionEvent]) -> Markup {
    let recorded: Vec<EventKind> = EventKind::ALL
        .into_iter()
        .filter(|kind| {
            events
                .iter()
                .any(|event| event.kind == *kind && matches!(event.evidence, EventEvidence::Person { .. }))
        })
        .collect();
    html! {
        section aria-label=(l.say(w::EVENTS)) {
            h2 { (l.say(w::EVENTS)) }
            ul.events { @for event in events { li { (self::event(l, reg_id, event)) } } }
            form.stacked.wide action=(Address::edit(reg_id)) method="post" {
                input type="hidden" name="only" value="event";
                h3 { (l.say(w::EVENT_ADD)) }
                label { span { (l.say(w::EVENT_KIND)) }
                    select name="event_kind" { @for kind in EventKind::ALL { option value=(kind.name()) selected[kind == EventKind::Effective] { (l.say(kind_word(kind))) } } }
                }
                label { span { (l.say(w::EVENT_DATE)) } input type="date" name="event_date"; }
                label { span { (l.say(w::EVENT_BY)) } input type="text" name="event_by" maxlength="200"; }
                label { span { (l.say(w::EVENT_NOTE)) } input type="text" name="event_note" maxlength="300" required; }
                button type="submit" { (l.say(w::EVENT_ADD)) }
            }
            @for kind in recorded {
                form action=(Address::edit(reg_id)) method="post" {
                    input type="hidden" name="only" value="event";
                    input type="hidden" name="forget" value=(kind.name());
                    button type="submit" { (l.say(w::EVENT_FORGET)) ": " (l.say(kind_word(kind))) }
                }
            }
        }
    }
}

fn event(l: Language, reg_id: &str, event: &EditionEvent) -> Markup {
    html! {
        span.chip { (l.say(kind_word(event.kind))) } " "
        @if let Some(date) = &event.date { time { (date) } " " }
        @for part in [&event.subject, &event.scope, &event.by].into_iter().flatten() { (part) " " }
        span.hint { @match &event.evidence {
            EventEvidence::Page { page_num, text } => a href=(Address::page(reg_id, *page_num).with("q", text)) { (l.fill(w::EVENT_FROM_PAGE, &[page_num, text])) },
            EventEvidence::Person { note } => (l.fill(w::EVENT_BY_HAND, &[&event.recorded_at, note])),
            EventEvidence::Metadata => {},
        } }
    }
}

fn kind_word(kind: EventKind) -> Word {
    match kind {
        EventKind::Adopted => w::EVENT_ADOPTED,
        EventKind::Published => w::EVENT_PUBLISHED,
        EventKind::Effective => w::EVENT_EFFECTIVE,
        EventKind::Amended => w::EVENT_AMENDED,
        EventKind::Replaced => w::EVENT_REPLACED,
        EventKind::PartlyReplaced => w::EVENT_PARTLY,
        EventKind::Abolished => w::EVENT_ABOLISHED,
    }
}
