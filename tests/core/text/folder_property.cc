// The folder against ICU: every code point, alone and between neighbours, and seeded strings of what goes
// wrong.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/folder.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"
#include "tests/core/text/icu_canonical.h"

namespace neardup {
namespace {

constexpr std::uint64_t kSeed = 20240229;

std::string utf8(std::u32string_view code_points) {
  std::string result;
  for (const char32_t c : code_points) {
    char bytes[4];
    result.append(bytes, encode_utf8(c, bytes));
  }
  return result;
}

std::string canonical(std::string_view bytes) {
  CanonicalText out;
  canonicalize(bytes, out);
  return std::string(out.text);
}

std::string hex(std::string_view bytes) {
  std::string result;
  char digits[3];
  for (const char c : bytes) {
    std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned char>(c));
    result += digits;
    result += ' ';
  }
  return result;
}

bool is_surrogate(char32_t c) { return c >= 0xD800 && c < 0xE000; }

TEST(FolderProperty, every_code_point_folds_as_icu_says) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (is_surrogate(c)) continue;
    const std::string bytes = utf8({&c, 1});
    ASSERT_EQ(canonical(bytes), icu_oracle::canonical(bytes)) << "U+" << std::hex << std::uint32_t{c};
  }
}

// What stands before and after tells apart what vanishes, what separates, what joins and what composes.
TEST(FolderProperty, every_code_point_folds_as_icu_says_between_neighbours) {
  for (char32_t c = 0x80; c <= 0x10FFFF; ++c) {
    if (is_surrogate(c) || (c >= 0x3400 && c < 0xAC00 && c % 61 != 0) || (c >= 0x20000 && c % 61 != 0))
      continue;
    const std::u32string string = {U'x',   c, U'y',   U'か', c,      0x3099, U'年',  c, U'国',
                                   0x1112, c, 0x1161, c,     0x11AB, 0x0915, 0x094D, c, 0x093C};
    const std::string bytes = utf8(string);
    ASSERT_EQ(canonical(bytes), icu_oracle::canonical(bytes)) << "U+" << std::hex << std::uint32_t{c};
  }
}

// Kinds of characters that meet each other in the interesting rules.
const std::vector<std::u32string> kAlphabets = {
    U"abc XYZ 019 .,-_'\n\t",
    U"éÉßẞſŉǅİıÅéﬀﬁ½²™ªΣςάᾳ",
    {0x300, 0x301, 0x308, 0x327, 0x334, 0x345, 0x20DD, 0x488, 0x903, 0x302A, 0x302E, 0x340, 0x344, 0xFE20},
    {0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xFE0F, 0x34F, 0x115F, 0x1160, 0x3164, 0xFFA0, 0xE0100,
     0x180B},
    U"かきはひうワヲゝヽんァーﾞﾟｶﾊｳｰ゛゜ぁ々〆〇㌀㍿",
    {0x3099, 0x309A, 0xFF9E, 0xFF9F, 0x309B},
    U"春节年国龍龙，。！《》①㈱⼀⺀",
    {0xF900, 0xFA0E, 0x2F800, 0x2F81A, 0x20000, 0x3400, 0x303C, 0x3006, 0x3031},
    {0x1100, 0x1112, 0x1161, 0x1175, 0x11A7, 0x11A8, 0x11C2, 0x3131, 0x314F, 0xFFA1, 0xFFC2, 0xA960, 0xD7B0,
     0x119E},
    U"한국어가각힣갂",
    {0xE01, 0xE33, 0xE34, 0xE38, 0xE48, 0xE4B, 0xE3A, 0xE50, 0xEB3, 0xEC8, 0xEB8, 0x1000, 0x1037, 0x1039,
     0x103A, 0x1780, 0x17D2, 0x17DD},
    {0x915, 0x93C, 0x94D, 0x93F, 0x958, 0x951, 0x9C7, 0x9BE, 0x9CB, 0xF40, 0xF71, 0xF72, 0xF73, 0xF74, 0xF39,
     0x1A7F, 0x110BA, 0x11099},
    U"العربيّةـﷺﻻ٠١٢ עִברית",
    U"ЖёЙйѝΆΐ",
    U"😀👨‍👩‍👧🇨🇳❤️𝒜𝟘ℵⅧ𐐀Ა",
    {0x2260, 0x338, 0x226E, 0x2FFF, 0x378, 0xE000, 0xFFFE, 0x10FFFF, 0x0, 0x85, 0x2028, 0xA0, 0x3000},
};

class RandomText {
 public:
  explicit RandomText(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::string valid() {
    std::u32string string;
    std::size_t alphabet = below(kAlphabets.size());
    const std::size_t switches = 1 + below(6);  // some texts change their script all the time, some rarely
    for (std::size_t left = below(24); left > 0; --left) {
      if (below(switches) == 0) alphabet = below(kAlphabets.size());
      const std::u32string& characters = kAlphabets[alphabet];
      string += below(40) == 0 ? any() : characters[below(characters.size())];
    }
    return utf8(string);
  }

  std::string broken() {
    std::string bytes = valid();
    for (std::size_t i = 1 + below(4); i > 0 && !bytes.empty(); --i) {
      char& byte = bytes[below(bytes.size())];
      switch (below(3)) {
        case 0:
          byte = static_cast<char>(random_());
          break;
        case 1:
          byte = "\xC0\xC1\xE0\xED\xF0\xF4\xF5\xFF\x80\xBF\xA0\x90"[below(12)];
          break;
        default:
          bytes.erase(below(bytes.size()), 1 + below(2));
      }
    }
    return bytes;
  }

 private:
  char32_t any() {
    const auto c = static_cast<char32_t>(below(0x110000));
    return is_surrogate(c) ? U' ' : c;
  }

  std::mt19937_64 random_;
};

TEST(FolderProperty, random_strings_fold_as_icu_says) {
  RandomText random(kSeed);
  for (int i = 0; i < 300000; ++i) {
    const std::string bytes = random.valid();
    ASSERT_EQ(canonical(bytes), icu_oracle::canonical(bytes))
        << "seed " << kSeed << " case " << i << ": " << hex(bytes);
  }
}

TEST(FolderProperty, random_bytes_fold_as_icu_says_and_their_errors_are_counted) {
  RandomText random(kSeed + 1);
  CanonicalText out;
  std::uint64_t errors = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::string bytes = random.broken();
    canonicalize(bytes, out);
    ASSERT_EQ(out.text.view(), icu_oracle::canonical(bytes))
        << "seed " << kSeed + 1 << " case " << i << ": " << hex(bytes);
    const auto decoded =
        icu::UnicodeString::fromUTF8(icu::StringPiece(bytes.data(), static_cast<int>(bytes.size())));
    std::uint32_t replaced = 0;
    for (int at = 0; at < decoded.length(); ++at) replaced += decoded[at] == 0xFFFD;
    for (std::size_t at = bytes.find("\xEF\xBF\xBD"); at != std::string::npos;
         at = bytes.find("\xEF\xBF\xBD", at + 1)) {
      --replaced;
    }
    ASSERT_EQ(out.invalid_sequences, replaced) << "seed " << kSeed + 1 << " case " << i << ": " << hex(bytes);
    errors += replaced;
  }
  EXPECT_GT(errors, 200000U);
}

TEST(FolderProperty, folding_again_changes_nothing) {
  RandomText random(kSeed + 2);
  for (int i = 0; i < 200000; ++i) {
    const std::string bytes = random.broken();
    const std::string once = canonical(bytes);
    ASSERT_EQ(canonical(once), once) << "seed " << kSeed + 2 << " case " << i << ": " << hex(bytes);
  }
}

TEST(FolderProperty, reused_buffers_give_what_fresh_ones_give) {
  RandomText random(kSeed + 3);
  CanonicalText reused;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = random.broken();
    if (i % 100 == 0) {
      for (int j = 0; j < 8; ++j) bytes += bytes;
    }
    CanonicalText fresh;
    canonicalize(bytes, reused);
    canonicalize(bytes, fresh);
    ASSERT_EQ(reused.text.view(), fresh.text.view()) << "seed " << kSeed + 3 << " case " << i;
    ASSERT_EQ(reused.tokens, fresh.tokens);
    ASSERT_EQ(reused.characters, fresh.characters);
    ASSERT_EQ(reused.invalid_sequences, fresh.invalid_sequences);
  }
}

TEST(FolderProperty, the_tokens_read_are_the_tokens_counted_and_make_up_the_text) {
  RandomText random(kSeed + 4);
  for (int i = 0; i < 200000; ++i) {
    const std::string bytes = random.broken();
    CanonicalText out;
    canonicalize(bytes, out);
    TokenReader reader(out.text);
    std::string joined;
    std::uint32_t tokens = 0;
    std::uint32_t characters = 0;
    std::size_t end = 0;
    SCOPED_TRACE("seed " + std::to_string(kSeed + 4) + " case " + std::to_string(i) + ": " + hex(bytes));
    for (Token token; reader.next(token); ++tokens) {
      ASSERT_FALSE(token.bytes.empty());
      const auto begin = static_cast<std::size_t>(token.bytes.data() - out.text.data());
      ASSERT_LE(begin - end, 1U);
      joined += out.text.view().substr(end, begin - end);  // nothing, or the one space
      if (begin > end) {
        ASSERT_EQ(joined.back(), ' ');
        ASSERT_FALSE(token.follows_character);
      }
      end = begin + token.bytes.size();
      joined += token.bytes;
      if (token.kind == Token::Kind::kCharacter) {
        ++characters;
        ASSERT_EQ(decode_utf8(token.bytes).size, token.bytes.size());
      }
    }
    ASSERT_EQ(joined, out.text.view());
    ASSERT_EQ(tokens, out.tokens);
    ASSERT_EQ(characters, out.characters);
  }
}

}  // namespace
}  // namespace neardup
