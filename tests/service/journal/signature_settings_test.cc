#include "service/journal/signature_settings.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/fingerprint/signer_options.h"
#include "service/config.h"
#include "service/config_table.h"

namespace neardup {
namespace {

TEST(SignatureSettings, what_two_differ_in_is_named_by_settings_alone) {
  const auto apart = [](const SignerOptions& one, const SignerOptions& other) {
    return settings_apart(one.text(), other.text()) + " | " + settings_apart(other.text(), one.text());
  };
  const SignerOptions by_default;
  const SignerOptions fingerprints{.routes = RouteParts::kNone};
  const SignerOptions verified{.routes = RouteParts::kLong};
  const SignerOptions mgrams{.routes = RouteParts::kMgrams};
  EXPECT_EQ(apart(by_default, fingerprints), "detector.mode=hybrid | detector.mode=simhash");
  EXPECT_EQ(apart(mgrams, verified), "detector.mode=mgram | detector.mode=simhash detector.verify=sketch");
  EXPECT_EQ(apart(fingerprints, verified), "detector.verify=off | detector.verify=sketch");
  const SignerOptions compact{.sketch = SketchSize::kCompact};
  EXPECT_EQ(apart(by_default, compact), "detector.sketch=standard | detector.sketch=compact");
  const SignerOptions all{.html_extract = HtmlExtract::kAll, .fold = {.chinese = ChineseForm::kSimplified}};
  EXPECT_EQ(apart(by_default, all),
            "html.extract=main text.chinese=as_is | html.extract=all text.chinese=simplified");
  const SignerOptions minhash{.fingerprint = FingerprintKind::kMinHash};
  EXPECT_EQ(apart(by_default, minhash), "fingerprint.kind=simhash | fingerprint.kind=minhash");
  SignerOptions content = mgrams;
  content.mgrams.over = MgramUnits::kContentWords;
  EXPECT_EQ(apart(mgrams, content),
            "detector.gram_units=characters or words | detector.gram_units=content_words");
  SignerOptions listed;
  listed.features.stop_words = std::make_shared<const StopWords>(*StopWords::parse("the\n"));
  EXPECT_TRUE(apart(by_default, listed)
                  .starts_with("fingerprint.stop_words_file=\"\" | fingerprint.stop_words_file="));
  const std::vector<SignerOptions> each = {by_default, fingerprints, verified, mgrams,
                                           compact,    all,          minhash,  content};
  for (const SignerOptions& one : each) {
    for (const SignerOptions& other : each)
      EXPECT_EQ(settings_apart(one.text(), other.text()).empty(), &one == &other) << apart(one, other);
  }
}

// Such a text leaves out what is the default of a setting: here the two are held together.
TEST(SignatureSettings, what_is_left_out_is_what_the_configuration_says_by_default) {
  SignerOptions other{.html_extract = HtmlExtract::kAll,
                      .fold = {.chinese = ChineseForm::kSimplified},
                      .fingerprint = FingerprintKind::kMinHash,
                      .sketch = SketchSize::kCompact};
  other.features.source = FeatureSource::kNgrams;
  other.features.stop_words = std::make_shared<const StopWords>(*StopWords::parse("the\n"));
  other.features.idf = std::make_shared<const IdfTable>(*IdfTable::parse("the 1\n"));
  std::istringstream left_out(
      settings_apart(SignerOptions{}.text(), other.text()) + ' ' +
      settings_apart(SignerOptions{}.text(), SignerOptions{.routes = RouteParts::kMgrams}.text()));
  const Config by_default;
  std::set<std::string> seen;
  for (std::string word; left_out >> word;) {
    const std::string name = word.substr(0, word.find('='));
    const Setting* const setting = find_setting(name);
    ASSERT_NE(setting, nullptr) << name;
    EXPECT_EQ(word, name + '=' + yaml_value(*setting, by_default));
    seen.insert(name);
  }
  EXPECT_EQ(seen, (std::set<std::string>{"detector.mode", "detector.sketch", "fingerprint.features",
                                         "fingerprint.idf_file", "fingerprint.kind",
                                         "fingerprint.stop_words_file", "html.extract", "text.chinese"}));
}

}  // namespace
}  // namespace neardup
