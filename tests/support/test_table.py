#!/usr/bin/env python3
"""Shows what a test run has looked at: test_table.py RESULTS.xml (what ctest --output-junit wrote).

A test that checks many things of one kind prints a line "table: WHAT | COUNT | DETAIL", and here all of them become one
table. Of tests that failed nothing is shown: what they counted was not found good.
"""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

LINE = re.compile(r"^table: ([^|]+) \| (\d+) \| (.*)$", re.MULTILINE)


def rows(results):
    for case in ElementTree.parse(results).iter("testcase"):
        output = case.find("system-out")
        if case.get("status") == "run" and output is not None:
            yield from LINE.findall(output.text or "")


def main(results):
    found = list(rows(results)) if os.path.exists(results) else []
    if found:
        width = max(len(what) for what, _, _ in found)
        print("checked" + " " * (width - 7) + "  count  what")
        for what, count, detail in found:
            print(f"{what:{width}}  {count:>5}  {detail}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
