// What would the AVX-512 kernels say, on a CPU that has AVX2 alone?
//
// Stands in for <immintrin.h> where a kernel's file is compiled once more, for the tests (CMakeLists.txt):
// every intrinsic of AVX-512 that a kernel uses is a loop over its lanes, by Intel's description. So the
// tier is compared with its definition on every machine. A load that is not aligned as it says stops the
// program, as on a CPU, and a masked one touches what it reads and nothing else, so that sanitizers see what
// it reads.
//
// Whatever a kernel uses newly is added here: the compiler names it.
//
// Format: a line for each name at the end, by what it does. Lane is what an instruction takes its lanes for;
// a vector of 16, 32 or 64 bytes has as many as go into it.
#pragma once

#include_next <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "core/base/isa.h"

// A kernel's code runs on AVX2 here.
#undef NEARDUP_BEGIN_AVX512
#define NEARDUP_BEGIN_AVX512 NEARDUP_BEGIN_AVX2

NEARDUP_BEGIN_AVX2
namespace neardup::emulated {

template <class Lane, class Vector>
struct Lanes {
  static constexpr unsigned kCount = sizeof(Vector) / sizeof(Lane);
  Lane at[kCount]{};

  Lanes() = default;
  explicit Lanes(Vector vector) { __builtin_memcpy(at, &vector, sizeof vector); }
  Vector vector() const {
    Vector vector;
    __builtin_memcpy(&vector, at, sizeof vector);
    return vector;
  }
};

template <class Lane, class Vector = __m512i>
using MaskOf = std::conditional_t<
    sizeof(Vector) / sizeof(Lane) == 64, __mmask64,
    std::conditional_t<sizeof(Vector) / sizeof(Lane) == 32, __mmask32,
                       std::conditional_t<sizeof(Vector) / sizeof(Lane) == 16, __mmask16, __mmask8>>>;

inline bool has(std::uint64_t mask, unsigned lane) { return (mask >> lane & 1) != 0; }

// What an instruction does with one lane of each of its vectors.

struct Add {
  template <class Lane>
  Lane operator()(Lane a, Lane b) const {
    return static_cast<Lane>(a + b);
  }
};
struct Subtract {
  template <class Lane>
  Lane operator()(Lane a, Lane b) const {
    return static_cast<Lane>(a - b);
  }
};
struct AddSaturated {
  template <class Lane>
  Lane operator()(Lane a, Lane b) const {
    const auto sum = static_cast<Lane>(a + b);
    return sum < a ? static_cast<Lane>(-1) : sum;
  }
};
struct SubtractSaturated {
  template <class Lane>
  Lane operator()(Lane a, Lane b) const {
    return a < b ? Lane{0} : static_cast<Lane>(a - b);
  }
};
struct Multiply {
  template <class Lane>
  Lane operator()(Lane a, Lane b) const {
    return static_cast<Lane>(a * b);
  }
};
struct MultiplyLowHalves {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
  }
};
struct Min {
  template <class Lane>
  Lane operator()(Lane a, Lane b) const {
    return a < b ? a : b;
  }
};
struct Max {
  template <class Lane>
  Lane operator()(Lane a, Lane b) const {
    return a < b ? b : a;
  }
};
struct And {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a & b; }
};
struct AndNot {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return ~a & b; }
};
struct Or {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a | b; }
};
struct Xor {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a ^ b; }
};
struct ShiftLeft {
  template <class Lane, class Count>
  Lane operator()(Lane a, Count bits) const {
    return bits < sizeof(Lane) * 8 ? static_cast<Lane>(a << bits) : Lane{0};
  }
};
struct ShiftRight {
  template <class Lane, class Count>
  Lane operator()(Lane a, Count bits) const {
    return bits < sizeof(Lane) * 8 ? static_cast<Lane>(a >> bits) : Lane{0};
  }
};
struct RotateLeft {
  std::uint64_t operator()(std::uint64_t a, unsigned bits) const {
    return a << (bits & 63) | a >> (-bits & 63);
  }
};

struct Equal {
  template <class Lane>
  bool operator()(Lane a, Lane b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class Lane>
  bool operator()(Lane a, Lane b) const {
    return a != b;
  }
};
struct Less {
  template <class Lane>
  bool operator()(Lane a, Lane b) const {
    return a < b;
  }
};
struct LessOrEqual {
  template <class Lane>
  bool operator()(Lane a, Lane b) const {
    return a <= b;
  }
};
struct Greater {
  template <class Lane>
  bool operator()(Lane a, Lane b) const {
    return a > b;
  }
};
struct GreaterOrEqual {
  template <class Lane>
  bool operator()(Lane a, Lane b) const {
    return a >= b;
  }
};
struct HasCommonBit {
  template <class Lane>
  bool operator()(Lane a, Lane b) const {
    return (a & b) != 0;
  }
};
struct HasNoCommonBit {
  template <class Lane>
  bool operator()(Lane a, Lane b) const {
    return (a & b) == 0;
  }
};

// Lane by lane.

template <class Operation, class Lane, class Vector>
inline Vector lanewise(Vector a, Vector b) {
  const Lanes<Lane, Vector> left(a);
  const Lanes<Lane, Vector> right(b);
  Lanes<Lane, Vector> result;
  for (unsigned i = 0; i < result.kCount; ++i) result.at[i] = Operation{}(left.at[i], right.at[i]);
  return result.vector();
}
template <class Operation, class Lane, class Vector>
inline Vector lanewise_by(Vector a, unsigned count) {
  Lanes<Lane, Vector> result(a);
  for (Lane& each : result.at) each = Operation{}(each, count);
  return result.vector();
}
template <class Lane, class Vector>
inline Vector masked(Vector others, std::uint64_t mask, Vector chosen) {
  Lanes<Lane, Vector> result(others);
  const Lanes<Lane, Vector> from(chosen);
  for (unsigned i = 0; i < result.kCount; ++i) result.at[i] = has(mask, i) ? from.at[i] : result.at[i];
  return result.vector();
}
template <class Operation, class Lane, class Vector>
inline Vector lanewise_masked(Vector others, std::uint64_t mask, Vector a, Vector b) {
  return masked<Lane>(others, mask, lanewise<Operation, Lane>(a, b));
}
template <class Lane, class Vector>
inline Vector blended(std::uint64_t mask, Vector others, Vector chosen) {
  return masked<Lane>(others, mask, chosen);
}

template <class Test, class Lane, class Vector>
inline MaskOf<Lane, Vector> compared(Vector a, Vector b) {
  const Lanes<Lane, Vector> left(a);
  const Lanes<Lane, Vector> right(b);
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < left.kCount; ++i) {
    mask |= std::uint64_t{Test{}(left.at[i], right.at[i])} << i;
  }
  return static_cast<MaskOf<Lane, Vector>>(mask);
}
template <class Test, class Lane, class Vector>
inline MaskOf<Lane, Vector> compared_masked(std::uint64_t mask, Vector a, Vector b) {
  return static_cast<MaskOf<Lane, Vector>>(mask & compared<Test, Lane>(a, b));
}
inline __mmask64 high_bits(__m512i bytes) { return compared<Less, std::int8_t>(bytes, __m512i{}); }

template <class Lane, class Vector>
inline Vector ones_counted(Vector a) {
  Lanes<Lane, Vector> result(a);
  for (Lane& each : result.at) each = static_cast<Lane>(__builtin_popcountll(each));
  return result.vector();
}

inline __m512i by_truth_table(__m512i a, __m512i b, __m512i c, unsigned table) {
  const Lanes<std::uint64_t, __m512i> x(a);
  const Lanes<std::uint64_t, __m512i> y(b);
  const Lanes<std::uint64_t, __m512i> z(c);
  Lanes<std::uint64_t, __m512i> result;
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned row = 0; row < 8; ++row) {
      if (!has(table, row)) continue;
      result.at[i] |= (has(row, 2) ? x.at[i] : ~x.at[i]) & (has(row, 1) ? y.at[i] : ~y.at[i]) &
                      (has(row, 0) ? z.at[i] : ~z.at[i]);
    }
  }
  return result.vector();
}

// Constants; the last of `values` is the lowest lane, or the first where it says so.

template <class Lane>
inline __m512i all(Lane value = 0) {
  Lanes<Lane, __m512i> result;
  for (Lane& each : result.at) each = value;
  return result.vector();
}
template <class Lane, class... Values>
inline __m512i first_to_last(Values... values) {
  Lanes<Lane, __m512i> result;
  static_assert(sizeof...(values) == result.kCount);
  unsigned i = 0;
  ((result.at[i++] = static_cast<Lane>(values)), ...);
  return result.vector();
}
template <class Lane, class... Values>
inline __m512i last_to_first(Values... values) {
  Lanes<Lane, __m512i> result;
  unsigned i = sizeof...(values);
  ((result.at[--i] = static_cast<Lane>(values)), ...);
  for (i = sizeof...(values); i < result.kCount; ++i) result.at[i] = result.at[i - sizeof...(values)];
  return result.vector();
}

// Memory.

inline __m512i loaded(const void* from) {
  __m512i result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}
inline void store(void* to, __m512i vector) { __builtin_memcpy(to, &vector, sizeof vector); }
inline void want_aligned(const void* at) {
  if (reinterpret_cast<std::uintptr_t>(at) % sizeof(__m512i) != 0) __builtin_trap();
}
inline __m512i loaded_aligned(const void* from) {
  want_aligned(from);
  return loaded(from);
}
inline void store_aligned(void* to, __m512i vector) {
  want_aligned(to);
  store(to, vector);
}
template <class Lane, class Vector = __m512i>
inline Vector loaded_masked(std::uint64_t mask, const void* from) {
  Lanes<Lane, Vector> result;
  for (unsigned i = 0; i < result.kCount; ++i) {
    if (has(mask, i)) __builtin_memcpy(&result.at[i], static_cast<const Lane*>(from) + i, sizeof(Lane));
  }
  return result.vector();
}
template <class Lane>
inline void store_masked(void* to, std::uint64_t mask, __m512i vector) {
  const Lanes<Lane, __m512i> lanes(vector);
  for (unsigned i = 0; i < lanes.kCount; ++i) {
    if (has(mask, i)) __builtin_memcpy(static_cast<Lane*>(to) + i, &lanes.at[i], sizeof(Lane));
  }
}

// Lanes moved.

template <class Part>
inline Part part(__m512i vector, unsigned which) {
  Part result;
  __builtin_memcpy(&result, reinterpret_cast<const char*>(&vector) + which * sizeof result, sizeof result);
  return result;
}
template <class Part>
inline Part low_part(__m512i vector) {
  return part<Part>(vector, 0);
}
inline __m512i four_times(__m128i vector) {
  const Lanes<std::uint64_t, __m128i> lanes(vector);
  return last_to_first<std::uint64_t>(lanes.at[1], lanes.at[0]);
}
template <class Lane>
inline __m512i permuted(__m512i places, __m512i table) {
  const Lanes<Lane, __m512i> from(table);
  Lanes<Lane, __m512i> result(places);
  for (Lane& each : result.at) each = from.at[each % from.kCount];
  return result.vector();
}
template <class Lane>
inline __m512i permuted_masked(__m512i others, std::uint64_t mask, __m512i places, __m512i table) {
  return masked<Lane>(others, mask, permuted<Lane>(places, table));
}
template <class Lane>
inline __m512i permuted_of_two(__m512i low, __m512i places, __m512i high) {
  const Lanes<Lane, __m512i> from[2] = {Lanes<Lane, __m512i>(low), Lanes<Lane, __m512i>(high)};
  Lanes<Lane, __m512i> result(places);
  for (Lane& each : result.at) each = from[each / from->kCount % 2].at[each % from->kCount];
  return result.vector();
}
template <class Lane>
inline __m512i permuted_of_two_masked(std::uint64_t mask, __m512i low, __m512i places, __m512i high) {
  return masked<Lane>(__m512i{}, mask, permuted_of_two<Lane>(low, places, high));
}
inline __m512i shuffled_bytes(__m512i table, __m512i places) {
  const Lanes<std::uint8_t, __m512i> from(table);
  Lanes<std::uint8_t, __m512i> result(places);
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned place = result.at[i];
    result.at[i] = has(place, 7) ? std::uint8_t{0} : from.at[i / 16 * 16 + place % 16];
  }
  return result.vector();
}
inline __m512i shuffled_words(__m512i vector, unsigned places) {
  const Lanes<std::uint32_t, __m512i> from(vector);
  Lanes<std::uint32_t, __m512i> result;
  for (unsigned i = 0; i < 16; ++i) result.at[i] = from.at[i / 4 * 4 + (places >> 2 * (i % 4) & 3)];
  return result.vector();
}
inline __m512i shuffled_quarters(__m512i low, __m512i high, unsigned places) {
  const Lanes<std::uint64_t, __m512i> from[2] = {Lanes<std::uint64_t, __m512i>(low),
                                                 Lanes<std::uint64_t, __m512i>(high)};
  Lanes<std::uint64_t, __m512i> result;
  for (unsigned i = 0; i < 8; ++i) {
    result.at[i] = from[i / 4].at[(places >> 2 * (i / 2) & 3) * 2 + i % 2];
  }
  return result.vector();
}
template <unsigned kFrom>
inline __m512i interleaved(__m512i a, __m512i b) {
  const Lanes<std::uint64_t, __m512i> even(a);
  const Lanes<std::uint64_t, __m512i> odd(b);
  Lanes<std::uint64_t, __m512i> result;
  for (unsigned i = 0; i < 8; ++i) result.at[i] = (i % 2 == 0 ? even : odd).at[i / 2 * 2 + kFrom];
  return result.vector();
}
// These with zeros in the rest (core/base/compress_avx512.inc).
template <class Lane, class Vector>
inline Vector compressed(std::uint64_t mask, Vector vector) {
  const Lanes<Lane, Vector> from(vector);
  Lanes<Lane, Vector> result;
  unsigned kept = 0;
  for (unsigned i = 0; i < from.kCount; ++i) {
    if (has(mask, i)) result.at[kept++] = from.at[i];
  }
  return result.vector();
}
template <class Lane, class Vector>
inline Vector expanded(std::uint64_t mask, Vector vector) {
  const Lanes<Lane, Vector> from(vector);
  Lanes<Lane, Vector> result;
  unsigned taken = 0;
  for (unsigned i = 0; i < from.kCount; ++i) {
    if (has(mask, i)) result.at[i] = from.at[taken++];
  }
  return result.vector();
}

// Lanes of other widths.

template <class Wide, class Narrow, class Result, class Vector>
inline Result converted(Vector vector) {
  const Lanes<Narrow, Vector> from(vector);
  Lanes<Wide, Result> result;
  static_assert(from.kCount == result.kCount);
  for (unsigned i = 0; i < from.kCount; ++i) result.at[i] = static_cast<Wide>(from.at[i]);
  return result.vector();
}
template <class Lane>
inline Lane sum(__m512i vector) {
  Lane result = 0;
  for (const Lane each : Lanes<Lane, __m512i>(vector).at) result = static_cast<Lane>(result + each);
  return result;
}
inline __m512i pairs_of_bytes(__m512i without_sign, __m512i with_sign) {
  const Lanes<std::uint8_t, __m512i> a(without_sign);
  const Lanes<std::int8_t, __m512i> b(with_sign);
  Lanes<std::int16_t, __m512i> result;
  for (unsigned i = 0; i < 32; ++i) {
    const int pair = a.at[2 * i] * b.at[2 * i] + a.at[2 * i + 1] * b.at[2 * i + 1];
    result.at[i] = static_cast<std::int16_t>(Min{}(Max{}(pair, -32768), 32767));
  }
  return result.vector();
}
inline __m512i pairs_of_halves(__m512i left, __m512i right) {
  const Lanes<std::int16_t, __m512i> a(left);
  const Lanes<std::int16_t, __m512i> b(right);
  Lanes<std::uint32_t, __m512i> result;
  for (unsigned i = 0; i < 16; ++i) {
    result.at[i] = static_cast<std::uint32_t>(a.at[2 * i] * b.at[2 * i]) +
                   static_cast<std::uint32_t>(a.at[2 * i + 1] * b.at[2 * i + 1]);
  }
  return result.vector();
}

// Bits of bytes, and ciphers.

inline __m512i by_bit_matrix(__m512i bytes, __m512i matrices, unsigned constant) {
  const Lanes<std::uint8_t, __m512i> rows(matrices);
  Lanes<std::uint8_t, __m512i> result(bytes);
  for (unsigned i = 0; i < 64; ++i) {
    unsigned made = constant;
    for (unsigned bit = 0; bit < 8; ++bit) {
      made ^= static_cast<unsigned>(__builtin_parity(rows.at[i / 8 * 8 + 7 - bit] & result.at[i])) << bit;
    }
    result.at[i] = static_cast<std::uint8_t>(made);
  }
  return result.vector();
}
inline __m512i aes_round(__m512i state, __m512i key) {
  Lanes<__m128i, __m512i> result(state);
  const Lanes<__m128i, __m512i> keys(key);
  for (unsigned i = 0; i < 4; ++i) result.at[i] = _mm_aesenc_si128(result.at[i], keys.at[i]);
  return result.vector();
}

}  // namespace neardup::emulated
NEARDUP_END_TARGET

// The names, for code in namespace neardup.
#undef _mm512_setr_epi32
#undef _mm512_setr_epi64
#define _mm512_add_epi8 emulated::lanewise<emulated::Add, std::uint8_t>
#define _mm512_add_epi16 emulated::lanewise<emulated::Add, std::uint16_t>
#define _mm512_add_epi32 emulated::lanewise<emulated::Add, std::uint32_t>
#define _mm512_add_epi64 emulated::lanewise<emulated::Add, std::uint64_t>
#define _mm512_adds_epu8 emulated::lanewise<emulated::AddSaturated, std::uint8_t>
#define _mm512_and_si512 emulated::lanewise<emulated::And, std::uint64_t>
#define _mm512_andnot_si512 emulated::lanewise<emulated::AndNot, std::uint64_t>
#define _mm512_max_epu32 emulated::lanewise<emulated::Max, std::uint32_t>
#define _mm512_min_epu8 emulated::lanewise<emulated::Min, std::uint8_t>
#define _mm512_min_epu32 emulated::lanewise<emulated::Min, std::uint32_t>
#define _mm512_mullo_epi32 emulated::lanewise<emulated::Multiply, std::uint32_t>
#define _mm512_mullo_epi64 emulated::lanewise<emulated::Multiply, std::uint64_t>
#define _mm512_mul_epu32 emulated::lanewise<emulated::MultiplyLowHalves, std::uint64_t>
#define _mm512_or_si512 emulated::lanewise<emulated::Or, std::uint64_t>
#define _mm512_sllv_epi16 emulated::lanewise<emulated::ShiftLeft, std::uint16_t>
#define _mm512_sllv_epi64 emulated::lanewise<emulated::ShiftLeft, std::uint64_t>
#define _mm512_srlv_epi32 emulated::lanewise<emulated::ShiftRight, std::uint32_t>
#define _mm512_srlv_epi64 emulated::lanewise<emulated::ShiftRight, std::uint64_t>
#define _mm512_sub_epi8 emulated::lanewise<emulated::Subtract, std::uint8_t>
#define _mm512_sub_epi16 emulated::lanewise<emulated::Subtract, std::uint16_t>
#define _mm512_subs_epu8 emulated::lanewise<emulated::SubtractSaturated, std::uint8_t>
#define _mm512_xor_si512 emulated::lanewise<emulated::Xor, std::uint64_t>
#define _mm512_rol_epi64 emulated::lanewise_by<emulated::RotateLeft, std::uint64_t>
#define _mm512_slli_epi16 emulated::lanewise_by<emulated::ShiftLeft, std::uint16_t>
#define _mm512_slli_epi32 emulated::lanewise_by<emulated::ShiftLeft, std::uint32_t>
#define _mm512_slli_epi64 emulated::lanewise_by<emulated::ShiftLeft, std::uint64_t>
#define _mm512_srli_epi16 emulated::lanewise_by<emulated::ShiftRight, std::uint16_t>
#define _mm512_srli_epi32 emulated::lanewise_by<emulated::ShiftRight, std::uint32_t>
#define _mm512_srli_epi64 emulated::lanewise_by<emulated::ShiftRight, std::uint64_t>
#define _mm512_mask_mov_epi8 emulated::masked<std::uint8_t>
#define _mm512_mask_mov_epi64 emulated::masked<std::uint64_t>
#define _mm512_mask_add_epi8 emulated::lanewise_masked<emulated::Add, std::uint8_t>
#define _mm512_mask_or_epi64 emulated::lanewise_masked<emulated::Or, std::uint64_t>
#define _mm512_mask_blend_epi8 emulated::blended<std::uint8_t>
#define _mm512_cmpeq_epu32_mask emulated::compared<emulated::Equal, std::uint32_t>
#define _mm512_cmpeq_epi8_mask emulated::compared<emulated::Equal, std::int8_t>
#define _mm_cmpeq_epi8_mask emulated::compared<emulated::Equal, std::int8_t>
#define _mm512_cmpeq_epi32_mask emulated::compared<emulated::Equal, std::int32_t>
#define _mm512_cmpeq_epi64_mask emulated::compared<emulated::Equal, std::int64_t>
#define _mm512_cmpgt_epu16_mask emulated::compared<emulated::Greater, std::uint16_t>
#define _mm512_cmpgt_epu32_mask emulated::compared<emulated::Greater, std::uint32_t>
#define _mm512_cmpgt_epi8_mask emulated::compared<emulated::Greater, std::int8_t>
#define _mm512_cmpge_epu8_mask emulated::compared<emulated::GreaterOrEqual, std::uint8_t>
#define _mm512_cmpge_epi8_mask emulated::compared<emulated::GreaterOrEqual, std::int8_t>
#define _mm512_test_epi8_mask emulated::compared<emulated::HasCommonBit, std::uint8_t>
#define _mm_test_epi8_mask emulated::compared<emulated::HasCommonBit, std::uint8_t>
#define _mm512_test_epi32_mask emulated::compared<emulated::HasCommonBit, std::uint32_t>
#define _mm512_test_epi64_mask emulated::compared<emulated::HasCommonBit, std::uint64_t>
#define _mm512_testn_epi8_mask emulated::compared<emulated::HasNoCommonBit, std::uint8_t>
#define _mm512_testn_epi32_mask emulated::compared<emulated::HasNoCommonBit, std::uint32_t>
#define _mm512_cmplt_epu8_mask emulated::compared<emulated::Less, std::uint8_t>
#define _mm512_cmplt_epu64_mask emulated::compared<emulated::Less, std::uint64_t>
#define _mm512_cmplt_epi8_mask emulated::compared<emulated::Less, std::int8_t>
#define _mm512_cmple_epu8_mask emulated::compared<emulated::LessOrEqual, std::uint8_t>
#define _mm512_cmple_epi32_mask emulated::compared<emulated::LessOrEqual, std::int32_t>
#define _mm512_cmple_epi64_mask emulated::compared<emulated::LessOrEqual, std::int64_t>
#define _mm512_cmpneq_epi8_mask emulated::compared<emulated::NotEqual, std::int8_t>
#define _mm512_mask_cmpeq_epi8_mask emulated::compared_masked<emulated::Equal, std::int8_t>
#define _mm512_mask_cmpgt_epu8_mask emulated::compared_masked<emulated::Greater, std::uint8_t>
#define _mm512_mask_cmpge_epu8_mask emulated::compared_masked<emulated::GreaterOrEqual, std::uint8_t>
#define _mm512_mask_cmpge_epu32_mask emulated::compared_masked<emulated::GreaterOrEqual, std::uint32_t>
#define _mm512_mask_cmpge_epi8_mask emulated::compared_masked<emulated::GreaterOrEqual, std::int8_t>
#define _mm512_mask_testn_epi8_mask emulated::compared_masked<emulated::HasNoCommonBit, std::uint8_t>
#define _mm512_mask_cmplt_epu8_mask emulated::compared_masked<emulated::Less, std::uint8_t>
#define _mm512_mask_cmplt_epu32_mask emulated::compared_masked<emulated::Less, std::uint32_t>
#define _mm512_mask_cmplt_epu64_mask emulated::compared_masked<emulated::Less, std::uint64_t>
#define _mm512_mask_cmple_epu8_mask emulated::compared_masked<emulated::LessOrEqual, std::uint8_t>
#define _mm512_mask_cmple_epu64_mask emulated::compared_masked<emulated::LessOrEqual, std::uint64_t>
#define _mm512_mask_cmple_epi32_mask emulated::compared_masked<emulated::LessOrEqual, std::int32_t>
#define _mm512_movepi8_mask emulated::high_bits
#define _mm512_popcnt_epi8 emulated::ones_counted<std::uint8_t>
#define _mm512_popcnt_epi32 emulated::ones_counted<std::uint32_t>
#define _mm512_popcnt_epi64 emulated::ones_counted<std::uint64_t>
#define _mm512_ternarylogic_epi32 emulated::by_truth_table
#define _mm512_ternarylogic_epi64 emulated::by_truth_table
#define _mm512_set1_epi8 emulated::all<std::uint8_t>
#define _mm512_set1_epi16 emulated::all<std::uint16_t>
#define _mm512_set1_epi32 emulated::all<std::uint32_t>
#define _mm512_set1_epi64 emulated::all<std::uint64_t>
#define _mm512_setzero_si512 emulated::all<std::uint64_t>
#define _mm512_setr_epi32 emulated::first_to_last<std::uint32_t>
#define _mm512_setr_epi64 emulated::first_to_last<std::uint64_t>
#define _mm512_set_epi8 emulated::last_to_first<std::uint8_t>
#define _mm512_set4_epi64 emulated::last_to_first<std::uint64_t>
#define _mm512_loadu_si512 emulated::loaded
#define _mm512_storeu_si512 emulated::store
#define _mm512_load_si512 emulated::loaded_aligned
#define _mm512_store_si512 emulated::store_aligned
#define _mm512_maskz_loadu_epi8 emulated::loaded_masked<std::uint8_t>
#define _mm_maskz_loadu_epi8 emulated::loaded_masked<std::uint8_t, __m128i>
#define _mm512_maskz_loadu_epi32 emulated::loaded_masked<std::uint32_t>
#define _mm512_maskz_loadu_epi64 emulated::loaded_masked<std::uint64_t>
#define _mm512_mask_storeu_epi64 emulated::store_masked<std::uint64_t>
#define _mm512_extracti64x4_epi64 emulated::part<__m256i>
#define _mm512_castsi512_si128 emulated::low_part<__m128i>
#define _mm512_castsi512_si256 emulated::low_part<__m256i>
#define _mm512_broadcast_i32x4 emulated::four_times
#define _mm512_permutexvar_epi8 emulated::permuted<std::uint8_t>
#define _mm512_permutexvar_epi32 emulated::permuted<std::uint32_t>
#define _mm512_mask_permutexvar_epi8 emulated::permuted_masked<std::uint8_t>
#define _mm512_permutex2var_epi8 emulated::permuted_of_two<std::uint8_t>
#define _mm512_permutex2var_epi32 emulated::permuted_of_two<std::uint32_t>
#define _mm512_permutex2var_epi64 emulated::permuted_of_two<std::uint64_t>
#define _mm512_maskz_permutex2var_epi8 emulated::permuted_of_two_masked<std::uint8_t>
#define _mm512_shuffle_epi8 emulated::shuffled_bytes
#define _mm512_shuffle_epi32 emulated::shuffled_words
#define _mm512_shuffle_i32x4 emulated::shuffled_quarters
#define _mm512_unpackhi_epi64 emulated::interleaved<1>
#define _mm512_unpacklo_epi64 emulated::interleaved<0>
#define _mm512_cvtepu8_epi16 emulated::converted<std::uint16_t, std::uint8_t, __m512i>
#define _mm512_cvtepi64_epi32 emulated::converted<std::uint32_t, std::uint64_t, __m256i>
#define _mm512_cvtepu8_epi32 emulated::converted<std::uint32_t, std::uint8_t, __m512i>
#define _mm512_cvtepu32_epi64 emulated::converted<std::uint64_t, std::uint32_t, __m512i>
#define _mm512_reduce_add_epi32 emulated::sum<std::uint32_t>
#define _mm512_reduce_add_epi64 emulated::sum<std::uint64_t>
#define _mm512_maddubs_epi16 emulated::pairs_of_bytes
#define _mm512_madd_epi16 emulated::pairs_of_halves
#define _mm512_gf2p8affine_epi64_epi8 emulated::by_bit_matrix
#define _mm512_aesenc_epi128 emulated::aes_round
