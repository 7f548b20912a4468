// Where does a kernel write bytes before it knows how many?
//
// PaddedBytes is a buffer that grows without being filled first, and whose bytes are followed by kPadding
// zeros: a reader may load whole vectors past the end, and a writer may store them past the capacity it
// asked for.
//
//   data()                       size()             size() + kPadding
//   [ the bytes                  | zeros             |
//
// Use: reserve(), write at data(), finish(). Between the two the padding is the writer's.
// Cost: nothing is allocated once it has grown; finish() stores kPadding bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "core/base/check.h"

namespace neardup {

class PaddedBytes {
 public:
  // Enough for a reader that holds a 64-byte block and the next one.
  static constexpr std::size_t kPadding = 128;
  static constexpr std::size_t kAlignment = 64;  // of data()

  PaddedBytes() = default;
  PaddedBytes(PaddedBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  PaddedBytes& operator=(PaddedBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~PaddedBytes() { release(); }

  // Until the first reserve() there are no bytes and no padding, and data() is null.
  const char* data() const { return data_; }
  char* data() { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {data_, size_}; }
  operator std::string_view() const { return view(); }

  // How many bytes may be written at data(); kPadding more may be written in vain.
  std::size_t capacity() const { return capacity_; }

  // Makes the capacity `bytes` at least, and keeps the first `used` bytes written. What the last finish()
  // made ends here. Returns data(), which may have moved.
  char* reserve(std::size_t bytes, std::size_t used = 0) {
    if (bytes > capacity_) grow(bytes, used);
    return data_;
  }

  // The bytes are the first `size` written. REQUIRES: reserve() came before; size <= capacity().
  void finish(std::size_t size) {
    DCHECK(data_ != nullptr && size <= capacity_);
    size_ = size;
    std::memset(data_ + size, 0, kPadding);
  }

 private:
  void grow(std::size_t bytes, std::size_t used) {
    const std::size_t capacity = std::max(bytes, capacity_ / 2 * 3);
    char* const data = static_cast<char*>(::operator new(capacity + kPadding, std::align_val_t{kAlignment}));
    if (used > 0) std::memcpy(data, data_, used);
    release();
    data_ = data;
    capacity_ = capacity;
  }

  void release() {
    if (data_ != nullptr) ::operator delete(data_, std::align_val_t{kAlignment});
  }

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace neardup
