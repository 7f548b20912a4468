#include "core/detector/replaced_numbers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/bit_words.h"
#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/isa.h"

#if NEARDUP_X86
#include <emmintrin.h>
#endif

namespace neardup {
namespace {

// A bit for each character of a text, and zeros behind.
class Bits {
 public:
  static constexpr std::size_t kWords = TokenPattern::kTokensMax / 64;
  static_assert(kWords * 64 == TokenPattern::kTokensMax);

  // REQUIRES: the 16 bits at `at`, a multiple of 16, are not set yet.
  void set_16(std::size_t at, int bits) {
    words_[at / 64] |= static_cast<std::uint64_t>(static_cast<unsigned>(bits)) << at % 64;
  }
  void set(std::size_t at, bool bit) { words_[at / 64] |= std::uint64_t{bit} << at % 64; }

  bool operator[](std::size_t at) const { return (words_[at / 64] >> at % 64 & 1) != 0; }
  std::uint64_t word(std::size_t w) const { return words_[w]; }
  // The word with the bit before each in its place.
  std::uint64_t before(std::size_t w) const { return words_[w] << 1 | (w > 0 ? words_[w - 1] >> 63 : 0); }
  // How many are set from `at` on, 64 for more.
  std::size_t run(std::size_t at) const {
    return static_cast<std::size_t>(std::countr_one(bits_from(words_.data(), at)));
  }

 private:
  std::array<std::uint64_t, kWords + 1> words_{};
};

// What the characters of a text are.
class Characters {
 public:
  explicit Characters(std::span<const char32_t> text) : text_(text) {
    DCHECK(text.size() <= TokenPattern::kTokensMax);
    std::size_t i = 0;
#if NEARDUP_X86
    for (; i + 16 <= text.size(); i += 16) tell_sixteen(i);
#endif
    for (; i < text.size(); ++i) tell(i);
  }

  // Tokens, at most: a character from kTokenCharacterMin on is taken for one, be it or not.
  unsigned tokens_max() const {
    int tokens = 0;
    for (std::size_t w = 0; w < words(); ++w) {
      tokens += std::popcount(high_.word(w)) + std::popcount(inside_.word(w) & ~inside_.before(w));
    }
    return static_cast<unsigned>(tokens);
  }

  // Calls visit(hash) for each token of ASCII digits alone, if of less than 64.
  template <class Visit>
  void for_each_number(Visit visit) const {
    for (std::size_t w = 0; w < words(); ++w) {
      for (std::uint64_t begins = digits_.word(w) & ~inside_.before(w); begins != 0; begins &= begins - 1) {
        const std::size_t begin = 64 * w + static_cast<std::size_t>(std::countr_zero(begins));
        const std::size_t digits = digits_.run(begin);
        if (digits < 64 && (begin == 0 || parts(begin - 1)) && parts(begin + digits)) {
          visit(hash_of(begin, digits));
        }
      }
    }
  }

 private:
  std::size_t words() const { return (text_.size() + 63) / 64; }  // of bits

  void tell(std::size_t i) {
    const char32_t c = text_[i];
    const bool is_high = c >= kTokenCharacterMin;
    digits_.set(i, c >= U'0' && c <= U'9');
    high_.set(i, is_high);
    inside_.set(i, !is_high && c != U' ');
    bytes_[i] = static_cast<unsigned char>(std::min(c, char32_t{0xFF}));
  }

#if NEARDUP_X86
  // As tell(), of text_[i .. i + 16). Characters are narrowed with saturation, to words and on to bytes.
  void tell_sixteen(std::size_t i) {
    const auto four = [&](std::size_t at) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text_.data() + i + at));
    };
    const __m128i low = _mm_packs_epi32(four(0), four(4));
    const __m128i high = _mm_packs_epi32(four(8), four(12));
    const __m128i bytes = _mm_packus_epi16(low, high);
    const __m128i below = _mm_set1_epi16(static_cast<short>(kTokenCharacterMin - 1));
    const __m128i is_high = _mm_packs_epi16(_mm_cmpgt_epi16(low, below), _mm_cmpgt_epi16(high, below));
    const __m128i is_blank = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
    const __m128i value = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
    digits_.set_16(i, _mm_movemask_epi8(is_digit));
    high_.set_16(i, _mm_movemask_epi8(is_high));
    inside_.set_16(i, _mm_movemask_epi8(_mm_or_si128(is_high, is_blank)) ^ 0xFFFF);
    _mm_store_si128(reinterpret_cast<__m128i*>(bytes_.data() + i), bytes);
  }
#endif

  // Whether the character at `at`, or the text's end there, parts tokens.
  bool parts(std::size_t at) const { return !inside_[at] && (!high_[at] || is_token_by_itself(text_[at])); }

  std::uint64_t bytes_at(std::size_t at) const {
    std::uint64_t bytes;
    std::memcpy(&bytes, &bytes_[at], sizeof bytes);
    return little_endian(bytes);
  }

  // By its first and its last eight digits.
  std::uint64_t hash_of(std::size_t begin, std::size_t digits) const {
    const std::uint64_t kept = digits < 8 ? (std::uint64_t{1} << 8 * digits) - 1 : ~std::uint64_t{0};
    const std::uint64_t first = bytes_at(begin) & kept;
    const std::uint64_t last = bytes_at(begin + std::max<std::size_t>(digits, 8) - 8) & kept;
    const std::uint64_t mixed = (first ^ digits << 58) * 0x9E3779B97F4A7C15 ^ last;
    return (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93;
  }

  std::span<const char32_t> text_;
  Bits digits_;
  Bits high_;                                                                  // from kTokenCharacterMin on
  Bits inside_;                                                                // neither that nor a blank
  alignas(16) std::array<unsigned char, TokenPattern::kTokensMax + 8> bytes_;  // 0xFF: that, or above
};

}  // namespace

void NumberPattern::set(std::span<const char32_t> text) {
  slots_ = {};
  numbers_ = 0;
  const Characters characters(text);
  characters.for_each_number([&](std::uint64_t number) {
    slots_[number >> (64 - kSlotBits) >> 6] |= std::uint64_t{1} << (number >> (64 - kSlotBits)) % 64;
    ++numbers_;
  });
  tokens_ = characters.tokens_max();
}

bool NumberPattern::has(std::uint64_t number) const {
  const std::uint64_t slot = number >> (64 - kSlotBits);
  return (slots_[slot / 64] >> slot % 64 & 1) != 0;
}

ReplacedTokens NumberPattern::least_replaced(std::span<const char32_t> other) const {
  if (numbers_ < 2) return {};
  const Characters characters(other);
  unsigned numbers = 0;
  unsigned shared = 0;
  characters.for_each_number([&](std::uint64_t number) {
    ++numbers;
    shared += has(number);
  });
  const unsigned fewer = std::min(numbers, numbers_);
  return {.numbers = fewer - std::min(fewer, shared), .tokens = std::max(tokens_, characters.tokens_max())};
}

}  // namespace neardup
