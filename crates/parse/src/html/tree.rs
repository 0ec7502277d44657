//! Tokens into a tree: void elements, implied ends, a bound on depth.

use std::ops::ControlFlow;

use super::tokens::{self, Token};

/// Elements and text pieces kept of one file.
const MAX_NODES: usize = 4_000_000;

/// The tree as a list; node 0 is the root.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Something was left out because of a limit.
    pub cut: bool,
}

/// One node.
#[derive(Debug)]
pub(crate) struct Node {
    /// What it is.
    pub kind: Kind,
    /// Children in order.
    pub children: Vec<u32>,
}

/// Kinds of node.
#[derive(Debug)]
pub(crate) enum Kind {
    /// An element.
    Element {
        /// Name in lower case.
        name: String,
        /// Attributes as pairs of name and value, the names in lower case.
        attributes: Vec<(String, String)>,
    },
    /// Characters, entities decoded.
    Text(String),
    /// A comment.
    Comment(String),
}

impl Node {
    /// Name of an element; empty for text.
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::Element { name, .. } => name,
            _ => "",
        }
    }

    /// Attribute of an element.
    pub fn attr(&self, wanted: &str) -> Option<&str> {
        match &self.kind {
            Kind::Element { attributes, .. } => {
                attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
            }
            _ => None,
        }
    }
}

impl Tree {
    /// Builds the tree of a file.
    pub fn parse(text: &str, max_depth: usize) -> Self {
        let mut builder = Builder {
            tree: Self { nodes: vec![element("#root", Vec::new())], cut: false },
            open: vec![0],
            max_depth: max_depth.max(16),
        };
        tokens::tokenize(text, |token| builder.add(token));
        builder.tree
    }

    /// The root.
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// Children of a node.
    pub fn children<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = &'a Node> {
        node.children.iter().filter_map(|at| self.nodes.get(*at as usize))
    }

    /// All nodes in order of appearance.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

fn element(name: &str, attributes: Vec<(String, String)>) -> Node {
    Node { kind: Kind::Element { name: name.to_owned(), attributes }, children: Vec::new() }
}

struct Builder {
    tree: Tree,
    /// Open elements, root first.
    open: Vec<u32>,
    max_depth: usize,
}

impl Builder {
    fn add(&mut self, token: Token<'_>) -> ControlFlow<()> {
        if self.tree.nodes.len() >= MAX_NODES {
            self.tree.cut = true;
            return ControlFlow::Break(());
        }
        match token {
            Token::Text(text) => {
                if !text.trim().is_empty() {
                    self.end_head();
                }
                self.append(Node { kind: Kind::Text(tokens::decode_entities(text)), children: Vec::new() });
            }
            Token::Comment(text) => {
                self.append(Node { kind: Kind::Comment(text.to_owned()), children: Vec::new() });
            }
            Token::Start { name, attributes } => self.start(&name, attributes),
            Token::End(name) => self.end(&name),
        }
        ControlFlow::Continue(())
    }

    fn append(&mut self, node: Node) -> u32 {
        let at = self.tree.nodes.len() as u32;
        self.tree.nodes.push(node);
        if let Some(parent) = self.open.last().and_then(|top| self.tree.nodes.get_mut(*top as usize)) {
            parent.children.push(at);
        }
        at
    }

    fn name_of(&self, at: u32) -> &str {
        self.tree.nodes.get(at as usize).map_or("", Node::name)
    }

    fn start(&mut self, name: &str, attributes: Vec<(String, String)>) {
        match name {
            "html" | "head" | "body" if self.open.iter().any(|at| self.name_of(*at) == name) => return,
            "li" => self.close_to(&["li"], &["ul", "ol", "menu", "td", "th", "table"]),
            "dt" | "dd" => self.close_to(&["dt", "dd"], &["dl", "td", "th", "table"]),
            "tr" => self.close_to(&["tr"], &["table"]),
            "td" | "th" => self.close_to(&["td", "th"], &["tr", "table"]),
            "thead" | "tbody" | "tfoot" => self.close_to(&["thead", "tbody", "tfoot"], &["table"]),
            "option" => self.close_to(&["option"], &["select"]),
            _ => {}
        }
        if !belongs_to_head(name) {
            self.end_head();
        }
        if closes_paragraph(name) {
            self.close_to(&["p"], &["td", "th", "caption", "table", "button", "object"]);
        }
        if is_heading(name) {
            self.close_heading();
        }
        let at = self.append(element(name, attributes));
        if is_void(name) {
            return;
        }
        if self.open.len() >= self.max_depth {
            self.tree.cut = true;
        } else {
            self.open.push(at);
        }
    }

    fn end(&mut self, name: &str) {
        // The end of something outside a cell cannot be reached from inside it, except by the table's own parts.
        let table_part =
            matches!(name, "table" | "tr" | "td" | "th" | "thead" | "tbody" | "tfoot" | "caption");
        let fences: &[&str] = if table_part && name != "table" {
            &["table"]
        } else if table_part {
            &[]
        } else {
            &["td", "th", "caption"]
        };
        self.close_to(&[name], fences);
    }

    /// Closes the innermost open element of these names, with all inside it, unless a fence stands between.
    fn close_to(&mut self, names: &[&str], fences: &[&str]) {
        let found = self.open.iter().enumerate().skip(1).rev().find_map(|(depth, at)| {
            let open = self.name_of(*at);
            if names.contains(&open) {
                Some(Some(depth))
            } else if fences.contains(&open) {
                Some(None)
            } else {
                None
            }
        });
        if let Some(Some(depth)) = found {
            self.open.truncate(depth);
        }
    }

    /// The head ends where something stands that belongs to the body, whether or not a tag says so.
    fn end_head(&mut self) {
        if self.open.last().is_some_and(|top| self.name_of(*top) == "head") {
            self.open.pop();
        }
    }

    fn close_heading(&mut self) {
        if self.open.last().is_some_and(|top| is_heading(self.name_of(*top))) {
            self.open.pop();
        }
    }
}

/// What the HTML standard lets stand in a head.
fn belongs_to_head(name: &str) -> bool {
    matches!(
        name,
        "base"
            | "basefont"
            | "bgsound"
            | "head"
            | "link"
            | "meta"
            | "noframes"
            | "noscript"
            | "script"
            | "style"
            | "template"
            | "title"
    )
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

fn closes_paragraph(name: &str) -> bool {
    is_heading(name)
        || matches!(
            name,
            "address"
                | "article"
                | "aside"
                | "blockquote"
                | "center"
                | "details"
                | "div"
                | "dl"
                | "fieldset"
                | "figcaption"
                | "figure"
                | "footer"
                | "form"
                | "header"
                | "hr"
                | "main"
                | "nav"
                | "ol"
                | "p"
                | "pre"
                | "section"
                | "table"
                | "ul"
                | "li"
                | "dt"
                | "dd"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of the elements that stand in the head, and of all others.
    fn in_and_behind_head(text: &str) -> (Vec<String>, Vec<String>) {
        let tree = Tree::parse(text, 64);
        let head = tree.nodes().iter().find(|node| node.name() == "head");
        let inside: Vec<String> = head
            .into_iter()
            .flat_map(|head| tree.children(head))
            .map(|node| node.name().to_owned())
            .collect();
        let all = tree.nodes().iter().map(|node| node.name().to_owned());
        let behind = all.filter(|name| !name.is_empty() && name != "head" && !inside.contains(name));
        let behind = behind.collect();
        (inside, behind)
    }

    #[test]
    fn a_head_that_is_not_closed_ends_where_the_body_begins() {
        let (head, behind) = in_and_behind_head(
            "<html><head><title>规程</title><meta charset=utf-8>\n<div><h1>总则</h1></div>",
        );
        assert_eq!(head.iter().filter(|name| !name.is_empty()).collect::<Vec<_>>(), ["title", "meta"]);
        assert!(behind.contains(&"div".to_owned()) && behind.contains(&"h1".to_owned()), "{behind:?}");
        let (head, behind) = in_and_behind_head("<head><script>x</script></head><body><p>正文</p>");
        assert_eq!(head, ["script"]);
        assert!(behind.contains(&"body".to_owned()) && behind.contains(&"p".to_owned()));
    }
}
