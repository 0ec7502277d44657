//! Front matter in all of YAML, read as events and never built into a tree: aliases are looked up, not expanded, so
//! that an alias bomb costs what it is long. Broken YAML gives no fields at all: half of a broken block may be the
//! wrong half.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::{FrontMatter, FrontMatterProblem, MAX_TAGS, Value, field, is_field, is_null, push_item};

pub(super) fn parse(yaml: &str) -> Result<FrontMatter, FrontMatterProblem> {
    let mut reader = Reader { parser: Parser::new_from_str(yaml), anchors: BTreeMap::new(), line: 1 };
    let mut front = FrontMatter::default();
    loop {
        match reader.next()? {
            Event::MappingStart(..) => break,
            Event::StreamEnd | Event::DocumentEnd => return Ok(front),
            // A block with comments only is an empty document: a null.
            Event::Scalar(text, ScalarStyle::Plain, ..) if is_null(&text) => return Ok(front),
            Event::Scalar(..) | Event::SequenceStart(..) | Event::Alias(..) => {
                return Err(reader.problem("the front matter is not a mapping of fields"));
            }
            _ => {}
        }
    }
    let mut seen: Vec<String> = Vec::new();
    loop {
        let event = reader.next()?;
        if matches!(event, Event::MappingEnd) {
            // The rest of the block must be sound too, or the fields may not mean what they seem to.
            while !matches!(reader.next()?, Event::StreamEnd) {}
            return Ok(front);
        }
        let key = match reader.value(event)? {
            Value::Text(key) => key.trim().to_lowercase(),
            Value::Null | Value::List(_) | Value::Other => String::new(),
        };
        let event = reader.next()?;
        let value = reader.value(event)?;
        if !is_field(&key) {
            continue;
        }
        if seen.contains(&key) {
            return Err(reader.problem(&format!("the field {key:?} is there twice")));
        }
        field(&mut front, &key, value);
        seen.push(key);
    }
}

struct Reader<'y> {
    parser: Parser<'y, saphyr_parser::StrInput<'y>>,
    /// Anchored texts and flat lists. What they hold is cut to size, so an alias copies little.
    anchors: BTreeMap<usize, Value>,
    line: usize,
}

impl<'y> Reader<'y> {
    fn next(&mut self) -> Result<Event<'y>, FrontMatterProblem> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                self.line = span.start.line();
                Ok(event)
            }
            Some(Err(error)) => {
                Err(FrontMatterProblem { line: error.marker().line() + 1, message: error.info().to_owned() })
            }
            None => Ok(Event::StreamEnd),
        }
    }

    /// The node that begins with `event`, read to its end.
    fn value(&mut self, event: Event<'y>) -> Result<Value, FrontMatterProblem> {
        let (anchor, value) = match event {
            Event::Scalar(text, style, anchor, _) => (anchor, scalar(&text, style)),
            Event::SequenceStart(anchor, _) => (anchor, Value::List(self.flat_list()?)),
            Event::MappingStart(anchor, _) => {
                self.skip_to_end()?;
                (anchor, Value::Other)
            }
            Event::Alias(anchor) => (0, self.anchors.get(&anchor).cloned().unwrap_or(Value::Other)),
            Event::StreamEnd => return Err(self.problem("the front matter ends too early")),
            _ => (0, Value::Other),
        };
        if anchor != 0 && self.anchors.len() < MAX_TAGS {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    /// The texts of a list; nested lists and mappings in it are passed over.
    fn flat_list(&mut self) -> Result<Vec<String>, FrontMatterProblem> {
        let mut list = Vec::new();
        loop {
            match self.next()? {
                Event::SequenceEnd => return Ok(list),
                Event::SequenceStart(..) | Event::MappingStart(..) => self.skip_to_end()?,
                event => push_item(&mut list, self.value(event)?),
            }
        }
    }

    /// Passes over a node whose start was just read. Counts instead of recursing: depth is the writer's choice.
    fn skip_to_end(&mut self) -> Result<(), FrontMatterProblem> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next()? {
                Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
                Event::SequenceEnd | Event::MappingEnd => depth -= 1,
                Event::StreamEnd => return Err(self.problem("the front matter ends too early")),
                Event::Scalar(text, style, anchor, _) if anchor != 0 && self.anchors.len() < MAX_TAGS => {
                    self.anchors.insert(anchor, scalar(&text, style));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn problem(&self, message: &str) -> FrontMatterProblem {
        FrontMatterProblem { line: self.line + 1, message: message.to_owned() }
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style == ScalarStyle::Plain { Value::plain(text) } else { Value::quoted(text) }
}
