"""detector: JSON lines to decisions, by us and by the libraries that one would use instead. See detector_bench.cc.

    detector.py FOLDER      FOLDER is a build; `./dev bench detector` runs this with the peers installed

Prints detector_bench's rows and adds to its build/bench/detector.json:

  peers     the same lines, the same shingles (three words, or five characters of Chinese), MinHash of 128 permutations,
            32 bands of 4, decided one by one: asked for, and put in if there is none alike. Parsing, shingling and all
            else are counted, as they are for us; CPU time of all threads. A peer gets fewer lines, for its time's
            sake, which flatters it: its index is small.
  threads   `neardup scan` over a file with one thread and with two, by the wall clock, in turns: medians. The file is
            large, 850 MB, so that two seconds of work stand beside some hundredths that a process needs to begin.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATASKETCH_LINES, RUST_LINES, SCAN_LINES, SCAN_ROUNDS = 3000, 10_000, 400_000, 5
THRESHOLD, PERMUTATIONS, BANDS = 0.8, 128, 32


def is_chinese(text):
    return "\u4e00" <= text[0] <= "\u9fff"


def shingles(text):
    if is_chinese(text):
        return [text[i : i + 5] for i in range(len(text) - 4)]
    words = text.lower().split()
    return [" ".join(words[i : i + 3]) for i in range(len(words) - 2)]


def datasketch_decides():
    import datasketch

    lsh = datasketch.MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, PERMUTATIONS // BANDS))
    known, empty = {}, datasketch.MinHash(num_perm=PERMUTATIONS)

    def decide(name, text):
        minhash = empty.copy()
        minhash.update_batch([shingle.encode() for shingle in shingles(text)])
        if any(minhash.jaccard(known[other]) >= THRESHOLD for other in lsh.query(minhash)):
            return False
        lsh.insert(name, minhash)
        known[name] = minhash
        return True

    return decide


def rensa_decides():
    import rensa

    lsh = rensa.RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=BANDS)
    known = []

    def decide(_, text):
        minhash = rensa.RMinHash(num_perm=PERMUTATIONS, seed=42)
        minhash.update(shingles(text))
        if any(minhash.jaccard(known[other]) >= THRESHOLD for other in lsh.query(minhash)):
            return False
        lsh.insert(len(known), minhash)
        known.append(minhash)
        return True

    return decide


def gaoya_decides():
    import gaoya.minhash

    def index(analyzer, width):
        return gaoya.minhash.MinHashStringIndex(
            hash_size=32, jaccard_threshold=THRESHOLD, num_bands=BANDS, band_size=PERMUTATIONS // BANDS,
            analyzer=analyzer, ngram_range=(width, width), lowercase=True,
        )

    english, chinese, count = index("word", 3), index("char", 5), [0]

    def decide(_, text):
        known = chinese if is_chinese(text) else english
        if known.query(text):
            return False
        known.insert_document(count[0], text)
        count[0] += 1
        return True

    return decide


PEERS = {
    "datasketch": (datasketch_decides, DATASKETCH_LINES),
    "rensa": (rensa_decides, RUST_LINES),
    "gaoya": (gaoya_decides, RUST_LINES),
}


def of_peer(make, lines):
    """(documents a second, share of uniques)."""
    decide, uniques, started = make(), 0, time.process_time()
    for line in lines:
        document = json.loads(line)
        uniques += decide(document["id"], document["text"])
    return len(lines) / (time.process_time() - started), uniques / len(lines)


def json_lines(bench, count, to):
    return subprocess.run([bench, "lines", str(count)], stdout=to, check=True).stdout


def scan_seconds(program, path, threads):
    started = time.monotonic()
    subprocess.run([program, "scan", "--quiet", "--threads", str(threads), path], stdout=subprocess.DEVNULL, check=True, env={})
    return time.monotonic() - started


def main():
    build = pathlib.Path(sys.argv[1])
    bench = str(build / "tests/detector_bench")
    subprocess.run([bench], check=True)
    path = ROOT / "build/bench/detector.json"
    figures = json.loads(path.read_text(encoding="utf-8"))
    lines = json_lines(bench, max(DATASKETCH_LINES, RUST_LINES), subprocess.PIPE).splitlines(True)
    for name, (make, count) in PEERS.items():
        speed, share = of_peer(make, lines[:count])
        times = figures["docs_per_s"] / speed
        figures[f"vs_{name}"] = round(times, 1)
        print(f"  {name:<44} {speed:7.0f} documents/s, {share:.0%} unique; neardup is {times:.1f}x as fast", flush=True)
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        json_lines(bench, SCAN_LINES, file)
        rounds = [[scan_seconds(str(build / "service/neardup"), file.name, n) for n in (1, 2)] for _ in range(SCAN_ROUNDS)]
    one, two = (statistics.median(times) for times in zip(*rounds))
    figures["threads2"] = round(one / two, 2)
    print(f"  {'neardup scan, two threads':<44} {one / two:7.2f}x one ({SCAN_LINES / two:.0f} documents/s by the wall clock)")
    path.write_text(json.dumps(figures) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
