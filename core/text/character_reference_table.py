#!/usr/bin/env python3
"""Writes character_reference_table.cc, HTML's named character references, out of Python's html.entities.

usage: character_reference_table.py [--check]

With --check nothing is written; the exit code is 1 when the checked-in table is not current.
"""
import html.entities

import table_file


def literal(text):
    return '"' + "".join(f"\\x{byte:02X}" for byte in text.encode("utf-8")) + '"'


def source():
    names = sorted(html.entities.html5.items(), key=lambda item: item[0].encode())
    rows = "\n".join(f'    {{"{name}", {literal(text)}}},' for name, text in names)
    return f"""// Written by character_reference_table.py from Python's html.entities (the WHATWG list). Do not edit.
// clang-format off
#include "core/text/character_reference.h"

namespace neardup::internal {{

static_assert(kReferenceNameMax == {max(map(len, html.entities.html5))});
static_assert(kBareReferenceNameMax == {max(len(name) for name in html.entities.html5 if name[-1] != ";")});

const NamedReference kNamedReferences[] = {{
{rows}
}};
const std::size_t kNamedReferenceCount = sizeof(kNamedReferences) / sizeof(kNamedReferences[0]);

}}  // namespace neardup::internal
"""


if __name__ == "__main__":
    table_file.run(__file__, __doc__, source, unicode=False)
