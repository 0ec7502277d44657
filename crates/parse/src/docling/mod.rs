//! Being written.
use crate::{ParseError, ParseOptions, Parsed};
/// Parses it.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let _ = (bytes, options);
    Err(ParseError::UnknownFormat)
}
