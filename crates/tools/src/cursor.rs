//! Cursors: where a long result goes on. A cursor belongs to one edition; after a replace it is refused, because its
//! position would mean something else.

use regreader_messages::{Word, errors};
use regreader_model::DomainError;

/// Reads and writes cursors of the form `120@3fa9c1d2`.
pub struct Cursor;

impl Cursor {
    /// The cursor for a position in this edition.
    pub fn write(position: usize, content_hash: &str) -> String {
        format!("{position}@{}", stamp(content_hash))
    }

    /// The position of a cursor; 0 without one.
    pub fn read(cursor: Option<&str>, content_hash: &str) -> Result<usize, DomainError> {
        let Some(cursor) = cursor else { return Ok(0) };
        let invalid = |reason: Word| DomainError::InvalidArgument { name: "cursor", reason: reason.into() };
        let (position, edition) = cursor.split_once('@').ok_or_else(|| invalid(errors::NOT_OUR_CURSOR))?;
        if edition != stamp(content_hash) {
            return Err(invalid(errors::OLD_CURSOR));
        }
        position.parse().map_err(|_| invalid(errors::NOT_OUR_CURSOR))
    }
}

fn stamp(content_hash: &str) -> &str {
    content_hash.get(..8).unwrap_or(content_hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_for_its_own_edition_only() {
        let cursor = Cursor::write(120, "3fa9c1d2aaaa");
        assert_eq!(Cursor::read(Some(&cursor), "3fa9c1d2aaaa"), Ok(120));
        assert!(Cursor::read(Some(&cursor), "ffffffffaaaa").is_err());
        for hostile in ["", "@", "x@3fa9c1d2", "99999999999999999999999@3fa9c1d2", "../../etc"] {
            assert!(Cursor::read(Some(hostile), "3fa9c1d2aaaa").is_err(), "{hostile}");
        }
    }
}
