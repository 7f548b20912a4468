#include "core/index/band_postings.h"

#include <array>
#include <string>

#include "core/base/bytes.h"
#include "core/base/check.h"

namespace neardup {

static_assert(BandPostings::kBandsMax * 5 * (1 + BandPostings::kExtensionsMax * 2) +
                  BandPostings::kPlainKeysMax <=
              BucketTable::kProbesMax);

BandPostings::BandPostings(unsigned extensions, unsigned fill) : extensions_(extensions), table_(fill) {
  CHECK(extensions >= 1 && extensions <= kExtensionsMax, "find() has room for the keys of so many");
}

namespace {

// All but those that are extended.
template <class Use>
void for_each_key(std::span<const Band> bands, std::span<const Key> plain_keys, Use use) {
  for (const Key key : plain_keys) use(key);
  for (const Band& band : bands) {
    use(band.key);
    for (std::size_t e = 0; e < band.width; ++e) use(band.variants[e]);
  }
}

}  // namespace

void BandPostings::prefetch(std::span<const Band> bands, std::span<const Key> plain_keys) const {
  for_each_key(bands, plain_keys, [&](Key key) { table_.prefetch(key); });
}

void BandPostings::prefetch_rest(std::span<const Band> bands, std::span<const Key> plain_keys) const {
  for_each_key(bands, plain_keys, [&](Key key) { table_.prefetch_rest(key); });
}

bool BandPostings::erase(Ordinal ordinal, std::span<const Band> bands, std::span<const Key> plain_keys) {
  if (!gone_.add(ordinal)) return false;
  for (const Key key : plain_keys) table_.erase(key, ordinal);
  for (const Band& band : bands) table_.erase(band.key, ordinal);
  return true;
}

Key BandPostings::extended(Key key, unsigned extension, Feature minimum) {
  std::uint64_t x = key + (minimum + 1) * 0xC2B2AE3D27D4EB4F + extension * 0x165667B19E3779F9;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93;
  x ^= x >> 29;
  x *= 0x9E3779B97F4A7C15;
  return x ^ x >> 32;
}

// Two minima that are not hot settle it: a variant replaces one.
unsigned BandPostings::hot_keys(const Band& band) const {
  if (hot_.size() == 0) return 0;
  unsigned cold = 0;
  std::size_t which = 0;
  for (std::size_t e = 0; e < band.width; ++e) {
    if (hot_.contains(band.features[e])) continue;
    if (++cold == 2) return 0;
    which = e;
  }
  unsigned hot = cold == 0 ? 1 : 0;
  for (std::size_t e = 0; e < band.width; ++e) {
    if (cold == 1 && e != which) continue;
    if (band.variants[e] != band.key && hot_.contains(band.second_features[e])) hot |= 2U << e;
  }
  return hot;
}

// What is gone is dropped before the posting that fills the key, too: it would be called full, and its minima
// common, for what nobody can meet; and by a minimum that is common nobody asks for the one that is there.
template <BandPostings::Caller kCaller>
bool BandPostings::post(Key key, Ordinal ordinal, bool& fills) {
  static_assert(BucketTable::kLinePostings + 1 < kPostingsMax, "few are as good as none");
  unsigned before = table_.may_have_many(key) ? table_.count(key, kPostingsMax) : 0;
  if (before + 1 >= kPostingsMax) before -= drop_gone<kCaller>(key);
  if (before == kPostingsMax) return false;
  if constexpr (kCaller == Caller::kOwner) {
    table_.insert_own(key, ordinal);
  } else {
    table_.insert(key, ordinal);
  }
  fills = before + 1 == kPostingsMax;
  return true;
}

template <BandPostings::Caller kCaller>
unsigned BandPostings::drop_gone(Key key) {
  if (gone_.size() == 0) return 0;
  std::array<Ordinal, kPostingsMax> dropped;
  unsigned count = 0;
  table_.scan(key, [&](Ordinal ordinal) {
    if (gone_.contains(ordinal)) dropped[count++] = ordinal;
  });
  for (unsigned i = 0; i < count; ++i) {
    if constexpr (kCaller == Caller::kOwner) {
      table_.erase_own(key, dropped[i]);
    } else {
      table_.erase(key, dropped[i]);
    }
  }
  return count;
}

template bool BandPostings::post<BandPostings::Caller::kAlone>(Key, Ordinal, bool&);
template bool BandPostings::post<BandPostings::Caller::kOwner>(Key, Ordinal, bool&);

Digest128 BandPostings::digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.digest(table_.digest());
  writer.digest(hot_.digest());
  return digest128(bytes);
}

}  // namespace neardup
