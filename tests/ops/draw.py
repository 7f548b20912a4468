#!/usr/bin/env python3
"""Draws some panels of the dashboard from Prometheus' answers, without Grafana: draw.py ANSWERS.json OUT.svg

ANSWERS.json is what live_test.py --keep wrote. The README shows the result, as a picture of what Grafana shows; the drawing
is ours, the numbers are real.
"""

import json
import pathlib
import sys
from xml.sax.saxutils import escape

import dashboard

COLUMNS, UNIT, ROW, GAP = 24, 50, 30, 8  # of the page, as Grafana has them, in pixels
COLOURS = ["#73bf69", "#f2cc0c", "#5794f2", "#ff9830", "#b877d9", "#f2495c", "#8ab8ff", "#c0d8ff", "#96d98d", "#ffa6b0"]
STATES = {value: (text["text"], text["color"]) for panel in dashboard.panels(dashboard.load()) if panel["type"] == "state-timeline"
          for value, text in panel["fieldConfig"]["defaults"]["mappings"][0]["options"].items()}
NAMED = {"green": "#73bf69", "blue": "#5794f2", "yellow": "#f2cc0c", "purple": "#b877d9", "orange": "#ff9830", "red": "#f2495c"}
SHOWN = [  # title, x, y, width, height on the page
    *((title, 3 * i, 0, 3, 3) for i, title in enumerate(["Ready", "Records in", "Duplicates", "Waiting", "Oldest waiting", "Latency p99", "Uniques", "Memory"])),
    ("State", 0, 3, 24, 4),
    ("Verdicts", 0, 7, 8, 7), ("Dead letters", 8, 7, 8, 7), ("Distance of near duplicates", 16, 7, 8, 7),
    ("Waiting by partition", 0, 14, 8, 7), ("From record to verdict, quantiles", 8, 14, 8, 7), ("From record to verdict", 16, 14, 8, 7),
    ("Share of time by stage", 0, 21, 8, 7), ("Candidates per document", 8, 21, 8, 7), ("Memory of the index", 16, 21, 8, 7),
]  # fmt: skip


def written(value, unit):
    """A number as Grafana writes it."""
    if unit == "percentunit":
        return f"{value * 100:.1f}%"
    if unit == "s":
        return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"
    suffix = {"bytes": "B", "cps": "/s"}.get(unit, "")
    for factor, prefix in [(1e9, "G"), (1e6, "M"), (1e3, "k")]:
        if abs(value) >= factor:
            return f"{value / factor:.1f} {prefix}{suffix}".rstrip()
    return f"{value:.{0 if value == int(value) else 1}f} {suffix}".rstrip()


def legend(template, labels):
    for name in {*labels, "kind", "verdict"}:
        template = template.replace("{{" + name + "}}", labels.get(name, ""))
    return template.replace(" none", "").strip()


def series(panel):
    """[(legend, [(time, value)])], without those that are 0 all the time."""
    found = [(legend(answer["legend"], one["metric"]), [(t, float(v)) for t, v in one["values"]]) for answer in panel["answers"] for one in answer["result"]]
    return [one for one in found if any(value for _, value in one[1])] or found


class Picture:
    def __init__(self, width, height):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="11" shape-rendering="geometricPrecision">']
        self.rectangle(0, 0, width, height, "#111217")

    def rectangle(self, x, y, width, height, fill, more=""):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" {more}/>')

    def text(self, x, y, text, fill="#9fa7b3", size=11, anchor="start"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>')

    def line(self, points, colour, width=1.5):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')

    def area(self, points, colour):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{path}" fill="{colour}" fill-opacity="0.45" stroke="{colour}" stroke-width="1"/>')

    def panel(self, panel, x, y, width, height):
        self.rectangle(x, y, width, height, "#181b1f", 'stroke="#25282e" rx="3"')
        self.text(x + 10, y + 18, panel["title"], "#d8d9da", 12)
        drawing = {"stat": self.stat, "timeseries": self.graph, "heatmap": self.heatmap, "state-timeline": self.states}
        drawing[panel["type"]](panel, x + 10, y + 26, width - 20, height - 34)

    def stat(self, panel, x, y, width, height):
        points = series(panel)[0][1]
        top = max(value for _, value in points) or 1
        self.line([(x + width * i / (len(points) - 1), y + height - height * 0.4 * v / top) for i, (_, v) in enumerate(points)], "#37872d", 1)
        self.text(x + width / 2, y + height * 0.5, written(points[-1][1], panel["unit"]), "#73bf69", 24, "middle")

    def graph(self, panel, x, y, width, height):
        found = series(panel)
        stacked = panel["stacked"]
        times = sorted({t for _, points in found for t, _ in points})
        values = [[dict(points).get(t, 0) for t in times] for _, points in found]
        if stacked:
            for below, above in zip(values, values[1:]):
                above[:] = [a + b for a, b in zip(below, above)]
        top = max(max(line) for line in values) * 1.08 or 1
        left, bottom = x + 48, y + height - 24
        at = lambda i, v: (left + (width - 48) * i / (len(times) - 1), bottom - (bottom - y - 4) * v / top)
        for share in (0, 0.5, 1):
            level = at(0, top * share)[1]
            self.line([(left, level), (x + width, level)], "#25282e", 1)
            self.text(left - 6, level + 4, written(top * share, panel["unit"]), anchor="end", size=10)
        floor = [at(i, 0) for i in range(len(times))]
        for number, line in enumerate(values):
            colour, points = COLOURS[number % len(COLOURS)], [at(i, v) for i, v in enumerate(line)]
            if stacked:
                self.area([*points, *reversed(floor)], colour)
                floor = points
            else:
                self.line(points, colour)
        place = left
        for number, (name, _) in enumerate(found):
            if place + 14 + 5.6 * len(name) > x + width:
                break  # no room left; the lines tell
            self.rectangle(place, y + height - 8, 10, 3, COLOURS[number % len(COLOURS)])
            self.text(place + 14, y + height - 3, name, size=10)
            place += 24 + 5.6 * len(name)

    def heatmap(self, panel, x, y, width, height):
        rows = sorted(((float(name.replace("+Inf", "inf")), [v for _, v in points]) for name, points in series(panel)), key=lambda row: row[0])
        counts = [(rows[0][0], rows[0][1])] + [(bound, [max(0, b - a) for a, b in zip(below, above)]) for (_, below), (bound, above) in zip(rows, rows[1:])]
        used = [i for i, (_, line) in enumerate(counts) if any(v > 0.01 for v in line)]
        counts = counts[used[0] : used[-1] + 1]
        top = max(max(line) for _, line in counts) or 1
        tall, left = (height - 8) / len(counts), x + 48
        for number, (bound, line) in enumerate(counts):
            level = y + height - 8 - tall * (number + 1)
            self.text(left - 6, level + tall / 2 + 4, written(bound, panel["unit"]), anchor="end", size=10)
            wide = (width - 48) / len(line)
            for i, value in enumerate(line):
                if value > 0.01:
                    self.rectangle(left + wide * i, level + 1, wide, tall - 2, "#ff9830", f'shape-rendering="crispEdges" fill-opacity="{0.15 + 0.85 * (value / top) ** 0.5:.2f}"')

    def states(self, panel, x, y, width, height):
        found = series(panel)
        tall = height / len(found)
        for number, (name, points) in enumerate(found):
            level = y + tall * number
            self.text(x + 110, level + tall / 2 + 4, name, anchor="end")
            left, wide = x + 120, width - 120
            begin = 0
            for i in range(1, len(points) + 1):
                if i == len(points) or points[i][1] != points[begin][1]:
                    state, colour = STATES[str(int(points[begin][1]))]
                    start, end = left + wide * begin / len(points), left + wide * i / len(points)
                    self.rectangle(start, level + 4, end - start, tall - 8, NAMED[colour], 'fill-opacity="0.85"')
                    self.text(start + 8, level + tall / 2 + 4, state, "#111217", 12)
                    begin = i


def draw(answers):
    by_title = {panel["title"]: panel for panel in reversed(answers)}  # the first, where two rows share a title
    width = COLUMNS * UNIT + GAP
    height = max(y + h for _, _, y, _, h in SHOWN) * ROW + GAP
    picture = Picture(width, height)
    for title, x, y, w, h in SHOWN:
        picture.panel(by_title[title], GAP + x * UNIT, GAP + y * ROW, w * UNIT - GAP, h * ROW - GAP)
    return "\n".join([*picture.parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(draw(json.loads(pathlib.Path(sys.argv[1]).read_text())))
