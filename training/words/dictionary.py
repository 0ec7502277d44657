"""Makes crates/text/src/tokenize/dictionary.zlib: the words that jieba knows and how often each was counted.

    pip download --no-deps --no-binary :all: jieba==0.42.1 && tar xf jieba-0.42.1.tar.gz
    python3 training/words/dictionary.py jieba-0.42.1/jieba/dict.txt crates/text/src/tokenize/dictionary.zlib

The words are those of jieba (MIT), the same that jieba-rs carries, without the parts of speech, which nothing here asks for. Sorted
by their bytes, so that a word begins as the one before it does. What alike words share is written once, and numbers of one kind
stand together: half the size of the plain list under the same compression.

Behind a count of the words (four bytes, little-endian) stand four columns: how many characters a word shares with the one before
it, how many it adds (a byte each), the added characters (UTF-16, the high byte first), and the counts (seven bits a byte, lowest first, the high bit
says that more follow).
"""

import sys
import zlib


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
    columns = bytes(shared) + bytes(added) + "".join(letters).encode("utf-16-be") + bytes(numbers)
    packed = zlib.compress(len(counts).to_bytes(4, "little") + columns, 9)
    with open(sys.argv[2], "wb") as file:
        file.write(packed)
    print(f"{len(counts)} words, counted {sum(counts.values())} times, {len(packed)} bytes")


if __name__ == "__main__":
    main()
