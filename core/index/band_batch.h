// How do many texts that were posted before come back at once, by several threads?
//
// The keys of a batch are shared out by their shards (bucket_table.h), and each owner posts those that are
// its own, in the order of the texts. A key of a band and what extends it may be of two owners. Whether a
// text is posted under its extended keys hangs on whether its band's own key was full just then: who owns
// that one writes it down, and who owns the others waits until it has. It waits only for what comes before in
// one order of all keys, so the one who is furthest behind never waits:
//
//   one thread     begin ─┐                   ┌─► open ─┐            ┌─► close
//   each member           └─► share: add ... ─┘         └─► post ────┘
//
// Each key thus gets the postings that it would get from one thread, in the same order. What is hot is not
// asked for in between, and is told at the end.
//
// Cost:    a key is hashed to its shard by every member, and posted by one. 16 bytes of working memory a key.
// Threads: as drawn; a Share belongs to its member. Members must run at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/index/band_postings.h"

namespace neardup {

class BandBatch {
 public:
  // A key among those of a batch: which text's, counted from 0, and which of its bands'. `which` is 0 for the
  // band's own, 1 + e for extension e.
  struct Slot {
    std::uint32_t number = 0;

    std::size_t text() const { return number / (kKeysOfBand * BandPostings::kBandsMax); }
    std::size_t band() const { return number / kKeysOfBand % BandPostings::kBandsMax; }
    unsigned which() const { return number % kKeysOfBand; }
    std::size_t of_band() const { return number / kKeysOfBand; }

    friend auto operator<=>(const Slot&, const Slot&) = default;
  };

  // What one member owns of the keys.
  class alignas(64) Share {
   public:
    // The extensions of a band, as far as there are any, follow its key. REQUIRES: texts in their order.
    void add(std::size_t text, std::size_t band, Key key, bool is_extended);
    void add_extended(std::size_t text, std::size_t band, unsigned extension, Key key, Feature minimum);

   private:
    friend class BandBatch;
    struct Item {
      Key key;
      Slot slot;
      bool is_extended;
    };
    void add(const Item& item);

    BucketTable::ShardSet own_ = 0;
    std::vector<Item> items_;  // the first count_ of them
    std::size_t count_ = 0;
    std::vector<Slot> full_;  // whose keys are full now, or were before
    std::uint64_t full_keys_ = 0;
    std::uint64_t not_posted_ = 0;
  };

  // shards[member]: what it owns. REQUIRES: each shard has one owner.
  void begin(std::span<const BucketTable::ShardSet> shards);
  Share& share(std::size_t member) { return shares_[member]; }
  // The texts are `first` and those that follow. REQUIRES: as BucketTable::insert.
  void open(BandPostings& postings, Ordinal first, std::size_t texts);
  void post(BandPostings& postings, std::size_t member);
  // features(slot): those of the band, or the minimum that extends it. It returns a span.
  template <class Features>
  void close(BandPostings& postings, Features features);

 private:
  static constexpr std::size_t kKeysOfBand = 4;  // a power of two
  static_assert(1 + BandPostings::kExtensionsMax <= kKeysOfBand);

  // Of a band that is extended.
  static constexpr std::uint8_t kPosted = 1;   // under its own key
  static constexpr std::uint8_t kRefused = 2;  // because that was full
  static constexpr std::uint8_t kExtended = 4;

  void post(BandPostings& postings, const Share::Item& item, Share& share);
  std::uint8_t outcome_of(Slot slot);
  void merge(BandPostings& postings);

  std::vector<Share> shares_;
  std::vector<std::uint8_t> outcomes_;  // [text * kBandsMax + band]
  Ordinal first_ = 0;
};

inline void BandBatch::Share::add(const Item& item) {
  // Whose a key is no branch predictor knows.
  if (count_ == items_.size()) items_.resize(2 * count_ + 64);
  items_[count_] = item;
  count_ += BucketTable::is_own(item.key, own_) ? 1 : 0;
}

inline void BandBatch::Share::add(std::size_t text, std::size_t band, Key key, bool is_extended) {
  const std::size_t of_band = text * BandPostings::kBandsMax + band;
  add({key, {static_cast<std::uint32_t>(of_band * kKeysOfBand)}, is_extended});
}

inline void BandBatch::Share::add_extended(std::size_t text, std::size_t band, unsigned extension, Key key,
                                           Feature minimum) {
  const std::size_t of_band = text * BandPostings::kBandsMax + band;
  add({BandPostings::extended(key, extension, minimum),
       {static_cast<std::uint32_t>(of_band * kKeysOfBand + 1 + extension)},
       true});
}

template <class Features>
void BandBatch::close(BandPostings& postings, Features features) {
  merge(postings);
  for (const Share& share : shares_) {
    for (const Slot slot : share.full_) {
      for (const Feature feature : features(slot)) postings.hot_.add(feature, first_ + slot.text());
    }
  }
}

}  // namespace neardup
