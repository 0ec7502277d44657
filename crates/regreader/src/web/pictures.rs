//! Pictures of pages: drawn in processes of their own, within bounds, and kept.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use regreader_web::{Failure, FailureKind};

use super::drawing::DrawRequest;

/// Longest time that a page may take. A page of text takes about a thirtieth of a second, a scan a tenth.
const DRAWING: Duration = Duration::from_secs(8);
/// Requests that may wait for a free process.
const MAX_WAITING: usize = 64;
/// Largest picture that is taken from a process.
const MAX_PNG: usize = 32 << 20;
/// Pictures that are kept, in bytes.
const MAX_KEPT: usize = 96 << 20;

/// Draws pages and keeps what was drawn.
pub struct Pictures {
    /// How a drawing process is started.
    start: Box<dyn Fn() -> Command + Send + Sync>,
    idle: Mutex<Desk>,
    freed: Condvar,
    kept: Mutex<Kept>,
}

struct Desk {
    workers: Vec<Worker>,
    /// Processes that may still be started or are idle.
    free: usize,
    waiting: usize,
}

#[derive(Default)]
struct Kept {
    pictures: VecDeque<(String, Arc<Vec<u8>>)>,
    bytes: usize,
}

impl Pictures {
    /// Draws with processes that `start` makes, so many at the same time.
    pub fn new(at_once: usize, start: impl Fn() -> Command + Send + Sync + 'static) -> Self {
        Self {
            start: Box::new(start),
            idle: Mutex::new(Desk { workers: Vec::new(), free: at_once.max(1), waiting: 0 }),
            freed: Condvar::new(),
            kept: Mutex::default(),
        }
    }

    /// The picture of a page. `key` names it and everything it depends on.
    pub fn draw(&self, key: &str, request: &DrawRequest) -> Result<Arc<Vec<u8>>, Failure> {
        if let Some(known) = self.known(key) {
            return Ok(known);
        }
        let worker = self.take()?;
        // Somebody else may have drawn it while this request waited.
        if let Some(known) = self.known(key) {
            self.give(worker);
            return Ok(known);
        }
        let mut worker = match worker.map_or_else(|| Worker::start((self.start)()), Ok) {
            Ok(worker) => worker,
            Err(error) => {
                self.give(None);
                return Err(Failure::new(FailureKind::NotDrawable, error.kind().to_string()));
            }
        };
        let drawn = worker.ask(request);
        // After silence or a broken pipe the process is ended; the next request starts another.
        let healthy = !matches!(drawn, Err(Trouble::Lost(_)));
        self.give(healthy.then_some(worker));
        match drawn {
            Ok(png) => Ok(self.keep(key, png)),
            Err(Trouble::Lost(reason) | Trouble::Refused(reason)) => {
                Err(Failure::new(FailureKind::NotDrawable, reason))
            }
        }
    }

    fn known(&self, key: &str) -> Option<Arc<Vec<u8>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.pictures.iter().position(|(known, _)| known == key)?;
        let entry = kept.pictures.remove(at)?;
        kept.pictures.push_back(entry.clone());
        Some(entry.1)
    }

    fn keep(&self, key: &str, png: Vec<u8>) -> Arc<Vec<u8>> {
        let png = Arc::new(png);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += png.len();
        kept.pictures.push_back((key.to_owned(), Arc::clone(&png)));
        while kept.bytes > MAX_KEPT {
            let Some((_, oldest)) = kept.pictures.pop_front() else { break };
            kept.bytes -= oldest.len();
        }
        png
    }

    /// A place to draw, with the process that is there already, if one is.
    fn take(&self) -> Result<Option<Worker>, Failure> {
        let mut desk = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if desk.waiting >= MAX_WAITING {
            return Err(Failure::new(FailureKind::Busy, "too many pages are being drawn"));
        }
        desk.waiting += 1;
        while desk.free == 0 {
            desk = self.freed.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
        desk.waiting -= 1;
        desk.free -= 1;
        Ok(desk.workers.pop())
    }

    fn give(&self, worker: Option<Worker>) {
        let mut desk = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        desk.workers.extend(worker);
        desk.free += 1;
        drop(desk);
        self.freed.notify_one();
    }
}

/// Why there is no picture.
enum Trouble {
    /// The process is gone, or says nothing.
    Lost(String),
    /// The process says that it cannot.
    Refused(String),
}

/// A drawing process. Ended when dropped.
struct Worker {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<io::Result<Result<Vec<u8>, String>>>,
}

impl Worker {
    fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (send, answers) = mpsc::channel();
        std::thread::Builder::new().name("drawing".to_owned()).spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let answer = read_answer(&mut stdout);
                let is_over = answer.is_err();
                if send.send(answer).is_err() || is_over {
                    break;
                }
            }
        })?;
        Ok(Self { child, stdin, answers })
    }

    fn ask(&mut self, request: &DrawRequest) -> Result<Vec<u8>, Trouble> {
        let lost = |error: io::Error| Trouble::Lost(error.kind().to_string());
        let mut line = serde_json::to_vec(request).map_err(|error| Trouble::Refused(error.to_string()))?;
        line.push(b'\n');
        self.stdin.write_all(&line).and_then(|()| self.stdin.flush()).map_err(lost)?;
        match self.answers.recv_timeout(DRAWING) {
            Ok(Ok(Ok(png))) => Ok(png),
            Ok(Ok(Err(message))) => Err(Trouble::Refused(message)),
            Ok(Err(error)) => Err(lost(error)),
            Err(RecvTimeoutError::Timeout) => Err(Trouble::Lost("drawing took too long".to_owned())),
            Err(RecvTimeoutError::Disconnected) => Err(Trouble::Lost("the drawing process ended".to_owned())),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It holds nothing that could be lost; one that is gone already needs no ending.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_answer(stdout: &mut BufReader<impl Read>) -> io::Result<Result<Vec<u8>, String>> {
    let mut line = String::new();
    stdout.by_ref().take(4096).read_line(&mut line)?;
    let line = line.trim_end();
    if let Some(message) = line.strip_prefix("error ") {
        return Ok(Err(message.to_owned()));
    }
    let length = line.strip_prefix("ok ").and_then(|length| length.parse::<usize>().ok());
    let length = length.filter(|length| *length <= MAX_PNG).ok_or(io::ErrorKind::InvalidData)?;
    let mut png = vec![0; length];
    stdout.read_exact(&mut png)?;
    Ok(Ok(png))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &'static str) -> Pictures {
        Pictures::new(1, move || {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        })
    }

    fn request() -> DrawRequest {
        let page = regreader_model::PageNumber::FIRST;
        DrawRequest { path: "x.pdf".into(), hash: None, page, width: 640, points: 595.0, is_image: false }
    }

    #[test]
    fn a_page_is_drawn_once_and_then_comes_from_the_cache() {
        // The process answers one request and ends.
        let pictures = shell("read line; printf 'ok 3\\nPNG'");
        assert_eq!(**pictures.draw("a", &request()).unwrap(), *b"PNG");
        assert_eq!(**pictures.draw("a", &request()).unwrap(), *b"PNG");
        // The process is gone by now; the request fails, and the one after it gets a new process.
        assert!(pictures.draw("b", &request()).is_err());
        assert_eq!(**pictures.draw("b", &request()).unwrap(), *b"PNG");
    }

    #[test]
    fn what_cannot_be_drawn_is_said_and_hurts_nobody() {
        let refusing = shell("while read line; do echo 'error damaged'; done");
        for _ in 0..3 {
            let failure = refusing.draw("a", &request()).unwrap_err();
            assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::NotDrawable, "damaged"));
        }
        for script in [
            "exit 1",
            "read line; echo nonsense",
            "read line; echo 'ok 99999999999'",
            "read line; printf 'ok 9\\nPNG'",
        ] {
            let failure = shell(script).draw("a", &request()).unwrap_err();
            assert_eq!(failure.kind, FailureKind::NotDrawable, "{script}");
        }
    }
}
