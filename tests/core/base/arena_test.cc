#include "core/base/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {
namespace {

TEST(Arena, what_is_kept_or_written_stays_where_it_is) {
  Arena arena;
  std::vector<std::string> expected;
  std::vector<std::string_view> views;
  for (int round = 0; round < 2; ++round) {
    views.clear();
    expected.clear();
    for (std::size_t size = 0; size < 3'000'000; size = size * 3 / 2 + 1) {
      expected.emplace_back(size, static_cast<char>('a' + size % 26));
      views.push_back(arena.keep(expected.back()));
      // Less is written than there is room for.
      char* const begin = arena.room(2 * size + 10);
      views.push_back(arena.take(std::fill_n(begin, size, 'z')));
      expected.emplace_back(size, 'z');
    }
    EXPECT_TRUE(std::ranges::equal(views, expected));
    arena.clear();
  }
}

TEST(Arena, what_was_not_needed_of_the_room_is_used_again) {
  Arena arena;
  char* const first = arena.room(1000);
  arena.take(first + 1);
  EXPECT_EQ(arena.room(1000), first + 1);
}

}  // namespace
}  // namespace neardup
