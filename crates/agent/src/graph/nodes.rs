//! What happens at each node.

use regreader_llm::{Message, ToolChoice, ToolDefinition};
use regreader_messages::agents;
use regreader_model::PageNumber;
use regreader_text::find_references;
use regreader_tools::{
    GetTable, GetToc, ReadPageRange, RegulationChoice, ResolveReference, SearchTables, SmartSearch, TocEntry,
    Tool,
};
use serde_json::{Value, json};

use super::{Found, MAX_SEARCHES, Passage, State};
use crate::agent::{Agent, AgentError};
use crate::check::{Checked, check, complaints};
use crate::dialogue::{Dialogue, readable};
use crate::draft::{Section, statements};
use crate::library::Library;
use crate::prompt::{AnswerForm, SUBMIT, fence, repair};
use crate::structured::{Cited, Said, Submitted, in_text, submit_tool, validate};
use crate::{Event, Outcome};

/// Searches of one round.
const MAX_QUERIES: usize = 4;
/// Pages read in one round.
const MAX_PAGES: usize = 6;
/// Tables read in one round.
const MAX_TABLES: usize = 2;
/// References followed in one round.
const MAX_REFERENCES: usize = 6;
/// Characters of passages that the model sees.
const MAX_READING: usize = 60_000;

const ROUTE: &str = "choose_route";
const MORE: &str = "search_more";

/// Has the model choose regulations and searches. A model that does not choose gets the question itself searched.
pub fn route(
    agent: &Agent<'_>,
    library: &Library,
    dialogue: &mut Dialogue<'_, '_>,
    state: &mut State,
) -> Result<(), AgentError> {
    let question = dialogue.messages.last().map(Message::text).unwrap_or_default();
    let tool = ToolDefinition {
        name: ROUTE.to_owned(),
        description: "判断问题的类型，选择规程和检索词。这是第一步。".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "kind": { "type": "string", "enum": ["regulation", "chitchat"], "description": "规程问题，或闲聊" },
                "message": { "type": "string", "description": "闲聊时礼貌拒绝的一句话" },
                "regulations": { "type": "array", "items": { "type": "string" }, "description": "相关规程的标识；不确定则留空" },
                "queries": { "type": "array", "items": { "type": "string" }, "description": "1 到 4 个检索词" },
            },
            "required": ["kind"],
        }),
    };
    let response = dialogue.turn(&[tool], ToolChoice::Tool(ROUTE.to_owned()), &mut |_, _| {})?;
    let chosen = response
        .tool_calls()
        .find(|call| call.name == ROUTE && call.malformed.is_none())
        .map(|call| call.arguments.clone())
        .or_else(|| json_in(&response.text()))
        .unwrap_or(Value::Null);
    state.chitchat = chosen["kind"] == "chitchat";
    state.message = chosen["message"].as_str().filter(|_| state.chitchat).map(str::to_owned);
    state.regulations = if agent.options.regulations.is_empty() {
        let named = strings(&chosen["regulations"])
            .into_iter()
            .filter_map(|name| library.find(&name).map(|entry| entry.reg_id.clone()));
        named.collect()
    } else {
        agent.options.regulations.clone()
    };
    state.queries = strings(&chosen["queries"]);
    state.queries.retain(|query| !query.trim().is_empty());
    state.queries.truncate(MAX_QUERIES);
    if state.queries.is_empty() {
        state.queries.push(question);
    }
    Ok(())
}

/// Looks at the contents of the chosen regulations and searches them.
pub fn locate(dialogue: &mut Dialogue<'_, '_>, state: &mut State) -> Result<(), AgentError> {
    state.searches += 1;
    let all = state.regulations == ["all"];
    for reg_id in state.regulations.clone().iter().filter(|id| *id != "all").take(3) {
        let key = format!("toc {reg_id}");
        if !state.visited.contains(&key) {
            state.visited.push(key);
            if let Some(toc) = dialogue.fetch(&GetToc::new(reg_id, 2))? {
                state.passages.push(Passage {
                    tool: GetToc::NAME.to_owned(),
                    reg_id: reg_id.clone(),
                    page_num: 0,
                    text: chapters(&toc.items),
                });
            }
        }
    }
    let scope = match state.regulations.as_slice() {
        [] => None,
        _ if all => Some(RegulationChoice::One("all".to_owned())),
        named => Some(RegulationChoice::Many(named.to_vec())),
    };
    for query in std::mem::take(&mut state.queries) {
        let found = dialogue.fetch(&SmartSearch::new(&query, scope.clone(), 8))?;
        for hit in found.into_iter().flat_map(|found| found.hits) {
            let (page, score) = (hit.page_num.get(), hit.score);
            match state.pages.iter_mut().find(|known| known.reg_id == hit.reg_id && known.page_num == page) {
                Some(known) => known.score += score,
                None => state.pages.push(Found { reg_id: hit.reg_id, page_num: page, score }),
            }
        }
        let found = dialogue.fetch(&SearchTables::new(&query, scope.clone(), 3))?;
        for table in found.into_iter().flat_map(|found| found.tables) {
            let key = (table.reg_id, table.table_id);
            if !state.tables.contains(&key) {
                state.tables.push(key);
            }
        }
    }
    state.pages.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(())
}

/// Reads the best pages and tables that were not read yet, every regulation among them represented.
pub fn read(dialogue: &mut Dialogue<'_, '_>, state: &mut State) -> Result<(), AgentError> {
    let key = |found: &Found| format!("page {} {}", found.reg_id, found.page_num);
    let fresh: Vec<Found> =
        state.pages.iter().filter(|found| !state.visited.contains(&key(found))).cloned().collect();
    let mut chosen: Vec<Found> = Vec::new();
    for found in &fresh {
        if !chosen.iter().any(|known| known.reg_id == found.reg_id) {
            chosen.push(found.clone());
        }
    }
    let others: Vec<Found> = fresh.iter().filter(|found| !chosen.contains(found)).cloned().collect();
    chosen.extend(others);
    chosen.truncate(MAX_PAGES);
    state.visited.extend(chosen.iter().map(key));
    chosen.sort_by(|a, b| (&a.reg_id, a.page_num).cmp(&(&b.reg_id, b.page_num)));
    let mut ranges: Vec<(String, u32, u32)> = Vec::new();
    for found in chosen {
        match ranges.last_mut() {
            Some((reg_id, _, end)) if *reg_id == found.reg_id && *end + 1 == found.page_num => {
                *end = found.page_num;
            }
            _ => ranges.push((found.reg_id, found.page_num, found.page_num)),
        }
    }
    for (reg_id, start, end) in ranges {
        let request = ReadPageRange::pages(&reg_id, start, end);
        if let Some(range) = dialogue.fetch(&request)? {
            state.passages.push(passage::<ReadPageRange>(&reg_id, start, &range));
        }
    }
    let fresh: Vec<(String, String)> = state
        .tables
        .iter()
        .filter(|(reg_id, id)| !state.visited.contains(&format!("table {reg_id} {id}")))
        .take(MAX_TABLES)
        .cloned()
        .collect();
    for (reg_id, table_id) in fresh {
        state.visited.push(format!("table {reg_id} {table_id}"));
        if let Some(table) = dialogue.fetch(&GetTable::new(&reg_id, table_id))? {
            let first = table.segments.first().map_or(1, |segment| segment.page_num.get());
            state.passages.push(passage::<GetTable>(&reg_id, first, &table));
        }
    }
    Ok(())
}

/// Follows the notes, tables and clauses that the passages name.
pub fn trace(dialogue: &mut Dialogue<'_, '_>, state: &mut State) -> Result<(), AgentError> {
    let mut wanted: Vec<(String, u32, String)> = Vec::new();
    for passage in state.passages.iter().filter(|passage| passage.tool != GetToc::NAME) {
        for mention in find_references(&passage.text) {
            let Some(words) = passage.text.get(mention.range) else { continue };
            let key = format!("reference {} {words}", passage.reg_id);
            if !state.visited.contains(&key) && wanted.len() < MAX_REFERENCES {
                state.visited.push(key);
                wanted.push((passage.reg_id.clone(), passage.page_num, words.to_owned()));
            }
        }
    }
    for (reg_id, page_hint, words) in wanted {
        let request =
            ResolveReference { reg_id, reference_text: words, page_hint: Some(page_hint), as_of: None };
        let Some(found) = dialogue.fetch(&request)? else { continue };
        if let Some(place) = &found.location
            && let Some(page) = place.page_num
        {
            state.passages.push(passage::<ResolveReference>(&place.reg_id, page.get(), &found));
        }
    }
    Ok(())
}

/// Has the model answer from what was read, or ask for more.
pub fn answer(
    agent: &Agent<'_>,
    library: &Library,
    question: &str,
    history: &[Message],
    dialogue: &mut Dialogue<'_, '_>,
    state: &mut State,
) -> Result<(), AgentError> {
    dialogue.messages = history.to_vec();
    dialogue.messages.pop();
    dialogue.messages.push(Message::user(reading(question, state)));
    let mut tools = vec![submit_tool()];
    if state.searches < MAX_SEARCHES {
        tools.push(more_tool());
    }
    state.submitted = None;
    let mut last_text = String::new();
    for _ in 0..=agent.options.budgets.retries {
        let choice =
            if dialogue.must_conclude() { ToolChoice::Tool(SUBMIT.to_owned()) } else { ToolChoice::Auto };
        let response = dialogue.turn(&tools, choice, &mut |_, _| {})?;
        last_text = response.text();
        if let Some(call) = response.tool_calls().find(|call| call.name == MORE && call.malformed.is_none())
            && tools.len() > 1
        {
            state.queries = strings(&call.arguments["queries"]);
            state.queries.truncate(MAX_QUERIES);
            if agent.options.regulations.is_empty() {
                state.regulations = strings(&call.arguments["regulations"]);
            }
            if !state.queries.is_empty() {
                return Ok(());
            }
        }
        if response.tool_calls().next().is_none() {
            match in_text(&last_text).map(|value| validate(&value, library)) {
                Some(Ok(submitted)) => {
                    state.submitted = Some(submitted);
                    return Ok(());
                }
                Some(Err(problems)) => dialogue.messages.push(Message::user(problems.join("\n"))),
                None => dialogue.messages.push(Message::user("请调用 submit_answer 提交答案。")),
            }
            continue;
        }
        let mut submitted = None;
        dialogue.run_tools(&response, &mut |call| {
            if call.name != SUBMIT || call.malformed.is_some() {
                return Ok(Some((format!("此时只能调用 {SUBMIT}，参数须为 JSON 对象"), true)));
            }
            Ok(Some(match validate(&call.arguments, library) {
                Ok(good) => {
                    submitted = Some(good);
                    ("已接受".to_owned(), false)
                }
                Err(problems) => {
                    (format!("答案未被接受，请更正后再次提交：\n- {}", problems.join("\n- ")), true)
                }
            }))
        })?;
        if submitted.is_some() {
            state.submitted = submitted;
            return Ok(());
        }
    }
    dialogue.report(Event::Notice { text: agents::UNFIT.into() });
    state.submitted = from_text(&last_text);
    Ok(())
}

/// Checks every statement of the answer.
pub fn verify(agent: &Agent<'_>, library: &Library, state: &mut State) -> Result<Vec<Checked>, AgentError> {
    let mut checked = Vec::new();
    for draft in state.submitted.iter().flat_map(Submitted::drafts) {
        checked.push(check(agent.client, library, &draft)?);
    }
    state.complaints = complaints(&checked);
    Ok(checked)
}

/// The question with everything that was read, and what did not stand last time.
fn reading(question: &str, state: &State) -> String {
    let mut said = String::from(
        "以下是已经检索并读到的内容。请据此回答最后的问题：调用 submit_answer 提交答案；内容不足时调用 search_more。\n\n",
    );
    let mut left = MAX_READING;
    for passage in &state.passages {
        let text: String = passage.text.chars().take(left).collect();
        left -= text.chars().count();
        said.push_str(&fence(&passage.tool, &text));
        said.push_str("\n\n");
        if left == 0 {
            break;
        }
    }
    said.push_str(&format!("问题：{question}\n"));
    if !state.complaints.is_empty() {
        said.push('\n');
        said.push_str(&repair(&state.complaints, AnswerForm::Tool));
    }
    said
}

fn more_tool() -> ToolDefinition {
    ToolDefinition {
        name: MORE.to_owned(),
        description: "已读到的内容不足以回答时，再检索一次。".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "queries": { "type": "array", "items": { "type": "string" }, "description": "1 到 4 个检索词" },
                "regulations": { "type": "array", "items": { "type": "string" }, "description": "限定的规程标识；不确定则留空" },
            },
            "required": ["queries"],
        }),
    }
}

/// Free text with citations, as an answer: the last resort for models that cannot submit one.
fn from_text(written: &str) -> Option<Submitted> {
    let mut submitted =
        Submitted { outcome: Outcome::Answered, message: None, measures: Vec::new(), cautions: Vec::new() };
    for draft in statements(written).into_iter().filter(|draft| !draft.places.is_empty()) {
        let citations = draft.places.into_iter().map(|place| Cited {
            reg_id: place.name,
            page_num: place.page_num.map_or(0, PageNumber::get),
            target: place.target.map(|target| target.to_string()),
        });
        let said = Said { text: draft.text, citations: citations.collect() };
        if draft.section == Section::Cautions {
            submitted.cautions.push(said);
        } else {
            submitted.measures.push(said);
        }
    }
    (!submitted.measures.is_empty()).then_some(submitted)
}

fn passage<T: Tool>(reg_id: &str, page_num: u32, response: &T::Response) -> Passage {
    let text = readable(&serde_json::to_value(response).unwrap_or_default());
    Passage { tool: T::NAME.to_owned(), reg_id: reg_id.to_owned(), page_num, text }
}

/// Chapters with their pages, one on a line.
fn chapters(items: &[TocEntry]) -> String {
    let line = |item: &TocEntry| {
        format!("{} {} P{}-{}", item.section_number, item.title, item.page_start, item.page_end)
    };
    items.iter().take(60).map(line).collect::<Vec<_>>().join("\n")
}

fn json_in(written: &str) -> Option<Value> {
    let (start, end) = (written.find('{')?, written.rfind('}')?);
    serde_json::from_str(written.get(start..=end)?).ok()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
