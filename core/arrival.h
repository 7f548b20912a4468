// Who stands at the detector's door?
//
// A document with all that deciding and remembering need: who it is, where it lay, its signature. The
// detector takes it in; the journal stores it and a verdict names it once it was unique.
#pragma once

#include <string_view>

#include "core/document.h"
#include "core/signature.h"

namespace neardup {

// Views belong to whoever made it.
struct Arrival {
  std::string_view id;   // 1 .. kIdBytesMax bytes
  std::string_view url;  // 0 .. kUrlBytesMax bytes
  Source source;
  Signature signature;
};

// An arrival that was unique, and so is remembered.
using Unique = Arrival;

}  // namespace neardup
