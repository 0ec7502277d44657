//! What the labels that a question says leave of a table: its rows, labels that exclude each other, and what is not said.

use std::collections::BTreeSet;

use super::{SaidLabel, TableReading};

impl TableReading {
    /// Whether a row has every label that the question says wholly; true of all rows where it says none.
    pub fn means_row(&self, row: usize) -> bool {
        self.labels.iter().filter(|label| label.whole).all(|label| label.rows.contains(&row))
    }

    /// The labels that the question says where no row has all of them: a plant, and a voltage that it does not have.
    pub fn excluding(&self) -> Option<Vec<&str>> {
        let whole: Vec<&SaidLabel> = self.labels.iter().filter(|label| label.whole).collect();
        let mut rows = whole.iter().flat_map(|label| &label.rows);
        let excludes = whole.len() > 1 && !rows.any(|row| self.means_row(*row));
        excludes.then(|| whole.iter().map(|label| label.label.as_str()).collect())
    }

    /// What the question would have to say for one value to be meant: headers of the label columns of which it says nothing, and the
    /// name of a scale of columns.
    pub fn missing(&self, headers: &[&str]) -> Vec<String> {
        let is_said = |column: &usize| self.labels.iter().any(|label| label.column == *column);
        let labels = self
            .shape
            .labels
            .iter()
            .filter(|column| !is_said(column))
            .filter_map(|column| headers.get(*column));
        let mut missing: Vec<String> = labels.map(|header| (*header).to_owned()).collect();
        let name = |column: &usize| headers.get(*column)?.rsplit_once(" / ").map(|(name, _)| name);
        let names: Option<BTreeSet<&str>> = self.shape.values.iter().map(name).collect();
        if let Some(names) = names.filter(|names| names.len() == 1 && self.columns.is_empty()) {
            missing.extend(names.into_iter().map(str::to_owned));
        }
        missing
    }
}
