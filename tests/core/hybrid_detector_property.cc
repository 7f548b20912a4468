// Mode hybrid against a slow twin that compares a document with every unique, and against itself restored.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/detector.h"
#include "tests/reference/hybrid_rules.h"
#include "tests/support/mutant_stream.h"
#include "tests/support/signed_text.h"

namespace neardup {
namespace {

// Compares with all uniques, in their order.
class LinearHybrid {
 public:
  // The sequence number of the first unique that matches; else `text` is one more.
  std::optional<Sequence> apply(const SignedText& text) {
    for (Sequence i = 0; i < uniques_.size(); ++i) {
      if (uniques_[i].signature.exact == text.signature.exact) return i;
    }
    for (Sequence i = 0; i < uniques_.size(); ++i) {
      if (rules_.match(text.route, uniques_[i].route)) return i;
    }
    uniques_.push_back(text);
    return std::nullopt;
  }

 private:
  std::vector<SignedText> uniques_;
  reference::HybridRules rules_;
};

// What the twin finds and the detector does not are pairs that share no key; what the detector finds, the
// twin finds too, since both judge alike. A unique that one of them has and the other has not changes what
// follows, so each decision is compared given the same history: that of the detector.
template <class Stream>
void expect_to_find_what_a_look_at_every_unique_finds(std::size_t missed_percent_max) {
  std::size_t duplicates = 0;
  std::size_t missed = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Stream stream(seed);
    TextSigner signer;
    Detector detector{DetectorOptions{}};
    LinearHybrid linear;
    for (int i = 0; i < 1500; ++i) {
      const SignedText text = signer.sign(stream.next());
      const Decision decision = detector.apply(text.arrival());
      const std::optional<Sequence> expected = linear.apply(text);
      duplicates += expected.has_value() ? 1 : 0;
      if (decision.verdict == Verdict::kDuplicate) {
        ASSERT_TRUE(expected.has_value()) << "seed " << seed << ", text " << i;
        ASSERT_LE(*expected, decision.sequence);
        missed += *expected < decision.sequence ? 1 : 0;
      } else if (expected) {
        // The histories part here: a stream without this text goes on.
        ++missed;
        detector = Detector{DetectorOptions{}};
        linear = {};
      }
    }
  }
  EXPECT_GT(duplicates, 1000U);
  EXPECT_LT(missed * 100, duplicates * missed_percent_max) << "of " << duplicates << " duplicates";
}

TEST(HybridDetectorProperty, finds_what_a_look_at_every_unique_finds) {
  expect_to_find_what_a_look_at_every_unique_finds<MutantStream>(1);
}

// Texts of 190 to 330 units, where short texts and pages meet; and earlier ones cut or continued, with some
// letters changed. Cut and with a dozen letters changed a text may be alike and share no band.
class BoundaryStream {
 public:
  explicit BoundaryStream(std::uint64_t seed) : random_(seed) {}

  std::string next() {
    const std::size_t units = 190 + random_() % 141;
    const bool is_mutant = !texts_.empty() && random_() % 3 > 0;
    std::string text = is_mutant ? texts_[random_() % texts_.size()] : std::string();
    for (std::size_t changes = is_mutant ? random_() % 13 : 0; changes > 0; --changes) {
      text[random_() % text.size()] = letter();
    }
    while (text.size() < units) {
      for (std::uint64_t letters = 2 + random_() % 7; letters > 0; --letters) text += letter();
      text += ' ';
    }
    text.resize(units - 1);
    text += letter();
    texts_.push_back(text);
    return text;
  }

 private:
  char letter() { return static_cast<char>('a' + random_() % 26); }

  std::mt19937_64 random_;
  std::vector<std::string> texts_;
};

TEST(HybridDetectorProperty, finds_what_a_look_at_every_unique_finds_about_the_boundary) {
  expect_to_find_what_a_look_at_every_unique_finds<BoundaryStream>(3);
}

TEST(HybridDetectorProperty, restoring_a_prefix_and_applying_the_rest_equals_applying_all) {
  MutantStream stream(77);
  TextSigner signer;
  std::vector<SignedText> texts;
  std::vector<Decision> decisions;
  std::vector<std::string> kept;
  std::vector<ClusterGain> gains;
  DetectorOptions options;
  options.clusters.keep = KeepPolicy::kLongest;
  Detector undisturbed(options);
  for (int i = 0; i < 3000; ++i) {
    texts.push_back(signer.sign(stream.next()));
    kept.emplace_back();
    decisions.push_back(undisturbed.apply(texts.back().arrival(), &kept.back()));
    ASSERT_EQ(kept.back().empty(), decisions.back().verdict != Verdict::kUnique);
    const Sequence leader = decisions.back().sequence;
    gains.push_back(
        {.leader = leader, .joined = 1, .representative = undisturbed.cluster(leader).representative});
  }
  for (const std::size_t cut : {std::size_t{0}, std::size_t{700}, texts.size()}) {
    SCOPED_TRACE(cut);
    Detector detector(options);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (i >= cut) {
        ASSERT_EQ(detector.apply(texts[i].arrival()), decisions[i]) << i;
      } else if (decisions[i].verdict == Verdict::kUnique) {
        const Status status = detector.restore(texts[i].unique(kept[i]));
        ASSERT_TRUE(status) << status.error().message;
      } else {
        ASSERT_TRUE(detector.restore(gains[i], undisturbed.cluster_rule()));
      }
    }
    EXPECT_EQ(detector.state_digest(), undisturbed.state_digest());
  }
}

// One decides, and the other one is told what came of it, as a replay is.
Status decide_and_restore(const SignedText& text, Detector& deciding, Detector& restored) {
  std::string kept;
  const Decision decision = deciding.apply(text.arrival(), &kept);
  if (decision.verdict == Verdict::kUnique) return restored.restore(text.unique(kept));
  return restored.restore(ClusterGain{.leader = decision.sequence, .joined = 1}, "");
}

// Pages of one template crowd their bands: keys are extended, and what extended them comes back.
TEST(HybridDetectorProperty, a_crowded_state_is_restored_as_it_was) {
  std::mt19937_64 random(5);
  std::string boilerplate;
  for (int i = 0; i < 300; ++i) boilerplate += " menu" + std::to_string(random() % 100000);
  TextSigner signer;
  Detector undisturbed{DetectorOptions{}};
  Detector copy{DetectorOptions{}};
  for (int i = 0; i < 1500; ++i) {
    std::string page = boilerplate;
    for (int w = 0; w < 150; ++w) page += " w" + std::to_string(random() % 1000000);
    ASSERT_TRUE(decide_and_restore(signer.sign(page), undisturbed, copy));
  }
  EXPECT_GT(undisturbed.lookup_counts().full_keys, 20U);
  EXPECT_GT(undisturbed.size(), 1400U) << "other pages of one template are no duplicates";
  EXPECT_EQ(copy.state_digest(), undisturbed.state_digest());
}

// Sites come and go, each with boilerplate of its own: of those that are forgotten nothing stays common.
TEST(HybridDetectorProperty, a_crowded_window_is_restored_as_it_was_and_takes_no_more_than_the_first) {
  std::mt19937_64 random(6);
  std::string boilerplate;
  TextSigner signer;
  Detector undisturbed{DetectorOptions{}};
  Detector copy{DetectorOptions{}};
  std::uint64_t hot_at_first = 0;
  for (int i = 0; i < 4000; ++i) {
    if (i % 400 == 0) {
      boilerplate.clear();
      for (int w = 0; w < 300; ++w) boilerplate += " menu" + std::to_string(random() % 1000000);
    }
    std::string page = boilerplate;
    for (int w = 0; w < 150; ++w) page += " w" + std::to_string(random() % 1000000);
    ASSERT_TRUE(decide_and_restore(signer.sign(page), undisturbed, copy));
    if (undisturbed.size() - undisturbed.oldest() < 450) continue;
    if (hot_at_first == 0) hot_at_first = undisturbed.lookup_counts().hot_features;
    undisturbed.expire(undisturbed.size() - 400);
    copy.expire(copy.size() - 400);
    ASSERT_EQ(copy.state_digest(), undisturbed.state_digest()) << i;
  }
  EXPECT_GT(hot_at_first, 20U);
  EXPECT_LT(undisturbed.lookup_counts().hot_features, 4 * hot_at_first);
}

TEST(HybridDetectorProperty, what_is_forgotten_is_new_again) {
  MutantStream stream(9);
  TextSigner signer;
  std::vector<SignedText> uniques;
  Detector detector{DetectorOptions{}};
  for (int i = 0; i < 600; ++i) {
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
    } else if (decision.verdict == Verdict::kDuplicate) {
      EXPECT_GE(decision.sequence, oldest) << "its leader is remembered";
    }
  }
  EXPECT_EQ(detector.apply(uniques[0].arrival()).verdict, Verdict::kUnique);
}

TEST(HybridDetectorProperty, bytes_that_are_not_what_was_kept_are_refused_and_change_nothing) {
  TextSigner signer;
  const SignedText page = signer.sign(std::string("a") + MutantStream(3).next() + MutantStream(4).next() +
                                      MutantStream(8).next());
  std::string kept;
  Detector({}).apply(page.arrival(), &kept);
  Detector detector{DetectorOptions{}};
  const Digest128 empty = detector.state_digest();
  for (std::size_t size = 0; size < kept.size(); ++size) {
    EXPECT_FALSE(detector.restore(page.unique(std::string_view(kept).substr(0, size)))) << size;
  }
  EXPECT_FALSE(detector.restore(page.unique(kept + "x")));
  EXPECT_EQ(detector.state_digest(), empty);
  EXPECT_TRUE(detector.restore(page.unique(kept)));
}

}  // namespace
}  // namespace neardup
