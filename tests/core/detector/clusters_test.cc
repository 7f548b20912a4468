#include "core/detector/clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace neardup {
namespace {

using testing::ElementsAre;

Source at(std::int64_t offset) { return {.topic = 1, .partition = 0, .offset = offset}; }

Clusters::Joining joining(Sequence leader, std::int64_t offset) {
  return {.leader = leader,
          .leader_document = {.source = at(static_cast<std::int64_t>(leader)),
                              .event_time_ms = 100,
                              .tokens = 100,
                              .priority = 5},
          .document = {.source = at(offset), .event_time_ms = 100, .tokens = 100, .priority = 5}};
}

// Where the document lies that represents a cluster; nothing if it is the leader.
std::optional<Source> representative(const Clusters& clusters, Sequence leader) {
  const ClusterState cluster = clusters.cluster(leader);
  return cluster.representative ? std::optional(cluster.representative->source) : std::nullopt;
}

TEST(Clusters, a_unique_is_alone_and_each_duplicate_makes_one_more) {
  Clusters clusters({});
  EXPECT_EQ(clusters.cluster(3), ClusterState{});
  EXPECT_EQ(clusters.clusters(), 0U);
  clusters.join(joining(3, 10));
  EXPECT_EQ(clusters.cluster(3).size, 2U);
  clusters.join(joining(3, 11));
  clusters.join(joining(0, 12));
  EXPECT_EQ(clusters.cluster(0).size, 2U);
  EXPECT_EQ(clusters.cluster(3).size, 3U);
  EXPECT_EQ(clusters.cluster(2).size, 1U);
  EXPECT_EQ(clusters.clusters(), 2U);
}

TEST(Clusters, each_policy_names_its_own_representative_and_the_earliest_of_equals) {
  // The leader, then two duplicates: longer and older and dearer; then shorter and newer and the best source.
  const auto run = [](KeepPolicy keep) {
    Clusters clusters({.keep = keep});
    Clusters::Joining longer = joining(0, 1);
    longer.document.tokens = 101;
    longer.document.event_time_ms = 99;
    longer.document.priority = 6;
    Clusters::Joining newer = joining(0, 2);
    newer.document.tokens = 99;
    newer.document.event_time_ms = 101;
    newer.document.priority = 4;
    std::vector<bool> named;
    for (Clusters::Joining next : {joining(0, 3), longer, newer, longer, newer}) {
      next.document.source.offset += named.size() >= 3 ? 10 : 0;  // who comes later is another one
      clusters.join(next);
      named.push_back(representative(clusters, 0) == next.document.source);
    }
    return std::pair(representative(clusters, 0), named);
  };
  EXPECT_EQ(run(KeepPolicy::kFirst), std::pair(std::optional<Source>(), std::vector<bool>(5, false)));
  const std::vector<bool> second = {false, true, false, false, false};
  const std::vector<bool> third = {false, false, true, false, false};
  EXPECT_EQ(run(KeepPolicy::kLongest), std::pair(std::optional(at(1)), second));
  EXPECT_EQ(run(KeepPolicy::kNewest), std::pair(std::optional(at(2)), third));
  EXPECT_EQ(run(KeepPolicy::kPrioritySource), std::pair(std::optional(at(2)), third));
}

TEST(Clusters, an_unknown_time_is_not_the_newest) {
  Clusters clusters({.keep = KeepPolicy::kNewest});
  Clusters::Joining next = joining(0, 1);
  next.document.event_time_ms = 0;
  clusters.join(next);
  EXPECT_EQ(representative(clusters, 0), std::nullopt);
  next.leader_document.event_time_ms = 0;
  clusters.join(next);
  EXPECT_EQ(representative(clusters, 0), std::nullopt);
  next.document.event_time_ms = 1;
  clusters.join(next);
  EXPECT_EQ(representative(clusters, 0), at(1));
}

TEST(Clusters, a_forgotten_cluster_is_gone_with_its_representative_and_its_rank) {
  Clusters clusters({.keep = KeepPolicy::kLongest, .largest = 2});
  for (Sequence leader = 0; leader < 4; ++leader) {
    for (Sequence i = 0; i <= leader; ++i) {
      Clusters::Joining next = joining(leader, static_cast<std::int64_t>(i));
      next.document.tokens = 1000;
      clusters.join(next);
    }
  }
  const auto leaders = [&] {
    std::vector<Sequence> all;
    for (const auto& large : clusters.largest()) all.push_back(large.leader);
    return all;
  };
  EXPECT_THAT(leaders(), ElementsAre(3, 2));
  clusters.erase(3);
  EXPECT_THAT(leaders(), ElementsAre(2, 1));
  EXPECT_EQ(clusters.cluster(3), ClusterState{});
  clusters.expire(2);
  EXPECT_THAT(leaders(), ElementsAre(2));
  EXPECT_EQ(clusters.clusters(), 1U);
  EXPECT_NE(representative(clusters, 2), std::nullopt);
}

// The oldest are the largest, as of equal ones and of those that grew for longest: so each that expires is
// one of them, and each time somebody asks.
TEST(Clusters, the_largest_are_known_without_reading_all_sizes_each_time_that_one_is_forgotten) {
  constexpr Sequence kClusters = 100'000;
  constexpr Sequence kExpired = 10'000;
  for (const bool equal : {true, false}) {
    SCOPED_TRACE(equal ? "of one size" : "the older, the larger");
    Clusters clusters({});
    const auto size_of = [&](Sequence leader) {
      return equal ? 2U : static_cast<std::uint32_t>(2 + (kClusters - leader) / 10);
    };
    for (Sequence leader = 0; leader < kClusters; ++leader)
      clusters.restore({.leader = leader, .joined = size_of(leader) - 1}, "");
    for (Sequence oldest = 1; oldest <= kExpired; ++oldest) {
      clusters.expire(oldest);
      ASSERT_EQ(clusters.counts().largest, size_of(oldest));
      if (oldest % 100 != 0) continue;
      const std::vector<Clusters::Large> largest = clusters.largest();
      ASSERT_EQ(largest.size(), ClusterOptions().largest);
      for (Sequence i = 0; i < largest.size(); ++i) ASSERT_EQ(largest[i].leader, oldest + i);
    }
    EXPECT_GT(clusters.sizes_read(), 0U) << "the reserve was used up";
    EXPECT_LE(clusters.sizes_read(), 256 * kExpired);
  }
}

TEST(Clusters, mean_distance_tells_copies_from_a_template) {
  Clusters clusters({});
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    clusters.join(joining(0, i));  // the very same fingerprint
    Clusters::Joining other = joining(1, i);
    other.difference = random() & random() & random();  // 8 bits of 64
    clusters.join(other);
  }
  const std::vector<Clusters::Large> largest = clusters.largest();
  ASSERT_EQ(largest.size(), 2U);
  EXPECT_EQ(largest[0].mean_distance, 0);
  EXPECT_NEAR(largest[1].mean_distance, 64 * 2 * (1.0 / 8) * (7.0 / 8), 0.5);
}

// All documents kept, everything computed from them when asked.
class NaiveClusters {
 public:
  explicit NaiveClusters(KeepPolicy keep) : keep_(keep) {}

  struct Member {
    std::uint64_t fingerprint;
    ClusterDocument document;
  };
  void unique(Sequence leader, const Member& member) { members_[leader] = {member}; }
  void join(Sequence leader, const Member& member) { members_[leader].push_back(member); }
  void erase(Sequence leader) { members_.erase(leader); }
  void expire(Sequence oldest) {
    std::erase_if(members_, [&](const auto& cluster) { return cluster.first < oldest; });
  }
  const std::map<Sequence, std::vector<Member>>& members() const { return members_; }

  const Member& representative(Sequence leader) const {
    const std::vector<Member>& all = members_.at(leader);
    return *std::max_element(all.begin(), all.end(), [&](const Member& a, const Member& b) {
      switch (keep_) {
        case KeepPolicy::kFirst:
          return false;
        case KeepPolicy::kLongest:
          return a.document.tokens < b.document.tokens;
        case KeepPolicy::kNewest:
          return a.document.event_time_ms < b.document.event_time_ms;
        case KeepPolicy::kPrioritySource:
          return a.document.priority > b.document.priority;
      }
      return false;
    });
  }

  double mean_distance(Sequence leader) const {
    const std::vector<Member>& all = members_.at(leader);
    double sum = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        sum += std::popcount(all[i].fingerprint ^ all[j].fingerprint);
        ++pairs;
      }
    }
    return sum / pairs;
  }

  std::vector<std::pair<std::size_t, Sequence>> largest(std::size_t most) const {  // size, leader
    std::vector<std::pair<std::size_t, Sequence>> all;
    for (const auto& [leader, members] : members_) {
      if (members.size() >= 2) all.emplace_back(members.size(), leader);
    }
    std::ranges::sort(all, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (all.size() > most) all.resize(most);
    return all;
  }

 private:
  KeepPolicy keep_;
  std::map<Sequence, std::vector<Member>> members_;
};

TEST(Clusters, agree_with_a_model_that_keeps_all_documents) {
  for (const KeepPolicy keep :
       {KeepPolicy::kFirst, KeepPolicy::kLongest, KeepPolicy::kNewest, KeepPolicy::kPrioritySource}) {
    for (const std::uint32_t most : {1U, 5U, 1000U}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(keep) << ' ' << most);
      std::mt19937_64 random(most + static_cast<std::uint64_t>(keep));
      Clusters clusters({.keep = keep, .largest = most});
      Clusters replayed({.keep = keep, .largest = most});
      NaiveClusters model(keep);
      Sequence size = 0;
      Sequence oldest = 0;
      for (std::int64_t i = 0; i < 4000; ++i) {
        const ClusterDocument document{.source = at(i),
                                       .event_time_ms = static_cast<std::int64_t>(random() % 50),
                                       .tokens = static_cast<std::uint32_t>(random() % 50),
                                       .priority = static_cast<std::uint32_t>(random() % 4)};
        const std::uint64_t fingerprint = random();
        // Small numbers are leaders more often, so that sizes differ.
        const Sequence leader = oldest + random() % (1 + random() % (size - oldest + 1));
        const auto cluster = model.members().find(leader);
        if (random() % 8 == 0 || cluster == model.members().end()) {
          model.unique(size++, {fingerprint, document});
          clusters.pass();
        } else {
          const NaiveClusters::Member first = cluster->second.front();
          const Source before = model.representative(leader).document.source;
          model.join(leader, {fingerprint, document});
          clusters.join({.leader = leader,
                         .leader_document = first.document,
                         .document = document,
                         .difference = fingerprint ^ first.fingerprint});
          ASSERT_EQ(clusters.cluster(leader).size, cluster->second.size());
          const Source now = model.representative(leader).document.source;
          ASSERT_EQ(representative(clusters, leader).value_or(first.document.source), now);
          // What a journal would store of it.
          ClusterGain gain{.leader = leader, .joined = 1};
          if (now != before) gain.representative = clusters.cluster(leader).representative;
          replayed.restore(gain, clusters.rule());
        }
        if (i % 300 == 299) {
          oldest += random() % ((size - oldest) / 4 + 1);
          model.expire(oldest);
          clusters.expire(oldest);
          replayed.expire(oldest);
        }
        if (i % 37 == 0) {
          const Sequence erased = oldest + random() % (size - oldest + 1);
          model.erase(erased);
          clusters.erase(erased);
          replayed.erase(erased);
        }
        if (i % 50 != 0) continue;
        ASSERT_EQ(replayed.digest(), clusters.digest());
        ASSERT_EQ(replayed.counts().largest, clusters.counts().largest);
        std::vector<std::pair<std::size_t, Sequence>> largest;
        for (const Clusters::Large& large : clusters.largest()) {
          largest.emplace_back(large.size, large.leader);
          if (most == 1000) {
            ASSERT_NEAR(large.mean_distance, model.mean_distance(large.leader), 1e-9);
          }
        }
        ASSERT_EQ(largest, model.largest(most));
        ASSERT_EQ(clusters.clusters(), model.largest(model.members().size()).size());
      }
    }
  }
}

TEST(Clusters, digest_differs_when_anything_stored_differs_and_does_not_hang_on_the_order_of_clusters) {
  const auto digest_of = [&](const std::vector<Clusters::Joining>& all,
                             KeepPolicy keep = KeepPolicy::kLongest) {
    Clusters clusters({.keep = keep});
    for (const Clusters::Joining& next : all) clusters.join(next);
    return clusters.digest();
  };
  const Clusters::Joining a = joining(0, 1);
  const Clusters::Joining b = joining(1, 2);
  EXPECT_EQ(digest_of({a, b}), digest_of({b, a}));
  Clusters::Joining longer = a;
  longer.document.tokens = 101;
  Clusters::Joining longer_elsewhere = longer;
  longer_elsewhere.document.source.offset++;
  Clusters::Joining other_bits = a;
  other_bits.difference = 1;
  EXPECT_EQ(digest_of({a}), digest_of({other_bits})) << "a distance is for people who watch";
  const std::vector<Digest128> digests = {digest_of({}),
                                          digest_of({}, KeepPolicy::kNewest),
                                          digest_of({a}),
                                          digest_of({b}),
                                          digest_of({a, a}),
                                          digest_of({longer}),
                                          digest_of({longer_elsewhere})};
  for (std::size_t i = 0; i < digests.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(digests[i], digests[j]) << i << " and " << j;
  }
}

TEST(Clusters, whom_another_policy_chose_represents_until_one_comes_that_this_one_prefers_to_the_leader) {
  const ClusterGain chosen{.leader = 0, .joined = 3, .representative = Representative{at(7), 1'000'000}};
  Clusters clusters({.keep = KeepPolicy::kLongest});
  clusters.restore(chosen, Clusters({.keep = KeepPolicy::kNewest}).rule());
  EXPECT_EQ(clusters.cluster(0).size, 4U);
  clusters.join(joining(0, 8));
  EXPECT_EQ(representative(clusters, 0), at(7)) << "as long as the leader is";
  Clusters::Joining longer = joining(0, 9);
  longer.document.tokens = 101;
  clusters.join(longer);
  EXPECT_EQ(representative(clusters, 0), at(9));

  Clusters same({.keep = KeepPolicy::kLongest});
  same.restore(chosen, same.rule());
  same.join(longer);
  EXPECT_EQ(representative(same, 0), at(7)) << "its rank counts, and is higher";
}

TEST(Clusters, ranks_by_other_priorities_are_not_compared) {
  const auto rule_of = [](std::vector<std::string> sources) {
    return Clusters({.keep = KeepPolicy::kPrioritySource, .priority_sources = std::move(sources)}).rule();
  };
  EXPECT_EQ(rule_of({"a.org", "b.org"}), rule_of({"a.org", "b.org"}));
  EXPECT_NE(rule_of({"a.org", "b.org"}), rule_of({"b.org", "a.org"}));
  EXPECT_EQ(Clusters({}).rule(), "");
}

TEST(Clusters, counts_tell_the_largest_and_what_watching_found) {
  Clusters clusters({.guard = {.window = 10, .alarm_permille = 300}});
  EXPECT_EQ(clusters.counts().largest, 0U);
  for (int i = 0; i < 3; ++i) {
    Clusters::Joining next = joining(4, i);
    next.leader_origin = 1;
    next.difference = i == 0 ? 0xFF : 0;
    clusters.join(next);
  }
  Clusters::Joining next = joining(2, 9);
  next.leader_origin = 1;
  clusters.join(next);
  const ClusterCounts counts = clusters.counts();
  EXPECT_EQ(counts.clusters, 2U);
  EXPECT_EQ(counts.largest, 4U);
  EXPECT_EQ(counts.bytes, clusters.bytes());
  EXPECT_EQ(counts.cluster_share, .3);
  EXPECT_EQ(counts.source_share, .4);
  ASSERT_TRUE(counts.alarm);
  EXPECT_EQ(counts.alarm->kind, StreamAlarm::Kind::kSource);
  EXPECT_EQ(counts.alarm_leader, 2U) << "the newest of the source";
  // 8 bits in 3 of the 6 pairs of cluster 4; none in cluster 2, whose two members count half as much.
  EXPECT_NEAR(counts.mean_distance, (4 * 4.0 + 2 * 0.0) / 6, 1e-9);
}

TEST(Clusters, memory_is_7_bytes_a_cluster_where_a_fifth_of_the_uniques_lead_one) {
  Clusters clusters({.guard = {.window = 1, .alarm_permille = 1000}});
  const std::size_t before = clusters.bytes();
  constexpr Sequence kUniques = 500'000;
  for (Sequence leader = 0; leader < kUniques; leader += 5) clusters.join(joining(leader, 0));
  EXPECT_GE(clusters.bytes() - before, kUniques / 5 * 5);
  EXPECT_LE(clusters.bytes() - before, kUniques / 5 * 7);
}

TEST(Clusters, tells_the_guards_alarm) {
  Clusters clusters({.guard = {.window = 10, .alarm_permille = 500}});
  for (int i = 0; i < 5; ++i) clusters.join(joining(4, i));
  ASSERT_TRUE(clusters.alarm());
  EXPECT_EQ(clusters.alarm()->key, 4U);
  for (int i = 0; i < 6; ++i) clusters.pass();
  EXPECT_FALSE(clusters.alarm());
}

}  // namespace
}  // namespace neardup
