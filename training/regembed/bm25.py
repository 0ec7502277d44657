"""The keyword leg of the measurements: BM25 (k1 1.2, b 0.75) over character bigrams and folded words.

It stands in for the product's keyword index: Han runs give bigrams (a lone character gives itself),
letter and digit runs give themselves.
"""

import numpy as np

from .tokens import DIGIT, HAN, LETTER, runs

K1, B = 1.2, 0.75


def terms(text: str) -> list[str]:
    out = []
    for k, run in runs(text):
        if k == HAN:
            out += [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
        elif k in (LETTER, DIGIT):
            out.append(run)
    return out


class Index:
    def __init__(self, texts):
        self.ids, postings, lengths = {}, [], []
        for n, text in enumerate(texts):
            found = terms(text)
            lengths.append(len(found))
            counts = {}
            for t in found:
                counts[t] = counts.get(t, 0) + 1
            for t, c in counts.items():
                i = self.ids.setdefault(t, len(postings))
                if i == len(postings):
                    postings.append(([], []))
                postings[i][0].append(n)
                postings[i][1].append(c)
        self.size = len(lengths)
        lengths = np.array(lengths, dtype=np.float32)
        self.norm = K1 * (1 - B + B * lengths / lengths.mean())
        self.postings = [(np.array(d, dtype=np.int32), np.array(c, dtype=np.float32)) for d, c in postings]
        df = np.array([len(d) for d, _ in self.postings], dtype=np.float32)
        self.idf = np.log1p((self.size - df + 0.5) / (df + 0.5))

    def idf_of(self, term: str) -> float:
        """A term no document has weighs as much as one that a single document has."""
        i = self.ids.get(term)
        return float(np.log1p((self.size - 0.5) / 1.5)) if i is None else float(self.idf[i])

    def scores(self, query: str) -> np.ndarray:
        out = np.zeros(self.size, dtype=np.float32)
        for t in terms(query):
            i = self.ids.get(t)
            if i is not None:
                docs, counts = self.postings[i]
                out[docs] += self.idf[i] * counts * (K1 + 1) / (counts + self.norm[docs])
        return out

    def top(self, query: str, n: int):
        """(documents, scores), best first, ties by document number, only scores above 0."""
        s = self.scores(query)
        order = np.argsort(-s, kind="stable")[:n]
        order = order[s[order] > 0]
        return order, s[order]
