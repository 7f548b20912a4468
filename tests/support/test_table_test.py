#!/usr/bin/env python3
"""test_table.py, on results as ctest writes them."""

import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).with_name("test_table.py")
RESULTS = """<testsuite name="x">
<testcase name="a" status="run"><system-out>noise
table: chart: goldens | 6 | byte for byte
table: alerts | 19 | fire &amp; stay quiet
</system-out></testcase>
<testcase name="b" status="fail"><system-out>table: chart: nothing | 1 | failed</system-out></testcase>
<testcase name="c" status="run"/>
</testsuite>"""


def shown(text):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "results.xml")
        if text is not None:
            file.write_text(text)
        return subprocess.run([TOOL, file], capture_output=True, text=True, check=True).stdout


class TestTable(unittest.TestCase):
    def test_lines_of_all_tests_become_one_table(self):
        self.assertEqual(
            shown(RESULTS),
            "checked         count  what\nchart: goldens      6  byte for byte\nalerts             19  fire & stay quiet\n",
        )

    def test_what_a_failed_test_counted_is_not_shown(self):
        self.assertNotIn("nothing", shown(RESULTS))

    def test_no_line_is_no_table(self):
        self.assertEqual(shown("<testsuite/>"), "")

    def test_no_results_are_no_table(self):
        self.assertEqual(shown(None), "")


if __name__ == "__main__":
    unittest.main()
