//! `find_similar_content`: what is nearest in meaning.

use std::io;

use regreader_messages::{errors, tools};
use regreader_model::{BlockId, SearchHit};
use regreader_search::{RegulationScope, SimilarRequest, SimilarTo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ALL, REGULATIONS, hit, invalid, limit_of, on_day, reg_ids, show_hits, show_superseded, superseded,
    warnings,
};
use crate::search::{Hit, RegulationChoice, SupersededHits};
use crate::tool::{Argument, Category, DAY, Gist, Phase, Tool, argument};
use crate::{Sheet, ToolError, Toolbox};

/// Arguments of `find_similar_content`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindSimilar {
    /// 规程标识、标识列表或 "all"；给 source_block_id 时须为该块所在规程
    pub reg_id: RegulationChoice,
    /// 一段文字（与 source_block_id 二选一）
    pub query_text: Option<String>,
    /// 一个内容块（与 query_text 二选一）
    pub source_block_id: Option<String>,
    /// 最多返回几条
    #[serde(default = "crate::tool::number::<5>")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: u32,
    /// 不要同一页的内容
    #[serde(default = "crate::tool::yes")]
    pub exclude_same_page: bool,
    /// 以哪一天为准判断现行与否（YYYY-MM-DD）；不填为今天
    pub as_of: Option<String>,
}

/// Result of `find_similar_content`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SimilarContent {
    /// Neighbours, nearest first.
    pub hits: Vec<Hit>,
    /// What to know before relying on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Neighbours in editions that are not in force on the day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<SupersededHits>,
}

impl Tool for FindSimilar {
    const NAME: &'static str = "find_similar_content";
    const COMMAND: &'static str = "find-similar";
    const TITLE: &'static str = "相似内容";
    const DESCRIPTION: &'static str = "找语义相近的内容：给一段文字或一个 block_id。";
    const CATEGORY: Category = Category::Discover;
    const PHASE: Phase = Phase::Discovery;
    const SEARCHES: bool = true;
    const HELP: &'static str = "Find content of similar meaning";
    const ARGUMENTS: &'static [Argument] = &[
        REGULATIONS,
        ALL,
        argument("query_text", "[TEXT]", "A text to find neighbours of"),
        argument("source_block_id", "--block BLOCK", "A block to find neighbours of"),
        argument("limit", "-l --limit LIMIT", "At most so many [default: 5]"),
        DAY,
    ];
    type Response = SimilarContent;

    /// What is nearest in meaning to a text or a block.
    fn run(&self, toolbox: &Toolbox) -> Result<SimilarContent, ToolError> {
        let scope = toolbox.scope(Some(&self.reg_id))?;
        let to = match (&self.query_text, &self.source_block_id, &scope) {
            (Some(text), None, _) => SimilarTo::Text(text.clone()),
            (None, Some(block), RegulationScope::These(ids)) if ids.len() == 1 => {
                SimilarTo::Block(ids[0].clone(), BlockId::new(block))
            }
            (None, Some(_), _) => {
                return Err(invalid("reg_id", errors::ONE_REGULATION).into());
            }
            _ => return Err(invalid("query_text", errors::ONE_OF_TWO).into()),
        };
        let engine = toolbox.engine()?;
        let editions = toolbox.editions_on(self.as_of.as_deref())?;
        let named = matches!(scope, RegulationScope::These(_));
        let response = engine.find_similar(&SimilarRequest {
            to,
            scope: on_day(&editions, &scope, self.as_of.is_some()),
            limit: limit_of(self.limit)?,
            exclude_same_page: self.exclude_same_page,
        })?;
        let (hits, past): (Vec<SearchHit>, Vec<SearchHit>) =
            response.hits.into_iter().partition(|hit| named || editions.may_apply(&hit.reg_id));
        let mut notices = response.notices;
        notices.extend(warnings(&editions, &reg_ids(&hits)));
        Ok(SimilarContent {
            hits: hits.into_iter().map(hit).collect(),
            notices,
            superseded: superseded(&editions, past.into_iter().map(|one| (one.reg_id.clone(), hit(one)))),
        })
    }

    fn render(response: &Self::Response, sheet: &dyn Sheet) -> io::Result<()> {
        show_hits(&response.hits, sheet)?;
        show_superseded(&response.superseded, sheet)?;
        response.notices.iter().for_each(|notice| sheet.warning(notice));
        Ok(())
    }

    fn found_nothing(response: &Self::Response) -> bool {
        response.hits.is_empty()
    }

    fn gist(response: &Self::Response) -> Gist {
        let notices = response.notices.clone();
        Gist { notices, ..Gist::count(response.hits.len(), tools::HITS) }
    }
}
