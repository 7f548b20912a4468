#!/usr/bin/env python3
"""How fast does lexbor (through selectolax) find the text of pages? For fingerprint_bench.

usage: lexbor.py PAGES.jsonl

Prints the bytes per second of HTML: CPU time of one thread, the median of five passes.
"""

import json
import pathlib
import statistics
import sys
import time

from selectolax.lexbor import LexborHTMLParser

ROUNDS = 5


def main():
    lines = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    pages = [json.loads(line)["html"].encode() for line in lines]
    seconds = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        for page in pages:
            LexborHTMLParser(page).text()
        seconds.append(time.thread_time() - start)
    print(sum(map(len, pages)) / statistics.median(seconds))


if __name__ == "__main__":
    main()
