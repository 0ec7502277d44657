"""What a reader must find in a sample: chapters, tables, notes, references.

Structure and texts come from the source markup; page numbers come only from
the marks that typst (or, for DOCX, the LibreOffice rendering) reports.
"""

from __future__ import annotations

import re
from collections import Counter

from .markup import INLINE, Block, Document, Table

TEXT_KINDS = ("heading", "clause", "para", "item", "note")


def build(doc: Document, marks: list, info: dict, file_name: str) -> dict:
    """The truth of one regulation; references to others are left for `link`."""
    _name_chapters(doc)
    pages = _Pages(marks)
    ends = _chapter_ends(doc, pages)
    by_index = {block.index: block for block in doc.blocks}
    chapters = _chapters(doc, pages, ends)
    return {
        "reg_id": doc.meta["reg_id"],
        "file": file_name,
        "info": info,
        "total_pages": pages.total,
        "body_start": pages.body,
        "contents_pages": list(range(pages.contents[0], pages.contents[1] + 1)),
        "blank_pages": pages.blank,
        "printed_labels": {str(page): label for page, label in sorted(pages.labels.items())},
        "chapters": chapters,
        "paragraphs": _paragraphs(doc, pages, by_index),
        "tables": [_table(block, pages, by_index) for block in doc.blocks if block.kind == "table"],
        "notes": [_note(block, pages, by_index) for block in doc.blocks if block.kind == "note"],
        "plans": _plans(doc, pages, by_index),
        "references": _references(doc, pages, by_index),
    }


class _Pages:
    """Marks by what they mark. Marks before the body are copies in the contents."""

    def __init__(self, marks: list) -> None:
        self.body = next(m["page"] for m in marks if m["k"] == "body")
        self.contents = (
            min((m["page"] for m in marks if m["k"] == "label"), default=self.body),
            next((m["page"] for m in marks if m["k"] == "toc-end"), self.body - 1),
        )
        self.blank = sorted(m["page"] for m in marks if m["k"] == "blank")
        self.labels = {m["page"]: m["text"] for m in marks if m["k"] == "label"}
        inside = [m for m in marks if m["page"] >= self.body]
        self.start = {m["i"]: m["page"] for m in inside if m["k"] == "start"}
        self.end = {m["i"]: m["page"] for m in inside if m["k"] == "end"}
        self.refs = {m["i"]: m["page"] for m in inside if m["k"] == "ref"}
        self.rows = {(m["table"], m["row"]): m["page"] for m in inside if m["k"] == "row"}
        self.heads: dict = {}
        for m in inside:
            if m["k"] == "head":
                self.heads.setdefault(m["table"], set()).add(m["page"])
        self.captions: dict = {}
        for m in inside:
            if m["k"] == "caption":
                self.captions.setdefault(m["table"], {})[m["page"]] = m["text"]
        self.total = max(m["page"] for m in marks)

    def last_of(self, block: Block) -> int | None:
        """The last page a block stands on."""
        if block.kind == "table":
            table = block.table
            return max(self.rows[table.key, y] for y in range(table.header_rows, len(table.rows)))
        return self.end.get(block.index)


def _chapter_ends(doc: Document, pages: _Pages) -> dict:
    own: dict = {}
    for block in doc.blocks:
        last = pages.last_of(block)
        if block.chapter is not None and last is not None:
            own[block.chapter] = max(own.get(block.chapter, 0), last)
    ends = dict(own)
    stack: list = []
    for block in doc.blocks:
        if block.kind not in ("heading", "clause"):
            continue
        while stack and stack[-1].level >= block.level:
            stack.pop()
        for above in stack:
            ends[above.index] = max(ends[above.index], own[block.index])
        stack.append(block)
    return ends


def _chapters(doc: Document, pages: _Pages, ends: dict) -> list:
    out: list = []
    stack: list = []
    for block in doc.blocks:
        if block.kind not in ("heading", "clause"):
            continue
        while stack and stack[-1].level >= block.level:
            stack.pop()
        out.append(
            {
                "number": block.number,
                "name": block.name,
                "title": block.title,
                "level": block.level,
                "run_on": block.kind == "clause",
                "heading": block.text,
                "parent": stack[-1].number if stack else None,
                "path": [above.number for above in stack] + [block.number],
                "page_start": pages.start[block.index],
                "page_end": ends[block.index],
            }
        )
        stack.append(block)
    return out


def _section_path(block: Block, by_index: dict) -> str | None:
    """The name of the chapter a block stands in."""
    return by_index[block.chapter].name if block.chapter is not None else None


def _name_chapters(doc: Document) -> None:
    """A chapter is named by its number, or by its whole path where numbers repeat."""
    heads = [block for block in doc.blocks if block.kind in ("heading", "clause")]
    numbers = Counter(block.number for block in heads)
    stack: list = []
    for block in heads:
        while stack and stack[-1].level >= block.level:
            stack.pop()
        stack.append(block)
        alone = numbers[block.number] == 1 and not block.number.startswith("第")
        block.name = block.number if alone else "/".join(above.number for above in stack)


def _paragraphs(doc: Document, pages: _Pages, by_index: dict) -> list:
    return [
        {
            "kind": block.kind,
            "text": block.text,
            "chapter": _section_path(block, by_index),
            "page": pages.start[block.index],
            "page_end": pages.end[block.index],
        }
        for block in doc.blocks
        if block.kind in TEXT_KINDS
    ]


def _table(block: Block, pages: _Pages, by_index: dict) -> dict:
    table = block.table
    data = range(table.header_rows, len(table.rows))
    row_pages = [pages.rows[table.key, y] for y in data]
    return {
        "id": table.key,
        "number": table.number,
        "caption": table.caption or None,
        "caption_position": None if not table.caption else table.options.get("caption", "above"),
        "chapter": _section_path(block, by_index),
        "header_rows": table.header_rows,
        "col_count": table.columns,
        "page_start": row_pages[0],
        "page_end": row_pages[-1],
        "header": [_cells(row) for row in table.rows[: table.header_rows]],
        "rows": [_cells(table.rows[y]) for y in data],
        "grid": [_flat(table, y) for y in data],
        "row_pages": row_pages,
        "segments": _segments(table, row_pages, pages),
        "notes": [note.label for note in table.notes],
    }


def _segments(table: Table, row_pages: list, pages: _Pages) -> list:
    out: list = []
    for row, page in enumerate(row_pages):
        if not out or out[-1]["page"] != page:
            captions = pages.captions.get(table.key)
            first = not out
            caption = captions.get(page) if captions else (table.caption or None) if first else None
            out.append(
                {"page": page, "rows": [], "has_header": page in pages.heads[table.key], "caption": caption}
            )
        out[-1]["rows"].append(row)
    return out


def _cells(row: list) -> list:
    """Cells in reading order; covered cells are left out."""
    return [
        {"col": x, "text": cell.text, "row_span": cell.row_span, "col_span": cell.col_span}
        for x, cell in enumerate(row)
        if cell is not None
    ]


def _flat(table: Table, y: int) -> list:
    """Every column's text, spans filled in."""
    out = []
    for x in range(table.columns):
        out.append(_covering(table, y, x).text)
    return out


def _covering(table: Table, y: int, x: int):
    for top in range(y, -1, -1):
        for left in range(x, -1, -1):
            cell = table.rows[top][left]
            if cell and top + cell.row_span > y and left + cell.col_span > x:
                return cell
    raise ValueError(f"table {table.key}: no cell at {y},{x}")


def _note(block: Block, pages: _Pages, by_index: dict) -> dict:
    return {
        "label": block.label,
        "content": INLINE.sub(r"\1", block.title),
        "printed": block.text,
        "page": pages.start[block.index],
        "scope": block.scope,
        "scope_of": block.scope_of if block.scope == "table" else _section_path(block, by_index),
    }


def _plans(doc: Document, pages: _Pages, by_index: dict) -> list:
    out = []
    for block in doc.blocks:
        found = re.match(r"^(方案[甲乙丙丁A-Z])：(.+)$", block.text) if block.kind == "item" else None
        if found:
            out.append(
                {
                    "label": found.group(1),
                    "content": found.group(2),
                    "page": pages.start[block.index],
                    "chapter": _section_path(block, by_index),
                }
            )
    return out


def _references(doc: Document, pages: _Pages, by_index: dict) -> list:
    where = {}
    for block in doc.blocks:
        runs = list(block.inline)
        if block.table:
            runs = [run for row in block.table.rows for cell in row if cell for run in cell.inline]
        for run in runs:
            if not isinstance(run, str):
                where[run.index] = block
    out = []
    for ref in doc.refs:
        block = where[ref.index]
        out.append(
            {
                "text": ref.text,
                "page": pages.refs[ref.index],
                "chapter": _section_path(block, by_index),
                "in_table": block.table.key if block.table else None,
                "raw_target": ref.target,
            }
        )
    return out


def link(truths: dict) -> None:
    """Fills kind, target, target page and `resolved` of every reference."""
    for truth in truths.values():
        for ref in truth["references"]:
            raw = ref.pop("raw_target")
            ref.update(_resolve(raw, truth, truths, ref["text"]))


def _resolve(raw: str, truth: dict, truths: dict, text: str) -> dict:
    if raw == "external":
        return {"kind": "regulation", "regulation": None, "target": None, "target_page": None, "resolved": False}
    expected_missing = raw.startswith("!")
    raw = raw.lstrip("!")
    regulation = truth["reg_id"]
    if raw.startswith("reg:"):
        regulation, _, raw = raw[4:].partition("#")
    kind, _, name = raw.partition(":")
    kind = kind or "regulation"
    page = 1 if kind == "regulation" else locate(truths[regulation], kind, name)
    if (page is None) != expected_missing:
        raise ValueError(f"{truth['reg_id']}: reference {text!r} -> {raw!r}: page {page}")
    return {
        "kind": kind,
        "regulation": regulation,
        "target": name or None,
        "target_page": page,
        "resolved": page is not None,
    }


def locate(truth: dict, kind: str, name: str) -> int | None:
    """The page where a target begins, or None when the regulation has no such thing."""
    if kind == "table":
        return next((t["page_start"] for t in truth["tables"] if t["id"] == name), None)
    if kind == "note":
        table, label = name.split("/")
        return next(
            (n["page"] for n in truth["notes"] if n["label"] == label and n["scope_of"] == table), None
        )
    found = find_chapter(truth, name)
    return found["page_start"] if found else None


def find_chapter(truth: dict, name: str) -> dict | None:
    """A chapter by its name (`2.1.4`, `附录B/第三条`)."""
    return next((c for c in truth["chapters"] if c["name"] == name), None)
