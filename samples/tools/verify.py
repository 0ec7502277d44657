"""A second opinion on the truth: is each text on the page the truth says?

Reads the finished PDF back through PDFium, which shares nothing with typst's
own page report. Used by `build.py`; any miss is an error.
"""

from __future__ import annotations

import re
from pathlib import Path

import pypdfium2


def page_texts(pdf: Path) -> list:
    """The text of every page with all white space removed."""
    document = pypdfium2.PdfDocument(str(pdf))
    try:
        return [squeeze(page.get_textpage().get_text_range()) for page in document]
    finally:
        document.close()


def squeeze(text: str) -> str:
    """Without white space, and without the soft marks PDFium adds at line ends."""
    return re.sub(r"[\s\ufffe\u00ad]+", "", text)


def problems(truth: dict, pdf: Path) -> list:
    """Every claim of the truth that the PDF's text does not bear out."""
    texts = page_texts(pdf)
    out = []
    if len(texts) != truth["total_pages"]:
        out.append(f"pages: {len(texts)} in the file, {truth['total_pages']} in the truth")

    def expect(page: int, text: str, what: str) -> None:
        if squeeze(text) not in texts[page - 1]:
            out.append(f"page {page}: no {what}: {text[:40]}")

    for chapter in truth["chapters"]:
        expect(chapter["page_start"], chapter["heading"][:16], f"chapter {chapter['number']}")
    for para in truth["paragraphs"]:
        expect(para["page"], para["text"][:10], para["kind"])
        expect(para["page_end"], para["text"][-3:], f"end of {para['kind']}")
    for table in truth["tables"]:
        if table["caption"] and table["caption_position"] == "above":
            expect(table["page_start"], table["caption"], "caption")
        for row, page in zip(table["rows"], table["row_pages"]):
            for cell in row:
                if cell["row_span"] == 1:
                    expect(page, cell["text"], f"cell of table {table['id']}")
    for note in truth["notes"]:
        expect(note["page"], note["printed"][:12], "note")
    for page, label in truth["printed_labels"].items():
        expect(int(page), label, "printed page number")
    for page in truth["blank_pages"]:
        if texts[page - 1]:
            out.append(f"page {page} is not blank")
    return out
