#include "core/fingerprint/feature.h"

#include <bit>

#include "core/fingerprint/aes_round.h"

namespace neardup {
namespace {

using internal::AesState;
using internal::kTokenBlock;
using internal::kTokenByteLeast;

// Adds up to kTokenBlock bytes, each where it stands.
void add(std::string_view bytes, AesState& state) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint32_t byte = static_cast<unsigned char>(bytes[i]) - std::uint32_t{kTokenByteLeast};
    state[i / 4] ^= byte << 8 * (i % 4);
  }
}

void mix(AesState& state) {
  for (const auto& [low, high] : internal::kRoundKeys) {
    const AesState key = {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                          static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)};
    state = internal::aes_round(state, key);
  }
}

}  // namespace

std::uint64_t token_feature(std::string_view token) {
  AesState state{};
  for (std::size_t at = 0; at < token.size(); at += kTokenBlock) {
    add(token.substr(at, kTokenBlock), state);
    mix(state);
  }
  return state[0] | std::uint64_t{state[1]} << 32;
}

std::uint64_t bigram_feature(std::uint64_t first, std::uint64_t second) {
  const std::uint64_t state = (first ^ std::rotl(second, 32)) * internal::kNextMultiplier;
  return state ^ (state >> 32);
}

std::uint64_t wide_feature(std::uint64_t feature) {
  std::uint64_t state = feature * internal::kFirstMultiplier;
  state = (state ^ state >> 29) * internal::kLastMultiplier;
  return state ^ state >> 32;
}

}  // namespace neardup
