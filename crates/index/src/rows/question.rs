//! The conditions that a dispatcher's question states.

use regreader_text::fold;

use super::Condition;

/// Words that are a condition by themselves, with what they mean in a table.
const BY_THEMSELVES: &[(&[&str], &str, &str)] = &[
    (&["线路n-1", "线路停运", "回线检修", "回线停运", "回线路停运", "回线路检修"], "方式", "线路N-1"),
    (&["母线n-1"], "方式", "母线N-1"),
    (&["正常方式", "全接线", "正常运行方式"], "方式", "正常方式"),
    (&["降压"], "", "降压"),
    (&["全压"], "", "全压"),
    (&["策略投入", "策略已投", "策略投"], "策略", "投入"),
    (&["策略退出", "策略未投", "策略没投", "策略不投", "策略退"], "策略", "退出"),
];

/// What a number of units may be of.
const COUNTED: &[(&str, &str)] = &[("调相机", "调相机台数")];
/// What an amount of power may be of.
const MEASURED: &[&str] = &["新能源", "风电", "光伏", "火电", "水电", "负荷"];

pub(super) fn conditions(question: &str) -> Vec<Condition> {
    let folded = fold(question);
    let mut found: Vec<Condition> = Vec::new();
    for (words, name, value) in BY_THEMSELVES {
        let known = !name.is_empty() && found.iter().any(|one| one.name == *name);
        if !known && words.iter().any(|word| folded.contains(word)) {
            found.push(Condition::new(*name, *value));
        }
    }
    let mut at = 0;
    while let Some((start, number, end)) = next_number(&folded, at) {
        let before = clause_before(&folded, start);
        let after = folded.get(end..).unwrap_or_default().trim_start();
        let shown: String = number.to_owned();
        if after.starts_with('台') {
            let name = COUNTED
                .iter()
                .find(|(word, _)| before.contains(word))
                .map_or("开机台数", |(_, name)| name);
            found.push(Condition::new(name, shown));
        } else if let Some(word) =
            MEASURED.iter().filter(|word| before.contains(**word)).max_by_key(|word| before.rfind(**word))
        {
            let unit = if after.starts_with("万千瓦") {
                "万千瓦"
            } else if after.starts_with("mw") {
                "MW"
            } else {
                ""
            };
            found.push(Condition::new(format!("{word}出力"), format!("{shown}{unit}")));
        }
        at = end;
    }
    found
}

/// The next number behind a place: where it begins, its digits, where it ends. Digits of names (N-1, 500kV) are passed.
fn next_number(folded: &str, from: usize) -> Option<(usize, &str, usize)> {
    let mut at = from;
    while let Some(start) = folded.get(at..)?.find(|c: char| c.is_ascii_digit()).map(|place| at + place) {
        let rest = folded.get(start..)?;
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let end = start + length;
        let named = folded.get(..start)?.ends_with(|c: char| c.is_ascii_alphabetic() || c == '-');
        let number = folded.get(start..end)?.trim_end_matches('.');
        if !named {
            return Some((start, number, end));
        }
        at = end;
    }
    None
}

/// The text from the last comma to the number.
fn clause_before(folded: &str, start: usize) -> &str {
    let before = folded.get(..start).unwrap_or_default();
    let comma = before.rfind(['，', ',', '、', '；', ';', '。', '(', '（', '?', '？']);
    comma.and_then(|place| before.get(place..)).unwrap_or(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(question: &str) -> Vec<String> {
        conditions(question).into_iter().map(|one| format!("{}={}", one.name, one.value)).collect()
    }

    #[test]
    fn a_dispatchers_question_is_read() {
        assert_eq!(
            read("天中直流线路N-1、全压、开机 3 台、风电 200 万千瓦时的直流限额？（策略投入）"),
            ["方式=线路N-1", "=全压", "策略=投入", "开机台数=3", "风电出力=200万千瓦"]
        );
        assert_eq!(
            read("天中直流全接线全压运行，火电 8 台，新能源 180 万千瓦，切机策略没投，最多送多少？"),
            ["方式=正常方式", "=全压", "策略=退出", "开机台数=8", "新能源出力=180万千瓦"]
        );
        assert_eq!(
            read("青豫直流线路N-1，调相机 4 台，新能源 400，全压限额多少万千瓦？")[2..],
            ["调相机台数=4", "新能源出力=400"]
        );
        assert_eq!(read("110kV 母线失压怎么处理？"), [""; 0]);
        assert_eq!(read(""), [""; 0]);
    }
}
