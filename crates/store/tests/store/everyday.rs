//! Storing, reading, describing and deleting regulations.

use std::fs;
use std::thread;
use std::time::Duration;

use regreader_model::{DomainError, EditionEvent, EventEvidence, EventKind, PageNumber, Rect, RegId};
use regreader_store::{
    AuditEvent, Change, Library, ListEntry, OpenOptions, Source, StoreError, content_hash,
};

use crate::common::{assert_clean, document, id, open, page, read_whole, regulation, snapshot, store};

#[test]
fn what_is_stored_is_read_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    let angui = regulation("angui_2024", 1, 12);
    let stored = store(&library, &angui);
    assert_eq!(stored.change, Change::New);
    assert_eq!(stored.warnings, [""; 0]);
    assert_eq!(stored.info.total_pages, 12);
    assert_eq!(stored.info.content_hash, Some(content_hash(&angui).unwrap()));

    let reader = library.reader(&id("angui_2024")).unwrap();
    assert_eq!(*reader.info(), stored.info);
    assert_eq!(reader.all_pages().collect::<Result<Vec<_>, _>>().unwrap(), angui.pages);
    assert_eq!(reader.pages(page(3)..=page(5)).unwrap(), angui.pages[2..5]);
    assert_eq!(*reader.structure().unwrap(), angui.structure);
    assert_eq!(*reader.tables().unwrap(), angui.tables);
    assert_eq!(*reader.references().unwrap(), angui.references);
    assert_eq!(*reader.quality().unwrap(), angui.quality);
    assert_eq!(reader.source_bytes().unwrap().unwrap(), document(1));
    assert!(reader.source_path().unwrap().ends_with("regulations/angui_2024/source.pdf"));
    assert_eq!(reader.open_source().unwrap().unwrap().metadata().unwrap().len(), document(1).len() as u64);
    assert!(reader.is_current());
    assert_clean(&library);

    let names: Vec<String> = snapshot(&folder.path().join("regulations/angui_2024")).into_keys().collect();
    for name in
        ["info.json", "manifest.json", "structure.json", "tables.json", "references.json", "quality.json"]
    {
        assert!(names.iter().any(|found| found == name), "{name}");
    }
    assert!(names.contains(&"pages/0001.json".to_owned()) && names.contains(&"pages/0012.json".to_owned()));
}

#[test]
fn what_is_not_there_is_said_in_the_words_of_the_earlier_system() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    store(&library, &regulation("angui_2024", 1, 3));
    let reader = library.reader(&id("angui_2024")).unwrap();
    assert_eq!(reader.page(page(4)).unwrap_err().to_string(), "页面不存在: angui_2024 第 4 页");
    assert_eq!(reader.pages(page(2)..=page(9)).unwrap_err().to_string(), "页面不存在: angui_2024 第 9 页");
    let reversed = reader.pages(page(3)..=page(2)).unwrap_err();
    assert!(matches!(
        &reversed,
        StoreError::Domain(DomainError::InvalidPageRange { next: Some([2, 3]), .. })
    ));
    for error in
        [library.delete(&id("wengui_2024")).unwrap_err(), library.reader(&id("wengui_2024")).unwrap_err()]
    {
        assert_eq!(error.to_string(), "规程不存在: wengui_2024");
        assert!(error.hint().unwrap().contains("list"));
    }
    let update = library.update_info(&id("wengui_2024"), |info| info.title.clear());
    assert_eq!(update.unwrap_err().to_string(), "规程不存在: wengui_2024");
}

#[test]
fn storing_the_same_twice_gives_the_same_bytes_and_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("regulations/angui_2024");
    let library = open(folder.path());
    let mut angui = regulation("angui_2024", 1, 5);
    store(&library, &angui);
    let first = snapshot(&place);
    // Ingested on another day: the date belongs to the content and stays.
    angui.info.indexed_at = "2030-01-01T00:00:00Z".to_owned();
    assert_eq!(store(&library, &angui).change, Change::Unchanged);
    assert_eq!(snapshot(&place), first);

    // And the same bytes when all of it is really written again, here after another edition, there in another library.
    store(&library, &regulation("angui_2024", 2, 7));
    assert_ne!(snapshot(&place), first);
    angui.info.indexed_at = "2026-01-01T00:00:01Z".to_owned();
    assert_eq!(store(&library, &angui).change, Change::Replaced);
    assert_eq!(snapshot(&place), first);
    let elsewhere = tempfile::tempdir().unwrap();
    store(&open(elsewhere.path()), &angui);
    assert_eq!(snapshot(&elsewhere.path().join("regulations/angui_2024")), first);
}

#[test]
fn storing_again_mends_a_damaged_file() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    let angui = regulation("angui_2024", 1, 5);
    store(&library, &angui);
    let place = folder.path().join("regulations/angui_2024");
    let first = snapshot(&place);
    for name in ["pages/0002.json", "info.json", "manifest.json", "source.pdf"] {
        fs::write(place.join(name), "{").unwrap();
        assert_eq!(store(&library, &angui).change, Change::Replaced, "{name}");
        assert_eq!(snapshot(&place), first, "{name}");
    }
}

fn page_event(date: &str) -> EditionEvent {
    EditionEvent {
        kind: EventKind::Effective,
        date: Some(date.parse().unwrap()),
        subject: None,
        by: None,
        scope: None,
        evidence: EventEvidence::Page { page_num: PageNumber::FIRST, text: format!("{date} 实施") },
        recorded_at: String::new(),
    }
}

#[test]
fn enriched_metadata_survives_a_new_edition_unless_it_brings_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    let reg_id = id("angui_2024");
    store(&library, &regulation("angui_2024", 1, 3));
    let place = folder.path().join("regulations/angui_2024");
    let before = snapshot(&place);
    let said = EditionEvent {
        evidence: EventEvidence::Person { note: "国调通知".to_owned() },
        ..page_event("2024-04-01")
    };
    let updated = library
        .update_info(&reg_id, |info| {
            info.description = Some("规定安全自动装置的配置、功能、投停操作及参数管理".to_owned());
            info.keywords = vec!["安控装置".to_owned(), "压板投退".to_owned()];
            info.scope = Some("装置配置、操作规程、故障响应".to_owned());
            info.aliases = vec!["安规2024".to_owned()];
            info.series = Some("angui".to_owned());
            info.edition = Some("2024".to_owned());
            info.effective_from = Some("2024-03-01".to_owned());
            info.supersedes = Some(id("angui_2023"));
            info.events = vec![page_event("2024-03-01"), said.clone()];
        })
        .unwrap();
    let mut after = snapshot(&place);
    let json: serde_json::Value = serde_json::from_slice(&after["info.json"]).unwrap();
    assert_eq!(json["keywords"][1], "压板投退");
    after.insert("info.json".to_owned(), before["info.json"].clone());
    assert_eq!(after, before, "only info.json has changed");

    let mut next = regulation("angui_2024", 2, 4);
    next.info.keywords = vec!["稳控系统".to_owned()];
    next.info.events = vec![page_event("2024-05-01")];
    let stored = store(&library, &next).info;
    assert_eq!(stored.keywords, ["稳控系统"]);
    assert_eq!(stored.description, updated.info.description);
    assert_eq!(stored.aliases, ["安规2024"]);
    assert_eq!(stored.supersedes, Some(id("angui_2023")));
    assert_eq!(stored.effective_from.as_deref(), Some("2024-03-01"));
    assert_eq!(
        stored.events,
        [page_event("2024-05-01"), said],
        "pages are read anew, people are not overruled"
    );
    assert_eq!(stored.indexed_at, "2026-01-01T00:00:02Z");
    assert_clean(&library);

    let refused = library.update_info(&reg_id, |info| info.content_hash = None).unwrap_err();
    assert!(refused.to_string().contains("content_hash"), "{refused}");
    assert_eq!(library.info(&reg_id).unwrap(), stored);
}

#[test]
fn a_reader_keeps_its_edition_through_replace_and_delete() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    let reg_id = id("angui_2024");
    store(&library, &regulation("angui_2024", 1, 6));
    let first = library.reader(&reg_id).unwrap();
    store(&library, &regulation("angui_2024", 2, 3));
    let second = library.reader(&reg_id).unwrap();
    library.update_info(&reg_id, |info| info.description = Some("改".to_owned())).unwrap();
    assert!(!first.is_current() && !second.is_current());
    library.delete(&reg_id).unwrap();
    assert!(library.list().unwrap().is_empty());
    assert_eq!((read_whole(&first).unwrap(), read_whole(&second).unwrap()), (1, 2));
    assert_eq!(first.total_pages(), 6);

    // What they hold goes when they do.
    drop((first, second));
    assert_clean(&open(folder.path()));
}

#[test]
fn what_does_not_hang_together_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    store(&library, &regulation("angui_2024", 1, 3));
    let before = snapshot(&folder.path().join("regulations"));
    let mut broken = Vec::new();
    let mut one = regulation("angui_2024", 2, 3);
    one.pages.remove(1);
    broken.push((one, "页码不连续"));
    let mut one = regulation("angui_2024", 2, 3);
    one.pages.clear();
    broken.push((one, "没有任何页面"));
    let mut one = regulation("angui_2024", 2, 3);
    one.tables.reg_id = id("wengui_2024");
    broken.push((one, "属于规程 wengui_2024"));
    let mut one = regulation("angui_2024", 2, 3);
    one.pages[2].reg_id = id("wengui_2024");
    broken.push((one, "第 3 页属于规程 wengui_2024"));
    let mut one = regulation("angui_2024", 2, 3);
    one.pages[0].content_blocks[0].bbox = Some(Rect { x0: f32::NAN, y0: 0.0, x1: 1.0, y1: 1.0 });
    broken.push((one, "pages/0001.json 写出后"));
    for (regulation, reason) in broken {
        let error = library.replace(&regulation, None).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
    assert_eq!(snapshot(&folder.path().join("regulations")), before);
}

#[test]
fn a_second_writer_waits_and_then_says_who_is_writing() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    store(&library, &regulation("angui_2024", 1, 2));
    let lock = fs::File::open(folder.path().join("regulations/.lock")).unwrap();
    lock.lock().unwrap();
    let hasty = Library::open(folder.path(), OpenOptions::new().lock_timeout(Duration::ZERO)).unwrap();
    let error = hasty.replace(&regulation("angui_2024", 2, 2), None).unwrap_err();
    assert!(matches!(&error, StoreError::Locked { holder: Some(_), .. }), "{error:?}");
    assert!(error.to_string().contains(&format!("pid {}", std::process::id())), "{error}");
    // Readers do not ask for the lock.
    assert_eq!(read_whole(&hasty.reader(&id("angui_2024")).unwrap()).unwrap(), 1);
    drop(lock);
    store(&hasty, &regulation("angui_2024", 2, 2));
}

#[test]
fn several_writers_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for writer in 0..4 {
            let library = open(folder.path());
            scope.spawn(move || {
                for edition in 1..=5 {
                    store(&library, &regulation("shared", edition, 2));
                    store(&library, &regulation(&format!("own_{writer}"), edition, 2));
                    library
                        .update_info(&id("shared"), |info| info.scope = Some(edition.to_string()))
                        .unwrap();
                }
            });
        }
    });
    let library = open(folder.path());
    assert_clean(&library);
    for writer in 0..4 {
        assert_eq!(read_whole(&library.reader(&id(&format!("own_{writer}"))).unwrap()).unwrap(), 5);
    }
    assert_eq!(read_whole(&library.reader(&id("shared")).unwrap()).unwrap(), 5);
    assert_eq!(library.audit().tail(1000).unwrap().unreadable, 0);
}

#[test]
fn staging_of_a_live_writer_is_left_alone_and_that_of_a_dead_one_goes() {
    let folder = tempfile::tempdir().unwrap();
    store(&open(folder.path()), &regulation("angui_2024", 1, 2));
    let staged = folder.path().join("regulations/.staging/angui_2024.new");
    fs::create_dir_all(staged.join("pages")).unwrap();
    let lock = fs::File::open(folder.path().join("regulations/.lock")).unwrap();
    lock.lock().unwrap();
    open(folder.path());
    assert!(staged.exists(), "somebody is at work there");
    drop(lock);
    assert_clean(&open(folder.path()));
}

#[test]
fn regulations_are_listed_in_order_and_odd_names_keep_out_of_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    for name in ["wengui_2024", "angui_2024", "a.new", "a.old", "a"] {
        store(&library, &regulation(name, 1, 2));
        store(&library, &regulation(name, 2, 2));
    }
    fs::create_dir(folder.path().join("regulations/.hidden")).unwrap();
    fs::write(folder.path().join("regulations/readme"), "x").unwrap();
    let listed = library.list().unwrap();
    let ids: Vec<&str> = listed.iter().map(|entry| entry.reg_id().as_str()).collect();
    assert_eq!(ids, ["a", "a.new", "a.old", "angui_2024", "wengui_2024"]);
    assert!(listed.iter().all(|entry| matches!(entry, ListEntry::Regulation(_))));
    let stray: Vec<String> = library.verify_library().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(stray.len(), 2, "{stray:?}");
}

#[test]
fn a_regulation_without_a_document_and_one_with_an_odd_name() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    let mut plain = regulation("plain", 1, 1);
    plain.info.source_file.clear();
    plain.info.indexed_at.clear();
    let stored = library.replace(&plain, None).unwrap().info;
    assert_eq!(stored.source_hash, None);
    assert!(stored.indexed_at.ends_with('Z') && stored.indexed_at.len() == 20, "{}", stored.indexed_at);
    assert!(library.reader(&id("plain")).unwrap().source_bytes().unwrap().is_none());
    let source = Source { file_name: "../../etc/passwd.d/x y", bytes: b"x" };
    let stored = library.replace(&plain, Some(source)).unwrap();
    assert_eq!(library.reader(&id("plain")).unwrap().source_name(), Some("source.bin"));
    assert_eq!(
        (stored.change, stored.info.source_file.as_str()),
        (Change::Replaced, "../../etc/passwd.d/x y")
    );
    assert_clean(&library);
}

#[test]
fn everything_that_changes_the_library_is_in_the_audit_log() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(folder.path(), OpenOptions::new().actor("cli")).unwrap();
    let reg_id: RegId = id("angui_2024");
    store(&library, &regulation("angui_2024", 1, 2));
    store(&library, &regulation("angui_2024", 2, 2));
    library.update_info(&reg_id, |info| info.scope = Some("适用".to_owned())).unwrap();
    library.update_info(&reg_id, |_| ()).unwrap();
    library.delete(&reg_id).unwrap();
    let page = library.audit().tail(100).unwrap();
    assert!(page.records.iter().all(|record| record.actor == "cli"));
    let told: Vec<String> = page
        .records
        .into_iter()
        .map(|record| match record.event {
            AuditEvent::Ingested { change, total_pages, content_hash, .. } => {
                assert_eq!(content_hash.unwrap().len(), 64);
                format!("{change} {total_pages}")
            }
            AuditEvent::InfoUpdated { fields, .. } => fields.join(","),
            AuditEvent::Deleted { reg_id, .. } => format!("-{reg_id}"),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(told, ["new 2", "replaced 2", "scope", "-angui_2024"]);
}
