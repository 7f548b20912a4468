// Which ordinals have this hash?
//
// The table behind all look-ups by equality: it holds ordinals only. What they stand for is in the columns of
// its owner, who says for an ordinal what its hash is and whether it is the one that was looked for.
//
//   line      | 12 ordinals of 4 bytes | 12 tags of a byte | count, overflow line |      64 bytes
//
//   hash      low bits ─► bucket, highest byte ─► tag: an ordinal is looked at only if its tag agrees
//
// Linear hashing: buckets are split one by one, in order, as entries come, so there is no moment at which all
// of them move. A bucket of more than twelve goes on in overflow lines; few do. But equal hashes stay
// together whatever their number, so a chain is a ring as in bucket_table.h, and its first line leads to the
// last one:
//
//   first line ──► last line ──► second ──► third ──► ... ──► last line
//
// Cost:    8 bytes an entry, and a twentieth for overflow lines. A look-up is one line; splitting a bucket
//          asks its owner for a dozen hashes, once in eight inserts. Of m equal hashes a look-up and a split
//          read m / 12 lines, an erasure as many at most, of one or of all of them; an insert reads two.
// Threads: none inside.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/prefetch_line.h"
#include "core/index/growing_memory.h"

namespace neardup {

class OrdinalTable {
 public:
  // Adds an ordinal under `hash`. hash_of(ordinal) is the hash of one that is stored.
  template <class HashOf>
  void insert(std::uint64_t hash, std::uint32_t ordinal, HashOf hash_of) {
    lines_.use(buckets());
    append(lines_[bucket(hash)], tag_of(hash), ordinal);
    if (++entries_ > kLoad * buckets()) split(hash_of);
  }

  // Calls visit(ordinal) for each stored ordinal that may have this hash, the first inserted first, as long
  // as nothing was erased.
  template <class Visit>
  void for_each(std::uint64_t hash, Visit visit) const {
    if (entries_ == 0) return;  // then there may be no line yet
    const std::uint8_t tag = tag_of(hash);
    for_each_line(lines_[bucket(hash)], [&](const Line& line) {
      for (std::uint32_t i = 0; i < line.count(); ++i) {
        if (line.tags[i] == tag) visit(line.ordinals[i]);
      }
    });
  }

  // The lowest ordinal of this hash for which is(ordinal).
  template <class Is>
  std::optional<std::uint32_t> find(std::uint64_t hash, Is is) const {
    std::optional<std::uint32_t> lowest;
    for_each(hash, [&](std::uint32_t ordinal) {
      if ((!lowest || ordinal < *lowest) && is(ordinal)) lowest = ordinal;
    });
    return lowest;
  }

  // REQUIRES: `ordinal` is stored under `hash`.
  void erase(std::uint64_t hash, std::uint32_t ordinal);

  // Erases all for which goes(ordinal), of those that may have this hash. The others keep their order.
  template <class Goes>
  void erase_if(std::uint64_t hash, Goes goes) {
    if (entries_ == 0) return;
    const std::uint8_t tag = tag_of(hash);
    Line& first = lines_[bucket(hash)];
    take_out(first, [&](std::uint8_t stored_tag, std::uint32_t ordinal) {
      if (stored_tag == tag && goes(ordinal)) {
        --entries_;
      } else {
        append(first, stored_tag, ordinal);
      }
    });
  }

  void prefetch(std::uint64_t hash) const { prefetch_line(&lines_[bucket(hash)]); }

  std::uint64_t size() const { return entries_; }
  std::size_t bytes() const { return lines_.bytes() + overflow_.bytes(); }

 private:
  static constexpr std::uint32_t kPerLine = 12;
  static constexpr std::uint64_t kLoad = 8;
  static constexpr int kLevelMin = 4;
  static constexpr std::size_t kBucketsMax = std::size_t{1} << 30;
  static constexpr std::size_t kOverflowMax = std::size_t{1} << 28;

  struct Line {
    std::array<std::uint32_t, kPerLine> ordinals;
    std::array<std::uint8_t, kPerLine> tags;
    std::uint32_t head;  // count, and above it the number of the line that the chain leads to: 0 is none

    std::uint32_t count() const { return head & 15; }
    std::uint32_t link() const { return head >> 4; }
    void set(std::uint32_t link, std::uint32_t count) { head = link << 4 | count; }
    std::uint32_t place_of(std::uint32_t ordinal) const {  // count() if it is not here
      return static_cast<std::uint32_t>(std::find(ordinals.data(), ordinals.data() + count(), ordinal) -
                                        ordinals.data());
    }
  };
  static_assert(sizeof(Line) == 64);

  static std::uint8_t tag_of(std::uint64_t hash) { return static_cast<std::uint8_t>(hash >> 56); }

  std::uint64_t buckets() const { return (std::uint64_t{1} << level_) + split_; }
  std::uint64_t bucket(std::uint64_t hash) const {
    const std::uint64_t mask = (std::uint64_t{1} << level_) - 1;
    return (hash & mask) < split_ ? hash & (2 * mask + 1) : hash & mask;
  }

  // Those of the bucket that `first` begins, in their order.
  template <class Visit>
  void for_each_line(const Line& first, Visit visit) const {
    visit(first);
    const std::uint32_t last = first.link();
    if (last == 0) return;
    for (std::uint32_t at = overflow_[last].link();; at = overflow_[at].link()) {
      visit(overflow_[at]);
      if (at == last) return;
    }
  }

  void append(Line& first, std::uint8_t tag, std::uint32_t ordinal);
  std::uint32_t take_overflow();
  void give_back(std::uint32_t overflow);
  void drop_last(Line& first);

  // Empties the bucket that `first` begins, and calls visit(tag, ordinal) for what it held, in order. What is
  // visited may be appended again, to this bucket too.
  template <class Visit>
  void take_out(Line& first, Visit visit) {
    Line moved = first;
    first.head = 0;
    const std::uint32_t last = moved.link();
    std::uint32_t next = last == 0 ? 0 : overflow_[last].link();
    while (true) {
      for (std::uint32_t i = 0; i < moved.count(); ++i) visit(moved.tags[i], moved.ordinals[i]);
      if (next == 0) return;
      moved = overflow_[next];
      give_back(next);
      next = next == last ? 0 : moved.link();
    }
  }

  // The bucket at the split pointer parts by one more bit of the hash; order is kept on both sides.
  template <class HashOf>
  void split(HashOf hash_of) {
    const std::uint64_t high = split_ + (std::uint64_t{1} << level_);
    lines_.use(high + 1);
    take_out(lines_[split_], [&](std::uint8_t tag, std::uint32_t ordinal) {
      append(lines_[(hash_of(ordinal) >> level_ & 1) != 0 ? high : split_], tag, ordinal);
    });
    if (++split_ == std::uint64_t{1} << level_) {
      ++level_;
      split_ = 0;
    }
  }

  GrowingArray<Line> lines_{kBucketsMax};
  GrowingArray<Line> overflow_{kOverflowMax};
  std::uint32_t overflow_used_ = 1;  // line 0 is none
  std::uint32_t overflow_free_ = 0;  // the first of those given back, each linked to the next
  std::uint64_t entries_ = 0;
  std::uint64_t split_ = 0;
  int level_ = kLevelMin;
};

}  // namespace neardup
