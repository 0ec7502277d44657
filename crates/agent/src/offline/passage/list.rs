//! Which blocks and lines are items of a list, and of which list.

use std::mem::{Discriminant, discriminant};

use regreader_model::{BlockType, ContentBlock};
use regreader_text::numbering::Numbering;
use regreader_text::parse_line;

/// Marks of items without a number.
const BULLETS: [char; 8] = ['-', '•', '·', '●', '○', '–', '—', '*'];

/// Whether a line begins an item.
pub(super) fn begins_item(line: &str) -> bool {
    parse_line(line).is_some() || line.starts_with(BULLETS)
}

/// Whether the last of these blocks belongs to the list that the first one leads into: it is marked as the first of the list is, and
/// not as the lead-in itself.
pub(super) fn is_of_list(blocks: &[ContentBlock]) -> bool {
    let ([lead, first, ..], Some(last)) = (blocks, blocks.last()) else { return false };
    mark(first) == mark(last) && (mark(last) == Mark::None || mark(last) != mark(lead))
}

/// What a block begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Nothing: it is a plain paragraph.
    None,
    Bullet,
    Number(Discriminant<Numbering>),
}

fn mark(block: &ContentBlock) -> Mark {
    let text = block.content_markdown.trim_start();
    match parse_line(text).map(|line| line.numbering) {
        // (i) is a letter as well as a number.
        Some(Numbering::ParenRoman(_)) => Mark::Number(discriminant(&Numbering::Item('i'))),
        Some(numbering) => Mark::Number(discriminant(&numbering)),
        None if block.block_type == BlockType::List || text.starts_with(BULLETS) => Mark::Bullet,
        None => Mark::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(texts: &[&str]) -> Vec<ContentBlock> {
        let block = |(at, text): (usize, &&str)| {
            let id = format!("b{at}");
            let json = serde_json::json!({ "block_id": id, "block_type": "text", "content_markdown": text });
            serde_json::from_value(json).unwrap()
        };
        texts.iter().enumerate().map(block).collect()
    }

    #[test]
    fn a_block_belongs_to_the_list_that_is_marked_like_it() {
        for texts in [
            ["应满足下列要求：", "（一）甲；", "（二）乙。"],
            ["It shall have:", "(h) this;", "(i) that."],
            ["(1) It shall have:", "(a) this;", "(b) that."],
            ["下列情形除外：", "甲种情形。", "乙种情形。"],
        ] {
            assert!(is_of_list(&blocks(&texts)), "{texts:?}");
        }
        for texts in [
            ["(1) It shall have:", "(a) this.", "(2) Another rule."],
            ["(1) It shall have:", "(2) Another rule.", "ii) An item of another list."],
            ["Examples include:", "• one;", "The plan must be tested."],
        ] {
            assert!(!is_of_list(&blocks(&texts)), "{texts:?}");
        }
        assert!(!is_of_list(&blocks(&["1. 应符合下列规定：", "2. 另一条。"])));
    }
}
