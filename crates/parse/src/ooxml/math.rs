//! Office formulas (OMML) as LaTeX.
//!
//! A formula in a regulation must stay readable and searchable as text, and LaTeX is what readers and models know.

use unicode_normalization::UnicodeNormalization;

use super::{Element, Ns};

/// The formula of an `m:oMath` element.
pub(crate) fn latex(formula: &Element) -> String {
    let mut out = String::new();
    children(formula, &mut out);
    let squeezed: Vec<&str> = out.split(' ').filter(|piece| !piece.is_empty()).collect();
    squeezed.join(" ")
}

fn children(element: &Element, out: &mut String) {
    for child in element.children() {
        node(child, out);
    }
}

fn inner(element: &Element, name: &str) -> String {
    let mut out = String::new();
    if let Some(child) = element.child(name) {
        children(child, &mut out);
    }
    out.trim().to_owned()
}

fn property<'a>(element: &'a Element, properties: &str, name: &str) -> Option<&'a str> {
    element.child(properties)?.child(name).map(|child| child.val().unwrap_or(""))
}

fn node(element: &Element, out: &mut String) {
    if element.ns != Ns::Math {
        // Word runs inside a formula: tracked insertions and the like.
        if !matches!(&*element.name, "del" | "rPr" | "ctrlPr") {
            children(element, out);
        }
        return;
    }
    match &*element.name {
        "r" => {
            for piece in element.children().filter(|child| &*child.name == "t") {
                out.push_str(&characters(&piece.text()));
            }
        }
        "f" => fraction(element, out),
        "sSup" => out.push_str(&format!("{}^{{{}}}", base(element), inner(element, "sup"))),
        "sSub" => out.push_str(&format!("{}_{{{}}}", base(element), inner(element, "sub"))),
        "sSubSup" => {
            let (sub, sup) = (inner(element, "sub"), inner(element, "sup"));
            out.push_str(&format!("{}_{{{sub}}}^{{{sup}}}", base(element)));
        }
        "sPre" => {
            let scripts = scripts(&inner(element, "sub"), &inner(element, "sup"));
            out.push_str(&format!("{{}}{scripts}{}", inner(element, "e")));
        }
        "rad" => {
            let degree = inner(element, "deg");
            let root = inner(element, "e");
            if degree.is_empty() {
                out.push_str(&format!("\\sqrt{{{root}}}"));
            } else {
                out.push_str(&format!("\\sqrt[{degree}]{{{root}}}"));
            }
        }
        "d" => delimiters(element, out),
        "nary" => {
            let operator = large_operator(property(element, "naryPr", "chr").unwrap_or("∫"));
            let limits = scripts(&inner(element, "sub"), &inner(element, "sup"));
            let body = inner(element, "e");
            // A bare command must not run into the letter after it.
            let gap = if limits.is_empty() && operator.starts_with('\\') { " " } else { "" };
            out.push_str(&format!("{operator}{limits}{gap}{body}"));
        }
        "func" => function(element, out),
        "limLow" => {
            let (body, limit) = (named(&inner(element, "e")), inner(element, "lim"));
            out.push_str(&format!("{body}_{{{limit}}}"));
        }
        "limUpp" => {
            let (body, limit) = (inner(element, "e"), inner(element, "lim"));
            out.push_str(&format!("\\overset{{{limit}}}{{{body}}}"));
        }
        "acc" => {
            let accent = accent(property(element, "accPr", "chr").unwrap_or("\u{302}"));
            out.push_str(&format!("{accent}{{{}}}", inner(element, "e")));
        }
        "bar" => {
            let top = property(element, "barPr", "pos") == Some("top");
            let command = if top { "\\overline" } else { "\\underline" };
            out.push_str(&format!("{command}{{{}}}", inner(element, "e")));
        }
        "groupChr" => {
            let brace = group_character(element);
            out.push_str(&format!("{brace}{{{}}}", inner(element, "e")));
        }
        "eqArr" => equations(element, out),
        "m" => matrix(element, out),
        name if name.ends_with("Pr") => {}
        _ => children(element, out),
    }
}

/// Subscript and superscript, those that are there.
fn scripts(sub: &str, sup: &str) -> String {
    let mut out = String::new();
    if !sub.is_empty() {
        out.push_str(&format!("_{{{sub}}}"));
    }
    if !sup.is_empty() {
        out.push_str(&format!("^{{{sup}}}"));
    }
    out
}

/// The base of a script, in braces where the script would bind to its end only.
fn base(element: &Element) -> String {
    let base = inner(element, "e");
    if base.contains("\\frac") || base.contains("\\sqrt") { format!("{{{base}}}") } else { base }
}

fn fraction(element: &Element, out: &mut String) {
    let (top, bottom) = (inner(element, "num"), inner(element, "den"));
    match property(element, "fPr", "type") {
        Some("lin" | "skw") => out.push_str(&format!("{top}/{bottom}")),
        Some("noBar") => out.push_str(&format!("\\genfrac{{}}{{}}{{0pt}}{{}}{{{top}}}{{{bottom}}}")),
        _ => out.push_str(&format!("\\frac{{{top}}}{{{bottom}}}")),
    }
}

fn delimiters(element: &Element, out: &mut String) {
    let open = property(element, "dPr", "begChr").unwrap_or("(");
    let close = property(element, "dPr", "endChr").unwrap_or(")");
    let separator = property(element, "dPr", "sepChr").unwrap_or("|");
    let parts: Vec<String> = element
        .children()
        .filter(|child| &*child.name == "e")
        .map(|part| {
            let mut text = String::new();
            children(part, &mut text);
            text.trim().to_owned()
        })
        .collect();
    let (open, close) = (fence(open), fence(close));
    out.push_str(&format!("\\left{open}{}\\right{close}", parts.join(separator)));
}

fn fence(character: &str) -> String {
    match character {
        "" => ".".to_owned(),
        "{" | "}" => format!("\\{character}"),
        "‖" => "\\|".to_owned(),
        "⌈" => "\\lceil ".to_owned(),
        "⌉" => "\\rceil ".to_owned(),
        "⌊" => "\\lfloor ".to_owned(),
        "⌋" => "\\rfloor ".to_owned(),
        "〈" | "⟨" => "\\langle ".to_owned(),
        "〉" | "⟩" => "\\rangle ".to_owned(),
        other => other.to_owned(),
    }
}

fn function(element: &Element, out: &mut String) {
    let name = inner(element, "fName");
    let argument = inner(element, "e");
    // A limit already carries its command; a bare word needs one.
    let name = if name.chars().all(char::is_alphabetic) { named(&name) } else { name };
    let argument =
        if name.contains("_{") && argument.contains("\\left") { format!("{{{argument}}}") } else { argument };
    out.push_str(&name);
    if name.starts_with('\\')
        && argument.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.ends_with('}')
    {
        out.push(' ');
    }
    out.push_str(&argument);
}

fn named(name: &str) -> String {
    // Not vocabulary: the functions for which LaTeX has a command.
    const KNOWN: [&str; 24] = [
        "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "csc", "deg", "det", "exp", "gcd", "inf",
        "lim", "ln", "log", "max", "min", "sec", "sin", "sinh", "sup", "tan", "tanh",
    ];
    if KNOWN.contains(&name) {
        format!("\\{name}")
    } else if matches!(name, "argmax" | "argmin") {
        format!("\\operatorname{{{name}}}")
    } else {
        name.to_owned()
    }
}

fn large_operator(character: &str) -> &str {
    match character {
        "∑" => "\\sum",
        "∏" => "\\prod",
        "∐" => "\\coprod",
        "∫" => "\\int",
        "∬" => "\\iint",
        "∭" => "\\iiint",
        "∮" => "\\oint",
        "∯" => "\\oiint",
        "∰" => "\\oiiint",
        "⋃" => "\\bigcup",
        "⋂" => "\\bigcap",
        "⋁" => "\\bigvee",
        "⋀" => "\\bigwedge",
        other => other,
    }
}

fn accent(character: &str) -> &'static str {
    match character {
        "\u{300}" => "\\grave",
        "\u{301}" => "\\acute",
        "\u{303}" => "\\tilde",
        "\u{304}" | "\u{305}" | "¯" => "\\overline",
        "\u{307}" => "\\dot",
        "\u{308}" => "\\ddot",
        "\u{20D7}" | "→" => "\\vec",
        _ => "\\hat",
    }
}

fn group_character(element: &Element) -> &'static str {
    let top = property(element, "groupChrPr", "pos") == Some("top");
    match property(element, "groupChrPr", "chr") {
        Some("⏞") => "\\overbrace",
        None | Some("⏟") if !top => "\\underbrace",
        Some("→") => "\\overrightarrow",
        _ if top => "\\overbrace",
        _ => "\\underbrace",
    }
}

/// Equations one above the other; a single one needs no environment.
fn equations(element: &Element, out: &mut String) {
    let lines: Vec<String> = element
        .children()
        .filter(|child| &*child.name == "e")
        .map(|line| {
            let mut text = String::new();
            children(line, &mut text);
            text.trim().to_owned()
        })
        .collect();
    match lines.as_slice() {
        [line] => out.push_str(line),
        lines => out.push_str(&format!("\\begin{{array}}{{l}}{}\\end{{array}}", lines.join("\\\\"))),
    }
}

fn matrix(element: &Element, out: &mut String) {
    let lines: Vec<String> = element
        .children()
        .filter(|child| &*child.name == "mr")
        .map(|row| {
            let cells: Vec<String> = row
                .children()
                .filter(|child| &*child.name == "e")
                .map(|cell| {
                    let mut text = String::new();
                    children(cell, &mut text);
                    text.trim().to_owned()
                })
                .collect();
            cells.join("&")
        })
        .collect();
    out.push_str(&format!("\\begin{{matrix}}{}\\end{{matrix}}", lines.join("\\\\")));
}

/// Characters of a run: mathematical letters folded to plain ones, symbols as commands.
fn characters(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        // Only the mathematical alphabets are folded: NFKC would turn ² into 2.
        let folded = if (0x1D400..=0x1D7FF).contains(&(character as u32)) {
            character.nfkc().next().unwrap_or(character)
        } else {
            character
        };
        match command(folded) {
            Some(command) => {
                out.push(' ');
                out.push_str(command);
                out.push(' ');
            }
            None if matches!(folded, '#' | '$' | '%' | '&' | '{' | '}') => {
                out.push('\\');
                out.push(folded);
            }
            None => out.push(folded),
        }
    }
    out
}

fn command(character: char) -> Option<&'static str> {
    let mut lines = include_str!("latex.txt").lines().filter(|line| !line.starts_with('#'));
    lines.find_map(|line| line.strip_prefix(character)?.strip_prefix(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::ooxml::xml;

    fn of(body: &str) -> String {
        let xml = format!(
            r#"<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">{body}</m:oMath>"#
        );
        xml::tree(xml.as_bytes(), &Limits::default()).0.map(|root| latex(&root)).unwrap_or_default()
    }

    #[test]
    fn scripts_fractions_and_symbols() {
        assert_eq!(
            of(
                "<m:r><m:t>A=π</m:t></m:r><m:sSup><m:e><m:r><m:t>r</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
            ),
            "A= \\pi r^{2}"
        );
        assert_eq!(
            of("<m:f><m:num><m:r><m:t>U</m:t></m:r></m:num><m:den><m:r><m:t>R</m:t></m:r></m:den></m:f>"),
            "\\frac{U}{R}"
        );
    }

    #[test]
    fn an_unknown_element_still_gives_its_text() {
        assert_eq!(of("<m:new><m:r><m:t>x</m:t></m:r></m:new>"), "x");
    }
}
