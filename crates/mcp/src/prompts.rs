//! Prompts: the answering protocol with the library as it is, and ways to start from it.

use regreader_messages::{errors, tools};
use regreader_tools::{ListRegulations, Tool, ToolFailure, Toolbox};
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::desk::report;
use crate::protocol::{TEXT, protocol};

/// The prompts there are.
pub fn list() -> Vec<Prompt> {
    let argument = |name: &str, description: &str, required: bool| {
        PromptArgument::new(name).with_description(description).with_required(required)
    };
    vec![
        Prompt::new(
            "answer_question",
            Some("按回答规程，依据规程库回答一个问题，逐句注明来源"),
            Some(vec![
                argument("question", "要回答的问题", true),
                argument("reg_id", "只用这一部规程；不填则自动选择", false),
            ]),
        )
        .with_title("回答规程问题"),
        Prompt::new(
            "explain_section",
            Some("读完一个章节及其表格、注释、引用，说明其要求"),
            Some(vec![
                argument("reg_id", "规程标识", true),
                argument("section_number", "章节编号，如 2.1.4", true),
            ]),
        )
        .with_title("解读章节"),
        Prompt::new("protocol", Some("回答规程：角色、规程库、操作与输出要求"), None).with_title("回答规程"),
    ]
}

/// A prompt, filled in.
pub fn get(toolbox: &Toolbox, name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ToolFailure> {
    let listed = ListRegulations::default().run(toolbox).map_err(|error| error.report())?;
    let mut text = protocol(&listed.regulations, TEXT);
    match name {
        "answer_question" => {
            let question = required(arguments, "question")?;
            if let Some(reg_id) = given(arguments, "reg_id") {
                text.push_str(&format!("\n# 范围\n只用规程 {reg_id}。\n"));
            }
            text.push_str(&format!("\n# 问题\n{question}\n"));
        }
        "explain_section" => {
            let (reg_id, section) = (required(arguments, "reg_id")?, required(arguments, "section_number")?);
            text.push_str(&format!(
                "\n# 任务\n用 read_chapter_content 读完规程 {reg_id} 的 {section}，追踪其中的表格、注释和引用，\
                 逐条说明其要求，每条注明来源。\n"
            ));
        }
        "protocol" => {}
        _ => {
            let shown: String = name.chars().take(80).collect();
            return Err(report("UnknownPromptError", errors::no_prompt(shown), errors::SEE_PROMPTS));
        }
    }
    let title = list().into_iter().find(|prompt| prompt.name == name).and_then(|prompt| prompt.description);
    let result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    Ok(match title {
        Some(title) => result.with_description(title),
        None => result,
    })
}

fn given<'a>(arguments: &'a JsonObject, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str).map(str::trim).filter(|value| !value.is_empty())
}

fn required<'a>(arguments: &'a JsonObject, name: &'static str) -> Result<&'a str, ToolFailure> {
    given(arguments, name).ok_or_else(|| {
        report("InvalidArgumentError", tools::bad_argument(name, errors::EMPTY), errors::ADD_ARGUMENT)
    })
}
