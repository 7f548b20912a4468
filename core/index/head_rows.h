// Where do the heads of tables lie whose keys are equally long, and how do they grow without a pause?
//
// Each table has a bucket for each number, and each bucket a head of one cache line (later two, four ...
// sixteen). The tables hold the same entries, so they grow together: the heads of one number are a row. Runs
// of 64 rows lie one behind the other, and in each the heads of one table, then those of the next; where a
// table has ids of its own, they follow its heads.
//
//   rows 0 to 63     | table 0 | its ids | table 1 | table 3 | table 4 |      at k = 3; the keys of tables 2
//   rows 64 to 127   | ...                                                    and 5 have a bit more
//
// So memory ends at one place, not at one for each table: it can be huge pages (growing_memory.h) as soon as
// a few of them are full, and whoever goes through one table still has 4 KiB in a row.
//
// Rows are numbered by the lowest bits of a key. Linear hashing: they are split one by one, in order,
// whenever the average load asks for it; what is before `split` already counts one key bit more. When all
// bits of the key are used, heads are widened, in the same order and as slowly: their lines move to rows
// twice as wide.
//
//   0 ........ split ........ 2^level ........ 2^level + split
//   one bit more    as before                  the other halves of the first
//
// How far that is hangs on the number of entries alone. So whoever stores some of a batch may follow it on a
// copy of Size, and moves what is his: prepare(), then advance() of the copy, then finish().
//
// Cost:    a line for 8.5 entries and table until key bits are used up, then for 10 to 14.
// Threads: one at a time, but anybody may read while nobody prepares or finishes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/index/growing_memory.h"

namespace neardup {

class HeadRows {
 public:
  static constexpr int kLineWords = 16;  // of 32 bits
  static constexpr int kWidenings = 4;   // one line, two, four, eight, sixteen
  static constexpr int kRunShift = 6;
  static constexpr std::uint64_t kRunRows = std::uint64_t{1} << kRunShift;

  // Entries per bucket before it is split, and entries per line before heads are widened once, twice ...: the
  // more lines there are, the evener they fill.
  static constexpr std::uint64_t kLoad = 17;
  static constexpr std::uint64_t kLoadUnit = 2;
  static constexpr std::array<std::uint64_t, kWidenings> kWideLoad = {10, 11, 14, 14};

  // A run of rows with one way to find a head.
  struct Region {
    std::uint64_t mask = 0;          // of a key: the number of its row
    std::uint32_t* begin = nullptr;  // of row 0
    std::uint64_t stride = 0;        // words from run to run
    int shift = 4;                   // log2 of the words of a head

    std::uint32_t* head(std::uint64_t key, int slot) const {
      const std::uint64_t row = key & mask;
      return begin + (row >> kRunShift) * stride + slot * slot_words() + ((row % kRunRows) << shift);
    }
    // From a head to what the next slot has for its number.
    std::ptrdiff_t slot_words() const { return std::ptrdiff_t{kRunRows} << shift; }
    std::uint32_t room() const { return (1U << shift) - 1; }  // entries in a head
  };

  // How far it has grown: a function of the most entries that there ever were.
  struct Size {
    std::array<Region, 2> regions{};  // of rows not yet split, or widened, in this round; of those that are
    std::uint64_t split_mask = 0;
    std::uint64_t split = 0;
    int level = 0;      // bits of the key in use
    int widenings = 0;  // done
    std::uint64_t entries = 0;
    std::uint64_t due = 0;  // with more of them, the next row is split or widened

    std::uint64_t whole() const { return std::uint64_t{1} << level; }
    const Region& region(std::uint64_t key) const { return regions[(key & split_mask) < split ? 1 : 0]; }
  };

  // At first there are 2^level_min rows, of so many heads or lines of ids.
  // REQUIRES: level_min <= key_bits <= 32; slots > 0.
  HeadRows(int key_bits, int level_min, int slots);

  int key_bits() const { return key_bits_; }
  int slots() const { return slots_; }
  const Size& size() const { return size_; }
  std::uint64_t rows() const { return widens(size_) ? size_.whole() : size_.whole() + size_.split; }
  std::uint64_t lines_of_a_table() const { return (size_.whole() + size_.split) << size_.widenings; }

  // Key bits are used up: the next step of growth widens row `split`, else it splits it.
  bool widens(const Size& size) const { return size.level == key_bits_; }
  // A step is done.
  void advance(Size& size) const {
    ++size.split;
    size.due = due(size, size.split);
  }

  // Do so many more entries make it grow?
  bool grows(std::uint64_t count) const { return size_.entries + count > size_.due; }
  // Of so many entries to come, those that come before this round of splitting ends: one at least, if any.
  std::uint64_t before_round_ends(std::uint64_t count) const;
  // Makes room for so many. REQUIRES: they come before the round ends.
  void prepare(std::uint64_t count);
  // They are stored, and the steps for them are done.
  void finish(std::uint64_t count);
  // One was taken out.
  void forget() { --size_.entries; }

  // What there is with so many entries.
  struct Shape {
    int level = 0;            // bits of the key in use
    std::uint64_t ahead = 0;  // of 2^level rows, those already split or, all bits being in use, widened
    int widenings = 0;        // done for all
  };
  Shape shape_of(std::uint64_t entries) const;

  // Grows empty rows to what there is with so many entries, at once. REQUIRES: there are none.
  void prepare_all(std::uint64_t entries);
  // So many were stored then.
  void finish_all(std::uint64_t entries) { size_.entries = entries; }

  std::size_t bytes() const { return narrow_.bytes() + wide_.bytes(); }

 private:
  std::uint64_t due(const Size& size, std::uint64_t split) const;
  std::uint64_t steps_for(std::uint64_t count) const;
  // Of a whole run, and of as many as have so many rows.
  std::size_t run_words(int widenings) const {
    return (static_cast<std::size_t>(slots_) * kRunRows * kLineWords) << widenings;
  }
  std::size_t words_for(std::uint64_t rows, int widenings) const {
    return (rows + kRunRows - 1) / kRunRows * run_words(widenings);
  }
  std::size_t words_max(int widenings) const { return words_for(std::uint64_t{1} << key_bits_, widenings); }
  void use_for(std::uint64_t split);
  void release_narrow();
  void begin_round();

  int key_bits_;
  int slots_;
  alignas(64) Size size_;  // so that what each batch changes is one line
  GrowingArray<std::uint32_t> narrow_;
  GrowingArray<std::uint32_t> wide_;  // while heads are being widened: where they go
};

}  // namespace neardup
