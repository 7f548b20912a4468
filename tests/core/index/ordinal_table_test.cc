#include "core/index/ordinal_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace neardup {
namespace {

// A table and what it must hold: the ordinals of each hash, in the order of insertion.
struct Tables {
  std::uint64_t hash_of(std::uint32_t ordinal) const { return hashes[ordinal]; }
  void insert(std::uint64_t hash) {
    const auto ordinal = static_cast<std::uint32_t>(hashes.size());
    hashes.push_back(hash);
    table.insert(hash, ordinal, [this](std::uint32_t other) { return hash_of(other); });
    wanted[hash].push_back(ordinal);
  }
  // Those of the table whose hash it is: a tag may agree by chance.
  std::vector<std::uint32_t> found(std::uint64_t hash) const {
    std::vector<std::uint32_t> ordinals;
    table.for_each(hash, [&](std::uint32_t ordinal) {
      if (hash_of(ordinal) == hash) ordinals.push_back(ordinal);
    });
    return ordinals;
  }

  OrdinalTable table;
  std::vector<std::uint64_t> hashes;
  std::map<std::uint64_t, std::vector<std::uint32_t>> wanted;
};

TEST(OrdinalTable, ordinals_of_a_hash_come_in_the_order_of_insertion_however_it_grows) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    // Hashes of a few that come often, one in four of them the same, and of many that do not.
    std::vector<std::uint64_t> often(20);
    for (std::uint64_t& hash : often) hash = random();
    Tables tables;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t kind = random() % 8;
      tables.insert(kind < 2 ? often[0] : kind < 4 ? often[random() % often.size()] : random());
    }
    EXPECT_EQ(tables.table.size(), 20'000U);
    for (const auto& [hash, ordinals] : tables.wanted) ASSERT_EQ(tables.found(hash), ordinals);
  }
}

TEST(OrdinalTable, what_is_erased_is_gone_and_its_room_is_used_again) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> hashes(40);
    for (std::uint64_t& hash : hashes) hash = random();
    Tables tables;
    std::size_t bytes = 0;
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 2000; ++i) tables.insert(hashes[random() % (1 + random() % hashes.size())]);
      for (auto& [hash, ordinals] : tables.wanted) {
        auto found = tables.found(hash);
        std::ranges::sort(found);
        ASSERT_EQ(found, ordinals);
        // Down to a few, or to none.
        std::ranges::shuffle(ordinals, random);
        for (const std::size_t left = random() % 15; ordinals.size() > left; ordinals.pop_back()) {
          tables.table.erase(hash, ordinals.back());
        }
        std::ranges::sort(ordinals);
        ASSERT_EQ(tables.found(hash).size(), ordinals.size());
      }
      if (round == 2) bytes = tables.table.bytes();
    }
    EXPECT_LE(tables.table.bytes(), bytes + bytes / 4);
  }
}

TEST(OrdinalTable, all_that_are_to_go_are_erased_at_once_and_the_others_keep_their_order) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    // Buckets and tags are shared: a few low bits, and few of the highest.
    std::vector<std::uint64_t> hashes(40);
    for (std::uint64_t& hash : hashes) hash = random() % 8 + (random() % 3 << 56) + (random() % 4 << 40);
    Tables tables;
    std::size_t bytes = 0;
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 2000; ++i) tables.insert(hashes[random() % hashes.size()]);
      for (auto& [hash, ordinals] : tables.wanted) {
        const std::uint64_t one_in = 1 + random() % 3;  // all of them, or some
        const auto goes = [&](std::uint32_t ordinal) {
          return tables.hash_of(ordinal) == hash && ordinal * 0x9E3779B97F4A7C15 % one_in == 0;
        };
        tables.table.erase_if(hash, goes);
        std::erase_if(ordinals, goes);
      }
      std::size_t left = 0;
      for (const auto& [hash, ordinals] : tables.wanted) {
        ASSERT_EQ(tables.found(hash), ordinals);
        left += ordinals.size();
      }
      EXPECT_EQ(tables.table.size(), left);
      if (round == 5) bytes = tables.table.bytes();
    }
    EXPECT_LE(tables.table.bytes(), bytes + bytes / 4) << "room is used again";
  }
}

// Minutes, if each insert, or each entry of a split, went through all that have the hash already.
TEST(OrdinalTable, a_million_of_one_hash_take_no_longer_than_others) {
  constexpr std::uint32_t kEqual = 1'000'000;
  constexpr std::uint64_t kHash = 0x0123456789ABCDEF;
  OrdinalTable table;
  for (std::uint32_t i = 0; i < kEqual; ++i) table.insert(kHash, i, [](std::uint32_t) { return kHash; });
  std::uint32_t next = 0;
  table.for_each(kHash, [&](std::uint32_t ordinal) { next += ordinal == next ? 1 : 0; });
  EXPECT_EQ(next, kEqual) << "in their order";
  EXPECT_LT(table.bytes(), kEqual * 14U);
}

}  // namespace
}  // namespace neardup
