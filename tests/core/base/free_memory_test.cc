#include "core/base/free_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace neardup {
namespace {

TEST(FreeMemory, a_string_and_what_holds_one_keep_nothing) {
  struct Buffers {
    std::string text;
    std::vector<char> bytes;
  };
  Buffers buffers{std::string(100'000, 'a'), std::vector<char>(100'000)};
  std::string text(100'000, 'a');
  free_memory(buffers);
  free_memory(text);
  EXPECT_TRUE(text.empty() && buffers.text.empty() && buffers.bytes.empty());
  EXPECT_EQ(text.capacity(), std::string().capacity());
  EXPECT_EQ(buffers.text.capacity(), std::string().capacity());
  EXPECT_EQ(buffers.bytes.capacity(), 0U);
}

}  // namespace
}  // namespace neardup
