//! Questions that name a place: 表6-2 的注1, 第2.1.4条, 附录B第十三条.

use std::sync::Arc;

use regreader_messages::agents;
use regreader_model::{ClauseNumber, ReferenceKind, ReferenceTarget};
use regreader_question::{Question, named_in, squeeze};
use regreader_text::reference::clause_candidates;
use regreader_text::{canonical_table_number, fold};
use regreader_tools::{
    ChapterContent, GetTable, LookupAnnotation, ReadChapter, RegulationChoice, RegulationEntry,
    ResolveReference, SearchTables, TableRow, TableView,
};

use super::evidence::size_of_rows;
use super::meaning::Meaning;
use super::passage::{Focus, shares};
use super::{Desk, Evidence, OfflineOptions};
use crate::ToolFailure;
use crate::offline::terms::{Bag, Terms};

/// Places that are quoted when a question names several.
const MAX_PLACES: usize = 4;
/// Room for what is quoted of a named place, in Chinese characters.
const ROOM: usize = 400;
/// Tables of a regulation in which a numbered row is looked for.
const MAX_TABLES: u32 = 10;
/// A table of no more rows is quoted whole.
const FEW_ROWS: usize = 6;
/// Rows of a named table are quoted until one of them is so probably meant.
const PROBABLY: f64 = 0.9;

/// Goes to the named place. None when the question names none; empty evidence when the place does not exist.
pub fn look_up(desk: &mut Desk<'_>, asked: &Question) -> Result<Option<Evidence>, ToolFailure> {
    use ReferenceKind::{Annotation, Plan, Table};
    let table = asked.places_of(&[Table]).next();
    let note = asked.places_of(&[Annotation, Plan]).next();
    let mut places = places(asked);
    // 第六章, Part 3 and 附录B stand in many regulations: without a name it is not said which is meant.
    let is_common =
        |place: &ReferenceTarget| place.kind != ReferenceKind::Article && !place.number.contains(['.', '-']);
    if !names_one(desk, asked) && asked.places_of(&PLACES).all(is_common) {
        places.clear();
    }
    if table.is_none() && places.is_empty() {
        return plan(desk, asked);
    }
    desk.think(agents::NAMED_PLACE);
    let words = asked.words_without(&desk.names());
    let terms = Terms::read(&words);
    let meaning = Meaning::of(&asked.text, &asked.sayings);
    let options = desk.options;
    let room = if options.full { usize::MAX } else { ROOM };
    let codes = codes(desk, asked);
    let mut evidence = Evidence::default();
    let (regulations, each) = regulations(desk, asked);
    for reg_id in regulations {
        let before = evidence.measures.len();
        if let Some(target) = table {
            let name = format!("表{}", target.number);
            let Some(found) = desk.find(&GetTable::new(&reg_id, &name))? else { continue };
            if let Some(label) = note {
                let request = LookupAnnotation {
                    reg_id: reg_id.clone(),
                    annotation_id: label.number.clone(),
                    table_hint: Some(found.table_id),
                    ..LookupAnnotation::default()
                };
                if let Some(note) = desk.find(&request)?
                    && canonical_table_number(&note.scope).as_ref() == Some(&target.number)
                {
                    evidence.quote_note(&note);
                }
            } else {
                let numbered = rows_numbered(&found, &row_numbers(asked));
                // Part 2.3 of a table whose parts end with 2.2 is no other part, and EL-5 no other level.
                let lacks_number = numbered.is_empty() && !numbers_in_column(&found, asked).is_empty();
                if lacks_number || lacks_code(&found, &codes) {
                    continue;
                }
                let terms = weighed_by_rows(&words, &found);
                let focus = focus(&terms, &meaning, asked, options);
                let rows = if numbered.is_empty() { telling_rows(&found, room, &focus) } else { numbered };
                evidence.quote_rows_within(room, &found, &rows, &focus);
                evidence.mind_notes(&found);
            }
        } else if let Some((found, rows)) = row_by_its_column(desk, &reg_id, asked)? {
            let rows: Vec<&TableRow> = rows.iter().filter_map(|at| found.rows.get(*at)).collect();
            evidence.quote_rows_within(room, &found, &rows, &focus(&terms, &meaning, asked, options));
        } else {
            // Section 3.11 of Part 3 is not answered with Part 3: of places within each other each must be there.
            let clauses = clauses(desk, &reg_id, &places)?;
            if clauses.len() == places.len() || !are_nested(asked) {
                for clause in &clauses {
                    evidence.quote_clause(clause);
                }
            }
        }
        // The first regulation that has the place answers, unless the question names several.
        if evidence.measures.len() > before && !each {
            break;
        }
    }
    if evidence.measures.is_empty() && table.is_none() {
        numbered_row(desk, asked, &mut evidence)?;
    }
    evidence.shorten(room, &focus(&terms, &meaning, asked, options));
    Ok(Some(evidence))
}

/// The clauses of a regulation that these words name, those of them that are there.
fn clauses(desk: &mut Desk<'_>, reg_id: &str, places: &[String]) -> Result<Vec<ChapterContent>, ToolFailure> {
    let mut clauses = Vec::new();
    for words in places {
        let request = ResolveReference {
            reg_id: reg_id.to_owned(),
            reference_text: words.clone(),
            ..ResolveReference::default()
        };
        let Some(found) = desk.find(&request)? else { continue };
        let Some(place) = found.location else { continue };
        clauses.extend(desk.find(&ReadChapter::new(place.reg_id, found.title))?);
    }
    Ok(clauses)
}

/// Whether the places that a question names are of different kinds, and so one within the other: section 8 of attachment 1. Places
/// of one kind are several: 第3条和第5条.
fn are_nested(asked: &Question) -> bool {
    let mut kinds =
        asked.places_of(&PLACES).map(|place| (place.kind, place.number.contains(char::is_alphabetic)));
    let first = kinds.next();
    kinds.any(|kind| Some(kind) != first)
}

/// Codes with a number in the question (`EL-5`, `0x0091`) that are not the names of regulations.
fn codes(desk: &Desk<'_>, asked: &Question) -> Vec<String> {
    let names: Vec<String> = desk.names().iter().map(|name| fold(name)).collect();
    let is_code = |code: &String| {
        code.contains(|c: char| c.is_ascii_digit()) && !names.iter().any(|name| name.contains(code.as_str()))
    };
    asked.abbreviations().into_iter().filter(is_code).collect()
}

/// Whether one of these codes stands nowhere in a table.
fn lacks_code(table: &TableView, codes: &[String]) -> bool {
    let cells = table.rows.iter().flat_map(|row| &row.cells).chain(&table.col_headers);
    let notes = table.notes.iter().map(|note| &note.content);
    let texts: Vec<String> =
        cells.chain(notes).chain(&table.caption).chain(&table.chapter_path).map(|text| fold(text)).collect();
    codes.iter().any(|code| !texts.iter().any(|text| text.contains(code.as_str())))
}

/// The words of a question; a word says the more the fewer rows of the table have it.
fn weighed_by_rows(words: &str, table: &TableView) -> Terms {
    let mut terms = Terms::read(words);
    let bags: Vec<Arc<Bag>> = table.rows.iter().map(|row| terms.bag(&row.cells.join("\n"))).collect();
    terms.weigh(&bags);
    terms
}

/// What of a named place is wanted.
fn focus<'a>(
    terms: &'a Terms,
    meaning: &'a Meaning,
    asked: &'a Question,
    options: &'a OfflineOptions,
) -> Focus<'a> {
    Focus { terms, meaning, value: asked.value.as_ref(), weights: options.weights() }
}

/// The rows that the question names by the header of their column: `CIP-007-7 Part 4.1` is the row `4.1` of a table whose
/// first column is headed `Part`, and not the clause of that number. Only in a regulation that the question names: a number
/// alone stands in many tables.
fn row_by_its_column(
    desk: &mut Desk<'_>,
    reg_id: &str,
    asked: &Question,
) -> Result<Option<(TableView, Vec<usize>)>, ToolFailure> {
    let is_named = desk.options.regulations.iter().any(|given| given == reg_id)
        || named(&desk.regulations, asked).iter().any(|entry| entry.reg_id == reg_id);
    if !is_named || row_numbers(asked).is_empty() {
        return Ok(None);
    }
    let within = Some(RegulationChoice::One(reg_id.to_owned()));
    for table in desk.call(&SearchTables::new(&asked.text, within, MAX_TABLES))?.tables {
        let Some(found) = desk.find(&GetTable::new(reg_id, table.table_id))? else { continue };
        let meant = numbers_in_column(&found, asked);
        let is_meant = |row: &TableRow| {
            let number = row.cells.first().and_then(|cell| bare_number(cell));
            number.is_some_and(|number| meant.contains(&number))
        };
        let rows: Vec<usize> =
            found.rows.iter().enumerate().filter(|(_, row)| is_meant(row)).map(|(at, _)| at).collect();
        if !rows.is_empty() {
            return Ok(Some((found, rows)));
        }
    }
    Ok(None)
}

/// The numbers in a question that it gives the name of a table's first column: `Part 4.1`.
fn numbers_in_column(table: &TableView, asked: &Question) -> Vec<String> {
    let header = fold(table.col_headers.first().map_or("", String::as_str));
    let is_named =
        |number: &String| word_before(asked.folded(), number).is_some_and(|word| word == header.trim());
    row_numbers(asked).into_iter().filter(is_named).collect()
}

/// The word right before a number in a folded text: `part` in `cip-007-7 part 4.1`.
fn word_before(folded: &str, number: &str) -> Option<String> {
    let before = &folded[..folded.find(number)?];
    let word = before.trim_end().rsplit(|c: char| !c.is_alphabetic()).next()?;
    (!word.is_empty()).then(|| word.to_owned())
}

/// Quotes the row of a table that bears the number of the place: requirements such as `R2 Part 2.2` are rows in many
/// standards, not clauses. Only the regulations that come first are looked at; a number alone stands in many tables.
fn numbered_row(desk: &mut Desk<'_>, asked: &Question, evidence: &mut Evidence) -> Result<(), ToolFailure> {
    let numbers = row_numbers(asked);
    let (regulations, each) = regulations(desk, asked);
    for reg_id in regulations.into_iter().take(MAX_PLACES) {
        let within = Some(RegulationChoice::One(reg_id.clone()));
        for table in desk.call(&SearchTables::new(&asked.text, within, MAX_TABLES))?.tables {
            let Some(found) = desk.find(&GetTable::new(&reg_id, table.table_id))? else { continue };
            let rows = rows_numbered(&found, &numbers);
            if !rows.is_empty() {
                evidence.quote_rows(&found, &rows);
                if !each {
                    return Ok(());
                }
                break;
            }
        }
    }
    Ok(())
}

/// The numbers in a question that may be those of rows: `Table R4 Part 4.4`.
fn row_numbers(asked: &Question) -> Vec<String> {
    use ReferenceKind::{Article, Section};
    asked.places_of(&[Section, Article]).filter_map(|target| bare_number(&target.number)).collect()
}

/// The rows of a table that bear one of these numbers.
fn rows_numbered<'a>(table: &'a TableView, numbers: &[String]) -> Vec<&'a TableRow> {
    let is_number = |cell: &String| bare_number(cell).is_some_and(|number| numbers.contains(&number));
    table.rows.iter().filter(|row| row.cells.first().is_some_and(is_number)).collect()
}

/// A number without the word before it and the full stop behind it: `Part 2.2` and `2.2.` are `2.2`. One without a point
/// inside (`2`, `R2`) names too much to be a row.
fn bare_number(text: &str) -> Option<String> {
    let last = text.trim().trim_end_matches(['.', '．']).rsplit(' ').next().unwrap_or_default();
    last.contains('.').then(|| last.to_owned())
}

/// The rows of a named table that speak of the question, in their order; all of them when they are few and fit the room. How
/// probably each is meant is known from the weights that choose sentences: the best are taken until one of them probably is, or
/// until the room is full.
fn telling_rows<'a>(table: &'a TableView, room: usize, focus: &Focus<'_>) -> Vec<&'a TableRow> {
    let rows: Vec<&TableRow> = table.rows.iter().collect();
    if rows.len() <= FEW_ROWS && size_of_rows(table, &rows) <= room {
        return rows;
    }
    // A row with the code that is asked for (`EL-2`) is meant, not its neighbours that say the same of another one.
    let codes: Vec<f64> = rows
        .iter()
        .map(|row| focus.terms.exact_coverage(&[&focus.terms.bag(&row.cells.join("\n"))]))
        .collect();
    let most = codes.iter().copied().fold(0.0, f64::max);
    let rows: Vec<&TableRow> =
        rows.into_iter().zip(codes).filter(|(_, codes)| *codes >= most).map(|(row, _)| row).collect();
    let worth: Vec<f64> = rows.iter().map(|row| focus.worth(&row.cells.join("\n"))).collect();
    let mut ranked: Vec<(f64, usize)> = shares(&worth).into_iter().zip(0..).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let (mut taken, mut chance) = (Vec::new(), 0.0);
    for (share, at) in ranked.into_iter().take(FEW_ROWS) {
        taken.push(at);
        let fits = size_of_rows(table, &taken.iter().map(|at| rows[*at]).collect::<Vec<_>>()) <= room;
        if !fits && taken.len() > 1 {
            taken.pop();
            break;
        }
        chance += share;
        if chance >= PROBABLY || !fits {
            break;
        }
    }
    taken.sort_unstable();
    taken.into_iter().map(|at| rows[at]).collect()
}

/// A plan that the question names by itself: 方案甲是什么. Notes are many; a plan is one.
fn plan(desk: &mut Desk<'_>, asked: &Question) -> Result<Option<Evidence>, ToolFailure> {
    let Some(plan) = asked.places_of(&[ReferenceKind::Plan]).next().map(|target| target.number.clone())
    else {
        return Ok(None);
    };
    for reg_id in regulations(desk, asked).0 {
        let request = LookupAnnotation { reg_id, annotation_id: plan.clone(), ..LookupAnnotation::default() };
        if let Some(found) = desk.find(&request)? {
            let mut evidence = Evidence::default();
            evidence.quote_note(&found);
            return Ok(Some(evidence));
        }
    }
    Ok(None)
}

/// Kinds of places that are chapters and clauses.
const PLACES: [ReferenceKind; 4] =
    [ReferenceKind::Section, ReferenceKind::Article, ReferenceKind::Chapter, ReferenceKind::Appendix];

/// Whether it is known which regulation is meant: it is given or named, or there is one alone.
fn names_one(desk: &Desk<'_>, asked: &Question) -> bool {
    desk.regulations.len() == 1
        || !desk.options.regulations.is_empty()
        || !named(&desk.regulations, asked).is_empty()
}

/// The clauses that the question names, in words that can be resolved: one with all that is said around it, which may
/// name its regulation; several each by its own number.
fn places(asked: &Question) -> Vec<String> {
    let numbers: Vec<ClauseNumber> = asked
        .places_of(&PLACES)
        .filter_map(|target| clause_candidates(target).into_iter().next())
        .take(MAX_PLACES)
        .collect();
    match numbers.as_slice() {
        [] => Vec::new(),
        [_] => vec![asked.asking.clone()],
        several => several.iter().map(|number| number.as_str().to_owned()).collect(),
    }
}

/// The regulations to look in: those given, else those the question names, else all, newest edition first; and whether
/// each of them is asked.
fn regulations(desk: &Desk<'_>, asked: &Question) -> (Vec<String>, bool) {
    if !desk.options.regulations.is_empty() {
        return (desk.options.regulations.clone(), false);
    }
    let entries = &desk.regulations;
    let named: Vec<String> = named(entries, asked).into_iter().map(|entry| entry.reg_id.clone()).collect();
    if !named.is_empty() {
        let several = (2..=MAX_PLACES).contains(&named.len());
        return (named, several);
    }
    let superseded: Vec<&str> = entries.iter().filter_map(|entry| entry.supersedes.as_deref()).collect();
    let (old, current): (Vec<String>, Vec<String>) =
        entries.iter().map(|entry| entry.reg_id.clone()).partition(|id| superseded.contains(&id.as_str()));
    (current.into_iter().chain(old).collect(), false)
}

/// The regulations that a question names: by a name, the id, or the title without its year and what stands in brackets.
pub fn named<'e>(entries: &'e [RegulationEntry], asked: &Question) -> Vec<&'e RegulationEntry> {
    let names: Vec<(usize, String)> = entries
        .iter()
        .enumerate()
        .flat_map(|(at, entry)| {
            let main = entry.title.split(['(', '（']).next().unwrap_or_default();
            let main = main.trim_start_matches(|c: char| c.is_ascii_digit() || c == '年');
            entry.names().chain([main]).map(move |name| (at, squeeze(&fold(name))))
        })
        .collect();
    let named = named_in(asked.folded(), names.iter().map(|(at, name)| (*at, name.as_str())));
    entries.iter().enumerate().filter(|(at, _)| named.contains(at)).map(|(_, entry)| entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_named_table_the_numbered_row_is_meant() {
        let table = crate::offline::tests::table(
            "Table R4 – Monitoring",
            &["Part", "Requirements"],
            &[&["4.1", "Log events."], &["Part 4.4", "Review logs."]],
            11,
        );
        let rows = rows_numbered(&table, &["4.4".to_owned()]);
        assert_eq!(rows.iter().map(|row| row.cells[1].as_str()).collect::<Vec<_>>(), ["Review logs."]);
        assert!(rows_numbered(&table, &[]).is_empty());
    }

    #[test]
    fn a_name_inside_a_longer_one_is_not_named() {
        let entry = |id: &str, aliases: &[&str]| RegulationEntry {
            reg_id: id.to_owned(),
            aliases: aliases.iter().map(|&alias| alias.to_owned()).collect(),
            ..RegulationEntry::default()
        };
        let entries = [
            entry("angui_2023", &["安规2023"]),
            entry("angui_2024", &["安规", "安规2024"]),
            entry("cip-003-9", &["CIP-003-9", "CIP-003"]),
        ];
        let ids = |question: &str| {
            let asked = Question::read(question, regreader_question::Lexicon::built_in());
            named(&entries, &asked).into_iter().map(|entry| entry.reg_id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids("安规2023的第3条"), ["angui_2023"]);
        assert_eq!(ids("安规2023和安规的第3条"), ["angui_2023", "angui_2024"]);
        assert_eq!(ids("R1 of CIP-003-9"), ["cip-003-9"]);
        assert_eq!(ids("R1 of CIP-003-8"), ["cip-003-9"], "the series is named");
    }

    #[test]
    fn the_word_before_a_number_names_its_column() {
        assert_eq!(word_before("cip-007-7 part 4.1?", "4.1").as_deref(), Some("part"));
        assert_eq!(word_before("序号4.1的要求", "4.1").as_deref(), Some("序号"));
        assert_eq!(word_before("4.1", "4.1"), None);
    }

    #[test]
    fn of_a_table_that_does_not_fit_the_telling_rows_are_kept() {
        let long = "measure only, ".repeat(20);
        let rows: [&[&str]; 3] = [&["EL-1", &long], &["EL-2", &long], &["EL-3", &long]];
        let table = crate::offline::tests::table("Table 9", &["Level", "Limit"], &rows, 12);
        let question = "the limit of an EL-2 house";
        let terms = weighed_by_rows(question, &table);
        let (meaning, options) = (Meaning::of(question, &[]), OfflineOptions::default());
        let focus = Focus { terms: &terms, meaning: &meaning, value: None, weights: options.weights() };
        let kept = |room| {
            telling_rows(&table, room, &focus).iter().map(|row| row.cells[0].clone()).collect::<Vec<_>>()
        };
        assert_eq!(kept(ROOM), ["EL-2"]);
        assert_eq!(kept(usize::MAX).len(), 3, "a short table is quoted whole");
    }

    #[test]
    fn a_row_is_named_by_a_number_with_a_point() {
        assert_eq!(bare_number("Part 2.2").as_deref(), Some("2.2"));
        assert_eq!(bare_number(" 2.2. ").as_deref(), Some("2.2"));
        assert_eq!(bare_number("R2"), None, "a whole requirement is no row");
    }
}
