//! Damaged files, looping rebuilds and folders that nobody may write to. The same attacks at full size, on the program
//! itself: `cargo xtask bench damage`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use regreader_search::{
    EngineOptions, IndexError, IndexHealth, KeywordBackend, RefreshEvent, SearchEngine, SearchRequest,
    TableSearchRequest,
};
use regreader_store::{Library, OpenOptions};

use crate::common::{HashEmbedder, angui, engine_with, library, wengui};

/// Files of a folder and below, with their contents.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

fn restore(folder: &Path, files: &Files) {
    fs::remove_dir_all(folder).unwrap();
    for (path, bytes) in files {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

struct Attack {
    folder: tempfile::TempDir,
    options: EngineOptions,
    files: Files,
    /// The text of every page and table, without white space.
    truth: String,
}

impl Attack {
    fn new(backend: KeywordBackend) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = EngineOptions { keyword_backend: backend, ..EngineOptions::default() };
        let engine = engine_with(folder.path(), options.clone(), Some(Arc::new(HashEmbedder::new("hash-1"))));
        let mut truth = String::new();
        for id in engine.library().ids().unwrap() {
            let reader = engine.library().reader(&id).unwrap();
            for page in reader.all_pages() {
                let page = page.unwrap();
                let notes = page.annotations.iter().map(|note| note.content.clone());
                truth.extend(
                    page.content_blocks.iter().map(|block| block.content_markdown.clone()).chain(notes),
                );
            }
            for table in reader.tables().unwrap().tables.values() {
                truth.extend(table.caption.iter().chain(&table.col_headers).cloned());
                truth.extend(table.cells.iter().map(|cell| cell.content.clone()));
            }
        }
        drop(engine);
        let files = files(&folder.path().join("index"));
        Self { folder, options, files, truth: plain(&truth) }
    }

    fn library(&self) -> Library {
        Library::open(self.folder.path().join("storage"), OpenOptions::new()).unwrap()
    }

    fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    fn health(&self) -> IndexHealth {
        let embedder: Arc<dyn regreader_embed::Embedder> = Arc::new(HashEmbedder::new("hash-1"));
        SearchEngine::verify(&self.library(), &self.index(), &self.options, Some(&embedder)).unwrap()
    }

    fn engine(&self) -> SearchEngine {
        let embedder = Arc::new(HashEmbedder::new("hash-1"));
        SearchEngine::open(self.library(), &self.index(), self.options.clone(), Some(embedder)).unwrap()
    }

    /// Puts a damaged file in place and does what a person would: asks `doctor`, searches, repairs, asks again.
    fn run(&self, path: &Path, damaged: Option<&[u8]>, what: &str) {
        restore(&self.index(), &self.files);
        match damaged {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        let noticed = !self.health().is_sound();
        let engine = self.engine();
        let mut said = 0;
        engine
            .refresh(&mut |event| said += usize::from(!matches!(event, RefreshEvent::Started { .. })))
            .unwrap();
        for query in ["母线失压", "长南I线北送稳定限额", "天中直流限额 3 台"] {
            let response = engine.search(&SearchRequest::new(query)).unwrap();
            assert!(!response.hits.is_empty(), "{what}: {query} finds nothing");
            for hit in response.hits {
                self.assert_true(&hit.snippet, what);
            }
        }
        for hit in engine.search_tables(&TableSearchRequest::new("天中直流限额")).unwrap().hits {
            self.assert_true(&hit.snippet, what);
        }
        assert!(noticed || said > 0, "{what} was not noticed");
        if !self.health().is_sound() {
            engine.rebuild(&mut |_| {}).unwrap();
            assert!(self.health().is_sound(), "{what} was not mended: {:?}", self.health());
        }
    }

    fn assert_true(&self, snippet: &str, what: &str) {
        for line in snippet.split(['\n', '|', '…']) {
            let line = plain(&line.replace("**", ""));
            assert!(self.truth.contains(&line), "{what}: {line:?} stands on no page");
        }
    }

    /// Files with something in them, apart from locks.
    fn targets(&self) -> Vec<(&PathBuf, &Vec<u8>)> {
        self.files.iter().filter(|(_, bytes)| !bytes.is_empty()).collect()
    }
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The same numbers on every run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn a_flipped_bit_is_noticed_and_shows_nothing_wrong() {
    let attack = Attack::new(KeywordBackend::Tantivy);
    assert!(attack.health().is_sound(), "{:?}", attack.health());
    let mut state = 1;
    let targets = attack.targets();
    for round in 0..60 {
        let (path, bytes) = targets[round % targets.len()];
        let mut flipped = (*bytes).clone();
        let at = random(&mut state) as usize % flipped.len();
        flipped[at] ^= 1 << (random(&mut state) % 8);
        attack.run(path, Some(&flipped), &format!("{} byte {at}", path.display()));
    }
}

#[test]
fn a_torn_file_is_noticed_and_shows_nothing_wrong() {
    for backend in KeywordBackend::EMBEDDED {
        let attack = Attack::new(backend);
        for (at, (path, bytes)) in attack.targets().into_iter().enumerate() {
            let what = path.display().to_string();
            let damaged = match at % 4 {
                0 => Some(bytes[..bytes.len() / 2].to_vec()),
                1 => Some(vec![0; bytes.len()]),
                2 => Some(b"{}".to_vec()),
                _ => None,
            };
            attack.run(path, damaged.as_deref(), &what);
        }
    }
}

#[test]
fn a_missing_state_is_noticed() {
    let attack = Attack::new(KeywordBackend::Tantivy);
    let is_state = |path: &Path| path.display().to_string().contains("state-");
    for (path, _) in attack.targets().into_iter().filter(|(path, _)| is_state(path)) {
        fs::remove_file(path).unwrap();
    }
    let health = attack.health();
    assert!(health.damaged.iter().any(|damage| damage.part == "state"), "{health:?}");
    attack.engine().rebuild(&mut |_| {}).unwrap();
    assert!(attack.health().is_sound(), "{:?}", attack.health());
}

#[test]
fn a_changed_digit_in_the_catalogue_is_never_shown() {
    let attack = Attack::new(KeywordBackend::Tantivy);
    let mut tried = 0;
    for (path, bytes) in attack.targets() {
        if !path.display().to_string().contains("catalog") {
            continue;
        }
        let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
        for at in digits.iter().step_by(digits.len() / 8 + 1) {
            let mut changed = bytes.clone();
            changed[*at] = if changed[*at] == b'9' { b'6' } else { b'9' };
            attack.run(path, Some(&changed), &format!("{} byte {at}", path.display()));
            tried += 1;
        }
    }
    assert!(tried > 4);
}

#[test]
fn readers_find_everything_while_the_indexes_are_built_anew() {
    let folder = tempfile::tempdir().unwrap();
    let writer = engine_with(folder.path(), EngineOptions::default(), None);
    let done = AtomicBool::new(false);
    let open = || {
        let library = Library::open(folder.path().join("storage"), OpenOptions::new()).unwrap();
        SearchEngine::open(library, &folder.path().join("index"), EngineOptions::default(), None).unwrap()
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let reader = open();
                while !done.load(Ordering::Relaxed) {
                    let response = reader.search(&SearchRequest::new("母线失压")).unwrap();
                    assert_eq!(response.hits[0].page_num.get(), 4);
                    let tables = reader.search_tables(&TableSearchRequest::new("天中直流限额")).unwrap();
                    assert!(!tables.hits.is_empty());
                }
            });
        }
        for _ in 0..6 {
            writer.rebuild(&mut |_| {}).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let fresh = open();
    assert!(!fresh.search(&SearchRequest::new("母线失压")).unwrap().hits.is_empty());
}

#[test]
fn what_is_not_indexed_yet_is_said_and_not_called_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_with(folder.path(), EngineOptions::default(), None);
    let mut added = wengui();
    added.info.reg_id = "new_2026".parse().unwrap();
    let rename = serde_json::to_string(&added).unwrap().replace("wengui_2024", "new_2026");
    let added: regreader_model::Regulation = serde_json::from_str(&rename).unwrap();
    engine.library().replace(&added, None).unwrap();
    // Another process has changed the library, and this one notices before the indexes follow.
    let other = Library::open(folder.path().join("storage"), OpenOptions::new()).unwrap();
    let other =
        SearchEngine::open(other, &folder.path().join("index"), EngineOptions::default(), None).unwrap();
    let nothing = other.search(&SearchRequest::new("zzzyyyxxx")).unwrap_err();
    assert!(matches!(nothing, IndexError::Behind { count: 1 }), "{nothing:?}");
    assert!(nothing.hint().is_some());
    let found = other.search(&SearchRequest::new("母线失压")).unwrap();
    assert!(!found.hits.is_empty() && found.notices.iter().any(|notice| notice.contains("索引正在更新")));
    other.refresh(&mut |_| {}).unwrap();
    assert!(other.search(&SearchRequest::new("zzzyyyxxx")).unwrap().hits.is_empty());
}

#[cfg(unix)]
#[test]
fn a_library_without_the_right_to_write_is_searched() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let (root, index) = (folder.path().join("library"), folder.path().join("library/index"));
    drop(library(&root, &[angui("2024"), wengui()]));
    fs::create_dir_all(&index).unwrap();
    let set_mode = |mode| {
        for path in [&root, &index] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    set_mode(0o555);
    if fs::write(root.join("probe"), "").is_ok() {
        if !crate::common::again_as_nobody("damage::a_library_without_the_right_to_write_is_searched") {
            let _ = writeln!(std::io::stderr(), "skipped: this user may write everywhere");
        }
        return;
    }
    let open = |fallback: Option<PathBuf>| {
        let library = Library::open(root.join("storage"), OpenOptions::new()).unwrap();
        let options = EngineOptions { fallback_dir: fallback, ..EngineOptions::default() };
        let engine = SearchEngine::open(library, &index, options, None)?;
        engine.refresh(&mut |_| {})?;
        engine.search(&SearchRequest::new("母线失压"))
    };
    let refused = open(None).unwrap_err();
    let found = open(Some(folder.path().join("cache")));
    set_mode(0o755);
    assert!(refused.hint().is_some(), "{refused}");
    assert!(!found.unwrap().hits.is_empty());
}
