//! Case files (`tests/cases/*.md` of a crate): each heading of the second level is a case; what a test makes of it stands
//! below, so that a case is added by writing its heading and running `cargo xtask bless`. A case that needs more than a
//! line has it in a fenced block `given` right behind its heading.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Set by `cargo xtask bless`: write the files instead of comparing them.
const BLESS: &str = "REGREADER_BLESS";

/// One case.
pub struct Case<'a> {
    /// Its heading.
    #[allow(dead_code, reason = "some cases are what is given")]
    pub title: &'a str,
    /// The lines of its fenced block; none without one.
    #[allow(dead_code, reason = "some cases are their heading")]
    pub given: Vec<&'a str>,
}

/// Compares every case file of a folder with what `make` makes of its cases, or writes it.
pub fn compare(folder: &Path, make: impl Fn(&Case<'_>) -> String) {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "there are case files in {}", folder.display());
    for path in files {
        let told = fs::read_to_string(&path).unwrap();
        let made = made_anew(&told, &make);
        if std::env::var_os(BLESS).is_some() {
            fs::write(&path, made).unwrap();
        } else if let Some((told, made)) = told.lines().zip(made.lines()).find(|(told, made)| told != made) {
            panic!(
                "{}\n  says {told}\n  made {made}\nrun `cargo xtask bless` and look at the change",
                path.display()
            );
        } else {
            assert_eq!(told.lines().count(), made.lines().count(), "{}", path.display());
        }
    }
}

/// The file with everything below its cases made again; what stands before the first one is kept.
fn made_anew(told: &str, make: impl Fn(&Case<'_>) -> String) -> String {
    let mut out = String::new();
    for line in told.lines().take_while(|line| !line.starts_with("## ")) {
        writeln!(out, "{line}").unwrap();
    }
    let mut cases = Vec::new();
    let mut lines = told.lines().skip_while(|line| !line.starts_with("## ")).peekable();
    while let Some(line) = lines.next() {
        let Some(title) = line.strip_prefix("## ") else { continue };
        let mut text = format!("## {title}\n");
        let mut given = Vec::new();
        if lines.next_if_eq(&"```given").is_some() {
            given.extend(lines.by_ref().take_while(|line| *line != "```"));
            writeln!(text, "```given\n{}\n```", given.join("\n")).unwrap();
        }
        text.push_str(&make(&Case { title, given }));
        cases.push(text);
    }
    out + &cases.join("\n")
}
