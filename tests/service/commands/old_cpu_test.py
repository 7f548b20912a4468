#!/usr/bin/env -S python3 -B
"""One program runs on every x86-64, from the first one on, and gives the same answers: an emulator shows it old CPUs.

usage: old_cpu_test.py NEARDUP

The golden pages and texts by `neardup fingerprint` and `neardup scan`, here and on each CPU, byte for byte. What the
program links has code for newer CPUs too (compression, JSON, checksums), which must not run there either.
"""
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import neardup_command

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden"
FIRST, LAST_WITHOUT_AVX, FIRST_WITH_AVX2 = "qemu64", "Westmere", "Haswell-noTSX"
EXIT_CONFIG = 78
PROGRAM = []


def run(cpu, *words, **variables):
    """On this machine's own CPU if `cpu` is None."""
    emulator = ["qemu-x86_64", "-cpu", cpu] if cpu else []
    return subprocess.run([*emulator, *PROGRAM, *map(str, words)], capture_output=True, check=False,
                          env={**neardup_command.environment(), **variables})


class OldCpu(unittest.TestCase):
    def expect_same(self, *words):
        here = run(None, *words)
        self.assertEqual(here.returncode, 0, here.stderr)
        self.assertGreater(here.stdout.count(b"\n"), 5)
        for cpu in FIRST, LAST_WITHOUT_AVX, FIRST_WITH_AVX2:
            with self.subTest(cpu=cpu):
                there = run(cpu, *words)
                self.assertEqual(there.returncode, 0, there.stderr)
                self.assertEqual(there.stdout, here.stdout)

    def test_pages_have_the_same_fingerprints_and_sketches(self):
        self.expect_same("fingerprint", "--json", *sorted(GOLDEN.glob("html/*.html")))

    def test_texts_have_the_same_fingerprints_and_sketches(self):
        self.expect_same("fingerprint", "--json", GOLDEN / "signatures.jsonl")

    def test_documents_have_the_same_verdicts(self):
        self.expect_same("scan", "--quiet", GOLDEN / "signatures.jsonl", GOLDEN / "shingle_signatures.jsonl")

    def test_a_tier_is_where_its_instructions_are(self):
        texts = GOLDEN / "signatures.jsonl"
        for cpu, code in ((LAST_WITHOUT_AVX, EXIT_CONFIG), (FIRST_WITH_AVX2, 0)):
            with self.subTest(cpu=cpu):
                done = run(cpu, "fingerprint", texts, NEARDUP_ISA="avx2")
                self.assertEqual(done.returncode, code, done.stderr)


if __name__ == "__main__":
    PROGRAM.append(sys.argv.pop(1))
    unittest.main()
