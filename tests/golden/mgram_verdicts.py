#!/usr/bin/env python3
"""Writes mgram_verdicts.jsonl: verdicts over streams of canonical texts, computed from core/detector/README.md alone.

--check says whether the file is current.
"""

import collections
import json
import math
import pathlib
import random
import sys

BY_CHARACTER = [(0x0E01, 0x0EDF), (0x3041, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7A3)]


def words(text):
    found, inside = [], False
    for c in text:
        alone = any(first <= ord(c) <= last for first, last in BY_CHARACTER)
        if alone or c == " ":
            inside = False
        if c == " ":
            continue
        if inside:
            found[-1] += c
        else:
            found.append(c)
        inside = not alone
    return found


def kind(c):
    alone = words(c + "x") != [c + "x"]
    return "hangul" if "가" <= c <= "힣" else "character" if alone else "word"


def canonical(text):
    """The spaces as the canonical form has them."""
    out = ""
    for run in text.split():
        for i, token in enumerate(words(run)):
            sides = {kind(out[-1:] or " "), kind(token[0])}
            as_written = "hangul" in sides and "character" not in sides
            apart = i == 0 if as_written else sides != {"character"}
            out += (" " if out and apart else "") + token
    return out


def units(text, options):
    if options["over"] == "characters":
        return list(text)
    found = words(text)
    content = [word for word in found if word not in options["stop_words"]]
    return content or found


def grams(found, m):
    runs = [tuple(found[i : i + m]) for i in range(len(found) - m + 1)]
    return collections.Counter(runs or [tuple(found)])


def edits(one, other):
    row = list(range(len(other) + 1))
    for i, unit in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, wanted in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (unit != wanted))
    return row[-1]


def similarity(one, other, options):
    if options["measure"] == "edit":
        longer = max(len(one), len(other))
        return 1000 * (longer - edits(one, other)) // longer
    one, other = grams(one, options["m"]), grams(other, options["m"])
    if options["measure"] == "jaccard":
        return 1000 * len(one.keys() & other.keys()) // len(one.keys() | other.keys())
    dot = sum(one[gram] * other[gram] for gram in one)
    return math.isqrt(dot * dot * 10**6 // (sum(n * n for n in one.values()) * sum(n * n for n in other.values())))


def verdicts(texts, options):
    uniques, said = [], []
    for text in texts:
        found = units(text, options)
        mine, verdict = grams(found, options["m"]).keys(), None
        for sequence, earlier in enumerate(uniques):
            if not mine & grams(earlier, options["m"]).keys():
                continue
            permille = similarity(found, earlier, options)
            if permille >= options["threshold"]:
                verdict = [sequence, permille]
                break
        if verdict is None:
            uniques.append(found)
        said.append(verdict)
    return said


SENTENCES = [
    "the quick brown fox jumps over the lazy dog",
    "ten minutes of rain and the roads were under water",
    "the parish council will meet on june 13 at 20 39 in the village hall",
    "win a prize call 09061701461 claim code kl341 valid 12 hours only",
    "今天天气怎么样啊我们去公园玩吧",
    "春节联欢晚会今天晚上八点开始",
    "法院公告本院受理你诉买卖合同纠纷一案定于 3 月 5 日开庭审理",
    "東京都の天気予報をお知らせします",
    "한국어를 배우는 사람들이 점점 많아지고 있다",
    "สวัสดีครับวันนี้อากาศดีมาก bnk48",
    "привет как дела сегодня вечером",
    "ok",
    "yes",
    "四",
    "ha ha ha ha ha ha ha ha ha ha ha ha",
]


def stream(seed):
    """Sentences, and copies of them with a few characters changed, put in or left out, or words moved."""
    draw = random.Random(seed)
    texts = list(SENTENCES)
    while len(texts) < 50:
        text = list(draw.choice(SENTENCES))
        for _ in range(draw.randrange(1, 2 + len(text) // 5)):
            at = draw.randrange(len(text))
            text[at : at + draw.randrange(2)] = draw.choice(["x", "q7", "", "春", " la "])
        if draw.random() < 0.2:
            cut = draw.randrange(1, len(text) + 1)
            text = text[cut:] + [" "] + text[:cut]
        texts.append(canonical("".join(text)) or "x")
    return texts


def options(m=4, over="characters", measure="edit", threshold=800, stop_words=()):
    return {"m": m, "over": over, "measure": measure, "threshold": threshold, "stop_words": list(stop_words)}


CASES = [
    options(),
    options(m=6, threshold=700),
    options(measure="jaccard", threshold=500),
    options(measure="cosine", threshold=600),
    options(m=2, over="words", threshold=700),
    options(m=3, over="words", measure="jaccard", threshold=500),
    options(m=1, over="words", measure="cosine", threshold=750),
    options(m=2, over="content_words", measure="edit", threshold=700, stop_words=["the", "a", "of", "ha", "在", "天"]),
    options(m=1, over="content_words", measure="jaccard", threshold=500, stop_words=["the", "and", "公", "し"]),
]


def main():
    lines = []
    for seed, case in enumerate(CASES):
        texts = stream(seed)
        rows = [{"text": text, "duplicate": said} for text, said in zip(texts, verdicts(texts, case))]
        lines.append(json.dumps({**case, "stream": rows}, ensure_ascii=False) + "\n")
    path = pathlib.Path(__file__).with_suffix(".jsonl")
    content = "".join(lines)
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if path.read_text(encoding="utf-8") == content else f"{path} is not what {__file__} writes")
    path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
