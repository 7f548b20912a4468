// How does an array grow to billions of elements without a pause?
//
// In chunks of a fixed size: appending never copies what is there, and an element never moves. It is a
// column: the log of uniques is a few of these side by side, and each index reads just the one it needs.
//
// Cost:    memory is whole chunks, plus one pointer per chunk (only those pointers are ever copied); pages of
//          a chunk that nothing was written to are not there yet. What is no longer needed at the front can
//          be given back, chunk by chunk.
// Threads: none inside.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "core/base/check.h"

namespace neardup {

template <class T, std::size_t kChunkSize>
class ChunkedArray {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(std::has_single_bit(kChunkSize), "so that finding a chunk is a shift");

 public:
  void push_back(const T& value) {
    if (size_ == chunks_.size() * kChunkSize) add_chunk();
    std::construct_at(&(*this)[size_], value);
    ++size_;
  }

  // REQUIRES: index < size().
  T& operator[](std::uint64_t index) { return chunks_[index / kChunkSize][index % kChunkSize]; }
  const T& operator[](std::uint64_t index) const { return chunks_[index / kChunkSize][index % kChunkSize]; }

  // Gives back the chunks that hold nothing but elements before `index`, which may not be asked for again.
  void release_before(std::uint64_t index) {
    for (; released_ < index / kChunkSize && released_ < chunks_.size(); ++released_)
      chunks_[released_].reset();
  }

  std::uint64_t size() const { return size_; }

  std::size_t bytes() const {
    return (chunks_.size() - released_) * kChunkBytes + chunks_.capacity() * sizeof(chunks_[0]);
  }

 private:
  static constexpr std::size_t kChunkBytes = kChunkSize * sizeof(T);
  static constexpr std::align_val_t kAlignment{64};

  struct Free {
    void operator()(T* chunk) const { ::operator delete(chunk, kAlignment); }
  };

  // Nothing is written to it: untouched pages cost nothing yet.
  void add_chunk() { chunks_.emplace_back(static_cast<T*>(::operator new(kChunkBytes, kAlignment))); }

  std::vector<std::unique_ptr<T[], Free>> chunks_;
  std::uint64_t size_ = 0;
  std::size_t released_ = 0;  // chunks, from the front
};

}  // namespace neardup
