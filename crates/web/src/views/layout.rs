//! What every screen has around it.

use maud::{DOCTYPE, Markup, html};
use regreader_messages::{Language, Word, web as w};
use regreader_tools::Status;

use crate::address::Address;
use crate::app::Ctx;
use crate::assets;

/// A screen inside its frame.
#[derive(Default)]
pub struct Screen<'a> {
    pub title: &'a str,
    /// Which entry of the menu it belongs to: its address.
    pub section: &'a str,
    /// Class of the body.
    pub class: &'a str,
    /// Modules besides the common one.
    pub scripts: &'a [&'a str],
    /// What the search field of the header searches: nothing, or one regulation.
    pub searches: Option<&'a str>,
    /// Words in that field.
    pub query: &'a str,
}

/// The entries of the menu.
const MENU: [(&str, Word); 5] = [
    ("/", w::LIBRARY),
    ("/search", w::SEARCH),
    ("/ask", w::ASK),
    ("/compare", w::COMPARE),
    ("/impact", w::IMPACT),
];

/// Puts a screen into its frame.
pub fn frame(ctx: &Ctx, screen: &Screen<'_>, body: &Markup) -> Markup {
    let l = ctx.lang;
    html! {
        (DOCTYPE)
        html lang=(l.tag()) data-theme=[ctx.theme] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (screen.title) " · RegReader" }
                link rel="stylesheet" href=(assets::address("style.css"));
                link rel="icon" href=(assets::address("icon.svg")) type="image/svg+xml";
                script type="module" src=(assets::address("common.js")) {}
                @for script in screen.scripts {
                    script type="module" src=(assets::address(script)) {}
                }
            }
            body class=(screen.class) {
                a.skip href="#main" { (l.say(w::SKIP)) }
                header.top {
                    a.brand href="/" { span.brand-mark aria-hidden="true" { "规" } span.brand-name { "RegReader" } }
                    nav aria-label=(l.say(w::MENU)) {
                        @for (address, word) in MENU {
                            a href=(address) aria-current=[(screen.section == address).then_some("page")] { (l.say(word)) }
                        }
                    }
                    (search_field(l, screen))
                    (tools(ctx))
                }
                main #main tabindex="-1" { (body) }
                div #live.visually-hidden role="status" aria-live="polite" {}
                aside #peek hidden aria-label=(l.say(w::BESIDE)) {
                    button.close type="button" data-close="peek" { (l.say(w::CLOSE)) }
                    div.peek-body {}
                }
                (keys(l))
            }
        }
    }
}

fn search_field(l: Language, screen: &Screen<'_>) -> Markup {
    let hint = l.say(if screen.searches.is_some() { w::SEARCH_HERE } else { w::SEARCH_ALL });
    html! {
        form.top-search action="/search" method="get" role="search" {
            input #q type="search" name="q" value=(screen.query) placeholder=(hint) aria-label=(hint) maxlength="500" autocomplete="off";
            @if let Some(reg_id) = screen.searches {
                input type="hidden" name="reg" value=(reg_id);
            }
            button type="submit" { (l.say(w::SEARCH)) }
        }
    }
}

fn tools(ctx: &Ctx) -> Markup {
    let l = ctx.lang;
    let prefs = |name: &str, value: &str| Address::new("/prefs").with(name, value).with("to", &ctx.here);
    let (theme, theme_word) = if ctx.theme == Some("dark") { ("light", w::LIGHT) } else { ("dark", w::DARK) };
    html! {
        div.top-tools {
            a href=(prefs("lang", l.other().name())) lang=(l.other().tag()) { (l.say(w::OTHER_LANGUAGE)) }
            a href=(prefs("theme", theme)) { (l.say(theme_word)) }
            button #keys-button type="button" hidden { (l.say(w::KEYS)) }
            @if let Some(identity) = ctx.identity.as_ref().filter(|identity| identity.name != "local") {
                form action="/logout" method="post" {
                    button type="submit" title=(identity.name) { (l.say(w::SIGN_OUT)) }
                }
            }
        }
    }
}

fn keys(l: Language) -> Markup {
    let keys: [(&[&str], Word); 8] = [
        (&["/"], w::KEY_SEARCH),
        (&["←", "→"], w::KEY_PAGES),
        (&["j", "k"], w::KEY_BLOCKS),
        (&["c"], w::KEY_CONTENTS),
        (&["↑", "↓"], w::KEY_HITS),
        (&["Enter"], w::KEY_OPEN),
        (&["Esc"], w::KEY_CLOSE),
        (&["?"], w::KEY_HELP),
    ];
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { (l.say(w::KEYS)) }
            dl {
                @for (names, word) in keys {
                    div {
                        dt { @for name in names { kbd { (name) } " " } }
                        dd { (l.say(word)) }
                    }
                }
            }
            form method="dialog" { button { (l.say(w::CLOSE)) } }
        }
    }
}

/// The status of an edition as a chip: by word, not by colour alone.
pub fn status_chip(l: Language, status: Status) -> Markup {
    let (class, word) = match status {
        Status::InForce => ("in-force", w::IN_FORCE),
        Status::NotYetInForce => ("upcoming", w::UPCOMING),
        Status::PartlyReplaced => ("partly", w::PARTLY_REPLACED),
        Status::Ended => ("superseded", w::SUPERSEDED),
        Status::Unknown => ("unknown", w::UNKNOWN_STATUS),
    };
    html! { span class={ "chip status " (class) } { (l.say(word)) } }
}
