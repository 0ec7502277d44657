//! Truths and lies about stored regulations, made from their pages and tables by rule and seed. It shares no code with the
//! prover: it cuts sentences and reads rows in its own way, so that a mistake of the one is no mistake of the other.

#[path = "wording.rs"]
mod wording;

use std::collections::BTreeMap;

use regreader_model::{LogicalTable, PageDocument, RegulationInfo, TableRegistry};
use wording::{
    COMPARATORS, POLARITY, UNITS, cell, flatten, is_amount, is_chinese, is_edition, numbers, shared,
    split_unit, without_condition, without_exception,
};

/// The ways in which a statement is untrue.
pub const LIES: [&str; 15] = [
    "other row",
    "other column",
    "other table",
    "other unit",
    "comparator turned",
    "polarity turned",
    "condition dropped",
    "exception dropped",
    "subject swapped",
    "edition swapped",
    "page off by one",
    "clause swapped",
    "quotations stitched",
    "digits transposed",
    "number invented",
];

/// The ways in which a truth is worded.
pub const TRUTHS: [&str; 3] = ["verbatim", "reworded", "row"];

/// A regulation as it is stored.
pub struct Document {
    pub info: RegulationInfo,
    pub pages: Vec<PageDocument>,
    pub tables: TableRegistry,
}

/// A statement with its citation.
#[derive(Debug, Clone)]
pub struct Case {
    pub kind: &'static str,
    pub is_true: bool,
    pub reg_id: String,
    pub page: u32,
    pub target: Option<String>,
    pub statement: String,
}

/// A small generator of numbers (splitmix64): the same seed gives the same cases.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}

/// A sentence of a page.
#[derive(Clone)]
struct Quoted {
    document: usize,
    page: u32,
    clause: Option<String>,
    /// Titles of the chapters that hold it.
    chapters: String,
    text: String,
}

/// Makes `count` truths and `count` lies, as evenly over the kinds as the documents allow.
pub fn cases(documents: &[Document], count: usize, seed: u64) -> Vec<Case> {
    let mut maker = Maker {
        documents,
        random: Random::new(seed),
        sentences: sentences(documents),
        flat: flat(documents),
    };
    let mut cases = Vec::new();
    for (kinds, is_true) in [(&TRUTHS[..], true), (&LIES[..], false)] {
        let mut made: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
        for kind in kinds {
            let wanted = count / kinds.len() + 1;
            let mut tries = 0;
            let list = made.entry(kind).or_default();
            while list.len() < wanted && tries < wanted * 400 {
                tries += 1;
                let Some(case) = maker.make(kind) else { continue };
                if !list
                    .iter()
                    .any(|known: &Case| known.statement == case.statement && known.page == case.page)
                {
                    list.push(Case { kind, is_true, ..case });
                }
            }
        }
        let mut all: Vec<Case> = made.into_values().flatten().collect();
        all.truncate(count);
        cases.extend(all);
    }
    cases
}

struct Maker<'a> {
    documents: &'a [Document],
    random: Random,
    sentences: Vec<Quoted>,
    /// Letters and digits of each page, to make sure that a lie is not true by accident.
    flat: Vec<Vec<String>>,
}

/// A cell said in words.
struct Said<'a> {
    document: usize,
    page: u32,
    table: &'a LogicalTable,
    row: usize,
    col: usize,
    keys: Vec<usize>,
}

impl<'a> Maker<'a> {
    fn make(&mut self, kind: &str) -> Option<Case> {
        match kind {
            "verbatim" => self.verbatim(),
            "reworded" => self.reworded(),
            "row" => {
                let said = self.cell()?;
                let value = cell(said.table, said.row, said.col);
                Some(self.row_case(
                    &said,
                    &said.keys.iter().map(|key| (*key, cell(said.table, said.row, *key))).collect::<Vec<_>>(),
                    said.col,
                    &value,
                ))
            }
            "other row" | "other column" | "other table" => self.wrong_cell(kind),
            "subject swapped" if self.random.below(2) == 0 => self.wrong_cell(kind),
            "condition dropped" if self.random.below(4) == 0 => self.wrong_cell(kind),
            _ => self.wrong_sentence(kind),
        }
    }

    fn quoted(&mut self) -> Option<Quoted> {
        self.random.pick(&self.sentences).cloned()
    }

    fn case(&self, quoted: &Quoted, statement: String) -> Case {
        Case {
            kind: "",
            is_true: true,
            reg_id: self.documents[quoted.document].info.reg_id.to_string(),
            page: quoted.page,
            target: None,
            statement,
        }
    }

    fn verbatim(&mut self) -> Option<Case> {
        let quoted = self.quoted()?;
        let mut case = self.case(&quoted, quoted.text.clone());
        if self.random.below(3) == 0 {
            case.target.clone_from(&quoted.clause);
        }
        Some(case)
    }

    fn reworded(&mut self) -> Option<Case> {
        let quoted = self.quoted()?;
        let chinese = is_chinese(&quoted.text);
        let mut text = quoted.text.trim_end_matches(['。', '；', ';', '.']).to_owned();
        let before = text.clone();
        let swaps: &[(&str, &str)] = if chinese {
            &[
                ("应当", "应"),
                ("不得", "不应"),
                ("不得", "禁止"),
                ("必须", "应当"),
                ("立即", "立刻"),
                ("或者", "或"),
                ("并且", "且"),
                ("不超过", "不大于"),
                ("不小于", "不低于"),
                ("超过", "大于"),
                ("以及", "及"),
                ("按照", "按"),
                ("可以", "可"),
                ("如果", "如"),
                ("千伏", "kV"),
                ("kV", "千伏"),
                ("分钟", "min"),
                ("小时", "h"),
                ("全部", "所有"),
            ]
        } else {
            &[
                ("shall not", "must not"),
                ("shall", "must"),
                ("at least", "no less than"),
                ("prior to", "before"),
                ("in accordance with", "according to"),
                ("each ", "every "),
                ("more than", "greater than"),
                ("not exceed ", "not exceed "),
            ]
        };
        for _ in 0..3 {
            let (from, to) = *self.random.pick(swaps)?;
            if text.contains(from) && !text.contains(&format!("不{from}")) {
                text = text.replacen(from, to, 1);
            }
        }
        if self.random.below(3) == 0 {
            text = text
                .chars()
                .map(|c| if c.is_ascii_digit() { char::from_u32(c as u32 + 0xFEE0).unwrap_or(c) } else { c })
                .collect();
        }
        let name = self.documents[quoted.document].info.short_name().to_owned();
        let framed = match (self.random.below(4), chinese) {
            (0, true) => format!("根据规定，{text}。"),
            (1, true) => format!("{name}规定：{text}。"),
            (2, true) => text.replace('，', ","),
            (0, false) => format!("According to the standard, {text}."),
            (1, false) => format!("{name} states that {text}."),
            _ => text,
        };
        (framed != before).then(|| self.case(&quoted, framed))
    }

    /// A cell with a number in it, and the columns on its left that tell its row from the others.
    fn cell(&mut self) -> Option<Said<'a>> {
        let document = self.random.below(self.documents.len());
        let tables: Vec<&LogicalTable> = self.documents[document].tables.tables.values().collect();
        let table = *self.random.pick(&tables)?;
        if table.row_count < 2 || table.col_headers.iter().any(|header| header.trim().is_empty()) {
            return None;
        }
        let row = self.random.below(table.row_count as usize);
        let columns: Vec<usize> =
            (1..table.col_count as usize).filter(|col| is_amount(&cell(table, row, *col))).collect();
        let col = *self.random.pick(&columns)?;
        let headers = &table.col_headers;
        if headers.iter().enumerate().any(|(other, header)| other != col && header == &headers[col]) {
            return None;
        }
        // The fewest columns from the left that tell the rows apart.
        let count = (1..=col).find(|count| {
            let same = |other: usize| (0..*count).all(|col| cell(table, other, col) == cell(table, row, col));
            (0..table.row_count as usize).all(|other| other == row || !same(other))
        })?;
        let keys: Vec<usize> = (0..count).filter(|key| !cell(table, row, *key).trim().is_empty()).collect();
        let readable =
            |text: &str| !text.trim().is_empty() && text.chars().count() <= 60 && !text.contains('\n');
        if keys.is_empty()
            || !keys.iter().all(|key| readable(&cell(table, row, *key)) && readable(&headers[*key]))
        {
            return None;
        }
        let page = table.row_pages.get(table.header_rows as usize + row)?.get();
        Some(Said { document, page, table, row, col, keys })
    }

    /// A row in words, in one of several orders. Keys and value are given, so that either can be a wrong one.
    fn row_case(&mut self, said: &Said<'_>, keys: &[(usize, String)], col: usize, value: &str) -> Case {
        let headers = &said.table.col_headers;
        let chinese = is_chinese(&headers.concat())
            || is_chinese(&keys.iter().map(|(_, key)| key.as_str()).collect::<String>());
        let (name, unit) = split_unit(&headers[col]);
        let amount = if unit.is_empty() || value.ends_with(|c: char| c.is_alphabetic()) {
            value.to_owned()
        } else {
            format!("{value} {unit}")
        };
        let named: Vec<String> = keys
            .iter()
            .map(|(key, text)| {
                let (name, unit) = split_unit(&headers[*key]);
                let unit = if text.ends_with(|c: char| c.is_ascii_digit()) { unit } else { String::new() };
                if chinese {
                    format!("{name}为 {text}{unit}")
                } else {
                    format!("{name} {text} {unit}").trim().to_owned()
                }
            })
            .collect();
        let bare = keys.iter().all(|(_, text)| text.chars().any(char::is_alphabetic));
        let first: Vec<String> = keys.iter().map(|(_, text)| text.clone()).collect();
        let number = said.table.number.clone();
        let table = number
            .as_ref()
            .map(|number| if chinese { format!("表{number}中，") } else { format!("In Table {number}, ") })
            .unwrap_or_default();
        let statement = match (self.random.below(5), chinese, bare) {
            (0, true, _) => format!("{table}{}时，{name}为 {amount}。", named.join("、")),
            (1, true, true) => format!("{}的{name}为{amount}", first.join("、")),
            (2, true, true) => format!("{name}（{}）：{amount}", first.join("，")),
            (3, true, true) => format!("{amount}是{}的{name}", first.join("、")),
            (_, true, _) => format!("{}，{name} {amount}", named.join("，")),
            (0, false, _) => format!("{table}for {}, the {name} is {amount}.", named.join(" and ")),
            (1, false, true) => format!("The {name} of {} is {amount}", first.join(", ")),
            (2, false, true) => format!("{}: {name} {amount}", first.join(", ")),
            (3, false, true) => format!("{amount} is the {name} for {}", first.join(", ")),
            (_, false, _) => format!("{}: the {name} is {amount}.", named.join(", ")),
        };
        let target = number
            .filter(|_| self.random.below(2) == 0)
            .map(|number| if chinese { format!("表{number}") } else { format!("Table {number}") });
        Case {
            kind: "",
            is_true: true,
            reg_id: self.documents[said.document].info.reg_id.to_string(),
            page: said.page,
            target,
            statement,
        }
    }

    fn wrong_cell(&mut self, kind: &str) -> Option<Case> {
        let said = self.cell()?;
        let table = said.table;
        let truth = cell(table, said.row, said.col);
        let keys: Vec<(usize, String)> =
            said.keys.iter().map(|key| (*key, cell(table, said.row, *key))).collect();
        match kind {
            "other row" => {
                let other = self.random.below(table.row_count as usize);
                let wrong = cell(table, other, said.col);
                (is_amount(&wrong) && flatten(&wrong) != flatten(&truth))
                    .then(|| self.row_case(&said, &keys, said.col, &wrong))
            }
            "other column" => {
                let other = self.random.below(table.col_count as usize);
                let wrong = cell(table, said.row, other);
                let fits =
                    !said.keys.contains(&other) && is_amount(&wrong) && flatten(&wrong) != flatten(&truth);
                if !fits {
                    return None;
                }
                // Either the value or the name of the other column.
                if self.random.below(2) == 0 {
                    Some(self.row_case(&said, &keys, said.col, &wrong))
                } else {
                    Some(self.row_case(&said, &keys, other, &truth))
                }
            }
            "other table" => {
                let others: Vec<&LogicalTable> = self.documents[said.document]
                    .tables
                    .on_page(regreader_model::PageNumber::new(said.page)?)
                    .filter(|other| other.table_id != table.table_id)
                    .collect();
                let other = *self.random.pick(&others)?;
                if self.random.below(2) == 0 {
                    let wrong = cell(
                        other,
                        self.random.below(other.row_count as usize),
                        self.random.below(other.col_count as usize),
                    );
                    return (is_amount(&wrong) && flatten(&wrong) != flatten(&truth))
                        .then(|| self.row_case(&said, &keys, said.col, &wrong));
                }
                let number = other.number.clone().filter(|number| Some(number) != table.number.as_ref())?;
                let mut case = self.row_case(&said, &keys, said.col, &truth);
                case.target = Some(format!("表{number}"));
                if let Some(own) = &table.number {
                    case.statement = case
                        .statement
                        .replace(&format!("表{own}"), &format!("表{number}"))
                        .replace(&format!("Table {own}"), &format!("Table {number}"));
                }
                Some(case)
            }
            "subject swapped" => {
                let other = self.random.below(table.row_count as usize);
                let wrong: Vec<(usize, String)> =
                    said.keys.iter().map(|key| (*key, cell(table, other, *key))).collect();
                let differs = flatten(&cell(table, other, said.col)) != flatten(&truth)
                    && wrong.iter().all(|(_, text)| !text.trim().is_empty());
                differs.then(|| self.row_case(&said, &wrong, said.col, &truth))
            }
            _ => {
                // A condition of several is left out, and other rows that fit the rest say something else.
                if keys.len() < 2 {
                    return None;
                }
                let mut fewer = keys.clone();
                fewer.remove(self.random.below(fewer.len()));
                let differs = (0..table.row_count as usize).any(|row| {
                    fewer.iter().all(|(key, text)| cell(table, row, *key) == *text)
                        && flatten(&cell(table, row, said.col)) != flatten(&truth)
                });
                differs.then(|| self.row_case(&said, &fewer, said.col, &truth))
            }
        }
    }

    fn wrong_sentence(&mut self, kind: &str) -> Option<Case> {
        let quoted = self.quoted()?;
        let text = quoted.text.as_str();
        let wrong = match kind {
            "other unit" => self.swap_one(text, &UNITS)?,
            "comparator turned" => self.swap_one(text, &COMPARATORS)?,
            "polarity turned" => self.swap_one(text, &POLARITY)?,
            "condition dropped" => without_condition(text)?,
            "exception dropped" => without_exception(text)?,
            "subject swapped" => self.other_subject(&quoted)?,
            "edition swapped" => return self.other_edition(&quoted),
            "page off by one" => return self.other_page(&quoted),
            "clause swapped" => return self.other_clause(&quoted),
            "quotations stitched" => self.stitched(&quoted)?,
            "digits transposed" => self.other_number(text, true)?,
            _ => self.other_number(text, false)?,
        };
        let is_lie = flatten(&wrong) != flatten(text)
            && !self.flat[quoted.document][quoted.page as usize - 1].contains(&flatten(&wrong));
        let dropped =
            matches!(kind, "condition dropped" | "exception dropped") && flatten(&wrong) != flatten(text);
        (is_lie || dropped).then(|| self.case(&quoted, wrong))
    }

    /// One of the words that stand in the text, turned into its opposite.
    fn swap_one(&mut self, text: &str, swaps: &[(&str, &str)]) -> Option<String> {
        let fitting: Vec<&(&str, &str)> = swaps.iter().filter(|(from, _)| text.contains(from)).collect();
        let longest = fitting.iter().map(|(from, _)| from.len()).max()?;
        let fitting: Vec<&&(&str, &str)> = fitting.iter().filter(|(from, _)| from.len() == longest).collect();
        let (from, to) = **self.random.pick(&fitting)?;
        Some(text.replacen(from, to, 1))
    }

    fn other_subject(&mut self, quoted: &Quoted) -> Option<String> {
        let marks: &[&str] = if is_chinese(&quoted.text) {
            &["应", "不得", "为", "可"]
        } else {
            &[" shall ", " must ", " may ", " is "]
        };
        let mark = *marks.iter().find(|mark| quoted.text.contains(*mark))?;
        let (head, tail) = quoted.text.split_once(mark)?;
        let same: Vec<&Quoted> = self
            .sentences
            .iter()
            .filter(|other| other.document == quoted.document && other.text.contains(mark))
            .collect();
        let other = (*self.random.pick(&same)?).clone();
        let (other_head, _) = other.text.split_once(mark)?;
        let (a, b) = (flatten(head), flatten(other_head));
        let fits = a != b && !a.is_empty() && b.chars().count() >= 2 && !a.ends_with(&b) && !b.ends_with(&a);
        fits.then(|| format!("{other_head}{mark}{tail}"))
    }

    /// The statement is true of one edition and cites another, whose page says something like it.
    fn other_edition(&mut self, quoted: &Quoted) -> Option<Case> {
        let own = &self.documents[quoted.document].info;
        let editions: Vec<usize> = (0..self.documents.len())
            .filter(|index| *index != quoted.document && is_edition(&self.documents[*index].info, own))
            .collect();
        let other = *self.random.pick(&editions)?;
        let flat = flatten(&quoted.text);
        if self.flat[other].iter().any(|page| page.contains(&flat)) {
            return None;
        }
        let mut near: Vec<(usize, &Quoted)> = self
            .sentences
            .iter()
            .filter(|one| one.document == other)
            .map(|one| (shared(&one.text, &quoted.text), one))
            .collect();
        near.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let (score, found) = near.first()?;
        let close = *score * 10 >= quoted.text.chars().count() * 6;
        let page = found.page;
        close.then(|| Case {
            reg_id: self.documents[other].info.reg_id.to_string(),
            page,
            ..self.case(quoted, quoted.text.clone())
        })
    }

    fn other_page(&mut self, quoted: &Quoted) -> Option<Case> {
        let step = if self.random.below(2) == 0 { 1 } else { -1 };
        let page = u32::try_from(i64::from(quoted.page) + step).ok()?;
        let document = &self.documents[quoted.document];
        let there = document.pages.get((page as usize).checked_sub(1)?)?;
        let own = &document.pages[quoted.page as usize - 1];
        // A sentence that runs over the border stands on both pages.
        let runs_over = if step > 0 { own.continues_to_next } else { own.continues_from_prev };
        let elsewhere = self.flat[quoted.document][there.page_num.index()].contains(&flatten(&quoted.text));
        (!runs_over && !elsewhere).then(|| Case { page, ..self.case(quoted, quoted.text.clone()) })
    }

    fn other_clause(&mut self, quoted: &Quoted) -> Option<Case> {
        let own = quoted.clause.clone()?;
        let others: Vec<String> = self
            .sentences
            .iter()
            .filter(|one| one.document == quoted.document)
            .filter_map(|one| one.clause.clone())
            .filter(|clause| !own.starts_with(clause.as_str()) && !clause.starts_with(&own))
            .collect();
        let other = self.random.pick(&others)?.clone();
        // A chapter that holds the clause is no other place.
        if quoted.text.contains(&other) || quoted.chapters.contains(&other) {
            return None;
        }
        let mut case = self.case(quoted, quoted.text.clone());
        if self.random.below(2) == 0 {
            case.target = Some(other);
        } else {
            case.statement = if is_chinese(&quoted.text) {
                format!("第{other}条规定：{}", quoted.text)
            } else {
                format!("Section {other} states that {}", quoted.text)
            };
        }
        Some(case)
    }

    /// The first half of one sentence and the second half of another of the same page.
    fn stitched(&mut self, quoted: &Quoted) -> Option<String> {
        let same: Vec<&Quoted> = self
            .sentences
            .iter()
            .filter(|one| {
                one.document == quoted.document && one.page == quoted.page && one.text != quoted.text
            })
            .collect();
        let other = (*self.random.pick(&same)?).clone();
        let comma = if is_chinese(&quoted.text) { '，' } else { ',' };
        if self.random.below(3) == 0 {
            return Some(format!(
                "{}{comma}{}",
                quoted.text.trim_end_matches(['。', '；', '.', ';']),
                other.text
            ));
        }
        let (head, _) = quoted.text.split_once(comma)?;
        let (_, tail) = other.text.rsplit_once(comma)?;
        (head.chars().count() >= 4 && tail.chars().count() >= 4).then(|| format!("{head}{comma}{tail}"))
    }

    fn other_number(&mut self, text: &str, transposed: bool) -> Option<String> {
        let numbers = numbers(text);
        let (start, end) = *self.random.pick(&numbers)?;
        let number = &text[start..end];
        let wrong = if transposed {
            let mut digits: Vec<char> = number.chars().collect();
            let at = (0..digits.len().checked_sub(1)?).find(|at| {
                digits[*at] != digits[at + 1]
                    && digits[*at].is_ascii_digit()
                    && digits[at + 1].is_ascii_digit()
                    && !(*at == 0 && digits[1] == '0')
            })?;
            digits.swap(at, at + 1);
            digits.into_iter().collect::<String>()
        } else {
            let value: u64 = number.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()?;
            (value + 1 + self.random.below(90) as u64).to_string()
        };
        (wrong != number).then(|| format!("{}{wrong}{}", &text[..start], &text[end..]))
    }
}

fn sentences(documents: &[Document]) -> Vec<Quoted> {
    let mut all = Vec::new();
    for (document, one) in documents.iter().enumerate() {
        for page in &one.pages {
            for block in page
                .content_blocks
                .iter()
                .filter(|block| block.table_meta.is_none() && block.block_type.name() != "heading")
            {
                let clause = block.section_number.as_ref().map(|number| number.as_str().to_owned());
                for text in split(&block.content_markdown) {
                    all.push(Quoted {
                        document,
                        page: page.page_num.get(),
                        clause: clause.clone(),
                        chapters: block.chapter_path.join("\n"),
                        text,
                    });
                }
            }
        }
    }
    all
}

/// Sentences of a block: cut at 。 and ；, and behind a full stop before a capital letter.
fn split(markdown: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in markdown.lines() {
        let mut sentence = String::new();
        let line = line.trim().trim_start_matches(['#', '*', '>', '-', '•', ' ']).replace("**", "");
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            sentence.push(c);
            // Not behind U.S., etc. or e.g.
            let word = sentence.trim_end_matches('.').rsplit([' ', '(', '.']).next().map_or(0, str::len);
            let stop = c == '.' && chars.peek() == Some(&' ') && sentence.chars().count() > 30 && word > 3;
            if matches!(c, '。' | '；' | ';') || stop {
                found.push(std::mem::take(&mut sentence).trim().to_owned());
            }
        }
        found.push(sentence.trim().to_owned());
    }
    // Fragments and lists of words are nothing that anybody would state.
    found.retain(|text| (12..=220).contains(&text.chars().count()) && text.ends_with(['。', '；', ';', '.']));
    found
}

fn flat(documents: &[Document]) -> Vec<Vec<String>> {
    documents
        .iter()
        .map(|one| {
            one.pages
                .iter()
                .map(|page| {
                    flatten(
                        &page
                            .content_blocks
                            .iter()
                            .map(|block| block.content_markdown.as_str())
                            .collect::<Vec<_>>()
                            .join("\n"),
                    )
                })
                .collect()
        })
        .collect()
}
