#!/usr/bin/env python3
"""Is the dashboard one that Grafana takes as it is meant, and that works on every installation?

The rules of Grafana's dashboard-linter (which cannot be had without Grafana), said again here: variables for data source,
job and instance, and one for the namespace, matched by every selector, $__rate_interval in every range, title, description
and unit everywhere, nothing to edit. Besides: PromQL that promtool can read, metrics that exist, places that do not
overlap; and of what any process shows, neardup's alone. For each kind of error one is planted, and has to be found.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import dashboard
import rules

OURS = re.compile(r" and on \(namespace, job, instance\) neardup_\w+\{")
RANGE = re.compile(r"\[([^\]]*)\]")
STAGES = re.compile(r'stage=~?"([^"]*)"')
BY = re.compile(r"\bby \(([^)]*)\)")
THREADS = [{"gather"}, {"sign", "decide"}, {"publish", "audit"}]  # stages of one thread each (service/pipeline/worker.h)


def variable_complaints(board):
    variables = {variable["name"]: variable for variable in board["templating"]["list"]}
    source = variables.pop("datasource", None)
    if source is None or (source["type"], source["query"]) != ("datasource", "prometheus"):
        yield "no variable datasource that chooses a Prometheus"
    for name, every in (("namespace", ".*"), ("job", ".+"), ("instance", ".+")):
        variable = variables.get(name)
        if variable is None:
            yield f"no variable {name}"
            continue
        wanted = {"type": "query", "multi": True, "includeAll": True, "allValue": every, "refresh": 2}
        for key, value in wanted.items():
            if variable.get(key) != value:
                yield f"variable {name}: {key} is {variable.get(key)}, not {value}"
        if variable["datasource"]["uid"] != "${datasource}" or not variable.get("label"):
            yield f"variable {name}: without label, or not of the chosen data source"


def panel_complaints(panel, documented):
    where = panel.get("title") or f"panel {panel['id']}"
    for key in ("title", "description"):
        if not panel.get(key, "").strip():
            yield f"{where}: no {key}"
    if not panel["fieldConfig"]["defaults"].get("unit"):
        yield f"{where}: no unit"
    if not panel["fieldConfig"]["defaults"]["thresholds"]["steps"]:
        yield f"{where}: no thresholds"
    if not panel["targets"]:
        yield f"{where}: no query"
    for source in [panel["datasource"], *(target["datasource"] for target in panel["targets"])]:
        if source != {"type": "prometheus", "uid": "${datasource}"}:
            yield f"{where}: not of the chosen data source"
    for target in panel["targets"]:
        expr = target["expr"]
        selectors = dashboard.SELECTOR.findall(expr)
        if {name for name, _ in selectors} != rules.metrics_named(expr):
            yield f"{where}: a metric without matchers in {expr}"
        for name, matchers in selectors:
            for label in ("namespace", "job", "instance"):
                if f'{label}=~"${label}"' not in matchers:
                    yield f"{where}: {name} does not match {label}"
            if name not in documented:
                yield f"{where}: {name} is not in docs/metrics.md"
        if any(name.startswith("process_") for name, _ in selectors) and not OURS.search(expr):
            yield f"{where}: shows processes that are not neardup"
        for span in RANGE.findall(expr):
            if span != "$__rate_interval":
                yield f"{where}: the range [{span}] is not $__rate_interval"
        legend = target["legendFormat"]
        if panel["type"] == "timeseries" and not legend:
            yield f"{where}: no legend"
        # Releases in two namespaces may have a name in common, and so may their instances.
        groups = [set(labels.split(", ")) for labels in BY.findall(expr)]
        if any("instance" in group and not {"namespace", "job"} <= group for group in groups):
            yield f"{where}: adds instances of one name"
        if "{{instance}}" in legend and "{{namespace}}" not in legend:
            yield f"{where}: a legend that two instances may share"


def stage_complaints(panel):
    """Stages of several threads pass at once: their times are no parts of one whole."""
    is_stacked = panel["fieldConfig"]["defaults"].get("custom", {}).get("stacking", {}).get("mode") == "normal"
    for target in panel["targets"]:
        expr = target["expr"]
        if "neardup_stage_duration_seconds_sum" not in expr:
            continue
        chosen = STAGES.search(expr)
        of_one_thread = chosen and any(set(chosen[1].split("|")) <= thread for thread in THREADS)
        if not of_one_thread and (is_stacked or "by (stage)" not in expr):
            yield f"{panel['title']}: adds stages that pass at once"


def place_complaints(board):
    ids = [panel["id"] for panel in [*dashboard.panels(board), *dashboard.rows(board)]]
    if len(ids) != len(set(ids)):
        yield "two panels with one id"
    groups = [[p for p in board["panels"]], *(row["panels"] for row in dashboard.rows(board))]
    for group in groups:
        taken = {}
        for panel in group:
            at = panel["gridPos"]
            if at["x"] + at["w"] > 24:
                yield f"{panel['title']}: wider than the page"
            for x in range(at["x"], at["x"] + at["w"]):
                for y in range(at["y"], at["y"] + at["h"]):
                    if (x, y) in taken:
                        yield f"{panel['title']}: lies on {taken[x, y]}"
                    taken[x, y] = panel["title"]


def promql_complaints(board):
    """promtool reads each query as the expression of a rule."""
    lines = ["groups:", "  - name: queries", "    rules:"]
    for number, (_, target) in enumerate(dashboard.queries(board)):
        lines += [f"      - record: query:{number}", f"        expr: {json.dumps(dashboard.resolved(target['expr'], '1m'))}"]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write("\n".join(lines))
        file.flush()
        run = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True)
    if run.returncode != 0:
        yield f"promtool cannot read a query: {run.stdout}{run.stderr}"


def complaints(board, documented):
    if board["editable"]:
        yield "the dashboard is editable: changes would be lost with the next release"
    yield from variable_complaints(board)
    for panel in dashboard.panels(board):
        yield from panel_complaints(panel, documented)
        yield from stage_complaints(panel)
    yield from place_complaints(board)
    yield from promql_complaints(board)


def planted(board, documented):
    """Yields (what, is it found): each error on a copy of the whole dashboard."""

    def found(word, change):
        changed = copy.deepcopy(board)
        change(changed)
        return any(word in line for line in complaints(changed, documented))

    def first(changed):
        return next(panel for panel in dashboard.panels(changed) if "$__rate_interval" in panel["targets"][0]["expr"])

    def titled(changed, title):
        return next(panel for panel in dashboard.panels(changed) if panel["title"] == title)

    def in_query(old, new, which=first):
        def change(changed):
            target = which(changed)["targets"][0]
            assert old in target["expr"]
            target["expr"] = target["expr"].replace(old, new)

        return change

    def in_variable(number, key, value):
        return lambda changed: changed["templating"]["list"][number].update({key: value})

    yield "editable", found("editable", lambda changed: changed.update(editable=True))
    yield "no data source to choose", found("datasource", lambda changed: changed["templating"]["list"].pop(0))
    yield "no variable namespace", found("no variable namespace", lambda changed: changed["templating"]["list"].pop(1))
    yield "no variable job", found("no variable job", lambda changed: changed["templating"]["list"].pop(2))
    yield "no variable instance", found("no variable instance", lambda changed: changed["templating"]["list"].pop(3))
    yield "All namespaces leaves out those who have none", found("allValue", in_variable(1, "allValue", ".+"))
    yield "All is not .+", found("allValue", in_variable(2, "allValue", ".*"))
    yield "one job at a time", found("multi", in_variable(2, "multi", False))
    yield "no namespace matcher", found("does not match namespace", in_query('namespace=~"$namespace", ', ""))
    yield "no job matcher", found("does not match job", in_query('job=~"$job", ', ""))
    yield "no instance matcher", found("does not match instance", in_query('instance=~"$instance"', 'instance!=""'))
    yield "no matchers at all", found("without matchers", lambda changed: first(changed)["targets"][0].update(expr="sum(rate(neardup_recycles_total[$__rate_interval]))"))
    yield "every process there is", found("not neardup", in_query(" and on (namespace, job, instance) neardup_build_info", " and neardup_build_info", lambda changed: titled(changed, "Threads")))
    yield "a fixed range", found("[5m]", in_query("$__rate_interval", "5m"))
    yield "a metric that is gone", found("docs/metrics.md", in_query("neardup_records_consumed_total", "neardup_records_total"))
    yield "PromQL that is none", found("promtool", in_query("sum", "summ"))
    yield "no title", found("no title", lambda changed: first(changed).update(title=""))
    yield "no description", found("no description", lambda changed: first(changed).update(description=" "))
    yield "no unit", found("no unit", lambda changed: first(changed)["fieldConfig"]["defaults"].pop("unit"))
    yield "a data source of its own", found("chosen data source", lambda changed: first(changed).update(datasource={"type": "prometheus", "uid": "prom"}))
    yield "no legend", found("no legend", lambda changed: next(p for p in dashboard.panels(changed) if p["type"] == "timeseries")["targets"][0].update(legendFormat=""))
    yield "two namespaces in one line", found("adds instances of one name", in_query("by (namespace, job, instance)", "by (instance)", lambda changed: titled(changed, "State")))
    yield "one legend for two namespaces", found("a legend that two", lambda changed: titled(changed, "State")["targets"][0].update(legendFormat="{{instance}}"))
    yield "stages of two threads in one sum", found("pass at once", in_query("sign|decide", "decide|publish", lambda changed: titled(changed, "Busy")))
    yield "stages of all threads stacked", found("pass at once", lambda changed: titled(changed, "Share of time by stage")["fieldConfig"]["defaults"]["custom"].update(stacking={"mode": "normal"}))
    yield "two panels in one place", found("lies on", lambda changed: first(changed)["gridPos"].update(x=0, y=1))
    yield "one id twice", found("one id", lambda changed: first(changed).update(id=1))


def main():
    board = dashboard.load()
    documented = rules.metrics_documented((dashboard.ROOT / "docs/metrics.md").read_text())
    wrong = list(complaints(board, documented))
    maker = dashboard.PATH.with_suffix(".py")
    run = subprocess.run([sys.executable, str(maker), "--check"], capture_output=True, text=True)
    if run.returncode != 0:
        wrong.append(run.stderr)
    errors = list(planted(board, documented))
    wrong += [f"planted and not found: {what}" for what, is_found in errors if not is_found]
    panels, queries = len(list(dashboard.panels(board))), len(list(dashboard.queries(board)))
    print(f"table: dashboard, rules | {panels} panels | {len(dashboard.rows(board))} rows, {queries} queries | {sum(f for _, f in errors)} of {len(errors)}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
