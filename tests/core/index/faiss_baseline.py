#!/usr/bin/env python3
"""How many check-and-inserts a second does FAISS's IndexBinaryMultiHash do at distance 3? faiss_baseline.py COUNT BATCH

Two hashes of 32 bits, each also looked up with one bit flipped: of three errors one half has at most one, so it is
exact. In batches, of which those without a neighbour within 3 bits are added. Thread CPU time, median of five.
"""

import statistics
import sys
import time

import faiss
import numpy as np

count, batch_size = int(sys.argv[1]), int(sys.argv[2])
random = np.random.default_rng(1)
faiss.omp_set_num_threads(1)
index = faiss.IndexBinaryMultiHash(64, 2, 32)
index.nflip = 1
stored = random.integers(0, 256, (count, 8), dtype=np.uint8)
index.add(stored)


def batch(size):
    words = random.integers(0, 256, (size, 8), dtype=np.uint8)
    for i in range(size):
        if random.random() < 0.3:
            words[i] = stored[random.integers(count)]
            for bit in random.choice(64, random.integers(4), replace=False):
                words[i, bit // 8] ^= 1 << (bit % 8)
    return words


rates = []
for _ in range(5):
    batches = [batch(batch_size) for _ in range(1280 // batch_size)]
    start = time.thread_time()
    for words in batches:
        distances, _ = index.search(words, 1)
        index.add(words[distances[:, 0] > 3])
    rates.append(batch_size * len(batches) / (time.thread_time() - start))
print(f"mixed_per_second {statistics.median(rates):.1f}")
