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

// Four bins are looked up at once: as bits, to the bits of their places on each ring.
constexpr std::uint32_t kChunkBins = 4;
using Rings = std::array<std::uint32_t, kRings>;
using ChunkTable = std::array<std::array<Rings, std::size_t{1} << kChunkBins>, kBinCount / kChunkBins>;
constexpr ChunkTable make_chunks(const RingTable& places) {
  ChunkTable chunks{};
  for (std::uint32_t bin = 0; bin < kBinCount; ++bin) {
    for (std::size_t bits = 0; bits < chunks[0].size(); ++bits) {
      if ((bits >> bin % kChunkBins & 1) == 0) continue;
      for (std::size_t ring = 0; ring < kRings; ++ring) {
        chunks[bin / kChunkBins][bits][ring] |= 1U << places[bin][ring];
      }
    }
  }
  return chunks;
}

constexpr RingTable kPlaces = make_places();
constexpr ChunkTable kChunks = make_chunks(kPlaces);

}  // namespace

void MinimaBuilder::add(std::span<const std::uint64_t> shingles) {
  internal::sketch_kernels().lower_minima(shingles.data(), shingles.size(), bins_.data());
}

void MinimaBuilder::finish(BandMinima& result) const {
  std::uint32_t full = 0;
  for (std::uint32_t bin = 0; bin < kBinCount; ++bin) {
    result.first[bin] = static_cast<std::uint32_t>(bins_[bin]);
    result.second[bin] = static_cast<std::uint32_t>(bins_[bin] >> 32);
    full |= (result.first[bin] != kNoMinimum ? 1U : 0U) << bin;
  }
  if (full == 0 || full == kAllBins) return;

  // Which bins are empty is a matter of chance, so no branch asks for it: each ring has a bit per full bin,
  // and once it is laid out twice, the next full bin is a count of zeros away.
  Rings rings{};
  for (std::size_t chunk = 0; chunk < kChunks.size(); ++chunk) {
    const Rings& more = kChunks[chunk][full >> chunk * kChunkBins & (kChunks[0].size() - 1)];
    for (std::size_t ring = 0; ring < kRings; ++ring) rings[ring] |= more[ring];
  }
  for (std::uint32_t rest = full ^ kAllBins; rest != 0; rest &= rest - 1) {
    const auto bin = static_cast<std::size_t>(std::countr_zero(rest));
    const std::size_t ring = bin % kRings;
    const std::uint32_t place = kPlaces[bin][ring];
    const std::uint64_t twice = rings[ring] | std::uint64_t{rings[ring]} << kBinCount;
    const auto steps = static_cast<std::uint32_t>(std::countr_zero(twice >> place));
    const std::uint32_t donor = kPlaces[place + steps][ring];
    result.first[bin] = static_cast<std::uint32_t>(bins_[donor]);
    result.second[bin] = static_cast<std::uint32_t>(bins_[donor] >> 32);
  }
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
