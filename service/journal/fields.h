// How do ids and counts lie in stored bytes, and what is said of another version? As the journal and its
// copies on the disk write them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "service/journal/record.h"

namespace neardup {

inline void put_uuid(ByteWriter& out, const Uuid& id) {
  out.bytes({reinterpret_cast<const char*>(id.data()), id.size()});
}

// Zeros where the reader failed.
inline Uuid get_uuid(ByteReader& in) {
  Uuid id{};
  std::ranges::copy(in.bytes(id.size()), id.begin());
  return id;
}

// A count of items that each take at least `bytes_min` bytes cannot exceed what is left: so a hostile count
// cannot make us reserve memory; it fails the reader. REQUIRES: bytes_min > 0.
inline std::size_t get_count(ByteReader& in, std::size_t bytes_min) {
  const std::uint64_t count = in.varint();
  if (count <= in.remaining() / bytes_min) return static_cast<std::size_t>(count);
  in.fail();
  return 0;
}

// Stored bytes whose version of `what` is another than ours. Who wrote them can read them: an older program
// before an upgrade, a newer one before the way back.
inline Error other_version(std::string_view what, std::uint16_t is, std::uint16_t ours) {
  const std::string versions =
      std::string(what) + " version " + std::to_string(is) + ", this program reads " + std::to_string(ours);
  return {
      ErrorCode::kUnsupportedVersion,
      versions + (is > ours ? ": it was written by a newer neardup, and this one is too old for it: run the "
                              "newer one again"
                            : ": it was written by an older neardup: run that one again")};
}

}  // namespace neardup
