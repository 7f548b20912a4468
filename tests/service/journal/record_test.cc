#include "service/journal/record.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/crc32c.h"
#include "core/limits.h"
#include "service/journal/chain.h"

namespace neardup {
namespace {

Uuid uuid(std::uint8_t first) {
  Uuid id{};
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<std::uint8_t>(first + i);
  return id;
}

// A record with every field set to something that a mistake would show.
JournalRecord example() {
  JournalRecord record;
  record.journal = uuid(0x10);
  record.number = 7;
  record.writer_epoch = 3;
  record.previous = {0x0102030405060708, 0x1112131415161718};
  record.first_sequence = 1000;
  record.oldest = 900;
  record.time_ms = 1714566645999;
  record.detector_options = "detector.threshold_permille=850";
  record.signature_options = "fingerprint.features=shingles fingerprint.shingle_size=4";
  record.cluster_rule = "clusters.keep=newest";
  record.counts = {2, 5, 1, 6, 4, 3};
  record.topics = {{"pages", uuid(0x40)}, {"pages-2", uuid(0x70)}};
  record.positions = {{0, 0, 100, 110, 5}, {0, 3, 0, 1, -1}, {1, 0, 18211, 18212, 0}};
  record.uniques = {
      {"id-1",
       "http://example.org/1",
       {0, 0, 104},
       1714566645123,
       {{0xA1, 0xA2}, {0x9F0C5E2D7B41A860}, 17},
       "kept"},
      {"\xE4\xBD\xA0", "", {1, 0, 18211}, 0, {{0xB1, 0xB2}, {1}, 1}, ""},
  };
  record.deletions = {{.behind = 0, .id = "id-0", .forgotten = 300},
                      {.behind = 1, .id = "id-1", .forgotten = 1},
                      {.behind = 1, .id = "\xE4\xBD\xA0"}};
  record.clusters = {{901, 3},
                     {902, 8, Representative{{1, 0, 18210}, 1714566645122}},
                     {1001, 1, Representative{{0, 3, 0}, -4}}};
  return record;
}

void expect_equal(const JournalRecord& a, const JournalRecord& b) {
  EXPECT_EQ(a.journal, b.journal);
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.writer_epoch, b.writer_epoch);
  EXPECT_EQ(a.previous, b.previous);
  EXPECT_EQ(a.first_sequence, b.first_sequence);
  EXPECT_EQ(a.oldest, b.oldest);
  EXPECT_EQ(a.time_ms, b.time_ms);
  EXPECT_EQ(a.detector_options, b.detector_options);
  EXPECT_EQ(a.signature_options, b.signature_options);
  EXPECT_EQ(a.cluster_rule, b.cluster_rule);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.deletions, b.deletions);
  EXPECT_EQ(a.clusters, b.clusters);
  EXPECT_EQ(a.topics, b.topics);
  EXPECT_EQ(a.positions, b.positions);
  ASSERT_EQ(a.uniques.size(), b.uniques.size());
  for (std::size_t i = 0; i < a.uniques.size(); ++i) {
    EXPECT_EQ(a.uniques[i].id, b.uniques[i].id);
    EXPECT_EQ(a.uniques[i].url, b.uniques[i].url);
    EXPECT_EQ(a.uniques[i].source, b.uniques[i].source);
    EXPECT_EQ(a.uniques[i].event_time_ms, b.uniques[i].event_time_ms);
    EXPECT_EQ(a.uniques[i].signature, b.uniques[i].signature);
    EXPECT_EQ(a.uniques[i].kept, b.uniques[i].kept);
  }
}

TEST(JournalRecord, what_is_encoded_is_decoded) {
  const std::string bytes = encode_journal_record(example());
  const Result<JournalRecord> decoded = decode_journal_record(bytes);
  ASSERT_TRUE(decoded) << decoded.error().message;
  expect_equal(*decoded, example());
}

std::string golden_path(int version) {
  return NEARDUP_SOURCE_DIR "/tests/golden/journal_record_v" + std::to_string(version) + ".bin";
}

// A record stays readable for ever: NEARDUP_GOLDEN_UPDATE=1 writes the file, for a new version only.
TEST(JournalRecord, the_golden_records_of_all_versions_are_read) {
  if (std::getenv("NEARDUP_GOLDEN_UPDATE") != nullptr) {
    std::ofstream(golden_path(kJournalVersion), std::ios::binary) << encode_journal_record(example());
  }
  for (int version = kJournalVersionOldest; version <= kJournalVersion; ++version) {
    std::ifstream file(golden_path(version), std::ios::binary);
    ASSERT_TRUE(file) << golden_path(version);
    const std::string golden{std::istreambuf_iterator<char>(file), {}};
    const Result<JournalRecord> decoded = decode_journal_record(golden);
    ASSERT_TRUE(decoded) << decoded.error().message;
    expect_equal(*decoded, example());
    EXPECT_EQ(encode_journal_record(*decoded) == golden, version == kJournalVersion);
  }
}

// Uniques of a site, with what is remembered of pages, which is as good as random, and of short texts.
struct SiteRecord {
  explicit SiteRecord(std::size_t pages, std::size_t short_texts) {
    std::mt19937_64 random(5);
    for (std::size_t i = 0; i < pages + short_texts; ++i) {
      const std::string number = std::to_string(i);
      const std::string& id = texts.emplace_back("page-" + number);
      const std::string& url = texts.emplace_back("https://www.example.org/news/2026/11/page-" + number);
      std::string& kept = texts.emplace_back();
      if (i < pages) {
        kept = std::string(200, '\x04');
        for (std::size_t at = 1; at < kept.size(); ++at) kept[at] = static_cast<char>(random());
      } else {
        kept = "\x01you have won the prize of the day, call " + number + " to have it sent";
      }
      record.uniques.push_back(
          {id, url, {0, 0, static_cast<std::int64_t>(i)}, 0, {{random(), 1}, {2}, 3}, kept});
    }
    record.topics = {{"pages", uuid(0x40)}};
    record.counts.unique = record.uniques.size();
  }

  std::deque<std::string> texts;
  JournalRecord record;
};

TEST(JournalRecord, the_texts_of_uniques_are_packed) {
  std::size_t texts = 0;
  const SiteRecord site(1000, 1000);
  for (const std::string& text : site.texts) texts += text.size();
  const std::string bytes = encode_journal_record(site.record);
  const std::size_t numbers = std::size_t{1000} * 200;
  EXPECT_LT(bytes.size(), site.record.uniques.size() * 32 + numbers + (texts - numbers) / 3);
  const Result<JournalRecord> decoded = decode_journal_record(bytes);
  ASSERT_TRUE(decoded) << decoded.error().message;
  expect_equal(*decoded, site.record);
}

TEST(JournalRecord, a_copy_of_a_decoded_record_has_its_texts) {
  const SiteRecord site(0, 100);
  const std::string bytes = encode_journal_record(site.record);
  JournalRecord copy;
  {
    const Result<JournalRecord> decoded = decode_journal_record(bytes);
    ASSERT_TRUE(decoded);
    copy = *decoded;
  }
  expect_equal(copy, site.record);
}

TEST(JournalRecord, any_flipped_bit_is_refused) {
  const std::string bytes = encode_journal_record(example());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string bad = bytes;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decode_journal_record(bad)) << "bit " << bit;
  }
}

TEST(JournalRecord, any_shorter_or_longer_record_is_refused) {
  const std::string bytes = encode_journal_record(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_journal_record(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_journal_record(bytes + "x"));
}

TEST(JournalRecord, another_format_version_is_refused_by_name) {
  std::string bytes = encode_journal_record(example());
  bytes[4] = 1;
  const Result<JournalRecord> decoded = decode_journal_record(bytes);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(decoded.error().message,
            "journal record: format version 1, this program reads 5: it was written by an older neardup: run "
            "that one again");
  bytes[4] = 6;
  EXPECT_EQ(decode_journal_record(bytes).error().message,
            "journal record: format version 6, this program reads 5: it was written by a newer neardup, and "
            "this one is too old for it: run the newer one again");
}

TEST(JournalRecord, hostile_bytes_never_crash_or_reserve_memory) {
  std::mt19937_64 random(7);
  const std::string good = encode_journal_record(example());
  for (int round = 0; round < 20000; ++round) {
    std::string bad = good.substr(0, random() % (good.size() + 1));
    for (int i = 0; i < 8 && !bad.empty(); ++i) bad[random() % bad.size()] = static_cast<char>(random());
    static_cast<void>(decode_journal_record(bad).ok());
  }
}

// `record` with the checksum that it should have.
std::string sealed(std::string record) {
  record.resize(record.size() - 4);
  const std::uint32_t checksum = crc32c(record);
  ByteWriter(record).u32(checksum);
  return record;
}

TEST(JournalRecord, texts_that_are_not_as_long_as_the_record_says_are_refused) {
  const SiteRecord site(0, 100);
  const std::string good = encode_journal_record(site.record);
  const Result<JournalRecord> decoded = decode_journal_record(good);
  ASSERT_TRUE(decoded);
  // Behind the texts there are two counts of one byte each, and the checksum.
  std::size_t size = 0;
  for (const std::string& text : site.texts) size += text.size() + 1;
  std::string head;
  ByteWriter(head).u32(static_cast<std::uint32_t>(size));
  const std::size_t at = good.find(head);
  ASSERT_NE(at, std::string::npos);
  const std::size_t packed = ByteReader(std::string_view(good).substr(at + 4)).u32();
  ASSERT_EQ(at + 8 + packed + 2 + 4, good.size());
  for (const std::uint32_t wrong : {std::uint32_t{0}, std::uint32_t{1}, static_cast<std::uint32_t>(size - 1),
                                    static_cast<std::uint32_t>(size + 1), 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    for (const std::size_t length : {at, at + 4}) {
      std::string bad;
      ByteWriter writer(bad);
      writer.bytes(std::string_view(good).substr(0, length));
      writer.u32(wrong);
      writer.bytes(std::string_view(good).substr(length + 4));
      const Result<JournalRecord> refused = decode_journal_record(sealed(bad));
      ASSERT_FALSE(refused) << wrong;
      EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
    }
  }
}

// What no chance would make: a right checksum.
TEST(JournalRecord, wrong_bytes_with_a_right_checksum_never_crash) {
  std::mt19937_64 random(8);
  for (const std::string& good :
       {encode_journal_record(example()), encode_journal_record(SiteRecord(20, 20).record)}) {
    for (int round = 0; round < 20000; ++round) {
      std::string bad = good;
      for (std::uint64_t left = 1 + random() % 4; left > 0; --left)
        bad[6 + random() % (bad.size() - 6)] = static_cast<char>(random());
      const std::string whole = sealed(bad);
      const Result<JournalRecord> decoded = decode_journal_record(whole);
      if (!decoded) continue;
      const std::string written = encode_journal_record(*decoded);
      const Result<JournalRecord> again = decode_journal_record(written);
      ASSERT_TRUE(again) << again.error().message;
      expect_equal(*again, *decoded);
    }
  }
}

TEST(JournalRecord, the_announced_bounds_hold_for_the_largest_entries) {
  JournalRecord record;
  const std::string options(kSignatureOptionsBytesMax, 'o');
  record.signature_options = options;
  record.detector_options = options;
  record.cluster_rule = options;
  record.oldest = ~0ULL;
  record.time_ms = INT64_MIN;
  const std::string id(kIdBytesMax, 'i');
  const std::string url(kUrlBytesMax, 'u');
  const std::string kept(kUniqueKeptBytesMax, 'k');
  const std::string topic(249, 't');
  for (int i = 0; i < 50; ++i) {
    record.topics.push_back({topic, uuid(1)});
    record.positions.push_back({0xFFFFFFFF, 0x7FFFFFFF, INT64_MAX, INT64_MAX, INT32_MIN});
    record.uniques.push_back({id,
                              url,
                              {0xFFFFFFFF, 0x7FFFFFFF, INT64_MAX},
                              INT64_MIN,
                              {{~0ULL, ~0ULL}, {~0ULL}, 0xFFFFFFFF},
                              kept});
    record.clusters.push_back(
        {i % 2 == 0 ? ~0ULL : 0, 0xFFFFFFFF, Representative{{0xFFFFFFFF, 0x7FFFFFFF, INT64_MAX}, INT64_MIN}});
    record.deletions.push_back({.behind = i % 2 == 0 ? ~0ULL : 0, .id = id, .forgotten = ~0ULL});
  }
  record.counts = {50, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL};
  EXPECT_LE(encode_journal_record(record).size(),
            journal_frame_bytes_max(50, 50) +
                50 * journal_entry_bytes_max(id.size(), url.size(), kept.size()) + 50 * kJournalGainBytesMax +
                50 * (kJournalDeletionBytesMax + id.size()));
}

TEST(JournalRecord, a_cluster_that_nobody_represents_anew_takes_three_bytes) {
  JournalRecord record;
  record.counts.exact = 300;
  const std::size_t empty = encode_journal_record(record).size();
  for (Sequence i = 0; i < 100; ++i) record.clusters.push_back({.leader = 100'000 + i * 100, .joined = 3});
  EXPECT_LE(encode_journal_record(record).size(), empty + 100 * 3 + 2);
}

TEST(JournalRecord, every_duplicate_joined_a_cluster) {
  for (const std::uint32_t joined : {0U, 2U, 4U, 0xFFFFFFFFU}) {
    JournalRecord record = example();
    for (JournalDeletion& deletion : record.deletions) deletion.forgotten = 0;
    record.clusters[0].joined = joined;
    const Result<JournalRecord> decoded = decode_journal_record(encode_journal_record(record));
    ASSERT_FALSE(decoded) << joined;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt);
  }
}

TEST(JournalRecord, a_duplicate_whose_leader_was_deleted_joined_no_cluster_that_is_left) {
  JournalRecord record = example();
  record.clusters.erase(record.clusters.begin());
  EXPECT_TRUE(decode_journal_record(encode_journal_record(record)));
  record.clusters[0].joined = 12;
  EXPECT_FALSE(decode_journal_record(encode_journal_record(record))) << "more than came";
}

TEST(JournalRecord, uniques_written_as_they_come_are_the_record_s_own) {
  JournalRecord record = example();
  const std::string whole = encode_journal_record(record);
  JournalEncoder encoder;
  record.uniques.clear();
  for (int round = 0; round < 2; ++round) {
    encoder.clear();
    for (const Unique& unique : example().uniques) encoder.add(unique);
    EXPECT_EQ(encoder.uniques(), example().uniques.size());
    EXPECT_EQ(encoder.encode(record), whole);
  }
}

// The room before the uniques is of a size; they move on where it is too small.
TEST(JournalRecord, uniques_written_as_they_come_give_way_to_many_partitions) {
  JournalRecord record = example();
  for (std::int32_t partition = 100; partition < 5'000; ++partition)
    record.positions.push_back({0, partition, 0, 1, 0});
  const std::string whole = encode_journal_record(record);
  const std::string few = encode_journal_record(example());
  JournalEncoder encoder;
  for (const Unique& unique : example().uniques) encoder.add(unique);
  record.uniques.clear();
  EXPECT_EQ(encoder.encode(record), whole);
  encoder.clear();
  for (const Unique& unique : example().uniques) encoder.add(unique);
  JournalRecord without = example();
  without.uniques.clear();
  EXPECT_EQ(encoder.encode(without), few);
  Result<JournalRecord> decoded = decode_journal_record(whole);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->positions.size(), record.positions.size());
  decoded->positions = example().positions;
  EXPECT_EQ(encode_journal_record(*decoded), few) << "with all that is no position as it was";
}

TEST(JournalRecord, a_unique_of_a_topic_that_is_not_there_is_refused) {
  JournalRecord record = example();
  record.uniques[0].source.topic = static_cast<std::uint32_t>(record.topics.size());
  const Result<JournalRecord> decoded = decode_journal_record(encode_journal_record(record));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(decoded.error().message.find("lies in a topic"), std::string::npos) << decoded.error().message;
}

// Nothing behind the reader looks again: the log of uniques takes them for granted.
TEST(JournalRecord, a_unique_with_a_longer_id_or_url_than_any_document_is_refused) {
  const std::string longest_id(kIdBytesMax, 'i');
  const std::string longest_url(kUrlBytesMax, 'u');
  const std::string id = longest_id + 'i';
  const std::string url = longest_url + 'u';
  JournalRecord record = example();
  record.uniques[0].id = longest_id;
  record.uniques[0].url = longest_url;
  EXPECT_TRUE(decode_journal_record(encode_journal_record(record)));
  for (const auto& [an_id, a_url] : {std::pair(id, longest_url), std::pair(longest_id, url)}) {
    record.uniques[0].id = an_id;
    record.uniques[0].url = a_url;
    const Result<JournalRecord> decoded = decode_journal_record(encode_journal_record(record));
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt);
  }
}

TEST(JournalRecord, deletions_that_cannot_be_are_refused) {
  const std::string too_long(kIdBytesMax + 1, 'i');
  const std::pair<const char*, std::function<void(JournalRecord&)>> breaks[] = {
      {"counts other deletions", [](JournalRecord& r) { ++r.counts.deleted; }},
      {"behind uniques that it does not hold", [](JournalRecord& r) { r.deletions[2].behind = 3; }},
      {"behind uniques that it does not hold", [](JournalRecord& r) { r.deletions[0].behind = 2; }},
      {"what has no id", [](JournalRecord& r) { r.deletions[1].id = ""; }},
      {"what has no id", [&](JournalRecord& r) { r.deletions[1].id = too_long; }},
  };
  for (const auto& [reason, break_it] : breaks) {
    JournalRecord record = example();
    break_it(record);
    const Result<JournalRecord> decoded = decode_journal_record(encode_journal_record(record));
    ASSERT_FALSE(decoded) << reason;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(decoded.error().message.find(reason), std::string::npos) << decoded.error().message;
  }
}

}  // namespace
}  // namespace neardup
