//! Words as jieba cuts them. Its dictionary of 350,000 words is loaded on first use and shared: for a word index into jieba, which
//! then is fast with long texts, and for anything else into [`Segmenter`], which is there at once.

use std::sync::LazyLock;

use jieba_rs::Jieba;

use super::segment::Segmenter;
use super::{dictionary, terms};
use crate::fold::fold;
use crate::script::is_cjk;

static JIEBA: LazyLock<Jieba> = LazyLock::new(|| load(std::iter::empty()));
static SEGMENTER: LazyLock<Segmenter> = LazyLock::new(|| Segmenter::with_terms(terms::built_in_list()));

static WITHOUT_WORDS: LazyLock<Segmenter> = LazyLock::new(Segmenter::without_words);

/// jieba with the built-in terms.
pub(super) fn jieba() -> &'static Jieba {
    &JIEBA
}

/// The same words and terms for short texts.
pub(super) fn segmenter() -> &'static Segmenter {
    &SEGMENTER
}

/// jieba with the built-in terms and these.
pub(super) fn with_terms(user: &[String]) -> Jieba {
    load(user.iter().cloned())
}

fn load(user: impl Iterator<Item = String>) -> Jieba {
    let mut jieba = Jieba::empty();
    dictionary::for_each(|word, count| {
        jieba.add_word(word, Some(count), None);
    });
    for term in terms::built_in_list().chain(user) {
        jieba.add_word(&term, None, None);
    }
    jieba
}

/// The words of a text for a word index, long words with the shorter ones inside them.
pub(super) fn cut(jieba: &Jieba, text: &str) -> Vec<String> {
    let folded = fold(text);
    jieba
        .cut_for_search(&folded, true)
        .into_iter()
        .filter(|token| token.word.chars().any(|c| is_cjk(c) || c.is_alphanumeric()))
        .map(|token| token.word.to_owned())
        .collect()
}

/// The characters of a text at which a word begins, counted from 0, as the dictionary cuts it.
///
/// ```
/// use regreader_text::tokenize::word_starts;
/// assert_eq!(word_starts("时候人站"), [0, 2, 3]);
/// ```
pub fn word_starts(text: &str) -> Vec<usize> {
    let segmenter = if may_have_words(text) { segmenter() } else { &*WITHOUT_WORDS };
    segmenter.cut(text).iter().map(|piece| piece.start).collect()
}

/// Whether a text may have a word of the dictionary: all of them have a hanzi, but for C++, C# and AT&T. The dictionary is not unpacked for
/// anything else.
pub(super) fn may_have_words(text: &str) -> bool {
    text.contains(is_cjk) || text.contains(['+', '#', '&'])
}

/// How many characters of a run of hanzi stand in words of two and more.
pub(super) fn known_characters(run: &str) -> usize {
    let pieces = segmenter().cut(run);
    pieces.iter().map(|piece| piece.word.chars().count()).filter(|length| *length > 1).sum()
}
