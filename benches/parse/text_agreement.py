"""Character agreement and reading order of our PDF text against MuPDF and poppler.

usage: text_agreement.py PDF_DUMP FILE...

PDF_DUMP is the built example `pdf_dump` of regreader-parse; `pdftotext` must be on the PATH. Agreement of a page is
2·|A∩B| / (|A|+|B|) over the multisets of its characters after NFKC, white space left out, averaged over the two
references; order is the Indel similarity of the two character sequences with the nearer reference. Pages that we flag
(no usable text) are counted and left out. Hanzi that one typesetting system uses for italic Latin are read as Latin on
both sides.
"""
import collections
import json
import os
import subprocess
import sys
import unicodedata

import pymupdf
from rapidfuzz.distance import Indel


def latin_hanzi():
    table = {"\ue011": "—"}
    for first, letter in ((0xC1, "A"), (0xE1, "a")):
        for step in range(26):
            table[bytes([0xA0, first + step]).decode("gb18030")] = chr(ord(letter) + step)
    return table


LATIN = latin_hanzi()
UNSEEN = "\u00ad\u200b\ufeff\ufffd"


def folded(text):
    text = unicodedata.normalize("NFKC", "".join(LATIN.get(c, c) for c in text))
    return "".join(c for c in text if not c.isspace() and c not in UNSEEN)


def agreement(a, b):
    if not a and not b:
        return 1.0
    shared = sum((collections.Counter(a) & collections.Counter(b)).values())
    return 2 * shared / (len(a) + len(b))


def ours(dump, path):
    document = json.loads(subprocess.run([dump, "--json", path], capture_output=True, check=True).stdout)
    for page in document["pages"]:
        texts = []
        for element in page["elements"]:
            if element["type"] == "text":
                texts.append(element["text"])
            elif element["type"] == "table":
                cells = sorted(element["cells"], key=lambda cell: (cell["row"], cell["col"]))
                texts.extend(cell["content"] for cell in cells)
        yield folded("\n".join(texts)), page["origin"]["kind"]


def compare(dump, path):
    mupdf = [folded(page.get_text()) for page in pymupdf.open(path)]
    poppler = subprocess.run(["pdftotext", "-enc", "UTF-8", path, "-"], capture_output=True).stdout
    poppler = [folded(page) for page in poppler.decode("utf8", "replace").split("\f")]
    agree, order, flagged = [], [], 0
    for (mine, origin), a, b in zip(ours(dump, path), mupdf, poppler):
        if origin in ("needs_ocr", "blank"):
            flagged += 1
            continue
        agree.append((agreement(mine, a) + agreement(mine, b)) / 2)
        order.append(max(Indel.normalized_similarity(mine, a), Indel.normalized_similarity(mine, b)))
    return agree, order, flagged


def mean(values):
    return sum(values) / len(values) if values else 0.0


def main():
    dump, paths = sys.argv[1], sys.argv[2:]
    rows = []
    for path in paths:
        agree, order, flagged = compare(dump, path)
        name = os.path.basename(path)[:45]
        print(f"{name:45} pages {len(agree) + flagged:4} flagged {flagged:3} agreement {mean(agree):.4f} order {mean(order):.4f}", flush=True)
        if agree:
            rows.append((mean(agree), mean(order)))
    print(f"MEAN of {len(rows)} documents: agreement {mean([r[0] for r in rows]):.4f} order {mean([r[1] for r in rows]):.4f}")


main()
