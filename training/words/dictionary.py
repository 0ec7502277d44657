"""Makes crates/text/src/tokenize/dictionary.zlib: the words that jieba knows and how often each was counted.

    pip download --no-deps --no-binary :all: jieba==0.42.1 && tar xf jieba-0.42.1.tar.gz
    python3 training/words/dictionary.py jieba-0.42.1/jieba/dict.txt crates/text/src/tokenize/dictionary.zlib

The words are those of jieba (MIT), the same that jieba-rs carries, without the parts of speech, which nothing here asks for. Sorted
by their bytes, so that a word begins as the one before it does. What alike words share is written once, numbers of one kind stand
together, and frequent letters are short: two fifths of the plain list under the same compression. Needs `pip install zopfli`, which
searches longer for the same format than zlib does (4 % smaller).

Behind a count of the words (four bytes, little-endian) and a count of the letters that they use (two bytes) stand the letters, the most
frequent first (UTF-16: the high bytes of all of them, then the low bytes), and four columns: how many characters a word shares with the one before
it, how many it adds (a byte each), the added characters as places among the letters (a byte up to 191; above that, 192 and more stand for the
high byte of what is left, and the low byte follows), and the counts (seven bits a byte, lowest first, the high bit says that more follow).
"""

import sys
from collections import Counter

from zopfli import zlib

# Letters that take one byte.
SHORT = 192


def place(at: int) -> bytes:
    """A place among the letters, in one byte or two."""
    if at < SHORT:
        return bytes([at])
    return bytes([SHORT + (at - SHORT >> 8), at - SHORT & 0xFF])


def main() -> None:
    counts: dict[str, int] = {}
    for line in open(sys.argv[1], encoding="utf-8"):
        word, count, _ = line.split()
        counts.setdefault(word, int(count))
    shared, added, letters, numbers = bytearray(), bytearray(), [], bytearray()
    before = ""
    for word in sorted(counts, key=lambda word: word.encode()):
        same = 0
        while same < min(len(before), len(word)) and before[same] == word[same]:
            same += 1
        shared.append(same)
        added.append(len(word) - same)
        letters.append(word[same:])
        number = counts[word]
        while number > 127:
            numbers.append(number & 127 | 128)
            number >>= 7
        numbers.append(number)
        before = word
    seen = Counter("".join(letters))
    kinds = sorted(seen, key=lambda letter: (-seen[letter], letter))
    assert len(kinds) <= SHORT + (256 - SHORT) * 256 and max(kinds) <= "\uffff"
    places = {letter: place(at) for at, letter in enumerate(kinds)}
    units = "".join(kinds).encode("utf-16-be")
    alphabet = len(kinds).to_bytes(2, "little") + units[0::2] + units[1::2]
    added_letters = b"".join(places[letter] for letter in "".join(letters))
    columns = alphabet + bytes(shared) + bytes(added) + added_letters + bytes(numbers)
    packed = zlib.compress(len(counts).to_bytes(4, "little") + columns, numiterations=15)
    with open(sys.argv[2], "wb") as file:
        file.write(packed)
    print(f"{len(counts)} words, counted {sum(counts.values())} times, {len(packed)} bytes")


if __name__ == "__main__":
    main()
