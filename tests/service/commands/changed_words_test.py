#!/usr/bin/env -S python3 -B
"""How many words of a text may be changed until a copy is no duplicate is what README.md's table says.

usage: changed_words_test.py NEARDUP [--print]      --print: the table as it is now, for README.md

Each row is measured by `neardup scan` with no setting changed: texts of random words of five letters (or of random Chinese
characters), and a copy of each with so many of them replaced by others, at random places or side by side. A cell `3 .. 5`
says that of copies with 3 replaced nearly all are duplicates, and of those with 5 hardly any.
"""
import bisect
import functools
import json
import pathlib
import random
import re
import string
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import neardup_command

README = pathlib.Path(__file__).resolve().parents[3] / "README.md"
HEAD = "| a text of | words or characters changed here and there | side by side |\n|---|---|---|\n"
ROW = re.compile(r"^\| (\d+) (words|Chinese characters)\b.*$", re.MULTILINE)
SIZES = (("words", (10, 20, 40, 47, 60, 100, 200, 500, 1000)), ("Chinese characters", (40, 120, 140, 200, 500, 1000)))
PAIRS = 60
NEARLY_ALL, HARDLY_ANY = 0.95, 0.05


def pair(draw, kind, size, changed, side_by_side):
    """A text and its copy."""
    if kind == "words":
        other, glue = lambda: "".join(draw.choices(string.ascii_lowercase, k=5)), " "
    else:
        other, glue = lambda: chr(draw.randrange(0x4E00, 0x9000)), ""
    text = [other() for _ in range(size)]
    first = draw.randrange(size - changed + 1)
    copy = list(text)
    for place in range(first, first + changed) if side_by_side else draw.sample(range(size), changed):
        copy[place] = other()
    return glue.join(text), glue.join(copy)


def found(program, kind, size, changed, side_by_side):
    """The share of PAIRS copies that are called duplicates of their text."""
    draw = random.Random(f"{kind} {size} {changed} {side_by_side}")
    lines = []
    for i in range(PAIRS):
        for name, text in zip("ab", pair(draw, kind, size, changed, side_by_side)):
            lines.append(json.dumps({"id": f"{i}{name}", "text": text}) + "\n")
    done = subprocess.run([program, "scan", "--quiet"], input="".join(lines), text=True, check=True,
                          stdout=subprocess.PIPE, env=neardup_command.environment())
    verdicts = [json.loads(line)["verdict"] for line in done.stdout.splitlines()]
    assert len(verdicts) == 2 * PAIRS and set(verdicts[::2]) == {"unique"}, "texts of their own"
    return verdicts[1::2].count("duplicate") / PAIRS


def cell(program, kind, size, side_by_side):
    share = functools.cache(lambda changed: found(program, kind, size, changed, side_by_side))
    counts = range(1, size // 3)
    most = bisect.bisect_left(counts, True, key=lambda changed: share(changed) < NEARLY_ALL)
    least = bisect.bisect_left(counts, True, key=lambda changed: share(changed) <= HARDLY_ANY) + 1
    return f"{most} .. {least}"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    shown = {match[0] for match in ROW.finditer(README.read_text().split(HEAD)[1].split("\n\n")[0])} if len(sys.argv) < 3 else None
    measured = []
    for kind, sizes in SIZES:
        for size in sizes:
            cells = [cell(program, kind, size, side_by_side) for side_by_side in (False, True)]
            measured.append(f"| {size} {kind} | {cells[0]} | {cells[1]} |")
    if shown is None:
        print(HEAD + "\n".join(measured))
        return
    assert shown == set(measured), "README.md shows\n" + "\n".join(sorted(shown)) + "\n--- and measured is\n" + "\n".join(measured)


if __name__ == "__main__":
    main()
