"""The third training: every row, on questions that a language model wrote for passages of the documents.

A row serves two scores, and both learn: the cosine of the summed vectors, and how much of the question's rows a passage holds
(`SimilarWords` in crates/embed: each row of the question looks for its nearest row in the passage). In a batch a question must
find its own passage and a passage its own questions; passages of one batch are neighbours in their documents, because those
are the hardest to tell apart. English also follows the English teacher's opinion of the batch.
"""

import numpy as np
import torch
import torch.nn.functional as F

from . import static, table

DEFAULTS = {
    "seed": 1, "steps": 1600, "lr": 0.002, "weight_lr": 0.006, "passages": 160, "run": 4, "drop": 0.1, "w_vectors": 1.0, "w_rows": 1.0,
    "w_kl": 1.0, "tau_teacher": 0.05, "w_back": 0.5, "w_pairs": 0.2, "w_stay": 0.05,
}  # fmt: skip
PAIRS = 320
KNOWN_BY = {"en": 20, "zh": 30}
"""A question teaches when its passage is among so many of 2,000 for the English teacher, or for the table that there was."""


class Floats:
    """A table as numbers that can be learned and averaged: rows, and logarithms of the two weights."""

    def __init__(self, rows, query, document):
        self.rows, self.query, self.document = rows, query, document

    @classmethod
    def of(cls, rows, query, document):
        q, d = (w.astype(np.float64).clip(0.3) for w in (query, document))
        both = np.sqrt(q * d)
        floats = rows.astype(np.float64) * both[:, None]
        return cls(floats / np.median(np.linalg.norm(floats, axis=1)), np.log(q / both), np.log(d / both))

    @classmethod
    def mean(cls, parts: list[tuple["Floats", float]]):
        total = sum(share for _, share in parts)
        mix = lambda name: sum(getattr(part, name) * share for part, share in parts) / total
        return cls(mix("rows"), mix("query"), mix("document"))

    def quantised(self):
        return table.quantise(self.rows, np.exp(self.query), np.exp(self.document))


class Run:
    def __init__(self, asked, names, start: Floats, teacher, device, workers):
        """`asked`: for each language `docs`, how many of the trade come `first`, and `q` as pairs of passage and question."""
        self.asked, self.names, self.device, self.teacher = asked, names, device, {}
        groups = {f"{lang}_{what}": texts for lang in ("en", "zh") for what, texts in (("d", asked[lang]["docs"]), ("q", [q for _, q in asked[lang]["q"]]))}
        groups |= {"pairs_zh": [zh for zh, _ in asked["pairs"]], "pairs_en": [en for _, en in asked["pairs"]]}
        flat, starts = static.tokenize(names, [t for texts in groups.values() for t in texts], workers)
        ids, at = {}, 0
        for name, texts in groups.items():
            s = starts[at : at + len(texts) + 1]
            ids[name] = (flat[s[0] : s[-1]], s - s[0])
            at += len(texts)
        self.bags = static.Bags(ids, device)
        self.rows_of = {name: self._padded(*ids[name], 40 if name.endswith("q") else 220) for name in ids if name[:2] in ("en", "zh")}
        put = lambda x: torch.from_numpy(np.asarray(x)).float().to(device)
        self.start = put(start.rows), put(start.query), put(start.document)
        self.teacher = {"d": teacher.encode(groups["en_d"]), "q": teacher.encode(groups["en_q"])}
        self._choose()

    def _padded(self, flat, starts, most):
        """Each text's different rows, filled up with the row behind the last one, which is nothing."""
        texts = [np.unique(flat[a:b])[:most] for a, b in zip(starts[:-1], starts[1:])]
        out = np.full((len(texts), max(1, max(map(len, texts)))), len(self.names), np.int32)
        for row, ids in zip(out, texts):
            row[: len(ids)] = ids
        return torch.from_numpy(out).to(self.device)

    def _choose(self):
        """Which questions teach: those that somebody else finds near their passage. What was written past it is noise."""
        rows, query, document = self.start
        student = static.Student(rows).to(self.device)
        student.query.data, student.document.data = query.clone(), document.clone()
        near = {"en": (self.teacher["q"], self.teacher["d"]), "zh": (student.embed(self.bags, "zh_q", True), student.embed(self.bags, "zh_d", False))}
        pick = torch.Generator(device=self.device).manual_seed(1)
        self.of = {}
        for lang, (q, d) in near.items():
            mine = torch.tensor([passage for passage, _ in self.asked[lang]["q"]], device=self.device)
            some = d[torch.randperm(len(d), generator=pick, device=self.device)[:2000]]
            good = [((a @ some.T) > (a * d[m]).sum(1, keepdim=True)).sum(1) < KNOWN_BY[lang] for a, m in zip(q.split(4096), mine.split(4096))]
            questions = [[] for _ in self.asked[lang]["docs"]]
            for i in torch.cat(good).nonzero()[:, 0].tolist():
                questions[self.asked[lang]["q"][i][0]].append(i)
            self.of[lang] = questions, np.array([i for i, found in enumerate(questions) if found])

    def _batch(self, lang, rng, c):
        questions, there = self.of[lang]
        border, run = np.searchsorted(there, self.asked[lang]["first"]), c["run"]

        def some(first, end, count):
            starts = first + rng.integers(0, max(1, end - first - run), -(-count // run))
            return (starts[:, None] + np.arange(run)).ravel()[:count]

        half = c["passages"] // 2
        docs = there[np.unique(np.concatenate([some(0, border, half), some(border, len(there), c["passages"] - half)]))]
        asked = np.array([questions[d][rng.integers(len(questions[d]))] for d in docs for _ in range(2)])
        return docs, asked, torch.arange(len(docs), device=self.device).repeat_interleave(2)

    def fit(self, config, log=print) -> Floats:
        c = DEFAULTS | config
        torch.manual_seed(c["seed"])
        rng = np.random.default_rng(c["seed"])
        rows, query, document = (p.clone().requires_grad_() for p in self.start)
        sharp = torch.full((2,), float(np.log(20)), device=self.device, requires_grad=True)
        groups = [{"params": [rows], "lr": c["lr"]}, {"params": [query, document], "lr": c["weight_lr"]}, {"params": [sharp], "lr": 0.01}]
        optimizer = torch.optim.Adam(groups, fused=self.device.type == "cuda")
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min((s + 1) / 50, (c["steps"] - s) / c["steps"]))
        before = F.normalize(self.start[0], dim=-1)
        target = torch.arange(PAIRS, device=self.device)
        for step in range(c["steps"]):
            sides = rows * query.exp()[:, None], rows * document.exp()[:, None]
            loss = 0.0
            for lang in ("en", "zh"):
                docs, asked, own = self._batch(lang, rng, c)
                d, q = (torch.from_numpy(x).to(self.device) for x in (docs, asked))
                teacher = (self.teacher["q"][q] @ self.teacher["d"][d].T / c["tau_teacher"]).softmax(-1) if lang == "en" else None
                a = static.vectors(sides[0], self.bags.take(self.bags.rows(f"{lang}_q", asked)), c["drop"])
                b = static.vectors(sides[1], self.bags.take(self.bags.rows(f"{lang}_d", docs)))
                ids = self.rows_of[f"{lang}_q"][q]
                ids = ids[:, : max(1, int((ids < len(self.names)).sum(1).max()))]
                ids = torch.where(torch.rand(ids.shape, device=self.device) < c["drop"], len(self.names), ids)
                held = self._held(rows, query, ids.long(), self.rows_of[f"{lang}_d"][d].long())
                for scores, weight in ((a @ b.T * sharp[0].exp(), c["w_vectors"]), (held * sharp[1].exp(), c["w_rows"])):
                    loss = loss + weight * (F.cross_entropy(scores, own) + c["w_back"] * _back(scores, own, len(docs)))
                    if teacher is not None:
                        loss = loss + c["w_kl"] * F.kl_div(scores.log_softmax(-1), teacher, reduction="batchmean")
            i = rng.integers(0, self.bags.count["pairs_zh"], PAIRS)
            zh, en = self.bags.rows("pairs_zh", i), self.bags.rows("pairs_en", i)
            a = static.vectors(sides[0], self.bags.take(np.concatenate([zh, en])))
            b = static.vectors(sides[1], self.bags.take(np.concatenate([en, zh])))
            across = sum(F.cross_entropy(a[s] @ b[s].T / 0.05, target) for s in (slice(0, PAIRS), slice(PAIRS, None)))
            away = (1 - (F.normalize(rows, dim=-1) * before).sum(-1)).sum() / 1000
            loss = loss + c["w_pairs"] * across + c["w_stay"] * away
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            if step % 400 == 0:
                log(f"  step {step} loss {loss.item():.3f}")
        return Floats(*(p.detach().cpu().numpy() for p in (rows, query, document)))

    def _held(self, rows, query, asked, docs):
        """How much of each question each passage holds, by its nearest rows."""
        nothing = torch.zeros(1, rows.shape[1], device=self.device)
        unit = torch.cat([F.normalize(rows, dim=-1), nothing]).bfloat16()
        weight = torch.cat([rows.norm(dim=-1) * query.exp(), nothing[0, :1]])[asked]
        weight = weight / weight.sum(1, keepdim=True).clamp(1e-6)
        all_rows = unit[asked].flatten(0, 1) @ unit[docs].flatten(0, 1).T
        nearest = all_rows.view(*asked.shape, *docs.shape).amax(-1).clamp(min=0).float()
        return torch.einsum("qrd,qr->qd", nearest, weight)


def _back(scores, own, count):
    """A passage finds its questions among those of the others."""
    mine = own[None, :] == torch.arange(count, device=scores.device)[:, None]
    return -scores.T.log_softmax(-1).masked_fill(~mine, -1e9).logsumexp(-1).mean()
