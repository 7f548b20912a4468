#include "service/commands/tune.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "service/commands/cli.h"
#include "tests/service/commands/command_test.h"
#include "tests/service/commands/terminal.h"
#include "tests/support/eventually.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

std::string line(const std::string& id, const std::string& text) {
  return Json{{"id", id}, {"text", text}}.dump() + '\n';
}

// Page `name` of 200 words, each of them once; in a `copy` the first `others` of them are others. Of its 198
// shingles it shares 198 - others with the page itself, and the two have 198 + others together.
std::string page(int name, int copy = 0, int others = 0) {
  std::string text;
  for (int word = 0; word < 200; ++word) {
    const int version = word < others ? copy : 0;
    text += "w" + std::to_string(name) + "x" + std::to_string(version) + "x" + std::to_string(word) + " ";
  }
  return text;
}

// Five pages: copies a1 (similarity .94) and a2 (.66) of a0, and b0 and c0 of their own.
std::string documents() {
  return line("a0", page(1)) + line("a1", page(1, 1, 6)) + line("a2", page(1, 2, 40)) + line("b0", page(2)) +
         line("c0", page(3));
}

class TuneCommand : public CommandTest {
 protected:
  Ran tune(TuneOptions options, const std::string& input = documents(), const Config& config = {}) {
    return with_streams(input, [&](const Streams& streams) { return run_tune(options, config, streams); });
  }
  Ran by_labels(const std::string& labels, bool json = false) {
    return tune({.paths = {}, .pairs = write("labels.tsv", labels), .json = json});
  }
};

TEST_F(TuneCommand, recommends_the_threshold_that_tells_the_labels_apart) {
  const Ran ran = by_labels("a0\ta1\t1\na0\ta2\t0\na0\tb0\t0\nb0\tc0\t0\n", true);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.err, IsEmpty());
  const Json answer = Json::parse(ran.out);
  EXPECT_EQ(answer["documents"], 5);
  EXPECT_EQ(answer["truth"], "labels");
  EXPECT_EQ(answer["pairs"], 4);
  EXPECT_EQ(answer["same"], 1);
  ASSERT_EQ(answer["thresholds"].size(), 10U);
  const Json& loose = answer["thresholds"][0];
  EXPECT_EQ(loose["threshold"], .5);
  EXPECT_EQ(loose["recall"], 1.);
  EXPECT_EQ(loose["precision"], .5) << "a2 is called the same too";
  EXPECT_GT(loose["candidates"], 0.);
  EXPECT_GT(loose["bytes_per_unique"], 0.);
  const Json& usual = answer["thresholds"][6];
  EXPECT_EQ(usual["threshold"], .8);
  EXPECT_EQ(usual["f1"], 1.);
  const double recommended = answer["recommended"]["threshold"];
  EXPECT_GE(recommended, .75);
  EXPECT_LE(recommended, .9);
}

TEST_F(TuneCommand, takes_labels_that_are_similarities) {
  const Ran ran = by_labels("a0\ta1\t0.94\na0\ta2\t0.67\n", true);
  EXPECT_EQ(Json::parse(ran.out)["same"], 1) << "from detector.threshold on";
  Config config;
  config.detector.threshold = {600};
  const Ran looser =
      tune({.paths = {}, .pairs = write("labels.tsv", "a0\ta1\t0.94\na0\ta2\t0.67\n"), .json = true},
           documents(), config);
  const Json answer = Json::parse(looser.out);
  EXPECT_EQ(answer["same"], 2);
  EXPECT_LE(answer["recommended"]["threshold"], .65);
}

TEST_F(TuneCommand, a_table_for_each_setting_and_a_sentence_for_each_recommendation) {
  const Ran ran = by_labels("a0\ta1\t1\na0\ta2\t0\na0\tb0\t0\n");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("5 documents, 0 rejected; 3 labelled pairs, 1 the same"),
                    HasSubstr("  threshold  precision  recall     F1   candidates  bytes/unique\n"),
                    HasSubstr("          k  precision"), HasSubstr("          m  precision"),
                    HasSubstr("the highest F1, 1.000"),
                    HasSubstr("\nk: none up to 3 finds any of the same pairs.\n"), HasSubstr("\nm 32: ")));
}

TEST_F(TuneCommand, a_digest_in_place_of_a_text_has_nothing_to_compare) {
  Config config;
  config.input.fields.digest = {"/sha1"};
  const Ran ran = tune({.paths = {}, .pairs = write("labels.tsv", "a0\ta1\t1\n"), .json = true},
                       documents() + R"({"id":"d","sha1":"AAAA"})" + '\n', config);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["reasons"], Json({{"missing_text", 1}}));
}

TEST_F(TuneCommand, rejects_are_counted_by_reason) {
  const std::string labels = write("labels.tsv", "a0\ta1\t1\na0\ta2\t0\n");
  const std::string input = documents() + "not json\n{\"text\":\"...\"}\n{\"text\":\"!\"}\n";
  EXPECT_THAT(tune({.paths = {}, .pairs = labels}, input).out,
              HasSubstr("5 documents, 3 rejected (not_json 1, no_tokens 2); 2 labelled pairs"));
  const Json answer = Json::parse(tune({.paths = {}, .pairs = labels, .json = true}, input).out);
  EXPECT_EQ(answer["rejected"], 3);
  EXPECT_EQ(answer["reasons"], (Json{{"not_json", 1}, {"no_tokens", 2}}));
}

TEST_F(TuneCommand, fingerprints_alone_are_compared_with_the_mode) {
  const std::string labels = write("labels.tsv", "a\tb\t1\nb\tc\t0\n");
  const std::string input = line("a", page(1)) + line("b", page(1)) + line("c", page(2));
  EXPECT_THAT(tune({.paths = {}, .pairs = labels}, input).out,
              HasSubstr("k 3: the highest F1 by fingerprints alone, 1.000, against 1.000 of mode hybrid.\n"));
}

TEST_F(TuneCommand, recommends_no_distance_that_the_setting_does_not_take) {
  std::string labels;
  std::string input;
  for (int name = 1; name <= 5; ++name) {  // some of them are 4 to 7 bits from their copies
    const std::string id = std::to_string(name);
    input += line(id, page(name));
    for (int others = 1; others <= 6; ++others) {
      const std::string copy = id + "-" + std::to_string(others);
      input += line(copy, page(name, others, others));
      labels += id + '\t' + copy + "\t1\n";
    }
  }
  const TuneOptions options = {.paths = {}, .pairs = write("labels.tsv", labels), .json = true};
  const Json answer = Json::parse(tune(options, input).out);
  EXPECT_EQ(answer["distances"].size(), 8U);
  const Json recommended = answer["recommended"];
  EXPECT_TRUE(recommended["distance"].is_null() || recommended["distance"] <= 3) << recommended;
  EXPECT_THAT(recommended["because"][1], HasSubstr(", but detector.distance goes up to 3"));
}

TEST_F(TuneCommand, a_signal_ends_a_wait_for_pairs) {
  const std::string fifo = (folder_ / "labels.tsv").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const pid_t child = fork();
  if (child == 0) _exit(run_tune({.paths = {}, .pairs = fifo}, {}, {}));
  int writer = -1;
  const auto has_reader = [&] { return (writer = open(fifo.c_str(), O_WRONLY | O_NONBLOCK)) >= 0; };
  EXPECT_TRUE(eventually(has_reader));
  kill(child, SIGINT);
  close(writer);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
}

TEST_F(TuneCommand, long_work_shows_how_far_it_is_and_a_signal_ends_it) {
  std::string labels;
  for (int i = 0; i < 300'000; ++i) labels += "a0\ta1\t1\n";  // which take seconds
  const TuneOptions options{.paths = {write("a.jsonl", documents())}, .pairs = write("labels.tsv", labels)};
  Terminal terminal;
  const pid_t child = fork();
  if (child == 0) _exit(run_tune(options, {}, {.err = terminal.fd()}));
  std::string shown;
  const auto judges = [&] {
    shown += terminal.read();
    return shown.find(" of 300000 pairs judged by thresholds 0.50 to ") != std::string::npos;
  };
  EXPECT_TRUE(eventually(judges)) << shown;
  kill(child, SIGINT);
  int status = 0;
  if (!eventually([&] { return waitpid(child, &status, WNOHANG) == child; })) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  ASSERT_TRUE(WIFEXITED(status)) << "it went on";
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_TRUE((shown + terminal.read()).ends_with("\r\x1b[K")) << "nothing of it stays";
}

TEST_F(TuneCommand, the_folder_of_the_service_is_left_alone) {
  std::string input = documents();
  for (int i = 0; i < 600; ++i) input += line(std::to_string(i) + std::string(4000, 'i'), page(10 + i));
  const TuneOptions options = {.paths = {}, .pairs = write("labels.tsv", "a0\ta1\t1\n"), .json = true};
  const Ran plain = tune(options, input);
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  Config config;
  config.index.directory = folder_.string();
  EXPECT_EQ(tune(options, input, config).out, plain.out) << "what a file takes is no memory";
}

TEST_F(TuneCommand, recommends_nothing_where_nothing_is_found) {
  const std::string labels = "b0\tc0\t1\n";  // which have nothing in common
  const Json recommended = Json::parse(by_labels(labels, true).out)["recommended"];
  EXPECT_TRUE(recommended["threshold"].is_null()) << recommended;
  EXPECT_TRUE(recommended["distance"].is_null()) << recommended;
  const Ran ran = by_labels(labels);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("detector.threshold: none finds any of the same pairs.\n"),
                             HasSubstr("\nk: none up to 3 finds any of the same pairs.\n"),
                             Not(HasSubstr("->      0."))));
}

// The pairs of this set share a run of 7 and of 4 characters, and a space at each end of it.
TEST_F(TuneCommand, m_is_the_longest_run_by_which_enough_pairs_meet) {
  const std::string input = line("1", "aaa sevenss bbb") + line("2", "ccc sevenss ddd") +
                            line("3", "eee four fff") + line("4", "ggg four hhh");
  const auto m_of = [&](double recall) {
    const Ran ran = tune(
        {.paths = {}, .pairs = write("labels.tsv", "1\t2\t1\n3\t4\t1\n"), .recall_min = recall, .json = true},
        input);
    return Json::parse(ran.out)["recommended"]["m"];
  };
  EXPECT_EQ(m_of(1), 6);
  EXPECT_EQ(m_of(.5), 8) << "9, and there is a row for 8";
}

// Copies of a sentence with a letter changed here and there, and other sentences.
TEST_F(TuneCommand, in_mode_mgram_tells_of_each_m_what_it_finds_and_costs) {
  Config config;
  config.detector.mode = "mgram";
  const std::string documents = line("a0", "the quick brown fox jumps over the lazy dog") +
                                line("a1", "the quick brawn fox jumps aver the lazy dig") +
                                line("b0", "ten minutes of rain and the roads were under water") +
                                line("c0", "the council will meet in the village hall on monday");
  const TuneOptions options{
      .paths = {}, .pairs = write("labels.tsv", "a0\ta1\t1\na0\tb0\t0\na0\tc0\t0\n"), .json = true};
  const Ran ran = tune(options, documents, config);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json answer = Json::parse(ran.out);
  EXPECT_EQ(answer["mode"], "mgram");
  EXPECT_EQ(answer["thresholds"][6]["f1"], 1.) << "three edits in 43";
  EXPECT_EQ(answer["thresholds"][9]["recall"], 0.) << "are .930";
  const Json& runs = answer["runs"];
  ASSERT_EQ(runs.size(), 14U);
  EXPECT_EQ(runs[0]["m"], 1);
  EXPECT_GT(runs[0]["candidates"], 0.);
  EXPECT_GE(runs[0]["candidates"], runs[3]["candidates"]) << "longer runs, fewer candidates";
  EXPECT_GT(runs[3]["bytes_per_unique"], 0.);
  EXPECT_EQ(answer["recommended"]["m"], 14) << "\" fox jumps aver\"";

  TuneOptions for_people = options;
  for_people.json = false;
  EXPECT_THAT(tune(for_people, documents, config).out,
              AllOf(HasSubstr("          m  precision  recall     F1   candidates  bytes/unique\n"),
                    HasSubstr("\nm 14: the longest run")));

  // Of words, the longest run that both have is of two: "jumps" stands between changed ones.
  config.detector.gram_units = "words";
  config.detector.threshold = {600};
  EXPECT_EQ(Json::parse(tune(options, documents, config).out)["recommended"]["m"], 2);
}

TEST_F(TuneCommand, a_sample_is_compared_one_with_all) {
  const Ran ran = tune({.paths = {}, .json = true});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Json answer = Json::parse(ran.out);
  EXPECT_EQ(answer["truth"], "sample");
  EXPECT_EQ(answer["pairs"], 10) << "all of five";
  EXPECT_EQ(answer["same"], 1);
  EXPECT_EQ(answer["thresholds"][6]["f1"], 1.);
  EXPECT_FALSE(answer["runs"][0].contains("precision")) << "of pairs unlike each other it is not known";
  EXPECT_THAT(tune({.paths = {}}).out, HasSubstr("5 sampled, 10 pairs compared exactly, 1 the same"));
}

TEST_F(TuneCommand, a_sample_is_as_large_as_asked_for_and_always_the_same) {
  std::string input;
  for (int i = 0; i < 100; ++i) {
    const std::string id = std::to_string(i);
    input += line(id, page(i % 10));
  }
  const Ran once = tune({.paths = {}, .sample = 20, .json = true}, input);
  ASSERT_EQ(once.exit_code, 0) << once.err;
  EXPECT_EQ(Json::parse(once.out)["pairs"], 190);
  EXPECT_EQ(tune({.paths = {}, .sample = 20, .json = true}, input).out, once.out);
}

TEST_F(TuneCommand, wrong_pairs_are_named_with_the_way_out) {
  const Ran missing = by_labels("a0\ta1\t1\n\na0\tzz\t1\nyy\ta0\t0\n");
  EXPECT_EQ(missing.exit_code, 65);
  EXPECT_THAT(missing.out, IsEmpty());
  EXPECT_THAT(
      missing.err,
      AllOf(HasSubstr("labels.tsv: line 3: no document has the id \"zz\" (2 of 3 lines name one that is "
                      "not there, or was rejected)"),
            HasSubstr("leave the line out")));
  for (const char* const wrong : {"a0\ta1\n", "a0 a1 1\n", "a0\ta1\tyes\n", "a0\ta1\t1.5\n", "a0\ta1\t-1\n",
                                  "a0\ta1\tnan\n", "\ta1\t1\n", "a0\ta1\t1\tmore\n"}) {
    const Ran ran = by_labels(wrong);
    EXPECT_EQ(ran.exit_code, 65) << wrong;
    EXPECT_THAT(ran.err, HasSubstr("labels.tsv: line 1: write id1<TAB>id2<TAB>label")) << wrong;
  }
  EXPECT_THAT(by_labels("\n").err, HasSubstr("labels.tsv: holds no pair"));
  const Ran none_same = by_labels("a0\tb0\t0\n");
  EXPECT_EQ(none_same.exit_code, 65);
  EXPECT_THAT(none_same.err, HasSubstr("no pair is the same, of similarity 0.8 or more"));
}

TEST_F(TuneCommand, a_line_without_end_is_no_pair) {
  const std::string id(4096, 'i');  // the longest there is
  const std::string longest = id + '\t' + std::string(4096, 'j') + "\t1";
  EXPECT_THAT(by_labels(longest).err, HasSubstr("line 1: no document has the id"))
      << "without an end of line";
  EXPECT_THAT(by_labels("a0\tb0\t0\n" + longest + "\r\n").err, HasSubstr("line 2: no document has the id"));
  const Ran ran = by_labels("a0\tb0\t0\n" + longest + std::string(100'000, '0') + "\n");
  EXPECT_EQ(ran.exit_code, 65);
  EXPECT_THAT(ran.err, HasSubstr("labels.tsv: line 2: is longer than 8448 bytes; write id1<TAB>id2"));
  const Ran endless = tune({.paths = {}, .pairs = "/dev/zero"});
  EXPECT_EQ(endless.exit_code, 65);
  EXPECT_THAT(endless.err, HasSubstr("--pairs: /dev/zero: line 1: is longer than 8448 bytes; "));
}

// As spreadsheets write it.
TEST_F(TuneCommand, a_byte_order_mark_before_the_pairs_is_no_part_of_an_id) {
  const std::string mark = "\xEF\xBB\xBF";
  const Ran plain = by_labels("a0\ta1\t1\na0\tb0\t0\n");
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  for (const char* const pairs : {"a0\ta1\t1\na0\tb0\t0\n", "a0\ta1\t1\r\na0\tb0\t0\r\n"}) {
    const Ran ran = by_labels(mark + pairs);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, plain.out);
  }
  EXPECT_EQ(by_labels("a0\ta1\t1\n" + mark + "a0\tb0\t0\n").exit_code, 65) << "within, it is one";
}

TEST_F(TuneCommand, what_cannot_be_read_is_named) {
  const Ran labels = tune({.paths = {}, .pairs = (folder_ / "missing.tsv").string()});
  EXPECT_EQ(labels.exit_code, 66);
  EXPECT_THAT(labels.err, AllOf(HasSubstr("--pairs: "), HasSubstr("missing.tsv: No such file or directory")));
  EXPECT_EQ(tune({.paths = {(folder_ / "missing.jsonl").string()}}).exit_code, 66);
  const Ran nothing = tune({.paths = {}}, "not json\n");
  EXPECT_EQ(nothing.exit_code, 65);
  EXPECT_THAT(nothing.err, HasSubstr("not one document was found (rejected: not_json 1); lines must hold"));
  EXPECT_THAT(tune({.paths = {}}, "").err, HasSubstr("not one document was found; lines must hold"));
  Config config;
  config.input.preset = "scrapy-cluster";
  const Ran unnamed = tune({.paths = {}}, "{\"body\":\"words\"}\n", config);
  EXPECT_EQ(unnamed.exit_code, 65);
  EXPECT_THAT(unnamed.err, HasSubstr("(rejected: missing_id 1); nothing of what input.id_from lists"));
  const Ran unlike = tune({.paths = {}}, line("a", page(1)) + line("b", page(2)));
  EXPECT_EQ(unlike.exit_code, 65);
  EXPECT_THAT(unlike.err, HasSubstr("take a larger --sample or a lower detector.threshold"));
}

TEST_F(TuneCommand, a_reader_that_has_gone_is_told_by_the_exit_code_alone) {
  const Ran ran =
      with_reader_gone(documents(), [](const Streams& streams) { return run_tune({}, {}, streams); });
  EXPECT_EQ(ran.exit_code, 74);
  EXPECT_EQ(ran.err, "");
}

TEST_F(TuneCommand, an_output_that_cannot_be_written_ends_it) {
  const Streams streams{open("/dev/null", O_RDONLY), open("/dev/full", O_WRONLY),
                        open("/dev/null", O_WRONLY)};
  EXPECT_EQ(run_tune({.paths = {write("a.jsonl", documents())}}, {}, streams), 74);
  for (const int fd : {streams.in, streams.out, streams.err}) close(fd);
}

TEST(Cli, tune_teaches_and_refuses_what_contradicts) {
  const std::vector<const char*> help = {"neardup", "tune", "--help"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_cli(static_cast<int>(help.size()), help.data()), 0);
  EXPECT_THAT(
      testing::internal::GetCapturedStdout(),
      AllOf(HasSubstr("neardup tune --pairs labels.tsv crawl.jsonl"), HasSubstr("id1<TAB>id2<TAB>label")));
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"neardup", "tune", "--sample", "1"},
        {"neardup", "tune", "--sample", "10", "--pairs", "labels.tsv"},
        {"neardup", "tune", "--recall", "2"}}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_cli(static_cast<int>(words.size()), words.data()), 64);
    testing::internal::GetCapturedStderr();
  }
}

}  // namespace
}  // namespace neardup
