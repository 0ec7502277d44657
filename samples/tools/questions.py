"""Questions: fills in the pages from the truth and proves the answers.

A question names clauses, rows, notes and tables, never pages. Each string an
answer must contain has to stand in what the question names.
"""

from __future__ import annotations

from .truth import find_chapter

KINDS = ("single", "table_cell", "note", "reference", "cross", "compare", "unanswerable", "chitchat")


def build(source: str, truths: dict) -> list:
    """The questions as plain dicts, in the order of the source."""
    out: list = []
    for line in source.splitlines():
        if not line.strip() or line.startswith("//"):
            continue
        mark, rest = line[0], line[1:].strip()
        if mark == "?":
            kind, question = (part.strip() for part in rest.split("|", 1))
            if kind not in KINDS:
                raise ValueError(f"unknown kind: {line}")
            out.append({"kind": kind, "question": question, "evidence": [], "answer_contains": [], "reg_ids": []})
        elif mark == "=":
            _evidence(out[-1], rest, truths)
        elif mark == ">":
            out[-1]["answer_contains"] = [part.strip() for part in rest.split("|")]
        else:
            raise ValueError(f"questions: {line!r}")
    return [_finish(number, question) for number, question in enumerate(out, 1)]


def _evidence(question: dict, rest: str, truths: dict) -> None:
    reg_id, kind, name = (rest.split(" ", 2) + [""])[:3]
    if reg_id == "none":
        question["reg_ids"] = rest.split()[1:]
        return
    truth = truths[reg_id]
    finder = {"clause": _clause, "heading": _heading, "table": _table, "row": _row, "note": _note, "para": _para}[kind]
    found = finder(truth, name)
    if found is None:
        raise ValueError(f"{question['question']}: nothing at {rest!r}")
    question["evidence"].append({"reg_id": reg_id, **found})
    if reg_id not in question["reg_ids"]:
        question["reg_ids"].append(reg_id)


def _clause(truth: dict, name: str) -> dict | None:
    chapter = find_chapter(truth, name)
    if chapter is None:
        return None
    own = [p for p in truth["paragraphs"] if p["chapter"] == name and p["kind"] != "note"]
    depth = len(chapter["path"])
    below = [c["name"] for c in truth["chapters"] if len(c["path"]) > depth and c["path"][:depth] == chapter["path"]]
    text = "\n".join(p["text"] for p in truth["paragraphs"] if p["chapter"] == name or p["chapter"] in below)
    last = max([p["page_end"] for p in own]) if own and not below else chapter["page_end"]
    pages = list(range(chapter["page_start"], last + 1))
    return {"type": "clause", "id": name, "pages": pages, "text": text}


def _heading(truth: dict, name: str) -> dict | None:
    """Where a chapter begins, when the question is only about its name."""
    chapter = find_chapter(truth, name)
    if chapter is None:
        return None
    return {"type": "clause", "id": name, "pages": [chapter["page_start"]], "text": chapter["heading"]}


def _para(truth: dict, name: str) -> dict | None:
    clause, start = name.split(" ", 1)
    for para in truth["paragraphs"]:
        if para["chapter"] == clause and para["text"].startswith(start):
            pages = list(range(para["page"], para["page_end"] + 1))
            return {"type": "clause", "id": clause, "pages": pages, "text": para["text"]}
    return None


def _table_of(truth: dict, name: str) -> dict | None:
    return next((t for t in truth["tables"] if t["id"] == name), None)


def _table(truth: dict, name: str) -> dict | None:
    table = _table_of(truth, name)
    if table is None:
        return None
    text = "\n".join("\t".join(row) for row in table["grid"])
    return {"type": "table", "id": name, "pages": sorted(set(table["row_pages"])), "text": text}


def _row(truth: dict, name: str) -> dict | None:
    """`3-1 5/300/投入`: the one row whose first cells are these."""
    number, key = name.split(" ", 1)
    table = _table_of(truth, number)
    if table is None:
        return None
    start = key.split("/")
    rows = [y for y, row in enumerate(table["grid"]) if row[: len(start)] == start]
    if len(rows) != 1:
        return None
    row = rows[0]
    return {
        "type": "row",
        "id": number,
        "row": row,
        "pages": [table["row_pages"][row]],
        "text": "\t".join(table["grid"][row]),
    }


def _note(truth: dict, name: str) -> dict | None:
    table, label = name.split("/")
    label = label.strip("（）")
    for note in truth["notes"]:
        if note["scope_of"] == table and note["label"] == label:
            return {"type": "note", "id": f"{table}/{label}", "pages": [note["page"]], "text": note["content"]}
    return None


def _finish(number: int, question: dict) -> dict:
    evidence = question["evidence"]
    text = "\n".join(item["text"] for item in evidence)
    for wanted in question["answer_contains"]:
        if wanted not in text:
            raise ValueError(f"{question['question']}: {wanted!r} is not in the named places")
    refusal = question["kind"] in ("unanswerable", "chitchat")
    if refusal == bool(evidence) or (not refusal and not question["answer_contains"]):
        raise ValueError(f"{question['question']}: evidence and kind disagree")
    pages: dict = {}
    for item in evidence:
        pages.setdefault(item["reg_id"], set()).update(item["pages"])
    return {
        "id": f"q{number:03}",
        "kind": question["kind"],
        "question": question["question"],
        "reg_ids": question["reg_ids"],
        "pages": {reg_id: sorted(found) for reg_id, found in pages.items()},
        "tables": _names(evidence, ("table", "row", "note")),
        "clauses": _names(evidence, ("clause",)),
        "evidence": [{key: value for key, value in item.items() if key != "text"} for item in evidence],
        "answer_contains": question["answer_contains"],
        "refusal": refusal,
    }


def _names(evidence: list, kinds: tuple) -> list:
    out: list = []
    for item in evidence:
        name = f"{item['reg_id']}:{item['id'].split('/')[0] if item['type'] == 'note' else item['id']}"
        if item["type"] in kinds and name not in out:
            out.append(name)
    return out
