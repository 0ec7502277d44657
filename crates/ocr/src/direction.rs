//! Whether a page stands on its head.

use std::sync::Arc;

use regreader_parse::recognize::Picture;
use rten::ThreadPool;

use crate::EngineError;
use crate::crop::planes;
use crate::geometry::Patch;
use crate::runtime::Net;

const HEIGHT: usize = 48;
const WIDTH: usize = 192;
/// A line's word counts when it is this sure.
const SURE: f32 = 0.9;
/// So many lines are asked; a page is turned as a whole.
const ASKED: usize = 9;

/// Tells the direction of lines.
pub struct Direction {
    net: Net,
}

impl Direction {
    /// A direction finder from its network.
    pub fn new(net: Net) -> Self {
        Self { net }
    }

    /// Whether most of the longest lines stand on their heads.
    pub fn upside_down(
        &self,
        picture: &Picture,
        patches: &[Patch],
        pool: &Arc<ThreadPool>,
    ) -> Result<bool, EngineError> {
        let mut longest: Vec<&Patch> = patches.iter().collect();
        longest.sort_by(|a, b| b.width().total_cmp(&a.width()));
        longest.truncate(ASKED);
        let mut turned = 0;
        for patch in &longest {
            // The start of a line is enough, and keeps its letters in proportion.
            let shown = (patch.height() * WIDTH as f32 / HEIGHT as f32).min(patch.width());
            let share = shown / patch.width().max(1.0);
            let start = Patch { right: patch.right.map(|side| side * share), ..**patch };
            let filled = ((HEIGHT as f32 * shown / patch.height().max(1.0)).ceil() as usize).clamp(1, WIDTH);
            let output = self.net.run(HEIGHT, WIDTH, planes(picture, &start, HEIGHT, WIDTH, filled), pool)?;
            let [upright, reversed] = output.data[..] else {
                return Err(EngineError::new("direction", "it does not give two numbers"));
            };
            turned += usize::from(reversed > upright && reversed >= SURE);
        }
        Ok(longest.len() >= 3 && turned * 3 >= longest.len() * 2)
    }
}
