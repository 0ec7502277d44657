//! Tables and answers as text files.

use regreader_messages::{Language, web as w};
use regreader_model::LogicalTable;

use crate::backend::{AnswerReply, AnswerStatement};
use crate::views::ask::verdict;

/// A table as CSV, header row first, the page of each row last. Begins with the mark that makes spreadsheets read UTF-8.
pub fn csv(table: &LogicalTable) -> String {
    let mut text = String::from('\u{FEFF}');
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells: Vec<String> = cells.map(csv_cell).collect();
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    };
    line(&mut table.col_headers.iter().map(String::as_str).chain(["page"]));
    for (page, cells) in table.data_rows() {
        let page = page.to_string();
        line(&mut cells.into_iter().chain([page.as_str()]));
    }
    text
}

/// A cell, quoted where it must be. A leading sign that a spreadsheet would take for a formula is shown as text, except
/// before a number.
fn csv_cell(text: &str) -> String {
    let is_number = text.trim().parse::<f64>().is_ok();
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number;
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// A table as a pipe table.
pub fn markdown(table: &LogicalTable) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', "<br>");
    let row = |cells: &mut dyn Iterator<Item = &str>| {
        format!("| {} |\n", cells.map(cell).collect::<Vec<_>>().join(" | "))
    };
    let mut text = String::new();
    if let Some(caption) = &table.caption {
        text.push_str(&format!("**{caption}**\n\n"));
    }
    text.push_str(&row(&mut table.col_headers.iter().map(String::as_str)));
    text.push_str(&format!("|{}\n", " --- |".repeat(table.col_headers.len())));
    for (_, cells) in table.data_rows() {
        text.push_str(&row(&mut cells.into_iter()));
    }
    text
}

/// An answer with its citations and verdicts.
pub fn answer_markdown(lang: Language, reply: &AnswerReply) -> String {
    let mut text = format!("# {}\n\n", reply.question.replace('\n', " "));
    if let Some(message) = &reply.message {
        text.push_str(&format!("{message}\n\n"));
    }
    let related: Vec<AnswerStatement> = reply.related.iter().map(AnswerStatement::from).collect();
    for (title, statements) in
        [(w::ANSWER, &reply.measures), (w::CAUTIONS, &reply.cautions), (w::RELATED, &related)]
    {
        if statements.is_empty() {
            continue;
        }
        text.push_str(&format!("## {}\n\n", lang.say(title)));
        for (number, statement) in statements.iter().enumerate() {
            let verdict = lang.say(verdict(statement));
            let gap = if statement.text.contains('\n') { "\n\n" } else { " " };
            text.push_str(&format!(
                "{}. {}{gap}{} ({verdict})\n\n",
                number + 1,
                statement.text,
                statement.citation
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::RelatedPassage;
    use crate::fake;

    #[test]
    fn a_table_as_text_has_every_row_with_its_page() {
        let table = fake::table();
        assert_eq!(csv(&table), "\u{FEFF}台数,限额,page\r\n2,200,1\r\n3,300,2\r\n");
        assert_eq!(
            markdown(&table),
            "**表6-2 限额**\n\n| 台数 | 限额 |\n| --- | --- |\n| 2 | 200 |\n| 3 | 300 |\n"
        );
    }

    #[test]
    fn every_exported_statement_and_related_passage_carries_its_level() {
        let statement = |level: &str| AnswerStatement {
            text: format!("限额 {level}"),
            citation: "[来源: 甲 P1]".to_owned(),
            verified: level != "unproven",
            level: Some(level.to_owned()),
            ..AnswerStatement::default()
        };
        let passage = |level: Option<&str>| RelatedPassage {
            text: "甲线".to_owned(),
            citation: "[来源: 甲 P2]".to_owned(),
            level: level.map(str::to_owned),
            ..RelatedPassage::default()
        };
        let reply = AnswerReply {
            measures: vec![statement("verbatim"), statement("same_passage")],
            cautions: vec![statement("calculated"), statement("unproven")],
            related: vec![passage(Some("verbatim")), passage(Some("unproven")), passage(None)],
            ..AnswerReply::default()
        };
        let text = answer_markdown(Language::English, &reply);
        let said = |word| Language::English.say(word);
        let verdicts: Vec<&str> =
            text.lines().filter_map(|line| Some(line.rsplit_once(" (")?.1.trim_end_matches(')'))).collect();
        let unverified = said(w::UNVERIFIED);
        assert_eq!(
            verdicts,
            [
                said(w::VERBATIM),
                said(w::SAME_PASSAGE),
                said(w::CALCULATED),
                unverified,
                said(w::VERBATIM),
                unverified,
                unverified
            ],
            "{text}"
        );
    }

    #[test]
    fn cells_are_quoted_and_formulas_disarmed() {
        for (cell, written) in [
            ("a,b", "\"a,b\""),
            ("说\"好\"", "\"说\"\"好\"\"\""),
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("-5", "-5"),
            ("-", "'-"),
            ("+86", "+86"),
        ] {
            assert_eq!(csv_cell(cell), written);
        }
    }
}
