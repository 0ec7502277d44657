//! Everything that the web reader knows of the library, as one trait that the binary fills.

use std::path::PathBuf;
use std::sync::Arc;

use regreader_model::{
    CivilDate, DocumentStructure, EventKind, PageDocument, PageNumber, QualityReport, ReferenceGraph,
    RegulationInfo, TableRegistry,
};
use regreader_tools::{EditionStatus, Status, Tool, arguments_of, read_result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The library, its tools and agents, as the web reader uses them.
///
/// Every call may block; the router makes them on threads that may. Ids come straight from addresses that anybody can
/// type, so an implementation checks them.
pub trait Backend: Send + Sync + 'static {
    /// The regulations of the library, in any order.
    fn regulations(&self) -> Result<Vec<RegulationCard>, Failure>;

    /// What is kept about one regulation besides its pages.
    fn regulation(&self, reg_id: &str) -> Result<RegulationParts, Failure>;

    /// One page.
    fn page(&self, reg_id: &str, page: PageNumber) -> Result<PageDocument, Failure>;

    /// Calls one of the tools by name.
    fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, Failure>;

    /// The picture of a page. Drawing is bounded in pixels, time and memory; a page that cannot be drawn is a failure of
    /// kind [`FailureKind::NotDrawable`].
    fn picture(&self, request: &PictureRequest) -> Result<Picture, Failure>;

    /// The agents that can be asked, the default first. Never empty: the offline agent always works.
    fn agents(&self) -> Vec<AgentChoice>;

    /// Asks an agent. `report` is told what happens meanwhile.
    fn ask(&self, request: &AskRequest, report: &mut dyn FnMut(AskEvent)) -> Result<AnswerReply, Failure>;

    /// Reads an uploaded file into the library, in another process and within bounds.
    fn ingest(&self, upload: &Upload, report: &mut dyn FnMut(IngestEvent)) -> Result<IngestReport, Failure>;

    /// What reviewers said about a regulation as it is stored now, oldest first.
    fn reviews(&self, reg_id: &str) -> Result<Vec<Review>, Failure>;

    /// Writes a review into the audit log.
    fn review(&self, reg_id: &str, review: &Review) -> Result<(), Failure>;

    /// Writes what an editor says about a regulation: names, keywords, edition, and events of its life.
    fn update(&self, reg_id: &str, metadata: &Metadata, by: &str) -> Result<(), Failure>;

    /// The changes between two editions as a document for a meeting.
    fn change_document(&self, asked: &ChangesAsked, format: DocumentFormat) -> Result<Vec<u8>, Failure>;

    /// Who holds this token; none when nobody does.
    fn authenticate(&self, token: &str) -> Option<Identity>;

    /// Who somebody without a token is. None when a token is required.
    fn anonymous(&self) -> Option<Identity>;
}

impl dyn Backend {
    /// Calls a tool.
    pub fn call<T: Tool>(&self, request: &T) -> Result<T::Response, Failure> {
        let result = self.call_json(T::NAME, arguments_of(request))?;
        read_result::<T>(result).map_err(|failure| Failure::new(FailureKind::Broken, failure.message))
    }
}

/// Something that could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What sort of failure, which decides the HTTP status.
    pub kind: FailureKind,
    /// For a person. Holds no paths of the server.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure without a hint.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }
}

/// Sorts of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no such regulation, page, table, note or target.
    NotFound,
    /// The request makes no sense.
    Invalid,
    /// The page has no picture: its format has none, or it could not be drawn within bounds.
    NotDrawable,
    /// Too much is going on at the same time.
    Busy,
    /// The library, a model or a process is broken.
    Broken,
}

/// A regulation in the list of the library.
#[derive(Debug, Clone)]
pub struct RegulationCard {
    /// What is known about it.
    pub info: RegulationInfo,
    /// Whether it is in force today, and what decides that.
    pub standing: EditionStatus,
    /// It was read by an older version of this program, which kept less: reading the source again marks exactly.
    pub is_outdated: bool,
    /// The search does not hold it yet, or holds it as it was before.
    pub is_unindexed: bool,
    /// Pages that have no text until they are recognised.
    pub needs_ocr: usize,
    /// Findings of the quality report that a person should look at.
    pub findings: usize,
    /// Somebody signed its ingest off.
    pub signed_off: bool,
    /// Why it cannot be read, when it cannot.
    pub problem: Option<String>,
}

/// What is kept about one regulation besides its pages.
#[derive(Debug, Clone)]
pub struct RegulationParts {
    /// What is known about it.
    pub info: RegulationInfo,
    /// Whether it is in force today.
    pub status: Status,
    /// The tree of its chapters.
    pub structure: Arc<DocumentStructure>,
    /// Its tables, over all their pages.
    pub tables: Arc<TableRegistry>,
    /// What its text refers to.
    pub references: Arc<ReferenceGraph>,
    /// How well it was read.
    pub quality: Arc<QualityReport>,
    /// Pages of this regulation have pictures (its source is kept and is a PDF or an image).
    pub drawable: bool,
}

/// Which picture is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PictureRequest {
    /// Regulation that it stands in.
    pub reg_id: String,
    /// Page of the regulation, from 1.
    pub page: PageNumber,
    /// Width of the picture in pixels; one of [`PictureRequest::WIDTHS`].
    pub width: u32,
}

impl PictureRequest {
    /// The widths on offer. A fixed few, so that a picture is drawn once and then comes from a cache.
    pub const WIDTHS: [u32; 3] = [640, 1240, 2000];
}

/// A drawn page.
#[derive(Debug, Clone)]
pub struct Picture {
    /// A PNG file.
    pub png: Arc<Vec<u8>>,
    /// Changes when the picture does.
    pub tag: String,
}

/// An agent that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentChoice {
    /// `offline`, `typed`, `graph` or `claude`.
    pub name: String,
    /// The model behind it, when there is one.
    pub model: Option<String>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRequest {
    /// The words.
    pub question: String,
    /// The agent; the default one when none is named.
    pub agent: Option<String>,
    /// Only these regulations.
    pub regulations: Vec<String>,
    /// The conversation that it goes on with.
    pub conversation: Option<String>,
    /// Day whose editions answer; today without one.
    pub as_of: Option<String>,
    /// Who asks, for the audit log.
    pub asker: String,
}

/// What happens while a question is being answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum AskEvent {
    /// What the agent is about to do, or what a tool gave.
    Step {
        /// For a person, in one line.
        text: String,
    },
    /// Checked lines of the answer.
    Text {
        /// The lines.
        text: String,
    },
}

/// An answer as the reader shows it. Made from the JSON of the agents, so that fields which this view does not show may
/// come and go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnswerReply {
    /// The question.
    pub question: String,
    /// `answered`, `related`, `not_found` or `declined`.
    pub outcome: String,
    /// What the reader must know first.
    pub message: Option<String>,
    /// The answer.
    pub measures: Vec<AnswerStatement>,
    /// Notes, exceptions, referenced clauses.
    pub cautions: Vec<AnswerStatement>,
    /// Passages that may concern the question, where nothing answers it.
    pub related: Vec<RelatedPassage>,
    /// Citations of further places.
    pub see_also: Vec<String>,
    /// Statements that were taken out because they do not stand where they say.
    pub removed: Vec<RemovedStatement>,
    /// The agent.
    pub agent: String,
    /// Its model.
    pub model: Option<String>,
    /// The conversation, to go on with.
    pub conversation: Option<String>,
}

/// One statement of an answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnswerStatement {
    /// What it says; a quoted table keeps its Markdown.
    pub text: String,
    /// `[来源: 安规2024 P85 表6-2]`
    pub citation: String,
    /// Regulation of the citation.
    pub reg_id: String,
    /// Page of the citation; 0 when it is not known.
    #[serde(deserialize_with = "known_or_zero")]
    pub page_num: u32,
    /// The passage proves it.
    pub verified: bool,
    /// `verbatim`, `same_passage` or `calculated`.
    pub level: Option<String>,
    /// The passage that proves it; for one that is not verified, the nearest passage.
    pub place: Option<ProvenPlace>,
    /// Words that the nearest passage does not have.
    pub missing: Vec<String>,
    /// What a calculated statement was calculated from.
    pub operands: Vec<Operand>,
}

/// A value that a statement was calculated from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Operand {
    /// The row or note as the answer quotes it.
    pub text: String,
}

/// Where the passage stands that proves a statement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProvenPlace {
    /// Page of the passage.
    pub page_num: u32,
    /// Its block.
    pub block_id: Option<String>,
    /// Its table.
    pub table_id: Option<String>,
    /// Data row of that table, from 0.
    pub row: Option<u32>,
    /// Its words.
    pub text: String,
}

/// A page that is not known comes as `null`.
fn known_or_zero<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(Option::<u32>::deserialize(deserializer)?.unwrap_or(0))
}

/// A passage that may concern the question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RelatedPassage {
    /// What it says.
    pub text: String,
    /// Where it stands.
    pub citation: String,
    /// Regulation that it stands in.
    pub reg_id: String,
    /// Page; 0 when it is not known.
    #[serde(deserialize_with = "known_or_zero")]
    pub page_num: u32,
    /// How well the passage is proven: `verbatim`, `same_passage` or `unproven`.
    pub level: Option<String>,
    /// Block of the passage.
    pub block_id: Option<String>,
}

impl From<&RelatedPassage> for AnswerStatement {
    fn from(passage: &RelatedPassage) -> Self {
        Self {
            text: passage.text.clone(),
            citation: passage.citation.clone(),
            reg_id: passage.reg_id.clone(),
            page_num: passage.page_num,
            verified: passage.level.as_deref().is_some_and(|level| level != "unproven"),
            level: passage.level.clone(),
            ..Self::default()
        }
    }
}

/// A statement that was taken out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RemovedStatement {
    /// What it said.
    pub text: String,
    /// What it cited.
    pub citation: String,
    /// Why it does not stand.
    pub reason: String,
}

/// What an editor says about a regulation. An empty text takes the field away; the title stays when it is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Title as shown everywhere.
    pub title: String,
    /// Short names, the usual one first.
    pub aliases: Vec<String>,
    /// Edition, such as `2024（第二版）`.
    pub edition: String,
    /// What its editions have in common.
    pub series: String,
    /// What it is about.
    pub description: String,
    /// Which questions it answers.
    pub scope: String,
    /// Subject words.
    pub keywords: Vec<String>,
    /// The edition that it replaces.
    pub supersedes: String,
    /// An event to record.
    pub record: Option<RecordedEvent>,
    /// Kind of event whose records by hand are to be taken away.
    pub forget: Option<EventKind>,
}

/// An event of an edition's life that a person vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedEvent {
    /// What happened.
    pub kind: EventKind,
    /// The day it happened or will happen.
    pub date: Option<CivilDate>,
    /// Who or what did it.
    pub by: Option<String>,
    /// Where the person has it from.
    pub note: String,
}

/// Which changes between two editions are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangesAsked {
    /// Older edition.
    pub old: String,
    /// Newer edition.
    pub new: String,
    /// Only this kind.
    pub kind: Option<String>,
    /// Only this chapter.
    pub chapter: Option<String>,
    /// Only what concerns these things.
    pub entities: Vec<String>,
    /// Chapters that are watched besides.
    pub chapters: Vec<String>,
}

/// Documents that changes can be had as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// A three-column 修订对照表.
    Docx,
    /// A workbook.
    Xlsx,
    /// A page that prints.
    Html,
}

/// A file that somebody sends.
#[derive(Debug)]
pub struct Upload {
    /// Where its bytes lie. Removed by whoever made it.
    pub path: PathBuf,
    /// Name as the browser gave it, without folders.
    pub name: String,
    /// Who sends it.
    pub by: String,
}

/// How reading an upload gets on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IngestEvent {
    /// Pages that are read.
    pub done: u32,
    /// All pages; 0 when that is not known yet.
    pub total: u32,
}

/// What came of an upload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IngestReport {
    /// The regulation that it became.
    pub reg_id: String,
    /// `new`, `replaced` or `unchanged`.
    pub change: String,
    /// Pages that were read.
    pub pages: u32,
}

/// What a reviewer says about a finding, or about the whole ingest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The finding; none for the regulation as a whole.
    pub finding: Option<String>,
    /// What they say.
    pub verdict: ReviewVerdict,
    /// In their words.
    pub comment: String,
    /// Name they sign with.
    pub name: String,
    /// When, RFC 3339. Empty in a review that is being written.
    pub time: String,
}

/// What a reviewer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewVerdict {
    /// It is as it should be.
    Accepted,
    /// A remark.
    Commented,
    /// The ingest is signed off.
    SignedOff,
}

/// Who uses the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Name of the token, or `local`.
    pub name: String,
    /// What they may do.
    pub role: Role,
}

/// What somebody may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Read, search and ask.
    Reader,
    /// Also upload, review and sign off.
    Editor,
}
