#include "core/fingerprint/minima.h"

#include <bit>

#include "core/base/check.h"
#include "core/fingerprint/sketch_kernels.h"

namespace neardup {
namespace {

static_assert(internal::kBins == kMinimaBins);

constexpr std::uint32_t kBinCount = kMinimaBins;
constexpr std::uint32_t kAllBins = (1U << kBinCount) - 1;

// An empty bin takes what the first has that is not empty of those a stride, two strides, ... behind it,
// round the 24. The strides have no factor in common with 24, so every bin is asked, and the bins of one band
// each go by another.
constexpr std::array<std::uint32_t, 4> kStrides = {1, 5, 7, 11};

constexpr std::size_t kRings = kStrides.size();
using RingTable = std::array<std::array<std::uint32_t, kRings>, std::size_t{2} * kBinCount>;

// The place of a bin on the ring of bins in the order of a stride. A stride is its own inverse modulo 24, so
// it is the bin at a place as well, for places up to twice round.
constexpr RingTable make_places() {
  RingTable places{};
  for (std::uint32_t bin = 0; bin < places.size(); ++bin) {
    for (std::size_t ring = 0; ring < kRings; ++ring) places[bin][ring] = bin * kStrides[ring] % kBinCount;
  }
  return places;
}

// The same, as a bit of the ring and of its second round.
using RingBits = std::array<std::array<std::uint64_t, kRings>, kBinCount>;
constexpr RingBits make_bits(const RingTable& places) {
  RingBits bits{};
  for (std::uint32_t bin = 0; bin < kBinCount; ++bin) {
    for (std::size_t ring = 0; ring < kRings; ++ring) {
      bits[bin][ring] = ((std::uint64_t{1} << kBinCount) + 1) << places[bin][ring];
    }
  }
  return bits;
}

constexpr RingTable kPlaces = make_places();
constexpr RingBits kBits = make_bits(kPlaces);

}  // namespace

void MinimaBuilder::add(std::span<const std::uint64_t> shingles) {
  internal::sketch_kernels().lower_minima(shingles.data(), shingles.size(), bins_.data());
}

BandMinima MinimaBuilder::finish() const {
  BandMinima result;
  std::uint32_t full = 0;
  for (std::uint32_t bin = 0; bin < kBinCount; ++bin) {
    result.first[bin] = static_cast<std::uint32_t>(bins_[bin]);
    result.second[bin] = static_cast<std::uint32_t>(bins_[bin] >> 32);
    full |= (result.first[bin] != kNoMinimum ? 1U : 0U) << bin;
  }
  if (full == 0 || full == kAllBins) return result;

  // Which bins are empty is a matter of chance, so no branch asks for it: each ring has a bit per full bin,
  // and the next full bin is a count of zeros away.
  std::array<std::uint64_t, kRings> rings{};
  for (std::uint32_t rest = full; rest != 0; rest &= rest - 1) {
    const RingBits::value_type& bits = kBits[static_cast<std::size_t>(std::countr_zero(rest))];
    for (std::size_t ring = 0; ring < kRings; ++ring) rings[ring] |= bits[ring];
  }
  for (std::uint32_t rest = full ^ kAllBins; rest != 0; rest &= rest - 1) {
    const auto bin = static_cast<std::size_t>(std::countr_zero(rest));
    const std::size_t ring = bin % kRings;
    const std::uint32_t place = kPlaces[bin][ring];
    const auto steps = static_cast<std::uint32_t>(std::countr_zero(rings[ring] >> place));
    const std::uint32_t donor = kPlaces[place + steps][ring];
    result.first[bin] = static_cast<std::uint32_t>(bins_[donor]);
    result.second[bin] = static_cast<std::uint32_t>(bins_[donor] >> 32);
  }
  return result;
}

void bin_values(std::span<const std::uint64_t> shingles, std::size_t bin,
                std::vector<std::uint32_t>& values) {
  DCHECK(bin < kMinimaBins);
  constexpr std::size_t kSlack = 8;  // of the kernel
  values.resize(shingles.size() + kSlack);
  values.resize(internal::sketch_kernels().select_bin(shingles.data(), shingles.size(),
                                                      static_cast<std::uint32_t>(bin), values.data()));
}

}  // namespace neardup
