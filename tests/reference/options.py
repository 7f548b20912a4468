#!/usr/bin/env -S python3 -B
"""Fingerprints of other options once more, written from "Options" in core/fingerprint/README.md alone.

usage: options.py FINGERPRINT_OPTIONS.jsonl [--unicode DIR]

Computes every line of tests/golden/fingerprint_options.jsonl again and tells those that differ. What stands before that
section is signature.py's.
"""
import argparse
import fractions
import json
import math
import pathlib
import sys

from signature import Canonical, bigram_hash, token_hash

TIES = 0x243F6A8885A308D3


def text_of(tokens):
    return "".join(" " * space + token for token, _, space in tokens)


def entries(file):
    """The lines of an operator's file, comments gone."""
    for line in file.removeprefix("\ufeff").splitlines():
        at = next((i for i, c in enumerate(line) if c == "#" and (i == 0 or line[i - 1] in " \t")), len(line))
        if line[:at].strip():
            yield line[:at].strip()


def without_stop_words(canonical, tokens, file):
    """The tokens that are left, as of the text folded again."""
    phrases = {tuple(token for token, _, _ in canonical.tokens(line.encode())) for line in entries(file)}
    at, left = 0, ""
    while at < len(tokens):
        ends = [end for end in range(len(tokens), at, -1) if tuple(token for token, _, _ in tokens[at:end]) in phrases]
        left += " " * tokens[at][2] + (" " if ends else tokens[at][0])
        at = ends[0] if ends else at + 1
    return canonical.tokens(left.encode())


def is_joined(tokens, i):
    return i > 0 and "word" not in (tokens[i - 1][1], tokens[i][1]) and not tokens[i][2]


def idf_weights(canonical, file):
    """{feature: weight}, and the weight of all others."""
    weights = {}
    for line in entries(file):
        word, number = line.replace("\t", " ").rsplit(" ", 1)
        nine_decimals = fractions.Fraction(math.floor(fractions.Fraction(number) * 10**9), 10**9)
        weight = math.floor(nine_decimals * 256 + fractions.Fraction(1, 2))
        tokens = canonical.tokens(word.encode())
        if len(tokens) == 1:
            feature = token_hash(tokens[0][0])
        elif len(tokens) == 2 and is_joined(tokens, 1):
            feature = bigram_hash(token_hash(tokens[0][0]), token_hash(tokens[1][0]))
        else:
            continue
        weights[feature] = min(weight, weights.get(feature, weight))
    return weights, sorted(weights.values())[(len(weights) - 1) // 2]


def weighed_features(line, tokens, weight):
    """[(feature, its weight, is it a bigram)]"""
    hashes = [token_hash(token) for token, _, _ in tokens]
    source = line.get("features", "words")
    if source == "words":
        for i, h in enumerate(hashes):
            yield h, weight(h), False
            if is_joined(tokens, i):
                bigram = bigram_hash(hashes[i - 1], h)
                yield bigram, weight(bigram), True
    elif source == "shingles":
        size = min(line["shingle_size"], len(hashes))
        for at in range(len(hashes) - size + 1):
            run = hashes[at]
            for h in hashes[at + 1:at + size]:
                run = bigram_hash(run, h)
            yield run, sum(weight(h) for h in hashes[at:at + size]) // size, False
    else:
        text = text_of(tokens)
        size = min(line["ngram_size"], len(text))
        for at in range(len(text) - size + 1):
            yield token_hash(text[at:at + size]), 256, False


def fingerprint(canonical, line):
    tokens = canonical.tokens(line["text"].encode())
    if "stop_words" in line:
        tokens = without_stop_words(canonical, tokens, line["stop_words"])
    weights, other = idf_weights(canonical, line["idf"]) if "idf" in line else ({}, 256)
    counters = [[0] * 8192, [0] * 8192]
    ones, total = [0] * 64, 0
    for feature, weight, bigram in weighed_features(line, tokens, lambda h: weights.get(h, other)):
        if weight == 0 or counters[bigram][feature >> 51] == 16:
            continue
        counters[bigram][feature >> 51] += 1
        total += weight
        for bit in range(64):
            ones[bit] += weight * (feature >> bit & 1)
    return sum((2 * n > total or (2 * n == total and TIES >> bit & 1)) << bit for bit, n in enumerate(ones))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("options", type=pathlib.Path)
    arguments.add_argument("--unicode", type=pathlib.Path, default=pathlib.Path("/usr/share/unicode"))
    arguments = arguments.parse_args()
    canonical = Canonical(arguments.unicode)
    lines = [json.loads(line) for line in arguments.options.read_text(encoding="utf-8").splitlines()]
    wrong = 0
    for line in lines:
        computed = f"{fingerprint(canonical, line):016x}"
        if line["fingerprint"] != computed:
            print(f"{line['name']}: {line['fingerprint']} in the file, {computed} by the specification")
            wrong += 1
    print(f"{len(lines)} fingerprints computed again, {wrong} differ")
    return 1 if wrong or len(lines) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
