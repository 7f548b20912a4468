#include "service/commands/scan.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/crc32c.h"
#include "service/codec/verdict_codec.h"
#include "service/snapshot/journal_store.h"
#include "tests/service/commands/command_test.h"
#include "tests/support/gzip_bytes.h"
#include "tests/support/warc_bytes.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct Scanned : Ran {
  std::vector<ParsedVerdict> verdicts;
};

// Text long enough that two of them with other numbers are not near each other.
std::string words(int seed) {
  std::string text;
  unsigned state = static_cast<unsigned>(seed) * 2654435761U + 1;
  for (int i = 0; i < 60; ++i) {
    state = state * 1664525U + 1013904223U;
    text += "w" + std::to_string(state >> 12) + " ";
  }
  return text;
}

std::string line(const std::string& id, const std::string& text) {
  return R"({"id":")" + id + R"(","url":"http://x/)" + id + R"(","text":")" + text + "\"}\n";
}

class Scan : public CommandTest {
 protected:
  Scanned scan(const ScanOptions& options, const std::string& input = "", const Config& config = {}) {
    Scanned got{
        with_streams(input, [&](const Streams& streams) { return run_scan(options, config, streams); }), {}};
    for (std::size_t begin = 0; begin < got.out.size();) {
      const std::size_t end = got.out.find('\n', begin);
      Result<ParsedVerdict> verdict =
          parse_verdict_json(std::string_view(got.out).substr(begin, end - begin));
      EXPECT_TRUE(verdict.ok()) << got.out.substr(begin, end - begin);
      if (verdict.ok()) got.verdicts.push_back(*std::move(verdict));
      begin = end + 1;
    }
    return got;
  }

  std::string printed(Verdict print, std::vector<std::string> paths, const std::string& input = "") {
    const ScanOptions options = {.paths = std::move(paths), .quiet = true, .print = print};
    const Ran ran =
        with_streams(input, [&](const Streams& streams) { return run_scan(options, Config{}, streams); });
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
};

std::vector<std::string> ids(const std::vector<ParsedVerdict>& verdicts) {
  std::vector<std::string> out;
  for (const ParsedVerdict& verdict : verdicts) out.push_back(verdict.id);
  return out;
}

TEST_F(Scan, says_of_each_line_what_it_is_in_input_order) {
  const Scanned got = scan({}, line("a", words(1)) + line("b", words(2)) + "broken\n" + line("c", words(1)) +
                                   line("d", words(2) + "!") + line("e", "..."));
  EXPECT_EQ(got.exit_code, 0);
  ASSERT_THAT(got.verdicts, SizeIs(6));
  EXPECT_EQ(got.verdicts[0].verdict, Verdict::kUnique);
  EXPECT_EQ(got.verdicts[0].seq, 0U);
  EXPECT_EQ(got.verdicts[1].seq, 1U);
  EXPECT_EQ(got.verdicts[2].reason, RejectReason::kNotJson);
  EXPECT_EQ(got.verdicts[3].kind, DuplicateKind::kExact);
  EXPECT_EQ(got.verdicts[3].duplicate_of->id, "a");
  EXPECT_EQ(got.verdicts[3].duplicate_of->url, "http://x/a");
  EXPECT_EQ(got.verdicts[3].duplicate_of->source, (ParsedVerdict::Place{"stdin", 0, 0}));
  EXPECT_EQ(got.verdicts[4].duplicate_of->id, "b");
  EXPECT_EQ(got.verdicts[5].reason, RejectReason::kNoTokens);
  EXPECT_EQ(got.verdicts[5].source, (ParsedVerdict::Place{"stdin", 0, 5}));
}

TEST_F(Scan, one_changed_word_of_many_is_a_near_duplicate) {
  std::string text;
  for (int seed = 0; seed < 20; ++seed) text += words(seed);
  const Scanned got = scan({}, line("a", text) + line("b", text + " extra"));
  ASSERT_THAT(got.verdicts, SizeIs(2));
  EXPECT_EQ(got.verdicts[1].kind, DuplicateKind::kNear);
  EXPECT_EQ(got.verdicts[1].duplicate_of->id, "a");
  EXPECT_LE(*got.verdicts[1].distance, 3);
}

TEST_F(Scan, any_number_of_threads_gives_the_same_bytes) {
  std::string input;
  for (int i = 0; i < 20'000; ++i) {
    if (i % 97 == 5) input += "{\"broken\n";
    input += line("doc-" + std::to_string(i),
                  words(i % 7 == 0 ? i / 3 : i) + std::string(i % 5 == 0 ? 3 : 0, '.'));
  }
  ScanOptions options;
  options.threads = 1;
  const Scanned one = scan(options, input);
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_GT(one.verdicts.size(), 20'000U);
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    const Scanned many = scan(options, input);
    EXPECT_TRUE(many.out == one.out) << threads << " threads";
  }
}

TEST_F(Scan, a_last_line_without_its_end_counts_and_blank_lines_do_not) {
  std::string input = "\n" + line("a", words(1)) + " \t\r\n" + line("b", words(2));
  input.pop_back();
  const Scanned got = scan({}, input);
  EXPECT_THAT(ids(got.verdicts), ElementsAre("a", "b"));
  EXPECT_EQ(got.verdicts[0].source.offset, 1) << "the line's number, from 0, blank lines and all";
  EXPECT_EQ(got.verdicts[1].source.offset, 3);
}

TEST_F(Scan, no_input_is_no_failure) {
  const Scanned got = scan({});
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_EQ(got.out, "");
}

TEST_F(Scan, a_line_too_long_is_rejected_and_the_next_one_is_read) {
  Config config;
  config.input.document_bytes_max = 1024;
  const std::string fits = line("a", std::string(1024 - line("a", "").size() + 1, 'x'));
  ASSERT_EQ(fits.size(), 1025U) << "1024 bytes and the line's end";
  const Scanned got = scan({},
                           fits + line("b", std::string(1'000'000, 'x')) + line("c", words(1)) +
                               line("d", std::string(2000, 'x')) + line("e", words(2)),
                           config);
  ASSERT_THAT(got.verdicts, SizeIs(5));
  EXPECT_EQ(got.verdicts[0].verdict, Verdict::kUnique);
  EXPECT_EQ(got.verdicts[1].reason, RejectReason::kTooLarge);
  EXPECT_EQ(got.verdicts[2].id, "c");
  EXPECT_EQ(got.verdicts[3].reason, RejectReason::kTooLarge);
  EXPECT_EQ(got.verdicts[4].id, "e");
}

TEST_F(Scan, a_folder_is_read_in_the_byte_order_of_its_paths) {
  write("b.txt", words(1));
  write("a/z.html", "<p>" + words(2));
  write("a.txt", words(3));
  write("a-b/c.md", words(4));
  write("d.jsonl", line("from-lines", words(5)) + line("again", words(1)));
  write("image.png", "no text");
  std::filesystem::create_directory_symlink(folder_, folder_ / "loop");
  std::filesystem::create_symlink(folder_ / "b.txt", folder_ / "link.txt");
  ScanOptions options;
  options.paths = {folder_.string()};
  const Scanned got = scan(options);
  EXPECT_EQ(got.exit_code, 0);
  const std::string root = folder_.string();
  EXPECT_THAT(ids(got.verdicts), ElementsAre(root + "/a-b/c.md", root + "/a.txt", root + "/a/z.html",
                                             root + "/b.txt", "from-lines", "again"));
  EXPECT_EQ(got.verdicts[2].url, root + "/a/z.html");
  EXPECT_EQ(got.verdicts[2].source, (ParsedVerdict::Place{root, 0, 2}));
  EXPECT_EQ(got.verdicts[4].source, (ParsedVerdict::Place{root + "/d.jsonl", 0, 0}));
  EXPECT_EQ(got.verdicts[5].duplicate_of->id, root + "/b.txt");
  EXPECT_THAT(
      got.err,
      HasSubstr("neardup: left out 1 links and special files of folders, which are read if they are named; "
                "skipped 2 other files: below a folder a name must end in .html, "
                ".htm, .xhtml, .txt, .md, .jsonl, .ndjson, .json, .warc or .wet, "
                "packed (.gz, .zst) or not\n"));
  options.quiet = true;
  EXPECT_EQ(scan(options).err, "");
}

TEST_F(Scan, a_folder_of_which_nothing_is_read_is_no_success) {
  const std::string endings =
      "below a folder a name must end in .html, .htm, .xhtml, .txt, .md, .jsonl, .ndjson, .json, .warc or "
      ".wet, "
      "packed (.gz, .zst) or not\n";
  write("packed/a.jsonl.xz", "words");
  std::filesystem::create_directory(folder_ / "empty");
  for (const auto& [name, what] : {std::pair("packed", "skipped 1 other files, "), {"empty", ""}}) {
    const std::string path = (folder_ / name).string();
    const Scanned quiet = scan({.paths = {path}, .quiet = true});
    EXPECT_EQ(quiet.exit_code, 65) << name;
    EXPECT_EQ(quiet.err, "neardup: nothing to read: " + (what + endings));
    EXPECT_THAT(scan({.paths = {path}}).err, StartsWith(quiet.err));
    EXPECT_EQ(scan({.paths = {path, "-"}}).exit_code, 0) << "of standard input nothing is nothing new";
  }
  EXPECT_EQ(scan({.paths = {(folder_ / "empty").string(), (folder_ / "missing").string()}}).exit_code, 74);
}

TEST_F(Scan, an_html_page_and_its_text_are_the_same_document) {
  ScanOptions options;
  options.paths = {write("a.txt", words(1)),
                   write("b.HTML", "<html><body><p>" + words(1) + "</p></body></html>")};
  const Scanned got = scan(options);
  ASSERT_THAT(got.verdicts, SizeIs(2));
  EXPECT_EQ(got.verdicts[1].duplicate_of->id, options.paths[0]);
}

TEST_F(Scan, a_warc_holds_the_pages_that_a_crawler_fetched) {
  const std::string words =
      "the old bridge over the river opens on Monday after years of work, said the mayor";
  const std::string head = "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: ";
  const std::string html = "text/html\r\nContent-Encoding: gzip\r\n\r\n" + gzip_of("<p>" + words + "</p>");
  const std::string warc = gzip_of(warc_record("warcinfo", "", "words")) +
                           gzip_of(warc_record("response", "http://a/b.html", head + html)) +
                           gzip_of(warc_record("conversion", "http://c/d.html", words)) +
                           gzip_of(warc_record("response", "http://e/", head + "image/png\r\n\r\nwords"));
  const Scanned got = scan({.paths = {write("crawl.warc.gz", warc)}});
  EXPECT_EQ(got.exit_code, 0);
  ASSERT_THAT(ids(got.verdicts), ElementsAre("http://a/b.html", "http://c/d.html", "http://e/"));
  EXPECT_EQ(got.verdicts[0].url, "http://a/b.html");
  EXPECT_EQ(got.verdicts[0].source.offset, 1);
  ASSERT_TRUE(got.verdicts[1].duplicate_of);
  EXPECT_EQ(got.verdicts[1].duplicate_of->id, "http://a/b.html");
  EXPECT_EQ(got.verdicts[2].reason, RejectReason::kNotText);
  EXPECT_THAT(got.err, HasSubstr("neardup: passed over 1 WARC records that hold no page\n"));
}

TEST_F(Scan, a_line_that_nothing_names_is_called_by_its_place) {
  const std::string text = R"("text":"the bridge over the old river opens on Monday")";
  const std::string crawl = write(
      "crawl.jsonl", "{" + text + "}\n\n{" + text + "}\nbroken\n" + R"({"url":"http://a/",)" + text + "}\n");
  const Scanned got = scan({.paths = {crawl}});
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_THAT(ids(got.verdicts), ElementsAre(crawl + ":1", crawl + ":3", crawl + ":4", "http://a/"));
  EXPECT_EQ(got.verdicts[1].duplicate_of->id, crawl + ":1");
  EXPECT_EQ(got.verdicts[2].reason, RejectReason::kNotJson);

  Config raw;
  raw.input.preset = "raw";
  const Scanned lines = scan({}, "call now to claim your prize\nCall now to claim your prize!\n", raw);
  EXPECT_THAT(ids(lines.verdicts), ElementsAre("stdin:1", "stdin:2"));
  EXPECT_EQ(lines.verdicts[1].kind, DuplicateKind::kExact);
}

TEST_F(Scan, prints_the_documents_that_have_a_verdict_as_they_came) {
  const std::string unique = line("a", words(1)) + line("c", words(2));
  const std::string input = line("a", words(1)) + line("b", words(1)) + "broken\n" + line("c", words(2));
  EXPECT_EQ(printed(Verdict::kUnique, {"-"}, input), unique);
  EXPECT_EQ(printed(Verdict::kDuplicate, {"-"}, input), line("b", words(1)));
  EXPECT_EQ(printed(Verdict::kUnique, {write("a.jsonl.gz", gzip_of(input))}), unique);

  const std::string array =
      "[{\"id\":\"a\",\r\n\"text\":\"" + words(1) + "\"},\n{\"id\":\"b\",\n\n\"text\":\"" + words(1) + "\"}]";
  EXPECT_EQ(printed(Verdict::kUnique, {"-"}, array), "{\"id\":\"a\",\r \"text\":\"" + words(1) + "\"}\n")
      << "on one line";
  EXPECT_EQ(printed(Verdict::kDuplicate, {"-"}, array), "{\"id\":\"b\",  \"text\":\"" + words(1) + "\"}\n");
}

TEST_F(Scan, prints_records_of_a_warc_as_such_and_pages_by_their_paths) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
  const std::string first = warc_record("response", "http://a/", head + words(1));
  const std::string copy = warc_record("response", "http://b/", head + words(1));
  const std::string last = warc_record("conversion", "http://c/", words(2));
  const std::string crawl = warc_record("warcinfo", "", "words") + first + copy + last;
  const std::string kept = printed(Verdict::kUnique, {write("crawl.warc.gz", gzip_of(crawl))});
  EXPECT_EQ(kept, first + last);
  EXPECT_EQ(printed(Verdict::kUnique, {write("kept.warc", kept)}), kept) << "it is read again";

  write("site/a.html", "<p>" + words(1));
  write("site/b.txt", words(1));
  write("site/c.txt", words(2));
  const std::string site = (folder_ / "site").string();
  EXPECT_EQ(printed(Verdict::kUnique, {site}), site + "/a.html\n" + site + "/c.txt\n");
  EXPECT_EQ(printed(Verdict::kDuplicate, {site}), site + "/b.txt\n");
}

TEST_F(Scan, a_page_too_large_is_rejected_by_its_name) {
  Config config;
  config.input.document_bytes_max = 1024;
  ScanOptions options;
  options.paths = {write("a.txt", std::string(1025, 'x')), write("b.txt", std::string(1024, 'x'))};
  const Scanned got = scan(options, "", config);
  ASSERT_THAT(got.verdicts, SizeIs(2));
  EXPECT_EQ(got.verdicts[0].reason, RejectReason::kTooLarge);
  EXPECT_EQ(got.verdicts[0].id, options.paths[0]);
  EXPECT_EQ(got.verdicts[1].verdict, Verdict::kUnique);
}

TEST_F(Scan, a_file_of_any_name_is_lines_when_it_is_named) {
  ScanOptions options;
  options.paths = {write("crawl.out", line("a", words(1))), "-"};
  const Scanned got = scan(options, line("b", words(1)));
  ASSERT_THAT(got.verdicts, SizeIs(2));
  EXPECT_EQ(got.verdicts[1].duplicate_of->source, (ParsedVerdict::Place{options.paths[0], 0, 0}));
}

TEST_F(Scan, many_small_pages_and_lines_cross_the_bounds_of_batches) {
  std::string input;
  for (int i = 0; i < 10'000; ++i) input += "{\"id\":" + std::to_string(i) + ",\"text\":\"t\"}\n";
  const Scanned got = scan({}, input);
  ASSERT_THAT(got.verdicts, SizeIs(10'000));
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(got.verdicts[static_cast<std::size_t>(i)].id, std::to_string(i));
    ASSERT_EQ(got.verdicts[static_cast<std::size_t>(i)].source.offset, i);
  }
}

TEST_F(Scan, a_missing_file_is_named_and_the_others_are_read) {
  ScanOptions options;
  options.paths = {(folder_ / "missing.jsonl").string(), write("a.jsonl", line("a", words(1)))};
  const Scanned got = scan(options);
  EXPECT_EQ(got.exit_code, 74);
  EXPECT_THAT(ids(got.verdicts), ElementsAre("a"));
  EXPECT_THAT(got.err, HasSubstr("missing.jsonl: No such file or directory"));
}

TEST_F(Scan, the_exit_code_tells_rejects_apart) {
  const std::string good = line("a", words(1));
  ScanOptions strict;
  strict.strict = true;
  EXPECT_EQ(scan({}, good + "broken\n").exit_code, 0);
  EXPECT_EQ(scan(strict, good + "broken\n").exit_code, 65);
  EXPECT_EQ(scan(strict, good).exit_code, 0);
  const Scanned nothing = scan({}, "{\n{}\n}\n");
  EXPECT_EQ(nothing.exit_code, 65);
  EXPECT_THAT(nothing.err,
              HasSubstr("neardup: not one document was found (rejected: not_json 2, missing_text 1); "
                        "lines must hold one JSON object each, with its text where input.fields "));
}

TEST_F(Scan, the_advice_is_about_the_commonest_reason) {
  Config config;
  config.input.id_from = {"field", "url"};
  const Scanned unnamed = scan({}, "{\"text\":\"words\"}\n{\"text\":\"more\"}\nbroken\n", config);
  EXPECT_EQ(unnamed.exit_code, 65);
  EXPECT_THAT(unnamed.err,
              AllOf(HasSubstr("not one document was found (rejected: not_json 1, missing_id 2); nothing of "
                              "what input.id_from lists was there: "),
                    HasSubstr("with key in the list, a line of a file is called FILE:NUMBER"),
                    Not(HasSubstr("with its text where"))));
  const std::string dots = "{\"id\":\"a\",\"text\":\"...\"}\n";
  EXPECT_THAT(scan({}, dots).err,
              HasSubstr("their texts have no letter and no digit; input.fields says where a text is"));
  config = {};
  config.fingerprint.stop_words_file = write("stop", "the\n");
  const std::string nothing_left = "{\"id\":\"a\",\"text\":\"The the\"}\n";
  EXPECT_THAT(scan({}, nothing_left, config).err,
              HasSubstr("no letter and no digit, or nothing that counts with fingerprint.stop_words_file; "
                        "input.fields says"));
  config.fingerprint.idf_file = write("idf", "a\t0\nloaf\t1\n");
  EXPECT_THAT(scan({}, nothing_left, config).err,
              HasSubstr("nothing that counts with fingerprint.stop_words_file and fingerprint.idf_file; "));
  config.fingerprint.stop_words_file.clear();
  EXPECT_THAT(scan({}, "{\"id\":\"a\",\"text\":\"A\"}\n", config).err,
              HasSubstr("nothing that counts with fingerprint.idf_file; "));
}

TEST_F(Scan, lines_of_an_idf_file_that_are_no_feature_are_told_unless_quiet) {
  Config config;
  config.fingerprint.idf_file = write("idf", "loaf\t2\nnew york\t5\n,\t1\n");
  const std::string told =
      "neardup: fingerprint.idf_file: " + config.fingerprint.idf_file + ": 2 lines are left aside; ";
  EXPECT_THAT(scan({}, line("a", words(1)), config).err, StartsWith(told));
  ScanOptions quiet;
  quiet.quiet = true;
  EXPECT_THAT(scan(quiet, line("a", words(1)), config).err, IsEmpty());
  config.fingerprint.idf_file = write("idf", "loaf\t2\n");
  EXPECT_THAT(scan({}, line("a", words(1)), config).err, Not(HasSubstr("idf_file")));
}

TEST_F(Scan, sums_up_unless_quiet) {
  const std::string input = line("a", words(1)) + line("b", words(1)) + "broken\n" + line("c", words(2));
  const Scanned loud = scan({}, input);
  EXPECT_THAT(loud.err, HasSubstr("documents             4\n"));
  EXPECT_THAT(loud.err, HasSubstr("unique                2   50.0 %\n"));
  EXPECT_THAT(loud.err, HasSubstr("duplicate             1   25.0 %  exact 1, near 0, short 0\n"));
  EXPECT_THAT(loud.err, HasSubstr("rejected              1   25.0 %  not_json 1\n"));
  EXPECT_THAT(loud.err, Not(HasSubstr("all text")));
  const Scanned bare = scan({}, input + R"({"id":"d","html":"<title>No body of text</title>"})" + "\n");
  EXPECT_THAT(bare.err, HasSubstr("all text              1   20.0 %  pages without a main text"));
  EXPECT_THAT(loud.err, HasSubstr("clusters              1  the largest has 2 documents\n"));
  EXPECT_THAT(loud.err, HasSubstr("bytes per unique document"));
  ScanOptions quiet;
  quiet.quiet = true;
  EXPECT_THAT(scan(quiet, input).err, IsEmpty());
}

TEST_F(Scan, a_reader_that_has_gone_is_told_by_the_exit_code_alone) {
  const Ran ran =
      with_reader_gone(line("a", words(1)), [](const Streams& streams) { return run_scan({}, {}, streams); });
  EXPECT_EQ(ran.exit_code, 74);
  EXPECT_EQ(ran.err, "");
}

TEST_F(Scan, an_output_that_cannot_be_written_ends_the_scan) {
  const Streams streams{open("/dev/null", O_RDONLY), open("/dev/full", O_WRONLY),
                        open("/dev/null", O_WRONLY)};
  ScanOptions options;
  options.paths = {write("a.jsonl", line("a", words(1)))};
  EXPECT_EQ(run_scan(options, {}, streams), 74);
  for (const int fd : {streams.in, streams.out, streams.err}) close(fd);
}

// The shell makes it before we begin, and it is not empty any more when its turn comes: each line read there
// was one line more.
TEST_F(Scan, a_folder_that_holds_the_output_has_an_end) {
  constexpr int kDocuments = 3000;
  std::string lines;
  for (int i = 0; i < kDocuments; ++i) lines += line(std::to_string(i), words(i));
  write("a.jsonl", lines);
  const std::string verdicts = write("z.jsonl", "");
  ScanOptions options;
  options.paths = {folder_.string()};
  const Ran got = with_streams("", [&](const Streams& streams) {
    const int out = open(verdicts.c_str(), O_WRONLY | O_APPEND);
    const int exit_code = run_scan(options, {}, {streams.in, out, streams.err});
    close(out);
    return exit_code;
  });
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_THAT(got.err, HasSubstr(verdicts + ": it is the output too, so it is not read"));
  const std::string written = read(verdicts);
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), kDocuments);
}

// A scan in a thread of its own, its ends in our hands.
class Piped {
 public:
  Piped() {
    EXPECT_EQ(pipe(in_), 0);
    EXPECT_EQ(pipe(out_), 0);
    EXPECT_EQ(pipe(err_), 0);
    thread_ = std::thread([this] { exit_code_ = run_scan({}, {}, {in_[0], out_[1], err_[1]}); });
  }
  ~Piped() {
    for (const int fd : {in_[0], in_[1], out_[0], out_[1], err_[0], err_[1]}) {
      if (fd >= 0) close(fd);
    }
  }

  void send(const std::string& bytes) {
    EXPECT_EQ(::write(in_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  std::string receive_line() {
    std::string got;
    for (char c = 0; c != '\n' && ::read(out_[0], &c, 1) == 1;) got.push_back(c);
    return got;
  }
  void close_output() { close(std::exchange(out_[0], -1)); }
  void end_input() { close(std::exchange(in_[1], -1)); }
  int wait() {
    thread_.join();
    return exit_code_;
  }
  std::string messages() {
    close(std::exchange(err_[1], -1));
    std::string got;
    for (char c = 0; ::read(err_[0], &c, 1) == 1;) got.push_back(c);
    return got;
  }

 private:
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
  int err_[2] = {-1, -1};
  int exit_code_ = -1;
  std::thread thread_;
};

TEST_F(Scan, each_line_is_answered_while_the_writer_waits) {
  Piped piped;
  for (int i = 0; i < 3; ++i) {
    piped.send(line(std::to_string(i), words(i)) + R"({"id":"half of the)");
    EXPECT_THAT(piped.receive_line(), HasSubstr("\"seq\":" + std::to_string(i)));
    piped.send(" next\"}\n");
    EXPECT_THAT(piped.receive_line(), HasSubstr("missing_text"));
  }
  piped.end_input();
  EXPECT_EQ(piped.wait(), 0);
}

TEST_F(Scan, an_interrupt_ends_it_well_with_a_summary) {
  Piped piped;
  piped.send(line("a", words(1)));
  EXPECT_THAT(piped.receive_line(), HasSubstr("unique"));
  EXPECT_EQ(kill(getpid(), SIGINT), 0);
  EXPECT_EQ(piped.wait(), 130);
  EXPECT_THAT(piped.messages(), HasSubstr("interrupted"));
}

TEST_F(Scan, a_supervisor_ends_it_well_too) {
  Piped piped;
  piped.send(line("a", words(1)));
  EXPECT_THAT(piped.receive_line(), HasSubstr("unique"));
  EXPECT_EQ(kill(getpid(), SIGTERM), 0);
  EXPECT_EQ(piped.wait(), 143);
  EXPECT_THAT(piped.messages(), HasSubstr("interrupted"));
}

TEST_F(Scan, a_reader_that_leaves_ends_it_quietly) {
  Piped piped;
  piped.send(line("a", words(1)));
  EXPECT_THAT(piped.receive_line(), HasSubstr("unique"));
  piped.close_output();
  piped.send(line("b", words(2)));
  EXPECT_EQ(piped.wait(), 74);
  EXPECT_EQ(piped.messages(), "");
}

TEST_F(Scan, where_uniques_are_named_changes_no_verdict) {
  std::string input;
  for (int i = 0; i < 300; ++i) input += line(std::to_string(i), words(i % 200));
  Config config;
  config.index.directory = folder_.string();
  EXPECT_EQ(scan({}, input, config).out, scan({}, input).out);
  config.index.directory = (folder_ / "missing").string();
  const Scanned refused = scan({}, input, config);
  EXPECT_EQ(refused.exit_code, 74);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("index.directory: "));
}

// ---- An index that outlives the scan ----

std::string lines(int first, int end, const std::string& prefix = "") {
  std::string all;
  for (int i = first; i < end; ++i) all += line(prefix + std::to_string(i), words(i));
  return all;
}

struct GoldenStream {
  Config config;
  std::string input;
  std::vector<std::optional<std::pair<std::string, int>>> duplicates;  // of whom, and how alike in permille
};

class MgramScan : public Scan {
 protected:
  // The streams of tests/golden/mgram_verdicts.jsonl, with the settings that ask for them.
  std::vector<GoldenStream> streams() {
    std::vector<GoldenStream> all;
    std::ifstream file(NEARDUP_SOURCE_DIR "/tests/golden/mgram_verdicts.jsonl");
    for (std::string text; std::getline(file, text);) {
      const auto golden = nlohmann::json::parse(text);
      GoldenStream& made = all.emplace_back();
      DetectorConfig& detector = made.config.detector;
      detector.mode = "mgram";
      detector.gram_size = golden["m"];
      detector.gram_units = golden["over"];
      detector.measure = golden["measure"];
      detector.threshold = {golden["threshold"]};
      std::string stop_words;
      for (const std::string word : golden["stop_words"]) stop_words += word + '\n';
      if (!stop_words.empty()) {
        made.config.fingerprint.stop_words_file = write("stop" + std::to_string(all.size()), stop_words);
      }
      std::vector<std::string> uniques;
      for (const auto& document : golden["stream"]) {
        const std::string id = std::to_string(made.duplicates.size());
        made.input += line(id, document["text"]);
        const auto& duplicate = document["duplicate"];
        if (duplicate.is_null()) {
          uniques.push_back(id);
          made.duplicates.emplace_back();
        } else {
          made.duplicates.emplace_back(
              std::pair(uniques[duplicate[0].get<std::size_t>()], duplicate[1].get<int>()));
        }
      }
    }
    return all;
  }
};

TEST_F(MgramScan, says_what_the_definition_says_whatever_the_threads) {
  int exact = 0;
  int short_text = 0;
  for (const GoldenStream& golden : streams()) {
    ScanOptions options{.threads = 1};
    const Scanned got = scan(options, golden.input, golden.config);
    EXPECT_EQ(got.exit_code, 0) << got.err;
    ASSERT_THAT(got.verdicts, SizeIs(golden.duplicates.size()));
    for (std::size_t i = 0; i < got.verdicts.size(); ++i) {
      const ParsedVerdict& verdict = got.verdicts[i];
      ASSERT_EQ(verdict.verdict == Verdict::kDuplicate, golden.duplicates[i].has_value()) << i;
      if (!golden.duplicates[i]) continue;
      EXPECT_EQ(verdict.duplicate_of->id, golden.duplicates[i]->first);
      EXPECT_EQ(verdict.similarity_permille, golden.duplicates[i]->second);
      ++(verdict.kind == DuplicateKind::kExact ? exact : short_text);
      EXPECT_NE(verdict.kind, DuplicateKind::kNear);
    }
    for (const int threads : {2, 3}) {
      options.threads = threads;
      EXPECT_TRUE(scan(options, golden.input, golden.config).out == got.out) << threads << " threads";
    }
  }
  EXPECT_GT(exact, 5);
  EXPECT_GT(short_text, 100);
}

TEST_F(MgramScan, goes_on_where_a_snapshot_ends_and_refuses_one_of_another_mode) {
  for (const GoldenStream& golden : streams()) {
    const Scanned whole = scan({}, golden.input, golden.config);
    const std::size_t middle = golden.input.find('\n', golden.input.size() / 2) + 1;
    const std::string index = (folder_ / "index").string();
    const Scanned first = scan({.snapshot = index}, golden.input.substr(0, middle), golden.config);
    const Scanned second = scan({.snapshot = index}, golden.input.substr(middle), golden.config);
    std::vector<ParsedVerdict> both = first.verdicts;
    both.insert(both.end(), second.verdicts.begin(), second.verdicts.end());
    ASSERT_EQ(both.size(), whole.verdicts.size());
    for (std::size_t i = 0; i < both.size(); ++i) {
      EXPECT_EQ(both[i].verdict, whole.verdicts[i].verdict) << i;
      EXPECT_EQ(both[i].similarity_permille, whole.verdicts[i].similarity_permille) << i;
      EXPECT_EQ(both[i].duplicate_of ? both[i].duplicate_of->id : "",
                whole.verdicts[i].duplicate_of ? whole.verdicts[i].duplicate_of->id : "")
          << i;
    }
    for (const char* mode : {"hybrid", "simhash"}) {
      Config other = golden.config;
      other.detector = {};
      other.detector.mode = mode;
      const Scanned refused = scan({.snapshot = index}, golden.input, other);
      EXPECT_NE(refused.exit_code, 0);
      EXPECT_THAT(refused.err, AllOf(HasSubstr("made with detector.mode=mgram"),
                                     HasSubstr(std::string("the configuration says detector.mode=") + mode),
                                     Not(HasSubstr("routes"))));
    }
    std::filesystem::remove_all(index);
  }
}

TEST_F(Scan, tells_what_mends_lines_of_text_and_what_nothing_mends) {
  EXPECT_THAT(scan({}, "id,text\n").err, HasSubstr("; --set input.preset=raw reads lines of plain text\n"));
  const std::string deep = R"({"id":"a","text":)" + std::string(300, '[') + std::string(300, ']') + "}\n";
  EXPECT_THAT(scan({}, deep).err,
              HasSubstr("(rejected: too_deep 1); objects and arrays may lie 256 deep in each other, and no "
                        "setting takes more\n"));
}

TEST_F(Scan, a_place_on_standard_input_is_another_one_in_each_scan_of_an_index) {
  const std::string index = (folder_ / "index").string();
  const auto unnamed = [](int seed) { return R"({"text":")" + words(seed) + "\"}\n"; };
  EXPECT_THAT(ids(scan({.snapshot = index}, unnamed(1)).verdicts), ElementsAre("stdin:1"));
  const Scanned second = scan({.snapshot = index}, unnamed(2) + unnamed(1));
  EXPECT_THAT(ids(second.verdicts), ElementsAre("stdin-2:1", "stdin-2:2"));
  EXPECT_EQ(second.verdicts[0].relation, Relation::kOther) << "no revision of another text";
  EXPECT_EQ(second.verdicts[1].duplicate_of->id, "stdin:1");
  EXPECT_EQ(second.verdicts[1].relation, Relation::kOther);
  const Scanned asked = scan({.against = index}, unnamed(1));
  EXPECT_THAT(ids(asked.verdicts), ElementsAre("stdin-3:1"));
  EXPECT_EQ(asked.verdicts[0].relation, Relation::kOther) << "no recrawl";
}

TEST_F(Scan, a_file_named_as_the_index_is_no_folder) {
  const std::string file = write("three.jsonl", line("a", words(1)));
  const Scanned asked = scan({.paths = {file}, .against = file});
  EXPECT_EQ(asked.exit_code, 74);
  EXPECT_EQ(asked.err, "neardup: " + file + ": Not a directory\n");
  for (const std::string& index : {file, file + "/index"}) {
    const Scanned made = scan({.paths = {file}, .snapshot = index});
    EXPECT_EQ(made.exit_code, 74);
    EXPECT_EQ(made.err, "neardup: snapshot: " + file + ": Not a directory\n");
  }
}

TEST_F(Scan, two_scans_with_a_snapshot_decide_as_one_scan_of_both_files) {
  const std::string monday = write("monday.jsonl", lines(0, 300) + lines(150, 250, "twice-") + "broken\n");
  const std::string tuesday = write("tuesday.jsonl", lines(200, 400, "again-"));
  const std::string index = (folder_ / "index").string();
  const Scanned at_once = scan({.paths = {monday, tuesday}});
  const Scanned first = scan({.paths = {monday}, .snapshot = index});
  const Scanned second = scan({.paths = {tuesday}, .snapshot = index});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_EQ(first.out + second.out, at_once.out);
  EXPECT_EQ(second.verdicts.front().cluster, (ParsedVerdict::Group{200, 3}));
  EXPECT_THAT(second.err, HasSubstr("clusters            150  the largest has 3 documents\n"));
}

// tests/golden/snapshot_v4 has the first 60, of the last program that wrote journal records of version 4.
TEST_F(Scan, goes_on_where_a_snapshot_of_an_older_journal_version_ends) {
  const std::filesystem::path golden = NEARDUP_SOURCE_DIR "/tests/golden";
  std::ifstream file(golden / "mutations" / "documents.jsonl", std::ios::binary);
  const std::string documents{std::istreambuf_iterator<char>(file), {}};
  std::size_t middle = 0;
  for (int i = 0; i < 60; ++i) middle = documents.find('\n', middle) + 1;
  const std::string before = documents.substr(0, middle);
  const std::string behind = documents.substr(middle);

  const std::string older = (folder_ / "older").string();
  std::filesystem::copy(golden / "snapshot_v4", older);
  const std::string ours = (folder_ / "ours").string();
  scan({.snapshot = ours}, before);
  for (const std::string& documents_again : {behind, before}) {
    const Scanned expected = scan({.snapshot = ours}, documents_again);
    const Scanned got = scan({.snapshot = older}, documents_again);
    EXPECT_EQ(got.exit_code, 0) << got.err;
    EXPECT_EQ(got.out, expected.out);
    EXPECT_THAT(got.verdicts, Not(IsEmpty()));
  }
}

TEST_F(Scan, tells_which_document_represents_those_that_say_the_same) {
  Config config;
  config.clusters.keep = "priority-source";
  config.clusters.priority_sources = {"x"};  // the host of all lines
  const std::string elsewhere = R"({"id":"a","url":"http://y/a","text":")" + words(1) + "\"}\n";
  const Scanned got = scan({}, elsewhere + line("b", words(1)) + line("c", words(1)), config);
  ASSERT_THAT(got.verdicts, SizeIs(3));
  EXPECT_EQ(got.verdicts[1].cluster, (ParsedVerdict::Group{0, 2}));
  EXPECT_EQ(got.verdicts[1].representative, got.verdicts[1].source) << "itself, from now on";
  EXPECT_EQ(got.verdicts[2].cluster, (ParsedVerdict::Group{0, 3}));
  EXPECT_EQ(got.verdicts[2].representative, got.verdicts[1].source) << "of equal ones the first";
  EXPECT_EQ(scan({}, elsewhere + line("b", words(1))).verdicts[1].representative, std::nullopt);
}

TEST_F(Scan, forgets_the_same_with_a_folder_and_without_and_in_its_next_run) {
  Config config;
  config.index.documents_max = 1000;
  const std::string monday = write("monday.jsonl", lines(0, 2 * 4096));
  // The first is forgotten, the last is not; then a run on what the folder remembers.
  const std::string tuesday = write("tuesday.jsonl", lines(0, 1, "again-") + lines(8190, 8192, "again-"));
  const std::string index = (folder_ / "index").string();
  const Scanned kept = scan({.paths = {monday, tuesday}}, "", config);
  ASSERT_THAT(kept.verdicts, SizeIs(2 * 4096 + 3));
  EXPECT_EQ(kept.verdicts[8192].verdict, Verdict::kUnique);
  EXPECT_EQ(kept.verdicts[8193].verdict, Verdict::kDuplicate);
  EXPECT_EQ(kept.verdicts[8194].duplicate_of->id, "8191");
  EXPECT_THAT(kept.err,
              AllOf(HasSubstr("forgotten          7192  uniques"),
                    HasSubstr("clusters              2  the largest has 2 documents, of uniques that "
                              "are remembered\n")));
  const Scanned first = scan({.paths = {monday}, .snapshot = index}, "", config);
  const Scanned second = scan({.paths = {tuesday}, .snapshot = index}, "", config);
  EXPECT_EQ(first.out + second.out, kept.out);
  const Scanned asked = scan({.paths = {tuesday}, .against = index});
  ASSERT_THAT(asked.verdicts, SizeIs(3));
  EXPECT_EQ(asked.verdicts[0].duplicate_of->id, "again-0");
}

// As a service does that reads a thin stream as it comes: not once 4096 documents are read.
TEST_F(Scan, forgets_within_a_256th_of_its_window) {
  const auto story = [](int hours, const std::string& id, int seed) {
    return R"({"id":")" + id + R"(","time":)" + std::to_string(1'700'000'000LL + 3600LL * hours) +
           R"(,"text":")" + words(seed) + "\"}\n";
  };
  std::string news = story(0, "first", 1000);
  for (int hour = 1; hour < 24; ++hour) news += story(hour, std::to_string(hour), hour);
  news += story(23, "in time", 1000) + story(25, "25", 25) + story(25, "too late", 1000) +
          story(26, "twice", 1000);
  for (const auto& [age_hours, documents_max] : {std::pair{24, 0}, std::pair{0, 24}}) {
    Config config;
    config.index.age_max_hours = age_hours;
    config.index.documents_max = documents_max;
    const Scanned got = scan({}, news, config);
    ASSERT_THAT(got.verdicts, SizeIs(28));
    EXPECT_EQ(got.verdicts[24].verdict, Verdict::kDuplicate) << "in time";
    EXPECT_EQ(got.verdicts[26].verdict, Verdict::kUnique) << "too late";
    ASSERT_EQ(got.verdicts[27].verdict, Verdict::kDuplicate);
    EXPECT_EQ(got.verdicts[27].duplicate_of->id, "too late");
    const std::string index = (folder_ / ("index" + std::to_string(age_hours))).string();
    EXPECT_EQ(scan({.snapshot = index}, news, config).out, got.out);
    EXPECT_EQ(scan({.paths = {}, .against = index}, story(0, "q", 1000)).verdicts[0].duplicate_of->id,
              "too late");
  }
}

// Dates alone, as an archive has them: no batch ends where a day does.
TEST_F(Scan, where_time_leaps_no_document_meets_one_that_is_too_old) {
  Config config;
  config.index.age_max_hours = 24;
  const auto day = [](const std::string& date) {
    std::string text;
    for (int seed = 0; seed < 40; ++seed)
      text += R"({"id":")" + date + "-" + std::to_string(seed) + R"(","time":")" + date + R"(","text":")" +
              words(seed) + "\"}\n";
    return text;
  };
  const std::string days = day("2024-01-01") + day("2024-02-01") + day("2024-03-01") + day("2024-03-01");
  const Scanned got = scan({}, days, config);
  ASSERT_THAT(got.verdicts, SizeIs(160));
  for (std::size_t i = 0; i < 160; ++i) {
    SCOPED_TRACE(got.verdicts[i].id);
    ASSERT_EQ(got.verdicts[i].verdict, i < 120 ? Verdict::kUnique : Verdict::kDuplicate);
    if (i >= 120) {
      EXPECT_EQ(got.verdicts[i].duplicate_of->id, "2024-03-01-" + std::to_string(i - 120));
    }
  }
  const std::string index = (folder_ / "index").string();
  EXPECT_EQ(scan({.snapshot = index}, days, config).out, got.out);
  const Scanned later = scan({.snapshot = index}, day("2024-03-01") + day("2024-03-02"), config);
  EXPECT_EQ(later.verdicts[0].verdict, Verdict::kDuplicate);
  EXPECT_EQ(later.verdicts[79].verdict, Verdict::kUnique);
}

// Of a file a document the names are most of each record, which may not end that early.
TEST_F(Scan, forgets_where_a_record_may_not_end) {
  Config config;
  config.index.age_max_hours = 24;
  std::vector<std::string> paths;
  for (int year = 1984; year < 2024; ++year) {
    const std::string name = std::string(200, 'n') + std::to_string(year);
    paths.push_back(write(name, R"({"id":")" + name + R"(","time":")" + std::to_string(year) +
                                    R"(-01-01","text":")" + words(1) + "\"}\n"));
  }
  const Scanned got = scan({.paths = paths}, "", config);
  ASSERT_THAT(got.verdicts, SizeIs(40));
  EXPECT_THAT(got.verdicts, testing::Each(testing::Field(&ParsedVerdict::verdict, Verdict::kUnique)));
  const std::string index = (folder_ / "index").string();
  EXPECT_EQ(scan({.paths = paths, .snapshot = index}, "", config).out, got.out);
  const Scanned again = scan({.paths = {paths.back()}, .snapshot = index}, "", config);
  ASSERT_THAT(again.verdicts, SizeIs(1));
  EXPECT_EQ(again.verdicts[0].duplicate_of->id, std::string(200, 'n') + "2023");
}

TEST_F(Scan, a_document_of_the_future_forgets_nobody) {
  Config config;
  config.index.age_max_hours = 876'000;
  const std::string index = (folder_ / "index").string();
  const auto at = [](const std::string& time, const std::string& id, int seed) {
    return R"({"id":")" + id + R"(","time":")" + time + R"(","text":")" + words(seed) + "\"}\n";
  };
  scan({.snapshot = index}, at("2026-01-01", "a", 1), config);
  scan({.snapshot = index}, at("2199-01-01", "broken clock", 2), config);
  const Scanned got = scan({.snapshot = index}, at("2026-01-02", "b", 1), config);
  ASSERT_THAT(got.verdicts, SizeIs(1));
  EXPECT_EQ(got.verdicts[0].verdict, Verdict::kDuplicate);
}

TEST_F(Scan, ends_where_the_memory_limit_asks_to_stop_and_keeps_what_it_has) {
  Config config;
  config.index.memory_limit = std::size_t{1} << 20;
  config.index.at_memory_limit = "stop";
  const std::string file = write("many.jsonl", lines(0, 20000));
  const std::string index = (folder_ / "index").string();
  const Scanned got = scan({.paths = {file}, .snapshot = index}, "", config);
  EXPECT_EQ(got.exit_code, 78);
  EXPECT_THAT(got.err, HasSubstr("bytes are taken, what follows was not read; allow more, or set "
                                 "index.at_memory_limit to evict-oldest\n"));
  ASSERT_GE(got.verdicts.size(), 4096U);
  EXPECT_LT(got.verdicts.size(), 20000U);
  const Scanned asked =
      scan({.paths = {}, .against = index}, lines(0, static_cast<int>(got.verdicts.size()), "q-"));
  EXPECT_THAT(asked.verdicts, testing::Each(testing::Field(&ParsedVerdict::verdict, Verdict::kDuplicate)));
}

// Nothing can be forgotten of what is that small.
TEST_F(Scan, ends_where_hardly_any_document_fits_under_the_memory_limit) {
  Config config;
  config.index.memory_limit = std::size_t{1} << 20;
  const Scanned got = scan({.paths = {write("many.jsonl", lines(0, 60000))}}, "", config);
  EXPECT_EQ(got.exit_code, 78);
  EXPECT_THAT(got.err,
              HasSubstr("bytes are taken and hardly any document would fit, what follows was not read; "
                        "allow more\n"));
}

TEST_F(Scan, a_question_is_answered_as_the_next_document_would_be_and_leaves_no_trace) {
  const std::string index = (folder_ / "index").string();
  scan({.paths = {write("known.jsonl", lines(0, 300))}, .snapshot = index});
  const std::string segment = read(folder_ / "index" / "segment-00000000000000000000");
  std::string near_text;
  for (int seed = 0; seed < 20; ++seed) near_text += words(seed);
  scan({.paths = {write("long.jsonl", line("long", near_text))}, .snapshot = index});
  const std::string before = read(folder_ / "index" / "segment-00000000000000000000");
  EXPECT_GT(before.size(), segment.size());

  const std::vector<std::string> questions = {line("same", words(7)), line("new", words(900)),
                                              line("new-too", words(900)), line("near", near_text + " more"),
                                              "broken\n"};
  std::string all;
  for (const std::string& question : questions) all += question;
  const Scanned asked = scan({.paths = {write("questions.jsonl", all)}, .against = index});
  EXPECT_EQ(asked.exit_code, 0);
  ASSERT_THAT(asked.verdicts, SizeIs(5));
  EXPECT_EQ(asked.verdicts[0].duplicate_of->id, "7");
  EXPECT_EQ(asked.verdicts[0].duplicate_of->source,
            (ParsedVerdict::Place{(folder_ / "known.jsonl").string(), 0, 7}));
  EXPECT_EQ(asked.verdicts[1].verdict, Verdict::kUnique);
  EXPECT_EQ(asked.verdicts[2].verdict, Verdict::kUnique) << "a question is not remembered";
  EXPECT_EQ(asked.verdicts[3].kind, DuplicateKind::kNear);
  EXPECT_EQ(asked.verdicts[4].reason, RejectReason::kNotJson);
  EXPECT_EQ(read(folder_ / "index" / "segment-00000000000000000000"), before);

  // Each alone, remembered by an index that is thrown away: the online answer.
  for (std::size_t i = 0; i < questions.size(); ++i) {
    std::filesystem::copy(index, folder_ / "copy", std::filesystem::copy_options::recursive);
    const Scanned online =
        scan({.paths = {write("question.jsonl", questions[i])}, .snapshot = (folder_ / "copy").string()});
    std::filesystem::remove_all(folder_ / "copy");
    ASSERT_THAT(online.verdicts, SizeIs(1));
    EXPECT_EQ(online.verdicts[0].verdict, asked.verdicts[i].verdict);
    EXPECT_EQ(online.verdicts[0].seq, asked.verdicts[i].seq);
    EXPECT_EQ(online.verdicts[0].distance, asked.verdicts[i].distance);
    EXPECT_EQ(online.verdicts[0].cluster, asked.verdicts[i].cluster);
    ASSERT_EQ(online.verdicts[0].duplicate_of.has_value(), asked.verdicts[i].duplicate_of.has_value());
    if (online.verdicts[0].duplicate_of) {
      EXPECT_EQ(online.verdicts[0].duplicate_of->id, asked.verdicts[i].duplicate_of->id);
    }
  }
}

TEST_F(Scan, an_index_has_the_same_bytes_whatever_the_threads_and_the_pace_of_the_input) {
  const std::string file = write("many.jsonl", lines(0, 5000));
  scan({.paths = {file}, .quiet = true, .threads = 1, .snapshot = (folder_ / "one").string()});
  scan({.paths = {file}, .quiet = true, .threads = 3, .snapshot = (folder_ / "three").string()});
  const std::string one = read(folder_ / "one" / "segment-00000000000000000000");
  EXPECT_GT(one.size(), 100000U);
  EXPECT_EQ(one, read(folder_ / "three" / "segment-00000000000000000000"));

  // The same lines from standard input, at once and in drips.
  const auto from_pipe = [&](const std::string& name, std::size_t piece) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    std::thread writer([&] {
      const std::string all = read(file);
      for (std::size_t at = 0; at < all.size(); at += piece) {
        const std::string_view part = std::string_view(all).substr(at, piece);
        EXPECT_EQ(::write(ends[1], part.data(), part.size()), static_cast<ssize_t>(part.size()));
        if (piece < all.size()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      close(ends[1]);
    });
    const Ran ran = with_streams("", [&](const Streams& streams) {
      return run_scan({.quiet = true, .snapshot = (folder_ / name).string()}, {},
                      {ends[0], streams.out, streams.err});
    });
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    writer.join();
    close(ends[0]);
    return read(folder_ / name / "segment-00000000000000000000");
  };
  const std::string whole = from_pipe("whole", std::size_t{1} << 30);
  EXPECT_GT(whole.size(), 100000U);
  EXPECT_EQ(whole, from_pipe("drips", 40007));
}

TEST_F(Scan, a_damaged_index_is_refused_and_left_as_it_is) {
  const std::string index = (folder_ / "index").string();
  scan({.paths = {write("known.jsonl", lines(0, 50))}, .snapshot = index});
  std::string bytes = read(folder_ / "index" / "segment-00000000000000000000");
  bytes[bytes.size() / 2] ^= 1;
  write("index/segment-00000000000000000000", bytes);
  for (const ScanOptions& options :
       {ScanOptions{.paths = {}, .snapshot = index}, ScanOptions{.paths = {}, .against = index}}) {
    const Scanned got = scan(options, lines(0, 3));
    EXPECT_EQ(got.exit_code, 65);
    EXPECT_EQ(got.out, "");
    EXPECT_THAT(got.err, HasSubstr("the index is damaged"));
    EXPECT_EQ(read(folder_ / "index" / "segment-00000000000000000000"), bytes);
  }
}

// The first record of the index is written by then, and the verdicts of half the second are read.
TEST_F(Scan, an_output_that_ends_leaves_the_index_as_it_was) {
  const std::string file = write("many.jsonl", lines(50, 2 * 4096));
  for (const bool begun : {true, false}) {
    SCOPED_TRACE(begun);
    const std::string index = (folder_ / (begun ? "begun" : "new")).string();
    if (begun) scan({.paths = {write("known.jsonl", lines(0, 50))}, .snapshot = index});
    std::map<std::string, std::string> before;
    if (begun) before = files_in(index);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::thread reader([&] {
      std::string some(1 << 16, '\0');
      for (std::ptrdiff_t verdicts = 0; verdicts < 6000;) {
        const ssize_t got = ::read(ends[0], some.data(), some.size());
        if (got <= 0) break;
        verdicts += std::count(some.begin(), some.begin() + got, '\n');
      }
      close(ends[0]);
    });
    const Ran cut = with_streams("", [&](const Streams& streams) {
      return run_scan({.paths = {file}, .quiet = true, .snapshot = index}, {},
                      {streams.in, ends[1], streams.err});
    });
    close(ends[1]);
    reader.join();
    EXPECT_EQ(cut.exit_code, 74) << cut.err;
    if (begun) {
      EXPECT_TRUE(files_in(index) == before);
    }
    const Scanned again = scan({.paths = {file}, .snapshot = index});
    EXPECT_EQ(again.exit_code, 0) << again.err;
    ASSERT_THAT(again.verdicts, SizeIs(2 * 4096 - 50));
    EXPECT_THAT(again.verdicts, testing::Each(testing::Field(&ParsedVerdict::verdict, Verdict::kUnique)));
  }
}

// The first record of it is written by then, the second finds no room.
TEST_F(Scan, an_index_that_cannot_be_written_is_as_it_was) {
  const std::string index = (folder_ / "index").string();
  scan({.paths = {write("known.jsonl", lines(0, 50))}, .snapshot = index});
  const auto before = files_in(index);
  const std::string file = write("many.jsonl", lines(50, 3 * 4096));
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const Scanned whole = scan({.paths = {file}, .snapshot = (folder_ / "whole").string()});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const std::size_t room = read(folder_ / "whole" / "segment-00000000000000000000").size() / 2;
  const rlimit full = {room, usual.rlim_max};
  const Ran cut = with_streams("", [&](const Streams& streams) {
    const int nowhere = open("/dev/null", O_WRONLY);  // which has no end, unlike a file
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
    const int code =
        run_scan({.paths = {file}, .quiet = true, .snapshot = index}, {}, {streams.in, nowhere, streams.err});
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &usual), 0);
    close(nowhere);
    return code;
  });
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(cut.exit_code, 74);
  EXPECT_THAT(cut.err, HasSubstr("File too large"));
  EXPECT_TRUE(files_in(index) == before);
}

// It is written beside who asks, or was when it died.
TEST_F(Scan, who_asks_an_index_knows_what_it_promises_and_no_more) {
  const std::string index = (folder_ / "index").string();
  const std::string manifest = "manifest-00000000000000000002";
  scan({.paths = {write("known.jsonl", lines(0, 50))}, .snapshot = index});
  const std::string promised = read(folder_ / "index" / manifest);
  scan({.paths = {write("new.jsonl", lines(50, 100))}, .snapshot = index});
  for (const auto& [name, bytes] : files_in(index)) {
    if (name.starts_with("manifest-")) std::filesystem::remove(folder_ / "index" / name);
  }
  write("index/" + manifest, promised);
  const Scanned asked = scan({.paths = {}, .against = index}, lines(0, 100));
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  ASSERT_THAT(asked.verdicts, SizeIs(100));
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(asked.verdicts[i].verdict, i < 50 ? Verdict::kDuplicate : Verdict::kUnique) << i;
}

// It has no journal elsewhere to be made from again.
TEST_F(Scan, an_index_of_other_settings_or_of_another_version_is_not_to_be_removed) {
  const std::string index = (folder_ / "index").string();
  scan({.paths = {write("known.jsonl", lines(0, 50))}, .snapshot = index});
  Config other;
  other.fingerprint.features = "ngrams";
  const auto expect_refused = [&](const Config& config, const std::string& why) {
    for (const ScanOptions& options :
         {ScanOptions{.paths = {}, .snapshot = index}, ScanOptions{.paths = {}, .against = index}}) {
      const Scanned got = scan(options, lines(0, 3), config);
      EXPECT_EQ(got.exit_code, 65);
      EXPECT_EQ(got.out, "");
      EXPECT_THAT(got.err,
                  AllOf(HasSubstr(why), HasSubstr("Use what it was made with, or name another folder\n"),
                        Not(HasSubstr("Remove the folder")), Not(HasSubstr("begin anew"))));
    }
  };
  expect_refused(other,
                 "made with fingerprint.features=words, but the configuration says fingerprint.features=");

  const std::string newest = "manifest-00000000000000000002";
  std::string bytes = read(folder_ / "index" / newest);
  ASSERT_GT(bytes.size(), 6U);
  bytes[4] = 99;
  bytes.resize(bytes.size() - 4);
  const std::uint32_t checksum = crc32c(bytes);
  ByteWriter(bytes).u32(checksum);
  write("index/" + newest, bytes);
  expect_refused({}, newest + ": format version 99, this program reads");
}

TEST_F(Scan, an_index_that_another_process_writes_to_is_refused) {
  const std::string index = (folder_ / "index").string();
  scan({.paths = {write("known.jsonl", lines(0, 50))}, .snapshot = index});
  const auto held = JournalStore::open(index, "");
  ASSERT_TRUE(held.ok()) << held.error().message;
  const Scanned got = scan({.paths = {}, .snapshot = index}, lines(0, 3));
  EXPECT_EQ(got.exit_code, 69);
  EXPECT_EQ(got.out, "");
  EXPECT_THAT(got.err, HasSubstr("another process writes to this folder"));
  EXPECT_EQ(scan({.paths = {}, .against = index}, lines(0, 3)).exit_code, 0) << "who asks only reads";
  EXPECT_THAT(std::string(kScanHelp),
              AllOf(HasSubstr("the index is damaged"), HasSubstr("69 another process")));
}

TEST_F(Scan, an_index_that_lost_its_manifests_is_refused_and_left_as_it_is) {
  const std::string index = (folder_ / "index").string();
  scan({.paths = {write("known.jsonl", lines(0, 50))}, .snapshot = index});
  for (const char* manifest : {"manifest-00000000000000000001", "manifest-00000000000000000002"})
    std::filesystem::remove(folder_ / "index" / manifest);
  const std::string bytes = read(folder_ / "index" / "segment-00000000000000000000");
  const Scanned got = scan({.paths = {}, .snapshot = index}, lines(0, 3));
  EXPECT_EQ(got.exit_code, 65);
  EXPECT_EQ(got.out, "");
  EXPECT_THAT(got.err, HasSubstr("holds records, and there is no manifest that names it"));
  EXPECT_TRUE(read(folder_ / "index" / "segment-00000000000000000000") == bytes);
}

TEST_F(Scan, a_scan_that_died_before_its_first_record_does_not_stop_the_next) {
  const std::string bytes(30, 'x');  // not even a header
  write("index/segment-00000000000000000000", bytes);
  const Scanned got = scan({.paths = {}, .snapshot = (folder_ / "index").string()}, lines(0, 3));
  EXPECT_EQ(got.exit_code, 0) << got.err;
}

TEST_F(Scan, asking_a_folder_without_an_index_is_an_error) {
  std::filesystem::create_directories(folder_ / "empty");
  const Scanned got = scan({.paths = {}, .against = (folder_ / "empty").string()}, lines(0, 1));
  EXPECT_EQ(got.exit_code, 74);
  EXPECT_THAT(got.err, HasSubstr("there is no snapshot in it"));
}

}  // namespace
}  // namespace neardup
