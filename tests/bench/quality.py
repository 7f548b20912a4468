"""quality: is the text that the HTML reader takes from a page the right one, and are the verdicts right?

    quality.py FOLDER      FOLDER is a build; `./dev bench quality` runs this with the peers installed

Prints a table and writes build/bench/quality.json. A row says its bounds; the rows that miss theirs are named at the end,
and it exits with 1. What is measured:

  articles     130 pages of many sites with the text of their article. Per page the bags of word 4-grams of the text
               found and of the article are compared; precision and recall are means over the pages, F1 is of the two
               means. Chinese, Japanese and Thai count by characters. A page whose article is too short for a 4-gram
               counts 0 for everybody.
  syndicated   the same article in the templates of other sites: a pair is found if the word 3-grams of the two texts
               have a Jaccard similarity of .8; pairs of different articles must not be.
  marked       pages of which people marked segments that belong to the text and segments that do not; marked_pages.py
               says whose. Over all pages, and over the half that nobody looked at when the reader was tuned.
  manuals      share of the word pairs of the body that is kept, over all pages of a manual. The body is what is left
               without navigation; Debian packages, fetched once by name.
  all text     html.extract=all beside libxml2's text of the same pages: shares of words. libxml2 keeps apart what only
               a tag parts, and repairs markup in its own way, so a little difference is to be expected.

Of the reader's speed the rows say, too, beside that of the usual programs. What is measured of verdicts: verdict_quality.py.
The articles are of readability_html, {"html", "text"} a line, and syndicated_html with labels.tsv; evaluation.py tells where
they are looked for. Rows without data are named as skipped.
"""

import collections
import functools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time
import unicodedata
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "tests/demo")]

import lxml.html

import debian_docs
import evaluation
import guides
import marked_pages
import verdict_quality
from quality_report import Report, at_least, at_most

SETS = ("readability_html", "syndicated_html")
ROUNDS = 5
PEER_SECONDS_MAX = 4
PEER_PAGES = 130
ORACLE_PAGES = 4000
TEMPLATE_PAGES_MAX = 600  # of a manual

# What must hold; a manual's is in MANUALS. Of marked pages, of all text and of Python's manual it is what the reader had,
# rounded down.
ARTICLES_F1, FASTER_THAN_PEERS = 0.96, 10
SYNDICATED_FOUND, SYNDICATED_WRONG = 67, 0
MARKED_F1, ALL_TEXT = 0.91, 0.999

BY_CHARACTER = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")
WORD = re.compile(f"{BY_CHARACTER.pattern}|[^\\W_{BY_CHARACTER.pattern[1:-1]}]+")


# ---- measures ----


def words(text):
    return WORD.findall(unicodedata.normalize("NFKC", text).lower())


def grams(text, size):
    found = words(text)
    return collections.Counter(zip(*(found[i:] for i in range(size))))


def scores(pairs, size=4):
    """(F1, precision, recall) of (text, gold) pairs."""
    precision = recall = 0
    for text, gold in pairs:
        found, wanted = grams(text, size), grams(gold, size)
        common = sum((found & wanted).values())
        if common:
            precision += common / sum(found.values())
            recall += common / sum(wanted.values())
    precision, recall = precision / len(pairs), recall / len(pairs)
    return 2 * precision * recall / (precision + recall), precision, recall


def share(pairs, size):
    """How much of the references is in the texts, over all (text, reference) pairs."""
    kept = total = 0
    for text, reference in pairs:
        wanted = grams(reference, size)
        kept += sum((grams(text, size) & wanted).values())
        total += sum(wanted.values())
    return kept / total


def jaccard(one, other):
    union = len(one | other)
    return len(one & other) / union if union else 0


# ---- our reader ----


class Reader:
    def __init__(self, program):
        self.program = program

    def _ask(self, pages, *arguments):
        frames = b"".join(b"%d\n%s" % (len(page), page) for page in pages)
        return subprocess.run([self.program, *arguments], input=frames, stdout=subprocess.PIPE, check=True).stdout

    def texts(self, pages, mode="main"):
        out, at, texts = self._ask(pages, "texts", mode), 0, []
        while at < len(out):
            end = out.index(b"\n", at)
            size = int(out[at:end].split()[0])
            texts.append(out[end + 1 : end + 1 + size].decode("utf-8", "replace"))
            at = end + 1 + size
        return texts

    def speeds(self, pages):
        """{(tier, mode): MB/s}, by CPU time, medians."""
        speeds = {}
        for line in self._ask(pages, "speed", str(ROUNDS)).decode().splitlines():
            fields = line.split()
            speeds[fields[0], fields[1]] = int(fields[5]) / float(fields[7]) / 1e6
        return speeds


# ---- peers ----


def readability_lxml():
    from readability import Document

    return lambda page: lxml.html.fromstring(Document(page).summary()).text_content()


def trafilatura_default():
    import trafilatura

    return lambda page: trafilatura.extract(page, include_comments=False) or ""


def resiliparse_main():
    from resiliparse.extract.html2text import extract_plain_text

    return lambda page: extract_plain_text(page, main_content=True, alt_texts=False)


PEERS = {"readability-lxml": readability_lxml, "trafilatura": trafilatura_default, "resiliparse": resiliparse_main}


def peer_texts(extract, pages):
    """Their texts, and MB/s by CPU time: as ours, the median of several passes behind a first one that warms up; the first
    one alone for a peer that takes seconds, in which that is lost. A page they cannot read has no text."""
    times = []
    while len(times) <= ROUNDS and sum(times) < PEER_SECONDS_MAX:
        texts, started = [], time.thread_time()
        for page in pages:
            try:
                texts.append(extract(page))
            except Exception:  # whatever a peer throws at a page is its answer to it
                texts.append("")
        times.append(time.thread_time() - started)
    return texts, sum(len(page.encode()) for page in pages) / statistics.median(times[1:] or times) / 1e6


# ---- pages ----


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# A text reader knows these as parts of one word; all other tags part words.
INLINE = set("a b i em strong code span tt var kbd samp sup sub small u font abbr cite q wbr dfn bdo big".split())
UNSEEN = set("script style noscript template head title button select svg".split())


def text_of(element, unseen=frozenset(UNSEEN)):
    parts = []

    def walk(node):
        if not isinstance(node.tag, str) or node.tag in unseen:
            return
        gap = "" if node.tag in INLINE else "\n"
        parts.append(gap + (node.text or ""))
        for child in node:
            walk(child)
            parts.append(child.tail or "")
        parts.append(gap)

    walk(element)
    return "".join(parts)


def parse(page):
    return lxml.html.fromstring(page, parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))


NAVIGATION = '//*[@class="navheader" or @class="navfooter" or @id="toc"]'


def manual_pages(paths, body):
    """(page, text of its body), of pages that have one."""
    found = []
    for path in paths:
        page = path.read_bytes()
        tree = parse(page)
        for element in tree.xpath(NAVIGATION):
            element.drop_tree()
        elements = tree.xpath(body)
        reference = text_of(elements[0]) if elements else ""
        if len(words(reference)) >= 20:
            found.append((page, reference))
    return found


def package_pages(package, log):
    def make(work):
        tree = work / "tree"
        debian_docs.unpack(debian_docs.download([package], work, log)[0], tree, log)
        return tree

    return sorted(debian_docs.cached(f"manual-{package}", make).rglob("*.html"))


def guide_pages(log):
    folder = guides.fetch(log) / "amd64"
    return sorted(path for path in folder.iterdir() if guides.language(path) in ("en", "zh-cn"))


# Name, pages, body, and the share of it that must be kept.
MANUALS = {
    "guide": ("Debian's installation guide, en + zh", guide_pages, "//body", 0.97),
    "doxygen": ("doxygen: libcrypto++", lambda log: package_pages("libcrypto++-doc", log), '//div[@class="contents"]', 0.9),
    "node": ("node.js", lambda log: package_pages("nodejs-doc", log), '//div[@id="apicontent"]', 0.9),
    "python": ("Python, sphinx", lambda log: package_pages("python3.11-doc", log), '//div[@role="main"]', 0.94),
}


# ---- the table ----


def of_articles(report, reader, folder):
    documents = lines(folder / "readability_html/docs.jsonl")
    pages = [document["html"].encode() for document in documents]
    golds = [document["text"] for document in documents]

    def say(name, texts, speed, ours=False):
        f1, precision, recall = scores(list(zip(texts, golds)))
        says = name, f"F1 {f1:.4f}  P {precision:.3f}  R {recall:.3f}  {speed:7.1f} MB/s"
        if ours:
            report.row(*says, at_least("F1", f1, ARTICLES_F1),
                       extract_f1=f1, extract_precision=precision, extract_recall=recall, extract_mbps=speed)
        else:
            report.row(*says)

    speeds = reader.speeds(pages)
    best = list(speeds)[-1][0]
    ours = speeds[best, "main"]
    say(f"articles: neardup, {best}", reader.texts(pages), ours, ours=True)
    say(f"articles: neardup, {best}, all text", reader.texts(pages, "all"), speeds[best, "all"])
    fastest = 0
    for name, make in PEERS.items():
        texts, speed = peer_texts(make(), [document["html"] for document in documents])
        say(f"articles: {name}", texts, speed)
        fastest = max(fastest, speed)
        if name == "resiliparse":
            report.row("articles: speed / resiliparse", f"{ours / speed:.1f}x", extract_vs_resiliparse=ours / speed)
    times = ours / fastest
    report.row("articles: speed / fastest peer", f"{times:.1f}x", at_least("times", times, FASTER_THAN_PEERS),
               extract_vs_fastest_peer=times)
    for (tier, mode), speed in speeds.items():
        report.row(f"speed: {tier}, {mode}", f"{speed:7.1f} MB/s, {len(pages)} pages of {sum(map(len, pages)) // len(pages) // 1000} KB")


def of_syndicated(report, reader, folder):
    documents = lines(folder / "syndicated_html/docs.jsonl")
    labels = [line.split("\t") for line in (folder / "syndicated_html/labels.tsv").read_text().splitlines()]
    same = sum(label.strip() == "1" for _, _, label in labels)

    def say(name, texts, ours=False):
        sets = {document["id"]: frozenset(grams(text, 3)) for document, text in zip(documents, texts)}
        alike = [label.strip() for one, other, label in labels if jaccard(sets[one], sets[other]) >= 0.8]
        found, wrong = alike.count("1"), alike.count("0")
        says = name, f"{found} of {same} found, {wrong} of {len(labels) - same} wrong"
        if ours:
            report.row(*says, at_least("found", found, SYNDICATED_FOUND), at_most("wrong", wrong, SYNDICATED_WRONG),
                       extract_syndicated=found, extract_syndicated_wrong=wrong, extract_81kb_mbps=speeds[best, "main"])
        else:
            report.row(*says)

    pages = [document["html"].encode() for document in documents]
    speeds = reader.speeds(pages)
    best = list(speeds)[-1][0]
    say("syndicated: neardup", reader.texts(pages), ours=True)
    for name, make in PEERS.items():
        say(f"syndicated: {name}", peer_texts(make(), [document["html"] for document in documents])[0])
    for (tier, mode), speed in speeds.items():
        report.row(f"speed: {tier}, {mode}", f"{speed:7.1f} MB/s, {len(pages)} pages of {sum(map(len, pages)) // len(pages) // 1000} KB")


def of_marked(report, reader):
    try:
        pages = marked_pages.pages()
    except marked_pages.CannotFetch as error:
        report.skipped("marked", error)
        return

    def say(name, texts, ours=False):
        pairs = list(zip(pages, texts))
        f1, precision, recall = marked_pages.scores(pairs)
        unseen = marked_pages.scores([(page, text) for page, text in pairs if not page.looked_at()])[0]
        says = name, f"F1 {f1:.3f}  P {precision:.3f}  R {recall:.3f}  unseen half F1 {unseen:.3f}"
        if ours:
            report.row(*says, at_least("F1", f1, MARKED_F1), at_least("unseen", unseen, MARKED_F1),
                       marked_f1=f1, marked_precision=precision, marked_recall=recall, marked_unseen_f1=unseen)
        else:
            report.row(*says)

    say("marked: neardup", reader.texts([page.html.encode() for page in pages]), ours=True)
    for name, make in PEERS.items():
        say(f"marked: {name}", peer_texts(make(), [page.html for page in pages])[0])


def manual_bodies(log):
    """([pages], xpath of the body) of the manuals that can be had."""
    for _, find, body, _ in MANUALS.values():
        try:
            yield [path.read_bytes() for path in find(log)[:TEMPLATE_PAGES_MAX]], body
        except (debian_docs.CannotFetch, guides.CannotFetch):
            continue


def of_manuals(report, reader, log):
    seen = []
    for key, (name, find, body, least) in MANUALS.items():
        try:
            pages = manual_pages(find(log), body)
        except (debian_docs.CannotFetch, guides.CannotFetch) as error:
            report.skipped(f"manual: {name}", error)
            continue
        texts = reader.texts([page for page, _ in pages])
        kept = share([(text, reference) for text, (_, reference) in zip(texts, pages)], 2)
        report.row(f"manual: {name}", f"{kept:.3f} of the body kept, {len(pages)} pages", at_least("kept", kept, least),
                   **{f"{key}_kept": kept})
        seen += [page for page, _ in pages]
        if key == "guide":
            for (tier, mode), speed in reader.speeds([page for page, _ in pages]).items():
                report.row(f"speed: {tier}, {mode}", f"{speed:7.1f} MB/s, pages of 9 KB")
    return seen


def main_texts(report, reader):
    """{name: the main texts of the pages} of corpora.py."""
    done = subprocess.run([sys.executable, ROOT / "tests/support/corpora.py"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        report.skipped("near: manuals", done.stderr.strip())
        return {}
    folder = pathlib.Path(done.stdout.strip())
    return {
        f"manuals_{language}": reader.texts([page["html"].encode() for page in lines(folder / f"{language}.jsonl")])
        for language in ("en", "zh")
    }


# What html.extract=all leaves out, and what libxml2 takes for text but browsers do not.
UNSEEN_IN_ALL = frozenset("script style noscript template iframe noembed noframes".split())


def of_all_text(report, reader, pages):
    pages = pages[:: max(1, len(pages) // ORACLE_PAGES)]
    theirs = [text_of(parse(page), UNSEEN_IN_ALL) for page in pages]
    ours = reader.texts(pages, "all")
    recall = share(list(zip(ours, theirs)), 1)
    precision = share(list(zip(theirs, ours)), 1)
    report.row("all text: beside libxml2", f"R {recall:.4f}  P {precision:.4f}, {len(pages)} pages",
               at_least("R", recall, ALL_TEXT), at_least("P", precision, ALL_TEXT),
               all_recall=recall, all_precision=precision)


def main():
    warnings.filterwarnings("ignore")
    build, report = pathlib.Path(sys.argv[1]), Report()
    reader = Reader(str(build / "tests/html_pages"))
    folder = evaluation.folder(SETS)
    pages = []
    if folder is None:
        report.skipped("articles, syndicated", evaluation.MISSING)
    else:
        of_articles(report, reader, folder)
        of_syndicated(report, reader, folder)
        pages = [document["html"].encode() for name in SETS for document in lines(folder / name / "docs.jsonl")]
    of_marked(report, reader)
    debian_docs.cache_folder().mkdir(parents=True, exist_ok=True)
    with open(debian_docs.cache_folder() / "quality.log", "w", encoding="utf-8") as log:
        pages += of_manuals(report, reader, log)
        if pages:
            of_all_text(report, reader, pages)
        programs = verdict_quality.Programs(str(build / "service/neardup"), str(build / "tests/quality_texts"))
        verdict_quality.measure(report, programs, list(manual_bodies(log)), main_texts(report, reader))
    report.write()
    print(f"  bounds missed by: {', '.join(report.missed) or 'nothing'}")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
