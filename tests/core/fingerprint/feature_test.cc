#include "core/fingerprint/feature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace neardup {
namespace {

// Values from an independent implementation of the definition, in Python.
TEST(Feature, hashes_are_fixed_for_ever) {
  EXPECT_EQ(word_feature("a"), 0x9A44D37B6EED2715U);
  EXPECT_EQ(word_feature("document"), 0xAAF42D3DDA0CCE3FU);
  EXPECT_EQ(word_feature("documents"), 0x24A37AFF4397A812U);
  EXPECT_EQ(word_feature("abcdefghijklmnopqrstuvwxyz"), 0x25F58FDB0E635F73U);
  EXPECT_EQ(word_feature("москва"), 0x33A3FE0970291E04U);
  EXPECT_EQ(character_feature(U'饭'), 0x8F3639418C7B5FB3U);
  EXPECT_EQ(bigram_feature(U'吃', U'饭'), 0xAE9E27CB18C21EA8U);
  EXPECT_EQ(bigram_feature(U'\U00020000', U'饭'), 0x7C85CAA702153477U);
}

TEST(Feature, every_byte_of_a_word_of_any_length_matters) {
  for (std::size_t length = 1; length <= 40; ++length) {
    const std::string word(length, 'x');
    EXPECT_NE(word_feature(word), word_feature(word + "x"));
    for (std::size_t at = 0; at < length; ++at) {
      std::string other = word;
      other[at] = 'y';
      EXPECT_NE(word_feature(other), word_feature(word)) << length << " " << at;
    }
  }
}

TEST(Feature, reads_nothing_beyond_the_word) {
  const std::string text = "abcdefghijklmnopqrstuvwxyz";
  const std::string other = "abcdefghijkl~~~~~~~~~~~~~~";
  EXPECT_EQ(word_feature(std::string_view(text).substr(0, 12)),
            word_feature(std::string_view(other).substr(0, 12)));
}

TEST(Feature, a_bigram_has_a_direction) {
  EXPECT_NE(bigram_feature(U'甲', U'乙'), bigram_feature(U'乙', U'甲'));
}

// All hash one 64-bit word by steps that can be undone, and the top byte tells the kinds apart.
TEST(Feature, characters_bigrams_and_short_words_never_meet) {
  std::vector<std::uint64_t> hashes;
  for (char32_t c = 0; c < 0x110000; c += 7) hashes.push_back(character_feature(c));
  for (char32_t a = 0x4E00; a < 0x5200; ++a) {
    for (char32_t b = 0x4E00; b < 0x5200; b += 3) hashes.push_back(bigram_feature(a, b));
  }
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) {
      for (char c = 'a'; c <= 'z'; ++c) hashes.push_back(word_feature(std::string{a, b, c}));
    }
  }
  const std::size_t count = hashes.size();
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  EXPECT_EQ(hashes.size(), count);
}

// Each bit, and the slot of the weight table, must be fair on the inputs that look most alike.
TEST(Feature, each_bit_is_one_half_of_the_time) {
  const auto expect_fair = [](const std::vector<std::uint64_t>& hashes, const char* what) {
    SCOPED_TRACE(what);
    std::array<int, 64> ones{};
    for (const std::uint64_t hash : hashes) {
      for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(hash >> bit & 1);
    }
    const double count = static_cast<double>(hashes.size());
    for (std::size_t bit = 0; bit < 64; ++bit) {
      EXPECT_NEAR(ones[bit] / count, 0.5, 4.5 * 0.5 / std::sqrt(count)) << bit;  // 1 of 2000 runs by chance
    }
  };
  std::vector<std::uint64_t> characters;
  for (char32_t c = 0x4E00; c < 0x9FFF; ++c) characters.push_back(character_feature(c));
  expect_fair(characters, "characters");
  std::vector<std::uint64_t> bigrams;
  for (char32_t c = 0x4E00; c < 0x9FFF; ++c) bigrams.push_back(bigram_feature(U'的', c));
  expect_fair(bigrams, "bigrams");
  std::vector<std::uint64_t> numbers;
  numbers.reserve(100'000);
  for (int i = 0; i < 100'000; ++i) numbers.push_back(word_feature(std::to_string(i)));
  expect_fair(numbers, "numbers");
  std::vector<std::uint64_t> long_words;
  long_words.reserve(100'000);
  for (int i = 0; i < 100'000; ++i)
    long_words.push_back(word_feature("internationalization" + std::to_string(i)));
  expect_fair(long_words, "long words");
}

}  // namespace
}  // namespace neardup
