"""Step 1: gather the texts. `python 1_pools.py --corpus CORPUS --samples ../samples --work WORK`"""

import argparse
from pathlib import Path

from regembed import pools

HERE = Path(__file__).parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    held_out = HERE.parent / "crates/embed/tests/data/zh_en_pairs.jsonl"
    gathered = pools.build(args.corpus, args.samples, HERE / "data", held_out)
    pools.save(gathered, args.work / "pools.json.gz")
    for key, value in gathered.items():
        print(f"{key:16} {len(value['questions']) if isinstance(value, dict) else len(value):>7}")


if __name__ == "__main__":
    main()
