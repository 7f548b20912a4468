#include "core/fingerprint/feature.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace neardup {
namespace {

using internal::kFirstMultiplier;
using internal::kLastMultiplier;
using internal::kNextMultiplier;

// `bytes` is 0 to 8 bytes long.
std::uint64_t load_word(std::string_view bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

constexpr std::uint64_t begin(std::uint64_t word) { return word * kFirstMultiplier; }

constexpr std::uint64_t next(std::uint64_t state, std::uint64_t word) {
  return ((state ^ (state >> 32)) + word) * kNextMultiplier;
}

constexpr std::uint64_t end(std::uint64_t state) {
  state ^= state >> 29;
  state *= kLastMultiplier;
  return state ^ (state >> 32);
}

}  // namespace

std::uint64_t token_feature(std::string_view token) {
  constexpr std::size_t kStep = sizeof(std::uint64_t);
  std::uint64_t state = begin(load_word(token.substr(0, kStep)));
  if (token.size() <= kStep) return end(next(state, 0));
  for (std::size_t at = kStep; at < token.size(); at += kStep) {
    state = next(state, load_word(token.substr(at, kStep)));
  }
  return end(state);
}

std::uint64_t bigram_feature(std::uint64_t first, std::uint64_t second) {
  const std::uint64_t state = (first ^ std::rotl(second, 32)) * kNextMultiplier;
  return state ^ (state >> 32);
}

std::uint64_t wide_feature(std::uint64_t feature) { return end(begin(feature)); }

}  // namespace neardup
