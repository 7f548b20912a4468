// Detector against a linear scan over everything, and against itself restored.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/detector.h"
#include "tests/reference/linear_detector.h"

namespace neardup {
namespace {

struct Drawn {
  std::string id;
  std::string url;
  Source source;
  Signature signature;

  Arrival arrival() const {
    return {.id = id, .url = url, .source = source, .event_time_ms = 0, .signature = signature};
  }
  Unique unique() const {
    return {.id = id, .url = url, .source = source, .event_time_ms = 0, .signature = signature, .kept = {}};
  }
};

// A stream with clusters: new texts, the same texts again, and texts a few bits from earlier ones. A text is
// a pair of digest and fingerprint, as the signer gives it: equal digests have equal fingerprints.
std::vector<Drawn> draw(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Drawn> stream;
  for (std::size_t i = 0; i < count; ++i) {
    Drawn document;
    document.id = "doc-" + std::to_string(i);
    if (random() % 4 != 0) document.url = "https://example.org/" + std::to_string(random() % 1000);
    document.source = {.topic = static_cast<std::uint32_t>(random() % 3),
                       .partition = static_cast<std::int32_t>(random() % 8),
                       .offset = static_cast<std::int64_t>(i)};
    const std::uint64_t kind = random() % 10;
    if (stream.empty() || kind < 4) {
      document.signature = {.exact = {random(), random()},
                            .fingerprint = {random()},
                            .tokens = static_cast<std::uint32_t>(1 + random() % 5000)};
    } else {
      document.signature = stream[random() % stream.size()].signature;
      if (kind < 8) {
        document.signature.exact = {random(), random()};
        for (std::uint64_t flips = random() % 6; flips > 0; --flips) {
          document.signature.fingerprint.bits ^= std::uint64_t{1} << random() % 64;
        }
      }
    }
    stream.push_back(document);
  }
  return stream;
}

TEST(DetectorProperty, decides_twenty_thousand_clustered_documents_as_a_linear_scan_does) {
  for (int k = 0; k <= 3; ++k) {
    const std::uint64_t seed = 77 + static_cast<std::uint64_t>(k);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", k " << k);
    Detector detector({.mode = DetectorMode::kSimhash, .distance = k});
    reference::LinearDetector linear(k);
    int near = 0;
    int exact = 0;
    for (const Drawn& document : draw(seed, k == 3 ? 20'000 : 4'000)) {
      const Decision expected = linear.apply(document.signature);
      Decision decision = detector.apply(document.arrival());
      decision.relation = Relation::kOther;  // it hangs on names, of which the twin knows nothing
      ASSERT_EQ(decision, expected) << document.id;
      if (expected.verdict == Verdict::kDuplicate) ++(expected.kind == DuplicateKind::kNear ? near : exact);
    }
    EXPECT_GT(near, 100);
    EXPECT_GT(exact, 100);
  }
}

// What the leader rule promises, said without a second detector: every duplicate names a unique that came
// before it, and no unique lies within k of an earlier one.
TEST(DetectorProperty, the_leader_rule_holds) {
  const std::vector<Drawn> stream = draw(5, 5'000);
  Detector detector({.mode = DetectorMode::kSimhash});
  std::vector<Signature> uniques;
  for (const Drawn& document : stream) {
    const Decision decision = detector.apply(document.arrival());
    if (decision.verdict == Verdict::kUnique) {
      ASSERT_EQ(decision.sequence, uniques.size()) << "without a hole or a repeat";
      for (const Signature& earlier : uniques) {
        ASSERT_GT(reference::differing_bits(earlier.fingerprint.bits, document.signature.fingerprint.bits),
                  3);
      }
      uniques.push_back(document.signature);
    } else {
      ASSERT_LT(decision.sequence, uniques.size());
      const Signature& leader = uniques[decision.sequence];
      ASSERT_EQ(decision.distance,
                reference::differing_bits(leader.fingerprint.bits, document.signature.fingerprint.bits));
      ASSERT_EQ(decision.kind == DuplicateKind::kExact, leader.exact == document.signature.exact);
    }
  }
}

TEST(DetectorProperty, restoring_a_prefix_and_applying_the_rest_equals_applying_all) {
  const std::vector<Drawn> stream = draw(11, 20'000);
  Detector undisturbed({.mode = DetectorMode::kSimhash});
  std::vector<Decision> decisions;
  decisions.reserve(stream.size());
  for (const Drawn& document : stream) decisions.push_back(undisturbed.apply(document.arrival()));

  for (const std::size_t cut :
       {std::size_t{0}, std::size_t{1}, std::size_t{777}, stream.size() / 2, stream.size()}) {
    SCOPED_TRACE(cut);
    Detector detector({.mode = DetectorMode::kSimhash});
    for (std::size_t i = 0; i < cut; ++i) {
      if (decisions[i].verdict != Verdict::kUnique) {
        ASSERT_TRUE(detector.restore(ClusterGain{.leader = decisions[i].sequence, .joined = 1}, ""));
      } else {
        ASSERT_TRUE(detector.restore(stream[i].unique()));
      }
    }
    for (std::size_t i = cut; i < stream.size(); ++i) {
      ASSERT_EQ(detector.apply(stream[i].arrival()), decisions[i]) << i;
    }
    EXPECT_EQ(detector.state_digest(), undisturbed.state_digest());
    // But for what watches the clusters, which begins anew.
    EXPECT_EQ(detector.bytes() - detector.cluster_counts().bytes,
              undisturbed.bytes() - undisturbed.cluster_counts().bytes);
  }

  // The journal gives back what `unique` gave out.
  Detector copy({.mode = DetectorMode::kSimhash});
  for (Sequence sequence = 0; sequence < undisturbed.size(); ++sequence)
    ASSERT_TRUE(copy.restore(undisturbed.unique(sequence)));
  for (Sequence leader = 0; leader < undisturbed.size(); ++leader) {
    const ClusterState cluster = undisturbed.cluster(leader);
    if (cluster.size > 1) {
      ASSERT_TRUE(copy.restore(ClusterGain{.leader = leader, .joined = cluster.size - 1}, ""));
    }
  }
  EXPECT_EQ(copy.state_digest(), undisturbed.state_digest());
}

}  // namespace
}  // namespace neardup
