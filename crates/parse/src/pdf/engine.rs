//! The seam between a PDF library and our reading of pages.
//!
//! An [`Engine`] says what a file holds: characters with their places, rules, filled areas, pictures, links, outline,
//! labels, and what a page looks like. Words, tables, reading order and whether the text can be trusted are decided
//! behind the seam, the same for every engine.

use std::sync::Arc;

use regreader_model::{Link, OutlineEntry, Rect};

pub use crate::layout::{Glyph, Turn};
use crate::recognize::Picture;
pub use crate::tables::{Axis, Rule};
use crate::{ParseError, ParseOptions};

/// A library that opens PDF files.
pub trait Engine: Sync {
    /// Its name, as the setting `pdf_engine` writes it.
    fn name(&self) -> &'static str;

    /// Opens a file. Password and limits are those of the options; of the rest it need know nothing.
    fn open<'a>(
        &'a self,
        bytes: &'a [u8],
        options: &ParseOptions<'_>,
    ) -> Result<Box<dyn OpenFile + 'a>, ParseError>;
}

/// A file that is open.
pub trait OpenFile: Sync {
    /// How many pages it has.
    fn page_count(&self) -> usize;

    /// What it says about itself as a whole.
    fn facts(&self) -> Facts;

    /// A reader of its pages, for one thread.
    fn pages(&self) -> Box<dyn Pages + '_>;
}

/// Reads pages of a file, on one thread.
pub trait Pages {
    /// What the page with this index holds. None when it cannot be read at all.
    fn content(&mut self, index: usize) -> Option<PageContent>;

    /// Draws the page with this index as it is shown. None when it has no drawable extent.
    fn picture(&mut self, index: usize, dots_per_inch: f32, font: Option<&FallbackFont>) -> Option<Drawn>;
}

/// What a file says about itself as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its title, as declared.
    pub title: Option<String>,
    /// The bookmarks, depth first.
    pub outline: Vec<OutlineEntry>,
}

/// What a page holds. Origin top left, y downwards, in points as the page is shown.
#[derive(Debug, Clone, Default)]
pub struct PageContent {
    /// Width and height as shown.
    pub size: [f32; 2],
    /// The label that the file declares for it.
    pub label: Option<String>,
    /// Its characters, in the order they are drawn.
    pub glyphs: Vec<Glyph>,
    /// Level and upright lines, drawn or filled.
    pub rules: Vec<Rule>,
    /// Filled boxes too thick for rules: shading.
    pub fills: Vec<Rect>,
    /// Boxes of the pictures on the page.
    pub pictures: Vec<Rect>,
    /// Links on the page, each with its target.
    pub links: Vec<Link>,
    /// Glyphs without Unicode meaning.
    pub unmapped: usize,
    /// Glyphs of fonts that do not declare what their codes mean. All of them where the engine cannot tell.
    pub undeclared: usize,
    /// Glyphs drawn invisibly, as the text behind a scan is.
    pub invisible: usize,
    /// Glyphs drawn before a picture that covers most of the page, and so hidden under it.
    pub under_picture: usize,
    /// Paths painted, whatever their shape.
    pub paths: usize,
    /// Why reading ended early, if it did.
    pub stopped: Option<&'static str>,
    /// What was left out though reading went on.
    pub skipped: Option<&'static str>,
}

/// A page drawn.
pub struct Drawn {
    /// The picture.
    pub picture: Picture,
    /// The page uses a Chinese, Japanese or Korean font that is neither in the file nor given: its text is missing
    /// from the picture.
    pub font_missing: bool,
}

/// A font that covers Chinese and Latin, to draw with where a file brings none.
#[derive(Clone)]
pub struct FallbackFont {
    /// The font file.
    pub data: Arc<Vec<u8>>,
    /// Which font of a collection.
    pub index: u32,
}

/// Pixels a point at a resolution, fewer where the longer side of a page of `size` points would pass `max_side`.
pub(super) fn bounded_scale(size: [f32; 2], dots_per_inch: f32, max_side: f32) -> f32 {
    (dots_per_inch / 72.0).min(max_side / size[0].max(size[1]).max(1.0))
}

/// Whether a font's name says that its face is heavy. In Chinese typesetting 黑体 plays this part.
pub(super) fn names_heavy_face(name: &[u8]) -> bool {
    const HEAVY: [&str; 7] = ["bold", "black", "heavy", "simhei", "heiti", "fzht", "fzhei"];
    // Founder's typesetting names its faces by initials: HT 黑体, XBS 小标宋.
    const FOUNDER: [&str; 4] = ["htj", "ht9", "xbsj", "xbs9"];
    // 黑体 in GBK, which is how Chinese producers write it into a name.
    const GBK_HEITI: [u8; 4] = [0xBA, 0xDA, 0xCC, 0xE5];
    let lower = String::from_utf8_lossy(name).to_lowercase();
    HEAVY.iter().any(|word| lower.contains(word))
        || lower.split('-').any(|part| FOUNDER.contains(&part))
        || lower.contains("黑体")
        || name.windows(GBK_HEITI.len()).any(|window| window == GBK_HEITI)
}
