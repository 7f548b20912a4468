#include "service/journal/chain.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace neardup {
namespace {

JournalRecord next_record(const JournalChain& chain) {
  JournalRecord record;
  record.journal = {1, 2, 3};
  record.number = chain.next_number();
  record.writer_epoch = chain.writer_epoch();
  record.signature_options = chain.signature_options();
  record.previous = chain.last_digest();
  record.first_sequence = chain.next_sequence();
  record.oldest = chain.oldest();
  record.counts.unique = 1;
  record.topics = {{"pages", {9}}};
  std::int64_t from = 10;
  if (const auto at = chain.positions().find({0, 2}); at != chain.positions().end()) from = at->second.next;
  record.positions = {{0, 2, from, from + 3, 0}};
  record.uniques = {{"id", "url", {0, 2, from}, 0, {{1, record.number}, {1}, 1}, ""}};
  return record;
}

Status accept(JournalChain& chain, const JournalRecord& record) {
  return chain.accept(record, encode_journal_record(record));
}

TEST(JournalChain, follows_a_sound_journal) {
  JournalChain chain;
  for (int i = 0; i < 5; ++i) {
    const Status status = accept(chain, next_record(chain));
    ASSERT_TRUE(status) << status.error().message;
  }
  EXPECT_EQ(chain.next_number(), 5U);
  EXPECT_EQ(chain.next_sequence(), 5U);
  EXPECT_EQ(chain.positions().at({0, 2}).next, 25);
}

TEST(JournalChain, begins_a_partition_at_any_offset_but_a_journal_at_zero) {
  JournalChain chain;
  JournalRecord record = next_record(chain);
  record.number = 1;
  EXPECT_FALSE(accept(chain, record)) << "the head of the journal is missing";
  EXPECT_TRUE(accept(chain, next_record(chain)));
}

// Each row breaks one thing; the chain must name it and stay as it was.
TEST(JournalChain, refuses_every_contradiction_and_changes_nothing) {
  const std::pair<const char*, std::function<void(JournalRecord&)>> breaks[] = {
      {"its number is 4, expected 2", [](JournalRecord& r) { r.number = 4; }},
      {"its number is 1, expected 2", [](JournalRecord& r) { r.number = 1; }},
      {"another journal", [](JournalRecord& r) { r.journal[0] = 99; }},
      {"made with fingerprint.features=ngrams, but the configuration says fingerprint.features=words",
       [](JournalRecord& r) { r.signature_options = "fingerprint.features=ngrams"; }},
      {"the digest differs", [](JournalRecord& r) { r.previous.low ^= 1; }},
      {"writer epoch", [](JournalRecord& r) { r.writer_epoch = 0; }},
      {"first sequence number", [](JournalRecord& r) { r.first_sequence = 7; }},
      {"the oldest unique it keeps is 0, expected 1 or more", [](JournalRecord& r) { r.oldest = 0; }},
      {"the oldest unique it keeps is 4, expected 3 or less", [](JournalRecord& r) { r.oldest = 4; }},
      {"covers offsets from 15", [](JournalRecord& r) { r.positions[0].from = 15; }},
      {"goes backwards", [](JournalRecord& r) { r.positions[0].next = r.positions[0].from - 1; }},
      {"topic 0 was pages", [](JournalRecord& r) { r.topics[0].id[0] = 1; }},
      {"topic 0 was pages", [](JournalRecord& r) { r.topics[0].name = "other"; }},
      {"count of topics",
       [](JournalRecord& r) {
         r.topics.clear();
         r.positions.clear();
         r.uniques.clear();
         r.counts.unique = 0;
       }},
      {"does not name that topic", [](JournalRecord& r) { r.positions[0].topic = 5; }},
      {"ascending", [](JournalRecord& r) { r.positions.push_back(r.positions[0]); }},
      {"cluster 0: its leader is forgotten", [](JournalRecord& r) { r.clusters = {{0, 1}}; }},
      {"cluster 3: its leader is forgotten, or has not come",
       [](JournalRecord& r) { r.clusters = {{3, 1}}; }},
      {"cluster 1: clusters are not in ascending", [](JournalRecord& r) { r.clusters = {{1, 1}, {1, 1}}; }},
      {"cluster 2: nobody joined it", [](JournalRecord& r) { r.clusters = {{1, 1}, {2, 0}}; }},
      {"cluster 2: its representative lies in a topic",
       [](JournalRecord& r) { r.clusters = {{2, 1, Representative{{1, 0, 0}, 0}}}; }},
  };
  JournalChain chain;
  JournalRecord first = next_record(chain);
  first.writer_epoch = 1;
  ASSERT_TRUE(accept(chain, first));
  JournalRecord second = next_record(chain);
  second.oldest = 1;
  ASSERT_TRUE(accept(chain, second));
  for (const auto& [reason, break_it] : breaks) {
    JournalRecord record = next_record(chain);
    break_it(record);
    const Status status = accept(chain, record);
    ASSERT_FALSE(status) << reason;
    EXPECT_EQ(status.error().code, ErrorCode::kContradiction);
    EXPECT_NE(status.error().message.find(reason), std::string::npos) << status.error().message;
    EXPECT_EQ(chain.next_number(), 2U);
  }
  JournalRecord third = next_record(chain);
  third.oldest = 3;
  EXPECT_TRUE(accept(chain, third)) << "all may be forgotten, this batch's own too";
  EXPECT_EQ(chain.oldest(), 3U);
}

TEST(JournalChain, a_record_of_no_input_moves_positions_and_adds_topics) {
  JournalChain chain;
  ASSERT_TRUE(accept(chain, next_record(chain)));
  JournalRecord accepted = next_record(chain);
  accepted.counts = {};
  accepted.uniques.clear();
  accepted.topics.push_back({"pages", {10}});
  accepted.positions = {{0, 2, 700, 700, -1}, {1, 0, 3, 3, -1}};
  ASSERT_TRUE(accept(chain, accepted));
  EXPECT_EQ(chain.positions().at({0, 2}).next, 700);
  EXPECT_EQ(chain.positions().at({1, 0}).next, 3);
  EXPECT_EQ(chain.topics().size(), 2U);
  EXPECT_EQ(chain.next_sequence(), 1U);

  JournalRecord covering = next_record(chain);
  covering.topics = accepted.topics;
  covering.counts = {};
  covering.uniques.clear();
  const Status status = accept(chain, covering);
  ASSERT_FALSE(status) << "offsets 700 .. 702 would be lost without a trace";
  EXPECT_NE(status.error().message.find("covers offsets without a verdict"), std::string::npos)
      << status.error().message;
}

TEST(JournalChain, a_journal_of_other_signatures_is_refused_by_name_with_the_way_out) {
  JournalChain writer("fingerprint.features=shingles fingerprint.shingle_size=3");
  const JournalRecord record = next_record(writer);
  ASSERT_TRUE(accept(writer, record));
  JournalChain reader("fingerprint.features=shingles fingerprint.shingle_size=4");
  const Status status = accept(reader, record);
  ASSERT_FALSE(status);
  EXPECT_EQ(
      status.error().message,
      "journal record 0: its signatures were made with fingerprint.shingle_size=3, but the configuration "
      "says fingerprint.shingle_size=4: the two cannot be compared. Set what the journal has, or begin anew "
      "with another journal and group (kafka.topics.journal, kafka.group)");
}

TEST(JournalChain, another_writers_record_is_an_election_that_was_lost_if_it_goes_on_from_ours) {
  JournalChain chain;
  EXPECT_EQ(chain.not_ours("what is this").code, ErrorCode::kContradiction);
  ASSERT_TRUE(accept(chain, next_record(chain)));
  JournalRecord successor = next_record(chain);
  ++successor.writer_epoch;
  EXPECT_EQ(chain.not_ours(encode_journal_record(successor)).code, ErrorCode::kFenced);
  EXPECT_EQ(chain.next_number(), 1U) << "asking takes nothing";
  ++successor.number;
  const Error error = chain.not_ours(encode_journal_record(successor));
  EXPECT_EQ(error.code, ErrorCode::kContradiction);
  EXPECT_NE(error.message.find("does not go on from number 0"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace neardup
