// Postings that come back by several owners, against those of one text after the other.
#include "core/index/band_batch.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace neardup {
namespace {

constexpr unsigned kExtensions = 2;

// A text as it was posted, and what extends its bands, whether or not that was needed.
struct Text {
  std::vector<Band> bands;
  std::vector<std::array<Feature, kExtensions>> minima;  // [band]; kNoFeature: none
};

Key key_of(Feature feature) { return (feature + 1) * 0x9E3779B97F4A7C15; }

// Few keys, so that many are full; and some bands whose key is one that extends another band.
std::vector<Text> texts_of(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Text> texts(count);
  for (Text& text : texts) {
    for (int j = 0; j < 6; ++j) {
      Band band;
      const Feature feature = random() % 4 == 0 ? random() : random() % 30;
      for (std::size_t e = 0; e < kBandMinima; ++e) band.features[e] = 4 * feature + e;
      band.key = key_of(feature);
      const Feature minimum = random() % 12 == 0 ? kNoFeature : 1'000'000 + random() % 60;
      if (random() % 8 == 0) {
        band.key = BandPostings::extended(key_of(random() % 30), 0, 1'000'000 + random() % 60);
      }
      text.bands.push_back(band);
      text.minima.push_back({minimum, random() % 3 == 0 ? kNoFeature : 2'000'000 + random() % 60});
    }
  }
  return texts;
}

void insert(BandPostings& postings, Ordinal ordinal, const Text& text) {
  postings.insert(ordinal, text.bands, {}, [&](std::size_t band, unsigned extension) {
    return UncommonMinima{.first = text.minima[band][extension]};
  });
}

// Each member on a thread of its own.
template <class Work>
void on_threads(std::size_t members, Work work) {
  std::vector<std::thread> threads;
  for (std::size_t member = 0; member < members; ++member)
    threads.emplace_back([&, member] { work(member); });
  for (std::thread& thread : threads) thread.join();
}

void restore(BandPostings& postings, BandBatch& batch, Ordinal first, std::span<const Text> texts,
             std::size_t members) {
  std::vector<BucketTable::ShardSet> shards(members);
  for (unsigned shard = 0; shard < BucketTable::kShards; ++shard) shards[shard % members] |= 1U << shard;
  batch.begin(shards);
  on_threads(members, [&](std::size_t member) {
    BandBatch::Share& share = batch.share(member);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = 0; j < texts[i].bands.size(); ++j) {
        const Key key = texts[i].bands[j].key;
        share.add(i, j, key, true);
        for (unsigned e = 0; e < kExtensions; ++e) {
          if (const Feature minimum = texts[i].minima[j][e]; minimum != kNoFeature) {
            share.add_extended(i, j, e, key, minimum);
          }
        }
      }
    }
  });
  batch.open(postings, first, texts.size());
  on_threads(members, [&](std::size_t member) { batch.post(postings, member); });
  std::vector<Feature> features;
  batch.close(postings, [&](BandBatch::Slot slot) {
    const Text& text = texts[slot.text()];
    if (slot.which() == 0) return std::span<const Feature>(text.bands[slot.band()].features);
    return std::span<const Feature>(&text.minima[slot.band()][slot.which() - 1], 1);
  });
}

TEST(BandBatch, owners_post_what_one_text_after_the_other_posts) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::vector<Text> texts = texts_of(seed, 1500);
    for (const std::size_t members : {1U, 2U, 3U, 8U}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << members << " members");
      BandPostings serial(kExtensions);
      BandPostings postings(kExtensions);
      BandBatch batch;
      std::mt19937_64 random(seed);
      for (std::size_t at = 0; at < texts.size();) {
        const std::size_t size = std::min(1 + random() % 300, texts.size() - at);
        for (std::size_t i = at; i < at + size; ++i) insert(serial, i, texts[i]);
        restore(postings, batch, at, std::span(texts).subspan(at, size), members);
        at += size;
        ASSERT_EQ(postings.digest(), serial.digest());
        ASSERT_EQ(postings.hot().size(), serial.hot().size());
        ASSERT_EQ(postings.full_keys(), serial.full_keys());
        ASSERT_EQ(postings.not_posted(), serial.not_posted());
        // What is gone leaves its room in full keys; what is expired, all of it.
        for (int i = 0; i < 20; ++i) {
          const Ordinal gone = at - 1 - random() % size;
          ASSERT_EQ(postings.erase(gone, {}, {}), serial.erase(gone, {}, {}));
        }
        if (at > 600) {
          postings.expire(at - 600);
          serial.expire(at - 600);
        }
      }
      EXPECT_GT(serial.full_keys(), 100U);
      EXPECT_GT(serial.not_posted(), 100U);
    }
  }
}

TEST(BandBatch, rows_without_bands_take_no_room) {
  const std::vector<Text> texts(1000);
  BandPostings postings(kExtensions);
  BandBatch batch;
  const std::size_t before = postings.bytes();
  for (Ordinal at = 0; at < 20'000; at += texts.size()) restore(postings, batch, at, texts, 2);
  EXPECT_EQ(postings.bytes(), before);
}

}  // namespace
}  // namespace neardup
