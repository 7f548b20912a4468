"""docker-compose.yml as the tests see it: which files a service gets, and what it is told to do.

    compose.py mounts SERVICE     SOURCE TARGET a line, for every file or folder it mounts
    compose.py command SERVICE    its command, a word a line
"""

import pathlib
import sys

import yaml

ROOT = pathlib.Path(__file__).parents[2]


def load(path=ROOT / "docker-compose.yml"):
    return yaml.safe_load(path.read_text())


def mounts(service):
    """[(path in the repository, path in the container)]; all of them are bind mounts that may only be read."""
    pairs = []
    for volume in service.get("volumes", []):
        source, target, mode = volume.split(":")
        if not source.startswith("./") or mode != "ro":
            raise ValueError(f"volume {volume} is not ./SOURCE:TARGET:ro")
        pairs.append((source[2:], target))
    return pairs


def on_the_host(service, word):
    """A word of a command, with a path in the container turned into the one in the repository."""
    for source, target in mounts(service):
        if word == target or word.startswith(target + "/"):
            return str(ROOT / source) + word[len(target) :]
    return word


if __name__ == "__main__":
    what, name = sys.argv[1:]
    chosen = load()["services"][name]
    if what == "mounts":
        for source, target in mounts(chosen):
            print(source, target)
    elif what == "command":
        print("\n".join(chosen["command"]))
    else:
        sys.exit(__doc__)
