#include "core/index/bucket_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Ordinal> postings(const BucketTable& table, Key key) {
  std::vector<Ordinal> found;
  table.scan(key, [&](Ordinal ordinal) { found.push_back(ordinal); });
  return found;
}

TEST(BucketTable, gives_back_the_postings_of_a_key_and_of_no_other_oldest_first) {
  BucketTable table;
  table.insert(7, 0);
  table.insert(8, 1);
  table.insert(7, 5);
  EXPECT_THAT(postings(table, 7), ElementsAre(0, 5));
  EXPECT_THAT(postings(table, 8), ElementsAre(1));
  EXPECT_THAT(postings(table, 9), IsEmpty());
}

TEST(BucketTable, compares_36_bits_of_a_key_whatever_its_size) {
  BucketTable table;
  table.insert(1, 0);
  const Key same = Key{1} | Key{1} << BucketTable::kKeyBits;
  const Key other = Key{1} | Key{1} << (BucketTable::kKeyBits - 1);
  std::mt19937_64 random(1);
  for (Ordinal ordinal = 1; ordinal < 20'000; ++ordinal) {
    if ((ordinal & (ordinal - 1)) == 0) {
      EXPECT_THAT(postings(table, same), ElementsAre(0)) << table.buckets();
      EXPECT_THAT(postings(table, other), IsEmpty()) << table.buckets();
    }
    table.insert(random() | 2, ordinal);
  }
}

TEST(BucketTable, a_flood_of_one_key_is_appended_as_fast_as_any_other) {
  BucketTable table;
  constexpr Ordinal kMany = 1'000'000;  // would take hours if an insert walked the chain
  for (Ordinal ordinal = 0; ordinal < kMany; ++ordinal) table.insert(42, ordinal);
  EXPECT_EQ(table.count(42, kMany), kMany);
  EXPECT_EQ(table.count(42, 16), 16U);
  Ordinal next = 0;
  table.scan(42, [&](Ordinal ordinal) {
    ASSERT_EQ(ordinal, next);
    ++next;
  });
  EXPECT_EQ(next, kMany);
}

TEST(BucketTable, erases_one_posting_and_keeps_the_order_of_the_others) {
  BucketTable table;
  for (Ordinal ordinal = 0; ordinal < 30; ++ordinal) table.insert(64 * ordinal, ordinal);  // all in one chain
  for (Ordinal ordinal = 30; ordinal < 60; ++ordinal) table.insert(0, ordinal);
  EXPECT_TRUE(table.erase(0, 31));
  EXPECT_FALSE(table.erase(0, 31));
  EXPECT_FALSE(table.erase(0, 1)) << "that is another key's";
  EXPECT_TRUE(table.erase(0, 0));
  std::vector<Ordinal> expected;
  for (Ordinal ordinal = 30; ordinal < 60; ++ordinal) {
    if (ordinal != 31) expected.push_back(ordinal);
  }
  EXPECT_EQ(postings(table, 0), expected);
  EXPECT_EQ(table.postings(), 58U);
}

TEST(BucketTable, gives_the_lines_of_what_was_erased_to_later_postings) {
  BucketTable table;
  for (Ordinal ordinal = 0; ordinal < 500; ++ordinal) table.insert(1, ordinal);
  const std::uint64_t lines = table.lines();
  for (Ordinal ordinal = 0; ordinal < 500; ++ordinal) EXPECT_TRUE(table.erase(1, ordinal));
  EXPECT_LT(table.lines(), lines);
  const std::size_t bytes = table.bytes();
  for (Ordinal ordinal = 500; ordinal < 1000; ++ordinal) table.insert(1, ordinal);
  EXPECT_EQ(table.bytes(), bytes);
  EXPECT_EQ(table.postings(), 500U);
}

TEST(BucketTable, what_is_expired_is_gone_at_once_and_its_room_soon) {
  BucketTable table;
  std::mt19937_64 random(3);
  constexpr Ordinal kLive = 20'000;
  std::uint64_t most = 0;
  for (Ordinal ordinal = 0; ordinal < 20 * kLive; ++ordinal) {
    const Key key = random() % 1000;
    if (ordinal >= kLive) table.expire(ordinal - kLive + 1);
    table.insert(key, ordinal);
    for (const Ordinal found : postings(table, random() % 1000)) ASSERT_GT(found + kLive, ordinal);
    most = std::max(most, table.postings());
  }
  EXPECT_LT(most, kLive * 3 / 2);
  EXPECT_LT(table.buckets(), kLive / 4);
}

// As where few of the uniques are pages.
constexpr Ordinal kSparseWindow = 20'000;
constexpr Ordinal kSparseStride = 20;

void expect_no_more_than_the_window(const BucketTable& table, Ordinal end) {
  EXPECT_LT(table.buckets(), kSparseWindow / 4) << "eight ordinals need one, but only those of a window";
  EXPECT_LT(table.postings(), 2 * kSparseWindow / kSparseStride);
  BucketTable fresh;
  fresh.expire(end - kSparseWindow);
  for (Ordinal ordinal = end - kSparseWindow; ordinal < end; ordinal += kSparseStride)
    fresh.insert(ordinal * 0x9E3779B97F4A7C15, ordinal);
  EXPECT_EQ(table.digest(), fresh.digest());
}

TEST(BucketTable, is_swept_though_few_ordinals_have_a_posting) {
  BucketTable table;
  constexpr Ordinal kEnd = 10 * kSparseWindow;
  for (Ordinal ordinal = 0; ordinal < kEnd; ++ordinal) {
    if (ordinal >= kSparseWindow) table.expire(ordinal - kSparseWindow + 1);
    if (ordinal % kSparseStride == 0) table.insert(ordinal * 0x9E3779B97F4A7C15, ordinal);
  }
  expect_no_more_than_the_window(table, kEnd);
}

TEST(BucketTable, is_swept_between_batches_though_few_ordinals_have_a_posting) {
  BucketTable table;
  constexpr Ordinal kEnd = 10 * kSparseWindow;
  constexpr Ordinal kBatch = 1000;
  constexpr BucketTable::ShardSet kAll = (BucketTable::ShardSet{1} << BucketTable::kShards) - 1;
  for (Ordinal first = 0; first < kEnd; first += kBatch) {
    if (first + kBatch > kSparseWindow) table.expire(first + kBatch - kSparseWindow);
    table.open(kBatch / kSparseStride, first + kBatch - 1);
    table.grow(kAll);
    for (Ordinal ordinal = first; ordinal < first + kBatch; ordinal += kSparseStride)
      table.insert_own(ordinal * 0x9E3779B97F4A7C15, ordinal);
    table.close();
  }
  expect_no_more_than_the_window(table, kEnd);
}

TEST(BucketTable, may_begin_at_any_ordinal) {
  BucketTable table;
  constexpr Ordinal kBegin = Ordinal{1} << 45;
  table.expire(kBegin);
  for (Ordinal ordinal = kBegin; ordinal < kBegin + 1000; ++ordinal) table.insert(ordinal % 10, ordinal);
  EXPECT_THAT(table.count(3, 1000), 100U);
  EXPECT_EQ(postings(table, 3).front(), kBegin + (13 - kBegin % 10) % 10);
  EXPECT_LT(table.buckets(), 200U) << "only the distance from the oldest counts";
}

TEST(BucketTable, nine_bytes_a_posting_at_most_on_average_over_a_doubling) {
  BucketTable table;
  std::mt19937_64 random(5);
  double sum = 0;
  int samples = 0;
  for (Ordinal ordinal = 0; ordinal < 100'000; ++ordinal) {
    for (int band = 0; band < 10; ++band) table.insert(random(), ordinal);
    if (ordinal < 50'000 || ordinal % 1000 != 0) continue;
    sum += 64.0 * static_cast<double>(table.lines()) / static_cast<double>(table.postings());
    ++samples;
  }
  EXPECT_LT(sum / samples, 8.7);
  EXPECT_GT(sum / samples, 7.5) << "lines hold twelve postings, so fewer were lost";
  EXPECT_GE(table.bytes(), 64 * table.lines());
  EXPECT_LT(table.bytes(), 64 * table.lines() + (std::size_t{1} << 20));
}

TEST(BucketTable, is_small_where_little_is_in_it) {
  BucketTable table;
  EXPECT_LE(table.bytes(), std::size_t{64} << 10);
  for (Ordinal ordinal = 0; ordinal < 5000; ++ordinal) table.insert(ordinal * 0x9E3779B97F4A7C15, ordinal);
  EXPECT_LE(table.bytes(), std::size_t{192} << 10);
}

}  // namespace
}  // namespace neardup
