//! Paragraphs of a text body, with bullets and automatic numbers.

use regreader_model::{RawText, TextRole};

use crate::docx::counting;
use crate::flow;
use crate::ooxml::{Element, Ns, math, symbol};

const LEVELS: usize = 9;

/// Characters of an `a:p`.
pub(crate) fn text(paragraph: &Element) -> String {
    let mut out = String::new();
    collect(paragraph, &mut out);
    out
}

fn collect(element: &Element, out: &mut String) {
    for child in element.children() {
        match (child.ns, &*child.name) {
            (Ns::Drawing, "t") => {
                let font = element.at(&["rPr", "latin"]).and_then(|latin| latin.attr("typeface"));
                out.push_str(&symbol::replace_private(&child.text(), font));
            }
            (Ns::Drawing, "br") => out.push('\n'),
            (Ns::Drawing, "pPr" | "rPr" | "endParaRPr") => {}
            (Ns::Math, "oMath") => {
                out.push('$');
                out.push_str(&math::latex(child));
                out.push('$');
            }
            (Ns::Compat, "AlternateContent") => {
                if let Some(choice) = child.child("Choice") {
                    collect(choice, out);
                }
            }
            _ => collect(child, out),
        }
    }
}

/// The paragraphs of a text body. In the body of a slide they are bullets unless they say otherwise.
pub(crate) fn paragraphs(body: &Element, role: TextRole, bulleted: bool) -> Vec<RawText> {
    let mut counts = [0u32; LEVELS];
    let mut out = Vec::new();
    for paragraph in body.children().filter(|child| child.is(Ns::Drawing, "p")) {
        let words = text(paragraph);
        let properties = paragraph.child("pPr");
        let level = properties
            .and_then(|p| p.attr("lvl"))
            .and_then(|v| v.parse::<usize>().ok())
            .unwrap_or(0)
            .min(LEVELS - 1);
        if words.trim().is_empty() {
            continue;
        }
        let has = |name| properties.is_some_and(|p| p.child(name).is_some());
        let number = properties.and_then(|p| p.child("buAutoNum"));
        for count in &mut counts[level + 1..] {
            *count = 0;
        }
        let mark = match number {
            Some(number) => {
                let start = number.attr("startAt").and_then(|v| v.parse().ok()).unwrap_or(1);
                counts[level] = if counts[level] == 0 { start } else { counts[level].saturating_add(1) };
                numbered(counts[level], number.attr("type").unwrap_or("arabicPeriod"))
            }
            None => {
                counts[level] = 0;
                String::new()
            }
        };
        let item = number.is_some() || has("buChar") || (bulleted && !has("buNone"));
        let own = if item && role == TextRole::Body { TextRole::ListItem } else { role };
        out.push(RawText {
            bold: is_bold(paragraph),
            ..flow::paragraph(format!("{mark}{}", words.trim()), own)
        });
    }
    out
}

fn is_bold(paragraph: &Element) -> bool {
    let mut bold = 0;
    let mut all = 0;
    for run in paragraph.children().filter(|child| child.is(Ns::Drawing, "r")) {
        let length = run.child("t").map_or(0, |t| t.text().chars().count());
        all += length;
        if run.child("rPr").and_then(|p| p.attr("b")).is_some_and(|b| matches!(b, "1" | "true")) {
            bold += length;
        }
    }
    bold * 2 > all
}

fn numbered(count: u32, kind: &str) -> String {
    let format = if kind.starts_with("roman") {
        if kind.starts_with("romanUc") { "upperRoman" } else { "lowerRoman" }
    } else if kind.starts_with("alpha") {
        if kind.starts_with("alphaUc") { "upperLetter" } else { "lowerLetter" }
    } else if kind.starts_with("ea1Ch") || kind.starts_with("ea1Jpn") {
        "chineseCounting"
    } else if kind.starts_with("circleNum") {
        return counting::circled(count) + " ";
    } else {
        "decimal"
    };
    let number = counting::format(count, format);
    if kind.ends_with("ParenBoth") {
        format!("({number}) ")
    } else if kind.ends_with("ParenR") {
        format!("{number}) ")
    } else if kind.ends_with("Plain") {
        format!("{number} ")
    } else {
        format!("{number}. ")
    }
}
