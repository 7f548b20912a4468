#!/usr/bin/env -S python3 -B
"""The README's commands that need no Kafka say what the README shows.

usage: readme_test.py NEARDUP
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import neardup_command

README = pathlib.Path(__file__).resolve().parents[3] / "README.md"
SECTION = "## Without Kafka\n"
BLOCK = re.compile(r"^```\n(\$ .*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)  # and the lines it says


def main():
    section = README.read_text().split(SECTION)[1].split("\n## ")[0]
    shown = [command for block in BLOCK.findall(section) for command in COMMAND.findall(block)]
    assert sum(command.startswith("neardup ") for command, _ in shown) == 4, f"the README shows {shown}"
    environment = neardup_command.environment()
    environment["PATH"] = f"{pathlib.Path(sys.argv[1]).resolve().parent}:{environment['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        for command, says in shown:
            if command.startswith("cat "):
                pathlib.Path(folder, command.removeprefix("cat ")).write_text(says)
                continue
            done = subprocess.run(command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, check=True, text=True)
            assert done.stdout == says, f"{command}\n{done.stdout}--- the README shows\n{says}"


if __name__ == "__main__":
    main()
