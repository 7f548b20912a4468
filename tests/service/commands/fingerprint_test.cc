#include "service/commands/fingerprint.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/fingerprint/shingle_signer.h"
#include "core/fingerprint/signer.h"
#include "service/commands/cli.h"
#include "service/commands/document_reader.h"
#include "service/commands/scan.h"
#include "tests/service/commands/command_test.h"

namespace neardup {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;

std::vector<std::string> lines_of(const Ran& ran) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < ran.out.size();) {
    const std::size_t end = ran.out.find('\n', begin);
    all.push_back(ran.out.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

class FingerprintCommand : public CommandTest {
 protected:
  Ran run(const FingerprintCommandOptions& options, const std::string& input = "",
          const Config& config = {}) {
    return with_streams(input,
                        [&](const Streams& streams) { return run_fingerprint(options, config, streams); });
  }

  Ran print(std::vector<std::string> paths, const std::string& input = "") {
    return run({.paths = std::move(paths)}, input);
  }

  Ran distance(const std::string& a, const std::string& b, const std::string& input = "") {
    return run({.paths = {a, b}, .distance = true}, input);
  }
};

std::string hex(std::uint64_t bits) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(bits));
  return text.data();
}

std::string hex_of(std::string_view text) {
  Document document;
  document.body = text;
  Signature signature;
  EXPECT_EQ(Signer().sign(document, signature), std::nullopt);
  return hex(signature.fingerprint.bits);
}

std::string sketch_of(std::string_view canonical) {
  ShingleSignature<kStandardSketchBytes> signature;
  ShingleSigner<kStandardSketchBytes>().sign_characters(canonical, signature);
  std::string text;
  for (const std::uint8_t byte : signature.sketch.bits) text += hex(byte).substr(14);
  for (const std::uint16_t number : {signature.sketch.sampled, signature.sketch.level}) {
    text += hex(number).substr(14) + hex(number).substr(12, 2);
  }
  return text;
}

TEST_F(FingerprintCommand, a_line_has_simhash_counts_scripts_and_id) {
  const Ran ran = print({write("a.txt", "Hello world"), write("b.html", "<p>東京タワー abc 2021</p>")});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, hex_of("hello world") +
                         "         2 tokens         2 features  latin 100 %               " +
                         (folder_ / "a.txt").string() + "\n" + hex_of("東京タワー abc 2021") +
                         "         7 tokens        11 features  latin 38 %, kana 38 %, han 25 %  " +
                         (folder_ / "b.html").string() + "\n");
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST_F(FingerprintCommand, records_are_read_as_scan_reads_them) {
  const std::string input =
      "{\"id\":\"a\",\"text\":\"Hello world\"}\n\n{\"id\":7,\"html\":\"<b>Hello</b> world\"}\n";
  for (const std::vector<std::string>& paths :
       {std::vector<std::string>{}, {"-"}, {write("crawl.jsonl", input)}, {write("crawl.out", input)}}) {
    const Ran ran = print(paths, input);
    EXPECT_EQ(ran.exit_code, 0);
    ASSERT_THAT(lines_of(ran), SizeIs(2));
    EXPECT_THAT(lines_of(ran)[0], MatchesRegex(hex_of("hello world") + " .* a"));
    EXPECT_THAT(lines_of(ran)[1], MatchesRegex(hex_of("hello world") + " .* 7"));
  }
}

TEST_F(FingerprintCommand, prints_the_signatures_that_scan_publishes) {
  std::string input;
  for (int i = 0; i < 9000; ++i) {
    input += R"({"id":")" + std::to_string(i) + R"(","text":"document number )" + std::to_string(i * i) +
             " of many\"}\n";
  }
  Config config;
  config.fingerprint.features = "shingles";
  config.fingerprint.shingle_size = 2;
  config.fingerprint.stop_words_file = write("stop", "of\n");
  const Ran printed = run({.paths = {}, .json = true}, input, config);
  const Ran scanned = with_streams(input, [&](const Streams& streams) {
    ScanOptions options;
    options.quiet = true;
    return run_scan(options, config, streams);
  });
  const std::vector<std::string> rows = lines_of(printed);
  const std::vector<std::string> verdicts = lines_of(scanned);
  ASSERT_THAT(rows, SizeIs(9000));
  ASSERT_THAT(verdicts, SizeIs(9000));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json row = Json::parse(rows[i]);
    const Json verdict = Json::parse(verdicts[i]);
    ASSERT_EQ(row["id"], verdict["id"]);
    ASSERT_EQ(row["simhash"], verdict["signature"]);
  }
}

TEST_F(FingerprintCommand, json_has_a_field_for_everything) {
  const Ran ran = run({.paths = {}, .json = true}, "{\"id\":\"a\",\"text\":\"Hello 東京\"}\n");
  const Digest128 exact = digest128("hello 東京");
  EXPECT_EQ(ran.out, "{\"id\":\"a\",\"simhash\":\"" + hex_of("hello 東京") + "\",\"exact\":\"" +
                         hex(exact.high) + hex(exact.low) +
                         "\",\"tokens\":3,\"features\":4,\"fell_back\":false,\"shingles\":{\"kind\":"
                         "\"characters\",\"count\":4,\"sketch\":\"" +
                         sketch_of("hello 東京") +
                         "\"},\"scripts\":{\"latin\":0.714,\"han\":0.286},\"source\":{\"topic\":"
                         "\"stdin\",\"offset\":0}}\n");
}

TEST_F(FingerprintCommand, json_says_that_a_page_had_no_main_text) {
  const std::string html = R"({"id":"a","html":"<select><option>Only this</select>"})";
  const Ran ran = run({.paths = {}, .json = true}, html + "\n");
  EXPECT_THAT(ran.out, HasSubstr("\"tokens\":2,\"features\":2,\"fell_back\":true"));
}

TEST_F(FingerprintCommand, features_are_what_is_counted_with_the_options) {
  const auto features = [&](const std::string& text, const Config& config) {
    const Ran ran = run({.paths = {}, .json = true}, "{\"text\":\"" + text + "\"}\n", config);
    return ran.exit_code == 0 ? Json::parse(ran.out)["features"].get<int>() : -1;
  };
  Config config;
  EXPECT_EQ(features("new york city", config), 3);
  EXPECT_EQ(features("東京タワー", config), 9) << "five tokens and the four pairs of them";
  config.fingerprint.stop_words_file = write("stop", "new york\n");
  EXPECT_EQ(features("new york city", config), 1);
  config.fingerprint.features = "ngrams";
  EXPECT_EQ(features("new york city of a name", config), 11);
  config.fingerprint.stop_words_file.clear();
  EXPECT_EQ(features("new york city", config), 10);
  config.fingerprint = {};
  config.fingerprint.kind = "minhash";
  EXPECT_EQ(features("new york city", config), 3);
}

TEST_F(FingerprintCommand, a_minhash_is_named_so_and_has_a_similarity_of_its_own) {
  Config config;
  config.fingerprint.kind = "minhash";
  EXPECT_THAT(run({.paths = {}, .json = true}, "{\"id\":\"a\",\"text\":\"hello world\"}\n", config).out,
              MatchesRegex("\\{\"id\":\"a\",\"minhash\":\"[0-9a-f]{16}\",.*\n"));
  EXPECT_EQ(run({.paths = {"0000000000000000", "00000000000000ff"}, .distance = true}, "", config).out,
            "distance 8  similarity 0.750\n");
}

TEST_F(FingerprintCommand, a_sketch_ends_with_sampled_and_level_the_lower_byte_first) {
  std::string text;  // of more shingles than are sampled: the level is not 0
  for (int i = 0; i < 1400; ++i) text += "word" + std::to_string(i) + ' ';
  const Ran ran = run({.paths = {}, .json = true}, "{\"id\":\"a\",\"text\":\"" + text + "\"}\n");
  ShingleSignature<kStandardSketchBytes> signature;
  TokenStream tokens;
  CanonicalText canonical;
  canonicalize(text, canonical);
  ShingleSigner<kStandardSketchBytes>().sign(canonical, tokens, signature);
  const StandardSketch& sketch = signature.sketch;
  ASSERT_GT(sketch.sampled, 0xFF);
  ASSERT_GT(sketch.level, 0);
  const auto byte = [](int value) { return hex(static_cast<std::uint64_t>(value)).substr(14); };
  EXPECT_THAT(ran.out, HasSubstr(byte(sketch.bits[91]) + byte(sketch.sampled & 0xFF) +
                                 byte(sketch.sampled >> 8) + byte(sketch.level) + "00\""));
}

TEST_F(FingerprintCommand, a_rejected_document_is_named_with_its_reason) {
  const std::string input = "not json\n{\"id\":\"a\",\"text\":\"...\"}\n{\"id\":\"b\",\"text\":\"words\"}\n";
  const Ran ran = print({}, input);
  EXPECT_EQ(ran.exit_code, 0);
  ASSERT_THAT(lines_of(ran), SizeIs(3));
  EXPECT_EQ(lines_of(ran)[0],
            "----------------  rejected: not_json                                           stdin:1");
  EXPECT_EQ(lines_of(ran)[1],
            "----------------  rejected: no_tokens                                          a");
  const Ran json = run({.paths = {}, .json = true}, input);
  EXPECT_EQ(lines_of(json)[0],
            R"({"id":"stdin:1","reason":"not_json","source":{"topic":"stdin","offset":0}})");
  EXPECT_EQ(lines_of(json)[1], R"({"id":"a","reason":"no_tokens","source":{"topic":"stdin","offset":1}})");

  const Ran nothing = print({}, "not json\n");
  EXPECT_EQ(nothing.exit_code, 65);
  EXPECT_THAT(nothing.err, HasSubstr("not one document was found (rejected: not_json 1); lines must hold one "
                                     "JSON object each"));
  const Ran unnamed = print({}, "{\"text\":\"words\"}\n");
  EXPECT_EQ(unnamed.exit_code, 0);
  EXPECT_THAT(unnamed.out, HasSubstr("  stdin:1\n"));
  EXPECT_EQ(print({}, "").exit_code, 0) << "no input is no failure";
}

TEST_F(FingerprintCommand, a_digest_alone_has_the_signature_of_its_verdicts) {
  Config config;
  config.input.preset = "heritrix";
  const std::string input = R"({"url":"http://a/","content_digest":"sha1:AAAA"})"
                            "\nnot json\n";
  const Ran scanned = with_streams(input, [&](const Streams& streams) {
    ScanOptions options;
    options.quiet = true;
    return run_scan(options, config, streams);
  });
  const std::string signature = Json::parse(scanned.out.substr(0, scanned.out.find('\n')))["signature"];
  for (const bool html : {false, true}) {
    const Ran ran = run({.paths = {}, .html = html}, input, config);
    EXPECT_EQ(ran.exit_code, 0);
    ASSERT_THAT(lines_of(ran), SizeIs(2));
    EXPECT_EQ(lines_of(ran)[0],
              signature + "  digest alone: sha1:AAAA                                      http://a/");
  }
  const std::vector<std::string> json = lines_of(run({.paths = {}, .json = true}, input, config));
  EXPECT_THAT(json[0], MatchesRegex("\\{\"id\":\"http://a/\",\"simhash\":\"" + signature + "\",\"exact\":\"" +
                                    signature + "[0-9a-f]{16}\",\"digest\":\"sha1:AAAA\",\"source\".*"));
  EXPECT_EQ(json[1], R"({"reason":"not_json","source":{"topic":"stdin","offset":1}})");
  const Ran none = run({.paths = {"-", "0000000000000000"}, .distance = true},
                       R"({"url":"http://a/","content_digest":"sha1:AAAA"})", config);
  EXPECT_EQ(none.exit_code, 65);
  EXPECT_EQ(
      none.err,
      "neardup: - holds a digest in place of a text: it has no distance; `neardup explain` tells whether "
      "another is equal\n");
}

TEST_F(FingerprintCommand, html_reads_text_as_html) {
  const std::string page = write("page.txt", "<p>Hello <i>world");
  EXPECT_THAT(print({page}).out, StartsWith(hex_of("p hello i world")));
  EXPECT_THAT(run({.paths = {page}, .html = true}).out, StartsWith(hex_of("hello world")));
}

TEST_F(FingerprintCommand, whole_takes_a_file_of_any_name_and_standard_input_as_one_document) {
  const std::string text = "Hello\n\n{world}\n";
  for (const std::string name : {"README.rst", "page", "p.asp", "a.json"}) {
    const std::string path = write(name, text);
    const Ran ran = run({.paths = {path}, .whole = true});
    EXPECT_EQ(ran.exit_code, 0);
    ASSERT_THAT(lines_of(ran), SizeIs(1));
    EXPECT_THAT(ran.out, MatchesRegex(hex_of("hello world") + " .* " + path + "\n"));
    EXPECT_EQ(run({.paths = {path, hex_of("hello world")}, .distance = true, .whole = true}).out,
              "distance 0  similarity 1.000\n");
  }
  const std::string page = "\n\nHello <i>world</i> &amp; all\n";
  for (const std::vector<std::string>& paths : {std::vector<std::string>{}, {"-"}}) {
    const Ran ran = run({.paths = paths, .whole = true, .html = true}, page);
    EXPECT_EQ(ran.exit_code, 0);
    ASSERT_THAT(lines_of(ran), SizeIs(1));
    EXPECT_THAT(ran.out, MatchesRegex(hex_of("hello world all") + " .* stdin\n"));
  }
  EXPECT_THAT(run({.paths = {}, .whole = true, .json = true}, text).out,
              StartsWith("{\"id\":\"stdin\",\"simhash\":"));
}

TEST_F(FingerprintCommand, whole_documents_have_the_bound_of_all) {
  Config config;
  config.input.document_bytes_max = 10;
  const Ran ran = run({.paths = {"-", write("page", "0123456789")}, .whole = true}, "0123456789\n", config);
  EXPECT_EQ(ran.exit_code, 0);
  ASSERT_THAT(lines_of(ran), SizeIs(2));
  EXPECT_THAT(lines_of(ran)[0], HasSubstr("rejected: too_large "));
  EXPECT_THAT(lines_of(ran)[1], StartsWith(hex_of("0123456789")));
}

TEST_F(FingerprintCommand, who_has_files_that_hold_no_lines_is_told_of_whole) {
  const std::string hint = "; with --whole each file, or standard input, is one document\n";
  const std::string page = write("README.rst", "Title\n=====\n");
  const Ran ran = print({page});
  EXPECT_EQ(ran.exit_code, 65);
  EXPECT_THAT(ran.err, EndsWith(hint));
  EXPECT_THAT(distance(page, hex(0)).err, EndsWith("--distance compares one with one" + hint));
  EXPECT_THAT(distance(write("page", "Title"), hex(0)).err, EndsWith("rejected as not_json" + hint));
  EXPECT_THAT(print({}, "not json\n{}\n").err, Not(HasSubstr("--whole"))) << "some are JSON";
  EXPECT_THAT(run({.paths = {write("dots", "...")}, .whole = true}).err, Not(HasSubstr("--whole")));
}

TEST_F(FingerprintCommand, control_characters_of_an_id_do_not_reach_the_terminal) {
  const Ran ran = print({}, "{\"id\":\"a\\u001b[31m\\n\",\"text\":\"words\"}\n");
  ASSERT_THAT(lines_of(ran), SizeIs(1));
  EXPECT_THAT(lines_of(ran)[0], HasSubstr("  a?[31m?"));
}

TEST(Harmless, no_control_is_left_to_a_terminal) {
  EXPECT_EQ(harmless("a\x1B[31m\n\x7F"), "a?[31m??");
  EXPECT_EQ(harmless("\xC2\x80 \xC2\x9B"
                     "2J \xC2\x9F"),
            "? ?2J ?");
  EXPECT_EQ(harmless("\x9B"
                     "2J caf\xE9 \xE6\x96"),
            "?2J caf? ?")
      << "not UTF-8";
  EXPECT_EQ(harmless("caf\xC3\xA9 \xC2\xA0 \xE6\x96\x87 \xF0\x9F\x98\x80"),
            "caf\xC3\xA9 \xC2\xA0 \xE6\x96\x87 \xF0\x9F\x98\x80");
}

TEST_F(FingerprintCommand, files_of_a_folder_that_were_not_read_are_told) {
  const std::string endings =
      "below a folder a name must end in .html, .htm, .xhtml, .txt, .md, .jsonl, .ndjson, .json, .warc or "
      ".wet, "
      "packed (.gz, .zst) or not\n";
  write("packed/a.jsonl.xz", "words");
  const Ran none = print({(folder_ / "packed").string()});
  EXPECT_EQ(none.exit_code, 65);
  EXPECT_THAT(none.out, IsEmpty());
  EXPECT_EQ(none.err, "neardup: nothing to read: skipped 1 other files, " + endings);
  write("packed/b.pdf", "words");
  write("packed/c.txt", "Hello world");
  const Ran some = print({(folder_ / "packed").string()});
  EXPECT_EQ(some.exit_code, 0);
  EXPECT_THAT(lines_of(some), SizeIs(1));
  EXPECT_EQ(some.err, "neardup: skipped 2 other files: " + endings);
  EXPECT_THAT(print({(folder_ / "packed" / "c.txt").string()}).err, IsEmpty());
}

TEST_F(FingerprintCommand, an_unreadable_file_is_named_and_the_others_are_printed) {
  const Ran ran = print({(folder_ / "missing.html").string(), write("a.txt", "Hello world")});
  EXPECT_EQ(ran.exit_code, 66);
  EXPECT_THAT(lines_of(ran), SizeIs(1));
  EXPECT_EQ(ran.err, "neardup: " + (folder_ / "missing.html").string() + ": No such file or directory\n");
}

TEST_F(FingerprintCommand, a_reader_that_has_gone_is_told_by_the_exit_code_alone) {
  const Ran ran = with_reader_gone("{\"id\":\"a\",\"text\":\"words\"}\n",
                                   [](const Streams& streams) { return run_fingerprint({}, {}, streams); });
  EXPECT_EQ(ran.exit_code, 74);
  EXPECT_EQ(ran.err, "");
}

TEST_F(FingerprintCommand, an_output_that_cannot_be_written_ends_it) {
  const Streams streams{open("/dev/null", O_RDONLY), open("/dev/full", O_WRONLY),
                        open("/dev/null", O_WRONLY)};
  EXPECT_EQ(run_fingerprint({.paths = {write("a.txt", "Hello")}}, {}, streams), 74);
  for (const int fd : {streams.in, streams.out, streams.err}) close(fd);
}

TEST_F(FingerprintCommand, the_distance_of_fingerprints_needs_no_file) {
  EXPECT_EQ(distance("9f0c5e2d7b41a860", "9f0c5e2d7b41a860").out, "distance 0  similarity 1.000\n");
  EXPECT_EQ(distance("9f0c5e2d7b41a860", "9F0C5E2D7B41A863").out, "distance 2  similarity 0.995\n");
  EXPECT_EQ(distance("0000000000000000", "ffffffffffffffff").out, "distance 64  similarity -1.000\n");
  const Ran json = run({.paths = {"0000000000000000", "0000000000000007"}, .distance = true, .json = true});
  EXPECT_EQ(
      json.out,
      "{\"distance\":3,\"similarity\":0.989,\"simhash\":[\"0000000000000000\",\"0000000000000007\"]}\n");
}

TEST_F(FingerprintCommand, the_distance_of_sources_is_that_of_their_fingerprints) {
  const std::string a = write("a.html", "<p>the old bridge opens on Monday");
  const std::string b = write("b.txt", "The old bridge opens on Tuesday");
  const Ran ran = distance(a, b);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(
      ran.out,
      distance(hex_of("the old bridge opens on Monday"), hex_of("the old bridge opens on tuesday")).out);
  EXPECT_EQ(distance(a, "-", "{\"id\":\"x\",\"text\":\"The old bridge opens, on MONDAY\"}\n").out,
            "distance 0  similarity 1.000\n");
  EXPECT_EQ(distance(a, hex_of("the old bridge opens on monday")).out, "distance 0  similarity 1.000\n");
}

TEST_F(FingerprintCommand, a_source_of_no_or_many_documents_has_no_distance) {
  const std::string one = write("one.txt", "words");
  const std::string two = write("two.jsonl", "{\"id\":1,\"text\":\"a\"}\n{\"id\":2,\"text\":\"b\"}\n");
  const std::string none = write("none.jsonl", "\n");
  EXPECT_EQ(distance(one, two).exit_code, 65);
  EXPECT_EQ(distance(one, two).err,
            "neardup: " + two + " holds more than one document; --distance compares one with one\n");
  EXPECT_THAT(distance(none, one).err, HasSubstr("none.jsonl holds no document"));
  EXPECT_THAT(distance(write("dots.txt", "..."), one).err, HasSubstr("rejected as no_tokens"));
  const Ran missing = distance(one, (folder_ / "9f0c").string());
  EXPECT_EQ(missing.exit_code, 66);
  EXPECT_EQ(missing.out, "");
}

TEST_F(FingerprintCommand, a_wrong_file_of_words_is_a_wrong_configuration) {
  Config config;
  config.fingerprint.idf_file = write("idf", "loaf\n");
  EXPECT_EQ(run({.paths = {write("a.txt", "words")}}, "", config).exit_code, 78);
}

TEST_F(FingerprintCommand, lines_of_an_idf_file_that_are_no_feature_are_told_once) {
  Config config;
  config.fingerprint.idf_file = write("idf", "words\t2\nnew york\t5\n,\t1\n");
  const Ran ran = run({.paths = {write("a.txt", "words"), write("b.txt", "words")}}, "", config);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err, "neardup: fingerprint.idf_file: " + config.fingerprint.idf_file +
                         ": 2 lines are left aside; what weighs is one word, a character of those without "
                         "spaces, or two of them\n");
}

TEST(Cli, distance_takes_two) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"neardup", "fingerprint", "--distance"},
        {"neardup", "fingerprint", "--distance", "a"},
        {"neardup", "fingerprint", "a", "b", "c", "--distance"}}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_cli(static_cast<int>(words.size()), words.data()), 64);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("--distance compares two"));
  }
}

}  // namespace
}  // namespace neardup
