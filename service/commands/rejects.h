// Why was nothing made of these records, and what mends it?
//
// Counts the records that were rejected, for commands whose user wrote them, or named the wrong settings, and
// is there to be told.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/decision.h"
#include "service/config.h"

namespace neardup {

class Rejects {
 public:
  void add(RejectReason reason) { ++counts_[static_cast<std::size_t>(reason)]; }

  std::uint64_t of(RejectReason reason) const { return counts_[static_cast<std::size_t>(reason)]; }
  std::uint64_t all() const;

  // "not_json 2, missing_id 1", in the order of the reasons; "": none.
  std::string list() const;

  // What to say where not one record was a document, with these settings: the reasons, and what mends the
  // commonest, of equals the first. One sentence that begins in small letters and has no stop at its end.
  std::string no_document(const Config& config) const;

 private:
  std::array<std::uint64_t, kRejectReasonNames.size()> counts_{};
};

}  // namespace neardup
