#!/usr/bin/env python3
"""Holds the marks of a running `regreader web` against what another program reads off the page.

Every verified statement and related passage of the answers to a set of questions is opened as its link opens it. `pdftotext` (poppler) says
which words lie under the marks; it shares no code with RegReader. A mark is wrong when a marked box has nothing of the passage
in it, and a passage is not whole when words of it lie under no mark.

    python3 xtask/browser/marks.py http://127.0.0.1:8090 --library DATA_DIR --questions samples/questions.jsonl
"""

import argparse
import collections
import csv
import functools
import html
import io
import json
import pathlib
import re
import subprocess
import sys
import unicodedata
import urllib.parse
import urllib.request


def get(url):
    with urllib.request.urlopen(urllib.request.Request(url, headers={"accept-language": "zh-CN"}), timeout=120) as answer:
        return answer.read().decode()


def fold(text):
    return "".join(c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum())


@functools.lru_cache(maxsize=512)
def characters(pdf, page):
    """Characters of a page with their places. A word of `pdftotext` is a run without a space: its letters share its width."""
    said = subprocess.run(["pdftotext", "-f", str(page), "-l", str(page), "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    found = []
    for x0, y0, x1, y1, word in re.findall(r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>', said):
        x0, y0, x1, y1, word = float(x0), float(y0), float(x1), float(y1), html.unescape(word)
        for at, letter in enumerate(word):
            found.append((x0 + (at + 0.5) * (x1 - x0) / len(word), (y0 + y1) / 2, letter))
    return found


def under(pdf, page, box):
    x, y, width, height = box
    inside = [(cy, cx, letter) for cx, cy, letter in characters(pdf, page) if x <= cx <= x + width and y <= cy <= y + height]
    return fold("".join(letter for _, _, letter in sorted(inside, key=lambda c: (round(c[0] / 4), c[1]))))


def shares(line, passage):
    """Whether a marked line has something of the passage in it: all of it, a run of four letters, or its head or end.
    A passage leaves out the numbers of its headings."""
    heading = line.lstrip("0123456789")
    if line in passage or heading and heading in passage or any(line[at:at + 4] in passage for at in range(len(line) - 3)):
        return True
    return any(line.endswith(passage[:n]) or line.startswith(passage[-n:]) for n in (1, 2, 3))


def covers(marked, passage):
    """Whether a passage lies under the marks. One of several blocks leaves out the labels of list items."""
    if passage in marked:
        return True
    for start in (at for at, letter in enumerate(marked) if letter == passage[0]):
        at = start
        for letter in passage:
            found = marked.find(letter, at, at + 9)
            if found < 0:
                break
            at = found + 1
        else:
            return True
    return False


def row_cells(url, reg_id, table, row):
    rows = list(csv.reader(io.StringIO(get(f"{url}/r/{urllib.parse.quote(reg_id)}/t/{urllib.parse.quote(table)}/table.csv").lstrip("\ufeff"))))
    return [fold(cell) for cell in rows[1 + row][:-1] if fold(cell)]


def sheets(page):
    """Pages that are shown, each with its marked boxes."""
    for part in page.split("<figure ")[1:]:
        number = re.search(r'data-page="(\d+)"', part)
        boxes = re.findall(r'<rect class="marked"[^>]* x="([\d.-]+)" y="([\d.-]+)" width="([\d.-]+)" height="([\d.-]+)"', part)
        if number and boxes:
            yield int(number.group(1)), [tuple(map(float, box)) for box in boxes]


def check(url, library, link, cited):
    """What is wrong with the marks of one link; nothing where all is well."""
    split = urllib.parse.urlsplit(link)
    query = dict(urllib.parse.parse_qsl(split.query))
    reg_id = urllib.parse.unquote(split.path.split("/")[2])
    pdf = str(library / "regulations" / reg_id / "source.pdf")
    # Evidence over a page border is marked on both pages: the list beside an answer shows them all.
    shown = list(sheets(get(url + split.path + "/sheet?" + split.query)))
    if not shown:
        return "not marked"
    if cited and cited not in [page for page, _ in shown]:
        return f"marked on {[page for page, _ in shown]}, cited on {cited}"
    lines = [under(pdf, page, box) for page, boxes in shown for box in boxes]
    together = "".join(lines)
    if "row" in query:
        # Lines of neighbouring cells come one after the other, so letters are counted. A cell that spans rows is printed in
        # the middle of them, so it may lie in another row's mark, whole or in part.
        cells = row_cells(url, reg_id, query["t"], int(query["row"]))
        more = collections.Counter(together) - collections.Counter("".join(cells))
        if more:
            return f"the row's mark also has {''.join(more)!r}"
        missing = [cell for cell in cells if collections.Counter(cell) - collections.Counter(together)]
        return f"the row's mark lacks {missing}" if len(missing) > max(1, len(cells) // 2) else ""
    passage = fold(query.get("q", ""))
    if not passage:
        return ""
    wrong = [line for line in lines if not shares(line, passage)]
    if wrong:
        return f"marked, but not of the passage: {wrong[0][:40]!r}"
    return "" if covers(together, passage) else f"part of the passage lies under no mark: {passage[:40]!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--questions", type=pathlib.Path, required=True)
    parser.add_argument("--limit", type=int, default=10_000)
    arguments = parser.parse_args()
    url = arguments.url.rstrip("/")
    questions = [json.loads(line)["question"] for line in arguments.questions.read_text().splitlines() if line.strip()]
    statements = unlinked = 0
    wrong = []
    for question in questions[:arguments.limit]:
        body = get(url + "/ask?q=" + urllib.parse.quote(question))
        for item in re.findall(r'<li class="statement (?:verified|related)">(.*?)</li>', body, re.S):
            statements += 1
            link = re.search(r'class="citation" href="([^"]+)"[^>]*>([^<]+)<', item)
            if not link:
                unlinked += 1
                continue
            cited = re.search(r"P(\d+)", link.group(2))
            address = html.unescape(link.group(1))
            why = check(url, arguments.library, address, int(cited.group(1)) if cited else None)
            if why:
                wrong.append((question, urllib.parse.unquote(address)[:120], why))
    for question, address, why in wrong:
        print(f"{why}\n  {question}\n  {address}")
    print(f"verified statements and related passages: {statements}, without a link: {unlinked}, marks that do not fit: {len(wrong)} (n questions = {min(len(questions), arguments.limit)})")
    sys.exit(1 if wrong or unlinked else 0)


if __name__ == "__main__":
    main()
