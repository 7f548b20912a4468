#include "core/fingerprint/token_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/fingerprint/feature.h"
#include "core/text/folder.h"

namespace neardup {
namespace {

struct Tokens {
  std::vector<std::uint64_t> hashes;
  std::vector<bool> characters;
  std::vector<bool> joined;
};

Tokens tokens_of(std::string_view text, TokenStream::Use use = TokenStream::Use::kSimHash) {
  CanonicalText canonical;
  canonicalize(text, canonical);
  const std::string padded = std::string(canonical.text.view()) + std::string(TokenStream::kTextSlack, ' ');
  TokenStream stream;
  stream.open(std::string_view(padded).substr(0, canonical.text.size()), use);
  Tokens tokens;
  for (TokenBatch batch; stream.next(batch);) {
    EXPECT_EQ(batch.counting != nullptr, use == TokenStream::Use::kSimHash);
    for (std::size_t i = 0; i < TokenBatch::kHistory; ++i) {
      const std::size_t before = tokens.hashes.size();
      EXPECT_EQ(batch.hashes[-1 - static_cast<int>(i)], before > i ? tokens.hashes[before - 1 - i] : 0U);
    }
    for (std::size_t i = 0; i < batch.size; ++i) {
      tokens.hashes.push_back(batch.hashes[i]);
      tokens.characters.push_back(batch.characters[i / 64] >> i % 64 & 1);
      tokens.joined.push_back(batch.joined[i / 64] >> i % 64 & 1);
    }
  }
  return tokens;
}

TEST(TokenStream, hashes_words_and_characters_in_their_order) {
  const Tokens tokens = tokens_of("Big news: 妈妈喊 you, 你。好 한국 한a");
  const std::vector<std::uint64_t> expected = {
      token_feature("big"), token_feature("news"), token_feature("妈"), token_feature("妈"),
      token_feature("喊"),  token_feature("you"),  token_feature("你"), token_feature("好"),
      token_feature("한"),  token_feature("국"),   token_feature("한"), token_feature("a")};
  EXPECT_EQ(tokens.hashes, expected);
  EXPECT_EQ(tokens.characters, (std::vector<bool>{0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(tokens.joined, (std::vector<bool>{0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0}));
}

TEST(TokenStream, of_nothing_has_no_batch) {
  TokenStream stream;
  TokenBatch batch;
  EXPECT_FALSE(stream.next(batch)) << "never opened";
  EXPECT_TRUE(tokens_of("").hashes.empty());
  EXPECT_TRUE(tokens_of("?!").hashes.empty());
}

TEST(TokenStream, a_long_text_comes_in_batches_that_know_what_came_before) {
  std::string text;
  std::vector<std::uint64_t> expected;
  for (int i = 0; i < 10'000; ++i) {
    const std::string word = std::to_string(i);
    text += word + " ";
    expected.push_back(token_feature(word));
  }
  EXPECT_EQ(tokens_of(text).hashes, expected);
  EXPECT_EQ(tokens_of(text, TokenStream::Use::kHashes).hashes, expected);
}

TEST(TokenStream, for_hashes_alone_counts_nothing_and_reads_the_same) {
  const std::string text =
      "one two " + std::string(5000, 'x') + " 三四 three";  // a word of more than a chunk
  EXPECT_EQ(tokens_of(text, TokenStream::Use::kHashes).hashes, tokens_of(text).hashes);
  EXPECT_EQ(tokens_of(text, TokenStream::Use::kHashes).joined, tokens_of(text).joined);
}

}  // namespace
}  // namespace neardup
