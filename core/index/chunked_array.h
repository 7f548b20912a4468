// How does an array grow to billions of elements without a pause?
//
// In chunks of a fixed size, each of which grows in place (growing_memory.h): appending never copies what is
// there, an element never moves, and the memory comes in huge pages that a thread in the background touches
// first. It is a column: the log of uniques is a few of these side by side, and each index reads just the one
// it needs.
//
// Cost:    memory is that of the chunks in use, address space whole chunks. What is no longer needed at the
//          front can be given back, huge page by huge page.
// Threads: none inside.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/index/growing_memory.h"

namespace neardup {

template <class T, std::size_t kChunkSize = std::size_t{1} << 24>
class ChunkedArray {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(std::has_single_bit(kChunkSize), "so that finding a chunk is a shift");

 public:
  void push_back(const T& value) {
    if (size_ == chunks_.size() * kChunkSize) chunks_.emplace_back(kChunkSize);
    GrowingArray<T>& chunk = chunks_.back();
    const std::uint64_t at = size_ % kChunkSize;
    chunk.use(at + 1);
    std::construct_at(&chunk[at], value);
    ++size_;
  }

  // REQUIRES: index < size().
  T& operator[](std::uint64_t index) { return chunks_[index / kChunkSize][index % kChunkSize]; }
  const T& operator[](std::uint64_t index) const { return chunks_[index / kChunkSize][index % kChunkSize]; }

  // Gives back what holds nothing but elements before `index`, which may not be asked for again.
  void release_before(std::uint64_t index) {
    index = std::min(index, size_);
    for (; released_ < index / kChunkSize; ++released_) chunks_[released_] = {};
    if (released_ < chunks_.size()) chunks_[released_].release(index % kChunkSize);
  }

  std::uint64_t size() const { return size_; }

  std::size_t bytes() const {
    std::size_t bytes = chunks_.capacity() * sizeof(chunks_[0]);
    for (std::size_t i = released_; i < chunks_.size(); ++i) bytes += chunks_[i].bytes();
    return bytes;
  }

 private:
  std::vector<GrowingArray<T>> chunks_;
  std::uint64_t size_ = 0;
  std::size_t released_ = 0;  // chunks, from the front
};

}  // namespace neardup
