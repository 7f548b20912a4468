// Against the plain way: each unit of one text with each of the other.
#include "service/commands/sorted_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neardup {
namespace {

unsigned plainly(std::u32string_view a, std::u32string_view b) {
  std::vector<unsigned> ends(b.size() + 1);  // of runs that end before b[j] and at the a of this round
  unsigned longest = 0;
  for (const char32_t c : a) {
    unsigned before = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const unsigned above = std::exchange(ends[j], b[j - 1] == c ? before + 1 : 0);
      longest = std::max(longest, ends[j]);
      before = above;
    }
  }
  return std::min(longest, SortedRuns::kLengthMax);
}

unsigned in_common(std::u32string_view a, std::u32string_view b) {
  return SortedRuns(std::u32string(a)).longest_in_common(SortedRuns(std::u32string(b)));
}

TEST(SortedRuns, the_longest_run_that_two_texts_have_in_common) {
  EXPECT_EQ(in_common(U"xxabcd", U"abcdyy"), 4U);
  EXPECT_EQ(in_common(U"abc", U"xyz"), 0U);
  EXPECT_EQ(in_common(U"", U"abc"), 0U);
  EXPECT_EQ(in_common(U"", U""), 0U);
  EXPECT_EQ(in_common(U"b", U"abc"), 1U);
  EXPECT_EQ(in_common(U"abcabc", U"cabca"), 4U);
  EXPECT_EQ(in_common(std::u32string(100, U'a'), std::u32string(31, U'a')), 31U);
  EXPECT_EQ(in_common(std::u32string(100, U'a'), std::u32string(50, U'a')), 32U) << "more is not asked";
  EXPECT_EQ(in_common({U"\x10FFFF\x4E2D", 2}, {U"\x4E2D", 1}), 1U);
}

// Few kinds of units make long runs by chance; the second text is one of its own, or has pieces of the first.
TEST(SortedRunsProperty, the_same_as_plainly) {
  constexpr std::uint64_t kSeed = 20261127;
  std::mt19937_64 random(kSeed);
  std::vector<unsigned> seen(SortedRuns::kLengthMax + 1);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t kinds = 1 + random() % 40;
    const auto text = [&](std::size_t size) {
      std::u32string units;
      while (units.size() < size) units += static_cast<char32_t>(U'a' + random() % kinds);
      return units;
    };
    const std::u32string first = text(random() % 200);
    std::u32string second = text(random() % 200);
    for (std::uint64_t pieces = random() % 3; pieces > 0 && !first.empty(); --pieces) {
      const std::size_t from = random() % first.size();
      second.insert(random() % (second.size() + 1), first.substr(from, random() % 40));
    }
    const unsigned longest = plainly(first, second);
    const SortedRuns runs(first);
    const SortedRuns others(second);
    ASSERT_EQ(runs.longest_in_common(others), longest) << "seed " << kSeed << ", round " << round;
    ASSERT_EQ(others.longest_in_common(runs), longest) << "seed " << kSeed << ", round " << round;
    ++seen[longest];
  }
  EXPECT_EQ(std::ranges::count(seen, 0U), 0) << "every length came up";
}

}  // namespace
}  // namespace neardup
