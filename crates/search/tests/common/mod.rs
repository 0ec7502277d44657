//! A small library made by hand: enough of two regulations (one in two editions) to ask real questions of.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use regreader_embed::{EmbedError, Embedder};
use regreader_model::{
    Annotation, AnnotationKind, AnnotationScope, BlockId, BlockType, ChapterNode, ClauseNumber, ContentBlock,
    DocumentStructure, LogicalTable, NodeId, PageDocument, PageNumber, QualityReport, ReferenceGraph, RegId,
    Regulation, RegulationInfo, TableCell, TableId, TableMeta, TableRegistry, TableSegment, TextOrigin,
};
use regreader_search::{EngineOptions, SearchEngine};
use regreader_store::{Library, OpenOptions};
use regreader_text::Tokenizer;

/// Builds a regulation page by page.
pub struct Builder {
    info: RegulationInfo,
    pages: Vec<PageDocument>,
    structure: DocumentStructure,
    tables: Vec<LogicalTable>,
    chapter: Option<NodeId>,
    blocks: u32,
}

impl Builder {
    pub fn new(id: &str, title: &str) -> Self {
        let reg_id: RegId = id.parse().unwrap();
        let json = serde_json::json!({
            "reg_id": id, "title": title, "source_file": format!("{id}.pdf"), "total_pages": 0, "indexed_at": ""
        });
        Self {
            info: serde_json::from_value(json).unwrap(),
            pages: Vec::new(),
            structure: DocumentStructure::empty(reg_id),
            tables: Vec::new(),
            chapter: None,
            blocks: 0,
        }
        .page()
    }

    pub fn about(mut self, change: impl FnOnce(&mut RegulationInfo)) -> Self {
        change(&mut self.info);
        self
    }

    pub fn page(mut self) -> Self {
        let page_num = PageNumber::from_index(self.pages.len());
        self.pages.push(PageDocument {
            reg_id: self.info.reg_id.clone(),
            page_num,
            page_label: None,
            chapter_path: Vec::new(),
            active_chapters: Vec::new(),
            content_blocks: Vec::new(),
            content_markdown: String::new(),
            continues_from_prev: false,
            continues_to_next: false,
            annotations: Vec::new(),
            origin: TextOrigin::TextLayer,
            size: None,
        });
        self
    }

    /// A heading; `number` decides its place in the tree.
    pub fn heading(mut self, number: &str, title: &str) -> Self {
        let node_id = NodeId::new(format!("n{}", self.structure.all_nodes.len()));
        let parent = number.rsplit_once('.').and_then(|(above, _)| {
            let above = self.structure.iter().find(|node| node.section_number.as_str() == above)?;
            Some(above.node_id.clone())
        });
        match &parent {
            Some(parent) => {
                self.structure.all_nodes.get_mut(parent).unwrap().children_ids.push(node_id.clone());
            }
            None => self.structure.root_node_ids.push(node_id.clone()),
        }
        self.structure.all_nodes.insert(
            node_id.clone(),
            ChapterNode {
                node_id: node_id.clone(),
                section_number: ClauseNumber::new(number),
                title: title.to_owned(),
                level: number.split('.').count() as u32,
                page_num: PageNumber::from_index(self.pages.len() - 1),
                page_end: None,
                parent_id: parent,
                children_ids: Vec::new(),
                content_block_ids: Vec::new(),
            },
        );
        self.chapter = Some(node_id);
        self.block(BlockType::Heading, &format!("{number} {title}"), None)
    }

    pub fn text(self, text: &str) -> Self {
        self.block(BlockType::Text, text, None)
    }

    /// A table of one segment on this page.
    pub fn table(mut self, number: &str, caption: &str, headers: &[&str], rows: &[&[&str]]) -> Self {
        let page_num = PageNumber::from_index(self.pages.len() - 1);
        let table_id = TableId::new(format!("t{}", self.tables.len()));
        let mut cells = Vec::new();
        for (row, texts) in std::iter::once(&headers).chain(rows).enumerate() {
            for (col, text) in texts.iter().enumerate() {
                cells.push(TableCell {
                    row: row as u32,
                    col: col as u32,
                    row_span: 1,
                    col_span: 1,
                    content: (*text).to_owned(),
                    is_header: row == 0,
                    bbox: None,
                });
            }
        }
        let mut markdown = format!("| {} |\n|{}\n", headers.join(" | "), "---|".repeat(headers.len()));
        for row in rows {
            markdown.push_str(&format!("| {} |\n", row.join(" | ")));
        }
        let caption = format!("表{number} {caption}");
        let meta = TableMeta {
            table_id: table_id.clone(),
            caption: Some(caption.clone()),
            is_truncated: false,
            row_headers: Vec::new(),
            col_headers: headers.iter().map(|header| (*header).to_owned()).collect(),
            row_count: rows.len() as u32,
            col_count: headers.len() as u32,
            cells: cells.clone(),
            master_table_id: None,
            segment_index: 0,
        };
        self.tables.push(LogicalTable {
            table_id: table_id.clone(),
            caption: Some(caption),
            number: Some(number.to_owned()),
            header_rows: 1,
            col_headers: meta.col_headers.clone(),
            row_count: rows.len() as u32,
            col_count: headers.len() as u32,
            cells,
            row_pages: vec![page_num; rows.len() + 1],
            segments: vec![TableSegment {
                segment_id: table_id,
                page_num,
                bbox: None,
                first_row: 0,
                row_count: rows.len() as u32 + 1,
                header_repeated: false,
                caption: None,
            }],
            chapter_node_id: self.chapter.clone(),
            chapter_path: self.path(),
            section_number: self.number(),
            notes: Vec::new(),
        });
        self.block(BlockType::Table, &markdown, Some(meta))
    }

    /// A note bound to the last table.
    pub fn note(mut self, label: &str, text: &str) -> Self {
        let table = self.tables.last_mut().unwrap();
        table.notes.push(label.to_owned());
        let scope = AnnotationScope::Table { table_id: table.table_id.clone() };
        let mut this = self.block(BlockType::Note, &format!("{label}：{text}"), None);
        let page = this.pages.last_mut().unwrap();
        page.annotations.push(Annotation {
            annotation_id: label.to_owned(),
            printed_label: Some(label.to_owned()),
            content: text.to_owned(),
            related_blocks: Vec::new(),
            kind: AnnotationKind::Note,
            scope,
            page_num: Some(page.page_num),
            block_id: page.content_blocks.last().map(|block| block.block_id.clone()),
        });
        this
    }

    pub fn build(mut self) -> Regulation {
        for page in &mut self.pages {
            let texts: Vec<&str> =
                page.content_blocks.iter().map(|block| block.content_markdown.as_str()).collect();
            page.content_markdown = texts.join("\n\n");
        }
        let reg_id = self.info.reg_id.clone();
        Regulation {
            info: self.info,
            pages: self.pages,
            structure: self.structure,
            tables: TableRegistry::new(reg_id.clone(), self.tables),
            references: ReferenceGraph { reg_id: reg_id.clone(), references: Vec::new() },
            quality: quality(&reg_id),
        }
    }

    fn block(mut self, block_type: BlockType, text: &str, table_meta: Option<TableMeta>) -> Self {
        let (chapter_path, section_number) = (self.path(), self.number());
        let block_id = BlockId::new(format!("b{}", self.blocks));
        self.blocks += 1;
        if let Some(node) = self.chapter.as_ref().and_then(|id| self.structure.all_nodes.get_mut(id)) {
            node.content_block_ids.push(block_id.clone());
        }
        let page = self.pages.last_mut().unwrap();
        page.content_blocks.push(ContentBlock {
            block_id,
            block_type,
            order_in_page: page.content_blocks.len() as u32,
            content_markdown: text.to_owned(),
            chapter_path,
            chapter_node_id: self.chapter.clone(),
            section_number,
            table_meta,
            bbox: None,
            lines: Vec::new(),
            confidence: None,
        });
        self
    }

    fn path(&self) -> Vec<String> {
        self.chapter.as_ref().map(|id| self.structure.chapter_path(id)).unwrap_or_default()
    }

    fn number(&self) -> Option<ClauseNumber> {
        let node = self.structure.node(self.chapter.as_ref()?.as_str())?;
        Some(node.section_number.clone())
    }
}

fn quality(reg_id: &RegId) -> QualityReport {
    serde_json::from_value(serde_json::json!({ "reg_id": reg_id })).unwrap()
}

pub fn angui(year: &str) -> Regulation {
    let older = year == "2023";
    Builder::new(&format!("angui_{year}"), &format!("{year}年示范电网安全自动装置调度运行管理规定"))
        .about(|info| {
            info.aliases = vec![format!("安规{year}")];
            if !older {
                info.aliases.push("安规".to_owned());
                info.supersedes = Some("angui_2023".parse().unwrap());
            }
            info.series = Some("angui".to_owned());
            info.edition = Some(format!("{year}版"));
            info.effective_from = Some(format!("{year}-01-01"));
            info.keywords =
                ["安控装置", "压板投退", "故障处理", "母线失压", "切机"].map(str::to_owned).to_vec();
            info.scope = Some("适用于安控装置配置、压板投退、母线失压等故障处理方面的问题".to_owned());
        })
        .heading("1", "总则")
        .text("本规定适用于示范电网直调安全自动装置的调度运行管理。")
        .text("稳定限额执行《特高压示范互联电网稳定及无功电压调度运行规定》。")
        .page()
        .heading("2", "安控系统")
        .heading("2.1", "天中直流安控系统")
        .heading("2.1.1", "功能描述")
        .text("天中直流双极闭锁后，天山站安控装置切除送端火电机组，安控措施见表2-3。")
        .table(
            "2-3",
            "天中直流双极闭锁切机措施",
            &["直流功率（万千瓦）", "切火电（万千瓦）"],
            &[&["500", "180"], &["700", "264"]],
        )
        .note("注1", "切机量按就近原则取整。")
        .heading("2.1.2", "故障处理")
        .text("天山站安控装置拒动时，人工切除应切机组的 80%，并立即汇报国调。")
        .page()
        .heading("2.2", "长南线安控系统")
        .text("长治站长南Ⅰ线稳态过电压控制装置动作后跳开长南Ⅰ线。")
        .page()
        .heading("6", "故障处理")
        .heading("6.2", "母线失压")
        .text(if older {
            "110 千伏母线失压时，应在 10 分钟内汇报国调，拉开失压母线上的全部开关。"
        } else {
            "110 千伏母线失压时，应立即汇报国调，拉开失压母线上的全部开关，不得擅自充电。"
        })
        .text("本页其他事项按总则执行。")
        .build()
}

pub fn wengui() -> Regulation {
    let normal: Vec<Vec<String>> = (2..=4)
        .flat_map(|count| {
            (1..=3).flat_map(move |step| ["投入", "退出"].map(|state| (count, step * 100, state)))
        })
        .map(|(count, step, state)| {
            let limit = 200 + count * 50 + step / 4 - if state == "退出" { 80 } else { 0 };
            vec![count.to_string(), step.to_string(), state.to_owned(), limit.to_string()]
        })
        .collect();
    let normal: Vec<Vec<&str>> = normal.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let normal: Vec<&[&str]> = normal.iter().map(Vec::as_slice).collect();
    Builder::new("wengui_2024", "特高压示范互联电网稳定及无功电压调度运行规定")
        .about(|info| {
            info.aliases = ["稳规2024", "稳规"].map(str::to_owned).to_vec();
            info.series = Some("wengui".to_owned());
            info.edition = Some("2024".to_owned());
            info.keywords =
                ["稳定限额", "特高压", "断面限额", "线路N-1", "长南Ⅰ线"].map(str::to_owned).to_vec();
            info.scope = Some("适用于直流、线路、断面稳定限额查询方面的问题".to_owned());
        })
        .heading("1", "总则")
        .text("本规定给出特高压电网的稳定限额和无功电压控制要求。特高压稳定限额由国调下达。")
        .page()
        .heading("3", "天中直流")
        .heading("3.1", "正常方式")
        .text("天中直流稳定限额由开机总台数和新能源出力决定，见表3-1。")
        .table(
            "3-1",
            "天中直流正常方式限额表（全压）",
            &["开机总台数", "新能源出力（万千瓦）", "策略", "直流限额（万千瓦）"],
            &normal,
        )
        .note("注1", "开机总台数不含检修后试运机组。")
        .page()
        .heading("3.2", "线路N-1方式")
        .table(
            "3-3",
            "天中直流线路N-1方式限额表（全压）",
            &["最小开机台数", "风电出力（万千瓦）", "策略投入限额（万千瓦）", "策略退出限额（万千瓦）"],
            &[
                &["1", "100", "210", "145"],
                &["1", "300", "260", "195"],
                &["3", "100", "315", "240"],
                &["3", "300", "365", "290"],
                &["5", "100", "425", "340"],
                &["5", "300", "475", "390"],
            ],
        )
        .note("注1", "风电出力不含光伏。")
        .table(
            "3-4",
            "天中直流线路N-1方式限额表（降压）",
            &["最小开机台数", "风电出力（万千瓦）", "策略投入限额（万千瓦）", "策略退出限额（万千瓦）"],
            &[&["3", "100", "215", "160"], &["3", "300", "260", "205"]],
        )
        .page()
        .heading("6", "交流通道")
        .text("长南I线北送稳定限额为 500 万千瓦。")
        .build()
}

pub fn library(folder: &Path, regulations: &[Regulation]) -> Library {
    let library = Library::open(folder.join("storage"), OpenOptions::new()).unwrap();
    for regulation in regulations {
        library.replace(regulation, None).unwrap();
    }
    library
}

/// The three regulations with their indexes built, by words alone.
pub fn engine(folder: &Path) -> SearchEngine {
    engine_with(folder, EngineOptions::default(), None)
}

pub fn engine_with(
    folder: &Path,
    options: EngineOptions,
    embedder: Option<Arc<dyn Embedder>>,
) -> SearchEngine {
    let library = library(folder, &[angui("2023"), angui("2024"), wengui()]);
    let engine = SearchEngine::open(library, &folder.join("index"), options, embedder).unwrap();
    engine.refresh(&mut |_| {}).unwrap();
    engine
}

/// Hashes tokens into a few hundred dimensions: near texts share tokens. Knows synonyms that it is told.
pub struct HashEmbedder {
    pub model: String,
    pub synonyms: BTreeMap<&'static str, &'static str>,
    tokenizer: Tokenizer,
}

impl HashEmbedder {
    pub fn new(model: &str) -> Self {
        let synonyms = BTreeMap::from([("没电", "失压"), ("报告", "汇报")]);
        Self { model: model.to_owned(), synonyms, tokenizer: Tokenizer::new() }
    }
}

const DIMENSION: usize = 256;

impl Embedder for HashEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut text = text.to_owned();
        for (from, to) in &self.synonyms {
            text = text.replace(from, to);
        }
        let mut vector = vec![0.001_f32; DIMENSION];
        for token in self.tokenizer.index_tokens(&text) {
            let hash = token.text.bytes().fold(14_695_981_039_346_656_037_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
            });
            vector[(hash % DIMENSION as u64) as usize] += 1.0;
        }
        let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        Ok(vector.into_iter().map(|value| value / norm).collect())
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.embed_query(text)).collect()
    }
}

/// A model whose server is down.
pub struct DeadEmbedder(pub HashEmbedder);

impl Embedder for DeadEmbedder {
    fn model(&self) -> &str {
        self.0.model()
    }

    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn embed_query(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
        Err(EmbedError::Backend { backend: "test".to_owned(), reason: "connection refused".to_owned() })
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed_documents(texts)
    }
}

/// Root may do anything, so it has a test run once more by a user who may not. False where this user cannot hand over.
#[cfg(unix)]
pub fn again_as_nobody(test: &str) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    // The program may lie in a folder that only root can enter.
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let copy = folder.path().join("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let mut command = std::process::Command::new(copy);
    command.args([test, "--exact", "--nocapture"]).current_dir("/").uid(65_534).gid(65_534);
    let Ok(ran) = command.output() else { return false };
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed") && !said.contains("skipped:"), "{said}");
    true
}
