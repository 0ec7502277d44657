//! Case files: command lines in, what they print out, over the sample library. The headings are typed as they stand, in the
//! language of the locale; the folder of the library is written `LIBRARY`.

use std::path::Path;
use std::process::Command;

use crate::case_files;
use crate::sample::Sample;

#[test]
fn case_files_say_what_commands_print() {
    let program = env!("CARGO_BIN_EXE_regreader");
    let sample = Sample::new(program);
    let library = sample.folder.path().join("library");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    case_files::compare(&folder, |case| {
        let words = words(case.title);
        assert_eq!(words.first().map(String::as_str), Some("regreader"), "{}", case.title);
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", sample.folder.path()).env("REGREADER_DATA_DIR", &library);
        let output = command.args(&words[1..]).current_dir(sample.folder.path()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let said = said.replace(&library.display().to_string(), "LIBRARY");
        let lines: Vec<&str> = said.trim_end().lines().map(without_score).collect();
        format!("```text\n{}\n```\nexit {}\n", lines.join("\n"), output.status.code().unwrap_or(-1))
    });
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
