//! What the library holds, as an agent sees it.

use regreader_model::Citation;
use regreader_text::fold;
use serde_json::{Value, json};

use crate::{ToolClient, ToolFailure};

/// One regulation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// Id of the regulation.
    pub reg_id: String,
    /// Title of the regulation.
    pub title: String,
    /// Short names, the one for citations first.
    pub aliases: Vec<String>,
    /// Subject words.
    pub keywords: Vec<String>,
    /// What it answers.
    pub scope: String,
    /// Number of pages.
    pub total_pages: u32,
    /// The edition that it replaces.
    pub supersedes: String,
    /// Its page numbers are estimates.
    pub pages_approximate: bool,
}

impl Entry {
    /// A regulation as `list_regulations` gives it.
    pub fn read(value: &Value) -> Self {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let list = |key: &str| {
            value[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            reg_id: text("reg_id"),
            title: text("title"),
            aliases: list("aliases"),
            keywords: list("keywords"),
            scope: text("scope"),
            total_pages: value["total_pages"]
                .as_u64()
                .and_then(|pages| u32::try_from(pages).ok())
                .unwrap_or(0),
            supersedes: text("supersedes"),
            pages_approximate: value["pages_approximate"] == true,
        }
    }

    /// The name in citations.
    pub fn short_name(&self) -> &str {
        self.aliases.first().unwrap_or(&self.title)
    }

    /// A citation as somebody wrote it, as one of this regulation: with its id, the name that citations print, and the
    /// mark of estimated pages, none of which people and models write.
    pub fn own(&self, written: &Citation) -> Citation {
        Citation {
            reg_id: self.reg_id.parse().ok(),
            name: self.short_name().to_owned(),
            page_approximate: self.pages_approximate,
            ..written.clone()
        }
    }
}

/// All regulations that may be used.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// The regulations.
    pub entries: Vec<Entry>,
}

impl Library {
    /// Asks the tools. Only the regulations named in `only` are kept, when there are any.
    pub fn load(client: &dyn ToolClient, only: &[String]) -> Result<Self, ToolFailure> {
        let listed = client.call("list_regulations", json!({}))?;
        let entries: Vec<Entry> =
            listed["regulations"].as_array().into_iter().flatten().map(Entry::read).collect();
        for wanted in only {
            if !entries.iter().any(|entry| entry.reg_id == *wanted) {
                return Err(ToolFailure {
                    name: "RegulationNotFoundError".to_owned(),
                    message: format!("规程不存在: {wanted}"),
                    hint: Some("用 regreader list 查看已有规程".to_owned()),
                });
            }
        }
        let kept = entries.into_iter().filter(|entry| only.is_empty() || only.contains(&entry.reg_id));
        Ok(Self { entries: kept.collect() })
    }

    /// A regulation by id, alias or title.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        let name = squeeze(name);
        self.entries.iter().find(|entry| {
            let names = [&entry.reg_id, &entry.title];
            names.into_iter().chain(&entry.aliases).any(|known| squeeze(known) == name)
        })
    }
}

fn squeeze(name: &str) -> String {
    fold(name).chars().filter(|c| !c.is_whitespace() && !matches!(c, '《' | '》')).collect()
}
