//! The models that read pages without usable text, loaded when the first such page comes.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use regreader_ocr::{Engine, ModelBytes};
use regreader_parse::Recognition;
use regreader_parse::recognize::{Picture, RecognizeError, RecognizedLine, Recognizer};

use crate::failure::{MODEL, Refusal};
use crate::models;
use crate::settings::Settings;

/// Reads pictures of pages with the model that the settings name.
pub struct PageReader {
    model: String,
    folder: PathBuf,
    threads: usize,
    recognition: Recognition,
    /// Processor time that one page may take. None: any.
    limit: Option<Duration>,
    engine: OnceLock<Result<Arc<Engine>, String>>,
}

impl PageReader {
    /// The reader that the settings ask for. None when it is switched off, or left to itself and not installed.
    pub fn find(settings: &Settings) -> anyhow::Result<Option<Self>> {
        let recognition = match settings.ocr.as_str() {
            "off" => return Ok(None),
            "force" => Recognition::Everywhere,
            _ => Recognition::WhereNeeded,
        };
        let dir = settings.models_path();
        let Some(folder) = models::installed(&dir, &settings.ocr_model) else {
            if recognition == Recognition::WhereNeeded {
                return Ok(None);
            }
            return Err(Refusal {
                code: MODEL,
                message: format!("`ocr=force`, and the model `{}` is not installed", settings.ocr_model),
                hint: Some(format!("regreader models pull {}", settings.ocr_model)),
            }
            .into());
        };
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = if settings.jobs > 0 { settings.jobs } else { cores() };
        let model = settings.ocr_model.clone();
        let limit = (settings.ocr_page_timeout > 0).then(|| Duration::from_secs(settings.ocr_page_timeout));
        Ok(Some(Self { model, folder, threads, recognition, limit, engine: OnceLock::new() }))
    }

    /// Which pages it is to read.
    pub fn recognition(&self) -> Recognition {
        self.recognition
    }

    /// Name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    fn engine(&self) -> Result<&Arc<Engine>, RecognizeError> {
        let loaded = self.engine.get_or_init(|| self.load().map(Arc::new));
        loaded.as_ref().map_err(|reason| RecognizeError(reason.clone()))
    }

    fn load(&self) -> Result<Engine, String> {
        let read = |name: &str| {
            let path = self.folder.join(name);
            fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let optional = |name: &str| fs::read(self.folder.join(name)).ok();
        let characters = optional("rec.yml").map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let bytes = ModelBytes {
            detection: read("det.onnx")?,
            recognition: read("rec.onnx")?,
            direction: optional("cls.onnx"),
            characters,
        };
        Engine::load(&self.model, bytes, self.threads).map_err(|error| error.to_string())
    }
}

impl Recognizer for PageReader {
    fn name(&self) -> &str {
        &self.model
    }

    fn concurrency(&self) -> usize {
        // The parser asks once there are pages to read: this is where the models are loaded, before the first of them.
        self.engine().map_or(1, |engine| engine.concurrency())
    }

    fn recognize(&self, picture: &Picture) -> Result<Vec<RecognizedLine>, RecognizeError> {
        let engine = Arc::clone(self.engine()?);
        let Some(limit) = self.limit else { return engine.recognize(picture) };
        let picture = picture.clone();
        within(Budget::new(limit), processor_time, move |given_up| {
            engine.recognize_unless(&picture, given_up)
        })
    }
}

/// Runs `read` on a thread of its own and waits for it while `budget` lasts; `clock` tells the processor time of this
/// process. A page that is given up counts as unread and the document goes on; a thread that hangs in the model runtime
/// is left behind and ends with the process.
fn within<R: Send + 'static>(
    mut budget: Budget,
    clock: impl Fn() -> Duration,
    read: impl FnOnce(&AtomicBool) -> Result<R, RecognizeError> + Send + 'static,
) -> Result<R, RecognizeError> {
    let (sender, receiver) = mpsc::channel();
    let given_up = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&given_up);
    let _reading = AtOnce::enter();
    let thread = std::thread::Builder::new().name("ocr-page".to_owned());
    thread
        .spawn(move || sender.send(read(&told)))
        .map_err(|error| RecognizeError(format!("no thread could be started: {error}")))?;
    let (mut wall, mut spent) = (Instant::now(), clock());
    loop {
        match receiver.recv_timeout(LOOKING.min(budget.limit)) {
            Ok(read) => return read,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(RecognizeError("the model runtime failed on this picture".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) => {
                let (now, used) = (Instant::now(), clock());
                budget.spend(now - wall, used.saturating_sub(spent) / AtOnce::count());
                (wall, spent) = (now, used);
                if budget.is_spent() {
                    given_up.store(true, Ordering::Relaxed);
                    let seconds = budget.limit.as_secs();
                    let reason =
                        format!("not done in {seconds} s of processor time (setting ocr_page_timeout)");
                    return Err(RecognizeError(reason));
                }
            }
        }
    }
}

/// How often it is looked whether a page takes too long.
const LOOKING: Duration = Duration::from_secs(1);
/// A page that gets less than one part in so many of a processor does not wait for one: it hangs.
const HANGS: u32 = 100;

/// What a page may still use. Processor time, because a page must not be lost for what else the machine does; and time
/// on the wall only while next to no processor time is used, which is how a page that waits for good looks.
#[derive(Debug)]
struct Budget {
    limit: Duration,
    used: Duration,
    /// Time on the wall and of the processor since the page was last seen to get on.
    still: (Duration, Duration),
}

impl Budget {
    fn new(limit: Duration) -> Self {
        Self { limit, used: Duration::ZERO, still: Default::default() }
    }

    fn spend(&mut self, wall: Duration, processor: Duration) {
        self.used += processor;
        self.still.0 += wall;
        self.still.1 += processor;
        if self.still.1 * HANGS >= self.still.0 {
            self.still = Default::default();
        }
    }

    fn is_spent(&self) -> bool {
        self.used >= self.limit || self.still.0 >= self.limit
    }
}

/// Pages that are read at the same time share the processor time of the process.
struct AtOnce;

static AT_ONCE: AtomicU32 = AtomicU32::new(0);

impl AtOnce {
    fn enter() -> Self {
        AT_ONCE.fetch_add(1, Ordering::Relaxed);
        Self
    }

    fn count() -> u32 {
        AT_ONCE.load(Ordering::Relaxed).max(1)
    }
}

impl Drop for AtOnce {
    fn drop(&mut self) {
        AT_ONCE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Processor time of this process so far. Where the system does not tell it, time on the wall counts.
fn processor_time() -> Duration {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let begun = BEGUN.get_or_init(Instant::now);
    fs::read_to_string("/proc/self/stat")
        .ok()
        .and_then(|line| spent(&line))
        .unwrap_or_else(|| begun.elapsed())
}

/// Time in user and system mode of all threads, of a line of Linux's `/proc/PID/stat` (proc_pid_stat(5)): fields 14 and
/// 15, in hundredths of a second. The name of the program, field 2, stands in brackets and may hold anything.
fn spent(line: &str) -> Option<Duration> {
    let mut fields = line.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks()? + ticks()?).saturating_mul(10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_mins(5);

    /// Seconds on the wall after which a page is given up that gets this share of a processor, in parts of a thousand.
    fn given_up_after(share: u32) -> u32 {
        let mut budget = Budget::new(LIMIT);
        let second = Duration::from_secs(1);
        (1..100_000)
            .find(|_| {
                budget.spend(second, second * share / 1000);
                budget.is_spent()
            })
            .unwrap()
    }

    #[test]
    fn a_loaded_machine_costs_time_and_no_pages() {
        assert_eq!(given_up_after(1000), 300);
        assert_eq!(given_up_after(100), 3_000);
        assert_eq!(given_up_after(20), 15_000);
        // One that hangs is given up by the clock on the wall, whatever the process does beside it.
        assert_eq!(given_up_after(0), 300);
        assert_eq!(given_up_after(1), 300);
    }

    #[test]
    fn a_page_that_hung_for_a_while_and_goes_on_is_not_given_up() {
        let mut budget = Budget::new(LIMIT);
        for _ in 0..10 {
            budget.spend(Duration::from_secs(290), Duration::ZERO);
            assert!(!budget.is_spent(), "{budget:?}");
            budget.spend(Duration::from_secs(5), Duration::from_secs(5));
        }
    }

    #[test]
    fn processor_time_is_read_behind_any_name() {
        let line = "42 (a) b (c) R 1 42 42 0 -1 4194304 100 0 0 0 250 50 7 8 20 0 4 0 12345 1000 200 18446744073709551615";
        assert_eq!(spent(line), Some(Duration::from_secs(3)));
        assert_eq!((spent(""), spent("42 (a) R 1")), (None, None));
    }

    #[test]
    fn processor_time_passes_with_work() {
        let before = processor_time();
        let mut sum = 0_u64;
        while processor_time() == before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(processor_time() > before);
    }

    #[test]
    fn a_page_that_never_ends_is_given_up_and_one_that_panics_is_an_error() {
        let (hold, held) = mpsc::channel::<()>();
        let (say, heard) = mpsc::channel();
        let short = Budget::new(Duration::from_millis(1));
        let hung = within(
            short,
            || Duration::ZERO,
            move |given_up| {
                // Waits for good: the sender is dropped when the page was given up.
                let _ = held.recv();
                let _ = say.send(given_up.load(Ordering::Relaxed));
                Ok(())
            },
        );
        assert!(hung.unwrap_err().to_string().contains("ocr_page_timeout"));
        drop(hold);
        assert_eq!(heard.recv(), Ok(true), "the thread that reads is told");
        let panicked = within(Budget::new(LIMIT), processor_time, |_| -> Result<(), RecognizeError> {
            panic!("on purpose")
        });
        assert!(panicked.unwrap_err().to_string().contains("failed on this picture"));
        assert_eq!(within(Budget::new(LIMIT), processor_time, |_| Ok(7)).unwrap(), 7);
    }
}
