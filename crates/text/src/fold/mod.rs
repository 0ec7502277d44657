//! Folding: what a reader takes for the same text becomes the same text. `长南Ⅰ线`, `长南I线` and `长南1线` fold to one
//! string, `５００ｋＶ`, `500 千伏` and `500kV` to another. Owns the normal forms; knows nothing of words or structure.

mod chars;
mod display;
mod gbk;
mod rewrite;

pub use display::nfkc;
pub use gbk::repair_gbk_latin;

/// Folds a text for matching. Folding twice changes nothing more.
///
/// NFKC and full-width forms, lower case, Roman and circled numerals as digits, numerals behind 第 as digits, electric
/// units in Latin (`500千伏` is `500kv`; 万千瓦 stays, for it is another amount), dashes and quotes of one form, no
/// white space next to Chinese characters and one space elsewhere.
///
/// ```
/// use regreader_text::fold;
/// assert_eq!(fold("长南Ⅰ线"), "长南1线");
/// assert_eq!(fold("长南I线"), fold("长南１线"));
/// assert_eq!(fold("５００ 千伏 母线"), fold("500kV母线"));
/// assert_eq!(fold("第十三条"), "第13条");
/// assert_eq!(fold("２０１９—１２—３１"), "2019-12-31");
/// ```
pub fn fold(text: &str) -> String {
    let glyphs = fold_glyphs(text);
    let mut out = String::with_capacity(text.len());
    out.extend(glyphs.iter().map(|glyph| glyph.c));
    out
}

/// The folded text without any white space: how names, titles and cells are compared.
///
/// ```
/// assert_eq!(regreader_text::fold_tight("Best Buy　５００ kV"), "bestbuy500kv");
/// ```
pub fn fold_tight(text: &str) -> String {
    let mut folded = fold(text);
    folded.retain(|c| !c.is_whitespace());
    folded
}

/// The same without the marks around a title and the underscores of an id: how the name of a regulation is compared.
pub fn fold_name(text: &str) -> String {
    let mut folded = fold_tight(text);
    folded.retain(|c| !matches!(c, '_' | '《' | '》'));
    folded
}

/// Folds a text and says for each byte of the result which byte of the original it came from, with one entry more for
/// the end. The offsets are character boundaries and never decrease, so a match in the folded text can be marked in
/// the original.
///
/// ```
/// let (folded, map) = regreader_text::fold_with_map("长南 Ⅰ 线");
/// let at = folded.find("1线").unwrap();
/// assert_eq!(&"长南 Ⅰ 线"[map[at]..], "Ⅰ 线");
/// ```
pub fn fold_with_map(text: &str) -> (String, Vec<usize>) {
    let glyphs = fold_glyphs(text);
    let mut out = String::with_capacity(text.len());
    let mut map = Vec::with_capacity(text.len() + 1);
    for glyph in &glyphs {
        out.push(glyph.c);
        map.resize(out.len(), glyph.at);
    }
    map.push(text.len());
    (out, map)
}

/// A character of the folded text and the byte of the original it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Glyph {
    pub at: usize,
    pub c: char,
    /// Bytes of the original character.
    pub len: u8,
}

impl Glyph {
    /// The byte of the original behind the character.
    pub fn end(&self) -> usize {
        self.at + usize::from(self.len)
    }
}

/// Folds into characters with their places.
pub(crate) fn fold_glyphs(text: &str) -> Vec<Glyph> {
    let (mut glyphs, mut unsettled) = pass(text);
    // Unicode has characters whose compatibility forms fold further (a spacing accent falls apart into a space and a
    // combining mark). They are rare; a text that holds any is folded until it is settled.
    for _ in 0..MAX_PASSES {
        if !unsettled {
            break;
        }
        let before: String = glyphs.iter().map(|glyph| glyph.c).collect();
        let (again, more) = pass(&before);
        unsettled = more && again.len() != glyphs.len() || again.iter().zip(&glyphs).any(|(a, b)| a.c != b.c);
        glyphs = carry_over(&glyphs, again);
    }
    glyphs
}

/// No text we know of needs more than three.
const MAX_PASSES: usize = 8;

fn pass(text: &str) -> (Vec<Glyph>, bool) {
    let normal = chars::normalise(text);
    let glyphs = if normal.rewritable { rewrite::rewrite(&normal.glyphs) } else { normal.glyphs };
    (glyphs, normal.unsettled)
}

/// Offsets of a second pass point into the first one's text; lead them back to the original.
fn carry_over(first: &[Glyph], mut second: Vec<Glyph>) -> Vec<Glyph> {
    let mut places = first.iter().scan(0, |byte, glyph| {
        let start = *byte;
        *byte += glyph.c.len_utf8();
        Some((start, *glyph))
    });
    let mut current = places.next();
    let mut next = places.next();
    for glyph in &mut second {
        while let Some((start, _)) = next
            && start <= glyph.at
        {
            current = next;
            next = places.next();
        }
        (glyph.at, glyph.len) = current.map_or((0, 0), |(_, source)| (source.at, source.len));
    }
    second
}

/// An ASCII letter or digit, or its full-width form.
fn is_plain_width(c: char) -> bool {
    crate::scan::half(c).is_ascii_alphanumeric()
}
