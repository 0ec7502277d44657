//! `resolve_reference`: from “见表6-2” to the place itself, also in another regulation. A target that is not there is an
//! error with the nearest that are.

use regreader_model::{
    Annotation, ChapterNode, CitationTarget, DomainError, Location, PageNumber, ReferenceKind,
    ReferenceTarget, RegId, RegulationInfo, Resolution,
};
use regreader_store::{ListEntry, RegulationReader};
use regreader_text::reference::clause_candidates;
use regreader_text::{beginning, fold, parse_reference};

use crate::notes::{Hint, find_annotation};
use crate::places::{near_sections, near_tables, section, table};
use crate::requests as rq;
use crate::results as rs;
use crate::toolbox::{cite, shorten};
use crate::{ToolError, Toolbox};

/// Characters of the target shown.
const PREVIEW: usize = 400;

impl Toolbox {
    /// Where a reference leads.
    pub fn resolve_reference(
        &self,
        request: &rq::ResolveReference,
    ) -> Result<rs::ResolvedReference, ToolError> {
        let reader = self.reader(&request.reg_id)?;
        let unreadable = |candidates| DomainError::ReferenceResolution {
            reference_text: request.reference_text.chars().take(120).collect(),
            candidates,
        };
        let target = parse_reference(&request.reference_text).ok_or_else(|| unreadable(Vec::new()))?;
        let reader = match &target.regulation {
            None => reader,
            Some(name) => match self.regulation_called(name)? {
                Ok(info) => self.open(&info.reg_id)?,
                Err(candidates) => return Err(unreadable(candidates).into()),
            },
        };
        let hint = Hint { page: request.page_hint.and_then(PageNumber::new), ..Hint::default() };
        let found = match target.kind {
            ReferenceKind::Regulation => whole(&reader)?,
            ReferenceKind::Table => table_place(&reader, &target)?,
            ReferenceKind::Annotation | ReferenceKind::Plan => {
                note_place(&reader, &self.annotations(&reader)?, &target, &hint)?
            }
            ReferenceKind::Figure => figure_place(&reader, &target)?,
            ReferenceKind::Chapter
            | ReferenceKind::Section
            | ReferenceKind::Article
            | ReferenceKind::Appendix => clause_place(&reader, &target, &hint)?,
        };
        let found = found.map_err(unreadable)?;
        Ok(rs::ResolvedReference {
            reference_text: request.reference_text.clone(),
            reference_type: kind_name(target.kind).to_owned(),
            target: target.number,
            resolved: true,
            location: found.place,
            title: found.title,
            preview: beginning(&found.preview, PREVIEW),
        })
    }

    /// The newest regulation that goes by this very number, alias or title, however it is printed.
    pub(crate) fn regulation_named(&self, name: &str) -> Option<RegId> {
        let wanted = plain(name);
        if wanted.chars().count() < 2 {
            return None;
        }
        let infos = self.library.list().ok()?.into_iter().filter_map(|entry| match entry {
            ListEntry::Regulation(info) => Some(info),
            ListEntry::Broken { .. } => None,
        });
        let named = infos.filter(|info| {
            [&info.title]
                .into_iter()
                .chain(&info.aliases)
                .chain(&info.number)
                .any(|name| plain(name) == wanted)
        });
        named.max_by_key(newness).map(|info| info.reg_id)
    }

    /// The regulation that a title, alias or id names; else the names that come near.
    pub(crate) fn regulation_called(
        &self,
        name: &str,
    ) -> Result<Result<RegulationInfo, Vec<String>>, ToolError> {
        let wanted = plain(name);
        let mut infos: Vec<RegulationInfo> = Vec::new();
        for entry in self.library.list()? {
            if let ListEntry::Regulation(info) = entry {
                infos.push(info);
            }
        }
        let names = |info: &RegulationInfo| {
            let mut names = vec![plain(&info.title), plain(info.reg_id.as_str())];
            names.extend(info.aliases.iter().map(|alias| plain(alias)));
            names
        };
        let exact = infos.iter().filter(|info| names(info).contains(&wanted));
        if let Some(info) = exact.max_by_key(|info| newness(info)) {
            return Ok(Ok(info.clone()));
        }
        // In running text other words stand before the name: 措施见安规2024.
        let ending = infos.iter().flat_map(|info| names(info).into_iter().map(move |name| (name, info)));
        let longest = ending
            .filter(|(name, _)| name.chars().count() >= 2 && wanted.ends_with(name.as_str()))
            .max_by_key(|(name, info)| (name.chars().count(), &info.effective_from));
        if let Some((_, info)) = longest {
            return Ok(Ok(info.clone()));
        }
        // A title is often cited without its year or edition: accept it when it names exactly one series.
        let parts: Vec<&RegulationInfo> = infos
            .iter()
            .filter(|info| wanted.chars().count() >= 4 && plain(&info.title).contains(&wanted))
            .collect();
        let newest = parts.iter().max_by_key(|info| (&info.effective_from, &info.reg_id));
        let one_series =
            parts.windows(2).all(|pair| pair[0].series.is_some() && pair[0].series == pair[1].series);
        match newest {
            Some(info) if one_series => Ok(Ok((*info).clone())),
            _ => Ok(Err(infos.into_iter().map(|info| info.title).take(5).collect())),
        }
    }
}

/// A target found.
struct Found {
    place: rs::Place,
    title: String,
    preview: String,
}

/// A target, or the nearest that exist.
type Lookup = Result<Found, Vec<String>>;

fn whole(reader: &RegulationReader) -> Result<Lookup, ToolError> {
    let info = reader.info();
    let preview = reader.page(PageNumber::FIRST)?.content_markdown;
    Ok(Ok(Found {
        place: place(reader, PageNumber::FIRST, None, None, None),
        title: info.title.clone(),
        preview,
    }))
}

fn table_place(reader: &RegulationReader, target: &ReferenceTarget) -> Result<Lookup, ToolError> {
    let tables = reader.tables()?;
    let Ok(table) = table(&tables, &target.number) else {
        return Ok(Err(near_tables(&tables, &target.number)));
    };
    let page = table.page_range().map_or(PageNumber::FIRST, |(first, _)| first);
    let number = table.number.clone().unwrap_or_else(|| table.table_id.to_string());
    Ok(Ok(Found {
        place: place(
            reader,
            page,
            None,
            Some(table.table_id.to_string()),
            Some(CitationTarget::Table(number)),
        ),
        title: table.caption.clone().unwrap_or_default(),
        preview: regreader_assemble::table_markdown(table),
    }))
}

fn note_place(
    reader: &RegulationReader,
    all: &[Annotation],
    target: &ReferenceTarget,
    hint: &Hint,
) -> Result<Lookup, ToolError> {
    match find_annotation(reader, all, &target.number, hint) {
        Ok(note) => Ok(Ok(Found {
            place: rs::Place {
                reg_id: note.reg_id,
                page_num: note.page_num,
                block_id: note.block_id,
                table_id: None,
                citation: note.source,
            },
            title: format!("{} {}", note.scope, note.annotation_id),
            preview: note.content,
        })),
        Err(ToolError::Domain(DomainError::AnnotationNotFound { candidates, .. })) => Ok(Err(candidates)),
        Err(error) => Err(error),
    }
}

fn clause_place(
    reader: &RegulationReader,
    target: &ReferenceTarget,
    hint: &Hint,
) -> Result<Lookup, ToolError> {
    // The graph has already decided which of several equal numbers (articles of two appendices) is meant on a page.
    let known = hint.page.map(|page| graph_location(reader, target, page)).transpose()?.flatten();
    let structure = reader.structure()?;
    let node = match known.and_then(|location| location.node_id) {
        Some(id) => structure.node(id.as_str()),
        None => clause_candidates(target)
            .iter()
            .find_map(|number| structure.iter().find(|node| node.section_number == *number))
            .or_else(|| section(&structure, &target.number).ok())
            .filter(|node| is_of_kind(node, target.kind)),
    };
    let Some(node) = node else {
        let mut near = near_sections(&structure, &target.number);
        if near.is_empty() && target.kind == ReferenceKind::Appendix {
            let appendices = structure.iter().filter(|node| node.section_number.as_str().starts_with('附'));
            near = appendices.take(5).map(ChapterNode::heading).collect();
        }
        return Ok(Err(near));
    };
    let block_id = node.content_block_ids.first();
    let page = reader.page(node.page_num)?;
    let preview: Vec<&str> = page
        .content_blocks
        .iter()
        .skip_while(|block| Some(&block.block_id) != block_id)
        .take(4)
        .map(|block| block.content_markdown.as_str())
        .collect();
    let number = node.section_number.to_string();
    Ok(Ok(Found {
        place: place(
            reader,
            node.page_num,
            block_id.map(ToString::to_string),
            None,
            (!number.is_empty()).then_some(CitationTarget::Clause(number)),
        ),
        title: node.heading(),
        preview: preview.join("\n\n"),
    }))
}

/// 第十二章 is not 第十二条: a number of another kind is a guess.
fn is_of_kind(node: &ChapterNode, kind: ReferenceKind) -> bool {
    let number = node.section_number.as_str();
    match kind {
        ReferenceKind::Chapter => !number.contains('条'),
        ReferenceKind::Article => !number.contains('章'),
        ReferenceKind::Appendix => {
            number.starts_with('附') || number.starts_with(|c: char| c.is_ascii_alphabetic())
        }
        _ => true,
    }
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
                return Ok(Ok(Found {
                    place: place(reader, page.page_num, Some(block.block_id.to_string()), None, None),
                    title: shorten(&block.content_markdown, 60),
                    preview: block.content_markdown.clone(),
                }));
            }
        }
    }
    Ok(Err(near))
}

/// What assembly resolved this target to on this page.
fn graph_location(
    reader: &RegulationReader,
    target: &ReferenceTarget,
    page: PageNumber,
) -> Result<Option<Location>, ToolError> {
    let graph = reader.references()?;
    let known = graph.references.iter().find_map(|reference| match &reference.resolution {
        Resolution::Resolved { location } if reference.page_num == page && reference.target == *target => {
            Some(location.clone())
        }
        _ => None,
    });
    Ok(known)
}

fn place(
    reader: &RegulationReader,
    page: PageNumber,
    block_id: Option<String>,
    table_id: Option<String>,
    target: Option<CitationTarget>,
) -> rs::Place {
    rs::Place {
        reg_id: reader.reg_id().to_string(),
        page_num: page.get(),
        block_id,
        table_id,
        citation: cite(reader.info(), page, target),
    }
}

/// A title without the marks that citing adds or drops.
/// Orders editions of one regulation: by the day they come into force, then by the numbers of the edition.
fn newness(info: &RegulationInfo) -> (Option<String>, Vec<u32>) {
    let edition = info.edition.as_deref().unwrap_or("");
    let numbers = edition.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    (info.effective_from.clone(), numbers.take(4).collect())
}

fn plain(name: &str) -> String {
    fold(name).chars().filter(|c| c.is_alphanumeric()).collect()
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
