"""The earlier system's scheme, as its design describes it: SQLite FTS5 with the `porter unicode61` tokenizer, every vector
compared in Python, reciprocal rank fusion (k 60, 0.4 / 0.6). The vectors are those of our built-in model, so that only
the search differs. Started by `cargo xtask bench search`; reads what that wrote into a folder."""

import json
import sqlite3
import sys
import time
from pathlib import Path

import numpy as np

folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
articles = [json.loads(line) for line in (folder / "articles.jsonl").open(encoding="utf-8")]
questions = [json.loads(line) for line in (folder / "questions.jsonl").open(encoding="utf-8")]

began = time.process_time()
database = sqlite3.connect(":memory:")
database.execute(
    "CREATE VIRTUAL TABLE content_fts USING fts5(reg_id, page_num, block_id, content, tokenize='porter unicode61')"
)
database.executemany(
    "INSERT INTO content_fts VALUES (?, ?, ?, ?)",
    ((one["reg_id"], one["page_num"], one["block_id"], one["text"]) for one in articles),
)
database.commit()
cpu = time.process_time() - began
print(f"earlier scheme: FTS5 built in {cpu:.1f} s CPU, {len(articles) / cpu:.0f} blocks per CPU second, without vectors")

vectors = np.fromfile(folder / "vectors.f32", dtype=np.float32).reshape(len(articles), -1)
asked = np.fromfile(folder / "questions.f32", dtype=np.float32).reshape(len(questions), -1)
keys = [one["block_id"] for one in articles]


def keyword(text, limit=100):
    match = '"' + text.replace('"', " ") + '"'
    rows = database.execute(
        "SELECT block_id, bm25(content_fts) FROM content_fts WHERE content_fts MATCH ? ORDER BY 2 LIMIT ?", (match, limit)
    )
    return [row[0] for row in rows]


def vector(at, limit=100):
    scores = vectors @ asked[at]
    best = np.argpartition(-scores, limit)[:limit]
    return [keys[i] for i in best[np.argsort(-scores[best])]]


def hybrid(at):
    scores = {}
    for weight, hits in ((0.4, keyword(questions[at]["question"])), (0.6, vector(at))):
        for rank, key in enumerate(hits):
            scores[key] = scores.get(key, 0) + weight / (60 + rank + 1)
    return sorted(scores, key=lambda key: (-scores[key], key))[:10]


def measure(name, search):
    recall = []
    best = [float("inf")] * len(questions)
    for turn in range(rounds + 1):
        for at, question in enumerate(questions):
            began = time.perf_counter()
            hits = search(at)
            spent = (time.perf_counter() - began) * 1000
            if turn:
                best[at] = min(best[at], spent)
            elif question["gold"]:
                recall.append(len(set(question["gold"]) & set(hits[:10])) / len(question["gold"]))
    best.sort()
    p50, p99 = best[len(best) // 2], best[min(int(len(best) * 0.99), len(best) - 1)]
    print(f"  {name:9} R@10 {sum(recall) / max(len(recall), 1):.3f}  p50 {p50:.2f} ms  p99 {p99:.2f} ms")


measure("keyword", lambda at: keyword(questions[at]["question"]))
measure("vector", vector)
measure("rrf", hybrid)
