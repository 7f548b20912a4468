#include "core/fingerprint/short_signature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/fingerprint/short_kernels.h"

namespace neardup {
namespace {

using Text = std::u32string;

ShortSignature signature_of(std::string_view canonical) {
  ShortSigner signer;
  ShortSignature signature;
  EXPECT_TRUE(signer.sign(canonical, signature)) << canonical;
  return signature;
}

ShortSignature signature_of(const Text& characters) {
  ShortSigner signer;
  ShortSignature signature;
  EXPECT_TRUE(signer.sign(std::span(characters.data(), characters.size()), signature));
  return signature;
}

std::string hex(std::uint64_t value, int digits) {
  std::array<char, 17> out{};
  std::snprintf(out.data(), out.size(), "%0*llx", digits, static_cast<unsigned long long>(value));
  return out.data();
}

TEST(ShortSignature, is_what_another_program_computes_from_the_specification) {
  std::ifstream file(NEARDUP_SOURCE_DIR "/tests/golden/short_signatures.jsonl");
  int texts = 0;
  for (std::string line; std::getline(file, line); ++texts) {
    const auto expected = nlohmann::json::parse(line);
    SCOPED_TRACE(line.substr(0, 80));
    const ShortSignature signature = signature_of(expected["text"].get<std::string>());
    nlohmann::json found = {
        {"text", expected["text"]}, {"units", signature.units}, {"classes", hex(signature.classes.bits, 16)}};
    for (const Key key : signature.tiny_span()) found["tiny"].push_back(hex(key, 16));
    for (const std::uint32_t feature : signature.features) found["features"].push_back(hex(feature, 8));
    for (const Band& band : signature.band_span()) {
      nlohmann::json row = {hex(band.key, 16)};
      for (const Key variant : band.variants) row.push_back(hex(variant, 16));
      found["bands"].push_back(row);
    }
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(texts, 23);
}

TEST(ShortSignature, does_not_hang_on_what_the_signer_signed_before) {
  ShortSigner signer;
  ShortSignature reused;
  ASSERT_TRUE(signer.sign("another text, of some length, that leaves traces", reused));
  for (const char* text : {"the quick brown fox jumps over the lazy dog", "tiny text", "四个字吧"}) {
    ASSERT_TRUE(signer.sign(text, reused));
    const ShortSignature fresh = signature_of(text);
    EXPECT_EQ(reused.units, fresh.units);
    EXPECT_EQ(reused.classes, fresh.classes);
    EXPECT_EQ(reused.text, fresh.text);
    EXPECT_EQ(reused.features, fresh.features);
    EXPECT_TRUE(std::ranges::equal(reused.band_span(), fresh.band_span()));
    EXPECT_TRUE(std::ranges::equal(reused.tiny_span(), fresh.tiny_span()));
  }
}

TEST(ShortSignature, ends_where_a_text_is_too_long_to_be_stored) {
  ShortSigner signer;
  ShortSignature signature;
  EXPECT_TRUE(signer.sign(std::string(kShortStoredUnitsMax, 'a'), signature));
  EXPECT_FALSE(signature.is_short());
  EXPECT_FALSE(signer.sign(std::string(kShortStoredUnitsMax + 1, 'a'), signature));
  EXPECT_TRUE(signer.sign(std::string(kShortUnitsMax, 'a'), signature));
  EXPECT_TRUE(signature.is_short());

  const Text han(kShortStoredUnitsMax / 2, U'字');
  EXPECT_TRUE(signer.sign(std::span(han.data(), han.size()), signature));
  EXPECT_EQ(signature.units, kShortStoredUnitsMax);
  const Text more(kShortStoredUnitsMax / 2 + 1, U'字');
  EXPECT_FALSE(signer.sign(std::span(more.data(), more.size()), signature));
  EXPECT_FALSE(signer.sign(std::string(1 << 20, 'a'), signature));
}

TEST(ShortSignature, features_are_each_there_once) {
  for (const Text& text :
       {Text(200, U'z'), Text(120, U'字'), Text(U"ha ha ha ha ha ha ha ha"), Text(120, U'ก')}) {
    const ShortSignature signature = signature_of(text);
    const std::set<std::uint32_t> different(signature.features.begin(), signature.features.end());
    EXPECT_EQ(different.size(), signature.features.size());
    EXPECT_GE(signature.features.size(), text.size() - 1);
  }
}

TEST(ShortSignature, a_minimum_leads_back_to_its_feature) {
  std::mt19937_64 random(1);
  for (std::size_t function = 0; function < kShortMinima; ++function) {
    for (int i = 0; i < 1000; ++i) {
      const auto feature = static_cast<std::uint32_t>(random());
      ASSERT_EQ(short_feature(internal::short_hash(feature, function), function), feature);
    }
  }
}

TEST(ShortSignature, the_second_minima_are_those_without_the_feature_of_the_first) {
  const ShortSignature signature = signature_of("the quick brown fox jumps over the lazy dog");
  for (std::size_t function = 0; function < kShortMinima; ++function) {
    const Band& band = signature.bands[function / kBandMinima];
    const std::size_t e = function % kBandMinima;
    std::vector<std::uint32_t> others = signature.features;
    std::erase(others, static_cast<std::uint32_t>(band.features[e]));
    ShortMinima minima;
    short_minima(others, minima);
    EXPECT_EQ(short_feature(minima.first[function], function), band.second_features[e]);
  }
}

Text draw(std::mt19937_64& random, std::size_t length, std::uint64_t alphabet) {
  constexpr std::array<char32_t, 5> kFirst = {U'a', U'0', U' ', U'ก', U'一'};
  Text text;
  while (text.size() < length) {
    text.push_back(kFirst[random() % kFirst.size()] + static_cast<char32_t>(random() % alphabet));
  }
  return text;
}

Text edited(std::mt19937_64& random, Text text, unsigned edits) {
  for (; edits > 0; --edits) {
    const std::size_t at = random() % text.size();
    switch (random() % 3) {
      case 0:
        text[at] = draw(random, 1, 10)[0];
        break;
      case 1:
        text.insert(at, draw(random, 1, 10));
        break;
      default:
        text.erase(at, 1);
    }
  }
  return text;
}

TEST(ShortSignature, class_counts_never_discard_what_is_within_the_edits) {
  std::mt19937_64 random(2);
  std::uint64_t discarded = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Text text = draw(random, 20 + random() % 80, 1 + random() % 26);
    const auto edits = static_cast<unsigned>(random() % 15);
    const Text other = edited(random, text, edits);
    const std::size_t apart = std::max(text.size(), other.size()) - std::min(text.size(), other.size());
    const unsigned distance = ClassCounts::distance(signature_of(text).classes, signature_of(other).classes);
    ASSERT_LE(distance + apart, 2 * edits);
    const Text stranger = draw(random, text.size(), 26);
    discarded += ClassCounts::distance(signature_of(text).classes, signature_of(stranger).classes) > 4;
  }
  EXPECT_GT(discarded, 15'000U) << "a filter that lets all pass is none";
}

TEST(ShortSignature, class_counts_are_apart_by_the_sum_over_the_classes) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    const ClassCounts a{random()};
    const ClassCounts b{random()};
    unsigned expected = 0;
    for (int c = 0; c < 64; c += 2) {
      const unsigned apart = ((a.bits >> c) - (b.bits >> c)) & 3;
      expected += std::min(apart, 4 - apart);
    }
    ASSERT_EQ(ClassCounts::distance(a, b), expected);
  }
}

TEST(ShortSignature, tiny_texts_one_edit_apart_share_a_key_if_that_is_near) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 50'000; ++i) {
    const Text text = draw(random, kTinyLengthMin + random() % 7, 3);
    const Text other = edited(random, text, 1);
    if (other.size() < kTinyLengthMin || other.size() > kTinyLengthMax) continue;
    if (std::max(text.size(), other.size()) < 5) continue;  // one edit in four is not near
    const ShortSignature a = signature_of(text);
    const ShortSignature b = signature_of(other);
    bool meets = false;
    for (const Key key : a.tiny_span()) meets |= std::ranges::find(b.tiny_span(), key) != b.tiny_span().end();
    ASSERT_TRUE(meets) << text.size() << ' ' << other.size();
  }
}

TEST(ShortSignature, tiny_keys_of_one_text_are_all_different) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 10'000; ++i) {
    const ShortSignature signature =
        signature_of(draw(random, kTinyLengthMin + random() % 7, 1 + random() % 3));
    const std::set<Key> different(signature.tiny_span().begin(), signature.tiny_span().end());
    ASSERT_EQ(different.size(), signature.tiny_count);
  }
}

#if NEARDUP_X86
void expect_same_as_scalar(const internal::ShortKernels& kernels) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 20'000; ++i) {
    constexpr std::size_t kRoom = 400;
    std::array<char32_t, kRoom> text{};
    std::array<internal::ScriptKind, kRoom> kinds{};
    const std::size_t count = 3 + random() % 312;
    const std::uint64_t mix = random() % 4;
    for (std::size_t k = 0; k < count; ++k) {
      text[k] = static_cast<char32_t>(1 + random() % (random() % 2 == 0 ? 100 : 0x10FFFF));
      kinds[k] = static_cast<internal::ScriptKind>(mix == 3 ? random() % 3 : mix);
    }
    kinds[count - 1] = internal::ScriptKind::kSpaced;
    std::array<std::uint32_t, 2 * kRoom> expected{};
    std::array<std::uint32_t, 2 * kRoom> found{};
    const std::size_t features =
        internal::kShortScalar.grams(text.data(), kinds.data(), count, expected.data());
    ASSERT_EQ(kernels.grams(text.data(), kinds.data(), count, found.data()), features);
    ASSERT_TRUE(
        std::equal(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(features), expected.begin()));

    ShortMinima expected_minima;
    ShortMinima found_minima;
    const std::size_t some = random() % (features + 1);
    internal::kShortScalar.minima(expected.data(), some, expected_minima);
    kernels.minima(expected.data(), some, found_minima);
    ASSERT_EQ(found_minima.first, expected_minima.first);
    ASSERT_EQ(found_minima.second, expected_minima.second);
  }
}

TEST(ShortSignature, avx2_gives_the_bits_of_the_definition) {
  if (cpu_isa() < Isa::kAvx2) GTEST_SKIP() << "this CPU has no AVX2";
  expect_same_as_scalar(internal::kShortAvx2);
}

TEST(ShortSignature, avx512_gives_the_bits_of_the_definition) {
  if (cpu_isa() < Isa::kAvx512) GTEST_SKIP() << "this CPU has no AVX-512";
  expect_same_as_scalar(internal::kShortAvx512);
}
#endif

}  // namespace
}  // namespace neardup
