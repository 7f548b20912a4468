#!/usr/bin/env python3
"""Writes fold_table.cc, the canonical form of every code point, out of the Unicode Character Database.

usage: fold_table.py [--unicode DIR] [--check]

DIR holds the UCD's text files (default: where Debian's package unicode-data puts them). With --check nothing is
written; the exit code is 1 when the checked-in table is not what DIR gives. What the table means is said in
fold_table.h, why it is so in README.md.
"""
import table_file

# Scripts written without spaces: each of their characters is a token. CJK, and those of Line_Break=SA.
TOKEN_SCRIPTS = {
    "Han": "Hani", "Hiragana": "Hira", "Katakana": "Kana",
    "Thai": "Thai", "Lao": "Laoo", "Khmer": "Khmr", "Myanmar": "Mymr",
    "Tai_Tham": "Lana", "New_Tai_Lue": "Talu", "Tai_Le": "Tale", "Tai_Viet": "Tavt", "Ahom": "Ahom",
}
COMPOSED_SCRIPTS = {"Han", "Hiragana", "Katakana", "Hangul"}  # characters that stay composed
VOICING_MARKS = (0x3099, 0x309A)

SEPARATOR, NOTHING, WORD, CHARACTER, HANGUL, KANA, VOICING = range(7)  # FoldAction, in its order
FIRST_SEQUENCE = 1 << 11
BLOCK_BITS = 6


def rows(path):
    """The data lines of a UCD file, split at ';', comments gone."""
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line and not line.startswith("@"):
            yield [field.strip() for field in line.split(";")]


def code_points(field):
    first, _, last = field.partition("..")
    return range(int(first, 16), int(last or first, 16) + 1)


class Unicode:
    def __init__(self, folder):
        self.category, self.order, self.decomposition = {}, {}, {}
        self.version = (folder / "DerivedNormalizationProps.txt").open().readline().split("-")[1].rsplit(".", 1)[0]
        first = None
        for row in rows(folder / "UnicodeData.txt"):
            point = int(row[0], 16)
            if row[1].endswith(", First>"):
                first = point
                continue
            for each in range(first if first is not None else point, point + 1):
                self.category[each] = row[2]
            first = None
            self.order[point] = int(row[3])
            if row[5] and not row[5].startswith("<"):
                self.decomposition[point] = [int(x, 16) for x in row[5].split()]
        self.casefold = {
            point: [int(x, 16) for x in row[2].split()]
            for row in rows(folder / "DerivedNormalizationProps.txt") if row[1] == "NFKC_CF"
            for point in code_points(row[0])
        }
        self.script = {p: row[1] for row in rows(folder / "Scripts.txt") for p in code_points(row[0])}
        self.extensions = {
            p: set(row[1].split()) for row in rows(folder / "ScriptExtensions.txt") for p in code_points(row[0])
        }
        self.indic = {p: row[1] for row in rows(folder / "IndicSyllabicCategory.txt") for p in code_points(row[0])}

    def nfd(self, point):
        """The canonical decomposition of one code point, in canonical order."""
        parts = [part for p in self.decomposition.get(point, []) for part in self.nfd(p)] or [point]
        for i in range(1, len(parts)):
            while i > 0 and self.order.get(parts[i - 1], 0) > self.order.get(parts[i], 0) > 0:
                parts[i - 1], parts[i] = parts[i], parts[i - 1]
                i -= 1
        return parts

    def is_mark(self, point):
        return self.category.get(point, "Cn")[0] == "M"

    def is_kept(self, point):
        if self.is_mark(point):  # the vowel signs of abugidas are letters in all but name; accents are not
            return point in self.indic and self.script.get(point) not in (None, "Inherited", "Common")
        return self.category.get(point, "Cn")[0] in "LN"

    def is_token_character(self, point):
        script = self.script.get(point)
        return not set(TOKEN_SCRIPTS.values()).isdisjoint(
            self.extensions.get(point) or {TOKEN_SCRIPTS.get(script, "")})

    def fold(self, point):
        """What stays of one code point: kept characters, voicing marks, and U+0020 for a separator."""
        result = []
        for folded in self.casefold.get(point, [point]):
            for part in [folded] if self.script.get(folded) in COMPOSED_SCRIPTS else self.nfd(folded):
                if self.is_kept(part) or part in VOICING_MARKS:
                    result.append(part)
                elif not self.is_mark(part) and result[-1:] != [0x20]:
                    result.append(0x20)
        return result


def is_hangul(point):
    """Takes part in the composition of syllables: jamo L, V, T and the syllables themselves."""
    return (0x1100 <= point <= 0x1112 or 0x1161 <= point <= 0x1175 or 0x11A8 <= point <= 0x11C2
            or 0xAC00 <= point <= 0xD7A3)


def kana_pairs(unicode):
    """(kana, with U+3099, with U+309A), 0 where there is none."""
    pairs = {}
    for point, parts in unicode.decomposition.items():
        if parts[-1] in VOICING_MARKS:
            pairs.setdefault(parts[0], [0, 0])[VOICING_MARKS.index(parts[-1])] = point
    return [(kana, *pair) for kana, pair in sorted(pairs.items())]


def build(unicode):
    kana = {row[0] for row in kana_pairs(unicode)}

    def action(point):
        if point in VOICING_MARKS:
            return VOICING
        if point in kana:
            return KANA
        if is_hangul(point):
            return HANGUL
        return CHARACTER if unicode.is_token_character(point) else WORD

    entries, pool, offsets, bytes_max = [], [], {}, 0
    for point in range(0x110000):
        folded = unicode.fold(point)
        if not folded:
            entry = NOTHING
        elif folded == [0x20]:
            entry = SEPARATOR
        elif folded == [point]:
            order = unicode.order.get(point, 0) if unicode.is_mark(point) and point not in VOICING_MARKS else 0
            entry = action(point) | order << 3
        else:
            for part in folded:
                assert part == 0x20 or unicode.fold(part) == [part], f"U+{point:04X} does not fold in one step"
            key = tuple(folded)
            if key not in offsets:
                offsets[key] = len(pool)
                pool += [len(folded), *folded]
            entry = FIRST_SEQUENCE + offsets[key]
        assert entry < 1 << 16
        entries.append(entry)
        bytes_max = max(bytes_max, sum(len(chr(p).encode("utf-8", "surrogatepass")) + 1 for p in folded))

    blocks, numbers, index = [], {}, []
    size = 1 << BLOCK_BITS
    for begin in range(0, len(entries), size):
        block = tuple(entries[begin:begin + size])
        if block not in numbers:
            numbers[block] = len(numbers)
            blocks += block
        index.append(numbers[block])
    return index, blocks, pool, bytes_max


def array(declaration, numbers):
    lines, line = [], ""
    for number in numbers:
        text = f"{number},"
        if len(line) + len(text) > 110:
            lines.append(line)
            line = ""
        line += text
    return "\n".join([f"const {declaration}[] = {{", *lines, line, "};\n"])


def source(unicode):
    index, blocks, pool, bytes_max = build(unicode)
    pairs = "\n".join(f"    {{0x{a:04X}, 0x{b:04X}, 0x{c:04X}}}," for a, b, c in kana_pairs(unicode))
    return f"""// Written by fold_table.py from the Unicode Character Database {unicode.version}. Do not edit.
// clang-format off
#include "core/text/fold_table.h"

namespace neardup::internal {{

static_assert(kFoldBlockBits == {BLOCK_BITS} && kFirstSequence == {FIRST_SEQUENCE} && kFoldBytesMax >= {bytes_max});

const KanaPair kKanaPairs[] = {{
{pairs}
}};
const std::size_t kKanaPairCount = sizeof(kKanaPairs) / sizeof(kKanaPairs[0]);

// {len(index)} blocks of {1 << BLOCK_BITS} code points, {len(blocks) >> BLOCK_BITS} of them distinct.
{array("std::uint16_t kFoldIndex", index)}
{array("std::uint16_t kFoldBlocks", blocks)}
// Each sequence is its length, then its code points.
{array("char32_t kFoldSequences", pool)}
}}  // namespace neardup::internal
"""


if __name__ == "__main__":
    table_file.run(__file__, __doc__, lambda folder: source(Unicode(folder)))
