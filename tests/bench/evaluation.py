#!/usr/bin/env python3
"""Where is the evaluation data?

Third-party pages and texts that cannot be part of this repository. They are looked for in the folder that NEARDUP_DATA
names, or in shared/data beside the checkout: in the folder itself, in its folder dev, or in dev.tar.xz. Each set is a
folder with docs.jsonl, {"id", "text" or "html", ...} a line in the order of the stream, and where it has them with
pairs_*.tsv (id, id, ..., similarity: all pairs from .5 up) or labels.tsv. What scores verdicts against pairs comes with
them: tools/score.py in the folder or beside it.

  evaluation.py NAME,NAME... COMMAND...   runs COMMAND with NEARDUP_DATA naming a folder that has these sets; where there
                                          is none, exit code 77
"""

import os
import pathlib
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import debian_docs

ROOT = pathlib.Path(__file__).resolve().parents[2]
MISSING = "no data: name its folder in NEARDUP_DATA (tests/bench/evaluation.py tells what it looks for)"


def _base():
    named = os.environ.get("NEARDUP_DATA")
    return pathlib.Path(named) if named else ROOT.parent / "shared/data"


def _folders():
    """Where sets may be, the archive last: it is unpacked only if they are nowhere else."""
    base = _base()
    yield from (base, base / "dev")
    archive = base / "dev.tar.xz"
    if archive.is_file():

        def unpack(work):
            with tarfile.open(archive) as tar:
                tar.extractall(work)
            return next(work.rglob("docs.jsonl")).parents[1]

        yield debian_docs.cached(f"evaluation-{archive.stat().st_size}", unpack)


def folder(names):
    """The folder with the sets `names`, or None."""
    return next((found for found in _folders() if all((found / name).is_dir() for name in names)), None)


def every_set():
    """The docs.jsonl of every set that there is."""
    return next(filter(None, (sorted(found.glob("*/docs.jsonl")) for found in _folders())), [])


def score_program():
    base = _base()
    return next((path for path in (base / "tools/score.py", base.parent / "tools/score.py") if path.is_file()), None)


if __name__ == "__main__":
    sets = folder(sys.argv[1].split(","))
    if not sets:
        print(MISSING)
        sys.exit(77)
    os.execve(sys.argv[2], sys.argv[2:], {**os.environ, "NEARDUP_DATA": str(sets)})
