#include "core/index/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/index/hamming_index.h"
#include "core/limits.h"

namespace neardup {
namespace {

using Word = WordOf<64>;

std::vector<Word> random_words(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Word> words(count);
  for (Word& word : words) word = random();
  return words;
}

struct Case {
  const char* covering;
  std::uint64_t documents;
};

class PlannerForecast : public testing::TestWithParam<Case> {};

// What is forecast is what an index of random fingerprints counts, within a fifth.
TEST_P(PlannerForecast, IsWithinAFifthOfWhatIsCounted) {
  const Covering* const covering = covering_named(GetParam().covering);
  ASSERT_NE(covering, nullptr);
  HammingIndex<64> index({.distance = covering->distance, .covering = covering});
  index.insert(random_words(GetParam().documents, 1));
  const std::vector<Word> queries = random_words(20'000, 2);
  std::vector<std::optional<Match>> answers(queries.size());
  const ProbeCounts before = index.counts();
  index.find(queries, MatchMode::kFirst, answers);
  const ProbeCounts after = index.counts();
  const auto lookups = static_cast<double>(after.lookups - before.lookups);

  const Forecast f = forecast(*covering, GetParam().documents);
  const auto near = [](double forecast, double counted, const char* what) {
    EXPECT_NEAR(forecast / counted, 1, .2) << what << ": forecast " << forecast << ", counted " << counted;
  };
  near(f.candidates, static_cast<double>(after.candidates - before.candidates) / lookups, "candidates");
  double lines = static_cast<double>(after.overflow_lines - before.overflow_lines) / lookups;
  for (const auto& table : index.tables()) {
    lines += static_cast<double>(table.head_lines()) / static_cast<double>(table.buckets());
  }
  near(f.lines, lines, "lines");
  near(static_cast<double>(f.bytes), static_cast<double>(index.bytes()), "bytes");
}

INSTANTIATE_TEST_SUITE_P(Coverings, PlannerForecast,
                         testing::Values(Case{"6x21", 1'000'000}, Case{"6x21", 1'400'000},
                                         Case{"8x24", 500'000}, Case{"4x16", 500'000}, Case{"11x29", 300'000},
                                         Case{"10x25", 300'000}, Case{"16x28", 200'000},
                                         Case{"12x16", 300'000}, Case{"16x12", 300'000}),
                         [](const auto& test) {
                           return "At" + std::string(test.param.covering) + "With" +
                                  std::to_string(test.param.documents);
                         });

TEST(Planner, TakesTheFewestCacheLinesThatFit) {
  const std::vector<Forecast> free = plan({.documents = 10'000'000, .distance = 3});
  EXPECT_EQ(free.front().covering->name, "6x21");
  EXPECT_TRUE(std::is_sorted(free.begin(), free.end(),
                             [](const Forecast& a, const Forecast& b) { return a.lines < b.lines; }));

  const std::uint64_t less = free.front().bytes - 1;
  const std::vector<Forecast> tight = plan({.documents = 10'000'000, .distance = 3, .memory_bytes = less});
  EXPECT_LE(tight.front().bytes, less);
  EXPECT_NE(tight.front().covering->name, "6x21");
  EXPECT_GT(tight.back().bytes, less) << "what does not fit comes last";
}

TEST(Planner, KnowsAPlanForEveryDistance) {
  for (int k = 0; k <= kCoveringDistanceMax; ++k) {
    const std::vector<Forecast> all = plan({.documents = 100'000'000, .distance = k});
    ASSERT_FALSE(all.empty()) << k;
    for (const Forecast& f : all) EXPECT_GE(f.covering->distance, k);
  }
}

// Buckets of thousands: far out in the distribution.
TEST(Planner, MoreDocumentsNeverTakeLess) {
  for (const Covering& covering : coverings()) {
    Forecast less = forecast(covering, 2000);
    for (std::uint64_t documents = 4000; documents < 2'000'000'000; documents *= 2) {
      const Forecast more = forecast(covering, documents);
      EXPECT_GT(more.bytes, less.bytes) << covering.name << ' ' << documents;
      EXPECT_GE(more.bytes, documents * 4 * covering.tables()) << covering.name << ": a tag in each table";
      less = more;
    }
  }
}

// core/DESIGN.md, "What is simple today".
TEST(Planner, SaysForHowManyThereIsRoom) {
  const auto room = [](const char* name) {
    return static_cast<double>(forecast(*covering_named(name), 1'000'000).documents_max);
  };
  EXPECT_NEAR(room("6x21") / 780e6, 1, .2);
  EXPECT_NEAR(room("4x16") / 117e6, 1, .2);
  EXPECT_EQ(room("8x24"), static_cast<double>(kUniquesMax)) << "numbers end first";
  const std::vector<Forecast> plans = plan({.documents = 200'000'000, .distance = 3});
  EXPECT_GE(plans.front().documents_max, 200'000'000U);
  EXPECT_LT(plans.back().documents_max, 200'000'000U) << "what has no room comes last";
}

TEST(Planner, AFewFingerprintsAreScanned) {
  const Forecast f = forecast(default_covering(3), 1000);
  EXPECT_EQ(f.candidates, 1000);
  EXPECT_EQ(f.lines, 125);
}

}  // namespace
}  // namespace neardup
