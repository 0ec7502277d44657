//! Tools speak of tools and parameters, because programs call them; a person types commands and options.

use regreader_messages::Language;
use regreader_text::script::language_of;
use regreader_tools::TOOLS;

/// The option of a command that sets a parameter of the tools.
fn option(parameter: &str) -> Option<&'static str> {
    let arguments = TOOLS.iter().flat_map(|tool| tool.arguments);
    let options = arguments.filter(|argument| argument.field == parameter);
    options.flat_map(|argument| argument.usage.split(' ')).find(|word| word.starts_with("--"))
}

/// A message of a tool with commands for tools and options for parameters.
pub fn for_people(message: &str) -> String {
    // In an English sentence `limit` is a word: parameters are known by their underscore or by backquotes.
    let english = language_of(message) == Language::English;
    let mut words = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(start) = rest.find(|c: char| c.is_ascii_lowercase()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        words.push_str(before);
        let tool = TOOLS.iter().find(|tool| tool.name == word);
        let option = option(word);
        // Part of an option or a path is no word of its own.
        let alone = !before
            .ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
            && (!english || word.contains('_') || before.ends_with('`'));
        match (tool, option) {
            (Some(tool), _) if alone => words.push_str(&format!("regreader {}", tool.command)),
            (_, Some(option)) if alone => words.push_str(option),
            _ => words.push_str(word),
        }
        rest = after;
    }
    words.push_str(rest);
    // Hints that name both say the command once.
    for tool in TOOLS {
        let command = format!("regreader {}", tool.command);
        words = words.replace(&format!("{command} ({command})"), &command);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_commands_and_options() {
        for (said, shown) in [
            ("用 list_regulations (regreader list) 查看已入库的规程", "用 regreader list 查看已入库的规程"),
            (
                "还有更多命中：增大 limit，或用 chapter_scope 限定章节",
                "还有更多命中：增大 --limit，或用 --chapter 限定章节",
            ),
            ("用 get_toc (regreader toc) 查看目录", "用 regreader toc 查看目录"),
            ("用 smart_search 取得 block_id", "用 regreader search 取得 block_id"),
            ("用 regreader reindex --limit x", "用 regreader reindex --limit x"),
            (
                "there are more hits: raise `limit`, or name a chapter with chapter_scope",
                "there are more hits: raise `--limit`, or name a chapter with --chapter",
            ),
            ("get_toc (regreader toc) shows the contents", "regreader toc shows the contents"),
            ("4 MiB is more than the limit of 2 MiB", "4 MiB is more than the limit of 2 MiB"),
        ] {
            assert_eq!(for_people(said), shown);
        }
    }
}
