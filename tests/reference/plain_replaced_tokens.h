// What is replaced in a text, as core/detector/replaced_tokens.h words it, of texts of ASCII: multisets of
// strings instead of hashes, whole matrices instead of ways tried, pairs looked for one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/detector/replaced_tokens.h"

namespace neardup::reference {

using Tokens = std::multiset<std::u32string>;

inline bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
inline bool has_digit(const std::u32string& token) { return std::ranges::any_of(token, is_digit); }
inline bool is_plain_number(const std::u32string& token) { return std::ranges::all_of(token, is_digit); }

inline std::vector<std::u32string> tokens_of(std::u32string_view text) {
  std::vector<std::u32string> tokens;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(U' ', begin), text.size());
    if (end > begin) tokens.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return tokens;
}

// The pieces of all codes.
inline Tokens pieces_of(std::u32string_view text) {
  Tokens pieces;
  for (const std::u32string& token : tokens_of(text)) {
    if (!has_digit(token) || is_plain_number(token)) continue;
    std::size_t rest = token.size();
    for (std::size_t from = 0, to = 0; from < token.size(); from = to) {
      while (to < token.size() && is_digit(token[to]) == is_digit(token[from])) ++to;
      if (to - from < 3) continue;
      pieces.insert(token.substr(from, to - from));
      rest -= to - from;
    }
    // As many characters as it stands for, and a name that is no run's.
    if (rest > 0)
      pieces.insert(token + std::u32string(1000 - token.size(), U' ') + std::u32string(rest, U'.'));
  }
  return pieces;
}

// What stands in each place of a number: the words around it, how many numbers are side by side, which it is.
using Place = std::tuple<std::vector<std::u32string>, std::vector<std::u32string>, std::size_t, std::size_t>;

inline std::map<Place, Tokens> numbers_by_place(const std::vector<std::u32string>& tokens) {
  std::map<Place, Tokens> numbers;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!has_digit(tokens[i])) continue;
    std::size_t begin = i;
    while (begin > 0 && has_digit(tokens[begin - 1])) --begin;
    std::size_t end = i + 1;
    while (end < tokens.size() && has_digit(tokens[end])) ++end;
    std::vector<std::u32string> before;
    std::vector<std::u32string> behind;
    std::copy_if(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(i), std::back_inserter(before),
                 [](const std::u32string& token) { return !has_digit(token); });
    std::copy_if(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(), std::back_inserter(behind),
                 [](const std::u32string& token) { return !has_digit(token); });
    std::reverse(before.begin(), before.end());
    before.resize(std::min(before.size(), kPlaceWords));
    behind.resize(std::min(behind.size(), kPlaceWords));
    numbers[{before, behind, end - begin, i - begin}].insert(tokens[i]);
  }
  return numbers;
}

inline unsigned characters_of(const Tokens& pieces) {
  std::size_t characters = 0;
  for (const std::u32string& piece : pieces)
    characters += piece.size() > 1000 ? piece.size() - 1000 : piece.size();
  return static_cast<unsigned>(characters);
}

// Letters changed, put in, left out, or neighbours that changed places.
inline std::size_t edits_between(const std::u32string& a, const std::u32string& b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        edits[i][j] = i + j;
        continue;
      }
      edits[i][j] = std::min(
          {edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

// The letters that differ if the two tokens are one word.
inline std::optional<std::size_t> spelling(const std::u32string& a, const std::u32string& b) {
  if (is_plain_number(a) || is_plain_number(b) || (has_digit(a) && has_digit(b))) return std::nullopt;
  const std::size_t longer = std::max(a.size(), b.size());
  std::size_t letters = 0;
  if (has_digit(a) || has_digit(b)) {
    if (a.size() != b.size()) return std::nullopt;
    for (std::size_t i = 0; i < a.size(); ++i) letters += a[i] != b[i] ? 1 : 0;
  } else {
    letters = edits_between(a, b);
  }
  const std::size_t most = longer < 4 ? 0 : std::min<std::size_t>(std::max<std::size_t>(longer / 5, 1), 3);
  return letters <= most ? std::optional(letters) : std::nullopt;
}

inline Tokens difference(const Tokens& a, const Tokens& b) {
  Tokens left;
  std::ranges::set_difference(a, b, std::inserter(left, left.end()));
  return left;
}

inline ReplacedTokens replaced_tokens(std::u32string_view a, std::u32string_view b,
                                      const ReplacementLimits& limits) {
  const auto of = [](const Tokens& tokens, auto is_one) {
    return static_cast<unsigned>(std::ranges::count_if(tokens, is_one));
  };
  const auto is_word = [](const std::u32string& token) { return !has_digit(token); };
  const std::vector<std::u32string> all_a = tokens_of(a);
  const std::vector<std::u32string> all_b = tokens_of(b);
  Tokens left_a = difference({all_a.begin(), all_a.end()}, {all_b.begin(), all_b.end()});
  Tokens left_b = difference({all_b.begin(), all_b.end()}, {all_a.begin(), all_a.end()});
  const Tokens pieces_a = pieces_of(a);
  const Tokens pieces_b = pieces_of(b);
  ReplacedTokens replaced{.tokens = static_cast<unsigned>(std::max(all_a.size(), all_b.size())),
                          .tokens_fewer = static_cast<unsigned>(std::min(all_a.size(), all_b.size())),
                          .code_characters = std::min(characters_of(difference(pieces_a, pieces_b)),
                                                      characters_of(difference(pieces_b, pieces_a))),
                          .characters = static_cast<unsigned>(std::max(a.size(), b.size()))};
  const std::map<Place, Tokens> places_b = numbers_by_place(all_b);
  for (const auto& [place, numbers_a] : numbers_by_place(all_a)) {
    const auto there = places_b.find(place);
    if (there == places_b.end()) continue;
    replaced.by_place += static_cast<unsigned>(
        std::min(difference(numbers_a, there->second).size(), difference(there->second, numbers_a).size()));
  }
  const auto count = [&] {
    replaced.numbers = std::max(std::min(of(left_a, has_digit), of(left_b, has_digit)), replaced.by_place);
    replaced.others = std::min(of(left_a, is_word), of(left_b, is_word));
  };
  count();
  if (is_same_filling(replaced, limits)) return replaced;

  // Would it be within them, if all but plain numbers were misspelt?
  ReplacedTokens least = replaced;
  least.numbers =
      std::max(std::min(of(left_a, is_plain_number), of(left_b, is_plain_number)), replaced.by_place);
  least.others = 0;
  if (!is_same_filling(least, limits)) return replaced;
  const auto may_be_spelled = [](const std::u32string& token) {
    return token.size() >= 3 && !is_plain_number(token);
  };
  if (std::max(of(left_a, may_be_spelled), of(left_b, may_be_spelled)) > 32) return replaced;

  for (;;) {
    using Pair = std::tuple<std::size_t, std::u32string, std::u32string>;
    std::optional<Pair> first;
    for (const std::u32string& x : left_a) {
      for (const std::u32string& y : left_b) {
        const std::optional<std::size_t> letters = spelling(x, y);
        if (!letters) continue;
        const Pair pair{*letters, std::min(x, y), std::max(x, y)};
        if (!first || pair < *first) first = pair;
      }
    }
    if (!first) break;
    for (Tokens* left : {&left_a, &left_b}) {
      const auto& [letters, x, y] = *first;
      left->erase(left->contains(x) ? left->find(x) : left->find(y));
    }
    ++replaced.misspelt;
  }
  count();
  return replaced;
}

}  // namespace neardup::reference
