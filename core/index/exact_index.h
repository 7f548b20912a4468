// Which unique has this very text?
//
// A hash table from the digest of a canonical text to a sequence number. A slot is one byte of tag and a
// 32-bit ordinal, in two arrays; the digest itself stays in the log's column and is read only where the tag
// agrees, so looking for a new text touches one cache line of tags and hardly ever the log.
//
//   digest   low 64 bits ─► first slot to look at (linear probing)
//            high 64 bits ─► tag, 1 to 255; 0 means empty
//
// Cost:    5 bytes per slot, 3/8 to 3/4 of the slots in use: 7 to 13 bytes per unique. Growing doubles the
//          table and fills it anew from the column: a pause of some 30 ms per million uniques, ever rarer.
// Threads: none inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/hash.h"
#include "core/decision.h"
#include "core/index/unique_log.h"

namespace neardup {

class ExactIndex {
 public:
  // Indexes rows of `digests`, which must outlive the index.
  explicit ExactIndex(const DigestColumn& digests);

  // The unique with this digest; the lowest, should several have it.
  std::optional<Sequence> find(Digest128 digest) const;

  // Adds the row `size()`.
  // REQUIRES: size() < digests.size().
  void insert_next();

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return tags_.capacity() + ordinals_.capacity() * sizeof(ordinals_[0]); }

 private:
  using Tag = std::uint8_t;
  static constexpr Tag kEmpty = 0;
  static constexpr std::size_t kSlotsMin = 1024;

  static Tag tag_of(Digest128 digest) { return static_cast<Tag>(1 + digest.high % 255); }

  void place(std::uint32_t ordinal);
  void grow();

  const DigestColumn& digests_;
  std::vector<Tag> tags_;                // a power of two of them
  std::vector<std::uint32_t> ordinals_;  // as many; meaningful where the tag is not kEmpty
  std::uint64_t size_ = 0;
};

}  // namespace neardup
