// Documents known by their ids, and forgotten by them: against a detector that never met what was forgotten,
// and against a journal's reader.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "core/detector.h"
#include "tests/support/mutant_stream.h"
#include "tests/support/signed_text.h"

namespace neardup {
namespace {

struct Mode {
  std::string name;
  DetectorOptions options;
};
std::ostream& operator<<(std::ostream& out, const Mode& mode) { return out << mode.name; }

SignerOptions signing(const DetectorOptions& options) {
  return {.routes = options.routes(), .layout = options.layout(), .mgrams = options.mgrams()};
}

// What an outsider may know: the documents in their order, what was decided, and what the detector kept.
struct Known {
  SignedText text;
  std::string kept;
  Sequence sequence = 0;
};

// Every unique that is remembered, as if no other had ever come; its numbers are its own.
class Survivors {
 public:
  Survivors(const DetectorOptions& options, const std::vector<Known>& known) : detector_(options) {
    for (const Known& unique : known) {
      EXPECT_TRUE(detector_.restore(unique.text.unique(unique.kept)));
      numbers_.push_back(unique.sequence);
    }
  }

  // As the detector that knows them by other numbers would say it.
  Decision check(const SignedText& text, Sequence next) const {
    Decision decision = detector_.check(text.arrival());
    decision.sequence = decision.verdict == Verdict::kUnique ? next : numbers_[decision.sequence];
    if (decision.previous) decision.previous = numbers_[*decision.previous];
    return decision;
  }

 private:
  Detector detector_;
  std::vector<Sequence> numbers_;
};

class Forget : public testing::TestWithParam<Mode> {
 protected:
  struct Step {
    enum class Kind { kUnique, kDuplicate, kDeletion, kExpiry } kind;
    Known unique = {};
    ClusterGain gain = {};
    std::string id = {};
    Sequence oldest = 0;
  };

  static void take(Detector& detector, const Step& step) {
    switch (step.kind) {
      case Step::Kind::kUnique:
        ASSERT_TRUE(detector.restore(step.unique.text.unique(step.unique.kept)));
        break;
      case Step::Kind::kDuplicate:
        ASSERT_TRUE(detector.restore(step.gain, detector.cluster_rule()));
        break;
      case Step::Kind::kDeletion:
        detector.forget(step.id);
        break;
      case Step::Kind::kExpiry:
        detector.expire(step.oldest);
        break;
    }
  }
};

// Ids come again and again, some are deleted, what is old expires. Each decision is that of a detector which
// has the uniques that are left and nothing else; and whoever reads what was decided has the same state
// behind every step.
TEST_P(Forget, leaves_nothing_behind_and_is_restored_at_every_step) {
  DetectorOptions options = GetParam().options;
  options.by_id = true;
  options.clusters.keep = KeepPolicy::kLongest;
  std::uint64_t deleted = 0;
  std::uint64_t revisions = 0;
  std::uint64_t came_back = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    MutantStream stream(seed);
    TextSigner signer(signing(options));
    Detector detector(options);
    Detector reader(options);
    std::vector<Known> known;
    std::vector<std::string> texts;
    for (int i = 0; i < 400; ++i) {
      Step step;
      const std::uint64_t draw = random() % 20;
      if (draw == 0 && !known.empty()) {
        step = {.kind = Step::Kind::kDeletion, .id = known[random() % known.size()].text.id};
        std::vector<Sequence> expected;
        for (auto unique = known.rbegin(); unique != known.rend(); ++unique)
          if (unique->text.id == step.id) expected.push_back(unique->sequence);
        std::erase_if(known, [&](const Known& unique) { return unique.text.id == step.id; });
        ASSERT_EQ(detector.forget(step.id), expected);
        deleted += expected.size();
      } else if (draw == 1) {
        step = {.kind = Step::Kind::kDeletion, .id = "of nobody"};
        ASSERT_TRUE(detector.forget(step.id).empty());
      } else if (draw == 2 && random() % 4 == 0) {
        step = {.kind = Step::Kind::kExpiry,
                .oldest = detector.oldest() + random() % (detector.size() - detector.oldest() + 1) / 4};
        std::erase_if(known, [&](const Known& unique) { return unique.sequence < step.oldest; });
        detector.expire(step.oldest);
      } else {
        // Now and then a text that was there before, under any id.
        texts.push_back(!texts.empty() && random() % 5 == 0 ? texts[random() % texts.size()] : stream.next());
        SignedText text = signer.sign(texts.back());
        text.id = "page " + std::to_string(random() % 60);
        const Decision expected = Survivors(options, known).check(text, detector.size());
        ASSERT_EQ(detector.check(text.arrival()), expected);
        std::string kept;
        const Decision decision = detector.apply(text.arrival(), &kept);
        ASSERT_EQ(decision, expected);
        if (decision.verdict == Verdict::kUnique) {
          revisions += decision.previous.has_value();
          came_back += std::ranges::count(texts, texts.back()) > 1;
          known.push_back({text, kept, decision.sequence});
          step = {.kind = Step::Kind::kUnique, .unique = known.back()};
        } else {
          const Sequence leader = decision.sequence;
          step = {
              .kind = Step::Kind::kDuplicate,
              .gain = {
                  .leader = leader, .joined = 1, .representative = detector.cluster(leader).representative}};
        }
      }
      ASSERT_EQ(detector.remembered(), known.size());
      take(reader, step);
      ASSERT_EQ(reader.state_digest(), detector.state_digest()) << "step " << i;
    }
  }
  EXPECT_GT(deleted, 30U);
  EXPECT_GT(revisions, 30U);
  EXPECT_GT(came_back, 5U);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, Forget,
    testing::Values(Mode{"hybrid", {}}, Mode{"simhash", {.mode = DetectorMode::kSimhash}},
                    Mode{"sketches", {.mode = DetectorMode::kSimhash, .verify_sketch = true}},
                    Mode{"mgram", {.mode = DetectorMode::kMgram}}),
    [](const auto& mode) { return mode.param.name; });

}  // namespace
}  // namespace neardup
