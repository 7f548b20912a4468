#include "core/detector/kept_form.h"

#include <bit>
#include <cstring>

#include "core/arrival.h"
#include "core/base/bytes.h"
#include "core/limits.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

constexpr unsigned kLongCountShift = 1;
constexpr std::size_t kHeadBytesMax = 8;
constexpr std::size_t kLongBytesMax = 16 + 4 * kMinimaBins + kStandardSketchBytes + 4 * BandExtensions::kMax;
static_assert(kHeadBytesMax + std::size_t{4} * kShortStoredUnitsMax +
                  LongSigner::kSignaturesMax * kLongBytesMax <=
              kUniqueKeptBytesMax);
static_assert(kHeadBytesMax + std::size_t{4} * kMgramTextMax <= kUniqueKeptBytesMax);

template <std::size_t kBytes, class Writer>
void put_sketch(const OddSketch<kBytes>& sketch, Writer& out) {
  out.bytes({reinterpret_cast<const char*>(sketch.bits.data()), sketch.bits.size()});
  out.u16(sketch.sampled);
  out.u16(sketch.level);
}

template <std::size_t kBytes>
bool get_sketch(ByteReader& in, OddSketch<kBytes>& sketch) {
  const std::string_view bits = in.bytes(sketch.bits.size());
  if (!in.ok()) return false;
  std::memcpy(sketch.bits.data(), bits.data(), bits.size());
  sketch.sampled = in.u16();
  sketch.level = in.u16();
  return sketch.level <= kSketchLevelMax;
}

static_assert(kShortStoredUnitsMax <= kMgramTextMax);

void put_page(const LongSignature& page, SketchSize size, const BandExtensions& extensions,
              std::string& out) {
  append_in_place(out, kLongBytesMax, [&](InPlaceWriter& writer) {
    writer.u8(static_cast<std::uint8_t>(page.kind));
    writer.varint(page.shingles);
    writer.u32s(page.minima.first);
    if (size == SketchSize::kStandard) {
      put_sketch(page.standard, writer);
    } else {
      put_sketch(page.compact, writer);
    }
    writer.varint(extensions.present);
    for (std::uint32_t bits = extensions.present; bits != 0; bits &= bits - 1) {
      writer.u32(extensions.minima[static_cast<std::size_t>(std::countr_zero(bits))]);
    }
  });
}

// REQUIRES: text.size() <= kMgramTextMax.
void put_text(std::span<const char32_t> text, ByteWriter& out) {
  std::array<char, std::size_t{4} * kMgramTextMax> bytes;
  char* end = bytes.data();
  for (const char32_t c : text) end = encode_utf8(c, end);
  out.string({bytes.data(), end});
}

bool get_text(std::string_view bytes, std::size_t characters_max, std::vector<char32_t>& text) {
  text.clear();
  while (!bytes.empty()) {
    const DecodedCodePoint decoded = decode_utf8(bytes);
    if (decoded.code_point == kNotUtf8 || text.size() == characters_max) return false;
    text.push_back(decoded.code_point);
    bytes.remove_prefix(decoded.size);
  }
  return !text.empty();
}

bool get_page(ByteReader& in, SketchSize size, ReturningPage& page) {
  const std::uint8_t kind = in.u8();
  if (kind > static_cast<std::uint8_t>(ShingleKind::kCharacters)) return false;
  page.kind = static_cast<ShingleKind>(kind);
  in.varint();  // how many shingles
  in.u32s(page.minima);
  if (!(size == SketchSize::kStandard ? get_sketch(in, page.standard) : get_sketch(in, page.compact))) {
    return false;
  }
  const std::uint64_t present = in.varint();
  if (present >> BandExtensions::kMax != 0) return false;
  page.extensions.present = static_cast<std::uint32_t>(present);
  for (std::uint64_t bits = present; bits != 0; bits &= bits - 1) {
    page.extensions.minima[static_cast<std::size_t>(std::countr_zero(bits))] = in.u32();
  }
  return in.ok();
}

}  // namespace

std::size_t kept_bytes_max(const RouteSignature& route) {
  return kHeadBytesMax + (route.has_mgrams ? 4 * route.mgrams.text.size() : 0) +
         (route.has_short ? 4 * route.short_text.text.size() : 0) + route.long_count * kLongBytesMax;
}

void append_kept(const RouteSignature& route, SketchSize size, const LongExtensions& extensions,
                 std::string& out) {
  ByteWriter writer(out);
  if (route.has_mgrams) {
    writer.u8(kKeptMgrams);
    put_text(route.mgrams.text, writer);
    return;
  }
  writer.u8(
      static_cast<std::uint8_t>((route.has_short ? kKeptShort : 0) | route.long_count << kLongCountShift));
  if (route.has_short) put_text(route.short_text.text, writer);
  for (std::size_t i = 0; i < route.long_count; ++i) put_page(route.longs[i], size, extensions[i], out);
}

Status decode_kept(std::string_view bytes, SketchSize size, KeptForm& form) {
  const auto corrupt = [](const char* what) {
    return Error{ErrorCode::kCorrupt, std::string("what was kept of a unique: ") + what};
  };
  ByteReader in(bytes);
  const std::uint8_t head = in.u8();
  form.has_mgrams = head == kKeptMgrams;
  form.has_short = (head & kKeptShort) != 0;
  form.page_count = form.has_mgrams ? 0 : head >> kLongCountShift;
  if (form.page_count > LongSigner::kSignaturesMax) return corrupt("too many sketches");
  if (form.has_short && !get_text(in.string(), kShortStoredUnitsMax, form.characters)) {
    return corrupt("no short text");
  }
  if (form.has_mgrams && !get_text(in.string(), kMgramTextMax, form.characters)) {
    return corrupt("no text of m-grams");
  }
  for (std::size_t i = 0; i < form.page_count; ++i) {
    if (!get_page(in, size, form.pages[i])) return corrupt("no sketch");
  }
  if (!in.ok()) return corrupt("ends in the middle");
  if (!in.at_end()) return corrupt("bytes too many");
  return {};
}

}  // namespace neardup
