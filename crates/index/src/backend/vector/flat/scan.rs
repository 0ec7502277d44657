//! The inner loops: dot products of bytes and floats, differing signs. Plain loops that the compiler turns into vector
//! instructions, compiled once for each set of them that a processor may have and chosen when the program runs. They go by
//! index: zipped iterators are calls where nothing is optimised at link time.

use fearless_simd::{Level, Simd, SimdBase as _, dispatch, f32x16};

/// A query vector in the forms that the scans compare with.
pub(super) struct Query {
    /// Bytes, kept wide: that of a document is widened for each product anyway.
    codes: Vec<i16>,
    scale: f32,
    bits: Vec<u64>,
    /// Asking the processor costs more than comparing a few vectors, so it is asked once.
    level: Level,
}

impl Query {
    pub(super) fn new(vector: &[f32]) -> Self {
        let (mut codes, mut bits) = (Vec::with_capacity(vector.len()), Vec::new());
        let scale = quantise(vector, &mut codes);
        signs(vector, &mut bits);
        let codes = codes.into_iter().map(i16::from).collect();
        Self { codes, scale, bits, level: Level::new() }
    }

    pub(super) fn dimension(&self) -> usize {
        self.codes.len()
    }

    /// Which instructions the processor has.
    pub(super) fn level(&self) -> Level {
        self.level
    }
}

/// Words of signs for a vector of this dimension.
pub(super) fn words(dimension: usize) -> usize {
    dimension.div_ceil(64)
}

/// Appends the vector as bytes; gives the factor that leads back.
pub(super) fn quantise(vector: &[f32], codes: &mut Vec<i8>) -> f32 {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    codes.extend(vector.iter().map(|value| (value / scale).round().clamp(-127.0, 127.0) as i8));
    scale
}

/// Appends the signs of the vector, one bit each.
pub(super) fn signs(vector: &[f32], bits: &mut Vec<u64>) {
    bits.extend(vector.chunks(64).map(|chunk| {
        chunk.iter().enumerate().fold(0, |word, (bit, value)| word | (u64::from(*value > 0.0) << bit))
    }));
}

/// The dot product.
pub(super) fn dot(level: Level, a: &[f32], b: &[f32]) -> f32 {
    dispatch!(level, simd => dot_floats(simd, a, b))
}

/// Adds `weight` times a vector to a sum.
pub(super) fn add(level: Level, sum: &mut [f32], weight: f32, vector: &[f32]) {
    dispatch!(level, _ => add_floats(sum, weight, vector));
}

/// About the cosine with every document, in order.
pub(super) fn by_bytes(query: &Query, codes: &[i8], scales: &[f32], scores: &mut Vec<f32>) {
    scores.clear();
    scores.resize(scales.len(), 0.0);
    dispatch!(query.level, _ => fill_by_bytes(query, codes, scales, scores));
}

/// About the cosine with one document.
pub(super) fn by_bytes_one(query: &Query, codes: &[i8], scales: &[f32], ordinal: usize) -> f32 {
    let start = ordinal * query.dimension();
    let mine = codes.get(start..start + query.dimension()).unwrap_or_default();
    let scale = scales.get(ordinal).copied().unwrap_or(0.0);
    dispatch!(query.level, _ => dot_bytes(&query.codes, mine) as f32 * scale * query.scale)
}

/// Appends in how many dimensions the signs differ, for every document in order.
pub(super) fn by_bits(query: &Query, bits: &[u64], distances: &mut Vec<u16>) {
    let (words, start) = (query.bits.len().max(1), distances.len());
    distances.resize(start + bits.len() / words, 0);
    let new = distances.get_mut(start..).unwrap_or_default();
    dispatch!(query.level, _ => fill_by_bits(&query.bits, bits, new));
}

#[expect(clippy::inline_always, reason = "must become part of each variant that dispatch makes")]
#[inline(always)]
fn fill_by_bytes(query: &Query, codes: &[i8], scales: &[f32], scores: &mut [f32]) {
    let documents = codes.chunks_exact(query.codes.len().max(1));
    for ((score, scale), document) in scores.iter_mut().zip(scales).zip(documents) {
        *score = dot_bytes(&query.codes, document) as f32 * scale * query.scale;
    }
}

#[expect(clippy::inline_always, reason = "must become part of each variant that dispatch makes")]
#[inline(always)]
fn dot_bytes(a: &[i16], b: &[i8]) -> i32 {
    // Sums side by side, one for each lane of the widest registers: nothing is added across them before the end.
    let (a_chunks, b_chunks) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    let mut sums = [0_i32; 32];
    for at in 0..a_chunks.0.len().min(b_chunks.0.len()) {
        let (a, b) = (&a_chunks.0[at], &b_chunks.0[at]);
        for lane in 0..32 {
            sums[lane] += i32::from(a[lane]) * i32::from(b[lane]);
        }
    }
    let rest: i32 = a_chunks.1.iter().zip(b_chunks.1).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    sums.iter().sum::<i32>() + rest
}

#[expect(clippy::inline_always, reason = "must become part of each variant that dispatch makes")]
#[inline(always)]
fn fill_by_bits(query: &[u64], bits: &[u64], distances: &mut [u16]) {
    // The built-in model's 256 dimensions: a known length needs no inner loop.
    if let Ok(query) = <&[u64; 4]>::try_from(query) {
        let documents = bits.as_chunks::<4>().0;
        for at in 0..distances.len().min(documents.len()) {
            let document = &documents[at];
            let mut differing = 0;
            for word in 0..4 {
                differing += (query[word] ^ document[word]).count_ones();
            }
            distances[at] = differing as u16;
        }
        return;
    }
    let documents = bits.chunks_exact(query.len().max(1));
    for (distance, document) in distances.iter_mut().zip(documents) {
        let mut differing = 0;
        for (a, b) in query.iter().zip(document) {
            differing += (a ^ b).count_ones();
        }
        *distance = differing as u16;
    }
}

#[expect(clippy::inline_always, reason = "must become part of each variant that dispatch makes")]
#[inline(always)]
fn dot_floats<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    // Sixteen sums side by side: floats must not be added in another order than written, so the order that suits
    // vector instructions has to be written. The compiler leaves so few lanes as single numbers unless it is told.
    let (a_chunks, b_chunks) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut sums = f32x16::splat(simd, 0.0);
    for at in 0..a_chunks.0.len().min(b_chunks.0.len()) {
        sums += f32x16::from_slice(simd, &a_chunks.0[at]) * f32x16::from_slice(simd, &b_chunks.0[at]);
    }
    let mut lanes = [0.0; 16];
    sums.store_slice(&mut lanes);
    let rest: f32 = a_chunks.1.iter().zip(b_chunks.1).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}

#[expect(clippy::inline_always, reason = "must become part of each variant that dispatch makes")]
#[inline(always)]
fn add_floats(sum: &mut [f32], weight: f32, vector: &[f32]) {
    for at in 0..sum.len().min(vector.len()) {
        sum[at] += weight * vector[at];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(seed: u32, dimension: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761).max(1);
        let mut raw: Vec<f32> = (0..dimension)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                state as f32 / u32::MAX as f32 - 0.5
            })
            .collect();
        let norm = raw.iter().map(|value| value * value).sum::<f32>().sqrt();
        for value in &mut raw {
            *value /= norm;
        }
        raw
    }

    #[test]
    fn bytes_come_close_to_the_cosine_whatever_the_dimension() {
        for dimension in [1, 7, 31, 64, 100, 512] {
            let query = vector(1, dimension);
            let (mut codes, mut scales, mut exact) = (Vec::new(), Vec::new(), Vec::new());
            for seed in 2..40 {
                let document = vector(seed, dimension);
                scales.push(quantise(&document, &mut codes));
                exact.push(dot(Level::new(), &query, &document));
            }
            let mut scores = Vec::new();
            by_bytes(&Query::new(&query), &codes, &scales, &mut scores);
            for (ordinal, exact) in exact.iter().enumerate() {
                assert!((scores[ordinal] - exact).abs() < 0.02, "{dimension}: {} {exact}", scores[ordinal]);
                let one = by_bytes_one(&Query::new(&query), &codes, &scales, ordinal);
                assert_eq!(one.to_bits(), scores[ordinal].to_bits());
            }
        }
    }

    #[test]
    fn bits_count_differing_signs() {
        for dimension in [100, 256, 512] {
            let (a, b) = (vector(3, dimension), vector(4, dimension));
            let mut bits = Vec::new();
            signs(&b, &mut bits);
            signs(&a, &mut bits);
            let mut distances = vec![7];
            by_bits(&Query::new(&a), &bits, &mut distances);
            let differing = a.iter().zip(&b).filter(|(a, b)| (**a > 0.0) != (**b > 0.0)).count();
            assert_eq!(distances, [7, differing as u16, 0], "behind what was there");
        }
    }

    #[test]
    fn weighted_vectors_are_added_whatever_the_dimension() {
        for dimension in [1, 16, 100, 256] {
            let (a, b) = (vector(5, dimension), vector(6, dimension));
            let mut sum = a.clone();
            add(Level::new(), &mut sum, 0.5, &b);
            assert!(sum.iter().zip(a.iter().zip(&b)).all(|(sum, (a, b))| (sum - (a + 0.5 * b)).abs() < 1e-6));
        }
    }

    #[test]
    fn a_vector_of_zeros_scores_nothing() {
        let mut codes = Vec::new();
        let scale = quantise(&[0.0; 8], &mut codes);
        let query = Query::new(&vector(1, 8));
        assert!(by_bytes_one(&query, &codes, &[scale], 0).abs() < f32::EPSILON);
    }
}
