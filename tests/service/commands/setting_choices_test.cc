// The words of a setting stand in the table of settings, and again where they are taken: beside the values
// that they name, in rooms that the table does not know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster.h"
#include "core/covering_names.h"
#include "core/detector.h"
#include "core/fingerprint/feature_options.h"
#include "core/fingerprint/long_signature.h"
#include "core/fingerprint/mgram_signature.h"
#include "core/retention.h"
#include "core/signature.h"
#include "core/text/folder.h"
#include "core/text/html_text.h"
#include "service/codec/preset.h"
#include "service/config_table.h"
#include "service/kafka/client.h"
#include "service/log.h"
#include "service/pipeline/batch.h"
#include "service/pipeline/signer_settings.h"

namespace neardup {
namespace {

using ::testing::UnorderedElementsAreArray;
using Words = std::vector<std::string_view>;

// What is taken, besides what stands for a choice of its own.
template <class Names>
Words words(const Names& names, Words besides = {}) {
  besides.insert(besides.end(), names.begin(), names.end());
  return besides;
}

Words covering_words() {
  Words all = {"auto"};
  for (const CoveringName& covering : kCoveringNames) all.push_back(covering.name);
  return all;
}

std::map<std::string_view, Words> taken() {
  return {{"input.preset", words(kPresetNames)},
          {"input.id_from", words(kIdFromNames)},
          {"input.base64", words(kBase64Names, {"preset"})},
          {"html.extract", words(kHtmlExtractNames)},
          {"text.chinese", words(kChineseFormNames)},
          {"fingerprint.kind", words(kFingerprintKindNames)},
          {"fingerprint.features", words(kFeatureSourceNames)},
          {"detector.mode", words(kDetectorModeNames)},
          {"detector.sketch", words(kSketchSizeNames)},
          {"detector.gram_units", words(kMgramUnitsNames)},
          {"detector.measure", words(kMgramMeasureNames)},
          {"clusters.keep", words(kKeepPolicyNames)},
          {"index.covering", covering_words()},
          {"index.age_clock", words(kRetentionClockNames)},
          {"index.at_memory_limit", words(kMemoryPolicyNames)},
          {"output.headers", words(kHeaderModeNames)},
          {"kafka.topics.unique_holds", words(kUniqueHoldsNames)},
          {"log.level", words(kLogLevelNames)},
          {"log.format", words(kLogFormatNames)}};
}

// Whose words are no names of values.
const Words kOthers = {"kafka.security_protocol", "kafka.sasl_mechanism", "detector.verify"};

TEST(SettingChoices, are_the_words_that_are_taken) {
  const std::map<std::string_view, Words> all = taken();
  std::size_t met = 0;
  for (const Setting& setting : settings()) {
    if (setting.choices.empty() || std::ranges::count(kOthers, setting.path) > 0) continue;
    const auto found = all.find(setting.path);
    ASSERT_NE(found, all.end()) << setting.path << ": name here what takes its words";
    EXPECT_THAT(setting.choices, UnorderedElementsAreArray(found->second)) << setting.path;
    ++met;
  }
  EXPECT_EQ(met, all.size()) << "each is a setting";
}

TEST(SettingChoices, of_verify_are_both_that_there_are) {
  std::vector<bool> values;
  for (const std::string_view word : find_setting("detector.verify")->choices) {
    Config config;
    config.detector.verify = word;
    values.push_back(resolve_detector_options(config).verify_sketch);
  }
  EXPECT_THAT(values, UnorderedElementsAreArray({false, true}));
}

// It refuses none of these words, and another one by name.
TEST(SettingChoices, of_the_protocol_are_those_of_librdkafka) {
  for (const std::string_view word : find_setting("kafka.security_protocol")->choices)
    EXPECT_TRUE(check_property("security.protocol", std::string(word))) << word;
  EXPECT_FALSE(check_property("security.protocol", "sasl_tls"));
}

}  // namespace
}  // namespace neardup
