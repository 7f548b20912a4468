#include "core/fingerprint/simhash.h"

#include <gtest/gtest.h>

#include <bitset>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "core/fingerprint/feature.h"
#include "core/fingerprint/hamming.h"
#include "tests/core/fingerprint/tiers.h"

namespace neardup {
namespace {

using reference::Accumulator;

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

std::uint64_t of_features(const std::vector<std::uint64_t>& features) {
  Accumulator<64> votes;
  for (const std::uint64_t feature : features) votes.add(feature, 1);
  return votes.majority(kTieBits[0]).to_ullong();
}

TEST(SimHash, of_one_token_is_its_hash) { EXPECT_EQ(simhash("news").bits, token_feature("news")); }

TEST(SimHash, of_nothing_is_the_tie_word) { EXPECT_EQ(simhash("").bits, 0x243F6A8885A308D3U); }

TEST(SimHash, counts_words_characters_and_bigrams_of_joined_characters) {
  const std::uint64_t you = token_feature("你");
  const std::uint64_t good = token_feature("好");
  EXPECT_EQ(simhash("old news old").bits,
            of_features({token_feature("old"), token_feature("news"), token_feature("old")}));
  EXPECT_EQ(simhash("你好").bits, of_features({you, good, bigram_feature(you, good)}));
  EXPECT_EQ(simhash("你 a 好").bits, of_features({you, token_feature("a"), good}))
      << "a word stands between the two";
  EXPECT_EQ(simhash("한 국").bits, of_features({token_feature("한"), token_feature("국")})) << "a space does";
}

std::string repeat(const std::string& what, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += what;
  return text;
}

TEST(SimHash, the_order_of_words_does_not_matter_where_no_slot_is_full) {
  EXPECT_EQ(simhash("one two three four"), simhash("four three two one"));
}

TEST(SimHash, a_token_counts_sixteen_times_and_no_more) {
  const std::uint64_t often = token_feature("often");
  const std::uint64_t other = token_feature("other");
  ASSERT_NE(often >> 51, other >> 51) << "two slots";
  const auto against = [&](int times, int opponent) {
    return simhash(repeat("often ", times) + repeat("other ", opponent - 1) + "other").bits;
  };
  const std::uint64_t tie = of_features({often, other});
  EXPECT_EQ(against(16, 15), often);
  EXPECT_EQ(against(16, 16), tie);
  EXPECT_EQ(against(17, 16), tie);
  EXPECT_EQ(against(100'000, 16), tie);
  EXPECT_EQ(against(15, 100'000), other);
}

TEST(SimHash, bigrams_are_capped_apart_from_tokens) {
  const std::uint64_t you = token_feature("你");
  const std::uint64_t bigram = bigram_feature(you, you);
  std::vector<std::uint64_t> features(16, you);
  features.insert(features.end(), 16, bigram);
  EXPECT_EQ(simhash(repeat("你", 17)).bits, of_features(features));
  EXPECT_EQ(simhash(repeat("你", 5000)).bits, of_features(features));
}

// Two words of one slot, found by search.
TEST(SimHash, tokens_that_share_a_slot_share_its_cap) {
  const std::string first = "0";
  std::string second;
  for (int i = 1; second.empty(); ++i) {
    if (token_feature(std::to_string(i)) >> 51 == token_feature(first) >> 51) second = std::to_string(i);
  }
  EXPECT_EQ(simhash(repeat(first + " ", 16) + repeat(second + " ", 99) + second).bits, token_feature(first))
      << "the second came to a full slot";
}

TEST(SimHash, widths_of_32_and_128_bits_are_parts_and_more_of_the_same) {
  std::string text = "the quick brown fox 你好世界 jumps over the lazy dog";
  const std::string padded = text + std::string(TokenStream::kTextSlack, ' ');
  TokenStream stream;
  WideSimHasher wide;
  stream.open(std::string_view(padded).substr(0, text.size()));
  std::vector<std::uint64_t> features;
  for (TokenBatch batch; stream.next(batch);) wide.add(batch);
  const std::array<std::uint64_t, 2> words = wide.finish();
  EXPECT_EQ(words[0], simhash(text).bits);
  EXPECT_EQ(words, reference::wide_simhash(reference::tokens_of(text)));

  // Votes on 32 bits alone, by the low halves of the features.
  Accumulator<32> narrow;
  for (const reference::PlainToken& token : reference::tokens_of("old news of the day")) {
    narrow.add(token.hash & 0xFFFF'FFFF, 1);
  }
  EXPECT_EQ(narrow.majority(kTieBits[0] & 0xFFFF'FFFF).to_ullong(),
            simhash("old news of the day").bits & 0xFFFF'FFFF);
}

}  // namespace
}  // namespace neardup
