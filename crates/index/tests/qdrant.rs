//! The contract, kept by a real Qdrant server and a real cluster of three nodes; and what happens when a node dies.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::server;
use crate::suite;
use std::io::Write as _;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::server::Node;
use regreader_index::{
    DocumentKey, Filter, IndexDocument, KeywordIndex, QdrantIndex, QdrantOptions, Reading, VectorIndex,
};
use regreader_model::{BlockId, BlockType, PageNumber, RegId};

/// A collection for each folder that a case thinks it works in.
fn named(folder: &Path) -> String {
    folder.file_name().unwrap().to_string_lossy().trim_start_matches('.').to_owned()
}

fn keep_the_contract(options: &QdrantOptions) {
    let words = |folder: &Path, reading: &Arc<Reading>| {
        let index = QdrantIndex::open(options.clone(), &named(folder), Arc::clone(reading), None)?;
        Ok(Arc::new(index) as Arc<dyn KeywordIndex>)
    };
    for case in suite::KEYWORD {
        case(&suite::Keyword { name: "qdrant", open: &words });
    }
    let vectors = |folder: &Path, model: &str, dimension: usize| {
        let reading = Arc::new(Reading::default());
        let index = QdrantIndex::open(options.clone(), &named(folder), reading, Some((model, dimension)))?;
        Ok(Arc::new(index) as Arc<dyn VectorIndex>)
    };
    for case in suite::VECTOR {
        case(&suite::Vector { name: "qdrant", open: &vectors });
    }
}

#[test]
fn a_server_keeps_the_contract() {
    let binary = match server::binary() {
        Ok(binary) => binary,
        Err(reason) => return drop(writeln!(std::io::stderr(), "skipped: no Qdrant server: {reason}")),
    };
    let node = Node::alone(&binary);
    keep_the_contract(&QdrantOptions::new(vec![node.url()]));
}

/// Words and vectors of one document are one point, and neither half waits for the other.
#[test]
fn both_halves_share_a_collection() {
    let binary = match server::binary() {
        Ok(binary) => binary,
        Err(reason) => return drop(writeln!(std::io::stderr(), "skipped: no Qdrant server: {reason}")),
    };
    let node = Node::alone(&binary);
    let open = || {
        let options = QdrantOptions::new(vec![node.url()]);
        QdrantIndex::open(options, "both", Arc::new(Reading::default()), Some(("m", 3))).unwrap()
    };
    let index = open();
    let reg_id: RegId = "angui".parse().unwrap();
    let (old, new) = (documents("angui", 40, "旧版"), documents("angui", 40, "新版"));
    let vectors = || vec![vec![1.0, 0.0, 0.0]; 40];
    VectorIndex::replace_regulation(&index, &reg_id, "h1", &old, vectors()).unwrap();
    KeywordIndex::replace_regulation(&index, &reg_id, "h1", &old).unwrap();
    let words = |query: &str| KeywordIndex::search(&index, query, &Filter::default(), 100).unwrap().len();
    let near = || VectorIndex::search(&index, &[1.0, 0.0, 0.0], &Filter::default(), 100).unwrap().len();
    assert_eq!((words("旧版"), near()), (40, 40));
    // The words move on first; the vectors of the old edition stay until theirs do.
    KeywordIndex::replace_regulation(&index, &reg_id, "h2", &new).unwrap();
    assert_eq!((words("旧版"), words("新版"), near()), (0, 40, 40));
    VectorIndex::replace_regulation(&index, &reg_id, "h2", &new, vectors()).unwrap();
    assert_eq!((words("新版"), near()), (40, 40));
    KeywordIndex::delete_regulation(&index, &reg_id).unwrap();
    assert_eq!((words("新版"), near()), (0, 40));
    VectorIndex::delete_regulation(&index, &reg_id).unwrap();
    assert_eq!(near(), 0);
    assert!(KeywordIndex::built_from(&open()).unwrap().is_empty());
}

#[test]
fn a_cluster_keeps_the_contract_and_survives_the_loss_of_a_node() {
    let binary = match server::binary() {
        Ok(binary) => binary,
        Err(reason) => return drop(writeln!(std::io::stderr(), "skipped: no Qdrant server: {reason}")),
    };
    let mut nodes = Node::cluster(&binary, 3);
    let options = QdrantOptions::new(nodes.iter().map(Node::url).collect());
    assert_eq!((options.shards, options.replicas), (3, 2));
    keep_the_contract(&options);

    let index =
        QdrantIndex::open(options.clone(), "kill", Arc::new(Reading::default()), Some(("m", 3))).unwrap();
    let ids: Vec<RegId> = (0..8).map(|at| format!("reg{at}").parse().unwrap()).collect();
    let add = |at: usize| {
        let documents = documents(&format!("reg{at}"), 60, "母线失压后立即汇报国调");
        let vectors = vec![vec![0.0, 1.0, 0.0]; documents.len()];
        VectorIndex::replace_regulation(&index, &ids[at], "h", &documents, vectors).unwrap();
        KeywordIndex::replace_regulation(&index, &ids[at], "h", &documents).unwrap();
    };
    let found = |index: &QdrantIndex| {
        let words = KeywordIndex::search(index, "母线失压", &Filter::default(), 1_000).unwrap().len();
        let near = VectorIndex::search(index, &[0.0, 1.0, 0.0], &Filter::default(), 1_000).unwrap().len();
        (words, near)
    };
    (0..2).for_each(add);
    assert_eq!(found(&index), (120, 120));

    // A node dies while others search: every search still finds everything.
    let (killed, after) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while after.load(Ordering::SeqCst) < 20 {
                let late = killed.load(Ordering::SeqCst);
                assert_eq!(found(&index), (120, 120));
                after.fetch_add(usize::from(late), Ordering::SeqCst);
            }
        });
        nodes[1].kill();
        killed.store(true, Ordering::SeqCst);
    });

    // With that node gone, regulations are added; it comes back, and another dies while more are added.
    (2..4).for_each(add);
    assert_eq!(found(&index), (240, 240));
    nodes[1].start();
    let written = AtomicUsize::new(4);
    thread::scope(|scope| {
        scope.spawn(|| {
            (4..8).for_each(|at| {
                add(at);
                written.fetch_add(1, Ordering::SeqCst);
            });
        });
        server::until("one is written", || written.load(Ordering::SeqCst) > 4);
        nodes[2].kill();
    });
    assert_eq!(found(&index), (480, 480), "nothing is lost");
    nodes[2].start();
    let again = QdrantIndex::open(options, "kill", Arc::new(Reading::default()), Some(("m", 3))).unwrap();
    assert_eq!(found(&again), (480, 480), "and nothing comes back that was not there");
    assert_eq!(KeywordIndex::built_from(&again).unwrap().len(), 8);
}

fn documents(reg_id: &str, count: u32, text: &str) -> Vec<IndexDocument> {
    let document = |at: u32| IndexDocument {
        key: DocumentKey {
            reg_id: reg_id.parse().unwrap(),
            page_num: PageNumber::new(at / 4 + 1).unwrap(),
            block_id: BlockId::new(format!("b{at}")),
        },
        block_type: BlockType::Text,
        chapter_path: vec!["6 故障处理".to_owned()],
        ancestry: Vec::new(),
        section_number: None,
        table_id: None,
        text: format!("{text}，第{at}项。"),
    };
    (0..count).map(document).collect()
}
