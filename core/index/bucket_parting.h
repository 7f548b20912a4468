// In what order does one put millions of words into a table, so that no line of it is waited for?
//
// Parted by their buckets, a few thousand buckets to a part, so that the heads of a part fit into the cache
// while it is filled: a counting sort, in which memory is read and written in rows. Inside a part words keep
// their order, so those of a bucket come in the order of their ids.
//
//   words   w0 w1 w2 w3 w4 ...   ─ count, then move ─►   part 0: w1 id, w4 id ... | part 1: w0 id ... | ...
//
// Cost:    a word is read twice and written once; sizeof(Word) + 4 bytes for each, which the next table uses
//          again.
// Threads: none inside.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/index/growing_memory.h"
#include "core/index/hamming_probe.h"
#include "core/index/hamming_table.h"

namespace neardup {

template <class Word>
class BucketParting {
 public:
  static constexpr std::size_t kPiece = 512;  // words handed on at a time, at most

  explicit BucketParting(std::uint64_t words_max)
      : entries_(std::max<std::uint64_t>(words_max, 1) * kEntryBytes) {}

  // for_each_piece(visit) calls visit(words, ids, count), with pieces of the same words whenever it is
  // called. REQUIRES: the table has its size; at most words_max words.
  template <class Pieces>
  void part(const HammingTable<Word>& table, Pieces for_each_piece) {
    ends_.assign(table.buckets() / kBucketsInPart + 2, 0);  // while it is filled: where the part begins
    for_each_piece([&](const Word* words, const std::uint32_t*, std::size_t count) {
      probe_kernels<Word>().keys_in(table, words, count, keys_.data());
      for (std::size_t i = 0; i < count; ++i) ++ends_[part_of(table, keys_[i]) + 1];
    });
    for (std::size_t part = 1; part < ends_.size(); ++part) ends_[part] += ends_[part - 1];
    entries_.use(ends_.back() * kEntryBytes);
    for_each_piece([&](const Word* words, const std::uint32_t* ids, std::size_t count) {
      probe_kernels<Word>().keys_in(table, words, count, keys_.data());
      for (std::size_t i = 0; i < count; ++i) {
        std::byte* const to = entry(ends_[part_of(table, keys_[i])]++);
        std::memcpy(to, &words[i], sizeof(Word));
        std::memcpy(to + sizeof(Word), &ids[i], sizeof(ids[i]));
      }
    });
  }

  // Calls visit(word, id, key, tag) for all, part by part. `table` is the one they were parted for.
  template <class Visit>
  void for_each(const HammingTable<Word>& table, Visit visit) {
    std::uint64_t from = 0;
    for (std::uint64_t part = 0; part + 1 < ends_.size(); ++part) {
      const std::uint64_t next_part = (part + 1) * kBucketsInPart;
      for (std::uint64_t bucket = next_part; bucket < std::min(next_part + kBucketsInPart, table.buckets());
           ++bucket) {
        table.prefetch_bucket(bucket);
      }
      while (from < ends_[part]) {
        const std::size_t count = std::min<std::uint64_t>(kPiece, ends_[part] - from);
        for (std::size_t i = 0; i < count; ++i) {
          std::memcpy(&words_[i], entry(from + i), sizeof(Word));
          std::memcpy(&ids_[i], entry(from + i) + sizeof(Word), sizeof(ids_[i]));
        }
        probe_kernels<Word>().locate_in(table, words_.data(), count, keys_.data(), tags_.data());
        for (std::size_t i = 0; i < count; ++i) visit(words_[i], ids_[i], keys_[i], tags_[i]);
        from += count;
      }
    }
  }

 private:
  static constexpr std::uint64_t kBucketsInPart = 2048;  // 128 KiB of heads
  static constexpr std::size_t kEntryBytes = sizeof(Word) + sizeof(std::uint32_t);

  static std::uint64_t part_of(const HammingTable<Word>& table, std::uint64_t key) {
    return table.bucket(key) / kBucketsInPart;
  }
  std::byte* entry(std::uint64_t index) { return entries_.data() + index * kEntryBytes; }

  GrowingArray<std::byte> entries_;
  std::vector<std::uint64_t> ends_;  // of the parts
  // Of the piece at hand.
  std::array<Word, kPiece> words_;
  std::array<std::uint32_t, kPiece> ids_;
  std::array<std::uint64_t, kPiece> keys_;
  std::array<std::uint32_t, kPiece> tags_;
};

}  // namespace neardup
