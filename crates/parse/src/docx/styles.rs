//! Word styles: what a style, with everything it is based on, makes of a paragraph.

use std::collections::BTreeMap;

use regreader_model::TextRole;

use super::estimate::Shape;
use crate::ooxml::Element;

/// Styles of a document by id, inheritance already applied.
#[derive(Debug, Default)]
pub(crate) struct Styles {
    paragraphs: BTreeMap<String, Style>,
    characters: BTreeMap<String, RunStyle>,
    default_paragraph: Option<String>,
}

/// A paragraph style with what it inherits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Style {
    /// What its name or outline level declares.
    pub role: Option<TextRole>,
    /// Numbering: list and level.
    pub num_id: Option<String>,
    /// Level within the list, where the style names it.
    pub level: Option<usize>,
    /// Begins a new page.
    pub page_break_before: bool,
    /// Look of its characters.
    pub run: RunStyle,
    /// Spacing and indents.
    pub shape: Shape,
}

/// The look of characters; none where nothing is said.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RunStyle {
    /// Whether the characters are bold.
    pub bold: Option<bool>,
    /// Size in half points.
    pub half_points: Option<u32>,
    /// Not printed.
    pub hidden: Option<bool>,
    /// Latin font, which tells symbol fonts.
    pub font: Option<String>,
    /// On the line, raised or lowered.
    pub position: Option<Position>,
}

/// Where characters stand to the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// On the line.
    Level,
    /// Raised above the line: superscript.
    Raised,
    /// Lowered below the line: subscript.
    Lowered,
}

impl RunStyle {
    /// Reads an `rPr`.
    pub fn read(properties: Option<&Element>) -> Self {
        let Some(properties) = properties else { return Self::default() };
        Self {
            bold: properties.switch("b"),
            half_points: properties.child_val("sz").and_then(|size| size.parse().ok()),
            hidden: properties.switch("vanish"),
            font: properties
                .child("rFonts")
                .and_then(|fonts| fonts.attr("ascii").or_else(|| fonts.attr("hAnsi")))
                .map(str::to_owned),
            position: properties.child_val("vertAlign").map(|value| match value {
                "superscript" => Position::Raised,
                "subscript" => Position::Lowered,
                _ => Position::Level,
            }),
        }
    }

    /// This look with what it leaves open taken from another.
    pub fn over(&self, base: &Self) -> Self {
        Self {
            bold: self.bold.or(base.bold),
            half_points: self.half_points.or(base.half_points),
            hidden: self.hidden.or(base.hidden),
            font: self.font.clone().or_else(|| base.font.clone()),
            position: self.position.or(base.position),
        }
    }
}

impl Styles {
    /// Reads `styles.xml`.
    pub fn read(root: Option<&Element>) -> Self {
        let mut styles = Self::default();
        let Some(root) = root else { return styles };
        let defaults = RunStyle::read(root.at(&["docDefaults", "rPrDefault", "rPr"]));
        let default_shape = Shape::read(root.at(&["docDefaults", "pPrDefault", "pPr"]));
        let mut raw: BTreeMap<&str, &Element> = BTreeMap::new();
        for element in root.children().filter(|child| &*child.name == "style") {
            if let Some(id) = element.attr("styleId") {
                raw.entry(id).or_insert(element);
            }
        }
        for (&id, &element) in &raw {
            match element.attr("type") {
                Some("character") => {
                    let look = ancestors(&raw, element)
                        .iter()
                        .fold(RunStyle::default(), |look, e| look.over(&RunStyle::read(e.child("rPr"))));
                    styles.characters.insert(id.to_owned(), look);
                }
                Some("paragraph" | "numbering") | None => {
                    let mut style = inherit(&ancestors(&raw, element));
                    style.run = style.run.over(&defaults);
                    style.shape = style.shape.over(&default_shape);
                    styles.paragraphs.insert(id.to_owned(), style);
                    if matches!(element.attr("default"), Some("1" | "true")) {
                        styles.default_paragraph = Some(id.to_owned());
                    }
                }
                _ => {}
            }
        }
        styles
    }

    /// A paragraph style; the default one for none, an empty one for an unknown id.
    pub fn paragraph(&self, id: Option<&str>) -> Style {
        id.or(self.default_paragraph.as_deref())
            .and_then(|id| self.paragraphs.get(id))
            .cloned()
            .unwrap_or_default()
    }

    /// A character style.
    pub fn character(&self, id: &str) -> Option<&RunStyle> {
        self.characters.get(id)
    }

    /// The list that a numbering style stands for.
    pub fn num_id(&self, style_id: &str) -> Option<&str> {
        self.paragraphs.get(style_id)?.num_id.as_deref()
    }
}

/// The style and what it is based on, nearest first; a loop ends the chain.
fn ancestors<'a>(raw: &BTreeMap<&str, &'a Element>, style: &'a Element) -> Vec<&'a Element> {
    let mut chain = vec![style];
    let mut at = style;
    while chain.len() < 32 {
        let Some(&base) = at.child_val("basedOn").and_then(|id| raw.get(id)) else { break };
        if chain.iter().any(|seen| std::ptr::eq(*seen, base)) {
            break;
        }
        chain.push(base);
        at = base;
    }
    chain
}

fn inherit(chain: &[&Element]) -> Style {
    let mut style = Style::default();
    let mut break_before = None;
    let mut numbered = false;
    for element in chain {
        let properties = element.child("pPr");
        if style.role.is_none() {
            style.role = declared_role(element, properties);
        }
        if let Some(numbering) = properties.and_then(|p| p.child("numPr"))
            && !numbered
        {
            style.level = style.level.or_else(|| numbering.child_val("ilvl").and_then(|v| v.parse().ok()));
            if let Some(id) = numbering.child_val("numId") {
                style.num_id = (id != "0").then(|| id.to_owned());
                numbered = true;
            }
        }
        break_before = break_before.or_else(|| properties.and_then(|p| p.switch("pageBreakBefore")));
        style.run = style.run.over(&RunStyle::read(element.child("rPr")));
        style.shape = style.shape.over(&Shape::read(properties));
    }
    style.page_break_before = break_before.unwrap_or(false);
    style
}

/// What one style declares, by its name first and its outline level second.
fn declared_role(style: &Element, properties: Option<&Element>) -> Option<TextRole> {
    let name = style.child_val("name").or_else(|| style.attr("styleId")).unwrap_or("");
    role_of_name(name).or_else(|| outline_role(properties))
}

/// The role that an outline level declares.
pub(crate) fn outline_role(properties: Option<&Element>) -> Option<TextRole> {
    let level: u32 = properties?.child_val("outlineLvl")?.parse().ok()?;
    (level < 9).then_some(TextRole::Heading { level: level + 1 })
}

/// The role that a style's name declares, in English, Chinese and the names of the GB/T 1.1 template.
fn role_of_name(name: &str) -> Option<TextRole> {
    let folded: String = name.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    // `标准文件_章标题` and the like: the part after the last underscore is the name proper.
    let own = folded.rsplit('_').next().unwrap_or(&folded);
    for prefix in ["heading", "标题"] {
        if let Some(level) = own.strip_prefix(prefix).and_then(|rest| rest.parse::<u32>().ok())
            && (1..=9).contains(&level)
        {
            return Some(TextRole::Heading { level });
        }
    }
    if own.starts_with("toc")
        || own.starts_with("目录")
        || own == "contentsheading"
        || own == "tableoffigures"
    {
        return Some(TextRole::ContentsLine);
    }
    Some(match own {
        "title" | "标题" | "文档标题" => TextRole::Title,
        "caption" | "题注" | "表题" | "图题" | "表标题" | "图标题" | "正文表标题" | "正文图标题"
        | "附录表标题" | "附录图标题" => TextRole::Caption,
        "footnotetext" | "脚注文本" | "endnotetext" | "尾注文本" => TextRole::Footnote,
        "章标题" | "附录标识" | "前言、引言标题" | "前言标题" | "引言标题" => {
            TextRole::Heading { level: 1 }
        }
        "一级条标题" | "附录章标题" => TextRole::Heading { level: 2 },
        "二级条标题" | "附录一级条标题" => TextRole::Heading { level: 3 },
        "三级条标题" | "附录二级条标题" => TextRole::Heading { level: 4 },
        "四级条标题" | "附录三级条标题" => TextRole::Heading { level: 5 },
        "五级条标题" | "附录四级条标题" => TextRole::Heading { level: 6 },
        "sourcecode" | "code" | "htmlpreformatted" | "macro" | "macrotext" | "代码" => TextRole::Code,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_both_languages_declare_roles() {
        assert_eq!(role_of_name("heading 2"), Some(TextRole::Heading { level: 2 }));
        assert_eq!(role_of_name("标题 3"), Some(TextRole::Heading { level: 3 }));
        assert_eq!(role_of_name("标准文件_一级条标题"), Some(TextRole::Heading { level: 2 }));
        assert_eq!(role_of_name("题注"), Some(TextRole::Caption));
        assert_eq!(role_of_name("toc 1"), Some(TextRole::ContentsLine));
        assert_eq!(role_of_name("Normal"), None);
        assert_eq!(role_of_name("Heading Nonsense"), None);
    }
}
