#include "core/fingerprint/feature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/text/utf8.h"

namespace neardup {
namespace {

std::string utf8(char32_t code_point) {
  std::string bytes(4, '\0');
  bytes.resize(static_cast<std::size_t>(encode_utf8(code_point, bytes.data()) - bytes.data()));
  return bytes;
}

// Values of tests/reference/signature.py.
TEST(Feature, hashes_are_fixed_for_ever) {
  EXPECT_EQ(token_feature("a"), 0xAB167E660E4C691FU);
  EXPECT_EQ(token_feature("document"), 0x41510ED1AE5FAB5DU);
  EXPECT_EQ(token_feature("documents"), 0xBF297DE76470026EU);
  EXPECT_EQ(token_feature("abcdefghijklmnopqrstuvwxyz"), 0x269107E38CFA163BU);
  EXPECT_EQ(token_feature("москва"), 0x6761B158547F40BEU);
  EXPECT_EQ(token_feature("饭"), 0xF10EA2F282B00492U);
  EXPECT_EQ(bigram_feature(token_feature("吃"), token_feature("饭")), 0xAAC442B1AA1DDF39U);
  EXPECT_EQ(wide_feature(token_feature("document")), 0xBF1FDF94B32E19BBU);
}

TEST(Feature, every_byte_of_a_word_of_any_length_matters) {
  for (std::size_t length = 1; length <= 40; ++length) {
    const std::string word(length, 'x');
    EXPECT_NE(token_feature(word), token_feature(word + "x"));
    for (std::size_t at = 0; at < length; ++at) {
      std::string other = word;
      other[at] = 'y';
      EXPECT_NE(token_feature(other), token_feature(word)) << length << " " << at;
    }
  }
}

TEST(Feature, reads_nothing_beyond_the_word) {
  const std::string text = "abcdefghijklmnopqrstuvwxyz";
  const std::string other = "abcdefghijkl~~~~~~~~~~~~~~";
  EXPECT_EQ(token_feature(std::string_view(text).substr(0, 12)),
            token_feature(std::string_view(other).substr(0, 12)));
}

TEST(Feature, a_word_of_several_blocks_hangs_on_their_order) {
  const std::string first(16, 'a');
  const std::string second(16, 'b');
  EXPECT_NE(token_feature(first + second), token_feature(second + first));
  EXPECT_NE(token_feature(first + first), token_feature(first));
}

TEST(Feature, a_bigram_has_a_direction) {
  const std::uint64_t first = token_feature("甲");
  const std::uint64_t second = token_feature("乙");
  EXPECT_NE(bigram_feature(first, second), bigram_feature(second, first));
}

TEST(Feature, tokens_and_bigrams_do_not_meet) {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> characters;
  for (char32_t c = 0x3400; c < 0xA000; ++c) characters.push_back(token_feature(utf8(c)));
  for (std::size_t a = 0; a < characters.size(); a += 27) {
    for (std::size_t b = 0; b < characters.size(); b += 31) {
      hashes.push_back(bigram_feature(characters[a], characters[b]));
    }
  }
  hashes.insert(hashes.end(), characters.begin(), characters.end());
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) {
      for (char c = 'a'; c <= 'z'; ++c) hashes.push_back(token_feature(std::string{a, b, c}));
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
  for (char32_t c = 0x4E00; c < 0x9FFF; ++c) characters.push_back(token_feature(utf8(c)));
  expect_fair(characters, "characters");
  std::vector<std::uint64_t> after;
  std::vector<std::uint64_t> before;
  std::vector<std::uint64_t> twice;
  for (const std::uint64_t character : characters) {
    after.push_back(bigram_feature(characters[100], character));
    before.push_back(bigram_feature(character, characters[100]));
    twice.push_back(bigram_feature(character, character));
  }
  expect_fair(after, "bigrams of one first character");
  expect_fair(before, "bigrams of one second character");
  expect_fair(twice, "a character twice");
  // Votes of a bigram must not follow those of the bigram that has another first, or second, character.
  std::vector<std::uint64_t> first_changed;
  std::vector<std::uint64_t> second_changed;
  std::vector<std::uint64_t> reversed;
  std::vector<std::uint64_t> widened;
  for (std::size_t i = 0; i + 1 < characters.size(); ++i) {
    first_changed.push_back(after[i] ^ bigram_feature(characters[101], characters[i]));
    second_changed.push_back(before[i] ^ bigram_feature(characters[i], characters[101]));
    reversed.push_back(after[i] ^ before[i]);
    widened.push_back(characters[i] ^ wide_feature(characters[i]));
  }
  expect_fair(first_changed, "bigrams against those with another first character");
  expect_fair(second_changed, "bigrams against those with another second character");
  expect_fair(reversed, "bigrams against themselves reversed");
  expect_fair(widened, "64 bits against 64 more");
  std::vector<std::uint64_t> numbers;
  numbers.reserve(100'000);
  for (int i = 0; i < 100'000; ++i) numbers.push_back(token_feature(std::to_string(i)));
  expect_fair(numbers, "numbers");
  std::vector<std::uint64_t> long_words;
  long_words.reserve(100'000);
  for (int i = 0; i < 100'000; ++i)
    long_words.push_back(token_feature("internationalization" + std::to_string(i)));
  expect_fair(long_words, "long words");
}

}  // namespace
}  // namespace neardup
