// How do numbers and strings become stored bytes?
//
// ByteWriter appends, ByteReader takes the same back: little-endian integers of fixed width, LEB128 varints,
// and byte strings with a varint length. The reader never reads past its end: the first failure makes it fail
// for good, every later read gives zero, and one `ok()` at the end of a record tells. So hostile bytes need
// no check per field.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/hash.h"

namespace neardup {

class ByteWriter {
 public:
  // Appends to `out`, which the caller owns and which must outlive the writer.
  explicit ByteWriter(std::string& out) : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void u16(std::uint16_t value) { fixed<2>(value); }
  void u32(std::uint32_t value) { fixed<4>(value); }
  void u64(std::uint64_t value) { fixed<8>(value); }
  template <std::size_t kCount>
  void u32s(const std::array<std::uint32_t, kCount>& values) {
    std::array<char, 4 * kCount> bytes;
    for (std::size_t i = 0; i < kCount; ++i) put<4>(values[i], bytes.data() + 4 * i);
    out_.append(bytes.data(), bytes.size());
  }
  void digest(Digest128 value) {
    u64(value.high);
    u64(value.low);
  }
  // 1 to 10 bytes.
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>((value & 0x7F) | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  // Zigzag, then varint.
  void signed_varint(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    varint((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }
  void bytes(std::string_view value) { out_.append(value); }  // as they are, no length
  void string(std::string_view value) {                       // varint length, then the bytes
    varint(value.size());
    bytes(value);
  }

 private:
  // One store where the machine's own order is this one; compilers see it.
  template <std::size_t kWidth>
  static void put(std::uint64_t value, char* out) {
    for (std::size_t i = 0; i < kWidth; ++i) out[i] = static_cast<char>((value >> (8 * i)) & 0xFF);
  }
  template <std::size_t kWidth>
  void fixed(std::uint64_t value) {
    std::array<char, kWidth> bytes;
    put<kWidth>(value, bytes.data());
    out_.append(bytes.data(), bytes.size());
  }

  std::string& out_;
};

class ByteReader {
 public:
  // Reads `in`, which must outlive the reader and every view it returns.
  explicit ByteReader(std::string_view in) : in_(in) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed<1>()); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed<2>()); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed<4>()); }
  std::uint64_t u64() { return fixed<8>(); }
  template <std::size_t kCount>
  void u32s(std::array<std::uint32_t, kCount>& values) {
    for (std::uint32_t& value : values) value = u32();
  }
  Digest128 digest() {
    const std::uint64_t high = u64();
    return {high, u64()};
  }
  // Refuses more than 10 bytes and values of more than 64 bits.
  std::uint64_t varint() {
    if (!in_.empty() && static_cast<unsigned char>(in_.front()) < 0x80) return fixed<1>();
    return long_varint();
  }
  std::int64_t signed_varint() {
    const std::uint64_t bits = varint();
    return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
  }
  std::string_view bytes(std::uint64_t size);
  std::string_view string();  // varint length, then that many bytes

  bool ok() const { return ok_; }
  bool at_end() const { return in_.empty(); }
  std::uint64_t remaining() const { return in_.size(); }

 private:
  template <std::size_t kWidth>
  std::uint64_t fixed() {
    if (in_.size() < kWidth) {
      fail();
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < kWidth; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(in_[i])) << (8 * i);
    in_.remove_prefix(kWidth);
    return value;
  }
  std::uint64_t long_varint();
  void fail() {
    ok_ = false;
    in_ = {};
  }

  std::string_view in_;
  bool ok_ = true;
};

}  // namespace neardup
