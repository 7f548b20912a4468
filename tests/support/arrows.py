#!/usr/bin/env python3
"""Which room may include which: arrows.py [ROOT] refuses an include of core/ or service/ that is not along an arrow.

  main -> commands -+> http ------> metrics        detector -> index -> fingerprint -> text -> base
                    +> pipeline -+> metrics
                    |            +> codec -> core's types (TYPES, below)
                    |            +> journal
                    |            +> core/detector
                    +> snapshot -+> metrics, journal
                    +> kafka ----> the seams: pipeline/{source,sink,leadership}.h, the journal's log; what is counted

Arrows do not turn back, and rooms with no arrow between them do not know each other.
"""

import pathlib
import re
import sys

# What a room may include besides itself: rooms, or single headers. "types" are core's types, "core" its front door,
# "service" the files beside main.cc: settings, version, log lines.
BASE = ["types", "core/base"]
SHELL = BASE + ["service"]
ARROWS = {
    "types": ["core/base"],
    "core/base": ["types"],
    "core/text": BASE,
    "core/fingerprint": BASE + ["core/text"],
    "core/index": BASE + ["core/text", "core/fingerprint"],
    "core/detector": BASE + ["core/text", "core/fingerprint", "core/index"],
    "core": BASE + ["core/text", "core/fingerprint", "core/index", "core/detector"],
    "service": BASE,
    "service/metrics": SHELL,
    "service/http": SHELL + ["service/metrics"],
    "service/codec": SHELL + ["core/text"],
    "service/journal": SHELL,
    "service/snapshot": SHELL + ["service/journal", "service/metrics"],
    "service/kafka": SHELL
    + ["service/pipeline/source.h", "service/pipeline/sink.h", "service/pipeline/leadership.h", "service/codec/record.h"]
    + ["service/codec/verdict_codec.h"]
    + ["service/journal", "service/metrics"],
    "service/pipeline": SHELL
    + ["core", "core/fingerprint", "service/metrics", "service/codec", "service/journal"],
    "service/commands": SHELL
    + ["core", "core/text", "core/fingerprint", "core/index"]
    + ["service/http", "service/metrics", "service/pipeline"]
    + ["service/codec", "service/journal", "service/snapshot", "service/kafka"],
    "service/main": SHELL + ["service/commands"],
}
TYPES = ["core/arrival.h", "core/cluster.h", "core/covering_names.h", "core/document.h", "core/signature.h", "core/decision.h", "core/limits.h"]

# Libraries that one room keeps to itself.
OWNERS = {
    "uchardet/": "core/text",
    "iconv.h": "core/text",
    "lz4.h": "service/journal",
    "librdkafka/": "service/kafka",
    "rdkafka.h": "service/kafka",
    "prometheus/": "service/metrics",
    "civetweb.h": "service/http",
    "CivetServer.h": "service/http",
}
# Four seconds of compiling each time it is included: one source file, and no header.
ONE_SOURCE_FILE = "CLI/"

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def room_of(path):
    """The room of a file, given by its path from the root: its folder, but for core's types and main.cc."""
    if path in TYPES:
        return "types"
    if path == "service/main.cc":
        return "service/main"
    return "/".join(path.split("/")[:-1][:2])


def complaints(root):
    found, one_source_files = [], []
    files = [path for folder in ("core", "service") for path in sorted((root / folder).rglob("*"))]
    for file in files:
        if file.suffix not in (".h", ".cc", ".inc"):
            continue
        path = file.relative_to(root).as_posix()
        room = room_of(path)
        if room not in ARROWS:
            found.append(f"{path}: no such room '{room}': a new one gets its arrows in tests/support/arrows.py")
            continue
        for quote, target in INCLUDE.findall(file.read_text(encoding="utf-8")):
            if target.startswith(("core/", "service/")):
                if room_of(target) not in [room, *ARROWS[room]] and target not in ARROWS[room]:
                    found.append(f"{path}: includes {target}, but {room} has no arrow to {room_of(target)}")
            elif quote == '"':
                found.append(f'{path}: includes "{target}": write the path from the root (core/..., service/...)')
            for library, owner in OWNERS.items():
                if target.startswith(library) and room != owner:
                    found.append(f"{path}: includes {target}, which only {owner} may")
            if target.startswith(ONE_SOURCE_FILE):
                one_source_files.append(path)
    one_source_files = sorted(set(one_source_files))
    if len(one_source_files) > 1 or any(path.endswith(".h") for path in one_source_files):
        found.append(f"{', '.join(one_source_files)}: {ONE_SOURCE_FILE} belongs into one source file")
    return found


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    lines = complaints(root)
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(1 if lines else 0)
