#include "core/detector/replaced_tokens.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/text/fold_table.h"

namespace neardup {
namespace {

constexpr std::uint64_t kNumber = std::uint64_t{1} << 63;
constexpr std::uint64_t kRun = 0xD1B54A32D192ED03;   // parts runs from tokens of the same characters
constexpr std::uint64_t kRest = 0x8CB92BA72F3D8DD7;  // and what is left of a code from the code

// Decimal digits; those of full width and the like are ASCII in canonical text.
bool is_digit(char32_t c) {
  const auto of = [c](char32_t zero) { return c >= zero && c < zero + 10; };
  if (c < 0x660) return of(U'0');
  return of(0x660) || of(0x6F0) || of(0x966) || of(0x9E6) || of(0xE50) || of(0xED0) || of(0x1040) ||
         of(0x17E0);
}

bool is_token(char32_t c) { return c >= 0xE00 && (is_token_character(c) || is_hangul(c)); }

std::uint64_t hashed(std::uint64_t hash, char32_t c) {
  hash = (hash ^ c) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

// Calls visit(token, code) for the hash of each; `code` is what it is made of if it is one, else empty.
template <class Visit>
void for_each_token(std::span<const char32_t> text, Visit visit) {
  std::uint64_t hash = 0;
  std::size_t characters = 0;
  std::size_t digits = 0;
  const auto add = [&](char32_t c) {
    hash = hashed(hash, c);
    digits += is_digit(c);
    ++characters;
  };
  const auto end = [&](std::size_t at) {
    if (characters == 0) return;
    const bool is_code = digits > 0 && digits < characters;
    visit(digits > 0 ? hash | kNumber : hash & ~kNumber,
          text.subspan(at - characters, is_code ? characters : 0));
    hash = 0;
    characters = 0;
    digits = 0;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == U' ') {
      end(i);
    } else if (is_token(c)) {
      end(i);
      add(c);
      end(i + 1);
    } else {
      add(c);
    }
  }
  end(text.size());
}

// Calls visit(piece, characters) for the hash of each run of a code that is long enough to tell something,
// and of what is left, which only the same code has.
template <class Visit>
void for_each_piece(std::uint64_t token, std::span<const char32_t> code, Visit visit) {
  std::size_t rest = code.size();
  for (std::size_t begin = 0, end = 0; begin < code.size(); begin = end) {
    std::uint64_t hash = kRun;
    for (; end < code.size() && is_digit(code[end]) == is_digit(code[begin]); ++end) {
      hash = hashed(hash, code[end]);
    }
    const std::size_t characters = end - begin;
    if (characters < kRunMin) continue;
    visit(hash, static_cast<unsigned>(characters));
    rest -= characters;
  }
  if (rest > 0) visit(token ^ kRest, static_cast<unsigned>(rest));
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
  for_each_token(text, [&](std::uint64_t token, std::span<const char32_t> code) {
    put(token);
    ++tokens_[token >> 63];
    for_each_piece(token, code, [&](std::uint64_t piece, unsigned characters) {
      put(piece);
      code_characters_ += characters;
    });
  });
}

void TokenPattern::put(std::uint64_t token) {
  Slot& slot = slot_of(token);
  if (slot.count == 0) {
    slot.token = token;
    used_.push_back(static_cast<std::uint16_t>(&slot - slots_.data()));
  }
  ++slot.count;
}

bool TokenPattern::meet(std::uint64_t token) {
  Slot& slot = slot_of(token);
  if (slot.count == 0) return false;
  if (slot.comparison != comparison_) {
    slot.comparison = comparison_;
    slot.met = 0;
  }
  if (slot.met == slot.count) return false;
  ++slot.met;
  return true;
}

ReplacedTokens TokenPattern::compare(std::span<const char32_t> other) {
  std::array<unsigned, 2> shared{};
  std::array<unsigned, 2> others{};
  unsigned shared_codes = 0;  // characters of them
  unsigned other_codes = 0;
  ++comparison_;
  for_each_token(other, [&](std::uint64_t token, std::span<const char32_t> code) {
    const std::size_t kind = token >> 63;
    ++others[kind];
    shared[kind] += meet(token);
    for_each_piece(token, code, [&](std::uint64_t piece, unsigned characters) {
      other_codes += characters;
      if (meet(piece)) shared_codes += characters;
    });
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
