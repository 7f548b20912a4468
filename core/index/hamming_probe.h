// How is a batch of queries answered from the tables of a HammingIndex?
//
// As a pipeline: a random line of memory takes a hundred times as long to come as to read, so what is read is
// asked for well before, while other queries are served. Queries go in groups of up to sixteen, and each
// round takes every group a stage further. What a stage finds is put on a list, which the next one works off
// a round later:
//
//   round 0   begin     the bits that keys and tags are made of; where its heads are, for eight tables at
//                       a time (bucket_lanes.h). That of table 0 is asked for
//   1         equal     is the query itself in it? If that would end the search, its id is asked for, and
//                       then its fingerprint; else the heads of all other tables. If it is another one after
//                       all, the query joins those of the next group
//   2         heads     all tags of a head at once against the query's: a hit asks for its bucket in table 0,
//                       or for its id
//   3         resolve   hits to ids; their fingerprints are asked for, and the blocks of crowded buckets
//   4         verify    true distances
//             blocks    the tags of a block as those of a head; the ids of hits are asked for. They come
//                       behind all else because they are long and young: if the first match is wanted, one
//                       in a head, which is older, spares them
//   5         ids       of these hits; their fingerprints are asked for
//   6         finish    true distances of these
//
// Nothing is changed here, so any number of threads may probe at once: each for queries of its own, or each
// in some of the tables. Then `equal` is left out, and the answer is the best of what they find.
//
// The kernels come in tiers (core/base/isa.h) that are one text, hamming_probe.inl, compiled with different
// ways to locate heads and to compare a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/index/hamming_table.h"
#include "core/index/match.h"

namespace neardup {

// What to search. Ids are the low 32 bits of sequence numbers; older means nearer behind `oldest_id`.
template <class Word>
struct ProbeView {
  const HammingTable<Word>* tables = nullptr;  // these are probed
  int table_count = 0;
  const HammingTable<Word>* first = nullptr;  // table 0, which has ids: one of these or not
  bool asks_equal = true;                     // table 0 is one, and is looked up before all others
  int distance = 0;
  const Word* words = nullptr;  // by id
  std::uint32_t oldest_id = 0;
  bool in_order = false;                // each block has its oldest first
  bool equal_ends = false;              // a match at distance 0 is the answer, whatever else there is
  std::uint32_t block_entries_max = 0;  // of one bucket's block; of longer ones only the oldest are read
};

struct Found {
  std::uint32_t id = 0;
  int distance = -1;  // -1: nothing found
};

// What came of one query.
struct Probed {
  Found found;
  std::uint32_t lines = 0;  // of blocks, that were read
  bool truncated = false;   // a block was longer than the cap
};

// What probing cost. No part of any state: where threads probe in tables of their own, each says of its own
// whether a lookup was slow, and a stored query is looked for in all tables.
struct ProbeCounts {
  std::uint64_t lookups = 0;
  std::uint64_t candidates = 0;      // entries compared: those that share a key with the query, by tables
  std::uint64_t overflow_lines = 0;  // cache lines of blocks read
  std::uint64_t slow = 0;            // lookups that read more than kSlowLines of them
  std::uint64_t truncated = 0;       // lookups for which a block was longer than the cap, and not read whole

  static constexpr std::uint64_t kSlowLines = 256;

  ProbeCounts& operator+=(const ProbeCounts& other) {
    lookups += other.lookups;
    candidates += other.candidates;
    overflow_lines += other.overflow_lines;
    slow += other.slow;
    truncated += other.truncated;
    return *this;
  }
};

template <class Word>
struct ProbeKernels {
  // keys[i * row_width(table_count) + t] and tags[...] are those of word i in table t.
  void (*locate)(const ProbeView<Word>& view, const Word* words, std::size_t count, std::uint64_t* keys,
                 std::uint32_t* tags);
  // The same for one table, and its keys alone.
  void (*locate_in)(const HammingTable<Word>& table, const Word* words, std::size_t count,
                    std::uint64_t* keys, std::uint32_t* tags);
  void (*keys_in)(const HammingTable<Word>& table, const Word* words, std::size_t count, std::uint64_t* keys);
  // probed[i] answers queries[i]; keys and tags as above. Adds to `counts`.
  void (*find)(const ProbeView<Word>& view, MatchMode mode, const Word* queries, std::size_t count,
               std::uint64_t* keys, std::uint32_t* tags, Probed* probed, ProbeCounts& counts);
  // Appends each match, some of them more than once.
  void (*find_all)(const ProbeView<Word>& view, Word query, std::uint64_t* keys, std::uint32_t* tags,
                   std::vector<Found>& found, ProbeCounts& counts);
  // The first, or nearest, of an array of words within `distance`; its index is the id.
  Found (*scan)(const Word* words, std::size_t count, Word query, int distance, MatchMode mode);
  // All of them.
  void (*scan_all)(const Word* words, std::size_t count, Word query, int distance, std::vector<Found>& found);
  // near[i]: is one of the words, or of the queries before it, within `distance` of queries[i]?
  void (*near_earlier)(const Word* words, std::size_t count, const Word* queries, std::size_t query_count,
                       int distance, char* near);
};

// Of the tier in use.
template <class Word>
const ProbeKernels<Word>& probe_kernels();

namespace internal {
template <class Word>
const ProbeKernels<Word>& probe_kernels_scalar();
template <class Word>
const ProbeKernels<Word>& probe_kernels_avx2(
    bool pext_is_fast);  // REQUIRES: the CPU has it; the same answers
template <class Word>
const ProbeKernels<Word>& probe_kernels_avx512();  // REQUIRES: the CPU has it
}  // namespace internal

}  // namespace neardup
