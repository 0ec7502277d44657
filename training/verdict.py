#!/usr/bin/env python3
"""Fits the weights of the evidence and of the verdict (crates/agent/src/offline/weights.txt).

Needs numpy. The input are the lines that `regreader eval FILE --corpus DIR --answers --threshold 0 --details OUT` writes: every
question answered whatever its probability, with its signals, its candidate passages and whether the answer was right.

    verdict.py passages TRAIN... [--ablation]     fit the order of passages
    verdict.py passages TRAIN... --only NAME...   fit these features beside the score of all others
    verdict.py sentences TRAIN...                 fit which sentence of a long passage is quoted
    verdict.py answers TRAIN... [--apart APART...] [--test TEST...]
                                                  fit the verdict, choose the thresholds on APART, report on TEST
    verdict.py bounds APART...                    choose only the thresholds again, for the weights that there are

`passages` maximises the likelihood that a passage with the wanted words on a right page comes first (a softmax over the
candidates of each question), `sentences` the same for the sentences of such a passage. `answers` is a logistic regression of
"the answer is right" on the signals; unanswerable questions are never right. All are penalised (L2). The threshold of each language
is chosen by its own bars on APART (training/data/questions/apart-*.jsonl), which nothing else is fitted on and which nobody looks at while working on
the signals: on questions of TRAIN, held-out folds too, a verdict looks better than it is once its signals were made by reading them.
Without APART it is chosen on held-out folds of TRAIN.
"""

import argparse
import json
import pathlib
import re
import unicodedata

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
WEIGHTS = HERE.parent / "crates/agent/src/offline/weights.txt"
PARTS = ("passage", "sentence", "answer_en", "answer_zh")
# The bars of the project: of the questions with an answer at most so many are answered wrongly, of those without one at most .15 are
# answered at all.
MOST_WRONG = {"en": 0.12, "zh": 0.08}
MOST_ANSWERED = 0.15
# Who asks what is there should not be told that nothing is: one question in a hundred may be, and none with a better chance than one in ten.
TOLD_NOTHING = 0.01
LEAST = (0.03, 0.1)
OWN = "w"
"""How the ids of training/data/questions begin."""
# Features of a passage that may speak against it. The others can only speak for it: without this bound the fit gives the
# words of a block a negative weight by chance.
EITHER_WAY = {"length", "no_value", "preliminary", "row", "beside", "elsewhere", "said"}
# Features of a passage that only the verdict uses: in the order they cost it more than they bring.
OF_VERDICT = {"codes_missing", "unit_missing"}
# Signals that the verdict may use. The chances of passages are large in a small library whatever is asked, so they are to be fitted
# with libraries of a few documents beside the large ones (`small_libraries.py`).
SIGNALS = ["cosine", "no_value", "exact", "asks_value", "page", "block_cosine", "similar", "nearest", "meaning", "absent", "value_near",
           "codes_missing", "unit_missing", "said", "length", "chance", "chance_of_three", "chance_of_page", "doubt"]
# Signals of the question as a whole; the others are features of the best passage under the weights of passages.
OF_QUESTION = ["absent", "asks_value", "chinese"]
# The signal of questions that the program does not answer however probable an answer is (it names a place that is not there).
HELD_BACK = "held_back"


def read(paths):
    return [json.loads(line) for path in paths for line in open(path, encoding="utf-8")]


def load_weights():
    weights = {part: {} for part in PARTS}
    for line in WEIGHTS.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[0] in weights:
            weights[fields[0]][fields[1]] = float(fields[2])
    return weights


def save_weights(weights, origin):
    lines = ["# Weights of the evidence and of the verdict. Written by training/verdict.py; do not edit by hand.",
             f"# {origin}"]
    for part in PARTS:
        lines += [f"{part} {name} {value:.4f}" for name, value in sorted(weights[part].items())]
    WEIGHTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def folds(count, of):
    order = np.random.RandomState(7).permutation(count)
    return [(np.setdiff1d(order, order[i::of]), order[i::of]) for i in range(of)]


def folds_by_question(ids, of):
    """Folds in which a question that is put to several libraries is always on one side."""
    names, at = np.unique([name.split("+")[-1] for name in ids], return_inverse=True)
    rows = np.arange(len(ids))
    return [(rows[np.isin(at, fit)], rows[np.isin(at, out)]) for fit, out in folds(len(names), of)]


# --- choosing one of several -----------------------------------------------------------------------------------------

def choose(groups, either_way, penalty=1.0, steps=400):
    """Weights that put a right row of each group first. A group is a matrix of features and which rows are right."""
    x = np.vstack([features for features, _ in groups])
    right = np.concatenate([y for _, y in groups])
    group = np.repeat(np.arange(len(groups)), [len(y) for _, y in groups])
    spread = x.std(0) + 1e-9
    x = x / spread
    w, m, v = (np.zeros(x.shape[1]) for _ in range(3))
    for step in range(1, steps + 1):
        scores = x @ w
        top = np.full(len(groups), -np.inf)
        np.maximum.at(top, group, scores)
        e = np.exp(scores - top[group])
        push = e / np.bincount(group, e)[group] - np.where(right, e / np.bincount(group, e * right)[group], 0.0)
        g = x.T @ push + penalty * w
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w - 0.3 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-9) / (1 + step / 60)
        w = np.where(either_way, w, np.maximum(w, 0.0))
    return w / spread


def first_right(groups, w, k):
    return sum(y[np.argsort(-(x @ w), kind="stable")[:k]].any() for x, y in groups) / max(1, len(groups))


def fit_choice(groups, names, before, either_way, ablation=False):
    three = lambda sets, w: tuple(first_right(sets, w, k) for k in (1, 2, 3))
    print("before: first {:.3f}, among two {:.3f}, among three {:.3f}".format(*three(groups, before)))
    def held(groups, either_way):
        total = np.zeros(3)
        for train, test in folds(len(groups), 5):
            w = choose([groups[i] for i in train], either_way)
            total += np.array(three([groups[i] for i in test], w)) * len(test)
        return total / len(groups)
    print("held-out folds: first {:.3f}, among two {:.3f}, among three {:.3f}".format(*held(groups, either_way)))
    w = choose(groups, either_way)
    for at, leave in enumerate(names if ablation else []):
        rest = np.arange(len(names)) != at
        figures = held([(x[:, rest], y) for x, y in groups], either_way[rest])
        print("  without {:13} first {:.3f}, among two {:.3f}, among three {:.3f}   (weight {:.3f})".format(leave, *figures, w[at]))
    return w


def passages(train, ablation, only):
    questions = [q for q in read(train) if not q["refusal"]]
    names = sorted({name for q in questions for p in q["passages"] for name in p["features"]} - OF_VERDICT)
    groups = []
    for question in questions:
        right = np.array([p["on_page"] and p["says"] for p in question["passages"]], bool)
        if right.any():
            groups.append((np.array([[p["features"].get(n, 0.0) for n in names] for p in question["passages"]]), right))
    print(f"{len(questions)} answerable questions, {len(groups)} with a right passage among the candidates")
    weights = load_weights()
    before = np.array([weights["passage"].get(name, 0.0) for name in names])
    if only:
        picked = [names.index(name) for name in only]
        kept = np.where(np.isin(np.arange(len(names)), picked), 0.0, before)
        groups = [(np.column_stack([x @ kept, x[:, picked]]), y) for x, y in groups]
        either_way = np.array([True] + [name in EITHER_WAY for name in only])
        w = fit_choice(groups, ["score", *only], np.append(1.0, before[picked]), either_way, ablation)
        weights["passage"].update(zip(only, w[1:] / w[0]))
    else:
        w = fit_choice(groups, names, before, np.array([n in EITHER_WAY for n in names]), ablation)
        weights["passage"] = dict(zip(names, w))
    save_weights(weights, f"passages fitted on {len(groups)} questions; verdict not fitted since")


def says(wanted, text):
    plain = lambda s: re.sub(r"\s+", "", unicodedata.normalize("NFKC", s)).lower()
    return any(plain(choice) in plain(text) for one in wanted for choice in one.split("|"))


def sentences(train):
    groups, names = [], ["meaning", "similar", "value", "words"]
    for question in read(train):
        best = next((p for p in question["passages"] if p["on_page"] and p["says"]), None)
        if question["refusal"] or not best:
            continue
        right = np.array([says(question["wanted"], text) for text, _ in best["sentences"]], bool)
        if right.any() and not right.all():
            groups.append((np.array([[f.get(n, 0.0) for n in names] for _, f in best["sentences"]]), right))
    print(f"{len(groups)} passages with sentences to choose from")
    weights = load_weights()
    before = np.array([weights["sentence"].get(name, 0.0) for name in names])
    weights["sentence"] = dict(zip(names, fit_choice(groups, names, before, np.ones(len(names), bool))))
    save_weights(weights, f"sentences fitted on {len(groups)} passages; verdict not fitted since")


# --- the verdict -----------------------------------------------------------------------------------------------------

def fit_logistic(x, y, penalty, steps=300):
    """Weights of a logistic regression on standardised signals, given back for the raw ones; the bias last."""
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.hstack([(x - mean) / spread, np.ones((len(x), 1))])
    w = np.zeros(z.shape[1])
    for _ in range(25):
        p = sigmoid(z @ w)
        ridge = np.append(np.full(x.shape[1], penalty), 1e-6)
        gradient = z.T @ (p - y) + ridge * w
        hessian = (z * (p * (1 - p))[:, None]).T @ z + np.diag(ridge)
        w -= np.linalg.solve(hessian, gradient)
    raw = w[:-1] / spread
    return raw, w[-1] - raw @ mean


def sigmoid(x):
    return 1 / (1 + np.exp(-np.clip(x, -40, 40)))


def rates(p, right, refusal, threshold):
    """right, wrong (of answerable), unanswerable answered."""
    said, answerable = p >= threshold, ~refusal
    share = lambda flags, of: float(flags[of].mean()) if of.any() else 0.0
    return share(said & right, answerable), share(said & ~right, answerable), share(said, refusal)


def chances(best, score):
    """How probably the first passage is the right one, the first three are, and those of its page; and the entropy of all."""
    scores = np.array([score(p) for p in best])
    chance = np.exp(scores - scores[0])
    chance /= chance.sum()
    place = lambda p: (p["reg_id"], p["page_num"])
    of_page = sum(x for p, x in zip(best, chance) if place(p) == place(best[0]))
    doubt = -(chance * np.log(np.maximum(chance, 1e-300))).sum()
    return {"chance": chance[0], "chance_of_three": chance[:3].sum(), "chance_of_page": of_page, "doubt": doubt}


def outcomes(paths):
    """Signals of each question under the current weights of passages, whether the answer is right, whether there is
    none, whether the program may answer it, and its id. A question has its signals twice, the second time only if it is Chinese: weights of the second are what Chinese adds,
    because a sum over its words and a cosine of its characters are of another size."""
    weights = load_weights()["passage"]
    rows, right, refusal, ids, free = [], [], [], [], []
    for question in read(paths):
        given = question["answer"].get("signals", {})
        score = lambda p: sum(weights.get(n, 0.0) * x for n, x in p["features"].items())
        best = sorted(question["passages"], key=score, reverse=True)
        if not given or not best:
            continue
        signals = dict(best[0]["features"], **chances(best, score))
        signals.update({n: given.get(n, 0.0) for n in OF_QUESTION})
        own = [signals.get(n, 0.0) for n in SIGNALS]
        rows.append(own + [signals["chinese"] * value for value in [*own, 1.0]])
        right.append(bool(question["right"]) and not question["refusal"])
        refusal.append(question["refusal"])
        ids.append(question["id"])
        free.append(not given.get(HELD_BACK))
    return np.array(rows), *(np.array(flags, bool) for flags in (right, refusal, free)), ids


def choose_bounds(p, right, refusal, chinese):
    """For each language the threshold that keeps its bars, and the chance below which nothing is shown."""
    bounds = {}
    for language, rows in (("en", ~chinese), ("zh", chinese)):
        chance, is_right, unanswerable = p[rows], right[rows], refusal[rows]
        within = lambda figures: figures[1] <= MOST_WRONG[language] and figures[2] <= MOST_ANSWERED
        threshold = next((t for t in np.arange(0.0, 1.0, 0.005) if within(rates(chance, is_right, unanswerable, t))), 0.995)
        least = float(np.clip(np.quantile(chance[is_right & (chance > 0)], TOLD_NOTHING), *LEAST))
        bounds[language] = (threshold, min(least, threshold))
        print("{}: threshold {:.3f}, least {:.3f}; where they were chosen ({} questions): right {:.3f} wrong {:.3f} unanswerable answered {:.3f}".format(
            language, *bounds[language], len(chance), *rates(chance, is_right, unanswerable, threshold)))
    return bounds


def only_bounds(apart):
    """Chooses threshold and least of each language for the weights that there are, by the chances that the program gave."""
    weights, rows = load_weights(), []
    for question in read(apart):
        answer = question["answer"]
        signals = answer.get("signals", {})
        chance = answer.get("probability")
        if chance is None:
            chance = float(answer["outcome"] == "answered")
        held_back = bool(signals.get(HELD_BACK))
        rows.append((0.0 if held_back else chance, bool(question["right"]) and not question["refusal"], question["refusal"], signals.get("chinese", 0.0) > 0))
    chance, *flags = (np.array(column) for column in zip(*rows))
    for language, (threshold, least) in choose_bounds(chance, *(np.array(flag, bool) for flag in flags)).items():
        weights[f"answer_{language}"].update(threshold=threshold, least=least)
    save_weights(weights, WEIGHTS.read_text(encoding="utf-8").splitlines()[1].removeprefix("# "))


def answers(train, apart, tests):
    x, right, refusal, free, ids = outcomes(train)
    own = np.array([name.split("+")[-1].startswith(OWN) for name in ids])
    fit_on = lambda rows, penalty: fit_logistic(x[rows][free[rows]], right[rows][free[rows]], penalty)
    best = None
    for penalty in (3.0, 10.0, 30.0, 60.0, 100.0, 200.0):
        held = np.zeros(len(x))
        for fit, out in folds_by_question(ids, 10):
            w, bias = fit_on(fit, penalty)
            held[out] = sigmoid(x[out] @ w + bias) * free[out]
        loss = -np.mean(np.log(np.where(right, held, 1 - held) + 1e-9)[free])
        print(f"penalty {penalty}: held-out log loss {loss:.4f}")
        if best is None or loss < best[0]:
            best = (loss, penalty, held)
    _, penalty, held = best
    for threshold in np.arange(0.2, 0.7, 0.05):
        print("  at {:.2f}, held out: right {:.3f} wrong {:.3f} unanswerable answered {:.3f}".format(threshold, *rates(held, right, refusal, threshold)))
    w, bias = fit_on(np.arange(len(x)), penalty)
    chosen_on = (held, right, refusal, x[:, -1] > 0)
    if apart:
        x1, right1, refusal1, free1, _ = outcomes(apart)
        chosen_on = (sigmoid(x1 @ w + bias) * free1, right1, refusal1, x1[:, -1] > 0)
    print(f"{len(x)} questions, {np.sum(~free)} of them held back, penalty {penalty}")
    weights, bounds = load_weights(), choose_bounds(*chosen_on)
    of = lambda rows: np.where(rows[:, -1] > 0, bounds["zh"][0], bounds["en"][0])
    threshold = of(x)
    given = lambda t: rates(held[~own], right[~own], refusal[~own], t[~own])
    print("train, held out: right {:.3f} wrong {:.3f} unanswerable answered {:.3f}".format(*rates(held, right, refusal, threshold)))
    print("of it the given ones: right {:.3f} wrong {:.3f} unanswerable answered {:.3f}".format(*given(threshold)))
    print("train, answering everything: right {:.3f} wrong {:.3f}".format(*rates(held, right, refusal, 0.0)[:2]))
    english, chinese = w[: len(SIGNALS)], w[: len(SIGNALS)] + w[len(SIGNALS) : -1]
    for name, *both in zip(SIGNALS, english, chinese):
        print(f"  {name:18} en {both[0]:8.3f} zh {both[1]:8.3f}")
    for path in tests:
        x1, right1, refusal1, free1, _ = outcomes([path])
        p = sigmoid(x1 @ w + bias) * free1
        print(path, "right {:.3f} wrong {:.3f} unanswerable answered {:.3f}".format(*rates(p, right1, refusal1, of(x1))),
              "| everything: right {:.3f}".format(rates(p, right1, refusal1, 0.0)[0]))
    bias = {"en": bias, "zh": bias + w[-1]}
    for language, values in (("en", english), ("zh", chinese)):
        threshold, least = bounds[language]
        weights[f"answer_{language}"] = dict(zip(SIGNALS, values), bias=bias[language], threshold=threshold, least=least)
    save_weights(weights, f"fitted on {len(x)} questions of zh-train.jsonl, en-train.jsonl and training/data/questions, put to libraries of every size")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["passages", "sentences", "answers", "bounds"])
    parser.add_argument("train", nargs="+", help="questions to fit on; those apart for `bounds`")
    parser.add_argument("--apart", nargs="*", default=[], help="questions to choose the threshold on (answers)")
    parser.add_argument("--test", nargs="*", default=[])
    parser.add_argument("--only", nargs="*", default=[], help="features to fit beside the score of all others (passages)")
    parser.add_argument("--ablation", action="store_true", help="also fit without each feature (passages)")
    args = parser.parse_args()
    if args.part == "passages":
        passages(args.train, args.ablation, args.only)
    elif args.part == "sentences":
        sentences(args.train)
    elif args.part == "bounds":
        only_bounds(args.train)
    else:
        answers(args.train, args.apart, args.test)


if __name__ == "__main__":
    main()
