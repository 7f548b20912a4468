// Uniques that come back many at once, prepared ahead, on any number of threads: the same state as one after
// the other.
#include "core/returning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/detector/exact_similarity.h"
#include "core/index/band_postings.h"
#include "tests/support/generated_notices.h"
#include "tests/support/mutant_stream.h"
#include "tests/support/signed_text.h"

namespace neardup {
namespace {

// What a journal would hold of a stream, and the state that it makes.
struct History {
  std::vector<SignedText> texts;  // unique ones
  std::vector<std::string> kept;
  Digest128 state;
  Detector::LookupCounts counts;
  std::vector<SignedText> later;  // a stream that goes on
  std::vector<Decision> decisions;
  Digest128 state_later;

  std::vector<Unique> uniques() const {
    std::vector<Unique> made;
    for (std::size_t i = 0; i < texts.size(); ++i) made.push_back(texts[i].unique(kept[i]));
    return made;
  }
};

constexpr std::size_t kForgetEvery = 250;
constexpr std::size_t kExpireEvery = 500;
constexpr Sequence kKept = 700;

Sequence oldest_at(Sequence size) { return size > kKept ? (size - kKept) / kExpireEvery * kExpireEvery : 0; }

// What happens between uniques.
void interrupt(Detector& detector, bool expires) {
  const Sequence size = detector.size();
  if (detector.options().by_id && size % kForgetEvery == 0) {
    for (const Sequence back : {3, 30, 31, 32, 33, 100}) detector.forget("id" + std::to_string(size - back));
  }
  if (expires && size % kExpireEvery == 0) detector.expire(oldest_at(size));
}

// Short texts and pages, forms that crowd the keys of short texts, and a template that crowds those of pages.
History history_of(const DetectorOptions& options, bool expires) {
  SignerOptions signing;
  signing.routes = options.routes();
  signing.layout = options.layout();
  signing.sketch = options.sketch;
  signing.mgrams = options.mgrams();
  TextSigner signer(signing);
  MutantStream stream(31);
  GeneratedNotices notices(32);
  std::mt19937_64 random(33);
  std::string boilerplate;
  for (int i = 0; i < 200; ++i) boilerplate += " menu" + std::to_string(random() % 100000);
  History history;
  Detector detector(options);
  for (std::size_t i = 0; history.texts.size() < 2000; ++i) {
    std::string text = i % 3 == 0 ? notices.notice(i % 2) : stream.next();
    if (i % 3 == 1) {
      text = boilerplate;
      for (int w = 0; w < 100; ++w) text += " w" + std::to_string(random() % 1000000);
    }
    SignedText made = signer.sign(std::move(text));
    std::string kept;
    made.id = "id" + std::to_string(history.texts.size());
    if (detector.apply(made.arrival(), &kept).verdict == Verdict::kDuplicate) continue;
    history.texts.push_back(std::move(made));
    history.kept.push_back(std::move(kept));
    interrupt(detector, expires);
  }
  Detector no_clusters(options);  // which the uniques alone cannot bring back
  for (const Unique& unique : history.uniques()) {
    EXPECT_TRUE(no_clusters.restore(unique));
    interrupt(no_clusters, expires);
  }
  history.state = no_clusters.state_digest();
  history.counts = no_clusters.lookup_counts();
  EXPECT_EQ(history.counts.full_keys, detector.lookup_counts().full_keys) << "restored as it was decided";
  for (int i = 0; i < 200; ++i) {
    std::string text = i % 2 == 0 ? stream.next() : boilerplate;
    for (int w = 0; w < 100 && i % 2 == 1; ++w) text += " w" + std::to_string(random() % 1000000);
    history.later.push_back(signer.sign(std::move(text)));
    history.decisions.push_back(no_clusters.apply(history.later.back().arrival()));
  }
  history.state_later = no_clusters.state_digest();
  return history;
}

struct Case {
  const char* name;
  DetectorOptions options;
};

class ReturningUniques : public testing::TestWithParam<Case> {};

TEST_P(ReturningUniques, portions_of_any_size_make_the_state_that_one_by_one_makes) {
  const DetectorOptions& options = GetParam().options;
  for (const bool expires : {false, true}) {
    const History history = history_of(options, expires);
    const std::vector<Unique> uniques = history.uniques();
    if (options.mode != DetectorMode::kSimhash) {
      EXPECT_GT(history.counts.full_keys, 20U);
    }
    for (const std::size_t portion : {std::size_t{1}, std::size_t{5}, std::size_t{13}, std::size_t{500}}) {
      SCOPED_TRACE(std::string(expires ? "expiring, " : "") + std::to_string(portion) + " at once");
      Detector detector(options);
      Returning returning(options);  // used again and again
      std::span<const Unique> rest = uniques;
      while (!rest.empty()) {
        const std::size_t to_next = kForgetEvery - detector.size() % kForgetEvery;
        const auto some = rest.first(std::min({portion, to_next, rest.size()}));
        rest = rest.subspan(some.size());
        ASSERT_TRUE(returning.prepare(some));
        ASSERT_EQ(returning.size(), some.size());
        detector.restore(returning, 0, returning.size());
        if (some.size() == to_next) interrupt(detector, expires);
      }
      EXPECT_EQ(detector.size(), uniques.size());
      EXPECT_EQ(detector.state_digest(), history.state);
      EXPECT_EQ(detector.lookup_counts().full_keys, history.counts.full_keys);
      EXPECT_EQ(detector.lookup_counts().truncated, history.counts.truncated);
      // And the answers, as the digest promises.
      Detector same(options);
      ASSERT_TRUE(same.restore(std::span(uniques).first(100)));
      EXPECT_EQ(same.check(history.texts[7].arrival()).sequence, 7U);
    }
  }
}

TEST_P(ReturningUniques, any_number_of_threads_makes_the_same_state_and_it_goes_on_alike) {
  const DetectorOptions& options = GetParam().options;
  for (const bool expires : {false, true}) {
    const History history = history_of(options, expires);
    const std::vector<Unique> uniques = history.uniques();
    Returning returning(options);
    ASSERT_TRUE(returning.prepare(uniques));
    const std::size_t portion = expires || options.by_id ? kForgetEvery : uniques.size();
    for (const int threads : {1, 2, 3, 8}) {
      SCOPED_TRACE(std::string(expires ? "expiring, " : "") + std::to_string(threads) + " threads");
      Detector detector(options);
      detector.restore_on(threads);
      while (detector.size() < uniques.size()) {
        const std::size_t end = std::min<std::size_t>(detector.size() + portion, uniques.size());
        detector.restore(returning, detector.size(), end);
        interrupt(detector, expires);
      }
      EXPECT_EQ(detector.state_digest(), history.state);
      EXPECT_EQ(detector.lookup_counts().full_keys, history.counts.full_keys);
      EXPECT_EQ(detector.lookup_counts().hot_features, history.counts.hot_features);
      EXPECT_EQ(detector.lookup_counts().truncated, history.counts.truncated);
      for (std::size_t i = 0; i < history.later.size(); ++i) {
        ASSERT_EQ(detector.apply(history.later[i].arrival()), history.decisions[i]) << i;
      }
      EXPECT_EQ(detector.state_digest(), history.state_later);
    }
  }
}

TEST_P(ReturningUniques, text_is_kept_of_what_is_known_by_its_text) {
  const History history = history_of(GetParam().options, false);
  std::size_t with_text = 0;
  for (std::size_t i = 0; i < history.texts.size(); ++i) {
    const RouteSignature& route = history.texts[i].route;
    with_text += route.has_short || route.has_mgrams;
    ASSERT_EQ(history.texts[i].unique(history.kept[i]).keeps_text(), route.has_short || route.has_mgrams)
        << i;
  }
  EXPECT_EQ(with_text > 0, GetParam().options.mode != DetectorMode::kSimhash);
}

TEST_P(ReturningUniques, what_is_not_as_it_was_kept_ends_the_portion) {
  const DetectorOptions& options = GetParam().options;
  if (options.routes() == RouteParts::kNone) return;  // nothing is kept
  const History history = history_of(options, false);
  std::vector<Unique> uniques = history.uniques();
  uniques[20].kept.remove_suffix(1);
  Returning returning(options);
  const Status status = returning.prepare(uniques);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(returning.size(), 20U);
  Detector detector(options);
  EXPECT_FALSE(detector.restore(uniques));
  EXPECT_EQ(detector.size(), 20U) << "those before it are here";
  Detector others(options);
  ASSERT_TRUE(others.restore(std::span(uniques).first(20)));
  EXPECT_EQ(detector.state_digest(), others.state_digest());
}

INSTANTIATE_TEST_SUITE_P(Modes, ReturningUniques,
                         testing::Values(Case{"hybrid", {}}, Case{"by_id", {.by_id = true}},
                                         Case{"compact", {.sketch = SketchSize::kCompact}},
                                         Case{"wide_bands", {.threshold_permille = 600}},
                                         Case{"simhash", {.mode = DetectorMode::kSimhash}},
                                         Case{"simhash_sketch",
                                              {.mode = DetectorMode::kSimhash, .verify_sketch = true}},
                                         Case{"mgram", {.mode = DetectorMode::kMgram}}),
                         [](const auto& one) { return one.param.name; });

// Likeness as the test wants it: to one unique, or to none.
class LikeOne : public ExactSimilarity {
 public:
  std::optional<int> alike(Sequence unique, ShingleKind) const override {
    return unique == one ? std::optional(900) : std::nullopt;
  }
  std::optional<Sequence> one;
};

// A page of a template, which has one shingle of its own; or a copy of it, with another one in the same band.
SignedText page_of_template(SignedText page, BandLayout layout, std::uint32_t number, bool is_copy) {
  constexpr std::uint32_t kOwnBin = 3;
  const std::uint32_t own = 1'000'000 + number;
  page.id = (is_copy ? "copy" : "page") + std::to_string(number);
  page.signature.exact = {is_copy ? 1U : 0U, number};
  page.route.long_count = 1;
  LongSignature& signature = page.route.longs[0];
  for (std::uint32_t bin = 0; bin < kMinimaBins; ++bin) signature.minima.first[bin] = 1000 + bin;
  signature.minima.first[kOwnBin] = own;
  if (is_copy) signature.minima.first[kOwnBin + 1] = 2'000'000 + number;
  signature.minima.second.fill(kNoMinimum);
  const std::uint64_t in_bin = (std::uint64_t{2 * kOwnBin + 1} << 32) / (2 * kMinimaBins);  // its middle
  signature.sample = {in_bin << 32 | own};
  make_bands(layout, signature);
  return page;
}

// Which minimum extends a crowded band is told by its bin, and the bin by the layout.
TEST(ReturningPages, those_of_a_template_are_found_under_another_layout_than_they_were_decided_by) {
  constexpr std::uint32_t kPages = 3 * BandPostings::kPostingsMax;
  LikeOne judge;
  const DetectorOptions now{.threshold_permille = 700, .exact = &judge};
  std::string text;
  for (int w = 0; w < 300; ++w) text += " w" + std::to_string(w);
  SignedText base = TextSigner().sign(text);
  ASSERT_FALSE(base.route.has_short);
  const auto decide = [&](Detector& detector) {
    judge.one.reset();
    std::vector<std::string> kept(kPages);
    for (std::uint32_t i = 0; i < kPages; ++i) {
      const SignedText page = page_of_template(base, detector.options().layout(), i, false);
      EXPECT_EQ(detector.apply(page.arrival(), &kept[i]).verdict, Verdict::kUnique);
    }
    return kept;
  };
  const auto found = [&](const Detector& detector) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < kPages; ++i) {
      judge.one = i;
      const Decision decision = detector.check(page_of_template(base, now.layout(), i, true).arrival());
      count += decision.verdict == Verdict::kDuplicate && decision.sequence == i;
    }
    return count;
  };
  Detector decided_now(now);
  decide(decided_now);
  ASSERT_EQ(found(decided_now), kPages);

  const DetectorOptions by_default{.exact = &judge};
  ASSERT_EQ(by_default.text(), "") << "which is known as well";
  const DetectorOptions by_sketches{.mode = DetectorMode::kSimhash, .verify_sketch = true, .exact = &judge};
  for (const DetectorOptions& before : {by_default, by_sketches}) {
    SCOPED_TRACE(before.text());
    ASSERT_FALSE(before.layout() == now.layout());
    Detector decided_before(before);
    const std::vector<std::string> kept = decide(decided_before);
    std::vector<SignedText> pages;
    for (std::uint32_t i = 0; i < kPages; ++i)
      pages.push_back(page_of_template(base, before.layout(), i, false));
    std::vector<Unique> uniques;
    for (std::uint32_t i = 0; i < kPages; ++i) uniques.push_back(pages[i].unique(kept[i]));
    const auto restored = [&](const DetectorOptions& options) {
      Detector detector(options);
      Returning returning(options);
      EXPECT_TRUE(returning.prepare(uniques));
      detector.restore(returning, 0, returning.size(), before.text());
      return detector;
    };
    EXPECT_EQ(found(restored(now)), kPages);
    EXPECT_EQ(restored(before).state_digest(), decided_before.state_digest());
  }
}

}  // namespace
}  // namespace neardup
