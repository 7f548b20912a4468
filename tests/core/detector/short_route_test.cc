#include "core/detector/short_route.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/text/folder.h"
#include "tests/support/generated_notices.h"

namespace neardup {
namespace {

class ShortRouteTest : public testing::Test {
 protected:
  ShortSignature sign(std::string_view text) {
    canonicalize(text, canonical_);
    ShortSignature signature;
    EXPECT_TRUE(signer_.sign(canonical_.text, signature));
    return signature;
  }
  // As the leader rule wants it: remembered if it is unique.
  std::optional<ShortMatch> apply(ShortRoute& route, std::string_view text) {
    const ShortSignature signature = sign(text);
    const auto match = route.find(signature, *work_);
    if (!match) route.insert(next_++, signature, *work_);
    return match;
  }

  ShortSigner signer_;
  CanonicalText canonical_;
  std::unique_ptr<ShortWork> work_ = std::make_unique<ShortWork>();
  Sequence next_ = 0;
};

TEST_F(ShortRouteTest, names_the_first_seen_of_those_that_are_like_it) {
  ShortRoute route({});
  route.insert(3, sign("The quick brown fox jumps over the lazy dog"), *work_);
  route.insert(7, sign("The quick brown fox jumps over the lazy cat!"), *work_);
  EXPECT_EQ(route.find(sign("the quick brown fox jumps over the lazy cat"), *work_),
            (ShortMatch{.sequence = 3, .edits = 3, .similarity_permille = 930}))
      << "the other one is nearer, and later";
  EXPECT_EQ(route.find(sign("the quick brown fox is lazy, the dog jumps over"), *work_), std::nullopt);
}

TEST_F(ShortRouteTest, the_threshold_is_met_exactly) {
  ShortRoute route({});
  route.insert(0, sign("abcdefghij"), *work_);
  EXPECT_EQ(route.find(sign("abcdefghxy"), *work_),
            (ShortMatch{.sequence = 0, .edits = 2, .similarity_permille = 800}));
  EXPECT_EQ(route.find(sign("abcdefgxyz"), *work_), std::nullopt);
  ShortRoute strict({.threshold_permille = 900, .replacement = {}});
  strict.insert(0, sign("abcdefghij"), *work_);
  EXPECT_EQ(strict.find(sign("abcdefghxy"), *work_), std::nullopt);
  EXPECT_NE(strict.find(sign("abcdefghix"), *work_), std::nullopt);
}

TEST_F(ShortRouteTest, compare_says_what_find_would) {
  ShortRoute route({});
  const ShortSignature stored = sign("the parish council will meet on june 13 at 20:39 in the hall");
  route.insert(0, stored, *work_);
  for (const char* text :
       {"the parish council will meet on june 13 at 20:39 in a hall",
        "the parish council will meet on june 14 at 21:40 in the hall", "something else"}) {
    const ShortSignature query = sign(text);
    EXPECT_EQ(route.compare(query, stored, *work_), route.find(query, *work_)) << text;
  }
}

// Every pair, by brute force. Notices of few forms with edits all over them are the hardest texts there are
// for the keys.
TEST_F(ShortRouteTest, finds_what_a_scan_of_all_finds_but_for_some_in_twenty) {
  ShortRoute route({});
  std::mt19937_64 random(11);
  GeneratedNotices notices(5);
  std::vector<ShortSignature> uniques;
  int scanned = 0;
  int found = 0;
  for (int i = 0; i < 2500; ++i) {
    std::string text = notices.notice(random() % GeneratedNotices::forms());
    if (i % 2 == 1 && !uniques.empty()) {  // an earlier one with some characters changed
      const ShortSignature& earlier = uniques[random() % uniques.size()];
      text.clear();
      for (char32_t c : earlier.text) {
        if (random() % 16 == 0) c = U'q';
        if (c < 0x80) text.push_back(static_cast<char>(c));
      }
    }
    const ShortSignature signature = sign(text);
    std::optional<ShortMatch> expected;
    for (std::size_t k = 0; k < uniques.size() && !expected; ++k) {
      expected = route.compare(signature, uniques[k], *work_);
      if (expected) expected->sequence = k;
    }
    const auto match = route.find(signature, *work_);
    scanned += expected.has_value();
    found += match.has_value();
    if (match) {
      ASSERT_TRUE(expected) << "a match that a scan does not find";
      ASSERT_GE(match->sequence, expected->sequence);
    } else if (!expected) {
      route.insert(uniques.size(), signature, *work_);
      uniques.push_back(signature);
    }
  }
  EXPECT_GT(scanned, 200);
  EXPECT_GE(found * 100, scanned * 95) << found << " of " << scanned;
  std::printf("found %d of the %d duplicates that a scan finds\n", found, scanned);
}

TEST_F(ShortRouteTest, notices_of_one_form_are_different_and_an_edited_one_is_not) {
  ShortRoute route({});
  GeneratedNotices notices(1);
  int different = 0;
  int called_duplicate = 0;
  int edited = 0;
  int edited_found = 0;
  for (int i = 0; i < 200; ++i) {
    for (std::size_t form = 0; form < GeneratedNotices::forms(); ++form) {
      const GeneratedNotices::Pair pair = notices.pair(form);
      ++different;
      called_duplicate += apply(route, pair.notice).has_value();
      if (i % 4 != 0) continue;
      ++edited;
      edited_found += apply(route, pair.edited).has_value();
    }
  }
  EXPECT_LE(called_duplicate * 100, different * 3) << called_duplicate << " of " << different;
  EXPECT_GE(edited_found * 100, edited * 97) << edited_found << " of " << edited;
  std::printf("notices called duplicates: %.2f %%; edited notices found: %.2f %%\n",
              100.0 * called_duplicate / different, 100.0 * edited_found / edited);
}

TEST_F(ShortRouteTest, replay_makes_the_same_state) {
  const auto run = [&](ShortRoute& route, std::size_t begin,
                       std::vector<std::optional<ShortMatch>>& answers) {
    GeneratedNotices notices(9);
    next_ = 0;
    for (std::size_t i = 0; i < 3000; ++i) {
      const std::string text = notices.notice(i % 3);
      if (i < begin) continue;
      answers.push_back(apply(route, text));
    }
  };
  ShortRoute first({});
  ShortRoute second({});
  std::vector<std::optional<ShortMatch>> answers;
  std::vector<std::optional<ShortMatch>> again;
  run(first, 0, answers);
  run(second, 0, again);
  EXPECT_EQ(answers, again);
  EXPECT_EQ(first.index().digest(), second.index().digest());
  EXPECT_GT(first.index().postings().full_keys(), 0U);
}

// All pairs of the texts of up to five characters out of three.
TEST_F(ShortRouteTest, tiny_texts_that_are_alike_meet_above_750_permille_and_not_all_of_them_below) {
  std::vector<ShortSignature> texts;
  std::vector<std::string> made{""};
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (i > 0) texts.push_back(sign(made[i]));
    for (const char c : {'a', 'b', 'c'}) {
      if (made[i].size() < 5) made.push_back(made[i] + c);
    }
  }
  for (const unsigned threshold : {751U, 750U}) {
    SCOPED_TRACE(threshold);
    std::size_t alike = 0;
    std::size_t met = 0;
    for (const ShortSignature& stored : texts) {
      ShortRoute route({.threshold_permille = threshold, .replacement = {.tokens_permille = 0}});
      route.insert(0, stored, *work_);
      for (const ShortSignature& asked : texts) {
        if (asked.text == stored.text) continue;  // is found as the same text
        if (!route.compare(asked, stored, *work_)) continue;
        ++alike;
        met += route.find(asked, *work_) ? 1 : 0;
      }
    }
    EXPECT_GT(alike, 1000U);
    if (threshold > 750) {
      EXPECT_EQ(met, alike);
    } else {
      EXPECT_LT(met, alike) << "two texts of four characters share no key";
    }
  }
}

}  // namespace
}  // namespace neardup
