"""Which rows the table has. Chosen from unlabelled text and word lists only, never from questions."""

import math
from collections import Counter
from pathlib import Path

from .tokens import DIGIT, HAN, LETTER, candidates, kind, runs

BUDGET = {"han2": 21_200, "han34": 2_600, "word": 7_100, "word2": 1_500, "piece": 1_300}
SYMBOLS = "%‰±≥≤<>=+×°§$€£¥~/"


def build(pools: dict, glossary, words: Path | None) -> list[str]:
    """Row names in file order. `words` is a `word count ...` list (jieba's dict.txt)."""
    counts = _counts(pools)
    general = word_list(words) if words else {}
    terms = {zh for zh, _, _ in glossary}
    english = {en.lower() for _, ens, _ in glossary for en in ens}
    names: dict[str, None] = {}

    def take(ranked, limit):
        room = limit
        for name in ranked:
            if room == 0:
                break
            if name not in names:
                names[name] = None
                room -= 1

    # 1. Han characters: whatever is written at least twice, and those of common words.
    han = Counter({c: n for c, n in counts.items() if len(c) == 1 and kind(c) == HAN and n > 1})
    for word, n in general.items():
        if n >= 50:
            for c in word:
                if kind(c) == HAN:
                    han[c] += 1
    take(sorted(han, key=lambda c: (-han[c], c)), len(han))

    # 2. Pairs: grid terms first; then by count, real words counting three times as much as accidental neighbours.
    pairs = {g[i : i + 2] for g in terms for i in range(len(g) - 1) if _all_han(g)}
    take(sorted(pairs), len(pairs))
    score = {}
    for name, n in counts.items():
        if len(name) == 2 and _all_han(name):
            score[name] = n * (3 if name in general else 1)
    ranked = sorted(score, key=lambda c: (-score[c], c))
    take(ranked, BUDGET["han2"] * 2 // 3)
    common = sorted((w for w in general if len(w) == 2 and _all_han(w)), key=lambda w: (-general[w] - 20 * counts.get(w, 0), w))
    take(common, BUDGET["han2"] - BUDGET["han2"] * 2 // 3)

    # 3. Longer words, only real ones.
    take(sorted(t for t in terms if 3 <= len(t) <= 4 and _all_han(t)), 10_000)
    long = [w for w in general if 3 <= len(w) <= 4 and _all_han(w) and counts.get(w, 0) >= 12]
    take(sorted(long, key=lambda w: (-counts[w], w)), BUDGET["han34"])

    # 4. Latin words and pairs of words.
    for term in sorted(english):
        split = [r for k, r in runs(term) if k == LETTER]
        take(split, len(split))
        take([f"{a} {b}" for a, b in zip(split, split[1:])], len(split))
    words_en = {w: n for w, n in counts.items() if w.isascii() and w.isalpha() and n >= 3 and len(w) > 1}
    take(sorted(words_en, key=lambda w: (-words_en[w], w)), BUDGET["word"])
    two = {w: n for w, n in counts.items() if " " in w and n >= 12 and not _dull(w)}
    take(sorted(two, key=lambda w: (-two[w], w)), BUDGET["word2"])

    # 5. Pieces, so that no Latin word and no number is without rows.
    letters = "abcdefghijklmnopqrstuvwxyzαβγδεθλμπρσφωδ"
    take([c for c in letters] + [f"##{c}" for c in letters], 200)
    digits = [str(i) for i in range(100)] + [f"##{i}" for i in range(100)] + [f"##{i}" for i in range(10)]
    take(digits + [str(y) for y in range(1980, 2036)], 400)
    numbers = {w: n for w, n in counts.items() if kind(w[0]) == DIGIT and len(w) <= 4 and n >= 30}
    take(sorted(numbers, key=lambda w: (-numbers[w], w)), 300)
    take(_pieces(words_en), BUDGET["piece"])
    take(SYMBOLS, len(SYMBOLS))
    return list(names)


def _counts(pools) -> Counter:
    counts: Counter = Counter()
    for texts, weight in ((pools["zh_docs"], 1), (pools["zh_more"], 8), (pools["en_docs"], 3), (pools["financebench"]["units"], 1)):
        part: Counter = Counter()
        for text in texts:
            part.update(candidates(text))
        for name, n in part.items():
            counts[name] += n * weight
    return counts


def word_list(path: Path) -> dict[str, int]:
    out = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            word, n, *_ = line.split(" ")
            out[word] = int(n)
    return out


def _pieces(words: dict[str, int]):
    """Beginnings and continuations that many different words share."""
    score: Counter = Counter()
    for word, n in words.items():
        value = 1 + math.log(n)
        for length in range(2, 8):
            if len(word) > length:
                score[word[:length]] += value * (length - 1)
                score["##" + word[-length:]] += value * (length - 1)
    return sorted(score, key=lambda p: (-score[p], p))


STOP = frozenset("the of and to in a for or on by as is are be with that an our we at from this which its it not may".split())


def _dull(pair: str) -> bool:
    a, b = pair.split(" ")
    return a in STOP or b in STOP or len(a) < 2 or len(b) < 2 or not (a.isascii() and b.isascii())


def _all_han(word: str) -> bool:
    return all(kind(c) == HAN for c in word)
