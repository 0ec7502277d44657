//! The record of one change, as tools, exports and screens show it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of change it is. The order is the order of importance in which changes are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A number with a meaning has another value: a limit, a time, a share.
    Limit,
    /// Other words.
    Text,
    /// A clause, table, row, column that the older edition does not have.
    Added,
    /// A clause, table, row, column that the newer edition does not have.
    Deleted,
    /// One clause became several.
    Split,
    /// Several clauses became one.
    Merged,
    /// The same text in another place of the document.
    Moved,
    /// The same text under another number.
    Renumbered,
    /// A note or plan changed, came or went.
    Note,
    /// Spelling that folding takes for the same: width, spaces, units in another script.
    Format,
}

impl ChangeKind {
    /// All kinds in order of importance.
    pub const ALL: [Self; 10] = [
        Self::Limit,
        Self::Text,
        Self::Added,
        Self::Deleted,
        Self::Split,
        Self::Merged,
        Self::Moved,
        Self::Renumbered,
        Self::Note,
        Self::Format,
    ];

    /// The name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Text => "text",
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Split => "split",
            Self::Merged => "merged",
            Self::Moved => "moved",
            Self::Renumbered => "renumbered",
            Self::Note => "note",
            Self::Format => "format",
        }
    }

    /// The kind as the difference read from the newer to the older edition has it.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Added => Self::Deleted,
            Self::Deleted => Self::Added,
            Self::Split => Self::Merged,
            Self::Merged => Self::Split,
            same => same,
        }
    }
}

/// Where one side of a change stands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// 规程标识
    pub reg_id: String,
    /// 条款编号；附录内另行编号的条款前加附录名（附录B/第13条）
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// 条款标题或开头
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// 表号（2-2）；无表号时为表格标识
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// 表格标识
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_id: Option<String>,
    /// 数据行序号，从 0 起
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u32>,
    /// 该行的标志性单元格（行键）
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub row_label: Vec<String>,
    /// 列序号，从 0 起
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub col: Option<u32>,
    /// 列名
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// 注释标号
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// 物理页码：条款、表格行或注释开始的页
    pub page: u32,
    /// 改动的文字所在的页，条款跨页且改动不在首页时给出；block_id 与 bbox 指该页
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_page: Option<u32>,
    /// 内容块标识
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// 页面上的位置（点，左上为原点）：x0, y0, x1, y1
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bbox: Option<[f32; 4]>,
}

/// A number that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuantityChange {
    /// 旧值
    pub old: String,
    /// 新值
    pub new: String,
    /// 单位；原文未写时为空
    pub unit: String,
    /// 新值减旧值，精确十进制；两侧单位不同而不可比时为空
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeRecord {
    /// 类别
    pub kind: ChangeKind,
    /// 旧版位置；新增时为空
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Place>,
    /// 新版位置；删除时为空
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Place>,
    /// 拆分、合并时其余的位置
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Place>,
    /// 旧文
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
    /// 新文
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_text: Option<String>,
    /// 改动的字词：[-删去-]{+加入+}
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// 改动的数值（最先一处）
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<QuantityChange>,
    /// 其余改动的数值
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_quantities: Vec<QuantityChange>,
    /// 涉及的设备、线路、断面、厂站
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// 配对的把握，0 至 1
    pub confidence: f32,
    /// 可能对应：相似但不足以认定为同一条
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub possibly: Option<Place>,
}

/// Everything that changed between two editions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// 改动，数值在前
    pub changes: Vec<ChangeRecord>,
    /// 各类改动的条数
    pub counts: BTreeMap<String, usize>,
    /// Clauses that say the same in both editions.
    #[serde(skip)]
    pub same: usize,
}

impl Changes {
    /// The list in order of importance, then of the document, with its counts.
    pub fn new(mut changes: Vec<ChangeRecord>) -> Self {
        // Stable: within a kind the records come in document order.
        changes.sort_by_key(|record| record.kind);
        let mut counts = BTreeMap::new();
        for record in &changes {
            *counts.entry(record.kind.name().to_owned()).or_insert(0) += 1;
        }
        Self { changes, counts, same: 0 }
    }
}

impl ChangeRecord {
    /// A record with places only.
    pub(crate) fn new(kind: ChangeKind, old: Option<Place>, new: Option<Place>, confidence: f32) -> Self {
        Self {
            kind,
            old,
            new,
            others: Vec::new(),
            old_text: None,
            new_text: None,
            words: None,
            quantity: None,
            more_quantities: Vec::new(),
            entities: Vec::new(),
            confidence,
            possibly: None,
        }
    }

    /// All numbers that changed, first one first.
    pub fn quantities(&self) -> impl Iterator<Item = &QuantityChange> {
        self.quantity.iter().chain(&self.more_quantities)
    }

    /// The place to show: where it stands now, or stood.
    pub fn place(&self) -> Option<&Place> {
        self.new.as_ref().or(self.old.as_ref())
    }
}
