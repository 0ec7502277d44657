//! A writer that is killed, again and again, at whatever it is doing.
//!
//! The writer is this test program started again. It says a byte for every call to the disk; the test counts to a
//! random number and kills it there, so that the moments spread over everything that a writer does without anybody
//! looking at a clock.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use regreader_store::{Disk, Library, OpenOptions, RealDisk};

use crate::common::{Dice, assert_clean, edition_of, id, open, read_whole, regulation, store};

const CHILD: &str = "REGREADER_STORE_WRITER";
const CHILD_SWAP: &str = "REGREADER_STORE_WRITER_SWAP";

#[test]
fn two_hundred_kills_leave_the_old_edition_or_the_new_one() {
    kill_again_and_again(200, "exchange");
}

#[test]
fn a_hundred_kills_without_an_exchange_leave_the_old_edition_or_the_new_one() {
    kill_again_and_again(100, "renames");
}

fn kill_again_and_again(kills: u32, swap: &str) {
    let folder = tempfile::tempdir().unwrap();
    store(&open(folder.path()), &regulation("angui_2024", 0, 8));
    store(&open(folder.path()), &regulation("wengui_2024", 0, 2));
    let mut dice = Dice::new(u64::from(kills));
    let (mut edition, mut torn) = (0, 0);
    for kill in 0..kills {
        let finished = write_and_kill(folder.path(), swap, 1 + dice.roll(90));
        torn += u32::from(folder.path().join("regulations/.staging").exists());
        // Readers of a library that nobody has cleared up, then the next open, which does.
        let library = open(folder.path());
        assert_clean(&library);
        let now = read_whole(&library.reader(&id("angui_2024")).unwrap()).unwrap();
        assert!(
            (edition + finished..=edition + finished + 1).contains(&now),
            "kill {kill}: {edition} and {finished} more, now {now}"
        );
        edition = now;
        assert_eq!(read_whole(&library.reader(&id("wengui_2024")).unwrap()).unwrap(), 0);
        if let Ok(reader) = library.reader(&id("passing")) {
            read_whole(&reader).unwrap();
        }
        assert!(library.list().unwrap().iter().all(|entry| entry.info().is_some()));
    }
    let records = open(folder.path()).audit().tail(usize::MAX).unwrap();
    assert_eq!(records.unreadable, 0);
    assert!(edition > 0, "no replace ever came to its end");
    assert!(torn > kills / 4, "{torn} of {kills} kills hit a writer at work");
}

/// Starts a writer, kills it after so many calls to the disk, and gives how many replaces it had reported as done.
fn write_and_kill(root: &Path, swap: &str, calls: u64) -> u32 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "kills::child", "--nocapture", "--quiet"])
        .env(CHILD, root)
        .env(CHILD_SWAP, swap);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = Vec::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.by_ref().take(calls).read_to_end(&mut told).unwrap();
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    stderr.read_to_end(&mut told).unwrap();
    let told = String::from_utf8_lossy(&told);
    assert!(!told.contains("panicked"), "{told}");
    told.matches('D').count() as u32
}

/// Not a test of its own: the writer that the tests above kill.
#[test]
fn child() {
    let Some(root) = std::env::var_os(CHILD) else { return };
    let exchange = std::env::var(CHILD_SWAP).is_ok_and(|swap| swap == "exchange");
    let library = Library::open(root, OpenOptions::new().disk(Arc::new(TellingDisk { exchange }))).unwrap();
    let mut edition = edition_of(&library.info(&id("angui_2024")).unwrap().title);
    loop {
        edition += 1;
        store(&library, &regulation("angui_2024", edition, 6 + edition % 5));
        tell(b"D");
        store(&library, &regulation("passing", edition, 2));
        library.update_info(&id("angui_2024"), |info| info.scope = Some(format!("scope {edition}"))).unwrap();
        library.delete(&id("passing")).unwrap();
    }
}

fn tell(byte: &[u8]) {
    // When the test has gone, so has the reason to go on.
    if io::stderr().write_all(byte).is_err() {
        std::process::exit(1);
    }
}

/// The real disk, saying when it is used.
#[derive(Debug)]
struct TellingDisk {
    exchange: bool,
}

impl Disk for TellingDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        tell(b".");
        RealDisk.create_dir_all(path)
    }

    fn write_new(&self, path: &Path, content: &mut dyn Read) -> io::Result<()> {
        tell(b".");
        RealDisk.write_new(path, content)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        tell(b".");
        RealDisk.rename(from, to)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        tell(b".");
        if self.exchange { RealDisk.exchange(one, other) } else { Err(io::ErrorKind::Unsupported.into()) }
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        tell(b".");
        RealDisk.sync_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        tell(b".");
        RealDisk.remove_dir(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        tell(b".");
        RealDisk.remove_dir_all(path)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        tell(b".");
        RealDisk.remove_file(path)
    }
}
