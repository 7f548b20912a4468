// What explain() says is what a detector does that knows one text alone.
#include "core/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/detector.h"

namespace neardup {
namespace {

// A text and one that came of it, by none to many edits or most of it cut off: short and long, words and
// characters and both.
class Pairs {
 public:
  explicit Pairs(std::uint64_t seed) : random_(seed) {}

  std::array<std::string, 2> next() {
    std::vector<std::string> units;
    const std::size_t count = random_() % 2 == 0 ? 2 + random_() % 50 : 30 + random_() % 300;
    const std::uint64_t kind = random_() % 3;
    for (std::size_t i = 0; i < count; ++i) units.push_back(unit(kind == 2 ? random_() % 8 == 0 : kind == 1));
    const std::string first = joined(units);
    if (random_() % 8 == 0) units.resize((units.size() + 2) / 3);
    for (std::uint64_t edits = random_() % (count / 6 + 2); edits > 0; --edits) {
      const std::size_t at = random_() % units.size();
      if (random_() % 2 == 0) {
        units[at] = unit(kind == 1);
      } else {
        units.insert(units.begin() + static_cast<std::ptrdiff_t>(at), unit(kind == 1));
      }
    }
    return {first, joined(units)};
  }

 private:
  std::string unit(bool han) {
    if (han)
      return {'\xE4', static_cast<char>(0xB8 + random_() % 6), static_cast<char>(0x80 + random_() % 64)};
    if (random_() % 5 == 0) return ' ' + std::to_string(random_() % 100) + ' ';
    std::string word;
    for (std::uint64_t size = 2 + random_() % 6; size > 0; --size) {
      word += static_cast<char>('a' + random_() % 26);
    }
    return ' ' + word + ' ';
  }

  static std::string joined(const std::vector<std::string>& units) {
    std::string text;
    for (const std::string& unit : units) text += unit;
    return text;
  }

  std::mt19937_64 random_;
};

ExplainedText explained(Signer& signer, const std::string& text,
                        Document::Format format = Document::Format::kText) {
  Document document;
  document.body = text;
  document.format = format;
  ExplainedText made;
  EXPECT_EQ(sign_to_explain(signer, document, made), std::nullopt);
  return made;
}

Arrival arrival(const ExplainedText& text, std::string_view id) {
  return {.id = id, .url = {}, .source = {}, .signature = text.signature, .route = &text.route};
}

TEST(ExplanationProperty, agrees_with_a_detector_that_knows_one_text) {
  const std::vector<DetectorOptions> all = {
      {},
      {.threshold_permille = 500},
      {.threshold_permille = 950, .sketch = SketchSize::kCompact},
      {.threshold_permille = 700, .short_tokens_permille = 0, .short_numbers_permille = 0},
      {.mode = DetectorMode::kSimhash, .distance = 2},
      {.mode = DetectorMode::kSimhash, .distance = 3, .verify_sketch = true},
      {.mode = DetectorMode::kMgram},
      {.mode = DetectorMode::kMgram, .threshold_permille = 500, .gram_size = 12},
      {.mode = DetectorMode::kMgram, .threshold_permille = 500, .measure = MgramMeasure::kJaccard},
      {.mode = DetectorMode::kMgram,
       .threshold_permille = 600,
       .gram_size = 2,
       .gram_units = MgramUnits::kWords,
       .measure = MgramMeasure::kCosine}};
  std::set<Reason> reasons;
  int by_both = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const DetectorOptions& options = all[i];
    Signer signer({.routes = options.routes(),
                   .sketch = options.sketch,
                   .layout = options.layout(),
                   .mgrams = options.mgrams()});
    Pairs pairs(20261121 + i);
    for (int round = 0; round < 400; ++round) {
      const auto [first, second] = pairs.next();
      // Some are known by a digest alone.
      const auto format = [](int every, int number) {
        return number % every == 0 ? Document::Format::kDigest : Document::Format::kText;
      };
      const ExplainedText earlier = explained(signer, first, format(20, round));
      const ExplainedText later = explained(signer, second, format(30, round));
      Detector detector(options);
      detector.apply(arrival(earlier, "a"));
      const Decision decision = detector.check(arrival(later, "b"));
      const Explanation found = explain(earlier, later, options);
      reasons.insert(found.reason);
      ASSERT_EQ(decision.verdict == Verdict::kDuplicate, is_duplicate(found.reason))
          << name(found.reason) << " of options " << i << ", round " << round << "\n"
          << first << "\n"
          << second;
      if (found.reason == Reason::kShortAlike) {
        EXPECT_EQ(decision.kind, DuplicateKind::kShort);
        EXPECT_EQ(decision.similarity_permille, static_cast<int>(found.short_text->similarity_permille));
        EXPECT_GE(exact_similarity_permille(earlier, later, options), decision.similarity_permille);
        if (!later.route.asks_as_page()) {
          EXPECT_EQ(exact_similarity_permille(earlier, later, options), decision.similarity_permille);
        }
        by_both += later.route.asks_as_page();
      }
      if (found.reason == Reason::kMgramsAlike) {
        EXPECT_EQ(static_cast<int>(found.mgrams->by(options.measure)), decision.similarity_permille);
        EXPECT_EQ(exact_similarity_permille(earlier, later, options), decision.similarity_permille);
      }
      if (found.reason == Reason::kPageAlike) {
        const auto page = std::ranges::find(found.pages, decision.similarity_permille,
                                            [](const PageComparison& p) { return p.estimate_permille; });
        ASSERT_NE(page, found.pages.end()) << "the estimate is the detector's own";
        EXPECT_NEAR(page->jaccard_permille, decision.similarity_permille, 200)
            << "of unlike texts it errs most";
        EXPECT_GE(exact_similarity_permille(earlier, later, options), page->jaccard_permille);
      }
    }
  }
  EXPECT_EQ(reasons.size(), kReasonNames.size()) << "every rule has decided";
  EXPECT_GT(by_both, 10) << "and the short rule of texts that ask as pages too";
}

// What is measured once answers for all thresholds of a layout; in mode mgram there are no bands.
TEST(ExplanationProperty, the_reason_of_another_threshold_is_that_of_measuring_by_it) {
  int other_reasons = 0;
  for (const DetectorOptions& measured : {DetectorOptions{}, DetectorOptions{.threshold_permille = 500},
                                          DetectorOptions{.mode = DetectorMode::kMgram}}) {
    Signer signer({.routes = measured.routes(), .layout = measured.layout(), .mgrams = measured.mgrams()});
    Pairs pairs(20261127);
    for (int round = 0; round < 200; ++round) {
      const auto [first, second] = pairs.next();
      const ExplainedText earlier = explained(signer, first);
      const ExplainedText later = explained(signer, second);
      const Explanation found = explain(earlier, later, measured);
      for (unsigned threshold = 500; threshold <= 1000; threshold += 50) {
        DetectorOptions options = measured;
        options.threshold_permille = threshold;
        if (options.layout() != measured.layout()) continue;
        const Reason reason = reason_of(found, later, options);
        ASSERT_EQ(reason, explain(earlier, later, options).reason) << threshold << ", round " << round << "\n"
                                                                   << first << "\n"
                                                                   << second;
        other_reasons += reason != found.reason;
      }
    }
  }
  EXPECT_GT(other_reasons, 100) << "it hangs on the threshold";
}

TEST(Explanation, the_similarity_of_sets_is_what_both_have_of_what_either_has) {
  EXPECT_EQ(common_shingles({1, 3, 5, 7}, {3, 4, 5}), 2U);
  EXPECT_EQ(jaccard_permille({1, 3, 5, 7}, {3, 4, 5}), 400);
  EXPECT_EQ(jaccard_permille({}, {}), 0);
  EXPECT_EQ(jaccard_permille({1}, {1}), 1000);
}

TEST(Explanation, shingles_count_once_and_are_told_by_their_words) {
  Signer signer;
  const ExplainedText a = explained(signer, "one two three four one two three");
  const ExplainedText b = explained(signer, "zero one two three four");
  EXPECT_EQ(a.shingles(ShingleKind::kWords).size(), 4U);  // of 5, one comes twice
  EXPECT_EQ(b.shingles(ShingleKind::kWords).size(), 3U);
  EXPECT_EQ(common_shingles(a.shingles(ShingleKind::kWords), b.shingles(ShingleKind::kWords)), 2U);
}

}  // namespace
}  // namespace neardup
