#include "core/index/growing_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace neardup {
namespace {

// What an offset holds. Never zero.
std::uint64_t value_at(std::uint64_t offset) { return offset * 0x9E3779B97F4A7C15 | 1; }

// A window of `window` bytes slides three times around a ring of `size`; says whether each word was zero when
// it came, and what had been written until it went.
bool keeps_a_window(std::size_t size, std::size_t small_max, std::size_t window, std::size_t step) {
  GrowingMemory ring(size, small_max);
  const auto word = [&](std::uint64_t offset) -> std::uint64_t& {
    return *reinterpret_cast<std::uint64_t*>(ring.data() + offset % size);
  };
  constexpr std::uint64_t kEvery = 4096;  // a word of each page
  std::uint64_t begin = 0;
  for (std::uint64_t end = 0; end < 3 * size; end += step) {
    for (; end + step - begin > window; begin += kEvery) {
      if (word(begin) != value_at(begin)) return false;
    }
    ring.release(begin);
    ring.use(end + step);
    for (std::uint64_t at = end; at < end + step; at += kEvery) {
      if (word(at) != 0) return false;
      word(at) = value_at(at);
    }
  }
  return true;
}

constexpr std::size_t kPage = GrowingMemory::kHugePage;

// Whole pages are given back: a page that holds the beginning of the window and its end as well would take
// the end with it.
TEST(GrowingMemory, a_ring_keeps_a_window_that_leaves_a_page_of_room_and_what_comes_is_zero) {
  for (const std::size_t pages : {4, 9, 20}) {
    for (const std::size_t step : {std::size_t{4096}, std::size_t{3} << 14, kPage + (std::size_t{1} << 14)}) {
      for (const std::size_t small_max : {2 * kPage, GrowingMemory::kSmallMax}) {
        EXPECT_TRUE(keeps_a_window(pages * kPage, small_max, (pages - 1) * kPage, step))
            << pages << " pages, small ones up to " << small_max << ", " << step;
      }
    }
  }
}

TEST(GrowingMemory, counts_small_steps_up_to_small_max_and_then_huge_pages) {
  GrowingMemory memory(64 * kPage, 2 * kPage);
  memory.use(kPage + 1);
  EXPECT_EQ(memory.bytes(), kPage + GrowingMemory::kSmallStep);
  memory.use(2 * kPage + 1);
  EXPECT_EQ(memory.bytes(), 3 * kPage);
  memory.use(3 * kPage - 1);
  EXPECT_EQ(memory.bytes(), 4 * kPage) << "the next one is held before it is needed";
}

// Is there memory behind a page?
bool is_touched(const GrowingMemory& memory, std::size_t page) {
  unsigned char resident = 0;
  EXPECT_EQ(mincore(memory.data() + page * kPage, 1, &resident), 0);
  return (resident & 1) != 0;
}

TEST(GrowingMemory, touches_the_next_page_ahead_unless_all_cores_are_busy) {
  constexpr std::size_t kUsed = 40;  // so many that the next one is held as soon as this one is begun
  GrowingMemory memory(64 * kPage, 2 * kPage);
  GrowingMemory other(64 * kPage, 2 * kPage);
  {
    const BusyCores busy(1 << 20);
    other.use(kUsed * kPage + 1);
  }
  memory.use(kUsed * kPage + 1);
  while (!is_touched(memory, kUsed + 1)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(is_touched(other, kUsed + 1)) << "it was asked for earlier, and they are touched in order";
  EXPECT_EQ(other.bytes(), memory.bytes());
}

}  // namespace
}  // namespace neardup
