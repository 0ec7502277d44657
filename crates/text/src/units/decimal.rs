//! Exact decimal numbers: 0.1 万千瓦 must be 1 MW, not 1.0000000000000002.

use std::fmt;

/// A decimal number of at most 18 digits, in lowest terms: equal numbers are equal values (1.50 is 1.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: i64,
    /// The value is `mantissa × 10^exponent`.
    exponent: i16,
}

impl Decimal {
    /// Reads ASCII digits with at most one point; none for anything else or for more than 18 digits that count.
    ///
    /// ```
    /// use regreader_text::units::Decimal;
    /// assert_eq!(Decimal::parse("1.50"), Decimal::parse("1.5"));
    /// assert_eq!(Decimal::parse("2.1.4"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = || whole.bytes().chain(fraction.bytes());
        if whole.is_empty() || !digits().all(|b| b.is_ascii_digit()) || fraction.len() > 18 {
            return None;
        }
        let mantissa = digits().try_fold(0_i64, |value, b| {
            value.checked_mul(10)?.checked_add(i64::from(b - b'0')).filter(|v| *v < 10_i64.pow(18))
        })?;
        Some(Self::lowest(mantissa, -i16::try_from(fraction.len()).ok()?))
    }

    /// The number times `multiplier × 10^exponent`; none when it grows beyond what can be held.
    #[must_use]
    pub fn scaled(self, multiplier: u32, exponent: i8) -> Option<Self> {
        let mantissa = self.mantissa.checked_mul(i64::from(multiplier))?;
        Some(Self::lowest(mantissa, self.exponent.checked_add(i16::from(exponent))?))
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { mantissa: self.mantissa.saturating_neg(), ..self }
    }

    /// The nearest float.
    pub fn to_f64(self) -> f64 {
        self.mantissa as f64 * 10_f64.powi(i32::from(self.exponent))
    }

    fn lowest(mut mantissa: i64, mut exponent: i16) -> Self {
        if mantissa == 0 {
            return Self { mantissa: 0, exponent: 0 };
        }
        while mantissa % 10 == 0 && exponent < i16::MAX {
            mantissa /= 10;
            exponent += 1;
        }
        Self { mantissa, exponent }
    }
}

impl fmt::Display for Decimal {
    /// Plain digits, never an exponent: `2000`, `0.5`, `-40`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.mantissa.unsigned_abs().to_string();
        if self.mantissa < 0 {
            f.write_str("-")?;
        }
        if self.exponent >= 0 {
            return write!(f, "{digits}{}", "0".repeat(self.exponent as usize));
        }
        let places = usize::from(self.exponent.unsigned_abs());
        if digits.len() > places {
            let (whole, fraction) = digits.split_at(digits.len() - places);
            write!(f, "{whole}.{fraction}")
        } else {
            write!(f, "0.{digits:0>places$}")
        }
    }
}
