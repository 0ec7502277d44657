//! What the library holds, as an agent sees it.

use regreader_messages::{agents, tools};
use regreader_text::fold_name;
use regreader_tools::{ListRegulations, RegulationEntry};

use crate::{ToolClient, ToolFailure};

/// All regulations that may be used.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// The regulations.
    pub entries: Vec<RegulationEntry>,
}

impl Library {
    /// Asks the tools. Only the regulations named in `only` are kept, when there are any.
    pub fn load(client: &dyn ToolClient, only: &[String]) -> Result<Self, ToolFailure> {
        let entries = client.call(&ListRegulations::default())?.regulations;
        for wanted in only {
            if !entries.iter().any(|entry| entry.reg_id == *wanted) {
                return Err(ToolFailure {
                    name: "RegulationNotFoundError".to_owned(),
                    message: tools::no_regulation(wanted),
                    hint: Some(agents::SEE_LIST.into()),
                });
            }
        }
        let kept = entries.into_iter().filter(|entry| only.is_empty() || only.contains(&entry.reg_id));
        Ok(Self { entries: kept.collect() })
    }

    /// A regulation by id, alias or title.
    pub fn find(&self, name: &str) -> Option<&RegulationEntry> {
        let name = fold_name(name);
        self.entries.iter().find(|entry| entry.names().any(|known| fold_name(known) == name))
    }
}
