"""Who takes part in the demo? A broker, and runs of neardup: started here, watched, ended by process id.

Each has a session of its own, so that a Ctrl-C reaches the demo alone, which then ends them in order.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import neardup_command

NEARDUP = ROOT / "build/release/service/neardup"
LOGS = ROOT / "build/log"

# Bounds for a machine that is broken or very busy; usually everything takes a few seconds.
KAFKA_SECONDS_MAX = 150
COMMAND_SECONDS_MAX = 60


class Failure(Exception):
    """The demo cannot go on; the message is for the reader."""


def wait_until(what, seconds, look, pause=0.02):
    """What `look` returns, as soon as it is true."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise Failure(f"{what}: not after {seconds} s")
        time.sleep(pause)
    return found


class Kafka:
    """A broker of our own, by the script that the tests use too."""

    def __init__(self, folder):
        self.folder = folder / "kafka"
        self.environment = {**os.environ, "NEARDUP_KAFKA_DIR": str(self.folder)}
        self.starting = None

    def start(self):
        """Returns bootstrap.servers."""
        log = LOGS / "demo-kafka.log"
        with open(log, "w", encoding="utf-8") as file:
            self.starting = subprocess.Popen(
                [ROOT / "tests/support/kafka.sh", "start"],
                env=self.environment, text=True, start_new_session=True,
                stdout=subprocess.PIPE, stderr=file, stdin=subprocess.DEVNULL,
            )
            try:
                output, _ = self.starting.communicate(timeout=KAFKA_SECONDS_MAX)
            except subprocess.TimeoutExpired as error:
                raise Failure(f"Kafka is not ready after {KAFKA_SECONDS_MAX} s: {log}") from error
        found = re.search(r"^bootstrap\.servers=(.+)$", output, re.MULTILINE)
        if self.starting.returncode != 0 or not found:
            raise Failure(f"Kafka did not start: {log}")
        return found[1]

    def wipe(self):
        if self.starting:  # let it write down what it started: the wipe goes by that
            try:
                self.starting.wait(KAFKA_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.starting.kill()
        for log in self.folder.glob("node*.log"):
            shutil.copy(log, LOGS / "demo-kafka-broker.log")
        subprocess.run(
            [ROOT / "tests/support/kafka.sh", "wipe"],
            env=self.environment, start_new_session=True, timeout=COMMAND_SECONDS_MAX, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        )


class Program:
    """One run of neardup. What it says is in build/log/demo-NAME.log."""

    started = []  # every run, so that whoever ends the demo can end them all

    # What the caller's environment sets for neardup is meant for the caller's own Kafka.
    environment = neardup_command.environment()

    def __init__(self, name, folder, servers, *arguments):
        self.log = LOGS / f"demo-{name}.log"
        command = [NEARDUP, *arguments, "--set", f"kafka.brokers={servers}", "--set", "log.format=text"]
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, env=self.environment, start_new_session=True,
                stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            )
        Program.started.append(self)

    def runs(self):
        return self.process.poll() is None

    def said(self, pattern):
        """The first match in its log, or None."""
        return re.search(pattern, self.log.read_text(encoding="utf-8"))

    def finish(self):
        """Waits for its end, which must be a good one."""
        try:
            self.process.wait(COMMAND_SECONDS_MAX)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"not done after {COMMAND_SECONDS_MAX} s: {self.log}") from error
        if self.process.returncode != 0:
            self._fail()

    def stop(self):
        """As a supervisor does it."""
        self.process.terminate()
        self.finish()

    def kill(self):
        if self.runs():
            self.process.kill()
        self.process.wait()

    def _fail(self):
        said = self.log.read_text(encoding="utf-8")[-2000:]
        raise Failure(f"neardup ended with {self.process.returncode}, see {self.log}:\n{said}")


class Service(Program):
    """`neardup serve`, seen through its /metrics."""

    def __init__(self, name, folder, servers):
        super().__init__(name, folder, servers, "serve", "--set", "http.port=0")
        self.address = wait_until("serve opens its port", COMMAND_SECONDS_MAX, self._address)[0]

    def look(self):
        if not self.runs():
            self._fail()
        try:
            with urllib.request.urlopen(f"{self.address}/metrics", timeout=10) as answer:
                return Metrics(answer.read().decode())
        except OSError as error:
            raise Failure(f"{self.address}/metrics: {error}, see {self.log}") from error

    def _address(self):
        if not self.runs():
            self._fail()
        return self.said(r"http://127\.0\.0\.1:\d+")


class Metrics:
    """One look at /metrics."""

    def __init__(self, text):
        self._samples = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
        self.state = re.search(r'^neardup_state\{state="(\w+)"\} 1$', text, re.MULTILINE)[1]
        self.lag = self._sum("neardup_consumer_lag_records{")
        self.unique = self._sum("neardup_verdicts_total{", 'verdict="unique"')
        self.duplicate = self._sum("neardup_verdicts_total{", 'verdict="duplicate"')
        self.rejected = self._sum("neardup_verdicts_total{", 'verdict="rejected"')
        self.transactions = self._sum("neardup_transactions_total{", 'result="committed"')
        self.index_bytes = self._sum("neardup_index_bytes")

    @property
    def verdicts(self):
        return self.unique + self.duplicate + self.rejected

    def _sum(self, prefix, label=""):
        return int(sum(float(value) for name, value in self._samples if name.startswith(prefix) and label in name))
