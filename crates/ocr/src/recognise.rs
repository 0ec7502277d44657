//! What a line says.

use std::sync::Arc;

use regreader_parse::recognize::Picture;
use rten::ThreadPool;

use crate::EngineError;
use crate::characters::Characters;
use crate::crop::planes;
use crate::ctc::{Decoded, decode};
use crate::geometry::Patch;
use crate::runtime::Net;

/// Height of the strips that the network reads.
const HEIGHT: usize = 48;
/// Narrower strips are filled up to this width, as the network was trained.
const MIN_WIDTH: usize = 160;
/// Longer strips are squeezed: more than a hundred characters in a row.
const MAX_WIDTH: usize = 4096;

/// Reads lines.
pub struct Reader {
    net: Net,
    characters: Characters,
}

impl Reader {
    /// A reader from its network and the characters that it knows.
    pub fn new(net: Net, characters: Characters) -> Self {
        Self { net, characters }
    }

    /// Reads the line in a part of a picture.
    pub fn read(
        &self,
        picture: &Picture,
        patch: &Patch,
        pool: &Arc<ThreadPool>,
    ) -> Result<Decoded, EngineError> {
        let ratio = patch.width() / patch.height().max(1.0);
        let filled = ((HEIGHT as f32 * ratio).ceil() as usize).clamp(1, MAX_WIDTH);
        let width = filled.max(MIN_WIDTH);
        let output = self.net.run(HEIGHT, width, planes(picture, patch, HEIGHT, width, filled), pool)?;
        let classes = self.characters.classes();
        match output.shape[..] {
            [1, _, found] if found == classes => {}
            ref shape => {
                let reason = format!("it gives {shape:?}, and its list has {classes} classes");
                return Err(EngineError::new("recognition", reason));
            }
        }
        let mut decoded = decode(&output.data, classes, &self.characters);
        // Places count from the strip's start; the strip may be wider than the line.
        let stretch = width as f32 / filled as f32;
        for place in &mut decoded.places {
            *place = (*place * stretch).min(1.0);
        }
        Ok(decoded)
    }
}
