// Where do cache lines live that are read at random, one here and one there among gigabytes?
//
// In chunks of 2 MiB, aligned to 2 MiB, of which the operating system is asked to make huge pages: a random
// read of ordinary pages pays for a walk through the page tables on top of the miss. Chunks never move, so
// growing copies nothing. Elements are born as zeros.
//
// Cost:    memory is whole chunks, plus one pointer per chunk. An element is two loads away, of which the
//          first is nearly always in the cache.
// Threads: none inside.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace neardup {
namespace internal {

inline constexpr std::size_t kHugeBytes = std::size_t{2} << 20;

void* huge_chunk();  // kHugeBytes of zeros, so aligned
void give_back(void* chunk);

}  // namespace internal

template <class T>
class HugeArray {
  static_assert(std::is_trivially_copyable_v<T> && std::has_single_bit(sizeof(T)));

 public:
  HugeArray() = default;
  HugeArray(HugeArray&& other) noexcept
      : chunks_(std::exchange(other.chunks_, {})), size_(std::exchange(other.size_, 0)) {}
  HugeArray& operator=(HugeArray&& other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~HugeArray() {
    for (T* const chunk : chunks_) internal::give_back(chunk);
  }

  // One more element, all zeros. Returns its index.
  std::uint64_t grow() {
    if (size_ == chunks_.size() * kChunk) chunks_.push_back(static_cast<T*>(internal::huge_chunk()));
    return size_++;
  }

  // REQUIRES: index < size().
  T& operator[](std::uint64_t index) { return chunks_[index / kChunk][index % kChunk]; }
  const T& operator[](std::uint64_t index) const { return chunks_[index / kChunk][index % kChunk]; }

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const {
    return chunks_.size() * internal::kHugeBytes + chunks_.capacity() * sizeof(void*);
  }

 private:
  static constexpr std::uint64_t kChunk = internal::kHugeBytes / sizeof(T);

  std::vector<T*> chunks_;
  std::uint64_t size_ = 0;
};

}  // namespace neardup
