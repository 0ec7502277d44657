//! Questions on what changed between two editions: 2024 版比 2023 版改了什么.

use regreader_messages::{agents, answering, answers};
use regreader_model::{Citation, CitationTarget, PageNumber};
use regreader_question::{Change, Question};
use regreader_tools::{
    ChangeKind, ChangePlace, ClauseView, CompareSections, Comparison, ListChanges, RegulationChoice,
    RegulationEntry, SearchTables, SmartSearch,
};

use super::evidence::strings;
use super::passage::split_sentences;
use super::terms::Terms;
use super::{Desk, Evidence};
use crate::{Statement, ToolFailure};

/// Chapters that are compared.
const MAX_SECTIONS: usize = 3;
/// Differences that are quoted.
const MAX_DIFFERENCES: usize = 8;

/// One difference: what each side says, and how well it fits the question.
struct Difference {
    kind: Change,
    statements: Vec<Statement>,
    fits: f64,
}

/// Two editions.
struct Editions {
    new: RegulationEntry,
    old: RegulationEntry,
}

/// Compares the editions. None when the question asks for no difference or the library has no two editions.
pub fn look_at(desk: &mut Desk<'_>, asked: &Question) -> Result<Option<Evidence>, ToolFailure> {
    if asked.change.is_none() || !asked.names_editions() {
        return Ok(None);
    }
    let Some(editions) = editions(desk, asked) else { return Ok(None) };
    desk.think(agents::TWO_EDITIONS);
    let subject = asked.compared_subjects(&desk.names(), &desk.options.lexicon);
    if subject.is_empty() {
        return all_changes(desk, asked, &editions);
    }
    let places = places(desk, &editions, &subject)?;
    let about = Terms::read(&subject.join(" "));
    let mut differences = Vec::new();
    for place in places {
        let request = CompareSections::editions(&editions.new.reg_id, &editions.old.reg_id, place.name);
        if let Some(found) = desk.find(&request)? {
            collect(&found, &editions, &about, place.is_subject, &mut differences);
        }
    }
    if let Some(wanted) = asked.change.filter(|wanted| *wanted != Change::Any)
        && differences.iter().any(|one| one.kind == wanted)
    {
        differences.retain(|one| one.kind == wanted);
    }
    let best = differences.iter().map(|one| one.fits).fold(0.0, f64::max);
    differences.retain(|one| best > 0.0 && one.fits >= best * 0.8);
    let mut evidence = Evidence::default();
    for difference in differences.into_iter().take(MAX_DIFFERENCES) {
        for statement in difference.statements {
            evidence.add(statement);
        }
    }
    Ok((!evidence.measures.is_empty()).then_some(evidence))
}

/// An edition and the one it replaces: of the regulations that the question names, else the only pair there is.
fn editions(desk: &Desk<'_>, asked: &Question) -> Option<Editions> {
    let entry = |id: &str| desk.regulations.iter().find(|entry| entry.reg_id == id);
    let mut pairs = desk
        .regulations
        .iter()
        .filter_map(|new| Some((new, entry(new.supersedes.as_deref()?)?)))
        .map(|(new, old)| {
            (Editions { new: new.clone(), old: old.clone() }, named(new, asked) || named(old, asked))
        })
        .collect::<Vec<_>>();
    if pairs.len() > 1 {
        pairs.retain(|(_, named)| *named);
    }
    // Of several nobody can say which is meant.
    (pairs.len() == 1).then(|| pairs.pop().map(|(pair, _)| pair)).flatten()
}

/// Whether a question names a regulation: by a short name, its id, or its title without the year and what stands in brackets.
fn named(entry: &RegulationEntry, asked: &Question) -> bool {
    let main = entry.title.split(['(', '（']).next().unwrap_or_default();
    let main = main.trim_start_matches(|c: char| c.is_ascii_digit() || c == '年').trim();
    let names = entry.aliases.iter().chain([&entry.reg_id]).map(String::as_str).chain([main]);
    let mut names = names.map(regreader_text::fold).filter(|name| !name.is_empty());
    names.any(|name| asked.folded().contains(&name))
}

/// A chapter to compare.
struct Place {
    name: String,
    /// Its title is what is asked about, so that everything in it counts.
    is_subject: bool,
}

/// Where the subject stands in either edition.
fn places(desk: &mut Desk<'_>, editions: &Editions, subject: &[String]) -> Result<Vec<Place>, ToolFailure> {
    let query = subject.join(" ");
    let about = Terms::read(&query);
    let mut found: Vec<Place> = Vec::new();
    let add = |path: &[&str], found: &mut Vec<Place>| {
        let title = path.iter().find(|title| about.coverage(&[&about.bag(title)]) > 0.99);
        let Some(name) = title.or(path.last()) else { return };
        // The number alone names the place in both editions.
        let name = name.split_whitespace().next().unwrap_or_default().trim_end_matches('.').to_owned();
        if !name.is_empty() && found.iter().all(|place| place.name != name) && found.len() < MAX_SECTIONS {
            found.push(Place { name, is_subject: title.is_some() });
        }
    };
    for reg_id in [&editions.new.reg_id, &editions.old.reg_id] {
        let within = Some(RegulationChoice::One(reg_id.clone()));
        let tables = desk.call(&SearchTables::new(&query, within.clone(), 1))?.tables;
        let hits = desk.call(&SmartSearch::new(&query, within, 2))?.hits;
        let paths = hits.iter().map(|hit| &hit.chapter_path);
        for path in paths.chain(tables.iter().map(|table| &table.chapter_path)) {
            add(&strings(path), &mut found);
        }
    }
    Ok(found)
}

/// What changed anywhere: limits first, each with both sides, and how many changes there are of every kind.
fn all_changes(
    desk: &mut Desk<'_>,
    asked: &Question,
    editions: &Editions,
) -> Result<Option<Evidence>, ToolFailure> {
    let kinds = match asked.change {
        Some(Change::Added) => vec![ChangeKind::Added],
        Some(Change::Removed) => vec![ChangeKind::Deleted],
        _ => Vec::new(),
    };
    let (old, new) = (&editions.old.reg_id, &editions.new.reg_id);
    let request = ListChanges { kinds, limit: MAX_DIFFERENCES as u32, ..ListChanges::between(old, new) };
    let Some(found) = desk.find(&request)? else { return Ok(None) };
    let mut evidence = Evidence::default();
    for record in &found.changes {
        let [new, old] = [&record.new_text, &record.old_text].map(|text| text.as_deref().unwrap_or_default());
        for (side, place, text, other) in
            [(&editions.new, &record.new, new, old), (&editions.old, &record.old, old, new)]
        {
            if let Some(place) = place.as_ref().filter(|_| !text.is_empty()) {
                evidence.add(side_of_change(side, place, text, other));
            }
        }
    }
    if evidence.measures.is_empty() {
        return Ok(None);
    }
    let format = ChangeKind::Format.name();
    let all: usize = found.counts.iter().filter(|(kind, _)| *kind != format).map(|(_, count)| count).sum();
    let listed = found.changes.len();
    if all > listed {
        desk.notices.push(answers::some_changes(answering(asked.language), listed, all, old, new));
    }
    Ok(Some(evidence))
}

/// One side of a change: of a clause the sentences that the other side lacks, of a table the cell with its row and column.
fn side_of_change(side: &RegulationEntry, place: &ChangePlace, text: &str, other: &str) -> Statement {
    let page = PageNumber::new(place.page);
    if let Some(number) = &place.table {
        // The label of a row may hold the changed cell itself, and headers of two levels are joined by a slash.
        let labels: Vec<&str> =
            strings(&place.row_label).into_iter().filter(|label| *label != text).collect();
        let row = labels.join(" ");
        let column = place.column.as_deref().unwrap_or_default().replace(" / ", " ");
        // A row that is new or gone is its own text.
        let text = if column.is_empty() { text.to_owned() } else { format!("{row}：{column} {text}") };
        return statement(side, page, &format!("表{number}"), text.trim());
    }
    let differing: Vec<&str> =
        text.lines().flat_map(split_sentences).filter(|sentence| !other.contains(sentence.trim())).collect();
    let text = if differing.is_empty() { text.to_owned() } else { differing.join("") };
    statement(side, page, place.clause.as_deref().unwrap_or_default(), text.trim())
}

/// The differences of a comparison, as statements of both sides.
fn collect(
    found: &Comparison,
    editions: &Editions,
    about: &Terms,
    is_subject: bool,
    into: &mut Vec<Difference>,
) {
    let fits = |text: &str| if is_subject { 1.0 } else { about.coverage(&[&about.bag(text)]) };
    let clause = |side: &RegulationEntry, clause: &ClauseView| {
        statement(side, Some(clause.page_num), &clause.section_number, &clause.text)
    };
    for one in &found.changed {
        let statements = vec![clause(&editions.new, &one.a), clause(&editions.old, &one.b)];
        let fits = fits(&format!("{}\n{}", statements[0].text, statements[1].text));
        into.push(Difference { kind: Change::Any, statements, fits });
    }
    for (clauses, kind, side) in
        [(&found.only_in_a, Change::Added, &editions.new), (&found.only_in_b, Change::Removed, &editions.old)]
    {
        for one in clauses {
            let statements = vec![clause(side, one)];
            let fits = fits(&statements[0].text);
            into.push(Difference { kind, statements, fits });
        }
    }
    for table in &found.tables {
        let caption = table.caption.as_deref().unwrap_or_default();
        let number = caption.split_whitespace().next().unwrap_or_default();
        for cell in &table.cells {
            let (row, column) = (&cell.row, &cell.column);
            let side = |side: &RegulationEntry, value: &str, page: PageNumber| {
                statement(side, Some(page), number, &format!("{row}：{column} {value}"))
            };
            let statements =
                vec![side(&editions.new, &cell.a, cell.page_a), side(&editions.old, &cell.b, cell.page_b)];
            into.push(Difference {
                kind: Change::Any,
                fits: fits(&format!("{caption} {row} {column}")),
                statements,
            });
        }
        for (rows, kind, side) in [
            (&table.rows_only_in_a, Change::Added, &editions.new),
            (&table.rows_only_in_b, Change::Removed, &editions.old),
        ] {
            for row in rows {
                let text = row.cells.join(" | ");
                let statements = vec![statement(side, Some(row.page_num), number, &text)];
                into.push(Difference { kind, fits: fits(&format!("{caption} {text}")), statements });
            }
        }
    }
}

fn statement(side: &RegulationEntry, page: Option<PageNumber>, place: &str, text: &str) -> Statement {
    let target = CitationTarget::read(place);
    Statement::new(text, side.own(&Citation { page_num: page, target, ..Citation::default() }))
}
