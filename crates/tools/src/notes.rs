//! `lookup_annotation`, `search_annotations`: notes and plans, nearest scope first.

use std::io;

use regreader_messages::{errors, tools};
use regreader_model::{
    Annotation, AnnotationKind, AnnotationScope, Citation, CitationTarget, DomainError, NodeId, PageNumber,
    TableId,
};
use regreader_store::RegulationReader;
use regreader_text::script::language_of;
use regreader_text::{canonical_label, fold};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cursor::Cursor;
use crate::kept::Notes;
use crate::places::{table, table_label};
use crate::tool::{Argument, Category, DAY, Gist, Phase, REGULATION, Tool, argument};
use crate::{Sheet, ToolError, Toolbox};

/// Arguments of `lookup_annotation`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookupAnnotation {
    /// 规程标识
    pub reg_id: String,
    /// 注释：注1、注①、（注一）、方案甲
    pub annotation_id: String,
    /// 在哪一页看到的，用于选取最近的一条
    pub page_hint: Option<u32>,
    /// 在哪个表中看到的（表格标识或表号）
    pub table_hint: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `lookup_annotation`, and one note elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnnotationView {
    /// Regulation that the note belongs to.
    pub reg_id: String,
    /// Canonical label.
    pub annotation_id: String,
    /// The label as printed, when that is another: `方案甲`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_label: Option<String>,
    /// Text of the note.
    pub content: String,
    /// Page on which it is defined.
    pub page_num: PageNumber,
    /// note or plan.
    pub kind: String,
    /// What it is bound to: `表6-2`, `第85页`, `2.1.4`.
    pub scope: String,
    /// The block that holds it.
    pub block_id: Option<String>,
    /// What to cite.
    pub source: String,
    /// The same as data.
    #[serde(default)]
    pub cited: Citation,
    /// Others of the same label, when the hint did not decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

/// Arguments of `search_annotations`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchAnnotations {
    /// 规程标识
    pub reg_id: String,
    /// 注释中含有的文字
    pub pattern: Option<String>,
    /// 类型：note 或 plan
    pub annotation_type: Option<AnnotationType>,
    /// 从上次返回的 next 继续
    pub cursor: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Kind of annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnnotationType {
    /// 注
    Note,
    /// 方案
    Plan,
}

/// Result of `search_annotations`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AnnotationList {
    /// Notes in document order.
    pub annotations: Vec<AnnotationView>,
    /// How many there are in all.
    pub total: u32,
    /// There are more.
    pub truncated: bool,
    /// Cursor for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What to say before anything is taken from it, when the edition is not in force on the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition_notice: Option<String>,
}

impl Tool for LookupAnnotation {
    const NAME: &'static str = "lookup_annotation";
    const COMMAND: &'static str = "lookup-annotation";
    const TITLE: &'static str = "查注释";
    const DESCRIPTION: &'static str =
        "查某条注释或方案（注1、注①、方案甲）。同名注释很多时，用 page_hint 取最近的一条。";
    const CATEGORY: Category = Category::Trace;
    const PHASE: Phase = Phase::MultiHop;
    const HELP: &'static str = "Look up a note or plan (查注释)";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATION,
        argument("annotation_id", "LABEL", "Label: 注1, 注①, 方案甲"),
        argument("page_hint", "-p --page PAGE", "Page on which it was met"),
        argument("table_hint", "-t --table TABLE", "Table in which it was met"),
        DAY,
    ];
    type Response = AnnotationView;

    /// The note of this label that is nearest to where the caller met it.
    fn run(&self, toolbox: &Toolbox) -> Result<AnnotationView, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        let label = canonical_label(&self.annotation_id).ok_or_else(|| DomainError::InvalidArgument {
            name: "annotation_id",
            reason: errors::NOTE_FORM.into(),
        })?;
        let table_id = match &self.table_hint {
            Some(name) => Some(table(&*reader.tables()?, name)?.table_id.clone()),
            None => None,
        };
        let hint = Hint { page: self.page_hint.and_then(PageNumber::new), table: table_id, node: None };
        let found = find_annotation(&reader, &toolbox.annotations(&reader)?, &label, &hint)?;
        let edition_notice = toolbox.edition_notice(reader.info(), self.as_of.as_deref())?;
        Ok(AnnotationView { edition_notice, ..found })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        let label = sheet.bold(&response.annotation_id);
        sheet.line(&format!("{label}：{}  {}", response.content, response.source))?;
        if !response.others.is_empty() {
            let others = response.others.join("；");
            sheet.hint(&tools::more_notes(others));
        }
        Ok(())
    }

    fn gist(response: &Self::Response) -> Gist {
        Gist::place(&response.source, &response.content)
    }
}

impl Tool for SearchAnnotations {
    const NAME: &'static str = "search_annotations";
    const COMMAND: &'static str = "search-annotations";
    const TITLE: &'static str = "检索注释";
    const DESCRIPTION: &'static str = "列出规程中的注释与方案，可按文字或类型（note、plan）筛选。";
    const CATEGORY: Category = Category::Trace;
    const PHASE: Phase = Phase::Context;
    const HELP: &'static str = "List notes and plans";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATION,
        argument("pattern", "[PATTERN]", "Words in the note"),
        argument("annotation_type", "--type {note|plan}", "note or plan"),
        argument("cursor", "--cursor CURSOR", "Go on from here"),
        DAY,
    ];
    type Response = AnnotationList;

    /// Every note and plan, filtered, a part at a time.
    fn run(&self, toolbox: &Toolbox) -> Result<AnnotationList, ToolError> {
        let reader = toolbox.reader(&self.reg_id)?;
        let pattern = self.pattern.as_deref().map(fold).filter(|pattern| !pattern.is_empty());
        let label = self.pattern.as_deref().and_then(canonical_label);
        let kind = self.annotation_type.map(|kind| match kind {
            AnnotationType::Note => AnnotationKind::Note,
            AnnotationType::Plan => AnnotationKind::Plan,
        });
        let mut found = Vec::new();
        let all = toolbox.annotations(&reader)?;
        for annotation in all.iter() {
            let fits = pattern.as_ref().is_none_or(|pattern| {
                label.as_deref() == Some(annotation.annotation_id.as_str())
                    || fold(&annotation.content).contains(pattern)
            });
            if fits && kind.is_none_or(|kind| annotation.kind == kind) {
                found.push(annotation);
            }
        }
        let start = Cursor::read(self.cursor.as_deref(), reader.content_hash())?;
        let shown: Vec<_> = found.iter().skip(start).take(toolbox.options.max_items / 4).collect();
        let end = start + shown.len();
        let next = (end < found.len()).then(|| Cursor::write(end, reader.content_hash()));
        Ok(AnnotationList {
            annotations: shown.into_iter().map(|a| view(&reader, a)).collect::<Result<_, _>>()?,
            total: found.len() as u32,
            truncated: next.is_some(),
            next,
            edition_notice: toolbox.edition_notice(reader.info(), self.as_of.as_deref())?,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        response.annotations.iter().try_for_each(|note| LookupAnnotation::render(note, sheet))?;
        sheet.next(response.next.as_deref());
        Ok(())
    }

    fn found_nothing(response: &Self::Response) -> bool {
        response.annotations.is_empty()
    }

    fn gist(response: &Self::Response) -> Gist {
        Gist::count(response.annotations.len(), tools::NOTES)
    }
}

impl Toolbox {
    /// Every annotation of a regulation, in document order, each with its page.
    pub(crate) fn annotations(&self, reader: &RegulationReader) -> Result<Notes, ToolError> {
        self.kept.notes(reader, || self.read_annotations(reader))
    }

    fn read_annotations(&self, reader: &RegulationReader) -> Result<Vec<Annotation>, ToolError> {
        let mut all = Vec::new();
        let total = reader.total_pages() as usize;
        for (done, page) in reader.all_pages().enumerate() {
            self.tell_page(reader.reg_id(), done, total);
            let page = page?;
            let number = page.page_num;
            all.extend(page.annotations.into_iter().map(|annotation| Annotation {
                page_num: Some(annotation.page_num.unwrap_or(number)),
                // Files of the earlier system keep the label as printed.
                annotation_id: canonical_label(&annotation.annotation_id).unwrap_or(annotation.annotation_id),
                ..annotation
            }));
        }
        Ok(all)
    }
}

/// Where a note was met.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hint {
    pub page: Option<PageNumber>,
    pub table: Option<TableId>,
    pub node: Option<NodeId>,
}

/// The nearest note of this label: a table of the page, then the page, the clause, the distance. Where a table is named, a
/// note is looked for in that table only: another table's note of the same number says something else. Plans stand where
/// the regulation puts them, and a table only names them.
pub(crate) fn find_annotation(
    reader: &RegulationReader,
    all: &[Annotation],
    label: &str,
    hint: &Hint,
) -> Result<AnnotationView, ToolError> {
    let tables = reader.tables()?;
    let tables_on_page: Vec<&TableId> =
        hint.page.iter().flat_map(|page| tables.on_page(*page)).map(|table| &table.table_id).collect();
    let is_open = |annotation: &&Annotation| match (&hint.table, &annotation.scope) {
        (None, _) => true,
        (Some(named), AnnotationScope::Table { table_id }) if named == table_id => true,
        _ => annotation.kind == AnnotationKind::Plan,
    };
    let mut found: Vec<(u32, u32, &Annotation)> = all
        .iter()
        .filter(|annotation| annotation.annotation_id == label)
        .filter(is_open)
        .map(|annotation| {
            let page = annotation.page_num.unwrap_or(PageNumber::FIRST);
            let away = hint.page.map_or(page.get(), |hint| hint.get().abs_diff(page.get()));
            let tier = match &annotation.scope {
                AnnotationScope::Table { table_id } if Some(table_id) == hint.table.as_ref() => 0,
                AnnotationScope::Table { table_id } if tables_on_page.contains(&table_id) => 1,
                AnnotationScope::Section { node_id } if Some(node_id) == hint.node.as_ref() => 1,
                _ if away == 0 && hint.page.is_some() => 2,
                _ => 3,
            };
            (tier, away, annotation)
        })
        .collect();
    found.sort_by_key(|(tier, away, _)| (*tier, *away));
    let Some((tier, away, best)) = found.first().copied() else {
        return Err(DomainError::AnnotationNotFound {
            reg_id: reader.reg_id().clone(),
            annotation_id: label.to_owned(),
            candidates: near_labels(all.iter().filter(is_open)),
        }
        .into());
    };
    let mut result = view(reader, best)?;
    // Without a hint, or where two are equally near, the caller should know that there are others.
    let tie = found.get(1).is_some_and(|second| second.0 == tier && second.1 == away);
    if found.len() > 1 && (tie || (hint.page.is_none() && hint.table.is_none())) {
        for (.., other) in found.iter().skip(1).take(10) {
            let other = view(reader, other)?;
            result.others.push(format!("{} P{}", other.scope, other.page_num));
        }
    }
    Ok(result)
}

/// An annotation as a result.
pub(crate) fn view(reader: &RegulationReader, annotation: &Annotation) -> Result<AnnotationView, ToolError> {
    let page = annotation.page_num.unwrap_or(PageNumber::FIRST);
    let scope = match &annotation.scope {
        AnnotationScope::Page => tools::page_label(language_of(&annotation.content), page),
        AnnotationScope::Table { table_id } => {
            let tables = reader.tables()?;
            let label = tables.get(table_id.as_str()).and_then(table_label);
            label.unwrap_or_else(|| table_id.to_string())
        }
        AnnotationScope::Section { node_id } => {
            let structure = reader.structure()?;
            structure
                .node(node_id.as_str())
                .map_or_else(|| node_id.to_string(), |node| node.section_number.to_string())
        }
    };
    let target = CitationTarget::Annotation(match &annotation.scope {
        AnnotationScope::Table { table_id } => {
            let place = place_of_table(reader, table_id)?;
            [place.as_deref(), Some(annotation.annotation_id.as_str())]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        }
        _ => annotation.annotation_id.clone(),
    });
    let cited = Citation::of(reader.info(), annotation.page_num, Some(target));
    Ok(AnnotationView {
        reg_id: reader.reg_id().to_string(),
        annotation_id: annotation.annotation_id.clone(),
        printed_label: annotation.printed_label.clone().filter(|label| *label != annotation.annotation_id),
        content: annotation.content.clone(),
        page_num: page,
        kind: match annotation.kind {
            AnnotationKind::Note => "note".to_owned(),
            AnnotationKind::Plan => "plan".to_owned(),
        },
        scope,
        block_id: annotation.block_id.as_ref().map(ToString::to_string),
        source: cited.to_string(),
        cited,
        others: Vec::new(),
        edition_notice: None,
    })
}

/// What a person finds a table by: its number, or the clause it stands in when it has none.
fn place_of_table(reader: &RegulationReader, table_id: &TableId) -> Result<Option<String>, ToolError> {
    let tables = reader.tables()?;
    Ok(tables.get(table_id.as_str()).and_then(|table| match &table.number {
        Some(number) => Some(format!("表{number}")),
        None => table.section_number.as_ref().map(ToString::to_string),
    }))
}

fn near_labels<'a>(all: impl Iterator<Item = &'a Annotation>) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for annotation in all {
        if !labels.contains(&annotation.annotation_id) {
            labels.push(annotation.annotation_id.clone());
        }
    }
    labels.truncate(8);
    labels
}
