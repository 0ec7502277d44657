//! Clauses of two chapters side by side.

use std::collections::HashSet;

use regreader_model::{BlockType, ChapterNode, DocumentStructure, PageNumber};
use regreader_store::RegulationReader;
use regreader_text::fold;
use similar::{Algorithm, ChangeTag, capture_diff_slices};

use crate::ToolError;

/// Clauses more alike than this are one clause that changed.
const ALIKE: f64 = 0.5;
/// Clauses of the same number need to be only this much alike.
const ALIKE_SAME_NUMBER: f64 = 0.2;

/// A clause: a node's own text, without what stands below it and without tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// Its number in its own regulation.
    pub number: String,
    /// Its number below the chapter that is compared.
    relative: String,
    /// Page.
    pub page: PageNumber,
    /// Text.
    pub text: String,
}

/// The clauses of a chapter, in order. Nodes without any text of their own are left out.
pub fn collect(
    reader: &RegulationReader,
    structure: &DocumentStructure,
    node: &ChapterNode,
) -> Result<Vec<Clause>, ToolError> {
    let (first, last) = node.page_range();
    let pages = reader.pages(first..=last)?;
    let mut clauses = Vec::new();
    let below = |other: &&ChapterNode| {
        structure.ancestors(&other.node_id).any(|ancestor| ancestor.node_id == node.node_id)
    };
    for node_below in structure.iter().filter(below) {
        let own: HashSet<_> = node_below.content_block_ids.iter().collect();
        let mut text = String::new();
        let mut page = node_below.page_num;
        for block in pages.iter().flat_map(|page| &page.content_blocks) {
            if own.contains(&block.block_id) && block.block_type != BlockType::Table {
                if text.is_empty() {
                    page = pages
                        .iter()
                        .find(|p| p.content_blocks.iter().any(|b| b.block_id == block.block_id))
                        .map_or(page, |p| p.page_num);
                } else {
                    text.push('\n');
                }
                text.push_str(block.content_markdown.trim_start_matches('#').trim());
            }
        }
        if !text.is_empty() {
            let number = node_below.section_number.to_string();
            let relative = number.strip_prefix(node.section_number.as_str()).unwrap_or(&number).to_owned();
            clauses.push(Clause { number, relative, page, text });
        }
    }
    Ok(clauses)
}

/// The character pairs of a text.
type Shingles = HashSet<(char, char)>;
/// How well a clause of a goes with the clause of b at a position; none when it does not.
type Rule<'a> = dyn Fn(&Clause, &Shingles, usize) -> Option<f64> + 'a;
/// A clause of a beside a clause of b, either of them missing.
type Pair<'a> = (Option<&'a Clause>, Option<&'a Clause>);

/// Pairs clauses: by number where the words agree at least a little, then by likeness, in order of a with the
/// leftovers of b at the end.
pub fn align<'a>(a: &'a [Clause], b: &'a [Clause]) -> Vec<Pair<'a>> {
    let shingles_b: Vec<Shingles> = b.iter().map(|clause| shingles(&clause.text)).collect();
    let mut free: Vec<bool> = vec![true; b.len()];
    let mut partner: Vec<Option<usize>> = vec![None; a.len()];
    let mut pair = |rule: &Rule<'_>| {
        for (i, clause) in a.iter().enumerate() {
            if partner[i].is_some() {
                continue;
            }
            let own = shingles(&clause.text);
            let candidates = (0..b.len()).filter(|j| free[*j]);
            let scored = candidates.filter_map(|j| Some((rule(clause, &own, j)?, j)));
            let best = scored.max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1)));
            if let Some((_, j)) = best {
                partner[i] = Some(j);
                free[j] = false;
            }
        }
    };
    let likeness = |own: &Shingles, j: usize| jaccard(own, &shingles_b[j]);
    // A clause that moved word for word is itself, whatever number it bears now.
    pair(&|clause, _, j| {
        (clause.relative == b[j].relative && same_words(&clause.text, &b[j].text)).then_some(1.0)
    });
    pair(&|clause, _, j| {
        same_words(without_number(&clause.text, &clause.number), without_number(&b[j].text, &b[j].number))
            .then_some(1.0)
    });
    pair(&|clause, own, j| {
        let score = likeness(own, j);
        (clause.relative == b[j].relative && score >= ALIKE_SAME_NUMBER).then_some(score)
    });
    pair(&|_, own, j| Some(likeness(own, j)).filter(|score| *score >= ALIKE));
    let mut aligned: Vec<_> =
        a.iter().zip(&partner).map(|(clause, j)| (Some(clause), j.map(|j| &b[j]))).collect();
    aligned.extend(b.iter().zip(&free).filter(|(_, free)| **free).map(|(clause, _)| (None, Some(clause))));
    aligned
}

/// Whether two texts say the same once folded.
pub fn same_words(a: &str, b: &str) -> bool {
    fold(a) == fold(b)
}

/// `限额由[-300-]{+330+}万千瓦`: the second text, with what it lost and gained.
pub fn changed_words(a: &str, b: &str) -> String {
    let old = pieces(a);
    let new = pieces(b);
    let mut text = String::new();
    for operation in capture_diff_slices(Algorithm::Patience, &old, &new) {
        let (mut removed, mut added) = (String::new(), String::new());
        for change in operation.iter_changes(&old, &new) {
            match change.tag() {
                ChangeTag::Equal => text.push_str(change.value()),
                ChangeTag::Delete => removed.push_str(change.value()),
                ChangeTag::Insert => added.push_str(change.value()),
            }
        }
        if !removed.is_empty() {
            text.push_str(&format!("[-{removed}-]"));
        }
        if !added.is_empty() {
            text.push_str(&format!("{{+{added}+}}"));
        }
    }
    text
}

/// Numbers and Latin words whole, everything else character by character: `330` changes as a number, not a digit.
fn pieces(text: &str) -> Vec<&str> {
    let joins = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        let in_same_word = in_word && joins(c);
        if at > start && !in_same_word {
            pieces.push(&text[start..at]);
            start = at;
        }
        in_word = joins(c);
    }
    if start < text.len() {
        pieces.push(&text[start..]);
    }
    pieces
}

fn without_number<'a>(text: &'a str, number: &str) -> &'a str {
    text.strip_prefix(number).unwrap_or(text).trim_start_matches('.').trim_start()
}

fn shingles(text: &str) -> Shingles {
    let folded = fold(text);
    folded.chars().zip(folded.chars().skip(1)).collect()
}

fn jaccard(a: &Shingles, b: &Shingles) -> f64 {
    let common = a.intersection(b).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clause(number: &str, text: &str) -> Clause {
        Clause { number: number.into(), relative: number.into(), page: PageNumber::FIRST, text: text.into() }
    }

    #[test]
    fn changed_words_show_numbers_whole() {
        assert_eq!(changed_words("限额为300万千瓦。", "限额为330万千瓦。"), "限额为[-300-]{+330+}万千瓦。");
        assert_eq!(changed_words("立即汇报", "应立即汇报"), "{+应+}立即汇报");
    }

    #[test]
    fn a_clause_that_moved_is_found_and_a_new_one_stays_alone() {
        let a = [clause("1", "1 装置应双重化配置。"), clause("2", "2 压板由现场投退。")];
        let b = [
            clause("1", "1 新增：装置应定期检验并报告。"),
            clause("2", "2 装置应双重化配置。"),
            clause("3", "3 压板由现场投退。"),
        ];
        let aligned = align(&a, &b);
        let numbers: Vec<_> = aligned
            .iter()
            .map(|(a, b)| (a.map(|c| c.number.as_str()), b.map(|c| c.number.as_str())))
            .collect();
        assert_eq!(numbers, [(Some("1"), Some("2")), (Some("2"), Some("3")), (None, Some("1"))]);
    }
}
