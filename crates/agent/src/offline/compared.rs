//! Questions on what changed between two editions: 2024 版比 2023 版改了什么.

use regreader_model::{Citation, CitationTarget, PageNumber};
use serde_json::{Value, json};

use super::evidence::strings;
use super::{Desk, Evidence, Question};
use crate::citation::page_of;
use crate::library::Entry;
use crate::{Statement, ToolFailure};

/// Words that ask for a difference.
const DIFFERENCE: &[&str] = &[
    "新旧",
    "旧版",
    "新版",
    "上一版",
    "改了",
    "修改",
    "修订",
    "变化",
    "新增",
    "增加了",
    "取消",
    "删除",
    "删去",
    "区别",
    "不同",
    "多了",
    "少了",
    "相比",
    "版比",
    "两版",
];
/// Words that are left out when looking for what differs.
const NO_SUBJECT: &[&str] = &["而", "条款", "数值", "步骤", "哪一条", "哪一轮", "版本", "版", "比"];
/// Chapters that are compared.
const MAX_SECTIONS: usize = 3;
/// Chapters of a regulation that are compared when the question names none.
const MAX_CHAPTERS: usize = 24;
/// Differences that are quoted.
const MAX_DIFFERENCES: usize = 8;

/// Which kind of difference is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Added,
    Removed,
    Any,
}

/// One difference: what each side says, and how well it fits the question.
struct Difference {
    kind: Wanted,
    statements: Vec<Statement>,
    fits: f64,
}

/// Two editions.
struct Editions {
    new: Entry,
    old: Entry,
}

/// Compares the editions. None when the question asks for no difference or the library has no two editions.
pub fn look_at(desk: &mut Desk<'_>, asked: &Question) -> Result<Option<Evidence>, ToolFailure> {
    if !DIFFERENCE.iter().any(|word| asked.folded.contains(word)) || !names_editions(asked) {
        return Ok(None);
    }
    let Some(editions) = editions(desk, asked) else { return Ok(None) };
    desk.think("问题涉及两个版本，逐条对比");
    let subject = subject(asked);
    let places =
        if subject.is_empty() { chapters(desk, &editions)? } else { places(desk, &editions, &subject)? };
    let about = Question::read(&subject.join(" "), &[]);
    let mut differences = Vec::new();
    for place in places {
        let arguments = json!({ "reg_id": editions.new.reg_id, "section_a": place.name, "reg_id_b": editions.old.reg_id });
        if let Some(found) = desk.find("compare_sections", arguments)? {
            collect(&found, &editions, &about, place.is_subject, &mut differences);
        }
    }
    let wanted = wanted(asked);
    if differences.iter().any(|one| one.kind == wanted) && wanted != Wanted::Any {
        differences.retain(|one| one.kind == wanted);
    }
    let best = differences.iter().map(|one| one.fits).fold(0.0, f64::max);
    differences.retain(|one| subject.is_empty() || (best > 0.0 && one.fits >= best * 0.8));
    let mut evidence = Evidence::default();
    for difference in differences.into_iter().take(MAX_DIFFERENCES) {
        for statement in difference.statements {
            evidence.add(statement);
        }
    }
    Ok((!evidence.measures.is_empty()).then_some(evidence))
}

/// Whether a question speaks of editions: two years, a year with 版, or an edition called new or old.
fn names_editions(asked: &Question) -> bool {
    let years = (1990..2100).filter(|year| asked.folded.contains(&year.to_string())).count();
    let called = ["新旧", "旧版", "新版", "上一版", "两版"];
    years >= 2
        || called.iter().any(|word| asked.folded.contains(word))
        || (asked.folded.contains('版') && years >= 1)
}

/// An edition and the one it replaces: of the regulations that the question names, else the only pair there is.
fn editions(desk: &Desk<'_>, asked: &Question) -> Option<Editions> {
    let entry = |id: &str| desk.regulations.iter().find(|entry| entry["reg_id"] == id);
    let mut pairs = desk
        .regulations
        .iter()
        .filter_map(|new| Some((new, entry(new["supersedes"].as_str()?)?)))
        .map(|(new, old)| {
            (
                Editions { new: Entry::read(new), old: Entry::read(old) },
                named(new, asked) || named(old, asked),
            )
        })
        .collect::<Vec<_>>();
    if pairs.len() > 1 {
        pairs.retain(|(_, named)| *named);
    }
    // Of several nobody can say which is meant.
    (pairs.len() == 1).then(|| pairs.pop().map(|(pair, _)| pair)).flatten()
}

/// Whether a question names a regulation: by a short name, its id, or its title without the year and what stands in brackets.
fn named(entry: &Value, asked: &Question) -> bool {
    let title = entry["title"].as_str().unwrap_or_default();
    let main = title.split(['(', '（']).next().unwrap_or_default();
    let main = main.trim_start_matches(|c: char| c.is_ascii_digit() || c == '年').trim();
    let names = strings(&entry["aliases"]).into_iter().chain(entry["reg_id"].as_str()).chain([main]);
    let mut names = names.map(regreader_text::fold).filter(|name| !name.is_empty());
    names.any(|name| asked.folded.contains(&name))
}

fn wanted(asked: &Question) -> Wanted {
    let says = |words: &[&str]| words.iter().any(|word| asked.folded.contains(word));
    if says(&["新增", "增加", "多了"]) {
        Wanted::Added
    } else if says(&["取消", "删除", "删去", "少了"]) {
        Wanted::Removed
    } else {
        Wanted::Any
    }
}

/// What differs, in words: the subjects without years and words of difference.
fn subject(asked: &Question) -> Vec<String> {
    let clean = |text: &String| {
        let mut text = text.clone();
        for word in DIFFERENCE.iter().chain(NO_SUBJECT) {
            text = text.replace(word, " ");
        }
        for year in 1990..2100 {
            text = text.replace(&year.to_string(), " ");
        }
        text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let kept = asked.subjects.iter().flat_map(clean);
    kept.filter(|piece| piece.chars().count() >= 2).collect()
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
    let about = Question::read(&query, &[]);
    let mut found: Vec<Place> = Vec::new();
    let add = |path: &[&str], found: &mut Vec<Place>| {
        let title = path.iter().find(|title| about.coverage(title) > 0.99);
        let Some(name) = title.or(path.last()) else { return };
        // The number alone names the place in both editions.
        let name = name.split_whitespace().next().unwrap_or_default().trim_end_matches('.').to_owned();
        if !name.is_empty() && found.iter().all(|place| place.name != name) && found.len() < MAX_SECTIONS {
            found.push(Place { name, is_subject: title.is_some() });
        }
    };
    for reg_id in [&editions.new.reg_id, &editions.old.reg_id] {
        let tables = desk.call("search_tables", json!({ "query": query, "reg_id": reg_id, "limit": 1 }))?;
        let hits = desk.call("smart_search", json!({ "query": query, "reg_id": reg_id, "limit": 2 }))?;
        let hits = hits["hits"].as_array().into_iter().flatten();
        for hit in hits.chain(tables["tables"].as_array().into_iter().flatten()) {
            add(&strings(&hit["chapter_path"]), &mut found);
        }
    }
    Ok(found)
}

/// All chapters of both editions.
fn chapters(desk: &mut Desk<'_>, editions: &Editions) -> Result<Vec<Place>, ToolFailure> {
    let mut names: Vec<String> = Vec::new();
    for reg_id in [&editions.new.reg_id, &editions.old.reg_id] {
        let toc = desk.call("get_toc", json!({ "reg_id": reg_id, "max_depth": 1 }))?;
        for item in toc["items"].as_array().into_iter().flatten() {
            let number = item["section_number"].as_str().unwrap_or_default();
            if !number.is_empty() && names.iter().all(|name| name != number) && names.len() < MAX_CHAPTERS {
                names.push(number.to_owned());
            }
        }
    }
    Ok(names.into_iter().map(|name| Place { name, is_subject: true }).collect())
}

/// The differences of a comparison, as statements of both sides.
fn collect(
    found: &Value,
    editions: &Editions,
    about: &Question,
    is_subject: bool,
    into: &mut Vec<Difference>,
) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let fits = |text: &str| if is_subject { 1.0 } else { about.coverage(text) };
    let clause = |side: &Entry, clause: &Value| {
        let number = clause["section_number"].as_str().unwrap_or_default();
        statement(side, page_of(&clause["page_num"]), number, clause["text"].as_str().unwrap_or_default())
    };
    for one in list(&found["changed"]) {
        let statements = vec![clause(&editions.new, &one["a"]), clause(&editions.old, &one["b"])];
        let fits = fits(&format!("{}\n{}", statements[0].text, statements[1].text));
        into.push(Difference { kind: Wanted::Any, statements, fits });
    }
    for (key, kind, side) in
        [("only_in_a", Wanted::Added, &editions.new), ("only_in_b", Wanted::Removed, &editions.old)]
    {
        for one in list(&found[key]) {
            let statements = vec![clause(side, &one)];
            let fits = fits(&statements[0].text);
            into.push(Difference { kind, statements, fits });
        }
    }
    for table in list(&found["tables"]) {
        let caption = table["caption"].as_str().unwrap_or_default();
        let number = caption.split_whitespace().next().unwrap_or_default();
        for cell in list(&table["cells"]) {
            let (row, column) =
                (cell["row"].as_str().unwrap_or_default(), cell["column"].as_str().unwrap_or_default());
            let side = |side: &Entry, value: &str, page: &str| {
                let text = format!("{row}：{column} {}", cell[value].as_str().unwrap_or_default());
                statement(side, page_of(&cell[page]), number, &text)
            };
            let statements = vec![side(&editions.new, "a", "page_a"), side(&editions.old, "b", "page_b")];
            into.push(Difference {
                kind: Wanted::Any,
                fits: fits(&format!("{caption} {row} {column}")),
                statements,
            });
        }
        for (key, kind, side) in [
            ("rows_only_in_a", Wanted::Added, &editions.new),
            ("rows_only_in_b", Wanted::Removed, &editions.old),
        ] {
            for row in list(&table[key]) {
                let text = strings(&row["cells"]).join(" | ");
                let statements = vec![statement(side, page_of(&row["page_num"]), number, &text)];
                into.push(Difference { kind, fits: fits(&format!("{caption} {text}")), statements });
            }
        }
    }
}

fn statement(side: &Entry, page: Option<PageNumber>, place: &str, text: &str) -> Statement {
    let target = CitationTarget::read(place);
    Statement::new(text, side.own(&Citation { page_num: page, target, ..Citation::default() }))
}
