"""Reads the sample markup into plain blocks.

Owns the grammar of `src/*.txt` (described in README.md). Knows nothing of
typst, Word or pages; `typeset.py`, `word.py` and `truth.py` build on it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

CN = "一二三四五六七八九十百"
RUN_ON = ">"
# What a reader would take for a reference; each must be marked up, so that the truth is complete.
LOOKS_LIKE_REFERENCE = re.compile(
    rf"《|[见按照]\s*表\s*[\dA-Z]|[见按照]\s*注|附录\s*[A-Z](?![.．]\d)|第[{CN}]+[章条]"
    r"|[见按照]\s*第?\s*[1-9]\d*(\.\d+)+(?![\d\s]*[倍万])|第\s*\d+(\.\d+)*\s*[条章]|表\s*\d+-\d+|表\s*[A-Z]-\d+"
    r"|\bTable \d|\bRequirement R\d|\bPart \d+\.\d|\bSection [A-Z\d]|\bAttachment \d"
)
HEADING_NUMBER = re.compile(
    rf"^(附录\s?[A-Z]|Attachment \d+|第[{CN}]+[章节条]|[A-Z](?:\.\d+)+|[RM]\d+\.|[A-Z]\.(?=\s)|\d+(?:\.\d+)*\.?)\s*"
)
INLINE = re.compile(r"\{([^{}→]+)→([^{}]+)\}")


@dataclass
class Ref:
    """A reference in running text: what is printed and what it points at."""

    text: str
    target: str
    index: int = -1


@dataclass
class Cell:
    """One cell of the source grid; spans are resolved, covered cells are None."""

    inline: list
    row_span: int = 1
    col_span: int = 1

    @property
    def text(self) -> str:
        return plain(self.inline)


@dataclass
class Block:
    """One thing on the page: heading, clause, para, item, table, note, break."""

    kind: str
    inline: list = field(default_factory=list)
    index: int = -1
    level: int = 0
    number: str | None = None
    name: str = ""
    title: str = ""
    chapter: int | None = None  # index of the heading block it stands under
    table: Table | None = None
    label: str = ""
    scope: str = ""
    scope_of: str | None = None

    @property
    def text(self) -> str:
        return plain(self.inline)


@dataclass
class Table:
    """A logical table: a grid of cells, a header, a caption and its options."""

    key: str
    number: str | None
    caption: str
    options: dict
    rows: list = field(default_factory=list)  # header rows first
    notes: list = field(default_factory=list)

    @property
    def header_rows(self) -> int:
        return int(self.options.get("header", 1))

    @property
    def columns(self) -> int:
        return len(self.rows[0])


@dataclass
class Document:
    """A whole regulation as written in one source file."""

    meta: dict
    cover: list
    blocks: list
    refs: list
    digest: str = ""


def plain(inline: list) -> str:
    """The printed text of a run list."""
    return "".join(run.text if isinstance(run, Ref) else run for run in inline)


def read(source: str) -> Document:
    """Parses a source text; raises ValueError with the line number on any doubt."""
    doc = Document(meta={}, cover=[], blocks=[], refs=[])
    doc.digest = hashlib.sha256(source.encode("utf-8")).hexdigest()
    state = {"chapter": None, "table": None, "unnumbered": 0}
    lines = source.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at].rstrip()
        at += 1
        if not line or line.startswith("//"):
            continue
        try:
            if line == "@cover":
                at = _collect(lines, at, doc.cover)
            elif line.startswith("@table"):
                at = _table(doc, state, line, lines, at)
            else:
                _line(doc, state, line)
        except ValueError as problem:
            raise ValueError(f"line {at}: {problem}") from problem
    return doc


def _collect(lines: list, at: int, into: list) -> int:
    while lines[at].strip() != "@end":
        into.append(lines[at].strip())
        at += 1
    return at + 1


def _line(doc: Document, state: dict, line: str) -> None:
    if line.startswith("@meta "):
        key, value = line[6:].split(":", 1)
        doc.meta[key.strip()] = value.strip()
    elif line in ("@toc", "@body", "@newpage", "@blankpage"):
        _add(doc, state, Block(kind=line[1:]))
    elif line.startswith("@space "):
        _add(doc, state, Block(kind="space", title=line[7:]))
    elif line.startswith("@note "):
        _note(doc, state, line[6:])
    elif line.startswith("#"):
        _heading(doc, state, line)
    elif line.startswith("* "):
        _add(doc, state, Block(kind="item", inline=_inline(doc, line[2:])))
    elif line.startswith("@"):
        raise ValueError(f"unknown directive {line!r}")
    else:
        _add(doc, state, Block(kind="para", inline=_inline(doc, line)))


def _heading(doc: Document, state: dict, line: str) -> None:
    marks, rest = line.split(" ", 1)
    level, run_on = len(marks.rstrip(RUN_ON)), marks.endswith(RUN_ON)
    found = HEADING_NUMBER.match(rest)
    if not found:
        raise ValueError(f"heading without a number: {rest!r}")
    block = Block(
        kind="clause" if run_on else "heading",
        inline=_inline(doc, rest, skip=found.end()),
        level=level,
        number=found.group(1).rstrip(".").replace(" ", ""),
        title="" if run_on else rest[found.end():],
    )
    state["table"] = None
    _add(doc, state, block)
    state["chapter"] = block.index
    block.chapter = block.index


def _note(doc: Document, state: dict, rest: str) -> None:
    scope, text = rest.split(" ", 1)
    label = re.match(r"^[（(]?(注(?:\s?\d+|[①-⑳]|[一二三四五六七八九十]+)?)[）)]?[：:]?|^(Note(?: \d+)?)[:.]?", text)
    if not label or scope not in ("table", "section", "page"):
        raise ValueError(f"not a note: {rest!r}")
    block = Block(kind="note", inline=_inline(doc, text), scope=scope)
    block.label = (label.group(1) or label.group(2)).replace(" ", "")
    block.title = text[label.end():].strip()
    _add(doc, state, block)
    if scope == "table":
        if state["table"] is None:
            raise ValueError("table note without a table")
        block.scope_of = state["table"].key
        state["table"].notes.append(block)


def _table(doc: Document, state: dict, line: str, lines: list, at: int) -> int:
    """`@table NUMBER | CAPTION | key=value …` then `| a | b |` rows, `@end`."""
    parts = [part.strip() for part in line[len("@table"):].split("|")]
    if len(parts) != 3:
        raise ValueError("@table needs NUMBER | CAPTION | OPTIONS")
    number = None if parts[0] == "-" else parts[0]
    options = dict(item.split("=", 1) for item in parts[2].split())
    if number is None:
        state["unnumbered"] += 1
    key = number or f"unnumbered-{state['unnumbered']}"
    table = Table(key=key, number=number, caption=parts[1], options=options)
    raw: list = []
    at = _collect(lines, at, raw)
    grid = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in raw if row]
    if len({len(row) for row in grid}) != 1:
        bad = next(row for row in grid if len(row) != len(grid[0]))
        raise ValueError(f"table {key}: uneven row {bad}")
    block = Block(kind="table", table=table)
    _add(doc, state, block)
    state["table"] = table
    table.rows = _spans(doc, grid)
    return at


def _spans(doc: Document, grid: list) -> list:
    """`<` joins the cell on the left, `^` the cell above."""
    cells: list = [[None] * len(row) for row in grid]
    for y, row in enumerate(grid):
        for x, text in enumerate(row):
            if text in ("<", "^"):
                continue
            width = 1
            while x + width < len(row) and row[x + width] == "<":
                width += 1
            height = 1
            while y + height < len(grid) and grid[y + height][x] == "^":
                height += 1
            cells[y][x] = Cell(_inline(doc, text), row_span=height, col_span=width)
    return cells


def _inline(doc: Document, text: str, skip: int = 0) -> list:
    runs: list = []
    last = 0
    for found in INLINE.finditer(text):
        runs.append(text[last:found.start()])
        ref = Ref(found.group(1), found.group(2).strip(), len(doc.refs))
        doc.refs.append(ref)
        runs.append(ref)
        last = found.end()
    runs.append(text[last:])
    for at, run in enumerate(runs):
        if isinstance(run, str):
            doubt = LOOKS_LIKE_REFERENCE.search(run, skip if at == 0 else 0)
            if doubt:
                raise ValueError(f"unmarked reference {doubt.group()!r} in {run[:60]!r}")
    return [run for run in runs if run != ""]


def _add(doc: Document, state: dict, block: Block) -> None:
    block.index = len(doc.blocks)
    block.chapter = state["chapter"]
    doc.blocks.append(block)
