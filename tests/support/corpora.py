#!/usr/bin/env python3
"""corpora: real pages for the benchmarks, as JSON lines {"id", "url", "html"}.

  corpora.py            prints the folder with en.jsonl and zh.jsonl: 34 MB of English pages, 17 MB of Chinese ones
  corpora.py --large    prints the folder with docs.jsonl: pages of more packages in several languages, for an index of
                        millions of fingerprints (170 MB to download)

The pages are the HTML documentation of Debian packages (debian_docs.py), 1 to 200 KB each, in an order that mixes the
packages and is the same everywhere.
"""

import argparse
import gzip
import hashlib
import json
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True

import debian_docs

PAGE_BYTES_MIN, PAGE_BYTES_MAX = 1000, 200_000
EN_BYTES_MAX, ZH_BYTES_MAX = 34_000_000, 17_000_000

EN = ("python3.11-doc", "postgresql-doc-15", "debian-reference-en", "libreoffice-help-en-us")
ZH = ("libreoffice-help-zh-cn", "linuxcnc-doc-zh-cn", "debian-reference-zh-cn", "maint-guide-zh-cn")
MORE = (
    *("linux-doc-6.1", "libboost1.81-doc", "erlang-doc", "octave-doc", "qtbase5-doc-html", "rust-doc", "openjdk-17-doc"),
    *("libreoffice-help-zh-tw", "libreoffice-help-ja", "libstdc++-12-doc", "python-django-doc", "debian-handbook"),
)
# Besides its language a package may hold the English original.
ZH_PAGE = re.compile(rb"[\xe4-\xe9][\x80-\xbf]{2}")
ZH_CHARACTERS_MIN = 100


def pages(packages, work, log):
    """Yields (id, html) of all usable pages of the packages."""
    for name, package in zip(packages, debian_docs.download(packages, work, log)):
        tree = work / "tree"
        debian_docs.unpack(package, tree, log)
        for path in sorted(tree.rglob("*")):
            if not path.is_file() or path.is_symlink() or not path.name.endswith((".html", ".htm", ".html.gz", ".xhtml")):
                continue
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            if PAGE_BYTES_MIN <= len(content) <= PAGE_BYTES_MAX:
                try:
                    yield f"{name}/{path.relative_to(tree).as_posix()}", content.decode("utf-8")
                except UnicodeDecodeError:
                    continue  # an old page in another charset
        shutil.rmtree(tree)


def mixed(found):
    """By a hash of the name: mixes the packages, and does not hang on the order of a directory."""
    return sorted(found, key=lambda page: hashlib.sha256(page[0].encode()).digest())


def write(path, found, bytes_max):
    written = 0
    with open(path, "w", encoding="utf-8") as file:
        for name, html in found:
            if written >= bytes_max:
                break
            written += len(html.encode())
            page = {"id": name, "url": f"https://docs.example/{name}", "html": html}
            file.write(json.dumps(page, ensure_ascii=False) + "\n")
    if written == 0:
        raise debian_docs.CannotFetch(f"there are no pages for {path.name}")


def is_chinese(html):
    return len(ZH_PAGE.findall(html.encode())) >= ZH_CHARACTERS_MIN


def make_small(work, log):
    folder = work / "corpora"
    folder.mkdir()
    write(folder / "en.jsonl", mixed(p for p in pages(EN, work, log) if not is_chinese(p[1])), EN_BYTES_MAX)
    write(folder / "zh.jsonl", mixed(p for p in pages(ZH, work, log) if is_chinese(p[1])), ZH_BYTES_MAX)
    return folder


def make_large(work, log):
    folder = work / "corpora"
    folder.mkdir()
    write(folder / "docs.jsonl", mixed(pages(EN + ZH + MORE, work, log)), sys.maxsize)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="pages of more packages")
    arguments = parser.parse_args()
    lists = "\n".join(EN + ZH + (MORE if arguments.large else ())).encode() + pathlib.Path(__file__).read_bytes()
    name = f"corpora-{'large-' if arguments.large else ''}{hashlib.sha256(lists).hexdigest()[:10]}"
    debian_docs.cache_folder().mkdir(parents=True, exist_ok=True)
    try:
        with open(debian_docs.cache_folder() / "corpora.log", "w", encoding="utf-8") as log:
            make = make_large if arguments.large else make_small
            print(debian_docs.cached(name, lambda work: make(work, log)))
    except debian_docs.CannotFetch as error:
        print(f"corpora: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
