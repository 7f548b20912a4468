#!/usr/bin/env python3
"""Makes the dashboard beside it: neardup.py [--check]

Each panel is one call below: title, what it tells, unit, queries. Ids, places and what all panels share follow from the
order. --check only tells whether neardup.json is current.
"""

import json
import pathlib
import sys

PRODUCT = pathlib.Path(__file__).with_suffix(".json")
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
# In the order of service/metrics/state.h, and how well each is.
STATES = [
    ("starting", "yellow"),
    ("standby", "blue"),
    ("restoring", "purple"),
    ("running", "green"),
    ("draining", "orange"),
]
# Two releases may have a name in common, in two namespaces. Outside of Kubernetes there is none to show.
INSTANCE = "namespace, job, instance"
EACH = "{{instance}} {{namespace}}"


def series(metric, **labels):
    """The metric of the chosen instances. A label's value that begins with ~ is a pattern."""
    matchers = {"namespace": "~$namespace", "job": "~$job", "instance": "~$instance", **labels}
    return f"neardup_{metric}{{{', '.join(matcher(*pair) for pair in matchers.items())}}}"


def matcher(label, value):
    return f'{label}=~"{value[1:]}"' if value.startswith("~") else f'{label}="{value}"'


def ours(query):
    """What a Prometheus knows of every process, of those that are neardup."""
    return f"{query} and on ({INSTANCE}) {series('build_info')}"


def process(metric):
    return series(metric).replace("neardup_", "process_", 1)


def rate(metric, by="", offset="", function="rate", **labels):
    return f"sum{f' by ({by})' if by else ''} ({function}({series(metric, **labels)}[$__rate_interval]{offset}))"


def increase(metric, by=""):
    return rate(metric, by, function="increase")


def quantile(q, histogram, by=""):
    return f"histogram_quantile({q}, {rate(histogram + '_bucket', 'le' + (', ' + by if by else ''))})"


def panel(kind, title, description, unit, *queries, width=8, height=8, steps=(), decimals=None, stacked=False, **options):
    """queries: (legend, PromQL). steps: (from, colour) of the thresholds, besides green from the beginning."""
    defaults = {
        "unit": unit,
        "thresholds": {"mode": "absolute", "steps": [{"color": "green", "value": None}, *({"color": c, "value": v} for v, c in steps)]},
    }
    if decimals is not None:
        defaults["decimals"] = decimals
    if kind == "timeseries":
        defaults["min"] = 0
        defaults["custom"] = {"fillOpacity": 20 if stacked else 0, "showPoints": "never", "stacking": {"mode": "normal" if stacked else "none"}}
        if steps:
            defaults["custom"]["thresholdsStyle"] = {"mode": "line"}
        options = {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}, **options}
    elif kind == "stat":
        options = {"colorMode": "value", "graphMode": "area", "reduceOptions": {"calcs": ["lastNotNull"]}, **options}
    elif kind == "heatmap":
        options = {"calculate": False, "yAxis": {"unit": unit}, "color": {"mode": "scheme", "scheme": "Oranges"}, **options}
    targets = []
    for i, (legend, query) in enumerate(queries):
        target = {"refId": chr(ord("A") + i), "datasource": SOURCE, "expr": query, "legendFormat": legend}
        if kind == "heatmap":
            target["format"] = "heatmap"
        if kind == "table":
            target |= {"format": "table", "instant": True}
        targets.append(target)
    return {
        "type": kind,
        "title": title,
        "description": description,
        "datasource": SOURCE,
        "gridPos": {"h": height, "w": width, "x": 0, "y": 0},
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": options,
        "targets": targets,
    }


def stat(title, description, unit, query, **more):
    return panel("stat", title, description, unit, ("", query), width=3, height=4, **more)


def graph(title, description, unit, *queries, **more):
    return panel("timeseries", title, description, unit, *queries, **more)


def heatmap(title, description, unit, histogram):
    return panel("heatmap", title, description, unit, ("{{le}}", increase(histogram + "_bucket", "le")))


def p50_p99(histogram):
    return [(f"p{round(q * 100)}", quantile(q, histogram)) for q in (0.5, 0.99)]


def busy(thread, stages):
    """Only the stages of one thread add up to a share of time (service/pipeline/worker.h)."""
    return f"{thread} {EACH}", rate("stage_duration_seconds_sum", INSTANCE, stage=f"~{stages}")


def duplicate_share(offset=""):
    return f"{rate('verdicts_total', offset=offset, verdict='duplicate')} / {rate('verdicts_total', offset=offset)}"


def state_timeline():
    # Only one of the states is 1 at a time, so the sum is its number.
    terms = [f"{i} * sum by ({INSTANCE}) ({series('state', state=name)})" for i, (name, _) in enumerate(STATES, 1)]
    made = panel("state-timeline", "State", "What each instance does; one is running, the others stand by.", "none", (EACH, " + ".join(terms)), width=16, height=6, showValue="auto", mergeValues=True)
    names = {str(i): {"text": name, "color": colour, "index": i} for i, (name, colour) in enumerate(STATES, 1)}
    made["fieldConfig"]["defaults"]["mappings"] = [{"type": "value", "options": names}]
    return made


ROWS = {
    "Overview": [
        stat("Ready", "Instances that are the writer or stand by for it.", "none", f"sum({series('state', state='~running|standby')})", steps=[(0, "red"), (1, "green")]),
        stat("Records in", "Input records decided per second.", "cps", rate("records_consumed_total")),
        stat("Duplicates", "Share of duplicates among the verdicts.", "percentunit", duplicate_share(), decimals=1),
        stat("Waiting", "Records whose verdict is not committed yet, over all partitions.", "short", f"sum({series('consumer_lag_records')})", steps=[(10000, "orange"), (100000, "red")]),
        stat("Oldest waiting", "Age of the oldest record without a committed verdict.", "s", f"max({series('consumer_lag_seconds')})", steps=[(60, "orange"), (900, "red")]),
        stat("Latency p99", "From a record's timestamp to its committed verdict, for the oldest record of each batch.", "s", quantile(0.99, "end_to_end_latency_seconds"), steps=[(5, "orange"), (10, "red")]),
        stat("Uniques", "Documents that the writer remembers.", "short", f"max({series('index_entries')})"),
        stat("Memory", "Memory of the process, without pages of files, against what it may have, of the instance nearest to its limit.", "percentunit", f"max({series('memory_anonymous_bytes')} / {series('memory_limit_bytes')})", steps=[(0.8, "orange"), (0.9, "red")]),
        state_timeline(),
        panel("table", "Builds and settings", "Which builds run; more than one only while an upgrade is under way.", "none", ("", f"count by (version, revision, librdkafka_version, compiler) ({series('build_info')})"), height=6, showHeader=True),
    ],
    "Verdicts": [
        graph("Verdicts", "Committed verdicts per second, by what they say.", "cps", ("{{verdict}} {{kind}}", rate("verdicts_total", "verdict, kind")), stacked=True),
        graph("Dead letters", "Records per second that could not be judged, by reason. They are on the dead-letter topic, raw.", "cps", ("{{reason}}", rate("dead_letter_records_total", "reason")), stacked=True),
        heatmap("Distance of near duplicates", "Bits in which the fingerprints of a duplicate that is not exact, of kind near or short, and its leader differ. In mode simhash, weight at detector.distance means that a larger one would find more.", "none", "match_hamming_distance"),
        graph("Share of duplicates, against yesterday", "A crawler that loops, or an error page served for every address, shows as a jump.", "percentunit", ("now", duplicate_share()), ("a day ago", duplicate_share(" offset 1d"))),
        graph("Size of documents", "Bytes of the records' values.", "bytes", *p50_p99("document_bytes")),
        graph("Pages without a main text", "HTML pages per second that were compared with all of their text, menus and all, since no main text could be told.", "cps", ("pages", rate("main_text_fallbacks_total"))),
    ],
    "Kafka input": [
        graph("Waiting by partition", "Records whose verdict is not committed yet. Hidden are those behind a transaction that its producer has not ended.", "short", ("{{topic}} {{partition}}", f"sum by (topic, partition) ({series('consumer_lag_records')})"), ("{{topic}} {{partition}}, hidden", f"sum by (topic, partition) ({series('consumer_unstable_records')})")),
        graph("Age of what waits", "Age of each partition's oldest record without a committed verdict; 0 when there is none.", "s", ("{{topic}} {{partition}}", f"max by (topic, partition) ({series('consumer_lag_seconds')})"), steps=[(900, "red")]),
        graph("Bytes in", "Size of the records' values, per second.", "Bps", ("{{topic}}", rate("consumed_bytes_total", "topic"))),
        graph("Partitions read", "The writer reads all of them, a standby none.", "none", (EACH, f"sum by ({INSTANCE}) ({series('consumer_assigned_partitions')})"), decimals=0),
        graph("Rounds of the election", "An instance came or went. elected and lost are changes of the writer.", "none", ("{{outcome}}", increase("election_rebalances_total", "outcome"))),
        graph("Errors of the Kafka clients", "By client and librdkafka's name of the error; _TRANSPORT is a connection that broke.", "cps", ("{{client}} {{code}}", rate("kafka_errors_total", "client, code"))),
        graph("Brokers", "Brokers that the input's client knows, and those of them it is connected to: the leaders of input partitions.", "none", ("connected", f"max({series('kafka_brokers_connected')})"), ("known", f"max({series('kafka_brokers')})"), decimals=0),
    ],
    "Latency": [
        heatmap("From record to verdict", "From a record's timestamp to its committed verdict, for the oldest record of each batch.", "s", "end_to_end_latency_seconds"),
        graph("From record to verdict, quantiles", "The same, p50 and p99. The promise is 99 of 100 within 10 s.", "s", *p50_p99("end_to_end_latency_seconds"), steps=[(10, "red")]),
        graph("Stages, p99", "Time of a batch in each stage: gather waits for input, publish and audit for Kafka.", "s", ("{{stage}}", quantile(0.99, "stage_duration_seconds", "stage"))),
        graph("Share of time by stage", "Three threads work at once, so the shares do not add up: gather is one, sign (the wait for signatures) and decide are the next, publish and audit the third. An idle input records no gather.", "percentunit", ("{{stage}}", rate("stage_duration_seconds_sum", "stage"))),
        graph("Busy", "Share of its time in which a thread has a batch in hand: the decider waits for its signatures and decides it, the publisher commits it and reads it back. The one near 100 % limits the throughput.", "percentunit", busy("decider", "sign|decide"), busy("publisher", "publish|audit"), steps=[(0.9, "red")]),
        graph("Why batches close", "interval: there was no more input; documents, bytes: a batch was full, and there is more.", "cps", ("{{reason}}", rate("batches_closed_total", "reason"))),
    ],
    "Index": [
        graph("Uniques", "Documents remembered, by instance; a standby remembers what it has read of the journal.", "short", (EACH, f"sum by ({INSTANCE}) ({series('index_entries')})")),
        graph("Memory of the index", "Every table and array, counted.", "bytes", (EACH, f"sum by ({INSTANCE}) ({series('index_bytes')})")),
        graph("Memory against its limit", "Memory of the process against the limit of its container, or the machine's memory. Past it the kernel ends the process. Pages of files do not count: it takes them back.", "percentunit", (EACH, f"{series('memory_anonymous_bytes')} / {series('memory_limit_bytes')}"), steps=[(0.9, "red")]),
        graph("Candidates per document", "Fingerprints compared to decide one document. It grows with the index, and with text that is much alike.", "short", *p50_p99("lookup_candidates"), steps=[(50000, "red")]),
        graph("New and deleted uniques", "Documents that were added to the index per second, and those taken out by their ids (index.by_id).", "cps", ("added", rate("verdicts_total", verdict="unique")), ("deleted", rate("deleted_uniques_total"))),
    ],
    "Clusters": [
        graph("Clusters", "Documents remembered that have duplicates: each leads a cluster.", "short", (EACH, f"max by ({INSTANCE}) ({series('clusters')})")),
        graph("Largest cluster", "Documents of the largest cluster, its leader counted.", "short", (EACH, f"max by ({INSTANCE}) ({series('largest_cluster_documents')})")),
        graph("Swallowed by one", "Largest share of the last documents that are duplicates of one document, or of documents of one host. The alarm is for clusters.alarm_share.", "percentunit", ("by {{by}}", f"max by (by) ({series('swallowed_share_ratio')} and on ({INSTANCE}) {series('leader')} == 1)"), ("alarm", f"max({series('swallow_alarm')} and on ({INSTANCE}) {series('leader')} == 1)")),
        graph("Distance within large clusters", "Bits in which two members of one of the 32 largest clusters differ: low for copies of one text, high for a template or a chain of rewrites.", "none", (EACH, f"max by ({INSTANCE}) ({series('cluster_hamming_distance')})")),
        graph("Memory of clusters", "Sizes, representatives and the window that is watched; part of the memory of the index.", "bytes", (EACH, f"max by ({INSTANCE}) ({series('cluster_bytes')})")),
    ],
    "Restore": [
        graph("Restore", "Share of the journal that is read back, 0 to 1; nothing is decided before.", "percentunit", (EACH, f"max by ({INSTANCE}) ({series('restore_progress_ratio')})")),
        graph("Journal records read back", "While an instance restores.", "cps", (EACH, rate("restore_records_replayed_total", INSTANCE))),
        graph("Journal not yet read", "What each instance has still to read; on a standby, what a takeover waits for. A batch takes two.", "short", (EACH, f"max by ({INSTANCE}) ({series('journal_lag_offsets')})")),
        graph("Time of the restore", "Of the last one, or of the one that is under way. It grows with the journal.", "s", (EACH, f"max by ({INSTANCE}) ({series('restore_duration_seconds')})")),
    ],
    "Snapshots": [
        graph("Since the snapshot was current", "Time since the disk last had all of the journal for good; nothing without snapshot.directory. It stays below snapshot.interval_ms, or little above, while the disk is well; the red line is at 900 s whatever that says.", "s", (EACH, f"time() - ({series('snapshot_timestamp_seconds')} > 0)"), steps=[(900, "red")]),
        graph("Records the snapshot lacks", "Journal records that are committed and not on the disk; after a restart they come from Kafka.", "short", (EACH, f"max by ({INSTANCE}) ({series('snapshot_behind_records')})")),
        graph("Size of the snapshot", "Bytes of its segments; it grows as the journal does.", "bytes", (EACH, f"max by ({INSTANCE}) ({series('snapshot_bytes')})")),
        graph("Journal records in the snapshot", "As the newest manifest promises.", "short", (EACH, f"max by ({INSTANCE}) ({series('snapshot_records')})")),
        graph("Refusals of the disk", "A full disk, or one that fails. The service goes on, and tries again.", "none", ("refused", increase("snapshot_failures_total"))),
    ],
    "Kafka output": [
        graph("Transactions", "By what became of the attempt. in_doubt is settled by the journal; after fenced, another instance was elected and this one stands by again.", "cps", ("{{result}}", rate("transactions_total", "result"))),
        graph("Time of a transaction", "From begin to the answer of the commit.", "s", *p50_p99("transaction_duration_seconds")),
        graph("Records of a transaction", "Verdicts and dead letters that are committed together.", "short", *p50_p99("transaction_records")),
        graph("Recycled producers", "Producers replaced after a transaction in doubt. found_committed: the journal had the batch; resent: it had not; precaution: a request had timed out.", "none", ("{{outcome}}", increase("recycles_total", "outcome"))),
        graph("Errors of the writer", "Errors of the producer, among them verdicts that were not delivered.", "cps", ("{{code}}", rate("kafka_errors_total", "code", client="writer"))),
    ],
    "Process": [
        graph("Memory", "Memory in RAM, and what of it is no page of a file, which the kernel could take back.", "bytes", (EACH, ours(process("resident_memory_bytes"))), (EACH + ", anonymous", series("memory_anonymous_bytes"))),
        graph("CPU", "Cores in use.", "none", (EACH, ours(f"rate({process('cpu_seconds_total')}[$__rate_interval])"))),
        graph("Threads", "Threads of the process; signing has pipeline.threads, one for each usable core if that is 0.", "none", (EACH, ours(process("threads"))), decimals=0),
        graph("Open files", "File descriptors against their limit.", "percentunit", (EACH, ours(f"{process('open_fds')} / {process('max_fds')}")), steps=[(0.8, "red")]),
        graph("Up for", "Time since the start.", "s", (EACH, ours(f"time() - {process('start_time_seconds')}"))),
        graph("Last beat", "Time since the worker last moved; it does at least each second while it is well.", "s", (EACH, f"time() - {series('worker_last_beat_timestamp_seconds')}"), steps=[(120, "red")]),
    ],
}


def variable(name, query, every=".+"):
    return {
        "name": name,
        "label": name.capitalize(),
        "type": "query",
        "datasource": SOURCE,
        "query": query,
        "refresh": 2,
        "includeAll": True,
        "multi": True,
        "allValue": every,
    }


def place(panels, y):
    """Puts panels from left to right, and a new line where the next does not fit; returns the first free y."""
    x = line = 0
    for made in panels:
        at = made["gridPos"]
        if x + at["w"] > 24:
            x, y, line = 0, y + line, 0
        at["x"], at["y"] = x, y
        x, line = x + at["w"], max(line, at["h"])
    return y + line


def dashboard():
    panels, y = [], 0
    for number, (title, row) in enumerate(ROWS.items()):
        collapsed = number > 1
        head = {"type": "row", "title": title, "collapsed": collapsed, "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}, "panels": []}
        end = place(row, y + 1)
        panels.append(head)
        if collapsed:
            head["panels"], y = row, y + 1
        else:
            panels += row
            y = end
    flat = [inner for outer in panels for inner in [outer, *outer.get("panels", [])]]
    for number, each in enumerate(flat, 1):
        each["id"] = number
    return {
        "uid": "neardup-overview",
        "title": "neardup",
        "description": "What neardup reads, decides and publishes, and how it feels.",
        "tags": ["neardup", "kafka"],
        "schemaVersion": 39,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "",
        "annotations": {"list": []},
        "links": [],
        "templating": {
            "list": [
                {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
                variable("namespace", "label_values(neardup_build_info, namespace)", every=".*"),  # outside Kubernetes there is none
                variable("job", 'label_values(neardup_build_info{namespace=~"$namespace"}, job)'),
                variable("instance", 'label_values(neardup_build_info{namespace=~"$namespace", job=~"$job"}, instance)'),
            ]
        },
        "panels": panels,
    }


if __name__ == "__main__":
    text = json.dumps(dashboard(), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        current = PRODUCT.exists() and PRODUCT.read_text() == text
        sys.exit(0 if current else f"{PRODUCT} is not what {pathlib.Path(__file__).name} makes: run it")
    PRODUCT.write_text(text)
