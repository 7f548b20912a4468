// EditPattern against the textbook's dynamic programming.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "core/detector/edit_similarity.h"

namespace neardup {
namespace {

using Text = std::vector<char32_t>;

unsigned plain_distance(const Text& a, const Text& b) {
  std::vector<unsigned> row(b.size() + 1);
  for (unsigned j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    unsigned diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const unsigned above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

// Alphabets from two letters, where everything agrees with everything, to a million.
char32_t draw_symbol(std::mt19937_64& random, unsigned alphabet) {
  constexpr std::array<std::uint64_t, 5> kSizes = {2, 4, 26, 3000, 1'000'000};
  return static_cast<char32_t>(97 + random() % kSizes[alphabet]);
}

Text draw(std::mt19937_64& random, std::size_t length, unsigned alphabet) {
  Text text;
  while (text.size() < length) text.push_back(draw_symbol(random, alphabet));
  return text;
}

Text edited(std::mt19937_64& random, Text text, std::size_t edits, unsigned alphabet) {
  // All over the text, or all in one place.
  const std::size_t begin = random() % 2 == 0 || text.empty() ? 0 : random() % text.size();
  for (; edits > 0; --edits) {
    const std::size_t span =
        begin == 0 ? text.size() : std::min<std::size_t>(10, text.size() - std::min(begin, text.size()));
    const std::size_t at = std::min(text.size(), begin + (span == 0 ? 0 : random() % span));
    switch (random() % 3) {
      case 0:
        if (at < text.size()) text[at] = draw_symbol(random, alphabet);
        break;
      case 1:
        if (text.size() < EditPattern::kLengthMax) {
          text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), draw_symbol(random, alphabet));
        }
        break;
      default:
        if (at < text.size()) text.erase(text.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  return text;
}

void compare(std::uint64_t seed, std::size_t length_max, int patterns, int others) {
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  EditPattern pattern;
  std::uint64_t within = 0;
  for (int p = 0; p < patterns; ++p) {
    const auto alphabet = static_cast<unsigned>(random() % 5);
    const Text text = draw(random, random() % (length_max + 1), alphabet);
    pattern.set(text);
    for (int o = 0; o < others; ++o) {
      const Text other = random() % 4 == 0 ? draw(random, random() % (length_max + 1), alphabet)
                                           : edited(random, text, random() % (2 + text.size() / 2), alphabet);
      const unsigned distance = plain_distance(text, other);
      const unsigned most = random() % 2 == 0
                                ? static_cast<unsigned>(random() % (length_max + 2))
                                : distance + static_cast<unsigned>(random() % 5) - std::min(2U, distance);
      const std::optional<unsigned> found = pattern.distance(other, most);
      ASSERT_EQ(found, distance <= most ? std::optional(distance) : std::nullopt)
          << text.size() << " and " << other.size() << " symbols, " << distance << " edits, " << most
          << " asked";
      within += found.has_value();
    }
  }
  EXPECT_GT(within, 0U);
}

TEST(EditPatternProperty, agrees_with_dynamic_programming_on_tiny_texts) { compare(1, 12, 40'000, 25); }
TEST(EditPatternProperty, agrees_with_dynamic_programming_on_short_texts) { compare(2, 70, 3'000, 40); }
TEST(EditPatternProperty, agrees_with_dynamic_programming_on_longer_texts) { compare(3, 320, 100, 40); }
TEST(EditPatternProperty, agrees_with_dynamic_programming_on_the_longest_texts) {
  compare(4, EditPattern::kLengthMax, 30, 20);
}

}  // namespace
}  // namespace neardup
