// Which unique has this very text?
//
// A table of ordinals by the digest of their canonical text (ordinal_table.h). The digests themselves stay in
// the log's column and are read only where a byte of them agrees, so looking for a new text touches one cache
// line and hardly ever the log.
//
// Cost:    8 bytes per unique, in steps of 64 KiB. It grows one bucket at a time: no pause, ever.
// Threads: none inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/decision.h"
#include "core/index/ordinal_table.h"
#include "core/index/unique_log.h"

namespace neardup {

class ExactIndex {
 public:
  // Indexes rows of `digests`, which must outlive the index.
  explicit ExactIndex(const DigestColumn& digests) : digests_(digests) {}

  // The unique with this digest; the lowest, should several have it.
  std::optional<Sequence> find(Digest128 digest) const {
    return table_.find(digest.low, [&](std::uint32_t ordinal) { return digests_[ordinal] == digest; });
  }

  // Adds the row `size()`.
  // REQUIRES: size() < digests.size().
  void insert_next() {
    DCHECK(size() < digests_.size());
    const auto ordinal = static_cast<std::uint32_t>(size());
    table_.insert(digests_[ordinal].low, ordinal,
                  [this](std::uint32_t stored) { return digests_[stored].low; });
  }

  std::uint64_t size() const { return table_.size(); }
  std::size_t bytes() const { return table_.bytes(); }

 private:
  const DigestColumn& digests_;
  OrdinalTable table_;
};

}  // namespace neardup
