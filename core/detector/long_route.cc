#include "core/detector/long_route.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/prefetch_line.h"

namespace neardup {

static_assert(kLongBandsMax <= BandPostings::kBandsMax);

template <std::size_t kSketchBytes>
LongRoute<kSketchBytes>::LongRoute(unsigned threshold_permille)
    : threshold_permille_(estimate_min(threshold_permille)), postings_(BandPostings::kExtensionsMax) {
  CHECK(threshold_permille >= 500 && threshold_permille <= 1000, "a threshold of .5 to 1");
}

namespace {

// A band is extended by the minima of bins that are not its own: of the next band's first bin, and of the one
// after the next band's first.
std::size_t bin_of(std::size_t width, std::size_t number, unsigned extension) {
  return (number * width + (extension == 0 ? width : 2 * width + 1)) % kMinimaBins;
}

Bins bins_of_extensions(std::span<const Band> bands) {
  Bins bins = 0;
  for (std::size_t j = 0; j < bands.size(); ++j) {
    for (unsigned e = 0; e < BandPostings::kExtensionsMax; ++e)
      bins |= Bins{1} << bin_of(bands[j].width, j, e);
  }
  return bins;
}

std::size_t place_of(std::size_t band, unsigned extension) {
  return band * BandPostings::kExtensionsMax + extension;
}

// What extends a band of a page that comes back, if it is crowded; kNoMinimum: nothing does.
std::uint32_t extending_minimum(const ReturningPage& page, BandLayout layout, bool as_inserted,
                                std::size_t band, unsigned extension) {
  if (!as_inserted) return page.minima[bin_of(layout.width, band, extension)];
  const std::size_t at = place_of(band, extension);
  return (page.extensions.present >> at & 1) != 0 ? page.extensions.minima[at] : kNoMinimum;
}

// Moves those that are not hot to the front and returns how many they are. On a page of boilerplate hot ones
// and others come by chance, so a branch for each would be guessed wrong; the few of the bitmap's errors are
// told apart by one that is right nearly always.
std::size_t drop_hot(const HotSet& hot, ShingleKind kind, std::span<std::uint64_t> shingles) {
  DCHECK(shingles.size() <= MinimaSearch::kPortion);
  const auto feature_of = [&](std::uint64_t shingle) {
    return minimum_feature(kind, static_cast<std::uint32_t>(shingle));
  };
  std::array<std::uint64_t, MinimaSearch::kPortion> doubtful;
  std::size_t doubts = 0;
  std::size_t left = 0;
  for (const std::uint64_t shingle : shingles) {
    const bool may_be_hot = hot.may_contain(feature_of(shingle));
    doubtful[doubts] = shingle;
    doubts += may_be_hot;
    shingles[left] = shingle;
    left += !may_be_hot;
  }
  for (const std::uint64_t shingle : std::span(doubtful).first(doubts)) {
    if (!hot.contains(feature_of(shingle))) shingles[left++] = shingle;
  }
  return left;
}

}  // namespace

template <std::size_t kSketchBytes>
UncommonMinima LongRoute<kSketchBytes>::uncommon(const LongSignature& signature, std::size_t band,
                                                 unsigned extension, LongWork& work) const {
  if (const HotSet& hot = postings_.hot(); work.hot_changes_ != hot.changes()) {
    work.uncommon_ = uncommon_minima(
        signature.sample, bins_of_extensions(signature.band_span()),
        [&](std::span<std::uint64_t> shingles) { return drop_hot(hot, signature.kind, shingles); });
    work.hot_changes_ = hot.changes();
  }
  const std::size_t bin = bin_of(signature.bands[band].width, band, extension);
  const auto feature_of = [&](std::uint32_t value) {
    return value == kNoMinimum ? kNoFeature : minimum_feature(signature.kind, value);
  };
  return {feature_of(work.uncommon_.first[bin]), feature_of(work.uncommon_.second[bin])};
}

template <std::size_t kSketchBytes>
std::optional<LongMatch> LongRoute<kSketchBytes>::find(const LongSignature& signature, LongWork& work) const {
  work.met_.begin();
  work.rows_.clear();
  work.compared_ = 0;
  postings_.find(
      signature.band_span(), {},
      [&](std::size_t band, unsigned extension) { return uncommon(signature, band, extension, work); },
      [&](Ordinal row) {
        if (!work.met_.meet(row)) return;
        work.rows_.push_back(row);
        prefetch_lines(&sketches_[row], sizeof(Sketch));
        sequences_.prefetch(row);
      });
  if (exact_ != nullptr) return find_exactly(signature.kind, work);

  const Sketch& sketch = sketch_of(signature);
  Ordinal first = sketches_.size();
  for (const Ordinal row : work.rows_) {
    if (row >= first) continue;
    ++work.compared_;
    if (is_similar(sketch, sketches_[row], threshold_permille_)) first = row;
  }
  if (first == sketches_.size()) return std::nullopt;
  return LongMatch{sequences_[first], similarity_permille(sketch, sketches_[first])};
}

// Of the rows that met.
template <std::size_t kSketchBytes>
std::optional<LongMatch> LongRoute<kSketchBytes>::find_exactly(ShingleKind kind, LongWork& work) const {
  std::optional<LongMatch> first;
  for (const Ordinal row : work.rows_) {
    const Sequence sequence = sequences_[row];
    if (first && sequence >= first->sequence) continue;
    ++work.compared_;
    const std::optional<int> similarity = exact_->alike(sequence, kind);
    if (similarity) first = LongMatch{sequence, *similarity};
  }
  return first;
}

template <std::size_t kSketchBytes>
std::optional<int> LongRoute<kSketchBytes>::similarity(Sequence sequence,
                                                       const LongSignature& signature) const {
  std::optional<int> best;
  for (std::uint64_t row = sequences_.first_from(sequence);
       row < sequences_.size() && sequences_[row] == sequence; ++row) {
    best = std::max(best.value_or(0), similarity_permille(sketch_of(signature), sketches_[row]));
  }
  return best;
}

template <std::size_t kSketchBytes>
void LongRoute<kSketchBytes>::append(Sequence sequence, const Sketch& sketch) {
  sketches_.push_back(sketch);
  sequences_.push_back(sequence);
}

template <std::size_t kSketchBytes>
void LongRoute<kSketchBytes>::insert(Sequence sequence, const LongSignature& signature, LongWork& work,
                                     BandExtensions& extensions) {
  const Ordinal row = sequences_.size();
  append(sequence, sketch_of(signature));
  extensions.present = 0;
  postings_.insert(row, signature.band_span(), {}, [&](std::size_t band, unsigned extension) {
    const UncommonMinima minima = uncommon(signature, band, extension, work);
    const std::size_t at = place_of(band, extension);
    extensions.present |= 1U << at;
    extensions.minima[at] =
        minima.first == kNoFeature ? kNoMinimum : static_cast<std::uint32_t>(minima.first);
    return minima;
  });
}

template <std::size_t kSketchBytes>
void LongRoute<kSketchBytes>::begin(std::span<const BucketTable::ShardSet> shards) {
  batch_.begin(shards);
  batch_pages_.clear();
}

template <std::size_t kSketchBytes>
void LongRoute<kSketchBytes>::share(std::size_t member, std::size_t number, const ReturningPage& page,
                                    BandLayout layout, bool as_inserted) {
  constexpr unsigned kExtensions = BandPostings::kExtensionsMax;
  BandBatch::Share& share = batch_.share(member);
  if (member == 0) batch_pages_.push_back(&page);
  for (std::size_t j = 0; j < layout.bands; ++j) {
    const unsigned present = page.extensions.present >> (j * kExtensions) & ((1U << kExtensions) - 1);
    const bool is_extended = !as_inserted || present != 0;
    share.add(number, j, page.keys[j], is_extended);
    for (unsigned e = 0; e < kExtensions && is_extended; ++e) {
      const std::uint32_t minimum = extending_minimum(page, layout, as_inserted, j, e);
      if (minimum == kNoMinimum) continue;
      share.add_extended(number, j, e, page.keys[j], minimum_feature(page.kind, minimum));
    }
  }
}

template <std::size_t kSketchBytes>
void LongRoute<kSketchBytes>::open() {
  batch_.open(postings_, sequences_.size(), batch_pages_.size());
}

template <std::size_t kSketchBytes>
void LongRoute<kSketchBytes>::close(BandLayout layout, bool as_inserted) {
  std::array<Feature, kBandMinima> features;
  batch_.close(postings_, [&](BandBatch::Slot slot) {
    const ReturningPage& page = *batch_pages_[slot.text()];
    if (slot.which() > 0) {
      features[0] = minimum_feature(
          page.kind, extending_minimum(page, layout, as_inserted, slot.band(), slot.which() - 1));
      return std::span<const Feature>(features).first(1);
    }
    for (std::size_t e = 0; e < layout.width; ++e)
      features[e] = minimum_feature(page.kind, page.minima[slot.band() * layout.width + e]);
    return std::span<const Feature>(features).first(layout.width);
  });
}

template <std::size_t kSketchBytes>
bool LongRoute<kSketchBytes>::erase(Sequence sequence) {
  bool was_there = false;
  for (std::uint64_t row = sequences_.first_from(sequence);
       row < sequences_.size() && sequences_[row] == sequence; ++row) {
    was_there |= postings_.erase(row, {}, {});
    sketches_[row] = {};
  }
  return was_there;
}

template <std::size_t kSketchBytes>
void LongRoute<kSketchBytes>::expire(Sequence oldest) {
  first_row_ = sequences_.first_from(oldest);
  postings_.expire(first_row_);
  sketches_.release_before(first_row_);
  sequences_.release_before(first_row_);
}

template <std::size_t kSketchBytes>
Digest128 LongRoute<kSketchBytes>::digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.digest(postings_.digest());
  for (std::uint64_t row = first_row_; row < sequences_.size(); ++row) {
    const Sketch& sketch = sketches_[row];
    writer.u32(static_cast<std::uint32_t>(sequences_[row]));
    writer.bytes({reinterpret_cast<const char*>(sketch.bits.data()), sketch.bits.size()});
    writer.u16(sketch.sampled);
    writer.u16(sketch.level);
    const Digest128 link = digest128(bytes);  // a chain, so that the bytes stay few
    bytes.clear();
    writer.digest(link);
  }
  return digest128(bytes);
}

template class LongRoute<kStandardSketchBytes>;
template class LongRoute<kCompactSketchBytes>;

}  // namespace neardup
