#include "core/detector/mgram_route.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/text/folder.h"
#include "tests/support/generated_notices.h"

namespace neardup {
namespace {

class MgramRouteTest : public testing::Test {
 protected:
  MgramSignature sign(std::string_view text, MgramOptions options = {}) {
    CanonicalText canonical;
    canonicalize(text, canonical);
    MgramSignature signature;
    MgramSigner(std::move(options)).sign(canonical.text, signature);
    return signature;
  }

  std::unique_ptr<MgramWork> work_ = std::make_unique<MgramWork>();
};

TEST_F(MgramRouteTest, names_the_first_seen_of_those_that_are_like_it) {
  MgramRoute route({});
  route.insert(3, sign("The quick brown fox jumps over the lazy dog"));
  route.insert(7, sign("The quick brown fox jumps over the lazy cat!"));
  EXPECT_EQ(route.find(sign("the quick brown fox jumps over the lazy cat"), *work_),
            (MgramMatch{.sequence = 3, .similarity_permille = 930}));
  EXPECT_EQ(work_->compared(), 1U);
  EXPECT_EQ(route.find(sign("the quick brown fox is lazy, the dog jumps over"), *work_), std::nullopt);
  EXPECT_EQ(work_->met(), 2U);
}

TEST_F(MgramRouteTest, what_shares_no_run_is_not_compared_however_alike) {
  MgramRoute route({.threshold_permille = 500});
  route.insert(0, sign("abcxefgxijkxmno"));
  EXPECT_EQ(route.find(sign("abcdefghijklmno"), *work_), std::nullopt);
  EXPECT_EQ(work_->compared(), 0U);
  EXPECT_EQ(route.compare(sign("abcdefghijklmno"), sign("abcxefgxijkxmno"), *work_),
            (MgramMatch{.sequence = 0, .similarity_permille = 800}));
}

TEST_F(MgramRouteTest, a_text_shorter_than_a_gram_meets_its_equals) {
  MgramRoute route({.threshold_permille = 500});
  route.insert(0, sign("abc"));
  EXPECT_EQ(route.find(sign("Abc."), *work_), (MgramMatch{.sequence = 0, .similarity_permille = 1000}));
  EXPECT_EQ(route.find(sign("abd"), *work_), std::nullopt);
  EXPECT_EQ(route.find(sign("abcd"), *work_), std::nullopt);
}

TEST_F(MgramRouteTest, each_measure_has_its_own_opinion) {
  // Seven grams and six, five of them shared; one edit.
  const MgramSignature stored = sign("abcdefghij");
  const MgramSignature query = sign("abcdefghi");
  const auto similarity = [&](MgramMeasure measure) {
    MgramRoute route({.measure = measure, .threshold_permille = 100});
    route.insert(0, stored);
    const auto match = route.find(query, *work_);
    return match ? match->similarity_permille : 0;
  };
  EXPECT_EQ(similarity(MgramMeasure::kEdit), 900U);
  EXPECT_EQ(similarity(MgramMeasure::kJaccard), 857U);
  EXPECT_EQ(similarity(MgramMeasure::kCosine), 925U);
}

TEST_F(MgramRouteTest, the_threshold_is_met_exactly) {
  for (const MgramMeasure measure : {MgramMeasure::kEdit, MgramMeasure::kJaccard, MgramMeasure::kCosine}) {
    const MgramSignature stored = sign("春节联欢晚会今天开始");
    const MgramSignature query = sign("春节联欢晚会今天开");
    const unsigned exactly = MgramRoute({.measure = measure, .threshold_permille = 1})
                                 .compare(query, stored, *work_)
                                 ->similarity_permille;
    for (const unsigned threshold : {exactly, exactly + 1}) {
      MgramRoute route({.measure = measure, .threshold_permille = threshold});
      route.insert(0, stored);
      EXPECT_EQ(route.find(query, *work_).has_value(), threshold == exactly);
    }
  }
}

TEST_F(MgramRouteTest, words_are_edited_as_wholes) {
  const MgramOptions over_words{.m = 2, .over = MgramUnits::kWords};
  MgramRoute route({.m = 2, .over = MgramUnits::kWords});
  route.insert(0, sign("one two three four five", over_words));
  EXPECT_EQ(route.find(sign("one two three four incomprehensibilities", over_words), *work_),
            (MgramMatch{.sequence = 0, .similarity_permille = 800}));
  EXPECT_EQ(route.find(sign("one 2 three four 5", over_words), *work_), std::nullopt);
}

TEST_F(MgramRouteTest, a_flood_of_one_form_costs_a_bounded_number_of_comparisons) {
  MgramRoute route({.threshold_permille = 950});
  GeneratedNotices notices(2);
  std::size_t most_met = 0;
  std::size_t most_compared = 0;
  Sequence next = 0;
  for (int i = 0; i < 6000; ++i) {
    const MgramSignature signature = sign(notices.notice(0));
    if (!route.find(signature, *work_)) route.insert(next++, signature);
    most_met = std::max(most_met, work_->met());
    most_compared = std::max(most_compared, work_->compared());
  }
  EXPECT_GT(next, 2000U);
  EXPECT_LE(most_met, MgramIndex::kRowsMax);
  EXPECT_LE(most_compared, most_met);
  EXPECT_GT(route.index().refused(), 0U);
}

TEST_F(MgramRouteTest, what_is_forgotten_is_new_again) {
  MgramRoute route({});
  MgramSigner signer({});
  route.insert(0, sign("the quick brown fox"));
  route.insert(1, sign("the quick brown fox jumps"));
  EXPECT_TRUE(route.erase(0, signer));
  EXPECT_EQ(route.find(sign("the quick brown fox jump"), *work_)->sequence, 1U);
  route.expire(2);
  EXPECT_EQ(route.find(sign("the quick brown fox"), *work_), std::nullopt);
}

}  // namespace
}  // namespace neardup
