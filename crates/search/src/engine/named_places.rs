//! Which places a question means. 按 3.1.8 条 is asked of that clause and 表6-2 注3 of that note, however little their
//! words say so; and what is laid down is asked of the rules, not of the definitions that use the same words.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{BlockType, ClauseNumber, PageNumber, ReferenceKind, RegId};
use regreader_question::Question;
use regreader_text::reference::clause_candidates;
use regreader_text::{CaptionKind, fold, parse_caption, parse_definition};

use super::SearchEngine;
use regreader_index::Fusion;
use regreader_index::Ranking;
use regreader_index::storage::catalog::CatalogView;
use regreader_index::{Filter, IndexDocument, IndexError};

/// Hits that are looked at: what stands behind them is not what was meant.
const LOOKED_AT: usize = 40;
/// Chapters whose notes are looked through for the one that is named with its table.
const CHAPTERS: usize = 3;
/// Titles of chapters that define, as GB/T 1.1 and the ISO/IEC Directives Part 2 name them.
const DEFINING: [&str; 4] = ["术语", "定义", "definitions", "glossary"];

/// Raises the blocks that the question names and lowers the definitions that it does not ask for. The default fusion
/// alone: the others are what they say and nothing else.
pub(super) fn boost(
    engine: &SearchEngine,
    ranking: &mut Ranking,
    question: &Question,
    filter: &Filter,
    view: &CatalogView,
) -> Result<(), IndexError> {
    if engine.options().fusion.fusion != Fusion::Adaptive {
        return Ok(());
    }
    let meant = NamedPlaces::of(question);
    if meant.is_empty() && !question.asks_for_rules() {
        return Ok(());
    }
    let weights = engine.options().ranking;
    let mut raised = BTreeSet::new();
    // Each named clause with the first page it was found on, and where its blocks stand in the ranking.
    let mut clauses: BTreeMap<(RegId, ClauseNumber), (PageNumber, Vec<usize>)> = BTreeMap::new();
    for (at, one) in ranking.documents.iter_mut().take(LOOKED_AT).enumerate() {
        let Some(document) = view.get(&one.key)? else { continue };
        if meant.names(&document) {
            one.score += weights.named_place;
            if let Some(clause) =
                document.section_number.clone().filter(|number| meant.clauses.contains(number))
            {
                let (first, blocks) = clauses
                    .entry((document.key.reg_id.clone(), clause))
                    .or_insert((one.key.page_num, Vec::new()));
                *first = one.key.page_num.min(*first);
                blocks.push(at);
            }
            raised.insert((document.key.reg_id, document.section_number));
        } else if question.asks_for_rules() && defines(&document) {
            one.score *= weights.definition;
        }
    }
    for (first, blocks) in clauses.into_values() {
        for at in blocks {
            if let Some(one) = ranking.documents.get_mut(at).filter(|one| one.key.page_num == first) {
                one.score += weights.named_place_begins;
            }
        }
    }
    if !meant.notes.is_empty() && !meant.tables.is_empty() {
        let top = ranking.documents.iter().map(|one| one.score).fold(0.0, f64::max);
        for (reg_id, section_number) in raised.into_iter().take(CHAPTERS) {
            let beside = Filter {
                regulations: Some(BTreeSet::from([reg_id])),
                block_types: BTreeSet::from([BlockType::Note]),
                section_number,
                ..filter.clone()
            };
            let notes = engine.blocks.search(&question.asking, &beside, LOOKED_AT)?;
            for mut one in notes.documents {
                if view.get(&one.key)?.is_some_and(|document| meant.names_note(&document)) {
                    one.score = top + one.score.clamp(0.0, 1.0);
                    ranking.documents.retain(|known| known.key != one.key);
                    ranking.documents.push(one);
                }
            }
        }
    }
    ranking.documents.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
    Ok(())
}

/// The places that a question names.
#[derive(Debug, Default)]
struct NamedPlaces {
    /// Clauses, in each form they may be filed under.
    clauses: BTreeSet<ClauseNumber>,
    tables: BTreeSet<String>,
    /// Canonical labels of notes and plans.
    notes: BTreeSet<String>,
}

impl NamedPlaces {
    fn of(question: &Question) -> Self {
        let mut meant = Self::default();
        for target in &question.places {
            let number = || target.number.clone();
            match target.kind {
                ReferenceKind::Section | ReferenceKind::Article => {
                    meant.clauses.extend(clause_candidates(target));
                }
                ReferenceKind::Table => drop(meant.tables.insert(number())),
                ReferenceKind::Annotation | ReferenceKind::Plan => drop(meant.notes.insert(number())),
                ReferenceKind::Chapter
                | ReferenceKind::Appendix
                | ReferenceKind::Figure
                | ReferenceKind::Regulation => {}
            }
        }
        meant
    }

    fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.tables.is_empty() && self.notes.is_empty()
    }

    /// Whether a block is of a clause or table that was named.
    fn names(&self, document: &IndexDocument) -> bool {
        let clause = document.section_number.as_ref().is_some_and(|number| self.clauses.contains(number));
        clause || self.names_table(document)
    }

    fn names_table(&self, document: &IndexDocument) -> bool {
        if self.tables.is_empty() || document.block_type != BlockType::Table {
            return false;
        }
        // Bold in the page's Markdown.
        let line =
            document.text.lines().map(|line| line.trim().trim_matches('*')).find(|line| !line.is_empty());
        let caption = line.and_then(parse_caption);
        caption.is_some_and(|caption| {
            caption.kind == CaptionKind::Table && self.tables.contains(&caption.number)
        })
    }

    fn names_note(&self, document: &IndexDocument) -> bool {
        document.block_type == BlockType::Note
            && parse_definition(&document.text).is_some_and(|label| self.notes.contains(&label.canonical))
    }
}

fn defines(document: &IndexDocument) -> bool {
    let titles = document.chapter_path.iter().map(|title| fold(title));
    titles.into_iter().any(|title| DEFINING.iter().any(|word| title.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_taken_from_the_question() {
        let named = |text| NamedPlaces::of(&Question::read(text, regreader_question::Lexicon::built_in()));
        let clauses = named("根据2.5条和3.1.8条的要求，请计算短路比").clauses;
        assert!(["2.5", "3.1.8"].iter().all(|number| clauses.contains(&ClauseNumber::new(*number))));
        let note = named("表6-2 注3说的是什么？");
        assert_eq!((note.tables.len(), note.notes.contains("注3")), (1, true), "{note:?}");
        assert!(named("110千伏母线失压").is_empty());
    }
}
