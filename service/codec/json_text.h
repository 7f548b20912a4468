// How is a line of JSON written without asking for room at every comma?
//
// Whoever wants it makes room once, for the longest that the line can be; then each piece is a copy and a
// step on, and where the last one ended is the end of the line.
//
// Threads: one writer.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace neardup {

class JsonText {
 public:
  // Of a string in JSON: its quotes, and \u00XX or U+FFFD for each byte.
  static constexpr std::size_t string_bytes_max(std::size_t bytes) { return 2 + 6 * bytes; }
  static constexpr std::size_t kIntegerBytesMax = 20;
  static constexpr std::size_t kHexBytes = 16;

  // REQUIRES: at `begin` there is room for all that is written.
  explicit JsonText(char* begin) : at_(begin) {}

  char* end() const { return at_; }

  // As it is. Inlined: a literal of a few bytes is a few moves.
  [[gnu::always_inline]] JsonText& text(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  JsonText& character(char c) {
    *at_++ = c;
    return *this;
  }
  JsonText& integer(std::integral auto number) {
    at_ = std::to_chars(at_, at_ + kIntegerBytesMax, number).ptr;
    return *this;
  }
  JsonText& hex(std::uint64_t bits) {
    for (int shift = 60; shift >= 0; shift -= 4) *at_++ = "0123456789abcdef"[(bits >> shift) & 0xF];
    return *this;
  }
  // In quotes, escaped. A byte that belongs to no character of UTF-8 comes out as U+FFFD.
  JsonText& string(std::string_view text);

  // Where `bytes` more go, which the caller writes.
  char* room(std::size_t bytes) {
    char* const begin = at_;
    at_ += bytes;
    return begin;
  }

 private:
  void escaped(std::string_view utf8);
  void escape(char c);

  char* at_;
};

}  // namespace neardup
