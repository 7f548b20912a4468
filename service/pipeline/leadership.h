// May this instance write?
//
// The seam to the election, and to the watch over the topics. The worker asks before every transaction and
// before every new producer: an instance that lost the election must not fence the one that won it, and what
// was read of a topic that was made again must not be taken for the old one's.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/base/result.h"

namespace neardup {

class Leadership {
 public:
  virtual ~Leadership() = default;
  virtual bool held() const = 0;

  // Which election it was last won by: another one than before means that others may have written meanwhile.
  virtual std::uint64_t election() const { return 1; }

  // Lost, may it be won again by who still has something in hand? Not by who was asked to end.
  virtual bool may_return() const { return false; }

  // May what was read until `read` be committed? Where topics can change, an answer of Kafka has to be newer.
  virtual bool may_commit(std::chrono::steady_clock::time_point read) const {
    static_cast<void>(read);
    return held();
  }

  // may_commit() will be called for what was read until now: Kafka may be asked meanwhile. From any thread.
  virtual void prepare_commit() const {}
};

// What ends the work of who leads no more: which of the two it was is not known here.
inline Error voted_out() {
  return {ErrorCode::kFenced,
          "voted out: another instance was elected, or Kafka was away for longer than the session"};
}

}  // namespace neardup
