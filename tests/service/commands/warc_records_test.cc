#include "service/commands/warc_records.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/warc_bytes.h"

namespace neardup {
namespace {

constexpr std::size_t kKeptBytesMax = 10'000;

struct Taken {
  std::string name;
  std::int64_t number;
  std::optional<std::int64_t> time_ms;
  std::string bytes;

  bool operator==(const Taken&) const = default;
};

void take_all(std::string_view bytes, WarcRecords& records, std::string& begun, std::vector<Taken>& all) {
  while (!bytes.empty() || records.has_more()) {
    const Piece piece = records.take(bytes);
    begun += piece.bytes;
    if (!piece.ends) continue;
    all.push_back({records.name(), records.number(), records.time_ms(), begun});
    begun.clear();
  }
}

// True: no record was cut off.
bool end(WarcRecords& records, std::string& begun, std::vector<Taken>& all) {
  while (!records.end()) take_all("", records, begun, all);
  return records.not_whole() == 0;
}

std::vector<Taken> taken(std::string_view file, WarcRecords& records) {
  std::vector<Taken> all;
  std::string begun;
  take_all(file, records, begun, all);
  end(records, begun, all);
  return all;
}

std::vector<std::string> names(const std::vector<Taken>& all) {
  std::vector<std::string> names;
  for (const Taken& record : all) names.push_back(record.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(WarcRecords, pages_are_told_from_what_else_a_crawler_keeps) {
  const std::string response = warc_record("response", "http://a/", "HTTP/1.1 200 OK\r\n\r\npage\r\n\r\n");
  const std::string file =
      warc_record("warcinfo", "", "software: test\r\n") +
      warc_record("request", "http://a/", "GET / HTTP/1.1\r\n\r\n") + response +
      warc_record("metadata", "http://a/", "fetchTimeMs: 12") + warc_record("revisit", "http://a/again", "") +
      warc_record("response", "dns:a", "a. 60 IN A 127.0.0.1") +
      warc_record("resource", "urn:pageinfo:http://a/", "{}") + warc_record("Resource", "http://b/", "") +
      warc_record("conversion", "http://c/", "words");
  WarcRecords records(kKeptBytesMax);
  const std::vector<Taken> all = taken(file, records);
  EXPECT_EQ(names(all), (Names{"http://a/", "http://b/", "http://c/"}));
  EXPECT_EQ(all[0].bytes, response.substr(0, response.size() - 4))
      << "with its head, without what parts records";
  EXPECT_EQ(all[0].number, 2);
  EXPECT_EQ(all[0].time_ms, 1'777'638'600'000);
  EXPECT_TRUE(all[1].bytes.ends_with("\r\n\r\n"));
  EXPECT_EQ(all[1].number, 7);
  EXPECT_TRUE(all[2].bytes.ends_with("\r\n\r\nwords"));
  EXPECT_EQ(records.passed_over(), 6U);
  EXPECT_EQ(records.damaged_bytes(), 0U);
  EXPECT_EQ(records.not_whole(), 0U);
}

TEST(WarcRecords, a_page_is_named_by_its_uri_and_else_by_its_record) {
  WarcRecords records(kKeptBytesMax);
  const std::string id = "WARC-Record-ID: <urn:uuid:1>\n";
  const std::string wget = "WARC/1.0\nwarc-type:response\n" + id + "WARC-Target-URI: <http://a/?b=c>\n" +
                           "WARC-Date: never\nContent-Length:  2\n\nab\n\n";
  const std::string unnamed = "WARC/1.1\nWARC-Type: resource\n" + id + "Content-Length: 0\n\n\n\n";
  const std::vector<Taken> all = taken(wget + unnamed, records);
  EXPECT_EQ(names(all), (Names{"http://a/?b=c", "urn:uuid:1"}));
  EXPECT_EQ(all[0].time_ms, std::nullopt);
  EXPECT_EQ(records.damaged_bytes(), 0U);
}

TEST(WarcRecords, come_in_whatever_pieces_the_bytes_do) {
  std::mt19937_64 random(20261127);
  std::string file;
  for (int i = 0; i < 60; ++i) {
    const std::string type = i % 3 == 0 ? "request" : i % 3 == 1 ? "response" : "conversion";
    std::string block(random() % 300, 'x');
    for (char& byte : block) byte = "\r\n WARC/1.0:"[random() % 12];  // of which heads are made
    file += warc_record(type, "http://a/" + std::to_string(i), block);
    if (i % 7 == 0) file += "of no record\r\nWARC/ nor this\r\n";
  }
  WarcRecords undamaged(kKeptBytesMax);
  ASSERT_EQ(taken(file, undamaged).size(), 40U);
  EXPECT_EQ(undamaged.damaged_bytes(), 9 * std::string_view("of no record\r\nWARC/ nor this\r\n").size());
  for (int round = 0; round < 500; ++round) {
    std::string bytes = file;
    for (int i = 0; i < round / 10; ++i) bytes[random() % bytes.size()] = "\r\n :W5"[random() % 6];
    WarcRecords whole(kKeptBytesMax);
    const std::vector<Taken> wanted = taken(bytes, whole);
    WarcRecords records(kKeptBytesMax);
    std::vector<Taken> all;
    std::string begun;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = 1 + random() % (1 + static_cast<std::size_t>(round % 50) * 20);
      take_all(std::string_view(bytes).substr(at, size), records, begun, all);
      at += size;
    }
    end(records, begun, all);
    ASSERT_EQ(all, wanted) << round;
    ASSERT_EQ(records.damaged_bytes(), whole.damaged_bytes());
    ASSERT_EQ(records.passed_over(), whole.passed_over());
    ASSERT_EQ(records.cut_short(), whole.cut_short());
    ASSERT_EQ(records.not_whole_bytes(), whole.not_whole_bytes());
  }
}

TEST(WarcRecords, behind_damage_the_next_record_is_read) {
  const std::string good = warc_record("response", "http://good/", "words");
  const auto damaged = [&](const std::string& bytes) {
    WarcRecords records(kKeptBytesMax);
    EXPECT_EQ(names(taken(bytes + good, records)), Names{"http://good/"}) << bytes.substr(0, 100);
    EXPECT_EQ(records.not_whole(), 0U);
    return records.damaged_bytes();
  };
  for (const std::string head :
       {"WARC/1.0\r\nContent-Length: twelve\r\n\r\n", "WARC/1.0\r\nContent-Length: -1\r\n\r\n",
        "WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n", "WARC/1.0\r\nWARC-Type: response\r\n\r\n",
        "WARC/1.0\r\nno header\r\n\r\n", "WARC/1.0\r\nWARC-Type: resp"}) {
    EXPECT_EQ(damaged(head + "\r\n"), head.size() + (head.ends_with("\n") ? 0 : 2)) << head;
  }
  EXPECT_EQ(damaged("\n words\n\n"), 7U);
  EXPECT_EQ(damaged("words"), 5U) << "without a line's end";
  EXPECT_EQ(damaged(std::string(200'000, 'x') + "\n"), 200'001U)
      << "a line is not waited for without a bound";
  EXPECT_GE(damaged("WARC/1.0\r\nA: " + std::string(200'000, 'x') + "\n"), 200'000U);
  std::string long_head = "WARC/1.0\n";
  for (int i = 0; i < 10'000; ++i) long_head += "Name: value\n";
  EXPECT_EQ(damaged(long_head), long_head.size());
}

// As a crawler leaves one that was killed, and then goes on in the same file.
TEST(WarcRecords, one_that_has_less_than_it_says_swallows_none) {
  const std::string good = warc_record("response", "http://good/", "words");
  const std::string last = warc_record("conversion", "http://last/", std::string(200, 'x'));
  for (const std::string type : {"response", "request"}) {
    const std::string cut = warc_record(type, "http://cut/", std::string(300, 'y') + "\n");
    const std::size_t head = cut.find("yyy");
    for (std::size_t size = head; size < cut.size(); ++size) {
      WarcRecords records(kKeptBytesMax);
      const std::string file = good + cut.substr(0, size) + good + last;
      const std::vector<Taken> all = taken(file, records);
      // Where it says that it ends where a whole one does, it quotes that one, as far as anybody can tell.
      const std::size_t missing = cut.size() - 4 - std::min(size, cut.size() - 4);
      if (missing >= good.size() - 4 && missing <= good.size()) continue;
      const bool is_cut = size + 4 < cut.size();  // what parts records may be missing
      Names wanted = {"http://good/", "http://cut/", "http://good/", "http://last/"};
      if (type == "request") wanted.erase(wanted.begin() + 1);
      ASSERT_EQ(names(all), wanted) << size;
      ASSERT_EQ(all.back().bytes + "\r\n\r\n", last);
      if (type == "response") {
        ASSERT_EQ(all[1].bytes, cut.substr(0, std::min(size, cut.size() - 4)));
      }
      ASSERT_EQ(records.cut_short(), is_cut ? 1U : 0U) << size;
      ASSERT_EQ(records.cut_short_first(), is_cut ? "http://cut/" : "");
      ASSERT_EQ(records.damaged_bytes(), !is_cut && cut[size - 1] == '\r' ? 1U : 0U) << size;
      ASSERT_EQ(records.not_whole(), 0U);
    }
  }
  // The last ones of the file, and more than once.
  const std::string huge = "WARC/1.0\nWARC-Type: response\nContent-Length: 5000000\n\nwords";
  WarcRecords records(kKeptBytesMax);
  EXPECT_EQ(taken(huge + huge + good, records).size(), 3U);
  EXPECT_EQ(records.cut_short(), 2U);
}

TEST(WarcRecords, a_page_about_warcs_is_one_page) {
  const std::string good = warc_record("response", "http://good/", "words");
  const std::string opening = "a\r\nWARC/1.1\r\nWARC-Type: response\r\nContent-Length: 2\r\n\r\nab\r\n\r\n";
  const std::vector<std::string> blocks = {
      opening,        opening + opening,  "WARC/1.0\n" + good, "ends in WARC/1.0\n",
      "ends in WARC", "W" + opening + "W"};
  for (const std::string& block : blocks) {
    const std::string page = warc_record("response", "http://page/", block);
    for (const std::string behind : {"", "\r\n", "\r\n\r\n\r\n"}) {
      WarcRecords records(kKeptBytesMax);
      const std::vector<Taken> all = taken(good + page + behind + good, records);
      ASSERT_EQ(names(all), (Names{"http://good/", "http://page/", "http://good/"})) << block;
      EXPECT_EQ(all[1].bytes + "\r\n\r\n", page);
      WarcRecords last(kKeptBytesMax);
      EXPECT_EQ(names(taken(page.substr(0, page.size() - 4) + behind, last)), Names{"http://page/"}) << block;
      EXPECT_EQ(records.cut_short() + last.cut_short(), 0U);
      EXPECT_EQ(last.not_whole(), 0U);
    }
  }
}

TEST(WarcRecords, no_more_than_a_page_is_kept_of_what_may_be_the_next_ones) {
  std::string block = "page\n";
  for (int i = 0; i < 1000; ++i) block += warc_record("response", "http://within/", "words");
  const std::string file = warc_record("response", "http://large/", block);
  WarcRecords records(kKeptBytesMax);
  EXPECT_EQ(taken(file, records).size(), 1001U) << "too large for a page: they are taken for records";
  EXPECT_EQ(records.cut_short(), 1U);
  WarcRecords patient(block.size());
  EXPECT_EQ(taken(file, patient).size(), 1U);
}

TEST(WarcRecords, what_stands_behind_the_last_one_is_no_record_that_is_cut_off) {
  const std::string record = warc_record("response", "http://a/", "words");
  for (const std::string behind : {"", "\r", "\r\n", "junk", "junk\r"}) {
    WarcRecords records(kKeptBytesMax);
    EXPECT_EQ(taken(record + behind, records).size(), 1U);
    EXPECT_EQ(records.not_whole(), 0U) << behind;
    EXPECT_EQ(records.damaged_bytes(), behind.starts_with("junk") ? behind.size() : 0) << behind;
  }
  WarcRecords records(kKeptBytesMax);
  EXPECT_EQ(taken(record.substr(0, record.size() - 1), records).size(), 1U);
  EXPECT_EQ(records.not_whole(), 0U) << "its last line feed is missing";
}

// As a gzip that breaks off leaves them, or one for the whole file.
TEST(WarcRecords, one_that_is_not_proven_ends_when_it_is_or_the_next_one_opens) {
  const std::string first = warc_record("response", "http://first/", "words");
  const std::string quoting = warc_record("response", "http://quoting/", "a\nWARC/1.0\nand more words");
  WarcRecords records(kKeptBytesMax);
  std::vector<Taken> all;
  std::string begun;
  records.set_unproven(2 * first.size());
  take_all(first + first, records, begun, all);
  EXPECT_EQ(names(all), Names{"http://first/"});
  EXPECT_FALSE(records.has_more());
  records.set_unproven(0);
  EXPECT_TRUE(records.has_more());
  take_all("", records, begun, all);
  EXPECT_EQ(names(all), (Names{"http://first/", "http://first/"}));
  EXPECT_TRUE(end(records, begun, all));

  const std::string bytes = first + quoting;
  for (std::size_t size = first.size() + 12; size <= bytes.size(); ++size) {
    WarcRecords broken(kKeptBytesMax);
    all.clear();
    begun.clear();
    broken.set_unproven(size - first.size());
    take_all(std::string_view(bytes).substr(0, size), broken, begun, all);
    EXPECT_FALSE(end(broken, begun, all)) << size;
    EXPECT_EQ(names(all), Names{"http://first/"}) << size;
    EXPECT_EQ(broken.not_whole(), 1U);
    EXPECT_EQ(broken.cut_short(), 0U) << "for all that anybody knows, it quotes one";
  }
}

TEST(WarcRecords, a_record_that_is_cut_off_does_not_end) {
  const std::string record = warc_record("response", "http://a/", "words");
  for (std::size_t size = 1; size + 4 < record.size(); ++size) {
    WarcRecords records(kKeptBytesMax);
    EXPECT_TRUE(taken(std::string_view(record).substr(0, size), records).empty());
    const bool is_opened = size >= std::string_view("WARC/1").size();
    EXPECT_EQ(records.not_whole(), is_opened ? 1U : 0U) << size;
    const std::size_t line_end = record[size - 1] == '\r' ? 1 : 0;
    EXPECT_LE(records.not_whole_bytes(), is_opened ? size : 0U);
    EXPECT_GE(records.not_whole_bytes() + line_end, is_opened ? size : 0U);
    EXPECT_EQ(records.damaged_bytes(), is_opened ? 0 : size);
  }
}

}  // namespace
}  // namespace neardup
