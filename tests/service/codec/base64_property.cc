// Every tier decodes what the scalar definition decodes, and what a plain encoder made comes back.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/base/isa.h"
#include "service/codec/base64.h"
#include "tests/support/every_tier.h"

namespace neardup {
namespace {

constexpr std::uint64_t kSeed = 20250215;

std::vector<std::pair<Isa, internal::Base64Kernel>> kernels() {
  std::vector<std::pair<Isa, internal::Base64Kernel>> all;
#if NEARDUP_X86
  if (cpu_isa() >= Isa::kAvx2) all.emplace_back(Isa::kAvx2, internal::decode_base64_avx2);
  if (cpu_isa() >= Isa::kAvx512) all.emplace_back(Isa::kAvx512, internal::decode_base64_avx512);
#endif
  return all;
}

std::string encoded(std::string_view bytes, bool url, std::size_t line) {
  std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  alphabet += url ? "-_" : "+/";
  std::string text;
  std::size_t in_line = 0;
  const auto put = [&](char c) {
    if (line > 0 && in_line++ == line) {
      text += in_line % 2 == 0 ? "\r\n" : "\n";
      in_line = 1;
    }
    text += c;
  };
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) put(i <= count ? alphabet[group >> (18 - 6 * i) & 63] : '=');
  }
  return text;
}

TEST(Base64Property, every_tier_gives_the_definitions_answer) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  std::size_t decoded = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string bytes(random() % 400, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    const bool url = random() % 2 == 0;
    std::string text = encoded(bytes, url, random() % 3 == 0 ? 1 + random() % 90 : 0);
    if (random() % 4 == 0) std::erase(text, '=');
    const bool spoilt = random() % 3 == 0 && !text.empty();
    if (spoilt) text[random() % text.size()] = "=\n -+_/A\x80\xC3@[`{"[random() % 14];

    const auto exact = std::make_unique<char[]>(text.size());
    std::memcpy(exact.get(), text.data(), text.size());
    const std::string_view view(exact.get(), text.size());
    std::string expected;
    const bool ok = internal::decode_base64_with(nullptr, view, expected);
    if (!spoilt) {
      ASSERT_TRUE(ok) << text;
      ASSERT_EQ(expected, bytes);
    }
    decoded += ok ? 1 : 0;
    for (const auto& [tier, kernel] : kernels()) {
      std::string out;
      ASSERT_EQ(internal::decode_base64_with(kernel, view, out), ok) << isa_name(tier) << ": " << text;
      ASSERT_EQ(ok ? out : "", ok ? expected : "") << isa_name(tier) << ": " << text;
    }
  }
  EXPECT_GT(decoded, 130'000U);
  skip_unless_every_tier_ran();
}

}  // namespace
}  // namespace neardup
