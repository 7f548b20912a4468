#include "core/fingerprint/minima.h"

#include <algorithm>
#include <bit>

#include "core/fingerprint/sketch_kernels.h"

namespace neardup {
namespace {

static_assert(internal::kBins == kMinimaBins);

constexpr std::uint32_t kBinCount = kMinimaBins;
constexpr std::uint32_t kAllBins = (1U << kBinCount) - 1;
constexpr std::uint64_t kEmptyBin = std::numeric_limits<std::uint64_t>::max();

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

MinimaSearch::MinimaSearch(std::span<const std::uint64_t> shingles, Bins bins)
    : rest_(shingles), wanted_(bins) {
  for (std::uint32_t bin = 0; bin < kBinCount; ++bin) bins_[bin] = (bins >> bin & 1) != 0 ? kEmptyBin : 0;
}

bool MinimaSearch::next() {
  const auto portion = rest_.first(std::min(rest_.size(), kPortion));
  rest_ = rest_.subspan(portion.size());
  low_count_ =
      internal::sketch_kernels().select_below(portion.data(), portion.size(), bins_.data(), low_.data());
  return !portion.empty();
}

void MinimaSearch::take(std::uint64_t shingle) {
  internal::lower_bin(bins_[internal::shingle_place(shingle, kBinCount)], internal::shingle_value(shingle));
}

BandMinima MinimaSearch::minima() const {
  BandMinima result;
  for (std::uint32_t bin = 0; bin < kBinCount; ++bin) {
    const std::uint64_t both = (wanted_ >> bin & 1) != 0 ? bins_[bin] : kEmptyBin;
    result.first[bin] = static_cast<std::uint32_t>(both);
    result.second[bin] = static_cast<std::uint32_t>(both >> 32);
  }
  return result;
}

}  // namespace neardup
