"""The file that ships, and the exact integer arithmetic of inference (mirrored by `crates/embed`).

Layout, little endian:
  0   8  magic  "RGEMBED\\0"
  8   4  version (2)
  12  4  dimensions
  16  4  rows
  20  4  bytes of names
  24  8  reserved, zero
  32  32 BLAKE3 of everything after byte 64
  64     names: for each row one length byte and the UTF-8 name
         query weights: two bytes per row, 0 to 4095
         document weights: two bytes per row, 0 to 4095
         rows: dimensions / 2 bytes each; byte i has dimension i in its low half and dimension i + dimensions / 2 in its high half,
         0 to 15 for -15, -13 ... 15

A text's vector is the sum over its tokens of weight(row) * row, in whole numbers, divided by its length. Version 1 had a byte per
dimension and per weight, which doubled the file for nothing that a measurement could tell (RESULTS.md); it is still read here.
"""

from pathlib import Path

import numpy as np

from .tokens import Tokenizer

MAGIC, VERSION = b"RGEMBED\0", 2


class Table:
    def __init__(self, names, query, document, rows):
        self.names, self.query, self.document, self.rows = names, query, document, rows
        self.tokenizer = Tokenizer(names)

    def embed(self, text: str, query: bool) -> np.ndarray:
        ids = self.tokenizer.ids(text)
        weights = (self.query if query else self.document).astype(np.int64)
        total = np.zeros(self.rows.shape[1], dtype=np.int64)
        for i in ids:
            total += self.rows[i].astype(np.int64) * weights[i]
        square = int((total * total).sum())
        return (total.astype(np.float64) / np.sqrt(np.float64(square)) if square else total).astype(np.float32)


def quantise(rows: np.ndarray, query: np.ndarray, document: np.ndarray):
    """Float rows and weights to int8 rows and byte weights.

    weight * row only matters up to one common factor. Each row is scaled to fill int8; what that took away
    goes into its weights. Rows so light that their weight would round away keep weight 1 and shrink instead.
    """
    size = np.abs(rows).max(1).clip(1e-12)
    # One unit of weight times 127: chosen so that the heaviest (clipped at the 99.9th percentile) gets 255.
    heavy = np.quantile(size * np.maximum(query, document), 0.999)
    unit = heavy / 255.0
    want = size * np.maximum(query, document) / unit
    fill = np.clip(want / 4.0, 0.02, 1.0)  # below weight 4, shrink the row rather than lose the ratio of the weights
    q8 = np.rint(rows / size[:, None] * 127.0 * fill[:, None]).clip(-127, 127).astype(np.int8)
    weigh = lambda w: np.rint(size * w / unit / fill).clip(0, 255).astype(np.uint8)
    return q8, weigh(query), weigh(document)


def halve(q8: np.ndarray, query: np.ndarray, document: np.ndarray):
    """int8 rows and byte weights to rows of sixteen levels and two-byte weights.

    Every row has the step with the least squared error, and its weights take the step over.
    """
    rows = q8.astype(np.float32)
    high = np.abs(rows).max(1).clip(1)
    least = np.full(len(rows), np.inf, np.float32)
    step = np.zeros(len(rows), np.float32)
    for share in np.linspace(0.5, 1.05, 23):
        tried = high * share / 15.0
        error = ((levels(rows, tried) * tried[:, None] - rows) ** 2).sum(1)
        step = np.where(error < least, tried, step)
        least = np.minimum(error, least)
    unit = (step * np.maximum(query, document)).max() / 4095.0
    weigh = lambda w: np.rint(w * step / unit).astype(np.uint16)
    return levels(rows, step).astype(np.int8), weigh(query), weigh(document)


def levels(rows: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The nearest odd number of steps, -15 to 15."""
    return (2 * np.floor(rows / (2 * step[:, None])) + 1).clip(-15, 15)


def save(path: Path, names, q8, query, document) -> str:
    import blake3

    rows, query, document = halve(q8, query, document)
    half = rows.shape[1] // 2
    nibbles = ((rows + 15) // 2).astype(np.uint8)
    packed = nibbles[:, :half] | (nibbles[:, half:] << 4)
    text = b"".join(bytes([len(n.encode())]) + n.encode() for n in names)
    body = text + query.astype("<u2").tobytes() + document.astype("<u2").tobytes() + packed.tobytes()
    digest = blake3.blake3(body).digest()
    head = MAGIC + b"".join(int(x).to_bytes(4, "little") for x in (VERSION, rows.shape[1], rows.shape[0], len(text), 0, 0))
    path.write_bytes(head + digest + body)
    return digest.hex()


def load(path: Path) -> Table:
    raw = path.read_bytes()
    if raw[:8] != MAGIC:
        raise ValueError("not an embedding table")
    version, dims, count, text, _, _ = (int.from_bytes(raw[8 + 4 * i : 12 + 4 * i], "little") for i in range(6))
    if version not in (1, VERSION):
        raise ValueError(f"version {version}")
    at, names = 64, []
    while at < 64 + text:
        names.append(raw[at + 1 : at + 1 + raw[at]].decode())
        at += 1 + raw[at]
    if version == 1:
        query, document = (np.frombuffer(raw, np.uint8, count, at + i * count) for i in (0, 1))
        rows = np.frombuffer(raw, np.int8, count * dims, at + 2 * count).reshape(count, dims)
        return Table(names, query, document, rows)
    query, document = (np.frombuffer(raw, "<u2", count, at + 2 * i * count) for i in (0, 1))
    packed = np.frombuffer(raw, np.uint8, count * dims // 2, at + 4 * count).reshape(count, dims // 2)
    rows = np.concatenate([packed & 15, packed >> 4], 1).astype(np.int8) * 2 - 15
    return Table(names, query, document, rows)
