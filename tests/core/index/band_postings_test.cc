#include "core/index/band_postings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace neardup {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr unsigned kFull = BandPostings::kPostingsMax;

// A band of four features, all with second minima that are `other + e`.
Band band_of(Feature features, Feature other = 900) {
  const auto key_of = [](const std::array<Feature, kBandMinima>& of) {
    Key key = 0;
    for (std::size_t e = 0; e < kBandMinima; ++e) key += (of[e] + 1) * (0x9E3779B97F4A7C15 + 2 * e);
    return key ^ key >> 29;
  };
  Band band;
  for (std::size_t e = 0; e < kBandMinima; ++e) {
    band.features[e] = features + e;
    band.second_features[e] = other + e;
  }
  band.key = key_of(band.features);
  for (std::size_t e = 0; e < kBandMinima; ++e) {
    auto changed = band.features;
    changed[e] = band.second_features[e];
    band.variants[e] = key_of(changed);
  }
  return band;
}

// What a text has besides its band: what it would be told apart by.
struct Uncommon {
  std::vector<Feature> features;
  const BandPostings& postings;

  UncommonMinima operator()(std::size_t, unsigned extension) const {
    UncommonMinima minima;
    for (const Feature feature : features) {
      if (postings.is_hot(feature) || (feature & 1) != extension) continue;
      if (minima.first == kNoFeature) {
        minima.first = feature;
      } else if (minima.second == kNoFeature) {
        minima.second = feature;
      }
    }
    return minima;
  }
};

std::set<Ordinal> found(const BandPostings& postings, const Band& band, std::vector<Feature> features = {}) {
  std::set<Ordinal> ordinals;
  postings.find({&band, 1}, {}, Uncommon{std::move(features), postings},
                [&](Ordinal ordinal) { ordinals.insert(ordinal); });
  return ordinals;
}

void insert(BandPostings& postings, Ordinal ordinal, const Band& band, std::vector<Feature> features = {}) {
  postings.insert(ordinal, {&band, 1}, {}, Uncommon{std::move(features), postings});
}

TEST(BandPostings, meets_who_shares_a_key) {
  BandPostings postings(1);
  insert(postings, 0, band_of(10));
  insert(postings, 1, band_of(20));
  EXPECT_THAT(found(postings, band_of(10)), ElementsAre(0));
  EXPECT_THAT(found(postings, band_of(30)), IsEmpty());
}

TEST(BandPostings, meets_who_shares_all_minima_but_one_that_is_second_here) {
  BandPostings postings(1);
  const Band stored = band_of(10);
  insert(postings, 0, stored);
  Band query = band_of(10);
  query.key ^= 1;  // some other key: here a feature more took the second minimum
  query.variants[2] = stored.key;
  EXPECT_THAT(found(postings, query), ElementsAre(0));
}

TEST(BandPostings, plain_keys_are_asked_as_they_are) {
  BandPostings postings(1);
  const std::vector<Key> keys = {3, 5};
  postings.insert(4, {}, keys, Uncommon{{}, postings});
  std::vector<Ordinal> met;
  postings.find({}, std::vector<Key>{5, 6}, Uncommon{{}, postings}, [&](Ordinal o) { met.push_back(o); });
  EXPECT_THAT(met, ElementsAre(4));
}

TEST(BandPostings, a_full_key_keeps_its_oldest_and_extends_the_others_by_what_is_uncommon) {
  BandPostings postings(1);
  const Band band = band_of(10);
  for (Ordinal ordinal = 0; ordinal < kFull; ++ordinal) insert(postings, ordinal, band, {100 + 2 * ordinal});
  EXPECT_EQ(postings.full_keys(), 1U);
  for (const Feature feature : band.features) EXPECT_TRUE(postings.is_hot(feature));

  insert(postings, 100, band, {500, 502});
  insert(postings, 101, band, {600});
  std::set<Ordinal> met = found(postings, band, {500, 502});
  EXPECT_THAT(met, Contains(0));
  EXPECT_THAT(met, Contains(kFull - 1));
  EXPECT_THAT(met, Contains(100));
  EXPECT_THAT(met, Not(Contains(101)));
  EXPECT_THAT(found(postings, band, {400, 500}), Contains(100)) << "by its second minimum";
  EXPECT_EQ(postings.not_posted(), 0U);
}

TEST(BandPostings, an_extension_that_fills_makes_its_minimum_common_too) {
  BandPostings postings(1);
  const Band band = band_of(10);
  Ordinal ordinal = 0;
  while (ordinal < 2 * kFull) insert(postings, ordinal++, band, {500, 502});
  EXPECT_TRUE(postings.is_hot(500));
  EXPECT_FALSE(postings.is_hot(502));
  insert(postings, ordinal, band, {500, 502});
  EXPECT_THAT(found(postings, band, {500, 502}), Contains(ordinal)) << "under the next one";
}

TEST(BandPostings, what_finds_no_room_is_counted) {
  BandPostings postings(1);
  const Band band = band_of(10);
  for (Ordinal ordinal = 0; ordinal < kFull; ++ordinal) insert(postings, ordinal, band);
  EXPECT_EQ(postings.not_posted(), 0U);
  insert(postings, kFull, band);
  EXPECT_EQ(postings.not_posted(), 1U);
  EXPECT_THAT(found(postings, band), Not(Contains(kFull)));
}

TEST(BandPostings, two_extensions_post_twice) {
  BandPostings postings(2);
  const Band band = band_of(10);
  for (Ordinal ordinal = 0; ordinal < kFull; ++ordinal) insert(postings, ordinal, band);
  insert(postings, 50, band, {500, 501});
  EXPECT_THAT(found(postings, band, {500}), Contains(50));
  EXPECT_THAT(found(postings, band, {501}), Contains(50));
  EXPECT_EQ(postings.table().postings(), kFull + 2U);
}

TEST(BandPostings, what_was_posted_under_an_extension_is_found_after_the_older_ones_expired) {
  BandPostings postings(1);
  const Band band = band_of(10);
  for (Ordinal ordinal = 0; ordinal < kFull; ++ordinal) insert(postings, ordinal, band);
  insert(postings, 50, band, {500});
  postings.expire(40);
  EXPECT_THAT(found(postings, band, {500}), ElementsAre(50));
  insert(postings, 60, band, {500});
  EXPECT_THAT(found(postings, band, {}), ElementsAre(60)) << "the key has room again";
}

TEST(BandPostings, what_was_common_among_those_forgotten_is_common_no_more) {
  BandPostings postings(1);
  const Band band = band_of(10);
  constexpr Ordinal kLast = kFull + 2;
  for (Ordinal ordinal = 0; ordinal <= kLast; ++ordinal) insert(postings, ordinal, band, {500, 502});
  postings.expire(kLast);
  EXPECT_TRUE(postings.is_hot(10)) << "who was extended last is still asked for";
  EXPECT_THAT(found(postings, band, {500, 502}), ElementsAre(kLast));
  postings.expire(kLast + 1);
  EXPECT_FALSE(postings.is_hot(10));
  insert(postings, 100, band, {500, 502});
  EXPECT_THAT(found(postings, band), ElementsAre(100));
}

TEST(BandPostings, a_minimum_is_common_as_long_as_who_filled_its_key_is_remembered) {
  BandPostings postings(1);
  for (Ordinal ordinal = 0; ordinal < 2 * kFull; ++ordinal)
    insert(postings, ordinal, band_of(10), {500, 502});
  postings.expire(2 * kFull - 1);
  EXPECT_TRUE(postings.is_hot(500));
  postings.expire(2 * kFull);
  EXPECT_FALSE(postings.is_hot(500));
}

// Templates come and go: of those gone nothing is kept, and each new one is met as the first was.
TEST(BandPostings, what_is_hot_is_bounded_by_what_is_remembered) {
  BandPostings postings(2);
  constexpr Ordinal kWindow = 1000;
  std::size_t after_one_window = 0;
  for (Ordinal ordinal = 0; ordinal < 50 * kWindow; ++ordinal) {
    const Feature site = ordinal / 100;
    insert(postings, ordinal, band_of(1000 * site, 1000 * site + 10),
           {1000 * site + 100 + ordinal % 7, 1'000'000'000 + 2 * ordinal, 1'000'000'001 + 2 * ordinal});
    if (ordinal == kWindow) after_one_window = postings.hot().size();
    if (ordinal >= kWindow) postings.expire(ordinal - kWindow);
  }
  EXPECT_GT(after_one_window, 20U);
  EXPECT_LE(postings.hot().size(), 2 * after_one_window);
}

TEST(BandPostings, a_flood_of_one_text_is_bounded) {
  BandPostings postings(2);
  const Band band = band_of(10);
  std::vector<Feature> features;
  for (Feature feature = 1000; feature < 1100; ++feature) features.push_back(feature);
  for (Ordinal ordinal = 0; ordinal < 100'000; ++ordinal) insert(postings, ordinal, band, features);
  EXPECT_LE(postings.table().postings(), kFull * (1 + features.size()));
  EXPECT_LE(found(postings, band, features).size(), kFull * 5U);
  EXPECT_GT(postings.not_posted(), 90'000U);
}

TEST(BandPostings, what_is_erased_is_met_no_more_whether_its_bands_are_known_or_not) {
  BandPostings postings(1);
  const Band band = band_of(10);
  for (Ordinal ordinal = 0; ordinal < 3; ++ordinal) insert(postings, ordinal, band);
  EXPECT_TRUE(postings.erase(0, {&band, 1}, {}));
  EXPECT_EQ(postings.table().postings(), 2U);
  EXPECT_TRUE(postings.erase(1, {}, {}));
  EXPECT_EQ(postings.table().postings(), 2U) << "where it lies nobody knows";
  EXPECT_THAT(found(postings, band), ElementsAre(2));
  EXPECT_FALSE(postings.erase(1, {}, {}));
}

TEST(BandPostings, what_is_erased_keeps_nobody_out_of_a_full_key) {
  BandPostings postings(1);
  const Band band = band_of(10);
  const std::vector<Feature> uncommon = {500};
  for (Ordinal ordinal = 0; ordinal < 2 * kFull; ++ordinal) insert(postings, ordinal, band, uncommon);
  insert(postings, 40, band, uncommon);
  EXPECT_EQ(postings.not_posted(), 1U) << "its key and the extended one are full";
  for (Ordinal ordinal = 0; ordinal < 2 * kFull; ++ordinal) postings.erase(ordinal, {}, {});
  const std::uint64_t before = postings.table().postings();
  insert(postings, 41, band, uncommon);
  EXPECT_EQ(postings.not_posted(), 1U);
  EXPECT_THAT(found(postings, band, uncommon), ElementsAre(41));
  EXPECT_EQ(postings.table().postings(), before - kFull + 1) << "those of its key are gone";
}

// Versions of one text, each deleted before the next comes.
TEST(BandPostings, what_is_erased_fills_no_key_and_makes_no_minimum_common) {
  BandPostings postings(1);
  const Band band = band_of(10);
  Ordinal ordinal = 0;
  for (; ordinal + 1 < kFull; ++ordinal) {
    insert(postings, ordinal, band);
    postings.erase(ordinal, {}, {});
  }
  insert(postings, ordinal++, band);
  EXPECT_EQ(postings.full_keys(), 0U);
  EXPECT_EQ(postings.hot().size(), 0U) << "one text has these minima";
  EXPECT_THAT(found(postings, band), ElementsAre(kFull - 1));

  for (unsigned more = 1; more < kFull; ++more) insert(postings, ordinal++, band);
  EXPECT_EQ(postings.full_keys(), 1U) << "sixteen can be met";
  const std::vector<Feature> uncommon = {500};
  for (ordinal = 100; ordinal + 1 < 100 + kFull; ++ordinal) {
    insert(postings, ordinal, band, uncommon);
    postings.erase(ordinal, {}, {});
  }
  insert(postings, ordinal, band, uncommon);
  EXPECT_EQ(postings.full_keys(), 1U);
  EXPECT_FALSE(postings.is_hot(500));
  EXPECT_THAT(found(postings, band, uncommon), Contains(ordinal)) << "under the extended key, the only one";
}

}  // namespace
}  // namespace neardup
