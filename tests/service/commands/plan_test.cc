#include "service/commands/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/detector.h"
#include "core/fingerprint/signer.h"
#include "core/index/cold_store.h"
#include "service/commands/cli.h"
#include "service/commands/exit_code.h"
#include "tests/support/folder_test.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Answer {
  int code;
  std::string out;
  std::string err;
};

Answer plan_command(std::vector<const char*> words) {
  words.insert(words.begin(), {"neardup", "plan"});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_cli(static_cast<int>(words.size()), words.data());
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(Plan, every_example_has_a_plan) {
  std::istringstream help(plan_command({"--help"}).out);
  const std::string begin = "  neardup plan ";
  std::size_t examples = 0;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with(begin)) continue;
    std::istringstream rest(line.substr(begin.size(), line.find("   ", begin.size()) - begin.size()));
    const std::vector<std::string> words(std::istream_iterator<std::string>(rest), {});
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    EXPECT_EQ(plan_command(arguments).code, kExitOk) << line;
    ++examples;
  }
  EXPECT_EQ(examples, 5U);
}

TEST(Plan, marks_the_one_to_take) {
  const Answer answer = plan_command({"--documents", "10M", "--set", "detector.mode=simhash"});
  EXPECT_EQ(answer.code, kExitOk);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("10000000 documents within 3 bits"), HasSubstr("->  6x21 "),
                                HasSubstr("    4x16 "), HasSubstr("    20x32 ")));
}

TEST(Plan, speaks_to_programs) {
  const Answer answer = plan_command({"--documents", "1M", "--distance", "5", "--memory", "1GiB", "--json"});
  EXPECT_EQ(answer.code, kExitOk);
  const nlohmann::json plan = nlohmann::json::parse(answer.out);
  EXPECT_EQ(plan["documents"], 1'000'000);
  EXPECT_EQ(plan["memory_bytes"], std::uint64_t{1} << 30);
  EXPECT_TRUE(plan["plans"][0]["fits"]);
  EXPECT_GT(plan["plans"][0]["candidates"], 0);
}

TEST(Plan, recommends_no_distance_that_the_setting_does_not_take) {
  for (const char* const distance : {"0", "3", "4", "7"}) {
    const bool is_configurable = distance[0] <= '3';
    const std::string set = std::string("detector.distance=") + distance;
    EXPECT_EQ(plan_command({"--set", set.c_str()}).code, is_configurable ? kExitOk : kExitConfig);
    const Answer table = plan_command({"--documents", "1M", "--distance", distance});
    EXPECT_EQ(table.code, kExitOk);
    const auto to_take = HasSubstr("->");
    const auto only_to_compare = HasSubstr("\ndetector.distance goes up to 3: this is to compare only");
    if (is_configurable) {
      EXPECT_THAT(table.out, AllOf(to_take, Not(only_to_compare))) << distance;
    } else {
      EXPECT_THAT(table.out, AllOf(Not(to_take), only_to_compare)) << distance;
    }
    const Answer json = plan_command({"--documents", "1M", "--distance", distance, "--json"});
    EXPECT_EQ(nlohmann::json::parse(json.out)["configurable"], is_configurable) << distance;
  }
  EXPECT_THAT(plan_command({"--help"}).out, Not(HasSubstr("--distance 5")));
}

TEST(Plan, takes_the_distance_of_the_configuration) {
  const Answer answer = plan_command({"--set", "detector.distance=2", "--set", "detector.mode=simhash"});
  EXPECT_EQ(answer.code, kExitOk);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("within 2 bits"), HasSubstr("->  ")));
}

TEST(Plan, says_that_nothing_fits_and_what_would) {
  const Answer answer = plan_command({"--documents", "100M", "--memory", "1GiB", "--distance", "3"});
  EXPECT_EQ(answer.code, kExitUnavailable);
  EXPECT_THAT(answer.out, HasSubstr("does not fit"));
  EXPECT_THAT(answer.err,
              HasSubstr("no plan for 100000000 documents fits into 1073741824 bytes; the smallest takes"));
}

TEST(Plan, refuses_what_no_index_can_hold) {
  EXPECT_EQ(plan_command({"--documents", "0"}).code, kExitUsage);
  EXPECT_EQ(plan_command({"--documents", "5G"}).code, kExitUsage);
  EXPECT_EQ(plan_command({"--distance", "8"}).code, kExitUsage);
}

TEST(Plan, of_mode_hybrid_says_how_sure_pairs_are_to_meet) {
  const Answer answer = plan_command({"--documents", "1M"});
  EXPECT_EQ(answer.code, kExitOk);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("threshold 0.8: 6 bands of 4 minima"), HasSubstr(" 0.80 "),
                                HasSubstr("1000000 uniques"), HasSubstr("159.8      152 MiB")));
  EXPECT_THAT(plan_command({"--set", "detector.threshold=0.5"}).out, HasSubstr("12 bands of 2 minima"));
}

TEST(Plan, says_that_short_texts_do_not_follow_a_low_threshold) {
  const std::string at_most = "Of short texts (up to 250 letters";
  EXPECT_THAT(plan_command({"--documents", "1M", "--set", "detector.threshold=0.6"}).out, HasSubstr(at_most));
  EXPECT_THAT(plan_command({"--documents", "1M"}).out, Not(HasSubstr(at_most)));
  EXPECT_EQ(threshold_caveat(DetectorMode::kMgram, 600), "");
  EXPECT_EQ(threshold_caveat(DetectorMode::kSimhash, 600), "");
}

TEST(Plan, of_mode_hybrid_speaks_to_programs) {
  const Answer answer = plan_command({"--documents", "1M", "--set", "detector.threshold=0.7", "--json"});
  const nlohmann::json plan = nlohmann::json::parse(answer.out);
  EXPECT_EQ(plan["mode"], "hybrid");
  EXPECT_EQ(plan["bands"], 8);
  EXPECT_EQ(plan["minima"], 3);
  ASSERT_EQ(plan["recall"].size(), 11U);
  EXPECT_EQ(plan["recall"][4]["similarity"], .7);
  EXPECT_GE(plan["recall"][4]["recall"], .98);
  EXPECT_LT(plan["recall"][2]["recall"], plan["recall"][4]["recall"]);
  ASSERT_EQ(plan["uniques"].size(), 4U);
  EXPECT_TRUE(plan["uniques"][0]["fits"]);
}

TEST(Plan, counts_what_ids_take) {
  EXPECT_THAT(plan_command({"--documents", "1M", "--set", "index.by_id=true"}).out, HasSubstr("169.1 "));
  EXPECT_THAT(plan_command({"--distance", "3", "--set", "index.by_id=true"}).out,
              HasSubstr("index.by_id takes 9.3 bytes a document more."));
}

TEST(Plan, counts_the_sketches_that_verify_fingerprints) {
  const auto plan = [](std::vector<const char*> more) {
    more.insert(more.begin(), {"--documents", "10M", "--distance", "3", "--json"});
    return nlohmann::json::parse(plan_command(more).out);
  };
  const auto bytes = [](const nlohmann::json& answer) {
    return answer["plans"][0]["bytes_per_document"].get<double>();
  };
  const nlohmann::json plain = plan({});
  const nlohmann::json standard = plan({"--set", "detector.verify=sketch"});
  EXPECT_NEAR(bytes(standard) - bytes(plain), sketch_bytes(SketchSize::kStandard), .1);
  EXPECT_EQ(standard["sketch_bytes"], sketch_bytes(SketchSize::kStandard));
  EXPECT_EQ(plain["sketch_bytes"], 0);
  const nlohmann::json compact =
      plan({"--set", "detector.verify=sketch", "--set", "detector.sketch=compact"});
  EXPECT_NEAR(bytes(compact) - bytes(plain), sketch_bytes(SketchSize::kCompact), .1);

  const std::vector<const char*> room = {"--documents", "10M", "--distance", "3", "--memory", "1GiB"};
  EXPECT_EQ(plan_command(room).code, kExitOk);
  std::vector<const char*> verified = room;
  verified.insert(verified.end(), {"--set", "detector.verify=sketch"});
  const Answer none = plan_command(verified);
  EXPECT_EQ(none.code, kExitUnavailable);
  EXPECT_THAT(none.out,
              HasSubstr("Of each document 96.3 bytes are its sketch, for detector.verify: sketch."));
}

// Each of these numbers is accepted by index.documents_max, and core/DESIGN.md says what ends there.
TEST(Plan, says_what_no_table_has_room_for) {
  const std::string mark = "no index surely holds so many";
  EXPECT_THAT(plan_command({"--documents", "380M"}).out, Not(HasSubstr(mark)));
  const Answer pages = plan_command({"--documents", "500M"});
  EXPECT_EQ(pages.code, kExitOk) << "of pages it does";
  EXPECT_THAT(pages.out, HasSubstr(mark));
  const nlohmann::json kinds = nlohmann::json::parse(plan_command({"--documents", "500M", "--json"}).out);
  EXPECT_TRUE(kinds["uniques"][0]["fits"]);
  EXPECT_FALSE(kinds["uniques"][2]["fits"]);
  EXPECT_EQ(kinds["uniques"][0]["documents_max"], 1'333'333'333);
  const Answer none = plan_command({"--documents", "1400M"});
  EXPECT_EQ(none.code, kExitUnavailable);
  EXPECT_THAT(none.err, HasSubstr("no index surely holds 1400000000 documents; it does so up to 1333333333"));
  const Answer loose = plan_command({"--documents", "1G", "--set", "detector.threshold=0.5"});
  EXPECT_EQ(loose.code, kExitUnavailable) << "twelve bands";
  EXPECT_EQ(plan_command({"--documents", "150M", "--set", "detector.mode=mgram"}).code, kExitUnavailable);

  const std::vector<const char*> simhash = {"--documents", "200M", "--distance", "3"};
  EXPECT_THAT(plan_command(simhash).out, HasSubstr(mark));
  std::vector<const char*> as_json = simhash;
  as_json.push_back("--json");
  const nlohmann::json plans = nlohmann::json::parse(plan_command(as_json).out)["plans"];
  EXPECT_TRUE(plans[0]["fits"]);
  for (const nlohmann::json& row : plans) {
    const bool is_large = row["covering"] == "6x21";
    if (!is_large && row["covering"] != "4x16") continue;
    EXPECT_EQ(row["fits"], is_large) << row;
  }
}

TEST(Plan, of_mode_hybrid_says_what_does_not_fit) {
  const Answer some = plan_command({"--documents", "10M", "--memory", "1400MiB"});
  EXPECT_EQ(some.code, kExitOk) << "compact does";
  EXPECT_THAT(some.out, HasSubstr("does not fit"));
  const Answer none = plan_command({"--documents", "100M", "--memory", "1GiB"});
  EXPECT_EQ(none.code, kExitUnavailable);
  EXPECT_THAT(none.err, HasSubstr("no plan for 100000000 documents fits into 1073741824 bytes"));
}

TEST(Plan, of_mode_mgram_says_from_which_length_on_texts_are_surely_met) {
  const std::vector<const char*> mgram = {"--set", "detector.mode=mgram", "--documents", "1M"};
  const auto with = [&](std::vector<const char*> more) {
    more.insert(more.begin(), mgram.begin(), mgram.end());
    return plan_command(more);
  };
  const Answer answer = with({});
  EXPECT_EQ(answer.code, kExitOk);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("Mode mgram, edit of 0.8 and more, runs of 4 characters."),
                                HasSubstr("compares 1024 at most"), HasSubstr("1000000 uniques")));
  const nlohmann::json plan = nlohmann::json::parse(with({"--json"}).out);
  EXPECT_EQ(plan["mode"], "mgram");
  EXPECT_EQ(plan["sizes"][3], (nlohmann::json{{"m", 4}, {"sure_units", 16}}));
  EXPECT_EQ(plan["sizes"][4], (nlohmann::json{{"m", 5}, {"sure_units", nullptr}}));
  const nlohmann::json jaccard =
      nlohmann::json::parse(with({"--set", "detector.measure=jaccard", "--json"}).out);
  EXPECT_EQ(jaccard["sizes"][4], (nlohmann::json{{"m", 5}, {"sure_units", 1}})) << "what is alike has a run";
  const Answer none = with({"--memory", "100MiB"});
  EXPECT_EQ(none.code, kExitUnavailable);
  EXPECT_THAT(none.err, HasSubstr("no plan for 1000000 documents fits into 104857600 bytes"));
}

TEST(Plan, sure_units_are_those_from_which_no_edits_break_all_runs) {
  for (const unsigned threshold : {500U, 700U, 800U, 900U, 950U}) {
    for (const unsigned m : {1U, 2U, 3U, 4U, 5U, 8U, 16U}) {
      std::size_t broken = 0;  // the longest text without a run
      for (std::size_t units = 1; units <= kMgramTextMax; ++units) {
        const std::size_t edits = units * (1000 - threshold) / 1000;
        const std::size_t needed = units / m;  // one of every m units
        if (needed <= edits) broken = units;
      }
      const std::optional<std::size_t> sure = sure_units(m, threshold);
      if (broken == kMgramTextMax) {
        EXPECT_EQ(sure, std::nullopt) << threshold << " " << m;
      } else {
        EXPECT_EQ(sure, broken + 1) << threshold << " " << m;
      }
    }
  }
}

// As many uniques as fill the chunks of the columns, all different.
double counted_bytes(DetectorOptions options, int words, const std::string& directory) {
  constexpr int kUniques = 1 << 16;
  options.directory = directory;
  Detector detector(options);
  Signer signer({.routes = options.routes(),
                 .sketch = options.sketch,
                 .layout = options.layout(),
                 .mgrams = options.mgrams()});
  Document document;
  Signature signature;
  RouteSignature route;
  std::mt19937_64 random(1);
  for (int i = 0; i < kUniques; ++i) {
    document.body.clear();
    for (int w = 0; w < words; ++w) {
      for (int c = 0; c < 5; ++c) document.body += static_cast<char>('a' + random() % 26);
      document.body += ' ';
    }
    EXPECT_EQ(signer.sign(document, signature, route), std::nullopt);
    const std::string id = std::to_string(i);
    const auto decision =
        detector.apply({.id = id, .url = {}, .source = {}, .signature = signature, .route = &route});
    EXPECT_EQ(decision.verdict, Verdict::kUnique);
  }
  // The window that is watched, and what is on its way to the file, are as large however many there are.
  constexpr std::uint64_t kOnTheWay = (ColdStore::kBehind + 1) * ColdStore::kBlockBytes;
  return static_cast<double>(detector.bytes() - detector.cluster_counts().bytes - kOnTheWay) / kUniques;
}

using PlanBytes = FolderTest;

TEST_F(PlanBytes, the_bytes_forecast_are_those_that_are_counted) {
  const BandLayout layout;
  for (const SketchSize sketch : {SketchSize::kStandard, SketchSize::kCompact}) {
    const double page = page_bytes(sketch, layout);
    EXPECT_NEAR(counted_bytes({.sketch = sketch}, 60, folder_), page, page / 12);
  }
  const double ids = counted_bytes({.by_id = true}, 60, folder_) - counted_bytes({}, 60, folder_);
  EXPECT_NEAR(ids, kIdBytes, kIdBytes / 8);
  const double sketch = sketch_bytes(SketchSize::kStandard);
  const DetectorOptions verified{.mode = DetectorMode::kSimhash, .verify_sketch = true};
  EXPECT_NEAR(
      counted_bytes(verified, 60, folder_) - counted_bytes({.mode = DetectorMode::kSimhash}, 60, folder_),
      sketch, sketch / 12);
  const double text = short_text_bytes(59, kLatinBytes);
  EXPECT_NEAR(counted_bytes({}, 10, folder_), text, text / 12);
  const double by_mgrams = mgram_text_bytes(56, 59, kLatinBytes);
  EXPECT_NEAR(counted_bytes({.mode = DetectorMode::kMgram}, 10, folder_), by_mgrams, by_mgrams / 12);
}

}  // namespace
}  // namespace neardup
