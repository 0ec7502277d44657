//! Structured content without a tree.
//!
//! A result stands twice in its message: as text for models, and as structure for programs. The protocol library takes the structure
//! as a tree of maps, and building, walking and dropping that tree takes longer than most tools. But the text is that structure
//! already, written out. So a result carries a mark instead of the tree, and whatever puts messages on a wire fills the text in.

use memchr::memmem;
use rmcp::model::{CallToolResult, ContentBlock, JsonRpcMessage, ServerJsonRpcMessage, ServerResult};
use serde_json::Value;

/// Stands for the structure in a result until it is filled in.
const MARK: &str = "regreader: as in the text";
/// From the end of the text to the mark. These quotation marks are not escaped, so no text of ours or others can hold this.
const BETWEEN: &[u8] = br#""}],"structuredContent":"#;
/// The mark as it is written.
const MARKED: &[u8] = br#""}],"structuredContent":"regreader: as in the text""#;
/// What stands before the text.
const BEFORE: &[u8] = br#""text":""#;

/// A result from its JSON, to be filled in when it is written.
pub fn result(json: String) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(json)]);
    result.structured_content = Some(Value::String(MARK.to_owned()));
    result
}

/// A message as it goes onto a wire.
pub fn written(message: &ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    let written = serde_json::to_vec(message)?;
    let filled = text_of(message).and_then(|text| put(text, &written, memmem::rfind(&written, MARKED)?));
    Ok(filled.unwrap_or(written))
}

/// A message that is written already, with its structure filled in; none when there is nothing to fill in.
pub fn filled(written: &[u8]) -> Option<Vec<u8>> {
    let end = memmem::rfind(written, MARKED)?;
    let start = memmem::find(written.get(..end)?, BEFORE)? + BEFORE.len();
    // With its quotation marks, a string like any other.
    let text: String = serde_json::from_slice(written.get(start - 1..=end)?).ok()?;
    put(&text, written, end)
}

/// The text of a result.
fn text_of(message: &ServerJsonRpcMessage) -> Option<&str> {
    let JsonRpcMessage::Response(response) = message else { return None };
    let ServerResult::CallToolResult(result) = &response.result else { return None };
    Some(&result.content.first()?.as_text()?.text)
}

/// The text in the place of the mark, which stands behind `end`.
fn put(text: &str, written: &[u8], end: usize) -> Option<Vec<u8>> {
    let (head, rest) = (written.get(..end + BETWEEN.len())?, written.get(end + MARKED.len()..)?);
    Some([head, text.as_bytes(), rest].concat())
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;
    use serde_json::json;

    use super::*;

    fn message(result: CallToolResult) -> ServerJsonRpcMessage {
        JsonRpcMessage::response(ServerResult::CallToolResult(result), NumberOrString::Number(7))
    }

    #[test]
    fn the_structure_is_what_the_text_says() {
        let value = json!({ "text": "他说\"见注1\"\n\\ \u{1F600}", "rows": [[1, null], { "text": "}],\"structuredContent\":" }] });
        let message = message(result(value.to_string()));
        let written = written(&message).unwrap();
        assert_eq!(filled(&serde_json::to_vec(&message).unwrap()).as_ref(), Some(&written));
        let read: Value = serde_json::from_slice(&written).unwrap();
        assert_eq!(read["id"], 7);
        assert_eq!(read["result"]["structuredContent"], value);
        assert_eq!(read["result"]["content"][0]["text"], value.to_string());
        assert_eq!(read["result"]["isError"], false);
    }

    #[test]
    fn a_text_that_holds_the_mark_is_left_alone() {
        let text = String::from_utf8(MARKED.to_vec()).unwrap();
        let held = message(CallToolResult::success(vec![ContentBlock::text(text.clone())]));
        let read: Value = serde_json::from_slice(&written(&held).unwrap()).unwrap();
        assert_eq!(read["result"]["content"][0]["text"], text);
        assert_eq!(read["result"]["structuredContent"], Value::Null);

        let both = json!({ "said": text });
        let read: Value =
            serde_json::from_slice(&written(&message(result(both.to_string()))).unwrap()).unwrap();
        assert_eq!(read["result"]["structuredContent"], both);
    }

    #[test]
    fn other_messages_stay_as_they_are() {
        assert_eq!(filled(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#), None);
        assert_eq!(filled(b":\n\n"), None);
        assert_eq!(filled(MARKED), None);
    }
}
