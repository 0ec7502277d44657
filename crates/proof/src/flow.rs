//! Proof by running text: the statement is made of whole sentences of the page, one after the other.
//!
//! Nothing is searched for piece by piece. Every token of the statement has to be read off the page in order; what the
//! page says in the same sentence and the statement does not may only be a part that narrows nothing and does not stand
//! first, because the first part of a sentence is what the sentence is about.

use crate::frame::Frame;
use crate::lex::{Break, Lexed, Token};
use crate::page::Passages;
use crate::sentence::{Clause, Sentence};

/// Words before a quotation that are looked at.
const MAX_FRAME: usize = 60;
/// Steps of one search, so that a hostile page costs no more than any other.
const MAX_STEPS: usize = 20_000;

/// Sentences that carry a statement.
#[derive(Debug, Clone)]
pub struct Carried {
    /// The sentences, in order.
    pub sentences: Vec<usize>,
    /// First and last token of the statement that they carry; what stands outside only says where it was read.
    pub from: usize,
    /// One behind the last.
    pub to: usize,
    /// The statement leaves sentences out and says so.
    pub has_gap: bool,
}

/// Looks for the sentences that carry a statement. `fits` says whether a place is the cited one.
pub fn prove(statement: &Lexed, page: &Passages, fits: &dyn Fn(usize) -> bool) -> Option<Carried> {
    let mut search = Search { statement, page, fits, steps: 0 };
    for from in 0..statement.tokens.len().min(MAX_FRAME) {
        for (at, sentence) in page.sentences.iter().enumerate() {
            if sentence.needs_lead
                || sentence.overleaf
                || !fits(sentence.place)
                || !search.begins(sentence, from)
            {
                continue;
            }
            let frame = page.frame(sentence.place);
            if !frame.covers(statement, 0, from) {
                continue;
            }
            let mut path = vec![at];
            let mut found = search.step(&mut path, from, from, frame);
            if found.is_none() {
                found = search.moved_condition(at, from, frame);
            }
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

struct Search<'a> {
    statement: &'a Lexed,
    page: &'a Passages,
    fits: &'a dyn Fn(usize) -> bool,
    steps: usize,
}

impl Search<'_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.statement.tokens.get(at).map(|one| &one.token)
    }

    fn begins(&self, sentence: &Sentence, from: usize) -> bool {
        let first = self.token(from);
        let own = sentence.clauses.first().and_then(|clause| clause.tokens.first());
        first.is_some()
            && (first == own
                || first == sentence.marker.first()
                || sentence.clauses.get(1).is_some_and(|clause| first == clause.tokens.first()))
    }

    fn starts_with(&self, at: usize, tokens: &[Token]) -> bool {
        let rest = self.statement.tokens.get(at..).unwrap_or_default();
        rest.len() >= tokens.len() && rest.iter().zip(tokens).all(|(one, token)| one.token == *token)
    }

    /// Whether a mark stands before a token of the statement, and no quotation runs over the place.
    fn divided(&self, at: usize) -> bool {
        let Some(next) = self.statement.tokens.get(at) else { return true };
        let inside = next.quotation != 0
            && at
                .checked_sub(1)
                .and_then(|before| self.statement.tokens.get(before))
                .is_some_and(|before| before.quotation == next.quotation);
        next.before >= Break::Clause && !inside
    }

    fn done(&self, at: usize, frame: &Frame) -> bool {
        frame.covers(self.statement, at, self.statement.tokens.len())
    }

    /// Reads the last sentence of the path and goes on with those that may follow it.
    fn step(&mut self, path: &mut Vec<usize>, first: usize, from: usize, frame: &Frame) -> Option<Carried> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        let at = *path.last()?;
        let sentence = &self.page.sentences[at];
        for start in self.behind_marker(sentence, from) {
            // The last sentence may lack a part that narrows nothing; those before it are whole.
            let mut ends = Vec::new();
            self.ends(&sentence.clauses, 0, start, path.len() == 1, &mut ends);
            if let Some(end) = ends.iter().find(|end| self.done(**end, frame)) {
                return Some(self.carried(path.clone(), first, *end));
            }
            let Some(end) = self.whole(sentence, start) else { continue };
            let follows = if self.has_gap_at(end) { self.behind_gap(path, end) } else { self.next(path) };
            for next in follows {
                if path.len() > 400 {
                    break;
                }
                path.push(next);
                if let Some(found) = self.step(path, first, end, frame) {
                    return Some(found);
                }
                path.pop();
            }
        }
        None
    }

    fn carried(&self, sentences: Vec<usize>, from: usize, to: usize) -> Carried {
        let has_gap = (from + 1..to).any(|at| self.has_gap_at(at));
        Carried { sentences, from, to, has_gap }
    }

    /// Whether the statement says that something is left out before this token.
    fn has_gap_at(&self, at: usize) -> bool {
        self.statement.tokens.get(at).is_some_and(|one| one.before == Break::Gap)
    }

    /// The sentences that may follow an ellipsis: later ones of the same clause or table. What introduces them must be
    /// quoted before, so that no item stands under the introduction of another list; and an introduction cannot be followed
    /// by anything else.
    fn behind_gap(&self, path: &[usize], from: usize) -> Vec<usize> {
        let Some(&at) = path.last() else { return Vec::new() };
        let sentences = &self.page.sentences;
        let place = |index: usize| self.page.places.get(sentences[index].place);
        let Some(here) = place(at) else { return Vec::new() };
        let introduced = path.iter().any(|index| sentences[*index].introduces);
        let may_follow = |index: &usize| {
            let sentence = &sentences[*index];
            let same_place = place(*index).is_some_and(|there| {
                there.section == here.section
                    && there.table_id == here.table_id
                    && (here.section.is_some() || there.titles == here.titles)
            });
            let lead = match sentence.lead {
                Some(lead) => path.contains(&lead) || !(introduced || sentence.needs_lead),
                None => !sentences[at].introduces,
            };
            same_place && lead && (self.fits)(sentence.place) && self.begins(sentence, from)
        };
        (at + 1..sentences.len()).filter(may_follow).collect()
    }

    /// Where the sentence itself can begin: behind its marker, if the statement has it.
    fn behind_marker(&self, sentence: &Sentence, from: usize) -> Vec<usize> {
        let mut starts = vec![from];
        if !sentence.marker.is_empty() && self.starts_with(from, &sentence.marker) {
            starts.insert(0, from + sentence.marker.len());
        }
        starts
    }

    fn whole(&self, sentence: &Sentence, from: usize) -> Option<usize> {
        sentence.clauses.iter().try_fold(from, |at, clause| {
            self.starts_with(at, &clause.tokens).then(|| at + clause.tokens.len())
        })
    }

    /// Where a sentence can end in the statement when parts that narrow nothing are left out.
    fn ends(&self, clauses: &[Clause], index: usize, at: usize, may_drop: bool, ends: &mut Vec<usize>) {
        let Some(clause) = clauses.get(index) else {
            ends.push(at);
            return;
        };
        if self.starts_with(at, &clause.tokens) {
            self.ends(clauses, index + 1, at + clause.tokens.len(), may_drop, ends);
        }
        // A part in brackets can be left out anywhere, any other only with all that follows it: what stands behind it may
        // speak of what it says.
        let droppable = may_drop && index > 0 && !clause.restricts && self.divided(at);
        if droppable && clause.bracketed && ends.len() < 8 {
            self.ends(clauses, index + 1, at, may_drop, ends);
        } else if droppable && clauses[index..].iter().all(|clause| !clause.restricts) {
            ends.push(at);
        }
    }

    /// The sentences that may follow: the next one, those that this one introduces, and below a header any later row.
    fn next(&self, path: &[usize]) -> Vec<usize> {
        let Some(&at) = path.last() else { return Vec::new() };
        let sentences = &self.page.sentences;
        let mut next = Vec::new();
        let last = &sentences[at];
        let under_header = last.is_row && last.lead.is_some_and(|lead| path.contains(&lead));
        for (index, sentence) in sentences.iter().enumerate().skip(at + 1) {
            let follows = index == at + 1
                && sentence
                    .lead
                    .is_none_or(|_| !sentence.is_row || under_header || sentence.lead == Some(at));
            let introduced = sentence.lead == Some(at);
            let row_below = under_header && sentence.is_row && sentence.lead == last.lead;
            if follows || introduced || row_below {
                next.push(index);
            }
        }
        // Behind a table stands what follows it on the page, not the alternatives that its cells are kept as.
        if let Some(place) = self.page.places.get(last.place).filter(|place| place.table_id.is_some()) {
            let after = sentences.iter().enumerate().skip(at + 1).find(|(_, sentence)| {
                self.page.places.get(sentence.place).is_some_and(|other| other.table_id != place.table_id)
            });
            next.extend(after.map(|(index, _)| index).filter(|index| !next.contains(index)));
        }
        next
    }

    /// 当…时，应… said as 应…，当…时: the one condition of a sentence may stand behind it.
    fn moved_condition(&self, at: usize, from: usize, frame: &Frame) -> Option<Carried> {
        let sentence = &self.page.sentences[at];
        let (first, rest) = sentence.clauses.split_first()?;
        if rest.is_empty() || !first.restricts || rest.iter().any(|clause| clause.restricts) {
            return None;
        }
        let behind = rest.iter().try_fold(from, |at, clause| {
            self.starts_with(at, &clause.tokens).then(|| at + clause.tokens.len())
        })?;
        if !self.divided(behind) || !self.starts_with(behind, &first.tokens) {
            return None;
        }
        let end = behind + first.tokens.len();
        self.done(end, frame).then(|| self.carried(vec![at], from, end))
    }
}
