#include "core/index/block_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace neardup {
namespace {

using Entries = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // tag, id

Entries entries_of(const BlockPool& pool, BlockPool::Offset offset) {
  Entries entries;
  if (offset == 0) return entries;
  const BlockPool::Block& block = pool.at(offset);
  EXPECT_EQ(block.first_id, block.ids()[0]);
  for (std::uint32_t i = 0; i < block.count; ++i) entries.emplace_back(block.tags()[i], block.ids()[i]);
  return entries;
}

// Few blocks that grow and shrink a lot, and many that stay small.
TEST(BlockPool, blocks_hold_what_a_model_holds_however_they_move) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    BlockPool pool;
    std::vector<BlockPool::Offset> blocks(300, 0);
    std::vector<Entries> model(blocks.size());
    for (std::uint32_t step = 0; step < 300'000; ++step) {
      const std::size_t at = random() % (random() % 2 == 0 ? 6 : blocks.size());
      const bool grows = (step / 20'000 + at) % 2 == 0;
      if (model[at].empty() || random() % 8 < (grows ? 6 : 2)) {
        const auto tag = static_cast<std::uint32_t>(random());
        blocks[at] = pool.append(blocks[at], tag, step);
        model[at].emplace_back(tag, step);
      } else if (random() % 1000 == 0) {
        pool.give_back(std::exchange(blocks[at], 0));
        model[at].clear();
      } else {
        const auto index = static_cast<std::uint32_t>(random() % model[at].size());
        blocks[at] = pool.erase(blocks[at], index);
        model[at].erase(model[at].begin() + index);
      }
      ASSERT_EQ(blocks[at] == 0, model[at].empty()) << step;
      if (step % 5000 != 0) continue;
      for (std::size_t i = 0; i < blocks.size(); ++i)
        ASSERT_EQ(entries_of(pool, blocks[i]), model[i]) << step;
    }
    for (BlockPool::Offset& block : blocks) {
      if (block != 0) pool.give_back(std::exchange(block, 0));
    }
    EXPECT_EQ(pool.held_lines(), 0U);
  }
}

// Blocks of one size after those of another, larger ones and smaller ones: by lists of one size each the pool
// would have room for the most of each at the end.
TEST(BlockPool, room_for_blocks_of_one_size_is_room_for_blocks_of_all_others) {
  constexpr std::uint32_t kEntries = 200'000;
  BlockPool pool;
  std::size_t bytes = 0;
  std::uint64_t most_held = 0;
  const auto fill = [&](std::uint32_t entries) {
    std::vector<BlockPool::Offset> blocks(kEntries / entries, 0);
    for (std::uint32_t id = 0; id < entries * blocks.size(); ++id) {
      BlockPool::Offset& block = blocks[id % blocks.size()];
      block = pool.append(block, 0, id);
    }
    bytes = std::max(bytes, pool.bytes());
    most_held = std::max(most_held, pool.held_lines());
    for (BlockPool::Offset block : blocks) {
      while (block != 0) block = pool.erase(block, pool.at(block).count - 1);
    }
  };
  for (std::uint32_t entries = 5; entries < kEntries / 10; entries = entries * 5 / 4 + 2) fill(entries);
  for (std::uint32_t entries = kEntries / 10; entries > 5; entries = entries * 4 / 5) fill(entries);
  EXPECT_LT(bytes, most_held * 64 * 3 / 2);
  EXPECT_EQ(pool.bytes(), bytes);
}

// A window slides over entries whose blocks become fewer and larger, and then many and small again.
TEST(BlockPool, a_window_over_sizes_that_drift_has_few_free_lines) {
  constexpr std::size_t kWindow = 100'000;
  constexpr std::uint32_t kPeriod = 1'000'000;
  std::mt19937_64 random(3);
  BlockPool pool;
  std::vector<BlockPool::Offset> blocks(20'000, 0);
  std::vector<std::size_t> block_of;  // by id
  std::uint64_t most_held = 0;
  for (std::uint32_t id = 0; id < 3 * kPeriod; ++id) {
    const double phase = std::abs(2.0 * (id % kPeriod) / kPeriod - 1);
    const std::size_t at = random() % (blocks.size() >> static_cast<int>(phase * 10));
    blocks[at] = pool.append(blocks[at], 0, id);
    block_of.push_back(at);
    if (id >= kWindow) {
      BlockPool::Offset& oldest = blocks[block_of[id - kWindow]];
      oldest = pool.erase(oldest, 0);
    }
    most_held = std::max(most_held, pool.held_lines());
  }
  EXPECT_LT(pool.bytes(), most_held * 64 * 3 / 2);
}

// All of them at once, as buckets whose heads are as wide as may be: what they have outgrown is of use.
TEST(BlockPool, blocks_that_grow_together_use_what_they_have_outgrown) {
  for (const bool in_turn : {false, true}) {
    std::mt19937_64 random(4);
    BlockPool pool;
    std::vector<BlockPool::Offset> blocks(1000, 0);
    for (std::uint32_t id = 0; id < 1'000'000; ++id) {
      BlockPool::Offset& block = blocks[(in_turn ? id : random()) % blocks.size()];
      block = pool.append(block, 0, id);
    }
    EXPECT_LT(pool.bytes(), pool.held_lines() * 64 * 4 / 3) << in_turn;
  }
}

}  // namespace
}  // namespace neardup
