"""The pages of a DOCX as LibreOffice lays it out.

A marked copy is turned into a PDF whose named destinations are the bookmarks;
their pages come back in the shape of typst's marks.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path

import pypdfium2
import pypdfium2.raw as raw

from . import word
from .markup import Document

EXPORT = 'pdf:writer_pdf_Export:{"ExportBookmarksToPDFDestination":{"type":"boolean","value":"true"}}'


def measure(doc: Document, printed: dict) -> tuple:
    """Marks with pages, the page count, and the PDF's bytes for checking."""
    data, names = word.make(doc, printed, 1, marks=True)
    pdf = to_pdf(data)
    found, total = _destinations(pdf)
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"{len(missing)} bookmarks have no page, e.g. {names[missing[0]]}")
    marks = [{**mark, "page": found[name]} for name, mark in names.items()]
    return _complete(doc, marks, total), total, pdf


def to_pdf(docx: bytes) -> bytes:
    """The PDF that LibreOffice makes, bookmarks as named destinations."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "file.docx").write_bytes(docx)
        subprocess.run(
            ["soffice", "--headless", f"-env:UserInstallation=file://{root}/profile", "--convert-to", EXPORT,
             "--outdir", str(root), str(root / "file.docx")],
            check=True, capture_output=True, timeout=300,
        )
        return (root / "file.pdf").read_bytes()


def _complete(doc: Document, marks: list, total: int) -> list:
    """Adds what follows from the layout: repeated headers and printed numbers."""
    style = doc.meta["style"]
    for block in doc.blocks:
        if block.table and block.table.options.get("repeat", "none") != "none":
            pages = {m["page"] for m in marks if m["k"] == "row" and m["table"] == block.table.key}
            marks += [{"k": "head", "table": block.table.key, "row": 0, "page": page} for page in sorted(pages)]
    body = next(m["page"] for m in marks if m["k"] == "body")
    contents = next((m["page"] for m in marks if m["k"] == "toc-start"), body)
    blank = {m["page"] for m in marks if m["k"] == "blank"}
    for page in range(contents, total + 1):
        if page in blank:
            continue
        before, after = word.printed_frame(style, page >= body)
        number = str(page - body + 1) if page >= body else "i" * (page - contents + 1)
        marks.append({"k": "label", "text": f"{before}{number}{after}", "page": page})
    return marks


def _destinations(pdf: bytes) -> tuple:
    document = pypdfium2.PdfDocument(pdf)
    try:
        found = {}
        for index in range(raw.FPDF_CountNamedDests(document)):
            size = ctypes.c_long(0)
            raw.FPDF_GetNamedDest(document, index, None, size)
            buffer = ctypes.create_string_buffer(size.value)
            destination = raw.FPDF_GetNamedDest(document, index, buffer, size)
            name = buffer.raw[: size.value].decode("utf-16-le").rstrip("\0")
            found[name] = raw.FPDFDest_GetDestPageIndex(document, destination) + 1
        return found, len(document)
    finally:
        document.close()
