// What must be known of a document to find those that are like it, whatever its length?
//
// Short texts are compared by their characters and pages by their sketches, and near the boundary a text may
// meet either, so it has both:
//
//   units             0 ........ 200 ........ 250 ........ 312 ........
//   asks as           short text ........................ |
//                                             | page .................
//   is stored as      short text ........................ |
//                                 | page .............................
//
// A short text has a few words, of which shingles tell nothing, so it asks for short texts alone. What is a
// little longer asks by both: its copy a little shorter asks for it by characters, and of the two it must not
// matter which one came first.
//
// (200 = four fifths of the boundary, 312 = five quarters: a text that much shorter or longer is not alike by
// .8. At a lower threshold it may be, and is missed: core/DESIGN.md, "Short texts".)
// Where m-grams decide, a text has them and nothing else, whatever its length. What is known by a digest
// alone has none of all that (signer.h).
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/fingerprint/long_signature.h"
#include "core/fingerprint/mgram_signature.h"
#include "core/fingerprint/short_signature.h"

namespace neardup {

inline constexpr std::uint32_t kLongStoredUnitsMin = kShortUnitsMax * 4 / 5;

struct RouteSignature {
  bool has_short = false;
  bool has_mgrams = false;
  std::size_t long_count = 0;
  std::array<LongSignature, LongSigner::kSignaturesMax> longs;
  ShortSignature short_text;  // if has_short
  MgramSignature mgrams;      // if has_mgrams

  bool is_empty() const { return !has_short && long_count == 0 && !has_mgrams; }
  bool asks_as_short() const { return has_short; }
  bool asks_as_page() const { return long_count > 0 && !(has_short && short_text.is_short()); }
  std::span<const LongSignature> long_span() const { return {longs.data(), long_count}; }
};

}  // namespace neardup
