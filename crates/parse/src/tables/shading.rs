//! Tables drawn with coloured cells instead of rules.

use regreader_model::Rect;

use super::{Axis, Grid, Rule};

/// Distance at which two shaded boxes still touch: white lines are drawn between them.
const GAP: f32 = 4.0;
/// Boxes beyond which a page is a drawing.
const MAX_BOXES: usize = 1_500;

/// The edges of shaded boxes that stand side by side and on top of one another as cells do. Stripes behind whole rows
/// have no neighbours beside them and say nothing about columns.
///
/// Inside a table whose rules are drawn, shading is decoration, often of single lines, and says nothing either.
pub(crate) fn shaded_rules(fills: &[Rect], ruled: &[Grid]) -> Vec<Rule> {
    let inside = |fill: &Rect| ruled.iter().any(|grid| grid.rect.contains(fill.center_x(), fill.center_y()));
    let fills: Vec<Rect> = fills.iter().filter(|fill| !inside(fill)).copied().collect();
    if fills.is_empty() || fills.len() > MAX_BOXES {
        return Vec::new();
    }
    let near = |a: f32, b: f32| (a - b).abs() <= GAP;
    let touches = |a: f32, b: f32| (-1.0..=GAP).contains(&(b - a));
    let mut rules = Vec::new();
    for cell in &fills {
        let beside = fills.iter().any(|other| {
            near(other.y0, cell.y0)
                && near(other.y1, cell.y1)
                && (touches(cell.x1, other.x0) || touches(other.x1, cell.x0))
        });
        let stacked =
            fills.iter().any(|other| {
                near(other.x0, cell.x0)
                    && near(other.x1, cell.x1)
                    && (touches(cell.y1, other.y0) || touches(other.y1, cell.y0))
            }) || ruled.iter().any(|grid| touches(grid.rect.y1, cell.y0) || touches(cell.y1, grid.rect.y0));
        if beside && stacked {
            rules.push(Rule::new(Axis::Level, cell.y0, cell.x0, cell.x1, 0.0));
            rules.push(Rule::new(Axis::Level, cell.y1, cell.x0, cell.x1, 0.0));
            rules.push(Rule::new(Axis::Upright, cell.x0, cell.y0, cell.y1, 0.0));
            rules.push(Rule::new(Axis::Upright, cell.x1, cell.y0, cell.y1, 0.0));
        }
    }
    rules
}
