//! What a tool is: one type that holds the arguments, with its name, its result and the work.
//!
//! Everyone who offers tools to somebody goes by [`ToolSpec`], which is made from the type: MCP takes name, description and
//! schemas from it, the command line its commands, the guide and the documentation their text.

use std::io;

use regreader_messages::{Word, tools};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde::{Deserialize as _, Serialize};
use serde_json::Value;

use crate::{Sheet, ToolError, Toolbox, bounds};

/// A tool. The type itself is the request: its fields are the arguments, their docs the descriptions in the schema.
///
/// ```
/// use regreader_tools::{GetToolGuide, TOOLS, Tool};
///
/// let spec = TOOLS.iter().find(|spec| spec.name == GetToolGuide::NAME).expect("registered");
/// assert_eq!(spec.command, "mcp-tools");
/// assert!(spec.input_schema()["properties"]["category"].is_object());
/// ```
pub trait Tool: Serialize + DeserializeOwned + JsonSchema {
    /// Name over MCP.
    const NAME: &'static str;
    /// Name of its command.
    const COMMAND: &'static str;
    /// Short title.
    const TITLE: &'static str;
    /// When to use it and what it gives.
    const DESCRIPTION: &'static str;
    /// What it is for.
    const CATEGORY: Category;
    /// How early in a search it is useful.
    const PHASE: Phase;
    /// What its command does, for its help.
    const HELP: &'static str = "";
    /// Arguments of its command in the order of the help. Without any the command line has a command of its own for it.
    const ARGUMENTS: &'static [Argument] = &[];
    /// It asks the indexes, not only the pages: whoever starts for one call opens them first and says so.
    const SEARCHES: bool = false;
    /// What it gives back.
    type Response: Serialize + DeserializeOwned + JsonSchema;

    /// Does the work.
    fn run(&self, toolbox: &Toolbox) -> Result<Self::Response, ToolError>;

    /// Shows the result to a person.
    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()>;

    /// Whether the work was done and nothing was found.
    fn found_nothing(_: &Self::Response) -> bool {
        false
    }

    /// The result in short.
    fn gist(_: &Self::Response) -> Gist {
        Gist::default()
    }
}

/// How a field of a request is given on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Field of the request.
    pub field: &'static str,
    /// How it is typed: `QUERY`, `[PATTERN]`, `-l --limit N`, `--mode {hybrid|keyword}`, `--expand [CHAPTER]`,
    /// `--where COLUMN=VALUE...` (may be given again), `--types TYPES,` (a list), `--page PAGE!` (must be given). An option without a value turns a switch over; of a field that is no
    /// switch its name is the value (`--all`).
    pub usage: &'static str,
    /// What it does, for the help.
    pub help: &'static str,
}

/// An argument of a command.
pub(crate) const fn argument(field: &'static str, usage: &'static str, help: &'static str) -> Argument {
    Argument { field, usage, help }
}

/// The regulation that a command reads.
pub(crate) const REGULATION: Argument =
    argument("reg_id", "-r --reg-id REG_ID!", "Regulation: its id, an alias or its title");
/// The day that decides which editions are in force.
pub(crate) const DAY: Argument =
    argument("as_of", "--as-of YYYY-MM-DD", "Day for which editions count as in force; today when not given");

/// A result in short, for whoever follows or remembers a conversation with tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gist {
    /// One line on what was given.
    pub summary: String,
    /// The citation and text of the one place that the result shows.
    pub passage: Option<(String, String)>,
    /// What to know before relying on it.
    pub notices: Vec<String>,
}

impl Default for Gist {
    fn default() -> Self {
        Self { summary: tools::DONE.to_string(), passage: None, notices: Vec::new() }
    }
}

impl Gist {
    /// So many things were found.
    pub(crate) fn count(count: usize, unit: Word) -> Self {
        Self { summary: format!("{count} {unit}"), ..Self::default() }
    }

    /// One place is shown.
    pub(crate) fn place(source: &str, text: &str) -> Self {
        let passage = Some((source.to_owned(), text.to_owned()));
        Self { summary: source.to_owned(), passage, notices: Vec::new() }
    }
}

/// A tool without its type, for everyone who offers all of them.
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
    /// What its command does.
    pub help: &'static str,
    /// Arguments of its command.
    pub arguments: &'static [Argument],
    /// It asks the indexes.
    pub searches: bool,
    input: fn() -> Value,
    output: fn() -> Value,
    call: fn(&Toolbox, Value) -> Result<String, ToolError>,
    gist: fn(&Value) -> Gist,
    render: fn(&Value, &dyn Sheet) -> io::Result<()>,
    found_nothing: fn(&Value) -> bool,
}

impl ToolSpec {
    /// The tool of a type.
    pub(crate) const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            command: T::COMMAND,
            title: T::TITLE,
            description: T::DESCRIPTION,
            category: T::CATEGORY,
            phase: T::PHASE,
            help: T::HELP,
            arguments: T::ARGUMENTS,
            searches: T::SEARCHES,
            input: schema_of::<T>,
            output: schema_of::<T::Response>,
            call: call::<T>,
            gist: gist::<T>,
            render: render::<T>,
            found_nothing: found_nothing::<T>,
        }
    }

    /// JSON schema of the arguments.
    pub fn input_schema(&self) -> Value {
        (self.input)()
    }

    /// JSON schema of the result.
    pub fn output_schema(&self) -> Value {
        (self.output)()
    }

    /// Whether the tool has this argument.
    pub fn takes(&self, argument: &str) -> bool {
        self.input_schema()["properties"].get(argument).is_some()
    }

    /// A JSON result in short; of one that is none of this tool's, nothing.
    pub fn gist(&self, result: &Value) -> Gist {
        (self.gist)(result)
    }

    /// Shows a JSON result to a person.
    pub fn render(&self, result: &Value, sheet: &dyn Sheet) -> io::Result<()> {
        (self.render)(result, sheet)
    }

    /// Whether a JSON result says that nothing was found.
    pub fn found_nothing(&self, result: &Value) -> bool {
        (self.found_nothing)(result)
    }

    /// Runs it with JSON arguments; the result is JSON text.
    pub fn call(&self, toolbox: &Toolbox, arguments: Value) -> Result<String, ToolError> {
        (self.call)(toolbox, arguments)
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

/// Reads the arguments, runs the tool, writes the result.
fn call<T: Tool>(toolbox: &Toolbox, arguments: Value) -> Result<String, ToolError> {
    // A client that has no arguments to give sends nothing at all.
    let arguments = if arguments.is_null() { Value::Object(serde_json::Map::new()) } else { arguments };
    bounds::check_arguments(&arguments)?;
    let invalid = |error: serde_json::Error| ToolError::InvalidArguments { reason: error.to_string() };
    let request: T = serde_json::from_value(arguments).map_err(invalid)?;
    bounds::check_result(serde_json::to_string(&request.run(toolbox)?).map_err(invalid)?)
}

fn gist<T: Tool>(result: &Value) -> Gist {
    T::Response::deserialize(result).map(|response| T::gist(&response)).unwrap_or_default()
}

fn render<T: Tool>(result: &Value, sheet: &dyn Sheet) -> io::Result<()> {
    T::render(&T::Response::deserialize(result)?, sheet)
}

fn found_nothing<T: Tool>(result: &Value) -> bool {
    T::Response::deserialize(result).is_ok_and(|response| T::found_nothing(&response))
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

// Values of arguments that a caller leaves out.

pub(crate) fn yes() -> bool {
    true
}

pub(crate) fn number<const N: u32>() -> u32 {
    N
}

pub(crate) fn general() -> String {
    "general".to_owned()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::{TOOLS, WORKFLOWS};

    #[test]
    fn what_a_tool_says_of_itself_fits_together() {
        let names: BTreeSet<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), TOOLS.len(), "no name is taken twice");
        for workflow in WORKFLOWS {
            assert!(workflow.steps.iter().all(|step| names.contains(step)), "{}", workflow.name);
        }
        for tool in TOOLS {
            for argument in tool.arguments {
                assert!(tool.takes(argument.field), "{} has no field {}", tool.name, argument.field);
            }
            // What must be given to a program must be offered to a person.
            let schema = tool.input_schema();
            let required =
                schema["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
            for field in required.filter(|_| !tool.arguments.is_empty()) {
                assert!(
                    tool.arguments.iter().any(|argument| argument.field == field),
                    "{} --{field}",
                    tool.name
                );
            }
        }
    }
}
