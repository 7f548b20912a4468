// How does a table hold millions of fingerprints by their key?
//
// A bucket is a head of one cache line (later two, four ... sixteen) beside those of other tables, which grow
// with it (head_rows.h), and, if that is not enough, a block of more tags and their ids (block_pool.h).
//
//   head      | count, block | tag | tag | ... 15 tags of 32 bits |     with two lines 31, with sixteen 255
//   ids       |      -       | id  | id  | ... 15 ordinals        |     behind it, only where needed
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
// Shards are what threads may own (hamming_index.h): the buckets whose numbers have the same two lowest bits.
// A bucket and what is split off it belong to one shard, and so does the pool of their blocks. Each owner
// follows the growth on a copy of its size, and moves the entries of its own buckets only: insert_batch().
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
#include "core/index/head_rows.h"
#include "core/index/key_mix.h"

namespace neardup {

inline constexpr int kShards = 4;

// What one thread owns of a table: its shards begin to end - 1.
struct ShardRun {
  int table = 0;
  int begin = 0;
  int end = kShards;

  bool has(int shard) const { return shard >= begin && shard < end; }
};

template <class Word>
class HammingTable {
 public:
  using Pool = BlockPool;

  static constexpr std::uint64_t kAhead = 16;  // entries between asking for a line and writing it
  static constexpr int kLineWords = HeadRows::kLineWords;
  static constexpr int kTagBits = 32;
  static constexpr int kKeyBitsMax = 26;  // 64 million buckets; longer keys are cut
  // Buckets of an empty table: 2^8, or as many as the tag asks for. Within more than 3 bits there are many
  // near tags; the fewer bits of the key a tag has, the more it tells of what is not equal anyway.
  static constexpr int kLevelMin = 8;
  static constexpr int kLevelMinFar = 13;
  static constexpr int kLevelMinMax = 16;  // if the tag asked for more, ids of its own are cheaper
  static constexpr std::uint32_t kCountMask = 255;
  static constexpr int kBlockShift = 8;
  static_assert(kBlockShift + Pool::kOffsetBits <= 32);

  using Region = HeadRows::Region;
  using Size = HeadRows::Size;

  // Of a key, or of the bucket it is in.
  static int shard(std::uint64_t key) { return static_cast<int>(key % kShards); }

  // Of key `number` of the covering. Its heads are in slot `slot` of these rows, which outlive it, its ids in
  // the next one. REQUIRES: level_min(covering, number) <= level_min <= key_size(covering, number).
  HammingTable(const Covering& covering, int number, int level_min, const HeadRows& rows, int slot)
      : part_(part_bits<Word>(covering, number)),
        part_distance_(number == 0 ? covering.distance : covering.part_distance),
        key_(used_key(covering, number)),
        mix_(key_.count()),
        leads_(leads(covering, number)),
        level_min_(level_min),
        unused_(key_.count() - level_min),
        rows_(&rows),
        slot_(slot) {
    const Word cut = key_.chosen;
    Word rest{};
    int free = kTagBits - unused_;
    const auto add = [&](Word bits) {
      for (int bit = kWidthOf<Word> - 1; bit >= 0 && free > 0; --bit) {
        if (has_bit(bits, bit) && !has_bit(rest, bit)) rest = rest | one_bit<Word>(bit), --free;
      }
    };
    if (leads_) add(used_key(covering, 0) & ~cut);
    add(part_ & ~cut);
    add(~cut);
    rest_ = BitChoice<Word>(rest);
    equal_ = tag(mix_.mask(), number == 0 ? 0 : rest_.gather(key_bits<Word>(covering, number)));
  }

  // Do its tags lead to table 0?
  static bool leads(const Covering& covering, int number) {
    return number != 0 && level_to_lead(covering, number) <= kLevelMinMax;
  }
  // Of a row: one for its heads, and one for its ids if it has any.
  static int slots(const Covering& covering, int number) { return leads(covering, number) ? 1 : 2; }
  // How many bits of a key are used; and how many of them have to number the buckets at least, so that a tag
  // has room for what it is to tell.
  static int key_size(const Covering& covering, int number) { return count_bits(used_key(covering, number)); }
  static int level_min(const Covering& covering, int number) {
    const int least = covering.distance > 3 ? kLevelMinFar : kLevelMin;
    return std::max(least, leads(covering, number) ? level_to_lead(covering, number)
                                                   : key_size(covering, number) - kTagBits);
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

  const Region& region(std::uint64_t key) const { return rows_->size().region(key); }
  std::uint32_t* head(const Region& region, std::uint64_t key) const { return region.head(key, slot_); }
  // REQUIRES: has_ids().
  static std::uint32_t* ids(const Region& region, std::uint32_t* head) { return head + region.slot_words(); }
  static const std::uint32_t* ids(const Region& region, const std::uint32_t* head) {
    return head + region.slot_words();
  }

  // Says in lane `lane` what the functions above do.
  void fill(BucketLanes& lanes, std::size_t lane) const {
    lanes.mix_shift[lane] = static_cast<std::uint64_t>(mix_.shift());
    lanes.mix_mask[lane] = mix_.mask();
    lanes.level_min[lane] = static_cast<std::uint64_t>(level_min_);
    lanes.unused[lane] = static_cast<std::uint64_t>(unused_);
    const Size& size = rows_->size();
    lanes.split_mask[lane] = size.split_mask;
    lanes.split[lane] = size.split;
    for (std::size_t r = 0; r < size.regions.size(); ++r) {
      const Region& region = size.regions[r];
      lanes.mask[r][lane] = region.mask;
      lanes.heads[r][lane] = reinterpret_cast<const std::byte*>(region.head(0, slot_));
      lanes.stride[r][lane] = region.stride * sizeof(*region.begin);
      lanes.shift[r][lane] = static_cast<std::uint64_t>(region.shift) + 2;  // words of four bytes
    }
  }
  // Every head is one line.
  bool is_narrow() const {
    return std::ranges::all_of(rows_->size().regions,
                               [](const Region& r) { return 1 << r.shift == kLineWords; });
  }

  // The number of the key's bucket.
  std::uint64_t bucket(std::uint64_t key) const { return key & region(key).mask; }

  const HeadRows& rows() const { return *rows_; }
  std::uint64_t entries() const { return rows_->size().entries; }
  std::uint64_t buckets() const { return rows_->rows(); }
  // Cache lines of all heads.
  std::uint64_t head_lines() const { return rows_->lines_of_a_table(); }
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
    const Region& r = region_of_bucket(bucket);
    const std::uint32_t* const line = head(r, bucket);
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

  // Stores an entry, and leaves it to others to grow. REQUIRES: id is later than all ids of the table.
  void put(std::uint64_t key, std::uint32_t tag, std::uint32_t id) {
    const Region& r = region(key);
    put(r, head(r, key), shard_of(key), tag, id);
  }

  // Stores those of a batch that are in these shards, in order, and does what growth there is on the way. The
  // rows are prepared for all of it. key(i), tag(i), id(i) are those of entry i.
  template <class Key, class Tag, class Id>
  void insert_batch(const ShardRun& run, std::uint64_t count, Key key, Tag tag, Id id);

  // What a step of growth is for this table: splits or widens the bucket size.split.
  void move_next(const Size& size) {
    rows_->widens(size) ? widen(size, size.split) : split(size, size.split);
  }

  // Takes an entry out. REQUIRES: it is there.
  void erase(std::uint64_t key, std::uint32_t tag, std::uint32_t id) {
    const Region& r = region(key);
    std::uint32_t* const line = head(r, key);
    const std::uint32_t count = line[0] & kCountMask;
    Shard& shard = shard_of(key);
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

  // Calls visit(bucket, tag, id) for each entry; without ids of its own a table tells 0.
  template <class Visit>
  void for_each_entry(Visit visit) const;

  // Calls visit(tag or id) for all that is stored, in order: equal tables, equal calls.
  template <class Visit>
  void for_each_value(Visit visit) const;

  // Of its blocks.
  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const Shard& shard : shards_) bytes += shard.pool.bytes();
    return bytes;
  }

 private:
  using Offset = Pool::Offset;

  // A cache line of its own: owners write here at the same time.
  struct alignas(64) Shard {
    Pool pool;
    std::uint64_t largest_bucket = 0;
  };
  Shard& shard_of(std::uint64_t key) { return shards_[key % kShards]; }

  // What is used of a key: its lowest bits, if it is long. They still are a key, of more fingerprints than
  // need be.
  static Word used_key(const Covering& covering, int number) {
    const Word key = key_bits<Word>(covering, number);
    Word cut{};
    for (int bit = 0, count = 0; bit < kWidthOf<Word> && count < kKeyBitsMax; ++bit) {
      if (!has_bit(key, bit)) continue;
      cut = cut | one_bit<Word>(bit);
      ++count;
    }
    return cut;
  }
  // As level_min(), if tags are to lead to table 0.
  static int level_to_lead(const Covering& covering, int number) {
    const Word key = used_key(covering, number);
    return count_bits(key) + count_bits(used_key(covering, 0) & ~key) - kTagBits;
  }

  const Region& region_of_bucket(std::uint64_t bucket) const {
    const Size& size = rows_->size();
    return bucket < size.whole() ? size.region(bucket) : size.regions[1];
  }

  void put(const Region& r, std::uint32_t* line, Shard& shard, std::uint32_t tag, std::uint32_t id) {
    const std::uint32_t count = (line[0] & kCountMask) + 1;
    if (count > r.room()) [[unlikely]]
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
    while (block != 0 && count < r.room()) {
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
  const HeadRows* rows_ = nullptr;
  int slot_ = 0;
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
  std::uint32_t* const low = head(r, bucket);
  std::uint32_t* const high = head(size.regions[1], bucket + size.whole());
  // The lines of those of this shard that are split soon, and the block of the one that is next.
  constexpr std::uint64_t kStep = kShards;
  std::uint32_t* const low_ahead = head(r, bucket + 2 * kStep);
  std::uint32_t* const high_ahead = head(size.regions[1], bucket + size.whole() + 2 * kStep);
  prefetch_line_to_write(low_ahead);
  prefetch_line_to_write(high_ahead);
  prefetch_line(shard_of(bucket).pool.line(head(r, bucket + kStep)[0] >> kBlockShift));
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
    prefetch_line_to_write(ids(r, low_ahead));
    prefetch_line_to_write(ids(r, high_ahead));
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
  const Region& narrow = size.regions[0];
  const Region& wide = size.regions[1];
  const std::uint32_t* const from = head(narrow, bucket);
  std::uint32_t* const to = head(wide, bucket);
  const std::size_t words = std::size_t{1} << narrow.shift;
  std::copy_n(from, words, to);
  if (!leads_) std::copy_n(ids(narrow, from), words, ids(wide, to));
  refill(wide, to, shard_of(bucket));
}

// A piece of the batch at a time. Where its entries go is looked up for all of them, and asked for, before
// the first is stored; what is split or widened meanwhile is looked up again. Between two steps of growth
// nothing but the entries themselves changes.
template <class Word>
template <class Key, class Tag, class Id>
void HammingTable<Word>::insert_batch(const ShardRun& run, std::uint64_t count, Key key, Tag tag, Id id) {
  constexpr std::uint64_t kPiece = 256;
  std::array<std::uint64_t, kPiece> own;     // the entries of these shards,
  std::array<std::uint64_t, kPiece> keys;    // their keys,
  std::array<std::uint32_t*, kPiece> lines;  // and where they go
  Size size = rows_->size();
  const std::uint64_t before = size.entries;
  const auto grow_to = [&](std::uint64_t entries) {
    size.entries = entries;
    while (size.entries > size.due) {
      if (run.has(shard(size.split))) move_next(size);
      rows_->advance(size);
    }
  };
  for (std::uint64_t from = 0; from < count; from += kPiece) {
    // Whose an entry is, is the throw of a coin: written down without a branch.
    std::uint64_t own_count = 0;
    for (std::uint64_t i = from; i < std::min(from + kPiece, count); ++i) {
      const std::uint64_t k = key(i);
      own[own_count] = i;
      keys[own_count] = k;
      own_count += run.has(shard(k)) ? 1 : 0;
    }
    for (std::uint64_t at = 0; at < own_count; ++at) {
      const Region& r = size.region(keys[at]);
      lines[at] = head(r, keys[at]);
      prefetch_line_to_write(lines[at]);
      if (!leads_) prefetch_line_to_write(ids(r, lines[at]));
    }
    const std::uint64_t first_moved = size.split;
    for (std::uint64_t at = 0; at < own_count;) {
      grow_to(before + own[at]);
      const std::uint64_t moved = size.split - first_moved;
      const std::uint64_t before_due = size.due - before;  // up to this entry nothing grows
      for (; at < own_count && own[at] <= before_due; ++at) {
        const std::uint64_t k = keys[at];
        const std::uint64_t i = own[at];
        const Region& r = size.region(k);
        const bool is_moved = (k & size.split_mask) - first_moved < moved;
        std::uint32_t* const line = is_moved ? head(r, k) : lines[at];
        put(r, line, shard_of(k), tag(i), id(i));
      }
    }
  }
  grow_to(before + count);
}

template <class Word>
template <class Visit>
void HammingTable<Word>::for_each_entry(Visit visit) const {
  for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
    const Region& r = region_of_bucket(bucket);
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
  visit(static_cast<std::uint64_t>(rows_->size().level));
  visit(static_cast<std::uint64_t>(rows_->size().widenings));
  visit(rows_->size().split);
  for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
    const Region& r = region_of_bucket(bucket);
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
