//! Conversations on disk: resumed, listed, exported, deleted.
//!
//! A session is one file of JSON lines that is only ever appended to. Each line is written in one call, so a kill at any
//! moment loses at most the line being written; a torn last line is closed and skipped. Reading a session back gives the
//! conversation up to the last finished event, and the question that was still open.

mod export;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use regreader_messages::agents;
use regreader_tools::now;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AgentKind, Conversation, Event, Memory, Reply};

/// Longest line that is read back.
const MAX_LINE: u64 = 16 << 20;

/// One line of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "record")]
pub enum Record {
    /// The session begins.
    Begun {
        /// When, RFC 3339 in UTC.
        time: String,
    },
    /// The person asks.
    Question {
        /// Time of the record, RFC 3339.
        time: String,
        /// What was said or happened.
        text: String,
        /// Agent that was asked.
        agent: AgentKind,
    },
    /// Something happened on the way.
    Event {
        /// What was said or happened.
        #[serde(flatten)]
        event: Event,
    },
    /// The agent answered.
    Answer {
        /// Time of the record, RFC 3339.
        time: String,
        /// The answer.
        reply: Box<Reply>,
    },
    /// The turn ended without an answer.
    Failed {
        /// Cause, for a person.
        reason: String,
    },
    /// What is remembered of the reading.
    Remembered {
        /// The working memory.
        memory: Memory,
    },
    /// The person began anew.
    Reset,
}

/// What went wrong with a session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// No session has this name.
    #[error("{}", agents::no_session(.0))]
    NotFound(String),
    /// The file cannot be read or written.
    #[error("{}", agents::session_io(name, source))]
    Io {
        /// Name of the session.
        name: String,
        /// The system's own error.
        source: io::Error,
    },
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionInfo {
    /// Its name.
    pub id: String,
    /// When it began.
    pub begun: String,
    /// Questions asked.
    pub questions: usize,
    /// The first question.
    pub title: String,
    /// The last question has no answer.
    pub unfinished: bool,
}

/// All sessions of a folder, which is made with the first.
#[derive(Debug, Clone)]
pub struct Sessions {
    folder: PathBuf,
}

/// Questions and answers are their owner's: nobody else may read the file.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Files of earlier versions could be read by everybody. Where it cannot be changed, the file is read as it is.
fn keep_private(file: &File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        if file.metadata().is_ok_and(|found| found.permissions().mode() & 0o077 != 0) {
            let _ = file.set_permissions(fs::Permissions::from_mode(0o600));
        }
    }
    #[cfg(not(unix))]
    let _ = file;
}

impl Sessions {
    /// The sessions in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Begins a session.
    pub fn begin(&self) -> Result<Session, SessionError> {
        let now = now();
        let base: String = now.chars().filter(char::is_ascii_digit).take(14).collect();
        fs::create_dir_all(&self.folder).map_err(|source| SessionError::Io { name: base.clone(), source })?;
        for number in 0..10_000 {
            let id = if number == 0 { base.clone() } else { format!("{base}-{number}") };
            match private(OpenOptions::new().append(true).create_new(true)).open(self.path(&id)) {
                Ok(file) => {
                    let mut session = Session { id, file: Some(file), records: Vec::new() };
                    session.append(Record::Begun { time: now })?;
                    return Ok(session);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(SessionError::Io { name: id, source }),
            }
        }
        Err(SessionError::NotFound(base))
    }

    /// Opens a session to go on with it. `last` is the newest.
    pub fn open(&self, id: &str) -> Result<Session, SessionError> {
        let mut session = self.read(id)?;
        let path = self.path(&session.id);
        let failed = |source| SessionError::Io { name: session.id.clone(), source };
        let mut file = OpenOptions::new().read(true).append(true).open(path).map_err(failed)?;
        // A torn line is closed, so that the next one stands alone.
        if file.metadata().map_err(failed)?.len() > 0 {
            file.seek(SeekFrom::End(-1)).map_err(failed)?;
            let mut last = [0];
            file.read_exact(&mut last).map_err(failed)?;
            if last != [b'\n'] {
                file.write_all(b"\n").map_err(failed)?;
            }
        }
        session.file = Some(file);
        Ok(session)
    }

    /// Reads a session.
    pub fn read(&self, id: &str) -> Result<Session, SessionError> {
        let id = if id == "last" {
            self.ids()?.pop().ok_or_else(|| SessionError::NotFound(id.to_owned()))?
        } else {
            id.to_owned()
        };
        if !is_id(&id) {
            return Err(SessionError::NotFound(id));
        }
        let file = match File::open(self.path(&id)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(SessionError::NotFound(id)),
            Err(source) => return Err(SessionError::Io { name: id, source }),
        };
        keep_private(&file);
        let records = read_lines(file).map_err(|source| SessionError::Io { name: id.clone(), source })?;
        Ok(Session { id, file: None, records })
    }

    /// Every session, oldest first. One that cannot be read is left out.
    pub fn list(&self) -> Result<Vec<SessionInfo>, SessionError> {
        let ids = self.ids()?;
        Ok(ids.iter().filter_map(|id| self.read(id).ok()).map(|session| session.info()).collect())
    }

    /// Deletes a session.
    pub fn delete(&self, id: &str) -> Result<(), SessionError> {
        let session = self.read(id)?;
        fs::remove_file(self.path(&session.id))
            .map_err(|source| SessionError::Io { name: session.id, source })
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.jsonl"))
    }

    fn ids(&self) -> Result<Vec<String>, SessionError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(SessionError::Io { name: self.folder.display().to_string(), source }),
        };
        let name = |path: &Path| path.file_name()?.to_str()?.strip_suffix(".jsonl").map(str::to_owned);
        let mut ids: Vec<String> =
            entries.filter_map(|entry| name(&entry.ok()?.path())).filter(|id| is_id(id)).collect();
        ids.sort();
        Ok(ids)
    }
}

/// A name that cannot leave the folder.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 40 && id.chars().all(|c| c.is_ascii_digit() || c == '-')
}

/// Records of a file; lines that are torn or not ours are skipped.
fn read_lines(file: File) -> io::Result<Vec<Record>> {
    let mut reader = BufReader::new(file);
    let mut records = Vec::new();
    loop {
        let mut line = Vec::new();
        if reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(records);
        }
        if let Ok(record) = serde_json::from_slice(&line) {
            records.push(record);
        }
    }
}

/// One conversation.
#[derive(Debug)]
pub struct Session {
    /// Its name.
    pub id: String,
    file: Option<File>,
    records: Vec<Record>,
}

impl Session {
    /// Writes a record. It is on its way to the disk when this returns; answers are synced.
    pub fn append(&mut self, record: Record) -> Result<(), SessionError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let failed = |source| SessionError::Io { name: self.id.clone(), source };
        let mut line = serde_json::to_vec(&record).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        file.write_all(&line).map_err(failed)?;
        if matches!(record, Record::Answer { .. } | Record::Question { .. }) {
            file.sync_data().map_err(failed)?;
        }
        self.records.push(record);
        Ok(())
    }

    /// Notes a question.
    pub fn ask(&mut self, text: &str, agent: AgentKind) -> Result<(), SessionError> {
        self.append(Record::Question { time: now(), text: text.to_owned(), agent })
    }

    /// Notes an answer and what is remembered with it.
    pub fn answer(&mut self, reply: &Reply, memory: &Memory) -> Result<(), SessionError> {
        self.append(Record::Answer { time: now(), reply: Box::new(reply.clone()) })?;
        self.append(Record::Remembered { memory: memory.clone() })
    }

    /// Everything in it.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The conversation since the last reset.
    pub fn conversation(&self) -> Conversation {
        let mut conversation = Conversation::default();
        let mut open: Option<&str> = None;
        for record in &self.records {
            match record {
                Record::Question { text, .. } => open = Some(text),
                Record::Answer { reply, .. } => {
                    conversation.say(true, open.take().unwrap_or(&reply.answer.question));
                    conversation.say(false, reply.answer.to_text());
                }
                Record::Remembered { memory } => conversation.memory = memory.clone(),
                Record::Reset => conversation.reset(),
                Record::Begun { .. } | Record::Event { .. } | Record::Failed { .. } => {}
            }
        }
        conversation
    }

    /// The last question, when it was neither answered nor given up, with the last checkpoint on the way.
    pub fn unfinished(&self) -> Option<(String, AgentKind, Option<Value>)> {
        let mut open: Option<(String, AgentKind, Option<Value>)> = None;
        for record in &self.records {
            match record {
                Record::Question { text, agent, .. } => open = Some((text.clone(), *agent, None)),
                Record::Event { event: Event::Checkpoint { state, .. } } => {
                    if let Some((_, _, checkpoint)) = &mut open {
                        *checkpoint = Some(state.clone());
                    }
                }
                Record::Answer { .. } | Record::Failed { .. } | Record::Reset => open = None,
                _ => {}
            }
        }
        open
    }

    /// The session in a list.
    pub fn info(&self) -> SessionInfo {
        let questions = || {
            self.records.iter().filter_map(|record| match record {
                Record::Question { text, .. } => Some(text),
                _ => None,
            })
        };
        let begun = self.records.iter().find_map(|record| match record {
            Record::Begun { time } => Some(time.clone()),
            _ => None,
        });
        SessionInfo {
            id: self.id.clone(),
            begun: begun.unwrap_or_default(),
            questions: questions().count(),
            title: questions().next().map(|text| text.chars().take(60).collect()).unwrap_or_default(),
            unfinished: self.unfinished().is_some(),
        }
    }

    /// The session as Markdown, with its citations.
    pub fn to_markdown(&self) -> String {
        export::markdown(self)
    }
}

#[cfg(test)]
mod tests;
