"""Is the Helm chart right?

    check.py CHECK      with NEARDUP_CHART_TOOLS (and for `config` NEARDUP_BINARY) in the environment

    lint      helm lint --strict on every file of ci/; values, their comments, their schema, the README and the versions
              name the same things
    unit      the helm-unittest suites of charts/neardup/tests
    schemas   what is rendered from every file of ci/ is what Kubernetes and the Prometheus operator know, oldest and
              newest; errors planted into it (planted.yaml) are found, and nothing else is blamed
    config    the service accepts the configuration that every file of ci/ amounts to, with the files and the command
              line of its pod, and refuses planted errors
    refused   values that must not install (refused.yaml) do not, and the message says why
    golden    what is rendered is what tests/golden/charts says; `check.py golden --update` writes that anew

Each prints its rows of the table that ./dev test ends with (tests/support/result_table.py).
"""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/ops"))
import rules

CHART = ROOT / "charts/neardup"
GOLDEN = ROOT / "tests/golden/charts"
GOLDEN_OF = ["default", "managed-kafka-sasl", "strimzi-mtls", "standby", "monitoring", "persistence"]
TOOLS = pathlib.Path(os.environ["NEARDUP_CHART_TOOLS"])
VERSIONS = sorted(folder.name for folder in (TOOLS / "schemas").glob("*"))  # of Kubernetes, the oldest first
CASES = {file.name.removesuffix("-values.yaml"): file for file in sorted(CHART.glob("ci/*-values.yaml"))}
FOREIGN = {"KafkaTopic", "KafkaUser"}  # kinds in extraObjects that are somebody else's


class Wrong(Exception):
    """A check failed; the words are for people."""


def run(program, *arguments, **options):
    command = [str(TOOLS / "bin" / program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def must(condition, *words):
    if not condition:
        raise Wrong("\n".join(map(str, words)))


@functools.cache
def render(case, *arguments, version=VERSIONS[-1]):
    done = run("helm", "template", "crawl", CHART, "--namespace", "search", "--kube-version", version,
               "--values", CASES[case], *arguments)
    must(done.returncode == 0, f"{case} does not render:", done.stderr)
    return done.stdout


def documents(text):
    return [document for document in yaml.load_all(text, yaml.CSafeLoader) if document]


def of_kind(kind, manifests):
    return [manifest for manifest in manifests if manifest["kind"] == kind]


def table(what, count, how, planted=0):
    print(f"table: chart: {what} | {count} | {how} | {f'{planted} of {planted}' if planted else ''}")


# --- lint

def leaves(values, path=()):
    """The paths of values.yaml. A map whose keys are the user's own is one value."""
    for key, value in values.items():
        if isinstance(value, dict) and value and key not in WHOLE:
            yield from leaves(value, (*path, key))
        else:
            yield ".".join((*path, key))


# Values that are one thing to the user, and have one comment.
WHOLE = {"resources", "updateStrategy", "podSecurityContext", "securityContext"} | {
    f"{probe}Probe" for probe in ("startup", "liveness", "readiness")
}


def schema_leaves(schema, node, path=()):
    node = schema["definitions"][node["$ref"].split("/")[-1]] if "$ref" in node else node
    closed = node.get("additionalProperties") is False and "properties" in node
    if not closed or path and path[-1] in WHOLE | {"config"}:
        yield ".".join(path)
        return
    for key, value in node["properties"].items():
        yield from schema_leaves(schema, value, (*path, key))


def open_objects(node, path="#"):
    """Objects of the schema that would accept a misspelt name."""
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node and node.get("additionalProperties") is not False:
            yield path
        for key, value in node.items():
            yield from open_objects(value, f"{path}/{key}")


def commented(text):
    """The paths in values.yaml that have a `# -- ` comment right above them."""
    stack, comment = [], False
    for line in text.splitlines():
        if match := re.match(r"( *)# -- ", line):
            comment = True
        elif match := re.match(r"( *)([A-Za-z]+):", line):
            stack = stack[: len(match[1]) // 2] + [match[2]]
            if comment:
                yield ".".join(stack)
            comment = False
        elif not line.lstrip().startswith("#"):
            comment = False


def lint():
    for case, file in CASES.items():
        for version in VERSIONS:
            done = run("helm", "lint", "--strict", "--kube-version", version, "--values", file, CHART)
            must(done.returncode == 0, f"helm lint, {case}, Kubernetes {version}:", done.stdout, done.stderr)

    text = (CHART / "values.yaml").read_text()
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = set(leaves(yaml.safe_load(text)))
    allowed = set(schema_leaves(schema, schema)) - {"global"}
    must(values == allowed, "values.yaml and values.schema.json differ in", *sorted(values ^ allowed))
    unexplained = values ^ set(commented(text))
    must(not unexplained, "values without a '# -- ' comment, or the reverse:", *sorted(unexplained))
    must(not list(open_objects(schema)), "additionalProperties is not false at", *open_objects(schema))
    command = [sys.executable, ROOT / "tests/charts/config_schema.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    must(done.returncode == 0, done.stderr)

    done = run("helm-docs", "--dry-run", "--chart-search-root", CHART, cwd=CHART)
    must(done.returncode == 0, "helm-docs:", done.stderr)
    must(done.stdout.strip() == (CHART / "README.md").read_text().strip(),
         "charts/neardup/README.md is behind values.yaml: run ./dev charts docs")

    must("` |  |\n" not in done.stdout, "helm-docs did not understand a comment; a second ' -- ' in it would do that:",
         *re.findall(r"^.*` \|  \|$", done.stdout, re.MULTILINE))

    thresholds = {name: float(value) for value, name in
                  re.findall(r"([0-9.]+) # threshold: (\w+)$", (CHART / "files/alerts.yaml").read_text(), re.MULTILINE)}
    given = yaml.safe_load(text)
    must(thresholds == {**given["prometheusRule"]["thresholds"], "replicaCount": given["replicaCount"]},
         "files/alerts.yaml and prometheusRule.thresholds, with replicaCount, have different thresholds:", thresholds)

    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    project = re.search(r"project\(neardup VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    must(chart["appVersion"] == project, f"appVersion is {chart['appVersion']}, the program's version is {project}")
    must(chart["kubeVersion"] == f">={VERSIONS[0]}.0-0", f"kubeVersion is {chart['kubeVersion']}, tested from {VERSIONS[0]}")
    must(f"image: neardup:{project}" in chart["annotations"]["artifacthub.io/images"],
         f"artifacthub.io/images does not name {project}")
    table("values files linted", len(CASES), f"helm lint --strict, Kubernetes {' and '.join(VERSIONS)}")
    table("values with comment and schema", len(values), "the same in values.yaml, its schema and the README")


# --- unit

def unit():
    done = run("helm-unittest", "--strict", CHART)
    must(done.returncode == 0, done.stdout, done.stderr)
    passed = re.search(r"Tests: +(\d+) passed, (\d+) total", done.stdout)
    must(passed and passed[1] == passed[2] and int(passed[1]) > 0, "helm-unittest ran no test:", done.stdout)
    suites = re.search(r"Test Suites: +(\d+) passed", done.stdout)[1]
    table("cases of helm-unittest", passed[1], f"{suites} suites")


# --- schemas

def conform(sets, version):
    """What kubeconform says of sets of manifests: their names to complaints (kind, words), and how many it looked at."""
    with tempfile.TemporaryDirectory() as folder:
        for name, manifests in sets.items():
            text = "\n---\n".join(json.dumps(manifest) for manifest in manifests)
            pathlib.Path(folder, f"{name}.yaml").write_text(text)
        done = run("kubeconform", "-strict", "-output", "json", "-summary", "-kubernetes-version", f"{version}.0",
                   "-schema-location", f"{TOOLS}/schemas/{version}/" "{{.ResourceKind}}{{.KindSuffix}}.json", folder)
    must(done.stdout, "kubeconform said nothing:", done.stderr)
    result = json.loads(done.stdout)
    complaints = {name: [] for name in sets}
    for found in result.get("resources") or []:
        complaints[pathlib.Path(found["filename"]).stem].append((found["kind"], found["msg"]))
    must((done.returncode == 0) == (not any(complaints.values())), done.stdout, done.stderr)
    return complaints, sum(result["summary"].values())


def check_rules(rule):
    """What promtool says about the rules as the chart makes them."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(rule["spec"], file)
        file.flush()
        done = subprocess.run(["promtool", "check", "rules", "--lint-fatal", file.name], capture_output=True, text=True)
    must(done.returncode == 0, done.stdout, done.stderr)


def cases_on(release, cases):
    """What promtool says of cases (tests/ops) on the rules as the chart makes them for a release of two; '' if they hold."""
    done = run("helm", "template", release, CHART, "--namespace", "crawl", "--values", CASES["default"],
               "--set", "prometheusRule.enabled=true", "--set", "replicaCount=2")
    must(done.returncode == 0, done.stderr)
    (rule,) = of_kind("PrometheusRule", documents(done.stdout))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "rules.yaml").write_text(yaml.safe_dump(rule["spec"]))
        files = []
        for interval, tests in rules.by_evaluation(cases["tests"], lambda case: case["interval"]).items():
            files.append(pathlib.Path(folder, f"cases_{interval}.yaml"))
            files[-1].write_text(yaml.safe_dump({"rule_files": ["rules.yaml"], "evaluation_interval": interval, "tests": tests}))
        done = subprocess.run(["promtool", "test", "rules", *map(str, files)], capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stdout + done.stderr


def check_release():
    """The alerts fire as rendered too, for the release of their series, and for no other."""
    cases = yaml.safe_load((ROOT / "tests/ops/alerts_cases.yaml").read_text())
    down = {"alertname": "NeardupDown"}
    cases["tests"] = [case for case in cases["tests"] if not any(down.items() <= t.items() for t in case["alert_rule_test"])]
    words = cases_on("neardup", cases)  # by which name the cases' series are scraped
    must(not words, "alerts of the chart do not fire as those of files/alerts.yaml:", words)
    fire = 0
    for case in cases["tests"]:
        for test in case["alert_rule_test"]:
            fire += len(test["exp_alerts"])
            test["exp_alerts"] = []
    words = cases_on("another", cases)
    must(not words, "alerts fire for another release:", words)
    table("alerts of a release", fire, "promtool, as rendered: for it, and not for another")


def assign(tree, path, value):
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    for step in way:
        tree = tree[step]
    tree[last] = value


def known(case, version=VERSIONS[-1]):
    return [manifest for manifest in documents(render(case, version=version)) if manifest["kind"] not in FOREIGN]


def lost_with_release(case):
    """The KafkaTopics that `helm uninstall` would delete, and their operator what is in them."""
    for topic in of_kind("KafkaTopic", documents(render(case))):
        if (topic["metadata"].get("annotations") or {}).get("helm.sh/resource-policy") != "keep":
            yield topic["metadata"]["name"]


def check_kept():
    count = 0
    for case in CASES:
        lost = list(lost_with_release(case))
        must(not lost, f"{case}: uninstalled, it would take these topics along:", *lost)
        count += len(of_kind("KafkaTopic", documents(render(case))))
    must(count >= 4, "no example has KafkaTopics any more")
    table("topics that outlive the release", count, "helm.sh/resource-policy: keep")


def check_without_hooks():
    """Both ways in docs/upgrade.md for tools that know no hooks leave out the job of the topics and the pod of the test."""
    for case in CASES:
        for arguments in (["--no-hooks"], ["--set", "topics.create=false,tests.enabled=false"]):
            kinds = {manifest["kind"] for manifest in documents(render(case, *arguments))}
            must("StatefulSet" in kinds and not kinds & {"Job", "Pod"}, f"{case}, {' '.join(arguments)}:", *sorted(kinds))
    table("examples without hooks", len(CASES), "no Job and no Pod, by --no-hooks and by values")


def with_error(error):
    manifests = known(error["case"])
    assign(of_kind(error["kind"], manifests)[0], error["path"], error["value"])
    return manifests


def schemas():
    planted = yaml.safe_load((ROOT / "tests/charts/planted.yaml").read_text())
    looked_at, kinds = 0, set()
    check_release()
    check_kept()
    check_without_hooks()
    for version in VERSIONS:
        sets = {case: known(case, version) for case in CASES}
        complaints, count = conform(sets, version)
        for case, found in complaints.items():
            must(not found, f"{case}, Kubernetes {version}:", *found)
        must(count == sum(map(len, sets.values())), f"of {sum(map(len, sets.values()))} manifests kubeconform saw {count}")
        looked_at += count
        kinds |= {manifest["kind"] for manifests in sets.values() for manifest in manifests}
        for rule in of_kind("PrometheusRule", [manifest for manifests in sets.values() for manifest in manifests]):
            check_rules(rule)

        complaints, _ = conform({str(number): with_error(error) for number, error in enumerate(planted)}, version)
        for number, error in enumerate(planted):
            found = complaints[str(number)]
            must([kind for kind, _ in found] == [error["kind"]],
                 f"planted {error['kind']} {error['path']}, Kubernetes {version}: found {found or 'nothing'}")
    table("manifests against schemas", looked_at,
          f"{len(kinds)} kinds, kubeconform -strict, Kubernetes {' and '.join(VERSIONS)} with the Prometheus operator",
          len(planted))


# --- config

ETC = "/etc/neardup"  # and what begins so: where the chart mounts what the service reads


def pod_files(pod, manifests, folder, fallback):
    """Lays out in `folder` what the volume `config`, and those of ConfigMaps among the manifests, hold in the pod."""
    held = {m["metadata"]["name"]: m["data"] for m in of_kind("ConfigMap", manifests)}
    places = {mount["name"]: mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}

    def put(path, content):
        file = folder / path.removeprefix("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content.replace(ETC, f"{folder}{ETC}"))

    for volume in pod["volumes"]:
        for key, content in held.get(volume.get("configMap", {}).get("name"), {}).items():
            put(f"{places[volume['name']]}/{key}", content)
    volume = next(volume for volume in pod["volumes"] if volume["name"] == "config")
    for source in volume["projected"]["sources"]:
        ((kind, what),) = source.items()
        for item in what["items"]:
            put(f"{places['config']}/{item['path']}",
                held.get(what["name"], {}).get(item["key"], fallback) if kind == "configMap" else "a secret\n")


def neardup(pod, arguments, folder):
    environment = {variable["name"]: variable["value"] for variable in pod["containers"][0].get("env", [])}
    command = [os.environ["NEARDUP_BINARY"], *(word.replace(ETC, f"{folder}{ETC}") for word in arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def validate(manifests):
    """`neardup validate --offline` with the files, environment and command line of the pod."""
    # A ConfigMap of the user's own is not ours to render; it may name the secrets we mount.
    fallback = ("kafka:\n  security_protocol: sasl_plaintext\n  sasl_mechanism: PLAIN\n  sasl_username: neardup\n"
                "  sasl_password_file: /etc/neardup/sasl/password\nhttp: {port: 1}\n")
    (stateful_set,) = of_kind("StatefulSet", manifests)
    pod = stateful_set["spec"]["template"]["spec"]
    arguments = pod["containers"][0]["args"]
    must(arguments[0] == "serve", arguments)
    with tempfile.TemporaryDirectory() as folder:
        pod_files(pod, manifests, pathlib.Path(folder), fallback)
        serve_only = {"serve", "--fail-fast"}
        return neardup(pod, ["validate", "--offline", *(word for word in arguments if word not in serve_only)], folder)


def topics_command(manifests):
    """The command of the job that makes topics, at a port where nobody listens."""
    (job,) = of_kind("Job", manifests)
    pod = job["spec"]["template"]["spec"]
    with tempfile.TemporaryDirectory() as folder:
        pod_files(pod, manifests, pathlib.Path(folder), "")
        arguments = list(pod["containers"][0]["args"])
        arguments[arguments.index("--timeout-ms") + 1] = "1000"
        return neardup(pod, [*arguments, "--set", "kafka.brokers=127.0.0.1:9"], folder)


def named(node):
    """The ConfigMaps and Secrets that a pod cannot start without, as (kind, name)."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if key in ("configMap", "configMapRef", "configMapKeyRef") and not value.get("optional"):
            yield "ConfigMap", value["name"]
        elif key in ("secret", "secretRef", "secretKeyRef") and not value.get("optional"):
            yield "Secret", value.get("secretName") or value["name"]
        else:
            yield from named(value)


def late_for_topics(manifests):
    """What the job that makes topics needs, and Helm makes only after it."""

    def place(manifest):  # behind all hooks, or among them
        annotations = manifest["metadata"].get("annotations") or {}
        early = "pre-install" in annotations.get("helm.sh/hook", "").split(",")
        return int(annotations.get("helm.sh/hook-weight", 0)) if early else float("inf")

    for job in of_kind("Job", manifests):
        needs = set(named(job["spec"]["template"]["spec"]))
        for manifest in manifests:
            which = manifest["kind"], manifest["metadata"]["name"]
            if which in needs and place(manifest) >= place(job):
                yield which


def check_secrets():
    """Helm refuses the names below kafka.properties that the service takes for secrets, and no other."""
    source = (ROOT / "service/config_table.cc").read_text()
    listed = re.findall(r'\{"([a-z._]+)",', source.split("kRefusals[] = {")[1].split("};")[0])
    tails = re.findall(r'ends\("([^"]+)"\)', source)
    must(len(listed) > 20 and tails, "service/config_table.cc is written otherwise than this reads it")
    taken = {"linger.ms", "topic.metadata.refresh.interval.ms"}
    names = [*listed, *(f"topic.{name}" for name in listed), *(f"any{tail}" for tail in tails), *sorted(taken)]

    # A number, for the service asks librdkafka as well, which takes no other word for those.
    properties = (f"-X{name}=1000" for name in names)
    command = [os.environ["NEARDUP_BINARY"], "validate", "--offline", *properties]
    done = subprocess.run(command, capture_output=True, text=True, env={})
    # One line for each. The words about a secret name the setting for its file.
    said = dict(re.findall(r"kafka\.properties\.(\S+): (.*)", done.stderr))
    must(said.keys() == set(names) - taken, "the service does not refuse what it lists:", done.stderr)
    secrets = {name for name, words in said.items() if "_file" in words and "a setting of its own" not in words}

    values = yaml.safe_dump({"kafka": {"brokers": "kafka:9092", "properties": dict.fromkeys(names, "x")}})
    done = run("helm", "template", "crawl", CHART, "--kube-version", VERSIONS[-1], "--values", "-", input=values)
    refused = set(re.findall(r"invalid propertyName '(.*)'", done.stderr))
    must(refused == secrets, "schema and service differ on which properties are secrets:", *sorted(refused ^ secrets))
    table("names of secrets refused", len(secrets), "by the schema as by the service")


def config():
    check_secrets()
    for case in CASES:
        done = validate(documents(render(case)))
        must(done.returncode == 0, f"{case}: the service refuses its configuration:", done.stderr)
    for case in ("default", "scrapy-tuned"):
        done = topics_command(documents(render(case)))
        must(done.returncode == 69, f"{case}: Kafka cannot be reached, so 69, but it was {done.returncode}:", done.stderr)
    for case in CASES:
        late = list(late_for_topics(documents(render(case))))
        must(not late, f"{case}: the topics job cannot start on install, for it waits for", *late)
    manifests = documents(render("stop-words"))
    for manifest in of_kind("ConfigMap", manifests):
        manifest["metadata"].get("annotations", {}).pop("helm.sh/hook", None)
    late = {name for _, name in late_for_topics(manifests)}
    must(late == {"neardup-words", "crawl-neardup-topics"}, "ConfigMaps that come too late were not noticed:", late)
    # Past the schema, the service itself is the guard; were it not, this check would prove nothing.
    planted = {"config.pipeline.thread=4": "pipeline.threads", "config.batch.interval_ms=1": "5 .. 10000",
               "config.kafka.topics.unique=pages": "pages"}
    for assignment, words in planted.items():
        done = validate(documents(render("default", "--skip-schema-validation", "--set", assignment)))
        must(done.returncode == 78 and words in done.stderr, f"planted {assignment} was not refused for it:", done.stderr)
    # A secret that is mounted elsewhere than the configuration says.
    manifests = documents(render("strimzi-mtls"))
    (stateful_set,) = of_kind("StatefulSet", manifests)
    volume = next(v for v in stateful_set["spec"]["template"]["spec"]["volumes"] if v["name"] == "config")
    volume["projected"]["sources"][1]["secret"]["items"][0]["path"] = "ca.crt"
    done = validate(manifests)
    must(done.returncode != 0 and "tls_ca_file" in done.stderr, "a misplaced secret was not noticed:", done.stderr)
    table("configurations the service accepts", len(CASES),
          "neardup validate --offline, with the pod's files and arguments", len(planted) + 2)


# --- refused

def refused():
    cases = yaml.safe_load((ROOT / "tests/charts/refused.yaml").read_text())
    for case in cases:
        values = yaml.safe_dump({"kafka": {"brokers": "kafka:9092"}, **case["values"]})
        done = run("helm", "template", case.get("release", "crawl"), CHART, "--kube-version", case.get("version", VERSIONS[-1]),
                   "--values", "-", input=values)
        must(done.returncode != 0, "installs, and must not:", values)
        must(case["says"] in done.stderr, f"refused, but not for the reason. Expected: {case['says']}", values, done.stderr)
    # Named, and left empty: Helm drops it before the schema sees it. It does no harm, or is refused by its name.
    everything = {f"{kind}.enabled": True for kind in ("networkPolicy", "persistence", "podMonitor", "prometheusRule", "dashboards")}
    emptied = 0
    for path in maps_and_lists(yaml.safe_load((CHART / "values.yaml").read_text())):
        sets = {"kafka.brokers": "kafka:9092", **everything, path: None}
        done = run("helm", "template", "crawl", CHART, "--kube-version", VERSIONS[-1],
                   *(word for name, value in sets.items() for word in ("--set-json", f"{name}={json.dumps(value)}")))
        must(done.returncode == 0 or f" {path}: is empty" in done.stderr, f"{path}=null is not refused by its name:", done.stderr)
        emptied += done.returncode != 0
    must(emptied > 20, "hardly a value that is left empty is refused:", emptied)
    table("wrong values refused", len(cases), "misspelt, of a wrong type, out of range, contradictory, left empty",
          len(cases) + emptied)


def maps_and_lists(values, above=""):
    for name, value in values.items():
        if isinstance(value, dict | list):
            yield above + name
        if isinstance(value, dict):
            yield from maps_and_lists(value, f"{above}{name}.")


# --- golden

def without_dashboards(case, text):
    """`text` with each dashboard, once it is found to be the file itself, left out: dashboards have tests of their own."""
    for file in (CHART / "files/dashboards").glob("*.json"):
        content = file.read_text()
        for manifest in of_kind("ConfigMap", documents(text)):
            if file.name in manifest["data"]:
                must(manifest["data"][file.name] == content.strip(), f"{case}: {file.name} is not the file as it is")
                block = "\n".join("    " + line for line in content.strip().splitlines())
                text = text.replace(block, f"    (files/dashboards/{file.name})")
    return text


def golden(update=False):
    for case in GOLDEN_OF:
        text = without_dashboards(case, render(case))
        kept = GOLDEN / f"{case}.yaml"
        if update:
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(text)
        must(kept.exists() and text == kept.read_text(), f"{case} renders otherwise than {kept.relative_to(ROOT)}.",
             "If it should: ./dev charts golden --update, and look at the difference before you commit it.")
    table("goldens", len(GOLDEN_OF), "rendered manifests, byte for byte")


if __name__ == "__main__":
    check, *rest = sys.argv[1:]
    checks = {function.__name__: function for function in (lint, unit, schemas, config, refused, golden)}
    try:
        must(len(CASES) >= 8 and len(VERSIONS) == 2, f"{len(CASES)} files in ci/, schemas of {VERSIONS}")
        golden(update=True) if rest == ["--update"] and check == "golden" else checks[check]()
    except Wrong as wrong:
        sys.exit(f"chart {check}: {wrong}")
