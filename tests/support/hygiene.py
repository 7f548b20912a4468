#!/usr/bin/env python3
"""What every file of the repository keeps to: hygiene.py [ROOT]

No trailing whitespace, no file over 1 MiB, no address of a package registry (builds use the clients' own settings), in
Markdown no link to a file that is not there, and in C++ no prefetch but by its own function and no comment wider than
the code is. Looks at the files git knows, or would take. Texts under tests/golden and the seeds of fuzz targets are data
and may hold anything.
"""

import pathlib
import re
import subprocess
import sys

FILE_BYTES_MAX = 1 << 20
DATA = re.compile(r"tests/(golden|fuzz/\w+)/")

# A registry or a mirror of one shows in its host's name, or in the option that names it. The name space of a pom is
# written like an address, but is none.
REGISTRY = re.compile(
    r"https?://(?!maven\.apache\.org/POM)[^/\s]*((?<!schema-)registr|artifact|mirror|proxy|repo[.\d]|npm|pypi|pythonhosted|maven|crates|nexus)"
    r"|https?://deb\.debian"
    r"|--(registry|index-url|extra-index-url)[= ]"
    r"|<repositor(y|ies)>|GOPROXY[=]",
    re.IGNORECASE,
)
CPP = (".cc", ".h", ".inl")
# clang-format keeps code to this width, and leaves comments alone, which it would tear.
CLANG_FORMAT = pathlib.Path(__file__).parents[2] / ".clang-format"
WIDTH = int(re.search(r"^ColumnLimit: (\d+)$", CLANG_FORMAT.read_text(), re.MULTILINE)[1])
# GCC leaves out the calls of a function that does nothing else, in silence; this header's it does not.
PREFETCH, PREFETCH_HEADER = "__builtin_prefetch", "core/base/prefetch_line.h"
# [text](target) and [text](target "title"), outside of code
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def tracked(root):
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
    return [name for name in sorted(set(names)) if name and (root / name).is_file()]


def broken_links(root, name, text):
    for target in LINK.findall(CODE.sub("", text)):
        path = target.split("#")[0]
        if path and not re.match(r"[a-z][a-z0-9+.-]*:", path) and not (root / name).parent.joinpath(path).exists():
            yield f"{name}: links to {target}, which is not there"


def complaints(root):
    for name in tracked(root):
        data = (root / name).read_bytes()
        if len(data) > FILE_BYTES_MAX:
            yield f"{name}: {len(data)} bytes; files stay under {FILE_BYTES_MAX}"
        if b"\0" in data or DATA.match(name):
            continue
        text = data.decode("utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip(" \t\r"):
                yield f"{name}:{number}: trailing whitespace"
            if REGISTRY.search(line):
                yield f"{name}:{number}: names a package registry: {line.strip()[:100]}"
            if name.endswith(CPP) and line.lstrip().startswith("//") and len(line) > WIDTH:
                yield f"{name}:{number}: a comment of {len(line)} characters; lines have {WIDTH}"
            if PREFETCH in line and name.endswith(CPP) and name != PREFETCH_HEADER:
                yield f"{name}:{number}: {PREFETCH} may be left out; {PREFETCH_HEADER} is not"
        if name.endswith(".md"):
            yield from broken_links(root, name, text)


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    lines = list(complaints(root))
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(1 if lines else 0)
