#!/usr/bin/env python3
"""Does each alert fire when it should, stay quiet when it should, and lead to a runbook that helps?

promtool checks the rules and runs alerts_cases.yaml. The rest is looked at here: each alert has a case that notices if it
never fires and one that notices if it always does (both are planted, one alert at a time), says how bad it is, and has a
runbook of its own, which names only metrics, commands, options and settings that exist, as do other PAGES for operators;
that of the dead letters names each reason there is.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import rules

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALERTS = ROOT / "charts/neardup/files/alerts.yaml"
CASES = ROOT / "tests/ops/alerts_cases.yaml"
RUNBOOKS = ROOT / "docs/runbooks"
REFERENCE = ROOT / "docs/metrics.md"
SETTINGS = ROOT / "config/settings.md"
DECISION = ROOT / "core/decision.h"
PAGES = ["service/README.md", "docs/upgrade.md"]  # which name commands and settings too
SECTIONS = ["Meaning", "Impact", "Diagnosis", "Mitigation"]

# What a case expects at a time, of one alert. Nothing is one line, alerts are several.
EXPECTED = re.compile(r"^      - \{?eval_time: .*?(?=^      - |^  - |\Z)", re.MULTILINE | re.DOTALL)
FIRING = re.compile(r"^      - eval_time: .*?(?=^      - |^  - |\Z)", re.MULTILINE | re.DOTALL)


def overview(alerts_text):
    """docs/runbooks/README.md: the alerts as a table."""
    lines = ["# Alerts", "", "What wakes a person, and the page that helps. Written from charts/neardup/files/alerts.yaml; do not edit.", ""]
    lines += ["| alert | severity | for | says |", "|---|---|---|---|"]
    for alert in rules.alerts(alerts_text):
        lines.append(f"| [{alert['name']}]({alert['name']}.md) | {alert['severity']} | {alert['hold'] or 'at once'} | {alert['summary']} |")
    return "\n".join(lines) + "\n"


def promtool(*arguments):
    run = subprocess.run(["promtool", *arguments], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def cases_fail(alerts_text, cases_text):
    """Runs the cases on the rules; what promtool says if any fails, else ''."""
    with tempfile.TemporaryDirectory() as folder:
        # Of two instances, or NeardupInstanceMissing has nothing to miss.
        pathlib.Path(folder, "alerts.yaml").write_text(re.sub(r"\b1( # threshold: replicaCount\n)", r"2\1", alerts_text))
        files = []
        for interval, cases in rules.cases_by_evaluation(cases_text).items():
            files.append(pathlib.Path(folder, f"cases_{interval}.yaml"))
            files[-1].write_text(re.sub(r"^rule_files: .*$", "rule_files: [alerts.yaml]", cases, flags=re.MULTILINE))
        code, words = promtool("test", "rules", *map(str, files))
        return "" if code == 0 else words


def commands_of(cli):
    """The commands of service/commands/cli.cc, each with the options it takes."""

    def options(body):
        return set(re.findall(r'[",](--[a-z-]+)"', body))

    bodies = dict(re.findall(r"^Run setup_(\w+)\(.*?\{\n(.*?)^\}", cli, re.MULTILINE | re.DOTALL))
    (sources,) = re.findall(r"^void declare_sources\(.*?^\}", cli, re.MULTILINE | re.DOTALL)
    of_all = options(sources) | {"--config", "--help"}
    named = re.findall(r'^    \{"([a-z-]+)",.*?\bsetup_(\w+)\}', cli, re.MULTILINE | re.DOTALL)
    return {name: options(bodies[setup]) | of_all for name, setup in named}


def code_in(text):
    """Spans of code, and the lines of blocks of code."""
    block = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
    for lines in block.findall(text):
        yield from lines.splitlines()
    yield from re.findall(r"`([^`]+)`", block.sub("", text))


def unknown_names(page, text, reference, commands):
    """What a page names that is not there."""
    settings = re.findall(r"^\| `([a-z_.]+)` \|", SETTINGS.read_text(), re.MULTILINE)
    settings += [setting.rpartition(".")[0] for setting in settings]
    sections = {setting.split(".")[0] for setting in settings}
    for unknown in sorted(rules.metrics_named(text) - rules.metrics_documented(reference)):
        yield f"{page}: {unknown} is not in docs/metrics.md"
    for code in code_in(text):
        for command, rest in re.findall(r"(?<!status )(?<!-u )\bneardup ([a-z][a-z-]+)([^|;&]*)", code):
            if command not in commands:
                yield f"{page}: there is no command `neardup {command}`"
                continue
            for option in re.findall(r" (--[a-z-]*[a-z])(?!-?[.]{3})\b", rest):
                if option not in commands[command]:
                    yield f"{page}: `neardup {command}` has no option {option}"
        for setting in re.findall(r"\b[a-z]+\.[a-z_.]*[a-z]\b", code):
            if setting.split(".")[0] in sections and setting not in settings:
                yield f"{page}: there is no setting {setting}"


def complaints(alerts_text, runbooks, reference, commands):
    """What is wrong with alerts and runbooks, without running anything. `runbooks`: name to text."""
    alerts = rules.alerts(alerts_text)
    documented = rules.metrics_documented(reference)
    reasons = re.findall(r'"([a-z0-9_]+)"', re.search(r"kRejectReasonNames = \{(.*?)\};", DECISION.read_text(), re.DOTALL)[1])
    for alert in alerts:
        name = alert["name"]
        if not name.startswith("Neardup"):
            yield f"{name}: the name does not begin with Neardup"
        if alert["severity"] not in ("warning", "critical"):
            yield f"{name}: severity {alert['severity']}"
        if alert["runbook_url"] != f"docs/runbooks/{name}.md":
            yield f"{name}: runbook_url {alert['runbook_url']}"
        if name not in runbooks:
            yield f"{name}: no runbook docs/runbooks/{name}.md"
    for unknown in sorted(rules.metrics_named(alerts_text) - documented):
        yield f"alerts.yaml: {unknown} is not in docs/metrics.md"
    labels = [(alert["name"], alert["window"]) for alert in alerts]
    for name in sorted({name for name, window in labels if labels.count((name, window)) > 1}):
        yield f"{name}: two rules that nothing but their severity keeps apart"
    named = {alert["name"] for alert in alerts}
    for name, text in runbooks.items():
        if name not in named:
            yield f"docs/runbooks/{name}.md: there is no such alert"
        parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
        if parts[0].strip() != f"# {name}" or parts[1::2] != SECTIONS:
            yield f"docs/runbooks/{name}.md: headings are not # {name}, ## {', ## '.join(SECTIONS)}"
        for section, body in zip(parts[1::2], parts[2::2]):
            if len(body.split()) < 3:
                yield f"docs/runbooks/{name}.md: nothing under {section}"
        if "`extraArgs`" in text and "what was accepted is in the journal now" not in text:
            yield f"docs/runbooks/{name}.md: nothing about when to take an option out of extraArgs again"
        for reason in reasons if name == "NeardupDeadLetters" else []:
            if f"`{reason}`" not in text:
                yield f"docs/runbooks/{name}.md: nothing about {reason}"
        yield from unknown_names(f"docs/runbooks/{name}.md", text, reference, commands)


def planted(alerts_text, runbooks, reference, commands):
    """Errors of the kinds that complaints looks for; yields (what, is it found)."""

    def found(word, alerts_text=alerts_text, runbooks=runbooks):
        try:
            return any(word in line for line in complaints(alerts_text, runbooks, reference, commands))
        except ValueError as error:
            return word in str(error)

    page = runbooks["NeardupDown"]
    other = {name: text for name, text in runbooks.items() if name != "NeardupDown"}
    yield "a runbook is missing", found("NeardupDown: no runbook", runbooks=other)
    yield "a runbook of no alert", found("no such alert", runbooks={**runbooks, "NeardupGone": page})
    yield "a section is missing", found("headings", runbooks={**other, "NeardupDown": page.replace("## Impact", "Impact")})
    yield "an empty section", found("nothing under Impact", runbooks={**other, "NeardupDown": re.sub(r"(## Impact\n).*?(?=\n## )", r"\1", page, flags=re.DOTALL)})
    yield "a runbook with an old metric", found("neardup_gone", runbooks={**other, "NeardupDown": page + "`neardup_gone`\n"})
    yield "a runbook with a command that is none", found("neardup mend", runbooks={**other, "NeardupDown": page + "`neardup mend`\n"})
    yield "a runbook with an option that is none", found("no option --mend", runbooks={**other, "NeardupDown": page + "`neardup serve --mend`\n"})
    yield "a runbook with another command's option", found("no option --fail-fast", runbooks={**other, "NeardupDown": page + "`neardup validate --fail-fast`\n"})
    block = "```\nneardup serve -c neardup.yaml --mend   mends\n```\n"
    yield "a block of code with an option that is none", found("no option --mend", runbooks={**other, "NeardupDown": page + block})
    yield "a runbook with an old setting", found("no setting index.gone", runbooks={**other, "NeardupDown": page + "`index.gone: 1`\n"})
    for_ever = page.replace("what was accepted is in the journal now", "so")
    yield "an option that stays in extraArgs", found("extraArgs again", runbooks={**other, "NeardupDown": for_ever})
    letters = runbooks["NeardupDeadLetters"].replace("`too_deep`", "that")
    yield "a reason without advice", found("nothing about too_deep", runbooks={**runbooks, "NeardupDeadLetters": letters})
    yield "an alert with an old metric", found("neardup_gone", alerts_text.replace("neardup_index_bytes offset", "neardup_gone offset"))
    yield "an alert without a severity", found("NeardupDown", alerts_text.replace("          severity: critical\n", "          level: high\n", 1))
    yield "two rules of one name and window", found("NeardupLatencyBudgetBurn: two rules", alerts_text.replace("          window: slow\n", "          window: fast\n"))
    yield "an alert without a description", found("NeardupDown", re.sub(r"          description: .*\n", "", alerts_text, count=1))
    yield "another alert's runbook", found("runbook_url", alerts_text.replace("runbooks/NeardupDown.md", "runbooks/NeardupLagGrowing.md"))


def cases_of(alert_name, cases_text):
    """The cases of one alert, without what they expect of others, which are not there when it is alone."""
    head, *cases = rules.split_cases(cases_text)
    named = f"alertname: {alert_name}"
    its_cases = head + "".join(case for case in cases if named in case)
    return EXPECTED.sub(lambda expected: expected[0] if named in expected[0] else "", its_cases)


def always_and_never(alerts_text, cases_text):
    """Each alert made to fire always, with only the quiet cases to notice, and never. Yields (what, is it found).

    What fails an alert as it is finds nothing, so its cases have to pass then.
    """

    def is_found(alert):
        its_cases = cases_of(alert["name"], cases_text)

        def fails(expr, cases):
            return cases_fail(rules.alone(alerts_text, alert, expr), cases) != ""

        passes = not fails(alert["expr"], its_cases)
        return passes and fails("vector(1)", FIRING.sub("", its_cases)), passes and fails("vector(1) < 0", its_cases)

    alerts = rules.alerts(alerts_text)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for alert, (always, never) in zip(alerts, pool.map(is_found, alerts)):
            label = f"{alert['name']} ({alert['severity']})"
            yield f"{label} always fires", always
            yield f"{label} never fires", never


def main():
    alerts_text, cases_text = ALERTS.read_text(), CASES.read_text()
    runbooks = {path.stem: path.read_text() for path in sorted(RUNBOOKS.glob("*.md")) if path.name != "README.md"}
    reference = REFERENCE.read_text()
    cli = (ROOT / "service/commands/cli.cc").read_text()
    commands = commands_of(cli)
    wrong = list(complaints(alerts_text, runbooks, reference, commands))
    for page in PAGES:
        wrong += unknown_names(page, (ROOT / page).read_text(), reference, commands)
    table = RUNBOOKS / "README.md"
    if os.environ.get("UPDATE_GOLDEN"):
        table.write_text(overview(alerts_text))
    if not table.exists() or table.read_text() != overview(alerts_text):
        wrong.append(f"{table} is not current: run this with UPDATE_GOLDEN=1 in the environment")
    rows = [row for row in overview(alerts_text).splitlines() if row.startswith("| [")]
    front = (ROOT / "README.md").read_text().replace("](docs/runbooks/", "](")
    wrong += [f"README.md lacks the row {row}" for row in rows if row not in front.splitlines()]
    wrong += [f"README.md has a row of no alert: {row}" for row in front.splitlines() if row.startswith("| [Neardup") and row not in rows]
    code, words = promtool("check", "rules", "--lint-fatal", str(ALERTS))
    if code != 0:
        wrong.append(words)
    if words := cases_fail(alerts_text, cases_text):
        wrong.append(words)

    errors = [*planted(alerts_text, runbooks, reference, commands), *always_and_never(alerts_text, cases_text)]
    wrong += [f"planted and not found: {what}" for what, is_found in errors if not is_found]
    fire, quiet = len(FIRING.findall(cases_text)), cases_text.count("exp_alerts: []}")
    print(f"table: alerts | {len(rules.alerts(alerts_text))} | {fire} fire, {quiet} stay quiet | {sum(f for _, f in errors)} of {len(errors)}")
    print(f"table: recording rules | {len(re.findall(r'- record:', alerts_text))} | promtool's lint |")
    print(f"table: runbooks | {len(runbooks)} | alerts, metrics, commands, options, settings; {' and '.join(PAGES)} too |")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
