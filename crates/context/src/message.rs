//! The one sentence that goes with a result. The choice among them is the rule in the crate's docs.

use regreader_messages::context;

use crate::model::TaskType;

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
        Outcome { documents: 0, .. } => context::NOT_ESTABLISHED,
        _ if task_type == TaskType::QuickChange => context::QUICK_CHANGE,
        Outcome { fallback: 1.., .. } if task_type == TaskType::General => context::FALLBACK_GENERAL,
        Outcome { fallback: 1.., .. } => context::FALLBACK_BY_TASK,
        Outcome { global_documents: 0, .. } => context::NOT_ESTABLISHED,
        Outcome { fallback_filtered: 1.., .. } => context::FALLBACK_FILTERED,
        _ => context::FALLBACK_ABSENT,
    };
    text.into()
}

fn found(outcome: &Outcome) -> String {
    let total = outcome.matches + outcome.fallback;
    if outcome.only_mentioned > 0 && outcome.fallback == 0 && outcome.other_epic_by_name == 0 {
        return context::found_best(total);
    }
    if outcome.other_epic > 0 { context::found_across(total) } else { context::found(total) }
}
