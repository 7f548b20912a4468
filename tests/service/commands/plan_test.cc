#include "service/commands/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
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
#include "service/commands/scan.h"
#include "service/config_table.h"
#include "tests/service/commands/command_test.h"

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

// What is asked of the index alone.
constexpr const char* kNamesInFile = "index.directory=/names";

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

TEST(Plan, takes_numbers_as_people_write_them) {
  for (const auto& [word, documents] : {std::pair("4500000", 4'500'000),
                                        {"4.5M", 4'500'000},
                                        {"1k", 1000},
                                        {"0.25 g", 250'000'000},
                                        {"1.25k", 1250}}) {
    const Answer answer = plan_command({"--documents", word, "--json"});
    EXPECT_EQ(nlohmann::json::parse(answer.out)["documents"], documents) << word << answer.err;
  }
  for (const auto& [word, bytes] : {std::pair("1.5GiB", 3LL << 29),
                                    {"800mb", 800LL << 20},
                                    {"2 G", 2LL << 30},
                                    {"1tib", 1LL << 40},
                                    {"1073741824", 1LL << 30},
                                    {"1073741824B", 1LL << 30}}) {
    const Answer answer = plan_command({"--documents", "1M", "--memory", word, "--json"});
    EXPECT_EQ(nlohmann::json::parse(answer.out)["memory_bytes"], bytes) << word << answer.err;
  }
  for (const char* word : {"", "M", "1x", "1kk", "1MiB", "-1", "1e3M5", "nan", "inf", ".5M", "010", "0x10"}) {
    const Answer answer = plan_command({"--documents", word});
    EXPECT_EQ(answer.code, kExitUsage) << word;
    EXPECT_THAT(answer.err, HasSubstr("--documents: ")) << word;
  }
  EXPECT_THAT(plan_command({"--documents", "4.5X"}).err,
              HasSubstr("--documents: 4.5X is not a number like 5000000, 4.5M or 1G\n"));
  EXPECT_THAT(plan_command({"--memory", "1e300GiB"}).err, HasSubstr("is too much"));
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
                                HasSubstr("1000000 uniques"), HasSubstr("319.8      305 MiB")));
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
  ASSERT_EQ(plan["uniques"].size(), 5U);
  EXPECT_TRUE(plan["uniques"][0]["fits"]);
}

TEST(Plan, counts_what_names_a_unique_unless_it_lies_in_a_file) {
  const auto plan = [](std::vector<const char*> more) {
    more.insert(more.begin(), {"--documents", "1M", "--json"});
    return nlohmann::json::parse(plan_command(more).out);
  };
  const nlohmann::json memory = plan({"--name-bytes", "90"});
  EXPECT_EQ(memory["name_bytes"], 90);
  EXPECT_EQ(memory["names_bytes_per_unique"], 130);
  EXPECT_EQ(memory["file_bytes"], 0);
  const nlohmann::json file = plan({"--name-bytes", "90", "--set", kNamesInFile});
  EXPECT_EQ(file["name_bytes"], 90);
  EXPECT_EQ(file["names_bytes_per_unique"], 0);
  EXPECT_EQ(file["file_bytes"], 130'000'000);
  for (const std::size_t kind : {0U, 1U, 2U, 3U, 4U}) {
    const double more = memory["uniques"][kind]["bytes_per_unique"].get<double>() -
                        file["uniques"][kind]["bytes_per_unique"].get<double>();
    EXPECT_NEAR(more, 130, .01) << kind;
  }
  for (const char* const mode : {"detector.mode=hybrid", "detector.mode=simhash", "detector.mode=mgram"}) {
    SCOPED_TRACE(mode);
    EXPECT_THAT(plan_command({"--set", mode}).out,
                HasSubstr("160 bytes of each name it: 120 its id and url (--name-bytes)"));
    EXPECT_THAT(plan_command({"--set", mode, "--set", kNamesInFile}).out,
                AllOf(HasSubstr("0 bytes of each name it: its id and url (120, --name-bytes)"),
                      HasSubstr("file of index.directory, 1526 MiB")));
    EXPECT_EQ(plan({"--set", mode})["name_bytes"], 120);
  }
  EXPECT_THAT(plan_command({"--help"}).out, HasSubstr("default 120"));
  EXPECT_EQ(plan_command({"--name-bytes", "12289"}).code, kExitUsage);

  // 300 thousand pages that are named by a url of 56 bytes, which is their id as well.
  const std::vector<const char*> pages = {"--documents", "300000", "--memory", "64MiB", "--name-bytes", "56"};
  EXPECT_EQ(plan_command(pages).code, kExitUnavailable);
  std::vector<const char*> in_file = pages;
  in_file.insert(in_file.end(), {"--set", kNamesInFile});
  EXPECT_EQ(plan_command(in_file).code, kExitOk);
}

TEST(Plan, counts_what_ids_take) {
  const auto plan = [](std::vector<const char*> more) {
    more.insert(more.begin(), {"--documents", "1M", "--set", kNamesInFile});
    return plan_command(more);
  };
  EXPECT_THAT(plan({"--set", "index.by_id=true"}).out, HasSubstr("169.1 "));
  EXPECT_THAT(plan({"--distance", "3", "--set", "index.by_id=true"}).out,
              HasSubstr("Of each document 9.3 bytes are for index.by_id."));
  const auto bytes = [&](const char* by_id) {
    const Answer answer = plan({"--distance", "3", "--json", "--set", by_id});
    return nlohmann::json::parse(answer.out)["plans"][0]["bytes_per_document"].get<double>();
  };
  EXPECT_NEAR(bytes("index.by_id=true") - bytes("index.by_id=false"), kIdBytes, .1);
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

  const std::vector<const char*> room = {"--documents", "10M",  "--distance", "3",
                                         "--memory",    "1GiB", "--set",      kNamesInFile};
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

// No figure of the setting is larger than plan's: it is a bound, beyond which the process ends.
TEST(Plan, the_setting_of_the_bound_names_what_the_tables_hold) {
  const std::string_view about = find_setting("index.documents_max")->about;
  const auto rows = [](std::vector<const char*> more, const char* list) {
    more.push_back("--json");
    return nlohmann::json::parse(plan_command(more).out)[list];
  };
  const auto millions = [](const nlohmann::json& row) {
    return std::to_string(row["documents_max"].get<std::uint64_t>() / 1'000'000) + " million";
  };
  const nlohmann::json kinds = rows({}, "uniques");
  EXPECT_THAT(about, HasSubstr(millions(kinds[2]) + " short texts"));
  EXPECT_EQ(kinds[0]["documents_max"].get<std::uint64_t>() / 100'000'000, 13);
  EXPECT_THAT(about, HasSubstr("1.3 billion pages"));
  const nlohmann::json loose = rows({"--set", "detector.threshold=0.5"}, "uniques");
  EXPECT_THAT(about, HasSubstr("(" + millions(loose[0]) + " at a threshold of 0.5)"));
  for (const nlohmann::json& row : rows({"--distance", "3"}, "plans")) {
    const auto covering = row["covering"].get<std::string>();
    const bool is_named = covering == "6x21" || covering == "4x16";
    EXPECT_EQ(about.find(millions(row) + " of " + (covering == "6x21" ? "covering " : "") + covering) !=
                  std::string_view::npos,
              is_named)
        << row;
  }
}

TEST(Plan, of_mode_hybrid_says_what_does_not_fit) {
  const Answer some = plan_command({"--documents", "10M", "--memory", "1400MiB", "--set", kNamesInFile});
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

class PlanBytes : public CommandTest {
 protected:
  // Of as many pages, or short texts, each named by its url: what a scan counts, and what plan foretold.
  struct Counted {
    double scanned = 0;
    double planned = 0;
  };
  Counted scan_and_plan(int documents, std::size_t kind, int words, std::vector<const char*> settings) {
    const std::string url = "https://www.example.org/news/2024/article-";
    std::string input;
    std::mt19937_64 random(1);
    for (int i = 0; i < documents; ++i) {
      input += R"({"url":")" + url + std::to_string(100'000 + i) + R"(","text":")";
      for (int w = 0; w < words; ++w) {
        if (w > 0) input += ' ';
        for (int c = 0; c < 5; ++c) input += static_cast<char>('a' + random() % 26);
      }
      input += "\"}\n";
    }
    ConfigSources sources;
    for (const char* const setting : settings) sources.sets.emplace_back(setting);
    const Result<LoadedConfig> loaded = load_config(sources);
    EXPECT_TRUE(loaded.ok());
    const Ran ran =
        with_streams(input, [&](const Streams& streams) { return run_scan({}, loaded->config, streams); });
    EXPECT_EQ(ran.exit_code, kExitOk);
    const std::string mark = " MB  ";
    const std::size_t at = ran.err.find(mark, ran.err.find("memory "));
    Counted counted;
    EXPECT_NE(at, std::string::npos) << ran.err;
    std::from_chars(ran.err.data() + at + mark.size(), ran.err.data() + ran.err.size(), counted.scanned);

    const std::string count = std::to_string(documents);
    const std::string name_bytes = std::to_string(url.size() + 6);  // it is the id, too
    std::vector<const char*> asked = {"--json", "--documents", count.c_str(), "--name-bytes",
                                      name_bytes.c_str()};
    for (const char* const setting : settings) asked.insert(asked.end(), {"--set", setting});
    const nlohmann::json plan = nlohmann::json::parse(plan_command(asked).out);
    counted.planned = plan.contains("uniques") ? plan["uniques"][kind]["bytes_per_unique"].get<double>()
                                               : plan["plans"][0]["bytes_per_document"].get<double>();
    return counted;
  }
};

TEST_F(PlanBytes, a_scan_counts_what_was_forecast) {
  const std::string directory = "index.directory=" + folder_.string();
  const auto compare = [](const char* what, Counted counted) {
    EXPECT_NEAR(counted.planned, counted.scanned, counted.scanned / 5) << what;
  };
  // In a file: as many as make little of what is the same however many there are (counted_bytes).
  compare("pages, names in a file", scan_and_plan(100'000, 0, 60, {directory.c_str()}));
  compare("pages", scan_and_plan(50'000, 0, 60, {"index.by_id=true"}));
  compare("fingerprints", scan_and_plan(50'000, 0, 60, {"detector.mode=simhash"}));
  compare("short texts", scan_and_plan(50'000, 2, 10, {}));
  compare("texts kept as both", scan_and_plan(50'000, 4, 45, {}));
  compare("m-grams", scan_and_plan(50'000, 0, 10, {"detector.mode=mgram"}));
}

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
  const double both = both_bytes(SketchSize::kStandard, layout, 269, kLatinBytes);
  EXPECT_NEAR(counted_bytes({}, 45, folder_), both, both / 12);
  const double by_mgrams = mgram_text_bytes(56, 59, kLatinBytes);
  EXPECT_NEAR(counted_bytes({.mode = DetectorMode::kMgram}, 10, folder_), by_mgrams, by_mgrams / 12);
}

}  // namespace
}  // namespace neardup
