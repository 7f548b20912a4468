// The folder by every tier of this CPU at once: they have one answer.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/isa.h"
#include "core/text/folder.h"

namespace neardup {

inline const std::vector<Isa>& tiers() {
  static const std::vector<Isa> all = [] {
    std::vector<Isa> result;
    for (const Isa each : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
      if (each <= cpu_isa()) result.push_back(each);
    }
    return result;
  }();
  return all;
}

// The scalar tier's answer in `out`, and a failure for each other tier that has another one.
inline void canonicalize_by_all(std::string_view bytes, CanonicalText& out, FoldOptions options = {}) {
  static CanonicalText other;
  internal::canonicalize_by(Isa::kScalar, bytes, out, options);
  for (const Isa tier : tiers()) {
    if (tier == Isa::kScalar) continue;
    internal::canonicalize_by(tier, bytes, other, options);
    EXPECT_EQ(other.text.view(), out.text.view()) << isa_name(tier);
    EXPECT_EQ(other.tokens, out.tokens) << isa_name(tier);
    EXPECT_EQ(other.characters, out.characters) << isa_name(tier);
    EXPECT_EQ(other.invalid_sequences, out.invalid_sequences) << isa_name(tier);
  }
}

inline std::string canonical(std::string_view bytes, FoldOptions options = {}) {
  CanonicalText out;
  canonicalize_by_all(bytes, out, options);
  return std::string(out.text);
}

}  // namespace neardup
