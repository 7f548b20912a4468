// How does a table hold millions of fingerprints by their key, and grow without a pause?
//
// A bucket is a head of one cache line (later two, four ... sixteen) and, if that is not enough, a block of
// whole fingerprints (block_pool.h).
//
//   head      | count, block | tag | tag | ... 15 tags of 32 bits |     with two lines 31, with sixteen 255
//   ids       |      -       | id  | id  | ... 15 ordinals        |     a second array, only where needed
//   block     fingerprints and ids of what came after
//
// Buckets are numbered by the lowest bits of the mixed key (key_mix.h). A tag has the others of them, and
// more bits of the fingerprint, chosen such that they and the number of the bucket tell all bits of the key
// and all bits of table 0's key. So a bucket is split with nothing but its own line, and a tag that is near
// the query's leads to the entry's bucket in table 0, which alone has ids. Where 32 bits are too few for that
// (long keys of few tables), a table has ids of its own.
//
//   mixed key   | level_min bits | split by, bit after bit |
//   tag                          |        unused()         | rest: more bits of the fingerprint |
//
// Linear hashing: buckets are split one by one, in order, whenever the average load asks for it; what is
// before `split` already counts one key bit more. When all bits of the key are used, heads are widened, in
// the same order and as slowly: their lines move to an array of heads twice as wide.
//
//   0 ........ split ........ 2^level ........ 2^level + split
//   one bit more    as before                  the other halves of the first
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
#include "core/index/bit_choice.h"
#include "core/index/block_pool.h"
#include "core/index/covering.h"
#include "core/index/growing_memory.h"
#include "core/index/key_mix.h"

namespace neardup {

template <class Word>
class HammingTable {
 public:
  using Pool = BlockPool<Word>;

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
    level_ = std::max(level_min, key_.count() + count_bits(elsewhere) - kTagBits);
    leads_ = !is_first && level_ <= kLevelMinMax;
    if (!leads_) level_ = std::max(level_min, key_.count() - kTagBits);
    level_ = level_min_ = std::min(level_, key_.count());

    Word rest{};
    int free = kTagBits - unused();
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
    use_buckets(std::uint64_t{1} << level_);
    if (level_ == key_.count()) reserve_wide();
    set_regions();
    set_due();
  }

  // Of which bits key and tag are made: key(choice gathered), tag(key, rest gathered).
  const BitChoice<Word>& choice() const { return key_; }
  const BitChoice<Word>& rest() const { return rest_; }
  std::uint64_t key(std::uint64_t chosen) const { return mix_.mix(chosen); }
  std::uint32_t tag(std::uint64_t key, std::uint64_t rest) const {
    return static_cast<std::uint32_t>(key >> level_min_ | rest << unused());
  }
  std::uint64_t key_of(Word word) const { return key(key_.gather(word)); }
  std::uint32_t tag_of(Word word) const { return tag(key_of(word), rest_.gather(word)); }
  std::uint64_t rest_of(std::uint32_t tag) const { return std::uint64_t{tag} >> unused(); }
  // Bits of a tag that are of the key, as far as it is used; and that must be equal for the keys to be.
  std::uint32_t key_in_tag() const { return tag(mix_.mask(), 0); }
  std::uint32_t equal() const { return equal_; }

  bool has_ids() const { return !leads_; }
  // The bits of the part of the covering that this table is of, and in how many of them it has to find. Table
  // 0 finds all that shares what is used of its key, so that the others need not.
  Word part() const { return part_; }
  int part_distance() const { return part_distance_; }
  const Pool& pool() const { return pool_; }

  const Region& region(std::uint64_t key) const { return regions_[(key & split_mask_) < split_ ? 1 : 0]; }
  std::uint32_t* head(const Region& region, std::uint64_t key) const {
    return region.heads + ((key & region.mask) << region.shift);
  }
  std::uint32_t* ids(const Region& region, const std::uint32_t* head) const {
    return region.ids + (head - region.heads);
  }

  // The number of the key's bucket.
  std::uint64_t bucket(std::uint64_t key) const { return key & region(key).mask; }

  std::uint64_t entries() const { return entries_; }
  std::uint64_t buckets() const {
    return (std::uint64_t{1} << level_) + (level_ < key_.count() ? split_ : 0);
  }
  // Cache lines of all heads.
  std::uint64_t head_lines() const {
    const bool widens = level_ == key_.count();
    return widens ? ((std::uint64_t{1} << level_) + split_) << widenings_ : buckets();
  }
  std::uint64_t largest_bucket() const { return largest_bucket_; }
  std::uint64_t overflow_lines() const { return pool_.held_lines(); }

  void prefetch_bucket(std::uint64_t bucket) const {
    const Region& r = bucket > split_mask_ ? regions_[1] : region(bucket);
    const std::uint32_t* const line = r.heads + (bucket << r.shift);
    for (std::uint32_t word = 0; word < 1U << r.shift; word += kLineWords) {
      __builtin_prefetch(line + word, 1);
      if (!leads_) __builtin_prefetch(ids(r, line) + word, 1);
    }
  }
  void prefetch(std::uint64_t key) const {
    const Region& r = region(key);
    const std::uint32_t* const line = head(r, key);
    __builtin_prefetch(line, 1);
    if (!leads_) __builtin_prefetch(ids(r, line), 1);
  }

  // Stores an entry that is not there, and grows if the load asks for it.
  // REQUIRES: key and tag are those of `word`; id is later than all ids of the table.
  void insert(std::uint64_t key, std::uint32_t tag, Word word, std::uint32_t id) {
    insert_prepared(key, tag, word, id);
    while (entries_ > due_) grow();
  }

  // Takes an entry out. REQUIRES: it is there.
  void erase(std::uint64_t key, std::uint32_t tag, Word word, std::uint32_t id) {
    const Region& r = region(key);
    std::uint32_t* const line = head(r, key);
    const std::uint32_t count = line[0] & kCountMask;
    --entries_;
    if (const Offset block = line[0] >> kBlockShift; block != 0) {
      const std::uint32_t index = pool_.at(block).index_of(word);
      if (index < pool_.at(block).count) {
        line[0] = pool_.erase(block, index) << kBlockShift | count;
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
    refill(r, line);
  }

  // The entry of `word` stands for another id from now on. REQUIRES: it is there, as old_id.
  void rename(std::uint64_t key, Word word, std::uint32_t old_id, std::uint32_t id) {
    const Region& r = region(key);
    std::uint32_t* const line = head(r, key);
    if (const Offset block = line[0] >> kBlockShift; block != 0) {
      const std::uint32_t index = pool_.at(block).index_of(word);
      if (index < pool_.at(block).count) return pool_.rename(block, index, id);
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
      const auto& block = pool_.at(offset);
      const std::uint32_t index = block.index_of(word);
      if (index < block.count) return block.ids()[index];
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
  void insert_prepared(std::uint64_t key, std::uint32_t tag, Word word, std::uint32_t id) {
    const Region& r = region(key);
    put(r, head(r, key), tag, word, id);
    ++entries_;
  }

  // Calls visit(bucket, tag, id) for each entry; without ids of its own a table tells 0.
  template <class Visit>
  void for_each_entry(Visit visit) const;

  // Calls visit(tag or id or word's limb) for all that is stored, in order: equal tables, equal calls.
  template <class Visit>
  void for_each_value(Visit visit) const;

  std::size_t bytes() const {
    return heads_.bytes() + ids_.bytes() + wide_heads_.bytes() + wide_ids_.bytes() + pool_.bytes();
  }

 private:
  using Offset = typename Pool::Offset;

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

  // Bits of the mixed key that a tag has.
  int unused() const { return key_.count() - level_min_; }

  static constexpr std::uint32_t capacity(const Region& region) { return (1U << region.shift) - 1; }

  void use_buckets(std::uint64_t count) {
    const int shift = regions_[0].shift;
    heads_.use(count << shift);
    if (!leads_) ids_.use(count << shift);
  }

  void reserve_wide() {
    const std::size_t words = (std::size_t{2} * kLineWords) << (level_ + widenings_);
    wide_heads_ = GrowingArray<std::uint32_t>(words);
    if (!leads_) wide_ids_ = GrowingArray<std::uint32_t>(words);
  }

  void use_wide(std::size_t words) {
    wide_heads_.use(words);
    if (!leads_) wide_ids_.use(words);
  }
  void release_narrow(std::size_t words) {
    heads_.release(words);
    if (!leads_) ids_.release(words);
  }

  void set_regions() {
    const bool all_used = level_ == key_.count();
    const std::uint64_t mask = (std::uint64_t{1} << level_) - 1;
    split_mask_ = mask;
    regions_[0] = {.mask = mask, .heads = heads_.data(), .ids = ids_.data(), .shift = regions_[0].shift};
    regions_[1] = regions_[0];
    if (!all_used) {
      regions_[1].mask = 2 * mask + 1;
    } else if (widenings_ < kWidenings) {
      regions_[1].shift = regions_[0].shift + 1;
      regions_[1].heads = wide_heads_.data();
      regions_[1].ids = wide_ids_.data();
    }
  }

  // After how many entries the next bucket is split or widened.
  void set_due() {
    const std::uint64_t done = (std::uint64_t{1} << level_) + split_;
    if (level_ < key_.count()) {
      due_ = done * kLoad / kLoadUnit;
    } else if (widenings_ < kWidenings) {
      due_ = kWideLoad[static_cast<std::size_t>(widenings_)] * (done << widenings_);
    } else {
      due_ = ~std::uint64_t{0};
    }
  }

  void grow() {
    level_ < key_.count() ? split_next() : widen_next();
    set_due();
  }

  void put(const Region& r, std::uint32_t* line, std::uint32_t tag, Word word, std::uint32_t id) {
    const std::uint32_t count = (line[0] & kCountMask) + 1;
    if (count > capacity(r)) [[unlikely]]
      return put_into_block(line, word, id);
    line[count] = tag;
    if (!leads_) ids(r, line)[count] = id;
    ++line[0];
    if (count > largest_bucket_) [[unlikely]]
      largest_bucket_ = count;
  }

  void put_into_block(std::uint32_t* line, Word word, std::uint32_t id);

  // Entries of a bucket's block move up into the head while it has room.
  void refill(const Region& r, std::uint32_t* line) {
    Offset block = line[0] >> kBlockShift;
    std::uint32_t count = line[0] & kCountMask;
    while (block != 0 && count < capacity(r)) {
      ++count;
      line[count] = tag_of(pool_.at(block).words()[0]);
      if (!leads_) ids(r, line)[count] = pool_.at(block).ids()[0];
      block = pool_.erase(block, 0);
    }
    line[0] = block << kBlockShift | count;
  }

  void split_next();
  void widen_next();

  Word part_{};
  int part_distance_ = 0;
  BitChoice<Word> key_;  // the whole one, or what is used of it
  KeyMix mix_;
  BitChoice<Word> rest_;
  std::uint32_t equal_ = 0;
  bool leads_ = false;  // tags lead to table 0; else this table has ids
  std::array<Region, 2>
      regions_{};  // of buckets not yet split, or widened, in this round; and of those that are
  std::uint64_t split_mask_ = 0;
  std::uint64_t split_ = 0;
  int level_ = 0;  // bits of the key in use
  int level_min_ = 0;
  int widenings_ = 0;  // done
  std::uint64_t entries_ = 0;
  std::uint64_t due_ = 0;
  std::uint64_t largest_bucket_ = 0;
  GrowingArray<std::uint32_t> heads_;
  GrowingArray<std::uint32_t> ids_;
  GrowingArray<std::uint32_t> wide_heads_;  // while heads are being widened: where they go
  GrowingArray<std::uint32_t> wide_ids_;
  Pool pool_;
};

template <class Word>
void HammingTable<Word>::put_into_block(std::uint32_t* line, Word word, std::uint32_t id) {
  const std::uint32_t count = line[0] & kCountMask;
  const Offset block = pool_.append(line[0] >> kBlockShift, word, id);
  line[0] = block << kBlockShift | count;
  largest_bucket_ = std::max<std::uint64_t>(largest_bucket_, count + pool_.at(block).count);
}

// The head's entries part by one bit of their tags, in order; those of the block follow.
template <class Word>
void HammingTable<Word>::split_next() {
  const std::uint64_t high_bucket = split_ + (std::uint64_t{1} << level_);
  const std::uint32_t bit = 1U << (level_ - level_min_);
  use_buckets(high_bucket + 1);
  const Region r = regions_[0];
  std::uint32_t* const low = r.heads + (split_ << r.shift);
  std::uint32_t* const high = r.heads + (high_bucket << r.shift);
  __builtin_prefetch(low + std::ptrdiff_t{2} * kLineWords, 1);  // the lines of those that are split soon
  __builtin_prefetch(high + std::ptrdiff_t{2} * kLineWords, 1);
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
    __builtin_prefetch(low_ids + std::ptrdiff_t{2} * kLineWords, 1);
    __builtin_prefetch(high_ids + std::ptrdiff_t{2} * kLineWords, 1);
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
    const auto& block = pool_.at(offset);
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const Word word = block.words()[i];
      const std::uint32_t tag = tag_of(word);
      put(regions_[1], (tag & bit) != 0 ? high : low, tag, word, block.ids()[i]);
    }
    pool_.give_back(offset);
  }
  if (++split_ == std::uint64_t{1} << level_) {
    ++level_;
    split_ = 0;
    if (level_ == key_.count()) reserve_wide();
    set_regions();
  }
}

template <class Word>
void HammingTable<Word>::widen_next() {
  const Region narrow = regions_[0];
  const Region wide = regions_[1];
  const std::size_t from = split_ << narrow.shift;
  const std::size_t to = split_ << wide.shift;
  const std::size_t words = std::size_t{1} << narrow.shift;
  use_wide(to + 2 * words);
  std::copy_n(narrow.heads + from, words, wide.heads + to);
  if (!leads_) std::copy_n(narrow.ids + from, words, wide.ids + to);
  release_narrow(from + words);
  refill(wide, wide.heads + to);
  if (++split_ == std::uint64_t{1} << level_) {
    split_ = 0;
    ++widenings_;
    heads_ = std::move(wide_heads_);
    ids_ = std::move(wide_ids_);
    wide_heads_ = {};
    wide_ids_ = {};
    regions_[0].shift = wide.shift;
    if (widenings_ < kWidenings) reserve_wide();
    set_regions();
  }
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
  const std::uint64_t buckets = std::max(least(kLoad, kLoadUnit), std::uint64_t{1} << level_);
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
  DCHECK(entries_ == 0);
  const Shape shape = shape_of(entries);
  level_ = shape.level;
  split_ = shape.ahead;
  widenings_ = shape.widenings;
  regions_[0].shift = 4 + widenings_;
  wide_heads_ = {};
  wide_ids_ = {};
  if (widenings_ > 0) {
    const std::size_t words = std::size_t{kLineWords} << (key_.count() + widenings_);
    heads_ = GrowingArray<std::uint32_t>(words);
    if (!leads_) ids_ = GrowingArray<std::uint32_t>(words);
  }
  use_buckets(buckets());
  if (level_ == key_.count() && widenings_ < kWidenings) {
    reserve_wide();
    const std::size_t words = std::size_t{1} << regions_[0].shift;
    if (split_ > 0) use_wide(split_ * 2 * words);
    release_narrow(split_ * words);
  }
  set_regions();
  set_due();
}

template <class Word>
template <class Visit>
void HammingTable<Word>::for_each_entry(Visit visit) const {
  const std::uint64_t regular = std::uint64_t{1} << level_;
  for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
    const Region& r = bucket < regular ? region(bucket) : regions_[1];
    const std::uint32_t* const line = head(r, bucket);
    for (std::uint32_t i = 1; i <= (line[0] & kCountMask); ++i) {
      visit(bucket, line[i], leads_ ? 0 : ids(r, line)[i]);
    }
    if (const Offset offset = line[0] >> kBlockShift; offset != 0) {
      const auto& block = pool_.at(offset);
      for (std::uint32_t i = 0; i < block.count; ++i) {
        visit(bucket, tag_of(block.words()[i]), leads_ ? 0 : block.ids()[i]);
      }
    }
  }
}

template <class Word>
template <class Visit>
void HammingTable<Word>::for_each_value(Visit visit) const {
  visit(static_cast<std::uint64_t>(level_));
  visit(static_cast<std::uint64_t>(widenings_));
  visit(split_);
  const std::uint64_t regular = std::uint64_t{1} << level_;
  for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
    const Region& r = bucket < regular ? region(bucket) : regions_[1];
    const std::uint32_t* const line = head(r, bucket);
    const std::uint32_t count = line[0] & kCountMask;
    visit(count);
    for (std::uint32_t i = 1; i <= count; ++i) visit(line[i]);
    for (std::uint32_t i = 1; i <= count && !leads_; ++i) visit(ids(r, line)[i]);
    if (const Offset offset = line[0] >> kBlockShift; offset != 0) {
      const auto& block = pool_.at(offset);
      visit(block.count);
      for (std::uint32_t i = 0; i < block.count; ++i) {
        for (int l = 0; l < kLimbsOf<Word>; ++l) visit(limb(block.words()[i], l));
        visit(block.ids()[i]);
      }
    }
  }
}

}  // namespace neardup
