"""Real pages to measure on: the HTML documentation of Debian packages.

Packages are downloaded by name with apt, as any user, and unpacked with dpkg-deb; nothing is installed. What is made of
them stays in the cache that all checkouts share; remove its folder to have it anew.
"""

import fcntl
import os
import pathlib
import subprocess
import tempfile

DOWNLOAD_SECONDS_MAX = 900


class CannotFetch(Exception):
    """The packages cannot be had; the message says what was tried."""


def cache_folder():
    """The folder that tests/support/steps.sh calls neardup_cache."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("NEARDUP_CACHE") or os.path.join(home, "neardup"))


def cached(name, make):
    """The folder `name` of the cache. Whole or absent: where it is not, make(work) fills and returns a folder below work."""
    cache = cache_folder()
    folder = cache / name
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f".{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two runs at a time: the second finds what the first one made
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=cache, prefix=f".{name}.") as work:
                make(pathlib.Path(work)).rename(folder)
    return folder


def download(names, work, log):
    """The .deb files of the packages, in the order of `names`, in the folder `work`; `log` is an open file."""
    if not _apt(work, log, "download", *names):
        # The machine's lists of packages are missing, or older than the archive. Lists of our own need no root.
        (work / "lists/partial").mkdir(parents=True)
        (work / "apt/archives/partial").mkdir(parents=True)
        ours = ["-o", f"Dir::State::lists={work}/lists", "-o", f"Dir::Cache={work}/apt"]
        if not (_apt(work, log, *ours, "update") and _apt(work, log, *ours, "download", *names)):
            raise CannotFetch(f"apt cannot download {' '.join(names)}: {log.name} has what it says")
    return [next(work.glob(f"{name}_*.deb")) for name in names]


def unpack(package, tree, log):
    """Unpacks the .deb file `package` into the folder `tree`."""
    if _run(["dpkg-deb", "-x", str(package), str(tree)], tree.parent, log).returncode != 0:
        raise CannotFetch(f"dpkg-deb cannot unpack {package.name}: {log.name}")


def _apt(work, log, *arguments):
    # Root's apt would download as the user _apt, who may not enter the cache of root.
    command = ["apt-get", "-o", "APT::Sandbox::User=root", *arguments]
    try:
        return _run(command, work, log).returncode == 0
    except subprocess.TimeoutExpired as error:
        raise CannotFetch(f"apt did not end within {error.timeout} s: {log.name}") from error


def _run(command, work, log):
    return subprocess.run(
        command, cwd=work, stdout=log, stderr=log, stdin=subprocess.DEVNULL, timeout=DOWNLOAD_SECONDS_MAX, check=False
    )
