#!/usr/bin/env -S python3 -B
"""What memory and the snapshot take is what service/README.md, "Sizing", says.

usage: sizing_test.py NEARDUP

Each row of its table that has a number of bytes for the snapshot is measured by `neardup scan --snapshot`, without the id
and the url, which the table counts by themselves; so is a duplicate that is seen again. Names that have nothing in common
take what they are, those of one site a fourth. Its bytes of memory are what `neardup plan` reckons with.
"""
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

README = pathlib.Path(__file__).resolve().parents[3] / "service/README.md"
DOCUMENTS = 5000
PLACE = 40  # bytes of memory that name a unique besides its id and url
NAMES_OF_A_SITE = ("page-{:09d}", "https://example.org/news/2024/05/article-{:09d}")
NAMED = sum(len(name.format(0)) for name in NAMES_OF_A_SITE)  # bytes of all names
# A row's first words, the words of a text, what the settings are, and what plan calls it.
ROWS = (
    ("page", 100, (), "page_standard"),
    ("page, `detector.sketch: compact`", 100, ("detector.sketch=compact",), "page_compact"),
    ("short text of 60 letters", 10, (), "short_latin"),
    ("text of 270 letters", 45, (), "both_latin"),
    ("any, mode simhash", 100, ("detector.mode=simhash",), None),
)


def documents(words, are_named_alike=False):
    draw = random.Random(1)
    for i in range(DOCUMENTS):
        letters = lambda count: "".join(draw.choices(string.ascii_lowercase, k=count))
        text = " ".join(letters(5) for _ in range(words))
        names = [name.format(i) for name in NAMES_OF_A_SITE]
        if not are_named_alike:
            names = [letters(len(name)) for name in names]
        yield json.dumps({"id": names[0], "url": names[1], "time": 1714557600 + i, "text": text}) + "\n"


def scan(program, folder, settings, lines):
    """Bytes that the folder's segments have behind a scan of `lines`."""
    command = [program, "scan", "--quiet", "--snapshot", folder, *neardup_command.set_options(settings)]
    subprocess.run(command, input=lines, text=True, check=True, stdout=subprocess.DEVNULL, env=neardup_command.environment())
    return sum(segment.stat().st_size for segment in pathlib.Path(folder).glob("segment-*"))


def planned(program, settings, kind):
    """Bytes of memory of a unique, without what names it; of mode simhash with the first covering."""
    sets = [word for setting in settings for word in ("--set", setting)]
    words = [program, "plan", "--json", "--name-bytes", "0", *sets]
    plan = json.loads(subprocess.run(words, text=True, check=True, stdout=subprocess.PIPE).stdout)
    if kind is None:
        return plan["plans"][0]["bytes_per_document"] - PLACE
    return next(unique["bytes_per_unique"] for unique in plan["uniques"] if unique["kind"] == kind) - PLACE


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    section = README.read_text().split("\n## Sizing\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+) \| ([^|]+) \| (\d+)\b.* \|$", section, re.MULTILINE)
    shown = {row: snapshot for row, _, snapshot in cells}
    memory = {row: memory for row, memory, _ in cells}
    assert set(shown) == {row for row, *_ in ROWS} | {"duplicate"}, f"the table has {shown}"
    for row, words, settings, kind in ROWS:
        bytes_planned = planned(program, settings, kind)
        assert abs(bytes_planned - int(memory[row])) < 1, f"{row}: plan says {bytes_planned:.1f}, not {memory[row]}"
        with tempfile.TemporaryDirectory() as folder:
            lines = "".join(documents(words))
            first = scan(program, folder, settings, lines)
            bytes_each = first / DOCUMENTS - NAMED
            print(f"{row}: {bytes_each:.1f}")
            assert abs(bytes_each - int(shown[row])) <= int(shown[row]) / 20, f"{row}: {bytes_each:.1f}, not {shown[row]}"
            again = (scan(program, folder, settings, lines) - first) / DOCUMENTS
            assert abs(again - int(shown["duplicate"])) < .5, f"a duplicate: {again:.2f}, not {shown['duplicate']}"
        if row == "page":
            with tempfile.TemporaryDirectory() as folder:
                alike = scan(program, folder, settings, "".join(documents(words, are_named_alike=True)))
            share = (alike / DOCUMENTS - bytes_each) / NAMED
            print(f"names of one site: {share:.2f} of their bytes")
            assert share <= 1 / 4 and "a fourth where they are of one site" in section, share


if __name__ == "__main__":
    main()
