"""Joining the keyword leg and the vector leg: the default that FUSION.md describes, and the alternatives it is measured against.

The two legs are lists of (document, score). Nothing here reads text except `coverage`.
"""

import dataclasses

import numpy as np

from . import bm25
from .tokens import fold

LOOKED_AT = 3


@dataclasses.dataclass
class Legs:
    """What both legs found for one question."""

    keyword: np.ndarray  # documents, best first
    bm25: np.ndarray  # their scores
    vector: np.ndarray  # documents, best first
    cosine: np.ndarray  # their cosines
    keyword_cosine: np.ndarray  # cosines of the keyword leg's documents
    mean: float  # mean cosine over the whole library
    coverage: float = 0.0
    latin: float = 0.0


def keyword_share(coverage: float, latin: float) -> float:
    """How much words count against meaning. See FUSION.md."""
    low, high, start, end = (0.15, 0.70, 0.35, 0.85) if latin <= 0.5 else (0.15, 0.90, 0.10, 0.40)
    t = min(1.0, max(0.0, (coverage - start) / (end - start)))
    return low + (high - low) * t


def weighed(legs: Legs, share: float) -> list[int]:
    """share · BM25/max + (1 − share) · (cos − mean)/(max − mean), best first, ties by document."""
    best_word = float(legs.bm25[0]) if len(legs.bm25) else 0.0
    best_cosine = max([legs.mean, *legs.cosine[:1], *legs.keyword_cosine.tolist()])
    words = dict(zip(legs.keyword.tolist(), legs.bm25.tolist()))
    near = dict(zip(legs.keyword.tolist(), legs.keyword_cosine.tolist())) | dict(zip(legs.vector.tolist(), legs.cosine.tolist()))
    spread = best_cosine - legs.mean
    score = {}
    for doc, cosine in near.items():
        word = words.get(doc, 0.0) / best_word if best_word > 0 else 0.0
        score[doc] = share * word + (1 - share) * ((cosine - legs.mean) / spread if spread > 0 else 0.0)
    return sorted(score, key=lambda d: (-score[d], d))


def default(legs: Legs) -> list[int]:
    return weighed(legs, keyword_share(legs.coverage, legs.latin))


def rrf(legs: Legs, k=60, keyword=0.4, vector=0.6) -> list[int]:
    score = {}
    for docs, weight in ((legs.keyword, keyword), (legs.vector, vector)):
        for rank, doc in enumerate(docs.tolist()):
            score[doc] = score.get(doc, 0.0) + weight / (k + rank + 1)
    return sorted(score, key=lambda d: (-score[d], d))


def coverage(index: bm25.Index, query: str, hits, texts) -> float:
    """Largest share, by idf, of the question's terms that one of the first three keyword hits contains."""
    weights = {t: index.idf_of(t) for t in bm25.terms(query)}
    total = sum(weights.values())
    best = 0.0
    for doc in hits[:LOOKED_AT]:
        text = fold(texts[doc])
        best = max(best, sum(w for t, w in weights.items() if t in text) / total if total else 0.0)
    return best


def latin_share(text: str) -> float:
    """Share of Latin letters among the characters that are not white space."""
    solid = [c for c in text if not c.isspace()]
    return sum(c.isascii() and c.isalpha() for c in solid) / len(solid) if solid else 0.0
