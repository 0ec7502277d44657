//! References that look like this document's own but name another: 安规2024第六章, 10 C.F.R. Section 73.54, section 206
//! of the Federal Power Act.
//!
//! The grammar finds 《…》 and plain names before a place. What only the document can say is here: the short names it
//! gives to other regulations (《…》（以下简称安规2024）), and words around a number that put it elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regreader_model::ReferenceKind;
use regreader_text::reference::find_references;
use regreader_text::words_of;

use crate::references::Places;

/// Codes by which the document names itself (`CIP-004-7`, `GB 38755-2019`): those that begin its title, its running
/// heads or a line of its cover. 代替 DL 755—2001 does not begin with the code and is another's.
pub(crate) fn own_codes<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for line in lines {
        let first = find_references(line).into_iter().next();
        let own = first.filter(|mention| mention.range.start == 0 && !line.starts_with('《'));
        codes.extend(
            own.filter(|mention| mention.target.kind == ReferenceKind::Regulation)
                .and_then(|m| m.target.regulation),
        );
    }
    codes
}

/// Short names of other regulations, as the document defines them.
#[derive(Debug, Clone, Default)]
pub(super) struct Aliases {
    titles: BTreeMap<String, String>,
}

/// A real document gives a handful of short names.
const MOST_ALIASES: usize = 64;

/// Another regulation that a mention belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Elsewhere {
    pub regulation: String,
    /// Where the words that name it begin; the mention's own beginning when they follow it.
    pub from: usize,
}

impl Aliases {
    pub fn of(places: &Places<'_>) -> Self {
        let mut aliases = Self::default();
        for para in places.paras {
            aliases.read(&para.text);
        }
        for cell in places.plan.tables.iter().flat_map(|joined| &joined.table.cells) {
            aliases.read(&cell.content);
        }
        aliases
    }

    fn read(&mut self, text: &str) {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|tail| tail.find("以下简称")).map(|at| at + from) {
            from = at + "以下简称".len();
            let before = text.get(..at).unwrap_or("").trim_end_matches(['（', '(', ' ']);
            let Some(title) =
                before.strip_suffix('》').and_then(|head| head.rsplit_once('《')).map(|(_, t)| t)
            else {
                continue;
            };
            let name = text.get(from..).unwrap_or("").trim_start_matches(['：', ':', '“', '"', '《', ' ']);
            let end = name.find(['”', '"', '》', '）', ')', '，', ',', '。', '、']).unwrap_or(name.len());
            let name = name.get(..end).unwrap_or("").trim();
            let room = self.titles.len() < MOST_ALIASES;
            if room && !name.is_empty() && name.chars().count() <= 20 && !name.starts_with('本') {
                self.titles.insert(name.to_owned(), title.to_owned());
            }
        }
    }

    /// Whether a mention at `start..end` of the text belongs to another regulation.
    pub fn elsewhere(&self, text: &str, start: usize, end: usize) -> Option<Elsewhere> {
        let before = text.get(..start)?.trim_end_matches([' ', '的', '中', '\u{3000}']);
        // The longest name wins: 安规2024 over 安规.
        let known = self
            .titles
            .iter()
            .filter(|(name, _)| before.ends_with(name.as_str()))
            .max_by_key(|(name, _)| name.len());
        if let Some((name, title)) = known {
            return Some(Elsewhere { regulation: title.clone(), from: before.len() - name.len() });
        }
        edition_name(before)
            .or_else(|| english_before(before, start))
            .or_else(|| english_after(text, start, end))
    }
}

/// 安规2024, 调度规程2023版: the short name of a regulation with its year.
fn edition_name(before: &str) -> Option<Elsewhere> {
    static ENDS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "ends of short names"));
    let stem = before.trim_end_matches(['版', '年']).trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == before.len() || !ENDS.iter().any(|end| stem.ends_with(end)) {
        return None;
    }
    let mut from = stem.len();
    for (at, c) in stem.char_indices().rev().take(16) {
        let part_of_name = regreader_text::script::is_cjk(c)
            && !matches!(c, '见' | '按' | '照' | '和' | '与' | '及' | '的' | '据' | '行');
        if !part_of_name {
            break;
        }
        from = at;
    }
    let name = before.get(from..)?;
    (!name.starts_with('本')).then(|| Elsewhere { regulation: name.to_owned(), from })
}

/// `10 C.F.R. Section 73.54`, `42 U.S.C. § 7173`.
fn english_before(before: &str, start: usize) -> Option<Elsewhere> {
    let code = ["C.F.R.", "CFR", "U.S.C.", "USC"].into_iter().find(|code| before.ends_with(code))?;
    let head = before.strip_suffix(code)?.trim_end();
    let volume: String =
        head.chars().rev().take_while(char::is_ascii_digit).collect::<Vec<_>>().into_iter().rev().collect();
    let from = if volume.is_empty() { start } else { head.len() - volume.len() };
    Some(Elsewhere { regulation: format!("{volume} {code}").trim().to_owned(), from })
}

/// `section 206 of the Federal Power Act`.
fn english_after(text: &str, start: usize, end: usize) -> Option<Elsewhere> {
    const LAWS: [&str; 6] = ["Act", "Code", "Tariff", "OATT", "Agreement", "Constitution"];
    // `Subsection 1.3.3. of Division A`: the dot belongs to the number.
    let tail = text.get(end..)?;
    let tail = tail.strip_prefix('.').unwrap_or(tail);
    if let Some(division) = division_named(tail) {
        return Some(Elsewhere { regulation: division, from: start });
    }
    let tail = tail.strip_prefix(" of the ").or_else(|| tail.strip_prefix(" of "))?;
    let mut name: Vec<&str> = Vec::new();
    for word in tail.split(' ').take(8) {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        name.push(bare);
        if LAWS.contains(&bare) {
            return Some(Elsewhere { regulation: name.join(" "), from: start });
        }
        let goes_on =
            bare.chars().next().is_some_and(char::is_uppercase) || matches!(bare, "of" | "and" | "the");
        if !goes_on || bare.len() < word.len() {
            break;
        }
    }
    None
}

/// ` of Division A`, ` of Book II`: a volume of the same work that is printed apart.
fn division_named(tail: &str) -> Option<String> {
    let mut words = tail.strip_prefix(" of ")?.split(' ');
    let kind = words.next().filter(|word| matches!(*word, "Division" | "Book" | "Volume"))?;
    let name = words.next()?.trim_end_matches(|c: char| !c.is_alphanumeric());
    let short =
        (1..=4).contains(&name.len()) && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    short.then(|| format!("{kind} {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_lead_to_the_regulation_they_stand_for() {
        let mut aliases = Aliases::default();
        aliases.read("执行《直调安全自动装置管理规定（第二版）》（以下简称安规2024）。");
        aliases.read("安控装置（以下简称装置）应投入。");
        let text = "措施见安规2024表2-3，限额见表3-1。";
        let at = text.find("表2-3").expect("there");
        let found = aliases.elsewhere(text, at, at + "表2-3".len()).expect("elsewhere");
        assert_eq!(found.regulation, "直调安全自动装置管理规定（第二版）");
        assert_eq!(&text[found.from..at], "安规2024");
        let own = text.find("表3-1").expect("there");
        assert_eq!(aliases.elsewhere(text, own, own + 6), None);
        assert_eq!(aliases.titles.len(), 1);
    }

    #[test]
    fn numbers_of_other_laws_are_not_ours() {
        let aliases = Aliases::default();
        let text =
            "under 10 C.F.R. Section 73.54 and section 206 of the Federal Power Act, see Section 4.2 above";
        let at = |words: &str| {
            text.find(words).map(|at| aliases.elsewhere(text, at, at + words.len()).map(|e| e.regulation))
        };
        assert_eq!(at("Section 73.54"), Some(Some("10 C.F.R.".to_owned())));
        assert_eq!(at("section 206"), Some(Some("Federal Power Act".to_owned())));
        assert_eq!(at("Section 4.2"), Some(None));
        let text = "按稳规2023第六章执行";
        let at = text.find('第').expect("there");
        assert_eq!(
            aliases.elsewhere(text, at, text.len()).map(|e| e.regulation).as_deref(),
            Some("稳规2023")
        );
    }
}
