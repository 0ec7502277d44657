//! Case files: command lines in, what they print out, over the sample library, and of a command that fails what it says on
//! stderr. The headings are typed as they stand, without a locale; the folder of the library is written `LIBRARY`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::case_files;
use crate::sample::Sample;

#[test]
fn case_files_say_what_commands_print() {
    let sample = sample();
    let library = sample.folder.path().join("library");
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/cases");
    case_files::compare(&folder, |case| {
        let output = run(&sample, case.title, None);
        let mut said = String::from_utf8(output.stdout).unwrap();
        if !output.status.success() {
            said.push_str(&String::from_utf8(output.stderr).unwrap());
        }
        let said = said.replace(&library.display().to_string(), "LIBRARY");
        let is_same_each_time = |line: &&str| !line.ends_with("pages/s)");
        let lines: Vec<&str> = said.trim_end().lines().filter(is_same_each_time).map(without_score).collect();
        format!("```text\n{}\n```\nexit {}\n", lines.join("\n"), output.status.code().unwrap_or(-1))
    });
}

#[test]
fn whoever_reads_english_meets_no_chinese_error() {
    let sample = sample();
    let cases = fs::read_to_string(
        Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/cases/errors.md"),
    )
    .unwrap();
    let commands: Vec<&str> = cases.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert!(commands.len() >= 8);
    for command in commands {
        check_english(
            command,
            &run(&sample, &command.replace("--set language=en ", ""), Some("en_GB.UTF-8")),
        );
    }
    // Settings that cannot be read are found before the setting `language` is.
    fs::write(sample.folder.path().join("regreader.toml"), "language = [\n").unwrap();
    check_english("regreader.toml", &run(&sample, "regreader list", Some("en_GB.UTF-8")));
}

fn check_english(what: &str, output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && !said.is_empty(), "{what}");
    assert!(!said.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c)), "{what}: {said}");
}

/// The sample library, and beside it a file that cannot be read.
fn sample() -> Sample {
    let sample = Sample::new(env!("CARGO_BIN_EXE_regreader"));
    fs::write(sample.folder.path().join("broken.pdf"), "%PDF-1.7\nno objects").unwrap();
    sample
}

fn run(sample: &Sample, line: &str, locale: Option<&str>) -> Output {
    let words = words(line);
    assert_eq!(words.first().map(String::as_str), Some("regreader"), "{line}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_regreader"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", sample.folder.path()).env("REGREADER_DATA_DIR", sample.folder.path().join("library"));
    command.envs(locale.map(|locale| ("LANG", locale)));
    command.args(&words[1..]).current_dir(sample.folder.path()).output().unwrap()
}

/// The line of a hit without its score, which every change of a weight changes.
fn without_score(line: &str) -> &str {
    match line.rsplit_once("  ") {
        Some((hit, score)) if line.starts_with("  P") && score.parse::<f64>().is_ok() => hit,
        _ => line,
    }
}

/// A command line as a shell would cut it; quotes are double and hold no others.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('"').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
