//! `verify_citation`: is a statement proven by a passage of the page it cites? No language model decides; the rules are
//! those of [`regreader_proof`]. What the page does not carry is looked for through the index, never by reading the library.

use std::io;
use std::sync::Arc;

use regreader_messages::{Language, answers, tools};
use regreader_model::{Citation, CitationTarget, PageDocument, PageNumber};
use regreader_proof::{Level, PassagePlace, Passages, Proof, Source, Token, lex, prove};
use regreader_search::{RegulationScope, SearchRequest};
use regreader_store::RegulationReader;
use regreader_text::beginning;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::places::Place;
use crate::tool::{Argument, Category, Phase, REGULATION, Tool, argument};
use crate::toolbox::page_of;
use crate::{Sheet, ToolError, Toolbox};

/// Places named for a statement that the page does not carry.
const MAX_ELSEWHERE: usize = 5;
/// Hits of the index whose pages are tried for it.
const MAX_TRIED: usize = 12;
/// Characters that are shown of the nearest passage.
const NEAREST: usize = 80;
/// Characters of a statement that are searched for.
const MAX_QUERY: usize = 200;

/// Arguments of `verify_citation`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyCitation {
    /// 规程标识、别名或标题
    pub reg_id: String,
    /// 所引页码
    pub page_num: u32,
    /// 待核对的一句话；须由该页的一个段落、条目、表格行或注释完整支持：数字、单位、对象、条件和“不得/应/可”都一致
    pub statement: String,
    /// 所引的表号、条款或注释
    pub target: Option<String>,
    /// 计算值的各个操作数出自哪里；给出时 statement 是一个算式（如 400 万千瓦 × 0.8 = 320 万千瓦），核对算式和每个操作数
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<CitedOperand>,
    /// 算式中由提问给出的数值，如 50℃
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
}

/// Where an operand of a calculation stands.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CitedOperand {
    /// 含有该数值的原文
    pub statement: String,
    /// 原文所在规程；缺省为 reg_id
    pub reg_id: Option<String>,
    /// 原文所在页码
    pub page_num: u32,
    /// 原文所在的表号、条款或注释
    pub target: Option<String>,
}

/// Result of `verify_citation`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CitationCheck {
    /// What the check comes to.
    pub verdict: CheckVerdict,
    /// How well the statement is proven.
    pub level: CheckLevel,
    /// The passage that carries the statement; for an unproven one the nearest passage of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<ProvenPlace>,
    /// Words of the statement that the nearest passage does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Conditions and exceptions of the nearest passage that the statement leaves out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The statement holds characters that nobody sees, and is refused for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen_characters: bool,
    /// Every number of the statement, and whether the passage has it.
    pub claims: Vec<ClaimView>,
    /// Where one passage carries it instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Place>,
    /// For a calculation: every number that it starts from, and what it was taken from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<OperandCheck>,
}

/// What a check comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// One passage of the cited place carries the statement.
    Supported,
    /// It follows from proven operands by arithmetic.
    Calculated,
    /// No passage of the cited place carries it.
    NotOnPage,
    /// Not the cited place carries it but another one.
    FoundElsewhere,
}

/// How well a statement is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckLevel {
    /// A span of the passage, or a row of a table as it stands.
    Verbatim,
    /// One passage says it in nearly these words.
    SamePassage,
    /// No page prints it: it was calculated, each operand is proven, and the arithmetic is right.
    Calculated,
    /// No one passage says it, or nothing has checked it yet.
    #[default]
    Unproven,
}

impl From<Level> for CheckLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Verbatim => Self::Verbatim,
            Level::SamePassage => Self::SamePassage,
            Level::Unproven => Self::Unproven,
        }
    }
}

impl CheckLevel {
    /// The level as it is printed behind a citation. Beside what is not proven stands the nearest passage.
    pub fn mark(self, language: Language, nearest: Option<&str>) -> String {
        let word = match (self, nearest) {
            (Self::Verbatim, _) => answers::VERBATIM,
            (Self::SamePassage, _) => answers::SAME_PASSAGE,
            (Self::Calculated, _) => answers::CALCULATED,
            (Self::Unproven, Some(passage)) => {
                return answers::unproven_near(language, beginning(passage, NEAREST));
            }
            (Self::Unproven, None) => answers::UNPROVEN,
        };
        language.say(word).to_owned()
    }
}

/// What an operand of a calculation was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperandOrigin {
    /// A passage that is cited for it.
    Passage,
    /// The question.
    Given,
    /// Nothing that was named.
    Nowhere,
}

/// A number that a calculation starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperandCheck {
    /// As the calculation writes it.
    pub text: String,
    /// What it was taken from.
    pub from: OperandOrigin,
    /// How well the passage is proven that states it.
    pub level: CheckLevel,
    /// The passage that states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<ProvenPlace>,
    /// Citation of that passage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
}

/// The passage that a statement was held against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProvenPlace {
    /// Page that the passage stands on.
    pub page_num: PageNumber,
    /// Block of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// Table of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_id: Option<String>,
    /// Data row of the table, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u32>,
    /// Column of the value, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub col: Option<u32>,
    /// Clause that holds the passage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// Printed number of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The words of the passage.
    pub text: String,
}

/// One checked piece of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimView {
    /// The piece.
    pub text: String,
    /// number, quantity.
    pub kind: String,
    /// The passage has it.
    pub found: bool,
}

impl Tool for VerifyCitation {
    const NAME: &'static str = "verify_citation";
    const COMMAND: &'static str = "verify-citation";
    const TITLE: &'static str = "核对引用";
    const DESCRIPTION: &'static str = "核对一句话是否由所引的页、表或条款中的一个段落支持：数字、单位、对象、条件、“不得/应/可”须一致，表格值须在所说的行和列；给出级别 verbatim、same_passage 或 unproven、所在的段落和缺少的内容；不在该处时给出实际所在。";
    const CATEGORY: Category = Category::Trace;
    const PHASE: Phase = Phase::MultiHop;
    const HELP: &'static str = "Check that a statement stands on the page it cites (核对引用)";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATION,
        argument("page_num", "-p --page PAGE!", "Page that is cited"),
        argument("target", "-t --target TARGET", "Table, clause or note that is cited: 表6-2, 6.2.1, 注1"),
        argument(
            "statement",
            "STATEMENT",
            "Statement to prove; the exit status is 1 when one passage of the page does not carry it",
        ),
    ];
    type Response = CitationCheck;

    /// Checks a statement against the page, table or clause it cites.
    fn run(&self, toolbox: &Toolbox) -> Result<CitationCheck, ToolError> {
        if !(self.operands.is_empty() && self.given.is_empty()) {
            return toolbox.verify_calculation(self);
        }
        let reader = toolbox.reader_called(&self.reg_id)?;
        let page_num = page_of(&reader, self.page_num)?;
        let passages = toolbox.passages(&reader, page_num)?;
        let proof = prove(&self.statement, self.target.as_deref(), &passages);
        let supported = proof.level != Level::Unproven;
        let elsewhere = if supported || proof.unseen {
            Vec::new()
        } else {
            toolbox.elsewhere(&reader, &self.statement, page_num)
        };
        let verdict = match (supported, elsewhere.is_empty()) {
            (true, _) => CheckVerdict::Supported,
            (false, true) => CheckVerdict::NotOnPage,
            (false, false) => CheckVerdict::FoundElsewhere,
        };
        Ok(CitationCheck {
            verdict,
            level: proof.level.into(),
            claims: claims(&self.statement, &proof),
            place: proof.place.map(shown),
            missing: proof.missing,
            left_out: proof.left_out,
            unseen_characters: proof.unseen,
            elsewhere,
            operands: Vec::new(),
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        let supported = !Self::found_nothing(response);
        let word = match (response.verdict, response.level) {
            (CheckVerdict::Supported, CheckLevel::Verbatim) => tools::VERBATIM,
            (CheckVerdict::Supported, _) => tools::SUPPORTED,
            (CheckVerdict::Calculated, _) => tools::CALCULATED,
            (CheckVerdict::FoundElsewhere, _) => tools::ELSEWHERE,
            (CheckVerdict::NotOnPage, _) => tools::UNSUPPORTED,
        };
        sheet.line(&sheet.bold(&word.to_string()))?;
        if response.unseen_characters {
            sheet.line(&format!("  {}", tools::INVISIBLE))?;
        }
        for (name, list) in [(tools::MISSING, &response.missing), (tools::LEFT_OUT, &response.left_out)] {
            list.iter().try_for_each(|words| sheet.line(&format!("  {name}: {words}")))?;
        }
        if let Some(place) = &response.place {
            let name = if supported { tools::PASSAGE } else { tools::NEAREST };
            sheet.line(&format!("  {name}: {}", sheet.dim(&place.text)))?;
        }
        response.elsewhere.iter().try_for_each(|place| sheet.line(&format!("  → {}", place.citation)))
    }

    fn found_nothing(response: &Self::Response) -> bool {
        !matches!(response.verdict, CheckVerdict::Supported | CheckVerdict::Calculated)
    }
}

impl Toolbox {
    /// The regulation of a citation. Ids are the usual case and need no look at the other regulations.
    pub(crate) fn reader_called(&self, name: &str) -> Result<Arc<RegulationReader>, ToolError> {
        match self.reader(name) {
            Ok(reader) => Ok(reader),
            Err(error) => match self.regulation_called(name, None)? {
                Ok(info) => self.open(&info.reg_id),
                Err(_) => Err(error),
            },
        }
    }

    /// The passages of a page, cut once.
    pub(crate) fn passages(
        &self,
        reader: &RegulationReader,
        page_num: PageNumber,
    ) -> Result<Arc<Passages>, ToolError> {
        self.kept.passages(reader, page_num, || {
            let page = reader.page(page_num)?;
            let previous =
                if page.continues_from_prev { neighbour(reader, page_num.get() - 1) } else { None };
            let next = if page.continues_to_next { neighbour(reader, page_num.get() + 1) } else { None };
            let info = reader.info();
            let mut names: Vec<&str> = vec![&info.title, info.reg_id.as_str()];
            names.extend(info.aliases.iter().map(String::as_str));
            let tables = reader.tables()?;
            Ok(Passages::cut(&Source {
                names: &names,
                page: &page,
                previous: previous.as_ref(),
                next: next.as_ref(),
                tables: &tables,
            }))
        })
    }

    /// Other pages on which one passage carries the statement, as far as the index leads to them.
    fn elsewhere(&self, cited: &RegulationReader, statement: &str, cited_page: PageNumber) -> Vec<Place> {
        let query: String = statement.chars().take(MAX_QUERY).collect();
        let mut request = SearchRequest::new(query).scope(RegulationScope::All).limit(MAX_TRIED);
        request.collapse_pages = true;
        // The index only leads to places; without it there are none to name, and the verdict stays.
        let Ok(engine) = self.engine() else { return Vec::new() };
        let Ok(found) = engine.search(&request) else { return Vec::new() };
        let mut places = Vec::new();
        for hit in found.hits {
            let here = hit.reg_id == *cited.reg_id() && hit.page_num == cited_page;
            if here || places.len() >= MAX_ELSEWHERE {
                continue;
            }
            let Ok(reader) = self.open(&hit.reg_id) else { continue };
            let Ok(passages) = self.passages(&reader, hit.page_num) else { continue };
            let proof = prove(statement, None, &passages);
            let Some(place) = proof.place.filter(|_| proof.level != Level::Unproven) else { continue };
            let target = match (&place.table_number, &place.clause) {
                (Some(number), _) => Some(CitationTarget::Table(number.clone())),
                (None, Some(clause)) => Some(CitationTarget::Clause(clause.clone())),
                (None, None) => None,
            };
            let citation = Citation::of(reader.info(), Some(hit.page_num), target);
            places.push(Place {
                reg_id: hit.reg_id.to_string(),
                page_num: Some(hit.page_num),
                block_id: place.block_id,
                table_id: place.table_id,
                citation: citation.to_string(),
                cited: citation,
            });
        }
        places
    }
}

fn neighbour(reader: &RegulationReader, page: u32) -> Option<PageDocument> {
    PageNumber::new(page).filter(|_| page <= reader.total_pages()).and_then(|page| reader.page(page).ok())
}

pub(crate) fn shown(place: PassagePlace) -> ProvenPlace {
    ProvenPlace {
        page_num: place.page_num,
        block_id: place.block_id,
        table_id: place.table_id,
        row: place.row,
        col: place.col,
        clause: place.clause,
        table: place.table_number,
        text: place.text,
    }
}

/// The numbers of a statement, each with whether the passage has it.
fn claims(statement: &str, proof: &Proof) -> Vec<ClaimView> {
    let lexed = lex(statement);
    let numbers = lexed.tokens.iter().enumerate().filter(|(_, one)| one.token.is_number());
    numbers
        .map(|(at, one)| {
            let text = lexed.words(at, at + 1).trim().to_owned();
            let kind = if matches!(one.token, Token::Quantity(..)) { "quantity" } else { "number" };
            let found = !proof.unseen && !proof.missing.iter().any(|missing| missing.contains(&text));
            ClaimView { text, kind: kind.to_owned(), found }
        })
        .collect()
}
