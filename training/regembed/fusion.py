"""Joining the keyword leg and the vector leg: the default that FUSION.md describes, and what it is measured against.

The two legs are lists of (document, score). Nothing here reads text except `coverage`.
"""

import dataclasses

import numpy as np

from . import bm25
from .tokens import fold

LOOKED_AT = 3
FLOOR = 0.1
BGE_SPREAD = 0.5


@dataclasses.dataclass
class Legs:
    """What both legs found for one question, each best first."""

    keyword: np.ndarray
    bm25: np.ndarray
    vector: np.ndarray
    cosine: np.ndarray
    keyword_cosine: np.ndarray
    """Cosines of the keyword leg's documents."""
    mean: float
    """Mean cosine over the whole library; the default does not need it."""
    coverage: float = 0.0


def default(legs: Legs, spread: float = 1.0) -> list[int]:
    """cos/spread + (0.1 + coverage²) · BM25/max, best first, ties by document. See FUSION.md."""
    best = float(legs.bm25[0]) if len(legs.bm25) else 1.0
    trust = FLOOR + legs.coverage**2
    score = dict(zip(legs.vector.tolist(), (legs.cosine / spread).tolist()))
    for doc, word, cosine in zip(legs.keyword.tolist(), legs.bm25.tolist(), legs.keyword_cosine.tolist()):
        score[doc] = cosine / spread + trust * word / best
    return _ranked(score)


def weighed(legs: Legs, share: float) -> list[int]:
    """share · BM25/max + (1 − share) · (cos − mean)/(max − mean): the fixed weight, for comparison."""
    best = float(legs.bm25[0]) if len(legs.bm25) else 1.0
    words = dict(zip(legs.keyword.tolist(), legs.bm25.tolist()))
    near = dict(zip(legs.keyword.tolist(), legs.keyword_cosine.tolist())) | dict(zip(legs.vector.tolist(), legs.cosine.tolist()))
    spread = max(max(near.values(), default=0.0) - legs.mean, 1e-9)
    return _ranked({d: share * words.get(d, 0.0) / best + (1 - share) * (c - legs.mean) / spread for d, c in near.items()})


def rrf(legs: Legs, k=60, keyword=0.4, vector=0.6) -> list[int]:
    """Reciprocal ranks: weight / (k + rank + 1)."""
    score = {}
    for docs, weight in ((legs.keyword, keyword), (legs.vector, vector)):
        for rank, doc in enumerate(docs.tolist()):
            score[doc] = score.get(doc, 0.0) + weight / (k + rank + 1)
    return _ranked(score)


def coverage(index: bm25.Index, query: str, hits, texts) -> float:
    """Largest share, by idf, of the question's terms that one of the first three keyword hits contains."""
    weights = {t: index.idf_of(t) for t in bm25.terms(query)}
    total = sum(weights.values())
    best = 0.0
    for doc in hits[:LOOKED_AT]:
        text = fold(texts[doc])
        best = max(best, sum(w for t, w in weights.items() if t in text) / total if total else 0.0)
    return best


def _ranked(score):
    return sorted(score, key=lambda d: (-score[d], d))
