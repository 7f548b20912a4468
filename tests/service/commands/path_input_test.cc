#include "service/commands/path_input.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/folder_test.h"
#include "tests/support/packed_bytes.h"
#include "tests/support/warc_bytes.h"

namespace neardup {
namespace {

class PathInputTest : public FolderTest {
 protected:
  std::atomic<bool> stop_{false};
};

TEST_F(PathInputTest, a_batch_is_bounded_in_records_and_in_bytes) {
  std::string lines;
  for (int i = 0; i < 50'000; ++i) lines += "x\n";
  for (int i = 0; i < 300; ++i) lines += std::string(100'000, 'y') + "\n";
  write("a.jsonl", lines);
  PathInput input({folder_.string()}, 0, 100'000, stop_);
  PathBatch batch;
  std::size_t records = 0;
  while (input.next(batch)) {
    EXPECT_LE(batch.records.size(), PathInput::kBatchRecordsMax);
    EXPECT_LT(batch.bytes.size(), PathInput::kBatchBytesMax + 100'001);
    for (const Record& record : batch.records) {
      ASSERT_EQ(record.source.offset, static_cast<std::int64_t>(records));
      ASSERT_EQ(record.value->size(), records < 50'000 ? 1U : 100'000U);
      ++records;
    }
  }
  EXPECT_EQ(records, 50'300U);
}

TEST_F(PathInputTest, a_batch_holds_one_kind) {
  for (const std::string name : {"a.txt", "b.jsonl", "c.jsonl", "d.txt", "e.html"}) write(name, name + "\n");
  PathInput input({folder_.string()}, 0, 1000, stop_);
  PathBatch batch;
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.kind, PathBatch::Kind::kPages);
  ASSERT_EQ(batch.records.size(), 1U);
  EXPECT_EQ(batch.records[0].key, folder_.string() + "/a.txt");
  EXPECT_EQ(batch.records[0].value, "a.txt\n");
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.kind, PathBatch::Kind::kLines);
  ASSERT_EQ(batch.records.size(), 2U);
  EXPECT_EQ(batch.records[0].key, folder_.string() + "/b.jsonl:1");
  EXPECT_EQ(batch.records[1].value, "c.jsonl");
  EXPECT_NE(batch.records[0].source.topic, batch.records[1].source.topic);
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.records.size(), 2U);
  EXPECT_FALSE(input.next(batch));
}

TEST_F(PathInputTest, an_empty_page_is_a_record) {
  write("empty.txt", "");
  PathInput input({folder_.string()}, 0, 1000, stop_);
  PathBatch batch;
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.records[0].value, "");
}

TEST_F(PathInputTest, a_file_may_be_one_array) {
  using Records = std::vector<std::pair<std::int64_t, std::string>>;
  const auto records = [&](const std::string& file, std::size_t document_bytes_max = 1000) {
    write("items.json", file);
    PathInput input({folder_.string() + "/items.json"}, 0, document_bytes_max, stop_);
    PathBatch batch;
    Records all;
    while (input.next(batch)) {
      for (const Record& record : batch.records) all.emplace_back(record.source.offset, *record.value);
    }
    return all;
  };
  const Records scrapy = {{0, R"({"text": "a"})"}, {1, R"({"text": "b, ]"})"}};
  EXPECT_EQ(records("[\n{\"text\": \"a\"},\n{\"text\": \"b, ]\"}\n]"), scrapy);
  EXPECT_EQ(records("\xEF\xBB\xBF[\r\n  {\"text\": \"a\"} ,\r\n  {\"text\": \"b, ]\"}\r\n]\r\n"), scrapy);
  EXPECT_EQ(records(R"([{"text": "a"}, {"text": "b, ]"}])"), scrapy);
  const Records mongoexport = {{0, R"({"n":1})"}, {1, R"({"n":2})"}, {2, R"({"n":3})"}};
  EXPECT_EQ(records("[{\"n\":1},\n{\"n\":2},\n{\"n\":3}]\n"), mongoexport);
  const Records indented = {{0, "{\n    \"n\": [\n      1\n    ]\n  }"}, {1, "{\n    \"n\": 2\n  }"}};
  EXPECT_EQ(records("[\n  {\n    \"n\": [\n      1\n    ]\n  },\n  {\n    \"n\": 2\n  }\n]"), indented);
  EXPECT_EQ(records("\n[{\"n\":1}]"), (Records{{0, R"({"n":1})"}}));
  EXPECT_EQ(records("[]\n"), Records{});
  EXPECT_EQ(records("[\n\n]\n"), Records{});
  EXPECT_EQ(records("[{\"n\":1}, null, {\"n\":"), (Records{{0, R"({"n":1})"}, {1, "null"}, {2, R"({"n":)"}}));
  EXPECT_EQ(records("[{\"n\": 12345}, {}]", 10), (Records{{0, R"({"n": 12345)"}, {1, "{}"}}));
  // As jq writes objects, and most who make them readable.
  EXPECT_EQ(records("{\n  \"n\": 1\n}\n"), (Records{{0, "{\n  \"n\": 1\n}"}}));
  EXPECT_EQ(records("\xEF\xBB\xBF\n{ \r\n\t\"n\": {\r\n}\r\n}\r\n{\n\"n\": 2\n}\nnone\n{}"),
            (Records{{0, "{ \r\n\t\"n\": {\r\n}\r\n}"}, {1, "{\n\"n\": 2\n}"}, {2, "none"}, {3, "{}"}}));
  EXPECT_EQ(records("{\"n\": 1,\r\n \"m\": 2}\n{\"n\": {\n}}"),
            (Records{{0, "{\"n\": 1,\r\n \"m\": 2}"}, {1, "{\"n\": {\n}}"}}));
  EXPECT_EQ(records("{\"n\": 1,\n{\"n\": 2}\n"), (Records{{0, "{\"n\": 1,"}, {1, "{\"n\": 2}"}}));
  EXPECT_EQ(records("{\n{}\n"), (Records{{0, "{"}, {1, "{}"}})) << "one line is broken, not all behind it";
  EXPECT_EQ(records("{\n"), (Records{{0, "{"}}));
  EXPECT_EQ(records("{ \"n\":\n1}\n"), (Records{{0, "{ \"n\":"}, {1, "1}"}}));
  // Only where the file begins so: else lines are what they are.
  const Records words = {{0, "[Verse 1]"}, {1, "{a},"}, {2, "]"}};
  EXPECT_EQ(records("[Verse 1]\n{a},\n]\n"), words);
  const Records later = {{0, "{},"}, {1, "["}, {2, "{}]"}};
  EXPECT_EQ(records("{},\n[\n{}]\n"), later);
  EXPECT_EQ(records("\n\n["), (Records{{2, "["}}));
}

TEST_F(PathInputTest, an_array_that_ends_too_early_is_told) {
  const auto errors_of = [&](const std::string& file) {
    write("items.json", file);
    PathInput input({folder_.string() + "/items.json"}, 0, 1000, stop_);
    PathBatch batch;
    while (input.next(batch)) {
    }
    std::vector<Error> errors = input.take_errors();
    return errors.size() == 1 ? errors[0].message.substr(folder_.string().size())
                              : std::to_string(errors.size());
  };
  const std::string told = "/items.json: ends too early: its array, or the last object, is not closed";
  EXPECT_EQ(errors_of("[{\"n\": 1},\n{\"n\": 2}\n"), told);
  EXPECT_EQ(errors_of("[{\"n\": 1},\n{\"n\""), told);
  EXPECT_EQ(errors_of("{\n\"n\": 1}\n{\n\"n\""), told);
  EXPECT_EQ(errors_of("[{\"n\": 1}]"), "0");
  EXPECT_EQ(errors_of(gzip_of("[{\"n\": 1},").substr(0, 24)).substr(0, 29), "/items.json: ends too early: ")
      << "once, if it is packed";
}

TEST_F(PathInputTest, a_file_may_be_packed_whatever_it_holds_and_is_called) {
  const auto values = [&](const std::string& file) {
    write("packed", file);
    PathInput input({folder_.string() + "/packed"}, 0, 1000, stop_);
    PathBatch batch;
    std::vector<std::string> all;
    while (input.next(batch)) {
      for (const Record& record : batch.records) all.emplace_back(*record.value);
    }
    for (const Error& error : input.take_errors())
      all.push_back(error.message.substr(folder_.string().size() + 1));
    return all;
  };
  using Values = std::vector<std::string>;
  EXPECT_EQ(values(gzip_of("{}\n{\"a\":1}")), (Values{"{}", "{\"a\":1}"}));
  EXPECT_EQ(values(gzip_of("[{},") + gzip_of("{\"a\":1}]") + std::string(512, '\0')),
            (Values{"{}", "{\"a\":1}"}));
  EXPECT_EQ(values(zstd_of("{}\n") + zstd_of("{\"a\":1}")), (Values{"{}", "{\"a\":1}"}));
  EXPECT_EQ(values(gzip_of("")), Values{});
  EXPECT_EQ(values("("), Values{"("}) << "with which a zstd would begin";
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += std::to_string(i * 7919) + "\n";
  EXPECT_EQ(values(gzip_of(lines)), values(lines));
  // What can be read is; the rest is told.
  const std::string packed = gzip_of("one\n") + gzip_of("two\n");
  const std::string damaged = "packed: is damaged: what follows cannot be unpacked";
  EXPECT_EQ(values(packed + "three"), (Values{"one", "two", damaged}));
  EXPECT_EQ(values("\x1F\x8B\x08 is no gzip"), Values{damaged});
  EXPECT_EQ(values(gzip_of("one\ntw") + "three"), (Values{"one", damaged})) << "a cut line is none";
  EXPECT_EQ(values(gzip_of(" [") + "three"), (Values{" [", damaged})) << "once";
  EXPECT_EQ(values(packed.substr(0, packed.size() - 1)),
            (Values{"one", "two", "packed: ends too early: what is packed in it is not whole"}));
}

TEST_F(PathInputTest, a_file_may_be_a_warc) {
  const std::string first = warc_record("response", "http://a/", "HTTP/1.1 200 OK\r\n\r\npage");
  const std::string large = warc_record("resource", "http://large/", std::string(2000, 'x'));
  const std::string warc = gzip_of(warc_record("warcinfo", "", "words")) + gzip_of(first) + gzip_of(large);
  write("a.jsonl", "{}\n");
  write("b.warc.gz", warc);
  write("c.html.gz", gzip_of("page"));
  PathInput input({folder_.string()}, 0, 1000, stop_);
  PathBatch batch;
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.kind, PathBatch::Kind::kLines);
  EXPECT_EQ(batch.records.size(), 1U);
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.kind, PathBatch::Kind::kArchive);
  ASSERT_EQ(batch.records.size(), 2U);
  EXPECT_EQ(batch.records[0].key, "http://a/");
  EXPECT_EQ(batch.records[0].value, first.substr(0, first.size() - 4));
  EXPECT_EQ(batch.records[0].source.offset, 1);
  EXPECT_EQ(batch.records[0].timestamp_ms, 1'777'638'600'000);
  EXPECT_EQ(input.topic_names()[batch.records[0].source.topic], folder_.string() + "/b.warc.gz");
  EXPECT_EQ(batch.records[1].key, "http://large/");
  EXPECT_EQ(batch.records[1].value->size(), 1001U) << "enough to reject it";
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.kind, PathBatch::Kind::kPages);
  EXPECT_EQ(batch.records[0].value, gzip_of("page")) << "as it is: the codec unpacks it";
  EXPECT_FALSE(input.next(batch));
  EXPECT_EQ(input.left_out(), "passed over 1 WARC records that hold no page");
  EXPECT_TRUE(input.take_errors().empty());
}

std::vector<std::string> keys_of_all(PathInput& input) {
  std::vector<std::string> keys;
  for (PathBatch batch; input.next(batch);) {
    for (const Record& record : batch.records) keys.emplace_back(*record.key);
  }
  return keys;
}

// A page that is hardly shorter when it is packed.
std::string record_of_numbers(const std::string& uri, unsigned seed) {
  std::string words;
  for (int i = 0; i < 400; ++i)
    words += std::to_string((seed = seed * 1664525U + 1013904223U) >> 20) + (i % 9 == 0 ? "\n" : " ");
  return warc_record("resource", uri, words);
}

TEST_F(PathInputTest, a_warc_of_zstd_may_begin_with_the_dictionary_of_its_frames) {
  const std::string dictionary = record_of_numbers("http://some/", 7);
  const std::string record = record_of_numbers("http://a/", 7);
  const std::string frames = zstd_with(dictionary, record) + zstd_with(dictionary, record);
  EXPECT_LT(frames.size(), record.size() / 4);
  for (const std::string& told : {dictionary, zstd_of(dictionary)}) {
    write("a.warc.zst", zstd_dictionary_frame(told) + frames);
    PathInput input({folder_.string() + "/a.warc.zst"}, 0, 100'000, stop_);
    PathBatch batch;
    ASSERT_TRUE(input.next(batch));
    ASSERT_EQ(batch.records.size(), 2U);
    EXPECT_EQ(batch.records[1].value, record.substr(0, record.size() - 4));
    EXPECT_FALSE(input.next(batch));
    EXPECT_TRUE(input.take_errors().empty());
  }
  std::string nested;
  for (int i = 0; i < 200; ++i) nested = zstd_dictionary_frame(nested);
  for (const std::string& damaged : {std::string("\x28\xB5\x2F\xFD"), std::string(), nested}) {
    write("a.warc.zst", zstd_dictionary_frame(damaged) + frames);
    PathInput input({folder_.string() + "/a.warc.zst"}, 0, 100'000, stop_);
    PathBatch batch;
    EXPECT_FALSE(input.next(batch));
    EXPECT_EQ(input.unreadable(), 1U);
  }
}

TEST_F(PathInputTest, a_warc_that_is_not_whole_is_told) {
  const std::string first = warc_record("response", "http://a/", "page");
  write("a.warc", first + "of no record\n" + first + first.substr(0, first.size() - 6));
  PathInput input({folder_.string() + "/a.warc"}, 0, 1000, stop_);
  PathBatch batch;
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.records.size(), 2U);
  EXPECT_FALSE(input.next(batch));
  const std::vector<Error> errors = input.take_errors();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(
      errors[0].message,
      fmt::format("{}/a.warc: is damaged: 13 bytes are of no WARC record; 1 WARC records are not whole: "
                  "what came of them, {} bytes, is left out",
                  folder_.string(), first.size() - 6));
}

TEST_F(PathInputTest, a_record_of_a_warc_that_is_cut_short_is_told) {
  const std::string first = warc_record("response", "http://a/\x1B", "HTTP/1.1 200 OK\r\n\r\npage and more");
  const std::string last = warc_record("resource", "http://b/", "page");
  for (const std::string& behind : {last, last + last}) {
    write("a.warc", first.substr(0, first.size() - 12) + behind);
    PathInput input({folder_.string() + "/a.warc"}, 0, 1000, stop_);
    PathBatch batch;
    ASSERT_TRUE(input.next(batch));
    ASSERT_GE(batch.records.size(), 2U);
    EXPECT_EQ(batch.records[0].value, first.substr(0, first.size() - 12));
    EXPECT_EQ(batch.records[1].value, last.substr(0, last.size() - 4));
    EXPECT_FALSE(input.next(batch));
    const std::vector<Error> errors = input.take_errors();
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].message,
              folder_.string() +
                  "/a.warc: is damaged: 1 WARC records have less than their Content-Length "
                  "says, the first that of http://a/?");
  }
}

// As a crawler leaves one that was killed, and then goes on in the same file.
TEST_F(PathInputTest, a_warc_goes_on_behind_a_gzip_that_breaks_off) {
  const auto page = [](const std::string& uri, unsigned seed) {
    return gzip_of(record_of_numbers(uri, seed));
  };
  std::string behind;
  std::vector<std::string> wanted = {"http://first/"};
  for (unsigned i = 0; i < 30; ++i) {
    wanted.push_back("http://" + std::to_string(i));
    behind += page(wanted.back(), i + 5);
  }
  const std::string cut = page("http://cut/", 1);
  for (std::size_t size = 1; size < cut.size(); size += 1 + size / 10) {
    write("a.warc.gz", page("http://first/", 2) + cut.substr(0, size) + behind + cut.substr(0, size));
    PathInput input({folder_.string() + "/a.warc.gz"}, 0, 100'000, stop_);
    EXPECT_EQ(keys_of_all(input), wanted) << size << ": of what is cut the end is what follows it";
    const std::vector<Error> errors = input.take_errors();
    ASSERT_EQ(errors.size(), 2U) << size;
    const std::string path = folder_.string() + "/a.warc.gz: ";
    EXPECT_EQ(errors[0].message, path + "ends too early: what is packed in it is not whole");
    EXPECT_TRUE(
        errors[1].message.starts_with(path + "is damaged: 1 gzips in it cannot be unpacked to their ends"))
        << errors[1].message;
    EXPECT_EQ(input.unreadable(), 1U) << "of one file";
  }
  write("a.warc.gz", cut + std::string(1'000'000, '\x1F') + "\x1F\x8B\x08" + cut);
  PathInput input({folder_.string() + "/a.warc.gz"}, 0, 100'000, stop_);
  PathBatch batch;
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.records.size(), 2U) << "behind what is no gzip, too";
  EXPECT_FALSE(input.next(batch));
}

// What was unpacked of it may be other bytes than were packed: with the bytes of the next one behind a place
// where it is cut, say, it may have as many as its record should have.
TEST_F(PathInputTest, no_page_is_of_a_gzip_that_does_not_end_well) {
  std::map<std::string, std::string> wanted;
  std::vector<std::string> packed;
  for (unsigned i = 0; i < 4; ++i) {
    const std::string uri = "http://" + std::to_string(i);
    const std::string record = record_of_numbers(uri, i);
    wanted[uri] = record.substr(0, record.size() - 4);
    packed.push_back(gzip_of(record));
  }
  const auto expect_pages = [&](const std::string& bytes, std::size_t count_min) {
    write("a.warc.gz", bytes);
    PathInput input({folder_.string() + "/a.warc.gz"}, 0, 100'000, stop_);
    std::size_t count = 0;
    for (PathBatch batch; input.next(batch);) {
      for (const Record& record : batch.records) {
        EXPECT_EQ(*record.value, wanted[std::string(*record.key)]);
        ++count;
      }
    }
    EXPECT_GE(count, count_min);
    const std::vector<Error> errors = input.take_errors();
    EXPECT_EQ(errors.size(), count < wanted.size() ? 1U : 0U);
    return count;
  };
  for (std::size_t size = 1; size < packed[1].size(); size += 7) {
    ASSERT_EQ(expect_pages(packed[0] + packed[1].substr(0, size) + packed[2] + packed[3], 3), 3U) << size;
    std::string flipped = packed[1];
    flipped[size] ^= static_cast<char>(1U << size % 8);
    expect_pages(packed[0] + flipped + packed[2] + packed[3], 3);
    if (HasFailure()) FAIL() << size;
  }
}

TEST_F(PathInputTest, records_of_one_gzip_wait_for_the_next_one_alone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  PathInput input({}, ends[0], 100'000, stop_);
  std::string records;
  for (unsigned i = 0; i < 300; ++i) records += record_of_numbers("http://" + std::to_string(i), i);
  const std::string packed = gzip_of(records);
  const auto pages_of = [&](std::size_t from, std::size_t to) {
    EXPECT_EQ(::write(ends[1], packed.data() + from, to - from), static_cast<ssize_t>(to - from));
    std::size_t pages = 0;
    for (PathBatch batch; input.next(batch, PathInput::Wait::kNo);) pages += batch.records.size();
    return pages;
  };
  std::size_t pages = 0;
  std::size_t at = 0;
  for (; at + 2000 < packed.size(); at += 2000) {
    pages += pages_of(at, at + 2000);
    // What deflate holds back is some blocks.
    EXPECT_GE((pages + 50) * packed.size(), 300 * at);
  }
  EXPECT_LT(pages, 300U);
  pages += pages_of(at, packed.size() - 1);
  EXPECT_EQ(pages, 299U) << "the last one waits for the checksum";
  pages += pages_of(packed.size() - 1, packed.size());
  EXPECT_EQ(pages, 300U);
  ::close(ends[1]);
  ::close(ends[0]);
}

TEST_F(PathInputTest, a_warc_goes_on_behind_any_number_of_gzips_that_break_off) {
  const auto keys_of = [&](const std::string& bytes, std::vector<Error>& errors) {
    write("a.warc.gz", bytes);
    PathInput input({folder_.string() + "/a.warc.gz"}, 0, 100'000, stop_);
    std::vector<std::string> keys = keys_of_all(input);
    errors = input.take_errors();
    return keys;
  };
  const std::string whole = gzip_of(warc_record("resource", "http://whole/", "page"));
  std::vector<Error> errors;
  for (const std::size_t size : {10, 11, 14, 20}) {
    EXPECT_EQ(keys_of(whole.substr(0, size) + whole + whole, errors).size(), 2U) << "the first: " << size;
    EXPECT_EQ(errors.size(), 1U);
  }
  std::string many;
  for (int i = 0; i < 1100; ++i) many += whole.substr(0, 20) + whole;
  EXPECT_EQ(keys_of(many, errors).size(), 1100U);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_TRUE(errors[0].message.find("1100 gzips in it cannot be unpacked") != std::string::npos)
      << errors[0].message;
}

TEST_F(PathInputTest, a_warc_record_behind_much_that_is_none_is_read) {
  const std::string record = warc_record("resource", "http://a/", "page");
  write("a.warc", record + std::string(70'000, 'x') + record + std::string(200'000, 'W') + record);
  PathInput input({folder_.string() + "/a.warc"}, 0, 1000, stop_);
  PathBatch batch;
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.records.size(), 3U);
  EXPECT_FALSE(input.next(batch));
  EXPECT_EQ(input.take_errors().at(0).message,
            folder_.string() + "/a.warc: is damaged: 270000 bytes are of no WARC record");
}

TEST_F(PathInputTest, what_tells_a_kind_may_come_byte_by_byte) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  PathInput input({"-"}, ends[0], 1000, stop_);
  PathBatch batch;
  for (const char c : std::string("%PDF-1.7\nwords")) {
    ASSERT_EQ(::write(ends[1], &c, 1), 1);
    EXPECT_FALSE(input.next(batch, PathInput::Wait::kNo));
  }
  ::close(ends[1]);
  EXPECT_FALSE(input.next(batch));
  EXPECT_EQ(input.take_errors().at(0).message.substr(0, 30), "standard input: holds no lines");
  ::close(ends[0]);
}

TEST_F(PathInputTest, a_file_that_holds_no_lines_says_so) {
  const auto error_of = [&](const std::string& bytes) {
    write("file", bytes);
    PathInput input({folder_.string() + "/file"}, 0, 1000, stop_);
    PathBatch batch;
    EXPECT_FALSE(input.next(batch)) << bytes.substr(0, 20);
    const std::vector<Error> errors = input.take_errors();
    EXPECT_EQ(errors.size(), 1U);
    return errors.empty() ? "" : errors[0].message.substr(folder_.string().size() + 1);
  };
  const std::string kind =
      "file: holds no lines: it begins as a PDF, an image or an archive does; take the words of it, or "
      "unpack it (gzip and zstd need not be)";
  EXPECT_EQ(error_of("%PDF-1.7\n%words\n"), kind);
  EXPECT_EQ(error_of("PK\x03\x04" + std::string(100'000, '\n')), kind);
  EXPECT_EQ(error_of("BZh91AY&SY words"), kind);
  EXPECT_EQ(error_of(gzip_of(gzip_of("{}\n"))), kind);
  EXPECT_EQ(error_of("a.jsonl" + std::string(250, '\0') + "ustar\n"), kind);
  EXPECT_EQ(error_of(std::string("\xFF\xFE{\0}\0\n\0", 8)),
            "file: is UTF-16, and lines are read in UTF-8: make it that with iconv -f UTF-16 -t UTF-8");
  const std::string line = R"({"text":"no mark"})";
  std::string little;
  std::string big;
  for (const char c : line + "\n") {
    (little += c) += '\0';
    (big += '\0') += c;
  }
  const std::string without_mark =
      "file: is UTF-16, and lines are read in UTF-8: make it that with iconv -f ";
  EXPECT_EQ(error_of(little), without_mark + "UTF-16LE -t UTF-8");
  EXPECT_EQ(error_of(big), without_mark + "UTF-16BE -t UTF-8");

  write("file", R"({"text":")" + std::string(257 - 9, 'a') + "ustar\"}\n");
  PathInput lines({folder_.string() + "/file"}, 0, 1000, stop_);
  PathBatch batch;
  EXPECT_TRUE(lines.next(batch)) << "the word alone makes no tar";
}

TEST_F(PathInputTest, a_zstd_that_looks_back_too_far_is_not_called_damaged) {
  write("file", zstd_with_window("{}\n", 31));
  PathInput input({folder_.string() + "/file"}, 0, 1000, stop_);
  PathBatch batch;
  EXPECT_FALSE(input.next(batch));
  EXPECT_EQ(input.take_errors().at(0).message,
            folder_.string() +
                "/file: is a zstd with a window above 128 MiB: unpack it before, with zstd -d --long=31");
}

TEST_F(PathInputTest, lines_that_look_like_a_warc_are_told_of_once) {
  const std::string record = warc_record("resource", "http://a/", "page");
  write("file", "junk\n" + record + record);
  PathInput input({folder_.string() + "/file"}, 0, 1000, stop_);
  PathBatch batch;
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.kind, PathBatch::Kind::kLines);
  EXPECT_EQ(
      input.take_remarks(),
      std::vector<std::string>{
          folder_.string() +
          "/file: a WARC record begins in line 2, but not the file, so it is read as lines: take away what "
          "stands before, or give it a name that ends in .warc or .wet"});
}

TEST_F(PathInputTest, a_response_may_be_told_before_that_more_is_to_come) {
  const std::string early =
      "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n";
  write("a.warc", warc_record("response", "http://a/", early + "HTTP/1.1 200 OK\r\n\r\npage") +
                      warc_record("response", "http://b/", early + "HTTP/1.1 404 Not Found\r\n\r\npage") +
                      warc_record("response", "http://c/", early));
  PathInput input({folder_.string() + "/a.warc"}, 0, 1000, stop_);
  EXPECT_EQ(keys_of_all(input), std::vector<std::string>{"http://a/"});
}

TEST_F(PathInputTest, a_response_of_a_warc_that_is_no_success_is_no_page) {
  const auto response = [](const std::string& status) {
    return warc_record("response", "http://" + status, "HTTP/1.1 " + status + "\r\nA: b\r\n\r\npage");
  };
  std::string warc =
      warc_record("conversion", "http://text", "HTTP/1.1 404 Not Found\r\n\r\nis what servers say.");
  for (const std::string status : {"200 OK", "203", "206 Partial", "299"}) warc += response(status);
  warc += warc_record("response", "http://none", "page");
  for (const std::string status : {"100", "301 Moved", "304", "404 Not Found", "503", "999"})
    warc += response(status);
  warc += warc_record("response", "http://a", "HTTP/1.1 404 Not Found\r\nno header\r\n\r\npage");
  write("a.warc", warc);
  PathInput input({folder_.string() + "/a.warc"}, 0, 1000, stop_);
  EXPECT_EQ(keys_of_all(input),
            (std::vector<std::string>{"http://text", "http://200 OK", "http://203", "http://206 Partial",
                                      "http://299", "http://none"}));
  EXPECT_EQ(input.left_out(), "passed over 7 responses of WARCs whose HTTP status is not 2xx");
  write("a.warc", warc_record("request", "http://a", "GET") + warc);
  PathInput with_request({folder_.string() + "/a.warc"}, 0, 1000, stop_);
  keys_of_all(with_request);
  EXPECT_EQ(
      with_request.left_out(),
      "passed over 1 WARC records that hold no page and 7 responses of WARCs whose HTTP status is not 2xx");
}

TEST_F(PathInputTest, a_file_named_as_a_warc_is_one_whatever_it_begins_with) {
  const std::string record = warc_record("resource", "http://a/", "page");
  const auto errors_of = [&](const std::string& name, const std::string& bytes) {
    write(name, bytes);
    PathInput input({folder_.string() + "/" + name}, 0, 1000, stop_);
    PathBatch batch;
    std::size_t pages = 0;
    while (input.next(batch)) {
      EXPECT_EQ(batch.kind, PathBatch::Kind::kArchive);
      pages += batch.records.size();
    }
    std::vector<std::string> words = {std::to_string(pages)};
    for (const Error& error : input.take_errors())
      words.push_back(error.message.substr(folder_.string().size() + 1));
    return words;
  };
  using Words = std::vector<std::string>;
  for (const std::string before : {"", "\xEF\xBB\xBF", "\r\n\r\n", "\xEF\xBB\xBF \n", "\n\xEF\xBB\xBF"}) {
    EXPECT_EQ(errors_of("a.warc", before + record), Words{"1"});
    EXPECT_EQ(errors_of("records", before + record), Words{"1"});
  }
  const std::string damaged = ": is damaged: 5 bytes are of no WARC record";
  EXPECT_EQ(errors_of("a.warc", "junk\n" + record), (Words{"1", "a.warc" + damaged}));
  EXPECT_EQ(errors_of("a.warc", "junk " + record), (Words{"1", "a.warc" + damaged}));
  EXPECT_EQ(errors_of("a.WARC.WET.gz", gzip_of("junk\n" + record)), (Words{"1", "a.WARC.WET.gz" + damaged}));
  EXPECT_EQ(errors_of("a.wet", "{ }\r\n"), (Words{"0", "a.wet" + damaged}));
  EXPECT_EQ(errors_of("a.warc", ""), Words{"0"});
}

TEST_F(PathInputTest, a_packed_warc_may_come_a_byte_at_a_time) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  PathInput input({}, ends[0], 1000, stop_);
  PathBatch batch;
  std::vector<std::string> keys;
  for (const char* const uri : {"http://a/", "http://b/"}) {
    for (const char byte : gzip_of(warc_record("response", uri, "page"))) {
      ASSERT_EQ(::write(ends[1], &byte, 1), 1);
      while (input.next(batch, PathInput::Wait::kNo)) {
        for (const Record& record : batch.records) keys.emplace_back(*record.key);
      }
    }
    EXPECT_EQ(keys.back(), uri) << "it is there as soon as its bytes are";
  }
  close(ends[1]);
  EXPECT_FALSE(input.next(batch));
  EXPECT_TRUE(input.take_errors().empty());
  EXPECT_EQ(keys.size(), 2U);
  close(ends[0]);
}

TEST_F(PathInputTest, an_array_or_objects_may_come_a_byte_at_a_time) {
  for (const std::string file : {"\n[{\"text\": \"a\\\\\"},\n {\"text\": \"\\\"b\\\\\\\", ]\"}]\n",
                                 "\n{\n\"text\": \"a\\\\\"}\n{\"text\": \"\\\"b\\\\\\\", ]\"}\n"}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    PathInput input({}, ends[0], 1000, stop_);
    PathBatch batch;
    std::vector<std::string> items;
    for (const char byte : file) {
      ASSERT_EQ(::write(ends[1], &byte, 1), 1);
      while (input.next(batch, PathInput::Wait::kNo)) {
        for (const Record& record : batch.records) {
          items.emplace_back(*record.value);
          std::erase(items.back(), '\n');
        }
      }
    }
    EXPECT_EQ(items, (std::vector<std::string>{R"({"text": "a\\"})", R"({"text": "\"b\\\", ]"})"}));
    close(ends[1]);
    EXPECT_FALSE(input.next(batch));
    close(ends[0]);
  }
}

TEST_F(PathInputTest, whether_it_is_an_array_is_not_waited_for_beyond_a_document) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  PathInput input({}, ends[0], 10, stop_);
  PathBatch batch;
  for (const std::string bytes : {"[         ", " ", "\n{}\n"}) {
    EXPECT_FALSE(input.next(batch, PathInput::Wait::kNo));
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  ASSERT_TRUE(input.next(batch, PathInput::Wait::kNo));
  ASSERT_EQ(batch.records.size(), 2U);
  EXPECT_EQ(batch.records[0].value, "[          ");
  EXPECT_EQ(batch.records[1].value, "{}");
  close(ends[1]);
  EXPECT_FALSE(input.next(batch));
  close(ends[0]);
}

TEST_F(PathInputTest, stop_ends_it) {
  write("a.jsonl", "x\n");
  PathInput input({folder_.string()}, 0, 1000, stop_);
  stop_ = true;
  PathBatch batch;
  EXPECT_FALSE(input.next(batch));
}

// Waits for ever where reading alone is asked, or opening, whether to stop.
TEST_F(PathInputTest, stop_ends_it_while_it_waits_for_who_writes_to_a_fifo) {
  for (const char* const name : {"page.html", "lines.jsonl"}) {
    const std::string fifo = (folder_ / name).string();
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    for (const bool has_writer : {false, true}) {
      const int writer = has_writer ? ::open(fifo.c_str(), O_RDWR) : -1;
      if (has_writer) {
        ASSERT_EQ(::write(writer, "half", 4), 4);
      }
      stop_ = false;
      PathInput input({fifo}, 0, 1000, stop_);
      std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop_ = true;
      });
      PathBatch batch;
      EXPECT_FALSE(input.next(batch)) << name << ", " << has_writer;
      EXPECT_TRUE(stop_) << name << ", " << has_writer << ": the end of a file is another reason";
      EXPECT_TRUE(input.take_errors().empty());
      stopper.join();
      if (has_writer) ::close(writer);
    }
  }
}

TEST_F(PathInputTest, a_page_of_a_fifo_is_read_to_the_end_however_slowly_it_comes) {
  const std::string fifo = (folder_ / "page.html").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] {
    const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    rest();
    std::ofstream out(fifo, std::ios::binary);
    rest();
    out << "the beginning, " << std::flush;
    rest();
    out << "the end";
  });
  PathInput input({fifo}, 0, 1000, stop_);
  PathBatch batch;
  ASSERT_TRUE(input.next(batch));
  EXPECT_EQ(batch.records[0].value, "the beginning, the end");
  EXPECT_FALSE(input.next(batch));
  writer.join();
}

TEST_F(PathInputTest, what_is_not_there_yet_is_not_waited_for_unless_asked) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const auto send = [&](const std::string& bytes) {
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  };
  PathInput input({}, ends[0], 1000, stop_);
  PathBatch batch;
  EXPECT_FALSE(input.next(batch, PathInput::Wait::kNo));
  send("the first\nthe beg");
  ASSERT_TRUE(input.next(batch, PathInput::Wait::kNo));
  ASSERT_EQ(batch.records.size(), 1U);
  EXPECT_EQ(batch.records[0].value, "the first");
  EXPECT_FALSE(input.next(batch, PathInput::Wait::kNo));
  send("inning\n");
  ASSERT_TRUE(input.next(batch));
  ASSERT_EQ(batch.records.size(), 1U);
  EXPECT_EQ(batch.records[0].value, "the beginning");
  close(ends[1]);
  EXPECT_FALSE(input.next(batch));
  close(ends[0]);
}

TEST_F(PathInputTest, what_cannot_be_read_is_told_once) {
  const std::string missing = folder_ / "missing";
  PathInput input({"", missing, missing}, 0, 1000, stop_);
  PathBatch batch;
  EXPECT_FALSE(input.next(batch));
  ASSERT_EQ(input.take_errors().size(), 3U);
  EXPECT_TRUE(input.take_errors().empty());
  EXPECT_EQ(input.unreadable(), 3U);
}

TEST_F(PathInputTest, each_file_and_standard_input_are_a_page_if_so_wished) {
  using Records = std::vector<std::pair<std::string, std::string>>;
  const std::string page = write("folder/page", "one\ntwo\n");
  const std::string item = write("folder/items.jsonl", "[{\"text\": 1}]");
  const std::string stdin_file = write("stdin", "three\n\nfour");
  const int fd = ::open(stdin_file.c_str(), O_RDONLY);
  PathInput input({(folder_ / "folder").string(), "-", page}, fd, 1000, stop_);
  input.take_whole();
  Records records;
  for (PathBatch batch; input.next(batch);) {
    EXPECT_EQ(batch.kind, PathBatch::Kind::kPages);
    for (const Record& record : batch.records) records.emplace_back(*record.key, *record.value);
  }
  EXPECT_EQ(records, (Records{{item, "[{\"text\": 1}]"},
                              {page, "one\ntwo\n"},
                              {"stdin", "three\n\nfour"},
                              {page, "one\ntwo\n"}}));
  EXPECT_EQ(input.topic_names(), (std::vector<std::string>{(folder_ / "folder").string(), "stdin", page}));
  EXPECT_TRUE(input.take_errors().empty());
  EXPECT_EQ(input.left_out(), "");
  EXPECT_GE(::fcntl(fd, F_GETFD), 0) << "it is not ours to close";
  ::close(fd);

  std::filesystem::create_directories(folder_ / "links");
  std::filesystem::create_symlink(page, folder_ / "links" / "link");
  PathInput links({(folder_ / "links").string()}, 0, 1000, stop_);
  links.take_whole();
  PathBatch batch;
  EXPECT_FALSE(links.next(batch));
  EXPECT_EQ(
      links.left_out(),
      "nothing to read: left out 1 links and special files of folders, which are read if they are named");
}

TEST_F(PathInputTest, of_a_page_on_standard_input_one_byte_more_than_a_document_is_kept) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::thread writer([&] {
    for (int i = 0; i < 11; ++i) EXPECT_EQ(::write(ends[1], "x", 1), 1);
  });
  PathInput input({}, ends[0], 10, stop_);
  input.take_whole();
  PathBatch batch;
  ASSERT_TRUE(input.next(batch)) << "though the writer has not closed it";
  EXPECT_EQ(batch.records[0].value, std::string(11, 'x'));
  EXPECT_FALSE(input.next(batch));
  writer.join();
  for (const int end : ends) ::close(end);
}

// Whoever names it is told that it was not read; below a folder nobody asked for it.
TEST_F(PathInputTest, the_file_that_is_written_to_is_no_input) {
  for (const std::string name : {"lines.jsonl", "page.txt"}) {
    const std::string path = write(name, "x\n");
    const int output = ::open(path.c_str(), O_RDWR);
    const std::string what = path + ": it is the output too, so it is not read";
    PathBatch batch;
    PathInput named({path}, 0, 1000, stop_, output);
    EXPECT_FALSE(named.next(batch));
    const std::vector<Error> errors = named.take_errors();
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].message, what);
    EXPECT_TRUE(named.take_remarks().empty());

    PathInput below({folder_.string()}, 0, 1000, stop_, output);
    EXPECT_FALSE(below.next(batch));
    EXPECT_EQ(below.take_remarks(), std::vector<std::string>{what});
    EXPECT_TRUE(below.take_remarks().empty());
    EXPECT_TRUE(below.take_errors().empty());

    PathInput streamed({"-"}, output, 1000, stop_, output);
    EXPECT_FALSE(streamed.next(batch));
    ASSERT_EQ(streamed.take_errors().size(), 1U);
    EXPECT_GE(::fcntl(output, F_GETFD), 0) << "it is not ours to close";
    PathInput whole({"-"}, output, 1000, stop_, output);
    whole.take_whole();
    EXPECT_FALSE(whole.next(batch));
    ASSERT_EQ(whole.take_errors().size(), 1U);
    EXPECT_GE(::fcntl(output, F_GETFD), 0);
    ::close(output);
    std::filesystem::remove(path);
  }
}

TEST_F(PathInputTest, a_device_may_be_input_and_output) {
  const int null = ::open("/dev/null", O_RDWR);
  PathInput input({"/dev/null"}, 0, 1000, stop_, null);
  PathBatch batch;
  EXPECT_FALSE(input.next(batch));
  EXPECT_TRUE(input.take_errors().empty());
  ::close(null);
}

TEST_F(PathInputTest, a_name_says_nothing_to_a_terminal) {
  PathInput input({(folder_ / "\x1B[2J\n.jsonl").string()}, 0, 1000, stop_);
  PathBatch batch;
  EXPECT_FALSE(input.next(batch));
  const std::vector<Error> errors = input.take_errors();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].message, folder_.string() + "/?[2J?.jsonl: No such file or directory");
}

}  // namespace
}  // namespace neardup
