#include "core/fingerprint/feature.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace neardup {
namespace {

// Odd, so that multiplying can be undone. The first is 2^64 / golden ratio (Fibonacci hashing), the second is
// from the degski64 mixer, the third from MurmurHash3: known to spread bits well.
constexpr std::uint64_t kFirstMultiplier = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kNextMultiplier = 0xD6E8FEB86659FD93;
constexpr std::uint64_t kLastMultiplier = 0xFF51AFD7ED558CCD;

constexpr std::uint64_t kCharacterDomain = 0xFE;
constexpr std::uint64_t kBigramDomain = 0xFF;
constexpr int kDomainShift = 56;
constexpr int kCodePointBits = 21;

static_assert(std::endian::native == std::endian::little, "load_word copies bytes as they lie");

// `bytes` is 0 to 8 bytes long.
std::uint64_t load_word(std::string_view bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
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

// Every feature goes through `next` at least once, a short one with zero, so that vectors need no branch.
constexpr std::uint64_t hash_one_word(std::uint64_t word) { return end(next(begin(word), 0)); }

}  // namespace

std::uint64_t word_feature(std::string_view word) {
  constexpr std::size_t kStep = sizeof(std::uint64_t);
  if (word.size() <= kStep) return hash_one_word(load_word(word));
  std::uint64_t state = begin(load_word(word.substr(0, kStep)));
  for (std::size_t at = kStep; at < word.size(); at += kStep) {
    state = next(state, load_word(word.substr(at, kStep)));
  }
  return end(state);
}

std::uint64_t character_feature(char32_t character) {
  return hash_one_word(kCharacterDomain << kDomainShift | std::uint64_t{character});
}

std::uint64_t bigram_feature(char32_t first, char32_t second) {
  return hash_one_word(kBigramDomain << kDomainShift | std::uint64_t{first} << kCodePointBits |
                       std::uint64_t{second});
}

}  // namespace neardup
