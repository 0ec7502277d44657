"""The earlier edition: applies a patch of known changes and proves the result.

`apply` makes the old source from the new one. `compare` finds the differences
of the two truths on its own; `check` insists that both agree.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Change:
    """One declared difference."""

    kind: str
    subject: str
    cells: int = 1
    old: list = field(default_factory=list)  # as in the newer edition
    new: list = field(default_factory=list)


def read_patch(text: str) -> list:
    """The declared changes, in order."""
    out: list = []
    for line in text.splitlines():
        if line.startswith("@change "):
            parts = line.split()
            out.append(Change(parts[1], parts[2], int(parts[3]) if len(parts) > 3 else 1))
        elif line.startswith("- "):
            out[-1].old.append(line[2:])
        elif line.startswith("+ "):
            out[-1].new.append(line[2:])
        elif line and not line.startswith("//"):
            raise ValueError(f"patch: {line!r}")
    return out


def apply(source: str, changes: list) -> str:
    """The earlier edition's source. Each fragment must occur exactly once."""
    for change in changes:
        old, new = "\n".join(change.old), "\n".join(change.new)
        if not new:
            old += "\n"
        if source.count(old) != 1:
            raise ValueError(f"patch {change.subject}: {source.count(old)} matches of {old!r}")
        source = source.replace(old, new)
    return source


def compare(older: dict, newer: dict) -> dict:
    """Differences of two truths, computed from their content."""
    before, after = _clauses(older), _clauses(newer)
    modified = [
        {
            "clause": name,
            "older": before[name]["text"],
            "newer": after[name]["text"],
            "older_page": before[name]["page"],
            "newer_page": after[name]["page"],
        }
        for name in after
        if name in before and before[name]["text"] != after[name]["text"]
    ]
    cells, rows = _tables(older, newer)
    return {
        "older": older["reg_id"],
        "newer": newer["reg_id"],
        "clauses_modified": modified,
        "clauses_only_newer": [_only(n, after[n]) for n in after if n not in before],
        "clauses_only_older": [_only(n, before[n]) for n in before if n not in after],
        "cells": cells,
        "rows_only_newer": rows,
    }


def check(found: dict, declared: list) -> None:
    """Raises when the computed differences are not exactly the declared ones."""
    pairs = (
        ("modified", [c["clause"] for c in found["clauses_modified"]]),
        ("only_2024", [c["clause"] for c in found["clauses_only_newer"]]),
        ("only_2023", [c["clause"] for c in found["clauses_only_older"]]),
        ("cell", [c["table"] for c in found["cells"]]),
        ("row_only_2024", [c["table"] for c in found["rows_only_newer"]]),
    )
    for kind, names in pairs:
        wanted = Counter()
        for change in declared:
            if change.kind == kind:
                wanted[change.subject] += change.cells
        if wanted != Counter(names):
            raise ValueError(f"{kind}: declared {wanted}, found {Counter(names)}")


def _only(name: str, clause: dict) -> dict:
    return {"clause": name, "text": clause["text"], "page": clause["page"]}


def _clauses(truth: dict) -> dict:
    out: dict = {}
    for para in truth["paragraphs"]:
        if para["kind"] == "note":
            continue
        name = para["chapter"]
        clause = out.setdefault(name, {"text": "", "page": para["page"]})
        clause["text"] += ("\n" if clause["text"] else "") + para["text"]
    return out


def _tables(older: dict, newer: dict) -> tuple:
    cells: list = []
    rows: list = []
    before = {table["id"]: table for table in older["tables"]}
    for table in newer["tables"]:
        old = before[table["id"]]
        for y, row in enumerate(table["grid"]):
            if y >= len(old["grid"]):
                rows.append({"table": table["id"], "row": y, "cells": row, "page": table["row_pages"][y]})
                continue
            for x, (was, now) in enumerate(zip(old["grid"][y], row)):
                if was != now:
                    cells.append(
                        {
                            "table": table["id"],
                            "row": y,
                            "col": x,
                            "row_label": row[: max(1, x)][:2],
                            "older": was,
                            "newer": now,
                            "older_page": old["row_pages"][y],
                            "newer_page": table["row_pages"][y],
                        }
                    )
    return cells, rows
