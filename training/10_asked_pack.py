"""Step 10: passages as prompts for the writer of questions, and the writer itself in pieces that can be carried.

python 10_asked_pack.py --work WORK --gguf MODEL.gguf --words dict.txt --counts en.json.gz --more PDF... --carry CARRY
"""

import argparse
import gzip
import json
import random
from pathlib import Path

import numpy as np
from gguf import GGUFReader

from regembed import pools, writer

HERE = Path(__file__).parent
TIMES = {"grid": 5, "more": 2, "reports": 1, "power": 5, "laws": 1}
"""How often each passage is asked about: of the trade there are few, and each writing is different."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("work", "gguf", "words", "counts", "carry"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--more", type=Path, nargs="*", default=[])
    parser.add_argument("--piece", type=int, default=61 << 20)
    args = parser.parse_args()
    args.carry.mkdir(parents=True, exist_ok=True)
    asking = json.loads((HERE / "data/asking.json").read_text(encoding="utf-8"))
    gguf = GGUFReader(args.gguf)
    tokens, names = writer.tokenizer(gguf)
    tokens.save(str(args.carry / "writer.json"))
    passages = gather(pools.load(args.work / "pools.json.gz"), args.more)
    items = [(kind, text) for kind, texts in passages.items() for text in texts for _ in range(TIMES[kind])]
    random.Random(7).shuffle(items)
    language = lambda kind: "zh" if kind in ("power", "laws") else "en"
    prompts = [tokens.encode(writer.prompt(asking[language(kind)], text)).ids for kind, text in items]
    keep, ends = vocabulary(tokens, names, prompts, args.words, args.counts)
    place = np.full(len(names), -1)
    place[keep] = np.arange(len(keep))
    np.savez_compressed(
        args.carry / "prompts.npz", flat=np.concatenate([place[p] for p in prompts]).astype(np.uint16),
        lengths=np.array([len(p) for p in prompts], np.int32), ends=place[ends], keep=keep,
    )  # fmt: skip
    with gzip.open(args.carry / "items.json.gz", "wt", encoding="utf-8") as f:
        json.dump(items, f, ensure_ascii=False)
    writer.pack(gguf, keep, args.carry, args.piece)
    print({kind: len(texts) for kind, texts in passages.items()}, len(items), "prompts,", len(keep), "rows")


def gather(gathered, more):
    rng = random.Random(7)
    han = lambda text: sum("\u4e00" <= c <= "\u9fff" for c in text)
    prose = lambda text, share: sum(c.isalpha() for c in text) > share * len(text)
    reports = [t for t in gathered["financebench"]["units"] if len(t) > 300 and prose(t, 0.7)]
    laws = [t for t in gathered["zh_docs"] if 50 < han(t) < 420]
    pages = (page for path in more for page in pools._pdf_pages(path))
    return {
        "grid": [t for t in gathered["en_docs"] if len(t) > 250],
        "more": [c for page in pages for c in pools.chunks(page, pools.EN_CHUNK) if len(c) > 300 and prose(c, 0.65)],
        "reports": rng.sample(reports, min(6000, len(reports))),
        "power": [t for t in gathered["zh_more"] if han(t) > 60],
        "laws": rng.sample(laws, min(20_000, len(laws))),
    }


def vocabulary(tokens, names, prompts, words, counts):
    """Tokens of the prompts and of usual words of both languages: what a question may be written with."""
    used = np.zeros(len(names), bool)
    for p in prompts:
        used[p] = True
    english = json.load(gzip.open(counts))
    for word in sorted(english, key=english.get, reverse=True)[:16_000]:
        used[tokens.encode(" " + word).ids + tokens.encode(word).ids] = True
    chinese = [line.split(" ") for line in words.read_text(encoding="utf-8").splitlines()]
    for word, *_ in sorted(chinese, key=lambda fields: -int(fields[1]))[:30_000]:
        used[tokens.encode(word).ids] = True
    ends = [names.index("<|im_end|>"), names.index("<|endoftext|>")]
    used[ends] = True
    for mark in "0123456789.?!,，。？！：:;；、()（）%-/":
        used[tokens.encode(mark).ids + tokens.encode(" " + mark).ids] = True
    keep = np.nonzero(used)[0]
    assert len(keep) < 1 << 16, "ids travel as two bytes"
    return keep, ends


if __name__ == "__main__":
    main()
