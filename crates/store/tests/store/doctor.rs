//! Finding what is wrong, and making anew what follows from the rest.

use std::fs;
use std::path::{Path, PathBuf};

use regreader_store::{Library, ProblemKind, Remedy};

use crate::common::{assert_clean, id, open, read_whole, regulation, snapshot, store};

fn library() -> (tempfile::TempDir, Library, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    store(&library, &regulation("angui_2024", 1, 4));
    let place = folder.path().join("regulations/angui_2024");
    (folder, library, place)
}

#[test]
fn every_kind_of_damage_is_found_where_it_is() {
    type Harm = fn(&Path);
    let harms: [(Harm, &str, ProblemKind, Remedy); 9] = [
        (
            |p| fs::write(p.join("info.json"), "{").unwrap(),
            "info.json",
            ProblemKind::InfoUnreadable,
            Remedy::Repair,
        ),
        (
            |p| fs::remove_file(p.join("info.json")).unwrap(),
            "info.json",
            ProblemKind::InfoUnreadable,
            Remedy::Repair,
        ),
        (
            |p| fs::write(p.join("manifest.json"), "").unwrap(),
            "manifest.json",
            ProblemKind::ManifestUnreadable,
            Remedy::Repair,
        ),
        (
            |p| fs::remove_file(p.join("pages/0003.json")).unwrap(),
            "pages/0003.json",
            ProblemKind::MissingFile,
            Remedy::IngestSource,
        ),
        (
            |p| fs::write(p.join("tables.json"), "{}").unwrap(),
            "tables.json",
            ProblemKind::Altered,
            Remedy::IngestSource,
        ),
        (
            |p| fs::write(p.join("source.pdf"), "x").unwrap(),
            "source.pdf",
            ProblemKind::Altered,
            Remedy::Ingest,
        ),
        (|p| fs::write(p.join("note.txt"), "x").unwrap(), "note.txt", ProblemKind::Stray, Remedy::Look),
        (
            |p| fs::write(p.join("pages/0005.json"), "x").unwrap(),
            "pages/0005.json",
            ProblemKind::Stray,
            Remedy::Look,
        ),
        (
            |p| {
                // Of an earlier version, without a hash of its own.
                let text = fs::read_to_string(p.join("info.json")).unwrap();
                let mut info: serde_json::Value = serde_json::from_str(&text).unwrap();
                info["total_pages"] = 9.into();
                info.as_object_mut().unwrap().remove("check");
                fs::write(p.join("info.json"), info.to_string()).unwrap();
            },
            "info.json",
            ProblemKind::InfoMismatch,
            Remedy::Repair,
        ),
    ];
    for (harm, name, kind, remedy) in harms {
        let (_folder, library, place) = library();
        assert_clean(&library);
        harm(&place);
        let problems = library.verify(&id("angui_2024")).unwrap();
        assert_eq!(problems.len(), 1, "{name}: {problems:?}");
        assert_eq!((problems[0].kind, problems[0].remedy), (kind, remedy), "{name}");
        assert_eq!(problems[0].path, place.join(name));
        assert_eq!(problems[0].reg_id, Some(id("angui_2024")));
    }
}

#[test]
fn what_follows_from_the_rest_is_made_anew() {
    let (_folder, library, place) = library();
    let reg_id = id("angui_2024");
    let whole = snapshot(&place);

    fs::write(place.join("manifest.json"), &whole["manifest.json"][..40]).unwrap();
    let report = library.repair(&reg_id).unwrap();
    assert_eq!((report.actions.len(), report.remaining.len()), (1, 0), "{report:?}");
    assert_eq!(snapshot(&place), whole);

    fs::remove_file(place.join("info.json")).unwrap();
    let report = library.repair(&reg_id).unwrap();
    assert_eq!((report.actions.len(), report.remaining.len()), (1, 0), "{report:?}");
    assert_eq!(snapshot(&place), whole);

    // A hand that edited too much: what it wrote about the regulation stays, the rest is put right.
    let mut info = library.info(&reg_id).unwrap();
    info.content_hash = None;
    info.total_pages = 1;
    info.scope = Some("手工填写".to_owned());
    fs::write(place.join("info.json"), serde_json::to_vec(&info).unwrap()).unwrap();
    assert!(library.reader(&reg_id).is_err());
    assert_eq!(library.repair(&reg_id).unwrap().remaining, []);
    let reader = library.reader(&reg_id).unwrap();
    assert_eq!((reader.info().total_pages, reader.info().scope.as_deref()), (4, Some("手工填写")));
    assert_eq!(read_whole(&reader).unwrap(), 1);
    assert_eq!(library.repair(&reg_id).unwrap().actions, [""; 0]);
    assert_clean(&library);
}

#[test]
fn what_is_lost_is_not_made_up() {
    let (_folder, library, place) = library();
    let reg_id = id("angui_2024");
    fs::write(place.join("manifest.json"), "").unwrap();
    fs::write(place.join("pages/0002.json"), "{}").unwrap();
    let before = snapshot(&place);
    let problems = library.verify(&reg_id).unwrap();
    assert_eq!((problems[0].kind, problems[0].remedy), (ProblemKind::ManifestUnreadable, Remedy::Ingest));
    let report = library.repair(&reg_id).unwrap();
    assert!(report.actions.is_empty() && !report.remaining.is_empty());
    assert_eq!(snapshot(&place), before);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_staging_folder_is_not_followed() {
    let (folder, library, place) = library();
    let foreign = tempfile::tempdir().unwrap();
    fs::write(foreign.path().join("letter.txt"), "x").unwrap();
    fs::create_dir(foreign.path().join("angui_2024.new")).unwrap();
    fs::create_dir(foreign.path().join("trash-0")).unwrap();
    let names = || {
        let mut names: Vec<_> =
            fs::read_dir(foreign.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    for link in [".staging", ".trash"] {
        std::os::unix::fs::symlink(foreign.path(), folder.path().join("regulations").join(link)).unwrap();
    }
    let again = open(folder.path());
    assert_eq!(again.list().unwrap().len(), 1);
    assert_eq!(again.ids().unwrap(), [id("angui_2024")]);
    assert_eq!(read_whole(&again.reader(&id("angui_2024")).unwrap()).unwrap(), 1);
    assert_eq!(names(), before, "opening and listing leave it alone");
    let found = again.verify_library().unwrap();
    assert!(found.iter().filter(|problem| problem.remedy == Remedy::Look).count() == 2, "{found:?}");
    let refused = again.replace(&regulation("angui_2024", 2, 4), None);
    assert!(refused.is_err(), "nothing is written through a link");
    assert!(library.update_info(&id("angui_2024"), |info| info.title.push('x')).is_err());
    assert_eq!(names(), before);
    assert!(place.join("info.json").exists());
    fs::remove_file(folder.path().join("regulations/.staging")).unwrap();
    again.replace(&regulation("angui_2024", 2, 4), None).unwrap();
    assert_eq!(names(), before);
}

#[test]
fn recovery_removes_only_what_it_made() {
    let (folder, library, _) = library();
    let staging = folder.path().join("regulations/.staging");
    fs::create_dir_all(staging.join("angui_2024.new")).unwrap();
    fs::create_dir_all(staging.join("照片")).unwrap();
    fs::write(staging.join("letter.txt"), "x").unwrap();
    store(&library, &regulation("angui_2024", 2, 4));
    assert!(!staging.join("angui_2024.new").exists());
    assert!(staging.join("照片").exists() && staging.join("letter.txt").exists());
}

#[test]
fn a_digit_in_the_info_or_the_manifest_is_noticed() {
    for name in ["info.json", "manifest.json"] {
        let (_folder, library, place) = library();
        let text = fs::read_to_string(place.join(name)).unwrap();
        assert!(text.contains("\"title\": \""));
        let changed = text.replacen("\"title\": \"", "\"title\": \"9", 1);
        fs::write(place.join(name), changed).unwrap();
        assert!(library.reader(&id("angui_2024")).is_err(), "{name}");
        let found = library.verify(&id("angui_2024")).unwrap();
        assert!(found.iter().any(|problem| problem.path.ends_with(name)), "{name}: {found:?}");
        assert!(library.repair(&id("angui_2024")).unwrap().remaining.is_empty(), "{name}");
        assert_clean(&library);
    }
}
