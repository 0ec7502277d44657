"""Makes the sample library from `src/`: PDF, DOCX, truth and question pages.

    python samples/build.py               rebuilds everything in place
    python samples/build.py --check       rebuilds in a temporary folder and compares the bytes
    python samples/build.py --docx-pages  also asks LibreOffice for the pages of the DOCX files
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from tools import editions, markup, questions, truth, typeset, verify, wordtruth  # noqa: E402

MADE = ("pdf", "docx", "truth", "questions.jsonl", "en/pdf", "en/docx", "en/truth", "en/questions.jsonl")


def main(arguments: list) -> int:
    if arguments == ["--check"]:
        return check()
    if arguments not in ([], ["--docx-pages"]):
        print(__doc__, file=sys.stderr)
        return 2
    build_all(HERE, ask_office=bool(arguments))
    return 0


def build_all(out: Path, ask_office: bool) -> None:
    """Writes every made file under `out`; raises on the first doubt."""
    changes = editions.read_patch((HERE / "src" / "angui_2023.patch").read_text("utf-8"))
    sources = {name: read(HERE / "src" / f"{name}.txt") for name in ("angui_2024", "wengui_2024")}
    sources["angui_2023"] = editions.apply(sources["angui_2024"], changes)
    truths = build_set(HERE, out, sources, ask_office)
    found = editions.compare(truths["angui_2023"], truths["angui_2024"])
    editions.check(found, changes)
    write_json(out / "truth" / "changes.json", found)
    english = {"rel_901_2": read(HERE / "en" / "src" / "rel_901_2.txt")}
    build_set(HERE / "en", out / "en", english, ask_office)


def build_set(home: Path, out: Path, sources: dict, ask_office: bool) -> dict:
    """One folder of regulations that may refer to each other; returns the truths."""
    infos = {info["reg_id"]: info for info in json.loads(read(home / "metadata.json"))}
    for folder in ("pdf", "docx", "truth"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    documents = {reg_id: markup.read(source) for reg_id, source in sources.items()}
    truths = {}
    for reg_id, doc in documents.items():
        pdf = out / "pdf" / f"{reg_id}.pdf"
        marks = typeset.make_pdf(doc, pdf)
        truths[reg_id] = truth.build(doc, marks, infos[reg_id], f"pdf/{pdf.name}")
        doubts = verify.problems(truths[reg_id], pdf)
        if doubts:
            raise ValueError(f"{reg_id}: the PDF does not bear out the truth: {doubts[:5]}")
    truth.link(truths)
    for reg_id, data in truths.items():
        write_json(out / "truth" / f"{reg_id}.json", data)
        print(summary(data), file=sys.stderr)
    asked = questions.build(read(home / "src" / "questions.txt"), truths)
    lines = [json.dumps(question, ensure_ascii=False) for question in asked]
    (out / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(asked)} questions", file=sys.stderr)
    for reg_id, data in wordtruth.build(documents, infos, home, out, ask_office).items():
        write_json(out / "truth" / f"{reg_id}.docx.json", data)
    return truths


def read(path: Path) -> str:
    return path.read_text("utf-8")


def summary(data: dict) -> str:
    """One line on a regulation."""
    counts = ", ".join(f"{len(data[name])} {name}" for name in ("chapters", "tables", "notes", "references"))
    return f"{data['reg_id']}: {data['total_pages']} pages, {counts}"


def write_json(path: Path, data) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def check() -> int:
    """Exit status 1 when a rebuild differs from what is committed."""
    with tempfile.TemporaryDirectory() as folder:
        build_all(Path(folder), ask_office=False)
        stale = []
        for name in MADE:
            here = HERE / name
            files = [file for file in sorted(here.rglob("*")) if file.is_file()] if here.is_dir() else [here]
            for file in files:
                other = Path(folder) / file.relative_to(HERE)
                if not other.exists() or other.read_bytes() != file.read_bytes():
                    stale.append(str(file.relative_to(HERE)))
    for name in stale:
        print(f"differs: {name}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
