"""Has every record exactly one verdict? Reads the topics as any consumer would, with kcat, and counts.

The service is not asked: what counts is what a reader with isolation.level=read_committed sees.
"""

import collections
import dataclasses
import json
import select
import subprocess

VERDICT_TOPICS = ("neardup.unique", "neardup.duplicate")
DEAD_LETTER_TOPIC = "neardup.dead-letter"
KCAT_SECONDS_MAX = 60


@dataclasses.dataclass(frozen=True)
class Verdict:
    place: tuple  # (partition, offset) of the input record it judges
    url: str
    fields: dict = dataclasses.field(compare=False)
    line: str = ""  # as it was read


@dataclasses.dataclass(frozen=True)
class Audit:
    """Empty sets: exactly one verdict for each record, and each page has its own."""

    lost: set  # places of records without a verdict
    doubled: set  # places of records with more than one
    invented: set  # places of verdicts where there is no record
    unjudged: set  # urls of pages that no verdict names

    def findings(self):
        """A sentence for each set that is not empty."""
        named = (
            ("records without a verdict", self.lost),
            ("records with more than one verdict", self.doubled),
            ("verdicts of records that are not there", self.invented),
            ("pages that no verdict names", self.unjudged),
        )
        return [f"{len(which)} {what}, for one {min(which)}" for what, which in named if which]


def read(servers, isolation):
    """All verdicts a reader with this isolation.level sees, rejected records among them."""
    verdicts = []
    for topic in VERDICT_TOPICS:
        verdicts += [parse_verdict(line) for line in _consume(servers, topic, isolation, "%s\n")]
    verdicts += [parse_dead_letter(line) for line in _consume(servers, DEAD_LETTER_TOPIC, isolation, "%k\t%h\n")]
    return verdicts


def ends(servers, topic, partitions):
    """{partition: number of records in it}; nothing was deleted, so the end is the number."""
    wanted = [argument for partition in range(partitions) for argument in ("-t", f"{topic}:{partition}:-1")]
    lines = _kcat(servers, "-Q", *wanted).splitlines()
    return {int(line.split("[")[1].split("]")[0]): int(line.split()[-1]) for line in lines}


def wait_for_record(servers, topic, seconds):
    """Returns as soon as one more record is written to the topic, committed or not."""
    reader = subprocess.Popen(
        ["kcat", "-b", servers, "-C", "-t", topic, "-o", "end", "-c", "1", "-u", "-q", "-f", "%o\n",
         "-X", "isolation.level=read_uncommitted"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True,
    )
    try:
        if not select.select([reader.stdout], [], [], seconds)[0]:
            raise subprocess.TimeoutExpired(reader.args, seconds)
    finally:
        reader.kill()
        reader.communicate()


def parse_verdict(line):
    fields = json.loads(line)
    source = fields["source"]
    return Verdict((source["partition"], source["offset"]), fields.get("url", ""), fields, line)


def parse_dead_letter(line):
    key, headers = line.split("\t", 1)
    fields = dict(header.removeprefix("neardup-").split("=", 1) for header in headers.split(","))
    place = (int(fields["partition"]), int(fields["offset"]))
    return Verdict(place, key, {"verdict": "rejected", "reason": fields["reason"]}, line)


def audit(verdicts, record_counts, urls):
    """Compares what was read with what was sent: `record_counts` as `ends` gives it, `urls` of the pages."""
    counts = collections.Counter(verdict.place for verdict in verdicts)
    places = {(partition, offset) for partition, count in record_counts.items() for offset in range(count)}
    return Audit(
        lost=places - counts.keys(),
        doubled={place for place, count in counts.items() if count > 1},
        invented=counts.keys() - places,
        unjudged=set(urls) - {verdict.url for verdict in verdicts},
    )


def _consume(servers, topic, isolation, output):
    # -e: to the end of what this isolation lets one read
    text = _kcat(
        servers, "-C", "-t", topic, "-o", "beginning", "-e", "-q", "-X", f"isolation.level={isolation}", "-f", output
    )
    return text.split("\n")[:-1]  # not splitlines: it also cuts at line ends that only Unicode knows


def _kcat(servers, *arguments):
    return subprocess.run(
        ["kcat", "-b", servers, *arguments],
        check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=KCAT_SECONDS_MAX,
    ).stdout
