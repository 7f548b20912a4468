// Documents that are known by a digest of their content alone, among texts, in every mode.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/detector.h"
#include "tests/support/signed_text.h"

namespace neardup {
namespace {

struct Case {
  const char* name;
  DetectorOptions options;
};

class DetectorDigest : public testing::TestWithParam<Case> {
 protected:
  static SignerOptions signing(const DetectorOptions& options) {
    SignerOptions made;
    made.routes = options.routes();
    made.layout = options.layout();
    made.sketch = options.sketch;
    made.mgrams = options.mgrams();
    return made;
  }
};

constexpr auto kDigest = Document::Format::kDigest;

TEST_P(DetectorDigest, equal_ones_are_exact_duplicates_and_nothing_else_is) {
  DetectorOptions options = GetParam().options;
  options.by_id = true;
  TextSigner signer(signing(options));
  Detector detector(options);
  std::vector<SignedText> uniques;
  std::vector<std::string> kept;
  const auto decide = [&](std::string body, Document::Format format) {
    SignedText text = signer.sign(std::move(body), format);
    std::string bytes;
    const Decision decision = detector.apply(text.arrival(), &bytes);
    if (decision.verdict == Verdict::kUnique) {
      uniques.push_back(std::move(text));
      kept.push_back(std::move(bytes));
    }
    return decision;
  };
  const auto expect_unique = [&](const std::string& body, Document::Format format) {
    EXPECT_EQ(decide(body, format).verdict, Verdict::kUnique) << body;
  };
  const std::string content = "sha1:2HBVXV7ZWYN5T2QMGMBT4DCDKJHGJ3BV";
  expect_unique("sha1:2HBVXV7ZWYN5T2QMGMBT4DCDKJHGJ3BW", kDigest);
  expect_unique(content, kDigest);
  expect_unique(content, Document::Format::kText);
  expect_unique("a few words that stand for themselves alone", Document::Format::kText);
  const Decision again = decide(content, kDigest);
  EXPECT_EQ(again.verdict, Verdict::kDuplicate);
  EXPECT_EQ(again.kind, DuplicateKind::kExact);
  EXPECT_EQ(again.sequence, 1U);
  EXPECT_EQ(again.similarity_permille, 1000);

  // What is kept of them brings them back.
  Detector same(options);
  for (std::size_t i = 0; i < uniques.size(); ++i) {
    const Status status = same.restore(uniques[i].unique(kept[i]));
    ASSERT_TRUE(status) << status.error().message;
  }
  EXPECT_EQ(same.size(), 4U);
  for (std::size_t i = 0; i < uniques.size(); ++i) {
    const Decision known = same.check(uniques[i].arrival());
    EXPECT_EQ(known.verdict, Verdict::kDuplicate);
    EXPECT_EQ(known.sequence, i);
  }

  // And what is forgotten is new again.
  EXPECT_EQ(detector.forget("d1"), std::vector<Sequence>{1});
  expect_unique(content, kDigest);
  EXPECT_EQ(decide(content, kDigest).sequence, 4U);
  detector.expire(5);
  expect_unique(content, kDigest);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, DetectorDigest,
    testing::Values(Case{"hybrid", {}}, Case{"simhash", {.mode = DetectorMode::kSimhash}},
                    Case{"verified", {.mode = DetectorMode::kSimhash, .verify_sketch = true}},
                    Case{"mgram", {.mode = DetectorMode::kMgram}}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace neardup
