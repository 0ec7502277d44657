//! Citations written into a statement: `[来源: 安规2024 P24 6.2.3]`.

use regreader_text::fold;

/// The first citation in a statement that names another regulation than one of these names.
pub fn another(statement: &str, names: &[String]) -> Option<String> {
    let text = fold(statement);
    let names: Vec<String> = names.iter().map(|name| fold(name).trim().to_owned()).collect();
    let mut before = 0;
    while let Some(found) = text[before..].find('来') {
        let start = before + found;
        before = start + '来'.len_utf8();
        let Some(rest) = text[before..].trim_start().strip_prefix('源') else { continue };
        let Some(inner) = rest.trim_start().strip_prefix([':', '：']) else { continue };
        let bracketed = text[..start].trim_end().ends_with(['[', '［', '【', '〔', '(', '（']);
        let end = inner.find([']', '］', '】', '〕', ')', '）']).unwrap_or(inner.len());
        for part in inner[..end].split([';', '；']).map(str::trim).filter(|part| !part.is_empty()) {
            let is_citation = bracketed || page_mark(part).is_some();
            if is_citation && !names.iter().any(|name| is_of(part, name)) {
                return Some(part.to_owned());
            }
        }
    }
    None
}

/// Whether a citation begins with this name and nothing else stands before its page.
fn is_of(part: &str, name: &str) -> bool {
    let Some(rest) = part.strip_prefix(name).filter(|_| !name.is_empty()) else { return false };
    match page_mark(rest) {
        Some(at) => rest[..at].chars().all(|c| !c.is_alphanumeric()),
        None => rest.is_empty() || rest.starts_with(|c: char| c == '第' || !c.is_alphanumeric()),
    }
}

/// Where ` P24` begins.
fn page_mark(text: &str) -> Option<usize> {
    text.char_indices().map(|(at, _)| at).find(|at| {
        let own_word = !text[..*at].ends_with(|c: char| c.is_ascii_alphanumeric()) || text[..*at].is_empty();
        let number = text[*at..].strip_prefix(['p', 'P']).map(|after| after.trim_start_matches(['.', ' ']));
        own_word && number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::another;

    #[test]
    fn a_citation_is_of_the_regulation_that_it_names() {
        let names = ["安规2024".to_owned(), "REL-901".to_owned()];
        let other = |text: &str| another(text, &names).is_some();
        for own in [
            "限额为 70 万千瓦",
            "限额 [来源: 安规2024 P1]",
            "限额【来源：安规2024 第 9 页】",
            "限额 [来源: REL-901 P4（约） 表6-2]",
            "数据来源：调度中心",
            "限额 [来源: 安规2024 6.2.3]",
        ] {
            assert!(!other(own), "{own}");
        }
        for foreign in [
            "限额 [来源: 稳规2024 P1]",
            "限额 [来 源：稳规2024 P1",
            "限额 来源: 稳规2024 P1",
            "限额 [来源: 安规2024 P1; 稳规2024 P9]",
            "限额 [来源: 安规20241 P1]",
            "限额 [来源: 安规2024 修订 P1]",
            "限额 [来源: 安规2024 P1]，[来源: 稳规2024 P9]",
        ] {
            assert!(other(foreign), "{foreign}");
        }
    }
}
