// In which bytes is a unique remembered outside, so that the same state can be made again?
//
// The indexes need of a unique what its text was signed to, and the text is gone. So whoever stores uniques
// (the journal) stores these bytes with each: of a short text its characters, from which all else follows,
// and of m-grams theirs; of a page its first minima, its sketch, and the uncommon minima by which crowded
// bands were extended, since they hang on shingles that nobody keeps. What is known by a digest alone has one
// byte that says so.
//
// Cost:    a short text, or the text of m-grams, and two or three bytes; of a page 200 bytes.
// Threads: pure functions.
// Format:  core/FORMATS.md.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/detector/long_route.h"
#include "core/fingerprint/route_signature.h"

namespace neardup {

// At most so many bytes of this one; kUniqueKeptBytesMax of any.
std::size_t kept_bytes_max(const RouteSignature& route);

using LongExtensions = std::array<BandExtensions, LongSigner::kSignaturesMax>;

// Appends what is remembered of `route`: extensions[i] belongs to route.longs[i].
void append_kept(const RouteSignature& route, SketchSize size, const LongExtensions& extensions,
                 std::string& out);

// A unique as it comes back: its parts that are stored, and the keys of its pages left empty.
struct KeptForm {
  bool has_short = false;
  bool has_mgrams = false;
  std::size_t page_count = 0;

  bool is_empty() const { return !has_short && !has_mgrams && page_count == 0; }

  std::array<ReturningPage, LongSigner::kSignaturesMax> pages;
  std::vector<char32_t> characters;  // of the short text, or of the m-grams
};

// Fills `form`, which may have been used before. Error kCorrupt.
Status decode_kept(std::string_view bytes, SketchSize size, KeptForm& form);

}  // namespace neardup
