// Every tier gives the answers of the scalar definition, on strings made of what goes wrong; and what it says
// a string means is what nlohmann's parser says. Each input lies in an allocation of its own exact size, so
// that a sanitizer sees a read behind its end.
#include "service/codec/json_string.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/base/isa.h"
#include "core/text/utf8.h"
#include "tests/support/every_tier.h"

namespace neardup {
namespace {

constexpr std::uint64_t kSeed = 20250214;

struct Tier {
  Isa isa;
  JsonString (*find_string_end)(const char*, const char*);
  char* (*unescape)(std::string_view, char*);
  JsonReading (*read_string)(const char*, const char*, char*);
};

std::vector<Tier> tiers() {
  std::vector<Tier> all = {{Isa::kScalar, internal::find_string_end_scalar, internal::unescape_scalar,
                            internal::read_string_scalar}};
#if NEARDUP_X86
  if (cpu_isa() >= Isa::kAvx2) {
    all.push_back(
        {Isa::kAvx2, internal::find_string_end_avx2, internal::unescape_avx2, internal::read_string_avx2});
  }
  if (cpu_isa() >= Isa::kAvx512) {
    all.push_back({Isa::kAvx512, internal::find_string_end_avx512, internal::unescape_avx512,
                   internal::read_string_avx512});
  }
#endif
  return all;
}

// Pieces that strings are made of; which ones, and how often, changes from string to string.
std::string random_string(std::mt19937_64& random) {
  static const std::vector<std::string> kPieces = {
      "a",
      "word ",
      "sixteen letters.",
      "\xE4\xB8\xAD",
      "\xC3\xA9",
      "\\n",
      "\\\"",
      "\\\\",
      "\\/",
      "\\t",
      "\\b",
      "\\f",
      "\\r",
      "\\u4e2d",
      "\\u00e9",
      "\\u0041",
      "\\uFFFD",
      "\\u07ff",
      "\\u0800",
      "\\u007F",
      "\\u0080",
      "\\u0000",
      "\\uD83D\\uDE00",
      "\\ud83d",
      "\\ude00",
      "u",
      "\\\\u4e2d",
      "\\\\\\\\",
      "\\u4E2D\\u6587\\uff0c",
      "\\uABCDef",
      "nothing to escape in here, for more than sixty-four bytes of a plain run of text"};
  static const std::vector<std::string> kBreaks = {
      "\"",   "\\",       "\\q",       "\\u",   "\\u12",   "\\u12G4", "\n",      "\x01",
      "\x1F", "\\u123\"", "\\ud83d\\", "\\x41", "\\U0041", "\\u00\\", "\\\x80n", std::string("\0", 1)};
  const std::size_t kinds = 1 + random() % 6;
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < kinds; ++i) chosen.push_back(kPieces[random() % kPieces.size()]);
  std::string text(random() % 70, 'x');  // so that blocks begin everywhere
  const std::size_t count = random() % 40;
  for (std::size_t i = 0; i < count; ++i) text += chosen[random() % kinds];
  if (random() % 3 == 0) text.insert(random() % (text.size() + 1), kBreaks[random() % kBreaks.size()]);
  if (random() % 4 != 0) text += '"';
  if (random() % 2 == 0) text.append(random() % 70, random() % 2 == 0 ? ' ' : '\\');
  return text;
}

TEST(JsonStringProperty, every_tier_gives_the_definitions_answer) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  std::size_t closed = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 1'000'000; ++round) {
    const std::string text = random_string(random);
    const auto exact = std::make_unique<char[]>(text.size());
    std::memcpy(exact.get(), text.data(), text.size());
    const char* const end = exact.get() + text.size();
    const JsonString expected = internal::find_string_end_scalar(exact.get(), end);
    (expected.end != nullptr ? closed : refused) += 1;
    std::string meaning;
    for (const Tier& tier : tiers()) {
      const JsonString found = tier.find_string_end(exact.get(), end);
      ASSERT_EQ(found.end, expected.end) << isa_name(tier.isa) << ": " << text;
      const auto read = std::make_unique<char[]>(text.size() + kUnescapeSlack);
      const JsonReading reading = tier.read_string(exact.get(), end, read.get());
      ASSERT_EQ(reading.end, expected.end) << isa_name(tier.isa) << ": " << text;
      if (found.end == nullptr) continue;
      ASSERT_EQ(found.escaped, expected.escaped) << isa_name(tier.isa) << ": " << text;
      ASSERT_EQ(found.is_ascii, expected.is_ascii) << isa_name(tier.isa) << ": " << text;
      const std::string_view raw(exact.get(), static_cast<std::size_t>(found.end - exact.get()));
      ASSERT_EQ(reading.is_utf8, is_utf8(raw)) << isa_name(tier.isa) << ": " << text;
      const auto out = std::make_unique<char[]>(raw.size() + kUnescapeSlack);
      const std::string said(out.get(), tier.unescape(raw, out.get()));
      if (tier.isa == Isa::kScalar) meaning = said;
      ASSERT_EQ(said, meaning) << isa_name(tier.isa) << ": " << text;
      ASSERT_EQ(std::string(read.get(), reading.said_end), meaning) << isa_name(tier.isa) << ": " << text;
    }
  }
  EXPECT_GT(closed, 400'000U);
  EXPECT_GT(refused, 200'000U);
  skip_unless_every_tier_ran();
}

// What most strings are made of has a way of its own in the kernels: each other thing once, at every place of
// it.
TEST(JsonStringProperty, every_tier_leaves_the_way_of_plain_text_in_time) {
  std::string plain;
  while (plain.size() < 200) plain += "a line of text, \\\"quoted\\\", and a \\\\ n\\\\n\\n";
  const std::string_view others[] = {"\"",   "\\t",  "\\u4e2d", "\\ud83d", "\\q", "\\",
                                     "\x01", "\xC3", "\\\xC3",  "\x80",    "\\N", "\\u12G4"};
  for (const std::string_view other : others) {
    for (std::size_t at = 0; at <= plain.size(); ++at) {
      const std::string text = plain.substr(0, at) + std::string(other) + plain.substr(at) + '"';
      const char* const end = text.data() + text.size();
      std::string expected(text.size() + kUnescapeSlack, '\0');
      const JsonReading scalar = internal::read_string_scalar(text.data(), end, expected.data());
      for (const Tier& tier : tiers()) {
        std::string said(text.size() + kUnescapeSlack, '\0');
        const JsonReading reading = tier.read_string(text.data(), end, said.data());
        ASSERT_EQ(reading.end, scalar.end) << isa_name(tier.isa) << ": " << text;
        if (scalar.end == nullptr) continue;
        ASSERT_EQ(reading.is_utf8, scalar.is_utf8) << isa_name(tier.isa) << ": " << text;
        ASSERT_EQ(std::string_view(said.data(), reading.said_end),
                  std::string_view(expected.data(), scalar.said_end))
            << isa_name(tier.isa) << ": " << text;
      }
    }
  }
  skip_unless_every_tier_ran();
}

// Bytes at the bounds of what may follow what, in every order of four and anywhere in a block; and pages of
// many characters with one byte changed.
TEST(JsonStringProperty, every_tier_knows_what_is_utf8) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  const auto check = [](const std::string& string, const std::string& text) {
    const std::string json = text + '"';
    for (const Tier& tier : tiers()) {
      std::string said(json.size() + kUnescapeSlack, '\0');
      const JsonReading reading = tier.read_string(json.data(), json.data() + json.size(), said.data());
      ASSERT_EQ(reading.end, json.data() + text.size()) << isa_name(tier.isa) << ": " << string;
      ASSERT_EQ(reading.is_utf8, is_utf8(text)) << isa_name(tier.isa) << ": " << string;
    }
  };
  constexpr std::string_view kBounds =
      "a\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF";
  std::mt19937_64 random(kSeed + 2);
  for (std::size_t order = 0; order < kBounds.size() * kBounds.size() * kBounds.size() * kBounds.size();
       ++order) {
    std::string four;
    for (std::size_t rest = order, i = 0; i < 4; ++i, rest /= kBounds.size())
      four += kBounds[rest % kBounds.size()];
    const std::string_view behind[] = {"", "\\ud83d", "\\u4e2d", "\\n", " "};
    check(four, std::string(random() % 130, 'x') + four + std::string(behind[random() % 5]) +
                    std::string(random() % 130, 'x'));
  }
  const std::string_view pieces[] = {"中", "é", "😀", "plain", "\\n", "\\ud83d", "\\u4e2d", "\\\\"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    const std::size_t kinds = 1 + random() % 8;
    for (std::size_t left = random() % 2000; left > 0; --left) text += pieces[random() % kinds];
    std::vector<std::size_t> high;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (static_cast<unsigned char>(text[i]) >= 0x80) high.push_back(i);
    }
    check("as it is", text);
    if (high.empty()) continue;
    const std::size_t place = high[random() % high.size()];
    text[place] = kBounds[random() % kBounds.size()];
    check("changed at " + std::to_string(place), text);
  }
  skip_unless_every_tier_ran();
}

// nlohmann refuses halves of surrogate pairs, so strings with one are left out here.
TEST(JsonStringProperty, a_string_says_what_nlohmann_reads) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed + 1);
  std::size_t same = 0;
  for (int round = 0; round < 200'000; ++round) {
    const std::string text = random_string(random);
    const JsonString found = find_string_end(text.data(), text.data() + text.size());
    if (found.end == nullptr) {
      const std::size_t quote = text.find('"');
      if (quote == std::string::npos) continue;
      EXPECT_FALSE(nlohmann::json::accept('"' + text.substr(0, quote + 1))) << text;
      continue;
    }
    const std::string_view raw(text.data(), static_cast<std::size_t>(found.end - text.data()));
    std::string out(raw.size() + kUnescapeSlack, '\0');
    out.resize(static_cast<std::size_t>(unescape(raw, out.data()) - out.data()));
    const nlohmann::json oracle = nlohmann::json::parse('"' + std::string(raw) + '"', nullptr, false);
    if (!simdjson::validate_utf8(raw.data(), raw.size())) continue;  // not what this function looks at
    if (oracle.is_discarded()) {
      ASSERT_NE(out.find("\uFFFD"), std::string::npos) << text;
      continue;
    }
    ASSERT_EQ(out, oracle.get<std::string>()) << text;
    ++same;
  }
  EXPECT_GT(same, 50'000U);
}

TEST(JsonString, half_a_pair_is_the_replacement_character) {
  const auto said = [](std::string_view raw) {
    std::string out(raw.size() + kUnescapeSlack, '\0');
    out.resize(static_cast<std::size_t>(unescape(raw, out.data()) - out.data()));
    return out;
  };
  EXPECT_EQ(said("x\\ud83d"), "x\uFFFD");
  EXPECT_EQ(said("\\uDE00y"), "\uFFFDy");
  EXPECT_EQ(said("\\ud83d\\ud83d\\ude00"), "\uFFFD\U0001F600");
  EXPECT_EQ(said("\\ud83d\\n"), "\uFFFD\n");
  EXPECT_EQ(said("\\\\ud83d"), "\\ud83d") << "an escaped backslash and five letters";
}

}  // namespace
}  // namespace neardup
