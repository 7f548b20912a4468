#include "core/detector/replaced_tokens.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>

#include "core/base/check.h"
#include "core/detector/spelling.h"
#include "core/text/fold_table.h"

namespace neardup {
namespace {

constexpr std::uint64_t kNumber = std::uint64_t{1} << 63;
constexpr std::uint64_t kRun = 0xD1B54A32D192ED03;    // parts runs from tokens of the same characters
constexpr std::uint64_t kRest = 0x8CB92BA72F3D8DD7;   // and what is left of a code from the code
constexpr std::uint64_t kPlace = 0x9FB21C651E98DF25;  // and places from all of them
constexpr std::size_t kLeftTokensMax = 32;            // of a text, long enough to be misspelt

// The zeros of all decimal digits beyond ASCII (Unicode's category Nd); those of full width and the like are
// ASCII in canonical text.
constexpr auto kZeros = std::to_array<char32_t>(
    {0x660,   0x6F0,   0x7C0,   0x966,   0x9E6,   0xA66,   0xAE6,   0xB66,   0xBE6,   0xC66,
     0xCE6,   0xD66,   0xDE6,   0xE50,   0xED0,   0xF20,   0x1040,  0x1090,  0x17E0,  0x1810,
     0x1946,  0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,  0xA8D0,
     0xA900,  0xA9D0,  0xA9F0,  0xAA50,  0xABF0,  0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136,
     0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50,
     0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1E140, 0x1E2F0, 0x1E950});

bool is_digit(char32_t c) {
  if (c < kZeros.front()) return c >= U'0' && c <= U'9';
  return c - *std::prev(std::ranges::upper_bound(kZeros, c)) < 10;
}

std::uint64_t hashed(std::uint64_t hash, std::uint64_t next) {
  hash = (hash ^ next) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

bool is_number(std::uint64_t token) { return (token & kNumber) != 0; }

enum Kind : std::uint8_t { kWord, kPlainNumber, kCode };  // the places of their counts

struct Token {
  std::uint64_t hash;  // its top bit tells numbers, of both kinds
  std::span<const char32_t> characters;
  Kind kind;
};

// Calls visit(Token) for each.
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
    visit(Token{.hash = digits > 0 ? hash | kNumber : hash & ~kNumber,
                .characters = text.subspan(at - characters, characters),
                .kind = digits == 0           ? kWord
                        : digits < characters ? kCode
                                              : kPlainNumber});
    hash = 0;
    characters = 0;
    digits = 0;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == U' ') {
      end(i);
    } else if (is_token_by_itself(c)) {
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
// and of what is left, which only the same code has. Other tokens have no pieces.
template <class Visit>
void for_each_piece(const Token& token, Visit visit) {
  if (token.kind != kCode) return;
  const std::span<const char32_t> code = token.characters;
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
  if (rest > 0) visit(token.hash ^ kRest, static_cast<unsigned>(rest));
}

// Calls visit(place, number) for each number of the tokens, by their hashes. A place is told by the words
// on both sides of the run of numbers that it is in, how long the run is, and which of it.
template <class Visit>
void for_each_place(std::span<const std::uint64_t> tokens, Visit visit) {
  for (std::size_t begin = 0, end = 0; begin < tokens.size(); begin = end + 1) {
    for (end = begin; end < tokens.size() && is_number(tokens[end]);) ++end;
    if (end == begin) continue;
    std::uint64_t run = hashed(kPlace, end - begin);
    std::size_t words = 0;
    for (std::size_t i = begin; i > 0 && words < kPlaceWords; --i) {
      if (is_number(tokens[i - 1])) continue;
      run = hashed(run, tokens[i - 1]);
      ++words;
    }
    run = hashed(run, words);  // the text may begin, or end, so near
    words = 0;
    for (std::size_t i = end; i < tokens.size() && words < kPlaceWords; ++i) {
      if (is_number(tokens[i])) continue;
      run = hashed(run, tokens[i]);
      ++words;
    }
    for (std::size_t i = begin; i < end; ++i) visit(hashed(run, i - begin), tokens[i]);
  }
}

// The tokens of a text that the other one does not have.
class LeftTokens {
 public:
  void add(const Token& token) {
    ++of_kind_[token.kind];
    // One letter may have been left out of a word.
    if (token.kind == kPlainNumber || token.characters.size() + 1 < kSpellingLettersMin) return;
    if (spelled_ < tokens_.size()) tokens_[spelled_] = token;
    ++spelled_;
  }
  void take(const Token& token) { --of_kind_[token.kind]; }

  unsigned words() const { return of_kind_[kWord]; }
  unsigned numbers() const { return of_kind_[kPlainNumber] + of_kind_[kCode]; }
  bool are_too_many() const { return spelled_ > tokens_.size(); }
  std::span<const Token> spelled() const { return {tokens_.data(), spelled_}; }  // words and codes

 private:
  std::array<unsigned, 3> of_kind_{};
  std::size_t spelled_ = 0;
  std::array<Token, kLeftTokensMax> tokens_;
};

std::optional<unsigned> letters_between(const Token& a, const Token& b) {
  if (a.kind != b.kind) return misread_letters(a.characters, b.characters);
  return a.kind == kWord ? misspelt_letters(a.characters, b.characters) : std::nullopt;
}

// Two spellings of one word, by the places of the tokens among those left.
struct Spelling {
  std::uint32_t order;
  std::uint8_t here;
  std::uint8_t there;
};

// Takes out of both what are two spellings of one word, and returns how many pairs there were. The nearest
// come first, then the first by their characters, without regard to which text has which: what is left in
// one text is not left in the other, so no pair is another one's reverse, and the order is the same either
// way round. Tokens of the same characters are of one text, and it does not matter which of them is taken.
unsigned take_spellings(LeftTokens& left_here, LeftTokens& left_there) {
  const std::span<const Token> here = left_here.spelled();
  const std::span<const Token> there = left_there.spelled();
  const auto token_at = [&](std::size_t i) -> const Token& {
    return i < here.size() ? here[i] : there[i - here.size()];
  };
  std::array<std::uint8_t, 2 * kLeftTokensMax> sorted;
  const auto sorted_end = sorted.begin() + static_cast<std::ptrdiff_t>(here.size() + there.size());
  std::iota(sorted.begin(), sorted_end, std::uint8_t{0});
  std::sort(sorted.begin(), sorted_end, [&](std::uint8_t a, std::uint8_t b) {
    return std::ranges::lexicographical_compare(token_at(a).characters, token_at(b).characters);
  });
  std::array<std::uint8_t, 2 * kLeftTokensMax> rank;
  for (std::size_t i = 0; i < here.size() + there.size(); ++i) rank[sorted[i]] = static_cast<std::uint8_t>(i);

  std::array<Spelling, kLeftTokensMax * kLeftTokensMax> pairs;
  std::size_t count = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    for (std::size_t j = 0; j < there.size(); ++j) {
      const std::optional<unsigned> letters = letters_between(here[i], there[j]);
      if (!letters) continue;
      const auto [first, last] = std::minmax({rank[i], rank[here.size() + j]});
      pairs[count++] = {.order = *letters << 16 | std::uint32_t{first} << 8 | last,
                        .here = static_cast<std::uint8_t>(i),
                        .there = static_cast<std::uint8_t>(j)};
    }
  }
  std::ranges::sort(std::span(pairs).first(count), {}, &Spelling::order);
  std::array<bool, kLeftTokensMax> is_taken_here{};
  std::array<bool, kLeftTokensMax> is_taken_there{};
  unsigned taken = 0;
  for (const Spelling& pair : std::span(pairs).first(count)) {
    if (is_taken_here[pair.here] || is_taken_there[pair.there]) continue;
    is_taken_here[pair.here] = is_taken_there[pair.there] = true;
    left_here.take(here[pair.here]);
    left_there.take(there[pair.there]);
    ++taken;
  }
  return taken;
}

}  // namespace

bool is_token_by_itself(char32_t c) {
  return c >= kTokenCharacterMin && (is_token_character(c) || is_hangul(c));
}

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
  text_.assign(text.begin(), text.end());
  order_.clear();
  for_each_token(text_, [&](const Token& token) {
    order_.push_back(token.hash);
    put(token.hash);
    ++tokens_[token.kind];
    for_each_piece(token, [&](std::uint64_t piece, unsigned characters) {
      put(piece);
      code_characters_ += characters;
    });
  });
  for_each_place(order_, [&](std::uint64_t place, std::uint64_t number) {
    put(place);
    put(hashed(place, number));
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

bool TokenPattern::was_met(std::uint64_t token) {
  Slot& slot = slot_of(token);
  if (slot.comparison != comparison_ || slot.met == 0) return false;
  --slot.met;
  return true;
}

ReplacedTokens TokenPattern::compare(std::span<const char32_t> other, const ReplacementLimits& limits) {
  std::array<unsigned, 3> shared{};
  std::array<unsigned, 3> others{};
  unsigned shared_codes = 0;  // characters of them
  unsigned other_codes = 0;
  ++comparison_;
  order_.clear();
  for_each_token(other, [&](const Token& token) {
    order_.push_back(token.hash);
    ++others[token.kind];
    shared[token.kind] += meet(token.hash);
    for_each_piece(token, [&](std::uint64_t piece, unsigned characters) {
      other_codes += characters;
      if (meet(piece)) shared_codes += characters;
    });
  });
  unsigned places = 0;
  unsigned kept = 0;
  for_each_place(order_, [&](std::uint64_t place, std::uint64_t number) {
    places += meet(place);
    kept += meet(hashed(place, number));
  });
  const unsigned by_place = places - kept;
  const auto replaced_of = [](unsigned a, unsigned b, unsigned both) { return std::min(a, b) - both; };
  const unsigned numbers = tokens_[kPlainNumber] + tokens_[kCode];
  const unsigned other_numbers = others[kPlainNumber] + others[kCode];
  const unsigned here = tokens_[kWord] + numbers;
  const unsigned there = others[kWord] + other_numbers;
  ReplacedTokens replaced{
      .numbers =
          std::max(replaced_of(numbers, other_numbers, shared[kPlainNumber] + shared[kCode]), by_place),
      .by_place = by_place,
      .others = replaced_of(tokens_[kWord], others[kWord], shared[kWord]),
      .tokens = std::max(here, there),
      .tokens_fewer = std::min(here, there),
      .code_characters = replaced_of(code_characters_, other_codes, shared_codes),
      .characters = static_cast<unsigned>(std::max(text_.size(), other.size()))};
  if (is_same_filling(replaced, limits)) return replaced;
  // What stays replaced, however many words and codes are misspelt.
  ReplacedTokens least = replaced;
  least.numbers =
      std::max(replaced_of(tokens_[kPlainNumber], others[kPlainNumber], shared[kPlainNumber]), by_place);
  least.others = 0;
  if (is_same_filling(least, limits)) take_misspelt(other, replaced);
  return replaced;
}

void TokenPattern::take_misspelt(std::span<const char32_t> other, ReplacedTokens& replaced) {
  LeftTokens here;
  LeftTokens there;
  ++comparison_;
  for_each_token(other, [&](const Token& token) {
    if (!meet(token.hash)) there.add(token);
  });
  for_each_token(text_, [&](const Token& token) {
    if (!was_met(token.hash)) here.add(token);
  });
  if (here.are_too_many() || there.are_too_many()) return;
  replaced.misspelt = take_spellings(here, there);
  replaced.numbers = std::max(std::min(here.numbers(), there.numbers()), replaced.by_place);
  replaced.others = std::min(here.words(), there.words());
}

bool is_same_filling(const ReplacedTokens& replaced, const ReplacementLimits& limits) {
  const auto exceeds = [](unsigned part, unsigned whole, unsigned permille) {
    return permille > 0 && part * 1000 > whole * (1000 - permille);
  };
  const bool words_count = replaced.tokens_fewer >= kTokensMin;
  const unsigned all = replaced.numbers + (words_count ? replaced.others : 0);
  const bool is_suspect = replaced.numbers > 0 && all > 1;
  if (is_suspect && exceeds(all, replaced.tokens, limits.numbers_permille)) return false;
  return !words_count || (!exceeds(all, replaced.tokens, limits.tokens_permille) &&
                          !exceeds(replaced.code_characters, replaced.characters, limits.tokens_permille));
}

}  // namespace neardup
