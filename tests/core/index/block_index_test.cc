#include "core/index/block_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A column and its index, filled together.
struct Filled {
  explicit Filled(int distance) : index(fingerprints, distance) {}

  FingerprintColumn fingerprints;
  BlockIndex index;

  void insert(std::uint64_t bits) {
    fingerprints.push_back({bits});
    index.insert_next();
  }
  std::vector<Match> find_all(std::uint64_t bits) const {
    std::vector<Match> matches = {{99, 99}};  // to be replaced
    index.find_all({bits}, matches);
    return matches;
  }
};

constexpr std::uint64_t flip(std::uint64_t bits, std::initializer_list<int> positions) {
  for (const int position : positions) bits ^= std::uint64_t{1} << position;
  return bits;
}

TEST(BlockIndex, an_empty_index_finds_nothing) {
  const Filled filled(3);
  EXPECT_EQ(filled.index.find_first({0}), std::nullopt);
  EXPECT_THAT(filled.find_all(0), IsEmpty());
}

TEST(BlockIndex, finds_at_distance_k_and_not_at_k_plus_one) {
  constexpr std::uint64_t kStored = 0x0123456789ABCDEF;
  for (int k = 0; k <= kHammingDistanceMax; ++k) {
    SCOPED_TRACE(k);
    Filled filled(k);
    filled.insert(kStored);
    std::uint64_t query = kStored;
    for (int flipped = 0; flipped < 8; ++flipped) {
      const std::optional<Match> expected =
          flipped <= k ? std::optional<Match>(Match{0, flipped}) : std::nullopt;
      EXPECT_EQ(filled.index.find_first({query}), expected) << flipped;
      query = flip(query, {flipped * 8});  // two to a block at the end
    }
  }
}

TEST(BlockIndex, the_lowest_sequence_number_wins_however_near_the_others_are) {
  Filled filled(3);
  filled.insert(flip(0, {0, 16, 32}));  // 0: only block 3 agrees
  filled.insert(0);                     // 1: the query itself
  filled.insert(flip(0, {63}));         // 2: blocks 0 to 2 agree
  EXPECT_EQ(filled.index.find_first({0}), (Match{0, 3}));
}

TEST(BlockIndex, each_match_is_returned_once_in_ascending_order) {
  Filled filled(3);
  filled.insert(flip(0, {0, 16, 32}));
  filled.insert(0);
  filled.insert(flip(0, {1, 2, 3, 4}));
  filled.insert(flip(0, {63}));
  filled.insert(0);
  EXPECT_THAT(filled.find_all(0), ElementsAre(Match{0, 3}, Match{1, 0}, Match{3, 1}, Match{4, 0}));
}

// The classic example, 妈妈喊你来吃饭 against 妈妈叫你来吃饭: fingerprints at distance 3 whose first block
// agrees and whose other three differ. Only that block can find them.
TEST(BlockIndex, a_pair_that_shares_a_single_block_is_found_through_it) {
  constexpr std::uint64_t kT1 = 0x9E37'79B9'7F4A'7C15;
  constexpr std::uint64_t kT2 = flip(kT1, {1, 20, 47});  // one bit in each block but the highest
  static_assert((kT1 >> 48) == (kT2 >> 48));
  Filled filled(3);
  filled.insert(kT1);
  EXPECT_EQ(filled.index.find_first({kT2}), (Match{0, 3}));
  // With one more bit in the shared block the distance is 4 and no block agrees.
  EXPECT_EQ(filled.index.find_first({flip(kT2, {60})}), std::nullopt);
}

TEST(BlockIndex, buckets_of_any_length_keep_all_their_postings) {
  Filled filled(3);
  for (std::uint64_t i = 0; i < 1000; ++i) filled.insert(0);
  EXPECT_EQ(filled.find_all(0).size(), 1000U);
  EXPECT_EQ(filled.find_all(0).back(), (Match{999, 0}));
  EXPECT_EQ(filled.index.find_first({1}), (Match{0, 1}));
}

TEST(BlockIndex, memory_is_2_mib_empty_and_17_bytes_per_unique_when_full) {
  Filled filled(3);
  EXPECT_EQ(filled.index.bytes(), std::size_t{2} << 20);
  std::mt19937_64 random(1);
  constexpr std::size_t kCount = 1'000'000;
  for (std::size_t i = 0; i < kCount; ++i) filled.insert(random());
  EXPECT_GE(filled.index.bytes(), kCount * 17);
  EXPECT_LE(filled.index.bytes(), kCount * 18 + (std::size_t{19} << 20));
}

TEST(BlockIndexDeathTest, refuses_a_distance_it_could_not_answer_exactly) {
  FingerprintColumn fingerprints;
  EXPECT_DEATH(BlockIndex(fingerprints, 4), "three differing bits");
  EXPECT_DEATH(BlockIndex(fingerprints, -1), "three differing bits");
}

}  // namespace
}  // namespace neardup
