"""Step 11, on the GPU machine: the writer's questions. Then, where the passages are, what was written as text.

python 11_asked_write.py write --carry CARRY --out OUT     # 5 min, one H200
python 11_asked_write.py read  --carry CARRY --out OUT     # OUT/asked.json.gz: [kind, passage, [question...]]
"""

import argparse
import gzip
import json
import time
from pathlib import Path

import numpy as np

from regembed import writer

BATCH = 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("write", "read"))
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    {"write": write, "read": read}[args.what](args)


def write(args):
    import torch

    torch.manual_seed(1)
    z = np.load(args.carry / "prompts.npz")
    starts = np.concatenate([[0], np.cumsum(z["lengths"])])
    flat, begin = z["flat"].astype(np.int64), time.time()
    author = writer.Writer(args.carry, torch.device("cuda"))
    written = np.full((len(z["lengths"]), 120), z["ends"][1], np.uint16)
    order = np.argsort(z["lengths"])
    for a in range(0, len(order), BATCH):
        some = order[a : a + BATCH]
        written[some] = author.write([flat[starts[i] : starts[i + 1]] for i in some], z["ends"])
        print(a, len(order), f"{time.time() - begin:.0f}s", flush=True)
    np.savez_compressed(args.out / "written.npz", written=written)


def read(args):
    from tokenizers import Tokenizer

    tokens = Tokenizer.from_file(str(args.carry / "writer.json"))
    keep, written = np.load(args.carry / "prompts.npz")["keep"], np.load(args.out / "written.npz")["written"]
    with gzip.open(args.carry / "items.json.gz", "rt", encoding="utf-8") as f:
        items = json.load(f)
    asked = {}
    for (kind, text), row in zip(items, written):
        found = writer.questions(tokens.decode([int(keep[i]) for i in row], skip_special_tokens=True))
        asked.setdefault((kind, text), {}).update(dict.fromkeys(found))
    with gzip.open(args.out / "asked.json.gz", "wt", encoding="utf-8") as f:
        json.dump([[kind, text, list(found)] for (kind, text), found in asked.items()], f, ensure_ascii=False)
    print(len(asked), "passages,", sum(map(len, asked.values())), "questions")


if __name__ == "__main__":
    main()
