#include "core/text/tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace neardup {
namespace {

// One entry a token: its bytes; in brackets if a token character; '+' before it if it follows one without a
// space.
std::vector<std::string> tokens(std::string_view canonical) {
  std::vector<std::string> result;
  TokenReader reader(canonical);
  for (Token token; reader.next(token);) {
    std::string shown(token.bytes);
    if (token.kind == Token::Kind::kCharacter) shown = "[" + shown + "]";
    if (token.follows_character) shown = "+" + shown;
    result.push_back(shown);
  }
  return result;
}

using Tokens = std::vector<std::string>;

TEST(Tokenizer, nothing_holds_no_tokens) { EXPECT_EQ(tokens(""), Tokens{}); }

TEST(Tokenizer, words_are_what_spaces_divide) {
  EXPECT_EQ(tokens("naive cafe 2021"), (Tokens{"naive", "cafe", "2021"}));
  EXPECT_EQ(tokens("ежик हिन्दी"), (Tokens{"ежик", "हिन्दी"}));
}

TEST(Tokenizer, token_characters_come_one_by_one_and_say_what_they_follow) {
  EXPECT_EQ(tokens("春节 2021 年你好"), (Tokens{"[春]", "+[节]", "2021", "[年]", "+[你]", "+[好]"}));
  EXPECT_EQ(tokens("𠀀ー"), (Tokens{"[𠀀]", "+[ー]"}));
}

TEST(Tokenizer, hangul_comes_one_by_one_and_is_joined_within_a_word_only) {
  EXPECT_EQ(tokens("한국 말"), (Tokens{"[한]", "+[국]", "[말]"}));
  EXPECT_EQ(tokens("kbs방송국 3사"), (Tokens{"kbs", "[방]", "+[송]", "+[국]", "3", "[사]"}));
}

TEST(Tokenizer, thai_marks_are_tokens_like_its_letters) {
  EXPECT_EQ(tokens("ที่"), (Tokens{"[ท]", "+[ี]", "+[่]"}));
}

TEST(Tokenizer, tokens_are_views_into_the_text) {
  const std::string text = "a 年";
  TokenReader reader(text);
  Token token;
  ASSERT_TRUE(reader.next(token));
  EXPECT_EQ(token.bytes.data(), text.data());
  ASSERT_TRUE(reader.next(token));
  EXPECT_EQ(token.bytes.data(), text.data() + 2);
  EXPECT_FALSE(reader.next(token));
  EXPECT_FALSE(reader.next(token));
}

}  // namespace
}  // namespace neardup
