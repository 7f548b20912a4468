#!/usr/bin/env -S python3 -B
"""Writes script_table.cc, the script of every letter, out of the Unicode Character Database.

usage: script_table.py [--unicode DIR] [--check]

The options are fold_table.py's. What the table means is said in script.h.
"""
import table_file
from fold_table import Unicode, array

# In the order of Script in script.h. Letters of other scripts are OTHER.
NONE, LATIN, HAN, KANA, HANGUL, THAI, CYRILLIC, ARABIC, OTHER = range(9)
SCRIPTS = {"Latin": LATIN, "Han": HAN, "Hiragana": KANA, "Katakana": KANA, "Hangul": HANGUL, "Thai": THAI,
           "Cyrillic": CYRILLIC, "Arabic": ARABIC}
# Of a letter that several scripts share: the first of those it extends to.
SHARED = {"Hira": KANA, "Kana": KANA, "Hani": HAN}
BLOCK_BITS = 7


def script(unicode, point):
    if unicode.category.get(point, "Cn")[0] not in "LM" or not unicode.is_kept(point):
        return NONE
    named = unicode.script.get(point)
    if named not in ("Common", "Inherited"):
        return SCRIPTS.get(named, OTHER)
    extensions = unicode.extensions.get(point, ())
    return next((number for code, number in SHARED.items() if code in extensions), OTHER)


def source(unicode):
    scripts = [script(unicode, point) for point in range(0x110000)]
    size = 1 << BLOCK_BITS
    blocks, numbers, index = [], {}, []
    for begin in range(0, len(scripts), size):
        block = tuple(scripts[begin:begin + size])
        if block not in numbers:
            numbers[block] = len(numbers)
            blocks += block
        index.append(numbers[block])
    assert len(numbers) <= 256
    return f"""// Written by script_table.py from the Unicode Character Database {unicode.version}. Do not edit.
// clang-format off
#include "core/text/script.h"

namespace neardup::internal {{

static_assert(kScriptBlockBits == {BLOCK_BITS} && kScripts == {OTHER});

// {len(index)} blocks of {size} code points, {len(numbers)} of them distinct.
{array("std::uint8_t kScriptIndex", index)}
// 0 for no letter, else 1 + Script.
{array("std::uint8_t kScriptBlocks", blocks)}
}}  // namespace neardup::internal
"""


if __name__ == "__main__":
    table_file.run(__file__, __doc__, lambda folder: source(Unicode(folder)))
