// Where do the entries of a bucket go that its own lines have no room for?
//
// All those of one bucket lie in one block of whole cache lines: their tags, as in a head, one behind the
// other, then their ids. So a crowded bucket is read in a row, sixteen tags to a line, with no chain to
// follow; the fingerprint itself is asked for only where the tag is near.
//
//   | count | size | id0 | t0 t1 t2 ... | free | id0 id1 id2 ... | free |       oldest first
//
// The first id stands in front as well: who looks for something older than that need not read on.
//
// A block that is full moves to one a quarter larger, which wastes a ninth of the space on average, and makes
// an append O(1) in the long run. Neighbouring lines that no block has are one run, whatever blocks they were
// of, so the sizes in demand may drift for ever. A run is listed under the largest size that it has room for.
// A block is taken from the last run listed under its size, or under the next larger one that has some; what
// is left is a run again.
//
//   lines     | block | next, previous, lines ... lines | block | block |     a bit marks both edges of a run
//
// Cost:    8 bytes for an entry, and the ninth; a bit for each line. Where blocks of many sizes come and go,
//          a sixth of the lines is free.
// Bounds:  1 GiB of lines.
// Threads: none inside.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/check.h"
#include "core/index/growing_memory.h"

namespace neardup {

class BlockPool {
 public:
  using Offset = std::uint32_t;  // in cache lines; 0 is no block
  static constexpr int kOffsetBits = 24;
  static constexpr Offset kLinesMax = Offset{1} << kOffsetBits;

  struct Block {
    static constexpr std::size_t kHeaderWords = 3;

    std::uint32_t count;
    std::uint32_t size;      // index into kSizes
    std::uint32_t first_id;  // ids()[0]

    // The block as words of 32 bits, the header first.
    std::uint32_t* data() { return reinterpret_cast<std::uint32_t*>(this); }
    const std::uint32_t* data() const { return reinterpret_cast<const std::uint32_t*>(this); }
    std::uint32_t* tags() { return data() + kHeaderWords; }
    const std::uint32_t* tags() const { return data() + kHeaderWords; }
    std::uint32_t* ids() { return tags() + capacity(size); }
    const std::uint32_t* ids() const { return tags() + capacity(size); }
    // Where this id is; `count`: nowhere.
    std::uint32_t index_of(std::uint32_t id) const {
      return static_cast<std::uint32_t>(std::find(ids(), ids() + count, id) - ids());
    }
  };
  static_assert(sizeof(Block) == Block::kHeaderWords * sizeof(std::uint32_t));

  // REQUIRES: offset is a block of this pool.
  Block& at(Offset offset) { return *reinterpret_cast<Block*>(line(offset)); }
  const Block& at(Offset offset) const { return *reinterpret_cast<const Block*>(line(offset)); }
  std::byte* line(Offset offset) { return memory_.data() + std::size_t{offset} * kLineBytes; }
  const std::byte* line(Offset offset) const { return memory_.data() + std::size_t{offset} * kLineBytes; }

  // Adds an entry to the block at `offset`, or to a new one if that is 0. Returns where the block is now.
  Offset append(Offset offset, std::uint32_t tag, std::uint32_t id) {
    if (offset == 0) {
      offset = take(0);
    } else if (const Block& full = at(offset); full.count == capacity(full.size)) {
      offset = move(offset, full.size + 1);
    }
    Block& block = at(offset);
    block.tags()[block.count] = tag;
    block.ids()[block.count] = id;
    if (block.count == 0) block.first_id = id;
    ++block.count;
    return offset;
  }

  // Takes entry `index` out; those behind it move up. Returns where the block is now, 0 if it was the last.
  Offset erase(Offset offset, std::uint32_t index) {
    Block& block = at(offset);
    --block.count;
    const std::uint32_t behind = block.count - index;
    std::memmove(block.tags() + index, block.tags() + index + 1, behind * sizeof(std::uint32_t));
    std::memmove(block.ids() + index, block.ids() + index + 1, behind * sizeof(std::uint32_t));
    if (block.count == 0) {
      give_back(offset);
      return 0;
    }
    block.first_id = block.ids()[0];
    // Two sizes down, so that a block at the edge does not move to and fro.
    if (block.size >= 2 && block.count <= capacity(block.size - 2)) return move(offset, block.size - 2);
    return offset;
  }

  // REQUIRES: the block has an entry `index`.
  void rename(Offset offset, std::uint32_t index, std::uint32_t id) {
    Block& block = at(offset);
    block.ids()[index] = id;
    block.first_id = block.ids()[0];
  }

  void give_back(Offset offset) { give_back(offset, at(offset).size); }

  // Of a block of so many entries: how many lines are read, and how many it holds. REQUIRES: entries > 0.
  static std::uint32_t lines_for(std::uint32_t entries) {
    return static_cast<std::uint32_t>((Block::kHeaderWords + entries + kLineWords - 1) / kLineWords);
  }
  static std::uint32_t lines_held_for(std::uint32_t entries) {
    std::uint32_t size = 0;
    while (capacity(size) < entries) ++size;
    return kSizes[size];
  }

  // How many entries so many blocks have room for at least, each: if all of them grow together and nobody
  // takes again what they have outgrown. REQUIRES: blocks > 0.
  static std::uint32_t entries_together(std::uint64_t blocks) {
    std::uint32_t size = 0;
    for (std::uint64_t lines = kSizes[0]; size < kSizeCount && lines * blocks < kLinesMax; ++size) {
      if (size + 1 < kSizeCount) lines += kSizes[size + 1];
    }
    return size == 0 ? 0 : capacity(size - 1);
  }

  std::uint64_t held_lines() const { return held_lines_; }
  std::size_t bytes() const { return memory_.bytes() + edges_.capacity() * sizeof(edges_[0]); }

 private:
  static constexpr std::size_t kLineBytes = 64;
  static constexpr std::size_t kLineWords = kLineBytes / sizeof(std::uint32_t);
  static constexpr std::size_t kSizeCount = 81;

  // 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, ... lines.
  static constexpr std::array<std::uint32_t, kSizeCount> kSizes = [] {
    std::array<std::uint32_t, kSizeCount> sizes{};
    std::uint64_t lines = 1;
    for (std::uint32_t& size : sizes) {
      size = static_cast<std::uint32_t>(lines);
      lines = lines < 4 ? lines + 1 : lines * 5 / 4;
    }
    return sizes;
  }();
  static_assert(kSizes[kSizeCount - 1] >= kLinesMax);

  static std::uint32_t capacity(std::uint32_t size) {
    return static_cast<std::uint32_t>((kSizes[size] * kLineWords - Block::kHeaderWords) / 2);
  }

  // The largest size that so many lines have room for. REQUIRES: lines > 0.
  static std::uint32_t size_within(std::uint32_t lines) {
    return static_cast<std::uint32_t>(std::ranges::upper_bound(kSizes, lines) - kSizes.begin()) - 1;
  }

  // A run of free lines, as words: in its first line, and how long it is at the end of its last one as well.
  enum RunWord : std::uint8_t { kNext, kPrevious, kLines };
  std::uint32_t& run(Offset offset, RunWord word) { return words(offset)[word]; }
  std::uint32_t& lines_before(Offset end) { return words(end)[-1]; }
  std::uint32_t* words(Offset offset) { return reinterpret_cast<std::uint32_t*>(line(offset)); }

  bool is_edge(Offset line) const { return (edges_[line / 64] >> (line % 64) & 1) != 0; }
  void set_edge(Offset line) { edges_[line / 64] |= std::uint64_t{1} << (line % 64); }
  void clear_edge(Offset line) { edges_[line / 64] &= ~(std::uint64_t{1} << (line % 64)); }

  void add_run(Offset offset, std::uint32_t lines) {
    const std::uint32_t size = size_within(lines);
    const Offset next = runs_[size];
    if (next != 0) run(next, kPrevious) = offset;
    runs_[size] = offset;
    some_runs_[size / 64] |= std::uint64_t{1} << (size % 64);
    run(offset, kNext) = next;
    run(offset, kPrevious) = 0;
    run(offset, kLines) = lines;
    lines_before(offset + lines) = lines;
    set_edge(offset);
    set_edge(offset + lines - 1);
  }

  // Returns how long it was.
  std::uint32_t remove_run(Offset offset) {
    const Offset next = run(offset, kNext);
    const Offset previous = run(offset, kPrevious);
    const std::uint32_t lines = run(offset, kLines);
    const std::uint32_t size = size_within(lines);
    if (next != 0) run(next, kPrevious) = previous;
    (previous != 0 ? run(previous, kNext) : runs_[size]) = next;
    if (runs_[size] == 0) some_runs_[size / 64] &= ~(std::uint64_t{1} << (size % 64));
    clear_edge(offset);
    clear_edge(offset + lines - 1);
    return lines;
  }

  // One that has room for `size`; 0: none has.
  Offset find_run(std::uint32_t size) const {
    std::uint64_t listed = some_runs_[size / 64] >> (size % 64) << (size % 64);
    for (std::size_t i = size / 64;; listed = some_runs_[i]) {
      if (listed != 0) return runs_[64 * i + static_cast<std::size_t>(std::countr_zero(listed))];
      if (++i == some_runs_.size()) return 0;
    }
  }

  void give_back(Offset offset, std::uint32_t size) {
    std::uint32_t lines = kSizes[size];
    held_lines_ -= lines;
    if (is_edge(offset + lines)) lines += remove_run(offset + lines);
    if (is_edge(offset - 1)) {
      offset -= lines_before(offset);
      lines += remove_run(offset);
    }
    add_run(offset, lines);
  }

  Offset take(std::uint32_t size) {
    const std::uint32_t lines = kSizes[size];
    held_lines_ += lines;
    Offset offset = find_run(size);
    if (offset == 0) {
      offset = grow(lines);
    } else if (const std::uint32_t found = remove_run(offset); found > lines) {
      add_run(offset + lines, found - lines);
    }
    Block& block = at(offset);
    block.count = 0;
    block.size = size;
    return offset;
  }

  // The run at the end, if there is one, and as many lines more as it takes.
  Offset grow(std::uint32_t lines) {
    auto offset = static_cast<Offset>(used_lines_);
    if (memory_.data() == nullptr) {
      memory_ = GrowingMemory(kLinesMax * kLineBytes);
    } else if (is_edge(offset - 1)) {
      offset -= lines_before(offset);
      remove_run(offset);
    }
    CHECK(std::uint64_t{offset} + lines < kLinesMax, "one shard holds at most 1 GiB of blocks");
    used_lines_ = std::uint64_t{offset} + lines;
    memory_.use(used_lines_ * kLineBytes);
    edges_.resize(used_lines_ / 64 + 1);  // also for the line behind the last one
    return offset;
  }

  Offset move(Offset from, std::uint32_t size) {
    const Offset to = take(size);
    const Block& old = at(from);
    Block& block = at(to);
    block.count = old.count;
    block.first_id = old.first_id;
    std::memcpy(block.tags(), old.tags(), old.count * sizeof(std::uint32_t));
    std::memcpy(block.ids(), old.ids(), old.count * sizeof(std::uint32_t));
    give_back(from);
    return to;
  }

  GrowingMemory memory_;
  std::uint64_t used_lines_ = 1;  // the first stays empty: offset 0 is no block
  std::uint64_t held_lines_ = 0;
  std::vector<std::uint64_t> edges_;       // of runs: a bit for each line in use, and one more
  std::array<Offset, kSizeCount> runs_{};  // by size, the first of the list
  std::array<std::uint64_t, (kSizeCount + 63) / 64> some_runs_{};  // a bit for each list that has one
};

}  // namespace neardup
