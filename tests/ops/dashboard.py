"""What a dashboard holds, for whoever checks or queries it: panels, targets, expressions."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATH = ROOT / "charts/neardup/files/dashboards/neardup.json"


def load():
    return json.loads(PATH.read_text())


def panels(dashboard):
    """Those that show something, also inside collapsed rows."""
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            yield from panel["panels"]
        else:
            yield panel


def rows(dashboard):
    return [panel for panel in dashboard["panels"] if panel["type"] == "row"]


def queries(dashboard):
    """(panel, target) of every query."""
    for panel in panels(dashboard):
        for target in panel["targets"]:
            yield panel, target


def resolved(expr, interval):
    """The PromQL that Grafana would send, with all namespaces, jobs and instances chosen."""
    for name, every in (("$__rate_interval", interval), ("$namespace", ".*"), ("$job", ".+"), ("$instance", ".+")):
        expr = expr.replace(name, every)
    return expr


# A metric with its matchers, as `name{...}`.
SELECTOR = re.compile(r"\b([a-z]\w*)\{([^}]*)\}")
