//! Arguments of the commands that are tools: one command per tool.

use clap::Args;

/// Which regulations.
#[derive(Debug, Args)]
pub struct RegulationArgs {
    /// Regulation, by its id or the name that citations print; may be given several times. Without it regulations are chosen by the question.
    #[arg(long = "reg-id", short = 'r', value_name = "REG_ID")]
    pub reg_id: Vec<String>,
    /// All regulations.
    #[arg(long, short = 'a', conflicts_with = "reg_id")]
    pub all: bool,
}

/// One regulation, named by position or by `-r`.
#[derive(Debug, Args)]
pub struct OneRegulation {
    /// Regulation: its id, an alias or its title.
    #[arg(long = "reg-id", short = 'r', value_name = "REG_ID")]
    pub reg_id: String,
}

/// The day that decides which editions are in force.
#[derive(Debug, Args)]
pub struct DayArgs {
    /// Day for which editions count as in force; today when not given.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub as_of: Option<String>,
}

/// `search`
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What to look for.
    pub query: String,
    /// Which regulations are searched.
    #[command(flatten)]
    pub regulations: RegulationArgs,
    /// Only below this chapter: number, title or path.
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: Option<String>,
    /// Only these kinds of block, separated by commas: text, table, heading, list, section_content, note.
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub types: Vec<String>,
    /// Only this clause.
    #[arg(long, value_name = "NUMBER")]
    pub section: Option<String>,
    /// At most so many hits.
    #[arg(long, short, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `search-tables`
#[derive(Debug, Args)]
pub struct SearchTablesArgs {
    /// Number, title, header or cell.
    pub query: String,
    /// Which regulations are searched.
    #[command(flatten)]
    pub regulations: RegulationArgs,
    /// Only below this chapter.
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: Option<String>,
    /// By words, by meaning or both.
    #[arg(long, default_value = "hybrid", value_parser = ["hybrid", "keyword", "semantic"])]
    pub mode: String,
    /// Condition on a column, for example `--where 开机台数=3`; may be given several times.
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    pub conditions: Vec<String>,
    /// At most so many tables.
    #[arg(long, short, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `toc`
#[derive(Debug, Args)]
pub struct TocArgs {
    /// Regulation: its id, an alias or its title.
    pub reg_id: String,
    /// How deep.
    #[arg(long, short, default_value_t = 3)]
    pub level: u32,
    /// Only below this chapter, down to its last clause; the whole contents when no chapter is named.
    #[arg(long, value_name = "CHAPTER", num_args = 0..=1, default_missing_value = "")]
    pub expand: Option<String>,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `read-pages`
#[derive(Debug, Args)]
pub struct ReadPagesArgs {
    /// Which regulation is read.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// First page.
    #[arg(long, short)]
    pub start: u32,
    /// Last page; the first one when not given.
    #[arg(long, short)]
    pub end: Option<u32>,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `read-chapter`
#[derive(Debug, Args)]
pub struct ReadChapterArgs {
    /// Which regulation is read.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// Number, title or path.
    pub section: String,
    /// Without the chapters below.
    #[arg(long)]
    pub own_only: bool,
    /// Go on from here.
    #[arg(long)]
    pub cursor: Option<String>,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `chapter-structure`
#[derive(Debug, Args)]
pub struct ChapterStructureArgs {
    /// Regulation: its id, an alias or its title.
    pub reg_id: String,
    /// Also list the blocks of each chapter.
    #[arg(long)]
    pub include_blocks: bool,
    /// Go on from here.
    #[arg(long)]
    pub cursor: Option<String>,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `page-info`
#[derive(Debug, Args)]
pub struct PageInfoArgs {
    /// Which regulation is read.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// Physical page number, from 1.
    pub page: u32,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `lookup-annotation`
#[derive(Debug, Args)]
pub struct LookupAnnotationArgs {
    /// Which regulation is read.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// Label: 注1, 注①, 方案甲.
    pub label: String,
    /// Page on which it was met.
    #[arg(long, short)]
    pub page: Option<u32>,
    /// Table in which it was met.
    #[arg(long, short)]
    pub table: Option<String>,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `search-annotations`
#[derive(Debug, Args)]
pub struct SearchAnnotationsArgs {
    /// Which regulation is read.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// Words in the note.
    pub pattern: Option<String>,
    /// note or plan.
    #[arg(long = "type", value_parser = ["note", "plan"])]
    pub kind: Option<String>,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `get-table`
#[derive(Debug, Args)]
pub struct GetTableArgs {
    /// Which regulation is read.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// Id or number (表6-2).
    pub table: String,
    /// Only the segment that is named, not the whole table.
    #[arg(long)]
    pub segment: bool,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `resolve-reference`
#[derive(Debug, Args)]
pub struct ResolveReferenceArgs {
    /// Where the reference stands.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// Its words: 见表6-2, 按第2.1.4条, 《…规定》第五条.
    pub text: String,
    /// Page on which it stands.
    #[arg(long, short)]
    pub page: Option<u32>,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `get-block-context`
#[derive(Debug, Args)]
pub struct GetBlockContextArgs {
    /// Which regulation is read.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// Id of the block, as search results name it.
    pub block_id: String,
    /// Blocks before and after.
    #[arg(long, short, default_value_t = 2)]
    pub context: u32,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `find-similar`
#[derive(Debug, Args)]
pub struct FindSimilarArgs {
    /// Which regulations are searched.
    #[command(flatten)]
    pub regulations: RegulationArgs,
    /// A text to find neighbours of.
    #[arg(required_unless_present = "block")]
    pub text: Option<String>,
    /// A block to find neighbours of.
    #[arg(long, conflicts_with = "text")]
    pub block: Option<String>,
    /// At most so many.
    #[arg(long, short, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `compare-sections`
#[derive(Debug, Args)]
pub struct CompareSectionsArgs {
    /// Regulation of the first chapter.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// First chapter.
    pub section_a: String,
    /// Second chapter; the same as the first when not given.
    pub section_b: Option<String>,
    /// Regulation of the second chapter; the same as the first when not given.
    #[arg(long = "reg-b", value_name = "REG_ID")]
    pub reg_b: Option<String>,
    /// Leave tables out.
    #[arg(long)]
    pub no_tables: bool,
}

/// `verify-citation`
#[derive(Debug, Args)]
pub struct VerifyCitationArgs {
    /// Regulation that is cited.
    #[command(flatten)]
    pub regulation: OneRegulation,
    /// Page that is cited.
    #[arg(long, short)]
    pub page: u32,
    /// Table, clause or note that is cited: 表6-2, 6.2.1, 注1.
    #[arg(long, short)]
    pub target: Option<String>,
    /// Statement to prove; the exit status is 1 when one passage of the page does not carry it.
    pub statement: String,
}

/// `mcp-tools`
#[derive(Debug, Args)]
pub struct McpToolsArgs {
    /// Only this category: search, read, trace, discover, navigate.
    pub category: Option<String>,
}
