"""Step 9: the second training, English rows only. Each line of RUNS is a JSON object over `regembed.second.DEFAULTS`.

python 9_everyday_train.py --carry CARRY --runs runs/everyday.jsonl --out OUT [--windows WINDOWS.pkl.xz]
  --windows  passages and questions of a library that only measure (pickle: texts, pages, questions with word scores)
"""

import argparse
import json
import lzma
import multiprocessing
import os
import pickle
import time
from pathlib import Path

import numpy as np
import torch

from regembed import minilm, second, static, use

HERE = Path(__file__).parent
SHIPPED = HERE.parent / "crates/embed/model/static.bin"
CACHE = Path("/tmp/everyday.pt")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("carry", "runs", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--windows", type=Path)
    parser.add_argument("--start", type=Path, default=SHIPPED, help="the table of the first training")
    parser.add_argument("--workers", type=int, default=4)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    runs = [json.loads(line) for line in args.runs.read_text().splitlines() if line.strip() and not line.startswith("#")]
    begin = time.time()
    windows = pickle.load(lzma.open(args.windows)) if args.windows else None
    if not CACHE.exists():
        prepared = second.prepare(args.carry, args.start, device(), os.cpu_count() or 1)
        if windows:
            texts, questions = windows["texts"], [q["q"] for q in windows["questions"]]
            prepared["bags"] |= second.tokens(prepared["names"], {"w_docs": texts, "w_questions": questions}, 8)
            ml = minilm.Encoder(args.carry / "minilm.npz", args.carry / "minilm.json", device())
            a, b = ml.encode(questions), ml.encode(texts)
            print("minilm  ", measured(windows, (a @ b.T).cpu().numpy()))
            ul = use.Encoder(args.carry / "use.npz", args.carry / "sp.model", device())
            print("use     ", measured(windows, (ul.encode(questions) @ ul.encode(texts).T).cpu().numpy()))
            names, rows, query, document = prepared["old"]
            old = second.tokens(names, {"w_docs": texts, "w_questions": questions}, 8)
            student = static.Student(torch.from_numpy(rows.astype(np.float32))).to(device())
            student.set_quantised(rows, query, document)
            print("shipped ", window_figures(windows, student, static.Bags(old, device())), flush=True)
        torch.save(prepared, CACHE)
    print(f"prepared in {time.time() - begin:.0f}s", flush=True)
    shares = [runs[i :: args.workers] for i in range(min(args.workers, len(runs)))]
    if len(shares) == 1:
        work(shares[0], args, windows)
    else:
        context = multiprocessing.get_context("spawn")
        workers = [context.Process(target=work, args=(share, args, windows)) for share in shares]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
    print(f"all in {time.time() - begin:.0f}s")


def device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def work(runs, args, windows):
    torch.set_float32_matmul_precision("high")
    prepared = torch.load(CACHE, weights_only=False)
    for config in runs:
        name, begin = config["name"], time.time()
        run = second.Run(prepared, device(), config, lambda text: print(f"[{name}] {text}", flush=True))
        student = run.fit()
        figures = run.figures(student)
        if windows:
            figures |= window_figures(windows, student, run.bags)
        figures["seconds"] = round(time.time() - begin)
        print(f"[{name}] {json.dumps(figures)}", flush=True)
        if config.get("save"):
            q8, query, document = run.quantised
            np.savez(args.out / f"{name}.npz", rows=q8, query=query, document=document, names=np.array(prepared["names"]))
        with open(args.out / "everyday.jsonl", "a") as f:
            f.write(json.dumps(config | figures) + "\n")


def window_figures(windows, student, bags):
    return measured(windows, (student.embed(bags, "w_questions", True) @ student.embed(bags, "w_docs", False).T).cpu().numpy())


def measured(windows, cosines):
    """Pages by the best of their windows: vectors alone, and with the words of window and page."""
    page, out = np.array(windows["page"]), {"vec": [], "fused": []}
    for question, c in zip(windows["questions"], cosines):
        words = question["bw"].astype(np.float32) / max(question["bw"].max(), 1e-9), question["bp"].astype(np.float32) / max(question["bp"].max(), 1e-9)
        for how, score in (("vec", c), ("fused", 0.4 * words[0] + 0.45 * words[1][page] + 0.8 * c / max(c.max(), 1e-9))):
            best = np.full(windows["pages"], -1e9)
            np.maximum.at(best, page, score)
            out[how].append(int((best > best[list(question["gold"])].max()).sum()))
    figures = {}
    for how, ranks in out.items():
        r = np.array(ranks)
        figures[how] = [round(float((r < k).mean()), 3) for k in (1, 3, 5)] + [round(float((1 / (r + 1)).mean()), 4)]
    return figures


if __name__ == "__main__":
    main()
