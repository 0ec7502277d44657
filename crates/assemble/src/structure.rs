//! Marks and paragraphs become the chapter tree: ids, titles, page ranges, and the blocks of each node.
//!
//! Owns what a node is called and how far it reaches. A node's pages run from its own first line to the last page on
//! which it or anything below it has content. Must not render blocks.

use std::collections::BTreeMap;

use regreader_model::{BlockId, ChapterNode, ClauseNumber, DocumentStructure, NodeId, PageNumber, RegId};
use regreader_text::numbering::parse_line;

use crate::chapter::Mark;
use crate::chapter::tree::{Place, nest};
use crate::clean::{ends_item, stops_short};
use crate::paragraph::{Para, ParaKind};

/// The tree, and for each paragraph the mark it belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub nodes: Vec<ChapterNode>,
    pub places: Vec<Place>,
    /// Whether the mark is a heading of its own or a clause whose text runs on.
    pub is_heading: Vec<bool>,
    /// Index of the mark that each paragraph belongs to.
    pub owner: Vec<Option<usize>>,
}

/// Titles of clauses end at the first punctuation, at the latest after this many characters.
const TITLE_LENGTH: usize = 30;

/// Builds the tree.
pub(crate) fn build(marks: &[Mark], paras: &[Para], title: &str) -> Tree {
    let places = nest(marks);
    let width = marks.len().to_string().len().max(4);
    let mut owner = Vec::with_capacity(paras.len());
    let mut current = None;
    let mut first_para: Vec<Option<usize>> = vec![None; marks.len()];
    for (at, para) in paras.iter().enumerate() {
        if let ParaKind::Mark(mark) = para.kind {
            current = Some(mark);
            if let Some(slot) = first_para.get_mut(mark) {
                *slot = Some(at);
            }
        }
        owner.push(current);
    }
    give_title_to_next(paras, title, &mut owner);
    let mut nodes = Vec::with_capacity(marks.len());
    let mut is_heading = Vec::with_capacity(marks.len());
    for (index, (mark, place)) in marks.iter().zip(&places).enumerate() {
        let para = first_para.get(index).copied().flatten().and_then(|at| Some((at, paras.get(at)?)));
        let text = para.map_or("", |(_, para)| para.text.as_str());
        let rest = match &mark.number {
            Some(_) => parse_line(text).map_or(text, |line| line.rest),
            None => text,
        };
        let alone = para.is_some_and(|(_, para)| para.number_alone);
        // A sentence that goes on over the page is no heading, however short the part above the border is.
        let runs_over = mark.number.is_some()
            && !rest.is_empty()
            && para.and_then(|(at, _)| paras.get(at + 1)).is_some_and(|next| next.from_previous);
        let heading = mark.number.is_none() || alone || !runs_over && reads_as_heading(mark, rest);
        let title = if rest.is_empty() {
            // The number stands alone and its words begin on the next page.
            let next = para.and_then(|(at, _)| paras.get(at + 1)).filter(|next| next.kind == ParaKind::Text);
            first_words(next.map_or("", |next| next.text.as_str()))
        } else if heading {
            close_up(rest)
        } else {
            first_words(rest)
        };
        let page_num = PageNumber::from_index(para.map_or(0, |(_, para)| para.page));
        nodes.push(ChapterNode {
            node_id: NodeId::new(format!("n{:0width$}", index + 1)),
            section_number: mark
                .number
                .as_ref()
                .map_or_else(|| ClauseNumber::new(""), |number| number.numbering.canonical()),
            title,
            level: place.level,
            page_num,
            page_end: Some(page_num),
            parent_id: None,
            children_ids: Vec::new(),
            content_block_ids: Vec::new(),
        });
        is_heading.push(heading);
    }
    for (index, place) in places.iter().enumerate() {
        let Some(parent) = place.parent else { continue };
        let Some(child_id) = nodes.get(index).map(|node| node.node_id.clone()) else { continue };
        let Some(parent_id) = nodes.get(parent).map(|node| node.node_id.clone()) else { continue };
        nodes[index].parent_id = Some(parent_id);
        nodes[parent].children_ids.push(child_id);
    }
    extend_ranges(&mut nodes, &places, paras, &owner);
    Tree { nodes, places, is_heading, owner }
}

/// Standards print their title again above chapter 1. It belongs there, not to the foreword before it.
fn give_title_to_next(paras: &[Para], title: &str, owner: &mut [Option<usize>]) {
    let key = crate::contents::title_key(title);
    for at in 0..paras.len().saturating_sub(1) {
        let (para, next) = (&paras[at], &paras[at + 1]);
        let ParaKind::Mark(mark) = next.kind else { continue };
        let is_title = para.kind == ParaKind::Text && para.page == next.page;
        if is_title && crate::contents::title_key(&para.text) == key {
            owner[at] = Some(mark);
            return;
        }
    }
}

impl Tree {
    /// Headings from the top down to a node.
    pub fn path(&self, mark: usize) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = Some(mark);
        while let Some(index) = at {
            let Some(node) = self.nodes.get(index) else { break };
            path.push(node.heading());
            at = self.places.get(index).and_then(|place| place.parent);
        }
        path.reverse();
        path
    }

    /// Gives a block to its node.
    pub fn give(&mut self, mark: usize, block: BlockId) {
        if let Some(node) = self.nodes.get_mut(mark) {
            node.content_block_ids.push(block);
        }
    }

    pub fn into_structure(self, reg_id: RegId) -> DocumentStructure {
        let root_node_ids = self
            .nodes
            .iter()
            .filter(|node| node.parent_id.is_none())
            .map(|node| node.node_id.clone())
            .collect();
        let all_nodes: BTreeMap<NodeId, ChapterNode> =
            self.nodes.into_iter().map(|node| (node.node_id.clone(), node)).collect();
        DocumentStructure { reg_id, all_nodes, root_node_ids }
    }
}

fn extend_ranges(nodes: &mut [ChapterNode], places: &[Place], paras: &[Para], owner: &[Option<usize>]) {
    for (para, owner) in paras.iter().zip(owner) {
        let page = PageNumber::from_index(para.page);
        let mut at = *owner;
        while let Some(index) = at {
            let Some(node) = nodes.get_mut(index) else { break };
            // Paragraphs come in page order: once an ancestor has this page, those above it have it too.
            if node.page_end >= Some(page) && *owner != Some(index) {
                break;
            }
            node.page_end = node.page_end.max(Some(page));
            at = places.get(index).and_then(|place| place.parent);
        }
    }
}

/// The longest text that is a name whatever sign it ends in (`Functional Entities:`, 基本要求：).
const NAME_WORDS: usize = 5;
const NAME_LENGTH: usize = 8;

/// A title of its own, or a clause whose text runs on behind the number.
fn reads_as_heading(mark: &Mark, rest: &str) -> bool {
    let length = rest.chars().count();
    let latin = !rest.chars().any(regreader_text::script::is_cjk);
    // Chinese sentences are often closed with a dot from the Latin keyboard.
    let listed = rest.ends_with(['；', ';', '。', '，', ',']) || ends_item(rest);
    let sentence = rest.contains('。')
        || listed
        || rest.ends_with(['：', ':'])
        || latin && stops_short(rest)
        || !latin && rest.ends_with('.');
    if rest.is_empty() {
        return true;
    }
    // Word processors give the style of a heading to clauses too, for their numbers: a short name is a title, a sentence
    // and the words before a list are not.
    let short = if latin { rest.split(' ').count() <= NAME_WORDS } else { length <= NAME_LENGTH };
    let name = short && !stops_short(rest.trim_end_matches([':', '：']));
    if mark.declared.is_some() && length <= 120 && (name || !(listed || rest.ends_with(['：', ':', '.']))) {
        return true;
    }
    if sentence {
        return false;
    }
    let limit = if latin { 100 } else { 40 };
    let stops = rest.ends_with('.') && !name || rest.contains(". ") && length > limit;
    if latin && (stops || (rest.ends_with('.') || rest.contains(". ")) && mark.heading < 2.0) {
        return false;
    }
    let plain = !rest.contains(['，', ',']) && length <= limit;
    plain || mark.heading >= 0.75 && length <= limit * 2
}

/// The first words of a text.
fn first_words(text: &str) -> String {
    if !text.chars().take(TITLE_LENGTH).any(regreader_text::script::is_cjk) {
        return first_latin_words(text);
    }
    let end = text
        .char_indices()
        .take(TITLE_LENGTH + 1)
        .enumerate()
        .find(|(nth, (_, c))| {
            *nth > 0
                && (matches!(c, '，' | '。' | '；' | '：' | '、' | ',' | ';' | ':') || *nth == TITLE_LENGTH)
        })
        .map_or(text.len(), |(_, (at, _))| at);
    text.get(..end).unwrap_or(text).trim().to_owned()
}

/// Whole words, up to the first stop.
fn first_latin_words(text: &str) -> String {
    let mut out = String::new();
    for word in text.split(' ') {
        if !out.is_empty() && out.chars().count() + word.chars().count() >= TITLE_LENGTH * 2 {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().take(TITLE_LENGTH * 2));
        if word.ends_with([':', ';', ',', '.']) {
            out.pop();
            break;
        }
    }
    out
}

/// `前    言` is 前言: a title set with a space after every character.
fn close_up(title: &str) -> String {
    let words: Vec<&str> = title.split(' ').filter(|word| !word.is_empty()).collect();
    let spaced = words.len() > 1
        && words
            .iter()
            .all(|word| word.chars().count() == 1 && word.chars().all(regreader_text::script::is_cjk));
    if spaced { words.concat() } else { title.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_named_by_its_first_words() {
        assert_eq!(first_words("三取二：同一命令须由三套判别元件中的两套"), "三取二");
        assert_eq!(
            first_words("锦苏直流送端安控系统由锦屏换流站主站、锦屏一级电厂"),
            "锦苏直流送端安控系统由锦屏换流站主站"
        );
        assert_eq!(first_words(&"字".repeat(40)).chars().count(), 30);
        assert_eq!(close_up("前 言"), "前言");
        assert_eq!(close_up("电力 系统"), "电力 系统");
    }
}
