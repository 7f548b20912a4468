#include "core/index/hamming_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "core/base/isa.h"
#include "tests/support/fingerprint_sets.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Index = HammingIndex<64>;

constexpr std::uint64_t flip(std::uint64_t bits, std::initializer_list<int> positions) {
  for (const int position : positions) bits ^= std::uint64_t{1} << position;
  return bits;
}

std::vector<Match> find_all(Index& index, std::uint64_t query) {
  std::vector<Match> matches = {{99, 99}};  // to be replaced
  index.find_all(query, matches);
  return matches;
}

// Words that are near nothing else, enough of them for tables.
std::vector<std::uint64_t> far_words(std::size_t count = 2000) {
  return fingerprint_set<std::uint64_t>("random", count, 12345);
}

TEST(HammingIndex, an_empty_index_finds_nothing) {
  Index index({});
  EXPECT_EQ(index.find(0, MatchMode::kFirst), std::nullopt);
  EXPECT_THAT(find_all(index, 0), IsEmpty());
  EXPECT_FALSE(index.erase(0));
  index.expire(0);
  EXPECT_EQ(index.size(), 0U);
}

TEST(HammingIndex, finds_at_distance_k_and_not_at_k_plus_one) {
  constexpr std::uint64_t kStored = 0x0123456789ABCDEF;
  for (const bool tables : {false, true}) {
    for (int k = 0; k <= kCoveringDistanceMax; ++k) {
      SCOPED_TRACE(k);
      Index index({.distance = k});
      index.insert(kStored);
      if (tables) index.insert(far_words());
      std::uint64_t query = kStored;
      for (int flipped = 0; flipped < 10; ++flipped) {
        const auto expected = flipped <= k ? std::optional(Match{0, flipped}) : std::nullopt;
        EXPECT_EQ(index.find(query, MatchMode::kFirst), expected) << flipped;
        query = flip(query, {flipped * 6});
      }
    }
  }
}

TEST(HammingIndex, the_first_is_the_lowest_number_and_the_nearest_the_least_distance) {
  for (const bool tables : {false, true}) {
    Index index({});
    index.insert(flip(0, {0, 16, 32}));
    index.insert(0);
    index.insert(flip(0, {63}));
    index.insert(0);
    if (tables) index.insert(far_words());
    EXPECT_EQ(index.find(0, MatchMode::kFirst), (Match{0, 3}));
    EXPECT_EQ(index.find(0, MatchMode::kNearest), (Match{1, 0}));
    EXPECT_EQ(index.find(flip(0, {5}), MatchMode::kNearest), (Match{1, 1}));
    EXPECT_THAT(find_all(index, 0), ElementsAre(Match{0, 3}, Match{1, 0}, Match{2, 1}, Match{3, 0}));
  }
}

// The classic example, 妈妈喊你来吃饭 against 妈妈叫你来吃饭: fingerprints at distance 3 whose first block
// agrees and whose other three differ.
TEST(HammingIndex, a_pair_that_shares_a_single_block_of_sixteen_is_found) {
  constexpr std::uint64_t kT1 = 0x9E37'79B9'7F4A'7C15;
  constexpr std::uint64_t kT2 = flip(kT1, {1, 20, 47});  // one bit in each block but the highest
  Index index({});
  index.insert(far_words());
  const Sequence stored = index.insert(kT1);
  EXPECT_EQ(index.find(kT2, MatchMode::kFirst), (Match{stored, 3}));
  EXPECT_EQ(index.find(flip(kT2, {60}), MatchMode::kFirst), std::nullopt);
}

TEST(HammingIndex, what_is_new_in_a_batch_is_found_by_what_follows_in_it) {
  for (const bool tables : {false, true}) {
    Index index({});
    if (tables) index.insert(far_words());
    const Sequence next = index.next();
    const std::vector<std::uint64_t> words = {0, 1, flip(0, {40, 41, 42, 43}), 3, 0x3C0000000000000};
    std::vector<std::optional<Match>> answers(words.size());
    index.check_and_insert(words, MatchMode::kFirst, answers);
    EXPECT_THAT(answers,
                ElementsAre(std::nullopt, Match{next, 1}, std::nullopt, Match{next, 2}, std::nullopt));
    EXPECT_EQ(index.next(), next + 3);
  }
}

TEST(HammingIndex, equal_words_are_in_the_tables_once) {
  Index index({});
  index.insert(far_words());
  const std::uint64_t entries = index.tables()[0].entries();
  const Sequence first = index.insert(77);
  for (int i = 0; i < 100; ++i) index.insert(77);
  EXPECT_EQ(index.tables()[0].entries(), entries + 1);
  EXPECT_EQ(find_all(index, 77).size(), 101U);
  EXPECT_TRUE(index.erase(first));
  EXPECT_EQ(index.find(77, MatchMode::kFirst), (Match{first + 1, 0})) << "the next one stands for all";
  EXPECT_EQ(index.tables()[0].entries(), entries + 1);
  for (Sequence s = first + 100; s > first; --s) EXPECT_TRUE(index.erase(s));
  EXPECT_EQ(index.find(77, MatchMode::kFirst), std::nullopt);
  EXPECT_EQ(index.tables()[0].entries(), entries);
}

// Half an hour, if each looked for the one to stand for all after it.
TEST(HammingIndex, a_million_equal_words_expire_in_one_call_as_others_do) {
  constexpr std::size_t kEqual = 1'000'000;
  for (const Sequence left : {0, 1, 1000}) {
    Index index({});
    index.insert(std::vector<std::uint64_t>(kEqual, 77));
    index.expire(kEqual - left);
    EXPECT_EQ(index.size(), left);
    EXPECT_EQ(index.equal_words(), left == 0 ? 0 : left - 1);
    EXPECT_EQ(index.tables()[0].entries(), left == 0 ? 0U : 1U);
    EXPECT_EQ(find_all(index, 77).size(), left);
    const auto first = left == 0 ? std::nullopt : std::optional(Match{kEqual - left, 0});
    EXPECT_EQ(index.find(77, MatchMode::kFirst), first);
  }
}

TEST(HammingIndex, what_is_erased_is_found_no_more_and_its_number_not_used_again) {
  for (const bool tables : {false, true}) {
    Index index({});
    if (tables) index.insert(far_words());
    const Sequence sequence = index.insert(5);
    EXPECT_TRUE(index.contains(sequence));
    EXPECT_TRUE(index.erase(sequence));
    EXPECT_FALSE(index.contains(sequence));
    EXPECT_FALSE(index.erase(sequence));
    EXPECT_FALSE(index.erase(sequence + 1));
    EXPECT_EQ(index.find(5, MatchMode::kFirst), std::nullopt);
    EXPECT_EQ(index.insert(5), sequence + 1);
    index.expire(sequence + 2);
    EXPECT_EQ(index.size(), 0U);
    EXPECT_EQ(index.oldest(), sequence + 2);
    EXPECT_FALSE(index.erase(sequence + 1));
    EXPECT_EQ(index.find(5, MatchMode::kFirst), std::nullopt);
  }
}

// A window that slides over a stream ten times its length.
TEST(HammingIndex, memory_stays_flat_over_a_stream_ten_times_the_window) {
  constexpr std::size_t kWindow = 200'000;
  std::mt19937_64 random(9);
  Index index({});
  std::size_t after_two = 0;
  std::size_t most = 0;
  std::vector<std::uint64_t> words(500);
  for (std::size_t stored = 0; stored < 10 * kWindow; stored += words.size()) {
    for (std::uint64_t& word : words) word = random();
    index.insert(words);
    if (index.size() > kWindow) index.expire(index.next() - kWindow);
    if (stored < 2 * kWindow) {
      after_two = std::max(after_two, index.bytes());
    } else {
      most = std::max(most, index.bytes());
    }
  }
  EXPECT_EQ(index.size(), kWindow);
  // The words are a ring, given back page by page of 2 MiB; overflow blocks settle by their sizes.
  EXPECT_LE(most, after_two + after_two / 20 + (std::size_t{4} << 20));
  EXPECT_EQ(index.find(words[0], MatchMode::kFirst), (Match{index.next() - words.size(), 0}));
}

// What came of a stream that is decided, stored, erased and expired at the same points, in batches of any
// size between them.
struct Outcome {
  std::vector<std::optional<Match>> answers;
  Digest128 layout;
  std::size_t bytes = 0;
  std::uint64_t largest_bucket = 0;
  std::uint64_t head_lines = 0;  // of the first table

  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(std::span<const std::uint64_t> words, const HammingOptions& options, MatchMode mode) {
  const std::size_t stride_size = words.size() / 5;
  Index index(options);
  Outcome outcome;
  outcome.answers.resize(words.size());
  std::mt19937_64 random(static_cast<std::uint64_t>(options.threads));
  for (std::size_t stride = 0; stride < words.size(); stride += stride_size) {
    const std::size_t end = std::min(stride + stride_size, words.size());
    std::size_t batch = 0;
    for (std::size_t from = stride; from < end; from += batch) {
      batch = std::min<std::size_t>(1 + random() % 5000, end - from);
      index.check_and_insert(words.subspan(from, batch), mode,
                             std::span(outcome.answers).subspan(from, batch));
    }
    index.insert(words.subspan(stride, 100));
    for (Sequence s = index.oldest(); s < index.next(); s += 37) index.erase(s);
    index.expire(index.oldest() + index.size() / 3);
    std::vector<std::optional<Match>> found(end - stride);
    index.find(words.subspan(stride, end - stride), mode, found);
    outcome.answers.insert(outcome.answers.end(), found.begin(), found.end());
  }
  EXPECT_FALSE(index.tables().empty());
  outcome.layout = index.layout_digest();
  outcome.bytes = index.bytes();
  outcome.largest_bucket = index.largest_bucket();
  outcome.head_lines = index.tables()[0].head_lines();
  return outcome;
}

Outcome threads_agree(const char* covering, std::size_t count, MatchMode mode, std::vector<int> threads) {
  SCOPED_TRACE(covering);
  const auto words = fingerprint_set<std::uint64_t>("clustered", count, 4);
  HammingOptions options = {.distance = 3, .covering = covering_named(covering)};
  const Outcome first = outcome_of(words, options, mode);
  EXPECT_GT(std::count(first.answers.begin(), first.answers.end(), std::nullopt), 5000);
  for (const int size : threads) {
    SCOPED_TRACE(size);
    options.threads = size;
    EXPECT_TRUE(outcome_of(words, options, mode) == first);
  }
  return first;
}

// Of six tables two threads own three each, in halves and whole ones, and eight a part of one and of another;
// of 25 some own nothing.
TEST(HammingIndex, threads_and_batches_change_neither_answers_nor_bytes) {
  threads_agree("6x21", 100'000, MatchMode::kFirst, {2, 3, 8});
  threads_agree("6x21", 20'000, MatchMode::kNearest, {3, 5, 25});
}

// Most are new, so each of the threads probes in its own tables. Some are near an earlier one or equal to it,
// far back or in the same batch; to find an equal one takes longer then.
TEST(HammingIndex, threads_that_probe_in_tables_of_their_own_agree_with_one) {
  std::mt19937_64 random(9);
  auto words = fingerprint_set<std::uint64_t>("random", 60'000, 5);
  for (std::size_t i = 8; i < words.size(); i += 8) {
    const std::size_t back = random() % (i % 16 == 0 ? i : 8) + 1;
    words[i] = flipped(words[i - back], static_cast<int>(random() % 5), random);
  }
  for (const auto& [covering, threads] :
       {std::pair("6x21", 2), std::pair("16x12", 2), std::pair("16x12", 4)}) {
    for (const MatchMode mode : {MatchMode::kFirst, MatchMode::kNearest}) {
      SCOPED_TRACE(covering);
      std::vector<std::vector<std::optional<Match>>> answers;
      std::vector<Digest128> layouts;
      std::vector<ProbeCounts> counts;
      for (const int size : {1, threads}) {
        Index index({.distance = 3, .covering = covering_named(covering), .threads = size});
        answers.emplace_back(words.size());
        index.check_and_insert(words, mode, answers.back());
        layouts.push_back(index.layout_digest());
        counts.push_back(index.counts());
      }
      EXPECT_TRUE(answers[0] == answers[1]);
      EXPECT_GT(std::count(answers[0].begin(), answers[0].end(), std::nullopt), 50'000);
      EXPECT_LT(std::count(answers[0].begin(), answers[0].end(), std::nullopt), 56'000);
      EXPECT_EQ(layouts[0], layouts[1]);
      EXPECT_EQ(counts[0].lookups, counts[1].lookups);
      EXPECT_LT(counts[0].candidates, counts[1].candidates);
    }
  }
}

// Keys of 12 bits: heads are widened from 32 thousand words on.
TEST(HammingIndex, threads_change_nothing_where_heads_are_widened) {
  EXPECT_GT(threads_agree("16x12", 150'000, MatchMode::kFirst, {3, 7}).head_lines, 4096U);
}

TEST(HammingIndex, growth_goes_through_splits_and_widenings_and_misses_nothing) {
  // Keys of 12 bits are used up after 32 thousand words; heads have four lines after 180 thousand.
  const Covering& covering = *covering_named("16x12");
  Index index({.distance = 3, .covering = &covering});
  const auto words = fingerprint_set<std::uint64_t>("random", 200'000, 6);
  std::size_t asked = 0;
  for (std::size_t from = 0; from < words.size(); from += 1000) {
    index.insert(std::span(words).subspan(from, 1000));
    for (std::size_t i = 0; i < 10; ++i) {
      const std::size_t at = (asked++ * 7919) % (from + 1000);
      ASSERT_EQ(index.find(flip(words[at], {3, 33, 60}), MatchMode::kFirst), (Match{at, 3}));
    }
  }
  EXPECT_EQ(index.tables()[0].buckets(), 4096U);
  EXPECT_EQ(index.tables()[0].head_lines(), 4 * 4096U);
}

// Keys of 6 bits: heads have sixteen lines after 14 thousand words, and then blocks again.
TEST(HammingIndex, the_widest_heads_and_what_overflows_them_miss_nothing) {
  const Covering& covering = *covering_named("16x12");
  HammingIndex<32> index({.distance = 2, .covering = &covering});
  const auto words = fingerprint_set<std::uint32_t>("random", 24'000, 9);
  std::vector<Match> all;
  std::size_t asked = 0;
  for (std::size_t from = 0; from < words.size(); from += 1000) {
    index.insert(std::span(words).subspan(from, 1000));
    for (std::size_t i = 0; i < 20; ++i) {
      const std::uint32_t query = words[(asked++ * 7919) % (from + 1000)] ^ 0x40000004;
      std::vector<Match> expected;
      for (std::size_t j = 0; j < from + 1000; ++j) {
        const int distance = std::popcount(words[j] ^ query);
        if (distance <= 2) expected.push_back({j, distance});
      }
      index.find_all(query, all);
      ASSERT_EQ(all, expected);
    }
  }
  EXPECT_EQ(index.tables()[0].head_lines(), 16 * 64U);
  EXPECT_GT(index.overflow_lines(), 0U);
  for (Sequence s = 0; s < words.size(); s += 2) EXPECT_TRUE(index.erase(s));
  for (std::size_t i = 0; i < 200; ++i) {
    const auto found = index.find(words[i], MatchMode::kNearest);
    EXPECT_EQ((found == Match{i, 0}), i % 2 == 1) << "words are all different";
  }
}

TEST(HammingIndex, a_cap_on_crowded_buckets_is_counted_and_without_it_nothing_is_cut) {
  const auto words = fingerprint_set<std::uint64_t>("one_key", 5000, 1);
  Index whole({});
  Index capped({.block_entries_max = 100});
  whole.insert(words);
  capped.insert(words);
  std::size_t missed = 0;
  for (const std::uint64_t word : words) {
    const auto expected = whole.find(word, MatchMode::kFirst);
    ASSERT_TRUE(expected);
    const auto found = capped.find(word, MatchMode::kFirst);
    missed += found == expected ? 0 : 1;
  }
  EXPECT_EQ(whole.counts().truncated, 0U);
  EXPECT_GT(whole.counts().slow, 0U) << "blocks of thousands are long";
  EXPECT_GE(capped.counts().truncated, missed);
  EXPECT_GT(missed, 0U);
  EXPECT_GT(whole.largest_bucket(), 3000U);
  EXPECT_EQ(whole.counts().lookups, words.size());
}

TEST(HammingIndex, a_look_up_compares_what_shares_a_key_with_it) {
  Index index({});
  index.insert(far_words(100'000));
  const ProbeCounts before = index.counts();
  for (const std::uint64_t word : far_words(5000)) index.find(~word, MatchMode::kFirst);
  const auto candidates = static_cast<double>(index.counts().candidates - before.candidates) / 5000;
  // 8.5 in a bucket on average, more in those not yet split; six tables.
  EXPECT_GT(candidates, 6 * 8.5 * 0.9);
  EXPECT_LT(candidates, 6 * 8.5 * 1.3);
}

// While few bits of the key are in use, those of crowded buckets that are not still part the entries.
TEST(HammingIndex, a_crowded_bucket_is_read_only_where_the_whole_key_agrees) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> words(5000);  // one bucket in each table: nine or ten bits of a key are in use
  for (std::uint64_t& word : words) word = random() & 0xFFFFF800'FFFFF800;
  Index index({});
  index.insert(words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(index.find(flip(words[i], {15, 40, 63}), MatchMode::kNearest), (Match{i, 3}));
  }
  EXPECT_LT(index.counts().candidates / index.counts().lookups, 700U) << "of 30 000 in six tables";
  EXPECT_LT(index.largest_bucket(), 500U);
}

// Words that an earlier life has asked for come back as what they are.
TEST(HammingIndex, words_that_are_said_to_be_apart_end_a_search_as_before) {
  const auto words = fingerprint_set<std::uint64_t>("random", 5000, 5);
  const auto stored = [&](std::uint64_t apart) {
    Index index({});
    for (const std::uint64_t word : words) index.insert(word, apart);
    return index;
  };
  Index asked({});
  std::vector<std::optional<Match>> answers(words.size());
  asked.check_and_insert(words, MatchMode::kFirst, answers);
  ASSERT_EQ(asked.size(), words.size());
  Index again = stored(4);
  EXPECT_EQ(again.apart(), asked.apart());
  EXPECT_EQ(again.entries_digest(), asked.entries_digest());
  Index near = stored(3);
  EXPECT_EQ(near.apart(), 0) << "that may be a match";
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(again.find(words[i], MatchMode::kFirst), (Match{i, 0}));
    ASSERT_EQ(near.find(words[i], MatchMode::kFirst), (Match{i, 0}));
  }
  EXPECT_LT(3 * again.counts().candidates, near.counts().candidates) << "one table of six";
  again.insert(words[0]);
  EXPECT_EQ(again.apart(), 0) << "of this one nobody knows";
}

// Then an equal word ends a search; where words were stored without asking, an older one may be near.
TEST(HammingIndex, an_equal_word_is_the_first_match_only_if_all_words_are_apart) {
  const auto words = fingerprint_set<std::uint64_t>("clustered", 20'000, 3);
  std::vector<std::optional<Match>> answers(words.size());
  Index asked({});
  asked.check_and_insert(words, MatchMode::kFirst, answers);
  EXPECT_EQ(asked.apart(), 4);
  for (Sequence s = 0; s < asked.next(); ++s) {
    ASSERT_EQ(asked.find(asked.word(s), MatchMode::kFirst), (Match{s, 0}));
  }
  const std::uint64_t lookups = asked.counts().lookups;
  EXPECT_EQ(lookups, words.size() + asked.size());

  Index stored({});
  stored.insert(words);
  EXPECT_EQ(stored.apart(), 0);
  std::size_t older = 0;
  std::vector<Match> all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    stored.find_all(words[i], all);
    ASSERT_EQ(stored.find(words[i], MatchMode::kFirst), all.front());
    ASSERT_EQ(stored.find(words[i], MatchMode::kNearest)->distance, 0);
    older += all.front().distance > 0 ? 1 : 0;
  }
  EXPECT_GT(older, words.size() / 10);
}

TEST(HammingIndex, memory_is_below_70_bytes_a_word_from_a_hundred_thousand_on) {
  Index index({});
  const auto words = far_words(1'000'000);
  for (std::size_t from = 0; from < words.size(); from += 100'000) {
    index.insert(std::span(words).subspan(from, 100'000));
    EXPECT_LE(index.bytes(), 70 * index.size()) << index.size();
    EXPECT_GE(index.bytes(), 55 * index.size()) << index.size();
  }
}

TEST(HammingIndex, sequence_numbers_may_pass_those_of_32_bits) {
  constexpr Sequence kFirst = (Sequence{1} << 32) - 3000;
  Index index({});
  index.restore_begin(kFirst);
  const auto words = far_words(6000);
  index.insert(words);
  for (std::size_t i = 0; i < words.size(); i += 13) {
    ASSERT_EQ(index.find(flip(words[i], {1, 2}), MatchMode::kFirst), (Match{kFirst + i, 2}));
  }
  index.expire(kFirst + 5000);
  EXPECT_EQ(index.size(), 1000U);
  EXPECT_EQ(index.find(words[4999], MatchMode::kFirst), std::nullopt);
  EXPECT_EQ(index.find(words[5000], MatchMode::kNearest), (Match{kFirst + 5000, 0}));
  EXPECT_TRUE(index.erase(kFirst + 5500));
  EXPECT_EQ(index.find(words[5500], MatchMode::kNearest), std::nullopt);
}

TEST(HammingIndexDeathTest, refuses_a_distance_that_its_covering_would_miss) {
  EXPECT_DEATH(Index({.distance = 8}), "no covering finds further");
  EXPECT_DEATH(Index({.distance = -1}), "no covering finds further");
  EXPECT_DEATH(Index({.distance = 4, .covering = covering_named("6x21")}), "would miss some");
}

std::uint64_t number_of(const Found& found) {
  return found.distance < 0 ? ~0ULL : found.id * 256ULL + static_cast<std::uint64_t>(found.distance);
}

// A tier and the definition on the same lines: random, crowded and short ones.
template <class Word>
void agrees([[maybe_unused]] Isa isa) {
  std::vector<const ProbeKernels<Word>*> tiers = {&internal::probe_kernels_scalar<Word>()};
#if NEARDUP_X86
  if (isa == Isa::kAvx2) {
    for (const bool pext_is_fast : {false, true})
      tiers.push_back(&internal::probe_kernels_avx2<Word>(pext_is_fast));
  }
  if (isa == Isa::kAvx512) tiers.push_back(&internal::probe_kernels_avx512<Word>());
#endif
  std::mt19937_64 random(8);
  for (const Covering& covering : coverings()) {
    for (const std::string_view set : {"random", "clustered", "one_key"}) {
      const auto words = fingerprint_set<Word>(set, 4000, 2);
      HammingTables<Word> tables(covering);
      const std::size_t width = row_width(tables.size());
      std::vector<std::uint64_t> stored_keys(words.size() * width);
      std::vector<std::uint32_t> stored_tags(stored_keys.size());
      const ProbeView<Word> view = {.tables = tables.data(),
                                    .table_count = covering.tables(),
                                    .first = tables.data(),
                                    .distance = covering.distance,
                                    .words = words.data(),
                                    .in_order = true,
                                    .block_entries_max = ~0U};
      tiers.front()->locate(view, words.data(), words.size(), stored_keys.data(), stored_tags.data());
      for (std::size_t id = 0; id < words.size(); ++id) {
        tables.insert(stored_keys.data() + id * width, stored_tags.data() + id * width,
                      static_cast<std::uint32_t>(id));
      }
      std::vector<Word> queries;
      for (int i = 0; i < 200; ++i) {
        queries.push_back(flipped(words[random() % words.size()], static_cast<int>(random() % 9), random));
      }
      std::vector<Word> batch(words.end() - 400, words.end());  // some of whose copies are among the queries
      batch.insert(batch.end(), queries.begin(), queries.end());
      std::vector<std::vector<std::uint64_t>> seen;  // all that each tier said
      for (const ProbeKernels<Word>* const tier : tiers) {
        std::vector<std::uint64_t> said;
        std::vector<std::uint64_t> keys(queries.size() * width);
        std::vector<std::uint32_t> tags(keys.size());
        const auto rows = [&] {
          std::vector<std::uint64_t> numbers;
          for (std::size_t i = 0; i < queries.size(); ++i) {
            for (std::size_t t = 0; t < tables.size(); ++t) {
              numbers.push_back(keys[i * width + t]);
              numbers.push_back(tags[i * width + t]);
            }
          }
          return numbers;
        };
        std::vector<Probed> probed(queries.size());
        ProbeCounts counts;
        for (const MatchMode mode : {MatchMode::kFirst, MatchMode::kNearest}) {
          tier->find(view, mode, queries.data(), queries.size(), keys.data(), tags.data(), probed.data(),
                     counts);
          for (const Probed& p : probed) said.push_back(number_of(p.found));
          // Who is stored itself ends the search where that is allowed.
          ProbeView<Word> ending = view;
          ending.equal_ends = true;
          std::vector<Probed> ended(queries.size());
          tier->find(ending, mode, queries.data(), queries.size(), keys.data(), tags.data(), ended.data(),
                     counts);
          std::size_t equal = 0;
          for (std::size_t i = 0; i < queries.size(); ++i) {
            said.push_back(number_of(ended[i].found));
            if (mode == MatchMode::kNearest) {
              ASSERT_EQ(ended[i].found.distance, probed[i].found.distance) << i;
            }
            if (ended[i].found.distance != 0) continue;
            ASSERT_EQ(words[ended[i].found.id], queries[i]);
            ++equal;
          }
          if (set != "one_key") {
            EXPECT_GE(equal, 10U) << "about a ninth of them are";
          }
          // One at a time they are located another way.
          std::vector<std::uint64_t> row_keys(width);
          std::vector<std::uint32_t> row_tags(width);
          for (std::size_t i = 0; i < queries.size(); ++i) {
            Probed alone;
            tier->find(view, mode, &queries[i], 1, row_keys.data(), row_tags.data(), &alone, counts);
            ASSERT_EQ(number_of(alone.found), number_of(probed[i].found)) << i;
          }
          // In some of the tables by one, and in the others by another.
          std::vector<Found> either(queries.size());
          for (int begin = 0, end = (covering.tables() + 2) / 3; begin < covering.tables();
               begin = end, end = covering.tables()) {
            ProbeView<Word> own = view;
            own.tables += begin;
            own.table_count = end - begin;
            own.asks_equal = false;
            std::vector<Probed> part(queries.size());
            tier->find(own, mode, queries.data(), queries.size(), keys.data(), tags.data(), part.data(),
                       counts);
            for (std::size_t i = 0; i < queries.size(); ++i) {
              const Found& found = part[i].found;
              const auto rank = [&](const Found& f) {
                return std::pair(mode == MatchMode::kFirst ? 0 : f.distance, f.id);
              };
              if (found.distance < 0) continue;
              if (either[i].distance < 0 || rank(found) < rank(either[i])) either[i] = found;
            }
          }
          for (std::size_t i = 0; i < queries.size(); ++i) {
            ASSERT_EQ(number_of(either[i]), number_of(probed[i].found)) << i;
          }
          tier->locate(view, queries.data(), queries.size(), keys.data(), tags.data());
          // Nor does it matter how many there are, and which groups they are in.
          std::vector<std::uint64_t> part_keys(keys.size());
          std::vector<std::uint32_t> part_tags(tags.size());
          for (std::size_t from = 0, count = 2; from + count <= queries.size(); from += count, count += 5) {
            std::vector<Probed> part(count);
            tier->find(ending, mode, &queries[from], count, part_keys.data(), part_tags.data(), part.data(),
                       counts);
            for (std::size_t i = 0; i < count; ++i) {
              ASSERT_EQ(number_of(part[i].found), number_of(ended[from + i].found)) << from << ' ' << i;
            }
          }
          for (const Word& query : queries) {
            const Found f = tier->scan(words.data(), words.size() - 3, query, covering.distance, mode);
            said.push_back(number_of(f));
          }
        }
        const std::vector<std::uint64_t> located = rows();
        said.insert(said.end(), located.begin(), located.end());
        std::vector<Found> all;
        ProbeCounts all_counts;
        tier->find_all(view, queries[0], keys.data(), tags.data(), all, all_counts);
        tier->scan_all(words.data(), 101, queries[1], covering.distance, all);
        for (const Found& f : all) said.push_back(f.id * 256ULL + static_cast<std::uint64_t>(f.distance));
        for (const std::size_t count : {0U, 1U, 7U, 19U, 64U, 301U}) {
          std::vector<char> near(batch.size());
          tier->near_earlier(words.data(), count, batch.data(), batch.size(), covering.distance, near.data());
          for (std::size_t i = 0; i < batch.size(); ++i) {
            const auto is_near = [&](const Word& word) {
              return differing_bits(word, batch[i]) <= covering.distance;
            };
            const bool wanted =
                std::any_of(words.begin(), words.begin() + static_cast<long>(count), is_near) ||
                std::any_of(batch.begin(), batch.begin() + static_cast<long>(i), is_near);
            ASSERT_EQ(near[i] != 0, wanted) << count << ' ' << i;
          }
        }
        tier->locate(view, queries.data(), queries.size(), keys.data(), tags.data());
        ASSERT_EQ(rows(), located) << "eight tables at a time, and each by itself";
        tier->locate_in(tables[tables.size() - 1], queries.data(), queries.size(), keys.data(), tags.data());
        said.insert(said.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(queries.size()));
        said.insert(said.end(), tags.begin(), tags.begin() + static_cast<std::ptrdiff_t>(queries.size()));
        said.push_back(counts.lookups);
        said.push_back(counts.candidates);
        said.push_back(counts.overflow_lines);
        said.push_back(counts.slow);
        for (const Probed& p : probed) said.push_back(p.lines);
        said.push_back(all_counts.candidates);
        said.push_back(all_counts.overflow_lines);
        said.push_back(all_counts.slow);
        seen.push_back(said);
      }
      for (const auto& said : seen) ASSERT_EQ(said, seen.front()) << covering.name << ' ' << set;
    }
  }
}

class HammingProbe : public testing::TestWithParam<Isa> {};

TEST_P(HammingProbe, gives_the_answers_of_the_definition) {
  if (GetParam() > cpu_isa()) GTEST_SKIP() << "this CPU does not have " << isa_name(GetParam());
  agrees<std::uint32_t>(GetParam());
  agrees<std::uint64_t>(GetParam());
  agrees<Word128>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Tiers, HammingProbe, testing::Values(Isa::kScalar, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& tier) { return std::string(isa_name(tier.param)); });

}  // namespace
}  // namespace neardup
