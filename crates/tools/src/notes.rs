//! `lookup_annotation`, `search_annotations`: notes and plans, nearest scope first.

use regreader_model::{
    Annotation, AnnotationKind, AnnotationScope, Citation, CitationTarget, DomainError, NodeId, PageNumber,
    TableId,
};
use regreader_store::RegulationReader;
use regreader_text::{canonical_label, fold};

use crate::cursor::Cursor;
use crate::kept::Notes;
use crate::places::table;
use crate::requests as rq;
use crate::results as rs;
use crate::{ToolError, Toolbox};

impl Toolbox {
    /// The note of this label that is nearest to where the caller met it.
    pub fn lookup_annotation(&self, request: &rq::LookupAnnotation) -> Result<rs::AnnotationView, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let label = canonical_label(&request.annotation_id).ok_or_else(|| DomainError::InvalidArgument {
            name: "annotation_id",
            reason: "应形如 注1、注①、（注一）、方案甲".to_owned(),
        })?;
        let table_id = match &request.table_hint {
            Some(name) => Some(table(&*reader.tables()?, name)?.table_id.clone()),
            None => None,
        };
        let hint = Hint { page: request.page_hint.and_then(PageNumber::new), table: table_id, node: None };
        let found = find_annotation(&reader, &self.annotations(&reader)?, &label, &hint)?;
        let edition_notice = self.edition_notice(reader.info(), request.as_of.as_deref())?;
        Ok(rs::AnnotationView { edition_notice, ..found })
    }

    /// Every note and plan, filtered, a part at a time.
    pub fn search_annotations(
        &self,
        request: &rq::SearchAnnotations,
    ) -> Result<rs::AnnotationList, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let pattern = request.pattern.as_deref().map(fold).filter(|pattern| !pattern.is_empty());
        let label = request.pattern.as_deref().and_then(canonical_label);
        let kind = request.annotation_type.map(|kind| match kind {
            rq::AnnotationType::Note => AnnotationKind::Note,
            rq::AnnotationType::Plan => AnnotationKind::Plan,
        });
        let mut found = Vec::new();
        let all = self.annotations(&reader)?;
        for annotation in all.iter() {
            let fits = pattern.as_ref().is_none_or(|pattern| {
                label.as_deref() == Some(annotation.annotation_id.as_str())
                    || fold(&annotation.content).contains(pattern)
            });
            if fits && kind.is_none_or(|kind| annotation.kind == kind) {
                found.push(annotation);
            }
        }
        let start = Cursor::read(request.cursor.as_deref(), reader.content_hash())?;
        let shown: Vec<_> = found.iter().skip(start).take(self.options.max_items / 4).collect();
        let end = start + shown.len();
        let next = (end < found.len()).then(|| Cursor::write(end, reader.content_hash()));
        Ok(rs::AnnotationList {
            annotations: shown.into_iter().map(|a| view(&reader, a)).collect::<Result<_, _>>()?,
            total: found.len() as u32,
            truncated: next.is_some(),
            next,
            edition_notice: self.edition_notice(reader.info(), request.as_of.as_deref())?,
        })
    }

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
) -> Result<rs::AnnotationView, ToolError> {
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
pub(crate) fn view(
    reader: &RegulationReader,
    annotation: &Annotation,
) -> Result<rs::AnnotationView, ToolError> {
    let page = annotation.page_num.unwrap_or(PageNumber::FIRST);
    let scope = match &annotation.scope {
        AnnotationScope::Page => format!("第{page}页"),
        AnnotationScope::Table { table_id } => {
            let tables = reader.tables()?;
            let table = tables.get(table_id.as_str());
            table
                .and_then(|table| table.number.as_ref())
                .map_or_else(|| table_id.to_string(), |n| format!("表{n}"))
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
    Ok(rs::AnnotationView {
        reg_id: reader.reg_id().to_string(),
        annotation_id: annotation.annotation_id.clone(),
        printed_label: annotation.printed_label.clone().filter(|label| *label != annotation.annotation_id),
        content: annotation.content.clone(),
        page_num: page.get(),
        kind: match annotation.kind {
            AnnotationKind::Note => "note".to_owned(),
            AnnotationKind::Plan => "plan".to_owned(),
        },
        scope,
        block_id: annotation.block_id.as_ref().map(ToString::to_string),
        source: cited.to_string(),
        cited: rs::Cited(cited),
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
