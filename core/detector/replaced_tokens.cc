#include "core/detector/replaced_tokens.h"

#include <algorithm>

#include "core/text/fold_table.h"

namespace neardup {
namespace {

constexpr std::uint64_t kNumber = std::uint64_t{1} << 63;

// Decimal digits; those of full width and the like are ASCII in canonical text.
bool is_digit(char32_t c) {
  const auto of = [c](char32_t zero) { return c >= zero && c < zero + 10; };
  if (c < 0x660) return of(U'0');
  return of(0x660) || of(0x6F0) || of(0x966) || of(0x9E6) || of(0xE50) || of(0xED0) || of(0x1040) ||
         of(0x17E0);
}

bool is_token(char32_t c) { return c >= 0xE00 && (is_token_character(c) || is_hangul(c)); }

}  // namespace

void TokenBag::set(std::span<const char32_t> text) {
  tokens_.clear();
  std::uint64_t hash = 0;
  bool has_digit = false;
  bool in_token = false;
  const auto add = [&](char32_t c) {
    hash = (hash ^ c) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    has_digit |= is_digit(c);
    in_token = true;
  };
  const auto end = [&] {
    if (in_token) tokens_.push_back(has_digit ? hash | kNumber : hash & ~kNumber);
    hash = 0;
    has_digit = false;
    in_token = false;
  };
  for (const char32_t c : text) {
    if (c == U' ') {
      end();
    } else if (is_token(c)) {
      end();
      add(c);
      end();
    } else {
      add(c);
    }
  }
  end();
  std::sort(tokens_.begin(), tokens_.end());
}

ReplacedTokens TokenBag::compare(const TokenBag& a, const TokenBag& b) {
  // Index 1 counts numbers.
  unsigned only_a[2] = {0, 0};
  unsigned only_b[2] = {0, 0};
  auto i = a.tokens_.begin();
  auto j = b.tokens_.begin();
  while (i != a.tokens_.end() || j != b.tokens_.end()) {
    if (j == b.tokens_.end() || (i != a.tokens_.end() && *i < *j)) {
      ++only_a[*i++ >> 63];
    } else if (i == a.tokens_.end() || *j < *i) {
      ++only_b[*j++ >> 63];
    } else {
      ++i;
      ++j;
    }
  }
  return {std::min(only_a[1], only_b[1]), std::min(only_a[0], only_b[0]),
          static_cast<unsigned>(std::max(a.size(), b.size()))};
}

bool is_same_filling(const ReplacedTokens& replaced, const ReplacementLimits& limits) {
  const unsigned all = replaced.numbers + replaced.others;
  const auto exceeds = [&](unsigned permille) { return all * 1000 > replaced.tokens * (1000 - permille); };
  if (limits.tokens_permille > 0 && exceeds(limits.tokens_permille)) return false;
  const bool is_suspect = replaced.numbers > 0 && all > 1;
  return !is_suspect || limits.numbers_permille == 0 || !exceeds(limits.numbers_permille);
}

}  // namespace neardup
