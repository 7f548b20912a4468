// How does a table hold millions of fingerprints by their key, and grow without a pause?
//
// A bucket is a head of one cache line (later two, four ... sixteen) and, if that is not enough, a block of
// more tags and their ids (block_pool.h).
//
//   head      | count, block | tag | tag | ... 15 tags of 32 bits |     with two lines 31, with sixteen 255
//   ids       |      -       | id  | id  | ... 15 ordinals        |     a second array, only where needed
//   block     tags and ids of what came after
//
// Buckets are numbered by the lowest bits of the mixed key (key_mix.h). A tag has the others of them, and
// more bits of the fingerprint, chosen such that they and the number of the bucket tell all bits of the key
// and all bits of table 0's key. So a bucket is split with nothing but its own line, and a tag that is near
// the query's leads to the entry's bucket in table 0, which alone has ids. Where 32 bits are too few for that
// (long keys of few tables), a table has ids of its own.
//
//   mixed key   | level_min bits | split by, bit after bit |
//   tag                          |         unused         | rest: more bits of the fingerprint |
//
// Linear hashing: buckets are split one by one, in order, whenever the average load asks for it; what is
// before `split` already counts one key bit more. When all bits of the key are used, heads are widened, in
// the same order and as slowly: their lines move to an array of heads twice as wide.
//
//   0 ........ split ........ 2^level ........ 2^level + split
//   one bit more    as before                  the other halves of the first
//
// Shards are what threads may own (hamming_index.h): the buckets whose numbers have the same two lowest bits.
// A bucket and what is split off it belong to one shard, and so does the pool of their blocks; what a table
// knows of its size hangs on the number of its entries alone. So each owner follows the growth on a copy of
// it, and moves the entries of its own buckets only: insert_batch().
//
// Threads: owners of different shards may insert at once; all else belongs to one at a time.
//
// Entries of a bucket are in the order in which they came (until rename() is used), the oldest in the head.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/check.h"
#include "core/base/prefetch_line.h"
#include "core/index/bit_choice.h"
#include "core/index/block_pool.h"
#include "core/index/bucket_lanes.h"
#include "core/index/covering.h"
#include "core/index/growing_memory.h"
#include "core/index/key_mix.h"

namespace neardup {

inline constexpr int kShards = 4;

// What one thread owns of a table: its shards begin to end - 1.
struct ShardRun {
  int table = 0;
  int begin = 0;
  int end = kShards;

  bool is_whole() const { return end - begin == kShards; }
  bool has(int shard) const { return shard >= begin && shard < end; }
};

template <class Word>
class HammingTable {
 public:
  using Pool = BlockPool;

  static constexpr std::uint64_t kAhead = 16;  // entries between asking for a line and writing it
  static constexpr int kLineWords = 16;
  static constexpr int kTagBits = 32;
  static constexpr int kKeyBitsMax = 26;  // 64 million buckets; longer keys are cut
  // Buckets of an empty table: 2^8, or as many as the tag asks for. Within more than 3 bits there are many
  // near tags; the fewer bits of the key a tag has, the more it tells of what is not equal anyway.
  static constexpr int kLevelMin = 8;
  static constexpr int kLevelMinFar = 13;
  static constexpr int kLevelMinMax = 16;  // if the tag asked for more, ids of its own are cheaper
  static constexpr int kWidenings = 4;     // one line, two, four, eight, sixteen
  static constexpr std::uint32_t kCountMask = 255;
  static constexpr int kBlockShift = 8;
  static_assert(kBlockShift + Pool::kOffsetBits <= 32);

  // Entries per bucket before it is split, and entries per line before heads are widened once, twice ...: the
  // more lines there are, the evener they fill.
  static constexpr std::uint64_t kLoad = 17;
  static constexpr std::uint64_t kLoadUnit = 2;
  static constexpr std::array<std::uint64_t, kWidenings> kWideLoad = {10, 11, 14, 14};

  // A run of buckets with one way to find them.
  struct Region {
    std::uint64_t mask = 0;          // of the key: the number of the bucket
    std::uint32_t* heads = nullptr;  // of bucket 0
    std::uint32_t* ids = nullptr;
    int shift = 4;  // log2 of the words of a head
  };

  // Of a key, or of the bucket it is in.
  static int shard(std::uint64_t key) { return static_cast<int>(key % kShards); }

  // Of key `number` of the covering.
  HammingTable(const Covering& covering, int number)
      : part_(part_bits<Word>(covering, number)),
        part_distance_(number == 0 ? covering.distance : covering.part_distance) {
    const bool is_first = number == 0;
    const Word whole_key = key_bits<Word>(covering, number);
    const Word cut = cut_key(whole_key);
    key_ = BitChoice<Word>(cut);
    mix_ = KeyMix(key_.count());
    const Word elsewhere = is_first ? Word{} : cut_key(key_bits<Word>(covering, 0)) & ~cut;
    const int level_min = covering.distance > 3 ? kLevelMinFar : kLevelMin;
    int level = std::max(level_min, key_.count() + count_bits(elsewhere) - kTagBits);
    leads_ = !is_first && level <= kLevelMinMax;
    if (!leads_) level = std::max(level_min, key_.count() - kTagBits);
    size_.level = level_min_ = std::min(level, key_.count());
    unused_ = key_.count() - level_min_;
    CHECK(std::uint64_t{1} << level_min_ >= kShards, "a bucket belongs to one shard");

    Word rest{};
    int free = kTagBits - unused_;
    const auto add = [&](Word bits) {
      for (int bit = kWidthOf<Word> - 1; bit >= 0 && free > 0; --bit) {
        if (has_bit(bits, bit) && !has_bit(rest, bit)) rest = rest | one_bit<Word>(bit), --free;
      }
    };
    if (leads_) add(elsewhere);
    add(part_ & ~cut);
    add(~cut);
    rest_ = BitChoice<Word>(rest);
    equal_ = tag(mix_.mask(), is_first ? 0 : rest_.gather(whole_key));
    heads_ = GrowingArray<std::uint32_t>(kLineWords << key_.count());
    if (!leads_) ids_ = GrowingArray<std::uint32_t>(kLineWords << key_.count());
    use_buckets(std::uint64_t{1} << size_.level);
    if (all_bits_used(size_)) reserve_wide();
    set_regions(size_);
    set_due(size_);
  }

  // Of which bits key and tag are made: key(choice gathered), tag(key, rest gathered).
  const BitChoice<Word>& choice() const { return key_; }
  const BitChoice<Word>& rest() const { return rest_; }
  std::uint64_t key(std::uint64_t chosen) const { return mix_.mix(chosen); }
  std::uint32_t tag(std::uint64_t key, std::uint64_t rest) const {
    return static_cast<std::uint32_t>(key >> level_min_ | rest << unused_);
  }
  std::uint64_t rest_of(std::uint32_t tag) const { return std::uint64_t{tag} >> unused_; }
  // Bits of a tag that are of the key, as far as it is used; and that must be equal for the keys to be.
  std::uint32_t key_in_tag() const { return tag(mix_.mask(), 0); }
  std::uint32_t equal() const { return equal_; }

  bool has_ids() const { return !leads_; }
  // The bits of the part of the covering that this table is of, and in how many of them it has to find. Table
  // 0 finds all that shares what is used of its key, so that the others need not.
  Word part() const { return part_; }
  int part_distance() const { return part_distance_; }
  const Pool& pool(std::uint64_t key) const { return shards_[key % kShards].pool; }

  const Region& region(std::uint64_t key) const { return region(size_, key); }
  std::uint32_t* head(const Region& region, std::uint64_t key) const {
    return region.heads + ((key & region.mask) << region.shift);
  }
  std::uint32_t* ids(const Region& region, const std::uint32_t* head) const {
    return region.ids + (head - region.heads);
  }

  // Says in lane `lane` what the functions above do.
  void fill(BucketLanes& lanes, std::size_t lane) const {
    lanes.mix_shift[lane] = static_cast<std::uint64_t>(mix_.shift());
    lanes.mix_mask[lane] = mix_.mask();
    lanes.level_min[lane] = static_cast<std::uint64_t>(level_min_);
    lanes.unused[lane] = static_cast<std::uint64_t>(unused_);
    lanes.split_mask[lane] = size_.split_mask;
    lanes.split[lane] = size_.split;
    for (std::size_t r = 0; r < size_.regions.size(); ++r) {
      const Region& region = size_.regions[r];
      lanes.mask[r][lane] = region.mask;
      lanes.heads[r][lane] = reinterpret_cast<const std::byte*>(region.heads);
      lanes.shift[r][lane] = static_cast<std::uint64_t>(region.shift) + 2;  // words of four bytes
    }
  }
  // Every head is one line.
  bool is_narrow() const {
    return std::ranges::all_of(size_.regions, [](const Region& r) { return 1 << r.shift == kLineWords; });
  }

  // The number of the key's bucket.
  std::uint64_t bucket(std::uint64_t key) const { return key & region(key).mask; }

  std::uint64_t entries() const { return size_.entries; }
  std::uint64_t buckets() const { return all_bits_used(size_) ? size_.whole() : size_.whole() + size_.split; }
  // Cache lines of all heads.
  std::uint64_t head_lines() const { return (size_.whole() + size_.split) << size_.widenings; }
  std::uint64_t largest_bucket() const {
    std::uint64_t largest = 0;
    for (const Shard& shard : shards_) largest = std::max(largest, shard.largest_bucket);
    return largest;
  }
  std::uint64_t overflow_lines() const {
    std::uint64_t lines = 0;
    for (const Shard& shard : shards_) lines += shard.pool.held_lines();
    return lines;
  }

  void prefetch_bucket(std::uint64_t bucket) const {
    const Region& r = bucket >= size_.whole() ? size_.regions[1] : region(bucket);
    const std::uint32_t* const line = r.heads + (bucket << r.shift);
    for (std::uint32_t word = 0; word < 1U << r.shift; word += kLineWords) {
      prefetch_line(line + word);
      if (!leads_) prefetch_line(ids(r, line) + word);
    }
  }
  void prefetch(std::uint64_t key) const {
    const Region& r = region(key);
    const std::uint32_t* const line = head(r, key);
    prefetch_line(line);
    if (!leads_) prefetch_line(ids(r, line));
  }

  void prefetch_to_write(std::uint64_t key) const {
    const Region& r = region(key);
    std::uint32_t* const line = head(r, key);
    prefetch_line_to_write(line);
    if (!leads_) prefetch_line_to_write(ids(r, line));
  }

  // Stores an entry that is not there, and grows if the load asks for it.
  // REQUIRES: id is later than all ids of the table.
  void insert(std::uint64_t key, std::uint32_t tag, std::uint32_t id) {
    insert_prepared(key, tag, id);
    while (size_.entries > size_.due) grow();
  }

  // Those of a batch, in order. key(i), tag(i), id(i) are those of entry i.
  template <class Key, class Tag, class Id>
  void insert_all(std::uint64_t count, Key key, Tag tag, Id id) {
    for (std::uint64_t i = 0; i < std::min(kAhead, count); ++i) prefetch_to_write(key(i));
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i + kAhead < count) prefetch_to_write(key(i + kAhead));
      insert(key(i), tag(i), id(i));
    }
  }

  // The same for a batch, of which each owner stores what belongs to its shards, and splits the buckets
  // there. A batch with which a round of splitting ends is one owner's.
  //   prepare_batch(count)                   then, by all owners at once,
  //   insert_batch(run, count, ...)          then
  //   finish_batch(count)
  bool ends_round(std::uint64_t count) const { return size_.split + steps_for(count) >= size_.whole(); }
  void prepare_batch(std::uint64_t count);
  template <class Key, class Tag, class Id>
  void insert_batch(const ShardRun& run, std::uint64_t count, Key key, Tag tag, Id id);
  void finish_batch(std::uint64_t count);

  // Takes an entry out. REQUIRES: it is there.
  void erase(std::uint64_t key, std::uint32_t tag, std::uint32_t id) {
    const Region& r = region(key);
    std::uint32_t* const line = head(r, key);
    const std::uint32_t count = line[0] & kCountMask;
    Shard& shard = shard_of(key);
    --size_.entries;
    if (const Offset block = line[0] >> kBlockShift; block != 0) {
      const std::uint32_t index = shard.pool.at(block).index_of(id);
      if (index < shard.pool.at(block).count) {
        line[0] = shard.pool.erase(block, index) << kBlockShift | count;
        return;
      }
    }
    // Entries with equal tags are told apart by their ids, and where there are none, nothing tells them
    // apart.
    std::uint32_t at = 1;
    while (line[at] != tag || (!leads_ && ids(r, line)[at] != id)) {
      ++at;
      CHECK(at <= count, "an entry that was stored is where its key says");
    }
    for (std::uint32_t i = at; i < count; ++i) line[i] = line[i + 1];
    if (!leads_) {
      std::uint32_t* const line_ids = ids(r, line);
      for (std::uint32_t i = at; i < count; ++i) line_ids[i] = line_ids[i + 1];
    }
    --line[0];
    refill(r, line, shard);
  }

  // The entry of old_id stands for another id from now on. REQUIRES: it is there.
  void rename(std::uint64_t key, std::uint32_t old_id, std::uint32_t id) {
    const Region& r = region(key);
    std::uint32_t* const line = head(r, key);
    if (const Offset block = line[0] >> kBlockShift; block != 0) {
      Pool& pool = shard_of(key).pool;
      const std::uint32_t index = pool.at(block).index_of(old_id);
      if (index < pool.at(block).count) return pool.rename(block, index, id);
    }
    if (leads_) return;
    std::uint32_t* const line_ids = ids(r, line);
    std::replace(line_ids + 1, line_ids + 1 + (line[0] & kCountMask), old_id, id);
  }

  // The id under which `word` is stored. `word_at(id)` tells the word of an id. REQUIRES: has_ids().
  template <class WordAt>
  std::optional<std::uint32_t> find(std::uint64_t key, std::uint32_t tag, Word word, WordAt word_at) const {
    const Region& r = region(key);
    const std::uint32_t* const line = head(r, key);
    const std::uint32_t count = line[0] & kCountMask;
    for (std::uint32_t i = 1; i <= count; ++i) {
      if (line[i] == tag && word_at(ids(r, line)[i]) == word) return ids(r, line)[i];
    }
    if (const Offset offset = line[0] >> kBlockShift; offset != 0) {
      const Pool::Block& block = pool(key).at(offset);
      for (std::uint32_t i = 0; i < block.count; ++i) {
        if (block.tags()[i] == tag && word_at(block.ids()[i]) == word) return block.ids()[i];
      }
    }
    return std::nullopt;
  }

  // False: find() would find nothing. Sooner than that, where the bucket is near at hand.
  bool may_hold(std::uint64_t key, std::uint32_t tag) const {
    const Region& r = region(key);
    const std::uint32_t* const line = head(r, key);
    std::uint32_t same = line[0] >> kBlockShift;  // with a block, who knows
    for (std::uint32_t word = 0; word < 1U << r.shift; word += kLineWords) {
      for (std::uint32_t i = 0; i < kLineWords; ++i) same |= line[word + i] == tag ? 1U : 0U;
    }
    return same != 0;
  }

  // What a table of so many entries looks like.
  struct Shape {
    int level = 0;            // bits of the key in use
    std::uint64_t ahead = 0;  // of 2^level buckets, those already split or, all bits being in use, widened
    int widenings = 0;        // done for all
  };
  Shape shape_of(std::uint64_t entries) const;

  // Grows an empty table to the size it has with so many entries, at once.
  // REQUIRES: entries() == 0.
  void prepare(std::uint64_t entries);
  // As insert, but never grows: for an empty table after prepare().
  void insert_prepared(std::uint64_t key, std::uint32_t tag, std::uint32_t id) {
    const Region& r = region(key);
    put(r, head(r, key), shard_of(key), tag, id);
    ++size_.entries;
  }

  // Calls visit(bucket, tag, id) for each entry; without ids of its own a table tells 0.
  template <class Visit>
  void for_each_entry(Visit visit) const;

  // Calls visit(tag or id) for all that is stored, in order: equal tables, equal calls.
  template <class Visit>
  void for_each_value(Visit visit) const;

  std::size_t bytes() const {
    std::size_t bytes = heads_.bytes() + ids_.bytes() + wide_heads_.bytes() + wide_ids_.bytes();
    for (const Shard& shard : shards_) bytes += shard.pool.bytes();
    return bytes;
  }

 private:
  using Offset = Pool::Offset;

  // How far a table has grown: a function of the most entries that it ever had.
  struct Size {
    std::array<Region, 2>
        regions{};  // of buckets not yet split, or widened, in this round; of those that are
    std::uint64_t split_mask = 0;
    std::uint64_t split = 0;
    int level = 0;      // bits of the key in use
    int widenings = 0;  // done
    std::uint64_t entries = 0;
    std::uint64_t due = 0;  // with more of them, the next bucket is split or widened

    std::uint64_t whole() const { return std::uint64_t{1} << level; }
  };

  // A cache line of its own: owners write here at the same time.
  struct alignas(64) Shard {
    Pool pool;
    std::uint64_t largest_bucket = 0;
  };
  Shard& shard_of(std::uint64_t key) { return shards_[key % kShards]; }

  // The lowest bits of a long key: it still is a key, of more fingerprints than it need be.
  static Word cut_key(Word key) {
    Word cut{};
    for (int bit = 0, count = 0; bit < kWidthOf<Word> && count < kKeyBitsMax; ++bit) {
      if (!has_bit(key, bit)) continue;
      cut = cut | one_bit<Word>(bit);
      ++count;
    }
    return cut;
  }

  static constexpr std::uint32_t capacity(const Region& region) { return (1U << region.shift) - 1; }

  static const Region& region(const Size& size, std::uint64_t key) {
    return size.regions[(key & size.split_mask) < size.split ? 1 : 0];
  }
  bool all_bits_used(const Size& size) const { return size.level == key_.count(); }

  void use_buckets(std::uint64_t count) {
    const int shift = size_.regions[0].shift;
    heads_.use(count << shift);
    if (!leads_) ids_.use(count << shift);
  }

  void reserve_wide() {
    const std::size_t words = (std::size_t{2} * kLineWords) << (size_.level + size_.widenings);
    wide_heads_ = GrowingArray<std::uint32_t>(words);
    if (!leads_) wide_ids_ = GrowingArray<std::uint32_t>(words);
  }

  void set_regions(Size& size) const {
    const std::uint64_t mask = size.whole() - 1;
    size.split_mask = mask;
    std::array<Region, 2>& r = size.regions;
    r[0] = {.mask = mask, .heads = heads_.data(), .ids = ids_.data(), .shift = 4 + size.widenings};
    r[1] = r[0];
    if (!all_bits_used(size)) {
      r[1].mask = 2 * mask + 1;
    } else if (size.widenings < kWidenings) {
      r[1].shift = r[0].shift + 1;
      r[1].heads = wide_heads_.data();
      r[1].ids = wide_ids_.data();
    }
  }

  // After how many entries the next bucket is split or widened, if so many are.
  std::uint64_t due(const Size& size, std::uint64_t split) const {
    const std::uint64_t done = size.whole() + split;
    if (!all_bits_used(size)) return done * kLoad / kLoadUnit;
    if (size.widenings == kWidenings) return ~std::uint64_t{0};
    return kWideLoad[static_cast<std::size_t>(size.widenings)] * (done << size.widenings);
  }
  void set_due(Size& size) const { size.due = due(size, size.split); }

  // Buckets of this round that are split or widened before `count` more entries are stored.
  std::uint64_t steps_for(std::uint64_t count) const {
    std::uint64_t steps = 0;
    while (size_.entries + count > due(size_, size_.split + steps)) ++steps;
    return steps;
  }

  // The memory for the buckets below `split` to be split or widened, and that which is left behind.
  void use_for(std::uint64_t split) {
    if (all_bits_used(size_)) {
      const std::uint64_t words = split << size_.regions[1].shift;
      wide_heads_.use(words);
      if (!leads_) wide_ids_.use(words);
    } else {
      use_buckets(size_.whole() + split);
    }
  }
  void release_narrow(std::uint64_t split) {
    if (!all_bits_used(size_)) return;
    const std::uint64_t words = split << size_.regions[0].shift;
    heads_.release(words);
    if (!leads_) ids_.release(words);
  }

  void grow() {
    use_for(size_.split + 1);
    move_next(size_);
    release_narrow(size_.split);
    if (size_.split == size_.whole()) end_round();
    set_due(size_);
  }

  // Splits or widens the bucket size.split.
  void move_next(Size& size) {
    all_bits_used(size) ? widen(size, size.split) : split(size, size.split);
    ++size.split;
  }

  void end_round();

  void put(const Region& r, std::uint32_t* line, Shard& shard, std::uint32_t tag, std::uint32_t id) {
    const std::uint32_t count = (line[0] & kCountMask) + 1;
    if (count > capacity(r)) [[unlikely]]
      return put_into_block(line, shard, tag, id);
    line[count] = tag;
    if (!leads_) ids(r, line)[count] = id;
    ++line[0];
    if (count > shard.largest_bucket) [[unlikely]]
      shard.largest_bucket = count;
  }

  void put_into_block(std::uint32_t* line, Shard& shard, std::uint32_t tag, std::uint32_t id);

  // Entries of a bucket's block move up into the head while it has room.
  void refill(const Region& r, std::uint32_t* line, Shard& shard) {
    Offset block = line[0] >> kBlockShift;
    std::uint32_t count = line[0] & kCountMask;
    while (block != 0 && count < capacity(r)) {
      ++count;
      line[count] = shard.pool.at(block).tags()[0];
      if (!leads_) ids(r, line)[count] = shard.pool.at(block).ids()[0];
      block = shard.pool.erase(block, 0);
    }
    line[0] = block << kBlockShift | count;
  }

  void split(const Size& size, std::uint64_t bucket);
  void widen(const Size& size, std::uint64_t bucket);

  Word part_{};
  int part_distance_ = 0;
  BitChoice<Word> key_;  // the whole one, or what is used of it
  KeyMix mix_;
  BitChoice<Word> rest_;
  std::uint32_t equal_ = 0;
  bool leads_ = false;  // tags lead to table 0; else this table has ids
  int level_min_ = 0;
  int unused_ = 0;  // bits of the mixed key that a tag has
  Size size_;
  GrowingArray<std::uint32_t> heads_;
  GrowingArray<std::uint32_t> ids_;
  GrowingArray<std::uint32_t> wide_heads_;  // while heads are being widened: where they go
  GrowingArray<std::uint32_t> wide_ids_;
  std::array<Shard, kShards> shards_;
};

template <class Word>
void HammingTable<Word>::put_into_block(std::uint32_t* line, Shard& shard, std::uint32_t tag,
                                        std::uint32_t id) {
  const std::uint32_t count = line[0] & kCountMask;
  const Offset block = shard.pool.append(line[0] >> kBlockShift, tag, id);
  line[0] = block << kBlockShift | count;
  shard.largest_bucket = std::max<std::uint64_t>(shard.largest_bucket, count + shard.pool.at(block).count);
}

// The head's entries part by one bit of their tags, in order; those of the block follow.
template <class Word>
void HammingTable<Word>::split(const Size& size, std::uint64_t bucket) {
  const std::uint32_t bit = 1U << (size.level - level_min_);
  const Region r = size.regions[0];
  std::uint32_t* const low = r.heads + (bucket << r.shift);
  std::uint32_t* const high = r.heads + ((bucket + size.whole()) << r.shift);
  // The lines of those of this shard that are split soon, and the block of the one that is next.
  constexpr std::ptrdiff_t kStride = std::ptrdiff_t{kShards} * kLineWords;
  prefetch_line_to_write(low + 2 * kStride);
  prefetch_line_to_write(high + 2 * kStride);
  prefetch_line(shard_of(bucket).pool.line(low[kStride] >> kBlockShift));
  const std::uint32_t count = low[0] & kCountMask;
  const Offset offset = low[0] >> kBlockShift;
  std::uint32_t low_count = 0;
  std::uint32_t high_count = 0;
  if (leads_) {
    for (std::uint32_t i = 1; i <= count; ++i) {
      const std::uint32_t tag = low[i];
      const std::uint32_t is_high = (tag & bit) != 0 ? 1 : 0;
      high[1 + high_count] = tag;  // where it is not, the next one overwrites it
      low[1 + low_count] = tag;
      high_count += is_high;
      low_count += 1 - is_high;
    }
  } else {
    std::uint32_t* const low_ids = ids(r, low);
    std::uint32_t* const high_ids = ids(r, high);
    prefetch_line_to_write(low_ids + 2 * kStride);
    prefetch_line_to_write(high_ids + 2 * kStride);
    for (std::uint32_t i = 1; i <= count; ++i) {
      const std::uint32_t tag = low[i];
      const std::uint32_t id = low_ids[i];
      const std::uint32_t is_high = (tag & bit) != 0 ? 1 : 0;
      high[1 + high_count] = tag;
      high_ids[1 + high_count] = id;
      low[1 + low_count] = tag;
      low_ids[1 + low_count] = id;
      high_count += is_high;
      low_count += 1 - is_high;
    }
  }
  low[0] = low_count;
  high[0] = high_count;
  if (offset != 0) {
    Shard& shard = shard_of(bucket);
    const auto& block = shard.pool.at(offset);
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const std::uint32_t tag = block.tags()[i];
      put(size.regions[1], (tag & bit) != 0 ? high : low, shard, tag, block.ids()[i]);
    }
    shard.pool.give_back(offset);
  }
}

template <class Word>
void HammingTable<Word>::widen(const Size& size, std::uint64_t bucket) {
  const Region narrow = size.regions[0];
  const Region wide = size.regions[1];
  const std::size_t from = bucket << narrow.shift;
  const std::size_t to = bucket << wide.shift;
  const std::size_t words = std::size_t{1} << narrow.shift;
  std::copy_n(narrow.heads + from, words, wide.heads + to);
  if (!leads_) std::copy_n(narrow.ids + from, words, wide.ids + to);
  refill(wide, wide.heads + to, shard_of(bucket));
}

template <class Word>
void HammingTable<Word>::end_round() {
  size_.split = 0;
  if (!all_bits_used(size_)) {
    ++size_.level;
  } else {
    ++size_.widenings;
    heads_ = std::move(wide_heads_);
    ids_ = std::move(wide_ids_);
    wide_heads_ = {};
    wide_ids_ = {};
  }
  if (all_bits_used(size_) && size_.widenings < kWidenings) reserve_wide();
  set_regions(size_);
}

template <class Word>
void HammingTable<Word>::prepare_batch(std::uint64_t count) {
  use_for(size_.split + steps_for(count));
}

template <class Word>
template <class Key, class Tag, class Id>
void HammingTable<Word>::insert_batch(const ShardRun& run, std::uint64_t count, Key key, Tag tag, Id id) {
  constexpr std::uint64_t kPiece = 256;
  std::array<std::uint64_t, kPiece> own;
  Size size = size_;
  const auto grow_to = [&](std::uint64_t entries) {
    size.entries = entries;
    while (size.entries > size.due) {
      if (run.has(shard(size.split))) {
        move_next(size);
      } else {
        ++size.split;
      }
      set_due(size);
    }
  };
  for (std::uint64_t from = 0; from < count; from += kPiece) {
    // Whose an entry is, is the throw of a coin: written down without a branch.
    std::uint64_t own_count = 0;
    for (std::uint64_t i = from; i < std::min(from + kPiece, count); ++i) {
      own[own_count] = i;
      own_count += run.has(shard(key(i))) ? 1 : 0;
    }
    for (std::uint64_t at = 0; at < std::min(kAhead, own_count); ++at) prefetch_to_write(key(own[at]));
    for (std::uint64_t at = 0; at < own_count; ++at) {
      if (at + kAhead < own_count) prefetch_to_write(key(own[at + kAhead]));
      const std::uint64_t i = own[at];
      grow_to(size_.entries + i);
      const Region& r = region(size, key(i));
      put(r, head(r, key(i)), shard_of(key(i)), tag(i), id(i));
    }
  }
  grow_to(size_.entries + count);
}

template <class Word>
void HammingTable<Word>::finish_batch(std::uint64_t count) {
  size_.split += steps_for(count);
  size_.entries += count;
  set_due(size_);
  release_narrow(size_.split);
}

// Counts as grow() and set_due() do.
template <class Word>
typename HammingTable<Word>::Shape HammingTable<Word>::shape_of(std::uint64_t entries) const {
  const auto least = [entries](std::uint64_t load,
                               std::uint64_t unit) {  // with load * least / unit >= entries
    return (entries * unit + load - 1) / load;
  };
  const int key_bits = key_.count();
  const std::uint64_t all = std::uint64_t{1} << key_bits;
  const std::uint64_t buckets = std::max(least(kLoad, kLoadUnit), size_.whole());
  if (buckets < all) {
    const auto level = static_cast<int>(std::bit_width(buckets)) - 1;
    return {.level = level, .ahead = buckets - (std::uint64_t{1} << level), .widenings = 0};
  }
  for (int widenings = 0; widenings < kWidenings; ++widenings) {
    const std::uint64_t done = least(kWideLoad[static_cast<std::size_t>(widenings)] << widenings, 1);
    if (done < 2 * all) {
      return {.level = key_bits, .ahead = done > all ? done - all : 0, .widenings = widenings};
    }
  }
  return {.level = key_bits, .ahead = 0, .widenings = kWidenings};
}

// Empty buckets split into empty buckets, so only the size is set, and what would be given back on the way
// is never touched.
template <class Word>
void HammingTable<Word>::prepare(std::uint64_t entries) {
  DCHECK(size_.entries == 0);
  const Shape shape = shape_of(entries);
  size_.level = shape.level;
  size_.split = shape.ahead;
  size_.widenings = shape.widenings;
  wide_heads_ = {};
  wide_ids_ = {};
  if (shape.widenings > 0) {
    const std::size_t words = std::size_t{kLineWords} << (key_.count() + shape.widenings);
    heads_ = GrowingArray<std::uint32_t>(words);
    if (!leads_) ids_ = GrowingArray<std::uint32_t>(words);
  }
  set_regions(size_);
  use_buckets(buckets());
  if (all_bits_used(size_) && shape.widenings < kWidenings) {
    reserve_wide();
    set_regions(size_);
    if (size_.split > 0) use_for(size_.split);
    release_narrow(size_.split);
  }
  set_due(size_);
}

template <class Word>
template <class Visit>
void HammingTable<Word>::for_each_entry(Visit visit) const {
  for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
    const Region& r = bucket < size_.whole() ? region(bucket) : size_.regions[1];
    const std::uint32_t* const line = head(r, bucket);
    for (std::uint32_t i = 1; i <= (line[0] & kCountMask); ++i) {
      visit(bucket, line[i], leads_ ? 0 : ids(r, line)[i]);
    }
    if (const Offset offset = line[0] >> kBlockShift; offset != 0) {
      const auto& block = pool(bucket).at(offset);
      for (std::uint32_t i = 0; i < block.count; ++i) {
        visit(bucket, block.tags()[i], leads_ ? 0 : block.ids()[i]);
      }
    }
  }
}

template <class Word>
template <class Visit>
void HammingTable<Word>::for_each_value(Visit visit) const {
  visit(static_cast<std::uint64_t>(size_.level));
  visit(static_cast<std::uint64_t>(size_.widenings));
  visit(size_.split);
  for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
    const Region& r = bucket < size_.whole() ? region(bucket) : size_.regions[1];
    const std::uint32_t* const line = head(r, bucket);
    const std::uint32_t count = line[0] & kCountMask;
    visit(count);
    for (std::uint32_t i = 1; i <= count; ++i) visit(line[i]);
    for (std::uint32_t i = 1; i <= count && !leads_; ++i) visit(ids(r, line)[i]);
    if (const Offset offset = line[0] >> kBlockShift; offset != 0) {
      const auto& block = pool(bucket).at(offset);
      visit(block.count);
      for (std::uint32_t i = 0; i < block.count; ++i) {
        visit(block.tags()[i]);
        visit(block.ids()[i]);
      }
    }
  }
}

}  // namespace neardup
