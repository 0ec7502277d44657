//! The weights of the ranking, in one place. `training/ranking/fit.py` fits the levels on the train part of the real
//! questions; `cargo run -p regreader-eval --example leave_one_out` measures what every weight brings, and BENCHMARKS.md
//! has the dated tables.

use serde::{Deserialize, Serialize};

/// How much each level of the ranking counts. Every level is divided by its best candidate first, so that weights
/// compare; only their ratios matter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RankingWeights {
    /// Words of the window: neighbouring blocks with the titles above them.
    pub window: f64,
    /// Cosine of the window's mean vector.
    pub meaning: f64,
    /// Words of the block alone, as the keyword index scores it, with phrases.
    pub block: f64,
    /// Cosine of the block alone.
    pub block_meaning: f64,
    /// Words of the clause with the titles above it.
    pub clause: f64,
    /// Words of the page.
    pub page: f64,
    /// Words of the regulation's title, number and aliases.
    pub regulation: f64,
    /// Taken off one of the best windows for what it has less than another of the question's words, the same or similar ones.
    pub similar: f64,
    /// The same for its cosine.
    pub near: f64,
    /// What a term that documents print for an everyday word is worth beside that word.
    pub formal: f64,
    /// Added for a regulation that the question names outright.
    pub named_regulation: f64,
    /// Taken off an edition that another one has replaced and that the question does not name.
    pub superseded: f64,
    /// Added for a clause or table that the question names.
    pub named_place: f64,
    /// Added on the first page of a named clause: whoever names it wants it from its beginning.
    pub named_place_begins: f64,
    /// What a definition's score is worth to a question about rules.
    pub definition: f64,
    /// Added for a table by the share of the question's weight that its best row holds.
    pub table_row: f64,
    /// Least cosine of a block that shares no word with a question of which no word is in the library. Strings of random
    /// letters reach 0.30 over the sample library (forty tried, median 0.18), so that less is noise.
    pub meaning_alone: f64,
    /// A table this near the best one, as a share of its score, is taken for the one that is asked for when a row of it
    /// meets the question's conditions.
    pub table_near: f64,
    /// A part of a table without that row stands this much behind the part with it.
    pub row_step: f64,
    /// What a window of nothing but headings is worth.
    pub headings_only: f64,
    /// Added in table search for a table whose number or caption the question gives.
    pub named_table: f64,
    /// How regulations are chosen.
    pub choice: ChoiceWeights,
}

/// How much each thing speaks for a regulation, beside its best hit, which counts 1; and how near the best one others must
/// come to be searched too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChoiceWeights {
    /// Its name in the question, whole or in parts.
    pub name: f64,
    /// Its subject words in the question.
    pub keywords: f64,
    /// The question's words in its title, scope and description.
    pub about: f64,
    /// The question's words in the titles of the chapters that were found.
    pub chapter: f64,
    /// Its edition named by the question.
    pub edition: f64,
    /// A regulation with at least this share of the best one's score is taken too.
    pub near: f64,
    /// So is one that holds at least this share of the question's weight that those taken do not …
    pub gain: f64,
    /// … with at least this share of the best one's score.
    pub gain_near: f64,
    /// So is one that the named one or the best hit refers to, with a hit of at least this share of the best.
    pub referred: f64,
    /// An edition that is not in force is taken when its best hit is so many times that of the one in force.
    pub older_edition: f64,
}

impl Default for RankingWeights {
    /// The levels are fitted on the train part, half way from the ratios that a study gave without fitting (window 1,
    /// meaning 2, clause 1, page 1, regulation ½): a hundred questions are few. A best score is about two.
    fn default() -> Self {
        Self {
            window: 0.36,
            meaning: 0.72,
            block: 0.07,
            block_meaning: 0.17,
            clause: 0.18,
            page: 0.36,
            regulation: 0.22,
            similar: 4.6,
            near: 1.7,
            formal: 0.5,
            named_regulation: 1.0,
            superseded: 0.5,
            named_place: 0.5,
            named_place_begins: 0.2,
            definition: 0.85,
            table_row: 0.25,
            meaning_alone: 0.3,
            table_near: 0.8,
            row_step: 0.02,
            headings_only: 0.5,
            named_table: 10.0,
            choice: ChoiceWeights::default(),
        }
    }
}

impl Default for ChoiceWeights {
    /// Set by hand on the sample library, where every regulation that is needed must be chosen; not fitted.
    fn default() -> Self {
        Self {
            name: 2.0,
            keywords: 1.0,
            about: 0.35,
            chapter: 0.35,
            edition: 0.5,
            near: 0.8,
            gain: 0.16,
            gain_near: 0.35,
            referred: 0.6,
            older_edition: 1.6,
        }
    }
}
