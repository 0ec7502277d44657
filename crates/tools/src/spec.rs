//! What tools there are: the one place that knows their names, categories, phases and workflows.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::Value;

use crate::requests as rq;
use crate::results as rs;

/// A tool, for everyone who offers it to somebody.
#[derive(Debug, Clone, Copy)]
pub struct ToolSpec {
    /// Name over MCP.
    pub name: &'static str,
    /// Name of its command.
    pub command: &'static str,
    /// Short title.
    pub title: &'static str,
    /// When to use it and what it gives.
    pub description: &'static str,
    /// What it is for.
    pub category: Category,
    /// How early in a search it is useful.
    pub phase: Phase,
    input: fn() -> Value,
    output: fn() -> Value,
}

impl ToolSpec {
    /// JSON schema of the arguments.
    pub fn input_schema(&self) -> Value {
        (self.input)()
    }

    /// JSON schema of the result.
    pub fn output_schema(&self) -> Value {
        (self.output)()
    }
}

/// What a tool is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Choosing and finding.
    Search,
    /// Reading what was found.
    Read,
    /// Notes, tables and references.
    Trace,
    /// Comparing and discovering.
    Discover,
    /// Finding one's way.
    Navigate,
}

impl Category {
    /// Name in the guide.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Read => "read",
            Self::Trace => "trace",
            Self::Discover => "discover",
            Self::Navigate => "navigate",
        }
    }

    /// All categories.
    pub const ALL: [Self; 5] = [Self::Search, Self::Read, Self::Trace, Self::Discover, Self::Navigate];
}

/// How early in a search a tool is useful, as in the earlier system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The base: contents, search, reading.
    Base,
    /// Following what was read: notes, tables, references.
    MultiHop,
    /// More around it.
    Context,
    /// Beyond it.
    Discovery,
    /// At any time.
    Navigation,
}

impl Phase {
    /// Name in the guide.
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "Phase 0",
            Self::MultiHop => "Phase 1",
            Self::Context => "Phase 2",
            Self::Discovery => "Phase 3",
            Self::Navigation => "Nav",
        }
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

macro_rules! tools {
    ($( $name:literal, $command:literal, $title:literal, $category:ident, $phase:ident, $input:ty => $output:ty, $description:literal; )+) => {
        /// Every tool there is, in the order of the guide.
        pub const TOOLS: &[ToolSpec] = &[
            $( ToolSpec {
                name: $name,
                command: $command,
                title: $title,
                description: $description,
                category: Category::$category,
                phase: Phase::$phase,
                input: schema_of::<$input>,
                output: schema_of::<$output>,
            }, )+
        ];
    };
}

tools! {
    "list_regulations", "list", "规程列表", Navigate, Navigation, rq::ListRegulations => rs::RegulationList,
        "列出规程库中的全部规程：标识、标题、页数、简介、关键词、适用范围、别名、版本，以及在 as_of 那天（不填为今天）是否现行。先用它了解有哪些规程、该用哪一版。";
    "get_toc", "toc", "目录", Read, Base, rq::GetToc => rs::Toc,
        "取规程的章节目录树及页码范围。先看目录，锁定章节，再检索。max_depth 默认 3；expand_section 展开某一章节。";
    "smart_search", "search", "混合检索", Search, Base, rq::SmartSearch => rs::SearchResults,
        "关键词与语义混合检索，返回带页码、章节和标记片段的命中。reg_id 可为单个、列表、\"all\" 或不填（自动选择规程并说明理由）。chapter_scope 限定章节（编号、标题或路径）。只取 as_of 那天（不填为今天）现行的版本，其余版本的命中另列在 superseded。";
    "read_page_range", "read-pages", "读取页面", Read, Base, rq::ReadPageRange => rs::PageRange,
        "读取连续页面的完整 Markdown（最多 10 页），跨页表格自动拼接，注释随页保留。";
    "search_tables", "search-tables", "表格检索", Search, MultiHop, rq::SearchTables => rs::TableHits,
        "按标题、表头和单元格检索表格，返回完整逻辑表格的标识与页码。可给 conditions（列=值）直接查行。";
    "get_table_by_id", "get-table", "完整表格", Trace, Context, rq::GetTable => rs::TableView,
        "按 table_id 或表号（表6-2）取完整表格：各页分段、表头、单元格、Markdown 以及用到的注释。";
    "lookup_annotation", "lookup-annotation", "查注释", Trace, MultiHop, rq::LookupAnnotation => rs::AnnotationView,
        "查某条注释或方案（注1、注①、方案甲）。同名注释很多时，用 page_hint 取最近的一条。";
    "search_annotations", "search-annotations", "检索注释", Trace, Context, rq::SearchAnnotations => rs::AnnotationList,
        "列出规程中的注释与方案，可按文字或类型（note、plan）筛选。";
    "resolve_reference", "resolve-reference", "解析引用", Trace, MultiHop, rq::ResolveReference => rs::ResolvedReference,
        "解析“见第六章”“见表6-2”“按第2.1.4条”“见注1”“见附录A”“《…规定》第五条”等引用，给出位置与预览；目标不存在时报错并给出相近项。";
    "get_block_with_context", "get-block-context", "内容块及上下文", Read, Context, rq::GetBlock => rs::BlockContext,
        "取一个内容块及其前后若干块（可跨页）。";
    "get_chapter_structure", "chapter-structure", "章节结构", Navigate, Navigation, rq::GetChapterStructure => rs::ChapterStructure,
        "取完整章节树，含每个节点的内容块标识；内容多时按游标分页。";
    "read_chapter_content", "read-chapter", "读取章节", Read, Navigation, rq::ReadChapter => rs::ChapterContent,
        "读取一个章节（默认含下级）跨页的全文，内容多时按游标分页。";
    "get_page_chapter_info", "page-info", "页面章节", Navigate, Navigation, rq::PageChapterInfo => rs::PageChapters,
        "查某页上有哪些章节。";
    "find_similar_content", "find-similar", "相似内容", Discover, Discovery, rq::FindSimilar => rs::SimilarContent,
        "找语义相近的内容：给一段文字或一个 block_id。";
    "compare_sections", "compare-sections", "章节对比", Discover, Discovery, rq::CompareSections => rs::Comparison,
        "对比两个章节（可在不同规程或版本之间）：逐条对齐，给出相同、修改（含改动的字词）、仅在甲、仅在乙，表格逐格对比。";
    "list_changes", "changes", "版本改动", Discover, Discovery, rq::ListChanges => rs::ChangeList,
        "列出同一规程两个版本之间的全部改动，数值在前：条款、表格、行、单元格、注释的增删改，编号变动、移动、拆分、合并；数值给出旧值、新值、单位和差值。可按类别、章节、设备筛选。";
    "find_mentions", "impact", "指名之处", Discover, Discovery, rq::FindMentions => rs::ImpactList,
        "列出全库中指名某设备、线路、断面、厂站或术语的每一处（条款、表格行、单元格、表头、注释），含页码与理由；结果完整并给出总数和无法读取的页。";
    "trace_impact", "impact", "影响追踪", Discover, Discovery, rq::TraceImpact => rs::ImpactList,
        "从指名某设备之处出发，追踪所在表的注释、所在列的各行，以及引用这些位置的条款，给出层次与经由。";
    "verify_citation", "verify-citation", "核对引用", Trace, MultiHop, rq::VerifyCitation => rs::CitationCheck,
        "核对一句话是否由所引的页、表或条款中的一个段落支持：数字、单位、对象、条件、“不得/应/可”须一致，表格值须在所说的行和列；给出级别 verbatim、same_passage 或 unproven、所在的段落和缺少的内容；不在该处时给出实际所在。";
    "get_tool_guide", "mcp-tools", "工具指南", Navigate, Navigation, rq::GetToolGuide => rs::ToolGuide,
        "何时用哪个工具，以及简单查询、表格查询、引用追踪、跨规程查询、深度探索、版本改动、影响查询、某日适用八种工作流。";
    "search_context", "context", "开发上下文检索", Search, Navigation, rq::SearchContext => rs::ContextResults,
        "为开发任务检索 .the_conn/context 下的少量上下文文档。";
}

/// The schema of a type with everything in place: no `$ref`, and no `format` that JSON clients do not know.
fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value();
    strip_formats(&mut schema);
    schema
}

/// Removes `format: uint32` and the like, which are ours and not JSON Schema's.
fn strip_formats(value: &mut Value) {
    match value {
        Value::Object(object) => {
            let foreign = object.get("format").and_then(Value::as_str).is_some_and(|format| {
                format.starts_with("uint")
                    || format.starts_with("int")
                    || matches!(format, "float" | "double")
            });
            if foreign {
                object.remove("format");
            }
            object.values_mut().for_each(strip_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_formats),
        _ => {}
    }
}
