"""Reads our own alerts.yaml and its cases without a YAML library: both keep to one layout, which `alerts` insists on."""

import re

# One alert, from its dash to the end of its runbook_url; expr may go over several lines.
ALERT = re.compile(
    r"^      - alert: (?P<name>\w+)\n"
    r"        expr: (?P<expr>(?:(?!\n      - ).)*?)\n"
    r"(?:        for: (?P<hold>\w+)\n)?"
    r"        labels:\n"
    r"          severity: (?P<severity>\w+)\n"
    r"(?:          window: (?P<window>\w+)\n)?"
    r"        annotations:\n"
    r"          summary: (?P<summary>[^\n]+)\n"
    r'          description: "(?P<description>[^\n]+)"\n'
    r"          runbook_url: (?P<runbook_url>[^\n]+)\n",
    re.MULTILINE | re.DOTALL,
)
RULE = re.compile(r"^      - (alert|record): ", re.MULTILINE)
METRIC = re.compile(r"\b(?:neardup|process)_[a-z0-9_]+\b")
# What a histogram shows besides its name.
SUFFIX = re.compile(r"_(bucket|sum|count)$")


def alerts(text):
    """The alerts in order, as matches. Raises ValueError where the layout is another."""
    found = list(ALERT.finditer(text))
    if len(found) != len(re.findall(r"\balert:", text)):
        known = {match["name"] for match in found}
        lost = [name for name in re.findall(r"\balert: *(\w*)", text) if name not in known]
        raise ValueError(f"not in the layout of the others, or without severity, summary, description or URL: {lost}")
    return found


def alone(text, alert, expr):
    """The recording rules and this alert alone, with another expression (and its namesake as it is, if it has one)."""
    recordings = text[: text.index("\n  - name: neardup.alerts")]
    blocks = [
        other[0].replace(other["expr"], expr) if other.start() == alert.start() else other[0]
        for other in alerts(text)
        if other["name"] == alert["name"]
    ]
    return f"{recordings}\n  - name: neardup.alerts\n    rules:\n{''.join(blocks)}"


def split_cases(text):
    """What stands above the cases, and each case."""
    return re.split(r"^(?=  - name: )", text, flags=re.MULTILINE)


def by_evaluation(cases, interval_of):
    """The cases by how often the rules are evaluated for them: each minute, or where their series have less to tell as
    often as that. A day in steps of five minutes would take five times as long and show nothing more."""
    found = {}
    for case in cases:
        interval = interval_of(case)
        found.setdefault(interval if interval.endswith("m") else "1m", []).append(case)
    return found


def cases_by_evaluation(text):
    """A file of cases in files, by how often the rules are evaluated."""
    head, *cases = split_cases(text)
    parts = by_evaluation(cases, lambda case: re.search(r"^    interval: (\d+[sm])$", case, re.MULTILINE)[1])
    return {
        interval: re.sub(r"^evaluation_interval: .*$", f"evaluation_interval: {interval}", head, flags=re.MULTILINE) + "".join(part)
        for interval, part in parts.items()
    }


def metrics_named(text):
    """Metrics that a text speaks of; recording rules are written with colons and are none."""
    return set(METRIC.findall(re.sub(r"\b\w+:\w+:\w+\b", "", text)))


def metrics_documented(reference):
    """The metrics of docs/metrics.md, and what their histograms show besides."""
    names = set()
    for name, kind in re.findall(r"^\| `(\w+)` \| (\w+) \|", reference, re.MULTILINE):
        names.add(name)
        if kind == "histogram":
            names.update(name + suffix for suffix in ("_bucket", "_sum", "_count"))
    return names
