//! A transformer's folder: a tiny model that this test writes itself, and bge-small-zh-v1.5 when it is at hand.

#![allow(clippy::unwrap_used, reason = "a test that cannot make its own model should fail")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use regreader_embed::{EmbedError, Embedder as _, OnnxModel};
use serde_json::json;

/// Protocol buffers, as far as an ONNX file needs them.
mod wire {
    pub fn varint(mut value: u64) -> Vec<u8> {
        let mut out = Vec::new();
        while value >= 0x80 {
            out.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
        out
    }

    pub fn number(field: u64, value: u64) -> Vec<u8> {
        [varint(field << 3), varint(value)].concat()
    }

    pub fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
        [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
    }
}

const FLOAT: u64 = 1;
const INT64: u64 = 7;

fn value_info(name: &str, kind: u64, shape: &[&str]) -> Vec<u8> {
    let dims: Vec<u8> =
        shape.iter().flat_map(|dim| wire::bytes(1, &wire::bytes(2, dim.as_bytes()))).collect();
    let tensor = [wire::number(1, kind), wire::bytes(2, &dims)].concat();
    [wire::bytes(1, name.as_bytes()), wire::bytes(2, &wire::bytes(1, &tensor))].concat()
}

/// A model that looks up one row per token: `last_hidden_state = Gather(table, input_ids)`.
fn lookup_model(table: &[[f32; 3]], inputs: &[&str]) -> Vec<u8> {
    let raw: Vec<u8> = table.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let initializer = [
        wire::number(1, table.len() as u64),
        wire::number(1, 3),
        wire::number(2, FLOAT),
        wire::bytes(8, b"table"),
        wire::bytes(9, &raw),
    ]
    .concat();
    let node = [
        wire::bytes(1, b"table"),
        wire::bytes(1, b"input_ids"),
        wire::bytes(2, b"last_hidden_state"),
        wire::bytes(3, b"look up"),
        wire::bytes(4, b"Gather"),
    ]
    .concat();
    let mut graph = [wire::bytes(1, &node), wire::bytes(2, b"tiny"), wire::bytes(5, &initializer)].concat();
    for input in inputs {
        graph.extend(wire::bytes(11, &value_info(input, INT64, &["batch", "length"])));
    }
    graph.extend(wire::bytes(12, &value_info("last_hidden_state", FLOAT, &["batch", "length", "width"])));
    let opset = [wire::bytes(1, b""), wire::number(2, 13)].concat();
    [wire::number(1, 8), wire::bytes(8, &opset), wire::bytes(7, &graph)].concat()
}

fn tokenizer() -> String {
    let vocabulary = json!({ "[UNK]": 0, "[CLS]": 1, "甲": 2, "乙": 3, "query": 4, ":": 5 });
    json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [], "normalizer": null, "decoder": null,
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{ "SpecialToken": { "id": "[CLS]", "type_id": 0 } }, { "Sequence": { "id": "A", "type_id": 0 } }],
            "pair": [{ "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 1 } }],
            "special_tokens": { "[CLS]": { "id": "[CLS]", "ids": [1], "tokens": ["[CLS]"] } }
        },
        "model": { "type": "WordPiece", "vocab": vocabulary, "unk_token": "[UNK]" }
    })
    .to_string()
}

const TABLE: [[f32; 3]; 6] =
    [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
const BERT: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn close(vector: &[f32], expected: [f32; 3]) {
    let squares: f32 = expected.iter().map(|v| v * v).sum();
    for (value, expected) in vector.iter().zip(expected) {
        assert!((value - expected / squares.sqrt()).abs() < 1e-5, "{vector:?} for {expected:?}");
    }
}

#[test]
fn pooling_and_prefixes_come_from_the_folder() {
    let model = lookup_model(&TABLE, &BERT);
    let words = tokenizer();
    let plain = folder(&[("onnx/model.onnx", &model), ("tokenizer.json", words.as_bytes())]);
    let cls = OnnxModel::load(plain.path()).unwrap();
    assert_eq!(cls.dimension(), 3);
    assert!((cls.spread() - 0.5).abs() < 1e-6);
    close(&cls.embed_query("甲 乙").unwrap(), [0.0, 0.0, 2.0]);

    let own = br#"{"pooling": "mean", "query_prefix": "query: ", "max_tokens": 8, "spread": 0.7}"#;
    let mean =
        folder(&[("model.onnx", &model), ("tokenizer.json", words.as_bytes()), ("embedding.json", own)]);
    let mean = OnnxModel::load(mean.path()).unwrap();
    let passages = mean.embed_documents(&["甲 乙", "乙"]).unwrap();
    close(&passages[0], [3.0, 4.0, 2.0]);
    close(&passages[1], [0.0, 4.0, 2.0]);
    close(&mean.embed_query("甲 乙").unwrap(), [3.0, 4.0, 4.0]);
    assert!((mean.spread() - 0.7).abs() < 1e-6);
    close(&mean.embed_documents(&["甲 ".repeat(50_000).as_str()]).unwrap()[0], [21.0, 0.0, 2.0]);

    let theirs = folder(&[
        ("model.onnx", model.as_slice()),
        ("tokenizer.json", words.as_bytes()),
        ("1_Pooling/config.json", br#"{"pooling_mode_mean_tokens": true}"#),
        ("config_sentence_transformers.json", br#"{"prompts": {"query": "query: "}}"#),
    ]);
    let theirs = OnnxModel::load(theirs.path()).unwrap();
    assert_eq!(theirs.embed_query("甲 乙").unwrap(), mean.embed_query("甲 乙").unwrap());
    assert_ne!(cls.model(), theirs.model(), "vectors that differ must not share an index");
}

/// Files of a folder, by name.
type Files<'a> = &'a [(&'a str, &'a [u8])];

#[test]
fn a_folder_that_is_no_model_says_why() {
    let model = lookup_model(&TABLE, &BERT);
    let words = tokenizer();
    let odd = lookup_model(&TABLE, &["input_ids", "pixel_values"]);
    let cut = model.get(..model.len() / 2).unwrap();
    let cases: [(Files<'_>, &str); 6] = [
        (&[("tokenizer.json", words.as_bytes())], "no model.onnx"),
        (&[("model.onnx", &model)], "tokenizer.json"),
        (&[("model.onnx", cut), ("tokenizer.json", words.as_bytes())], ""),
        (&[("model.onnx", b"not a model"), ("tokenizer.json", words.as_bytes())], ""),
        (&[("model.onnx", &odd), ("tokenizer.json", words.as_bytes())], "pixel_values"),
        (
            &[
                ("model.onnx", &model),
                ("tokenizer.json", words.as_bytes()),
                ("embedding.json", br#"{"pooling": "max"}"#),
            ],
            "pooling",
        ),
    ];
    for (files, expected) in cases {
        let folder = folder(files);
        match OnnxModel::load(folder.path()) {
            Err(EmbedError::BadModel { reason, .. }) => assert!(reason.contains(expected), "{reason}"),
            other => panic!("{expected}: {:?}", other.map(|model| model.model().to_owned())),
        }
    }
}

/// `REGREADER_TEST_BGE` names the folder of bge-small-zh-v1.5, as `regreader models pull` lays it.
#[test]
fn bge_small_zh_finds_the_passage_that_answers() {
    let named = std::env::var_os("REGREADER_TEST_BGE").map(PathBuf::from);
    let Some(folder) = named.filter(|folder| folder.join("tokenizer.json").is_file()) else {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: REGREADER_TEST_BGE does not name the folder of bge-small-zh-v1.5"
        );
        return;
    };
    let model = OnnxModel::load(Path::new(&folder)).unwrap();
    assert_eq!(model.dimension(), 512);
    let passages =
        ["220kV 母线电压消失时，应立即拉开该母线上的全部断路器。", "电费按月结算，逾期收取违约金。"];
    let together = model.embed_documents(&passages).unwrap();
    let question = model.embed_query("变电站母线没电了怎么办").unwrap();
    let near = |passage: &[f32]| question.iter().zip(passage).map(|(a, b)| a * b).sum::<f32>();
    assert!(near(&together[0]) > near(&together[1]) + 0.05, "{} {}", near(&together[0]), near(&together[1]));
    for (passage, vector) in passages.iter().zip(&together) {
        assert_eq!(
            &model.embed_documents(&[passage]).unwrap()[0],
            vector,
            "alone or together, the same vector"
        );
    }
}
