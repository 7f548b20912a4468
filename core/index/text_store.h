// Where do the texts of short uniques live, in how few bytes?
//
// One after another in blocks of 1 MiB, each in the smallest of five forms, told by its first byte:
//
//   kSmall   6 bits a character, four in three bytes: blanks, digits, small letters, all of 0x20 .. 0x3F and
//            0x60 .. 0x7F
//   kAscii   1 byte a character
//   kNarrow  block number (2 bytes), then 1 byte a character: below 0x80 ASCII, from there on one of 128
//            characters of that block (Cyrillic, Greek, Thai ... lie in one each)
//   kWide    2 bytes a character, the low one first
//   kFull    3 bytes
//
// Cost:    as above, and the end of each block that the next text did not fit into.
// Threads: none inside; the const functions may run side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/prefetch_line.h"

namespace neardup {

class TextStore {
 public:
  static constexpr std::size_t kTextMax = 1024;  // characters

  // Returns where the text is: these numbers ascend. REQUIRES: text.size() <= kTextMax.
  std::uint64_t append(std::span<const char32_t> text);

  // Starts to load the text at `place`, as far as most reach.
  void prefetch(std::uint64_t place) const {
    prefetch_line(at(place));
    prefetch_line(at(place) + 64);
  }

  // Writes the text at `place` to out[0 .. length). REQUIRES: `length` is its length.
  void read(std::uint64_t place, std::size_t length, char32_t* out) const;

  // Where the next text will be, or behind it.
  std::uint64_t end() const { return blocks_.empty() ? 0 : (blocks_.size() - 1) * kBlockBytes + used_; }

  // Gives back the memory of the texts before `place`, block by block.
  void release_before(std::uint64_t place);

  std::size_t bytes() const;

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

  const unsigned char* at(std::uint64_t place) const {
    return blocks_[place / kBlockBytes].get() + place % kBlockBytes;
  }

  std::vector<std::unique_ptr<unsigned char[]>> blocks_;
  std::size_t used_ = kBlockBytes;  // bytes of the last block; none yet counts as full
  std::size_t released_ = 0;        // blocks, from the front
};

}  // namespace neardup
