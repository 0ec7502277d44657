//! The best few of very many.

/// Keeps the items of the greatest scores. Of equal ones the first stay.
pub(super) struct Top<T> {
    keep: usize,
    floor: f32,
    items: Vec<(f32, u32, T)>,
    pushed: u32,
}

impl<T: Copy> Top<T> {
    pub(super) fn new(keep: usize) -> Self {
        Self {
            keep,
            floor: f32::NEG_INFINITY,
            items: Vec::with_capacity(keep.min(1 << 16).saturating_mul(2)),
            pushed: 0,
        }
    }

    /// Whether an item of this score has a chance.
    pub(super) fn wants(&self, score: f32) -> bool {
        score > self.floor
    }

    pub(super) fn push(&mut self, score: f32, item: T) {
        if !self.wants(score) || self.keep == 0 {
            return;
        }
        self.items.push((score, self.pushed, item));
        self.pushed = self.pushed.wrapping_add(1);
        // Cutting back every `keep` pushes costs a constant for each push.
        if self.items.len() >= self.keep.saturating_mul(2) {
            self.cut();
        }
    }

    pub(super) fn into_items(mut self) -> Vec<T> {
        self.cut();
        self.items.into_iter().map(|(_, _, item)| item).collect()
    }

    fn cut(&mut self) {
        if self.items.len() <= self.keep || self.keep == 0 {
            return;
        }
        self.items.select_nth_unstable_by(self.keep - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.items.truncate(self.keep);
        self.floor = self.items.last().map_or(f32::NEG_INFINITY, |(score, _, _)| *score);
    }
}
