// BucketTable against a std::multimap, through every split of several doublings.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "core/index/bucket_table.h"

namespace neardup {
namespace {

constexpr Key kKeyMask = (Key{1} << BucketTable::kKeyBits) - 1;

struct Model {
  std::multimap<Key, Ordinal> postings;  // equal keys in the order of insertion

  std::vector<Ordinal> of(Key key) const {
    std::vector<Ordinal> found;
    const auto [begin, end] = postings.equal_range(key & kKeyMask);
    for (auto it = begin; it != end; ++it) found.push_back(it->second);
    return found;
  }
  bool erase(Key key, Ordinal ordinal) {
    const auto [begin, end] = postings.equal_range(key & kKeyMask);
    for (auto it = begin; it != end; ++it) {
      if (it->second != ordinal) continue;
      postings.erase(it);
      return true;
    }
    return false;
  }
  void expire(Ordinal oldest) {
    std::erase_if(postings, [&](const auto& posting) { return posting.second < oldest; });
  }
};

std::vector<Ordinal> scanned(const BucketTable& table, Key key) {
  std::vector<Ordinal> found;
  table.scan(key, [&](Ordinal ordinal) { found.push_back(ordinal); });
  return found;
}

void expect_same(const BucketTable& table, const Model& model) {
  std::multimap<Key, Ordinal> listed;
  table.for_each([&](Key key, Ordinal ordinal) { listed.emplace(key, ordinal); });
  ASSERT_EQ(listed, model.postings);

  std::vector<Key> keys;
  for (const auto& [key, ordinal] : model.postings) {
    if (keys.empty() || keys.back() != key) keys.push_back(key);
  }
  for (std::size_t at = 0; at < keys.size(); at += 100) {
    const std::span<const Key> some(keys.data() + at, std::min<std::size_t>(100, keys.size() - at));
    std::vector<std::vector<Ordinal>> probed(some.size());
    table.probe(some, [&](std::size_t i, Ordinal ordinal) { probed[i].push_back(ordinal); });
    for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(probed[i], model.of(some[i]));
  }
}

// Draws keys: many different ones, few, or such as share the low bits, which are the bucket.
Key draw_key(std::mt19937_64& random, std::uint64_t seed) {
  switch (seed % 4) {
    case 0:
      return random();
    case 1:
      return random() % 50 * 0x9E3779B97F4A7C15;
    case 2:
      return random() % 1000 << 28;
    default:
      return random() % 4 == 0 ? 1 : random();
  }
}

TEST(BucketTableProperty, agrees_with_a_multimap_under_every_mix_of_calls) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    BucketTable table;
    Model model;
    std::vector<std::pair<Key, Ordinal>> history;
    Ordinal oldest = random() % 2 == 0 ? 0 : random() >> 4;
    table.expire(oldest);
    Ordinal ordinal = oldest;
    const std::uint64_t erases = random() % 40;
    const std::uint64_t expiries = random() % 3;
    const std::uint64_t strides = 1 + random() % 3;
    for (int step = 0; step < 6000; ++step) {
      ordinal += random() % (strides + 1);
      const Key key = draw_key(random, seed);
      if (const auto before = model.of(key); before.empty() || before.back() < ordinal) {
        table.insert(key, ordinal);
        model.postings.emplace(key & kKeyMask, ordinal);
        history.emplace_back(key, ordinal);
      }
      if (random() % 100 < erases) {
        const auto& [old_key, old_ordinal] = history[random() % history.size()];
        ASSERT_EQ(table.erase(old_key, old_ordinal), model.erase(old_key, old_ordinal));
      }
      if (random() % 1000 < expiries) {
        oldest += random() % (ordinal - oldest + 1);
        table.expire(oldest);
        model.expire(oldest);
      }
      const Key asked = random() % 2 == 0 ? history[random() % history.size()].first : draw_key(random, seed);
      ASSERT_EQ(scanned(table, asked), model.of(asked));
      ASSERT_EQ(table.count(asked, 16), std::min<std::size_t>(16, model.of(asked).size()));
      if (step % 500 == 0) expect_same(table, model);
    }
    expect_same(table, model);
  }
}

// As a Crew does it.
void by_owners(BucketTable& table, std::span<const std::pair<Key, Ordinal>> postings,
               std::span<const std::pair<Key, Ordinal>> erased, unsigned owners) {
  table.open(postings.size(), postings.back().second);
  std::vector<std::thread> threads;
  for (unsigned owner = 0; owner < owners; ++owner) {
    BucketTable::ShardSet own = 0;
    for (unsigned shard = owner; shard < BucketTable::kShards; shard += owners) own |= 1U << shard;
    threads.emplace_back([&, own] {
      table.grow(own);
      for (const auto& [key, ordinal] : postings) {
        if (BucketTable::is_own(key, own)) table.insert_own(key, ordinal);
      }
      for (const auto& [key, ordinal] : erased) {
        if (!BucketTable::is_own(key, own)) continue;
        EXPECT_TRUE(table.erase_own(key, ordinal));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  table.close();
}

// Small batches, and such as are larger than the table, so that a bucket is split again and again in one.
TEST(BucketTableProperty, owners_of_shards_make_what_one_makes) {
  using Size = std::array<std::uint64_t, 4>;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Size alone{};
    for (const unsigned owners : {1U, 2U, 3U, 8U}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << owners << " owners");
      std::mt19937_64 random(seed);
      Model model;
      BucketTable table;
      BucketTable serial;
      Ordinal next = 0;
      for (int step = 0; step < 12; ++step) {
        const std::size_t size = 1 + random() % (step % 4 == 3 ? 20'000 : 700);
        next += step % 5 == 4 ? 3'000 : 0;
        std::vector<std::pair<Key, Ordinal>> postings;
        for (std::size_t i = 0; i < size; ++i) postings.emplace_back(draw_key(random, seed), next++);
        std::vector<std::pair<Key, Ordinal>> erased;
        for (std::size_t i = 0; i < size; i += 50) erased.push_back(postings[i]);
        by_owners(table, postings, erased, owners);
        for (const auto& [key, ordinal] : postings) {
          model.postings.emplace(key & kKeyMask, ordinal);
          serial.insert(key, ordinal);
        }
        for (const auto& [key, ordinal] : erased) {
          ASSERT_TRUE(model.erase(key, ordinal));
          ASSERT_TRUE(serial.erase(key, ordinal));
        }
        if (random() % 3 == 0) {
          const Ordinal oldest = next - random() % (next / 2 + 1);
          for (BucketTable* const each : {&table, &serial}) each->expire(oldest);
          model.expire(oldest);
        }
        // And one of them between two batches.
        const Key key = draw_key(random, seed);
        model.postings.emplace(key & kKeyMask, next);
        for (BucketTable* const each : {&table, &serial}) each->insert(key, next);
        ++next;
        ASSERT_EQ(table.digest(), serial.digest());
      }
      expect_same(table, model);
      if (owners == 1) alone = {table.buckets(), table.lines(), table.postings(), table.bytes()};
      EXPECT_EQ(alone, (Size{table.buckets(), table.lines(), table.postings(), table.bytes()}));
    }
  }
}

TEST(BucketTableProperty, content_alone_makes_the_digest) {
  constexpr std::uint64_t kSeed = 9;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  std::vector<std::pair<Key, Ordinal>> postings;
  for (Ordinal ordinal = 0; ordinal < 5000; ++ordinal) postings.emplace_back(random(), ordinal);

  BucketTable straight;
  for (const auto& [key, ordinal] : postings) straight.insert(key, ordinal);
  // Another table had ten times as much once, and is of another size since.
  BucketTable winding;
  for (const auto& [key, ordinal] : postings) {
    winding.insert(key, ordinal);
    for (int i = 0; i < 9; ++i) winding.insert(key + 1 + static_cast<Key>(i), ordinal);
  }
  EXPECT_NE(winding.digest(), straight.digest());
  for (const auto& [key, ordinal] : postings) {
    for (int i = 0; i < 9; ++i) ASSERT_TRUE(winding.erase(key + 1 + static_cast<Key>(i), ordinal));
  }
  EXPECT_NE(winding.buckets(), straight.buckets());
  EXPECT_EQ(winding.digest(), straight.digest());

  EXPECT_TRUE(winding.erase(postings[17].first, 17));
  EXPECT_NE(winding.digest(), straight.digest());
}

}  // namespace
}  // namespace neardup
