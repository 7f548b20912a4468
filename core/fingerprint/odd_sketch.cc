#include "core/fingerprint/odd_sketch.h"

#include <algorithm>

#include "core/fingerprint/sketch_kernels.h"

namespace neardup {
namespace {

constexpr int kFractionBits = 8;  // of numbers of shingles in an estimate
constexpr unsigned kLevelsPerOctave = 4;

// 2^32 x 2^(-i/4), rounded down.
constexpr std::array<std::uint64_t, kLevelsPerOctave> kSampleOfLevel = {4294967296, 3611622602, 3037000499,
                                                                        2553802833};

// How many shingles only one text has, if z bits differ: round(2^8 x -bits/2 x ln(1 - 2z/bits)), for each
// z < bits/2. From z to z + 1 the logarithm grows by ln((n + 1) / (n - 1)) with n = bits - 2z - 1, which is
// 2 (1/n + 1/3n^3 + 1/5n^5 + ...): integers only, so that every compiler makes the same table.
template <std::size_t kBits>
constexpr std::array<std::uint32_t, kBits / 2> make_differences() {
  constexpr int kPrecision = 48;
  std::array<std::uint32_t, kBits / 2> table{};
  std::uint64_t sum = 0;  // -ln(1 - 2z/bits) / 2, times 2^48
  for (std::size_t z = 0; z < table.size(); ++z) {
    constexpr int kDropped = kPrecision - kFractionBits;
    table[z] = static_cast<std::uint32_t>((sum * kBits + (std::uint64_t{1} << (kDropped - 1))) >> kDropped);
    const std::uint64_t n = kBits - 2 * z - 1;
    std::uint64_t power = (std::uint64_t{1} << kPrecision) / n;
    for (std::uint64_t i = 1; power > 0 && n > 1; i += 2, power = power / n / n) sum += power / i;
  }
  return table;
}

template <std::size_t kBits>
constexpr std::array<std::uint32_t, kBits / 2> kDifferences = make_differences<kBits>();

// Both numbers of sampled shingles at the level of the thinner sample, times 2^8.
struct Sizes {
  std::uint64_t a;
  std::uint64_t b;
};

std::uint64_t thinned(std::uint64_t sampled, unsigned from, unsigned to) {
  return (sampled << kFractionBits) * sketch_sample(to) / sketch_sample(from);
}

template <std::size_t kBytes>
Sizes common_sizes(const OddSketch<kBytes>& a, const OddSketch<kBytes>& b) {
  Sizes sizes{std::uint64_t{a.sampled} << kFractionBits, std::uint64_t{b.sampled} << kFractionBits};
  if (a.level < b.level) sizes.a = thinned(a.sampled, a.level, b.level);
  if (b.level < a.level) sizes.b = thinned(b.sampled, b.level, a.level);
  return sizes;
}

bool allow(const Sizes& sizes, int permille) {
  const std::uint64_t most = std::max(sizes.a, sizes.b);
  return most > 0 && std::min(sizes.a, sizes.b) * 1000 >= most * static_cast<std::uint64_t>(permille);
}

// How many shingles both texts have at the level of the thinner sample, times 2^8. Of both samples
// together, what is not a difference is there twice.
template <std::size_t kBytes>
std::uint64_t shared(const OddSketch<kBytes>& a, const OddSketch<kBytes>& b, const Sizes& sizes) {
  constexpr std::size_t kBits = OddSketch<kBytes>::kBits;
  const std::uint32_t bits =
      internal::sketch_kernels().differing_bits(a.bits.data(), b.bits.data(), a.bits.size());
  if (bits >= kBits / 2) return 0;
  const std::uint64_t sampled = (std::uint64_t{a.sampled} + b.sampled) << kFractionBits;
  const std::uint64_t differences = kDifferences<kBits>[bits];
  if (differences >= sampled) return 0;
  return std::min({(sampled - differences) / 2, sizes.a, sizes.b});
}

}  // namespace

std::uint64_t sketch_sample(unsigned level) {
  return kSampleOfLevel[level % kLevelsPerOctave] >> (level / kLevelsPerOctave & 31);
}

template <std::size_t kBytes>
int similarity_permille(const OddSketch<kBytes>& a, const OddSketch<kBytes>& b) {
  const Sizes sizes = common_sizes(a, b);
  if (std::max(sizes.a, sizes.b) == 0) return 0;
  const std::uint64_t both = shared(a, b, sizes);
  return static_cast<int>(both * 1000 / (sizes.a + sizes.b - both));
}

template <std::size_t kBytes>
bool is_similar(const OddSketch<kBytes>& a, const OddSketch<kBytes>& b, int permille) {
  const Sizes sizes = common_sizes(a, b);
  if (!allow(sizes, permille)) return permille <= 0;
  const std::uint64_t both = shared(a, b, sizes);
  return both * 1000 >= (sizes.a + sizes.b - both) * static_cast<std::uint64_t>(permille);
}

template <std::size_t kBytes>
void OddSketchBuilder<kBytes>::begin(std::uint64_t shingles) {
  marks_per_bit_ = shingles <= 256 ? 32 : shingles <= 512 ? 64 : kMarksPerBitMax;
  level_ = 0;
  while (level_ < kSketchLevelMax && shingles * sketch_sample(level_) > std::uint64_t{Sketch::kSampleMax}
                                                                            << 32) {
    ++level_;
  }
}

template <std::size_t kBytes>
void OddSketchBuilder<kBytes>::add(std::span<const std::uint64_t> shingles) {
  const auto floor = static_cast<std::uint32_t>((std::uint64_t{1} << 32) - sketch_sample(level_));
  const auto marks = static_cast<std::uint32_t>(Sketch::kBits * marks_per_bit_);
  internal::sketch_kernels().mark(shingles.data(), shingles.size(), floor, marks, words_.get());
}

template <std::size_t kBytes>
void OddSketchBuilder<kBytes>::finish(Sketch& sketch) {
  const std::uint32_t marks =
      internal::sketch_kernels().collect(words_.get(), marks_per_bit_, Sketch::kBits, sketch.bits.data());
  sketch.sampled = static_cast<std::uint16_t>(std::min<std::uint32_t>(marks, 0xFFFF));
  sketch.level = static_cast<std::uint16_t>(level_);
}

template <std::size_t kBytes>
bool OddSketchBuilder<kBytes>::begin_again(const Sketch& sketch) {
  if (sketch.level == 0 || sketch.sampled >= Sketch::kSampleMax / 4) return false;
  const std::uint64_t full = Sketch::kSampleMax * sketch_sample(sketch.level);
  level_ = sketch.level;
  while (level_ > 0 && sketch.sampled * sketch_sample(level_ - 1) <= full) --level_;
  return true;
}

#define NEARDUP_ODD_SKETCH(bytes)                                                     \
  template int similarity_permille(const OddSketch<bytes>&, const OddSketch<bytes>&); \
  template bool is_similar(const OddSketch<bytes>&, const OddSketch<bytes>&, int);    \
  template class OddSketchBuilder<bytes>;
NEARDUP_ODD_SKETCH(kStandardSketchBytes)
NEARDUP_ODD_SKETCH(kCompactSketchBytes)
#undef NEARDUP_ODD_SKETCH

}  // namespace neardup
