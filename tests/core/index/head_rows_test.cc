#include "core/index/head_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "core/index/hamming_tables.h"

namespace neardup {
namespace {

constexpr int kKeyBits = 9;
constexpr int kLevelMin = 4;  // less than a run
constexpr int kSlots = 3;
constexpr std::uint64_t kEnough = 150'000;  // all widenings are done

using Lines = std::vector<const std::uint32_t*>;

// The lines of all heads, by row and slot.
Lines lines_of(const HeadRows& rows) {
  const HeadRows::Size& size = rows.size();
  Lines lines;
  for (std::uint64_t row = 0; row < rows.rows(); ++row) {
    const HeadRows::Region& region = row < size.whole() ? size.region(row) : size.regions[1];
    for (int slot = 0; slot < kSlots; ++slot) {
      for (int word = 0; word < 1 << region.shift; word += HeadRows::kLineWords) {
        lines.push_back(region.head(row, slot) + word);
      }
    }
  }
  return lines;
}

void expect_same_size(const HeadRows& a, const HeadRows& b) {
  EXPECT_EQ(a.size().level, b.size().level);
  EXPECT_EQ(a.size().split, b.size().split);
  EXPECT_EQ(a.size().widenings, b.size().widenings);
  EXPECT_EQ(a.size().entries, b.size().entries);
  EXPECT_EQ(a.size().due, b.size().due);
  EXPECT_EQ(a.bytes(), b.bytes());
}

// As its owners do, with a batch of at most so many; returns how many there were.
std::uint64_t grow(HeadRows& rows, std::uint64_t count) {
  count = rows.before_round_ends(count);
  rows.prepare(count);
  HeadRows::Size size = rows.size();
  for (size.entries += count; size.entries > size.due; rows.advance(size)) {
    EXPECT_LT(size.split, size.whole()) << "a batch ends with a round";
  }
  rows.finish(count);
  EXPECT_TRUE(size.split == rows.size().split || size.split == size.whole());
  return count;
}

TEST(HeadRows, have_a_line_of_their_own_for_each_row_and_slot_that_is_zero_at_first) {
  HeadRows rows(kKeyBits, kLevelMin, kSlots);
  int widenings = 0;
  while (rows.size().entries < kEnough) {
    grow(rows, 4000);
    const Lines lines = lines_of(rows);
    ASSERT_EQ(lines.size(), rows.lines_of_a_table() * kSlots);
    ASSERT_EQ(std::set(lines.begin(), lines.end()).size(), lines.size());
    for (const std::uint32_t* const line : lines) {
      for (int word = 0; word < HeadRows::kLineWords; ++word) ASSERT_EQ(line[word], 0U);
    }
    ASSERT_GE(rows.bytes(), lines.size() * HeadRows::kLineWords * sizeof(std::uint32_t));
    widenings = rows.size().widenings;
  }
  EXPECT_EQ(widenings, HeadRows::kWidenings);
}

TEST(HeadRows, are_the_same_whether_they_grow_by_ones_by_batches_or_at_once) {
  std::mt19937_64 random(1);
  HeadRows by_one(kKeyBits, kLevelMin, kSlots);
  HeadRows by_batch(kKeyBits, kLevelMin, kSlots);
  while (by_batch.size().entries < kEnough) {
    const std::uint64_t count = grow(by_batch, 1 + random() % 5000);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(grow(by_one, 1), 1U);
    expect_same_size(by_one, by_batch);

    const std::uint64_t entries = by_batch.size().entries;
    const HeadRows::Shape shape = by_batch.shape_of(entries);
    EXPECT_EQ(shape.level, by_batch.size().level) << entries;
    EXPECT_EQ(shape.ahead, by_batch.size().split) << entries;
    EXPECT_EQ(shape.widenings, by_batch.size().widenings) << entries;
    HeadRows at_once(kKeyBits, kLevelMin, kSlots);
    at_once.prepare_all(entries);
    at_once.finish_all(entries);
    EXPECT_EQ(at_once.lines_of_a_table(), by_batch.lines_of_a_table());
    EXPECT_EQ(at_once.size().due, by_batch.size().due);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(HeadRows, keep_their_size_when_entries_are_taken_out_until_more_come_than_ever_were) {
  HeadRows rows(kKeyBits, kLevelMin, kSlots);
  for (int i = 0; i < 1000; ++i) grow(rows, 1);
  const std::uint64_t lines = rows.lines_of_a_table();
  for (int i = 0; i < 300; ++i) rows.forget();
  for (int i = 0; i < 300; ++i) grow(rows, 1);
  EXPECT_EQ(rows.lines_of_a_table(), lines);
  for (int i = 0; i < 300; ++i) grow(rows, 1);
  EXPECT_GT(rows.lines_of_a_table(), lines);
}

// Of 6x21, two tables have keys of 22 bits.
TEST(HeadRows, are_shared_by_the_tables_whose_keys_are_equally_long) {
  const HammingTables<std::uint64_t> tables(*covering_named("6x21"));
  ASSERT_EQ(tables.rows().size(), 2U);
  std::set<const void*> heads;
  int slots = 0;
  for (const auto& table : tables) {
    EXPECT_EQ(table.rows().key_bits(), table.choice().count());
    heads.insert(table.head(table.region(0), 0));
    if (table.has_ids()) heads.insert(table.ids(table.region(0), table.head(table.region(0), 0)));
  }
  for (const auto& rows : tables.rows()) slots += rows->slots();
  EXPECT_EQ(heads.size(), 7U);
  EXPECT_EQ(slots, 7);
}

}  // namespace
}  // namespace neardup
