// Are fingerprints of other options still what they were? Journals hold them as they hold the default ones.
//
// tests/golden/fingerprint_options.jsonl has one case a line: a text and the options (settings of that name;
// of the two files their content), and the fingerprint it must have. To add a line, write it without one and
// run this test with NEARDUP_GOLDEN_UPDATE=1. What signer_golden_test.cc says of changed lines holds here
// too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/fingerprint/signer.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFile = NEARDUP_SOURCE_DIR "/tests/golden/fingerprint_options.jsonl";

SignerOptions options_of(const Json& line) {
  SignerOptions options;
  FeatureOptions& features = options.features;
  const auto source = std::ranges::find(kFeatureSourceNames, line.value("features", "words"));
  features.source = static_cast<FeatureSource>(source - kFeatureSourceNames.begin());
  features.shingle_size = line.value("shingle_size", features.shingle_size);
  features.ngram_size = line.value("ngram_size", features.ngram_size);
  if (line.contains("stop_words")) {
    features.stop_words =
        std::make_shared<StopWords>(*StopWords::parse(line["stop_words"].get<std::string>()));
  }
  if (line.contains("idf")) {
    features.idf = std::make_shared<IdfTable>(*IdfTable::parse(line["idf"].get<std::string>()));
  }
  return options;
}

TEST(OptionsGolden, every_text_has_the_fingerprint_it_always_had) {
  const char* const update = std::getenv("NEARDUP_GOLDEN_UPDATE");
  std::vector<Json> lines;
  std::ifstream in(kFile);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  ASSERT_GE(lines.size(), 15U) << kFile;
  for (Json& line : lines) {
    SCOPED_TRACE(line.at("name").get<std::string>());
    Document document;
    document.body = line.at("text");
    const SignerOptions options = options_of(line);
    EXPECT_FALSE(options.features.is_default()) << "signatures.jsonl holds those";
    Signature signature;
    ASSERT_EQ(Signer(options).sign(document, signature), std::nullopt);
    std::array<char, 17> hex{};
    std::snprintf(hex.data(), hex.size(), "%016llx",
                  static_cast<unsigned long long>(signature.fingerprint.bits));
    if (update != nullptr) line["fingerprint"] = hex.data();
    EXPECT_EQ(line.at("fingerprint"), hex.data());
  }
  if (update != nullptr) {
    std::ofstream out(kFile);
    for (const Json& line : lines) out << line.dump() << "\n";
  }
}

}  // namespace
}  // namespace neardup
