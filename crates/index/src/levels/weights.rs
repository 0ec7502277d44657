//! The weights of the ranking, in one place. `training/ranking/fit.py` fits them on the train part of the real
//! questions; BENCHMARKS.md has the table with the effect of leaving each out.

/// How much each level of the ranking counts. Every level is divided by its best candidate first, so that weights
/// compare; only their ratios matter.
#[derive(Debug, Clone, Copy, PartialEq)]
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
            named_regulation: 1.0,
            superseded: 0.25,
            named_place: 0.5,
            named_place_begins: 0.2,
            definition: 0.85,
            table_row: 0.25,
            meaning_alone: 0.3,
        }
    }
}
