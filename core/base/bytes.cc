#include "core/base/bytes.h"

namespace neardup {

std::uint64_t ByteReader::long_varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const std::uint64_t byte = u8();
    if (!ok_) return 0;
    if (shift == 63 && byte > 1) break;  // the tenth byte holds one bit
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

std::string_view ByteReader::bytes(std::uint64_t size) {
  if (size > in_.size()) {
    fail();
    return {};
  }
  const std::string_view value = in_.substr(0, static_cast<std::size_t>(size));
  in_.remove_prefix(static_cast<std::size_t>(size));
  return value;
}

std::string_view ByteReader::string() { return bytes(varint()); }

}  // namespace neardup
