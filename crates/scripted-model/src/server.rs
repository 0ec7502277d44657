//! Listening on loopback.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use crate::http::{self, Request};
use crate::script::{Fault, Script, Step, offered};
use crate::{anthropic, openai};

/// Something the model was asked.
#[derive(Debug, Clone, Serialize)]
pub struct Asked {
    /// Path of the request.
    pub path: String,
    /// Names of the headers that were sent, and their values unless they are keys.
    pub headers: Vec<(String, String)>,
    /// Body of the request; null when it was not JSON.
    pub body: Value,
}

impl Asked {
    /// Names of the tools that were on offer.
    pub fn offered(&self) -> Vec<&str> {
        offered(&self.body).collect()
    }

    /// The last message, as JSON text.
    pub fn last_message(&self) -> String {
        self.body["messages"]
            .as_array()
            .and_then(|messages| messages.last())
            .map(Value::to_string)
            .unwrap_or_default()
    }
}

/// A model under a script. It stops listening when it is dropped.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    script: Mutex<Script>,
    asked: Mutex<Vec<Asked>>,
    stop: AtomicBool,
}

impl ScriptedModel {
    /// Starts on a free port of loopback.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_at(script, 0)
    }

    /// Starts on this port.
    pub fn start_at(script: Script, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Mutex::new(script),
            asked: Mutex::new(Vec::new()),
            stop: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if own.stop.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&own);
                std::thread::spawn(move || {
                    let _ = serve(stream, &shared);
                });
            }
        });
        Ok(Self { address, shared, thread: Some(thread) })
    }

    /// A model that says these steps.
    pub fn with(steps: impl IntoIterator<Item = Step>) -> io::Result<Self> {
        Self::start(Script { steps: steps.into_iter().collect(), fallback: None })
    }

    /// Its address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.shared.asked).clone()
    }

    /// Steps that nobody asked for yet.
    pub fn steps_left(&self) -> usize {
        lock(&self.shared.script).steps.iter().filter(|step| !step.repeat).count()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees the flag.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let request = http::read(&mut stream)?;
    let path = request.path.split('?').next().unwrap_or_default().to_owned();
    let anthropic = path.ends_with("/messages");
    if request.method != "POST" || !(anthropic || path.ends_with("/chat/completions")) {
        let answer = json!({ "input_tokens": 1, "data": [] });
        return http::respond(&mut stream, 200, "application/json", &[], answer.to_string().as_bytes());
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let serial = keep(shared, &path, &request, &body);
    let Some(step) = take(&mut lock(&shared.script), &body) else {
        let message = "the script has no step left for this request";
        return refuse(&mut stream, anthropic, 500, None, message);
    };
    play(&mut stream, shared, &step, &body, anthropic, serial)
}

/// Keeps what was asked, without keys.
fn keep(shared: &Shared, path: &str, request: &Request, body: &Value) -> usize {
    let secret =
        |name: &str| matches!(name, "authorization" | "x-api-key" | "proxy-authorization" | "cookie");
    let headers = request
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), if secret(name) { "***".to_owned() } else { value.clone() }));
    let mut asked = lock(&shared.asked);
    asked.push(Asked { path: path.to_owned(), headers: headers.collect(), body: body.clone() });
    asked.len()
}

fn take(script: &mut Script, body: &Value) -> Option<Step> {
    let Some(at) = script.steps.iter().position(|step| step.when.fits(body)) else {
        return script.fallback.clone().map(Step::text);
    };
    if script.steps.get(at).is_some_and(|step| step.repeat) {
        script.steps.get(at).cloned()
    } else {
        Some(script.steps.remove(at))
    }
}

fn play(
    stream: &mut TcpStream,
    shared: &Shared,
    step: &Step,
    body: &Value,
    anthropic: bool,
    serial: usize,
) -> io::Result<()> {
    if let Some(raw) = &step.raw {
        return http::respond(stream, raw.status, &raw.content_type, &[], raw.body.as_bytes());
    }
    match &step.fault {
        Some(Fault::Status { status, retry_after, message }) => {
            let message = message.as_deref().unwrap_or("scripted refusal");
            return refuse(stream, anthropic, *status, *retry_after, message);
        }
        Some(Fault::Hangup) => return Ok(()),
        Some(Fault::Stall) => {
            while !shared.stop.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(20));
            }
            return Ok(());
        }
        _ => {}
    }
    if body["stream"] != true {
        let whole =
            if anthropic { anthropic::whole(step, body, serial) } else { openai::whole(step, body, serial) };
        return http::respond(stream, 200, "application/json", &[], whole.to_string().as_bytes());
    }
    let events =
        if anthropic { anthropic::events(step, body, serial) } else { openai::events(step, body, serial) };
    http::begin_stream(stream)?;
    for event in events {
        http::chunk(stream, event.as_bytes())?;
    }
    if matches!(step.fault, Some(Fault::Cut)) {
        return Ok(());
    }
    http::end_stream(stream)
}

fn refuse(
    stream: &mut TcpStream,
    anthropic: bool,
    status: u16,
    retry_after: Option<u64>,
    message: &str,
) -> io::Result<()> {
    let body = if anthropic { anthropic::error(status, message) } else { openai::error(status, message) };
    let extra: Vec<(&str, String)> =
        retry_after.map(|seconds| ("retry-after", seconds.to_string())).into_iter().collect();
    http::respond(stream, status, "application/json", &extra, body.to_string().as_bytes())
}
