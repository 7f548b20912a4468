// Verdicts over streams, as tests/golden/mgram_verdicts.py computed them from the definition in
// core/detector/README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/detector/mgram_route.h"
#include "core/text/folder.h"

namespace neardup {
namespace {

template <class Enum, class Names>
Enum named(const Names& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

TEST(MgramGolden, verdicts_are_those_of_the_definition) {
  std::ifstream file(NEARDUP_SOURCE_DIR "/tests/golden/mgram_verdicts.jsonl");
  int duplicates = 0;
  int uniques = 0;
  for (std::string line; std::getline(file, line);) {
    const auto golden = nlohmann::json::parse(line);
    const auto over = named<MgramUnits>(kMgramUnitsNames, golden["over"]);
    std::shared_ptr<const StopWords> stop_words;
    if (over == MgramUnits::kContentWords) {
      std::string list;
      for (const std::string word : golden["stop_words"]) list += word + '\n';
      stop_words = std::make_shared<const StopWords>(*StopWords::parse(list));
    }
    const MgramRouteOptions options{.m = golden["m"],
                                    .over = over,
                                    .measure = named<MgramMeasure>(kMgramMeasureNames, golden["measure"]),
                                    .threshold_permille = golden["threshold"]};
    MgramRoute route(options);
    MgramSigner signer({.m = options.m, .over = over, .stop_words = stop_words});
    MgramSignature signature;
    const auto work = std::make_unique<MgramWork>();
    CanonicalText canonical;
    Sequence next = 0;
    for (const auto& document : golden["stream"]) {
      const std::string text = document["text"];
      canonicalize(text, canonical);
      ASSERT_EQ(canonical.text.view(), text) << "the texts of the file are canonical";
      std::optional<MgramMatch> expected;
      if (!document["duplicate"].is_null()) {
        expected = MgramMatch{document["duplicate"][0], document["duplicate"][1]};
      }
      signer.sign(canonical.text, signature);
      ASSERT_EQ(route.find(signature, *work), expected) << text << "\n" << line.substr(0, 100);
      (expected ? duplicates : uniques) += 1;
      if (!expected) route.insert(next++, signature);
    }
  }
  EXPECT_GT(duplicates, 100);
  EXPECT_GT(uniques, 100);
}

}  // namespace
}  // namespace neardup
