//! The one sentence that goes with a result. The texts are those of the written guide, the choice among them is the
//! rule in the crate's docs.

use crate::model::TaskType;

pub(crate) const NOT_ESTABLISHED: &str = "项目尚未建立 Context，建议使用 @playbooks/context/add.md 创建";
const QUICK_CHANGE: &str = "未找到精确匹配，quick_change 任务不使用保底返回";
const FALLBACK_GENERAL: &str = "未找到精确匹配，返回通用 Global Context";
const FALLBACK_BY_TASK: &str = "未找到精确匹配，根据任务类型返回相关 Global Context";
const FALLBACK_ABSENT: &str = "未找到精确匹配，任务类型建议的 Global Context 文件都不存在";
const FALLBACK_FILTERED: &str = "未找到精确匹配，类型过滤后没有可返回的 Global Context";

/// What the sentence depends on.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub documents: usize,
    pub global_documents: usize,
    pub matches: usize,
    pub fallback: usize,
    /// Fallback documents that are there but not of a wanted type.
    pub fallback_filtered: usize,
    /// Documents left out because only their content mentions a keyword.
    pub only_mentioned: usize,
    /// Returned matches of an epic that is not the current one, by any rule and by file name.
    pub other_epic: usize,
    pub other_epic_by_name: usize,
}

pub(crate) fn message(task_type: TaskType, outcome: &Outcome) -> String {
    if outcome.matches > 0 {
        return found(outcome);
    }
    let text = match outcome {
        Outcome { documents: 0, .. } => NOT_ESTABLISHED,
        _ if task_type == TaskType::QuickChange => QUICK_CHANGE,
        Outcome { fallback: 1.., .. } if task_type == TaskType::General => FALLBACK_GENERAL,
        Outcome { fallback: 1.., .. } => FALLBACK_BY_TASK,
        Outcome { global_documents: 0, .. } => NOT_ESTABLISHED,
        Outcome { fallback_filtered: 1.., .. } => FALLBACK_FILTERED,
        _ => FALLBACK_ABSENT,
    };
    text.to_owned()
}

fn found(outcome: &Outcome) -> String {
    let total = outcome.matches + outcome.fallback;
    if outcome.only_mentioned > 0 && outcome.fallback == 0 && outcome.other_epic_by_name == 0 {
        return format!("找到 {total} 个高相关度匹配");
    }
    let across = if outcome.other_epic > 0 { "（包含跨 Epic）" } else { "" };
    format!("找到 {total} 个匹配的 Context{across}")
}
