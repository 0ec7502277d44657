"""Tuning the Chinese teacher on given question-article pairs."""

import numpy as np
import torch
import torch.nn.functional as F

from . import bge
from .prepare import unragged

DEFAULTS = {"epochs": 10, "lr": 4e-5, "batch": 96, "negatives": 5, "tau": 0.03, "keep": 1.0, "remine": 3}


def tune(prepared, carry, device, train, exam_train, config, log=print):
    """A `bge.Encoder`, tuned. `keep` weighs how strongly it must still agree with the untuned one on plain text."""
    c = DEFAULTS | config
    torch.manual_seed(c.get("seed", 1))
    rng = np.random.default_rng(c.get("seed", 1))
    encoder = bge.Encoder(bge.load(carry / "bge.npz"), carry / "tokenizer.json", device)
    docs, spans = unragged(prepared["bge"]["docs"]), unragged(prepared["bge"]["spans"])
    pools = prepared["pools"]
    questions = [unragged(prepared["bge"]["stard"])[i] for i in train] + [unragged(prepared["bge"]["exam"])[i] for i in exam_train]
    gold = [pools["stard"]["gold"][i] for i in train] + [pools["exam"]["gold"][i] for i in exam_train]
    laws = len(pools["zh_docs"])
    base_docs = encoder.encode_ids(docs)
    base_spans = encoder.encode_ids(spans[::4])

    # One entry per question and gold article; exam items are easy and many, so they count a third.
    entries = [(q, a) for q, g in enumerate(gold) for a in g if q < len(train) or rng.random() < 0.35]
    steps = max(1, int(c["epochs"] * len(entries) / c["batch"]))
    optimizer = torch.optim.AdamW(encoder.model.parameters(), lr=c["lr"], weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, (s + 1) / (0.1 * steps + 1), (steps - s) / (0.9 * steps + 1)))
    hard, order = None, []
    for step in range(steps):
        if step % max(1, steps // c["remine"]) == 0:
            hard = _mine(encoder, questions, docs[:laws], gold, 60)
            encoder.model.train()
        if len(order) < c["batch"]:
            order = list(rng.permutation(len(entries)))
        batch = [entries[order.pop()] for _ in range(min(c["batch"], len(order)))]
        picked = [a for _, a in batch]
        for q, _ in batch:
            picked += list(rng.choice(hard[q], c["negatives"], replace=False))
        picked = np.array(picked)
        mine = rng.choice(len(docs), len(batch), replace=False)
        q = _forward(encoder, [questions[q] for q, _ in batch] + [spans[4 * m] for m in mine])
        d = _forward(encoder, [docs[a] for a in picked] + [docs[m] for m in mine])
        n = len(batch)
        scores = q[:n] @ d[: len(picked)].T / c["tau"]
        # Another gold article of the same question is no negative.
        also = torch.tensor(np.array([np.isin(picked, gold[i]) for i, _ in batch]), device=device)
        also[torch.arange(n), torch.arange(n)] = False
        loss = F.cross_entropy(scores.masked_fill(also, -1e4), torch.arange(n, device=device))
        if c["keep"]:
            before = (base_spans[mine] @ base_docs[mine].T / 0.03).softmax(-1)
            now = (q[n:] @ d[len(picked) :].T / 0.03).log_softmax(-1)
            loss = loss + c["keep"] * F.kl_div(now, before, reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % max(1, steps // 5) == 0:
            log(f"  teacher step {step}/{steps} loss {loss.item():.3f}")
    encoder.model.eval()
    return encoder


def _forward(encoder, ids):
    x, mask = encoder.batch([i[:192] for i in ids])
    with torch.autocast(encoder.device.type, dtype=torch.bfloat16, enabled=encoder.device.type == "cuda"):
        return encoder.model(x, mask).float()


def _mine(encoder, questions, docs, gold, depth):
    vectors = encoder.encode_ids(questions) @ encoder.encode_ids(docs).T
    top = vectors.topk(depth + 22, dim=-1).indices.cpu().numpy()
    return [[a for a in row if a not in g][:depth] for row, g in zip(top, gold)]
