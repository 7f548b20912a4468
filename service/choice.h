// Which value does a setting's word name?
#pragma once

#include <algorithm>
#include <string_view>

#include "core/base/check.h"

namespace neardup {

// The names are in the order of the values.
// REQUIRES: a setting of a configuration that load_config() took, which refuses other words.
template <class Enum, class Names>
Enum choice(const Names& names, std::string_view word) {
  const auto found = std::ranges::find(names, word);
  CHECK(found != names.end(), "load_config() refuses other words");
  return static_cast<Enum>(found - names.begin());
}

}  // namespace neardup
