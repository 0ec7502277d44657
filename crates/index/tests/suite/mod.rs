//! One contract for all backends: what any keyword index and any vector index must do, whatever it is made of. Each case
//! is a function that is given a backend; the test files say which.

#![allow(dead_code, reason = "each test file runs a part of it")]

use std::fmt;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use regreader_index::{
    DocumentKey, Filter, IndexDocument, IndexError, KeywordIndex, Reading, Replacement, VectorIndex,
};
use regreader_model::{BlockId, BlockType, ClauseNumber, NodeId, PageNumber, RegId};

/// Every case for keyword indexes.
pub const KEYWORD: &[fn(&Keyword<'_>)] = &[
    words_find_the_block_over_all_regulations,
    what_looks_the_same_is_the_same,
    filters_are_exact,
    replacing_and_deleting_leave_nothing_behind,
    it_is_there_after_a_reopen_and_readers_see_what_writers_did,
    two_writers_take_turns,
    no_query_is_too_strange,
    other_scripts_are_found_too,
    rare_words_weigh_more,
    another_way_of_reading_text_is_noticed,
];

/// Every case for vector indexes.
pub const VECTOR: &[fn(&Vector<'_>)] = &[
    the_nearest_come_first_with_exact_cosines,
    vector_filters_are_exact,
    vectors_are_replaced_deleted_and_reopened,
    another_model_is_an_error_with_the_mend,
    vectors_that_do_not_fit_are_refused,
    two_writers_of_vectors_take_turns,
    names_are_names_whatever_stands_in_them,
];

fn reg(id: &str) -> RegId {
    id.parse().unwrap()
}

fn document(reg_id: &str, page: u32, block: &str, text: &str) -> IndexDocument {
    IndexDocument {
        key: DocumentKey {
            reg_id: reg(reg_id),
            page_num: PageNumber::new(page).unwrap(),
            block_id: BlockId::new(block),
        },
        block_type: BlockType::Text,
        chapter_path: Vec::new(),
        ancestry: Vec::new(),
        section_number: None,
        table_id: None,
        text: text.to_owned(),
    }
}

fn placed(
    mut document: IndexDocument,
    block_type: BlockType,
    clause: &str,
    nodes: &[&str],
    path: &[&str],
) -> IndexDocument {
    document.block_type = block_type;
    document.section_number = Some(ClauseNumber::new(clause));
    document.ancestry = nodes.iter().copied().map(NodeId::new).collect();
    document.chapter_path = path.iter().map(|title| (*title).to_owned()).collect();
    document
}

/// A small library: a control regulation and a limits regulation.
fn angui() -> Vec<IndexDocument> {
    let path = &["6 故障处理", "6.2 母线失压"];
    vec![
        placed(
            document("angui", 23, "b1", "110kV 母线失压时，应立即汇报国调，拉开失压母线上的全部开关。"),
            BlockType::SectionContent,
            "6.2.1",
            &["n62", "n6"],
            path,
        ),
        placed(
            document("angui", 24, "b2", "| 故障 | 时限 |\n|---|---|\n| 220 千伏双母线全停 | 60 分钟 |"),
            BlockType::Table,
            "6.2.2",
            &["n62", "n6"],
            path,
        ),
        placed(
            document("angui", 7, "b3", "锦苏直流双极闭锁后，锦屏站安控装置 0.15 秒内发出切机命令。"),
            BlockType::Text,
            "2.1",
            &["n21", "n2"],
            &["2 安控系统", "2.1 锦苏直流"],
        ),
        placed(
            document("angui", 15, "b4", "长治站长南Ⅰ线稳态过电压控制装置动作后跳开长南Ⅰ线。"),
            BlockType::Text,
            "2.2",
            &["n22", "n2"],
            &["2 安控系统", "2.2 长南线"],
        ),
    ]
}

fn wengui() -> Vec<IndexDocument> {
    vec![
        placed(
            document("wengui", 20, "b1", "长南I线北送稳定限额为 500 万千瓦，母线电压按表8-1控制。"),
            BlockType::SectionContent,
            "6.1",
            &["m6"],
            &["6 交流通道"],
        ),
        placed(
            document("wengui", 9, "b2", "天中直流正常方式稳定限额由开机总台数和新能源出力决定。"),
            BlockType::Text,
            "3.1",
            &["m3"],
            &["3 天中直流"],
        ),
    ]
}

fn blocks(hits: &[(DocumentKey, f32)]) -> Vec<String> {
    hits.iter().map(|(key, _)| format!("{}/{}", key.reg_id, key.block_id)).collect()
}

fn only(ids: &[&str]) -> Filter {
    Filter { regulations: Some(ids.iter().copied().map(reg).collect()), ..Filter::default() }
}

type Opened<T> = Result<Arc<T>, IndexError>;

/// Opens a keyword index in a folder.
pub type OpenKeyword<'a> = dyn Fn(&Path, &Arc<Reading>) -> Opened<dyn KeywordIndex> + 'a;

/// A keyword index under test.
pub struct Keyword<'a> {
    pub name: &'static str,
    pub open: &'a OpenKeyword<'a>,
}

/// A vector index under test.
pub struct Vector<'a> {
    pub name: &'static str,
    pub open: &'a dyn Fn(&Path, &str, usize) -> Opened<dyn VectorIndex>,
}

impl fmt::Display for Keyword<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Vector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

fn each_keyword(backend: &Keyword<'_>, test: impl Fn(&Keyword<'_>, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    test(backend, folder.path());
}

fn open(backend: &Keyword<'_>, folder: &Path) -> Arc<dyn KeywordIndex> {
    (backend.open)(folder, &Arc::new(Reading::default())).unwrap()
}

fn filled(backend: &Keyword<'_>, folder: &Path) -> Arc<dyn KeywordIndex> {
    let index = open(backend, folder);
    let (angui_id, wengui_id) = (reg("angui"), reg("wengui"));
    index
        .replace(&[
            Replacement { reg_id: &angui_id, content_hash: "a1", documents: &angui() },
            Replacement { reg_id: &wengui_id, content_hash: "w1", documents: &wengui() },
        ])
        .unwrap();
    index
}

pub fn words_find_the_block_over_all_regulations(backend: &Keyword<'_>) {
    each_keyword(backend, |backend, folder| {
        let index = filled(backend, folder);
        assert_eq!(index.name(), backend.name);
        let hits = index.search("母线失压怎么处理", &Filter::default(), 10).unwrap();
        assert_eq!(blocks(&hits)[0], "angui/b1", "{backend}");
        assert!(hits.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{backend}: best first");
        assert!(hits.iter().all(|(_, score)| *score > 0.0 && score.is_finite()), "{backend}");
        // One ranking: the limits regulation competes by score, not by turns.
        let limits = index.search("天中直流稳定限额", &Filter::default(), 2).unwrap();
        assert_eq!(blocks(&limits)[0], "wengui/b2", "{backend}");
        assert_eq!(
            index.search("母线", &Filter::default(), 1).unwrap().len(),
            1,
            "{backend}: the limit is kept"
        );
        assert!(index.search("母线", &Filter::default(), 0).unwrap().is_empty(), "{backend}");
    });
}

pub fn what_looks_the_same_is_the_same(backend: &Keyword<'_>) {
    each_keyword(backend, |backend, folder| {
        let index = filled(backend, folder);
        for query in ["长南Ⅰ线", "长南I线", "长南1线", "长南１线"] {
            let found: BTreeSet<String> =
                blocks(&index.search(query, &Filter::default(), 10).unwrap()).into_iter().collect();
            assert!(
                found.contains("angui/b4") && found.contains("wengui/b1"),
                "{backend} {query}: {found:?}"
            );
        }
        let wide = index.search("１１０ｋＶ母线失压", &Filter::default(), 1).unwrap();
        assert_eq!(blocks(&wide), ["angui/b1"], "{backend}");
    });
}

pub fn filters_are_exact(backend: &Keyword<'_>) {
    each_keyword(backend, |backend, folder| {
        let index = filled(backend, folder);
        let search = |filter: &Filter| blocks(&index.search("母线 安控 限额 长南线", filter, 10).unwrap());
        assert!(search(&only(&["wengui"])).iter().all(|hit| hit.starts_with("wengui/")), "{backend}");
        assert_eq!(search(&only(&["nobody"])), [""; 0], "{backend}");
        assert_eq!(search(&only(&[])), [""; 0], "{backend}: no regulation allowed");
        let tables = Filter { block_types: BTreeSet::from([BlockType::Table]), ..Filter::default() };
        assert_eq!(search(&tables), ["angui/b2"], "{backend}");
        let clause = Filter { section_number: Some(ClauseNumber::new("2.1")), ..Filter::default() };
        assert_eq!(search(&clause), ["angui/b3"], "{backend}: 2.1 is not 2.1.x and not 6.2.1");
        let scope = |node: &str| Filter {
            scope: Some(BTreeSet::from([(reg("angui"), NodeId::new(node))])),
            ..Filter::default()
        };
        let below: BTreeSet<String> = search(&scope("n2")).into_iter().collect();
        assert_eq!(below, BTreeSet::from(["angui/b3".to_owned(), "angui/b4".to_owned()]), "{backend}");
        assert_eq!(search(&scope("n")), [""; 0], "{backend}: a node is a place, not a beginning");
        let foreign =
            Filter { scope: Some(BTreeSet::from([(reg("wengui"), NodeId::new("n2"))])), ..Filter::default() };
        assert_eq!(search(&foreign), [""; 0], "{backend}: a node belongs to its regulation");
        let all = Filter {
            regulations: Some(BTreeSet::from([reg("angui")])),
            block_types: BTreeSet::from([BlockType::Text, BlockType::Table]),
            ..scope("n6")
        };
        assert_eq!(search(&all), ["angui/b2"], "{backend}: all conditions hold together");
    });
}

pub fn replacing_and_deleting_leave_nothing_behind(backend: &Keyword<'_>) {
    each_keyword(backend, |backend, folder| {
        let index = filled(backend, folder);
        let hashes = index.built_from().unwrap();
        assert_eq!(hashes.get("angui").map(String::as_str), Some("a1"), "{backend}");
        assert_eq!(hashes.get("wengui").map(String::as_str), Some("w1"), "{backend}");

        let fresh = vec![document("angui", 1, "n1", "新版规定：断面潮流越限时立即调整。")];
        index.replace_regulation(&reg("angui"), "a2", &fresh).unwrap();
        let hits = index.search("母线失压 安控装置 切机", &only(&["angui"]), 10).unwrap();
        assert!(hits.is_empty(), "{backend}: {hits:?}");
        assert_eq!(
            blocks(&index.search("断面潮流", &Filter::default(), 10).unwrap()),
            ["angui/n1"],
            "{backend}"
        );
        assert_eq!(index.built_from().unwrap().get("angui").map(String::as_str), Some("a2"), "{backend}");

        index.delete_regulation(&reg("angui")).unwrap();
        index.delete_regulation(&reg("never_there")).unwrap();
        assert!(index.search("断面潮流", &Filter::default(), 10).unwrap().is_empty(), "{backend}");
        assert_eq!(index.built_from().unwrap().into_keys().collect::<Vec<_>>(), [reg("wengui")], "{backend}");
        assert!(!index.search("稳定限额", &Filter::default(), 10).unwrap().is_empty(), "{backend}");

        index.replace_regulation(&reg("wengui"), "w2", &[]).unwrap();
        assert!(index.search("稳定限额", &Filter::default(), 10).unwrap().is_empty(), "{backend}");
        assert_eq!(
            index.built_from().unwrap().get("wengui").map(String::as_str),
            Some("w2"),
            "{backend}: empty, yet built"
        );
    });
}

pub fn it_is_there_after_a_reopen_and_readers_see_what_writers_did(backend: &Keyword<'_>) {
    each_keyword(backend, |backend, folder| {
        let writer = filled(backend, folder);
        let reader = open(backend, folder);
        let query = |index: &dyn KeywordIndex, text: &str| {
            blocks(&index.search(text, &Filter::default(), 3).unwrap())
        };
        assert_eq!(query(&*reader, "母线失压")[0], "angui/b1", "{backend}");
        let fresh = vec![document("third", 3, "x", "黑启动电源应保持热备用。")];
        writer.replace_regulation(&reg("third"), "t1", &fresh).unwrap();
        reader.reload().unwrap();
        assert_eq!(query(&*reader, "黑启动电源"), ["third/x"], "{backend}");
        writer.delete_regulation(&reg("third")).unwrap();
        reader.reload().unwrap();
        assert!(query(&*reader, "黑启动电源").is_empty(), "{backend}");
        drop((writer, reader));
        let again = open(backend, folder);
        assert_eq!(again.built_from().unwrap().len(), 2, "{backend}");
        assert_eq!(query(&*again, "母线失压")[0], "angui/b1", "{backend}");
    });
}

pub fn two_writers_take_turns(backend: &Keyword<'_>) {
    each_keyword(backend, |backend, folder| {
        let one = open(backend, folder);
        let two = open(backend, folder);
        std::thread::scope(|scope| {
            for (index, id) in [(&one, "first"), (&two, "second")] {
                scope.spawn(move || {
                    for round in 0..3 {
                        let text = format!("第{round}次写入的共同内容 {id}");
                        let hash = format!("{id}{round}");
                        index.replace_regulation(&reg(id), &hash, &[document(id, 1, "b", &text)]).unwrap();
                    }
                });
            }
        });
        one.reload().unwrap();
        let hits = one.search("共同内容", &Filter::default(), 10).unwrap();
        let found: BTreeSet<String> = blocks(&hits).into_iter().collect();
        assert_eq!(found, BTreeSet::from(["first/b".to_owned(), "second/b".to_owned()]), "{backend}");
        let built: Vec<String> = one.built_from().unwrap().into_values().collect();
        assert_eq!(built, ["first2", "second2"], "{backend}");
    });
}

pub fn no_query_is_too_strange(backend: &Keyword<'_>) {
    let long = "母线失压".repeat(50_000);
    let odd = [
        "",
        " ",
        "？！，。",
        "\0",
        "\"",
        "'; DROP TABLE document; --",
        "NEAR(",
        "body:x AND (",
        "*",
        "^母线",
        "-母线",
        "(((((",
        "a\u{301}",
        "🔥🔥",
        "\u{202e}线母",
        "{{}}",
        "%s%n",
        "AND OR NOT",
        "母线\u{0}失压",
        "ﷺ",
        "\u{FFFD}",
        "\u{E02D}",
        long.as_str(),
    ];
    each_keyword(backend, |backend, folder| {
        let index = filled(backend, folder);
        for query in odd {
            let shown: String = query.chars().take(20).collect();
            let hits = index.search(query, &Filter::default(), 10);
            let hits = hits.unwrap_or_else(|error| panic!("{backend} {shown:?}: {error}"));
            assert!(hits.len() <= 10);
            index.weights(query).unwrap();
        }
        for nothing in ["", " ", "？！，。"] {
            assert!(
                index.search(nothing, &Filter::default(), 10).unwrap().is_empty(),
                "{backend} {nothing:?}"
            );
        }
        assert_eq!(
            blocks(&index.search("'母线失压\" OR (", &Filter::default(), 1).unwrap()),
            ["angui/b1"],
            "{backend}"
        );
    });
}

pub fn other_scripts_are_found_too(backend: &Keyword<'_>) {
    each_keyword(backend, |backend, folder| {
        let index = open(backend, folder);
        let documents = [
            document(
                "mixed",
                1,
                "en",
                "Each Transmission Owner shall document CIP-006-6 controls per Requirement R1.2.",
            ),
            document("mixed", 2, "zh", "𠮷林电网的频率控制。"),
            document("mixed", 3, "de", "Über die Größe der Leistung"),
        ];
        index.replace_regulation(&reg("mixed"), "m", &documents).unwrap();
        let first = |query: &str| blocks(&index.search(query, &Filter::default(), 1).unwrap());
        assert_eq!(first("transmission owner"), ["mixed/en"], "{backend}");
        assert_eq!(first("CIP-006-6"), ["mixed/en"], "{backend}");
        assert_eq!(first("𠮷林电网"), ["mixed/zh"], "{backend}");
        assert_eq!(first("GRÖSSE über"), ["mixed/de"], "{backend}");
    });
}

pub fn rare_words_weigh_more(backend: &Keyword<'_>) {
    each_keyword(backend, |backend, folder| {
        let index = filled(backend, folder);
        let weights = index.weights("直流 锦屏").unwrap();
        let weight =
            |word: &str| weights.iter().find(|(text, _)| text == word).map(|(_, weight)| *weight).unwrap();
        assert!(weight("锦屏") > weight("直流"), "{backend}: {weights:?}");
    });
}

pub fn another_way_of_reading_text_is_noticed(backend: &Keyword<'_>) {
    each_keyword(backend, |backend, folder| {
        filled(backend, folder);
        let other = Arc::new(Reading::new(["某地专用词"]));
        let error = (backend.open)(folder, &other).err().unwrap();
        assert!(matches!(error, IndexError::Corrupt { .. }), "{backend}: {error}");
        assert!(error.hint().unwrap().contains("reindex"));
    });
}

// Vectors.

const DIMENSION: usize = 24;

/// A vector that leans towards one axis, with a little of the next.
fn vector(axis: usize) -> Vec<f32> {
    let mut vector = [0.02; DIMENSION];
    vector[axis % DIMENSION] = 1.0;
    vector[(axis + 1) % DIMENSION] = 0.3;
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / norm).collect()
}

fn each_vector(backend: &Vector<'_>, test: impl Fn(&Vector<'_>, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    test(backend, folder.path());
}

fn filled_vectors(backend: &Vector<'_>, folder: &Path) -> Arc<dyn VectorIndex> {
    let index = (backend.open)(folder, "test-model", DIMENSION).unwrap();
    let (angui_id, wengui_id) = (reg("angui"), reg("wengui"));
    index
        .replace(
            &[
                Replacement { reg_id: &angui_id, content_hash: "a1", documents: &angui() },
                Replacement { reg_id: &wengui_id, content_hash: "w1", documents: &wengui() },
            ],
            &[(0..4).map(vector).collect(), (4..6).map(vector).collect()],
        )
        .unwrap();
    index
}

pub fn the_nearest_come_first_with_exact_cosines(backend: &Vector<'_>) {
    each_vector(backend, |backend, folder| {
        let index = filled_vectors(backend, folder);
        assert_eq!((index.name(), index.model(), index.dimension()), (backend.name, "test-model", DIMENSION));
        let hits = index.search(&vector(4), &Filter::default(), 3).unwrap();
        assert_eq!(blocks(&hits)[0], "wengui/b1", "{backend}");
        assert!((hits[0].1 - 1.0).abs() < 1e-5, "{backend}: {hits:?}");
        let keys: Vec<DocumentKey> = hits.iter().map(|(key, _)| key.clone()).collect();
        let exact = index.score(&vector(4), &keys).unwrap();
        assert_eq!(exact, hits, "{backend}: searching and scoring agree");
        let all = index.search(&vector(4), &Filter::default(), 100).unwrap();
        let mean = all.iter().map(|(_, score)| score).sum::<f32>() / all.len() as f32;
        assert_eq!(all.len(), 6);
        assert!((index.mean(&vector(4)).unwrap() - mean).abs() < 1e-5, "{backend}");
        let stranger = DocumentKey { reg_id: reg("nobody"), ..keys[0].clone() };
        assert!(index.score(&vector(4), &[stranger]).unwrap().is_empty(), "{backend}");
    });
}

pub fn vector_filters_are_exact(backend: &Vector<'_>) {
    each_vector(backend, |backend, folder| {
        let index = filled_vectors(backend, folder);
        let search = |filter: &Filter| blocks(&index.search(&vector(4), filter, 10).unwrap());
        assert_eq!(search(&only(&["wengui"])), ["wengui/b1", "wengui/b2"], "{backend}");
        let tables = Filter { block_types: BTreeSet::from([BlockType::Table]), ..Filter::default() };
        assert_eq!(search(&tables), ["angui/b2"], "{backend}");
        let clause = Filter { section_number: Some(ClauseNumber::new("2.1")), ..Filter::default() };
        assert_eq!(search(&clause), ["angui/b3"], "{backend}");
        let scope =
            Filter { scope: Some(BTreeSet::from([(reg("angui"), NodeId::new("n2"))])), ..Filter::default() };
        assert_eq!(search(&scope).into_iter().collect::<BTreeSet<_>>().len(), 2, "{backend}");
        assert!(search(&only(&[])).is_empty(), "{backend}");
    });
}

pub fn vectors_are_replaced_deleted_and_reopened(backend: &Vector<'_>) {
    each_vector(backend, |backend, folder| {
        let index = filled_vectors(backend, folder);
        let reader = (backend.open)(folder, "test-model", DIMENSION).unwrap();
        let fresh = vec![document("angui", 1, "n1", "新")];
        index.replace_regulation(&reg("angui"), "a2", &fresh, vec![vector(9)]).unwrap();
        reader.reload().unwrap();
        for view in [&index, &reader] {
            assert_eq!(
                blocks(&view.search(&vector(9), &Filter::default(), 1).unwrap()),
                ["angui/n1"],
                "{backend}"
            );
            assert_eq!(view.search(&vector(0), &Filter::default(), 10).unwrap().len(), 3, "{backend}");
        }
        index.delete_regulation(&reg("angui")).unwrap();
        index.delete_regulation(&reg("never_there")).unwrap();
        drop(index);
        let again = (backend.open)(folder, "test-model", DIMENSION).unwrap();
        assert_eq!(
            again.built_from().unwrap().into_iter().collect::<Vec<_>>(),
            [(reg("wengui"), "w1".to_owned())]
        );
        assert_eq!(again.search(&vector(0), &Filter::default(), 10).unwrap().len(), 2, "{backend}");
    });
}

pub fn another_model_is_an_error_with_the_mend(backend: &Vector<'_>) {
    each_vector(backend, |backend, folder| {
        filled_vectors(backend, folder);
        for (model, dimension) in [("other-model", DIMENSION), ("test-model", DIMENSION * 2)] {
            let error = (backend.open)(folder, model, dimension).err().unwrap();
            assert!(matches!(error, IndexError::ModelMismatch { .. }), "{backend}: {error}");
            assert!(error.to_string().contains("test-model") && error.hint().unwrap().contains("reindex"));
        }
    });
}

pub fn vectors_that_do_not_fit_are_refused(backend: &Vector<'_>) {
    each_vector(backend, |backend, folder| {
        let index = filled_vectors(backend, folder);
        assert!(index.search(&[1.0, 0.0], &Filter::default(), 3).is_err());
        assert!(index.search(&[f32::NAN; DIMENSION], &Filter::default(), 3).is_err());
        let one = [document("x", 1, "b", "文")];
        assert!(index.replace_regulation(&reg("x"), "h", &one, Vec::new()).is_err());
        assert!(index.replace_regulation(&reg("x"), "h", &one, vec![vec![0.0; 3]]).is_err());
        assert!(!index.built_from().unwrap().contains_key("x"), "{backend}: nothing half done");
    });
}

pub fn two_writers_of_vectors_take_turns(backend: &Vector<'_>) {
    each_vector(backend, |backend, folder| {
        let open = || (backend.open)(folder, "test-model", DIMENSION).unwrap();
        let (one, two) = (open(), open());
        std::thread::scope(|scope| {
            for (index, id, axis) in [(&one, "first", 3), (&two, "second", 8)] {
                scope.spawn(move || {
                    for round in 0..3 {
                        let (hash, documents) = (format!("{id}{round}"), [document(id, 1, "b", "文")]);
                        let vectors = vec![vector(axis + round)];
                        index.replace_regulation(&reg(id), &hash, &documents, vectors).unwrap();
                    }
                });
            }
        });
        one.reload().unwrap();
        let built: Vec<String> = one.built_from().unwrap().into_values().collect();
        assert_eq!(built, ["first2", "second2"], "{backend}");
        let hits = one.search(&vector(5), &Filter::default(), 10).unwrap();
        assert_eq!(blocks(&hits), ["first/b", "second/b"], "{backend}: nothing of the earlier rounds");
        assert!((hits[0].1 - 1.0).abs() < 1e-5, "{backend}: {hits:?}");
    });
}

/// A reader of another process has either the old vectors of a regulation or its new ones, all of them, however often it
/// is replaced while it reads; and the mean follows. Only for backends whose readers keep what they have once seen.
pub fn a_batch_of_vectors_is_visible_at_once(backend: &Vector<'_>) {
    const ROUNDS: usize = 20;
    let documents: Vec<IndexDocument> =
        (0..8).map(|at| document("angui", 1, &format!("b{at}"), "文")).collect();
    each_vector(backend, |backend, folder| {
        let open = || (backend.open)(folder, "test-model", DIMENSION).unwrap();
        let (writer, reader) = (open(), open());
        let put = |round: usize| {
            let all = vec![vector(round); documents.len()];
            writer.replace_regulation(&reg("angui"), &format!("h{round}"), &documents, all).unwrap();
        };
        put(0);
        let (done, name) = (AtomicBool::new(false), backend.name);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                loop {
                    let last = done.load(Ordering::SeqCst);
                    reader.reload().unwrap();
                    let hits = reader.search(&vector(0), &Filter::default(), 100).unwrap();
                    let scores: BTreeSet<u32> = hits.iter().map(|(_, score)| score.to_bits()).collect();
                    assert_eq!((hits.len(), scores.len()), (documents.len(), 1), "{name}: {hits:?}");
                    if last {
                        break;
                    }
                }
            });
            (1..=ROUNDS).for_each(put);
            done.store(true, Ordering::SeqCst);
        });
        let built = reader.built_from().unwrap();
        assert_eq!(built.into_values().collect::<Vec<_>>(), [format!("h{ROUNDS}")], "{backend}");
        assert!((reader.mean(&vector(ROUNDS)).unwrap() - 1.0).abs() < 1e-5, "{backend}");
    });
}

/// Quotes, comments and control characters in ids and clause numbers mean nothing to any backend.
pub fn names_are_names_whatever_stands_in_them(backend: &Vector<'_>) {
    const ODD: [&str; 7] =
        ["' OR '1'='1", "x'); DROP TABLE documents; --", "\"\\", "a/b\t", "%_*?", "第6章’“”", "{{}}[]\u{7}"];
    each_vector(backend, |backend, folder| {
        let index = (backend.open)(folder, "test-model", DIMENSION).unwrap();
        let odd = |(at, name): (usize, &&str)| {
            placed(document("odd", at as u32 + 1, name, "文"), BlockType::Text, name, &[name], &[])
        };
        let documents: Vec<IndexDocument> = ODD.iter().enumerate().map(odd).collect();
        index
            .replace_regulation(&reg("odd"), "' OR ''='", &documents, (0..ODD.len()).map(vector).collect())
            .unwrap();
        index
            .replace_regulation(&reg("plain"), "p", &[document("plain", 1, "b", "文")], vec![vector(0)])
            .unwrap();
        for (at, name) in ODD.into_iter().enumerate() {
            let found = |filter: &Filter| {
                let hits = index.search(&vector(at), filter, 10).unwrap();
                hits.into_iter().map(|(key, _)| key.block_id.as_str().to_owned()).collect::<Vec<_>>()
            };
            let clause = Filter { section_number: Some(ClauseNumber::new(name)), ..Filter::default() };
            assert_eq!(found(&clause), [name], "{backend}");
            let below = Filter {
                scope: Some(BTreeSet::from([(reg("odd"), NodeId::new(name))])),
                ..Filter::default()
            };
            assert_eq!(found(&below), [name], "{backend}");
            let elsewhere = Filter {
                scope: Some(BTreeSet::from([(reg("plain"), NodeId::new(name))])),
                ..Filter::default()
            };
            assert_eq!(found(&elsewhere), [""; 0], "{backend}");
            let scored = index.score(&vector(at), &[documents[at].key.clone()]).unwrap();
            assert!(scored.len() == 1 && (scored[0].1 - 1.0).abs() < 1e-5, "{backend} {name:?}: {scored:?}");
        }
        assert_eq!(
            index.built_from().unwrap().get("odd").map(String::as_str),
            Some("' OR ''='"),
            "{backend}"
        );
        index.delete_regulation(&reg("odd")).unwrap();
        assert_eq!(
            blocks(&index.search(&vector(0), &Filter::default(), 10).unwrap()),
            ["plain/b"],
            "{backend}"
        );
    });
}
