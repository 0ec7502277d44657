//! The sample library on a Qdrant server and on a cluster that loses a node: the same ten best hits for every sample
//! question as from the embedded indexes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::sample::{Sample, ask, refresh};
use crate::server::{self, Node};
use regreader_search::{EngineOptions, KeywordBackend, QdrantOptions, RefreshReport, VectorBackend};

fn on_server(nodes: &[Node]) -> EngineOptions {
    EngineOptions {
        keyword_backend: KeywordBackend::Qdrant,
        vector_backend: VectorBackend::Qdrant,
        qdrant: Some(QdrantOptions::new(nodes.iter().map(Node::url).collect())),
        ..EngineOptions::default()
    }
}

#[test]
fn a_server_finds_what_the_embedded_engine_finds() {
    let binary = match server::binary() {
        Ok(binary) => binary,
        Err(reason) => return drop(writeln!(std::io::stderr(), "skipped: no Qdrant server: {reason}")),
    };
    let sample = Sample::new(env!("CARGO_BIN_EXE_regreader"));
    let expected = sample.embedded();
    let nodes = [Node::alone(&binary)];
    let engine = sample.engine("server", on_server(&nodes));
    refresh(&engine);
    // The server gives cosines of blocks only, so that those of windows are estimated and neighbours may change places.
    let shared = sample.shared_with(&engine, &expected);
    assert!(shared >= 0.8, "{shared:.3} of the ten best hits are the same");
}

/// One node of three dies while the library is put in, comes back, and another dies while questions are asked.
#[test]
fn a_cluster_that_loses_a_node_finds_the_same() {
    let binary = match server::binary() {
        Ok(binary) => binary,
        Err(reason) => return drop(writeln!(std::io::stderr(), "skipped: no Qdrant server: {reason}")),
    };
    let sample = Sample::new(env!("CARGO_BIN_EXE_regreader"));
    let alone = [Node::alone(&binary)];
    let expected = {
        let engine = sample.engine("alone", on_server(&alone));
        refresh(&engine);
        sample.questions.iter().map(|question| ask(&engine, question)).collect::<Vec<_>>()
    };
    drop(alone);
    let mut nodes = Node::cluster(&binary, 3);
    let engine = sample.engine("cluster", on_server(&nodes));

    let (done, report) = (AtomicBool::new(false), std::sync::Mutex::new(RefreshReport::default()));
    thread::scope(|scope| {
        scope.spawn(|| {
            *report.lock().unwrap() = refresh(&engine);
            done.store(true, Ordering::SeqCst);
        });
        server::until("points are written", || nodes[0].points() > 0 || done.load(Ordering::SeqCst));
        nodes[2].kill();
    });
    assert_eq!(report.lock().unwrap().indexed.len(), 3);
    assert_eq!(sample.differing(&engine, &expected), [""; 0], "a node died while the library was put in");
    nodes[2].start();

    let (killed, after) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            for (question, hits) in sample.questions.iter().zip(&expected).cycle() {
                let late = killed.load(Ordering::SeqCst);
                assert_eq!(ask(&engine, question), *hits, "{question}");
                if after.fetch_add(usize::from(late), Ordering::SeqCst) + usize::from(late) >= 40 {
                    break;
                }
            }
        });
        nodes[1].kill();
        killed.store(true, Ordering::SeqCst);
    });
    let again = sample.engine("again", on_server(&nodes));
    assert_eq!(refresh(&again).indexed.len(), 3, "an engine elsewhere keeps its own texts");
    assert_eq!(sample.differing(&again, &expected), [""; 0]);
}
