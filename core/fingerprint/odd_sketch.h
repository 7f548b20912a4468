// How alike are two texts, of which only 96 bytes each are left?
//
// Their odd sketches (Mitzenmacher, Pagh, Pham 2014) tell. Each shingle toggles one bit of the sketch, chosen
// by the high half of its hash. What both texts have toggles the same bits in both, so where the sketches
// differ there are shingles that only one of them has: of `bits` bits, d such shingles leave about z = bits/2
// (1 - e^(-2d/bits)) different, so z tells d, and d and the numbers of shingles tell the similarity.
//
// A sketch can tell about bits/2 differences, so only a sample of a long text is drawn: the shingles whose
// value (the low half) is large enough. Both texts draw by the same rule, so what they share they draw or
// leave alike. (Minima are the smallest values: what made two texts candidates is not what they are judged
// by.)
//
//   ┌───────────── bits: 92 bytes = 736 (60 = 480 in a compact one) ─────────────┬─ sampled ─┬─ level ─┐
//   │ bit i = is the number of distinct shingles of group i odd?                 │ how many  │ drawn   │
//   └────────────────────────────────────────────────────────────────────────────┴───────────┴─────────┘
//   level l: a shingle is drawn with probability 2^(-l/4), 0 = every one
//
// A repeated shingle must count once. It sets one of 32, 64 or 128 marks of its bit in a bitmap, and the bit
// is the parity of its marks: no hash table. Two different shingles may share a mark, so seldom that a text's
// similarity moves by less than .003; hence the marks are part of the definition.
//
// The estimate is integer arithmetic and one table, the same on every machine. Its standard deviation at
// similarities .7 to .9 is .01 to .025 (96 bytes) or .013 to .03 (64), least for texts of ordinary length;
// the tests hold it to that.
//
// Cost: an estimate 10 ns; a sketch .1 us per KB of text and some 100 ns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace neardup {

inline constexpr std::size_t kStandardSketchBytes = 96;
inline constexpr std::size_t kCompactSketchBytes = 64;

template <std::size_t kBytes>
struct OddSketch {
  static constexpr std::size_t kBits = (kBytes - 4) * 8;
  static_assert(kBits % 16 == 0, "kernels take so many at a time");
  static constexpr std::size_t kSampleMax = kBits * 3 / 2;  // drawn at most, on average

  std::array<std::uint8_t, kBytes - 4> bits{};  // bit i is bit i % 8 of byte i / 8
  std::uint16_t sampled = 0;                    // marks set, saturating
  std::uint16_t level = 0;

  friend bool operator==(const OddSketch&, const OddSketch&) = default;
};

using StandardSketch = OddSketch<kStandardSketchBytes>;
using CompactSketch = OddSketch<kCompactSketchBytes>;
static_assert(sizeof(StandardSketch) == kStandardSketchBytes && sizeof(CompactSketch) == kCompactSketchBytes);

inline constexpr unsigned kSketchLevelMax = 4 * 31;

// Of 2^32 values, how many are drawn at a level. REQUIRES: level <= kSketchLevelMax.
std::uint64_t sketch_sample(unsigned level);

// The Jaccard similarity of the texts' shingle sets as their sketches estimate it, in permille, rounded down.
// Any bytes give an answer, a sketch made by no builder as well. 0 if one of them has no shingle.
template <std::size_t kBytes>
int similarity_permille(const OddSketch<kBytes>& a, const OddSketch<kBytes>& b);

// Whether similarity_permille(a, b) >= permille. Looks at the numbers of shingles first, which most often
// suffice to say no.
template <std::size_t kBytes>
bool is_similar(const OddSketch<kBytes>& a, const OddSketch<kBytes>& b, int permille);

// Makes sketches, one after the other. Holds the bitmap, which is all zeros between two sketches.
//
//   builder.begin(n); builder.add(...) ...; builder.finish(sketch);
//   while (builder.begin_again(sketch)) { builder.add(...) ...; builder.finish(sketch); }
//
// The sample is drawn by the number of shingles, since how many of them are distinct is not known before. A
// text that repeats itself has fewer, and a thin sample tells little: if it holds less than a quarter of
// kSampleMax, it is drawn again, as dense as it may be without exceeding kSampleMax by what it held. (Not
// sooner: of two texts that are alike one might be drawn again and the other not, and unequal levels cost
// accuracy as well.)
template <std::size_t kBytes>
class OddSketchBuilder {
 public:
  using Sketch = OddSketch<kBytes>;

  // Of a text of so many shingles, repeated ones counted.
  void begin(std::uint64_t shingles);

  // Shingle hashes in any portions and any order. REQUIRES: together they are as many as begin() said.
  void add(std::span<const std::uint64_t> shingles);

  // Adding is over: writes the sketch.
  void finish(Sketch& sketch);

  // Whether all shingles must be added once more; if so, begins anew, at a lower level: so this ends.
  [[nodiscard]] bool begin_again(const Sketch& sketch);

 private:
  static constexpr std::size_t kMarksPerBitMax = 128;

  std::unique_ptr<std::uint64_t[]> words_ =  // of marks
      std::make_unique<std::uint64_t[]>(Sketch::kBits * kMarksPerBitMax / 64);
  std::uint32_t marks_per_bit_ = 0;
  unsigned level_ = 0;
};

}  // namespace neardup
