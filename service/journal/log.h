// How are committed journal records read back?
//
// The seam between those who need the journal (recovery, the writer's audit) and who can read it (Kafka in
// the service, memory in tests). A log hands out every committed record once, in order; records of aborted
// transactions never show.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace neardup {

class JournalLog {
 public:
  virtual ~JournalLog() = default;

  // Hands every record from where we stand to the end of the log, as it is when the call begins, to `take`,
  // which may refuse one: its error ends the reading and is returned. `progress` is the share read, 0..1.
  // Only after init_transactions of the writer is the end really the end: before, a transaction may still be
  // open.
  virtual Status read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) = 0;

  // The next record if one is committed within `wait`.
  virtual Result<std::optional<std::string>> next(std::chrono::milliseconds wait) = 0;
};

}  // namespace neardup
