// HammingIndex against the pigeonhole twin: every covering, every width, sets of all kinds.
//
// NEARDUP_QUERIES=N asks N queries of each covering in place of a million.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "core/index/hamming_index.h"
#include "tests/reference/pigeonhole_index.h"
#include "tests/support/fingerprint_sets.h"

namespace neardup {
namespace {

using Matches = std::vector<Match>;

std::size_t queries_wanted() {
  const char* const wanted = std::getenv("NEARDUP_QUERIES");
  return wanted == nullptr ? 1'000'000 : std::strtoull(wanted, nullptr, 10);
}

template <class Word>
Matches expected_matches(const reference::PigeonholeIndex<Word>& twin, const Word& query) {
  Matches matches;
  for (const auto& [id, distance] : twin.find_all(query)) matches.push_back({id, distance});
  return matches;
}

std::optional<Match> first_of(const Matches& matches) {
  return matches.empty() ? std::nullopt : std::optional<Match>(matches.front());
}

std::optional<Match> nearest_of(const Matches& matches) {
  std::optional<Match> nearest;
  for (const Match& match : matches) {
    if (!nearest || match.distance < nearest->distance) nearest = match;
  }
  return nearest;
}

TEST(PigeonholeIndex, agrees_with_a_look_at_all) {
  std::mt19937_64 random(3);
  for (int k = 0; k <= 7; ++k) {
    reference::PigeonholeIndex<std::uint64_t> twin(k);
    const auto words = fingerprint_set<std::uint64_t>("clustered", 500, 17);
    for (std::size_t i = 0; i < words.size(); ++i) twin.insert(i, words[i]);
    for (int i = 0; i < 300; ++i) {
      const auto query = flipped(words[random() % words.size()], static_cast<int>(random() % 10), random);
      std::vector<std::pair<std::uint64_t, int>> all;
      for (std::size_t j = 0; j < words.size(); ++j) {
        const int distance = reference::distance_of(words[j], query);
        if (distance <= k) all.emplace_back(j, distance);
      }
      ASSERT_EQ(twin.find_all(query), all);
    }
  }
}

// Stores `words`; then asks queries at distances 0 to k + 2 from stored ones, and others, in all modes.
template <int kWidth>
void answers_as_the_twin(const Covering& covering, const std::vector<WordOf<kWidth>>& words,
                         std::size_t queries, std::uint64_t seed) {
  using Word = WordOf<kWidth>;
  std::mt19937_64 random(seed);
  const int k = covering.distance;
  HammingIndex<kWidth> index({.distance = k, .covering = &covering});
  reference::PigeonholeIndex<Word> twin(k);
  index.insert(words);
  for (std::size_t i = 0; i < words.size(); ++i) twin.insert(i, words[i]);

  std::size_t matched = 0;
  std::vector<Word> batch;
  std::vector<std::optional<Match>> first;
  std::vector<std::optional<Match>> nearest;
  Matches all;
  for (std::size_t asked = 0; asked < queries; asked += batch.size()) {
    batch.resize(1 + random() % 600);
    for (Word& query : batch) {
      const auto flips = static_cast<int>(random() % static_cast<std::uint64_t>(k + 3));
      query = random() % 10 == 0 ? random_word<Word>(random)
                                 : flipped(words[random() % words.size()], flips, random);
    }
    first.resize(batch.size());
    nearest.resize(batch.size());
    index.find(batch, MatchMode::kFirst, first);
    index.find(batch, MatchMode::kNearest, nearest);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Matches expected = expected_matches(twin, batch[i]);
      ASSERT_EQ(first[i], first_of(expected));
      ASSERT_EQ(nearest[i], nearest_of(expected));
      matched += expected.empty() ? 0 : 1;
      if (i % 8 == 0) {
        index.find_all(batch[i], all);
        ASSERT_EQ(all, expected);
      }
    }
  }
  EXPECT_GT(matched, queries / 4) << "these queries prove little";
}

class EachCovering : public testing::TestWithParam<std::string_view> {};

std::vector<std::string_view> covering_names() {
  std::vector<std::string_view> names;
  for (const Covering& covering : coverings()) names.push_back(covering.name);
  return names;
}
std::string covering_name(const testing::TestParamInfo<std::string_view>& tested) {
  return std::string(tested.param);
}
INSTANTIATE_TEST_SUITE_P(HammingIndexProperty, EachCovering, testing::ValuesIn(covering_names()),
                         covering_name);

TEST_P(EachCovering, recall_is_complete_over_a_million_queries) {
  const Covering& covering = *covering_named(GetParam());
  const std::size_t queries = queries_wanted();
  // Sets in which all share a key make the twin slow, so they get fewer queries.
  for (const std::string_view set : kFingerprintSets) {
    SCOPED_TRACE(set);
    const bool spread = set == "random" || set == "clustered";
    const auto words = fingerprint_set<std::uint64_t>(set, spread ? 3000 : 1300, 5);
    answers_as_the_twin<64>(covering, words, spread ? queries * 49 / 100 : queries / 250, 6);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EachCovering, answers_at_width_32) {
  const Covering& covering = *covering_named(GetParam());
  for (const std::string_view set : kFingerprintSets) {
    SCOPED_TRACE(set);
    answers_as_the_twin<32>(covering, fingerprint_set<std::uint32_t>(set, 1500, 7), 1500, 8);
  }
}

TEST_P(EachCovering, answers_at_width_128) {
  const Covering& covering = *covering_named(GetParam());
  for (const std::string_view set : kFingerprintSets) {
    SCOPED_TRACE(set);
    answers_as_the_twin<128>(covering, fingerprint_set<Word128>(set, 3000, 9), 3000, 10);
  }
}

// Deciding a stream in batches of any size equals deciding it one at a time.
template <int kWidth>
void decides_as_the_twin(const Covering& covering, MatchMode mode, std::string_view set, std::size_t count) {
  using Word = WordOf<kWidth>;
  std::mt19937_64 random(count);
  HammingIndex<kWidth> index({.distance = covering.distance, .covering = &covering});
  reference::PigeonholeIndex<Word> twin(covering.distance);
  const auto words = fingerprint_set<Word>(set, count, 11);
  std::vector<std::optional<Match>> answers;
  std::size_t batch = 0;
  for (std::size_t from = 0; from < words.size(); from += batch) {
    batch = std::min<std::size_t>(1 + random() % 700, words.size() - from);
    answers.resize(batch);
    std::uint64_t next = index.next();
    index.check_and_insert(std::span(words).subspan(from, batch), mode, answers);
    for (std::size_t i = 0; i < batch; ++i) {
      const Matches all = expected_matches(twin, words[from + i]);
      ASSERT_EQ(answers[i], mode == MatchMode::kFirst ? first_of(all) : nearest_of(all)) << from + i;
      if (!answers[i]) twin.insert(next++, words[from + i]);
    }
    ASSERT_EQ(index.next(), next);
  }
}

TEST_P(EachCovering, a_batch_is_decided_as_one_at_a_time) {
  const Covering& covering = *covering_named(GetParam());
  for (const std::string_view set : {"random", "clustered", "one_half", "gray_code"}) {
    SCOPED_TRACE(set);
    decides_as_the_twin<64>(covering, MatchMode::kFirst, set, 20'000);
    decides_as_the_twin<64>(covering, MatchMode::kNearest, set, 5'000);
    decides_as_the_twin<32>(covering, MatchMode::kFirst, set, 3'000);
    decides_as_the_twin<128>(covering, MatchMode::kNearest, set, 5'000);
  }
}

// Stores, erases and expires at random, and compares with a model after each of them.
template <int kWidth>
void forgets_as_the_model(const Covering& covering, std::string_view set, std::uint64_t seed) {
  using Word = WordOf<kWidth>;
  std::mt19937_64 random(seed);
  HammingIndex<kWidth> index({.distance = covering.distance, .covering = &covering});
  reference::PigeonholeIndex<Word> twin(covering.distance);
  const auto pool = fingerprint_set<Word>(set, 6'000, seed);
  std::deque<std::optional<Word>> model;  // of the sequence numbers from `oldest` on
  std::uint64_t oldest = 0;
  const auto forget = [&](std::uint64_t sequence) {
    std::optional<Word>& word = model[sequence - oldest];
    if (word) twin.erase(sequence, *word);
    word.reset();
  };
  Matches all;
  std::size_t stored = 0;
  for (int step = 0; step < 4'000; ++step) {
    const std::uint64_t kind = random() % 10;
    if (kind < 6 || model.empty()) {
      const std::size_t count = 1 + random() % 8;
      for (std::size_t i = 0; i < count; ++i) {
        const Word word = pool[random() % pool.size()];
        ASSERT_EQ(index.insert(word), oldest + model.size());
        twin.insert(oldest + model.size(), word);
        model.push_back(word);
      }
    } else if (kind < 8) {
      const std::uint64_t sequence = oldest + random() % model.size();
      ASSERT_EQ(index.erase(sequence), model[sequence - oldest].has_value());
      forget(sequence);
    } else if (kind == 8) {
      const std::uint64_t to = oldest + random() % std::min<std::size_t>(model.size() + 1, 12);
      for (; oldest < to; ++oldest) {
        forget(oldest);
        model.pop_front();
      }
      index.expire(to);
    }
    const Word query = flipped(pool[random() % pool.size()], static_cast<int>(random() % 3), random);
    index.find_all(query, all);
    ASSERT_EQ(all, expected_matches(twin, query)) << step;
    ASSERT_EQ(index.find(query, MatchMode::kFirst), first_of(all));
  }
  for (const auto& word : model) stored += word.has_value() ? 1 : 0;
  EXPECT_EQ(index.size(), stored);
  EXPECT_EQ(index.oldest(), oldest);
  EXPECT_FALSE(index.tables().empty()) << "the model was too small to prove anything";
  index.expire(index.next());
  EXPECT_EQ(index.size(), 0U);
  index.find_all(pool[0], all);
  EXPECT_EQ(all, Matches());
}

TEST_P(EachCovering, storing_and_forgetting_agree_with_a_model) {
  const Covering& covering = *covering_named(GetParam());
  forgets_as_the_model<64>(covering, "random", 20);
  forgets_as_the_model<64>(covering, "clustered", 21);
  forgets_as_the_model<64>(covering, "one_key", 22);
  forgets_as_the_model<64>(covering, "equal", 23);
  forgets_as_the_model<128>(covering, "clustered", 24);
  forgets_as_the_model<32>(covering, "one_half", 25);
}

// A few words that come often among others, some of them erased. What expires in one call, in steps, and one
// by one leaves the same answers and the same tables behind, whatever the threads.
template <int kWidth>
void expires_alike(const Covering& covering, std::string_view set, std::uint64_t seed) {
  using Word = WordOf<kWidth>;
  SCOPED_TRACE(testing::Message() << kWidth << ' ' << set << ' ' << seed);
  std::mt19937_64 random(seed);
  const auto pool = fingerprint_set<Word>(set, 1500, seed);
  std::vector<Word> words;
  while (words.size() < 3000) {
    words.push_back(pool[random() % (random() % 2 == 0 ? pool.size() : 1 + words.size() / 500)]);
  }
  std::vector<HammingIndex<kWidth>> indexes;
  for (const int threads : {1, 3, 1, 2}) {
    indexes.emplace_back(HammingOptions{covering.distance, &covering, threads});
  }
  for (auto& index : indexes) index.insert(words);
  std::vector<bool> is_there(words.size(), true);
  for (Sequence oldest = 0; oldest < words.size();) {
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t sequence = oldest + random() % (words.size() - oldest);
      for (auto& index : indexes) ASSERT_EQ(index.erase(sequence), is_there[sequence]);
      is_there[sequence] = false;
    }
    const Sequence to = std::min(oldest + 1 + random() % 1500, words.size());
    const std::uint64_t step = 1 + random() % 300;
    indexes[0].expire(to);
    indexes[1].expire(to);
    for (Sequence s = oldest; s < to; s += step) indexes[2].expire(std::min(s + step, to));
    for (Sequence s = oldest; s < to; ++s) indexes[3].expire(s + 1);
    oldest = to;
    const Digest128 layout = indexes[0].layout_digest();
    for (const auto& index : indexes) ASSERT_EQ(index.layout_digest(), layout) << oldest;
    Matches all;
    for (int i = 0; i < 20; ++i) {
      const Word query = flipped(pool[i < 7 ? i : random() % pool.size()], i % 3, random);
      Matches expected;
      for (Sequence s = oldest; s < words.size(); ++s) {
        const int distance = reference::distance_of(words[s], query);
        if (is_there[s] && distance <= covering.distance) expected.push_back({s, distance});
      }
      for (auto& index : indexes) {
        index.find_all(query, all);
        ASSERT_EQ(all, expected) << oldest;
        ASSERT_EQ(index.find(query, MatchMode::kFirst), first_of(expected));
      }
    }
  }
  EXPECT_FALSE(indexes[0].tables().empty());
  EXPECT_EQ(indexes[0].size(), 0U);
  EXPECT_EQ(indexes[0].equal_words(), 0U);
}

TEST_P(EachCovering, what_expires_at_once_leaves_what_expiring_one_by_one_leaves) {
  const Covering& covering = *covering_named(GetParam());
  for (const std::string_view set : {"random", "clustered", "one_key", "equal"}) {
    expires_alike<32>(covering, set, 30);
    expires_alike<64>(covering, set, 31);
    expires_alike<128>(covering, set, 32);
  }
}

}  // namespace
}  // namespace neardup
