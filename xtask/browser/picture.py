"""Makes a screenshot small: at most 256 colours, written as a PNG with a palette. Standard library only.

Screens of text have few colours that matter and thousands of shades around every letter, so a palette of the most frequent
ones is a third of the size and looks the same.
"""

import struct
import zlib


def pixels(png):
    """Width, height and rows of RGB bytes of a PNG as browsers write it (8 bits, RGB or RGBA, not interlaced)."""
    at, data, header = 8, b"", None
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = header
    if depth != 8 or colour not in (2, 6) or interlaced:
        raise ValueError("not a screenshot")
    step = 3 if colour == 2 else 4
    stride = width * step
    raw = zlib.decompress(data)
    before = bytearray(stride)
    rows = []
    for y in range(height):
        start = y * (stride + 1)
        rule = raw[start]
        line = bytearray(raw[start + 1:start + 1 + stride])
        if rule == 1:
            for x in range(step, stride):
                line[x] = (line[x] + line[x - step]) & 255
        elif rule == 2:
            for x in range(stride):
                line[x] = (line[x] + before[x]) & 255
        elif rule == 3:
            for x in range(stride):
                left = line[x - step] if x >= step else 0
                line[x] = (line[x] + ((left + before[x]) >> 1)) & 255
        elif rule == 4:
            for x in range(stride):
                a = line[x - step] if x >= step else 0
                b, c = before[x], before[x - step] if x >= step else 0
                p = a + b - c
                da, db, dc = abs(p - a), abs(p - b), abs(p - c)
                line[x] = (line[x] + (a if da <= db and da <= dc else b if db <= dc else c)) & 255
        rows.append(line)
        before = line
    return width, height, step, rows


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def shrink(png):
    """The same picture with at most 256 colours; the picture itself where that is no smaller."""
    width, height, step, rows = pixels(png)
    counts, codes = {}, []
    for line in rows:
        red, green, blue = line[0::step], line[1::step], line[2::step]
        row = [(r << 16) | (g << 8) | b for r, g, b in zip(red, green, blue)]
        codes.append(row)
        for code in row:
            counts[code] = counts.get(code, 0) + 1
    # Colours that are nearly the same share a place, named by the most frequent of them.
    groups = {}
    for code, count in counts.items():
        key = code & 0xF0F0F0
        if count > groups.get(key, (0, 0))[1]:
            groups[key] = (code, count)
    weight = {}
    for code, count in counts.items():
        weight[code & 0xF0F0F0] = weight.get(code & 0xF0F0F0, 0) + count
    exact = sorted(counts, key=counts.get, reverse=True)[:64]
    shades = [groups[key][0] for key in sorted(groups, key=weight.get, reverse=True)]
    palette = list(dict.fromkeys(exact + shades))[:256]

    def nearest(code):
        r, g, b = code >> 16, (code >> 8) & 255, code & 255
        return min(range(len(palette)), key=lambda i: ((palette[i] >> 16) - r) ** 2 + (((palette[i] >> 8) & 255) - g) ** 2 + ((palette[i] & 255) - b) ** 2)

    place = {code: nearest(code) for code in counts}
    data = b"".join(b"\0" + bytes(place[code] for code in row) for row in codes)
    colours = b"".join(bytes((code >> 16, (code >> 8) & 255, code & 255)) for code in palette)
    small = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)) + chunk(b"PLTE", colours) + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")
    return min(small, png, key=len)
