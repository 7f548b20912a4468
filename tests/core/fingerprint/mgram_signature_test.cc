#include "core/fingerprint/mgram_signature.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "core/text/tokenizer.h"

namespace neardup {
namespace {

MgramSignature sign(MgramOptions options, std::string_view text) {
  CanonicalText canonical;
  canonicalize(text, canonical);
  MgramSigner signer(std::move(options));
  MgramSignature signature;
  signer.sign(canonical.text, signature);
  return signature;
}

std::set<Key> keys(const MgramSignature& signature) {
  std::set<Key> keys;
  for (const Mgram& gram : signature.grams) keys.insert(gram.key);
  return keys;
}

bool share_a_key(const MgramSignature& a, const MgramSignature& b) {
  const std::set<Key> of_a = keys(a);
  for (const Mgram& gram : b.grams) {
    if (of_a.contains(gram.key)) return true;
  }
  return false;
}

std::shared_ptr<const StopWords> stop_words(std::string_view file) {
  Result<StopWords> words = StopWords::parse(file);
  EXPECT_TRUE(words);
  return std::make_shared<const StopWords>(std::move(*words));
}

TEST(MgramSignature, has_a_gram_for_each_place_where_m_units_begin) {
  const MgramSignature signature = sign({}, "abcdefghij");
  EXPECT_EQ(signature.units.size(), 10U);
  EXPECT_EQ(signature.grams.size(), 7U);
  EXPECT_EQ(sign({.m = 10}, "abcdefghij").grams.size(), 1U);
  EXPECT_EQ(sign({.m = 1}, "abcdefghij").grams.size(), 10U);
}

TEST(MgramSignature, a_text_shorter_than_a_gram_has_itself_as_its_only_one) {
  const MgramSignature three = sign({}, "abc");
  EXPECT_EQ(three.grams.size(), 1U);
  EXPECT_EQ(keys(three), keys(sign({}, "ABC!")));
  EXPECT_FALSE(share_a_key(three, sign({}, "abcd")));
  EXPECT_FALSE(share_a_key(three, sign({}, "ab")));
}

TEST(MgramSignature, counts_how_often_a_gram_is_there) {
  const MgramSignature signature = sign({.m = 2}, "aaaab");
  ASSERT_EQ(signature.grams.size(), 2U);
  EXPECT_EQ(signature.grams[0].count + signature.grams[1].count, 4U);
  EXPECT_EQ(signature.norm, 10U) << "three times aa, once ab";
}

TEST(MgramSignature, texts_share_a_key_iff_they_share_a_run) {
  EXPECT_TRUE(share_a_key(sign({}, "春节联欢晚会今天开始"), sign({}, "今天开始放假")));
  EXPECT_FALSE(share_a_key(sign({}, "春节联欢晚会今天开始"), sign({}, "今天开学")));
  EXPECT_TRUE(share_a_key(sign({}, "one run is enough"), sign({}, "ten runs")));
  EXPECT_FALSE(share_a_key(sign({}, "abcdefgh"), sign({}, "hgfedcba")));
}

TEST(MgramSignature, words_are_the_tokens_of_the_text) {
  for (const char* text : {"The quick brown fox, 春节快乐 and 한국어를 배우는 사람", "สวัสดี bnk48 ไทย",
                           "ひらがな カタカナ x", "a"}) {
    CanonicalText canonical;
    canonicalize(text, canonical);
    std::size_t tokens = 0;
    TokenReader reader(canonical.text);
    for (Token token; reader.next(token);) ++tokens;
    EXPECT_EQ(sign({.m = 2, .over = MgramUnits::kWords}, text).units.size(), tokens) << text;
  }
  const MgramOptions over_words{.m = 2, .over = MgramUnits::kWords};
  EXPECT_TRUE(share_a_key(sign(over_words, "the quick brown fox"), sign(over_words, "a brown fox")));
  EXPECT_FALSE(share_a_key(sign(over_words, "the quick brown fox"), sign(over_words, "fox brown quick the")));
}

TEST(MgramSignature, stop_words_are_no_units_unless_there_is_nothing_else) {
  const MgramOptions over_content{
      .m = 2, .over = MgramUnits::kContentWords, .stop_words = stop_words("the\nof\nto be\n")};
  EXPECT_EQ(keys(sign(over_content, "the price of bread")), keys(sign(over_content, "price bread, the")));
  EXPECT_EQ(sign(over_content, "the price of bread").units.size(), 2U);
  EXPECT_EQ(sign(over_content, "To be the").units.size(), 3U);
}

TEST(MgramSignature, a_long_text_is_judged_by_its_beginning) {
  std::string text;
  while (text.size() < 2 * kMgramTextMax) text += std::to_string(text.size());
  const MgramSignature whole = sign({}, text);
  EXPECT_TRUE(whole.is_cut);
  EXPECT_EQ(whole.text.size(), kMgramTextMax);
  EXPECT_EQ(whole.grams, sign({}, text.substr(0, kMgramTextMax)).grams);
  EXPECT_FALSE(sign({}, text.substr(0, 100)).is_cut);
}

TEST(MgramSignature, stop_words_are_looked_for_in_a_bounded_beginning) {
  std::string text;
  while (text.size() < 200'000) text += "的一天 the ";
  const MgramOptions over_content{
      .m = 2, .over = MgramUnits::kContentWords, .stop_words = stop_words("the\n的\n")};
  const MgramSignature signature = sign(over_content, text);
  EXPECT_TRUE(signature.is_cut);
  EXPECT_EQ(signature.text.size(), kMgramTextMax);
  EXPECT_EQ(signature.grams.size(), 2U) << "a day, day after day";
}

TEST(MgramSignature, is_made_again_from_the_text_that_is_kept) {
  const auto words = stop_words("the\n");
  for (const MgramOptions& options :
       {MgramOptions{}, MgramOptions{.m = 2, .over = MgramUnits::kWords},
        MgramOptions{.m = 1, .over = MgramUnits::kContentWords, .stop_words = words}}) {
    const MgramSignature first = sign(options, "The cat sat on the mat 春节快乐 the");
    MgramSigner signer(options);
    MgramSignature again;
    signer.sign(first.text, again);
    EXPECT_EQ(again.grams, first.grams);
    EXPECT_EQ(again.units, first.units);
    EXPECT_EQ(again.norm, first.norm);
  }
}

}  // namespace
}  // namespace neardup
