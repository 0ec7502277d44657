//! Server-sent events: bytes in, data out. Bounded; a line or an event that grows without end is an error.

/// Longest line that is kept.
const MAX_LINE: usize = 4 << 20;

/// Puts events together from pieces of any size.
#[derive(Debug, Default)]
pub struct SseReader {
    line: Vec<u8>,
    data: String,
    has_data: bool,
    skip_newline: bool,
}

impl SseReader {
    /// Takes more bytes; each complete event's data is given to `event`. False when a line is too long.
    pub fn feed(&mut self, bytes: &[u8], mut event: impl FnMut(&str)) -> bool {
        for &byte in bytes {
            // A line ends with CR, LF or both.
            let newline_of_pair = std::mem::take(&mut self.skip_newline) && byte == b'\n';
            if newline_of_pair {
                continue;
            }
            match byte {
                b'\n' | b'\r' => {
                    self.skip_newline = byte == b'\r';
                    self.end_line(&mut event);
                }
                _ if self.line.len() + self.data.len() >= MAX_LINE => return false,
                _ => self.line.push(byte),
            }
        }
        true
    }

    fn end_line(&mut self, event: &mut impl FnMut(&str)) {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        if line.is_empty() {
            if self.has_data {
                event(&self.data);
            }
            self.data.clear();
            self.has_data = false;
        } else if let Some(data) = line.strip_prefix("data:") {
            if self.has_data {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            self.has_data = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let mut reader = SseReader::default();
        let mut found = Vec::new();
        for piece in pieces {
            assert!(reader.feed(piece, |data| found.push(data.to_owned())));
        }
        found
    }

    #[test]
    fn events_come_out_whole_however_the_bytes_are_cut() {
        let text = "event: x\r\ndata: {\"a\":\r\ndata: \"母线\"}\r\n\r\n: comment\n\ndata: [DONE]\n\ndata: never ended";
        let whole = events(&[text.as_bytes()]);
        assert_eq!(whole, ["{\"a\":\n\"母线\"}", "[DONE]"]);
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(events(&bytes), whole);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut reader = SseReader::default();
        assert!(!reader.feed(&vec![b'a'; MAX_LINE + 1], |_| {}));
    }
}
