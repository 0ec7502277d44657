//! `search_context`: the context documents of a development task.

use regreader_context::{ContextError, SearchRequest};
use serde_json::json;

use crate::requests as rq;
use crate::results as rs;
use crate::{ToolError, Toolbox};

impl Toolbox {
    /// The few context documents that a task needs.
    pub fn search_context(&self, request: &rq::SearchContext) -> Result<rs::ContextResults, ToolError> {
        let invalid = |reason: String| ToolError::InvalidArguments { reason };
        let request: SearchRequest = serde_json::from_value(json!({
            "keywords": request.keywords,
            "task_type": request.task_type,
            "epic": request.epic,
            "type": request.types,
        }))
        .map_err(|error| invalid(error.to_string()))?;
        let found = regreader_context::search(&self.options.context_root, &request)
            .map_err(|error: ContextError| invalid(error.to_string()))?
            .result;
        Ok(rs::ContextResults {
            total: found.total as u32,
            task_type: found.task_type.to_string(),
            contexts: found.contexts,
            search_keywords: found.search_keywords,
            message: found.message,
        })
    }
}
