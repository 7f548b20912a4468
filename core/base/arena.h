// Where do many short-lived strings live until they all go at once?
//
// Arena copies bytes into chunks that never move, or lets them be written there, so a view stays valid until
// clear(), which keeps the chunks for the next round: once warm, nothing is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/check.h"

namespace neardup {

class Arena {
 public:
  // The view is valid until clear() or the arena's end.
  std::string_view keep(std::string_view bytes) {
    if (bytes.empty()) return {};
    char* const place = room(bytes.size());
    std::memcpy(place, bytes.data(), bytes.size());
    return take(place + bytes.size());
  }

  // Where up to `bytes_max` bytes may be written; take() says where they end. REQUIRES: nothing between.
  char* room(std::size_t bytes_max) {
    while (at_ < chunks_.size() && chunks_[at_].size - used_ < bytes_max) {
      ++at_;
      used_ = 0;
    }
    if (at_ == chunks_.size()) {
      const std::size_t size = std::max(kChunkBytes, bytes_max);
      chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
      used_ = 0;
    }
    return chunks_[at_].bytes.get() + used_;
  }
  std::string_view take(const char* end) {
    const char* const begin = chunks_[at_].bytes.get() + used_;
    DCHECK(end >= begin && end <= chunks_[at_].bytes.get() + chunks_[at_].size);
    used_ += static_cast<std::size_t>(end - begin);
    taken_ += static_cast<std::size_t>(end - begin);
    return {begin, end};
  }

  void clear() {
    at_ = 0;
    used_ = 0;
    taken_ = 0;
  }

  // Bytes of all views since clear().
  std::size_t taken() const { return taken_; }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };

  std::vector<Chunk> chunks_;
  std::size_t at_ = 0;    // the chunk being filled
  std::size_t used_ = 0;  // of that chunk
  std::size_t taken_ = 0;
};

}  // namespace neardup
