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

}  // namespace

namespace internal {

std::uint32_t crc32c_scalar(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

#if defined(__x86_64__)
bool crc32c_has_sse42() { return __builtin_cpu_supports("sse4.2") != 0; }

__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::string_view bytes) {
  std::uint64_t crc = ~0U;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    crc = _mm_crc32_u64(crc, word);
  }
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
