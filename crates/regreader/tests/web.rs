//! The web reader as the program serves it: screens, pages drawn by their own process, who may do what, uploads, and
//! requests that a browser on another site, or nobody's browser, would send.

use std::fs;
use std::path::Path;
use std::process::Command;

use regreader_model::{PageDocument, Regulation, RegulationInfo};
use regreader_store::{Library, OpenOptions, Source};

use crate::mcp::support::{Response, SECRET, Server, home, program};

/// A library of its own, for tests that write.
fn own_library() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let built = program(folder.path(), &["demo", "--quiet", "--keep", "data"]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    folder
}

fn serve(folder: &Path, settings: &[(&str, &str)]) -> Server {
    let mut command: Command = program(folder, &["web", "--no-open", "--port", "0"]);
    for (name, value) in settings {
        command.env(format!("REGREADER_{}", name.to_uppercase()), value);
    }
    Server::start_with(command)
}

fn get(server: &Server, path: &str) -> Response {
    server.request("GET", path, &[("Accept-Language", "zh-CN")], "")
}

/// A form of the reader's own page, with further headers.
fn post(server: &Server, path: &str, form: &str, headers: &[(&str, &str)]) -> Response {
    let origin = format!("http://127.0.0.1:{}", server.port);
    let mut all = vec![("Origin", origin.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
    all.extend(headers);
    server.request("POST", path, &all, form)
}

fn token(folder: &Path, name: &str, role: &str) -> String {
    let added = program(folder, &["--quiet", "tokens", "add", name, "--role", role]).output().unwrap();
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    String::from_utf8(added.stdout).unwrap().trim().to_owned()
}

/// The cookie that a token is exchanged for.
fn sign_in(server: &Server, token: &str) -> String {
    let answer = post(server, "/login", &format!("token={token}"), &[]);
    assert_eq!(answer.status, 303, "{answer:?}");
    let line = answer.header("set-cookie").unwrap();
    assert!(line.contains("httponly") && line.contains("samesite=strict"), "{line}");
    line.split(';').next().unwrap().to_owned()
}

#[test]
fn every_screen_answers_over_the_sample_library_under_the_policy() {
    let server = serve(home(), &[]);
    let words = "%E6%AF%8D%E7%BA%BF%E5%A4%B1%E5%8E%8B";
    for (path, says) in [
        ("/".to_owned(), "安全自动装置"),
        ("/r/angui_2024/p/24?t=6-2".to_owned(), "class=\"marked\""),
        (format!("/search?q={words}"), "class=\"marked\""),
        (format!("/ask?q=110kV%20{words}%E6%80%8E%E4%B9%88%E5%A4%84%E7%90%86"), "核实"),
        ("/r/angui_2024/t/6-2?c0=220".to_owned(), "双母线全停"),
        ("/compare?old=angui_2023&new=angui_2024".to_owned(), "<del>"),
        ("/impact?q=%E9%94%A6%E8%8B%8F%E7%9B%B4%E6%B5%81".to_owned(), "已查遍全部规程"),
        ("/r/angui_2024/quality".to_owned(), "签核"),
        ("/r/angui_2024/edit".to_owned(), "实施"),
    ] {
        let answer = get(&server, &path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(answer.body.contains(says), "{path} does not say {says}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'self'") && !policy.contains("unsafe"), "{policy}");
        assert!(!answer.body.contains(SECRET));
    }
    let other = get(&server, "/r/angui_2024/in/angui_2023?page=24&t=6-2");
    assert_eq!(other.status, 303);
    assert!(other.header("location").unwrap().starts_with("/r/angui_2023/p/"), "{other:?}");
    for (file, begins) in [("changes.docx", "PK"), ("changes.xlsx", "PK"), ("changes.html", "<!doctype html")]
    {
        let answer = get(
            &server,
            &format!(
                "/compare/{file}?old=angui_2023&new=angui_2024&watch=%E5%A4%A9%E4%B8%AD%E7%9B%B4%E6%B5%81"
            ),
        );
        assert_eq!(answer.status, 200, "{file}: {}", answer.body);
        assert!(answer.body.to_lowercase().starts_with(&begins.to_lowercase()), "{file}");
    }
    // MCP clients find the same library at the same address.
    let found = server.client().call("list_regulations", serde_json::json!({})).unwrap();
    assert!(found.to_string().contains("angui_2024"), "{found}");
}

#[test]
fn pages_are_drawn_and_a_page_that_cannot_be_drawn_still_has_its_text() {
    let folder = own_library();
    let server = serve(folder.path(), &[]);
    let drawn = get(&server, "/r/angui_2024/p/24/picture?w=640");
    assert_eq!((drawn.status, drawn.header("content-type")), (200, Some("image/png")));
    let tag = drawn.header("etag").unwrap().to_owned();
    let again = server.request("GET", "/r/angui_2024/p/24/picture?w=640", &[("If-None-Match", &tag)], "");
    assert_eq!(again.status, 304);
    // Another file in its place: its pages must not lie under this edition's marks.
    let source = folder.path().join("data/regulations/wengui_2024/source.pdf");
    fs::copy(folder.path().join("data/regulations/angui_2024/source.pdf"), &source).unwrap();
    assert_eq!(get(&server, "/r/wengui_2024/p/5/picture?w=640").status, 404);
    fs::write(&source, b"%PDF-1.7 torn").unwrap();
    assert_eq!(get(&server, "/r/wengui_2024/p/6/picture?w=640").status, 404);
    let page = get(&server, "/r/wengui_2024/p/5");
    assert!(page.status == 200 && page.body.contains("制定本规定"), "the text is there all the same");
}

#[test]
fn roles_cookies_and_forged_requests() {
    let folder = own_library();
    let (reader, editor) = (token(folder.path(), "duty", "reader"), token(folder.path(), "safety", "editor"));
    let server = serve(folder.path(), &[]);
    assert_eq!(get(&server, "/r/angui_2024/p/24").status, 401);
    assert_eq!(get(&server, "/r/angui_2024/p/24/picture").status, 401);
    assert_eq!(server.request("GET", "/", &[("Cookie", "regreader_session=forged")], "").status, 401);
    assert_eq!(post(&server, "/login", "token=wrong", &[]).status, 401);
    let (reading, editing) = (sign_in(&server, &reader), sign_in(&server, &editor));
    let page = server.request("GET", "/r/angui_2024/p/24", &[("Cookie", &reading)], "");
    assert_eq!(page.status, 200);
    let title = "title=%E6%96%B0%E5%90%8D&aliases=%E5%AE%89%E8%A7%84%0A%E6%96%B0&edition=2024&keywords=%E6%AF%8D%E7%BA%BF";
    let forms = [
        ("/r/angui_2024/edit", title),
        ("/r/angui_2024/quality", "verdict=signed_off&name=%E5%BC%A0"),
        ("/upload?name=a.md", "# a"),
    ];
    for (path, form) in forms {
        assert_eq!(post(&server, path, form, &[("Cookie", &reading)]).status, 403, "{path}: a reader");
        assert_eq!(post(&server, path, form, &[]).status, 401, "{path}: nobody");
        for headers in [
            vec![("Cookie", editing.as_str())],
            vec![("Cookie", editing.as_str()), ("Origin", "http://evil.example")],
            vec![("Cookie", editing.as_str()), ("Origin", "null")],
            vec![("Cookie", editing.as_str()), ("Origin", "http://evil.example"), ("Host", "evil.example")],
        ] {
            assert_eq!(server.request("POST", path, &headers, form).status, 403, "{path}: {headers:?}");
        }
        let put = server.request(
            "GET",
            &format!("{path}{}{form}", if path.contains('?') { '&' } else { '?' }),
            &[("Cookie", &editing)],
            "",
        );
        assert!(put.status < 500, "{path}");
    }
    let info = || fs::read_to_string(folder.path().join("data/regulations/angui_2024/info.json")).unwrap();
    assert!(!info().contains("新名"), "nothing was changed so far");
    assert_eq!(post(&server, "/r/angui_2024/edit", title, &[("Cookie", &editing)]).status, 303);
    assert!(info().contains("新名") && info().contains("published"), "events stay: {}", info());
    let audit = program(folder.path(), &["--json", "audit"]).output().unwrap();
    assert!(String::from_utf8_lossy(&audit.stdout).contains("web safety"), "{audit:?}");
    let withdrawn = program(folder.path(), &["--quiet", "tokens", "remove", "duty"]).output().unwrap();
    assert!(withdrawn.status.success(), "{}", String::from_utf8_lossy(&withdrawn.stderr));
    let after = server.request("GET", "/", &[("Cookie", &reading)], "");
    assert_eq!(after.status, 401, "a token that is withdrawn ends its sessions");
}

#[test]
fn the_library_shows_the_status_that_events_decide() {
    let folder = own_library();
    let server = serve(folder.path(), &[]);
    let card = |name: &str| {
        let page = get(&server, "/").body;
        let cards = page.split("<article").find(|card| card.contains(name)).map(str::to_owned);
        cards.unwrap_or_else(|| panic!("{name} is not listed"))
    };
    assert!(card("wengui_2024").contains("现行"));
    assert!(card("angui_2023").contains("已废止") && card("angui_2023").contains("由 angui_2024 代替"));
    let form = "only=event&event_kind=abolished&event_date=2024-06-01&event_note=%E9%80%9A%E7%9F%A5";
    assert_eq!(post(&server, "/r/wengui_2024/edit", form, &[]).status, 303);
    assert!(card("wengui_2024").contains("已废止") && card("wengui_2024").contains("2024-06-01"));
    assert_eq!(post(&server, "/r/wengui_2024/edit", "only=event&forget=abolished", &[]).status, 303);
    assert!(card("wengui_2024").contains("现行"));
    let bad = post(&server, "/r/wengui_2024/edit", "only=event&event_kind=eaten&event_note=x", &[]);
    assert_eq!(bad.status, 400);
}

#[test]
fn uploads_are_read_by_content_and_bounded() {
    let folder = own_library();
    let server = serve(folder.path(), &[("max_file_mib", "1")]);
    let text = "# 新规程 <script>alert(1)</script>\n\n1.1 母线失压时应立即汇报。\n";
    let done = post(&server, "/upload?name=..%2F..%2Fxin_2025.md", text, &[]);
    assert_eq!(done.status, 200, "{done:?}");
    let last: serde_json::Value = serde_json::from_str(done.body.trim().lines().last().unwrap()).unwrap();
    assert_eq!(last["event"], "done", "{last}");
    let page = get(&server, &format!("/r/{}/p/1", last["reg_id"].as_str().unwrap()));
    assert!(page.status == 200 && page.body.contains("应立即汇报") && !page.body.contains("<script>alert"));
    let torn = post(&server, "/upload?name=a.pdf", "%PDF-1.7 torn", &[]);
    assert!(torn.body.contains("failure"), "{}", torn.body);
    assert!(
        !torn.body.contains(&folder.path().display().to_string()),
        "no paths of the server: {}",
        torn.body
    );
    let large = "x".repeat((1 << 20) + 1);
    assert_eq!(post(&server, "/upload?name=large.md", &large, &[]).status, 413);
    let left = fs::read_dir(folder.path().join("data/uploads")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "nothing stays behind");
}

/// A library that an older version read is offered to be read again, by `doctor` and on the library screen.
#[test]
fn a_library_read_by_an_older_version_still_opens_and_is_offered_to_be_read_again() {
    let folder = own_library();
    let before = program(folder.path(), &["--json", "doctor"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&before.stdout).contains("wengui_2024"), "nothing is outdated now");
    age(folder.path(), "wengui_2024");
    let doctor = program(folder.path(), &["--json", "doctor"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
    assert_eq!(report["outdated"][0]["reg_id"], "wengui_2024", "{report}");
    let server = serve(folder.path(), &[]);
    assert!(get(&server, "/").body.contains("由旧版程序读入"));
    assert_eq!(get(&server, "/r/wengui_2024/p/5").status, 200);
}

/// Writes a regulation anew as an older version of this program would have: another pipeline, and no boxes of lines.
fn age(folder: &Path, reg_id: &str) {
    let library = Library::open(folder.join("data"), OpenOptions::new()).unwrap();
    let reader = library.reader(&reg_id.parse().unwrap()).unwrap();
    let mut pages: Vec<PageDocument> = reader.all_pages().map(Result::unwrap).collect();
    for block in pages.iter_mut().flat_map(|page| &mut page.content_blocks) {
        block.lines.clear();
    }
    let regulation = Regulation {
        info: RegulationInfo { pipeline: Some("2".to_owned()), ..reader.info().clone() },
        pages,
        structure: reader.structure().unwrap().as_ref().clone(),
        tables: reader.tables().unwrap().as_ref().clone(),
        references: reader.references().unwrap().as_ref().clone(),
        quality: reader.quality().unwrap().as_ref().clone(),
    };
    let bytes = reader.source_bytes().unwrap().unwrap();
    library.replace(&regulation, Some(Source { file_name: "source.pdf", bytes: &bytes })).unwrap();
}
