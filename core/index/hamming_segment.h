// How does a HammingIndex outlive its process?
//
// Its tables follow from its words, so only the words are written, and what cannot be told from them: where
// the window of sequence numbers lies, and what was erased inside it. Words never change, so a segment of
// them is written once; the next one goes on where it ended. Only the state is written anew each time.
//
//   segment   "NDHW" | version u16 | width u16 | first u64 | count u64 | crc32c u32 of this header
//             blocks: sequence u64 | up to 64 KiB of words | crc32c u32 of both
//   state     "NDHS" | version u16 | width u16 | oldest u64 | next u64 | equal u64 | apart u64 | erased u64
//             (any two words differ in at least `apart` bits; 0: that is not known)
//             erased times: varint, the sequence number less the one before it (the first: less oldest)
//             crc32c u32 of all before
//
// All little-endian. Where the bytes go and come from is the caller's affair: files, one after the other, in
// a snapshot.
//
// Cost:    writing is a copy and a checksum. Reading is that, and building the tables (bucket_parting.h):
//          some eight million words a second on one core, and 12 bytes a word for the time it takes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/index/hamming_index.h"

namespace neardup {

inline constexpr std::uint16_t kHammingFormatVersion = 1;

// Takes the next bytes; an error ends the writing and is handed on.
using ByteSink = std::function<Status(std::string_view bytes)>;

// The words first .. end - 1, erased ones as well. REQUIRES: index.oldest() <= first <= end <= index.next().
template <int kWidth>
Status write_segment(const HammingIndex<kWidth>& index, Sequence first, Sequence end, const ByteSink& sink);

template <int kWidth>
std::string write_state(const HammingIndex<kWidth>& index);

// Reads a state, then the segments in order, then builds the index. What is wrong is refused with kCorrupt or
// kUnsupportedVersion, and the loader is of no further use.
template <int kWidth>
class HammingLoader {
 public:
  // The distance, the covering and the threads are the reader's choice: they are not stored.
  explicit HammingLoader(const HammingOptions& options) : index_(options) {}

  Status read_state(std::string_view bytes);
  // REQUIRES: read_state() was fine. The first segment may begin before the oldest word: what is expired is
  // skipped.
  Status read_segment(std::string_view bytes);
  Result<HammingIndex<kWidth>> finish();

 private:
  using Word = WordOf<kWidth>;

  HammingIndex<kWidth> index_;
  Sequence oldest_ = 0;
  Sequence end_ = 0;
  std::optional<Sequence> expected_;  // the first of the next segment
  std::uint64_t equal_ = 0;
  std::uint64_t apart_ = 0;
  std::vector<Sequence> erased_;
  std::vector<Word> words_;  // of a block
};

extern template class HammingLoader<32>;
extern template class HammingLoader<64>;
extern template class HammingLoader<128>;

}  // namespace neardup
