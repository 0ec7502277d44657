//! The library as the web reader sees it: fills `regreader_web::Backend` with the tools, the agents, page pictures and
//! uploads of this program.

mod changes;
pub mod drawing;
mod pictures;
mod uploads;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use regreader_access::Gate;
use regreader_agent::{Agent, Conversation, DatedTools, Event};
use regreader_changes::status::Statuses;
use regreader_mcp::Source;
use regreader_messages::cli;
use regreader_model::{
    CivilDate, EditionEvent, EventEvidence, PageDocument, PageNumber, RegId, RegulationInfo, Severity,
    SourceFormat,
};
use regreader_store::{AuditEvent, Library, ListEntry, OpenOptions, RegulationReader, now};
use regreader_tools::{ToolError, ToolFailure, Toolbox};
use regreader_web::{
    AgentChoice, AnswerReply, AskEvent, AskRequest, Backend, ChangesAsked, DocumentFormat, Failure,
    FailureKind, Identity, IngestEvent, IngestReport, Metadata, Picture, PictureRequest, RegulationCard,
    RegulationParts, Review, ReviewVerdict, Role, Upload,
};
use serde_json::Value;

use crate::assistant::Assistant;
use crate::cli::agents::AgentArgs;
use crate::pipeline::is_outdated;
use crate::settings::{Layers, Settings};
use crate::source::LibrarySource;
use drawing::DrawRequest;
use pictures::Pictures;

/// The list of regulations is made anew at most so often.
const LISTING: Duration = Duration::from_secs(2);
/// Conversations that can be gone on with.
const MAX_CONVERSATIONS: usize = 200;
/// Lines of the audit log that are looked at for reviews.
const MAX_AUDIT_LINES: usize = 50_000;

/// The library, its tools, agents and pages.
pub struct WebLibrary {
    settings: Settings,
    layers: Layers,
    /// This program as it was named at the start: a newer version that takes its place meanwhile is used, not missed.
    program: PathBuf,
    source: Arc<LibrarySource>,
    gate: Gate,
    pictures: Pictures,
    conversations: Mutex<VecDeque<(String, Conversation)>>,
    listed: Mutex<Option<(Instant, Vec<RegulationCard>)>>,
    /// Findings by content hash: a report is read once for each edition.
    findings: Mutex<HashMap<String, Findings>>,
}

/// What the list says about how well a regulation was read.
#[derive(Debug, Clone, Copy, Default)]
struct Findings {
    needs_ocr: usize,
    /// What a person should look at.
    serious: usize,
    /// An older version of this program read it, and its source is there to be read again.
    is_outdated: bool,
}

impl WebLibrary {
    /// The library of these settings. `gate` decides who may use it.
    pub fn new(
        settings: Settings,
        layers: Layers,
        source: Arc<LibrarySource>,
        gate: Gate,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        let drawer = program.clone();
        let memory = settings.web_draw_memory_mib;
        let engine = settings.pdf_engine.clone();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let pictures = Pictures::new(cores.min(4), move || {
            let mut command = Command::new(&drawer);
            let settings = [format!("pdf_engine={engine}"), format!("web_draw_memory_mib={memory}")];
            command.args(["--quiet", "--set", &settings[0], "--set", &settings[1], "draw-pages"]);
            // What is free will be wanted for the next page.
            command.env_remove(crate::allocator::KEPT_FREE);
            command
        });
        Ok(Self {
            settings,
            layers,
            program,
            source,
            gate,
            pictures,
            conversations: Mutex::default(),
            listed: Mutex::default(),
            findings: Mutex::default(),
        })
    }

    fn toolbox(&self) -> Result<Toolbox, Failure> {
        self.source.toolbox(&mut |_| {}).map_err(reported)
    }

    fn reader(&self, reg_id: &str) -> Result<Arc<RegulationReader>, Failure> {
        self.toolbox()?.regulation(reg_id).map_err(|error| failure(&error))
    }

    fn make_list(&self) -> Result<Vec<RegulationCard>, Failure> {
        let toolbox = self.toolbox()?;
        let library = toolbox.library();
        let entries = library.list().map_err(|error| failure(&ToolError::from(error)))?;
        let infos: Vec<RegulationInfo> = entries.iter().filter_map(|entry| entry.info().cloned()).collect();
        let signed = signed_off(&toolbox);
        let statuses = Statuses::new(infos.iter(), &regreader_search::superseding(&infos));
        let today = today();
        // An index that cannot be opened holds nothing; a search says what is wrong with it.
        let unindexed = toolbox.engine().ok().and_then(|engine| engine.stale().ok());
        let card = |entry: &ListEntry| {
            let (info, problem) = match entry {
                ListEntry::Regulation(info) => (info.clone(), None),
                // What is wrong names files of this machine; `doctor` shows it to whoever may see them.
                ListEntry::Broken { .. } => (unreadable(entry)?, Some("regreader doctor".to_owned())),
            };
            let findings = self.findings(&toolbox, &info).unwrap_or_default();
            let hash = info.content_hash.clone().unwrap_or_default();
            let standing = today.map(|today| statuses.at(&info.reg_id, today));
            Some(RegulationCard {
                standing: standing.unwrap_or_default(),
                is_outdated: findings.is_outdated,
                is_unindexed: problem.is_none()
                    && unindexed.as_ref().is_none_or(|stale| stale.contains(&info.reg_id)),
                needs_ocr: findings.needs_ocr,
                findings: findings.serious,
                signed_off: signed.contains(&(info.reg_id.as_str().to_owned(), hash)),
                problem,
                info,
            })
        };
        Ok(entries.iter().filter_map(card).collect())
    }

    fn findings(&self, toolbox: &Toolbox, info: &RegulationInfo) -> Option<Findings> {
        let hash = info.content_hash.clone()?;
        if let Some(known) = self.findings.lock().unwrap_or_else(PoisonError::into_inner).get(&hash) {
            return Some(*known);
        }
        let reader = toolbox.library().reader(&info.reg_id).ok()?;
        let quality = reader.quality().ok()?;
        let needs_ocr = quality.pages_by_origin.get("needs_ocr").map_or(0, Vec::len);
        let remarks = quality.diagnostics.iter().filter(|remark| remark.severity > Severity::Info).count();
        let serious = needs_ocr
            + remarks
            + quality.low_confidence_pages.len()
            + quality.numbering_gaps.len()
            + quality.unresolved_references.len();
        let is_outdated = is_outdated(info) && reader.source_path().is_some();
        let found = Findings { needs_ocr, serious, is_outdated };
        self.findings.lock().unwrap_or_else(PoisonError::into_inner).insert(hash, found);
        Some(found)
    }
}

impl Backend for WebLibrary {
    fn regulations(&self) -> Result<Vec<RegulationCard>, Failure> {
        // Held while the list is made: others wait for it rather than make it too.
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, cards)) = &*listed
            && at.elapsed() < LISTING
        {
            return Ok(cards.clone());
        }
        let cards = self.make_list()?;
        *listed = Some((Instant::now(), cards.clone()));
        Ok(cards)
    }

    fn regulation(&self, reg_id: &str) -> Result<RegulationParts, Failure> {
        let reader = self.reader(reg_id)?;
        let broken = |error| failure(&ToolError::from(error));
        let cards = self.regulations()?;
        let card = cards.iter().find(|card| card.info.reg_id == *reader.reg_id());
        Ok(RegulationParts {
            info: reader.info().clone(),
            status: card.map(|card| card.standing.status).unwrap_or_default(),
            structure: reader.structure().map_err(broken)?,
            tables: reader.tables().map_err(broken)?,
            references: reader.references().map_err(broken)?,
            quality: reader.quality().map_err(broken)?,
            drawable: source_of(&reader).is_some(),
        })
    }

    fn page(&self, reg_id: &str, page: PageNumber) -> Result<PageDocument, Failure> {
        self.reader(reg_id)?.page(page).map_err(|error| failure(&ToolError::from(error)))
    }

    fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, Failure> {
        let text = self.toolbox()?.call_json(tool, arguments).map_err(|error| failure(&error))?;
        serde_json::from_str(&text).map_err(|error| Failure::new(FailureKind::Broken, error.to_string()))
    }

    fn picture(&self, request: &PictureRequest) -> Result<Picture, Failure> {
        let reader = self.reader(&request.reg_id)?;
        let document = reader.page(request.page).map_err(|error| failure(&ToolError::from(error)))?;
        let Some((path, is_image)) = source_of(&reader) else {
            return Err(Failure::new(FailureKind::NotDrawable, cli::NO_PICTURES.to_string()));
        };
        let tag = format!(
            "{}-{}-{}",
            reader.content_hash().chars().take(16).collect::<String>(),
            request.page,
            request.width
        );
        let draw = DrawRequest {
            path,
            hash: reader.info().source_hash.clone(),
            page: request.page,
            width: request.width,
            points: document.size.map_or(595.0, |size| size[0]),
            is_image,
        };
        let key = format!("{} {tag}", request.reg_id);
        Ok(Picture { png: self.pictures.draw(&key, &draw)?, tag })
    }

    fn agents(&self) -> Vec<AgentChoice> {
        let offline = AgentChoice { name: "offline".to_owned(), model: None };
        if !self.settings.has_llm() {
            return vec![offline];
        }
        let model = Some(self.settings.llm_model_name.clone());
        let mut agents: Vec<AgentChoice> = ["typed", "graph", "claude"]
            .map(|name| AgentChoice { name: name.to_owned(), model: model.clone() })
            .into();
        agents.push(offline);
        // The one that the settings name comes first.
        agents.sort_by_key(|agent| agent.name != self.settings.agent);
        agents
    }

    fn ask(&self, request: &AskRequest, report: &mut dyn FnMut(AskEvent)) -> Result<AnswerReply, Failure> {
        let toolbox = self.toolbox()?;
        let args =
            AgentArgs { reg_id: request.regulations.clone(), agent: request.agent.clone(), model: None };
        let invalid = |error: anyhow::Error| Failure::new(FailureKind::Invalid, format!("{error:#}"));
        let assistant = Assistant::new(&self.settings, &self.layers, &args).map_err(invalid)?;
        let dated = DatedTools::new(&toolbox, request.as_of.clone());
        let agent: Agent<'_> = assistant.agent(&dated);
        let (id, mut conversation) = self.conversation(request.conversation.as_deref());
        let mut step = |event: Event| {
            let text = crate::commands::describe_event(&event);
            report(match event {
                Event::Text { text } => AskEvent::Text { text },
                _ => AskEvent::Step { text },
            });
        };
        let reply = agent
            .ask(&request.question, &mut conversation, &mut step)
            .map_err(|error| Failure::new(FailureKind::Broken, error.to_string()))?;
        self.remember(&id, conversation);
        let asked = AuditEvent::Asked {
            question: request.question.clone(),
            reg_ids: reply.answer.regulations.iter().filter_map(|id| id.parse().ok()).collect(),
            by: reply.agent.name().to_owned(),
            outcome: reply.answer.outcome.name().to_owned(),
        };
        if let Err(error) =
            toolbox.library().audit().acting_as(format!("web {}", request.asker)).append(asked)
        {
            eprintln!("warning: {}", cli::audit_failed(&error));
        }
        let value = serde_json::to_value(&reply).unwrap_or_default();
        let mut shown: AnswerReply = serde_json::from_value(value)
            .map_err(|error| Failure::new(FailureKind::Broken, error.to_string()))?;
        shown.conversation = Some(id);
        Ok(shown)
    }

    fn ingest(&self, upload: &Upload, report: &mut dyn FnMut(IngestEvent)) -> Result<IngestReport, Failure> {
        let mut command = Command::new(&self.program);
        command.env_remove(crate::allocator::KEPT_FREE);
        command.arg("--data-dir").arg(&self.settings.data_dir).args([
            "--json",
            "--quiet",
            "ingest",
            "--progress-json",
        ]);
        // `ingest` itself bounds memory and time of the process that reads the file; this is for what it cannot end.
        let time =
            Duration::from_secs(self.settings.max_document_minutes.saturating_mul(60).saturating_add(60));
        let done = uploads::ingest(command, upload, time, report)?;
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(done)
    }

    fn reviews(&self, reg_id: &str) -> Result<Vec<Review>, Failure> {
        let reader = self.reader(reg_id)?;
        let toolbox = self.toolbox()?;
        let page = toolbox.library().audit().tail(MAX_AUDIT_LINES);
        let page = page.map_err(|error| failure(&ToolError::from(error)))?;
        let own = page.records.into_iter().filter_map(|record| match record.event {
            AuditEvent::Reviewed { reg_id, content_hash, finding, verdict, comment, name }
                if reg_id == *reader.reg_id() && content_hash == reader.content_hash() =>
            {
                let verdict = match verdict.as_str() {
                    "signed_off" => ReviewVerdict::SignedOff,
                    "accepted" => ReviewVerdict::Accepted,
                    _ => ReviewVerdict::Commented,
                };
                Some(Review { finding, verdict, comment, name, time: record.time })
            }
            _ => None,
        });
        Ok(own.collect())
    }

    fn review(&self, reg_id: &str, review: &Review) -> Result<(), Failure> {
        let reader = self.reader(reg_id)?;
        let verdict = match review.verdict {
            ReviewVerdict::SignedOff => "signed_off",
            ReviewVerdict::Accepted => "accepted",
            ReviewVerdict::Commented => "commented",
        };
        let event = AuditEvent::Reviewed {
            reg_id: reader.reg_id().clone(),
            content_hash: reader.content_hash().to_owned(),
            finding: review.finding.clone(),
            verdict: verdict.to_owned(),
            comment: review.comment.clone(),
            name: review.name.clone(),
        };
        let toolbox = self.toolbox()?;
        let written = toolbox.library().audit().acting_as(format!("web {}", review.name)).append(event);
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        written.map_err(|error| failure(&ToolError::from(error)))
    }

    fn update(&self, reg_id: &str, metadata: &Metadata, by: &str) -> Result<(), Failure> {
        let reg_id = self.reader(reg_id)?.reg_id().clone();
        let supersedes = match metadata.supersedes.as_str() {
            "" => None,
            id => Some(id.parse().map_err(|_| Failure::new(FailureKind::Invalid, format!("`{id}`")))?),
        };
        let library = Library::open(&self.settings.data_dir, OpenOptions::new().actor(format!("web {by}")))
            .map_err(|error| failure(&ToolError::from(error)))?;
        let written = library.update_info(&reg_id, |info| describe(info, metadata, supersedes, now()));
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        written.map(|_| ()).map_err(|error| failure(&ToolError::from(error)))
    }

    fn change_document(&self, asked: &ChangesAsked, format: DocumentFormat) -> Result<Vec<u8>, Failure> {
        changes::document(&self.toolbox()?, asked, format)
    }

    fn authenticate(&self, token: &str) -> Option<Identity> {
        let caller = self.gate.identify(token).ok()?;
        let role = if caller.role.may_edit() { Role::Editor } else { Role::Reader };
        Some(Identity { name: caller.name, role })
    }

    fn anonymous(&self) -> Option<Identity> {
        let open = !self.gate.asks_for_token();
        open.then(|| Identity { name: "local".to_owned(), role: Role::Editor })
    }
}

/// Writes what an editor says into the description of a regulation.
fn describe(info: &mut RegulationInfo, metadata: &Metadata, supersedes: Option<RegId>, now: String) {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    if !metadata.title.is_empty() {
        info.title.clone_from(&metadata.title);
    }
    info.aliases.clone_from(&metadata.aliases);
    info.edition = some(&metadata.edition);
    info.series = some(&metadata.series);
    info.description = some(&metadata.description);
    info.scope = some(&metadata.scope);
    info.keywords.clone_from(&metadata.keywords);
    info.supersedes = supersedes;
    if let Some(kind) = metadata.forget {
        let by_hand = |event: &EditionEvent| matches!(event.evidence, EventEvidence::Person { .. });
        info.events.retain(|event| event.kind != kind || !by_hand(event));
    }
    if let Some(event) = &metadata.record {
        info.events.push(EditionEvent {
            kind: event.kind,
            date: event.date,
            subject: None,
            by: event.by.clone(),
            scope: None,
            evidence: EventEvidence::Person { note: event.note.clone() },
            recorded_at: now,
        });
    }
}

impl WebLibrary {
    /// A conversation that is gone on with, or a new one.
    fn conversation(&self, id: Option<&str>) -> (String, Conversation) {
        let kept = self.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        let known = id.and_then(|id| kept.iter().find(|(known, _)| known == id));
        match known {
            Some((id, conversation)) => (id.clone(), conversation.clone()),
            None => (uuid::Uuid::new_v4().simple().to_string(), Conversation::default()),
        }
    }

    fn remember(&self, id: &str, conversation: Conversation) {
        let mut kept = self.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| known != id);
        while kept.len() >= MAX_CONVERSATIONS {
            kept.pop_front();
        }
        kept.push_back((id.to_owned(), conversation));
    }
}

/// Regulations that were signed off, as they are stored: id and content hash.
fn signed_off(toolbox: &Toolbox) -> Vec<(String, String)> {
    let Ok(page) = toolbox.library().audit().tail(MAX_AUDIT_LINES) else { return Vec::new() };
    let signed = page.records.into_iter().filter_map(|record| match record.event {
        AuditEvent::Reviewed { reg_id, content_hash, verdict, .. } if verdict == "signed_off" => {
            Some((reg_id.as_str().to_owned(), content_hash))
        }
        _ => None,
    });
    signed.collect()
}

/// The source document of a regulation, where its pages can be drawn, and whether it is a picture.
fn source_of(reader: &RegulationReader) -> Option<(PathBuf, bool)> {
    let is_image = match reader.info().source_format? {
        SourceFormat::Pdf => false,
        SourceFormat::Image => true,
        _ => return None,
    };
    Some((reader.source_path()?, is_image))
}

fn today() -> Option<CivilDate> {
    CivilDate::of_moment(&now())
}

/// What is shown of a regulation whose description cannot be read.
fn unreadable(entry: &ListEntry) -> Option<RegulationInfo> {
    let value = serde_json::json!({
        "reg_id": entry.reg_id(), "title": entry.reg_id(), "source_file": "", "total_pages": 0, "indexed_at": "",
    });
    serde_json::from_value(value).ok()
}

fn failure(error: &ToolError) -> Failure {
    reported(error.report())
}

fn reported(report: ToolFailure) -> Failure {
    let kind = match report.name.as_str() {
        name if name.ends_with("NotFoundError") || name == "ReferenceResolutionError" => {
            FailureKind::NotFound
        }
        "InvalidArgumentError" | "InvalidIdError" | "InvalidPageRangeError" | "UnknownToolError" => {
            FailureKind::Invalid
        }
        _ => FailureKind::Broken,
    };
    Failure { kind, message: report.message, hint: report.hint }
}
