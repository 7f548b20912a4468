#include "core/index/block_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace neardup {
namespace {

using Word = std::uint64_t;
using Tree = BlockTree<Word>;

constexpr int kKeyBits = 13;
const BitChoice<Word> kKey((Word{1} << kKeyBits) - 1);  // the lowest bits of a word

std::vector<Word> words_of(const Tree::Block* block) {
  return block == nullptr ? std::vector<Word>()
                          : std::vector<Word>(block->words(), block->words() + block->count);
}

TEST(BlockTree, a_key_leads_to_a_block_of_bounded_size_until_the_key_ends) {
  Tree tree;
  Tree::Ref root = 0;
  const int shift = Tree::root_shift(8, kKeyBits);
  EXPECT_EQ(shift, 5) << "two forks of four bits, counted from the end";
  std::mt19937_64 random(1);
  std::vector<Word> words;
  for (std::uint32_t id = 0; id < 5000; ++id) {
    words.push_back(random() << 8 | 0x5A);  // as if the lowest eight bits were the bucket
    tree.append(root, shift, kKey, words.back() & 0x1FFF, words.back(), id);
  }
  for (const Word word : words) {
    const Tree::Block* const block = tree.find(root, shift, word & 0x1FFF);
    ASSERT_NE(block, nullptr);
    ASSERT_LT(block->index_of(word), block->count);
    ASSERT_TRUE(std::is_sorted(block->ids(), block->ids() + block->count)) << "the oldest is first";
    // 32 values of the other five key bits.
    ASSERT_LE(block->count, 5000U / 32 * 2);
  }
  for (std::uint32_t id = 5000; id < 6000; ++id)
    tree.append(root, shift, kKey, 0x5A, 0x5A | Word{id} << 20, id);
  EXPECT_GE(tree.find(root, shift, 0x5A)->count, 1000U) << "with equal keys there is nothing to fork by";
}

// Appends, erasures, and splits of the bucket by one key bit after the other, beside lists by key.
TEST(BlockTree, is_a_list_for_each_key_through_splits_and_erasures) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Tree tree;
    std::map<std::uint64_t, Tree::Ref> roots;  // by the lowest `level` bits of the key
    std::map<Word, std::uint32_t> model;       // words and their ids
    std::uint32_t id = 0;
    for (int level = 1; level <= kKeyBits; ++level) {  // keys of 13 bits fork at bits 1, 5 and 9
      const int shift = Tree::root_shift(level, kKeyBits);
      if (level == 1) {
        roots = {{0, 0}, {1, 0}};
      } else {
        std::map<std::uint64_t, Tree::Ref> split;
        const int bit = level - 1;
        const int before = Tree::root_shift(bit, kKeyBits);
        for (auto& [bucket, root] : roots) {
          Tree::Ref low = 0;
          Tree::Ref high = 0;
          if (Tree::is_fork(root)) {
            std::tie(low, high) = tree.part(root, before, bit);
          } else if (root != 0) {  // blocks are parted by the table; here as simply as can be
            const std::vector<Word> words = words_of(&tree.pool().at(root));
            tree.pool().give_back(root);
            for (const Word word : words) {
              tree.append((word >> bit & 1) != 0 ? high : low, shift, kKey, word & 0x1FFF, word, model[word]);
            }
          }
          split[bucket] = low;
          split[bucket | std::uint64_t{1} << bit] = high;
        }
        roots = split;
      }
      for (int step = 0; step < 2000; ++step) {
        // Crowded: most words share most bits of the key.
        const Word word =
            (random() << kKeyBits) | (random() % 3 == 0 ? random() & 0x1FFF : 0x0A5 ^ (random() & 0x840));
        const std::uint64_t bucket = word & ((std::uint64_t{1} << level) - 1);
        tree.append(roots[bucket], shift, kKey, word & 0x1FFF, word, id);
        model[word] = id++;
        if (random() % 2 == 0) {
          const auto victim = model.lower_bound(random());
          if (victim == model.end()) continue;
          Tree::Ref& root = roots[victim->first & ((std::uint64_t{1} << level) - 1)];
          ASSERT_TRUE(tree.erase(root, shift, victim->first & 0x1FFF, victim->first));
          ASSERT_FALSE(tree.erase(root, shift, victim->first & 0x1FFF, victim->first));
          model.erase(victim);
        }
      }
      std::size_t there = 0;
      for (const auto& [bucket, root] : roots) {
        tree.for_each_block(root, [&](const Tree::Block& block) { there += block.count; });
      }
      ASSERT_EQ(there, model.size());
      for (const auto& [word, expected] : model) {
        const Tree::Block* const block =
            tree.find(roots[word & ((std::uint64_t{1} << level) - 1)], shift, word & 0x1FFF);
        ASSERT_NE(block, nullptr);
        const std::uint32_t index = block->index_of(word);
        ASSERT_LT(index, block->count);
        ASSERT_EQ(block->ids()[index], expected);
      }
    }
    for (const auto& [word, gone] : model) {
      tree.erase(roots[word & 0x1FFF], Tree::root_shift(kKeyBits, kKeyBits), word & 0x1FFF, word);
    }
    EXPECT_EQ(tree.pool().held_lines(), 0U) << "forks without children are given back as well";
  }
}

}  // namespace
}  // namespace neardup
