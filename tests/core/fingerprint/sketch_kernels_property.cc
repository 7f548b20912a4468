// Do all tiers give the bits of the scalar definition? Over more than a million random arrays and texts:
// every length up to 300, lengths around the sizes of blocks, values that repeat, and values at the ends of
// ranges.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/fingerprint/shingle.h"
#include "core/fingerprint/sketch_kernels.h"
#include "core/text/utf8.h"

#if NEARDUP_X86
namespace neardup::internal {
namespace {

using Hashes = std::vector<std::uint64_t>;

// Hashes of which some repeat, and some are all ones or zeros in a half.
Hashes draw_hashes(std::mt19937_64& draw, std::size_t size) {
  Hashes hashes(size);
  const std::uint64_t kinds = draw() % 3 == 0 ? 1 + draw() % 40 : ~0ULL;
  const std::uint64_t seed = draw();
  for (std::uint64_t& hash : hashes) {
    hash = finish_shingle((seed + draw() % kinds) * kSeedMultiplier);
    const std::uint64_t odd = draw() % 64;
    if (odd == 0) hash |= 0xFFFFFFFF;
    if (odd == 1) hash &= ~0xFFFFFFFFULL;
    if (odd == 2) hash |= ~0xFFFFFFFFULL;
    if (odd == 3) hash &= 0xFFFFFFFF;
  }
  return hashes;
}

// Valid UTF-8, mostly of one script or another, so that the fast ways and the change between them are taken.
std::string draw_text(std::mt19937_64& draw, std::size_t code_points) {
  std::string text(4 * code_points, '\0');
  char* end = text.data();
  const std::uint64_t habit = draw() % 5;
  for (std::size_t i = 0; i < code_points; ++i) {
    const std::uint64_t kind = draw() % 30 == 0 ? draw() % 4 : habit;
    char32_t c = 0;
    if (kind == 0) c = static_cast<char32_t>(draw() % 0x80);
    if (kind == 1) c = 0x80 + static_cast<char32_t>(draw() % 0x780);
    if (kind == 2 || kind == 4) c = 0x800 + static_cast<char32_t>(draw() % 0xD000);
    if (kind == 3) c = 0x10000 + static_cast<char32_t>(draw() % 0x100000);
    end = encode_utf8(c, end);
  }
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

class SketchKernelsProperty : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > cpu_isa()) GTEST_SKIP() << "this CPU does not have " << isa_name(GetParam());
    tier_ = &sketch_kernels(GetParam());
  }

  // Inputs are copied to an array of their exact size, so that the sanitizer sees a read behind it.
  void compare_text(const std::string& text) {
    const std::vector<char> bytes(text.begin(), text.end());
    ASSERT_EQ(tier_->count_code_points(bytes.data(), bytes.size()),
              kSketchScalar.count_code_points(bytes.data(), bytes.size()));
    Hashes expected(text.size() + kUnitSlack);
    Hashes found(text.size() + kUnitSlack);
    const std::size_t count = kSketchScalar.hash_characters(bytes.data(), bytes.size(), expected.data());
    ASSERT_EQ(tier_->hash_characters(bytes.data(), bytes.size(), found.data()), count);
    expected.resize(count);
    found.resize(count);
    ASSERT_EQ(found, expected) << text;
  }

  void compare_windows(const Hashes& units) {
    for (const std::size_t width : {3, 5}) {
      if (units.size() < width) continue;
      const std::size_t count = units.size() - width + 1;
      Hashes expected(count);
      Hashes found(count);
      (width == 3 ? kSketchScalar.hash_triples : kSketchScalar.hash_quintuples)(units.data(), count,
                                                                                expected.data());
      (width == 3 ? tier_->hash_triples : tier_->hash_quintuples)(units.data(), count, found.data());
      ASSERT_EQ(found, expected) << width;
    }
  }

  void compare_minima(std::mt19937_64& draw, const Hashes& hashes) {
    std::array<std::uint64_t, kBins> expected;
    expected.fill(~0ULL);
    if (draw() % 4 == 0) {  // not the first portion
      for (int i = 0; i < 200; ++i) lower_bin(expected[draw() % kBins], static_cast<std::uint32_t>(draw()));
    }
    std::array<std::uint64_t, kBins> found = expected;
    kSketchScalar.lower_minima(hashes.data(), hashes.size(), expected.data());
    tier_->lower_minima(hashes.data(), hashes.size(), found.data());
    ASSERT_EQ(found, expected);
  }

  void compare_selections(std::mt19937_64& draw, const Hashes& hashes) {
    const auto ceiling =
        static_cast<std::uint32_t>(draw() % 8 == 0 ? 0xFFFFFFFF : draw() >> (32 + draw() % 32));
    Hashes expected(hashes.size() + 8);
    Hashes found(hashes.size() + 8);
    const std::size_t low = kSketchScalar.select_low(hashes.data(), hashes.size(), ceiling, expected.data());
    ASSERT_EQ(tier_->select_low(hashes.data(), hashes.size(), ceiling, found.data()), low);
    expected.resize(low);
    found.resize(low);
    ASSERT_EQ(found, expected);

    std::array<std::uint64_t, kBins> bins;
    for (std::uint64_t& bin : bins) bin = draw() % 4 == 0 ? ~std::uint64_t{0} : draw() >> draw() % 32;
    expected.resize(hashes.size() + 8);
    found.resize(hashes.size() + 8);
    const std::size_t below =
        kSketchScalar.select_below(hashes.data(), hashes.size(), bins.data(), expected.data());
    ASSERT_EQ(tier_->select_below(hashes.data(), hashes.size(), bins.data(), found.data()), below);
    expected.resize(below);
    found.resize(below);
    ASSERT_EQ(found, expected);
  }

  // Every number of bands of every width that 24 minima make, some second minima missing.
  void compare_bands(std::mt19937_64& draw) {
    std::array<std::uint32_t, kBins> first;
    std::array<std::uint32_t, kBins> second;
    for (std::uint32_t& value : first) value = static_cast<std::uint32_t>(draw());
    for (std::uint32_t& value : second)
      value = draw() % 8 == 0 ? kNoMinimum : static_cast<std::uint32_t>(draw());
    const ShingleKind kind = draw() % 2 == 0 ? ShingleKind::kWords : ShingleKind::kCharacters;
    for (std::size_t width = 2; width <= kBandMinima; ++width) {
      for (std::size_t count = 0; count <= kBins / width; ++count) {
        std::vector<Band> expected(count);
        std::vector<Band> found(count);
        kSketchScalar.make_bands(first.data(), second.data(), kind, count, width, expected.data());
        tier_->make_bands(first.data(), second.data(), kind, count, width, found.data());
        ASSERT_EQ(found, expected) << count << " of " << width;
      }
    }
  }

  void compare_marks(std::mt19937_64& draw, const Hashes& hashes) {
    const std::size_t bits = draw() % 2 == 0 ? 736 : 480;
    const auto marks_per_bit = static_cast<std::uint32_t>(32U << draw() % 3);
    const auto floor = static_cast<std::uint32_t>(draw() % 2 == 0 ? 0 : draw());
    const auto marks = static_cast<std::uint32_t>(bits * marks_per_bit);
    expected_words_.resize(marks / 64);
    found_words_.resize(marks / 64);
    kSketchScalar.mark(hashes.data(), hashes.size(), floor, marks, expected_words_.data());
    tier_->mark(hashes.data(), hashes.size(), floor, marks, found_words_.data());
    ASSERT_EQ(found_words_, expected_words_);
    std::vector<std::uint8_t> expected(bits / 8);
    std::vector<std::uint8_t> found(bits / 8);
    const std::uint32_t set =
        kSketchScalar.collect(expected_words_.data(), marks_per_bit, bits, expected.data());
    ASSERT_EQ(tier_->collect(found_words_.data(), marks_per_bit, bits, found.data()), set);
    ASSERT_EQ(found, expected);
    ASSERT_EQ(found_words_, Hashes(marks / 64)) << "cleared";
    ASSERT_EQ(expected_words_, Hashes(marks / 64)) << "cleared";
  }

  void compare_bits(std::mt19937_64& draw) {
    for (const std::size_t bytes : {0, 4, 28, 32, 60, 64, 68, 92, 124, 128}) {
      std::vector<std::uint8_t> a(bytes);
      std::vector<std::uint8_t> b(bytes);
      for (std::uint8_t& byte : a) byte = static_cast<std::uint8_t>(draw());
      for (std::uint8_t& byte : b) byte = static_cast<std::uint8_t>(draw());
      ASSERT_EQ(tier_->differing_bits(a.data(), b.data(), bytes),
                kSketchScalar.differing_bits(a.data(), b.data(), bytes));
    }
  }

  void compare_minhash(const Hashes& hashes) {
    std::array<std::uint32_t, kPermutations> expected;
    expected.fill(0xFFFFFFFF);
    std::array<std::uint32_t, kPermutations> found = expected;
    kSketchScalar.lower_minhash(hashes.data(), hashes.size(), expected.data());
    tier_->lower_minhash(hashes.data(), hashes.size(), found.data());
    ASSERT_EQ(found, expected);
  }

  void compare_all(std::mt19937_64& draw, std::size_t size) {
    const Hashes hashes = draw_hashes(draw, size);
    compare_windows(hashes);
    compare_minima(draw, hashes);
    compare_selections(draw, hashes);
    compare_marks(draw, hashes);
    compare_minhash(hashes);
    compare_text(draw_text(draw, size));
  }

  const SketchKernels* tier_ = nullptr;
  Hashes expected_words_;  // of marks, all zeros between two comparisons
  Hashes found_words_;
};

TEST_P(SketchKernelsProperty, every_length_up_to_300_and_number_of_bands_gives_the_bits_of_the_definition) {
  std::mt19937_64 draw(300);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t size = 0; size <= 300 && !HasFatalFailure(); ++size) compare_all(draw, size);
    compare_bits(draw);
    for (int i = 0; i < 200; ++i) compare_bands(draw);
  }
}

TEST_P(SketchKernelsProperty, lengths_around_the_borders_of_blocks_give_the_bits_of_the_definition) {
  std::mt19937_64 draw(1024);
  for (const std::size_t border : {448, 512, 960, 1024, 1088, 1984, 2048, 3072, 6144}) {
    for (std::size_t size = border - 17; size <= border + 17 && !HasFatalFailure(); ++size)
      compare_all(draw, size);
  }
}

// A million for the two tiers together. Small ones: there are more of them in a second.
TEST_P(SketchKernelsProperty, half_a_million_random_arrays_and_texts_give_the_bits_of_the_definition) {
  std::mt19937_64 draw(500000);
  for (int round = 0; round < 250000 && !HasFatalFailure(); ++round) {
    const Hashes hashes = draw_hashes(draw, draw() % 40);
    switch (round % 6) {
      case 0:
        compare_windows(hashes);
        break;
      case 1:
        compare_minima(draw, hashes);
        break;
      case 2:
        compare_selections(draw, hashes);
        break;
      case 3:
        if (round % 8 == 3) compare_marks(draw, hashes);
        break;
      case 4:
        compare_minhash(hashes);
        break;
      default:
        compare_bits(draw);
    }
    compare_text(draw_text(draw, draw() % 80));
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, SketchKernelsProperty, testing::Values(Isa::kAvx2, Isa::kAvx512),
                         [](const auto& tier) { return std::string(isa_name(tier.param)); });

}  // namespace
}  // namespace neardup::internal
#endif
