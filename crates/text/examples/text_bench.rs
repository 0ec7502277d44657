//! Prints how fast text is folded, tokenised and read: `cargo run --release -p regreader-text --example text_bench
//! [FILE]`. Without a file it makes its own text in the manner of a regulation.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use regreader_text::{Tokenizer, TokenizerOptions, find_references, fold, parse_line};

fn main() {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(&path).unwrap_or_else(|error| {
            eprintln!("{path}: {error}");
            std::process::exit(1);
        }),
        None => made_up(),
    };
    let lines: Vec<&str> = text.lines().collect();
    println!("{} bytes, {} characters, {} lines", text.len(), text.chars().count(), lines.len());
    let start = Instant::now();
    let tokenizer = Tokenizer::new();
    println!("{:<28}{:>9.2} ms", "first tokenizer", start.elapsed().as_secs_f64() * 1e3);

    measure("fold", &text, || lines.iter().map(|line| fold(line).len()).sum());
    measure("index tokens (visited)", &text, || {
        let mut count = 0;
        for line in &lines {
            tokenizer.visit(line, |token| count += black_box(token.text.len()).min(1));
        }
        count
    });
    measure("index tokens (kept)", &text, || {
        lines.iter().map(|line| tokenizer.index_tokens(line).len()).sum()
    });
    measure("parse_line", &text, || lines.iter().filter(|line| parse_line(line).is_some()).count());
    measure("find_references", &text, || lines.iter().map(|line| find_references(line).len()).sum());

    let start = Instant::now();
    let words = Tokenizer::new().options(TokenizerOptions { words: true, ..TokenizerOptions::default() });
    black_box(words.index_tokens("母线失压"));
    println!("{:<28}{:>9.2} ms", "loading jieba", start.elapsed().as_secs_f64() * 1e3);
    measure("index tokens with jieba", &text, || {
        lines.iter().map(|line| words.index_tokens(line).len()).sum()
    });
}

/// The best of five runs.
fn measure(what: &str, text: &str, mut run: impl FnMut() -> usize) {
    let mut best = f64::INFINITY;
    let mut count = 0;
    for _ in 0..5 {
        let start = Instant::now();
        count = black_box(run());
        best = best.min(start.elapsed().as_secs_f64());
    }
    let speed = text.len() as f64 / best / 1e6;
    println!("{what:<28}{speed:>9.1} MB/s{count:>12} found");
}

fn made_up() -> String {
    let places = ["长南Ⅰ线", "天中直流", "锦屏站安控装置1（2）", "500 千伏母线", "三峡左岸电厂"];
    let acts = ["动作后立即汇报国调", "按表6-2执行", "投入出口压板", "切除 2 台机组", "限额为 200 万千瓦"];
    let mut text = String::new();
    for chapter in 1..=40 {
        for section in 1..=25 {
            for (i, place) in places.iter().enumerate() {
                let act = acts[(chapter + section + i) % acts.len()];
                let n = i + 1;
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "{chapter}.{section}.{n} {place}停运方式下，{act}，见第{chapter}.{section}条和注{n}；全压方式按导则控制。"
                );
            }
        }
    }
    text
}
