#include "core/base/padded_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace neardup {
namespace {

void fill(PaddedBytes& bytes, std::string_view text) {
  std::memcpy(bytes.reserve(text.size()), text.data(), text.size());
  bytes.finish(text.size());
}

TEST(PaddedBytes, zeros_follow_the_bytes) {
  PaddedBytes bytes;
  std::memset(bytes.reserve(300), 'x', 300 + PaddedBytes::kPadding);  // the padding is the writer's
  for (const std::size_t size : {300U, 7U, 0U}) {
    bytes.finish(size);
    EXPECT_EQ(bytes.view(), std::string(size, 'x'));
    EXPECT_EQ(std::string(bytes.data() + size, PaddedBytes::kPadding),
              std::string(PaddedBytes::kPadding, '\0'));
  }
}

TEST(PaddedBytes, growing_keeps_what_is_used) {
  PaddedBytes bytes;
  std::memcpy(bytes.reserve(5), "abcde", 5);
  char* const moved = bytes.reserve(100000, 5);
  EXPECT_EQ(std::string_view(moved, 5), "abcde");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(moved) % PaddedBytes::kAlignment, 0U);
  EXPECT_GE(bytes.capacity(), 100000U);
}

TEST(PaddedBytes, a_buffer_large_enough_stays_where_it_is) {
  PaddedBytes bytes;
  fill(bytes, std::string(1000, 'a'));
  const char* const place = bytes.data();
  fill(bytes, "short");
  EXPECT_EQ(bytes.data(), place);
  EXPECT_EQ(bytes.view(), "short");
}

TEST(PaddedBytes, moves_with_its_bytes) {
  PaddedBytes first;
  fill(first, "one");
  PaddedBytes second(std::move(first));
  EXPECT_EQ(second.view(), "one");
  PaddedBytes third;
  fill(third, "two");
  third = std::move(second);
  EXPECT_EQ(third.view(), "one");
}

}  // namespace
}  // namespace neardup
