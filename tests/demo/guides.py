"""Which pages does the demo read? Debian's installation guide: one book, for several architectures, in many languages.

Downloaded by name with apt, as any user, unpacked with dpkg-deb, never installed. What stays is in the cache that all
checkouts share, laid out as www.debian.org publishes it: amd64/ch01s01.zh-cn.html. Remove the folder to have it anew.
"""

import fcntl
import os
import pathlib
import shutil
import subprocess
import tempfile

ARCHITECTURES = ("amd64", "arm64", "armhf", "i386", "ppc64el", "s390x")
URL_PREFIX = "https://www.debian.org/releases/bookworm/"
DOWNLOAD_SECONDS_MAX = 600


class CannotFetch(Exception):
    """The pages cannot be had; the message says what was tried."""


def cache_folder():
    """The folder that tests/support/steps.sh calls neardup_cache."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("NEARDUP_CACHE") or os.path.join(home, "neardup"))


def fetch(log):
    """The folder of the pages, one sub-folder an architecture. Fills it if it is not there; `log` is an open file."""
    cache = cache_folder()
    pages = cache / "installation-guides"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / ".installation-guides.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two runs at a time: the second finds what the first one made
        if not pages.is_dir():
            with tempfile.TemporaryDirectory(dir=cache, prefix=".installation-guides.") as work:
                unpacked = _unpack(_download(pathlib.Path(work), log), pathlib.Path(work), log)
                unpacked.rename(pages)  # whole or absent
    return pages


def url(pages, page):
    return URL_PREFIX + page.relative_to(pages).as_posix()


def language(url_or_name):
    return str(url_or_name).split(".")[-2]


def _download(work, log):
    names = [f"installation-guide-{architecture}" for architecture in ARCHITECTURES]
    if not _apt(work, log, "download", *names):
        # The machine's lists of packages are missing, or older than the archive. Lists of our own need no root.
        (work / "lists/partial").mkdir(parents=True)
        (work / "apt/archives/partial").mkdir(parents=True)
        ours = ["-o", f"Dir::State::lists={work}/lists", "-o", f"Dir::Cache={work}/apt"]
        if not (_apt(work, log, *ours, "update") and _apt(work, log, *ours, "download", *names)):
            raise CannotFetch(f"apt cannot download {' '.join(names)}: {log.name} has what it says")
    return [next(work.glob(f"{name}_*.deb")) for name in names]


def _apt(work, log, *arguments):
    # Root's apt would download as the user _apt, who may not enter the cache of root.
    command = ["apt-get", "-o", "APT::Sandbox::User=root", *arguments]
    try:
        return _run(command, work, log).returncode == 0
    except subprocess.TimeoutExpired as error:
        raise CannotFetch(f"apt did not end within {error.timeout} s: {log.name}") from error


def _unpack(packages, work, log):
    pages = work / "pages"
    for architecture, package in zip(ARCHITECTURES, packages):
        target = pages / architecture
        target.mkdir(parents=True)
        tree = work / "tree"
        if _run(["dpkg-deb", "-x", package.name, tree.name], work, log).returncode != 0:
            raise CannotFetch(f"dpkg-deb cannot unpack {package.name}: {log.name}")
        for page in sorted(tree.glob(f"usr/share/doc/installation-guide-{architecture}/*/*.html")):
            page.rename(target / f"{page.stem}.{page.parent.name.lower().replace('_', '-')}.html")
        shutil.rmtree(tree)
        if not any(target.iterdir()):
            raise CannotFetch(f"there are no pages in {package.name}")
    return pages


def _run(command, work, log):
    return subprocess.run(
        command, cwd=work, stdout=log, stderr=log, stdin=subprocess.DEVNULL, timeout=DOWNLOAD_SECONDS_MAX, check=False
    )
