//! The library: regulations by series, with what needs attention first.

use std::collections::BTreeMap;

use maud::{Markup, html};
use regreader_messages::web as w;
use regreader_tools::Status;

use super::layout::{Screen, frame, status_chip};
use crate::address::Address;
use crate::app::Ctx;
use crate::backend::RegulationCard;

/// The list. `filter` holds words that a card must have.
pub fn page(ctx: &Ctx, cards: &[RegulationCard], filter: &str) -> Markup {
    let l = ctx.lang;
    let shown: Vec<&RegulationCard> = cards.iter().filter(|card| fits(card, filter)).collect();
    let screen =
        Screen { title: l.say(w::LIBRARY), section: "/", scripts: &["library.js"], ..Screen::default() };
    let attention: Vec<&RegulationCard> = cards.iter().filter(|card| needs_attention(card)).collect();
    frame(
        ctx,
        &screen,
        &html! {
            div.page-head {
                h1 { (l.say(w::LIBRARY)) }
                p.count #count { (l.fill(w::REGULATIONS_N, &[&shown.len()])) }
                form.filter action="/" method="get" {
                    input #filter type="search" name="filter" value=(filter) placeholder=(l.say(w::FILTER_LIBRARY)) aria-label=(l.say(w::FILTER_LIBRARY));
                    button type="submit" { (l.say(w::FILTER)) }
                }
            }
            @if ctx.may_edit() { (upload(ctx)) }
            @if !attention.is_empty() && filter.is_empty() {
                section.attention aria-labelledby="attention" {
                    h2 #attention { (l.say(w::NEEDS_ATTENTION)) }
                    ul {
                        @for card in attention.iter().take(20) {
                            li {
                                a href=(Address::quality(card.info.reg_id.as_str())) { (name(card)) }
                                @if card.needs_ocr > 0 { span.chip.warn { (l.fill(w::NEEDS_OCR_N, &[&card.needs_ocr])) } }
                                @if card.is_unindexed { span.chip.warn { (l.say(w::UNINDEXED)) } }
                                @if card.is_outdated { span.chip.warn { (l.say(w::OUTDATED)) } " " span.hint { (l.fill(w::OUTDATED_HINT, &[&card.info.source_file])) } }
                                @if let Some(problem) = &card.problem { span.chip.bad { (l.say(w::UNREADABLE)) } " " code { (problem) } }
                            }
                        }
                        @if attention.len() > 20 { li { (l.fill(w::MORE_N, &[&(attention.len() - 20)])) } }
                    }
                }
            }
            @if cards.is_empty() {
                p.empty { (l.say(w::EMPTY_LIBRARY)) " " (l.say(w::EMPTY_LIBRARY_HINT)) }
            } @else {
                div.series-list {
                    @for (_, editions) in by_series(&shown) {
                        section.series {
                            @for card in editions { (regulation(ctx, card)) }
                        }
                    }
                }
            }
        },
    )
}

/// Whether somebody should do something about it before relying on it.
fn needs_attention(card: &RegulationCard) -> bool {
    card.needs_ocr > 0 || card.problem.is_some() || card.is_outdated || card.is_unindexed
}

fn name(card: &RegulationCard) -> &str {
    if card.info.title.is_empty() { card.info.reg_id.as_str() } else { &card.info.title }
}

/// Series in order of their newest edition's title; editions newest first, those in force before the others.
fn by_series<'a>(cards: &[&'a RegulationCard]) -> Vec<(String, Vec<&'a RegulationCard>)> {
    let mut series: BTreeMap<String, Vec<&RegulationCard>> = BTreeMap::new();
    for card in cards {
        let key = card.info.series.clone().unwrap_or_else(|| card.info.reg_id.as_str().to_owned());
        series.entry(key).or_default().push(card);
    }
    for editions in series.values_mut() {
        editions.sort_by(|a, b| {
            let rank = |card: &RegulationCard| usize::from(card.standing.status == Status::Ended);
            rank(a)
                .cmp(&rank(b))
                .then_with(|| b.standing.effective.cmp(&a.standing.effective))
                .then_with(|| b.info.edition.cmp(&a.info.edition))
        });
    }
    series.into_iter().collect()
}

fn fits(card: &RegulationCard, filter: &str) -> bool {
    let hay = haystack(card);
    filter.split_whitespace().all(|word| hay.contains(&word.to_lowercase()))
}

/// What the filter looks at.
fn haystack(card: &RegulationCard) -> String {
    let info = &card.info;
    let mut text = format!("{} {} {}", info.title, info.reg_id, info.aliases.join(" "));
    for part in [&info.edition, &info.series, &info.description, &info.scope].into_iter().flatten() {
        text.push(' ');
        text.push_str(part);
    }
    for word in &info.keywords {
        text.push(' ');
        text.push_str(word);
    }
    text.to_lowercase()
}

fn regulation(ctx: &Ctx, card: &RegulationCard) -> Markup {
    let l = ctx.lang;
    let info = &card.info;
    let reg_id = info.reg_id.as_str();
    let first = Address::page(reg_id, regreader_model::PageNumber::FIRST);
    html! {
        article.card data-text=(haystack(card)) {
            h3 { a href=(first) { (name(card)) } }
            p.chips {
                (status_chip(l, card.standing.status))
                @if let Some(edition) = &info.edition { span.chip { (edition) } }
                span.chip { (l.fill(w::PAGES_N, &[&info.total_pages])) }
                @if card.needs_ocr > 0 { span.chip.warn { (l.fill(w::NEEDS_OCR_N, &[&card.needs_ocr])) } }
                @if let Some(_) = &card.problem { span.chip.bad { (l.say(w::UNREADABLE)) } }
                @if card.signed_off { span.chip.good { (l.say(w::SIGNED_OFF)) } }
            }
            (standing(ctx, card))
            @if let Some(description) = &info.description { p.description { (description) } }
            p.card-links {
                code { (reg_id) }
                a href=(format!("/r/{}/t", crate::address::encode(reg_id))) { (l.say(w::TABLES)) }
                a href=(Address::quality(reg_id)) {
                    (l.say(w::QUALITY))
                    @if card.findings > 0 { " · " (l.fill(w::FINDINGS_N, &[&card.findings])) }
                }
                @if ctx.may_edit() { a href=(Address::edit(reg_id)) { (l.say(w::EDIT)) } }
            }
        }
    }
}

/// The dates that decide whether it is in force, and what replaced it.
fn standing(ctx: &Ctx, card: &RegulationCard) -> Markup {
    let l = ctx.lang;
    let standing = &card.standing;
    html! {
        @if standing.effective.is_some() || standing.ended.is_some() || standing.replaced_by.is_some() {
            p.standing {
                @if let Some(date) = &standing.effective { span { (l.fill(w::EFFECTIVE_FROM, &[date])) } }
                @if let Some(date) = &standing.ended { span { (l.fill(w::ENDED_ON, &[date])) } }
                @if let Some(by) = &standing.replaced_by { span { (l.fill(w::REPLACED_BY, &[by])) } }
            }
        }
    }
}

fn upload(ctx: &Ctx) -> Markup {
    let l = ctx.lang;
    html! {
        details.upload {
            summary { (l.say(w::UPLOAD)) }
            div #drop {
                p { (l.say(w::UPLOAD_HINT)) }
                label.button { (l.say(w::CHOOSE_FILE)) input #file.visually-hidden type="file" accept=".pdf,.docx,.pptx,.xlsx,.html,.htm,.md,.txt,.png,.jpg,.jpeg,.tif,.tiff,.json"; }
                p #upload-state role="status" {}
                progress #upload-progress max="1" value="0" hidden {}
            }
            noscript { p { (l.say(w::UPLOAD_NEEDS_SCRIPT)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend as _;
    use crate::fake::Fake;

    #[test]
    fn the_filter_looks_at_names_words_and_editions() {
        let cards = Fake::default().regulations().unwrap();
        for (filter, fits_it) in
            [("安规", true), ("2024 安全", true), ("ANGUI", true), ("稳规", false), ("", true)]
        {
            assert_eq!(fits(&cards[0], filter), fits_it, "{filter}");
        }
    }
}
