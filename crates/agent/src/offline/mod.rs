//! The offline agent: no language model, no network.
//!
//! It runs the reading protocol itself. A question that names a place (表6-2, 注1, 第2.1.4条) goes straight there.
//! Any other goes through search over the chosen regulations; the clauses found are read whole, table rows are picked
//! by what the question says, notes and references in what was read are followed. It answers by quoting, so that every
//! word stands on the page it cites; and it says 未找到相关规定 when what was found does not speak of what was asked.

mod compared;
mod compose;
mod correction;
mod evidence;
mod gather;
mod limits;
mod meaning;
mod named;
mod passage;
mod stated;
mod terms;
mod unclear;
mod verdict;

use std::collections::BTreeMap;

use regreader_messages::{Language, answers};
use regreader_model::{CitationTarget, PageNumber, ReferenceKind, ReferenceTarget};
use regreader_question::{AskedKind, Lexicon, Question};
use regreader_text::fold;
use regreader_text::script::{is_cjk, language_of};
use regreader_tools::{
    CitedOperand, ListRegulations, LookupAnnotation, RegulationChoice, RegulationEntry, SmartSearch,
    TableView, Tool, VerifyCitation, arguments_of, read_result,
};
use serde::Serialize;

use crate::answer::answer_language;
use crate::{Answer, Event, Operand, Outcome, Statement, StatementProof, ToolClient, ToolFailure};
use evidence::Evidence;
pub use verdict::Weights;

/// Places that are named without text.
const SEE_ALSO: usize = 4;

/// Characters of a question that are repeated in its answer.
const SHOWN: usize = 200;

/// What to answer within.
#[derive(Debug, Clone, Default)]
pub struct OfflineOptions {
    /// Only these regulations; none lets the agent choose.
    pub regulations: Vec<String>,
    /// Offer as an answer what is at least this probable; none for the fitted threshold.
    pub threshold: Option<f64>,
    /// Quote clauses whole instead of the passages that answer.
    pub full: bool,
    /// Weights to use instead of those of this build.
    pub weights: Option<Weights>,
    /// The words that questions are read with.
    pub lexicon: Lexicon,
}

impl OfflineOptions {
    fn weights(&self) -> &Weights {
        self.weights.as_ref().unwrap_or_else(|| Weights::fitted())
    }
}

/// Answers a question within a conversation: what a follow-up lacks is taken from the questions before it, oldest
/// first, and of a text too long to search for the questions in it are answered. The answer says how it was understood.
pub(crate) fn answer_next<'q>(
    client: &dyn ToolClient,
    earlier: impl IntoIterator<Item = &'q str>,
    question: &str,
    options: &OfflineOptions,
    report: &mut dyn FnMut(Event),
) -> Result<Answer, ToolFailure> {
    let shortened = |question: &str| regreader_question::shortened(question, &options.lexicon);
    let completed = |before: &str, next: &str| regreader_question::completed(before, next, &options.lexicon);
    let complete = |before: String, next: &str| {
        shortened(next).or_else(|| completed(&before, next)).unwrap_or_else(|| next.to_owned())
    };
    let before = earlier.into_iter().fold(String::new(), complete);
    let language = answer_language(question);
    let (meant, said) = match shortened(question) {
        Some(questions) => (questions, language.say(answers::SHORTENED)),
        None => match completed(&before, question) {
            Some(whole) => (whole, language.say(answers::UNDERSTOOD)),
            None => return answer(client, question, options, report),
        },
    };
    let mut answer = answer(client, &meant, options, report)?;
    question.clone_into(&mut answer.question);
    let said = format!("{said}{}", beginning(&meant));
    answer.message = Some(match answer.message.take().filter(|message| !message.is_empty()) {
        Some(message) => format!("{said}\n{message}"),
        None => said,
    });
    Ok(answer)
}

/// As much of a question as is repeated to whoever put it.
fn beginning(question: &str) -> String {
    match question.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &question[..end]),
        None => question.to_owned(),
    }
}

/// Answers a question. Fails only when the tools themselves are broken.
pub fn answer(
    client: &dyn ToolClient,
    question: &str,
    options: &OfflineOptions,
    report: &mut dyn FnMut(Event),
) -> Result<Answer, ToolFailure> {
    let language = answer_language(question);
    let asked = Question::read(question, &options.lexicon);
    if asked.is_small_talk() {
        return Ok(Answer::refusal(question, Outcome::Declined, language.say(answers::DECLINED)));
    }
    let mut desk = Desk { client, report, options, regulations: Vec::new(), notices: Vec::new() };
    desk.regulations = desk.call(&ListRegulations::default())?.regulations;
    if desk.regulations.is_empty() {
        return Ok(Answer::refusal(question, Outcome::EmptyLibrary, language.say(answers::EMPTY_LIBRARY)));
    }
    desk.ask_for_editions(&asked);
    let mut found = compared::look_at(&mut desk, &asked)?;
    let is_compared = found.is_some();
    if !is_compared {
        found = named::look_up(&mut desk, &asked)?;
    }
    if found.is_none() {
        // What reads like the name of a line or a station may be everyday words; what is found is shown for the reader to judge.
        let mut at_most = AtMost::Answered;
        if let Some(thing) = desk.unknown_thing(&asked)? {
            desk.notices.push(answers::not_mentioned(language, thing));
            at_most = AtMost::Related;
        }
        return searched(&mut desk, question, &asked, at_most);
    }
    let Some(mut evidence) = found.filter(|evidence| !evidence.measures.is_empty()) else {
        return searched(&mut desk, question, &asked, AtMost::AnsweredByMention);
    };
    // Of a long clause search chooses better what to quote, and a note or an order may say of the place what is asked. Where
    // search is not sure, the place answers by being named.
    if !is_compared {
        let notices = desk.notices.clone();
        let answer = searched(&mut desk, question, &asked, AtMost::Answered)?;
        let speaks_of_it = stands_in(&answer, &evidence) || speaks_of_places(&answer, &asked);
        if answer.outcome == Outcome::Answered && speaks_of_it {
            return Ok(answer);
        }
        desk.notices = notices;
    }
    evidence.follow(&mut desk)?;
    desk.verify(&mut evidence.measures)?;
    desk.verify(&mut evidence.cautions)?;
    evidence.cautions.retain(evidence::is_worth_minding);
    Ok(Answer {
        message: (!desk.notices.is_empty()).then(|| desk.with_notices("")),
        measures: evidence.measures,
        cautions: evidence.cautions,
        regulations: evidence.regulations,
        ..Answer::refusal(question, Outcome::Answered, "")
    })
}

/// A passage that an answer may be made of, with what speaks for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// Regulation that the passage belongs to.
    pub reg_id: String,
    /// Page that the passage stands on.
    pub page_num: u32,
    /// Titles above it.
    pub context: String,
    /// The passage, whole.
    pub text: String,
    /// As much of it as an answer would quote first.
    pub quoted: String,
    /// Its sentences, each with what speaks for it.
    pub sentences: Vec<(String, BTreeMap<&'static str, f64>)>,
    /// What speaks for it, by name.
    pub features: BTreeMap<&'static str, f64>,
    /// The features under the fitted weights.
    pub score: f64,
}

/// The passages for a question, best first: for fitting the weights and for explaining an answer.
pub fn explain(
    client: &dyn ToolClient,
    question: &str,
    options: &OfflineOptions,
) -> Result<Vec<Explained>, ToolFailure> {
    let mut report = |_: Event| {};
    let mut desk =
        Desk { client, report: &mut report, options, regulations: Vec::new(), notices: Vec::new() };
    desk.regulations = desk.call(&ListRegulations::default())?.regulations;
    let asked = Question::read(question, &options.lexicon);
    let gathered = gather::gather(&mut desk, &asked)?;
    let focus = gathered.focus(options.weights());
    let explained = gathered.candidates.iter().map(|one| Explained {
        reg_id: one.passage.reg_id.clone(),
        page_num: one.passage.page_num,
        context: one.passage.context.clone(),
        text: one.passage.text(),
        quoted: compose::quoted_first(one, &gathered, options.weights()),
        sentences: one.passage.sentences().map(|text| (text.to_owned(), focus.sentence(text))).collect(),
        features: one.features.clone(),
        score: one.score,
    });
    Ok(explained.collect())
}

/// How sure an answer from search may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtMost {
    Answered,
    /// The question names a place that the regulations do not have. A passage that speaks of it may answer all the same (an
    /// order that amends Table 10.4 of another document); any other is only related.
    AnsweredByMention,
    Related,
}

/// Answers from what search finds: an answer, related passages, or neither, by how probable an answer is.
fn searched(
    desk: &mut Desk<'_>,
    question: &str,
    asked: &Question,
    mut at_most: AtMost,
) -> Result<Answer, ToolFailure> {
    let language = answer_language(question);
    let mut gathered = gather::gather(desk, asked)?;
    if at_most == AtMost::AnsweredByMention {
        at_most = AtMost::Answered;
        if !speaks_of_asked_places(asked, &gathered) {
            desk.notices.push(language.say(answers::NO_SUCH_PLACE).to_owned());
            at_most = AtMost::Related;
        }
    }
    if let Some(note) = note_of_best_table(desk, question, asked, &gathered)? {
        return Ok(note);
    }
    let mut signals = verdict::signals(question, &gathered);
    // 天中直流的稳定限额和安控措施: each is asked for by itself, and stands elsewhere.
    for part in asked.aspects().into_iter().flatten().rev() {
        let part = Question::read(&part, &desk.options.lexicon);
        gathered.put_first(gather::gather(desk, &part)?);
    }
    // Of several regulations that the question names, each says its own.
    if (2..=compose::PASSAGES).contains(&gathered.named.len()) {
        for reg_id in gathered.named.clone().into_iter().rev() {
            let scope = Some(RegulationChoice::One(reg_id));
            gathered.put_first(gather::gather_in(desk, asked, scope)?);
        }
    }
    let weights = desk.options.weights();
    let verdict = weights.verdict(&signals);
    let threshold = desk.options.threshold.unwrap_or(verdict.threshold);
    let mut probability = verdict.probability(&signals);
    let held_back = is_held_back(desk, asked, &gathered, language) || at_most == AtMost::Related;
    if held_back {
        signals.insert(verdict::HELD_BACK.to_owned(), 1.0);
        if threshold > 0.0 {
            probability = probability.min(threshold * 0.9);
        }
    }
    // A row that meets the stated conditions was looked up: there is nothing to estimate.
    let looked_up = !held_back && gathered.candidates.first().is_some_and(gather::Candidate::is_looked_up);
    let mut answer = Answer {
        probability: (!looked_up).then(|| (probability * 1_000.0).round() / 1_000.0),
        signals,
        ..Answer::refusal(question, Outcome::NotFound, "")
    };
    let too_little = probability < verdict.least && probability < threshold;
    let is_not_found = gathered.candidates.is_empty() || (too_little && !looked_up);
    if is_not_found || probability < threshold {
        desk.notices.extend(desk.other_language(question, &gathered, is_not_found).map(str::to_owned));
    }
    if is_not_found {
        answer.message = Some(desk.with_notices(language.say(answers::NOT_FOUND)));
        return Ok(answer);
    }
    // Who asks for every place or for a list wants all of them.
    let wants_all = matches!(asked.kind, AskedKind::List | AskedKind::Place);
    // Passages that answer too improbably are shown for the reader to judge, all of them.
    let ask_back = if wants_all || probability < threshold {
        None
    } else {
        unclear::ask_back(question, &gathered.candidates, &gathered.focus(weights))
    };
    if (probability < threshold && !looked_up) || ask_back.is_some() {
        desk.notices.extend(ask_back);
        return related(desk, asked, &gathered, answer);
    }
    let composed = if desk.options.full {
        compose::whole(desk, &gathered)?
    } else {
        let rules = match compose::table_of_best(&gathered) {
            Some(table) => evidence::rules_around(desk, table)?,
            None => Vec::new(),
        };
        compose::compose(question, &gathered, &rules, desk.options.weights())
    };
    desk.notices.extend(composed.messages);
    if composed.is_outside && composed.measures.is_empty() {
        return related(desk, asked, &gathered, answer);
    }
    answer.outcome = Outcome::Answered;
    let led_to = evidence::deferred_to(desk, composed.measures.first())?;
    answer.measures = composed.measures;
    show_table(desk, asked, &gathered, language, &mut answer.measures)?;
    answer.message = (!desk.notices.is_empty()).then(|| desk.with_notices(""));
    answer.cautions = composed.cautions;
    if let Some(place) = led_to.filter(|place| !cites_same(&answer, place)) {
        // The place that the answer defers to says more than the third best passage.
        answer.measures.truncate(2);
        answer.cautions.insert(0, place);
    }
    answer.see_also = evidence::places_named(desk, &answer.measures, SEE_ALSO)?;
    let others: Vec<String> =
        composed.see_also.into_iter().filter(|place| !answer.see_also.contains(place)).collect();
    answer.see_also.extend(others);
    answer.see_also.truncate(SEE_ALSO);
    desk.verify(&mut answer.measures)?;
    desk.verify(&mut answer.cautions)?;
    answer.cautions.retain(evidence::is_worth_minding);
    for statement in answer.measures.iter().chain(&answer.cautions) {
        if !answer.regulations.iter().any(|known| known == statement.reg_id()) {
            answer.regulations.push(statement.reg_id().to_owned());
        }
    }
    Ok(answer)
}

/// Whether what was found is no answer, however probable it is: the best passage speaks of another voltage level or another numbered
/// line, or no row of its table has all the labels that the question says, so that a row with one of them would be read as the answer.
fn is_held_back(
    desk: &mut Desk<'_>,
    asked: &Question,
    gathered: &gather::Gathered,
    language: Language,
) -> bool {
    let best = gathered.candidates.first();
    let names_hold = best.is_none_or(|best| asked.exact_names_stand_in(&best.with_titles()));
    let Some(labels) = gathered.excluding_labels() else { return !names_hold };
    desk.notices.push(answers::rivals(language, labels.join(language.say(answers::LISTED))));
    true
}

/// Whether the best passage mentions every place that the question names, or is that very clause of a regulation whose name the library
/// does not know.
fn speaks_of_asked_places(asked: &Question, gathered: &gather::Gathered) -> bool {
    let best = gathered.candidates.first();
    let text = best.map(gather::Candidate::with_titles).unwrap_or_default();
    // A regulation that is named was looked into.
    let unnamed = best.filter(|_| gathered.named.is_empty());
    let section = unnamed.and_then(|best| best.passage.section.as_deref()).unwrap_or_default();
    let section = section.trim_start_matches('第').trim_end_matches('条');
    let mut places = asked.places.iter().filter(|place| place.kind != ReferenceKind::Regulation);
    places.all(|place| section == place.number || mentions(&text, &place.number))
}

/// Puts the rows that the question means behind a first statement that does without them: a clause that leaves the value to a table answers
/// no question for the value, and a note to a table answers only with its row.
fn show_table(
    desk: &mut Desk<'_>,
    asked: &Question,
    gathered: &gather::Gathered,
    language: Language,
    measures: &mut Vec<Statement>,
) -> Result<(), ToolFailure> {
    let quotes_table = |one: &Statement| matches!(one.citation.target, Some(CitationTarget::Table(_)));
    let room = compose::ANSWER_ROOM;
    let has_table = measures.iter().any(quotes_table);
    let mut beside = match (measures.first().cloned(), note_of_best(gathered)) {
        (Some(_), Some((reg_id, table_id))) => evidence::rows_said(desk, asked, reg_id, table_id, room)?,
        (Some(first), None) if !has_table => evidence::table_led_to(desk, asked, &first, room)?,
        _ => None,
    };
    if beside.is_none()
        && !has_table
        && let Some((reg_id, table_id)) = table_beside_best(gathered)
    {
        beside = evidence::rows_said(desk, asked, reg_id, table_id, room)?.filter(|found| found.says_some);
    }
    if let Some(found) = beside
        && !measures.iter().any(|known| known.citation == found.rows.citation)
    {
        if !found.missing.is_empty() {
            let missing = found.missing.join(language.say(answers::LISTED));
            desk.notices.push(answers::undecided(language, missing));
        }
        measures.truncate(2);
        measures.insert(1, found.rows);
    }
    Ok(())
}

/// The answer with the best passages for the reader to judge.
fn related(
    desk: &mut Desk<'_>,
    asked: &Question,
    gathered: &gather::Gathered,
    mut answer: Answer,
) -> Result<Answer, ToolFailure> {
    let language = answer_language(&answer.question);
    answer.outcome = Outcome::Related;
    answer.message = Some(desk.with_notices(language.say(answers::RELATED)));
    let mut passages = compose::related(gathered, desk.options.weights());
    if let Some((reg_id, table_id)) = note_of_best(gathered)
        && let Some(found) = evidence::rows_said(desk, asked, reg_id, table_id, compose::ANSWER_ROOM)?
        && found.says_some
        && !passages.iter().any(|known| known.citation == found.rows.citation)
    {
        passages.push(found.rows);
    }
    desk.verify(&mut passages)?;
    // A row without the note that it names reads as if it held in any case.
    let mut notes = compose::notes_of_best(gathered);
    notes.retain(|note| !passages.iter().any(|passage| says_note(&passage.text, &note.text)));
    desk.verify(&mut notes)?;
    answer.related = passages.into_iter().map(Into::into).collect();
    answer.cautions = notes;
    Ok(answer)
}

/// Whether a passage is a note that may be written with another mark behind its number: `Note 1. …`, `Note 1：…`.
fn says_note(passage: &str, note: &str) -> bool {
    let content = note.split_once(['：', '.']).map_or(note, |(_, content)| content);
    passage.contains(content.trim())
}

/// The regulation and the table of which the best passage is a note.
fn note_of_best(gathered: &gather::Gathered) -> Option<(&str, &str)> {
    let best = &gathered.candidates.first()?.passage;
    Some((best.reg_id.as_str(), best.note_of.as_deref()?))
}

/// The one table of the clause in which the best passage stands.
fn table_beside_best(gathered: &gather::Gathered) -> Option<(&str, &str)> {
    let best = &gathered.candidates.first()?.passage;
    let is_beside = |table: &&TableView| {
        table.reg_id == best.reg_id && !best.path.is_empty() && table.chapter_path == best.path
    };
    let mut tables = gathered.tables.values().filter(is_beside);
    let table = tables.next().filter(|_| matches!(best.kind, passage::PassageKind::Text(_)))?;
    tables.next().is_none().then_some((table.reg_id.as_str(), table.table_id.as_str()))
}

/// Whether a text names an asset, also with more of its kind than the question says: 储能电站 for 储能站.
fn names_asset(text: &str, asset: &str) -> bool {
    const NAME: usize = 2;
    const MORE_OF_KIND: usize = 2;
    let kind_at = asset.char_indices().nth(NAME).map_or(asset.len(), |(at, _)| at);
    let (name, kind) = asset.split_at(kind_at);
    text.match_indices(name).any(|(at, _)| {
        let behind = &text[at + name.len()..];
        let more = behind.find(kind).and_then(|end| behind.get(..end));
        more.is_some_and(|more| more.chars().count() <= MORE_OF_KIND && more.chars().all(is_cjk))
    })
}

/// Whether a title says its language: the name of a file or a number may stand for a document that has no title.
fn is_title(title: &str) -> bool {
    let words = title.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() > 2);
    language_of(title) == Language::Chinese || words.count() > 2
}

/// Whether a text has a number of several parts or with a letter (`9.7.5.2`, `6-2`, `R2`), and not as a part of a longer one.
fn mentions(text: &str, number: &str) -> bool {
    let is_apart = |at: usize| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + number.len()..].chars();
        let goes_on = match after.next() {
            Some('.' | '-') => after.next().is_some_and(|c| c.is_ascii_digit()),
            next => next.is_some_and(|c| c.is_ascii_digit()),
        };
        !goes_on && !before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
    };
    number.contains(|c: char| matches!(c, '.' | '-') || c.is_ascii_alphabetic())
        && text.match_indices(number).any(|(at, _)| is_apart(at))
}

/// Whether the first statement of an answer is taken from a clause that was looked up.
fn stands_in(answer: &Answer, evidence: &Evidence) -> bool {
    let same = |first: &Statement, one: &Statement| {
        first.citation == one.citation && matches!(one.citation.target, Some(CitationTarget::Clause(_)))
    };
    answer.measures.first().is_some_and(|first| evidence.measures.iter().any(|one| same(first, one)))
}

/// Whether the first statement of an answer has the number of every clause that the question names. A named table is looked up.
fn speaks_of_places(answer: &Answer, asked: &Question) -> bool {
    let mut places = asked.places.iter().filter(|place| place.kind != ReferenceKind::Regulation);
    let is_said = |place: &ReferenceTarget, text: &str| {
        place.kind != ReferenceKind::Table && mentions(text, &place.number)
    };
    answer.measures.first().is_some_and(|first| places.all(|place| is_said(place, &first.text)))
}

/// Whether an answer quotes this place already.
fn cites_same(answer: &Answer, place: &Statement) -> bool {
    answer.statements().any(|known| known.citation == place.citation)
}

/// The note that a question names together with its table in words: 解列条件表的注一.
fn note_of_best_table(
    desk: &mut Desk<'_>,
    question: &str,
    asked: &Question,
    gathered: &gather::Gathered,
) -> Result<Option<Answer>, ToolFailure> {
    let Some(label) = asked.places_of(&[ReferenceKind::Annotation]).next() else { return Ok(None) };
    let Some((reg_id, table_id)) = gathered.candidates.first().and_then(|best| match &best.passage.kind {
        passage::PassageKind::Row(table_id, _) => Some((best.passage.reg_id.clone(), table_id.clone())),
        passage::PassageKind::Text(_) => None,
    }) else {
        return Ok(None);
    };
    let request = LookupAnnotation {
        reg_id: reg_id.clone(),
        annotation_id: label.number.clone(),
        table_hint: Some(table_id),
        ..LookupAnnotation::default()
    };
    let Some(note) = desk.find(&request)? else { return Ok(None) };
    let mut measures = vec![evidence::note_statement(&note)];
    desk.verify(&mut measures)?;
    Ok(Some(Answer {
        message: (!desk.notices.is_empty()).then(|| desk.with_notices("")),
        measures,
        regulations: vec![reg_id],
        ..Answer::refusal(question, Outcome::Answered, "")
    }))
}

/// The tools, with everything that happens reported.
struct Desk<'a> {
    client: &'a dyn ToolClient,
    report: &'a mut dyn FnMut(Event),
    options: &'a OfflineOptions,
    /// The library's list.
    regulations: Vec<RegulationEntry>,
    /// What the tools say one must know before relying on what they gave.
    notices: Vec<String>,
}

impl Desk<'_> {
    fn think(&mut self, text: impl Into<String>) {
        (self.report)(Event::Thinking { text: text.into() });
    }

    /// Every name that the regulations go by.
    fn names(&self) -> Vec<String> {
        self.regulations.iter().flat_map(RegulationEntry::names).map(str::to_owned).collect()
    }

    /// A question with a year may mean an edition that is not there. Search knows, and the other tools are not asked about that.
    fn ask_for_editions(&mut self, asked: &Question) {
        if !asked.years.is_empty() && self.options.regulations.is_empty() {
            // A question that cannot be searched for may still name its place.
            let _ = self.call(&SmartSearch::new(&asked.text, None, 1));
        }
    }

    /// A message, with what one must know behind it.
    fn with_notices(&self, message: &str) -> String {
        let notices = self.notices.iter().map(|notice| crate::editions::in_words(notice));
        let lines = Some(message.to_owned()).into_iter().filter(|message| !message.is_empty()).chain(notices);
        lines.collect::<Vec<_>>().join("\n")
    }

    /// What to say when a question is in another language than what was found for it, or than regulations in which nothing was
    /// found.
    fn other_language(
        &self,
        question: &str,
        gathered: &gather::Gathered,
        is_not_found: bool,
    ) -> Option<&'static str> {
        let (language, said_in) = (language_of(question), answer_language(question));
        let is_other = |text: &str| language_of(text) != language;
        let found = &gathered.candidates;
        if !found.is_empty() && found.iter().all(|one| is_other(&one.passage.text())) {
            return Some(said_in.say(answers::OTHER_LANGUAGE));
        }
        if !is_not_found {
            return None;
        }
        let named = &self.options.regulations;
        let in_scope = |one: &&RegulationEntry| named.is_empty() || named.contains(&one.reg_id);
        let titles: Vec<&str> =
            self.regulations.iter().filter(in_scope).map(|one| one.title.as_str()).collect();
        let others = titles.iter().filter(|title| is_title(title) && is_other(title)).count();
        match others {
            0 => None,
            all if all == titles.len() => Some(said_in.say(answers::OTHER_LANGUAGE)),
            _ => Some(said_in.say(answers::SOME_IN_OTHER_LANGUAGE)),
        }
    }

    /// The regulations that the person named, as an argument.
    fn scope(&self) -> Option<RegulationChoice> {
        let given = &self.options.regulations;
        (!given.is_empty()).then(|| RegulationChoice::Many(given.clone()))
    }

    /// A thing that the question names and the regulations do not.
    fn unknown_thing(&mut self, asked: &Question) -> Result<Option<String>, ToolFailure> {
        for thing in asked.assets() {
            let scope = self.scope().unwrap_or_else(|| RegulationChoice::One("all".to_owned()));
            let found = self.call(&SmartSearch::new(thing, Some(scope), 5))?;
            let says = |hit: &regreader_tools::Hit| {
                let text = fold(&format!("{} {}", hit.chapter_path.join(" "), hit.snippet));
                names_asset(&text.replace(['*', ' '], ""), thing)
            };
            if !found.hits.iter().any(says) && !asked.is_cut_from_words(thing) {
                return Ok(Some(thing.clone()));
            }
        }
        Ok(None)
    }

    /// Calls a tool.
    fn call<T: Tool>(&mut self, request: &T) -> Result<T::Response, ToolFailure> {
        let (tool, arguments) = (T::NAME.to_owned(), arguments_of(request));
        (self.report)(Event::ToolCall { tool: tool.clone(), arguments: arguments.clone() });
        let result = self.client.call_json(T::NAME, arguments).and_then(read_result::<T>);
        let (ok, summary) = match &result {
            Ok(response) => {
                let gist = T::gist(response);
                for notice in gist.notices {
                    if !self.notices.contains(&notice) {
                        self.notices.push(notice);
                    }
                }
                (true, gist.summary)
            }
            Err(failure) => (false, failure.message.clone()),
        };
        (self.report)(Event::ToolResult { tool, ok, summary });
        result
    }

    /// Calls a tool whose target may not exist.
    fn find<T: Tool>(&mut self, request: &T) -> Result<Option<T::Response>, ToolFailure> {
        match self.call(request) {
            Ok(response) => Ok(Some(response)),
            Err(failure) if failure.is_not_found() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Checks each statement against its page.
    fn verify(&mut self, statements: &mut [Statement]) -> Result<(), ToolFailure> {
        for statement in statements {
            let target = statement.citation.target.as_ref().map(ToString::to_string);
            let (cited, given): (Vec<&Operand>, Vec<&Operand>) =
                statement.operands.iter().partition(|operand| operand.citation.is_some());
            let check = self.client.call(&VerifyCitation {
                reg_id: statement.reg_id().to_owned(),
                page_num: statement.page_num().unwrap_or_default(),
                statement: statement.text.clone(),
                target,
                operands: cited.into_iter().filter_map(cited_operand).collect(),
                given: given.into_iter().map(|operand| operand.text.clone()).collect(),
            })?;
            *statement = statement.clone().checked(StatementProof::read(&check));
        }
        Ok(())
    }
}

/// The passage of an operand as `verify_citation` takes it.
fn cited_operand(operand: &Operand) -> Option<CitedOperand> {
    let citation = operand.citation.as_ref()?;
    Some(CitedOperand {
        statement: operand.text.clone(),
        reg_id: citation.reg_id.as_ref().map(ToString::to_string),
        page_num: citation.page_num.map_or(0, PageNumber::get),
        target: citation.target.as_ref().map(ToString::to_string),
    })
}

/// Tables and notes for the tests of the parts.
#[cfg(test)]
mod tests {
    use regreader_model::{Citation, PageNumber};
    use regreader_tools::{AnnotationView, TableRow, TableView};

    #[test]
    fn a_place_is_mentioned_by_its_whole_number() {
        let text = "Table 10.4.1.1. is amended by striking out “2.2.1.(1)”.";
        assert!(super::mentions(text, "10.4.1.1") && super::mentions(text, "2.2.1"));
        assert!(!super::mentions(text, "10.4.1") && !super::mentions(text, "4.1.1"));
        assert!(!super::mentions("第 9 条", "9"), "a single number stands everywhere");
    }

    pub fn table(caption: &str, headers: &[&str], rows: &[&[&str]], page: u32) -> TableView {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let page_num = PageNumber::new(page).unwrap_or(PageNumber::FIRST);
        TableView {
            reg_id: "a_1".to_owned(),
            table_id: "t1".to_owned(),
            caption: Some(caption.to_owned()).filter(|caption| !caption.is_empty()),
            chapter_path: Vec::new(),
            col_headers: texts(headers),
            header_rows: 1,
            row_count: rows.len() as u32,
            col_count: headers.len() as u32,
            segments: Vec::new(),
            rows: rows.iter().map(|cells| TableRow { page_num, cells: texts(cells) }).collect(),
            markdown: String::new(),
            notes: Vec::new(),
            source: String::new(),
            cited: Citation::default(),
            truncated: false,
            next: None,
            edition_notice: None,
        }
    }

    pub fn note(label: &str, content: &str) -> AnnotationView {
        AnnotationView {
            reg_id: "a_1".to_owned(),
            annotation_id: label.to_owned(),
            printed_label: None,
            content: content.to_owned(),
            page_num: PageNumber::FIRST,
            kind: "note".to_owned(),
            scope: "表3-3".to_owned(),
            block_id: None,
            source: String::new(),
            cited: Citation::default(),
            others: Vec::new(),
            edition_notice: None,
        }
    }
}
