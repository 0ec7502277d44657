"""Chinese-English pairs written for this project: a glossary, sentences, and frames with slots."""

import random
import re
from pathlib import Path


def read_glossary(path: Path) -> list[tuple[str, list[str], str]]:
    """(Chinese, English alternatives, group) in file order."""
    out = []
    for line in _lines(path):
        zh, en, group = line.split("\t")
        out.append((zh, en.split("|"), group))
    return out


def read_pairs(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in _lines(path)]


def framed(data: Path, glossary, count: int, seed: int) -> list[list[str]]:
    """`count` sentence pairs made by filling the frames with glossary terms."""
    english = {zh: ens for zh, ens, _ in glossary}
    slots = {"E": [zh for zh, _, group in glossary if group == "equipment"]}
    for line in _lines(data / "slots.tsv"):
        name, *terms = line.split("\t")
        missing = [t for t in terms if t not in english]
        if missing:
            raise ValueError(f"slot {name}: not in the glossary: {missing}")
        slots[name] = terms
    frames = read_pairs(data / "frames.tsv")
    rng, out = random.Random(seed), []
    for _ in range(count):
        zh, en = rng.choice(frames)
        for slot in sorted(set(re.findall(r"\{(\w+)\}", zh))):
            if slot == "N":
                left = right = str(rng.choice((1, 2, 3, 5, 6, 8, 10, 12, 15, 20, 24, 30, 35, 40, 45, 50, 60, 90)))
            else:
                left = rng.choice(slots[slot[0]])
                right = rng.choice(english[left])
            zh, en = zh.replace(f"{{{slot}}}", left), en.replace(f"{{{slot}}}", right)
        out.append([zh, en])
    return out


def _lines(path: Path):
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
