// How do numbers and strings become stored bytes?
//
// ByteWriter appends, ByteReader takes the same back: little-endian integers of fixed width, LEB128 varints,
// and byte strings with a varint length. The reader never reads past its end: the first failure makes it fail
// for good, every later read gives zero, and one `ok()` at the end of a record tells. So hostile bytes need
// no check per field.
#pragma once

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
  void u16(std::uint16_t value) { fixed(value, 2); }
  void u32(std::uint32_t value) { fixed(value, 4); }
  void u64(std::uint64_t value) { fixed(value, 8); }
  void digest(Digest128 value) {
    u64(value.high);
    u64(value.low);
  }
  void varint(std::uint64_t value);        // 1 to 10 bytes
  void signed_varint(std::int64_t value);  // zigzag, then varint
  void bytes(std::string_view value);      // as they are, no length
  void string(std::string_view value);     // varint length, then the bytes

 private:
  void fixed(std::uint64_t value, int width);

  std::string& out_;
};

class ByteReader {
 public:
  // Reads `in`, which must outlive the reader and every view it returns.
  explicit ByteReader(std::string_view in) : in_(in) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }
  Digest128 digest() {
    const std::uint64_t high = u64();
    return {high, u64()};
  }
  std::uint64_t varint();  // refuses more than 10 bytes and values of more than 64 bits
  std::int64_t signed_varint();
  std::string_view bytes(std::uint64_t size);
  std::string_view string();  // varint length, then that many bytes

  bool ok() const { return ok_; }
  bool at_end() const { return in_.empty(); }
  std::uint64_t remaining() const { return in_.size(); }

 private:
  std::uint64_t fixed(int width);
  void fail() {
    ok_ = false;
    in_ = {};
  }

  std::string_view in_;
  bool ok_ = true;
};

}  // namespace neardup
