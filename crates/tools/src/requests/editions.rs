//! Arguments of the tools about editions, changes and impact.

use regreader_changes::ChangeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments of `list_changes`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListChanges {
    /// 旧版的规程标识
    pub old: String,
    /// 新版的规程标识
    pub new: String,
    /// 只要这些类别；不填则除 format（仅格式不同，只计数）外全部列出
    #[serde(default)]
    pub kinds: Vec<ChangeKind>,
    /// 只要这一章节之内的改动：新版或旧版的编号或标题
    #[serde(default)]
    pub chapter: Option<String>,
    /// 只要涉及这些设备、线路、断面、厂站或术语的改动（关注清单）
    #[serde(default)]
    pub entities: Vec<String>,
    /// 最多返回几条
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: u32,
    /// 从上次返回的 next 继续
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Arguments of `find_mentions`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindMentions {
    /// 设备、线路、断面、厂站或术语的名称；台账中的别名一并查找
    pub entity: String,
    /// 只查这些规程；不填则查全部
    #[serde(default)]
    pub reg_ids: Vec<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
    /// 最多返回几条
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: u32,
    /// 从上次返回的 next 继续
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Arguments of `trace_impact`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceImpact {
    /// 设备、线路、断面、厂站或术语的名称；台账中的别名一并查找
    pub entity: String,
    /// 追踪几层：0 只列指名之处，1 加上所在表的注释、所在列和引用它们的条款
    #[serde(default = "one")]
    #[schemars(range(max = 4))]
    pub depth: u32,
    /// 只查这些规程；不填则查全部
    #[serde(default)]
    pub reg_ids: Vec<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
    /// 最多返回几条
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: u32,
    /// 从上次返回的 next 继续
    #[serde(default)]
    pub cursor: Option<String>,
}

fn hundred() -> u32 {
    100
}

fn one() -> u32 {
    1
}
