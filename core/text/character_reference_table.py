#!/usr/bin/env python3
"""Writes character_reference_table.cc, HTML's named character references, out of Python's html.entities.

usage: character_reference_table.py [--check]

With --check nothing is written; the exit code is 1 when the checked-in table is not current.
"""
import argparse
import html.entities
import pathlib
import sys


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    target = pathlib.Path(__file__).with_name("character_reference_table.cc")
    text = source()
    if not arguments.check:
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        sys.exit(f"{target} is not current: run {pathlib.Path(__file__).name}")


if __name__ == "__main__":
    main()
