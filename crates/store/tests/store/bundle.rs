//! Carrying regulations in one file, and files that want to do harm.

use std::fs;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use regreader_store::bundle::{
    BundleError, Conflict, ImportOptions, Limits, Selection, export, export_to_file, import, inspect,
};
use regreader_store::{Change, Library, StoreError};

use crate::common::{Dice, assert_clean, id, open, read_whole, regulation, snapshot, store};

fn bundle_of(library: &Library, selection: &Selection) -> (Vec<u8>, String) {
    let mut bytes = Vec::new();
    let report = export(library, selection, &mut bytes).unwrap();
    assert_eq!(report.bytes, bytes.len() as u64);
    assert_eq!(report.warnings, [""; 0]);
    (bytes, report.blake3)
}

fn sample() -> (tempfile::TempDir, Library) {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    store(&library, &regulation("angui_2024", 1, 5));
    store(&library, &regulation("wengui_2024", 2, 3));
    library.update_info(&id("angui_2024"), |info| info.keywords = vec!["安控装置".to_owned()]).unwrap();
    (folder, library)
}

#[test]
fn a_whole_library_arrives_as_it_left() {
    let (folder, library) = sample();
    let (bytes, hash) = bundle_of(&library, &Selection::All);
    assert_eq!(bundle_of(&library, &Selection::All).0, bytes, "the same library gives the same file");
    let catalog = inspect(bytes.as_slice(), &Limits::default()).unwrap();
    let listed: Vec<&str> = catalog.regulations.iter().map(|regulation| regulation.reg_id.as_str()).collect();
    assert_eq!(listed, ["angui_2024", "wengui_2024"]);

    let there = tempfile::tempdir().unwrap();
    let other = open(there.path());
    let report = import(&other, bytes.as_slice(), &ImportOptions::default()).unwrap();
    assert_eq!(report.blake3, hash);
    assert_eq!(report.regulations[1], (id("wengui_2024"), Some(Change::New)));
    for name in ["angui_2024", "wengui_2024"] {
        let place = format!("regulations/{name}");
        assert_eq!(snapshot(&there.path().join(&place)), snapshot(&folder.path().join(&place)));
    }
    assert_clean(&other);
}

#[test]
fn a_file_of_one_regulation_updates_another_library() {
    let (folder, library) = sample();
    let file = folder.path().join("angui.tar.gz");
    export_to_file(&library, &Selection::Only(vec![id("angui_2024")]), &file).unwrap();
    assert!(fs::read_dir(folder.path()).unwrap().all(|entry| !entry.unwrap().path().ends_with("part")));
    let there = tempfile::tempdir().unwrap();
    let other = open(there.path());
    store(&other, &regulation("angui_2024", 9, 2));
    other.update_info(&id("angui_2024"), |info| info.scope = Some("本地填写".to_owned())).unwrap();
    let reading = other.reader(&id("angui_2024")).unwrap();

    let options = |conflict| ImportOptions { conflict, ..ImportOptions::default() };
    let run = |conflict| import(&other, fs::File::open(&file).unwrap(), &options(conflict));
    let refused = run(Conflict::Fail).unwrap_err();
    assert!(matches!(&refused, StoreError::Bundle(BundleError::Exists(reg_id)) if reg_id == "angui_2024"));
    assert_eq!(run(Conflict::Skip).unwrap().regulations, [(id("angui_2024"), None)]);
    assert_eq!(read_whole(&other.reader(&id("angui_2024")).unwrap()).unwrap(), 9);
    assert_eq!(run(Conflict::Replace).unwrap().regulations, [(id("angui_2024"), Some(Change::Replaced))]);
    let reader = other.reader(&id("angui_2024")).unwrap();
    assert_eq!(read_whole(&reader).unwrap(), 1);
    assert_eq!(reader.info().keywords, ["安控装置"]);
    assert_eq!(reader.info().scope.as_deref(), Some("本地填写"));
    assert_eq!(read_whole(&reading).unwrap(), 9);
    drop(reading);
    assert_clean(&open(there.path()));
}

#[test]
fn a_damaged_library_is_not_exported_as_if_it_were_whole() {
    let (folder, library) = sample();
    let place = folder.path().join("regulations/wengui_2024");
    for name in ["pages/0002.json", "source.pdf", "info.json"] {
        let whole = fs::read(place.join(name)).unwrap();
        let mut altered = whole.clone();
        altered[3] ^= 1;
        fs::write(place.join(name), altered).unwrap();
        let out = folder.path().join("x.tar.gz");
        let error = export_to_file(&library, &Selection::All, &out).unwrap_err();
        assert!(matches!(&error, StoreError::Corrupt { .. }) && error.to_string().contains(name), "{error}");
        assert!(!out.exists());
        export_to_file(&library, &Selection::Only(vec![id("angui_2024")]), &out).unwrap();
        fs::remove_file(out).unwrap();
        fs::write(place.join(name), whole).unwrap();
    }
}

/// An entry of an archive: name, kind, content.
type Entry = (Vec<u8>, u8, Vec<u8>);

/// Whether a bundle was refused for the right reason.
type Expected = fn(&BundleError) -> bool;

fn unpack(bundle: &[u8]) -> Vec<Entry> {
    let mut archive = tar::Archive::new(GzDecoder::new(bundle));
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        (entry.path_bytes().into_owned(), b'0', content)
    });
    entries.collect()
}

fn pack(entries: &[Entry]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, kind, content) in entries {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name);
        header.set_entry_type(tar::EntryType::new(*kind));
        if *kind == b'2' {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_size(content.len() as u64);
        header.set_mode(0o777);
        header.set_cksum();
        archive.append(&header, content.as_slice()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// Rewrites the list of contents.
fn with_catalog(entries: &[Entry], change: impl FnOnce(&mut serde_json::Value)) -> Vec<Entry> {
    let mut entries = entries.to_vec();
    let mut catalog = serde_json::from_slice(&entries[0].2).unwrap();
    change(&mut catalog);
    entries[0].2 = serde_json::to_vec(&catalog).unwrap();
    entries
}

/// Replaces a file and announces it as if it had always been so.
fn forged(entries: &[Entry], name: &str, content: &[u8]) -> Vec<u8> {
    let mut entries = with_catalog(entries, |catalog| {
        for file in catalog["regulations"][0]["files"].as_array_mut().unwrap() {
            if file["path"] == name {
                file["size"] = content.len().into();
                file["blake3"] = blake3::hash(content).to_hex().as_str().into();
            }
        }
    });
    let entry = entries.iter_mut().find(|entry| entry.0.ends_with(name.as_bytes())).unwrap();
    entry.2 = content.to_vec();
    pack(&entries)
}

#[test]
fn hostile_bundles_are_refused_and_leave_no_trace() {
    let (_folder, library) = sample();
    let (bundle, _) = bundle_of(&library, &Selection::All);
    let whole = unpack(&bundle);
    assert_eq!(unpack(&pack(&whole)), whole);
    let swap = |index: usize, change: &dyn Fn(&mut Entry)| {
        let mut entries = whole.clone();
        change(&mut entries[index]);
        pack(&entries)
    };
    let catalog = |change: &dyn Fn(&mut serde_json::Value)| pack(&with_catalog(&whole, change));
    let without = |index: usize| {
        let mut entries = whole.clone();
        entries.remove(index);
        pack(&entries)
    };
    let mut extra = whole.clone();
    extra.push((b"regulations/angui_2024/pages/0001.json".to_vec(), b'0', b"{}".to_vec()));
    let mut page: serde_json::Value = serde_json::from_slice(&whole[3].2).unwrap();
    assert_eq!(page["page_num"], 1);
    page["page_num"] = 7.into();

    let cases: Vec<(&str, Vec<u8>, Expected)> = vec![
        ("nothing", Vec::new(), |e| matches!(e, BundleError::NotABundle(_))),
        ("not gzip", b"PK\x03\x04 hello".to_vec(), |e| matches!(e, BundleError::NotABundle(_))),
        ("no list", without(0), |e| matches!(e, BundleError::NotABundle(_))),
        ("a list of something else", catalog(&|c| c["format"] = "x".into()), |e| {
            matches!(e, BundleError::NotABundle(_))
        }),
        ("a later version", catalog(&|c| c["version"] = 2.into()), |e| matches!(e, BundleError::Version(2))),
        ("a path for an id", catalog(&|c| c["regulations"][0]["reg_id"] = "../x".into()), |e| {
            matches!(e, BundleError::Catalog(_))
        }),
        ("the same id twice", catalog(&|c| c["regulations"][1] = c["regulations"][0].clone()), |e| {
            matches!(e, BundleError::Catalog(_))
        }),
        ("a file outside", catalog(&|c| c["regulations"][0]["files"][3]["path"] = "../../x".into()), |e| {
            matches!(e, BundleError::Catalog(_))
        }),
        ("a file of no kind", catalog(&|c| c["regulations"][0]["files"][3]["path"] = "run.sh".into()), |e| {
            matches!(e, BundleError::Catalog(_))
        }),
        (
            "an endless file",
            catalog(&|c| c["regulations"][0]["files"][3]["size"] = (1_u64 << 40).into()),
            |e| matches!(e, BundleError::Limit { .. }),
        ),
        (
            "sizes that overflow",
            catalog(&|c| {
                for file in c["regulations"][0]["files"].as_array_mut().unwrap() {
                    file["size"] = u64::MAX.into();
                }
            }),
            |e| matches!(e, BundleError::Limit { .. }),
        ),
        ("an entry that climbs out", swap(3, &|e| e.0 = b"regulations/../../../tmp/x".to_vec()), |e| {
            matches!(e, BundleError::Unexpected { .. })
        }),
        ("a link", swap(3, &|e| (e.1, e.2) = (b'2', Vec::new())), |e| {
            matches!(e, BundleError::Unexpected { .. })
        }),
        ("a long name", swap(3, &|e| e.1 = b'L'), |e| matches!(e, BundleError::Unexpected { .. })),
        (
            "another order",
            {
                let mut entries = whole.clone();
                entries.swap(3, 4);
                pack(&entries)
            },
            |e| matches!(e, BundleError::Unexpected { .. }),
        ),
        ("one more", pack(&extra), |e| matches!(e, BundleError::Unexpected { .. })),
        ("one less", without(whole.len() - 1), |e| matches!(e, BundleError::Truncated(_))),
        ("another byte", swap(3, &|e| e.2[9] ^= 1), |e| matches!(e, BundleError::HashMismatch { .. })),
        ("the last byte", swap(whole.len() - 1, &|e| *e.2.last_mut().unwrap() ^= 1), |e| {
            matches!(e, BundleError::HashMismatch { .. })
        }),
        ("a longer file", swap(3, &|e| e.2.push(b' ')), |e| matches!(e, BundleError::Unexpected { .. })),
        ("forged content", forged(&whole, "pages/0001.json", b"{}"), |e| {
            matches!(e, BundleError::Invalid { .. })
        }),
        ("forged info", forged(&whole, "info.json", b"{}"), |e| matches!(e, BundleError::Invalid { .. })),
        ("forged page", forged(&whole, "pages/0001.json", &serde_json::to_vec(&page).unwrap()), |e| {
            matches!(e, BundleError::Invalid { .. })
        }),
    ];
    let there = tempfile::tempdir().unwrap();
    let other = open(there.path());
    store(&other, &regulation("wengui_2024", 5, 2));
    let before = snapshot(&there.path().join("regulations"));
    for (name, bytes, expected) in cases {
        let error = import(&other, bytes.as_slice(), &ImportOptions::default()).unwrap_err();
        let StoreError::Bundle(inner) = &error else { panic!("{name}: {error:?}") };
        assert!(expected(inner), "{name}: {inner:?}");
        assert!(error.to_string().chars().count() < 600, "{name}");
        assert_eq!(snapshot(&there.path().join("regulations")), before, "{name}");
    }
    assert_clean(&other);
}

#[test]
fn a_bomb_is_not_unpacked() {
    let (_folder, library) = sample();
    let (bundle, _) = bundle_of(&library, &Selection::All);
    let mut entries = unpack(&bundle);
    // A list of contents that unpacks to far more than it weighs.
    entries[0].2 = vec![b' '; 8 << 20];
    let limits = Limits { max_catalog_bytes: 1 << 20, ..Limits::default() };
    let options = ImportOptions { limits, ..ImportOptions::default() };
    let there = tempfile::tempdir().unwrap();
    let error = import(&open(there.path()), pack(&entries).as_slice(), &options).unwrap_err();
    assert!(matches!(error, StoreError::Bundle(BundleError::Limit { .. })), "{error:?}");

    // Something without end behind a bundle that is in order.
    let mut with_tail = GzEncoder::new(bundle, Compression::fast());
    with_tail.write_all(&vec![0; 8 << 20]).unwrap();
    let mut bytes = with_tail.finish().unwrap();
    bytes.extend(vec![7; 2 << 20]);
    let error = import(&open(there.path()), bytes.as_slice(), &ImportOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Bundle(BundleError::Unexpected { .. })), "{error:?}");
    assert!(open(there.path()).list().unwrap().is_empty());
}

#[test]
fn no_cut_and_no_flipped_byte_gets_through() {
    let (_folder, library) = sample();
    let (bundle, _) = bundle_of(&library, &Selection::All);
    let there = tempfile::tempdir().unwrap();
    let other = open(there.path());
    let mut dice = Dice::new(7);
    for round in 0..60 {
        let mut bytes = bundle.clone();
        let place = dice.roll(bytes.len() as u64) as usize;
        if round % 3 == 0 {
            bytes.truncate(place);
        } else {
            bytes[place] ^= 1 << dice.roll(8);
        }
        // A flip in the time stamp of the gzip header, or behind the end of the archive, changes nothing.
        match import(&other, bytes.as_slice(), &ImportOptions::default()) {
            Err(error) => assert!(matches!(error, StoreError::Bundle(_)), "{error:?}"),
            Ok(_) => {
                for name in ["angui_2024", "wengui_2024"] {
                    read_whole(&other.reader(&id(name)).unwrap()).unwrap();
                    other.delete(&id(name)).unwrap();
                }
            }
        }
        assert!(other.list().unwrap().is_empty());
    }
    assert_clean(&other);
}
