"""The second training: English rows only, everything else frozen, so that Chinese texts keep their vectors to the bit.

The English teacher says which passages a question in everyday words is near; a dictionary says which words mean the same;
the pairs across the languages and the multilingual teacher keep English where the Chinese rows are.
"""

import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from . import everyday, measure, minilm, pools as pools_module, static, table, use
from .prepare import EN_SPANS
from .train import Part, _away, _pick

DEFAULTS = {
    "seed": 1, "steps": 3000, "lr": 0.004, "weight_lr": 0.01, "drop": 0.2, "tau": 0.05, "tau_teacher": 0.05, "tau_use": 0.05,
    "spans": 256, "made": 384, "mixed": 256, "shown": 192, "words": 512, "same": 512, "pairs": 320, "terms": 320, "crossing": 192,
    "more": 0, "grid_share": 0.5, "plain": 0, "seeds": 1, "run": 1, "sentences": 0, "w_sentences": 0.5,
    "w_kl": 1.0, "w_kl_words": 0.5, "w_cloze": 0.3, "w_made": 0.3, "w_words": 0.3, "w_same": 0.3, "w_shown": 0.3, "w_pairs": 0.3,
    "w_crossing": 0.2, "w_use": 0.0, "w_cos": 0.3,
}  # fmt: skip


def prepare(carry: Path, shipped: Path, device, workers: int) -> dict:
    packed = pools_module.load(carry / "everyday.json.xz")
    names = packed["stay"] + packed["come"]
    english, rng = packed["english"], random.Random(3)
    held = packed["held"]
    groups = {
        "english": english,
        "en_spans": [s for d in english for s in pools_module.spans(d, rng, False, EN_SPANS)],
        "made": [q for q, _ in packed["made"]],
        "mixed": everyday.mixtures(packed["spoken"], english, 60_000, seed=29),
        "defined_a": [a for a, _ in packed["defined"]], "defined_b": [b for _, b in packed["defined"]],
        "shown_a": [a for a, _ in packed["shown"]], "shown_b": [b for _, b in packed["shown"]],
        "same_a": [a for a, _ in packed["same"]], "same_b": [b for _, b in packed["same"]],
        "names": [n.replace("##", "") for n in names],
        "zh": packed["zh"], "zh_spans": packed["zh_spans"],
        "pairs_zh": [a for a, _ in packed["pairs"]], "pairs_en": [b for _, b in packed["pairs"]],
        "terms_zh": [a for a, _ in packed["terms"]], "terms_en": [b for _, b in packed["terms"]],
        "fb": packed["financebench"]["questions"],
        **{f"held_{k}": [p[k] for p in held] for k in ("zh_question", "zh_passage", "en_question", "en_passage")},
    }  # fmt: skip
    out = {"names": names, "stay": len(packed["stay"]), "bags": tokens(names, groups, workers)}
    out["made_of"] = np.array([d for _, d in packed["made"]])
    out["grid"], out["financebench"] = packed["grid"], packed["financebench"]
    teacher = minilm.Encoder(carry / "minilm.npz", carry / "minilm.json", device)
    wanted = ("english", "en_spans", "made", "mixed", "defined_a", "defined_b", "shown_a", "shown_b", "names")
    out["minilm"] = {k: teacher.encode(groups[k]).half().cpu() for k in wanted}
    multilingual = use.Encoder(carry / "use.npz", carry / "sp.model", device)
    out["use"] = {k: multilingual.encode(groups[k]).half().cpu() for k in ("english", "en_spans", "zh", "zh_spans", "pairs_en")}
    old = table.load(shipped)
    out["old"] = (old.names, old.rows.copy(), old.query.copy(), old.document.copy())
    return out


def tokens(names, groups, workers):
    sizes = [len(g) for g in groups.values()]
    flat, starts = static.tokenize(names, [t for g in groups.values() for t in g], workers)
    bags, at = {}, 0
    for name, size in zip(groups, sizes):
        s = starts[at : at + size + 1]
        bags[name] = (flat[s[0] : s[-1]], s - s[0])
        at += size
    return bags


class Run:
    def __init__(self, prepared, device, config, log=print):
        self.p, self.device, self.c, self.log = prepared, device, DEFAULTS | config, log
        self.bags = static.Bags(prepared["bags"], device)
        put = lambda d: {k: v.to(device).float() for k, v in d.items()}
        self.t, self.use = put(prepared["minilm"]), put(prepared["use"])
        self.made_of = prepared["made_of"]

    # -- start ---------------------------------------------------------------------------------------------

    def start(self):
        """The shipped rows; new ones from the teacher's vectors of the words, by a linear map fitted on the old words."""
        names, stay = self.p["names"], self.p["stay"]
        old_names, rows, query, document = self.p["old"]
        at = {n: i for i, n in enumerate(old_names)}
        keep = np.array([at[n] for n in names[:stay]])
        self.kept = rows[keep], query[keep], document[keep]
        q, d = (w.astype(np.float32).clip(0.3) for w in self.kept[1:])
        both = np.sqrt(q * d)
        floats = self.kept[0].astype(np.float32) * both[:, None]
        latin = np.array([n[0].isascii() and n.replace("##", "").replace(" ", "").isalpha() for n in names])
        word = np.array([n.isascii() and n.isalpha() and len(n) > 2 for n in names[:stay]])
        self.word = word
        self.scale = float(np.median(np.linalg.norm(floats[word], axis=1)))
        floats /= self.scale
        x = self.t["names"][:stay][torch.from_numpy(word).to(self.device)]
        y = torch.from_numpy(floats[word]).to(self.device)
        size = y.norm(dim=-1, keepdim=True)
        centre = x.mean(0)
        a = x - centre
        turn = torch.linalg.solve(a.T @ a + 5 * torch.eye(a.shape[1], device=self.device), a.T @ (y / size))
        new = F.normalize((self.t["names"][stay:] - centre) @ turn, dim=-1) * size.median()
        student = static.Student(torch.cat([torch.from_numpy(floats).to(self.device), new])).to(self.device)
        with torch.no_grad():
            n = len(names) - stay
            mean = float(np.log(q / both)[word].mean()), float(np.log(d / both)[word].mean())
            student.query.copy_(torch.from_numpy(np.concatenate([np.log(q / both), np.full(n, mean[0], np.float32)])))
            student.document.copy_(torch.from_numpy(np.concatenate([np.log(d / both), np.full(n, mean[1], np.float32)])))
        self.free = torch.from_numpy(latin).to(self.device)
        self.log(f"  rows that learn {int(latin.sum())} of {len(names)}")
        return student

    # -- steps ---------------------------------------------------------------------------------------------

    def fit(self):
        """The mean of several trainings from the same start, which differ in nothing but what they happened to see."""
        students = [self._fit(self.c["seed"] + i) for i in range(self.c["seeds"])]
        student = students[0]
        with torch.no_grad():
            for mine, *others in zip(*(s.parameters() for s in students)):
                mine.copy_(torch.stack([mine, *others]).mean(0))
            self.quantised = self._quantise(student)
            student.set_quantised(*self.quantised)
        return student

    def _fit(self, seed):
        c, device = self.c, self.device
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        student = self.start()
        optimizer = torch.optim.Adam(
            [{"params": [student.rows], "lr": c["lr"]}, {"params": [student.query, student.document], "lr": c["weight_lr"]}],
            fused=device.type == "cuda",
        )
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min((s + 1) / 50, (c["steps"] - s) / c["steps"]))
        frozen, begin = ~self.free, time.time()
        for step in range(c["steps"]):
            parts = [p for p in (self._passages(rng), self._sentences(rng), self._dictionary(rng), self._same(rng), self._pairs(rng, "pairs"), self._pairs(rng, "terms"), self._crossing(rng)) if p]
            sides = student.sides()
            q = static.vectors(sides[0], self.bags.take(np.concatenate([p.queries for p in parts])), c["drop"])
            d = static.vectors(sides[1], self.bags.take(np.concatenate([p.documents for p in parts])))
            qs, ds = q.split([len(p.queries) for p in parts]), d.split([len(p.documents) for p in parts])
            loss = sum(p.loss(a, b) for p, a, b in zip(parts, qs, ds))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            student.rows.grad[frozen] = 0
            student.query.grad[frozen] = 0
            student.document.grad[frozen] = 0
            optimizer.step()
            schedule.step()
            if step % 1000 == 0:
                self.log(f"  step {step} loss {loss.item():.3f} {time.time() - begin:.1f}s")
        self.log(f"  trained in {time.time() - begin:.0f}s")
        return student

    def _english(self, rng, n):
        """Passages: half of them of the trade, which are one in six."""
        grid, run, every = self.p["grid"], self.c["run"], self.bags.count["english"]
        mine = int(n * self.c["grid_share"])
        # Neighbours of one document are the hardest to tell apart.
        def some(first, end, count):
            starts = first + _pick(rng, end - first - run, -(-count // run))
            return (starts[:, None] + np.arange(run)).ravel()[:count]

        return np.concatenate([some(0, grid, mine), some(grid, every, n - mine)])

    def _passages(self, rng):
        """Sentences, made questions and mixtures of everyday words against passages."""
        c, bags = self.c, self.bags
        d = self._english(rng, c["spans"])
        s = d * EN_SPANS + rng.integers(EN_SPANS, size=len(d))
        m = _pick(rng, bags.count["made"], c["made"])
        x = _pick(rng, bags.count["mixed"], c["mixed"])
        docs = np.concatenate([d, self.made_of[m], self._english(rng, c["more"])])
        n, k = len(s), len(m)
        # Plain English of the dictionary asks too: the teacher says what it is near, if anything.
        groups = [("en_spans", s), ("made", m), ("mixed", x)]
        groups += [(name, _pick(rng, bags.count[name], c["plain"])) for name in ("shown_b", "defined_b", "defined_a") if c["plain"]]

        def loss(q, v):
            at = self._device(docs)
            tq = torch.cat([self.t[name][self._device(rows)] for name, rows in groups])
            tk = self.t["english"][at]
            total = c["w_kl"] * self._kl(q, v, tq, tk, c["tau_teacher"])
            if c["w_use"]:
                total = total + c["w_use"] * self._kl(q[:n], v, self.use["en_spans"][self._device(s)], self.use["english"][at], c["tau_use"])
            target = torch.arange(n + k, device=self.device)
            also = (at[None, :] == at[: n + k, None]) & (torch.arange(len(at), device=self.device)[None, :] != target[:, None])
            each = F.cross_entropy((q[: n + k] @ v.T / c["tau"]).masked_fill(also, -1e4), target, reduction="none")
            # A made question whose sense was lost is near nothing for the teacher either: it counts by how near it finds it.
            sure = (tq[n : n + k] * tk[n : n + k]).sum(-1).clamp(0, 1)
            return total + c["w_cloze"] * each[:n].mean() + c["w_made"] * (each[n:] * sure).sum() / sure.sum().clamp(1e-6)

        return Part(np.concatenate([bags.rows(name, rows) for name, rows in groups]), bags.rows("english", docs), loss)

    def _dictionary(self, rng):
        """Words against definitions, and examples against themselves in other words."""
        c, bags = self.c, self.bags
        if not (c["w_kl_words"] or c["w_words"] or c["w_shown"]):
            return None
        w, e = _pick(rng, bags.count["defined_a"], c["words"]), _pick(rng, bags.count["shown_a"], c["shown"])
        n = len(w)

        def loss(q, v):
            at_w, at_e = self._device(w), self._device(e)
            tq = torch.cat([self.t["defined_a"][at_w], self.t["shown_a"][at_e]])
            tk = torch.cat([self.t["defined_b"][at_w], self.t["shown_b"][at_e]])
            total = c["w_kl_words"] * self._kl(q, v, tq, tk, c["tau_teacher"])
            return total + c["w_words"] * self._match(q[:n], v[:n]) + c["w_shown"] * self._match(q[n:], v[n:])

        return Part(
            np.concatenate([bags.rows("defined_a", w), bags.rows("shown_a", e)]),
            np.concatenate([bags.rows("defined_b", w), bags.rows("shown_b", e)]),
            loss,
        )

    def _sentences(self, rng):
        """Made questions, mixtures and plain English against single sentences: a block may be no more than that."""
        c, bags = self.c, self.bags
        if not c["sentences"]:
            return None
        d = self._english(rng, c["sentences"]) * EN_SPANS + rng.integers(EN_SPANS, size=c["sentences"])
        groups = [(name, _pick(rng, bags.count[name], c["sentences"] // 4)) for name in ("made", "mixed", "shown_b", "en_spans")]

        def loss(q, v):
            tq = torch.cat([self.t[name][self._device(rows)] for name, rows in groups])
            return c["w_sentences"] * self._kl(q, v, tq, self.t["en_spans"][self._device(d)], c["tau_teacher"])

        return Part(np.concatenate([bags.rows(name, rows) for name, rows in groups]), bags.rows("en_spans", d), loss)

    def _same(self, rng):
        c, bags = self.c, self.bags
        if not c["w_same"]:
            return None
        i = _pick(rng, bags.count["same_a"], c["same"])
        a, b = bags.rows("same_a", i), bags.rows("same_b", i)
        n = len(i)
        loss = lambda q, v: c["w_same"] * (self._match(q[:n], v[:n]) + self._match(q[n:], v[n:])) / 2
        return Part(np.concatenate([a, b]), np.concatenate([b, a]), loss)

    def _pairs(self, rng, kind):
        c, bags = self.c, self.bags
        i = _pick(rng, bags.count[f"{kind}_zh"], c[kind])
        zh, en = bags.rows(f"{kind}_zh", i), bags.rows(f"{kind}_en", i)
        n = len(i)

        def loss(q, k):
            total = self._match(q[:n], k[:n]) + self._match(q[n:], k[n:])
            return c["w_pairs"] * (total + c["w_cos"] * (_away(q[:n], q[n:]) + _away(k[:n], k[n:])))

        return Part(np.concatenate([zh, en]), np.concatenate([en, zh]), loss)

    def _crossing(self, rng):
        c, bags, n = self.c, self.bags, self.c["crossing"]
        i, j, e = _pick(rng, bags.count["zh"], n), _pick(rng, bags.count["pairs_en"], n), self._english(rng, n)
        queries = [bags.rows("zh_spans", i), bags.rows("pairs_en", j), bags.rows("en_spans", e * EN_SPANS)]
        documents = [bags.rows("zh", i), bags.rows("pairs_en", j), bags.rows("english", e)]

        def loss(q, k):
            at_i, at_j, at_e = self._device(i), self._device(j), self._device(e)
            pairs = self.use["pairs_en"][at_j]
            en_q = torch.cat([pairs, self.use["en_spans"][at_e * EN_SPANS]])
            en_d = torch.cat([pairs, self.use["english"][at_e]])
            m = len(i)
            return c["w_crossing"] * (
                self._kl(q[:m], k[m:], self.use["zh_spans"][at_i], en_d, c["tau_use"])
                + self._kl(q[m:], k[:m], en_q, self.use["zh"][at_i], c["tau_use"])
            )

        return Part(np.concatenate(queries), np.concatenate(documents), loss)

    def _kl(self, q, k, tq, tk, tau):
        return F.kl_div((q @ k.T / self.c["tau"]).log_softmax(-1), (tq @ tk.T / tau).softmax(-1), reduction="batchmean")

    def _match(self, q, k):
        return F.cross_entropy(q @ k.T / self.c["tau"], torch.arange(len(q), device=self.device))

    def _device(self, rows):
        return torch.from_numpy(np.ascontiguousarray(rows)).to(self.device, non_blocking=True)

    # -- the file ------------------------------------------------------------------------------------------

    def _quantise(self, student):
        """Rows that did not learn keep their bytes; the others are rounded to the same unit.

        English texts cannot tell how long their rows are, so that nothing holds that length; a text in both languages can. The
        words that were there before get back their median weight, each side by itself, and the new ones with them.
        """
        rows, query, document = student.numbers()
        rows = rows * self.scale
        stay = self.p["stay"]
        learned, word = self.free.cpu().numpy(), self.word
        length = np.linalg.norm(rows[:stay][word], axis=1)
        before = np.linalg.norm(self.kept[0][word].astype(np.float32), axis=1)
        for side, old in ((query, self.kept[1]), (document, self.kept[2])):
            grown = float(np.median(length * side[:stay][word]) / np.median(before * old[word]))
            self.log(f"  English had grown {grown:.2f} times as heavy")
            side[learned] /= grown
        size = np.abs(rows).max(1).clip(1e-9)
        want = size * np.maximum(query, document) / 127
        fill = np.clip(want / 4, 0.02, 1)
        q8 = np.rint(rows / size[:, None] * 127 * fill[:, None]).clip(-127, 127).astype(np.int8)
        weigh = lambda w: np.rint(size * w / 127 / fill).clip(0, 255).astype(np.uint8)
        q, d = weigh(query), weigh(document)
        self.log(f"  weights at the limit {int(((want > 255) & learned).sum())}")
        for mine, old in zip((q8, q, d), self.kept):
            mine[:stay][~learned[:stay]] = old[~learned[:stay]]
        return q8, q, d

    # -- figures -------------------------------------------------------------------------------------------

    def figures(self, student):
        e = lambda name, query: student.embed(self.bags, name, query)
        fb, grid = self.p["financebench"], self.p["grid"]
        top, _, _ = measure.top_lists(e("fb", True), e("english", False)[grid:], depth=20_000)
        out = {"fb@5": measure.pages(top, fb["keys"], fb["gold"], (5,))[5], "fb doc@5": measure.pages(top, fb["keys"], fb["gold"], (5,), fb["docs"])[5]}
        out |= measure.crossing(e)
        s = e("held_en_question", True) @ e("held_en_passage", False).T
        rank = (s > s.diagonal()[:, None]).sum(1)
        out |= {"en>en@1": float((rank < 1).float().mean()), "en>en@3": float((rank < 3).float().mean())}
        return {k: round(v, 4) for k, v in out.items()}
