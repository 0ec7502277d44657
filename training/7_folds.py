"""Step 7: the tables of the folds as files that `regreader eval` reads, with the ids of the questions each never saw.

python 7_folds.py --carry CARRY --corpus CORPUS --tables OUT --to FOLDS

For every OUT/{random,disjoint}-{0..4}.npz (runs/folds_*.jsonl) writes FOLDS/NAME.bin, NAME.stard.ids and NAME.exam.ids, and
for the random folds NAME.fresh.ids: questions none of whose articles was in a training pair. Then, for each:
  regreader eval stard --corpus CORPUS --static-model FOLDS/random-0.bin --only FOLDS/random-0.stard.ids --json
`7_folds.py --sum FILE.json ...` prints the means over the folds, weighed by their questions.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from regembed import pools, splits, table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carry", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--to", type=Path)
    parser.add_argument("--sum", type=Path, nargs="+")
    args = parser.parse_args()
    if args.sum:
        return total(args.sum)
    args.to.mkdir(parents=True, exist_ok=True)
    names = pools.load(args.carry / "packed.json.gz")["names"]
    gathered = pools.load(args.carry / "pools.json.gz")
    stard = [str(i) for i in gathered["stard"]["ids"]]
    exam = [json.loads(line)["id"] for line in (args.corpus / "exam/exam_to_article.jsonl").read_text(encoding="utf-8").splitlines()]
    if len(exam) != len(gathered["exam"]["questions"]):
        raise SystemExit("the exam items of the corpus are not those of the pools")
    for path in sorted(args.tables.glob("*-[0-4].npz")):
        how, fold = path.stem.split("-")
        z = np.load(path)
        table.save(args.to / f"{path.stem}.bin", names, z["rows"], z["query"], z["document"])
        train, held, exam_train, exam_held = splits.split(gathered, how, int(fold))
        gold = gathered["stard"]["gold"]
        known = {a for i in train for a in gold[i]} | {gathered["exam"]["gold"][i][0] for i in exam_train}
        fresh = [i for i in held if not known & set(gold[i])]
        for kind, ids in (("stard", [stard[i] for i in held]), ("exam", [exam[i] for i in exam_held]), ("fresh", [stard[i] for i in fresh])):
            (args.to / f"{path.stem}.{kind}.ids").write_text("\n".join(ids) + "\n")


def total(files):
    reports = [json.loads(path.read_text()) for path in files]
    for leg in ("keyword", "vector", "rrf", "fused"):
        weights = [r[leg]["questions"] for r in reports]
        figures = ("recall@1", "recall@10", "recall@100", "mrr@10")
        means = [sum(r[leg][f] * w for r, w in zip(reports, weights)) / sum(weights) for f in figures]
        print(f"{leg:8} {sum(weights):5} " + " ".join(f"{f} {m:.3f}" for f, m in zip(figures, means)))


if __name__ == "__main__":
    main()
