// BucketTable against a std::multimap, through every split of several doublings.
#include <gtest/gtest.h>

#include <map>
#include <random>
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
