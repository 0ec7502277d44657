"""Training of the static table: distillation by distributions, inverse cloze, given pairs, and pairs across languages."""

import dataclasses
import random
import time
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F

from . import bge, measure, splits, static, table, tune
from .prepare import EN_SPANS, SPANS, unragged

DEFAULTS = {
    "seed": 1,
    "dims": 256,
    "steps": 3000,
    "lr": 0.004,
    "weight_lr": 0.01,
    "drop": 0.2,
    "tau_teacher": 0.02,
    "tau": 0.05,
    "labels": True,
    "tuned": True,
    "docs": 640,
    "pseudo": 192,
    "questions": 256,
    "variants": 192,
    "english": 320,
    "pairs": 320,
    "terms": 320,
    "crossing": 192,
    "w_zh": 1.0,
    "w_label": 0.3,
    "hard": 4,
    "tau_use": 0.05,
    "w_cloze": 0.3,
    "w_cloze_zh": 0.2,
    "grid": 128,
    "w_cos": 0.3,
    "w_en": 0.4,
    "w_pairs": 0.3,
    "w_crossing": 0.2,
    "teacher": {},
}


class Run:
    """One training on one split. `teachers` caches tuned teachers between runs of a process."""

    def __init__(self, prepared, carry, device, config, teachers, log=print):
        self.p, self.carry, self.device, self.log = prepared, carry, device, log
        self.c = DEFAULTS | config
        pools = prepared["pools"]
        self.pools = pools
        self.train, self.held, self.exam_train, self.exam_held = splits.split(pools, self.c.get("split", "random"), self.c.get("fold"))
        if not self.c["labels"]:
            # Nothing is trained on, so everything measures.
            self.train, self.exam_train = [], []
            self.held, self.exam_held = list(range(len(pools["stard"]["gold"]))), list(range(len(pools["exam"]["gold"])))
        self.device = device
        self.laws = len(pools["zh_docs"])
        key = repr((self.c.get("split"), self.c.get("fold"), self.c["tuned"] and self.c["labels"], self.c["teacher"]))
        if key not in teachers:
            teachers.clear()
            teachers[key] = self._teacher()
        self.t = teachers[key]

    def _teacher(self):
        start = time.time()
        if self.c["tuned"] and self.c["labels"]:
            encoder = tune.tune(self.p, self.carry, self.device, self.train, self.exam_train, self.c["teacher"], self.log)
        else:
            encoder = bge.Encoder(bge.load(self.carry / "bge.npz"), self.carry / "tokenizer.json", self.device)
        t = {k: encoder.encode_ids(unragged(v)) for k, v in self.p["bge"].items()}
        t["encoder"] = encoder
        self.log(f"  teacher {time.time() - start:.0f}s {self._stard(t['stard'], t['docs'])}")
        return t

    def _stard(self, questions, docs):
        if not self.held:
            return {}
        top, _, _ = measure.top_lists(questions[self.held], docs[: self.laws])
        r = measure.recall(top, [self.pools["stard"]["gold"][i] for i in self.held], (10, 100))
        return {f"R@{k}": round(v, 4) for k, v in r.items()}

    # -- start ---------------------------------------------------------------------------------------------

    def initial_rows(self):
        """Teacher vectors of the row names in the first principal components of the documents.

        Latin rows come from the multilingual teacher through a linear map fitted on texts that both teachers read.
        """
        docs = self.t["docs"]
        mean = docs.mean(0)
        _, _, v = torch.linalg.svd((docs - mean)[:: max(1, len(docs) // 20_000)], full_matrices=False)
        basis = v[: self.c["dims"]].T
        self.project = lambda x: F.normalize((x - mean) @ basis, dim=-1)
        both = self.p["both"].to(self.device)
        a = torch.cat([self._use("both_docs"), self._use("both_spans")])
        b = torch.cat([docs[both], self.t["spans"][both * SPANS]])
        b = (b - mean) @ basis
        centre = a.mean(0)
        x = a - centre
        self.map = torch.linalg.solve(x.T @ x + 5.0 * torch.eye(x.shape[1], device=self.device), x.T @ (b - b.mean(0)))
        self.map_use = lambda u: F.normalize((u - centre) @ self.map, dim=-1)
        rows = (self.t["names"] - mean) @ basis
        latin = torch.tensor([n.isascii() for n in self.p["names"]], device=self.device)
        rows[latin] = self.map_use(self._use("names"))[latin] * rows[~latin].norm(dim=-1).mean()
        share = sum(np.bincount(f, minlength=len(rows)) / len(f) for f in (self.p["bags"]["docs"][0], self.p["bags"]["english"][0]))
        share = torch.from_numpy(share).float().to(self.device)
        return rows * (1e-3 / (1e-3 + share))[:, None]

    def _use(self, name):
        return self.p["use"][name].to(self.device).float()

    # -- one step ------------------------------------------------------------------------------------------

    def fit(self):
        c, device = self.c, self.device
        torch.manual_seed(c["seed"])
        rng = np.random.default_rng(c["seed"])
        student = static.Student(self.initial_rows()).to(device)
        self._prepare_questions()
        self.use = {k: self._use(k) for k in ("english", "en_spans", "pairs_zh", "pairs_en", "both_docs", "both_spans")}
        self.both = self.p["both"].numpy()
        optimizer = torch.optim.Adam(
            [{"params": [student.rows], "lr": c["lr"]}, {"params": [student.query, student.document], "lr": c["weight_lr"]}],
            fused=device.type == "cuda",
        )
        warm = 50
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min((s + 1) / warm, (c["steps"] - s) / c["steps"]))
        start = time.time()
        for step in range(c["steps"]):
            parts = [part for part in (self._zh(rng), self._english(rng), self._pairs(rng, "pairs"), self._pairs(rng, "terms"), self._crossing(rng)) if part]
            # One gather for all questions and one for all documents of the step; each part then gets its slice.
            sides = student.sides()
            q = static.vectors(sides[0], self.bags.take(np.concatenate([p.queries for p in parts])), c["drop"])
            d = static.vectors(sides[1], self.bags.take(np.concatenate([p.documents for p in parts])))
            qs, ds = q.split([len(p.queries) for p in parts]), d.split([len(p.documents) for p in parts])
            loss = sum(p.loss(a, b) for p, a, b in zip(parts, qs, ds))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            if step % 500 == 0:
                self.log(f"  step {step} loss {loss.item():.3f} {time.time() - start:.1f}s")
        self.log(f"  trained in {time.time() - start:.0f}s")
        q8, query, document = table.quantise(*student.numbers())
        self.float_figures = self.figures(student)
        student.set_quantised(q8, query, document)
        self.quantised = (q8, query, document)
        return student

    def _zh(self, rng):
        """Questions of every kind against one shared batch of documents, each taught by the Chinese teacher."""
        c, t, bags = self.c, self.t, self.bags
        d = _pick(rng, bags.count["docs"], c["docs"])
        # Texts of the trade are one in thirty of the pool and the point of the product: more of them in every step.
        d = np.concatenate([d, self.laws + _pick(rng, bags.count["docs"] - self.laws, c["grid"])])
        s = d * SPANS + rng.integers(SPANS, size=len(d))
        p = _pick(rng, bags.count["pseudo"], c["pseudo"])
        queries, taught, documents = [bags.rows("spans", s), bags.rows("pseudo", p)], [("spans", s), ("pseudo", p)], [d]
        at, labelled = len(s) + len(p), None
        if self.gold:
            i = _pick(rng, len(self.gold), min(len(self.gold), c["questions"]))
            v = _pick(rng, bags.count["variants"], c["variants"])
            gold = self.gold_table[i]
            one = (rng.random(len(i)) * (gold >= 0).sum(1)).astype(np.int64)
            hard = self.hard_table[i[:, None], rng.integers(self.hard_table.shape[1], size=(len(i), c["hard"]))]
            documents += [gold[np.arange(len(i)), one], hard.ravel()]
            queries += [bags.rows("questions", i), bags.rows("variants", v)]
            taught += [("questions", i), ("variants", v)]
            labelled = self._device(gold)
        docs = np.concatenate(documents)

        def loss(q, k):
            at_docs = self._device(docs)
            tq, tk = torch.cat([t[name][self._device(rows)] for name, rows in taught]), t["docs"][at_docs]
            total = self._kl(q, k, tq, tk, c["tau_teacher"])
            total = total + c["w_cos"] * (_away(q, self.project(tq)) + _away(k, self.project(tk)))
            if c["w_cloze_zh"]:
                target = torch.arange(len(d), device=self.device)
                same = (at_docs[None, :] == at_docs[: len(d), None]) & (torch.arange(len(docs), device=self.device)[None, :] != target[:, None])
                scores = (q[: len(d)] @ k.T / c["tau"]).masked_fill(same, -1e4)
                total = total + c["w_cloze_zh"] * F.cross_entropy(scores, target)
            if labelled is not None and c["w_label"]:
                n = len(labelled)
                scores = q[at : at + n] @ k.T / c["tau"]
                target = torch.arange(len(d), len(d) + n, device=self.device)
                # Another gold article of the same question is no negative.
                also = (at_docs[None, :, None] == labelled[:, None, :]).any(-1)
                also[torch.arange(n, device=self.device), target] = False
                total = total + c["w_label"] * F.cross_entropy(scores.masked_fill(also, -1e4), target)
            return c["w_zh"] * total

        return Part(np.concatenate(queries), bags.rows("docs", docs), loss)

    def _english(self, rng):
        c, bags = self.c, self.bags
        if not c["w_en"]:
            return None
        d = _pick(rng, bags.count["english"], c["english"])
        s = d * EN_SPANS + rng.integers(EN_SPANS, size=len(d))

        def loss(q, k):
            tq, tk = self.use["en_spans"][self._device(s)], self.use["english"][self._device(d)]
            total = self._kl(q, k, tq, tk, c["tau_use"]) + c["w_cloze"] * self._match(q, k)
            return c["w_en"] * (total + c["w_cos"] * (_away(q, self.map_use(tq)) + _away(k, self.map_use(tk))))

        return Part(bags.rows("en_spans", s), bags.rows("english", d), loss)

    def _pairs(self, rng, kind):
        """Parallel texts: each must find its other half, and the two must be the same vector."""
        c, bags = self.c, self.bags
        if not c["w_pairs"]:
            return None
        i = _pick(rng, bags.count[f"{kind}_zh"], c[kind])
        zh, en = bags.rows(f"{kind}_zh", i), bags.rows(f"{kind}_en", i)
        n = len(i)

        def loss(q, k):
            total = self._match(q[:n], k[:n]) + self._match(q[n:], k[n:])
            return c["w_pairs"] * (total + c["w_cos"] * (_away(q[:n], q[n:]) + _away(k[:n], k[n:])))

        return Part(np.concatenate([zh, en]), np.concatenate([en, zh]), loss)

    def _crossing(self, rng):
        """Texts of one language against texts of the other, taught by the multilingual teacher."""
        c, bags = self.c, self.bags
        if not c["w_crossing"]:
            return None
        n = c["crossing"]
        i, j, e = _pick(rng, len(self.both), n), _pick(rng, bags.count["pairs_en"], n), _pick(rng, bags.count["english"], n)
        queries = [bags.rows("spans", self.both[i] * SPANS), bags.rows("pairs_en", j), bags.rows("en_spans", e * EN_SPANS)]
        documents = [bags.rows("docs", self.both[i]), bags.rows("pairs_en", j), bags.rows("english", e)]

        def loss(q, k):
            at_i, at_j, at_e = self._device(i), self._device(j), self._device(e)
            english = self.use["pairs_en"][at_j]
            en_q = torch.cat([english, self.use["en_spans"][at_e * EN_SPANS]])
            en_d = torch.cat([english, self.use["english"][at_e]])
            m = len(i)
            return c["w_crossing"] * (
                self._kl(q[:m], k[m:], self.use["both_spans"][at_i], en_d, c["tau_use"])
                + self._kl(q[m:], k[:m], en_q, self.use["both_docs"][at_i], c["tau_use"])
            )

        return Part(np.concatenate(queries), np.concatenate(documents), loss)

    def _kl(self, q, k, tq, tk, tau):
        taught = (tq @ tk.T / tau).softmax(-1)
        return F.kl_div((q @ k.T / self.c["tau"]).log_softmax(-1), taught, reduction="batchmean")

    def _match(self, q, k):
        return F.cross_entropy(q @ k.T / self.c["tau"], torch.arange(len(q), device=self.device))

    def _device(self, rows):
        return torch.from_numpy(np.ascontiguousarray(rows)).to(self.device, non_blocking=True)

    # -- given questions -----------------------------------------------------------------------------------

    def _prepare_questions(self):
        """The labelled questions of the split, their hard negatives by the teacher, and cut-up variants of them."""
        stard, exam = self.pools["stard"], self.pools["exam"]
        some = self.exam_train[::3]
        texts = [stard["questions"][i] for i in self.train] + [exam["questions"][i] for i in some]
        self.gold = [stard["gold"][i] for i in self.train] + [exam["gold"][i] for i in some]
        groups = dict(self.p["bags"])
        if texts:
            variants = _variants(texts, 20_000 if len(texts) > 200 else 500, random.Random(self.c["seed"]))
            n = len(texts)
            flat, starts = static.tokenize(self.p["names"], texts + variants, 4)
            groups["questions"] = (flat[: starts[n]], starts[: n + 1])
            groups["variants"] = (flat[starts[n] :], starts[n:] - starts[n])
            encoder = self.t["encoder"]
            self.t["questions"], self.t["variants"] = encoder.encode(texts), encoder.encode(variants)
            top = (self.t["questions"] @ self.t["docs"][: self.laws].T).topk(72, dim=-1).indices.cpu().numpy()
            self.hard_table = np.array([[a for a in row if a not in g][:50] for row, g in zip(top, self.gold)])
            widest = max(len(g) for g in self.gold)
            self.gold_table = np.array([g + [-1] * (widest - len(g)) for g in self.gold])
        self.bags = static.Bags(groups, self.device)

    # -- figures -------------------------------------------------------------------------------------------

    def figures(self, student):
        e = lambda name, query: student.embed(self.bags, name, query)
        docs = e("docs", False)[: self.laws]
        out = {"stard": self._stard(e("stard", True), docs)}
        if self.exam_held:
            top, _, _ = measure.top_lists(e("exam", True)[self.exam_held], docs)
            out["exam R@1"] = round(measure.recall(top, [self.pools["exam"]["gold"][i] for i in self.exam_held], (1,))[1], 4)
        gb, fb = self.pools["gb"], self.pools["financebench"]
        top, _, _ = measure.top_lists(e("gb", True), e("gb_units", False))
        out["gb@1"] = round(measure.pages(top, gb["keys"], gb["gold"], (1,))[1], 4)
        top, _, _ = measure.top_lists(e("fb", True), e("fb_units", False), depth=20_000)
        out["fb@5"] = round(measure.pages(top, fb["keys"], fb["gold"], (5,))[5], 4)
        out["fb doc@5"] = round(measure.pages(top, fb["keys"], fb["gold"], (5,), fb["docs"])[5], 4)
        out |= {k: round(v, 4) for k, v in measure.crossing(e).items()}
        return out


@dataclasses.dataclass
class Part:
    """A share of one step: which texts are questions, which are documents, and the loss of their vectors."""

    queries: np.ndarray
    documents: np.ndarray
    loss: Callable


def _pick(rng, n, size):
    return rng.choice(n, size, replace=False, shuffle=False) if size * 2 <= n else rng.integers(n, size=size)


def _away(a, b):
    """Mean distance from having the same direction."""
    return 1 - (a * b).sum(-1).mean()


def _variants(texts, count, rng):
    """Questions with a part cut out, halves of two questions joined, or a question cut short."""
    out = []
    while len(out) < count:
        a = rng.choice(texts)
        how = rng.random()
        if how < 0.4 and len(a) > 8:
            i = rng.randrange(len(a) - 3)
            out.append(a[:i] + a[i + rng.randrange(2, max(3, len(a) // 3)) :])
        elif how < 0.7:
            b = rng.choice(texts)
            out.append(a[: max(4, len(a) // 2)] + b[len(b) // 2 :])
        else:
            i = rng.randrange(max(1, len(a) // 2))
            out.append(a[i : i + max(6, len(a) // 2)])
    return out
