"""Fits the weights of the ranking over levels (`RankingWeights` in crates/index) on questions of a train part and reports
them on others, with the effect of leaving each out.

    cargo run -p regreader-search --example ranking_features -- LIBRARY QUESTIONS.jsonl > zh-train.features.jsonl
    python3 fit.py zh-train=LIBRARY:zh-train.features.jsonl en-train=... zh=... en=... --train zh-train en-train

Needs numpy. Each `NAME=LIBRARY:FEATURES` names a set; those of `--train` are fitted on, the others reported. What is fitted are
corrections of the present weights: a softmax over the windows of a question gives the likelihood that one on a right page
comes first, from the present score and the levels named by `--correct`. The present score stays a part of it, because it
also holds what no level explains (named clauses, rows of tables, editions), which few questions of the train part have.
Held-out figures are of five folds.
"""

import argparse
import glob
import json
import os
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from verdict import choose, folds  # noqa: E402

LEVELS = ["window", "cosine", "similar", "block", "block_cosine", "clause", "page", "regulation"]
PRESENT = [0.36, 0.72 + 1.7, 4.6, 0.07, 0.17, 0.18, 0.36, 0.22]
"""The weights of `RankingWeights` with which the features were written; of the cosine `meaning` and `near`, which is the part that
counts only between the best windows."""


def ids_of(library):
    """File stem of each document to the regulation it became."""
    ids = {}
    for path in glob.glob(os.path.join(library, "regulations", "*", "info.json")):
        with open(path, encoding="utf-8") as file:
            info = json.load(file)
        ids[os.path.splitext(os.path.basename(info["source_file"]))[0]] = info["reg_id"]
    return ids


def load(library, path):
    """Answerable questions: for each its windows as rows (present score, levels), whether each is on a right page, and its
    page."""
    ids, questions = ids_of(library), []
    for line in open(path, encoding="utf-8"):
        question = json.loads(line)
        if question["refusal"]:
            continue
        wanted = {ids[stem]: question["pages"].get(stem) for stem in question["reg_ids"] if stem in ids}
        rows, right, pages = [], [], []
        for hit in question["hits"]:
            # Windows that were not compared stand below all that were.
            if not hit["ranked"] or hit["signals"]["similar"] == 0.0:
                continue
            rows.append([hit["score"]] + [hit["signals"][name] for name in LEVELS])
            right.append(hit["reg_id"] in wanted and (not wanted[hit["reg_id"]] or hit["page"] in wanted[hit["reg_id"]]))
            pages.append((hit["reg_id"], hit["page"]))
        questions.append((np.array(rows).reshape(-1, 1 + len(LEVELS)), np.array(right, bool), pages))
    return questions


def place(question, weights):
    """Place of the first right page, from 1; none when it is not there."""
    rows, right, pages = question
    seen = []
    for at in np.argsort(-(rows @ weights), kind="stable"):
        if pages[at] not in seen:
            seen.append(pages[at])
            if right[at]:
                return len(seen)
    return None


def measure(questions, weights):
    """hit@1, hit@3, hit@5, mean reciprocal rank."""
    places = [place(question, weights) for question in questions]
    hit = lambda k: sum(1 for one in places if one and one <= k)
    return np.array([hit(1), hit(3), hit(5), sum(1 / one for one in places if one)]) / max(len(places), 1)


def fit(questions, columns):
    groups = [(rows[:, columns], right) for rows, right, _ in questions if right.any() and not right.all()]
    weights = np.zeros(1 + len(LEVELS))
    weights[columns] = choose(groups, np.zeros(len(columns), bool))
    return weights


def held_out(questions, columns):
    total = np.zeros(4)
    for train, test in folds(len(questions), 5):
        total += measure([questions[i] for i in test], fit([questions[i] for i in train], columns)) * len(test)
    return total / len(questions)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", metavar="NAME=LIBRARY:FEATURES")
    parser.add_argument("--train", nargs="+", default=["zh-train", "en-train"])
    parser.add_argument("--correct", nargs="+", default=["cosine", "similar"], choices=LEVELS)
    args = parser.parse_args()
    sets = {}
    for one in args.sets:
        name, rest = one.split("=", 1)
        library, features = rest.rsplit(":", 1)
        sets[name] = load(library, features)
    train = [question for name in args.train for question in sets[name]]
    columns = [0] + [1 + LEVELS.index(name) for name in args.correct]
    present = np.eye(1 + len(LEVELS))[0]

    def line(name, weights):
        cells = [f"{key} " + " ".join(f"{x:.3f}" for x in measure(rows, weights)) for key, rows in sets.items()]
        print(f"{name:22}", " | ".join(cells))

    line("present", present)
    print("held-out folds of train:", " ".join(f"{x:.3f}" for x in held_out(train, columns)))
    fitted = fit(train, columns)
    line("corrected", fitted)
    for name, weight in zip(LEVELS, fitted[1:] / fitted[0]):
        if weight:
            print(f"  {name}: {PRESENT[LEVELS.index(name)]} + {weight:.2f}")
    for at, (name, weight) in enumerate(zip(LEVELS, PRESENT), 1):
        line(f"present without {name}", present - weight * np.eye(1 + len(LEVELS))[at])


if __name__ == "__main__":
    main()
