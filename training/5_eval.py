"""Step 5: every set, each leg alone and joined. Needs no GPU: the held-out lists come from step 3.

python 5_eval.py --carry CARRY --lists OUT [--bge VECTORS.npz] > table.md
  --bge  vectors of the small sets by bge-small-zh (6_bge_vectors.py), for the rows that compare with it
"""

import argparse
from pathlib import Path

import numpy as np

from regembed import bm25, fusion, measure, pools, splits, table

HERE = Path(__file__).parent
MODEL = HERE.parent / "crates/embed/model/static.bin"
DEPTH = measure.DEPTH


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--lists", type=Path, required=True)
    parser.add_argument("--bge", type=Path)
    args = parser.parse_args()
    gathered = pools.load(args.carry / "pools.json.gz")
    print("| set | vectors | figures | keyword | vector | RRF | fixed .3 | default |\n|---|---|---|---|---|---|---|---|")
    statutes(gathered, args.lists)
    small(gathered, static_vectors(), "static, shipped", 1.0)
    if args.bge:
        z = np.load(args.bge)
        small(gathered, lambda name, texts, query: z[name].astype(np.float32), "bge-small-zh, untuned", fusion.BGE_SPREAD)


def statutes(gathered, lists: Path):
    """STARD and exam: every question measured by a model that never saw it."""
    index = bm25.Index(gathered["zh_docs"])
    keyword, covered = {}, {}
    for name in ("stard", "exam"):
        questions = gathered[name]["questions"]
        keyword[name] = [index.top(q, DEPTH) for q in questions]
        covered[name] = [fusion.coverage(index, q, d, gathered["zh_docs"]) for q, (d, _) in zip(questions, keyword[name])]

    def legs(file, who, name):
        z = np.load(lists / file)
        for row, i in enumerate(z[f"{who}.{name}.held"]):
            docs, scores = keyword[name][i]
            cosine = z[f"{who}.{name}.cos"][row].astype(np.float32)
            of_keyword = z[f"{who}.{name}.of_keyword"][row][: len(docs)].astype(np.float32)
            mean = float(z[f"{who}.{name}.mean"][row])
            yield int(i), fusion.Legs(docs, scores, z[f"{who}.{name}.top"][row], cosine, of_keyword, mean, covered[name][i])

    def folds(split, who, name):
        return [pair for f in range(splits.FOLDS) for pair in legs(f"{split}-{f}.lists.npz", who, name)]

    def show(title, vectors, pairs, name, ks, spread=1.0):
        gold = [gathered[name]["gold"][i] for i, _ in pairs]
        line(title, vectors, f"R@{ks[0]} / R@{ks[1]}", pairs, spread, lambda tops: list(measure.recall(tops, gold, ks).values()))

    seen = unseen(gathered)
    for who, vectors, spread in (("student", "static", 1.0), ("teacher", "bge, tuned (teacher)", 0.75)):
        for split in ("random", "disjoint"):
            pairs = folds(split, who, "stard")
            title = "STARD, random folds" if split == "random" else "STARD, article-disjoint folds"
            show(title, vectors, pairs, "stard", (10, 100), spread)
            if split == "random":
                fresh = [(i, l) for i, l in pairs if i in seen]
                show(f"… of these, articles in no training pair ({len(fresh)})", vectors, fresh, "stard", (10, 100), spread)
        show("exam, random folds", vectors, folds("random", who, "exam"), "exam", (1, 10), spread)
        show("exam, articles in no training pair", vectors, folds("disjoint", who, "exam"), "exam", (1, 10), spread)
    for who, vectors, spread in (("student", "static, no labels", 1.0), ("teacher", "bge-small-zh, untuned", fusion.BGE_SPREAD)):
        show("STARD, all given", vectors, list(legs("nolabel.lists.npz", who, "stard")), "stard", (10, 100), spread)
        show("exam, all given", vectors, list(legs("nolabel.lists.npz", who, "exam")), "exam", (1, 10), spread)


def unseen(gathered):
    """Questions of the random folds none of whose articles was in a training pair of their fold."""
    out = set()
    for fold in range(splits.FOLDS):
        train, held, exam_train, _ = splits.split(gathered, "random", fold)
        known = {a for i in train for a in gathered["stard"]["gold"][i]} | {gathered["exam"]["gold"][i][0] for i in exam_train}
        out |= {i for i in held if not known & set(gathered["stard"]["gold"][i])}
    return out


def small(gathered, vectors, name, spread):
    """The sets nobody trained on: GB 38755 and FinanceBench by page, and the pairs across languages."""
    gb, fb = gathered["gb"], gathered["financebench"]
    pairs = legs_of(vectors, "gb", gb["questions"], "gb_units", gb["units"])
    line("GB 38755, page", name, "R@1 / R@3", pairs, spread, lambda tops: list(measure.pages(tops, gb["keys"], gb["gold"], (1, 3)).values()))
    documents = np.array([k.rsplit("#", 1)[0] for k in fb["keys"]])
    for title, only in (("FinanceBench, all reports", None), ("FinanceBench, report given", [documents == d for d in fb["docs"]])):
        pairs = legs_of(vectors, "fb", fb["questions"], "fb_units", fb["units"], only)
        line(title, name, "page in 5 / 10", pairs, spread, lambda tops: list(measure.pages(tops, fb["keys"], fb["gold"], (5, 10)).values()))
    held = gathered["zh_en_held_out"]
    for title, q, d in (("zh → en", "zh_question", "en_passage"), ("en → zh", "en_question", "zh_passage"), ("zh → zh", "zh_question", "zh_passage"), ("en → en", "en_question", "en_passage")):
        pairs = legs_of(vectors, q, [p[q] for p in held], d, [p[d] for p in held])
        line(f"{title}, own pairs", name, "hit@1 / hit@3", pairs, spread, lambda tops: [np.mean([i in t[:k] for i, t in enumerate(tops)]) for k in (1, 3)])


def static_vectors():
    model = table.load(MODEL)
    rows = model.rows.astype(np.float64)

    def embed(name, texts, query):
        weights = (model.query if query else model.document).astype(np.float64)
        out = np.zeros((len(texts), rows.shape[1]))
        for vector, text in zip(out, texts):
            ids = model.tokenizer.ids(text)
            vector[:] = weights[ids] @ rows[ids]
        return (out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)).astype(np.float32)

    return embed


def legs_of(vectors, q_name, questions, d_name, units, only=None):
    index = bm25.Index(units)
    queries, documents = vectors(q_name, questions, True), vectors(d_name, units, False)
    out = []
    for i, question in enumerate(questions):
        words, cosine = index.scores(question), documents @ queries[i]
        inside = np.ones(len(units), dtype=bool) if only is None else only[i]
        words, shown = np.where(inside, words, 0), np.where(inside, cosine, -2)
        by_words = np.argsort(-words, kind="stable")[:DEPTH]
        by_words = by_words[words[by_words] > 0]
        near = np.argsort(-shown, kind="stable")[:DEPTH]
        near = near[shown[near] > -2]
        covered = fusion.coverage(index, question, by_words, units)
        out.append((i, fusion.Legs(by_words, words[by_words], near, cosine[near], cosine[by_words], float(cosine[inside].mean()), covered)))
    return out


def line(title, vectors, figures, pairs, spread, score):
    legs = [l for _, l in pairs]
    ways = (
        [l.keyword.tolist() for l in legs],
        [l.vector.tolist() for l in legs],
        [fusion.rrf(l) for l in legs],
        [fusion.weighed(l, 0.3) for l in legs],
        [fusion.default(l, spread) for l in legs],
    )
    cells = " | ".join(" / ".join(f"{v:.3f}".lstrip("0") for v in score(tops)) for tops in ways)
    print(f"| {title} | {vectors} | {figures} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
