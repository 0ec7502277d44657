"""Fits the weights of the ranking over levels (`RankingWeights` in crates/index) on the train part of the real questions
and reports them on the other parts, with the effect of leaving each out.

    cargo run -p regreader-search --example ranking_features -- LIBRARY QUESTIONS.jsonl > zh-train.features.jsonl
    python3 fit.py zh-train=LIBRARY:zh-train.features.jsonl en-train=... zh=... en=...

Each `NAME=LIBRARY:FEATURES` names a set; those of `--train` are fitted on, the others reported. Only the standard library is used, and the search is the same on every
machine: coordinate ascent from the present weights over fixed factors, by the mean reciprocal rank of the right page.
"""

import argparse
import glob
import json
import os

LEVELS = ["window", "cosine", "block", "block_cosine", "clause", "page", "regulation"]
FACTORS = [0.0, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0]
PRIOR = [0.36, 0.73, 0.05, 0.05, 0.36, 0.36, 0.18]
"""Ratios of the study that was made without fitting: window 1, meaning 2, clause 1, page 1, regulation one half."""
START = [0.36, 0.72, 0.07, 0.17, 0.18, 0.36, 0.22]
"""The present weights of `RankingWeights`, with which the features were written."""


def ids_of(library):
    """File stem of each document to the regulation it became."""
    ids = {}
    for path in glob.glob(os.path.join(library, "regulations", "*", "info.json")):
        with open(path, encoding="utf-8") as file:
            info = json.load(file)
        ids[os.path.splitext(os.path.basename(info["source_file"]))[0]] = info["reg_id"]
    return ids


def load(library, path):
    """Answerable questions: for each the candidates as (rest of the score, levels, page) and the right pages."""
    ids, questions = ids_of(library), []
    for line in open(path, encoding="utf-8"):
        question = json.loads(line)
        if question["refusal"]:
            continue
        wanted = {ids[stem]: question["pages"].get(stem) for stem in question["reg_ids"] if stem in ids}
        rows = []
        for hit in question["hits"]:
            levels = [hit["signals"][name] for name in LEVELS]
            # What the levels do not explain: named places, rows of tables, editions.
            rest = hit["score"] - sum(w * x for w, x in zip(START, levels)) if hit["ranked"] else -9.0
            right = hit["reg_id"] in wanted and (not wanted[hit["reg_id"]] or hit["page"] in wanted[hit["reg_id"]])
            rows.append((rest, levels, (hit["reg_id"], hit["page"]), right))
        questions.append(rows)
    return questions


def rank(rows, weights):
    """Place of the first right page, from 1; none when it is not there."""
    best = {}
    for rest, levels, page, right in rows:
        score = rest + sum(w * x for w, x in zip(weights, levels))
        if page not in best or score > best[page][0]:
            best[page] = (score, right)
    for place, (_, right) in enumerate(sorted(best.values(), key=lambda one: -one[0]), 1):
        if right:
            return place
    return None


def measure(questions, weights):
    places = [rank(rows, weights) for rows in questions]
    count = max(len(places), 1)
    hit = lambda k: sum(1 for place in places if place and place <= k) / count
    return [hit(1), hit(3), hit(5)], sum(1 / place for place in places if place) / count


def fit(sets):
    goal = lambda weights: sum(measure(questions, weights)[1] for questions in sets) / len(sets)
    weights, best = list(PRIOR), goal(PRIOR)
    for _ in range(4):
        before = best
        for at in range(len(weights)):
            for factor in FACTORS:
                tried = list(weights)
                tried[at] = (weights[at] or PRIOR[at]) * factor
                score = goal(tried)
                if score > best + 1e-4:
                    weights, best = tried, score
        if best <= before:
            break
    return weights


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", metavar="NAME=LIBRARY:FEATURES")
    parser.add_argument("--train", nargs="+", default=["zh-train", "en-train"])
    args = parser.parse_args()
    sets = {}
    for one in args.sets:
        name, rest = one.split("=", 1)
        library, features = rest.rsplit(":", 1)
        sets[name] = load(library, features)

    def line(name, weights):
        cells = [f"{key} " + " ".join(f"{x:.2f}" for x in measure(rows, weights)[0]) for key, rows in sets.items()]
        print(f"{name:22}", " | ".join(cells))

    line("present", START)
    # A hundred questions are few: half way from the prior ratios to what fits them best.
    best = fit([sets[name] for name in args.train])
    line("best on train", best)
    fitted = [(a + b) / 2 for a, b in zip(PRIOR, best)]
    print("fitted", {name: round(weight, 3) for name, weight in zip(LEVELS, fitted)})
    line("fitted", fitted)
    for at, name in enumerate(LEVELS):
        left = list(fitted)
        left[at] = 0.0
        line(f"without {name}", left)


if __name__ == "__main__":
    main()
