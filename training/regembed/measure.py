"""Recall figures and the candidate lists that fusion is tuned on."""

import numpy as np
import torch

DEPTH = 200


def recall(top, gold, ks):
    """Mean share of gold found in the first k."""
    out = {}
    for k in ks:
        out[k] = float(np.mean([np.isin(g, t[:k]).mean() for t, g in zip(top, gold)])) if len(gold) else float("nan")
    return out


def top_lists(queries, documents, depth=DEPTH):
    scores = queries @ documents.T
    values, indices = scores.topk(min(depth, scores.shape[1]), dim=-1)
    return indices.cpu().numpy(), values.cpu().numpy(), scores


def candidates(queries, documents, keyword_lists):
    """For fusion: the vector leg's best, the cosine of every keyword candidate, and the mean cosine."""
    top, values, scores = top_lists(queries, documents)
    rows = []
    for i, words in enumerate(keyword_lists):
        at = torch.as_tensor(np.asarray(words, dtype=np.int64), device=scores.device)
        rows.append(
            {
                "top": top[i].astype(np.int32),
                "cos": values[i].astype(np.float32),
                "of_keyword": scores[i][at].float().cpu().numpy(),
                "mean": float(scores[i].mean()),
            }
        )
    return rows


def pages(top, keys, gold, ks, only=None):
    """Units to pages (first appearance), then whether a gold page is in the first k."""
    hits = {k: [] for k in ks}
    for i, row in enumerate(top):
        seen = list(dict.fromkeys(keys[u] for u in row if only is None or str(keys[u]).startswith(only[i] + "#")))
        for k in ks:
            hits[k].append(any(p in gold[i] for p in seen[:k]))
    return {k: float(np.mean(v)) for k, v in hits.items()}


def crossing(embed):
    """Hit@3 over the held-out pairs, each direction; `embed(key, is_query)` gives vectors."""
    out = {}
    for name, q, d in (("zh>en", "zh_question", "en_passage"), ("en>zh", "en_question", "zh_passage")):
        s = embed(f"held_{q}", True) @ embed(f"held_{d}", False).T
        rank = (s > s.diagonal()[:, None]).sum(1)
        out[name] = float((rank < 3).float().mean())
    return out
