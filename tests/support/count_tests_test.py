#!/usr/bin/env python3
"""The last line of a test run tells the truth about what ctest wrote."""

import contextlib
import io
import os
import tempfile
import unittest

import count_tests

PASSED = '<testcase name="a" status="run"/>'
FAILED = '<testcase name="b" status="fail"><failure message="Failed"/></testcase>'
SKIPPED = '<testcase name="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>'
DISABLED = '<testcase name="d" status="disabled"/>'
NOT_BUILT = '<testcase name="e" status="notrun"><skipped message="Unable to find executable"/></testcase>'


class CountTests(unittest.TestCase):
    def run_on(self, *cases):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as output:
            path = os.path.join(folder, "results.xml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"<testsuite>{''.join(cases)}</testsuite>")
            code = count_tests.main(path)
        return output.getvalue(), code

    def test_all_passed(self):
        self.assertEqual(self.run_on(PASSED, PASSED), ("2 passed, 0 failed\n", 0))

    def test_one_failure_fails_the_run(self):
        self.assertEqual(self.run_on(PASSED, FAILED), ("1 passed, 1 failed\n", 1))

    def test_skipped_tests_are_named_apart(self):
        self.assertEqual(self.run_on(PASSED, SKIPPED, DISABLED), ("1 passed, 0 failed, 2 skipped\n", 0))

    def test_a_test_that_could_not_run_has_failed(self):
        self.assertEqual(self.run_on(PASSED, NOT_BUILT), ("1 passed, 1 failed\n", 1))

    def test_a_run_that_tested_nothing_fails(self):
        self.assertEqual(self.run_on(), ("0 passed, 0 failed\n", 1))
        self.assertEqual(self.run_on(SKIPPED), ("0 passed, 0 failed, 1 skipped\n", 1))

    def test_a_run_that_left_no_results_fails(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(count_tests.main("/nowhere/results.xml"), 1)
        self.assertEqual(output.getvalue(), "0 passed, 0 failed\n")


if __name__ == "__main__":
    unittest.main()
