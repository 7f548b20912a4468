#include "core/index/mgram_index.h"
#include "core/limits.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

class MgramIndexTest : public testing::Test {
 protected:
  MgramSignature sign(std::string_view canonical) {
    MgramSignature signature;
    signer_.sign(canonical, signature);
    return signature;
  }
  std::vector<Sequence> candidates(const MgramIndex& index, std::string_view canonical) {
    index.find(sign(canonical), search_, [](MgramSizes, std::uint32_t) { return true; });
    std::vector<Sequence> found;
    for (const Ordinal row : search_.candidates()) found.push_back(index.sequence(row));
    return found;
  }

  MgramSigner signer_{MgramOptions{}};
  MgramSearch search_;
};

TEST_F(MgramIndexTest, candidates_are_those_that_share_a_gram_oldest_first) {
  MgramIndex index;
  index.insert(2, sign("the morning paper"));
  index.insert(5, sign("an evening paper"));
  index.insert(9, sign("quite other words"));
  EXPECT_EQ(candidates(index, "evening or paper"), (std::vector<Sequence>{2, 5}));
  EXPECT_EQ(candidates(index, "xyzw"), std::vector<Sequence>{});
}

TEST_F(MgramIndexTest, the_filter_learns_the_sizes_and_the_most_grams_shared) {
  MgramIndex index;
  const MgramSignature stored = sign("abcdefabcdef");
  index.insert(0, stored);
  int asked = 0;
  index.find(sign("abcdef"), search_, [&](MgramSizes sizes, std::uint32_t most_shared) {
    ++asked;
    EXPECT_EQ(sizes.units, 12U);
    EXPECT_EQ(sizes.grams, stored.grams.size());
    EXPECT_EQ(sizes.norm, stored.norm);
    EXPECT_EQ(most_shared, 3U);
    return false;
  });
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(search_.candidates().empty());
}

TEST_F(MgramIndexTest, a_bucket_keeps_its_oldest_texts_and_counts_what_it_refuses) {
  MgramIndex index;
  for (unsigned i = 0; i < MgramIndex::kBucketTextsMax + 10; ++i) index.insert(i, sign("same"));
  EXPECT_EQ(index.refused(), 10U);
  EXPECT_EQ(index.unmet(), 10U);
  EXPECT_EQ(index.full_grams(), 1U);
  const std::vector<Sequence> found = candidates(index, "same");
  ASSERT_EQ(found.size(), MgramIndex::kBucketTextsMax);
  EXPECT_EQ(found.back(), MgramIndex::kBucketTextsMax - 1);

  index.insert(500, sign("the same again"));  // has other grams, too
  EXPECT_EQ(index.unmet(), 10U);
  EXPECT_EQ(candidates(index, "again"), std::vector<Sequence>{500});
  index.find(sign("the same"), search_, [&](MgramSizes sizes, std::uint32_t most_shared) {
    if (sizes.units == 14) {
      EXPECT_EQ(most_shared, 5U) << "four that are counted, and the full one";
    }
    return true;
  });
}

TEST_F(MgramIndexTest, of_too_many_rows_those_that_share_most_are_looked_at) {
  MgramIndex index;
  // Each of the query's grams lies in a bucket of its own with other texts.
  std::string query;
  for (char c = 'a'; c <= 'z'; ++c) query += std::string(1, c) + static_cast<char>('z' - (c - 'a'));
  Sequence next = 0;
  for (std::size_t at = 0; at + 4 <= query.size(); ++at) {
    for (unsigned i = 0; i + 1 < MgramIndex::kBucketTextsMax; ++i) {
      index.insert(next++, sign(query.substr(at, 4) + std::to_string(1000 + i)));
    }
  }
  index.insert(next, sign(query));
  const std::vector<Sequence> found = candidates(index, query);
  EXPECT_TRUE(search_.is_truncated());
  ASSERT_EQ(found.size(), MgramIndex::kRowsMax);
  EXPECT_EQ(found.back(), next) << "it shares all of them";
  EXPECT_EQ(found[kMgramSizeMax], kMgramSizeMax) << "of equals the oldest";
  candidates(index, "nothing of it");
  EXPECT_FALSE(search_.is_truncated());
}

TEST_F(MgramIndexTest, what_is_erased_or_expired_is_met_no_more) {
  MgramIndex index;
  for (unsigned i = 0; i < 6; ++i) index.insert(10 * i, sign("same text " + std::to_string(i)));
  EXPECT_TRUE(index.erase(20, signer_));
  EXPECT_FALSE(index.erase(20, signer_));
  EXPECT_FALSE(index.erase(21, signer_));
  EXPECT_FALSE(index.erase(999, signer_));
  EXPECT_EQ(candidates(index, "same text"), (std::vector<Sequence>{0, 10, 30, 40, 50}));
  index.expire(30);
  EXPECT_EQ(candidates(index, "same text"), (std::vector<Sequence>{30, 40, 50}));
  EXPECT_FALSE(index.erase(10, signer_));
  index.insert(60, sign("same text"));
  EXPECT_EQ(candidates(index, "text"), (std::vector<Sequence>{30, 40, 50, 60}));
}

TEST_F(MgramIndexTest, a_full_bucket_has_room_again_when_texts_were_forgotten) {
  MgramIndex index;
  for (unsigned i = 0; i < MgramIndex::kBucketTextsMax + 1; ++i) index.insert(i, sign("same"));
  index.expire(10);
  index.insert(100, sign("same"));
  EXPECT_EQ(candidates(index, "same").back(), 100U);
  EXPECT_EQ(index.full_grams(), 1U) << "one that it refused is still not under it";
  index.expire(65);
  EXPECT_EQ(index.full_grams(), 0U) << "it is forgotten";
}

TEST_F(MgramIndexTest, the_digest_is_of_what_is_stored) {
  const auto fill = [&](MgramIndex& index, int texts) {
    std::mt19937_64 random(4);
    for (int i = 0; i < texts; ++i) {
      std::string text;
      for (int c = 0; c < 30; ++c) text.push_back(static_cast<char>('a' + random() % 4));
      index.insert(static_cast<Sequence>(i), sign(text));
    }
  };
  MgramIndex one;
  MgramIndex other;
  fill(one, 3000);
  fill(other, 3000);
  EXPECT_GT(one.refused(), 0U);
  EXPECT_EQ(one.digest(), other.digest());
  EXPECT_TRUE(other.erase(17, signer_));
  EXPECT_NE(one.digest(), other.digest());
  EXPECT_TRUE(one.erase(17, signer_));
  EXPECT_EQ(one.digest(), other.digest());
  one.expire(1000);
  EXPECT_NE(one.digest(), other.digest());
  EXPECT_GT(one.bytes(), std::size_t{1} << 20);
}

TEST_F(MgramIndexTest, sequence_numbers_go_on_past_32_bits_as_long_as_the_oldest_expire) {
  MgramIndex index;
  index.insert(7, sign("the morning paper"));
  index.insert(0xFE000000, sign("an evening paper"));
  index.expire(0xFE000000);
  const Sequence beyond = 0x1'0000'0000;
  index.insert(0xFFFFFFFF, sign("a morning paper"));
  index.insert(beyond + 3, sign("the paper of today"));
  EXPECT_EQ(candidates(index, "one paper"), (std::vector<Sequence>{0xFE000000, 0xFFFFFFFF, beyond + 3}));

  index.expire(0xFFFFFFFF);
  EXPECT_EQ(candidates(index, "one paper"), (std::vector<Sequence>{0xFFFFFFFF, beyond + 3}));
  EXPECT_TRUE(index.erase(beyond + 3, signer_));
  EXPECT_FALSE(index.erase(3, signer_)) << "which has the same low bits";
  index.expire(2 * beyond - 5);
  EXPECT_EQ(candidates(index, "one paper"), std::vector<Sequence>{});
  index.insert(2 * beyond, sign("a paper of tomorrow"));
  EXPECT_EQ(candidates(index, "one paper"), std::vector<Sequence>{2 * beyond});
}

}  // namespace
}  // namespace neardup
