//! The audit log: what was ingested, changed, deleted, carried away, taken in and asked.
//!
//! One JSON object on a line, one file for each month, only ever appended to. A line is written in one call under a
//! short lock, so lines of several processes never mix; a line that was torn by a full disk or a power cut is closed
//! before the next one is written, and skipped and counted when the log is read. What people typed is cut to a bounded
//! length and anything that looks like a secret is masked before it gets here.

mod event;
mod redact;

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::clock;
use crate::error::StoreError;
use crate::library::children;

pub use event::AuditEvent;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// When, RFC 3339 in UTC.
    pub time: String,
    /// Who acted: `cli`, `web`, a user's name.
    pub actor: String,
    /// What was done.
    #[serde(flatten)]
    pub event: AuditEvent,
}

/// The last records of a log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuditPage {
    /// Records, oldest first.
    pub records: Vec<AuditRecord>,
    /// Lines among them that could not be read: torn, or not ours.
    pub unreadable: usize,
}

/// A log in a folder, which is made with the first record.
///
/// ```
/// use regreader_store::{AuditEvent, AuditLog};
/// # fn main() -> Result<(), regreader_store::StoreError> {
/// # let folder = tempfile::tempdir().unwrap();
/// let log = AuditLog::new(folder.path().join("audit"), "cli");
/// log.append(AuditEvent::Asked {
///     question: "母线失压如何处置？ api_key=hunter2hunter2".to_owned(),
///     reg_ids: vec!["angui_2024".parse().unwrap()],
///     by: "ask".to_owned(),
///     outcome: "answered".to_owned(),
/// })?;
/// let line = serde_json::to_string(&log.tail(1)?.records[0]).unwrap();
/// assert!(line.contains("母线失压") && !line.contains("hunter2"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct AuditLog {
    folder: PathBuf,
    actor: String,
}

/// Longer lines are not ours: an event is bounded to a few thousand characters.
const MAX_LINE_BYTES: u64 = 64 << 10;

impl AuditLog {
    /// The log in this folder, written to in this actor's name.
    pub fn new(folder: impl Into<PathBuf>, actor: impl AsRef<str>) -> Self {
        Self { folder: folder.into(), actor: event::bounded(actor.as_ref(), 64) }
    }

    /// The same log, written to in another actor's name.
    #[must_use]
    pub fn acting_as(&self, actor: impl AsRef<str>) -> Self {
        Self::new(&self.folder, actor)
    }

    /// Adds one record, dated now.
    pub fn append(&self, event: AuditEvent) -> Result<(), StoreError> {
        self.append_at(event, clock::now())
    }

    fn append_at(&self, event: AuditEvent, time: String) -> Result<(), StoreError> {
        let month: String = time.chars().take(7).collect();
        let path = self.folder.join(format!("{month}.jsonl"));
        let lasting = event.is_change();
        let record = AuditRecord { time, actor: self.actor.clone(), event: event.bounded() };
        self.write_line(&path, &record, lasting).map_err(|error| StoreError::writing(&path, error))
    }

    /// The last `limit` records, oldest first.
    pub fn tail(&self, limit: usize) -> Result<AuditPage, StoreError> {
        let mut page = AuditPage::default();
        let mut older: VecDeque<AuditRecord> = VecDeque::new();
        for path in self.files()?.iter().rev() {
            let wanted = limit - older.len();
            if wanted == 0 {
                break;
            }
            let mut last: VecDeque<AuditRecord> = VecDeque::new();
            read_lines(path, |line| match serde_json::from_slice(line) {
                Ok(record) => {
                    last.push_back(record);
                    if last.len() > wanted {
                        last.pop_front();
                    }
                }
                Err(_) => page.unreadable += 1,
            })
            .map_err(|error| StoreError::reading(path, error))?;
            last.append(&mut older);
            older = last;
        }
        page.records = older.into();
        Ok(page)
    }

    /// The files of the log, oldest month first.
    pub fn files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let is_month = |name: &str| {
            name.strip_suffix(".jsonl").is_some_and(|month| {
                month.len() == 7 && month.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
            })
        };
        let found = children(&self.folder)?;
        Ok(found.into_iter().filter(|(name, _)| is_month(name)).map(|(_, path)| path).collect())
    }

    fn write_line(&self, path: &Path, record: &AuditRecord, lasting: bool) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut file = match open_log(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(&self.folder)?;
                open_log(path)?
            }
            opened => opened?,
        };
        // Where locks are not to be had, appending whole lines is what is left, and on a local disk it is enough.
        let _ = file.lock();
        let length = file.seek(SeekFrom::End(0))?;
        if length > 0 {
            file.seek(SeekFrom::Start(length - 1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                line.insert(0, b'\n');
            }
        }
        // A line that does not fit leaves nothing behind.
        file.write_all(&line).inspect_err(|_| drop(file.set_len(length)))?;
        if lasting { file.sync_data() } else { Ok(()) }
    }
}

/// Readable by its owner only: it holds what people asked.
fn open_log(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // The mode counts for a new file only; one of an earlier version may be open to everybody.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            // Another user's file is written to as it is.
            let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
        }
    }
    Ok(file)
}

/// Calls `each` with every line; one that is too long is given cut short, and so is unreadable.
fn read_lines(path: &Path, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.last() != Some(&b'\n') {
            reader.skip_until(b'\n')?;
        }
        let text = line.trim_ascii();
        if !text.is_empty() {
            each(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str) -> AuditEvent {
        AuditEvent::Asked {
            question: question.to_owned(),
            reg_ids: vec!["angui_2024".parse().unwrap()],
            by: "smart_search".to_owned(),
            outcome: "3 hits".to_owned(),
        }
    }

    #[test]
    fn months_follow_each_other_and_the_last_records_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::new(folder.path().join("audit"), "cli");
        assert_eq!(log.tail(10).unwrap(), AuditPage::default());
        for (index, time) in
            ["2026-10-31T23:59:59Z", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"].into_iter().enumerate()
        {
            log.acting_as("web").append_at(asked(&format!("问题{index}")), time.to_owned()).unwrap();
        }
        assert_eq!(log.files().unwrap().len(), 2);
        let questions = |limit| -> Vec<String> {
            let records = log.tail(limit).unwrap().records;
            records
                .into_iter()
                .map(|record| match record {
                    AuditRecord { event: AuditEvent::Asked { question, .. }, actor, .. }
                        if actor == "web" =>
                    {
                        question
                    }
                    other => panic!("{other:?}"),
                })
                .collect()
        };
        assert_eq!(questions(10), ["问题0", "问题1", "问题2"]);
        assert_eq!(questions(2), ["问题1", "问题2"]);
        assert_eq!(questions(0), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn a_log_that_others_could_read_is_closed_to_them() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::new(folder.path(), "cli");
        log.append(asked("一")).unwrap();
        let path = log.files().unwrap().remove(0);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        log.append(asked("二")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_torn_line_is_counted_and_does_not_swallow_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::new(folder.path(), "cli");
        log.append(asked("一")).unwrap();
        let path = log.files().unwrap().remove(0);
        let torn = br#"{"time":"2026-11-02T00:00:00Z","actor":"cl"#;
        OpenOptions::new().append(true).open(&path).unwrap().write_all(torn).unwrap();
        log.append(asked("二")).unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(&vec![b'x'; 200_000]).unwrap();
        log.append(asked("三")).unwrap();
        let page = log.tail(100).unwrap();
        assert_eq!((page.records.len(), page.unreadable), (3, 2));
    }

    #[test]
    fn what_people_type_is_bounded_and_secrets_are_masked() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::new(folder.path(), "x".repeat(1000));
        let question = format!("用 sk-abcdefghij0123456789 查母线失压 {}", "长".repeat(100_000));
        log.append(asked(&question)).unwrap();
        let text = fs::read_to_string(&log.files().unwrap()[0]).unwrap();
        assert!(text.len() < 8_000, "{}", text.len());
        assert!(text.contains("母线失压") && !text.contains("abcdefghij"), "{text}");
    }

    #[test]
    fn many_writers_never_mix_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let log = AuditLog::new(folder.path(), format!("writer{writer}"));
                scope
                    .spawn(move || (0..50).for_each(|i| log.append(asked(&format!("{i}")).clone()).unwrap()));
            }
        });
        let page = AuditLog::new(folder.path(), "reader").tail(usize::MAX).unwrap();
        assert_eq!((page.records.len(), page.unreadable), (400, 0));
    }
}
