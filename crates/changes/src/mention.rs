//! Every place that names a thing, and what depends on those places.
//!
//! A regulation is folded once into [`RegulationTexts`]; finding a name is then a scan over folded text, so the list is
//! complete by construction: a page whose folded text holds the name has a mention, and pages without readable text are
//! named as such.

mod collect;
mod trace;

use regreader_text::beginning;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::Place;

pub use trace::{Impact, trace};

/// Characters of a mention's text that are shown.
const SHOWN: usize = 200;

/// Why a place is in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// 正文中指名
    Named,
    /// 标题中指名
    Heading,
    /// 表题中指名
    Caption,
    /// 行键：整行与之有关
    RowKey,
    /// 列名：整列与之有关
    ColumnHeader,
    /// 单元格中指名
    Cell,
    /// 注释中指名
    Note,
    /// 该表的注释
    NoteOfTable,
    /// 引用了与之有关的位置
    RefersTo,
}

/// One place that concerns a thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mention {
    /// 入选的理由
    pub reason: Reason,
    /// 位置
    pub place: Place,
    /// 原文（表格为整行）
    pub text: String,
}

/// A regulation folded for finding names.
#[derive(Debug)]
pub struct RegulationTexts {
    reg_id: String,
    items: Vec<Item>,
    unreadable: Vec<u32>,
}

/// A text block, a cell, a caption: the smallest thing that can name something.
#[derive(Debug)]
struct Item {
    folded: String,
    text: String,
    place: Place,
    reason: Reason,
    node: Option<String>,
    /// For text that runs over a page break: only a match over this byte counts, since both halves have items of their own.
    over: Option<usize>,
}

impl RegulationTexts {
    /// The regulation.
    pub fn reg_id(&self) -> &str {
        &self.reg_id
    }

    /// Pages whose text could not be read: nothing can be said about them.
    pub fn unreadable(&self) -> &[u32] {
        &self.unreadable
    }

    /// Bytes kept in memory, about.
    pub fn size(&self) -> usize {
        self.items.iter().map(|item| item.folded.len() + item.text.len() + size_of::<Item>()).sum()
    }

    /// Every place that names one of the folded spellings.
    pub fn find(&self, keys: &[String]) -> Vec<Mention> {
        self.items.iter().filter(|item| item.names(keys)).map(Item::mention).collect()
    }
}

impl Item {
    fn names(&self, keys: &[String]) -> bool {
        let found = |key: &String| match self.over {
            None => self.folded.contains(key.as_str()),
            Some(over) => {
                self.folded.match_indices(key.as_str()).any(|(at, _)| at < over && at + key.len() > over)
            }
        };
        keys.iter().any(|key| !key.is_empty() && found(key))
    }

    fn mention(&self) -> Mention {
        Mention { reason: self.reason, place: self.place.clone(), text: beginning(&self.text, SHOWN) }
    }
}
