//! What a call used, and what that costs.

use std::ops::AddAssign;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Tokens of one call, or of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Read, without what came from or went into the cache.
    pub input_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
    /// Read from the provider's prompt cache.
    #[serde(default)]
    pub cache_read_tokens: u64,
    /// Written into the provider's prompt cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
}

impl Usage {
    /// Everything that was read, wherever it came from: the size of the context.
    pub fn context_tokens(&self) -> u64 {
        self.input_tokens + self.cache_read_tokens + self.cache_write_tokens
    }

    /// All tokens, read and written.
    pub fn total(&self) -> u64 {
        self.context_tokens() + self.output_tokens
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
    }
}

/// Prices per million tokens, in whatever currency the reader thinks. They change too often to be built in.
///
/// ```
/// use regreader_llm::{Price, Usage};
/// let price: Price = "3, 15, 0.3, 3.75".parse().unwrap();
/// let used = Usage { input_tokens: 1_000_000, output_tokens: 100_000, ..Usage::default() };
/// assert!((price.of(&used) - 4.5).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
}

impl Price {
    /// What these tokens cost.
    pub fn of(&self, usage: &Usage) -> f64 {
        let million = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        million(usage.input_tokens, self.input)
            + million(usage.output_tokens, self.output)
            + million(usage.cache_read_tokens, self.cache_read)
            + million(usage.cache_write_tokens, self.cache_write)
    }
}

impl FromStr for Price {
    type Err = String;

    /// `input, output[, cache read[, cache write]]`; what is not given costs as much as input.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
        let numbers = numbers.map_err(|error| format!("`{text}`: {error}"))?;
        let (&input, &output) = match numbers.as_slice() {
            [input, output, ..]
                if numbers.len() <= 4 && numbers.iter().all(|n| n.is_finite() && *n >= 0.0) =>
            {
                (input, output)
            }
            _ => return Err("write two to four prices: input, output, cache read, cache write".to_owned()),
        };
        let at = |index: usize| numbers.get(index).copied().unwrap_or(input);
        Ok(Self { input, output, cache_read: at(2), cache_write: at(3) })
    }
}
