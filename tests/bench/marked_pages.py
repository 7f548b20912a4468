"""Pages of which people marked what belongs to the text and what does not: the test files of a Go module.

Some hundred pages of many sites and languages, mostly European ones; of each some segments that an extractor must find
(`With`) and some that it must leave out (`Without`). The module belongs to one of the usual programs, which is tuned on
these pages; ours was tuned on half of them, those that `looked_at` names. They are downloaded by the module's name and
stay in Go's cache; nothing of them is in this repository.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import charset_normalizer

MODULE = "github.com/markusmobius/go-trafilatura@v1.12.2"
LIST = "scripts/comparison/data.go"
FOLDERS = ("test-files/comparison", "test-files/mock")


class CannotFetch(Exception):
    pass


@dataclasses.dataclass
class Page:
    name: str
    html: str
    wanted: list
    unwanted: list

    def looked_at(self):
        return hashlib.md5(self.name.encode()).digest()[0] % 2 == 0


def pages():
    folder = _module_folder()
    found = []
    for name, wanted, unwanted in _entries((folder / LIST).read_text(encoding="utf-8")):
        path = next(path for path in (folder / part / name for part in FOLDERS) if path.is_file())
        found.append(Page(name, _decoded(path.read_bytes()), wanted, unwanted))
    return found


def _module_folder():
    go = shutil.which("go", path=os.environ.get("PATH", "") + ":/usr/local/go/bin")
    if go is None:
        raise CannotFetch("no go")
    done = subprocess.run([go, "mod", "download", "-json", MODULE], cwd="/", stdout=subprocess.PIPE, check=False)
    answer = json.loads(done.stdout or "{}")
    if "Dir" not in answer:
        raise CannotFetch(f"go cannot download {MODULE.split('@')[0]}")
    return pathlib.Path(answer["Dir"])


STRING = r'"(?:[^"\\]|\\.)*"|`[^`]*`'
ENTRY = re.compile(rf"^\t({STRING}): \{{\n(.*?)^\t\}},?$", re.MULTILINE | re.DOTALL)


def _entries(source):
    """(file, wanted, unwanted) of the composite literals in the module's list."""
    for entry in ENTRY.finditer(source):
        yield _strings("File", entry[2])[0], _strings("With", entry[2]), _strings("Without", entry[2])


def _strings(field, entry):
    value = re.search(rf"^\t\t{field}:\s+(?:\[\]string)?\{{?((?:\s*(?:{STRING}),?)*)", entry, re.MULTILINE)
    return [_unquoted(text) for text in re.findall(STRING, value[1])] if value else []


def _unquoted(text):
    return text[1:-1] if text[0] == "`" else json.loads(text, strict=False)


def _decoded(page):
    try:
        return page.decode("utf-8")
    except UnicodeDecodeError:
        return str(charset_normalizer.from_bytes(page).best())


def scores(pages_and_texts):
    """(F1, precision, recall) over the segments of all pages; white space does not count."""
    found = missed = kept = 0
    for page, text in pages_and_texts:
        bare = _bare(text)
        hits = sum(_bare(segment) in bare for segment in page.wanted)
        found += hits
        missed += len(page.wanted) - hits
        kept += sum(_bare(segment) in bare for segment in page.unwanted)
    precision, recall = found / (found + kept), found / (found + missed)
    return 2 * precision * recall / (precision + recall), precision, recall


def _bare(text):
    return "".join(text.split())
