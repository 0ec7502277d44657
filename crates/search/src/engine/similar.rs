//! Finding what is like a text or a block.

use regreader_model::DomainError;

use super::search::hit;
use super::shown::Shown;
use super::{
    RegulationScope, SearchEngine, SearchResponse, SimilarRequest, SimilarTo, checked_limit, checked_query,
};
use crate::snippet::Marker;
use regreader_index::{Filter, IndexError};

impl SearchEngine {
    /// Finds the blocks nearest in meaning to a text or to a block, which is not among them.
    pub fn find_similar(&self, request: &SimilarRequest) -> Result<SearchResponse, IndexError> {
        self.mending(|| self.find_similar_once(request))
    }

    fn find_similar_once(&self, request: &SimilarRequest) -> Result<SearchResponse, IndexError> {
        let limit = checked_limit(request.limit)?;
        let seen = self.follow()?;
        let filter = Filter { regulations: self.regulations(&request.scope, &seen)?, ..Filter::default() };
        let view = self.blocks.view();
        let (text, source) = match &request.to {
            SimilarTo::Text(text) => (checked_query(text)?.to_owned(), None),
            SimilarTo::Block(reg_id, block_id) => {
                self.regulations(&RegulationScope::These(vec![reg_id.clone()]), &seen)?;
                let document = view.block(reg_id, block_id.as_str())?.ok_or_else(|| {
                    let block_id = block_id.as_str().chars().take(80).collect();
                    IndexError::from(DomainError::BlockNotFound { reg_id: reg_id.clone(), block_id })
                })?;
                (self.blocks.embedding_text(&document), Some(document))
            }
        };
        // The block itself, its copies and its page fall out.
        let spare = 50;
        let ranking = self.blocks.similar(&text, &filter, limit + spare)?;
        let own = source.as_ref().map(|document| view.fingerprint(&document.key)).transpose()?.flatten();
        let weights = self.blocks.weights(&text)?;
        let marker = Marker::new(self.tokenizer(), &weights);
        let mut hits = Vec::new();
        let mut truncated = false;
        let mut notices: Vec<String> = ranking.notice.iter().cloned().collect();
        for one in &ranking.documents {
            if let Some(document) = &source {
                let same_page =
                    one.key.reg_id == document.key.reg_id && one.key.page_num == document.key.page_num;
                let same_text = own.is_some() && view.fingerprint(&one.key)? == own;
                if one.key == document.key || same_text || (same_page && request.exclude_same_page) {
                    continue;
                }
            }
            if hits.len() == limit {
                truncated = true;
                break;
            }
            match self.shown(&one.key, &view)? {
                Shown::Document(document) => hits.push(hit(one, document, &marker, false)),
                Shown::Gone => {}
                Shown::Unreadable(problem) => notices.push(problem),
            }
        }
        seen.say_if_behind(hits.is_empty(), &mut notices)?;
        Ok(SearchResponse {
            hits,
            passages: Vec::new(),
            selection: None,
            truncated,
            coverage: ranking.coverage,
            notices,
        })
    }
}
