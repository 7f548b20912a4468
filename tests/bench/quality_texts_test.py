#!/usr/bin/env -S python3 -B
"""Another spelling keeps what is equal and what is different; notices are there as often as asked for.

usage: quality_texts_test.py QUALITY_TEXTS
"""
import json
import subprocess
import sys

DOCUMENTS = [
    {"id": "a", "text": "The quick brown fox, 12 times; ダークホース が 走る"},
    {"id": "b", "text": "the QUICK brown fox 12 times ダークホース が走る!"},
    {"id": "c", "text": "the quick brown fox 13 times"},
    {"id": "d", "html": "<p>春节联欢晚会 today 한국어를 배우는</p>"},
    {"id": "e", "text": "สวัสดีครับ"},
]


def run(*arguments, documents=()):
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    done = subprocess.run([sys.argv[1], *arguments], input=lines, stdout=subprocess.PIPE, check=True, encoding="utf-8")
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    one, other = (run("respelled", seed, documents=DOCUMENTS) for seed in ("1", "2"))
    assert [document["id"] for document in one] == list("abcde")
    for texts in ([document["text"] for document in one], [document["text"] for document in other]):
        assert texts[0] == texts[1], texts
        words = texts[0].split(), texts[2].split()
        assert [a == b for a, b in zip(*words)] == [True, True, True, True, False, True], words
        assert all(c.isdigit() for c in words[0][4]), "a number stays one"
        assert len(texts[3].split()) == 4 and "quick" not in texts[0], texts
    assert all(a["text"] != b["text"] for a, b in zip(one, other)), "each seed has its own"

    notices = run("notices", "7", "5")
    edited = [notice for notice in notices if notice["id"].endswith(".edited")]
    forms = len({notice["id"].split("/")[0] for notice in notices})
    assert len(notices) - len(edited) == 5 * forms and len(edited) == 2 * forms
    assert len({notice["text"] for notice in notices}) == len(notices)


if __name__ == "__main__":
    main()
