#include "core/fingerprint/votes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <random>
#include <string>
#include <vector>

#include "tests/core/fingerprint/tiers.h"
#include "tests/reference/plain_simhash.h"

namespace neardup {
namespace {

using reference::Accumulator;

constexpr std::uint64_t kTies = 0x0F0F'0F0F'0F0F'0F0F;

// Features and how often each counts.
struct Weighted {
  std::uint64_t feature;
  int weight;
};

std::uint64_t majority(Votes& votes, const std::vector<std::uint64_t>& features, std::uint64_t ties) {
  for (std::size_t at = 0; at < features.size();) {
    const std::size_t size = std::min(features.size() - at, Votes::kFeaturesMax);
    std::vector<std::uint64_t> padded(features.begin() + static_cast<std::ptrdiff_t>(at),
                                      features.begin() + static_cast<std::ptrdiff_t>(at + size));
    padded.resize(size + Votes::kSlack, ~std::uint64_t{0});
    std::vector<std::uint64_t> counting(size / 64 + 1, ~std::uint64_t{0});
    counting.back() = (std::uint64_t{1} << size % 64) - 1;
    votes.add(padded.data(), counting.data(), size);
    at += size;
  }
  return votes.take_majority(ties);
}

std::uint64_t majority(Votes& votes, const std::vector<Weighted>& weighted, std::uint64_t ties) {
  std::vector<std::uint64_t> features;
  for (const Weighted& each : weighted) features.insert(features.end(), each.weight, each.feature);
  return majority(votes, features, ties);
}

class VotesTest : public testing::TestWithParam<Isa> {
 protected:
  Votes votes_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Tiers, VotesTest, testing::ValuesIn(tiers()),
                         [](const auto& test) { return std::string(isa_name(test.param)); });

// The worked example every introduction to SimHash gives: five words of 3 hash bits, d = (1, 2, 0, 3, 0).
TEST_P(VotesTest, the_textbook_example_gives_001) {
  EXPECT_EQ(
      majority(votes_, std::vector<Weighted>{{0b101, 1}, {0b011, 2}, {0b100, 0}, {0b001, 3}, {0b101, 0}}, 0),
      0b001U);
}

TEST_P(VotesTest, a_tie_takes_the_tie_bit) {
  const std::vector<std::uint64_t> features = {0b1100, 0b1010};
  EXPECT_EQ(majority(votes_, features, 0b0000), 0b1000U);
  EXPECT_EQ(majority(votes_, features, 0b0111), 0b1110U);
  EXPECT_EQ(majority(votes_, std::vector<std::uint64_t>{}, kTies), kTies) << "without votes all is tied";
}

TEST_P(VotesTest, a_greater_weight_moves_only_the_bits_it_decides) {
  std::mt19937_64 random(7);
  std::vector<Weighted> features(21, {0, 1});
  for (Weighted& each : features) each.feature = random();
  const std::uint64_t own = features[0].feature;
  const auto votes_with = [&](int weight_of_first) {
    features[0].weight = weight_of_first;
    return majority(votes_, features, 0);
  };
  const std::uint64_t before = votes_with(1);
  const std::uint64_t after = votes_with(5);
  EXPECT_NE(after, before);
  EXPECT_EQ((after ^ before) & (after ^ own), 0U) << "every bit that moved is now the feature's own";
  EXPECT_EQ(votes_with(100), own) << "a feature heavier than all others decides alone";
}

TEST_P(VotesTest, sums_are_exact_for_any_number_of_features) {
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> features;
  Accumulator<64> plain;
  for (int n = 0; n <= 3000; ++n) {
    ASSERT_EQ(majority(votes_, features, kTies), plain.majority(kTies).to_ullong()) << n << " features";
    // Half of the bits stay near a tie, where one vote too many or too few shows.
    const std::uint64_t feature = n % 2 == 0 ? random() : ~features.back() ^ (random() & random() & random());
    features.push_back(feature);
    plain.add(feature, 1);
  }
}

TEST_P(VotesTest, sums_are_exact_for_a_million_features) {
  std::mt19937_64 random(13);
  std::vector<std::uint64_t> features;
  Accumulator<64> plain;
  for (int i = 0; i < 500'000; ++i) {
    const std::uint64_t feature = random();
    for (const std::uint64_t each : {feature, ~feature}) {
      features.push_back(each);
      plain.add(each, 1);
    }
  }
  EXPECT_EQ(majority(votes_, features, kTies), kTies) << "as many for as against";
  features.push_back(0x1234'5678'9ABC'DEF0);
  EXPECT_EQ(majority(votes_, features, kTies), 0x1234'5678'9ABC'DEF0U) << "one vote decides";
}

TEST_P(VotesTest, who_came_too_often_does_not_count) {
  std::mt19937_64 random(17);
  for (int n = 0; n < 400; ++n) {
    std::vector<std::uint64_t> features(n + Votes::kSlack);
    std::vector<std::uint64_t> counting(n / 64 + 1);
    Accumulator<64> plain;
    for (int i = 0; i < n; ++i) {
      features[i] = random();
      const std::uint64_t counts = random() % 2;
      counting[i / 64] |= counts << i % 64;
      if (counts != 0) plain.add(features[i], 1);
    }
    votes_.add(features.data(), counting.data(), n);
    ASSERT_EQ(votes_.take_majority(kTies), plain.majority(kTies).to_ullong()) << n;
  }
}

// In 64 MiB of one character nothing counts behind the first words. Blocks of that had been added as well,
// more than there were planes for.
TEST_P(VotesTest, what_does_not_count_takes_no_room) {
  std::mt19937_64 random(19);
  internal::VotePlanes planes{};
  const auto vote = internal::kernels(GetParam()).vote;
  std::vector<std::uint64_t> features(Votes::kFeaturesMax + Votes::kSlack);
  for (std::uint64_t& each : features) each = random();
  std::vector<std::uint64_t> counting(Votes::kFeaturesMax / 64);
  for (int batch = 0; batch < 200'000; ++batch) {
    ASSERT_EQ(vote(features.data(), counting.data(), Votes::kFeaturesMax, planes), 0U);
    votes_.add(features.data(), counting.data(), Votes::kFeaturesMax);
  }
  EXPECT_EQ(planes.blocks, 0U);

  Accumulator<64> plain;
  for (const std::size_t i : {0, 63, 64, 127, 1000, 2047}) {  // some blocks count between those that do not
    counting[i / 64] |= std::uint64_t{1} << i % 64;
    plain.add(features[i], 1);
  }
  votes_.add(features.data(), counting.data(), Votes::kFeaturesMax);
  EXPECT_EQ(votes_.take_majority(kTies), plain.majority(kTies).to_ullong());
}

// The most blocks that a text can need: two tables of slots, each slot full, each feature in a block alone.
TEST_P(VotesTest, sums_are_exact_with_one_feature_in_each_block) {
  std::mt19937_64 random(23);
  std::vector<std::uint64_t> features(Votes::kFeaturesMax + Votes::kSlack);
  std::vector<std::uint64_t> counting(Votes::kFeaturesMax / 64);
  for (std::size_t i = 0; i < Votes::kFeaturesMax; i += internal::VotePlanes::kBlock) counting[i / 64] = 1;
  Accumulator<64> plain;
  for (std::size_t counted = 0; counted < internal::kCountingMax;) {
    for (std::size_t i = 0; i < Votes::kFeaturesMax; i += internal::VotePlanes::kBlock, ++counted) {
      features[i] = random() | 1;
      plain.add(features[i], 1);
    }
    votes_.add(features.data(), counting.data(), Votes::kFeaturesMax);
  }
  const std::uint64_t majority = votes_.take_majority(kTies);
  EXPECT_EQ(majority, plain.majority(kTies).to_ullong());
  EXPECT_EQ(majority & 1, 1U) << "all of them voted for it";
}

}  // namespace
}  // namespace neardup
