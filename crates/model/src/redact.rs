//! Keeping secrets out of what is shown.

/// A text in which the user and password of every address are hidden: settings and the errors of HTTP clients are shown
/// to people, written to logs and sent to callers.
///
/// ```
/// use regreader_model::hide_passwords;
/// assert_eq!(hide_passwords("http://ann:pw@host:6333/x failed"), "http://***@host:6333/x failed");
/// assert_eq!(hide_passwords("see https://host/a@b"), "see https://host/a@b");
/// ```
pub fn hide_passwords(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        // Who it is stands before the last `@` of the authority, which ends at the first of these.
        let ends =
            |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | ',' | '`' | '<' | '>');
        let authority = after.split(ends).next().unwrap_or_default();
        match authority.rfind('@') {
            Some(at) => {
                out.push_str("***");
                rest = after.get(at..).unwrap_or_default();
            }
            None => rest = after,
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_of_a_text_is_cleaned() {
        let text = "postgres://u:p@a, then https://token@b/x@y and http://c:8080/d";
        assert_eq!(hide_passwords(text), "postgres://***@a, then https://***@b/x@y and http://c:8080/d");
        assert_eq!(hide_passwords("http://u:p@ss@host/"), "http://***@host/");
        assert_eq!(hide_passwords("http://"), "http://");
        assert_eq!(hide_passwords("没有地址"), "没有地址");
    }
}
