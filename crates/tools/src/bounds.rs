//! Bounds on what a call may bring and on what it may give back, the same for every tool and every face.

use regreader_messages::errors;
use serde_json::Value;

use crate::ToolError;

/// Longest text to be searched or checked, in characters.
const MAX_TEXT_CHARS: usize = regreader_question::LONGEST;
/// Longest name of something, in characters: a whole chapter path fits.
const MAX_NAME_CHARS: usize = 500;
/// Most entries of a list.
const MAX_ENTRIES: usize = 200;
/// Most values in all arguments together.
const MAX_VALUES: usize = 2_000;
/// Deepest nesting of lists and objects.
const MAX_DEPTH: usize = 8;
/// Longest result in bytes. A message carries it twice, once for models and once as structure, and escaped.
const MAX_RESULT_BYTES: usize = 800_000;

/// Arguments that say something; all others name something.
const TEXTS: [&str; 4] = ["query", "query_text", "statement", "given"];

/// Whether arguments are of a size that a caller with something to ask would send.
pub(crate) fn check_arguments(arguments: &Value) -> Result<(), ToolError> {
    let mut count = 0;
    check(arguments, "", 0, &mut count).map_err(|reason| ToolError::InvalidArguments { reason })
}

fn check(value: &Value, name: &str, depth: usize, count: &mut usize) -> Result<(), String> {
    *count += 1;
    if *count > MAX_VALUES {
        return Err(errors::too_many_values(MAX_VALUES));
    }
    if depth > MAX_DEPTH {
        return Err(errors::too_deep(MAX_DEPTH));
    }
    match value {
        Value::String(text) => {
            let most = if TEXTS.contains(&name) { MAX_TEXT_CHARS } else { MAX_NAME_CHARS };
            // Bytes first: counting the characters of something far too long is for nothing.
            if text.len() > most * 4 || text.chars().nth(most).is_some() {
                return Err(errors::too_many_characters_in(shown(name), most));
            }
            Ok(())
        }
        Value::Array(entries) if entries.len() > MAX_ENTRIES => {
            Err(errors::too_many_entries(shown(name), MAX_ENTRIES))
        }
        Value::Array(entries) => entries.iter().try_for_each(|entry| check(entry, name, depth + 1, count)),
        Value::Object(fields) => {
            fields.iter().try_for_each(|(name, field)| check(field, name, depth + 1, count))
        }
        _ => Ok(()),
    }
}

/// The result, unless it is longer than any caller can use. Tools cut their lists themselves; this holds for all of them.
pub(crate) fn check_result(json: String) -> Result<String, ToolError> {
    if json.len() <= MAX_RESULT_BYTES {
        Ok(json)
    } else {
        Err(ToolError::ResultTooLarge { bytes: json.len() })
    }
}

fn shown(name: &str) -> String {
    name.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_person_asks_passes_and_floods_do_not() {
        let usual = json!({
            "query": "线路 N-1、全压、开机 3 台、风电 200 万千瓦时的直流限额？",
            "reg_id": ["wengui_2024", "angui_2024"],
            "conditions": [{ "column": "开机台数", "value": "3" }],
            "limit": 10,
        });
        assert!(check_arguments(&usual).is_ok());
        assert!(check_arguments(&json!({ "statement": "字".repeat(MAX_TEXT_CHARS) })).is_ok());
        let condition = json!({ "column": "a", "value": "b" });
        let deep = (0..50).fold(json!(1), |inner, _| json!([inner]));
        for flood in [
            json!({ "query": "字".repeat(MAX_TEXT_CHARS + 1) }),
            json!({ "chapter_scope": "x".repeat(400_000) }),
            json!({ "conditions": vec![condition; 23_000] }),
            json!({ "reg_id": vec!["a"; 1_000] }),
            json!({ "keywords": ["k".repeat(10_000)] }),
            json!({ "anything": deep }),
            json!({ "a": vec![vec![1; 100]; 100] }),
        ] {
            let refused = check_arguments(&flood).unwrap_err();
            assert!(matches!(refused, ToolError::InvalidArguments { .. }));
            assert!(refused.to_string().chars().count() < 200);
        }
    }

    #[test]
    fn a_result_that_nobody_can_use_is_an_error() {
        assert!(check_result("x".repeat(MAX_RESULT_BYTES)).is_ok());
        let refused = check_result("x".repeat(MAX_RESULT_BYTES + 1)).unwrap_err();
        assert!(refused.hint().is_some());
    }
}
