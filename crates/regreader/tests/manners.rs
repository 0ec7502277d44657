//! How the program behaves towards somebody who has just installed it: names, folders, empty libraries, output.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The sample library, built once.
fn samples() -> &'static Path {
    static HOME: OnceLock<tempfile::TempDir> = OnceLock::new();
    let home = HOME.get_or_init(|| {
        let home = tempfile::tempdir().unwrap();
        let built = program(home.path(), &["demo", "--quiet", "--keep", "data/storage"]).output().unwrap();
        assert!(built.status.success(), "{}", stderr(&built));
        home
    });
    home.path()
}

/// The program in a folder that is its user's home too, with no settings at all.
fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regreader"));
    command.current_dir(folder).args(arguments).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", folder);
    command.env("REGREADER_LIBREOFFICE", "off");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    program(folder, arguments).output().unwrap()
}

fn ask_samples(arguments: &[&str]) -> Output {
    run(samples(), arguments)
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const DOCUMENT: &str = "# 示例规程\n\n## 1. 总则\n\n1.1 母线失压时，应立即汇报值班调度员。\n";

#[test]
fn a_library_is_found_again_from_another_folder_and_a_local_one_comes_first() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("work")).unwrap();
    fs::write(home.path().join("a.md"), DOCUMENT).unwrap();
    let stored = run(home.path(), &["ingest", "a.md"]);
    assert!(stderr(&stored).contains(".local/share/regreader/library"), "{}", stderr(&stored));
    let work = home.path().join("work");
    let elsewhere = program(&work, &["--json", "list"]).env("HOME", home.path()).output().unwrap();
    assert_eq!(json(&elsewhere)["regulations"][0]["reg_id"], "a");
    fs::create_dir_all(work.join("data/storage")).unwrap();
    let local = program(&work, &["--json", "list"]).env("HOME", home.path()).output().unwrap();
    assert_eq!(json(&local)["regulations"], serde_json::json!([]));
    assert_eq!(json(&local)["library"], "./data/storage");
}

#[test]
fn an_empty_library_is_said_and_is_no_missing_rule() {
    let home = tempfile::tempdir().unwrap();
    for arguments in [&["ask", "110kV 母线失压怎么处理？"][..], &["search", "母线失压"]] {
        let output = run(home.path(), arguments);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert!(stderr(&output).contains("hint: 规程库是空的（"), "{}", stderr(&output));
        assert!(!(stdout(&output) + &stderr(&output)).contains("未找到相关"), "{}", stderr(&output));
    }
    let asked = run(home.path(), &["--json", "ask", "110kV 母线失压怎么处理？"]);
    assert_eq!(json(&asked)["outcome"], "empty_library");
}

#[test]
fn a_regulation_goes_by_the_name_that_citations_print() {
    let by_alias = ask_samples(&["--json", "get-table", "-r", "稳规2024", "表3-1"]);
    assert_eq!(json(&by_alias)["reg_id"], "wengui_2024");
    let searched = ask_samples(&["--json", "search", "母线失压", "-r", "安规2024"]);
    assert!(json(&searched)["hits"].as_array().unwrap().iter().all(|hit| hit["reg_id"] == "angui_2024"));
    let asked = ask_samples(&["--json", "ask", "110kV 母线失压怎么处理？", "-r", "安规2024"]);
    assert_eq!(json(&asked)["regulations"], serde_json::json!(["angui_2024"]));
    assert!(json(&asked)["tool_calls"].as_u64().unwrap() > 1, "the offline agent's calls count too");
    assert!(ask_samples(&["inspect", "安规2024"]).status.success());
    let unknown = ask_samples(&["toc", "nowhere_2024"]);
    assert_eq!(unknown.status.code(), Some(3));
    assert!(stderr(&unknown).contains("regreader list") && !stderr(&unknown).contains("list_regulations"));
}

#[test]
fn nothing_is_asked_for_with_a_limit_of_nothing() {
    for arguments in [
        &["search", "母线", "--limit", "0"][..],
        &["search-tables", "限额", "-l", "0"],
        &["audit", "-l", "0"],
    ] {
        assert_eq!(ask_samples(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn nonsense_finds_nothing_and_a_strange_subject_is_looked_for_everywhere() {
    let nonsense = ask_samples(&["search", "🚀🚀🚀"]);
    assert_eq!(nonsense.status.code(), Some(1), "{}", stdout(&nonsense));
    assert!(stderr(&nonsense).contains("未找到"), "{}", stderr(&nonsense));
    for letters in ["xxx", "asdf qwer"] {
        let nothing = ask_samples(&["search", letters]);
        assert_eq!(nothing.status.code(), Some(1), "{letters}: {}", stdout(&nothing));
    }
    let strange = json(&ask_samples(&["--json", "search", "量子计算机的巧克力配方"]));
    assert_eq!(strange["selection"]["fell_back"], true, "{}", strange["selection"]);
}

#[test]
fn errors_are_json_where_results_are() {
    for (arguments, code) in [
        (&["--json", "get-table", "-r", "wengui_2024", "表99-9"][..], 1),
        (&["--json", "search"], 2),
        (&["toc", "nowhere_2024", "--json"], 3),
    ] {
        let output = ask_samples(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        let error: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(error["error"]["code"], code, "{error}");
        assert!(!error["error"]["message"].as_str().unwrap().is_empty());
    }
}

#[test]
fn quiet_says_nothing_and_verbose_says_what_is_done() {
    let quiet = ask_samples(&["-q", "search", "母线失压"]);
    assert_eq!(stderr(&quiet), "");
    assert!(!stdout(&quiet).is_empty());
    let verbose = ask_samples(&["-v", "search", "母线失压"]);
    assert!(stderr(&verbose).contains("debug: library ./data/storage"), "{}", stderr(&verbose));
    assert!(stderr(&verbose).contains("debug: smart_search"), "{}", stderr(&verbose));
}

#[test]
fn completions_know_both_names_and_survive_a_closed_pipe() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&ask_samples(&["completions", shell]));
        assert!(script.contains("regreader") && script.contains("gridcode"), "{shell}");
    }
    let mut child = program(samples(), &["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success() && stderr(&ended).is_empty(), "{}", stderr(&ended));
}

#[test]
fn a_long_question_comes_from_a_file() {
    let home = tempfile::tempdir().unwrap();
    let question = "110kV 母线失压怎么处理？";
    let plain = json(&ask_samples(&["--json", "ask", question]));
    let file = home.path().join("question.txt");
    let log = "（背景：值班记录。）".repeat(4_000);
    // Wherever in the log the question stands, it is answered as if it had been put alone.
    for text in [format!("{question}{log}"), format!("{log}{question}"), format!("{log}\n{question}\n{log}")]
    {
        assert!(text.len() > 100_000);
        fs::write(&file, &text).unwrap();
        let asked = ask_samples(&["--json", "ask", "-f", file.to_str().unwrap()]);
        assert!(asked.status.success(), "{}", stderr(&asked));
        let asked = json(&asked);
        assert_eq!((&asked["outcome"], &asked["sources"]), (&plain["outcome"], &plain["sources"]), "{asked}");
        assert_eq!(asked["measures"], plain["measures"]);
        assert!(asked["message"].as_str().unwrap().contains("原文过长"), "{}", asked["message"]);
    }
    fs::write(&file, vec![b'a'; 2 << 20]).unwrap();
    let refused = ask_samples(&["ask", "-f", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
}

#[test]
fn a_file_is_known_by_its_content_and_folders_are_walked() {
    let home = tempfile::tempdir().unwrap();
    let below = home.path().join("规程/2024/安控");
    fs::create_dir_all(&below).unwrap();
    fs::write(below.join("a.md"), DOCUMENT).unwrap();
    fs::create_dir_all(home.path().join("规程/.git")).unwrap();
    fs::write(home.path().join("规程/.git/b.md"), DOCUMENT).unwrap();
    let named = run(home.path(), &["--json", "ingest", "规程/2024/安控/a.md", "--reg-id", "anging"]);
    assert_eq!(json(&named)["stored"], 1, "{}", stderr(&named));
    let walked = json(&run(home.path(), &["--json", "ingest", "--dir", "规程"]));
    assert_eq!(
        (&walked["unchanged"], &walked["files"][0]["reg_id"]),
        (&1.into(), &"anging".into()),
        "{walked}"
    );
    assert_eq!(walked["files"].as_array().unwrap().len(), 1, "{walked}");
}

#[test]
fn a_citation_that_does_not_hold_is_told_by_the_exit_code() {
    let holds = [
        "verify-citation",
        "-r",
        "wengui_2024",
        "-p",
        "12",
        "最小开机台数 3 台、风电出力 200 万千瓦、策略投入时，直流限额为 340 万千瓦",
    ];
    assert!(ask_samples(&holds).status.success());
    let fails = ["verify-citation", "-r", "wengui_2024", "-p", "12", "限额为 98765 万千瓦"];
    assert_eq!(ask_samples(&fails).status.code(), Some(1));
}

#[test]
fn the_whole_contents_and_the_name_of_an_earlier_index_are_taken() {
    let whole = stdout(&ask_samples(&["toc", "angui_2024", "--expand"]));
    let usual = stdout(&ask_samples(&["toc", "angui_2024"]));
    assert!(whole.lines().count() > usual.lines().count(), "{whole}");
    let whoosh = ask_samples(&["--set", "keyword_index_backend=whoosh", "search", "母线失压"]);
    assert!(whoosh.status.success(), "{}", stderr(&whoosh));
}

#[test]
fn references_are_resolved_ambiguous_or_missing() {
    let resolve = |text: &str| ask_samples(&["--json", "resolve-reference", "-r", "angui_2024", text]);
    let missing = resolve("附录B 第99条");
    assert_eq!(missing.status.code(), Some(1), "{}", stdout(&missing));
    let ambiguous = json(&resolve("见注1"));
    assert_eq!((&ambiguous["outcome"], &ambiguous["resolved"]), (&"ambiguous".into(), &false.into()));
    assert!(ambiguous["candidates"].as_array().unwrap().len() > 1 && ambiguous["location"].is_null());
    let note = json(&resolve("表6-2 注1"));
    assert_eq!(note["reference_type"], "annotation", "{note}");
    assert!(note["location"]["citation"].as_str().unwrap().ends_with("表6-2 注1]"), "{note}");
    let own = json(&resolve("见本规定第2.1.4条"));
    assert_eq!((&own["resolved"], &own["location"]["reg_id"]), (&true.into(), &"angui_2024".into()), "{own}");
    for written in ["Article 2.1.4", "Section 2.1.4", "Part 2.1.4", "2.1.4"] {
        let found = json(&resolve(written));
        assert_eq!(found["location"]["cited"]["target"]["label"], "2.1.4", "{written}: {found}");
    }
}

#[test]
fn tables_fit_the_terminal_and_their_conditions_are_answered() {
    let narrow =
        program(samples(), &["get-table", "-r", "angui_2024", "表6-2"]).env("COLUMNS", "80").output();
    for line in stdout(&narrow.unwrap()).lines().filter(|line| !line.starts_with(['[', '注'])) {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
    }
    let search = |condition: &str| {
        ask_samples(&["search-tables", "直流限额", "-r", "wengui_2024", "--where", condition])
    };
    let unknown = search("不存在的列=3");
    assert!(stderr(&unknown).contains("没有“不存在的列”这一列"), "{}", stderr(&unknown));
    let picked = search("开机台数=3");
    assert!(stdout(&picked).contains("依据: ") && !stdout(&picked).contains("{\""), "{}", stdout(&picked));
}

/// The commands of a README's section, without comments and line ends.
fn commands(file: &str, section: &str) -> Vec<String> {
    let path = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let section = text.split("\n## ").find(|part| part.starts_with(section)).unwrap();
    let block = section.split("```sh\n").nth(1).unwrap().split("\n```").next().unwrap();
    let plain = |line: &str| line.split(" #").next().unwrap().trim().to_owned();
    block.lines().map(plain).filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_command_of_the_readme_runs_in_order_and_both_readmes_say_the_same() {
    let english = commands("README.md", "Using it");
    assert_eq!(english, commands("README_CN.md", "使用"));
    let home = tempfile::tempdir().unwrap();
    let repository = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..");
    for folder in ["pdf", "metadata.json"] {
        let to = home.path().join("samples").join(folder);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        copy(&repository.join("samples").join(folder), &to);
    }
    for line in english.iter().filter(|line| !line.starts_with("cargo ")) {
        let output = Command::new("sh")
            .args(["-c", &line.replacen("regreader", &format!("'{}'", env!("CARGO_BIN_EXE_regreader")), 1)])
            .current_dir(home.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}: {}{}", stdout(&output), stderr(&output));
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

#[test]
fn a_question_on_all_changes_lists_limits_first_and_counts_the_rest() {
    let answer = json(&ask_samples(&["--json", "ask", "安规2024和2023比有哪些变化？"]));
    assert_eq!(answer["outcome"], "answered", "{answer}");
    let text = |at: usize| answer["measures"][at]["text"].as_str().unwrap_or_default().to_owned();
    assert!(text(0).contains("5 分钟") && text(1).contains("10 分钟"), "{answer}");
    assert!(!text(0).contains("许可"), "only the sentence that changed: {answer}");
    let levels = answer["measures"].as_array().unwrap().iter().map(|one| one["level"].as_str());
    let proven = levels.filter(|level| *level != Some("unproven")).count();
    assert!(proven >= 14, "{answer}");
    assert!(
        answer["message"].as_str().unwrap().contains("regreader changes angui_2023 angui_2024"),
        "{answer}"
    );
}

/// Somebody who may read a library and not write to it, such as a service user on a shared folder.
#[cfg(unix)]
#[test]
fn a_library_of_somebody_else_is_read_and_searched() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    let home = tempfile::tempdir().unwrap();
    let open_to_all =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    open_to_all(home.path(), 0o755);
    fs::write(home.path().join("a.md"), DOCUMENT).unwrap();
    let library = home.path().join("shared");
    let library = library.to_str().unwrap();
    let stored = run(home.path(), &["--data-dir", library, "ingest", "a.md"]);
    assert!(stored.status.success(), "{}", stderr(&stored));
    // Its owner has searched it, so that there is an index.
    assert!(run(home.path(), &["--data-dir", library, "search", "母线失压"]).status.success());
    // The program may lie in a folder that only its owner can enter.
    let copy = home.path().join("regreader");
    fs::copy(env!("CARGO_BIN_EXE_regreader"), &copy).unwrap();
    let own = home.path().join("nobody");
    fs::create_dir(&own).unwrap();
    open_to_all(&own, 0o777);
    let is_root = fs::write(home.path().join("probe"), "").is_ok() && {
        open_to_all(home.path(), 0o555);
        let written = fs::write(home.path().join("another"), "").is_ok();
        open_to_all(home.path(), 0o755);
        written
    };
    let closed = |folder: &Path, mode| {
        for entry in std::iter::once(folder.to_owned()).chain(below(folder)) {
            let is_folder = entry.is_dir();
            open_to_all(&entry, if is_folder { mode } else { mode & 0o666 });
        }
    };
    let nobody = |arguments: &[&str]| {
        let mut command = Command::new(&copy);
        command.current_dir("/").env_clear().env("HOME", &own).args(["--data-dir", library]).args(arguments);
        if is_root {
            command.uid(65_534).gid(65_534);
        }
        command.output()
    };
    // With the index that its owner made, and without one, which then is built elsewhere.
    for has_index in [true, false] {
        closed(Path::new(library), 0o755);
        if !has_index {
            fs::remove_dir_all(Path::new(library).join("index")).unwrap();
        }
        closed(Path::new(library), 0o555);
        let Ok(listed) = nobody(&["--json", "list"]) else {
            let _ = writeln!(std::io::stderr(), "skipped: this user cannot become another");
            break;
        };
        assert_eq!(json(&listed)["regulations"][0]["reg_id"], "a", "{}", stderr(&listed));
        let found = nobody(&["--json", "search", "母线失压"]).unwrap();
        assert!(found.status.success(), "{}", stderr(&found));
        assert_eq!(json(&found)["hits"][0]["reg_id"], "a");
        if !has_index {
            assert!(stderr(&found).contains("hint:"), "where the index went is said: {}", stderr(&found));
        }
        let asked = nobody(&["ask", "母线失压时向谁汇报？"]).unwrap();
        assert!(asked.status.success(), "{}", stderr(&asked));
        let refused = nobody(&["delete", "a"]).unwrap();
        assert!(!refused.status.success() && stderr(&refused).contains("hint:"), "{}", stderr(&refused));
    }
    closed(Path::new(library), 0o755);
}

/// Everything in a folder and below.
#[cfg(unix)]
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            let inner = if path.is_dir() { below(&path) } else { Vec::new() };
            std::iter::once(path).chain(inner)
        })
        .collect()
}
