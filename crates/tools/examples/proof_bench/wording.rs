//! Words and cells as the generator of lies reads them: what turns a statement, what narrows it, what a number is.

use regreader_model::{LogicalTable, RegulationInfo};

pub const UNITS: [(&str, &str); 14] = [
    ("分钟", "小时"),
    ("小时", "分钟"),
    ("秒", "分钟"),
    ("万千瓦", "千瓦"),
    ("千伏", "伏"),
    ("kV", "V"),
    ("MW", "kW"),
    ("%", "‰"),
    ("calendar days", "calendar months"),
    ("calendar months", "calendar days"),
    ("days", "hours"),
    ("minutes", "hours"),
    ("hours", "minutes"),
    ("mm", "cm"),
];
pub const COMPARATORS: [(&str, &str); 18] = [
    ("不超过", "不低于"),
    ("不得超过", "不得低于"),
    ("不大于", "不小于"),
    ("不小于", "不大于"),
    ("不低于", "不高于"),
    ("不少于", "不多于"),
    ("超过", "低于"),
    ("大于", "小于"),
    ("小于", "大于"),
    ("高于", "低于"),
    ("低于", "高于"),
    ("以上", "以下"),
    ("以下", "以上"),
    ("at least", "at most"),
    ("more than", "less than"),
    ("less than", "more than"),
    ("greater than", "less than"),
    ("not exceed", "exceed"),
];
pub const POLARITY: [(&str, &str); 15] = [
    ("不得", "可以"),
    ("不得", "应"),
    ("严禁", "允许"),
    ("禁止", "允许"),
    ("不应", "应"),
    ("不宜", "宜"),
    ("应", "不应"),
    ("应", "可不"),
    ("可", "不可"),
    ("必须", "不必"),
    ("shall not", "shall"),
    ("shall", "shall not"),
    ("must", "may"),
    ("may not", "may"),
    ("shall", "may"),
];

/// Letters, digits and signs of comparison; a point only between two digits.
pub fn flatten(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
    let mut out = String::new();
    for (at, c) in chars.iter().enumerate() {
        let inside = matches!(c, '.' | '-') && digit(at.checked_sub(1)) && digit(Some(at + 1));
        if c.is_alphanumeric() || inside || matches!(c, '%' | '‰' | '≤' | '≥' | '<' | '>') {
            out.extend(c.to_lowercase());
        }
    }
    out
}

pub fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c))
}

pub fn cell(table: &LogicalTable, row: usize, col: usize) -> String {
    let row = table.header_rows + u32::try_from(row).unwrap_or(0);
    table
        .cell_at(row, u32::try_from(col).unwrap_or(0))
        .map(|cell| cell.content.trim().to_owned())
        .unwrap_or_default()
}

/// A short cell with a number in it.
pub fn is_amount(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit()) && text.chars().count() <= 16 && !text.contains('\n')
}

/// 直流限额（万千瓦） is a name and a unit.
pub fn split_unit(header: &str) -> (String, String) {
    let header = header.replace(" / ", " ");
    for (open, close) in [('（', '）'), ('(', ')')] {
        if let Some((name, rest)) = header.split_once(open)
            && let Some(unit) = rest.strip_suffix(close)
            && ["万千瓦", "MW", "kV", "千伏", "秒", "s", "分钟", "min", "%", "A", "Hz", "台", "℃", "km", "mm"]
                .contains(&unit)
        {
            return (name.trim().to_owned(), unit.to_owned());
        }
    }
    (header.trim().to_owned(), String::new())
}

/// Without the first part, when that says under which circumstances the rest holds.
pub fn without_condition(text: &str) -> Option<String> {
    if is_chinese(text) {
        let (head, tail) = text.split_once('，')?;
        let is_condition =
            ["时", "后", "前", "的", "情况下", "期间", "中"].iter().any(|end| head.ends_with(end))
                || ["当", "若", "如", "在", "对"].iter().any(|start| head.starts_with(start));
        return (is_condition && tail.chars().count() >= 6).then(|| tail.to_owned());
    }
    let (head, tail) = text.split_once(", ")?;
    let starts =
        ["If ", "When ", "Where ", "For ", "In ", "Upon ", "During ", "After ", "Before ", "Unless "];
    if starts.iter().any(|start| head.starts_with(start)) && tail.len() > 20 {
        let mut chars = tail.chars();
        let first = chars.next()?.to_uppercase().to_string();
        return Some(format!("{first}{}", chars.as_str()));
    }
    let at = [" if ", " when ", " unless ", " until "].iter().filter_map(|word| text.find(word)).min()?;
    (at > 30).then(|| format!("{}.", &text[..at]))
}

pub fn without_exception(text: &str) -> Option<String> {
    if let Some(start) = text.find('除')
        && let Some(end) = text[start..].find('外')
    {
        let rest = text[start + end + '外'.len_utf8()..].trim_start_matches(['，', ',']);
        return Some(format!("{}{rest}", &text[..start]));
    }
    for (open, close) in [('（', '）'), ('(', ')')] {
        if let Some(start) = text.find(open)
            && let Some(end) = text[start..].find(close)
            && ["不含", "不包括", "除外", "except", "excluding", "unless"]
                .iter()
                .any(|word| text[start..start + end].contains(word))
        {
            return Some(format!("{}{}", &text[..start], &text[start + end + close.len_utf8()..]));
        }
    }
    let words = ["，但", "，除非", " except ", " unless ", ", excluding ", " other than "];
    let at = words.iter().filter_map(|word| text.find(word)).min()?;
    (at > 12).then(|| format!("{}{}", &text[..at], if is_chinese(text) { "。" } else { "." }))
}

/// Runs of digits that stand alone.
pub fn numbers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        let glued = start > 0
            && (bytes[start - 1].is_ascii_alphanumeric() || matches!(bytes[start - 1], b'.' | b'-' | b'^'));
        if !glued && at - start <= 6 {
            found.push((start, at));
        }
    }
    found
}

pub fn is_edition(a: &RegulationInfo, b: &RegulationInfo) -> bool {
    let stem = |info: &RegulationInfo| -> String {
        info.series.clone().unwrap_or_else(|| {
            info.reg_id
                .as_str()
                .trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-' | '.' | 'a'))
                .to_owned()
        })
    };
    stem(a) == stem(b)
}

pub fn shared(a: &str, b: &str) -> usize {
    let pairs = |text: &str| text.chars().zip(text.chars().skip(1)).collect::<std::collections::HashSet<_>>();
    pairs(a).intersection(&pairs(b)).count()
}
