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
    """Token ids of many texts as one flat array on the device."""

    def __init__(self, flat, starts, device):
        self.flat = torch.from_numpy(flat.astype(np.int32)).to(device)
        self.starts = torch.from_numpy(starts.astype(np.int64)).to(device)
        self.lens = self.starts[1:] - self.starts[:-1]

    def take(self, rows):
        """(flat ids, offsets) of the given texts."""
        lens = self.lens[rows]
        offsets = torch.cumsum(lens, 0) - lens
        within = torch.arange(int(lens.sum()), device=lens.device) - torch.repeat_interleave(offsets, lens)
        flat = self.flat[torch.repeat_interleave(self.starts[rows], lens) + within]
        return flat, offsets

    def __len__(self):
        return len(self.lens)


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

    def forward(self, bag, query: bool, drop: float = 0.0):
        flat, offsets = bag
        weight = torch.exp((self.query if query else self.document)[flat])
        if drop:
            weight = weight * (torch.rand_like(weight) > drop)
        total = F.embedding_bag(flat, self.rows, offsets, mode="sum", per_sample_weights=weight)
        return F.normalize(total, dim=-1)

    @torch.no_grad()
    def embed(self, bags: Bags, query: bool, size=8192):
        device = self.rows.device
        return torch.cat(
            [self(bags.take(torch.arange(a, min(a + size, len(bags)), device=device)), query) for a in range(0, len(bags), size)]
        )

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
