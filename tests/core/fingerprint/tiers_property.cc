// Every tier against the slow and obvious twin: tokens, weights and fingerprints of seeded texts.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/folder.h"
#include "core/text/utf8.h"
#include "tests/core/fingerprint/tiers.h"

namespace neardup {
namespace {

constexpr std::uint64_t kSeed = 20240517;

void append(std::string& text, char32_t code_point) {
  char bytes[4];
  text.append(bytes, encode_utf8(code_point, bytes));
}

// One of the things that texts are made of, and that kernels treat in ways of their own.
void append_something(std::string& text, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto letters = [&](char32_t first, std::uint64_t count, std::uint64_t length) {
    for (; length > 0; --length) append(text, first + static_cast<char32_t>(below(count)));
  };
  switch (below(16)) {
    case 0:
      return letters('a', 26, 1);
    case 1:
    case 2:
      return letters('a', 26, 1 + below(10));
    case 3:
      return letters('a', 3, 7 + below(12));  // about 8 and 16 bytes
    case 4:
      return letters('0', 10, 1 + below(40));
    case 5:
      text += static_cast<char>('a' + below(3));  // often the same few words
      text += ' ';
      return;
    case 6:
      return letters(U'а', 32, 1 + below(9));  // Cyrillic: two bytes
    case 7:
      return letters(U'一', 20'000, 1 + below(12));
    case 8:
      return letters(U'一', 3, 1 + below(6));
    case 9:
      return letters(U'ぁ', 0xB0, 1 + below(6));  // kana
    case 10:
      return letters(U'가', 11'172, 1 + below(4));
    case 11:
      return letters(U'ก', 0x5B, 1 + below(8));  // Thai
    case 12:
      return letters(0x900, 0x700, 1 + below(5));  // Indic scripts, Thai, Lao, Tibetan, Myanmar: three bytes
    case 13:
      return letters(0x20000, 0xA000, 1 + below(3));  // four bytes, characters
    case 14:
      return letters(0x10400, 0x600, 1 + below(3));  // four bytes, letters of words
    default:
      return letters(static_cast<char32_t>(below(0xD000)), 0x40, 1);
  }
}

std::string canonical(std::string_view bytes) {
  CanonicalText out;
  canonicalize(bytes, out);
  return std::string(out.text.view());
}

std::string random_text(std::mt19937_64& random, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    append_something(text, random);
    if (random() % 3 != 0) text += ' ';
  }
  return canonical(text);
}

class TiersProperty : public testing::Test {
 protected:
  TiersProperty() {
    for (const Isa tier : tiers()) readers_.emplace_back(tier);
  }

  // Whether all tiers say of a canonical text what the twin says.
  [[nodiscard]] bool agree(std::string_view text, std::size_t offset = 0) {
    const std::vector<reference::PlainToken> tokens = reference::tokens_of(text);
    const std::array<std::uint64_t, 2> fingerprint = reference::wide_simhash(tokens);
    for (TierReader& reader : readers_) {
      reader.read(text, offset);
      if (reader.tokens != tokens || reader.fingerprint != fingerprint[0] ||
          reader.wide_fingerprint != fingerprint) {
        ADD_FAILURE() << isa_name(reader.tier) << " at offset " << offset << ", " << text.size()
                      << " bytes: " << text.substr(0, 300);
        return false;
      }
    }
    return true;
  }

  std::vector<TierReader> readers_;
};

TEST_F(TiersProperty, agree_on_a_million_texts_random_and_mutated) {
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i) {
    if (i % 4 == 0 || bytes.size() > 300) {
      bytes.clear();
      for (std::uint64_t parts = random() % 12; parts > 0; --parts) {
        append_something(bytes, random);
        if (random() % 3 != 0) bytes += ' ';
      }
    } else if (!bytes.empty()) {  // one byte changed, doubled or gone: malformed UTF-8 among them
      const std::size_t at = random() % bytes.size();
      if (random() % 3 == 0) bytes[at] = static_cast<char>(random());
      if (random() % 3 == 0) bytes.insert(at, bytes.substr(at, random() % 9));
      if (random() % 3 == 0) bytes.erase(at, random() % 5);
    }
    ASSERT_TRUE(agree(canonical(bytes), random() % 4)) << "text " << i;
  }
}

TEST_F(TiersProperty, agree_at_every_length_and_offset) {
  std::mt19937_64 random(kSeed);
  for (std::size_t length = 0; length < 330; ++length) {
    const std::string text = random_text(random, length);
    for (std::size_t offset = 0; offset < 64; offset += 1 + length % 7) ASSERT_TRUE(agree(text, offset));
    ASSERT_TRUE(agree(std::string(length, 'x')));
    std::string spaced(length, 'x');
    for (std::size_t i = 1; i + 1 < length; i += 2) spaced[i] = ' ';
    ASSERT_TRUE(agree(canonical(spaced)));
  }
}

// A chunk is 4096 bytes: whatever lies there is cut in every possible place.
TEST_F(TiersProperty, agree_on_what_lies_across_the_end_of_a_chunk) {
  std::string filler;
  for (int i = 0; filler.size() < 3900; ++i) filler += std::to_string(i) + " ";
  for (const char* what : {"internationalization of words", "妈妈喊你来吃饭", "한국어를 한a국b어c",
                           "𠀀𠮷野家𪚥", "ภาษาไทย ab", "हिन्दी में लिखा", "a b c d e f", "naive 你"}) {
    for (std::size_t length = 3980; length < 4100; ++length) {
      std::string text = filler;
      text.resize(length, 'y');
      ASSERT_TRUE(agree(canonical(text + " " + what + " and more")));
      ASSERT_TRUE(agree(canonical(text + what + "和更多的话")));
    }
  }
}

TEST_F(TiersProperty, agree_on_long_texts) {
  std::mt19937_64 random(kSeed + 1);
  for (const std::size_t size : {1000, 4096, 5000, 20'000, 100'000, 1'000'000}) {
    ASSERT_TRUE(agree(random_text(random, size)));
  }
}

// The ranges by which the vector kernels tell characters from letters, against the tables.
TEST_F(TiersProperty, agree_on_every_code_point) {
  std::string text;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    append(text, c);
    if (c % 5 == 0) text += 'a';
    if (c % 7 == 0) text += ' ';
  }
  ASSERT_TRUE(agree(canonical(text)));
}

TEST_F(TiersProperty, agree_on_what_wants_to_break_them) {
  const auto repeat = [](std::string_view what, std::size_t times) {
    std::string text;
    for (; times > 0; --times) text += what;
    return canonical(text);
  };
  for (const std::size_t times : {1, 15, 16, 17, 18, 63, 64, 65, 66, 127, 128, 129, 2048, 4096, 100'000}) {
    ASSERT_TRUE(agree(repeat("the ", times)));
    ASSERT_TRUE(agree(repeat("x", times)));
    ASSERT_TRUE(agree(repeat("的", times)));
    ASSERT_TRUE(agree(repeat("的a", times)));
    ASSERT_TRUE(agree(repeat("한a", times)));
    ASSERT_TRUE(agree(repeat("𠀀", times)));
    ASSERT_TRUE(agree(repeat("妈妈 喊 ab 你来 abcdefgh ", times)));
    ASSERT_TRUE(agree(repeat("abcdefghijklmnopqrstuvwxyz ", times)));
  }
  // A syllable needs no space before it: so 33 tokens begin in 64 bytes. Each is read behind other texts,
  // whose places must not be taken for its own.
  ASSERT_EQ(canonical("1 1월"), "1 1월");
  std::string table;
  for (std::size_t words = 28; words < 36; ++words) {
    std::string row;
    for (std::size_t i = 0; i < words; ++i) row += "1 ";
    for (const char* const before : {"", "x", "abcdef "}) {
      ASSERT_TRUE(agree(repeat("abcdefgh ", 40)));
      ASSERT_TRUE(agree(canonical(before + row + "1월")));
      ASSERT_TRUE(agree(canonical(before + row + "1월 " + row + "1월")));
    }
    if (words == 31) {
      for (int i = 0; i < 200; ++i) table += row + "1월 ";
    }
  }
  for (std::size_t from = 0; from < 64; ++from) {
    ASSERT_TRUE(agree(canonical(std::string(from, 'x') + " " + table))) << from;
  }
  for (const char first : {'1', 'x'}) {  // a syllable begins in byte 4095, behind 2048 words
    std::string words(1, first);
    for (int i = 1; i < 2048; ++i) words += " 1";
    ASSERT_TRUE(agree(canonical(words + "월 " + words + "월")));
  }
  ASSERT_TRUE(agree(repeat("the ", 1'000'000)));
  const std::string megabyte(1 << 20, 'x');
  ASSERT_TRUE(agree(megabyte));
  ASSERT_TRUE(agree(canonical("word " + megabyte + " 你" + megabyte + "好 " + std::string(4096, 'y'))));
}

}  // namespace
}  // namespace neardup
