// What is remembered of each unique, besides what finds it?
//
// The evidence that a verdict names: its id and url, where it lay, when; and its digest, fingerprint and
// size, under its sequence number: 0, 1, 2, ... in the order of decision. An entry is never changed. All of
// it follows from the journal, so the file it lies in is a cache that nobody needs to save.
//
//   places    | p0 | p1 | p2 | ...      in memory: 4 bytes a unique, from a base for each chunk of them
//   entries   | exact fingerprint source tokens event_time previous extra id url | ...      in a ColdStore
//
// Cost:    4 bytes of memory a unique, in chunks of 65 536 of them, and a block of the store. In the file 24
//          bytes, id, extra and, unless it is the id, url with their lengths, and the numbers as varints: 14
//          to 18 in practice. Nothing is copied when it grows, so no append pauses.
// Threads: none inside; the const functions may run side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/decision.h"
#include "core/document.h"
#include "core/index/chunked_array.h"
#include "core/index/cold_store.h"
#include "core/limits.h"
#include "core/signature.h"

namespace neardup {

struct UniqueLogOptions {
  std::string directory;  // of the file; empty: no file, all in memory
};

class UniqueLog {
 public:
  static constexpr std::size_t kExtraBytesMax = 255;

  struct Entry {
    std::string_view id;
    std::string_view url;
    Source source;
    std::int64_t event_time_ms = 0;  // since the epoch; 0 when unknown
    Digest128 exact;
    Fingerprint fingerprint;
    std::uint32_t tokens = 0;
    std::string_view extra = {};            // the detector's own
    std::optional<Sequence> previous = {};  // an earlier unique of the same id: a chain that id_index.h walks
  };

  explicit UniqueLog(const UniqueLogOptions& options) : entries_(options.directory) {}

  // Remembers `entry` under the sequence number size(). REQUIRES: size() - oldest() < kUniquesMax; id of at
  // most kIdBytesMax bytes, url of at most kUrlBytesMax, extra of at most kExtraBytesMax; previous < size().
  void append(const Entry& entry);

  // The views live until the entry expires. REQUIRES: oldest() <= sequence < size().
  Entry entry(Sequence sequence) const;

  // entry(sequence).exact, sooner.
  Digest128 exact(Sequence sequence) const { return ByteReader(packed_from(sequence)).digest(); }

  // Forgets all entries below `oldest`. REQUIRES: oldest <= size().
  void expire(Sequence oldest);

  Sequence oldest() const { return oldest_; }       // the first that is not forgotten
  Sequence size() const { return places_.size(); }  // the next sequence number

  // A digest of what is remembered, in order: two logs are equal iff theirs are. It reads the whole log.
  Digest128 digest() const;

  // Not ok as long as the file does not take what it should, which then is in memory: why.
  const Status& status() const { return entries_.status(); }

  std::size_t bytes() const;  // of memory: whole chunks and whole blocks
  std::uint64_t file_bytes() const { return entries_.file_bytes(); }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16;
  // Of an entry besides its strings: digest and fingerprint; topic, partition and tokens of 5 bytes, offset,
  // time and previous of 10; three lengths of 2.
  static constexpr std::size_t kPackedHeadBytesMax = 24 + 3 * 5 + 3 * 10 + 3 * 2;
  static constexpr std::size_t kPackedBytesMax =
      kPackedHeadBytesMax + kIdBytesMax + kUrlBytesMax + kExtraBytesMax;
  static_assert(kPackedBytesMax * 2 <= ColdStore::kBlockBytes, "an entry never crosses the edge of a block");
  static_assert(std::uint64_t{2} * kPackedBytesMax * kChunk < std::uint64_t{1} << 32,
                "places in a chunk are 32 bits from its base, even if half of each block stayed empty");

  std::uint64_t place(Sequence sequence) const { return bases_[sequence / kChunk] + places_[sequence]; }
  std::string_view packed_from(Sequence sequence) const { return entries_.from(place(sequence)); }

  ColdStore entries_;
  ChunkedArray<std::uint32_t> places_;  // by sequence number
  std::vector<std::uint64_t> bases_;    // of each chunk: the place of its first entry
  Sequence oldest_ = 0;
};

}  // namespace neardup
