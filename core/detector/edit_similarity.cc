#include "core/detector/edit_similarity.h"

#include <algorithm>

#include "core/base/bit_words.h"
#include "core/base/check.h"

namespace neardup {
namespace {

__extension__ using Word128 = unsigned __int128;

constexpr unsigned bit(std::uint64_t word, unsigned at) { return static_cast<unsigned>(word >> at & 1); }

constexpr std::size_t slot_of(char32_t symbol, std::size_t slots) {
  return (static_cast<std::uint32_t>(symbol) * 0x9E3779B1U >> 16) % slots;
}

}  // namespace

void EditPattern::set(std::span<const char32_t> text) {
  DCHECK(text.size() <= kLengthMax);
  for (const char32_t symbol : text_) {
    if (symbol < kAscii) ascii_[symbol] = 0;
  }
  for (const std::uint16_t slot : used_slots_) slots_[slot] = {};
  used_slots_.clear();
  text_.assign(text.begin(), text.end());
  row_words_ = text_.size() / 64 + kSlackWords;
  rows_.assign(row_words_, 0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char32_t symbol = text_[i];
    std::size_t row = row_of(symbol);
    if (row == 0) {
      row = rows_.size() / row_words_;
      rows_.resize(rows_.size() + row_words_);
      if (symbol < kAscii) {
        ascii_[symbol] = static_cast<std::uint16_t>(row);
      } else {
        std::size_t at = slot_of(symbol, kSlots);
        while (slots_[at].row != 0) at = (at + 1) % kSlots;
        slots_[at] = {symbol, static_cast<std::uint16_t>(row)};
        used_slots_.push_back(static_cast<std::uint16_t>(at));
      }
    }
    rows_[row * row_words_ + i / 64] |= std::uint64_t{1} << i % 64;
  }
}

std::size_t EditPattern::row_of(char32_t symbol) const {
  if (symbol < kAscii) return ascii_[symbol];
  std::size_t at = slot_of(symbol, kSlots);
  while (slots_[at].row != 0 && slots_[at].symbol != symbol) at = (at + 1) % kSlots;
  return slots_[at].row;
}

std::optional<unsigned> EditPattern::distance(std::span<const char32_t> other, unsigned most) const {
  DCHECK(other.size() <= kLengthMax);
  std::size_t from = 0;
  std::size_t end = text_.size();
  std::size_t other_end = other.size();
  const std::size_t apart = end > other_end ? end - other_end : other_end - end;
  if (apart > most) return std::nullopt;
  while (from < end && from < other_end && text_[from] == other[from]) ++from;
  while (end > from && other_end > from && text_[end - 1] == other[other_end - 1]) --end, --other_end;

  const std::size_t rows = end - from;
  const std::span<const char32_t> middle = other.subspan(from, other_end - from);
  unsigned edits = 0;
  if (rows == 0 || middle.empty()) {
    edits = static_cast<unsigned>(apart);
  } else if (rows <= 64) {
    edits = in_one_word(middle, from, rows, most);
  } else if (most < 32) {
    edits = in_a_band<std::uint64_t>(middle, from, rows, most);
  } else if (most < 64) {
    edits = in_a_band<Word128>(middle, from, rows, most);
  } else {
    edits = in_words(middle, from, rows, most);
  }
  if (edits > most) return std::nullopt;
  return edits;
}

// The value at the end of the last row falls by one a column at most.
unsigned EditPattern::in_one_word(std::span<const char32_t> other, std::size_t from, std::size_t rows,
                                  unsigned most) const {
  std::uint64_t plus = ~std::uint64_t{0};
  std::uint64_t minus = 0;
  const unsigned last = static_cast<unsigned>(rows) - 1;
  auto edits = static_cast<unsigned>(rows);
  auto left = static_cast<unsigned>(other.size());
  for (const char32_t symbol : other) {
    const std::uint64_t equal = bits_from(row_bits(symbol), from);
    const std::uint64_t diagonal = (((equal & plus) + plus) ^ plus) | equal | minus;
    std::uint64_t right_plus = minus | ~(diagonal | plus);
    std::uint64_t right_minus = diagonal & plus;
    edits += bit(right_plus, last);
    edits -= bit(right_minus, last);
    if (edits > most + --left) return most + 1;
    right_plus = right_plus << 1 | 1;
    right_minus <<= 1;
    plus = right_minus | ~(diagonal | right_plus);
    minus = right_plus & diagonal;
  }
  return edits;
}

// The word holds the cells of a column from `most` below the diagonal upwards, its top bit the lowest of
// them, and slides down by one row a column. Along the diagonal values never fall, so following its lower
// edge, and then the last row, gives the distance and an early end.
// REQUIRES: most < half of the bits of Word, most < rows, and |rows - other.size()| <= most.
template <class Word>
unsigned EditPattern::in_a_band(std::span<const char32_t> other, std::size_t from, std::size_t rows,
                                unsigned most) const {
  constexpr int kBits = sizeof(Word) * 8;
  const auto window = [&](char32_t symbol, std::ptrdiff_t at) {
    const std::uint64_t* const row = row_bits(symbol);
    // Before the pattern's begin there is nothing that agrees.
    const std::size_t begin = from + static_cast<std::size_t>(std::max<std::ptrdiff_t>(at, 0));
    Word bits = bits_from(row, begin);
    if constexpr (kBits == 128) bits |= static_cast<Word>(bits_from(row, begin + 64)) << 64;
    return at < 0 ? bits << -at : bits;
  };
  Word plus = ~Word{0} << (kBits - 1 - static_cast<int>(most));
  Word minus = 0;
  unsigned edits = most;
  const auto columns = static_cast<std::ptrdiff_t>(other.size());
  const std::ptrdiff_t on_diagonal =
      std::min(columns, static_cast<std::ptrdiff_t>(rows) - static_cast<std::ptrdiff_t>(most));
  // What the last row can still fall by when its end is reached.
  const unsigned limit = static_cast<unsigned>(2 * static_cast<std::ptrdiff_t>(most) + columns -
                                               static_cast<std::ptrdiff_t>(rows));
  Word last_row = Word{1} << (kBits - 2);
  std::ptrdiff_t at = static_cast<std::ptrdiff_t>(most) + 1 - kBits;
  for (std::ptrdiff_t column = 0; column < columns; ++column, ++at) {
    const Word equal = window(other[static_cast<std::size_t>(column)], at);
    const Word diagonal = (((equal & plus) + plus) ^ plus) | equal | minus;
    const Word right_plus = minus | ~(diagonal | plus);
    const Word right_minus = diagonal & plus;
    if (column < on_diagonal) {
      edits += (diagonal >> (kBits - 1) & 1) == 0;
    } else {
      edits += (right_plus & last_row) != 0;
      edits -= (right_minus & last_row) != 0;
      last_row >>= 1;
    }
    if (edits > limit) return most + 1;
    plus = right_minus | ~(diagonal >> 1 | right_plus);
    minus = diagonal >> 1 & right_plus;
  }
  return edits;
}

unsigned EditPattern::in_words(std::span<const char32_t> other, std::size_t from, std::size_t rows,
                               unsigned most) const {
  const std::size_t words = (rows + 63) / 64;
  std::array<std::uint64_t, kWordsMax> plus;
  std::array<std::uint64_t, kWordsMax> minus;
  std::fill_n(plus.begin(), words, ~std::uint64_t{0});
  std::fill_n(minus.begin(), words, std::uint64_t{0});
  const unsigned last = static_cast<unsigned>(rows - 1) % 64;
  auto edits = static_cast<unsigned>(rows);
  auto left = static_cast<unsigned>(other.size());
  for (const char32_t symbol : other) {
    const std::uint64_t* const row = row_bits(symbol);
    std::uint64_t plus_in = 1;  // the first row of the matrix rises by one a column
    std::uint64_t minus_in = 0;
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t equal = bits_from(row, from + 64 * w);
      const std::uint64_t with_carry = equal | minus_in;
      const std::uint64_t diagonal = (((with_carry & plus[w]) + plus[w]) ^ plus[w]) | with_carry | minus[w];
      std::uint64_t right_plus = minus[w] | ~(diagonal | plus[w]);
      std::uint64_t right_minus = diagonal & plus[w];
      if (w + 1 == words) {
        edits += bit(right_plus, last);
        edits -= bit(right_minus, last);
      }
      const std::uint64_t plus_out = right_plus >> 63;
      const std::uint64_t minus_out = right_minus >> 63;
      right_plus = right_plus << 1 | plus_in;
      right_minus = right_minus << 1 | minus_in;
      plus[w] = right_minus | ~(diagonal | right_plus);
      minus[w] = right_plus & diagonal;
      plus_in = plus_out;
      minus_in = minus_out;
    }
    if (edits > most + --left) return most + 1;
  }
  return edits;
}

}  // namespace neardup
