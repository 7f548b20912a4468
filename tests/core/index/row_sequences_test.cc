#include "core/index/row_sequences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace neardup {
namespace {

TEST(RowSequences, a_unique_has_one_row_or_none_or_several) {
  RowSequences rows;
  EXPECT_EQ(rows.first_from(0), 0U);
  EXPECT_EQ(rows.first_from(9), 0U);
  for (const Sequence sequence : {0, 0, 1, 3}) rows.push_back(sequence);
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0], 0U);
  EXPECT_EQ(rows[1], 0U);
  EXPECT_EQ(rows[2], 1U);
  EXPECT_EQ(rows[3], 3U);
  EXPECT_EQ(rows.first_from(0), 0U);
  EXPECT_EQ(rows.first_from(1), 2U);
  EXPECT_EQ(rows.first_from(2), 3U);
  EXPECT_EQ(rows.first_from(3), 3U);
  EXPECT_EQ(rows.first_from(4), 4U);
}

// With gaps of all sizes, and whatever is released meanwhile.
TEST(RowSequences, agrees_with_a_list) {
  std::mt19937_64 random(7);
  for (const std::uint64_t gap_max : {1, 2, 3, 100, 5000}) {
    RowSequences rows;
    std::vector<Sequence> model;
    std::uint64_t released = 0;
    Sequence sequence = 0;
    for (int i = 0; i < 30'000; ++i) {
      sequence += random() % 8 == 0 ? random() % gap_max : random() % 2;
      rows.push_back(sequence);
      model.push_back(sequence);
      if (random() % 50 == 0) {
        const bool all = random() % 4 == 0;
        released = std::max(released, all ? model.size() : random() % (model.size() + 1));
        rows.release_before(released);
      }
      if (released < model.size()) {
        const std::uint64_t row = released + random() % (model.size() - released);
        ASSERT_EQ(rows[row], model[row]) << row;
      }
      const Sequence asked = random() % (sequence + 3);
      const auto from =
          std::lower_bound(model.begin() + static_cast<std::ptrdiff_t>(released), model.end(), asked);
      ASSERT_EQ(rows.first_from(asked), static_cast<std::uint64_t>(from - model.begin())) << asked;
    }
    for (std::uint64_t row = released; row < model.size(); ++row) ASSERT_EQ(rows[row], model[row]);
  }
}

TEST(RowSequences, a_gap_behind_rows_that_are_all_released_takes_no_memory) {
  RowSequences rows;
  constexpr Sequence kGap = 1'000'000'000;
  constexpr std::size_t kLittle = std::size_t{1} << 20;
  for (const Sequence sequence : {kGap, kGap, kGap + 2}) rows.push_back(sequence);
  EXPECT_LT(rows.bytes(), kLittle) << "nothing was before";
  EXPECT_EQ(rows[1], kGap);
  EXPECT_EQ(rows[2], kGap + 2);
  EXPECT_EQ(rows.first_from(0), 0U);
  EXPECT_EQ(rows.first_from(kGap + 1), 2U);

  rows.release_before(3);
  EXPECT_EQ(rows.first_from(0), 3U);
  rows.push_back(kGap + 2);  // another row of the last unique
  EXPECT_EQ(rows[3], kGap + 2);
  rows.release_before(4);
  for (const Sequence sequence : {2 * kGap, 2 * kGap + 1}) rows.push_back(sequence);
  EXPECT_LT(rows.bytes(), kLittle);
  EXPECT_EQ(rows[4], 2 * kGap);
  EXPECT_EQ(rows[5], 2 * kGap + 1);
  EXPECT_EQ(rows.first_from(kGap + 3), 4U);
  EXPECT_EQ(rows.first_from(2 * kGap), 4U);
  EXPECT_EQ(rows.first_from(2 * kGap + 1), 5U);
  EXPECT_EQ(rows.first_from(2 * kGap + 2), 6U);
}

TEST(RowSequences, costs_a_third_of_a_byte_a_row) {
  RowSequences rows;
  constexpr std::uint64_t kRows = 2'000'000;
  for (Sequence sequence = 0; sequence < kRows; ++sequence) rows.push_back(sequence);
  EXPECT_LT(rows.bytes(), kRows * 35 / 100);
  const std::size_t whole = rows.bytes();
  rows.release_before(kRows);
  EXPECT_LT(rows.bytes(), whole / 2);
}

}  // namespace
}  // namespace neardup
