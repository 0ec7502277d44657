//! Changes in words: one line each, in the reader's language.

use regreader_messages::{Language, tools};
use regreader_text::beginning;

use crate::record::{ChangeKind, ChangeRecord, Place, QuantityChange};

/// Characters of a text in a line.
const SHOWN: usize = 120;

/// Characters that name a row in a line.
const ROW_NAME: usize = 60;

impl ChangeKind {
    /// The kind as a reader calls it.
    pub fn label(self, language: Language) -> &'static str {
        language.say(match self {
            Self::Limit => tools::KIND_LIMIT,
            Self::Text => tools::KIND_TEXT,
            Self::Added => tools::KIND_ADDED,
            Self::Deleted => tools::KIND_DELETED,
            Self::Split => tools::KIND_SPLIT,
            Self::Merged => tools::KIND_MERGED,
            Self::Moved => tools::KIND_MOVED,
            Self::Renumbered => tools::KIND_RENUMBERED,
            Self::Note => tools::KIND_NOTE,
            Self::Format => tools::KIND_FORMAT,
        })
    }
}

/// `表3-1 5 台机、新能源 200，限额` or `2.1.3`: what a place is called.
pub fn place_label(place: &Place, language: Language) -> String {
    let mut label = String::new();
    match (&place.table, &place.note) {
        (Some(table), note) => {
            let numbered = table.starts_with(|c: char| c.is_ascii_digit()) || !table.starts_with('t');
            label.push_str(tools::table_label(language, if numbered { table } else { "" }).trim());
            if let Some(note) = note {
                label.push_str(&format!(" {note}"));
            }
        }
        (None, note) => {
            label.push_str(place.clause.as_deref().or(place.title.as_deref()).unwrap_or_default());
            if let Some(note) = note {
                label.push_str(&format!(" {note}"));
            }
        }
    }
    // Rows of prose have no key: their first cells tell them apart, and not at full length.
    let mut names: Vec<String> = Vec::new();
    let mut room = ROW_NAME;
    for cell in place.row_label.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()) {
        if room == 0 {
            break;
        }
        let name = beginning(&cell.replace('\n', " "), room);
        room = room.saturating_sub(name.chars().count());
        names.push(name);
    }
    if !names.is_empty() {
        label.push_str(&format!(" {}", names.join(language.choose("、", ", "))));
    }
    if let Some(column) = place.column.as_deref().filter(|column| !column.is_empty()) {
        label.push_str(&format!("{}{column}", language.choose("，", ", ")));
    }
    label
}

/// `545 → 520 万千瓦（-25）`.
pub(crate) fn quantity_text(quantity: &QuantityChange, language: Language) -> String {
    let unit = if quantity.unit.is_empty() { String::new() } else { format!(" {}", quantity.unit) };
    let difference = match (&quantity.difference, language) {
        (None, _) => String::new(),
        (Some(difference), Language::Chinese) => format!("（{difference}）"),
        (Some(difference), Language::English) => format!(" ({difference})"),
    };
    format!("{} → {}{unit}{difference}", quantity.old, quantity.new)
}

/// One change in a line: `表3-1 5 台机、新能源 200、策略投入：545 → 520 万千瓦（-25）P9 → P9`.
pub fn summary(record: &ChangeRecord, language: Language) -> String {
    let colon = language.choose("：", ": ");
    let old = record.old.as_ref().map(|place| place_label(place, language));
    let new = record.new.as_ref().map(|place| place_label(place, language));
    let place = match (&old, &new) {
        (Some(old), Some(new)) if old != new => format!("{old} → {new}"),
        _ => new.or(old).unwrap_or_default(),
    };
    let others: Vec<String> = record.others.iter().map(|other| place_label(other, language)).collect();
    let place = if others.is_empty() { place } else { format!("{place} + {}", others.join(" + ")) };
    let quantities: Vec<String> =
        record.quantities().map(|quantity| quantity_text(quantity, language)).collect();
    let text = if quantities.is_empty() {
        let words = record.words.as_deref();
        let text = words.or(record.new_text.as_deref()).or(record.old_text.as_deref()).unwrap_or_default();
        beginning(&text.replace('\n', " "), SHOWN)
    } else {
        quantities.join(language.choose("；", "; "))
    };
    let pages = match (&record.old, &record.new) {
        (Some(old), Some(new)) => format!("P{} → P{}", old.page, new.page),
        (Some(place), None) | (None, Some(place)) => format!("P{}", place.page),
        (None, None) => String::new(),
    };
    let possibly = record.possibly.as_ref().map_or_else(String::new, |place| {
        format!(" [{}]", tools::possibly(language, place_label(place, language), place.page))
    });
    match record.kind {
        ChangeKind::Renumbered | ChangeKind::Moved => format!("{place} {pages}"),
        _ => format!("{place}{colon}{text} {pages}{possibly}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_prose_is_named_by_its_beginning() {
        let place = Place {
            table: Some("R1".into()),
            row_label: vec!["R1".into(), "The entity did not complete its review. ".repeat(9), "High".into()],
            ..Place::default()
        };
        let label = place_label(&place, Language::English);
        assert!(label.starts_with("Table R1 R1, The entity did not"), "{label}");
        assert!(label.chars().count() < 90 && !label.contains("High"), "{label}");
    }

    #[test]
    fn a_limit_reads_as_a_dispatcher_would_say_it() {
        let place = Place {
            table: Some("3-1".into()),
            row_label: vec!["5 台机".into(), "新能源 200".into(), "策略投入".into()],
            page: 9,
            ..Place::default()
        };
        let mut record = ChangeRecord::new(ChangeKind::Limit, Some(place.clone()), Some(place), 1.0);
        record.quantity = Some(QuantityChange {
            old: "545".into(),
            new: "520".into(),
            unit: "万千瓦".into(),
            difference: Some("-25".into()),
        });
        assert_eq!(
            summary(&record, Language::Chinese),
            "表3-1 5 台机、新能源 200、策略投入：545 → 520 万千瓦（-25） P9 → P9"
        );
    }
}
