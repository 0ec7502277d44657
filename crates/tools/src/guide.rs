//! `get_tool_guide`: which tool when, and the ways through them.

use std::io;

use regreader_messages::errors;
use regreader_model::DomainError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Argument, Category, Phase, Tool, argument};
use crate::{Sheet, TOOLS, ToolError, Toolbox};

/// Arguments of `get_tool_guide`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetToolGuide {
    /// 只看这一类：search, read, trace, discover, navigate
    pub category: Option<String>,
    /// 同时给出工作流
    #[serde(default = "crate::tool::yes")]
    pub include_workflows: bool,
}

/// Result of `get_tool_guide`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolGuide {
    /// The tools that fit.
    pub tools: Vec<ToolEntry>,
    /// Ways through them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workflows: Vec<WorkflowEntry>,
}

/// One tool in the guide.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ToolEntry {
    /// Name of the tool.
    pub name: String,
    /// Title of the tool, for a person.
    pub title: String,
    /// Category of the tool.
    pub category: String,
    /// Phase of reading that the tool is for.
    pub phase: String,
    /// When to use it.
    pub description: String,
}

/// One workflow in the guide.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowEntry {
    /// Name of the workflow.
    pub name: String,
    /// When to follow it.
    pub when: String,
    /// Tools in order.
    pub steps: Vec<String>,
}

impl Tool for GetToolGuide {
    const NAME: &'static str = "get_tool_guide";
    const COMMAND: &'static str = "mcp-tools";
    const TITLE: &'static str = "工具指南";
    const DESCRIPTION: &'static str = "何时用哪个工具，以及简单查询、表格查询、引用追踪、跨规程查询、深度探索、版本改动、影响查询、某日适用八种工作流。";
    const CATEGORY: Category = Category::Navigate;
    const PHASE: Phase = Phase::Navigation;
    const HELP: &'static str = "Show the tools and the ways through them";
    const ARGUMENTS: &'static [Argument] =
        &[argument("category", "[CATEGORY]", "Only this category: search, read, trace, discover, navigate")];
    type Response = ToolGuide;

    /// Which tool when.
    fn run(&self, _: &Toolbox) -> Result<ToolGuide, ToolError> {
        let category = match &self.category {
            None => None,
            Some(name) => {
                Some(Category::ALL.into_iter().find(|category| category.name() == name).ok_or_else(|| {
                    let names: Vec<&str> = Category::ALL.iter().map(|category| category.name()).collect();
                    DomainError::InvalidArgument {
                        name: "category",
                        reason: errors::choose_from(names.join(", ")),
                    }
                })?)
            }
        };
        let tools = TOOLS.iter().filter(|tool| category.is_none_or(|category| tool.category == category));
        let workflows = WORKFLOWS.iter().filter(|_| self.include_workflows);
        Ok(ToolGuide {
            tools: tools
                .map(|tool| ToolEntry {
                    name: tool.name.to_owned(),
                    title: tool.title.to_owned(),
                    category: tool.category.name().to_owned(),
                    phase: tool.phase.name().to_owned(),
                    description: tool.description.to_owned(),
                })
                .collect(),
            workflows: workflows
                .map(|workflow| WorkflowEntry {
                    name: workflow.name.to_owned(),
                    when: workflow.when.to_owned(),
                    steps: workflow.steps.iter().map(|step| (*step).to_owned()).collect(),
                })
                .collect(),
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        let row = |tool: &ToolEntry| vec![tool.phase.clone(), tool.name.clone(), tool.title.clone()];
        let rows: Vec<Vec<String>> = response.tools.iter().map(row).collect();
        for (line, tool) in sheet.columns(&rows).into_iter().zip(&response.tools) {
            sheet.line(&line)?;
            sheet.line(&format!("    {}", sheet.dim(&tool.description)))?;
        }
        for workflow in &response.workflows {
            let (name, steps) = (sheet.bold(&workflow.name), workflow.steps.join(" → "));
            sheet.line(&format!("{name}（{}）: {steps}", workflow.when))?;
        }
        Ok(())
    }
}

/// A way through the tools for one kind of question.
#[derive(Debug, Clone, Copy)]
pub struct Workflow {
    /// Its name.
    pub name: &'static str,
    /// When to go this way.
    pub when: &'static str,
    /// Tools in order.
    pub steps: &'static [&'static str],
}

/// The ways through.
pub const WORKFLOWS: &[Workflow] = &[
    Workflow {
        name: "简单查询",
        when: "一个事实、一条规定",
        steps: &["get_toc", "smart_search", "read_page_range"],
    },
    Workflow {
        name: "表格查询",
        when: "限额、参数、定值等表中数值",
        steps: &["search_tables", "get_table_by_id", "lookup_annotation"],
    },
    Workflow {
        name: "引用追踪",
        when: "正文或单元格中有“见注X”“见表X”“按第X条”",
        steps: &["smart_search", "read_page_range", "resolve_reference", "lookup_annotation"],
    },
    Workflow {
        name: "跨规程查询",
        when: "问题涉及两部以上规程",
        steps: &["list_regulations", "smart_search", "read_page_range"],
    },
    Workflow {
        name: "深度探索",
        when: "相似条款、两个章节的异同",
        steps: &["get_chapter_structure", "read_chapter_content", "find_similar_content", "compare_sections"],
    },
    Workflow {
        name: "版本改动",
        when: "新旧版本改了什么，哪些改动涉及某设备、某站（entities）",
        steps: &["list_regulations", "list_changes", "compare_sections", "verify_citation"],
    },
    Workflow {
        name: "影响查询",
        when: "哪些条款、表格行和注释涉及某设备、线路、断面、厂站",
        steps: &["find_mentions", "trace_impact", "read_chapter_content"],
    },
    Workflow {
        name: "某日适用",
        when: "某一天（过去或将来）适用哪一版、当时怎么规定：各步都给 as_of",
        steps: &["list_regulations", "smart_search", "read_page_range", "resolve_reference"],
    },
];
