//! `resolve_reference`: from “见表6-2” to the place itself, also in another regulation.
//!
//! There are three ends. One place fits: it is the answer. Several fit and nothing in the words or on the page they stand
//! on decides: the answer is `ambiguous` and names them all. None fits: an error with the nearest that exist.

mod scope;

use std::io;

use regreader_messages::tools;
use regreader_model::{
    Annotation, AnnotationScope, ChapterNode, Citation, DomainError, Location, PageNumber, ReferenceKind,
    ReferenceTarget, RegulationInfo, Resolution,
};
use regreader_store::RegulationReader;
use regreader_text::{beginning, fold, parse_reference_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::scope::{Narrowed, Scope};
use crate::notes::view;
use crate::places::{Place, near_sections, near_tables};
use crate::read::clause_target;
use crate::tables::cite_table;
use crate::tool::{Argument, Category, DAY, Gist, Phase, REGULATION, Tool, argument};
use crate::toolbox::{plain, shorten};
use crate::{Sheet, ToolError, Toolbox};

/// Characters of the target shown.
const PREVIEW: usize = 400;
/// Candidates of an ambiguous reference that are shown.
const MAX_CANDIDATES: usize = 20;

/// Arguments of `resolve_reference`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveReference {
    /// 引用所在的规程标识
    pub reg_id: String,
    /// 引用原文：见表6-2、按第2.1.4条、《…规定》第五条
    pub reference_text: String,
    /// 引用所在页，用于选取最近的注释
    pub page_hint: Option<u32>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `resolve_reference`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ResolvedReference {
    /// What was asked.
    pub reference_text: String,
    /// chapter, section, article, table, figure, annotation, plan, appendix, regulation.
    pub reference_type: String,
    /// The number or label it names.
    pub target: String,
    /// `resolved`, or `ambiguous` when several places fit and nothing decides between them. What fits nothing is an error.
    pub outcome: String,
    /// Whether it leads to one place.
    pub resolved: bool,
    /// Where it leads, when it is resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Place>,
    /// Heading or caption of the target.
    pub title: String,
    /// The beginning of the target.
    pub preview: String,
    /// The places that fit, when it is ambiguous. Naming the table or chapter, or giving `page_hint`, decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<ReferenceCandidate>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// A place that an ambiguous reference may mean.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceCandidate {
    /// The place.
    pub location: Place,
    /// Its heading or caption.
    pub title: String,
}

impl Tool for ResolveReference {
    const NAME: &'static str = "resolve_reference";
    const COMMAND: &'static str = "resolve-reference";
    const TITLE: &'static str = "解析引用";
    const DESCRIPTION: &'static str = "解析“见第六章”“见表6-2”“按第2.1.4条”“见注1”“见附录A”“《…规定》第五条”等引用，给出位置与预览；目标不存在时报错并给出相近项。";
    const CATEGORY: Category = Category::Trace;
    const PHASE: Phase = Phase::MultiHop;
    const HELP: &'static str = "Find out where a reference leads (解析引用)";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATION,
        argument("reference_text", "TEXT", "Its words: 见表6-2, 按第2.1.4条, 《…规定》第五条"),
        argument("page_hint", "-p --page PAGE", "Page on which it stands"),
        DAY,
    ];
    type Response = ResolvedReference;

    /// Where a reference leads.
    fn run(&self, toolbox: &Toolbox) -> Result<ResolvedReference, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        let unreadable = |candidates| DomainError::ReferenceResolution {
            reference_text: self.reference_text.chars().take(120).collect(),
            candidates,
        };
        let path = parse_reference_path(&self.reference_text).ok_or_else(|| unreadable(Vec::new()))?;
        let Some((target, around)) = path.split_last() else { return Err(unreadable(Vec::new()).into()) };
        // A page of this regulation says nothing about where in another one the place is.
        let (reader, page) = match &target.regulation {
            None => (reader, self.page_hint.and_then(PageNumber::new)),
            Some(name) => match toolbox.regulation_called(name, self.as_of.as_deref())? {
                Ok(info) => (toolbox.open(&info.reg_id)?, None),
                Err(candidates) => return Err(unreadable(candidates).into()),
            },
        };
        let look = Look { reader: &reader, target, page };
        let found = match Scope::of(&reader, around, page)? {
            Narrowed::One(scope) => match target.kind {
                ReferenceKind::Regulation => whole(&reader)?,
                ReferenceKind::Table => look.table(&scope)?,
                ReferenceKind::Annotation | ReferenceKind::Plan => {
                    look.note(&toolbox.annotations(&reader)?, &scope)?
                }
                ReferenceKind::Figure => figure_place(&reader, target)?,
                ReferenceKind::Chapter
                | ReferenceKind::Section
                | ReferenceKind::Article
                | ReferenceKind::Appendix => look.clause(&scope)?,
            },
            Narrowed::Several(places) => Lookup::Ambiguous(places),
            Narrowed::None(candidates) => Lookup::Missing(candidates),
        };
        let answer = ResolvedReference {
            reference_text: self.reference_text.clone(),
            reference_type: kind_name(target.kind).to_owned(),
            target: target.number.clone(),
            outcome: "resolved".to_owned(),
            resolved: true,
            location: None,
            title: String::new(),
            preview: String::new(),
            candidates: Vec::new(),
            edition_notice: toolbox.edition_notice(reader.info(), self.as_of.as_deref())?,
        };
        match found {
            Lookup::Found(found) => Ok(ResolvedReference {
                location: Some(found.place),
                title: found.title,
                preview: beginning(&found.preview, PREVIEW),
                ..answer
            }),
            Lookup::Ambiguous(several) => Ok(ResolvedReference {
                outcome: "ambiguous".to_owned(),
                resolved: false,
                candidates: several.into_iter().take(MAX_CANDIDATES).map(Found::candidate).collect(),
                ..answer
            }),
            Lookup::Missing(candidates) => Err(unreadable(candidates).into()),
        }
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        if let Some(place) = &response.location {
            sheet.line(&sheet.bold(&response.title))?;
            sheet.line(&place.citation)?;
            return sheet.line(&response.preview);
        }
        sheet.line(&tools::may_mean(&response.reference_text))?;
        for candidate in &response.candidates {
            sheet.line(&format!("  {} {}", candidate.title, candidate.location.citation))?;
        }
        sheet.hint(&tools::REFERENCE_HINT.to_string());
        Ok(())
    }

    fn gist(response: &Self::Response) -> Gist {
        let place = response.location.as_ref().map_or(&response.title, |place| &place.citation);
        Gist { summary: place.clone(), ..Gist::default() }
    }
}

impl Toolbox {
    /// The regulation that a title, number, alias or id names; else the names that come near. A dated name is that edition;
    /// one without its edition is the edition in force on the day.
    pub(crate) fn regulation_called(
        &self,
        name: &str,
        as_of: Option<&str>,
    ) -> Result<Result<RegulationInfo, Vec<String>>, ToolError> {
        let wanted = plain(name);
        let editions = self.editions_on(as_of)?;
        let infos = editions.infos();
        let names = |info: &RegulationInfo| {
            let mut names = vec![plain(&info.title), plain(info.reg_id.as_str())];
            names.extend(info.aliases.iter().map(|alias| plain(alias)));
            names
        };
        let exact = infos.iter().copied().filter(|info| names(info).contains(&wanted));
        if let Some(info) = editions.in_force(exact) {
            // 安规 is the name of the series, whichever edition is known by it: the one in force on the day is meant.
            let of_day = (!is_dated(name) && !editions.may_apply(&info.reg_id)).then(|| {
                let series = infos.iter().copied().filter(|other| {
                    other.series.is_some() && other.series == info.series && editions.may_apply(&other.reg_id)
                });
                editions.in_force(series)
            });
            return Ok(Ok(of_day.flatten().unwrap_or(info).clone()));
        }
        let undated = infos.iter().copied().filter(|info| {
            std::iter::once(info.reg_id.as_str())
                .chain(info.aliases.iter().map(String::as_str))
                .any(|known| without_edition(known).is_some_and(|stem| plain(stem) == wanted))
        });
        if let Some(info) = editions.in_force(undated) {
            return Ok(Ok(info.clone()));
        }
        // In running text other words stand before the name: 措施见安规2024.
        let ending = infos.iter().flat_map(|info| names(info).into_iter().map(move |name| (name, info)));
        let longest = ending
            .filter(|(name, _)| name.chars().count() >= 2 && wanted.ends_with(name.as_str()))
            .max_by_key(|(name, info)| {
                (name.chars().count(), editions.may_apply(&info.reg_id), &info.effective_from)
            });
        if let Some((_, info)) = longest {
            return Ok(Ok((**info).clone()));
        }
        // A title is often cited without its year or edition: accept it when it names exactly one series.
        let parts: Vec<&RegulationInfo> = infos
            .iter()
            .copied()
            .filter(|info| wanted.chars().count() >= 4 && plain(&info.title).contains(&wanted))
            .collect();
        let one_series =
            parts.windows(2).all(|pair| pair[0].series.is_some() && pair[0].series == pair[1].series);
        match editions.in_force(parts.iter().copied()) {
            Some(info) if one_series => Ok(Ok(info.clone())),
            _ => Ok(Err(infos.iter().map(|info| info.title.clone()).take(5).collect())),
        }
    }
}

/// Whether a name says which edition is meant: by a year, or by the version behind a number.
fn is_dated(name: &str) -> bool {
    let is_year = |digits: &str| digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"));
    without_edition(name).is_some() || name.split(|c: char| !c.is_ascii_digit()).any(is_year)
}

/// A number without its edition: `GB 38755` of `GB 38755-2019`, `CIP-003` of `CIP-003-8`, `angui` of `angui_2024`.
///
/// What is taken off is a year behind any number, or the version behind one that has a number of its own, so `GB 38755`
/// stays whole.
fn without_edition(name: &str) -> Option<&str> {
    let (stem, edition) = name.rsplit_once(['-', '—', '–', '_', ':', '：'])?;
    let (stem, edition) = (stem.trim_end(), edition.trim());
    let digits = edition.chars().take_while(char::is_ascii_digit).count();
    let is_year =
        digits == 4 && edition.len() == 4 && (edition.starts_with("19") || edition.starts_with("20"));
    let is_version = (1..=2).contains(&digits)
        && edition.len() <= digits + 3
        && stem.contains(['-', '—', '–', '_'])
        && stem.ends_with(|c: char| c.is_ascii_digit());
    ((is_year || is_version) && stem.chars().any(char::is_alphanumeric)).then_some(stem)
}

/// A place that fits.
struct Found {
    place: Place,
    title: String,
    preview: String,
}

impl Found {
    fn candidate(self) -> ReferenceCandidate {
        ReferenceCandidate { location: self.place, title: self.title }
    }
}

/// What came of looking.
enum Lookup {
    Found(Box<Found>),
    Ambiguous(Vec<Found>),
    /// The nearest that exist.
    Missing(Vec<String>),
}

/// What is looked for, and where it was met.
struct Look<'a> {
    reader: &'a RegulationReader,
    target: &'a ReferenceTarget,
    page: Option<PageNumber>,
}

impl Look<'_> {
    fn table(&self, scope: &Scope) -> Result<Lookup, ToolError> {
        let tables = self.reader.tables()?;
        let known = self.graph_location()?.and_then(|location| location.table_id);
        let fitting = match known.and_then(|id| tables.get(id.as_str())) {
            Some(table) => vec![table],
            None => scope.tables(&*self.reader.structure()?, &tables, &self.target.number, self.page),
        };
        let found = |table: &regreader_model::LogicalTable| Found {
            place: Place {
                table_id: Some(table.table_id.to_string()),
                ..place(cite_table(self.reader.info(), table), None)
            },
            title: table.caption.clone().unwrap_or_default(),
            preview: regreader_assemble::table_markdown(table),
        };
        Ok(one_of(fitting.into_iter().map(found).collect(), || near_tables(&tables, &self.target.number)))
    }

    fn note(&self, all: &[Annotation], scope: &Scope) -> Result<Lookup, ToolError> {
        let labelled: Vec<&Annotation> =
            all.iter().filter(|note| note.annotation_id == self.target.number).collect();
        let mut fitting = scope.notes(self.reader, &labelled)?;
        if fitting.len() > 1
            && let Some(location) = self.graph_location()?
        {
            let meant = |note: &&Annotation| {
                note.page_num == Some(location.page_num) && note.block_id == location.block_id
            };
            fitting = fitting.into_iter().filter(meant).collect();
        }
        if fitting.len() > 1 {
            fitting = nearest(self.reader, fitting, self.page)?;
        }
        let found = |note: &Annotation| -> Result<Found, ToolError> {
            let note = view(self.reader, note)?;
            Ok(Found {
                place: Place {
                    reg_id: note.reg_id,
                    page_num: note.cited.page_num,
                    block_id: note.block_id,
                    table_id: None,
                    citation: note.source,
                    cited: note.cited,
                },
                title: format!("{} {}", note.scope, note.annotation_id),
                preview: note.content,
            })
        };
        let found = fitting.into_iter().map(found).collect::<Result<Vec<_>, _>>()?;
        let mut near = Vec::new();
        if found.is_empty() {
            for note in scope.notes(self.reader, &all.iter().collect::<Vec<_>>())?.into_iter().take(5) {
                let note = view(self.reader, note)?;
                near.push(format!("{} {}", note.scope, note.annotation_id));
            }
        }
        Ok(one_of(found, || near))
    }

    fn clause(&self, scope: &Scope) -> Result<Lookup, ToolError> {
        let structure = self.reader.structure()?;
        // The graph has already decided which of several equal numbers (articles of two appendices) is meant on a page.
        let known = self.graph_location()?.and_then(|location| location.node_id);
        let fitting = match known.and_then(|id| structure.node(id.as_str())) {
            Some(node) => vec![node],
            None => scope.nodes(&structure, self.target, self.page),
        };
        let found =
            fitting.into_iter().map(|node| clause_found(self.reader, node)).collect::<Result<Vec<_>, _>>()?;
        Ok(one_of(found, || {
            let near = near_sections(&structure, &self.target.number);
            if near.is_empty() && self.target.kind == ReferenceKind::Appendix {
                let appendices =
                    structure.iter().filter(|node| node.section_number.as_str().starts_with('附'));
                return appendices.take(5).map(ChapterNode::heading).collect();
            }
            near
        }))
    }

    /// What assembly resolved these words to on the page where they stand. None when it did not, or to several places.
    fn graph_location(&self) -> Result<Option<Location>, ToolError> {
        let Some(page) = self.page else { return Ok(None) };
        let graph = self.reader.references()?;
        let mut known = graph.references.iter().filter_map(|reference| match &reference.resolution {
            Resolution::Resolved { location }
                if reference.page_num == page && reference.target == *self.target =>
            {
                Some(location)
            }
            _ => None,
        });
        let first = known.next();
        Ok(first.filter(|first| known.all(|other| other == *first)).cloned())
    }
}

/// One place is found, several are ambiguous, none is missing.
fn one_of(mut found: Vec<Found>, near: impl FnOnce() -> Vec<String>) -> Lookup {
    match found.len() {
        0 => Lookup::Missing(near()),
        1 => found.pop().map_or_else(|| Lookup::Missing(Vec::new()), |one| Lookup::Found(Box::new(one))),
        _ => Lookup::Ambiguous(found),
    }
}

/// Of notes with one label those of a table on the page, else those of the page itself; all of them when neither decides.
fn nearest<'a>(
    reader: &RegulationReader,
    notes: Vec<&'a Annotation>,
    page: Option<PageNumber>,
) -> Result<Vec<&'a Annotation>, ToolError> {
    let Some(page) = page else { return Ok(notes) };
    let tables = reader.tables()?;
    let of_table = |note: &&Annotation| match &note.scope {
        AnnotationScope::Table { table_id } => tables.on_page(page).any(|table| table.table_id == *table_id),
        _ => false,
    };
    let of_page = |note: &&Annotation| note.page_num == Some(page);
    for near in [&of_table as &dyn Fn(&&'a Annotation) -> bool, &of_page] {
        let kept: Vec<&Annotation> = notes.iter().copied().filter(|note| near(note)).collect();
        if !kept.is_empty() {
            return Ok(kept);
        }
    }
    Ok(notes)
}

fn clause_found(reader: &RegulationReader, node: &ChapterNode) -> Result<Found, ToolError> {
    let block_id = node.content_block_ids.first();
    let page = reader.page(node.page_num)?;
    let preview: Vec<&str> = page
        .content_blocks
        .iter()
        .skip_while(|block| Some(&block.block_id) != block_id)
        .take(4)
        .map(|block| block.content_markdown.as_str())
        .collect();
    let cited = Citation::of(reader.info(), Some(node.page_num), clause_target(node.section_number.as_str()));
    Ok(Found {
        place: place(cited, block_id.map(ToString::to_string)),
        title: node.heading(),
        preview: preview.join("\n\n"),
    })
}

fn whole(reader: &RegulationReader) -> Result<Lookup, ToolError> {
    let info = reader.info();
    Ok(Lookup::Found(Box::new(Found {
        place: place(Citation::of(info, Some(PageNumber::FIRST), None), None),
        title: info.title.clone(),
        preview: reader.page(PageNumber::FIRST)?.content_markdown,
    })))
}

fn figure_place(reader: &RegulationReader, target: &ReferenceTarget) -> Result<Lookup, ToolError> {
    let wanted = format!("图{}", fold(&target.number));
    let mut near = Vec::new();
    for page in reader.all_pages() {
        let page = page?;
        for block in &page.content_blocks {
            let text = fold(&block.content_markdown).replace(' ', "");
            let Some(rest) = text.strip_prefix(&wanted) else {
                if text.starts_with('图') && near.len() < 5 {
                    near.push(shorten(&block.content_markdown, 30));
                }
                continue;
            };
            if !rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) {
                return Ok(Lookup::Found(Box::new(Found {
                    place: place(
                        Citation::of(reader.info(), Some(page.page_num), None),
                        Some(block.block_id.to_string()),
                    ),
                    title: shorten(&block.content_markdown, 60),
                    preview: block.content_markdown.clone(),
                })));
            }
        }
    }
    Ok(Lookup::Missing(near))
}

fn place(cited: Citation, block_id: Option<String>) -> Place {
    Place {
        reg_id: cited.reg_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        page_num: cited.page_num,
        block_id,
        table_id: None,
        citation: cited.to_string(),
        cited,
    }
}

fn kind_name(kind: ReferenceKind) -> &'static str {
    match kind {
        ReferenceKind::Chapter => "chapter",
        ReferenceKind::Section => "section",
        ReferenceKind::Article => "article",
        ReferenceKind::Table => "table",
        ReferenceKind::Figure => "figure",
        ReferenceKind::Annotation => "annotation",
        ReferenceKind::Plan => "plan",
        ReferenceKind::Appendix => "appendix",
        ReferenceKind::Regulation => "regulation",
    }
}

#[cfg(test)]
mod tests {
    use super::without_edition;

    #[test]
    fn a_number_is_told_from_its_edition() {
        for (dated, stem) in [
            ("GB 38755-2019", Some("GB 38755")),
            ("GB/T 1234—2010", Some("GB/T 1234")),
            ("JTT_808-2013", Some("JTT_808")),
            ("CIP-003-8", Some("CIP-003")),
            ("cip-002-5.1a", Some("cip-002")),
            ("angui_2024", Some("angui")),
            ("GB 38755", None),
            ("表6-2", None),
            ("CIP-003", None),
        ] {
            assert_eq!(without_edition(dated), stem, "{dated}");
        }
    }
}
