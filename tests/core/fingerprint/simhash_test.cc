#include "core/fingerprint/simhash.h"

#include <gtest/gtest.h>

#include <bitset>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "core/fingerprint/feature.h"
#include "core/fingerprint/hamming.h"

namespace neardup {
namespace {

// The worked example every introduction to SimHash gives: five words of 3 hash bits, d = (1, 2, 0, 3, 0).
TEST(Accumulator, the_textbook_example_gives_001) {
  Accumulator<3> votes;
  votes.add(std::bitset<3>("101"), 1);
  votes.add(std::bitset<3>("011"), 2);
  votes.add(std::bitset<3>("100"), 0);
  votes.add(std::bitset<3>("001"), 3);
  votes.add(std::bitset<3>("101"), 0);
  EXPECT_EQ(votes.sum(2), -4);
  EXPECT_EQ(votes.sum(1), -2);
  EXPECT_EQ(votes.sum(0), 6);
  EXPECT_EQ(votes.majority(0), std::bitset<3>("001"));
}

TEST(Accumulator, a_tie_takes_the_tie_bit) {
  Accumulator<4> votes;
  votes.add(std::bitset<4>("1100"), 1);
  votes.add(std::bitset<4>("1010"), 1);
  EXPECT_EQ(votes.majority(std::bitset<4>("0000")), std::bitset<4>("1000"));
  EXPECT_EQ(votes.majority(std::bitset<4>("0111")), std::bitset<4>("1110"));
}

template <std::size_t kBits>
void expect_majority_of_three() {
  std::mt19937_64 random(kBits);
  std::bitset<kBits> a;
  std::bitset<kBits> b;
  std::bitset<kBits> c;
  for (std::size_t bit = 0; bit < kBits; ++bit) {
    a[bit] = random() % 2;
    b[bit] = random() % 2;
    c[bit] = random() % 2;
  }
  Accumulator<kBits> votes;
  votes.add(a, 1);
  votes.add(b, 1);
  votes.add(c, 1);
  EXPECT_EQ(votes.majority({}), (a & b) | (a & c) | (b & c));
}

TEST(Accumulator, works_at_every_width) {
  expect_majority_of_three<6>();
  expect_majority_of_three<32>();
  expect_majority_of_three<64>();
  expect_majority_of_three<128>();
}

TEST(Accumulator, a_greater_weight_moves_only_the_bits_it_decides) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> features(21);
  for (auto& feature : features) feature = random();
  const auto votes_with = [&](std::int32_t weight_of_first) {
    Accumulator<64> votes;
    for (std::size_t i = 0; i < features.size(); ++i) votes.add(features[i], i == 0 ? weight_of_first : 1);
    return votes.majority({}).to_ullong();
  };
  const std::uint64_t before = votes_with(1);
  const std::uint64_t after = votes_with(5);
  EXPECT_NE(after, before);
  EXPECT_EQ((after ^ before) & ~(after ^ ~features[0]), 0U)
      << "every bit that moved is now the feature's own";
  EXPECT_EQ(votes_with(100), features[0]) << "a feature heavier than all others decides alone";
}

// The angle between two weighted feature vectors is estimated by the share of bits that differ.
TEST(Accumulator, bits_differ_with_probability_angle_over_pi) {
  constexpr std::uint64_t kSeed = 2002;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> normal;
  constexpr int kFeatures = 300;
  constexpr int kTrials = 400;
  for (const double degrees : {10.0, 30.0, 60.0, 90.0, 140.0}) {
    double differing = 0;
    double expected = 0;
    double variance = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      Accumulator<64> votes_u;
      Accumulator<64> votes_v;
      double uu = 0;
      double vv = 0;
      double uv = 0;
      const double angle = degrees * std::numbers::pi / 180;
      for (int i = 0; i < kFeatures; ++i) {
        const double x = normal(random);
        const double y = normal(random);
        const auto u = static_cast<std::int32_t>(std::lround(1000 * x));
        const auto v =
            static_cast<std::int32_t>(std::lround(1000 * (std::cos(angle) * x + std::sin(angle) * y)));
        const std::uint64_t feature = random();
        votes_u.add(feature, u);
        votes_v.add(feature, v);
        uu += 1.0 * u * u;
        vv += 1.0 * v * v;
        uv += 1.0 * u * v;
      }
      const double p = std::acos(uv / std::sqrt(uu * vv)) / std::numbers::pi;
      expected += 64 * p;
      variance += 64 * p * (1 - p);
      differing += static_cast<double>((votes_u.majority({}) ^ votes_v.majority({})).count());
    }
    EXPECT_NEAR(differing, expected, 3 * std::sqrt(variance)) << degrees << " degrees";
  }
}

TEST(SimHash, of_one_feature_is_its_hash) {
  SimHash simhash;
  simhash.add(0x0123456789ABCDEF);
  EXPECT_EQ(simhash.finish(), (Fingerprint{0x0123456789ABCDEF}));
}

TEST(SimHash, of_nothing_or_of_opposites_is_the_tie_word) {
  EXPECT_EQ(SimHash().finish(), (Fingerprint{SimHash::kTieBits}));
  SimHash simhash;
  simhash.add(0x0123456789ABCDEF);
  simhash.add(~std::uint64_t{0x0123456789ABCDEF});
  EXPECT_EQ(simhash.finish(), (Fingerprint{SimHash::kTieBits}));
}

TEST(SimHash, the_order_of_features_does_not_matter_where_no_slot_is_full) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> features(500);
  for (auto& feature : features) feature = random();
  SimHash forward;
  for (auto feature = features.begin(); feature != features.end(); ++feature) forward.add(*feature);
  SimHash backward;
  for (auto feature = features.rbegin(); feature != features.rend(); ++feature) backward.add(*feature);
  EXPECT_EQ(forward.finish(), backward.finish());
}

TEST(SimHash, a_feature_counts_sixteen_times_and_no_more) {
  constexpr std::uint64_t kOften = 0xFFFF'FFFF'0000'0000;
  constexpr std::uint64_t kOpponent = 0x0000'0000'FFFF'FFFF;
  const auto against = [&](int often, int opponent) {
    SimHash simhash;
    for (int i = 0; i < often; ++i) simhash.add(kOften);
    for (int i = 0; i < opponent; ++i) simhash.add(kOpponent);
    return simhash.finish().bits;
  };
  EXPECT_EQ(against(16, 15), kOften);
  EXPECT_EQ(against(16, 16), SimHash::kTieBits);
  EXPECT_EQ(against(17, 16), SimHash::kTieBits);
  EXPECT_EQ(against(100'000, 16), SimHash::kTieBits);
  EXPECT_EQ(against(15, 100'000), kOpponent);
}

TEST(SimHash, features_that_share_a_slot_share_its_cap) {
  constexpr std::uint64_t kFirst = 0xABC8'0000'0000'0000;   // the slot is the top 13 bits
  constexpr std::uint64_t kSecond = 0xABCF'FFFF'FFFF'FFFF;  // the same slot
  constexpr std::uint64_t kOther = 0xABD0'0000'0000'0000;   // the next one
  SimHash full;
  for (int i = 0; i < 16; ++i) full.add(kFirst);
  for (int i = 0; i < 100; ++i) full.add(kSecond);
  EXPECT_EQ(full.finish(), (Fingerprint{kFirst})) << "the second came to a full slot";
  for (int i = 0; i < 100; ++i) full.add(kOther);
  EXPECT_NE(full.finish(), (Fingerprint{kFirst})) << "another slot still counts";
}

Fingerprint of_features(const std::vector<std::uint64_t>& features) {
  SimHash simhash;
  for (const std::uint64_t feature : features) simhash.add(feature);
  return simhash.finish();
}

TEST(SimHash, of_a_text_counts_words_characters_and_bigrams_of_adjacent_characters) {
  EXPECT_EQ(simhash(""), (Fingerprint{SimHash::kTieBits}));
  EXPECT_EQ(simhash("news"), of_features({word_feature("news")}));
  EXPECT_EQ(simhash("old news old"),
            of_features({word_feature("old"), word_feature("news"), word_feature("old")}));
  EXPECT_EQ(simhash("你好"),
            of_features({character_feature(U'你'), character_feature(U'好'), bigram_feature(U'你', U'好')}));
  EXPECT_EQ(simhash("你 a 好"),
            of_features({character_feature(U'你'), word_feature("a"), character_feature(U'好')}))
      << "a word stands between the two";
}

}  // namespace
}  // namespace neardup
