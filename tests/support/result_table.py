#!/usr/bin/env python3
"""Gathers what tests have checked into one table: result_table.py RESULTS.xml (what ctest --output-junit wrote).

A test adds a row by printing, among its first lines, "table: WHAT | HOW MANY | CHECKED HOW | PLANTED ERRORS FOUND". Prints
nothing if no test did.
"""

import os
import sys
import xml.etree.ElementTree as ElementTree

HEAD = ["checked", "how many", "how", "planted errors found"]
MARK = "table: "


def rows(results):
    for case in ElementTree.parse(results).iter("testcase"):
        for line in (case.findtext("system-out") or "").splitlines():
            if line.startswith(MARK):
                cells = [cell.strip() for cell in line[len(MARK) :].split("|")]
                yield (cells + [""] * len(HEAD))[: len(HEAD)]


def table(found):
    lines = [HEAD, *sorted(found)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(rows(sys.argv[1])) if os.path.exists(sys.argv[1]) else []
    if found:
        print("\n".join(table(found)))
