"""Which pages does the demo read? Debian's installation guide: one book, for several architectures, in many languages.

Downloaded by name with apt, as any user, unpacked with dpkg-deb, never installed. What stays is in the cache that all
checkouts share, laid out as www.debian.org publishes it: amd64/ch01s01.zh-cn.html. Remove the folder to have it anew.
"""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

import debian_docs

ARCHITECTURES = ("amd64", "arm64", "armhf", "i386", "ppc64el", "s390x")
URL_PREFIX = "https://www.debian.org/releases/bookworm/"
CannotFetch = debian_docs.CannotFetch


def fetch(log):
    """The folder of the pages, one sub-folder an architecture. Fills it if it is not there; `log` is an open file."""
    return debian_docs.cached("installation-guides", lambda work: _make(work, log))


def url(pages, page):
    return URL_PREFIX + page.relative_to(pages).as_posix()


def language(url_or_name):
    return str(url_or_name).split(".")[-2]


def _make(work, log):
    pages = work / "pages"
    names = [f"installation-guide-{architecture}" for architecture in ARCHITECTURES]
    for architecture, package in zip(ARCHITECTURES, debian_docs.download(names, work, log)):
        target = pages / architecture
        target.mkdir(parents=True)
        tree = work / "tree"
        debian_docs.unpack(package, tree, log)
        for page in sorted(tree.glob(f"usr/share/doc/installation-guide-{architecture}/*/*.html")):
            page.rename(target / f"{page.stem}.{page.parent.name.lower().replace('_', '-')}.html")
        shutil.rmtree(tree)
        if not any(target.iterdir()):
            raise CannotFetch(f"there are no pages in {package.name}")
    return pages
