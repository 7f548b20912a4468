"""The table that ./dev bench quality prints, its figures, and which of its bounds are missed."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def at_least(name, value, bound):
    """A bound of a row: does it hold, and how it reads. What cannot be compared, a NaN, does not hold."""
    return value >= bound, f"{name} >= {bound:.4g}"


def at_most(name, value, bound):
    return value <= bound, f"{name} <= {bound:.4g}"


class Report:
    def __init__(self):
        self.figures, self.missed = {}, []

    def row(self, what, says, *bounds, **figures):
        """Prints a row and its bounds; one that is missed is marked, and the row's name remembered."""
        if bounds:
            says += f"   [{', '.join(asked if holds else f'{asked} MISSED' for holds, asked in bounds)}]"
        if not all(holds for holds, _ in bounds):
            self.missed.append(what.strip())
        print(f"  {what:<34} {says}", flush=True)
        for name, value in figures.items():
            self.figures[name] = round(value, 4)

    def skipped(self, what, why):
        print(f"  {what:<34} SKIPPED: {why}", flush=True)

    def write(self):
        folder = ROOT / "build/bench"
        folder.mkdir(parents=True, exist_ok=True)
        commit = subprocess.run(
            ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=7"],
            stdout=subprocess.PIPE, text=True, check=False,
        ).stdout.strip()
        self.figures["commit"] = commit or "unknown"
        (folder / "quality.json").write_text(json.dumps(self.figures) + "\n", encoding="utf-8")
