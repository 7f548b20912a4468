// Which numbers are gone before their time?
//
// Uniques, and the rows of an index, are numbered in their order and expire from the front. What is deleted
// out of turn leaves its number, which no other gets; it is marked here until it expires like the rest.
//
// Cost:    nothing while nothing is gone; then a bit for each number from the first that is to the last.
// Threads: none inside; the const functions may run side by side.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/hash.h"

namespace neardup {

class GoneSet {
 public:
  bool contains(std::uint64_t number) const {
    if (size_ == 0) return false;
    const std::uint64_t word = number / 64 - first_;
    return word < words_.size() && (words_[word] >> (number % 64) & 1) != 0;
  }

  // False if it was gone before. REQUIRES: `number` is not expired.
  bool add(std::uint64_t number) {
    CHECK(number >= oldest_, "what is expired is gone");
    if (contains(number)) return false;
    if (words_.empty()) first_ = number / 64;
    for (; number / 64 < first_; --first_) words_.push_front(0);
    while (number / 64 - first_ >= words_.size()) words_.push_back(0);
    words_[number / 64 - first_] |= std::uint64_t{1} << (number % 64);
    ++size_;
    return true;
  }

  // Forgets all below `oldest`.
  void expire(std::uint64_t oldest) {
    if (oldest <= oldest_) return;
    oldest_ = oldest;
    for (; !words_.empty() && first_ < oldest / 64; ++first_) {
      size_ -= static_cast<std::uint64_t>(std::popcount(words_.front()));
      words_.pop_front();
    }
    if (words_.empty() || first_ > oldest / 64) return;
    const std::uint64_t expired = words_.front() & ((std::uint64_t{1} << (oldest % 64)) - 1);
    size_ -= static_cast<std::uint64_t>(std::popcount(expired));
    words_.front() &= ~expired;
  }

  std::uint64_t size() const { return size_; }

  // Equal for equal sets.
  Digest128 digest() const {
    std::string bytes;
    ByteWriter writer(bytes);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] == 0) continue;
      writer.u64(first_ + i);
      writer.u64(words_[i]);
    }
    return digest128(bytes);
  }

  std::size_t bytes() const { return words_.size() * sizeof(words_[0]); }

 private:
  std::deque<std::uint64_t> words_;  // a bit for each number, from 64 first_ on
  std::uint64_t first_ = 0;
  std::uint64_t oldest_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace neardup
