//! `verify_citation` for a calculation: the arithmetic must be right, and every operand must be a number of a passage that
//! is cited for it or of the question. The result is no quotation, so its level is a word of its own.

use regreader_model::{Citation, CitationTarget};
use regreader_proof::{Calculation, Level, Operand, Proof, calculation, is_unseen, prove};

use crate::toolbox::page_of;
use crate::verify::{
    CheckLevel, CheckVerdict, CitationCheck, CitedOperand, OperandCheck, OperandOrigin, VerifyCitation, shown,
};
use crate::{ToolError, Toolbox};

/// Passages that are looked at for one calculation.
const MAX_PASSAGES: usize = 12;

/// A passage that was cited for operands, with whether it stands.
struct CitedPassage<'a> {
    request: &'a CitedOperand,
    proof: Proof,
    citation: String,
}

impl Toolbox {
    /// Checks a calculation and each of its operands.
    pub(crate) fn verify_calculation(&self, request: &VerifyCitation) -> Result<CitationCheck, ToolError> {
        let Some(found) = calculation(&request.statement) else {
            let missing = vec!["=".to_owned()];
            let unseen = request.statement.chars().any(is_unseen);
            return Ok(unproven(missing, Vec::new(), unseen));
        };
        let mut passages = Vec::new();
        for operand in request.operands.iter().take(MAX_PASSAGES) {
            let reader = self.reader_called(operand.reg_id.as_deref().unwrap_or(&request.reg_id))?;
            let page_num = page_of(&reader, operand.page_num)?;
            let proof = prove(
                &operand.statement,
                operand.target.as_deref(),
                self.passages(&reader, page_num)?.as_ref(),
            );
            let target = operand.target.clone().map(CitationTarget::Clause);
            let citation = Citation::of(reader.info(), Some(page_num), target).to_string();
            passages.push(CitedPassage { request: operand, proof, citation });
        }
        let operands: Vec<OperandCheck> =
            found.operands.iter().map(|operand| origin(operand, &passages, &request.given)).collect();
        let missing = missing(&found, &operands, &passages, &request.given);
        if !missing.is_empty() {
            return Ok(unproven(missing, operands, false));
        }
        Ok(CitationCheck {
            verdict: CheckVerdict::Calculated,
            level: CheckLevel::Calculated,
            operands,
            ..unproven(Vec::new(), Vec::new(), false)
        })
    }
}

/// What an operand was taken from.
fn origin(operand: &Operand, passages: &[CitedPassage<'_>], given: &[String]) -> OperandCheck {
    let passage = passages
        .iter()
        .filter(|passage| operand.is_stated_in(&passage.request.statement))
        .max_by_key(|passage| passage.proof.level);
    let (from, level, place, citation) = match passage {
        Some(passage) if passage.proof.level != Level::Unproven => (
            OperandOrigin::Passage,
            passage.proof.level,
            passage.proof.place.clone().map(shown),
            Some(passage.citation.clone()),
        ),
        _ if given.iter().any(|given| operand.is_stated_in(given)) => {
            (OperandOrigin::Given, Level::Unproven, None, None)
        }
        Some(passage) => (OperandOrigin::Passage, Level::Unproven, None, Some(passage.citation.clone())),
        None => (OperandOrigin::Nowhere, Level::Unproven, None, None),
    };
    OperandCheck { text: operand.text.clone(), from, level: level.into(), place, citation }
}

/// Everything that keeps a calculation from standing: operands without a proven passage, a wrong result, other words.
fn missing(
    found: &Calculation,
    operands: &[OperandCheck],
    passages: &[CitedPassage<'_>],
    given: &[String],
) -> Vec<String> {
    let stands = |one: &&OperandCheck| match one.from {
        OperandOrigin::Given => true,
        OperandOrigin::Passage => one.level != CheckLevel::Unproven,
        OperandOrigin::Nowhere => false,
    };
    let mut missing: Vec<String> =
        operands.iter().filter(|one| !stands(one)).map(|one| one.text.clone()).collect();
    // A number of a proven passage that is not used as the passage says is not taken from it.
    let misused = |operand: &&Operand| {
        let mut stating = passages
            .iter()
            .filter(|passage| passage.proof.level != Level::Unproven)
            .filter(|passage| operand.is_stated_in(&passage.request.statement))
            .peekable();
        stating.peek().is_some() && !stating.any(|passage| operand.is_used_as(&passage.request.statement))
    };
    for operand in found.operands.iter().filter(misused) {
        if !missing.contains(&operand.text) {
            missing.push(operand.text.clone());
        }
    }
    // Values that only the person who asks knows are no calculation from a regulation.
    if operands.iter().all(|one| one.from == OperandOrigin::Given) {
        missing.extend(operands.iter().map(|one| one.text.clone()));
    }
    if !found.holds {
        missing.push(format!("= {}", found.result));
    }
    let texts: Vec<&str> = passages
        .iter()
        .filter(|passage| passage.proof.level != Level::Unproven)
        .map(|passage| passage.request.statement.as_str())
        .chain(given.iter().map(String::as_str))
        .collect();
    missing.extend(found.unexplained(&texts));
    missing
}

fn unproven(missing: Vec<String>, operands: Vec<OperandCheck>, unseen: bool) -> CitationCheck {
    CitationCheck {
        verdict: CheckVerdict::NotOnPage,
        level: CheckLevel::Unproven,
        place: None,
        missing,
        left_out: Vec::new(),
        unseen_characters: unseen,
        claims: Vec::new(),
        elsewhere: Vec::new(),
        operands,
    }
}
