#!/usr/bin/env python3
"""Makes small libraries of the documents of a corpus, with the questions to fit on that belong to each.

    small_libraries.py --corpus CORPUS --to FOLDER

The chances of passages mean something else in a library of one document than in one of thirty, so the verdict is fitted on both.
Each family of documents (editions of one standard, two grid codes, half of the laws) becomes FOLDER/NAME/docs, links to the files, and
FOLDER/NAME/questions.jsonl: the questions whose answer is there, a share of those that have no answer anywhere, and a few whose
answer stands in other documents, which have none here. `verdict.py` says what is done with them.
"""

import argparse
import json
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
QUESTIONS = HERE / "data/questions"
FAMILIES = {
    "en-g99": ["G99_slice"],
    "en-mwgrid": ["mwgrid"],
    "en-building": ["nbc3", "bcmo06"],
    "en-ferc": ["e-12-nyiso-el26-69-000", "e-8-miso-el26-70-000"],
    "en-cip-002": ["cip-002-5.1a", "cip-002-7", "cip-002-8", "cip-014-3"],
    "en-cip-003": ["cip-003-8", "cip-003-9", "cip-003-10", "cip-003-11"],
    "en-cip-004": ["cip-004-7", "cip-004-8", "cip-006-6", "cip-006-7"],
    "en-cip-007": ["cip-007-7", "cip-008-6", "cip-008-7", "cip-009-6", "cip-009-7"],
    "en-cip-011": ["cip-011-3", "cip-011-4", "cip-012-1", "cip-012-2", "cip-013-2", "cip-013-3", "cip-015-1"],
    "zh-gb38755": ["GB38755-2019"],
    "zh-jtt808": ["JTT_808-2013", "JTT_808-2019"],
    "zh-relay": ["relay"],
    "zh-codes": ["gb55001", "gbt26875"],
    "zh-terminals": ["TGDRTA_002-2020", "TJSATL_12-2017"],
    "zh-banks": ["GB26860_question_bank", "power_training_bank"],
}
FOLDERS = ["grid-en", "zh", "zh/power-laws", "real/more"]
ENDINGS = {".pdf", ".md", ".html", ".docx", ".xlsx"}
LEAST_FOREIGN, FOREIGN_SHARE = 4, 8
"""Questions to other documents: one for eight that have an answer, and four at least."""


def documents(corpus):
    files = {}
    for folder in FOLDERS:
        for path in sorted((corpus / folder).iterdir()):
            if path.suffix in ENDINGS:
                files.setdefault(path.stem, []).append(path.resolve())
    return files


def read(corpus, language):
    paths = [QUESTIONS / f"{language}.jsonl", corpus / f"real/{language}-train.jsonl"]
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def belongs(question, stems):
    """Whether an answer stands in these documents: in all that are wanted, or in one where one suffices."""
    held = set(question["reg_ids"]) & set(stems)
    return held == set(question["reg_ids"]) or (held and question.get("any_reg"))


def series(stem):
    """Standards of one series repeat each other's rules: a question to one may be answered by another."""
    return stem.split("-")[0]


def libraries(questions, families, draw):
    refused = [q for q in questions if q["refusal"]]
    draw.shuffle(refused)
    answered = [q for q in questions if not q["refusal"]]
    for at, (name, stems) in enumerate(families.items()):
        named = lambda q, **fields: {**q, "id": f"{name}+{q['id']}", **fields}
        own = []
        for question in answered:
            if belongs(question, stems):
                held = [stem for stem in question["reg_ids"] if stem in stems]
                pages = {stem: pages for stem, pages in (question["pages"] or {}).items() if stem in held}
                own.append(named(question, reg_ids=held, pages=pages))
        near = {series(stem) for stem in stems}
        foreign = [q for q in answered if not near & {series(stem) for stem in q["reg_ids"]}]
        foreign = draw.sample(foreign, min(len(foreign), max(LEAST_FOREIGN, len(own) // FOREIGN_SHARE)))
        nothing = {"refusal": True, "reg_ids": [], "pages": {}, "answer_contains": []}
        rest = [named(q) for q in refused[at :: len(families)]]
        yield name, stems, own + rest + [named(q, **nothing) for q in foreign]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--to", type=pathlib.Path, required=True)
    args = parser.parse_args()
    files, draw = documents(args.corpus), random.Random(11)
    laws = sorted(path.stem for path in (args.corpus / "zh/power-laws").glob("*.md"))
    draw.shuffle(laws)
    half = len(laws) // 2
    families = {**FAMILIES, "zh-laws-1": laws[:half], "zh-laws-2": laws[half:]}
    for language in ("en", "zh"):
        of_language = {name: stems for name, stems in families.items() if name.startswith(language)}
        for name, stems, questions in libraries(read(args.corpus, language), of_language, draw):
            folder = args.to / name
            (folder / "docs").mkdir(parents=True, exist_ok=True)
            for path in (path for stem in stems for path in files[stem]):
                link = folder / "docs" / path.name
                if not link.exists():
                    link.symlink_to(path)
            lines = [json.dumps(question, ensure_ascii=False) for question in questions]
            (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
            print(f"{name}: {len(stems)} documents, {len(questions)} questions")


if __name__ == "__main__":
    main()
