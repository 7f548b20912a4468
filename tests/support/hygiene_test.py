#!/usr/bin/env python3
"""Each thing that hygiene.py refuses is found when planted, and what only looks like it is left alone."""

import pathlib
import subprocess
import tempfile
import unittest

import hygiene


class Hygiene(unittest.TestCase):
    def complaints(self, name, data):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            subprocess.run(["git", "init", "--quiet", folder], check=True)
            (root / "there.md").write_text("# Here\n")
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data.encode() if isinstance(data, str) else data)
            return list(hygiene.complaints(root))

    def refused(self, name, data, why):
        found = self.complaints(name, data)
        self.assertEqual(len(found), 1, found)
        self.assertIn(why, found[0])

    def test_a_clean_file_is_accepted(self):
        self.assertEqual(self.complaints("core/a.cc", "int a;\n\nint b;\n"), [])

    def test_trailing_whitespace_is_found_with_its_line(self):
        self.refused("a.cc", "int a;\nint b; \n", "a.cc:2: trailing whitespace")
        self.refused("a.cc", "int a;\r\n", "a.cc:1: trailing whitespace")

    def test_golden_texts_seeds_and_binary_files_may_hold_anything(self):
        self.assertEqual(self.complaints("tests/golden/text.txt", "a \n"), [])
        self.assertEqual(self.complaints("tests/fuzz/some_fuzz/head.http", "HTTP/2 200\r\n"), [])
        self.assertEqual(len(self.complaints("tests/fuzz/replay.cc", "int a; \n")), 1)
        self.assertEqual(self.complaints("a.bin", b"\0 \n"), [])

    def test_a_large_file_is_found(self):
        self.refused("a.bin", bytes(hygiene.FILE_BYTES_MAX + 1), "bytes; files stay under")
        self.assertEqual(self.complaints("a.bin", bytes(hygiene.FILE_BYTES_MAX)), [])

    def test_the_address_of_a_registry_is_found(self):
        for host in ("registry.example.org/a", "npm.example.org/", "maven-central.mirror.example/x", "pypi.example.org"):
            self.refused("a.sh", f"fetch https:/{''}/{host}\n", "names a package registry")
        self.refused("a.sh", f"npm --{''}registry=x\n", "names a package registry")
        self.assertEqual(self.complaints("a.sh", "see https://kafka.apache.org/documentation\n"), [])

    def test_a_prefetch_that_may_be_left_out_is_found(self):
        self.refused("core/a.cc", "__builtin_prefetch(p);\n", "core/a.cc:1: __builtin_prefetch may be left out")
        self.assertEqual(self.complaints("core/base/prefetch_line.h", "__builtin_prefetch(p);\n"), [])

    def test_a_comment_that_is_too_wide_is_found(self):
        self.refused("core/a.cc", "  // " + "a" * 106 + "\n", "core/a.cc:1: a comment of 111 characters; lines have 110")
        self.assertEqual(self.complaints("core/a.cc", "  // " + "ä" * 105 + "\n"), [])
        self.assertEqual(self.complaints("docs.md", "// " + "a" * 120 + "\n"), [])

    def test_a_link_that_leads_nowhere_is_found(self):
        self.refused("docs.md", "[a](missing.md#part)\n", "links to missing.md#part, which is not there")
        self.refused("core/docs.md", "![a](there.md)\n", "links to there.md")

    def test_links_that_lead_somewhere_are_accepted(self):
        text = "[a](there.md#here) [b](#part) [c](https://example.org/x) `[d](missing.md)`\n```\n[e](missing.md)\n```\n"
        self.assertEqual(self.complaints("docs.md", text), [])
        self.assertEqual(self.complaints("core/docs.md", "[a](../there.md)\n"), [])


if __name__ == "__main__":
    unittest.main()
