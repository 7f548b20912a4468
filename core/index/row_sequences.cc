#include "core/index/row_sequences.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace neardup {
namespace {

// The place of the n-th one, counted from 0, in words that have more.
template <class WordAt>
std::uint64_t place_of_one(std::uint64_t n, WordAt word_at) {
  for (std::uint64_t at = 0;; ++at) {
    std::uint64_t word = word_at(at);
    const auto ones = static_cast<std::uint64_t>(std::popcount(word));
    if (n >= ones) {
      n -= ones;
      continue;
    }
    for (; n > 0; --n) word &= word - 1;
    return at * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
  }
}

}  // namespace

void RowSequences::push_back(Sequence sequence) {
  CHECK(sequence >= skipped_ + (end_ - rows_), "uniques come in their order");
  // Nobody asks any more for what is before: so the string goes on with this row, and not behind the zeros of
  // perhaps a billion uniques that have none.
  if (first_row_ == rows_) skipped_ = sequence - (end_ - rows_);
  const std::uint64_t place = sequence - skipped_ + rows_;
  while (lines_.size() <= place / kLineBits) lines_.push_back({.rows_before = rows_});
  if (rows_ % kMarked == 0) marks_.push_back(place / kLineBits);
  lines_[place / kLineBits].bits[place % kLineBits / 64] |= std::uint64_t{1} << (place % 64);
  end_ = place + 1;
  ++rows_;
}

Sequence RowSequences::operator[](std::uint64_t row) const {
  DCHECK(row >= first_row_ && row < rows_);
  const std::uint64_t mark = row / kMarked;
  std::uint64_t low = std::max(marks_[mark], first_line_);
  std::uint64_t high = mark + 1 < marks_.size() ? marks_[mark + 1] : lines_.size() - 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (lines_[middle].rows_before <= row) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const Line& line = lines_[low];
  const std::uint64_t place =
      place_of_one(row - line.rows_before, [&](std::uint64_t word) { return line.bits[word]; });
  return skipped_ + (low * kLineBits + place - row);
}

std::uint64_t RowSequences::first_from(Sequence sequence) const {
  if (first_row_ == rows_ || sequence > skipped_ + (end_ - rows_)) return rows_;
  if (sequence <= skipped_ + zeros_before(first_line_)) return first_row_;
  const std::uint64_t zeros = sequence - skipped_;
  // The line that holds the zero before the bits of the unique.
  std::uint64_t low = first_line_;
  std::uint64_t high = lines_.size() - 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (zeros_before(middle) < zeros) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const Line& line = lines_[low];
  const std::uint64_t place =
      place_of_one(zeros - 1 - zeros_before(low), [&](std::uint64_t word) { return ~line.bits[word]; });
  return std::max(first_row_, low * kLineBits + place + 1 - zeros);
}

void RowSequences::release_before(std::uint64_t row) {
  DCHECK(row <= rows_);
  if (row <= first_row_) return;
  first_line_ = row < rows_ ? ((*this)[row] - skipped_ + row) / kLineBits : lines_.size() - 1;
  first_row_ = row;
  lines_.release_before(first_line_);
  marks_.release_before(row / kMarked);
}

}  // namespace neardup
