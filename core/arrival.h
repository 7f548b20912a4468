// Who stands at the detector's door?
//
// A document with all that deciding and remembering need: who it is, where it lay, its signature. Once it was
// unique, the journal stores it and verdicts name it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/document.h"
#include "core/signature.h"

namespace neardup {

struct RouteSignature;

// Views belong to whoever made it.
struct Arrival {
  std::string_view id;   // 1 .. kIdBytesMax bytes
  std::string_view url;  // 0 .. kUrlBytesMax bytes
  Source source;
  std::int64_t event_time_ms = 0;  // since the epoch, UTC; 0 when unknown
  Signature signature;
  const RouteSignature* route = nullptr;  // what the detector's mode asks by; none for fingerprints alone
};

// Of the first byte of what is kept of a unique.
inline constexpr std::uint8_t kKeptShort = 1;      // its short text
inline constexpr std::uint8_t kKeptMgrams = 0x80;  // its text of m-grams, and nothing else

// An arrival that was unique, and so is remembered.
struct Unique {
  std::string_view id;
  std::string_view url;
  Source source;
  std::int64_t event_time_ms = 0;
  Signature signature;
  // What else the detector needs to remember it again: bytes of its own making (core/FORMATS.md). Empty in
  // what Detector::unique() returns, since the parts lie in the indexes.
  std::string_view kept;

  // Whether there is text in `kept`, which gets shorter when it is compressed: minima and sketches do not.
  bool keeps_text() const { return !kept.empty() && (kept.front() & (kKeptShort | kKeptMgrams)) != 0; }
};

}  // namespace neardup
