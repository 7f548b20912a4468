#include "core/detector/stream_guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace neardup {
namespace {

TEST(StreamGuard, alarms_when_a_cluster_has_its_share_of_the_window_and_no_longer) {
  StreamGuard guard({.window = 100, .alarm_permille = 200});
  for (int i = 0; i < 19; ++i) guard.swallow(7, static_cast<std::uint64_t>(i));
  EXPECT_EQ(guard.alarm(), std::nullopt) << "all of what was seen, but nothing of a window";
  guard.swallow(7, 100);
  const StreamAlarm expected{.kind = StreamAlarm::Kind::kCluster, .key = 7, .documents = 20, .permille = 200};
  EXPECT_EQ(guard.alarm(), expected);
  for (int i = 0; i < 80; ++i) guard.pass();
  EXPECT_EQ(guard.alarm(), expected);
  for (int i = 0; i < 3; ++i) guard.pass();
  EXPECT_EQ(guard.alarm(), std::nullopt) << "17 are less than seven eighths of 20";
}

TEST(StreamGuard, a_share_at_the_bound_is_one_alarm) {
  StreamGuard guard({.window = 100, .alarm_permille = 200});
  int begun = 0;
  for (int block = 0; block < 50; ++block) {  // 20 of the window, then 18, then 20 again
    for (int i = 0; i < 100; ++i) {
      const bool was_alarmed = guard.alarm().has_value();
      if (i < (block % 2 == 0 ? 20 : 18)) {
        guard.swallow(7, 5);
      } else {
        guard.pass();
      }
      begun += guard.alarm() && !was_alarmed;
    }
  }
  EXPECT_EQ(begun, 1);
  EXPECT_TRUE(guard.alarm());
}

TEST(StreamGuard, alarms_when_many_clusters_of_one_source_have) {
  StreamGuard guard({.window = 100, .alarm_permille = 200});
  for (Sequence leader = 0; leader < 30; ++leader) guard.swallow(leader, 5);
  EXPECT_EQ(guard.alarm(),
            (StreamAlarm{.kind = StreamAlarm::Kind::kSource, .key = 5, .documents = 30, .permille = 300}));
}

TEST(StreamGuard, names_the_cluster_where_one_cluster_is_all_of_its_source) {
  StreamGuard guard({.window = 10, .alarm_permille = 500});
  for (int i = 0; i < 5; ++i) guard.swallow(3, 5);
  ASSERT_TRUE(guard.alarm());
  EXPECT_EQ(guard.alarm()->kind, StreamAlarm::Kind::kCluster);
}

TEST(StreamGuard, a_share_of_less_than_a_document_is_one) {
  StreamGuard guard({.window = 1, .alarm_permille = 1});
  EXPECT_EQ(guard.alarm(), std::nullopt);
  guard.swallow(3, 5);
  ASSERT_TRUE(guard.alarm());
  EXPECT_EQ(guard.alarm()->permille, 1000U);
  guard.pass();
  EXPECT_EQ(guard.alarm(), std::nullopt);
}

TEST(StreamGuard, agrees_with_counting_the_whole_window_each_time) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    constexpr std::uint32_t kWindow = 300;
    StreamGuard guard({.window = kWindow, .alarm_permille = 100});
    struct Document {
      bool is_swallowed;
      Sequence leader;
      std::uint64_t source;
    };
    std::deque<Document> window;
    std::set<std::pair<StreamAlarm::Kind, std::uint64_t>> too_often;
    int alarms = 0;
    int by_memory = 0;  // because of what was before
    for (int i = 0; i < 6000; ++i) {
      // Now and then most documents fall to few leaders; else to many, so that tables grow and shrink.
      const bool is_flood = i / 700 % 3 == 1;
      const Sequence leader = is_flood ? random() % 8 : random() % 2000;
      const Document document{random() % 3 != 0, leader, leader * 0x9E3779B97F4A7C15 % 50};
      window.push_back(document);
      if (window.size() > kWindow) window.pop_front();
      if (document.is_swallowed) {
        guard.swallow(document.leader, document.source);
      } else {
        guard.pass();
      }

      std::map<Sequence, std::uint32_t> clusters;
      std::map<std::uint64_t, std::uint32_t> sources;
      for (const Document& d : window) {
        if (!d.is_swallowed) continue;
        ++clusters[d.leader];
        ++sources[d.source];
      }
      std::optional<StreamAlarm> expected;
      std::uint32_t most = 0;
      for (const auto& [key, count] : clusters) most = std::max(most, count);
      ASSERT_EQ(guard.cluster_share(), static_cast<double>(most) / kWindow);
      for (const auto& [key, count] : sources) most = std::max(most, count);  // no cluster has two sources
      ASSERT_EQ(guard.source_share(), static_cast<double>(most) / kWindow);
      constexpr std::uint32_t kTooMany = kWindow / 10;
      constexpr std::uint32_t kStillTooMany = kTooMany - kTooMany / 8;
      std::erase_if(too_often, [&](const auto& known) {
        const auto& [kind, key] = known;
        return (kind == StreamAlarm::Kind::kCluster ? clusters[key] : sources[key]) < kStillTooMany;
      });
      const auto consider = [&](StreamAlarm::Kind kind, std::uint64_t key, std::uint32_t count) {
        if (count >= kTooMany) too_often.emplace(kind, key);
        if (too_often.contains({kind, key}) && (!expected || count > expected->documents))
          expected = StreamAlarm{kind, key, count, count * 1000 / kWindow};
      };
      for (const auto& [key, count] : clusters) consider(StreamAlarm::Kind::kCluster, key, count);
      for (const auto& [key, count] : sources) consider(StreamAlarm::Kind::kSource, key, count);
      ASSERT_EQ(guard.alarm(), expected) << i;
      alarms += expected.has_value();
      by_memory += expected && expected->documents < kTooMany;
    }
    EXPECT_GT(by_memory, 50);
    EXPECT_GT(alarms, 500);
    EXPECT_LT(alarms, 5500);
  }
}

TEST(StreamGuard, names_the_newest_leader_of_a_source) {
  StreamGuard guard({.window = 4, .alarm_permille = 500});
  guard.swallow(1, 5);
  guard.swallow(2, 6);
  EXPECT_EQ(guard.newest_leader_from(5), 1U);
  guard.swallow(3, 5);
  guard.pass();
  guard.swallow(4, 6);  // the window is a full ring now
  EXPECT_EQ(guard.newest_leader_from(5), 3U);
  EXPECT_EQ(guard.newest_leader_from(6), 4U);
}

TEST(StreamGuard, memory_is_bounded_by_the_window) {
  StreamGuard guard({.window = 1000, .alarm_permille = 500});
  for (Sequence leader = 0; leader < 100'000; ++leader) guard.swallow(leader, leader);
  EXPECT_LE(guard.bytes(), 1024U * 16 + 2U * 2048 * 16 + 64);
}

}  // namespace
}  // namespace neardup
