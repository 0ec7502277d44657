//! `verify_citation`: is a statement proven by a passage of the page it cites? No language model decides; the rules are
//! those of [`regreader_proof`]. What the page does not carry is looked for through the index, never by reading the library.

use std::sync::Arc;

use regreader_model::{Citation, CitationTarget, PageDocument, PageNumber};
use regreader_proof::{Level, PassagePlace, Passages, Proof, Source, Token, lex, prove};
use regreader_search::{RegulationScope, SearchRequest};
use regreader_store::RegulationReader;

use crate::requests as rq;
use crate::results as rs;
use crate::toolbox::page_of;
use crate::{ToolError, Toolbox};

/// Places named for a statement that the page does not carry.
const MAX_ELSEWHERE: usize = 5;
/// Hits of the index whose pages are tried for it.
const MAX_TRIED: usize = 12;
/// Characters of a statement that are searched for.
const MAX_QUERY: usize = 200;

impl Toolbox {
    /// Checks a statement against the page, table or clause it cites.
    pub fn verify_citation(&self, request: &rq::VerifyCitation) -> Result<rs::CitationCheck, ToolError> {
        if !(request.operands.is_empty() && request.given.is_empty()) {
            return self.verify_calculation(request);
        }
        let reader = self.reader_called(&request.reg_id)?;
        let page_num = page_of(&reader, request.page_num)?;
        let passages = self.passages(&reader, page_num)?;
        let proof = prove(&request.statement, request.target.as_deref(), &passages);
        let supported = proof.level != Level::Unproven;
        let elsewhere = if supported || proof.unseen {
            Vec::new()
        } else {
            self.elsewhere(&reader, &request.statement, page_num)
        };
        let verdict = match (supported, elsewhere.is_empty()) {
            (true, _) => "supported",
            (false, true) => "not_on_page",
            (false, false) => "found_elsewhere",
        };
        Ok(rs::CitationCheck {
            verdict: verdict.to_owned(),
            level: proof.level.name().to_owned(),
            claims: claims(&request.statement, &proof),
            place: proof.place.map(shown),
            missing: proof.missing,
            left_out: proof.left_out,
            unseen_characters: proof.unseen,
            elsewhere,
            operands: Vec::new(),
        })
    }

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
    fn elsewhere(&self, cited: &RegulationReader, statement: &str, cited_page: PageNumber) -> Vec<rs::Place> {
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
            places.push(rs::Place {
                reg_id: hit.reg_id.to_string(),
                page_num: Some(hit.page_num.get()),
                block_id: place.block_id,
                table_id: place.table_id,
                citation: citation.to_string(),
                cited: rs::Cited(citation),
            });
        }
        places
    }
}

fn neighbour(reader: &RegulationReader, page: u32) -> Option<PageDocument> {
    PageNumber::new(page).filter(|_| page <= reader.total_pages()).and_then(|page| reader.page(page).ok())
}

pub(crate) fn shown(place: PassagePlace) -> rs::ProvenPlace {
    rs::ProvenPlace {
        page_num: place.page_num.get(),
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
fn claims(statement: &str, proof: &Proof) -> Vec<rs::ClaimView> {
    let lexed = lex(statement);
    let numbers = lexed.tokens.iter().enumerate().filter(|(_, one)| one.token.is_number());
    numbers
        .map(|(at, one)| {
            let text = lexed.words(at, at + 1).trim().to_owned();
            let kind = if matches!(one.token, Token::Quantity(..)) { "quantity" } else { "number" };
            let found = !proof.unseen && !proof.missing.iter().any(|missing| missing.contains(&text));
            rs::ClaimView { text, kind: kind.to_owned(), found }
        })
        .collect()
}
