"""The text that is trained on and measured on, gathered from a corpus folder into one file.

Nothing gathered here is committed. `build` writes `pools.json.gz` into the work folder:
plain lists of strings, so that the GPU machine needs no PDF reader and no network.
"""

import gzip
import json
import lzma
import random
import re
import zipfile
from pathlib import Path

from . import parallel

ZH_CHUNK = 320
EN_CHUNK = 800


def build(corpus: Path, samples: Path | None, data: Path, held_out_pairs: Path) -> dict:
    """Everything as one dictionary; see the keys below."""
    articles = _json_lines(corpus / "stard/articles.jsonl.gz")
    where = {(a["doc"], a["article"]): i for i, a in enumerate(articles)}
    stard = _json_lines(corpus / "stard/questions.jsonl")
    exam = _json_lines(corpus / "exam/exam_to_article.jsonl")
    pages = {p: _pdf_pages(p) for p in sorted(corpus.glob("*/**/*.pdf")) if _wanted(p, corpus)}
    zh_more, en_docs = _other_texts(corpus, samples, pages)
    glossary = parallel.read_glossary(data / "glossary.tsv")
    return {
        # STARD articles as the index sees them: name of the law, then the text.
        "zh_docs": [f"{a['law']} {a['text']}" for a in articles],
        "zh_more": zh_more,
        # Without the FinanceBench reports: those are in "financebench" already.
        "en_docs": en_docs,
        "stard": {
            "ids": [q["id"] for q in stard],
            "questions": [q["question"] for q in stard],
            "gold": [[where[g["doc"], g["article"]] for g in q["gold"]] for q in stard],
        },
        "exam": {
            "questions": [e["question"] for e in exam],
            "gold": [[where[e["doc"], e["article"]]] for e in exam],
        },
        "gb": _gb38755(corpus, pages),
        "financebench": _financebench(corpus, pages),
        "glossary": [[zh, en] for zh, ens, _ in glossary for en in ens],
        "parallel": parallel.read_pairs(data / "parallel.tsv"),
        "zh_en_held_out": _json_lines(held_out_pairs),
    }


def save(pools: dict, path: Path) -> None:
    with _opener(path)(path, "wt", encoding="utf-8") as f:
        json.dump(pools, f, ensure_ascii=False)


def load(path: Path) -> dict:
    with _opener(path)(path, "rt", encoding="utf-8") as f:
        return json.load(f)


def _opener(path: Path):
    return lzma.open if path.suffix == ".xz" else gzip.open


def chunks(text: str, size: int) -> list[str]:
    """Whole lines packed into pieces of about `size` characters (the blocks of the eval sets)."""
    out, current = [], ""
    for line in text.replace("\r", "").split("\n"):
        line = line.strip()
        while len(line) > 2 * size:
            out.append(line[:size])
            line = line[size:]
        if current and len(current) + len(line) > size:
            out.append(current)
            current = ""
        if line:
            current = f"{current}\n{line}" if current else line
    if current:
        out.append(current)
    return out


_ZH_ENDS = re.compile(r"(?<=[。；！？;!?])|(?<=[.,])\s|\n|，")
_EN_ENDS = re.compile(r"(?<=[.;!?])\s|\n")


def spans(text: str, rng: random.Random, zh: bool, count: int) -> list[str]:
    """Random sentences (or two neighbours) of a text: the questions of inverse cloze pairs."""
    parts = [s for s in (_ZH_ENDS if zh else _EN_ENDS).split(text) if s and len(s) > 3]
    out = []
    for _ in range(count):
        if len(parts) < 2:
            a = rng.randrange(max(1, len(text) // 2))
            out.append(text[a : a + max(6, len(text) // 3)])
        else:
            i = rng.randrange(len(parts))
            out.append(("" if zh else " ").join(parts[i : i + rng.choice((1, 1, 2))])[: 80 if zh else 300])
    return out


def _wanted(path: Path, corpus: Path) -> bool:
    return path.relative_to(corpus).parts[0] in ("zh", "grid-en", "financebench")


def _pdf_pages(path: Path) -> list[str]:
    import pypdfium2

    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path)]


def _other_texts(corpus, samples, pages):
    zh, en = [], []
    for path, texts in pages.items():
        top = path.relative_to(corpus).parts[0]
        for text in texts:
            if top == "zh":
                zh += chunks(text, ZH_CHUNK)
            elif top == "grid-en":
                en += chunks(text, EN_CHUNK)
    for path in sorted((corpus / "zh/power-laws").glob("*.md")):
        zh += chunks(path.read_text(encoding="utf-8"), ZH_CHUNK)
    for path in sorted((corpus / "zh").glob("*.docx")):
        zh += chunks(_docx_text(path), ZH_CHUNK // 2)
    # The samples' own questions are for measuring: only the regulations are read.
    for path in sorted(samples.rglob("src/*.txt")) if samples else []:
        if path.name == "questions.txt":
            continue
        text = re.sub(r"^(//|@).*$|^#+>?\s*|[|{}]|→\S+", " ", path.read_text(encoding="utf-8"), flags=re.M)
        if "en" in path.relative_to(samples).parts:
            en += chunks(text, EN_CHUNK)
        else:
            zh += chunks(text, ZH_CHUNK)
    # A PDF without ToUnicode gives control characters and Latin noise: not Chinese, not wanted.
    zh = [t for t in zh if sum("\u4e00" <= c <= "\u9fff" for c in t) > 0.3 * len(t)]
    return _clean(zh, 12), _clean(en, 40)


def _clean(texts, shortest):
    """Deduplicated, in order, without scraps."""
    return list(dict.fromkeys(t for t in texts if len(t) >= shortest))


def _docx_text(path: Path) -> str:
    xml = zipfile.ZipFile(path).read("word/document.xml").decode("utf-8")
    return re.sub(r"<[^>]+>", "", xml.replace("</w:p>", "\n"))


def _gb38755(corpus, pages):
    questions = _json_lines(corpus / "zh/gb38755.questions.jsonl")
    units, keys = [], []
    for number, text in enumerate(pages[corpus / "zh/GB38755-2019.pdf"], start=1):
        for chunk in chunks(text, ZH_CHUNK):
            units.append(chunk)
            keys.append(number)
    return {
        "questions": [q["question"] for q in questions],
        "gold": [q["start_pages_1based"] for q in questions],
        "units": units,
        "keys": keys,
    }


def _financebench(corpus, pages):
    questions = _json_lines(corpus / "financebench/questions.jsonl")
    units, keys = [], []
    for path, texts in pages.items():
        if path.parent.parent.name != "financebench":
            continue
        for number, text in enumerate(texts):
            for chunk in chunks(text, EN_CHUNK):
                units.append(chunk)
                keys.append(f"{path.stem}#{number}")
    return {
        "questions": [q["question"] for q in questions],
        "docs": [q["doc"] for q in questions],
        "gold": [[f"{q['doc']}#{p}" for p in q["evidence_pages_0based"]] for q in questions],
        "units": units,
        "keys": keys,
    }


def _json_lines(path: Path) -> list[dict]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]
