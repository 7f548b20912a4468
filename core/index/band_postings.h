// Which uniques share a band with this text, if thousands of texts share boilerplate?
//
// Without a rule the uniques under a band's key grow as the stream does: pages of one template, notices of
// one form. So a key keeps its sixteen oldest postings, which are the leaders most wanted, and is then full:
//
//   key of a band ─────────────────────► 16 postings
//     full: its minima are hot
//     └─ key + one more minimum, taken over the text's features that are not hot ──► 16 postings
//          full: that minimum is hot too, so the texts after take their next one
//
// One uncommon minimum tells the texts of a template apart and still is common to near-duplicates; a key of
// uncommon minima alone would lose the pairs whose likeness is the boilerplate. A text asks under the
// extended keys of every key of its own whose minima are all hot. They are hot as long as the last text is
// remembered that found the key full, so who was extended is asked for even when older postings have been
// forgotten and the key is no longer full; and what was common among texts that are all forgotten is not so
// any more. `extensions` says how many hash functions give an extra minimum: 1 for short texts, 2 for pages.
//
// What can be met is thus bounded: 16 times the keys asked for. What the bound costs is two things.
// not_posted() are bands of uniques that got no posting, because all their keys were full or nothing uncommon
// was left. And a minimum that got hot is asked for no more, as it tells too little by then: what was posted
// by it before is left behind, to be met by its other bands. Nobody counts these.
//
// What is erased is met no more. Its postings under keys that nobody can tell by then stay, and a key drops
// them when it is asked for its last room or for more: so what was deleted never keeps another text out, and
// a key is full by what can be met.
//
// State:   a function of the sequence of uniques, removals and expiries.
// Cost:    5 keys a band, and where they are hot 2 more for each of them and extension.
// Threads: none inside; the const functions may run side by side. Many that come back: band_batch.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/hash.h"
#include "core/fingerprint/band.h"
#include "core/index/bucket_table.h"
#include "core/index/gone_set.h"
#include "core/index/hot_set.h"

namespace neardup {

// The least two of a text's features under one more hash function, over those that are not hot.
struct UncommonMinima {
  Feature first = kNoFeature;
  Feature second = kNoFeature;
};

class BandPostings {
 public:
  static constexpr unsigned kPostingsMax = 16;  // of one key
  static constexpr unsigned kExtensionsMax = 2;
  static constexpr std::size_t kBandsMax = 16;
  static constexpr std::size_t kPlainKeysMax = 32;

  // `fill`: of the table. REQUIRES: 1 <= extensions <= kExtensionsMax.
  explicit BandPostings(unsigned extensions, unsigned fill = BucketTable::kFill);

  // Starts to load what find() reads first, for the keys of `bands` and others asked for as they are; and,
  // once that is here, what crowded buckets hold.
  void prefetch(std::span<const Band> bands, std::span<const Key> plain_keys) const;
  void prefetch_rest(std::span<const Band> bands, std::span<const Key> plain_keys) const;

  // Calls visit(ordinal) for the postings under all keys of the bands and under the plain keys; an ordinal
  // may come several times. uncommon(band, extension) returns UncommonMinima and is called only where needed.
  // REQUIRES: bands.size() <= kBandsMax, plain_keys.size() <= kPlainKeysMax.
  template <class Uncommon, class Visit>
  void find(std::span<const Band> bands, std::span<const Key> plain_keys, Uncommon uncommon,
            Visit visit) const;

  // Posts `ordinal` under each band and each plain key. REQUIRES: as BucketTable::insert.
  template <class Uncommon>
  void insert(Ordinal ordinal, std::span<const Band> bands, std::span<const Key> plain_keys,
              Uncommon uncommon);

  // Takes back `ordinal`, and at once its postings under the own keys of those of its bands that are known,
  // and under the plain keys. False if it was gone before.
  bool erase(Ordinal ordinal, std::span<const Band> bands, std::span<const Key> plain_keys);
  void expire(Ordinal oldest) {
    table_.expire(oldest);
    gone_.expire(oldest);
    hot_.expire(oldest);
  }

  bool is_hot(Feature feature) const { return hot_.contains(feature); }
  const HotSet& hot() const { return hot_; }
  const BucketTable& table() const { return table_; }
  std::uint64_t not_posted() const { return not_posted_; }
  std::uint64_t full_keys() const { return full_keys_; }  // how often one became full

  // The key of a band and what extends it, as one.
  static Key extended(Key key, unsigned extension, Feature minimum);

  Digest128 digest() const;
  std::size_t bytes() const { return table_.bytes() + hot_.bytes() + gone_.bytes(); }

 private:
  friend class BandBatch;
  static constexpr std::size_t kKeysOfBand = 1 + kBandMinima;

  // Bit 0: all minima of the band's key are hot; bit 1 + e: those of its variant e.
  unsigned hot_keys(const Band& band) const;
  // Posts unless the key is full; `fills` tells whether it is now.
  enum class Caller : std::uint8_t { kAlone, kOwner };
  template <Caller kCaller = Caller::kAlone>
  bool post(Key key, Ordinal ordinal, bool& fills);
  // Removes the postings of what is gone from a key, and says how many.
  template <Caller kCaller>
  unsigned drop_gone(Key key);

  unsigned extensions_;
  BucketTable table_;
  HotSet hot_;
  GoneSet gone_;
  std::uint64_t not_posted_ = 0;
  std::uint64_t full_keys_ = 0;
};

template <class Uncommon, class Visit>
void BandPostings::find(std::span<const Band> bands, std::span<const Key> plain_keys, Uncommon uncommon,
                        Visit visit) const {
  std::array<Key, BucketTable::kProbesMax> keys;
  std::size_t count = 0;
  for (const Key key : plain_keys) keys[count++] = key;
  for (const Band& band : bands) {
    keys[count++] = band.key;
    for (std::size_t e = 0; e < band.width; ++e) {
      if (band.variants[e] != band.key) keys[count++] = band.variants[e];
    }
  }
  for (std::size_t j = 0; j < bands.size(); ++j) {
    const unsigned hot = hot_keys(bands[j]);
    if (hot == 0) continue;
    for (unsigned extension = 0; extension < extensions_; ++extension) {
      const UncommonMinima minima = uncommon(j, extension);
      for (std::size_t k = 0; k < kKeysOfBand; ++k) {
        if ((hot >> k & 1) == 0) continue;
        const Key key = k == 0 ? bands[j].key : bands[j].variants[k - 1];
        if (minima.first != kNoFeature) keys[count++] = extended(key, extension, minima.first);
        if (minima.second != kNoFeature) keys[count++] = extended(key, extension, minima.second);
      }
    }
  }
  // All at once: what nobody asked for in time is on its way while the bands' own keys are read.
  table_.probe({keys.data(), count}, [&](std::size_t, Ordinal ordinal) {
    if (!gone_.contains(ordinal)) visit(ordinal);
  });
}

template <class Uncommon>
void BandPostings::insert(Ordinal ordinal, std::span<const Band> bands, std::span<const Key> plain_keys,
                          Uncommon uncommon) {
  for (const Key key : plain_keys) {
    bool fills = false;
    not_posted_ += !post(key, ordinal, fills);
    full_keys_ += fills;
  }
  for (std::size_t j = 0; j < bands.size(); ++j) {
    bool fills = false;
    bool posted = post(bands[j].key, ordinal, fills);
    full_keys_ += fills;
    if (fills || !posted) {
      for (std::size_t e = 0; e < bands[j].width; ++e) hot_.add(bands[j].features[e], ordinal);
    }
    if (posted) continue;
    for (unsigned extension = 0; extension < extensions_; ++extension) {
      const Feature minimum = uncommon(j, extension).first;
      if (minimum == kNoFeature) continue;
      fills = false;
      const bool has_room = post(extended(bands[j].key, extension, minimum), ordinal, fills);
      full_keys_ += fills;
      if (fills || !has_room) hot_.add(minimum, ordinal);
      posted |= has_room;
    }
    not_posted_ += !posted;
  }
}

}  // namespace neardup
