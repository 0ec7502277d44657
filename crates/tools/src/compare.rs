//! `compare_sections`: clauses aligned, words and cells that differ shown, within a regulation or between two editions.

mod clauses;
mod tables;

pub(crate) use tables::data_rows;

use regreader_model::{ChapterNode, DocumentStructure};
use regreader_store::RegulationReader;
use regreader_text::beginning;

use crate::places::section;
use crate::read::{blocks_in_order, chapter_blocks};
use crate::requests as rq;
use crate::results as rs;
use crate::{ToolError, Toolbox};

/// Steps of a comparison, as they are told.
const STEPS: usize = 5;
/// Characters of one clause shown.
const MAX_CLAUSE: usize = 600;

impl Toolbox {
    /// What differs between two chapters.
    pub fn compare_sections(&self, request: &rq::CompareSections) -> Result<rs::Comparison, ToolError> {
        let reader_a = self.reader(&request.reg_id)?;
        let reader_b = self.reader(request.reg_id_b.as_deref().unwrap_or(&request.reg_id))?;
        let structure_a = reader_a.structure()?;
        let structure_b = reader_b.structure()?;
        let name_b = request.section_b.as_deref().unwrap_or(&request.section_a);
        let node_a = section(&structure_a, &request.section_a)?;
        let node_b = section(&structure_b, name_b)?;

        let step = |doing: &str, done| self.tell(|| doing.to_owned(), done, STEPS);
        step("读取甲方条文", 0);
        let clauses_a = clauses::collect(&reader_a, &structure_a, node_a)?;
        step("读取乙方条文", 1);
        let clauses_b = clauses::collect(&reader_b, &structure_b, node_b)?;
        step("对齐条文", 2);
        let aligned = clauses::align(&clauses_a, &clauses_b);
        step("比较条文", 3);
        let mut result = rs::Comparison {
            a: side(&reader_a, node_a),
            b: side(&reader_b, node_b),
            same: 0,
            changed: Vec::new(),
            only_in_a: Vec::new(),
            only_in_b: Vec::new(),
            tables: Vec::new(),
            truncated: false,
        };
        for pair in aligned {
            match pair {
                (Some(a), Some(b)) if clauses::same_words(&a.text, &b.text) => result.same += 1,
                (Some(a), Some(b)) => result.changed.push(rs::ChangedClause {
                    words: beginning(&clauses::changed_words(&a.text, &b.text), MAX_CLAUSE),
                    a: view(a),
                    b: view(b),
                }),
                (Some(a), None) => result.only_in_a.push(view(a)),
                (None, Some(b)) => result.only_in_b.push(view(b)),
                (None, None) => {}
            }
        }
        if request.include_tables {
            step("比较表格", 4);
            let tables_a = section_tables(&reader_a, &structure_a, node_a)?;
            let tables_b = section_tables(&reader_b, &structure_b, node_b)?;
            result.tables = tables::differences(&tables_a, &tables_b);
        }
        let cap = self.options.max_items / 2;
        result.truncated = cut(&mut result.changed, cap)
            | cut(&mut result.only_in_a, cap)
            | cut(&mut result.only_in_b, cap)
            | cut(&mut result.tables, cap);
        Ok(result)
    }
}

fn cut<T>(list: &mut Vec<T>, cap: usize) -> bool {
    let too_long = list.len() > cap;
    list.truncate(cap);
    too_long
}

fn side(reader: &RegulationReader, node: &ChapterNode) -> rs::SideView {
    let (first, last) = node.page_range();
    rs::SideView {
        reg_id: reader.reg_id().to_string(),
        section_number: node.section_number.to_string(),
        title: node.title.clone(),
        page_range: [first.get(), last.get()],
    }
}

fn view(clause: &clauses::Clause) -> rs::ClauseView {
    rs::ClauseView {
        section_number: clause.number.clone(),
        page_num: clause.page.get(),
        text: beginning(&clause.text, MAX_CLAUSE),
    }
}

/// The logical tables of a chapter, in order.
fn section_tables(
    reader: &RegulationReader,
    structure: &DocumentStructure,
    node: &ChapterNode,
) -> Result<Vec<regreader_model::LogicalTable>, ToolError> {
    let (first, last) = node.page_range();
    let wanted = chapter_blocks(structure, &node.node_id, true);
    let registry = reader.tables()?;
    let mut tables: Vec<regreader_model::LogicalTable> = Vec::new();
    for (_, block) in blocks_in_order(&reader.pages(first..=last)?, &wanted) {
        let Some(table) = block.table_meta.and_then(|meta| registry.get(meta.table_id.as_str()).cloned())
        else {
            continue;
        };
        if tables.iter().all(|known| known.table_id != table.table_id) {
            tables.push(table);
        }
    }
    Ok(tables)
}
