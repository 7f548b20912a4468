// May this instance write?
//
// The seam to the election. The worker asks before every transaction and before every new producer: an
// instance that lost the election must not fence the one that won it.
#pragma once

#include "core/base/result.h"

namespace neardup {

class Leadership {
 public:
  virtual ~Leadership() = default;
  virtual bool held() const = 0;
};

// What ends the work of who leads no more: which of the two it was is not known here.
inline Error voted_out() {
  return {ErrorCode::kFenced,
          "voted out: another instance was elected, or Kafka was away for longer than the session"};
}

}  // namespace neardup
