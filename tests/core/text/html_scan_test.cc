#include "core/text/html_scan.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/every_tier.h"

namespace neardup::internal {
namespace {

std::vector<Isa> tiers() {
  std::vector<Isa> found;
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
    if (isa <= cpu_isa()) found.push_back(isa);
  }
  return found;
}

std::string fold(const HtmlKernels& kernels, std::string_view text, std::string_view before = "\n") {
  std::string out(1 + text.size() + kFoldSlack, '#');
  out[0] = before.back();
  const char* const end = kernels.fold(text.data(), text.size(), text.size(), out.data() + 1);
  return out.substr(1, static_cast<std::size_t>(end - out.data()) - 1);
}

TEST(HtmlScan, masks_show_where_the_bytes_of_markup_are) {
  for (const Isa isa : tiers()) {
    HtmlMasks masks;
    std::string page = "<a b=\"c\">&\t'/";
    page += std::string(70 - page.size(), 'x') + "<";
    html_kernels(isa).classify(page.data(), page.size(), masks);
    EXPECT_EQ(masks.of[kLess][0], 1U);
    EXPECT_EQ(masks.of[kSpace][0], 1U << 2 | 1U << 10);
    EXPECT_EQ(masks.of[kEquals][0], 1U << 4);
    EXPECT_EQ(masks.of[kDoubleQuote][0], 1U << 5 | 1U << 7);
    EXPECT_EQ(masks.of[kGreater][0], 1U << 8);
    EXPECT_EQ(masks.of[kAmpersand][0], 1U << 9);
    EXPECT_EQ(masks.of[kSingleQuote][0], 1U << 11);
    EXPECT_EQ(masks.of[kSlash][0], 1U << 12);
    EXPECT_EQ(masks.of[kLess][1], 1U << 6);
    for (const auto& row : masks.of) {
      EXPECT_LT(row[1], 1U << 7) << "nothing behind the end";
      EXPECT_EQ(row[2], 0U);
    }
  }
}

TEST(HtmlScan, runs_of_white_space_become_one_space) {
  for (const Isa isa : tiers()) {
    const HtmlKernels& kernels = html_kernels(isa);
    EXPECT_EQ(fold(kernels, ""), "");
    EXPECT_EQ(fold(kernels, " \n a \r\n\t b\f"), "a b ");
    EXPECT_EQ(fold(kernels, " a", "x"), " a");
    EXPECT_EQ(fold(kernels, " a", " "), "a");
    EXPECT_EQ(fold(kernels, std::string(200, ' ') + "a" + std::string(200, ' ')), "a ");
    EXPECT_EQ(fold(kernels, "\v\xA0"), "\v\xA0") << "no white space of HTML";
  }
}

TEST(HtmlScan, commas_of_all_scripts_are_counted) {
  for (const Isa isa : tiers()) {
    const auto commas = [&](std::string_view text) {
      return html_kernels(isa).commas(text.data(), text.size());
    };
    EXPECT_EQ(commas(""), 0U);
    EXPECT_EQ(commas("one, two, three"), 2U);
    EXPECT_EQ(commas("一，二、三。四；五？六！"), 6U);
    EXPECT_EQ(commas("ا، ب"), 1U);
    EXPECT_EQ(commas("「かな」ＡＢ：・؟"), 0U) << "their neighbours are none";
    EXPECT_EQ(commas("\xEF\xBC"), 0U) << "cut off";
    std::string text;
    for (int i = 0; i < 100; ++i) text += "字，";
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(commas(std::string(i, 'x') + text), 100U) << i;
  }
}

// Texts of the bytes that matter, at every length and place, and each tier says what the definition says.
TEST(HtmlScan, all_tiers_agree) {
  constexpr std::uint64_t kSeed = 11;
  constexpr std::string_view kAlphabet = "<>&\"'=/ \n\t\r\fab,\xE3\x80\x81\x82\xEF\xBC\x8C\x9B\x9F\xD8\v\0";
  std::mt19937_64 random(kSeed);
  const HtmlKernels& scalar = html_kernels(Isa::kScalar);
  for (int round = 0; round < 200000; ++round) {
    // at the very end of its memory, so that reading further is seen
    const std::size_t size = random() % 200;
    std::vector<char> memory(size);
    const auto some = random() % kAlphabet.size() + 1;
    for (char& c : memory) c = kAlphabet[random() % some];
    const std::string_view text(memory.data(), size);
    HtmlMasks expected{};
    scalar.classify(text.data(), size, expected);
    for (const Isa isa : tiers()) {
      const HtmlKernels& kernels = html_kernels(isa);
      HtmlMasks masks{};
      kernels.classify(text.data(), size, masks);
      ASSERT_EQ(std::memcmp(&masks, &expected, sizeof masks), 0) << isa_name(isa) << " round " << round;
      for (const std::string_view before : {"\n", " ", "x"}) {
        ASSERT_EQ(fold(kernels, text, before), fold(scalar, text, before))
            << isa_name(isa) << " round " << round;
      }
      ASSERT_EQ(kernels.commas(text.data(), size), scalar.commas(text.data(), size))
          << isa_name(isa) << " round " << round;
    }
  }
  skip_unless_every_tier_ran();
}

}  // namespace
}  // namespace neardup::internal
