#include "core/text/html_scan.h"

#include <array>

#include "core/base/ascii.h"

namespace neardup::internal {
namespace {

constexpr std::uint8_t kNone = 0xFF;

constexpr std::array<std::uint8_t, 256> byte_kinds() {
  std::array<std::uint8_t, 256> kinds{};
  kinds.fill(kNone);
  kinds['<'] = kLess;
  kinds['&'] = kAmpersand;
  kinds['>'] = kGreater;
  kinds['"'] = kDoubleQuote;
  kinds['\''] = kSingleQuote;
  kinds['/'] = kSlash;
  kinds['='] = kEquals;
  for (const char space : {' ', '\n', '\t', '\r', '\f'}) kinds[static_cast<unsigned char>(space)] = kSpace;
  return kinds;
}
constexpr std::array<std::uint8_t, 256> kKinds = byte_kinds();

void classify_scalar(const char* bytes, std::size_t size, HtmlMasks& masks) {
  for (std::size_t block = 0; block * 64 < size + 64; ++block) {
    for (std::uint64_t(&row)[HtmlMasks::kWords] : masks.of) row[block] = 0;
    for (std::size_t i = block * 64; i < size && i < block * 64 + 64; ++i) {
      const std::uint8_t kind = kKinds[static_cast<unsigned char>(bytes[i])];
      if (kind != kNone) masks.of[kind][block] |= std::uint64_t{1} << (i % 64);
    }
  }
}

}  // namespace

char* fold_spaces_scalar(const char* bytes, std::size_t size, std::size_t /*readable*/, char* out) {
  bool after_space = out[-1] == ' ' || out[-1] == '\n';
  for (std::size_t i = 0; i < size; ++i) {
    const bool space = is_ascii_whitespace(bytes[i]);
    if (space && after_space) continue;
    *out++ = space ? ' ' : bytes[i];
    after_space = space;
  }
  return out;
}

std::uint32_t count_commas_scalar(const char* text, std::size_t size) {
  const auto at = [&](std::size_t i) -> unsigned {
    return i < size ? static_cast<unsigned char>(text[i]) : 0;
  };
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned next = at(i + 1);
    const unsigned third = at(i + 2);
    switch (at(i)) {
      case ',':
        ++count;
        break;
      case 0xE3:  // U+3001, U+3002
        count += next == 0x80 && (third == 0x81 || third == 0x82) ? 1 : 0;
        break;
      case 0xEF:  // U+FF01, U+FF0C, U+FF1B, U+FF1F
        count += next == 0xBC && (third == 0x81 || third == 0x8C || third == 0x9B || third == 0x9F) ? 1 : 0;
        break;
      case 0xD8:  // U+060C
        count += next == 0x8C ? 1 : 0;
        break;
      default:
        break;
    }
  }
  return count;
}

const HtmlKernels kHtmlKernelsScalar = {classify_scalar, fold_spaces_scalar, count_commas_scalar};

const HtmlKernels& html_kernels(Isa isa) {
#if NEARDUP_X86
  if (isa == Isa::kAvx512) return kHtmlKernelsAvx512;
  if (isa == Isa::kAvx2) return kHtmlKernelsAvx2;
#else
  static_cast<void>(isa);
#endif
  return kHtmlKernelsScalar;
}

}  // namespace neardup::internal
