#include "core/base/bytes.h"

namespace neardup {

void ByteWriter::fixed(std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) out_.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
}

void ByteWriter::varint(std::uint64_t value) {
  while (value >= 0x80) {
    out_.push_back(static_cast<char>((value & 0x7F) | 0x80));
    value >>= 7;
  }
  out_.push_back(static_cast<char>(value));
}

void ByteWriter::signed_varint(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  varint((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void ByteWriter::bytes(std::string_view value) { out_.append(value); }

void ByteWriter::string(std::string_view value) {
  varint(value.size());
  bytes(value);
}

std::uint64_t ByteReader::fixed(int width) {
  if (in_.size() < static_cast<std::size_t>(width)) {
    fail();
    return 0;
  }
  std::uint64_t value = 0;
  for (int i = 0; i < width; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(in_[static_cast<std::size_t>(i)]))
             << (8 * i);
  }
  in_.remove_prefix(static_cast<std::size_t>(width));
  return value;
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const std::uint64_t byte = fixed(1);
    if (!ok_) return 0;
    if (shift == 63 && byte > 1) break;  // the tenth byte holds one bit
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

std::int64_t ByteReader::signed_varint() {
  const std::uint64_t bits = varint();
  return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
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
