//! Answers that were given, kept for a while: for their address, their exports and follow-up questions.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::backend::AnswerReply;

/// Answers kept at the same time; the oldest goes first.
const MAX_KEPT: usize = 256;

/// Answers by id.
#[derive(Default)]
pub struct Answers {
    kept: Mutex<VecDeque<(String, Arc<AnswerReply>)>>,
}

impl Answers {
    /// Keeps an answer and gives its id, which nobody can guess: an answer is for whoever asked.
    pub fn keep(&self, reply: AnswerReply) -> (String, Arc<AnswerReply>) {
        let entry = (uuid::Uuid::new_v4().simple().to_string(), Arc::new(reply));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.len() >= MAX_KEPT {
            kept.pop_front();
        }
        kept.push_back(entry.clone());
        entry
    }

    /// An answer by its id.
    pub fn get(&self, id: &str) -> Option<Arc<AnswerReply>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == id).map(|(_, reply)| Arc::clone(reply))
    }
}
