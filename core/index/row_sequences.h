// Which unique does a row belong to?
//
// Rows of an index are numbered in the order of the uniques, which have one, none or several. So it is said
// by a string of bits: for each unique a 1 for each of its rows, and then a 0.
//
//   rows of the uniques 0, 1, 2, 3: two, one, none, one        1 1 0 | 1 0 | 0 | 1 0
//
// The sequence number of a row is the number of zeros before its 1, and the first row of a unique the number
// of ones before its bits. The string is cut into lines that know how many ones came before; the line of
// every 512th row is noted, so that a look-up has few lines to choose from. Uniques between a row and those
// before it that are all released have no zeros: how many were left out is a number beside the string.
//
// Cost:    .3 bytes a row where nearly all uniques have one, a bit more (64/56 of it) for each that has none.
//          A look-up is two or three cache lines.
// Threads: none inside; the const functions may run side by side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/prefetch_line.h"
#include "core/decision.h"
#include "core/index/chunked_array.h"

namespace neardup {

class RowSequences {
 public:
  // Appends a row. REQUIRES: `sequence` is not below that of the row before.
  void push_back(Sequence sequence);

  // REQUIRES: row < size(), and not released.
  Sequence operator[](std::uint64_t row) const;

  // Starts to load what operator[] reads, where nearly all uniques have one row. REQUIRES: as it does.
  void prefetch(std::uint64_t row) const {
    const std::uint64_t line = marks_[row / kMarked] + row % kMarked * 2 / kLineBits;
    prefetch_line(&lines_[std::min<std::uint64_t>(line, lines_.size() - 1)]);
  }

  // The first row of those that are not released whose sequence number is not below this one; size() if there
  // is none.
  std::uint64_t first_from(Sequence sequence) const;

  // Rows before `row` will not be asked for again. REQUIRES: row <= size().
  void release_before(std::uint64_t row);

  std::uint64_t size() const { return rows_; }
  std::size_t bytes() const { return lines_.bytes() + marks_.bytes(); }

 private:
  static constexpr std::size_t kWords = 7;
  static constexpr std::uint64_t kLineBits = kWords * 64;
  static constexpr std::uint64_t kMarked = 512;

  struct alignas(64) Line {
    std::uint64_t rows_before = 0;
    std::array<std::uint64_t, kWords> bits{};
  };
  static_assert(sizeof(Line) == 64);

  std::uint64_t zeros_before(std::uint64_t line) const { return line * kLineBits - lines_[line].rows_before; }

  ChunkedArray<Line> lines_;
  ChunkedArray<std::uint64_t> marks_;  // the lines of rows 0, 512, 1024, ...
  std::uint64_t end_ = 0;              // bits
  Sequence skipped_ = 0;               // uniques that have no zero, all before the first row not released
  std::uint64_t rows_ = 0;
  std::uint64_t first_row_ = 0;  // those before are released,
  std::uint64_t first_line_ = 0;
};

}  // namespace neardup
