#include "core/index/chunked_array.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace neardup {
namespace {

TEST(ChunkedArray, keeps_every_element_across_chunks_and_never_moves_one) {
  ChunkedArray<int, 1024> array;
  array.push_back(0);
  const int* first = &array[0];
  for (int i = 1; i < 10'000; ++i) array.push_back(i);
  EXPECT_EQ(array.size(), 10'000U);
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(array[static_cast<std::uint64_t>(i)], i);
  EXPECT_EQ(&array[0], first);
}

constexpr std::size_t kStep = GrowingMemory::kSmallStep;
constexpr std::size_t kChunk = 2 * kStep / sizeof(std::uint64_t);
using Array = ChunkedArray<std::uint64_t, kChunk>;

TEST(ChunkedArray, a_chunk_takes_memory_as_it_fills) {
  Array array;
  EXPECT_EQ(array.bytes(), 0U);
  array.push_back(1);
  EXPECT_GE(array.bytes(), kStep);
  EXPECT_LE(array.bytes(), kStep + 100);
  while (array.size() < kChunk / 2) array.push_back(1);
  EXPECT_LE(array.bytes(), kStep + 100);
  while (array.size() < kChunk) array.push_back(1);
  EXPECT_GE(array.bytes(), 2 * kStep);
  EXPECT_LE(array.bytes(), 2 * kStep + 100);
  array.push_back(1);
  EXPECT_GE(array.bytes(), 3 * kStep);
}

TEST(ChunkedArray, gives_back_chunks_and_parts_of_one_at_the_front) {
  Array array;
  constexpr std::uint64_t kSize = 5 * kChunk;
  for (std::uint64_t i = 0; i < kSize; ++i) array.push_back(i);
  const std::size_t bytes = array.bytes();
  array.release_before(kChunk / 2 - 1);
  EXPECT_EQ(array.bytes(), bytes);
  array.release_before(kChunk - 1);
  EXPECT_EQ(array.bytes(), bytes - kStep);
  array.release_before(2 * kChunk);
  EXPECT_EQ(array.bytes(), bytes - 4 * kStep);
  array.release_before(3);
  EXPECT_EQ(array.bytes(), bytes - 4 * kStep);
  for (std::uint64_t i = 2 * kChunk; i < kSize; ++i) ASSERT_EQ(array[i], i);
  array.release_before(kSize);
  EXPECT_EQ(array.bytes(), bytes - 10 * kStep);
  array.push_back(7);
  EXPECT_EQ(array[kSize], 7U);
  EXPECT_EQ(array.bytes(), bytes - 9 * kStep);
}

TEST(ChunkedArray, a_full_chunk_holds_no_page_ahead) {
  constexpr std::size_t kBytes = 16 * GrowingMemory::kHugePage;
  using Element = std::array<std::byte, kBytes / 256>;
  ChunkedArray<Element, 256> array;
  while (array.size() < 256) array.push_back({std::byte{1}});
  EXPECT_GE(array.bytes(), kBytes);
  EXPECT_LE(array.bytes(), kBytes + 100);
}

}  // namespace
}  // namespace neardup
