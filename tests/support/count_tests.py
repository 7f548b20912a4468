#!/usr/bin/env python3
"""Counts the results of a test run: count_tests.py RESULTS.xml (what ctest --output-junit wrote).

Prints "N passed, N failed", and ", N skipped" if any were. Exit code 0 only if some passed and none failed: a run that
tested nothing has shown nothing. A test that ctest could not run counts as failed; skipped are only those that said so
themselves (GTEST_SKIP) or are disabled.
"""

import os
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    said_so = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if said_so or case.get("status") == "disabled" else "failed"


def count(results):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in ElementTree.parse(results).iter("testcase"):
        counts[outcome(case)] += 1
    return counts


def main(results):
    counts = count(results) if os.path.exists(results) else {"passed": 0, "failed": 0, "skipped": 0}
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    print(line + (f", {counts['skipped']} skipped" if counts["skipped"] else ""))
    return 0 if counts["passed"] and not counts["failed"] else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
