//! What went well and badly while a document was read, with page numbers, so that a person can sign it off.

use std::collections::BTreeMap;
use std::fmt;

use regreader_messages::{Both, Language, interface};
use serde::{Deserialize, Serialize};

use crate::{PageNumber, RegId, TableId};

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Something may be wrong: look at the page.
    Warning,
    /// Something is missing.
    Error,
}

/// What a diagnostic is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticCode {
    /// A page could not be read at all.
    PageUnreadable,
    /// A page without usable text, and no recogniser at hand.
    NeedsOcr,
    /// Text recognised with low confidence.
    LowConfidence,
    /// Characters without Unicode meaning.
    UnmappedGlyphs,
    /// A font that is neither embedded nor present.
    MissingFont,
    /// Page numbers are estimates.
    ApproximatePages,
    /// Lines that may be two columns were read from side to side.
    ReadingOrder,
    /// A number that does not follow from the one before it.
    NumberingGap,
    /// Contents pages, outline and headings disagree.
    ContentsMismatch,
    /// Two tables were joined, or kept apart against appearances.
    TableStitching,
    /// A table caption for which no table was found.
    CaptionUnbound,
    /// A table whose grid does not close.
    TableDamaged,
    /// A reference that leads nowhere.
    UnresolvedReference,
    /// A limit on size, depth or time cut something off.
    LimitReached,
    /// A part of the file that is damaged or not understood.
    Malformed,
}

/// One remark about a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// What it is about.
    pub code: DiagnosticCode,
    /// Where, if it has a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_num: Option<PageNumber>,
    /// For a person, in Chinese.
    pub message: String,
    /// The same in English; empty in a library that an older version wrote.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message_en: String,
}

impl Diagnostic {
    /// A remark about one page.
    pub fn on_page(
        severity: Severity,
        code: DiagnosticCode,
        page: PageNumber,
        message: impl Into<Both>,
    ) -> Self {
        Self { page_num: Some(page), ..Self::on_document(severity, code, message) }
    }

    /// A remark about the whole document.
    pub fn on_document(severity: Severity, code: DiagnosticCode, message: impl Into<Both>) -> Self {
        let Both { chinese: message, english: message_en } = message.into();
        Self { severity, code, page_num: None, message, message_en }
    }

    /// The message in a language, as far as it has been stored in it.
    pub fn said(&self, language: Language) -> &str {
        stored(language, &self.message, &self.message_en)
    }
}

/// Of a text that is stored in both languages, one; an older version stored the Chinese alone.
fn stored<'t>(language: Language, chinese: &'t str, english: &'t str) -> &'t str {
    if english.is_empty() { chinese } else { language.choose(chinese, english) }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.page_num {
            Some(page) => write!(f, "P{page}: {}", self.said(interface())),
            None => f.write_str(self.said(interface())),
        }
    }
}

/// `quality.json`: how well a regulation was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QualityReport {
    /// The regulation.
    pub reg_id: RegId,
    /// Pages by text origin (`text_layer`, `ocr`, `ocr_layer`, `needs_ocr`, `blank`).
    #[serde(default)]
    pub pages_by_origin: BTreeMap<String, Vec<PageNumber>>,
    /// Pages recognised with low confidence.
    #[serde(default)]
    pub low_confidence_pages: Vec<PageNumber>,
    /// Tables joined over pages, and why.
    #[serde(default)]
    pub stitched_tables: Vec<StitchRecord>,
    /// Numbers that do not follow.
    #[serde(default)]
    pub numbering_gaps: Vec<NumberingGap>,
    /// References that lead nowhere.
    #[serde(default)]
    pub unresolved_references: Vec<UnresolvedReference>,
    /// Text that is not content: running heads, page numbers, watermarks, contents pages.
    #[serde(default)]
    pub dropped_text: Vec<DroppedText>,
    /// Everything else.
    #[serde(default)]
    pub diagnostics: Vec<Diagnostic>,
}

/// Two segments that were joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StitchRecord {
    /// The logical table.
    pub table_id: TableId,
    /// Page of the earlier segment.
    pub from_page: PageNumber,
    /// Page of the later segment.
    pub to_page: PageNumber,
    /// Whether the header was printed again.
    pub header_repeated: bool,
    /// Why they were taken for one table, in Chinese.
    pub reason: String,
    /// The same in English; empty in a library that an older version wrote.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason_en: String,
}

impl StitchRecord {
    /// The reason in a language, as far as it has been stored in it.
    pub fn said(&self, language: Language) -> &str {
        stored(language, &self.reason, &self.reason_en)
    }
}

/// A clause number that does not follow from what stands before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberingGap {
    /// Page of the number.
    pub page_num: PageNumber,
    /// The number found.
    pub found: String,
    /// What would have followed.
    pub expected: String,
}

/// A reference without a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnresolvedReference {
    /// Page on which it stands.
    pub page_num: PageNumber,
    /// Its words.
    pub text: String,
    /// What is near.
    pub candidates: Vec<String>,
}

/// Text left out of the content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedText {
    /// Page on which it stood.
    pub page_num: PageNumber,
    /// The text.
    pub text: String,
    /// Why: `running_head`, `page_number`, `watermark`, `contents`.
    pub reason: String,
}

impl QualityReport {
    /// A report with nothing in it yet.
    pub fn empty(reg_id: RegId) -> Self {
        Self {
            reg_id,
            pages_by_origin: BTreeMap::new(),
            low_confidence_pages: Vec::new(),
            stitched_tables: Vec::new(),
            numbering_gaps: Vec::new(),
            unresolved_references: Vec::new(),
            dropped_text: Vec::new(),
            diagnostics: Vec::new(),
        }
    }
}
