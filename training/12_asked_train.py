"""Step 12: the third training, on the questions of step 11. Each line of RUNS is a JSON object over `regembed.third.DEFAULTS`.

python 12_asked_train.py pack  --work WORK --asked OUT/asked.json.gz --minilm MODEL --carry CARRY
python 12_asked_train.py train --carry CARRY --runs runs/asked.jsonl --out OUT      # 12 min, one H200
python 12_asked_train.py mean  --out OUT --to TABLE.bin                             # of all runs, and of the table before
"""

import argparse
import gzip
import json
import shutil
from pathlib import Path

import numpy as np

from regembed import parallel, pools, table

HERE = Path(__file__).parent
BEFORE = HERE.parent / "crates/embed/model/static.bin"
SHARE = 0.7
"""Of the trained tables' mean; the rest is the table before. RESULTS.md has what other shares do."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pack", "train", "mean"))
    for name in ("work", "asked", "minilm", "carry", "runs", "out", "to"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--before", type=Path, default=BEFORE, help="the table of the second training")
    args = parser.parse_args()
    {"pack": pack, "train": train, "mean": mean}[args.what](args)


def pack(args):
    from regembed import minilm

    gathered = pools.load(args.work / "pools.json.gz")
    with gzip.open(args.asked, "rt", encoding="utf-8") as f:
        written = json.load(f)
    asked = {text: found for _, text, found in written}
    more = [text for kind, text, _ in written if kind == "more"]
    # The given questions with their articles taught the first table too.
    for given in (gathered["stard"], gathered["exam"]):
        for question, gold in zip(given["questions"], given["gold"]):
            for article in gold[:3]:
                asked.setdefault(gathered["zh_docs"][article], []).append(question)

    def side(first, rest):
        docs = [t for t in first if t in asked]
        border = len(docs)
        docs += [t for t in rest if t in asked]
        return {"docs": docs, "first": border, "q": [[i, q] for i, t in enumerate(docs) for q in asked[t]]}

    glossary = parallel.read_glossary(HERE / "data/glossary.tsv")
    pairs = gathered["glossary"] * 4 + gathered["parallel"] * 10 + parallel.framed(HERE / "data", glossary, 12_000, 5)
    packed = {"en": side(gathered["en_docs"], more + gathered["financebench"]["units"]), "zh": side(gathered["zh_more"], gathered["zh_docs"]), "pairs": pairs}
    pools.save(packed, args.carry / "asked.json.xz")
    minilm.pack(args.minilm / "model.safetensors", args.carry / "minilm.npz")
    shutil.copy(args.minilm / "tokenizer.json", args.carry / "minilm.json")
    print({lang: (len(packed[lang]["docs"]), len(packed[lang]["q"])) for lang in ("en", "zh")})


def train(args):
    import os

    import torch

    from regembed import minilm, third

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    old = table.load(args.before)
    start = third.Floats.of(old.rows, old.query, old.document)
    teacher = minilm.Encoder(args.carry / "minilm.npz", args.carry / "minilm.json", device)
    run = third.Run(pools.load(args.carry / "asked.json.xz"), old.names, start, teacher, device, os.cpu_count() or 1)
    for line in args.runs.read_text().splitlines():
        config = json.loads(line)
        print(config["name"], flush=True)
        rows, query, document = run.fit(config, lambda text: print(text, flush=True)).quantised()
        np.savez_compressed(args.out / f"{config['name']}.npz", rows=rows, query=query, document=document)


def mean(args):
    from regembed import third

    old = table.load(args.before)
    trained = [np.load(path) for path in sorted(args.out.glob("*.npz"))]
    floats = third.Floats.mean([(third.Floats.of(z["rows"], z["query"], z["document"]), 1.0) for z in trained if "rows" in z])
    before = third.Floats.of(old.rows, old.query, old.document)
    print(len(trained), "tables,", table.save(args.to, old.names, *third.Floats.mean([(floats, SHARE), (before, 1 - SHARE)]).quantised()))


if __name__ == "__main__":
    main()
