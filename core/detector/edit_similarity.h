// How many edits are two short texts apart? Exactly, if not more than asked for.
//
// Levenshtein distance by bit-parallel dynamic programming: a column of the matrix is a few words of
// vertical differences, and 64 cells are computed with some fifteen instructions. What two texts share at
// their ends is stripped first, which is nearly all of them in texts of one form; then
//
//   at most 64 rows left            one word a column                                   (Myers 1999)
//   at most 31 or 63 edits asked    a band of 64 or 128 cells around the diagonal       (Hyyrö 2003)
//   else                            as many words a column as it takes, with carries    (Hyyrö 2003)
//
// and each ends as soon as the answer cannot be within what was asked.
//
// Symbols are 32-bit numbers: characters, or anything else that can be numbered.
//
// Cost:    .05 to .4 us for texts of 60 characters, some microseconds for 300, at most some 60 us.
// Threads: the const functions may run side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace neardup {

// One text that others are compared with.
class EditPattern {
 public:
  static constexpr std::size_t kLengthMax = 1024;

  // REQUIRES: text.size() <= kLengthMax.
  void set(std::span<const char32_t> text);

  // The edits (substituted, inserted, deleted symbols) between the pattern and `other`; nothing if there are
  // more than `most`. REQUIRES: other.size() <= kLengthMax.
  std::optional<unsigned> distance(std::span<const char32_t> other, unsigned most) const;

 private:
  // Bit i of a row: the pattern has the row's symbol at i. kSlackWords of zeros behind, so that whole words
  // may be read.
  static constexpr std::size_t kSlackWords = 3;
  static constexpr std::size_t kWordsMax = (kLengthMax + 63) / 64;
  static constexpr std::size_t kSlots = 2 * kLengthMax;
  static constexpr std::size_t kAscii = 128;

  std::size_t row_of(char32_t symbol) const;
  const std::uint64_t* row_bits(char32_t symbol) const { return &rows_[row_of(symbol) * row_words_]; }

  unsigned in_one_word(std::span<const char32_t> other, std::size_t from, std::size_t rows,
                       unsigned most) const;
  template <class Word>
  unsigned in_a_band(std::span<const char32_t> other, std::size_t from, std::size_t rows,
                     unsigned most) const;
  unsigned in_words(std::span<const char32_t> other, std::size_t from, std::size_t rows, unsigned most) const;

  struct Slot {
    char32_t symbol;
    std::uint16_t row;  // 0: empty
  };

  std::vector<char32_t> text_;
  std::size_t row_words_ = kSlackWords;
  std::vector<std::uint64_t> rows_ =  // row_words_ each; row 0 is that of symbols the pattern does not have
      std::vector<std::uint64_t>(kSlackWords);
  std::array<std::uint16_t, kAscii> ascii_{};  // symbol to row
  std::array<Slot, kSlots> slots_{};           // other symbols, open addressing
  std::vector<std::uint16_t> used_slots_;
};

}  // namespace neardup
