//! The commands that are tools, made from what the tools say of themselves: one command for each that names arguments.

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches, Subcommand};
use regreader_tools::{Argument, TOOLS, ToolSpec};
use serde_json::{Map, Value, json};

/// A tool with the arguments that were typed.
#[derive(Debug, Clone)]
pub struct ToolCommand {
    /// The tool.
    pub tool: &'static ToolSpec,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

fn offered() -> impl Iterator<Item = &'static ToolSpec> {
    TOOLS.iter().filter(|tool| !tool.arguments.is_empty())
}

impl Subcommand for ToolCommand {
    fn augment_subcommands(command: Command) -> Command {
        offered().fold(command, |command, tool| {
            let arguments = tool.arguments.iter().map(|argument| describe(argument, tool.arguments));
            command.subcommand(Command::new(tool.command).about(tool.help).args(arguments))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        offered().any(|tool| tool.command == name)
    }
}

impl FromArgMatches for ToolCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let Some((name, given)) = matches.subcommand() else {
            return Err(Error::raw(ErrorKind::MissingSubcommand, "a command is missing"));
        };
        let Some(tool) = offered().find(|tool| tool.command == name) else {
            return Err(Error::raw(ErrorKind::InvalidSubcommand, format!("no command is called `{name}`")));
        };
        let schema = tool.input_schema();
        let mut arguments = Map::new();
        for argument in tool.arguments {
            if let Some(value) = typed(argument, given, &schema["properties"][argument.field])? {
                arguments.insert(argument.field.to_owned(), value);
            }
        }
        Ok(Self { tool, arguments })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A usage such as `-l --limit LIMIT`, taken apart; see [`Argument::usage`].
#[derive(Default)]
struct Usage {
    short: Option<char>,
    long: Option<&'static str>,
    value: Option<&'static str>,
    /// In brackets: it may be left out.
    open: bool,
    ends: Ending,
    choices: Vec<&'static str>,
}

/// What the end of a usage says of its values.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Ending {
    #[default]
    One,
    /// `!`: it must be given.
    Required,
    /// `...`: it may be given again.
    Many,
    /// `,`: several at once, with commas between them, or again.
    ByComma,
}

impl Ending {
    fn of(word: &str) -> Self {
        match word.chars().next_back() {
            Some('!') => Self::Required,
            Some('.') => Self::Many,
            Some(',') => Self::ByComma,
            _ => Self::One,
        }
    }

    fn is_list(self) -> bool {
        matches!(self, Self::Many | Self::ByComma)
    }
}

impl Usage {
    fn read(argument: &Argument) -> Self {
        let mut usage = Self::default();
        for word in argument.usage.split(' ') {
            if let Some(long) = word.strip_prefix("--") {
                usage.long = Some(long);
            } else if let Some(short) = word.strip_prefix('-') {
                usage.short = short.chars().next();
            } else {
                usage.ends = Ending::of(word);
                usage.open = word.starts_with('[');
                if word.starts_with('{') {
                    usage.choices = word.trim_matches(['{', '}']).split('|').collect();
                    usage.value = usage.long;
                } else {
                    usage.value = Some(word.trim_matches(['[', ']', '.', ',', '!']));
                }
            }
        }
        usage
    }

    /// The name by which clap knows the argument.
    fn id(&self, argument: &Argument) -> &'static str {
        self.long.unwrap_or(argument.field)
    }
}

fn describe(argument: &Argument, all: &[Argument]) -> Arg {
    let usage = Usage::read(argument);
    let id = usage.id(argument);
    let mut arg = Arg::new(id).help(argument.help);
    let same = all.iter().filter(|other| other.field == argument.field);
    let others: Vec<&str> =
        same.map(|other| Usage::read(other).id(other)).filter(|other| *other != id).collect();
    let Some(value) = usage.value else {
        return arg.long(id).short(usage.short).action(ArgAction::SetTrue).conflicts_with_all(others);
    };
    if usage.choices.is_empty() {
        arg = arg.value_name(value);
    } else {
        arg = arg.value_parser(PossibleValuesParser::new(usage.choices));
    }
    let Some(long) = usage.long else {
        // What can be given as an option too must be given in one of the two ways.
        return if others.is_empty() {
            arg.required(!usage.open)
        } else {
            arg.conflicts_with_all(&others).required_unless_present_any(&others)
        };
    };
    arg = arg.long(long).short(usage.short).required(usage.ends == Ending::Required);
    if usage.ends.is_list() {
        arg = arg.action(ArgAction::Append);
    }
    if usage.ends == Ending::ByComma {
        arg = arg.value_delimiter(',');
    }
    if usage.open { arg.num_args(0..=1).default_missing_value("") } else { arg }
}

/// What was typed for an argument, as its field takes it.
fn typed(argument: &Argument, given: &ArgMatches, schema: &Value) -> Result<Option<Value>, Error> {
    let usage = Usage::read(argument);
    let id = usage.id(argument);
    if usage.value.is_none() {
        let turned = || schema["default"].as_bool().map_or_else(|| json!(id), |usual| json!(!usual));
        return Ok(given.get_flag(id).then(turned));
    }
    let pair = usage.value.and_then(|value| value.split_once('='));
    if usage.ends.is_list() {
        let Some(all) = given.get_many::<String>(id) else { return Ok(None) };
        let one = |text: &String| match (pair, text.split_once('=')) {
            (None, _) => Ok(json!(text)),
            (Some((first, second)), Some((left, right))) => {
                Ok(json!({ first.to_lowercase(): left.trim(), second.to_lowercase(): right.trim() }))
            }
            (Some(_), None) => {
                let message = format!("`--{id} {text}` has no `=`: write --{id} COLUMN=VALUE\n");
                Err(Error::raw(ErrorKind::ValueValidation, message))
            }
        };
        return all.map(one).collect::<Result<Value, _>>().map(Some);
    }
    let Some(text) = given.get_one::<String>(id) else { return Ok(None) };
    // Of a number that may be absent the schema has two types.
    let is_number = schema["type"] == "integer" || schema["type"][0] == "integer";
    if !is_number {
        return Ok(Some(json!(text)));
    }
    text.parse::<u32>().map(|number| Some(json!(number))).map_err(|_| {
        Error::raw(
            ErrorKind::ValueValidation,
            format!("invalid value '{text}' for {id}: not a whole number\n"),
        )
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::cli::{Cli, Command};

    fn typed(line: &[&str]) -> serde_json::Value {
        let cli = Cli::try_parse_from([&["regreader"], line].concat()).expect("it is a command");
        let Command::Tool(command) = cli.command else { panic!("{line:?} is no tool") };
        command.arguments.into()
    }

    #[test]
    fn every_form_of_argument_reaches_its_field() {
        assert_eq!(
            typed(&["search", "限额", "-r", "a", "-r", "b", "--types", "table,note", "-l", "3"]),
            serde_json::json!({ "query": "限额", "reg_id": ["a", "b"], "block_types": ["table", "note"], "limit": 3 })
        );
        assert_eq!(typed(&["search", "x", "--all"])["reg_id"], "all");
        assert_eq!(
            typed(&["search-tables", "x", "--where", "开机台数 = 3"])["conditions"][0],
            serde_json::json!({ "column": "开机台数", "value": "3" })
        );
        assert_eq!(typed(&["read-chapter", "-r", "a", "2.1", "--own-only"])["include_children"], false);
        assert_eq!(typed(&["toc", "a", "--expand"])["expand_section"], "");
        assert_eq!(typed(&["toc", "-r", "a"]), typed(&["toc", "a"]));
        for bad in [&["toc"][..], &["toc", "a", "-r", "b"]] {
            assert!(Cli::try_parse_from([&["regreader"], bad].concat()).is_err(), "{bad:?}");
        }
        for bad in [
            &["search", "x", "--all", "-r", "a"][..],
            &["search-tables", "x", "--where", "3"],
            &["search-tables", "x", "--mode", "guess"],
            &["read-pages", "-r", "a"],
            &["page-info", "-r", "a", "zwei"],
        ] {
            assert!(Cli::try_parse_from([&["regreader"], bad].concat()).is_err(), "{bad:?}");
        }
    }
}
