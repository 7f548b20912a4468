#!/usr/bin/env python3
"""Does every panel show something, every rule evaluate, and every metric exist, on a real service under load?

A real Kafka (ctest's fixture; NEARDUP_KAFKA_DIR), a real `neardup serve` with a standby, and a real Prometheus that scrapes
both each second and loads our rules. A crawl with exact and near duplicates and broken records is fed for half a minute.
Then every query of every panel has to answer, without NaN; every rule has to be healthy, and no alert may fire, nor be
pending: one that waits for minutes gets no further in half a minute. Ranges are shortened ($__rate_interval to 10 s, the
comparison with yesterday to one with 5 s ago), nothing else.

usage: live_test.py NEARDUP [--seconds N] [--keep FILE]    --keep: the answers over time, for draw.py
"""

import argparse
import json
import math
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import dashboard
import rules

ROOT = dashboard.ROOT
RATE = 400  # records per second
RANGE = "10s"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def wait_for(what, seconds, check):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if result := check():
                return result
        except (OSError, ValueError, KeyError):
            pass  # not there yet
        time.sleep(0.1)
    raise SystemExit(f"{what}: not within {seconds} s")


def crawl(seed=7):
    """Records without end: families of near-duplicates, exact copies, Chinese among them, and some that are broken.

    None of it is a reason for an alert: broken are half as many as NeardupDeadLetters allows, and of a hundred hosts none
    swallows the stream.
    """
    draw = random.Random(seed)
    words = [f"word{i}" for i in range(20000)] + [chr(0x4E00 + i) for i in range(2000)]
    number = 0
    while True:
        number += 1
        if draw.random() < 0.005:
            yield "this is not JSON"
        elif draw.random() < 0.005:
            yield json.dumps({"id": f"d{number}", "text": "..."})
        else:
            family = random.Random(draw.randrange(4000))
            text = [family.choice(words) for _ in range(family.randrange(60, 600))]
            for _ in range(draw.choice([0, 0, 1, 2, 4])):  # a near-duplicate differs in some words
                text[draw.randrange(len(text))] = draw.choice(words)
            yield json.dumps({"id": f"d{number}", "url": f"http://site{number % 100}.example.org/{number}", "text": " ".join(text)})


class Processes:
    """Children that end with us, by their process ids."""

    def __init__(self, folder):
        self.folder = folder
        self.children = {}

    def start(self, name, command, **options):
        with open(self.folder / f"{name}.log", "w") as log:
            self.children[name] = subprocess.Popen(command, stdout=log, stderr=log, **options)
        return self.children[name]

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children.values():
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
        for child in self.children.values():
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()


class Prometheus:
    def __init__(self, processes, targets):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/api/v1/"
        folder = processes.folder
        scrape = {"job_name": "neardup", "scrape_interval": "1s", "static_configs": [{"targets": targets}]}
        config = {
            "global": {"evaluation_interval": "1s"},
            "rule_files": [str(ROOT / "charts/neardup/files/alerts.yaml")],
            "scrape_configs": [scrape],
        }
        (folder / "prometheus.yaml").write_text(json.dumps(config))  # JSON is YAML
        processes.start(
            "prometheus",
            ["prometheus", f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/tsdb"]
            + [f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"],
        )
        wait_for("Prometheus", 60, lambda: self.ask("query", query="vector(1)"))

    def ask(self, what, **parameters):
        answer = json.loads(get(self.url + what + "?" + urllib.parse.urlencode(parameters)))
        return answer["data"]

    def query(self, expr):
        return self.ask("query", query=expr)["result"]

    def rules(self):
        return [rule for group in self.ask("rules")["groups"] for rule in group["rules"]]


def sent(expr):
    """A query as it is asked here: with ranges that half a minute of data can fill."""
    return dashboard.resolved(expr, RANGE).replace("offset 1d", "offset 5s")


def answers_over_time(prometheus, start, end):
    """What each panel would draw: [{title, unit, type, stacked, answers: [{legend, result}]}]."""
    drawn = []
    for panel in dashboard.panels(dashboard.load()):
        answers = []
        for target in panel["targets"]:
            result = prometheus.ask("query_range", query=sent(target["expr"]), start=start, end=end, step=1)["result"]
            answers.append({"legend": target["legendFormat"], "result": result})
        defaults = panel["fieldConfig"]["defaults"]
        stacked = defaults.get("custom", {}).get("stacking", {}).get("mode") == "normal"
        drawn.append({"title": panel["title"], "unit": defaults["unit"], "type": panel["type"], "stacked": stacked, "answers": answers})
    return drawn


def query_complaints(prometheus, queries):
    for where, expr in queries:
        result = prometheus.query(expr)
        values = [series["value"][1] for series in result]
        if not values:
            yield f"{where}: nothing for {expr}"
        elif any(math.isnan(float(value)) for value in values):
            yield f"{where}: NaN for {expr}"


def rule_complaints(loaded):
    for rule in loaded:
        if rule["health"] != "ok" or rule.get("state", "inactive") != "inactive":
            yield f"rule {rule['name']}: {rule['health']} {rule.get('lastError', '')} {rule.get('state', '')}"


def metric_complaints(exposition):
    """The real /metrics against docs/metrics.md and promtool's lint."""
    shown = {line.split()[2] for line in exposition.splitlines() if line.startswith("# TYPE ")}
    reference = (ROOT / "docs/metrics.md").read_text()
    told = {name for name in rules.metrics_documented(reference) if f"| `{name}` |" in reference}
    for name in sorted(shown ^ told):
        yield f"{name}: {'not in docs/metrics.md' if name in shown else 'not shown by the service'}"
    lint = subprocess.run(["promtool", "check", "metrics"], input=exposition, capture_output=True, text=True)
    if lint.returncode != 0 or lint.stderr:
        yield lint.stdout + lint.stderr


class Service:
    """A writer and its standby, with topics of their own on the fixture's Kafka."""

    def __init__(self, processes, program):
        brokers = pathlib.Path(os.environ["NEARDUP_KAFKA_DIR"], "bootstrap.servers").read_text().strip()
        name = f"live-{os.getpid()}"
        settings = {"kafka.brokers": brokers, "kafka.group": name, "kafka.topics.input": f"{name}.pages"}
        settings["snapshot.interval_ms"] = 1000  # so that there is one to be seen
        for kind in ("unique", "duplicate", "dead_letter", "journal"):
            settings[f"kafka.topics.{kind}"] = f"{name}.{kind}"
        self.program, self.settings = program, settings
        subprocess.run(self.command("topics", "create", "--input", "--partitions", "4"), check=True, capture_output=True)
        self.urls = []
        for state in ("running", "standby"):
            port = free_port()
            snapshot = f"snapshot.directory={processes.folder}/snapshot-{state}"
            processes.start(f"serve-{state}", self.command("serve", "--set", snapshot, port=port))
            self.urls.append(f"127.0.0.1:{port}")
            wait_for(f"an instance that is {state}", 60, lambda: json.loads(get(f"http://{self.urls[-1]}/status"))["state"] == state)

    def command(self, *arguments, port=0):
        words = [self.program, *arguments, "--set", f"http.port={port}"]
        for setting, value in self.settings.items():
            words += ["--set", f"{setting}={value}"]
        return words


class Feed:
    """Load, from its making to its end."""

    def __init__(self, processes, service):
        self.child = processes.start("feed", service.command("feed", "--rate", str(RATE), "-"), stdin=subprocess.PIPE, text=True)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        for record in crawl():
            if self.over.is_set() or self.child.poll() is not None:
                break
            self.child.stdin.write(record + "\n")
        self.child.stdin.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("neardup")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    queries = [(panel["title"], sent(target["expr"])) for panel, target in dashboard.queries(dashboard.load())]

    with tempfile.TemporaryDirectory() as folder, Processes(pathlib.Path(folder)) as processes:
        service = Service(processes, options.neardup)
        prometheus = Prometheus(processes, service.urls)
        began = time.time()
        with Feed(processes, service):
            time.sleep(options.seconds)
            decided = f"sum(neardup_verdicts_total) > {RATE * options.seconds // 2}"
            wait_for("half of the verdicts", 120, lambda: prometheus.query(decided))
            wrong = list(query_complaints(prometheus, queries))
            planted = list(query_complaints(prometheus, [("planted", "neardup_gone_total"), ("planted", "neardup_leader * 0 / 0")]))
            # A scrape that a busy machine misses makes NeardupDown pending, until the next one. What is wrong stays so.
            end = time.monotonic() + 30
            while any(rule_complaints(loaded := prometheus.rules())) and time.monotonic() < end:
                time.sleep(1)
            exposition = get(f"http://{service.urls[0]}/metrics")
            if options.keep:
                options.keep.write_text(json.dumps(answers_over_time(prometheus, began + 12, time.time())))
        wrong += [*rule_complaints(loaded), *metric_complaints(exposition)]
        if len(planted) != 2:
            wrong.append(f"planted and not found: of a query without an answer and one with NaN only {planted}")
        if wrong:
            wrong += [f"--- {name}\n{processes.log(name)[-2000:]}" for name in processes.children]

    series = sum(1 for line in exposition.splitlines() if line and line[0] != "#")
    families = sum(line.startswith("# TYPE ") for line in exposition.splitlines())
    print(f"table: dashboard, live | {len(queries)} queries | none empty, none NaN | {len(planted)} of 2")
    print(f"table: rules, live | {len(loaded)} | healthy, none fires or is pending |")
    print(f"table: metrics, live | {families} | {series} series with 4 partitions, promtool's lint |")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
