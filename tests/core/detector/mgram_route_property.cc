// MgramRoute against the rule itself, by brute force: a scan of all uniques, runs compared one by one,
// similarities by the textbook.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/detector/mgram_route.h"
#include "core/text/folder.h"
#include "tests/support/generated_notices.h"

namespace neardup {
namespace {

using Units = std::vector<std::string>;
using Run = std::vector<std::string>;

Units units_of(const std::string& text, MgramUnits over) {
  Units units;
  std::string word;
  for (const char c : text) {
    if (over == MgramUnits::kCharacters) {
      units.emplace_back(1, c);
    } else if (c == ' ') {
      units.push_back(word);
      word.clear();
    } else {
      word.push_back(c);
    }
  }
  if (over != MgramUnits::kCharacters) units.push_back(word);
  return units;
}

std::map<Run, double> runs_of(const Units& units, std::size_t m) {
  std::map<Run, double> runs;
  if (units.size() < m) {
    runs[units] = 1;
    return runs;
  }
  for (std::size_t i = 0; i + m <= units.size(); ++i) {
    ++runs[Run(units.begin() + static_cast<std::ptrdiff_t>(i),
               units.begin() + static_cast<std::ptrdiff_t>(i + m))];
  }
  return runs;
}

double edit_similarity(const Units& a, const Units& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return 1 - static_cast<double>(row.back()) / static_cast<double>(std::max(a.size(), b.size()));
}

struct Text {
  Units units;
  std::map<Run, double> runs;
};

bool share_a_run(const Text& a, const Text& b) {
  return std::any_of(a.runs.begin(), a.runs.end(),
                     [&](const auto& run) { return b.runs.contains(run.first); });
}

double similarity(MgramMeasure measure, const Text& a, const Text& b) {
  if (measure == MgramMeasure::kEdit) return edit_similarity(a.units, b.units);
  double shared = 0;
  double dot = 0;
  double norm_a = 0;
  double norm_b = 0;
  for (const auto& [run, count] : a.runs) {
    norm_a += count * count;
    const auto other = b.runs.find(run);
    if (other == b.runs.end()) continue;
    ++shared;
    dot += count * other->second;
  }
  for (const auto& [run, count] : b.runs) norm_b += count * count;
  if (measure == MgramMeasure::kCosine) return dot / std::sqrt(norm_a * norm_b);
  return shared / (static_cast<double>(a.runs.size() + b.runs.size()) - shared);
}

// Texts of a few words, half of them an earlier one with some edits.
class Texts {
 public:
  explicit Texts(std::uint64_t seed) : random_(seed) {}

  std::string next() {
    std::string text;
    if (!all_.empty() && random_() % 2 == 0) {
      text = all_[random_() % all_.size()];
      for (std::uint64_t edits = random_() % 6; edits > 0; --edits) {
        const std::size_t at = random_() % text.size();
        if (random_() % 2 == 0) {
          text[at] = 'x';
        } else {
          text.insert(at, "y");
        }
      }
    } else {
      const std::uint64_t words = 1 + random_() % 14;
      for (std::uint64_t i = 0; i < words; ++i) {
        if (i > 0) text += ' ';
        const std::uint64_t letters = 1 + random_() % 6;
        for (std::uint64_t c = 0; c < letters; ++c) text.push_back(static_cast<char>('a' + random_() % 6));
      }
    }
    all_.push_back(text);
    return text;
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::string> all_;
};

struct Case {
  MgramRouteOptions options;
  std::uint64_t seed;
};

class MgramRouteProperty : public testing::TestWithParam<Case> {};

TEST_P(MgramRouteProperty, decides_as_a_scan_of_all_uniques_does) {
  const auto [options, seed] = GetParam();
  SCOPED_TRACE(seed);
  MgramRoute route(options);
  MgramSigner signer({.m = options.m, .over = options.over});
  MgramSignature signature;
  const auto work = std::make_unique<MgramWork>();
  CanonicalText canonical;
  Texts texts(seed);
  std::vector<Text> uniques;
  int duplicates = 0;
  int compared = 0;
  for (int i = 0; i < 700; ++i) {
    canonicalize(texts.next(), canonical);
    Text text{.units = units_of(std::string(canonical.text.view()), options.over), .runs = {}};
    text.runs = runs_of(text.units, options.m);
    std::optional<MgramMatch> expected;
    std::size_t sharing = 0;
    for (std::size_t k = 0; k < uniques.size(); ++k) {
      if (!share_a_run(text, uniques[k])) continue;
      ++sharing;
      const auto permille =
          static_cast<unsigned>(std::floor(similarity(options.measure, text, uniques[k]) * 1000 + 1e-6));
      if (!expected && permille >= options.threshold_permille) expected = MgramMatch{k, permille};
    }
    signer.sign(canonical.text, signature);
    ASSERT_EQ(route.find(signature, *work), expected) << canonical.text.view();
    if (route.index().full_grams() == 0) {
      ASSERT_EQ(work->met(), sharing) << "met: those that share a run, and no other";
    }
    ASSERT_FALSE(work->is_truncated());
    compared += static_cast<int>(work->compared());
    if (expected) {
      ++duplicates;
    } else {
      route.insert(uniques.size(), signature);
      uniques.push_back(std::move(text));
    }
  }
  EXPECT_GT(duplicates, 50);
  EXPECT_GE(compared, duplicates);
  EXPECT_EQ(route.index().unmet(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Options, MgramRouteProperty,
    testing::Values(
        Case{{}, 1}, Case{{.m = 6, .threshold_permille = 700}, 2},
        Case{{.measure = MgramMeasure::kJaccard, .threshold_permille = 500}, 3},
        Case{{.measure = MgramMeasure::kCosine, .threshold_permille = 600}, 4},
        Case{{.m = 2, .over = MgramUnits::kWords, .threshold_permille = 750}, 5},
        Case{{.m = 2,
              .over = MgramUnits::kWords,
              .measure = MgramMeasure::kJaccard,
              .threshold_permille = 400},
             6},
        Case{
            {.m = 3, .over = MgramUnits::kWords, .measure = MgramMeasure::kCosine, .threshold_permille = 500},
            7}));

// The bounds cost some: how much, among notices of few forms, where every gram is full.
TEST(MgramRouteBounds, find_nearly_all_that_a_scan_finds_among_notices_of_a_few_forms) {
  MgramRoute route({.threshold_permille = 900});
  MgramSigner signer({});
  const auto work = std::make_unique<MgramWork>();
  GeneratedNotices notices(5);
  std::mt19937_64 random(11);
  std::vector<MgramSignature> uniques;
  std::vector<std::string> texts;
  CanonicalText canonical;
  int scanned = 0;
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = notices.notice(random() % GeneratedNotices::forms());
    if (i % 2 == 1) {
      text = texts[random() % texts.size()];
      for (char& c : text) {
        if (random() % 16 == 0 && c > 0) c = 'q';
      }
    }
    texts.push_back(text);
    canonicalize(text, canonical);
    MgramSignature signature;
    signer.sign(canonical.text, signature);
    std::optional<MgramMatch> expected;
    for (std::size_t k = 0; k < uniques.size() && !expected; ++k) {
      expected = route.compare(signature, uniques[k], *work);
      if (expected) expected->sequence = k;
    }
    const auto match = route.find(signature, *work);
    scanned += expected.has_value();
    found += match.has_value();
    if (match) {
      ASSERT_TRUE(expected);
      ASSERT_GE(match->sequence, expected->sequence);
    } else {
      route.insert(uniques.size(), signature);
      uniques.push_back(signature);
    }
  }
  EXPECT_GT(scanned, 200);
  EXPECT_GE(found * 100, scanned * 98) << found << " of " << scanned;
  std::printf("found %d of the %d duplicates that a scan finds; %zu grams are full\n", found, scanned,
              route.index().full_grams());
}

// The published algorithm deals the buckets out to workers and merges what they keep by the documents'
// numbers. Here each worker has the grams of its share, and the lowest number that any of them finds is the
// answer: that of one index with all of them. A text that survives in the buckets of several workers is one
// unique.
TEST(MgramRouteWorkers, answers_of_dealt_out_buckets_merge_by_number_to_those_of_one_index) {
  constexpr std::size_t kWorkers = 3;
  MgramRoute whole({});
  std::array<MgramRoute, kWorkers> workers = {MgramRoute({}), MgramRoute({}), MgramRoute({})};
  MgramSigner signer({});
  const auto work = std::make_unique<MgramWork>();
  MgramSignature signature;
  CanonicalText canonical;
  Texts texts(31);
  Sequence next = 0;
  int duplicates = 0;
  int found_by_some = 0;
  for (int i = 0; i < 1200; ++i) {
    canonicalize(texts.next(), canonical);
    signer.sign(canonical.text, signature);
    std::array<MgramSignature, kWorkers> dealt;
    dealt.fill(signature);
    for (std::size_t w = 0; w < kWorkers; ++w) {
      std::erase_if(dealt[w].grams, [&](const Mgram& gram) { return gram.key % kWorkers != w; });
    }
    std::optional<MgramMatch> merged;
    std::size_t finders = 0;
    for (std::size_t w = 0; w < kWorkers; ++w) {
      const auto match = workers[w].find(dealt[w], *work);
      finders += match.has_value();
      if (match && (!merged || match->sequence < merged->sequence)) merged = match;
    }
    ASSERT_EQ(merged, whole.find(signature, *work)) << i;
    duplicates += merged.has_value();
    found_by_some += finders > 0 && finders < kWorkers;
    if (merged) continue;
    whole.insert(next, signature);
    for (std::size_t w = 0; w < kWorkers; ++w) workers[w].insert(next, dealt[w]);
    ++next;
  }
  EXPECT_GT(duplicates, 100);
  EXPECT_GT(found_by_some, 0) << "a text may be known in one bucket and new in another";
}

TEST(MgramRouteState, a_replay_makes_the_same_answers_and_the_same_state) {
  const auto run = [](MgramRoute& route) {
    std::vector<std::optional<MgramMatch>> answers;
    MgramSigner signer({});
    MgramSignature signature;
    const auto work = std::make_unique<MgramWork>();
    GeneratedNotices notices(9);
    CanonicalText canonical;
    Sequence next = 0;
    for (std::size_t i = 0; i < 1500; ++i) {
      canonicalize(notices.notice(i % 3), canonical);
      signer.sign(canonical.text, signature);
      answers.push_back(route.find(signature, *work));
      if (!answers.back()) route.insert(next++, signature);
      if (i == 1000) {
        EXPECT_TRUE(route.erase(next / 2, signer));
        route.expire(next / 3);
      }
    }
    return answers;
  };
  MgramRoute first({.threshold_permille = 900});
  MgramRoute second({.threshold_permille = 900});
  EXPECT_EQ(run(first), run(second));
  EXPECT_EQ(first.digest(), second.digest());
  EXPECT_GT(first.index().refused(), 0U);
}

}  // namespace
}  // namespace neardup
