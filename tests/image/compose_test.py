"""compose_test.py BINARY KAFKA_VERSION KAFKA_JARS: docker-compose.yml would do what it says.

It is never started here, where there is no container engine. So everything in it is held against something real: its
shape against the schema of the specification, its files against the repository, what neardup is told against the
program, Kafka's settings against Kafka, Prometheus's configuration against promtool. Then errors are planted, each of
which must be found.
"""

import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

import compose

BINARY, KAFKA_VERSION, KAFKA_JARS = sys.argv[1:]
TOOLS = pathlib.Path(sys.executable).parent
COUNTS = {"files": 0, "commands": 0}


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)


def shape(project, scratch):
    path = scratch / "compose.yml"
    path.write_text(yaml.safe_dump(project))
    checked = run(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", path)
    if checked.returncode != 0:
        yield checked.stdout.strip()


def files(project, scratch):
    for name, service in project["services"].items():
        for source, target in compose.mounts(service):
            COUNTS["files"] += 1
            if not (compose.ROOT / source).exists():
                yield f"{name} mounts {source}, which is not there"


def order(project, scratch):
    services = project["services"]
    for name, service in services.items():
        waits = service.get("depends_on", [])
        for other in waits:
            if other not in services:
                yield f"{name} waits for {other}, which is not there"
            elif isinstance(waits, dict):
                if waits[other]["condition"] == "service_healthy" and "healthcheck" not in services[other]:
                    yield f"{name} waits for {other} to be healthy, but it has no healthcheck"
        for port in service.get("ports", []):
            if not port.startswith("127.0.0.1:"):
                yield f"{name} opens {port} to the network"


def neardup_services(project):
    return {name: service for name, service in project["services"].items() if "build" in service}


def commands(project, scratch):
    """With a setting that does not exist, a right command line has nothing else to complain about."""
    for name, service in neardup_services(project).items():
        COUNTS["commands"] += 1
        words = [compose.on_the_host(service, word) for word in service["command"]]
        for word in words:
            if word.startswith("/") and not pathlib.Path(word).exists():
                yield f"{name}: {word} is mounted by nobody"
        done = run(BINARY, *words, "--set", "no.such.setting=1")
        if done.returncode != 78 or done.stderr.count("\n") != 1 or "no.such.setting" not in done.stderr:
            yield f"{name}: {' '.join(service['command'])}: {done.returncode} {done.stderr.strip()}"


def hardening(project, scratch):
    for name, service in neardup_services(project).items():
        if not service.get("read_only") or service.get("cap_drop") != ["ALL"]:
            yield f"{name} has more rights than it needs"
        if "no-new-privileges:true" not in service.get("security_opt", []):
            yield f"{name} may gain privileges"


def restarts(project, scratch):
    """Exit codes 65 and 78 do not get better by trying again."""
    restart = project["services"]["neardup"].get("restart", "")
    if not re.fullmatch("on-failure:[0-9]+", restart):
        yield f"neardup is restarted without a bound: {restart or 'never'}"


def settings(project, scratch):
    """{setting: value} as the service neardup sees it."""
    service = project["services"]["neardup"]
    file = compose.on_the_host(service, service["command"][service["command"].index("-c") + 1])
    return yaml.safe_load(run(BINARY, "print-config", "-c", file).stdout)


def addresses(project, scratch):
    """Who talks to whom: names are services, and ports are those they listen on."""
    config = settings(project, scratch)
    kafka = project["services"]["kafka"]["environment"]
    advertised = kafka["KAFKA_ADVERTISED_LISTENERS"].removeprefix("PLAINTEXT://")
    if config["kafka"]["brokers"] != advertised:
        yield f"neardup looks for Kafka at {config['kafka']['brokers']}, which is at {advertised}"
    if f":{advertised.split(':')[1]}," not in kafka["KAFKA_LISTENERS"]:
        yield f"Kafka does not listen where it says: {advertised}"
    if config["http"]["address"] != "0.0.0.0":
        yield f"neardup listens on {config['http']['address']} alone"
    target = f"neardup:{config['http']['port']}"
    scraped = yaml.safe_load(text_at(project, "prometheus", "/etc/prometheus/prometheus.yml"))["scrape_configs"]
    if [group["targets"] for job in scraped for group in job["static_configs"]] != [[target]]:
        yield f"Prometheus does not scrape {target}"
    if project["services"]["neardup"]["ports"] != [f"127.0.0.1:{config['http']['port']}:{config['http']['port']}"]:
        yield f"port {config['http']['port']} is not published"


def text_at(project, name, target):
    return pathlib.Path(compose.on_the_host(project["services"][name], target)).read_text()


def kafka(project, scratch):
    service = project["services"]["kafka"]
    if service["image"] != f"apache/kafka:{KAFKA_VERSION}":
        yield f"{service['image']} is not the Kafka of the tests, {KAFKA_VERSION}"
    # the image makes KAFKA_A_B=c the property a.b=c; formatting reads them all and refuses what cannot be
    properties = {key[6:].lower().replace("_", "."): value for key, value in service["environment"].items()}
    properties["log.dirs"] = tempfile.mkdtemp(dir=scratch)
    path = scratch / "kafka.properties"
    path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
    formatted = run("java", "-XX:TieredStopAtLevel=1", "-cp", f"{KAFKA_JARS}/*", "kafka.tools.StorageTool", "format",
                    "-t", "5L6g3nShT-eMCtK--X86sw", "-c", path)
    if formatted.returncode != 0:
        yield (formatted.stdout + formatted.stderr).strip().split("\n")[-1]
    # it does not mind a name it does not know, and the tests' own cluster is started with the same names
    known = pathlib.Path(compose.ROOT / "tests/support/kafka.sh").read_text()
    for key in properties:
        if not re.search(rf"^{re.escape(key)}=", known, re.MULTILINE):
            yield f"the tests' Kafka is never started with {key}"


def prometheus(project, scratch):
    """promtool reads the files where the container has them."""
    root = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    for source, target in compose.mounts(project["services"]["prometheus"]):
        place = root / target[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        if (compose.ROOT / source).exists():
            shutil.copy(compose.ROOT / source, place)
    checked = run("promtool", "check", "config", root / "etc/prometheus/prometheus.yml")
    if checked.returncode != 0 or "rules found" not in checked.stdout:
        yield (checked.stdout + checked.stderr).strip()


def grafana(project, scratch):
    service = project["services"]["grafana"]
    sources = yaml.safe_load(text_at(project, "grafana", "/etc/grafana/provisioning/datasources/neardup.yaml"))
    for source in sources["datasources"]:
        host, port = source["url"].removeprefix("http://").split(":")
        if not any(p.endswith(f":{port}") for p in project["services"].get(host, {}).get("ports", [])):
            yield f"no service answers at {source['url']}"
    providers = yaml.safe_load(text_at(project, "grafana", "/etc/grafana/provisioning/dashboards/neardup.yaml"))
    for provider in providers["providers"]:
        folder = pathlib.Path(compose.on_the_host(service, provider["options"]["path"]))
        if not list(folder.glob("*.json")):
            yield f"no dashboards in {provider['options']['path']}"
        for dashboard in folder.glob("*.json"):
            json.loads(dashboard.read_text())
    home = service["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    if not pathlib.Path(compose.on_the_host(service, home)).exists():
        yield f"the first page is {home}, which is not there"


def pages(project, scratch):
    """The sample pages show what neardup is for: every second one is a copy, most with the same article to the letter."""
    service = project["services"]["feeder"]
    scanned = run(BINARY, "scan", "-q", compose.on_the_host(service, service["command"][1]))
    kinds = [json.loads(line).get("kind", "unique") for line in scanned.stdout.splitlines()]
    counts = {kind: kinds.count(kind) for kind in ("unique", "exact", "near")}
    if counts != {"unique": 5, "exact": 4, "near": 1}:
        yield f"the sample pages are {counts}"
    # a path loses the / at its head, so the prefix has to end in one
    prefix = service["command"][service["command"].index("--url-prefix") + 1]
    if not prefix.endswith("/"):
        yield f"the first page's url begins with {prefix}{service['command'][1].lstrip('/')}"


CHECKS = [shape, files, order, commands, hardening, restarts, addresses, kafka, prometheus, grafana, pages]

# What is broken, and the check that has to find it.
PLANTED = [
    (shape, lambda s: s["neardup"].update(comand=["serve"])),
    (shape, lambda s: s["kafka"]["healthcheck"].update(retries=[20])),
    (files, lambda s: s["topics"].update(volumes=["./config/compose/neardup.yml:/etc/neardup/neardup.yaml:ro"])),
    (order, lambda s: s["kafka"].pop("healthcheck")),
    (order, lambda s: s["grafana"].update(ports=["3000:3000"])),
    (commands, lambda s: s["neardup"].update(command=["server", "-c", "/etc/neardup/neardup.yaml"])),
    (commands, lambda s: s["topics"]["command"].append("--inputs")),
    (commands, lambda s: s["feeder"]["command"].__setitem__(1, "/page")),
    (pages, lambda s: s["feeder"]["command"].__setitem__(5, "https://sample.example")),
    (hardening, lambda s: s["feeder"].pop("cap_drop")),
    (restarts, lambda s: s["neardup"].update(restart="on-failure")),
    (addresses, lambda s: s["kafka"]["environment"].update(KAFKA_ADVERTISED_LISTENERS="PLAINTEXT://broker:9092")),
    (addresses, lambda s: s["neardup"].update(ports=["127.0.0.1:9302:9302"])),
    (kafka, lambda s: s["kafka"].update(image="apache/kafka:3.9.0")),
    (kafka, lambda s: s["kafka"]["environment"].update(KAFKA_PROCESS_ROLES="broker,controler")),
    (kafka, lambda s: s["kafka"]["environment"].pop("KAFKA_CONTROLLER_LISTENER_NAMES")),
    (kafka, lambda s: s["kafka"]["environment"].update(KAFKA_TRANSACTION_STATE_LOG_MIN_ISRS=1)),
    (prometheus, lambda s: s["prometheus"]["volumes"].pop()),
    (grafana, lambda s: s["grafana"]["environment"].update(
        GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH="/var/lib/grafana/dashboards/none.json")),
]


def main():
    project = compose.load()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for check in CHECKS:
            bad += [f"{check.__name__}: {what}" for what in check(project, scratch)]
        summary = dict(COUNTS)
        for number, (check, plant) in enumerate(PLANTED):
            changed = copy.deepcopy(project)
            plant(changed["services"])
            if not list(check(changed, scratch)):
                bad.append(f"{check.__name__} did not find planted error {number}")
    print("\n".join(bad), end="\n" if bad else "")
    if not bad:
        print(f"table: services of docker-compose.yml | {len(project['services'])} | {summary['files']} mounts, "
              f"{summary['commands']} command lines, settings of Kafka, Prometheus, Grafana; {len(PLANTED)} planted errors found")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
