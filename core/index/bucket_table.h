// Which uniques have this key? For every kind of key that is asked for equality: bands, one-deletion keys of
// tiny texts, exact hashes.
//
// A key is a hash; its low 36 bits are compared, and what they say equal is equal here. A bucket is one cache
// line of twelve postings of 40 bits, and a chain of such lines where more is needed:
//
//   line      [ header 4 B | high 16 bits x 12 | low 24 bits x 12 ]        64 bytes
//   header    [ link 28 bits | postings 4 bits ]
//   posting   [ tag | ordinal ]                40 bits; where the line falls between them moves, see below
//   key       [ ... | tag     | bucket ]       36 bits: the bucket number is not stored again in the tag
//
// Growth is linear hashing: one bucket is split at a time, in order, so no insert pauses. A bucket reached by
// w bits of the key holds tags of 36 - w bits and thus has room for ordinals of w + 4 bits. When it splits,
// one bit moves from the tag into the bucket number, and the ordinals get it: a table of twice the
// postings has ordinals one bit longer, so both always fit, and a key is the same 36 bits whatever the size.
// Hence the answers are a function of what was inserted, and of nothing else: no moment of growth can change
// them.
//
// The postings of one key come back in the order of insertion, so the oldest first. A chain is a ring, from
// which the first line hangs by its link to the last one, so that appending to a long chain is as fast as to
// a short one:
//
//   first line ──► last line ──► second ──► third ──► ... ──► last line
//
// Ordinals are stored modulo a power of two above the distance of the oldest from the newest, so they may
// grow without bound as long as old ones are forgotten: expire() makes all below an ordinal invisible
// at once, and what is called later sweeps them out, bucket by bucket: one for each insert, and one for each
// ordinal that expires, however few of them have a posting.
//
// A shard is the buckets with one remainder modulo kShards. A bucket goes to its sibling's shard when it
// splits, so what a key touches is of one shard for ever, and owners of different shards may insert side by
// side: in a batch, for which one thread says how far the table grows, and each owner splits its own buckets:
//
//   one thread    open ─┐                                              ┌─► close
//   each owner          └─► grow(own shards) ─► insert_own, erase_own ─┘
//
// Cost:    a probe is one cache line, a second one for every third bucket or so. Ten postings to a bucket on
//          average: some 8.3 bytes a posting. In a dense table twenty: 2.3 lines, 7 bytes. Eight ordinals
//          need a bucket as well, so with a posting or less for each it is 9.3 bytes an ordinal. A new
//          posting splits one bucket at most if ordinals are dense. A probe meets (postings / 2^36) postings
//          of other keys: .0015 at a hundred million.
// Bounds:  2^28 overflow lines and 2^30 buckets, which is some 8 billion postings; in a dense table, most of
//          whose lines are overflow lines, some 4 billion. The newest ordinal less than 2^33 above the oldest
//          that may not be swept out yet: where the oldest moves as the newest does, that is a third of the
//          distance between the two below it at most.
// Threads: none inside; the const functions may run side by side. In a batch each owner has a thread of its
//          own, and what it calls is of its own shards.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/prefetch_line.h"
#include "core/fingerprint/band.h"
#include "core/index/growing_memory.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace neardup {

using Ordinal = std::uint64_t;  // the number of a unique in its index

class BucketTable {
 public:
  static constexpr unsigned kKeyBits = 36;
  static constexpr std::size_t kLinePostings = 12;
  // Postings per bucket at which a table grows: few for speed, or many to save memory (see Cost).
  static constexpr unsigned kFill = 10;
  static constexpr unsigned kFillDense = 20;
  // So many of them there is room for, or some more: for whoever plans (see Bounds).
  static constexpr std::uint64_t kPostingsMax = 8'000'000'000;
  static constexpr std::uint64_t kPostingsMaxDense = 4'000'000'000;

  explicit BucketTable(unsigned fill = kFill);

  // Starts to load what a probe of `key` needs first; and, once that is here, what is left: seldom anything.
  void prefetch(Key key) const { prefetch_line(&buckets_[place_of(key).bucket]); }
  void prefetch_rest(Key key) const { prefetch_last(buckets_[place_of(key).bucket]); }

  // Calls visit(ordinal) for each posting of `key`, ascending.
  template <class Visit>
  void scan(Key key, Visit visit) const;

  // Calls visit(i, ordinal) for each posting of each keys[i], ascending for each key. Faster than as many
  // scans: all lines are on their way before the first is read. REQUIRES: keys.size() <= kProbesMax.
  static constexpr std::size_t kProbesMax = 512;
  template <class Visit>
  void probe(std::span<const Key> keys, Visit visit) const;

  // How many postings `key` has; counting ends at `most`.
  unsigned count(Key key, unsigned most) const;
  // Whether those may be more than kLinePostings: seldom so, and cheaper to ask for than to count.
  bool may_have_many(Key key) const { return buckets_[place_of(key).bucket].link() != 0; }

  // REQUIRES: `ordinal` is not expired, and above the ordinals that `key` has.
  void insert(Key key, Ordinal ordinal);

  // Removes one posting of `key` with this ordinal. False if there is none.
  bool erase(Key key, Ordinal ordinal);

  // Forgets all postings with ordinals below `oldest`. Not in a batch.
  void expire(Ordinal oldest);

  static constexpr unsigned kShards = 16;
  using ShardSet = std::uint32_t;  // a bit for each
  static bool is_own(Key key, ShardSet own) { return (own >> (key % kShards) & 1) != 0; }

  // A batch of no more than so many postings, with ordinals up to `newest`. Growth goes by the postings
  // before it, so it is late by one batch.
  void open(std::uint64_t postings_most, Ordinal newest);
  // An owner's first step: splits and sweeps its buckets as far as this batch has to.
  void grow(ShardSet own);
  // As insert() and erase(). REQUIRES: the key is of a shard that its caller owns and has grown.
  void insert_own(Key key, Ordinal ordinal);
  bool erase_own(Key key, Ordinal ordinal);
  void close();

  // Calls visit(key, ordinal) for each posting, in no order that means anything, but ascending for each key.
  template <class Visit>
  void for_each(Visit visit) const;

  // Equal for equal contents, however they came about. It reads the whole table.
  Digest128 digest() const;

  std::uint64_t postings() const { return postings_; }  // with those expired and not yet swept out
  Ordinal newest() const { return newest_; }
  std::uint64_t buckets() const { return (std::uint64_t{1} << level_) + split_; }
  std::uint64_t lines() const;
  std::size_t bytes() const;

 private:
  static constexpr unsigned kLevelMin = 6;
  static_assert(kShards <= 1U << kLevelMin, "a bucket is of one shard, and its sibling of the same");
  static constexpr unsigned kPostingBits = 40;
  static constexpr unsigned kOrdinalSlack = kPostingBits - kKeyBits;  // ordinal bits = bits of bucket + this
  static constexpr std::uint64_t kPostingMask = (std::uint64_t{1} << kPostingBits) - 1;
  static constexpr unsigned kLinkShift = 4;
  static constexpr std::uint64_t kLinesMax = (std::uint64_t{1} << 28) - 1;
  static constexpr std::uint64_t kBucketsMax = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kSweepMax = std::uint64_t{1} << 20;  // buckets in one expire(): some 64 MiB

  using Posting = std::uint64_t;  // 40 bits of it
  struct alignas(64) Line {
    std::uint32_t header;
    std::array<std::uint16_t, kLinePostings> high;
    std::array<std::uint8_t, 3 * kLinePostings> low;

    unsigned count() const { return header & ((1U << kLinkShift) - 1); }
    std::uint32_t link() const { return header >> kLinkShift; }  // overflow line + 1; 0: none
    void set(std::uint32_t link, std::size_t count) {
      header = link << kLinkShift | static_cast<std::uint32_t>(count);
    }

    Posting posting(std::size_t i) const {
      // With the byte before: so the last one ends where the line does.
      std::uint32_t four = 0;
      std::memcpy(&four, reinterpret_cast<const char*>(this) + offsetof(Line, low) + 3 * i - 1, sizeof four);
      return std::uint64_t{high[i]} << 24 | little_endian(four) >> 8;
    }
    void store(std::size_t i, Posting posting) {
      high[i] = static_cast<std::uint16_t>(posting >> 24);
      low[3 * i] = static_cast<std::uint8_t>(posting);
      low[3 * i + 1] = static_cast<std::uint8_t>(posting >> 8);
      low[3 * i + 2] = static_cast<std::uint8_t>(posting >> 16);
    }

    // The postings whose high 16 bits agree with `wanted` where `mask` has ones, as bits.
    unsigned like(std::uint16_t wanted, std::uint16_t mask) const;
  };
  static_assert(sizeof(Line) == 64);

  // Where a key's postings are, and how they look: as the key itself without its lowest bits, which lead to
  // the bucket, and an ordinal in their place.
  struct Place {
    std::uint64_t bucket;
    Posting front;         // the tag, and zeros in the place of the ordinal
    Posting ordinal_bits;  // ones there
  };

  // How many bits lead to a bucket, in a table of so many.
  static unsigned bits_of_bucket(std::uint64_t bucket, std::uint64_t buckets) {
    const auto level = static_cast<unsigned>(std::bit_width(buckets)) - 1;
    const std::uint64_t whole = std::uint64_t{1} << level;
    return level + (bucket < buckets - whole || bucket >= whole);
  }
  static std::uint64_t split_for(std::uint64_t sibling) { return sibling - std::bit_floor(sibling); }
  // In a bucket that so many bits lead to.
  static constexpr Posting ordinal_bits(unsigned bits) {
    return (std::uint64_t{1} << (bits + kOrdinalSlack)) - 1;
  }
  Place place_of(Key key) const {
    // Whether a bucket is split already no branch predictor knows: so there is none to guess.
    const std::uint64_t whole = (std::uint64_t{1} << level_) - 1;
    const std::uint64_t bits = whole | (std::uint64_t{(key & whole) < split_} << level_);
    const Posting ordinal = bits << kOrdinalSlack | ((1U << kOrdinalSlack) - 1);
    return {key & bits, (key << kOrdinalSlack) & kPostingMask & ~ordinal, ordinal};
  }
  static Posting packed(const Place& place, Ordinal ordinal) {
    return place.front | (ordinal & place.ordinal_bits);
  }
  Ordinal ordinal_of(Posting posting, Posting ordinal_bits) const {
    return base_ + ((posting - base_) & ordinal_bits);
  }
  // The last line of a bucket. One in three has more than its first, which of them no branch predictor knows:
  // the others ask for a line in vain, always the same.
  void prefetch_last(const Line& head) const {
    const std::uint32_t link = head.link();
    prefetch_line(&overflow_[link - (link != 0)]);
  }
  std::uint32_t first_overflow(const Line& head) const { return overflow_[head.link() - 1].link(); }

  template <class Visit>
  void scan_line(const Line& line, const Place& place, Visit& visit) const;
  template <class Visit>
  void scan_overflow(const Line& head, const Place& place, Visit& visit) const;
  template <class Visit>
  void for_each_of(std::uint64_t bucket, unsigned bits, Visit& visit) const;  // visit(tag, ordinal), all

  // What an owner changes besides lines.
  struct alignas(64) Shard {
    std::uint32_t free = 0;        // a list of overflow lines: line + 1
    std::uint64_t free_lines = 0;  // in that list
    std::int64_t gained = 0;       // postings, in this batch
    std::vector<Posting> moving;   // those of the bucket that is filled again; kept for its memory
  };
  Shard& shard_of(std::uint64_t bucket) { return shards_[bucket % kShards]; }

  void append(std::uint64_t bucket, Posting posting);
  class Filling;
  void take_out(std::uint64_t bucket);  // into moving: who fills it again writes all of its lines
  std::uint32_t new_line(Shard& shard);
  void free_line(Shard& shard, std::uint32_t link);
  bool must_grow() const;
  void grow_by_one();
  void prefetch_split(std::uint64_t sibling) const;
  void prefetch_split_rest(std::uint64_t sibling) const;
  void sweep();
  void end_sweep();
  // These return how many postings went.
  std::uint64_t split(std::uint64_t sibling);
  std::uint64_t sweep(std::uint64_t bucket, unsigned bits);
  std::uint64_t take(Key key, Ordinal ordinal);  // one at most

  GrowingArray<Line> buckets_{kBucketsMax};
  GrowingArray<Line> overflow_{kLinesMax};
  std::uint64_t overflow_used_ = 0;
  unsigned fill_;
  unsigned level_ = kLevelMin;
  std::uint64_t split_ = 0;  // the next bucket to split
  std::uint64_t postings_ = 0;
  std::array<Shard, kShards> shards_;

  Ordinal base_ = 0;    // no posting is older
  Ordinal oldest_ = 0;  // those before are expired
  Ordinal newest_ = 0;
  Ordinal sweep_to_ = 0;               // the sweep under way removes all before this
  std::uint64_t sweep_at_ = kNoSweep;  // the next bucket to sweep
  static constexpr std::uint64_t kNoSweep = ~std::uint64_t{0};

  struct Batch {
    bool is_open = false;
    std::uint64_t buckets = 0;  // before it
    std::uint64_t sweep_begin = 0;
    std::uint64_t sweep_end = 0;
    std::uint64_t lines_most = 0;
  };
  Batch batch_;
};

inline unsigned BucketTable::Line::like(std::uint16_t wanted, std::uint16_t mask) const {
#if defined(__SSE2__)
  const __m128i want = _mm_set1_epi16(static_cast<std::int16_t>(wanted));
  const __m128i care = _mm_set1_epi16(static_cast<std::int16_t>(mask));
  const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(high.data()));
  const __m128i rest = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(high.data() + 8));
  const __m128i equal = _mm_packs_epi16(_mm_cmpeq_epi16(_mm_and_si128(first, care), want),
                                        _mm_cmpeq_epi16(_mm_and_si128(rest, care), want));
  const auto bits = static_cast<unsigned>(_mm_movemask_epi8(equal));
#else
  unsigned bits = 0;
  for (std::size_t i = 0; i < kLinePostings; ++i) {
    bits |= static_cast<unsigned>((high[i] & mask) == wanted) << i;
  }
#endif
  return bits & ((1U << count()) - 1);
}

template <class Visit>
void BucketTable::scan_line(const Line& line, const Place& place, Visit& visit) const {
  // The tag is the top of a posting: compare as much of it as the high 16 bits hold, then the rest.
  constexpr unsigned kLowBits = kPostingBits - 16;
  const auto wanted = static_cast<std::uint16_t>(place.front >> kLowBits);
  const auto mask = static_cast<std::uint16_t>(~place.ordinal_bits >> kLowBits);
  for (unsigned bits = line.like(wanted, mask); bits != 0; bits &= bits - 1) {
    const Posting posting = line.posting(static_cast<std::size_t>(__builtin_ctz(bits)));
    if ((posting & ~place.ordinal_bits) != place.front) continue;
    const Ordinal ordinal = ordinal_of(posting, place.ordinal_bits);
    if (ordinal >= oldest_) visit(ordinal);
  }
}

template <class Visit>
void BucketTable::scan_overflow(const Line& head, const Place& place, Visit& visit) const {
  const std::uint32_t last = head.link();
  for (std::uint32_t at = first_overflow(head);; at = overflow_[at - 1].link()) {
    scan_line(overflow_[at - 1], place, visit);
    if (at == last) return;
  }
}

template <class Visit>
void BucketTable::scan(Key key, Visit visit) const {
  const Place place = place_of(key);
  const Line& head = buckets_[place.bucket];
  scan_line(head, place, visit);
  if (head.link() != 0) scan_overflow(head, place, visit);
}

template <class Visit>
void BucketTable::probe(std::span<const Key> keys, Visit visit) const {
  std::array<Place, kProbesMax> places;
  std::array<std::uint16_t, kProbesMax> longer;  // those with more than one line
  std::size_t longer_count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    places[i] = place_of(keys[i]);
    prefetch_line(&buckets_[places[i].bucket]);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Line& head = buckets_[places[i].bucket];
    prefetch_last(head);
    longer[longer_count] = static_cast<std::uint16_t>(i);
    longer_count += head.link() != 0;
    const auto one = [&](Ordinal ordinal) { visit(i, ordinal); };
    scan_line(head, places[i], one);
  }
  // The ring of a crowded bucket: its last line, which is here by now, leads to the second.
  for (const std::size_t i : std::span(longer).first(longer_count)) {
    prefetch_line(&overflow_[first_overflow(buckets_[places[i].bucket]) - 1]);
  }
  for (const std::size_t i : std::span(longer).first(longer_count)) {
    const auto one = [&](Ordinal ordinal) { visit(i, ordinal); };
    scan_overflow(buckets_[places[i].bucket], places[i], one);
  }
}

template <class Visit>
void BucketTable::for_each_of(std::uint64_t bucket, unsigned bits, Visit& visit) const {
  const auto visit_line = [&](const Line& line) {
    for (unsigned i = 0; i < line.count(); ++i) {
      const Posting posting = line.posting(i);
      visit(posting >> (bits + kOrdinalSlack), ordinal_of(posting, ordinal_bits(bits)));
    }
  };
  const Line& head = buckets_[bucket];
  visit_line(head);
  if (head.link() == 0) return;
  for (std::uint32_t at = first_overflow(head);; at = overflow_[at - 1].link()) {
    visit_line(overflow_[at - 1]);
    if (at == head.link()) return;
  }
}

template <class Visit>
void BucketTable::for_each(Visit visit) const {
  for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
    const unsigned bits = bits_of_bucket(bucket, buckets());
    const auto one = [&](std::uint64_t tag, Ordinal ordinal) {
      if (ordinal >= oldest_) visit(tag << bits | bucket, ordinal);
    };
    for_each_of(bucket, bits, one);
  }
}

}  // namespace neardup
