#include "core/index/short_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr unsigned kThreshold = 800;

class ShortIndexTest : public testing::Test {
 protected:
  ShortSignature sign(std::string_view canonical) {
    ShortSignature signature;
    EXPECT_TRUE(signer_.sign(canonical, signature));
    return signature;
  }
  void insert(Sequence sequence, std::string_view canonical) {
    index_.insert(sequence, sign(canonical), *search_);
  }
  std::vector<Sequence> found(std::string_view canonical) {
    index_.find(sign(canonical), kThreshold, *search_);
    std::vector<Sequence> sequences;
    for (const Row row : search_->candidates()) sequences.push_back(index_.sequence(row));
    return sequences;
  }

  ShortSigner signer_;
  ShortIndex index_;
  std::unique_ptr<ShortSearch> search_ = std::make_unique<ShortSearch>();
};

TEST_F(ShortIndexTest, finds_texts_that_are_like_this_one_oldest_first) {
  insert(3, "the quick brown fox jumps over the lazy dog");
  insert(5, "something else entirely is written in here");
  insert(9, "the quick brown fox jumps over the lazy cat");
  EXPECT_THAT(found("the quick brown fox jumped over the lazy dog"), ElementsAre(3, 9));
  EXPECT_THAT(found("nobody has ever written this before"), IsEmpty());
}

TEST_F(ShortIndexTest, gives_back_the_texts) {
  insert(0, "春节 2021 年快乐吗");
  std::u32string text(index_.length(0), U'?');
  index_.text(0, text.data());
  EXPECT_EQ(text, U"春节 2021 年快乐吗");
}

TEST_F(ShortIndexTest, finds_tiny_texts_one_edit_away) {
  insert(0, "fives");
  insert(1, "four");
  EXPECT_THAT(found("five"), ElementsAre(0));
  EXPECT_THAT(found("fiver"), ElementsAre(0));
  EXPECT_THAT(found("fours"), ElementsAre(1));
  EXPECT_THAT(found("foul"), IsEmpty()) << "one edit in four is too much";
}

TEST_F(ShortIndexTest, discards_what_cannot_be_near_by_length_and_classes) {
  insert(0, "the quick brown fox jumps over the lazy dog");
  EXPECT_THAT(found("the quick brown fox jumps over the lazy dog and runs away from it as fast as it can"),
              IsEmpty());
  EXPECT_EQ(search_->met(), 1U) << "it shares a band";
}

TEST_F(ShortIndexTest, forgets_what_is_erased) {
  insert(3, "the quick brown fox jumps over the lazy dog");
  insert(4, "the quick brown fox jumps over the lazy cat");
  EXPECT_TRUE(index_.erase(3, signer_));
  EXPECT_FALSE(index_.erase(3, signer_));
  EXPECT_FALSE(index_.erase(7, signer_));
  EXPECT_THAT(found("the quick brown fox jumps over the lazy dog"), ElementsAre(4));
}

TEST_F(ShortIndexTest, forgets_what_is_expired_and_gives_its_memory_back) {
  std::size_t bytes = 0;
  std::size_t bytes_max = 0;
  constexpr Sequence kLive = 20'000;
  const auto text_of = [](Sequence number) { return std::to_string(number * 7919) + " and more"; };
  for (Sequence number = 0; number < 6 * kLive; ++number) {
    if (number % 100 == 0 && number >= kLive) index_.expire(2 * (number - kLive));
    insert(2 * number, text_of(number));
    if (number == kLive) bytes = index_.bytes();
    bytes_max = std::max(bytes_max, index_.bytes());
  }
  EXPECT_LT(bytes_max, 2 * bytes);
  const Sequence oldest = 2 * (5 * kLive - 100);
  for (const Sequence sequence : found(text_of(kLive))) EXPECT_GE(sequence, oldest);
  EXPECT_THAT(found(text_of(6 * kLive - 1)), testing::Contains(2 * (6 * kLive - 1)));
}

TEST_F(ShortIndexTest, gives_its_texts_back_when_all_are_expired) {
  constexpr Sequence kTexts = 80'000;
  for (Sequence number = 0; number < kTexts; ++number) {
    std::string text;
    while (text.size() < 180) text += std::to_string((number + text.size()) * 0x9E3779B97F4A7C15) + " ";
    insert(number, text);
  }
  const std::size_t bytes = index_.bytes();
  index_.expire(kTexts);
  EXPECT_LT(index_.bytes() + 7'000'000, bytes) << "a text takes 100 bytes at least";
  insert(kTexts, "a text that comes later");
  EXPECT_THAT(found("a text that comes later"), testing::ElementsAre(kTexts));
}

TEST_F(ShortIndexTest, equal_calls_make_equal_states) {
  ShortIndex other;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = "notice number " + std::to_string(i * 31 % 977) + " of the village council";
    insert(static_cast<Sequence>(i), text);
    other.insert(static_cast<Sequence>(i), sign(text), *search_);
    // Searches leave no trace.
    found(text);
  }
  EXPECT_EQ(index_.digest(), other.digest());
  EXPECT_GT(index_.postings().hot().size(), 0U);
  other.insert(5000, sign("one more"), *search_);
  EXPECT_NE(index_.digest(), other.digest());
}

TEST_F(ShortIndexTest, a_flood_of_near_copies_keeps_a_search_bounded) {
  std::size_t most = 0;
  for (int i = 0; i < 30'000; ++i) {
    const std::string text =
        "dear customer your parcel number " + std::to_string(1'000'000 + i) + " will arrive today";
    insert(static_cast<Sequence>(i), text);
    found(text);
    most = std::max(most, search_->met());
  }
  EXPECT_LT(most, 1500U) << "of thirty thousand";
}

}  // namespace
}  // namespace neardup
