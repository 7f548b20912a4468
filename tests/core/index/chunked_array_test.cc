#include "core/index/chunked_array.h"

#include <gtest/gtest.h>

namespace neardup {
namespace {

TEST(ChunkedArray, keeps_every_element_across_chunks_and_never_moves_one) {
  ChunkedArray<int, 4> array;
  array.push_back(0);
  const int* first = &array[0];
  for (int i = 1; i < 1000; ++i) array.push_back(i);
  EXPECT_EQ(array.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(array[static_cast<std::uint64_t>(i)], i);
  EXPECT_EQ(&array[0], first);
}

TEST(ChunkedArray, counts_whole_chunks) {
  ChunkedArray<std::uint64_t, 4> array;
  constexpr std::size_t kChunk = 32;  // 4 x 8
  EXPECT_EQ(array.bytes(), 0U);
  array.push_back(1);
  EXPECT_EQ(array.bytes(), kChunk + sizeof(void*));
  for (int i = 0; i < 3; ++i) array.push_back(1);
  EXPECT_EQ(array.bytes(), kChunk + sizeof(void*));
  array.push_back(1);
  EXPECT_EQ(array.bytes(), 2 * (kChunk + sizeof(void*)));
}

TEST(ChunkedArray, gives_back_whole_chunks_at_the_front) {
  ChunkedArray<std::uint64_t, 4> array;
  for (std::uint64_t i = 0; i < 20; ++i) array.push_back(i);
  const std::size_t bytes = array.bytes();
  array.release_before(7);
  EXPECT_EQ(array.bytes(), bytes - 32);
  array.release_before(8);
  EXPECT_EQ(array.bytes(), bytes - 64);
  array.release_before(3);
  EXPECT_EQ(array.bytes(), bytes - 64);
  for (std::uint64_t i = 8; i < 20; ++i) EXPECT_EQ(array[i], i);
  array.push_back(20);
  EXPECT_EQ(array[20], 20U);
}

}  // namespace
}  // namespace neardup
