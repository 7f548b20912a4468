#!/usr/bin/env python3
"""Writes short_signatures.jsonl: signatures of canonical texts, computed from core/fingerprint/README.md alone.

--check says whether the file is current.
"""

import json
import pathlib
import sys

M64, M32 = 2**64 - 1, 2**32 - 1
A, B = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
SYLLABIC = [(0x1100, 0x11FF), (0x2E80, 0x9FFF), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF)]
SYLLABIC += [(0x1AFF0, 0x1B16F), (0x20000, 0x3FFFF)]
UNSPACED = [(0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF)]
UNSPACED += [(0xA9E0, 0xA9FF), (0xAA60, 0xAADF), (0x11700, 0x1174F)]


def within(c, ranges):
    return any(first <= c <= last for first, last in ranges)


def z(n):
    x = (n + 1) * A & M64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return x ^ x >> 31


def g(w):
    y = w * A & M64
    y ^= y >> 32
    return (y * B & M64) >> 32


def k(s):
    s &= M64
    s ^= s >> 32
    s = s * A & M64
    s ^= s >> 29
    s = s * B & M64
    return s ^ s >> 32


F = [z(80 + i) | 1 for i in range(40)]


def features(text):
    syllabic = [False] + [within(c, SYLLABIC) for c in text] + [False]
    unspaced = [within(text[0], UNSPACED)] + [within(c, UNSPACED) for c in text] + [False]
    x = [1] + text + [2]
    grams = []
    for i in range(len(text) + 1):
        if syllabic[i] or unspaced[i] or syllabic[i + 1]:
            grams.append(x[i] + (x[i + 1] << 21))
        elif i + 2 < len(x):
            grams.append(x[i] + (x[i + 1] << 21) + (x[i + 2] << 42))
    grams += [x[i] for i in range(len(x)) if syllabic[i]]
    seen, out = {}, []
    for h in map(g, grams):
        count = seen.get(h, 0)
        out.append(g(count << 32 | h) if count else h)
        seen[h] = count + 1
    return out


def bands(found):
    keys = []
    least = []
    for i in range(40):
        values = []
        for f in found:
            v = (f ^ z(2 * i) >> 32) * (z(2 * i + 1) >> 32 | 1) & M32
            v ^= v >> 15
            values.append(v * 0x846CA68B & M32)
        least.append(sorted(values)[:2])
    for j in range(10):
        of_band = range(4 * j, 4 * j + 4)
        row = [k(sum(least[i][0] * F[i] for i in of_band))]
        for e in of_band:
            row.append(k(sum(least[i][i == e] * F[i] for i in of_band)))
        keys.append(row)
    return keys


def tiny_keys(text):
    key = lambda t: k(sum(c * F[i] for i, c in enumerate(t)))
    keys = [key(text)]
    if len(text) >= 5:
        keys += [key(text[:i] + text[i + 1 :]) for i in range(len(text)) if i == 0 or text[i] != text[i - 1]]
    return keys


def classes(text):
    counts = [0] * 32
    for c in text:
        if 97 <= c <= 122:
            counts[c - 97] += 1
        elif c == 32:
            counts[26] += 1
        elif 48 <= c <= 57:
            counts[27 + (c - 48) % 5] += 1
        else:
            counts[(c * 0x9E3779B1 & M32) >> 27] += 1
    return sum(n % 4 << 2 * i for i, n in enumerate(counts))


def line(canonical):
    text = [ord(c) for c in canonical]
    out = {"text": canonical, "units": sum(2 if within(c, SYLLABIC) else 1 for c in text)}
    out["classes"] = f"{classes(text):016x}"
    if 4 <= len(text) <= 10:
        out["tiny"] = [f"{key:016x}" for key in tiny_keys(text)]
    if len(text) >= 8:
        found = features(text)
        out["features"] = [f"{f:08x}" for f in found]
        out["bands"] = [[f"{key:016x}" for key in row] for row in bands(found)]
    return json.dumps(out, ensure_ascii=False)


TEXTS = [
    "a",
    "ok",
    "four",
    "fives",
    "aabbccdde",
    "eight ch",
    "ten charac",
    "the quick brown fox jumps over the lazy dog",
    "ha ha ha ha ha ha ha ha ha ha ha ha ha ha",
    "zzzzzzzzzzzzzzzzzzzz",
    "春节快乐",
    "春节 2021 年你好世界",
    "今天天气怎么样啊我们去公园玩吧",
    "東京都の天気予報をお知らせします",
    "한국어를 배우는 사람들이 많다",
    "สวัสดีครับวันนี้อากาศดีมาก",
    "สวัสดี bnk48 ไทย",
    "ສະບາຍດີຕອນເຊົ້າ",
    "ဒီနေ့ရာသီဥတုကောင်းတယ်",
    "привет как дела сегодня",
    "नमस्ते दुनिया आज मौसम अच्छा है",
    "call 09061701461 claim code kl341 valid 12 hours only",
    "𠀀𠀁𠀂𠀃 han beyond the basic plane 𠮷野家",
]


def main():
    path = pathlib.Path(__file__).with_suffix(".jsonl")
    content = "".join(line(text) + "\n" for text in TEXTS)
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if path.read_text(encoding="utf-8") == content else f"{path} is not what {__file__} writes")
    path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
