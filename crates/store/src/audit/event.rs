//! What is worth a line in the log, each kind with its own fields, all of them bounded.

use regreader_model::{RegId, RegulationInfo};
use serde::{Deserialize, Serialize};

use super::redact::redact;
use crate::write::Change;

/// Something that was done with a library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[non_exhaustive]
pub enum AuditEvent {
    /// A regulation was stored.
    Ingested {
        /// Regulation that was stored.
        reg_id: RegId,
        /// `new`, `replaced` or `unchanged`.
        change: String,
        /// Name of the file it came from.
        source_file: String,
        /// How many pages it has.
        total_pages: u32,
        /// Hash of the source document.
        source_hash: Option<String>,
        /// Hash of the content.
        content_hash: Option<String>,
    },
    /// What is known about a regulation was changed.
    InfoUpdated {
        /// Regulation whose information changed.
        reg_id: RegId,
        /// The fields that changed.
        fields: Vec<String>,
    },
    /// A regulation was deleted.
    Deleted {
        /// Regulation that was deleted.
        reg_id: RegId,
        /// Hash of the content that is gone, if it could be read.
        content_hash: Option<String>,
    },
    /// Regulations were written to a bundle or to a folder of the old layout.
    Exported {
        /// Regulations that were written.
        reg_ids: Vec<RegId>,
        /// blake3 of the bundle; none when they were written in the old layout.
        bundle_hash: Option<String>,
    },
    /// Regulations were taken from a bundle.
    Imported {
        /// Regulations that were taken in.
        reg_ids: Vec<RegId>,
        /// blake3 of the bundle.
        bundle_hash: String,
    },
    /// A derived file of a regulation was made anew.
    Repaired {
        /// Regulation that was repaired.
        reg_id: RegId,
        /// What was done.
        actions: Vec<String>,
    },
    /// A reviewer said something about how a regulation was read.
    Reviewed {
        /// Which regulation.
        reg_id: RegId,
        /// Hash of the content that was reviewed: a review counts for that and for nothing that is read later.
        content_hash: String,
        /// The finding of the quality report; none for the regulation as a whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        finding: Option<String>,
        /// `accepted`, `commented` or `signed_off`.
        verdict: String,
        /// In the reviewer's words.
        comment: String,
        /// The name that the reviewer signs with.
        name: String,
    },
    /// Somebody asked or searched.
    Asked {
        /// The words.
        question: String,
        /// Regulations that were searched.
        reg_ids: Vec<RegId>,
        /// The tool or agent that was asked.
        by: String,
        /// What came of it, in a few words.
        outcome: String,
    },
}

const MAX_TEXT: usize = 500;
const MAX_NAME: usize = 128;
const MAX_LIST: usize = 64;

impl AuditEvent {
    pub(crate) fn ingested(info: &RegulationInfo, change: Change) -> Self {
        Self::Ingested {
            reg_id: info.reg_id.clone(),
            change: change.name().to_owned(),
            source_file: info.source_file.clone(),
            total_pages: info.total_pages,
            source_hash: info.source_hash.clone(),
            content_hash: info.content_hash.clone(),
        }
    }

    pub(crate) fn updated(before: &RegulationInfo, after: &RegulationInfo) -> Self {
        let fields = [
            ("title", before.title != after.title),
            ("description", before.description != after.description),
            ("keywords", before.keywords != after.keywords),
            ("scope", before.scope != after.scope),
            ("aliases", before.aliases != after.aliases),
            ("series", before.series != after.series),
            ("edition", before.edition != after.edition),
            ("effective_from", before.effective_from != after.effective_from),
            ("supersedes", before.supersedes != after.supersedes),
            ("events", before.events != after.events),
        ];
        let changed = fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned());
        Self::InfoUpdated { reg_id: after.reg_id.clone(), fields: changed.collect() }
    }

    /// Whether the library is another after it: such a line is synced before the call returns.
    pub(super) fn is_change(&self) -> bool {
        !matches!(self, Self::Asked { .. } | Self::Exported { .. })
    }

    /// The same with every text cut to length and secrets masked, every list cut short.
    pub(super) fn bounded(mut self) -> Self {
        match &mut self {
            Self::Ingested { change, source_file, source_hash, content_hash, .. } => {
                *change = bounded(change, MAX_NAME);
                *source_file = bounded(source_file, MAX_NAME);
                bound_option(source_hash);
                bound_option(content_hash);
            }
            Self::Deleted { content_hash, .. } => bound_option(content_hash),
            Self::InfoUpdated { fields: texts, .. } | Self::Repaired { actions: texts, .. } => {
                texts.truncate(MAX_LIST);
                for text in texts {
                    *text = bounded(text, MAX_NAME);
                }
            }
            Self::Exported { reg_ids, bundle_hash } => {
                reg_ids.truncate(MAX_LIST);
                bound_option(bundle_hash);
            }
            Self::Imported { reg_ids, bundle_hash } => {
                reg_ids.truncate(MAX_LIST);
                *bundle_hash = cut(bundle_hash, MAX_NAME);
            }
            Self::Reviewed { content_hash, finding, verdict, comment, name, .. } => {
                *content_hash = cut(content_hash, MAX_NAME);
                *finding = finding.take().map(|finding| bounded(&finding, MAX_TEXT));
                *verdict = bounded(verdict, MAX_NAME);
                *comment = bounded(comment, MAX_TEXT);
                *name = bounded(name, MAX_NAME);
            }
            Self::Asked { question, reg_ids, by, outcome } => {
                *question = bounded(question, MAX_TEXT);
                reg_ids.truncate(MAX_LIST);
                *by = bounded(by, MAX_NAME);
                *outcome = bounded(outcome, MAX_TEXT);
            }
        }
        self
    }
}

/// Hashes look like secrets and are none.
fn bound_option(hash: &mut Option<String>) {
    if let Some(hash) = hash {
        *hash = cut(hash, MAX_NAME);
    }
}

/// At most so many characters, with secrets masked.
pub(super) fn bounded(text: &str, max_chars: usize) -> String {
    // A secret that the cut would shorten past recognition is masked first; what lies far behind is never looked at.
    let near: String = text.chars().take(max_chars * 2).collect();
    cut(&redact(&near), max_chars)
}

fn cut(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    text.chars().take(max_chars.saturating_sub(1)).chain(['…']).collect()
}
