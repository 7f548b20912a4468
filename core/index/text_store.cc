#include "core/index/text_store.h"

#include <cstring>

#include "core/base/check.h"
#include "core/base/isa.h"

#if NEARDUP_X86
#include <emmintrin.h>
#endif

namespace neardup {
namespace {

enum Form : unsigned char { kSmall, kAscii, kNarrow, kWide, kFull };

constexpr std::size_t kEntryMax = 1 + 3 * TextStore::kTextMax;

Form form_of(std::span<const char32_t> text, char32_t& block) {
  char32_t all = 0;
  bool is_one_block = true;
  bool is_small = true;
  block = 0;
  for (const char32_t c : text) {
    all |= c;
    is_small &= (c & 0x20) != 0;
    if (c < 0x80) continue;
    if (block == 0) block = c >> 7;
    is_one_block &= c >> 7 == block;
  }
  if (all < 0x80) return is_small ? kSmall : kAscii;
  if (is_one_block) return kNarrow;
  return all <= 0xFFFF ? kWide : kFull;
}

// 0x20 .. 0x3F are 0 .. 31, 0x60 .. 0x7F are 32 .. 63.
unsigned char packed(char32_t c) { return static_cast<unsigned char>((c & 0x1F) | (c & 0x40) >> 1); }
char32_t unpacked(unsigned code) { return (code & 0x1F) | 0x20 | (code & 0x20) << 1; }

unsigned char* pack(std::span<const char32_t> text, unsigned char* out) {
  unsigned bits = 0;
  unsigned count = 0;
  for (const char32_t c : text) {
    bits |= static_cast<unsigned>(packed(c)) << count;
    count += 6;
    for (; count >= 8; count -= 8, bits >>= 8) *out++ = static_cast<unsigned char>(bits);
  }
  if (count > 0) *out++ = static_cast<unsigned char>(bits);
  return out;
}

// Characters of six bits, of a byte or of two bytes each, eight at a time where the machine has what that
// takes; returns how many.
#if NEARDUP_X86
void widen(__m128i halves, char32_t* out) {
  const __m128i zero = _mm_setzero_si128();
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_unpacklo_epi16(halves, zero));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 4), _mm_unpackhi_epi16(halves, zero));
}
void widen(std::uint64_t bytes, char32_t* out) {
  widen(_mm_unpacklo_epi8(_mm_cvtsi64_si128(static_cast<long long>(bytes)), _mm_setzero_si128()), out);
}

// 48 bits are drawn apart into bytes by halves; what each stands for are the same steps for all of them. Two
// bytes more are read: a block has room for a longer entry.
std::size_t unpack_eights(const unsigned char* in, std::size_t length, char32_t* out) {
  std::size_t i = 0;
  for (; i + 8 <= length; i += 8, in += 6) {
    std::uint64_t codes = 0;
    std::memcpy(&codes, in, sizeof codes);
    codes = (codes & 0x0000000000FFFFFF) | (codes & 0x0000FFFFFF000000) << 8;
    codes = (codes & 0x00000FFF00000FFF) | (codes & 0x00FFF00000FFF000) << 4;
    codes = (codes & 0x003F003F003F003F) | (codes & 0x0FC00FC00FC00FC0) << 2;
    widen((codes & 0x1F1F1F1F1F1F1F1F) | 0x2020202020202020 | (codes & 0x2020202020202020) << 1, out + i);
  }
  return i;
}

std::size_t read_eights(const unsigned char* in, std::size_t length, char32_t* out) {
  std::size_t i = 0;
  for (; i + 8 <= length; i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, in + i, sizeof bytes);
    widen(bytes, out + i);
  }
  return i;
}

std::size_t read_wide_eights(const unsigned char* in, std::size_t length, char32_t* out) {
  std::size_t i = 0;
  for (; i + 8 <= length; i += 8)
    widen(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 2 * i)), out + i);
  return i;
}
#else
std::size_t unpack_eights(const unsigned char*, std::size_t, char32_t*) { return 0; }
std::size_t read_eights(const unsigned char*, std::size_t, char32_t*) { return 0; }
std::size_t read_wide_eights(const unsigned char*, std::size_t, char32_t*) { return 0; }
#endif

void unpack(const unsigned char* in, std::size_t length, char32_t* out) {
  std::size_t i = unpack_eights(in, length, out);
  in += i / 4 * 3;
  unsigned bits = 0;
  for (unsigned count = 0; i < length; ++i, count -= 6, bits >>= 6) {
    if (count < 6) {
      bits |= unsigned{*in++} << count;
      count += 8;
    }
    out[i] = unpacked(bits & 0x3F);
  }
}

}  // namespace

std::uint64_t TextStore::append(std::span<const char32_t> text) {
  CHECK(text.size() <= kTextMax, "a short text");
  if (kBlockBytes - used_ < kEntryMax) {
    blocks_.push_back(std::make_unique_for_overwrite<unsigned char[]>(kBlockBytes));
    used_ = 0;
  }
  unsigned char* const begin = blocks_.back().get() + used_;
  unsigned char* out = begin;
  char32_t block = 0;
  const Form form = form_of(text, block);
  *out++ = form;
  if (form == kNarrow) {
    *out++ = static_cast<unsigned char>(block);
    *out++ = static_cast<unsigned char>(block >> 8);
  }
  if (form == kSmall) out = pack(text, out);
  for (const char32_t c : text) {
    switch (form) {
      case kSmall:
        break;  // packed above
      case kAscii:
        *out++ = static_cast<unsigned char>(c);
        break;
      case kNarrow:
        *out++ = static_cast<unsigned char>(c < 0x80 ? c : 0x80 | (c & 0x7F));
        break;
      case kFull:
      case kWide:
        *out++ = static_cast<unsigned char>(c);
        *out++ = static_cast<unsigned char>(c >> 8);
        if (form == kFull) *out++ = static_cast<unsigned char>(c >> 16);
        break;
    }
  }
  const std::uint64_t place = (blocks_.size() - 1) * kBlockBytes + used_;
  used_ += static_cast<std::size_t>(out - begin);
  return place;
}

void TextStore::read(std::uint64_t place, std::size_t length, char32_t* out) const {
  const unsigned char* in = at(place);
  const unsigned char form = *in++;
  if (form == kSmall) {
    unpack(in, length, out);
  } else if (form == kAscii) {
    for (std::size_t i = read_eights(in, length, out); i < length; ++i) out[i] = in[i];
  } else if (form == kNarrow) {
    const char32_t block = static_cast<char32_t>(in[0] | in[1] << 8) << 7;
    in += 2;
    for (std::size_t i = 0; i < length; ++i) out[i] = in[i] < 0x80 ? in[i] : block | (in[i] & 0x7FU);
  } else if (form == kWide) {
    for (std::size_t i = read_wide_eights(in, length, out); i < length; ++i) {
      out[i] = static_cast<char32_t>(in[2 * i] | in[2 * i + 1] << 8);
    }
  } else {
    for (std::size_t i = 0; i < length; ++i) {
      out[i] = static_cast<char32_t>(in[3 * i] | in[3 * i + 1] << 8 | in[3 * i + 2] << 16);
    }
  }
}

void TextStore::release_before(std::uint64_t place) {
  for (; released_ < place / kBlockBytes && released_ < blocks_.size(); ++released_)
    blocks_[released_].reset();
}

std::size_t TextStore::bytes() const {
  return (blocks_.size() - released_) * kBlockBytes + blocks_.capacity() * sizeof(blocks_[0]);
}

}  // namespace neardup
