//! Addresses inside the reader. Every link is made here, so that nothing from a document gets into one unencoded.

use regreader_model::PageNumber;

/// Encodes a path segment or query value: everything but unreserved characters.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    // Two segments of dots would climb out of the path.
    if out.chars().all(|c| c == '.') { out.replace('.', "%2E") } else { out }
}

/// An address with its query, built up part by part.
#[derive(Debug, Clone)]
pub struct Address {
    path: String,
    query: String,
}

impl Address {
    /// An address with this path, which is one of our own.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), query: String::new() }
    }

    /// A page in the reader.
    pub fn page(reg_id: &str, page: PageNumber) -> Self {
        Self::new(format!("/r/{}/p/{page}", encode(reg_id)))
    }

    /// A table.
    pub fn table(reg_id: &str, table_id: &str) -> Self {
        Self::new(format!("/r/{}/t/{}", encode(reg_id), encode(table_id)))
    }

    /// The quality report of a regulation.
    pub fn quality(reg_id: &str) -> Self {
        Self::new(format!("/r/{}/quality", encode(reg_id)))
    }

    /// The details of a regulation that editors may change.
    pub fn edit(reg_id: &str) -> Self {
        Self::new(format!("/r/{}/edit", encode(reg_id)))
    }

    /// The same with a query parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl AsRef<str>) -> Self {
        self.query.push(if self.query.is_empty() { '?' } else { '&' });
        self.query.push_str(name);
        self.query.push('=');
        self.query.push_str(&encode(value.as_ref()));
        self
    }

    /// The same with a parameter where there is a value.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl AsRef<str>>) -> Self {
        match value {
            Some(value) if !value.as_ref().is_empty() => self.with(name, value),
            _ => self,
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.path, self.query)
    }
}

impl maud::Render for Address {
    fn render_to(&self, buffer: &mut String) {
        maud::Render::render_to(&self.to_string(), buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hostile_gets_out_of_its_place() {
        let page = PageNumber::new(3).unwrap();
        let address = Address::page("../../etc", page).with("b", "a&b=\"><script>").to_string();
        assert_eq!(address, "/r/..%2F..%2Fetc/p/3?b=a%26b%3D%22%3E%3Cscript%3E");
        assert_eq!(encode(".."), "%2E%2E");
        assert_eq!(Address::table("a", "表6-2").to_string(), "/r/a/t/%E8%A1%A86-2");
        assert_eq!(Address::new("/search").with_some("q", Some("")).to_string(), "/search");
    }
}
