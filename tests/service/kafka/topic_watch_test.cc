#include "service/kafka/topic_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "tests/support/eventually.h"

namespace neardup {
namespace {

using namespace std::chrono_literals;
using Topics = TopicWatch::Topics;

constexpr TopicWatch::Options kQuick{.interval = 2ms, .again = 2ms, .lasts = 6ms, .patience = 5s};

// A cluster whose answers a test changes while the watch looks.
class Cluster {
 public:
  void set(Result<Topics> topics) {
    const std::lock_guard lock(mutex_);
    topics_ = std::move(topics);
  }
  Result<Topics> ask() {
    const std::lock_guard lock(mutex_);
    ++asked_;
    return topics_;
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  Result<Topics> topics_ = Topics{};
  int asked_ = 0;
};

Topics pages(std::uint8_t id, std::int32_t partitions) {
  return {{"pages", {.name = "pages", .id = {id}, .partitions = partitions}}};
}

TEST(TopicWatch, confirms_topics_that_stay_what_they_were) {
  StateBoard board;
  Cluster cluster;
  cluster.set(pages(1, 2));
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); }, kQuick, {});
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(watch.confirmed(board));
  EXPECT_TRUE(eventually([&] { return cluster.asked() > 3; }));
  EXPECT_FALSE(watch.contradiction());
}

TEST(TopicWatch, a_topic_made_again_or_deleted_ends_it_if_it_lasts) {
  for (const bool deleted : {false, true}) {
    StateBoard board;
    Cluster cluster;
    cluster.set(deleted ? Topics{} : pages(2, 2));
    std::atomic<int> told{0};
    TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); }, kQuick,
                     {.on_growth = {}, .on_contradiction = [&] { ++told; }});
    ASSERT_TRUE(eventually([&] { return told > 0; }));
    EXPECT_FALSE(watch.confirmed(board));
    ASSERT_TRUE(watch.contradiction());
    EXPECT_EQ(watch.contradiction()->topic, "pages");
    EXPECT_EQ(watch.contradiction()->what,
              deleted ? "topic pages was deleted while it was in use"
                      : "topic pages was deleted and made again while it was in use");
    EXPECT_GE(cluster.asked(), 2);
    EXPECT_EQ(told, 1);
  }
}

// Between the first look and the first batch a whole journal may have been read.
TEST(TopicWatch, what_was_seen_long_ago_confirms_nothing) {
  StateBoard board;
  Cluster cluster;
  cluster.set(pages(2, 2));
  constexpr TopicWatch::Options kSlow{.interval = 1h, .again = 2ms, .lasts = 6ms, .patience = 5s};
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); }, kSlow, {}, TopicWatch::Clock::now() - 2h);
  EXPECT_FALSE(watch.confirmed(board));
  EXPECT_TRUE(watch.contradiction());

  Cluster same;
  same.set(pages(1, 2));
  TopicWatch calm(pages(1, 2), [&] { return same.ask(); }, kSlow, {}, TopicWatch::Clock::now() - 2h);
  EXPECT_TRUE(calm.confirmed(board)) << "it looks at once";
  EXPECT_EQ(same.asked(), 1);
}

TEST(TopicWatch, stale_answers_make_transactions_wait_and_nothing_else) {
  StateBoard board;
  std::atomic<int> asked{0};
  std::atomic<bool> answers{false};
  std::atomic<bool> told{false};
  const auto ask = [&]() -> Result<Topics> {
    if (++asked <= 3) return Topics{};
    EXPECT_TRUE(eventually([&] { return answers.load(); }));
    return pages(1, 2);
  };
  TopicWatch watch(pages(1, 2), ask, {.interval = 1h, .again = 2ms, .patience = 50ms},
                   {.on_growth = {}, .on_contradiction = [&] { told = true; }});
  EXPECT_TRUE(watch.confirmed(board));
  EXPECT_FALSE(watch.look_now());
  EXPECT_TRUE(eventually([&] { return asked == 4; }));
  EXPECT_FALSE(watch.confirmed(board)) << "the fourth answer is not there";
  answers = true;
  EXPECT_TRUE(eventually([&] { return watch.confirmed(board); }));
  EXPECT_FALSE(told);
}

TEST(TopicWatch, without_answers_nothing_is_confirmed_and_with_the_first_one_it_is) {
  StateBoard board;
  Cluster cluster;
  cluster.set(Error{ErrorCode::kUnavailable, "Kafka is away"});
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); },
                   {.interval = 2ms, .again = 2ms, .patience = 50ms}, {});
  ASSERT_TRUE(eventually([&] { return cluster.asked() > 1; }));
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(watch.confirmed(board));
  EXPECT_FALSE(watch.contradiction());
  cluster.set(pages(1, 2));
  EXPECT_TRUE(eventually([&] { return watch.confirmed(board); }));
}

TEST(TopicWatch, who_misses_records_need_not_wait_for_the_next_look) {
  Cluster cluster;
  cluster.set(pages(2, 2));
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); },
                   {.interval = 1h, .again = 2ms, .lasts = 6ms, .patience = 10s}, {});
  EXPECT_FALSE(watch.contradiction());
  EXPECT_TRUE(watch.look_now());
  EXPECT_TRUE(watch.look_now()) << "it stays so, and does not wait";

  Cluster same;
  same.set(pages(1, 2));
  TopicWatch calm(pages(1, 2), [&] { return same.ask(); },
                  {.interval = 1h, .again = 2ms, .lasts = 6ms, .patience = 10s}, {});
  EXPECT_FALSE(calm.look_now());
}

TEST(TopicWatch, what_was_read_waits_for_an_answer_to_a_later_question) {
  StateBoard board;
  Cluster cluster;
  cluster.set(pages(1, 2));
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); },
                   {.interval = 1h, .again = 2ms, .lasts = 6ms, .patience = 10s}, {});
  EXPECT_TRUE(watch.confirmed(board));
  EXPECT_EQ(cluster.asked(), 0) << "the start's answer will do";
  EXPECT_TRUE(watch.confirmed(board, TopicWatch::Clock::now()));
  EXPECT_GE(cluster.asked(), 1);

  cluster.set(pages(2, 2));
  EXPECT_TRUE(watch.confirmed(board)) << "an hour has not passed";
  EXPECT_FALSE(watch.confirmed(board, TopicWatch::Clock::now()));
  EXPECT_TRUE(watch.contradiction());
}

TEST(TopicWatch, growth_is_told_once_and_is_no_contradiction) {
  StateBoard board;
  Cluster cluster;
  cluster.set(pages(1, 2));
  std::mutex mutex;
  std::vector<std::pair<std::int32_t, std::int32_t>> growths;
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); }, kQuick,
                   {.on_growth =
                        [&](const std::string& topic, std::int32_t before, std::int32_t now) {
                          const std::lock_guard lock(mutex);
                          EXPECT_EQ(topic, "pages");
                          growths.emplace_back(before, now);
                        },
                    .on_contradiction = {}});
  const auto grown = [&](std::size_t times) {
    return [&, times] {
      const std::lock_guard lock(mutex);
      return growths.size() == times;
    };
  };
  cluster.set(pages(1, 5));
  ASSERT_TRUE(eventually(grown(1)));
  cluster.set(pages(1, 2));  // a broker that knows less
  const int before = cluster.asked();
  ASSERT_TRUE(eventually([&] { return cluster.asked() > before + 3; }));
  cluster.set(pages(1, 6));
  ASSERT_TRUE(eventually(grown(2)));
  EXPECT_TRUE(watch.confirmed(board));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(growths, (std::vector<std::pair<std::int32_t, std::int32_t>>{{2, 5}, {5, 6}}));
}

class Elected final : public Leadership {
 public:
  bool held() const override { return leader; }
  std::atomic<bool> leader = true;
};

TEST(WatchedLeadership, needs_both_the_election_and_the_topics) {
  StateBoard board;
  Cluster cluster;
  cluster.set(pages(1, 2));
  Elected election;
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); }, kQuick, {});
  const WatchedLeadership leadership(election, watch, board, {});
  EXPECT_TRUE(leadership.held());
  election.leader = false;
  EXPECT_FALSE(leadership.held());
  election.leader = true;
  cluster.set(pages(9, 2));
  EXPECT_TRUE(eventually([&] { return !leadership.held(); }));
}

TEST(WatchedLeadership, asks_for_each_batch) {
  StateBoard board;
  Cluster cluster;
  cluster.set(pages(1, 2));
  Elected election;
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); },
                   {.interval = 1h, .again = 2ms, .lasts = 6ms, .patience = 10s}, {});
  const WatchedLeadership leadership(election, watch, board, {});
  for (int batch = 1; batch <= 3; ++batch) {
    const auto read = TopicWatch::Clock::now();
    leadership.prepare_commit();
    EXPECT_TRUE(eventually([&] { return cluster.asked() >= batch; })) << "while the batch is signed";
    EXPECT_TRUE(leadership.may_commit(read));
  }
  cluster.set(pages(9, 2));
  EXPECT_TRUE(leadership.held());
  EXPECT_FALSE(leadership.may_commit(TopicWatch::Clock::now()));
}

// A Kafka that answers no questions about topics may still hold the election: it did not give it to another.
TEST(WatchedLeadership, waits_for_an_answer_as_long_as_the_election_is_held_and_nobody_asks_to_stop) {
  StateBoard board;
  Cluster cluster;
  cluster.set(Error{ErrorCode::kUnavailable, "Kafka is away"});
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); },
                   {.interval = 2ms, .again = 2ms, .patience = 10ms}, {});
  std::this_thread::sleep_for(20ms);  // what was known at first is too old
  Elected election;
  std::stop_source stop;
  const WatchedLeadership leadership(election, watch, board, stop.get_token());
  const auto after = [&](auto then) {
    std::atomic<bool> has_waited = false;
    const std::jthread later([&] {
      std::this_thread::sleep_for(100ms);  // ten times its patience
      has_waited = true;
      then();
    });
    const bool held = leadership.held();
    return std::pair(held, has_waited.load());
  };
  EXPECT_EQ(after([&] { cluster.set(pages(1, 2)); }), std::pair(true, true));
  cluster.set(Error{ErrorCode::kUnavailable, "Kafka is away"});
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(after([&] { election.leader = false; }), std::pair(false, true));
  election.leader = true;
  EXPECT_EQ(after([&] { stop.request_stop(); }), std::pair(false, true));
}

// An answer may be missing for ever (a topic that we may not describe any more): an operator must see which.
TEST(WatchedLeadership, says_why_it_waits_and_takes_that_back) {
  StateBoard board;
  Cluster cluster;
  cluster.set(Error{ErrorCode::kUnavailable, "describing topic pages: TOPIC_AUTHORIZATION_FAILED"});
  TopicWatch watch(pages(1, 2), [&] { return cluster.ask(); },
                   {.interval = 2ms, .again = 2ms, .patience = 10ms}, {});
  std::this_thread::sleep_for(20ms);  // what was known at first is too old
  const Elected election;
  const WatchedLeadership leadership(election, watch, board, {});
  std::atomic<bool> held = false;
  const std::jthread waiting([&] { held = leadership.held(); });
  EXPECT_TRUE(eventually([&] {
    return board.warning() == "topics: describing topic pages: TOPIC_AUTHORIZATION_FAILED";
  })) << board.warning();
  EXPECT_FALSE(held);
  cluster.set(pages(1, 2));
  EXPECT_TRUE(eventually([&] { return held.load(); }));
  EXPECT_EQ(board.warning(), "");
}

}  // namespace
}  // namespace neardup
