// The text of all tiers of hamming_probe.h. Included by hamming_probe.cc, _avx2.cc and _avx512.cc, each time
// in a namespace of its own which has
//
//   std::uint64_t gather(const BitChoice<Word>&, Word)           the chosen bits
//   Word scatter(const BitChoice<Word>&, std::uint64_t)          and back
//   void locate_lanes(...)                                       locate_buckets() of bucket_lanes.h
//   std::uint32_t near_tags(const std::uint32_t* line, std::uint32_t tag, int distance, std::uint32_t equal)
//                                                                bit i: word i of 16 is within distance of
//                                                                tag, and the same in the bits `equal`
//   constexpr std::size_t kLanes<Word>                           words that near_words compares at a time
//   std::uint32_t near_words(const Word* words, std::size_t count, Word query, int distance)
//                                                                bit i: word i of min(count, kLanes) is
//                                                                within
//   bool has_near(const Word* words, std::size_t count, Word query, int distance)
//                                                                is one of them? most often none is
//   constexpr bool kFoldsPay<Word>                               is has_near() of as many folds (word.h)
//   void fold_words(const Word* words, std::size_t count, std::uint32_t* folds)        faster, with these

inline constexpr std::size_t kLanesPay = 16;  // for fewer queries lanes cost more than they spare

// How many queries make a group: so many that the heads of one, which are asked for in a round, are some
// ninety lines. More would drive each other out of the cache before they are read.
inline constexpr std::size_t kGroupLines = 96;
inline constexpr std::size_t kGroupMin = 4;
inline constexpr std::size_t kGroupMax = 16;
inline constexpr std::size_t kGroupsWanted = 7;  // of a call, or most of its time is to begin and to end
inline constexpr std::size_t kGroupsKept = 8;    // their heads are; they are read five rounds later at most
constexpr std::size_t group_size(std::size_t tables) {
  return std::clamp(std::bit_floor(kGroupLines / tables), kGroupMin, kGroupMax);
}
// Of a group whose tables are as many as may be, and of one with whole lanes of few.
inline constexpr std::size_t kGroupHeadsMax =
    std::max(kGroupMin * row_width(kTablesMax), kGroupMax * BucketLanes::kSize);

// What the queries of a stage leave to be done in the next one. Written down without a branch, and worked off
// in a row: what a single query finds is the throw of a coin, and to guess it wrong costs as much as to read
// two heads.
template <class Item, std::size_t kItemsMax>
class WorkList {
 public:
  std::size_t size() const { return count_; }
  bool is_full() const { return count_ == kItemsMax; }
  const Item& operator[](std::size_t i) const { return items_[i]; }
  const Item* begin() const { return items_; }
  const Item* end() const { return items_ + count_; }
  void clear() { count_ = 0; }
  // REQUIRES: !is_full().
  void push(const Item& item) { items_[count_++] = item; }
  void push_if(bool wanted, const Item& item) {
    items_[count_] = item;
    count_ += wanted ? 1 : 0;
  }

  // Where the next item goes, for a loop that keeps it in a register; and where it has gone to.
  Item* next() { return items_ + count_; }
  void end_at(const Item* next) { count_ = static_cast<std::size_t>(next - items_); }

 private:
  std::size_t count_ = 0;
  Item items_[kItemsMax];  // nothing is set before it is pushed, so a list that is not used costs nothing
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
  using Query = std::uint32_t;  // its number
  static constexpr std::size_t kLaneCount = BucketLanes::kSize;
  static constexpr std::size_t kWidthMax = row_width(kTablesMax);
  static constexpr std::size_t kHitsMax = 256;
  static constexpr std::uint32_t kBlockHitsMax = 64;  // before a block is given up as soon as it may be

  // A stored word that seems to be the query: where its id is, and then itself.
  struct EqualSlot {
    Query query;
    const std::uint32_t* slot;
  };
  struct EqualWord {
    Query query;
    const Word* word;
  };
  // A head that has tags near the query's: words of it, bit by bit.
  struct NearHead {
    Query query;
    std::uint32_t table;
    std::uint32_t words;
  };
  struct BlockHead {
    Query query;
    std::uint32_t table;
  };
  // A place where an id is to be read.
  struct Slot {
    Query query;
    const std::uint32_t* id;
  };
  // A bucket of table 0 to be searched.
  struct Bucket {
    Query query;
    int distance;  // in which the rest of an entry may differ
    std::uint64_t key;
    const std::uint32_t* head;
    const std::uint32_t* ids;
  };
  struct Block {
    Query query;
    std::uint32_t tag;
    std::uint32_t equal;  // bits of a tag that must be the same
    int distance;         // in which the others may differ
    const BlockPool::Block* block;
  };
  // An id whose word is to be compared.
  struct Hit {
    Query query;
    std::uint32_t id;
  };

  const ProbeView<Word> view;  // its own: the caller's stack is written to by another core meanwhile
  ProbeCounts& counts;
  std::vector<Found>* all = nullptr;
  BucketLanes lanes[kWidthMax / kLaneCount];
  bool by_lanes = false;                 // are they filled?
  std::uint32_t equal_bits[kTablesMax];  // what equal() says
  bool narrow = true;                    // all heads are of one line
  const std::size_t left;                // tables from here on are not read by find_equal()
  std::size_t width;                     // of a row of keys, tags or heads
  std::size_t group = kGroupMin;         // queries in one: a power of two

  // Of all queries, as find() has them.
  const Word* queries = nullptr;
  std::uint64_t* keys = nullptr;
  std::uint32_t* tags = nullptr;
  Probed* probed = nullptr;

  // Of a query and the one behind it: the bits that keys and tags are of.
  alignas(64) std::uint64_t chosen[2][kWidthMax];
  alignas(64) std::uint64_t rest[2][kWidthMax];
  const std::uint32_t* heads[kGroupsKept * kGroupHeadsMax];

  // What is to be done, in the order in which a query comes to it.
  WorkList<EqualSlot, kGroupMax> equal_slots;
  WorkList<EqualWord, kGroupMax> equal_words;
  WorkList<Query, 2 * kGroupMax> open;   // not stored themselves: their heads are to be asked for
  WorkList<Query, 2 * kGroupMax> asked;  // and read
  WorkList<NearHead, 2 * kGroupHeadsMax> near_heads;
  WorkList<BlockHead, 2 * kGroupHeadsMax> block_heads;
  WorkList<Slot, kHitsMax> slots;
  WorkList<Bucket, kHitsMax> buckets;
  WorkList<Hit, kHitsMax> hits;
  WorkList<Block, 2 * kHitsMax> blocks;
  WorkList<Slot, kHitsMax> block_slots;
  WorkList<Hit, kHitsMax> block_hits;

  explicit Prober(const ProbeView<Word>& of, ProbeCounts& counted, std::vector<Found>* found = nullptr)
      : view(of), counts(counted), all(found), left(of.asks_equal ? 1 : 0) {
    for (std::size_t at = 0; at < table_count(); ++at) {
      equal_bits[at] = view.tables[at].equal();
      narrow &= view.tables[at].is_narrow();
    }
    width = row_width(table_count());
  }

  void fill_lanes() {
    for (std::size_t at = 0; at < width; ++at) {
      // A lane that is no table's does what the last one does, and nobody asks what.
      const Table& table = view.tables[std::min(at, table_count() - 1)];
      table.fill(lanes[at / kLaneCount], at % kLaneCount);
    }
    by_lanes = true;
  }

  std::size_t table_count() const { return static_cast<std::size_t>(view.table_count); }
  const std::uint64_t* keys_of(Query q) const { return keys + q * width; }
  const std::uint32_t* tags_of(Query q) const { return tags + q * width; }
  const std::uint32_t** heads_of(Query q) { return heads + (q & (kGroupsKept * group - 1)) * width; }

  std::uint32_t age(std::uint32_t id) const { return id - view.oldest_id; }

  void offer(Query q, std::uint32_t id, int distance) {
    if constexpr (kCollect == Collect::kAll) {
      all->push_back({id, distance});
      return;
    }
    Found& best = probed[q].found;
    const bool is_older = age(id) < age(best.id);
    const bool is_better =
        kCollect == Collect::kFirst ? is_older
                                    : distance < best.distance || (distance == best.distance && is_older);
    if (best.distance < 0 || is_better) best = {id, distance};
  }

  // --- Where a query's heads are

  // Bits are gathered one by one, and read as a row for the next query: what was just written in pieces
  // cannot be read as a whole at once.
  void gather_bits(Query q) {
    std::uint64_t* const to_chosen = chosen[q % 2];
    std::uint64_t* const to_rest = rest[q % 2];
    for (std::size_t at = 0; at < table_count(); ++at) {
      const Table& table = view.tables[at];
      to_chosen[at] = gather(table.choice(), queries[q]);
      to_rest[at] = gather(table.rest(), queries[q]);
    }
    for (std::size_t at = table_count(); at < width; ++at) {  // as fill_lanes() does
      to_chosen[at] = to_chosen[at - 1];
      to_rest[at] = to_rest[at - 1];
    }
  }

  void begin(Query q) {
    probed[q] = {};
    by_lanes ? locate_by_lanes(q) : locate_each(q);
    if (left > 0) prefetch_head(q, 0);
  }

  // Keys, tags and heads.
  void locate_by_lanes(Query q) {
    for (std::size_t from = 0; from < table_count(); from += kLaneCount) {
      const std::size_t at = q * width + from;
      locate_lanes(lanes[from / kLaneCount], chosen[q % 2] + from, rest[q % 2] + from, keys + at, tags + at,
                   heads_of(q) + from);
    }
  }

  void locate_each(Query q) {
    for (std::size_t at = 0; at < table_count(); ++at) {
      const Table& table = view.tables[at];
      const std::uint64_t key = table.key(chosen[q % 2][at]);
      keys[q * width + at] = key;
      tags[q * width + at] = table.tag(key, rest[q % 2][at]);
      heads_of(q)[at] = table.head(table.region(key), key);
    }
  }

  void prefetch_head(Query q, std::size_t at) {
    const std::uint32_t* const head = heads_of(q)[at];
    prefetch_line(head);
    if (narrow) return;
    const auto& region = view.tables[at].region(keys_of(q)[at]);
    for (int word = Table::kLineWords; word < 1 << region.shift; word += Table::kLineWords) {
      prefetch_line(head + word);
    }
  }

  void prefetch_heads_left(Query q) {
    const std::uint32_t* const* const of = heads_of(q);
    if (narrow) {
      for (std::size_t at = left; at < table_count(); ++at) prefetch_line(of[at]);
    } else {
      for (std::size_t at = left; at < table_count(); ++at) prefetch_head(q, at);
    }
  }

  // --- If the very query is stored, and that ends the search, the other tables need not be read

  void find_equal(Query q) {
    if (left == 0) return open.push(q);
    const std::uint32_t* const head = heads_of(q)[0];
    counts.candidates += head[0] & Table::kCountMask;
    if (kCollect == Collect::kAll || !view.equal_ends) return open.push(q);
    const std::uint32_t* slot = nullptr;
    const std::uint32_t* const ids = view.tables[0].ids(view.tables[0].region(keys_of(q)[0]), head);
    scan_head(head, tags_of(q)[0], 0, 0, [&](std::uint32_t word) { slot = ids + word; });
    if (slot != nullptr) prefetch_line(slot);
    equal_slots.push_if(slot != nullptr, {q, slot});
    open.push_if(slot == nullptr, q);
  }

  void read_equal_slots() {
    for (const EqualSlot& equal : equal_slots) {
      const Word* const word = view.words + *equal.slot;
      prefetch_line(word);
      equal_words.push({equal.query, word});
    }
    equal_slots.clear();
  }

  void compare_equal_words() {
    for (const auto& [q, word] : equal_words) {
      if (*word == queries[q]) {
        probed[q].found = {static_cast<std::uint32_t>(word - view.words), 0};
      } else {
        open.push(q);  // the same key and tag, and yet another one
      }
    }
    equal_words.clear();
  }

  // --- Heads

  void read_heads(Query q) { narrow ? read_narrow_heads(q) : read_wide_heads(q); }

  // Most heads have nothing near the query and no block, so those are picked first, without a branch, that
  // have.
  void read_narrow_heads(Query q) {
    const std::uint32_t* const* const of = heads_of(q);
    const std::uint32_t* const query_tags = tags_of(q);
    NearHead* next_near = near_heads.next();
    BlockHead* next_block = block_heads.next();
    std::uint64_t compared = 0;
    for (std::size_t at = 0; at < table_count(); ++at) {
      const std::uint32_t* const head = of[at];
      const std::uint32_t count = head[0] & Table::kCountMask;
      compared += at >= left ? count : 0;  // that of table 0 was counted by find_equal()
      // Word 0 is no tag, nor are those behind the last.
      const std::uint32_t near =
          near_tags(head, query_tags[at], view.distance, equal_bits[at]) & ((2U << count) - 2);
      const auto table = static_cast<std::uint32_t>(at);
      *next_near = {q, table, near};
      next_near += near != 0 ? 1 : 0;
      *next_block = {q, table};
      next_block += head[0] >> Table::kBlockShift != 0 ? 1 : 0;
    }
    near_heads.end_at(next_near);
    block_heads.end_at(next_block);
    counts.candidates += compared;
  }

  void read_wide_heads(Query q) {
    for (std::size_t at = 0; at < table_count(); ++at) {
      const std::uint32_t* const head = heads_of(q)[at];
      if (at >= left) counts.candidates += head[0] & Table::kCountMask;
      scan_head(head, tags_of(q)[at], view.distance, equal_bits[at],
                [&](std::uint32_t word) { read_near(q, at, word); });
      block_heads.push_if(head[0] >> Table::kBlockShift != 0, {q, static_cast<std::uint32_t>(at)});
    }
  }

  void read_near_heads() {
    for (const NearHead& near : near_heads) {
      for (std::uint32_t words = near.words; words != 0; words &= words - 1) {
        read_near(near.query, near.table, static_cast<std::uint32_t>(std::countr_zero(words)));
      }
    }
    near_heads.clear();
  }

  // A word of a head whose tag is near.
  void read_near(Query q, std::size_t at, std::uint32_t word) {
    const Table& table = view.tables[at];
    const std::uint32_t* const head = heads_of(q)[at];
    const Word differing = scatter(table.rest(), table.rest_of(head[word] ^ tags_of(q)[at]));
    if (!is_wanted(table, differing)) return;
    if (table.has_ids()) {
      push_slot(slots, {q, table.ids(table.region(keys_of(q)[at]), head) + word});
    } else {
      push_bucket(q, differing);
    }
  }

  // What a tag tells of an entry may show that another table finds it, or that it is too far away.
  bool is_wanted(const Table& table, Word differing) const {
    return count_bits(differing & table.part()) <= table.part_distance() &&
           count_bits(differing) <= view.distance;
  }

  void push_slot(WorkList<Slot, kHitsMax>& to, const Slot& slot) {
    if (to.is_full()) [[unlikely]]
      return verify({slot.query, *slot.id});
    prefetch_line(slot.id);
    to.push(slot);
  }

  // A hit of a table without ids: what has its key in table 0 is to be compared, once. Unless that is the
  // query's own key there, which is looked up anyway.
  void push_bucket(Query q, Word differing) {
    const Table& first = *view.first;
    const std::uint64_t key = key_in(first, queries[q] ^ differing);
    if (view.tables == view.first && key == keys_of(q)[0]) return;
    for (std::size_t i = buckets.size(); i > 0 && buckets[i - 1].query == q; --i) {
      if (buckets[i - 1].key == key) return;
    }
    const auto& there = first.region(key);
    const std::uint32_t* const at = first.head(there, key);
    const int distance = view.distance - count_bits(differing & first.choice().chosen);
    const Bucket found = {q, distance, key, at, first.ids(there, at)};
    if (buckets.is_full()) [[unlikely]]
      return search(found);
    for (int word = 0; word < 1 << there.shift; word += Table::kLineWords) {
      prefetch_line(found.head + word);
      prefetch_line(found.ids + word);
    }
    buckets.push(found);
  }

  void push_block_of(Query q, std::size_t at) {
    const std::uint64_t key = keys_of(q)[at];
    push_block(view.tables[at].pool(key).line(heads_of(q)[at][0] >> Table::kBlockShift),
               {q, tags_of(q)[at], equal_bits[at], view.distance, nullptr});
  }

  // The block at `line` is to be read later.
  void push_block(const std::byte* line, Block block) {
    for (std::size_t ahead = 0; ahead < 2; ++ahead) prefetch_line(line + 64 * ahead);
    block.block = reinterpret_cast<const BlockPool::Block*>(line);
    if (blocks.is_full()) [[unlikely]]
      return scan_block(block);
    blocks.push(block);
  }

  // Calls visit(i) for the words i of a head whose tags are within `distance`, and the same in bits `equal`.
  template <class Visit>
  void scan_head(const std::uint32_t* head, std::uint32_t tag, int distance, std::uint32_t equal,
                 Visit visit) const {
    const std::uint32_t count = head[0] & Table::kCountMask;
    for (std::uint32_t line = 0; line <= count; line += Table::kLineWords) {
      std::uint32_t near = near_tags(head + line, tag, distance, equal);
      // Word 0 of the first line is no tag, nor are those behind the last.
      if (line == 0) near &= ~1U;
      near &= (2U << std::min(count - line, 30U)) - 1;
      while (near != 0) [[unlikely]] {
        visit(line + static_cast<std::uint32_t>(std::countr_zero(near)));
        near &= near - 1;
      }
    }
  }

  // --- Ids and words

  void resolve() {
    read_slots(slots, hits);
    for (const Bucket& bucket : buckets) search(bucket);
    for (const BlockHead& head : block_heads) push_block_of(head.query, head.table);
    buckets.clear();
    block_heads.clear();
  }

  void read_slots(WorkList<Slot, kHitsMax>& from, WorkList<Hit, kHitsMax>& to) {
    for (const Slot& slot : from) push_hit(to, {slot.query, *slot.id});
    from.clear();
  }

  void search(const Bucket& bucket) {
    const Table& first = *view.first;
    const std::uint32_t tag = tag_in(first, bucket.key, queries[bucket.query]);
    scan_head(bucket.head, tag, bucket.distance, first.key_in_tag(),
              [&](std::uint32_t word) { push_hit(hits, {bucket.query, bucket.ids[word]}); });
    if (const std::uint32_t offset = bucket.head[0] >> Table::kBlockShift; offset != 0) {
      push_block(first.pool(bucket.key).line(offset),
                 {bucket.query, tag, first.key_in_tag(), bucket.distance, nullptr});
    }
  }

  void push_hit(WorkList<Hit, kHitsMax>& to, const Hit& hit) {
    if (to.is_full()) [[unlikely]]
      return verify(hit);
    prefetch_line(view.words + hit.id);
    to.push(hit);
  }

  void verify(const Hit& hit) {
    const int distance = differing_bits(view.words[hit.id], queries[hit.query]);
    if (distance <= view.distance) offer(hit.query, hit.id, distance);
  }

  void verify_all(WorkList<Hit, kHitsMax>& list) {
    for (const Hit& hit : list) verify(hit);
    list.clear();
  }

  // --- Blocks

  void scan_blocks() {
    for (const Block& block : blocks) scan_block(block);
    blocks.clear();
  }

  // In an ordered block nothing from `id` on is older than it, so there may be no better answer.
  bool is_spared(Query q, std::uint32_t id) const {
    const Found& best = probed[q].found;
    if (kCollect == Collect::kAll || !view.in_order || best.distance < 0) return false;
    if (kCollect == Collect::kNearest && best.distance > 0) return false;
    return age(id) >= age(best.id);
  }

  void count_line(Probed& of) {
    ++counts.overflow_lines;
    if (++of.lines == ProbeCounts::kSlowLines + 1) ++counts.slow;
  }

  // All of a block.
  void scan_block(const Block& in) {
    const BlockPool::Block& block = *in.block;
    Probed& of = probed[in.query];
    if (is_spared(in.query, block.first_id)) {
      count_line(of);
      return;
    }
    std::uint32_t count = block.count;
    if (count > view.block_entries_max) [[unlikely]] {
      count = view.block_entries_max;
      counts.truncated += of.truncated ? 0 : 1;
      of.truncated = true;
    }
    counts.candidates += count;
    constexpr std::uint32_t kHeader = BlockPool::Block::kHeaderWords;
    const std::uint32_t end = kHeader + count;
    std::uint32_t found = 0;
    for (std::uint32_t from = 0; from < end; from += Table::kLineWords) {
      count_line(of);
      std::uint32_t near = near_tags(block.data() + from, in.tag, in.distance, in.equal);
      if (from == 0) near &= ~((1U << kHeader) - 1);
      near &= (2U << std::min<std::uint32_t>(end - from - 1, Table::kLineWords - 1)) - 1;
      while (near != 0) [[unlikely]] {
        const std::uint32_t at = from + static_cast<std::uint32_t>(std::countr_zero(near));
        near &= near - 1;
        const Slot slot = {in.query, block.ids() + (at - kHeader)};
        if (found++ < kBlockHitsMax) [[likely]] {
          push_slot(block_slots, slot);
          continue;
        }
        verify({in.query, *slot.id});
        if (is_spared(in.query, *slot.id)) return;
      }
    }
  }

  // --- All stages, the last one first: what one leaves for the next waits for a round

  bool is_done() const {
    return equal_slots.size() + equal_words.size() + open.size() + asked.size() + slots.size() +
               buckets.size() + block_heads.size() + hits.size() + blocks.size() + block_slots.size() +
               block_hits.size() ==
           0;
  }

  void run(const Word* of, std::size_t count, std::uint64_t* to_keys, std::uint32_t* to_tags,
           Probed* to_probed) {
    counts.lookups += count;
    queries = of;
    keys = to_keys;
    tags = to_tags;
    probed = to_probed;
    if (count >= kLanesPay) fill_lanes();
    group = std::min(group_size(table_count()), std::max(std::bit_floor(count / kGroupsWanted), kGroupMin));
    std::size_t begun = 0;
    std::size_t searched = 0;  // find_equal() was called for
    while (searched < count || !is_done()) {
      verify_all(block_hits);
      verify_all(hits);
      read_slots(block_slots, block_hits);
      scan_blocks();
      resolve();
      compare_equal_words();
      read_equal_slots();
      for (; searched < begun; ++searched) find_equal(static_cast<Query>(searched));
      const std::size_t from = begun;
      begun = std::min(begun + group, count);
      run_heads(from, begun - from);
    }
  }

  // What asks for most lines, and what computes most, query by query: so each fills the other's time.
  void run_heads(std::size_t from, std::size_t count) {
    const std::size_t steps = std::max({count + 1, open.size(), asked.size()});
    for (std::size_t i = 0; i < steps; ++i) {
      if (i > 0 && i <= count) begin(static_cast<Query>(from + i - 1));
      if (i < count) gather_bits(static_cast<Query>(from + i));
      if (i < open.size()) prefetch_heads_left(open[i]);
      if (i < asked.size()) read_heads(asked[i]);
    }
    read_near_heads();
    asked = open;
    open.clear();
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
          std::uint64_t* keys, std::uint32_t* tags, Probed* probed, ProbeCounts& counts) {
  if (mode == MatchMode::kFirst) {
    Prober<Word, Collect::kFirst>(view, counts).run(queries, count, keys, tags, probed);
  } else {
    Prober<Word, Collect::kNearest>(view, counts).run(queries, count, keys, tags, probed);
  }
}

template <class Word>
void find_all(const ProbeView<Word>& view, Word query, std::uint64_t* keys, std::uint32_t* tags,
              std::vector<Found>& found, ProbeCounts& counts) {
  Probed probed;
  Prober<Word, Collect::kAll>(view, counts, &found).run(&query, 1, keys, tags, &probed);
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

// Sets near[i] if one of the first i + ahead words is near queries[i]. Words that are near have folds that
// are, and hardly any others have.
template <class Word>
void mark_near(const Word* words, std::size_t count, std::size_t ahead, const Word* queries,
               std::size_t query_count, int distance, char* near) {
  if constexpr (kFoldsPay<Word>) {
    constexpr std::size_t kPiece = 256;
    std::uint32_t folds[kPiece];
    for (std::size_t from = 0; from < count; from += kPiece) {
      const std::size_t size = std::min(kPiece, count - from);
      fold_words(words + from, size, folds);
      for (std::size_t i = from - std::min(from, ahead); i < query_count; ++i) {
        const std::size_t before = std::min(size, i + ahead - from);
        const bool may_be_near = has_near(folds, before, fold(queries[i]), distance);
        if (may_be_near && has_near(words + from, before, queries[i], distance)) [[unlikely]] near[i] = 1;
      }
    }
  } else {
    for (std::size_t i = 0; i < query_count; ++i) {
      if (has_near(words, std::min(count, i + ahead), queries[i], distance)) [[unlikely]] near[i] = 1;
    }
  }
}

template <class Word>
void near_earlier(const Word* words, std::size_t count, const Word* queries, std::size_t query_count,
                  int distance, char* near) {
  std::fill_n(near, query_count, 0);
  mark_near(words, count, count, queries, query_count, distance, near);
  mark_near(queries, query_count, 0, queries, query_count, distance, near);
}

template <class Word>
constexpr ProbeKernels<Word> kKernels = {locate<Word>,   locate_in<Word>, keys_in<Word>,  find<Word>,
                                         find_all<Word>, scan<Word>,      scan_all<Word>, near_earlier<Word>};
