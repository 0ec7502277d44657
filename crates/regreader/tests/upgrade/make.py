"""Writes tiaodu.pdf, the regulation of the 0.1 library (README.md beside it says how that library was made).

Three pages of an invented regulation with a table over two pages, its note and references. The Chinese font is named, not
embedded, so that the file stays small. Same bytes every time; needs nothing but Python.
"""

import sys

LINE = 22


def text(x, y, size, words):
    return f"BT /F1 {size} Tf {x} {y} Td <{words.encode('utf-16-be').hex()}> Tj ET\n"


def table(top, rows, widths, left=90):
    """Ruled on all sides; gives the drawing and where it ends."""
    height, out, right = 24, "", left + sum(widths)
    for number in range(len(rows) + 1):
        y = top - number * height
        out += f"{left} {y} m {right} {y} l S\n"
    x = left
    for width in [*widths, 0]:
        out += f"{x} {top} m {x} {top - len(rows) * height} l S\n"
        x += width
    for number, row in enumerate(rows):
        x = left
        for cell, width in zip(row, widths):
            out += text(x + 6, top - number * height - 17, 11, cell)
            x += width
    return out, top - len(rows) * height


def lines(top, words):
    out = ""
    for size, line in words:
        out += text(90, top, size, line)
        top -= LINE
    return out, top


def pages():
    head = ["元件", "控制限值 (MW)", "监视断面"]
    rows = [[f"青云{n}线", f"{600 + 20 * n}", "青云断面"] for n in range(1, 8)]
    cover, _ = lines(640, [(22, "青云电网调度运行规程"), (14, "QY/T 001-2023"), (12, "2023-05-01 实施")])
    first, end = lines(
        770,
        [
            (16, "1 总则"),
            (12, "1.1 本规程规定青云电网的运行控制要求。断面限值见表2-1。"),
            (12, "1.2 任何单位不得擅自改变控制限值。"),
            (16, "2 断面控制"),
            (12, "2.1 青云断面潮流不得超过表2-1规定的限值，越限后应在15分钟内恢复。"),
            (12, "2.2 限值的修改应按第3.1条执行。"),
        ],
    )
    caption, end = lines(end - 20, [(12, "表2-1 青云断面控制限值")])
    grid, _ = table(end + 4, [head, *rows[:4]], [120, 140, 120])
    second, end = table(770, [head, *rows[4:]], [120, 140, 120])
    rest, _ = lines(
        end - 24,
        [
            (11, "注1：检修方式下限值降低50 MW。"),
            (16, "3 管理"),
            (12, "3.1 控制限值由青云调度中心每年复核一次，并报上级批准。"),
        ],
    )
    return [cover, first + caption + grid, second + rest]


def write(path):
    objects = [None]
    contents = pages()
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(contents)))
    objects.append("<< /Type /Catalog /Pages 2 0 R >>")
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>")
    objects.append(
        "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [<< /Type /Font "
        "/Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> "
        "/FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] "
        "/ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >> /DW 1000 /W [1 95 500 814 939 500] >>] >>"
    )
    for number, stream in enumerate(contents):
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}endstream")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects[1:], 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects)}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects)} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    open(path, "wb").write(out)


write(sys.argv[1] if len(sys.argv) > 1 else "tiaodu.pdf")
