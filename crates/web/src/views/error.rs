//! A failure as a page: what happened, what to do, a way back.

use maud::{Markup, html};
use regreader_messages::web as w;

use super::layout::{Screen, frame};
use crate::app::Ctx;
use crate::backend::{Failure, FailureKind};

/// The page of a failure.
pub fn page(ctx: &Ctx, failure: &Failure) -> Markup {
    let l = ctx.lang;
    let title = l.say(match failure.kind {
        FailureKind::NotFound | FailureKind::NotDrawable => w::NOT_FOUND,
        FailureKind::Invalid => w::INVALID,
        FailureKind::Busy => w::BUSY,
        FailureKind::Broken => w::BROKEN,
    });
    let screen = Screen { title, class: "narrow", ..Screen::default() };
    frame(
        ctx,
        &screen,
        &html! {
            h1 { (title) }
            @if failure.message != title { p.message { (failure.message) } }
            @if let Some(hint) = &failure.hint { p.hint { (hint) } }
            p { a.button href="/" { (l.say(w::BACK_TO_LIBRARY)) } }
        },
    )
}
