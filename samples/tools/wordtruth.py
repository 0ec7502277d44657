"""DOCX files and their truth.

The contents of a DOCX print page numbers, so the file depends on its own
layout. The marks of the last LibreOffice run are kept in `truth/pages/`, and a
build without LibreOffice uses those: same marks, same bytes.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from . import office, truth, verify, word
from .markup import Document


def build(documents: dict, infos: dict, home: Path, out: Path, ask_office: bool) -> dict:
    """Writes the DOCX files under `out/docx` and returns reg_id -> truth."""
    truths = {}
    for reg_id, doc in documents.items():
        kept = out / "truth" / "pages" / f"{reg_id}.json"
        kept.parent.mkdir(parents=True, exist_ok=True)
        if ask_office:
            marks, total = _measure(reg_id, doc)
        else:
            stored = json.loads((home / "truth" / "pages" / f"{reg_id}.json").read_text("utf-8"))
            if stored["source"] != doc.digest:
                raise ValueError(f"{reg_id}: the source changed; run build.py --docx-pages (needs LibreOffice)")
            marks, total = stored["marks"], stored["total_pages"]
        kept.write_text(_pages_json(doc, marks, total), encoding="utf-8")
        file = out / "docx" / f"{reg_id}.docx"
        data, _ = word.make(doc, _printed(doc, marks), total)
        word.write(file, data)
        truths[reg_id] = truth.build(doc, marks, infos[reg_id], f"docx/{file.name}")
        truths[reg_id]["total_pages"] = total
        truths[reg_id]["pages_by"] = "libreoffice"
        if ask_office:
            _confirm(reg_id, truths[reg_id], data)
    truth.link(truths)
    return truths


def _measure(reg_id: str, doc: Document) -> tuple:
    """Lays out twice: the second time with the page numbers of the first in the contents."""
    first, _, _ = office.measure(doc, {})
    marks, total, _ = office.measure(doc, _printed(doc, first))
    if _printed(doc, marks) != _printed(doc, first):
        raise ValueError(f"{reg_id}: the contents change the layout")
    return marks, total


def _printed(doc: Document, marks: list) -> dict:
    body = next(m["page"] for m in marks if m["k"] == "body")
    return {
        m["i"]: m["page"] - body + 1
        for m in marks
        if m["k"] == "start" and doc.blocks[m["i"]].kind == "heading"
    }


def _confirm(reg_id: str, data: dict, docx: bytes) -> None:
    """The file that is kept, laid out without any bookmark, must agree with the truth."""
    with tempfile.TemporaryDirectory() as folder:
        pdf = Path(folder) / "plain.pdf"
        pdf.write_bytes(office.to_pdf(docx))
        doubts = verify.problems(data, pdf)
    if doubts:
        raise ValueError(f"{reg_id}: LibreOffice does not bear out the DOCX truth: {doubts[:5]}")


def _pages_json(doc: Document, marks: list, total: int) -> str:
    lines = ",\n".join(json.dumps(mark, ensure_ascii=False) for mark in marks)
    return f'{{"source": "{doc.digest}", "total_pages": {total}, "marks": [\n{lines}\n]}}\n'
