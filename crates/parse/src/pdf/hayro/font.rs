//! What a character code of a PDF font means: its Unicode text and its advance.
//!
//! Owns the fallbacks for fonts that do not say what their codes mean. Never guesses a character from its code: a code
//! without a meaning stays without one, and the share of those decides whether the page must be read from its picture.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use regreader_text::fold::repair_gbk_latin;
use skrifa::MetadataProvider as _;

use super::guard;
use crate::pdf::engine::names_heavy_face;

/// Fonts of a document as far as one thread has met them.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    loaded: HashMap<(usize, usize), Rc<PdfFont<'a>>>,
    collections: Collections,
    fallback: Option<Rc<PdfFont<'a>>>,
    max_part_bytes: u64,
}

/// The maps from CIDs to Unicode, each parsed once.
type Collections = Rc<RefCell<HashMap<&'static [u8], Option<Rc<CMap>>>>>;

/// One font, ready for decoding strings.
pub(super) struct PdfFont<'a> {
    font: Option<Font<'a>>,
    /// Set in a heavy face.
    pub bold: bool,
    /// The file says what the codes mean (`ToUnicode`, or names of glyphs that everybody knows).
    pub declares_unicode: bool,
    /// A font that stands in because the named one is missing or broken; only ASCII is worth showing.
    pub stand_in: bool,
    /// Height of the type relative to the font size (Type 3 fonts choose their own).
    em_scale: f32,
    /// Composite fonts with a default width that no type has: a sign that widths mean nothing here.
    default_width: Option<f64>,
    fallback: Fallback,
    codes: RefCell<HashMap<u32, Rc<CodeMeaning>>>,
}

/// What a code stands for.
#[derive(Debug, Clone)]
pub(super) struct CodeMeaning {
    /// Its text; None when the file does not say.
    pub text: Option<Box<str>>,
    /// Advance in thousandths of the font size.
    pub advance: [f64; 2],
    /// Where the glyph's origin lies relative to the pen (vertical writing).
    pub displacement: [f64; 2],
    /// Where the glyph begins and ends along the line, in thousandths: from the pen to the advance, unless the
    /// advance is known to mislead.
    pub extent: [f64; 2],
    /// Height of the type relative to the font size.
    pub em: f32,
}

/// Ways to find the meaning of a code when the font does not declare it.
struct Fallback {
    /// Names from `Differences`, for names that are the character itself (`/=`).
    names: HashMap<u8, char>,
    /// Composite font: its encoding and the character collection of its CIDs.
    composite: Option<Composite>,
    /// Glyph to character, from the embedded program's own table.
    reverse: OnceCell<HashMap<u32, char>>,
}

struct Composite {
    encoding: Option<CMap>,
    to_unicode: Option<Rc<CMap>>,
    embedded: bool,
}

impl<'a> Fonts<'a> {
    pub fn new(max_part_bytes: u64) -> Self {
        Self {
            cache: FontCache::new(),
            font_resolver: Arc::new(|query| match query {
                FontQuery::Standard(font) => Some(font.get_font_data()),
                FontQuery::Fallback(query) => Some(query.pick_standard_font().get_font_data()),
            }),
            cmap_resolver: Arc::new(hayro_cmap::load_embedded),
            loaded: HashMap::new(),
            collections: Rc::default(),
            fallback: None,
            max_part_bytes,
        }
    }

    /// The font of a font dictionary.
    pub fn get(&mut self, dict: &Dict<'a>) -> Rc<PdfFont<'a>> {
        // A dictionary's bytes never move while the document lives, so their address names it.
        let key = (dict.data().as_ptr() as usize, dict.data().len());
        if let Some(font) = self.loaded.get(&key) {
            return Rc::clone(font);
        }
        let font = if guard::font_is_safe(dict, self.max_part_bytes) {
            self.cache.font(dict, &self.font_resolver, &self.cmap_resolver)
        } else {
            None
        };
        let font = match font {
            Some(font) => Rc::new(PdfFont::new(font, dict, &self.collections)),
            None => self.stand_in(),
        };
        self.loaded.insert(key, Rc::clone(&font));
        font
    }

    /// Helvetica, for text shown in no font or in a broken one.
    pub fn stand_in(&mut self) -> Rc<PdfFont<'a>> {
        if let Some(font) = &self.fallback {
            return Rc::clone(font);
        }
        let font = Rc::new(PdfFont {
            font: self.cache.standard_font(StandardFont::Helvetica, &self.font_resolver),
            bold: false,
            declares_unicode: true,
            stand_in: true,
            em_scale: 1.0,
            default_width: None,
            fallback: Fallback { names: HashMap::new(), composite: None, reverse: OnceCell::new() },
            codes: RefCell::default(),
        });
        self.fallback = Some(Rc::clone(&font));
        font
    }
}

impl<'a> PdfFont<'a> {
    fn new(font: Font<'a>, dict: &Dict<'a>, collections: &Collections) -> Self {
        let subtype = dict.get::<Name<'_>>(b"Subtype");
        let subtype = subtype.as_deref().unwrap_or(b"");
        let descendant = (subtype == b"Type0")
            .then(|| dict.get::<Array<'_>>(b"DescendantFonts")?.iter::<Dict<'_>>().next())
            .flatten();
        let base = descendant.as_ref().unwrap_or(dict);
        let descriptor = base.get::<Dict<'_>>(b"FontDescriptor").unwrap_or_default();
        let has_to_unicode = dict.contains_key(b"ToUnicode");
        let composite = descendant.as_ref().map(|descendant| Composite {
            encoding: composite_encoding(dict),
            to_unicode: collection_map(dict, descendant, collections),
            embedded: [&b"FontFile"[..], b"FontFile2", b"FontFile3"]
                .iter()
                .any(|k| descriptor.contains_key(k)),
        });
        let named_encoding =
            matches!(dict.get::<Object<'_>>(b"Encoding"), Some(Object::Name(_) | Object::Dict(_)));
        Self {
            font: Some(font),
            bold: is_bold(dict, &descriptor),
            declares_unicode: has_to_unicode
                || composite.as_ref().is_some_and(|c| c.to_unicode.is_some())
                || (composite.is_none() && named_encoding && !is_symbolic(&descriptor)),
            stand_in: false,
            em_scale: if subtype == b"Type3" { type3_scale(dict) } else { 1.0 },
            default_width: descendant
                .as_ref()
                .and_then(|descendant| descendant.get::<f64>(b"DW"))
                .filter(|width| (300.0..=800.0).contains(width)),
            fallback: Fallback {
                names: if composite.is_none() { literal_names(dict) } else { HashMap::new() },
                composite,
                reverse: OnceCell::new(),
            },
            codes: RefCell::default(),
        }
    }

    /// The next code of a string and its length in bytes. `offset` must lie inside `bytes`.
    pub fn read_code(&self, bytes: &[u8], offset: usize) -> (u32, usize) {
        match &self.font {
            Some(font) => {
                let (code, length) = font.read_code(bytes, offset);
                (code, length.max(1))
            }
            None => (bytes.get(offset).copied().unwrap_or(0).into(), 1),
        }
    }

    /// Whether lines run from left to right rather than from top to bottom.
    pub fn is_horizontal(&self) -> bool {
        self.font.as_ref().is_none_or(Font::is_horizontal)
    }

    /// What a code means.
    pub fn meaning(&self, code: u32, code_len: usize) -> Rc<CodeMeaning> {
        if let Some(known) = self.codes.borrow().get(&code) {
            return Rc::clone(known);
        }
        let meaning = Rc::new(self.find_meaning(code, code_len));
        self.codes.borrow_mut().insert(code, Rc::clone(&meaning));
        meaning
    }

    fn find_meaning(&self, code: u32, code_len: usize) -> CodeMeaning {
        let Some(font) = &self.font else {
            return CodeMeaning {
                text: None,
                advance: [500.0, 0.0],
                displacement: [0.0; 2],
                extent: [0.0, 500.0],
                em: 1.0,
            };
        };
        let advance = font.code_advance(code);
        let displacement = font.origin_displacement(code);
        let mut text = self.text_of(font, code, code_len);
        let wide = text.as_deref().and_then(|text| text.chars().next()).is_some_and(|c| !c.is_ascii());
        let (mut extent, mut em) = ([0.0, finite(advance.x).abs()], self.em_scale);
        if let Some(width) = self.default_width
            && wide
            && (extent[1] - width).abs() < 0.5
        {
            // Founder's typesetting gives every character the same advance, places each one by hand, and draws them
            // at half the font size: trust what is drawn instead.
            em = (width / 1000.0) as f32;
            // The same system writes italic Latin as rare hanzi.
            if let Some(latin) = text.as_deref().and_then(repair_gbk_latin) {
                text = Some(latin.into());
            }
            if let FontGlyph::Outline(glyph) = font.glyph(font.map_code(code), code) {
                let ink = glyph.outline().control_box();
                if ink.x0.is_finite() && ink.x1.is_finite() && ink.x1 > ink.x0 {
                    let first = text.as_deref().and_then(|text| text.chars().next());
                    extent = set_width([ink.x0, ink.x1], width, first.unwrap_or(' '));
                }
            }
        }
        CodeMeaning {
            text,
            advance: [finite(advance.x), finite(advance.y)],
            displacement: [finite(displacement.x), finite(displacement.y)],
            extent,
            em,
        }
    }

    fn text_of(&self, font: &Font<'a>, code: u32, code_len: usize) -> Option<Box<str>> {
        let glyph = font.glyph(font.map_code(code), code);
        let declared = match &glyph {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let declared = declared.map(|text| match text {
            BfString::Char(c) => c.to_string(),
            BfString::String(s) => s,
        });
        if let Some(text) = declared.and_then(|text| usable(&text)) {
            return Some(text);
        }
        if let Some(composite) = &self.fallback.composite {
            if let Some(text) = composite.lookup(code, code_len) {
                return Some(text);
            }
            if composite.embedded
                && let FontGlyph::Outline(glyph) = &glyph
            {
                let id = glyph.glyph_id().to_u32();
                let reverse = self.fallback.reverse.get_or_init(|| {
                    glyph.font_data().map(|data| reverse_cmap((*data.data).as_ref())).unwrap_or_default()
                });
                return reverse.get(&id).map(|c| c.to_string().into());
            }
            return None;
        }
        let code = u8::try_from(code).ok()?;
        self.fallback.names.get(&code).map(|c| c.to_string().into())
    }
}

impl Composite {
    /// Through the character collection of the font's CIDs.
    fn lookup(&self, code: u32, code_len: usize) -> Option<Box<str>> {
        let to_unicode = self.to_unicode.as_ref()?;
        let cid = match &self.encoding {
            Some(encoding) => encoding.lookup_cid_code(code, u8::try_from(code_len).ok()?)?,
            None => code,
        };
        match to_unicode.lookup_bf_string(cid)? {
            BfString::Char(c) => usable(c.encode_utf8(&mut [0; 4])),
            BfString::String(s) => usable(&s),
        }
    }
}

/// What a full-width character takes up along its line: its ink, but never less than its kind is given. A thin `１` is
/// set as wide as a `３`; by its ink alone `３．１` would fall into three words.
fn set_width(ink: [f64; 2], width: f64, c: char) -> [f64; 2] {
    let least = match c {
        '０'..='９' => 0.5,
        '．' | '，' | '：' | '；' => 0.25,
        _ => 0.2,
    };
    let middle = f64::midpoint(ink[0], ink[1]);
    let half = (least * width).max(ink[1] - ink[0]) / 2.0;
    [(middle - half).clamp(0.0, width), (middle + half).clamp(0.0, width)]
}

/// Text without control characters; None when nothing is left.
fn usable(text: &str) -> Option<Box<str>> {
    let clean = |c: char| !c.is_control() && c != '\u{FFFD}' && c != '\u{FFFF}' && c != '\u{FFFE}';
    if let Some(letters) = ligature(text) {
        return Some(letters.into());
    }
    if text.chars().all(clean) {
        return (!text.is_empty()).then(|| text.into());
    }
    // Tabs and line ends stand for white space in some producers' maps.
    let cleaned: String =
        text.chars().map(|c| if c.is_ascii_whitespace() { ' ' } else { c }).filter(|c| clean(*c)).collect();
    (!cleaned.is_empty()).then(|| cleaned.into())
}

/// The letters of a typographic ligature, which nobody would search for as one character.
fn ligature(text: &str) -> Option<&'static str> {
    Some(match text {
        "\u{FB00}" => "ff",
        "\u{FB01}" => "fi",
        "\u{FB02}" => "fl",
        "\u{FB03}" => "ffi",
        "\u{FB04}" => "ffl",
        "\u{FB05}" | "\u{FB06}" => "st",
        _ => return None,
    })
}

fn composite_encoding(dict: &Dict<'_>) -> Option<CMap> {
    match dict.get::<Object<'_>>(b"Encoding")? {
        Object::Name(name) => match CMapName::from_bytes(&name) {
            CMapName::IdentityH => Some(CMap::identity_h()),
            CMapName::IdentityV => Some(CMap::identity_v()),
            name => CMap::parse(hayro_cmap::load_embedded(name)?, hayro_cmap::load_embedded),
        },
        Object::Stream(stream) => CMap::parse(&stream.decoded_data().ok()?, hayro_cmap::load_embedded),
        _ => None,
    }
}

/// The map from CIDs to Unicode of the font's character collection, if it is one of Adobe's.
fn collection_map(dict: &Dict<'_>, descendant: &Dict<'_>, collections: &Collections) -> Option<Rc<CMap>> {
    let by_info = descendant.get::<Dict<'_>>(b"CIDSystemInfo").and_then(|info| {
        let registry = info.get::<PdfString<'_>>(b"Registry")?;
        let ordering = info.get::<PdfString<'_>>(b"Ordering")?;
        CidFamily::from_registry_ordering(&registry, &ordering).ucs2_cmap()
    });
    let by_encoding = || {
        let Some(Object::Name(name)) = dict.get::<Object<'_>>(b"Encoding") else { return None };
        let name = name.as_str();
        if name.starts_with("GB") || name.starts_with("UniGB") {
            CidFamily::AdobeGB1.ucs2_cmap()
        } else if name.starts_with("UniCNS") || name.contains("B5") || name.starts_with("CNS") {
            CidFamily::AdobeCNS1.ucs2_cmap()
        } else if name.starts_with("UniJIS") || name.contains("RKSJ") || name.starts_with("EUC") {
            CidFamily::AdobeJapan1.ucs2_cmap()
        } else if name.starts_with("UniKS") || name.starts_with("KSC") {
            CidFamily::AdobeKorea1.ucs2_cmap()
        } else {
            None
        }
    };
    let (key, name): (&'static [u8], _) = match by_info.or_else(by_encoding)? {
        name @ CMapName::AdobeGb1Ucs2 => (b"GB1", name),
        name @ CMapName::AdobeCns1Ucs2 => (b"CNS1", name),
        name @ CMapName::AdobeJapan1Ucs2 => (b"Japan1", name),
        name @ CMapName::AdobeKorea1Ucs2 => (b"Korea1", name),
        _ => return None,
    };
    let load = || Some(Rc::new(CMap::parse(hayro_cmap::load_embedded(name)?, hayro_cmap::load_embedded)?));
    collections.borrow_mut().entry(key).or_insert_with(load).clone()
}

/// Glyph to character for an embedded program. Private-use characters mean nothing outside the font and are left out.
fn reverse_cmap(data: &[u8]) -> HashMap<u32, char> {
    let Ok(font) = skrifa::FontRef::new(data) else { return HashMap::new() };
    let charmap = font.charmap();
    if charmap.is_symbol() {
        return HashMap::new();
    }
    let mut map = HashMap::new();
    // 0x11_0000 characters exist; a table that claims more mappings repeats itself.
    for (code, glyph) in charmap.mappings().take(0x11_0000) {
        let Some(c) = char::from_u32(code) else { continue };
        let private = matches!(code, 0xE000..=0xF8FF | 0xF_0000..);
        if !private && !c.is_control() && glyph.to_u32() != 0 {
            // Several characters may share a glyph (space and no-break space): the first is the plainest.
            map.entry(glyph.to_u32()).or_insert(c);
        }
    }
    map
}

/// Glyph names in `Differences` that are the character itself.
fn literal_names(dict: &Dict<'_>) -> HashMap<u8, char> {
    let differences =
        dict.get::<Dict<'_>>(b"Encoding").and_then(|encoding| encoding.get::<Array<'_>>(b"Differences"));
    let mut names = HashMap::new();
    let mut code = 0_i64;
    for entry in differences.iter().flat_map(Array::iter::<Object<'_>>) {
        match entry {
            Object::Number(number) => code = number.as_i64(),
            Object::Name(name) => {
                let mut chars = name.as_str().chars();
                if let (Some(c), None, Ok(code)) = (chars.next(), chars.next(), u8::try_from(code)) {
                    names.insert(code, c);
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    names
}

fn is_symbolic(descriptor: &Dict<'_>) -> bool {
    descriptor.get::<u32>(b"Flags").is_some_and(|flags| flags & 4 != 0)
}

/// Heavy faces: declared weight, `ForceBold`, or a name that says so.
fn is_bold(dict: &Dict<'_>, descriptor: &Dict<'_>) -> bool {
    const FORCE_BOLD: u32 = 1 << 18;
    if descriptor.get::<f32>(b"FontWeight").is_some_and(|weight| weight >= 600.0)
        || descriptor.get::<u32>(b"Flags").is_some_and(|flags| flags & FORCE_BOLD != 0)
    {
        return true;
    }
    let names = [dict.get::<Name<'_>>(b"BaseFont"), descriptor.get::<Name<'_>>(b"FontName")];
    names.into_iter().flatten().any(|name| names_heavy_face(&name))
}

/// How tall the font size makes a Type 3 glyph, relative to an outline font: its matrix may be anything.
fn type3_scale(dict: &Dict<'_>) -> f32 {
    let matrix = dict.get::<[f64; 6]>(b"FontMatrix").unwrap_or([0.001, 0.0, 0.0, 0.001, 0.0, 0.0]);
    let bbox = dict.get::<[f64; 4]>(b"FontBBox").unwrap_or_default();
    let height = (bbox[3] - bbox[1]).abs();
    let scale = if height > 0.0 { height * matrix[3].abs() } else { 1.0 };
    // A box that is no box at all would make invisible or page-high lines.
    if scale.is_finite() && (0.05..=20.0).contains(&scale) { scale as f32 } else { 1.0 }
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value.clamp(-1e6, 1e6) } else { 0.0 }
}

/// Streams that a font dictionary makes the font loader decode.
pub(super) fn font_streams<'a>(dict: &Dict<'a>) -> Vec<Stream<'a>> {
    let descendant = dict
        .get::<Array<'_>>(b"DescendantFonts")
        .and_then(|fonts| fonts.iter::<Dict<'_>>().next())
        .unwrap_or_default();
    let mut streams: Vec<Stream<'a>> = Vec::new();
    for owner in [dict, &descendant] {
        streams.extend([&b"ToUnicode"[..], b"Encoding", b"CIDToGIDMap"].iter().filter_map(|k| owner.get(k)));
        let descriptor = owner.get::<Dict<'_>>(b"FontDescriptor").unwrap_or_default();
        streams
            .extend([&b"FontFile"[..], b"FontFile2", b"FontFile3"].iter().filter_map(|k| descriptor.get(k)));
    }
    streams
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thin_digit_takes_as_much_room_as_a_broad_one() {
        let width = 480.0;
        let thin = set_width([200.0, 280.0], width, '１');
        let broad = set_width([130.0, 350.0], width, '３');
        assert!((thin[1] - thin[0] - 240.0).abs() < 1.0 && (broad[1] - broad[0] - 240.0).abs() < 1.0);
        let wide = set_width([10.0, 470.0], width, '电');
        assert!(
            (wide[0] - 10.0).abs() + (wide[1] - 470.0).abs() < 0.1,
            "ink that is wide enough stays: {wide:?}"
        );
        let dot = set_width([20.0, 60.0], width, '．');
        assert!(dot[0] >= 0.0 && dot[1] - dot[0] <= 120.0, "and nothing reaches out of its box: {dot:?}");
    }
}
