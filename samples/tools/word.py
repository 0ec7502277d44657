"""Markup -> DOCX, the way such regulations are typed in Word.

Heading styles with typed numbers, real tables with merged cells, sections for
cover, contents and body. With `marks=True` every mark of the truth becomes a
bookmark; that variant is only measured (`office.py`), never kept.
"""

from __future__ import annotations

import io
import re
import zipfile
from datetime import datetime, timezone
from pathlib import Path

import docx
from docx.enum.section import WD_SECTION
from docx.enum.table import WD_CELL_VERTICAL_ALIGNMENT, WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT, WD_TAB_LEADER
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt

from .markup import Block, Document, Ref

SERIF, SANS = "Noto Serif CJK SC", "Noto Sans CJK SC"
MOMENT = datetime(2024, 1, 1, tzinfo=timezone.utc)
BODY_SIZE = {"angui": 14, "wengui": 13, "en": 11}


def make(doc: Document, printed: dict, total_pages: int, marks: bool = False) -> tuple:
    """The DOCX bytes, and bookmark name -> mark.

    `printed` gives the page number shown in the contents for a heading's
    block index; `total_pages` goes into the document's own statistics.
    """
    writer = _Writer(doc, printed, marks)
    writer.run()
    return _pack(writer.out, total_pages), writer.names


class _Writer:
    def __init__(self, doc: Document, printed: dict, marks: bool) -> None:
        self.doc, self.printed, self.marks = doc, printed, marks
        self.style = doc.meta["style"]
        self.out = docx.Document()
        self.names: dict = {}
        self.break_before = False
        self.pending: dict | None = None
        self.out.core_properties.title = doc.meta["head"]
        self.out.core_properties.author = "RegReader samples"
        self.out.core_properties.comments = "Invented sample; not for operation. 软件示例，内容纯属虚构。"
        for name in ("created", "modified", "last_printed"):
            setattr(self.out.core_properties, name, MOMENT)
        self._styles()

    def run(self) -> None:
        self._cover()
        for block in self.doc.blocks:
            getattr(self, f"_{block.kind}")(block)

    # Styles and sections

    def _styles(self) -> None:
        styles = self.out.styles
        size = BODY_SIZE[self.style]
        _font(styles["Normal"], SERIF, size)
        styles["Normal"].paragraph_format.line_spacing = 1.5
        styles["Normal"].paragraph_format.space_after = Pt(4)
        for level in range(1, 6):
            heading = styles[f"Heading {level}"]
            _font(heading, SANS, size + max(0, 4 - 2 * level), bold=True)
            heading.paragraph_format.space_before = Pt(10)
            heading.paragraph_format.space_after = Pt(6)
            entry = styles.add_style(f"toc {level}", 1)
            entry.base_style = styles["Normal"]
            entry.paragraph_format.left_indent = Cm(0.6 * (level - 1))
            entry.paragraph_format.line_spacing = 1.0
            entry.paragraph_format.space_after = Pt(0)
            entry.paragraph_format.tab_stops.add_tab_stop(Cm(15.6), WD_TAB_ALIGNMENT.RIGHT, WD_TAB_LEADER.DOTS)
            _font(entry, SERIF, 11)
        _font(styles["Caption"], SANS, 11, bold=True)
        styles["Caption"].paragraph_format.keep_with_next = True
        section = self.out.sections[0]
        section.page_width, section.page_height = Cm(21), Cm(29.7)
        section.top_margin, section.bottom_margin = Cm(3), Cm(2.6)
        section.left_margin, section.right_margin = Cm(2.7), Cm(2.5)

    def _section(self, head: bool, number_format: str | None = None, restart: bool = False) -> None:
        section = self.out.add_section(WD_SECTION.NEW_PAGE)
        section.header.is_linked_to_previous = False
        section.footer.is_linked_to_previous = False
        # A copied section brings the numbering of the one before it.
        for old in section._sectPr.findall(qn("w:pgNumType")):
            section._sectPr.remove(old)
        if number_format:
            numbering = OxmlElement("w:pgNumType")
            numbering.set(qn("w:fmt"), number_format)
            if restart:
                numbering.set(qn("w:start"), "1")
            # The schema wants it before the columns.
            section._sectPr.find(qn("w:cols")).addprevious(numbering)
        if not head:
            return
        top = section.header.paragraphs[0]
        top.alignment = WD_ALIGN_PARAGRAPH.RIGHT if self.style == "wengui" else WD_ALIGN_PARAGRAPH.CENTER
        top.add_run(self.doc.meta["head"]).font.size = Pt(9)
        foot = section.footer.paragraphs[0]
        foot.alignment = WD_ALIGN_PARAGRAPH.CENTER
        before, after = printed_frame(self.style, number_format == "decimal")
        foot.add_run(before)
        _field(foot, "PAGE", "1")
        foot.add_run(after)

    # Blocks

    def _cover(self) -> None:
        for line in self.doc.cover:
            kind, _, text = line.partition(" ")
            para = self.out.add_paragraph()
            para.alignment = WD_ALIGN_PARAGRAPH.CENTER
            if kind == "gap":
                para.paragraph_format.space_after = Pt(40)
                continue
            run = para.add_run(text)
            run.bold = kind == "title"
            run.font.size = Pt({"title": 24, "notice": 12}.get(kind, 14))

    def _toc(self, block: Block) -> None:
        self._section(head=True, number_format="lowerRoman", restart=True)
        title = self.out.add_paragraph()
        title.alignment = WD_ALIGN_PARAGRAPH.CENTER
        self._bookmark(title, {"k": "toc-start"})
        title.add_run(self.doc.meta.get("toc_title", "目  录")).bold = True
        depth = int(self.doc.meta.get("toc_depth", "3"))
        entries = [b for b in self.doc.blocks if b.kind == "heading" and b.level <= depth]
        for at, entry in enumerate(entries):
            para = self.out.add_paragraph(style=f"toc {entry.level}")
            if at == 0:
                _field_part(para, "begin")
                _instruction(para, f'TOC \\o "1-{depth}" \\h \\z \\u')
                _field_part(para, "separate")
            para.add_run(f"{entry.text}\t{self.printed.get(entry.index, 0)}")
            if at == len(entries) - 1:
                _field_part(para, "end")
                self._bookmark(para, {"k": "toc-end"})

    def _body(self, block: Block) -> None:
        self._section(head=True, number_format="decimal", restart=True)
        self.pending = {"k": "body"}

    def _newpage(self, block: Block) -> None:
        self.break_before = True

    def _blankpage(self, block: Block) -> None:
        self._section(head=False)
        self._bookmark(self.out.add_paragraph(), {"k": "blank"})
        if block.chapter is not None:
            self._section(head=True, number_format="decimal")

    def _space(self, block: Block) -> None:
        self.out.add_paragraph()

    def _heading(self, block: Block) -> None:
        para = self.out.add_paragraph(style=f"Heading {block.level}")
        if self.break_before:
            para.paragraph_format.page_break_before = True
            self.break_before = False
        self._text(block, para)

    def _clause(self, block: Block) -> None:
        self._text(block, self.out.add_paragraph())

    def _para(self, block: Block) -> None:
        para = self.out.add_paragraph()
        para.paragraph_format.first_line_indent = Pt(2 * BODY_SIZE[self.style])
        self._text(block, para)

    def _item(self, block: Block) -> None:
        para = self.out.add_paragraph()
        para.paragraph_format.left_indent = Pt(2 * BODY_SIZE[self.style])
        self._text(block, para)

    def _note(self, block: Block) -> None:
        para = self.out.add_paragraph()
        para.paragraph_format.keep_together = True
        self._text(block, para, size=10.5)

    def _text(self, block: Block, para, size: float | None = None) -> None:
        if self.pending:
            self._bookmark(para, self.pending)
            self.pending = None
        self._bookmark(para, {"k": "start", "i": block.index})
        self._runs(para, block.inline, size)
        self._bookmark(para, {"k": "end", "i": block.index})

    def _runs(self, para, inline: list, size: float | None = None, bold: bool = False) -> None:
        for run in inline:
            if isinstance(run, Ref):
                self._bookmark(para, {"k": "ref", "i": run.index})
            made = para.add_run(run.text if isinstance(run, Ref) else run)
            made.bold = bold or None
            if size:
                made.font.size = Pt(size)

    def _table(self, block: Block) -> None:
        table = block.table
        below = table.options.get("caption") == "below"
        if table.caption and not below:
            self._caption(table.caption)
        made = self.out.add_table(rows=len(table.rows), cols=table.columns)
        made.style = "Table Grid"
        made.alignment = WD_TABLE_ALIGNMENT.CENTER
        made.autofit = False
        widths = [float(width) for width in table.options["widths"].split(",")]
        for column, width in zip(made.columns, widths):
            column.width = Cm(15.8 * width / sum(widths))
        whole = [made.rows[y].cells for y in range(len(table.rows))]
        for y, row in enumerate(table.rows):
            self._row(made, whole, table, y, row, widths)
        if table.options.get("keep") == "yes":
            # Covered cells too, or the rows under a merged header cell drift apart.
            for row in made.rows[:-1]:
                for paragraph in row._tr.iter(qn("w:p")):
                    paragraph.get_or_add_pPr().get_or_add_keepNext()
        if below:
            self._caption(table.caption)

    def _caption(self, text: str) -> None:
        para = self.out.add_paragraph(text, style="Caption")
        para.alignment = WD_ALIGN_PARAGRAPH.CENTER

    def _row(self, made, whole: list, table, y: int, row: list, widths: list) -> None:
        header = y < table.header_rows
        own = [x for x, cell in enumerate(row) if cell is not None and cell.row_span == 1][-1]
        properties = made.rows[y]._tr.get_or_add_trPr()
        properties.append(OxmlElement("w:cantSplit"))
        if header and table.options.get("repeat", "none") != "none":
            properties.append(OxmlElement("w:tblHeader"))
        for x in range(table.columns):
            whole[y][x].width = Cm(15.8 * widths[x] / sum(widths))
        for x, cell in enumerate(row):
            if cell is None:
                continue
            target = whole[y][x]
            if cell.row_span > 1 or cell.col_span > 1:
                target = target.merge(whole[y + cell.row_span - 1][x + cell.col_span - 1])
            target.vertical_alignment = WD_CELL_VERTICAL_ALIGNMENT.CENTER
            para = target.paragraphs[0]
            para.alignment = WD_ALIGN_PARAGRAPH.LEFT if len(cell.text) > 14 and not header else WD_ALIGN_PARAGRAPH.CENTER
            para.paragraph_format.line_spacing = 1.0
            para.paragraph_format.space_before = para.paragraph_format.space_after = Pt(3)
            if x == own:
                self._bookmark(para, {"k": "head" if header else "row", "table": table.key, "row": y})
            self._runs(para, cell.inline, size=11, bold=header)

    # Bookmarks

    def _bookmark(self, para, mark: dict) -> None:
        if not self.marks:
            return
        number = len(self.names) + 1
        name = f"mark{number}"
        self.names[name] = mark
        for tag in ("w:bookmarkStart", "w:bookmarkEnd"):
            element = OxmlElement(tag)
            element.set(qn("w:id"), str(number))
            if tag.endswith("Start"):
                element.set(qn("w:name"), name)
            para._p.append(element)


def printed_frame(style: str, body: bool) -> tuple:
    """What stands before and after a printed page number."""
    if style == "wengui" and body:
        return "— ", " —"
    if style == "en" and body:
        return "Page ", ""
    return "", ""


def _font(style, name: str, size: float, bold: bool = False) -> None:
    style.font.name = name
    style.font.size = Pt(size)
    style.font.bold = bold
    style.font.italic = False
    properties = style.element.get_or_add_rPr()
    fonts = properties.get_or_add_rFonts()
    for old in [key for key in fonts.attrib if "Theme" in key]:
        del fonts.attrib[old]
    for kind in ("ascii", "hAnsi", "eastAsia", "cs"):
        fonts.set(qn(f"w:{kind}"), name)
    colour = properties.find(qn("w:color"))
    if colour is not None:
        properties.remove(colour)


def _field(para, code: str, shown: str) -> None:
    _field_part(para, "begin")
    _instruction(para, code)
    _field_part(para, "separate")
    para.add_run(shown)
    _field_part(para, "end")


def _field_part(para, kind: str) -> None:
    part = OxmlElement("w:fldChar")
    part.set(qn("w:fldCharType"), kind)
    para.add_run()._r.append(part)


def _instruction(para, code: str) -> None:
    text = OxmlElement("w:instrText")
    text.set(qn("xml:space"), "preserve")
    text.text = f" {code} "
    para.add_run()._r.append(text)


def _pack(document, total_pages: int) -> bytes:
    """Saves with fixed times and order, and with the page count in app.xml."""
    first = io.BytesIO()
    document.save(first)
    packed = io.BytesIO()
    with zipfile.ZipFile(first) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        names = sorted(source.namelist(), key=lambda name: (name != "[Content_Types].xml", name))
        for name in names:
            data = source.read(name)
            if name == "docProps/app.xml":
                data = re.sub(rb"<Pages>\d+</Pages>", b"<Pages>%d</Pages>" % total_pages, data)
            entry = zipfile.ZipInfo(name, date_time=(2024, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            target.writestr(entry, data, compresslevel=9)
    return packed.getvalue()


def write(path: Path, data: bytes) -> None:
    """Writes the file only when it would change."""
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)
