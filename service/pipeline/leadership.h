// May this instance write?
//
// The seam to the election. The worker asks before every transaction and before every new producer: an
// instance that lost the election must not fence the one that won it.
#pragma once

namespace neardup {

class Leadership {
 public:
  virtual ~Leadership() = default;
  virtual bool held() const = 0;
};

}  // namespace neardup
