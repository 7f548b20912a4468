// Mode mgram at the front door: as a user sees it, against a look at every unique, and against itself
// restored.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "core/detector.h"
#include "core/detector/kept_form.h"
#include "core/detector/mgram_route.h"
#include "core/limits.h"
#include "tests/support/generated_notices.h"
#include "tests/support/mutant_stream.h"
#include "tests/support/signed_text.h"

namespace neardup {
namespace {

SignerOptions signing(const DetectorOptions& options) {
  return {.routes = options.routes(), .layout = options.layout(), .mgrams = options.mgrams()};
}

constexpr DetectorOptions kMgram{.mode = DetectorMode::kMgram};

class MgramDetector : public testing::Test {
 protected:
  Decision apply(const std::string& text) { return detector_.apply(signer_.sign(text).arrival()); }

  Detector detector_{kMgram};
  TextSigner signer_{signing(kMgram)};
};

TEST_F(MgramDetector, a_text_that_shares_a_run_and_is_alike_is_short_and_says_how_alike_it_is) {
  ASSERT_EQ(apply("Win a free phone now, call 08000 123456 before Sunday").verdict, Verdict::kUnique);
  ASSERT_EQ(apply("The meeting is moved to Thursday at ten, room four").verdict, Verdict::kUnique);
  const Decision decision = apply("Win a free phone today, call 08000 123456 before Sunday");
  EXPECT_EQ(decision.verdict, Verdict::kDuplicate);
  EXPECT_EQ(decision.kind, DuplicateKind::kShort);
  EXPECT_EQ(decision.sequence, 0U);
  EXPECT_EQ(decision.similarity_permille, 1000 * (54 - 4) / 54) << "now, today: four edits";
  EXPECT_EQ(detector_.candidates(), 1U);
}

TEST_F(MgramDetector, the_same_text_written_otherwise_is_exact) {
  apply("Hello, World! How are you today?");
  const Decision decision = apply("HELLO   world; how are you -- today");
  EXPECT_EQ(decision.kind, DuplicateKind::kExact);
  EXPECT_EQ(decision.similarity_permille, 1000);
}

TEST_F(MgramDetector, a_text_shorter_than_a_run_meets_its_equals_only) {
  EXPECT_EQ(apply("abc").verdict, Verdict::kUnique);
  EXPECT_EQ(apply("abd").verdict, Verdict::kUnique);
  EXPECT_EQ(apply("a-b-c").verdict, Verdict::kUnique) << "a b c";
  EXPECT_EQ(apply("ABC!").kind, DuplicateKind::kExact);
}

// A text of words that mean nothing.
std::string long_text(std::uint64_t seed, std::size_t words) {
  std::mt19937_64 random(seed);
  std::string text;
  for (std::size_t i = 0; i < words; ++i) text += std::to_string(random() % 10'000'000) + " ";
  return text;
}

TEST_F(MgramDetector, a_long_text_is_judged_by_its_beginning_and_counted) {
  const std::string page = long_text(1, 900);
  ASSERT_GT(page.size(), 3 * kMgramTextMax);
  EXPECT_EQ(apply(page).verdict, Verdict::kUnique);
  EXPECT_EQ(detector_.lookup_counts().truncated, 1U);
  EXPECT_EQ(apply(page + " and more").sequence, 0U) << "the first 1024 characters are the same";
  EXPECT_EQ(detector_.lookup_counts().truncated, 2U);
  EXPECT_EQ(apply(long_text(2, 900)).verdict, Verdict::kUnique);
  EXPECT_EQ(apply("a short one, which is seen whole").verdict, Verdict::kUnique);
  EXPECT_EQ(detector_.lookup_counts().truncated, 3U);
}

// Every text has many common grams: the work of a look-up stays what the bounds allow, and is counted.
TEST_F(MgramDetector, the_work_among_texts_of_the_same_words_is_bounded) {
  std::mt19937_64 random(3);
  std::uint64_t most = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string text;
    for (int w = 0; w < 40; ++w) text += " word" + std::to_string(random() % 200);
    apply(text);
    most = std::max(most, detector_.candidates());
  }
  const Detector::LookupCounts counts = detector_.lookup_counts();
  EXPECT_LE(most, MgramIndex::kRowsMax);
  EXPECT_EQ(counts.largest_bucket, MgramIndex::kBucketTextsMax);
  EXPECT_GT(counts.full_keys, 100U);
  EXPECT_GT(counts.truncated, 0U);
}

TEST_F(MgramDetector, what_is_kept_of_the_longest_text_is_within_the_bound) {
  std::string text;
  for (std::uint64_t i = 0; i < 3000; ++i)
    text += "\xF0\xA0\x80" + std::string(1, static_cast<char>(0x80 + i * i % 64));
  const SignedText signed_text = signer_.sign(text);  // ideographs of four bytes
  std::string kept;
  detector_.apply(signed_text.arrival(), &kept);
  EXPECT_EQ(kept.size(), 1 + 3 + 4 * kMgramTextMax - 1);
  EXPECT_LE(kept.size(), Detector::kept_bytes_max(signed_text.route));
  EXPECT_LE(Detector::kept_bytes_max(signed_text.route), kUniqueKeptBytesMax);
}

TEST(MgramDetectorOptions, what_is_not_the_default_is_named) {
  EXPECT_EQ(kMgram.text(), "detector.mode=mgram");
  const DetectorOptions options{.mode = DetectorMode::kMgram,
                                .threshold_permille = 700,
                                .short_tokens_permille = 1,  // of mode hybrid: no matter
                                .gram_size = 2,
                                .gram_units = MgramUnits::kContentWords,
                                .measure = MgramMeasure::kCosine};
  EXPECT_EQ(options.text(),
            "detector.mode=mgram detector.threshold_permille=700 detector.gram_size=2 "
            "detector.gram_units=content_words detector.measure=cosine");
  EXPECT_NE(Detector(options).state_digest(), Detector(kMgram).state_digest());
}

TEST(MgramDetectorOptions, signatures_name_what_they_cannot_be_compared_without) {
  SignerOptions options = signing(kMgram);
  EXPECT_EQ(options.text(), "routes=mgrams");
  options.mgrams.m = 7;
  EXPECT_EQ(options.text(), "routes=mgrams") << "the text is kept, and any runs can be made of it";
  options.mgrams.over = MgramUnits::kContentWords;
  options.features.stop_words = std::make_shared<const StopWords>(*StopWords::parse("the\n"));
  EXPECT_TRUE(options.text().ends_with("routes=mgrams detector.gram_units=content_words")) << options.text();
  EXPECT_TRUE(options.text().starts_with("fingerprint.stop_words_file=")) << options.text();
}

TEST(MgramDeathTest, a_document_signed_for_another_mode_is_our_own_mistake) {
  Detector detector(kMgram);
  const SignedText text = TextSigner().sign("signed for mode hybrid");
  EXPECT_DEATH(detector.apply(text.arrival()), "signed for another mode");
}

struct Case {
  const char* name;
  DetectorOptions options;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class MgramDetectorProperty : public testing::TestWithParam<Case> {
 protected:
  DetectorOptions options() const { return GetParam().options; }

  SignerOptions signing() const {
    SignerOptions made = neardup::signing(options());
    if (options().gram_units == MgramUnits::kContentWords) {
      made.features.stop_words = std::make_shared<const StopWords>(*StopWords::parse("the\nof\n的\n"));
      made.mgrams.stop_words = made.features.stop_words;
    }
    return made;
  }
};

bool share_a_gram(const MgramSignature& a, const MgramSignature& b) {
  return std::ranges::any_of(a.grams, [&](const Mgram& gram) {
    return std::ranges::binary_search(b.grams, gram.key, {}, &Mgram::key);
  });
}

// All uniques in their order: the same text, or a run shared and the measure.
TEST_P(MgramDetectorProperty, decides_as_a_look_at_every_unique_does) {
  Detector detector(options());
  TextSigner signer(signing());
  const MgramRoute rule({.m = options().gram_size,
                         .over = options().gram_units,
                         .measure = options().measure,
                         .threshold_permille = options().threshold_permille});
  const auto work = std::make_unique<MgramWork>();
  std::vector<SignedText> uniques;
  int near = 0;
  MutantStream stream(21);
  for (int i = 0; i < 500; ++i) {
    const SignedText text = signer.sign(stream.next());
    Decision expected{.verdict = Verdict::kUnique, .sequence = uniques.size()};
    for (Sequence s = 0; s < uniques.size() && expected.verdict == Verdict::kUnique; ++s) {
      if (uniques[s].signature.exact == text.signature.exact) {
        expected = {.verdict = Verdict::kDuplicate, .kind = DuplicateKind::kExact, .sequence = s};
      }
    }
    for (Sequence s = 0; s < uniques.size() && expected.verdict == Verdict::kUnique; ++s) {
      if (!share_a_gram(text.route.mgrams, uniques[s].route.mgrams)) continue;
      const auto match = rule.compare(text.route.mgrams, uniques[s].route.mgrams, *work);
      if (!match) continue;
      expected = {.verdict = Verdict::kDuplicate,
                  .kind = DuplicateKind::kShort,
                  .sequence = s,
                  .similarity_permille = static_cast<int>(match->similarity_permille)};
      ++near;
    }
    const Decision asked = detector.check(text.arrival());
    const Decision decision = detector.apply(text.arrival());
    ASSERT_EQ(asked, decision);
    ASSERT_EQ(decision.verdict, expected.verdict) << i;
    ASSERT_EQ(decision.sequence, expected.sequence) << i;
    ASSERT_EQ(decision.kind, expected.kind) << i;
    if (decision.verdict == Verdict::kDuplicate) {
      ASSERT_EQ(decision.similarity_permille, expected.similarity_permille) << i;
    } else {
      uniques.push_back(text);
    }
  }
  EXPECT_GT(near, 100);
}

TEST_P(MgramDetectorProperty, restoring_a_prefix_and_applying_the_rest_equals_applying_all) {
  TextSigner signer(signing());
  MutantStream stream(22);
  GeneratedNotices notices(23);
  std::vector<SignedText> texts;
  std::vector<Decision> decisions;
  std::vector<std::string> kept;
  Detector undisturbed(options());
  for (std::size_t i = 0; i < 1500; ++i) {
    texts.push_back(signer.sign(i % 3 == 0 ? notices.notice(i % 4) : stream.next()));
    kept.emplace_back();
    decisions.push_back(undisturbed.apply(texts.back().arrival(), &kept.back()));
    ASSERT_EQ(kept.back().empty(), decisions.back().verdict != Verdict::kUnique);
    ASSERT_LE(kept.back().size(), Detector::kept_bytes_max(texts.back().route));
  }
  for (const std::size_t cut : {std::size_t{0}, std::size_t{700}, texts.size()}) {
    SCOPED_TRACE(cut);
    Detector detector(options());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (i >= cut) {
        ASSERT_EQ(detector.apply(texts[i].arrival()), decisions[i]) << i;
      } else if (decisions[i].verdict == Verdict::kUnique) {
        const Status status = detector.restore(texts[i].unique(kept[i]));
        ASSERT_TRUE(status) << status.error().message;
      } else {
        ASSERT_TRUE(detector.restore(ClusterGain{.leader = decisions[i].sequence, .joined = 1}, ""));
      }
    }
    EXPECT_EQ(detector.state_digest(), undisturbed.state_digest());
  }
}

TEST_P(MgramDetectorProperty, what_is_forgotten_is_new_again) {
  TextSigner signer(signing());
  MutantStream stream(24);
  std::vector<SignedText> uniques;
  Detector detector(options());
  for (int i = 0; i < 500; ++i) {
    const SignedText text = signer.sign(stream.next());
    if (detector.apply(text.arrival()).verdict == Verdict::kUnique) uniques.push_back(text);
  }
  const Sequence oldest = uniques.size() / 2;
  detector.expire(oldest);
  EXPECT_EQ(detector.oldest(), oldest);
  for (Sequence i = 0; i < uniques.size(); ++i) {
    const Decision decision = detector.check(uniques[i].arrival());
    if (i >= oldest) {
      EXPECT_EQ(decision.sequence, i);
      EXPECT_EQ(decision.kind, DuplicateKind::kExact);
    } else {
      EXPECT_GE(decision.sequence, oldest) << "its leader is remembered, or it would be new";
    }
  }
}

TEST_P(MgramDetectorProperty, bytes_that_are_not_what_was_kept_are_refused_and_change_nothing) {
  TextSigner signer(signing());
  const SignedText text = signer.sign("Win a free phone, 打电话 now");
  std::string kept;
  Detector(options()).apply(text.arrival(), &kept);
  Detector detector(options());
  const Digest128 empty = detector.state_digest();
  for (std::size_t size = 0; size < kept.size(); ++size) {
    EXPECT_FALSE(detector.restore(text.unique(std::string_view(kept).substr(0, size)))) << size;
  }
  EXPECT_FALSE(detector.restore(text.unique(kept + "x")));
  std::string of_hybrid;
  const SignedText as_hybrid = TextSigner().sign("Win a free phone now");
  Detector({}).apply(as_hybrid.arrival(), &of_hybrid);
  EXPECT_FALSE(detector.restore(text.unique(of_hybrid)));
  EXPECT_FALSE(Detector({}).restore(as_hybrid.unique(kept)));
  EXPECT_EQ(detector.state_digest(), empty);
  EXPECT_TRUE(detector.restore(text.unique(kept)));
  EXPECT_EQ(detector.check(text.arrival()).kind, DuplicateKind::kExact);
}

INSTANTIATE_TEST_SUITE_P(Options, MgramDetectorProperty,
                         testing::Values(Case{"edit", kMgram},
                                         Case{"jaccard",
                                              {.mode = DetectorMode::kMgram,
                                               .threshold_permille = 500,
                                               .measure = MgramMeasure::kJaccard}},
                                         Case{"words_cosine",
                                              {.mode = DetectorMode::kMgram,
                                               .threshold_permille = 600,
                                               .gram_size = 2,
                                               .gram_units = MgramUnits::kWords,
                                               .measure = MgramMeasure::kCosine}},
                                         Case{"content_words",
                                              {.mode = DetectorMode::kMgram,
                                               .threshold_permille = 700,
                                               .gram_size = 1,
                                               .gram_units = MgramUnits::kContentWords}}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace neardup
