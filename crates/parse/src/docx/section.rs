//! Sections: how they begin and what page they are set on.

use super::estimate::Room;
use crate::ooxml::Element;

/// Page set-up of a section. `breaks_page` says how the section itself begins, not how the next one does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Section {
    /// It begins on a new page.
    pub breaks_page: bool,
    /// Page size in points.
    pub size: Option<[f32; 2]>,
    /// What is left for text.
    pub room: Option<Room>,
}

/// Reads a `sectPr`.
pub(crate) fn read(properties: &Element) -> Section {
    let breaks_page = !matches!(properties.child_val("type"), Some("continuous" | "nextColumn"));
    let points = |element: &Element, name: &str| {
        element.attr(name).and_then(|v| v.parse::<f32>().ok()).map(|twips| twips / 20.0)
    };
    let size = properties
        .child("pgSz")
        .and_then(|size| Some([points(size, "w")?, points(size, "h")?]))
        .filter(|[w, h]| (36.0..=10_000.0).contains(w) && (36.0..=10_000.0).contains(h));
    let margins = properties.child("pgMar");
    let pitch = properties
        .child("docGrid")
        .filter(|grid| {
            grid.attr("type").is_some_and(|kind| kind.starts_with("lines") || kind == "snapToChars")
        })
        .and_then(|grid| points(grid, "linePitch"));
    let room = size.map(|[w, h]| {
        let margin = |name| margins.and_then(|m| points(m, name)).unwrap_or(72.0).abs();
        Room {
            width: (w - margin("left") - margin("right")).max(w * 0.2),
            height: (h - margin("top") - margin("bottom")).max(h * 0.2),
            pitch,
        }
    });
    Section { breaks_page, size, room }
}
