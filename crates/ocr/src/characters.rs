//! The characters that a recognition model knows, by class number.

/// Class 0 says "nothing here", the last class is the space; those between are listed with the model.
pub struct Characters {
    list: Vec<String>,
}

impl Characters {
    /// The list from the model's metadata (one character per line), or from its configuration file.
    pub fn of(metadata: Option<&str>, configuration: Option<&str>) -> Option<Self> {
        let list: Vec<String> = match (metadata, configuration) {
            (Some(text), _) => text.split('\n').map(|line| line.trim_end_matches('\r').to_owned()).collect(),
            (None, Some(text)) => configured(text),
            (None, None) => Vec::new(),
        };
        (!list.is_empty()).then_some(Self { list })
    }

    /// How many classes a model with this list has.
    pub fn classes(&self) -> usize {
        self.list.len() + 2
    }

    /// What a class says; empty for class 0 and beyond the list.
    pub fn text(&self, class: usize) -> &str {
        if class == self.list.len() + 1 {
            return " ";
        }
        class.checked_sub(1).and_then(|index| self.list.get(index)).map_or("", String::as_str)
    }
}

/// The items of `character_dict`, the one list of that file that we need; each is a single character, bare or quoted.
fn configured(text: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| line.trim() != "character_dict:");
    let Some(head) = lines.next() else { return Vec::new() };
    let indent = head.len() - head.trim_start().len();
    let mut list = Vec::new();
    for line in lines {
        let bare = line.trim_start_matches(' ');
        let Some(item) = bare.strip_prefix("- ").filter(|_| line.len() - bare.len() >= indent) else { break };
        list.push(unquoted(item));
    }
    list
}

fn unquoted(item: &str) -> String {
    let within = |quote: char| item.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if let Some(inner) = within('\'').filter(|inner| !inner.is_empty()) {
        return inner.replace("''", "'");
    }
    if let Some(inner) = within('"').filter(|inner| !inner.is_empty()) {
        let code = inner.strip_prefix("\\u").or_else(|| inner.strip_prefix("\\x"));
        let named = code.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
        return named.map_or_else(|| inner.replace("\\\"", "\"").replace("\\\\", "\\"), String::from);
    }
    item.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_model_file_stands_between_nothing_and_space() {
        let characters = Characters::of(Some("!\n规\n\u{3000}"), None).unwrap();
        assert_eq!(characters.classes(), 5);
        let texts: Vec<&str> = (0..6).map(|class| characters.text(class)).collect();
        assert_eq!(texts, ["", "!", "规", "\u{3000}", " ", ""]);
    }

    #[test]
    fn a_configuration_file_quotes_what_yaml_would_misread() {
        let file = "Global:\n  name: x\nPostProcess:\n  name: CTC\n  character_dict:\n  - '!'\n  - ''''\n  - '\"'\n  \
                    - \"\\u3000\"\n  - 规\n  - \\\n  other: 1\n  - no\n";
        let characters = Characters::of(None, Some(file)).unwrap();
        let texts: Vec<&str> = (1..7).map(|class| characters.text(class)).collect();
        assert_eq!(texts, ["!", "'", "\"", "\u{3000}", "规", "\\"]);
        assert_eq!(characters.classes(), 8);
    }

    #[test]
    fn a_model_without_characters_is_refused() {
        assert!(Characters::of(None, None).is_none());
        assert!(Characters::of(None, Some("a: b\n")).is_none());
    }
}
