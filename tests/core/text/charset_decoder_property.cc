// Texts of sixteen languages in their charsets, encoded by ICU: decoded by name they are the same again, and
// without a name they are found out as often as measured here. And every single byte and pair of bytes
// against ICU's tables.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/charset_decoder.h"
#include "tests/support/icu_encode.h"
#include "tests/support/language_texts.h"

namespace neardup {
namespace {

// `count` characters from the `from`-th on, the text again behind its end.
std::string piece(std::string_view text, std::size_t from, std::size_t count) {
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = 1;
    while (at + size < text.size() && (text[at + size] & 0xC0) == 0x80) ++size;
    characters.push_back(text.substr(at, size));
    at += size;
  }
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += characters[(from + i) % characters.size()];
  return out;
}

std::string expected_text(const std::string& text, Charset charset) {
  if (charset != Charset::kWindows1258) return text;
  std::string apart;
  tones_apart(icu::UnicodeString::fromUTF8(text)).toUTF8String(apart);
  return apart;
}

// Those of a language, each once; those that lack some of its characters (the quotes of Japanese in EUC) too,
// as long as the text fits.
std::set<Charset> charsets_of(const LanguageText& language) {
  return {language.charsets.begin(), language.charsets.end()};
}

TEST(CharsetDecoderProperty, what_icu_encodes_is_decoded_by_its_name) {
  CharsetDecoder decoder;
  std::string text;
  for (const LanguageText& language : kLanguageTexts) {
    for (const Charset charset : charsets_of(language)) {
      const std::string bytes = encode(language.text, charset);
      const DecodedText decoded = decoder.decode_as(charset, bytes, text);
      EXPECT_EQ(decoded.undecodable, 0U) << name(charset);
      EXPECT_EQ(text, expected_text(std::string(language.text), charset)) << name(charset);
      // Cut anywhere, all that is lost is the last character.
      for (std::size_t size = 1; size < 200; ++size) {
        const DecodedText cut = decoder.decode_as(charset, bytes.substr(0, size), text);
        EXPECT_LE(cut.undecodable, 1U) << name(charset) << " " << size;
      }
    }
  }
}

TEST(CharsetDecoderProperty, a_text_that_declares_nothing_is_found_out) {
  static constexpr std::array<std::size_t, 5> kLengths = {50, 100, 200, 800, 4000};
  static constexpr std::size_t kPieces = 40;
  // Measured. All others: 100.
  const std::map<std::string, std::array<std::size_t, kLengths.size()>> measured = {
      {"zh-Hant big5", {97, 100, 100, 100, 100}},    {"pl iso-8859-2", {92, 95, 100, 100, 100}},
      {"pl windows-1250", {92, 95, 100, 100, 100}},  {"fr iso-8859-15", {97, 100, 100, 100, 100}},
      {"fr windows-1252", {97, 100, 100, 100, 100}}, {"de windows-1252", {97, 100, 100, 100, 100}},
      {"uk windows-1251", {97, 97, 100, 100, 100}}};
  CharsetDecoder decoder;
  std::string text;
  std::printf("%-22s", "characters");
  for (const std::size_t length : kLengths) std::printf("%6zu", length);
  std::printf("   of 100 decoded right\n");
  std::array<std::size_t, kLengths.size()> sums{};
  std::size_t rows = 0;
  for (const LanguageText& language : kLanguageTexts) {
    for (const Charset charset : charsets_of(language)) {
      const std::string row = std::string(language.language) + " " + std::string(name(charset));
      std::printf("%-22s", row.c_str());
      ++rows;
      for (std::size_t l = 0; l < kLengths.size(); ++l) {
        std::size_t right = 0;
        for (std::size_t i = 0; i < kPieces; ++i) {
          const std::string original = piece(language.text, i * 17, kLengths[l]);
          decoder.decode(encode(original, charset), {}, text);
          right += text == expected_text(original, charset) ? 1 : 0;
        }
        const auto percent = right * 100 / kPieces;
        sums[l] += percent;
        std::printf("%6zu", percent);
        const auto known = measured.find(row);
        EXPECT_GE(percent, known == measured.end() ? 100 : known->second[l]) << row << " " << kLengths[l];
      }
      std::printf("\n");
    }
  }
  std::printf("%-22s", "mean");
  for (const std::size_t sum : sums) std::printf("%6zu", sum / rows);
  std::printf("\n");
}

// Characters that differ from ICU's table, of those both have.
std::size_t different_pairs(Charset charset, const char* icu_charset) {
  CharsetDecoder decoder;
  std::string text;
  std::size_t different = 0;
  for (unsigned lead = 0x81; lead <= 0xFE; ++lead) {
    for (unsigned trail = 0x40; trail <= 0xFE; ++trail) {
      const std::string bytes = {static_cast<char>(lead), static_cast<char>(trail)};
      if (decoder.decode_as(charset, bytes, text).undecodable > 0) continue;
      const std::string other = decode_by_icu(bytes, icu_charset);
      if (other.find("\uFFFD") != std::string::npos || other.find('\x1A') != std::string::npos) continue;
      different += text == other ? 0 : 1;
    }
  }
  return different;
}

// The differences are no mistakes of one of them, but other versions: GB18030 of 2000 and 2005 in private
// use, Big5's box drawing and a few of Hong Kong's characters of 2004, EUC-JP with IBM's rows in place of
// NEC's.
TEST(CharsetDecoderProperty, every_pair_of_bytes_is_what_icu_says) {
  EXPECT_EQ(different_pairs(Charset::kGb18030, "gb18030"), 24U);
  EXPECT_EQ(different_pairs(Charset::kBig5, "Big5-HKSCS"), 47U);
  EXPECT_EQ(different_pairs(Charset::kShiftJis, "ibm-943_P15A-2003"), 0U);
  EXPECT_EQ(different_pairs(Charset::kEucJp, "EUC-JP"), 374U);
  EXPECT_EQ(different_pairs(Charset::kEucKr, "windows-949"), 0U);
}

TEST(CharsetDecoderProperty, every_single_byte_is_what_icu_says) {
  CharsetDecoder decoder;
  std::string text;
  std::string differences;
  for (auto i = static_cast<std::size_t>(Charset::kIbm866); i < kCharsetNames.size(); ++i) {
    const auto charset = static_cast<Charset>(i);
    if (charset == Charset::kIso8859_16) continue;  // ICU has none
    for (unsigned value = 0x80; value <= 0xFF; ++value) {
      const std::string bytes(1, static_cast<char>(value));
      if (decoder.decode_as(charset, bytes, text).undecodable > 0) continue;
      const std::string other = decode_by_icu(bytes, icu_name(charset));
      if (other == text || other.find("\uFFFD") != std::string::npos) continue;
      char what[64];
      std::snprintf(what, sizeof what, "%s %02X; ", std::string(name(charset)).c_str(), value);
      differences += what;
    }
  }
  EXPECT_EQ(differences, "koi8-u AE; koi8-u BE; ") << "ICU lacks the letter that Belarusian has";
}

}  // namespace
}  // namespace neardup
