//! Readers in threads and in other processes while a writer replaces what they read.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use regreader_store::{Library, OpenOptions};

use crate::common::{assert_clean, edition_of, id, open, read_whole, regulation, store};
use crate::disks::{Trouble, TroubledDisk};

const CHILD: &str = "REGREADER_STORE_READER";
const REPLACES: u32 = 100;

#[test]
fn eight_readers_and_two_processes_during_a_hundred_replaces() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    let children = || vec![spawn(folder.path()), spawn(folder.path())];
    run(&library, &library, children, |library| {
        let reader = library.reader(&id("angui_2024")).unwrap();
        read_whole(&reader).unwrap()
    });
    assert_clean(&open(folder.path()));
}

/// The way of systems that have neither an exchange nor folders that can be held.
#[test]
fn eight_readers_by_path_during_a_hundred_replaces_by_two_renames() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Arc::new(TroubledDisk::new(Trouble::Dead, usize::MAX).without_exchange());
    let writer = Library::open(folder.path(), OpenOptions::new().disk(disk)).unwrap();
    let library = Library::open(folder.path(), OpenOptions::new().hold_by_path()).unwrap();
    run(&writer, &library, Vec::new, |library| library.read(&id("angui_2024"), read_whole).unwrap());
    assert_clean(&open(folder.path()));
}

/// Folders that are held, under a writer without an exchange.
#[test]
fn eight_readers_that_hold_on_during_a_hundred_replaces_by_two_renames() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Arc::new(TroubledDisk::new(Trouble::Dead, usize::MAX).without_exchange());
    let writer = Library::open(folder.path(), OpenOptions::new().disk(disk)).unwrap();
    let library = open(folder.path());
    run(&writer, &library, Vec::new, |library| {
        read_whole(&library.reader(&id("angui_2024")).unwrap()).unwrap()
    });
    assert_clean(&open(folder.path()));
}

fn run(
    writer: &Library,
    library: &Library,
    children: impl Fn() -> Vec<Child>,
    read: impl Fn(&Library) -> u32 + Sync,
) {
    store(writer, &regulation("angui_2024", 0, 6));
    store(writer, &regulation("wengui_2024", 0, 2));
    let (done, started) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut children = children();
    thread::scope(|scope| {
        let readers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let (mut last, mut rounds) = (0, 0);
                    while !done.load(Ordering::Acquire) {
                        last = look(library, &read, last);
                        if rounds == 0 {
                            started.fetch_add(1, Ordering::Release);
                        }
                        rounds += 1;
                    }
                    (last, rounds)
                })
            })
            .collect();
        // Nobody is late: each reader has read something before the first replace.
        while started.load(Ordering::Acquire) < 8
            && !readers.iter().any(thread::ScopedJoinHandle::is_finished)
        {
            thread::yield_now();
        }
        for child in &mut children {
            child.stdout.as_mut().unwrap().read_exact(&mut [0; SIGN.len()]).unwrap();
        }
        for edition in 1..=REPLACES {
            // More and fewer pages in turn.
            store(writer, &regulation("angui_2024", edition, 4 + edition % 5));
        }
        done.store(true, Ordering::Release);
        for reader in readers {
            let (_, rounds) = reader.join().unwrap();
            assert!(rounds > 1);
        }
    });
    for mut child in children {
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success(), "a reader in another process saw what it should not");
    }
    assert_eq!(look(library, &read, 0), REPLACES);
}

/// One round: the list is whole, the regulation is whole, and time does not run backwards.
fn look(library: &Library, read: impl Fn(&Library) -> u32, last: u32) -> u32 {
    let listed = library.list().unwrap();
    assert_eq!(listed.len(), 2, "{listed:?}");
    let listed = edition_of(&listed[0].info().unwrap_or_else(|| panic!("{listed:?}")).title);
    assert!(listed >= last);
    let edition = read(library);
    assert!(edition >= listed);
    edition
}

const SIGN: &str = "reading\n";

fn spawn(root: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "readers::child", "--nocapture", "--quiet"]).env(CHILD, root);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // The harness has its own things to say first.
    let mut seen = Vec::new();
    while !seen.ends_with(b"@") {
        let mut byte = [0];
        child.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
        seen.push(byte[0]);
    }
    child
}

/// Not a test of its own: the other process of the test above.
#[test]
fn child() {
    let Some(root) = std::env::var_os(CHILD) else { return };
    let mut stdout = std::io::stdout();
    stdout.write_all(b"@").unwrap();
    stdout.flush().unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&done);
    thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        told.store(true, Ordering::Release);
    });
    let library = open(Path::new(&root));
    let read = |library: &Library| read_whole(&library.reader(&id("angui_2024")).unwrap()).unwrap();
    let mut last = look(&library, read, 0);
    stdout.write_all(SIGN.as_bytes()).unwrap();
    stdout.flush().unwrap();
    while !done.load(Ordering::Acquire) {
        last = look(&library, read, last);
    }
}
