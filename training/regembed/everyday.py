"""Everyday English: which rows it needs, and questions made of formal sentences by putting usual words for unusual ones."""

import gzip
import json
import math
import random
import re
from pathlib import Path

from .tokens import LETTER, runs
from .wordnet import WordNet, inflected

ROOM = 12_000_000
"""Bytes that the table may have."""
FRAMES = """
how long {} | how long do we have to {} | how often {} | how often should we {} | how many {} | how much {} | how soon after {}
how do I {} | how far {} | how big {} | what if {} | what do we do if {} | what happens when {} | what happens if somebody {}
what is the most {} | what's the least {} | what counts as {} | what kind of {} | what does it say about {} | what do they mean by {}
what else do we need when {} | which {} | which of them {} | who has to {} | who decides {} | who is supposed to {} | who can {}
who do I tell when {} | do we have to {} | do I need {} | does it matter that {} | does anybody {} | does that go for {} too
are we allowed to {} | are we supposed to {} | are there any {} | is there a limit on {} | is there anything about {} | is it ok to {}
is it enough to {} | can I {} | can we just {} | can they {} | could we get away with {} | could somebody {} | should we {} | must we {}
when do we need to {} | when is the last day to {} | by when {} | where does it say {} | where do we put {} | why do they want {}
our guy wants to know {} | my boss says {} is that right | they told us {} is that so | we just found out {} what now
we got a new one and {} | somebody forgot {} | suppose {} then what | if {} do we | after {} how long | before {} what
I want to {} | we'd like to {} | tell me about {} | {} what now | {} is that fine | {} any rule | {} | {} | {} | {} | {} | {}
"""
FRAMES = tuple(f.strip() for line in FRAMES.strip().splitlines() for f in line.split(" | "))
"""How people begin and end a question, whatever it is about; written for this, from no set of questions."""



def usualness(path: Path) -> dict[str, float]:
    """Zipf values of spoken English: pyspellchecker's counts (MIT), from OpenSubtitles 2018."""
    with gzip.open(path) as f:
        counts = json.load(f)
    total = sum(counts.values())
    return {w: math.log10(n / total * 1e9) for w, n in counts.items()}


def vocabulary(names: list[str], counts, usual, wn: WordNet, glossary) -> tuple[list[str], list[str]]:
    """(rows that stay, rows that come). Pairs of words that the glossary does not have go, and words that are in no
    dictionary and seldom in the documents (names of firms and people); the most usual words without a row come."""
    words, pairs = set(), set()
    for _, english, _ in glossary:
        for term in english:
            split = [r for k, r in runs(term) if k == LETTER]
            words.update(split)
            pairs.update(f"{a} {b}" for a, b in zip(split, split[1:]))
    first_piece = names.index("##a")

    def goes(at, name):
        if " " in name:
            return name not in pairs
        plain = name.isascii() and name.isalpha() and len(name) > 2 and at < first_piece
        return plain and name not in words and counts[name] < 60 and usual.get(name, 0) < 3 and not wn.known(name)

    stay = [n for at, n in enumerate(names) if not goes(at, n)]
    room = ROOM - 64 - sum(256 + 3 + len(n.encode()) for n in stay)
    have, come = set(stay), []
    for word in sorted(usual, key=lambda w: (-usual[w], w)):
        if word in have or not (word.isascii() and word.isalpha() and len(word) > 1):
            continue
        # Names are usual in films too; "gonna" is in no dictionary but everywhere.
        if not wn.known(word) and usual[word] < 5:
            continue
        room -= 256 + 3 + len(word)
        if room < 0:
            break
        come.append(word)
    return stay, come


class Everyday:
    """Says a formal sentence with more usual words."""

    def __init__(self, wn: WordNet, usual):
        self.wn, self.usual, self.cache = wn, usual, {}

    def usual_of(self, text):
        return min(self.usual.get(w, 0) for w in text.split())

    def instead(self, word: str):
        """More usual words for a word, the nearest meanings first."""
        if word not in self.cache:
            own, out = self.usual.get(word, 0), {}
            for lemma, pos in self.wn.lemmas(word):
                if pos == "r":
                    continue
                for key in self.wn.senses[lemma, pos][:2]:
                    s = self.wn.synsets[key]
                    above = [w for k in s.above[:1] for w in self.wn.synsets[k].words[:2]] if pos != "n" else []
                    for other in s.words + above:
                        other = other.lower()
                        if other != lemma and self.usual_of(other) > own + 0.3:
                            out[inflected(other, word, lemma)] = None
            self.cache[word] = list(out)[:6]
        return self.cache[word]

    def question(self, sentence: str, rng: random.Random) -> str:
        words = re.findall(r"[A-Za-z]+|\d+", sentence)[:60]
        if len(words) > 14:
            start = rng.randrange(len(words) - 10)
            words = words[start : start + rng.randrange(8, 20)]
        out, rate = [], rng.uniform(0.2, 0.9)
        for word in words:
            low = word.lower()
            if low.isalpha() and self.usual.get(low, 0) < 5.6 and rng.random() < rate and (choice := self.instead(low)):
                out.append(choice[min(int(rng.expovariate(0.8)), len(choice) - 1)])
            elif rng.random() > 0.25:
                out.append(low)
        return rng.choice(FRAMES).format(" ".join(out))


def mixtures(words: list[str], docs: list[str], count: int, seed: int) -> list[str]:
    """Question-like strings of usual words, some with a scrap of a document."""
    rng, out = random.Random(seed), []
    while len(out) < count:
        parts = [words[int(len(words) * rng.random() ** 1.5)] for _ in range(rng.randrange(1, 6))]
        if rng.random() < 0.5:
            scrap = rng.choice(docs).split()
            i = rng.randrange(max(1, len(scrap) - 5))
            parts += scrap[i : i + rng.randrange(2, 6)]
        out.append(rng.choice(FRAMES).format(" ".join(parts)))
    return out
