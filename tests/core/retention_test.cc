#include "core/retention.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <vector>

#include "core/index/exact_index.h"

namespace neardup {
namespace {

using Answer = Retention::Answer;
using Reason = Retention::Reason;

TEST(Retention, without_a_bound_nothing_is_forgotten) {
  Retention retention({});
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 1'000'000, .time_ms = 1LL << 60, .bytes = 1ULL << 60}),
            (Answer{.oldest = 0, .reason = Reason::kNone}));
}

TEST(Retention, by_count_the_newest_are_kept) {
  Retention retention({.count_max = 100});
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 100}), (Answer{.oldest = 0}));
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 130}), (Answer{.oldest = 30, .reason = Reason::kCount}));
  EXPECT_EQ(retention.decide({.oldest = 30, .size = 130}), (Answer{.oldest = 30}));
}

// As where a limit is set that so many are above, or where time has moved while nothing came.
TEST(Retention, many_are_forgotten_by_and_by) {
  constexpr std::uint64_t kMost = Retention::kForgottenMax;
  Retention counted({.count_max = 1000});
  Retention aged({.age_max_ms = 1000});
  aged.decide({.oldest = 0, .size = 3 * kMost, .time_ms = 5000});
  for (const auto& [retention, left, reason] :
       {std::tuple{&counted, 1000, Reason::kCount}, std::tuple{&aged, 0, Reason::kAge}}) {
    const Retention::Moment moment = {.oldest = 0, .size = 3 * kMost, .time_ms = 9000};
    Sequence oldest = 0;
    const auto decide = [&, retention = retention] {
      Retention::Moment now = moment;
      now.oldest = oldest;
      const Answer answer = retention->decide(now);
      EXPECT_EQ(retention->has_more(), answer.oldest <= 2 * kMost && answer.oldest > oldest);
      oldest = answer.oldest;
      return answer;
    };
    EXPECT_EQ(decide(), (Answer{.oldest = kMost, .reason = reason}));
    EXPECT_EQ(decide(), (Answer{.oldest = 2 * kMost, .reason = reason}));
    EXPECT_EQ(decide().oldest, 3 * kMost - static_cast<Sequence>(left));
    EXPECT_EQ(decide().reason, Reason::kNone) << "no more";
  }
}

TEST(Retention, by_age_time_is_the_latest_of_any_document) {
  Retention retention({.age_max_ms = 1000});
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 10, .time_ms = 5000}), (Answer{.oldest = 0}));
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 20, .time_ms = 100}), (Answer{.oldest = 0}));
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 30, .time_ms = 5999}), (Answer{.oldest = 0}));
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 40, .time_ms = 0}), (Answer{.oldest = 0}));
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 50, .time_ms = 6000}),
            (Answer{.oldest = 20, .reason = Reason::kAge}));
  EXPECT_EQ(retention.decide({.oldest = 20, .size = 60, .time_ms = 7000}),
            (Answer{.oldest = 50, .reason = Reason::kAge}))
      << "those that came at 5999 and at 6000";
}

TEST(Retention, is_due_before_a_window_is_passed_by_more_than_a_256th) {
  Retention counted({.count_max = 512});
  counted.note(0, 1LL << 60);
  EXPECT_FALSE(counted.is_due(512)) << "nothing is too much yet";
  EXPECT_TRUE(counted.is_due(513));
  counted.decide({.oldest = 0, .size = 513});
  EXPECT_FALSE(counted.is_due(514));
  EXPECT_TRUE(counted.is_due(515));
  Retention small({.count_max = 1});
  small.decide({.oldest = 0, .size = 1});
  EXPECT_FALSE(small.is_due(1));
  EXPECT_TRUE(small.is_due(2));

  Retention aged({.age_max_ms = 256'000});
  const auto is_due = [&](std::int64_t time_ms) {
    aged.note(1, time_ms);
    return aged.is_due(1);
  };
  EXPECT_FALSE(is_due(0)) << "of no time";
  EXPECT_TRUE(is_due(5'000'000)) << "of which nothing is known before";
  aged.decide({.oldest = 0, .size = 1, .time_ms = 5'000'000});
  EXPECT_FALSE(is_due(4'000'000));
  EXPECT_FALSE(is_due(5'000'500));
  EXPECT_FALSE(is_due(5'001'000)) << "by steps too";
  EXPECT_TRUE(is_due(5'001'001));
  EXPECT_TRUE(is_due(0)) << "until it is asked";
  Retention all({});
  all.note(0, 1LL << 60);
  EXPECT_FALSE(all.is_due(1 << 30));
}

// Dates alone: a day's documents share a time, and a batch may hold the end of one day and the next, or many.
TEST(Retention, where_time_leaps_within_a_batch_those_before_the_leap_are_as_old_as_they_are) {
  constexpr std::int64_t kDay = 86'400'000;
  Retention told({.age_max_ms = kDay});
  Retention untold({.age_max_ms = kDay});
  for (Sequence size = 0; size < 30; ++size)
    told.note(size, size < 10 ? kDay : size < 20 ? 3 * kDay : 3 * kDay + 1);
  const Retention::Moment moment = {.oldest = 0, .size = 30, .time_ms = 3 * kDay + 1};
  EXPECT_EQ(told.decide(moment), (Answer{.oldest = 10, .reason = Reason::kAge}));
  EXPECT_EQ(untold.decide(moment), (Answer{.oldest = 0})) << "all at the end of the batch";
  told.note(30, 5 * kDay);
  EXPECT_EQ(told.decide({.oldest = 10, .size = 31, .time_ms = 5 * kDay}),
            (Answer{.oldest = 30, .reason = Reason::kAge}));
}

TEST(Retention, by_age_noted_one_by_one_and_asked_when_due_no_document_meets_one_that_is_too_old) {
  constexpr std::int64_t kAge = 100'000;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Retention retention({.age_max_ms = kAge});
    std::vector<std::int64_t> came;  // of each unique: what time it was then
    std::int64_t now = 1'000'000;
    Sequence oldest = 0;
    std::int64_t batch_ms = 0;  // the latest of its documents
    for (int document = 0; document < 50'000; ++document) {
      const std::int64_t leap = random() % 500 == 0 ? static_cast<std::int64_t>(random() % (2 * kAge)) : 0;
      const std::int64_t time = now + leap + static_cast<std::int64_t>(random() % 90) - 60;
      now = std::max(now, time);
      retention.note(came.size(), time);
      // Who asks may know that the document comes, or only those before it.
      if (retention.is_due(came.size()) || random() % 200 == 0) {
        oldest = retention.decide({.oldest = oldest, .size = came.size(), .time_ms = batch_ms}).oldest;
        batch_ms = 0;
      }
      batch_ms = std::max(batch_ms, time);
      for (Sequence i = oldest; i > 0 && i + 50 > oldest; --i) ASSERT_LE(came[i - 1], now - kAge);
      if (oldest < came.size()) {
        ASSERT_GT(came[oldest], now - kAge - 2 * (kAge / 256) - 1);
      }
      if (random() % 3 > 0) came.push_back(now);
    }
    EXPECT_GT(oldest, 10'000U);
  }
}

TEST(Retention, by_age_never_too_early_and_at_most_a_256th_too_late) {
  constexpr std::int64_t kAge = 100'000;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Retention retention({.age_max_ms = kAge});
    std::vector<std::int64_t> came;  // of each unique: what time it was then
    std::int64_t now = 1'000'000;
    Sequence oldest = 0;
    for (int batch = 0; batch < 5000; ++batch) {
      const std::int64_t time =
          random() % 100 == 0 ? now + 30'000 : now + static_cast<std::int64_t>(random() % 900) - 400;
      now = std::max(now, time);
      came.insert(came.end(), random() % 20, now);
      oldest = retention.decide({.oldest = oldest, .size = came.size(), .time_ms = time}).oldest;
      for (Sequence i = oldest; i > 0 && i + 50 > oldest; --i) ASSERT_LE(came[i - 1], now - kAge);
      for (Sequence i = oldest; i < came.size(); ++i) ASSERT_GT(came[i], now - kAge - kAge / 256 - 1);
    }
    EXPECT_GT(oldest, 10'000U);
  }
}

TEST(Retention, an_event_time_in_the_future_is_the_time_of_arrival) {
  EXPECT_EQ(retention_time_ms(RetentionClock::kEventTime, 4'000'000, 1000), 1000);
  EXPECT_EQ(retention_time_ms(RetentionClock::kEventTime, 900, 1000), 900);
  EXPECT_EQ(retention_time_ms(RetentionClock::kEventTime, 0, 1000), 1000);
  EXPECT_EQ(retention_time_ms(RetentionClock::kEventTime, 900, 0), 900);
  EXPECT_EQ(retention_time_ms(RetentionClock::kArrivalTime, 900, 1000), 1000);
}

TEST(Retention, of_several_rules_the_one_that_asks_for_the_most_is_the_reason) {
  const RetentionOptions options{.count_max = 50, .age_max_ms = 1000};
  Retention few(options);
  few.decide({.oldest = 0, .size = 10, .time_ms = 1});
  EXPECT_EQ(few.decide({.oldest = 0, .size = 100, .time_ms = 2000}),
            (Answer{.oldest = 50, .reason = Reason::kCount}));
  Retention old(options);
  old.decide({.oldest = 0, .size = 45, .time_ms = 1});
  EXPECT_EQ(old.decide({.oldest = 0, .size = 60, .time_ms = 2000}),
            (Answer{.oldest = 45, .reason = Reason::kAge}));
}

TEST(Retention, a_replay_leads_to_the_same_answers) {
  const RetentionOptions options{.count_max = 500, .age_max_ms = 5000};
  std::mt19937_64 random(3);
  Retention all(options);
  Retention late(options);
  Sequence oldest = 0;
  Sequence size = 0;
  for (int batch = 0; batch < 400; ++batch) {
    size += random() % 30;
    const std::int64_t time = batch * 100 + static_cast<std::int64_t>(random() % 100);
    const Retention::Moment moment{.oldest = oldest, .size = size, .time_ms = time};
    const Answer answer = all.decide(moment);
    if (batch < 200) {
      late.replay(moment);
    } else {
      ASSERT_EQ(late.decide(moment), answer);
    }
    oldest = answer.oldest;
  }
  EXPECT_GT(oldest, 3000U);
}

TEST(Retention, may_be_told_to_stop_at_the_memory_limit_instead) {
  Retention retention({.bytes_max = 1000, .at_bytes_max = MemoryPolicy::kStop});
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 10, .bytes = 999}), (Answer{.oldest = 0}));
  EXPECT_EQ(retention.decide({.oldest = 0, .size = 10, .bytes = 1000}),
            (Answer{.oldest = 0, .must_stop = true}));
}

TEST(Retention, stops_before_another_batch_like_the_largest_would_pass_the_limit) {
  Retention retention({.bytes_max = 1000, .at_bytes_max = MemoryPolicy::kStop});
  EXPECT_FALSE(retention.decide({.oldest = 0, .size = 10, .bytes = 600}).must_stop);
  EXPECT_FALSE(retention.decide({.oldest = 0, .size = 20, .bytes = 720}).must_stop);
  EXPECT_FALSE(retention.decide({.oldest = 0, .size = 30, .bytes = 730}).must_stop);
  EXPECT_FALSE(retention.must_stop(879));
  EXPECT_TRUE(retention.must_stop(880));
}

TEST(Retention, what_batches_took_before_a_restart_is_known_after_it) {
  Retention retention({.bytes_max = 1000, .at_bytes_max = MemoryPolicy::kStop});
  retention.replay({.size = 10, .bytes = 600});
  retention.replay({.size = 20, .bytes = 720});
  EXPECT_FALSE(retention.must_stop(879));
  EXPECT_TRUE(retention.must_stop(880));
}

TEST(Retention, stops_where_the_limit_has_no_room_for_anything) {
  Retention retention({.bytes_max = 1000});
  EXPECT_TRUE(retention.decide({.oldest = 0, .size = 10, .bytes = 1000}).must_stop);
}

TEST(Retention, uniques_that_grow_are_cut_until_memory_does_not) {
  Retention retention({.bytes_max = 1 << 20});
  Sequence oldest = 0;
  std::uint64_t most = 0;
  std::uint64_t least_kept = 1 << 20;
  for (Sequence size = 1000; size < 400'000; size += 100) {
    // What is live is paid, 16 bytes each at first and 48 in the end; what was given back is not held.
    const std::uint64_t each = 16 + size * 32 / 400'000;
    const std::uint64_t bytes = (size - oldest) * each;
    most = std::max(most, bytes);
    const Answer answer = retention.decide({.oldest = oldest, .size = size, .bytes = bytes});
    EXPECT_FALSE(answer.must_stop);
    EXPECT_GE(answer.oldest, oldest);
    oldest = answer.oldest;
    if (oldest > 0) least_kept = std::min(least_kept, size - oldest);
  }
  EXPECT_LT(most, 1U << 20);
  EXPECT_GT(least_kept * 48, (1U << 20) * 3 / 4) << "and not more than needed";
}

// Columns of 8 bytes a unique, and tables of 8 that are as large as they ever were.
struct Memory {
  std::uint64_t bytes(std::uint64_t live) {
    most = std::max(most, live);
    return 8 * (live + most);
  }
  std::uint64_t most = 0;
};

TEST(Retention, a_state_above_the_limit_keeps_what_fits_at_once_and_loses_no_more) {
  Retention retention({.bytes_max = 800'000});
  Memory memory;
  retention.replay({.size = 100'000, .bytes = memory.bytes(100'000)});  // twice the limit
  Sequence oldest = 0;
  for (Sequence size = 100'100; size < 400'000; size += 100) {
    const Retention::Moment moment{.oldest = oldest, .size = size, .bytes = memory.bytes(size - oldest)};
    const Answer answer = retention.decide(moment);
    ASSERT_EQ(answer.reason, Reason::kMemory);
    ASSERT_FALSE(answer.must_stop);
    ASSERT_NEAR(static_cast<double>(size - answer.oldest), 100'100 * 13 / 32, 50) << "13/16 of the limit";
    oldest = answer.oldest;
  }
}

TEST(Retention, each_restart_above_the_limit_keeps_as_many) {
  Memory memory;
  std::vector<Retention::Moment> history{{.size = 100'000, .bytes = memory.bytes(100'000)}};
  for (int start = 0; start < 5; ++start) {
    Retention retention({.bytes_max = 800'000});
    for (const Retention::Moment& moment : history) retention.replay(moment);
    for (int batch = 0; batch < 100; ++batch) {
      Retention::Moment moment = history.back();
      moment.size += 100;
      moment.bytes = memory.bytes(moment.size - moment.oldest);
      moment.oldest = retention.decide(moment).oldest;
      moment.bytes = memory.bytes(moment.size - moment.oldest);
      history.push_back(moment);
    }
    ASSERT_NEAR(static_cast<double>(history.back().size - history.back().oldest), 100'000 * 13 / 32, 100);
  }
}

TEST(Retention, memory_that_leaps_past_the_limit_is_answered_at_once) {
  Retention retention({.bytes_max = 1'000'000});
  EXPECT_EQ(retention.decide({.size = 50'000, .bytes = 820'000}).oldest, 0U);
  const Sequence cut = retention.decide({.size = 50'100, .bytes = 950'000}).oldest;
  EXPECT_NEAR(static_cast<double>(cut), 50'000 / 16, 200) << "a sixteenth";
  const Answer answer = retention.decide({.oldest = cut, .size = 50'200, .bytes = 1'300'000});
  EXPECT_EQ(answer.reason, Reason::kMemory);
  EXPECT_FALSE(answer.must_stop);
  EXPECT_NEAR(static_cast<double>(50'200 - answer.oldest), 47'000 * 13 / 16 / 1.3, 300);
}

TEST(Retention, stops_above_a_limit_that_has_no_room_for_anything) {
  Retention retention({.bytes_max = 100'000});
  retention.replay({.size = 100'000, .bytes = 10'000'000});
  EXPECT_TRUE(retention.decide({.size = 100'100, .bytes = 10'000'000}).must_stop);
}

TEST(Retention, real_tables_above_a_smaller_limit_stop_growing) {
  UniqueLog log({});
  ExactIndex exact(log);
  BucketTable bands;
  std::mt19937_64 random(1);
  const auto add = [&](std::size_t count) {
    for (const Sequence end = log.size() + count; log.size() < end;) {
      const Sequence sequence = log.size();
      const Digest128 digest{random(), random()};
      log.append({.id = "id", .url = "", .source = {}, .exact = digest, .fingerprint = {}});
      exact.insert(sequence, digest);
      for (int band = 0; band < 6; ++band) bands.insert(random(), sequence);
    }
  };
  const auto bytes = [&] { return log.bytes() + exact.bytes() + bands.bytes(); };
  add(400'000);
  const std::uint64_t before = bytes();
  Retention retention({.bytes_max = before / 2});
  retention.replay({.size = log.size(), .bytes = before});
  Sequence kept_first = 0;
  while (log.size() < 1'000'000) {
    add(500);
    const Answer answer = retention.decide({.oldest = log.oldest(), .size = log.size(), .bytes = bytes()});
    ASSERT_FALSE(answer.must_stop);
    log.expire(answer.oldest);
    exact.expire(answer.oldest);
    bands.expire(answer.oldest);
    if (kept_first == 0) kept_first = log.size() - log.oldest();
    ASSERT_LE(bytes(), before + before / 16);
  }
  EXPECT_NEAR(static_cast<double>(kept_first), 400'000 * 13 / 32, 2000);
  EXPECT_GT(log.size() - log.oldest(), kept_first * 7 / 8);
}

TEST(Retention, keeps_real_tables_below_the_limit_and_forgets_no_more_than_needed) {
  for (const std::uint64_t limit : {std::uint64_t{28} << 20, std::uint64_t{40} << 20}) {
    SCOPED_TRACE(limit);
    Retention retention({.bytes_max = limit});
    UniqueLog log({});
    ExactIndex exact(log);
    BucketTable bands;
    std::mt19937_64 random(1);
    std::uint64_t most = 0;
    Sequence kept_first = 0;
    for (Sequence size = 0; size < 700'000;) {
      for (int i = 0; i < 500; ++i, ++size) {
        const Digest128 digest{random(), random()};
        log.append({.id = "id", .url = "", .source = {}, .exact = digest, .fingerprint = {}});
        exact.insert(size, digest);
        for (int band = 0; band < 6; ++band) bands.insert(random(), size);
      }
      const std::uint64_t bytes = log.bytes() + exact.bytes() + bands.bytes();
      most = std::max(most, bytes);
      const Answer answer = retention.decide({.oldest = log.oldest(), .size = size, .bytes = bytes});
      ASSERT_FALSE(answer.must_stop);
      if (answer.oldest == log.oldest()) continue;
      ASSERT_EQ(answer.reason, Reason::kMemory);
      if (kept_first == 0) kept_first = size - log.oldest();
      log.expire(answer.oldest);
      exact.expire(answer.oldest);
      bands.expire(answer.oldest);
    }
    EXPECT_GT(kept_first, 0U);
    EXPECT_LT(most, limit);
    EXPECT_GT(log.size() - log.oldest(), kept_first * 3 / 4);
  }
}

}  // namespace
}  // namespace neardup
