//! `docs`: reference pages made from the code. `cargo xtask bless` writes them, `cargo xtask tidy` compares them.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Command, CommandFactory};

use regreader_tools::{TOOLS, WORKFLOWS};
use serde_json::Value;

use crate::cli::{Cli, DocsArgs};
use crate::settings::DEFINITIONS;

/// Runs `docs`.
pub fn run(args: &DocsArgs) -> anyhow::Result<ExitCode> {
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder)?;
        if args.what == "man" {
            clap_mangen::generate_to(Cli::command(), folder)?;
        } else {
            for (name, markdown) in [("cli", cli()), ("settings", settings()), ("tools", tools())] {
                std::fs::write(folder.join(format!("{name}.html")), html_page(name, &markdown))?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let text = match args.what.as_str() {
        "settings" => settings(),
        "tools" => tools(),
        _ => cli(),
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

/// A reference page for readers without a Markdown viewer. The reference pages are made of headings, paragraphs, lists and
/// tables that read well as they are, so that their text is kept verbatim.
fn html_page(title: &str, markdown: &str) -> String {
    let escaped = markdown.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>regreader: {title}</title></head>\n\
         <body><pre style=\"white-space: pre-wrap; max-width: 100ch; margin: 2em auto\">{escaped}</pre></body></html>\n"
    )
}

fn settings() -> String {
    let mut page = String::from(
        "# Settings\n\n\
         A value comes from the first of: `--set name=value`, the environment (`REGREADER_NAME`, then \
         `GRIDCODE_NAME`), `regreader.toml` in the working folder, the user's `regreader/regreader.toml` in the \
         configuration folder, the default. `regreader config show --origin` tells which.\n\n\
         | setting | default | what it does |\n|---|---|---|\n",
    );
    for definition in DEFINITIONS {
        let default =
            if definition.default.is_empty() { String::new() } else { format!("`{}`", definition.default) };
        let mut doc = definition.doc.trim().to_owned();
        if !definition.choices.is_empty() {
            let _ = write!(
                doc,
                " One of {}.",
                definition.choices.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ")
            );
        }
        let _ = writeln!(page, "| `{}` | {default} | {doc} |", definition.name);
    }
    page
}

fn tools() -> String {
    let mut page =
        String::from("# Tools\n\nEach tool is one typed function, offered alike to programs and people.\n");
    for tool in TOOLS {
        let _ = write!(
            page,
            "\n## `{}` – {}\n\n{}\n\n{} · {} · command `regreader {}`\n\n",
            tool.name,
            tool.title,
            tool.description,
            tool.phase.name(),
            tool.category.name(),
            tool.command,
        );
        let schema = tool.input_schema();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let about = property["description"].as_str().unwrap_or_default().replace('\n', " ");
            let note = match &property["default"] {
                Value::Null if required.contains(&name.as_str()) => "（必填）".to_owned(),
                Value::Null => String::new(),
                default => format!("（默认 `{default}`）"),
            };
            let _ = writeln!(page, "- `{name}` – {about}{note}");
        }
    }
    page.push_str("\n## Workflows\n\n| workflow | when | tools |\n|---|---|---|\n");
    for workflow in WORKFLOWS {
        let steps: Vec<String> = workflow.steps.iter().map(|step| format!("`{step}`")).collect();
        let _ = writeln!(page, "| {} | {} | {} |", workflow.name, workflow.when, steps.join(" → "));
    }
    page
}

fn cli() -> String {
    let mut page = String::from(
        "# Command line\n\nThe program answers to `regreader` and to `gridcode`. Exit codes: 0 done, 1 nothing found or \
         refused, 2 usage or settings, 3 library or document, 4 model backend, 130 interrupted.\n",
    );
    let mut root = Cli::command();
    root.build();
    for command in root.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_command(&mut page, command, "regreader");
    }
    page
}

fn write_command(page: &mut String, command: &Command, prefix: &str) {
    let name = format!("{prefix} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n## `{name}`\n\n{about}.\n");
    let arguments: Vec<_> = command
        .get_arguments()
        .filter(|argument| {
            !argument.is_hide_set() && !argument.is_global_set() && argument.get_id() != "help"
        })
        .collect();
    if !arguments.is_empty() {
        page.push('\n');
    }
    for argument in arguments {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, "- `{}` – {help}", argument.to_string().trim());
    }
    for child in command.get_subcommands().filter(|child| child.get_name() != "help") {
        write_command(page, child, &name);
    }
}
