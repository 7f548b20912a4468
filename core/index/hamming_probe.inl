// The text of all tiers of hamming_probe.h. Included by hamming_probe.cc, _avx2.cc and _avx512.cc, each time
// in a namespace of its own which has
//
//   std::uint64_t gather(const BitChoice<Word>&, Word)           the chosen bits
//   Word scatter(const BitChoice<Word>&, std::uint64_t)          and back
//   void locate_lanes(...)                                       locate_buckets() of bucket_lanes.h
//   std::uint32_t near_tags(const std::uint32_t* line, std::uint32_t tag, int distance, std::uint32_t equal)
//                                                                bit i: word i of 16 is within distance of
//                                                                tag, and the same in the bits `equal`
//   constexpr std::size_t kLanes<Word>                           words that near_words compares at a time, <=
//   8 std::uint32_t near_words(const Word* words, std::size_t count, Word query, int distance)
//                                                                bit i: word i of min(count, kLanes) is
//                                                                within

inline constexpr std::size_t kLag = 4;               // queries between the stages; but one behind the first
inline constexpr std::size_t kSteps = 1 + 6 * kLag;  // of a query
inline constexpr std::size_t kFlights = 32;          // in the pipeline at a time
inline constexpr std::size_t kLanesPay = 16;         // for fewer queries lanes cost more than they spare
static_assert(kFlights > kSteps);

// Of one query. begin() sets what is read; before that there is nothing, so a flight that is not used costs
// nothing.
template <class Word>
struct Flight {
  static constexpr std::size_t kHitsMax = 64;
  static constexpr std::size_t kBucketsMax = 32;
  static constexpr std::size_t kBlocksMax = kTablesMax + kBucketsMax;

  struct Block {
    const BlockPool::Block* block;
    std::uint32_t tag;
    std::uint32_t equal;  // bits of a tag that must be the same
    int distance;         // in which the others may differ
  };
  struct Bucket {
    const std::uint32_t* head;
    const std::uint32_t* ids;
    std::uint64_t key;
    int distance;  // in which the rest of an entry may differ
  };

  // Of all tables, whole lanes of them: the bits of the query that their keys and tags are of.
  alignas(64) std::uint64_t chosen[row_width(kTablesMax)];
  alignas(64) std::uint64_t rest[row_width(kTablesMax)];
  Word query;
  std::uint64_t* keys;
  std::uint32_t* tags;
  const Word* equal;  // a stored word that seems to be the query
  Found best;
  std::uint32_t best_age;
  std::uint64_t lines;  // of blocks read
  bool truncated;
  std::size_t slot_count;    // places of ids to be read
  std::size_t bucket_count;  // buckets of table 0 to be searched
  std::size_t id_count;      // ids whose words are to be compared
  std::size_t block_count;   // blocks to be read
  const std::uint32_t* heads[row_width(kTablesMax)];
  const std::uint32_t* slots[kHitsMax];
  Bucket buckets[kBucketsMax];
  std::uint32_t ids[kHitsMax];
  Block blocks[kBlocksMax];
};

template <class Word>
std::uint64_t key_in(const HammingTable<Word>& table, Word word) {
  return table.key(gather(table.choice(), word));
}
template <class Word>
std::uint32_t tag_in(const HammingTable<Word>& table, std::uint64_t key, Word word) {
  return table.tag(key, gather(table.rest(), word));
}

enum class Collect : std::uint8_t { kFirst, kNearest, kAll };

template <class Word, Collect kCollect>
struct Prober {
  using Table = HammingTable<Word>;
  using F = Flight<Word>;
  static constexpr std::size_t kLaneCount = BucketLanes::kSize;

  const ProbeView<Word>& view;
  std::uint64_t& candidates;
  std::vector<Found>* all = nullptr;
  BucketLanes lanes[row_width(kTablesMax) / kLaneCount];
  bool by_lanes = false;                 // are they filled?
  std::uint32_t equal_bits[kTablesMax];  // what equal() says
  bool narrow = true;                    // all heads are of one line

  explicit Prober(const ProbeView<Word>& of, std::uint64_t& compared, std::vector<Found>* found = nullptr)
      : view(of), candidates(compared), all(found) {
    for (std::size_t at = 0; at < table_count(); ++at) {
      equal_bits[at] = view.tables[at].equal();
      narrow &= view.tables[at].is_narrow();
    }
  }

  void fill_lanes() {
    for (std::size_t at = 0; at < row_width(table_count()); ++at) {
      // A lane that is no table's does what the last one does, and nobody asks what.
      const Table& table = view.tables[std::min(at, table_count() - 1)];
      table.fill(lanes[at / kLaneCount], at % kLaneCount);
    }
    by_lanes = true;
  }

  std::size_t table_count() const { return static_cast<std::size_t>(view.table_count); }

  void offer(F& f, std::uint32_t id, int distance) const {
    if constexpr (kCollect == Collect::kAll) {
      all->push_back({id, distance});
      return;
    }
    const std::uint32_t age = id - view.oldest_id;
    const bool better = kCollect == Collect::kFirst ? f.best.distance < 0 || age < f.best_age
                                                    : f.best.distance < 0 || distance < f.best.distance ||
                                                          (distance == f.best.distance && age < f.best_age);
    if (better) {
      f.best = {id, distance};
      f.best_age = age;
    }
  }

  // Bits are gathered one by one, and read as a row in the next stage: what was just written in pieces cannot
  // be read as a whole at once.
  void gather_bits(F& f, Word query) const {
    f.query = query;
    for (std::size_t at = 0; at < table_count(); ++at) {
      const Table& table = view.tables[at];
      f.chosen[at] = gather(table.choice(), query);
      f.rest[at] = gather(table.rest(), query);
    }
    for (std::size_t at = table_count(); at < row_width(table_count()); ++at) {  // as fill_lanes() does
      f.chosen[at] = f.chosen[at - 1];
      f.rest[at] = f.rest[at - 1];
    }
  }

  void begin(F& f, std::uint64_t* to_keys, std::uint32_t* to_tags) const {
    f.keys = to_keys;
    f.tags = to_tags;
    f.best = {};
    f.equal = nullptr;
    f.lines = 0;
    f.truncated = false;
    f.slot_count = f.bucket_count = f.id_count = f.block_count = 0;
    by_lanes ? locate_by_lanes(f) : locate_each(f);
    prefetch_head(f, 0);
    if (view.equal_ends) prefetch_line(ids_of_first(f));
  }

  // Keys, tags and heads.
  void locate_by_lanes(F& f) const {
    for (std::size_t from = 0; from < table_count(); from += kLaneCount) {
      locate_lanes(lanes[from / kLaneCount], f.chosen + from, f.rest + from, f.keys + from, f.tags + from,
                   f.heads + from);
    }
  }

  void locate_each(F& f) const {
    for (std::size_t at = 0; at < table_count(); ++at) {
      const Table& table = view.tables[at];
      f.keys[at] = table.key(f.chosen[at]);
      f.tags[at] = table.tag(f.keys[at], f.rest[at]);
      f.heads[at] = table.head(table.region(f.keys[at]), f.keys[at]);
    }
  }

  void prefetch_head(const F& f, std::size_t at) const {
    const std::uint32_t* const head = f.heads[at];
    prefetch_line(head);
    if (narrow) return;
    const auto& region = view.tables[at].region(f.keys[at]);
    for (int word = Table::kLineWords; word < 1 << region.shift; word += Table::kLineWords) {
      prefetch_line(head + word);
    }
  }

  void prefetch_heads_left(const F& f) const {
    for (std::size_t at = 1; at < table_count(); ++at) prefetch_head(f, at);
  }

  const std::uint32_t* ids_of_first(const F& f) const {
    const Table& first = view.tables[0];
    return first.ids(first.region(f.keys[0]), f.heads[0]);
  }

  // If the very query is stored, and that ends the search, the other tables need not be read.
  void find_equal(F& f) const {
    if (kCollect != Collect::kAll && view.equal_ends) {
      scan_head(f.heads[0], f.tags[0], 0, 0, [&](std::uint32_t i) {
        f.equal = view.words + ids_of_first(f)[i];
        prefetch_line(f.equal);
      });
    }
    if (f.equal == nullptr) prefetch_heads_left(f);
  }

  bool is_equal(F& f) const {
    if (f.equal == nullptr) return false;
    if (*f.equal == f.query) {
      f.best = {static_cast<std::uint32_t>(f.equal - view.words), 0};
      return true;
    }
    prefetch_heads_left(f);  // the same key and tag, and yet another one
    return false;
  }

  // The block of a bucket, if there is one, is to be read later.
  void push_block(F& f, const Table& table, std::uint64_t key, std::uint32_t offset, std::uint32_t tag,
                  std::uint32_t equal, int distance) const {
    if (offset == 0) [[likely]]
      return;
    const std::byte* const line = table.pool(key).line(offset);
    for (std::size_t ahead = 0; ahead < 2; ++ahead) prefetch_line(line + 64 * ahead);
    const typename F::Block block = {.block = reinterpret_cast<const BlockPool::Block*>(line),
                                     .tag = tag,
                                     .equal = equal,
                                     .distance = distance};
    if (f.block_count == F::kBlocksMax) [[unlikely]]
      return scan_block(f, block);
    f.blocks[f.block_count++] = block;
  }

  // In an ordered block nothing from `id` on is older than it, so there may be no better answer.
  bool is_spared(const F& f, std::uint32_t id) const {
    if (kCollect == Collect::kAll || !view.in_order || f.best.distance < 0) return false;
    if (kCollect == Collect::kNearest && f.best.distance > 0) return false;
    return id - view.oldest_id >= f.best_age;
  }

  // All of a block.
  void scan_block(F& f, const typename F::Block& in) const {
    const BlockPool::Block& block = *in.block;
    if (is_spared(f, block.first_id)) {
      ++f.lines;
      return;
    }
    std::uint32_t count = block.count;
    if (count > view.block_entries_max) [[unlikely]] {
      count = view.block_entries_max;
      f.truncated = true;
    }
    candidates += count;
    constexpr std::uint32_t kHeader = BlockPool::Block::kHeaderWords;
    const std::uint32_t end = kHeader + count;
    for (std::uint32_t from = 0; from < end; from += Table::kLineWords) {
      ++f.lines;
      std::uint32_t hits = near_tags(block.data() + from, in.tag, in.distance, in.equal);
      if (from == 0) hits &= ~((1U << kHeader) - 1);
      hits &= (2U << std::min<std::uint32_t>(end - from - 1, Table::kLineWords - 1)) - 1;
      while (hits != 0) [[unlikely]] {
        const std::uint32_t at = from + static_cast<std::uint32_t>(std::countr_zero(hits));
        hits &= hits - 1;
        const std::uint32_t id = block.ids()[at - kHeader];
        if (f.id_count < F::kHitsMax) [[likely]] {
          push_id(f, id);
          continue;
        }
        verify(f, id);
        if (is_spared(f, id)) return;
      }
    }
  }

  // Calls visit(i) for the words i of a head whose tags are within `distance`, and the same in bits `equal`.
  template <class Visit>
  void scan_head(const std::uint32_t* head, std::uint32_t tag, int distance, std::uint32_t equal,
                 Visit visit) const {
    const std::uint32_t count = head[0] & Table::kCountMask;
    for (std::uint32_t line = 0; line <= count; line += Table::kLineWords) {
      std::uint32_t hits = near_tags(head + line, tag, distance, equal);
      // Word 0 of the first line is no tag, nor are those behind the last.
      if (line == 0) hits &= ~1U;
      hits &= (2U << std::min(count - line, 30U)) - 1;
      while (hits != 0) [[unlikely]] {
        visit(line + static_cast<std::uint32_t>(std::countr_zero(hits)));
        hits &= hits - 1;
      }
    }
  }

  void push_slot(F& f, const std::uint32_t* slot) const {
    if (f.slot_count == F::kHitsMax) [[unlikely]]
      return verify(f, *slot);
    prefetch_line(slot);
    f.slots[f.slot_count++] = slot;
  }

  void push_id(F& f, std::uint32_t id) const {
    if (f.id_count == F::kHitsMax) [[unlikely]]
      return verify(f, id);
    prefetch_line(view.words + id);
    f.ids[f.id_count++] = id;
  }

  void verify(F& f, std::uint32_t id) const {
    const int distance = differing_bits(view.words[id], f.query);
    if (distance <= view.distance) offer(f, id, distance);
  }

  // What a tag tells of an entry may show that another table finds it, or that it is too far away.
  bool is_wanted(const Table& table, Word differing) const {
    return count_bits(differing & table.part()) <= table.part_distance() &&
           count_bits(differing) <= view.distance;
  }

  // A hit of a table without ids: what has its key in table 0 is to be compared, once. Unless that is the
  // query's own key there, which is looked up anyway.
  void push_bucket(F& f, Word differing) const {
    const Table& first = view.tables[0];
    const std::uint64_t key = key_in(first, f.query ^ differing);
    if (key == f.keys[0]) return;
    for (std::size_t i = 0; i < f.bucket_count; ++i) {
      if (f.buckets[i].key == key) return;
    }
    const auto& there = first.region(key);
    const std::uint32_t* const at = first.head(there, key);
    const int distance = view.distance - count_bits(differing & first.choice().chosen);
    const typename F::Bucket found = {at, first.ids(there, at), key, distance};
    if (f.bucket_count == F::kBucketsMax) [[unlikely]]
      return search(f, found);
    for (int word = 0; word < 1 << there.shift; word += Table::kLineWords) {
      prefetch_line(found.head + word);
      prefetch_line(found.ids + word);
    }
    f.buckets[f.bucket_count++] = found;
  }

  void search(F& f, const typename F::Bucket& bucket) const {
    const Table& first = view.tables[0];
    const std::uint32_t tag = tag_in(first, bucket.key, f.query);
    scan_head(bucket.head, tag, bucket.distance, first.key_in_tag(),
              [&](std::uint32_t i) { push_id(f, bucket.ids[i]); });
    push_block(f, first, bucket.key, bucket.head[0] >> Table::kBlockShift, tag, first.key_in_tag(),
               bucket.distance);
  }

  void heads(F& f) const {
    candidates += f.heads[0][0] & Table::kCountMask;
    if (is_equal(f)) return;
    narrow ? read_narrow_heads(f) : read_wide_heads(f);
  }

  // Most heads have nothing near the query and no block, so those are picked first, without a branch, that
  // have.
  void read_narrow_heads(F& f) const {
    std::uint32_t near[kTablesMax];
    std::uint32_t with_near[kTablesMax];
    std::uint32_t with_block[kTablesMax];
    std::size_t near_count = 0;
    std::size_t block_count = 0;
    std::uint64_t compared = 0;
    for (std::size_t at = 0; at < table_count(); ++at) {
      const std::uint32_t* const head = f.heads[at];
      const std::uint32_t count = head[0] & Table::kCountMask;
      compared += at > 0 ? count : 0;
      // Word 0 is no tag, nor are those behind the last.
      near[at] = near_tags(head, f.tags[at], view.distance, equal_bits[at]) & ((2U << count) - 2);
      with_near[near_count] = static_cast<std::uint32_t>(at);
      near_count += near[at] != 0 ? 1 : 0;
      with_block[block_count] = static_cast<std::uint32_t>(at);
      block_count += head[0] >> Table::kBlockShift != 0 ? 1 : 0;
    }
    candidates += compared;
    for (std::size_t i = 0; i < near_count; ++i) {
      const std::size_t at = with_near[i];
      for (std::uint32_t hits = near[at]; hits != 0; hits &= hits - 1) {
        read_near(f, at, static_cast<std::uint32_t>(std::countr_zero(hits)));
      }
    }
    for (std::size_t i = 0; i < block_count; ++i) read_block_of(f, with_block[i]);
  }

  void read_wide_heads(F& f) const {
    for (std::size_t at = 0; at < table_count(); ++at) {
      const std::uint32_t* const head = f.heads[at];
      if (at > 0) candidates += head[0] & Table::kCountMask;
      scan_head(head, f.tags[at], view.distance, equal_bits[at],
                [&](std::uint32_t word) { read_near(f, at, word); });
      read_block_of(f, at);
    }
  }

  // A word of a head whose tag is near.
  void read_near(F& f, std::size_t at, std::uint32_t word) const {
    const Table& table = view.tables[at];
    const std::uint32_t* const head = f.heads[at];
    const Word differing = scatter(table.rest(), table.rest_of(head[word] ^ f.tags[at]));
    if (!is_wanted(table, differing)) return;
    if (table.has_ids()) {
      push_slot(f, table.ids(table.region(f.keys[at]), head) + word);
    } else {
      push_bucket(f, differing);
    }
  }

  void read_block_of(F& f, std::size_t at) const {
    push_block(f, view.tables[at], f.keys[at], f.heads[at][0] >> Table::kBlockShift, f.tags[at],
               equal_bits[at], view.distance);
  }

  void resolve(F& f) const {
    for (std::size_t i = 0; i < f.slot_count; ++i) push_id(f, *f.slots[i]);
    for (std::size_t i = 0; i < f.bucket_count; ++i) search(f, f.buckets[i]);
  }

  void verify_all(F& f) const {
    for (std::size_t i = 0; i < f.id_count; ++i) verify(f, f.ids[i]);
    f.id_count = 0;
  }

  void blocks(F& f) const {
    for (std::size_t i = 0; i < f.block_count; ++i) scan_block(f, f.blocks[i]);
  }

  void finish(F& f, Probed& probed) const {
    verify_all(f);
    probed.found = f.best;
    probed.lines = static_cast<std::uint32_t>(f.lines);
    probed.truncated = f.truncated;
  }

  void run(const Word* queries, std::size_t count, std::uint64_t* to_keys, std::uint32_t* to_tags,
           Probed* probed) {
    F flights[kFlights];
    const std::size_t width = row_width(table_count());
    if (count >= kLanesPay) fill_lanes();
    for (std::size_t step = 0; step < count + kSteps; ++step) {
      // The query that comes to a stage so many steps after its first.
      const auto is_due = [&](std::size_t after) { return step >= after && step - after < count; };
      const auto due = [&](std::size_t after) -> F& { return flights[(step - after) % kFlights]; };
      if (is_due(0)) gather_bits(due(0), queries[step]);
      if (is_due(1)) begin(due(1), to_keys + (step - 1) * width, to_tags + (step - 1) * width);
      if (is_due(1 + kLag)) find_equal(due(1 + kLag));
      if (is_due(1 + 2 * kLag)) heads(due(1 + 2 * kLag));
      if (is_due(1 + 3 * kLag)) resolve(due(1 + 3 * kLag));
      if (is_due(1 + 4 * kLag)) verify_all(due(1 + 4 * kLag));
      if (is_due(1 + 5 * kLag)) blocks(due(1 + 5 * kLag));
      if (is_due(kSteps)) finish(due(kSteps), probed[step - kSteps]);
    }
  }

};

template <class Word>
void locate(const ProbeView<Word>& view, const Word* words, std::size_t count, std::uint64_t* keys,
            std::uint32_t* tags) {
  const std::size_t width = row_width(static_cast<std::size_t>(view.table_count));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t t = 0; t < static_cast<std::size_t>(view.table_count); ++t) {
      const std::uint64_t key = key_in(view.tables[t], words[i]);
      keys[i * width + t] = key;
      tags[i * width + t] = tag_in(view.tables[t], key, words[i]);
    }
  }
}

template <class Word>
void locate_in(const HammingTable<Word>& table, const Word* words, std::size_t count, std::uint64_t* keys,
               std::uint32_t* tags) {
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = key_in(table, words[i]);
    tags[i] = tag_in(table, keys[i], words[i]);
  }
}

template <class Word>
void keys_in(const HammingTable<Word>& table, const Word* words, std::size_t count, std::uint64_t* keys) {
  for (std::size_t i = 0; i < count; ++i) keys[i] = key_in(table, words[i]);
}

template <class Word>
void find(const ProbeView<Word>& view, MatchMode mode, const Word* queries, std::size_t count,
          std::uint64_t* keys, std::uint32_t* tags, Probed* probed, std::uint64_t& candidates) {
  if (mode == MatchMode::kFirst) {
    Prober<Word, Collect::kFirst>(view, candidates).run(queries, count, keys, tags, probed);
  } else {
    Prober<Word, Collect::kNearest>(view, candidates).run(queries, count, keys, tags, probed);
  }
}

template <class Word>
void find_all(const ProbeView<Word>& view, Word query, std::uint64_t* keys, std::uint32_t* tags,
              std::vector<Found>& found, ProbeCounts& counts) {
  Probed probed;
  Prober<Word, Collect::kAll>(view, counts.candidates, &found).run(&query, 1, keys, tags, &probed);
  counts.add_lookup(probed.lines, probed.truncated);
}

template <class Word>
Found scan(const Word* words, std::size_t count, Word query, int distance, MatchMode mode) {
  Found best;
  for (std::size_t from = 0; from < count; from += kLanes<Word>) {
    std::uint32_t hits = near_words(words + from, count - from, query, distance);
    while (hits != 0) [[unlikely]] {
      const std::size_t at = from + static_cast<std::size_t>(std::countr_zero(hits));
      hits &= hits - 1;
      const int bits = differing_bits(words[at], query);
      if (best.distance < 0 || bits < best.distance) best = {static_cast<std::uint32_t>(at), bits};
      if (mode == MatchMode::kFirst) return best;
    }
  }
  return best;
}

template <class Word>
void scan_all(const Word* words, std::size_t count, Word query, int distance, std::vector<Found>& found) {
  for (std::size_t from = 0; from < count; from += kLanes<Word>) {
    std::uint32_t hits = near_words(words + from, count - from, query, distance);
    while (hits != 0) [[unlikely]] {
      const std::size_t at = from + static_cast<std::size_t>(std::countr_zero(hits));
      hits &= hits - 1;
      found.push_back({static_cast<std::uint32_t>(at), differing_bits(words[at], query)});
    }
  }
}

template <class Word>
constexpr ProbeKernels<Word> kKernels = {locate<Word>,   locate_in<Word>, keys_in<Word>, find<Word>,
                                         find_all<Word>, scan<Word>,      scan_all<Word>};
