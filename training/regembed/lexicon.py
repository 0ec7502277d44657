"""A general Chinese-English word list, mined with the multilingual teacher, and pseudo questions.

Neither needs a parallel text: a pair of words is kept when each is the other's nearest.
"""

import random

import numpy as np

from .tokens import HAN, kind

ENDINGS = ("怎么办？", "吗？", "是什么？", "有什么规定？", "如何处理？", "需要什么条件？", "由谁负责？", "可以吗？", "怎么算？", "会怎样？", "", "", "")


def mine(encode, chinese, english, least=0.70):
    """[[zh, en]] of mutual nearest neighbours above a cosine, best first."""
    a, b = encode(chinese), encode(english)
    scores = a @ b.T
    # Words near to everything ("thing", "one") are pushed down by their mean similarity to their neighbours.
    hub_a = np.sort(scores, 1)[:, -10:].mean(1, keepdims=True)
    hub_b = np.sort(scores, 0)[-10:].mean(0, keepdims=True)
    adjusted = 2 * scores - hub_a - hub_b
    best_a, best_b = adjusted.argmax(1), adjusted.argmax(0)
    pairs = [(float(scores[i, j]), chinese[i], english[j]) for i, j in enumerate(best_a) if best_b[j] == i and scores[i, j] >= least]
    return [[zh, en] for _, zh, en in sorted(pairs, reverse=True)]


def common_words(words: dict[str, int], limit: int) -> list[str]:
    """The commonest words of two to four Han characters."""
    good = [w for w in words if 2 <= len(w) <= 4 and all(kind(c) == HAN for c in w)]
    return sorted(good, key=lambda w: (-words[w], w))[:limit]


def pseudo_questions(words: list[str], docs: list[str], count: int, seed: int) -> list[str]:
    """Question-like strings in words that statutes do not use, so that such rows are trained too."""
    rng, out = random.Random(seed), []
    while len(out) < count:
        how = rng.random()
        parts = [words[int(len(words) * rng.random() ** 2)] for _ in range(rng.randrange(1, 4))]
        if how < 0.5:
            text = "".join(parts)
        else:
            doc = rng.choice(docs)
            i = rng.randrange(max(1, len(doc) - 8))
            crop = doc[i : i + rng.randrange(4, 12)]
            text = crop if how < 0.7 else parts[0] + crop
        out.append(text + rng.choice(ENDINGS))
    return out
