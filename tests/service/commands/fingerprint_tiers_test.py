#!/usr/bin/env -S python3 -B
"""Every tier of the kernels gives every document of the evaluation data the same fingerprint and the same sketch.

usage: fingerprint_tiers_test.py NEARDUP

`neardup fingerprint --json` over all sets that tests/bench/evaluation.py finds, once by each NEARDUP_ISA, byte for byte:
with the default settings all documents, with others each fifth, for the scalar tier's time. Of a document that has a text
and a page the program reads the text, so the page is there a second time, alone. Exit code 77 (skipped) where there are
no data, and where this CPU lacks a tier: those it has were compared, but it has not shown what its name says.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import evaluation  # which finds tests/support
import neardup_command

TIERS = ("scalar", "avx2", "avx512")
MISSING = "this CPU does not have it"  # core/base/isa.cc
EXIT_CONFIG, SKIPPED = 78, 77
STRIDE = 5
OTHERS = (
    ("html.extract=all",),
    ("fingerprint.kind=minhash",),
    ("fingerprint.features=shingles", "fingerprint.shingle_size=2", "text.chinese=simplified"),
    ("fingerprint.features=ngrams", "fingerprint.ngram_size=5"),
)


def answer(program, tier, settings, documents):
    """What the program says of the documents, or None where the CPU lacks the tier."""
    options = neardup_command.set_options(settings)
    done = subprocess.run([program, "fingerprint", "--json", *options, *map(str, documents)], capture_output=True,
                          env={**neardup_command.environment(), "NEARDUP_ISA": tier}, check=False)
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode == EXIT_CONFIG and MISSING in said:
        return None
    assert done.returncode == 0, f"{tier} {settings}: exit code {done.returncode}: {said}"
    return done.stdout


def difference(one, other):
    """Nothing if two answers are the same, else the first lines that are not."""
    if one == other:
        return None
    lines = one.splitlines(), other.splitlines()
    at = next((i for i, (a, b) in enumerate(zip(*lines)) if a != b), min(map(len, lines)))
    return "\n".join(line[at].decode("utf-8", "replace") if at < len(line) else "(no more)" for line in lines)


def pages_of(documents, work):
    """Copies of the sets that have pages beside their texts, with the pages alone."""
    for path in documents:
        with open(path, encoding="utf-8") as lines:
            both = [one for one in map(json.loads, lines) if "html" in one and "text" in one]
        if both:
            copy = work / f"{path.parent.name}.pages.jsonl"
            pages = ({"id": one["id"], "html": one["html"]} for one in both)
            copy.write_text("".join(json.dumps(page, ensure_ascii=False) + "\n" for page in pages), encoding="utf-8")
            yield copy


def each_fifth(documents, work):
    """Copies of the sets with each STRIDE-th document, from the first on."""
    for number, path in enumerate(documents):
        copy = work / f"{number}.fifth.jsonl"
        with open(path, "rb") as source, open(copy, "wb") as target:
            target.writelines(line for i, line in enumerate(source) if i % STRIDE == 0)
        yield copy


def compare(ask, tiers, settings, documents):
    """How many documents were compared; their signatures are the same by all tiers."""
    answers = list(ask(lambda tier: answer(sys.argv[1], tier, settings, documents), tiers))
    for tier, said in zip(tiers[1:], answers[1:]):
        found = difference(answers[0], said)
        assert found is None, f"{tiers[0]} and {tier}, {' '.join(settings) or 'default settings'}:\n{found}"
    count = 0
    for path in documents:
        with open(path, "rb") as lines:
            count += sum(1 for _ in lines)
    assert answers[0].count(b"\n") == count, f"{count} documents, one line of each"
    assert answers[0].count(b'"sketch":"') > count * 0.99, "hardly any is rejected"
    return count


def planted(few):
    """Differences that must be seen: how many were, and of how many."""
    said = answer(sys.argv[1], "scalar", (), few)
    others = [answer(sys.argv[1], "scalar", settings, few) for settings in OTHERS]
    for key in (b'"simhash":"', b'"exact":"', b'"sketch":"'):
        at = said.rindex(key) + len(key)
        others.append(said[:at] + (b"1" if said[at : at + 1] != b"1" else b"2") + said[at + 1 :])
    others.append(said[: said.rindex(b"\n", 0, -1) + 1])
    return sum(difference(said, other) is not None for other in others), len(others)


def main():
    sets = evaluation.every_set()
    if not sets:
        print(evaluation.MISSING)
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(2) as two:
        pages = list(pages_of(sets, pathlib.Path(temporary)))
        documents = [*sets, *pages]
        few = list(each_fifth(documents, pathlib.Path(temporary)))
        tiers = [tier for tier in TIERS if answer(sys.argv[1], tier, (), few[:1]) is not None]
        if len(tiers) > 1:
            count = compare(two.map, tiers, (), documents)
            sampled = sum(compare(two.map, tiers, settings, few) for settings in OTHERS)
            seen, there = planted(few[-len(pages):])
            print(f"table: tiers, {len(sets)} sets | {count} texts and pages, {sampled} by other settings | "
                  f"{', '.join(tiers)} alike | {seen} of {there}")
            assert seen == there, f"{seen} of {there} planted differences were seen"
    missing = [tier for tier in TIERS if tier not in tiers]
    if missing:
        print(f"this CPU has no {' and no '.join(missing)}: "
              + (f"{' and '.join(tiers)} alone were compared" if len(tiers) > 1 else "there was no tier to compare"))
    return SKIPPED if missing else 0


if __name__ == "__main__":
    sys.exit(main())
