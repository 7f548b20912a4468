#!/usr/bin/env python3
"""Is each field of the dashboard one that Grafana knows, with a value of its type?

The TypeScript compiler judges, by Grafana's own types (@grafana/schema, which ./dev deps fetches). It sees the dashboard as
it is, and copies with one error planted in each: the first has to pass, each of the others to fail.
"""

import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import dashboard


def types_folder():
    """Where ./dev deps put them; tests/support/steps.sh says the same."""
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    cache = pathlib.Path(os.environ.get("NEARDUP_CACHE") or home / "neardup")
    package = json.loads((dashboard.ROOT / "tests/ops/grafana/package.json").read_text())
    return cache / f"grafana-schema-{package['dependencies']['@grafana/schema']}" / "node_modules"


# TypeScript takes no "absolute" where its enum has Absolute = "absolute", and JSON has no enums: their values will do.
PLAIN = """
type Plain<T> = T extends string ? `${T}`
  : T extends Array<infer U> ? Array<Plain<U>>
  : T extends object ? { [K in keyof T]: Plain<T[K]> }
  : T;
"""


def typescript(board):
    """The dashboard as literals, which TypeScript is strictest with."""
    rows = [{key: value for key, value in row.items() if key != "panels"} | {"panels": []} for row in dashboard.rows(board)]
    head = {key: value for key, value in board.items() if key != "panels"}
    return (
        f"import type {{ Dashboard, Panel, RowPanel }} from '@grafana/schema';\n{PLAIN}"
        f"export const panels: Array<Plain<Panel>> = {json.dumps(list(dashboard.panels(board)), indent=1)};\n"
        f"export const rows: Array<Plain<RowPanel>> = {json.dumps(rows, indent=1)};\n"
        f"export const head: Partial<Plain<Dashboard>> = {json.dumps(head, indent=1)};\n"
    )


def planted(board):
    """Yields (what, a dashboard with that error)."""

    def changed(change):
        other = copy.deepcopy(board)
        change(other, next(dashboard.panels(other)))
        return other

    yield "a field with a typo", changed(lambda b, p: b.update(refreshh="30s"))
    yield "a place with a typo", changed(lambda b, p: p["gridPos"].update(hh=8))
    yield "a height in words", changed(lambda b, p: p["gridPos"].update(h="8"))
    yield "an unknown field of a panel", changed(lambda b, p: p.update(titel="x"))
    yield "a unit that is a number", changed(lambda b, p: p["fieldConfig"]["defaults"].update(unit=1))
    yield "an unknown threshold mode", changed(lambda b, p: p["fieldConfig"]["defaults"]["thresholds"].update(mode=["absolute"]))
    yield "a variable of no known type", changed(lambda b, p: b["templating"]["list"][1].update(type="querry"))
    yield "a row without a place", changed(lambda b, p: dashboard.rows(b)[0].update(gridPos={"h": 1}))
    yield "tags that are no list", changed(lambda b, p: b.update(tags="neardup"))


def main():
    types = types_folder()
    if not types.exists():
        sys.exit(f"{types} is not there: run ./dev deps")
    board = dashboard.load()
    errors = list(planted(board))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "node_modules").symlink_to(types)
        files = {"good.ts": board, **{f"planted{i}.ts": bad for i, (_, bad) in enumerate(errors)}}
        for name, content in files.items():
            pathlib.Path(folder, name).write_text(typescript(content))
        compiler = ["node", str(types / "typescript/bin/tsc"), "--noEmit", "--skipLibCheck", "--strict"]
        run = subprocess.run([*compiler, "--module", "nodenext", "--moduleResolution", "nodenext", *files], cwd=folder, capture_output=True, text=True)
    blamed = set(re.findall(r"^(\w+\.ts)\(", run.stdout, re.MULTILINE))
    wrong = [line for line in run.stdout.splitlines() if line.startswith(("good.ts", "error"))] + ([run.stderr] if run.stderr else [])
    wrong += [f"planted and not found: {what}" for i, (what, _) in enumerate(errors) if f"planted{i}.ts" not in blamed]
    print(f"table: dashboard, types | {len(list(dashboard.panels(board)))} panels | @grafana/schema | {len(blamed - {'good.ts'})} of {len(errors)}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
