"""The file that ships, and the exact integer arithmetic of inference (mirrored by `crates/embed`).

Layout, little endian:
  0   8  magic  "RGEMBED\\0"
  8   4  version (1)
  12  4  dimensions
  16  4  rows
  20  4  bytes of names
  24  8  reserved, zero
  32  32 BLAKE3 of everything after byte 64
  64     names: for each row one length byte and the UTF-8 name
         query weights: one byte per row
         document weights: one byte per row
         rows: dimensions int8 each

A text's vector is the sum over its tokens of weight(row) * row, in 32-bit integers, divided by its length.
"""

from pathlib import Path

import numpy as np

from .tokens import Tokenizer

MAGIC, VERSION = b"RGEMBED\0", 1


class Table:
    def __init__(self, names, query, document, rows):
        self.names, self.query, self.document, self.rows = names, query, document, rows
        self.tokenizer = Tokenizer(names)

    def embed(self, text: str, query: bool) -> np.ndarray:
        ids = self.tokenizer.ids(text)
        weights = (self.query if query else self.document).astype(np.int32)
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


def save(path: Path, names, q8, query, document) -> str:
    import blake3

    text = b"".join(bytes([len(n.encode())]) + n.encode() for n in names)
    body = text + query.tobytes() + document.tobytes() + q8.tobytes()
    digest = blake3.blake3(body).digest()
    head = MAGIC + b"".join(int(x).to_bytes(4, "little") for x in (VERSION, q8.shape[1], q8.shape[0], len(text), 0, 0))
    path.write_bytes(head + digest + body)
    return digest.hex()


def load(path: Path) -> Table:
    raw = path.read_bytes()
    if raw[:8] != MAGIC:
        raise ValueError("not an embedding table")
    version, dims, count, text, _, _ = (int.from_bytes(raw[8 + 4 * i : 12 + 4 * i], "little") for i in range(6))
    if version != VERSION:
        raise ValueError(f"version {version}")
    at, names = 64, []
    while at < 64 + text:
        names.append(raw[at + 1 : at + 1 + raw[at]].decode())
        at += 1 + raw[at]
    query = np.frombuffer(raw, np.uint8, count, at)
    document = np.frombuffer(raw, np.uint8, count, at + count)
    rows = np.frombuffer(raw, np.int8, count * dims, at + 2 * count).reshape(count, dims)
    return Table(names, query, document, rows)
