//! Questions that name an edition which is not in the library: 安规2022 where there are 2023 and 2024. They are answered from what is
//! there, but not silently.

use std::collections::BTreeSet;

use regreader_messages::tools;
use regreader_model::RegulationInfo;
use regreader_question::{Question, is_year, squeeze, without_edition};
use regreader_text::fold;
use regreader_text::script::is_cjk;

use super::catalog::RegulationCatalog;
use super::edition::years_named;

/// What may stand between a year and the name behind it.
const BETWEEN: [&str; 6] = ["年版的", "版的", "年版", "版", "年", ""];
/// What may stand behind a number that is no year.
const UNITS: &str = "千万亿兆瓦伏安秒米元台个条";
/// What may stand between a name and a year that belong together.
const JOINING: &str = "()（）[]【】《》〈〉“”\"'-—–_";

impl RegulationCatalog {
    /// One line for each edition that a question names and the library lacks.
    pub(crate) fn missing_editions(&self, question: &Question) -> BTreeSet<String> {
        // Few questions say a year, and only they are looked at.
        if question.years.is_empty() {
            return BTreeSet::new();
        }
        let question = joined(question.folded());
        let infos = || self.entries.iter().map(|entry| &entry.info);
        let mut lines = BTreeSet::new();
        for (shown, name) in infos().flat_map(names) {
            for year in editions_said(&question, &name) {
                // Everything that goes by the name may be the edition that is meant, and one of unknown year as well.
                let there: Vec<&RegulationInfo> =
                    infos().filter(|info| names(info).any(|(_, other)| other == name)).collect();
                let may_be = |info: &&RegulationInfo| {
                    let years = years_named(info);
                    years.is_empty() || years.contains(&year)
                };
                if !there.iter().any(may_be) {
                    let there: Vec<&str> = there.iter().map(|info| info.reg_id.as_str()).collect();
                    lines.insert(tools::no_edition(&shown, year, there.join("、")));
                }
            }
        }
        lines
    }
}

/// The names of a regulation without what tells its edition: as they are shown, and as they are compared.
fn names(info: &RegulationInfo) -> impl Iterator<Item = (String, String)> {
    info.aliases.iter().chain([&info.title]).map(|name| {
        let main = name.split(['(', '（']).next().unwrap_or_default();
        let shown = without_edition(main).trim_matches([' ', '-', '—', '_']).to_owned();
        let compared = squeeze(&fold(&shown));
        (shown, compared)
    })
}

/// A question, folded, without what may stand inside of a name; what ends one is a line break.
fn joined(folded: &str) -> String {
    let kept = folded.chars().filter(|c| !c.is_whitespace() && !JOINING.contains(*c));
    kept.map(|c| if c.is_alphanumeric() { c } else { '\n' }).collect()
}

/// The years of the editions of a name that a question, joined, speaks of: what stands right behind the name or right before it.
fn editions_said(question: &str, name: &str) -> Vec<String> {
    let telling = name.chars().count() >= if name.chars().any(is_cjk) { 2 } else { 4 };
    if !telling || !name.chars().any(char::is_alphabetic) {
        return Vec::new();
    }
    let mut said = Vec::new();
    for (at, _) in question.match_indices(name) {
        let (before, after) = (&question[..at], &question[at + name.len()..]);
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        let rest = &after[digits.len()..];
        // 安规2022年以来 speaks of a time, 稳规2000千瓦 of a quantity.
        let of_time = rest.starts_with('年') && !rest.starts_with("年版");
        let of_quantity = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || UNITS.contains(c));
        if is_year(&digits) && !of_time && !of_quantity {
            said.push(digits);
        }
        if let Some(before) = BETWEEN.iter().find_map(|between| before.strip_suffix(between)) {
            let start = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            if is_year(&before[start..]) {
                said.push(before[start..].to_owned());
            }
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Question {
        Question::read(query, regreader_question::Lexicon::built_in())
    }

    fn info(id: &str, title: &str, aliases: &[&str]) -> RegulationInfo {
        let json = format!(
            r#"{{"reg_id":"{id}","title":"{title}","source_file":"a.pdf","total_pages":9,"indexed_at":""}}"#
        );
        let mut info: RegulationInfo = serde_json::from_str(&json).unwrap();
        info.aliases = aliases.iter().map(|word| (*word).to_owned()).collect();
        info
    }

    #[test]
    fn an_edition_that_is_not_there_is_said_to_be_lacking() {
        let infos = [
            info("angui_2023", "2023年某电网装置管理规定（第一版）", &["安规2023"]),
            info("angui_2024", "2024年某电网装置管理规定（第二版）", &["安规2024", "安规"]),
            info("gb_38755", "GB 38755-2019 电力系统安全稳定导则", &["GB 38755", "导则"]),
        ];
        let known = RegulationCatalog::new(infos.iter());
        let lacking = |query: &str| known.missing_editions(&read(query)).into_iter().collect::<Vec<_>>();
        let line = "规程库中没有安规 2022 版，只有 angui_2023、angui_2024";
        for query in
            ["安规2022 母线失压怎么处理", "2022版的安规，母线失压", "安规（2022年版）第3章", "2022年安规"]
        {
            assert_eq!(lacking(query), [line], "{query}");
        }
        assert_eq!(lacking("GB 38755-2001 的三级标准"), ["规程库中没有GB 38755 2001 版，只有 gb_38755"]);
        assert_eq!(lacking("2021年某电网装置管理规定 附则").len(), 1);
        for query in [
            "安规2023 母线失压",
            "2024版安规",
            "安规2022年以来的变化",
            "母线失压 2022",
            "GB 38755-2019 第3章",
            "安规 2000MW 限额",
            "安规里2000千瓦，安规2000千瓦",
            "安规20221",
            "额定功率为2000，安规怎么规定",
        ] {
            assert_eq!(lacking(query), [""; 0], "{query}");
        }
    }

    /// Years that only an alias says, names that several go by, and one that nobody dates.
    #[test]
    fn an_edition_that_may_be_there_is_not_said_to_be_lacking() {
        let infos = [
            info("gb_38755", "电力系统安全稳定导则", &["GB 38755-2019"]),
            info("c", "某电网稳定运行规定", &[]),
            info("d", "某电网稳定运行规定（2024年版）", &[]),
            info("acme_2018", "ACME 2018 annual report", &[]),
            info("acme_2019", "ACME 2019 annual report", &[]),
            info("e", "某电网调度规定2023年版", &[]),
        ];
        let known = RegulationCatalog::new(infos.iter());
        for query in [
            "GB 38755-2019 第3章",
            "某电网稳定运行规定2024版",
            "某电网稳定运行规定2020版",
            "ACME annual report 2019",
        ] {
            assert_eq!(known.missing_editions(&read(query)), BTreeSet::new(), "{query}");
        }
        assert_eq!(known.missing_editions(&read("GB 38755-2001")).len(), 1);
        assert_eq!(known.missing_editions(&read("某电网调度规定2022年版")).len(), 1);
    }
}
