//! The built-in model as its users meet it: the same rows and the same bytes as in training, checked files, and
//! neighbours that make sense.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its own data should fail")]

use std::fmt::Write as _;
use std::path::Path;

use regreader_embed::{Embedder as _, StaticModel};
use serde_json::Value;

fn data(name: &str) -> String {
    std::fs::read_to_string(
        Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/data").join(name),
    )
    .unwrap()
}

fn hex(vector: &[f32]) -> String {
    let mut out = String::new();
    for byte in vector.iter().flat_map(|v| v.to_le_bytes()) {
        write!(out, "{byte:02x}").unwrap();
    }
    out
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn training_and_inference_cut_and_sum_alike_to_the_last_bit() {
    let model = StaticModel::builtin().unwrap();
    let file: Value = serde_json::from_str(&data("vectors.json")).unwrap();
    assert_eq!(file["model"], model.hash(), "the vectors were made with another table");
    for case in file["vectors"].as_array().unwrap() {
        let text = case["text"].as_str().unwrap();
        let rows: Vec<u64> = model.tokens(text).into_iter().map(u64::from).collect();
        let expected: Vec<u64> =
            case["rows"].as_array().unwrap().iter().map(|r| r.as_u64().unwrap()).collect();
        assert_eq!(rows, expected, "{text:?} should be {}", case["tokens"]);
        assert_eq!(hex(&model.embed_query(text).unwrap()), case["query"], "{text:?}");
        assert_eq!(hex(&model.embed_documents(&[text]).unwrap()[0]), case["document"], "{text:?}");
    }
}

#[test]
fn vectors_have_length_one_and_empty_text_has_none() {
    let model = StaticModel::builtin().unwrap();
    for text in ["断路器", "relay protection", "变压器油温高于85℃", &"电网调度规程".repeat(40_000)]
    {
        let vector = model.embed_query(text).unwrap();
        assert_eq!(vector.len(), model.dimension());
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5);
    }
    assert!(model.embed_query("，。").unwrap().iter().all(|&v| v == 0.0));
}

#[test]
fn words_of_the_trade_have_rows() {
    let model = StaticModel::builtin().unwrap();
    // A pair with a row of its own gives one row more than its two characters.
    for term in ["安控", "稳控", "闭锁", "断面", "压板", "潮流", "跳闸", "检修", "母联", "串补"]
    {
        assert_eq!(model.tokens(term).len(), 3, "{term}");
    }
    assert!(model.tokens("载流量").len() > 3);
}

#[test]
fn a_damaged_or_foreign_file_is_refused() {
    let whole =
        std::fs::read(Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("model/static.bin"))
            .unwrap();
    assert!(whole.len() <= 6_500_000);
    let refused =
        |bytes: Vec<u8>| StaticModel::from_bytes(bytes).err().expect("should be refused").to_string();

    let mut flipped = whole.clone();
    let last = flipped.len() - 1;
    flipped[last] ^= 1;
    assert!(refused(flipped).contains("hash"));
    let mut newer = whole.clone();
    newer[8] = 9;
    assert!(refused(newer).contains("version 9"));
    let mut greedy = whole.clone();
    greedy[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refused(greedy).contains("do not hold"));
    assert!(refused(whole[..1000].to_vec()).contains("do not hold"));
    assert!(refused(whole[..10].to_vec()).contains("header"));
    assert!(refused(b"%PDF-1.7".to_vec()).contains("not an embedding table"));
    assert!(StaticModel::from_bytes(whole).is_ok());
}

#[test]
fn a_question_finds_the_passage_in_the_other_language() {
    let model = StaticModel::builtin().unwrap();
    let pairs: Vec<Value> =
        data("zh_en_pairs.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(pairs.len() >= 100);
    for (question, passage) in [("zh_question", "en_passage"), ("en_question", "zh_passage")] {
        let texts: Vec<&str> = pairs.iter().map(|p| p[passage].as_str().unwrap()).collect();
        let passages = model.embed_documents(&texts).unwrap();
        let mut hits = 0;
        for (number, pair) in pairs.iter().enumerate() {
            let vector = model.embed_query(pair[question].as_str().unwrap()).unwrap();
            let own = cosine(&vector, &passages[number]);
            hits += usize::from(passages.iter().filter(|p| cosine(&vector, p) > own).count() < 3);
        }
        let share = hits as f64 / pairs.len() as f64;
        println!("{question} -> {passage}: hit@3 {share:.3}");
        assert!(share >= 0.60, "{question} -> {passage}: hit@3 {share:.3}");
    }
}
