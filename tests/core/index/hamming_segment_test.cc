#include "core/index/hamming_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/base/crc32c.h"
#include "tests/support/fingerprint_sets.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

template <int kWidth>
std::string segment(const HammingIndex<kWidth>& index, Sequence first, Sequence end) {
  std::string bytes;
  const Status status = write_segment(index, first, end, [&](std::string_view part) {
    bytes += part;
    return Status();
  });
  EXPECT_TRUE(status.ok());
  return bytes;
}

template <int kWidth>
Result<HammingIndex<kWidth>> load(std::string_view state, const std::vector<std::string>& segments,
                                  const HammingOptions& options = {}) {
  HammingLoader<kWidth> loader(options);
  if (const Status status = loader.read_state(state); !status.ok()) return status.error();
  for (const std::string& bytes : segments) {
    if (const Status status = loader.read_segment(bytes); !status.ok()) return status.error();
  }
  return loader.finish();
}

template <int kWidth>
HammingIndex<kWidth> filled(std::size_t count, const HammingOptions& options = {}) {
  HammingIndex<kWidth> index(options);
  index.insert(fingerprint_set<WordOf<kWidth>>("clustered", count, count));
  return index;
}

template <int kWidth>
void comes_back_as_it_was() {
  for (const std::size_t count : {0, 1, 1024, 1025, 40'000}) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(count);
      const auto index = filled<kWidth>(count);
      const std::uint64_t cut = count / 3;
      const auto back = load<kWidth>(write_state(index), {segment(index, 0, cut), segment(index, cut, count)},
                                     {.threads = threads});
      ASSERT_TRUE(back.ok()) << back.error().message;
      EXPECT_EQ(back->state_digest(), index.state_digest());
      EXPECT_EQ(back->entries_digest(), index.entries_digest()) << "built at once, the tables hold the same";
      EXPECT_EQ(back->size(), index.size());
    }
  }
}

// A look-up that a cap cuts short may miss a word that is stored: then it is stored again, and known to be.
TEST(HammingSegment, of_an_index_that_missed_equal_words_comes_back) {
  const HammingOptions options{.block_entries_max = 100};
  HammingIndex<64> index(options);
  const auto words = fingerprint_set<std::uint64_t>("one_key", 5000, 1);
  std::vector<std::optional<Match>> answers(words.size());
  index.check_and_insert(words, MatchMode::kFirst, answers);
  index.check_and_insert(words, MatchMode::kFirst, answers);
  ASSERT_GT(index.equal_words(), 0U);
  EXPECT_EQ(index.apart(), 0);
  const auto back = load<64>(write_state(index), {segment(index, 0, index.next())}, options);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->equal_words(), index.equal_words());
  EXPECT_EQ(back->entries_digest(), index.entries_digest());
  for (Sequence sequence = index.next(); sequence-- > 0;) ASSERT_TRUE(index.erase(sequence));
  EXPECT_EQ(index.size(), 0U);
}

TEST(HammingSegment, what_was_only_stored_comes_back_to_the_entry) {
  comes_back_as_it_was<32>();
  comes_back_as_it_was<64>();
  comes_back_as_it_was<128>();
}

// Through splits, and while heads are widened once and twice: keys of 12 bits are used up after 32 thousand.
TEST(HammingSegment, a_table_built_at_once_has_the_size_of_one_that_grew_and_grows_on_like_it) {
  const HammingOptions options = {.covering = covering_named("16x12")};
  for (const std::size_t count : {20'000, 34'000, 60'000, 81'000, 100'000, 185'000}) {
    SCOPED_TRACE(count);
    HammingIndex<64> index(options);
    index.insert(fingerprint_set<std::uint64_t>("random", count, count));
    auto back = load<64>(write_state(index), {segment(index, 0, count)}, options);
    ASSERT_TRUE(back.ok()) << back.error().message;
    for (int more = 0; more < 2; ++more) {
      EXPECT_EQ(back->entries_digest(), index.entries_digest());
      EXPECT_LE(back->bytes(), index.bytes()) << "less, as no block of it had to move";
      const auto words = fingerprint_set<std::uint64_t>("clustered", 9'000, count);
      index.insert(words);
      back->insert(words);
    }
  }
}

TEST(HammingSegment, what_was_erased_and_expired_stays_so_and_answers_go_on_alike) {
  auto index = filled<64>(30'000);
  const std::string early = segment(index, 0, 10'000);
  for (Sequence s = 5; s < 30'000; s += 7) index.erase(s);
  index.expire(4'000);
  const std::string late = segment(index, 10'000, 30'000);
  auto back = load<64>(write_state(index), {early, late});
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->state_digest(), index.state_digest());
  EXPECT_EQ(back->oldest(), 4'000U);
  const auto more = fingerprint_set<std::uint64_t>("clustered", 30'000, 30'000);
  std::mt19937_64 random(1);
  std::vector<Match> here;
  std::vector<Match> there;
  for (int i = 0; i < 5'000; ++i) {
    const auto query = flipped(more[random() % more.size()], static_cast<int>(random() % 5), random);
    index.find_all(query, here);
    back->find_all(query, there);
    ASSERT_EQ(here, there);
    ASSERT_EQ(index.insert(query), back->insert(query));
    const Sequence gone = 4'000 + random() % 26'000;
    ASSERT_EQ(index.erase(gone), back->erase(gone));
  }
  EXPECT_EQ(back->state_digest(), index.state_digest());
}

TEST(HammingSegment, any_changed_byte_and_any_cut_is_refused) {
  auto index = filled<64>(20'000);
  index.erase(7);
  index.erase(300);
  const std::string state = write_state(index);
  const std::string words = segment(index, 0, 20'000);
  ASSERT_TRUE(load<64>(state, {words}).ok());
  std::mt19937_64 random(2);
  const auto damage = [&](std::string bytes, std::size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    return bytes;
  };
  for (std::size_t at = 0; at < state.size(); ++at) {
    ASSERT_FALSE(load<64>(damage(state, at), {words}).ok()) << at;
    ASSERT_FALSE(load<64>(state.substr(0, at), {words}).ok()) << at;
  }
  for (int i = 0; i < 300; ++i) {
    const std::size_t at = i < 60 ? static_cast<std::size_t>(i) : random() % words.size();
    ASSERT_FALSE(load<64>(state, {damage(words, at)}).ok()) << at;
    ASSERT_FALSE(load<64>(state, {words.substr(0, at)}).ok()) << at;
  }
}

TEST(HammingSegment, what_is_wrong_is_named) {
  const auto index = filled<64>(20'000);
  const std::string state = write_state(index);
  const std::string early = segment(index, 0, 9'000);
  const std::string late = segment(index, 9'000, 20'000);
  const auto message = [&](std::string_view s, const std::vector<std::string>& segments) {
    const auto result = load<64>(s, segments);
    return result.ok() ? "" : result.error().message;
  };
  EXPECT_THAT(message(state, {early}), HasSubstr("the words from 9000 to 20000 are missing"));
  EXPECT_THAT(message(state, {late}), HasSubstr("segment from 9000: expected the one from 0"));
  EXPECT_THAT(message(state, {early, early}), HasSubstr("segment from 0: expected the one from 9000"));
  EXPECT_THAT(message(state, {early, late + "x"}), HasSubstr("bytes behind its last block"));
  EXPECT_THAT(message(early, {}), HasSubstr("does not begin with NDHS"));
  EXPECT_THAT(message(state, {state}), HasSubstr("does not begin with NDHW"));
  std::string damaged = late;
  damaged[70'000] = static_cast<char>(damaged[70'000] ^ 4);
  EXPECT_THAT(message(state, {early, damaged}), HasSubstr("checksum of the block of 17192 does not match"));

  const auto narrow = filled<32>(10);
  EXPECT_THAT(message(write_state(narrow), {}), HasSubstr("fingerprints of 32 bits, not 64"));
  const auto shorter = filled<64>(19'000);
  EXPECT_THAT(message(write_state(shorter), {early, late}), HasSubstr("goes on beyond 19000"));
  std::string newer = state;
  newer[4] = 2;
  EXPECT_EQ(load<64>(newer, {}).error().code, ErrorCode::kUnsupportedVersion);
}

TEST(HammingSegment, an_error_of_the_sink_ends_the_writing) {
  const auto index = filled<64>(40'000);
  int calls = 0;
  const Status status = write_segment(index, 0, 40'000, [&](std::string_view) {
    return ++calls == 3 ? Status(Error{ErrorCode::kIo, "disk full"}) : Status();
  });
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "disk full");
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace neardup
