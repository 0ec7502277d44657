//! A small regulation in any number of editions, every file of which says which edition it is of.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use regreader_model::{
    BlockId, BlockType, ChapterNode, ClauseNumber, ContentBlock, Diagnostic, DiagnosticCode,
    DocumentStructure, LogicalTable, NodeId, PageDocument, PageNumber, QualityReport, Reference,
    ReferenceGraph, ReferenceKind, ReferenceTarget, RegId, Regulation, RegulationInfo, Resolution, Severity,
    SourceFormat, TableCell, TableId, TableMeta, TableRegistry, TableSegment, TextOrigin,
};
use regreader_store::{Library, OpenOptions, RegulationReader, Source, StoreError};

pub fn id(text: &str) -> RegId {
    text.parse().unwrap()
}

pub fn page(number: u32) -> PageNumber {
    PageNumber::new(number).unwrap()
}

pub fn open(root: &Path) -> Library {
    Library::open(root, OpenOptions::new()).unwrap()
}

/// The document of an edition, long enough that writing it takes a moment.
pub fn document(edition: u32) -> Vec<u8> {
    format!("document of edition {edition}\n").repeat(1_000).into_bytes()
}

pub fn store(library: &Library, regulation: &Regulation) -> regreader_store::Stored {
    let bytes = document(edition_of(&regulation.info.title));
    library.replace(regulation, Some(Source { file_name: "规程.PDF", bytes: &bytes })).unwrap()
}

pub fn edition_of(text: &str) -> u32 {
    let digits: String =
        text.split("edition ").nth(1).unwrap().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

pub fn regulation(reg_id: &str, edition: u32, pages: u32) -> Regulation {
    let reg_id = id(reg_id);
    Regulation {
        info: info(&reg_id, edition),
        pages: (1..=pages).map(|number| page_document(&reg_id, edition, number, pages)).collect(),
        structure: structure(&reg_id, edition, pages),
        tables: TableRegistry::new(reg_id.clone(), [table(edition, pages)]),
        references: references(&reg_id, edition),
        quality: quality(&reg_id, edition, pages),
    }
}

fn info(reg_id: &RegId, edition: u32) -> RegulationInfo {
    RegulationInfo {
        reg_id: reg_id.clone(),
        title: format!("虚构规程 edition {edition}"),
        issuer: None,
        source_file: "规程.PDF".to_owned(),
        total_pages: 0,
        indexed_at: format!("2026-01-01T00:00:{:02}Z", edition % 60),
        description: None,
        keywords: Vec::new(),
        scope: None,
        aliases: Vec::new(),
        series: None,
        edition: None,
        effective_from: None,
        supersedes: None,
        events: Vec::new(),
        number: None,
        source_format: Some(SourceFormat::Pdf),
        source_hash: None,
        content_hash: None,
        pipeline: Some("1".to_owned()),
        pages_approximate: false,
    }
}

fn page_document(reg_id: &RegId, edition: u32, number: u32, pages: u32) -> PageDocument {
    let text = format!("母线失压处置 edition {edition} page {number}\n");
    PageDocument {
        reg_id: reg_id.clone(),
        page_num: page(number),
        page_label: Some(number.to_string()),
        chapter_path: vec!["1 总则".to_owned()],
        active_chapters: vec![NodeId::new("n1")],
        content_blocks: vec![
            ContentBlock {
                block_id: BlockId::new(format!("b{number}")),
                block_type: BlockType::Text,
                order_in_page: 0,
                content_markdown: text.repeat(50),
                chapter_path: vec!["1 总则".to_owned()],
                chapter_node_id: Some(NodeId::new("n1")),
                section_number: Some(ClauseNumber::new("1")),
                table_meta: None,
                bbox: None,
                lines: Vec::new(),
                confidence: None,
            },
            ContentBlock {
                block_id: BlockId::new(format!("t{number}")),
                block_type: BlockType::Table,
                order_in_page: 1,
                content_markdown: format!("| 名称 | 限额 |\n|---|---|\n| 线路{number} | {edition} |\n"),
                chapter_path: vec!["1 总则".to_owned()],
                chapter_node_id: Some(NodeId::new("n1")),
                section_number: Some(ClauseNumber::new("1")),
                table_meta: Some(segment(edition, number, pages)),
                bbox: None,
                lines: Vec::new(),
                confidence: None,
            },
        ],
        content_markdown: text,
        continues_from_prev: number > 1,
        continues_to_next: number < pages,
        annotations: Vec::new(),
        origin: TextOrigin::TextLayer,
        size: Some([595.0, 842.0]),
    }
}

/// One row on each page, under a header that is printed again.
fn segment(edition: u32, number: u32, pages: u32) -> TableMeta {
    let cell = |row: u32, col: u32, content: String| TableCell {
        row,
        col,
        row_span: 1,
        col_span: 1,
        content,
        is_header: row == 0,
        bbox: None,
    };
    TableMeta {
        table_id: segment_id(number),
        caption: Some("表1-1 限额".to_owned()),
        is_truncated: pages > 1,
        row_headers: vec![format!("线路{number}")],
        col_headers: vec!["名称".to_owned(), "限额".to_owned()],
        row_count: 1,
        col_count: 2,
        cells: vec![
            cell(0, 0, "名称".to_owned()),
            cell(0, 1, "限额".to_owned()),
            cell(1, 0, format!("线路{number}")),
            cell(1, 1, edition.to_string()),
        ],
        master_table_id: (pages > 1).then(|| segment_id(1)),
        segment_index: number - 1,
    }
}

fn segment_id(number: u32) -> TableId {
    TableId::new(format!("t0001-s{number:04}"))
}

fn table(edition: u32, pages: u32) -> LogicalTable {
    let mut cells = segment(edition, 1, pages).cells;
    cells.truncate(2);
    for number in 1..=pages {
        let data = segment(edition, number, pages).cells.into_iter().skip(2);
        cells.extend(data.map(|cell| TableCell { row: number, ..cell }));
    }
    let segments = (1..=pages).map(|number| TableSegment {
        segment_id: segment_id(number),
        page_num: page(number),
        bbox: None,
        first_row: if number == 1 { 0 } else { number },
        row_count: if number == 1 { 2 } else { 1 },
        header_repeated: number > 1,
        caption: Some("表1-1 限额".to_owned()),
    });
    LogicalTable {
        table_id: segment_id(1),
        caption: Some("表1-1 限额".to_owned()),
        number: None,
        header_rows: 1,
        col_headers: vec!["名称".to_owned(), "限额".to_owned()],
        row_count: pages,
        col_count: 2,
        cells,
        row_pages: [1].into_iter().chain(1..=pages).map(page).collect(),
        segments: segments.collect(),
        chapter_node_id: Some(NodeId::new("n1")),
        chapter_path: vec!["1 总则".to_owned()],
        section_number: Some(ClauseNumber::new("1")),
        notes: Vec::new(),
    }
}

fn structure(reg_id: &RegId, edition: u32, pages: u32) -> DocumentStructure {
    let node = ChapterNode {
        node_id: NodeId::new("n1"),
        section_number: ClauseNumber::new("1"),
        title: format!("总则 edition {edition}"),
        level: 1,
        page_num: page(1),
        page_end: Some(page(pages)),
        parent_id: None,
        children_ids: Vec::new(),
        content_block_ids: vec![BlockId::new("b1")],
    };
    DocumentStructure {
        reg_id: reg_id.clone(),
        all_nodes: BTreeMap::from([(node.node_id.clone(), node)]),
        root_node_ids: vec![NodeId::new("n1")],
    }
}

fn references(reg_id: &RegId, edition: u32) -> ReferenceGraph {
    let reference = Reference {
        text: format!("见表9-9 edition {edition}"),
        page_num: page(1),
        block_id: BlockId::new("b1"),
        row: None,
        col: None,
        target: ReferenceTarget { kind: ReferenceKind::Table, number: "9-9".to_owned(), regulation: None },
        resolution: Resolution::Unresolved { candidates: Vec::new() },
    };
    ReferenceGraph { reg_id: reg_id.clone(), references: vec![reference] }
}

fn quality(reg_id: &RegId, edition: u32, pages: u32) -> QualityReport {
    let mut quality = QualityReport::empty(reg_id.clone());
    quality.pages_by_origin.insert("text_layer".to_owned(), (1..=pages).map(page).collect());
    let message = format!("edition {edition}");
    quality.diagnostics.push(Diagnostic::on_document(Severity::Info, DiagnosticCode::NumberingGap, message));
    quality
}

/// Reads everything there is, and gives the edition that all of it is of.
pub fn read_whole(reader: &RegulationReader) -> Result<u32, StoreError> {
    let edition = edition_of(&reader.info().title);
    for page in reader.all_pages() {
        let page = page?;
        assert_eq!(edition_of(&page.content_markdown), edition, "page {}", page.page_num);
    }
    assert_eq!(edition_of(&reader.structure()?.iter().next().unwrap().title), edition);
    assert_eq!(
        reader.tables()?.tables.values().next().unwrap().cells.last().unwrap().content,
        edition.to_string()
    );
    assert_eq!(edition_of(&reader.references()?.references[0].text), edition);
    assert_eq!(edition_of(&reader.quality()?.diagnostics[0].message), edition);
    assert_eq!(edition_of(&String::from_utf8(reader.source_bytes()?.unwrap()).unwrap()), edition);
    Ok(edition)
}

/// Every file under a folder with its bytes.
pub fn snapshot(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), files);
            } else {
                files.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(folder, "", &mut files);
    files
}

/// Puts a snapshot into an empty folder.
pub fn restore(folder: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Nothing wrong with any regulation, and nothing left over.
pub fn assert_clean(library: &Library) {
    for reg_id in library.ids().unwrap() {
        assert_eq!(library.verify(&reg_id).unwrap(), [], "{reg_id}");
    }
    assert_eq!(library.verify_library().unwrap(), []);
    assert!(!library.root().join("regulations/.staging").exists());
}

/// A stream of numbers that is the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn roll(&mut self, below: u64) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
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
