#include "core/index/text_store.h"

#include "core/base/check.h"

namespace neardup {
namespace {

enum Form : unsigned char { kAscii, kNarrow, kWide, kFull };

constexpr std::size_t kEntryMax = 1 + 3 * TextStore::kTextMax;

Form form_of(std::span<const char32_t> text, char32_t& block) {
  char32_t all = 0;
  bool is_one_block = true;
  block = 0;
  for (const char32_t c : text) {
    all |= c;
    if (c < 0x80) continue;
    if (block == 0) block = c >> 7;
    is_one_block &= c >> 7 == block;
  }
  if (all < 0x80) return kAscii;
  if (is_one_block) return kNarrow;
  return all <= 0xFFFF ? kWide : kFull;
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
  for (const char32_t c : text) {
    switch (form) {
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
  if (form == kAscii) {
    for (std::size_t i = 0; i < length; ++i) out[i] = in[i];
  } else if (form == kNarrow) {
    const char32_t block = static_cast<char32_t>(in[0] | in[1] << 8) << 7;
    in += 2;
    for (std::size_t i = 0; i < length; ++i) out[i] = in[i] < 0x80 ? in[i] : block | (in[i] & 0x7FU);
  } else if (form == kWide) {
    for (std::size_t i = 0; i < length; ++i) out[i] = static_cast<char32_t>(in[2 * i] | in[2 * i + 1] << 8);
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
