"""Everything that does not depend on a split: tokens, inverse-cloze spans and the multilingual teacher's vectors.

Made once on the GPU machine and read by every training run.
"""

import random
from pathlib import Path

import numpy as np
import torch

from . import bge, parallel, pools as pools_module, static, use

SPANS, EN_SPANS = 4, 8


def prepare(carry: Path, data: Path, device, workers: int, small: bool = False) -> dict:
    pools = pools_module.load(carry / "pools.json.gz")
    if small:
        _shrink(pools)
    packed = pools_module.load(carry / "packed.json.gz")
    names = packed["names"]
    docs = pools["zh_docs"] + pools["zh_more"]
    english = pools["en_docs"] + pools["financebench"]["units"]
    rng = random.Random(3)
    spans = [s for d in docs for s in pools_module.spans(d, rng, True, SPANS)]
    en_spans = [s for d in english for s in pools_module.spans(d, rng, False, EN_SPANS)]
    pairs = pair_texts(pools, packed, data)
    if small:
        pairs = {k: v[-700:] for k, v in pairs.items()}
    held = pools["zh_en_held_out"]
    groups = {
        "docs": docs,
        "spans": spans,
        "pseudo": packed["pseudo"][:200] if small else packed["pseudo"],
        "stard": pools["stard"]["questions"],
        "exam": pools["exam"]["questions"],
        "english": english,
        "en_spans": en_spans,
        "pairs_zh": [zh for zh, _ in pairs["pairs"]],
        "pairs_en": [en for _, en in pairs["pairs"]],
        "terms_zh": [zh for zh, _ in pairs["terms"]],
        "terms_en": [en for _, en in pairs["terms"]],
        "gb": pools["gb"]["questions"],
        "gb_units": pools["gb"]["units"],
        "fb": pools["financebench"]["questions"],
        "fb_units": pools["financebench"]["units"],
        **{f"held_{k}": [p[k] for p in held] for k in ("zh_question", "zh_passage", "en_question", "en_passage")},
    }
    sizes = [len(g) for g in groups.values()]
    flat, starts = static.tokenize(names, [t for g in groups.values() for t in g], workers)
    out = {"names": names, "bags": {}, "pools": pools, "stard_texts": pools["stard"]["questions"]}
    at = 0
    for name, size in zip(groups, sizes):
        s = starts[at : at + size + 1]
        out["bags"][name] = (flat[s[0] : s[-1]], s - s[0])
        at += size

    teacher = bge.Encoder(bge.load(carry / "bge.npz"), carry / "tokenizer.json", device)
    out["bge"] = {k: ragged(teacher.tokens(groups[k])) for k in ("docs", "spans", "pseudo", "stard", "exam")}
    out["bge"]["names"] = ragged(teacher.tokens(n.replace("##", "") for n in names))

    multilingual = use.Encoder(carry / "use.npz", carry / "sp.model", device)
    both = random.Random(5).sample(range(len(pools["zh_docs"])), min(8000, len(pools["zh_docs"])))
    both += range(len(pools["zh_docs"]), len(docs))
    out["both"] = torch.tensor(both)
    vectors = {k: multilingual.encode(groups[k]).half().cpu() for k in ("english", "en_spans", "pairs_zh", "pairs_en", "terms_zh", "terms_en", "pseudo")}
    vectors["both_docs"] = multilingual.encode([docs[i] for i in both]).half().cpu()
    vectors["both_spans"] = multilingual.encode([spans[i * SPANS] for i in both]).half().cpu()
    vectors["names"] = multilingual.encode([n.replace("##", "") for n in names]).half().cpu()
    out["use"] = vectors
    return out


def pair_texts(pools, packed, data: Path):
    """Sentence pairs (frames and written ones) and term pairs (glossary and mined lexicon)."""
    glossary = parallel.read_glossary(data / "glossary.tsv")
    sentences = parallel.framed(data, glossary, count=40_000, seed=7)
    # The written sentences are few and good: seen thirty times as often as one made from a frame.
    return {"pairs": sentences + pools["parallel"] * 30, "terms": pools["glossary"] * 4 + packed["lexicon"]}


def ragged(lists):
    starts = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(x) for x in lists], out=starts[1:])
    return np.fromiter((i for x in lists for i in x), dtype=np.int32, count=int(starts[-1])), starts


def unragged(pair):
    flat, starts = pair
    return [flat[a:b] for a, b in zip(starts[:-1], starts[1:])]


def _shrink(pools):
    """A toy corpus that still has every gold article, to try the code on a CPU."""
    keep = sorted({a for s in ("stard", "exam") for g in pools[s]["gold"][:20] for a in g} | set(range(100)))
    new = {a: i for i, a in enumerate(keep)}
    pools["zh_docs"] = [pools["zh_docs"][a] for a in keep]
    for s in ("stard", "exam"):
        pools[s]["questions"] = pools[s]["questions"][:20]
        pools[s]["gold"] = [[new[a] for a in g] for g in pools[s]["gold"][:20]]
    pools["zh_more"], pools["en_docs"] = pools["zh_more"][:30], pools["en_docs"][:60]
    f = pools["financebench"]
    f["units"], f["keys"] = f["units"][:90], f["keys"][:90]
