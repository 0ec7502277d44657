//! Places of the chapter tree, as people name them: by number, by title, by path. Never by a part of one: `1.1` is not
//! `2.1.1`, and 处理 is not 故障处理.

use regreader_model::{ChapterNode, DocumentStructure, NodeId};
use regreader_text::{Numbering, fold, fold_tight, parse_line};

/// The nodes that a text names, in document order; none when there is no such place.
///
/// `2.1.4`, `第六章`, `附录A`, `故障处理`, `2.1.4 故障处理`, `安控系统 > 锦苏直流 > 故障处理` and `2/2.1/故障处理` are places.
/// A number that an appendix counts anew, or a title that several chapters have, names them all.
pub fn find_chapters(structure: &DocumentStructure, text: &str) -> Vec<NodeId> {
    let steps: Vec<Step> = split_path(text).into_iter().map(Step::new).collect();
    let Some((last, above)) = steps.split_last() else { return Vec::new() };
    let whole = Step::new(text.trim());
    structure
        .iter()
        .filter(|node| whole.names(node) || (last.names(node) && stands_below(structure, node, above)))
        .map(|node| node.node_id.clone())
        .collect()
}

/// Headings near to what was asked for, best first, for an error that helps.
pub fn near_chapters(structure: &DocumentStructure, text: &str, limit: usize) -> Vec<String> {
    let asked: Vec<char> = fold(text).chars().filter(|c| c.is_alphanumeric()).collect();
    let mut near: Vec<(usize, String)> = structure
        .iter()
        .map(|node| {
            let heading = node.heading();
            let folded = fold(&heading);
            // How many neighbouring pairs of characters they share, and whether the number begins alike.
            let shared =
                asked.windows(2).filter(|pair| folded.contains(&pair.iter().collect::<String>())).count();
            let alike = usize::from(
                !node.section_number.as_str().is_empty()
                    && text.trim().starts_with(node.section_number.as_str()),
            );
            (shared * 2 + alike, heading)
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    near.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    near.into_iter().take(limit).map(|(_, heading)| heading).collect()
}

/// A clause number as people write it (`第十三条`, `2.1.4 条`, `第2.1.4条`) in canonical form; the text itself when it
/// is none.
pub fn canonical_number(text: &str) -> String {
    let text = text.trim();
    let bare = text.strip_suffix('条').map_or(text, str::trim_end);
    let bare = bare.strip_prefix('第').filter(|rest| rest.contains('.')).unwrap_or(bare);
    let candidates = [text, bare];
    let read = candidates.iter().find_map(|candidate| {
        Numbering::parse_canonical(candidate).or_else(|| {
            parse_line(candidate).filter(|line| line.rest.trim().is_empty()).map(|line| line.numbering)
        })
    });
    read.map_or_else(|| text.to_owned(), |numbering| numbering.canonical().as_str().to_owned())
}

/// One step of a path: a number, a title, or both.
struct Step {
    number: Option<Numbering>,
    /// What stands behind the number.
    rest: String,
    /// All of it, folded.
    whole: String,
}

impl Step {
    fn new(text: &str) -> Self {
        let whole = fold_tight(text);
        let canonical = Numbering::parse_canonical(&canonical_number(text));
        if canonical.is_some() {
            return Self { number: canonical, rest: String::new(), whole };
        }
        match parse_line(text) {
            Some(line) => Self { number: Some(line.numbering), rest: fold_tight(line.rest), whole },
            None => Self { number: None, rest: String::new(), whole },
        }
    }

    fn names(&self, node: &ChapterNode) -> bool {
        if self.whole.is_empty() {
            return false;
        }
        let title = fold_tight(&node.title);
        let by_title = self.whole == title || self.whole == fold_tight(&node.heading());
        let by_number = self.number.as_ref().is_some_and(|number| {
            same_number(number, node.section_number.as_str()) && (self.rest.is_empty() || self.rest == title)
        });
        by_title || by_number
    }
}

/// 第六章 is what another regulation prints as `6`.
fn same_number(asked: &Numbering, there: &str) -> bool {
    asked.to_string() == there
        || match asked {
            Numbering::Chapter(number) => there == number.to_string(),
            Numbering::Decimal(numbers) => {
                matches!(numbers.as_slice(), [number] if there == format!("第{number}章"))
            }
            _ => false,
        }
}

/// Whether the node's ancestors hold these steps, in order from the top.
fn stands_below(structure: &DocumentStructure, node: &ChapterNode, above: &[Step]) -> bool {
    let mut steps = above.iter().rev().peekable();
    for ancestor in structure.ancestors(&node.node_id).skip(1) {
        if steps.peek().is_some_and(|step| step.names(ancestor)) {
            steps.next();
        }
    }
    steps.peek().is_none()
}

fn split_path(text: &str) -> Vec<&str> {
    text.split(['/', '>', '›', '→', '／', '＞', '»']).map(str::trim).filter(|step| !step.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use regreader_model::{ClauseNumber, PageNumber};

    use super::*;

    fn tree(nodes: &[(&str, &str, &str, Option<&str>)]) -> DocumentStructure {
        let reg_id = "angui_2024".parse().unwrap();
        let mut structure = DocumentStructure::empty(reg_id);
        let mut children: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
        for (id, number, title, parent) in nodes {
            let node_id = NodeId::new(*id);
            match parent {
                Some(parent) => children.entry(parent).or_default().push(node_id.clone()),
                None => structure.root_node_ids.push(node_id.clone()),
            }
            structure.all_nodes.insert(
                node_id.clone(),
                ChapterNode {
                    node_id,
                    section_number: ClauseNumber::new(*number),
                    title: (*title).to_owned(),
                    level: 1,
                    page_num: PageNumber::FIRST,
                    page_end: None,
                    parent_id: parent.map(NodeId::new),
                    children_ids: Vec::new(),
                    content_block_ids: Vec::new(),
                },
            );
        }
        for (parent, ids) in children {
            structure.all_nodes.get_mut(parent).unwrap().children_ids = ids;
        }
        structure
    }

    fn sample() -> DocumentStructure {
        tree(&[
            ("a", "1", "总则", None),
            ("a1", "1.1", "适用范围", Some("a")),
            ("b", "2", "安控系统", None),
            ("b1", "2.1", "锦苏直流", Some("b")),
            ("b11", "2.1.1", "故障处理", Some("b1")),
            ("b2", "2.2", "天中直流", Some("b")),
            ("b21", "2.2.1", "故障处理", Some("b2")),
            ("c", "6", "线路N-1方式", None),
            ("d", "附录A", "压板表", None),
            ("d1", "A.1", "说明", Some("d")),
            ("e", "附录B", "管理办法", None),
            ("e13", "第13条", "", Some("e")),
        ])
    }

    fn found(text: &str) -> Vec<String> {
        find_chapters(&sample(), text).into_iter().map(|id| id.as_str().to_owned()).collect()
    }

    #[test]
    fn a_number_is_the_whole_number() {
        assert_eq!(found("1.1"), ["a1"]);
        assert_eq!(found("2.1"), ["b1"]);
        assert_eq!(found("２．１．１"), ["b11"]);
        assert_eq!(found("1.1.1"), [""; 0]);
        assert_eq!(found("第六章"), ["c"]);
        assert_eq!(found("6"), ["c"]);
        assert_eq!(found("附录 A"), ["d"]);
        assert_eq!(found("第十三条"), ["e13"]);
    }

    #[test]
    fn a_title_is_the_whole_title() {
        assert_eq!(found("故障处理"), ["b11", "b21"]);
        assert_eq!(found("处理"), [""; 0]);
        assert_eq!(found("线路Ｎ－１方式"), ["c"]);
        assert_eq!(found("2.2.1 故障处理"), ["b21"]);
        assert_eq!(found("2.2.1 别的"), [""; 0]);
    }

    #[test]
    fn a_path_says_which_of_several() {
        assert_eq!(found("天中直流 > 故障处理"), ["b21"]);
        assert_eq!(found("安控系统/锦苏直流/故障处理"), ["b11"]);
        assert_eq!(found("2 安控系统 / 2.2.1"), ["b21"]);
        assert_eq!(found("总则 > 故障处理"), [""; 0]);
        for nothing in ["", " ", "/", ">>>"] {
            assert_eq!(found(nothing), [""; 0], "{nothing:?}");
        }
    }

    #[test]
    fn what_is_near_is_offered() {
        assert_eq!(near_chapters(&sample(), "直流故障处理", 2), ["2.1.1 故障处理", "2.2.1 故障处理"]);
    }

    #[test]
    fn numbers_are_written_in_many_ways() {
        for (written, canonical) in [
            ("第十三条", "第13条"),
            ("2.1.4 条", "2.1.4"),
            ("第2.1.4条", "2.1.4"),
            ("２．１．４", "2.1.4"),
            ("附录 A", "附录A"),
        ] {
            assert_eq!(canonical_number(written), canonical);
        }
        assert_eq!(canonical_number("随便"), "随便");
    }
}
