// The verdicts of every mode on texts and what ten kinds of change at five rates make of them. They are in
// tests/golden/mutations/verdicts.tsv, a line each: id, and by mode `unique`, or kind, leader and similarity;
// NEARDUP_GOLDEN_UPDATE=1 writes them anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "service/codec/verdict_codec.h"
#include "service/commands/scan.h"
#include "tests/service/commands/command_test.h"

namespace neardup {
namespace {

constexpr const char* kFolder = NEARDUP_SOURCE_DIR "/tests/golden/mutations/";

struct Mode {
  const char* name;
  void (*configure)(Config&);
};

constexpr Mode kModes[] = {
    {"hybrid", [](Config&) {}},
    {"hybrid, simplified", [](Config& config) { config.text.chinese = "simplified"; }},
    {"simhash", [](Config& config) { config.detector.mode = "simhash"; }},
    {"simhash by minhash",
     [](Config& config) {
       config.detector.mode = "simhash";
       config.fingerprint.kind = "minhash";
     }},
    {"simhash, verified",
     [](Config& config) {
       config.detector.mode = "simhash";
       config.detector.verify = "sketch";
     }},
    {"mgram", [](Config& config) { config.detector.mode = "mgram"; }},
};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class VerdictGolden : public CommandTest {
 protected:
  std::string scan(const Mode& mode, int threads) {
    Config config;
    mode.configure(config);
    ScanOptions options;
    options.threads = threads;
    const Ran ran =
        with_streams(documents_, [&](const Streams& streams) { return run_scan(options, config, streams); });
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.out;
  }

  std::vector<ParsedVerdict> verdicts(const Mode& mode) {
    std::vector<ParsedVerdict> all;
    const std::string out = scan(mode, 1);
    for (std::size_t begin = 0; begin < out.size();) {
      const std::size_t end = out.find('\n', begin);
      Result<ParsedVerdict> verdict = parse_verdict_json(std::string_view(out).substr(begin, end - begin));
      EXPECT_TRUE(verdict.ok()) << out.substr(begin, end - begin);
      if (verdict.ok()) all.push_back(*std::move(verdict));
      begin = end + 1;
    }
    return all;
  }

  const std::string documents_ = content(std::string(kFolder) + "documents.jsonl");
};

std::string told(const ParsedVerdict& verdict) {
  if (verdict.verdict != Verdict::kDuplicate) return "unique";
  const char* const kind = verdict.kind == DuplicateKind::kExact  ? "exact"
                           : verdict.kind == DuplicateKind::kNear ? "near"
                                                                  : "short";
  return std::string(kind) + ' ' + verdict.duplicate_of->id + ' ' +
         std::to_string(verdict.similarity_permille.value_or(0));
}

TEST_F(VerdictGolden, each_mode_says_of_every_change_what_it_said) {
  std::string table = "id";
  std::vector<std::string> rows;
  for (const Mode& mode : kModes) {
    table += std::string("\t") + mode.name;
    const std::vector<ParsedVerdict> all = verdicts(mode);
    rows.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (rows[i].empty()) rows[i] = all[i].id;
      rows[i] += '\t' + told(all[i]);
    }
  }
  table += '\n';
  for (const std::string& row : rows) table += row + '\n';
  const std::string path = std::string(kFolder) + "verdicts.tsv";
  if (std::getenv("NEARDUP_GOLDEN_UPDATE") != nullptr) std::ofstream(path, std::ios::binary) << table;
  EXPECT_EQ(table, content(path));
}

TEST_F(VerdictGolden, no_mode_hangs_on_the_threads) {
  for (const Mode& mode : kModes) {
    const std::string one = scan(mode, 1);
    for (const int threads : {2, 3}) EXPECT_TRUE(scan(mode, threads) == one) << mode.name << ' ' << threads;
  }
}

// What holds by definition, so that a golden file written anew cannot hide that it no longer does.
TEST_F(VerdictGolden, small_changes_are_found_and_large_ones_are_not) {
  std::map<std::string, std::string> said;
  std::map<std::string, std::string> simplified;
  for (const ParsedVerdict& verdict : verdicts(kModes[0])) said[verdict.id] = told(verdict);
  for (const ParsedVerdict& verdict : verdicts(kModes[1])) simplified[verdict.id] = told(verdict);
  for (const std::string text : {"page-en", "page-zh", "short-en", "short-zh"}) {
    EXPECT_EQ(said.at(text), "unique");
    for (const std::string change : {"edit", "insert", "delete", "boilerplate"}) {
      EXPECT_NE(said.at(text + '/' + change + "/0.01"), "unique") << text << ' ' << change;
      EXPECT_EQ(said.at(text + '/' + change + "/0.5"), "unique") << text << ' ' << change;
    }
    for (const std::string change : {"counter", "timestamp"})
      EXPECT_NE(said.at(text + '/' + change + "/0.01"), "unique") << text << ' ' << change;
  }
  for (const std::string page : {"page-en", "page-zh"})
    EXPECT_NE(said.at(page + "/move/0.5"), "unique") << "a page is the set of its shingles";
  int wide = 0;
  int traditional = 0;
  for (const auto& [id, verdict] : said) {
    if (id.find("/full_width/") != std::string::npos) {
      EXPECT_EQ(verdict, "exact " + id.substr(0, id.find('/')) + " 1000") << id;
      ++wide;
    }
    if (id.find("/traditional/") != std::string::npos) {
      EXPECT_EQ(simplified.at(id), "exact " + id.substr(0, id.find('/')) + " 1000") << id;
      ++traditional;
    }
  }
  EXPECT_EQ(wide, 10);
  EXPECT_GE(traditional, 6);
}

}  // namespace
}  // namespace neardup
