"""Step 3: train. Each line of RUNS is a JSON object that overrides `regembed.train.DEFAULTS`; several share the GPU.

python 3_train.py --carry CARRY --runs runs/final.jsonl --out OUT [--workers 4] [--small]

Keys of a run besides the defaults: name, split (random | disjoint), fold (absent: train on everything),
save (write the table), lists (write the candidate lists that fusion is tuned on).
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

import numpy as np
import torch

from regembed import measure, prepare, table, train

HERE = Path(__file__).parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    runs = [json.loads(line) for line in args.runs.read_text().splitlines() if line.strip() and not line.startswith("#")]
    start = time.time()
    cache = Path("/tmp/prepared.pt")
    if not cache.exists() or args.small:
        torch.save(prepare.prepare(args.carry, HERE / "data", device(), os.cpu_count() or 1, args.small), cache)
    print(f"prepared in {time.time() - start:.0f}s", flush=True)

    # Runs that share a teacher go to one worker; the groups are dealt out by length.
    groups = {}
    for run in runs:
        key = repr((run.get("split"), run.get("fold"), run.get("tuned", True) and run.get("labels", True), run.get("teacher", {})))
        groups.setdefault(key, []).append(run)
    shares = [[] for _ in range(max(1, min(args.workers, len(groups))))]
    for group in sorted(groups.values(), key=len, reverse=True):
        min(shares, key=len).extend(group)
    if len(shares) == 1:
        work(shares[0], args, cache)
    else:
        context = multiprocessing.get_context("spawn")
        workers = [context.Process(target=work, args=(share, args, cache)) for share in shares]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
    print(f"all in {time.time() - start:.0f}s")
    done = {json.loads(line)["name"] for line in (args.out / "figures.jsonl").read_text().splitlines()}
    failed = [r["name"] for r in runs if r["name"] not in done]
    sys.exit(f"failed: {failed}" if failed else 0)


def device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def work(runs, args, cache):
    torch.set_float32_matmul_precision("high")
    prepared = torch.load(cache, weights_only=False)
    keyword = np.load(args.carry / "keyword.npz")
    teachers = {}
    for config in runs:
        name = config["name"]

        def log(text):
            print(f"[{name}] {text}", flush=True)

        start = time.time()
        run = train.Run(prepared, args.carry, device(), config, teachers, log)
        student = run.fit()
        figures = run.figures(student) | {"float": run.float_figures.get("stard"), "seconds": round(time.time() - start)}
        log(json.dumps(figures))
        if config.get("save"):
            q8, query, document = run.quantised
            np.savez(args.out / f"{name}.npz", rows=q8, query=query, document=document)
        if config.get("lists"):
            lists(run, student, keyword, args.out / f"{name}.lists.npz", args.small)
        with open(args.out / "figures.jsonl", "a") as f:
            f.write(json.dumps({"name": name} | figures) + "\n")


def lists(run, student, keyword, out, small):
    """Held-out questions: the vector leg's best, and the cosine of each keyword candidate; student and teacher."""
    arrays = {}
    vectors = {
        "student": lambda s: (student.embed(run.bags, s, True), student.embed(run.bags, "docs", False)),
        "teacher": lambda s: (run.t[s], run.t["docs"]),
    }
    for who, get in vectors.items():
        for name, held in (("stard", run.held), ("exam", run.exam_held)):
            queries, docs = get(name)
            docs = docs[: run.laws]
            words = keyword[name][held] if not small else [[] for _ in held]
            found = measure.candidates(queries[held], docs, [[d for d in w if d >= 0] for w in words])
            width = measure.DEPTH
            arrays[f"{who}.{name}.held"] = np.array(held)
            arrays[f"{who}.{name}.top"] = np.array([f["top"] for f in found])
            arrays[f"{who}.{name}.cos"] = np.array([f["cos"] for f in found], dtype=np.float16)
            padded = [np.pad(f["of_keyword"], (0, width - len(f["of_keyword"]))) for f in found]
            arrays[f"{who}.{name}.of_keyword"] = np.array(padded, dtype=np.float16)
            arrays[f"{who}.{name}.mean"] = np.array([f["mean"] for f in found], dtype=np.float32)
    np.savez_compressed(out, **arrays)


if __name__ == "__main__":
    main()
