//! How a page is shown: size, turn, one page or two. Part of the address, so that it works without scripts and survives
//! the back button.

use serde::Deserialize;

use crate::address::Address;

/// How a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewOptions {
    /// Percent of the column's width; 100 fits.
    pub zoom: u32,
    /// Quarter turns clockwise.
    pub turns: u32,
    /// Two pages side by side.
    pub two: bool,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self { zoom: 100, turns: 0, two: false }
    }
}

/// The same as it stands in an address, unchecked.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ViewQuery {
    zoom: Option<String>,
    turn: Option<String>,
    two: Option<String>,
}

/// The sizes on offer.
const ZOOMS: [u32; 5] = [100, 125, 150, 200, 300];

impl ViewOptions {
    /// What an address asks for; what makes no sense is left out.
    pub fn of(query: &ViewQuery) -> Self {
        let number = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<u32>().ok());
        let zoom = number(&query.zoom).filter(|zoom| ZOOMS.contains(zoom)).unwrap_or(100);
        Self { zoom, turns: number(&query.turn).unwrap_or(0) % 4, two: query.two.as_deref() == Some("1") }
    }

    /// An address that keeps these options.
    pub fn keep(self, address: Address) -> Address {
        let address = if self.zoom == 100 { address } else { address.with("zoom", self.zoom.to_string()) };
        let address = if self.turns == 0 { address } else { address.with("turn", self.turns.to_string()) };
        if self.two { address.with("two", "1") } else { address }
    }

    /// The next size, larger or smaller.
    #[must_use]
    pub fn zoomed(self, larger: bool) -> Self {
        let at = ZOOMS.iter().position(|zoom| *zoom == self.zoom).unwrap_or(0);
        let next = if larger { at + 1 } else { at.saturating_sub(1) };
        Self { zoom: ZOOMS.get(next).copied().unwrap_or(self.zoom), ..self }
    }

    /// A quarter turn on.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { turns: (self.turns + 1) % 4, ..self }
    }

    /// One page or two, the other way round.
    #[must_use]
    pub fn paired(self) -> Self {
        Self { two: !self.two, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_go_round_through_the_address_and_nonsense_is_left_out() {
        let some = |text: &str| Some(text.to_owned());
        let query = ViewQuery { zoom: some("150"), turn: some("5"), two: some("1") };
        let options = ViewOptions::of(&query);
        assert_eq!(options, ViewOptions { zoom: 150, turns: 1, two: true });
        assert_eq!(options.keep(Address::new("/r/a/p/1")).to_string(), "/r/a/p/1?zoom=150&turn=1&two=1");
        let hostile = ViewQuery { zoom: some("1e9"), turn: some("-1"), two: some("x") };
        assert_eq!(ViewOptions::of(&hostile), ViewOptions { zoom: 100, turns: 0, two: false });
        assert_eq!(options.zoomed(true).zoom, 200);
        assert_eq!(ViewOptions::of(&hostile).zoomed(false).zoom, 100);
    }
}
