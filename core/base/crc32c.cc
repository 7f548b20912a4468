#include "core/base/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace neardup {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41 with its bits reversed

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

constexpr std::uint32_t next(std::uint32_t crc, unsigned char byte) {
  return (crc >> 8) ^ kTable[(crc ^ byte) & 0xFF];
}

#if defined(__x86_64__)
constexpr std::size_t kLane = 1024;  // bytes; three of them are read side by side

// What each byte of a remainder becomes behind kLane zeros. Remainders are linear: that of the whole is the
// sum of these.
constexpr std::array<std::array<std::uint32_t, 256>, 4> make_skips() {
  std::array<std::array<std::uint32_t, 256>, 4> skips{};
  for (unsigned bit = 0; bit < 32; ++bit) {
    std::uint32_t crc = 1U << bit;
    for (std::size_t i = 0; i < kLane; ++i) crc = next(crc, 0);
    std::array<std::uint32_t, 256>& skip = skips[bit / 8];
    for (unsigned byte = 0; byte < 256; ++byte) {
      if ((byte >> (bit % 8) & 1) != 0) skip[byte] ^= crc;
    }
  }
  return skips;
}

constexpr std::array<std::array<std::uint32_t, 256>, 4> kSkips = make_skips();

std::uint32_t skip_lane(std::uint64_t crc) {
  return kSkips[0][crc & 0xFF] ^ kSkips[1][crc >> 8 & 0xFF] ^ kSkips[2][crc >> 16 & 0xFF] ^
         kSkips[3][crc >> 24 & 0xFF];
}

std::uint64_t word_at(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
#endif

}  // namespace

namespace internal {

std::uint32_t crc32c_scalar(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) crc = next(crc, static_cast<unsigned char>(c));
  return ~crc;
}

#if defined(__x86_64__)
bool crc32c_has_sse42() { return __builtin_cpu_supports("sse4.2") != 0; }

__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::string_view bytes) {
  std::uint64_t crc = ~0U;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * kLane; at += 3 * kLane, left -= 3 * kLane) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kLane; i += 8) {
      crc = _mm_crc32_u64(crc, word_at(at + i));
      second = _mm_crc32_u64(second, word_at(at + kLane + i));
      third = _mm_crc32_u64(third, word_at(at + 2 * kLane + i));
    }
    crc = skip_lane(skip_lane(crc) ^ second) ^ third;
  }
  for (; left >= 8; at += 8, left -= 8) crc = _mm_crc32_u64(crc, word_at(at));
  auto tail = static_cast<std::uint32_t>(crc);
  for (; left > 0; ++at, --left) tail = _mm_crc32_u8(tail, static_cast<unsigned char>(*at));
  return ~tail;
}
#else
bool crc32c_has_sse42() { return false; }
std::uint32_t crc32c_sse42(std::string_view bytes) { return crc32c_scalar(bytes); }
#endif

}  // namespace internal

std::uint32_t crc32c(std::string_view bytes) {
  static const bool fast = internal::crc32c_has_sse42();
  return fast ? internal::crc32c_sse42(bytes) : internal::crc32c_scalar(bytes);
}

}  // namespace neardup
