//! Local models that think aloud: `<think>…</think>` before the answer, in the text itself.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Tells thought from text while both arrive in pieces.
#[derive(Debug, Default)]
pub struct ThinkFilter {
    held: String,
    state: State,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    #[default]
    Start,
    Thinking,
    /// Behind a thought: blank until the text begins.
    Gap,
    Text,
}

/// A piece, told apart.
#[derive(Debug, PartialEq, Eq)]
pub enum Told {
    /// A thought.
    Thought(String),
    /// Text of the answer itself, outside `<think>…</think>`.
    Text(String),
}

impl ThinkFilter {
    /// Takes a piece; gives what can be told so far.
    pub fn feed(&mut self, piece: &str) -> Vec<Told> {
        if self.state == State::Text {
            return vec![Told::Text(piece.to_owned())];
        }
        if self.state == State::Gap {
            let text = piece.trim_start();
            if text.is_empty() {
                return Vec::new();
            }
            self.state = State::Text;
            return vec![Told::Text(text.to_owned())];
        }
        self.held.push_str(piece);
        let mut told = Vec::new();
        if self.state == State::Start {
            let begin = self.held.trim_start();
            if let Some(thought) = begin.strip_prefix(OPEN) {
                self.held = thought.to_owned();
                self.state = State::Thinking;
            } else if OPEN.starts_with(begin) {
                return told;
            } else {
                self.state = State::Text;
                told.push(Told::Text(std::mem::take(&mut self.held)));
                return told;
            }
        }
        if let Some(end) = self.held.find(CLOSE) {
            let after = self.held[end + CLOSE.len()..].trim_start().to_owned();
            told.push(Told::Thought(self.held[..end].to_owned()));
            self.held.clear();
            self.state = State::Gap;
            if !after.is_empty() {
                self.state = State::Text;
                told.push(Told::Text(after));
            }
        } else {
            // The mark may be half here.
            let keep = (0..CLOSE.len()).rev().find(|&n| self.held.ends_with(&CLOSE[..n])).unwrap_or(0);
            let ready = self.held.len() - keep;
            if ready > 0 {
                told.push(Told::Thought(self.held[..ready].to_owned()));
                self.held.drain(..ready);
            }
        }
        told
    }

    /// What is left when the text has ended.
    pub fn finish(&mut self) -> Option<Told> {
        let left = std::mem::take(&mut self.held);
        if left.is_empty() {
            return None;
        }
        Some(if self.state == State::Thinking { Told::Thought(left) } else { Told::Text(left) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> (String, String) {
        let mut filter = ThinkFilter::default();
        let (mut thought, mut text) = (String::new(), String::new());
        let mut take = |told: Told| match told {
            Told::Thought(piece) => thought.push_str(&piece),
            Told::Text(piece) => text.push_str(&piece),
        };
        for piece in pieces {
            filter.feed(piece).into_iter().for_each(&mut take);
        }
        filter.finish().into_iter().for_each(take);
        (thought, text)
    }

    #[test]
    fn thought_and_text_are_told_apart_however_they_are_cut() {
        let whole = "<think>先查目录</think>\n\n母线失压 a < b";
        let pieces: Vec<String> = whole.chars().map(String::from).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(split(&pieces), ("先查目录".to_owned(), "母线失压 a < b".to_owned()));
        assert_eq!(split(&[whole]).0, "先查目录");
        assert_eq!(split(&["没有<think>想法"]), (String::new(), "没有<think>想法".to_owned()));
        assert_eq!(split(&["<think>没有结束"]), ("没有结束".to_owned(), String::new()));
    }
}
