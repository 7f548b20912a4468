#include "core/fingerprint/odd_sketch.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tests/reference/naive_shingles.h"

namespace neardup {
namespace {

using Shingles = std::vector<std::uint64_t>;

template <std::size_t kBytes>
OddSketch<kBytes> sketch_of(std::span<const std::uint64_t> shingles) {
  static OddSketchBuilder<kBytes> builder;
  builder.begin(shingles.size());
  builder.add(shingles);
  OddSketch<kBytes> sketch;
  builder.finish(sketch);
  while (builder.begin_again(sketch)) {
    builder.add(shingles);
    builder.finish(sketch);
  }
  return sketch;
}

Shingles drawn(std::mt19937_64& draw, std::size_t size) {
  Shingles shingles(size);
  for (std::uint64_t& s : shingles) s = draw();
  return shingles;
}

template <class Sketch>
class OddSketchTest : public testing::Test {};
using Widths = testing::Types<StandardSketch, CompactSketch>;
TYPED_TEST_SUITE(OddSketchTest, Widths);

TYPED_TEST(OddSketchTest, is_that_of_the_definition) {
  constexpr std::size_t kBytes = sizeof(TypeParam);
  std::mt19937_64 draw(1);
  for (const std::size_t size : {0, 1, 7, 100, 256, 257, 512, 513, 700, 1104, 1105, 3000, 40000}) {
    Shingles shingles = drawn(draw, size);
    EXPECT_EQ(sketch_of<kBytes>(shingles), reference::sketch<kBytes>(shingles)) << size;
    for (std::uint64_t& s : shingles) s = shingles[draw() % (1 + size / 100)];
    EXPECT_EQ(sketch_of<kBytes>(shingles), reference::sketch<kBytes>(shingles)) << size << " of few kinds";
  }
}

TYPED_TEST(OddSketchTest, a_repeated_shingle_counts_once) {
  constexpr std::size_t kBytes = sizeof(TypeParam);
  std::mt19937_64 draw(2);
  const Shingles once = drawn(draw, 60);
  Shingles twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(sketch_of<kBytes>(once), sketch_of<kBytes>(twice));
}

TYPED_TEST(OddSketchTest, a_text_that_repeats_itself_is_known_as_well_as_one_that_does_not) {
  constexpr std::size_t kBytes = sizeof(TypeParam);
  std::mt19937_64 draw(3);
  const Shingles a = drawn(draw, 500);
  Shingles b = a;
  for (std::size_t i = 0; i < 50; ++i) b[i] = draw();  // 450 of 550
  Shingles long_a;
  for (int i = 0; i < 1000; ++i) long_a.insert(long_a.end(), a.begin(), a.end());
  const TypeParam sketch = sketch_of<kBytes>(long_a);
  EXPECT_LE(sketch.level, 2);
  EXPECT_GT(sketch.sampled, 350);
  EXPECT_NEAR(similarity_permille(sketch, sketch_of<kBytes>(b)), 818, 60);
}

TYPED_TEST(OddSketchTest, the_sample_is_bounded) {
  constexpr std::size_t kBytes = sizeof(TypeParam);
  std::mt19937_64 draw(4);
  for (const std::size_t size : {1000, 2000, 5000, 50000, 1000000}) {
    const TypeParam sketch = sketch_of<kBytes>(drawn(draw, size));
    EXPECT_LT(sketch.sampled, TypeParam::kSampleMax + 150);
    EXPECT_GT(sketch.sampled, std::min(size, TypeParam::kSampleMax) * 4 / 5);
  }
}

TYPED_TEST(OddSketchTest, equal_texts_are_wholly_similar_and_unrelated_ones_not) {
  constexpr std::size_t kBytes = sizeof(TypeParam);
  std::mt19937_64 draw(5);
  for (const std::size_t size : {1, 5, 300, 1000, 5000}) {
    const TypeParam a = sketch_of<kBytes>(drawn(draw, size));
    const TypeParam b = sketch_of<kBytes>(drawn(draw, size));
    EXPECT_EQ(similarity_permille(a, a), 1000);
    EXPECT_TRUE(is_similar(a, a, 1000));
    EXPECT_LT(similarity_permille(a, b), 450) << size;  // that far from its use the estimate is rough
    EXPECT_FALSE(is_similar(a, TypeParam{}, 1));
    EXPECT_EQ(similarity_permille(a, TypeParam{}), 0);
  }
  EXPECT_EQ(similarity_permille(TypeParam{}, TypeParam{}), 0);
}

// Any bytes: similarity is symmetric, in range, and the short cut agrees with it.
TYPED_TEST(OddSketchTest, the_short_cut_agrees_with_the_estimate_for_any_bytes) {
  std::mt19937_64 draw(6);
  for (int round = 0; round < 200000; ++round) {
    std::array<TypeParam, 2> pair;
    for (TypeParam& sketch : pair) {
      for (std::uint8_t& byte : sketch.bits) byte = static_cast<std::uint8_t>(draw() & draw() & draw());
      sketch.sampled = static_cast<std::uint16_t>(draw() >> (48 + draw() % 16));
      sketch.level = static_cast<std::uint16_t>(draw() % 4 == 0 ? draw() : draw() % 6);
    }
    const auto& [a, b] = pair;
    const int similarity = similarity_permille(a, b);
    ASSERT_EQ(similarity, similarity_permille(b, a));
    ASSERT_GE(similarity, 0);
    ASSERT_LE(similarity, 1000);
    for (const int permille : {0, 1, 500, 800, 1000, similarity, similarity + 1}) {
      ASSERT_EQ(is_similar(a, b, permille), similarity >= permille) << similarity << ' ' << permille;
    }
  }
}

TYPED_TEST(OddSketchTest, different_bits_mean_as_many_shingles_as_the_formula_says) {
  constexpr std::size_t kBits = TypeParam::kBits;
  for (std::size_t z = 0; z < kBits / 2; ++z) {  // seen through the estimate: z bits, no level, many sampled
    TypeParam a;
    a.sampled = 30000;
    TypeParam b = a;
    for (std::size_t i = 0; i < z; ++i)
      b.bits[i / 8] = static_cast<std::uint8_t>(b.bits[i / 8] | 1U << i % 8);
    const long double m =
        -static_cast<long double>(kBits) / 2 * std::log(1 - 2 * static_cast<long double>(z) / kBits);
    const auto fixed = static_cast<std::uint64_t>(std::floor(256 * m + 0.5L));
    const std::uint64_t both = (60000 * 256 - fixed) / 2;
    EXPECT_EQ(similarity_permille(a, b), static_cast<int>(both * 1000 / (60000 * 256 - both))) << z;
  }
}

TEST(OddSketch, levels_are_quarter_octaves) {
  for (unsigned level = 0; level <= kSketchLevelMax; ++level) {
    const double exact = std::pow(2, 32 - level / 4.0);
    EXPECT_LE(static_cast<double>(sketch_sample(level)), exact);
    EXPECT_GT(static_cast<double>(sketch_sample(level)), exact - 2);
  }
}

struct Error {
  double root_mean_square;
  double bias;
};

// Of the estimate, over pairs of similarity .7 to .9, of which the shingles that one text alone has are up to
// three times as many as those of the other.
template <std::size_t kBytes>
Error error_of(std::size_t size, int pairs) {
  std::mt19937_64 draw(size);
  double squares = 0;
  double sum = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const double jaccard = .7 + .2 * static_cast<double>(pair) / pairs;
    const auto shared = static_cast<std::size_t>(static_cast<double>(size) * 2 * jaccard / (1 + jaccard));
    const std::size_t rest = 2 * (size - shared);
    const std::size_t only_a = rest / 4 + draw() % (rest / 2 + 1);
    Shingles a = drawn(draw, shared);
    Shingles b = a;
    for (std::size_t i = 0; i < rest; ++i) (i < only_a ? a : b).push_back(draw());
    const double exact = static_cast<double>(shared) / static_cast<double>(shared + rest);
    const double error =
        (similarity_permille(sketch_of<kBytes>(a), sketch_of<kBytes>(b)) + .5) / 1000 - exact;
    squares += error * error;
    sum += error;
  }
  return {std::sqrt(squares / pairs), sum / pairs};
}

TYPED_TEST(OddSketchTest, the_error_is_what_the_header_says) {
  constexpr std::size_t kBytes = sizeof(TypeParam);
  for (const std::size_t size : {60, 200, 500, 900, 1500, 3000, 20000}) {
    const Error error = error_of<kBytes>(size, size > 10000 ? 300 : 1000);
    std::printf("%zu bytes, %5zu shingles: error %.4f, bias %+.4f\n", kBytes, size, error.root_mean_square,
                error.bias);
    const bool is_whole = size < TypeParam::kSampleMax;
    const double bound = kBytes == kStandardSketchBytes ? (is_whole ? .015 : .024) : (is_whole ? .018 : .030);
    EXPECT_LT(error.root_mean_square, bound) << size;
    EXPECT_LT(std::abs(error.bias), .005) << size;
  }
}

}  // namespace
}  // namespace neardup
