//! Searching blocks.

use std::collections::{BTreeMap, BTreeSet};

use regreader_messages::tools;
use regreader_model::{ClauseNumber, RegId, SearchHit};
use regreader_question::Question;
use regreader_text::{Saying, fold};

use super::shown::Shown;
use super::{LibrarySnapshot, RegulationScope, SearchEngine, SearchRequest, SearchResponse};
use super::{best_rows, named_places};
use crate::chapter;
use crate::select::{self, Editions, Evidence, Selection};
use crate::snippet::Marker;
use regreader_index::Fusion;
use regreader_index::storage::catalog::CatalogView;
use regreader_index::{DocumentKey, Filter, IndexDocument, IndexError};
use regreader_index::{Ranked, Ranking, RegulationNames};

/// How many ranked documents are looked at for each hit that is wanted: duplicates fall out, and pages have several.
const LOOKED_AT: usize = 4;
/// Hits of one regulation that speak for it.
const WITNESSES: usize = 3;
/// How many of the best hits are read for what they say: those behind them speak for their regulation by their score alone.
const READ: usize = 40;

impl SearchEngine {
    /// Finds blocks, in one ranking over all regulations.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse, IndexError> {
        self.mending(|| self.search_once(request))
    }

    fn search_once(&self, request: &SearchRequest) -> Result<SearchResponse, IndexError> {
        let question = &request.question;
        let limit = Self::checked(question, request.limit)?;
        // A scene told before the question may name the regulation, but its words are not what is looked for.
        let asked = question.search_text();
        let (mut filter, seen) = self.scoped(&request.scope, request.chapter_scope.as_deref())?;
        filter.block_types = request.block_types.iter().copied().collect();
        filter.section_number = request
            .section_number
            .as_deref()
            .map(|number| ClauseNumber::new(chapter::canonical_number(number)));
        let depth = (limit * LOOKED_AT).max(self.options.fusion.depth);
        let mut ranking = self.rank(question, &filter, depth, &seen)?;
        let mut weights = std::mem::take(&mut ranking.weights);
        if weights.is_empty() {
            weights = self.blocks.weights(asked)?;
        }
        let view = self.blocks.view();
        best_rows::boost(self, &mut ranking, question, &weights, &view)?;
        named_places::boost(self, &mut ranking, question, &filter, &view)?;
        let mut selection = None;
        if request.scope == RegulationScope::Auto {
            let chosen = self.choose(question, &weights, &ranking, &view, &seen)?;
            if chosen.by_name {
                let named = self.rank_named(&chosen, &filter, question, depth, &seen)?;
                self.put_first(&mut ranking, named, |named| {
                    best_rows::boost(self, named, question, &weights, &view)?;
                    named_places::boost(self, named, question, &filter, &view)
                })?;
            }
            self.lower_superseded(&mut ranking, &chosen);
            selection = Some(chosen);
        }
        let editions = match request.scope {
            RegulationScope::These(_) => None,
            _ => Some(seen.catalog().editions()),
        };
        // Copies stand near each other; only pages are made of everything that was found.
        let looked_at = if request.collapse_pages { usize::MAX } else { limit * LOOKED_AT };
        let near = ranking.documents.get(..looked_at).unwrap_or(&ranking.documents);
        let mut ranked = without_duplicates(near, &view, editions)?;
        if request.collapse_pages {
            ranked = pages(&ranked);
        }
        let truncated = ranked.len() > limit;
        let marker = Marker::new(self.tokenizer(), &weights);
        let mut hits = Vec::with_capacity(limit);
        let mut passages = Vec::with_capacity(limit);
        let mut notices: Vec<String> = ranking.notice.into_iter().collect();
        for one in ranked.iter().take(limit) {
            match self.shown(&one.key, &view)? {
                Shown::Document(document) => {
                    let passage = one.window.as_ref().map(|window| window.passage(&view, &one.key.reg_id));
                    passages.push(passage.transpose()?.unwrap_or_default());
                    hits.push(hit(one, document, &marker, request.collapse_pages));
                }
                Shown::Gone => {}
                Shown::Unreadable(problem) => notices.push(problem),
            }
        }
        seen.say_if_behind(hits.is_empty(), &mut notices)?;
        let meant: Vec<&RegId> = match (&request.scope, &selection) {
            (RegulationScope::These(ids), _) => ids.iter().collect(),
            (_, Some(chosen)) if chosen.by_name => chosen.chosen.iter().map(|one| &one.reg_id).collect(),
            _ => Vec::new(),
        };
        let unread: Vec<&str> =
            meant.into_iter().filter(|id| !view.has_text(id)).map(RegId::as_str).collect();
        if !unread.is_empty() {
            notices.push(tools::without_text(unread.join("、")));
        }
        if !matches!(request.scope, RegulationScope::These(_)) {
            notices.extend(seen.catalog().missing_editions(question));
        }
        Ok(SearchResponse { hits, passages, selection, truncated, coverage: ranking.coverage, notices })
    }

    /// Ranks the blocks. Of two things asked at once, each is looked for by itself too: they stand in different places.
    fn rank(
        &self,
        question: &Question,
        filter: &Filter,
        depth: usize,
        seen: &LibrarySnapshot,
    ) -> Result<Ranking, IndexError> {
        let title =
            |reg_id: &RegId| seen.infos.get(reg_id).map(|info| info.title.clone()).unwrap_or_default();
        let fits = |words: &[(String, f32)]| seen.catalog().fits(words);
        let names = RegulationNames { title: &title, fits: &fits };
        let search = |query: &str| {
            let folded = fold(query);
            let said = question.sayings.iter().filter(|saying| folded.contains(&saying.said));
            let sayings: Vec<Saying> = said.cloned().collect();
            self.blocks.search_levels(query, &sayings, filter, depth, &names)
        };
        let mut ranking = search(question.search_text())?;
        let Some(both) = question.aspects().filter(|_| self.options.fusion.fusion == Fusion::Adaptive) else {
            return Ok(ranking);
        };
        let mut best: BTreeMap<DocumentKey, Ranked> = BTreeMap::new();
        for text in &both {
            for one in search(text)?.documents {
                match best.get_mut(&one.key) {
                    Some(known) if known.score >= one.score => {}
                    _ => drop(best.insert(one.key.clone(), one)),
                }
            }
        }
        ranking.documents = best.into_values().collect();
        ranking.documents.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        Ok(ranking)
    }

    /// Chooses regulations by what is known about them and by what the first ranking found in each.
    pub(crate) fn choose(
        &self,
        question: &Question,
        weights: &[(String, f32)],
        ranking: &Ranking,
        view: &CatalogView,
        seen: &LibrarySnapshot,
    ) -> Result<Selection, IndexError> {
        let known = seen.catalog();
        let mut evidence: BTreeMap<RegId, (usize, Evidence)> = BTreeMap::new();
        for (place, one) in ranking.documents.iter().enumerate() {
            let (count, found) = evidence.entry(one.key.reg_id.clone()).or_default();
            if *count >= WITNESSES {
                continue;
            }
            *count += 1;
            // Which of its passages is the best one matters less here than that it has one.
            let score = one.score + one.window.as_ref().map_or(0.0, regreader_index::Window::lowered);
            if place >= READ {
                found.best = found.best.max(score);
                found.page.get_or_insert(one.key.page_num.get());
                continue;
            }
            let Some(document) = view.get(&one.key)? else { continue };
            // Line by line: folding joins lines, and a title that a heading cuts off ends with its line.
            let titles = document.chapter_path.iter().map(|title| fold(title));
            let whole = titles.chain([fold(&document.text), String::new()]).collect::<Vec<_>>().join("\n");
            // What stands in the title of another regulation was found, but speaks for that one.
            let own = known.without_titles_of_others(&one.key.reg_id, &whole);
            let share = own.as_ref().map_or(1.0, |own| select::own_share(weights, &whole, own));
            if found.page.is_none() || score * share > found.best {
                found.best = (score * share).max(0.0);
                found.page = Some(one.key.page_num.get());
            }
            if *count == 1 {
                found.first.clone_from(&whole);
            }
            found.text.push_str(own.as_deref().unwrap_or(&whole));
            if let Some(title) = document.chapter_path.last() {
                let own = known.without_titles_of_others(&one.key.reg_id, &fold(title));
                found.chapters.push(own.map_or_else(|| title.clone(), |own| own.trim().to_owned()));
            }
        }
        let mut evidence: BTreeMap<RegId, Evidence> =
            evidence.into_iter().map(|(reg_id, (_, found))| (reg_id, found)).collect();
        let top = evidence.values().map(|found| found.best).fold(0.0, f64::max);
        for found in evidence.values_mut() {
            found.best = if top > 0.0 { found.best / top } else { 0.0 };
        }
        Ok(select::select(question, weights, known, &evidence, &self.options.ranking.choice))
    }

    /// Ranks the regulations that the question names by themselves: beside strangers everything would be measured
    /// by those.
    fn rank_named(
        &self,
        chosen: &Selection,
        filter: &Filter,
        question: &Question,
        depth: usize,
        seen: &LibrarySnapshot,
    ) -> Result<Ranking, IndexError> {
        let ids: BTreeSet<RegId> = chosen.chosen.iter().map(|one| one.reg_id.clone()).collect();
        self.rank(question, &Filter { regulations: Some(ids), ..filter.clone() }, depth, seen)
    }

    /// Puts what was found in named regulations before the rest, which stays: a name may be read wrongly, and nothing
    /// that holds the best passage is left out.
    fn put_first(
        &self,
        ranking: &mut Ranking,
        mut named: Ranking,
        mut boost: impl FnMut(&mut Ranking) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        boost(&mut named)?;
        let there: BTreeSet<DocumentKey> = named.documents.iter().map(|one| one.key.clone()).collect();
        for one in &mut named.documents {
            one.score += self.options.ranking.named_regulation;
        }
        ranking.documents.retain(|one| !there.contains(&one.key));
        ranking.documents.extend(named.documents);
        ranking.documents.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        Ok(())
    }

    /// Lowers editions that another one has replaced and that the question does not name.
    fn lower_superseded(&self, ranking: &mut Ranking, chosen: &Selection) {
        if chosen.superseded.is_empty() {
            return;
        }
        let old: BTreeSet<&RegId> = chosen.superseded.iter().map(|one| &one.reg_id).collect();
        for one in ranking.documents.iter_mut().filter(|one| old.contains(&one.key.reg_id)) {
            one.score -= self.options.ranking.superseded;
        }
        ranking.documents.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
    }
}

/// Drops documents whose text was already there in the same regulation or another edition of it. Of two editions the
/// newer one stays.
fn without_duplicates(
    ranked: &[Ranked],
    view: &CatalogView,
    editions: Option<&Editions>,
) -> Result<Vec<Ranked>, IndexError> {
    let mut kept: Vec<Ranked> = Vec::with_capacity(ranked.len());
    let mut places: BTreeMap<(RegId, u64), usize> = BTreeMap::new();
    for one in ranked {
        let Some(fingerprint) = view.fingerprint(&one.key)? else { continue };
        let reg_id = &one.key.reg_id;
        let newest = editions.and_then(|editions| editions.superseded_by(reg_id)).unwrap_or(reg_id).clone();
        match places.get(&(newest.clone(), fingerprint)).and_then(|place| kept.get_mut(*place)) {
            Some(before) if before.key.reg_id != newest && *reg_id == newest => before.key = one.key.clone(),
            Some(_) => {}
            None => {
                places.insert((newest, fingerprint), kept.len());
                kept.push(one.clone());
            }
        }
    }
    Ok(kept)
}

/// The best block of each page, in the order of the pages' scores: what a page says as a whole is part of each score.
fn pages(ranked: &[Ranked]) -> Vec<Ranked> {
    let mut seen = BTreeSet::new();
    ranked.iter().filter(|one| seen.insert((one.key.reg_id.clone(), one.key.page_num))).cloned().collect()
}

pub(super) fn hit(one: &Ranked, document: IndexDocument, marker: &Marker<'_>, page_only: bool) -> SearchHit {
    SearchHit {
        snippet: marker.snippet(&document.text),
        reg_id: document.key.reg_id,
        page_num: document.key.page_num,
        chapter_path: document.chapter_path,
        score: one.score,
        block_id: (!page_only).then_some(document.key.block_id),
        block_type: (!page_only).then_some(document.block_type),
        section_number: document.section_number,
        table_id: document.table_id,
        source: one.source,
    }
}
