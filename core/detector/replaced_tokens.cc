#include "core/detector/replaced_tokens.h"

#include <algorithm>

#include "core/base/check.h"
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

// Calls visit(token, code_characters) for the hash of each; of what is no code there are none.
template <class Visit>
void for_each_token(std::span<const char32_t> text, Visit visit) {
  std::uint64_t hash = 0;
  unsigned characters = 0;
  unsigned digits = 0;
  const auto add = [&](char32_t c) {
    hash = (hash ^ c) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    digits += is_digit(c);
    ++characters;
  };
  const auto end = [&] {
    if (characters == 0) return;
    visit(digits > 0 ? hash | kNumber : hash & ~kNumber, digits > 0 && digits < characters ? characters : 0);
    hash = 0;
    characters = 0;
    digits = 0;
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
}

}  // namespace

TokenPattern::Slot& TokenPattern::slot_of(std::uint64_t token) {
  std::size_t at = token % kSlots;
  while (slots_[at].count != 0 && slots_[at].token != token) at = (at + 1) % kSlots;
  return slots_[at];
}

void TokenPattern::set(std::span<const char32_t> text) {
  DCHECK(text.size() <= kTokensMax);
  for (const std::uint16_t at : used_) slots_[at] = {};
  used_.clear();
  tokens_ = {};
  code_characters_ = 0;
  characters_ = text.size();
  for_each_token(text, [&](std::uint64_t token, unsigned code_characters) {
    code_characters_ += code_characters;
    Slot& slot = slot_of(token);
    if (slot.count == 0) {
      slot.token = token;
      used_.push_back(static_cast<std::uint16_t>(&slot - slots_.data()));
    }
    ++slot.count;
    ++tokens_[token >> 63];
  });
}

ReplacedTokens TokenPattern::compare(std::span<const char32_t> other) {
  std::array<unsigned, 2> shared{};
  std::array<unsigned, 2> others{};
  unsigned shared_codes = 0;  // characters of them
  unsigned other_codes = 0;
  ++comparison_;
  for_each_token(other, [&](std::uint64_t token, unsigned code_characters) {
    const std::size_t kind = token >> 63;
    ++others[kind];
    other_codes += code_characters;
    Slot& slot = slot_of(token);
    if (slot.count == 0) return;
    if (slot.comparison != comparison_) {
      slot.comparison = comparison_;
      slot.met = 0;
    }
    if (slot.met == slot.count) return;
    ++slot.met;
    ++shared[kind];
    shared_codes += code_characters;
  });
  const auto replaced = [&](std::size_t kind) {
    return std::min(tokens_[kind], others[kind]) - shared[kind];
  };
  const unsigned here = tokens_[0] + tokens_[1];
  const unsigned there = others[0] + others[1];
  return {.numbers = replaced(1),
          .others = replaced(0),
          .tokens = std::max(here, there),
          .tokens_fewer = std::min(here, there),
          .code_characters = std::min(code_characters_, other_codes) - shared_codes,
          .characters = static_cast<unsigned>(std::max(characters_, other.size()))};
}

bool is_same_filling(const ReplacedTokens& replaced, const ReplacementLimits& limits) {
  if (replaced.tokens_fewer < kTokensMin) return true;
  const auto exceeds = [](unsigned part, unsigned whole, unsigned permille) {
    return permille > 0 && part * 1000 > whole * (1000 - permille);
  };
  if (exceeds(replaced.code_characters, replaced.characters, limits.tokens_permille)) return false;
  const unsigned all = replaced.numbers + replaced.others;
  const bool is_suspect = replaced.numbers > 0 && all > 1;
  return !exceeds(all, replaced.tokens, limits.tokens_permille) &&
         !(is_suspect && exceeds(all, replaced.tokens, limits.numbers_permille));
}

}  // namespace neardup
