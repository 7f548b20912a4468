// Which 64 bits change little when a text changes little?
//
// Its SimHash (Charikar 2002). Every feature votes on every bit: a 1 in its hash is a vote for, a 0 a vote
// against, and the fingerprint holds the majorities. A small edit moves few votes, so few bits flip.
//
//   feature A   1 0 1 1 ...   x weight 3        sum > 0: bit is 1
//   feature B   0 0 1 0 ...   x weight 1        sum < 0: bit is 0
//   sums        2 -4 4 2 ...                    sum = 0: bit of kTieBits
//
// Features are the tokens of the text and the bigrams of its joined characters (feature.h). The weight of one
// is how often it occurs, but no more than 16: without the cap one dominating word ("the", a copyright line)
// makes unrelated texts collide. Occurrences are counted in a table of 8192 slots, indexed by the top 13 bits
// of the feature; one counts as long as fewer than 16 have landed in its slot. Features that share a slot
// share its cap, first come, first counted. The table is the definition, not an approximation of one. Tokens
// and bigrams have a table each, so the order between the kinds is irrelevant. README.md defines all of it,
// for other languages too.
//
// Ties are common in short texts (an even number of votes). Breaking them all to 0 would draw short texts
// together, so a fixed random word breaks them.
//
// Cost:    1.3 ns a token with AVX-512, reading and hashing it included; README.md has the table.
// Threads: one object per thread; nothing is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/isa.h"
#include "core/fingerprint/token_stream.h"
#include "core/fingerprint/votes.h"
#include "core/signature.h"

namespace neardup {

// The first fraction bits of pi break ties.
inline constexpr std::array<std::uint64_t, 2> kTieBits = {0x243F6A8885A308D3, 0x13198A2E03707344};

// Fingerprints of kWords times 64 bits. The first word is the fingerprint of 64 bits, and each half of it one
// of 32: a bit hangs on the votes for that bit alone.
template <std::size_t kWords>
class SimHasherOf {
 public:
  static_assert(kWords == 1 || kWords == 2);

  // REQUIRES: the CPU has `tier`.
  explicit SimHasherOf(Isa tier = isa());

  // Counts the features of some tokens. The batches of a text come in their order.
  // REQUIRES: of a stream that was opened for TokenStream::Use::kSimHash.
  void add(const TokenBatch& batch);

  // How many features of all tokens added have a vote: each as often as it counts.
  std::size_t features() const { return votes_[0].count(); }

  // The fingerprint of all tokens added, kTieBits if there were none; then begins anew.
  std::array<std::uint64_t, kWords> finish();

 private:
  void vote(const std::uint64_t* features, const std::uint64_t* counting, std::size_t size);

  static constexpr std::size_t kFeaturesMax = TokenBatch::kTokensMax + internal::kFeatureSlack;

  const internal::Kernels* kernels_;
  std::array<Votes, kWords> votes_;
  internal::WeightTable weights_{};                                    // of bigrams
  std::array<std::uint64_t, TokenBatch::kTokensMax / 64> counting_{};  // of bigrams, those that do
  alignas(64) std::array<std::uint64_t, kFeaturesMax> bigrams_{};
  alignas(64) std::array<std::uint64_t, kWords == 1 ? 0 : kFeaturesMax> wide_{};
};

using SimHasher = SimHasherOf<1>;
using WideSimHasher = SimHasherOf<2>;

// The fingerprint of a canonical text, for callers with one text at hand.
Fingerprint simhash(std::string_view canonical);

}  // namespace neardup
