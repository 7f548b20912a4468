#include "core/fingerprint/simhash.h"

#include <string>

namespace neardup {

template <std::size_t kWords>
SimHasherOf<kWords>::SimHasherOf(Isa tier) : kernels_(&internal::kernels(tier)) {
  votes_.fill(Votes(tier));
}

template <std::size_t kWords>
void SimHasherOf<kWords>::add(const TokenBatch& batch) {
  vote(batch.hashes, batch.counting, batch.size);
  const std::size_t bigrams = kernels_->hash_bigrams(batch.hashes, batch.joined, batch.size, bigrams_.data(),
                                                     &weights_, counting_.data());
  if (bigrams == 0) return;
  vote(bigrams_.data(), counting_.data(), bigrams);
}

template <std::size_t kWords>
void SimHasherOf<kWords>::vote(const std::uint64_t* features, const std::uint64_t* counting,
                               std::size_t size) {
  votes_[0].add(features, counting, size);
  if constexpr (kWords == 2) {
    kernels_->widen(features, size, wide_.data());
    votes_[1].add(wide_.data(), counting, size);
  }
}

template <std::size_t kWords>
std::array<std::uint64_t, kWords> SimHasherOf<kWords>::finish() {
  weights_.forget();
  std::array<std::uint64_t, kWords> fingerprint;
  for (std::size_t i = 0; i < kWords; ++i) fingerprint[i] = votes_[i].take_majority(kTieBits[i]);
  return fingerprint;
}

template class SimHasherOf<1>;
template class SimHasherOf<2>;

Fingerprint simhash(std::string_view canonical) {
  const std::string padded = std::string(canonical) + std::string(TokenStream::kTextSlack, '\0');
  TokenStream tokens;
  SimHasher simhasher;
  tokens.open(std::string_view(padded).substr(0, canonical.size()));
  for (TokenBatch batch; tokens.next(batch);) simhasher.add(batch);
  return {simhasher.finish()[0]};
}

}  // namespace neardup
