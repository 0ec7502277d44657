"""The student: one row per token, a weight per row for questions and one for documents, summed and normalised."""

import multiprocessing

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .tokens import Tokenizer

LONGEST = 900
"""Tokens of a training text that are looked at; inference has no such limit."""


class Bags:
    """Token ids of many texts, in named groups, as one flat array on the device.

    The lengths stay on the host too, so that gathering a batch never waits for the device.
    """

    def __init__(self, groups: dict, device):
        self.device, self.first, self.count, at = device, {}, {}, 0
        flats, lens = [], []
        for name, (flat, starts) in groups.items():
            self.first[name], self.count[name] = at, len(starts) - 1
            at += len(starts) - 1
            flats.append(flat.astype(np.int32))
            lens.append(np.diff(starts))
        self.lens = np.concatenate(lens)
        starts = np.zeros(len(self.lens) + 1, dtype=np.int64)
        np.cumsum(self.lens, out=starts[1:])
        self.starts = starts
        self.flat = torch.from_numpy(np.concatenate(flats)).to(device)

    def rows(self, name, which=None):
        """Global numbers of texts of a group."""
        return self.first[name] + (np.arange(self.count[name]) if which is None else which)

    def take(self, rows: np.ndarray):
        """(flat ids, offsets) of the given texts."""
        lens = self.lens[rows]
        total = int(lens.sum())
        offsets = np.cumsum(lens) - lens
        both = torch.from_numpy(np.stack([lens, self.starts[rows] - offsets, offsets])).to(self.device, non_blocking=True)
        shift = torch.repeat_interleave(both[1], both[0], output_size=total)
        return self.flat[shift + torch.arange(total, device=self.device)], both[2]


_tokenizer = None


def _start(names):
    global _tokenizer
    _tokenizer = Tokenizer(names)


def _ids(texts):
    lists = [_tokenizer.ids(t)[:LONGEST] for t in texts]
    return np.array([len(x) for x in lists], dtype=np.int64), np.array([i for x in lists for i in x], dtype=np.int32)


def tokenize(names, texts, workers):
    """(flat, starts) for all texts; the work is spread over processes."""
    parts = [texts[i : i + 1000] for i in range(0, len(texts), 1000)]
    with multiprocessing.get_context("fork").Pool(workers, _start, (names,)) as pool:
        found = pool.map(_ids, parts, chunksize=4)
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.concatenate([lens for lens, _ in found]), out=starts[1:])
    return np.concatenate([flat for _, flat in found]), starts


class Student(nn.Module):
    def __init__(self, rows: torch.Tensor):
        super().__init__()
        self.rows = nn.Parameter(rows.clone())
        n = len(rows)
        self.query, self.document = nn.Parameter(torch.zeros(n)), nn.Parameter(torch.zeros(n))

    def sides(self):
        """The table as questions see it and as documents see it."""
        return self.rows * self.query.exp()[:, None], self.rows * self.document.exp()[:, None]

    @torch.no_grad()
    def embed(self, bags: Bags, name, query: bool, size=8192):
        side = self.sides()[0 if query else 1]
        rows = bags.rows(name)
        return torch.cat([vectors(side, bags.take(rows[a : a + size])) for a in range(0, len(rows), size)])

    def numbers(self):
        """Rows and weights as numpy, for `table.quantise`."""
        with torch.no_grad():
            return self.rows.cpu().numpy(), self.query.exp().cpu().numpy(), self.document.exp().cpu().numpy()

    def set_quantised(self, q8, query, document):
        """Puts the quantised values back, so that what is measured is what ships."""
        with torch.no_grad():
            self.rows.copy_(torch.from_numpy(q8.astype(np.float32)))
            self.query.copy_(torch.from_numpy(np.log(np.maximum(query, 1e-6).astype(np.float32))))
            self.document.copy_(torch.from_numpy(np.log(np.maximum(document, 1e-6).astype(np.float32))))


def vectors(side, bag, drop: float = 0.0):
    """Normalised sums. `drop` leaves out that share of the tokens, so that no single row is relied on."""
    flat, offsets = bag
    keep = (torch.rand(len(flat), device=flat.device) > drop).float() if drop else None
    return F.normalize(F.embedding_bag(flat, side, offsets, mode="sum", per_sample_weights=keep), dim=-1)
