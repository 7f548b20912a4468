#include "service/kafka/lag.h"

#include <gtest/gtest.h>

namespace neardup {
namespace {

constexpr std::int64_t kNow = 1700000000000;
constexpr std::int64_t kHour = 3600 * 1000;

// The first batch of all that was handed out.
void commit(PartitionLag& lag) {
  lag.close_batch(1);
  lag.committed(1);
}

TEST(PartitionLag, is_zero_until_the_broker_told_the_end) {
  PartitionLag lag(100);
  EXPECT_FALSE(lag.end_known());
  EXPECT_EQ(lag.records(), 0);
  EXPECT_EQ(lag.seconds(kNow), 0);
}

TEST(PartitionLag, counts_records_from_the_committed_position_to_the_end) {
  PartitionLag lag(100);
  lag.end_is(160);
  EXPECT_EQ(lag.records(), 60);
  lag.handed_out(100, kNow);
  EXPECT_EQ(lag.polled(), 101);
  EXPECT_EQ(lag.records(), 60) << "in hand is not committed";
  commit(lag);
  EXPECT_EQ(lag.records(), 59);
}

TEST(PartitionLag, from_the_beginning_counts_all_there_is) {
  PartitionLag lag;
  lag.end_is(7);
  EXPECT_EQ(lag.records(), 7);
}

TEST(PartitionLag, where_the_log_was_said_to_begin_counts_until_a_record_tells_otherwise) {
  PartitionLag lag;
  lag.begins_at(1000);
  lag.end_is(1007);
  EXPECT_EQ(lag.records(), 7);
  EXPECT_EQ(lag.polled(), PartitionLag::kUnknown);
  commit(lag);  // of other partitions
  EXPECT_EQ(lag.records(), 7);
  lag.handed_out(2, kNow);
  EXPECT_EQ(lag.polled(), 3);
  commit(lag);
  EXPECT_EQ(lag.records(), 1004);
}

TEST(PartitionLag, an_end_that_a_leader_told_outlives_the_one_that_the_last_fetch_told_before) {
  PartitionLag lag(0);
  lag.end_is(10);
  lag.end_is_at_least(25);
  EXPECT_EQ(lag.records(), 25);
  lag.end_is(10);
  EXPECT_EQ(lag.records(), 25) << "nothing was fetched since";
  lag.end_is_at_least(20);
  EXPECT_EQ(lag.records(), 25) << "an answer that is late";
}

TEST(PartitionLag, what_a_fetch_tells_anew_counts_even_where_the_log_was_cut_off) {
  PartitionLag lag(0);
  lag.end_is(10);
  lag.end_is_at_least(25);
  lag.end_is(15);
  EXPECT_EQ(lag.records(), 15);
}

TEST(PartitionLag, what_lies_behind_the_last_stable_offset_is_no_lag_and_is_counted_apart) {
  PartitionLag lag(10);
  EXPECT_EQ(lag.unstable(), 0) << "nobody has told";
  lag.end_is(10);
  lag.high_watermark_is(12);
  EXPECT_EQ(lag.records(), 0);
  EXPECT_EQ(lag.unstable(), 2);
  lag.end_is(10);
  lag.high_watermark_is(50);
  EXPECT_EQ(lag.unstable(), 40) << "it grows while the last stable offset stands still";
  lag.end_is(51);
  lag.high_watermark_is(51);
  EXPECT_EQ(lag.records(), 41);
  EXPECT_EQ(lag.unstable(), 0);
}

TEST(PartitionLag, an_end_that_a_leader_told_may_lie_behind_the_high_watermark_of_the_last_fetch) {
  PartitionLag lag(0);
  lag.end_is(10);
  lag.high_watermark_is(12);
  lag.end_is_at_least(25);
  EXPECT_EQ(lag.records(), 25);
  EXPECT_EQ(lag.unstable(), 0);
}

TEST(PartitionLag, control_records_at_the_end_are_no_lag) {
  PartitionLag lag(10);
  lag.handed_out(10, kNow);
  lag.reached_end(13);
  commit(lag);
  EXPECT_EQ(lag.records(), 0);
  EXPECT_EQ(lag.polled(), 13);
}

TEST(PartitionLag, batches_are_committed_one_after_the_other) {
  PartitionLag lag(0);
  lag.end_is(10);
  lag.handed_out(0, kNow - 9000);
  lag.handed_out(1, kNow - 8000);
  lag.close_batch(1);
  lag.close_batch(2);  // nothing of this partition
  lag.handed_out(2, kNow - 3000);
  lag.close_batch(3);
  lag.handed_out(3, kNow - 1000);
  EXPECT_DOUBLE_EQ(lag.seconds(kNow), 9);
  lag.committed(1);
  EXPECT_EQ(lag.records(), 8);
  EXPECT_DOUBLE_EQ(lag.seconds(kNow), 3);
  lag.committed(2);
  EXPECT_EQ(lag.records(), 8);
  lag.committed(3);
  EXPECT_EQ(lag.records(), 7);
  EXPECT_DOUBLE_EQ(lag.seconds(kNow), 1);
}

TEST(PartitionLag, a_partition_that_joins_late_waits_for_its_own_batches) {
  PartitionLag lag(0);
  lag.end_is(5);
  lag.handed_out(0, kNow - 4000);
  lag.committed(1);  // closed before this partition was read
  EXPECT_EQ(lag.records(), 5);
  lag.close_batch(2);
  lag.committed(2);
  EXPECT_EQ(lag.records(), 4);
}

TEST(PartitionLag, an_end_reached_behind_a_batch_in_hand_counts_once_it_is_committed) {
  PartitionLag lag(10);
  lag.handed_out(10, kNow);
  lag.close_batch(1);
  lag.reached_end(13);
  EXPECT_EQ(lag.records(), 3);
  lag.committed(1);
  EXPECT_EQ(lag.records(), 0);
}

TEST(PartitionLag, an_end_reached_with_nothing_in_hand_is_committed_at_once) {
  PartitionLag lag(10);
  lag.reached_end(12);
  EXPECT_EQ(lag.records(), 0);
}

TEST(PartitionLag, seconds_are_the_age_of_the_first_record_in_hand) {
  PartitionLag lag(0);
  lag.end_is(5);
  lag.handed_out(0, kNow - 4000);
  lag.handed_out(1, kNow - 1000);
  EXPECT_DOUBLE_EQ(lag.seconds(kNow), 4);
}

TEST(PartitionLag, with_nothing_in_hand_the_last_verdict_tells_how_old_the_backlog_is) {
  PartitionLag lag(0);
  lag.end_is(5);
  lag.handed_out(0, kNow - kHour);
  commit(lag);
  EXPECT_DOUBLE_EQ(lag.seconds(kNow), 3600);
}

TEST(PartitionLag, the_first_record_after_a_quiet_time_is_young) {
  PartitionLag lag(0);
  lag.handed_out(0, kNow - 9 * kHour);
  commit(lag);
  lag.end_is(1);
  EXPECT_EQ(lag.seconds(kNow - 1000), 0);  // nothing waits, and it is noted
  lag.end_is(2);
  EXPECT_DOUBLE_EQ(lag.seconds(kNow), 1);
}

TEST(PartitionLag, a_clock_ahead_at_the_producer_shows_no_negative_age) {
  PartitionLag lag(0);
  lag.end_is(5);
  lag.handed_out(0, kNow + kHour);
  EXPECT_EQ(lag.seconds(kNow), 0);
}

TEST(PartitionLag, records_without_a_timestamp_have_no_age) {
  PartitionLag lag(0);
  lag.end_is(5);
  lag.handed_out(0, 0);
  EXPECT_EQ(lag.records(), 5);
  EXPECT_EQ(lag.seconds(kNow), 0);
}

}  // namespace
}  // namespace neardup
