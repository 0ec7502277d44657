//! The keyword index in SQLite: the same tokens in an FTS5 table.
//!
//! SQLite tokenises by its own rules, so our tokens are written in characters that its `ascii` tokenizer leaves alone
//! and joined by spaces. The table keeps no text, only postings. Readers and writers of several processes are SQLite's
//! own business (write-ahead log).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use regreader_messages::errors;
use regreader_model::{BlockId, PageNumber, RegId};
use regreader_text::QueryTokens;
use rusqlite::types::Value;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params,
    params_from_iter,
};

use super::{KeywordIndex, Reading, Replacement, reading};
use crate::storage::disk::{self, WriterLock};
use crate::storage::seal::{self, Depth};
use crate::{DocumentKey, Filter, IndexError, Scored};

const NAME: &str = "fts5";
const FORMAT: &str = "1";
const BUSY: Duration = Duration::from_mins(1);

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS regulation (reg_id TEXT PRIMARY KEY, content_hash TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS document (
        id INTEGER PRIMARY KEY, reg_id TEXT NOT NULL, page INTEGER NOT NULL, block_id TEXT NOT NULL,
        block_type TEXT NOT NULL, section TEXT);
    CREATE INDEX IF NOT EXISTS document_of ON document (reg_id);
    CREATE TABLE IF NOT EXISTS place (
        reg_id TEXT NOT NULL, node TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (reg_id, node, id)) WITHOUT ROWID;
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
        body, extra, head, content='', contentless_delete=1, tokenize='ascii');
    CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(words, 'row');
";

/// Tokens in SQLite.
pub struct Fts5Index {
    folder: PathBuf,
    path: PathBuf,
    mark: String,
    connection: Mutex<Connection>,
    reading: Arc<Reading>,
}

impl Fts5Index {
    /// Opens the index in a folder, making one where there is none. One that was made by another way of reading text
    /// is corrupt for us.
    pub fn open(folder: &Path, reading: Arc<Reading>) -> Result<Self, IndexError> {
        let path = folder.join("words.sqlite");
        let mark = format!("{FORMAT} {}", reading.token_mark());
        let is_new = || !path.exists() && !seal::exists(folder);
        if is_new() {
            let _lock = WriterLock::acquire(folder)?;
            if is_new() {
                let connection = connect(&path, &mark).map_err(|error| torn(&path, &error))?;
                sealed(folder, &path, &connection)?;
            }
        }
        seal::check_at_rest(folder, Depth::Quick)?;
        let connection = connect(&path, &mark).map_err(|error| torn(&path, &error))?;
        let there: String = connection
            .query_row("SELECT value FROM about WHERE name = 'mark'", [], |row| row.get(0))
            .map_err(|error| torn(&path, &error))?;
        if there != mark {
            return Err(IndexError::corrupt(&path, errors::OTHER_TOKENS));
        }
        Ok(Self { folder: folder.to_owned(), path, mark, connection: Mutex::new(connection), reading })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), IndexError> {
        let _lock = WriterLock::acquire(&self.folder)?;
        let mut connection = self.connection();
        let run = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            change(&transaction)?;
            transaction.commit()
        };
        run(&mut connection).map_err(|error| torn(&self.path, &error))?;
        sealed(&self.folder, &self.path, &connection)
    }

    fn insert(&self, transaction: &Transaction<'_>, one: &Replacement<'_>) -> rusqlite::Result<()> {
        let reg_id = one.reg_id.as_str();
        let mut document = transaction.prepare_cached(
            "INSERT INTO document (reg_id, page, block_id, block_type, section) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        let mut words = transaction
            .prepare_cached("INSERT INTO words (rowid, body, extra, head) VALUES (?1, ?2, ?3, ?4)")?;
        let mut place = transaction
            .prepare_cached("INSERT OR IGNORE INTO place (reg_id, node, id) VALUES (?1, ?2, ?3)")?;
        for one in one.documents {
            let section = one.section_number.as_ref().map(regreader_model::ClauseNumber::as_str);
            document.execute(params![
                reg_id,
                one.key.page_num.get(),
                one.key.block_id.as_str(),
                one.block_type.name(),
                section
            ])?;
            let id = transaction.last_insert_rowid();
            let (body, extra) = self.columns(&one.text);
            let (head, head_extra) = self.columns(&reading::head(one));
            words.execute(params![id, body, extra, format!("{head} {head_extra}")])?;
            for node in &one.ancestry {
                place.execute(params![reg_id, node.as_str(), id])?;
            }
        }
        Ok(())
    }

    /// One basic token for each place, so that phrases can be found, and all others beside them.
    fn columns(&self, text: &str) -> (String, String) {
        let (mut body, mut extra) = (String::new(), String::new());
        let mut last = None;
        self.reading.tokenizer().visit(text, |token| {
            let basic = !token.kind.is_extra() && last != Some(token.position);
            if basic {
                last = Some(token.position);
            }
            let column = if basic { &mut body } else { &mut extra };
            push_encoded(column, token.text);
            column.push(' ');
        });
        (body, extra)
    }
}

impl KeywordIndex for Fts5Index {
    fn name(&self) -> &'static str {
        NAME
    }

    fn built_from(&self) -> Result<BTreeMap<RegId, String>, IndexError> {
        let connection = self.connection();
        let rows = || {
            let mut statement = connection.prepare_cached("SELECT reg_id, content_hash FROM regulation")?;
            let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = rows().map_err(|error| torn(&self.path, &error))?;
        Ok(rows.into_iter().filter_map(|(reg_id, hash)| Some((reg_id.parse().ok()?, hash))).collect())
    }

    fn replace(&self, batch: &[Replacement<'_>]) -> Result<(), IndexError> {
        self.change(|transaction| {
            for one in batch {
                delete(transaction, one.reg_id)?;
                self.insert(transaction, one)?;
                transaction.execute(
                    "INSERT INTO regulation (reg_id, content_hash) VALUES (?1, ?2)",
                    params![one.reg_id.as_str(), one.content_hash],
                )?;
            }
            Ok(())
        })
    }

    fn delete_regulation(&self, reg_id: &RegId) -> Result<(), IndexError> {
        self.change(|transaction| delete(transaction, reg_id))
    }

    fn reload(&self) -> Result<(), IndexError> {
        // Every statement reads the newest committed state; but the file may be another one by now.
        if !WriterLock::is_held(&self.folder) {
            seal::check_at_rest(&self.folder, Depth::Quick)?;
        }
        let connection = connect(&self.path, &self.mark).map_err(|error| torn(&self.path, &error))?;
        *self.connection() = connection;
        Ok(())
    }

    fn verify(&self) -> Result<(), IndexError> {
        seal::check_at_rest(&self.folder, Depth::Full)
    }

    fn search(&self, query: &str, filter: &Filter, limit: usize) -> Result<Scored, IndexError> {
        let Some(expression) = expression(&reading::read_query(self.reading.tokenizer(), query)) else {
            return Ok(Vec::new());
        };
        let (condition, mut values) = condition(filter);
        let sql = format!(
            "SELECT d.reg_id, d.page, d.block_id, -bm25(words, 1.0, 1.0, {}) AS score
             FROM words JOIN document d ON d.id = words.rowid
             WHERE words MATCH ?1{condition} ORDER BY score DESC, d.reg_id, d.page, d.block_id LIMIT {}",
            reading::HEAD_WEIGHT,
            limit.min(100_000),
        );
        values.insert(0, Value::Text(expression));
        let connection = self.connection();
        let rows = || {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(values), |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get::<_, u32>(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, f64>(3)?,
                ))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = rows().map_err(|error| torn(&self.path, &error))?;
        let hit = |(reg_id, page, block_id, score): (String, u32, String, f64)| {
            let page_num = PageNumber::new(page)?;
            let key =
                DocumentKey { reg_id: reg_id.parse().ok()?, page_num, block_id: BlockId::new(block_id) };
            Some((key, score as f32))
        };
        Ok(rows.into_iter().filter_map(hit).collect())
    }

    fn weights(&self, query: &str) -> Result<Vec<(String, f32)>, IndexError> {
        let read = reading::read_query(self.reading.tokenizer(), query);
        let connection = self.connection();
        let look = || {
            let total: i64 = connection.query_row("SELECT count(*) FROM document", [], |row| row.get(0))?;
            let mut statement = connection.prepare_cached("SELECT doc FROM vocabulary WHERE term = ?1")?;
            let mut weights = Vec::with_capacity(read.tokens.len());
            for token in &read.tokens {
                let having: Option<i64> =
                    statement.query_row([encoded(&token.text)], |row| row.get(0)).optional()?;
                let weight = token.weight * reading::rarity(total as u64, having.unwrap_or(0) as u64);
                weights.push((token.text.clone(), weight));
            }
            Ok(weights)
        };
        look().map_err(|error: rusqlite::Error| torn(&self.path, &error))
    }
}

/// Brings the log into the database, so that one file holds everything, and seals it. Only the holder of the folder's
/// lock calls this. A database that a reader keeps from being brought in line stays unsealed, and is built anew when it is
/// next opened.
fn sealed(folder: &Path, path: &Path, connection: &Connection) -> Result<(), IndexError> {
    let busy: i64 = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        .map_err(|error| torn(path, &error))?;
    if busy == 0 { seal::write(folder, |_| false) } else { seal::remove(folder) }
}

fn connect(path: &Path, mark: &str) -> rusqlite::Result<Connection> {
    if let Err(error) = fs::OpenOptions::new().write(true).open(path)
        && disk::cannot_write(&error)
    {
        return connect_to_read(path);
    }
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute_batch(TABLES)?;
    connection.execute("INSERT OR IGNORE INTO about (name, value) VALUES ('mark', ?1)", [mark])?;
    Ok(connection)
}

/// Opens a database in a folder that nobody can write to. SQLite would want to make its shared memory there.
fn connect_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let mut address = String::from("file:");
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address.push_str("?immutable=1");
    Connection::open_with_flags(address, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)
}

fn delete(transaction: &Transaction<'_>, reg_id: &RegId) -> rusqlite::Result<()> {
    let reg_id = reg_id.as_str();
    transaction
        .execute("DELETE FROM words WHERE rowid IN (SELECT id FROM document WHERE reg_id = ?1)", [reg_id])?;
    transaction.execute("DELETE FROM place WHERE reg_id = ?1", [reg_id])?;
    transaction.execute("DELETE FROM document WHERE reg_id = ?1", [reg_id])?;
    transaction.execute("DELETE FROM regulation WHERE reg_id = ?1", [reg_id])?;
    Ok(())
}

/// The query in FTS5's language: any of the words, and each phrase once more as a whole.
fn expression(read: &QueryTokens) -> Option<String> {
    let mut parts: Vec<String> =
        read.tokens.iter().map(|token| format!("\"{}\"", encoded(&token.text))).collect();
    for phrase in &read.phrases {
        let tokens: Vec<String> = phrase.iter().map(|token| encoded(token)).collect();
        parts.push(format!("\"{}\"", tokens.join(" ")));
    }
    (!parts.is_empty()).then(|| parts.join(" OR "))
}

/// The filter as SQL behind `WHERE …`, with its values from `?2` on.
fn condition(filter: &Filter) -> (String, Vec<Value>) {
    let (mut sql, mut values) = (String::new(), Vec::new());
    let mut slot = |value: &str| {
        values.push(Value::Text(value.to_owned()));
        format!("?{}", values.len() + 1)
    };
    if let Some(regulations) = &filter.regulations {
        let slots: Vec<String> = regulations.iter().map(|reg_id| slot(reg_id.as_str())).collect();
        let _ = write!(sql, " AND d.reg_id IN ({})", slots.join(", "));
    }
    if !filter.block_types.is_empty() {
        let slots: Vec<String> = filter.block_types.iter().map(|kind| slot(kind.name())).collect();
        let _ = write!(sql, " AND d.block_type IN ({})", slots.join(", "));
    }
    if let Some(number) = &filter.section_number {
        let _ = write!(sql, " AND d.section = {}", slot(number.as_str()));
    }
    if let Some(scope) = &filter.scope {
        let pairs: Vec<String> = scope
            .iter()
            .map(|(reg_id, node)| {
                format!("(reg_id = {} AND node = {})", slot(reg_id.as_str()), slot(node.as_str()))
            })
            .collect();
        let places = if pairs.is_empty() { "0".to_owned() } else { pairs.join(" OR ") };
        let _ = write!(sql, " AND d.id IN (SELECT id FROM place WHERE {places})");
    }
    (sql, values)
}

fn encoded(token: &str) -> String {
    let mut out = String::with_capacity(token.len());
    push_encoded(&mut out, token);
    out
}

/// The `ascii` tokenizer splits at ASCII characters that are no letters or digits and leaves all others alone, so
/// those are moved out of its sight.
fn push_encoded(out: &mut String, token: &str) {
    out.extend(token.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() || !c.is_ascii() => c,
        c => char::from_u32(0xE000 + u32::from(c)).unwrap_or(c),
    }));
}

fn torn(path: &Path, error: &rusqlite::Error) -> IndexError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            IndexError::corrupt(path, error.to_string())
        }
        _ => IndexError::backend(NAME, error),
    }
}
