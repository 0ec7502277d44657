//! The beginning of a text, cut where nothing false remains: no half table row, no number without its end or its unit.

/// At most `max_chars` characters of a text, and `…` where something is gone. A table is cut between rows, a sentence at
/// its end, and where the cut must fall into one, not within a number, a word or what is measured.
///
/// ```
/// use regreader_text::beginning;
///
/// assert_eq!(beginning("限额见表3。母线失压。", 40), "限额见表3。母线失压。");
/// assert_eq!(beginning("| 台数 | 限额 |\n| 3 | 2400 |\n| 4 | 2600 |", 28), "| 台数 | 限额 |\n| 3 | 2400 |\n…");
/// assert_eq!(beginning("送出断面的功率不应超过 2400 MW", 16), "送出断面的功率不应超过…");
/// ```
pub fn beginning(text: &str, max_chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max_chars) else { return text.to_owned() };
    let (head, rest) = text.split_at(end);
    let line_start = if rest.starts_with('\n') { end } else { head.rfind('\n').map_or(0, |at| at + 1) };
    let (lines, line) = head.split_at(line_start);
    if !line.trim_start().starts_with('|') && line_start < end {
        return format!("{}…", prose(head, rest).trim_end());
    }
    match lines.trim_end() {
        // The first row alone is too long: whole cells of it.
        "" => format!("{}…", line.rfind('|').map_or(line, |at| &line[..=at])),
        lines => format!("{lines}\n…"),
    }
}

/// The whole sentences where they are the better half, else whole words; a number at the very end may lack its unit.
fn prose<'a>(head: &'a str, rest: &str) -> &'a str {
    let sentence = head.char_indices().rfind(|(_, c)| matches!(c, '。' | '；' | '！' | '？' | ';' | '\n'));
    if let Some((at, mark)) = sentence
        && at >= head.len() / 2
    {
        return &head[..at + mark.len_utf8()];
    }
    let mut kept = head;
    if rest.starts_with(holds_together) {
        kept = kept.trim_end_matches(holds_together);
    }
    let mut before = "";
    while before != kept {
        before = kept;
        let word = kept.trim_end().trim_end_matches(holds_together);
        if kept.trim_end()[word.len()..].contains(|c: char| c.is_ascii_digit()) {
            kept = word;
        }
    }
    // One run of letters and digits that fills everything is no measure; it is cut as it is.
    if kept.trim().is_empty() { head } else { kept }
}

/// What numbers, units and foreign words are made of.
fn holds_together(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(
            c,
            '.' | ',' | '%' | '‰' | '-' | '–' | '—' | '+' | '±' | '/' | '~' | '～' | '×' | '≤' | '≥'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_stay_whole() {
        let table = "表3-1\n| 台数 | 限额 |\n|---|---|\n| 3 | 2400 |\n| 4 | 2600 |";
        let rows: Vec<&str> = table.lines().collect();
        for max in 6..table.chars().count() {
            let cut = beginning(table, max);
            let kept = cut.strip_suffix("\n…").or_else(|| cut.strip_suffix('…')).unwrap();
            assert!(kept.lines().all(|line| rows.contains(&line)), "{max}: {cut}");
        }
        // A row that does not fit keeps whole cells.
        assert_eq!(beginning("| 甲 | 2400 | 乙 | 2600 |", 14), "| 甲 | 2400 |…");
        // A cut right behind a row loses nothing of it.
        assert_eq!(beginning("| 甲 |\n| 乙 |", 5), "| 甲 |\n…");
    }

    #[test]
    fn sentences_are_kept_and_numbers_never_halved() {
        let text = "两台运行时断面功率不超过 2400 MW。三台运行时不超过 2600 MW，持续时间不超过 1.5h。";
        assert_eq!(beginning(text, 30), "两台运行时断面功率不超过 2400 MW。…");
        for max in 1..text.chars().count() {
            let cut = beginning(text, max);
            let kept = cut.trim_end_matches('…');
            for number in
                kept.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|part| !part.is_empty())
            {
                assert!(["2400", "2600", "1.5"].contains(&number), "{max}: {cut}");
            }
        }
        assert_eq!(beginning("投资不超过1000万元", 9), "投资不超过…");
        assert_eq!(beginning("ABCDEFGHIJ", 4), "ABCD…");
    }

    proptest! {
        #[test]
        fn it_is_a_beginning_and_bounded(text in "(?s).{0,60}", max in 0_usize..70) {
            let cut = beginning(&text, max);
            if text.chars().count() <= max {
                prop_assert_eq!(cut, text);
            } else {
                let kept = cut.strip_suffix("\n…").or_else(|| cut.strip_suffix('…')).unwrap();
                prop_assert!(text.starts_with(kept));
                prop_assert!(kept.chars().count() <= max);
            }
        }
    }
}
