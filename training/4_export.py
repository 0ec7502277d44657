"""Step 4: the trained numbers into the file that ships, and the vectors that the Rust tests check.

python 4_export.py --carry CARRY --trained OUT/final.npz
python 4_export.py --trained OUT/everyday.npz [--to FILE.bin]     # of the second training, which has its row names with it
python 4_export.py --trained TABLE.bin [--to FILE.bin]            # a table of an earlier format
python 4_export.py                                                # only the vectors, of the table that is there (third training)
"""

import argparse
import json
from pathlib import Path

import numpy as np

from regembed import pools, table

HERE = Path(__file__).parent
CRATE = HERE.parent / "crates/embed"
# Every rule of the tokenisation once: folding, widths, Roman numerals, overlaps, pieces, pairs of words, symbols, nothing at all.
TEXTS = [
    "安控装置退出后，断面载流量如何控制？",
    "母线失压",
    "ＧＢ３８７５５—２０１９ 第３．２．５条",
    "长南Ⅰ线 500kV 母线电压不得超过±10%",
    "The 330kV circuit-breaker shall be de-energized immediately.",
    "Circuit  Breaker failure protection (BFP)",
    "unbelievablysubstationlike reactance",
    "油温≥85℃时，应立即汇报省调。",
    "cos φ = 0.95, Δt ≤ 625 ms",
    "①②③ ㎡ ﬁeld",
    "被老板拖欠工资怎么办？",
    "稳控切机、直流双极闭锁、低频减载",
    "x" * 130,
    "12345678901234567890",
    "𠮷野家 〇二三",
    "naïve café Straße ΣΑΣ",
    "line\u00a0one\r\nline\ttwo - three",
    "，。！？",
    "",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carry", type=Path)
    parser.add_argument("--trained", type=Path)
    parser.add_argument("--to", type=Path, help="write the table there alone, to be tried with --static-model")
    args = parser.parse_args()
    path = args.to or CRATE / "model/static.bin"
    if args.trained:
        export(args, path)
    if args.to:
        return
    model = table.load(path)
    vectors, names = [], model.names
    for text in TEXTS:
        ids = model.tokenizer.ids(text)
        vectors.append(
            {
                "text": text,
                "tokens": [names[i] for i in ids],
                "rows": ids,
                "query": bits(model.embed(text, query=True)),
                "document": bits(model.embed(text, query=False)),
            }
        )
    out = CRATE / "tests/data/vectors.json"
    out.write_text(json.dumps({"model": path.read_bytes()[32:64].hex(), "vectors": vectors}, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def export(args, path):
    if args.trained.suffix == ".bin":
        earlier = table.load(args.trained)
        names, z = earlier.names, {"rows": earlier.rows, "query": earlier.query, "document": earlier.document}
    else:
        z = np.load(args.trained)
        names = [str(n) for n in z["names"]] if "names" in z.files else pools.load(args.carry / "packed.json.gz")["names"]
    path.parent.mkdir(exist_ok=True)
    digest = table.save(path, names, z["rows"], z["query"], z["document"])
    print(f"{path.name}: {path.stat().st_size} bytes, {len(names)} rows, blake3 {digest}")


def bits(vector) -> str:
    """The float32 values as hexadecimal bits: the other side must have the same, not nearly the same."""
    return vector.astype("<f4").tobytes().hex()


if __name__ == "__main__":
    main()
