"""Markup -> typst -> PDF, and the pages that typst reports for each mark.

Every block, table row, note, reference and printed page number carries an
invisible mark; the pages of the truth files come from querying those marks.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from pathlib import Path

import typst

from .markup import Block, Document, Ref, Table

TEMPLATE = Path(__file__).with_name("regulation.typ")
# Any fixed moment; only there so that a rebuild gives the same bytes.
TIMESTAMP = 1704067200


def make_pdf(doc: Document, output: Path) -> list:
    """Writes the PDF and returns the marks: dicts with `k`, keys and `page`."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copy(TEMPLATE, root / TEMPLATE.name)
        main = root / "main.typ"
        main.write_text(typst_source(doc), encoding="utf-8")
        compiler = typst.Compiler(str(main), root=str(root))
        with warnings.catch_warnings():
            warnings.simplefilter("error", typst.TypstWarning)
            compiler.compile(output=str(output), timestamp=TIMESTAMP)
            return json.loads(compiler.query("<marks>", field="value", one=True))


def typst_source(doc: Document) -> str:
    """The whole typst program of one regulation."""
    meta = doc.meta
    out = [
        f'#import "{TEMPLATE.name}": *',
        f"#show: regulation.with(style: {quote(meta['style'])}, lang: {quote(meta.get('lang', 'zh'))}, head: {quote(meta['head'])})",
        f"#cover(({''.join(_cover(line) for line in doc.cover)}))",
    ]
    for block in doc.blocks:
        out.append(_block(block, doc))
    out.append("#report-marks()")
    return "\n".join(out) + "\n"


def quote(text: str) -> str:
    """A typst string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _cover(line: str) -> str:
    kind, _, text = line.partition(" ")
    return f"({quote(kind)}, {quote(text)}), "


def _block(block: Block, doc: Document) -> str:
    style = doc.meta["style"]
    index = block.index
    if block.kind == "toc":
        depth = doc.meta.get("toc_depth", "3")
        title = doc.meta.get("toc_title", "目  录")
        return (
            '#pagebreak()\n#chrome("front")#counter(page).update(1)\n'
            f"#contents({quote(title)}, {depth})\n#mark((k: \"toc-end\"))"
        )
    if block.kind == "body":
        return '#pagebreak()\n#chrome("body")#counter(page).update(1)#mark((k: "body"))'
    if block.kind == "newpage":
        return "#pagebreak()"
    if block.kind == "blankpage":
        return (
            f'#pagebreak()\n#[#chrome("none")#mark((k: "blank"))]\n'
            '#pagebreak()\n#chrome("body")'
            if block.chapter is not None
            else '#pagebreak()\n#mark((k: "blank"))'
        )
    if block.kind == "space":
        return f"#v({block.title})"
    if block.kind == "table":
        return _table(block, style)
    body = _start(index) + _runs(block.inline) + _end(index)
    if block.kind == "heading":
        bookmarked = "true" if style != "wengui" else "false"
        return f"#title-line({index}, {block.level}, {bookmarked})[{body}]"
    if block.kind == "note":
        return f"#note(10.5pt)[{body}]"
    if block.kind in ("para", "clause", "item"):
        return f"#{block.kind}[{body}]"
    raise ValueError(block.kind)


def _start(index: int) -> str:
    return f'#mark((k: "start", i: {index}))'


def _end(index: int) -> str:
    return f'#mark((k: "end", i: {index}))'


def _runs(inline: list) -> str:
    out = []
    for run in inline:
        if isinstance(run, Ref):
            out.append(f'#mark((k: "ref", i: {run.index}))#{quote(run.text)}')
        else:
            out.append(f"#{quote(run)}")
    return "".join(out)


def _table(block: Block, style: str) -> str:
    table = block.table
    repeat = table.options.get("repeat", "none")
    widths = ", ".join(f"{w}fr" for w in table.options["widths"].split(","))
    below = table.options.get("caption") == "below"
    opening = f'[#metadata({quote(table.key)})<table-start>{_start(block.index)}]'
    header = []
    if repeat == "caption":
        first, later = table.caption, continuation(table)
        header.append(
            f"table.cell(colspan: {table.columns}, stroke: none)"
            f"[#running-caption({quote(table.key)}, {quote(first)}, {quote(later)})]"
        )
    header += _rows(table, 0, table.header_rows)
    rows = _rows(table, table.header_rows, len(table.rows))
    flag = "false" if repeat == "none" else "true"
    body = (
        f"#table(columns: ({widths},), table.header(repeat: {flag}, {', '.join(header)}), "
        f"{', '.join(rows)})"
    )
    parts = []
    if repeat == "caption":
        parts.append(f"#block(sticky: true, spacing: 0.3em){opening}")
    elif table.caption and not below:
        parts.append(f"#caption{opening[:-1]}#{quote(table.caption)}]")
    else:
        parts.append(f"#block(sticky: true, spacing: 0.3em){opening}")
    parts.append(body)
    if below:
        parts.append(f"#caption(below: true)[#{quote(table.caption)}]")
    parts.append(_end(block.index) if below else "")
    whole = "\n".join(parts)
    return f"#block(breakable: false)[\n{whole}\n]" if table.options.get("keep") == "yes" else whole


def continuation(table: Table) -> str:
    """The caption printed on the second and later pages."""
    form = table.options.get("cont", "续")
    if form == "prefix":
        return f"续表{table.number}"
    if form == "en":
        return f"Table {table.number} (continued)"
    return f"表{table.number}（续）"


def _rows(table: Table, first: int, last: int) -> list:
    out = []
    for y in range(first, last):
        # The mark sits in a cell of this very row, so that its page is the row's.
        own = [x for x, cell in enumerate(table.rows[y]) if cell is not None and cell.row_span == 1]
        if not own:
            raise ValueError(f"table {table.key} row {y} has only spanning cells")
        for x, cell in enumerate(table.rows[y]):
            if cell is None:
                continue
            kind = "head" if y < table.header_rows else "row"
            mark = f'#mark((k: "{kind}", table: {quote(table.key)}, row: {y}))' if x == own[-1] else ""
            weight = f"#strong[{_runs(cell.inline)}]" if kind == "head" else _runs(cell.inline)
            spans = f"rowspan: {cell.row_span}, colspan: {cell.col_span}"
            if cell.row_span > 1 and table.options.get("span") == "break":
                spans += ", breakable: true"
            left = ", align: left + horizon" if len(cell.text) > 14 and kind == "row" else ""
            out.append(f"table.cell({spans}{left})[{mark}{weight}]")
    return out
