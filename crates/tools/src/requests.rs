//! What each tool takes. Field docs become the descriptions in the JSON schemas.

mod editions;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use editions::{FindMentions, ListChanges, TraceImpact};

/// Which regulations: one, several, `"all"`, or nothing to have them chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RegulationChoice {
    /// One id, or `"all"`.
    One(String),
    /// Several ids.
    Many(Vec<String>),
}

/// Arguments of `list_regulations`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRegulations {
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `get_toc`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetToc {
    /// 规程标识，如 angui_2024
    pub reg_id: String,
    /// 目录层数
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 10))]
    pub max_depth: u32,
    /// 只展开这一章节（编号或标题）之下的目录
    #[serde(default)]
    pub expand_section: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `smart_search`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmartSearch {
    /// 检索内容
    pub query: String,
    /// 规程标识、标识列表、"all"；不填则自动选择
    #[serde(default)]
    pub reg_id: Option<RegulationChoice>,
    /// 限定章节：编号、标题或路径（“6.2”“故障处理”）
    #[serde(default)]
    pub chapter_scope: Option<String>,
    /// 最多返回几条
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: u32,
    /// 只要这些类型的内容块：text, table, heading, list, section_content, note
    #[serde(default)]
    pub block_types: Option<Vec<String>>,
    /// 只要这一条款之内的内容
    #[serde(default)]
    pub section_number: Option<String>,
    /// 同时给出每条命中所在的段落及各项评分
    #[serde(default)]
    pub explain: bool,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `read_page_range`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadPageRange {
    /// 规程标识
    pub reg_id: String,
    /// 起始页（物理页码，从 1 起）
    pub start_page: u32,
    /// 结束页（含），最多连续 10 页
    pub end_page: u32,
    /// 同时返回每页的结构化内容
    #[serde(default)]
    pub include_pages: bool,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// A condition on a column: `开机台数 = 3`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnCondition {
    /// 列名（或其一部分）
    pub column: String,
    /// 取值
    pub value: String,
}

/// How to search tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TableMode {
    /// Words and meaning.
    #[default]
    Hybrid,
    /// By words alone.
    Keyword,
    /// By meaning alone.
    Semantic,
}

/// Arguments of `search_tables`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchTables {
    /// 检索内容：表号、标题、表头或单元格文字
    pub query: String,
    /// 规程标识、标识列表、"all"；不填则自动选择
    #[serde(default)]
    pub reg_id: Option<RegulationChoice>,
    /// 限定章节：编号、标题或路径
    #[serde(default)]
    pub chapter_scope: Option<String>,
    /// 检索方式
    #[serde(default)]
    pub search_mode: TableMode,
    /// 最多返回几个表
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: u32,
    /// 列条件：同时给出匹配的行
    #[serde(default)]
    pub conditions: Vec<ColumnCondition>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `get_table_by_id`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetTable {
    /// 规程标识
    pub reg_id: String,
    /// 表格标识，或表号（表6-2）
    pub table_id: String,
    /// 合并跨页分段；false 时只取该分段
    #[serde(default = "yes")]
    pub include_merged: bool,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `lookup_annotation`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookupAnnotation {
    /// 规程标识
    pub reg_id: String,
    /// 注释：注1、注①、（注一）、方案甲
    pub annotation_id: String,
    /// 在哪一页看到的，用于选取最近的一条
    #[serde(default)]
    pub page_hint: Option<u32>,
    /// 在哪个表中看到的（表格标识或表号）
    #[serde(default)]
    pub table_hint: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Kind of annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnnotationType {
    /// 注
    Note,
    /// 方案
    Plan,
}

/// Arguments of `search_annotations`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchAnnotations {
    /// 规程标识
    pub reg_id: String,
    /// 注释中含有的文字
    #[serde(default)]
    pub pattern: Option<String>,
    /// 类型：note 或 plan
    #[serde(default)]
    pub annotation_type: Option<AnnotationType>,
    /// 从上次返回的 next 继续
    #[serde(default)]
    pub cursor: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `resolve_reference`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveReference {
    /// 引用所在的规程标识
    pub reg_id: String,
    /// 引用原文：见表6-2、按第2.1.4条、《…规定》第五条
    pub reference_text: String,
    /// 引用所在页，用于选取最近的注释
    #[serde(default)]
    pub page_hint: Option<u32>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `get_block_with_context`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetBlock {
    /// 规程标识
    pub reg_id: String,
    /// 内容块标识
    pub block_id: String,
    /// 前后各取几块
    #[serde(default = "two")]
    #[schemars(range(max = 10))]
    pub context_blocks: u32,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `get_chapter_structure`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetChapterStructure {
    /// 规程标识
    pub reg_id: String,
    /// 同时列出每个章节的内容块标识
    #[serde(default)]
    pub include_blocks: bool,
    /// 从上次返回的 next 继续
    #[serde(default)]
    pub cursor: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `read_chapter_content`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadChapter {
    /// 规程标识
    pub reg_id: String,
    /// 章节编号或标题：2.1.4、第六章、附录A
    pub section_number: String,
    /// 含下级章节
    #[serde(default = "yes")]
    pub include_children: bool,
    /// 从上次返回的 next 继续
    #[serde(default)]
    pub cursor: Option<String>,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `get_page_chapter_info`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageChapterInfo {
    /// 规程标识
    pub reg_id: String,
    /// 物理页码
    pub page_num: u32,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `find_similar_content`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindSimilar {
    /// 规程标识、标识列表或 "all"；给 source_block_id 时须为该块所在规程
    pub reg_id: RegulationChoice,
    /// 一段文字（与 source_block_id 二选一）
    #[serde(default)]
    pub query_text: Option<String>,
    /// 一个内容块（与 query_text 二选一）
    #[serde(default)]
    pub source_block_id: Option<String>,
    /// 最多返回几条
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: u32,
    /// 不要同一页的内容
    #[serde(default = "yes")]
    pub exclude_same_page: bool,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    #[serde(default)]
    pub as_of: Option<String>,
}

/// Arguments of `compare_sections`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareSections {
    /// 甲所在的规程标识
    pub reg_id: String,
    /// 甲：章节编号或标题
    pub section_a: String,
    /// 乙：章节编号或标题；不填则与甲同名
    #[serde(default)]
    pub section_b: Option<String>,
    /// 乙所在的规程标识；不填则与甲同一规程
    #[serde(default)]
    pub reg_id_b: Option<String>,
    /// 同时逐格对比表格
    #[serde(default = "yes")]
    pub include_tables: bool,
}

/// Arguments of `verify_citation`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyCitation {
    /// 规程标识、别名或标题
    pub reg_id: String,
    /// 所引页码
    pub page_num: u32,
    /// 待核对的一句话；须由该页的一个段落、条目、表格行或注释完整支持：数字、单位、对象、条件和“不得/应/可”都一致
    pub statement: String,
    /// 所引的表号、条款或注释
    #[serde(default)]
    pub target: Option<String>,
    /// 计算值的各个操作数出自哪里；给出时 statement 是一个算式（如 400 万千瓦 × 0.8 = 320 万千瓦），核对算式和每个操作数
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<CitedOperand>,
    /// 算式中由提问给出的数值，如 50℃
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
}

/// Where an operand of a calculation stands.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CitedOperand {
    /// 含有该数值的原文
    pub statement: String,
    /// 原文所在规程；缺省为 reg_id
    #[serde(default)]
    pub reg_id: Option<String>,
    /// 原文所在页码
    pub page_num: u32,
    /// 原文所在的表号、条款或注释
    #[serde(default)]
    pub target: Option<String>,
}

/// Arguments of `get_tool_guide`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetToolGuide {
    /// 只看这一类：search, read, trace, discover, navigate
    #[serde(default)]
    pub category: Option<String>,
    /// 同时给出工作流
    #[serde(default = "yes")]
    pub include_workflows: bool,
}

/// Arguments of `search_context`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchContext {
    /// 技术关键词
    pub keywords: Vec<String>,
    /// requirements_review, task_generation, quick_change, e2e_test, performance_test, general
    #[serde(default = "general")]
    pub task_type: String,
    /// 当前 Epic，如 EPIC-01
    #[serde(default)]
    pub epic: Option<String>,
    /// 只要这些类型：architecture, tech_stack, module_design, data_model, testing_strategy, coding_standard
    #[serde(default)]
    pub types: Vec<String>,
}

fn yes() -> bool {
    true
}

fn two() -> u32 {
    2
}

fn three() -> u32 {
    3
}

fn five() -> u32 {
    5
}

fn ten() -> u32 {
    10
}

fn general() -> String {
    "general".to_owned()
}
