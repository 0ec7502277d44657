"""Makes crates/text/src/usual_en.txt: how usual an English word is in everyday speech.

    pip download pyspellchecker --no-deps && unzip pyspellchecker*.whl
    python3 training/words/usual_en.py spellchecker/resources/en.json.gz > crates/text/src/usual_en.txt

The counts are those of pyspellchecker (MIT), which took them from the OpenSubtitles 2018 corpus (OPUS): what people say, not what
regulations write. A Zipf value is log10 of the occurrences per thousand million words; words below 4.0 are not written down.
"""

import gzip
import json
import math
import sys

LEAST = 4.0
HEAD = """\
# How usual English words are in everyday speech: a Zipf value (log10 of the occurrences per thousand million words), then the
# words that have it, rounded down to a tenth. Source: the English word counts of pyspellchecker (MIT), which come from the
# OpenSubtitles 2018 corpus (opus.nlpl.eu). Made by training/words/usual_en.py."""


def main() -> None:
    counts = json.load(gzip.open(sys.argv[1]))
    total = sum(counts.values())
    steps: dict[int, list[str]] = {}
    for word, count in counts.items():
        zipf = math.log10(count / total * 1e9)
        if zipf >= LEAST and word.isascii() and word.isalpha() and len(word) > 1:
            steps.setdefault(math.floor(zipf * 10), []).append(word)
    print(HEAD)
    for step in sorted(steps, reverse=True):
        print(f"{step / 10:.1f} {' '.join(sorted(steps[step]))}")


main()
