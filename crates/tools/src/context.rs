//! `search_context`: the context documents of a development task.

use std::io;

use regreader_context::{ContextError, SearchRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::tool::{Category, Phase, Tool};
use crate::{Sheet, ToolError, Toolbox};

/// Arguments of `search_context`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchContext {
    /// 技术关键词
    pub keywords: Vec<String>,
    /// requirements_review, task_generation, quick_change, e2e_test, performance_test, general
    #[serde(default = "crate::tool::general")]
    pub task_type: String,
    /// 当前 Epic，如 EPIC-01
    pub epic: Option<String>,
    /// 只要这些类型：architecture, tech_stack, module_design, data_model, testing_strategy, coding_standard
    #[serde(default)]
    pub types: Vec<String>,
}

/// Result of `search_context`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ContextResults {
    /// Paths, best first.
    pub contexts: Vec<String>,
    /// How many.
    pub total: u32,
    /// Task type.
    pub task_type: String,
    /// Keywords used.
    pub search_keywords: Vec<String>,
    /// What happened.
    pub message: String,
}

impl Tool for SearchContext {
    const NAME: &'static str = "search_context";
    const COMMAND: &'static str = "context";
    const TITLE: &'static str = "开发上下文检索";
    const DESCRIPTION: &'static str = "为开发任务检索 .the_conn/context 下的少量上下文文档。";
    const CATEGORY: Category = Category::Search;
    const PHASE: Phase = Phase::Navigation;
    type Response = ContextResults;

    /// The few context documents that a task needs.
    fn run(&self, toolbox: &Toolbox) -> Result<ContextResults, ToolError> {
        let invalid = |reason: String| ToolError::InvalidArguments { reason };
        let request: SearchRequest = serde_json::from_value(json!({
            "keywords": self.keywords,
            "task_type": self.task_type,
            "epic": self.epic,
            "type": self.types,
        }))
        .map_err(|error| invalid(error.to_string()))?;
        let found = regreader_context::search(&toolbox.options.context_root, &request)
            .map_err(|error: ContextError| invalid(error.to_string()))?
            .result;
        Ok(ContextResults {
            total: found.total as u32,
            task_type: found.task_type.to_string(),
            contexts: found.contexts,
            search_keywords: found.search_keywords,
            message: found.message,
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        response.contexts.iter().try_for_each(|path| sheet.line(path))?;
        sheet.note(&response.message);
        Ok(())
    }
}
