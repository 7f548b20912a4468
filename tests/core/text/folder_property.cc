// The folder against ICU: every code point, alone and between neighbours, and seeded strings of what goes
// wrong.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/folder.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"
#include "tests/core/text/folder_tiers.h"
#include "tests/core/text/icu_canonical.h"
#include "tests/core/text/random_text.h"

namespace neardup {
namespace {

constexpr std::uint64_t kSeed = 20240229;

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
    canonicalize_by_all(bytes, out);
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
