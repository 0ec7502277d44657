"""Which questions train and which only measure.

`random`: questions dealt into five folds. `disjoint`: no held-out question shares a gold article
with any training pair, exam pairs included, so that memory of an article cannot pass as meaning.
"""

import random

FOLDS = 5


def folds(pools: dict, how: str, seed: int = 17) -> list[int]:
    """The fold of each STARD question."""
    gold = pools["stard"]["gold"]
    groups = _components(gold) if how == "disjoint" else [[i] for i in range(len(gold))]
    rng = random.Random(seed)
    rng.shuffle(groups)
    # Large groups first, each to the fold with the fewest questions so far.
    groups.sort(key=len, reverse=True)
    out, size = [0] * len(gold), [0] * FOLDS
    for group in groups:
        fold = min(range(FOLDS), key=lambda f: (size[f], f))
        size[fold] += len(group)
        for i in group:
            out[i] = fold
    return out


def split(pools: dict, how: str, fold: int | None):
    """(train, held) question numbers for STARD and for exam items. `fold` None trains on everything."""
    stard, exam = pools["stard"], pools["exam"]
    if fold is None:
        everything = list(range(len(stard["gold"]))), list(range(len(exam["gold"])))
        return everything[0], [], everything[1], []
    where = folds(pools, how)
    train = [i for i, f in enumerate(where) if f != fold]
    held = [i for i, f in enumerate(where) if f == fold]
    exam_fold = [random.Random(f"{i}").randrange(FOLDS) for i in range(len(exam["gold"]))]
    exam_train = [i for i, f in enumerate(exam_fold) if f != fold]
    exam_held = [i for i, f in enumerate(exam_fold) if f == fold]
    if how == "disjoint":
        forbidden = {a for i in held for a in stard["gold"][i]}
        exam_train = [i for i in exam_train if exam["gold"][i][0] not in forbidden]
        known = {a for i in train for a in stard["gold"][i]} | {exam["gold"][i][0] for i in exam_train}
        exam_held = [i for i in exam_held if exam["gold"][i][0] not in known]
    return train, held, exam_train, exam_held


def _components(gold):
    """Questions tied together by a shared article."""
    parent = list(range(len(gold)))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    first = {}
    for i, articles in enumerate(gold):
        for a in articles:
            if a in first:
                parent[root(i)] = root(first[a])
            else:
                first[a] = i
    groups = {}
    for i in range(len(gold)):
        groups.setdefault(root(i), []).append(i)
    return list(groups.values())
