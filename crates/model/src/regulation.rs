//! A regulation: what is known about it, and all of it together.

use serde::{Deserialize, Serialize};

use crate::{
    DocumentStructure, EditionEvent, PageDocument, QualityReport, ReferenceGraph, RegId, SourceFormat,
    TableRegistry,
};

/// What is known about a regulation: `info.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegulationInfo {
    /// Its name in the library.
    pub reg_id: RegId,
    /// Title as printed.
    pub title: String,
    /// Number of the document as it prints it, in canonical form (`GB 38755-2019`, `CIP-006-6`, `国务院令第196号`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Who issues it, as its cover says: people name a document by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// Name of the file it came from.
    pub source_file: String,
    /// Physical pages.
    pub total_pages: u32,
    /// When this content was first ingested, RFC 3339. Ingesting the same content again does not change it.
    pub indexed_at: String,
    /// One sentence on what it is about.
    pub description: Option<String>,
    /// Subject words, used to choose regulations for a question.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// What kind of question it answers.
    pub scope: Option<String>,
    /// Short names that people use, best first (`安规2024`, `安规`). The first is used in citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What the editions of one regulation share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    /// Which edition this is (`2024`, `第二版`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// Date from which it is in force, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_from: Option<String>,
    /// The edition that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<RegId>,
    /// What happened to this edition, and what it did to others, as far as it is written or was said by a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EditionEvent>,
    /// Format of the source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_format: Option<SourceFormat>,
    /// blake3 of the source file, hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_hash: Option<String>,
    /// blake3 over pages, structure, tables, references and quality report, hex: what an index was built from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// Version of the reading pipeline that made the content; another version reads the source anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<String>,
    /// The format has no physical pages and these were estimated.
    #[serde(default)]
    pub pages_approximate: bool,
}

impl RegulationInfo {
    /// The name to print in a citation: the first alias, else the title.
    ///
    /// ```
    /// # use regreader_model::RegulationInfo;
    /// # let json = r#"{"reg_id":"angui_2024","title":"安全自动装置规定","source_file":"a.pdf","total_pages":1,"indexed_at":""}"#;
    /// let mut info: RegulationInfo = serde_json::from_str(json).unwrap();
    /// assert_eq!(info.short_name(), "安全自动装置规定");
    /// info.aliases = vec!["安规2024".into()];
    /// assert_eq!(info.short_name(), "安规2024");
    /// ```
    pub fn short_name(&self) -> &str {
        self.aliases.first().unwrap_or(&self.title)
    }
}

/// A whole regulation in memory: what assembly makes and the store keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Regulation {
    /// Title, names, edition and page count, as lists of regulations show them.
    pub info: RegulationInfo,
    /// Pages 1 to `info.total_pages`, none missing.
    pub pages: Vec<PageDocument>,
    /// Chapter tree.
    pub structure: DocumentStructure,
    /// Every table of the regulation, each whole over its pages.
    pub tables: TableRegistry,
    /// Cross-references found in its text, and where each leads.
    pub references: ReferenceGraph,
    /// What an engineer needs to sign it off.
    pub quality: QualityReport,
}
