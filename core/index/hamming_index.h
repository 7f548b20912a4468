// Which stored fingerprints lie within k bits of this one? Exactly: none is missed.
//
// A few tables, each keyed by some bits of the fingerprint, so chosen that two fingerprints within k bits
// agree on the key of at least one (covering.h). What lies in the query's buckets are its candidates,
// compared sixteen at a time by 32 more bits each; what is left is compared in full.
//
//   words     | w0 | w1 | w2 | ...        the array of record, by sequence number: a ring
//   tables    6 (at k = 3) of heads, one cache line a bucket (hamming_tables.h); ids in table 0 only
//   members   further ids of equal fingerprints, which the tables hold once
//
// A batch is decided as if its fingerprints came one at a time, in three steps: all are probed, in a pipeline
// (hamming_probe.h); those that found nothing are compared with each other, in order; what is new goes into
// the tables. Of several threads each owns some shards of the tables, into which it alone stores. While most
// fingerprints are new, and these are three tables at least, each also probes in its own for all queries: so
// their lines stay in its cache. Else each probes for some of the queries, because a duplicate that one table
// tells of need not be looked for in the others. Nobody waits for another but at the end of a step, and
// neither the size of batches nor the number of threads changes an answer or a stored byte.
//
//   thread    0                     1
//   probe     in tables 0, 1, 2     3, 4, 5               or queries 0..135 and 136..255: fewer of those that
//                                                         are compared with more
//   decide    in order              -                     what has none near it before it is new
//   store     tables 0, 1, 2        3, 4, 5, the words    what is new, in order
//
// A query that is stored itself is found in one line of table 0, and is looked for nowhere else.
//
// Up to kScanMax fingerprints there are no tables: a scan of the words is as fast.
//
// Cost:    as many cache lines per look-up as there are tables; twice, four times as many beyond 20 and 45
//          million (k = 3). 65 bytes per fingerprint; measured figures are in core/DESIGN.md. Real text is
//          skewed: crowded buckets are read whole, but in a row. `counts` tells how much that was.
// Threads: its own crew inside a call; calls belong to one thread at a time.
// Format:  hamming_segment.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/index/covering.h"
#include "core/index/crew.h"
#include "core/index/growing_memory.h"
#include "core/index/hamming_probe.h"
#include "core/index/hamming_tables.h"
#include "core/index/match.h"
#include "core/index/ordinal_table.h"

namespace neardup {

struct HammingOptions {
  int distance = 3;                    // k
  const Covering* covering = nullptr;  // one that finds within k; none: default_covering(k)
  int threads = 1;
  // Of a crowded bucket, read at most so many entries of its block, the oldest. Then matches can be missed,
  // and each such look-up is counted; which ones hangs on batches and threads. 0: read all.
  std::uint32_t block_entries_max = 0;
};

template <class Word>
class BucketParting;

template <int kWidth>
class HammingIndex {
 public:
  using Word = WordOf<kWidth>;
  using Table = HammingTable<Word>;

  static constexpr std::uint64_t kScanMax = 1024;
  // From the oldest to the newest: ids are 32 bits, and the rings need a page of room.
  static constexpr std::uint64_t kWindowMax = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 24);

  // REQUIRES: 0 <= distance <= kCoveringDistanceMax; the covering finds within distance; threads >= 1.
  explicit HammingIndex(const HammingOptions& options);
  HammingIndex(HammingIndex&&) noexcept = default;
  HammingIndex& operator=(HammingIndex&&) noexcept = default;

  // answers[i]: the match of queries[i], or none. Changes nothing.
  // REQUIRES: as many answers as queries.
  void find(std::span<const Word> queries, MatchMode mode, std::span<std::optional<Match>> answers);
  std::optional<Match> find(Word query, MatchMode mode);

  // Replaces `matches` with all of them, each once, by ascending sequence number.
  void find_all(Word query, std::vector<Match>& matches);

  // As find; but each word without a match is stored under the next sequence number before the next is asked.
  void check_and_insert(std::span<const Word> words, MatchMode mode, std::span<std::optional<Match>> answers);

  // Stores without asking, under the next sequence numbers. Equal words may be stored any number of times.
  // Each of them differs in at least `apart` bits from all that are stored before it; 0: that is not known.
  void insert(std::span<const Word> words, std::uint64_t apart = 0);
  Sequence insert(Word word, std::uint64_t apart = 0);

  // Forgets one; false if it is not there (any more). The space in the tables is used again at once, that in
  // the array of words once all before it are expired.
  bool erase(Sequence sequence);

  // Forgets all below `sequence`, oldest first. Those that are equal to one of them are gone through once for
  // all of them. REQUIRES: sequence <= next().
  void expire(Sequence sequence);

  Sequence oldest() const { return oldest_; }   // no lower one is stored
  Sequence next() const { return next_; }       // of the next insert
  std::uint64_t size() const { return size_; }  // stored now
  bool contains(Sequence sequence) const {
    return sequence >= oldest_ && sequence < next_ && !is_erased(sequence);
  }
  // REQUIRES: contains(sequence).
  Word word(Sequence sequence) const { return words_[static_cast<std::uint32_t>(sequence)]; }

  // Memory held, counted: whole pages.
  std::size_t bytes() const;

  // What all look-ups cost so far.
  ProbeCounts counts() const;
  // The most entries that a bucket ever had, and the cache lines of blocks in use now.
  std::uint64_t largest_bucket() const;
  std::uint64_t overflow_lines() const;

  const HammingOptions& options() const { return options_; }
  const Covering& covering() const { return *options_.covering; }
  const HammingTables<Word>& tables() const { return tables_; }  // none up to kScanMax

  // A digest of what answers hang on: the words under their numbers, and the distance.
  Digest128 state_digest() const;
  // A digest of the tables as well, as they lie in memory: equal for equal calls, whatever the threads and
  // the batches.
  Digest128 layout_digest() const;
  // Of what each bucket holds, in whatever order: equal for all ways to the same words if nothing was erased.
  Digest128 entries_digest() const;

  // For writing it: also of what was erased. REQUIRES: oldest() <= sequence < next().
  Word stored_word(Sequence sequence) const { return words_[static_cast<std::uint32_t>(sequence)]; }
  // How many are equal to an older one that is stored, as far as the tables know: they are in none.
  std::uint64_t equal_words() const { return members_.size(); }
  // In how many bits any two words differ at least; 0: that is not known.
  int apart() const { return all_apart_ ? options_.distance + 1 : 0; }

  // For reading it: an empty index takes words under the numbers first, first + 1, ... and then builds its
  // tables at once, for `equal` words that are in none. Returns how many there were. Any two of the words
  // differ in at least `apart` bits.
  // REQUIRES: next() == 0 at first; words come in order.
  void restore_begin(Sequence first);
  void restore_words(std::span<const Word> words);
  void restore_erased(Sequence sequence);  // REQUIRES: contains(sequence)
  std::uint64_t restore_finish(std::uint64_t equal, std::uint64_t apart = 0);

 private:
  static constexpr std::size_t kBatch = 256;   // words decided at a time,
  static constexpr std::size_t kPartMin = 64;  // or more, so that each thread has so many
  static constexpr int kOwnTablesMin = 3;      // for fewer it takes longer to find out where to look
  static constexpr std::uint64_t kIds = std::uint64_t{1} << 32;

  bool has_tables() const { return !tables_.empty(); }
  bool misses_none() const { return options_.block_entries_max == 0; }
  bool is_erased(Sequence sequence) const {
    const auto id = static_cast<std::uint32_t>(sequence);
    return (erased_[id / 64] >> (id % 64) & 1) != 0;
  }
  Sequence sequence_of(std::uint32_t id) const {
    return oldest_ + static_cast<std::uint32_t>(id - static_cast<std::uint32_t>(oldest_));
  }
  std::uint32_t age(std::uint32_t id) const { return id - static_cast<std::uint32_t>(oldest_); }

  ProbeView<Word> view(MatchMode mode = MatchMode::kFirst) const;
  std::optional<Match> match_of(const Found& found) const;
  void make_room_for_keys(std::size_t count);  // in keys_ and tags_
  void prefetch_heads(std::size_t row) const;  // of what keys_ has there, in all tables

  using Share = std::vector<ShardRun>;  // what one of the crew owns, by ascending tables

  // Where the queries of a member of the crew begin, of so many.
  std::size_t part_begin(std::size_t count, int member) const {
    return count * static_cast<std::size_t>(member) / static_cast<std::size_t>(crew_->size());
  }
  // The same of a batch to be stored: the last one costs a quarter more than the first, which is compared
  // with none before it.
  std::size_t batch_part_begin(std::size_t count, int member) const {
    const std::size_t begin = part_begin(count, member);
    return begin + (count == 0 ? 0 : begin * (count - begin) / count / 8);
  }
  // The same where a query costs only what it takes to compare it with those before it.
  std::size_t near_part_begin(std::size_t count, int member) const {
    return static_cast<std::size_t>(static_cast<double>(count) *
                                    std::sqrt(static_cast<double>(member) / crew_->size()));
  }
  // How near another one must be to be the answer, or -1 if none can.
  int open_within(const Found& found, MatchMode mode) const {
    if (found.distance < 0) return options_.distance;
    return mode == MatchMode::kFirst ? -1 : found.distance - 1;
  }
  // Of a batch to be stored: its answers as far as they are stored already, found_, near_, keys_ and tags_.
  void probe(std::span<const Word> queries, MatchMode mode, std::span<std::optional<Match>> answers);
  void probe_by_queries(std::span<const Word> queries, MatchMode mode,
                        std::span<std::optional<Match>> answers);
  void probe_by_tables(std::span<const Word> queries, MatchMode mode,
                       std::span<std::optional<Match>> answers);
  void answer(std::span<const Word> queries, MatchMode mode, std::size_t begin, std::size_t end,
              std::span<std::optional<Match>> answers);
  Found better_of(const Found& a, const Found& b, MatchMode mode) const;
  void scan_each(std::span<const Word> queries, MatchMode mode);  // into found_
  void scan(Word query, std::vector<Found>& found) const;
  Found best_of(const std::vector<Found>& found, MatchMode mode) const;

  Sequence take_numbers(std::size_t count);
  void append_words(std::span<const Word> words);
  void store_fresh(std::span<const Word> batch);
  void insert_into_tables(std::span<const Word> words, Sequence first);
  void make_tables_if_due();
  void make_tables();
  void share_out();
  auto pieces(const std::vector<std::uint64_t>& skipped) const;
  void build_first(BucketParting<Word>& parting, std::vector<std::uint64_t>& skipped);
  std::uint32_t stored_id(Word word, const std::uint64_t* keys, const std::uint32_t* tags) const;
  void forget_stored(std::uint32_t id, Sequence before, const std::uint64_t* keys, const std::uint32_t* tags);
  void expand_members(std::vector<Found>& found) const;

  HammingOptions options_;
  std::unique_ptr<Crew> crew_;
  std::vector<Share> shares_;    // by member of the crew
  bool by_tables_pays_ = false;  // each share is some whole tables
  HammingTables<Word> tables_;
  GrowingArray<Word> words_{kIds};
  GrowingArray<std::uint64_t> erased_{kIds / 64};  // a bit for each id
  OrdinalTable members_;
  Sequence oldest_ = 0;
  Sequence next_ = 0;
  std::uint64_t size_ = 0;
  bool in_order_ = true;  // until an entry is renamed
  // No two words are within `distance`: each was looked for before it was stored, here or, as who stored it
  // says, by an earlier life. So a match at distance 0 is the only one: another would be that near to it as
  // well.
  bool all_apart_ = true;

  // What a member of the crew writes alone, in lines of its own.
  struct alignas(128) Own {
    ProbeCounts counts;
    std::vector<std::uint32_t> hits;  // by tables: the queries that found something
    std::vector<std::uint32_t> rows;  // of the batch, that are new
  };

  // Of the batch at hand; kept for their memory.
  std::vector<Own> own_;         // by member
  bool was_mostly_new_ = false;  // the one before
  bool by_tables_ = false;       // it was probed so
  // By query; or by tables: by member of the crew, then by query, of its own tables.
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> tags_;
  std::size_t key_width_ = 0;   // of their rows
  std::vector<Probed> probed_;  // as keys_; in find() by member of the crew, then by query
  std::vector<Found> found_;    // by query
  std::vector<char> near_;      // by query: is one before it in the batch within the distance?
  // Of each part, from its beginning on, the queries that may have their match in the batch.
  std::vector<Word> open_;
  std::vector<std::uint32_t> open_rows_;
  std::vector<char> open_near_;
  std::vector<Word> fresh_;                // the new ones,
  std::vector<std::uint64_t> fresh_bits_;  // a bit for each query: is it one?
  std::vector<Found> all_;
};

extern template class HammingIndex<32>;
extern template class HammingIndex<64>;
extern template class HammingIndex<128>;

}  // namespace neardup
