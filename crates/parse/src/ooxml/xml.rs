//! XML into small trees, one subtree at a time, tolerant of damage and bounded in depth and count.
//!
//! Entities declared in a DTD are never expanded: only the five of XML itself and numeric references are. What was
//! read before the first error is kept and the error is reported.

use encoding_rs::{UTF_16BE, UTF_16LE};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::PrefixDeclaration;

use crate::Limits;

/// Elements in one subtree. A table of a hundred thousand cells stays below it.
const MAX_ELEMENTS: usize = 1_500_000;
/// Attributes read of one element, and prefixes known in one part. Real files stay below 60.
const MAX_ATTRIBUTES: usize = 256;
const MAX_PREFIXES: usize = 128;

/// The vocabularies we tell apart; strict and transitional addresses are the same to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ns {
    /// `w:`
    Word,
    /// `a:`
    Drawing,
    /// `c:`
    Chart,
    /// `dgm:`
    Diagram,
    /// `m:`
    Math,
    /// `v:`
    Vml,
    /// `r:`
    Relation,
    /// Spreadsheet main.
    Sheet,
    /// `p:`
    Slide,
    /// `mc:`
    Compat,
    /// Anything else, and attributes without a prefix.
    Other,
}

/// An element with its attributes and content.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    /// XML vocabulary (namespace) that the element's name belongs to.
    pub ns: Ns,
    /// Local name.
    pub name: Box<str>,
    attributes: Vec<(Ns, Box<str>, Box<str>)>,
    /// Content in order.
    pub nodes: Vec<Node>,
}

/// Element or text.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// A child element.
    Element(Element),
    /// Text between elements.
    Text(String),
}

impl Element {
    /// Whether this is that element.
    pub fn is(&self, ns: Ns, name: &str) -> bool {
        self.ns == ns && &*self.name == name
    }

    /// Child elements in order.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Element> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// First child of that local name, whatever its vocabulary.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children().find(|child| &*child.name == name)
    }

    /// Follows a path of local names, first match at each step.
    pub fn at(&self, path: &[&str]) -> Option<&Element> {
        path.iter().try_fold(self, |element, name| element.child(name))
    }

    /// Attribute by local name, whatever its vocabulary, except relation ids.
    pub fn attr(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(ns, key, _)| *ns != Ns::Relation && &**key == name)
            .map(|(_, _, value)| &**value)
    }

    /// Relation id (`r:id`, `r:embed` …).
    pub fn relation(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(ns, key, _)| *ns == Ns::Relation && &**key == name)
            .map(|(_, _, value)| &**value)
    }

    /// The `val` attribute.
    pub fn val(&self) -> Option<&str> {
        self.attr("val")
    }

    /// `val` of a child.
    pub fn child_val(&self, name: &str) -> Option<&str> {
        self.child(name)?.val()
    }

    /// A switch: present without a value means on.
    pub fn is_on(&self) -> bool {
        !matches!(self.val(), Some("0" | "false" | "off" | "none"))
    }

    /// State of a switch among the children; none when it is not there.
    pub fn switch(&self, name: &str) -> Option<bool> {
        self.child(name).map(Element::is_on)
    }

    /// Own characters, without those of children.
    pub fn text(&self) -> String {
        self.nodes
            .iter()
            .filter_map(|node| match node {
                Node::Text(text) => Some(text.as_str()),
                Node::Element(_) => None,
            })
            .collect()
    }

    /// Every element below, depth first, in document order. Depth is bounded when the tree is built.
    pub fn descendants(&self) -> Descendants<'_> {
        Descendants { stack: vec![self.nodes.iter()] }
    }

    /// First element below of that vocabulary and name.
    pub fn find(&self, ns: Ns, name: &str) -> Option<&Element> {
        self.descendants().find(|element| element.is(ns, name))
    }
}

/// Walk over everything below an element.
pub(crate) struct Descendants<'a> {
    stack: Vec<std::slice::Iter<'a, Node>>,
}

impl<'a> Iterator for Descendants<'a> {
    type Item = &'a Element;

    fn next(&mut self) -> Option<&'a Element> {
        loop {
            match self.stack.last_mut()?.next() {
                Some(Node::Element(element)) => {
                    self.stack.push(element.nodes.iter());
                    return Some(element);
                }
                Some(Node::Text(_)) => {}
                None => {
                    self.stack.pop();
                }
            }
        }
    }
}

/// What was wrong with a part. All false and none: nothing.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The error that ended reading, or a mismatch on the way.
    pub error: Option<String>,
    /// Something was nested too deep or too numerous and was left out.
    pub cut: bool,
}

/// The whole part as one tree.
pub(crate) fn tree(bytes: &[u8], limits: &Limits) -> (Option<Element>, Damage) {
    let mut root = None;
    let damage = walk(bytes, limits, None, &mut |element| {
        root.get_or_insert(element);
    });
    (root, damage)
}

/// Visits every child of the first element called `container`, each as a tree of its own, so that a long document
/// never stands in memory whole.
pub(crate) fn each_child(
    bytes: &[u8],
    limits: &Limits,
    container: (Ns, &str),
    visit: &mut dyn FnMut(Element),
) -> Damage {
    walk(bytes, limits, Some(container), visit)
}

fn walk(
    bytes: &[u8],
    limits: &Limits,
    container: Option<(Ns, &str)>,
    visit: &mut dyn FnMut(Element),
) -> Damage {
    let decoded = utf16(bytes);
    let bytes = decoded.as_deref().map_or(bytes, str::as_bytes);
    let mut reader = Reader::from_reader(bytes);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;

    let mut builder = Builder {
        stack: Vec::new(),
        skipped: 0,
        count: 0,
        max_depth: limits.max_depth.max(8),
        damage: Damage::default(),
    };
    let mut names = Names::default();
    let mut inside = container.is_none();
    let mut entered = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                let element = names.open(&start);
                if inside {
                    builder.push(element);
                } else if !entered && container.is_some_and(|(ns, name)| element.is(ns, name)) {
                    inside = true;
                    entered = true;
                }
            }
            Ok(Event::Empty(start)) => {
                let element = names.open(&start);
                names.close();
                if !inside {
                    continue;
                }
                builder.push(element);
                if let Some(done) = builder.pop(None) {
                    visit(done);
                }
            }
            Ok(Event::End(end)) => {
                names.close();
                if !inside {
                    continue;
                }
                if builder.stack.is_empty() && builder.skipped == 0 && container.is_some() {
                    break;
                }
                let name = end.local_name();
                if let Some(done) = builder.pop(Some(name.as_ref())) {
                    visit(done);
                }
            }
            Ok(Event::Text(text)) if inside => builder.text(&String::from_utf8_lossy(&text)),
            Ok(Event::CData(text)) if inside => builder.text(&String::from_utf8_lossy(&text)),
            Ok(Event::GeneralRef(reference)) if inside => {
                let name = String::from_utf8_lossy(&reference).into_owned();
                if let Ok(Some(character)) = reference.resolve_char_ref() {
                    builder.text(character.encode_utf8(&mut [0; 4]));
                } else if let Some(text) = quick_xml::escape::resolve_xml_entity(&name) {
                    builder.text(text);
                }
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                builder.damage.error = Some(error.to_string());
                break;
            }
        }
    }
    if !builder.stack.is_empty() && builder.damage.error.is_none() {
        builder.damage.error = Some("XML ends before its elements do".to_owned());
    }
    // Keep what was read of an unfinished subtree.
    builder.skipped = 0;
    while !builder.stack.is_empty() {
        if let Some(done) = builder.pop(None) {
            visit(done);
        }
    }
    builder.damage
}

struct Builder {
    stack: Vec<Element>,
    /// Elements open below the depth limit, which are not kept.
    skipped: usize,
    count: usize,
    max_depth: usize,
    damage: Damage,
}

impl Builder {
    fn push(&mut self, element: Element) {
        if self.stack.is_empty() {
            self.count = 0;
        }
        self.count += 1;
        if self.skipped > 0 || self.stack.len() >= self.max_depth || self.count > MAX_ELEMENTS {
            self.skipped += 1;
            self.damage.cut = true;
        } else {
            self.stack.push(element);
        }
    }

    /// Closes the innermost element; gives it back when it was the outermost.
    fn pop(&mut self, end_name: Option<&[u8]>) -> Option<Element> {
        if self.skipped > 0 {
            self.skipped -= 1;
            return None;
        }
        let element = self.stack.pop()?;
        if end_name.is_some_and(|name| name != element.name.as_bytes()) && self.damage.error.is_none() {
            self.damage.error = Some(format!("mismatched end of element <{}>", element.name));
        }
        match self.stack.last_mut() {
            Some(parent) => {
                parent.nodes.push(Node::Element(element));
                None
            }
            None => Some(element),
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped > 0 {
            return;
        }
        let Some(parent) = self.stack.last_mut() else { return };
        if let Some(Node::Text(previous)) = parent.nodes.last_mut() {
            previous.push_str(text);
        } else if !text.trim_ascii().is_empty() || is_text_element(&parent.name) {
            parent.nodes.push(Node::Text(text.to_owned()));
        }
    }
}

/// Elements in which white space alone is content.
fn is_text_element(name: &str) -> bool {
    matches!(name, "t" | "v" | "delText" | "instrText")
}

/// Meaning of prefixes. A prefix keeps the last meaning it was given anywhere, which is enough for office files and
/// cannot be made slow by nesting; only the unprefixed default follows the tree.
#[derive(Default)]
struct Names {
    prefixes: Vec<(Vec<u8>, Ns)>,
    /// Depth at which each default began, and what it is.
    defaults: Vec<(usize, Ns)>,
    depth: usize,
}

impl Names {
    fn open(&mut self, start: &BytesStart<'_>) -> Element {
        self.depth += 1;
        let mut attributes = Vec::new();
        for attribute in start.attributes().with_checks(false).flatten().take(MAX_ATTRIBUTES) {
            match attribute.key.as_namespace_binding() {
                Some(PrefixDeclaration::Default) => {
                    if self.defaults.len() < MAX_PREFIXES {
                        self.defaults.push((self.depth, by_address(&attribute.value)));
                    }
                }
                Some(PrefixDeclaration::Named(prefix)) => self.declare(prefix, by_address(&attribute.value)),
                None => {
                    let raw = String::from_utf8_lossy(&attribute.value);
                    let value = quick_xml::escape::unescape(&raw)
                        .map_or_else(|_| raw.to_string(), std::borrow::Cow::into_owned);
                    attributes.push((attribute.key, value));
                }
            }
        }
        let attributes = attributes
            .into_iter()
            .map(|(key, value)| {
                let ns = key.prefix().map_or(Ns::Other, |prefix| self.meaning(prefix.as_ref()));
                (ns, String::from_utf8_lossy(key.local_name().as_ref()).into(), value.into_boxed_str())
            })
            .collect();
        let name = start.name();
        let ns = match name.prefix() {
            Some(prefix) => self.meaning(prefix.as_ref()),
            None => self.defaults.last().map_or(Ns::Other, |(_, ns)| *ns),
        };
        Element {
            ns,
            name: String::from_utf8_lossy(name.local_name().as_ref()).into(),
            attributes,
            nodes: Vec::new(),
        }
    }

    fn close(&mut self) {
        while self.defaults.last().is_some_and(|(depth, _)| *depth >= self.depth) {
            self.defaults.pop();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn declare(&mut self, prefix: &[u8], ns: Ns) {
        if let Some(entry) = self.prefixes.iter_mut().find(|(known, _)| known == prefix) {
            entry.1 = ns;
        } else if self.prefixes.len() < MAX_PREFIXES {
            self.prefixes.push((prefix.to_vec(), ns));
        }
    }

    fn meaning(&self, prefix: &[u8]) -> Ns {
        if let Some((_, ns)) = self.prefixes.iter().find(|(known, _)| known == prefix) {
            return *ns;
        }
        // A declaration lost to damage: the usual prefixes still say what was meant.
        match prefix {
            b"w" => Ns::Word,
            b"a" => Ns::Drawing,
            b"c" => Ns::Chart,
            b"dgm" => Ns::Diagram,
            b"m" => Ns::Math,
            b"v" => Ns::Vml,
            b"r" => Ns::Relation,
            b"p" => Ns::Slide,
            b"mc" => Ns::Compat,
            _ => Ns::Other,
        }
    }
}

fn by_address(address: &[u8]) -> Ns {
    match address {
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        | b"http://purl.oclc.org/ooxml/wordprocessingml/main" => Ns::Word,
        b"http://schemas.openxmlformats.org/drawingml/2006/main"
        | b"http://purl.oclc.org/ooxml/drawingml/main" => Ns::Drawing,
        b"http://schemas.openxmlformats.org/drawingml/2006/chart"
        | b"http://purl.oclc.org/ooxml/drawingml/chart" => Ns::Chart,
        b"http://schemas.openxmlformats.org/drawingml/2006/diagram"
        | b"http://purl.oclc.org/ooxml/drawingml/diagram" => Ns::Diagram,
        b"http://schemas.openxmlformats.org/officeDocument/2006/math"
        | b"http://purl.oclc.org/ooxml/officeDocument/math" => Ns::Math,
        b"urn:schemas-microsoft-com:vml" => Ns::Vml,
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        | b"http://purl.oclc.org/ooxml/officeDocument/relationships" => Ns::Relation,
        b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        | b"http://purl.oclc.org/ooxml/spreadsheetml/main" => Ns::Sheet,
        b"http://schemas.openxmlformats.org/presentationml/2006/main"
        | b"http://purl.oclc.org/ooxml/presentationml/main" => Ns::Slide,
        b"http://schemas.openxmlformats.org/markup-compatibility/2006" => Ns::Compat,
        _ => Ns::Other,
    }
}

fn utf16(bytes: &[u8]) -> Option<String> {
    let encoding = match bytes {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => UTF_16LE,
        [0xFE, 0xFF, ..] | [0, b'<', ..] => UTF_16BE,
        _ => return None,
    };
    Some(encoding.decode(bytes).0.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: &str = r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main""#;

    #[test]
    fn children_arrive_one_by_one_with_their_text() {
        let xml = format!(
            "<w:document {W}><w:body><w:p><w:t>a &amp; &#19968;</w:t></w:p><w:p/></w:body></w:document>"
        );
        let mut seen = Vec::new();
        let damage = each_child(xml.as_bytes(), &Limits::default(), (Ns::Word, "body"), &mut |e| {
            seen.push(e.find(Ns::Word, "t").map(Element::text));
        });
        assert_eq!(seen, [Some("a & 一".to_owned()), None]);
        assert_eq!(damage, Damage::default());
    }

    #[test]
    fn a_cut_off_part_keeps_what_was_read() {
        let xml = format!("<w:document {W}><w:body><w:p><w:t>kept</w:t></w:p><w:p><w:t>half");
        let mut seen = Vec::new();
        let damage = each_child(xml.as_bytes(), &Limits::default(), (Ns::Word, "body"), &mut |e| {
            seen.push(e.find(Ns::Word, "t").map(Element::text));
        });
        assert_eq!(seen, [Some("kept".to_owned()), Some("half".to_owned())]);
        assert!(damage.error.is_some());
    }

    #[test]
    fn declared_entities_are_not_expanded() {
        let xml = r#"<!DOCTYPE a [<!ENTITY x "boom"><!ENTITY y "&x;&x;">]><a><t>1&y;2</t></a>"#;
        let (root, _) = tree(xml.as_bytes(), &Limits::default());
        assert_eq!(root.and_then(|r| r.child("t").map(Element::text)), Some("12".to_owned()));
    }

    #[test]
    fn nesting_beyond_the_limit_is_left_out_and_reported() {
        let xml = "<a>".repeat(5000) + &"</a>".repeat(5000);
        let (root, damage) = tree(xml.as_bytes(), &Limits::default());
        assert_eq!(root.map(|r| r.descendants().count()), Some(Limits::default().max_depth - 1));
        assert!(damage.cut);
    }
}
