"""Text to row names: the one tokenisation, mirrored by `crates/embed/src/tokens.rs`.

Nothing here depends on locale, dictionary or library tables beyond Unicode NFKC, so
that the Rust side can be proven equal with shared test vectors.

* Fold: NFKC, then lower case character by character.
* Han run: every character, and every pair, triple and quadruple of neighbours that
  has a row. Overlaps are wanted: 母线失压 must be found by 失压.
* Letter run or digit run: the whole run if it has a row, else greedy longest pieces
  (`##` marks a continuation). 330kV is `330`, `kv`.
* Two letter runs with only spaces or hyphens between them also give `left right`
  if that pair has a row (circuit breaker).
* Any other character is a row of its own if the vocabulary has it (%, ±, ≥), and
  otherwise a boundary.
"""

import unicodedata

MAX_HAN = 4
"""Longest run of Han characters that may be one row."""
MAX_RUN = 64
"""Letter or digit runs longer than this are cut: they are never words."""

HAN, LETTER, DIGIT, SPACE, OTHER = range(5)


def fold(text: str) -> str:
    return "".join(c.lower() for c in unicodedata.normalize("NFKC", text))


def kind(c: str) -> int:
    o = ord(c)
    if 0x61 <= o <= 0x7A:
        return LETTER
    if 0x30 <= o <= 0x39:
        return DIGIT
    if 0x4E00 <= o <= 0x9FFF or 0x3400 <= o <= 0x4DBF or o == 0x3007 or 0x20000 <= o <= 0x3134F:
        return HAN
    # Latin with marks, Greek, Cyrillic: letters of words. 0xF7 is the division sign.
    if (0xDF <= o <= 0x24F and o != 0xF7) or 0x370 <= o <= 0x4FF:
        return LETTER
    if o in (0x20, 0x2D, 0x0A, 0x0D, 0x09, 0x2010, 0x2011):
        return SPACE
    return OTHER


def runs(text: str):
    """Folded text as (kind, run) pairs; `OTHER` characters come one at a time."""
    folded = fold(text)
    i, n = 0, len(folded)
    while i < n:
        k = kind(folded[i])
        j = i + 1
        if k != OTHER:
            while j < n and kind(folded[j]) == k:
                j += 1
        yield k, folded[i:j]
        i = j


def candidates(text: str):
    """Every row name the text could use if the vocabulary were unlimited (for counting)."""
    before = None
    for k, run in runs(text):
        if k == HAN:
            for n in range(1, MAX_HAN + 1):
                for i in range(len(run) - n + 1):
                    yield run[i : i + n]
            before = None
        elif k == LETTER:
            for i in range(0, len(run), MAX_RUN):
                yield run[i : i + MAX_RUN]
            if before is not None:
                yield f"{before} {run}"
            before = run
        elif k == DIGIT:
            yield run[:MAX_RUN]
            before = None
        elif k == OTHER:
            yield run
            before = None


class Tokenizer:
    """Maps text to row numbers with a fixed vocabulary (name to row)."""

    def __init__(self, names):
        self.rows = {name: i for i, name in enumerate(names)}
        if len(self.rows) != len(names):
            raise ValueError("vocabulary has a name twice")

    def ids(self, text: str) -> list[int]:
        rows, out, before = self.rows, [], None
        for k, run in runs(text):
            if k == HAN:
                for i in range(len(run)):
                    for n in range(1, MAX_HAN + 1):
                        if i + n > len(run):
                            break
                        row = rows.get(run[i : i + n])
                        if row is not None:
                            out.append(row)
                before = None
            elif k == LETTER or k == DIGIT:
                for i in range(0, len(run), MAX_RUN):
                    self._pieces(run[i : i + MAX_RUN], out)
                if k == DIGIT or len(run) > MAX_RUN:
                    before = None
                else:
                    if before is not None:
                        row = rows.get(f"{before} {run}")
                        if row is not None:
                            out.append(row)
                    before = run
            elif k == OTHER:
                row = rows.get(run)
                if row is not None:
                    out.append(row)
                before = None
        return out

    def _pieces(self, run: str, out: list[int]) -> None:
        rows = self.rows
        row = rows.get(run)
        if row is not None:
            out.append(row)
            return
        i = 0
        while i < len(run):
            mark = "##" if i else ""
            for j in range(len(run), i, -1):
                row = rows.get(mark + run[i:j])
                if row is not None:
                    out.append(row)
                    i = j
                    break
            else:
                # A character without a row (rare letters): skipped, never an error.
                i += 1
