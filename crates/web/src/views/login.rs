//! Where a token is exchanged for a session.

use maud::{Markup, html};
use regreader_messages::web as w;

use super::layout::{Screen, frame};
use crate::app::Ctx;

/// The form. `to` is where to go afterwards.
pub fn page(ctx: &Ctx, to: &str, was_wrong: bool) -> Markup {
    let l = ctx.lang;
    let screen = Screen { title: l.say(w::SIGN_IN), class: "narrow", ..Screen::default() };
    frame(
        ctx,
        &screen,
        &html! {
            h1 { (l.say(w::SIGN_IN)) }
            @if was_wrong { p.warning role="alert" { (l.say(w::TOKEN_WRONG)) } }
            form.stacked action="/login" method="post" {
                input type="hidden" name="to" value=(to);
                label { (l.say(w::TOKEN)) input type="password" name="token" required autocomplete="current-password" autofocus; }
                p.hint { (l.say(w::TOKEN_HINT)) }
                button.primary type="submit" { (l.say(w::SIGN_IN)) }
            }
        },
    )
}
