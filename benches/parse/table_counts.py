"""Ruled tables and their cells, page by page, against pdfplumber.

usage: table_counts.py PDF_DUMP FILE

PDF_DUMP is the built example `pdf_dump` of regreader-parse. Boxes filled with white and drawn without an outline are
invisible; pdfplumber takes their edges for rules, so they are taken out of its input first.
"""
import json
import subprocess
import sys

import pdfplumber

WHITE = (1.0, 1, (1,), (1.0,), (1, 1, 1), (1.0, 1.0, 1.0), (0, 0, 0, 0))


def visible(thing):
    box = thing["object_type"] == "rect" and thing["fill"] and not thing["stroke"]
    if box and thing["width"] > 3 and thing["height"] > 3:
        return thing.get("non_stroking_color") not in WHITE
    return True


def main():
    dump, path = sys.argv[1:3]
    document = json.loads(subprocess.run([dump, "--json", path], capture_output=True, check=True).stdout)
    totals, differing = [0, 0, 0, 0], []
    with pdfplumber.open(path) as pdf:
        for page, other in zip(document["pages"], pdf.pages):
            mine = [
                len(element["cells"])
                for element in page["elements"]
                if element["type"] == "table" and element["kind"] == "ruled"
            ]
            theirs = [len(table.cells) for table in other.filter(visible).find_tables()]
            for index, value in enumerate((len(mine), sum(mine), len(theirs), sum(theirs))):
                totals[index] += value
            if sorted(mine) != sorted(theirs):
                differing.append((page["page_num"], mine, theirs))
    for number, mine, theirs in differing:
        print(f"page {number}: ours {mine}, pdfplumber {theirs}")
    print(f"ours {totals[0]} tables {totals[1]} cells; pdfplumber {totals[2]} tables {totals[3]} cells; {len(differing)} pages differ")


main()
