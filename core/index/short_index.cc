#include "core/index/short_index.h"

#include <algorithm>
#include <string>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/prefetch_line.h"

namespace neardup {

// The hash function that extends band j is the first of the next band's: one it has not used.
UncommonMinima ShortIndex::uncommon(const ShortSignature& signature, std::size_t band,
                                    ShortSearch& search) const {
  if (!search.uncommon_made_ || search.uncommon_of_hot_ != postings_.hot().changes()) {
    search.uncommon_features_.clear();
    for (const std::uint32_t feature : signature.features) {
      if (!postings_.is_hot(feature)) search.uncommon_features_.push_back(feature);
    }
    short_minima(search.uncommon_features_, search.uncommon_minima_);
    search.uncommon_of_hot_ = postings_.hot().changes();
    search.uncommon_made_ = true;
  }
  const std::size_t function = (band + 1) * kBandMinima % kShortMinima;
  const auto feature_of = [&](std::uint32_t minimum) {
    return minimum == kNoMinimum ? kNoFeature : Feature{short_feature(minimum, function)};
  };
  return {feature_of(search.uncommon_minima_.first[function]),
          feature_of(search.uncommon_minima_.second[function])};
}

void ShortIndex::find(const ShortSignature& signature, unsigned threshold_permille,
                      ShortSearch& search) const {
  search.met_.begin();
  search.rows_.clear();
  search.candidates_.clear();
  search.uncommon_made_ = false;
  postings_.find(
      signature.band_span(), signature.tiny_span(),
      [&](std::size_t band, unsigned) { return uncommon(signature, band, search); },
      [&](Row row) {
        if (!search.met_.meet(row)) return;
        search.rows_.push_back(row);
        prefetch_line(&records_[row]);
      });
  search.met_count_ = search.rows_.size();

  const std::size_t length = signature.text.size();
  for (const Row row : search.rows_) {
    const Record& record = records_[row];
    const std::size_t other = record.length;
    const std::size_t apart = length > other ? length - other : other - length;
    const unsigned edits = edits_max(std::max(length, other), threshold_permille);
    if (apart > edits) continue;
    // An edit that changes the length moves one count, any other two.
    if (ClassCounts::distance(signature.classes, record.classes) > std::size_t{2} * edits - apart) continue;
    search.candidates_.push_back(row);
    texts_.prefetch(record.place());
  }
  std::sort(search.candidates_.begin(), search.candidates_.end());
  search.candidates_.erase(std::unique(search.candidates_.begin(), search.candidates_.end()),
                           search.candidates_.end());
}

void ShortIndex::insert(Sequence sequence, const ShortSignature& signature, ShortSearch& search) {
  const Row row = records_.size();
  DCHECK(row == first_row_ || sequences_[row - 1] < sequence);
  const std::uint64_t place = texts_.append(signature.text);
  records_.push_back({signature.classes, static_cast<std::uint32_t>(place),
                      static_cast<std::uint16_t>(place >> 32),
                      static_cast<std::uint16_t>(signature.text.size())});
  sequences_.push_back(sequence);
  search.uncommon_made_ = false;
  postings_.insert(row, signature.band_span(), signature.tiny_span(),
                   [&](std::size_t band, unsigned) { return uncommon(signature, band, search); });
}

bool ShortIndex::erase(Sequence sequence, ShortSigner& signer) {
  const Row row = sequences_.first_from(sequence);
  if (row == records_.size() || sequences_[row] != sequence || records_[row].length == 0) return false;
  std::array<char32_t, TextStore::kTextMax> characters;
  text(row, characters.data());
  ShortSignature signature;
  CHECK(signer.sign(std::span(characters.data(), length(row)), signature), "it was short when it came");
  postings_.erase(row, signature.band_span(), signature.tiny_span());
  records_[row].length = 0;
  return true;
}

void ShortIndex::expire(Sequence oldest) {
  first_row_ = sequences_.first_from(oldest);
  postings_.expire(first_row_);
  texts_.release_before(first_row_ < records_.size() ? records_[first_row_].place() : texts_.end());
  records_.release_before(first_row_);
  sequences_.release_before(first_row_);
}

Digest128 ShortIndex::digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.digest(postings_.digest());
  std::array<char32_t, TextStore::kTextMax> characters;
  for (Row row = first_row_; row < records_.size(); ++row) {
    writer.u32(static_cast<std::uint32_t>(sequences_[row]));
    writer.u64(records_[row].classes.bits);
    writer.u16(records_[row].length);
    if (length(row) > 0) text(row, characters.data());
    for (std::size_t i = 0; i < length(row); ++i) writer.u32(characters[i]);
    const Digest128 link = digest128(bytes);  // a chain, so that the bytes stay few
    bytes.clear();
    writer.digest(link);
  }
  return digest128(bytes);
}

std::size_t ShortIndex::bytes() const {
  return postings_.bytes() + records_.bytes() + sequences_.bytes() + texts_.bytes();
}

}  // namespace neardup
