"""Optional: the small sets embedded by untuned bge-small-zh, for the rows of 5_eval.py that compare with it.

python 6_bge_vectors.py --carry CARRY --out VECTORS.npz     # half an hour on one CPU core
"""

import argparse
from pathlib import Path

import numpy as np
import torch

from regembed import bge, pools


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    gathered = pools.load(args.carry / "pools.json.gz")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = bge.Encoder(bge.load(args.carry / "bge.npz"), args.carry / "tokenizer.json", device)
    gb, fb, held = gathered["gb"], gathered["financebench"], gathered["zh_en_held_out"]
    texts = {"gb": gb["questions"], "gb_units": gb["units"], "fb": fb["questions"], "fb_units": fb["units"]}
    texts |= {k: [p[k] for p in held] for k in ("zh_question", "zh_passage", "en_question", "en_passage")}
    # Small batches: a CPU's caches, not a GPU's, decide here.
    vectors = {k: encoder.encode_ids(encoder.tokens(v), budget=4000).cpu().numpy().astype(np.float16) for k, v in texts.items()}
    np.savez(args.out, **vectors)


if __name__ == "__main__":
    main()
