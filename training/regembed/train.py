"""Training of the static table: distillation by distributions, inverse cloze, given pairs, and pairs across languages."""

import random
import time

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
    "drop": 0.1,
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
            self.train, self.exam_train = [], []
        self.bags = {k: static.Bags(*v, device) for k, v in prepared["bags"].items()}
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
        flat = self.bags["docs"].flat.long()
        share = torch.bincount(flat, minlength=len(rows)).float() / len(flat)
        flat = self.bags["english"].flat.long()
        share += torch.bincount(flat, minlength=len(rows)).float() / len(flat)
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
        use = {k: self._use(k) for k in ("english", "en_spans", "pairs_zh", "pairs_en", "both_docs", "both_spans")}
        both = self.p["both"].to(device)
        optimizer = torch.optim.Adam([{"params": [student.rows], "lr": c["lr"]}, {"params": [student.query, student.document], "lr": c["weight_lr"]}])
        warm = 50
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min((s + 1) / warm, (c["steps"] - s) / c["steps"]))
        start = time.time()
        for step in range(c["steps"]):
            loss = c["w_zh"] * self._zh(student, rng)
            if c["w_en"]:
                d = self._pick(rng, len(self.bags["english"]), c["english"])
                s = d * EN_SPANS + self._pick(rng, EN_SPANS, len(d), replace=True)
                q, k = self._q(student, "en_spans", s), self._d(student, "english", d)
                loss = loss + c["w_en"] * (self._kl(q, k, use["en_spans"][s], use["english"][d], 0.05) + 0.3 * self._match(q, k))
                loss = loss + c["w_en"] * c["w_cos"] * self._cos(torch.cat([q, k]), self.map_use(torch.cat([use["en_spans"][s], use["english"][d]])))
            if c["w_pairs"]:
                loss = loss + c["w_pairs"] * (self._pairs(student, rng, "pairs", c["pairs"]) + self._pairs(student, rng, "terms", c["terms"]))
            if c["w_crossing"]:
                i = self._pick(rng, len(both), c["crossing"])
                j = self._pick(rng, len(self.bags["pairs_en"]), c["crossing"])
                e = self._pick(rng, len(self.bags["english"]), c["crossing"])
                zh_q, zh_d = self._q(student, "spans", both[i] * SPANS), self._d(student, "docs", both[i])
                en_q = torch.cat([self._q(student, "pairs_en", j), self._q(student, "en_spans", e * EN_SPANS)])
                en_d = torch.cat([self._d(student, "pairs_en", j), self._d(student, "english", e)])
                t_en_q, t_en_d = torch.cat([use["pairs_en"][j], use["en_spans"][e * EN_SPANS]]), torch.cat([use["pairs_en"][j], use["english"][e]])
                loss = loss + c["w_crossing"] * (
                    self._kl(zh_q, en_d, use["both_spans"][i], t_en_d, 0.05) + self._kl(en_q, zh_d, t_en_q, use["both_docs"][i], 0.05)
                )
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            if step % 500 == 0:
                self.log(f"  step {step} loss {loss.item():.3f} {time.time() - start:.0f}s")
        self.log(f"  trained in {time.time() - start:.0f}s")
        q8, query, document = table.quantise(*student.numbers())
        self.float_figures = self.figures(student)
        student.set_quantised(q8, query, document)
        self.quantised = (q8, query, document)
        return student

    def _zh(self, student, rng):
        """Questions of every kind against one shared batch of documents, each taught by the Chinese teacher."""
        c, t = self.c, self.t
        d = self._pick(rng, len(self.bags["docs"]), c["docs"])
        s = d * SPANS + self._pick(rng, SPANS, len(d), replace=True)
        p = self._pick(rng, len(self.bags["pseudo"]), c["pseudo"])
        queries = [self._q(student, "spans", s), self._q(student, "pseudo", p)]
        taught = [t["spans"][s], t["pseudo"][p]]
        documents = [d]
        if self.gold:
            n = len(self.gold)
            i = rng.choice(n, min(n, c["questions"]), replace=False)
            it = torch.as_tensor(i, device=self.device)
            gold = self.gold_table[it]
            one = torch.as_tensor(rng.random(len(i)), device=self.device) * (gold >= 0).sum(1)
            hard = self.hard_table[it, torch.as_tensor(rng.integers(self.hard_table.shape[1], size=len(i)), device=self.device)]
            documents += [gold[torch.arange(len(i), device=self.device), one.long()], hard]
            v = self._pick(rng, len(self.variant_bags), min(c["variants"], len(self.variant_bags)))
            queries += [student(self.question_bags.take(it), True, c["drop"]), student(self.variant_bags.take(v), True, c["drop"])]
            taught += [self.question_teacher[it], self.variant_teacher[v]]
        docs = torch.cat(documents)
        q, k = torch.cat(queries), self._d(student, "docs", docs)
        tq, tk = torch.cat(taught), t["docs"][docs]
        loss = self._kl(q, k, tq, tk, c["tau_teacher"]) + c["w_cos"] * (self._cos(q, self.project(tq)) + self._cos(k, self.project(tk)))
        if self.gold:
            at = len(s) + len(p)
            scores = q[at : at + len(i)] @ k.T / c["tau"]
            also = (docs[None, :, None] == gold[:, None, :]).any(-1)
            target = torch.arange(len(d), len(d) + len(i), device=self.device)
            also[torch.arange(len(i), device=self.device), target] = False
            loss = loss + c["w_label"] * F.cross_entropy(scores.masked_fill(also, -1e4), target)
        return loss

    def _pairs(self, student, rng, kind, size):
        i = self._pick(rng, len(self.bags[f"{kind}_zh"]), size)
        zh, en = self._q(student, f"{kind}_zh", i), self._d(student, f"{kind}_en", i)
        en_q, zh_d = self._q(student, f"{kind}_en", i), self._d(student, f"{kind}_zh", i)
        return self._match(zh, en) + self._match(en_q, zh_d) + self.c["w_cos"] * (self._cos(zh, en_q) + self._cos(en, zh_d))

    def _kl(self, q, k, tq, tk, tau):
        taught = (tq @ tk.T / tau).softmax(-1)
        return F.kl_div((q @ k.T / self.c["tau"]).log_softmax(-1), taught, reduction="batchmean")

    def _match(self, q, k):
        return F.cross_entropy(q @ k.T / self.c["tau"], torch.arange(len(q), device=self.device))

    @staticmethod
    def _cos(a, b):
        return 1 - (a * b).sum(-1).mean()

    def _q(self, student, bag, rows):
        return student(self.bags[bag].take(rows), True, self.c["drop"])

    def _d(self, student, bag, rows):
        return student(self.bags[bag].take(rows), False)

    def _pick(self, rng, n, size, replace=False):
        chosen = rng.integers(n, size=size) if replace or size * 4 > n else rng.choice(n, size, replace=False, shuffle=False)
        return torch.as_tensor(chosen, device=self.device)

    # -- given questions -----------------------------------------------------------------------------------

    def _prepare_questions(self):
        """The labelled questions of the split, their hard negatives by the teacher, and cut-up variants of them."""
        stard, exam = self.pools["stard"], self.pools["exam"]
        texts = [stard["questions"][i] for i in self.train] + [exam["questions"][i] for i in self.exam_train[::3]]
        self.gold = [stard["gold"][i] for i in self.train] + [exam["gold"][i] for i in self.exam_train[::3]]
        if not texts:
            return
        encoder = self.t["encoder"]
        variants = _variants(texts, 20_000 if len(texts) > 200 else 500, random.Random(self.c["seed"]))
        flat, starts = static.tokenize(self.p["names"], texts + variants, 4)
        n = len(texts)
        self.question_bags = static.Bags(flat[: starts[n]], starts[: n + 1], self.device)
        self.variant_bags = static.Bags(flat[starts[n] :], starts[n:] - starts[n], self.device)
        self.question_teacher, self.variant_teacher = encoder.encode(texts), encoder.encode(variants)
        top = (self.question_teacher @ self.t["docs"][: self.laws].T).topk(72, dim=-1).indices.cpu().numpy()
        hard = [[a for a in row if a not in g][:50] for row, g in zip(top, self.gold)]
        self.hard_table = torch.tensor(hard, device=self.device)
        widest = max(len(g) for g in self.gold)
        self.gold_table = torch.tensor([g + [-1] * (widest - len(g)) for g in self.gold], device=self.device)

    # -- figures -------------------------------------------------------------------------------------------

    def figures(self, student):
        e = lambda name, query: student.embed(self.bags[name], query)
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
