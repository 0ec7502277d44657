//! Disks that are full, read-only or dying; files that are torn.

use std::fs;
use std::io::ErrorKind;
use std::io::Write as _;
use std::sync::Arc;

use regreader_store::bundle::{ImportOptions, Selection, export, import};
use regreader_store::{Library, ListEntry, OpenOptions, StoreError};

use crate::common::{assert_clean, id, open, read_whole, regulation, restore, snapshot, store};
use crate::disks::{Trouble, TroubledDisk};

/// Runs a replace and what belongs to it on a disk in trouble at every call it makes, one after the other, and checks
/// each time that the library is whole. Gives how many times the change had gone through in spite of the trouble.
fn at_every_call(
    trouble: Trouble,
    exchange: bool,
    act: impl Fn(&Library) -> Result<(), StoreError>,
) -> (usize, usize) {
    let template = tempfile::tempdir().unwrap();
    store(&open(template.path()), &regulation("angui_2024", 1, 3));
    store(&open(template.path()), &regulation("wengui_2024", 7, 2));
    let files = snapshot(template.path());
    let mut went_through = 0;
    for at in 0.. {
        let folder = tempfile::tempdir().unwrap();
        restore(folder.path(), &files);
        let disk = TroubledDisk::new(trouble, at);
        let disk = Arc::new(if exchange { disk } else { disk.without_exchange() });
        let library = Library::open(folder.path(), OpenOptions::new().disk(disk.clone())).unwrap();
        let result = act(&library);
        // Readers that know nothing of it, before anything is cleared up.
        let edition = read_whole(&library.reader(&id("angui_2024")).unwrap()).unwrap();
        let listed = library.list().unwrap();
        assert!(listed.len() == 2 && listed.iter().all(|entry| entry.info().is_some()), "{listed:?}");
        assert!(edition == 1 || edition == 2);
        assert!(edition == 2 || result.is_err(), "reported as done at call {at}, and not done");
        went_through += usize::from(edition == 2);
        // The next process.
        let next = open(folder.path());
        assert_clean(&next);
        assert_eq!(read_whole(&next.reader(&id("angui_2024")).unwrap()).unwrap(), edition);
        assert_eq!(read_whole(&next.reader(&id("wengui_2024")).unwrap()).unwrap(), 7);
        store(&next, &regulation("angui_2024", 3, 3));
        assert_clean(&next);
        if disk.calls() <= at {
            result.unwrap();
            return (at, went_through);
        }
    }
    unreachable!()
}

fn replace(library: &Library) -> Result<(), StoreError> {
    let source = crate::common::document(2);
    let source = regreader_store::Source { file_name: "规程.PDF", bytes: &source };
    library.replace(&regulation("angui_2024", 2, 4), Some(source)).map(drop)
}

#[test]
fn a_process_that_dies_at_any_call_leaves_the_old_edition_or_the_new_one() {
    for exchange in [true, false] {
        let (calls, done) = at_every_call(Trouble::Dead, exchange, replace);
        assert!(calls > 12 && (2..calls).contains(&done), "{calls} calls, {done} done");
    }
}

#[test]
fn a_disk_that_fills_up_is_named_and_harms_nothing() {
    for exchange in [true, false] {
        at_every_call(Trouble::Writes(ErrorKind::StorageFull), exchange, |library| {
            let result = replace(library);
            if let Err(error) = &result {
                assert!(matches!(error, StoreError::NoSpace { .. }), "{error:?}");
                assert!(error.to_string().contains("磁盘空间不足"), "{error}");
                assert!(
                    !library.root().join("regulations/.staging").exists(),
                    "the space is given back at once"
                );
            }
            result
        });
    }
}

#[test]
fn a_single_failing_call_harms_nothing() {
    for exchange in [true, false] {
        at_every_call(Trouble::Once(ErrorKind::Other), exchange, replace);
    }
}

#[test]
fn a_bundle_on_a_failing_disk_is_taken_whole_or_not_at_all() {
    let template = tempfile::tempdir().unwrap();
    for name in ["angui_2024", "wengui_2024"] {
        store(&open(template.path()), &regulation(name, 2, 3));
    }
    let mut bundle = Vec::new();
    export(&open(template.path()), &Selection::All, &mut bundle).unwrap();
    for name in ["angui_2024", "wengui_2024"] {
        store(&open(template.path()), &regulation(name, 1, 2));
    }
    let files = snapshot(template.path());
    for (trouble, exchange) in [
        (Trouble::Once(ErrorKind::Other), true),
        (Trouble::Once(ErrorKind::Other), false),
        (Trouble::Writes(ErrorKind::StorageFull), true),
    ] {
        for at in 0.. {
            let folder = tempfile::tempdir().unwrap();
            restore(folder.path(), &files);
            let disk = TroubledDisk::new(trouble, at);
            let disk = Arc::new(if exchange { disk } else { disk.without_exchange() });
            let library = Library::open(folder.path(), OpenOptions::new().disk(disk.clone())).unwrap();
            let result = import(&library, bundle.as_slice(), &ImportOptions::default());
            let expected = if result.is_ok() { 2 } else { 1 };
            let next = open(folder.path());
            for name in ["angui_2024", "wengui_2024"] {
                let edition = read_whole(&next.reader(&id(name)).unwrap()).unwrap();
                assert_eq!(edition, expected, "{name} at call {at}: {result:?}");
            }
            assert_clean(&next);
            if disk.calls() <= at {
                result.unwrap();
                break;
            }
        }
    }
}

#[test]
fn a_regulation_can_be_deleted_when_there_is_no_room_for_one_more_folder() {
    let folder = tempfile::tempdir().unwrap();
    store(&open(folder.path()), &regulation("angui_2024", 1, 3));
    let disk = Arc::new(TroubledDisk::new(Trouble::Writes(ErrorKind::StorageFull), 0));
    let library = Library::open(folder.path(), OpenOptions::new().disk(disk)).unwrap();
    let reader = library.reader(&id("angui_2024")).unwrap();
    library.delete(&id("angui_2024")).unwrap();
    assert!(library.list().unwrap().is_empty());
    assert_eq!(read_whole(&reader).unwrap(), 1);
    assert_eq!(library.verify_library().unwrap().len(), 1, "still read");
    drop(reader);
    assert_clean(&open(folder.path()));
}

#[test]
fn a_read_only_library_is_read_and_refuses_to_be_written() {
    let folder = tempfile::tempdir().unwrap();
    store(&open(folder.path()), &regulation("angui_2024", 1, 3));
    for kind in [ErrorKind::ReadOnlyFilesystem, ErrorKind::PermissionDenied] {
        let disk = Arc::new(TroubledDisk::new(Trouble::Writes(kind), 0));
        let library = Library::open(folder.path(), OpenOptions::new().disk(disk)).unwrap();
        assert_eq!(read_whole(&library.reader(&id("angui_2024")).unwrap()).unwrap(), 1);
        let update =
            library.update_info(&id("angui_2024"), |info| info.scope = Some("x".to_owned())).map(drop);
        for result in [replace(&library), update] {
            let error = result.unwrap_err();
            assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
            assert!(error.hint().unwrap().contains("REGREADER_DATA_DIR"));
        }
        assert_clean(&library);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_without_the_right_to_write() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("regulations");
    store(&open(folder.path()), &regulation("angui_2024", 1, 3));
    fs::remove_file(place.join(".lock")).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(place.join("probe"), "").is_ok() {
        if !crate::common::again_as_nobody("damage::a_folder_without_the_right_to_write") {
            let _ = writeln!(std::io::stderr(), "skipped: this user may write anywhere");
        }
        return;
    }
    let library = open(folder.path());
    assert_eq!(read_whole(&library.reader(&id("angui_2024")).unwrap()).unwrap(), 1);
    assert!(matches!(replace(&library).unwrap_err(), StoreError::ReadOnly { .. }));
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn one_torn_regulation_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    for name in ["angui_2023", "angui_2024", "wengui_2024"] {
        store(&library, &regulation(name, 1, 3));
    }
    let info = folder.path().join("regulations/angui_2024/info.json");
    let whole = fs::read(&info).unwrap();
    let torn: [&[u8]; 5] =
        [b"", &whole[..whole.len() / 2], b"\0\0\0\0", b"[]", b"{\"reg_id\":\"wengui_2024\"}"];
    for bytes in torn {
        fs::write(&info, bytes).unwrap();
        let listed = library.list().unwrap();
        assert_eq!(listed.len(), 3);
        for entry in &listed {
            match entry {
                ListEntry::Broken { reg_id, problem } => {
                    assert_eq!(reg_id.as_str(), "angui_2024");
                    assert!(problem.to_string().contains("angui_2024/info.json"), "{problem}");
                }
                ListEntry::Regulation(info) => {
                    assert_ne!(info.reg_id.as_str(), "angui_2024");
                    assert_eq!(read_whole(&library.reader(&info.reg_id).unwrap()).unwrap(), 1);
                }
            }
        }
        assert!(matches!(library.reader(&id("angui_2024")).unwrap_err(), StoreError::Corrupt { .. }));
    }
    // It can still be deleted.
    library.delete(&id("angui_2024")).unwrap();
    assert_eq!(library.list().unwrap().len(), 2);
}

#[test]
fn a_torn_page_is_an_error_for_that_page_only() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    store(&library, &regulation("angui_2024", 1, 3));
    let file = folder.path().join("regulations/angui_2024/pages/0002.json");
    let whole = fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    for (bytes, reason) in [(&whole[..10], "实际 10 字节"), (&flipped[..], "blake3")] {
        fs::write(&file, bytes).unwrap();
        let reader = library.reader(&id("angui_2024")).unwrap();
        let error = reader.page(crate::common::page(2)).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }) && error.to_string().contains(reason), "{error}");
        assert!(error.to_string().contains("pages/0002.json"), "{error}");
        reader.page(crate::common::page(1)).unwrap();
        reader.page(crate::common::page(3)).unwrap();
    }
    fs::remove_file(&file).unwrap();
    let error = library.reader(&id("angui_2024")).unwrap().page(crate::common::page(2)).unwrap_err();
    assert!(error.to_string().contains("文件缺失"), "{error}");
}
