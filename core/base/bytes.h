// How do numbers and strings become stored bytes?
//
// ByteWriter appends, ByteReader takes the same back: little-endian integers of fixed width, LEB128 varints,
// and byte strings with a varint length. The reader never reads past its end: the first failure makes it fail
// for good, every later read gives zero, and one `ok()` at the end of a record tells. So hostile bytes need
// no check per field.
//
// A string asks for room at every field. What is written a million times is better written where it is to
// stay, by an InPlaceWriter: append_in_place. Fields that are gathered elsewhere and copied on at once cost
// more than they look, since a processor cannot load in one piece what it is still storing in several: it
// waits until all stores before are through, and those of the index miss every cache.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/base/hash.h"

namespace neardup {

// `value` as it is stored, and back. Its own inverse; on nearly every machine it is `value`. (Compilers do
// not see that of a loop over the bytes: GCC 12 shifts and stores each.)
template <std::unsigned_integral T>
constexpr T little_endian(T value) {
  if constexpr (std::endian::native == std::endian::little || sizeof value == 1) {
    return value;
  } else if constexpr (sizeof value == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof value == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

// Bytes that are written where they stay. REQUIRES: no more than the room that `begin` has.
class ByteRoom {
 public:
  ByteRoom(char* begin, std::size_t room) : end_(begin), limit_(begin + room) {}

  void push_back(char c) {
    DCHECK(end_ < limit_);
    *end_++ = c;
  }
  void append(const char* bytes, std::size_t size) {
    DCHECK(size <= static_cast<std::size_t>(limit_ - end_));
    if (size > 0) std::memcpy(end_, bytes, size);
    end_ += size;
  }
  void append(std::string_view bytes) { append(bytes.data(), bytes.size()); }

  char* end() const { return end_; }

 private:
  char* end_;
  const char* limit_;
};

// Appends to an Out: a std::string, or a ByteRoom.
template <class Out>
class BasicByteWriter {
 public:
  // `out` must outlive the writer.
  explicit BasicByteWriter(Out& out) : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void u16(std::uint16_t value) { fixed(value); }
  void u32(std::uint32_t value) { fixed(value); }
  void u64(std::uint64_t value) { fixed(value); }
  template <std::size_t kCount>
  void u32s(std::array<std::uint32_t, kCount> values) {
    for (std::uint32_t& value : values) value = little_endian(value);
    out_.append(reinterpret_cast<const char*>(values.data()), sizeof values);
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
  template <std::unsigned_integral T>
  void fixed(T value) {
    value = little_endian(value);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  Out& out_;
};
using ByteWriter = BasicByteWriter<std::string>;
using InPlaceWriter = BasicByteWriter<ByteRoom>;

// Appends what `write(InPlaceWriter&)` writes, `room` bytes at most.
template <class Write>
void append_in_place(std::string& out, std::size_t room, Write write) {
  const std::size_t begin = out.size();
  out.resize(begin + room);
  ByteRoom place(out.data() + begin, room);
  InPlaceWriter writer(place);
  write(writer);
  out.resize(static_cast<std::size_t>(place.end() - out.data()));
}

class ByteReader {
 public:
  // Reads `in`, which must outlive the reader and every view it returns.
  explicit ByteReader(std::string_view in) : in_(in) {}

  std::uint8_t u8() { return fixed<std::uint8_t>(); }
  std::uint16_t u16() { return fixed<std::uint16_t>(); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  // All or, where they are not all there, zeros.
  template <std::size_t kCount>
  void u32s(std::array<std::uint32_t, kCount>& values) {
    values = {};
    if (in_.size() < sizeof values) {
      fail();
      return;
    }
    std::memcpy(values.data(), &in_.front(), sizeof values);
    in_.remove_prefix(sizeof values);
    for (std::uint32_t& value : values) value = little_endian(value);
  }
  Digest128 digest() {
    const std::uint64_t high = u64();
    return {high, u64()};
  }
  // Refuses more than 10 bytes and values of more than 64 bits.
  std::uint64_t varint() {
    if (!in_.empty() && static_cast<unsigned char>(in_.front()) < 0x80) return u8();
    return long_varint();
  }
  std::int64_t signed_varint() {
    const std::uint64_t bits = varint();
    return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
  }
  std::string_view bytes(std::uint64_t size);
  std::string_view string();  // varint length, then that many bytes

  // What was read is no value of its field.
  void fail() {
    ok_ = false;
    in_ = {};
  }

  bool ok() const { return ok_; }
  bool at_end() const { return in_.empty(); }
  std::uint64_t remaining() const { return in_.size(); }

 private:
  template <std::unsigned_integral T>
  T fixed() {
    T value = 0;
    if (in_.size() < sizeof value) {
      fail();
      return 0;
    }
    std::memcpy(&value, &in_.front(), sizeof value);
    in_.remove_prefix(sizeof value);
    return little_endian(value);
  }
  std::uint64_t long_varint();

  std::string_view in_;
  bool ok_ = true;
};

}  // namespace neardup
