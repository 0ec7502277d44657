//! Joining the two legs of a search into one ranking. Pure functions over scored keys: no index, no text.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use regreader_model::SearchSource;

use crate::IndexError;

/// How the legs are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// Scores of both legs, weighed by what the query is like. The default: it measures best.
    #[default]
    Adaptive,
    /// Reciprocal ranks: weight / (k + rank + 1).
    Rrf,
    /// Words alone.
    Keyword,
    /// Meaning alone.
    Vector,
}

impl Fusion {
    /// All of them, for help texts.
    pub const ALL: [Self; 4] = [Self::Adaptive, Self::Rrf, Self::Keyword, Self::Vector];

    /// The name used in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adaptive => "adaptive",
            Self::Rrf => "rrf",
            Self::Keyword => "keyword",
            Self::Vector => "vector",
        }
    }
}

impl fmt::Display for Fusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Fusion {
    type Err = IndexError;

    fn from_str(name: &str) -> Result<Self, IndexError> {
        Self::ALL.into_iter().find(|fusion| fusion.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|fusion| fusion.name()).collect();
            IndexError::unknown_choice("fusion", name, &known)
        })
    }
}

/// Settings of the fusion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FusionOptions {
    /// How the legs are joined.
    pub fusion: Fusion,
    /// `k` of the reciprocal ranks.
    pub rrf_k: f64,
    /// Weight of the keyword leg in `rrf`.
    pub keyword_weight: f64,
    /// Weight of the vector leg in `rrf`.
    pub vector_weight: f64,
    /// How many hits of each leg are joined, at least.
    pub depth: usize,
}

impl Default for FusionOptions {
    fn default() -> Self {
        Self { fusion: Fusion::Adaptive, rrf_k: 60.0, keyword_weight: 0.4, vector_weight: 0.6, depth: 200 }
    }
}

/// What both legs found for a query. Each list is best first and names no key twice.
#[derive(Debug, Clone)]
pub(crate) struct Legs<K> {
    /// Found by words, with their scores.
    pub(crate) keyword: Vec<(K, f32)>,
    /// Found by meaning, with their cosines.
    pub(crate) vector: Vec<(K, f32)>,
    /// Cosines of what was found by words only.
    pub(crate) cosines: Vec<(K, f32)>,
    /// Found by what documents print for its everyday words.
    pub(crate) formal: Vec<(K, f32)>,
    /// How wide the model's cosines lie, against the built-in model's 1.
    pub(crate) spread: f32,
    /// Vector of the query, when there is a vector leg.
    pub(crate) embedded: Option<Vec<f32>>,
    /// Whether there is a vector leg at all.
    pub(crate) has_vectors: bool,
    /// What the query is like.
    pub(crate) query: QueryTraits,
    /// Share of each word of the query in its weight.
    pub(crate) weights: Vec<(String, f32)>,
}

impl<K> Default for Legs<K> {
    fn default() -> Self {
        Self {
            keyword: Vec::new(),
            vector: Vec::new(),
            cosines: Vec::new(),
            formal: Vec::new(),
            spread: 1.0,
            embedded: None,
            has_vectors: false,
            query: QueryTraits::default(),
            weights: Vec::new(),
        }
    }
}

/// What a query is like, as far as it decides between words and meaning.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct QueryTraits {
    /// Share of the query's weight that the best hits by words cover, 0 to 1.
    pub(crate) coverage: f32,
}

/// One joined hit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fused<K> {
    pub(crate) key: K,
    pub(crate) score: f64,
    pub(crate) source: SearchSource,
}

/// Joins the legs: best first, equal scores by key.
pub(crate) fn fuse<K: Ord + Hash + Clone>(options: &FusionOptions, legs: &Legs<K>) -> Vec<Fused<K>> {
    let scores = match options.fusion {
        Fusion::Rrf => reciprocal_ranks(options, legs),
        Fusion::Vector if legs.has_vectors => alone(&legs.vector),
        Fusion::Adaptive if legs.has_vectors => weighed(legs),
        Fusion::Keyword | Fusion::Vector | Fusion::Adaptive => alone(&legs.keyword),
    };
    let by_words: HashSet<&K> = legs.keyword.iter().map(|(key, _)| key).collect();
    let by_meaning: HashSet<&K> = legs.vector.iter().map(|(key, _)| key).collect();
    let mut fused: Vec<Fused<K>> = scores
        .into_iter()
        .map(|(key, score)| {
            let source = match (by_words.contains(key), by_meaning.contains(key)) {
                (true, true) => SearchSource::Hybrid,
                (false, true) => SearchSource::Vector,
                _ => SearchSource::Keyword,
            };
            Fused { key: key.clone(), score, source }
        })
        .collect();
    fused.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
    fused
}

fn alone<K: Eq + Hash>(leg: &[(K, f32)]) -> HashMap<&K, f64> {
    leg.iter().map(|(key, score)| (key, f64::from(*score))).collect()
}

fn reciprocal_ranks<'a, K: Eq + Hash>(options: &FusionOptions, legs: &'a Legs<K>) -> HashMap<&'a K, f64> {
    let mut scores: HashMap<&K, f64> = HashMap::new();
    for (leg, weight) in [(&legs.keyword, options.keyword_weight), (&legs.vector, options.vector_weight)] {
        for (rank, (key, _)) in leg.iter().enumerate() {
            *scores.entry(key).or_default() += weight / (options.rrf_k + rank as f64 + 1.0);
        }
    }
    scores
}

/// cos / spread + (0.1 + coverage²) · BM25/max: the formula of `training/FUSION.md`, chosen by measurement on every set.
///
/// The cosine is not stretched by what else was found, so that it carries its own confidence; the spread makes those of
/// different models alike. Words count by how much of the query their best hits really hold.
fn weighed<K: Eq + Hash>(legs: &Legs<K>) -> HashMap<&K, f64> {
    let coverage = f64::from(legs.query.coverage.clamp(0.0, 1.0));
    let trust = 0.1 + coverage * coverage;
    // A model that says nonsense about itself is taken as it is.
    let spread = if legs.spread.is_finite() && legs.spread > 0.0 { f64::from(legs.spread) } else { 1.0 };
    let best_word = legs.keyword.first().map_or(0.0, |(_, score)| f64::from(*score));
    let cosines: HashMap<&K, f64> = legs
        .cosines
        .iter()
        .chain(&legs.vector)
        .map(|(key, cosine)| (key, f64::from(*cosine) / spread))
        .collect();
    let words: HashMap<&K, f64> = alone(&legs.keyword);
    let keys = words.keys().chain(cosines.keys());
    keys.map(|key| {
        let word = words.get(key).filter(|_| best_word > 0.0).map_or(0.0, |score| score / best_word);
        let near = cosines.get(key).copied().unwrap_or(0.0);
        (*key, near + trust * word)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn legs(keyword: &[(u32, f32)], vector: &[(u32, f32)]) -> Legs<u32> {
        let mut keyword = keyword.to_vec();
        let mut vector = vector.to_vec();
        for leg in [&mut keyword, &mut vector] {
            leg.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
        Legs { keyword, vector, has_vectors: true, ..Legs::default() }
    }

    fn rrf() -> FusionOptions {
        FusionOptions { fusion: Fusion::Rrf, ..FusionOptions::default() }
    }

    /// The formula of the earlier system, term by term.
    #[test]
    fn rrf_is_weight_over_k_plus_rank_plus_one() {
        let fused = fuse(&rrf(), &legs(&[(1, 9.0), (2, 5.0)], &[(2, 0.9), (3, 0.8)]));
        let score = |key| fused.iter().find(|hit| hit.key == key).unwrap().score;
        assert!((score(1) - 0.4 / 61.0).abs() < 1e-12);
        assert!((score(2) - (0.4 / 62.0 + 0.6 / 61.0)).abs() < 1e-12);
        assert!((score(3) - 0.6 / 62.0).abs() < 1e-12);
        assert_eq!(fused.iter().map(|hit| hit.key).collect::<Vec<_>>(), [2, 3, 1]);
        let sources: Vec<_> = fused.iter().map(|hit| hit.source).collect();
        assert_eq!(sources, [SearchSource::Hybrid, SearchSource::Vector, SearchSource::Keyword]);
    }

    #[test]
    fn without_vectors_every_fusion_ranks_by_words() {
        for fusion in Fusion::ALL {
            let legs = Legs { has_vectors: false, ..legs(&[(7, 2.0), (8, 3.0)], &[]) };
            let fused = fuse(&FusionOptions { fusion, ..FusionOptions::default() }, &legs);
            assert_eq!(fused.iter().map(|hit| hit.key).collect::<Vec<_>>(), [8, 7], "{fusion}");
        }
    }

    #[test]
    fn words_count_by_how_much_of_the_query_they_hold() {
        let mut legs = legs(&[(1, 9.0), (2, 8.0)], &[(2, 0.8), (1, 0.4)]);
        legs.query.coverage = 0.3;
        assert_eq!(fuse(&FusionOptions::default(), &legs)[0].key, 2, "a vague question: meaning decides");
        legs.vector = vec![(2, 0.5), (1, 0.4)];
        legs.query.coverage = 1.0;
        assert_eq!(fuse(&FusionOptions::default(), &legs)[0].key, 1, "a verbatim one: words decide");
    }

    /// Two models that order and separate alike, one of them in a narrow cone: the same ranking.
    #[test]
    fn a_narrow_model_weighs_as_much_as_a_wide_one() {
        let mut wide = legs(&[(1, 9.0), (2, 7.0)], &[(2, 0.9), (1, 0.3)]);
        wide.query.coverage = 0.9;
        let mut narrow = legs(&[(1, 9.0), (2, 7.0)], &[(2, 0.85), (1, 0.55)]);
        narrow.query.coverage = 0.9;
        let keys = |legs: &Legs<u32>| -> Vec<u32> {
            fuse(&FusionOptions::default(), legs).iter().map(|hit| hit.key).collect()
        };
        assert_eq!(keys(&wide), [2, 1]);
        narrow.spread = 0.5;
        assert_eq!(keys(&narrow), keys(&wide));
        let gap = |legs: &Legs<u32>| {
            let fused = fuse(&FusionOptions::default(), legs);
            fused[0].score - fused[1].score
        };
        assert!((gap(&narrow) - gap(&wide)).abs() < 1e-6);
    }

    fn leg() -> impl Strategy<Value = Vec<(u32, f32)>> {
        proptest::collection::btree_map(0_u32..60, 0.01_f32..1.0, 0..40)
            .prop_map(|map| map.into_iter().collect())
    }

    fn any_options() -> impl Strategy<Value = FusionOptions> {
        (0..Fusion::ALL.len())
            .prop_map(|at| FusionOptions { fusion: Fusion::ALL[at], ..FusionOptions::default() })
    }

    proptest! {
        #[test]
        fn the_result_is_a_part_of_what_was_found(a in leg(), b in leg(), options in any_options()) {
            let fused = fuse(&options, &legs(&a, &b));
            let mut seen = std::collections::BTreeSet::new();
            for hit in &fused {
                prop_assert!(seen.insert(hit.key), "no key twice");
                prop_assert!(a.iter().chain(&b).any(|(key, _)| *key == hit.key));
                prop_assert!(hit.score.is_finite());
            }
            prop_assert!(fused.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }

        #[test]
        fn the_order_in_which_a_leg_was_filled_is_of_no_account(a in leg(), b in leg(), options in any_options()) {
            let reversed: Vec<_> = a.iter().rev().copied().collect();
            prop_assert_eq!(fuse(&options, &legs(&a, &b)), fuse(&options, &legs(&reversed, &b)));
        }

        #[test]
        fn a_hit_that_is_better_in_both_legs_is_better(a in leg(), b in leg(), options in any_options()) {
            let legs = legs(&a, &b);
            let fused = fuse(&options, &legs);
            let place = |key: u32| fused.iter().position(|hit| hit.key == key);
            let of = |leg: &[(u32, f32)], key: u32| leg.iter().find(|(k, _)| *k == key).map(|(_, s)| *s);
            for (x, _) in &a {
                for (y, _) in &a {
                    if let (Some(kx), Some(ky), Some(vx), Some(vy)) =
                        (of(&a, *x), of(&a, *y), of(&b, *x), of(&b, *y))
                        && kx > ky && vx > vy
                    {
                        prop_assert!(place(*x) < place(*y), "{} {}", x, y);
                    }
                }
            }
        }
    }
}
