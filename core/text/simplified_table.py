#!/usr/bin/env python3
"""Writes simplified_table.cc: for each Chinese character the one that simplified Chinese writes in its place.

usage: simplified_table.py [--unicode DIR] [--check]

Out of ICU's transliterator Traditional-Simplified, character by character, by its tool uconv; and for characters that
it leaves alone, out of Unihan's kSimplifiedVariant (DIR is where Debian's package unicode-data puts it). With --check nothing is written; the
exit code is 1 when the checked-in table is not what the data gives. What the table is for is said in simplified.h.
"""
import bz2
import subprocess

import table_file
from fold_table import Unicode

HAN = [range(0x3400, 0x4DC0), range(0x4E00, 0xA000)]


def unihan(folder):
    pairs = {}
    for line in bz2.open(folder / "Unihan_Variants.txt.bz2", "rt", encoding="utf-8"):
        if "\tkSimplifiedVariant\t" not in line:
            continue
        point, _, variants = line.strip().split("\t")
        point = int(point[2:], 16)
        others = [v for v in (int(v[2:], 16) for v in variants.split()) if v != point]
        # Of several, what old fonts have is what people write. A character that may stay goes too: the fold is applied to
        # both texts that are compared.
        if others:
            pairs[point] = min(others, key=lambda v: v > 0xFFFF)
    return pairs


def icu():
    points = [p for each in HAN for p in each]
    text = "\n".join(map(chr, points))
    result = subprocess.run(["uconv", "-f", "utf-8", "-t", "utf-8", "-x", "Traditional-Simplified"], input=text.encode(),
                            check=True, capture_output=True).stdout.decode()
    return {p: ord(c) for p, c in zip(points, result.split("\n"), strict=True) if len(c) == 1 and ord(c) != p}


def closed(pairs):
    """Each character's last, so that folding again changes nothing. Two that stand for each other: the lower one."""
    result = {}
    for point in pairs:
        seen = [point]
        while seen[-1] in pairs and pairs[seen[-1]] not in seen:
            seen.append(pairs[seen[-1]])
        last = seen[-1]
        if last in pairs:
            last = min(seen[seen.index(pairs[last]):])
        if last != point:
            result[point] = last
    return result


def source(folder):
    unicode = Unicode(folder)
    pairs = closed(unihan(folder) | icu())
    for point, other in pairs.items():
        assert unicode.fold(point) == [point] and unicode.fold(other) == [other] and unicode.is_token_character(other)
    rows, row = [], ""
    for point, other in sorted(pairs.items()):
        each = f"{{0x{point:X},0x{other:X}}},"
        if len(row) + len(each) > 110:
            rows.append(row)
            row = ""
        row += each
    lines = "\n".join([*rows, row])
    return f"""// Written by simplified_table.py from Unihan {unicode.version} and ICU. Do not edit.
// clang-format off
#include "core/text/simplified.h"

namespace neardup::internal {{

const SimplifiedPair kSimplifiedPairs[] = {{
{lines}
}};
const std::size_t kSimplifiedPairCount = sizeof(kSimplifiedPairs) / sizeof(kSimplifiedPairs[0]);

}}  // namespace neardup::internal
"""


if __name__ == "__main__":
    table_file.run(__file__, __doc__, source)
