//! Requests against the whole router, over the fake library: every screen, both languages, and everything hostile.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode};

use crate::backend::{ReviewVerdict, Role};
use crate::fake::Fake;
use crate::{WebOptions, router};

const HOST: &str = "127.0.0.1:8080";

fn options() -> WebOptions {
    let folder = std::env::temp_dir().join(format!("regreader-web-test-{}", uuid::Uuid::new_v4().simple()));
    WebOptions { max_upload_bytes: 1 << 10, upload_dir: folder }
}

fn open_router() -> (Router, Arc<Fake>) {
    let fake = Arc::new(Fake::default());
    (router(Arc::clone(&fake) as Arc<dyn crate::Backend>, options()), fake)
}

fn closed_router() -> Router {
    let tokens = vec![("reading".to_owned(), Role::Reader), ("editing".to_owned(), Role::Editor)];
    router(Arc::new(Fake { tokens, ..Fake::default() }), options())
}

struct Answer {
    status: StatusCode,
    headers: axum::http::HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

fn send(router: &Router, request: Request<Body>) -> Answer {
    let mut router = router.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move {
        let response: Response<Body> = tower_service::Service::call(&mut router, request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, 10 << 20).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    })
}

fn get(router: &Router, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::get(path).header("host", HOST);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(router, request.body(Body::empty()).unwrap())
}

fn post(router: &Router, path: &str, form: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request =
        Request::post(path).header("host", HOST).header("content-type", "application/x-www-form-urlencoded");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(router, request.body(Body::from(form.to_owned())).unwrap())
}

const OWN: (&str, &str) = ("origin", "http://127.0.0.1:8080");

const SCREENS: [&str; 16] = [
    "/",
    "/r/angui_2024/p/1",
    "/r/angui_2024/p/1?two=1&zoom=150&turn=1",
    "/r/angui_2024/p/2?t=t0001&row=1&col=1",
    "/search?q=%E6%AF%8D%E7%BA%BF",
    "/ask",
    "/ask?q=%E6%AF%8D%E7%BA%BF",
    "/r/angui_2024/t",
    "/r/angui_2024/t/t0001?find=%E5%8F%B0%E6%95%B0%3D3",
    "/r/angui_2024/quality",
    "/r/angui_2024/edit",
    "/r/angui_2024/p/1?turn=3&b=p0001-b001",
    "/compare",
    "/compare?old=angui_2024&new=angui_2024&kind=limit",
    "/impact",
    "/impact?q=%E6%AF%8D%E7%BA%BF&depth=2",
];

#[test]
fn every_screen_works_in_both_languages_under_a_strict_policy() {
    let (router, _) = open_router();
    for path in SCREENS {
        for (lang, tag, word) in [("zh-CN", "zh-CN", "检索"), ("en", "en", "Search")] {
            let answer = get(&router, path, &[("accept-language", lang)]);
            let text = answer.text();
            assert_eq!(answer.status, StatusCode::OK, "{path}: {text}");
            assert!(text.contains(&format!("<html lang=\"{tag}\"")) && text.contains(word), "{path} {lang}");
            let policy = answer.header("content-security-policy");
            assert!(policy.contains("default-src 'self'") && !policy.contains("unsafe"), "{policy}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            assert!(!text.contains(" style=") && !text.contains(" onclick="), "inline in {path}");
            // Of two `class` attributes browsers take the first.
            let twice = text.split('<').find(|element| {
                element.split('>').next().is_some_and(|tag| tag.matches(" class=\"").count() > 1)
            });
            assert_eq!(twice, None, "{path}");
            assert!(
                !text.contains("//cdn") && !text.contains("http://") && !text.contains("https://"),
                "{path} names a host"
            );
        }
    }
}

#[test]
fn a_question_is_answered_by_the_editions_of_the_day_that_was_chosen() {
    let (router, _) = open_router();
    let dated = get(&router, "/ask?q=%E6%AF%8D%E7%BA%BF&as_of=2024-05-01", &[]).text();
    assert!(dated.contains("editions of 2024-05-01"), "the day reaches the agent: {dated}");
    assert!(dated.contains("name=\"as_of\" value=\"2024-05-01\""), "and stays for the next question");
    assert!(!get(&router, "/ask?q=%E6%AF%8D%E7%BA%BF", &[]).text().contains("editions of"));
    assert_eq!(get(&router, "/ask?q=%E6%AF%8D%E7%BA%BF&as_of=soon", &[]).status, StatusCode::BAD_REQUEST);
}

#[test]
fn nothing_that_a_document_or_an_address_says_becomes_markup() {
    let (router, _) = open_router();
    let hostile = [
        "/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        "/ask?q=%3Cimg%20src=x%20onerror=alert(1)%3E",
        "/?filter=%22%3E%3Cscript%3E",
        "/r/%3Cscript%3E/p/1",
        "/r/angui_2024/p/1?b=%22%3E%3Cscript%3E&q=%3C/textarea%3E%3Cscript%3E",
        "/r/angui_2024/t/t0001?c0=%22%3E%3Cscript%3E",
        "/r/angui_2024/go?ref=%3Cscript%3E",
        "/login?to=%22%3E%3Cscript%3E",
    ];
    for path in SCREENS.iter().chain(&hostile) {
        let text = get(&router, path, &[]).text();
        // The only scripts are our own files; the fake's titles, snippets, file names and references are hostile.
        let scripts = text.matches("<script").count();
        assert_eq!(scripts, text.matches("<script type=\"module\" src=\"/static/").count(), "{path}: {text}");
        assert!(!text.contains("<img src=x") && !text.contains("onerror=x>"), "{path}");
    }
}

#[test]
fn path_tricks_find_nothing() {
    let (router, _) = open_router();
    for path in [
        "/r/..%2F..%2Fetc/p/1",
        "/r/angui_2024/p/0",
        "/r/angui_2024/p/99999999999",
        "/r/angui_2024/p/-1",
        "/r/angui_2024/t/..%2f..%2f",
        "/static/x/..%2fCargo.toml",
        "/r/angui_2024/t/t0001/..%2Finfo.json",
        "/ask/unknown",
        "/ask/unknown/answer.md",
        "/nothing",
    ] {
        let answer = get(&router, path, &[]);
        assert!(
            matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST),
            "{path}: {}",
            answer.status
        );
    }
    let back = get(&router, "/prefs?lang=en&to=https://evil.example/", &[]);
    assert_eq!((back.status, back.header("location")), (StatusCode::SEE_OTHER, "/"));
    assert!(back.header("set-cookie").starts_with("lang=en;"));
}

#[test]
fn a_token_is_exchanged_for_a_cookie_and_nothing_works_without() {
    let router = closed_router();
    let refused = get(&router, "/r/angui_2024/p/1", &[]);
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert!(
        refused.text().contains("name=\"token\"") && !refused.text().contains("母线失压"),
        "the page stays closed"
    );
    assert_eq!(get(&router, "/r/angui_2024/p/1/picture", &[]).status, StatusCode::UNAUTHORIZED);
    assert_eq!(get(&router, "/", &[("cookie", "regreader_session=forged")]).status, StatusCode::UNAUTHORIZED);
    assert_eq!(post(&router, "/login", "token=wrong", &[OWN]).status, StatusCode::UNAUTHORIZED);
    let signed_in = post(&router, "/login", "token=reading&to=/r/angui_2024/p/1", &[OWN]);
    assert_eq!(
        (signed_in.status, signed_in.header("location")),
        (StatusCode::SEE_OTHER, "/r/angui_2024/p/1")
    );
    let cookie = signed_in.header("set-cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(get(&router, "/r/angui_2024/p/1", &[("cookie", cookie)]).status, StatusCode::OK);
    let out = post(&router, "/logout", "", &[OWN, ("cookie", cookie)]);
    assert_eq!(out.status, StatusCode::SEE_OTHER);
    assert_eq!(get(&router, "/", &[("cookie", cookie)]).status, StatusCode::UNAUTHORIZED);
}

#[test]
fn readers_may_not_change_anything_and_other_sites_may_not_make_them() {
    let router = closed_router();
    let session = |token: &str| {
        let answer = post(&router, "/login", &format!("token={token}"), &[OWN]);
        answer.header("set-cookie").split(';').next().unwrap().to_owned()
    };
    let (reader, editor) = (session("reading"), session("editing"));
    let review = "verdict=signed_off&name=%E5%BC%A0";
    let path = "/r/angui_2024/quality";
    assert_eq!(post(&router, path, review, &[OWN, ("cookie", &reader)]).status, StatusCode::FORBIDDEN);
    assert_eq!(
        post(&router, "/upload?name=a.pdf", "x", &[OWN, ("cookie", &reader)]).status,
        StatusCode::FORBIDDEN
    );
    for origin in ["http://evil.example", "null", "http://127.0.0.1:9999"] {
        let forged = post(&router, path, review, &[("origin", origin), ("cookie", &editor)]);
        assert_eq!(forged.status, StatusCode::FORBIDDEN, "{origin}");
    }
    assert_eq!(
        post(&router, path, review, &[("cookie", &editor)]).status,
        StatusCode::FORBIDDEN,
        "no Origin"
    );
    assert_eq!(post(&router, path, review, &[OWN, ("cookie", &editor)]).status, StatusCode::SEE_OTHER);
    assert!(get(&router, path, &[("cookie", &editor)]).text().contains("已签核"));
    assert!(!get(&router, path, &[("cookie", &reader)]).text().contains("value=\"signed_off\""));
}

#[test]
fn reviews_of_findings_are_kept_and_shown() {
    let (router, fake) = open_router();
    let form = "finding=ocr%3A2%3A&verdict=accepted&name=%E6%9D%8E&comment=%3Cb%3Eok";
    assert_eq!(post(&router, "/r/angui_2024/quality", form, &[OWN]).status, StatusCode::SEE_OTHER);
    assert_eq!(fake.reviews.lock().unwrap()[0].verdict, ReviewVerdict::Accepted);
    let text = get(&router, "/r/angui_2024/quality", &[]).text();
    assert!(text.contains("已认可") && text.contains("&lt;b&gt;ok"), "{text}");
    assert_eq!(
        post(&router, "/r/angui_2024/quality", "verdict=accepted&name=", &[OWN]).status,
        StatusCode::BAD_REQUEST
    );
}

#[test]
fn marks_are_in_the_page_that_is_sent() {
    let (router, _) = open_router();
    let quoted =
        get(&router, "/r/angui_2024/p/1?b=p0001-b001&q=%E4%B8%8D%E5%BE%97%E8%AF%95%E9%80%81", &[]).text();
    assert_eq!(quoted.matches("class=\"marked\"").count(), 1, "one line");
    let row = get(&router, "/r/angui_2024/p/1?t=t0001&row=1", &[]).text();
    assert_eq!(row.matches("class=\"marked\"").count(), 0, "the row stands on the next page");
    assert!(row.contains("href=\"/r/angui_2024/p/2?t=t0001&amp;row=1\""), "and the page says so");
    let both = get(&router, "/r/angui_2024/p/1?two=1&t=t0001", &[]).text();
    assert_eq!(both.matches("class=\"marked\"").count(), 2, "a table over two pages is marked on both");
    let numbered = get(&router, "/r/angui_2024/p/1?t=6-2", &[]).text();
    assert_eq!(numbered.matches("class=\"marked\"").count(), 1, "a table by its number");
    assert!(numbered.contains("class=\"block is-marked\""), "and in the text");
    let rest = get(&router, "/r/angui_2024/p/2?b=p0001-b002", &[]).text();
    assert_eq!(
        rest.matches("class=\"marked\"").count(),
        1,
        "what goes on from the page before is marked here"
    );
    let unsure =
        get(&router, "/r/angui_2024/p/1?q=%E6%B2%A1%E6%9C%89%E8%BF%99%E5%8F%A5%E8%AF%9D", &[]).text();
    assert!(unsure.contains("无法确定确切位置") && !unsure.contains("class=\"marked\""));
}

#[test]
fn answers_show_verdicts_pages_and_exports() {
    let (router, _) = open_router();
    let answer = post(&router, "/ask/stream", "q=%E6%AF%8D%E7%BA%BF&agent=offline", &[OWN]);
    assert_eq!(answer.header("content-type"), "application/x-ndjson; charset=utf-8");
    let lines: Vec<serde_json::Value> =
        answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines[0]["event"].as_str(), lines[1]["event"].as_str()), (Some("step"), Some("answer")));
    let html = lines[1]["html"].as_str().unwrap();
    assert!(html.contains("核实") && html.contains("未核实") && html.contains("原文为不得试送"), "{html}");
    assert!(
        html.contains("/r/angui_2024/p/1?b=p0001-b001&amp;q="),
        "the words are found in their block: {html}"
    );
    assert!(
        html.contains("/r/angui_2024/p/2?t=t0001&amp;row=1"),
        "the quoted row is found in its table: {html}"
    );
    let id = lines[1]["id"].as_str().unwrap();
    let markdown = get(&router, &format!("/ask/{id}/answer.md"), &[]);
    assert!(markdown.text().contains("应立即汇报国调 [来源: 安规2024 P1 6.2.1] (核实)"));
    assert!(get(&router, &format!("/ask/{id}/answer.docx"), &[]).body.starts_with(b"PK"));
    assert!(get(&router, &format!("/ask/{id}"), &[]).text().contains("应立即汇报国调"));
    let cross_site = get(&router, "/ask?q=%E6%AF%8D%E7%BA%BF", &[("sec-fetch-site", "cross-site")]).text();
    assert!(!cross_site.contains("应立即汇报国调"), "another site does not make this one work");
}

#[test]
fn tables_filter_find_and_download() {
    let (router, _) = open_router();
    let filtered = get(&router, "/r/angui_2024/t/t0001?c1=300", &[]).text();
    assert!(filtered.contains("id=\"row-1\"") && !filtered.contains("id=\"row-0\""));
    let found = get(&router, "/r/angui_2024/t/t0001?find=%E5%8F%B0%E6%95%B0%3D3", &[]).text();
    assert!(found.contains("id=\"row-1\" class=\"is-marked\""), "{found}");
    assert!(
        get(&router, "/r/angui_2024/t/6-2", &[]).text().contains("检修时减半"),
        "by number, with its note"
    );
    for (file, kind) in
        [("table.csv", "text/csv"), ("table.md", "text/markdown"), ("table.xlsx", "application/vnd")]
    {
        let answer = get(&router, &format!("/r/angui_2024/t/t0001/{file}"), &[]);
        assert!(
            answer.header("content-type").starts_with(kind)
                && answer.header("content-disposition").contains("attachment")
        );
    }
}

#[test]
fn changes_show_both_values_and_open_the_cell_marked() {
    let (router, _) = open_router();
    let text = get(&router, "/compare?old=angui_2024&new=angui_2024", &[]).text();
    assert!(text.contains("<del>200</del> → <ins>300</ins> 万千瓦 (+100)"), "{text}");
    assert!(text.contains("/r/angui_2024/p/2?t=t0001&amp;row=1&amp;col=1"), "the cell of the new edition");
    assert!(text.contains("class=\"marked\""), "its page stands beside the list, marked");
    let impact = get(&router, "/impact?q=%E6%AF%8D%E7%BA%BF", &[]).text();
    assert!(
        impact.contains("/r/angui_2024/p/1?b=p0001-b001") && impact.contains("angui_2024 P2"),
        "{impact}"
    );
}

#[test]
fn pictures_have_a_tag_and_are_not_sent_twice() {
    let (router, _) = open_router();
    let first = get(&router, "/r/angui_2024/p/1/picture?w=640", &[]);
    assert_eq!((first.status, first.header("content-type")), (StatusCode::OK, "image/png"));
    let tag = first.header("etag").to_owned();
    let again = get(&router, "/r/angui_2024/p/1/picture?w=640", &[("if-none-match", &tag)]);
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
    assert_eq!(get(&router, "/r/angui_2024/p/9/picture", &[]).status, StatusCode::NOT_FOUND);
}

#[test]
fn references_peek_and_follow() {
    let (router, _) = open_router();
    let peek = get(&router, "/r/angui_2024/peek?ref=%E8%A7%81%E8%A1%A86-2&page=1", &[]).text();
    assert!(peek.contains("表6-2 限额") && peek.contains("/r/angui_2024/p/1?t=t0001"), "{peek}");
    let note = get(&router, "/r/angui_2024/peek?note=%E6%B3%A81&page=2", &[]).text();
    assert!(note.contains("检修时减半"));
    let go = get(&router, "/r/angui_2024/go?ref=%E8%A7%81%E8%A1%A86-2&page=1", &[]);
    assert_eq!((go.status, go.header("location")), (StatusCode::SEE_OTHER, "/r/angui_2024/p/1?t=t0001"));
    let jump = get(&router, "/r/angui_2024/p?page=99", &[]);
    assert_eq!(jump.header("location"), "/r/angui_2024/p/2", "past the end is the last page");
}

#[test]
fn uploads_are_bounded_and_told_page_by_page() {
    let (router, _) = open_router();
    let done = post(&router, "/upload?name=..%2F%E8%A7%84%E7%A8%8B.pdf", "%PDF-1.7", &[OWN]);
    let lines: Vec<serde_json::Value> =
        done.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines[0]["done"].as_u64(), lines[1]["reg_id"].as_str()), (Some(1), Some("angui_2024")));
    let large = "x".repeat(2 << 10);
    assert_eq!(post(&router, "/upload?name=a.pdf", &large, &[OWN]).status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(
        post(&router, "/upload?name=a.pdf", "again", &[OWN]).status,
        StatusCode::OK,
        "the place is free again"
    );
}

/// The first view without pictures must stay far below 60 kB compressed; even uncompressed the page itself is small.
#[test]
fn the_first_view_is_light() {
    let (router, _) = open_router();
    let page = get(&router, "/r/angui_2024/p/1", &[]);
    assert!(page.body.len() < 30_000, "{} bytes", page.body.len());
}

#[test]
fn editors_change_details_and_record_events_and_readers_do_not() {
    let (router, fake) = open_router();
    let form =
        "title=%E6%96%B0%E5%90%8D&aliases=%E4%B8%80%0D%0A%E4%BA%8C%0D%0A%E4%B8%80&keywords=&edition=2025";
    let saved = post(&router, "/r/angui_2024/edit", form, &[OWN]);
    assert_eq!(
        (saved.status, saved.header("location")),
        (StatusCode::SEE_OTHER, "/r/angui_2024/edit?saved=1")
    );
    let written = fake.updates.lock().unwrap()[0].clone();
    assert_eq!((written.title.as_str(), written.aliases.join("/").as_str()), ("新名", "一/二"));
    assert!(written.keywords.is_empty() && written.record.is_none());
    let event = "only=event&event_kind=effective&event_date=2025-01-01&event_note=%E5%8F%91%E6%96%87";
    assert_eq!(post(&router, "/r/angui_2024/edit", event, &[OWN]).status, StatusCode::SEE_OTHER);
    let written = fake.updates.lock().unwrap()[1].clone();
    assert_eq!(written.aliases, ["安规2024"], "the details stay as they are");
    assert_eq!(written.record.unwrap().date.unwrap().to_string(), "2025-01-01");
    for bad in [
        "title=",
        "only=event&event_kind=eaten",
        "only=event&event_kind=effective&event_date=2025-02-30",
        "only=event&forget=x",
    ] {
        assert_eq!(post(&router, "/r/angui_2024/edit", bad, &[OWN]).status, StatusCode::BAD_REQUEST, "{bad}");
    }
    let closed = closed_router();
    let reader = post(&closed, "/login", "token=reading", &[OWN]);
    let cookie = reader.header("set-cookie").split(';').next().unwrap().to_owned();
    assert_eq!(get(&closed, "/r/angui_2024/edit", &[("cookie", &cookie)]).status, StatusCode::FORBIDDEN);
    assert_eq!(
        post(&closed, "/r/angui_2024/edit", form, &[OWN, ("cookie", &cookie)]).status,
        StatusCode::FORBIDDEN
    );
    assert!(
        !get(&closed, "/", &[("cookie", &cookie)]).text().contains("/edit"),
        "no link that leads nowhere"
    );
}

#[test]
fn the_library_says_what_needs_attention_and_why_an_edition_is_in_force() {
    let (router, _) = open_router();
    let text = get(&router, "/", &[]).text();
    assert!(text.contains("自 2024-01-01 起实施") && text.contains("现行"), "{text}");
    assert!(text.contains("由旧版程序读入") && text.contains("尚未编入检索") && text.contains("待 OCR 1 页"));
}

#[test]
fn hits_of_editions_that_are_not_in_force_stand_apart_with_a_warning() {
    let (router, _) = open_router();
    let text = get(&router, "/search?q=%E6%AF%8D%E7%BA%BF", &[]).text();
    let (current, old) = text.split_once("以下出自非现行版本").expect(&text);
    assert!(current.contains("data-index=\"0\"") && !current.contains("旧版的"), "{current}");
    assert!(
        old.contains("安规2023 已不是现行版本") && old.contains("data-index=\"1\"") && old.contains("旧版的"),
        "{old}"
    );
    let second = get(&router, "/search?q=%E6%AF%8D%E7%BA%BF&sel=1", &[]).text();
    assert!(second.contains("data-page=\"2\""), "an old hit can be chosen too");
}

#[test]
fn a_watch_list_narrows_changes_and_their_documents() {
    let (router, _) = open_router();
    let watch = "watch=%E5%A4%A9%E4%B8%AD%E7%9B%B4%E6%B5%81%0A%E7%AB%A0%E8%8A%82%EF%BC%9A6";
    let text = get(&router, &format!("/compare?old=angui_2024&new=angui_2024&{watch}"), &[]).text();
    assert_eq!(text.matches("class=\"hit change\"").count(), 1, "what both lines ask for is listed once");
    assert!(text.contains("/compare/changes.docx?old=angui_2024&amp;new=angui_2024&amp;watch="), "{text}");
    for (file, name) in [("changes.docx", "Docx"), ("changes.xlsx", "Xlsx"), ("changes.html", "Html")] {
        let answer = get(&router, &format!("/compare/{file}?old=a&new=b&{watch}"), &[]);
        assert!(answer.header("content-disposition").starts_with("attachment"), "{file}");
        assert_eq!(answer.text(), format!("{name} a b [\"天中直流\"] [\"6\"]"));
    }
    assert_eq!(get(&router, "/compare/changes.exe?old=a&new=b", &[]).status, StatusCode::NOT_FOUND);
}

#[test]
fn another_edition_opens_at_the_same_place() {
    let (router, _) = open_router();
    let at = |query: &str| {
        let answer = get(&router, &format!("/r/angui_2024/in/angui_2024?{query}"), &[]);
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{query}");
        answer.header("location").to_owned()
    };
    assert_eq!(at("page=1&t=t0001&row=1"), "/r/angui_2024/p/2?t=t0001&row=1");
    assert_eq!(at("page=1&t=6-2"), "/r/angui_2024/p/1?t=t0001");
    // 6.2.1 is no chapter of its own there: the chapter above it is opened.
    assert_eq!(at("page=1&b=p0001-b001"), "/r/angui_2024/p/1");
    assert_eq!(at("page=2"), "/r/angui_2024/p/1?lost=1");
    assert!(get(&router, "/r/angui_2024/p/1?lost=1", &[]).text().contains("没有找到同一处"));
    assert_eq!(get(&router, "/r/angui_2024/in/none", &[]).status, StatusCode::NOT_FOUND);
}

/// Every picture that waited used to hold a thread, and with it memory; a few at a time draw as fast.
#[test]
fn many_readers_share_few_threads_and_views_do_not_wait_for_pictures() {
    let (router, fake) = open_router();
    let most = std::thread::available_parallelism().map_or(2, usize::from) + 1;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let ask = |path: &'static str| {
        let mut router = router.clone();
        let request = Request::get(path).header("host", HOST).body(Body::empty()).unwrap();
        async move { tower_service::Service::call(&mut router, request).await.unwrap().status() }
    };
    fake.held.store(true, Ordering::SeqCst);
    let statuses = runtime.block_on(async {
        let pictures: Vec<_> =
            (0..64).map(|_| tokio::spawn(ask("/r/angui_2024/p/1/picture?w=640"))).collect();
        while fake.drawing.0.load(Ordering::SeqCst) < most {
            tokio::task::yield_now().await;
        }
        // All places are taken, and no page will be drawn as long as they are held.
        assert_eq!(ask("/").await, StatusCode::OK);
        assert_eq!(ask("/r/angui_2024/p/1").await, StatusCode::OK);
        fake.held.store(false, Ordering::SeqCst);
        futures::future::join_all(pictures).await
    });
    assert!(statuses.into_iter().all(|status| status.unwrap() == StatusCode::OK));
    assert_eq!(fake.drawing.1.load(Ordering::SeqCst), most);
}
