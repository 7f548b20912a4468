#include "service/commands/explain.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "service/commands/cli.h"
#include "service/commands/scan.h"
#include "tests/service/commands/command_test.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

const std::string kNotice =
    "Wesvil Inc sets quarterly. Qtly div 40 cts vs 43 cts prior. Pay May 17. Record June 13.";
const std::string kOtherNotice =
    "Lelen Inc sets quarterly. Qtly div 12 cts vs 10 cts prior. Pay May 4. Record June 2.";

std::string line(const std::string& id, const std::string& text) {
  return Json{{"id", id}, {"text", text}}.dump() + '\n';
}

// A page of so many sentences of ten words, each word once; in every `every`-th sentence two are others.
std::string page(int sentences, int every = 0) {
  std::string text;
  for (int i = 1; i <= sentences; ++i) {
    for (int word = 0; word < 10; ++word) {
      const bool other = every > 0 && i % every == 0 && (word == 4 || word == 5);
      text += (other ? "other" : "word") + std::to_string(10 * i + word) + (word < 9 ? " " : ". ");
    }
  }
  return text;
}

// Another letter in three words, far from each other.
std::string with_letters_changed(std::string text) {
  for (const std::size_t from : {30, 120, 210}) text[text.find("word", from)] = 'l';
  return text;
}

class ExplainCommand : public CommandTest {
 protected:
  Ran explain_two(const std::string& a, const std::string& b, const Config& config = {}, bool json = false) {
    return with_streams(line("a", a) + line("b", b), [&](const Streams& streams) {
      return run_explain({.paths = {"-"}, .json = json}, config, streams);
    });
  }

  Json json_of(const std::string& a, const std::string& b, const Config& config = {}) {
    const Ran ran = explain_two(a, b, config, true);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return Json::parse(ran.out);
  }

  Ran explain_paths(std::vector<std::string> paths) {
    return with_streams(
        "", [&](const Streams& streams) { return run_explain({.paths = std::move(paths)}, {}, streams); });
  }
};

TEST_F(ExplainCommand, a_notice_filled_in_twice_is_told_from_an_edited_one) {
  const Ran twice = explain_two(kNotice, kOtherNotice);
  EXPECT_EQ(twice.exit_code, 0);
  EXPECT_THAT(twice.err, IsEmpty());
  EXPECT_THAT(twice.out,
              AllOf(HasSubstr("  asks as          short\n"), HasSubstr("CJK share 0.000"),
                    HasSubstr("13 edits in 83 characters, at most 16: similarity 0.843, exactly\n"),
                    HasSubstr("4 numbers and 1 other tokens of 18 and 18: another filling\n"),
                    HasSubstr("\nB is unique beside A.\nThe same form filled in twice: 4 numbers and 1 other "
                              "tokens of 18 are replaced, more than detector.token_threshold allows.\n")));

  const Ran edited = explain_two(kNotice, kNotice + " Shares rose.");
  EXPECT_THAT(edited.out, HasSubstr("\nB is a duplicate of A, kind short, similarity 0.873.\nBoth are short, "
                                    "and 12 edits in 95 characters are within the 19 that are allowed.\n"));
}

TEST_F(ExplainCommand, the_setting_that_refused_is_named) {
  EXPECT_THAT(
      explain_two(kNotice,
                  "Wesvil Inc sets quarterly. Qtly div 41 cts vs 44 cts prior. Pay May 17. "
                  "Record June 13.")
          .out,
      HasSubstr("2 numbers and 0 other tokens of 18 are replaced, more than detector.number_threshold "
                "allows."));
  EXPECT_THAT(explain_two("The third session was held today, see tv.example.com/videl8zp5xfwrianbnrput8s",
                          "The third session was held today, see tv.example.com/videxms1blcwlkannriputds")
                  .out,
              HasSubstr("1 numbers and 0 other tokens (codes of 24 in 76 characters) of 11 are replaced, "
                        "more than detector.token_threshold allows."));
  Config config;
  config.detector.token_threshold = {0};
  config.detector.number_threshold = {0};
  EXPECT_EQ(json_of(kNotice, kOtherNotice, config)["reason"], "short_alike");
  config.detector.threshold = {900};
  EXPECT_THAT(explain_two(kNotice, kOtherNotice, config).out,
              HasSubstr("13 edits in 83 characters are more than the 8 that detector.threshold allows."));
}

TEST_F(ExplainCommand, numbers_that_changed_places_are_replaced) {
  const Json found =
      json_of("The council voted on it: yes 12, no 31", "The council voted on it: yes 31, no 12");
  EXPECT_EQ(found["reason"], "tokens_replaced");
  EXPECT_EQ(found["short"]["replaced_by_place"], 2);
}

TEST_F(ExplainCommand, misspelt_words_are_counted_beside_those_replaced) {
  const std::string british = "The organisation apologised for the colour of the programme and the centre";
  const std::string american = "The organization apologized for the color of the program and the center";
  EXPECT_THAT(explain_two(british, american).out,
              HasSubstr("0 numbers and 1 other tokens of 12 and 12, and 4 misspelt: within the limits\n"));
  const Json found = json_of(british, american);
  EXPECT_EQ(found["reason"], "short_alike");
  EXPECT_EQ(found["short"]["misspelt"], 4);
  EXPECT_EQ(found["short"]["replaced_others"], 1);
}

TEST_F(ExplainCommand, pages_have_the_exact_similarity_beside_the_estimate) {
  const Json same = json_of(page(60), page(60, 20));
  EXPECT_EQ(same["verdict"], "duplicate");
  EXPECT_EQ(same["kind"], "near");
  EXPECT_EQ(same["reason"], "page_alike");
  ASSERT_EQ(same["pages"].size(), 1U);
  const Json& words = same["pages"][0];
  EXPECT_EQ(words["kind"], "words");
  EXPECT_EQ(words["shingles"][0], 60 * 10 - 2);
  EXPECT_EQ(words["common"], 60 * 10 - 2 - 3 * 4) << "two words in a row are in four shingles";
  const double exact = 586. / 610;
  EXPECT_NEAR(words["similarity"].get<double>(), exact, .001);
  EXPECT_NEAR(words["estimate"].get<double>(), exact, .05);
  EXPECT_EQ(words["estimate"], same["similarity"]);
  EXPECT_GT(words["bands"]["same"].size(), 0U);
  EXPECT_FALSE(same.contains("short"));

  const Json other = json_of(page(60), page(60, 2));
  EXPECT_EQ(other["verdict"], "unique");
  EXPECT_EQ(other["reason"], "sketches_differ");
  EXPECT_EQ(other["because"].get<std::string>().substr(0, 40), "Their sketches estimate a similarity of ");
}

TEST_F(ExplainCommand, a_text_a_little_above_the_boundary_asks_as_both) {
  // 279 units: of 38 shingles 9 have a word that changed by one letter.
  const std::string text = page(4);
  const std::string copy = with_letters_changed(text);
  const Json both = json_of(text, copy);
  EXPECT_EQ(both["documents"][1]["asks_as"], "short and page");
  EXPECT_EQ(both["verdict"], "duplicate");
  EXPECT_EQ(both["kind"], "short");
  EXPECT_EQ(both["reason"], "short_alike");
  EXPECT_EQ(both["short"]["edits"], 3);
  EXPECT_LT(both["pages"][0]["similarity"], .8);
  EXPECT_TRUE(both["pages"][0]["asked"]);
  EXPECT_EQ(json_of(text, page(4, 1))["reason"], "sketches_differ") << "a page first of all";
}

TEST_F(ExplainCommand, says_what_scan_says) {
  const std::vector<std::string> texts = {
      kNotice,
      kOtherNotice,
      page(60),
      page(60, 20),
      page(60),
      page(60, 2),
      "春节快乐",
      "春节快乐！",
      page(4),
      with_letters_changed(page(4)),
      "The organisation apologised for the colour of the programme and the centre",
      "The organization apologized for the color of the program and the center"};
  for (std::size_t i = 0; i < texts.size(); i += 2) {
    const std::string input = line("a", texts[i]) + line("b", texts[i + 1]);
    const Ran scanned = with_streams(input, [&](const Streams& streams) {
      ScanOptions options;
      options.quiet = true;
      return run_scan(options, {}, streams);
    });
    const Json verdict = Json::parse(scanned.out.substr(scanned.out.find('\n') + 1));
    const Json explained = json_of(texts[i], texts[i + 1]);
    EXPECT_EQ(explained["verdict"], verdict["verdict"]);
    EXPECT_EQ(explained.value("kind", ""), verdict.value("kind", ""));
    EXPECT_EQ(explained.value("similarity", 0.), verdict.value("similarity", 0.));
  }
}

// Words and characters of such a page are both asked by, and estimate differently.
TEST_F(ExplainCommand, says_one_similarity_of_pages_that_are_alike_by_both_kinds_of_shingle) {
  const std::string chinese = "天气怎么样啊我们去公园玩吧春节联欢晚会今天开始 ";
  Config config;
  config.detector.threshold = {500};
  const Json found = json_of(chinese + page(30), chinese + page(30, 3), config);
  ASSERT_EQ(found["verdict"], "duplicate") << found;
  ASSERT_EQ(found["pages"].size(), 2U);
  ASSERT_NE(found["pages"][0]["estimate"], found["pages"][1]["estimate"]);
  EXPECT_THAT(found["because"].get<std::string>(),
              HasSubstr("of " + fmt::format("{:.3f}", found["similarity"].get<double>()) + ","));
}

TEST_F(ExplainCommand, mode_simhash_is_explained_by_its_bits) {
  Config config;
  config.detector.mode = "simhash";
  const Json far = json_of(page(60), page(60, 2), config);
  EXPECT_EQ(far["reason"], "fingerprints_far");
  EXPECT_EQ(far["documents"][0]["asks_as"], "fingerprint");
  EXPECT_EQ(far["distance_max"], 3);
  EXPECT_EQ(json_of(page(60), page(60), config)["reason"], "same_text");
}

TEST_F(ExplainCommand, mode_mgram_is_explained_by_its_measure_and_runs) {
  Config config;
  config.detector.mode = "mgram";
  const Ran alike = explain_two(kNotice, kNotice + " Shares rose.", config);
  EXPECT_EQ(alike.exit_code, 0) << alike.err;
  EXPECT_THAT(alike.out,
              AllOf(HasSubstr("  asks as          m-grams\n"), HasSubstr("m = 4 characters: "),
                    HasSubstr("  edit             12 edits in 95 units: similarity 0.873, exactly\n"),
                    HasSubstr("  asked            edit of 0.800\n"),
                    HasSubstr("\nB is a duplicate of A, kind short, similarity 0.873.\nThey share ")));
  config.detector.measure = "jaccard";
  config.detector.threshold = {900};
  const Json differ = json_of(kNotice, kNotice + " Shares rose.", config);
  EXPECT_EQ(differ["reason"], "mgrams_differ");
  EXPECT_EQ(differ["mgrams"]["edit"], .873);
  EXPECT_LT(differ["mgrams"]["jaccard"], .9);
  EXPECT_EQ(differ["mgrams"]["measure"], "jaccard");

  // Every fifth character another one: alike by .8, and no run of five.
  config.detector = {};
  config.detector.mode = "mgram";
  config.detector.gram_size = 5;
  const Ran missed = explain_two("abcdefghijklmnopqrst", "abcdXfghiXklmnXpqrsX", config);
  EXPECT_THAT(missed.out,
              HasSubstr("\nB is unique beside A.\nThey are alike, but share no run of 5 units by "
                        "which B would meet A: a miss; a smaller detector.gram_size misses less.\n"));
}

// As `scan` decides them.
TEST_F(ExplainCommand, of_digests_it_tells_whether_they_are_equal) {
  const std::string a = R"({"url":"http://a/","content_digest":"sha1:AAAA"})"
                        "\n";
  const std::string b = R"({"url":"http://b/","content_digest":"sha1:BBBB"})"
                        "\n";
  for (const char* mode : {"hybrid", "simhash", "mgram"}) {
    Config config;
    config.input.preset = "heritrix";
    config.detector.mode = mode;
    const auto explained = [&](const std::string& input, bool json, bool html = false) {
      return with_streams(input, [&](const Streams& streams) {
        return run_explain({.paths = {"-"}, .html = html, .json = json}, config, streams);
      });
    };
    EXPECT_EQ(
        explained(a + b, false).out,
        "A                  http://a/\n  digest           sha1:AAAA\n"
        "B                  http://b/\n  digest           sha1:BBBB\n\n"
        "exact digest       different\n\nB is unique beside A.\n"
        "Of a digest in place of a text it can be told whether another one is equal, and nothing else.\n")
        << mode;
    EXPECT_THAT(explained(a + a, false, true).out,
                HasSubstr("exact digest       equal\n\nB is a duplicate of A, kind exact, similarity 1.000.\n"
                          "Both have the same digest of their producer's.\n"));
    const Json json = Json::parse(explained(a + b, true).out);
    EXPECT_EQ(json["reason"], "no_text");
    EXPECT_EQ(json["verdict"], "unique");
    EXPECT_EQ(json["documents"][1]["digest"], "sha1:BBBB");
    EXPECT_FALSE(json.contains("distance"));
  }
  Config config;
  config.input.fields.digest = {"/sha1"};
  const Ran mixed =
      with_streams(R"({"id":"a","sha1":"words"})"
                   "\n" +
                       line("b", "words"),
                   [&](const Streams& streams) { return run_explain({.paths = {"-"}}, config, streams); });
  EXPECT_THAT(mixed.out, AllOf(HasSubstr("  digest           words\n"), HasSubstr("5 bytes, 1 tokens"),
                               HasSubstr("B is unique beside A.\nOf a digest in place of a text")));
}

TEST_F(ExplainCommand, a_page_without_a_main_text_says_so) {
  const std::string a = write("a.html", "<p>" + page(20));
  const std::string b = write("b.html", "<select><option>Only this</select>");
  const std::string said = "  main text        none that could be told: this is all of the page's text\n";
  const std::string out = explain_paths({a, b}).out;
  EXPECT_GT(out.find(said), out.find("B       "));
  EXPECT_THAT(explain_paths({a, a}).out, Not(HasSubstr("main text")));
  const Ran json = with_streams(
      "", [&](const Streams& streams) { return run_explain({.paths = {a, b}, .json = true}, {}, streams); });
  EXPECT_EQ(Json::parse(json.out)["documents"][0]["fell_back"], false);
  EXPECT_EQ(Json::parse(json.out)["documents"][1]["fell_back"], true);
}

TEST_F(ExplainCommand, two_sources_are_taken_in_their_order) {
  const std::string a = write("a.html", "<p>" + page(20));
  const std::string b = write("b.jsonl", line("name", page(40)));
  const Ran ran = explain_paths({a, b});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("A                  " + a + "\n"), HasSubstr("B                  name\n")));
}

TEST_F(ExplainCommand, whole_takes_files_of_any_name) {
  const std::string a = write("a.rst", page(20));
  const std::string b = write("b", page(20));
  const Ran lines = explain_paths({a, b});
  EXPECT_EQ(lines.exit_code, 65);
  EXPECT_THAT(lines.err, HasSubstr("a.rst:1 has no signature to explain: rejected as not_json; with --whole "
                                   "each file, or standard input, is one document\n"));
  const Ran whole = with_streams(
      "", [&](const Streams& streams) { return run_explain({.paths = {a, b}, .whole = true}, {}, streams); });
  EXPECT_EQ(whole.exit_code, 0);
  EXPECT_THAT(whole.out, AllOf(HasSubstr("A                  " + a + "\n"),
                               HasSubstr("B                  " + b + "\n")));
}

TEST_F(ExplainCommand, what_cannot_be_compared_is_named_with_the_way_out) {
  const std::string one = write("one.txt", "words");
  const std::string two = write("two.jsonl", line("1", "a") + line("2", "b"));
  const Ran many = explain_paths({one, two});
  EXPECT_EQ(many.exit_code, 65);
  EXPECT_EQ(many.err,
            "neardup: " + two +
                " holds more than 1 document; explain compares two: give two sources of one, or one "
                "of two\n");
  EXPECT_EQ(explain_paths({one}).exit_code, 65);
  EXPECT_THAT(explain_paths({one}).err, HasSubstr("one.txt holds 1 document;"));
  EXPECT_THAT(explain_paths({write("none.jsonl", "\n"), one}).err, HasSubstr("holds 0 documents;"));
  const Ran rejected = explain_paths({write("dots.txt", "..."), one});
  EXPECT_EQ(rejected.exit_code, 65);
  EXPECT_THAT(rejected.err, HasSubstr("dots.txt has no signature to explain: rejected as no_tokens"));
  const Ran missing = explain_paths({one, (folder_ / "missing.txt").string()});
  EXPECT_EQ(missing.exit_code, 66);
  EXPECT_THAT(missing.err, HasSubstr("missing.txt: No such file or directory"));
  EXPECT_THAT(missing.out, IsEmpty());
}

TEST_F(ExplainCommand, lines_of_an_idf_file_that_are_no_feature_are_told) {
  Config config;
  config.fingerprint.idf_file = write("idf", "words\t2\nnew york\t5\n");
  const Ran ran = with_streams(line("a", "words") + line("b", "words"), [&](const Streams& streams) {
    return run_explain({.paths = {"-"}}, config, streams);
  });
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.err, HasSubstr("fingerprint.idf_file: " + config.fingerprint.idf_file +
                                 ": 1 lines are left aside; "));
}

TEST_F(ExplainCommand, a_reader_that_has_gone_is_told_by_the_exit_code_alone) {
  const Ran ran = with_reader_gone(line("a", "x") + line("b", "y"), [](const Streams& streams) {
    return run_explain({.paths = {"-"}}, {}, streams);
  });
  EXPECT_EQ(ran.exit_code, 74);
  EXPECT_EQ(ran.err, "");
}

TEST_F(ExplainCommand, an_output_that_cannot_be_written_ends_it) {
  const Streams streams{open("/dev/null", O_RDONLY), open("/dev/full", O_WRONLY),
                        open("/dev/null", O_WRONLY)};
  EXPECT_EQ(run_explain({.paths = {write("a.jsonl", line("a", "x") + line("b", "y"))}}, {}, streams), 74);
  for (const int fd : {streams.in, streams.out, streams.err}) close(fd);
}

TEST(Cli, explain_teaches_and_takes_one_source_or_two) {
  const std::vector<const char*> help = {"neardup", "explain", "--help"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_cli(static_cast<int>(help.size()), help.data()), 0);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              AllOf(HasSubstr("neardup explain monday.html tuesday.html"), HasSubstr("--json")));
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"neardup", "explain"}, {"neardup", "explain", "a", "b", "c"}}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_cli(static_cast<int>(words.size()), words.data()), 64);
    testing::internal::GetCapturedStderr();
  }
}

}  // namespace
}  // namespace neardup
