#!/usr/bin/env python3
"""result_table.py on made results: rows of all tests, in order, aligned, and nothing where there is none."""

import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).with_name("result_table.py")


def run(xml):
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(xml)
        file.flush()
        return subprocess.run([TOOL, file.name], capture_output=True, text=True, check=True).stdout


class ResultTable(unittest.TestCase):
    def test_gathers_the_rows_of_all_tests_in_order(self):
        out = run(
            "<testsuite><testcase name='b'><system-out>noise\ntable: widgets | 12 | by hand | 3 of 3\nmore</system-out></testcase>"
            "<testcase name='a'><system-out>table: bolts | 5 | torque |\n</system-out></testcase><testcase name='c'/></testsuite>"
        )
        self.assertEqual(
            out.splitlines(),
            [
                "checked  how many  how      planted errors found",
                "bolts    5         torque",
                "widgets  12        by hand  3 of 3",
            ],
        )

    def test_is_silent_without_rows(self):
        self.assertEqual(run("<testsuite><testcase name='a'><system-out>nothing</system-out></testcase></testsuite>"), "")

    def test_is_silent_without_results(self):
        out = subprocess.run([TOOL, "/nowhere.xml"], capture_output=True, text=True, check=True)
        self.assertEqual(out.stdout, "")


if __name__ == "__main__":
    unittest.main()
