// Hostile bytes through all tiers of the sketch kernels: as text, as hashes and as sketches. The tiers must
// agree, and what is always so of a signature must be so of theirs.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/fingerprint/odd_sketch.h"
#include "core/fingerprint/shingle.h"
#include "core/fingerprint/shingle_signer.h"
#include "core/fingerprint/sketch_kernels.h"
#include "core/text/folder.h"

namespace neardup {
namespace {

using internal::kSketchScalar;
using internal::SketchKernels;
using Hashes = std::vector<std::uint64_t>;

constexpr std::uint32_t kMarks = 736 * 32;

struct Results {
  std::size_t code_points = 0;
  Hashes characters;
  Hashes triples;
  Hashes quintuples;
  std::array<std::uint64_t, internal::kBins> bins{};
  std::array<std::uint64_t, internal::kBins> half{};  // bins, of the first half of the hashes
  Hashes low;
  Hashes below;
  std::uint32_t set = 0;
  std::array<std::uint8_t, 92> bits{};
  std::array<std::uint32_t, internal::kPermutations> minhash{};
  std::uint32_t differing = 0;

  friend bool operator==(const Results&, const Results&) = default;
};

Results results_of(const SketchKernels& tier, std::string_view text, const Hashes& hashes) {
  Results results;
  results.code_points = tier.count_code_points(text.data(), text.size());
  results.characters.resize(text.size() + kUnitSlack);
  results.characters.resize(tier.hash_characters(text.data(), text.size(), results.characters.data()));

  const std::size_t size = hashes.size();
  const auto number = static_cast<std::uint32_t>(size > 0 ? hashes[0] : 0);
  if (size >= 3) results.triples.resize(size - 2);
  if (size >= 5) results.quintuples.resize(size - 4);
  tier.hash_triples(hashes.data(), results.triples.size(), results.triples.data());
  tier.hash_quintuples(hashes.data(), results.quintuples.size(), results.quintuples.data());

  results.bins.fill(~std::uint64_t{0});
  tier.lower_minima(hashes.data(), size / 2, results.bins.data());
  results.half = results.bins;
  tier.lower_minima(hashes.data() + size / 2, size - size / 2, results.bins.data());
  results.low.resize(size + 8);
  results.low.resize(tier.select_low(hashes.data(), size, number, results.low.data()));
  results.below.resize(size + 8);
  results.below.resize(tier.select_below(hashes.data(), size, results.half.data(), results.below.data()));

  static Hashes words(kMarks / 64);
  tier.mark(hashes.data(), size, number, kMarks, words.data());
  results.set = tier.collect(words.data(), 32, 736, results.bits.data());
  for (const std::uint64_t word : words) CHECK(word == 0, "collect() clears the marks");

  results.minhash.fill(~std::uint32_t{0});
  tier.lower_minhash(hashes.data(), size, results.minhash.data());
  std::array<std::uint8_t, 92> other{};
  if (size > 0)
    std::memcpy(other.data(), hashes.data(), std::min(other.size(), size * sizeof(std::uint64_t)));
  results.differing = tier.differing_bits(results.bits.data(), other.data(), other.size());
  return results;
}

void check_signature(std::string_view canonical, const Hashes& tokens) {
  static ShingleSigner<kStandardSketchBytes> signer;
  static ShingleSignature<kStandardSketchBytes> words;
  static ShingleSignature<kStandardSketchBytes> characters;
  signer.sign_words(tokens, words);
  signer.sign_characters(canonical, characters);
  for (const auto* signature : {&words, &characters}) {
    for (std::size_t bin = 0; bin < kMinimaBins; ++bin) {
      const std::uint32_t first = signature->minima.first[bin];
      const std::uint32_t second = signature->minima.second[bin];
      CHECK(first < second || second == kNoMinimum, "the second minimum is above the first");
    }
    if (signature->sketch.sampled == 0) continue;
    CHECK(similarity_permille(signature->sketch, signature->sketch) == 1000, "a text is like itself");
  }
  const int similarity = similarity_permille(words.sketch, characters.sketch);
  CHECK(similarity >= 0 && similarity <= 1000, "a share");
  CHECK(is_similar(words.sketch, characters.sketch, similarity), "the short cut agrees");
  CHECK(!is_similar(words.sketch, characters.sketch, similarity + 1), "the short cut agrees");
}

}  // namespace
}  // namespace neardup

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neardup;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static CanonicalText canonical;
  canonicalize(bytes, canonical);
  const std::vector<char> text(canonical.text.data(),
                               canonical.text.data() + canonical.text.size());  // no room behind it
  const std::string_view view(text.data(), text.size());
  Hashes hashes(size / sizeof(std::uint64_t));
  if (!hashes.empty()) std::memcpy(hashes.data(), data, hashes.size() * sizeof(std::uint64_t));

  const Results expected = results_of(kSketchScalar, view, hashes);
#if NEARDUP_X86
  for (const Isa tier : {Isa::kAvx2, Isa::kAvx512}) {
    if (tier > cpu_isa()) continue;
    CHECK(results_of(internal::sketch_kernels(tier), view, hashes) == expected, "the tiers agree");
  }
#endif
  check_signature(view, hashes);
  return 0;
}
