#include "core/detector.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/limits.h"
#include "core/returning.h"
#include "tests/support/fingerprint_sets.h"

namespace neardup {
namespace {

constexpr std::uint64_t kBits = 0x0123456789ABCDEF;

// A document whose text is named by `text` and whose fingerprint is `bits`; each text has an id, a url and a
// place of its own.
Arrival arrival(std::uint64_t text, std::uint64_t bits) {
  static std::map<std::uint64_t, std::pair<std::string, std::string>> names;
  const auto [at, added] = names.try_emplace(text);
  if (added) at->second = {"d" + std::to_string(text), "http://example.org/" + std::to_string(text)};
  return {.id = at->second.first,
          .url = at->second.second,
          .source = {.topic = 0, .partition = 1, .offset = static_cast<std::int64_t>(text)},
          .signature = {.exact = {text, ~text}, .fingerprint = {bits}, .tokens = 10}};
}

DetectorOptions by_fingerprint(int distance = 3) {
  return {.mode = DetectorMode::kSimhash, .distance = distance};
}

void restore(Detector& detector, const Arrival& a) {
  const Status status = detector.restore({.id = a.id,
                                          .url = a.url,
                                          .source = a.source,
                                          .event_time_ms = a.event_time_ms,
                                          .signature = a.signature,
                                          .kept = {}});
  ASSERT_TRUE(status) << status.error().message;
}

Decision unique(Sequence sequence) { return {.verdict = Verdict::kUnique, .sequence = sequence}; }

Decision exact(Sequence leader) {
  return {.verdict = Verdict::kDuplicate,
          .kind = DuplicateKind::kExact,
          .sequence = leader,
          .relation = Relation::kSelf};
}

Decision near(Sequence leader, int distance, int similarity) {
  return {.verdict = Verdict::kDuplicate,
          .kind = DuplicateKind::kNear,
          .sequence = leader,
          .distance = distance,
          .similarity_permille = similarity};
}

TEST(Detector, the_first_document_is_unique_and_the_same_text_again_an_exact_duplicate) {
  Detector detector(by_fingerprint());
  EXPECT_EQ(detector.apply(arrival(1, kBits)), unique(0));
  EXPECT_EQ(detector.apply(arrival(1, kBits)), exact(0));
  EXPECT_EQ(detector.size(), 1U);
}

TEST(Detector, tells_how_many_fingerprints_the_last_document_was_compared_with) {
  Detector detector(by_fingerprint());
  EXPECT_EQ(detector.candidates(), 0U);
  detector.apply(arrival(1, 0));
  EXPECT_EQ(detector.candidates(), 0U) << "there is nothing yet";
  detector.apply(arrival(2, 0xFFFFFFFF));
  EXPECT_EQ(detector.candidates(), 1U) << "few are compared one and all";
  detector.apply(arrival(3, 0xFFFF));
  EXPECT_EQ(detector.candidates(), 2U);
  detector.apply(arrival(3, 0xFFFF));
  EXPECT_EQ(detector.candidates(), 0U) << "the same text needs no search";
}

TEST(Detector, a_check_answers_as_apply_would_and_leaves_no_trace) {
  std::mt19937_64 random(1);
  Detector detector(by_fingerprint());
  std::size_t uniques = 0;
  std::size_t duplicates = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    // Texts repeat, and fingerprints lie in crowds.
    const Arrival document =
        arrival(random() % 2000, (random() % 700) * 0x9E3779B97F4A7C15 ^ 1ULL << random() % 64);
    const Digest128 before = detector.state_digest();
    const Decision checked = detector.check(document);
    const std::uint64_t candidates = detector.candidates();
    ASSERT_EQ(detector.state_digest(), before);
    ASSERT_EQ(detector.apply(document), checked);
    EXPECT_EQ(detector.candidates(), candidates);
    ++(checked.verdict == Verdict::kUnique ? uniques : duplicates);
  }
  EXPECT_GT(uniques, 100U);
  EXPECT_GT(duplicates, 100U);
}

TEST(Detector, counts_crowded_buckets_and_cuts_none) {
  Detector detector(by_fingerprint());
  // More than a scan is for, all with the same lower half: one bucket in three tables.
  for (std::uint64_t i = 0; i < 30'000; ++i) restore(detector, arrival(i, i * 0x9E3779B97F4A7C15 << 32 | 5));
  EXPECT_EQ(detector.apply(arrival(30'001, 0xAAAAAAAA00000005)), unique(30'000));
  const Detector::LookupCounts counts = detector.lookup_counts();
  EXPECT_GT(counts.largest_bucket, 20'000U);
  EXPECT_EQ(counts.slow, 1U);
  EXPECT_EQ(counts.truncated, 0U);
}

// Then no two are within k bits, as before, and an equal fingerprint ends a search.
TEST(Detector, uniques_that_the_same_options_decided_are_looked_up_as_before) {
  Detector live(by_fingerprint());
  const auto words = fingerprint_set<std::uint64_t>("random", 5000, 5);
  for (std::size_t i = 0; i < words.size(); ++i) live.apply(arrival(i, words[i]));
  ASSERT_EQ(live.size(), words.size());
  std::vector<Unique> uniques;
  for (Sequence s = 0; s < live.size(); ++s) uniques.push_back(live.unique(s));
  const auto restored = [&](std::string_view decided_by) {
    Detector detector(by_fingerprint());
    Returning returning(by_fingerprint());
    EXPECT_TRUE(returning.prepare(uniques));
    detector.restore(returning, 0, returning.size(), decided_by);
    EXPECT_EQ(detector.state_digest(), live.state_digest());
    return detector;
  };
  const auto compared = [&](const Detector& detector) {
    std::uint64_t candidates = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(detector.check(arrival(words.size() + i, words[i])), near(i, 0, 1000));
      candidates += detector.candidates();
    }
    return candidates;
  };
  const std::uint64_t as_before = compared(restored(by_fingerprint().text()));
  const std::uint64_t as_unknown = compared(restored(""));
  EXPECT_LT(3 * as_before, as_unknown) << "one table of six";
  EXPECT_EQ(compared(restored(by_fingerprint(2).text())), as_unknown) << "some may be 3 bits apart";
}

TEST(Detector, another_text_with_the_same_fingerprint_is_near_at_distance_0) {
  Detector detector(by_fingerprint());
  detector.apply(arrival(1, kBits));
  EXPECT_EQ(detector.apply(arrival(2, kBits)), near(0, 0, 1000));
}

TEST(Detector, within_k_bits_is_near_and_one_more_is_unique_for_every_k) {
  for (int k = 0; k <= kHammingDistanceMax; ++k) {
    SCOPED_TRACE(k);
    for (int flips = 0; flips <= k + 1; ++flips) {
      Detector detector(by_fingerprint(k));
      detector.apply(arrival(1, kBits));
      const Decision decision = detector.apply(arrival(2, kBits ^ ((std::uint64_t{1} << flips) - 1)));
      EXPECT_EQ(decision.verdict, flips <= k ? Verdict::kDuplicate : Verdict::kUnique) << flips;
      if (flips <= k) {
        EXPECT_EQ(decision.distance, flips);
      }
    }
  }
}

TEST(Detector, similarity_is_the_cosine_of_the_estimated_angle) {
  Detector detector(by_fingerprint());
  detector.apply(arrival(1, kBits));
  EXPECT_EQ(detector.apply(arrival(2, kBits ^ 0b1)), near(0, 1, 999));
  EXPECT_EQ(detector.apply(arrival(3, kBits ^ 0b11)), near(0, 2, 995));
  EXPECT_EQ(detector.apply(arrival(4, kBits ^ 0b111)), near(0, 3, 989));
}

// Leader rule: only a unique can be a leader, so likeness is not passed on from duplicate to duplicate.
TEST(Detector, a_duplicate_is_not_remembered) {
  Detector detector(by_fingerprint());
  EXPECT_EQ(detector.apply(arrival(1, kBits)), unique(0));
  EXPECT_EQ(detector.apply(arrival(2, kBits ^ 0b111)), near(0, 3, 989));
  EXPECT_EQ(detector.apply(arrival(2, kBits ^ 0b111)), near(0, 3, 989)) << "its text was not kept either";
  EXPECT_EQ(detector.apply(arrival(3, kBits ^ 0b111111)), unique(1))
      << "3 bits from a duplicate, 6 from unique 0";
}

TEST(Detector, the_lowest_sequence_number_wins_over_the_nearest) {
  Detector detector(by_fingerprint());
  detector.apply(arrival(1, kBits ^ 0b111));   // 3 bits from kBits
  detector.apply(arrival(2, kBits ^ 0b1000));  // 1 bit from kBits, 4 from the first
  EXPECT_EQ(detector.size(), 2U);
  EXPECT_EQ(detector.apply(arrival(3, kBits)), near(0, 3, 989));
}

TEST(Detector, the_same_text_wins_over_a_near_match_with_a_lower_number) {
  // Two uniques one bit apart: only a history decided at a smaller distance holds them.
  Detector detector(by_fingerprint());
  restore(detector, arrival(1, kBits));
  restore(detector, arrival(2, kBits ^ 1));
  EXPECT_EQ(detector.apply(arrival(2, kBits ^ 1)), exact(1));
  EXPECT_EQ(detector.apply(arrival(3, kBits ^ 1)), near(0, 1, 999));
}

TEST(Detector, remembers_who_each_unique_was) {
  Detector detector(by_fingerprint());
  std::string id = "a";
  Arrival first = arrival(1, 0);
  first.id = id;
  first.url = "";
  detector.apply(first);
  id = "x";  // the caller's bytes may go
  detector.apply(arrival(2, ~std::uint64_t{0}));
  const Unique remembered = detector.unique(0);
  EXPECT_EQ(remembered.id, "a");
  EXPECT_EQ(remembered.url, "");
  EXPECT_EQ(remembered.source, first.source);
  EXPECT_EQ(remembered.signature, first.signature);
  EXPECT_EQ(detector.unique(1).url, "http://example.org/2");
}

TEST(Detector, state_digest_differs_when_anything_remembered_differs) {
  const auto digest_of = [](const std::vector<Arrival>& uniques, int distance = 3) {
    Detector detector(by_fingerprint(distance));
    for (const Arrival& a : uniques) restore(detector, a);
    return detector.state_digest();
  };
  const Arrival a = arrival(1, 1);
  const Arrival b = arrival(2, 0xFF00);
  std::vector<Arrival> changed(6, a);
  changed[0].id = "other";
  changed[1].url = "other";
  changed[2].source.offset = 99;
  changed[3].signature.exact.low++;
  changed[4].signature.fingerprint.bits++;
  changed[5].signature.tokens++;
  std::vector<Digest128> digests = {digest_of({}),     digest_of({}, 2),  digest_of({a}),
                                    digest_of({a}, 2), digest_of({a, b}), digest_of({b, a})};
  for (const Arrival& c : changed) digests.push_back(digest_of({c}));
  for (std::size_t i = 0; i < digests.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(digests[i], digests[j]) << i << " and " << j;
  }
}

TEST(Detector, of_duplicates_the_state_has_the_size_of_their_cluster_and_who_represents_it) {
  DetectorOptions options = by_fingerprint();
  options.clusters.keep = KeepPolicy::kLongest;
  const auto after = [&](std::vector<Arrival> duplicates) {
    Detector detector(options);
    detector.apply(arrival(1, kBits));
    for (const Arrival& duplicate : duplicates) detector.apply(duplicate);
    return detector.state_digest();
  };
  Arrival longer = arrival(3, kBits ^ 2);
  longer.signature.tokens = 11;
  EXPECT_EQ(after({arrival(1, kBits)}), after({arrival(2, kBits ^ 1)}))
      << "which of equal ones joined is gone";
  EXPECT_NE(after({arrival(1, kBits)}), after({}));
  EXPECT_NE(after({longer}), after({arrival(2, kBits ^ 1)}));
}

TEST(Detector, tells_the_size_of_a_cluster_and_its_representative_by_each_policy) {
  // The leader, one longer, one newer, one of a better source; each longer, newer or better than the rest.
  const auto run = [](KeepPolicy keep) {
    DetectorOptions options = by_fingerprint();
    options.clusters = {.keep = keep, .priority_sources = {"best.net", "good.net"}};
    Detector detector(options);
    std::vector<Arrival> all = {arrival(1, kBits), arrival(2, kBits ^ 1), arrival(3, kBits ^ 2),
                                arrival(4, kBits ^ 4)};
    for (Arrival& a : all) a.event_time_ms = 1000;
    all[0].url = "http://good.net/";
    all[1].signature.tokens = 100;
    all[2].event_time_ms = 2000;
    all[3].url = "http://www.best.net/x";
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(detector.apply(all[i]).sequence, 0U);
      EXPECT_EQ(detector.cluster(0).size, i + 1);
    }
    const ClusterState cluster = detector.cluster(0);
    return cluster.representative ? cluster.representative->source.offset : 1;
  };
  EXPECT_EQ(run(KeepPolicy::kFirst), 1);
  EXPECT_EQ(run(KeepPolicy::kLongest), 2);
  EXPECT_EQ(run(KeepPolicy::kNewest), 3);
  EXPECT_EQ(run(KeepPolicy::kPrioritySource), 4);
}

TEST(Detector, a_question_joins_no_cluster_and_is_told_what_it_would_be) {
  DetectorOptions options = by_fingerprint();
  options.clusters.keep = KeepPolicy::kLongest;
  Detector detector(options);
  detector.apply(arrival(1, kBits));
  Arrival longer = arrival(2, kBits ^ 1);
  longer.signature.tokens = 11;
  EXPECT_EQ(detector.check(longer).sequence, 0U);
  EXPECT_EQ(detector.cluster(0), ClusterState{});
  const ClusterState told = detector.cluster_with(longer, 0);
  detector.apply(longer);
  EXPECT_EQ(detector.cluster(0), told);
  EXPECT_EQ(told, (ClusterState{2, Representative{longer.source, 11}}));
}

TEST(Detector, a_cluster_goes_with_its_leader_and_what_it_gained_is_refused_without_it) {
  Detector detector(by_fingerprint());
  detector.apply(arrival(1, kBits));
  detector.apply(arrival(2, ~kBits));
  for (int i = 0; i < 3; ++i) detector.apply(arrival(1, kBits));
  detector.apply(arrival(2, ~kBits));
  EXPECT_EQ(detector.cluster_counts().clusters, 2U);
  EXPECT_EQ(detector.cluster_counts().largest, 4U);
  detector.expire(1);
  EXPECT_EQ(detector.cluster_counts().clusters, 1U);
  EXPECT_EQ(detector.cluster_counts().largest, 2U);
  EXPECT_EQ(detector.cluster(1).size, 2U);
  for (const Sequence gone : {Sequence{0}, Sequence{2}, ~Sequence{0}}) {
    const Status status = detector.restore(ClusterGain{.leader = gone, .joined = 1}, "");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
  }
  EXPECT_EQ(detector.apply(arrival(1, kBits)), unique(2)) << "it is new again";
  EXPECT_EQ(detector.cluster(2), ClusterState{});
}

Arrival version(std::uint64_t text, std::string_view id) {
  Arrival named = arrival(text, text * 0x0101010101010101);
  named.id = id;
  named.url = {};
  return named;
}

TEST(Detector,
     by_id_a_decision_names_the_version_before_and_a_duplicate_the_latest_one_that_it_does_not_name) {
  DetectorOptions options = by_fingerprint();
  options.by_id = true;
  Detector detector(options);
  EXPECT_EQ(detector.apply(version(1, "a")), unique(0));
  EXPECT_EQ(detector.apply(version(2, "a")),
            (Decision{.sequence = 1, .relation = Relation::kRevision, .previous = 0}));
  EXPECT_EQ(detector.apply(version(4, "b")), unique(2));
  EXPECT_EQ(detector.check(version(8, "a")).previous, 1U) << "the latest";

  Decision decision = detector.apply(version(2, "a"));
  EXPECT_EQ(decision.sequence, 1U);
  EXPECT_EQ(decision.previous, std::nullopt) << "it is the leader, and named as such";
  decision = detector.apply(version(1, "a"));
  EXPECT_EQ(decision.sequence, 0U);
  EXPECT_EQ(decision.previous, 1U) << "the page is as it was before its latest version";
  decision = detector.apply(version(4, "a"));
  EXPECT_EQ(decision.sequence, 2U);
  EXPECT_EQ(decision.relation, Relation::kOther) << "what it is to its leader, another document";
  EXPECT_EQ(decision.previous, 1U);
  EXPECT_EQ(detector.apply(version(8, "c")), unique(3)) << "nobody has this id yet";

  detector.expire(2);
  EXPECT_EQ(detector.apply(version(16, "a")), unique(4)) << "both versions are forgotten";
}

TEST(DetectorDeathTest, unless_asked_to_it_knows_no_document_by_its_id) {
  Detector detector(by_fingerprint());
  detector.apply(version(1, "a"));
  EXPECT_EQ(detector.apply(version(2, "a")), unique(1));
  EXPECT_DEATH(detector.forget("a"), "not known by their ids");
}

TEST(Detector, forgets_all_versions_of_a_document_and_their_clusters) {
  DetectorOptions options = by_fingerprint();
  options.by_id = true;
  Detector detector(options);
  detector.apply(version(1, "a"));
  detector.apply(version(2, "b"));
  detector.apply(version(4, "a"));
  detector.apply(version(4, "c"));
  EXPECT_EQ(detector.cluster(2).size, 2U);

  EXPECT_EQ(detector.forget("a"), (std::vector<Sequence>{2, 0}));
  EXPECT_TRUE(detector.forget("a").empty());
  EXPECT_TRUE(detector.forget("c").empty()) << "a duplicate is not remembered";
  EXPECT_EQ(detector.remembered(), 1U);
  EXPECT_EQ(detector.size(), 3U) << "a number is given once";
  EXPECT_EQ(detector.unique(2).id, "a") << "who it was can still be told";
  EXPECT_EQ(detector.cluster(2).size, 1U);
  EXPECT_EQ(detector.restore(ClusterGain{.leader = 2, .joined = 1}, "").error().code, ErrorCode::kCorrupt);

  EXPECT_EQ(detector.apply(version(4, "c")), unique(3)) << "the text is new again";
  EXPECT_EQ(detector.apply(version(1, "a")), unique(4)) << "and the document has no version before";
  EXPECT_EQ(detector.apply(version(2, "b")).sequence, 1U) << "the others stay";
  detector.expire(3);
  EXPECT_EQ(detector.remembered(), 2U) << "what was forgotten is not counted twice";
}

TEST(Detector, watches_clusters_and_the_sources_of_their_leaders) {
  DetectorOptions options = by_fingerprint();
  options.clusters.guard = {.window = 10, .alarm_permille = 400};
  Detector detector(options);
  std::vector<Arrival> pages = {arrival(1, 0), arrival(2, 0xFF), arrival(3, 0xFF00)};
  for (const Arrival& page : pages) detector.apply(page);
  detector.apply(pages[0]);
  detector.apply(pages[1]);
  detector.apply(pages[2]);
  ClusterCounts counts = detector.cluster_counts();
  EXPECT_EQ(counts.cluster_share, .1);
  EXPECT_EQ(counts.source_share, .3);
  EXPECT_FALSE(counts.alarm);
  detector.apply(pages[1]);
  counts = detector.cluster_counts();
  ASSERT_TRUE(counts.alarm);
  EXPECT_EQ(counts.alarm->kind, StreamAlarm::Kind::kSource) << "they share a host";
  EXPECT_EQ(counts.alarm_leader, 1U);
}

TEST(Detector, memory_per_unique_is_what_the_design_page_says) {
  DetectorOptions options = by_fingerprint();
  options.directory = testing::TempDir();  // where the file has no name
  Detector detector(options);
  EXPECT_LE(detector.bytes(), std::size_t{192} << 10) << "empty";
  std::mt19937_64 random(1);
  constexpr std::uint64_t kCount = 1'000'000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const std::string id = std::to_string(i);
    Arrival a = arrival(0, random());
    a.id = id;
    a.signature.exact = {i * 0xD6E8FEB86659FD93, i * 0xFF51AFD7ED558CCD};
    restore(detector, a);
  }
  const double per_unique = static_cast<double>(detector.bytes()) / kCount;
  EXPECT_GE(per_unique, 4 + 8 + 61) << "place, exact index, Hamming index";
  EXPECT_LE(per_unique, 4 + 9 + 70 + 3) << "and chunks not full";
  EXPECT_GE(detector.file_bytes(), kCount * 50) << "what names them lies in the file";
}

TEST(Detector, can_be_moved_with_all_it_knows) {
  Detector from(by_fingerprint());
  from.apply(arrival(1, kBits));
  Detector to = std::move(from);
  EXPECT_EQ(to.apply(arrival(1, kBits)), exact(0));
  to.apply(arrival(2, ~kBits));
  EXPECT_EQ(to.size(), 2U);
}

// Enough uniques that there are tables, each followed by a copy within 3 bits.
TEST(Detector, no_decision_hangs_on_the_covering) {
  std::vector<Decision> first_decisions;
  Digest128 first_digest;
  for (const char* const covering : {"", "4x16", "11x29"}) {
    DetectorOptions options = by_fingerprint();
    options.covering = covering;
    Detector detector(options);
    std::mt19937_64 random(5);
    std::vector<Decision> decisions;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::uint64_t bits = random();
      decisions.push_back(detector.apply(arrival(2 * i, bits)));
      decisions.push_back(
          detector.apply(arrival(2 * i + 1, bits ^ (random() & random() & random() & random()))));
    }
    EXPECT_GT(detector.size(), 3000U);
    EXPECT_LT(detector.size(), 6000U);
    if (first_decisions.empty()) {
      first_decisions = decisions;
      first_digest = detector.state_digest();
    }
    EXPECT_EQ(decisions, first_decisions) << covering;
    EXPECT_EQ(detector.state_digest(), first_digest) << covering;
  }
}

TEST(DetectorDeathTest, refuses_a_distance_it_could_not_answer_exactly) {
  DetectorOptions options = by_fingerprint();
  options.covering = "2x32";
  EXPECT_DEATH(Detector{options}, "config refuses other coverings");
  EXPECT_DEATH(Detector(by_fingerprint(kHammingDistanceMax + 1)), "config refuses");
  EXPECT_DEATH(Detector(by_fingerprint(-1)), "config refuses");
}

TEST(DetectorDeathTest, a_sequence_number_not_yet_given_is_our_own_mistake) {
  Detector detector(by_fingerprint());
  EXPECT_DEATH(detector.unique(0), "no such unique");
}

}  // namespace
}  // namespace neardup
