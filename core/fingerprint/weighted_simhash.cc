#include "core/fingerprint/weighted_simhash.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/fingerprint/feature.h"
#include "core/fingerprint/simhash.h"

namespace neardup {
namespace {

constexpr std::uint32_t kOne = IdfTable::kOne;

static_assert(2 * internal::WeightTable::kSlots * internal::kWeightMax * IdfTable::kIdfMax * kOne <
                  std::uint64_t{1} << 32,
              "no text can overflow a sum");

// All ones where a bit of the byte is set: eight masks for each byte.
using ByteMasks = std::array<std::array<std::uint32_t, 8>, 256>;
constexpr ByteMasks kByteMasks = [] {
  ByteMasks masks{};
  for (std::size_t byte = 0; byte < masks.size(); ++byte) {
    for (std::size_t bit = 0; bit < 8; ++bit) masks[byte][bit] = (byte >> bit & 1) != 0 ? ~0U : 0;
  }
  return masks;
}();

bool bit_of(const std::uint64_t* bits, std::size_t i) { return (bits[i / 64] >> i % 64 & 1) != 0; }

std::size_t code_point_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace

// The same mixing as of a bigram, one token after the other.
std::uint64_t shingle_feature(const std::uint64_t* tokens, std::size_t size) {
  std::uint64_t run = tokens[0];
  for (std::size_t i = 1; i < size; ++i) run = bigram_feature(run, tokens[i]);
  return run;
}

WeightedSimHash::WeightedSimHash(FeatureOptions options) : options_(std::move(options)) {
  CHECK(options_.shingle_size >= 1 && options_.shingle_size <= FeatureOptions::kShingleSizeMax, "config");
  CHECK(options_.ngram_size >= FeatureOptions::kNgramSizeMin &&
            options_.ngram_size <= FeatureOptions::kNgramSizeMax,
        "config");
  CHECK(options_.idf == nullptr || options_.source != FeatureSource::kNgrams, "an idf is a word's");
}

std::optional<Fingerprint> WeightedSimHash::hash(const PaddedBytes& canonical) {
  std::string_view text = canonical;
  if (options_.stop_words != nullptr && text.size() < kCutBytesMax && options_.stop_words->cut(text, cut_)) {
    canonicalize(cut_, rest_);
    text = rest_.text;
  }
  for_bit_.fill(0);
  cast_ = 0;
  features_ = 0;
  slots_.forget();
  bigram_slots_.forget();
  switch (options_.source) {
    case FeatureSource::kWords:
      add_words(text);
      break;
    case FeatureSource::kShingles:
      add_shingles(text);
      break;
    case FeatureSource::kNgrams:
      add_ngrams(text);
      break;
  }
  if (cast_ == 0) return std::nullopt;

  Fingerprint fingerprint;
  for (std::size_t bit = 0; bit < for_bit_.size(); ++bit) {
    const std::uint32_t against = cast_ - for_bit_[bit];
    const bool tie = for_bit_[bit] == against;
    const bool one = tie ? (kTieBits[0] >> bit & 1) != 0 : for_bit_[bit] > against;
    fingerprint.bits |= std::uint64_t{one} << bit;
  }
  return fingerprint;
}

std::uint32_t WeightedSimHash::weight(std::uint64_t feature) const {
  return options_.idf != nullptr ? options_.idf->weight(feature) : kOne;
}

// What weighs nothing is not counted at all: it takes no room under the cap either.
void WeightedSimHash::add(std::uint64_t feature, std::uint32_t weight, Slots& slots) {
  if (weight == 0 || !slots.count(feature)) return;
  cast_ += weight;
  ++features_;
  for (std::size_t byte = 0; byte < sizeof(feature); ++byte) {
    const std::array<std::uint32_t, 8> masks = kByteMasks[feature >> 8 * byte & 0xFF];
    std::uint32_t* const sums = for_bit_.data() + 8 * byte;
    for (std::size_t bit = 0; bit < masks.size(); ++bit) sums[bit] += masks[bit] & weight;
  }
}

void WeightedSimHash::add_words(std::string_view canonical) {
  tokens_.open(canonical, TokenStream::Use::kHashes);
  for (TokenBatch batch; tokens_.next(batch);) {
    const std::uint64_t* const hashes = batch.hashes;
    for (std::size_t i = 0; i < batch.size; ++i) {
      add(hashes[i], weight(hashes[i]), slots_);
      if (!bit_of(batch.joined, i)) continue;
      const std::uint64_t bigram = bigram_feature(hashes[static_cast<std::ptrdiff_t>(i) - 1], hashes[i]);
      add(bigram, weight(bigram), bigram_slots_);
    }
  }
}

// A shingle weighs what its tokens weigh on average, rounded down. A text of fewer tokens is one shingle.
void WeightedSimHash::add_shingles(std::string_view canonical) {
  const auto size = static_cast<std::size_t>(options_.shingle_size);
  std::array<std::uint64_t, FeatureOptions::kShingleSizeMax> run{};  // the last `size` tokens, oldest first
  std::array<std::uint32_t, FeatureOptions::kShingleSizeMax> weights{};
  std::size_t filled = 0;
  const auto add_run = [&] {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < filled; ++i) sum += weights[i];
    add(shingle_feature(run.data(), filled), sum / static_cast<std::uint32_t>(filled), slots_);
  };
  tokens_.open(canonical, TokenStream::Use::kHashes);
  for (TokenBatch batch; tokens_.next(batch);) {
    for (std::size_t i = 0; i < batch.size; ++i) {
      if (filled == size) {
        std::copy(run.begin() + 1, run.begin() + size, run.begin());
        std::copy(weights.begin() + 1, weights.begin() + size, weights.begin());
        --filled;
      }
      run[filled] = batch.hashes[i];
      weights[filled] = weight(batch.hashes[i]);
      if (++filled == size) add_run();
    }
  }
  if (filled > 0 && filled < size) add_run();
}

// A text of fewer code points is one n-gram.
void WeightedSimHash::add_ngrams(std::string_view canonical) {
  std::size_t end = 0;
  const auto step = [&](std::size_t& at) { at += code_point_bytes(canonical[at]); };
  for (int i = 0; i < options_.ngram_size && end < canonical.size(); ++i) step(end);
  if (end == 0) return;
  for (std::size_t begin = 0;; step(begin), step(end)) {
    add(token_feature(canonical.substr(begin, end - begin)), kOne, slots_);
    if (end == canonical.size()) return;
  }
}

}  // namespace neardup
