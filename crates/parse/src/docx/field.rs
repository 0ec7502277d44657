//! Fields: instructions whose stored result is the text, and the few that have no result and are drawn from the
//! instruction itself.

use super::counting;
use crate::ooxml::Element;

/// An open field.
#[derive(Debug, Default)]
pub(crate) struct Field {
    /// Its instruction so far.
    pub instruction: String,
    /// The separator was passed: what follows is the result.
    pub in_result: bool,
    /// State of a form's check box.
    pub check_box: Option<bool>,
}

impl Field {
    /// Begins a field.
    pub fn begin(character: &Element) -> Self {
        let check_box = character
            .at(&["ffData", "checkBox"])
            .map(|form| form.switch("checked").or_else(|| form.switch("default")).unwrap_or(false));
        Self { check_box, ..Self::default() }
    }

    /// First word of the instruction in capitals.
    pub fn kind(&self) -> String {
        kind_of(&self.instruction)
    }

    /// What a field shows that was closed without a result.
    pub fn without_result(&self) -> String {
        match self.check_box {
            Some(true) => "☒".to_owned(),
            Some(false) => "☐".to_owned(),
            None if self.kind() == "EQ" => equation(&self.instruction),
            None => String::new(),
        }
    }
}

/// First word of an instruction in capitals.
pub(crate) fn kind_of(instruction: &str) -> String {
    instruction.split_whitespace().next().unwrap_or("").to_uppercase()
}

/// `EQ` draws characters over each other or fractions; Chinese documents use it for circled numbers: `eq \o\ac(○,1)`.
fn equation(instruction: &str) -> String {
    let Some((switches, rest)) = instruction.split_once('(') else { return String::new() };
    let arguments: Vec<&str> =
        rest.trim_end().trim_end_matches(')').split([',', ';', '，']).map(str::trim).collect();
    let switches = switches.to_lowercase();
    match arguments.as_slice() {
        [circle, number] if switches.contains("\\o") && matches!(*circle, "○" | "〇" | "O" | "◯") => {
            number.parse().map_or_else(|_| format!("({number})"), counting::circled)
        }
        [top, bottom] if switches.contains("\\f") => format!("{top}/{bottom}"),
        [degree, root] if switches.contains("\\r") => format!("{degree}√{root}"),
        arguments => arguments.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::equation;

    #[test]
    fn circled_numbers_and_fractions() {
        assert_eq!(equation(r"eq \o\ac(○,3)"), "③");
        assert_eq!(equation(r"EQ \f(1,2)"), "1/2");
    }
}
