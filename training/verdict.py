#!/usr/bin/env python3
"""Fits the weights of the evidence and of the verdict (crates/agent/src/offline/weights.txt).

Plain Python, no packages. The input are the lines that `regreader eval FILE --corpus DIR --answers --threshold 0
--details OUT` writes: every question answered whatever its probability, with its signals, its candidate passages and
whether the answer was right.

    verdict.py passages TRAIN... [--ablation]     fit the ranking of passages
    verdict.py answers TRAIN... [--test TEST...]  fit the verdict, choose the thresholds, report on TEST

`passages` maximises the likelihood that a passage with the wanted words on a right page comes first (a softmax over the
candidates of each question). `answers` is a logistic regression of "the answer is right" on the signals; unanswerable
questions are never right. Both are penalised (L2). Thresholds are chosen on predictions for held-out folds of TRAIN.
"""

import argparse
import json
import math
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
WEIGHTS = HERE.parent / "crates/agent/src/offline/weights.txt"
# The bars of the project: wrong answers to answerable questions, answers to unanswerable ones.
MOST_WRONG = 0.09
MOST_ANSWERED = 0.15
# Features of a passage that may speak against it. The others can only speak for it: a hundred questions are few, and
# without this bound the fit gives the names of the regulation or the words of the block a negative weight by chance.
EITHER_WAY = ["length", "no_value", "preliminary", "row"]
# Signals that the verdict may use. None of them is a share of the best candidate or a margin between scores: those
# saturate in a small library. What search scored the best hit (`hit`) is no signal either: naming a regulation raises
# it, and the unanswerable questions of the train part name one more often than the others do.
SIGNALS = ["held", "cosine", "no_value", "exact", "agree", "sentence_lead", "asks_value", "chinese"]
# Signals of the question as a whole; the others are features of the best passage under the weights of passages.
OF_QUESTION = ["absent", "asks_value", "chinese"]
# As VIEWS and LEAST_SPREAD in crates/agent/src/offline/verdict.rs.
VIEWS = ["cosine", "block_cosine", "words", "page", "clause", "own", "sentence"]
LEAST_SPREAD = 0.01


def read(paths):
    return [json.loads(line) for path in paths for line in open(path, encoding="utf-8")]


def load_weights():
    weights = {"passage": {}, "answer": {}}
    for line in WEIGHTS.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[0] in weights:
            weights[fields[0]][fields[1]] = float(fields[2])
        elif len(fields) == 2 and fields[0] in ("threshold", "least"):
            weights[fields[0]] = float(fields[1])
    return weights


def save_weights(weights, origin):
    lines = ["# Weights of the evidence and of the verdict. Written by training/verdict.py; do not edit by hand.",
             f"# {origin}"]
    for part in ("passage", "answer"):
        lines += [f"{part} {name} {value:.4f}" for name, value in sorted(weights[part].items())]
    lines += [f"threshold {weights['threshold']:.3f}", f"least {weights['least']:.3f}"]
    WEIGHTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def descend(gradient, size, steps=200, rate=0.5, at_least=None):
    """Adam on a full gradient; `at_least` bounds each number from below (none: no bound)."""
    x, m, v = [0.0] * size, [0.0] * size, [0.0] * size
    for step in range(1, steps + 1):
        g = gradient(x)
        for i in range(size):
            m[i] = 0.9 * m[i] + 0.1 * g[i]
            v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i]
            x[i] -= rate * (m[i] / (1 - 0.9**step)) / (math.sqrt(v[i] / (1 - 0.999**step)) + 1e-9) / (1 + step / 50)
            if at_least and at_least[i] is not None:
                x[i] = max(at_least[i], x[i])
    return x


# --- passages -------------------------------------------------------------------------------------------------------

def groups(questions):
    """Candidates of each question with a right one among them: features, and which are right."""
    found = []
    for question in questions:
        rows = [(p["features"], p["on_page"] and p["says"]) for p in question["passages"]]
        if not question["refusal"] and any(right for _, right in rows):
            found.append(rows)
    return found


def fit_passages(sets, names, penalty=1.0):
    def gradient(w):
        g = [penalty * x for x in w]
        for rows in sets:
            scores = [sum(a * f.get(n, 0.0) for a, n in zip(w, names)) for f, _ in rows]
            top = max(scores)
            exps = [math.exp(s - top) for s in scores]
            total = sum(exps)
            good = sum(e for e, (_, right) in zip(exps, rows) if right)
            for e, (f, right) in zip(exps, rows):
                push = e / total - (e / good if right else 0.0)
                for i, n in enumerate(names):
                    g[i] += push * f.get(n, 0.0)
        return g
    return descend(gradient, len(names), at_least=[None if name in EITHER_WAY else 0.0 for name in names])


def first_right(sets, names, w, k):
    hits = 0
    for rows in sets:
        order = sorted(rows, key=lambda row: -sum(a * row[0].get(n, 0.0) for a, n in zip(w, names)))
        hits += any(right for _, right in order[:k])
    return hits / max(1, len(sets))


def passages(train, ablation):
    questions = read(train)
    sets = groups(questions)
    names = sorted({name for rows in sets for f, _ in rows for name in f})
    answerable = sum(not q["refusal"] for q in questions)
    print(f"{answerable} answerable questions, {len(sets)} with a right passage among the candidates")
    before = [load_weights()["passage"].get(name, 0.0) for name in names]
    print("before: first {:.3f}, among three {:.3f}".format(first_right(sets, names, before, 1), first_right(sets, names, before, 3)))
    random.Random(7).shuffle(sets)
    folds = [(sets[:i] + sets[i + len(sets) // 5:], sets[i:i + len(sets) // 5]) for i in range(0, len(sets) - 4, max(1, len(sets) // 5))]
    held = [(first_right(b, names, w, 1), first_right(b, names, w, 3), len(b)) for a, b in folds for w in [fit_passages(a, names)]]
    total = sum(n for *_, n in held)
    print("held-out folds: first {:.3f}, among three {:.3f}".format(sum(a * n for a, _, n in held) / total, sum(b * n for _, b, n in held) / total))
    w = fit_passages(sets, names)
    print("fitted: first {:.3f}, among three {:.3f}".format(first_right(sets, names, w, 1), first_right(sets, names, w, 3)))
    for leave in names if ablation else []:
        rest = [name for name in names if name != leave]
        u = fit_passages(sets, rest)
        print("  without {:13} first {:.3f}, among three {:.3f}   (weight {:.3f})".format(leave, first_right(sets, rest, u, 1), first_right(sets, rest, u, 3), w[names.index(leave)]))
    weights = load_weights()
    weights["passage"] = dict(zip(names, w))
    save_weights(weights, f"passages fitted on {len(sets)} questions; verdict not fitted since")


# --- answers --------------------------------------------------------------------------------------------------------

def fit_logistic(rows, names, penalty=1.0):
    """Weights on standardised signals, given back for the raw ones; the bias last."""
    means = [sum(s.get(n, 0.0) for s, _ in rows) / len(rows) for n in names]
    devs = [math.sqrt(sum((s.get(n, 0.0) - m) ** 2 for s, _ in rows) / len(rows)) or 1.0 for n, m in zip(names, means)]
    data = [([(s.get(n, 0.0) - m) / d for n, m, d in zip(names, means, devs)], y) for s, y in rows]

    def gradient(w):
        g = [penalty * x for x in w[:-1]] + [0.0]
        for x, y in data:
            p = sigmoid(sum(a * b for a, b in zip(w, x)) + w[-1])
            for i, value in enumerate(x):
                g[i] += (p - y) * value
            g[-1] += p - y
        return g
    w = descend(gradient, len(names) + 1)
    raw = [a / d for a, d in zip(w, devs)]
    return raw, w[-1] - sum(a * m for a, m in zip(raw, means))


def sigmoid(x):
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, x))))


def predict(model, names, signals):
    w, bias = model
    return sigmoid(sum(a * signals.get(n, 0.0) for a, n in zip(w, names)) + bias)


def rates(scored, threshold):
    """right, wrong (of answerable), unanswerable answered."""
    answerable = [row for row in scored if not row[2]]
    refusals = [row for row in scored if row[2]]
    share = lambda rows, test: sum(map(test, rows)) / max(1, len(rows))
    return (share(answerable, lambda r: r[0] >= threshold and r[1]), share(answerable, lambda r: r[0] >= threshold and not r[1]),
            share(refusals, lambda r: r[0] >= threshold))


def choose(scored):
    """The least threshold that keeps the bars on held-out predictions."""
    for threshold in [x / 200 for x in range(0, 200)]:
        _, wrong, answered = rates(scored, threshold)
        if wrong <= MOST_WRONG and answered <= MOST_ANSWERED:
            return threshold
    return 0.995


def feature(passage, name):
    return passage["features"].get(name, 0.0)


def agreement(best):
    """The share of the views in which no other candidate is better than the first."""
    first = lambda name: all(feature(p, name) <= feature(best[0], name) + 1e-9 for p in best)
    return sum(map(first, VIEWS)) / len(VIEWS)


def lead(best, name):
    """By how many standard deviations the first candidate stands above the mean in one view."""
    values = [feature(p, name) for p in best]
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((x - mean) ** 2 for x in values) / len(values))
    return (values[0] - mean) / (spread + LEAST_SPREAD)


def outcomes(paths):
    """Signals of each question under the current weights of passages, and whether one of the three best answers it."""
    weights = load_weights()["passage"]
    found = []
    for question in read(paths):
        given = question["answer"].get("signals", {})
        score = lambda p: sum(weights.get(n, 0.0) * x for n, x in p["features"].items())
        best = sorted(question["passages"], key=score, reverse=True)
        if not given or not best:
            continue
        signals = dict(best[0]["features"], agree=agreement(best), sentence_lead=lead(best, "sentence"))
        signals.update({n: given.get(n, 0.0) for n in OF_QUESTION})
        signals["held"] = feature(best[0], "sentence") * (1.0 - signals["absent"])
        right = any(p["on_page"] and p["quoted_says"] for p in best[:3])
        found.append((signals, right, question["refusal"], None))
    return found


def answers(train, tests):
    rows = outcomes(train)
    names = [n for n in SIGNALS if any(n in s for s, *_ in rows)]
    data = [(s, float(right and not refusal)) for s, right, refusal, _ in rows]
    order = list(range(len(data)))
    random.Random(7).shuffle(order)
    best = None
    for penalty in (3.0, 10.0, 30.0):
        held = [None] * len(data)
        for fold in range(10):
            out = set(order[fold::10])
            model = fit_logistic([data[i] for i in range(len(data)) if i not in out], names, penalty)
            for i in out:
                held[i] = predict(model, names, data[i][0])
        loss = -sum(math.log(max(1e-9, p if y else 1 - p)) for p, (_, y) in zip(held, data)) / len(data)
        print(f"penalty {penalty}: held-out log loss {loss:.4f}")
        if best is None or loss < best[0]:
            best = (loss, penalty, held)
    _, penalty, held = best
    scored = [(p, right, refusal) for p, (_, right, refusal, _) in zip(held, rows)]
    threshold = choose(scored)
    model = fit_logistic(data, names, penalty)
    fitted = sorted(predict(model, names, s) for s, right, refusal, _ in rows if not refusal)
    # Nothing that is asked in the train part and has an answer is kept from the reader altogether.
    least = 0.9 * fitted[0] if fitted else 0.0
    print(f"penalty {penalty}, threshold {threshold}, least {least:.3f}")
    print("train, held out: right {:.3f} wrong {:.3f} unanswerable answered {:.3f}".format(*rates(scored, threshold)))
    print("train, answering everything: right {:.3f} wrong {:.3f}".format(*rates(scored, 0.0)[:2]))
    for name, weight in zip(names, model[0]):
        print(f"  {name:18} {weight:8.3f}")
    for path in tests:
        scored = [(predict(model, names, signals), right, refusal) for signals, right, refusal, _ in outcomes([path])]
        print(path, "right {:.3f} wrong {:.3f} unanswerable answered {:.3f}".format(*rates(scored, threshold)),
              "| everything: right {:.3f}".format(rates(scored, 0.0)[0]))
    weights = load_weights()
    weights["answer"] = dict(zip(names, model[0]), bias=model[1])
    weights.update(threshold=threshold, least=min(least, threshold))
    save_weights(weights, f"fitted on {len(rows)} questions of zh-train.jsonl and en-train.jsonl")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["passages", "answers"])
    parser.add_argument("train", nargs="+")
    parser.add_argument("--test", nargs="*", default=[])
    parser.add_argument("--ablation", action="store_true", help="also fit without each feature (passages)")
    args = parser.parse_args()
    if args.part == "passages":
        passages(args.train, args.ablation)
    else:
        answers(args.train, args.test)


if __name__ == "__main__":
    main()
