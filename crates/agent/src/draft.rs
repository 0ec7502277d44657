//! Free text, taken apart into statements while it arrives.

use regreader_model::Citation;

use crate::citation::take_citations;

/// Longest statement that is kept.
const MAX_STATEMENT: usize = 8_000;

/// Which part of an answer a statement belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Section {
    /// Before any heading.
    #[default]
    Opening,
    /// 【来源】
    Sources,
    /// 【处置措施】, and any heading we do not know.
    Measures,
    /// 【注意事项】
    Cautions,
}

/// A statement as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Where it was written.
    pub section: Section,
    /// What it says, without citations and list number.
    pub text: String,
    /// What it cites.
    pub places: Vec<Citation>,
}

/// Takes text piece by piece and gives statements as soon as they are complete.
#[derive(Debug, Default)]
pub struct Drafter {
    line: String,
    block: Vec<String>,
    gap: bool,
    section: Section,
    ready: Vec<Draft>,
}

impl Drafter {
    /// Takes a piece.
    pub fn feed(&mut self, piece: &str) {
        for c in piece.chars() {
            if c == '\n' {
                let line = std::mem::take(&mut self.line);
                self.end_line(&line);
            } else {
                self.line.push(c);
            }
        }
    }

    /// Statements that are complete and not yet taken.
    pub fn take(&mut self) -> Vec<Draft> {
        std::mem::take(&mut self.ready)
    }

    /// The text has ended.
    pub fn finish(mut self) -> Vec<Draft> {
        let line = std::mem::take(&mut self.line);
        self.end_line(&line);
        self.flush();
        self.ready
    }

    fn end_line(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.gap = true;
            return;
        }
        if let Some((section, rest)) = heading(trimmed) {
            self.flush();
            self.section = section;
            if !rest.is_empty() {
                self.block.push(rest.to_owned());
            }
            return;
        }
        // A table and a citation on a line of its own belong to what stands above them.
        let joins =
            trimmed.starts_with('|') || is_citation_only(trimmed) || !(self.gap || starts_item(trimmed));
        if !joins {
            self.flush();
        }
        self.gap = false;
        self.block.push(trimmed.to_owned());
    }

    fn flush(&mut self) {
        self.gap = false;
        let block = std::mem::take(&mut self.block).join("\n");
        if block.is_empty() || self.section == Section::Sources {
            return;
        }
        let (text, places) = take_citations(&block);
        let text: String = without_marker(&text).chars().take(MAX_STATEMENT).collect();
        // Lead-ins such as “规定如下：” say nothing that could be checked.
        let lead_in = places.is_empty() && text.ends_with(['：', ':']);
        if !text.is_empty() && !lead_in {
            self.ready.push(Draft { section: self.section, text, places });
        }
    }
}

/// Takes a whole text apart.
pub fn statements(text: &str) -> Vec<Draft> {
    let mut drafter = Drafter::default();
    drafter.feed(text);
    drafter.finish()
}

/// A heading `【…】` or `**【…】**` with what follows it on the line.
fn heading(line: &str) -> Option<(Section, &str)> {
    let inner = line.trim_start_matches(['#', '*', ' ']).strip_prefix('【')?;
    let (name, rest) = inner.split_once('】')?;
    if name.contains([':', '：']) {
        // A citation in these brackets.
        return None;
    }
    let section = match name.trim() {
        "来源" => Section::Sources,
        name if name.contains("注意") => Section::Cautions,
        _ => Section::Measures,
    };
    Some((section, rest.trim_start_matches(['*', ':', '：', ' '])))
}

fn starts_item(line: &str) -> bool {
    without_marker(line) != line
}

fn is_citation_only(line: &str) -> bool {
    let (rest, places) = take_citations(line);
    !places.is_empty() && rest.trim_matches(['。', '.', '（', '）']).is_empty()
}

/// The text without `1.`, `2、`, `（3）`, `-`, `•` before it.
fn without_marker(text: &str) -> &str {
    let text = text.trim();
    if let Some(rest) =
        text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).or_else(|| text.strip_prefix("• "))
    {
        return rest.trim_start();
    }
    let inner = text.strip_prefix(['（', '(']).unwrap_or(text);
    let digits = inner.chars().take_while(char::is_ascii_digit).count();
    if digits == 0 || digits > 2 {
        return text;
    }
    let after = &inner[digits..];
    if let Some(rest) = after.strip_prefix(['、', '）', ')']) {
        return rest.trim_start();
    }
    match after.strip_prefix(['.', '．']) {
        // 2.1.4 is a clause, not the second item.
        Some(rest) if !rest.starts_with(|c: char| c.is_ascii_digit()) => rest.trim_start(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use regreader_model::PageNumber;

    use super::*;

    const ANSWER: &str = "根据规程：\n\n【来源】\n- 安规2024 P23 6.2.1\n\n【处置措施】\n1. 立即汇报国调 [来源: 安规2024 P23 6.2.1]\n2. 拉开失压母线上的全部开关\n   [来源: 安规2024 P24 6.2.1]\n3. 限额见下表\n\n| 台数 | 限额 |\n|---|---|\n| 3 | 340 |\n\n[来源: 稳规2024 P12 表3-3]\n\n【注意事项】\n- 2.1.4 条另有规定。[来源: 稳规2024 P6 2.1.4]\n没有出处的一句话。\n";

    #[test]
    fn an_answer_comes_apart_into_statements_with_their_citations() {
        let drafts = statements(ANSWER);
        let shown: Vec<_> = drafts
            .iter()
            .map(|d| {
                (
                    d.section,
                    d.text.lines().next().unwrap(),
                    d.places.iter().filter_map(|p| p.page_num).map(PageNumber::get).collect::<Vec<_>>(),
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                (Section::Measures, "立即汇报国调", vec![23]),
                (Section::Measures, "拉开失压母线上的全部开关", vec![24]),
                (Section::Measures, "限额见下表", vec![12]),
                (Section::Cautions, "2.1.4 条另有规定。", vec![6]),
            ]
            .map(|(section, text, pages)| (section, text, pages))
        );
        assert!(drafts[2].text.contains("| 3 | 340 |"));
        assert!(drafts[3].text.contains("没有出处"), "a line that runs on belongs to its item");
    }

    #[test]
    fn pieces_of_any_size_give_the_same() {
        let mut drafter = Drafter::default();
        let mut drafts = Vec::new();
        for c in ANSWER.chars() {
            drafter.feed(&c.to_string());
            drafts.extend(drafter.take());
        }
        drafts.extend(drafter.finish());
        assert_eq!(drafts, statements(ANSWER));
    }
}
