#!/usr/bin/env python3
"""Shingle signatures once more, as core/fingerprint/README.md words them and in another language, against golden ones.

Big integers, sets and lists; nothing of the product is called. What is compared is tests/golden/shingle_signatures.jsonl,
which the tests of the product hold it to.
"""

import json
import pathlib
import sys
import unicodedata
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

from signature import bigram_hash, token_hash

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "shingle_signatures.jsonl"

WORD = (1 << 64) - 1  # a hash
HALF = (1 << 32) - 1
NO_MINIMUM = HALF
STRIDES = (1, 5, 7, 11)
# Scripts written without spaces, and Hangul, by the names of their characters.
CHARACTER_NAMES = (
    "CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR",
)  # fmt: skip


# --- tokens and features ------------------------------------------------------------------------------------------------


def is_character(c):
    return c != " " and unicodedata.name(c, "").startswith(CHARACTER_NAMES)


def tokens_and_features(text):
    tokens, features, characters = [], [], 0
    for part in text.split(" ") if text else []:
        previous, word = None, ""
        for c in part + "\0":
            if word and (c == "\0" or is_character(c)):
                tokens.append(token_hash(word))
                features.append(tokens[-1])
                word = ""
            if c == "\0":
                break
            if not is_character(c):
                word, previous = word + c, None
                continue
            tokens.append(token_hash(c))
            features.append(tokens[-1])
            if previous:
                features.append(bigram_hash(tokens[-2], tokens[-1]))
            previous, characters = c, characters + 1
    return tokens, features, characters


# --- shingles -----------------------------------------------------------------------------------------------------------


def rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & WORD


def finish(state):
    total = ((state & HALF) * 0x9E3779B1 + rotate((state >> 32) * 0xC2B2AE3D, 32)) & WORD
    return total ^ total >> 29


def shingles_of(units, width):
    hashes = []
    for i in range(max(len(units) - width + 1, 1 if units else 0)):
        state = 0
        for k, unit in enumerate(units[i : i + width]):
            state ^= rotate(unit, 24 * k % 64)
        hashes.append(finish(state))
    return hashes


def place(shingle, places):
    return (shingle >> 32) * places >> 32


# --- minima, odd sketch, MinHash ----------------------------------------------------------------------------------------


def minima_of(shingles):
    bins = [set() for _ in range(24)]
    for shingle in shingles:
        if shingle & HALF != NO_MINIMUM:
            bins[place(shingle, 24)].add(shingle & HALF)
    first, second = [], []
    for b in range(24):
        donor = next((d for d in ((b + i * STRIDES[b % 4]) % 24 for i in range(24)) if bins[d]), b)
        least = sorted(bins[donor])[:2] + [NO_MINIMUM, NO_MINIMUM]
        first.append(least[0])
        second.append(least[1])
    return first, second


def sample_of(level):
    return (1 << 32, 3611622602, 3037000499, 2553802833)[level % 4] >> level // 4


def odd_sketch_of(shingles, size):
    bits = (size - 4) * 8
    sample_max = bits * 3 // 2
    count = len(shingles)
    marks_per_bit = 32 if count <= 256 else 64 if count <= 512 else 128
    level = 0
    while count * sample_of(level) > sample_max << 32:
        level += 1
    while True:
        marks = {place(s, bits * marks_per_bit) for s in shingles if (s & HALF) >= (1 << 32) - sample_of(level)}
        if level == 0 or len(marks) >= sample_max // 4:
            break
        full = sample_max * sample_of(level)
        while level > 0 and len(marks) * sample_of(level - 1) <= full:
            level -= 1
    sketch = 0
    for mark in marks:
        sketch ^= 1 << mark // marks_per_bit
    return sketch.to_bytes(bits // 8, "little") + min(len(marks), 0xFFFF).to_bytes(2, "little") + level.to_bytes(2, "little")


def minhash_of(features):
    values = {feature & HALF for feature in features}
    bits = 0
    for i in range(64):
        seed = finish((i + 1) * 0x9E3779B97F4A7C15 & WORD)
        mask, multiplier = seed >> 32, seed & HALF | 1
        least = min([(value ^ mask) * multiplier & HALF for value in values] + [HALF])
        bits |= finish(least * 0x9E3779B97F4A7C15 & WORD) >> 63 << i
    return bits


# --- the golden file ----------------------------------------------------------------------------------------------------


def text_of(line):
    if "repeat" in line:
        return line["repeat"] * line["times"]
    if "count_to" in line:
        return " ".join(map(str, range(line["count_to"])))
    if "ideographs" in line:
        return "".join(chr(0x4E00 + i**3 % 19997) for i in range(line["ideographs"]))
    return line["canonical"]


def signature_of(text):
    tokens, features, characters = tokens_and_features(text)
    if characters * 10 > len(tokens):
        kind, shingles = "characters", shingles_of([(ord(c) * 0x9E3779B1 & HALF) ** 2 for c in text], 5)
    else:
        kind, shingles = "words", shingles_of(tokens, 3)
    first, second = minima_of(shingles)
    return {
        "kind": kind,
        "shingles": len(shingles),
        "first": "".join(f"{m:08x}" for m in first),
        "second": "".join(f"{m:08x}" for m in second),
        "sketch": odd_sketch_of(shingles, 96).hex(),
        "compact": odd_sketch_of(shingles, 64).hex(),
        "minhash": f"{minhash_of(features):016x}",
    }


class ShingleSignatures(unittest.TestCase):
    def test_every_golden_signature_is_that_of_the_specification(self):
        lines = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
        self.assertGreaterEqual(len(lines), 40)
        for line in lines:
            with self.subTest(line["name"]):
                signature = signature_of(text_of(line))
                self.assertEqual({name: line[name] for name in signature}, signature)


if __name__ == "__main__":
    unittest.main()
