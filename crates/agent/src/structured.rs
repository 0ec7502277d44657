//! The answer as a value: the tool that takes it, what must hold for it, and its statements.

use regreader_llm::ToolDefinition;
use regreader_model::{Citation, CitationTarget, PageNumber};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Outcome;
use crate::draft::{Draft, Section};
use crate::library::Library;
use crate::prompt::SUBMIT;

/// Most statements of one answer.
const MAX_STATEMENTS: usize = 60;

/// An answer as a model submits it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submitted {
    /// How the question ends.
    pub outcome: Outcome,
    /// A sentence for the person.
    pub message: Option<String>,
    /// What to do.
    #[serde(default)]
    pub measures: Vec<Said>,
    /// What to mind.
    #[serde(default)]
    pub cautions: Vec<Said>,
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// What the statement says.
    pub text: String,
    /// Where it stands.
    pub citations: Vec<Cited>,
}

/// One citation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cited {
    /// Regulation that the statement belongs to.
    pub reg_id: String,
    /// Page that the statement stands on.
    pub page_num: u32,
    /// Table, clause or note.
    pub target: Option<String>,
}

/// The tool that takes the answer.
pub fn submit_tool() -> ToolDefinition {
    let statement = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "description": "一条陈述；数字、单位和引文与原文逐字一致" },
            "citations": {
                "type": "array", "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "reg_id": { "type": "string", "description": "规程标识" },
                        "page_num": { "type": "integer", "minimum": 1, "description": "物理页码" },
                        "target": { "type": "string", "description": "表号、条款号或注号，如 表6-2、6.2.1、注1" },
                    },
                    "required": ["reg_id", "page_num"], "additionalProperties": false,
                },
            },
        },
        "required": ["text", "citations"], "additionalProperties": false,
    });
    ToolDefinition {
        name: SUBMIT.to_owned(),
        description: "提交最终答案：一组陈述，每条带出处。只在读完原文后调用一次。".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "outcome": { "type": "string", "enum": ["answered", "related", "not_found", "declined"],
                    "description": "answered：原文直接回答；related：只找到可能相关的条文，或问题有两种理解需要追问；not_found：规程未提及" },
                "message": { "type": "string", "description": "未找到、拒绝时对用户说的一句话；related 时可写一个追问" },
                "measures": { "type": "array", "items": statement, "description": "处置措施或直接回答，按顺序" },
                "cautions": { "type": "array", "items": statement, "description": "注意事项：注释、限制条件、被引用的条款" },
            },
            "required": ["outcome"], "additionalProperties": false,
        }),
    }
}

/// Reads an answer and checks everything that needs no page; what is wrong comes back in words.
pub fn validate(value: &Value, library: &Library) -> Result<Submitted, Vec<String>> {
    let submitted: Submitted =
        serde_json::from_value(value.clone()).map_err(|error| vec![format!("不符合格式: {error}")])?;
    let mut problems = Vec::new();
    let all: Vec<&Said> = submitted.measures.iter().chain(&submitted.cautions).collect();
    let claims_something = matches!(submitted.outcome, Outcome::Answered | Outcome::Related);
    if !claims_something && !matches!(submitted.outcome, Outcome::NotFound | Outcome::Declined) {
        problems.push("outcome 须为 answered、related、not_found 或 declined".to_owned());
    }
    if claims_something && submitted.measures.is_empty() {
        problems.push("outcome 为 answered 或 related 时 measures 不能为空".to_owned());
    }
    if !claims_something && !all.is_empty() {
        problems.push("outcome 为 not_found 或 declined 时不能有陈述".to_owned());
    }
    if all.len() > MAX_STATEMENTS {
        problems.push(format!("陈述过多：最多 {MAX_STATEMENTS} 条"));
    }
    for said in all.iter().take(MAX_STATEMENTS) {
        let shown: String = said.text.chars().take(40).collect();
        if said.text.trim().is_empty() {
            problems.push("有一条陈述是空的".to_owned());
        }
        if said.citations.is_empty() {
            problems.push(format!("“{shown}” 没有出处"));
        }
        for cited in &said.citations {
            match library.find(&cited.reg_id) {
                None => problems.push(format!("“{shown}” 的规程不存在: {}", cited.reg_id)),
                Some(entry)
                    if cited.page_num == 0
                        || (entry.total_pages > 0 && cited.page_num > entry.total_pages) =>
                {
                    problems.push(format!(
                        "“{shown}” 的页码 {} 不存在（共 {} 页）",
                        cited.page_num, entry.total_pages
                    ));
                }
                Some(_) => {}
            }
        }
    }
    if problems.is_empty() { Ok(submitted) } else { Err(problems) }
}

/// Looks for an answer in text, for models that write it instead of submitting it.
pub fn in_text(text: &str) -> Option<Value> {
    let start = text.find('{')?;
    let end = text.rfind('}')?;
    let value: Value = serde_json::from_str(text.get(start..=end)?).ok()?;
    (!value["outcome"].is_null()).then_some(value)
}

impl Submitted {
    /// Its statements, ready to be checked.
    pub fn drafts(&self) -> Vec<Draft> {
        let draft = |section: Section| {
            move |said: &Said| Draft {
                section,
                text: said.text.trim().to_owned(),
                places: said.citations.iter().map(place).collect(),
            }
        };
        self.measures
            .iter()
            .map(draft(Section::Measures))
            .chain(self.cautions.iter().map(draft(Section::Cautions)))
            .collect()
    }
}

fn place(cited: &Cited) -> Citation {
    Citation {
        name: cited.reg_id.clone(),
        page_num: PageNumber::new(cited.page_num),
        target: cited.target.as_deref().and_then(CitationTarget::read),
        ..Citation::default()
    }
}
