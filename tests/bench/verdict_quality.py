"""How right are the verdicts of `neardup scan`? Part of ./dev bench quality, which quality.py begins.

  sets         streams of documents of which all pairs were compared exactly (docs.jsonl and pairs_*.tsv, see
               evaluation.py). Truth follows the leader rule at a similarity of .8; `f1` is of the duplicate verdicts,
               `band` leaves out uniques whose best similarity is from .6 to .8, `evidence` is the share of duplicate
               verdicts whose leader has a similarity of .6 at least. score.py, which comes with the sets, computes all
               of them by the one measure of a set. A verdict states its own: a long post of a set measured by edits is
               judged by its shingles, a licence of three lines by edits; `evidence.stated` is by that one.
  seeds        three: the documents as they are, and twice in another spelling (quality_texts.cc): same truth, other
               hashes. Means, and the least.
  lsh          MinHash of 128 permutations by datasketch in 32 bands of 4, candidates checked by their 128 values, under
               the leader rule, on the shingles of the truth itself: words by three, or characters by five.
  fingerprints detector.mode: simhash, within 3 bits, by fingerprint.kind: F1 on the sets, and false pairs of xwlb.
  near         different documents whose fingerprints are within 3 bits, in a million pairs, by fingerprint.kind. Not
               different are pairs of the truth (from .5 up), those whose sets of word 2-grams (characters where a
               script has no spaces) have a Jaccard similarity of .5, and versions of one page, which a set calls a
               group. `near` in the row are all but the latter: items of one form, filled in anew, are near too. The
               manuals are the pages of corpora.py with a main text of more than 1000 characters; they have no truth.
  xwlb         a set without a single true pair: every duplicate verdict is false.
  templates    pages of real boilerplate from Debian's documentation, 7 words of it to 3 of an article of their own:
               every duplicate verdict is false. Once with and once without html.extract: main.
  notices      short notices of a few forms, other names and numbers in each (false), and copies with one word
               edited (to be found).
"""

import collections
import functools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import unicodedata

import lxml.html

import evaluation
import neardup_command
from quality_report import at_least, at_most

LONG = ("ota_dev", "wiki_versions", "licenses", "iguide_en_zh", "tidb_zh", "mut_wiki_en", "mut_xwlb_zh")
SHORT = ("sms_en", "weibo_dev", "weibo_repost_dev", "lcqmc", "nsmc_ko", "jsts_ja", "wisesight_th", "mut_sms_en", "mut_weibo_zh")
NO_PAIRS = "xwlb"
SEEDS = (0, 1, 2)
THRESHOLD, GREY = 0.8, 0.6

# What must hold.
LONG_F1, LONG_BAND, LONG_MEAN, SHORT_F1, SHORT_MEAN = 0.97, 0.985, 0.98, 0.95, 0.975
# By core/DESIGN.md none of .4 million pairs of manuals was near, in English and in Chinese: of manuals at most one of so
# many may be, and of news and of an encyclopedia none. Terms of service say one thing in one form: at most ten in a
# million, from which on a fingerprint is of little use.
NEAR_BITS = 3
NEAR_MOST = {"xwlb": 0, "wiki_versions": 0, "ota_dev": 10}
NEAR_MANUALS_MOST, NEAR_MANUALS_LENGTH = 2.5, 1000
EVIDENCE, XWLB_MOST, TEMPLATES_MOST, NOTICES_MOST = 0.999, 1, 0.01, 0.03


class Programs:
    def __init__(self, neardup, texts):
        self.neardup, self.texts = neardup, texts

    def verdicts(self, documents, *settings):
        """The verdicts over a file, one JSON object a line."""
        return self._asked("scan", documents, settings, "--quiet")

    def _asked(self, command, documents, settings, *arguments):
        line = [self.neardup, command, *arguments, *neardup_command.set_options(settings), str(documents)]
        done = subprocess.run(line, capture_output=True, env=neardup_command.environment(), check=False)
        if done.returncode != 0:
            raise RuntimeError(f"neardup {command} {documents}: {done.stderr.decode('utf-8', 'replace')}")
        return done.stdout

    def fingerprints(self, documents, kind):
        """Of each document of the file, in its order; None where it has none."""
        rows = self._asked("fingerprint", documents, ("fingerprint.kind=" + kind,), "--json").splitlines()
        return [int(row[kind], 16) if kind in row else None for row in map(json.loads, rows)]

    def respelled(self, documents, seed, out):
        with open(documents, "rb") as source, open(out, "wb") as target:
            subprocess.run([self.texts, "respelled", str(seed)], stdin=source, stdout=target, check=True)

    def notices(self, seed, count, out):
        with open(out, "wb") as target:
            subprocess.run([self.texts, "notices", str(seed), str(count)], stdout=target, check=True)


# ---- the sets ----


def truth_of(folder, work):
    """(the file of the exact pairs, its kind: w3, c5 or short). Where there are two, each language has its own."""
    found = {path.stem.removeprefix("pairs_"): path for path in sorted(folder.glob("pairs_*.tsv"))}
    if len(found) == 1:
        kind, path = next(iter(found.items()))
        return path, kind
    with open(folder / "docs.jsonl", encoding="utf-8") as file:
        language = {document["id"]: document["lang"] for document in map(json.loads, file)}
    merged = work / f"{folder.name}.pairs.tsv"
    with open(merged, "w", encoding="utf-8") as out:
        for kind, path in found.items():
            for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
                one, other = line.split("\t")[:2]
                if all((language[name] == "zh") == (kind == "c5") for name in (one, other)):
                    out.write(line)
    return merged, "languages"


def scored(score, documents, pairs, verdicts, work):
    path = work / "verdicts.jsonl"
    path.write_bytes(verdicts)
    done = subprocess.run(
        [sys.executable, str(score), str(documents), str(pairs), str(path)], stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


# ---- evidence ----


def edit_similarity(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(before + (a != b), row[j] + 1, row[j - 1] + 1)
    return 1 - row[-1] / max(len(one), len(other), 1)


def stated_similarity(kind, one, other):
    """Of two texts, exactly, by the measure that a verdict of this kind is about."""
    found = [tokens(text) for text in (one, other)]
    if kind == "exact":
        return float(found[0] == found[1])
    if kind == "short":
        return edit_similarity(*map(joined, found))
    sets = [[shingles(text, width, None) for text in (one, other)] for width in ("w3", "c5")]
    return max(len(a & b) / max(1, len(a | b)) for a, b in sets)


def upheld(documents, pairs, verdicts):
    """How many duplicate verdicts the pairs do not bear out, and of these, how many are right by what they state."""
    near = {}
    for line in pairs.read_text(encoding="utf-8").splitlines():
        one, other, *values = line.split("\t")
        near[frozenset((one, other))] = float(values[-1])
    said = [json.loads(line) for line in verdicts.splitlines()]
    doubted = [
        (verdict["kind"], verdict["id"], verdict["duplicate_of"]["id"])
        for verdict in said
        if verdict["verdict"] == "duplicate" and near.get(frozenset((verdict["id"], verdict["duplicate_of"]["id"])), 0) < GREY
    ]
    named, texts = {name for _, *both in doubted for name in both}, {}
    with open(documents, encoding="utf-8") as file:
        for document in map(json.loads, file):
            if document["id"] in named:
                texts[document["id"]] = document.get("text") or text_of_html(document["html"])
    return len(doubted), sum(stated_similarity(kind, texts[one], texts[other]) >= GREY for kind, one, other in doubted)


# ---- LSH-128 ----

BY_CHARACTER = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")


def tokens(text):
    """Of the normal form of the truth: letters and digits in words, each character of unspaced scripts alone."""
    text = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in text)
    return re.findall(f"{BY_CHARACTER.pattern}|[^ {BY_CHARACTER.pattern[1:-1]}]+", kept)


def joined(found):
    out = []
    for i, token in enumerate(found):
        if i and not (BY_CHARACTER.match(token) and BY_CHARACTER.match(found[i - 1])):
            out.append(" ")
        out.append(token)
    return "".join(out)


def shingles(text, kind, language):
    found = tokens(text)
    if kind == "w3" or (kind == "languages" and language != "zh"):
        width, units, glue = 3, found, " "
    else:
        width, units, glue = 5 if kind != "short" else 3, joined(found), ""
    if not units:
        return set()
    return {glue.join(units[i : i + width]) for i in range(max(1, len(units) - width + 1))}


def lsh_verdicts(documents, kind):
    """As JSON lines."""
    import datasketch
    import numpy

    lsh = datasketch.MinHashLSH(num_perm=128, params=(32, 4))
    empty = datasketch.MinHash(num_perm=128)
    # The values of all uniques side by side: of a formulaic set each document has hundreds of candidates.
    names, values, out = [], numpy.empty((1024, 128), empty.hashvalues.dtype), []
    with open(documents, encoding="utf-8") as file:
        for line in file:
            document = json.loads(line)
            found = shingles(document.get("text") or text_of_html(document["html"]), kind, document.get("lang"))
            minhash = empty.copy()
            minhash.update_batch([shingle.encode() for shingle in found])
            rows = numpy.sort(numpy.array(lsh.query(minhash) if found else [], dtype=int))
            alike = rows[(values[rows] == minhash.hashvalues).mean(axis=1) >= THRESHOLD]
            verdict = {"id": document["id"], "verdict": "duplicate" if len(alike) else "unique"}
            if len(alike):
                verdict["duplicate_of"] = {"id": names[alike[0]]}
            elif found:
                if len(names) == len(values):
                    values = numpy.concatenate([values, numpy.empty_like(values)])
                values[len(names)] = minhash.hashvalues
                lsh.insert(len(names), minhash)
                names.append(document["id"])
            out.append(json.dumps(verdict))
    return "\n".join(out).encode()


def text_of_html(html):
    return lxml.html.fromstring(html).text_content()


# ---- near fingerprints ----


def near_pairs(fingerprints):
    """The pairs of places whose fingerprints differ in at most NEAR_BITS: 3, so these agree in one of four words of 16."""
    found = set()
    for shift in range(0, 64, 16):
        alike = collections.defaultdict(list)
        for place, fingerprint in enumerate(fingerprints):
            if fingerprint is not None:
                others = alike[fingerprint >> shift & 0xFFFF]
                bits = ((other, (fingerprints[other] ^ fingerprint).bit_count()) for other in others)
                found.update((other, place) for other, count in bits if count <= NEAR_BITS)
                others.append(place)
    return found


def different(one, other):
    """By the 2-grams of their tokens, of which a character of an unspaced script is one."""
    one, other = (set(zip(found, found[1:])) for found in (one, other))
    return len(one & other) < 0.5 * len(one | other)


# ---- pages of templates ----


def template_pages(manuals, out):
    """Writes pages of the manuals' own boilerplate with articles of their own. manuals: {name: [(page, body's xpath)]}.

    An article is as long as 3 words to 7 of boilerplate. Its sentences are those of all manuals, each used once.
    """
    draw = random.Random(1)
    sentences, shells = set(), []
    for pages, body in manuals:
        own = []
        for page in pages:
            tree = lxml.html.fromstring(page, parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))
            elements = tree.xpath(body)
            if not elements:
                continue
            for sentence in re.split(r"(?<=[.。])\s+|\n\s*\n", elements[0].text_content()):
                sentence = " ".join(sentence.split())
                if 8 <= len(sentence.split()) <= 60:
                    sentences.add(sentence)
            for child in list(elements[0]):
                elements[0].remove(child)
            elements[0].text = ""
            words = len(tree.text_content().split())
            if 40 <= words <= 1500:
                own.append((words, tree, elements[0]))
        draw.shuffle(own)
        shells += own[:TEMPLATE_SHELLS]
    sentences = sorted(sentences)
    draw.shuffle(sentences)
    written = 0
    with open(out, "w", encoding="utf-8") as file:
        for words, tree, body in shells:
            for _ in range(TEMPLATE_ARTICLES):
                for child in list(body):
                    body.remove(child)
                left = max(60, words * 3 // 7)
                while left > 0 and sentences:
                    paragraph = lxml.html.Element("p")
                    taken = [sentences.pop() for _ in range(min(3, len(sentences)))]
                    paragraph.text = " ".join(taken)
                    left -= sum(len(sentence.split()) for sentence in taken)
                    body.append(paragraph)
                if left > 0:
                    return written
                html = lxml.html.tostring(tree, encoding="unicode")
                file.write(json.dumps({"id": f"page-{written}", "html": html}, ensure_ascii=False) + "\n")
                written += 1
    return written


TEMPLATE_SHELLS = 12  # of each manual
TEMPLATE_ARTICLES = 40  # of each shell


# ---- the table ----


def counts(verdicts):
    return collections.Counter(json.loads(line)["verdict"] for line in verdicts.splitlines())


def of_sets(report, programs, folder, score):
    means, said_all, right_all, stated_all = {}, 0, 0, 0
    report.row("set", "stream F1 mean (min)  band mean (min)  P      R      evidence stated | LSH-128 F1 (band)")
    for name in (*LONG, *SHORT):
        if not (folder / name / "docs.jsonl").is_file():
            report.skipped(f"  {name}", "not in the data")
            continue
        with tempfile.TemporaryDirectory() as temporary:
            work = pathlib.Path(temporary)
            documents = folder / name / "docs.jsonl"
            pairs, kind = truth_of(folder / name, work)
            scores, doubted, held = [], 0, 0
            for seed in SEEDS:
                read = documents
                if seed > 0:
                    read = work / "respelled.jsonl"
                    programs.respelled(documents, seed, read)
                said = programs.verdicts(read)
                scores.append(scored(score, documents, pairs, said, work))
                doubts = upheld(documents, pairs, said)
                doubted, held = doubted + doubts[0], held + doubts[1]
            lsh = scored(score, documents, pairs, lsh_verdicts(documents, kind), work)
        keys = ("f1", "band_f1", "precision", "recall", "evidence")
        mean = {key: sum(one[key] for one in scores) / len(scores) for key in keys}
        least = {key: min(one[key] for one in scores) for key in ("f1", "band_f1")}
        means[name] = mean["f1"]
        said_of_set = sum(one["said_duplicate"] for one in scores)
        said_all += said_of_set
        right_all += said_of_set - doubted
        stated_all += said_of_set - doubted + held
        is_long = name in LONG
        bounds = [at_least("F1", mean["f1"], max(LONG_F1 if is_long else SHORT_F1, lsh["f1"]))]
        bounds += [at_least("band", mean["band_f1"], LONG_BAND)] if is_long else []
        report.row(
            f"  {name}",
            f"{mean['f1']:.4f} ({least['f1']:.4f})       {mean['band_f1']:.4f} ({least['band_f1']:.4f})  "
            f"{mean['precision']:.4f} {mean['recall']:.4f} {mean['evidence']:.4f}"
            f" {1 - (doubted - held) / max(1, said_of_set):.4f} | {lsh['f1']:.4f} ({lsh['band_f1']:.4f})",
            *bounds,
            **{f"f1.{name}": mean["f1"], f"f1_min.{name}": least["f1"], f"band.{name}": mean["band_f1"],
               f"band_min.{name}": least["band_f1"], f"lsh.{name}": lsh["f1"]},
        )
    for what, names, bound in (("long", LONG, LONG_MEAN), ("short", SHORT, SHORT_MEAN)):
        have = [means[name] for name in names if name in means]
        if have:
            mean = sum(have) / len(have)
            row = f"  mean of the {what} sets", f"{mean:.4f}, of {len(have)} of {len(names)}"
            if len(have) == len(names):
                report.row(*row, at_least("mean", mean, bound), **{f"f1_mean.{what}": mean})
            else:
                report.row(*row)  # the bound and the figure are of all of them
    if said_all > 0:
        evidence = right_all / said_all
        stated = stated_all / said_all
        report.row("  evidence, of all duplicates", f"{evidence:.4f}, by the measure stated {stated:.4f}",
                   at_least("evidence", evidence, EVIDENCE), **{"evidence": evidence, "evidence.stated": stated})


def of_fingerprints(report, programs, folder, score):
    for kind in ("simhash", "minhash"):
        settings, figures = ("detector.mode=simhash", f"fingerprint.kind={kind}"), {}
        for name in (*LONG, *SHORT):
            documents = folder / name / "docs.jsonl"
            if documents.is_file():
                with tempfile.TemporaryDirectory() as temporary:
                    work = pathlib.Path(temporary)
                    pairs, _ = truth_of(folder / name, work)
                    said = programs.verdicts(documents, *settings)
                    figures[name] = scored(score, documents, pairs, said, work)["f1"]
        says = "  ".join(f"{name} {f1:.3f}" for name, f1 in figures.items())
        documents = folder / NO_PAIRS / "docs.jsonl"
        if documents.is_file():
            false = counts(programs.verdicts(documents, *settings))["duplicate"]
            says += f"  {NO_PAIRS} {false} false"
            figures[NO_PAIRS] = false
        report.row(f"mode simhash by {kind}", says, **{f"{kind}.{name}": value for name, value in figures.items()})


def of_no_pairs(report, programs, folder):
    documents = folder / NO_PAIRS / "docs.jsonl"
    if not documents.is_file():
        report.skipped(NO_PAIRS, "not in the data")
        return
    false = []
    with tempfile.TemporaryDirectory() as temporary:
        for seed in SEEDS:
            read = documents
            if seed > 0:
                read = pathlib.Path(temporary) / "respelled.jsonl"
                programs.respelled(documents, seed, read)
            said = counts(programs.verdicts(read))
            false.append(said["duplicate"])
    mean = sum(false) / len(false)
    report.row(f"{NO_PAIRS}: false pairs", f"{mean:.1f} in {sum(said.values())} documents, by seed: {false}",
               at_most("mean", mean, XWLB_MOST), **{"false.xwlb": mean})


def of_near(report, programs, name, documents, pairs, most):
    """documents: a file of JSON lines; pairs: the file of the truth, or None."""
    with open(documents, encoding="utf-8") as file:
        read = [json.loads(line) for line in file]
    same = set()
    if pairs is not None:
        same = {frozenset(line.split("\t")[:2]) for line in pairs.read_text(encoding="utf-8").splitlines()}
    group = [one.get("grp", one["id"]) for one in read]
    found = functools.cache(lambda place: tokens(read[place]["text"]))
    for kind in ("simhash", "minhash"):
        fingerprints = programs.fingerprints(documents, kind)
        sizes = collections.Counter(one for one, has in zip(group, fingerprints, strict=True) if has is not None)
        count = (sizes.total() ** 2 - sum(size**2 for size in sizes.values())) // 2
        near = [(one, other) for one, other in near_pairs(fingerprints) if group[one] != group[other]]
        wrong = sum(
            frozenset((read[one]["id"], read[other]["id"])) not in same and different(found(one), found(other))
            for one, other in near
        )
        rate = wrong / count * 1e6
        says = f"{rate:.2f} in a million: {wrong} of {len(near)} near, {count / 1e6:.1f} M pairs"
        report.row(f"near by {kind}: {name}", says, at_most("in a million", rate, most),
                   **{f"near.{kind}.{name}": rate})


def of_near_sets(report, programs, folder):
    for name, most in NEAR_MOST.items():
        if (folder / name / "docs.jsonl").is_file():
            with tempfile.TemporaryDirectory() as temporary:
                pairs, _ = truth_of(folder / name, pathlib.Path(temporary))
                of_near(report, programs, name, folder / name / "docs.jsonl", pairs, most)
        else:
            report.skipped(f"near: {name}", "not in the data")


def of_near_manuals(report, programs, manuals):
    for name, texts in manuals.items():
        with tempfile.TemporaryDirectory() as temporary:
            documents = pathlib.Path(temporary) / "documents.jsonl"
            with open(documents, "w", encoding="utf-8") as file:
                for number, text in enumerate(texts):
                    if len(text) > NEAR_MANUALS_LENGTH:
                        file.write(json.dumps({"id": f"{name}-{number}", "text": text}) + "\n")
            of_near(report, programs, name, documents, None, NEAR_MANUALS_MOST)


def of_templates(report, programs, manuals):
    with tempfile.TemporaryDirectory() as temporary:
        pages = pathlib.Path(temporary) / "templates.jsonl"
        if template_pages(manuals, pages) == 0:
            report.skipped("templates", "no manual could be fetched")
            return
        for mode, name in (("main", "templates"), ("all", "templates_all")):
            said = counts(programs.verdicts(pages, f"html.extract={mode}"))
            share = said["duplicate"] / sum(said.values())
            report.row(f"templates, html.extract: {mode}", f"{share:.4f} of {sum(said.values())} pages falsely duplicate",
                       at_most("share", share, TEMPLATES_MOST), **{f"false.{name}": share})


def of_notices(report, programs):
    shares, found = [], []
    with tempfile.TemporaryDirectory() as temporary:
        path = pathlib.Path(temporary) / "notices.jsonl"
        for seed in SEEDS:
            programs.notices(seed + 1, 400, path)
            said = [json.loads(line) for line in programs.verdicts(path).splitlines()]
            edited = [one["verdict"] == "duplicate" for one in said if one["id"].endswith(".edited")]
            others = [one["verdict"] == "duplicate" for one in said if not one["id"].endswith(".edited")]
            shares.append(sum(others) / len(others))
            found.append(sum(edited) / len(edited))
    report.row("notices", f"{max(shares):.4f} falsely duplicate, {min(found):.4f} of the edited ones found",
               at_most("falsely", max(shares), NOTICES_MOST), **{"false.notices": max(shares), "notices_found": min(found)})


def measure(report, programs, manuals, texts):
    """Adds its rows to the report. manuals: [(pages, body's xpath)]; texts: {name: the main texts of manuals}."""
    of_notices(report, programs)
    of_templates(report, programs, manuals)
    of_near_manuals(report, programs, texts)
    folder, score = evaluation.folder((NO_PAIRS, *LONG, *SHORT)), evaluation.score_program()
    if folder is None or score is None:
        report.skipped("sets", evaluation.MISSING)
    else:
        of_no_pairs(report, programs, folder)
        of_near_sets(report, programs, folder)
        of_fingerprints(report, programs, folder, score)
        of_sets(report, programs, folder, score)
